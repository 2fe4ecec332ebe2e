#include "tree/cut_digits.hpp"

#include <charconv>

#include "base/thread_pool.hpp"

namespace ceiba::tree {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int short_digits = 12;  // about one float of 10,000 is a decimal of so many digits by chance
constexpr double reach = 1e-5;    // rounding to `least_digits` moves a cut by less than this part of it
constexpr std::size_t block_rows = 256;
constexpr std::size_t thread_values = 500'000;  // that are worth a thread

#if defined(__EMSCRIPTEN__)
// By the C library: the C++ library has 110 KB of tables for the same digits, which a page would load.
double round_to_digits(double x, int digits) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*e", digits - 1, x);
    return std::strtod(text, nullptr);
}
int shortest_digits(double x) {
    int digits = 1;
    while (digits < all_digits && round_to_digits(x, digits) != x) ++digits;
    return digits;
}
#else
double round_to_digits(double x, int digits) {
    char text[40];
    const char* end = std::to_chars(text, text + sizeof text, x, std::chars_format::scientific, digits - 1).ptr;
    double rounded = x;
    std::from_chars(text, end, rounded);
    return rounded;
}
// Significant digits of the shortest decimal that is read as x.
int shortest_digits(double x) {
    char text[40];
    const char* end = std::to_chars(text, text + sizeof text, std::abs(x), std::chars_format::scientific).ptr;
    return static_cast<int>(std::find<const char*>(text, end, 'e') - text) - (text[1] == '.' ? 1 : 0);
}
#endif

// Digits of the shorter of the two decimals that are the cut and the float above it. Decimals of at most 15 digits are
// farther apart than neighbouring normal floats, so only one of the two can be such a decimal.
int exact_digits(double cut) {
    const int digits = shortest_digits(cut);
    if (digits <= std::numeric_limits<double>::digits10 && std::isnormal(cut)) return digits;
    return std::min(digits, shortest_digits(std::nextafter(cut, infinity)));
}

// Does the cut, rounded to so many digits, leave its neighbours where they are?
bool separates(double cut, CutGap gap, int digits) {
    const double rounded = round_to_digits(cut, digits);
    return rounded <= cut ? rounded >= gap.below : rounded <= gap.above;
}

// The digits of a cut that is no short decimal.
int separating_digits(double cut, CutGap gap) {
    const double margin = std::min(cut - gap.below, gap.above - cut);
    int digits = all_digits;
    if (margin > 0.0) {
        // Rounding at the place p changes the cut by 10^p / 2 at most. One digit more: the logarithms are rounded.
        const double places = std::floor(std::log10(std::abs(cut))) - std::floor(std::log10(margin) + std::log10(2.0));
        digits = static_cast<int>(std::clamp<double>(places + 2.0, least_digits, all_digits));
    }
    while (digits > least_digits && separates(cut, gap, digits - 1)) --digits;
    // With fewer digits than a short decimal has there are no ties, which languages round differently.
    return digits < short_digits ? digits : all_digits;
}

// The cuts of one column, different and ascending, and the values near them.
class ColumnCuts {
public:
    explicit ColumnCuts(std::vector<double> cuts) : cuts_(std::move(cuts)), held_(cuts_.size() + 1) {
        // Nearly all values are far from every cut: one byte per cell of a grid decides. There are so many cells that
        // few of them are near a cut, and no more than the cache holds. The first is for NaN and values below the grid,
        // the last for values above it.
        std::size_t cells = 4096;
        while (cells < 64 * cuts_.size() && cells < 32768) cells *= 2;
        near_.resize(cells + 2);
        top_ = static_cast<double>(cells + 1);
        low_ = cuts_.front() - reach * std::abs(cuts_.front());
        scale_ = static_cast<double>(cells) / (cuts_.back() + reach * std::abs(cuts_.back()) - low_);
        if (!(scale_ < infinity)) scale_ = 0.0;  // one cell: 1
        for (const double cut : cuts_)
            for (std::int32_t c = cell(cut - reach * std::abs(cut)); c <= cell(cut + reach * std::abs(cut)); ++c)
                near_[static_cast<std::size_t>(c)] = 1;
        near_.back() = 0;
    }

    // Cells first, in a loop without branches; then eight at a time, because a cell near a cut is rare.
    void add_block(const double* x, std::size_t n) {
        std::int32_t cells[block_rows];
        const double low = low_, scale = scale_, top = top_;
        for (std::size_t i = 0; i < n; ++i) {
            const double at = std::max(0.0, (x[i] - low) * scale + 1.0);
            cells[i] = static_cast<std::int32_t>(std::min(top, at));
        }
        std::size_t i = 0;
        for (; i + 8 <= n; i += 8) {
            unsigned any = 0;
            for (std::size_t k = 0; k < 8; ++k) any |= near_[static_cast<std::size_t>(cells[i + k])];
            if (any == 0) continue;
            for (std::size_t k = 0; k < 8; ++k) add(x[i + k]);
        }
        for (; i < n; ++i) add(x[i]);
    }

    void add(double x) {
        if (!near_[static_cast<std::size_t>(cell(x))]) return;
        CutGap& gap = held_[place_of(x)];
        gap.below = std::max(gap.below, x);
        gap.above = std::min(gap.above, x);
    }

    void merge(const ColumnCuts& other) {
        for (std::size_t k = 0; k < held_.size(); ++k) {
            held_[k].below = std::max(held_[k].below, other.held_[k].below);
            held_[k].above = std::min(held_[k].above, other.held_[k].above);
        }
    }

    // After the last value: the gap of each cut.
    std::vector<CutGap> gaps() const {
        std::vector<CutGap> out(cuts_.size());
        CutGap seen;
        for (std::size_t k = 0; k < cuts_.size(); ++k)
            out[k].below = seen.below = std::max(seen.below, held_[k].below);
        for (std::size_t k = cuts_.size(); k-- > 0;)
            out[k].above = seen.above = std::min(seen.above, held_[k + 1].above);
        return out;
    }
    // The first cut that is not below x.
    std::size_t place_of(double x) const {
        return static_cast<std::size_t>(std::lower_bound(cuts_.begin(), cuts_.end(), x) - cuts_.begin());
    }

private:
    std::int32_t cell(double x) const {  // never decreases with x; NaN: 0
        const double at = std::max(0.0, (x - low_) * scale_ + 1.0);  // in this order: NaN is less than nothing
        return static_cast<std::int32_t>(std::min(top_, at));
    }

    std::vector<double> cuts_;
    std::vector<CutGap> held_;  // of the interval up to each cut, and beyond the last: its largest and smallest value
    std::vector<std::uint8_t> near_;
    double low_, scale_, top_;
};

// A column of a compressed matrix by columns has its values in one place.
void add_stored(const data::SparseMatrix& matrix, std::size_t column, ColumnCuts& cuts) {
    const std::size_t begin = matrix.start(column), end = matrix.start(column + 1);
    for (std::size_t i = begin; i < end; ++i) cuts.add(matrix.value(i));
    if (end - begin < matrix.n_rows) cuts.add(0.0);
}

}  // namespace

std::int8_t digits_for(double cut, CutGap gap) {
    if (!std::isfinite(cut)) return 0;
    const int exact = exact_digits(cut);
    return static_cast<std::int8_t>(exact <= short_digits ? exact : separating_digits(cut, gap));
}

std::vector<CutGap> cut_gaps(const data::Table& table, std::span<const std::uint32_t> rows,
                             std::span<const std::int32_t> column, std::span<const double> cut, int n_threads) {
    std::vector<std::vector<double>> of_column(table.columns.size());
    for (std::size_t i = 0; i < cut.size(); ++i) of_column[column[i]].push_back(cut[i]);
    std::vector<std::size_t> place(table.columns.size());
    std::vector<ColumnCuts> cuts;
    std::vector<std::size_t> dense;
    for (std::size_t j = 0; j < of_column.size(); ++j) {
        std::vector<double>& sorted = of_column[j];
        if (sorted.empty()) continue;
        std::sort(sorted.begin(), sorted.end());
        sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
        place[j] = cuts.size();
        cuts.emplace_back(std::move(sorted));
        if (table.sparse && !table.sparse->by_rows && rows.empty())
            add_stored(*table.sparse, j, cuts.back());
        else
            dense.push_back(j);
    }
    const std::size_t n_rows = rows.empty() ? table.n_rows : rows.size();
    const auto n_parts = std::clamp<std::uint64_t>(std::uint64_t{n_rows} * dense.size() / thread_values, 1,
                                                   static_cast<std::uint64_t>(std::max(n_threads, 1)));
    base::ThreadPool pool(static_cast<int>(n_parts));
    std::vector<std::vector<ColumnCuts>> parts(static_cast<std::size_t>(pool.size()));  // per thread
    // The columns of a matrix whose rows are contiguous share cache lines, so all are read block by block.
    const auto add_block = [&](std::size_t, std::size_t from, std::size_t to, int thread) {
        std::vector<ColumnCuts>& part = parts[thread];
        if (part.empty()) part = cuts;
        double block[block_rows];
        for (const std::size_t j : dense) {
            table.columns[j].with_reader([&](auto number) {
                for (std::size_t i = from; i < to; ++i) block[i - from] = number(rows.empty() ? i : rows[i]);
            });
            part[place[j]].add_block(block, to - from);
        }
    };
    base::for_blocks(&pool, dense.empty() ? 0 : n_rows, add_block, block_rows);
    for (const std::vector<ColumnCuts>& part : parts)
        for (std::size_t k = 0; k < part.size(); ++k) cuts[k].merge(part[k]);
    std::vector<std::vector<CutGap>> column_gaps;
    for (const ColumnCuts& column_cuts : cuts) column_gaps.push_back(column_cuts.gaps());
    std::vector<CutGap> gaps(cut.size());
    for (std::size_t i = 0; i < cut.size(); ++i) {
        const std::size_t k = place[column[i]];
        gaps[i] = column_gaps[k][cuts[k].place_of(cut[i])];
    }
    return gaps;
}

std::vector<std::int8_t> cut_digits(const data::Table& table, std::span<const std::uint32_t> rows,
                                    std::span<const std::int32_t> column, std::span<const double> cut, int n_threads) {
    std::vector<std::int8_t> digits(cut.size());
    std::vector<std::size_t> place;
    std::vector<std::int32_t> columns;
    std::vector<double> cuts;
    for (std::size_t i = 0; i < cut.size(); ++i) {
        if (!std::isfinite(cut[i])) continue;
        digits[i] = static_cast<std::int8_t>(exact_digits(cut[i]));
        if (digits[i] <= short_digits) continue;
        place.push_back(i);
        columns.push_back(column[i]);
        cuts.push_back(cut[i]);
    }
    if (place.empty()) return digits;
    const std::vector<CutGap> gaps = cut_gaps(table, rows, columns, cuts, n_threads);
    for (std::size_t k = 0; k < gaps.size(); ++k)
        digits[place[k]] = static_cast<std::int8_t>(separating_digits(cuts[k], gaps[k]));
    return digits;
}

}  // namespace ceiba::tree
