
#include "base/shared_buffer.hpp"
#include "split/store/sparse_entries.hpp"
#include "split/store/sparse_slots.hpp"
#include "split/store/wide_partition.hpp"

namespace ceiba::split {

namespace {

// The rows in branch 0 and in branch 1 among the rows [from, to).
std::array<std::uint32_t, 2> count_both(const Routing& routing, std::size_t from, std::size_t to) {
    const std::uint16_t* const branch = routing.branch.data();
    std::uint32_t left = 0, right = 0;
    for (std::size_t i = from; i < to; ++i) left += branch[i] == 0, right += branch[i] == 1;
    return {left, right};
}

std::array<std::uint32_t, 2> add_blocks(const Routing& routing) {
    std::array<std::uint32_t, 2> sum{};
    for (const auto& [left, right] : routing.n_rows) sum[0] += left, sum[1] += right;
    return sum;
}

void route_integers(const NodeRows& node, const SmallIntegers& integers, double cut, std::uint16_t without_value,
                    base::ThreadPool* pool, Routing& routing) {
    const std::uint8_t* const integer = node.bins() + integers.offset;
    const std::size_t stride = node.store->binning->stride;
    const auto last_left = static_cast<std::int32_t>(std::clamp(std::floor(cut - integers.low), -1.0, 0x1p16));
    std::uint16_t* const branch = routing.branch.data();
    routing.n_rows.resize(base::n_blocks(node.size()));
    base::for_blocks(pool, node.size(), [&](std::size_t block, std::size_t from, std::size_t to, int) {
        for (std::size_t i = from; i < to; ++i) {
            const std::uint16_t x = SmallIntegers::read(integer + i * stride);
            const std::uint16_t side = x > last_left;
            branch[i] = x == SmallIntegers::missing ? without_value : side;
        }
        routing.n_rows[block] = count_both(routing, from, to);
    });
}

// Bins below that of the cut go left, bins above it right; values are read only in the bin of the cut.
void route_cut_by_bins(const NodeRows& node, const Candidate& split, std::uint16_t without_value,
                       base::ThreadPool* pool, Routing& routing) {
    const std::size_t c = static_cast<std::size_t>(split.column);
    const Binning& binning = *node.store->binning;
    const ColumnBins& bins = binning.column[c];
    const std::uint8_t* const byte = node.bins() + bins.slot;
    const std::uint8_t at = bins.bin_of_cut(split.cut);
    const std::array<std::uint8_t, 256> bin = bins.bin_of_byte();
    std::array<std::uint16_t, 256> branch_of;
    for (std::size_t b = 0; b < 256; ++b) branch_of[b] = bin[b] > at;
    branch_of[missing_bin] = without_value;
    if (bins.integers) return route_integers(node, *bins.integers, split.cut, without_value, pool, routing);
    const bool by_value = !binning.approximate && !bins.lossless();
    const std::uint32_t* const row = node.target().row.data() + node.begin;
    std::uint16_t* const branch = routing.branch.data();
    routing.n_rows.resize(base::n_blocks(node.size()));
    node.store->table->columns[c].with_reader([&](auto number) {
        base::for_blocks(pool, node.size(), [&](std::size_t block, std::size_t from, std::size_t to, int) {
            for (std::size_t i = from; i < to; ++i) branch[i] = branch_of[byte[i * binning.stride]];
            for (std::size_t i = from; by_value && i < to; ++i)
                if (byte[i * binning.stride] == at) branch[i] = number(row[i]) <= split.cut ? 0 : 1;
            routing.n_rows[block] = count_both(routing, from, to);
        });
    });
}

// All zeros go the same way; the other entries are routed by their position in the order.
void route_sparse_cut(const NodeRows& node, const Candidate& split, Routing& routing) {
    const SparseColumn column = sparse_column(node, static_cast<std::size_t>(split.column));
    const std::size_t n_zeros = node.size() - column.n;
    const bool zeros_left = split.position > column.n_below;
    std::fill(routing.branch.begin(), routing.branch.end(), static_cast<std::uint16_t>(zeros_left ? 0 : 1));
    const std::size_t n_left = zeros_left ? split.position - n_zeros : split.position;
    for (std::size_t i = 0; i < column.n; ++i) routing.branch[column.entries[i].row] = i < n_left ? 0 : 1;
}

void route_slotted_cut(const NodeRows& node, const Candidate& split, base::ThreadPool* pool, Routing& routing) {
    const SparseSlots& slots = *node.store->slots;
    const std::uint32_t* const row = node.target().row.data() + node.begin;
    const SparseSlots::Side other = slots.without_zeros(static_cast<std::size_t>(split.column), split.cut);
    base::for_blocks(pool, node.size(), [&](std::size_t, std::size_t from, std::size_t to, int) {
        for (std::size_t i = from; i < to; ++i)
            routing.branch[i] = slots.has_any(row[i], other) == other.zeros_left ? 1 : 0;
    });
}

void route_sorted_cut(const NodeRows& node, const Candidate& split, const Conventions& conventions,
                      std::uint16_t without_value, base::ThreadPool* pool, Routing& routing) {
    const std::size_t c = static_cast<std::size_t>(split.column), n = node.size(), n_present = node.n_present(c);
    const Entry* const entries = node.entries(c);
    base::for_blocks(pool, n, [&](std::size_t, std::size_t from, std::size_t to, int) {
        for (std::size_t i = from; i < to; ++i)
            routing.branch[entries[i].row] = i < split.position ? 0 : i < n_present ? 1 : without_value;
    });
    if (!node.store->zero_weights) return;
    // Rows of zero weight are not in the order, so they are routed by value. For an ordered level equal to the cut,
    // growing and `predict` differ in rpart; the tree stores the cut of `predict`.
    const bool strict =
        conventions.strict_ordered_cuts && node.store->table->columns[c].kind() == data::ColumnKind::ordered;
    for (std::size_t i = n_present; i < n; ++i) {
        const double x = node.number(c, entries[i].row);
        if (!std::isnan(x)) routing.branch[entries[i].row] = x < split.cut || (x == split.cut && !strict) ? 0 : 1;
    }
}

void route_levels(const NodeRows& node, const Candidate& split, std::uint16_t without_value, base::ThreadPool* pool,
                  Routing& routing) {
    const std::int32_t* const codes = node.codes(static_cast<std::size_t>(split.column));
    std::vector<std::uint16_t> branch_of(static_cast<std::size_t>(split.levels.back().code) + 1, without_value);
    for (const LevelBranch& level : split.levels) branch_of[level.code] = static_cast<std::uint16_t>(level.branch);
    routing.n_rows.resize(split.n_branches == 2 ? base::n_blocks(node.size()) : 0);
    base::for_blocks(pool, node.size(), [&](std::size_t block, std::size_t from, std::size_t to, int) {
        for (std::size_t i = from; i < to; ++i)
            routing.branch[i] = codes[i] >= 0 && codes[i] < static_cast<std::int32_t>(branch_of.size())
                                    ? branch_of[codes[i]]
                                    : without_value;
        if (!routing.n_rows.empty()) routing.n_rows[block] = count_both(routing, from, to);
    });
}

void route_presence(const NodeRows& node, const Candidate& split, base::ThreadPool* pool, Routing& routing) {
    const std::size_t c = static_cast<std::size_t>(split.column);
    base::for_blocks(pool, node.size(), [&](std::size_t, std::size_t from, std::size_t to, int) {
        for (std::size_t i = from; i < to; ++i)
            routing.branch[i] = std::isnan(node.number(c, static_cast<std::uint32_t>(i))) ? 1 : 0;
    });
}

}  // namespace

Routing route(const NodeRows& node, const Candidate& split, const Conventions& conventions, base::ThreadPool* pool,
              Routing routing) {
    const std::uint16_t without_value =
        split.learned_missing ? static_cast<std::uint16_t>(split.missing_branch) : unplaced;
    routing.n_branches = split.n_branches;
    base::resize(routing.branch, node.size(), pool);
    routing.n_rows.clear();
    if (split.kind == Kind::levels)
        route_levels(node, split, without_value, pool, routing);
    else if (split.kind == Kind::presence)
        route_presence(node, split, pool, routing);
    else if (node.slotted())
        route_slotted_cut(node, split, pool, routing);
    else if (node.sparse)
        route_sparse_cut(node, split, routing);
    else if (node.binned())
        route_cut_by_bins(node, split, without_value, pool, routing);
    else
        route_sorted_cut(node, split, conventions, without_value, pool, routing);
    if (const auto [left, right] = add_blocks(routing); left + right != node.size()) routing.n_rows.clear();
    return routing;
}

void let_absent_levels_stay(const NodeRows& node, const Candidate& split, Routing& routing) {
    if (split.kind != Kind::levels) return;
    const std::int32_t* codes = node.codes(static_cast<std::size_t>(split.column));
    for (std::size_t i = 0; i < node.size(); ++i)
        if (routing.branch[i] == unplaced && codes[i] >= 0)
            routing.branch[i] = static_cast<std::uint16_t>(routing.n_branches);
}

bool same_partition(const Routing& a, const Routing& b) {
    int mirrored = -1;  // not known yet
    for (std::size_t i = 0; i < a.branch.size(); ++i) {
        const bool placed = a.branch[i] < 2;
        if (placed != (b.branch[i] < 2)) return false;
        if (!placed) continue;
        const int differs = a.branch[i] != b.branch[i];
        if (mirrored >= 0 && differs != mirrored) return false;
        mirrored = differs;
    }
    return true;
}

BranchLoad load(const NodeRows& node, const Routing& routing, base::ThreadPool* pool) {
    const std::size_t n_branches = static_cast<std::size_t>(routing.n_branches);
    const data::TargetRows& target = node.target();
    const bool counted = target.weight.empty() && target.case_weight.empty();
    if (counted && !routing.n_rows.empty()) {
        const auto [left, right] = add_blocks(routing);
        return {{static_cast<double>(left), static_cast<double>(right)}, true};
    }
    struct Branch {
        base::WeightSum weight;
        std::size_t rows = 0;
    };
    // One more for rows on no branch.
    const auto sum = base::merge_blocks(
        pool, node.size(), std::vector<Branch>(n_branches + 1),
        [&](std::vector<Branch>& part, std::size_t from, std::size_t to) {
            if (counted && n_branches == 2) {
                const auto [left, right] = count_both(routing, from, to);
                part[0].rows = left, part[1].rows = right, part[2].rows = to - from - left - right;
                return;
            }
            for (std::size_t i = from; i < to; ++i) {
                Branch& branch = part[std::min<std::size_t>(routing.branch[i], n_branches)];
                ++branch.rows;
                if (!counted) branch.weight.add(target.case_weight_of(node.begin + i));
            }
        },
        [](std::vector<Branch>& all, const std::vector<Branch>& more) {
            for (std::size_t b = 0; b < all.size(); ++b) all[b].rows += more[b].rows, all[b].weight.add(more[b].weight);
        });
    BranchLoad out;
    for (std::size_t b = 0; b < n_branches; ++b)
        out.weight.push_back(counted ? static_cast<double>(sum[b].rows) : sum[b].weight.value());
    out.all_placed = sum[n_branches].rows == 0;
    return out;
}

int heaviest(const BranchLoad& load, Tie tie) {
    const auto& weight = load.weight;
    const double most = *std::max_element(weight.begin(), weight.end());
    if (tie == Tie::none && std::count(weight.begin(), weight.end(), most) > 1) return -1;
    if (tie == Tie::last) return static_cast<int>(weight.rend() - std::find(weight.rbegin(), weight.rend(), most)) - 1;
    return static_cast<int>(std::find(weight.begin(), weight.end(), most) - weight.begin());
}

namespace {

// The start of the rows of each group (the branches, then those that stay), in each block and in the node.
std::vector<std::uint32_t> count_groups(const Routing& routing, base::ThreadPool* pool,
                                        std::vector<std::uint32_t>& start) {
    const std::size_t n = routing.branch.size(), n_groups = static_cast<std::size_t>(routing.n_branches) + 1;
    std::vector<std::uint32_t> first(base::n_blocks(n) * n_groups, 0);
    const auto count_block = [&](std::size_t block, std::size_t from, std::size_t to, int) {
        std::uint32_t* const count = first.data() + block * n_groups;
        if (n_groups > 3) {
            for (std::size_t i = from; i < to; ++i) ++count[routing.branch[i]];
            return;
        }
        const auto [left, right] = count_both(routing, from, to);
        count[0] = left, count[1] = right, count[2] = static_cast<std::uint32_t>(to - from) - left - right;
    };
    if (routing.n_rows.empty()) base::for_blocks(pool, n, count_block);
    for (std::size_t b = 0; b < routing.n_rows.size(); ++b)
        std::copy_n(routing.n_rows[b].begin(), 2, first.data() + 3 * b);
    start.assign(n_groups + 1, 0);
    for (std::size_t g = 0; g < n_groups; ++g) {
        std::uint32_t next = start[g];
        for (std::size_t at = g; at < first.size(); at += n_groups) next += std::exchange(first[at], next);
        start[g + 1] = next;
    }
    return first;
}

// Copies the rows [from, to) of a node to their places on the other side.
template <class T>
void move_rows(const T* source, T* target, const std::uint32_t* place, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) target[place[i]] = source[i];
}

// Copies the bytes of rows in words of four; a constant number of words is copied without a loop.
template <std::size_t Words>
void copy_rows(const std::uint8_t* from, std::uint8_t* to, const std::uint32_t* place, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        std::memcpy(to + std::size_t{place[i]} * Words * 4, from + i * Words * 4, Words * 4);
}

template <std::size_t... Less>
bool copy_known(const std::uint8_t* from, std::uint8_t* to, const std::uint32_t* place, std::size_t n,
                std::size_t words, std::index_sequence<Less...>) {
    return ((words == Less + 1 && (copy_rows<Less + 1>(from, to, place, n), true)) || ...);
}

void copy_rows(const std::uint8_t* from, std::uint8_t* to, const std::uint32_t* place, std::size_t n,
               std::size_t stride) {
    if (copy_known(from, to, place, n, stride / 4, std::make_index_sequence<16>{})) return;
    for (std::size_t i = 0; i < n; ++i) std::memcpy(to + std::size_t{place[i]} * stride, from + i * stride, stride);
}

// Two branches and no row stays, which is by far the most common case: the left half moves in place, the right half
// through `spare`. No branch instruction depends on the data.
void partition_in_two(Entry* entries, std::size_t n, std::size_t n_present, const Places& p, std::vector<Entry>& spare,
                      std::uint32_t* present_of) {
    const std::uint32_t n_left = p.start[1];
    spare.resize(n - n_left + 1);
    std::size_t left = 0, right = 0;
    const auto move = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            const Entry e = entries[i];
            const std::uint32_t place = p.place[e.row];
            const bool goes_right = place >= n_left;
            entries[left] = {e.rank, place};
            spare[right] = {e.rank, place - n_left};
            left += !goes_right;
            right += goes_right;
        }
    };
    move(0, n_present);
    present_of[0] = static_cast<std::uint32_t>(left);
    present_of[1] = static_cast<std::uint32_t>(right);
    move(n_present, n);
    std::copy(spare.begin(), spare.begin() + static_cast<std::ptrdiff_t>(right), entries + n_left);
}

void partition_in_many(Entry* entries, std::size_t n, std::size_t n_present, const Places& p, const Routing& routing,
                       std::vector<Entry>& spare, std::uint32_t* present_of) {
    spare.resize(n);
    std::vector<std::uint32_t> cursor(p.start.begin(), p.start.end() - 1);
    const auto move = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            const Entry e = entries[i];
            const std::uint16_t b = routing.branch[e.row];
            spare[cursor[b]++] = {e.rank, p.place[e.row] - p.start[b]};
        }
    };
    move(0, n_present);
    for (int b = 0; b < routing.n_branches; ++b) present_of[b] = cursor[b] - p.start[b];
    move(n_present, n);
    std::copy(spare.begin(), spare.end(), entries);
}

}  // namespace

std::vector<NodeRows> partition(const NodeRows& node, const Routing& routing, Places& places, base::ThreadPool* pool) {
    const std::size_t n = node.size(), n_groups = static_cast<std::size_t>(routing.n_branches) + 1;
    std::vector<std::uint32_t> first = count_groups(routing, pool, places.start);
    base::resize(places.place, n, pool);
    std::uint32_t* const place = places.place.data();
    const bool in_two = n_groups == 3 && places.start[2] == n;
    const data::TargetRows& source = node.target();
    data::TargetRows& target = node.store->target[1 - node.side];
    const bool wide = base::has_wide_registers(), one_label = source.labels.size() == 1;
    base::for_blocks(pool, n, [&](std::size_t block, std::size_t from, std::size_t to, int) {
        std::uint32_t* const next = first.data() + block * n_groups;
        std::size_t done = from;  // the rows, and the labels of a single target, that were moved
        if (in_two) {             // by far the most common case, with the places in registers
            RowsInTwo rows{routing.branch.data() + from, to - from, next[0], next[1], place + from,
                           source.row.data() + node.begin + from, target.row.data() + node.begin, nullptr, nullptr};
            if (one_label) {
                rows.label = source.labels[0].data() + node.begin + from;
                rows.label_to = target.labels[0].data() + node.begin;
            }
            if (wide) done += partition_wide(rows);
            std::uint32_t left = rows.left, right = rows.right;
            for (std::size_t i = done; i < to; ++i) {
                const std::uint32_t goes_right = routing.branch[i];
                // Selects left or right. GCC would compile ?: to a branch that is mispredicted for every other row.
                place[i] = left ^ ((left ^ right) & (0u - goes_right));
                left += 1 - goes_right;
                right += goes_right;
            }
        } else {
            for (std::size_t i = from; i < to; ++i) place[i] = next[routing.branch[i]]++;
        }
        const auto move = [&](const auto& here, auto& there, std::size_t begin) {
            if (!here.empty()) move_rows(here.data() + node.begin, there.data() + node.begin, place, begin, to);
        };
        move(source.row, target.row, done);
        move(source.weight, target.weight, from);
        move(source.case_weight, target.case_weight, from);
        move(source.event_rank, target.event_rank, from);
        for (std::size_t o = 0; o < source.labels.size(); ++o)
            move(source.labels[o], target.labels[o], one_label ? done : from);
        for (std::size_t o = 0; o < source.numbers.size(); ++o) move(source.numbers[o], target.numbers[o], from);
    });
    std::vector<NodeRows> children(static_cast<std::size_t>(routing.n_branches));
    for (std::size_t b = 0; b < children.size(); ++b) {
        children[b].store = node.store;
        children[b].begin = node.begin + places.start[b];
        children[b].end = node.begin + places.start[b + 1];
        children[b].side = 1 - node.side;
        children[b].live = node.live;
    }
    return children;
}

void move_columns(const NodeRows& node, const Routing& routing, const Places& p,
                  const std::vector<BranchRows>& branches, base::ThreadPool* pool) {
    RowStore& store = *node.store;
    const std::size_t n = node.size(), n_columns = store.n_columns(), n_branches = branches.size();
    const std::size_t n_threads = pool ? static_cast<std::size_t>(pool->size()) : 1, n_counts = n_columns * n_branches;
    std::vector<std::uint32_t> present(n_threads * n_counts, 0);  // per thread, column and branch
    const LiveColumns live(node);
    const std::vector<std::size_t> levels = level_columns(node);
    // Arrays in row order are copied to the other side ...
    const int there = 1 - node.side;
    const std::size_t stride = store.binned() ? store.binning->stride : 0;
    const std::uint32_t* const place = p.place.data();
    if (stride > 0 || !levels.empty())
        base::for_blocks(pool, n, [&](std::size_t, std::size_t from, std::size_t to, int thread) {
            if (stride > 0)
                copy_rows(node.bins() + from * stride, store.bins[there].data() + node.begin * stride, place + from,
                          to - from, stride);
            for (const std::size_t c : levels) {
                move_rows(node.codes(c), store.codes_of(c, there) + node.begin, place, from, to);
                if (node.present.empty() || node.n_present(c) == n) continue;
                std::uint32_t* const count =
                    present.data() + static_cast<std::size_t>(thread) * n_counts + c * n_branches;
                const std::int32_t* const codes = node.codes(c);
                const std::uint16_t* const branch = routing.branch.data();
                if (n_branches > 2) {
                    for (std::size_t i = from; i < to; ++i)
                        if (branch[i] < n_branches) count[branch[i]] += codes[i] >= 0;
                    continue;
                }
                // Counts are in registers: in memory each would wait for the previous one (adult: 18.3 ms -> 16.4).
                std::uint32_t left = 0, right = 0;
                for (std::size_t i = from; i < to; ++i) {
                    const std::uint32_t there = codes[i] >= 0;
                    left += there & static_cast<std::uint32_t>(branch[i] == 0);
                    right += there & static_cast<std::uint32_t>(branch[i] == 1);
                }
                count[0] += left, count[1] += right;
            }
        });
    for (const std::size_t c : levels)
        for (std::size_t b = 0; b < n_branches && !node.present.empty() && node.n_present(c) == n; ++b)
            present[c * n_branches + b] = p.start[b + 1] - p.start[b];
    // ... and sorted columns are partitioned in place.
    const bool in_two = n_branches == 2 && p.start[2] == n;
    std::vector<std::vector<Entry>> spare(n_threads);
    base::run(pool, store.binned() ? 0 : live.size(), 0, [&](std::size_t i, int thread) {
        const std::size_t c = live[i];
        if (store.has_levels(c)) return;
        Entry* const entries = store.sorted[c].data() + node.begin;
        std::vector<Entry>& room = spare[thread];
        if (in_two)
            partition_in_two(entries, n, node.n_present(c), p, room, present.data() + c * n_branches);
        else
            partition_in_many(entries, n, node.n_present(c), p, routing, room, present.data() + c * n_branches);
    });
    if (node.present.empty()) return;
    for (std::size_t b = 0; b < n_branches; ++b) {
        if (!branches[b].searched) continue;
        std::vector<std::uint32_t>& of_branch = branches[b].rows->present;
        of_branch.assign(n_columns, 0);
        for (std::size_t t = 0; t < n_threads; ++t)
            for (std::size_t c = 0; c < n_columns; ++c) of_branch[c] += present[t * n_counts + c * n_branches + b];
    }
}

}  // namespace ceiba::split
