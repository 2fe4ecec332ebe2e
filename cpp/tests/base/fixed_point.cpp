// Tests integers with several limbs against exact expansions, and the three widths against each other.
#include "base/fixed_point.hpp"

#include <limits>
#include <vector>

#include "check.hpp"

namespace ceiba::tests {

namespace {

using base::BitRange;
using base::Expansion;
using base::FixedPoint;

// Sums, differences, distances and order of random terms that fit the width.
template <int Limbs>
void compare_with_expansions(int exponent, std::uint64_t seed) {
    Numbers numbers(seed);
    for (int round = 0; round < 200; ++round) {
        std::vector<double> terms(20);
        BitRange range;
        for (double& t : terms) range.include(t = numbers.spread(exponent));
        check(range.bits_of_sum(terms.size()) <= 64 * Limbs, "the terms fit the width");
        const int unit = range.unit();
        FixedPoint<Limbs> sum;
        Expansion true_sum;
        for (double t : terms) sum += FixedPoint<Limbs>(t, unit), true_sum = true_sum + Expansion(t);
        check((base::exact(sum, unit) - true_sum).sign() == 0, "the sum is exact");
        check(sum.negative() == (true_sum.sign() < 0), "and has its sign");
        for (std::size_t i = 0; i + 1 < terms.size(); ++i) {
            const FixedPoint<Limbs> a(terms[i], unit), b(terms[i + 1], unit);
            check((a < b) == (terms[i] < terms[i + 1]), "order");
            check((base::exact(distance(a, b), unit) - Expansion(std::fmax(terms[i], terms[i + 1])) +
                   Expansion(std::fmin(terms[i], terms[i + 1])))
                          .sign() == 0,
                  "distance");
            check(base::precise(a, unit).value() == terms[i], "there and back");
        }
        for (double t : terms) sum -= FixedPoint<Limbs>(t, unit);
        check((base::exact(sum, unit)).sign() == 0, "all terms taken away leave nothing");
    }
}

void run() {
    compare_with_expansions<2>(30, 3);
    compare_with_expansions<4>(80, 4);
    compare_with_expansions<34>(900, 5);
    const double least = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max();
    BitRange range;
    range.include(least);
    range.include(-most);
    check(range.bits_of_sum(0xFFFFFFFFu) <= 64 * 34, "34 limbs hold the sums of any finite doubles");
    const FixedPoint<34> small(least, range.unit()), large(-most, range.unit());
    check(large < small && (small + large).negative(), "the smallest beside the largest");
    check(base::precise(small + large - large, range.unit()).value() == least, "loses nothing");
    BitRange none;
    none.include(0.0);
    check(none.empty() && none.unit() == 0, "zeros have no bits");
    check(!FixedPoint<2>(0.0, 0).negative() && !FixedPoint<4>(-0.0, 0).negative(), "zero has no sign");
}

const Suite suite("fixed_point", run);

}  // namespace

}  // namespace ceiba::tests
