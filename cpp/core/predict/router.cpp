#include "predict/router.hpp"

#include <algorithm>
#include <cmath>

namespace ceiba::predict {

namespace {

using split::Kind;

constexpr std::size_t block_rows = 4096;
constexpr std::size_t parallel_rows = 20000;  // below, waking a thread costs more than it brings
constexpr std::uint32_t missing_second = 0x80000000u;

}  // namespace

Router::Router(RouterArrays arrays, std::vector<double> branch_share)
    : arrays_(std::move(arrays)), branch_share_(std::move(branch_share)) {
    make_fast();
}

// Breadth first, so that the branches of a node are neighbours and the top of the tree is compact.
void Router::make_fast() {
    const std::size_t n = n_nodes();
    for (std::size_t i = 0; i < n; ++i) {
        const int n_branches = arrays_.branch_start[i + 1] - arrays_.branch_start[i];
        if (n_branches == 0) continue;
        if (n_branches != 2 || arrays_.splits.kind[i] != static_cast<std::int8_t>(Kind::cut) ||
            arrays_.default_branch[i] < 0)
            return;
    }
    if (!arrays_.surrogates.kind.empty()) return;
    fast_.resize(n);
    fast_id_.assign(1, 0);
    fast_id_.reserve(n);
    std::vector<int> depth{0};
    depth.reserve(n);
    for (std::size_t at = 0; at < fast_id_.size(); ++at) {
        const std::size_t i = static_cast<std::size_t>(fast_id_[at]);
        const std::int32_t start = arrays_.branch_start[i];
        fast_depth_ = std::max(fast_depth_, depth[at]);
        if (start == arrays_.branch_start[i + 1]) {
            fast_[at] = {std::nan(""), -1, static_cast<std::uint32_t>(at)};
            continue;
        }
        fast_[at] = {
            arrays_.splits.cut[i], arrays_.splits.column[i],
            static_cast<std::uint32_t>(fast_id_.size()) | (arrays_.default_branch[i] == 1 ? missing_second : 0u)};
        for (int b = 0; b < 2; ++b) {
            fast_id_.push_back(arrays_.branch_node[static_cast<std::size_t>(start + b)]);
            depth.push_back(depth[at] + 1);
        }
    }
}

template <class T>
void Router::apply_fast(const data::Table& table, std::size_t begin, std::size_t end, std::int32_t* out) const {
    constexpr std::size_t lanes = 8;
    const FastNode* const nodes = fast_.data();
    const auto step = [&](std::uint32_t at, std::size_t row) {
        const FastNode& node = nodes[at];
        const double x =
            static_cast<double>(table.columns[static_cast<std::size_t>(node.column)].template fast<T>(row));
        const std::uint32_t second = x != x ? (node.first_child >> 31) : static_cast<std::uint32_t>(!(x <= node.cut));
        return (node.first_child & ~missing_second) + second;
    };
    std::size_t row = begin;
    for (; row + lanes <= end; row += lanes) {
        std::uint32_t at[lanes] = {};
        bool under_way = nodes[0].column >= 0;
        while (under_way) {
            under_way = false;
            for (std::size_t l = 0; l < lanes; ++l) {
                if (nodes[at[l]].column < 0) continue;
                at[l] = step(at[l], row + l);
                under_way = true;
            }
        }
        for (std::size_t l = 0; l < lanes; ++l) out[row + l] = fast_id_[at[l]];
    }
    for (; row < end; ++row) {
        std::uint32_t at = 0;
        while (nodes[at].column >= 0) at = step(at, row);
        out[row] = fast_id_[at];
    }
}

// The branch that one split gives; known = false when it cannot place the row (missing; or a level it does not know).
int Router::branch_of(const tree::SplitTable& splits, std::size_t s, const data::Table& table, std::size_t row,
                      bool& known) const {
    const data::Column& column = table.columns[static_cast<std::size_t>(splits.column[s])];
    const Kind kind = static_cast<Kind>(splits.kind[s]);
    known = true;
    if (kind == Kind::levels) {
        const std::int32_t code = column.code(row);
        if (code < 0) return known = false, -1;
        const auto first = splits.level_code.begin() + splits.level_start[s],
                   last = splits.level_code.begin() + splits.level_start[s + 1];
        const auto at = std::lower_bound(first, last, code);
        if (at == last || *at != code) return known = false, -2;
        return splits.level_branch[static_cast<std::size_t>(at - splits.level_code.begin())];
    }
    const double x = column.number(row);
    if (kind == Kind::presence) return std::isnan(x) ? 1 : 0;
    if (std::isnan(x)) return known = false, -1;
    if (column.kind() == data::ColumnKind::ordered && column.code(row) >= column.n_levels()) return known = false, -2;
    return x <= splits.cut[s] ? splits.low_branch[s] : 1 - splits.low_branch[s];
}

int Router::branch_at(std::size_t node, const data::Table& table, std::size_t row) const {
    bool known;
    const int branch = branch_of(arrays_.splits, node, table, row, known);
    if (known) return branch;
    if (branch == -2 && !arrays_.unseen_is_missing) return arrays_.majority_branch[node];
    if (!arrays_.surrogate_start.empty())
        for (std::int32_t s = arrays_.surrogate_start[node]; s < arrays_.surrogate_start[node + 1]; ++s) {
            const int by_surrogate = branch_of(arrays_.surrogates, static_cast<std::size_t>(s), table, row, known);
            if (known) return by_surrogate;
        }
    return arrays_.default_branch[node];
}

std::int32_t Router::end_of(const data::Table& table, std::size_t row) const {
    std::size_t node = 0;
    while (arrays_.branch_start[node] != arrays_.branch_start[node + 1]) {
        const int branch = branch_at(node, table, row);
        if (branch < 0) break;
        node = static_cast<std::size_t>(
            arrays_.branch_node[static_cast<std::size_t>(arrays_.branch_start[node] + branch)]);
    }
    return static_cast<std::int32_t>(node);
}

void Router::apply(const data::Table& table, std::int32_t* out, int n_threads) const {
    bool all_double = !fast_.empty(), all_single = !fast_.empty();
    for (const data::Column& column : table.columns) {
        all_double = all_double && column.is<double>();
        all_single = all_single && column.is<float>();
    }
    const auto block = [&](std::size_t b, int) {
        const std::size_t begin = b * block_rows, end = std::min(table.n_rows, begin + block_rows);
        if (all_double)
            apply_fast<double>(table, begin, end, out);
        else if (all_single)
            apply_fast<float>(table, begin, end, out);
        else
            for (std::size_t row = begin; row < end; ++row) out[row] = end_of(table, row);
    };
    const std::size_t n_blocks = (table.n_rows + block_rows - 1) / block_rows;
    if (n_threads <= 1 || table.n_rows < parallel_rows) {
        for (std::size_t b = 0; b < n_blocks; ++b) block(b, 0);
        return;
    }
    base::ThreadPool pool(n_threads);
    pool.run(n_blocks, block);
}

Spread Router::spread(const data::Table& table) const {
    Spread out;
    out.start.push_back(0);
    std::vector<std::pair<std::int32_t, double>> open;
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        open.assign(1, {0, 1.0});
        while (!open.empty()) {
            const auto [id, share] = open.back();
            open.pop_back();
            const std::size_t node = static_cast<std::size_t>(id);
            const std::int32_t start = arrays_.branch_start[node], end = arrays_.branch_start[node + 1];
            if (start == end) {
                out.node.push_back(id);
                out.share.push_back(share);
                continue;
            }
            bool known;
            int branch = branch_of(arrays_.splits, node, table, row, known);
            if (!known && branch == -2 && !arrays_.unseen_is_missing)
                branch = arrays_.majority_branch[node], known = true;
            if (known) {
                open.emplace_back(arrays_.branch_node[static_cast<std::size_t>(start + branch)], share);
                continue;
            }
            for (std::int32_t b = end; b-- > start;)
                if (branch_share_[static_cast<std::size_t>(b)] > 0.0)
                    open.emplace_back(arrays_.branch_node[static_cast<std::size_t>(b)],
                                      share * branch_share_[static_cast<std::size_t>(b)]);
        }
        out.start.push_back(static_cast<std::int64_t>(out.node.size()));
    }
    return out;
}

}  // namespace ceiba::predict
