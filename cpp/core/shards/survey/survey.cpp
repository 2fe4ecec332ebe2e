#include "shards/survey/survey.hpp"

#include "criteria/registry.hpp"
#include "shards/survey/node_survey.hpp"
#include "shards/survey/statistic.hpp"

namespace ceiba::shards {

namespace {

template <class S, class Criteria>
std::unique_ptr<Survey> made(const Layout& layout, const split::SearchOptions& options,
                             const split::NodeContext& context, const Words& counts, std::size_t fetch_rows) {
    using Made = std::unique_ptr<Survey>;
    return criteria::for_criterion<Made, Criteria>(options.criterion, [&]<class C>() -> Made {
        if constexpr (split::Bounded<C>)
            return std::make_unique<NodeSurvey<S, C>>(layout, options, context, counts, fetch_rows);
        else
            return nullptr;
    });
}

}  // namespace

std::unique_ptr<Survey> make_survey(const Layout& layout, const split::SearchOptions& options,
                                    const split::NodeContext& context, const Words& counts, std::size_t fetch_rows) {
    const auto make = layout.shape.classes() ? made<ClassStatistic, criteria::ScannedClassCriteria>
                                             : made<NumberStatistic, criteria::MomentCriteria>;
    return make(layout, options, context, counts, fetch_rows);
}

}  // namespace ceiba::shards
