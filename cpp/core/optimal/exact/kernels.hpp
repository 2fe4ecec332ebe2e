// The inner loops. For one cut of a node they compute the least loss of a stump on each side by one feature, in one
// pass over the feature's order with running sums for both sides.
//
// Two classes: let d = (rows of class 0) - (rows of class 1) left of a cut. A stump that predicts 0 | 1 makes N0 - d
// errors and one that predicts 1 | 0 makes N1 + d, so the largest and the smallest d suffice. Two cuts are evaluated in
// one pass, in eight lanes of 16 bits, or of 32 bits above 2^15 rows. More classes: a side classifies (largest count
// left) + (largest count right) rows correctly. This grows by at most 1 per row, so as many rows can be skipped as it
// is below the best. Squared error: loss = Q - S^2 / W, where Q is the same for all cuts of a side.
#pragma once

#include "optimal/exact/stumps.hpp"

namespace ceiba::optimal {

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
#define CEIBA_OPTIMAL_VECTORS 1
typedef std::int16_t Lanes __attribute__((vector_size(16)));
typedef std::int32_t WideLanes __attribute__((vector_size(32)));

// Two classes, unit weights: two cuts at once.
template <class Int, class V>
class WalkPair {
public:
    void bind(const Node& node, const SideOf& first, const SideOf& second) {
        const std::size_t n = node.n_rows();
        step_.resize(n);
        std::memset(total_, 0, sizeof total_);
        // By cut, side and class: the increment of the lanes.
        V of[8];
        for (int code = 0; code < 8; ++code) {
            const int a = code >> 2, b = code >> 1 & 1;
            const Int d = code & 1 ? -1 : 1, m = static_cast<Int>(-d);
            of[code] = V{};
            of[code][2 * a] = d, of[code][2 * a + 1] = m;
            of[code][4 + 2 * b] = d, of[code][4 + 2 * b + 1] = m;
        }
        for (std::size_t i = 0; i < n; ++i) {
            const unsigned k = node.data.label[i];
            step_[i] = of[first[i] * 4u + second[i] * 2u + k];
            ++total_[0][first[i]][k];
            ++total_[1][second[i]][k];
        }
    }
    void scan(const Node& node, std::size_t f, TwoLosses& first, TwoLosses& second) const {
        const std::uint32_t* const e = node.entries(f);
        const std::size_t end = node.last_cut[f] + 1;
        const V* const step = step_.data();
        V at{}, most{};
        if (node.n_cuts[f] + 1 == node.n_present[f]) {  // no ties
            for (std::size_t i = 0; i < end; ++i) {
                at += step[e[i] & row_mask];
                most = at > most ? at : most;
            }
        } else {
            for (std::size_t i = 0; i < end; ++i) {
                at += step[e[i] & row_mask];
                const Int ends = static_cast<Int>(static_cast<std::int32_t>(e[i]) >> 31);
                const V seen = at & (V{} + ends);
                most = seen > most ? seen : most;
            }
        }
        for (int s = 0; s < 2; ++s) {
            first[s] = std::min(total_[0][s][0] - most[2 * s], total_[0][s][1] - most[2 * s + 1]);
            second[s] = std::min(total_[1][s][0] - most[4 + 2 * s], total_[1][s][1] - most[4 + 2 * s + 1]);
        }
    }

private:
    std::vector<V> step_;
    std::int32_t total_[2][2][2] = {};
};
#endif

// Two classes with any weights and costs: a row of class 0 counts the cost of predicting 1, and vice versa.
class Walk {
public:
    template <class RowCost>
    void bind(const Node& node, const SideOf& side, RowCost cost) {
        const std::size_t n = node.n_rows();
        step_.resize(n);
        total_ = {};
        for (std::size_t i = 0; i < n; ++i) {
            const unsigned k = node.data.label[i], s = side[i];
            const double c = cost(i);
            step_[i] = {};
            step_[i][s] = k ? -c : c;
            total_[s][k] += c;
        }
    }
    TwoLosses scan(const Node& node, std::size_t f) const {
        const std::uint32_t* const e = node.entries(f);
        const std::size_t end = node.last_cut[f] + 1;
        double d0 = 0.0, d1 = 0.0, high0 = 0.0, high1 = 0.0, low0 = 0.0, low1 = 0.0;
        for (std::size_t i = 0; i < end; ++i) {
            const auto& step = step_[e[i] & row_mask];
            d0 += step[0], d1 += step[1];
            if (!(e[i] & last_of_value)) continue;
            high0 = std::max(high0, d0), low0 = std::min(low0, d0);
            high1 = std::max(high1, d1), low1 = std::min(low1, d1);
        }
        return {std::min(total_[0][0] - high0, total_[0][1] + low0),
                std::min(total_[1][0] - high1, total_[1][1] + low1)};
    }

private:
    std::vector<std::array<double, 2>> step_;
    std::array<std::array<double, 2>, 2> total_{};
};

// Any number of classes, unit weights.
class CountWalk {
public:
    void bind(const Node& node, const SideOf& side, std::size_t n_classes) {
        n_classes_ = n_classes;
        const std::size_t n = node.n_rows();
        code_.resize(n);
        total_.assign(2 * n_classes, 0);
        n_ = {};
        for (std::size_t i = 0; i < n; ++i) {
            code_[i] = static_cast<std::uint16_t>(side[i] * n_classes + node.data.label[i]);
            ++total_[code_[i]];
            ++n_[side[i]];
        }
#ifdef CEIBA_OPTIMAL_VECTORS
        lanes_ = n_classes <= 8 && n < 32768;
        if (lanes_) bind_lanes(n);
#endif
    }

    // `bounds`: losses that other features have reached.
    TwoLosses scan(const Node& node, std::size_t f, const TwoLosses& bounds, std::vector<std::int32_t>& left) const {
        Best best{{-1, -1}};
        for (std::size_t s = 0; s < 2; ++s)
            if (bounds[s] < infinite) best[s] = n_[s] - static_cast<std::int32_t>(bounds[s]);
#ifdef CEIBA_OPTIMAL_VECTORS
        if (lanes_) {
            LaneCounts counts{step_.data(), lane_total_, {}};
            walk(node, f, counts, best);
            return {static_cast<double>(n_[0] - best[0]), static_cast<double>(n_[1] - best[1])};
        }
#endif
        left.assign(2 * n_classes_, 0);
        PlainCounts counts{code_.data(), total_.data(), left.data(), n_classes_};
        walk(node, f, counts, best);
        return {static_cast<double>(n_[0] - best[0]), static_cast<double>(n_[1] - best[1])};
    }

private:
    using Best = std::array<std::int32_t, 2>;

    struct PlainCounts {
        const std::uint16_t* code;
        const std::int32_t* total;
        std::int32_t* left;
        std::size_t n_classes;
        void add(std::uint32_t row) { ++left[code[row]]; }
        std::int32_t right_rows(std::size_t s) const {  // rows that the best two predictions classify correctly
            std::int32_t low = 0, high = 0;
            for (std::size_t k = s * n_classes; k < (s + 1) * n_classes; ++k) {
                low = std::max(low, left[k]);
                high = std::max(high, total[k] - left[k]);
            }
            return low + high;
        }
    };

#ifdef CEIBA_OPTIMAL_VECTORS
    struct TwoSteps {
        Lanes of[2];
    };
    struct LaneCounts {
        const TwoSteps* step;
        const Lanes* total;
        Lanes left[2];
        void add(std::uint32_t row) { left[0] += step[row].of[0], left[1] += step[row].of[1]; }
        static std::int32_t most(Lanes x) {
            const auto higher = [](Lanes a, Lanes b) { return a > b ? a : b; };
            x = higher(x, __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3));
            x = higher(x, __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5));
            return std::max(x[0], x[1]);
        }
        std::int32_t right_rows(std::size_t s) const { return most(left[s]) + most(total[s] - left[s]); }
    };
    void bind_lanes(std::size_t n) {
        step_.resize(n);
        lane_total_[0] = lane_total_[1] = Lanes{};
        for (std::size_t c = 0; c < total_.size(); ++c)
            lane_total_[c / n_classes_][c % n_classes_] = static_cast<std::int16_t>(total_[c]);
        std::vector<TwoSteps> of(total_.size(), TwoSteps{});
        for (std::size_t c = 0; c < of.size(); ++c) of[c].of[c / n_classes_][c % n_classes_] = 1;
        for (std::size_t i = 0; i < n; ++i) step_[i] = of[code_[i]];
    }
    bool lanes_ = false;
    std::vector<TwoSteps> step_;
    Lanes lane_total_[2] = {};
#endif

    template <class Counts>
    void walk(const Node& node, std::size_t f, Counts& counts, Best& best) const {
        const std::uint32_t* const e = node.entries(f);
        const std::size_t end = node.last_cut[f] + 1;
        for (std::size_t s = 0; s < 2; ++s) best[s] = std::max(best[s], counts.right_rows(s));
        std::int32_t ahead = 0;  // rows to skip before any cut can be better
        for (std::size_t i = 0; i < end;) {
            for (const std::size_t stop = std::min(end, i + static_cast<std::size_t>(ahead)); i < stop; ++i)
                counts.add(e[i] & row_mask);
            while (i < end) {
                counts.add(e[i] & row_mask);
                if (e[i++] & last_of_value) break;
            }
            const std::int32_t now[2] = {counts.right_rows(0), counts.right_rows(1)};
            for (std::size_t s = 0; s < 2; ++s) best[s] = std::max(best[s], now[s]);
            ahead = std::min(best[0] - now[0], best[1] - now[1]);
        }
    }

    std::size_t n_classes_ = 0;
    std::vector<std::uint16_t> code_;
    std::vector<std::int32_t> total_;
    std::array<std::int32_t, 2> n_{};
};

class MomentWalk {
public:
    void bind(const Node& node, const SideOf& side) {
        const std::size_t n = node.n_rows();
        row_.resize(n);
        total_ = {};
        for (std::size_t i = 0; i < n; ++i) {
            const double w = node.data.weight_of(i), y = node.data.number[i];
            row_[i] = {};
            row_[i][side[i]] = w * y;
            row_[i][2 + side[i]] = w;
            total_[side[i]] += w * y, total_[2 + side[i]] += w;
            total_[4 + side[i]] += w * y * y;
        }
    }
    TwoLosses scan(const Node& node, std::size_t f, const TwoLosses& bounds) const {
        const std::uint32_t* const e = node.entries(f);
        const std::size_t end = node.last_cut[f] + 1;
        double s0 = 0.0, s1 = 0.0, w0 = 0.0, w1 = 0.0;
        const double t0 = total_[0], t1 = total_[1], v0 = total_[2], v1 = total_[3];
        double best0 = v0 > 0.0 ? t0 * t0 / v0 : 0.0, best1 = v1 > 0.0 ? t1 * t1 / v1 : 0.0;
        best0 = std::max(best0, total_[4] - bounds[0]), best1 = std::max(best1, total_[5] - bounds[1]);
        for (std::size_t i = 0; i < end; ++i) {
            const auto& row = row_[e[i] & row_mask];
            s0 += row[0], s1 += row[1], w0 += row[2], w1 += row[3];
            if (!(e[i] & last_of_value)) continue;
            // Tests S^2 / W + S'^2 / W' > best without a division.
            const double a0 = v0 - w0, r0 = t0 - s0, a1 = v1 - w1, r1 = t1 - s1;
            if (s0 * s0 * a0 + r0 * r0 * w0 > best0 * (w0 * a0) && w0 > 0.0 && a0 > tiny(v0))
                best0 = s0 * s0 / w0 + r0 * r0 / a0;
            if (s1 * s1 * a1 + r1 * r1 * w1 > best1 * (w1 * a1) && w1 > 0.0 && a1 > tiny(v1))
                best1 = s1 * s1 / w1 + r1 * r1 / a1;
        }
        return {std::max(0.0, total_[4] - best0), std::max(0.0, total_[5] - best1)};
    }

private:
    // With weights, the remaining weight of a side may be a rounding error instead of 0.
    static double tiny(double total) { return 1e-12 * total; }
    std::vector<std::array<double, 4>> row_;  // per row: weighted target and weight, by side
    std::array<double, 6> total_{};
};

}  // namespace ceiba::optimal
