// Bounds of the gains of cuts from the counts of bins alone: for every cut on a boundary between two bins (`gain`), and
// for all cuts inside one bin in any order of its rows (`inside`). docs/engine.md derives and proves each line. `slack`
// and `error` cover the rounding of quanta and floating point: bounds may be too wide, never too narrow.
#pragma once

#include "criteria/class_criteria.hpp"
#include "criteria/number_criteria.hpp"

namespace ceiba::split {

struct Range {
    double low, high;
};

// The position of a bin in its column.
struct BinPlace {
    double rows = 0.0;        // rows in the bin
    bool first = false;       // nothing is left of it
    bool last = false;        // nothing is right of it
    double least_rows = 1.0;  // minimum of a branch
    bool ends_count = true;   // the boundaries at both its ends are admissible cuts
};

// The class totals of a column. Bounds read the fields (cells.hpp) left of a bin, in the bin, and in total.
class ClassTotals {
public:
    void begin(const double* total, std::size_t n_classes, double error) {
        n_classes_ = n_classes;
        total_.assign(total, total + n_classes);
        weight_ = 0.0;
        for (double t : total_) weight_ += t;
        error_ = error;
    }
    double weight_of(const double* fields) const { return std::accumulate(fields, fields + n_classes_, 0.0); }

protected:
    // The largest gain over the corners of the region, which put some of the classes first. There are 2^K corners, so
    // this is for few classes only.
    template <class Bounds>
    double best_corner(const Bounds& bounds, const double* left, const double* cell, const BinPlace& place) const {
        const unsigned all = (1u << n_classes_) - 1u;
        double best = 0.0;
        for (unsigned first = place.ends_count ? 1u : 0u; first < all + !place.ends_count; ++first)
            best = std::max(best, bounds.at(left, cell, first));
        return best;
    }

    std::size_t n_classes_ = 0;
    std::vector<double> total_;
    double weight_ = 0.0;
    double error_ = 0.0;  // of the weight of a class
};

// gini: mass n - sum c^2 / n, so the gain is sum l^2 / nl + sum r^2 / nr - sum t^2 / n.
class GiniBounds : public ClassTotals {
public:
    explicit GiniBounds(const criteria::Gini&) {}

    void begin(const double* total, std::size_t n_classes, double /*rows*/, double class_error, double) {
        ClassTotals::begin(total, n_classes, class_error);
        base_ = 0.0;
        for (double t : total_) base_ += t * t;
        base_ /= weight_;
        share_ = n_classes == 2 ? total_[1] / weight_ : 0.0;
        slack_ =
            weight_ * (static_cast<double>(n_classes) + 16.0) * 0x1p-48 + 8.0 * static_cast<double>(n_classes) * error_;
    }
    Range gain(const double* left) const {
        const double g = n_classes_ == 2 ? of_two(left[0], left[1]) : of_many(left);
        return {g - slack_, g + slack_};
    }
    // Moving a weight w from one side to the other changes the gain by at most 2 w: sum l^2 / nl grows by at most the
    // weight it gains, sum r^2 / nr by at most the weight it loses. This bounds the gains between two boundaries with
    // `weight` between them.
    double between(double gain_before, double gain_after, double weight) const {
        return 0.5 * (gain_before + gain_after) + weight + slack_;
    }
    // Two classes, without a division: whether the gain of a boundary is certainly below t.
    bool surely_below(const double* left, double t) const {
        if (n_classes_ != 2) return false;
        const double nl = left[0] + left[1], shift = left[1] - nl * share_;
        return 2.0 * shift * shift * weight_ < lowered(t) * (nl * (weight_ - nl));
    }
    // The same for all cuts inside a bin and at its end: in between, the shift is largest if one of the classes comes
    // first, and nl nr is smallest at an end.
    bool surely_below(const double* left, const double* cell, double t) const {
        if (n_classes_ != 2) return false;
        const double nl = left[0] + left[1], shift = left[1] - nl * share_, next = nl + cell[0] + cell[1];
        const double most = std::max(std::fabs(shift - cell[0] * share_),
                                     std::fabs(shift + cell[1] - cell[1] * share_));
        return 2.0 * most * most * weight_ < lowered(t) * std::min(nl * (weight_ - nl), next * (weight_ - next));
    }
    double inside(const double* left, const double* cell, const BinPlace& place, double) const {
        if (n_classes_ == 2) {
            double best = std::max(of_two(left[0] + cell[0], left[1]), of_two(left[0], left[1] + cell[1]));
            if (!place.ends_count)
                best = std::max({best, of_two(left[0], left[1]), of_two(left[0] + cell[0], left[1] + cell[1])});
            return best + slack_;
        }
        return std::min(by_shift(left, cell), if_free(left, cell)) + slack_;
    }

private:
    double lowered(double t) const { return (t - 2.0 * slack_) * (1.0 - 0x1p-40); }
    // 2 (n l1 - nl n1)^2 / (n nl nr)
    double of_two(double zeros, double ones) const {
        const double nl = zeros + ones, nr = weight_ - nl;
        if (!(nl > 0.0 && nr > 0.0)) return 0.0;
        const double shift = ones - nl * share_;
        return 2.0 * shift * shift * weight_ / (nl * nr);
    }
    double of_many(const double* left) const {
        double nl = 0.0, l2 = 0.0, r2 = 0.0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            const double r = total_[k] - left[k];
            nl += left[k], l2 += left[k] * left[k], r2 += r * r;
        }
        const double nr = weight_ - nl;
        if (!(nl > 0.0 && nr > 0.0)) return 0.0;
        return l2 / nl + r2 / nr - base_;
    }
    // The gain is n / (nl nr) sum d_k^2 with d_k = l_k - nl t_k / n. Inside the bin d_k is largest if its class comes
    // first and smallest if it comes last.
    double by_shift(const double* left, const double* cell) const {
        double nl = 0.0, m = 0.0;
        for (std::size_t k = 0; k < n_classes_; ++k) nl += left[k], m += cell[k];
        const double nr = weight_ - nl - m;
        if (!(nl > 0.0 && nr > 0.0)) return std::numeric_limits<double>::infinity();
        double squares = 0.0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            const double share = total_[k] / weight_, d = left[k] - nl * share;
            const double high = d + cell[k] * (1.0 - share), low = d - (m - cell[k]) * share;
            squares += std::max(high * high, low * low);
        }
        return squares * weight_ * std::max(1.0 / (nl * (nr + m)), 1.0 / ((nl + m) * nr));
    }
    // mass(all) - mass(left of the bin) - mass(right of it): as if every row of the bin had a branch of its own.
    double if_free(const double* left, const double* cell) const {
        double nl = 0.0, nr = 0.0, l2 = 0.0, r2 = 0.0, m = 0.0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            const double r = total_[k] - left[k] - cell[k];
            nl += left[k], nr += r, m += cell[k], l2 += left[k] * left[k], r2 += r * r;
        }
        return m - base_ + (nl > 0.0 ? l2 / nl : 0.0) + (nr > 0.0 ? r2 / nr : 0.0);
    }

    double base_ = 0.0, slack_ = 0.0;
    double share_ = 0.0;  // two classes: share of the second one
};

// entropy: mass sum c log2(n / c).
class EntropyBounds : public ClassTotals {
public:
    explicit EntropyBounds(const criteria::Entropy& criterion) : table_(criterion.table) {}

    void begin(const double* total, std::size_t n_classes, double /*rows*/, double class_error, double) {
        ClassTotals::begin(total, n_classes, class_error);
        whole_ = class_error == 0.0;
        base_ = mass([&](std::size_t k) { return total_[k]; });
        const double k = static_cast<double>(n_classes);
        slack_ = weight_ * (std::fabs(std::log2(weight_)) + k + 2.0) * 0x1p-44;
        if (error_ > 0.0) slack_ += 4.0 * k * error_ * (std::log2(1.0 + weight_ / error_) + 3.0);
    }
    Range gain(const double* left) const {
        const double g = at(left, nullptr, 0);
        return {g - slack_, g + slack_};
    }
    double inside(const double* left, const double* cell, const BinPlace& place, double) const {
        if (n_classes_ <= 4) return best_corner(*this, left, cell, place) + slack_;
        // As if every row of the bin had a branch of its own.
        return base_ - mass([&](std::size_t k) { return left[k]; }) -
               mass([&](std::size_t k) { return total_[k] - left[k] - cell[k]; }) + slack_;
    }

private:
    friend ClassTotals;
    [[gnu::noinline]] double at(const double* left, const double* cell, unsigned first) const {
        const auto on_left = [&](std::size_t k) { return left[k] + (first >> k & 1u ? cell[k] : 0.0); };
        return base_ - mass(on_left) - mass([&](std::size_t k) { return total_[k] - on_left(k); });
    }
    template <class Count>
    double mass(Count count) const {
        double n = 0.0, sum = 0.0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            n += count(k);
            sum += x_log_x(count(k));
        }
        return x_log_x(n) - sum;
    }
    double x_log_x(double x) const {
        if (whole_) return (*table_)[x];
        return x > 0.0 ? x * std::log2(x) : 0.0;
    }

    std::shared_ptr<const std::vector<double>> table_;
    bool whole_ = true;
    double base_ = 0.0, slack_ = 0.0;
};

// hellinger: with l_k = left / total of class k the gain is W (1 - mean over pairs of (sqrt(l_j l_k) + sqrt(r_j r_k))).
// Each root is concave, so the gain is convex in the left part; and joining parts never decreases the sum of roots.
class HellingerBounds : public ClassTotals {
public:
    explicit HellingerBounds(const criteria::Hellinger&) {}

    void begin(const double* total, std::size_t n_classes, double /*rows*/, double class_error, double) {
        ClassTotals::begin(total, n_classes, class_error);
        n_present_ = 0.0;
        double least = weight_;
        for (double t : total_)
            if (t > 0.0) n_present_ += 1.0, least = std::min(least, t);
        slack_ = weight_ * (n_present_ + 8.0) * 0x1p-46;
        if (error_ == 0.0) return;
        // A root changes by at most the root of the change of its share. There is no bound for a class that may be
        // absent.
        const bool all_present = std::none_of(total_.begin(), total_.end(), [this](double t) { return t <= error_; });
        slack_ += all_present ? 8.0 * weight_ * std::sqrt(2.0 * error_ / least) + 8.0 * n_present_ * error_
                              : std::numeric_limits<double>::infinity();
    }
    Range gain(const double* left) const {
        const double g = at(left, nullptr, 0);
        return {g - slack_, g + slack_};
    }
    double inside(const double* left, const double* cell, const BinPlace& place, double) const {
        if (n_classes_ <= 4) return best_corner(*this, left, cell, place) + slack_;
        // As if every row of the bin had a branch of its own.
        const double before = alike([&](std::size_t k) { return left[k]; }),
                     after = alike([&](std::size_t k) { return total_[k] - left[k] - cell[k]; });
        return mass(before + after) + slack_;
    }

private:
    friend ClassTotals;
    [[gnu::noinline]] double at(const double* left, const double* cell, unsigned first) const {
        const auto on_left = [&](std::size_t k) { return left[k] + (first >> k & 1u ? cell[k] : 0.0); };
        return mass(alike(on_left) + alike([&](std::size_t k) { return total_[k] - on_left(k); }));
    }
    // Twice the sum over pairs of classes of sqrt(share_j share_k), for the rows that `count` returns.
    template <class Count>
    double alike(Count count) const {
        double roots = 0.0, shares = 0.0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            if (!(total_[k] > 0.0)) continue;
            const double share = std::max(count(k), 0.0) / total_[k];
            roots += std::sqrt(share);
            shares += share;
        }
        return roots * roots - shares;
    }
    double mass(double all_alike) const {
        return n_present_ > 1.0 ? weight_ * (1.0 - all_alike / (n_present_ * (n_present_ - 1.0))) : 0.0;
    }

    double n_present_ = 0.0, slack_ = 0.0;
};

// misclassification error: mass n - max c.
class ErrorBounds : public ClassTotals {
public:
    explicit ErrorBounds(const criteria::Error&) {}

    void begin(const double* total, std::size_t n_classes, double /*rows*/, double class_error, double) {
        ClassTotals::begin(total, n_classes, class_error);
        base_ = *std::max_element(total_.begin(), total_.end());
        slack_ = weight_ * 0x1p-46 + 4.0 * error_;
    }
    Range gain(const double* left) const {
        double l = 0.0, r = 0.0;
        for (std::size_t k = 0; k < n_classes_; ++k) l = std::max(l, left[k]), r = std::max(r, total_[k] - left[k]);
        return {l + r - base_ - slack_, l + r - base_ + slack_};
    }
    double inside(const double* left, const double* cell, const BinPlace&, double) const {
        double l = 0.0, r = 0.0;
        for (std::size_t k = 0; k < n_classes_; ++k)
            l = std::max(l, left[k] + cell[k]), r = std::max(r, total_[k] - left[k]);
        return l + r - base_ + slack_;
    }

private:
    double base_ = 0.0, slack_ = 0.0;
};

// squared error: the gain is shift^2 W / (Wl Wr), shift = Sl - Wl S / W. By Cauchy-Schwarz, a part with weight u of a
// bin with weight w, mean m and squares V about its mean has a sum within sqrt(u (w - u) V / w) of u m. This is an
// ellipse, inside an octagon.
class SquaredErrorBounds {
public:
    explicit SquaredErrorBounds(const criteria::SquaredError&) {}
    static double weight_of(const double* fields) { return fields[0]; }

    void begin(const double* total, std::size_t, double rows, double weight_error, double sum_error) {
        weight_ = total[0];
        mean_ = total[1] / weight_;
        per_row_weight_ = weight_error / rows;
        per_row_sum_ = sum_error / rows;
        weight_error_ = weight_error;
        error_ = 2.2 * (sum_error + std::fabs(mean_) * weight_error) + weight_ * std::fabs(mean_) * 0x1p-50;
    }
    Range gain(const double* left) const {
        const double shift = std::fabs(left[1] - left[0] * mean_), less = std::max(0.0, shift - error_),
                     more = shift + error_;
        const double wl = left[0], wr = weight_ - wl;
        if (weight_error_ == 0.0) {
            const double factor = weight_ / (wl * wr);
            return {less * less * factor * (1.0 - 0x1p-40), more * more * factor * (1.0 + 0x1p-40)};
        }
        return {less * less * weight_ / ((wl + weight_error_) * (wr + weight_error_)) * (1.0 - 0x1p-40),
                height(wl, more)};
    }
    double inside(const double* left, const double* cell, const BinPlace& place, double floor) const {
        const double w = cell[0] + place.rows * per_row_weight_, sum_error = place.rows * per_row_sum_;
        if (place.first || place.last) {
            const double squares =
                cell[2] - 2.0 * mean_ * cell[1] + mean_ * mean_ * w + 2.0 * std::fabs(mean_) * sum_error;
            const double rest = weight_ - w - weight_error_;
            return rest > 0.0 ? squares * weight_ / rest * (1.0 + 0x1p-30) : std::numeric_limits<double>::infinity();
        }
        const double sum = std::max(0.0, std::fabs(cell[1]) - sum_error);
        const double squares = std::max(0.0, cell[2] - sum * sum / w * (1.0 - 0x1p-40));
        const double reach = 0.5 * std::sqrt(w * squares) * (1.0 + 0x1p-30) + error_;
        const double from = left[1] - left[0] * mean_, step = cell[1] - cell[0] * mean_;
        // A parallelogram around the octagon costs one division and suffices for most bins.
        const double most = std::max(std::fabs(from), std::fabs(from + step)) + reach;
        const double l = left[0] - weight_error_, r = weight_ - left[0] - weight_error_;
        const double least = std::min(l * r, (l + cell[0]) * (r - cell[0]));
        if (l > 0.0 && r - cell[0] > 0.0) {
            const double coarse = most * most * weight_ / least * (1.0 + 0x1p-40);
            if (coarse < floor) return coarse;
        }
        constexpr double near = 0.29289321881345254, far = 0.70710678118654757, low = 0.41421356237309515;
        return std::max(std::max(height(left[0], std::fabs(from) + low * reach),
                                 height(left[0] + near * cell[0], std::fabs(from + near * step) + reach)),
                        std::max(height(left[0] + far * cell[0], std::fabs(from + far * step) + reach),
                                 height(left[0] + cell[0], std::fabs(from + step) + low * reach)));
    }

private:
    double height(double wl, double shift) const {
        const double l = wl - weight_error_, r = weight_ - wl - weight_error_;
        if (!(l > 0.0 && r > 0.0)) return std::numeric_limits<double>::infinity();
        return shift * shift * weight_ / (l * r) * (1.0 + 0x1p-40);
    }

    double weight_ = 0.0, mean_ = 0.0, error_ = 0.0, weight_error_ = 0.0, per_row_weight_ = 0.0, per_row_sum_ = 0.0;
};

// poisson: the gain is the sum over sides of S log(S / (W m)). Inside a bin, the weight and the sum of the left part
// grow from zero to those of the bin in any way: a rectangle.
class PoissonBounds {
public:
    explicit PoissonBounds(const criteria::Poisson&) {}
    static double weight_of(const double* fields) { return fields[0]; }

    void begin(const double* total, std::size_t, double rows, double weight_error, double sum_error) {
        weight_ = total[0];
        sum_ = total[1];
        mean_ = sum_ / weight_;
        per_row_weight_ = rows > 0.0 && weight_error == 0.0 ? 1.0 : 0.0;
        const double relative = (sum_error + mean_ * weight_error) / std::max(sum_, std::numeric_limits<double>::min());
        slack_ =
            sum_ * 0x1p-38 + 8.0 * (sum_error + mean_ * weight_error) * (3.0 + std::fabs(std::log(relative + 1e-300)));
    }
    Range gain(const double* left) const {
        const double g = at(left[0], left[1]);
        // Only the exact search decides whether a side has no events at all.
        const bool sure = left[1] > slack_ && sum_ - left[1] > slack_;
        return {sure ? g - slack_ : -std::numeric_limits<double>::infinity(), g + slack_};
    }
    double inside(const double* left, const double* cell, const BinPlace& place, double) const {
        const double least = place.first ? place.least_rows * per_row_weight_ : 0.0,
                     most = cell[0] - (place.last ? place.least_rows * per_row_weight_ : 0.0);
        if (least > most) return -std::numeric_limits<double>::infinity();
        double best = -std::numeric_limits<double>::infinity();
        for (double w : {left[0] + least, left[0] + most})
            for (double s : {left[1], left[1] + cell[1]}) best = std::max(best, at(w, s));
        return best + slack_;
    }

private:
    [[gnu::noinline]] double at(double w, double s) const { return side(w, s) + side(weight_ - w, sum_ - s); }
    double side(double w, double s) const {
        if (!(s > 0.0)) return 0.0;
        if (!(w > 0.0)) return std::numeric_limits<double>::infinity();
        return s * std::log(s / (w * mean_));
    }

    double weight_ = 0.0, sum_ = 0.0, mean_ = 0.0, slack_ = 0.0, per_row_weight_ = 0.0;
};

// The bounds of each criterion that has bounds, one line each. Other criteria are searched by sorting.
GiniBounds bounds_for(const criteria::Gini*);
EntropyBounds bounds_for(const criteria::Entropy*);
HellingerBounds bounds_for(const criteria::Hellinger*);
ErrorBounds bounds_for(const criteria::Error*);
SquaredErrorBounds bounds_for(const criteria::SquaredError*);
PoissonBounds bounds_for(const criteria::Poisson*);

template <class C>
concept Bounded = requires(const C* criterion) {
    bounds_for(criterion);
};
template <Bounded C>
using BoundsOf = decltype(bounds_for(static_cast<const C*>(nullptr)));

// The bounds of the criteria in a list that have bounds, as a list.
template <class C>
auto bounds_listed() {
    if constexpr (Bounded<C>)
        return criteria::List<BoundsOf<C>>{};
    else
        return criteria::List<>{};
}
template <class... C>
auto bounds_of(criteria::List<C...>) {
    return (criteria::List<>{} + ... + bounds_listed<C>());
}

// Criteria that share their search (criteria::Shared) share their bounds, which are chosen once per loop over ranges.
template <Bounded C>
using SharedBounds = std::conditional_t<
    criteria::is_listed<C>(criteria::SharedClassCriteria{}),
    criteria::Chosen<decltype(bounds_of(criteria::SharedClassCriteria{})), criteria::ChosenPer::loop>, BoundsOf<C>>;

}  // namespace ceiba::split
