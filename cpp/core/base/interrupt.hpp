// Interruption of a long computation. The calling thread regularly polls the host (Python checks for pending signals),
// and every thread reads one flag. Core code throws Interrupted; all its memory is owned by objects, so nothing leaks.
#pragma once

#include "base/standard.hpp"

namespace ceiba::base {

struct Interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

class Interrupt {
public:
    Interrupt() = default;
    explicit Interrupt(std::function<bool()> host_wants_stop) : host_wants_stop_(std::move(host_wants_stop)) {}

    // Called by the thread that entered the core, as often as it likes. The host is polled at most every 50 ms.
    void poll() {
        if (host_wants_stop_) {
            const auto now = std::chrono::steady_clock::now();
            if (now - last_ >= std::chrono::milliseconds(50)) {
                last_ = now;
                if (host_wants_stop_()) stop_.store(true, std::memory_order_relaxed);
            }
        }
        check();
    }
    // The same for a task in a thread pool, where thread 0 is the calling thread.
    void poll(int thread) {
        if (thread == 0) poll();
        check();
    }
    // Called by worker threads.
    void check() const {
        if (stop_.load(std::memory_order_relaxed)) throw Interrupted{};
    }

private:
    std::function<bool()> host_wants_stop_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
    std::atomic<bool> stop_{false};
};

}  // namespace ceiba::base
