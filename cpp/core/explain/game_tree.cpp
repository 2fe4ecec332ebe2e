#include "explain/game_tree.hpp"

#include <algorithm>

namespace ceiba::explain {

namespace {

constexpr std::size_t far_too_many = std::size_t{1} << 31;  // two of them still multiply

std::size_t limited_product(std::size_t a, std::size_t b) { return std::min(far_too_many, a * b); }

struct Open {
    std::int32_t node;  // of the tree; its value too
    std::int32_t parent, place;
    double cold;
    bool stays;  // the leaf of those who stay in the node
};

// How many different columns stand above each node, and where the node's own stands among them.
void count_columns(GameTree& tree) {
    tree.n_above.assign(tree.size(), 0);
    tree.bit.assign(tree.size(), 0);
    std::int32_t n_columns = 0;
    for (const std::int32_t c : tree.column) n_columns = std::max(n_columns, c + 1);
    constexpr std::uint32_t absent = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> position(static_cast<std::size_t>(n_columns), absent);
    std::vector<std::size_t> open;  // inner nodes above, the root first
    for (std::size_t g = 0; g < tree.size(); ++g) {
        while (!open.empty() && tree.end[open.back()] <= g) {
            const std::size_t left = open.back();
            if (tree.is_new(left)) position[static_cast<std::size_t>(tree.column[left])] = absent;
            open.pop_back();
        }
        if (!open.empty()) tree.n_above[g] = tree.n_above[open.back()] + (tree.is_new(open.back()) ? 1 : 0);
        if (tree.is_leaf(g)) continue;
        std::uint32_t& at = position[static_cast<std::size_t>(tree.column[g])];
        tree.bit[g] = at == absent ? at = tree.n_above[g] : at;
        open.push_back(g);
    }
}

}  // namespace

GameTree game_tree(const tree::Questions& questions, const double* share) {
    GameTree out;
    std::vector<std::vector<std::int32_t>> children;
    std::vector<Open> open{{0, -1, 0, 1.0, false}};
    while (!open.empty()) {
        const Open now = open.back();
        open.pop_back();
        const std::size_t node = static_cast<std::size_t>(now.node);
        const std::int32_t g = static_cast<std::int32_t>(out.size());
        const bool leaf = now.stays || questions.is_leaf(node);
        out.asked.push_back(now.node);
        out.column.push_back(leaf ? -1 : questions.splits.column[node]);
        out.cold.push_back(now.cold);
        out.parent.push_back(now.parent);
        out.place.push_back(now.place);
        children.emplace_back();
        if (now.parent >= 0) children[static_cast<std::size_t>(now.parent)].push_back(g);
        if (leaf) continue;
        const std::int32_t first = questions.branch_start[node], n = questions.branch_start[node + 1] - first;
        const bool may_stay = questions.default_branch[node] < 0 && questions.branch_share.empty() &&
                              static_cast<split::Kind>(questions.splits.kind[node]) != split::Kind::presence;
        if (may_stay) open.push_back({now.node, g, n, 0.0, true});
        for (std::int32_t b = n; b-- > 0;) {
            const std::size_t at = static_cast<std::size_t>(first + b);
            open.push_back({questions.branch_node[at], g, b, share[at], false});
        }
    }
    out.child_start.push_back(0);
    for (const auto& mine : children) {
        out.child.insert(out.child.end(), mine.begin(), mine.end());
        out.child_start.push_back(out.child.size());
    }
    out.end.resize(out.size());
    for (std::size_t g = out.size(); g-- > 0;)
        out.end[g] = children[g].empty() ? g + 1 : out.end[static_cast<std::size_t>(children[g].back())];
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
    const auto bits = [&](std::size_t g) { return std::size_t{1} << std::min<std::size_t>(tree.n_above[g], 31); };
    std::vector<std::size_t> outcomes(n, 1);  // of the questions of each subtree
    for (std::size_t g = n; g-- > 0;) {
        if (!tree.is_leaf(g)) outcomes[g] = limited_product(outcomes[g], tree.n_children(g));
        if (g == 0) break;
        std::size_t& above = outcomes[static_cast<std::size_t>(tree.parent[g])];
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

}  // namespace ceiba::explain
