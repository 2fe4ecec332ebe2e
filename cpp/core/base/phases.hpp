// Wall time of the phases of growing, for benchmarks; not measured by default.
#pragma once

#include "base/standard.hpp"

namespace ceiba::base {

enum class Phase : std::size_t {
    target,
    bins,
    describe,
    count,
    survey,
    levels,
    likeliest,
    examine,
    conclude,
    route,
    part,
    move,
    hand_down,
    subtrees,
    assemble
};
constexpr std::array phase_names = {"target",    "bins",    "describe", "count", "survey", "levels", "likeliest",
                                    "examine",   "conclude", "route",   "part",  "move",   "hand_down",
                                    "subtrees",  "assemble"};

struct Phases {
    static inline std::atomic<bool> measured{false};
    static inline std::array<std::atomic<std::int64_t>, phase_names.size()> nanoseconds{};
    static inline thread_local bool in_subtree = false;
    struct SubtreeScope {  // what threads do apart counts as one phase
        SubtreeScope() { in_subtree = true; }
        ~SubtreeScope() { in_subtree = false; }
    };
};

class PhaseTimer {
public:
    explicit PhaseTimer(Phase phase)
        : phase_(phase), on_(Phases::measured.load(std::memory_order_relaxed) && !Phases::in_subtree) {
        if (on_) start_ = Clock::now();
    }
    ~PhaseTimer() {
        if (!on_) return;
        Phases::nanoseconds[static_cast<std::size_t>(phase_)] += (Clock::now() - start_) / std::chrono::nanoseconds(1);
    }
    PhaseTimer(const PhaseTimer&) = delete;
    PhaseTimer& operator=(const PhaseTimer&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    Phase phase_;
    bool on_;
    Clock::time_point start_;
};

}  // namespace ceiba::base
