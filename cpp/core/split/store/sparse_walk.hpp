// The way through the numbers of a sparse table that are not zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "data/sparse.hpp"
#include "data/target.hpp"

namespace ceiba::split {

// Calls f(column, row of the node, value) for every number that is not zero, rows ascending within each column and
// columns ascending within each row.
template <class F>
void for_each_entry(const data::SparseMatrix& m, const data::TargetRows& target, F f) {
    if (m.by_rows) {
        for (std::size_t i = 0; i < target.size(); ++i) {
            const std::size_t row = target.row[i];
            for (std::size_t k = m.start(row), end = m.start(row + 1); k < end; ++k)
                if (const double x = m.value(k); x != 0.0) f(m.index(k), static_cast<std::uint32_t>(i), x);
        }
        return;
    }
    constexpr std::uint32_t absent = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> place(m.n_rows, absent);
    for (std::size_t i = 0; i < target.size(); ++i) place[target.row[i]] = static_cast<std::uint32_t>(i);
    for (std::size_t c = 0; c < m.n_columns; ++c)
        for (std::size_t k = m.start(c), end = m.start(c + 1); k < end; ++k)
            if (const std::uint32_t i = place[m.index(k)]; i != absent)
                if (const double x = m.value(k); x != 0.0) f(c, i, x);
}

}  // namespace ceiba::split
