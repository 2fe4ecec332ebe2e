// The levels of a column in a node, from the counts of each level (split/levels/level_search.hpp for shards).
// LevelSurvey implements them for a statistic S and a criterion C.
#pragma once

#include "shards/cells.hpp"
#include "shards/protocol.hpp"
#include "split/levels/best_subset.hpp"
#include "split/levels/level_search.hpp"

namespace ceiba::shards {

class LevelCounts : public split::LevelSpace {
public:
    // `cells`: of all levels, then of missing values.
    LevelCounts(const CellShape& shape, const split::SearchOptions& options, std::span<const std::uint64_t> cells,
                std::size_t width);

    double n_without_value() const { return static_cast<double>(n_without_value_); }
    const Words& missing() const { return missing_; }

    // Stores the sums of the branches in `branches`.
    split::Candidate search(const split::Limits& limits, std::vector<Words>& branches);

protected:
    ~LevelCounts() = default;

    // The sum of the levels [from, to).
    Words sum(std::size_t from, std::size_t to) const;

    const split::SearchOptions& options_;
    std::size_t width_, n_all_levels_;
    Words missing_;
    std::vector<std::int32_t> code_;  // present in the node
    std::vector<std::size_t> rows_;
    std::vector<Words> cells_;
    std::size_t n_without_value_;

private:
    const std::vector<std::int32_t>& codes() const override { return code_; }
    std::size_t rows_of(std::size_t level) const override { return rows_[level]; }
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
    void include_total(std::size_t n_missing) override {
        Words total = sum(0, cells_.size());
        if (n_missing > 0) add_words(total, missing_);
        statistic_.set_total(division_, total.data());
        criterion_.begin(division_);
    }
    double tolerance() const override { return criterion_.tolerance(); }

    bool best_of_sets(std::size_t n_missing, const split::Limits& limits, split::Candidate& out) override {
        if constexpr (requires { division_.n_classes(); }) {
            if (division_.n_classes() <= 2) return false;
            out = statistic_.weighted() ? best_of_subsets<base::LongSum>(n_missing, limits)
                                        : best_of_subsets<split::WholeCount>(n_missing, limits);
            return true;
        }
        return false;
    }
    template <class Weight>
    split::Candidate best_of_subsets(std::size_t n_missing, const split::Limits& limits) {
        split::LevelCells<Weight> levels;
        levels.n_classes = static_cast<std::size_t>(division_.n_classes());
        levels.code = code_;
        levels.rows = rows_;
        for (const Words& cell : cells_) statistic_.class_weights(cell.data(), levels.cells);
        if (n_missing > 0)
            statistic_.class_weights(missing_.data(), levels.missing);
        else
            levels.missing.resize(levels.n_classes);
        levels.n_missing = n_missing;
        return split::best_subset(levels, limits, options_.class_scale, criterion_);
    }

    std::vector<split::LevelOrder> orders(std::size_t n_missing, const split::Limits& limits) override {
        std::vector<double> means;
        for (const Words& cell : cells_) means.push_back(statistic_.mean(cell.data()));
        std::vector<split::LevelOrder> out{base::ascending(means)};
        if constexpr (std::is_same_v<C, criteria::Poisson>) {
            if (criterion_.allow_zero) return out;
            std::vector<split::EventPart> level;
            for (std::size_t l = 0; l < code_.size(); ++l) level.push_back(event_part(cells_[l], rows_[l]));
            const split::EventPart missing = n_missing > 0 ? event_part(missing_, n_missing) : split::EventPart{};
            for (auto& more : split::orders_past_event_free(level, missing, limits, out.front()))
                out.push_back(std::move(more));
        }
        return out;
    }
    split::EventPart event_part(const Words& cell, std::size_t rows) const {
        const auto part = statistic_.part(cell.data());
        return {part.weight.value(), part.sum.value(), rows};
    }

    Cut best_level_cut(const split::LevelOrder& order, std::size_t n_missing, const split::Limits& limits) override {
        split::BestCut<D, C> best;
        std::size_t n_present = 0;
        for (const std::size_t rows : rows_) n_present += rows;
        const auto scan = [&](bool missing_left) {
            Words left = missing_left ? missing_ : Words(width_, 0);
            std::size_t before = missing_left ? n_missing : 0;
            for (std::size_t p = 0; p + 1 < order.size(); ++p) {
                add_words(left, cells_[order[p]]);
                before += rows_[order[p]];
                if (before < limits.min_rows || n_present + n_missing - before < limits.min_rows) continue;
                division_.put_back(statistic_.part(left.data()));
                if (criterion_.below(division_, best.threshold())) continue;
                if (!best.offer(division_, criterion_, limits)) continue;
                best.position = p + 1;
                best.missing_left = missing_left;
            }
        };
        Cut out;
        scan(false);
        if (n_missing > 0) {
            if (n_present >= limits.min_rows && n_missing >= limits.min_rows) {
                division_.put_back(statistic_.part(sum(0, cells_.size()).data()));
                out.presence = best.offer(division_, criterion_, limits);
                if (out.presence) best.missing_left = false;
            }
            scan(true);
            out.presence = out.presence && !best.missing_left;
        }
        out.any = best.any;
        out.missing_left = best.missing_left;
        out.position = best.position;
        if (best.any) out.gain = best.gain(division_, criterion_);
        return out;
    }

    bool halve(std::size_t from, std::size_t middle, std::size_t to, const split::Limits& limits,
               base::DoubleDouble& gain) override {
        statistic_.set_total(division_, sum(from, to).data());
        division_.put_back(statistic_.part(sum(from, middle).data()));
        criterion_.begin(division_);
        if (middle - from == 1 && division_.left_weight() < limits.min_weight) return false;
        if (to - middle == 1 && division_.right_weight() < limits.min_weight) return false;
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
