#include "explain/game_tree.hpp"

namespace ceiba::explain {

namespace {

constexpr std::uint64_t far_too_many = std::uint64_t{1} << 31;  // a product of two such numbers does not overflow

std::uint64_t limited_product(std::uint64_t a, std::uint64_t b) { return std::min(far_too_many, a * b); }

struct Open {
    std::int32_t node;  // node of the grown tree, which also has the value
    std::int32_t parent, place;
    double cold;
    bool stays;  // this is the leaf of rows that stay in the node
};

// The number of different columns above each node, and the position of the node's column among them.
void count_columns(GameTree& tree) {
    tree.n_above.assign(tree.size(), 0);
    tree.bit.assign(tree.size(), 0);
    std::int32_t n_columns = 0;
    for (const std::int32_t c : tree.column) n_columns = std::max(n_columns, c + 1);
    constexpr std::uint32_t absent = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> position(static_cast<std::size_t>(n_columns), absent);
    std::vector<std::size_t> open;  // inner nodes on the path, the root first
    for (std::size_t g = 0; g < tree.size(); ++g) {
        while (!open.empty() && tree.end[open.back()] <= g) {
            const std::size_t left = open.back();
            if (tree.is_new(left)) position[tree.column[left]] = absent;
            open.pop_back();
        }
        if (!open.empty()) tree.n_above[g] = tree.n_above[open.back()] + (tree.is_new(open.back()) ? 1 : 0);
        if (tree.is_leaf(g)) continue;
        std::uint32_t& at = position[tree.column[g]];
        tree.bit[g] = at == absent ? at = tree.n_above[g] : at;
        open.push_back(g);
    }
}

}  // namespace

GameTree game_tree(const tree::RoutingArrays& arrays, const double* share) {
    GameTree out;
    std::vector<std::vector<std::int32_t>> children;
    std::vector<Open> open{{0, -1, 0, 1.0, false}};
    while (!open.empty()) {
        const Open now = open.back();
        open.pop_back();
        const std::size_t node = static_cast<std::size_t>(now.node);
        const std::int32_t g = static_cast<std::int32_t>(out.size());
        const bool leaf = now.stays || arrays.is_leaf(node);
        out.source.push_back(now.node);
        out.column.push_back(leaf ? -1 : arrays.splits.column[node]);
        out.cold.push_back(now.cold);
        out.parent.push_back(now.parent);
        out.place.push_back(now.place);
        children.emplace_back();
        if (now.parent >= 0) children[now.parent].push_back(g);
        if (leaf) continue;
        const std::int32_t first = arrays.branch_start[node], n = arrays.branch_start[node + 1] - first;
        const bool may_stay = arrays.default_branch[node] < 0 && arrays.branch_share.empty() &&
                              static_cast<tree::Kind>(arrays.splits.kind[node]) != tree::Kind::presence;
        if (may_stay) open.push_back({now.node, g, n, 0.0, true});
        for (std::int32_t b = n; b-- > 0;) {
            const std::size_t at = static_cast<std::size_t>(first + b);
            open.push_back({arrays.branch_node[at], g, b, share[at], false});
        }
    }
    out.child_start.push_back(0);
    for (const auto& branches : children) {
        out.child.insert(out.child.end(), branches.begin(), branches.end());
        out.child_start.push_back(out.child.size());
    }
    out.end.resize(out.size());
    for (std::size_t g = out.size(); g-- > 0;) out.end[g] = children[g].empty() ? g + 1 : out.end[children[g].back()];
    count_columns(out);
    return out;
}

PathColumns path_columns(const GameTree& tree, std::size_t node) {
    PathColumns out;
    out.column.resize(tree.n_above[node]);
    out.cold.assign(tree.n_above[node], 1.0);
    for (std::size_t g = node; g != 0;) {
        const std::size_t above = static_cast<std::size_t>(tree.parent[g]);
        out.column[tree.bit[above]] = tree.column[above];
        out.cold[tree.bit[above]] *= tree.cold[g];
        g = above;
    }
    return out;
}

Cover cover(const GameTree& tree, std::size_t most_codes, std::size_t most_leaf_codes) {
    const std::size_t n = tree.size();
    const auto bits = [&](std::size_t g) { return std::uint64_t{1} << std::min<std::uint32_t>(tree.n_above[g], 31); };
    std::vector<std::uint64_t> outcomes(n, 1);  // number of combined outcomes of the splits in each subtree
    for (std::size_t g = n; g-- > 0;) {
        if (!tree.is_leaf(g)) outcomes[g] = limited_product(outcomes[g], tree.n_children(g));
        if (g == 0) break;
        std::uint64_t& above = outcomes[tree.parent[g]];
        above = limited_product(above, outcomes[g]);
    }
    Cover out{{}, std::vector<std::uint8_t>(n, 0), std::vector<std::uint8_t>(n, 0)};
    for (std::size_t g = 0; g < n;) {
        const bool fits = outcomes[g] <= most_codes && bits(g) * outcomes[g] <= most_codes;
        if (fits || (tree.is_leaf(g) && bits(g) <= most_leaf_codes)) {
            out.units.push_back(static_cast<std::int32_t>(g));
            out.leads_to[g] = 1;
            g = tree.end[g];
            continue;
        }
        if (tree.is_leaf(g)) out.uncovered[g] = 1;
        ++g;
    }
    for (std::size_t g = n; g-- > 1;) {
        const std::size_t above = static_cast<std::size_t>(tree.parent[g]);
        out.leads_to[above] |= out.leads_to[g];
        out.uncovered[above] |= out.uncovered[g];
    }
    return out;
}

namespace {

struct Step {
    std::size_t split;     // index among the splits of the unit
    std::size_t place;     // the child that leads to the leaf
    std::uint32_t bit;     // bit of the column in the masks of the leaf
    bool is_new;
};

struct UnitLeaf {
    std::size_t node;
    std::vector<Step> steps;           // splits below the unit's root
    std::vector<std::size_t> slot_of;  // index of each slot of the leaf among those of the unit
    std::vector<double> slots;         // masks x slots
};

std::vector<Step> steps_to(const GameTree& tree, const Unit& unit, std::size_t leaf) {
    std::vector<Step> steps;
    for (std::size_t g = leaf; g != unit.root;) {
        const std::size_t above = static_cast<std::size_t>(tree.parent[g]);
        const auto at = std::find_if(unit.splits.begin(), unit.splits.end(),
                                     [above](const Unit::Split& q) { return q.node == above; });
        steps.push_back({static_cast<std::size_t>(at - unit.splits.begin()), static_cast<std::size_t>(tree.place[g]),
                         tree.bit[above], tree.is_new(above)});
        g = above;
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

std::vector<std::size_t> slots_within(const std::vector<std::int32_t>& subset, const std::vector<std::int32_t>& all,
                                      bool interactions) {
    std::vector<std::size_t> place, out;
    for (const std::int32_t column : subset)
        place.push_back(static_cast<std::size_t>(std::find(all.begin(), all.end(), column) - all.begin()));
    if (!interactions) return place;
    for (std::size_t i = 0; i < subset.size(); ++i)
        for (std::size_t j = i; j < subset.size(); ++j)
            out.push_back(pair_slot(std::min(place[i], place[j]), std::max(place[i], place[j]), all.size()));
    return out;
}

// The mask of columns on the leaf's path that agree with a row of this code.
std::size_t mask_of(const UnitLeaf& leaf, const Unit& unit, const GameTree& tree, std::size_t code, std::size_t bits) {
    std::size_t mask = code & (bits - 1);
    for (const Step& step : leaf.steps) {
        const Unit::Split& q = unit.splits[step.split];
        const bool agrees = code / q.stride % tree.n_children(q.node) == step.place;
        const std::size_t flag = std::size_t{1} << step.bit;
        if (step.is_new)
            mask |= agrees ? flag : 0;
        else if (!agrees)
            mask &= ~flag;
    }
    return mask;
}

}  // namespace

std::vector<std::uint32_t> slot_targets(const std::vector<std::int32_t>& columns, std::size_t n_columns,
                                        bool interactions) {
    std::vector<std::uint32_t> out;
    if (!interactions) {
        out.assign(columns.begin(), columns.end());
        return out;
    }
    for (std::size_t i = 0; i < columns.size(); ++i)
        for (std::size_t j = i; j < columns.size(); ++j) {
            const auto [low, high] = std::minmax(columns[i], columns[j]);
            out.push_back(
                static_cast<std::uint32_t>(static_cast<std::size_t>(low) * n_columns + static_cast<std::size_t>(high)));
        }
    return out;
}

Unit unit_table(const GameTree& tree, std::size_t root, std::size_t n_columns, bool interactions, const Values& values,
                const LeafTable& leaf_table) {
    Unit unit;
    unit.root = root;
    std::vector<std::int32_t> columns = path_columns(tree, root).column;
    const std::size_t bits = std::size_t{1} << columns.size();
    std::size_t n_codes = bits;
    for (std::size_t g = root; g < tree.end[root]; ++g)
        if (!tree.is_leaf(g)) {
            unit.splits.push_back({g, static_cast<std::uint32_t>(n_codes)});
            n_codes *= tree.n_children(g);
            if (std::find(columns.begin(), columns.end(), tree.column[g]) == columns.end())
                columns.push_back(tree.column[g]);
        }
    unit.target = slot_targets(columns, n_columns, interactions);
    const std::size_t n_slots = unit.target.size(), width = values.width;
    unit.table.assign(n_codes * n_slots * width, 0.0);
    for (std::size_t g = root; g < tree.end[root]; ++g) {
        if (!tree.is_leaf(g)) continue;
        const PathColumns path = path_columns(tree, g);
        UnitLeaf leaf{g, steps_to(tree, unit, g), slots_within(path.column, columns, interactions), {}};
        leaf_table(g, path, leaf.slots);
        const double* const value = values.at(tree.source[g]);
        for (std::size_t code = 0; code < n_codes; ++code) {
            const double* const from = leaf.slots.data() + mask_of(leaf, unit, tree, code, bits) * leaf.slot_of.size();
            double* const to = unit.table.data() + code * n_slots * width;
            for (std::size_t s = 0; s < leaf.slot_of.size(); ++s)
                for (std::size_t w = 0; w < width; ++w) to[leaf.slot_of[s] * width + w] += from[s] * value[w];
        }
    }
    return unit;
}

}  // namespace ceiba::explain
