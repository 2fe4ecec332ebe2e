// Gauss-Legendre quadrature on [0, 1]: n points integrate every polynomial of degree 2 n - 1 exactly.
//
// Shapley weights are integrals, s! (m - 1 - s)! / m! = ∫ t^s (1 - t)^(m - 1 - s) dt, so a sum over all coalitions of a
// product game is the integral of a polynomial. All terms are positive: no digits are lost, whatever the number of
// columns.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace ceiba::explain {

struct Quadrature {
    std::vector<double> point, weight;
    std::size_t size() const { return point.size(); }
};

inline Quadrature gauss_legendre(std::size_t n) {
    Quadrature rule{std::vector<double>(n), std::vector<double>(n)};
    const double degree = static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
        double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (degree + 0.5)), slope = 1.0;
        for (int step = 0; step < 100; ++step) {  // Newton's method on the Legendre polynomial
            double here = 1.0, before = 0.0;
            for (std::size_t k = 0; k < n; ++k) {
                const double next =
                    ((2.0 * static_cast<double>(k) + 1.0) * x * here - static_cast<double>(k) * before) /
                    (static_cast<double>(k) + 1.0);
                before = here;
                here = next;
            }
            slope = degree * (x * here - before) / (x * x - 1.0);
            const double move = here / slope;
            x -= move;
            if (std::abs(move) < 1e-15) break;
        }
        rule.point[i] = 0.5 * (1.0 - x);
        rule.weight[i] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
    return rule;
}

}  // namespace ceiba::explain
