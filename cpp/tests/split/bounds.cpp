// Tests bounds of the gain (split/survey/bounds.hpp) against brute force: for any order of the rows of a bin, no cut
// inside it has a larger gain than its bound.
#include "split/survey/bounds.hpp"

#include <functional>

#include "check.hpp"

namespace ceiba::tests {

namespace {

using Counts = std::vector<double>;

double sum(const Counts& c) {
    double s = 0.0;
    for (double x : c) s += x;
    return s;
}

// Impurity masses and gains by their definitions.
double gini_mass(const Counts& c) {
    double squares = 0.0;
    for (double x : c) squares += x * x;
    return sum(c) > 0.0 ? sum(c) - squares / sum(c) : 0.0;
}
double entropy_mass(const Counts& c) {
    double mass = 0.0;
    for (double x : c)
        if (x > 0.0) mass += x * std::log2(sum(c) / x);
    return mass;
}
double error_mass(const Counts& c) { return sum(c) - *std::max_element(c.begin(), c.end()); }

template <double (*Mass)(const Counts&)>
double decrease(const Counts& left, const Counts& right) {
    Counts total = left;
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += right[k];
    return Mass(total) - Mass(left) - Mass(right);
}
double hellinger_gain(const Counts& left, const Counts& right) {
    double pairs = 0.0, distance = 0.0;
    for (std::size_t j = 0; j < left.size(); ++j)
        for (std::size_t k = 0; k < j; ++k) {
            const double nj = left[j] + right[j], nk = left[k] + right[k];
            if (!(nj > 0.0 && nk > 0.0)) continue;
            pairs += 1.0;
            distance += 1.0 - std::sqrt(left[j] / nj * left[k] / nk) - std::sqrt(right[j] / nj * right[k] / nk);
        }
    return pairs > 0.0 ? (sum(left) + sum(right)) * distance / pairs : 0.0;
}

using Gain = double (*)(const Counts&, const Counts&);

// A bin with counts left and right of it. With `error`, the bounds use weights rounded down by at most this amount.
template <class Bounds>
void classes(const char* name, const Bounds& initial, Gain gain, std::size_t n_classes, double error,
             std::uint64_t seed) {
    Numbers numbers(seed);
    for (int round = 0; round < 300; ++round) {
        const bool first = round % 5 == 0, last = round % 7 == 0;
        const auto draw = [&](std::uint32_t most) {
            Counts c(n_classes);
            for (double& x : c) x = numbers.below(most + 1);
            return c;
        };
        const Counts left = first ? Counts(n_classes) : draw(round % 2 ? 4 : 30),
                     right = last ? Counts(n_classes) : draw(round % 3 ? 4 : 30), cell = draw(n_classes > 3 ? 2 : 4);
        Counts total(n_classes);
        for (std::size_t k = 0; k < n_classes; ++k) total[k] = left[k] + cell[k] + right[k];
        if (sum(cell) < 2.0 || sum(total) < 2.0) continue;
        const auto seen = [&](Counts c) {
            for (double& x : c) x = std::max(0.0, x - error * numbers.uniform());
            return c;
        };
        Bounds bounds = initial;
        bounds.begin(seen(total).data(), n_classes, sum(total), error, 0.0);
        split::BinPlace place;
        place.rows = sum(cell);
        place.first = sum(left) == 0.0;
        place.last = sum(right) == 0.0;
        place.ends_count = !place.first && !place.last && numbers.bits() & 1;
        const Counts left_seen = seen(left);
        const double inside = bounds.inside(left_seen.data(), seen(cell).data(), place, 0.0);
        // All parts of the bin that are on the left in some order of its rows.
        const auto at = [&](const Counts& part) {
            Counts l = left, r = right;
            for (std::size_t k = 0; k < n_classes; ++k) l[k] += part[k], r[k] += cell[k] - part[k];
            return sum(l) > 0.0 && sum(r) > 0.0 ? gain(l, r) : 0.0;
        };
        const double ends = std::max(at(Counts(n_classes)), at(cell));
        const double tiny = 1e-9 * sum(total);
        Counts part(n_classes);
        const std::function<void(std::size_t)> each = [&](std::size_t k) {
            if (k < n_classes) {
                for (part[k] = 0.0; part[k] <= cell[k]; part[k] += 1.0) each(k + 1);
                return;
            }
            if (sum(part) == 0.0 || sum(part) == sum(cell)) return;
            const double truth = at(part);
            check(truth <= inside + tiny || (place.ends_count && truth <= ends + tiny), name);
            if constexpr (requires { bounds.between(0.0, 0.0, 0.0); })
                check(truth <= bounds.between(at(Counts(n_classes)), at(cell), sum(cell)) + tiny, "between");
        };
        each(0);
        if (place.first) continue;
        const double boundary = at(Counts(n_classes));
        const split::Range range = bounds.gain(left_seen.data());
        check(sum(cell) + sum(right) == 0.0 || (range.low <= boundary + tiny && boundary <= range.high + tiny),
              "the gain of a boundary lies in its range");
        if (error == 0.0) check_near(range.low, range.high, 1e-6 * sum(total), "which is narrow for whole counts");
    }
}

// Numbers: all parts of the rows of the bin, at most 10 rows.
using Moments = std::vector<double>;  // weight, sum, sum of squares

double squared_gain(const Moments& l, const Moments& r) {
    const double gap = l[1] / l[0] - r[1] / r[0];
    return gap * gap * l[0] * r[0] / (l[0] + r[0]);
}
double poisson_gain(const Moments& l, const Moments& r) {
    const double mean = (l[1] + r[1]) / (l[0] + r[0]);
    const auto side = [mean](const Moments& m) { return m[1] > 0.0 ? m[1] * std::log(m[1] / (m[0] * mean)) : 0.0; };
    return side(l) + side(r);
}

template <class Bounds>
void moments(const char* name, const Bounds& initial, double (*gain)(const Moments&, const Moments&), bool counts,
             std::uint64_t seed) {
    Numbers numbers(seed);
    for (int round = 0; round < 200; ++round) {
        const auto value = [&] { return counts ? static_cast<double>(numbers.below(5)) : numbers.spread(2); };
        const auto draw = [&](std::size_t n, std::vector<double>& y) {
            Moments m(3);
            for (std::size_t i = 0; i < n; ++i) {
                y.push_back(value());
                m[0] += 1.0, m[1] += y.back(), m[2] += y.back() * y.back();
            }
            return m;
        };
        std::vector<double> y, others;
        const Moments left = draw(round % 5 ? 1 + numbers.below(20) : 0, others),
                      right = draw(round % 7 ? 1 + numbers.below(20) : 0, others), cell = draw(2 + numbers.below(7), y);
        Moments total(3);
        for (std::size_t f = 0; f < 3; ++f) total[f] = left[f] + cell[f] + right[f];
        if (counts && total[1] == 0.0) continue;
        Bounds bounds = initial;
        bounds.begin(total.data(), 3, total[0], 0.0, 0.0);
        split::BinPlace place;
        place.rows = cell[0];
        place.first = left[0] == 0.0;
        place.last = right[0] == 0.0;
        place.ends_count = false;
        const double inside = bounds.inside(left.data(), cell.data(), place, 0.0), tiny = 1e-9 * total[0];
        for (unsigned chosen = 1; chosen + 1 < 1u << y.size(); ++chosen) {
            Moments l = left, r = right;
            for (std::size_t i = 0; i < y.size(); ++i) {
                Moments& side = chosen >> i & 1u ? l : r;
                side[0] += 1.0, side[1] += y[i], side[2] += y[i] * y[i];
            }
            check(gain(l, r) <= inside + tiny, name);
        }
        if (place.first) continue;
        Moments rest = right;
        for (std::size_t f = 0; f < 3; ++f) rest[f] += cell[f];
        const split::Range range = bounds.gain(left.data());
        const double boundary = gain(left, rest);
        check(range.low <= boundary + tiny && boundary <= range.high + tiny, "the gain of a boundary is in its range");
    }
}

const Suite suite("bounds", [] {
    for (std::size_t k : {2, 3, 5})
        for (double error : {0.0, 0.01}) {
            const std::uint64_t seed = 10 * k + (error > 0.0);
            classes("gini", split::GiniBounds(criteria::Gini{}), decrease<gini_mass>, k, error, seed);
            classes("entropy", split::EntropyBounds(criteria::Entropy({1000, false})), decrease<entropy_mass>, k, error,
                    seed);
            classes("error", split::ErrorBounds(criteria::Error{}), decrease<error_mass>, k, error, seed);
            classes("hellinger", split::HellingerBounds(criteria::Hellinger{}), hellinger_gain, k, error, seed);
        }
    moments("squared error", split::SquaredErrorBounds(criteria::SquaredError{}), squared_gain, false, 8);
    moments("poisson", split::PoissonBounds(criteria::Poisson({1000, false})), poisson_gain, true, 9);
});

}  // namespace

}  // namespace ceiba::tests
