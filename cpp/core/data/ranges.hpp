// One pass over the data before a fit: ranges of columns, classes of a target. For small tables numpy would take longer
// than growing the tree; for large ones it makes twice as many passes over the memory.
#pragma once

#include "base/buffer.hpp"
#include "base/thread_pool.hpp"

namespace ceiba::data {

struct SparseMatrix;

template <class T>
struct MatrixView {
    const T* data;
    std::size_t n_rows, n_columns;
    std::int64_t row_stride, column_stride;  // in values
};

struct Ranges {
    // for all columns the missing values, then the minima, then the maxima (NaN: all missing)
    std::vector<double> values;
    bool is_finite = true;
};

// T: a type of `Stored` (table.hpp).
template <class T>
Ranges ranges_of(const MatrixView<T>& m, base::ThreadPool* pool);
Ranges ranges_of(const SparseMatrix& m);

struct Coded {
    std::vector<std::int64_t> classes;  // ascending
    base::Buffer<std::int32_t> codes;
};

// Whole numbers as positions among their distinct values; nothing if their range is much larger than their number.
std::optional<Coded> code_integers(const std::int64_t* values, std::size_t n, std::int64_t stride,
                                   base::ThreadPool* pool);

}  // namespace ceiba::data
