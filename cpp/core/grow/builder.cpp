#include "grow/builder.hpp"

namespace ceiba::grow {

namespace {

double per_weight(const split::Candidate& c, const NodeRecord& node) {
    return node.search_weight > 0.0 ? c.gain.value() / node.search_weight : 0.0;
}

void append(tree::TreeArrays& out, const NodeRecord& node, std::int32_t parent) {
    out.parent.push_back(parent);
    out.n_rows.push_back(node.n_rows);
    out.weight.push_back(node.weight);
    out.impurity.push_back(node.impurity);
    out.value.insert(out.value.end(), node.value.begin(), node.value.end());
    static const Question none;
    const Question& asked = node.question ? *node.question : none;
    const split::Candidate& s = asked.split;
    out.splits.push(s.kind, s.column, s.cut, 0, s.levels);
    out.gain.push_back(node.question ? per_weight(s, node) : 0.0);
    out.default_branch.push_back(asked.default_branch);
    out.sent_default.push_back(asked.sent_default);
    for (const split::Surrogate& r : asked.surrogates) {
        out.surrogates.push(r.kind, r.column, r.cut, r.low_branch, r.levels);
        out.agreement.push_back(r.agreement);
        out.adjusted.push_back(r.adjusted);
        out.surrogate_sent.push_back(r.sent);
    }
    for (const split::Candidate& c : asked.competitors) {
        out.competitors.push(c.kind, c.column, c.cut, 0, c.levels);
        out.competitor_gain.push_back(per_weight(c, node));
    }
    out.surrogate_start.push_back(static_cast<std::int32_t>(out.surrogates.size()));
    out.competitor_start.push_back(static_cast<std::int32_t>(out.competitors.size()));
}

// A finished tree without runners-up, as the branch of `parent`.
void append(tree::TreeArrays& out, const tree::TreeArrays& part, std::int32_t parent) {
    const std::int32_t first = static_cast<std::int32_t>(out.parent.size());
    const auto join = [](auto& all, const auto& more) { all.insert(all.end(), more.begin(), more.end()); };
    for (std::int32_t p : part.parent) out.parent.push_back(p < 0 ? parent : p + first);
    join(out.n_rows, part.n_rows);
    join(out.weight, part.weight);
    join(out.impurity, part.impurity);
    join(out.value, part.value);
    join(out.sent_default, part.sent_default);
    join(out.splits.kind, part.splits.kind);
    join(out.splits.column, part.splits.column);
    join(out.splits.cut, part.splits.cut);
    join(out.splits.low_branch, part.splits.low_branch);
    const std::int64_t first_level = out.splits.level_start.back();
    for (std::size_t s = 1; s < part.splits.level_start.size(); ++s)
        out.splits.level_start.push_back(first_level + part.splits.level_start[s]);
    join(out.splits.level_code, part.splits.level_code);
    join(out.splits.level_branch, part.splits.level_branch);
    out.splits.level_start.resize(out.splits.size() + 1, out.splits.level_start.back());
    join(out.limited, part.limited);
    join(out.gain, part.gain);
    join(out.default_branch, part.default_branch);
    out.surrogate_start.resize(out.parent.size() + 1, out.surrogate_start.back());
    out.competitor_start.resize(out.parent.size() + 1, out.competitor_start.back());
}

}  // namespace

tree::TreeArrays assemble(const std::deque<Builder>& builders, bool limited) {
    struct Visit {
        std::int32_t builder, node, parent;
    };
    tree::TreeArrays out;
    std::vector<Visit> stack{{0, 0, -1}};
    while (!stack.empty()) {
        Visit v = stack.back();
        stack.pop_back();
        if (builders[static_cast<std::size_t>(v.builder)][static_cast<std::size_t>(v.node)].graft >= 0)
            v = {builders[static_cast<std::size_t>(v.builder)][static_cast<std::size_t>(v.node)].graft, 0, v.parent};
        const NodeRecord& node = builders[static_cast<std::size_t>(v.builder)][static_cast<std::size_t>(v.node)];
        if (node.grown) {
            append(out, *node.grown, v.parent);
            continue;
        }
        const std::int32_t id = static_cast<std::int32_t>(out.parent.size());
        append(out, node, v.parent);
        if (limited) out.limited.push_back(node.limited);
        for (std::int32_t b = node.n_children; b-- > 0;) stack.push_back({v.builder, node.first_child + b, id});
    }
    link_branches(out);
    return out;
}

void link_branches(tree::TreeArrays& out) {
    const std::size_t n = out.parent.size();
    out.branch_start.assign(n + 1, 0);
    for (std::size_t i = 1; i < n; ++i) ++out.branch_start[static_cast<std::size_t>(out.parent[i]) + 1];
    for (std::size_t i = 0; i < n; ++i) out.branch_start[i + 1] += out.branch_start[i];
    std::vector<std::int32_t> cursor(out.branch_start.begin(), out.branch_start.end() - 1);
    out.branch_node.resize(n - 1);
    for (std::size_t i = 1; i < n; ++i)
        out.branch_node[static_cast<std::size_t>(cursor[static_cast<std::size_t>(out.parent[i])]++)] =
            static_cast<std::int32_t>(i);
}

}  // namespace ceiba::grow
