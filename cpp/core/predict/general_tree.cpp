#include "predict/general_tree.hpp"

#include "base/processor/wide_registers.hpp"

namespace ceiba::predict {

namespace {

using tree::Kind;

constexpr std::size_t most_words = std::size_t{1} << 22;  // 16 MB of tables
constexpr std::size_t most_asked = 1024;                  // columns: beyond, routing node by node is faster
constexpr std::size_t most_bits = 31;                     // of a packed node: a place, a slot
constexpr std::int32_t most_codes = (1 << 23) - 2;        // float32 holds them exactly
constexpr std::uint32_t place_bits = (1u << 23) - 1u;

// A place as a float32 whose lowest bits it is: 2^23 + place. (Small integers would be denormal numbers.)
float place(std::int32_t level) { return std::bit_cast<float>(static_cast<std::uint32_t>(level) | 0x4B000000u); }

// Sixteen rows in a register: a step does more than that of a plain cut, so this pays on AMD too, where gathers are
// slow (surrogates: 34 -> 27 ns per row), but not where a mitigation has made them very slow.
bool walks_wide() {
#if defined(CEIBA_HAS_WIDE)
    return base::has_fast_gathers() || (base::has_wide_registers() && __builtin_cpu_is("amd"));
#else
    return false;
#endif
}

}  // namespace

// A block of rows: the number or place of slot s in row i is at  values[(s << shift) + i].
struct GeneralTree::Block {
    std::unique_ptr<float[]> values;
    int shift;
    std::size_t n = 0;
    bool missing = false, rounded = false;
    bool careful = false;  // look whether numbers are rounded: many rows were not decided
};

std::size_t GeneralTree::table_words(const Asked& asked) const {
    return (((static_cast<std::size_t>(asked.n_levels) + 2) << entry_shift_) + 31) / 32;
}

std::uint32_t GeneralTree::slot_of(std::int32_t column) const {
    const auto at = std::find_if(asked_.begin(), asked_.end(),
                                 [&](const Asked& a) { return a.column == static_cast<std::uint32_t>(column); });
    return static_cast<std::uint32_t>(at - asked_.begin());
}

GeneralTree::GeneralTree(const tree::Questions& questions) {
    ask_for_columns(questions);
    set_entry_width(questions);
    if (asked_.empty() || asked_.size() > most_asked || !lay_out(questions)) *this = {};
}

// A column is of levels if any node parts its levels. Those of numbers come first.
void GeneralTree::ask_for_columns(const tree::Questions& questions) {
    const auto add = [&](const tree::SplitTable& splits) {
        for (std::size_t i = 0; i < splits.size(); ++i) {
            if (splits.column[i] < 0) continue;
            const std::uint32_t column = static_cast<std::uint32_t>(splits.column[i]);
            auto at = std::find_if(asked_.begin(), asked_.end(), [&](const Asked& a) { return a.column == column; });
            if (at == asked_.end()) at = asked_.insert(at, {column, false, 0});
            if (static_cast<Kind>(splits.kind[i]) != Kind::levels) continue;
            at->levels = true;
            if (splits.level_start[i] < splits.level_start[i + 1])
                at->n_levels = std::max(at->n_levels, splits.level_code[splits.level_start[i + 1] - 1] + 1);
        }
    };
    add(questions.splits);
    add(questions.surrogates);
    const auto first_levels =
        std::stable_partition(asked_.begin(), asked_.end(), [](const Asked& a) { return !a.levels; });
    n_numbers_ = static_cast<std::uint32_t>(first_levels - asked_.begin());
    slot_bits_ = std::bit_width(asked_.size());
}

// Entries hold the number of a branch; if some rows go to a successor that is none, also the number of all ones.
void GeneralTree::set_entry_width(const tree::Questions& questions) {
    std::int32_t most = 2;
    for (std::size_t i = 0; i < questions.n_nodes(); ++i) {
        if (questions.is_leaf(i)) continue;
        most = std::max(most, questions.branch_start[i + 1] - questions.branch_start[i]);
        lacks_ |= questions.default_branch[i] < 0;
    }
    lacks_ |= !questions.surrogates.kind.empty();
    const int bits = std::bit_width(static_cast<std::uint32_t>(most - (lacks_ ? 0 : 1)));
    entry_shift_ = std::bit_width(static_cast<std::uint32_t>(bits - 1));
    entry_mask_ = ~0u >> (32 - (1 << entry_shift_));
    for (const Asked& a : asked_)
        if (a.levels) which_ = std::max(which_, table_words(a) <= 2 ? Tables::inside : Tables::outside);
}

bool GeneralTree::lay_out(const tree::Questions& questions) {
    tables_.assign(1, 0);
    struct Open {
        std::size_t node;
        std::uint32_t place, depth;
    };
    std::vector<Open> open{{0, add_places(1), 0}};
    const bool has_surrogates = !questions.surrogates.kind.empty();
    least_depth_ = std::numeric_limits<std::uint32_t>::max();
    while (!open.empty()) {
        const auto [node, place, depth] = open.back();
        open.pop_back();
        if (questions.is_leaf(node)) {
            set_leaf(place, static_cast<std::int32_t>(node));
            least_depth_ = std::min(least_depth_, depth);
            continue;
        }
        const std::int32_t start = questions.branch_start[node], n = questions.branch_start[node + 1] - start;
        const std::uint32_t first = add_places(static_cast<std::size_t>(n));
        const std::int32_t fallback = questions.default_branch[node];
        // Without surrogates, the branch of low numbers stands first: nothing but the cut leads to the branches.
        const bool cut = static_cast<Kind>(questions.splits.kind[node]) == Kind::cut;
        const std::int32_t exchanged = cut && !has_surrogates ? questions.splits.low_branch[node] : 0;
        Targets to{first, static_cast<std::uint32_t>(n), 0, -1};
        if (fallback >= 0) {
            to.successor = first + static_cast<std::uint32_t>(fallback ^ exchanged);
        } else {
            to.successor = set_leaf(add_places(1), static_cast<std::int32_t>(node));
            least_depth_ = std::min(least_depth_, depth + 1);
        }
        if (has_surrogates)
            for (std::int32_t s = questions.surrogate_start[node + 1]; s-- > questions.surrogate_start[node];) {
                const std::uint32_t surrogate = add_places(1);
                if (!set_split(questions.surrogates, static_cast<std::size_t>(s), surrogate, to)) return false;
                to.successor = surrogate;
            }
        if (!questions.unseen_is_missing) to.unknown = questions.majority_branch[node];
        if (static_cast<Kind>(questions.splits.kind[node]) == Kind::intervals)
            set_intervals(std::span(questions.cuts).subspan(static_cast<std::size_t>(questions.cut_start[node]),
                                                            static_cast<std::size_t>(n) - 1),
                          place, slot_of(questions.splits.column[node]), to);
        else if (!set_split(questions.splits, node, place, to))
            return false;
        if (exchanged) nodes_[place].packed = rounded_[place].packed &= ~missing_second;
        for (std::int32_t b = n; b-- > 0;)
            open.push_back({static_cast<std::size_t>(questions.branch_node[start + b]),
                            first + static_cast<std::uint32_t>(b ^ exchanged), depth + 1});
        if (std::bit_width(nodes_.size()) + slot_bits_ > most_bits) return false;
    }
    lost_ = set_leaf(add_places(1), -1);
    return true;
}

std::uint32_t GeneralTree::add_places(std::size_t n) {
    const std::size_t first = nodes_.size();
    nodes_.resize(first + n);
    rounded_.resize(first + n);
    successor_.resize(first + n);
    levels_.resize(first + n, 0);
    id_.resize(first + n);
    return static_cast<std::uint32_t>(first);
}

void GeneralTree::set_node(std::uint32_t place, double cut, std::uint32_t slot, std::uint32_t child,
                           std::uint32_t successor, bool reversed) {
    const std::uint32_t packed = (reversed ? missing_second : 0u) | (child << slot_bits_) | slot;
    nodes_[place] = {not_above(cut), packed};
    rounded_[place] = {nearest(cut), packed};
    successor_[place] = successor;
}

// A leaf leads to itself: no number is above infinity.
std::uint32_t GeneralTree::set_leaf(std::uint32_t place, std::int32_t id) {
    id_[place] = id;
    set_node(place, std::numeric_limits<double>::infinity(), 0, place, place, false);
    return place;
}

bool GeneralTree::set_split(const tree::SplitTable& splits, std::size_t split, std::uint32_t place, const Targets& to) {
    const std::uint32_t slot = slot_of(splits.column[split]);
    const Kind kind = static_cast<Kind>(splits.kind[split]);
    if (slot >= n_numbers_) return kind != Kind::cut && set_table(splits, split, place, slot, to);
    if (kind == Kind::presence)
        set_node(place, std::numeric_limits<double>::infinity(), slot, to.first, to.first + 1, false);
    else
        set_node(place, splits.cut[split], slot, to.first, to.successor, splits.low_branch[split] == 1);
    return true;
}

// Parts the branches in the middle until two are left. An odd one out is asked for together with its neighbour.
void GeneralTree::set_intervals(std::span<const double> cuts, std::uint32_t place, std::uint32_t slot,
                                const Targets& to) {
    if (cuts.size() == 1) return set_node(place, cuts[0], slot, to.first, to.successor, false);
    const std::size_t middle = (cuts.size() - 1) / 2;
    const std::uint32_t halves = add_places(2);
    set_node(place, cuts[middle], slot, halves, to.successor, false);
    set_intervals(cuts.first(std::max<std::size_t>(middle, 1)), halves, slot, to);
    const std::size_t second = std::min(middle + 1, cuts.size() - 1);
    Targets above = to;
    above.first += static_cast<std::uint32_t>(second);
    set_intervals(cuts.subspan(second), halves + 1, slot, above);
}

// False: there is no room for another table.
bool GeneralTree::set_table(const tree::SplitTable& splits, std::size_t split, std::uint32_t place, std::uint32_t slot,
                            const Targets& to) {
    const Asked& asked = asked_[slot];
    const std::size_t start = tables_.size(), last = static_cast<std::size_t>(asked.n_levels) + 1;
    if (start + table_words(asked) > most_words || asked.n_levels > most_codes) return false;
    tables_.resize(start + table_words(asked), 0);
    const auto set = [&](std::size_t level, std::uint32_t entry) {
        const std::size_t bit = level << entry_shift_;
        std::uint32_t& word = tables_[start + bit / 32];
        word = (word & ~(entry_mask_ << bit % 32)) | (entry & entry_mask_) << bit % 32;
    };
    // A successor that is a branch needs no look at the list of successors.
    const std::uint32_t unplaced = to.successor - to.first < to.n ? to.successor - to.first : entry_mask_;
    const bool presence = static_cast<Kind>(splits.kind[split]) == Kind::presence;
    const std::uint32_t unknown = presence ? 0u : to.unknown < 0 ? unplaced : static_cast<std::uint32_t>(to.unknown);
    set(0, presence ? 1u : unplaced);
    for (std::size_t level = 1; level <= last; ++level) set(level, unknown);
    if (!presence)
        for (std::int64_t l = splits.level_start[split]; l < splits.level_start[split + 1]; ++l)
            set(static_cast<std::size_t>(splits.level_code[l]) + 1, static_cast<std::uint32_t>(splits.level_branch[l]));
    set_node(place, std::numeric_limits<double>::infinity(), slot, to.first, to.successor, false);
    levels_[place] = std::uint64_t{place_bits} << 32 | start;
    if (which_ == Tables::inside) {
        levels_[place] = tables_[start] | (start + 1 < tables_.size() ? std::uint64_t{tables_[start + 1]} << 32 : 0u);
        tables_.resize(start);
    }
    return true;
}

bool GeneralTree::supports(const data::Table& table) const {
    return !table.sparse && std::all_of(asked_.begin(), asked_.end(), [&](const Asked& a) {
        const data::Column& column = table.columns[a.column];
        return a.levels ? column.kind() == data::ColumnKind::levels : column.n_levels() <= most_codes;
    });
}

namespace {

// Some of the numbers are not those of the column, but the nearest float32.
bool any_rounded(const data::Column& column, std::size_t begin, std::size_t n, const float* numbers) {
    bool rounded = false;
    column.with_reader([&](auto number) {
        for (std::size_t i = 0; i < n; ++i) {
            const double x = static_cast<double>(numbers[i]), exact = number(begin + i);
            rounded |= (x < exact) | (x > exact);
        }
    });
    return rounded;
}

// As places: 0 for a missing value, n_levels + 1 for all levels that no node knows.
void copy_levels(const data::Column& column, std::size_t begin, std::size_t n, std::int32_t n_levels, float* to) {
    const auto copy = [&](const char* from, auto stride) {
        for (std::size_t i = 0; i < n; ++i, from += stride)
            to[i] = place(std::clamp(*reinterpret_cast<const std::int32_t*>(from), -1, n_levels) + 1);
    };
    const char* const first = column.data() + static_cast<std::ptrdiff_t>(begin) * column.stride();
    constexpr std::integral_constant<std::ptrdiff_t, sizeof(std::int32_t)> one;
    column.stride() == one ? copy(first, one) : copy(first, column.stride());
}

}  // namespace

void GeneralTree::copy_rows(const data::Table& table, std::size_t begin, Block& block,
                            std::vector<std::size_t>& unresolved) const {
    block.missing = lacks_;
    block.rounded = false;
    for (std::size_t s = 0; s < asked_.size(); ++s) {
        const data::Column& column = table.columns[asked_[s].column];
        float* const to = block.values.get() + (s << block.shift);
        if (asked_[s].levels) {
            copy_levels(column, begin, block.n, asked_[s].n_levels, to);
            continue;
        }
        block.missing |= narrow_column(column, begin, block.n, to);
        if (column.kind() == data::ColumnKind::ordered) {
            for (std::size_t i = begin; i < begin + block.n; ++i)
                if (column.code(i) >= column.n_levels()) unresolved.push_back(i);
        } else if (!column.is<float>()) {
            block.rounded |= !block.careful || any_rounded(column, begin, block.n, to);
        }
    }
}

// No branch instruction depends on the row: a node adds what a cut and what a table say.
template <Tables tables, bool Missing>
struct GeneralTree::Step {
    GeneralNodes tree;
    int block_shift;

    std::uint32_t operator()(std::uint32_t at, const char* row, std::uint32_t& unsure) const {
        const SmallNode node = tree.nodes[at];
        const std::uint32_t slot = node.packed & ((1u << tree.column_bits) - 1u);
        const float x = reinterpret_cast<const float*>(row)[std::size_t{slot} << block_shift];
        std::uint32_t branch = x > node.cut, lacks = x != x, packed = node.packed;
        unsure |= branch ^ static_cast<std::uint32_t>(x >= node.cut);  // equal
        if constexpr (Missing) {  // the only trees with exchanged branches have surrogates
            branch ^= packed >> 31;
            packed &= ~missing_second;
        }
        if constexpr (tables != Tables::none) {
            const std::uint64_t levels = tree.levels[at];
            std::uint32_t bit = std::bit_cast<std::uint32_t>(x), entry;
            if constexpr (tables == Tables::inside) {
                entry = static_cast<std::uint32_t>(levels >> (bit << tree.entry_shift) % 64) & tree.entry_mask;
            } else {
                bit = (bit & static_cast<std::uint32_t>(levels >> 32)) << tree.entry_shift;
                entry = (tree.tables[static_cast<std::uint32_t>(levels) + bit / 32] >> bit % 32) & tree.entry_mask;
            }
            branch += entry;
            lacks |= entry == tree.lacking;
        }
        const std::uint32_t next = (packed >> tree.column_bits) + branch;
        if constexpr (Missing) return next ^ ((next ^ tree.successor[at]) & (0u - lacks));
        return next;
    }
};

// The rows of a block; those that cannot be decided in float32 get no node (-1).
void GeneralTree::walk(const Block& block, LinePrefetch next, std::int32_t* out) const {
    const SmallNode* const nodes = block.rounded ? rounded_.data() : nodes_.data();
    const GeneralNodes tree{{nodes, slot_bits_, least_depth_, id_.data(), lost_},
                            successor_.data(),
                            levels_.data(),
                            tables_.data(),
                            which_,
                            entry_shift_,
                            entry_mask_,
                            lacks_ ? entry_mask_ : ~0u};
    if (walks_wide())
        return walk_wide(tree, {block.values.get(), 1, block.shift, block.n, block.missing, block.rounded}, next, out);
    const auto ahead = [&](std::size_t) {
        for (std::size_t i = 0; i < lanes; ++i) next();
    };
    const auto lost = [&](std::size_t row) {
        if (block.rounded) std::fill(out + row, out + std::min(row + lanes, block.n), -1);
    };
    const auto route = [&](auto step) {
        constexpr std::integral_constant<std::ptrdiff_t, sizeof(float)> row_step;
        route_lanes(block.n, reinterpret_cast<const char*>(block.values.get()), row_step, least_depth_, id_.data(), out,
                    step, ahead, lost);
    };
    with_tables(which_, [&]<Tables tables>(std::integral_constant<Tables, tables>) {
        block.missing ? route(Step<tables, true>{tree, block.shift}) : route(Step<tables, false>{tree, block.shift});
    });
}

std::size_t GeneralTree::apply(const data::Table& table, std::size_t begin, std::size_t end, std::int32_t* out,
                               std::vector<std::size_t>& unresolved) const {
    Block block;
    // 256 or 32 rows: a block fits into the first cache, or into the second one for registers.
    block.shift = asked_.size() << 8 <= (walks_wide() ? std::size_t{1} << 16 : std::size_t{1} << 13) ? 8 : 5;
    const std::size_t n_rows = std::size_t{1} << block.shift;
    block.values = std::make_unique_for_overwrite<float[]>(asked_.size() << block.shift);
    Prefetch prefetch;
    for (const Asked& a : asked_) prefetch.add(table.columns[a.column].data(), table.columns[a.column].stride());
    for (std::size_t from = begin; from < end;) {
        block.n = std::min(n_rows, end - from);
        const std::size_t n_known = unresolved.size(), after = from + block.n;
        copy_rows(table, from, block, unresolved);
        walk(block, LinePrefetch(prefetch, after, std::min(block.n, table.n_rows - after)), out + (from - begin));
        for (std::size_t i = from; block.rounded && i < after; ++i)
            if (out[i - begin] < 0) unresolved.push_back(i);
        const std::size_t n_unresolved = unresolved.size() - n_known;
        if (block.rounded && !block.careful && 16 * n_unresolved > block.n) {
            block.careful = true;
            unresolved.resize(n_known);
            continue;
        }
        if (2 * n_unresolved > block.n) return after;
        from = after;
    }
    return end;
}

}  // namespace ceiba::predict
