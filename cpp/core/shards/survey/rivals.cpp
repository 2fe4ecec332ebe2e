#include "shards/survey/rivals.hpp"

#include <algorithm>

#include "shards/rounds.hpp"

namespace ceiba::shards {

void sort_by_column(std::vector<Found>& found) {
    std::stable_sort(found.begin(), found.end(),
                     [](const Found& a, const Found& b) { return a.split.split.column < b.split.split.column; });
}

bool choose(std::vector<Hopeful>& hopeful, double fetch_rows, double most_words, std::size_t width,
            std::vector<std::vector<std::size_t>>& asked) {
    const auto large = [fetch_rows](const Hopeful& h) { return h.rows > fetch_rows; };
    const bool zooms = std::any_of(hopeful.begin(), hopeful.end(), large);
    if (zooms) std::erase_if(hopeful, [&](const Hopeful& h) { return !large(h); });
    std::stable_sort(hopeful.begin(), hopeful.end(),
                     [](const Hopeful& a, const Hopeful& b) { return a.bound > b.bound; });
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

}  // namespace ceiba::shards
