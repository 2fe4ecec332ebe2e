#include "optimal/exact/bit_search.hpp"

namespace ceiba::optimal {

namespace {

// Columns with more ranks are searched by intervals of cuts.
constexpr std::uint32_t most_ranks = 2;

}  // namespace

bool BitSearch::applies(const Features& features) {
    return !features.all.empty() && !features.has_unranked &&
           std::all_of(features.all.begin(), features.all.end(),
                       [](const Feature& f) { return !f.bounds_only && f.n_ranks <= most_ranks; });
}

BitSearch::BitSearch(const Features& features, const Rules& rules, Clock& clock, Cache& cache)
    : features_(features),
      rules_(rules),
      clock_(clock),
      cache_(cache),
      whole_(rules.penalty == 0.0),
      remembers_(rules.max_depth >= 4 && cache.enabled()),
      table_(bit_table(features, most_ranks)) {
    const std::size_t n = features.all[0].rank.size();
    for (std::size_t i = 0; i < n; ++i) row_hash_.push_back(Cache::row_hash(i));
}

BitSearch::Level& BitSearch::level(int depth) {
    const auto at = static_cast<std::size_t>(depth);
    if (levels_.size() <= at) levels_.resize(at + 1);
    if (!levels_[at]) levels_[at] = std::make_unique<Level>();
    return *levels_[at];
}

Solution BitSearch::solve(const Node& node, int depth, int leaves, double bound, Observer* observer) {
    const RowData& data = node.data;
    Part all;
    std::vector<std::uint32_t>& begin = all.rows.begin;
    begin.assign(1 + 1 + *std::max_element(data.label.begin(), data.label.end()), 0);
    for (std::uint16_t k : data.label) ++begin[k + 1u];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint32_t> to(begin);
    all.rows.row.resize(node.n_rows());
    for (std::size_t i = 0; i < node.n_rows(); ++i) all.rows.row[to[data.label[i]]++] = data.row[i];
    if (!data.floor.empty()) {
        row_floor_.resize(row_hash_.size());
        for (std::size_t i = 0; i < node.n_rows(); ++i) row_floor_[data.row[i]] = data.floor[i];
    }
    finish(all);
    return solve(all, depth, leaves, bound, observer);
}

void BitSearch::finish(Part& part) const {
    part.find = part.verify = 0;
    part.floor = 0.0;
    if (remembers_)
        for (std::uint32_t row : part.rows.row) part.find += row_hash_[row][0], part.verify += row_hash_[row][1];
    if (!row_floor_.empty())
        for (std::uint32_t row : part.rows.row) part.floor += row_floor_[row];
    part.leaf = static_cast<double>(part.rows.size()) - part.rows.most() + rules_.penalty;
    part.floor += rules_.penalty;
}

void BitSearch::divide(const Part& node, std::uint32_t cut, std::array<Part, 2>& part) const {
    const std::size_t n_classes = node.rows.n_classes();
    for (Part& p : part) p.rows.row.resize(node.rows.size()), p.rows.begin.assign(1, 0);
    std::uint32_t* const to[2] = {part[0].rows.row.data(), part[1].rows.row.data()};
    std::uint32_t n[2] = {};
    for (std::size_t k = 0; k < n_classes; ++k) {
        for (std::uint32_t i = node.rows.begin[k]; i < node.rows.begin[k + 1]; ++i) {
            const std::uint32_t row = node.rows.row[i];
            const bool side = table_.is_one(row, cut);
            to[0][n[0]] = to[1][n[1]] = row;  // the side without the row is overwritten later
            n[0] += !side, n[1] += side;
        }
        for (int s = 0; s < 2; ++s) part[s].rows.begin.push_back(n[s]);
    }
    for (int s = 0; s < 2; ++s) {
        part[s].rows.row.resize(n[s]);
        finish(part[s]);
    }
}

// A lower bound of trees with at least one split: with fewer leaves than classes, the rarest classes are misclassified.
double BitSearch::split_bound(const Part& node, int leaves) const {
    double least = node.floor + rules_.penalty;
    const std::size_t n_classes = node.rows.n_classes(), n_leaves = static_cast<std::size_t>(leaves);
    if (n_leaves >= n_classes) return least;
    std::vector<std::int32_t> count;
    for (std::size_t k = 0; k < n_classes; ++k) count.push_back(node.rows.count(k));
    std::sort(count.begin(), count.end());
    const auto lost = std::accumulate(count.begin(), count.end() - leaves, 0);
    return std::max(least, lost + 2.0 * rules_.penalty);
}

// A lower bound of all trees, without a search: from the leaf, split_bound() and the cache.
double BitSearch::known_bound(const Part& node, int depth, int leaves) {
    depth = std::min(depth, leaves - 1);
    if (depth < 31) leaves = std::min(leaves, 1 << depth);
    double least = std::min(node.leaf, depth < 1 ? node.leaf : split_bound(node, leaves));
    if (depth < 2 || !remembers_) return least;
    const Cache::Key key{node.find, node.verify, static_cast<std::uint32_t>(node.rows.size()), depth, leaves};
    if (const CacheEntry* entry = cache_.find(key)) least = std::max(least, entry->relaxed);
    return least;
}

Solution BitSearch::solve(const Part& node, int depth, int leaves, double bound, Observer* observer) {
    depth = std::min(depth, leaves - 1);
    if (depth < 31) leaves = std::min(leaves, 1 << depth);
    // An observer of every cut also receives cuts without a gain.
    const bool every_cut = observer && observer->every_cut();
    const double goal = (every_cut ? observer->keep_below(bound) : std::min(bound, node.leaf)) - rules_.tolerance;
    Solution best;
    best.relaxed = node.leaf;
    if (node.leaf < bound) best.value = node.leaf;
    if (depth < 1 || node.rows.size() < 2 * rules_.min_rows) return best;
    if (const double least = split_bound(node, leaves); least >= goal) {
        best.relaxed = std::min(best.relaxed, least);
        return best;
    }
    if (depth < 2 || observer || !remembers_) return search(node, depth, leaves, bound, observer);
    const Cache::Key key{node.find, node.verify, static_cast<std::uint32_t>(node.rows.size()), depth, leaves};
    double known_relaxed = 0.0;
    if (const CacheEntry* entry = cache_.find(key)) {
        if (entry->value < infinite || entry->tried >= bound)
            return {entry->value < bound ? entry->value : infinite, entry->relaxed, entry->plan};
        known_relaxed = entry->relaxed;
    }
    best = search(node, depth, leaves, bound, nullptr);
    best.relaxed = std::max(best.relaxed, known_relaxed);
    cache_.keep(key, {best.relaxed, best.value, std::max(bound, best.relaxed), best.plan});
    return best;
}

Solution BitSearch::search(const Part& node, int depth, int leaves, double bound, Observer* observer) {
    NodeBits& bits = level(depth).bits;
    bits.fill(node.rows, table_.bits.data(), table_.n_blocks, table_.cuts.size());
    const std::size_t n_columns = bits.n_columns();
    // An entry of the other search costs about as much as eight pairs of words.
    clock_.spend(node.rows.size() + n_columns * (depth == 2 ? n_columns : 1) * (bits.n_words() + 4) / 16);
    if (depth > 2 || (observer && observer->every_cut())) return deeper(node, depth, leaves, bound, observer);
    if (observer) observer->bounded(std::min(split_bound(node, leaves), bound));
    const Solution best = depth == 1 ? stump(node, bound) : two_levels(node, leaves, bound);
    if (observer && best.plan) observer->improved(best.value, best.plan);
    return best;
}

std::size_t BitSearch::best_stump(const Part& node, const NodeBits& bits, std::int32_t& right) const {
    const auto n = static_cast<std::int32_t>(node.rows.size());
    const auto min_rows = static_cast<std::int32_t>(rules_.min_rows);
    std::size_t best = 0;
    right = -1;
    for (std::size_t c = 0; c < bits.n_columns(); ++c) {
        if (std::min(bits.n_ones[c], n - bits.n_ones[c]) < min_rows) continue;
        const auto most = bits.leaves(node.rows, c);
        if (most[0] + most[1] > right) right = most[0] + most[1], best = c;
    }
    return best;
}

Solution BitSearch::stump(const Part& node, double bound) {
    const NodeBits& bits = level(1).bits;
    std::int32_t right = -1;
    const std::size_t c = best_stump(node, bits, right);
    Solution best;
    best.relaxed = node.leaf;
    if (node.leaf < bound) best.value = node.leaf;
    if (right < 0) return best;
    const double value = static_cast<double>(node.rows.size()) - right + 2.0 * rules_.penalty;
    best.relaxed = std::min(best.relaxed, value);
    if (value < std::min(node.leaf, bound) - rules_.tolerance) {
        best.value = value;
        best.plan = plan_of(node, bits.column[c], {}, {});
    }
    return best;
}

Solution BitSearch::two_levels(const Part& node, int leaves, double bound) {
    const NodeBits& bits = level(2).bits;
    pairs_.scan(node.rows, bits, rules_.min_rows);
    Solution best;
    best.relaxed = node.leaf;
    if (node.leaf < bound) best.value = node.leaf;
    struct Winner {
        std::size_t column = 0;
        bool splits[2] = {};  // whether each side has a split
    } winner;
    const auto n = static_cast<std::int32_t>(node.rows.size());
    for (std::size_t c = 0; c < bits.n_columns(); ++c) {
        const std::int32_t n_side[2] = {n - bits.n_ones[c], bits.n_ones[c]};
        if (static_cast<std::size_t>(std::min(n_side[0], n_side[1])) < rules_.min_rows) continue;
        const auto most = bits.leaves(node.rows, c);
        double leaf[2], least[2];
        for (int s = 0; s < 2; ++s) {
            leaf[s] = n_side[s] - most[s] + rules_.penalty;
            least[s] = std::min(leaf[s], n_side[s] - pairs_.right[s][c] + 2.0 * rules_.penalty);
        }
        const bool only_left = leaves < 4 && least[0] + leaf[1] <= leaf[0] + least[1];
        if (leaves < 4) least[only_left] = leaf[only_left];
        const double value = least[0] + least[1];
        best.relaxed = std::min(best.relaxed, value);
        if (!(value < std::min(bound, best.value) - rules_.tolerance)) continue;
        best.value = value;
        winner = {c, {least[0] < leaf[0] - rules_.tolerance, least[1] < leaf[1] - rules_.tolerance}};
    }
    if (!(best.value < std::min(bound, node.leaf) - rules_.tolerance)) return best;
    Level& at = level(2);
    const std::uint32_t cut = bits.column[winner.column];
    divide(node, cut, at.part);
    PlanPtr below[2];
    for (int s = 0; s < 2; ++s)
        if (winner.splits[s]) below[s] = stump_of(at.part[s]);
    best.plan = plan_of(node, cut, below[0], below[1]);
    return best;
}

PlanPtr BitSearch::stump_of(const Part& node) {
    NodeBits& bits = level(1).bits;
    bits.fill(node.rows, table_.bits.data(), table_.n_blocks, table_.cuts.size());
    std::int32_t right = -1;
    return plan_of(node, bits.column[best_stump(node, bits, right)], {}, {});
}

Solution BitSearch::deeper(const Part& node, int depth, int leaves, double bound, Observer* observer) {
    Level& at = level(depth);
    const NodeBits& bits = at.bits;
    const std::size_t n = node.rows.size(), n_columns = bits.n_columns();
    const double least = split_bound(node, leaves);
    for (auto& of_side : at.least) of_side.assign(n_columns, rules_.penalty);
    Solution best;
    best.relaxed = node.leaf;
    if (node.leaf < bound) best.value = node.leaf;
    for (std::size_t c = 0; c < n_columns; ++c) {
        double limit = std::min(bound, best.value);
        if (observer) {
            observer->bounded(std::min(least, limit));
            limit = observer->keep_below(limit);
        }
        if (least >= limit - rules_.tolerance) {
            best.relaxed = std::min(best.relaxed, least);
            break;
        }
        const auto n_ones = static_cast<std::size_t>(bits.n_ones[c]);
        if (std::min(n_ones, n - n_ones) < rules_.min_rows) continue;
        std::array<double, 2> parts{at.least[0][c], at.least[1][c]};
        if (parts[0] + parts[1] < limit - rules_.tolerance) {
            divide(node, bits.column[c], at.part);
            Solution with_cut = below_cut(at, depth, leaves, limit, parts);
            at.least[0][c] = parts[0], at.least[1][c] = parts[1];
            if (rules_.min_rows <= 1) bound_similar(at, c, n);
            if (with_cut.found()) {
                with_cut.plan = plan_of(node, bits.column[c], with_cut.plan->left, with_cut.plan->right);
                if (observer) observer->evaluated(with_cut.value, with_cut.plan);
                if (with_cut.value < best.value - rules_.tolerance) {
                    best.value = with_cut.value;
                    best.plan = with_cut.plan;
                    if (observer) observer->improved(best.value, best.plan);
                }
            }
        }
        best.relaxed = std::min(best.relaxed, parts[0] + parts[1]);
    }
    return best;
}

// The best tree below a cut if it costs less than `limit`, as a plan whose root has no cut yet. `least`: lower bounds
// of the two parts, which the search raises.
Solution BitSearch::below_cut(Level& level, int depth, int leaves, double limit, std::array<double, 2>& least) {
    const std::size_t a = level.part[0].rows.size() >= level.part[1].rows.size() ? 0 : 1, b = 1 - a;
    // With a limit on leaves, tries all distributions over the two parts; otherwise each part has the full number.
    const int half = depth - 1 < 30 ? 1 << (depth - 1) : 1 << 30;
    const int first = std::max(1, leaves - half), last = std::min(half, leaves - 1);
    for (std::size_t s = 0; s < 2; ++s)
        least[s] = std::max(least[s], known_bound(level.part[s], depth - 1, last));
    Solution best;
    for (int on_left = last; on_left >= first; --on_left) {
        const std::array<int, 2> share{on_left, leaves >= 2 * half ? half : leaves - on_left};
        if (!(least[0] + least[1] < limit - rules_.tolerance)) break;
        std::array<Solution, 2> solution;
        const auto solve_side = [&](std::size_t s, double bound) {
            solution[s] = solve(level.part[s], depth - 1, share[s], bound, nullptr);
            const double loss = solution[s].found() ? solution[s].value : solution[s].relaxed;
            if (share[s] == last) least[s] = std::max(least[s], below(loss));
            return solution[s].found();
        };
        if (!solve_side(a, limit - least[b]) || !solve_side(b, limit - solution[a].value)) continue;
        const double value = solution[0].value + solution[1].value;
        if (!(value < limit - rules_.tolerance)) continue;
        best.value = limit = value;
        best.plan = std::make_shared<const Plan>(Plan{0, 0, 0, false, solution[0].plan, solution[1].plan});
    }
    return best;
}

// Derives lower bounds of the parts of later columns from the parts of a column that was searched: |T \ S| is the
// number of rows of T that have the other value in column c.
void BitSearch::bound_similar(Level& level, std::size_t tried, std::size_t n_rows) const {
    const NodeBits& bits = level.bits;
    const std::size_t n_columns = bits.n_columns();
    const double left = level.least[0][tried], right = level.least[1][tried];
    const std::int32_t in_tried = bits.n_ones[tried];
    std::vector<std::int32_t> shared(bits.stride(), 0);
    MaskedCounts{bits.words.data(), bits.n_words(), bits.stride(), tried + 1, bits.words.data() + tried,
                 bits.stride(),     shared.data()}
        .add();
    for (std::size_t c = tried + 1; c < n_columns; ++c) {
        const std::int32_t both = shared[c], only_tried = in_tried - both, only_c = bits.n_ones[c] - both;
        const std::int32_t neither = static_cast<std::int32_t>(n_rows) - in_tried - only_c;
        level.least[0][c] = std::max({level.least[0][c], left - only_c, right - both});
        level.least[1][c] = std::max({level.least[1][c], right - only_tried, left - neither});
    }
}

PlanPtr BitSearch::plan_of(const Part& node, std::uint32_t cut, PlanPtr left, PlanPtr right) const {
    const Feature& feature = features_.all[table_.cuts[cut].feature];
    std::uint32_t lower = 0, upper = feature.n_ranks - 1;  // the nearest ranks in the node on both sides of the cut
    for (std::uint32_t row : node.rows.row) {
        const std::uint32_t rank = feature.rank[row];
        if (rank > table_.cuts[cut].lower)
            upper = std::min(upper, rank);
        else
            lower = std::max(lower, rank);
    }
    return std::make_shared<const Plan>(
        Plan{table_.cuts[cut].feature, lower, upper, false, std::move(left), std::move(right)});
}

}  // namespace ceiba::optimal
