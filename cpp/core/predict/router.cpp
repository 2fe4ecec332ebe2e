#include "predict/router.hpp"

#include "tree/route_rows.hpp"

namespace ceiba::predict {

namespace {

using tree::Kind;

constexpr std::size_t block_rows = 4096;
constexpr std::size_t parallel_rows = 20000;  // with fewer rows, waking a thread costs more than it gains

}  // namespace

Router::Router(tree::RoutingArrays arrays) : arrays_(std::move(arrays)) {
    make_cuts();
    if (cuts_.empty()) general_ = GeneralTree(arrays_);
}

// Binary trees with only numeric cuts and presence splits have a layout of their own.
void Router::make_cuts() {
    const tree::SplitTable& splits = arrays_.splits;
    const std::size_t n = arrays_.n_nodes();
    for (std::size_t i = 0; i < n; ++i) {
        const int n_branches = arrays_.branch_start[i + 1] - arrays_.branch_start[i];
        if (n_branches == 0) continue;
        const Kind kind = static_cast<Kind>(splits.kind[i]);
        if (n_branches != 2 || kind == Kind::levels || (kind == Kind::cut && arrays_.default_branch[i] < 0)) return;
    }
    if (!arrays_.surrogates.kind.empty()) return;
    struct Open {
        std::int32_t node, column;  // column: that of the parent
        std::uint32_t place, depth;
    };
    std::vector<Open> open{{0, 0, 0, 0}};
    std::uint32_t n_places = 1, least_depth = std::numeric_limits<std::uint32_t>::max();
    cuts_.resize(n);
    while (!open.empty()) {
        const Open now = open.back();
        open.pop_back();
        const std::size_t i = static_cast<std::size_t>(now.node);
        if (arrays_.is_leaf(i)) {
            cuts_.set_leaf(now.place, now.node, now.column);
            least_depth = std::min(least_depth, now.depth);
            continue;
        }
        const bool cut = splits.kind[i] == static_cast<std::int8_t>(Kind::cut);
        const int low = cut ? splits.low_branch[i] : 0;
        const double at = cut ? splits.cut[i] : std::numeric_limits<double>::infinity();  // presence: all values
        cuts_.set_cut(now.place, now.node, splits.column[i], at, n_places,
                      cut ? arrays_.default_branch[i] != low : true);
        // The branch with more rows is usually read next, so it is placed nearer.
        const int large = arrays_.majority_branch[i] == 1 ? 1 : 0;
        for (const int b : {1 - large, large})
            open.push_back({arrays_.branch_node[arrays_.branch_start[i] + b], splits.column[i],
                            n_places + (b == low ? 0u : 1u), now.depth + 1});
        n_places += 2;
    }
    cuts_.finish(least_depth);
}

std::int32_t Router::end_of(const data::Table& table, std::size_t row) const {
    std::size_t node = 0;
    while (arrays_.branch_start[node] != arrays_.branch_start[node + 1]) {
        const int branch = arrays_.branch_at(node, table, row);
        if (branch < 0) break;
        node = static_cast<std::size_t>(arrays_.branch_node[arrays_.branch_start[node] + branch]);
    }
    return static_cast<std::int32_t>(node);
}

Router::Method Router::method(const data::Table& table) const {
    if (!cuts_.empty() && cuts_.supports(table)) return Method::cuts;
    return !general_.empty() && general_.supports(table) ? Method::general : Method::by_node;
}

void Router::ends(const data::Table& table, std::size_t begin, std::size_t end, Method method,
                  std::int32_t* out) const {
    if (method == Method::cuts) return cuts_.apply(table, begin, end, out);
    constexpr std::size_t few = 16;  // for fewer rows, allocating memory takes longer than routing row by row
    std::vector<std::size_t> unresolved;
    std::size_t done = begin;
    if (end - begin >= few) {
        if (method == Method::general) done = general_.apply(table, begin, end, out, unresolved);
        if (done < end && arrays_.branch_share.empty()) {
            tree::route_rows(arrays_, table, done, end, out + (done - begin));
            done = end;
        }
    }
    for (const std::size_t row : unresolved) out[row - begin] = end_of(table, row);
    for (; done < end; ++done) out[done - begin] = end_of(table, done);
}

template <class Body>
void Router::each_block(std::size_t n_rows, int n_threads, Body body) const {
    const auto block = [&](std::size_t, std::size_t begin, std::size_t end, int) { body(begin, end); };
    if (n_threads <= 1 || n_rows < parallel_rows) return base::for_blocks(nullptr, n_rows, block, block_rows);
    base::ThreadPool pool(n_threads);
    base::for_blocks(&pool, n_rows, block, block_rows);
}

void Router::apply(const data::Table& table, std::int32_t* out, int n_threads) const {
    const Method by = method(table);
    each_block(table.n_rows, n_threads,
               [&](std::size_t begin, std::size_t end) { ends(table, begin, end, by, out + begin); });
}

template <class T>
void Router::gather(const data::Table& table, const T* values, std::size_t width, T* out, int n_threads) const {
    const Method by = method(table);
    each_block(table.n_rows, n_threads, [&](std::size_t begin, std::size_t end) {
        std::array<std::int32_t, block_rows> node;
        ends(table, begin, end, by, node.data());
        T* to = out + begin * width;
        for (std::size_t i = 0; i < end - begin; ++i, to += width) {
            const T* const from = values + static_cast<std::size_t>(node[i]) * width;
            for (std::size_t k = 0; k < width; ++k) to[k] = from[k];
        }
    });
}
template void Router::gather(const data::Table&, const double*, std::size_t, double*, int) const;
template void Router::gather(const data::Table&, const std::int64_t*, std::size_t, std::int64_t*, int) const;

Spread Router::spread(const data::Table& table, std::span<const std::uint8_t> counted) const {
    std::vector<std::int32_t> end_of(table.n_rows);
    tree::FractionalRows fractional_rows = tree::route_rows(arrays_, table, 0, table.n_rows, end_of.data());
    std::sort(fractional_rows.begin(), fractional_rows.end());
    Spread out;
    std::vector<std::int64_t> arrivals(arrays_.n_nodes(), 0);  // fractional rows, below their first unplaced split
    out.n_rows.assign(arrays_.n_nodes(), 0);
    out.start.reserve(table.n_rows + 1);
    out.node.reserve(table.n_rows);
    out.share.reserve(table.n_rows);
    out.start.push_back(0);
    auto fractional = fractional_rows.begin();
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        const bool counts = counted.empty() || counted[row];
        const auto stop = [&out](std::int32_t node, double share) {
            out.node.push_back(node);
            out.share.push_back(share);
        };
        const std::int32_t end = end_of[row] >= 0 ? end_of[row] : fractional->second;
        out.n_rows[end] += counts;
        if (end_of[row] >= 0) {
            stop(end, 1.0);
        } else {
            const auto pass = [&](std::int32_t node) { arrivals[node] += counts; };
            tree::route_fractional(arrays_, table, static_cast<std::uint32_t>(row), end, pass, stop);
            ++fractional;
        }
        out.start.push_back(static_cast<std::int64_t>(out.node.size()));
    }
    for (std::size_t i = arrays_.n_nodes(); i-- > 0;)  // branches come after their node
        for (std::int32_t b = arrays_.branch_start[i]; b < arrays_.branch_start[i + 1]; ++b)
            out.n_rows[i] += out.n_rows[arrays_.branch_node[b]];
    for (std::size_t i = 0; i < arrivals.size(); ++i) out.n_rows[i] += arrivals[i];
    return out;
}

}  // namespace ceiba::predict
