// The best split of a node by a column of levels, from the counts of each level: split/levels/level_search.hpp for
// whoever has no rows. The way through the levels is ordinary code; LevelSurvey answers for a statistic S and a
// criterion C.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "shards/cells.hpp"
#include "shards/message.hpp"
#include "split/levels/best_subset.hpp"
#include "split/levels/event_free.hpp"
#include "split/scan/cut_scan.hpp"
#include "split/search_options.hpp"

namespace ceiba::shards {

class LevelCounts {
public:
    // `cells`: of all levels, then of missing values.
    LevelCounts(const CellShape& shape, const split::SearchOptions& options, std::span<const std::uint64_t> cells,
                std::size_t width);

    double n_missing() const { return n_missing_; }
    const Words& missing() const { return missing_; }

    // Leaves the sums of the branches in `branches`.
    split::Candidate search(const split::Limits& limits, std::vector<Words>& branches);

protected:
    using Order = std::vector<std::uint32_t>;  // of the levels, by position
    ~LevelCounts() = default;

    static void add(Words& sum, const Words& more);
    double n_present() const;

    const split::SearchOptions& options_;
    std::size_t width_, n_all_levels_;
    Words missing_, total_;
    std::vector<std::int32_t> code_;  // present in the node
    std::vector<double> rows_;
    std::vector<Words> cells_;
    double n_missing_, n_aside_ = 0.0;

private:
    // Makes the total that of these sums.
    virtual void take(const Words& total) = 0;
    virtual double mean(const Words& cell) const = 0;
    // The best of all sets of levels, where no order of them is enough. False: one is.
    virtual bool best_of_sets(const split::Limits& limits, split::Candidate& out) = 0;
    // Orders besides that of the means.
    virtual std::vector<Order> more_orders(const Order& by_mean, const split::Limits& limits) const = 0;
    // Keeps the best cut of the levels in this order, where it is better than what there is.
    virtual void scan_order(const Order& order, const split::Limits& limits, split::Candidate& out) = 0;
    // Adds the gain of dividing `all` into `left` and the rest. False: a side of one level (`one_left`, `one_right`) is
    // too light, or the division is not allowed.
    virtual bool halve(const Words& all, const Words& left, bool one_left, bool one_right, const split::Limits& limits,
                       base::DoubleDouble& gain) = 0;
    virtual double tolerance() const = 0;

    split::Candidate best_level_set(const split::Limits& limits);
    split::Candidate one_branch_per_level(const split::Limits& limits);
    void branch_for_every_level(split::Candidate& split) const;
};

template <class S, class C>
class LevelSurvey final : public LevelCounts {
    using D = typename S::Division;

public:
    LevelSurvey(const S& statistic, C criterion, const split::SearchOptions& options,
                std::span<const std::uint64_t> cells, std::size_t width)
        : LevelCounts(statistic.shape(), options, cells, width),
          statistic_(statistic),
          criterion_(std::move(criterion)),
          division_(statistic.division()) {}

private:
    void take(const Words& total) override {
        statistic_.set_total(division_, total.data());
        criterion_.begin(division_);
    }
    double mean(const Words& cell) const override { return statistic_.mean(cell.data()); }
    double tolerance() const override { return criterion_.tolerance(); }

    bool best_of_sets(const split::Limits& limits, split::Candidate& out) override {
        if constexpr (requires { division_.n_classes(); }) {
            if (division_.n_classes() <= 2) return false;
            out = statistic_.weighted() ? best_of_subsets<base::LongSum>(limits)
                                        : best_of_subsets<split::WholeCount>(limits);
            return true;
        }
        return false;
    }
    template <class Weight>
    split::Candidate best_of_subsets(const split::Limits& limits) {
        split::LevelCells<Weight> levels;
        levels.n_classes = static_cast<std::size_t>(division_.n_classes());
        levels.code = code_;
        for (std::size_t l = 0; l < code_.size(); ++l) {
            levels.rows.push_back(static_cast<std::size_t>(rows_[l]));
            statistic_.class_weights(cells_[l].data(), levels.cells);
        }
        if (n_aside_ > 0.0)
            statistic_.class_weights(missing_.data(), levels.missing);
        else
            levels.missing.resize(levels.n_classes);
        levels.n_missing = static_cast<std::size_t>(n_aside_);
        return split::best_subset(levels, limits, options_.class_scale, criterion_);
    }

    std::vector<Order> more_orders(const Order& by_mean, const split::Limits& limits) const override {
        if constexpr (std::is_same_v<C, criteria::Poisson>) {
            if (criterion_.allow_zero) return {};
            std::vector<split::EventPart> level;
            for (std::size_t l = 0; l < code_.size(); ++l) level.push_back(event_part(cells_[l], rows_[l]));
            const split::EventPart aside = n_aside_ > 0.0 ? event_part(missing_, n_aside_) : split::EventPart{};
            return split::orders_past_event_free(level, aside, limits, by_mean);
        }
        return {};
    }
    split::EventPart event_part(const Words& cell, double rows) const {
        const auto part = statistic_.part(cell.data());
        return {part.weight.value(), part.sum.value(), static_cast<std::size_t>(rows)};
    }

    void scan_order(const Order& order, const split::Limits& limits, split::Candidate& out) override {
        split::BestCut<D, C> best;
        const double least = static_cast<double>(limits.min_rows);
        const auto scan = [&](bool missing_left) {
            Words left = missing_left ? missing_ : Words(width_, 0);
            double before = missing_left ? n_aside_ : 0.0;
            const double all = n_present() + n_aside_;
            for (std::size_t p = 0; p + 1 < order.size(); ++p) {
                add(left, cells_[order[p]]);
                before += rows_[order[p]];
                if (before < least || all - before < least) continue;
                division_.put_back(statistic_.part(left.data()));
                if (criterion_.below(division_, best.threshold())) continue;
                if (!best.offer(division_, criterion_, limits)) continue;
                best.position = p + 1;
                best.missing_left = missing_left;
            }
        };
        scan(false);
        bool presence = false;
        if (n_aside_ > 0.0) {
            if (n_present() >= least && n_aside_ >= least) {
                Words left(width_, 0);
                for (const Words& own : cells_) add(left, own);
                division_.put_back(statistic_.part(left.data()));
                presence = best.offer(division_, criterion_, limits);
                if (presence) best.missing_left = false;
            }
            scan(true);
            presence = presence && !best.missing_left;
        }
        if (!best.found) return;
        const base::DoubleDouble gain = best.gain(division_, criterion_);
        if (out.found() && !((gain - out.gain).value() > criterion_.tolerance())) return;
        out.kind = presence ? split::Kind::presence : split::Kind::levels;
        out.gain = gain;
        out.missing_branch = best.missing_left ? 0 : 1;
        if (presence) return;
        out.levels.clear();
        for (std::int32_t code : code_) out.levels.push_back({code, 1});
        for (std::size_t p = 0; p < best.position; ++p) out.levels[order[p]].branch = 0;
    }

    bool halve(const Words& all, const Words& left, bool one_left, bool one_right, const split::Limits& limits,
               base::DoubleDouble& gain) override {
        statistic_.set_total(division_, all.data());
        division_.put_back(statistic_.part(left.data()));
        criterion_.begin(division_);
        if (one_left && division_.left_weight() < limits.min_weight) return false;
        if (one_right && division_.right_weight() < limits.min_weight) return false;
        const base::DoubleDouble more = criterion_.gain(division_);
        if (!std::isfinite(more.hi)) return false;
        gain = gain + more;
        return true;
    }

    const S& statistic_;
    C criterion_;
    D division_;
};

}  // namespace ceiba::shards
