// The order of a few scores.
#pragma once

#include <cstdint>
#include <vector>

namespace ceiba::base {

// Positions by ascending score; equal scores keep their order.
std::vector<std::uint32_t> ascending(const std::vector<double>& score);

}  // namespace ceiba::base
