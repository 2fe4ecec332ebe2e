// The search of one column whose rows are counted in bins (counted_finder.hpp): bounds of its gains, the cuts that may
// win, and the exact search among those. D is the division (criteria/*_division.hpp), C the criterion, B its bounds
// (survey/bounds.hpp), Cells the type of the counts (cells.hpp).
//
// Invariant: a cut that is not marked has a gain below the floor. The exact search among the marked cuts therefore
// finds the best cut of the column if its gain reaches the floor. Each step (zoom, refine_marks) only removes marks.
#pragma once

#include "split/bins/cells.hpp"
#include "split/bins/counted_finder.hpp"
#include "split/scan/search_space.hpp"

namespace ceiba::split {

template <class D, class C, class B, class Cells>
requires criteria::Criterion<C, D>
class BoundedFinder final : public CountedFinder {
public:
    BoundedFinder(std::unique_ptr<ColumnFinder> exact, const D& division, const C& criterion, const B& bounds,
                  const Cells& cells, const SearchOptions& options, int n_threads)
        : CountedFinder(std::move(exact), options),
          cells_(cells),
          spaces_(static_cast<std::size_t>(n_threads), Space(division, criterion, bounds, cells)) {}

private:
    struct Space : ColumnSpace {
        Space(const D& d, const C& c, const B& b, const Cells& cells)
            : ColumnSpace(cells.n_fields(), cells.width()), division(d), criterion(c), bounds(b) {}

        D division;
        C criterion;
        B bounds;
        using Parts = std::vector<typename D::Left>;
        Parts parts;                        // per place: exact sums, if counts are rounded
        std::vector<Parts> parts_of_block;  // per block of rows: the same sums
    };
    Space& space_of(int thread) { return spaces_[thread]; }

    std::shared_ptr<Histogram> count_node(const NodeRows& node, base::ThreadPool* pool) const override {
        return count(node, cells_, pool);
    }
    bool holds_rows(const NodeRows& node, std::size_t c, std::size_t bin) const override {
        const std::uint64_t* const words =
            node.histogram->data() + node.store->binning->column[c].slot * column_words(cells_);
        return cells_.rows(words + bin * cells_.width()) > 0.0;
    }
    GainRange bound_gain(const NodeRows& node, std::size_t c, const Limits& limits, int thread) override {
        Space& space = space_of(thread);
        if (!load(node, c, space)) return {};
        const GainRange gains = criteria::with_chosen(
            space.bounds, [&](const auto& bounds) { return space.counts.gain_range(bounds, limits); });
        return {gains.low / cost(c), gains.high / cost(c)};
    }

    // Unpacks the counts of a column. Returns false if it has no cut.
    bool load(const NodeRows& node, std::size_t c, Space& space) const {
        if (!space.counts.load(node, c, cells_, options_.missing == Missing::learn)) return false;
        space.bounds.begin(space.counts.total(), cells_.n_fields(), space.counts.n_rows(), space.counts.weight_error(),
                           space.counts.sum_error());
        return true;
    }

    Marks survey(const NodeRows& node, std::size_t c, const Limits& limits, double floor, int thread) override {
        Space& space = space_of(thread);
        if (!load(node, c, space)) return {};
        return mark_loaded(limits, floor == no_floor ? no_floor : floor * cost(c), space);
    }
    static Marks mark_loaded(const Limits& limits, double floor, Space& space) {
        return criteria::with_chosen(space.bounds,
                                     [&](const auto& bounds) { return space.counts.marks(bounds, limits, floor); });
    }

    // Counts the open ranges in ever finer ranges and raises the floor. Each round costs a pass over the node, so it
    // must at least halve the number of rows to fetch.
    void zoom(const NodeRows& node, std::size_t c, const Limits& limits, double& floor, Marks& marks,
              base::ThreadPool* pool, Space& space) const {
        Cells cells = cells_;
        cells.bind(node.target(), node.begin);
        for (double last = std::numeric_limits<double>::infinity();
             !space.counts.blind && worth_zooming(node, marks.rows_inside) && marks.rows_inside < 0.5 * last;) {
            last = marks.rows_inside;
            const ZoomLayout layout =
                lay_out(space.counts, marks, space.places.missing(), cells.width(), rows_per_part(), space.plans);
            if (!layout.fits || !worth_zooming(node, layout.rows)) return;
            space.places.zoom(node, c, cells, space.plans, layout.n_places, space.words, pool);
            raise_floor(limits, floor, marks, layout, cells, space);
        }
    }

    // Counts the open ranges of a column of small integers once more, by integer. Then no rows need to be fetched.
    // Returns false if this is impossible.
    bool zoom_integers(const NodeRows& node, std::size_t c, const Limits& limits, double& floor, Marks& marks,
                       base::ThreadPool* pool, Space& space) const {
        const ColumnBins& bins = node.store->binning->column[c];
        if (!bins.integers || space.counts.blind || marks.rows_inside == 0.0) return false;
        Cells cells = cells_;
        cells.bind(node.target(), node.begin);
        const ZoomLayout layout = lay_out_integers(space.counts, bins, marks, cells.width(), space.plans);
        if (!layout.fits) return false;
        space.places.zoom_integers(node, c, cells, space.plans, layout.n_places, space.words, pool);
        raise_floor(limits, floor, marks, layout, cells, space);
        return true;
    }

    // Replaces the counts of a column by those of a zoom, and what they imply.
    static void raise_floor(const Limits& limits, double& floor, Marks& marks, const ZoomLayout& layout,
                            const Cells& cells, Space& space) {
        space.counts.refine(space.plans, layout.n_places, space.words.data(), cells);
        const double best_certain_gain = criteria::with_chosen(
            space.bounds, [&](const auto& bounds) { return space.counts.best_certain_gain(bounds, limits); });
        floor = std::max(floor, lowered(best_certain_gain));
        marks = mark_loaded(limits, floor, space);
    }

    ColumnCandidate examine(const NodeRows& node, std::size_t c, const Limits& limits, double floor, Marks& marks,
                            base::ThreadPool* pool, int thread) override {
        Space& space = space_of(thread);
        ColumnCandidate out;
        if (!marks.any || !load(node, c, space)) return out;
        double gain_floor = floor == no_floor ? no_floor : floor * cost(c);
        space.places.by_bins(node, c);
        if (!zoom_integers(node, c, limits, gain_floor, marks, pool, space))
            zoom(node, c, limits, gain_floor, marks, pool, space);
        if (!marks.any) return out;
        out.fetched = marks.rows_inside;
        if (marks.rows_inside > 0.0) space.fetched.fetch(node, c, space.places, marks, space.counts, pool);
        if constexpr (!Cells::exact)
            if (!refine_marks(node, limits, gain_floor, marks, space)) return out;
        space.division.bind(node.target(), 0, node.begin);
        sum_places(node, pool, space);
        space.criterion.begin(space.division);

        BestCut<D, C> best;
        double lower = 0.0, upper = 0.0;
        bool presence = false, between = false;
        std::size_t last = 0;  // the place before a cut between two places
        const auto scan_side = [&](bool missing_left) {
            const std::vector<std::uint8_t>& side = marks.sides[missing_left ? 1 : 0];
            Running left(space);
            if (missing_left) left.add_missing();
            std::size_t before = static_cast<std::size_t>(missing_left ? space.counts.n_missing() : 0.0);
            const std::size_t n_rows = static_cast<std::size_t>(space.counts.n_rows());
            for (std::size_t b = 0; b < space.counts.size(); ++b) {
                const std::size_t rows = static_cast<std::size_t>(space.counts.rows(b));
                if (rows == 0) continue;
                if (side[b] & Marks::inside) {
                    space.division.put_back(left.left());
                    const Entry* const entries = space.fetched.entries.data() + space.fetched.start[b];
                    if (scan(entries, rows, before, n_rows - before - rows, gain_floor, limits, space.division,
                             space.criterion, best)) {
                        best.missing_left = missing_left;
                        between = false;
                        lower = space.fetched.items[space.fetched.start[b] + best.position - 1].value;
                        upper = space.fetched.items[space.fetched.start[b] + best.position].value;
                    }
                }
                left.add(b);
                before += rows;
                if (!(side[b] & Marks::after)) continue;
                space.division.put_back(left.left());
                if (space.criterion.below(space.division, std::max(gain_floor, best.threshold()))) continue;
                if (best.offer(space.division, space.criterion, limits)) {
                    best.missing_left = missing_left;
                    between = true;
                    last = b;
                }
            }
        };
        scan_side(false);
        if (space.counts.n_missing() > 0.0) {
            if (marks.presence) {
                Running left(space);
                for (std::size_t b = 0; b < space.counts.size(); ++b)
                    if (space.counts.rows(b) > 0.0) left.add(b);
                space.division.put_back(left.left());
                presence = best.offer(space.division, space.criterion, limits);
                if (presence) best.missing_left = false;
            }
            scan_side(true);
            presence = presence && !best.missing_left;
        }
        if (!best.any) return out;
        Candidate& split = out.candidate;
        split.kind = presence ? Kind::presence : Kind::cut;
        split.column = static_cast<std::int32_t>(c);
        split.gain = best.gain(space.division, space.criterion);
        split.tolerance = space.criterion.tolerance();
        split.learned_missing = space.counts.n_missing() > 0.0;
        split.missing_branch = best.missing_left ? 0 : 1;
        if (presence) return out;
        if (between && !space.places.fine()) {
            out.between_bins = true;
            out.bin = static_cast<std::uint8_t>(last);
            return out;
        }
        if (between) ends_around(node, c, last, pool, space, lower, upper);
        split.cut = cut_between(lower, upper, cuts_below(node, c, options_));
        return out;
    }

    // The values on both sides of a cut after this place.
    static void ends_around(const NodeRows& node, std::size_t c, std::size_t last, base::ThreadPool* pool,
                            const Space& space, double& lower, double& upper) {
        std::size_t next = last + 1;
        while (space.counts.rows(next) == 0.0) ++next;
        find_ends(node, c, space.places, last, next, pool, lower, upper);
    }

    // If the sums of bins are rounded to quanta, exact sums cost a pass over the node. The cuts inside the fetched bins
    // are therefore first evaluated with the same error as the bins; usually none of them can reach the floor. Returns
    // false if no cut can.
    bool refine_marks(const NodeRows& node, const Limits& limits, double floor, Marks& marks, Space& space) const {
        return criteria::with_chosen(
            space.bounds, [&](const auto& bounds) { return refine_marks(node, limits, floor, bounds, marks, space); });
    }
    template <class Bounds>
    bool refine_marks(const NodeRows& node, const Limits& limits, double floor, const Bounds& bounds, Marks& marks,
                      Space& space) const {
        Cells cells = cells_;
        cells.bind(node.target(), node.begin);
        const double least = static_cast<double>(limits.min_rows);
        bool any = marks.presence;
        std::vector<double> left(cells.n_fields());
        for (int side = 0; side < n_sides(space.counts); ++side) {
            std::vector<std::uint8_t>& side_marks = marks.sides[side];
            space.counts.walk(
                side == 1,
                [&](std::size_t b, double before, double after, double) {
                    if (!(side_marks[b] & Marks::inside)) return;
                    left.assign(space.counts.left(), space.counts.left() + left.size());
                    const std::size_t n = static_cast<std::size_t>(space.counts.rows(b));
                    const Entry* const entries = space.fetched.entries.data() + space.fetched.start[b];
                    side_marks[b] &= static_cast<std::uint8_t>(~Marks::inside);
                    for (std::size_t i = 0; i + 1 < n; ++i) {
                        cells.add_row(entries[i].row, left.data());
                        if (entries[i].rank == entries[i + 1].rank) continue;
                        const double rows = static_cast<double>(i + 1);
                        if (before + rows < least || after + static_cast<double>(n) - rows < least) continue;
                        if (!space.counts.blind && bounds.gain(left.data()).high < floor) continue;
                        side_marks[b] |= Marks::inside;
                        any = true;
                        return;
                    }
                },
                [&](std::size_t b, double, double) { any = any || (side_marks[b] & Marks::after); });
        }
        return any;
    }

    // --- exact sums of bins: the counts themselves, or sums over the rows

    // The left side, to which bins are added one after another.
    class Running {
    public:
        explicit Running(const Space& space) : space_(space) {
            if constexpr (Cells::exact)
                part_.assign(space.counts.n_fields(), 0.0);
            else
                part_ = space.division.nothing();
        }
        void add(std::size_t place) {
            if constexpr (Cells::exact)
                add_fields(space_.counts.fields(place));
            else
                D::merge(part_, space_.parts[place]);
        }
        void add_missing() {
            if constexpr (Cells::exact)
                add_fields(space_.counts.missing());
            else
                D::merge(part_, space_.parts[space_.places.missing()]);
        }
        typename D::Left left() const {
            if constexpr (Cells::exact)
                return space_.division.part_of(part_.data());
            else
                return part_;
        }

    private:
        void add_fields(const double* fields) requires Cells::exact {
            for (std::size_t f = 0; f < part_.size(); ++f) part_[f] += fields[f];
        }

        const Space& space_;
        std::conditional_t<Cells::exact, std::vector<double>, typename D::Left> part_;
    };

    void sum_places(const NodeRows& node, base::ThreadPool* pool, Space& space) const {
        if constexpr (Cells::exact) {
            space.division.set_total(space.division.part_of(space.counts.total()));
        } else {
            const double largest = add_up_places(node, pool, space);
            typename D::Left total = space.division.nothing();
            for (std::size_t p = 0; p < space.counts.size(); ++p) D::merge(total, space.parts[p]);
            if (space.counts.n_missing() > 0.0) D::merge(total, space.parts[space.places.missing()]);
            space.division.set_total(total, largest);
        }
    }

    // Sums of blocks of rows, merged in block order. Returns the largest term.
    static double add_up_places(const NodeRows& node, base::ThreadPool* pool, Space& space) {
        using Left = typename D::Left;
        const std::size_t n_places = space.places.missing() + 1;
        const std::size_t size = std::max(base::block_rows, 8 * n_places);  // a block must cost more than merging it
        const std::size_t n_blocks = base::n_blocks(node.size(), size);
        const Left nothing = space.division.nothing();
        space.parts.assign(n_places, nothing);
        space.parts_of_block.resize(std::max<std::size_t>(space.parts_of_block.size(), pool ? n_blocks : 1));
        std::vector<double> largest(n_blocks, 0.0);
        const auto merge = [&](std::size_t block, std::size_t from, std::size_t to) {
            for (std::size_t p = from; p < to; ++p) D::merge(space.parts[p], space.parts_of_block[block][p]);
        };
        space.places.with([&](auto place_of) {
            const auto add_up = [&](std::size_t block, std::size_t from, std::size_t to, int) {
                auto& parts = space.parts_of_block[pool ? block : 0];
                parts.assign(n_places, nothing);
                double most = 0.0;
                for (std::size_t i = from; i < to; ++i) {
                    space.division.put(parts[place_of(i)], i);
                    most = std::max(most, space.division.size_of(i));
                }
                largest[block] = most;
                if (!pool) merge(0, 0, n_places);
            };
            base::for_blocks(pool, node.size(), add_up, size);
        });
        constexpr std::size_t places_at_once = 64;
        if (pool)
            base::for_blocks(
                pool, n_places,
                [&](std::size_t, std::size_t from, std::size_t to, int) {
                    for (std::size_t b = 0; b < n_blocks; ++b) merge(b, from, to);
                },
                places_at_once);
        return *std::max_element(largest.begin(), largest.end());
    }

    Cells cells_;
    std::vector<Space> spaces_;
};

}  // namespace ceiba::split
