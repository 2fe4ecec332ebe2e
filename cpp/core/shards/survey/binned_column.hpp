// A numeric column of a node in a survey, in two forms of a BinnedColumn (split/survey/marks.hpp). CellColumn reads the
// cells of its bins, which rule out most columns. BinnedColumn has ranges of keys with counts, which start as bins: a
// zoom replaces a range by parts, a fetch by single values. Neighbours are joined if no cut inside or between them can
// win, so only open ranges use memory.
#pragma once

#include "shards/cells.hpp"
#include "shards/protocol.hpp"

namespace ceiba::shards {

struct KeyRange {
    std::uint64_t low, high;  // keys; if equal: a single value without a cut inside
    double rows;
    bool settled = false;                // no cut inside can win
    std::uint64_t first_high, last_low;  // ends of the first and the last of the joined ranges

    bool one_value() const { return low == high; }
};

// The totals of the whole column, for both forms.
template <class S>
class ColumnTotals {
public:
    const Words& total() const { return total_; }
    const Words& missing() const { return missing_; }
    const double* total_fields() const { return total_fields_.data(); }
    const double* left() const { return left_.data(); }  // fields that a walk has passed
    double n_rows() const { return n_present_ + n_missing_; }
    double n_present() const { return n_present_; }
    double n_missing() const { return n_missing_; }  // participating missing rows
    double n_without_value() const { return n_without_value_; }
    const Words& present() const { return present_; }
    const double* present_fields() {
        statistic_->fields(present_.data(), left_.data());
        return left();
    }

protected:
    ColumnTotals(const S& statistic, std::span<const std::uint64_t> cells, std::size_t width, bool learn)
        : statistic_(&statistic),
          width_(width),
          present_(sum_cells(cells.first(cells.size() - width), width)),
          missing_(cells.end() - static_cast<std::ptrdiff_t>(width), cells.end()),
          total_(present_),
          total_fields_(statistic.n_fields()),
          left_(statistic.n_fields()),
          n_present_(statistic.rows(present_.data())),
          n_without_value_(statistic.rows(missing_.data())) {
        if (learn && n_without_value_ > 0.0) {
            n_missing_ = n_without_value_;
            add_words(total_, missing_);
        }
        statistic.fields(total_.data(), total_fields_.data());
    }
    // Walks over the ranges of `column`, which must be this object.
    template <class Column, class Inside, class Boundary>
    void walk_over(const Column& column, bool missing_left, Inside inside, Boundary boundary) {
        std::fill(left_.begin(), left_.end(), 0.0);
        if (missing_left) statistic_->fields(missing_.data(), left_.data());
        split::walk_ranges(column, missing_left, left_, inside, boundary);
    }

    const S* statistic_;
    std::size_t width_;
    Words present_, missing_, total_;
    std::vector<double> total_fields_, left_;
    double n_present_, n_missing_ = 0.0, n_without_value_;
};

template <class S>
class CellColumn : public ColumnTotals<S> {
public:
    // `cells`: of all bins, then of missing values, which participate if `learn`. The arguments must outlive this.
    CellColumn(const S& statistic, const ColumnLayout& column, std::span<const std::uint64_t> cells, std::size_t width,
               bool learn)
        : ColumnTotals<S>(statistic, cells, width, learn),
          column_(&column),
          cells_(cells),
          fields_(statistic.n_fields()) {}

    const ColumnLayout& layout() const { return *column_; }
    std::size_t size() const { return column_->n_bins(); }
    std::span<const std::uint64_t> cell(std::size_t b) const {
        return cells_.subspan(b * this->width_, this->width_);
    }
    double rows(std::size_t b) const { return this->statistic_->rows(cells_.data() + b * this->width_); }
    bool settled(std::size_t b) const { return !(column_->least[b] < column_->most[b]); }
    const double* fields(std::size_t b) const {  // valid until the next call
        this->statistic_->fields(cells_.data() + b * this->width_, fields_.data());
        return fields_.data();
    }
    bool can_be_cut() const {
        if (!(this->n_present_ > 0.0) || this->n_missing_ > 0.0) return this->n_present_ > 0.0;
        std::size_t first = 0;
        while (!(rows(first) > 0.0)) ++first;
        return rows(first) < this->n_present_ || !settled(first);
    }
    template <class Inside, class Boundary>
    void walk(bool missing_left, Inside inside, Boundary boundary) {
        this->walk_over(*this, missing_left, inside, boundary);
    }

private:
    const ColumnLayout* column_;
    std::span<const std::uint64_t> cells_;
    mutable std::vector<double> fields_;
};

template <class S>
class BinnedColumn : public ColumnTotals<S> {
    using ColumnTotals<S>::statistic_, ColumnTotals<S>::width_, ColumnTotals<S>::missing_;

public:
    explicit BinnedColumn(const CellColumn<S>& bins) : ColumnTotals<S>(bins) {
        const ColumnLayout& column = bins.layout();
        reserve(column.n_bins());
        for (std::size_t b = 0; b < column.n_bins(); ++b)
            if (const double rows = bins.rows(b); rows > 0.0)
                append(key_of(column.least[b]), key_of(column.most[b]), rows, bins.cell(b));
        fill_fields();
    }

    std::size_t size() const { return ranges_.size(); }
    const KeyRange& operator[](std::size_t i) const { return ranges_[i]; }
    double rows(std::size_t i) const { return ranges_[i].rows; }
    bool settled(std::size_t i) const { return ranges_[i].settled || ranges_[i].one_value(); }
    const double* fields(std::size_t i) const { return fields_.data() + i * statistic_->n_fields(); }

    template <class Inside, class Boundary>
    void walk(bool missing_left, Inside inside, Boundary boundary) {
        this->walk_over(*this, missing_left, inside, boundary);
    }

    // The exact sums of the ranges up to `last`, with or without missing values.
    Words part_up_to(std::size_t last, bool with_missing) const {
        Words part = with_missing ? missing_ : Words(width_, 0);
        for (std::size_t i = 0; i <= last; ++i) add_words(part, cell(i));
        return part;
    }
    std::span<const std::uint64_t> cell(std::size_t i) const { return {cells_.data() + i * width_, width_}; }

    // Replaces these (ascending) ranges by the counts of a zoom.
    void consume_parts(const std::vector<std::size_t>& queried, int zoom_bits, Reader& in) {
        const std::size_t n_parts = std::size_t{1} << zoom_bits;
        rebuild(queried, n_parts, [&](const KeyRange& old) {
            const int shift = zoom_shift(old.low, old.high, zoom_bits);
            const auto parts = in.read(n_parts * width_);
            for (std::size_t p = 0; p < n_parts; ++p) {
                const auto cell = parts.subspan(p * width_, width_);
                const double rows = statistic_->rows(cell.data());
                if (!(rows > 0.0)) continue;
                const std::uint64_t low = old.low + (static_cast<std::uint64_t>(p) << shift),
                                    reach = (std::uint64_t{1} << shift) - 1;  // low + reach need not be a key
                append(low, low + std::min(reach, old.high - low), rows, cell);
            }
        });
    }
    // The same with the values of a fetch.
    void consume_runs(const std::vector<std::size_t>& queried, Reader& in) {
        rebuild(queried, 1, [&](const KeyRange&) {
            for (std::size_t n = in.size(); n-- > 0;) {
                const std::uint64_t key = in.word();
                const auto cell = in.read(width_);
                append(key, key, statistic_->rows(cell.data()), cell);
            }
        });
    }

    // Joins ranges that are not marked. Returns the positions of the ranges inside which a cut may win.
    std::vector<std::size_t> settle(const split::Marks& marks) {
        std::vector<std::size_t> places;
        std::size_t n = 0;  // number of remaining ranges, in place
        for (std::size_t i = 0; i < ranges_.size(); ++i) {
            const bool open = marks.of(i) & split::Marks::inside;
            if (i > 0 && marks.of(i - 1) == 0 && !open) {
                join(n - 1, i);
                continue;
            }
            if (n < i) {
                ranges_[n] = ranges_[i];
                std::copy_n(cells_.data() + i * width_, width_, cells_.data() + n * width_);
            }
            ranges_[n].settled = !open;
            if (open) places.push_back(n);
            ++n;
        }
        ranges_.resize(n);
        cells_.resize(n * width_);
        if (ranges_.capacity() > 2 * n) ranges_.shrink_to_fit(), cells_.shrink_to_fit(), fields_ = {};
        fill_fields();
        return places;
    }

private:
    void append(std::uint64_t low, std::uint64_t high, double rows, std::span<const std::uint64_t> cell) {
        append({low, high, rows, false, high, low}, cell);
    }
    void append(const KeyRange& range, std::span<const std::uint64_t> cell) {
        ranges_.push_back(range);
        for (std::uint64_t word : cell) cells_.push_back(word);  // few words: no call
    }
    void fill_fields() {
        const std::size_t n = statistic_->n_fields();
        fields_.resize(ranges_.size() * n);
        for (std::size_t i = 0; i < ranges_.size(); ++i)
            statistic_->fields(cells_.data() + i * width_, fields_.data() + i * n);
    }
    void join(std::size_t to, std::size_t from) {
        KeyRange& last = ranges_[to];
        last.high = ranges_[from].high;
        last.last_low = ranges_[from].last_low;
        last.rows += ranges_[from].rows;
        for (std::size_t w = 0; w < width_; ++w) cells_[to * width_ + w] += cells_[from * width_ + w];
    }
    void reserve(std::size_t n_ranges) {
        ranges_.reserve(n_ranges);
        cells_.reserve(n_ranges * width_);
    }
    // `each`: the approximate number of new ranges per replaced range.
    template <class Replace>
    void rebuild(const std::vector<std::size_t>& queried, std::size_t each, Replace replace) {
        const std::vector<KeyRange> old = std::exchange(ranges_, {});
        const Words cells = std::exchange(cells_, {});
        reserve(old.size() + queried.size() * each);
        std::size_t next = 0;
        for (std::size_t i = 0; i < old.size(); ++i) {
            const std::span<const std::uint64_t> cell(cells.data() + i * width_, width_);
            if (next == queried.size() || queried[next] != i) {
                append(old[i], cell);
                continue;
            }
            ++next;
            const std::size_t first = ranges_.size();
            replace(old[i]);
            check(first, cell);
        }
        fill_fields();
    }
    void check(std::size_t first, std::span<const std::uint64_t> whole) const {
        Words sum(width_, 0);
        for (std::size_t i = first; i < ranges_.size(); ++i) add_words(sum, cell(i));
        if (!std::equal(sum.begin(), sum.end(), whole.begin()) &&
            !statistic_->shape().alike(sum, {whole.begin(), whole.end()}))
            throw Contradiction("what shards count inside a bin is not what they counted of it before");
    }

    std::vector<KeyRange> ranges_;
    Words cells_;
    std::vector<double> fields_;
};

}  // namespace ceiba::shards
