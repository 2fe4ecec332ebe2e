// The rows of a node in the order of every feature, and how a cut divides them.
//
// An entry of an order is a row (numbered within the node) with the top bit set on the last row of each value: a cut
// may follow there. Rows without a rank stand behind all others. Dividing is stable, so that nothing is sorted twice:
// O(features x rows).
#pragma once

#include "optimal/columns/features.hpp"

namespace ceiba::optimal {

constexpr std::uint32_t last_of_value = 0x80000000u;
constexpr std::uint32_t row_mask = 0x7FFFFFFFu;

// What is known of each row; columns that a loss does not need are empty.
struct RowData {
    std::vector<std::uint16_t> label;
    std::vector<double> number;      // regression: the target minus its mean
    std::vector<double> weight;      // empty: every row counts 1
    std::vector<double> floor;       // loss no tree can avoid, because these rows agree in all columns; empty: none
    std::vector<std::uint32_t> row;  // in the whole problem

    std::size_t size() const { return row.size(); }
    double weight_of(std::size_t i) const { return weight.empty() ? 1.0 : weight[i]; }
    void select(const RowData& all, const std::vector<std::uint32_t>& rows);
};

struct Node {
    RowData data;
    std::vector<std::uint32_t> order;      // features x rows
    std::vector<std::uint32_t> n_present;  // per feature: rows with a rank
    std::vector<std::uint32_t> n_cuts;     // per feature; 0: nothing to divide here
    std::vector<std::uint32_t> last_cut;   // per feature: position of the last cut

    std::size_t n_rows() const { return data.size(); }
    std::size_t n_features() const { return n_cuts.size(); }
    const std::uint32_t* entries(std::size_t f) const { return order.data() + f * n_rows(); }
    // Positions of the entries that a cut may follow.
    std::vector<std::uint32_t> cuts(std::size_t f) const;
};

Node root_node(const Features& features, RowData data);

using SideOf = std::vector<std::uint8_t>;  // of each row: 0 left, 1 right

// The side to which a cut after `position` sends each row. Returns whether rows without a rank go left.
bool mark_sides(const Node& node, std::size_t f, std::uint32_t position, SideOf& side);

void divide(const Features& features, const Node& node, const SideOf& side, Node& left, Node& right);

}  // namespace ceiba::optimal
