#include "shards/survey/level_counts.hpp"

#include <algorithm>
#include <numeric>

#include "base/ascending.hpp"

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
      n_missing_(static_cast<double>(shape.rows(missing_.data()))) {
    for (std::size_t l = 0; l < n_all_levels_; ++l) {
        const auto own = cells.subspan(l * width, width);
        const double rows = static_cast<double>(shape.rows(own.data()));
        if (!(rows > 0.0)) continue;
        code_.push_back(static_cast<std::int32_t>(l));
        rows_.push_back(rows);
        cells_.emplace_back(own.begin(), own.end());
    }
}

void LevelCounts::add(Words& sum, const Words& more) {
    for (std::size_t w = 0; w < sum.size(); ++w) sum[w] += more[w];
}

double LevelCounts::n_present() const { return std::accumulate(rows_.begin(), rows_.end(), 0.0); }

split::Candidate LevelCounts::search(const split::Limits& limits, std::vector<Words>& branches) {
    const bool learn = options_.missing == split::Missing::learn && !options_.multiway;
    n_aside_ = learn ? n_missing() : 0.0;
    split::Candidate out;
    if (code_.size() + (n_aside_ > 0.0) < 2) return out;
    total_.assign(width_, 0);
    for (const Words& own : cells_) add(total_, own);
    if (n_aside_ > 0.0) add(total_, missing_);
    out = options_.multiway ? one_branch_per_level(limits) : best_level_set(limits);
    if (!out.found()) return out;
    if (options_.multiway && options_.empty_branches) branch_for_every_level(out);
    if (out.kind == split::Kind::levels && out.levels.front().branch == 1) {  // branch 0 holds the first level
        for (split::LevelBranch& level : out.levels) level.branch = 1 - level.branch;
        out.missing_branch = 1 - out.missing_branch;
    }
    branches.assign(static_cast<std::size_t>(out.n_branches), Words(width_, 0));
    for (std::size_t l = 0; l < code_.size(); ++l) add(branches[branch_of(out, code_[l])], cells_[l]);
    if (n_aside_ > 0.0)
        add(branches[out.kind == split::Kind::presence ? 1 : static_cast<std::size_t>(out.missing_branch)], missing_);
    return out;
}

void LevelCounts::branch_for_every_level(split::Candidate& split) const {
    split.levels.clear();
    for (std::size_t l = 0; l < n_all_levels_; ++l)
        split.levels.push_back({static_cast<std::int32_t>(l), static_cast<std::int32_t>(l)});
    split.n_branches = static_cast<int>(n_all_levels_);
}

split::Candidate LevelCounts::best_level_set(const split::Limits& limits) {
    split::Candidate out;
    if (best_of_sets(limits, out)) return out;
    out.learned_missing = n_aside_ > 0.0;
    std::vector<double> means(code_.size());
    for (std::size_t l = 0; l < code_.size(); ++l) means[l] = mean(cells_[l]);
    const Order order = base::ascending(means);
    take(total_);
    scan_order(order, limits, out);
    for (const Order& more : more_orders(order, limits)) scan_order(more, limits, out);
    out.tolerance = tolerance();
    return out;
}

// As in split/levels/level_search.cpp: the list of levels is halved again and again.
split::Candidate LevelCounts::one_branch_per_level(const split::Limits& limits) {
    split::Candidate out;
    for (double rows : rows_)
        if (rows < static_cast<double>(limits.min_rows)) return out;
    take(total_);
    out.tolerance = tolerance();
    std::vector<std::pair<std::size_t, std::size_t>> open{{0, code_.size()}};
    while (!open.empty()) {
        const auto [from, to] = open.back();
        open.pop_back();
        if (to - from < 2) continue;
        const std::size_t middle = from + (to - from) / 2;
        Words left(width_, 0), all(width_, 0);
        for (std::size_t l = from; l < to; ++l) add(all, cells_[l]);
        for (std::size_t l = from; l < middle; ++l) add(left, cells_[l]);
        if (!halve(all, left, middle - from == 1, to - middle == 1, limits, out.gain)) return out;
        open.emplace_back(from, middle);
        open.emplace_back(middle, to);
    }
    out.kind = split::Kind::levels;
    out.n_branches = static_cast<int>(code_.size());
    for (std::size_t l = 0; l < code_.size(); ++l) out.levels.push_back({code_[l], static_cast<std::int32_t>(l)});
    return out;
}

}  // namespace ceiba::shards
