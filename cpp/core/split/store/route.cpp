#include "split/store/route.hpp"

#include <algorithm>
#include <cmath>

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

void route_cut(const NodeRows& node, const Candidate& split, bool like_rpart, Routing& routing) {
    if (node.slotted()) return route_slotted_cut(node, split, routing);
    if (node.sparse) return route_sparse_cut(node, split, routing);
    if (node.binned()) return route_cut_by_bins(node, split, routing);
    const std::size_t c = static_cast<std::size_t>(split.column), n = node.size(), n_present = node.n_present(c);
    const Entry* entries = node.entries(c);
    for (std::size_t i = 0; i < n_present; ++i) routing.branch[entries[i].row] = i < split.position ? 0 : 1;
    if (!node.store->zero_weights) return;
    // Rows of zero weight are not in the order: look at their value. On an ordered column rpart's own growing and its
    // `predict` disagree about a level that lies on the cut, and the tree keeps the cut of the latter.
    const bool strict = like_rpart && node.store->table->columns[c].kind() == data::ColumnKind::ordered;
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

Routing route(const NodeRows& node, const Candidate& split, bool like_rpart) {
    Routing routing;
    routing.n_branches = split.n_branches;
    routing.branch.assign(node.size(), unplaced);
    if (split.kind == Kind::cut) route_cut(node, split, like_rpart, routing);
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

}  // namespace ceiba::split
