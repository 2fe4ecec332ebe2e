#include "split/level_merging.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/tails.hpp"

namespace ceiba::split {

namespace {

// The test of two groups: statistic and degrees of freedom. The larger both, the smaller the p-value for F, which has
// one degree of freedom above; for chi-square only with the same df.
struct Difference {
    double statistic = 0.0;
    double df = 0.0;
};

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
    // Without asking for p-values: is the first one's not above the second's?
    bool surely_not_above(const Difference& d, const Difference& other) const {
        return d.statistic >= other.statistic && (d.df == other.df || (test_ == PairTest::f && d.df > other.df));
    }

private:
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
            out.statistic += part(a[k], both * share_a) + part(b[k], both * share_b);
        }
        out.statistic = std::max(out.statistic, 0.0);
        out.df = n_classes - 1;
        return out;
    }
    double part(double count, double expected) const {
        if (test_ == PairTest::pearson) return (count - expected) * (count - expected) / expected;
        return count > 0.0 ? 2.0 * count * std::log(count / expected) : 0.0;
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

// The most similar group to one: its p-value, -1 if there is none.
struct Partner {
    double p_value = -1.0;
    std::size_t group = 0;
    Difference difference;
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
          there_(cells.size() / width) {
        std::iota(there_.begin(), there_.end(), std::size_t{0});
        out_.group.resize(there_.size());
        std::iota(out_.group.begin(), out_.group.end(), 0);
    }

    MergedLevels run(double alpha, double min_rows) {
        if (merging_ == Merging::nominal && there_.size() > 2) find_all_partners();
        while (there_.size() > 2) {
            const auto [a, partner] = most_similar();
            if (partner.p_value <= alpha) break;
            join(a, partner.group, partner.p_value);
        }
        while (there_.size() > 1) {
            const std::size_t a = *std::min_element(there_.begin(), there_.end(), [this](std::size_t g, std::size_t h) {
                return size_of(g) < size_of(h);
            });
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

    // Takes the pair if it is more similar than what is known.
    void offer(Partner& known, std::size_t other, const Difference& difference) const {
        if (known.p_value >= 0.0 && tester_.surely_not_above(difference, known.difference)) return;
        const double p = tester_.p_value(difference);
        if (p > known.p_value) known = {p, other, difference};
    }
    Difference difference(std::size_t a, std::size_t b) const {
        return tester_.difference(cells(std::min(a, b)), cells(std::max(a, b)));
    }

    // ------------------------------------------------------------------ which pairs may be merged

    // A floating category on its own; once joined to another, it is an ordinary part of that group.
    bool floats(std::size_t g) const {
        return merging_ == Merging::floating && g + 1 == out_.group.size();
    }
    bool may_join(std::size_t at, std::size_t other) const {
        if (merging_ == Merging::nominal || floats(there_[at]) || floats(there_[other])) return true;
        // The order of `there_` is that of the categories, and the floating one stands last.
        return at + 1 == other || other + 1 == at;
    }

    Partner partner_of(std::size_t g) const {
        Partner best;
        const std::size_t at = static_cast<std::size_t>(std::find(there_.begin(), there_.end(), g) - there_.begin());
        for (std::size_t other = 0; other < there_.size(); ++other)
            if (other != at && may_join(at, other)) offer(best, there_[other], difference(g, there_[other]));
        return best;
    }

    std::pair<std::size_t, Partner> most_similar() {
        std::size_t first = 0;
        Partner best;
        for (std::size_t at = 0; at < there_.size(); ++at) {
            const std::size_t g = there_[at];
            if (merging_ == Merging::nominal) {
                if (partners_[g].p_value > best.p_value) first = g, best = partners_[g];
                continue;
            }
            const double before = best.p_value;
            for (std::size_t other = at + 1; other < there_.size(); ++other)
                if (may_join(at, other)) offer(best, there_[other], difference(g, there_[other]));
            if (best.p_value > before) first = g;
        }
        return {first, best};
    }

    // ------------------------------------------------------------------ nominal: partners, kept up to date

    void find_all_partners() {
        partners_.resize(there_.size());
        for (std::size_t g = 0; g < there_.size(); ++g) {
            interrupt_.poll();
            for (std::size_t h = g + 1; h < there_.size(); ++h) {
                const Difference d = difference(g, h);
                offer(partners_[g], h, d);
                offer(partners_[h], g, d);
            }
        }
    }

    void join(std::size_t a, std::size_t b, double p_value) {
        interrupt_.poll();
        if (a > b) std::swap(a, b);
        out_.steps.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), p_value});
        for (std::size_t k = 0; k < width_; ++k) cells_[a * width_ + k] += cells_[b * width_ + k];
        for (std::int32_t& group : out_.group)
            if (group == static_cast<std::int32_t>(b)) group = static_cast<std::int32_t>(a);
        there_.erase(std::find(there_.begin(), there_.end(), b));
        if (partners_.empty()) return;
        for (const std::size_t g : there_) {
            if (g == a || partners_[g].group == a || partners_[g].group == b)
                partners_[g] = partner_of(g);
            else
                offer(partners_[g], a, difference(a, g));  // the merged group may be closer now
        }
    }

    std::vector<double> cells_;
    std::size_t width_;
    Merging merging_;
    PairTest test_;
    PairTester tester_;
    base::Interrupt& interrupt_;
    std::vector<std::size_t> there_;  // groups that are left, by their first category, ascending
    std::vector<Partner> partners_;
    MergedLevels out_;
};

}  // namespace

MergedLevels merge_levels(std::span<const double> cells, std::size_t width, Merging merging, PairTest test, double alpha,
                          double min_rows, base::Interrupt& interrupt) {
    return Merger(cells, width, merging, test, interrupt).run(alpha, min_rows);
}

}  // namespace ceiba::split
