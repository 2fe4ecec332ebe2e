#include "shards/survey/survey.hpp"

#include "shards/survey/statistics/statistics.hpp"

namespace ceiba::shards {

std::unique_ptr<Survey> make_survey(const Layout& layout, const split::SearchOptions& options,
                                    const split::NodeContext& context, const Words& counts, std::size_t fetch_rows) {
    const auto make = layout.shape.classes() ? survey_classes : survey_numbers;
    return make(layout, options, context, counts, fetch_rows);
}

}  // namespace ceiba::shards
