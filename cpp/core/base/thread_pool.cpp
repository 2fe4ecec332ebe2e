#include "base/thread_pool.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace ceiba::base {

struct ThreadPool::State {
    std::mutex mutex;
    std::condition_variable wake, done;
    std::vector<std::thread> threads;
    const std::function<void(std::size_t, int)>* task = nullptr;
    std::size_t n = 0;
    std::atomic<std::size_t> next{0};
    int working = 0;
    std::size_t round = 0;
    bool quit = false;
    std::exception_ptr error;

    void work(int thread) {
        try {
            for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < n;) (*task)(i, thread);
        } catch (...) {
            next.store(n, std::memory_order_relaxed);
            const std::lock_guard lock(mutex);
            if (!error) error = std::current_exception();
        }
    }

    void serve(int thread) {
        std::size_t seen = 0;
        std::unique_lock lock(mutex);
        while (true) {
            wake.wait(lock, [&] { return quit || round != seen; });
            if (quit) return;
            seen = round;
            lock.unlock();
            work(thread);
            lock.lock();
            if (--working == 0) done.notify_one();
        }
    }
};

ThreadPool::ThreadPool(int n_threads) : n_threads_(std::max(1, n_threads)) {
    if (n_threads_ == 1) return;
    state_ = std::make_unique<State>();
    state_->threads.reserve(static_cast<std::size_t>(n_threads_ - 1));
    try {
        for (int t = 1; t < n_threads_; ++t) state_->threads.emplace_back([this, t] { state_->serve(t); });
    } catch (const std::exception&) {
        // The system has no more threads or no memory for their stacks: those there are do the work.
    }
    n_threads_ = static_cast<int>(state_->threads.size()) + 1;
    if (n_threads_ == 1) state_.reset();
}

ThreadPool::~ThreadPool() {
    if (!state_) return;
    {
        const std::lock_guard lock(state_->mutex);
        state_->quit = true;
    }
    state_->wake.notify_all();
    for (auto& thread : state_->threads) thread.join();
}

void ThreadPool::run(std::size_t n, const std::function<void(std::size_t, int)>& task) {
    if (!state_ || n <= 1) {
        for (std::size_t i = 0; i < n; ++i) task(i, 0);
        return;
    }
    State& s = *state_;
    {
        const std::lock_guard lock(s.mutex);
        s.task = &task;
        s.n = n;
        s.next.store(0, std::memory_order_relaxed);
        s.working = n_threads_ - 1;
        s.error = nullptr;
        ++s.round;
    }
    s.wake.notify_all();
    s.work(0);
    std::unique_lock lock(s.mutex);
    s.done.wait(lock, [&] { return s.working == 0; });
    if (s.error) std::rethrow_exception(s.error);
}

}  // namespace ceiba::base
