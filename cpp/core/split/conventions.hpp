// Where rpart decides otherwise: each difference by its name. The defaults are those of scikit-learn where it has any.
#pragma once

namespace ceiba::split {

struct Conventions {
    // Weights and cuts.
    bool keep_zero_weights = false;    // rows of zero weight are counted and routed, but decide nothing
    bool absent_levels_stay = false;   // such a row stays in the node if no row with weight has its level
    bool strict_ordered_cuts = false;  // such a row goes right if its ordered level is the cut
    bool cuts_below_midpoint = false;  // columns of numbers: `x <= cut` is then `x < midpoint`
    // Rates.
    bool allow_zero_rate = false;  // a side without events is allowed
    bool falling_rates = false;    // levels are scanned from the highest rate; it matters for ties under min_rows
    // Surrogates, and rows that none of them places.
    bool surrogate_levels_err = false;     // levels: two rows must agree and two go astray, not two go each way
    bool tie_stays = false;                // rows stay in the node if its branches weigh the same
    bool stay_without_surrogates = false;  // rows stay in the node if max_surrogates is 0
    bool default_by_row_counts = false;    // prediction sends them to the branch with more rows, not with more weight

    bool operator==(const Conventions&) const = default;
};

constexpr Conventions rpart_conventions{true, true, true, true, true, true, true, true, true, true};

}  // namespace ceiba::split
