#include "shards/rows/shard.hpp"

#include "split/bins/edge_search.hpp"

namespace ceiba::shards {

namespace {

constexpr std::size_t columns_at_once = 64;  // counted in one pass over the rows: their cells stay in the cache

}  // namespace

// The rows of one tree and how they are spread over its open nodes. Rows are never moved: `order` lists them node after
// node, ascending in each.
class Shard::TreeRows {
public:
    TreeRows(const data::Table& table, const ShardTarget& target, std::uint64_t number, const std::uint8_t* bytes,
             std::span<std::uint32_t> order, std::shared_ptr<const Layout> layout)
        : table_(table),
          target_(target),
          number_(number),
          bytes_(bytes),
          order_(order.data()),
          layout_(std::move(layout)),
          nodes_{{0, order.size()}} {}

    Words answer(std::span<const std::uint64_t> round);

private:
    struct Range {
        std::size_t begin, end;
    };
    using Asks = std::span<const RangeQuery>;

    void catch_up(Reader& in);
    void follow(Reader level, std::size_t n_nodes);
    void branches_of(const Route& route, const Range& node, std::vector<std::uint16_t>& branch) const;
    void carry(std::uint64_t* cells, std::size_t n) const;
    Words count(Reader& in) const;
    Words zoom(const std::vector<RangeQuery>& asks) const;
    Words fetch(const std::vector<RangeQuery>& asks) const;
    Words neighbours(Reader& in) const;
    Words gather(Reader& in) const;
    Words describe(Reader& in) const;
    double weight(std::size_t row) const { return target_.weights ? target_.weights[row] : 1.0; }
    template <class F>
    void with_terms(F f) const;
    const Range& node(std::size_t i) const;
    template <class Put>
    void each_inside(Asks asks, Put put) const;
    template <class F>
    void each_place(const std::vector<RangeQuery>& asks, F f) const;

    const data::Table& table_;
    const ShardTarget& target_;
    std::uint64_t number_;
    const std::uint8_t* bytes_;  // row after row, one per numeric column
    std::uint32_t* order_;
    std::shared_ptr<const Layout> layout_;
    std::size_t level_ = 0;                   // of the path that these rows have followed
    std::vector<Range> nodes_;                // the open nodes, as places in `order`
    std::vector<std::uint64_t> branch_rows_;  // of all branches of the last level, open or not
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
        const auto found = trees_.find(tree.tree);
        if (found == trees_.end()) throw Contradiction("a shard was asked for a tree that it does not have");
        answers.push_back(found->second->answer(tree.round));
    }
    return join_answers(answers);
}

const Shard::TreeRows::Range& Shard::TreeRows::node(std::size_t i) const {
    if (i >= nodes_.size()) throw Contradiction("a shard was asked for a node that is not open");
    return nodes_[i];
}

Words Shard::TreeRows::answer(std::span<const std::uint64_t> round) {
    Reader in(round);
    catch_up(in);
    const Ask ask = static_cast<Ask>(in.word());
    if (ask == Ask::count) return count(in);
    if (ask == Ask::neighbours) return neighbours(in);
    if (ask == Ask::gather) return gather(in);
    if (ask == Ask::describe) return describe(in);
    std::vector<RangeQuery> asks(in.size());
    for (RangeQuery& query : asks) query = RangeQuery::read(in);
    return ask == Ask::zoom ? zoom(asks) : fetch(asks);
}

// --- the path
void Shard::TreeRows::catch_up(Reader& in) {
    const std::size_t n_levels = in.size();
    if (n_levels < level_) throw Contradiction("a shard has gone further than the round that it is asked");
    for (std::size_t l = 0; l < n_levels; ++l) {
        const std::size_t n_words = in.size(), n_nodes = in.size();
        const Reader level(in.read(n_words));
        if (l < level_) continue;
        follow(level, n_nodes);
        ++level_;
    }
}

// Parts the rows of every open node among its branches, stably, and lets those go that are done.
void Shard::TreeRows::follow(Reader level, std::size_t n_nodes) {
    if (n_nodes != nodes_.size()) throw Contradiction("a shard has other open nodes than the round");
    std::vector<Range> nodes;
    std::vector<std::uint32_t> rows;
    std::vector<std::uint16_t> branch;  // per row of a node
    branch_rows_.clear();
    std::size_t at = 0;  // never beyond the rows that are still to be read
    for (const Range& range : nodes_) {
        const Route route = Route::read(level);
        if (route.kind == split::Kind::none) {
            if (!route.stays) continue;
            std::copy(order_ + range.begin, order_ + range.end, order_ + at);
            nodes.push_back({at, at + range.end - range.begin});
            at = nodes.back().end;
            continue;
        }
        branches_of(route, range, branch);
        const std::size_t n_branches = route.open.size();
        std::vector<std::size_t> n_rows(n_branches, 0), place(n_branches, 0);
        for (std::uint16_t b : branch) ++n_rows[b];
        std::size_t kept = 0;
        for (std::size_t b = 0; b < n_branches; ++b) {
            branch_rows_.push_back(n_rows[b]);
            if (!route.open[b]) continue;
            place[b] = kept;
            nodes.push_back({at + kept, at + kept + n_rows[b]});
            kept += n_rows[b];
        }
        rows.resize(kept);
        for (std::size_t i = range.begin; i < range.end; ++i) {
            const std::size_t b = branch[i - range.begin];
            if (route.open[b]) rows[place[b]++] = order_[i];
        }
        std::copy(rows.begin(), rows.end(), order_ + at);
        at += kept;
    }
    nodes_ = std::move(nodes);
}

void Shard::TreeRows::branches_of(const Route& route, const Range& range, std::vector<std::uint16_t>& branch) const {
    const data::Column& column = table_.columns[route.column];
    const std::uint32_t* const order = order_ + range.begin;
    const std::size_t n = range.end - range.begin;
    const auto missing = static_cast<std::uint16_t>(route.missing_branch);
    branch.resize(n);
    if (route.kind == split::Kind::levels) {
        std::vector<std::uint16_t> branch_of(layout_->column[route.column].n_levels, missing);
        for (const split::LevelBranch& level : route.levels)
            branch_of.at(static_cast<std::size_t>(level.code)) = static_cast<std::uint16_t>(level.branch);
        for (std::size_t i = 0; i < n; ++i) {
            const std::int32_t code = column.code(order[i]);
            branch[i] = code < 0 ? missing : branch_of[code];
        }
        return;
    }
    if (route.kind == split::Kind::presence) {
        for (std::size_t i = 0; i < n; ++i) branch[i] = std::isnan(column.number(order[i])) ? 1 : 0;
        return;
    }
    const ColumnLayout& bins = layout_->column[route.column];
    const std::size_t at = bins.coarse ? bins.last_bin_below(route.cut) : bins.bin_of(route.cut),
                      n_slots = layout_->n_slots;
    std::array<std::uint16_t, 256> branch_of{};
    for (std::size_t b = 0; b < 256; ++b) branch_of[b] = b > at;
    branch_of[bins.n_bins()] = missing;
    const std::uint8_t* const byte = bytes_ + bins.slot;
    if (bins.coarse) {
        for (std::size_t i = 0; i < n; ++i) branch[i] = branch_of[byte[order[i] * n_slots]];
        return;
    }
    column.with_reader([&](auto number) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t b = byte[order[i] * n_slots];
            branch[i] = b == at ? static_cast<std::uint16_t>(!(number(order[i]) <= route.cut)) : branch_of[b];
        }
    });
}

// --- answers

// Calls f with a function from a row to what it adds to a cell.
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

// Digits of cells are carried before they leave, so that the sums of any number of shards can be added.
void Shard::TreeRows::carry(std::uint64_t* cells, std::size_t n) const {
    const std::size_t width = layout_->shape.width();
    for (std::size_t i = 0; i < n; ++i) layout_->shape.carry(cells + i * width);
}

Words Shard::TreeRows::count(Reader& in) const {
    const std::size_t width = layout_->shape.width(), n_words = layout_->n_words(), n_slots = layout_->n_slots,
                      n_nodes = in.size();
    Words out{static_cast<std::uint64_t>(Form::sums), branch_rows_.size() + n_nodes * n_words};
    put_all(out, branch_rows_);
    const std::size_t first = out.size();
    out.resize(first + n_nodes * n_words, 0);
    std::vector<std::size_t> offset;  // of the columns of bytes
    for (const ColumnLayout& c : layout_->column)
        if (!c.levels()) offset.push_back(c.first_cell * width);
    with_terms([&](auto term) {
        for (std::size_t k = 0; k < n_nodes; ++k) {
            const Range range = node(in.size());
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
    return out;
}

// Numbers: the losses of the rows of a node about a value, in digits; the largest and the smallest number.
Words Shard::TreeRows::describe(Reader& in) const {
    const std::size_t n_nodes = in.size();
    Words out(2 + n_nodes * any_digits, 0);
    out[0] = static_cast<std::uint64_t>(Form::sums);
    out[1] = n_nodes * any_digits;
    for (std::size_t k = 0; k < n_nodes; ++k) {
        const Range range = node(in.size());
        const double value = in.real();
        std::uint64_t* const digits = out.data() + 2 + k * any_digits;
        double most = -std::numeric_limits<double>::infinity(), least = -most;
        for (std::size_t i = range.begin; i < range.end; ++i) {
            const std::size_t row = order_[i];
            const double y = target_.numbers[row];
            NumberDigits(layout_->shape.loss(weight(row), y, value), any_unit).add_to(digits);
            most = std::max(most, y);
            least = std::min(least, y);
        }
        shards::carry(digits, any_digits);
        out.insert(out.end(), {key_of(most), key_of(least)});
    }
    return out;
}

// Calls put(index of the ask, key, row) for the rows of a node that lie in one of these ranges of a column, which
// ascend.
template <class Put>
void Shard::TreeRows::each_inside(Asks asks, Put put) const {
    const Range range = node(asks[0].node);
    const ColumnLayout& bins = layout_->column.at(asks[0].column);
    struct Span {
        std::uint32_t first = 0, n = 0;
    };
    std::array<Span, 256> in_bin{};
    for (std::size_t a = 0; a < asks.size(); ++a) {
        Span& in = in_bin[bins.bin_of(number_of(asks[a].low))];
        if (in.n++ == 0) in.first = static_cast<std::uint32_t>(a);
    }
    const std::uint8_t* const byte = bytes_ + bins.slot;
    const std::size_t n_slots = layout_->n_slots;
    table_.columns[asks[0].column].with_reader([&](auto number) {
        for (std::size_t i = range.begin; i < range.end; ++i) {
            const std::size_t row = order_[i], b = byte[row * n_slots];
            if (in_bin[b].n == 0 || b == bins.n_bins()) continue;
            const std::uint64_t key = key_of(number(row));
            std::size_t a = in_bin[b].first;
            if (in_bin[b].n > 1) {
                const auto from = asks.begin() + static_cast<std::ptrdiff_t>(a);
                a = static_cast<std::size_t>(std::partition_point(from, from + in_bin[b].n,
                                                                  [key](const RangeQuery& s) { return s.high < key; }) -
                                             asks.begin());
                if (a == in_bin[b].first + std::size_t{in_bin[b].n}) continue;
            }
            if (key >= asks[a].low && key <= asks[a].high) put(a, key, row);
        }
    });
}

// Calls f(first ask, asks) for the asks of each node and column, which stand together.
template <class F>
void Shard::TreeRows::each_place(const std::vector<RangeQuery>& asks, F f) const {
    for (std::size_t from = 0; from < asks.size();) {
        std::size_t to = from + 1;
        while (to < asks.size() && asks[to].same_place(asks[from])) ++to;
        f(from, Asks(asks.data() + from, to - from));
        from = to;
    }
}

Words Shard::TreeRows::zoom(const std::vector<RangeQuery>& asks) const {
    const std::size_t width = layout_->shape.width(), each = zoom_parts * width;
    Words out(2 + asks.size() * each, 0);
    out[0] = static_cast<std::uint64_t>(Form::sums);
    out[1] = asks.size() * each;
    with_terms([&](auto term) {
        each_place(asks, [&](std::size_t from, Asks here) {
            each_inside(here, [&](std::size_t a, std::uint64_t key, std::size_t row) {
                const std::uint64_t part = (key - here[a].low) >> zoom_shift(here[a].low, here[a].high);
                term(row).add_to(out.data() + 2 + (from + a) * each + part * width);
            });
        });
    });
    carry(out.data() + 2, asks.size() * zoom_parts);
    return out;
}

Words Shard::TreeRows::fetch(const std::vector<RangeQuery>& asks) const {
    const std::size_t width = layout_->shape.width();
    Words out{static_cast<std::uint64_t>(Form::runs), width, asks.size()};
    struct Value {
        std::size_t ask;
        std::uint64_t key;
        std::uint32_t row;
    };
    std::vector<Value> values;
    const auto sort_values = [&](Asks here) {  // no part of runs_of(), which is compiled for every kind of term
        values.clear();
        each_inside(here, [&](std::size_t a, std::uint64_t key, std::size_t row) {
            values.push_back({a, key, static_cast<std::uint32_t>(row)});
        });
        std::sort(values.begin(), values.end(),
                  [](const Value& x, const Value& y) { return x.ask < y.ask || (x.ask == y.ask && x.key < y.key); });
    };
    const auto runs_of = [&](Asks here, auto term) {
        sort_values(here);
        std::size_t v = 0;
        for (std::size_t a = 0; a < here.size(); ++a) {
            const std::size_t place = out.size();
            out.push_back(0);
            for (bool fresh = true; v < values.size() && values[v].ask == a; ++v) {
                if (fresh || values[v].key != values[v - 1].key) {
                    ++out[place];
                    out.push_back(values[v].key);
                    out.resize(out.size() + width, 0);
                    fresh = false;
                }
                term(values[v].row).add_to(out.data() + out.size() - width);
            }
            for (std::size_t at = place + 2; at < out.size(); at += width + 1) carry(out.data() + at, 1);
        }
    };
    with_terms([&](auto term) { each_place(asks, [&](std::size_t, Asks here) { runs_of(here, term); }); });
    return out;
}

Words Shard::TreeRows::neighbours(Reader& in) const {
    Words out{static_cast<std::uint64_t>(Form::sums), 0};
    for (std::size_t n = in.size(); n-- > 0;) {
        const RangeQuery below = RangeQuery::read(in), above = RangeQuery::read(in);
        std::uint64_t most = 0, least = std::numeric_limits<std::uint64_t>::max();
        const std::array<RangeQuery, 2> both{below, above};
        each_inside(both, [&](std::size_t a, std::uint64_t key, std::size_t) {
            if (a == 0)
                most = std::max(most, key);
            else
                least = std::min(least, key);
        });
        out.insert(out.end(), {most, least});
    }
    return out;
}

// Every column of a node as 64-bit words, then its target: all that growing the subtree needs.
Words Shard::TreeRows::gather(Reader& in) const {
    const CellShape& shape = layout_->shape;
    Words out{static_cast<std::uint64_t>(Form::pieces), number_, 0};
    for (std::size_t n = in.size(); n-- > 0;) {
        const Range range = node(in.size());
        const std::size_t n_rows = range.end - range.begin;
        const std::uint32_t* const order = order_ + range.begin;
        out.push_back(n_rows);
        std::size_t at = out.size();
        out.resize(at + n_rows * (table_.columns.size() + 1 + shape.weighted));
        const auto write = [&](auto word_of) {
            for (std::size_t i = 0; i < n_rows; ++i) out[at + i] = word_of(order[i]);
            at += n_rows;
        };
        const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
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
    out[2] = out.size() - 3;
    return out;
}

namespace {

constexpr std::size_t block = 4096;  // rows whose bytes stay in the cache while column after column is binned

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
