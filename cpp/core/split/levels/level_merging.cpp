#include "split/levels/level_merging.hpp"

#include "base/probability/tails.hpp"

namespace ceiba::split {

namespace {

// The test of two groups: statistic and degrees of freedom. For F, with one numerator degree of freedom, the p-value
// decreases in both; for chi-square it decreases in the statistic if df is the same.
struct Difference {
    double statistic = 0.0;
    double df = 0.0;
};

double chi_square_part(PairTest test, double count, double expected) {
    if (test == PairTest::pearson) return (count - expected) * (count - expected) / expected;
    return count > 0.0 ? 2.0 * count * std::log(count / expected) : 0.0;
}

class PairTester {
public:
    PairTester(std::size_t width, PairTest test) : width_(width), test_(test) {}

    Difference difference(const double* a, const double* b) const {
        return test_ == PairTest::f ? by_means(a, b) : by_classes(a, b);
    }
    double p_value(const Difference& d) const {
        return test_ == PairTest::f ? base::f_tail(d.statistic, 1.0, d.df)
                                    : base::chi_square_tail(d.statistic, static_cast<int>(d.df));
    }
    // Whether the p-value of d is certainly not above that of `other`, without computing p-values.
    bool surely_not_above(const Difference& d, const Difference& other) const {
        if (!(d.statistic >= other.statistic)) return false;
        if (d.df == other.df || test_ != PairTest::f) return d.df == other.df;
        return d.df > other.df || (d.df >= 1.0 && deviate(d) * (1.0 - 0.5 / d.df) >= deviate(other));
    }

private:
    // The squared normal deviate with the p-value of F is at most this, and at least this times 1 - 1 / (2 df) (Wallace
    // 1959).
    static double deviate(const Difference& d) { return d.df * std::log1p(d.statistic / d.df); }

    Difference by_classes(const double* a, const double* b) const {
        double size_a = 0.0, size_b = 0.0;
        for (std::size_t k = 0; k < width_; ++k) size_a += a[k], size_b += b[k];
        const double share_a = size_a / (size_a + size_b), share_b = size_b / (size_a + size_b);
        Difference out;
        int n_classes = 0;
        for (std::size_t k = 0; k < width_; ++k) {
            const double both = a[k] + b[k];
            if (both <= 0.0) continue;
            ++n_classes;
            out.statistic +=
                chi_square_part(test_, a[k], both * share_a) + chi_square_part(test_, b[k], both * share_b);
        }
        out.statistic = std::max(out.statistic, 0.0);
        out.df = n_classes - 1;
        return out;
    }

    // One-way analysis of variance of two groups, from rows, sums and sums of squares.
    static Difference by_means(const double* a, const double* b) {
        const double n = a[0] + b[0], share = a[1] * a[1] / a[0] + b[1] * b[1] / b[0];
        const double between = share - (a[1] + b[1]) * (a[1] + b[1]) / n;
        const double within = std::max(a[2] + b[2] - share, 0.0);
        Difference out{0.0, n - 2.0};
        if (between > 0.0 && out.df > 0.0)
            out.statistic = within > 0.0 ? between / (within / out.df) : std::numeric_limits<double>::infinity();
        return out;
    }

    std::size_t width_;
    PairTest test_;
};

// The group most similar to a group, and the p-value of the pair (-1: there is none). Outdated: the p-value is only an
// upper bound, and the partner must be searched again.
struct Partner {
    double p_value = -1.0;
    std::size_t group = 0;
    Difference difference;
    bool outdated = false;
};

class Merger {
public:
    Merger(std::span<const double> cells, std::size_t width, Merging merging, PairTest test, base::Interrupt& interrupt)
        : cells_(cells.begin(), cells.end()),
          width_(width),
          merging_(merging),
          test_(test),
          tester_(width, test),
          interrupt_(interrupt),
          remaining_(cells.size() / width) {
        std::iota(remaining_.begin(), remaining_.end(), std::size_t{0});
        out_.group.resize(remaining_.size());
        std::iota(out_.group.begin(), out_.group.end(), 0);
    }

    MergedLevels run(double alpha, double min_rows) {
        if (merging_ == Merging::nominal && remaining_.size() > 2) find_all_partners();
        while (remaining_.size() > 2) {
            const auto [a, partner] = most_similar();
            if (partner.p_value <= alpha) break;
            join(a, partner.group, partner.p_value);
        }
        partners_.clear();
        while (remaining_.size() > 1) {
            const std::size_t a =
                *std::min_element(remaining_.begin(), remaining_.end(),
                                  [this](std::size_t g, std::size_t h) { return size_of(g) < size_of(h); });
            if (size_of(a) >= min_rows) break;
            const Partner partner = partner_of(a);
            join(a, partner.group, partner.p_value);
        }
        return std::move(out_);
    }

private:
    const double* cells(std::size_t g) const { return cells_.data() + g * width_; }
    double size_of(std::size_t g) const {
        return test_ == PairTest::f ? cells(g)[0] : std::accumulate(cells(g), cells(g) + width_, 0.0);
    }

    // Replaces the partner if this pair is more similar.
    void offer(Partner& partner, std::size_t other, const Difference& difference) const {
        if (partner.p_value >= 0.0 && tester_.surely_not_above(difference, partner.difference)) return;
        const double p = tester_.p_value(difference);
        if (p > partner.p_value) partner = {p, other, difference};
    }
    Difference difference(std::size_t a, std::size_t b) const {
        return tester_.difference(cells(std::min(a, b)), cells(std::max(a, b)));
    }

    // Whether g is the floating category alone. Once merged, it is an ordinary member of its group.
    bool floats(std::size_t g) const { return merging_ == Merging::floating && g + 1 == out_.group.size(); }
    bool may_join(std::size_t at, std::size_t other) const {
        if (merging_ == Merging::nominal || floats(remaining_[at]) || floats(remaining_[other])) return true;
        // `remaining_` is in the order of the categories, and the floating one comes last.
        return at + 1 == other || other + 1 == at;
    }

    Partner partner_of(std::size_t g) const {
        Partner best;
        const std::size_t at =
            static_cast<std::size_t>(std::find(remaining_.begin(), remaining_.end(), g) - remaining_.begin());
        for (std::size_t other = 0; other < remaining_.size(); ++other)
            if (other != at && may_join(at, other)) offer(best, remaining_[other], difference(g, remaining_[other]));
        return best;
    }

    std::pair<std::size_t, Partner> most_similar() {
        if (merging_ == Merging::nominal) return most_similar_partners();
        std::size_t first = 0;
        Partner best;
        const std::size_t last = remaining_.size() - 1;
        for (std::size_t at = 0; at < last; ++at) {
            const std::size_t g = remaining_[at];
            const double before = best.p_value;
            offer(best, remaining_[at + 1], difference(g, remaining_[at + 1]));
            if (at + 1 < last && floats(remaining_[last]))
                offer(best, remaining_[last], difference(g, remaining_[last]));
            if (best.p_value > before) first = g;
        }
        return {first, best};
    }

    // Finds for each group the most similar of the later groups.
    void find_all_partners() {
        partners_.resize(remaining_.size());
        for (std::size_t g = 0; g < remaining_.size(); ++g) {
            interrupt_.poll();
            for (std::size_t h = g + 1; h < remaining_.size(); ++h) offer(partners_[g], h, difference(g, h));
        }
    }

    std::pair<std::size_t, Partner> most_similar_partners() {
        while (true) {
            std::size_t at = 0;
            for (std::size_t i = 1; i < remaining_.size(); ++i)
                if (partners_[remaining_[i]].p_value > partners_[remaining_[at]].p_value) at = i;
            const std::size_t g = remaining_[at];
            if (!partners_[g].outdated) return {g, partners_[g]};
            partners_[g] = {};
            for (std::size_t i = at + 1; i < remaining_.size(); ++i)
                offer(partners_[g], remaining_[i], difference(g, remaining_[i]));
        }
    }

    // Updates a partner after group b was merged into group a. The search for another partner is postponed: with many
    // similar levels, it would take a pass over all pairs after each step.
    void update_partner(Partner& partner, std::size_t g, std::size_t a, std::size_t b) const {
        if (g == a) {
            partner.outdated = true;
            partner.p_value = 2.0;  // an upper bound of any p-value
            return;
        }
        partner.outdated = partner.outdated || partner.group == a || partner.group == b;
        if (g > a) return;
        const Difference d = difference(a, g);
        const bool earlier = a < partner.group;
        if (tester_.surely_not_above(d, partner.difference) && !(earlier && may_tie(d, partner))) return;
        const double p = tester_.p_value(d);
        if (p > partner.p_value || (p == partner.p_value && (partner.outdated || earlier))) {
            const bool outdated = partner.outdated && p == partner.p_value;  // an earlier group may be equally similar
            partner = {p, a, d, outdated};
        }
    }

    // Pairs with equal p-values: the statistics are equal, or both p-values are rounded to 1.
    static bool may_tie(const Difference& d, const Partner& partner) {
        return partner.p_value == 1.0 || d.statistic == partner.difference.statistic;
    }

    void join(std::size_t a, std::size_t b, double p_value) {
        interrupt_.poll();
        if (a > b) std::swap(a, b);
        out_.steps.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), p_value});
        for (std::size_t k = 0; k < width_; ++k) cells_[a * width_ + k] += cells_[b * width_ + k];
        for (std::int32_t& group : out_.group)
            if (group == static_cast<std::int32_t>(b)) group = static_cast<std::int32_t>(a);
        remaining_.erase(std::find(remaining_.begin(), remaining_.end(), b));
        if (partners_.empty()) return;
        for (const std::size_t g : remaining_) {
            if (g > b) break;
            update_partner(partners_[g], g, a, b);
        }
    }

    std::vector<double> cells_;
    std::size_t width_;
    Merging merging_;
    PairTest test_;
    PairTester tester_;
    base::Interrupt& interrupt_;
    std::vector<std::size_t> remaining_;  // remaining groups, by their first category, ascending
    std::vector<Partner> partners_;
    MergedLevels out_;
};

// The test statistic of all categories of a column, and the p-value that it would have with fewer groups.
class WholeTest {
public:
    WholeTest(std::span<const double> cells, std::size_t width, PairTest test) : test_(test) {
        std::vector<double> sums(width, 0.0);
        for (std::size_t i = 0; i < cells.size(); ++i) sums[i % width] += cells[i];
        if (test == PairTest::f) {
            rows_ = sums[0];
            for (std::size_t i = 0; i < cells.size(); i += width) between_ += cells[i + 1] * cells[i + 1] / cells[i];
            within_ = std::max(sums[2] - between_, 0.0);
            between_ = std::max(between_ - sums[1] * sums[1] / rows_, 0.0);
            return;
        }
        rows_ = std::accumulate(sums.begin(), sums.end(), 0.0);
        n_classes_ = static_cast<int>(std::count_if(sums.begin(), sums.end(), [](double n) { return n > 0.0; }));
        for (std::size_t i = 0; i < cells.size(); i += width) {
            const double size = std::accumulate(&cells[i], &cells[i] + width, 0.0);
            for (std::size_t k = 0; k < width; ++k)
                if (sums[k] > 0.0) statistic_ += chi_square_part(test, cells[i + k], size * sums[k] / rows_);
        }
    }
    double rows() const { return rows_; }
    double log_p_value(std::size_t n_groups) const {
        const double r = static_cast<double>(n_groups);
        if (test_ != PairTest::f)
            return base::log_chi_square_tail(statistic_, (static_cast<int>(n_groups) - 1) * (n_classes_ - 1));
        if (within_ <= 0.0) return -std::numeric_limits<double>::infinity();
        return base::log_f_tail(between_ / (r - 1.0) / (within_ / (rows_ - r)), r - 1.0, rows_ - r);
    }

private:
    PairTest test_;
    double rows_ = 0.0, statistic_ = 0.0, between_ = 0.0, within_ = 0.0;
    int n_classes_ = 0;
};

}  // namespace

MergedLevels merge_levels(std::span<const double> cells, std::size_t width, Merging merging, PairTest test,
                          double alpha, double min_rows, base::Interrupt& interrupt) {
    return Merger(cells, width, merging, test, interrupt).run(alpha, min_rows);
}

bool merging_is_hopeless(std::span<const double> cells, std::size_t width, PairTest test, double log_limit,
                         double min_rows) {
    const WholeTest whole(cells, width, test);
    const std::size_t n = cells.size() / width;
    const double c = static_cast<double>(n), rounding = 1e-6 * (1.0 + std::abs(log_limit));
    const double most = std::clamp(std::floor(whole.rows() / std::max(min_rows, 1.0)), 2.0, c);
    double least = -std::numeric_limits<double>::infinity();  // lower bound of all further p-values, which grow with r
    for (double r = 2.0; r <= most; ++r) {
        const double limit = log_limit + rounding - (c - r) * std::log(r);
        if (least > limit) continue;
        least = whole.log_p_value(static_cast<std::size_t>(r));
        if (least <= limit) return false;
    }
    return true;
}

}  // namespace ceiba::split
