// One grower for every kind of tree: depth first, or by falling gain when the number of leaves is limited; no
// recursion. All threads share the rows of a large node; whole subtrees below are grown by one thread each.
#include "grow/grow.hpp"

#include "base/phases.hpp"
#include "base/random.hpp"
#include "base/sort.hpp"
#include "grow/small_tree.hpp"

namespace ceiba::grow {

namespace {

using split::Candidate;
using split::NodeContext;
using split::NodeRows;

// Values (rows x columns) below which sharing a node between threads does not pay, and those below which a subtree is
// not given to another thread.
constexpr std::size_t shared_work = 200000, delegated_work = 50000;

// A node whose split is yet to be found or carried out.
struct Open {
    NodeRows rows;
    NodeContext context;
    std::int32_t node = 0;
    int depth = 0;
    bool splittable = false;
    std::vector<Candidate> splits;
};

class Grower {
public:
    Grower(const data::Table& table, const data::Target& target, const GrowOptions& options, base::Interrupt& interrupt)
        : options_(options),
          interrupt_(interrupt),
          pool_(options.n_threads),
          engine_(table, target, options, pool_, interrupt),
          stop_(options, options.search),
          n_columns_(table.columns.size()),
          limits_(!options.search.monotone.empty() || std::isfinite(options.low) || std::isfinite(options.high)) {
        if (engine_.counts_in_bins() && SmallGrower::supports(table, target, options))
            for (int t = 0; t < pool_.size(); ++t)
                small_.emplace_back(static_cast<std::size_t>(target.n_classes[0]), options);
    }

    tree::TreeArrays run() {
        grow_all();
        const base::PhaseTimer timer(base::Phase::assemble);
        return assemble(builders_, limits_);
    }
    // Of best-first growth, which has one builder.
    Builder run_nodes() {
        grow_all();
        return std::move(builders_[0]);
    }

private:
    void grow_all() {
        builders_.emplace_back();
        builders_[0].emplace_back();
        NodeContext context{options_.seed, options_.low, options_.high,
                            split::path_below(options_.path, -1, n_columns_, options_.search)};
        Open root{engine_.release_root(), std::move(context), 0, 0, false, {}};
        n_rows_ = root.rows.size();
        if (!small_.empty()) most_small_rows_ = most_small_rows(*root.rows.store->binning);
        describe(root, builders_[0], &pool_);
        if (!root.splittable) return;
        if (options_.max_leaf_nodes > 0)
            best_first(std::move(root));
        else
            depth_first(std::move(root));
    }
    // Of 64 bits on any machine: sparse tables have more columns than memory has values.
    std::uint64_t n_values(const NodeRows& rows) const { return std::uint64_t{rows.size()} * n_columns_; }
    bool worth_sharing(const NodeRows& rows) const { return pool_.size() > 1 && n_values(rows) >= shared_work; }
    // Sharing a node makes threads wait for each other at every step, growing whole subtrees does not. Threads without
    // a subtree get parts of those of others, so with many threads, subtrees may have twice the rows of a thread, but
    // at most a quarter of all rows (1M x 20, 16 threads: 45 ms -> 41; regression: 60 -> 52).
    bool one_task(const NodeRows& rows) const {
        const int n_parts = std::max(pool_.size() / 2, std::min(pool_.size(), 4));
        return !worth_sharing(rows) || rows.size() * static_cast<std::uint64_t>(n_parts) <= n_rows_;
    }

    void depth_first(Open root) {
        std::vector<Open> stack, subtrees;
        stack.push_back(std::move(root));
        while (!stack.empty()) {
            Open open = std::move(stack.back());
            stack.pop_back();
            if (pool_.size() > 1 && one_task(open.rows)) {
                subtrees.push_back(std::move(open));
                continue;
            }
            split_node(open, builders_[0], pool_.size() > 1 ? &pool_ : nullptr, 0, stack);
        }
        if (subtrees.empty()) return;
        if (subtrees.size() == 1 || pool_.size() == 1) {
            for (Open& open : subtrees) subtree(std::move(open), builders_[0], 0);
            return;
        }
        std::vector<double> rows;
        for (const Open& open : subtrees) rows.push_back(static_cast<double>(open.rows.size()));
        base::sort_by(rows, subtrees);  // the largest is taken first, from the end
        for (Open& open : subtrees) delegate(std::move(open), builders_[0]);
        const base::PhaseTimer timer(base::Phase::subtrees);
        pool_.run(static_cast<std::size_t>(pool_.size()), [&](std::size_t, int thread) { grow_delegated(thread); });
    }

    // A subtree that any thread may grow, in a separate builder.
    struct Task {
        Open root;
        Builder* builder;
    };

    void delegate(Open open, Builder& builder) {
        NodeRecord& stub = builder[open.node];
        const std::lock_guard lock(mutex_);
        Builder& graft = builders_.emplace_back();
        graft.push_back(std::move(stub));
        stub = NodeRecord{};
        stub.graft = static_cast<std::int32_t>(builders_.size() - 1);
        open.node = 0;
        waiting_.push_back({std::move(open), &graft});
        ready_.notify_one();
    }

    // Grows subtrees until there are no more.
    void grow_delegated(int thread) {
        const base::Phases::SubtreeScope subtrees;
        std::unique_lock lock(mutex_);
        try {
            while (!failed_ && (n_busy_ > 0 || !waiting_.empty())) {
                if (waiting_.empty()) {
                    ++n_idle_;
                    ready_.wait_for(lock, std::chrono::milliseconds(50));
                    --n_idle_;
                    lock.unlock();
                    if (thread == 0) interrupt_.poll();
                    lock.lock();
                    continue;
                }
                Task task = std::move(waiting_.back());
                waiting_.pop_back();
                ++n_busy_;
                lock.unlock();
                subtree(std::move(task.root), *task.builder, thread);
                lock.lock();
                --n_busy_;
            }
        } catch (...) {
            if (!lock.owns_lock()) lock.lock();
            failed_ = true;
            ready_.notify_all();
            throw;
        }
        ready_.notify_all();
    }

    void subtree(Open root, Builder& builder, int thread) {
        std::vector<Open> stack;
        stack.push_back(std::move(root));
        while (!stack.empty()) {
            // The bottom of the stack is the highest open node, and mostly the largest: the best one to delegate.
            if (n_idle_ > 0 && stack.size() > 1 && n_values(stack.front().rows) >= delegated_work) {
                delegate(std::move(stack.front()), builder);
                stack.erase(stack.begin());
            }
            Open open = std::move(stack.back());
            stack.pop_back();
            split_node(open, builder, nullptr, thread, stack);
        }
    }

    void best_first(Open root) {
        const auto worse = [](const Open& a, const Open& b) {
            return a.splits[0].gain < b.splits[0].gain || (!(b.splits[0].gain < a.splits[0].gain) && a.node > b.node);
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
            if (leaves + open.splits[0].n_branches - 1 > options_.max_leaf_nodes) continue;
            fresh.clear();
            leaves += open.splits[0].n_branches - 1;
            divide(open, builders_[0], worth_sharing(open.rows) ? &pool_ : nullptr, 0, fresh);
            for (auto child = fresh.rbegin(); child != fresh.rend(); ++child) offer(std::move(*child));
        }
    }

    void split_node(Open& open, Builder& builder, base::ThreadPool* pool, int thread, std::vector<Open>& stack) {
        if (grow_small(open, builder, thread)) return;
        if (find(open, builder, pool, thread)) divide(open, builder, pool, thread, stack);
    }

    // The size up to which small_tree.hpp grows nodes. It supports missing values only if their branches are learned:
    // where it may fail, nodes are left to it only if they would be sorted otherwise.
    std::size_t most_small_rows(const split::Binning& binning) const {
        const bool may_fail = options_.search.missing != split::Missing::learn &&
                              std::any_of(binning.column.begin(), binning.column.end(),
                                          [](const split::ColumnBins& bins) { return bins.any_missing; });
        return std::min(small_[0].most_rows(binning.n_slots),
                        (may_fail ? 1 : 2) * options_.search.small_node - 1);
    }
    // Larger nodes are sorted only for several levels: one level is found faster in bins (int64, depth 8: 1.12 times as
    // long without this rule).
    bool is_small(const NodeRows& rows, int depth) const {
        const bool deep = options_.max_depth < 0 || depth + 4 <= options_.max_depth;
        return rows.binned() && rows.size() <= most_small_rows_ && (deep || rows.size() < options_.search.small_node);
    }

    // All that grows below a small node of a binned store at once.
    bool grow_small(const Open& open, Builder& builder, int thread) {
        if (!is_small(open.rows, open.depth)) return false;
        interrupt_.poll(thread);
        SmallGrower& grower = small_[thread];
        if (!grower.read(open.rows)) return false;
        builder[open.node].grown =
            std::make_unique<tree::TreeArrays>(grower.grow(open.depth, stop_.whole_weight(), nullptr));
        return true;
    }

    // Fills in what the node says of itself and decides whether it may be split at all.
    void describe(Open& open, Builder& builder, base::ThreadPool* pool) {
        const base::PhaseTimer timer(base::Phase::describe);
        criteria::NodeSummary summary = engine_.summarize(open.rows, pool);
        if (open.depth == 0) stop_.begin(summary, engine_.classification());
        NodeRecord& node = builder[open.node];
        grow::describe(node, summary, open.rows.size(), limits_, open.context);
        open.splittable = stop_.splittable(summary, open.rows.size(), open.depth);
        node.value = std::move(summary.value);
    }

    bool find(Open& open, Builder& builder, base::ThreadPool* pool, int thread) {
        interrupt_.poll(thread);
        open.splits = engine_.find(open.rows, open.context, pool, thread);
        if (open.splits.empty() || !stop_.gains_enough(open.splits[0].gain.value())) return false;
        if (stop_.compares_with_root()) {
            const NodeRecord& node = builder[open.node];
            const double least =
                stop_.least_gain(open.splits[0].gain.value(), node.impurity * node.search_weight, open.depth);
            std::erase_if(open.splits, [least](const Candidate& c) { return !(c.gain.value() > least); });
        }
        return !open.splits.empty();
    }

    // Divides the rows, writes the split into the node and opens the children that may be split (pushed last first).
    void divide(Open& open, Builder& builder, base::ThreadPool* pool, int thread, std::vector<Open>& stack) {
        auto node_split = std::make_unique<NodeSplit>();
        node_split->split = std::move(open.splits[0]);
        node_split->competitors.assign(std::make_move_iterator(open.splits.begin() + 1),
                                       std::make_move_iterator(open.splits.end()));
        split::Division& division = engine_.divide(open.rows, node_split->split, pool, thread);
        split::Placement& placement = division.placement;
        const std::size_t n_branches = division.branches.size();
        const std::int32_t first = static_cast<std::int32_t>(builder.size());
        builder.resize(builder.size() + n_branches);
        std::vector<Open> children(n_branches);
        std::vector<split::BranchRows> branches;
        branches.reserve(n_branches);
        const auto path = split::path_below(open.context.path, node_split->split.column, n_columns_, options_.search);
        for (std::size_t b = 0; b < n_branches; ++b) {
            Open& child = children[b];
            child.rows = std::move(division.branches[b]);
            child.context = open.context;
            child.context.seed = base::branch_seed(open.context.seed, b);
            child.context.path = path;
            child.node = first + static_cast<std::int32_t>(b);
            child.depth = open.depth + 1;
            describe(child, builder, pool);
            branches.push_back({&child.rows, child.splittable, is_small(child.rows, child.depth)});
        }
        if (!options_.search.monotone.empty() && n_branches == 2) {
            const auto branch = [&](std::size_t b) -> LimitedBranch {
                return {children[b].context, builder[children[b].node].limited};
            };
            hand_down_limits(options_.search, node_split->split, open.context, branch(0), branch(1));
        }
        engine_.hand_down(open.rows, division, branches, pool);
        open.rows = {};
        if (placement.default_branch == split::Placement::by_row_counts)
            placement.default_branch = most_rows(builder, first, n_branches);
        node_split->default_branch = placement.default_branch;
        node_split->sent_default = placement.sent_default;
        node_split->surrogates = std::move(placement.surrogates);
        NodeRecord& node = builder[open.node];
        node.first_child = first;
        node.n_children = static_cast<std::int32_t>(n_branches);
        node.node_split = std::move(node_split);
        for (std::size_t b = children.size(); b-- > 0;)
            if (children[b].splittable) stack.push_back(std::move(children[b]));
    }

    // rpart's rule for predictions: the son with more rows, however they were placed; rows stay on a tie.
    static int most_rows(const Builder& builder, std::int32_t first, std::size_t n) {
        int best = 0;
        bool tie = false;
        for (std::size_t b = 1; b < n; ++b) {
            const std::int64_t rows = builder[static_cast<std::size_t>(first) + b].n_rows,
                               most = builder[first + best].n_rows;
            if (rows == most) tie = true;
            if (rows > most) best = static_cast<int>(b), tie = false;
        }
        return tie ? -1 : best;
    }

    const GrowOptions& options_;
    base::Interrupt& interrupt_;
    base::ThreadPool pool_;
    split::Engine engine_;
    StopRules stop_;
    std::size_t n_columns_, n_rows_ = 0;
    std::size_t most_small_rows_ = 0;  // nodes of a binned store with at most as many rows are grown by small_
    bool limits_;                     // monotone splits, here or above where this tree will stand, limit the values
    std::vector<SmallGrower> small_;  // one per thread; empty: not the plain case
    std::deque<Builder> builders_;
    std::mutex mutex_;  // of builders_ while subtrees grow, and of what follows
    std::condition_variable ready_;
    std::vector<Task> waiting_;
    std::atomic<int> n_idle_{0};
    int n_busy_ = 0;
    bool failed_ = false;
};

}  // namespace

tree::TreeArrays grow(const data::Table& table, const data::Target& target, const GrowOptions& options,
                      base::Interrupt& interrupt) {
    if (auto small = grow_small_tree(table, target, options, interrupt)) return std::move(*small);
    return Grower(table, target, options, interrupt).run();
}

Builder grow_nodes(const data::Table& table, const data::Target& target, const GrowOptions& options,
                   base::Interrupt& interrupt) {
    return Grower(table, target, options, interrupt).run_nodes();
}

}  // namespace ceiba::grow
