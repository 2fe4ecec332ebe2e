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
    static const NodeSplit none;
    const NodeSplit& node_split = node.node_split ? *node.node_split : none;
    const split::Candidate& s = node_split.split;
    out.splits.push(s.kind, s.column, s.cut, 0, s.levels);
    out.gain.push_back(node.node_split ? per_weight(s, node) : 0.0);
    out.default_branch.push_back(node_split.default_branch);
    out.sent_default.push_back(node_split.sent_default);
    for (const split::Surrogate& r : node_split.surrogates) {
        out.surrogates.push(r.kind, r.column, r.cut, r.low_branch, r.levels);
        out.agreement.push_back(r.agreement);
        out.adjusted.push_back(r.adjusted);
        out.surrogate_sent.push_back(r.sent);
    }
    for (const split::Candidate& c : node_split.competitors) {
        out.competitors.push(c.kind, c.column, c.cut, 0, c.levels);
        out.competitor_gain.push_back(per_weight(c, node));
    }
    out.surrogate_start.push_back(static_cast<std::int32_t>(out.surrogates.size()));
    out.competitor_start.push_back(static_cast<std::int32_t>(out.competitors.size()));
}

// Appends a finished tree without competitors as a branch of `parent`.
void append(tree::TreeArrays& out, const tree::TreeArrays& part, std::int32_t parent) {
    const std::int32_t first = static_cast<std::int32_t>(out.parent.size());
    for (std::int32_t p : part.parent) out.parent.push_back(p < 0 ? parent : p + first);
    const auto join = [](auto& all, const auto& more, auto... members) {
        (((all.*members).insert((all.*members).end(), (more.*members).begin(), (more.*members).end())), ...);
    };
    using T = tree::TreeArrays;
    using S = tree::SplitTable;
    join(out, part, &T::n_rows, &T::weight, &T::impurity, &T::value, &T::sent_default, &T::limited, &T::gain,
         &T::default_branch);
    join(out.splits, part.splits, &S::kind, &S::column, &S::cut, &S::low_branch, &S::level_code, &S::level_branch);
    const std::int64_t first_level = out.splits.level_start.back();
    for (std::size_t s = 1; s < part.splits.level_start.size(); ++s)
        out.splits.level_start.push_back(first_level + part.splits.level_start[s]);
    out.splits.level_start.resize(out.splits.size() + 1, out.splits.level_start.back());
    out.surrogate_start.resize(out.parent.size() + 1, out.surrogate_start.back());
    out.competitor_start.resize(out.parent.size() + 1, out.competitor_start.back());
}

}  // namespace

void reserve(tree::TreeArrays& out, std::size_t n_nodes, std::size_t n_values) {
    const auto room = [n_nodes](auto&... arrays) { (arrays.reserve(n_nodes), ...); };
    room(out.parent, out.n_rows, out.weight, out.impurity, out.gain, out.sent_default, out.default_branch);
    room(out.splits.kind, out.splits.column, out.splits.cut, out.splits.low_branch, out.splits.level_start);
    room(out.surrogate_start, out.competitor_start);
    out.value.reserve(n_nodes * n_values);
}

tree::TreeArrays assemble(const std::deque<Builder>& builders, bool limited) {
    struct Visit {
        std::int32_t builder, node, parent;
    };
    tree::TreeArrays out;
    std::size_t n_nodes = 0;
    for (const Builder& builder : builders)
        for (const NodeRecord& node : builder) n_nodes += node.grown ? node.grown->parent.size() : 1;
    reserve(out, n_nodes, builders[0][0].value.size());
    std::vector<Visit> stack{{0, 0, -1}};
    while (!stack.empty()) {
        Visit v = stack.back();
        stack.pop_back();
        if (builders[v.builder][v.node].graft >= 0) v = {builders[v.builder][v.node].graft, 0, v.parent};
        const NodeRecord& node = builders[v.builder][v.node];
        if (node.grown) {
            append(out, *node.grown, v.parent);
            continue;
        }
        const std::int32_t id = static_cast<std::int32_t>(out.parent.size());
        append(out, node, v.parent);
        if (limited) out.limited.push_back(node.limited);
        for (std::int32_t b = node.n_children; b-- > 0;) stack.push_back({v.builder, node.first_child + b, id});
    }
    tree::link_branches(out);
    return out;
}

}  // namespace ceiba::grow
