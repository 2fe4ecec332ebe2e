#include "split/store/sparse_entries.hpp"

#include "split/store/bin_sort.hpp"

namespace ceiba::split {

namespace {

// The entries of the target's rows, by column; within a column in their original order.
struct ColumnEntries {
    std::vector<std::size_t> start;  // per column, and the end
    std::vector<Entry> entries;
    std::vector<double> values;
};

ColumnEntries collect(const data::SparseMatrix& m, const data::TargetRows& target) {
    ColumnEntries out;
    out.start.assign(m.n_columns + 1, 0);
    for_each_entry(m, target, [&](std::size_t c, std::uint32_t, double) { ++out.start[c + 1]; });
    for (std::size_t c = 0; c < m.n_columns; ++c) out.start[c + 1] += out.start[c];
    out.entries.resize(out.start.back());
    out.values.resize(out.start.back());
    std::vector<std::size_t> next(out.start.begin(), out.start.end() - 1);
    for_each_entry(m, target, [&](std::size_t c, std::uint32_t i, double x) {
        out.entries[next[c]].row = i;
        out.values[next[c]++] = x;
    });
    return out;
}

// Sorts the entries of one column by value and assigns ranks around that of zero.
void rank(const double* x, std::size_t n, Entry* out, std::vector<Item>& values) {
    values.resize(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = {x[i], out[i].row};
    if (!std::is_sorted(values.begin(), values.end(), by_value_and_row))
        std::sort(values.begin(), values.end(), by_value_and_row);
    const auto zero = static_cast<std::size_t>(
        std::partition_point(values.begin(), values.end(), [](const Item& v) { return v.value < 0.0; }) -
        values.begin());
    std::uint32_t next = SparseEntries::zero;
    for (std::size_t i = zero; i < n; ++i) {
        next += i == zero || values[i].value != values[i - 1].value;
        out[i] = {next, values[i].row};
    }
    next = SparseEntries::zero;
    for (std::size_t i = zero; i-- > 0;) {
        next -= i + 1 == zero || values[i].value != values[i + 1].value;
        out[i] = {next, values[i].row};
    }
}

// Whether the rows differ in a column.
bool varies(const Entry* entries, std::size_t n, std::size_t n_rows) {
    return n > 0 && (n < n_rows || entries[0].rank != entries[n - 1].rank);
}

}  // namespace

SparseColumn sparse_column(const NodeRows& node, std::size_t column) {
    const auto& live = *node.live;
    const auto at = std::lower_bound(live.begin(), live.end(), static_cast<std::uint32_t>(column));
    if (at == live.end() || *at != column) return {};
    const std::size_t k = static_cast<std::size_t>(at - live.begin());
    const Entry* const first = node.sparse->entries.data() + node.sparse->start[k];
    SparseColumn out{first, node.sparse->start[k + 1] - node.sparse->start[k], 0};
    if (first[0].rank < SparseEntries::zero)
        out.n_below = static_cast<std::size_t>(
            std::partition_point(first, first + out.n, [](const Entry& e) { return e.rank < SparseEntries::zero; }) -
            first);
    return out;
}

void fill_column(const NodeRows& node, std::size_t c, std::vector<Entry>& out) {
    const SparseColumn column = sparse_column(node, c);
    std::vector<bool> stored(node.size(), false);
    for (std::size_t i = 0; i < column.n; ++i) stored[column.entries[i].row] = true;
    out.assign(column.entries, column.entries + column.n_below);
    for (std::size_t i = 0; i < node.size(); ++i)
        if (!stored[i]) out.push_back({SparseEntries::zero, static_cast<std::uint32_t>(i)});
    out.insert(out.end(), column.entries + column.n_below, column.entries + column.n);
}

NodeRows sparse_root(const data::Table& table, const data::Target& target, base::ThreadPool& pool,
                     base::Interrupt& interrupt) {
    const data::SparseMatrix& matrix = *table.sparse;
    NodeRows root = new_store(table, copy_target(target, false, &pool));
    root.present.clear();
    root.store->make_second_side();
    const std::size_t n_rows = root.size();
    ColumnEntries columns = collect(matrix, root.target());
    interrupt.poll();
    std::vector<Entry>& entries = columns.entries;
    constexpr std::size_t block = 64;
    std::vector<std::vector<Item>> space(static_cast<std::size_t>(pool.size()));
    pool.run((matrix.n_columns + block - 1) / block, [&](std::size_t b, int thread) {
        for (std::size_t c = b * block; c < std::min((b + 1) * block, matrix.n_columns); ++c) {
            const std::size_t first = columns.start[c];
            rank(columns.values.data() + first, columns.start[c + 1] - first, entries.data() + first, space[thread]);
        }
    });
    std::vector<std::uint32_t> live;
    auto sparse = std::make_shared<SparseEntries>();
    std::size_t size = 0;
    for (std::size_t c = 0; c < matrix.n_columns; ++c) {
        const std::size_t first = columns.start[c], n = columns.start[c + 1] - first;
        if (!varies(entries.data() + first, n, n_rows)) continue;
        live.push_back(static_cast<std::uint32_t>(c));
        sparse->start.push_back(size);
        if (size != first) std::copy_n(entries.data() + first, n, entries.data() + size);
        size += n;
    }
    sparse->start.push_back(size);
    entries.resize(size);
    sparse->entries = std::move(entries);
    root.live = std::make_shared<const std::vector<std::uint32_t>>(std::move(live));
    root.sparse = std::move(sparse);
    return root;
}

namespace {

// Collects the entries of a branch.
class Part {
public:
    Part(NodeRows& branch, std::size_t n_entries)
        : branch_(branch), n_rows_(branch.size()), out_(std::make_shared<SparseEntries>()) {
        out_->entries.resize(n_entries + 1);  // one more, so that writes need no bounds check
    }

    void write(std::uint32_t rank, std::uint32_t row, bool keep) {
        out_->entries[end_] = {rank, row};
        end_ += keep;
    }
    void end_column(std::uint32_t column) {
        if (varies(out_->entries.data() + begin_, end_ - begin_, n_rows_)) {
            live_.push_back(column);
            out_->start.push_back(begin_);
        } else {
            end_ = begin_;
        }
        begin_ = end_;
    }
    void finish() {
        out_->start.push_back(end_);
        out_->entries.resize(end_);
        branch_.live = std::make_shared<const std::vector<std::uint32_t>>(std::move(live_));
        branch_.sparse = std::move(out_);
    }

private:
    NodeRows& branch_;
    std::size_t n_rows_, begin_ = 0, end_ = 0;
    std::shared_ptr<SparseEntries> out_;
    std::vector<std::uint32_t> live_;
};

// Calls place(entry) for all entries of a node, and end_column() of all parts after each column.
template <class Place>
void partition_columns(const NodeRows& node, Place place, const std::vector<Part*>& parts) {
    const SparseEntries& from = *node.sparse;
    for (std::size_t k = 0; k < node.live->size(); ++k) {
        for (std::size_t i = from.start[k]; i < from.start[k + 1]; ++i) place(from.entries[i]);
        for (Part* part : parts) part->end_column((*node.live)[k]);
    }
    for (Part* part : parts) part->finish();
}

}  // namespace

void partition_entries(const NodeRows& node, const Places& places, const std::vector<BranchRows>& branches,
                       base::ThreadPool* pool) {
    const std::uint32_t* const place = places.place.data();
    const std::uint32_t n_left = places.start[1];
    const std::size_t n = node.sparse->entries.size();
    std::size_t on_left = 0;
    for (const Entry& e : node.sparse->entries) on_left += place[e.row] < n_left;
    const auto part = [&](std::size_t b, int) {
        if (!branches[b].searched) return;
        Part out(*branches[b].rows, b == 0 ? on_left : n - on_left);
        const auto write = [&](const Entry& e) {
            const std::uint32_t row = place[e.row];
            out.write(e.rank, b == 0 ? row : row - n_left, (row < n_left) == (b == 0));
        };
        partition_columns(node, write, {&out});
    };
    if (pool) return pool->run(branches.size(), part);
    if (!branches[0].searched || !branches[1].searched) {
        part(0, 0);
        part(1, 0);
        return;
    }
    Part left(*branches[0].rows, on_left), right(*branches[1].rows, n - on_left);
    const auto write = [&](const Entry& e) {
        const std::uint32_t row = place[e.row];
        left.write(e.rank, row, row < n_left);
        right.write(e.rank, row - n_left, row >= n_left);
    };
    partition_columns(node, write, {&left, &right});
}

}  // namespace ceiba::split
