// What a node says of itself: weight, value and impurity, from its own rows (never by subtraction from a parent).
#pragma once

#include <cstddef>
#include <vector>

#include "criteria/criterion.hpp"
#include "data/target.hpp"

namespace ceiba::criteria {

struct NodeSummary {
    double weight = 0.0;         // as the rows are weighted
    double search_weight = 0.0;  // the same with each class multiplied by its factor (altered priors)
    double impurity = 0.0;       // of the counts as the search sees them; mean over the outputs
    bool pure = false;           // nothing left to tell apart
    std::vector<double> value;   // class weights, output after output, each padded to the most classes; or node values
};

// Summary of the rows [begin, end); class_scale has one factor per class, or is empty.
NodeSummary summarize(const data::TargetRows& rows, std::size_t begin, std::size_t end, Name criterion,
                      const std::vector<double>& class_scale);

// The same of rows of which only the weight of each class is known, and the weight of all.
NodeSummary summarize_classes(std::vector<double> class_weight, double weight, Name criterion,
                              const std::vector<double>& class_scale);

}  // namespace ceiba::criteria
