#include "base/ascending.hpp"

#include <algorithm>
#include <numeric>

namespace ceiba::base {

std::vector<std::uint32_t> ascending(const std::vector<double>& score) {
    std::vector<std::uint32_t> order(score.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return score[a] < score[b]; });
    return order;
}

}  // namespace ceiba::base
