#include "prune/held_out.hpp"

namespace ceiba::prune {

namespace {

template <class Error>
Losses walk_up(const Path& path, const HeldOutRows& rows, const Error& error) {
    Losses out{std::vector<double>(path.n_steps, 0.0), std::vector<double>(path.n_steps, 0.0)};
    for (std::size_t r = 0; r < rows.end.size(); ++r) {
        const double weight = rows.weight[r];
        std::size_t node = static_cast<std::size_t>(rows.end[r]), at = 0;
        double e = error(r, node);
        out.first[0] += weight * e;
        out.second[0] += weight * e * e;
        while (path.parent[node] >= 0) {
            node = static_cast<std::size_t>(path.parent[node]);
            at = static_cast<std::size_t>(path.step[node]);
            if (at >= path.n_steps) break;  // neither this node nor its ancestors are ever collapsed
            const double above = error(r, node);
            if (above == e) continue;
            out.first[at] += weight * (above - e);
            out.second[at] += weight * (above * above - e * e);
            e = above;
        }
    }
    for (std::size_t k = 1; k < path.n_steps; ++k) {
        out.first[k] += out.first[k - 1];
        out.second[k] += out.second[k - 1];
    }
    return out;
}

double half_deviance(double y, double mean) {
    // A mean of 0 makes an event impossible; the smallest positive number keeps the sums finite.
    mean = std::max(mean, std::numeric_limits<double>::min());
    return y > 0.0 ? y * std::log(y / mean) - (y - mean) : mean;
}

}  // namespace

Losses class_losses(const Path& path, const HeldOutRows& rows, std::span<const std::int32_t> label,
                    std::span<const std::int32_t> answer, std::span<const double> cost, std::size_t n_classes) {
    return walk_up(path, rows, [&](std::size_t row, std::size_t node) {
        return cost[static_cast<std::size_t>(label[row]) * n_classes + static_cast<std::size_t>(answer[node])];
    });
}

Losses number_losses(const Path& path, const HeldOutRows& rows, std::span<const double> number,
                     std::span<const double> scale, std::span<const double> value, Loss loss, double level) {
    const auto factor = [&](std::size_t row) { return scale.empty() ? 1.0 : scale[row]; };
    if (loss == Loss::squared)
        return walk_up(path, rows, [&](std::size_t row, std::size_t node) {
            const double d = number[row] - value[node];
            return factor(row) * d * d;
        });
    if (loss == Loss::absolute || loss == Loss::pinball) {
        const double above = loss == Loss::absolute ? 1.0 : level, below = loss == Loss::absolute ? 1.0 : 1.0 - level;
        return walk_up(path, rows, [&, above, below](std::size_t row, std::size_t node) {
            const double d = number[row] - value[node];
            return factor(row) * (d > 0.0 ? above * d : below * -d);
        });
    }
    if (loss == Loss::poisson_sqrt)
        return walk_up(path, rows, [&](std::size_t row, std::size_t node) {
            const double d = std::sqrt(number[row]) - std::sqrt(value[node]);
            return factor(row) * 0.5 * d * d;
        });
    return walk_up(path, rows, [&](std::size_t row, std::size_t node) {
        return factor(row) * half_deviance(number[row], value[node]);
    });
}

}  // namespace ceiba::prune
