#include "split/search_options.hpp"

namespace ceiba::split {

std::shared_ptr<const PathColumns> path_below(std::shared_ptr<const PathColumns> path, int column,
                                              std::size_t n_columns, const SearchOptions& options) {
    if (options.max_interaction == 0 && options.interactions.empty()) return nullptr;
    PathColumns below;
    if (path) below.used = path->used;
    if (column >= 0) {
        if (std::binary_search(below.used.begin(), below.used.end(), column)) return path;
        below.used.push_back(column);
    }
    std::sort(below.used.begin(), below.used.end());
    const auto allow = [&](const std::vector<int>& columns) {
        below.allowed.resize(n_columns, 0);
        for (const int c : columns) below.allowed[static_cast<std::size_t>(c)] = 1;
    };
    if (options.max_interaction > 0) {
        if (below.used.size() >= static_cast<std::size_t>(options.max_interaction)) allow(below.used);
    } else {
        allow({});
        for (const std::vector<int>& group : options.interactions)
            if (std::includes(group.begin(), group.end(), below.used.begin(), below.used.end())) allow(group);
    }
    return std::make_shared<const PathColumns>(std::move(below));
}

}  // namespace ceiba::split
