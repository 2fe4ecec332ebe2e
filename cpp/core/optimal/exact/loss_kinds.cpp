// The parts of the exact search that depend on the loss, compiled for each loss.

#include "optimal/exact/solver.hpp"
#include "optimal/exact/target_groups.hpp"

namespace ceiba::optimal {

namespace {

template <class Loss>
class LossSolver final : public Solver {
public:
    LossSolver(const Features& features, const LossRule& rule, const Rules& rules, base::ThreadPool& pool, Clock& clock,
               std::size_t cache_bytes)
        : Solver(features, rule, rules, clock, cache_bytes, traits),
          sides_(rule, rules.min_rows, features, pool),
          leaf_(rule),
          ranking_(rule, rules.min_rows) {}

    double leaf_loss(const Node& node) override {
        leaf_.clear();
        for (std::size_t i = 0; i < node.n_rows(); ++i) leaf_.add(node.data, i);
        return leaf_.loss();
    }

    std::vector<Stump> best_cuts(const Node& node) override {
        std::vector<Stump> cuts;
        const SideOf all(node.n_rows(), 0);
        for (std::size_t f = 0; f < node.n_features(); ++f) {
            if (node.n_cuts[f] == 0 || features_.all[f].bounds_only) continue;
            Stump stump;
            ranking_.scan(node, f, all, 0, false, stump);
            if (stump.feature >= 0) cuts.push_back(stump);
        }
        clock_.spend(node.n_rows() * node.n_features());
        return cuts;
    }

    void charge(const RowData& data, const std::vector<std::uint32_t>& leaf_rows,
                const std::vector<std::uint32_t>& rows, std::vector<double>& out) const override {
        const LeafPrediction<Loss> answer(rule_, data, leaf_rows);
        for (std::uint32_t i : rows) out[i] = answer.charge(data, i);
    }

private:
    static constexpr bool unit_caps = std::is_same_v<Loss, Errors>;
    static constexpr LossTraits traits{Loss::whole, SideSearch<Loss>::two_at_once,
                                       unit_caps ? nullptr : &cap_sums<Loss>};

    // For classification losses, columns are ranked by Gini, which registers progress before the errors decrease.
    using Ranking = std::conditional_t<std::is_same_v<Loss, Squared> || std::is_same_v<Loss, Absolute>, Loss, Gini>;

    // A lower bound from rows that agree in all columns, classes without a leaf, and groups of the target.
    double split_bound(const Node& node, int depth, int leaves, double goal) override {
        double least = leaf_.leaves_bound(static_cast<std::size_t>(depth < 20 ? std::min(leaves, 1 << depth) : leaves));
        if (!node.data.floor.empty()) {
            double floor = 0.0;
            for (double f : node.data.floor) floor += f;
            least = std::max(least, floor);
        }
        least += 2.0 * rules_.penalty;
        if constexpr (std::is_same_v<Loss, Squared>) {
            if (depth >= 2 && least < goal)
                least =
                    std::max(least, groups_.bound(node.data, static_cast<std::size_t>(leaves), rules_.penalty, goal) -
                                        rules_.tolerance);
        }
        return least;
    }

    Stump best_stump(const Node& node, const SideOf& side, int which, const CutBits* bits, double least) override {
        return sides_.find(node, side, which, bits, least);
    }
    void evaluate(const Node& node, const std::array<SideOf, 2>& side, std::size_t n_cuts, const CutBits* bits,
                  std::array<Sides, 2>& out) override {
        sides_.evaluate(node, side, n_cuts, bits, out);
    }

    SideSearch<Loss> sides_;
    Loss leaf_;
    StumpScan<Ranking> ranking_;
    TargetGroups groups_;
};

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
                return std::make_unique<LossSolver<Loss>>(features, rule, rules, pool, clock, cache_bytes);
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
