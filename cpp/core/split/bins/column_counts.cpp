#include "split/bins/column_counts.hpp"

#include "criteria/registry.hpp"

namespace ceiba::split {

// Whether the division with `left` on the left is certainly allowed.
template <class Bounds>
bool ColumnCounts::certainly_allowed(const Bounds& bounds, double before, double after, const Limits& limits) const {
    const double least = static_cast<double>(limits.min_rows);
    if (before < least || after < least) return false;
    const bool exact = weight_error_ == 0.0 && sum_error_ == 0.0;
    if (limits.monotone == 0 && limits.min_weight <= 0.0 && exact) return true;
    return split::certainly_allowed({bounds.weight_of(left()), left_[1]}, {bounds.weight_of(total()), total_[1]},
                                    {weight_error_ * static_cast<double>(left_.size()), sum_error_, centre_}, limits);
}

template <class Bounds>
GainRange ColumnCounts::gain_range(const Bounds& bounds, const Limits& limits) {
    constexpr double unknown = std::numeric_limits<double>::infinity();
    constexpr bool rough = requires { bounds.between(0.0, 0.0, 0.0); };
    GainRange out;
    if (blind) return {no_floor, unknown};
    double last = 0.0, weight = 0.0;
    const auto enter = [&](std::size_t b, double, double, double) {
        if constexpr (rough) weight = bounds.weight_of(fields(b));
    };
    const auto weigh = [&](std::size_t, double before, double after) {
        const Range gain = bounds.gain(left());
        if (gain.low > out.low && certainly_allowed(bounds, before, after, limits)) out.low = gain.low;
        if constexpr (rough) {
            out.high = std::max(out.high, gain.high);
            if (!all_settled_) out.high = std::max(out.high, bounds.between(last, gain.high, weight));
            last = gain.high;
        }
    };
    walk(false, enter, weigh);
    if constexpr (rough)
        if (!all_settled_) out.high = std::max(out.high, bounds.between(last, 0.0, weight));
    if (n_missing_ > 0.0) walk(true, enter, weigh);
    if (!rough || n_missing_ > 0.0) out.high = unknown;
    return out;
}

template <class Bounds>
double ColumnCounts::best_certain_gain(const Bounds& bounds, const Limits& limits) {
    return certain_gain(*this, bounds, limits,
                        [&](double before, double after) { return certainly_allowed(bounds, before, after, limits); });
}

template <class Bounds>
Marks ColumnCounts::marks(const Bounds& bounds, const Limits& limits, double floor) {
    return mark(*this, bounds, limits, blind ? no_floor : floor, [](std::size_t, double) {});
}

// Instantiated here for all bounds.
template <class... B>
auto compiled_for_bounds(criteria::List<B...>) {
    return std::tuple(&ColumnCounts::gain_range<B>..., &ColumnCounts::best_certain_gain<B>...,
                      &ColumnCounts::marks<B>...);
}
template auto compiled_for_bounds(decltype(bounds_of(criteria::AllCriteria{})));

}  // namespace ceiba::split
