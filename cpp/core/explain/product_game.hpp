// Shapley values of one leaf: the game v(S) = Π_{k in S} hot_k Π_{k not in S} cold_k over the columns of its path.
//
// hot_k: the share of the row that follows the path at all splits on column k if its value is known; cold_k: the share
// if the value is unknown.
//   phi_j  =   (hot_j - cold_j) ∫ Π_{k != j} (t hot_k + (1 - t) cold_k) dt
//   phi_ij = ½ (hot_i - cold_i) (hot_j - cold_j) ∫ Π_{k != i, j} (t hot_k + (1 - t) cold_k) dt
//   phi_ii = phi_i - Σ_j phi_ij
// (interactions are halved as in Lundberg et al. 2020). Results are stored in "slots": one per column, or one per pair
// i <= j in the order of the rows of the upper triangle.
#pragma once

#include "base/standard.hpp"

namespace ceiba::explain {

// Gauss-Legendre quadrature on [0, 1]: n points integrate every polynomial of degree 2 n - 1 exactly.
//
// Shapley weights are integrals, s! (m - 1 - s)! / m! = ∫ t^s (1 - t)^(m - 1 - s) dt, so a sum over all coalitions of a
// product game is the integral of a polynomial. All terms are positive, so no digits cancel for any number of columns.
struct Quadrature {
    std::vector<double> point, weight;
    std::size_t size() const { return point.size(); }
};

inline Quadrature gauss_legendre(std::size_t n) {
    Quadrature rule{std::vector<double>(n), std::vector<double>(n)};
    const double degree = static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
        double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (degree + 0.5)), slope = 1.0;
        for (int step = 0; step < 100; ++step) {  // Newton's method on the Legendre polynomial
            double here = 1.0, before = 0.0;
            for (std::size_t k = 0; k < n; ++k) {
                const double next =
                    ((2.0 * static_cast<double>(k) + 1.0) * x * here - static_cast<double>(k) * before) /
                    (static_cast<double>(k) + 1.0);
                before = here;
                here = next;
            }
            slope = degree * (x * here - before) / (x * x - 1.0);
            const double move = here / slope;
            x -= move;
            if (std::abs(move) < 1e-15) break;
        }
        rule.point[i] = 0.5 * (1.0 - x);
        rule.weight[i] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
    return rule;
}

inline std::size_t n_slots(std::size_t n_columns, bool interactions) {
    return interactions ? n_columns * (n_columns + 1) / 2 : n_columns;
}
// The slot of the pair i <= j of m columns.
inline std::size_t pair_slot(std::size_t i, std::size_t j, std::size_t m) { return i * m - i * (i + 1) / 2 + j; }

class ProductGame {
public:
    // Prepares the quadrature rules for paths with these numbers of columns.
    explicit ProductGame(const std::vector<std::size_t>& n_columns) {
        for (const std::size_t m : n_columns) {
            const std::size_t n = (m + 1) / 2;
            if (rules_.size() <= n) rules_.resize(n + 1);
            if (rules_[n].size() == 0) rules_[n] = gauss_legendre(n);
        }
    }

    // Computes the slots of a leaf with m columns.
    void solve(const double* hot, const double* cold, std::size_t m, bool interactions, double* out,
               std::vector<double>& room) const {
        room.resize(3 * m + 2);
        double *const factor = room.data(), *const ahead = factor + m, *const single = ahead + m + 1;
        for (std::size_t s = 0; s < n_slots(m, interactions); ++s) out[s] = 0.0;
        double* const phi = interactions ? single : out;
        for (std::size_t j = 0; j < m; ++j) phi[j] = 0.0;
        const Quadrature& rule = rules_[(m + 1) / 2];  // degree m - 1
        for (std::size_t q = 0; q < rule.size(); ++q) {
            const double t = rule.point[q];
            for (std::size_t k = 0; k < m; ++k) factor[k] = t * hot[k] + (1.0 - t) * cold[k];
            products_behind(factor, m, m, ahead);
            double before = rule.weight[q];
            for (std::size_t j = 0; j < m; ++j) {
                phi[j] += before * ahead[j + 1];
                before *= factor[j];
            }
            if (interactions) add_pairs(hot, cold, factor, m, rule.weight[q], ahead, out);
        }
        for (std::size_t j = 0; j < m; ++j) phi[j] *= hot[j] - cold[j];
        if (interactions) put_diagonal(phi, m, out);
    }

    // Each diagonal entry is the column's value minus its pairs.
    static void put_diagonal(const double* phi, std::size_t m, double* out) {
        for (std::size_t i = 0; i < m; ++i) {
            double rest = phi[i];
            for (std::size_t j = 0; j < m; ++j)
                if (j != i) rest -= out[i < j ? pair_slot(i, j, m) : pair_slot(j, i, m)];
            out[pair_slot(i, i, m)] = rest;
        }
    }

private:
    // behind[j]: the product of the factors from j on, without factor `left_out`.
    static void products_behind(const double* factor, std::size_t m, std::size_t left_out, double* behind) {
        behind[m] = 1.0;
        for (std::size_t k = m; k-- > 0;) behind[k] = k == left_out ? behind[k + 1] : behind[k + 1] * factor[k];
    }
    static void add_pairs(const double* hot, const double* cold, const double* factor, std::size_t m, double weight,
                          double* behind, double* out) {
        for (std::size_t i = 0; i + 1 < m; ++i) {
            products_behind(factor, m, i, behind);
            double before = 0.5 * weight * (hot[i] - cold[i]);
            for (std::size_t j = 0; j < m; ++j) {
                if (j > i) out[pair_slot(i, j, m)] += before * behind[j + 1] * (hot[j] - cold[j]);
                if (j != i) before *= factor[j];
            }
        }
    }

    std::vector<Quadrature> rules_;  // index: number of points
};

// The game of a row against a background row: v(S) = 1 if S contains all columns of `own` and none of `other`, else 0.
// With p = |own| and q = |other|: phi_j = (p - 1)! q! / (p + q)! for own columns, -p! (q - 1)! / (p + q)! for others.
class SetGame {
public:
    // The integral of t^a (1 - t)^b: a! b! / (a + b + 1)!.
    static double beta(std::size_t a, std::size_t b) {
        double product = 1.0 / static_cast<double>(a + b + 1);
        for (std::size_t k = 1; k <= b; ++k) product *= static_cast<double>(k) / static_cast<double>(a + k);
        return product;
    }
    static double own_value(std::size_t p, std::size_t q) { return p > 0 ? beta(p - 1, q) : 0.0; }
    static double other_value(std::size_t p, std::size_t q) { return q > 0 ? -beta(p, q - 1) : 0.0; }
    // Half of the interaction of two columns, each of which is in `own` or in `other`.
    static double pair(bool first_own, bool second_own, std::size_t p, std::size_t q) {
        if (first_own != second_own) return p > 0 && q > 0 ? -0.5 * beta(p - 1, q - 1) : 0.0;
        if (first_own) return p > 1 ? 0.5 * beta(p - 2, q) : 0.0;
        return q > 1 ? 0.5 * beta(p, q - 2) : 0.0;
    }
};

}  // namespace ceiba::explain
