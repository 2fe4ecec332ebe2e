// Tests the radix sort against std::stable_sort.
#include "base/sort.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "check.hpp"

namespace ceiba::tests {

namespace {

void compare(std::size_t n, bool part, const std::function<double()>& draw, base::SortSpace& space) {
    std::vector<double> x(n);
    std::vector<std::uint64_t> key(n);
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = draw() + 0.0;  // no negative zeros
        key[i] = base::sort_key(x[i]);
        if (!part || i % 3) rows.push_back(static_cast<std::uint32_t>(i));
    }
    std::vector<std::uint32_t> expected = rows;
    std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) { return x[a] < x[b]; });
    base::sort_rows(key, rows, space);
    check(rows == expected, "rows are in stable order");
}

void run() {
    Numbers numbers(7);
    base::SortSpace space;  // reused for larger and smaller inputs
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<std::function<double()>> draws = {
        [&] { return numbers.uniform(); },
        [&] { return numbers.spread(300); },
        [&] { return static_cast<double>(numbers.below(3)) - 1.0; },
        [&] { return 1.0 + static_cast<double>(numbers.below(1000)) * 0x1p-52; },
        [&] { return (numbers.bits() & 1 ? 1.0 : -1.0) + static_cast<double>(numbers.below(5)) * 0x1p-50; },
        [&] { return 42.0; },
        [&] { return numbers.below(50)    ? numbers.spread(3)
                     : numbers.bits() & 1 ? infinity
                                          : -infinity; },
    };
    for (std::size_t n : {0, 1, 2, 511, 512, 513, 5000, 40000})
        for (const auto& draw : draws)
            for (bool part : {false, true}) compare(n, part, draw, space);
    for (int i = 0; i < 10000; ++i) {
        const double a = numbers.spread(1000), b = numbers.spread(1000);
        check((base::sort_key(a) < base::sort_key(b)) == (a < b), "keys have the order of the numbers");
    }
}

const Suite suite("radix_sort", run);

}  // namespace

}  // namespace ceiba::tests
