// A pool of threads, and rows shared between them in blocks.
//
// OpenMP is not used, because its waiting threads spin: on a busy machine with two cores, two threads were up to four
// times slower than one. The calling thread works too. Tasks are handed out one by one, and the pool does not wait for
// a thread that woke too late to get one. If the system cannot start all threads, the pool is smaller than requested:
// use size().
#pragma once

#include "base/standard.hpp"

namespace ceiba::base {

class ThreadPool {
public:
    explicit ThreadPool(int n_threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int size() const { return n_threads_; }

    // Runs task(i, thread) for i in [0, n); thread in [0, size()), thread 0 is the caller. The first exception
    // thrown by a task is thrown again here, after all threads are done. A task must not run tasks of this pool.
    void run(std::size_t n, const std::function<void(std::size_t, int)>& task);

private:
    struct State;
    struct KeptThreads;
    int n_threads_;
    std::unique_ptr<State> state_;  // null for one thread: then nothing is started at all
};

// The same without a pool: one task after the other, on this thread.
template <class Task>
void run(ThreadPool* pool, std::size_t n, int thread, const Task& task) {
    if (pool) return pool->run(n, task);
    for (std::size_t i = 0; i < n; ++i) task(i, thread);
}

// Rows are shared in blocks of a fixed size. Rounded sums are made per block and merged in the order of the blocks,
// with one thread too: so no result depends on the number of threads.
constexpr std::size_t block_rows = 4096;
inline std::size_t n_blocks(std::size_t n_rows, std::size_t size = block_rows) { return (n_rows + size - 1) / size; }

// f(block, first row, end, thread) for all blocks of n rows.
template <class F>
void for_blocks(ThreadPool* pool, std::size_t n_rows, const F& f, std::size_t size = block_rows) {
    run(pool, n_blocks(n_rows, size), 0,
        [&](std::size_t block, int thread) { f(block, block * size, std::min(n_rows, (block + 1) * size), thread); });
}

// fill(part, first row, end) for all blocks, each with a copy of `nothing`; then merge(whole, part) in block order.
template <class Part, class Fill, class Merge>
Part merge_blocks(ThreadPool* pool, std::size_t n_rows, const Part& nothing, const Fill& fill, const Merge& merge,
                  std::size_t size = block_rows) {
    Part whole = nothing;
    if (0 < n_rows && n_rows <= size) {  // one block needs no copies, which cost more than the rows of a small table
        fill(whole, 0, n_rows);
        return whole;
    }
    if (!pool) {
        for (std::size_t from = 0; from < n_rows; from += size) {
            Part part = nothing;
            fill(part, from, std::min(n_rows, from + size));
            merge(whole, part);
        }
        return whole;
    }
    std::vector<Part> parts(n_blocks(n_rows, size), nothing);
    for_blocks(
        pool, n_rows,
        [&](std::size_t block, std::size_t from, std::size_t to, int) {
            Part part = nothing;  // not in its place: neighbours share a cache line, and each row writes to it
            fill(part, from, to);
            parts[block] = std::move(part);
        },
        size);
    for (const Part& part : parts) merge(whole, part);
    return whole;
}

// The same of a sum of counts.
template <class Count>
std::size_t count_blocks(ThreadPool* pool, std::size_t n_rows, const Count& count) {
    return merge_blocks(
        pool, n_rows, std::size_t{0},
        [&](std::size_t& part, std::size_t from, std::size_t to) { part = count(from, to); },
        [](std::size_t& whole, std::size_t part) { whole += part; });
}

}  // namespace ceiba::base
