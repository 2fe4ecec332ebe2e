// Two answers to the same round as one. Associative and commutative: any tree of merges gives the same bytes.
#pragma once

#include <span>

#include "shards/message.hpp"

namespace ceiba::shards {

Words merge(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

}  // namespace ceiba::shards
