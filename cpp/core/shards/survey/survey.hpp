// The search for the best split of a node by counts alone, without rows. A survey sets a floor (the gain that some cut
// has for certain), bounds the gains inside ranges of a column, and queries those that reach the floor: large ones are
// counted again in parts (zoom), small ones fetched. The remaining cuts are compared exactly, as in memory.
#pragma once

#include "shards/cells.hpp"
#include "shards/protocol.hpp"
#include "split/search_options.hpp"

namespace ceiba::shards {

// Ranges with more rows are zoomed, into at most 2^zoom_bits parts, before they are fetched. The home of the shards
// chooses: what is cheap to count again, or to send, differs.
struct RangeSizes {
    std::size_t fetch_rows = 4096;
    int zoom_bits = split::zoom_bits;

    std::size_t zoom_parts() const { return std::size_t{1} << zoom_bits; }
};

// The best split, with the sums of its branches over the rows that it places.
struct SurveyedSplit {
    split::Candidate split;
    std::vector<Words> branches;
    Words missing;                 // rows that it does not place
    double n_without_value = 0.0;  // rows without a value in its column, placed or not
    bool between = false;          // the cut lies between two ranges, of which at least one holds several values
    RangeQuery below{}, above{};
};

// The columns of a survey can be surveyed by several threads: first begin() for all of them; then, as long as ask()
// asks for something, mark() for all, ask(), and consume() of what it asked for; at last examine() for all, decide().
class Survey {
public:
    virtual ~Survey() = default;

    // `cells`: those of the column, until it is marked.
    virtual void begin(std::size_t column, std::span<const std::uint64_t> cells) = 0;
    // Finds what may still win in a column.
    virtual void mark(std::size_t column) = 0;
    // What must be known before the split can be chosen: ranges to zoom, or if there are none, to fetch. The answer
    // will have about `most_words`; what does not fit is asked for later, and the likeliest first.
    virtual void ask(std::size_t node, double most_words, std::vector<RangeQuery>& zoom,
                     std::vector<RangeQuery>& fetch) = 0;
    // The answers to all that it asked for last, in that order; zooms column by column.
    virtual void consume_zoom(std::size_t column, std::span<const std::uint64_t> parts) = 0;
    virtual void consume_fetch(Reader& in) = 0;
    // Finds the best split of a column.
    virtual void examine(std::size_t column) = 0;
    // The best split; kind none: there is none.
    virtual SurveyedSplit decide() = 0;
};

// All arguments but the context must outlive the survey.
using MakeSurvey = std::unique_ptr<Survey>(const Layout& layout, const split::SearchOptions& options,
                                           const split::NodeContext& context, const RangeSizes& sizes);
MakeSurvey make_survey;
MakeSurvey survey_classes, survey_numbers;  // each is compiled in a file of its own (statistics/)

// What competes in a survey, whatever the statistic and the criterion: the best splits of columns, and ranges that
// may hold a better one.

// A candidate with all that takes part in it.
struct SurveyCandidate {
    SurveyedSplit split;
    Words total;
};

// A range that may hold the best cut, and the merit that none in it can pass.
struct RangeBound {
    double bound;
    std::size_t column, range;
    double rows;
};

// Chooses those to ask for now, the likeliest first, until the answer has `most_words`: by column, ascending, in
// `asked`. True: they are to be zoomed, since some have more than `fetch_rows`; false: fetched.
bool choose(std::vector<RangeBound>& open_ranges, const RangeSizes& sizes, double most_words, std::size_t width,
            std::vector<std::vector<std::size_t>>& asked);

}  // namespace ceiba::shards
