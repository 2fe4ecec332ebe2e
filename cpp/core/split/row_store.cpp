#include "split/row_store.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "base/radix_sort.hpp"

namespace ceiba::split {

namespace {

data::TargetRows copy_target(const data::Target& target, bool keep_zero_weights) {
    data::TargetRows rows;
    rows.n_classes = target.n_classes;
    const bool all = target.rows.empty();
    const std::size_t n = all ? target.n_rows : target.rows.size();
    rows.row.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t row = all ? static_cast<std::uint32_t>(i) : target.rows[i];
        if (!target.weight || keep_zero_weights || target.weight[row] > 0.0) rows.row.push_back(row);
    }
    if (target.weight) {
        rows.weight.reserve(rows.row.size());
        for (std::uint32_t i : rows.row) rows.weight.push_back(target.weight[i]);
    }
    if (target.case_weight)
        for (std::uint32_t i : rows.row) rows.case_weight.push_back(target.case_weight[i]);
    const std::size_t n_outputs = static_cast<std::size_t>(target.n_outputs);
    for (std::size_t o = 0; o < n_outputs; ++o) {
        if (target.classification()) {
            auto& labels = rows.labels.emplace_back();
            labels.reserve(rows.row.size());
            for (std::uint32_t i : rows.row)
                labels.push_back(static_cast<std::uint16_t>(target.labels[i * n_outputs + o]));
        } else {
            auto& numbers = rows.numbers.emplace_back();
            numbers.reserve(rows.row.size());
            for (std::uint32_t i : rows.row) numbers.push_back(target.numbers[i * n_outputs + o]);
        }
    }
    return rows;
}

struct ColumnSpace {
    base::SortSpace sort;
    std::vector<std::uint64_t> key;
    std::vector<std::uint32_t> rows, aside;
};

// Sorts one column; returns how many rows have a value.
std::uint32_t sort_column(const data::Column& column, const data::TargetRows& target, ColumnSpace& space,
                          std::vector<Entry>& out) {
    const std::size_t n = target.size();
    space.rows.clear();
    space.aside.clear();
    space.key.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double x = column.number(target.row[i]);
        space.key[i] = base::sort_key(x + 0.0);  // + 0.0 turns -0.0 into 0.0
        (std::isnan(x) || target.weight_of(i) == 0.0 ? space.aside : space.rows)
            .push_back(static_cast<std::uint32_t>(i));
    }
    base::sort_rows(space.key, space.rows, space.sort);
    out.resize(n);
    const std::size_t n_present = space.rows.size();
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < n_present; ++i) {
        if (i > 0 && space.key[space.rows[i]] != space.key[space.rows[i - 1]]) ++rank;
        out[i] = {rank, space.rows[i]};
    }
    for (std::size_t i = n_present; i < n; ++i) out[i] = {0, space.aside[i - n_present]};
    return static_cast<std::uint32_t>(n_present);
}

// The place of every row of a node after the partition, and where each group begins.
struct Places {
    std::vector<std::uint32_t> place;  // per row, counted from the node's first row
    std::vector<std::uint32_t> start;  // per group (branches, then those that stay), and the end
};

Places places_of(const Routing& routing) {
    const std::size_t n = routing.branch.size(), n_groups = static_cast<std::size_t>(routing.n_branches) + 1;
    Places p;
    p.start.assign(n_groups + 1, 0);
    for (std::uint16_t b : routing.branch) ++p.start[b + 1];
    for (std::size_t g = 0; g < n_groups; ++g) p.start[g + 1] += p.start[g];
    std::vector<std::uint32_t> cursor(p.start.begin(), p.start.end() - 1);
    p.place.resize(n);
    for (std::size_t i = 0; i < n; ++i) p.place[i] = cursor[routing.branch[i]]++;
    return p;
}

template <class T>
void permute(std::vector<T>& values, std::size_t begin, const std::vector<std::uint32_t>& place) {
    if (values.empty()) return;
    std::vector<T> moved(place.size());
    T* const stretch = values.data() + begin;
    for (std::size_t i = 0; i < place.size(); ++i) moved[place[i]] = stretch[i];
    std::copy(moved.begin(), moved.end(), stretch);
}

// Two branches and nobody stays, by far the commonest case: the left half moves in place, the right half through
// `spare`; no branch instruction depends on the data.
void part_in_two(Entry* entries, std::size_t n, std::size_t n_present, const Places& p, std::vector<Entry>& spare,
                 std::uint32_t* present_of) {
    const std::uint32_t n_left = p.start[1];
    spare.resize(n - n_left + 1);
    std::size_t left = 0, right = 0;
    const auto move = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            const Entry e = entries[i];
            const std::uint32_t place = p.place[e.row];
            const bool goes_right = place >= n_left;
            entries[left] = {e.rank, place};
            spare[right] = {e.rank, place - n_left};
            left += !goes_right;
            right += goes_right;
        }
    };
    move(0, n_present);
    present_of[0] = static_cast<std::uint32_t>(left);
    present_of[1] = static_cast<std::uint32_t>(right);
    move(n_present, n);
    std::copy(spare.begin(), spare.begin() + static_cast<std::ptrdiff_t>(right), entries + n_left);
}

void part_in_many(Entry* entries, std::size_t n, std::size_t n_present, const Places& p, const Routing& routing,
                  std::vector<Entry>& spare, std::uint32_t* present_of) {
    spare.resize(n);
    std::vector<std::uint32_t> cursor(p.start.begin(), p.start.end() - 1);
    const auto move = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            const Entry e = entries[i];
            const std::uint16_t b = routing.branch[e.row];
            spare[cursor[b]++] = {e.rank, p.place[e.row] - p.start[b]};
        }
    };
    move(0, n_present);
    for (int b = 0; b < routing.n_branches; ++b) present_of[b] = cursor[b] - p.start[b];
    move(n_present, n);
    std::copy(spare.begin(), spare.end(), entries);
}

}  // namespace

NodeRows presort(const data::Table& table, const data::Target& target, bool keep_zero_weights, base::ThreadPool& pool,
                 base::Interrupt& interrupt) {
    NodeRows root;
    root.store = std::make_shared<RowStore>();
    RowStore& store = *root.store;
    store.table = &table;
    store.target = copy_target(target, keep_zero_weights);
    const std::size_t n = store.target.size(), n_columns = table.columns.size();
    root.end = static_cast<std::uint32_t>(n);
    root.present.assign(n_columns, root.end);
    store.zero_weights = keep_zero_weights && std::any_of(store.target.weight.begin(), store.target.weight.end(),
                                                          [](double w) { return w == 0.0; });
    store.sorted.resize(n_columns);
    store.codes.resize(n_columns);
    // Below about 10,000 values waking a thread costs more than it brings.
    std::vector<ColumnSpace> space(static_cast<std::size_t>(pool.size()));
    const auto read = [&](std::size_t c, int thread) {
        if (thread == 0) interrupt.poll();
        interrupt.check();
        const data::Column& column = table.columns[c];
        if (column.kind() == data::ColumnKind::levels) {
            auto& codes = store.codes[c];
            codes.resize(n);
            for (std::size_t i = 0; i < n; ++i) codes[i] = column.code(store.target.row[i]);
            root.present[c] =
                static_cast<std::uint32_t>(std::count_if(codes.begin(), codes.end(), [](auto k) { return k >= 0; }));
        } else {
            root.present[c] =
                sort_column(column, store.target, space[static_cast<std::size_t>(thread)], store.sorted[c]);
        }
    };
    if (n * n_columns < 10000)
        for (std::size_t c = 0; c < n_columns; ++c) read(c, 0);
    else
        pool.run(n_columns, read);
    if (std::all_of(root.present.begin(), root.present.end(), [n](std::uint32_t p) { return p == n; }))
        root.present.clear();
    return root;
}

std::vector<NodeRows> partition(const NodeRows& node, const Routing& routing, base::ThreadPool* pool) {
    RowStore& store = *node.store;
    const Places p = places_of(routing);
    const std::size_t n = node.size(), n_columns = store.sorted.size(),
                      n_branches = static_cast<std::size_t>(routing.n_branches);
    const bool in_two = n_branches == 2 && p.start[2] == n;
    data::TargetRows& target = store.target;
    permute(target.row, node.begin, p.place);
    permute(target.weight, node.begin, p.place);
    permute(target.case_weight, node.begin, p.place);
    for (auto& labels : target.labels) permute(labels, node.begin, p.place);
    for (auto& numbers : target.numbers) permute(numbers, node.begin, p.place);

    std::vector<std::uint32_t> present(n_columns * n_branches, 0);
    std::vector<std::vector<Entry>> spare(pool ? static_cast<std::size_t>(pool->size()) : 1);
    const auto part = [&](std::size_t c, int thread) {
        std::uint32_t* const present_of = present.data() + c * n_branches;
        if (!store.codes[c].empty()) {
            permute(store.codes[c], node.begin, p.place);
            const std::int32_t* codes = node.codes(c);
            for (std::size_t b = 0; b < n_branches; ++b)
                present_of[b] = static_cast<std::uint32_t>(
                    std::count_if(codes + p.start[b], codes + p.start[b + 1], [](auto k) { return k >= 0; }));
        } else if (in_two) {
            part_in_two(store.sorted[c].data() + node.begin, n, node.n_present(c), p,
                        spare[static_cast<std::size_t>(thread)], present_of);
        } else {
            part_in_many(store.sorted[c].data() + node.begin, n, node.n_present(c), p, routing,
                         spare[static_cast<std::size_t>(thread)], present_of);
        }
    };
    if (pool)
        pool->run(n_columns, part);
    else
        for (std::size_t c = 0; c < n_columns; ++c) part(c, 0);

    std::vector<NodeRows> children(n_branches);
    for (std::size_t b = 0; b < n_branches; ++b) {
        children[b].store = node.store;
        children[b].begin = node.begin + p.start[b];
        children[b].end = node.begin + p.start[b + 1];
        if (node.present.empty()) continue;
        children[b].present.resize(n_columns);
        for (std::size_t c = 0; c < n_columns; ++c) children[b].present[c] = present[c * n_branches + b];
    }
    return children;
}

std::vector<NodeRows> partition_fractional(const NodeRows& node, const Routing& routing) {
    const RowStore& from = *node.store;
    const std::size_t n = node.size(), n_columns = from.sorted.size(),
                      n_branches = static_cast<std::size_t>(routing.n_branches);
    std::vector<double> share(n_branches, 0.0);
    double placed = 0.0;
    for (std::size_t i = 0; i < n; ++i)
        if (routing.branch[i] != unplaced) {
            share[routing.branch[i]] += from.target.weight_of(node.begin + i);
            placed += from.target.weight_of(node.begin + i);
        }
    for (double& s : share) s /= placed;

    std::vector<NodeRows> children(n_branches);
    std::vector<std::uint32_t> place(n);
    for (std::size_t b = 0; b < n_branches; ++b) {
        auto store = std::make_shared<RowStore>();
        store->table = from.table;
        store->target.n_classes = from.target.n_classes;
        store->target.labels.resize(from.target.labels.size());
        store->target.numbers.resize(from.target.numbers.size());
        for (std::size_t i = 0; i < n; ++i) {
            const bool whole = routing.branch[i] == b, part = routing.branch[i] == unplaced && share[b] > 0.0;
            place[i] = static_cast<std::uint32_t>(whole || part ? store->target.row.size() : n);
            if (!whole && !part) continue;
            const std::size_t at = node.begin + i;
            store->target.row.push_back(from.target.row[at]);
            store->target.weight.push_back(from.target.weight_of(at) * (whole ? 1.0 : share[b]));
            for (std::size_t o = 0; o < from.target.labels.size(); ++o)
                store->target.labels[o].push_back(from.target.labels[o][at]);
            for (std::size_t o = 0; o < from.target.numbers.size(); ++o)
                store->target.numbers[o].push_back(from.target.numbers[o][at]);
        }
        NodeRows& child = children[b];
        child.end = static_cast<std::uint32_t>(store->target.size());
        child.present.resize(n_columns);
        store->sorted.resize(n_columns);
        store->codes.resize(n_columns);
        for (std::size_t c = 0; c < n_columns; ++c) {
            if (!from.codes[c].empty()) {
                for (std::size_t i = 0; i < n; ++i)
                    if (place[i] < n) store->codes[c].push_back(node.codes(c)[i]);
                child.present[c] = static_cast<std::uint32_t>(
                    std::count_if(store->codes[c].begin(), store->codes[c].end(), [](auto k) { return k >= 0; }));
                continue;
            }
            const Entry* entries = node.entries(c);
            for (std::size_t i = 0; i < n; ++i) {
                if (i == node.n_present(c)) child.present[c] = static_cast<std::uint32_t>(store->sorted[c].size());
                if (place[entries[i].row] < n) store->sorted[c].push_back({entries[i].rank, place[entries[i].row]});
            }
            if (node.n_present(c) == n) child.present[c] = static_cast<std::uint32_t>(store->sorted[c].size());
        }
        child.store = std::move(store);
    }
    return children;
}

}  // namespace ceiba::split
