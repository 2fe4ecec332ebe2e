// Pages of 2 MB instead of 4 KB for large arrays: of 40 MB, small pages cost one thread 5 ms to give back, and as much
// to have again.
#pragma once

#include "base/standard.hpp"
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace ceiba::base {

// Asks the system for huge pages, where it has any, inside an array that was not touched yet.
template <class Array>
void use_huge_pages([[maybe_unused]] Array& array) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
    const auto begin = reinterpret_cast<std::uintptr_t>(array.data());
    const std::uintptr_t first = (begin + page - 1) / page * page,
                         last = (begin + array.size() * sizeof(*array.data())) / page * page;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

}  // namespace ceiba::base
