// An emulator of CUDA without a GPU: kernels are compiled as C++ and run block by block. The threads of a block are
// fibers that switch at barriers and votes; shared memory is poisoned before each block. It is slow and deterministic,
// for tests with small tables. It cannot detect races, unlike compute-sanitizer (make gpu-test).
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __shared__ static
#define SHARED_ARRAY(T, name) T* const name = reinterpret_cast<T*>(emulator::shared.data())

struct Index {
    unsigned x = 1, y = 1;
};
inline Index threadIdx, blockIdx, blockDim, gridDim;

namespace emulator {

struct Fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    bool done = true;
};
constexpr std::size_t stack_bytes = 65536;
constexpr unsigned max_threads = 64;  // two warps: kernels use blockDim as the stride
inline std::vector<Fiber> fibers(max_threads);
inline ucontext_t home;
inline std::vector<std::uint64_t> shared;
inline std::function<void()> body;
inline unsigned now = 0, alive = 0, arrived = 0;
inline unsigned long generation = 0;
struct Warp {
    unsigned arrived = 0, generation = 0, votes[2] = {0, 0};
};
inline Warp warps[max_threads / 32];

// Switches to the next fiber that has not ended, or to the main context if there is none.
inline void switch_fiber() {
    const unsigned n = blockDim.x, from = now;
    for (unsigned k = 1; k <= n; ++k) {
        const unsigned i = (from + k) % n;
        if (fibers[i].done) continue;
        if (i == from) return;
        now = i;
        threadIdx.x = i;
        swapcontext(&fibers[from].context, &fibers[i].context);
        return;
    }
    swapcontext(&fibers[from].context, &home);
}
inline void enter() {
    body();
    fibers[now].done = true;
    --alive;
    if (alive > 0 && arrived == alive) arrived = 0, ++generation;  // threads that have ended count as arrived
    switch_fiber();
}
inline void barrier() {
    const unsigned long arrival = generation;
    if (++arrived == alive) {
        arrived = 0;
        ++generation;
        return;
    }
    while (generation == arrival) switch_fiber();
}
inline unsigned ballot(bool vote) {  // requires all 32 lanes
    Warp& warp = warps[now / 32];
    const unsigned arrival = warp.generation, slot = arrival & 1;
    if (warp.arrived == 0) warp.votes[slot] = 0;
    warp.votes[slot] |= static_cast<unsigned>(vote) << now % 32;
    if (++warp.arrived == 32) {
        warp.arrived = 0;
        ++warp.generation;
    } else
        while (warp.generation == arrival) switch_fiber();
    return warp.votes[slot];
}
inline void launch(std::function<void()> kernel, unsigned grid, unsigned rows, unsigned threads, std::size_t bytes) {
    threads = std::min(threads, max_threads);
    shared.resize(std::max(shared.size(), bytes / 8 + 1));
    gridDim = {grid, rows}, blockDim = {threads, 1};
    body = std::move(kernel);
    for (unsigned y = 0; y < rows; ++y)
        for (unsigned x = 0; x < grid; ++x) {
            blockIdx = {x, y};
            alive = threads, arrived = 0;
            std::memset(shared.data(), 0xA5, bytes);
            for (unsigned i = 0; i < threads; ++i) {
                Fiber& fiber = fibers[i];
                if (!fiber.stack) fiber.stack.reset(new char[stack_bytes]);
                getcontext(&fiber.context);
                fiber.context.uc_stack.ss_sp = fiber.stack.get();
                fiber.context.uc_stack.ss_size = stack_bytes;
                fiber.context.uc_link = nullptr;
                fiber.done = false;
                makecontext(&fiber.context, reinterpret_cast<void (*)()>(&enter), 0);
            }
            now = 0, threadIdx.x = 0;
            swapcontext(&home, &fibers[0].context);
        }
}

}  // namespace emulator

inline void __syncthreads() { emulator::barrier(); }
inline unsigned __ballot_sync(unsigned, bool vote) { return emulator::ballot(vote); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
template <class T, class U>
T atomicAdd(T* p, U x) {
    return std::exchange(*p, static_cast<T>(*p + x));
}
template <class T>
T atomicMin(T* p, T x) {
    return std::exchange(*p, std::min(*p, x));
}
template <class T>
T atomicMax(T* p, T x) {
    return std::exchange(*p, std::max(*p, x));
}
