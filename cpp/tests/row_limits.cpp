// Tests counts and sums of more rows than a test can contain: synthetic ones near the limits of their words.
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/expansion.hpp"
#include "check.hpp"
#include "criteria/class_division.hpp"
#include "shards/cells.hpp"

namespace ceiba::tests {

namespace {

using base::Expansion;
using criteria::BinaryDivision;

// Up to 2^32 - 1 rows, for which products of counts exceed 2^63 and 2^64.
void shifts_of_two_classes() {
    Numbers numbers(1);
    for (const std::int64_t n : {std::int64_t{1} << 31, (std::int64_t{1} << 32) - 1}) {
        for (int round = 0; round < 2000; ++round) {
            const auto part = [&](std::int64_t of) {
                return static_cast<std::int64_t>(numbers.uniform() * static_cast<double>(of));
            };
            const std::int64_t ones = round % 5 ? part(n) : n / 2, zeros = n - ones;
            BinaryDivision::Left left;
            left.ones = round % 3 ? part(ones) : ones;
            left.n = left.ones + (round % 3 == 1 ? zeros : part(zeros));
            BinaryDivision division(2, nullptr);
            division.set_total({n, ones});
            division.put_back(left);
            const auto number = [](std::int64_t x) { return Expansion(static_cast<double>(x)); };
            const Expansion exact = number(n) * number(left.ones) - number(left.n) * number(ones);
            const Expansion off = exact - Expansion(division.shift());
            const Expansion most = Expansion(std::fabs(division.shift()) * 0x1p-53);
            check((most - off).sign() >= 0 && (most + off).sign() >= 0, "the shift is the exact one, rounded once");
        }
    }
}

// Three classes: identities of sums of squares, up to the row count above which they are not used.
void squares_of_classes() {
    const double n = static_cast<double>(criteria::UnitDivision::most_rows);
    const std::vector<double> total{n - 2.0, 1.0, 1.0}, left{n - 3.0, 1.0, 0.0};
    criteria::UnitDivision division(3, nullptr);
    division.set_total(division.part_of(total.data()));
    division.put_back(division.part_of(left.data()));
    check(division.squares_are_exact(), "so many rows are counted");
    check(division.left_squares() == (n - 3.0) * (n - 3.0) + 1.0, "squares on the left");
    check(division.right_squares() == 2.0, "squares on the right, by difference");

    data::TargetRows target;
    target.n_classes = {3};
    target.labels.resize(1);
    check(!criteria::too_many_to_count(target), "an empty table is counted");
}

// With weights of classes instead, far more than 2^32 rows.
void weights_of_many_rows() {
    const double n = 0x1p45;
    std::vector<base::LongSum> total(3), left(3);
    for (std::size_t k = 0; k < 3; ++k) total[k].add(n + static_cast<double>(k)), left[k].add(static_cast<double>(k));
    criteria::WeightedDivision division(3, nullptr);
    division.set_total(total, 0.0);
    division.put_back(left);
    check(division.right(2) == n && division.right(0) == n, "differences are exact");
    const Expansion squares = division.right_exact(1) * division.right_exact(1);
    check((squares - Expansion(0x1p90)).sign() == 0, "and so are their squares");
}

// 2^31 rows in a shard, and 2^30 such shards: words come near to 2^63 and must not wrap.
void digits_of_many_shards() {
    for (const double y : {0x1.fffffffffffffp+20, -0x1.fffffffffffffp+20, 0x1p-32}) {
        const int unit = -32;
        const std::size_t n = shards::digits_for(unit, 21) + 2;
        std::vector<std::uint64_t> row(n, 0), shard(n, 0), all(n, 0);
        shards::NumberDigits(y, unit).add_to(row.data());
        const std::uint64_t rows = std::uint64_t{1} << 31, n_shards = std::uint64_t{1} << 30;
        for (std::size_t d = 0; d < n; ++d) shard[d] = row[d] * rows;
        const double exact = y * 0x1p31;
        check(shards::sum_of(shard.data(), n, unit).value() == exact, "2^31 rows before they are carried");
        shards::carry(shard.data(), n);
        for (std::size_t d = 0; d + 1 < n; ++d) check(shard[d] < (std::uint64_t{1} << 32), "digits are carried");
        check(shards::sum_of(shard.data(), n, unit).value() == exact, "and after");
        for (std::size_t d = 0; d < n; ++d) all[d] = shard[d] * n_shards;
        check(shards::sum_of(all.data(), n, unit).value() == exact * 0x1p30, "2^30 such shards");
        for (std::size_t d = 0; d < n; ++d) all[d] -= shard[d] * (n_shards - 1);
        check(shards::sum_of(all.data(), n, unit).value() == exact, "and all but one of them taken away");
    }
}

// Cells of the same rows are equal for any distribution of the rows over shards.
void cells_in_parts() {
    Numbers numbers(3);
    shards::CellShape shape = shards::CellShape::of_numbers(-8.0, 8.0, -60, 4, 1000, false);
    shape.weigh(-20, 5);
    std::vector<std::uint64_t> whole(shape.width(), 0), sum(shape.width(), 0), part(shape.width(), 0);
    for (int i = 0; i < 1000; ++i) {
        const double y = std::ldexp(std::floor(std::ldexp(numbers.uniform() - 0.5, 20)), -17),
                     w = std::ldexp(1.0 + std::floor(numbers.uniform() * 1000.0), -10);
        const shards::WeightedNumberTerm term(shape, y, w);
        term.add_to(whole.data());
        term.add_to(part.data());
        if (i % 7 && i != 999) continue;
        shape.carry(part.data());
        for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += part[d];
        part.assign(shape.width(), 0);
    }
    check(shape.alike(whole, sum), "the same sums");
    ++sum[3];
    check(!shape.alike(whole, sum), "other sums");
}

const Suite suite("row_limits", [] {
    shifts_of_two_classes();
    squares_of_classes();
    weights_of_many_rows();
    digits_of_many_shards();
    cells_in_parts();
});

}  // namespace

}  // namespace ceiba::tests
