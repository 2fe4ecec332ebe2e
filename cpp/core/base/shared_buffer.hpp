// Arrays that all threads fill together.
#pragma once

#include "base/buffer.hpp"
#include "base/thread_pool.hpp"

namespace ceiba::base {

// Resizes an array. The system sets a page to zero when it is first touched. Threads that fill an array together reach
// the same huge page at the same time, and each of them would set it to zero. Therefore one thread touches each page
// before.
template <class T>
void resize(Buffer<T>& array, std::size_t n, ThreadPool* pool) {
    const bool grows = n > array.capacity();
    array.resize(n);
    constexpr std::size_t in_page = huge_page / sizeof(T);
    if (!grows || !pool || pool->size() == 1 || n < in_page) return;
    pool->run((n + in_page - 1) / in_page, [&](std::size_t page, int) { array[page * in_page] = T{}; });
}

}  // namespace ceiba::base
