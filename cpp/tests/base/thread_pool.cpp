// Tests the thread pool: each task runs once, errors, threads that wake late, and short-lived pools.
#include "base/thread_pool.hpp"

#include <atomic>

#include "check.hpp"

namespace ceiba::tests {

namespace {

using base::ThreadPool;

// Short runs in succession: most threads wake after the run for which they were called.
void check_runs(int n_threads, int n_runs, Numbers& numbers) {
    ThreadPool pool(n_threads);
    check(pool.size() >= 1 && pool.size() <= n_threads, "size of the pool");
    std::vector<int> busy(static_cast<std::size_t>(pool.size()));  // not atomic: equal thread numbers would race
    std::vector<int> done;
    bool once = true;
    for (int r = 0; r < n_runs; ++r) {
        done.assign(numbers.below(40), 0);
        pool.run(done.size(), [&](std::size_t i, int thread) {
            ++busy[thread];
            ++done[i];
        });
        once = once && std::ranges::all_of(done, [](int times) { return times == 1; });
        for (int& n : busy) n = 0;
    }
    check(once, "each task runs once");
}

void check_errors(int n_threads) {
    ThreadPool pool(n_threads);
    for (int r = 0; r < 200; ++r) {
        std::string caught;
        try {
            pool.run(20, [&](std::size_t i, int) {
                if (i >= 10) throw std::runtime_error("task");
            });
        } catch (const std::runtime_error& error) {
            caught = error.what();
        }
        check(caught == "task", "an error of a task is thrown by run");
        std::atomic<int> done = 0;
        pool.run(20, [&](std::size_t, int) { ++done; });
        check(done == 20, "the pool works on after an error");
    }
}

void check_nested(int n_threads) {
    ThreadPool pool(n_threads);
    bool refused = false;
    try {
        pool.run(4, [&](std::size_t, int) { pool.run(4, [](std::size_t, int) {}); });
    } catch (const std::logic_error&) {
        refused = true;
    }
    check(refused == (pool.size() > 1), "a run inside a task is refused where threads could meet");
}

void check_short_lives(int n_threads) {
    std::atomic<int> done = 0;
    for (int r = 0; r < 100; ++r) {
        ThreadPool idle(n_threads);
        ThreadPool pool(n_threads);
        pool.run(3, [&](std::size_t, int) { ++done; });
    }
    check(done == 300, "pools that end at once");
}

// Sums of doubles depend on their order, which is that of the blocks for any number of threads.
void check_blocks(int n_threads, Numbers& numbers) {
    ThreadPool pool(n_threads);
    for (const std::size_t n : {0, 1, 4095, 4096, 4097, 8191, 8192, 8193, 50000}) {
        std::vector<double> x(n);
        for (double& v : x) v = numbers.spread(40);
        const auto sum = [&](ThreadPool* sharing) {
            return base::merge_blocks(
                sharing, n, 0.0,
                [&](double& part, std::size_t from, std::size_t to) {
                    for (std::size_t i = from; i < to; ++i) part += x[i];
                },
                [](double& whole, double part) { whole += part; });
        };
        check(sum(&pool) == sum(nullptr), "a sum by blocks does not depend on threads");
        check(base::count_blocks(&pool, n, [](std::size_t from, std::size_t to) { return to - from; }) == n,
              "blocks cover the rows");
    }
}

const Suite suite("thread_pool", [] {
    Numbers numbers(1);
    for (const int n_threads : {1, 2, 3, 5, 16}) {
        check_runs(n_threads, 500, numbers);
        check_errors(n_threads);
        check_nested(n_threads);
        check_short_lives(n_threads);
        check_blocks(n_threads, numbers);
    }
});

}  // namespace

}  // namespace ceiba::tests
