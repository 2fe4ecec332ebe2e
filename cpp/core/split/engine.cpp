#include "split/engine.hpp"

#include "base/phases.hpp"
#include "split/scan/column_finder.hpp"
#include "split/store/sparse_slots.hpp"

namespace ceiba::split {

Engine::Engine(const data::Table& table, const data::Target& target, const EngineOptions& options,
               base::ThreadPool& pool, base::Interrupt& interrupt)
    : options_(options), classification_(target.classification()), divisions_(static_cast<std::size_t>(pool.size())) {
    if (table.sparse) {
        if (slots_support(table, target, options.search)) root_ = slotted_root(table, target, interrupt);
        if (!root_.store) root_ = sparse_root(table, target, pool, interrupt);
        finder_ = make_presort_finder(root_.target(), options.search, pool.size());
        return;
    }
    if (worth_binning(table, target)) {
        root_ = bin(table, target, options.bins, pool, interrupt);
        // The root may be empty (all weights zero): then there is no histogram to build.
        if (root_.size() > 0) finder_ = make_bounded_finder(root_.target(), options.search, pool.size());
        in_bins_ = finder_ != nullptr;
        if (in_bins_) return;
    }
    root_ = presort(table, target, options.search.conventions.keep_zero_weights, pool, interrupt);
    if (options.search.criterion == criteria::name_of<criteria::GainRatio>()) {
        finder_ = make_gain_ratio_finder(root_, options.search, pool.size());
        return;
    }
    // Stores of fractional rows have weights. One finder searches all stores, so the root needs weights too.
    if (options.search.missing == Missing::fractional && root_.target().weight.empty())
        for (data::TargetRows& side : root_.store->target) side.weight.assign(root_.size(), 1.0);
    finder_ = make_presort_finder(root_.target(), options.search, pool.size());
}

// Binning pays off for large nodes only. Problems that the binned search does not support use presorted columns.
bool Engine::worth_binning(const data::Table& table, const data::Target& target) const {
    const bool surrogates = options_.search.missing == Missing::surrogate && options_.surrogates.max_surrogates > 0;
    const bool zero_weights = options_.search.conventions.keep_zero_weights && target.weight &&
                              std::count(target.weight, target.weight + target.n_rows, 0.0) > 0;
    if (surrogates || zero_weights) return false;
    const std::size_t n = target.rows.empty() ? target.n_rows : target.rows.size();
    SearchOptions adjusted = options_.search;
    // If cuts are at edges only, competitors are free. Exact competitors would fetch most bins of most columns.
    if (options_.bins.approximate) adjusted.max_competitors = 0;
    return (n >= 2 * options_.search.small_node || options_.bins.approximate) && bins_support(table, target, adjusted);
}

criteria::NodeSummary Engine::summarize(const NodeRows& node, base::ThreadPool* pool) const {
    return criteria::summarize(node.target(), node.begin, node.end, options_.search.criterion,
                               options_.search.class_scale, criteria::QuantileLevel(options_.search.quantile), pool);
}

Division& Engine::divide(const NodeRows& node, const Candidate& split, base::ThreadPool* pool, int thread) {
    Division& division = divisions_[thread];
    Routing& routing = division.routing_;
    {
        const base::PhaseTimer timer(base::Phase::route);
        routing = route(node, split, options_.search.conventions, pool, std::move(routing));
        division.placement = place_missing(node, split, routing, pool);
    }
    const base::PhaseTimer timer(base::Phase::part);
    division.fractional_.reset();
    const bool fractional = options_.search.missing == Missing::fractional &&
                            std::find(routing.branch.begin(), routing.branch.end(), unplaced) != routing.branch.end();
    if (fractional) {
        division.fractional_.emplace(node, routing);
        division.branches = division.fractional_->branches();
    } else {
        division.branches = partition(node, routing, division.places_, pool);
    }
    return division;
}

void Engine::hand_down(NodeRows& node, const Division& division, const std::vector<BranchRows>& branches,
                       base::ThreadPool* pool) {
    // Leaves need no columns.
    if (std::none_of(branches.begin(), branches.end(), [](const BranchRows& b) { return b.searched; })) return;
    if (division.fractional_) return division.fractional_->hand_down_columns(branches);
    if (node.slotted()) return hand_down_slots(node, branches);
    if (node.sparse) return partition_entries(node, division.places_, branches, pool);
    {
        const base::PhaseTimer timer(base::Phase::move);
        move_columns(node, division.routing_, division.places_, branches, pool);
    }
    const base::PhaseTimer timer(base::Phase::hand_down);
    finder_->hand_down(node, branches, pool);
}

// The number of rows that a row represents in the row counts of the tree.
double Engine::rows_counted(const NodeRows& node, std::size_t i) const {
    return options_.surrogates.weights_count_rows ? node.target().case_weight_of(node.begin + i) : 1.0;
}

std::int64_t Engine::missing_rows(const NodeRows& node, std::size_t column, base::ThreadPool* pool) const {
    if (!options_.surrogates.weights_count_rows)
        return static_cast<std::int64_t>(node.size() - node.n_present(column, pool));
    const bool levels = node.store->has_levels(column);
    double sum = 0.0;
    for (std::uint32_t i = 0; i < node.size(); ++i)
        if (levels ? node.codes(column)[i] < 0 : std::isnan(node.number(column, i))) sum += rows_counted(node, i);
    return std::llround(sum);
}

// Places the rows that the split itself could not place.
Placement Engine::place_missing(const NodeRows& node, const Candidate& split, Routing& routing,
                                base::ThreadPool* pool) const {
    Placement out;
    if (split.learned_missing) {
        out.default_branch = split.missing_branch;
        if (split.kind != Kind::presence)
            out.sent_default = missing_rows(node, static_cast<std::size_t>(split.column), pool);
        return out;
    }
    const bool by_surrogate = options_.search.missing == Missing::surrogate;
    const Conventions& conventions = options_.search.conventions;
    if (conventions.absent_levels_stay && node.store->zero_weights) let_absent_levels_stay(node, split, routing);
    const BranchLoad branch_load = load(node, routing, pool);
    // As in scikit-learn: if no value was missing, missing values go to the heavier branch, and to the right on a tie.
    const bool nothing_learned = options_.search.missing == Missing::learn &&
                                 node.n_present(static_cast<std::size_t>(split.column), pool) == node.size();
    const bool tie_stays = by_surrogate && conventions.tie_stays;
    const int heavier = heaviest(branch_load, tie_stays ? Tie::none : nothing_learned ? Tie::last : Tie::first);
    out.default_branch = heavier;
    if (options_.search.missing == Missing::fractional) {
        out.default_branch = heaviest(branch_load, Tie::first);
        return out;
    }
    if (by_surrogate && split.n_branches == 2 && options_.surrogates.max_surrogates > 0) {
        const int right = right_son(node, routing, options_.search.class_scale, pool);
        out.surrogates =
            find_surrogates(node, routing, split.column, right, options_.surrogates, options_.search, pool);
        if (options_.use_surrogate > 0) route_by_surrogates(node, options_.surrogates, out.surrogates, routing, pool);
    }
    const bool no_rule = conventions.stay_without_surrogates && options_.surrogates.max_surrogates == 0;
    const bool stays = by_surrogate && (options_.use_surrogate < 2 || heavier < 0 || no_rule);
    std::vector<double> sent(base::n_blocks(node.size()), 0.0);
    base::for_blocks(pool, branch_load.all_placed ? 0 : node.size(),
                     [&](std::size_t block, std::size_t from, std::size_t to, int) {
                         double in_block = 0.0;
                         for (std::size_t i = from; i < to; ++i) {
                             if (routing.branch[i] != unplaced) continue;
                             routing.branch[i] = static_cast<std::uint16_t>(stays ? routing.n_branches : heavier);
                             in_block += rows_counted(node, i);
                         }
                         sent[block] = in_block;
                     });
    out.sent_default = std::llround(std::accumulate(sent.begin(), sent.end(), 0.0));
    if (!by_surrogate) return out;
    if (options_.use_surrogate < 2)
        out.default_branch = Placement::stays;
    else if (conventions.default_by_row_counts)
        out.default_branch = Placement::by_row_counts;
    return out;
}

}  // namespace ceiba::split
