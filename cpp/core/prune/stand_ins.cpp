#include "prune/stand_ins.hpp"

#include "base/interrupt.hpp"
#include "base/thread_pool.hpp"
#include "split/store/partition.hpp"

namespace ceiba::prune {

StandIns stand_ins(const data::Table& table, const data::Target& target, std::span<const std::uint16_t> branch,
                   std::int32_t primary_column, const split::SearchOptions& search,
                   const split::SurrogateOptions& options, bool keep_zero_weights, bool use) {
    base::ThreadPool pool(1);
    base::Interrupt never([] { return false; });
    const split::NodeRows node = split::presort(table, target, keep_zero_weights, pool, never);
    const auto& row = node.store->target.row;
    split::Routing routing;
    routing.branch.resize(node.size());
    for (std::size_t i = 0; i < node.size(); ++i) routing.branch[i] = branch[row[i]];
    const int right = split::right_son(node, routing, search.class_scale);
    StandIns out{split::find_surrogates(node, routing, primary_column, right, options), {branch.begin(), branch.end()}};
    if (!use) return out;
    split::route_by_surrogates(node, options, out.surrogates, routing);
    for (std::size_t i = 0; i < node.size(); ++i) out.branch[row[i]] = routing.branch[i];
    return out;
}

}  // namespace ceiba::prune
