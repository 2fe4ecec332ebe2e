#include "split/store/packed_columns.hpp"

namespace ceiba::split {

namespace {

constexpr std::size_t long_run = 24;  // longer runs are sorted separately, so that the worst case is n log n, not n^2
constexpr std::size_t few_rows = 512;  // few values rarely share 14 bits, and counters cost as much as sorting them

}  // namespace

// A value rounded to 20 bits of the range shares a word with its row. A radix sort of these words takes 8 ns per value
// at 1,000 rows, a bucket sort of the values 20 ns. Rounding preserves order, except within runs of equal words.
void PackedColumns::sort_values(const ValueRange& range) {
    n_rows_ <= few_rows ? sort_digits<7>(range) : sort_digits<10>(range);
}

// Sorts by two digits of the rounded values.
template <int digit_bits>
void PackedColumns::sort_digits(const ValueRange& range) {
    constexpr int digits = 2;
    static_assert(row_bits + digits * digit_bits <= 32);
    constexpr std::uint32_t n_values = 1u << digit_bits;
    const std::size_t n = n_rows_;
    const double* const value = value_.data();
    std::uint32_t *key = key_.data(), *spare = spare_.data();
    constexpr std::uint32_t last = (1u << digits * digit_bits) - 1u;  // of missing values, if there are any
    const double low = range.low, scale = static_cast<double>(range.complete ? last : last - 1) / (range.high - low);
    const bool rounds = std::isfinite(scale) && scale > 0.0;  // otherwise the range overflows or nearly vanishes
    const auto rounded = [low, scale](double x) {
        return static_cast<std::uint32_t>(static_cast<std::int32_t>((x - low) * scale));
    };
    if (range.complete && rounds)
        for (std::size_t i = 0; i < n; ++i) key[i] = rounded(value[i]) << row_bits | static_cast<std::uint32_t>(i);
    else
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t high_bits = std::isnan(value[i]) ? last : rounds ? rounded(value[i]) : 0u;
            key[i] = high_bits << row_bits | static_cast<std::uint32_t>(i);
        }
    std::array<std::array<std::uint32_t, n_values>, digits> start{};
    const auto digit = [](std::uint32_t k, int d) { return k >> (row_bits + d * digit_bits) & (n_values - 1); };
    for (std::size_t i = 0; i < n; ++i)
        for (int d = 0; d < digits; ++d) ++start[d][digit(key[i], d)];
    for (int d = 0; d < digits; ++d) {
        std::uint32_t sum = 0;
        for (std::uint32_t& s : start[d]) s = std::exchange(sum, sum + s);
        for (std::size_t i = 0; i < n; ++i) spare[start[d][digit(key[i], d)]++] = key[i];
        std::swap(key, spare);
    }
}

// Sorts the rows within each run of equal rounded values. Missing values are one run, which stays as it is.
void PackedColumns::sort_runs() {
    const auto row = [](std::uint32_t key) { return key & ((1u << row_bits) - 1); };
    const auto by_value = [&](std::uint32_t a, std::uint32_t b) { return value_[row(a)] < value_[row(b)]; };
    for (std::size_t i = 1, begin = 0; i <= n_rows_; ++i) {
        if (i < n_rows_ && key_[i] >> row_bits == key_[begin] >> row_bits) continue;
        const auto first = key_.begin() + static_cast<std::ptrdiff_t>(begin),
                   end = key_.begin() + static_cast<std::ptrdiff_t>(i);
        if (i - begin > long_run && !std::is_sorted(first, end, by_value))  // most long runs have a single value
            std::sort(first, end, by_value);
        else if (i - begin > 1 && i - begin <= long_run)
            insertion_sort(key_.data() + begin, i - begin, by_value);
        begin = i;
    }
}

void PackedColumns::begin(const data::Table& table, const std::uint32_t* rows, std::size_t n_rows,
                          const std::uint16_t* label) {
    table_ = &table;
    binning_ = nullptr;
    rows_ = rows;
    label_ = label;
    n_rows_ = n_rows;
    value_.resize(n_rows);
    key_.resize(n_rows);
    spare_.resize(n_rows);
    entries_.resize(n_rows * table.columns.size() + read_past);
    column_.clear();
    column_.reserve(table.columns.size());
    complete_.clear();
    complete_.reserve(table.columns.size());
}

void PackedColumns::keep(std::int32_t column, bool complete) {
    column_.push_back(column);
    complete_.push_back(complete);
}

// Writes the sorted keys as the entries of the next column. Rarely, values that are rounded to the same key are not in
// order: then their runs are sorted first.
void PackedColumns::write(std::size_t c, bool complete) {
    constexpr std::uint32_t row_mask = (1u << row_bits) - 1;
    std::uint32_t* const out = entries(column_.size());
    std::size_t n = n_rows_;
    if (!complete)
        for (; std::isnan(value_[key_[n - 1] & row_mask]); --n) {
            const std::uint32_t row = key_[n - 1] & row_mask;
            out[n - 1] = layout_.entry(missing_rank(), row, label_[row]);
        }
    const auto write_all = [&, layout = layout_, value = value_.data(), label = label_] {
        std::uint32_t rank = 0, disorder = 0;
        double last = value[key_[0] & row_mask];
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t row = key_[i] & row_mask;
            const double x = value[row];
            rank += x != last;
            disorder |= x < last;
            last = x;
            out[i] = layout.entry(rank, row, label[row]);
        }
        return disorder == 0;
    };
    if (!write_all()) {
        sort_runs();
        write_all();
    }
    keep(static_cast<std::int32_t>(c), complete);
}

PackedColumns::ValueRange PackedColumns::read_values(const data::Column& column) {
    double* const value = value_.data();
    column.with_reader([&](auto number) {
        for (std::size_t i = 0; i < n_rows_; ++i) value[i] = number(rows_[i]) + 0.0;  // converts -0.0 to 0.0
    });
    // Lanes, so that a comparison need not wait for the previous one.
    constexpr std::size_t n_lanes = 8;
    std::array<double, n_lanes> least, most;
    least.fill(std::numeric_limits<double>::infinity());
    most.fill(-std::numeric_limits<double>::infinity());
    bool missing = false;
    const auto widen = [&](std::size_t lane, double x) {
        least[lane] = x < least[lane] ? x : least[lane];
        most[lane] = x > most[lane] ? x : most[lane];
        missing |= x != x;
    };
    std::size_t i = 0;
    for (; i + n_lanes <= n_rows_; i += n_lanes)
        for (std::size_t lane = 0; lane < n_lanes; ++lane) widen(lane, value[i + lane]);
    for (; i < n_rows_; ++i) widen(0, value[i]);
    return {*std::min_element(least.begin(), least.end()), *std::max_element(most.begin(), most.end()), !missing};
}

bool PackedColumns::sort(const data::Table& table, const std::uint32_t* rows, std::size_t n_rows,
                         const std::uint16_t* label, bool allow_missing) {
    begin(table, rows, n_rows, label);
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const ValueRange range = read_values(table.columns[c]);
        if (!range.complete && !allow_missing) return false;
        // If all values are missing, the range is empty.
        if (range.complete ? range.low == range.high : range.low > range.high) continue;
        sort_values(range);
        write(c, range.complete);
    }
    return true;
}

bool PackedColumns::sort(const NodeRows& node, bool allow_missing) {
    const RowStore& store = *node.store;
    const data::TargetRows& target = node.target();
    begin(*store.table, target.row.data() + node.begin, node.size(), target.labels[0].data() + node.begin);
    binning_ = store.binning.get();
    bytes_ = node.bins();
    in_order_.gather(node);
    for (std::size_t b = 0; b < binning_->bundles.size(); ++b) sort_bundle(node, b);
    for (std::size_t c : binning_->numeric)
        if (!binning_->column[c].bundled() && !sort_binned(node, c, allow_missing)) return false;
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
    const EntryLayout layout = layout_;
    for (std::size_t i = 0; i < n_rows_; ++i) {
        const std::uint8_t code = byte[i * stride];
        out[start[code]++] = layout.entry(code, static_cast<std::uint32_t>(i), label_[i]);
    }
    keep(-1 - static_cast<std::int32_t>(b), true);
}

bool PackedColumns::sort_binned(const NodeRows& node, std::size_t c, bool allow_missing) {
    const std::size_t n_present = in_order_.begin(node, c);
    const bool complete = n_present == n_rows_;
    if (!complete && !allow_missing) return false;
    if (n_present == 0 || in_order_.one_value()) return true;
    std::uint32_t* const out = entries(column_.size());
    const auto write = [out, layout = layout_, label = label_](std::size_t at, std::uint32_t rank, std::uint32_t row) {
        out[at] = layout.entry(rank, row, label[row]);
    };
    if (complete)
        in_order_.run(write);
    else
        in_order_.run([=, last = missing_rank()](std::size_t at, std::uint32_t rank, std::uint32_t row) {
            write(at, at < n_present ? rank : last, row);
        });
    if (layout_.rank(out[0]) != layout_.rank(out[n_rows_ - 1])) keep(static_cast<std::int32_t>(c), complete);
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
        const std::uint32_t below = layout_.rank(lower), above = layout_.rank(upper);
        if (bins.lossless()) return cut_between(bins.value[below], bins.value[above], false);
        if (binning_->approximate) return bins.edge[(below + above - 1) / 2];
        if (bins.integers) {
            const auto value = [&](std::uint32_t entry) {
                const std::size_t at = layout_.row(entry) * binning_->stride + bins.integers->offset;
                return bins.integers->low + static_cast<double>(SmallIntegers::read(bytes_ + at));
            };
            return cut_between(value(lower), value(upper), false);
        }
    }
    const data::Column& column = table_->columns[c];
    return cut_between(column.number(rows_[layout_.row(lower)]), column.number(rows_[layout_.row(upper)]), false);
}

}  // namespace ceiba::split
