// Surveys of classes and of numbers, each compiled in a file of its own.
#pragma once

#include <memory>

#include "shards/survey/survey.hpp"

namespace ceiba::shards {

using MakeSurvey = std::unique_ptr<Survey>(const Layout& layout, const split::SearchOptions& options,
                                           const split::NodeContext& context, const Words& counts,
                                           std::size_t fetch_rows);
MakeSurvey survey_classes;
MakeSurvey survey_numbers;

}  // namespace ceiba::shards
