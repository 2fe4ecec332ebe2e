// The solver, compiled for each loss.
#include <memory>
#include <stdexcept>
#include <string>

#include "optimal/exact/solver.hpp"
#include "optimal/search.hpp"

namespace ceiba::optimal {

namespace {

template <class Loss>
LossKind kind() {
    return {Loss::whole,
            [](const LossRule& rule, const RowData& data, std::span<const std::uint32_t> rows) {
                Loss loss(rule);
                loss.clear();
                for (std::uint32_t i : rows) loss.add(data, i);
                return loss.loss();
            },
            [](const Features& features, const LossRule& rule, const Rules& rules, base::ThreadPool& pool, Clock& clock,
               std::size_t cache_bytes) -> std::unique_ptr<Search> {
                return std::make_unique<Solver<Loss>>(features, rule, rules, pool, clock, cache_bytes);
            }};
}

}  // namespace

LossKind loss_kind(const std::string& word) {
    if (word == "error") return kind<Errors>();
    if (word == "cost") return kind<Costs>();
    if (word == "gini") return kind<Gini>();
    if (word == "entropy") return kind<Entropy>();
    if (word == "squared_error") return kind<Squared>();
    if (word == "absolute_error") return kind<Absolute>();
    throw std::invalid_argument("no loss is called '" + word + "'");
}

}  // namespace ceiba::optimal
