#include "shards/rows/round_plan.hpp"

namespace ceiba::shards {

const NodeRows& RoundPlan::node(std::size_t i) const {
    if (i >= nodes_.size()) throw Contradiction("the request is about a node that is not open");
    return nodes_[i];
}

RoundRequest RoundPlan::read(std::span<const std::uint64_t> round, const Divide& divide) {
    Reader in(round);
    const std::size_t n_levels = in.size();
    if (n_levels < level_) throw Contradiction("the shard is ahead of the requested round");
    for (std::size_t l = 0; l < n_levels; ++l) {
        const std::size_t n_words = in.size(), n_nodes = in.size();
        const Reader level(in.read(n_words));
        if (l < level_) continue;
        follow(level, n_nodes, divide);
        ++level_;
    }
    RoundRequest request;
    request.kind = static_cast<RequestKind>(in.word());
    const bool about_nodes = request.kind == RequestKind::count || request.kind == RequestKind::gather ||
                             request.kind == RequestKind::describe;
    if (request.kind == RequestKind::zoom) request.zoom_bits = static_cast<int>(in.word());
    for (std::size_t n = in.size(); n-- > 0;) {
        if (about_nodes) request.nodes.push_back(node(in.size()));
        if (request.kind == RequestKind::describe) request.values.push_back(in.real());
        if (!about_nodes) request.queries.push_back(RangeQuery::read(in));
        if (request.kind == RequestKind::neighbours) request.queries.push_back(RangeQuery::read(in));
    }
    plan_places(request);
    return request;
}

// Queries about the same node and column are adjacent; those about neighbours come in pairs. A place has at most as
// many queries as 16 bits can count.
void RoundPlan::plan_places(RoundRequest& request) const {
    const std::vector<RangeQuery>& queries = request.queries;
    for (std::size_t from = 0; from < queries.size();) {
        std::size_t to = from + 1;
        while (to < queries.size() && queries[to].same_place(queries[from]) && to - from < 65535) ++to;
        QueryPlace& place = request.places.emplace_back();
        place.node = queries[from].node;
        place.column = queries[from].column;
        place.first = from;
        place.rows = node(place.node);
        place.queries = {queries.data() + from, to - from};
        const ColumnLayout& bins = layout_->column.at(place.column);
        for (std::size_t q = from; q < to; ++q)
            request.bins.push_back(static_cast<std::uint8_t>(bins.bin_of(number_of(queries[q].low))));
        from = to;
    }
}

void RoundPlan::follow(Reader level, std::size_t n_nodes, const Divide& divide) {
    if (n_nodes != nodes_.size()) throw Contradiction("a shard has other open nodes than the round");
    std::vector<Division> divisions;
    std::vector<char> stays;  // per node: not divided, but still open
    for (const NodeRows& rows : nodes_) {
        Route route = Route::read(level);
        stays.push_back(route.kind == split::Kind::none && route.stays);
        divisions.push_back(plan_division(rows, std::move(route)));
    }
    const auto whole = [](const Division& d) { return d.route.kind == split::Kind::none; };
    std::vector<Division> divided;
    std::remove_copy_if(divisions.begin(), divisions.end(), std::back_inserter(divided), whole);
    const std::vector<std::vector<BranchRows>> branches = divide(divided);
    std::vector<NodeRows> nodes;
    branch_rows_.clear();
    std::size_t next = 0;
    for (std::size_t k = 0; k < divisions.size(); ++k) {
        if (whole(divisions[k])) {
            if (stays[k]) nodes.push_back(divisions[k].rows);
            continue;
        }
        std::size_t at = divisions[k].rows.begin;
        for (std::size_t b = 0; b < divisions[k].n_branches(); ++b) {
            const BranchRows& branch = branches[next][b];
            branch_rows_.push_back(branch.n_rows);
            if (divisions[k].route.open[b]) nodes.push_back({at, at + branch.n_rows, branch.side});
            at += branch.n_rows;
        }
        ++next;
    }
    nodes_ = std::move(nodes);
}

Division RoundPlan::plan_division(const NodeRows& rows, Route route) const {
    Division out;
    out.rows = rows;
    if (route.kind != split::Kind::none) {
        const ColumnLayout& column = layout_->column.at(route.column);
        const std::size_t n_bins = column.n_bins();
        const auto missing = static_cast<std::uint16_t>(route.missing_branch);
        if (route.kind == split::Kind::levels) {
            out.branch_of.assign(n_bins + 1, missing);
            for (const split::LevelBranch& level : route.levels)
                out.branch_of.at(static_cast<std::size_t>(level.code)) = static_cast<std::uint16_t>(level.branch);
        } else if (route.kind == split::Kind::presence) {
            out.branch_of.assign(n_bins + 1, 0);
            out.branch_of[n_bins] = 1;
        } else {
            const std::size_t at = column.coarse ? column.last_bin_below(route.cut) : column.bin_of(route.cut);
            for (std::size_t b = 0; b < n_bins; ++b) out.branch_of.push_back(b > at);
            out.branch_of.push_back(missing);
            if (!column.coarse) out.exact = at;
        }
        for (const std::uint16_t branch : out.branch_of)
            if (branch >= route.open.size()) throw Contradiction("a route has a branch that its node does not have");
    }
    out.route = std::move(route);
    return out;
}

Words RoundPlan::head(const RoundRequest& request) const {
    const std::size_t width = layout_->shape.width(), n_nodes = request.nodes.size();
    const auto sums = [](std::size_t n) { return Words{static_cast<std::uint64_t>(Form::sums), n}; };
    switch (request.kind) {
        case RequestKind::count: {
            Words out = sums(branch_rows_.size() + n_nodes * layout_->n_words());
            put_all(out, branch_rows_);
            return out;
        }
        case RequestKind::zoom:
            return sums(request.queries.size() * width << request.zoom_bits);
        case RequestKind::fetch:
            return {static_cast<std::uint64_t>(Form::runs), width, request.queries.size()};
        case RequestKind::neighbours:
            return sums(0);
        case RequestKind::describe:
            return sums(n_nodes * any_digits);
        case RequestKind::gather:
            break;
    }
    std::size_t n_words = 0;
    for (const NodeRows& rows : request.nodes)
        n_words += 1 + rows.size() * (layout_->column.size() + 1 + layout_->shape.weighted);
    return {static_cast<std::uint64_t>(Form::pieces), number_, n_words};
}

}  // namespace ceiba::shards
