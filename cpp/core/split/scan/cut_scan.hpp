// The central loop of the split search: column scanner x target statistic x criterion.
//
// Entries are the rows of a node in the order of a column: sorted numbers, or levels ordered by mean. A cut is between
// two entries of different rank. For each cut the criterion computes a cheap upper bound; only cuts that may beat the
// best so far are evaluated precisely.
#pragma once

#include "base/expansion.hpp"
#include "criteria/criterion.hpp"
#include "split/candidate.hpp"

namespace ceiba::split {

struct Entry {
    std::uint32_t rank;  // equal ranks: equal values, which no cut separates
    std::uint32_t row;   // relative to the first row of the node
};

template <class D>
bool respects(const D& division, const Limits& limits) {
    const double left = division.left_weight(), right = division.right_weight();
    if (!(left > 0.0 && right > 0.0) || left < limits.min_weight || right < limits.min_weight) return false;
    if constexpr (requires { division.left_sum(); }) {
        // Events are sums of rate x time, which are rounded.
        const double least = limits.min_events * (1.0 - 0x1p-30);
        if (least > 0.0 && (division.left_sum() < least || division.right_sum() < least)) return false;
    }
    if (limits.monotone == 0) return true;
    const double a = division.left_value(), b = division.right_value();
    return (b - a) * limits.monotone >= 0.0 && a >= limits.low && a <= limits.high && b >= limits.low &&
           b <= limits.high;
}

// The best cut of a column so far. The gain often increases over thousands of consecutive cuts. A cut that is certainly
// better therefore only stores its left side here, and is evaluated precisely when another cut comes close, or at the
// end.
template <class D, class C>
class BestCut {
public:
    bool any = false;
    std::size_t position = 0;  // entries on the left
    bool missing_left = false;

    // Cuts with an upper bound below this cannot win.
    double threshold() const { return any ? low_ : -std::numeric_limits<double>::infinity(); }

    // Takes the current division if it is admissible and better.
    bool offer(D& division, const C& criterion, const Limits& limits) {
        if (!respects(division, limits)) return false;
        if constexpr (requires { requires C::bounds_are_exact; }) return offer_weighed(division, criterion);
        const double low = criterion.lower(division);
        if (std::isnan(low) || (any && !(low > high_ + criterion.tolerance())))
            return offer_weighed(division, criterion);
        if (low == -std::numeric_limits<double>::infinity()) return false;
        any = true;
        weighed_ = false;
        low_ = low;
        high_ = criterion.upper(division);
        left_ = division.left_part();
        return true;
    }
    base::DoubleDouble gain(D& division, const C& criterion) {
        weigh(division, criterion);
        return gain_;
    }
    const typename D::Left& left_part() const { return left_; }

private:
    bool offer_weighed(D& division, const C& criterion) {
        const base::DoubleDouble gain = criterion.gain(division);
        if (!std::isfinite(gain.hi)) return false;
        if (any) {
            weigh(division, criterion);
            const double gap = (gain - gain_).value();
            if (gap <= -criterion.tolerance()) return false;
            if (gap <= criterion.tolerance() && !better_exactly(division, criterion)) return false;
        }
        any = weighed_ = true;
        gain_ = gain;
        low_ = high_ = gain.hi;
        left_ = division.left_part();
        return true;
    }
    bool better_exactly(D& division, const C& criterion) {
        if constexpr (requires { criterion.exact(division); }) {
            const base::Fraction now = criterion.exact(division);
            return with_left([&] { return base::compare(now, criterion.exact(division)) > 0; }, division);
        }
        return false;
    }
    void weigh(D& division, const C& criterion) {
        if (weighed_ || !any) return;
        with_left([&] { gain_ = criterion.gain(division); }, division);
        low_ = high_ = gain_.hi;
        weighed_ = true;
    }
    // Calls f with the division in its state at the best cut, then restores it.
    template <class F>
    auto with_left(F f, D& division) {
        struct Restore {
            D& division;
            typename D::Left now;
            ~Restore() { division.put_back(now); }
        } restore{division, division.left_part()};
        division.put_back(left_);
        return f();
    }

    bool weighed_ = false;
    double low_ = 0.0, high_ = 0.0;  // bounds of the gain
    base::DoubleDouble gain_;
    typename D::Left left_{};
};

// The cuts of n entries that leave min_rows on both sides: `first` to `last` entries on the left; none: last < first.
struct CutRange {
    std::size_t first, last;
};
inline CutRange cuts_allowed(std::size_t n, std::size_t before, std::size_t after, const Limits& limits) {
    const std::size_t first = limits.min_rows > before + 1 ? limits.min_rows - before : 1;
    const std::size_t needed = limits.min_rows > after + 1 ? limits.min_rows - after : 1;
    return {first, n < needed ? 0 : n - needed};
}

// The loop over the cuts that leave `range` entries on the left. `concrete` rules cuts out; `criterion`, which is the
// same or contains it (criteria::with_chosen), evaluates those that may win.
template <class D, class C, class Concrete>
bool scan_range(const Entry* entries, CutRange range, double floor, const Limits& limits, D& division,
                const Concrete& concrete_criterion, const C& criterion, BestCut<D, C>& best) {
    // A small division is copied, so that its sums stay in registers (regression, 1M x 20 to depth 8: 2.6 s -> 1.9 s).
    constexpr bool keeps_sums = requires {
        Concrete::asks_for_squares_only;
        division.running();
    };
    auto make_running = [&]() -> decltype(auto) {
        if constexpr (keeps_sums)
            return division.running();
        else if constexpr (std::is_trivially_copyable_v<D>)
            return D(division);
        else
            return (division);
    };
    decltype(auto) running = make_running();
    const std::conditional_t<std::is_trivially_copyable_v<Concrete>, Concrete, const Concrete&> concrete =
        concrete_criterion;
    bool better = false;
    std::size_t i = 0;
    for (; i + 1 < range.first; ++i) running.add(entries[i].row);
    double threshold = std::max(floor, best.threshold());
    for (; i < range.last; ++i) {
        running.add(entries[i].row);
        if (entries[i].rank == entries[i + 1].rank) continue;
        if (concrete.below(running, threshold)) continue;
        bool taken;
        if constexpr (keeps_sums) {
            division.store(running);
            taken = best.offer(division, criterion, limits);
        } else {
            // The address of `now` may escape; that of `running` must not.
            std::conditional_t<std::is_trivially_copyable_v<D>, D, D&> now = running;
            taken = best.offer(now, criterion, limits);
        }
        if (taken) {
            best.position = i + 1;
            better = true;
        }
        threshold = std::max(floor, best.threshold());
    }
    return better;
}

// Scans the cuts between the entries [0, n). For any cut, `before` more rows are left of it and `after` more rows right
// of it (missing values, or the rest of the column). Cuts with a gain below `floor` need not be found. Returns whether
// a better cut was found.
template <class D, class C>
bool scan(const Entry* entries, std::size_t n, std::size_t before, std::size_t after, double floor,
          const Limits& limits, D& division, const C& criterion, BestCut<D, C>& best) {
    const CutRange range = cuts_allowed(n, before, after, limits);
    if (range.last < range.first) return false;
    return criteria::with_chosen(criterion, [&](const auto& concrete) {
        return scan_range(entries, range, floor, limits, division, concrete, criterion, best);
    });
}

// Evaluates the single cut at `position`, for random splits.
template <class D, class C>
void weigh_cut(const Entry* entries, std::size_t n, std::size_t position, std::size_t n_missing, bool missing_left,
               const Limits& limits, D& division, const C& criterion, BestCut<D, C>& best) {
    const std::size_t left = position + (missing_left ? n_missing : 0),
                      right = n - position + (missing_left ? 0 : n_missing);
    if (left < limits.min_rows || right < limits.min_rows) return;
    for (std::size_t i = 0; i < position; ++i) division.add(entries[i].row);
    if (best.offer(division, criterion, limits)) {
        best.position = position;
        best.missing_left = missing_left;
    }
}

// The cuts of a column that may be the best, according to bounds of their gains.
class CutBounds {
public:
    // Gains below `floor` are ignored.
    explicit CutBounds(double floor) : reach_(floor) {}

    double reach() const { return reach_; }
    // Adds a cut whose gain is at most `most`.
    void add(std::size_t entries_on_left, double most) {
        if (most < reach_) return;
        cuts_.push_back(entries_on_left);
        most_.push_back(most);
    }
    // An allowed cut has at least this gain. (Infinite: the gain is undefined, and such a cut is never taken.)
    void raise(double least) {
        if (least > reach_ && least < std::numeric_limits<double>::infinity()) reach_ = least;
    }

    // The remaining cuts, ascending.
    const std::vector<std::size_t>& cuts() {
        std::size_t n_cuts = 0;
        for (std::size_t k = 0; k < cuts_.size(); ++k)
            if (!(most_[k] < reach_)) cuts_[n_cuts] = cuts_[k], most_[n_cuts++] = most_[k];
        cuts_.resize(n_cuts);
        most_.resize(n_cuts);
        return cuts_;
    }

private:
    double reach_;
    std::vector<std::size_t> cuts_;
    std::vector<double> most_;
};

}  // namespace ceiba::split
