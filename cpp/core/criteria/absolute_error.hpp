// The criterion of median_division.hpp and weighted_median_division.hpp: the deviation of all rows less that of the two
// sides.
#pragma once

#include <cmath>
#include <string_view>

#include "base/double_double.hpp"
#include "base/expansion.hpp"

namespace ceiba::criteria {

using base::DoubleDouble;

struct AbsoluteError {
    static constexpr std::string_view name = "absolute_error";
    static constexpr bool at_median = true;
    static double loss(double w, double y, double answer) { return w * std::fabs(y - answer); }

    double tie = 0.0;

    template <class D>
    void begin(const D& d) {
        tie = d.total_deviation().value() * D::tie_share;
    }
    template <class D>
    bool below(const D& d, double t) const {
        return upper(d) < t;
    }
    template <class D>
    double upper(const D& d) const {
        return d.gain().value() * (1.0 + 0x1p-50);
    }
    template <class D>
    double lower(const D& d) const {
        return d.gain().value() * (1.0 - 0x1p-50);
    }
    static constexpr bool bounds_are_exact = true;
    template <class D>
    DoubleDouble gain(const D& d) const {
        return d.gain();
    }
    template <class D>
    base::Fraction exact(const D& d) const requires requires { d.exact_gain(); } {
        return d.exact_gain();
    }
    double tolerance() const { return tie; }
};

}  // namespace ceiba::criteria
