#include "predict/cut_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace ceiba::predict {

namespace {

constexpr std::uint32_t missing_second = 0x80000000u;
constexpr std::size_t lanes = 8;
constexpr std::size_t block_bytes = 32768;  // of rows that are copied: they stay in the first cache

// Sends n rows down; step(at, row) gives the node after `at`.
template <class Step>
void send(std::size_t n, const char* data, std::ptrdiff_t row_step, const std::int32_t* id, std::int32_t* out, Step step) {
    std::size_t row = 0;
    for (; row + lanes <= n; row += lanes) {
        const char* rows[lanes];
        for (std::size_t l = 0; l < lanes; ++l) rows[l] = data + static_cast<std::ptrdiff_t>(row + l) * row_step;
        std::uint32_t at[lanes] = {};
        std::uint32_t moved;
        do {  // two steps to a look: a leaf leads to itself
            for (std::size_t l = 0; l < lanes; ++l) at[l] = step(at[l], rows[l]);
            moved = 0;
            for (std::size_t l = 0; l < lanes; ++l) {
                const std::uint32_t next = step(at[l], rows[l]);
                moved |= next ^ at[l];
                at[l] = next;
            }
        } while (moved);
        for (std::size_t l = 0; l < lanes; ++l) out[row + l] = id[at[l]];
    }
    for (; row < n; ++row) {
        const char* const values = data + static_cast<std::ptrdiff_t>(row) * row_step;
        std::uint32_t at = 0;
        for (std::uint32_t next; (next = step(at, values)) != at;) at = next;
        out[row] = id[at];
    }
}

// The largest float32 that is not above the cut.
float not_above(double cut) {
    constexpr float most = std::numeric_limits<float>::max();
    if (std::isinf(cut)) return static_cast<float>(cut);
    if (cut > static_cast<double>(most)) return most;
    if (cut < -static_cast<double>(most)) return -std::numeric_limits<float>::infinity();
    const float rounded = static_cast<float>(cut);
    return static_cast<double>(rounded) > cut ? std::nextafter(rounded, -std::numeric_limits<float>::infinity())
                                              : rounded;
}

template <class T>
T value_at(const char* row, std::uint32_t column) {
    return reinterpret_cast<const T*>(row)[column];
}

}  // namespace

void CutTree::add_leaf(std::int32_t id) {
    nodes_.push_back({std::numeric_limits<double>::infinity(), 0, static_cast<std::uint32_t>(id_.size())});
    id_.push_back(id);
}

void CutTree::add_cut(std::int32_t id, std::int32_t column, double cut, std::uint32_t first_child, bool to_second) {
    nodes_.push_back({cut, static_cast<std::uint32_t>(column), first_child | (to_second ? missing_second : 0u)});
    id_.push_back(id);
    columns_.push_back(static_cast<std::uint32_t>(column));
}

void CutTree::finish() {
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    if (columns_.empty()) return;
    // Leaves look at a value too, whatever it is: one that is there.
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if ((nodes_[i].first_child & ~missing_second) == i) nodes_[i].column = columns_[0];
    column_bits_ = std::bit_width(columns_.back());
    if (column_bits_ + std::bit_width(nodes_.size()) > 31) return;
    small_.reserve(nodes_.size());
    for (const Node& node : nodes_) {
        const std::uint32_t child = node.first_child & ~missing_second;
        small_.push_back({not_above(node.cut), (node.first_child & missing_second) | (child << column_bits_) | node.column});
    }
}

bool CutTree::serves(const data::Table& table) const {
    return std::all_of(columns_.begin(), columns_.end(),
                       [&](std::uint32_t c) { return table.columns[c].kind() == data::ColumnKind::numeric; });
}

// Where rows of one type lie, if the values of each lie in one piece.
template <class T>
CutTree::Rows CutTree::in_place(const data::Table& table) const {
    const auto start = [&](std::uint32_t c) {
        return reinterpret_cast<std::uintptr_t>(table.columns[c].data()) - c * sizeof(T);
    };
    const std::uintptr_t first = start(columns_[0]);
    const std::ptrdiff_t step = table.columns[columns_[0]].stride();
    for (const std::uint32_t c : columns_)
        if (!table.columns[c].is<T>() || start(c) != first || table.columns[c].stride() != step) return {};
    return {reinterpret_cast<const char*>(first), step};
}

template <class T>
void CutTree::run(Rows rows, std::size_t n, std::int32_t* out) const {
    if constexpr (std::is_same_v<T, float>) {
        if (!small_.empty()) {
            const SmallNode* const nodes = small_.data();
            const int bits = column_bits_;
            const std::uint32_t column_mask = (1u << bits) - 1u;
            return send(n, rows.data, rows.row_step, id_.data(), out, [=](std::uint32_t at, const char* row) {
                const SmallNode node = nodes[at];
                const float x = value_at<float>(row, node.packed & column_mask);
                const std::uint32_t above = x > node.cut, not_below = !(x <= node.cut);  // they differ for NaN only
                return ((node.packed & ~missing_second) >> bits) + (above | (not_below & (node.packed >> 31)));
            });
        }
    }
    const Node* const nodes = nodes_.data();
    send(n, rows.data, rows.row_step, id_.data(), out, [=](std::uint32_t at, const char* row) {
        const Node& node = nodes[at];
        const double x = static_cast<double>(value_at<T>(row, node.column));
        const std::uint32_t above = x > node.cut, not_below = !(x <= node.cut);
        return (node.first_child & ~missing_second) + (above | (not_below & (node.first_child >> 31)));
    });
}

template <class T>
void CutTree::apply_as(const data::Table& table, std::size_t begin, std::size_t end, std::int32_t* out) const {
    if (const Rows rows = in_place<T>(table); rows.data) {
        run<T>({rows.data + static_cast<std::ptrdiff_t>(begin) * rows.row_step, rows.row_step}, end - begin, out);
        return;
    }
    const std::size_t width = columns_.back() + std::size_t{1};
    const std::size_t n_rows = std::clamp<std::size_t>(block_bytes / (width * sizeof(T)), lanes, 256);
    std::vector<T> block(n_rows * width);
    for (std::size_t from = begin; from < end; from += n_rows) {
        const std::size_t n = std::min(n_rows, end - from);
        for (const std::uint32_t c : columns_) {
            const data::Column& column = table.columns[c];
            T* const to = block.data() + c;
            if (column.is<float>())
                for (std::size_t i = 0; i < n; ++i) to[i * width] = static_cast<T>(column.fast<float>(from + i));
            else
                for (std::size_t i = 0; i < n; ++i) to[i * width] = static_cast<T>(column.fast<double>(from + i));
        }
        run<T>({reinterpret_cast<const char*>(block.data()), static_cast<std::ptrdiff_t>(width * sizeof(T))}, n, out + (from - begin));
    }
}

void CutTree::apply(const data::Table& table, std::size_t begin, std::size_t end, std::int32_t* out) const {
    if (columns_.empty()) {  // a tree of one leaf
        std::fill(out, out + (end - begin), id_[0]);
        return;
    }
    const bool single = std::all_of(columns_.begin(), columns_.end(),
                                    [&](std::uint32_t c) { return table.columns[c].is<float>(); });
    if (single)
        apply_as<float>(table, begin, end, out);
    else
        apply_as<double>(table, begin, end, out);
}

}  // namespace ceiba::predict
