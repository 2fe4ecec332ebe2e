#include "shards/survey/statistics/build.hpp"

namespace ceiba::shards {

std::unique_ptr<Survey> survey_classes(const Layout& layout, const split::SearchOptions& options,
                                       const split::NodeContext& context, const RangeSizes& sizes) {
    return build<ClassStatistic, criteria::ScannedClassCriteria>(layout, options, context, sizes);
}

}  // namespace ceiba::shards
