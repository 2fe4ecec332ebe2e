// Arrays whose elements are not initialized. Threads fill them together, so that no thread sets them to zero before,
// and each page is first touched by the thread that fills it.
//
// Large arrays use pages of 2 MB instead of 4 KB if the system has them. With small pages, one thread needs 5 ms to
// touch 40 MB for the first time, and another 5 ms to free it.
#pragma once

#include "base/standard.hpp"
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace ceiba::base {

constexpr std::size_t huge_page = std::size_t{1} << 21;

template <class T>
struct LeaveUnset : std::allocator<T> {
    template <class U>
    struct rebind {
        using other = LeaveUnset<U>;
    };
    template <class U>
    void construct(U* at) noexcept {
        ::new (static_cast<void*>(at)) U;
    }
    template <class U, class... Args>
    void construct(U* at, Args&&... args) {
        ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
    }
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    T* allocate(std::size_t n) {
        if (!is_large(n)) return std::allocator<T>::allocate(n);
        void* const memory = ::operator new(n * sizeof(T), std::align_val_t{huge_page});
        madvise(memory, n * sizeof(T) / huge_page * huge_page, MADV_HUGEPAGE);
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t n) {
        if (!is_large(n)) return std::allocator<T>::deallocate(memory, n);
        ::operator delete(memory, std::align_val_t{huge_page});
    }

private:
    static bool is_large(std::size_t n) { return n >= huge_page / sizeof(T) && n <= PTRDIFF_MAX / sizeof(T); }
#endif
};

template <class T>
using Buffer = std::vector<T, LeaveUnset<T>>;

}  // namespace ceiba::base
