// The loop over cuts for squared errors of several outputs (an overload more specialised than that of cut_scan.hpp).
//
// The gain is the mean over the outputs of d^2 W / (W_L W_R), d = S_L - W_L mean. A rough pass sums w (y - mean) in
// plain doubles, for all outputs of a row at once. Its rounding errors are bounded (docs/engine.md), so most cuts are
// ruled out. The remaining cuts are evaluated with compensated sums, as for one output.
#pragma once

#include "criteria/moment_division.hpp"
#include "criteria/multi_output.hpp"
#include "criteria/number_criteria.hpp"
#include "split/scan/cut_scan.hpp"

namespace ceiba::split {

// Finds the cuts of a column that may be its best.
template <bool Weighted>
class RoughScan {
    using Division = criteria::MultiDivision<criteria::MomentDivision<Weighted>>;

public:
    explicit RoughScan(Division& division) : division_(division), terms_(division.terms()) {
        for (std::size_t o = 0; o < terms_.centre.size(); ++o) {
            const auto& part = division.parts()[o];
            sum_.push_back(part.left_sum() - part.left_weight() * terms_.centre[o]);
        }
    }

    void collect(const Entry* entries, std::size_t first, std::size_t last, const Limits& limits, double tolerance,
                 CutBounds& bounds) {
        const double n = static_cast<double>(last + 8);
        double error = 0.0;
        for (std::size_t o = 0; o < sum_.size(); ++o) {
            const auto& part = division_.parts()[o];
            const double e = 0x1p-53 * (n * terms_.spread[o] + 16.0 * part.total_weight() * part.largest());
            error += e * e;
        }
        // The last term covers squares too small for a double.
        const double slack = 0x1p-20, extra = error * (1.0 + 0x1p20) + 0x1p-1000;
        const std::size_t n_outputs = sum_.size();
        const double outputs = static_cast<double>(n_outputs), total = division_.total_weight();
        const double edge = Weighted ? n * 0x1p-31 * total : 0.0;
        const double heavy = limits.min_weight * (1.0 + 0x1p-50) + (Weighted ? n * 0x1p-51 * total : 0.0);
        double left = division_.left_weight();
        double* const sum = sum_.data();
        for (std::size_t i = 0; i < last; ++i) {
            const std::size_t row = entries[i].row;
            const double w = division_.parts().front().weight(row);
            const double* term = terms_.of_row.data() + row * n_outputs;
            // Pairs let the compiler process two outputs at a time; it must not reorder a sum by itself.
            double even = 0.0, odd = 0.0;
            std::size_t o = 0;
            for (; o + 2 <= n_outputs; o += 2) {
                const double a = sum[o] += term[o], b = sum[o + 1] += term[o + 1];
                even += a * a;
                odd += b * b;
            }
            if (o < n_outputs) {
                const double a = sum[o] += term[o];
                even += a * a;
            }
            const double squares = even + odd;
            left += w;
            if (i + 1 < first || entries[i].rank == entries[i + 1].rank) continue;
            const double right = total - left, factor = total / (left * right * outputs);
            if (left < edge || right < edge) {
                bounds.add(i + 1, std::numeric_limits<double>::infinity());
                continue;
            }
            bounds.add(i + 1, (squares * (1.0 + slack) + extra) * factor);
            if (left >= heavy && right >= heavy) bounds.raise((squares * (1.0 - slack) - extra) * factor - tolerance);
        }
    }

private:
    Division& division_;
    const typename Division::Terms& terms_;
    std::vector<double> sum_;
};

template <bool Weighted, class C>
bool scan_range(const Entry* entries, CutRange range, double floor, const Limits& limits,
                criteria::MultiDivision<criteria::MomentDivision<Weighted>>& division,
                const criteria::MultiCriterion<criteria::SquaredError>& concrete, const C& criterion,
                BestCut<criteria::MultiDivision<criteria::MomentDivision<Weighted>>, C>& best) {
    CutBounds bounds(std::max(floor, best.threshold()));
    RoughScan<Weighted>(division).collect(entries, range.first, range.last, limits, concrete.tolerance(), bounds);
    bool better = false;
    std::size_t i = 0;
    for (std::size_t left : bounds.cuts()) {
        for (; i < left; ++i) division.add(entries[i].row);
        if (concrete.below(division, std::max(floor, best.threshold()))) continue;
        if (!best.offer(division, criterion, limits)) continue;
        best.position = left;
        better = true;
    }
    return better;
}

}  // namespace ceiba::split
