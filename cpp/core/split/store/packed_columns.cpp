#include "split/store/packed_columns.hpp"

namespace ceiba::split {

namespace {

constexpr std::uint32_t long_bucket = 24;  // longer ones are sorted apart, so that bad luck costs n log n, not n^2

std::uint32_t packed(std::uint32_t rank, std::uint32_t row, std::uint32_t label) {
    return (rank << (PackedColumns::row_bits + PackedColumns::class_bits)) | (row << PackedColumns::class_bits) | label;
}

}  // namespace

// As many buckets as rows over the range of the values, then insertion: one pass for values spread anyhow evenly, about
// 4 ns a value at 500 rows, where a radix sort spends most of its time on its counters and std::sort three times as
// much.
void PackedColumns::sort_items(double low, double high) {
    const std::size_t n = n_rows_;
    const auto by_value = [](const Item& a, const Item& b) { return a.value < b.value; };
    const double scale = static_cast<double>(n) / (high - low);
    if (!std::isfinite(scale) || !(scale > 0.0)) {  // the range overflows, or nearly vanishes
        std::sort(items_.begin(), items_.end(), by_value);
        return;
    }
    const std::uint32_t last = static_cast<std::uint32_t>(n - 1);
    const auto bucket = [&](double x) { return std::min(static_cast<std::uint32_t>((x - low) * scale), last); };
    start_.assign(n + 1, 0);
    for (const Item& item : items_) ++start_[bucket(item.value) + 1];
    std::uint32_t longest = 0;
    for (std::size_t b = 1; b <= n; ++b) {
        longest = std::max(longest, start_[b]);
        start_[b] += start_[b - 1];
    }
    for (const Item& item : items_) spare_[start_[bucket(item.value)]++] = item;
    items_.swap(spare_);
    // start_[b] is now the end of bucket b.
    if (longest > long_bucket)
        for (std::size_t b = 0, begin = 0; b < n; begin = start_[b++])
            if (start_[b] - begin > long_bucket)
                std::sort(items_.begin() + static_cast<std::ptrdiff_t>(begin),
                          items_.begin() + static_cast<std::ptrdiff_t>(start_[b]), by_value);
    insertion_sort(items_.data(), n, by_value);
}

void PackedColumns::begin(const data::Table& table, const std::uint32_t* rows, std::size_t n_rows,
                          const std::uint16_t* label) {
    table_ = &table;
    binning_ = nullptr;
    rows_ = rows;
    label_ = label;
    n_rows_ = n_rows;
    items_.resize(n_rows);
    spare_.resize(n_rows);
    entries_.resize(n_rows * table.columns.size() + read_past);
    column_.clear();
    column_.reserve(table.columns.size());
}

// The sorted items become the entries of the next column.
void PackedColumns::write(std::size_t c) {
    std::uint32_t* const out = entries(column_.size());
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < n_rows_; ++i) {
        const Item& item = items_[i];
        rank += i > 0 && item.value != items_[i - 1].value;
        out[i] = packed(rank, item.row, label_[item.row]);
    }
    column_.push_back(static_cast<std::int32_t>(c));
}

bool PackedColumns::sort(const data::Table& table, const std::uint32_t* rows, std::size_t n_rows,
                         const std::uint16_t* label) {
    begin(table, rows, n_rows, label);
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const data::Column& column = table.columns[c];
        double low = column.number(rows[0]) + 0.0, high = low;
        bool all_there = true;
        column.with_reader([&](auto number) {
            for (std::size_t i = 0; i < n_rows; ++i) {
                const double x = number(rows[i]) + 0.0;  // + 0.0 turns -0.0 into 0.0
                all_there = all_there && x == x;
                low = std::min(low, x);
                high = std::max(high, x);
                items_[i] = {x, static_cast<std::uint32_t>(i)};
            }
        });
        if (!all_there) return false;
        if (low == high) continue;
        sort_items(low, high);
        write(c);
    }
    return true;
}

bool PackedColumns::sort(const NodeRows& node) {
    const RowStore& store = *node.store;
    const data::TargetRows& target = node.target();
    begin(*store.table, target.row.data() + node.begin, node.size(), target.labels[0].data() + node.begin);
    binning_ = store.binning.get();
    in_order_.gather(node);
    for (std::size_t b = 0; b < binning_->bundles.size(); ++b) sort_bundle(node, b);
    for (std::size_t c : binning_->numeric)
        if (!binning_->column[c].bundled() && !sort_binned(node, c)) return false;
    return true;
}

void PackedColumns::sort_bundle(const NodeRows& node, std::size_t b) {
    const std::uint8_t* const byte = node.bins() + b;
    const std::size_t stride = binning_->stride;
    std::array<std::uint32_t, 257> start{};
    for (std::size_t i = 0; i < n_rows_; ++i) ++start[byte[i * stride] + 1u];
    if (start[*byte + 1u] == n_rows_) return;
    for (std::size_t k = 0; k < 256; ++k) start[k + 1] += start[k];
    std::uint32_t* const out = entries(column_.size());
    for (std::size_t i = 0; i < n_rows_; ++i) {
        const std::uint8_t code = byte[i * stride];
        out[start[code]++] = packed(code, static_cast<std::uint32_t>(i), label_[i]);
    }
    column_.push_back(-1 - static_cast<std::int32_t>(b));
}

bool PackedColumns::sort_binned(const NodeRows& node, std::size_t c) {
    if (in_order_.begin(node, c) < n_rows_) return false;
    if (in_order_.one_value()) return true;
    std::uint32_t* const out = entries(column_.size());
    in_order_.run([out, this](std::size_t at, std::uint32_t rank, std::uint32_t row) {
        out[at] = packed(rank, row, label_[row]);
    });
    if (rank(out[0]) != rank(out[n_rows_ - 1])) column_.push_back(static_cast<std::int32_t>(c));
    return true;
}

std::int32_t PackedColumns::column(std::size_t at, std::uint32_t code) const {
    if (!bundle(at)) return column_[at];
    return static_cast<std::int32_t>(binning_->bundles[-1 - column_[at]][code - 1]);
}

bool PackedColumns::rare_on_left(std::size_t at, std::uint32_t code) const {
    return binning_->column[column(at, code)].rare == 0;
}

double PackedColumns::cut(std::size_t at, std::uint32_t code) const {
    const ColumnBins& bins = binning_->column[column(at, code)];
    return cut_between(bins.value[0], bins.value[1], false);
}

double PackedColumns::cut(std::size_t at, std::uint32_t lower, std::uint32_t upper) const {
    const std::size_t c = static_cast<std::size_t>(column_[at]);
    if (binning_) {
        const ColumnBins& bins = binning_->column[c];
        if (bins.lossless()) return cut_between(bins.value[rank(lower)], bins.value[rank(upper)], false);
        if (binning_->approximate) return bins.edge[(rank(lower) + rank(upper) - 1) / 2];
    }
    const data::Column& column = table_->columns[c];
    return cut_between(column.number(rows_[row(lower)]), column.number(rows_[row(upper)]), false);
}

}  // namespace ceiba::split
