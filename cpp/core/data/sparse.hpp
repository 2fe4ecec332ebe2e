// A compressed sparse matrix that somebody else owns (CSR or CSC): only values that are not zero are stored, sorted and
// without duplicates within each row (CSR) or column (CSC).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ceiba::data {

struct SparseMatrix {
    enum class Type : std::int8_t { float64, float32, int64 };

    std::size_t n_rows = 0, n_columns = 0;
    bool by_rows = true;  // CSR: the major axis is the rows; CSC: the columns
    Type type = Type::float64;
    bool wide = false;  // indices and starts are int64, not int32
    const void* values = nullptr;
    const void* indices = nullptr;
    const void* starts = nullptr;  // per row (CSR) or column (CSC), and the end

    double value(std::size_t i) const {
        if (type == Type::float64) return static_cast<const double*>(values)[i];
        if (type == Type::float32) return static_cast<double>(static_cast<const float*>(values)[i]);
        return static_cast<double>(static_cast<const std::int64_t*>(values)[i]);
    }
    std::size_t index(std::size_t i) const { return whole(indices, i); }
    std::size_t start(std::size_t major) const { return whole(starts, major); }
    std::size_t n_major() const { return by_rows ? n_rows : n_columns; }

    double at(std::size_t row, std::size_t column) const {
        const std::size_t major = by_rows ? row : column, minor = by_rows ? column : row;
        std::size_t low = start(major), high = start(major + 1);
        const std::size_t end = high;
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (index(middle) < minor)
                low = middle + 1;
            else
                high = middle;
        }
        return low < end && index(low) == minor ? value(low) : 0.0;
    }

private:
    std::size_t whole(const void* numbers, std::size_t i) const {
        return wide ? static_cast<std::size_t>(static_cast<const std::int64_t*>(numbers)[i])
                    : static_cast<std::size_t>(static_cast<const std::int32_t*>(numbers)[i]);
    }
};

}  // namespace ceiba::data
