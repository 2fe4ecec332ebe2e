#include "base/thread_pool.hpp"

#include <thread>
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif
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

// Returns as soon as `holds`, or after a short time.
template <class Condition>
void spin(const Condition& holds) {
    for (int i = 1; i <= spins && !holds(); ++i) i % spins_per_yield ? pause() : std::this_thread::yield();
}

}  // namespace

// Each thread sleeps on its own condition variable, and what it waits for changes under its mutex (or, for
// `working`, before its mutex is passed): no call is lost. Atomics have the default order, sequentially consistent.
struct ThreadPool::State {
    State(std::size_t n_threads, bool spinning) : seats(n_threads), may_spin(spinning) {
        threads.reserve(n_threads - 1);
        try {
            for (std::size_t t = 1; t < n_threads; ++t) threads.emplace_back([this, t] { serve(t); });
        } catch (const std::exception&) {
            // If the system has no more threads, or no memory for their stacks, the threads started so far do the work.
        }
    }
    ~State() {
        quit = true;
        for (std::size_t t = 1; t <= threads.size(); ++t) call(t);
        for (auto& thread : threads) thread.join();
    }

    struct alignas(64) Seat {
        std::atomic<bool> called{false};  // written under the mutex; read without it only to spin
        std::mutex mutex;
        std::condition_variable condition;
    };
    std::vector<Seat> seats;  // per thread; the caller waits in its own for the others to be done
    std::vector<std::thread> threads;
    const std::function<void(std::size_t, int)>* task = nullptr;
    std::size_t n = 0, n_called = 0;
    std::exception_ptr error;
    std::mutex error_mutex;
    std::atomic<bool> quit{false};
    const bool may_spin;
    alignas(64) std::atomic<std::size_t> next{0};
    alignas(64) std::atomic<std::uint32_t> working{closed};  // threads that joined this run, and `closed`

    // A thread that was called before and has not looked yet will see this run too: it looks under the mutex.
    void call(std::size_t thread) {
        Seat& seat = seats[thread];
        {
            const std::lock_guard lock(seat.mutex);
            if (seat.called) return;
            seat.called = true;
        }
        seat.condition.notify_one();
    }
    // Threads 1 to 4 are called by thread 0, 5 to 8 by thread 1, and so on.
    void call_next(std::size_t thread) {
        const std::size_t first = thread * called_by_each + 1;
        for (std::size_t t = first; t < std::min(first + called_by_each, n_called); ++t) call(t);
    }
    void await_call(Seat& seat) {
        if (may_spin) spin([&] { return seat.called.load(); });
        std::unique_lock lock(seat.mutex);
        seat.condition.wait(lock, [&] { return seat.called.load(); });
        seat.called = false;
    }

    void work(int thread) {
        try {
            for (std::size_t i; (i = next.fetch_add(1)) < n;) (*task)(i, thread);
        } catch (...) {
            next = n;
            const std::lock_guard lock(error_mutex);
            if (!error) error = std::current_exception();
        }
    }

    bool join() {
        std::uint32_t seen = working;
        while (!(seen & closed))
            if (working.compare_exchange_weak(seen, seen + 1)) return true;
        return false;
    }
    void leave() {
        if (working.fetch_sub(1) != closed + 1) return;
        // The caller either has not looked at `working` since, or sleeps already.
        { const std::lock_guard lock(seats[0].mutex); }
        seats[0].condition.notify_one();
    }
    void await_others() {
        const auto alone = [&] { return working == closed; };
        working |= closed;
        if (may_spin) spin(alone);
        if (alone()) return;
        std::unique_lock lock(seats[0].mutex);
        seats[0].condition.wait(lock, alone);
    }

    void serve(std::size_t thread) {
        while (true) {
            await_call(seats[thread]);
            if (quit) return;
            if (!join()) continue;
            call_next(thread);
            work(static_cast<int>(thread));
            leave();
        }
    }
};

// Keeps the threads of a finished pool for the next pool of the same size, because starting 15 threads takes about
// 0.5 ms and a fit uses several pools. The threads are not joined when the process exits, which could deadlock on
// Windows. A forked process has a copy of the memory but not of the threads, so it starts without kept threads.
struct ThreadPool::KeptThreads {
    std::mutex mutex;
    std::unique_ptr<State> state;

    static KeptThreads& instance() {
        static KeptThreads* const threads = [] {
            KeptThreads* const created = new KeptThreads;
#if (defined(__unix__) || defined(__APPLE__)) && !defined(__EMSCRIPTEN__)
            pthread_atfork(nullptr, nullptr, [] { new (&instance()) KeptThreads; });
#endif
            return created;
        }();
        return *threads;
    }
    std::unique_ptr<State> take(std::size_t n_threads) {
        const std::lock_guard lock(mutex);
        return state && state->seats.size() == n_threads ? std::move(state) : nullptr;
    }
    // Returns the threads that were kept before, which end outside the lock.
    std::unique_ptr<State> keep(std::unique_ptr<State> finished) {
        const std::lock_guard lock(mutex);
        return std::exchange(state, std::move(finished));
    }
};

ThreadPool::ThreadPool(int n_threads) : n_threads_(std::max(1, n_threads)) {
    if (n_threads_ == 1) return;
    const std::size_t n = static_cast<std::size_t>(n_threads_);
    state_ = KeptThreads::instance().take(n);
    if (!state_) state_ = std::make_unique<State>(n, n <= std::thread::hardware_concurrency());
    n_threads_ = static_cast<int>(state_->threads.size()) + 1;
    if (n_threads_ == 1) state_.reset();
}

ThreadPool::~ThreadPool() {
    const bool complete = state_ && state_->threads.size() + 1 == state_->seats.size();
    if (complete) KeptThreads::instance().keep(std::move(state_));
}

void ThreadPool::run(std::size_t n, const std::function<void(std::size_t, int)>& task) {
    if (!state_ || n <= 1) {
        for (std::size_t i = 0; i < n; ++i) task(i, 0);
        return;
    }
    State& s = *state_;
    if (s.working != closed) throw std::logic_error("a task of a thread pool runs tasks of the same pool");
    s.task = &task;
    s.n = n;
    s.n_called = std::min(n, static_cast<std::size_t>(n_threads_));
    s.error = nullptr;
    s.next = 0;
    s.working = 0;
    s.call_next(0);
    s.work(0);
    s.await_others();
    if (s.error) std::rethrow_exception(std::exchange(s.error, nullptr));
}

}  // namespace ceiba::base
