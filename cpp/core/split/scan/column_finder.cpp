
#include "base/random.hpp"
#include "criteria/moment_division.hpp"
#include "split/scan/slot_scan.hpp"
#include "split/statistics/statistics.hpp"

namespace ceiba::split {

namespace {

bool constant(const NodeRows& node, std::size_t c) {
    if (node.sparse) return sparse_column(node, c).n == 0;  // constant columns are not live
    const std::size_t n = node.n_present(c);
    if (n < node.size()) return n == 0;
    if (node.store->has_levels(c)) {
        const std::int32_t* codes = node.codes(c);
        return std::all_of(codes, codes + n, [codes](std::int32_t k) { return k == codes[0]; });
    }
    return node.entries(c)[0].rank == node.entries(c)[n - 1].rank;
}

void sort_by_column(std::vector<Candidate>& candidates) {
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.column < b.column; });
}

// Stores that fit the L2 cache are not compacted, nor are ranges of several cache lines.
bool worth_compacting(const NodeRows& node) {
    const std::size_t n_rows = node.target().size();
    return !node.sparse && !node.slotted() && node.size() <= 256 && node.size() * 8 <= n_rows &&
           n_rows * node.store->sorted.size() * sizeof(Entry) > (std::size_t{1} << 20);
}

}  // namespace

std::vector<Candidate> ColumnFinder::find(NodeRows& node, const NodeContext& context, base::ThreadPool* pool,
                                          int thread) {
    begin_node(pool ? -1 : thread);
    if (options_.max_features > 0 && options_.max_features < static_cast<int>(node.store->sorted.size()))
        return ranked(node, search_some(node, context, thread), thread);
    drop_constant_columns(node);
    if (worth_compacting(node)) node = compact(node);
    if (!pool && options_.max_competitors == 0 && !options_.random_cuts)
        return ranked(node, search_for_one(node, context, thread), thread);
    const LiveColumns columns(node, context.allowed());
    std::vector<Candidate> candidates(columns.size());
    const auto search_at = [&](std::size_t i, int t) {
        candidates[i] = search_column(node, columns[i], context, no_floor, t);
    };
    base::run(pool, columns.size(), thread, search_at);
    return ranked(node, std::move(candidates), thread);
}

std::vector<Candidate> ColumnFinder::ranked(const NodeRows& node, std::vector<Candidate> candidates, int thread) {
    std::erase_if(candidates, [](const Candidate& c) { return !c.found(); });
    if (candidates.empty()) return candidates;
    const auto merit = [this](const Candidate& c) { return c.gain / base::DoubleDouble(cost(c)); };
    const auto better = [&](const Candidate& a, const Candidate& b) {
        const double gap = (merit(a) - merit(b)).value();
        const double doubt = std::max(a.tolerance / cost(a), b.tolerance / cost(b));
        return gap > doubt || (gap > -doubt && better_exactly(node, a, b, thread));
    };
    const std::size_t keep = static_cast<std::size_t>(options_.max_competitors) + 1;
    std::vector<Candidate> order;
    for (Candidate& c : candidates) {
        std::size_t at = order.size();
        while (at > 0 && better(c, order[at - 1])) --at;
        if (at == keep) continue;
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(at), std::move(c));
        if (order.size() > keep) order.pop_back();
    }
    return order;
}

// Finds only the best split, so a column need not return a split that cannot win. If the criterion has a rough bound,
// the most promising column comes first.
std::vector<Candidate> ColumnFinder::search_for_one(const NodeRows& node, const NodeContext& context, int thread) {
    std::vector<Candidate> candidates;
    std::size_t best = 0;  // index in `candidates`
    Routing routing;       // of the best split, computed when first needed
    double floor = no_floor;
    std::vector<double> bound;
    const LiveColumns columns(node, context.allowed());
    const std::size_t n = columns.size();
    const auto search_at = [&](std::size_t c) {
        const double least = floor == no_floor ? no_floor : floor * cost_of(c, options_);
        Candidate candidate = search_column(node, c, context, least, thread);
        if (!candidate.found()) return;
        if (best < candidates.size() && same_division(node, candidate, candidates[best], routing)) {
            if (candidate.column < candidates[best].column) candidates[best] = std::move(candidate);
            return;
        }
        if (best == candidates.size() || floor_of(candidate, options_) > floor)
            best = candidates.size(), routing.branch.clear();
        floor = std::max(floor, floor_of(candidate, options_));
        candidates.push_back(std::move(candidate));
    };
    if (node.size() == 2 && options_.column_cost.empty()) {
        // Two rows have a single partition, so the first column that splits them wins.
        for (std::size_t i = 0; i < n && candidates.empty(); ++i) search_at(columns[i]);
        return candidates;
    }
    bool in_order = !rough_bounds(node, columns, bound, thread);
    if (in_order) bound.assign(n, std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < n; ++i) {
        if (!node.store->has_levels(columns[i])) continue;
        bound[i] = bound_levels(node, columns[i], thread);
        in_order = false;
    }
    const std::size_t first =
        static_cast<std::size_t>(std::max_element(bound.begin(), bound.end()) - bound.begin());
    if (n > 0) search_at(columns[first]);
    for (const bool levels : {false, true})  // slow searches come last: most columns of levels are ruled out by then
        for (std::size_t i = 0; i < n; ++i)
            if (i != first && node.store->has_levels(columns[i]) == levels && !(bound[i] < floor))
                search_at(columns[i]);
    if (!in_order) sort_by_column(candidates);
    return candidates;
}

// In small nodes, many columns partition the rows identically. These are ties that need no exact arithmetic.
bool ColumnFinder::same_division(const NodeRows& node, const Candidate& a, const Candidate& best,
                                 Routing& best_routing) const {
    if (!options_.column_cost.empty() || a.n_branches != 2 || best.n_branches != 2 ||
        std::fabs((a.gain - best.gain).value()) > a.tolerance)
        return false;
    if (node.slotted()) return same_counts(node, a, best);
    if (best_routing.branch.empty()) best_routing = route(node, best);
    return same_partition(route(node, a), best_routing);
}

// scikit-learn's max_features: columns in random order until enough were not constant and at least one had a split.
std::vector<Candidate> ColumnFinder::search_some(const NodeRows& node, const NodeContext& context, int thread) {
    std::vector<std::size_t> order(node.store->sorted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [&](std::size_t c) { return !context.allows(c); });
    base::Random random(context.seed);
    std::vector<Candidate> candidates;
    int tried = 0;
    bool any = false;
    for (std::size_t i = 0; i < order.size() && (tried < options_.max_features || !any); ++i) {
        std::swap(order[i], order[i + random.below(order.size() - i)]);
        if (constant(node, order[i])) continue;
        ++tried;
        candidates.push_back(search_column(node, order[i], context, no_floor, thread));
        any = any || candidates.back().found();
    }
    sort_by_column(candidates);
    return candidates;
}

// A numeric column that is constant in a node is constant in all nodes below. (Surrogates and fractional rows need all
// columns.)
void ColumnFinder::drop_constant_columns(NodeRows& node) const {
    if (node.sparse || node.slotted()) return;
    if (options_.missing == Missing::surrogate || options_.missing == Missing::fractional) return;
    const LiveColumns columns(node);
    std::vector<std::uint32_t> left;
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (node.store->has_levels(columns[i]) || !constant(node, columns[i]))
            left.push_back(static_cast<std::uint32_t>(columns[i]));
    if (left.size() < columns.size()) node.live = std::make_shared<const std::vector<std::uint32_t>>(std::move(left));
}

ColumnFinder::RandomCut ColumnFinder::random_cut(const NodeRows& node, std::size_t c, const Entry* entries,
                                                 const NodeContext& context) const {
    const std::size_t n = node.n_present(c);
    if (entries[0].rank == entries[n - 1].rank) return {};
    base::Random random(base::branch_seed(context.seed, 1000 + c));
    const double low = node.number(c, entries[0].row), high = node.number(c, entries[n - 1].row);
    double cut = low + random.uniform() * (high - low);
    if (!(cut < high)) cut = low;
    const Entry* const first_right = std::partition_point(
        entries, entries + n, [&](const Entry& entry) { return node.number(c, entry.row) <= cut; });
    return {cut, static_cast<std::size_t>(first_right - entries)};
}

// If bins are ranks, the table is not read.
double ColumnFinder::cut_after(const NodeRows& node, std::size_t c, const Entry* entry) const {
    if (const Binning* binning = node.store->binning.get()) {
        const ColumnBins& bins = binning->column[c];
        if (bins.lossless())
            return cut_between(bins.value[entry[0].rank], bins.value[entry[1].rank], cuts_below(node, c, options_));
        if (binning->approximate) return bins.edge[(entry[0].rank + entry[1].rank - 1) / 2];
    }
    return cut_between(node.number(c, entry[0].row), node.number(c, entry[1].row), cuts_below(node, c, options_));
}

double ColumnFinder::sparse_cut_after(const NodeRows& node, std::size_t c, const SparseColumn& column,
                                      std::size_t n_left) const {
    const std::size_t n_zeros = node.size() - column.n;
    const auto value = [&](std::size_t place) {
        if (place >= column.n_below && place < column.n_below + n_zeros) return 0.0;
        return node.number(c, column.entries[place < column.n_below ? place : place - n_zeros].row);
    };
    return cut_between(value(n_left - 1), value(n_left), cuts_below(node, c, options_));
}

// Chooses the statistic for a target.
std::unique_ptr<ColumnFinder> make_presort_finder(const data::TargetRows& target, const SearchOptions& options,
                                                  int n_threads) {
    using criteria::BinaryDivision, criteria::UnitDivision, criteria::WeightedDivision;
    const bool weighted = !target.weight.empty() || !options.class_scale.empty() ||
                          options.missing == Missing::fractional || criteria::too_many_to_count(target);
    const auto search = [&](auto plain, auto with_weights) {
        return weighted ? with_weights(target, options, n_threads) : plain(target, options, n_threads);
    };
    if (target.classification()) {
        if (target.n_classes.size() > 1)
            return search(search_class_outputs<UnitDivision>, search_class_outputs<WeightedDivision>);
        return search(target.n_classes[0] == 2 ? search_classes<BinaryDivision> : search_classes<UnitDivision>,
                      search_classes<WeightedDivision>);
    }
    if (options.criterion == criteria::name_of<criteria::AbsoluteError>())
        return search(search_quantiles, search_weighted_quantiles);
    if (options.criterion == criteria::name_of<criteria::LogRank>())
        return search_log_rank(target, options, n_threads);
    return search(search_numbers<criteria::MomentDivision<false>>, search_numbers<criteria::MomentDivision<true>>);
}

}  // namespace ceiba::split
