// One column of a node whose rows are counted in bins (counted_finder.hpp): what its boundaries say, what may win, and
// the exact search among that. D is the division (criteria/*_division.hpp), C the criterion, Cells what is counted
// (cells.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "split/bins/bounds.hpp"
#include "split/bins/cells.hpp"
#include "split/bins/column_counts.hpp"
#include "split/bins/counted_finder.hpp"
#include "split/bins/fetched_bins.hpp"
#include "split/bins/histogram.hpp"
#include "split/cut.hpp"
#include "split/scan/column_finder.hpp"
#include "split/scan/cut_scan.hpp"
#include "split/scan/merit.hpp"
#include "split/scan/search_space.hpp"

namespace ceiba::split {

template <class D, class C, class Cells>
requires criteria::Criterion<C, D> && Bounded<C>
class BoundedFinder final : public CountedFinder {
    using Bounds = typename BoundsOf<C>::type;

public:
    BoundedFinder(std::unique_ptr<ColumnFinder> exact, const D& division, const C& criterion, const Cells& cells,
                  const SearchOptions& options, int n_threads)
        : CountedFinder(std::move(exact), options),
          cells_(cells),
          spaces_(static_cast<std::size_t>(n_threads), Space(division, criterion, cells)) {}

private:
    struct Space {
        Space(const D& d, const C& c, const Cells& cells) : division(d), criterion(c), bounds(c), counts(cells) {}

        D division;
        C criterion;
        Bounds bounds;
        ColumnCounts<Cells> counts;  // of the column that was loaded last
        FetchedBins fetched;
        std::vector<typename D::Left> parts;
    };
    Space& space_of(int thread) { return spaces_[static_cast<std::size_t>(thread)]; }

    std::shared_ptr<Histogram> count_node(const NodeRows& node, base::ThreadPool* pool) const override {
        return count(node, cells_, pool);
    }
    bool holds_rows(const NodeRows& node, std::size_t c, std::size_t bin) const override {
        const std::uint64_t* const words =
            node.histogram->data() + node.store->binning->column[c].slot * column_words(cells_);
        return cells_.rows(words + bin * cells_.width()) > 0.0;
    }
    Outlook look_at(const NodeRows& node, std::size_t c, const Limits& limits, int thread) override {
        Space& space = space_of(thread);
        if (!load(node, c, space)) return {};
        const Outlook gains = look_at_boundaries(node, c, limits, space);
        return {gains.low / cost(c), gains.high / cost(c)};
    }

    // Unpacks the counts of a column. False: there is nothing to cut.
    bool load(const NodeRows& node, std::size_t c, Space& space) const {
        if (!space.counts.load(node, c, cells_, options_.missing == Missing::learn)) return false;
        space.bounds.begin(space.counts.total.data(), cells_.n_fields(), space.counts.n_rows, space.counts.weight_error,
                           space.counts.sum_error);
        return true;
    }

    // What the boundaries of the loaded column say. Their gains bound those of all other cuts roughly
    // (Bounds::between), which is enough to set most columns aside before their bins are looked at one by one.
    Outlook look_at_boundaries(const NodeRows& node, std::size_t c, const Limits& limits, Space& space) const {
        constexpr double unknown = std::numeric_limits<double>::infinity();
        constexpr bool rough = requires { space.bounds.between(0.0, 0.0, 0.0); };
        const bool whole_bins = node.store->binning->column[c].lossless() || node.store->binning->approximate;
        Outlook out;
        if (space.counts.blind) return {no_floor, unknown};
        double last = 0.0, weight = 0.0;
        const auto enter = [&](std::size_t b, double, double, double) {
            weight = cells_.weight_of(space.counts.cell(b));
        };
        const auto weigh = [&](std::size_t, double before, double after) {
            const Range gain = space.bounds.gain(space.counts.left.data());
            if (gain.low > out.low && space.counts.surely_allowed(cells_, before, after, limits)) out.low = gain.low;
            if constexpr (rough) {
                out.high = std::max(out.high, gain.high);
                if (!whole_bins) out.high = std::max(out.high, space.bounds.between(last, gain.high, weight));
                last = gain.high;
            }
        };
        space.counts.walk(false, enter, weigh);
        if constexpr (rough)
            if (!whole_bins) out.high = std::max(out.high, space.bounds.between(last, 0.0, weight));
        if (space.counts.n_aside > 0.0) space.counts.walk(true, enter, weigh);
        if (!rough || space.counts.n_aside > 0.0) out.high = unknown;
        return out;
    }

    Survey survey(const NodeRows& node, std::size_t c, const Limits& limits, double merit_floor, int thread) override {
        Space& space = space_of(thread);
        Survey out;
        if (!load(node, c, space)) return out;
        const double floor = merit_floor == no_floor ? no_floor : merit_floor * cost(c);
        const ColumnBins& bins = node.store->binning->column[c];
        const bool whole_bins = bins.lossless() || node.store->binning->approximate;
        const double least = static_cast<double>(limits.min_rows);
        const bool free = limits.monotone == 0 && limits.min_weight <= 0.0;
        std::array<bool, cells_per_column> fetched{};
        for (int side = 0; side < (space.counts.n_aside > 0.0 ? 2 : 1); ++side) {
            Survivors& marks = out.sides[static_cast<std::size_t>(side)];
            space.counts.walk(
                side == 1,
                [&](std::size_t b, double before, double after, double seen) {
                    const double rows = space.counts.rows[b];
                    if (whole_bins || rows < 2.0 || before + rows - 1.0 < least || after + rows - 1.0 < least) return;
                    BinPlace place;
                    place.rows = rows;
                    place.first = before == 0.0;
                    place.last = after == 0.0;
                    place.least_rows = least;
                    place.ends_count =
                        free && seen > 0.0 && seen + rows < space.counts.n_present && before >= least && after >= least;
                    if (!space.counts.blind &&
                        space.bounds.inside(space.counts.left.data(), space.counts.cell(b), place, floor) < floor)
                        return;
                    marks.inside[b] = 1;
                    out.any = true;
                    if (!fetched[b]) out.rows_inside += rows;
                    fetched[b] = true;
                },
                [&](std::size_t b, double before, double after) {
                    if (before < least || after < least) return;
                    if (!space.counts.blind && space.bounds.gain(space.counts.left.data()).high < floor) return;
                    marks.after[b] = 1;
                    out.any = true;
                });
        }
        out.presence = space.counts.n_aside > 0.0 && space.counts.n_aside >= least && space.counts.n_present >= least;
        if (out.presence) {
            for (std::size_t f = 0; f < space.counts.left.size(); ++f)
                space.counts.left[f] = space.counts.total[f] - space.counts.cell(missing_bin)[f];
            out.presence = space.counts.blind || !(space.bounds.gain(space.counts.left.data()).high < floor);
        }
        out.any = out.any || out.presence;
        return out;
    }

    Found examine(const NodeRows& node, std::size_t c, const Limits& limits, double floor, Survey& marks,
                  int thread) override {
        Space& space = space_of(thread);
        Found out;
        if (!marks.any || !load(node, c, space)) return out;
        const double gain_floor = floor == no_floor ? no_floor : floor * cost(c);
        if (marks.rows_inside > 0.0) {
            std::array<bool, cells_per_column> wanted{};
            for (std::size_t b = 0; b < space.counts.n_bins; ++b)
                wanted[b] = space.counts.rows[b] > 0.0 && (marks.sides[0].inside[b] || marks.sides[1].inside[b]);
            space.fetched.fetch(node, c, wanted, space.counts.rows, space.counts.n_bins);
        }
        if constexpr (!Cells::exact)
            if (!look_closer(node, limits, gain_floor, marks, space)) return out;
        space.division.bind(node.store->target, 0, node.begin);
        sum_bins(node, c, space);
        space.criterion.begin(space.division);

        BestCut<D, C> best;
        double lower = 0.0, upper = 0.0;
        bool presence = false;
        const auto scan_side = [&](bool missing_left) {
            const Survivors& side = marks.sides[missing_left ? 1 : 0];
            Running left(space);
            if (missing_left) left.add(missing_bin);
            std::size_t before = static_cast<std::size_t>(missing_left ? space.counts.n_aside : 0.0);
            const std::size_t n_rows = static_cast<std::size_t>(space.counts.n_rows);
            for (std::size_t b = 0; b < space.counts.n_bins; ++b) {
                const std::size_t rows = static_cast<std::size_t>(space.counts.rows[b]);
                if (rows == 0) continue;
                if (side.inside[b]) {
                    space.division.put_back(left.left());
                    const Entry* const entries = space.fetched.entries.data() + space.fetched.start[b];
                    if (scan(entries, rows, before, n_rows - before - rows, gain_floor, limits, space.division,
                             space.criterion, best)) {
                        best.missing_left = missing_left;
                        out.between_bins = false;
                        lower = space.fetched.items[space.fetched.start[b] + best.position - 1].value;
                        upper = space.fetched.items[space.fetched.start[b] + best.position].value;
                    }
                }
                left.add(b);
                before += rows;
                if (!side.after[b]) continue;
                space.division.put_back(left.left());
                if (space.criterion.below(space.division, std::max(gain_floor, best.threshold()))) continue;
                if (best.offer(space.division, space.criterion, limits)) {
                    best.missing_left = missing_left;
                    out.between_bins = true;
                    out.bin = static_cast<std::uint8_t>(b);
                }
            }
        };
        scan_side(false);
        if (space.counts.n_aside > 0.0) {
            if (marks.presence) {
                Running left(space);
                for (std::size_t b = 0; b < space.counts.n_bins; ++b)
                    if (space.counts.rows[b] > 0.0) left.add(b);
                space.division.put_back(left.left());
                presence = best.offer(space.division, space.criterion, limits);
                if (presence) best.missing_left = false;
            }
            scan_side(true);
            presence = presence && !best.missing_left;
        }
        if (!best.found) return out;
        Candidate& split = out.candidate;
        split.kind = presence ? Kind::presence : Kind::cut;
        split.column = static_cast<std::int32_t>(c);
        split.gain = best.gain(space.division, space.criterion);
        split.tolerance = space.criterion.tolerance();
        split.learned_missing = space.counts.n_aside > 0.0;
        split.missing_branch = best.missing_left ? 0 : 1;
        if (presence)
            out.between_bins = false;
        else if (!out.between_bins)
            split.cut = cut_between(lower, upper, cuts_below(node, c, options_));
        return out;
    }

    // Where the sums of bins are rounded to quanta, adding them up exactly costs a pass over the node. So the cuts
    // inside the fetched bins are first weighed as roughly as the bins were; mostly none of them can reach the floor.
    // False: nothing can.
    bool look_closer(const NodeRows& node, const Limits& limits, double floor, Survey& marks, Space& space) const {
        Cells cells = cells_;
        cells.bind(node.store->target, node.begin);
        const double least = static_cast<double>(limits.min_rows);
        bool any = marks.presence;
        for (int side = 0; side < (space.counts.n_aside > 0.0 ? 2 : 1); ++side) {
            Survivors& own = marks.sides[static_cast<std::size_t>(side)];
            space.counts.walk(
                side == 1,
                [&](std::size_t b, double before, double after, double) {
                    if (!own.inside[b]) return;
                    std::vector<double> left = space.counts.left;
                    const std::size_t n = static_cast<std::size_t>(space.counts.rows[b]);
                    const Entry* const entries = space.fetched.entries.data() + space.fetched.start[b];
                    own.inside[b] = 0;
                    for (std::size_t i = 0; i + 1 < n; ++i) {
                        cells.add_row(entries[i].row, left.data());
                        if (entries[i].rank == entries[i + 1].rank) continue;
                        const double rows = static_cast<double>(i + 1);
                        if (before + rows < least || after + static_cast<double>(n) - rows < least) continue;
                        if (!space.counts.blind && space.bounds.gain(left.data()).high < floor) continue;
                        own.inside[b] = 1;
                        any = true;
                        return;
                    }
                },
                [&](std::size_t b, double, double) { any = any || own.after[b]; });
        }
        return any;
    }

    // --- exact sums of bins: the counts themselves, or added up from the rows

    // The left part while bins are added to it one after the other.
    class Running {
    public:
        explicit Running(const Space& space) : space_(space) {
            if constexpr (Cells::exact)
                part_.assign(space.counts.left.size(), 0.0);
            else
                part_ = space.division.nothing();
        }
        void add(std::size_t bin) {
            if constexpr (Cells::exact) {
                const double* const own = space_.counts.cell(bin);
                for (std::size_t f = 0; f < part_.size(); ++f) part_[f] += own[f];
            } else {
                D::merge(part_, space_.parts[bin]);
            }
        }
        typename D::Left left() const {
            if constexpr (Cells::exact)
                return space_.division.part_of(part_.data());
            else
                return part_;
        }

    private:
        const Space& space_;
        std::conditional_t<Cells::exact, std::vector<double>, typename D::Left> part_;
    };

    void sum_bins(const NodeRows& node, std::size_t c, Space& space) const {
        if constexpr (Cells::exact) {
            space.division.set_total(space.division.part_of(space.counts.total.data()));
        } else {
            const Binning& binning = *node.store->binning;
            const std::uint8_t* const byte = node.bins() + binning.column[c].slot;
            const std::array<std::uint8_t, cells_per_column> bin = binning.column[c].bin_of_byte();
            space.parts.assign(cells_per_column, space.division.nothing());
            double largest = 0.0;
            for (std::size_t i = 0; i < node.size(); ++i) {
                space.division.put(space.parts[bin[byte[i * binning.stride]]], i);
                largest = std::max(largest, space.division.size_of(i));
            }
            typename D::Left total = space.division.nothing();
            for (std::size_t b = 0; b < space.counts.n_bins; ++b) D::merge(total, space.parts[b]);
            if (space.counts.n_aside > 0.0) D::merge(total, space.parts[missing_bin]);
            space.division.set_total(total, largest);
        }
    }

    Cells cells_;
    std::vector<Space> spaces_;
};

}  // namespace ceiba::split
