#include "predict/general_tree.hpp"

#include <cfloat>

#include "base/processor/wide_registers.hpp"

namespace ceiba::predict {

namespace {

using tree::Kind;

constexpr std::size_t most_words = std::size_t{1} << 22;  // 16 MB of tables
constexpr std::size_t most_used_columns = 1024;           // columns; with more, routing node by node is faster
constexpr std::size_t most_bits = 31;                     // of a packed node: place and slot
constexpr std::int32_t most_codes = (1 << 23) - 2;        // float32 represents them exactly
constexpr bool copies_any_bits = FLT_EVAL_METHOD == 0;    // x87 registers change the bits of some NaN
constexpr std::uint32_t place_bits = (1u << 23) - 1u;

// A place as the float32 2^23 + place, whose lowest bits it is. (Small integers would be denormal numbers.)
float place(std::int32_t level) { return std::bit_cast<float>(static_cast<std::uint32_t>(level) | 0x4B000000u); }

// Sixteen rows per register: a step takes longer than that of a plain cut, so this also pays off on AMD, where gathers
// are slow (surrogates: 34 -> 27 ns per row), but not if a mitigation has made them very slow.
bool walks_wide() {
#if defined(CEIBA_HAS_WIDE)
    return base::has_fast_gathers() || (base::has_wide_registers() && __builtin_cpu_is("amd"));
#else
    return false;
#endif
}

}  // namespace

// A block of rows. The number or place of slot s in row i is values[(s << shift) + i].
struct GeneralTree::Block {
    std::unique_ptr<float[]> values;
    int shift;
    std::size_t n = 0;
    bool missing = false, rounded = false;
    bool careful = false;  // check whether numbers are rounded, because many rows were undecided
};

std::size_t GeneralTree::table_words(const UsedColumn& used) const {
    return (((static_cast<std::size_t>(used.n_levels) + 2) << entry_shift_) + 31) / 32;
}

std::uint32_t GeneralTree::slot_of(std::int32_t column) const {
    const auto at = std::find_if(used_columns_.begin(), used_columns_.end(),
                                 [&](const UsedColumn& a) { return a.column == static_cast<std::uint32_t>(column); });
    return static_cast<std::uint32_t>(at - used_columns_.begin());
}

GeneralTree::GeneralTree(const tree::RoutingArrays& arrays) {
    find_used_columns(arrays);
    set_entry_width(arrays);
    if (used_columns_.empty() || used_columns_.size() > most_used_columns || !lay_out(arrays)) *this = {};
    if (can_use_subtrees(arrays)) subtrees_ = std::make_unique<Subtrees>();
}

// A column has levels if any node splits by its levels. Numeric columns come first.
void GeneralTree::find_used_columns(const tree::RoutingArrays& arrays) {
    const auto add = [&](const tree::SplitTable& splits) {
        for (std::size_t i = 0; i < splits.size(); ++i) {
            if (splits.column[i] < 0) continue;
            const std::uint32_t column = static_cast<std::uint32_t>(splits.column[i]);
            auto at = std::find_if(used_columns_.begin(), used_columns_.end(),
                                   [&](const UsedColumn& a) { return a.column == column; });
            if (at == used_columns_.end()) at = used_columns_.insert(at, {column, false, 0});
            if (static_cast<Kind>(splits.kind[i]) != Kind::levels) continue;
            at->levels = true;
            if (splits.level_start[i] < splits.level_start[i + 1])
                at->n_levels = std::max(at->n_levels, splits.level_code[splits.level_start[i + 1] - 1] + 1);
        }
    };
    add(arrays.splits);
    add(arrays.surrogates);
    const auto first_levels = std::stable_partition(used_columns_.begin(), used_columns_.end(),
                                                    [](const UsedColumn& a) { return !a.levels; });
    n_numbers_ = static_cast<std::uint32_t>(first_levels - used_columns_.begin());
    slot_bits_ = std::bit_width(used_columns_.size());
}

// Entries are branch numbers; if a successor of some rows is not a branch, the entry with all bits set is also used.
void GeneralTree::set_entry_width(const tree::RoutingArrays& arrays) {
    std::int32_t most = 2;
    for (std::size_t i = 0; i < arrays.n_nodes(); ++i) {
        if (arrays.is_leaf(i)) continue;
        most = std::max(most, arrays.branch_start[i + 1] - arrays.branch_start[i]);
        lacks_ |= arrays.default_branch[i] < 0;
    }
    lacks_ |= !arrays.surrogates.kind.empty();
    const int bits = std::bit_width(static_cast<std::uint32_t>(most - (lacks_ ? 0 : 1)));
    entry_shift_ = std::bit_width(static_cast<std::uint32_t>(bits - 1));
    entry_mask_ = ~0u >> (32 - (1 << entry_shift_));
    for (const UsedColumn& a : used_columns_)
        if (a.levels)
            which_ = std::max(which_, table_words(a) == 1 && copies_any_bits ? Tables::in_cut
                                      : table_words(a) <= 2                  ? Tables::inside
                                                                             : Tables::outside);
}

bool GeneralTree::lay_out(const tree::RoutingArrays& arrays) {
    tables_.assign(1, 0);
    struct Open {
        std::size_t node;
        std::uint32_t place, depth;
    };
    std::vector<Open> open{{0, add_places(1), 0}};
    const bool has_surrogates = !arrays.surrogates.kind.empty();
    least_depth_ = std::numeric_limits<std::uint32_t>::max();
    while (!open.empty()) {
        const auto [node, place, depth] = open.back();
        open.pop_back();
        if (arrays.is_leaf(node)) {
            set_leaf(place, static_cast<std::int32_t>(node));
            least_depth_ = std::min(least_depth_, depth);
            continue;
        }
        const std::int32_t start = arrays.branch_start[node], n = arrays.branch_start[node + 1] - start;
        const std::uint32_t first = add_places(static_cast<std::size_t>(n));
        const std::int32_t fallback = arrays.default_branch[node];
        // Without surrogates, the branch of low numbers comes first: only the cut leads to the branches.
        const bool cut = static_cast<Kind>(arrays.splits.kind[node]) == Kind::cut;
        const std::int32_t exchanged = cut && !has_surrogates ? arrays.splits.low_branch[node] : 0;
        Targets to{first, static_cast<std::uint32_t>(n), 0, -1};
        if (fallback >= 0) {
            to.successor = first + static_cast<std::uint32_t>(fallback ^ exchanged);
        } else {
            to.successor = set_leaf(add_places(1), static_cast<std::int32_t>(node));
            least_depth_ = std::min(least_depth_, depth + 1);
        }
        if (has_surrogates)
            for (std::int32_t s = arrays.surrogate_start[node + 1]; s-- > arrays.surrogate_start[node];) {
                const std::uint32_t surrogate = add_places(1);
                if (!set_split(arrays.surrogates, static_cast<std::size_t>(s), surrogate, to)) return false;
                to.successor = surrogate;
            }
        if (!arrays.unseen_is_missing) to.unknown = arrays.majority_branch[node];
        if (static_cast<Kind>(arrays.splits.kind[node]) == Kind::intervals)
            set_intervals(
                std::span(arrays.cuts)
                    .subspan(static_cast<std::size_t>(arrays.cut_start[node]), static_cast<std::size_t>(n) - 1),
                place, slot_of(arrays.splits.column[node]), to);
        else if (!set_split(arrays.splits, node, place, to))
            return false;
        if (exchanged) nodes_[place].packed = rounded_[place].packed &= ~missing_second;
        for (std::int32_t b = n; b-- > 0;)
            open.push_back({static_cast<std::size_t>(arrays.branch_node[start + b]),
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

// Each node must send all rows to one of two branches, and its table of levels, if any, must fit a cut.
bool GeneralTree::can_use_subtrees(const tree::RoutingArrays& arrays) const {
    if (empty() || used_columns_.size() > RowRegisters::most_slots) return false;
    if (nodes_.size() >= SubtreeWalk::most_nodes) return false;
    if (!arrays.surrogates.kind.empty() || lacks_ || entry_shift_ > 0 || which_ > Tables::in_cut) return false;
    return std::none_of(arrays.splits.kind.begin(), arrays.splits.kind.end(),
                        [](std::int8_t kind) { return static_cast<Kind>(kind) == Kind::intervals; });
}

const SubtreeWalk& GeneralTree::subtrees(bool rounded) const {
    std::call_once(subtrees_->built[rounded], [&] {
        std::vector<SmallNode> nodes = rounded ? rounded_ : nodes_;
        for (std::size_t place = 0; place < nodes.size(); ++place)
            if (successor_[place] != nodes[place].packed >> slot_bits_) nodes[place].packed |= missing_second;
        const SmallTree tree{nodes.data(), slot_bits_, least_depth_, id_.data(), lost_};
        subtrees_->walk[rounded] = SubtreeWalk(tree, 0, n_numbers_);
    });
    return subtrees_->walk[rounded];
}

void GeneralTree::set_node(std::uint32_t place, double cut, std::uint32_t slot, std::uint32_t child,
                           std::uint32_t successor, bool reversed) {
    const std::uint32_t packed = (reversed ? missing_second : 0u) | (child << slot_bits_) | slot;
    nodes_[place] = {not_above(cut), packed};
    rounded_[place] = {nearest(cut), packed};
    successor_[place] = successor;
}

// A leaf is its own child: no number is above infinity, and a table of zeros leads to the first branch.
std::uint32_t GeneralTree::set_leaf(std::uint32_t place, std::int32_t id) {
    id_[place] = id;
    const bool holds_table = which_ == Tables::in_cut && n_numbers_ == 0;
    set_node(place, holds_table ? 0.0 : std::numeric_limits<double>::infinity(), 0, place, place, false);
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

// Halves the branches until two are left. An odd one is tested together with its neighbour.
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

// Returns false if there is no room for another table.
bool GeneralTree::set_table(const tree::SplitTable& splits, std::size_t split, std::uint32_t place, std::uint32_t slot,
                            const Targets& to) {
    const UsedColumn& used = used_columns_[slot];
    const std::size_t start = tables_.size(), last = static_cast<std::size_t>(used.n_levels) + 1;
    if (start + table_words(used) > most_words || used.n_levels > most_codes) return false;
    tables_.resize(start + table_words(used), 0);
    const auto set = [&](std::size_t level, std::uint32_t entry) {
        const std::size_t bit = level << entry_shift_;
        std::uint32_t& word = tables_[start + bit / 32];
        word = (word & ~(entry_mask_ << bit % 32)) | (entry & entry_mask_) << bit % 32;
    };
    // A successor that is a branch needs no lookup in the list of successors.
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
    if (which_ == Tables::in_cut) {
        nodes_[place].cut = rounded_[place].cut = std::bit_cast<float>(tables_[start]);
        tables_.resize(start);
    }
    if (which_ == Tables::inside) {
        levels_[place] = tables_[start] | (start + 1 < tables_.size() ? std::uint64_t{tables_[start + 1]} << 32 : 0u);
        tables_.resize(start);
    }
    return true;
}

bool GeneralTree::supports(const data::Table& table) const {
    return !table.sparse && std::all_of(used_columns_.begin(), used_columns_.end(), [&](const UsedColumn& a) {
        const data::Column& column = table.columns[a.column];
        return a.levels ? column.kind() == data::ColumnKind::levels : column.n_levels() <= most_codes;
    });
}

namespace {

// Whether some numbers are not those of the column, but the nearest float32.
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

#if defined(CEIBA_HAS_WIDE)
CEIBA_WIDE_BEGIN
CEIBA_WIDE void copy_levels_wide(const std::int32_t* from, std::size_t n, std::int32_t n_levels, float* to) {
    const __m512i least = _mm512_set1_epi32(-1), most = _mm512_set1_epi32(n_levels), one = _mm512_set1_epi32(1),
                  base = _mm512_castps_si512(_mm512_set1_ps(place(0)));
    for (std::size_t i = 0; i < n; i += 16) {
        const __mmask16 some = n - i >= 16 ? 0xFFFF : static_cast<__mmask16>((1u << (n - i)) - 1u);
        const __m512i code = _mm512_maskz_loadu_epi32(some, from + i);
        const __m512i level = _mm512_add_epi32(_mm512_min_epi32(_mm512_max_epi32(code, least), most), one);
        _mm512_mask_storeu_epi32(to + i, some, _mm512_or_si512(level, base));
    }
}
CEIBA_WIDE_END
#endif

// Copies levels as places: 0 for a missing value, n_levels + 1 for all levels that no node contains.
void copy_levels(const data::Column& column, std::size_t begin, std::size_t n, std::int32_t n_levels, float* to) {
    const auto copy = [&](const char* from, auto stride) {
        for (std::size_t i = 0; i < n; ++i, from += stride)
            to[i] = place(std::clamp(*reinterpret_cast<const std::int32_t*>(from), -1, n_levels) + 1);
    };
    const char* const first = column.data() + static_cast<std::ptrdiff_t>(begin) * column.stride();
    constexpr std::integral_constant<std::ptrdiff_t, sizeof(std::int32_t)> adjacent;
#if defined(CEIBA_HAS_WIDE)
    if (column.stride() == adjacent && base::has_wide_registers())
        return copy_levels_wide(reinterpret_cast<const std::int32_t*>(first), n, n_levels, to);
#endif
    column.stride() == adjacent ? copy(first, adjacent) : copy(first, column.stride());
}

}  // namespace

void GeneralTree::copy_rows(const data::Table& table, std::size_t begin, Block& block,
                            std::vector<std::size_t>& unresolved) const {
    block.missing = lacks_;
    block.rounded = false;
    for (std::size_t s = 0; s < used_columns_.size(); ++s) {
        const data::Column& column = table.columns[used_columns_[s].column];
        float* const to = block.values.get() + (s << block.shift);
        if (used_columns_[s].levels) {
            copy_levels(column, begin, block.n, used_columns_[s].n_levels, to);
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

// No branch instruction depends on the row: the results of the cut and of the table of a node are added.
template <Tables tables, bool Missing>
struct GeneralTree::Step {
    GeneralNodes tree;
    int block_shift;

    std::uint32_t operator()(std::uint32_t at, const char* row, std::uint32_t& unsure) const {
        const SmallNode node = tree.nodes[at];
        const std::uint32_t slot = node.packed & ((1u << tree.column_bits) - 1u);
        const float x = reinterpret_cast<const float*>(row)[std::size_t{slot} << block_shift];
        std::uint32_t branch = x > node.cut, lacks = x != x, packed = node.packed, equal = x == node.cut, entry = 0;
        if constexpr (tables == Tables::in_cut) {
            const std::uint32_t levels = 0u - static_cast<std::uint32_t>(slot >= tree.n_numbers);
            entry =
                (std::bit_cast<std::uint32_t>(node.cut) >> (std::bit_cast<std::uint32_t>(x) << tree.entry_shift) % 32) &
                tree.entry_mask & levels;
            branch &= ~levels;
            equal &= ~levels;
        }
        unsure |= equal;
        if constexpr (Missing) {  // only trees with surrogates have exchanged branches
            branch ^= packed >> 31;
            packed &= ~missing_second;
        }
        if constexpr (tables == Tables::inside || tables == Tables::outside) {
            const std::uint64_t levels = tree.levels[at];
            std::uint32_t bit = std::bit_cast<std::uint32_t>(x);
            if constexpr (tables == Tables::inside) {
                entry = static_cast<std::uint32_t>(levels >> (bit << tree.entry_shift) % 64) & tree.entry_mask;
            } else {
                bit = (bit & static_cast<std::uint32_t>(levels >> 32)) << tree.entry_shift;
                entry = (tree.tables[static_cast<std::uint32_t>(levels) + bit / 32] >> bit % 32) & tree.entry_mask;
            }
        }
        if constexpr (tables != Tables::none) {
            branch += entry;
            lacks |= entry == tree.lacking;
        }
        const std::uint32_t next = (packed >> tree.column_bits) + branch;
        if constexpr (Missing) return next ^ ((next ^ tree.successor[at]) & (0u - lacks));
        return next;
    }
};

// Routes the rows of a block. Rows that cannot be decided in float32 get no node (-1).
void GeneralTree::walk(const Block& block, LinePrefetch next, std::int32_t* out) const {
    const SmallNode* const nodes = block.rounded ? rounded_.data() : nodes_.data();
    const GeneralNodes tree{{nodes, slot_bits_, least_depth_, id_.data(), lost_},
                            successor_.data(),
                            levels_.data(),
                            tables_.data(),
                            which_,
                            entry_shift_,
                            entry_mask_,
                            lacks_ ? entry_mask_ : ~0u,
                            n_numbers_};
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

// Does the same as walk().
void GeneralTree::walk_subtrees(const Block& block, RowRegisters& rows, LinePrefetch next, std::int32_t* out) const {
    static_assert(RowRegisters::most_rows == 1u << 8);  // the step from column to column of the block
    rows.n = block.n;
    rows.missing = block.missing;
    for (std::size_t s = 0; s < used_columns_.size(); s += 4)
        rows.set_four_slots(s, block.values.get() + (s << block.shift));
    const SubtreeWalk& by = subtrees(block.rounded);
    if (block.rounded ? by.walk<true>(rows, next, out) : by.walk<false>(rows, next, out))
        std::replace(out, out + block.n, SubtreeWalk::undecided, -1);
}

std::size_t GeneralTree::apply(const data::Table& table, std::size_t begin, std::size_t end, std::int32_t* out,
                               std::vector<std::size_t>& unresolved) const {
    Block block;
    std::unique_ptr<RowRegisters> rows;  // of subtrees
    if (subtrees_ && end - begin >= Subtrees::least_rows && base::has_wide_registers() && !base::has_fast_gathers())
        rows = std::make_unique<RowRegisters>(used_columns_.size());
    // 256 or 32 rows, so that a block fits the L1 cache, or the L2 cache for registers.
    const std::size_t most_values = std::size_t{1} << (rows || walks_wide() ? 16 : 13);
    block.shift = used_columns_.size() << 8 <= most_values ? 8 : 5;
    const std::size_t n_rows = rows ? rows->capacity() : std::size_t{1} << block.shift;
    const std::size_t n_copied = (used_columns_.size() + 3) & ~std::size_t{3};  // four columns are transposed at once
    block.values = std::make_unique_for_overwrite<float[]>(n_copied << block.shift);
    Prefetch prefetch;
    for (const UsedColumn& a : used_columns_)
        prefetch.add(table.columns[a.column].data(), table.columns[a.column].stride());
    for (std::size_t from = begin; from < end;) {
        block.n = std::min(n_rows, end - from);
        const std::size_t n_known = unresolved.size(), after = from + block.n;
        copy_rows(table, from, block, unresolved);
        const LinePrefetch next(prefetch, after, std::min(block.n, table.n_rows - after));
        rows ? walk_subtrees(block, *rows, next, out + (from - begin)) : walk(block, next, out + (from - begin));
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
