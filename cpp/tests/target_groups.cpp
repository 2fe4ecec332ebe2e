// Tests groups of the target against all partitions of its rows, for few rows, weights and ties.
#include "optimal/exact/target_groups.hpp"

#include <cmath>

#include "check.hpp"

namespace ceiba::tests {

namespace {

using optimal::RowData;

double squared_error(const RowData& data, const std::vector<std::size_t>& rows) {
    double sum = 0.0, weight = 0.0, loss = 0.0;
    for (std::size_t i : rows) sum += data.weight_of(i) * data.number[i], weight += data.weight_of(i);
    for (std::size_t i : rows) loss += data.weight_of(i) * std::pow(data.number[i] - sum / weight, 2);
    return loss;
}

// The least loss of all maps of rows to groups, whether or not groups are runs of the sorted target.
double brute(const RowData& data, std::size_t groups) {
    const std::size_t n = data.size();
    double least = std::numeric_limits<double>::infinity();
    std::size_t maps = 1;
    for (std::size_t i = 0; i < n; ++i) maps *= groups;
    for (std::size_t map = 0; map < maps; ++map) {
        std::vector<std::vector<std::size_t>> part(groups);
        for (std::size_t i = 0, rest = map; i < n; ++i, rest /= groups) part[rest % groups].push_back(i);
        double loss = 0.0;
        for (const auto& rows : part)
            if (!rows.empty()) loss += squared_error(data, rows);
        least = std::min(least, loss);
    }
    return least;
}

RowData draw(Numbers& numbers) {
    RowData data;
    const std::size_t n = 1 + numbers.below(7);
    const bool ties = numbers.bits() & 1, weighted = numbers.bits() & 1;
    for (std::uint32_t i = 0; i < n; ++i) {
        data.number.push_back(ties ? static_cast<double>(numbers.below(4)) : numbers.uniform());
        if (weighted) data.weight.push_back(0.1 + numbers.uniform());
        data.row.push_back(i);
    }
    return data;
}

void run() {
    Numbers numbers(11);
    optimal::TargetGroups groups;
    for (int trial = 0; trial < 300; ++trial) {
        const RowData data = draw(numbers);
        const std::size_t most = 2 + numbers.below(3);
        const std::vector<double> loss = groups.losses(data, most);
        double least = std::numeric_limits<double>::infinity();
        const double penalty = numbers.bits() & 1 ? 0.0 : 0.3 * numbers.uniform();
        for (std::size_t k = 1; k <= most; ++k) {
            check(std::abs(loss[k - 1] - brute(data, k)) < 1e-9, "the groups are the best ones");
            if (k > 1) least = std::min(least, loss[k - 1] + static_cast<double>(k) * penalty);
        }
        for (const double enough : {0.0, 0.5 * least, 0.999 * least, 2.0 * least}) {
            const double bound = groups.bound(data, most, penalty, enough);
            check(bound <= least + 1e-9, "the bound is one");
            check(data.size() < 2 || enough >= least || std::abs(bound - least) < 1e-9, "and is not given up early");
        }
    }
}

const Suite suite("target_groups", run);

}  // namespace

}  // namespace ceiba::tests
