#include "optimal/columns/ranked.hpp"

namespace ceiba::optimal {

namespace {

// Writes one order and records the positions of its cuts.
struct OrderWriter {
    std::uint32_t* at;
    std::uint32_t n = 0, n_ends = 0, last_end = 0, end_before = 0;

    void push(std::uint32_t row) { at[n++] = row; }
    void end_value() {
        if (n == 0 || (n_ends > 0 && last_end == n - 1)) return;
        at[n - 1] |= last_of_value;
        end_before = last_end;
        last_end = n - 1;
        ++n_ends;
    }
    void finish(Node& node, std::size_t f) const {
        node.n_present[f] = n;
        node.n_cuts[f] = n_ends > 0 ? n_ends - 1 : 0;
        node.last_cut[f] = end_before;
    }
};

void prepare(Node& node, std::size_t n_features) {
    node.order.resize(n_features * node.n_rows());
    node.n_present.resize(n_features);
    node.n_cuts.resize(n_features);
    node.last_cut.resize(n_features);
}

// The order with missing rows below all values is redundant if no value is missing.
void drop_idle(const Features& features, Node& node) {
    for (std::size_t f = 0; f < node.n_features(); ++f) {
        const Feature& feature = features.all[f];
        if (!feature.missing_low || node.n_cuts[f] == 0) continue;
        if (feature.rank[node.data.row[node.entries(f)[0] & row_mask]] != 0) node.n_cuts[f] = 0;
    }
}

}  // namespace

void RowData::select(const RowData& all, const std::vector<std::uint32_t>& rows) {
    const auto pick = [&](auto& to, const auto& from) {
        to.clear();
        if (from.empty()) return;
        to.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
    };
    pick(label, all.label);
    pick(number, all.number);
    pick(weight, all.weight);
    pick(floor, all.floor);
    pick(row, all.row);
}

std::vector<std::uint32_t> Node::cuts(std::size_t f) const {
    std::vector<std::uint32_t> out;
    if (n_cuts[f] == 0) return out;
    out.reserve(n_cuts[f]);
    const std::uint32_t* const e = entries(f);
    for (std::uint32_t i = 0; i <= last_cut[f]; ++i)
        if (e[i] & last_of_value) out.push_back(i);
    return out;
}

Node root_node(const Features& features, RowData data) {
    Node node;
    node.data = std::move(data);
    const std::size_t n = node.n_rows(), n_features = features.all.size();
    prepare(node, n_features);
    std::vector<std::uint32_t> start, sorted(n);
    for (std::size_t f = 0; f < n_features; ++f) {
        const Feature& feature = features.all[f];
        start.assign(feature.n_ranks + 2, 0);  // unranked rows are counted in the last place
        const auto bucket = [&](std::size_t i) { return std::min(feature.rank[i], feature.n_ranks); };
        for (std::size_t i = 0; i < n; ++i) ++start[bucket(i) + 1];
        for (std::size_t r = 0; r + 1 < start.size(); ++r) start[r + 1] += start[r];
        const std::uint32_t n_present = start[feature.n_ranks];
        for (std::size_t i = 0; i < n; ++i) sorted[start[bucket(i)]++] = static_cast<std::uint32_t>(i);
        OrderWriter writer{node.order.data() + f * n};
        for (std::uint32_t i = 0; i < n_present; ++i) {
            if (i > 0 && feature.rank[sorted[i]] != feature.rank[sorted[i - 1]]) writer.end_value();
            writer.push(sorted[i]);
        }
        writer.end_value();
        writer.finish(node, f);
        std::copy(sorted.begin() + n_present, sorted.end(),
                  node.order.begin() + static_cast<std::ptrdiff_t>(f * n + n_present));
    }
    drop_idle(features, node);
    return node;
}

bool mark_sides(const Node& node, std::size_t f, std::uint32_t position, SideOf& side) {
    const std::uint32_t* const e = node.entries(f);
    const std::size_t n = node.n_rows(), n_present = node.n_present[f];
    side.resize(n);
    double left = 0.0, right = 0.0;
    for (std::size_t i = 0; i < n_present; ++i) side[e[i] & row_mask] = i > position;
    for (std::size_t i = 0; i < n_present; ++i) (i > position ? right : left) += node.data.weight_of(e[i] & row_mask);
    for (std::size_t i = n_present; i < n; ++i) side[e[i] & row_mask] = left < right;
    return !(left < right);
}

void divide(const Features& features, const Node& node, const std::vector<std::uint8_t>& side, Node& left,
            Node& right) {
    const std::size_t n = node.n_rows(), n_features = node.n_features();
    std::vector<std::uint32_t> rows[2], to(n);
    for (std::size_t i = 0; i < n; ++i) {
        to[i] = static_cast<std::uint32_t>(rows[side[i]].size());
        rows[side[i]].push_back(static_cast<std::uint32_t>(i));
    }
    Node* const part[2] = {&left, &right};
    for (int s = 0; s < 2; ++s) {
        part[s]->data.select(node.data, rows[s]);
        prepare(*part[s], n_features);
    }
    for (std::size_t f = 0; f < n_features; ++f) {
        OrderWriter writer[2] = {{left.order.data() + f * left.n_rows()}, {right.order.data() + f * right.n_rows()}};
        const std::uint32_t* const e = node.entries(f);
        const std::size_t n_present = node.n_present[f];
        if (node.n_cuts[f] == 0 && features.all[f].missing_low == false &&
            n_present == n) {  // a single value: any order will do
            for (int s = 0; s < 2; ++s) {
                for (std::uint32_t i = 0; i < rows[s].size(); ++i) writer[s].push(i);
                writer[s].end_value();
                writer[s].finish(*part[s], f);
            }
            continue;
        }
        for (std::size_t i = 0; i < n_present; ++i) {
            const std::uint32_t row = e[i] & row_mask;
            writer[side[row]].push(to[row]);
            if (e[i] & last_of_value) writer[0].end_value(), writer[1].end_value();
        }
        for (int s = 0; s < 2; ++s) writer[s].finish(*part[s], f);
        for (std::size_t i = n_present; i < n; ++i) {
            const std::uint32_t row = e[i] & row_mask;
            writer[side[row]].push(to[row]);
        }
    }
    drop_idle(features, left);
    drop_idle(features, right);
}

}  // namespace ceiba::optimal
