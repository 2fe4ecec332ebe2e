// Tests double-double numbers against 128-bit integers, and sums in any order.
#include "base/double_double.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/expansion.hpp"
#include "check.hpp"

namespace ceiba::tests {

namespace {

using base::DoubleDouble;

#ifdef __SIZEOF_INT128__  // not available on 32-bit machines
__extension__ using Whole = __int128;

// Exact for integers of up to 106 bits.
DoubleDouble of(Whole x) {
    const double hi = static_cast<double>(x);
    return {hi, static_cast<double>(x - static_cast<Whole>(hi))};
}
Whole whole(DoubleDouble x) { return static_cast<Whole>(x.hi) + static_cast<Whole>(x.lo); }

void check_against_integers(Numbers& numbers) {
    const auto integer = [&](int bits) {
        const auto x = static_cast<Whole>(numbers.bits() >> (64 - bits));
        return numbers.bits() & 1 ? -x : x;
    };
    for (int i = 0; i < 20000; ++i) {
        const Whole a = integer(53), b = integer(53), c = integer(60), d = integer(40);
        const double x = static_cast<double>(a), y = static_cast<double>(b);
        check(whole(base::two_sum(x, y)) == a + b, "two_sum loses nothing");
        check(whole(base::two_product(x, y)) == a * b, "two_product loses nothing");
        check(whole(of(c) + of(d)) == c + d, "sum of two double-doubles");
        check(whole(of(c) - of(d)) == c - d, "difference of two double-doubles");
        check(whole(of(c) * of(d)) == c * d, "product of 100 bits");
        check((of(c) < of(d)) == (c < d), "order");
        if (d != 0) {
            const DoubleDouble back = of(c) / of(d) * of(d) - of(c);
            check(std::fabs(back.value()) <= std::fabs(of(c).hi) * 0x1p-98, "quotient to 100 bits");
        }
    }
}
#else
void check_against_integers(Numbers&) {}
#endif

void run() {
    Numbers numbers(1);
    check_against_integers(numbers);
    // The same terms in three orders; the largest is 2^60 times the smallest.
    for (int round = 0; round < 50; ++round) {
        std::vector<double> terms(2000);
        for (double& t : terms) t = std::fabs(numbers.spread(30));
        double first_long = 0.0;
        DoubleDouble first;
        for (int order = 0; order < 3; ++order) {
            base::Sum sum;
            base::LongSum long_sum;
            base::Expansion truth;
            for (double t : terms) sum.add(t), long_sum.add(t), truth = truth + base::Expansion(t);
            check((truth - base::Expansion({long_sum.lo, long_sum.mid, long_sum.hi})).sign() == 0,
                  "a long sum loses nothing");
            if (order == 0) first = sum.precise(), first_long = long_sum.value();
            check((sum.precise() - first).value() == 0.0 ||
                      std::fabs((sum.precise() - first).value()) <= first.hi * 0x1p-90,
                  "a compensated sum forgets the order to 90 bits");
            check(long_sum.value() == first_long, "a long sum forgets the order altogether");
            long_sum.subtract(long_sum);
            check(long_sum.value() == 0.0, "a long sum minus itself is nothing");
            std::reverse(terms.begin(), terms.end());
            if (order == 1) std::sort(terms.begin(), terms.end());
        }
    }
    base::WeightSum weights;
    for (int i = 0; i < 1000; ++i) weights.add(1.0);
    weights.add(0x1p-60);
    weights.add(-0x1p-60);
    check(weights.ones == 1000 && weights.value() == 1000.0, "ones are counted");
}

const Suite suite("double_double", run);

}  // namespace

}  // namespace ceiba::tests
