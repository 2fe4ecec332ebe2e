#include "split/store/row_store.hpp"

#include "base/sort.hpp"
#include "split/store/bin_sort.hpp"

namespace ceiba::split {

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

namespace {

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

void read_codes(const data::Column& column, const data::TargetRows& target, std::vector<std::int32_t>& codes,
                std::uint32_t& present) {
    codes.resize(target.size());
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = column.code(target.row[i]);
    present = static_cast<std::uint32_t>(std::count_if(codes.begin(), codes.end(), [](auto k) { return k >= 0; }));
}

void forget_full_columns(NodeRows& root) {
    if (std::all_of(root.present.begin(), root.present.end(), [&](std::uint32_t p) { return p == root.size(); }))
        root.present.clear();
}

}  // namespace

std::size_t NodeRows::n_present(std::size_t column) const {
    if (!binned() || !store->codes[column].empty()) return present.empty() ? size() : present[column];
    const ColumnBins& of_column = store->binning->column[column];
    if (!of_column.any_missing) return size();
    const std::uint8_t* byte = bins() + of_column.slot;
    std::size_t n = 0;
    for (std::size_t i = 0; i < size(); ++i, byte += store->binning->stride) n += *byte != missing_bin;
    return n;
}

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
            read_codes(column, store.target, store.codes[c], root.present[c]);
        } else {
            root.present[c] =
                sort_column(column, store.target, space[static_cast<std::size_t>(thread)], store.sorted[c]);
        }
    };
    if (n * n_columns < 10000)
        for (std::size_t c = 0; c < n_columns; ++c) read(c, 0);
    else
        pool.run(n_columns, read);
    forget_full_columns(root);
    return root;
}

NodeRows bin(const data::Table& table, const data::Target& target, const BinOptions& options, base::ThreadPool& pool,
             base::Interrupt& interrupt) {
    NodeRows root;
    root.store = std::make_shared<RowStore>();
    RowStore& store = *root.store;
    store.table = &table;
    store.target = copy_target(target, false);
    const std::size_t n_columns = table.columns.size();
    root.end = static_cast<std::uint32_t>(store.target.size());
    root.present.assign(n_columns, root.end);
    store.sorted.resize(n_columns);
    store.codes.resize(n_columns);
    store.binning = std::make_shared<Binning>(make_bins(table, store.target, options, store.bins[0], pool, interrupt));
    store.bins[1].resize(store.bins[0].size());
    pool.run(n_columns, [&](std::size_t c, int) {
        if (table.columns[c].kind() == data::ColumnKind::levels)
            read_codes(table.columns[c], store.target, store.codes[c], root.present[c]);
    });
    forget_full_columns(root);
    return root;
}

namespace {

template <class T>
std::vector<T> stretch(const std::vector<T>& values, const NodeRows& node) {
    if (values.empty()) return {};
    return {values.begin() + node.begin, values.begin() + node.end};
}

data::TargetRows target_of(const NodeRows& node) {
    const data::TargetRows& from = node.store->target;
    data::TargetRows target;
    target.n_classes = from.n_classes;
    target.row = stretch(from.row, node);
    target.weight = stretch(from.weight, node);
    target.case_weight = stretch(from.case_weight, node);
    for (const auto& labels : from.labels) target.labels.push_back(stretch(labels, node));
    for (const auto& numbers : from.numbers) target.numbers.push_back(stretch(numbers, node));
    return target;
}

}  // namespace

NodeRows sort_node(const NodeRows& node, base::ThreadPool* pool) {
    const RowStore& from = *node.store;
    const std::size_t n_columns = from.codes.size();
    NodeRows out;
    out.store = std::make_shared<RowStore>();
    RowStore& store = *out.store;
    store.table = from.table;
    store.binning = from.binning;
    store.target = target_of(node);
    out.end = static_cast<std::uint32_t>(node.size());
    out.present.assign(n_columns, out.end);
    store.sorted.resize(n_columns);
    store.codes.resize(n_columns);
    std::vector<BinSort> sorts(pool ? static_cast<std::size_t>(pool->size()) : 1);
    const auto sort = [&](std::size_t c, int thread) {
        if (from.codes[c].empty()) {
            BinSort& in_order = sorts[static_cast<std::size_t>(thread)];
            out.present[c] = in_order.begin(node, c);
            Entry* const entries = (store.sorted[c].resize(node.size()), store.sorted[c].data());
            in_order.run([entries](std::size_t at, std::uint32_t rank, std::uint32_t row) {
                entries[at] = {rank, row};
            });
        } else {
            store.codes[c] = stretch(from.codes[c], node);
            out.present[c] = static_cast<std::uint32_t>(node.n_present(c));
        }
    };
    if (pool)
        pool->run(n_columns, sort);
    else
        for (std::size_t c = 0; c < n_columns; ++c) sort(c, 0);
    forget_full_columns(out);
    return out;
}

NodeRows compact(const NodeRows& node) {
    const RowStore& from = *node.store;
    const std::size_t n_columns = from.codes.size();
    NodeRows out;
    out.store = std::make_shared<RowStore>();
    out.store->table = from.table;
    out.store->binning = from.binning;
    out.store->zero_weights = from.zero_weights;
    out.store->target = target_of(node);
    out.end = static_cast<std::uint32_t>(node.size());
    out.present = node.present;
    out.live = node.live;
    out.store->sorted.resize(n_columns);
    out.store->codes.resize(n_columns);
    const std::size_t n_live = node.live ? node.live->size() : n_columns;
    for (std::size_t i = 0; i < n_live; ++i) {
        const std::size_t c = node.live ? (*node.live)[i] : i;
        out.store->sorted[c] = stretch(from.sorted[c], node);
        out.store->codes[c] = stretch(from.codes[c], node);
    }
    return out;
}

}  // namespace ceiba::split
