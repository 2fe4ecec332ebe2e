
#include "base/phases.hpp"
#include "base/shared_buffer.hpp"
#include "base/sort.hpp"
#include "split/store/bin_sort.hpp"

namespace ceiba::split {

data::TargetRows copy_target(const data::Target& target, bool keep_zero_weights, base::ThreadPool* pool) {
    const bool all = target.rows.empty(), drops = target.weight && !keep_zero_weights;
    const std::size_t n = all ? target.n_rows : target.rows.size();
    const auto row_at = [&](std::size_t i) { return all ? static_cast<std::uint32_t>(i) : target.rows[i]; };
    const auto keeps = [&](std::uint32_t row) { return !drops || target.weight[row] > 0.0; };
    std::vector<std::size_t> start(base::n_blocks(n) + 1, 0);  // start of the kept rows of each block
    base::for_blocks(pool, n, [&](std::size_t b, std::size_t from, std::size_t to, int) {
        start[b + 1] = to - from;
        for (std::size_t i = from; drops && i < to; ++i) start[b + 1] -= !keeps(row_at(i));
    });
    std::partial_sum(start.begin(), start.end(), start.begin());

    data::TargetRows rows;
    rows.n_classes = target.n_classes;
    const std::size_t n_kept = start.back(), n_outputs = static_cast<std::size_t>(target.n_outputs);
    base::resize(rows.row, n_kept, pool);
    if (target.weight) base::resize(rows.weight, n_kept, pool);
    if (target.case_weight) base::resize(rows.case_weight, n_kept, pool);
    if (target.event_rank) base::resize(rows.event_rank, n_kept, pool);
    (target.classification() ? rows.labels.resize(n_outputs) : rows.numbers.resize(n_outputs));
    for (auto& labels : rows.labels) base::resize(labels, n_kept, pool);
    for (auto& numbers : rows.numbers) base::resize(numbers, n_kept, pool);
    base::for_blocks(pool, n, [&](std::size_t b, std::size_t from, std::size_t to, int) {
        std::size_t at = start[b];
        for (std::size_t i = from; i < to; ++i)
            if (const std::uint32_t row = row_at(i); keeps(row)) rows.row[at++] = row;
        const auto copy = [&](auto& values, auto value_of) {
            for (std::size_t i = start[b]; i < at && !values.empty(); ++i) values[i] = value_of(rows.row[i]);
        };
        copy(rows.weight, [&](std::size_t row) { return target.weight[row]; });
        copy(rows.case_weight, [&](std::size_t row) { return target.case_weight[row]; });
        copy(rows.event_rank, [&](std::size_t row) { return target.event_rank[row]; });
        for (std::size_t o = 0; o < rows.labels.size(); ++o)
            copy(rows.labels[o],
                 [&](std::size_t row) { return static_cast<std::uint16_t>(target.labels[row * n_outputs + o]); });
        for (std::size_t o = 0; o < rows.numbers.size(); ++o)
            copy(rows.numbers[o], [&](std::size_t row) { return target.numbers[row * n_outputs + o]; });
    });
    return rows;
}

void RowStore::resize_columns(std::size_t n_columns) {
    sorted.resize(n_columns);
    code_place.assign(n_columns, -1);
}

void RowStore::allocate_codes(const std::vector<std::size_t>& columns, base::ThreadPool* pool) {
    std::int32_t place = 0;
    for (const std::size_t c : columns) code_place[c] = place++;
    base::resize(codes[0], columns.size() * target[0].size(), pool);
}

void RowStore::make_second_side(base::ThreadPool* pool) {
    const data::TargetRows& from = target[0];
    data::TargetRows& to = target[1];
    const auto resize = [pool](auto& array, const auto& like) { base::resize(array, like.size(), pool); };
    const auto resize_all = [&](auto& arrays, const auto& like) {
        arrays.resize(like.size());
        for (std::size_t i = 0; i < like.size(); ++i) resize(arrays[i], like[i]);
    };
    to.n_classes = from.n_classes;
    resize(to.row, from.row);
    resize(to.weight, from.weight);
    resize(to.case_weight, from.case_weight);
    resize(to.event_rank, from.event_rank);
    resize_all(to.labels, from.labels);
    resize_all(to.numbers, from.numbers);
    resize(codes[1], codes[0]);
    resize(bins[1], bins[0]);
}

namespace {

struct ColumnSpace {
    base::SortSpace sort;
    std::vector<std::uint64_t> key;
    std::vector<std::uint32_t> rows, absent;
};

// Sorts one column and returns the number of rows with a value.
std::uint32_t sort_column(const data::Column& column, const data::TargetRows& target, ColumnSpace& space,
                          std::vector<Entry>& out) {
    const std::size_t n = target.size();
    space.rows.clear();
    space.absent.clear();
    space.key.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double x = column.number(target.row[i]);
        space.key[i] = base::sort_key(x + 0.0);  // + 0.0 converts -0.0 to 0.0
        (std::isnan(x) || target.weight_of(i) == 0.0 ? space.absent : space.rows)
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
    for (std::size_t i = n_present; i < n; ++i) out[i] = {0, space.absent[i - n_present]};
    return static_cast<std::uint32_t>(n_present);
}

std::vector<std::size_t> level_columns(const data::Table& table) {
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        if (table.columns[c].kind() == data::ColumnKind::levels) columns.push_back(c);
    return columns;
}

// Copies the codes of a column and returns the number of rows with a value.
std::uint32_t read_codes(const data::Column& column, const data::TargetRows& target, base::ThreadPool* pool,
                         std::int32_t* codes) {
    return static_cast<std::uint32_t>(base::count_blocks(pool, target.size(), [&](std::size_t from, std::size_t to) {
        std::size_t n = 0;
        for (std::size_t i = from; i < to; ++i) n += (codes[i] = column.code(target.row[i])) >= 0;
        return n;
    }));
}

void drop_full_presence(NodeRows& root) {
    if (std::all_of(root.present.begin(), root.present.end(), [&](std::uint32_t p) { return p == root.size(); }))
        root.present.clear();
}

}  // namespace

std::vector<std::size_t> level_columns(const NodeRows& node) {
    std::vector<std::size_t> columns;
    const LiveColumns live(node);
    for (std::size_t i = 0; i < live.size(); ++i)
        if (node.store->has_levels(live[i])) columns.push_back(live[i]);
    return columns;
}

std::size_t NodeRows::n_present(std::size_t column, base::ThreadPool* pool) const {
    if (!binned() || store->has_levels(column)) return present.empty() ? size() : present[column];
    const ColumnBins& of_column = store->binning->column[column];
    if (!of_column.any_missing) return size();
    const std::uint8_t* const byte = bins() + of_column.slot;
    const std::size_t stride = store->binning->stride;
    return base::count_blocks(pool, size(), [&](std::size_t from, std::size_t to) {
        std::size_t n = 0;
        for (std::size_t i = from; i < to; ++i) n += byte[i * stride] != missing_bin;
        return n;
    });
}

NodeRows new_store(const data::Table& table, data::TargetRows target) {
    NodeRows out;
    out.store = std::make_shared<RowStore>();
    out.store->table = &table;
    out.store->target[0] = std::move(target);
    out.store->resize_columns(table.columns.size());
    out.end = static_cast<std::uint32_t>(out.target().size());
    out.present.assign(table.columns.size(), out.end);
    return out;
}

NodeRows presort(const data::Table& table, const data::Target& target, bool keep_zero_weights, base::ThreadPool& pool,
                 base::Interrupt& interrupt) {
    const std::size_t n_columns = table.columns.size();
    // Below about 10,000 values, waking a thread costs more than it gains.
    base::ThreadPool* const sharing = std::uint64_t{target.n_rows} * n_columns < 10000 ? nullptr : &pool;
    NodeRows root = new_store(table, copy_target(target, keep_zero_weights, sharing));
    RowStore& store = *root.store;
    const data::TargetRows& rows = store.target[0];
    store.zero_weights =
        keep_zero_weights && std::any_of(rows.weight.begin(), rows.weight.end(), [](double w) { return w == 0.0; });
    store.allocate_codes(level_columns(table));
    std::vector<ColumnSpace> space(static_cast<std::size_t>(pool.size()));
    const auto read = [&](std::size_t c, int thread) {
        interrupt.poll(thread);
        const data::Column& column = table.columns[c];
        if (store.has_levels(c)) {
            root.present[c] = read_codes(column, rows, nullptr, store.codes_of(c, 0));
        } else {
            root.present[c] = sort_column(column, rows, space[thread], store.sorted[c]);
        }
    };
    base::run(sharing, n_columns, 0, read);
    store.make_second_side();
    drop_full_presence(root);
    return root;
}

NodeRows bin(const data::Table& table, const data::Target& target, const BinOptions& options, base::ThreadPool& pool,
             base::Interrupt& interrupt) {
    std::optional<base::PhaseTimer> timer(base::Phase::target);
    NodeRows root = new_store(table, copy_target(target, false, &pool));
    RowStore& store = *root.store;
    const data::TargetRows& rows = store.target[0];
    timer.emplace(base::Phase::bins);
    store.binning = std::make_shared<Binning>(make_bins(table, rows, options, store.bins[0], pool, interrupt));
    store.allocate_codes(level_columns(table), &pool);
    for (const std::size_t c : level_columns(table))
        root.present[c] = read_codes(table.columns[c], rows, &pool, store.codes_of(c, 0));
    store.make_second_side(&pool);
    drop_full_presence(root);
    return root;
}

namespace {

template <class Values>
Values slice(const Values& values, const NodeRows& node) {
    if (values.empty()) return {};
    return {values.begin() + node.begin, values.begin() + node.end};
}

data::TargetRows target_of(const NodeRows& node) {
    const data::TargetRows& from = node.target();
    data::TargetRows target;
    target.n_classes = from.n_classes;
    target.row = slice(from.row, node);
    target.weight = slice(from.weight, node);
    target.case_weight = slice(from.case_weight, node);
    target.event_rank = slice(from.event_rank, node);
    for (const auto& labels : from.labels) target.labels.push_back(slice(labels, node));
    for (const auto& numbers : from.numbers) target.numbers.push_back(slice(numbers, node));
    return target;
}

}  // namespace

NodeRows sort_node(const NodeRows& node, base::ThreadPool* pool) {
    const RowStore& from = *node.store;
    NodeRows out = new_store(*from.table, target_of(node));
    RowStore& store = *out.store;
    store.binning = from.binning;
    store.allocate_codes(level_columns(*from.table));
    std::vector<BinSort> sorts(pool ? static_cast<std::size_t>(pool->size()) : 1);
    const auto sort = [&](std::size_t c, int thread) {
        if (!from.has_levels(c)) {
            BinSort& in_order = sorts[thread];
            out.present[c] = in_order.begin(node, c);
            Entry* const entries = (store.sorted[c].resize(node.size()), store.sorted[c].data());
            in_order.run([entries](std::size_t at, std::uint32_t rank, std::uint32_t row) {
                entries[at] = {rank, row};
            });
        } else {
            std::copy_n(node.codes(c), node.size(), store.codes_of(c, 0));
            out.present[c] = static_cast<std::uint32_t>(node.n_present(c));
        }
    };
    base::run(pool, from.n_columns(), 0, sort);
    store.make_second_side();
    drop_full_presence(out);
    return out;
}

NodeRows compact(const NodeRows& node) {
    const RowStore& from = *node.store;
    NodeRows out = new_store(*from.table, target_of(node));
    out.store->binning = from.binning;
    out.store->zero_weights = from.zero_weights;
    out.present = node.present;
    out.live = node.live;
    const LiveColumns live(node);
    for (std::size_t i = 0; i < live.size(); ++i) out.store->sorted[live[i]] = slice(from.sorted[live[i]], node);
    const std::vector<std::size_t> levels = level_columns(node);
    out.store->allocate_codes(levels);
    for (const std::size_t c : levels) std::copy_n(node.codes(c), node.size(), out.store->codes_of(c, 0));
    out.store->make_second_side();
    return out;
}

}  // namespace ceiba::split
