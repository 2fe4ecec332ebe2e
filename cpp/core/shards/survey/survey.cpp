
#include "shards/survey/survey.hpp"

namespace ceiba::shards {

bool choose(std::vector<RangeBound>& open_ranges, const RangeSizes& sizes, double most_words, std::size_t width,
            std::vector<std::vector<std::size_t>>& queried) {
    const double fetch_rows = static_cast<double>(sizes.fetch_rows);
    const auto large = [fetch_rows](const RangeBound& h) { return h.rows > fetch_rows; };
    const bool zooms = std::any_of(open_ranges.begin(), open_ranges.end(), large);
    if (zooms) std::erase_if(open_ranges, [&](const RangeBound& h) { return !large(h); });
    std::vector<double> falling;
    for (const RangeBound& h : open_ranges) falling.push_back(-h.bound);
    base::sort_by(falling, open_ranges);
    for (auto& ranges : queried) ranges.clear();
    const double words_of_row = static_cast<double>(width) + 1.0,
                 words_of_zoom = static_cast<double>(sizes.zoom_parts()) * static_cast<double>(width);
    double words = 0.0;
    for (const RangeBound& h : open_ranges) {
        if (words > most_words) break;
        words += zooms ? words_of_zoom : h.rows * words_of_row;
        queried[h.column].push_back(h.range);
    }
    for (auto& ranges : queried) std::sort(ranges.begin(), ranges.end());
    return zooms;
}

std::unique_ptr<Survey> make_survey(const Layout& layout, const split::SearchOptions& options,
                                    const split::NodeContext& context, const RangeSizes& sizes) {
    const auto make = layout.shape.classes() ? survey_classes : survey_numbers;
    return make(layout, options, context, sizes);
}

}  // namespace ceiba::shards
