// One grower for every kind of tree: it opens nodes, asks the finder for a split, parts the rows, and goes on; depth first, or
// by falling gain when the number of leaves is limited. No recursion: a tree of 100,000 levels is as good as any.
//
// Threads: large nodes share their columns between threads; what is left below them are whole subtrees, grown one per thread.
#include "grow/grow.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/random.hpp"
#include "base/thread_pool.hpp"
#include "criteria/node_summary.hpp"
#include "grow/small_tree.hpp"
#include "split/fractional.hpp"
#include "split/gain_ratio.hpp"
#include "split/partition.hpp"
#include "split/route.hpp"
#include "tree/builder.hpp"

namespace ceiba::grow {

namespace {

using split::Candidate;
using split::Missing;
using split::NodeContext;
using split::NodeRows;
using split::Routing;
using tree::Builder;
using tree::NodeRecord;

// Values below which sharing the columns of a node between threads does not pay (rows x columns).
constexpr std::size_t shared_work = 200000;
// A node with no more than this part of a thread's share of the rows is one task: what is shared between threads makes them wait for
// each other, whole subtrees do not, and this many of them even out.
constexpr std::size_t tasks_per_thread = 2;

// A node whose split is yet to be found or carried out.
struct Open {
    NodeRows rows;
    NodeContext context;
    std::int32_t node = 0;
    int depth = 0;
    bool splittable = false;
    std::vector<Candidate> found;
};

class Grower {
public:
    Grower(const data::Table& table, const data::Target& target, const GrowOptions& options, base::Interrupt& interrupt)
        : options_(options),
          interrupt_(interrupt),
          pool_(options.n_threads),
          n_columns_(table.columns.size()),
          limits_(!options.search.monotone.empty() || std::isfinite(options.low) || std::isfinite(options.high)) {
        if (serve_bins(table, target)) {
            root_ = split::bin(table, target, options.bins, pool_, interrupt_);
            finder_ = split::make_bounded_finder(root_.store->target, options_.search, pool_.size());
            if (finder_) {
                if (SmallGrower::serves(table, target, options))
                    for (int t = 0; t < pool_.size(); ++t)
                        small_.emplace_back(static_cast<std::size_t>(target.n_classes[0]), options);
                return;
            }
        }
        root_ = split::presort(table, target, options.keep_zero_weights, pool_, interrupt_);
        auto& weight = root_.store->target.weight;
        if (options.search.criterion == criteria::Name::gain_ratio) {
            finder_ = split::make_gain_ratio_finder(root_, options_.search, pool_.size());
            return;
        }
        // Stores of parted rows have weights, and the search is the same for all stores.
        if (options.search.missing == Missing::fractional && weight.empty()) weight.assign(root_.size(), 1.0);
        finder_ = split::make_presort_finder(root_.store->target, options_.search, pool_.size());
    }

    tree::TreeArrays run() {
        builders_.emplace_back();
        builders_[0].emplace_back();
        n_rows_ = root_.size();
        Open root{std::move(root_), NodeContext{options_.seed, options_.low, options_.high}, 0, 0, false, {}};
        describe(root, builders_[0]);
        whole_weight_ = builders_[0][0].search_weight;
        if (!root.splittable) return tree::assemble(builders_, limits_);
        if (options_.max_leaf_nodes > 0)
            best_first(std::move(root));
        else
            depth_first(std::move(root));
        return tree::assemble(builders_, limits_);
    }

private:
    // Bins pay where there are large nodes; what they cannot serve is sorted.
    bool serve_bins(const data::Table& table, const data::Target& target) const {
        const bool surrogates = options_.search.missing == Missing::surrogate && options_.surrogates.max_surrogates > 0;
        const bool zero_weights = options_.keep_zero_weights && target.weight &&
                                  std::count(target.weight, target.weight + target.n_rows, 0.0) > 0;
        if (surrogates || zero_weights) return false;
        const std::size_t n = target.rows.empty() ? target.n_rows : target.rows.size();
        return (n >= 2 * options_.search.small_node || options_.bins.approximate) &&
               split::bins_serve(table, target, options_.search);
    }
    bool worth_sharing(const NodeRows& rows) const {
        return pool_.size() > 1 && rows.size() * n_columns_ >= shared_work;
    }
    bool one_task(const NodeRows& rows) const {
        return !worth_sharing(rows) ||
               rows.size() * tasks_per_thread * static_cast<std::size_t>(pool_.size()) <= n_rows_;
    }

    void depth_first(Open root) {
        std::vector<Open> stack, apart;
        stack.push_back(std::move(root));
        while (!stack.empty()) {
            Open open = std::move(stack.back());
            stack.pop_back();
            if (pool_.size() > 1 && one_task(open.rows)) {
                apart.push_back(std::move(open));
                continue;
            }
            split_node(open, builders_[0], pool_.size() > 1 ? &pool_ : nullptr, 0, stack);
        }
        if (apart.empty()) return;
        if (apart.size() == 1) return subtree(std::move(apart[0]), builders_[0], 0);
        std::stable_sort(apart.begin(), apart.end(),
                         [](const Open& a, const Open& b) { return a.rows.size() > b.rows.size(); });
        const std::size_t first = builders_.size();
        builders_.resize(first + apart.size());
        for (std::size_t i = 0; i < apart.size(); ++i) {
            NodeRecord& stub = builders_[0][static_cast<std::size_t>(apart[i].node)];
            builders_[first + i].push_back(std::move(stub));
            stub = NodeRecord{};
            stub.graft = static_cast<std::int32_t>(first + i);
            apart[i].node = 0;
        }
        pool_.run(apart.size(),
                  [&](std::size_t i, int thread) { subtree(std::move(apart[i]), builders_[first + i], thread); });
    }

    void subtree(Open root, Builder& builder, int thread) {
        std::vector<Open> stack;
        stack.push_back(std::move(root));
        while (!stack.empty()) {
            Open open = std::move(stack.back());
            stack.pop_back();
            split_node(open, builder, nullptr, thread, stack);
        }
    }

    void best_first(Open root) {
        const auto worse = [](const Open& a, const Open& b) {
            return a.found[0].gain < b.found[0].gain || (!(b.found[0].gain < a.found[0].gain) && a.node > b.node);
        };
        std::vector<Open> heap, fresh;
        int leaves = 1;
        const auto offer = [&](Open open) {
            if (!find(open, builders_[0], worth_sharing(open.rows) ? &pool_ : nullptr, 0)) return;
            heap.push_back(std::move(open));
            std::push_heap(heap.begin(), heap.end(), worse);
        };
        offer(std::move(root));
        while (!heap.empty() && leaves < options_.max_leaf_nodes) {
            std::pop_heap(heap.begin(), heap.end(), worse);
            Open open = std::move(heap.back());
            heap.pop_back();
            if (leaves + open.found[0].n_branches - 1 > options_.max_leaf_nodes) continue;
            fresh.clear();
            leaves += open.found[0].n_branches - 1;
            divide(open, builders_[0], worth_sharing(open.rows) ? &pool_ : nullptr, fresh);
            for (auto child = fresh.rbegin(); child != fresh.rend(); ++child) offer(std::move(*child));
        }
    }

    void split_node(Open& open, Builder& builder, base::ThreadPool* pool, int thread, std::vector<Open>& stack) {
        if (grow_small(open, builder, thread)) return;
        if (find(open, builder, pool, thread)) divide(open, builder, pool, stack);
    }

    // All that grows below a small node of a binned store at once, where small_tree.hpp can do it.
    bool grow_small(const Open& open, Builder& builder, int thread) {
        if (small_.empty() || !open.rows.binned() || open.rows.size() >= options_.search.small_node ||
            !SmallGrower::small(open.rows.size(), n_columns_))
            return false;
        if (thread == 0) interrupt_.poll();
        interrupt_.check();
        SmallGrower& grower = small_[static_cast<std::size_t>(thread)];
        if (!grower.read(open.rows)) return false;
        builder[static_cast<std::size_t>(open.node)].grown =
            std::make_unique<tree::TreeArrays>(grower.grow(open.depth, whole_weight_, nullptr));
        return true;
    }

    // Fills in what the node says of itself and decides whether it may be split at all.
    void describe(Open& open, Builder& builder) {
        criteria::NodeSummary summary = criteria::summarize(open.rows.store->target, open.rows.begin, open.rows.end,
                                                            options_.search.criterion, options_.search.class_scale);
        NodeRecord& node = builder[static_cast<std::size_t>(open.node)];
        node.n_rows = static_cast<std::int64_t>(open.rows.size());
        node.weight = summary.weight;
        node.search_weight = summary.search_weight;
        node.impurity = summary.impurity;
        if (limits_) node.limited = limited(summary, open.context);
        const bool worth_it = risky(open, summary);
        node.value = std::move(summary.value);
        const std::size_t rows = open.rows.size();
        open.splittable = !summary.pure && worth_it && rows >= options_.min_samples_split &&
                          rows >= 2 * options_.search.min_rows && summary.weight >= 2.0 * options_.search.min_weight &&
                          summary.weight >= options_.min_weight_split &&
                          (options_.max_depth < 0 || open.depth < options_.max_depth);
    }

    // A node with so little risk that no split below it can be worth its cost need not be split. The last bits are
    // left to whoever weighs the splits in the end.
    bool risky(const Open& open, const criteria::NodeSummary& summary) {
        if (options_.min_risk < 0.0 && options_.min_risk_ratio < 0.0) return true;
        const bool classification = open.rows.store->target.classification();
        if (open.depth == 0) {
            risk_rule_ = options_.risk;
            if (!classification) risk_rule_.overall_rate = summary.value[0];
            const double whole = criteria::node_risk(summary, risk_rule_, classification);
            least_risk_ = std::max(options_.min_risk, options_.min_risk_ratio * whole) * (1.0 - 1e-9);
        }
        return criteria::node_risk(summary, risk_rule_, classification) > least_risk_;
    }

    // What monotone splits limit, the value or the share of the second class, within the limits that those above have set.
    static double limited(const criteria::NodeSummary& summary, const NodeContext& context) {
        const bool classes = summary.value.size() == 2;
        if (classes && !(summary.weight > 0.0)) return 0.0;
        const double number = classes ? summary.value[1] / summary.weight : summary.value[0];
        return std::clamp(number, classes ? std::max(context.low, 0.0) : context.low,
                          classes ? std::min(context.high, 1.0) : context.high);
    }

    bool find(Open& open, Builder& builder, base::ThreadPool* pool, int thread) {
        if (thread == 0) interrupt_.poll();
        interrupt_.check();
        open.found = finder_->find(open.rows, open.context, pool, thread);
        if (open.found.empty()) return false;
        const NodeRecord& node = builder[static_cast<std::size_t>(open.node)];
        const double gain = open.found[0].gain.value();
        // scikit-learn adds the rounding unit before it compares; so a gain that equals min_impurity_decrease is enough.
        if (gain / whole_weight_ + 0x1p-52 < options_.min_gain) return false;
        if (options_.min_gain_ratio > 0.0) {
            const double unit =
                options_.search.criterion == criteria::Name::squared_error ? node.impurity * node.search_weight : 1.0;
            if (open.depth == 0) root_merit_ = gain / unit;
            const double least = options_.min_gain_ratio * root_merit_ * unit;
            std::erase_if(open.found, [least](const Candidate& c) { return !(c.gain.value() > least); });
            if (open.found.empty()) return false;
        }
        return true;
    }

    // Parts the rows, writes the split into the node and opens the children that may be split (pushed last first).
    void divide(Open& open, Builder& builder, base::ThreadPool* pool, std::vector<Open>& stack) {
        auto question = std::make_unique<tree::Question>();
        question->split = std::move(open.found[0]);
        question->competitors.assign(std::make_move_iterator(open.found.begin() + 1),
                                     std::make_move_iterator(open.found.end()));
        Routing routing = split::route(open.rows, question->split, options_.search.like_rpart);
        place_missing(open, routing, *question);
        const bool fractional =
            options_.search.missing == Missing::fractional &&
            std::find(routing.branch.begin(), routing.branch.end(), split::unplaced) != routing.branch.end();
        split::Places places;
        std::optional<split::FractionalDivision> division;
        if (fractional) division.emplace(open.rows, routing);
        std::vector<NodeRows> parts =
            division ? division->branches() : split::partition(open.rows, routing, places, pool);
        const std::int32_t first = static_cast<std::int32_t>(builder.size());
        builder.resize(builder.size() + parts.size());
        std::vector<Open> children(parts.size());
        for (std::size_t b = 0; b < parts.size(); ++b) {
            Open& child = children[b];
            child.rows = std::move(parts[b]);
            child.context = open.context;
            child.context.seed = base::branch_seed(open.context.seed, b);
            child.node = first + static_cast<std::int32_t>(b);
            child.depth = open.depth + 1;
            describe(child, builder);
        }
        hand_down_limits(open, question->split, builder, children);
        hand_down_columns(open, routing, places, division ? &*division : nullptr, children, pool);
        open.rows = {};
        NodeRecord& node = builder[static_cast<std::size_t>(open.node)];
        if (question->default_branch == -2) question->default_branch = most_rows(builder, first, parts.size());
        node.first_child = first;
        node.n_children = static_cast<std::int32_t>(parts.size());
        node.question = std::move(question);
        for (std::size_t b = children.size(); b-- > 0;)
            if (children[b].splittable) stack.push_back(std::move(children[b]));
    }

    // Leaves need no columns.
    void hand_down_columns(Open& open, const Routing& routing, const split::Places& places,
                           const split::FractionalDivision* division, std::vector<Open>& children,
                           base::ThreadPool* pool) {
        if (std::none_of(children.begin(), children.end(), [](const Open& child) { return child.splittable; })) return;
        std::vector<split::BranchRows> branches;
        branches.reserve(children.size());
        for (Open& child : children) branches.push_back({&child.rows, child.splittable});
        if (division) return division->hand_down_columns(branches);
        split::move_columns(open.rows, routing, places, branches, pool);
        finder_->hand_down(open.rows, branches, pool);
    }

    // Decides for every row that the split could not place. default_branch -2: by the children's row counts, once known.
    void place_missing(const Open& open, Routing& routing, tree::Question& question) const {
        const Candidate& split = question.split;
        if (split.learned_missing) {
            question.default_branch = split.missing_branch;
            if (split.kind != split::Kind::presence)
                question.sent_default = static_cast<std::int64_t>(
                    open.rows.size() - open.rows.n_present(static_cast<std::size_t>(split.column)));
            return;
        }
        const bool by_surrogate = options_.search.missing == Missing::surrogate;
        if (options_.search.like_rpart && open.rows.store->zero_weights)
            split::let_absent_levels_stay(open.rows, split, routing);
        const split::BranchLoad load = split::load(open.rows, routing);
        // As in scikit-learn: where nothing was missing there was nothing to learn, and a tie goes to the right.
        const bool nothing_learned = options_.search.missing == Missing::learn &&
                                     open.rows.n_present(static_cast<std::size_t>(split.column)) == open.rows.size();
        // rpart leaves a row in the node on a tie, and predicts by the sons' rows; else both go by the weight of the split.
        const bool as_rpart = by_surrogate && options_.surrogates.like_rpart;
        const int heavier =
            split::heaviest(load, as_rpart ? split::Tie::none : nothing_learned ? split::Tie::last : split::Tie::first);
        question.default_branch = heavier;
        if (options_.search.missing == Missing::fractional) {
            question.default_branch = split::heaviest(load, split::Tie::first);
            return;
        }
        if (by_surrogate && split.n_branches == 2 && options_.surrogates.max_surrogates > 0) {
            const int right = split::right_son(open.rows, routing, options_.search.class_scale);
            question.surrogates = split::find_surrogates(open.rows, routing, split.column, right, options_.surrogates);
            if (options_.use_surrogate > 0) split::route_by_surrogates(open.rows, question.surrogates, routing);
        }
        const bool rule_lacks = as_rpart && options_.surrogates.max_surrogates == 0;
        const bool stays = by_surrogate && (options_.use_surrogate < 2 || heavier < 0 || rule_lacks);
        for (std::uint16_t& branch : routing.branch) {
            if (branch != split::unplaced) continue;
            branch = static_cast<std::uint16_t>(stays ? routing.n_branches : heavier);
            ++question.sent_default;
        }
        if (by_surrogate && options_.use_surrogate < 2) question.default_branch = -1;
        if (as_rpart && options_.use_surrogate == 2) question.default_branch = -2;
    }

    // rpart's rule when predicting: the son to which more rows went, by whatever way; nobody moves on a tie.
    static int most_rows(const Builder& builder, std::int32_t first, std::size_t n) {
        int best = 0;
        bool tie = false;
        for (std::size_t b = 1; b < n; ++b) {
            const std::int64_t rows = builder[static_cast<std::size_t>(first) + b].n_rows,
                               most = builder[static_cast<std::size_t>(first + best)].n_rows;
            if (rows == most) tie = true;
            if (rows > most) best = static_cast<int>(b), tie = false;
        }
        return tie ? -1 : best;
    }

    // The split was judged by the rows that it places; those placed otherwise may turn the order round. Then both sides say
    // the middle.
    void hand_down_limits(const Open& open, const Candidate& split, Builder& builder, std::vector<Open>& children) const {
        if (options_.search.monotone.empty() || children.size() != 2) return;
        const int direction = options_.search.monotone[static_cast<std::size_t>(split.column)];
        if (direction == 0) return;
        const auto value = [&](const Open& child) -> double& { return builder[static_cast<std::size_t>(child.node)].limited; };
        const double middle = 0.5 * (value(children[0]) + value(children[1]));
        Open& low = children[direction > 0 ? 0 : 1];
        Open& high = children[direction > 0 ? 1 : 0];
        low.context.high = std::min(open.context.high, middle);
        high.context.low = std::max(open.context.low, middle);
        value(low) = std::min(value(low), middle);
        value(high) = std::max(value(high), middle);
    }

    const GrowOptions& options_;
    base::Interrupt& interrupt_;
    base::ThreadPool pool_;
    std::size_t n_columns_, n_rows_ = 0;
    bool limits_;  // monotone splits, here or above where this tree will stand, limit the values
    NodeRows root_;
    std::unique_ptr<split::SplitFinder> finder_;
    std::vector<SmallGrower> small_;  // one per thread; empty: not the plain case
    std::vector<Builder> builders_;
    double whole_weight_ = 0.0, root_merit_ = 0.0, least_risk_ = 0.0;
    criteria::RiskRule risk_rule_;
};

}  // namespace

tree::TreeArrays grow(const data::Table& table, const data::Target& target, const GrowOptions& options,
                      base::Interrupt& interrupt) {
    if (auto small = grow_small_tree(table, target, options, interrupt)) return std::move(*small);
    return Grower(table, target, options, interrupt).run();
}

}  // namespace ceiba::grow
