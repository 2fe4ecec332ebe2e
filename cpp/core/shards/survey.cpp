#include "shards/survey.hpp"

#include "criteria/registry.hpp"
#include "shards/node_survey.hpp"
#include "shards/statistic.hpp"

namespace ceiba::shards {

std::unique_ptr<Survey> make_survey(const Layout& layout, const split::SearchOptions& options,
                                    const split::NodeContext& context, const Words& counts, std::size_t fetch_rows) {
    using Made = std::unique_ptr<Survey>;
    return criteria::for_criterion<Made, criteria::ScannedClassCriteria>(options.criterion, [&]<class C>() -> Made {
        if constexpr (split::Bounded<C>)
            return std::make_unique<NodeSurvey<ClassStatistic, C>>(layout, options, context, counts, fetch_rows);
        else
            return nullptr;
    });
}

}  // namespace ceiba::shards
