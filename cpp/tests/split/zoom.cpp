// Tests the arithmetic of zoom (split/survey/marks.hpp, split/survey/zoom.hpp): parts preserve the order of values, and
// a part reported as a single value has one.
#include "split/survey/zoom.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "check.hpp"

namespace ceiba::tests {

namespace {

using split::key_of;
using split::ZoomPlan;

// The values of a range with one of four shapes: spread over many exponents, close together, few distinct, mostly zero.
std::vector<double> values(Numbers& numbers, int shape, bool single) {
    std::vector<double> out(1 + numbers.below(300));
    for (double& x : out) {
        if (shape == 0) x = numbers.spread(30);
        if (shape == 1) x = 1.0 + static_cast<double>(numbers.below(1000)) * 0x1p-40;
        if (shape == 2) x = static_cast<double>(numbers.below(3)) - 1.0;
        if (shape == 3) x = numbers.below(20) ? 0.0 : numbers.spread(5);
        if (numbers.below(50) == 0) x = std::numeric_limits<double>::infinity() * (numbers.below(2) ? 1.0 : -1.0);
        if (single) x = static_cast<double>(static_cast<float>(x));
    }
    return out;
}

void parts_keep_order(bool single, std::uint64_t seed) {
    Numbers numbers(seed);
    for (int round = 0; round < 400; ++round) {
        const std::vector<double> all = values(numbers, round % 4, single);
        ZoomPlan step;
        step.bits = 1 + static_cast<int>(numbers.below(8));
        step.n_parts = (1u << step.bits) + 2;
        step.unit = single ? 29 : 0;
        for (std::size_t i = 0; i < all.size(); i += 1 + numbers.below(5)) {  // a sample
            step.low = std::min(step.low, key_of(all[i]));
            step.high = std::max(step.high, key_of(all[i]));
        }
        step.shift = split::zoom_shift(step.low, step.high, step.bits);
        std::map<double, std::uint32_t> part;
        for (double x : all) part[x] = step.part_of(key_of(x));
        std::uint32_t last = 0;
        std::map<std::uint32_t, std::set<double>> inside;
        for (const auto& [x, p] : part) {
            check(p >= last && p < step.n_parts, "larger values have no lower part");
            last = p;
            inside[p].insert(x);
        }
        for (const auto& [p, different] : inside)
            if (step.one_value(p)) check(different.size() == 1, "a part of one value has one");
    }
}

void keys_are_ordered() {
    const double inf = std::numeric_limits<double>::infinity();
    const std::vector<double> ascending{-inf, -0x1.fp1023, -1.0, -0x1p-1074, 0.0, 0x1p-1074, 1.0, 0x1.fp1023, inf};
    for (std::size_t i = 0; i < ascending.size(); ++i) {
        check(split::number_of(key_of(ascending[i])) == ascending[i], "there and back");
        if (i > 0) check(key_of(ascending[i - 1]) < key_of(ascending[i]), "keys ascend");
    }
    check(key_of(-0.0) == key_of(0.0), "both zeros are one");
    check(split::zoom_shift(5, 5) == 0 && split::zoom_shift(0, 255) == 0 && split::zoom_shift(0, 256) == 1, "shifts");
    check((~std::uint64_t{0} >> split::zoom_shift(0, ~std::uint64_t{0})) == split::zoom_parts - 1, "the whole range");
}

// Ranges in the form that lay_out() reads.
struct Ranges {
    std::vector<double> n;
    std::size_t size() const { return n.size(); }
    double rows(std::size_t i) const { return n[i]; }
};

void layouts_keep_what_is_open() {
    Numbers numbers(9);
    for (int round = 0; round < 300; ++round) {
        Ranges column;
        split::Marks marks;
        for (std::size_t i = 0, size = 1 + numbers.below(round % 2 ? 255 : 4000); i < size; ++i) {
            column.n.push_back(numbers.below(4) ? static_cast<double>(numbers.below(100'000)) : 0.0);
            marks.sides[0].push_back(column.n.back() > 0.0 ? static_cast<std::uint8_t>(numbers.below(4)) : 0);
        }
        std::vector<ZoomPlan> plans;
        const double per_part = 1.0 + numbers.below(200);
        const split::ZoomLayout layout =
            split::lay_out(column, marks, column.size(), 1 + numbers.below(60), per_part, plans);
        check(layout.fits == (layout.n_places <= 65535), "16 bits hold a place");
        std::size_t next = 0, last = 0;
        bool after_open = true;  // whether a cut inside the last range, or at its end, may win
        for (std::size_t i = 0; i < column.size(); ++i) {
            if (column.n[i] == 0.0) continue;
            const bool open = marks.of(i) & split::Marks::inside;
            check(plans[i].open == open, "what is open stays so");
            check((plans[i].n_parts > 0) == (open && column.n[i] >= 4.0 * per_part), "and is zoomed if it is large");
            const bool joined = !after_open && !open && plans[i].first == last && next == last + 1;
            check(joined || plans[i].first == next, "places ascend");
            if (!joined) next = plans[i].first + std::max(plans[i].n_parts, 1u);
            last = plans[i].first;
            after_open = open || (marks.of(i) & split::Marks::after);
        }
        check(next == layout.n_places, "all places are used");
    }
}

const Suite suite("zoom", [] {
    keys_are_ordered();
    parts_keep_order(false, 1);
    parts_keep_order(true, 2);
    layouts_keep_what_is_open();
});

}  // namespace

}  // namespace ceiba::tests
