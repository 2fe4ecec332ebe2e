// Tests the bin of a value against a binary search, with narrow and wide registers.
#include "split/bins/edge_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"

namespace ceiba::tests {

namespace {

template <class T>
void compare(Numbers& numbers, const std::vector<double>& edges) {
    using Search = split::EdgeSearch<T>;
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const Search search(edges);
    for (int round = 0; round < 40; ++round) {
        T x[Search::lanes];
        std::uint32_t bin[Search::lanes];
        for (T& value : x) {
            const T near =
                edges.empty() ? T{1} : static_cast<T>(edges[numbers.below(static_cast<std::uint32_t>(edges.size()))]);
            const T choices[] = {near,
                                 std::nextafter(near, infinity),
                                 std::nextafter(near, -infinity),
                                 static_cast<T>(numbers.spread(40)),
                                 infinity,
                                 -infinity,
                                 std::numeric_limits<T>::quiet_NaN(),
                                 T{-0.0}};
            value = choices[numbers.below(8)];
        }
        search.find(x, bin);
        for (std::size_t i = 0; i < Search::lanes; ++i) {
            const auto below = std::lower_bound(edges.begin(), edges.end(), static_cast<double>(x[i])) - edges.begin();
            check(bin[i] == (std::isnan(x[i]) ? split::missing_bin : static_cast<std::uint32_t>(below)), "bin");
        }
    }
}

void run() {
    Numbers numbers(11);
    for (bool wide : {false, true}) {
        base::wide_registers_allowed = wide;
        for (std::size_t n : {0u, 1u, 2u, 7u, 8u, 9u, 100u, 253u, 254u})
            for (int exponent : {0, 3, 60}) {  // even spacing, and spacing so uneven that the table is useless
                std::vector<double> edges;
                while (edges.size() < n) {
                    const double edge = exponent ? numbers.spread(exponent) : 2.0 * numbers.uniform() - 1.0;
                    edges.push_back(static_cast<double>(static_cast<float>(edge)));
                    std::sort(edges.begin(), edges.end());
                    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
                }
                compare<float>(numbers, edges);
                compare<double>(numbers, edges);
            }
    }
    base::wide_registers_allowed = true;
}

const Suite suite("edge_search", run);

}  // namespace

}  // namespace ceiba::tests
