#include "split/levels/best_subset.hpp"

#include <tuple>
#include <utility>

#include "criteria/class_criteria.hpp"
#include "split/levels/level_subsets.hpp"

namespace ceiba::split {

namespace {

template <class Weight, class C>
Candidate search(const LevelCells<Weight>& levels, const Limits& limits, const std::vector<double>& class_scale,
                 C criterion) {
    Candidate out;
    const std::size_t n_levels = levels.code.size();
    out.learned_missing = levels.n_missing > 0;
    LevelDivision<Weight> division(levels, class_scale);
    division.clear(false);
    criterion.begin(division);
    out.tolerance = criterion.tolerance();
    BestSubset best;
    SubsetSearch<LevelDivision<Weight>, C> subsets(division, criterion, limits, best);
    subsets.run(false);
    bool presence = false;
    if (levels.n_missing > 0) {
        division.clear(false);
        for (std::size_t l = 0; l < n_levels; ++l) division.move_left(l);
        presence = division.enough_rows(limits) && weigh_division(division, criterion, limits, best.gain, best.found);
        best.found = best.found || presence;
        best.missing_left = false;
        subsets.run(true);
        presence = presence && !best.missing_left;
    }
    if (!best.found) return out;
    out.kind = presence ? Kind::presence : Kind::levels;
    out.gain = best.gain;
    out.missing_branch = best.missing_left ? 0 : 1;
    if (!presence)
        for (std::size_t l = 0; l < n_levels; ++l) out.levels.push_back({levels.code[l], best.on_left[l] ? 0 : 1});
    return out;
}

}  // namespace

template <class C>
Candidate best_subset(const NodeRows& node, const LevelRows& levels, std::size_t n_aside, const Limits& limits,
                      const std::vector<double>& class_scale, const C& criterion) {
    if (node.store->target.weight.empty())
        return best_subset(level_cells<WholeCount>(node, levels, n_aside > 0), limits, class_scale, criterion);
    return best_subset(level_cells<base::LongSum>(node, levels, n_aside > 0), limits, class_scale, criterion);
}

template <class Weight, class C>
Candidate best_subset(const LevelCells<Weight>& levels, const Limits& limits, const std::vector<double>& class_scale,
                      const C& criterion) {
    return search(levels, limits, class_scale, criterion);
}

// Compiled here for every criterion that is scanned.
template <class... C>
auto compiled(criteria::List<C...>) {
    using OfRows = std::tuple<Candidate (*)(const NodeRows&, const LevelRows&, std::size_t, const Limits&,
                                            const std::vector<double>&, const criteria::Shared<C>&)...>;
    using OfCells = std::tuple<Candidate (*)(const LevelCells<WholeCount>&, const Limits&, const std::vector<double>&,
                                             const criteria::Shared<C>&)...>;
    using OfWeights = std::tuple<Candidate (*)(const LevelCells<base::LongSum>&, const Limits&,
                                               const std::vector<double>&, const criteria::Shared<C>&)...>;
    return std::tuple(OfRows{&best_subset<criteria::Shared<C>>...},
                      OfCells{&best_subset<WholeCount, criteria::Shared<C>>...},
                      OfWeights{&best_subset<base::LongSum, criteria::Shared<C>>...});
}
template auto compiled(criteria::ScannedClassCriteria);

}  // namespace ceiba::split
