#include "shards/best_first.hpp"

namespace ceiba::shards {

namespace {

// A node of the heap. `order` is its position in the order of creation.
struct Waiting {
    base::DoubleDouble gain;
    std::int32_t order, node;
};

bool worse(const Waiting& a, const Waiting& b) { return a.gain < b.gain || (!(b.gain < a.gain) && a.order > b.order); }

}  // namespace

std::vector<char> split_best_first(const grow::Builder& nodes, const FoundSplits& splits, int max_leaf_nodes) {
    const auto split_of = [&](std::int32_t node) -> const split::Candidate* {
        if (const auto& node_split = nodes[node].node_split) return &node_split->split;
        const auto at = splits.find(node);
        return at == splits.end() ? nullptr : at->second;
    };
    std::vector<char> marked(nodes.size(), 0);
    std::vector<Waiting> heap;
    std::int32_t order = 0;
    int leaves = 1;
    const auto offer = [&](std::int32_t node) {
        const split::Candidate* const split = split_of(node);
        const std::int32_t place = order++;
        if (!split) return;
        heap.push_back({split->gain, place, node});
        std::push_heap(heap.begin(), heap.end(), worse);
    };
    offer(0);
    while (!heap.empty() && leaves < max_leaf_nodes) {
        std::pop_heap(heap.begin(), heap.end(), worse);
        const std::int32_t node = heap.back().node;
        heap.pop_back();
        const int n_branches = split_of(node)->n_branches;
        if (leaves + n_branches - 1 > max_leaf_nodes) continue;
        leaves += n_branches - 1;
        marked[node] = 1;
        const grow::NodeRecord& record = nodes[node];
        if (!record.node_split) {
            order += n_branches;
            continue;
        }
        for (std::int32_t b = 0; b < record.n_children; ++b) offer(record.first_child + b);
    }
    return marked;
}

void keep_splits(grow::Builder& nodes, const std::vector<char>& marked) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (i < marked.size() && marked[i]) continue;
        nodes[i].node_split.reset();
        nodes[i].first_child = -1;
        nodes[i].n_children = 0;
    }
}

void splice(grow::Builder& nodes, std::int32_t node, grow::Builder grown) {
    const auto moved = static_cast<std::int32_t>(nodes.size()) - 1;  // node k > 0 of the subtree becomes k + moved
    for (grow::NodeRecord& record : grown)
        if (record.first_child >= 0) record.first_child += moved;
    nodes[node] = std::move(grown[0]);
    for (std::size_t k = 1; k < grown.size(); ++k) nodes.push_back(std::move(grown[k]));
}

}  // namespace ceiba::shards
