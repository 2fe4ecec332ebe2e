// What is to be predicted, and how much each row counts. Views: the caller owns the arrays.
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
    const double* case_weight = nullptr;   // rates: weight is case weight x observation time; null: they are the same
    // survival: event times up to that of the row, among the distinct event times of all rows; null: not needed
    const std::uint32_t* event_rank = nullptr;
    std::span<const std::uint32_t> rows;   // only these rows are there, ascending (a fold); empty: all

    bool classification() const { return !n_classes.empty(); }
};

// The rows of the target in the order in which an engine keeps them, column by column; moved when rows move.
struct TargetRows {
    std::vector<int> n_classes;                       // as in Target
    std::vector<base::Buffer<std::uint16_t>> labels;  // one array per output (classification)
    std::vector<base::Buffer<double>> numbers;        // one array per output (regression)
    base::Buffer<double> weight;                      // empty: every row counts 1
    base::Buffer<double> case_weight;                 // empty: the same as weight
    base::Buffer<std::uint32_t> event_rank;           // empty: not needed
    base::Buffer<std::uint32_t> row;                  // the row of the table

    std::size_t size() const { return row.size(); }
    bool classification() const { return !n_classes.empty(); }
    int n_outputs() const { return static_cast<int>(classification() ? labels.size() : numbers.size()); }
    double weight_of(std::size_t i) const { return weight.empty() ? 1.0 : weight[i]; }
    // What a row counts where it is sent somewhere (surrogates, the heavier branch): its time does not matter there.
    double case_weight_of(std::size_t i) const { return case_weight.empty() ? weight_of(i) : case_weight[i]; }
};

}  // namespace ceiba::data
