#include "shards/rows/shard.hpp"

#include "shards/rows/round_plan.hpp"
#include "split/bins/edge_search.hpp"

namespace ceiba::shards {

namespace {

constexpr std::size_t columns_at_once = 64;  // columns counted in one pass over the rows: their cells stay in the cache

}  // namespace

// The rows of one tree and their distribution over its open nodes. Rows are never moved: `order` lists them node by
// node, ascending in each.
class Shard::TreeRows {
public:
    TreeRows(const data::Table& table, const ShardTarget& target, std::uint64_t number, const std::uint8_t* bytes,
             std::span<std::uint32_t> order, std::shared_ptr<const Layout> layout)
        : table_(table),
          target_(target),
          bytes_(bytes),
          order_(order.data()),
          layout_(std::move(layout)),
          plan_(layout_, number, order.size()) {}

    Words answer(std::span<const std::uint64_t> round);

private:
    std::vector<std::vector<BranchRows>> divide(const std::vector<Division>& divisions);
    void branches_of(const Division& division, std::vector<std::uint16_t>& branch) const;
    void carry(std::uint64_t* cells, std::size_t n) const;
    void count(const RoundRequest& request, Words& out) const;
    void zoom(const RoundRequest& request, Words& out) const;
    void fetch(const RoundRequest& request, Words& out) const;
    void neighbours(const RoundRequest& request, Words& out) const;
    void gather(const RoundRequest& request, Words& out) const;
    void describe(const RoundRequest& request, Words& out) const;
    double weight(std::size_t row) const { return target_.weights ? target_.weights[row] : 1.0; }
    template <class F>
    void with_terms(F f) const;
    template <class Put>
    void each_inside(const RoundRequest& request, const QueryPlace& place, Put put) const;

    const data::Table& table_;
    const ShardTarget& target_;
    const std::uint8_t* bytes_;  // row by row, one per numeric column
    std::uint32_t* order_;
    std::shared_ptr<const Layout> layout_;
    RoundPlan plan_;
};

Shard::Shard(data::Table table, ShardTarget target, std::uint64_t number)
    : table_(std::move(table)), target_(target), number_(number) {
    if (table_.n_rows > most_rows) throw std::invalid_argument("a shard has at most 2^30 rows");
}

Shard::~Shard() = default;

void Shard::add_tree(std::uint64_t tree, const std::uint8_t* bytes, std::span<std::uint32_t> order,
                     std::shared_ptr<const Layout> layout) {
    const std::lock_guard lock(busy_);
    trees_[tree] = std::make_unique<TreeRows>(table_, target_, number_, bytes, order, std::move(layout));
}

Words Shard::answer(std::span<const std::uint64_t> rounds) {
    const std::lock_guard lock(busy_);
    std::vector<Words> answers;
    for (const TreeRound& tree : split_rounds(rounds)) {
        const auto entry = trees_.find(tree.tree);
        if (entry == trees_.end()) throw Contradiction("the tree is not in this shard");
        answers.push_back(entry->second->answer(tree.round));
    }
    return join_answers(answers);
}

Words Shard::TreeRows::answer(std::span<const std::uint64_t> round) {
    const RoundRequest request =
        plan_.read(round, [this](const std::vector<Division>& divisions) { return divide(divisions); });
    Words out = plan_.head(request);
    switch (request.kind) {
        case RequestKind::count:
            count(request, out);
            break;
        case RequestKind::zoom:
            zoom(request, out);
            break;
        case RequestKind::fetch:
            fetch(request, out);
            break;
        case RequestKind::neighbours:
            neighbours(request, out);
            break;
        case RequestKind::gather:
            gather(request, out);
            break;
        case RequestKind::describe:
            describe(request, out);
            break;
    }
    return out;
}

// Sorts the rows of every node by branch, stably.
std::vector<std::vector<BranchRows>> Shard::TreeRows::divide(const std::vector<Division>& divisions) {
    std::vector<std::vector<BranchRows>> out;
    std::vector<std::uint32_t> rows;
    std::vector<std::uint16_t> branch;  // per row of a node
    for (const Division& division : divisions) {
        branches_of(division, branch);
        std::vector<BranchRows>& branches = out.emplace_back(division.n_branches());
        for (std::uint16_t b : branch) ++branches[b].n_rows;
        std::vector<std::size_t> place(branches.size(), 0);
        for (std::size_t b = 1; b < branches.size(); ++b) place[b] = place[b - 1] + branches[b - 1].n_rows;
        std::uint32_t* const order = order_ + division.rows.begin;
        rows.assign(order, order + division.rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) order[place[branch[i]]++] = rows[i];
    }
    return out;
}

void Shard::TreeRows::branches_of(const Division& division, std::vector<std::uint16_t>& branch) const {
    const data::Column& column = table_.columns[division.route.column];
    const ColumnLayout& bins = layout_->column[division.route.column];
    const std::uint32_t* const order = order_ + division.rows.begin;
    const std::vector<std::uint16_t>& branch_of = division.branch_of;
    const std::size_t n = division.rows.size(), n_slots = layout_->n_slots;
    branch.resize(n);
    if (bins.levels()) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::int32_t code = column.code(order[i]);
            branch[i] = code < 0 ? branch_of.back() : branch_of[code];
        }
        return;
    }
    const std::uint8_t* const byte = bytes_ + bins.slot;
    if (division.exact == Division::none) {
        for (std::size_t i = 0; i < n; ++i) branch[i] = branch_of[byte[order[i] * n_slots]];
        return;
    }
    column.with_reader([&](auto number) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t b = byte[order[i] * n_slots];
            branch[i] = b == division.exact ? static_cast<std::uint16_t>(!(number(order[i]) <= division.route.cut))
                                            : branch_of[b];
        }
    });
}

// --- answers

// Calls f with a function that returns the term of a row in a cell.
template <class F>
void Shard::TreeRows::with_terms(F f) const {
    const CellShape& shape = layout_->shape;
    const auto label = [this](std::size_t row) { return static_cast<std::size_t>(target_.labels[row]); };
    if (shape.classes() && shape.weighted)
        f([&](std::size_t row) { return WeightedClassTerm(shape, label(row), target_.weights[row]); });
    else if (shape.classes())
        f([&](std::size_t row) { return ClassTerm{label(row)}; });
    else if (shape.weighted)
        f([&](std::size_t row) { return WeightedNumberTerm(shape, target_.numbers[row], target_.weights[row]); });
    else
        f([&](std::size_t row) { return NumberTerm(shape, target_.numbers[row]); });
}

// The digits of cells are carried before they are sent, so that the sums of any number of shards can be added.
void Shard::TreeRows::carry(std::uint64_t* cells, std::size_t n) const {
    const std::size_t width = layout_->shape.width();
    for (std::size_t i = 0; i < n; ++i) layout_->shape.carry(cells + i * width);
}

void Shard::TreeRows::count(const RoundRequest& request, Words& out) const {
    const std::size_t width = layout_->shape.width(), n_words = layout_->n_words(), n_slots = layout_->n_slots,
                      n_nodes = request.nodes.size(), first = out.size();
    out.resize(first + n_nodes * n_words, 0);
    std::vector<std::size_t> offset;  // of the columns with bytes
    for (const ColumnLayout& c : layout_->column)
        if (!c.levels()) offset.push_back(c.first_cell * width);
    with_terms([&](auto term) {
        for (std::size_t k = 0; k < n_nodes; ++k) {
            const NodeRows& range = request.nodes[k];
            std::uint64_t* const cells = out.data() + first + k * n_words;
            for (std::size_t from = 0; from < n_slots; from += columns_at_once) {
                const std::size_t to = std::min(n_slots, from + columns_at_once);
                for (std::size_t i = range.begin; i < range.end; ++i) {
                    const std::size_t row = order_[i];
                    const std::uint8_t* const byte = bytes_ + row * n_slots;
                    const auto addend = term(row);
                    for (std::size_t s = from; s < to; ++s) addend.add_to(cells + offset[s] + byte[s] * width);
                }
            }
            for (std::size_t c = 0; c < layout_->column.size(); ++c) {
                const ColumnLayout& column = layout_->column[c];
                if (!column.levels()) continue;
                for (std::size_t i = range.begin; i < range.end; ++i) {
                    const std::size_t row = order_[i];
                    const std::int32_t code = table_.columns[c].code(row);
                    const std::size_t cell = code < 0 ? column.n_levels : static_cast<std::size_t>(code);
                    term(row).add_to(cells + (column.first_cell + cell) * width);
                }
            }
            carry(cells, layout_->n_cells);
        }
    });
}

// Numbers: the losses of the rows of a node about a value, in digits; and the largest and the smallest number.
void Shard::TreeRows::describe(const RoundRequest& request, Words& out) const {
    const std::size_t n_nodes = request.nodes.size(), first = out.size();
    out.resize(first + n_nodes * any_digits, 0);
    for (std::size_t k = 0; k < n_nodes; ++k) {
        const NodeRows& range = request.nodes[k];
        std::uint64_t* const digits = out.data() + first + k * any_digits;
        double most = -std::numeric_limits<double>::infinity(), least = -most;
        for (std::size_t i = range.begin; i < range.end; ++i) {
            const std::size_t row = order_[i];
            const double y = target_.numbers[row];
            NumberDigits(layout_->shape.loss(weight(row), y, request.values[k]), any_unit).add_to(digits);
            most = std::max(most, y);
            least = std::min(least, y);
        }
        shards::carry(digits, any_digits);
        const bool some = range.size() > 0;
        out.insert(out.end(), {some ? key_of(most) : 0, some ? key_of(least) : ~std::uint64_t{0}});
    }
}

// Calls put(index of the query, key, row) for the rows of a node within one of the ranges of a column.
template <class Put>
void Shard::TreeRows::each_inside(const RoundRequest& request, const QueryPlace& place, Put put) const {
    struct InBin {
        std::size_t first = 0, n = 0;
    };
    std::array<InBin, 256> in_bin{};  // queries of each bin, by their index among those of the column
    for (std::size_t q = 0; q < place.queries.size(); ++q)
        if (InBin& in = in_bin[request.bins[place.first + q]]; in.n++ == 0) in.first = q;
    const std::uint8_t* const byte = bytes_ + layout_->column[place.column].slot;
    const std::size_t n_slots = layout_->n_slots;
    const auto queries = place.queries;
    table_.columns[place.column].with_reader([&](auto number) {
        for (std::size_t i = place.rows.begin; i < place.rows.end; ++i) {
            const std::size_t row = order_[i];
            const InBin in = in_bin[byte[row * n_slots]];
            if (in.n == 0) continue;
            const std::uint64_t key = key_of(number(row));
            std::size_t q = in.first;
            if (in.n > 1) {
                const auto from = queries.begin() + static_cast<std::ptrdiff_t>(q);
                q = static_cast<std::size_t>(std::partition_point(from, from + in.n,
                                                                  [key](const RangeQuery& s) { return s.high < key; }) -
                                             queries.begin());
                if (q == in.first + in.n) continue;
            }
            if (key >= queries[q].low && key <= queries[q].high) put(q, key, row);
        }
    });
}

void Shard::TreeRows::zoom(const RoundRequest& request, Words& out) const {
    const std::size_t width = layout_->shape.width(), n_parts = std::size_t{1} << request.zoom_bits,
                      n_cells = request.queries.size() * n_parts, first = out.size();
    out.resize(first + n_cells * width, 0);
    with_terms([&](auto term) {
        for (const QueryPlace& place : request.places)
            each_inside(request, place, [&](std::size_t q, std::uint64_t key, std::size_t row) {
                const RangeQuery& query = place.queries[q];
                const std::uint64_t part = (key - query.low) >> zoom_shift(query.low, query.high, request.zoom_bits);
                term(row).add_to(out.data() + first + ((place.first + q) * n_parts + part) * width);
            });
    });
    carry(out.data() + first, n_cells);
}

void Shard::TreeRows::fetch(const RoundRequest& request, Words& out) const {
    const std::size_t width = layout_->shape.width();
    struct Value {
        std::size_t query;
        std::uint64_t key;
        std::uint32_t row;
    };
    std::vector<Value> values;
    const auto sort_values = [&](const QueryPlace& place) {  // outside runs_of(), which is compiled for every term
        values.clear();
        each_inside(request, place, [&](std::size_t q, std::uint64_t key, std::size_t row) {
            values.push_back({q, key, static_cast<std::uint32_t>(row)});
        });
        std::sort(values.begin(), values.end(), [](const Value& x, const Value& y) {
            return x.query < y.query || (x.query == y.query && x.key < y.key);
        });
    };
    const auto runs_of = [&](const QueryPlace& place, auto term) {
        sort_values(place);
        std::size_t v = 0;
        for (std::size_t q = 0; q < place.queries.size(); ++q) {
            const std::size_t at = out.size();
            out.push_back(0);
            for (bool fresh = true; v < values.size() && values[v].query == q; ++v) {
                if (fresh || values[v].key != values[v - 1].key) {
                    ++out[at];
                    out.push_back(values[v].key);
                    out.resize(out.size() + width, 0);
                    fresh = false;
                }
                term(values[v].row).add_to(out.data() + out.size() - width);
            }
            for (std::size_t run = at + 2; run < out.size(); run += width + 1) carry(out.data() + run, 1);
        }
    };
    with_terms([&](auto term) {
        for (const QueryPlace& place : request.places) runs_of(place, term);
    });
}

void Shard::TreeRows::neighbours(const RoundRequest& request, Words& out) const {
    for (const QueryPlace& place : request.places) {
        std::uint64_t most = 0, least = std::numeric_limits<std::uint64_t>::max();
        each_inside(request, place, [&](std::size_t q, std::uint64_t key, std::size_t) {
            if (q == 0)
                most = std::max(most, key);
            else
                least = std::min(least, key);
        });
        out.insert(out.end(), {most, least});
    }
}

// Writes every column of a node as 64-bit words, then its target: all data for growing the subtree.
void Shard::TreeRows::gather(const RoundRequest& request, Words& out) const {
    const CellShape& shape = layout_->shape;
    for (const NodeRows& range : request.nodes) {
        const std::size_t n_rows = range.size();
        const std::uint32_t* const order = order_ + range.begin;
        out.push_back(n_rows);
        std::size_t at = out.size();
        out.resize(at + n_rows * (table_.columns.size() + 1 + shape.weighted));
        const auto write = [&](auto word_of) {
            for (std::size_t i = 0; i < n_rows; ++i) out[at + i] = word_of(order[i]);
            at += n_rows;
        };
        // All NaNs are written with the same bits, so that answers do not depend on the location of the rows.
        const auto bits = [](double x) {
            return std::bit_cast<std::uint64_t>(x == x ? x : std::numeric_limits<double>::quiet_NaN());
        };
        const auto whole = [](std::int32_t x) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)); };
        for (std::size_t c = 0; c < table_.columns.size(); ++c) {
            const data::Column& column = table_.columns[c];
            const ColumnLayout& bins = layout_->column[c];
            const auto byte = [&](std::size_t row) { return bytes_[row * layout_->n_slots + bins.slot]; };
            const bool codes = column.kind() != data::ColumnKind::numeric;
            if (bins.coarse && codes)
                write([&](std::size_t row) { return whole(byte(row) == bins.n_bins() ? -1 : byte(row)); });
            else if (bins.coarse)
                write([&](std::size_t row) { return bits(byte(row) == bins.n_bins() ? std::nan("") : byte(row)); });
            else if (codes)
                write([&](std::size_t row) { return whole(column.code(row)); });
            else
                column.with_reader([&](auto number) { write([&](std::size_t row) { return bits(number(row)); }); });
        }
        if (shape.classes())
            write([&](std::size_t row) { return whole(target_.labels[row]); });
        else
            write([&](std::size_t row) { return bits(target_.numbers[row]); });
        if (shape.weighted) write([&](std::size_t row) { return bits(target_.weights[row]); });
    }
}

namespace {

constexpr std::size_t block = 4096;  // rows whose bytes stay in the cache while one column after another is binned

template <class T>
void bin_block(const split::EdgeSearch<T>& search, const data::Column& column, std::size_t from, std::size_t to,
               std::size_t stride, std::uint8_t* byte, BinRanges& ranges) {
    constexpr std::size_t lanes = split::EdgeSearch<T>::lanes;
    const std::uint8_t missing = static_cast<std::uint8_t>(ranges.least.size());
    T x[lanes];
    std::uint32_t bin[lanes];
    for (std::size_t i = from; i < to; i += lanes) {
        const std::size_t n = std::min(lanes, to - i);
        for (std::size_t j = 0; j < lanes; ++j) {
            const std::size_t row = i + (j < n ? j : 0);
            x[j] = column.is<T>() ? column.fast<T>(row) : static_cast<T>(column.number(row));
        }
        search.find(x, bin);
        for (std::size_t j = 0; j < n; ++j, byte += stride) {
            const bool present = x[j] == x[j];
            *byte = present ? static_cast<std::uint8_t>(bin[j]) : missing;
            if (!present) continue;
            const double value = static_cast<double>(x[j]) + 0.0;
            double &least = ranges.least[bin[j]], &most = ranges.most[bin[j]];
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
    }
}

}  // namespace

std::vector<BinRanges> bin_rows(const data::Table& table, const std::vector<std::vector<double>>& edges,
                                std::uint8_t* bytes, base::Interrupt& interrupt) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<BinRanges> out(table.columns.size());
    std::vector<std::size_t> binned;
    std::vector<split::EdgeSearch<float>> single;
    std::vector<split::EdgeSearch<double>> twice;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c].kind() == data::ColumnKind::levels) continue;
        binned.push_back(c);
        out[c] = {std::vector<double>(edges[c].size() + 1, infinity),
                  std::vector<double>(edges[c].size() + 1, -infinity)};
        const bool is_single = table.columns[c].is<float>();
        single.emplace_back(is_single ? edges[c] : std::vector<double>{});
        twice.emplace_back(is_single ? std::vector<double>{} : edges[c]);
    }
    const std::size_t stride = binned.size();
    for (std::size_t from = 0; from < table.n_rows; from += block) {
        interrupt.poll();
        const std::size_t to = std::min(table.n_rows, from + block);
        for (std::size_t s = 0; s < stride; ++s) {
            const data::Column& column = table.columns[binned[s]];
            std::uint8_t* const first = bytes + from * stride + s;
            if (column.is<float>())
                bin_block(single[s], column, from, to, stride, first, out[binned[s]]);
            else
                bin_block(twice[s], column, from, to, stride, first, out[binned[s]]);
        }
    }
    return out;
}

}  // namespace ceiba::shards
