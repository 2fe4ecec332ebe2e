// The counts of one column of a node, a BinnedColumn (survey/marks.hpp): bins unpacked from the histogram, or the finer
// ranges of a zoom (survey/zoom.hpp). Cells (cells.hpp) are needed only to unpack counts; the functions of bounds are
// compiled in column_counts.cpp, for all bounds.
#pragma once

#include "split/survey/zoom.hpp"

namespace ceiba::split {

// The gain that a cut of a column certainly reaches, and the gain that no cut can exceed.
struct GainRange {
    double low = no_floor, high = no_floor;
};

class ColumnCounts {
public:
    // `width`: number of words per cell.
    ColumnCounts(std::size_t n_fields, std::size_t width)
        : left_(n_fields), total_(left_), missing_(left_), common_(width) {
        make_room(cells_per_column);
    }

    bool blind = false;  // weights are too small compared to quanta: everything must be examined

    std::size_t size() const { return n_places_; }
    std::size_t n_fields() const { return left_.size(); }
    double rows(std::size_t i) const { return rows_[i]; }
    const double* fields(std::size_t i) const { return fields_.data() + i * left_.size(); }
    bool settled(std::size_t i) const { return all_settled_ || (refined_ && settled_[i]); }
    double n_rows() const { return n_present_ + n_missing_; }
    double n_present() const { return n_present_; }
    double n_missing() const { return n_missing_; }
    double weight_error() const { return weight_error_; }
    double sum_error() const { return sum_error_; }
    const double* left() const { return left_.data(); }
    const double* total() const { return total_.data(); }
    const double* missing() const { return missing_.data(); }
    const double* present_fields() {
        for (std::size_t f = 0; f < left_.size(); ++f) left_[f] = total_[f] - missing_[f];
        return left();
    }

    // Unpacks the counts of a column in bins. Returns false if it has no cut.
    template <class Cells>
    bool load(const NodeRows& node, std::size_t c, const Cells& cells, bool learn) {
        const ColumnBins& bins = node.store->binning->column[c];
        const std::size_t width = cells.width(), n_fields = cells.n_fields();
        const std::uint64_t* const words = node.histogram->data() + bins.slot * column_words(cells);
        refined_ = false;
        all_settled_ = bins.lossless() || node.store->binning->approximate;
        n_places_ = bins.n_bins();
        make_room(n_places_);
        n_present_ = n_missing_ = 0.0;
        std::size_t n_full = 0;
        for (std::size_t b = 0; b < n_places_; ++b) {
            put(b, bins.bundled() ? bundled_cell(node, bins, b, cells) : words + b * width, cells);
            n_present_ += rows_[b];
            n_full += rows_[b] != 0.0;
        }
        cells.fields(node.histogram->data() + node.histogram->size() - width, total_.data());
        if (bins.any_missing) {
            const std::uint64_t* const cell = words + missing_bin * width;
            cells.fields(cell, missing_.data());
            if (learn)
                n_missing_ = cells.rows(cell);
            else if (cells.rows(cell) > 0.0)
                for (std::size_t f = 0; f < n_fields; ++f) total_[f] -= missing_[f];
        }
        if (n_full == 0 || (n_full == 1 && n_missing_ == 0.0 && all_settled_)) return false;
        // Rounding costs less than a quantum per row. Adding terms of up to 2^46 quanta one by one costs n^2 2^-54 of
        // the largest: in a walk over at most n ranges, and again in refine_marks().
        const double quanta = n_rows() * (1.0 + n_rows() * 0x1p-7);
        weight_error_ = quanta * cells.weight_quantum();
        sum_error_ = quanta * cells.sum_quantum();
        centre_ = cells.centre();
        blind = !(cells.weight_of(total()) > 16.0 * static_cast<double>(n_fields) * weight_error_);
        return true;
    }

    // Replaces the loaded ranges by those of a zoom.
    template <class Cells>
    void refine(const std::vector<ZoomPlan>& plans, std::size_t n_places, const std::uint64_t* words,
                const Cells& cells) {
        const std::size_t n_old = std::exchange(n_places_, n_places), n_fields = left_.size();
        rows_.swap(old_rows_);
        fields_.swap(old_fields_);
        make_room(n_places);
        std::fill_n(rows_.begin(), n_places, 0.0);
        std::fill_n(fields_.begin(), n_places * n_fields, 0.0);
        settled_.assign(n_places, 0);
        refined_ = true;
        for (std::size_t i = 0; i < n_old; ++i) {
            if (old_rows_[i] == 0.0) continue;
            const ZoomPlan& plan = plans[i];
            for (std::uint32_t p = 0; p < plan.n_parts; ++p) {
                put(plan.first + p, words + (plan.first + p) * cells.width(), cells);
                settled_[plan.first + p] = plan.one_value(p);
            }
            if (plan.n_parts > 0) continue;
            rows_[plan.first] += old_rows_[i];
            for (std::size_t f = 0; f < n_fields; ++f)
                fields_[plan.first * n_fields + f] += old_fields_[i * n_fields + f];
            settled_[plan.first] = !plan.open;
        }
    }

    // Walks over the nonempty ranges (survey/marks.hpp).
    template <class Inside, class Boundary>
    void walk(bool missing_left, Inside inside, Boundary boundary) {
        if (missing_left)
            left_ = missing_;
        else
            std::fill(left_.begin(), left_.end(), 0.0);
        walk_ranges(*this, missing_left, left_, inside, boundary);
    }

    // The gains of the boundaries between the bins, after load(). They roughly bound the gains of all other cuts
    // (Bounds::between), which suffices to rule out most columns without a bound per bin.
    template <class Bounds>
    GainRange gain_range(const Bounds& bounds, const Limits& limits);
    // See certain_gain() and mark() in survey/marks.hpp.
    template <class Bounds>
    double best_certain_gain(const Bounds& bounds, const Limits& limits);
    template <class Bounds>
    Marks marks(const Bounds& bounds, const Limits& limits, double floor);

private:
    template <class Bounds>
    bool certainly_allowed(const Bounds& bounds, double before, double after, const Limits& limits) const;
    void make_room(std::size_t n) {
        if (rows_.size() >= n) return;
        rows_.resize(n);
        fields_.resize(n * left_.size());
    }
    template <class Cells>
    void put(std::size_t i, const std::uint64_t* words, const Cells& cells) {
        rows_[i] = cells.rows(words);
        if (rows_[i] != 0.0) cells.fields(words, fields_.data() + i * left_.size());
    }

    // The cell of a bin of a column in a bundle. The difference of integers in a word never borrows from the next one:
    // none is larger than that of all rows.
    template <class Cells>
    const std::uint64_t* bundled_cell(const NodeRows& node, const ColumnBins& bins, std::size_t bin,
                                      const Cells& cells) {
        const std::uint64_t* const rare =
            node.histogram->data() + bins.slot * column_words(cells) + bins.code * cells.width();
        if (bin == bins.rare) return rare;
        const std::uint64_t* const all = node.histogram->data() + node.histogram->size() - cells.width();
        for (std::size_t w = 0; w < cells.width(); ++w) common_[w] = all[w] - rare[w];
        return common_.data();
    }

    std::size_t n_places_ = 0;
    std::vector<double> rows_, fields_;           // per range; fields as in cells.hpp
    std::vector<double> old_rows_, old_fields_;   // before a zoom
    std::vector<std::uint8_t> settled_;           // after a zoom: no cut inside can win
    std::vector<double> left_, total_, missing_;  // rows that a walk has passed; participating rows; missing values
    std::vector<std::uint64_t> common_;           // the cell of the common value of a bundled column
    double n_present_ = 0.0, n_missing_ = 0.0;
    double weight_error_ = 0.0, sum_error_ = 0.0, centre_ = 0.0;
    bool all_settled_ = false, refined_ = false;
};

}  // namespace ceiba::split
