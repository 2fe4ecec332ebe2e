#include "split/store/partition.hpp"

#include "split/store/sparse_entries.hpp"
#include "split/store/sparse_slots.hpp"

namespace ceiba::split {

namespace {

// Bins below that of the cut go left, bins above it right; only in the bin of the cut are values looked at.
void route_cut_by_bins(const NodeRows& node, const Candidate& split, Routing& routing) {
    const std::size_t c = static_cast<std::size_t>(split.column), n = node.size();
    const Binning& binning = *node.store->binning;
    const ColumnBins& bins = binning.column[c];
    const std::uint8_t* byte = node.bins() + bins.slot;
    const std::uint8_t at = bins.bin_of_cut(split.cut);
    const std::array<std::uint8_t, 256> bin = bins.bin_of_byte();
    std::array<std::uint16_t, 256> branch_of;
    for (std::size_t b = 0; b < 256; ++b) branch_of[b] = bin[b] > at;
    branch_of[missing_bin] = unplaced;
    for (std::size_t i = 0; i < n; ++i) routing.branch[i] = branch_of[byte[i * binning.stride]];
    if (binning.approximate || bins.lossless()) return;
    const std::uint32_t* const row = node.store->target.row.data() + node.begin;
    node.store->table->columns[c].with_reader([&](auto number) {
        for (std::size_t i = 0; i < n; ++i)
            if (byte[i * binning.stride] == at) routing.branch[i] = number(row[i]) <= split.cut ? 0 : 1;
    });
}

// All zeros go one way, and the other entries by their place in the order.
void route_sparse_cut(const NodeRows& node, const Candidate& split, Routing& routing) {
    const SparseColumn column = sparse_column(node, static_cast<std::size_t>(split.column));
    const std::size_t n_zeros = node.size() - column.n;
    const bool zeros_left = split.position > column.n_below;
    std::fill(routing.branch.begin(), routing.branch.end(), static_cast<std::uint16_t>(zeros_left ? 0 : 1));
    const std::size_t n_left = zeros_left ? split.position - n_zeros : split.position;
    for (std::size_t i = 0; i < column.n; ++i) routing.branch[column.entries[i].row] = i < n_left ? 0 : 1;
}

void route_slotted_cut(const NodeRows& node, const Candidate& split, Routing& routing) {
    const SparseSlots& slots = *node.store->slots;
    const std::uint32_t* const row = node.store->target.row.data() + node.begin;
    const SparseSlots::Side other = slots.without_zeros(static_cast<std::size_t>(split.column), split.cut);
    for (std::size_t i = 0; i < node.size(); ++i)
        routing.branch[i] = slots.has_any(row[i], other) == other.zeros_left ? 1 : 0;
}

void route_cut(const NodeRows& node, const Candidate& split, const Conventions& conventions, Routing& routing) {
    if (node.slotted()) return route_slotted_cut(node, split, routing);
    if (node.sparse) return route_sparse_cut(node, split, routing);
    if (node.binned()) return route_cut_by_bins(node, split, routing);
    const std::size_t c = static_cast<std::size_t>(split.column), n = node.size(), n_present = node.n_present(c);
    const Entry* entries = node.entries(c);
    for (std::size_t i = 0; i < n_present; ++i) routing.branch[entries[i].row] = i < split.position ? 0 : 1;
    if (!node.store->zero_weights) return;
    // Rows of zero weight are not in the order: look at their value. rpart's own growing and its `predict` disagree
    // about an ordered level that lies on the cut, and the tree keeps the cut of the latter.
    const bool strict =
        conventions.strict_ordered_cuts && node.store->table->columns[c].kind() == data::ColumnKind::ordered;
    for (std::size_t i = n_present; i < n; ++i) {
        const double x = node.number(c, entries[i].row);
        if (!std::isnan(x)) routing.branch[entries[i].row] = x < split.cut || (x == split.cut && !strict) ? 0 : 1;
    }
}

void route_levels(const NodeRows& node, const Candidate& split, Routing& routing) {
    const std::int32_t* codes = node.codes(static_cast<std::size_t>(split.column));
    std::vector<std::uint16_t> branch_of(static_cast<std::size_t>(split.levels.back().code) + 1, unplaced);
    for (const LevelBranch& level : split.levels)
        branch_of[static_cast<std::size_t>(level.code)] = static_cast<std::uint16_t>(level.branch);
    for (std::size_t i = 0; i < node.size(); ++i)
        if (codes[i] >= 0 && codes[i] < static_cast<std::int32_t>(branch_of.size()))
            routing.branch[i] = branch_of[static_cast<std::size_t>(codes[i])];
}

void route_presence(const NodeRows& node, const Candidate& split, Routing& routing) {
    const std::size_t c = static_cast<std::size_t>(split.column);
    for (std::size_t i = 0; i < node.size(); ++i)
        routing.branch[i] = std::isnan(node.number(c, static_cast<std::uint32_t>(i))) ? 1 : 0;
}

}  // namespace

Routing route(const NodeRows& node, const Candidate& split, const Conventions& conventions) {
    Routing routing;
    routing.n_branches = split.n_branches;
    routing.branch.assign(node.size(), unplaced);
    if (split.kind == Kind::cut) route_cut(node, split, conventions, routing);
    if (split.kind == Kind::levels) route_levels(node, split, routing);
    if (split.kind == Kind::presence) route_presence(node, split, routing);
    if (split.learned_missing)
        std::replace(routing.branch.begin(), routing.branch.end(), unplaced,
                     static_cast<std::uint16_t>(split.missing_branch));
    return routing;
}

void let_absent_levels_stay(const NodeRows& node, const Candidate& split, Routing& routing) {
    if (split.kind != Kind::levels) return;
    const std::int32_t* codes = node.codes(static_cast<std::size_t>(split.column));
    for (std::size_t i = 0; i < node.size(); ++i)
        if (routing.branch[i] == unplaced && codes[i] >= 0)
            routing.branch[i] = static_cast<std::uint16_t>(routing.n_branches);
}

bool part_alike(const Routing& a, const Routing& b) {
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

BranchLoad load(const NodeRows& node, const Routing& routing) {
    const std::size_t n_branches = static_cast<std::size_t>(routing.n_branches);
    const data::TargetRows& target = node.store->target;
    BranchLoad out;
    out.rows.assign(n_branches, 0);
    if (n_branches == 2 && target.weight.empty() && target.case_weight.empty()) {
        for (std::uint16_t b = 0; b < 2; ++b)
            out.rows[b] = static_cast<std::size_t>(std::count(routing.branch.begin(), routing.branch.end(), b));
        out.weight = {static_cast<double>(out.rows[0]), static_cast<double>(out.rows[1])};
        return out;
    }
    std::vector<base::WeightSum> weight(n_branches);
    for (std::size_t i = 0; i < node.size(); ++i) {
        const std::size_t b = routing.branch[i];
        if (b >= n_branches) continue;
        weight[b].add(target.case_weight_of(node.begin + i));
        ++out.rows[b];
    }
    for (const base::WeightSum& of_branch : weight) out.weight.push_back(of_branch.value());
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

Places places_of(const Routing& routing) {
    const std::size_t n = routing.branch.size(), n_groups = static_cast<std::size_t>(routing.n_branches) + 1;
    Places p;
    p.start.assign(n_groups + 1, 0);
    if (const std::size_t left = std::count(routing.branch.begin(), routing.branch.end(), 0);
        routing.n_branches == 2 &&
        left + static_cast<std::size_t>(std::count(routing.branch.begin(), routing.branch.end(), 1)) == n) {
        // By far the commonest case, with the places in registers.
        p.start = {0, static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n)};
        p.place.resize(n);
        std::uint32_t next_left = 0, next_right = p.start[1];
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t right = routing.branch[i];
            p.place[i] = right ? next_right : next_left;
            next_left += 1 - right;
            next_right += right;
        }
        return p;
    }
    for (std::uint16_t b : routing.branch) ++p.start[b + 1];
    for (std::size_t g = 0; g < n_groups; ++g) p.start[g + 1] += p.start[g];
    std::vector<std::uint32_t> cursor(p.start.begin(), p.start.end() - 1);
    p.place.resize(n);
    for (std::size_t i = 0; i < n; ++i) p.place[i] = cursor[routing.branch[i]]++;
    return p;
}

template <class T>
void permute(std::vector<T>& values, std::size_t begin, const std::vector<std::uint32_t>& place) {
    if (values.empty()) return;
    // Most nodes are small, and asking for memory would take longer than moving their rows.
    constexpr std::size_t few = 1024;
    std::array<T, few> room;
    std::vector<T> more(place.size() > few ? place.size() : 0);
    T *const moved = more.empty() ? room.data() : more.data(), *const stretch = values.data() + begin;
    for (std::size_t i = 0; i < place.size(); ++i) moved[place[i]] = stretch[i];
    std::copy(moved, moved + place.size(), stretch);
}

void move_target(data::TargetRows& target, std::size_t begin, const std::vector<std::uint32_t>& place,
                 base::ThreadPool* pool) {
    std::vector<std::function<void()>> moves;  // for the threads to share
    const auto move = [&](auto& values) {
        if (pool)
            moves.push_back([&values, begin, &place] { permute(values, begin, place); });
        else
            permute(values, begin, place);
    };
    move(target.row);
    move(target.weight);
    move(target.case_weight);
    for (auto& labels : target.labels) move(labels);
    for (auto& numbers : target.numbers) move(numbers);
    if (pool) pool->run(moves.size(), [&](std::size_t i, int) { moves[i](); });
}

// Bytes of a row in words of four; known numbers of words are copied without a loop.
template <std::size_t Words>
void copy_rows(const std::uint8_t* from, std::uint8_t* to, const std::uint32_t* place, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        std::memcpy(to + std::size_t{place[i]} * Words * 4, from + i * Words * 4, Words * 4);
}

void copy_rows(const std::uint8_t* from, std::uint8_t* to, const std::uint32_t* place, std::size_t n,
               std::size_t stride) {
    switch (stride / 4) {
        case 1:
            return copy_rows<1>(from, to, place, n);
        case 2:
            return copy_rows<2>(from, to, place, n);
        case 3:
            return copy_rows<3>(from, to, place, n);
        case 4:
            return copy_rows<4>(from, to, place, n);
        case 5:
            return copy_rows<5>(from, to, place, n);
        case 6:
            return copy_rows<6>(from, to, place, n);
        case 7:
            return copy_rows<7>(from, to, place, n);
        case 8:
            return copy_rows<8>(from, to, place, n);
        default:
            for (std::size_t i = 0; i < n; ++i)
                std::memcpy(to + std::size_t{place[i]} * stride, from + i * stride, stride);
    }
}

// The bytes of the node's rows go to the other array: what is read and what is written stays in sequence.
void move_bins(const NodeRows& node, const std::vector<std::uint32_t>& place, base::ThreadPool* pool) {
    const std::size_t stride = node.store->binning->stride, n = node.size();
    std::uint8_t* const to = node.store->bins[static_cast<std::size_t>(1 - node.side)].data() + node.begin * stride;
    const std::uint8_t* const from = node.bins();
    constexpr std::size_t block = 1 << 14;
    const auto move = [&](std::size_t b, int) {
        const std::size_t first = b * block, rows = std::min(n - first, block);
        copy_rows(from + first * stride, to, place.data() + first, rows, stride);
    };
    const std::size_t n_blocks = (n + block - 1) / block;
    if (pool)
        pool->run(n_blocks, move);
    else
        for (std::size_t b = 0; b < n_blocks; ++b) move(b, 0);
}

// Two branches and nobody stays, by far the commonest case: the left half moves in place, the right half through
// `spare`; no branch instruction depends on the data.
void part_in_two(Entry* entries, std::size_t n, std::size_t n_present, const Places& p, std::vector<Entry>& spare,
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

void part_in_many(Entry* entries, std::size_t n, std::size_t n_present, const Places& p, const Routing& routing,
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
    places = places_of(routing);
    move_target(node.store->target, node.begin, places.place, pool);
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
    const std::size_t n = node.size(), n_columns = store.codes.size(), n_branches = branches.size();
    const bool in_two = n_branches == 2 && p.start[2] == n;
    std::vector<std::uint32_t> present(n_columns * n_branches, 0);
    std::vector<std::vector<Entry>> spare(pool ? static_cast<std::size_t>(pool->size()) : 1);
    const auto part = [&](std::size_t i, int thread) {
        const std::size_t c = node.live ? (*node.live)[i] : i;
        std::uint32_t* const present_of = present.data() + c * n_branches;
        if (!store.codes[c].empty()) {
            permute(store.codes[c], node.begin, p.place);
            const std::int32_t* codes = node.codes(c);
            for (std::size_t b = 0; b < n_branches; ++b)
                present_of[b] = static_cast<std::uint32_t>(
                    std::count_if(codes + p.start[b], codes + p.start[b + 1], [](auto k) { return k >= 0; }));
        } else if (store.binned()) {
            return;
        } else if (in_two) {
            part_in_two(store.sorted[c].data() + node.begin, n, node.n_present(c), p,
                        spare[static_cast<std::size_t>(thread)], present_of);
        } else {
            part_in_many(store.sorted[c].data() + node.begin, n, node.n_present(c), p, routing,
                         spare[static_cast<std::size_t>(thread)], present_of);
        }
    };
    const std::size_t n_live = node.live ? node.live->size() : n_columns;
    if (pool)
        pool->run(n_live, part);
    else
        for (std::size_t i = 0; i < n_live; ++i) part(i, 0);
    if (store.binned()) move_bins(node, p.place, pool);
    if (node.present.empty()) return;
    for (std::size_t b = 0; b < n_branches; ++b) {
        if (!branches[b].searched) continue;
        std::vector<std::uint32_t>& of_branch = branches[b].rows->present;
        of_branch.resize(n_columns);
        for (std::size_t c = 0; c < n_columns; ++c) of_branch[c] = present[c * n_branches + b];
    }
}

}  // namespace ceiba::split
