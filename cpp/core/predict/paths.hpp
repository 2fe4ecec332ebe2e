// The nodes on the paths of rows, from the root to the last node, as compressed rows.
#pragma once

#include "base/standard.hpp"

namespace ceiba::predict {

template <class Index>
struct Paths {
    std::vector<Index> start, node;
};

// Nodes are in pre-order: parent[i] < i.
inline std::vector<std::int32_t> node_depths(std::span<const std::int32_t> parent) {
    std::vector<std::int32_t> depth(parent.size(), 0);
    for (std::size_t i = 1; i < parent.size(); ++i) depth[i] = depth[parent[i]] + 1;
    return depth;
}

template <class Index>
Paths<Index> paths_to(std::span<const std::int32_t> parent, std::span<const std::int32_t> depth,
                      std::span<const std::int32_t> end) {
    Paths<Index> out;
    out.start.resize(end.size() + 1);
    for (std::size_t i = 0; i < end.size(); ++i) out.start[i + 1] = out.start[i] + depth[end[i]] + 1;
    out.node.resize(static_cast<std::size_t>(out.start.back()));
    for (std::size_t i = 0; i < end.size(); ++i) {
        std::size_t at = static_cast<std::size_t>(out.start[i + 1]);
        for (std::int32_t node = end[i]; node >= 0; node = parent[node]) out.node[--at] = static_cast<Index>(node);
    }
    return out;
}

}  // namespace ceiba::predict
