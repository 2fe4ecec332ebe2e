// Cells as a survey reads them: fields for the bounds (split/bins/bounds.hpp), parts for the exact comparison.
//
// The divisions are the weighted ones of the search in memory: their sums are exact for counts too, and their gains
// are, bit for bit, those of the divisions that only count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "criteria/class_criteria.hpp"
#include "criteria/class_division.hpp"
#include "criteria/node_summary.hpp"
#include "shards/cells.hpp"
#include "split/bins/surely_allowed.hpp"
#include "split/search_options.hpp"

namespace ceiba::shards {

class ClassStatistic {
public:
    using Division = criteria::WeightedDivision;
    using Part = Division::Left;

    ClassStatistic(const CellShape& shape, const split::SearchOptions& options)
        : n_classes_(shape.n_classes), scale_(options.class_scale) {}

    std::size_t n_fields() const { return n_classes_; }
    Division division() const {
        return {static_cast<int>(n_classes_), scale_.empty() ? nullptr : scale_.data()};
    }
    double rows(const std::uint64_t* cell) const {
        std::uint64_t n = 0;
        for (std::size_t k = 0; k < n_classes_; ++k) n += cell[k];
        return static_cast<double>(n);
    }
    void fields(const std::uint64_t* cell, double* out) const {
        for (std::size_t k = 0; k < n_classes_; ++k)
            out[k] = static_cast<double>(cell[k]) * (scale_.empty() ? 1.0 : scale_[k]);
    }
    Part part(const std::uint64_t* cell) const {
        Part out(n_classes_);
        for (std::size_t k = 0; k < n_classes_; ++k) out[k].add(static_cast<double>(cell[k]));
        return out;
    }
    void set_total(Division& division, const std::uint64_t* cell) const { division.set_total(part(cell), 0.0); }
    // Two classes: by the share of the first one, where the scale changes no order.
    double mean(const std::uint64_t* cell) const { return static_cast<double>(cell[0]) / rows(cell); }

    split::WeightAndSum sums(const double* fields) const {
        double weight = 0.0;
        for (std::size_t k = 0; k < n_classes_; ++k) weight += fields[k];
        return {weight, fields[1]};
    }
    // Scaled counts are rounded once; and entropy's bounds take any error for a sign to do without a table of
    // logarithms, which would have an entry for every row of the table.
    template <class C>
    split::Doubt doubt(double weight) const {
        const bool none = scale_.empty() && !std::is_same_v<C, criteria::Entropy>;
        return {none ? 0.0 : weight * 0x1p-51, 0.0, 0.0};
    }

private:
    std::size_t n_classes_;
    std::vector<double> scale_;
};

}  // namespace ceiba::shards
