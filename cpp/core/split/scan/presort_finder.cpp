// Chooses the statistic for a target.
#include "criteria/class_division.hpp"
#include "split/scan/column_finder.hpp"
#include "split/scan/statistics/statistics.hpp"

namespace ceiba::split {

std::unique_ptr<ColumnFinder> make_presort_finder(const data::TargetRows& target, const SearchOptions& options,
                                                  int n_threads) {
    const bool weighted = !target.weight.empty() || !options.class_scale.empty() ||
                          options.missing == Missing::fractional || criteria::too_many_to_count(target);
    const auto search = [&](auto plain, auto with_weights) {
        return weighted ? with_weights(target, options, n_threads) : plain(target, options, n_threads);
    };
    if (target.classification()) {
        if (target.n_classes.size() > 1) return search(search_class_outputs, search_weighted_class_outputs);
        return search(target.n_classes[0] == 2 ? search_two_classes : search_classes, search_weighted_classes);
    }
    if (options.criterion == criteria::name_of<criteria::AbsoluteError>())
        return search(search_medians, search_weighted_medians);
    return search(search_numbers, search_weighted_numbers);
}

}  // namespace ceiba::split
