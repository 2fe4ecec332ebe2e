// The exact search at the cost of a histogram.
//
// A large node is counted, not sorted: one histogram over the bins of all columns. Every boundary between two bins is a cut
// whose gain follows from the counts; and for the cuts inside a bin the counts give a bound (bounds.hpp) that no order of its rows
// can pass. What cannot reach the best boundary is left alone. The few bins that can are fetched from the table, sorted, and
// scanned by the same code as in presort_finder.hpp; so the split is the one that it would find, to the last tie.
//   1. count            histogram of the node, from its parent's where possible
//   2. survey           the best gain that is certain, `floor`; then what may reach it
//   3. examine          exact scan of what may; the likeliest column first, because it lifts the floor
// A node is sorted, and left to the presort finder with all that grows below it, when it is small, or when the bounds leave so much
// to examine that sorting costs less (targets that are nearly all noise).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/radix_sort.hpp"
#include "split/bounds.hpp"
#include "split/cells.hpp"
#include "split/histogram.hpp"
#include "split/presort_finder.hpp"
#include "split/small_sort.hpp"

namespace ceiba::split {

template <class D, class C, class Cells>
class BoundedFinder final : public SplitFinder {
    using Bounds = typename BoundsOf<C>::type;

public:
    BoundedFinder(const D& division, const C& criterion, const Cells& cells, const SearchOptions& options,
                  int n_threads)
        : exact_(division, criterion, options, n_threads),
          options_(options),
          cells_(cells),
          spaces_(static_cast<std::size_t>(n_threads), Space(division, criterion, cells.n_fields())) {}

    std::vector<Candidate> find(NodeRows& node, const NodeContext& context, base::ThreadPool* pool,
                                int thread) override {
        if (node.binned() && node.size() < options_.small_node) node = sort_node(node, pool);
        if (!node.binned()) return exact_.find(node, context, pool, thread);
        if (!node.histogram) node.histogram = count(node, cells_, pool);
        return search(node, context, pool, thread);
    }

    void hand_down(NodeRows& parent, const std::vector<NodeRows*>& children, const std::vector<bool>& searched,
                   base::ThreadPool* pool) override {
        if (!parent.histogram) return;
        std::shared_ptr<Histogram> counts = std::move(parent.histogram);
        if (children.size() != 2 || children[0]->size() + children[1]->size() != parent.size()) return;
        const std::size_t few = children[0]->size() < children[1]->size() ? 0 : 1, many = 1 - few;
        const auto large = [&](std::size_t b) { return searched[b] && children[b]->size() >= options_.small_node; };
        if (!large(many)) return;  // then the other one is not large either
        // Counting the smaller child and subtracting gives both.
        std::shared_ptr<Histogram> less = count(*children[few], cells_, pool);
        for (std::size_t w = 0; w < counts->size(); ++w) (*counts)[w] -= (*less)[w];
        children[many]->histogram = std::move(counts);
        if (large(few)) children[few]->histogram = std::move(less);
    }

private:
    // Cuts of a column that may win, by bin: inside it, and after it. One set per side on which missing values may go.
    struct Survivors {
        std::array<std::uint8_t, cells_per_column> inside{}, after{};
    };
    // What a survey says of a column.
    struct Survey {
        std::array<Survivors, 2> sides;
        bool presence = false;     // "has a value or not" may win
        double rows_inside = 0.0;  // rows to be fetched
        bool any = false;
    };
    // The gain that some cut of a column has for certain, and the one that none can pass.
    struct Outlook {
        double low = no_floor, high = no_floor;
    };
    struct Space {
        Space(const D& d, const C& c, std::size_t n_fields)
            : division(d),
              criterion(c),
              bounds(c),
              fields(cells_per_column * n_fields),
              left(n_fields),
              total(n_fields) {}

        D division;
        C criterion;
        Bounds bounds;
        // The column that was loaded last.
        std::array<double, cells_per_column> rows;
        std::vector<double> fields, left, total;
        std::vector<std::uint64_t> common;  // of a bundled column
        double n_rows = 0.0, n_present = 0.0, n_aside = 0.0;  // taking part; with a value; missing and taking part
        std::size_t n_bins = 0;
        double weight_error = 0.0, sum_error = 0.0;
        bool blind = false;  // weights so small that quanta say nothing: everything must be examined
        // For the exact scan of a column.
        std::array<std::uint32_t, cells_per_column + 1> start;
        std::vector<Item> items;
        std::vector<Entry> entries;
        std::vector<typename D::Left> parts;
        std::vector<std::uint64_t> key;
        std::vector<std::uint32_t> order;
        base::SortSpace sort;
    };
    // A candidate whose cut is known only as a place between two bins.
    struct Found {
        Candidate candidate;
        bool between_bins = false;
        std::uint8_t bin = 0;
    };

    std::vector<Candidate> search(NodeRows& node, const NodeContext& context, base::ThreadPool* pool, int thread) {
        const Binning& binning = *node.store->binning;
        const std::size_t n_numeric = binning.numeric.size(), n_columns = node.store->codes.size();
        std::vector<Found> found(n_columns);
        const auto for_each = [&](std::size_t n, const auto& task) {
            if (pool)
                pool->run(n, task);
            else
                for (std::size_t i = 0; i < n; ++i) task(i, thread);
        };
        exact_.begin_node(pool ? -1 : thread);
        for_each(n_columns, [&](std::size_t c, int t) {
            if (!node.store->codes[c].empty()) found[c].candidate = exact_.search_column(node, c, context, t);
        });
        double floor = no_floor;
        for (const Found& f : found) floor = std::max(floor, lifted(f.candidate));

        std::vector<Outlook> outlook(n_numeric);
        for_each(n_numeric, [&](std::size_t i, int t) {
            const std::size_t c = binning.numeric[i];
            Space& space = spaces_[static_cast<std::size_t>(t)];
            if (!load(node, c, space)) return;
            outlook[i] = look_at_boundaries(node, c, limits_of(c, context), space);
            outlook[i].low /= cost(c);
            outlook[i].high /= cost(c);
        });
        std::size_t likeliest = 0;
        for (std::size_t i = 1; i < n_numeric; ++i)
            if (outlook[i].low > outlook[likeliest].low) likeliest = i;
        if (n_numeric > 0) floor = std::max(floor, lowered(outlook[likeliest].low));
        std::vector<Survey> surveys(n_numeric);
        const auto survey_column = [&](std::size_t i, int t) {
            const std::size_t c = binning.numeric[i];
            surveys[i] = survey(node, c, limits_of(c, context), floor, spaces_[static_cast<std::size_t>(t)]);
        };
        const auto examine_column = [&](std::size_t i, int t) {
            const std::size_t c = binning.numeric[i];
            found[c] = examine(node, c, limits_of(c, context), floor, surveys[i], spaces_[static_cast<std::size_t>(t)]);
        };
        if (n_numeric > 0) {
            survey_column(likeliest, thread);
            examine_column(likeliest, thread);
            surveys[likeliest] = {};
            floor = std::max(floor, lifted(found[binning.numeric[likeliest]].candidate));
        }
        for_each(n_numeric, [&](std::size_t i, int t) {
            if (i != likeliest && !(outlook[i].high < floor)) survey_column(i, t);
        });
        double to_fetch = 0.0;
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < n_numeric; ++i) {
            to_fetch += surveys[i].rows_inside;
            if (surveys[i].any) open.push_back(i);
        }
        if (to_fetch > 0.3 * static_cast<double>(node.size() * n_numeric)) {
            node = sort_node(node, pool);
            return exact_.find(node, context, pool, thread);
        }
        for_each(open.size(), [&](std::size_t i, int t) { examine_column(open[i], t); });
        return conclude(node, std::move(found), thread);
    }

    double cost(std::size_t c) const { return options_.column_cost.empty() ? 1.0 : options_.column_cost[c]; }

    // A little below a merit: what is tied with it must still be looked at.
    static double lowered(double merit) { return merit - std::fabs(merit) * 0x1p-40; }
    double lifted(const Candidate& c) const { return c.found() ? exact_.floor_of(c) : no_floor; }

    Limits limits_of(std::size_t c, const NodeContext& context) const {
        Limits limits{options_.min_rows, options_.min_weight, 0, context.low, context.high};
        if (!options_.monotone.empty()) limits.monotone = options_.monotone[c];
        return limits;
    }

    const double* cell(const Space& space, std::size_t bin) const {
        return space.fields.data() + bin * cells_.n_fields();
    }

    // Unpacks the counts of a column. False: there is nothing to cut.
    bool load(const NodeRows& node, std::size_t c, Space& space) const {
        const ColumnBins& bins = node.store->binning->column[c];
        const std::size_t width = cells_.width(), n_fields = cells_.n_fields();
        const std::uint64_t* const words = node.histogram->data() + bins.slot * column_words(cells_);
        const bool learn = options_.missing == Missing::learn;
        space.n_bins = bins.n_bins();
        space.n_present = 0.0;
        std::size_t n_full = 0;
        const auto unpack = [&](std::size_t b) {
            const std::uint64_t* const own = bins.bundled() ? bundled_cell(node, bins, b, space) : words + b * width;
            space.rows[b] = cells_.rows(own);
            if (space.rows[b] != 0.0) cells_.fields(own, space.fields.data() + b * n_fields);
        };
        for (std::size_t b = 0; b < space.n_bins; ++b) {
            unpack(b);
            space.n_present += space.rows[b];
            n_full += space.rows[b] != 0.0;
        }
        space.n_aside = 0.0;
        cells_.fields(node.histogram->data() + node.histogram->size() - width, space.total.data());
        if (bins.any_missing) {
            unpack(missing_bin);
            if (learn)
                space.n_aside = space.rows[missing_bin];
            else if (space.rows[missing_bin] > 0.0)
                for (std::size_t f = 0; f < n_fields; ++f) space.total[f] -= cell(space, missing_bin)[f];
        }
        space.n_rows = space.n_present + space.n_aside;
        if (n_full == 0 ||
            (n_full == 1 && space.n_aside == 0.0 && (bins.lossless() || node.store->binning->approximate)))
            return false;
        // Less than a quantum per row; and where look_closer() adds terms of up to 2^46 quanta one by one, n^2 2^-53 of the largest.
        const double quanta = space.n_rows * (1.0 + space.n_rows * 0x1p-7);
        space.weight_error = quanta * cells_.weight_quantum();
        space.sum_error = quanta * cells_.sum_quantum();
        const double weight = cells_.weight_of(space.total.data());
        space.blind = !(weight > 16.0 * static_cast<double>(n_fields) * space.weight_error);
        space.bounds.begin(space.total.data(), n_fields, space.n_rows, space.weight_error, space.sum_error);
        return true;
    }

    // The cell of a bin of a column that shares its byte. Whole numbers in a word never borrow from their neighbour: none is
    // larger than that of all rows.
    const std::uint64_t* bundled_cell(const NodeRows& node, const ColumnBins& bins, std::size_t bin,
                                      Space& space) const {
        const std::uint64_t* const rare =
            node.histogram->data() + bins.slot * column_words(cells_) + bins.code * cells_.width();
        if (bin == bins.rare) return rare;
        const std::uint64_t* const all = node.histogram->data() + node.histogram->size() - cells_.width();
        space.common.resize(cells_.width());
        for (std::size_t w = 0; w < cells_.width(); ++w) space.common[w] = all[w] - rare[w];
        return space.common.data();
    }

    // Walks over the full bins with missing values on one side: inside(bin, rows before, rows after) sees the fields left of
    // the bin in space.left, boundary(bin, rows before, rows after) those up to its end.
    template <class Inside, class Boundary>
    void walk(Space& space, bool missing_left, Inside inside, Boundary boundary) const {
        const std::size_t n_fields = cells_.n_fields();
        double before = 0.0, seen = 0.0;
        std::fill(space.left.begin(), space.left.end(), 0.0);
        if (missing_left) {
            before = space.n_aside;
            std::copy_n(cell(space, missing_bin), n_fields, space.left.begin());
        }
        for (std::size_t b = 0; b < space.n_bins; ++b) {
            const double rows = space.rows[b];
            if (rows == 0.0) continue;
            inside(b, before, space.n_rows - before - rows, seen);
            const double* const own = cell(space, b);
            for (std::size_t f = 0; f < n_fields; ++f) space.left[f] += own[f];
            before += rows;
            seen += rows;
            if (seen == space.n_present) return;
            boundary(b, before, space.n_rows - before);
        }
    }

    // Is the division with `left` on the left allowed beyond doubt?
    bool surely_allowed(const Space& space, const double* left, double before, double after,
                        const Limits& limits) const {
        const double least = static_cast<double>(limits.min_rows);
        if (before < least || after < least) return false;
        if (limits.monotone == 0 && limits.min_weight <= 0.0 && Cells::exact) return true;
        const double wl = cells_.weight_of(left), w = cells_.weight_of(space.total.data());
        const double sl = left[1], s = space.total[1];  // of class 1, or of the target
        const double wr = w - wl, doubt = space.weight_error * static_cast<double>(space.left.size()) + w * 0x1p-40;
        if (!(wl > doubt && wr > doubt) || wl - doubt < limits.min_weight || wr - doubt < limits.min_weight)
            return false;
        if (limits.monotone == 0) return true;
        const double a = sl / wl, b = (s - sl) / wr, size = std::fabs(a) + std::fabs(b);
        const double error = (space.sum_error + (size + 1.0) * doubt) / (std::min(wl, wr) - doubt) + size * 0x1p-40;
        const double low = limits.low - cells_.centre(), high = limits.high - cells_.centre();
        return (b - a) * limits.monotone > 2.0 * error && std::min(a, b) > low + error && std::max(a, b) < high - error;
    }

    // What the boundaries of the loaded column say. Their gains bound those of all other cuts roughly (Bounds::between), which is
    // enough to set most columns aside before their bins are looked at one by one.
    Outlook look_at_boundaries(const NodeRows& node, std::size_t c, const Limits& limits, Space& space) const {
        constexpr double unknown = std::numeric_limits<double>::infinity();
        constexpr bool rough = requires { space.bounds.between(0.0, 0.0, 0.0); };
        const bool whole_bins = node.store->binning->column[c].lossless() || node.store->binning->approximate;
        Outlook out;
        if (space.blind) return {no_floor, unknown};
        double last = 0.0, weight = 0.0;
        const auto enter = [&](std::size_t b, double, double, double) { weight = cells_.weight_of(cell(space, b)); };
        const auto weigh = [&](std::size_t, double before, double after) {
            const Range gain = space.bounds.gain(space.left.data());
            if (gain.low > out.low && surely_allowed(space, space.left.data(), before, after, limits))
                out.low = gain.low;
            if constexpr (rough) {
                out.high = std::max(out.high, gain.high);
                if (!whole_bins) out.high = std::max(out.high, space.bounds.between(last, gain.high, weight));
                last = gain.high;
            }
        };
        walk(space, false, enter, weigh);
        if constexpr (rough)
            if (!whole_bins) out.high = std::max(out.high, space.bounds.between(last, 0.0, weight));
        if (space.n_aside > 0.0) walk(space, true, enter, weigh);
        if (!rough || space.n_aside > 0.0) out.high = unknown;
        return out;
    }

    // Marks what may reach the floor.
    Survey survey(const NodeRows& node, std::size_t c, const Limits& limits, double merit_floor, Space& space) const {
        Survey out;
        if (!load(node, c, space)) return out;
        const double floor = merit_floor == no_floor ? no_floor : merit_floor * cost(c);
        const ColumnBins& bins = node.store->binning->column[c];
        const bool whole_bins = bins.lossless() || node.store->binning->approximate;
        const double least = static_cast<double>(limits.min_rows);
        const bool free = limits.monotone == 0 && limits.min_weight <= 0.0;
        std::array<bool, cells_per_column> fetched{};
        for (int side = 0; side < (space.n_aside > 0.0 ? 2 : 1); ++side) {
            Survivors& marks = out.sides[static_cast<std::size_t>(side)];
            walk(
                space, side == 1,
                [&](std::size_t b, double before, double after, double seen) {
                    const double rows = space.rows[b];
                    if (whole_bins || rows < 2.0 || before + rows - 1.0 < least || after + rows - 1.0 < least) return;
                    BinPlace place;
                    place.rows = rows;
                    place.first = before == 0.0;
                    place.last = after == 0.0;
                    place.least_rows = least;
                    place.ends_count =
                        free && seen > 0.0 && seen + rows < space.n_present && before >= least && after >= least;
                    if (!space.blind && space.bounds.inside(space.left.data(), cell(space, b), place, floor) < floor)
                        return;
                    marks.inside[b] = 1;
                    out.any = true;
                    if (!fetched[b]) out.rows_inside += rows;
                    fetched[b] = true;
                },
                [&](std::size_t b, double before, double after) {
                    if (before < least || after < least) return;
                    if (!space.blind && space.bounds.gain(space.left.data()).high < floor) return;
                    marks.after[b] = 1;
                    out.any = true;
                });
        }
        out.presence = space.n_aside > 0.0 && space.n_aside >= least && space.n_present >= least;
        if (out.presence) {
            for (std::size_t f = 0; f < space.left.size(); ++f)
                space.left[f] = space.total[f] - cell(space, missing_bin)[f];
            out.presence = space.blind || !(space.bounds.gain(space.left.data()).high < floor);
        }
        out.any = out.any || out.presence;
        return out;
    }

    // The exact search among what the survey has left of a column.
    Found examine(const NodeRows& node, std::size_t c, const Limits& limits, double floor, Survey& marks,
                  Space& space) const {
        Found out;
        if (!marks.any || !load(node, c, space)) return out;
        const double gain_floor = floor == no_floor ? no_floor : floor * cost(c);
        fetch(node, c, marks, space);
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
            Running left(*this, space);
            if (missing_left) left.add(missing_bin);
            std::size_t before = static_cast<std::size_t>(missing_left ? space.n_aside : 0.0);
            const std::size_t n_rows = static_cast<std::size_t>(space.n_rows);
            for (std::size_t b = 0; b < space.n_bins; ++b) {
                const std::size_t rows = static_cast<std::size_t>(space.rows[b]);
                if (rows == 0) continue;
                if (side.inside[b]) {
                    space.division.put_back(left.left());
                    const Entry* const entries = space.entries.data() + space.start[b];
                    if (scan(entries, rows, before, n_rows - before - rows, gain_floor, limits, space.division,
                             space.criterion, best)) {
                        best.missing_left = missing_left;
                        out.between_bins = false;
                        lower = space.items[space.start[b] + best.position - 1].value;
                        upper = space.items[space.start[b] + best.position].value;
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
        if (space.n_aside > 0.0) {
            if (marks.presence) {
                Running left(*this, space);
                for (std::size_t b = 0; b < space.n_bins; ++b)
                    if (space.rows[b] > 0.0) left.add(b);
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
        split.learned_missing = space.n_aside > 0.0;
        split.missing_branch = best.missing_left ? 0 : 1;
        if (presence)
            out.between_bins = false;
        else if (!out.between_bins)
            split.cut = cut_between(lower, upper, exact_.cuts_below(node, c));
        return out;
    }

    // Where the sums of bins are rounded to quanta, adding them up exactly costs a pass over the node. So the cuts inside the
    // fetched bins are first weighed as roughly as the bins were; mostly none of them can reach the floor. False: nothing can.
    bool look_closer(const NodeRows& node, const Limits& limits, double floor, Survey& marks, Space& space) const {
        Cells cells = cells_;
        cells.bind(node.store->target, node.begin);
        const double least = static_cast<double>(limits.min_rows);
        bool any = marks.presence;
        for (int side = 0; side < (space.n_aside > 0.0 ? 2 : 1); ++side) {
            Survivors& own = marks.sides[static_cast<std::size_t>(side)];
            walk(
                space, side == 1,
                [&](std::size_t b, double before, double after, double) {
                    if (!own.inside[b]) return;
                    std::vector<double> left = space.left;
                    const std::size_t n = static_cast<std::size_t>(space.rows[b]);
                    const Entry* const entries = space.entries.data() + space.start[b];
                    own.inside[b] = 0;
                    for (std::size_t i = 0; i + 1 < n; ++i) {
                        cells.add_row(entries[i].row, left.data());
                        if (entries[i].rank == entries[i + 1].rank) continue;
                        const double rows = static_cast<double>(i + 1);
                        if (before + rows < least || after + static_cast<double>(n) - rows < least) continue;
                        if (!space.blind && space.bounds.gain(left.data()).high < floor) continue;
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
        Running(const BoundedFinder& finder, const Space& space) : finder_(finder), space_(space) {
            if constexpr (Cells::exact)
                part_.assign(finder.cells_.n_fields(), 0.0);
            else
                part_ = space.division.nothing();
        }
        void add(std::size_t bin) {
            if constexpr (Cells::exact) {
                const double* const own = finder_.cell(space_, bin);
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
        const BoundedFinder& finder_;
        const Space& space_;
        std::conditional_t<Cells::exact, std::vector<double>, typename D::Left> part_;
    };

    void sum_bins(const NodeRows& node, std::size_t c, Space& space) const {
        if constexpr (Cells::exact) {
            space.division.set_total(space.division.part_of(space.total.data()));
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
            for (std::size_t b = 0; b < space.n_bins; ++b) D::merge(total, space.parts[b]);
            if (space.n_aside > 0.0) D::merge(total, space.parts[missing_bin]);
            space.division.set_total(total, largest);
        }
    }

    // Reads the rows of the marked bins from the table and sorts them by value.
    void fetch(const NodeRows& node, std::size_t c, const Survey& marks, Space& space) const {
        if (marks.rows_inside == 0.0) return;
        const Binning& binning = *node.store->binning;
        std::array<std::uint8_t, cells_per_column> wanted{};
        space.start.fill(0);
        std::uint32_t n = 0;
        for (std::size_t b = 0; b < space.n_bins; ++b) {
            space.start[b] = n;
            wanted[b] = space.rows[b] > 0.0 && (marks.sides[0].inside[b] || marks.sides[1].inside[b]);
            if (wanted[b]) n += static_cast<std::uint32_t>(space.rows[b]);
        }
        space.start[space.n_bins] = n;
        space.items.resize(n);
        space.entries.resize(n);
        std::array<std::uint32_t, cells_per_column> cursor;
        std::copy_n(space.start.begin(), cells_per_column, cursor.begin());
        const std::uint8_t* const byte = node.bins() + binning.column[c].slot;
        for (std::size_t i = 0; i < node.size(); ++i) {
            const std::uint8_t b = byte[i * binning.stride];
            if (wanted[b]) space.items[cursor[b]++].row = static_cast<std::uint32_t>(i);
        }
        const std::uint32_t* const row = node.store->target.row.data() + node.begin;
        node.store->table->columns[c].with_reader([&](auto number) {
            for (Item& item : space.items) item.value = number(row[item.row]) + 0.0;
        });
        for (std::size_t b = 0; b < space.n_bins; ++b)
            if (wanted[b]) sort_bin(space, space.start[b], space.start[b + 1]);
    }
    void sort_bin(Space& space, std::size_t from, std::size_t to) const {
        Item* const items = space.items.data() + from;
        const std::size_t n = to - from;
        if (n < 512) {
            sort_items(items, n);
        } else {
            space.key.resize(n);
            space.order.resize(n);
            for (std::size_t i = 0; i < n; ++i) {
                space.key[i] = base::sort_key(items[i].value);
                space.order[i] = static_cast<std::uint32_t>(i);
            }
            base::sort_rows(space.key, space.order, space.sort);
            std::vector<Item> sorted(n);
            for (std::size_t i = 0; i < n; ++i) sorted[i] = items[space.order[i]];
            std::copy(sorted.begin(), sorted.end(), items);
        }
        std::uint32_t rank = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (i > 0 && items[i].value != items[i - 1].value) ++rank;
            space.entries[from + i] = {rank, items[i].row};
        }
    }

    // --- the end: cuts between bins get their number, and ties are broken as everywhere

    std::vector<Candidate> conclude(const NodeRows& node, std::vector<Found> found, int thread) {
        double floor = no_floor;
        for (const Found& f : found) floor = std::max(floor, lifted(f.candidate));
        std::vector<Candidate> candidates;
        for (Found& f : found) {
            if (!f.candidate.found()) continue;
            const double merit = f.candidate.gain.value() / cost(static_cast<std::size_t>(f.candidate.column));
            if (merit < floor) continue;
            if (f.between_bins)
                f.candidate.cut = cut_after_bin(node, static_cast<std::size_t>(f.candidate.column), f.bin);
            candidates.push_back(std::move(f.candidate));
        }
        return exact_.ranked(node, std::move(candidates), thread);
    }

    double cut_after_bin(const NodeRows& node, std::size_t c, std::uint8_t bin) const {
        const Binning& binning = *node.store->binning;
        const ColumnBins& bins = binning.column[c];
        if (bins.bundled()) return cut_between(bins.value[0], bins.value[1], exact_.cuts_below(node, c));
        const std::uint64_t* const words = node.histogram->data() + bins.slot * column_words(cells_);
        std::size_t next = bin + std::size_t{1};
        while (cells_.rows(words + next * cells_.width()) == 0.0) ++next;
        if (bins.lossless()) return cut_between(bins.value[bin], bins.value[next], exact_.cuts_below(node, c));
        if (binning.approximate) return bins.edge[(bin + next - 1) / 2];
        double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
        const std::uint8_t* const byte = node.bins() + bins.slot;
        const std::uint32_t* const row = node.store->target.row.data() + node.begin;
        node.store->table->columns[c].with_reader([&](auto number) {
            for (std::size_t i = 0; i < node.size(); ++i) {
                const std::size_t b = byte[i * binning.stride];
                if (b == bin) lower = std::max(lower, number(row[i]));
                if (b == next) upper = std::min(upper, number(row[i]));
            }
        });
        return cut_between(lower, upper, exact_.cuts_below(node, c));
    }

    PresortFinder<D, C> exact_;
    SearchOptions options_;
    Cells cells_;
    std::vector<Space> spaces_;
};

}  // namespace ceiba::split
