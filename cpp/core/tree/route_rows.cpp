#include "tree/route_rows.hpp"

namespace ceiba::tree {

namespace {

// By a table of levels; what is not in it is `unknown`.
void route_levels(const RoutingArrays& tree, std::size_t node, const data::Column& column, const std::uint32_t* rows,
                  std::size_t n, std::int32_t* branch) {
    const SplitTable& splits = tree.splits;
    const std::int32_t unknown = tree.unseen_is_missing ? row_has_unknown_level : tree.majority_branch[node];
    const std::size_t n_levels = static_cast<std::size_t>(column.n_levels());
    thread_local std::vector<std::int32_t> branch_of;
    branch_of.assign(n_levels, unknown);
    for (std::int64_t l = splits.level_start[node]; l < splits.level_start[node + 1]; ++l)
        if (const std::size_t code = static_cast<std::size_t>(splits.level_code[l]); code < n_levels)
            branch_of[code] = splits.level_branch[l];
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t code = column.code(rows[i]);
        if (code < 0)
            branch[i] = row_lacks_value;
        else
            branch[i] = static_cast<std::size_t>(code) < n_levels ? branch_of[code] : unknown;
    }
}

void route_split(const RoutingArrays& tree, std::size_t node, const data::Table& table, const std::uint32_t* rows,
                 std::size_t n, std::int32_t* branch) {
    const SplitTable& splits = tree.splits;
    const data::Column& column = table.columns[splits.column[node]];
    const Kind kind = static_cast<Kind>(splits.kind[node]);
    if (kind == Kind::levels && n * 4 >= static_cast<std::size_t>(column.n_levels()))
        return route_levels(tree, node, column, rows, n, branch);
    if (kind != Kind::cut || column.kind() != data::ColumnKind::numeric) {
        for (std::size_t i = 0; i < n; ++i) branch[i] = tree.by_split(node, table, rows[i]);
        return;
    }
    const double cut = splits.cut[node];
    const std::int32_t low = splits.low_branch[node], high = 1 - low;
    column.with_reader([&](auto number) {
        for (std::size_t i = 0; i < n; ++i) {
            const double x = number(rows[i]);
            branch[i] = std::isnan(x) ? row_lacks_value : x <= cut ? low : high;
        }
    });
}

// A range of the rows under way.
struct RowRange {
    std::int32_t node;
    std::uint32_t begin, end;
};

class Walk {
public:
    Walk(const RoutingArrays& tree, const data::Table& table, std::size_t begin, std::size_t end, std::int32_t* node)
        : tree_(tree),
          table_(table),
          rows_(end - begin),
          spare_(end - begin),
          branch_(end - begin),
          begin_(begin),
          node_(node) {
        std::iota(rows_.begin(), rows_.end(), static_cast<std::uint32_t>(begin));
    }

    FractionalRows run() {
        open_.push_back({0, 0, static_cast<std::uint32_t>(rows_.size())});
        while (!open_.empty()) {
            const RowRange here = open_.back();
            open_.pop_back();
            if (here.end - here.begin < few)
                for (std::uint32_t i = here.begin; i < here.end; ++i) alone(rows_[i], here.node);
            else if (tree_.is_leaf(static_cast<std::size_t>(here.node)))
                for (std::uint32_t i = here.begin; i < here.end; ++i) node_[rows_[i] - begin_] = here.node;
            else
                partition(here);
        }
        return std::move(fractional_);
    }

private:
    static constexpr std::uint32_t few = 4;

    void alone(std::uint32_t row, std::int32_t node) {
        while (true) {
            const std::size_t at = static_cast<std::size_t>(node);
            const std::int32_t branch = tree_.is_leaf(at) ? row_stays : branch_of_row(tree_, at, table_, row);
            if (branch < 0) return stop(row, node, branch);
            node = tree_.branch_node[tree_.branch_start[at] + branch];
        }
    }
    void stop(std::uint32_t row, std::int32_t node, std::int32_t why) {
        node_[row - begin_] = why == row_is_fractional ? -1 : node;
        if (why == row_is_fractional) fractional_.emplace_back(row, node);
    }

    void partition(const RowRange& here) {
        const std::size_t node = static_cast<std::size_t>(here.node);
        const std::uint32_t n = here.end - here.begin;
        const std::int32_t first = tree_.branch_start[node], n_branches = tree_.branch_start[node + 1] - first;
        std::uint32_t* const rows = rows_.data() + here.begin;
        branches_of_rows(tree_, node, table_, rows, n, branch_.data());
        if (n_branches == 2) return partition_in_two(here, rows, n);
        next_.assign(static_cast<std::size_t>(n_branches) + 1, 0);
        for (std::uint32_t i = 0; i < n; ++i) {
            if (branch_[i] >= 0)
                ++next_[static_cast<std::size_t>(branch_[i]) + 1];
            else
                stop(rows[i], here.node, branch_[i]);
        }
        std::partial_sum(next_.begin(), next_.end(), next_.begin());
        for (std::int32_t b = 0; b < n_branches; ++b) {
            const std::uint32_t begin = next_[b], end = next_[static_cast<std::size_t>(b) + 1];
            if (begin < end) open_.push_back({tree_.branch_node[first + b], here.begin + begin, here.begin + end});
        }
        const std::uint32_t placed = next_.back();
        for (std::uint32_t i = 0; i < n; ++i)
            if (branch_[i] >= 0) spare_[next_[branch_[i]]++] = rows[i];
        std::copy_n(spare_.begin(), placed, rows);
    }

    // Stable, so rows stay ascending and columns are read in order. No branch instruction depends on where a row goes.
    void partition_in_two(const RowRange& here, std::uint32_t* rows, std::uint32_t n) {
        std::uint32_t left = 0, right = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t row = rows[i];
            if (branch_[i] < 0) stop(row, here.node, branch_[i]);
            rows[left] = row;
            spare_[right] = row;
            left += branch_[i] == 0;
            right += branch_[i] == 1;
        }
        std::copy_n(spare_.begin(), right, rows + left);
        const std::size_t first = static_cast<std::size_t>(tree_.branch_start[here.node]);
        const std::uint32_t middle = here.begin + left;
        if (left > 0) open_.push_back({tree_.branch_node[first], here.begin, middle});
        if (right > 0) open_.push_back({tree_.branch_node[first + 1], middle, middle + right});
    }

    const RoutingArrays& tree_;
    const data::Table& table_;
    std::vector<std::uint32_t> rows_, spare_, next_;
    std::vector<std::int32_t> branch_;
    std::vector<RowRange> open_;
    std::size_t begin_;
    std::int32_t* node_;  // by row, from `begin_` on
    FractionalRows fractional_;
};

}  // namespace

void branches_of_rows(const RoutingArrays& tree, std::size_t node, const data::Table& table, const std::uint32_t* rows,
                      std::size_t n, std::int32_t* branch) {
    route_split(tree, node, table, rows, n, branch);
    const bool fractional = !tree.branch_share.empty();
    for (std::size_t i = 0; i < n; ++i)
        if (branch[i] < 0) branch[i] = fractional ? row_is_fractional : tree.branch_at(node, table, rows[i]);
}

FractionalRows route_rows(const RoutingArrays& tree, const data::Table& table, std::size_t begin, std::size_t end,
                          std::int32_t* node) {
    return Walk(tree, table, begin, end, node).run();
}

}  // namespace ceiba::tree
