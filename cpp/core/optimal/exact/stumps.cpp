#include "optimal/exact/stumps.hpp"

namespace ceiba::optimal {

void SideRows::collect(const Node& node, std::size_t f, const std::vector<std::uint8_t>& side, int which) {
    rows.clear(), missing.clear(), cut_at.clear(), entry.clear();
    const std::uint32_t* const e = node.entries(f);
    const std::size_t n_present = node.n_present[f];
    double total = 0.0;
    bool open = false;  // whether there are rows since the last cut
    for (std::uint32_t i = 0; i < n_present; ++i) {
        const std::uint32_t row = e[i] & row_mask;
        if (side[row] == which) rows.push_back(row), total += node.data.weight_of(row), open = true;
        if ((e[i] & last_of_value) && open) {
            cut_at.push_back(static_cast<std::uint32_t>(rows.size() - 1));
            entry.push_back(i);
            open = false;
        }
    }
    if (!cut_at.empty()) cut_at.pop_back(), entry.pop_back();  // no cut after the last value
    for (std::size_t i = n_present; i < node.n_rows(); ++i)
        if (side[e[i] & row_mask] == which) missing.push_back(e[i] & row_mask);
    find_heavier(node.data, total);
}

void SideRows::find_heavier(const RowData& data, double total) {
    joins_left = cut_at.size();
    if (missing.empty()) return;
    double weight = 0.0;
    std::size_t i = 0;
    for (std::size_t c = 0; c < cut_at.size(); ++c) {
        for (; i <= cut_at[c]; ++i) weight += data.weight_of(rows[i]);
        if (!(weight < total - weight)) {
            joins_left = c;
            return;
        }
    }
}

void SideRows::choose(std::size_t f, std::size_t min_rows, bool bounds_only, Stump& best) const {
    const std::size_t n = rows.size() + missing.size();
    for (std::size_t c = 0; c < cut_at.size(); ++c) {
        const double loss = left[c] + right[c];
        if (loss < best.relaxed) best.relaxed = loss;
        const std::size_t on_left = cut_at[c] + 1 + (c >= joins_left ? missing.size() : 0);
        if (bounds_only || on_left < min_rows || n - on_left < min_rows || !(loss < best.loss)) continue;
        best.loss = loss;
        best.feature = static_cast<std::int32_t>(f);
        best.position = entry[c];
        best.missing_left = c >= joins_left;
    }
}

}  // namespace ceiba::optimal
