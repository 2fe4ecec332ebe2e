// The workspace of one thread for the search of sorted columns (presort_finder.hpp), and the search among the cuts of
// one column.
#pragma once

#include "base/sort.hpp"
#include "criteria/class_division.hpp"
#include "split/levels/best_subset.hpp"
#include "split/levels/level_search.hpp"
#include "split/levels/log_rank_sets.hpp"
#include "split/scan/column_finder.hpp"

namespace ceiba::split {

template <class D, class C>
class SearchSpace final : public RowLevels {
public:
    SearchSpace(const D& d, const C& c) : division(d), criterion(c) {}

    D division;
    C criterion;
    bool fresh = false;         // the division's total is that of all rows of the current node
    double floor = no_floor;    // cuts with a gain below this need not be found
    std::vector<Entry> column;  // of a sparse table, including its zeros
    struct WeighedGain {
        typename D::Left left{};
        base::DoubleDouble gain;
    };
    std::array<WeighedGain, 8> weighed{};  // the most recent left parts of this node and their gains
    std::size_t n_weighed = 0;             // gains computed since the start of the node

    void begin_node() {
        fresh = false;
        n_weighed = 0;
        scratch_.counted.clear();
    }

    // Sets the division's total to all rows of the node, or to those with a value in the column.
    void include_all(const NodeRows& node) {
        if (fresh) return;
        division.bind(node.target(), 0, node.begin);
        division.reset();
        for (std::size_t i = 0; i < node.size(); ++i) division.include(i);
        begin(true);
    }
    template <class Rows>
    void include_some(const NodeRows& node, std::size_t n, Rows row_at) {
        division.bind(node.target(), 0, node.begin);
        division.reset();
        for (std::size_t i = 0; i < n; ++i) division.include(row_at(i));
        begin(false);
    }

    // All cuts of n entries. Missing values (under "learn"), whose entries come last, are tried on either side and on
    // their own.
    BestCut<D, C> best_cut(const Entry* entries, std::size_t n, std::size_t n_missing, const Limits& limits,
                           std::size_t random_position, bool& presence) {
        BestCut<D, C> best;
        presence = false;
        const auto weigh = [&](bool missing_left) {
            if (random_position)
                weigh_cut(entries, n, random_position, n_missing, missing_left, limits, division, criterion, best);
            else if (scan(entries, n, missing_left ? n_missing : 0, missing_left ? 0 : n_missing, floor, limits,
                          division, criterion, best))
                best.missing_left = missing_left;
        };
        division.clear_left();
        weigh(false);
        if (n_missing == 0) return best;
        if (n >= limits.min_rows && n_missing >= limits.min_rows) {
            division.clear_left();
            for (std::size_t i = 0; i < n; ++i) division.add(entries[i].row);
            presence = best.offer(division, criterion, limits);
            if (presence) best.position = n;
        }
        division.clear_left();
        for (std::size_t i = 0; i < n_missing; ++i) division.add(entries[n + i].row);
        weigh(true);
        presence = presence && !best.missing_left;
        return best;
    }

private:
    static constexpr bool by_log_rank = std::is_same_v<C, criteria::LogRank>;

    void begin(bool all) {
        fresh = all;
        division.clear_left();
        criterion.begin(division);
    }

    // --- columns of levels

    // With unit weights, the class counts of each level suffice for the search.
    static constexpr bool counts_classes = std::is_base_of_v<criteria::UnitCounts<D>, D>;
    LevelCells<WholeCount>* cells_ = nullptr;  // of the column

    std::size_t read_levels(const NodeRows& node, std::size_t c) override {
        if constexpr (counts_classes) {
            cells_ = &scratch_.cells_of(node, c);
            return cells_->n_missing;
        } else {
            return RowLevels::read_levels(node, c);
        }
    }
    const std::vector<std::int32_t>& codes() const override {
        return counts_classes ? cells_->code : RowLevels::codes();
    }
    std::size_t rows_of(std::size_t level) const override {
        return counts_classes ? cells_->rows[level] : RowLevels::rows_of(level);
    }
    void add_level(std::vector<double>& sums, std::size_t level) const {
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += cells_->cells[level * sums.size() + k].n;
    }
    std::vector<double> class_counts(std::size_t from, std::size_t to, bool with_missing = false) const {
        std::vector<double> sums(cells_->n_classes, 0.0);
        for (std::size_t level = from; level < to; ++level) add_level(sums, level);
        for (std::size_t k = 0; with_missing && k < sums.size(); ++k) sums[k] += cells_->missing[k].n;
        return sums;
    }

    void include_total(std::size_t n_missing) override {
        if constexpr (counts_classes) {
            const bool all = cells_->n_missing == n_missing;
            if (all && fresh) return;
            division.bind(node_->target(), 0, node_->begin);
            division.set_total(division.part_of(class_counts(0, codes().size(), n_missing > 0).data()));
            return begin(all);
        }
        if (levels_.n_rows() + n_missing == node_->size()) return include_all(*node_);
        include_some(*node_, levels_.n_rows(), [this](std::size_t i) { return levels_.rows[i]; });
    }
    bool best_of_sets(std::size_t n_missing, const Limits& limits, Candidate& out) override {
        if constexpr (requires { division.n_classes(); })
            if (division.n_classes() > 2) {
                if constexpr (counts_classes) {
                    const std::size_t all_missing = std::exchange(cells_->n_missing, n_missing);
                    out = best_subset(*cells_, limits, options_->class_scale, criterion);
                    cells_->n_missing = all_missing;
                    return true;
                }
                out = best_subset(*node_, levels_, n_missing, limits, options_->class_scale, criterion);
                return true;
            }
        if constexpr (by_log_rank)
            if (levels_.n_levels() + (n_missing > 0) <= most_levels_in_sets) {
                out = best_log_rank_set(levels_, n_missing, limits, division, criterion);
                return true;
            }
        return false;
    }
    std::vector<LevelOrder> orders(std::size_t n_missing, const Limits& limits) override {
        if constexpr (by_log_rank) return {log_rank_order(levels_, division)};
        if constexpr (counts_classes) {
            const LevelCells<WholeCount>& cells = *cells_;
            std::vector<double> share;
            for (std::size_t l = 0; l < cells.rows.size(); ++l)
                share.push_back(cells.cells[l * cells.n_classes].n / static_cast<double>(cells.rows[l]));
            return {base::ascending(share)};
        }
        return RowLevels::orders(n_missing, limits);
    }
    bool needs_events() const override {
        if constexpr (std::is_same_v<C, criteria::Poisson>) return !criterion.allow_zero;
        return false;
    }
    Cut best_level_cut(const LevelOrder& order, std::size_t n_missing, const Limits& limits) override {
        if constexpr (counts_classes)
            return best_counted_cut(order, n_missing, limits);
        else
            return RowLevels::best_level_cut(order, n_missing, limits);
    }
    // Like best_cut, but with one step per level instead of per row.
    Cut best_counted_cut(const LevelOrder& order, std::size_t n_missing,
                         const Limits& limits) requires counts_classes {
        const std::size_t n_levels = order.size();
        const std::size_t n_present = std::accumulate(cells_->rows.begin(), cells_->rows.end(),
                                                      std::size_t{0});
        BestCut<D, C> best;
        const auto scan_levels = [&](bool missing_left) {
            std::vector<double> left = class_counts(0, 0, missing_left);
            std::size_t n_left = missing_left ? n_missing : 0;
            for (std::size_t p = 0; p + 1 < n_levels; ++p) {
                add_level(left, order[p]);
                n_left += rows_of(order[p]);
                if (n_left < limits.min_rows || n_present + n_missing - n_left < limits.min_rows) continue;
                division.put_back(division.part_of(left.data()));
                if (criterion.below(division, std::max(floor, best.threshold()))) continue;
                if (!best.offer(division, criterion, limits)) continue;
                best.position = p + 1;
                best.missing_left = missing_left;
            }
        };
        Cut out;
        scan_levels(false);
        if (n_missing > 0) {
            if (n_present >= limits.min_rows && n_missing >= limits.min_rows) {
                division.put_back(division.part_of(class_counts(0, n_levels).data()));
                out.presence = best.offer(division, criterion, limits);
            }
            scan_levels(true);
            out.presence = out.presence && !best.missing_left;
        }
        out.any = best.any;
        out.missing_left = best.missing_left;
        out.position = best.position;
        out.gain = best.gain(division, criterion);
        return out;
    }
    Cut best_entry_cut(std::size_t n_missing, const Limits& limits) override {
        Cut out;
        BestCut<D, C> best = best_cut(entries_.data(), levels_.n_rows(), n_missing, limits, 0, out.presence);
        out.any = best.any;
        out.missing_left = best.missing_left;
        out.position = best.position;
        out.gain = best.gain(division, criterion);
        return out;
    }
    bool halve(std::size_t from, std::size_t middle, std::size_t to, const Limits& limits,
               base::DoubleDouble& gain) override {
        fresh = false;
        if constexpr (counts_classes) {
            division.set_total(division.part_of(class_counts(from, to).data()));
            division.put_back(division.part_of(class_counts(from, middle).data()));
        } else {
            division.reset();
            for (std::uint32_t r = levels_.start[from]; r < levels_.start[to]; ++r) division.include(levels_.rows[r]);
            division.clear_left();
            for (std::uint32_t r = levels_.start[from]; r < levels_.start[middle]; ++r)
                division.add(levels_.rows[r]);
        }
        const bool light_left = middle - from == 1 && division.left_weight() < limits.min_weight;
        const bool light_right = to - middle == 1 && division.right_weight() < limits.min_weight;
        if (light_left || light_right) return false;
        criterion.begin(division);
        const base::DoubleDouble more = criterion.gain(division);
        if (!std::isfinite(more.hi)) return false;
        gain = gain + more;
        return true;
    }
    double tolerance() const override { return criterion.tolerance(); }
};

}  // namespace ceiba::split
