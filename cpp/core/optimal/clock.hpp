// When a search must end: the time limit, Ctrl-C. The search asks often; the clock is read every few thousand rows of
// work.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>

#include "base/interrupt.hpp"

namespace ceiba::optimal {

struct OutOfTime {};

class Clock {
public:
    using Time = std::chrono::steady_clock;

    Clock(double limit, base::Interrupt& interrupt) : limit_(limit), interrupt_(interrupt) {}

    double seconds() const { return std::chrono::duration<double>(Time::now() - start_).count(); }
    // Called by the thread that entered, with the entries looked at since the last call.
    void spend(std::size_t work) {
        ++evaluations_;
        open_ += work;
        if (open_ < 200000) return;
        open_ = 0;
        interrupt_.poll();
        if (seconds() > std::min(limit_, phase_end_)) throw OutOfTime{};
    }
    // A part of the search that has its own, earlier end.
    void set_phase_end(double seconds) { phase_end_ = seconds; }
    void clear_phase_end() { phase_end_ = std::numeric_limits<double>::infinity(); }
    double limit() const { return limit_; }
    std::size_t evaluations() const { return evaluations_; }

private:
    Time::time_point start_ = Time::now();
    double limit_, phase_end_ = std::numeric_limits<double>::infinity();
    base::Interrupt& interrupt_;
    std::size_t open_ = 0, evaluations_ = 0;
};

}  // namespace ceiba::optimal
