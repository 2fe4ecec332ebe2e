// Level sets for three or more classes, for which no order of the levels is certain to contain the best set.
//
// Up to `exhaustive_levels` present levels: all 2^(L-1) - 1 sets, in Gray-code order (one level changes sides per
// step). With more levels: the cuts of several orders (the share of each leading class; the first principal component
// of the class profiles, Coppersmith, Hong and Hosking 1999), then single levels change sides as long as this raises
// the gain. The input is a table of class weights per level, so the cost does not depend on the number of rows.
#pragma once

#include "split/levels/best_subset.hpp"

namespace ceiba::split {

constexpr std::size_t exhaustive_levels = 10;

// The class profiles of the levels in a node, from which the orders of the levels are derived.
struct LevelProfiles {
    std::vector<double> share;  // of each class in a level, level by level
    std::vector<double> level_weight, class_weight;
};

// The orders whose cuts are tried: along the first principal component of the profiles, weighted by level; and by the
// share of each leading class.
std::vector<std::vector<std::uint32_t>> orders_of_profiles(const LevelProfiles& profiles);

// The class weights of a division by whole levels: the interface of criteria/class_division.hpp. If they are integers
// (and not scaled by priors), the squares for gini are updated incrementally: moving a level costs one product per
// class.
template <class Weight>
class LevelDivision {
public:
    static constexpr bool unit_counts = false;

    LevelDivision(LevelCells<Weight> levels, const std::vector<double>& class_scale)
        : n_classes_(levels.n_classes),
          unscaled_(class_scale.empty()),
          scale_(class_scale),
          cells_(std::move(levels.cells)),
          missing_(std::move(levels.missing)),
          total_(n_classes_),
          left_(n_classes_),
          rows_(std::move(levels.rows)),
          n_missing_(levels.n_missing) {
        if (scale_.empty()) scale_.assign(n_classes_, 1.0);
        for (std::size_t l = 0; l < rows_.size(); ++l) {
            for (std::size_t k = 0; k < n_classes_; ++k) total_[k].add(cell(l, k));
            n_total_ += rows_[l];
        }
        n_total_ += n_missing_;
        if (n_missing_ > 0)
            for (std::size_t k = 0; k < n_classes_; ++k) total_[k].add(missing_[k]);
        if (!whole()) return;
        for (std::size_t l = 0; l < rows_.size(); ++l) {
            own_squares_.push_back(product(&cells_[l * n_classes_], &cells_[l * n_classes_]));
            own_cross_.push_back(product(&cells_[l * n_classes_], total_.data()));
        }
        total_squares_ = product(total_.data(), total_.data());
    }

    void clear(bool missing_left) {
        for (std::size_t k = 0; k < n_classes_; ++k) left_[k] = missing_left ? missing_[k] : Weight{};
        n_left_ = missing_left ? n_missing_ : 0;
        if (!whole()) return;
        left_squares_ = product(left_.data(), left_.data());
        cross_ = product(left_.data(), total_.data());
    }
    void move_left(std::size_t level) {
        if (whole()) {
            left_squares_ += 2.0 * product(left_.data(), &cells_[level * n_classes_]) + own_squares_[level];
            cross_ += own_cross_[level];
        }
        for (std::size_t k = 0; k < n_classes_; ++k) left_[k].add(cell(level, k));
        n_left_ += rows_[level];
    }
    void move_right(std::size_t level) {
        for (std::size_t k = 0; k < n_classes_; ++k) left_[k].subtract(cell(level, k));
        n_left_ -= rows_[level];
        if (whole()) {
            left_squares_ -= 2.0 * product(left_.data(), &cells_[level * n_classes_]) + own_squares_[level];
            cross_ -= own_cross_[level];
        }
    }
    // The squares for gini after a level has changed sides.
    struct Squares {
        double nl, nr, l2, r2;

        double left_weight() const { return nl; }
        double right_weight() const { return nr; }
        double left_squares() const { return l2; }
        double right_squares() const { return r2; }
    };
    bool knows_squares() const { return whole(); }
    Squares if_moved(std::size_t level, bool to_left) const {
        const double sign = to_left ? 1.0 : -1.0;
        const double nl = left_weight() + sign * static_cast<double>(rows_[level]);
        const double l2 =
            left_squares_ + sign * 2.0 * product(left_.data(), &cells_[level * n_classes_]) + own_squares_[level];
        const double cross = cross_ + sign * own_cross_[level];
        return {nl, static_cast<double>(n_total_) - nl, l2, total_squares_ - 2.0 * cross + l2};
    }
    bool enough_rows(const Limits& limits) const {
        return n_left_ >= limits.min_rows && n_total_ - n_left_ >= limits.min_rows;
    }

    std::size_t n_levels() const { return rows_.size(); }
    int n_classes() const { return static_cast<int>(n_classes_); }
    double left(int k) const { return scale_[k] * left_[k].value(); }
    double right(int k) const {
        if constexpr (std::is_same_v<Weight, WholeCount>) return scale_[k] * (total_[k].n - left_[k].n);
        return scale_[k] * (total_[k].precise() - left_[k].precise()).value();
    }
    double total(int k) const { return scale_[k] * total_[k].value(); }
    base::DoubleDouble left_precise(int k) const { return base::DoubleDouble(scale_[k]) * left_[k].precise(); }
    base::DoubleDouble right_precise(int k) const {
        return base::DoubleDouble(scale_[k]) * (total_[k].precise() - left_[k].precise());
    }
    base::DoubleDouble total_precise(int k) const { return base::DoubleDouble(scale_[k]) * total_[k].precise(); }
    double left_weight() const {
        if (whole()) return static_cast<double>(n_left_);
        return over_classes([this](int k) { return left(k); });
    }
    double right_weight() const {
        if (whole()) return static_cast<double>(n_total_ - n_left_);
        return over_classes([this](int k) { return right(k); });
    }
    double total_weight() const {
        return over_classes([this](int k) { return total(k); });
    }
    double left_squares() const {
        if (whole()) return left_squares_;
        return over_classes([this](int k) { return left(k) * left(k); });
    }
    double right_squares() const {
        if (whole()) return total_squares_ - 2.0 * cross_ + left_squares_;
        return over_classes([this](int k) { return right(k) * right(k); });
    }
    double left_value() const { return left(1) / left_weight(); }
    double right_value() const { return right(1) / right_weight(); }
    LevelProfiles profiles() const {
        LevelProfiles out;
        for (int k = 0; k < n_classes(); ++k) out.class_weight.push_back(total(k));
        for (std::size_t l = 0; l < rows_.size(); ++l) {
            double sum = 0.0;
            for (std::size_t k = 0; k < n_classes_; ++k) sum += scale_[k] * cell(l, k).value();
            out.level_weight.push_back(sum);
            for (std::size_t k = 0; k < n_classes_; ++k) out.share.push_back(scale_[k] * cell(l, k).value() / sum);
        }
        return out;
    }

private:
    // Whether all products are integers below 2^53.
    bool whole() const { return std::is_same_v<Weight, WholeCount> && unscaled_ && n_total_ <= 94'000'000; }
    double product(const Weight* a, const Weight* b) const {
        double sum = 0.0;
        if constexpr (std::is_same_v<Weight, WholeCount>)
            for (std::size_t k = 0; k < n_classes_; ++k) sum += a[k].n * b[k].n;
        return sum;
    }
    const Weight& cell(std::size_t l, std::size_t k) const { return cells_[l * n_classes_ + k]; }
    template <class F>
    double over_classes(F f) const {
        double sum = 0.0;
        for (int k = 0; k < n_classes(); ++k) sum += f(k);
        return sum;
    }

    std::size_t n_classes_;
    bool unscaled_;
    std::vector<double> scale_;
    std::vector<Weight> cells_, missing_, total_, left_;
    std::vector<std::size_t> rows_;
    std::vector<double> own_squares_, own_cross_;  // per level: sum of c^2, of c x total
    double left_squares_ = 0.0, cross_ = 0.0, total_squares_ = 0.0;
    std::size_t n_missing_, n_total_ = 0, n_left_ = 0;
};

// Evaluates the current division precisely. True if it is admissible and better than `best`, which it then replaces.
template <class D, class C>
bool weigh_division(const D& division, const C& criterion, const Limits& limits, base::DoubleDouble& best, bool any) {
    if (!respects(division, limits)) return false;
    const base::DoubleDouble gain = criterion.gain(division);
    if (!std::isfinite(gain.hi)) return false;
    if (any && !((gain - best).value() > criterion.tolerance())) return false;
    best = gain;
    return true;
}

struct BestSubset {
    bool any = false;
    bool missing_left = false;
    base::DoubleDouble gain;
    std::vector<char> on_left;  // per present level
};

template <class D, class C>
class SubsetSearch {
public:
    SubsetSearch(D& division, const C& criterion, const Limits& limits, BestSubset& best)
        : division_(division), criterion_(criterion), limits_(limits), best_(best) {}

    void run(bool missing_left) {
        missing_left_ = missing_left;
        if (division_.n_levels() < 2) return;
        if (division_.n_levels() <= exhaustive_levels)
            all_sets();
        else
            orders_and_moves();
    }

private:
    bool better(base::DoubleDouble& gain, bool any) const {
        if (!division_.enough_rows(limits_)) return false;
        if (any && criterion_.below(division_, gain.hi)) return false;
        return weigh_division(division_, criterion_, limits_, gain, any);
    }
    void keep(const std::vector<char>& on_left) {
        best_.any = true;
        best_.missing_left = missing_left_;
        best_.on_left = on_left;
    }

    void all_sets() {
        const std::size_t n = division_.n_levels();
        std::vector<char> on_left(n, 0);
        division_.clear(missing_left_);
        // The last level never moves: a set and its complement are the same division (unless missing values are on one
        // side).
        const std::size_t movable = missing_left_ ? n : n - 1;
        for (std::uint64_t step = 1; step < (std::uint64_t{1} << movable); ++step) {
            const std::size_t level = static_cast<std::size_t>(std::countr_zero(step));
            on_left[level] ^= 1;
            on_left[level] ? division_.move_left(level) : division_.move_right(level);
            if (missing_left_ && std::all_of(on_left.begin(), on_left.end(), [](char c) { return c; })) continue;
            if (better(best_.gain, best_.any)) keep(on_left);
        }
    }

    // The heuristic compares in plain double; only its result is evaluated precisely.
    void orders_and_moves() {
        const std::size_t n = division_.n_levels();
        for (const auto& order : orders_of_profiles(division_.profiles())) {
            std::vector<char> on_left(n, 0), start(n, 0);
            double gain = -std::numeric_limits<double>::infinity();
            division_.clear(missing_left_);
            for (std::size_t p = 0; p + 1 < n; ++p) {
                division_.move_left(order[p]);
                on_left[order[p]] = 1;
                if (raises(gain)) start = on_left;
            }
            if (!std::isfinite(gain)) continue;
            climb(start, gain);
            if (better(best_.gain, best_.any)) keep(start);
        }
    }

    // Returns true and replaces `gain` if the current division is admissible and better.
    [[gnu::noinline]] bool raises(double& gain) const {
        if (criterion_.below(division_, gain)) return false;
        const double now = criterion_.lower(division_);
        if (!(now > gain) || !division_.enough_rows(limits_) || !respects(division_, limits_)) return false;
        gain = now;
        return true;
    }

    // Whether moving this level certainly lowers the gain. This holds for most levels, which are then not moved.
    bool surely_worse(std::size_t level, bool to_left, double gain) const {
        if constexpr (requires { C::asks_for_squares_only; })
            return division_.knows_squares() && criterion_.below(division_.if_moved(level, to_left), gain);
        return false;
    }

    // Single levels change sides as long as this raises the gain. The division ends in the state of `on_left`.
    void climb(std::vector<char>& on_left, double gain) {
        division_.clear(missing_left_);
        for (std::size_t l = 0; l < on_left.size(); ++l)
            if (on_left[l]) division_.move_left(l);
        // Each accepted move raises the gain, so the loop ends; the limit of passes keeps the worst case linear.
        for (int pass = 0; pass < 20; ++pass) {
            bool moved = false;
            for (std::size_t l = 0; l < on_left.size(); ++l) {
                if (surely_worse(l, !on_left[l], gain)) continue;
                on_left[l] ? division_.move_right(l) : division_.move_left(l);
                if (raises(gain)) {
                    on_left[l] ^= 1;
                    moved = true;
                } else {
                    on_left[l] ? division_.move_left(l) : division_.move_right(l);
                }
            }
            if (!moved) return;
        }
    }

    D& division_;
    const C& criterion_;
    const Limits& limits_;
    BestSubset& best_;
    bool missing_left_ = false;
};

}  // namespace ceiba::split
