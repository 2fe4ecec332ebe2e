// Arrays whose elements are not set when they are made: what is written once by all threads need not be zeroed by one,
// and the memory is first touched by the thread that fills it.
#pragma once

#include "base/standard.hpp"

namespace ceiba::base {

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
};

template <class T>
using Buffer = std::vector<T, LeaveUnset<T>>;

}  // namespace ceiba::base
