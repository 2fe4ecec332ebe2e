// The survey for a statistic and a named criterion. Only the files in this folder include it.
#pragma once

#include "shards/survey/node_survey.hpp"
#include "shards/survey/statistic.hpp"

namespace ceiba::shards {

template <class S, class Criteria>
std::unique_ptr<Survey> build(const Layout& layout, const split::SearchOptions& options,
                              const split::NodeContext& context, const RangeSizes& sizes) {
    using SurveyPtr = std::unique_ptr<Survey>;
    return criteria::for_criterion<SurveyPtr, Criteria>(options.criterion, [&]<class C>() -> SurveyPtr {
        if constexpr (split::Bounded<C>) {
            using Criterion = criteria::Shared<C>;
            using Bounds = split::SharedBounds<C>;
            const C criterion = criteria::make_criterion<C>({0, options.conventions.allow_zero_rate});
            return std::make_unique<NodeSurvey<S, Criterion, Bounds>>(layout, options, context, Criterion(criterion),
                                                                      Bounds(split::BoundsOf<C>(criterion)), sizes);
        } else {
            return nullptr;
        }
    });
}

}  // namespace ceiba::shards
