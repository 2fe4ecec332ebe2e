#include "shards/survey/statistics/build.hpp"

namespace ceiba::shards {

std::unique_ptr<Survey> survey_numbers(const Layout& layout, const split::SearchOptions& options,
                                       const split::NodeContext& context, const Words& counts, std::size_t fetch_rows) {
    return build<NumberStatistic, criteria::MomentCriteria>(layout, options, context, counts, fetch_rows);
}

}  // namespace ceiba::shards
