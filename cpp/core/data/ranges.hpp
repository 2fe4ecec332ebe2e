// One pass over the data before a fit: the ranges of the columns and the classes of the target. For small tables numpy
// would take longer than growing the tree; for large tables it makes twice as many passes over the memory.
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
    // for all columns the number of missing values, then the minima, then the maxima (NaN: all values missing)
    std::vector<double> values;
    bool is_finite = true;
};

// T is one of the types of `Stored` (table.hpp).
template <class T>
Ranges ranges_of(const MatrixView<T>& m, base::ThreadPool* pool);
Ranges ranges_of(const SparseMatrix& m);

struct Coded {
    std::vector<std::int64_t> classes;  // ascending
    base::Buffer<std::int32_t> codes;
};

// Codes integers as positions among their distinct values. Returns nothing if their range is much larger than n.
std::optional<Coded> code_integers(const std::int64_t* values, std::size_t n, std::int64_t stride,
                                   base::ThreadPool* pool);

}  // namespace ceiba::data
