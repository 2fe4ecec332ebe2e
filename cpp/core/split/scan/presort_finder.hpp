// The exact split search over presorted columns. It is simple, supports all criteria, weights and kinds of columns, and
// is the reference in tests of faster finders. D is the division (criteria/*_division.hpp), C the criterion. O(n) per
// column and node. The order of the columns is in column_finder.hpp.
#pragma once

#include "split/scan/search_space.hpp"
#include "split/scan/slot_scan.hpp"

namespace ceiba::split {

template <class D, class C>
requires criteria::Criterion<C, D>
class PresortFinder final : public ColumnFinder {
    using Space = SearchSpace<D, C>;

public:
    PresortFinder(const D& division, const C& criterion, const SearchOptions& options, int n_threads)
        : ColumnFinder(options), spaces_(static_cast<std::size_t>(n_threads), Space(division, criterion)) {}

    void begin_node(int thread) override {
        for (std::size_t t = 0; t < spaces_.size(); ++t)
            if (thread < 0 || static_cast<int>(t) == thread) spaces_[t].begin_node();
    }

    Candidate search_column(const NodeRows& node, std::size_t c, const NodeContext& context, double floor,
                            int thread) override {
        Space& space = spaces_[thread];
        space.floor = floor;
        const Limits limits = limits_of(c, options_, context);
        Candidate out = node.store->has_levels(c) ? space.search_levels(node, c, options_, limits)
                                                  : search_numbers(node, c, limits, context, space);
        out.column = static_cast<std::int32_t>(c);
        return out;
    }

    double bound_levels(const NodeRows& node, std::size_t c, int thread) override {
        return spaces_[thread].bound_levels(node, c, options_) / cost_of(c, options_);
    }

private:
    static constexpr bool has_rough = requires { C::rough_at_once; }
    &&requires(const D& d) { d.number(0); };

    bool rough_bounds(const NodeRows& node, const LiveColumns& columns, std::vector<double>& bound,
                      int thread) override {
        if (node.sparse || node.slotted()) return false;
        if constexpr (has_rough) find_rough_bounds(node, columns, bound, spaces_[thread]);
        return has_rough;
    }

    // Upper bounds of the merits of all columns; infinite if there is none.
    void find_rough_bounds(const NodeRows& node, const LiveColumns& column, std::vector<double>& rough_bounds,
                           Space& space) const requires has_rough {
        rough_bounds.assign(column.size(), std::numeric_limits<double>::infinity());
        const std::size_t n = node.size(), least = std::max<std::size_t>(1, options_.min_rows);
        if (n < 2 * least) return;
        space.include_all(node);
        std::array<const Entry*, C::rough_at_once> entries;
        std::array<std::size_t, C::rough_at_once> place;
        std::array<double, C::rough_at_once> bound;
        std::size_t filled = 0;
        const auto bound_entries = [&] {
            std::fill(entries.begin() + static_cast<std::ptrdiff_t>(filled), entries.end(), entries[0]);
            space.criterion.rough_best(space.division, entries, n, least, n - least, bound);
            for (std::size_t k = 0; k < filled; ++k)
                rough_bounds[place[k]] = bound[k] / cost_of(column[place[k]], options_);
            filled = 0;
        };
        for (std::size_t i = 0; i < column.size(); ++i) {
            const std::size_t c = column[i];
            if (node.store->has_levels(c) || node.n_present(c) != n) continue;
            entries[filled] = node.entries(c);
            place[filled++] = i;
            if (filled == C::rough_at_once) bound_entries();
        }
        if (filled > 0) bound_entries();
    }

    bool better_exactly(const NodeRows& node, const Candidate& a, const Candidate& b, int thread) override {
        [[maybe_unused]] Space& space = spaces_[thread];
        if constexpr (requires { space.criterion.exact(space.division); }) {
            if (a.n_branches != 2 || b.n_branches != 2) return false;
            if constexpr (CountsSlots<D>)
                if (node.slotted()) return better_by_counts(node, a, b, space);
            const Routing routing_a = route(node, a), routing_b = route(node, b);
            // This also covers weights of such different size that the long sums of the two sides round differently.
            if (cost(a) == cost(b) && same_partition(routing_a, routing_b)) return false;
            base::Fraction x = exact_gain(node, routing_a, space), y = exact_gain(node, routing_b, space);
            x.denominator = x.denominator * base::Expansion(cost(a));
            y.denominator = y.denominator * base::Expansion(cost(b));
            return base::compare(x, y) > 0;
        }
        return false;
    }

    // The same with the counts of slots, without reading rows.
    bool better_by_counts(const NodeRows& node, const Candidate& a, const Candidate& b,
                          Space& space) requires CountsSlots<D> {
        if (cost(a) == cost(b) && same_counts(node, a, b)) return false;
        space.include_all(node);
        const auto gain = [&](const Candidate& split) {
            put_left(node, split, space.division);
            base::Fraction exact = space.criterion.exact(space.division);
            exact.denominator = exact.denominator * base::Expansion(cost(split));
            return exact;
        };
        return base::compare(gain(a), gain(b)) > 0;
    }

    // Puts the rows of branch 0 on the left again and computes the gain without rounding.
    base::Fraction exact_gain(const NodeRows& node, const Routing& routing, Space& space) {
        space.fresh = false;
        space.division.bind(node.target(), 0, node.begin);
        space.division.reset();
        const auto is_included = [&](std::size_t i) {
            return routing.branch[i] < 2 &&
                   (!node.store->zero_weights || node.target().weight_of(node.begin + i) > 0.0);
        };
        for (std::size_t i = 0; i < node.size(); ++i)
            if (is_included(i)) space.division.include(i);
        space.division.clear_left();
        for (std::size_t i = 0; i < node.size(); ++i)
            if (is_included(i) && routing.branch[i] == 0) space.division.add(i);
        return space.criterion.exact(space.division);
    }

    Candidate search_numbers(const NodeRows& node, std::size_t c, const Limits& limits, const NodeContext& context,
                             Space& space) {
        if constexpr (CountsSlots<D>)
            if (node.slotted()) return search_slots(node, c, limits, space);
        if (node.sparse) {
            if constexpr (KeepsRight<D>)
                if (!options_.random_cuts) return search_sparse(node, c, limits, space);
            fill_column(node, c, space.column);
        }
        const Entry* entries = node.sparse ? space.column.data() : node.entries(c);
        const std::size_t n = node.n_present(c);
        const bool learn = options_.missing == Missing::learn;
        const std::size_t n_missing = learn ? node.size() - n : 0;
        if (n == 0 || (n_missing == 0 && entries[0].rank == entries[n - 1].rank)) return {};
        if (learn || n == node.size())
            space.include_all(node);
        else
            space.include_some(node, n, [&](std::size_t i) { return entries[i].row; });
        const RandomCut random = options_.random_cuts ? random_cut(node, c, entries, context) : RandomCut{};
        bool presence = false;
        BestCut<D, C> best = space.best_cut(entries, n, n_missing, limits, random.position, presence);
        Candidate out = candidate_of(best, n_missing == 0 && n == node.size(), space);
        if (!out.found()) return out;
        if (presence) out.kind = Kind::presence;
        out.learned_missing = n_missing > 0;
        out.missing_branch = best.missing_left ? 0 : 1;
        if (!presence) out.cut = random.position ? random.cut : cut_after(node, c, entries + best.position - 1);
        return out;
    }

    Candidate search_sparse(const NodeRows& node, std::size_t c, const Limits& limits,
                            Space& space) requires KeepsRight<D> {
        const SparseColumn column = sparse_column(node, c);
        const std::size_t n = node.size();
        if (column.n == 0) return {};
        space.include_all(node);
        BestCut<D, C> best = scan_sparse(column, n, space.floor, limits, space.division, space.criterion);
        Candidate out = candidate_of(best, true, space);
        if (out.found()) out.cut = sparse_cut_after(node, c, column, best.position);
        return out;
    }

    Candidate search_slots(const NodeRows& node, std::size_t c, const Limits& limits,
                           Space& space) requires CountsSlots<D> {
        space.include_all(node);
        SlotCut<D, C> slot_cut = scan_slots(node, c, space.floor, limits, space.division, space.criterion);
        Candidate out = candidate_of(slot_cut.best, true, space);
        if (out.found()) out.cut = cut_between(slot_cut.lower, slot_cut.upper, cuts_below(node, c, options_));
        return out;
    }

    // The best cut of a column as a candidate. Its threshold is computed later.
    Candidate candidate_of(BestCut<D, C>& best, bool all_rows, Space& space) const {
        Candidate out;
        if (!best.any) return out;
        out.kind = Kind::cut;
        out.gain = gain_of(best, all_rows, space);
        out.tolerance = space.criterion.tolerance();
        out.position = static_cast<std::uint32_t>(best.position);
        return out;
    }

    // Columns that partition the rows identically have the same gain, which is computed once.
    base::DoubleDouble gain_of(BestCut<D, C>& best, bool all_rows, Space& space) const {
        if constexpr (requires { best.left_part().same(best.left_part()); }) {
            if (all_rows) {
                const std::size_t size = space.weighed.size();
                for (std::size_t k = 0; k < std::min(space.n_weighed, size); ++k)
                    if (space.weighed[k].left.same(best.left_part())) return space.weighed[k].gain;
                auto& fresh = space.weighed[space.n_weighed++ % size];
                fresh = {best.left_part(), best.gain(space.division, space.criterion)};
                return fresh.gain;
            }
        }
        return best.gain(space.division, space.criterion);
    }

    std::vector<Space> spaces_;
};

}  // namespace ceiba::split
