// The exact split search over presorted columns: simple, for all criteria, weights and kinds of columns; the reference
// against which faster finders are tested. D is the division (criteria/*_division.hpp), C the criterion.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "criteria/criterion.hpp"
#include "split/cut.hpp"
#include "split/finder.hpp"
#include "split/levels/level_search.hpp"
#include "split/store/route.hpp"
#include "split/scan/cut_scan.hpp"
#include "split/scan/merit.hpp"
#include "split/scan/search_space.hpp"

namespace ceiba::split {

template <class D, class C>
requires criteria::Criterion<C, D>
class PresortFinder final : public ColumnFinder {
    using Space = SearchSpace<D, C>;

public:
    PresortFinder(const D& division, const C& criterion, SearchOptions options, int n_threads)
        : options_(std::move(options)), spaces_(static_cast<std::size_t>(n_threads), Space(division, criterion)) {}

    std::vector<Candidate> find(NodeRows& node, const NodeContext& context, base::ThreadPool* pool,
                                int thread) override {
        const std::size_t n_columns = node.store->sorted.size();
        begin_node(pool ? -1 : thread);
        if (options_.max_features > 0 && options_.max_features < static_cast<int>(n_columns))
            return ranked(node, search_some(node, context, spaces_[static_cast<std::size_t>(thread)]), thread);
        forget_constant_columns(node);
        if (worth_compacting(node)) node = compact(node);
        const std::size_t n_live = node.live ? node.live->size() : n_columns;
        const auto column = [&node](std::size_t i) { return node.live ? (*node.live)[i] : i; };
        Space& own = spaces_[static_cast<std::size_t>(thread)];
        if (!pool && options_.max_competitors == 0 && !options_.random_cuts)
            return ranked(node, search_for_one(node, context, column, n_live, own), thread);
        std::vector<Candidate> found(n_live);
        if (pool)
            pool->run(n_live, [&](std::size_t i, int t) {
                found[i] = search(node, column(i), context, spaces_[static_cast<std::size_t>(t)]);
            });
        else
            for (std::size_t i = 0; i < n_live; ++i) found[i] = search(node, column(i), context, own);
        return ranked(node, std::move(found), thread);
    }

    void begin_node(int thread) override {
        for (std::size_t t = 0; t < spaces_.size(); ++t)
            if (thread < 0 || static_cast<int>(t) == thread) spaces_[t].fresh = false, spaces_[t].n_known = 0;
    }
    Candidate search_column(const NodeRows& node, std::size_t c, const NodeContext& context, int thread) override {
        return search(node, c, context, spaces_[static_cast<std::size_t>(thread)]);
    }

    std::vector<Candidate> ranked(const NodeRows& node, std::vector<Candidate> found, int thread) override {
        std::erase_if(found, [](const Candidate& c) { return !c.found(); });
        if (found.empty()) return found;
        const auto merit = [this](const Candidate& c) { return c.gain / base::DoubleDouble(cost(c)); };
        const auto better = [&](const Candidate& a, const Candidate& b) {
            const double gap = (merit(a) - merit(b)).value();
            const double doubt = std::max(a.tolerance / cost(a), b.tolerance / cost(b));
            return gap > doubt ||
                   (gap > -doubt && better_exactly(node, a, b, spaces_[static_cast<std::size_t>(thread)]));
        };
        const std::size_t keep = static_cast<std::size_t>(options_.max_competitors) + 1;
        std::vector<Candidate> order;
        for (Candidate& c : found) {
            std::size_t at = order.size();
            while (at > 0 && better(c, order[at - 1])) --at;
            if (at == keep) continue;
            order.insert(order.begin() + static_cast<std::ptrdiff_t>(at), std::move(c));
            if (order.size() > keep) order.pop_back();
        }
        return order;
    }

private:
    // Only the best split is wanted: a column need not say what it has when that cannot win. Where the criterion has a
    // rough bound, the most promising column goes first.
    template <class Column>
    std::vector<Candidate> search_for_one(const NodeRows& node, const NodeContext& context, Column column,
                                          std::size_t n, Space& space) {
        std::vector<Candidate> found;
        std::size_t best = 0;  // of those found
        Routing routing;       // of that one, once it was needed
        double floor = no_floor;
        const auto look_at = [&](std::size_t c) {
            space.floor = floor == no_floor ? no_floor : floor * column_cost(c);
            Candidate candidate = search(node, c, context, space);
            if (!candidate.found()) return;
            if (best < found.size() && same_division(node, candidate, found[best], routing)) {
                if (candidate.column < found[best].column) found[best] = std::move(candidate);
                return;
            }
            if (best == found.size() || floor_of(candidate, options_) > floor)
                best = found.size(), routing.branch.clear();
            floor = std::max(floor, floor_of(candidate, options_));
            found.push_back(std::move(candidate));
        };
        if (node.size() == 2 && options_.column_cost.empty()) {
            // Two rows can be parted in one way only, and the first column that does it wins.
            for (std::size_t i = 0; i < n && found.empty(); ++i) look_at(column(i));
        } else if constexpr (has_rough) {
            rough_look(node, column, n, space);
            const std::size_t first = static_cast<std::size_t>(
                std::max_element(space.outlook.begin(), space.outlook.end()) - space.outlook.begin());
            if (n > 0) look_at(column(first));
            for (std::size_t i = 0; i < n; ++i)
                if (i != first && !(space.outlook[i] < floor)) look_at(column(i));
            std::sort(found.begin(), found.end(),
                      [](const Candidate& a, const Candidate& b) { return a.column < b.column; });
        } else {
            for (std::size_t i = 0; i < n; ++i) look_at(column(i));
        }
        space.floor = no_floor;
        return found;
    }

    // In small nodes many columns part the rows in the very same way: tied, and no arithmetic is needed to see it.
    bool same_division(const NodeRows& node, const Candidate& a, const Candidate& best, Routing& best_routing) const {
        if (!options_.column_cost.empty() || a.n_branches != 2 || best.n_branches != 2 ||
            std::fabs((a.gain - best.gain).value()) > a.tolerance)
            return false;
        if (best_routing.branch.empty()) best_routing = route(node, best);
        return part_alike(route(node, a), best_routing);
    }

    // Stores that fit the second cache are left as they are, and stretches of some cache lines are good enough.
    bool worth_compacting(const NodeRows& node) const {
        const std::size_t n_rows = node.store->target.size();
        return node.size() <= 256 && node.size() * 8 <= n_rows &&
               n_rows * node.store->sorted.size() * sizeof(Entry) > (std::size_t{1} << 20);
    }

    static constexpr bool has_rough = requires { C::rough_at_once; }
    &&requires(const D& d) { d.number(0); };

    // A bound of the merit of every live column; infinite where there is none.
    template <class Column>
    void rough_look(const NodeRows& node, Column column, std::size_t n_live, Space& space) requires has_rough {
        space.outlook.assign(n_live, std::numeric_limits<double>::infinity());
        const std::size_t n = node.size(), least = std::max<std::size_t>(1, options_.min_rows);
        if (n < 2 * least) return;
        space.take_part(node, true, n, [](std::size_t i) { return i; });
        std::array<const Entry*, C::rough_at_once> entries;
        std::array<std::size_t, C::rough_at_once> place;
        std::array<double, C::rough_at_once> bound;
        std::size_t filled = 0;
        const auto look = [&] {
            std::fill(entries.begin() + static_cast<std::ptrdiff_t>(filled), entries.end(), entries[0]);
            space.criterion.rough_best(space.division, entries, n, least, n - least, bound);
            for (std::size_t k = 0; k < filled; ++k) space.outlook[place[k]] = bound[k] / column_cost(column(place[k]));
            filled = 0;
        };
        for (std::size_t i = 0; i < n_live; ++i) {
            const std::size_t c = column(i);
            if (!node.store->codes[c].empty() || node.n_present(c) != n) continue;
            entries[filled] = node.entries(c);
            place[filled++] = i;
            if (filled == C::rough_at_once) look();
        }
        if (filled > 0) look();
    }

    // scikit-learn's max_features: columns in random order until enough of them were not constant and one had a split.
    std::vector<Candidate> search_some(const NodeRows& node, const NodeContext& context, Space& space) {
        std::vector<std::size_t> order(node.store->sorted.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        base::Random random(context.seed);
        std::vector<Candidate> found;
        int tried = 0;
        bool any = false;
        for (std::size_t i = 0; i < order.size() && (tried < options_.max_features || !any); ++i) {
            std::swap(order[i], order[i + random.below(order.size() - i)]);
            if (constant(node, order[i])) continue;
            ++tried;
            found.push_back(search(node, order[i], context, space));
            any = any || found.back().found();
        }
        std::sort(found.begin(), found.end(),
                  [](const Candidate& a, const Candidate& b) { return a.column < b.column; });
        return found;
    }

    // A column of numbers that are all the same stays so in all that grows below. (Surrogates and fractional rows look
    // at all columns.)
    void forget_constant_columns(NodeRows& node) const {
        if (options_.missing == Missing::surrogate || options_.missing == Missing::fractional) return;
        const std::size_t n_live = node.live ? node.live->size() : node.store->sorted.size();
        std::vector<std::uint32_t> left;
        for (std::size_t i = 0; i < n_live; ++i) {
            const std::uint32_t c = node.live ? (*node.live)[i] : static_cast<std::uint32_t>(i);
            if (!node.store->codes[c].empty() || !constant(node, c)) left.push_back(c);
        }
        if (left.size() < n_live) node.live = std::make_shared<const std::vector<std::uint32_t>>(std::move(left));
    }

    static bool constant(const NodeRows& node, std::size_t c) {
        const std::size_t n = node.n_present(c);
        if (n < node.size()) return n == 0;
        if (!node.store->codes[c].empty()) {
            const std::int32_t* codes = node.codes(c);
            return std::all_of(codes, codes + n, [codes](std::int32_t k) { return k == codes[0]; });
        }
        return node.entries(c)[0].rank == node.entries(c)[n - 1].rank;
    }

    double column_cost(std::size_t c) const { return cost_of(c, options_); }
    double cost(const Candidate& c) const { return cost_of(static_cast<std::size_t>(c.column), options_); }

    bool better_exactly(const NodeRows& node, const Candidate& a, const Candidate& b, Space& space) {
        if constexpr (requires { space.criterion.exact(space.division); }) {
            if (a.n_branches != 2 || b.n_branches != 2) return false;
            const Routing own = route(node, a), other = route(node, b);
            // Also where weights are so far apart that even the long sums of one side and the other round differently.
            if (cost(a) == cost(b) && part_alike(own, other)) return false;
            base::Fraction x = exact_gain(node, own, space), y = exact_gain(node, other, space);
            x.denominator = x.denominator * base::Expansion(cost(a));
            y.denominator = y.denominator * base::Expansion(cost(b));
            return base::compare(x, y) > 0;
        }
        return false;
    }

    // Puts the rows of branch 0 on the left once more and takes the gain without rounding.
    base::Fraction exact_gain(const NodeRows& node, const Routing& routing, Space& space) requires requires(C c, D d) {
        c.exact(d);
    }
    {
        space.fresh = false;
        space.division.bind(node.store->target, 0, node.begin);
        space.division.reset();
        const auto takes_part = [&](std::size_t i) {
            return routing.branch[i] < 2 &&
                   (!node.store->zero_weights || node.store->target.weight_of(node.begin + i) > 0.0);
        };
        for (std::size_t i = 0; i < node.size(); ++i)
            if (takes_part(i)) space.division.include(i);
        space.division.clear_left();
        for (std::size_t i = 0; i < node.size(); ++i)
            if (takes_part(i) && routing.branch[i] == 0) space.division.add(i);
        return space.criterion.exact(space.division);
    }

    Candidate search(const NodeRows& node, std::size_t c, const NodeContext& context, Space& space) {
        Limits limits{options_.min_rows, options_.min_weight, 0, context.low, context.high};
        if (!options_.monotone.empty()) limits.monotone = options_.monotone[c];
        Candidate out = node.store->codes[c].empty() ? search_numbers(node, c, limits, context, space)
                                                     : LevelSearch<D, C>(options_, space).search(node, c, limits);
        out.column = static_cast<std::int32_t>(c);
        return out;
    }

    Candidate search_numbers(const NodeRows& node, std::size_t c, const Limits& limits, const NodeContext& context,
                             Space& space) {
        const Entry* entries = node.entries(c);
        const std::size_t n = node.n_present(c);
        const bool learn = options_.missing == Missing::learn;
        const std::size_t n_aside = learn ? node.size() - n : 0;
        if (n == 0 || (n_aside == 0 && entries[0].rank == entries[n - 1].rank)) return {};
        space.take_part(node, learn || n == node.size(), n, [&](std::size_t i) { return entries[i].row; });
        double random_cut = 0.0;
        std::size_t random_position = 0;
        if (options_.random_cuts && entries[0].rank != entries[n - 1].rank) {
            base::Random random(base::branch_seed(context.seed, 1000 + c));
            const double low = node.number(c, entries[0].row), high = node.number(c, entries[n - 1].row);
            random_cut = low + random.uniform() * (high - low);
            if (!(random_cut < high)) random_cut = low;
            random_position = static_cast<std::size_t>(
                std::partition_point(entries, entries + n,
                                     [&](const Entry& e) { return node.number(c, e.row) <= random_cut; }) -
                entries);
        }
        bool presence = false;
        BestCut<D, C> best = space.best_cut(
            entries, n, n_aside, [&](std::size_t i) { return entries[n + i].row; }, limits, random_position, presence);
        Candidate out;
        if (!best.found) return out;
        out.kind = presence ? Kind::presence : Kind::cut;
        out.gain = gain_of(best, n_aside == 0 && n == node.size(), space);
        out.tolerance = space.criterion.tolerance();
        out.position = static_cast<std::uint32_t>(best.position);
        out.learned_missing = n_aside > 0;
        out.missing_branch = best.missing_left ? 0 : 1;
        if (!presence) out.cut = random_position ? random_cut : cut_after(node, c, entries + best.position - 1);
        return out;
    }

    // Columns that part the rows in the same way have the same gain: it is weighed once.
    base::DoubleDouble gain_of(BestCut<D, C>& best, bool all_rows, Space& space) const {
        if constexpr (requires { best.left_part().same(best.left_part()); }) {
            if (all_rows) {
                const std::size_t size = space.known.size();
                for (std::size_t k = 0; k < std::min(space.n_known, size); ++k)
                    if (space.known[k].left.same(best.left_part())) return space.known[k].gain;
                auto& fresh = space.known[space.n_known++ % size];
                fresh = {best.left_part(), best.gain(space.division, space.criterion)};
                return fresh.gain;
            }
        }
        return best.gain(space.division, space.criterion);
    }

    // The cut between an entry and the next. Where bins are ranks the table need not be asked.
    double cut_after(const NodeRows& node, std::size_t c, const Entry* entry) const {
        if (const Binning* binning = node.store->binning.get()) {
            const ColumnBins& bins = binning->column[c];
            if (bins.lossless())
                return cut_between(bins.value[entry[0].rank], bins.value[entry[1].rank], cuts_below(node, c, options_));
            if (binning->approximate) return bins.edge[(entry[0].rank + entry[1].rank - 1) / 2];
        }
        return cut_between(node.number(c, entry[0].row), node.number(c, entry[1].row), cuts_below(node, c, options_));
    }

    SearchOptions options_;
    std::vector<Space> spaces_;
};

}  // namespace ceiba::split
