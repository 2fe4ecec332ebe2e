// Tests sums in digits against exact expansions, in any order and any number of parts.
#include <cmath>
#include <vector>

#include "base/expansion.hpp"
#include "check.hpp"
#include "shards/cells.hpp"

namespace ceiba::tests {

namespace {

using base::Expansion;
using shards::NumberDigits;

void compare_with_expansions(int exponent, int unit, std::size_t n_digits, bool must_be_exact, std::uint64_t seed) {
    Numbers numbers(seed);
    for (int round = 0; round < 100; ++round) {
        std::vector<double> terms(1 + numbers.below(40));
        for (double& t : terms) t = numbers.spread(exponent);
        std::vector<std::uint64_t> forward(n_digits, 0), first(n_digits, 0), second(n_digits, 0);
        for (double t : terms) NumberDigits(t, unit).add_to(forward.data());
        for (std::size_t i = terms.size(); i-- > 0;)
            NumberDigits(terms[i], unit).add_to(i % 3 ? first.data() : second.data());
        for (std::size_t d = 0; d < n_digits; ++d) first[d] += second[d];
        check(forward == first, "parts in another order have the same digits");
        const base::LongSum sum = shards::sum_of(forward.data(), n_digits, unit);
        Expansion whole, size;
        for (double t : terms) whole = whole + Expansion(t), size = size + Expansion(std::fabs(t));
        const Expansion off = whole - Expansion{sum.lo, sum.mid, sum.hi}, most = size * Expansion(0x1p-140);
        if (must_be_exact) check(off.sign() == 0, "the sum is exact");
        check((most - off).sign() >= 0 && (most + off).sign() >= 0, "three doubles hold 140 bits of it");
        for (double t : terms) NumberDigits(-t, unit).add_to(forward.data());
        check(shards::sum_of(forward.data(), n_digits, unit).value() == 0.0, "what is added can be taken away");
    }
}

const Suite suite("shard_digits", [] {
    compare_with_expansions(20, -53 - 20, shards::digits_for(-53 - 20, 21) + 2, true, 1);
    compare_with_expansions(40, -53 - 40, shards::digits_for(-53 - 40, 41) + 2, true, 2);
    compare_with_expansions(300, shards::any_unit, shards::any_digits, false, 3);
    for (double x : {0.0, 1.0, -1.0, 0x1p-1074, -0x1p-1074, 0x1.fffffffffffffp+1023, 0x1p-1022}) {
        std::vector<std::uint64_t> digits(shards::any_digits, 0);
        NumberDigits(x, shards::any_unit).add_to(digits.data());
        check(shards::sum_of(digits.data(), digits.size(), shards::any_unit).value() == x, "there and back");
    }
});

}  // namespace

}  // namespace ceiba::tests
