// When a search must end: the time limit, Ctrl-C. The search asks often; the clock is read every few thousand rows of
// work. A part of the search may have a limit of its own, in work and not in seconds: so it ends at the same place
// whatever the machine and the number of threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>

#include "base/interrupt.hpp"

namespace ceiba::optimal {

struct OutOfTime {};
struct OutOfWork {};

class Clock {
public:
    using Time = std::chrono::steady_clock;

    Clock(double limit, base::Interrupt& interrupt) : limit_(limit), interrupt_(interrupt) {}

    double seconds() const { return std::chrono::duration<double>(Time::now() - start_).count(); }
    // Called by the thread that entered, with the entries looked at since the last call.
    void spend(std::size_t work) {
        ++evaluations_;
        if ((done_ += static_cast<double>(work)) > work_limit_) throw OutOfWork{};
        open_ += work;
        if (open_ < 200000) return;
        open_ = 0;
        interrupt_.poll();
        if (seconds() > limit_) throw OutOfTime{};
    }
    // Runs work that may look at as many entries as one thread does in a share of the time limit, roughly.
    template <class Work>
    void within(double share, const Work& work) {
        work_limit_ = done_ + share * limit_ * entries_per_second;
        try {
            work();
        } catch (const OutOfWork&) {
        } catch (...) {
            work_limit_ = none;
            throw;
        }
        work_limit_ = none;
    }
    std::size_t evaluations() const { return evaluations_; }

private:
    static constexpr double entries_per_second = 2e8;
    static constexpr double none = std::numeric_limits<double>::infinity();

    double limit_, work_limit_ = none, done_ = 0.0;
    Time::time_point start_ = Time::now();
    base::Interrupt& interrupt_;
    std::size_t open_ = 0, evaluations_ = 0;
};

}  // namespace ceiba::optimal
