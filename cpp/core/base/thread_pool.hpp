// A pool of threads that sleep when there is nothing to do.
//
// Own pool instead of OpenMP because OpenMP's waiting threads spin: on a busy two-core machine that made two
// threads up to four times slower than one. The calling thread works too; tasks are handed out one by one.
// Where the system refuses to start a thread, the pool is smaller than asked for: read size(), not the wish.
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
    // thrown by a task is thrown again here, after all threads are done.
    void run(std::size_t n, const std::function<void(std::size_t, int)>& task);

private:
    struct State;
    int n_threads_;
    std::unique_ptr<State> state_;  // null for one thread: then nothing is started at all
};

}  // namespace ceiba::base
