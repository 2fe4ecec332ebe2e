#include "base/thread_pool.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace ceiba::base {

namespace {

constexpr std::uint32_t closed = std::uint32_t{1} << 31;  // no thread may join any more
constexpr int called_by_each = 4;                         // every thread that wakes calls so many others
// From one run to the next it is often a few microseconds, and waking a thread takes tens.
constexpr int spins = 2000, spins_per_yield = 50;

void pause() {
#if defined(__x86_64__) || defined(_M_X64)
    _mm_pause();
#endif
}

// Waits until `word` is no longer `old`; for a short time awake.
void await_change(const std::atomic<std::uint32_t>& word, std::uint32_t old, bool may_spin) {
    for (int i = 1; may_spin && i <= spins; ++i) {
        if (word.load(std::memory_order_acquire) != old) return;
        i % spins_per_yield ? pause() : std::this_thread::yield();
    }
    word.wait(old, std::memory_order_acquire);
}

}  // namespace

struct ThreadPool::State {
    explicit State(std::size_t n_threads, bool spinning) : seats(n_threads), may_spin(spinning) {}

    struct alignas(64) Seat {
        std::atomic<std::uint32_t> called{0};
    };
    std::vector<Seat> seats;  // per thread; that of the caller stays empty
    std::vector<std::thread> threads;
    const std::function<void(std::size_t, int)>* task = nullptr;
    std::size_t n = 0, n_called = 0;
    std::exception_ptr error;
    std::mutex error_mutex;
    std::atomic<bool> quit{false};
    const bool may_spin;
    alignas(64) std::atomic<std::size_t> next{0};
    alignas(64) std::atomic<std::uint32_t> working{closed};  // threads that joined this run, and `closed`

    void call(std::size_t thread) {
        if (seats[thread].called.exchange(1, std::memory_order_acq_rel) == 0) seats[thread].called.notify_one();
    }
    // Threads 1 to 4 are called by thread 0, 5 to 8 by thread 1, and so on.
    void call_next(std::size_t thread) {
        const std::size_t first = thread * called_by_each + 1;
        for (std::size_t t = first; t < std::min(first + called_by_each, n_called); ++t) call(t);
    }

    void work(int thread) {
        try {
            for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < n;) (*task)(i, thread);
        } catch (...) {
            next.store(n, std::memory_order_relaxed);
            const std::lock_guard lock(error_mutex);
            if (!error) error = std::current_exception();
        }
    }

    bool join() {
        std::uint32_t seen = working.load(std::memory_order_relaxed);
        while (!(seen & closed))
            if (working.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire, std::memory_order_relaxed))
                return true;
        return false;
    }

    void serve(std::size_t thread) {
        Seat& seat = seats[thread];
        while (true) {
            await_change(seat.called, 0, may_spin);
            seat.called.exchange(0, std::memory_order_acq_rel);
            if (quit.load(std::memory_order_acquire)) return;
            if (!join()) continue;
            call_next(thread);
            work(static_cast<int>(thread));
            if (working.fetch_sub(1, std::memory_order_acq_rel) == closed + 1) working.notify_one();
        }
    }
};

ThreadPool::ThreadPool(int n_threads) : n_threads_(std::max(1, n_threads)) {
    if (n_threads_ == 1) return;
    const std::size_t n = static_cast<std::size_t>(n_threads_);
    state_ = std::make_unique<State>(n, n <= std::thread::hardware_concurrency());
    state_->threads.reserve(n - 1);
    try {
        for (std::size_t t = 1; t < n; ++t) state_->threads.emplace_back([this, t] { state_->serve(t); });
    } catch (const std::exception&) {
        // The system has no more threads or no memory for their stacks: those there are do the work.
    }
    n_threads_ = static_cast<int>(state_->threads.size()) + 1;
    if (n_threads_ == 1) state_.reset();
}

ThreadPool::~ThreadPool() {
    if (!state_) return;
    state_->quit.store(true, std::memory_order_release);
    for (std::size_t t = 1; t <= state_->threads.size(); ++t) state_->call(t);
    for (auto& thread : state_->threads) thread.join();
}

void ThreadPool::run(std::size_t n, const std::function<void(std::size_t, int)>& task) {
    if (!state_ || n <= 1) {
        for (std::size_t i = 0; i < n; ++i) task(i, 0);
        return;
    }
    State& s = *state_;
    s.task = &task;
    s.n = n;
    s.n_called = std::min(n, static_cast<std::size_t>(n_threads_));
    s.error = nullptr;
    s.next.store(0, std::memory_order_relaxed);
    s.working.store(0, std::memory_order_release);
    s.call_next(0);
    s.work(0);
    std::uint32_t seen = s.working.fetch_or(closed, std::memory_order_acq_rel) | closed;
    for (; seen != closed; seen = s.working.load(std::memory_order_acquire)) await_change(s.working, seen, s.may_spin);
    if (s.error) std::rethrow_exception(s.error);
}

}  // namespace ceiba::base
