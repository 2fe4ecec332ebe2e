// Tests a finished tree without the code that grows trees: prediction, Shapley values and pruning, computed by hand.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/interrupt.hpp"
#include "base/thread_pool.hpp"
#include "check.hpp"
#include "explain/shapley.hpp"
#include "predict/router.hpp"
#include "prune/weakest_link.hpp"
#include "tree/cut_digits.hpp"

namespace ceiba::tests {

namespace {

using tree::Kind;

// 0: x0 <= 1.5 ? 1 (leaf) : 2: level of x1 in {0, 2} ? 3 : 4. Six of eight rows go right, three of these to 3.
tree::RoutingArrays example_arrays() {
    tree::RoutingArrays q;
    q.branch_start = {0, 2, 2, 4, 4, 4};
    q.branch_node = {1, 2, 3, 4};
    q.default_branch = q.majority_branch = {1, -1, 0, -1, -1};
    q.splits.push(Kind::cut, 0, 1.5, 0, {});
    q.splits.push(Kind::none, -1, 0.0, 0, {});
    q.splits.push(Kind::levels, 1, 0.0, 0, {{0, 0}, {1, 1}, {2, 0}});
    q.splits.push(Kind::none, -1, 0.0, 0, {});
    q.splits.push(Kind::none, -1, 0.0, 0, {});
    q.cut_start.assign(6, 0);
    return q;
}

struct Rows {
    std::vector<double> number{1.0, 1.5, 2.0, 2.0, 2.0, std::numeric_limits<double>::quiet_NaN(), 9.0};
    std::vector<std::int32_t> code{0, 1, 0, 1, 2, 1, -1};
    data::Table table;

    Rows() {
        table.n_rows = number.size();
        table.columns.push_back(data::Column::numeric(number.data(), sizeof(double)));
        table.columns.push_back(data::Column::levels(code.data(), sizeof(std::int32_t), 3, false));
    }
};

void rows_end_in_their_leaves() {
    const Rows rows;
    std::vector<std::int32_t> node(rows.table.n_rows);
    predict::Router(example_arrays()).apply(rows.table, node.data(), 1);
    check(node == std::vector<std::int32_t>{1, 1, 3, 4, 3, 4, 3}, "by cut, level and default branch");
}

void shapley_values_add_up() {
    const Rows rows;
    const tree::RoutingArrays arrays = example_arrays();
    const std::vector<double> share{0.25, 0.75, 0.5, 0.5}, values{0.0, 8.0, 0.0, 16.0, 32.0};
    const explain::Shapley shapley(arrays, share.data(), {values.data(), 1}, 2, false);
    std::vector<double> out(rows.table.n_rows * 2, 0.0);
    base::ThreadPool pool(1);
    base::Interrupt never([] { return false; });
    shapley.path_dependent(rows.table, out.data(), pool, never);
    const double expected = shapley.expected()[0];
    check_near(expected, 0.25 * 8.0 + 0.75 * 24.0, 1e-15, "before any column is known");
    std::vector<std::int32_t> node(rows.table.n_rows);
    predict::Router(arrays).apply(rows.table, node.data(), 1);
    for (std::size_t i = 0; i < node.size(); ++i)
        check_near(expected + out[2 * i] + out[2 * i + 1], values[node[i]], 1e-14, "the value of the leaf");
    // Row 2 (x0 = 2, level 0): v({}) = 20, v({0}) = 24, v({1}) = 0.25 * 8 + 0.75 * 16 = 14, v({0, 1}) = 16.
    check_near(out[4], 0.5 * (24.0 - 20.0) + 0.5 * (16.0 - 14.0), 1e-14, "the cut's column");
    check_near(out[5], 0.5 * (14.0 - 20.0) + 0.5 * (16.0 - 24.0), 1e-14, "the levels' column");
}

void weakest_links_collapse_in_order() {
    const std::vector<std::int32_t> parent{-1, 0, 0, 2, 2};
    const std::vector<double> risk{10.0, 1.0, 5.0, 1.0, 2.0};
    const std::vector<double> alpha = prune::collapse_alphas(parent, risk);
    check(alpha[2] == 2.0, "5 - (1 + 2), for one leaf less");
    check(alpha[0] == 4.0, "10 - (1 + 5), then");
    check(std::isinf(alpha[1]) && std::isinf(alpha[3]), "leaves never");
}

void cuts_are_printed_with_enough_digits() {
    check(tree::digits_for(1.5, {1.0, 2.0}) == 2, "a short decimal");
    check(tree::digits_for(1.0 / 3.0, {1.0 / 3.0, std::nextafter(1.0 / 3.0, 1.0)}) > 15, "a narrow gap");
}

const Suite suite("finished_tree", [] {
    rows_end_in_their_leaves();
    shapley_values_add_up();
    weakest_links_collapse_in_order();
    cuts_are_printed_with_enough_digits();
});

}  // namespace

}  // namespace ceiba::tests
