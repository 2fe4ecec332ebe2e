
#include "shards/survey/survey.hpp"
#include "base/sort.hpp"

namespace ceiba::shards {

std::vector<const Found*> by_column(const std::vector<Found>& found) {
    std::vector<const Found*> out;
    for (const Found& one : found) out.push_back(&one);
    std::sort(out.begin(), out.end(),
              [](const Found* a, const Found* b) { return a->split.split.column < b->split.split.column; });
    return out;
}

bool choose(std::vector<Hopeful>& hopeful, double fetch_rows, double most_words, std::size_t width,
            std::vector<std::vector<std::size_t>>& asked) {
    const auto large = [fetch_rows](const Hopeful& h) { return h.rows > fetch_rows; };
    const bool zooms = std::any_of(hopeful.begin(), hopeful.end(), large);
    if (zooms) std::erase_if(hopeful, [&](const Hopeful& h) { return !large(h); });
    std::vector<double> falling;
    for (const Hopeful& h : hopeful) falling.push_back(-h.bound);
    base::sort_by(falling, hopeful);
    for (auto& stretches : asked) stretches.clear();
    const double words_of_row = static_cast<double>(width) + 1.0,
                 words_of_zoom = static_cast<double>(zoom_parts) * static_cast<double>(width);
    double words = 0.0;
    for (const Hopeful& h : hopeful) {
        if (words > most_words) break;
        words += zooms ? words_of_zoom : h.rows * words_of_row;
        asked[h.column].push_back(h.stretch);
    }
    for (auto& stretches : asked) std::sort(stretches.begin(), stretches.end());
    return zooms;
}

std::unique_ptr<Survey> make_survey(const Layout& layout, const split::SearchOptions& options,
                                    const split::NodeContext& context, const Words& counts, std::size_t fetch_rows) {
    const auto make = layout.shape.classes() ? survey_classes : survey_numbers;
    return make(layout, options, context, counts, fetch_rows);
}

}  // namespace ceiba::shards
