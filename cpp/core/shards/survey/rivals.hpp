// What competes in a survey, whatever the statistic and the criterion: the best splits of columns, and stretches that
// may hold a better one.
#pragma once

#include <cstddef>
#include <vector>

#include "shards/message.hpp"
#include "shards/survey/survey.hpp"

namespace ceiba::shards {

// A candidate with all that takes part in it.
struct Found {
    SurveyedSplit split;
    Words total;
};
// In ascending order of their columns, which differ.
std::vector<const Found*> by_column(const std::vector<Found>& found);

// A stretch that may hold the best cut, and the merit that none in it can pass.
struct Hopeful {
    double bound;
    std::size_t column, stretch;
    double rows;
};

// Chooses those to ask for now, the likeliest first, until the answer has `most_words`: by column, ascending, in
// `asked`. True: they are to be zoomed, since some have more than `fetch_rows`; false: fetched.
bool choose(std::vector<Hopeful>& hopeful, double fetch_rows, double most_words, std::size_t width,
            std::vector<std::vector<std::size_t>>& asked);

}  // namespace ceiba::shards
