// The best stump or leaf on each of the two sides of a cut: one level of lookahead without dividing rows.
//
// Threads take features independently. The least loss does not depend on the threads.
#pragma once

#include "base/thread_pool.hpp"
#include "optimal/exact/cut_bits.hpp"
#include "optimal/exact/kernels.hpp"

namespace ceiba::optimal {

template <class Loss>
class SideSearch {
public:
    SideSearch(const LossRule& rule, std::size_t min_rows, const Features& features, base::ThreadPool& pool)
        : rule_(rule), features_(features), plain_(min_rows <= 1 && !features.has_unranked), pool_(pool), leaf_(rule) {
        for (int t = 0; t < pool.size(); ++t) space_.push_back(std::make_unique<Space>(rule, min_rows));
    }

    // Evaluates one or two cuts of a node, given by the sides of its rows. `bits`: the columns whose leaves and stumps
    // are already in `out`, or null.
    void evaluate(const Node& node, const std::array<SideOf, 2>& side, std::size_t n_cuts, const CutBits* bits,
                  std::array<Sides, 2>& out) {
        bits_ = bits;
        if (!bits)
            for (std::size_t c = 0; c < n_cuts; ++c) out[c] = leaves(node, side[c]);
        if (pairs()) {
            pair_walk(node, side, n_cuts, out);
            return;
        }
        for (std::size_t c = 0; c < n_cuts; ++c) {
            if (plain_ && bind(node, side[c]))
                each_feature(
                    node, [&](std::size_t f, Space& space) { return kernel(node, f, space); }, out[c]);
            else
                each_feature(
                    node, [&](std::size_t f, Space& space) { return reference(node, f, side[c], space); }, out[c]);
        }
    }

    // The split of the best stump on one side. Ties go to the lowest feature, then to the lowest cut. The search ends
    // at a stump with the loss `least`, if this is known to be the least loss.
    Stump find(const Node& node, const SideOf& side, int which, const CutBits* bits, double least) {
        Stump best;
        for (std::size_t f = 0; f < node.n_features() && best.loss > least; ++f) {
            if (node.n_cuts[f] == 0) continue;
            if (bits && bits->has(f))
                bits->choose(node, f, which, best);
            else
                space_[0]->scan.scan(node, f, side, which, features_.all[f].bounds_only, best);
        }
        return best;
    }

    Sides leaves(const Node& node, const SideOf& side) {
        Sides out;
        for (int s = 0; s < 2; ++s) {
            leaf_.clear();
            for (std::size_t i = 0; i < node.n_rows(); ++i)
                if (side[i] == s) leaf_.add(node.data, i), ++out.n_rows[s];
            out.leaf[s] = leaf_.loss();
        }
        return out;
    }

    static constexpr bool two_at_once = std::is_same_v<Loss, Errors>;

private:
    struct StumpLosses {
        TwoLosses relaxed, stump;
    };
    struct Space {
        Space(const LossRule& rule, std::size_t min_rows) : scan(rule, min_rows) {}
        StumpScan<Loss> scan;
        std::vector<std::int32_t> counts;
        std::array<Sides, 2> best;
    };

    bool pairs() const {
#ifdef CEIBA_OPTIMAL_VECTORS
        if constexpr (std::is_same_v<Loss, Errors>) return plain_ && rule_.n_classes == 2;
#endif
        return false;
    }

    void pair_walk([[maybe_unused]] const Node& node, [[maybe_unused]] const std::array<SideOf, 2>& side,
                   [[maybe_unused]] std::size_t n_cuts, [[maybe_unused]] std::array<Sides, 2>& out) {
#ifdef CEIBA_OPTIMAL_VECTORS
        const auto scan = [&](auto& walk) {
            walk.bind(node, side[0], side[n_cuts - 1]);
            run(node, out, [&](std::size_t f, Space& space) {
                TwoLosses losses[2];
                walk.scan(node, f, losses[0], losses[1]);
                for (std::size_t c = 0; c < n_cuts; ++c) keep(space.best[c], {losses[c], losses[c]});
            });
        };
        if (node.n_rows() < 32768)
            scan(walk_pair_);
        else
            scan(wide_pair_);
        for (std::size_t c = 0; c < n_cuts; ++c) collect(c, out[c]);
#endif
    }

    bool bind(const Node& node, const SideOf& side) {
        if constexpr (std::is_same_v<Loss, Errors>) {
            count_walk_.bind(node, side, rule_.n_classes);
        } else if constexpr (std::is_same_v<Loss, Costs>) {
            if (rule_.n_classes != 2) return false;
            walk_.bind(node, side, [&](std::size_t i) { return Costs::cap(rule_, node.data, i); });
        } else if constexpr (std::is_same_v<Loss, Squared>) {
            moment_walk_.bind(node, side);
        } else {
            return false;
        }
        return true;
    }

    StumpLosses kernel(const Node& node, std::size_t f, Space& space) const {
        TwoLosses loss{infinite, infinite};
        if constexpr (std::is_same_v<Loss, Errors>)
            loss = count_walk_.scan(node, f, space.best[0].relaxed, space.counts);
        if constexpr (std::is_same_v<Loss, Costs>) loss = walk_.scan(node, f);
        if constexpr (std::is_same_v<Loss, Squared>) loss = moment_walk_.scan(node, f, space.best[0].relaxed);
        return {loss, loss};
    }

    StumpLosses reference(const Node& node, std::size_t f, const SideOf& side, Space& space) const {
        Stump best[2];
        for (int s = 0; s < 2; ++s) space.scan.scan(node, f, side, s, features_.all[f].bounds_only, best[s]);
        return {{best[0].relaxed, best[1].relaxed}, {best[0].loss, best[1].loss}};
    }

    static void keep(Sides& best, const StumpLosses& losses) {
        for (std::size_t s = 0; s < 2; ++s) {
            best.relaxed[s] = std::min(best.relaxed[s], losses.relaxed[s]);
            best.stump[s] = std::min(best.stump[s], losses.stump[s]);
        }
    }

    void collect(std::size_t c, Sides& out) const {
        for (const auto& space : space_) keep(out, {space->best[c].relaxed, space->best[c].stump});
    }

    template <class Task>
    void each_feature(const Node& node, Task task, Sides& out) {
        run(node, {out, {}}, [&](std::size_t f, Space& space) { keep(space.best[0], task(f, space)); });
        collect(0, out);
    }

    // `bounds`: losses that have been reached before the scan.
    template <class Task>
    void run(const Node& node, const std::array<Sides, 2>& bounds, Task task) {
        for (auto& space : space_) space->best = bounds;
        const std::size_t n_features = bits_ ? bits_->n_others() : node.n_features();
        // Waking the threads costs as much as some 50,000 entries.
        base::ThreadPool& pool = node.n_rows() * n_features < 100000 ? alone_ : pool_;
        pool.run(node.n_features(), [&](std::size_t f, int thread) {
            if (node.n_cuts[f] && !(bits_ && bits_->has(f))) task(f, *space_[thread]);
        });
    }

    const LossRule& rule_;
    const Features& features_;
    bool plain_;  // no minimum leaf size, and each row has a rank: the kernels apply
    base::ThreadPool& pool_;
    base::ThreadPool alone_{1};
    const CutBits* bits_ = nullptr;  // columns of features that need no scan
    Loss leaf_;
    std::vector<std::unique_ptr<Space>> space_;
    CountWalk count_walk_;
    Walk walk_;
    MomentWalk moment_walk_;
#ifdef CEIBA_OPTIMAL_VECTORS
    WalkPair<std::int16_t, Lanes> walk_pair_;
    WalkPair<std::int32_t, WideLanes> wide_pair_;
#endif
};

// The loss of each row in a leaf of a fixed tree, whose prediction follows from the rows it has now.
//
//   Errors, Costs   the class j of least cost; C[class(i), j]
//   Gini            shares p;  w |e_class(i) - p|^2          Entropy   - w log2 p_class(i)
//   Squared         mean;      w (y - mean)^2                Absolute  median;  w |y - median|
//
// Summed over the leaf's own rows, this is the loss of losses.hpp. The same charges apply to rows that are moved to it.
template <class Loss>
class LeafPrediction {
public:
    static constexpr bool numbers = std::is_same_v<Loss, Squared> || std::is_same_v<Loss, Absolute>;

    LeafPrediction(const LossRule& rule, const RowData& data, const std::vector<std::uint32_t>& rows) {
        if constexpr (std::is_same_v<Loss, Absolute>)
            number_ = median(data, rows);
        else if constexpr (numbers)
            number_ = mean(data, rows);
        else
            by_class_ = charges(rule, data, rows);
    }

    double charge(const RowData& data, std::size_t i) const {
        const double w = data.weight_of(i);
        if constexpr (numbers) {
            const double off = data.number[i] - number_;
            return w * (std::is_same_v<Loss, Absolute> ? std::abs(off) : off * off);
        } else {
            return (std::is_same_v<Loss, Errors> ? 1.0 : w) * by_class_[data.label[i]];
        }
    }

private:
    static double mean(const RowData& data, const std::vector<std::uint32_t>& rows) {
        double sum = 0.0, weight = 0.0;
        for (std::uint32_t i : rows) sum += data.weight_of(i) * data.number[i], weight += data.weight_of(i);
        return weight > 0.0 ? sum / weight : 0.0;
    }

    static double median(const RowData& data, std::vector<std::uint32_t> rows) {
        std::sort(rows.begin(), rows.end(), [&](auto a, auto b) { return data.number[a] < data.number[b]; });
        double half = 0.0, below = 0.0;
        for (std::uint32_t i : rows) half += 0.5 * data.weight_of(i);
        for (std::uint32_t i : rows)
            if ((below += data.weight_of(i)) >= half) return data.number[i];
        return 0.0;
    }

    static std::vector<double> charges(const LossRule& rule, const RowData& data,
                                       const std::vector<std::uint32_t>& rows) {
        const std::size_t n_classes = rule.n_classes;
        std::vector<double> share(n_classes, 0.0), out(n_classes, 0.0);
        double total = 0.0;
        for (std::uint32_t i : rows) {
            const double w = std::is_same_v<Loss, Errors> ? 1.0 : data.weight_of(i);
            share[data.label[i]] += w, total += w;
        }
        for (double& p : share) p /= total > 0.0 ? total : 1.0;
        if constexpr (std::is_same_v<Loss, Gini>) {
            double squares = 0.0;
            for (double p : share) squares += p * p;
            for (std::size_t k = 0; k < n_classes; ++k) out[k] = 1.0 - 2.0 * share[k] + squares;
        } else if constexpr (std::is_same_v<Loss, Entropy>) {  // an absent class has a high finite loss
            for (std::size_t k = 0; k < n_classes; ++k) out[k] = -std::log2(std::max(share[k], 1e-12));
        } else {
            const auto cost = [&](std::size_t k, std::size_t j) {
                return rule.cost.empty() ? static_cast<double>(k != j) : rule.cost[k * n_classes + j];
            };
            std::pair<double, std::size_t> best{std::numeric_limits<double>::infinity(), 0};
            for (std::size_t j = 0; j < n_classes; ++j) {
                double sum = 0.0;
                for (std::size_t k = 0; k < n_classes; ++k) sum += share[k] * cost(k, j);
                best = std::min(best, {sum, j});
            }
            for (std::size_t k = 0; k < n_classes; ++k) out[k] = cost(k, best.second);
        }
        return out;
    }

    double number_ = 0.0;
    std::vector<double> by_class_;
};

}  // namespace ceiba::optimal
