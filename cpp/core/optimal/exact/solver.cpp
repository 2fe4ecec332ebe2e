#include "optimal/exact/solver.hpp"

namespace ceiba::optimal {

namespace {

// Splits an interval at an evaluated cut with the given losses of its two sides.
void split_interval(const Interval& i, std::int64_t cut, double left, double right, OpenCuts& open) {
    Interval low = i, high = i;
    low.high = cut - 1, low.to = cut, low.right = right, low.above = left + right;
    high.low = cut + 1, high.from = cut, high.left = left, high.below = left + right;
    low.key = std::max(i.key, low.left + low.right);
    high.key = std::max(i.key, high.left + high.right);
    open.push(low);
    open.push(high);
}

}  // namespace

Solution Solver::solve(const Node& node, int depth, int leaves, double bound, Observer* observer) {
    if (bits_) return bits_->solve(node, depth, leaves, bound, observer);
    depth = std::min(depth, leaves - 1);
    if (depth < 31) leaves = std::min(leaves, 1 << depth);
    const double leaf = leaf_value(node);
    // An observer of every cut also receives cuts without a gain.
    const bool every_cut = observer && observer->every_cut();
    const double goal = (every_cut ? observer->keep_below(bound) : std::min(bound, leaf)) - rules_.tolerance;
    const double least = split_bound(node, depth, leaves, goal);
    Solution best;
    best.relaxed = std::min(leaf, least);
    if (leaf < bound) best.value = leaf;
    if (depth < 1 || node.n_rows() < 2 * rules_.min_rows || node.n_rows() < 2 || least >= goal) {
        if (depth < 1 || node.n_rows() < 2) best.relaxed = leaf;
        return best;
    }
    if (depth == 1 && !every_cut) return stump(node, leaf, bound);
    const bool remember = depth >= 2 && observer == nullptr && rules_.max_depth >= 4 && cache_.enabled();
    if (!remember) return search(node, depth, leaves, leaf, least, bound, observer);
    const Cache::Key key = Cache::key(node, depth, leaves);
    double known_relaxed = 0.0;
    if (const CacheEntry* entry = cache_.find(key)) {
        known_relaxed = entry->relaxed;
        if (entry->value < infinite || entry->tried >= bound) {
            Solution solution{entry->value < bound ? entry->value : infinite, entry->relaxed, entry->plan};
            return solution;
        }
    }
    best = search(node, depth, leaves, leaf, std::max(least, known_relaxed < leaf ? known_relaxed : least), bound,
                  nullptr);
    best.relaxed = std::max(best.relaxed, known_relaxed);
    cache_.keep(key, {best.relaxed, best.value, bound, best.plan});
    return best;
}

Solution Solver::stump(const Node& node, double leaf, double bound) {
    whole_.assign(node.n_rows(), 0);
    clock_.spend(node.n_rows() * node.n_features());
    const double two = 2.0 * rules_.penalty;
    const Stump best = best_stump(node, whole_, 0, nullptr, -infinite);
    Solution solution;
    solution.relaxed = std::min(leaf, best.relaxed + two);
    if (best.loss + two < std::min(leaf, bound) - rules_.tolerance) {
        solution.value = best.loss + two;
        solution.plan = plan_of(node, static_cast<std::size_t>(best.feature), best.position, best.missing_left, {}, {});
    } else if (leaf < bound) {
        solution.value = leaf;
    }
    return solution;
}

Solution Solver::search(const Node& node, int depth, int leaves, double leaf, double least, double bound,
                        Observer* observer) {
    Solution best;
    best.relaxed = leaf;
    if (leaf < bound) best.value = leaf;
    OpenCuts open(node, rule_, traits_.cap_sums);
    const double nothing = rules_.penalty;
    for (std::size_t f = 0; f < node.n_features(); ++f) {
        if (observer && features_.all[f].bounds_only) continue;  // only a parent needs this bound
        open.push({least, static_cast<std::uint32_t>(f), 0, static_cast<std::int64_t>(open.cuts(f).size()) - 1, nothing,
                   nothing, -infinite, -infinite, -1, -1});
    }
    std::array<Interval, 2> taken;
    if (depth == 2 && traits_.whole) cut_bits_.fill(features_, node, rule_.n_classes);
    while (!open.empty()) {
        double limit = std::min(bound, best.value);
        if (observer) {
            observer->bounded(std::min(open.top().key, limit));
            limit = observer->keep_below(limit);
        }
        const double goal = limit - rules_.tolerance;
        if (open.top().key >= goal) break;
        std::size_t n_taken = 0;
        const std::size_t at_once = depth == 2 && traits_.two_at_once ? 2 : 1;
        while (n_taken < at_once && !open.empty() && open.top().key < goal) {
            Interval i = open.pop();
            if (open.shrink(node, i, goal)) best.relaxed = std::min(best.relaxed, goal);
            if (i.low <= i.high) taken[n_taken++] = i;
        }
        if (n_taken == 0) continue;
        if (depth == 2)
            try_two_levels(node, leaves, taken, n_taken, open, bound, best, observer);
        else
            try_deeper(node, depth, leaves, taken[0], open, limit, best, observer);
    }
    if (!open.empty()) best.relaxed = std::min(best.relaxed, open.top().key);
    return best;
}

Solver::SideCost Solver::side_cost(const Sides& sides, std::size_t s) const {
    const double leaf = sides.leaf[s] + rules_.penalty, two = 2.0 * rules_.penalty;
    const double allowed = sides.n_rows[s] < rules_.min_rows ? infinite : leaf;
    return {std::min(leaf, sides.relaxed[s] + two), allowed, std::min(allowed, sides.stump[s] + two)};
}

void Solver::try_two_levels(const Node& node, int leaves, const std::array<Interval, 2>& taken, std::size_t n_taken,
                            OpenCuts& open, double bound, Solution& best, Observer* observer) {
    const CutBits* const bits = traits_.whole ? &cut_bits_ : nullptr;
    const bool scans = !bits || bits->n_others() > 0;  // otherwise only plans need the sides of rows
    std::array<bool, 2> missing_left{};
    const auto mark = [&](std::size_t t) {
        missing_left[t] = mark_sides(node, taken[t].feature, open.position(taken[t], taken[t].middle()), side_[t]);
    };
    const auto count = [&](std::size_t t) {
        if (bits->has(taken[t].feature))
            cut_bits_.select(taken[t].feature, static_cast<std::size_t>(taken[t].middle()));
        else
            cut_bits_.select(node, side_[t]);
        return cut_bits_.stumps(rules_.min_rows);
    };
    clock_.spend(node.n_rows() * node.n_features());
    std::array<Sides, 2> sides;
    for (std::size_t t = 0; t < n_taken; ++t) {
        if (scans) mark(t);
        if (bits) sides[t] = count(t);
    }
    if (scans) evaluate(node, side_, n_taken, bits, sides);
    for (std::size_t t = 0; t < n_taken; ++t) {
        const Interval& i = taken[t];
        const SideCost a = side_cost(sides[t], 0), b = side_cost(sides[t], 1);
        const double value = leaves >= 4 ? a.best + b.best : std::min(a.best + b.leaf, a.leaf + b.best);
        const double left = std::max(i.left, a.relaxed), right = std::max(i.right, b.relaxed);
        best.relaxed = std::min(best.relaxed, left + right);
        const bool better =
            !features_.all[i.feature].bounds_only && value < std::min(bound, best.value) - rules_.tolerance;
        const bool listed = observer && observer->every_cut() && value < observer->keep_below(bound) - rules_.tolerance;
        if (better || listed) {
            if (!scans) mark(t);
            if (bits) count(t);  // the last counts may be those of the other cut
            PlanPtr plan =
                two_levels(node, leaves, i.feature, open.position(i, i.middle()), missing_left[t], sides[t], side_[t]);
            if (listed) observer->evaluated(value, plan);
            if (better) {
                best.value = value;
                best.plan = std::move(plan);
                if (observer) observer->improved(best.value, best.plan);
            }
        }
        split_interval(i, i.middle(), left, right, open);
    }
}

PlanPtr Solver::two_levels(const Node& node, int leaves, std::size_t f, std::uint32_t position, bool missing_left,
                           const Sides& sides, const SideOf& side) {
    const SideCost cost[2] = {side_cost(sides, 0), side_cost(sides, 1)};
    PlanPtr below[2];
    const bool only_left = leaves < 4 && cost[0].best + cost[1].leaf <= cost[0].leaf + cost[1].best;
    for (int s = 0; s < 2; ++s) {
        if (!(cost[s].best < cost[s].leaf - rules_.tolerance)) continue;
        if (leaves < 4 && only_left != (s == 0)) continue;
        // Integer losses are exact, so the loss of the best stump ends the search for its split.
        const CutBits* const bits = traits_.whole ? &cut_bits_ : nullptr;
        const Stump stump = best_stump(node, side, s, bits, bits ? sides.stump[s] : -infinite);
        below[s] = stump_plan(node, stump, side, s);
    }
    return plan_of(node, f, position, missing_left, below[0], below[1]);
}

// The plan of a stump that was found among the rows of one side: the neighbours of its cut are rows of that side.
PlanPtr Solver::stump_plan(const Node& node, const Stump& stump, const SideOf& side, int which) const {
    const std::size_t f = static_cast<std::size_t>(stump.feature);
    const std::uint32_t* const e = node.entries(f);
    const std::vector<std::uint32_t>& rank = features_.all[f].rank;
    std::uint32_t lower = stump.position, upper = stump.position + 1;
    while (side[e[lower] & row_mask] != which) --lower;
    while (side[e[upper] & row_mask] != which) ++upper;
    const auto rank_at = [&](std::uint32_t i) { return rank[node.data.row[e[i] & row_mask]]; };
    return std::make_shared<const Plan>(
        Plan{static_cast<std::uint32_t>(f), rank_at(lower), rank_at(upper), stump.missing_left, {}, {}});
}

void Solver::try_deeper(const Node& node, int depth, int leaves, const Interval& i, OpenCuts& open, double limit,
                        Solution& best, Observer* observer) {
    const std::int64_t cut = i.middle();
    const std::uint32_t position = open.position(i, cut);
    if (scratch_.size() <= static_cast<std::size_t>(depth)) scratch_.resize(static_cast<std::size_t>(depth) + 1);
    if (!scratch_[depth]) scratch_[depth] = std::make_unique<std::array<Node, 2>>();
    std::array<Node, 2>& child = *scratch_[depth];
    const bool missing_left = mark_sides(node, i.feature, position, side_[0]);
    divide(features_, node, side_[0], child[0], child[1]);
    clock_.spend(node.n_rows() * node.n_features());
    const bool allowed =
        !features_.all[i.feature].bounds_only && std::min(child[0].n_rows(), child[1].n_rows()) >= rules_.min_rows;
    // The smaller part is searched beyond its bound by this slack, so that the resulting lower bound can drop nearby
    // cuts. For errors it is half of the rows between the open cuts, since each row changes a loss by at most 1.
    double slack = 0.0;
    if (i.high > i.low)
        slack = traits_.whole && rules_.penalty == 0.0
                    ? 0.5 * (open.position(i, i.high) - open.position(i, i.low) + 1.0)
                    : limit - i.key;
    std::array<double, 2> relaxed{i.left, i.right};
    Solution with_cut;  // the best tree with this cut
    // With a limit on leaves, tries all distributions over the two parts; otherwise each part has the full number.
    const int half = depth - 1 < 30 ? 1 << (depth - 1) : 1 << 30;
    const int first = std::max(1, leaves - half), last = std::min(half, leaves - 1);
    for (int on_left = last; on_left >= first; --on_left) {
        const std::array<int, 2> share{on_left, leaves >= 2 * half ? half : leaves - on_left};
        const std::array<Solution, 2> below = both(child, depth - 1, share, limit, slack, {i.left, i.right});
        for (std::size_t s = 0; s < 2; ++s)
            if (share[s] == last) relaxed[s] = std::max(relaxed[s], below[s].relaxed);
        const double value = below[0].value + below[1].value;
        if (!allowed || !(value < limit - rules_.tolerance)) continue;
        with_cut = {value, 0.0, plan_of(node, i.feature, position, missing_left, below[0].plan, below[1].plan)};
        limit = value;  // the limit for other distributions of the leaves
    }
    if (with_cut.found() && observer) observer->evaluated(with_cut.value, with_cut.plan);
    if (with_cut.value < best.value - rules_.tolerance) {
        best.value = with_cut.value;
        best.plan = std::move(with_cut.plan);
        if (observer) observer->improved(best.value, best.plan);
    }
    best.relaxed = std::min(best.relaxed, relaxed[0] + relaxed[1]);
    split_interval(i, cut, relaxed[0], relaxed[1], open);
}

// Solves both parts, the larger first. `limit`: upper limit of their total loss.
std::array<Solution, 2> Solver::both(const std::array<Node, 2>& child, int depth, const std::array<int, 2>& leaves,
                                     double limit, double slack, const std::array<double, 2>& least) {
    const std::size_t a = child[0].n_rows() >= child[1].n_rows() ? 0 : 1, b = 1 - a;
    std::array<Solution, 2> below;
    below[a] = solve(child[a], depth, leaves[a], limit - least[b]);
    const double spent = below[a].found() ? below[a].value : std::max(least[a], below[a].relaxed);
    const double left = limit - spent + slack;
    if (left > least[b] && (below[a].found() || slack > 0.0)) below[b] = solve(child[b], depth, leaves[b], left);
    return below;
}

}  // namespace ceiba::optimal
