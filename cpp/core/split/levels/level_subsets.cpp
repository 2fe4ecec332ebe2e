#include "split/levels/level_subsets.hpp"

namespace ceiba::split {

namespace {

// So many orders of the levels by the share of one class, besides the principal one.
constexpr std::size_t most_orders = 50;

std::vector<std::uint32_t> ascending(const std::vector<double>& score) {
    std::vector<std::uint32_t> order(score.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return score[a] < score[b]; });
    return order;
}

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
    // The covariance of the profiles times a vector. As a matrix where that is small; thousands of classes would fill
    // the memory with it.
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
    // Power iteration: only an order is wanted, so a rough vector will do.
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
    return ascending(score);
}

// The heaviest classes of the node. One order of the levels for each of thousands of classes would take hours.
std::vector<std::uint32_t> leading_classes(const std::vector<double>& weight) {
    std::vector<double> lightness(weight.size());
    for (std::size_t k = 0; k < weight.size(); ++k) lightness[k] = -weight[k];
    std::vector<std::uint32_t> classes = ascending(lightness);
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
        orders.push_back(ascending(share));
    }
    return orders;
}

}  // namespace ceiba::split
