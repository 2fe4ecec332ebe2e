// The target and the weights of the rows, as views of arrays that the caller owns.
#pragma once

#include "base/buffer.hpp"

namespace ceiba::data {

struct Target {
    std::size_t n_rows = 0;
    int n_outputs = 1;
    std::vector<int> n_classes;            // one per output; empty for regression
    const std::int32_t* labels = nullptr;  // classification: n_rows x n_outputs class indices, row after row
    const double* numbers = nullptr;       // regression: n_rows x n_outputs values, row after row
    const double* weight = nullptr;        // null: every row counts 1
    const double* case_weight = nullptr;   // rates: weight = case weight x observation time; null: equal to weight
    // survival: number of distinct event times of all rows up to the time of the row; null: not needed
    const std::uint32_t* event_rank = nullptr;
    std::span<const std::uint32_t> rows;   // only these rows take part, ascending (a fold); empty: all

    bool classification() const { return !n_classes.empty(); }
};

// The rows of the target in the engine's order, column by column. They move when rows move.
struct TargetRows {
    std::vector<int> n_classes;                       // as in Target
    std::vector<base::Buffer<std::uint16_t>> labels;  // one array per output (classification)
    std::vector<base::Buffer<double>> numbers;        // one array per output (regression)
    base::Buffer<double> weight;                      // empty: every row counts 1
    base::Buffer<double> case_weight;                 // empty: equal to weight
    base::Buffer<std::uint32_t> event_rank;           // empty: not needed
    base::Buffer<std::uint32_t> row;                  // the row number in the table

    std::size_t size() const { return row.size(); }
    bool classification() const { return !n_classes.empty(); }
    int n_outputs() const { return static_cast<int>(classification() ? labels.size() : numbers.size()); }
    double weight_of(std::size_t i) const { return weight.empty() ? 1.0 : weight[i]; }
    // The weight of a row where it is routed (surrogates, the heavier branch): its observation time does not matter
    // there.
    double case_weight_of(std::size_t i) const { return case_weight.empty() ? weight_of(i) : case_weight[i]; }
};

}  // namespace ceiba::data
