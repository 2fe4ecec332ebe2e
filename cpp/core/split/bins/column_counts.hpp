// The counts of one column of a node, unpacked from its histogram, and a walk over its bins.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "split/bins/histogram.hpp"
#include "split/bins/surely_allowed.hpp"
#include "split/candidate.hpp"

namespace ceiba::split {

template <class Cells>
class ColumnCounts {
public:
    explicit ColumnCounts(const Cells& cells)
        : fields(cells_per_column * cells.n_fields()), left(cells.n_fields()), total(cells.n_fields()) {}

    std::array<double, cells_per_column> rows{};          // per bin
    std::vector<double> fields;                           // per bin, as cells.hpp gives them
    std::vector<double> left, total;                      // what a walk has passed; all that takes part
    double n_rows = 0.0, n_present = 0.0, n_aside = 0.0;  // taking part; with a value; missing and taking part
    std::size_t n_bins = 0;
    double weight_error = 0.0, sum_error = 0.0;
    bool blind = false;  // weights so small that quanta say nothing: everything must be examined

    const double* cell(std::size_t bin) const { return fields.data() + bin * left.size(); }

    // Unpacks the counts of a column. False: there is nothing to cut.
    bool load(const NodeRows& node, std::size_t c, const Cells& cells, bool learn) {
        const ColumnBins& bins = node.store->binning->column[c];
        const std::size_t width = cells.width(), n_fields = cells.n_fields();
        const std::uint64_t* const words = node.histogram->data() + bins.slot * column_words(cells);
        n_bins = bins.n_bins();
        n_present = 0.0;
        std::size_t n_full = 0;
        const auto unpack = [&](std::size_t b) {
            const std::uint64_t* const own = bins.bundled() ? bundled_cell(node, bins, b, cells) : words + b * width;
            rows[b] = cells.rows(own);
            if (rows[b] != 0.0) cells.fields(own, fields.data() + b * n_fields);
        };
        for (std::size_t b = 0; b < n_bins; ++b) {
            unpack(b);
            n_present += rows[b];
            n_full += rows[b] != 0.0;
        }
        n_aside = 0.0;
        cells.fields(node.histogram->data() + node.histogram->size() - width, total.data());
        if (bins.any_missing) {
            unpack(missing_bin);
            if (learn)
                n_aside = rows[missing_bin];
            else if (rows[missing_bin] > 0.0)
                for (std::size_t f = 0; f < n_fields; ++f) total[f] -= cell(missing_bin)[f];
        }
        n_rows = n_present + n_aside;
        if (n_full == 0 || (n_full == 1 && n_aside == 0.0 && (bins.lossless() || node.store->binning->approximate)))
            return false;
        // Less than a quantum per row; and where look_closer() adds terms of up to 2^46 quanta one by one, n^2 2^-53 of
        // the largest.
        const double quanta = n_rows * (1.0 + n_rows * 0x1p-7);
        weight_error = quanta * cells.weight_quantum();
        sum_error = quanta * cells.sum_quantum();
        const double weight = cells.weight_of(total.data());
        blind = !(weight > 16.0 * static_cast<double>(n_fields) * weight_error);
        return true;
    }

    // Walks over the full bins with missing values on one side: inside(bin, rows before, rows after, rows with a value
    // before) sees the fields left of the bin in `left`, boundary(bin, rows before, rows after) those up to its end.
    template <class Inside, class Boundary>
    void walk(bool missing_left, Inside inside, Boundary boundary) {
        const std::size_t n_fields = left.size();
        double before = 0.0, seen = 0.0;
        std::fill(left.begin(), left.end(), 0.0);
        if (missing_left) {
            before = n_aside;
            std::copy_n(cell(missing_bin), n_fields, left.begin());
        }
        for (std::size_t b = 0; b < n_bins; ++b) {
            if (rows[b] == 0.0) continue;
            inside(b, before, n_rows - before - rows[b], seen);
            const double* const own = cell(b);
            for (std::size_t f = 0; f < n_fields; ++f) left[f] += own[f];
            before += rows[b];
            seen += rows[b];
            if (seen == n_present) return;
            boundary(b, before, n_rows - before);
        }
    }

    // Is the division with `left` on the left allowed beyond doubt?
    bool surely_allowed(const Cells& cells, double before, double after, const Limits& limits) const {
        const double least = static_cast<double>(limits.min_rows);
        if (before < least || after < least) return false;
        if (limits.monotone == 0 && limits.min_weight <= 0.0 && Cells::exact) return true;
        return split::surely_allowed({cells.weight_of(left.data()), left[1]}, {cells.weight_of(total.data()), total[1]},
                                     {weight_error * static_cast<double>(left.size()), sum_error, cells.centre()},
                                     limits);
    }

private:
    // The cell of a bin of a column that shares its byte. Whole numbers in a word never borrow from their neighbour:
    // none is larger than that of all rows.
    const std::uint64_t* bundled_cell(const NodeRows& node, const ColumnBins& bins, std::size_t bin,
                                      const Cells& cells) {
        const std::uint64_t* const rare =
            node.histogram->data() + bins.slot * column_words(cells) + bins.code * cells.width();
        if (bin == bins.rare) return rare;
        const std::uint64_t* const all = node.histogram->data() + node.histogram->size() - cells.width();
        common_.resize(cells.width());
        for (std::size_t w = 0; w < cells.width(); ++w) common_[w] = all[w] - rare[w];
        return common_.data();
    }

    std::vector<std::uint64_t> common_;  // the cell of the common value of a bundled column
};

}  // namespace ceiba::split
