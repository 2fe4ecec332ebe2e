#include "shards/survey/level_counts.hpp"

namespace ceiba::shards {

namespace {

std::size_t branch_of(const split::Candidate& split, std::int32_t code) {
    if (split.kind == split::Kind::presence) return 0;
    const auto at = std::find_if(split.levels.begin(), split.levels.end(),
                                 [code](const split::LevelBranch& l) { return l.code == code; });
    return static_cast<std::size_t>(at->branch);
}

}  // namespace

LevelCounts::LevelCounts(const CellShape& shape, const split::SearchOptions& options,
                         std::span<const std::uint64_t> cells, std::size_t width)
    : options_(options),
      width_(width),
      n_all_levels_(cells.size() / width - 1),
      missing_(cells.end() - static_cast<std::ptrdiff_t>(width), cells.end()),
      n_without_value_(static_cast<std::size_t>(shape.rows(missing_.data()))) {
    for (std::size_t l = 0; l < n_all_levels_; ++l) {
        const auto cell = cells.subspan(l * width, width);
        const std::uint64_t rows = shape.rows(cell.data());
        if (rows == 0) continue;
        code_.push_back(static_cast<std::int32_t>(l));
        rows_.push_back(static_cast<std::size_t>(rows));
        cells_.emplace_back(cell.begin(), cell.end());
    }
}

Words LevelCounts::sum(std::size_t from, std::size_t to) const {
    Words out(width_, 0);
    for (std::size_t l = from; l < to; ++l) add_words(out, cells_[l]);
    return out;
}

split::Candidate LevelCounts::search(const split::Limits& limits, std::vector<Words>& branches) {
    split::Candidate out = split::LevelSearch(options_, *this).search(n_all_levels_, n_without_value_, limits);
    if (!out.found()) return out;
    branches.assign(static_cast<std::size_t>(out.n_branches), Words(width_, 0));
    for (std::size_t l = 0; l < code_.size(); ++l) add_words(branches[branch_of(out, code_[l])], cells_[l]);
    if (out.learned_missing)
        add_words(branches[out.kind == split::Kind::presence ? 1 : static_cast<std::size_t>(out.missing_branch)],
                  missing_);
    return out;
}

}  // namespace ceiba::shards
