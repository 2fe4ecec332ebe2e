// The plan of a tree's rounds: the operations on the rows of a shard, independent of their storage. Shards on the host
// and on a GPU follow the same plan, so that they interpret rounds identically.
#pragma once

#include "shards/cells.hpp"
#include "shards/protocol.hpp"

namespace ceiba::shards {

// The rows of an open node, as positions in the order of all rows. `side`: on a GPU, the side with these rows.
struct NodeRows {
    std::size_t begin = 0, end = 0, side = 0;

    std::size_t size() const { return end - begin; }
};

// The division of a node: by the bin or level of each row in a column; in one bin, by comparison with the cut.
struct Division {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    NodeRows rows;
    Route route;
    std::vector<std::uint16_t> branch_of;  // per bin or level; the last one is that of missing values
    std::size_t exact = none;              // the bin of the cut

    std::size_t n_branches() const { return route.open.size(); }
};

// The rows of a branch, in their order. Branches are adjacent in the range of their node.
struct BranchRows {
    std::size_t n_rows = 0, side = 0;
};

// The queries about one column of a node, ascending.
struct QueryPlace {
    std::size_t node = 0, column = 0, first = 0;  // first: index among all queries
    NodeRows rows;
    std::span<const RangeQuery> queries;
};

struct RoundRequest {
    RequestKind kind = RequestKind::count;
    int zoom_bits = 0;
    std::vector<NodeRows> nodes;  // count, gather, describe
    std::vector<double> values;   // describe: the mean of each
    std::vector<RangeQuery> queries;
    std::vector<std::uint8_t> bins;  // of each query
    std::vector<QueryPlace> places;
};

class RoundPlan {
public:
    using Divide = std::function<std::vector<std::vector<BranchRows>>(const std::vector<Division>&)>;

    // `number`: the number of the shard. The root has `n_rows` rows.
    RoundPlan(std::shared_ptr<const Layout> layout, std::uint64_t number, std::size_t n_rows)
        : layout_(std::move(layout)), number_(number), nodes_{{0, n_rows, 0}} {}

    const Layout& layout() const { return *layout_; }
    // Reads a round. New levels of its path are passed to `divide`, which returns the branches of every division.
    RoundRequest read(std::span<const std::uint64_t> round, const Divide& divide);
    // The first words of the answer, which are followed by counts, runs or rows.
    Words head(const RoundRequest& request) const;

private:
    void follow(Reader level, std::size_t n_nodes, const Divide& divide);
    Division plan_division(const NodeRows& rows, Route route) const;
    const NodeRows& node(std::size_t i) const;
    void plan_places(RoundRequest& request) const;

    std::shared_ptr<const Layout> layout_;
    std::uint64_t number_;
    std::size_t level_ = 0;                   // number of levels of the path that the rows have followed
    std::vector<NodeRows> nodes_;             // the open nodes
    std::vector<std::uint64_t> branch_rows_;  // of all branches of the last level, open or not
};

}  // namespace ceiba::shards
