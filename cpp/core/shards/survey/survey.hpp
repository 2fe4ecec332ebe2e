// The search for the best split of a node by counts alone, without rows. A survey sets a floor (a gain that some cut
// certainly reaches), bounds the gains inside ranges of a column, and queries ranges that may reach the floor: large
// ones are counted again in parts (zoom), small ones fetched. The remaining cuts are compared exactly, as in memory.
#pragma once

#include "shards/cells.hpp"
#include "shards/protocol.hpp"
#include "split/search_options.hpp"

namespace ceiba::shards {

// Ranges with more rows are zoomed, into at most 2^zoom_bits parts, before they are fetched. The home of the shards
// sets both numbers, because the relative costs of counting again and of sending differ.
struct RangeSizes {
    std::size_t fetch_rows = 4096;
    int zoom_bits = split::zoom_bits;

    std::size_t zoom_parts() const { return std::size_t{1} << zoom_bits; }
};

// The best split, with the sums of its branches over the rows that it places.
struct SurveyedSplit {
    split::Candidate split;
    std::vector<Words> branches;
    Words missing;                 // rows that the split does not place
    double n_without_value = 0.0;  // rows without a value in its column, placed or not
    bool between = false;          // the cut is between two ranges, at least one of which has several values
    RangeQuery below{}, above{};
};

// Several threads can survey the columns: first begin() for all columns; then, as long as next_queries() returns
// queries, mark() for all, next_queries(), and consume() for its queries; finally examine() for all, and decide().
class Survey {
public:
    virtual ~Survey() = default;

    // `cells`: the cells of the column, which must stay valid until it is marked.
    virtual void begin(std::size_t column, std::span<const std::uint64_t> cells) = 0;
    // Finds the cuts of a column that may still win.
    virtual void mark(std::size_t column) = 0;
    // Returns the queries without which the split cannot be chosen: ranges to zoom or, if there are none, to fetch. The
    // answer has about `most_words`; further queries follow later. The most promising ones come first.
    virtual void next_queries(std::size_t node, double most_words, std::vector<RangeQuery>& zoom,
                              std::vector<RangeQuery>& fetch) = 0;
    // The answers to all queries of the last call, in their order; zooms column by column.
    virtual void consume_zoom(std::size_t column, std::span<const std::uint64_t> parts) = 0;
    virtual void consume_fetch(Reader& in) = 0;
    // Finds the best split of a column.
    virtual void examine(std::size_t column) = 0;
    // The best split. Kind none: there is no split.
    virtual SurveyedSplit decide() = 0;
};

// All arguments but the context must outlive the survey.
using MakeSurvey = std::unique_ptr<Survey>(const Layout& layout, const split::SearchOptions& options,
                                           const split::NodeContext& context, const RangeSizes& sizes);
MakeSurvey make_survey;
MakeSurvey survey_classes, survey_numbers;  // each is compiled in a file of its own (statistics/)

// The candidates of a survey, independent of statistic and criterion: the best splits of columns, and ranges that may
// contain a better one.

// A candidate, and the sum of all participating rows.
struct SurveyCandidate {
    SurveyedSplit split;
    Words total;
};

// A range that may contain the best cut, and an upper bound of the merit of its cuts.
struct RangeBound {
    double bound;
    std::size_t column, range;
    double rows;
};

// Chooses the ranges to query now, the most promising first, until the reply has `most_words`. Writes them to
// `queried` by column, ascending. Returns true if they are zoomed, because some have more than `fetch_rows`, and false
// if they are fetched.
bool choose(std::vector<RangeBound>& open_ranges, const RangeSizes& sizes, double most_words, std::size_t width,
            std::vector<std::vector<std::size_t>>& queried);

}  // namespace ceiba::shards
