// Tests the best stumps of all pairs of binary columns against row-by-row counts, with and without AVX-512.
#include "optimal/exact/pair_counts.hpp"

#include "check.hpp"

namespace ceiba::tests {

namespace {

using namespace optimal;

struct Rows {
    std::vector<std::vector<bool>> bit;  // by row and column
    std::vector<std::uint32_t> label;
    std::uint32_t n_columns = 0, n_classes = 0;
};

Rows draw(Numbers& numbers) {
    Rows rows;
    rows.n_columns = 1 + numbers.below(80);
    rows.n_classes = 2 + numbers.below(3);
    const std::uint32_t n = 1 + numbers.below(600), rare = 1 + numbers.below(12);
    for (std::uint32_t i = 0; i < n; ++i) {
        rows.label.push_back(numbers.below(rows.n_classes));
        rows.bit.emplace_back();
        for (std::uint32_t c = 0; c < rows.n_columns; ++c) rows.bit.back().push_back(numbers.below(rare + 1) == 0);
    }
    return rows;
}

// The number of rows that the best stump or leaf on one side of column f classifies correctly.
std::int32_t brute(const Rows& rows, const std::vector<std::uint32_t>& node, const std::vector<std::uint32_t>& columns,
                   std::uint32_t f, bool side, std::uint32_t min_rows) {
    std::int32_t best = 0;
    for (std::uint32_t g : columns) {
        std::vector<std::int32_t> count[2] = {std::vector<std::int32_t>(rows.n_classes),
                                              std::vector<std::int32_t>(rows.n_classes)};
        std::uint32_t size[2] = {};
        for (std::uint32_t i : node)
            if (rows.bit[i][f] == side) ++count[rows.bit[i][g]][rows.label[i]], ++size[rows.bit[i][g]];
        if (g != f && std::min(size[0], size[1]) < min_rows) continue;  // column f itself: a leaf
        best = std::max(best, *std::max_element(count[0].begin(), count[0].end()) +
                                  *std::max_element(count[1].begin(), count[1].end()));
    }
    return best;
}

void compare(Numbers& numbers, const Rows& rows) {
    const std::size_t n_blocks = (rows.n_columns + 63) / 64;
    std::vector<std::uint64_t> bits(rows.bit.size() * n_blocks, 0);
    for (std::size_t i = 0; i < rows.bit.size(); ++i)
        for (std::size_t c = 0; c < rows.n_columns; ++c)
            bits[i * n_blocks + c / 64] |= std::uint64_t{rows.bit[i][c]} << c % 64;
    BitRows node;
    node.begin.push_back(0);
    for (std::uint32_t k = 0; k < rows.n_classes; ++k) {
        for (std::uint32_t i = 0; i < rows.bit.size(); ++i)
            if (rows.label[i] == k && numbers.below(4)) node.row.push_back(i);
        node.begin.push_back(static_cast<std::uint32_t>(node.row.size()));
    }
    NodeBits of_node;
    of_node.fill(node, bits.data(), n_blocks, rows.n_columns);
    std::vector<std::uint32_t> dividing;
    for (std::uint32_t c = 0; c < rows.n_columns; ++c) {
        std::int32_t ones = 0;
        for (std::uint32_t i : node.row) ones += rows.bit[i][c];
        if (ones > 0 && ones < static_cast<std::int32_t>(node.size())) {
            dividing.push_back(c);
            check(dividing.size() <= of_node.n_columns() && of_node.n_ones[dividing.size() - 1] == ones,
                  "the rows of a column are counted");
        }
    }
    check(of_node.column == dividing, "columns that divide the rows are kept");
    const std::uint32_t min_rows = 1 + numbers.below(3);
    PairCounts pairs;
    pairs.scan(node, of_node, min_rows);
    for (int trial = 0; trial < 6 && !dividing.empty(); ++trial) {
        const std::uint32_t c = numbers.below(static_cast<std::uint32_t>(dividing.size()));
        for (const bool side : {false, true})
            check(pairs.right[side][c] == brute(rows, node.row, dividing, dividing[c], side, min_rows),
                  "the best stump of a side is found");
    }
}

void run() {
    Numbers numbers(34);
    for (const bool wide : {true, false}) {
        base::wide_registers_allowed = wide;
        for (int trial = 0; trial < 60; ++trial) compare(numbers, draw(numbers));
    }
    base::wide_registers_allowed = true;
}

const Suite suite("pair_counts", run);

}  // namespace

}  // namespace ceiba::tests
