// Cells as read by a survey: fields for the bounds (split/survey/bounds.hpp), parts for the exact comparison.
//
// The divisions are the weighted ones of the search in memory: their sums are exact for counts too, and their gains are
// bitwise equal to those of the divisions that only count.
#pragma once

#include "criteria/class_division.hpp"
#include "criteria/moment_division.hpp"
#include "shards/cells.hpp"
#include "split/search_options.hpp"

namespace ceiba::shards {

// The error of a sum of rounded fields, as a share of the total.
inline double rounding(std::size_t n_terms) { return (static_cast<double>(n_terms) + 16.0) * 0x1p-51; }

class ClassStatistic {
public:
    using Division = criteria::WeightedDivision;
    using Part = Division::Left;

    ClassStatistic(const CellShape& shape, const split::SearchOptions& options)
        : shape_(shape),
          n_classes_(shape.n_classes),
          scale_(options.class_scale),
          whole_(scale_.empty() && !shape.weighted && options.criterion != criteria::name_of<criteria::Entropy>()) {}

    const CellShape& shape() const { return shape_; }
    std::size_t n_fields() const { return n_classes_; }
    Division division() const { return {static_cast<int>(n_classes_), scale_.empty() ? nullptr : scale_.data()}; }
    double rows(const std::uint64_t* cell) const { return static_cast<double>(shape_.rows(cell)); }
    void fields(const std::uint64_t* cell, double* out) const {
        if (!shape_.weighted && scale_.empty()) {
            for (std::size_t k = 0; k < n_classes_; ++k) out[k] = static_cast<double>(cell[k]);
            return;
        }
        weighted_fields(cell, out);
    }
    Part part(const std::uint64_t* cell) const {
        Part out(n_classes_);
        for (std::size_t k = 0; k < n_classes_; ++k) out[k] = shape_.class_weight(cell, k);
        return out;
    }
    void set_total(Division& division, const std::uint64_t* cell) const { division.set_total(part(cell), 0.0); }
    // Two classes: the share of the first one, because the scale does not change the order.
    double mean(const std::uint64_t* cell) const {
        return shape_.class_weight(cell, 0).value() / shape_.weight(cell).value();
    }
    // The weight of each class, integer or not, for the search for sets of levels.
    template <class Weight>
    void class_weights(const std::uint64_t* cell, std::vector<Weight>& out) const {
        for (std::size_t k = 0; k < n_classes_; ++k) {
            if constexpr (std::is_same_v<Weight, base::LongSum>)
                out.push_back(shape_.class_weight(cell, k));
            else
                out.push_back({static_cast<double>(cell[k])});
        }
    }
    bool weighted() const { return shape_.weighted; }

    split::WeightAndSum sums(const double* fields) const {
        double weight = 0.0;
        for (std::size_t k = 0; k < n_classes_; ++k) weight += fields[k];
        return {weight, fields[1]};
    }
    // Scaled counts and weights are rounded, and so are their sums. The bounds of entropy interpret any error as a sign
    // to avoid the table of logarithms, which would have an entry for every row of the table.
    split::SumErrors doubt(double weight, std::size_t n_terms) const {
        return {whole_ ? 0.0 : weight * rounding(n_terms), 0.0, 0.0};
    }

private:
    [[gnu::noinline]] void weighted_fields(const std::uint64_t* cell, double* out) const {
        for (std::size_t k = 0; k < n_classes_; ++k) {
            out[k] = shape_.weighted ? shape_.class_weight(cell, k).value() : static_cast<double>(cell[k]);
            if (!scale_.empty()) out[k] *= scale_[k];
        }
    }

    CellShape shape_;
    std::size_t n_classes_;
    std::vector<double> scale_;
    bool whole_;  // nothing is rounded
};

class NumberStatistic {
public:
    using Division = criteria::MomentDivision<true>;
    using Part = Division::Left;

    NumberStatistic(const CellShape& shape, const split::SearchOptions&)
        : shape_(shape), largest_(std::fabs(shape.centre) + shape.reach) {}

    const CellShape& shape() const { return shape_; }
    std::size_t n_fields() const { return 3; }
    Division division() const { return {}; }
    double rows(const std::uint64_t* cell) const { return static_cast<double>(cell[0]); }
    // As in split/bins/cells.hpp: weight, sum and squares of the target minus its centre.
    void fields(const std::uint64_t* cell, double* out) const {
        base::LongSum sum = shape_.sum(cell);
        out[0] = shape_.weight(cell).value();
        sum.add(base::two_product(-out[0], shape_.centre));
        out[1] = sum.value();
        out[2] = shape_.per_square > 0.0 ? static_cast<double>(cell[1]) / shape_.per_square * (1.0 + 0x1p-40) : 0.0;
    }
    Part part(const std::uint64_t* cell) const {
        Part out;
        out.weight = shape_.weight(cell);
        out.sum = shape_.sum(cell);
        return out;
    }
    void set_total(Division& division, const std::uint64_t* cell) const { division.set_total(part(cell), largest_); }
    double mean(const std::uint64_t* cell) const { return shape_.mean(cell); }
    split::WeightAndSum sums(const double* fields) const { return {fields[0], fields[1]}; }
    // Sums are exact. They are rounded when they become fields, and again when fields are added.
    split::SumErrors doubt(double weight, std::size_t n_terms) const {
        const double largest = shape_.weighted ? largest_ : shape_.reach;
        return {shape_.weighted ? weight * rounding(n_terms) : 0.0, weight * largest * rounding(n_terms),
                shape_.centre};
    }

private:
    CellShape shape_;
    double largest_;
};

}  // namespace ceiba::shards
