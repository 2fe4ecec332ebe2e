// The best split of a node by a column of levels, from the counts of each level: split/levels/level_search.hpp for
// whoever has no rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "shards/message.hpp"
#include "split/levels/best_subset.hpp"
#include "split/levels/event_free.hpp"
#include "split/scan/cut_scan.hpp"
#include "split/search_options.hpp"

namespace ceiba::shards {

template <class S, class C>
class LevelCounts {
    using D = typename S::Division;
    using Order = std::vector<std::uint32_t>;  // of the levels, by position

public:
    LevelCounts(const S& statistic, C criterion, const split::SearchOptions& options,
                std::span<const std::uint64_t> cells, std::size_t width)
        : statistic_(statistic),
          criterion_(std::move(criterion)),
          options_(options),
          width_(width),
          division_(statistic.division()),
          n_all_levels_(cells.size() / width - 1),
          missing_(cells.end() - static_cast<std::ptrdiff_t>(width), cells.end()) {
        for (std::size_t l = 0; l < n_all_levels_; ++l) {
            const auto own = cells.subspan(l * width, width);
            const double rows = statistic.rows(own.data());
            if (!(rows > 0.0)) continue;
            code_.push_back(static_cast<std::int32_t>(l));
            rows_.push_back(rows);
            cells_.emplace_back(own.begin(), own.end());
        }
    }

    double n_missing() const { return statistic_.rows(missing_.data()); }
    const Words& missing() const { return missing_; }

    // Leaves the sums of the branches in `branches`.
    split::Candidate search(const split::Limits& limits, std::vector<Words>& branches) {
        const bool learn = options_.missing == split::Missing::learn && !options_.multiway;
        n_aside_ = learn ? n_missing() : 0.0;
        split::Candidate out;
        if (code_.size() + (n_aside_ > 0.0) < 2) return out;
        total_.assign(width_, 0);
        for (const Words& own : cells_) add(total_, own);
        if (n_aside_ > 0.0) add(total_, missing_);
        out = options_.multiway ? one_branch_per_level(limits) : best_level_set(limits);
        if (!out.found()) return out;
        if (options_.multiway && options_.empty_branches) branch_for_every_level(out);
        if (out.kind == split::Kind::levels && out.levels.front().branch == 1) {  // branch 0 holds the first level
            for (split::LevelBranch& level : out.levels) level.branch = 1 - level.branch;
            out.missing_branch = 1 - out.missing_branch;
        }
        branches.assign(static_cast<std::size_t>(out.n_branches), Words(width_, 0));
        for (std::size_t l = 0; l < code_.size(); ++l) add(branches[branch_of(out, code_[l])], cells_[l]);
        if (n_aside_ > 0.0)
            add(branches[out.kind == split::Kind::presence ? 1 : static_cast<std::size_t>(out.missing_branch)],
                missing_);
        return out;
    }

private:
    static void add(Words& sum, const Words& more) {
        for (std::size_t w = 0; w < sum.size(); ++w) sum[w] += more[w];
    }
    static std::size_t branch_of(const split::Candidate& split, std::int32_t code) {
        if (split.kind == split::Kind::presence) return 0;
        const auto at = std::find_if(split.levels.begin(), split.levels.end(),
                                     [code](const split::LevelBranch& l) { return l.code == code; });
        return static_cast<std::size_t>(at->branch);
    }
    void branch_for_every_level(split::Candidate& split) const {
        split.levels.clear();
        for (std::size_t l = 0; l < n_all_levels_; ++l)
            split.levels.push_back({static_cast<std::int32_t>(l), static_cast<std::int32_t>(l)});
        split.n_branches = static_cast<int>(n_all_levels_);
    }

    split::Candidate best_level_set(const split::Limits& limits) {
        if constexpr (requires { division_.n_classes(); })
            if (division_.n_classes() > 2)
                return statistic_.weighted() ? best_of_subsets<base::LongSum>(limits)
                                             : best_of_subsets<split::WholeCount>(limits);
        split::Candidate out;
        out.learned_missing = n_aside_ > 0.0;
        std::vector<double> mean(code_.size());
        for (std::size_t l = 0; l < code_.size(); ++l) mean[l] = statistic_.mean(cells_[l].data());
        Order order(code_.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return mean[a] < mean[b]; });
        statistic_.set_total(division_, total_.data());
        criterion_.begin(division_);
        scan_order(order, limits, out);
        if constexpr (std::is_same_v<C, criteria::Poisson>) {
            if (!criterion_.allow_zero)
                for (const Order& more : orders_past_event_free(order, limits)) scan_order(more, limits, out);
        }
        out.tolerance = criterion_.tolerance();
        return out;
    }

    // Keeps the best cut of the levels in this order, where it is better than what there is.
    void scan_order(const Order& order, const split::Limits& limits, split::Candidate& out) {
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

    std::vector<Order> orders_past_event_free(const Order& by_rate, const split::Limits& limits) const {
        std::vector<split::EventPart> level;
        for (std::size_t l = 0; l < code_.size(); ++l) level.push_back(event_part(cells_[l], rows_[l]));
        const split::EventPart aside = n_aside_ > 0.0 ? event_part(missing_, n_aside_) : split::EventPart{};
        return split::orders_past_event_free(level, aside, limits, by_rate);
    }
    split::EventPart event_part(const Words& cell, double rows) const {
        const auto part = statistic_.part(cell.data());
        return {part.weight.value(), part.sum.value(), static_cast<std::size_t>(rows)};
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

    // As in level_search.hpp: the list of levels is halved again and again.
    split::Candidate one_branch_per_level(const split::Limits& limits) {
        split::Candidate out;
        for (double rows : rows_)
            if (rows < static_cast<double>(limits.min_rows)) return out;
        statistic_.set_total(division_, total_.data());
        criterion_.begin(division_);
        out.tolerance = criterion_.tolerance();
        std::vector<std::pair<std::size_t, std::size_t>> open{{0, code_.size()}};
        while (!open.empty()) {
            const auto [from, to] = open.back();
            open.pop_back();
            if (to - from < 2) continue;
            const std::size_t middle = from + (to - from) / 2;
            Words left(width_, 0), all(width_, 0);
            for (std::size_t l = from; l < to; ++l) add(all, cells_[l]);
            for (std::size_t l = from; l < middle; ++l) add(left, cells_[l]);
            statistic_.set_total(division_, all.data());
            division_.put_back(statistic_.part(left.data()));
            criterion_.begin(division_);
            const bool light_left = middle - from == 1 && division_.left_weight() < limits.min_weight;
            const bool light_right = to - middle == 1 && division_.right_weight() < limits.min_weight;
            if (light_left || light_right) return out;
            const base::DoubleDouble gain = criterion_.gain(division_);
            if (!std::isfinite(gain.hi)) return out;
            out.gain = out.gain + gain;
            open.emplace_back(from, middle);
            open.emplace_back(middle, to);
        }
        out.kind = split::Kind::levels;
        out.n_branches = static_cast<int>(code_.size());
        for (std::size_t l = 0; l < code_.size(); ++l) out.levels.push_back({code_[l], static_cast<std::int32_t>(l)});
        return out;
    }

    double n_present() const { return std::accumulate(rows_.begin(), rows_.end(), 0.0); }

    const S& statistic_;
    C criterion_;
    const split::SearchOptions& options_;
    std::size_t width_;
    D division_;
    std::size_t n_all_levels_;
    Words missing_, total_;
    std::vector<std::int32_t> code_;  // present in the node
    std::vector<double> rows_;
    std::vector<Words> cells_;
    double n_aside_ = 0.0;
};

}  // namespace ceiba::shards
