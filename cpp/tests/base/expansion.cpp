// Tests exact arithmetic against integers, and identities of arbitrary doubles.
#include "base/expansion.hpp"

#include "check.hpp"

namespace ceiba::tests {

namespace {

using base::Expansion;
using Whole = std::int64_t;

int sign(Whole x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

void run() {
    Numbers numbers(2);
    for (int i = 0; i < 5000; ++i) {
        const auto small = [&] { return static_cast<Whole>(numbers.below(2001)) - 1000; };
        const Whole a = small(), b = small(), c = small(), d = small();
        const auto of = [](Whole x) { return Expansion(static_cast<double>(x)); };
        check((of(a) * of(b) + of(c) * of(d)).sign() == sign(a * b + c * d), "sign of a b + c d");
        check((of(a) * of(b) - of(c)).sign() == sign(a * b - c), "sign of a b - c");
        if (b > 0 && d > 0)
            check(base::compare({of(a), of(b)}, {of(c), of(d)}) == sign(a * d - c * b), "fractions compare by value");
    }
    for (int i = 0; i < 2000; ++i) {
        const Expansion x(numbers.spread(40)), y(numbers.spread(40)), z(numbers.spread(40));
        check(((x + y) * (x - y) - (x * x - y * y)).sign() == 0, "(x + y)(x - y) = x^2 - y^2");
        check(((x + y) * z - (x * z + y * z)).sign() == 0, "products distribute");
        check(((x + y) + z - (z + (y + x))).sign() == 0, "sums forget the order");
        const Expansion tiny(0x1p-300);
        check((x * y + tiny - y * x).sign() == 1, "nothing is too small to count");
        check((x * y - tiny - y * x).sign() == -1, "on either side");
        check(Expansion({1e300, 1.0, -1e300}).sign() == 1, "terms of any size");
    }
    check(!(Expansion(1e300) * Expansion(1e300)).finite(), "what overflows says so");
    check(base::compare({Expansion(1e300) * Expansion(1e300), 1.0}, {1.0, 1.0}) == 0, "and is not compared");
}

const Suite suite("expansion", run);

}  // namespace

}  // namespace ceiba::tests
