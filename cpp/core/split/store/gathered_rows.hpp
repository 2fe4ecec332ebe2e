// The numbers of a small node, copied from a matrix in C order: column after column, in the order of the node's rows.
//
// Rows of a node lie far apart in a large table. Sorting goes through them once per column; here each is visited once,
// which spares most misses of the address cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "split/store/row_store.hpp"

namespace ceiba::split {

class GatheredRows {
public:
    // Takes the columns of a node that have several values per bin, if they are of one type and lie row by row.
    void gather(const NodeRows& node) {
        n_ = node.size();
        if (table_ != node.store->table) choose(*node.store);
        if (columns_.empty()) return;
        if (single_)
            copy(node, singles_);
        else
            copy(node, doubles_);
    }

    // The values of a column; null: they are not here.
    template <class T>
    const T* values(std::size_t c) const {
        if (place_.empty() || place_[c] < 0 || single_ != (sizeof(T) == sizeof(float))) return nullptr;
        const std::size_t from = static_cast<std::size_t>(place_[c]) * n_;
        if constexpr (sizeof(T) == sizeof(float))
            return singles_.data() + from;
        else
            return doubles_.data() + from;
    }

private:
    static constexpr std::size_t ahead = 12;

    void choose(const RowStore& store) {
        table_ = store.table;
        columns_.clear();
        place_.clear();
        for (std::size_t c : store.binning->numeric)
            if (!store.binning->column[c].lossless()) columns_.push_back(c);
        if (columns_.empty() || store.binning->approximate) return columns_.clear();
        const auto& columns = store.table->columns;
        const data::Column &first = columns[columns_.front()], &last = columns[columns_.back()];
        single_ = first.is<float>();
        const bool alike = std::all_of(columns_.begin(), columns_.end(), [&](std::size_t c) {
            const bool one_type = single_ ? columns[c].is<float>() : columns[c].is<double>();
            return one_type && columns[c].stride() == first.stride();
        });
        if (!alike || last.data() < first.data() || last.data() - first.data() >= first.stride())
            return columns_.clear();
        place_.assign(columns.size(), -1);
        for (std::size_t k = 0; k < columns_.size(); ++k) place_[columns_[k]] = static_cast<std::int32_t>(k);
    }

    template <class T>
    void copy(const NodeRows& node, std::vector<T>& out) {
        out.resize(n_ * columns_.size());
        const data::Column &first = table_->columns[columns_.front()], &last = table_->columns[columns_.back()];
        offset_.clear();
        for (std::size_t c : columns_)
            offset_.push_back(static_cast<std::size_t>(table_->columns[c].data() - first.data()) / sizeof(T));
        const std::uint32_t* const row = node.store->target.row.data() + node.begin;
        const std::size_t n = n_, n_columns = offset_.size();
        const std::size_t* const offset = offset_.data();
        T* const to = out.data();
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t soon = row[std::min(i + ahead, n - 1)];
            first.ahead(soon);
            last.ahead(soon);
            const auto* const from =
                reinterpret_cast<const T*>(first.data() + static_cast<std::ptrdiff_t>(row[i]) * first.stride());
            for (std::size_t k = 0; k < n_columns; ++k) to[k * n + i] = from[offset[k]];
        }
    }

    const data::Table* table_ = nullptr;
    std::size_t n_ = 0;
    bool single_ = false;
    std::vector<std::size_t> columns_, offset_;  // which columns, and where they lie in a row
    std::vector<std::int32_t> place_;            // of a column of the table among them; -1: it is not there
    std::vector<float> singles_;
    std::vector<double> doubles_;
};

}  // namespace ceiba::split
