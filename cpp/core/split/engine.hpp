// The interface between tree growing and rows (ARCHITECTURE.md). A grower calls four functions per node and never reads
// a row: summarize the node, find its best split, divide its rows, hand down the data that the searched branches need.
#pragma once

#include "criteria/node_summary.hpp"
#include "split/finder.hpp"
#include "split/missing/fractional.hpp"
#include "split/missing/surrogates.hpp"

namespace ceiba::split {

struct EngineOptions {
    SearchOptions search;
    SurrogateOptions surrogates;
    BinOptions bins;
    // 0: rows with a missing value stay; 1: surrogates, else stay; 2: surrogates, else the heavier branch
    int use_surrogate = 2;

    bool operator==(const EngineOptions&) const = default;
};

// The destination of the rows that the split itself cannot place.
struct Placement {
    static constexpr int stays = -1, by_row_counts = -2;  // values of default_branch that are no branch

    std::int32_t default_branch = stays;
    std::int64_t sent_default = 0;  // number of rows placed by default
    std::vector<Surrogate> surrogates;
};

// The rows of a node, divided among its branches.
struct Division {
    Placement placement;
    std::vector<NodeRows> branches;  // with their targets only; Engine::hand_down adds the columns

private:
    friend class Engine;
    Routing routing_;
    Places places_;
    std::optional<FractionalDivision> fractional_;
};

class Engine {
public:
    Engine(const data::Table& table, const data::Target& target, const EngineOptions& options, base::ThreadPool& pool,
           base::Interrupt& interrupt);

    // Returns all rows. It may be called once.
    NodeRows release_root() { return std::move(root_); }
    bool classification() const { return classification_; }
    bool counts_in_bins() const { return in_bins_; }

    criteria::NodeSummary summarize(const NodeRows& node, base::ThreadPool* pool) const;
    std::vector<Candidate> find(NodeRows& node, const NodeContext& context, base::ThreadPool* pool, int thread) {
        return finder_->find(node, context, pool, thread);
    }
    // The result is valid until this thread divides the next node.
    Division& divide(const NodeRows& node, const Candidate& split, base::ThreadPool* pool, int thread);
    void hand_down(NodeRows& node, const Division& division, const std::vector<BranchRows>& branches,
                   base::ThreadPool* pool);

private:
    bool worth_binning(const data::Table& table, const data::Target& target) const;
    Placement place_missing(const NodeRows& node, const Candidate& split, Routing& routing,
                            base::ThreadPool* pool) const;
    double rows_counted(const NodeRows& node, std::size_t i) const;
    std::int64_t missing_rows(const NodeRows& node, std::size_t column, base::ThreadPool* pool) const;

    const EngineOptions& options_;
    NodeRows root_;
    bool classification_, in_bins_ = false;
    std::unique_ptr<SplitFinder> finder_;
    std::vector<Division> divisions_;  // one per thread; the memory is reused for all nodes
};

}  // namespace ceiba::split
