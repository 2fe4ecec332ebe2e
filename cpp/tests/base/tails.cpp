// Tests tails of chi-square and F: closed forms, integrals of the density, and extreme values with only logarithms.
#include "base/probability/tails.hpp"

#include "check.hpp"

namespace ceiba::tests {

namespace {

// The integral of f from a to b by Simpson's rule.
template <class F>
double integral(F f, double a, double b) {
    constexpr int n = 20000;
    const double h = (b - a) / n;
    double sum = f(a) + f(b);
    for (int i = 1; i < n; ++i) sum += f(a + i * h) * (i % 2 ? 4.0 : 2.0);
    return sum * h / 3.0;
}

void chi_square() {
    for (double x : {0.1, 1.0, 3.84, 10.0, 60.0, 500.0}) {
        const double half = 0.5 * x, e = std::exp(-half);
        check_near(base::chi_square_tail(x, 1) / std::erfc(std::sqrt(half)), 1.0, 1e-12, "one degree of freedom");
        check_near(base::chi_square_tail(x, 2) / e, 1.0, 1e-12, "two");
        check_near(base::chi_square_tail(x, 4) / (e * (1.0 + half)), 1.0, 1e-12, "four");
        check_near(base::chi_square_tail(x, 6) / (e * (1.0 + half + half * half / 2.0)), 1.0, 1e-12, "six");
    }
    for (int df : {3, 5, 8, 15, 40})
        for (double x : {0.5, 4.0, 12.0, 30.0}) {
            const auto density = [df](double t) {
                return std::exp((0.5 * df - 1.0) * std::log(t) - 0.5 * t - 0.5 * df * std::log(2.0) -
                                std::lgamma(0.5 * df));
            };
            check_near(base::chi_square_tail(x, df), integral(density, x, x + 250.0), 1e-9, "the density's integral");
        }
    for (int df : {1, 2, 3, 7, 50, 400})
        for (double x : {0.01, 1.0, 20.0, 300.0, 1300.0})
            check_near(base::log_chi_square_tail(x, df), std::log(base::chi_square_tail(x, df)), 1e-10,
                       "its logarithm");
    check_near(base::log_chi_square_tail(1e6, 2), -5e5, 1e-12, "far beyond the doubles");
    check(base::chi_square_tail(0.0, 3) == 1.0 && base::chi_square_tail(5.0, 0) == 1.0, "nothing to exceed");
    check(std::isinf(base::log_chi_square_tail(std::numeric_limits<double>::infinity(), 3)), "infinity");
}

void f() {
    for (double d2 : {1.0, 2.0, 5.0, 30.0, 1000.0})
        for (double x : {0.1, 1.0, 4.0, 50.0}) {
            check_near(base::log_f_tail(x, 2.0, d2), -0.5 * d2 * std::log1p(2.0 * x / d2), 1e-10, "two and d");
            for (double d1 : {1.0, 3.0, 8.0})
                check_near(base::f_tail(x, d1, d2), 1.0 - base::f_tail(1.0 / x, d2, d1), 1e-10, "turned round");
        }
    // F with 1 and 1 degrees of freedom is the square of a Cauchy variable.
    for (double x : {0.2, 1.0, 9.0})
        check_near(base::f_tail(x, 1.0, 1.0), 1.0 - 2.0 / 3.14159265358979323846 * std::atan(std::sqrt(x)), 1e-10,
                   "one and one");
    check_near(base::log_f_tail(1e200, 2.0, 10.0), -5.0 * std::log(2e199), 1e-10, "far out");
    // With many denominator degrees of freedom, F approaches chi-square.
    check_near(base::f_tail(2.0, 5.0, 1e9), base::chi_square_tail(10.0, 5), 1e-6, "the limit is chi-square");
    check(base::f_tail(0.0, 2.0, 3.0) == 1.0 && base::f_tail(1.0, 0.0, 3.0) == 1.0, "nothing to exceed");
}

const Suite suite("tails", [] {
    chi_square();
    f();
});

}  // namespace

}  // namespace ceiba::tests
