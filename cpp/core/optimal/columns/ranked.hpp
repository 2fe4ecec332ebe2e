// The rows of a node in the order of every feature, and their division by a cut.
//
// An entry of an order is a row (numbered within the node). Its top bit marks the last row of each value, after which a
// cut may follow. Rows without a rank come last. Division is stable, so no order is sorted again: O(features x rows).
#pragma once

#include "optimal/columns/features.hpp"

namespace ceiba::optimal {

constexpr std::uint32_t last_of_value = 0x80000000u;
constexpr std::uint32_t row_mask = 0x7FFFFFFFu;

// The data of each row. Arrays that a loss does not need are empty.
struct RowData {
    std::vector<std::uint16_t> label;
    std::vector<double> number;      // regression: the target minus its mean
    std::vector<double> weight;      // empty: every row counts 1
    std::vector<double> floor;       // least loss in any tree, because these rows agree in all columns; empty: 0
    std::vector<std::uint32_t> row;  // row number in the problem

    std::size_t size() const { return row.size(); }
    double weight_of(std::size_t i) const { return weight.empty() ? 1.0 : weight[i]; }
    void select(const RowData& all, const std::vector<std::uint32_t>& rows);
};

struct Node {
    RowData data;
    std::vector<std::uint32_t> order;      // features x rows
    std::vector<std::uint32_t> n_present;  // per feature: rows with a rank
    std::vector<std::uint32_t> n_cuts;     // per feature; 0: no cut
    std::vector<std::uint32_t> last_cut;   // per feature: position of the last cut

    std::size_t n_rows() const { return data.size(); }
    std::size_t n_features() const { return n_cuts.size(); }
    const std::uint32_t* entries(std::size_t f) const { return order.data() + f * n_rows(); }
    // The positions of entries that a cut may follow.
    std::vector<std::uint32_t> cuts(std::size_t f) const;
};

Node root_node(const Features& features, RowData data);

using SideOf = std::vector<std::uint8_t>;  // of each row: 0 left, 1 right

// Writes the side to which a cut after `position` sends each row. Returns whether rows without a rank go left.
bool mark_sides(const Node& node, std::size_t f, std::uint32_t position, SideOf& side);

void divide(const Features& features, const Node& node, const SideOf& side, Node& left, Node& right);

}  // namespace ceiba::optimal
