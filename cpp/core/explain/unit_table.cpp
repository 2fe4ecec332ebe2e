#include "explain/unit_table.hpp"

#include <algorithm>

namespace ceiba::explain {

namespace {

struct Step {
    std::size_t question;  // among those of the unit
    std::size_t place;     // the child that leads to the leaf
    std::uint32_t bit;     // of the column among those of the leaf
    bool is_new;
};

struct UnitLeaf {
    std::size_t node;
    std::vector<Step> steps;            // below the unit's root
    std::vector<std::size_t> slot_of;   // slots of the leaf among those of the unit
    std::vector<double> slots;          // masks x slots
};

std::vector<Step> steps_to(const GameTree& tree, const Unit& unit, std::size_t leaf) {
    std::vector<Step> steps;
    for (std::size_t g = leaf; g != unit.root;) {
        const std::size_t above = static_cast<std::size_t>(tree.parent[g]);
        const auto at = std::find_if(unit.questions.begin(), unit.questions.end(),
                                     [above](const Unit::Question& q) { return q.node == above; });
        steps.push_back({static_cast<std::size_t>(at - unit.questions.begin()), static_cast<std::size_t>(tree.place[g]),
                         tree.bit[above], tree.is_new(above)});
        g = above;
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

std::vector<std::size_t> slots_within(const std::vector<std::int32_t>& mine, const std::vector<std::int32_t>& all,
                                      bool interactions) {
    std::vector<std::size_t> place, out;
    for (const std::int32_t column : mine)
        place.push_back(static_cast<std::size_t>(std::find(all.begin(), all.end(), column) - all.begin()));
    if (!interactions) return place;
    for (std::size_t i = 0; i < mine.size(); ++i)
        for (std::size_t j = i; j < mine.size(); ++j)
            out.push_back(pair_slot(std::min(place[i], place[j]), std::max(place[i], place[j]), all.size()));
    return out;
}

// Which columns of the leaf agree, for a row with this code.
std::size_t mask_of(const UnitLeaf& leaf, const Unit& unit, const GameTree& tree, std::size_t code, std::size_t bits) {
    std::size_t mask = code & (bits - 1);
    for (const Step& step : leaf.steps) {
        const Unit::Question& q = unit.questions[step.question];
        const bool agrees = code / q.stride % tree.n_children(q.node) == step.place;
        const std::size_t one = std::size_t{1} << step.bit;
        if (step.is_new)
            mask |= agrees ? one : 0;
        else if (!agrees)
            mask &= ~one;
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
            out.push_back(static_cast<std::uint32_t>(static_cast<std::size_t>(low) * n_columns +
                                                     static_cast<std::size_t>(high)));
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
            unit.questions.push_back({g, static_cast<std::uint32_t>(n_codes)});
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
        const double* const value = values.of_node + static_cast<std::size_t>(tree.asked[g]) * width;
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
