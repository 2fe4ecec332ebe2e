// Tests orders by score against std::stable_sort.
#include "base/sort.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "check.hpp"

namespace ceiba::tests {

namespace {

void run() {
    Numbers numbers(17);
    for (int round = 0; round < 300; ++round) {
        const std::size_t n = numbers.below(60);
        std::vector<double> score(n);
        std::vector<std::string> items(n);
        for (std::size_t i = 0; i < n; ++i) {
            score[i] = round % 2 ? static_cast<double>(numbers.below(5)) - 2.0 : numbers.spread(3);
            if (numbers.below(20) == 0) score[i] = -std::numeric_limits<double>::infinity();
            if (score[i] == 0.0 && numbers.bits() & 1) score[i] = -0.0;  // tied with 0
            items[i] = std::to_string(i);
        }
        std::vector<std::size_t> expected(n);
        for (std::size_t i = 0; i < n; ++i) expected[i] = i;
        std::stable_sort(expected.begin(), expected.end(),
                         [&](std::size_t a, std::size_t b) { return score[a] < score[b]; });
        const std::vector<std::uint32_t> order = base::ascending(score);
        base::sort_by(score, items);
        check(order.size() == n && items.size() == n, "nothing is lost");
        for (std::size_t i = 0; i < n; ++i) {
            check(order[i] == expected[i], "positions are in stable order");
            check(items[i] == std::to_string(expected[i]), "items are in stable order");
        }
    }
}

const Suite suite("ascending", run);

}  // namespace

}  // namespace ceiba::tests
