#include "split/levels/level_subsets.hpp"

#include "base/sort.hpp"
#include "criteria/class_criteria.hpp"

namespace ceiba::split {

namespace {

// The maximum number of orders by the share of a class, besides the principal order.
constexpr std::size_t most_orders = 50;

std::vector<std::uint32_t> principal_order(const std::vector<double>& profile, const std::vector<double>& weight,
                                           std::size_t n_classes) {
    const std::size_t n = weight.size(), k = n_classes;
    std::vector<double> mean(k, 0.0);
    double total = 0.0;
    for (std::size_t l = 0; l < n; ++l) {
        total += weight[l];
        for (std::size_t j = 0; j < k; ++j) mean[j] += weight[l] * profile[l * k + j];
    }
    for (double& m : mean) m /= total;
    // The product of the profiles' covariance and a vector. The covariance is a matrix if it is small; with thousands
    // of classes it would not fit into memory.
    std::vector<double> covariance;
    if (k <= 64) {
        covariance.assign(k * k, 0.0);
        for (std::size_t l = 0; l < n; ++l)
            for (std::size_t a = 0; a < k; ++a)
                for (std::size_t b = 0; b < k; ++b)
                    covariance[a * k + b] +=
                        weight[l] * (profile[l * k + a] - mean[a]) * (profile[l * k + b] - mean[b]);
    }
    const auto turn = [&](const std::vector<double>& from, std::vector<double>& to) {
        std::fill(to.begin(), to.end(), 0.0);
        if (!covariance.empty()) {
            for (std::size_t a = 0; a < k; ++a)
                for (std::size_t b = 0; b < k; ++b) to[a] += covariance[a * k + b] * from[b];
            return;
        }
        for (std::size_t l = 0; l < n; ++l) {
            double along = 0.0;
            for (std::size_t a = 0; a < k; ++a) along += (profile[l * k + a] - mean[a]) * from[a];
            for (std::size_t a = 0; a < k; ++a) to[a] += weight[l] * along * (profile[l * k + a] - mean[a]);
        }
    };
    // Power iteration. Only the order matters, so an approximate vector suffices.
    std::vector<double> axis(k), next(k);
    for (std::size_t j = 0; j < k; ++j) axis[j] = 1.0 + static_cast<double>(j);
    for (int step = 0; step < 50; ++step) {
        turn(axis, next);
        const double norm = std::inner_product(next.begin(), next.end(), next.begin(), 0.0);
        if (!(norm > 0.0)) break;
        for (std::size_t a = 0; a < k; ++a) axis[a] = next[a] / std::sqrt(norm);
    }
    std::vector<double> score(n, 0.0);
    for (std::size_t l = 0; l < n; ++l)
        for (std::size_t j = 0; j < k; ++j) score[l] += profile[l * k + j] * axis[j];
    return base::ascending(score);
}

// The heaviest classes of the node. Ordering the levels by each of thousands of classes would take hours.
std::vector<std::uint32_t> leading_classes(const std::vector<double>& weight) {
    std::vector<double> lightness(weight.size());
    for (std::size_t k = 0; k < weight.size(); ++k) lightness[k] = -weight[k];
    std::vector<std::uint32_t> classes = base::ascending(lightness);
    std::erase_if(classes, [&](std::uint32_t k) { return !(weight[k] > 0.0); });
    if (classes.size() > most_orders) classes.resize(most_orders);
    std::sort(classes.begin(), classes.end());
    return classes;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> orders_of_profiles(const LevelProfiles& profiles) {
    const std::size_t n_levels = profiles.level_weight.size(), n_classes = profiles.class_weight.size();
    std::vector<std::vector<std::uint32_t>> orders{principal_order(profiles.share, profiles.level_weight, n_classes)};
    std::vector<double> share(n_levels);
    for (const std::uint32_t k : leading_classes(profiles.class_weight)) {
        for (std::size_t l = 0; l < n_levels; ++l) share[l] = profiles.share[l * n_classes + k];
        orders.push_back(base::ascending(share));
    }
    return orders;
}

template <class Weight, class C>
Candidate best_subset(const LevelCells<Weight>& levels, const Limits& limits, const std::vector<double>& class_scale,
                      const C& of_search) {
    C criterion = of_search;
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
        presence = division.enough_rows(limits) && weigh_division(division, criterion, limits, best.gain, best.any);
        best.any = best.any || presence;
        best.missing_left = false;
        subsets.run(true);
        presence = presence && !best.missing_left;
    }
    if (!best.any) return out;
    // Moving single levels may end with all levels in one branch and only missing values in the other.
    presence = presence || std::adjacent_find(best.on_left.begin(), best.on_left.end(), std::not_equal_to<>()) ==
                               best.on_left.end();
    out.kind = presence ? Kind::presence : Kind::levels;
    out.gain = best.gain;
    out.missing_branch = best.missing_left && !presence ? 0 : 1;
    if (!presence)
        for (std::size_t l = 0; l < n_levels; ++l) out.levels.push_back({levels.code[l], best.on_left[l] ? 0 : 1});
    return out;
}

template <class C>
Candidate best_subset(const NodeRows& node, const LevelRows& levels, std::size_t n_missing, const Limits& limits,
                      const std::vector<double>& class_scale, const C& criterion) {
    if (node.target().weight.empty())
        return best_subset(level_cells<WholeCount>(node, levels, n_missing > 0), limits, class_scale, criterion);
    return best_subset(level_cells<base::LongSum>(node, levels, n_missing > 0), limits, class_scale, criterion);
}

// Instantiated here for every scanned criterion.
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
