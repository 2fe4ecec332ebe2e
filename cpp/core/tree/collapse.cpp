#include "tree/collapse.hpp"

namespace ceiba::tree {

void link_branches(TreeArrays& out) {
    const std::size_t n = out.parent.size();
    out.branch_start.assign(n + 1, 0);
    for (std::size_t i = 1; i < n; ++i) ++out.branch_start[static_cast<std::size_t>(out.parent[i]) + 1];
    for (std::size_t i = 0; i < n; ++i) out.branch_start[i + 1] += out.branch_start[i];
    std::vector<std::int32_t> cursor(out.branch_start.begin(), out.branch_start.end() - 1);
    out.branch_node.resize(n - 1);
    for (std::size_t i = 1; i < n; ++i) out.branch_node[cursor[out.parent[i]]++] = static_cast<std::int32_t>(i);
}

TreeArrays collapse(const TreeArrays& tree, std::span<const bool> chosen) {
    constexpr std::int32_t dropped = -1;
    const std::size_t n = tree.n_nodes(), width = tree.value.size() / n;
    TreeArrays out;
    std::vector<std::int32_t> new_id(n, dropped);
    for (std::size_t i = 0; i < n; ++i) {
        const bool root = tree.parent[i] < 0;
        const std::size_t above = root ? 0 : static_cast<std::size_t>(tree.parent[i]);
        if (!root && (new_id[above] == dropped || chosen[above])) continue;
        new_id[i] = static_cast<std::int32_t>(out.parent.size());
        out.parent.push_back(root ? -1 : new_id[above]);
        out.n_rows.push_back(tree.n_rows[i]);
        out.weight.push_back(tree.weight[i]);
        out.impurity.push_back(tree.impurity[i]);
        const auto value = tree.value.begin() + static_cast<std::ptrdiff_t>(i * width);
        out.value.insert(out.value.end(), value, value + static_cast<std::ptrdiff_t>(width));
        if (!tree.limited.empty()) out.limited.push_back(tree.limited[i]);
        if (chosen[i]) {
            out.splits.push(Kind::none, -1, 0.0, 0, {});
            if (!tree.splits.digits.empty()) out.splits.digits.push_back(0);
        } else {
            out.splits.push(tree.splits, i);
            for (std::int32_t s = tree.surrogate_start[i]; s < tree.surrogate_start[i + 1]; ++s) {
                out.surrogates.push(tree.surrogates, static_cast<std::size_t>(s));
                out.agreement.push_back(tree.agreement[s]);
                out.adjusted.push_back(tree.adjusted[s]);
                out.surrogate_sent.push_back(tree.surrogate_sent[s]);
            }
            for (std::int32_t s = tree.competitor_start[i]; s < tree.competitor_start[i + 1]; ++s) {
                out.competitors.push(tree.competitors, static_cast<std::size_t>(s));
                out.competitor_gain.push_back(tree.competitor_gain[s]);
            }
        }
        out.default_branch.push_back(chosen[i] ? -1 : tree.default_branch[i]);
        out.gain.push_back(chosen[i] ? 0.0 : tree.gain[i]);
        out.sent_default.push_back(chosen[i] ? 0 : tree.sent_default[i]);
        out.surrogate_start.push_back(static_cast<std::int32_t>(out.surrogates.size()));
        out.competitor_start.push_back(static_cast<std::int32_t>(out.competitors.size()));
    }
    link_branches(out);
    return out;
}

}  // namespace ceiba::tree
