// A numeric column of a node as a survey holds it, a BinnedColumn (split/survey/marks.hpp): ranges of keys with their
// counts. The ranges begin as bins; a zoom replaces a range by parts, a fetch by single values. Neighbours between and
// inside which no cut can win are joined: memory is for what is still open.
#pragma once

#include "shards/cells.hpp"
#include "shards/protocol.hpp"

namespace ceiba::shards {

struct KeyRange {
    std::uint64_t low, high;  // keys; equal: one value, and no cut inside
    double rows;
    bool settled = false;                // no cut inside can win
    std::uint64_t first_high, last_low;  // ends of the first and the last of those that were joined

    bool one_value() const { return low == high; }
};

template <class S>
class BinnedColumn {
public:
    // `cells`: of all bins, then of missing values, which take part if `learn`.
    BinnedColumn(const S& statistic, const ColumnLayout& column, std::span<const std::uint64_t> cells,
                 std::size_t width, bool learn)
        : statistic_(&statistic),
          width_(width),
          missing_(cells.end() - static_cast<std::ptrdiff_t>(width), cells.end()) {
        total_.assign(width, 0);
        reserve(column.n_bins());
        for (std::size_t b = 0; b < column.n_bins(); ++b)
            if (const auto cell = cells.subspan(b * width, width); statistic.rows(cell.data()) > 0.0) {
                append(key_of(column.least[b]), key_of(column.most[b]), cell);
                add_words(total_, cell);
            }
        fill_fields();
        for (const KeyRange& range : ranges_) n_present_ += range.rows;
        n_without_value_ = statistic.rows(missing_.data());
        if (learn && n_without_value_ > 0.0) {
            n_missing_ = n_without_value_;
            add_words(total_, missing_);
        }
        total_fields_.resize(statistic.n_fields());
        statistic.fields(total_.data(), total_fields_.data());
        left_.resize(statistic.n_fields());
    }

    std::size_t size() const { return ranges_.size(); }
    const KeyRange& operator[](std::size_t i) const { return ranges_[i]; }
    double rows(std::size_t i) const { return ranges_[i].rows; }
    bool settled(std::size_t i) const { return ranges_[i].settled || ranges_[i].one_value(); }
    const double* fields(std::size_t i) const { return fields_.data() + i * left_.size(); }
    const Words& total() const { return total_; }
    const Words& missing() const { return missing_; }
    const double* total_fields() const { return total_fields_.data(); }
    const double* left() const { return left_.data(); }  // what a walk has passed
    double n_rows() const { return n_present_ + n_missing_; }
    double n_present() const { return n_present_; }
    double n_missing() const { return n_missing_; }  // missing and taking part
    double n_without_value() const { return n_without_value_; }
    const double* present_fields() {
        statistic_->fields(present().data(), left_.data());
        return left();
    }
    bool can_be_cut() const {
        return !ranges_.empty() && (n_missing_ > 0.0 || ranges_.size() > 1 || !ranges_[0].one_value());
    }

    template <class Inside, class Boundary>
    void walk(bool missing_left, Inside inside, Boundary boundary) {
        std::fill(left_.begin(), left_.end(), 0.0);
        if (missing_left) statistic_->fields(missing_.data(), left_.data());
        split::walk_ranges(*this, missing_left, left_, inside, boundary);
    }

    // The exact sums of the ranges up to this one, with missing values or without.
    Words part_up_to(std::size_t last, bool with_missing) const {
        Words part = with_missing ? missing_ : Words(width_, 0);
        for (std::size_t i = 0; i <= last; ++i) add_words(part, cell(i));
        return part;
    }
    Words present() const { return part_up_to(ranges_.size() - 1, false); }
    std::span<const std::uint64_t> cell(std::size_t i) const { return {cells_.data() + i * width_, width_}; }

    // Puts what a zoom has counted in the place of these ranges, which ascend.
    void consume_parts(const std::vector<std::size_t>& asked, int zoom_bits, Reader& in) {
        const std::size_t n_parts = std::size_t{1} << zoom_bits;
        rebuild(asked, n_parts, [&](const KeyRange& old) {
            const int shift = zoom_shift(old.low, old.high, zoom_bits);
            const auto parts = in.read(n_parts * width_);
            for (std::size_t p = 0; p < n_parts; ++p) {
                const auto cell = parts.subspan(p * width_, width_);
                if (!(statistic_->rows(cell.data()) > 0.0)) continue;
                const std::uint64_t low = old.low + (static_cast<std::uint64_t>(p) << shift),
                                    reach = (std::uint64_t{1} << shift) - 1;  // low + reach may not be a key
                append(low, low + std::min(reach, old.high - low), cell);
            }
        });
    }
    // The same with the values that a fetch has brought.
    void consume_runs(const std::vector<std::size_t>& asked, Reader& in) {
        rebuild(asked, 1, [&](const KeyRange&) {
            for (std::size_t n = in.size(); n-- > 0;) {
                const std::uint64_t key = in.word();
                append(key, key, in.read(width_));
            }
        });
    }

    // Joins what is not marked. Gives the places of the ranges inside which a cut may win.
    std::vector<std::size_t> settle(const split::Marks& marks) {
        const std::vector<KeyRange> old = std::exchange(ranges_, {});
        const Words cells = std::exchange(cells_, {});
        reserve(old.size());
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < old.size(); ++i) {
            const std::span<const std::uint64_t> cell(cells.data() + i * width_, width_);
            const bool open = marks.of(i) & split::Marks::inside;
            if (i > 0 && marks.of(i - 1) == 0 && !open) {
                join(old[i], cell);
                continue;
            }
            append(old[i], cell);
            ranges_.back().settled = !open;
            if (open) places.push_back(ranges_.size() - 1);
        }
        fill_fields();
        return places;
    }

private:
    void append(std::uint64_t low, std::uint64_t high, std::span<const std::uint64_t> cell) {
        append({low, high, statistic_->rows(cell.data()), false, high, low}, cell);
    }
    void append(const KeyRange& range, std::span<const std::uint64_t> cell) {
        ranges_.push_back(range);
        for (std::uint64_t word : cell) cells_.push_back(word);  // a few: no call
    }
    void fill_fields() {
        const std::size_t n = statistic_->n_fields();
        fields_.resize(ranges_.size() * n);
        for (std::size_t i = 0; i < ranges_.size(); ++i)
            statistic_->fields(cells_.data() + i * width_, fields_.data() + i * n);
    }
    void join(const KeyRange& range, std::span<const std::uint64_t> cell) {
        KeyRange& last = ranges_.back();
        last.high = range.high;
        last.last_low = range.last_low;
        last.rows += range.rows;
        for (std::size_t w = 0; w < width_; ++w) cells_[cells_.size() - width_ + w] += cell[w];
    }
    void reserve(std::size_t n_ranges) {
        ranges_.reserve(n_ranges);
        cells_.reserve(n_ranges * width_);
    }
    // `each`: how many ranges come for one, about.
    template <class Replace>
    void rebuild(const std::vector<std::size_t>& asked, std::size_t each, Replace replace) {
        const std::vector<KeyRange> old = std::exchange(ranges_, {});
        const Words cells = std::exchange(cells_, {});
        reserve(old.size() + asked.size() * each);
        std::size_t next = 0;
        for (std::size_t i = 0; i < old.size(); ++i) {
            const std::span<const std::uint64_t> cell(cells.data() + i * width_, width_);
            if (next == asked.size() || asked[next] != i) {
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
        if (!statistic_->shape().alike(sum, {whole.begin(), whole.end()}))
            throw Contradiction("what shards count inside a bin is not what they counted of it before");
    }

    const S* statistic_;
    std::size_t width_;
    std::vector<KeyRange> ranges_;
    Words cells_, missing_, total_;
    std::vector<double> fields_, total_fields_, left_;
    double n_present_ = 0.0, n_missing_ = 0.0, n_without_value_ = 0.0;
};

}  // namespace ceiba::shards
