// The table in the core: typed views of columns that the caller owns.
//
// A numeric column holds floats or integers with any stride, or belongs to a sparse matrix; NaN is missing. A column of
// levels holds int32 codes: -1 is missing, and n_levels or more is a level that did not exist when the tree was grown.
// An ordered column also holds codes, but is split like a number.
#pragma once

#include "base/standard.hpp"

namespace ceiba::data {

// A compressed sparse matrix (CSR or CSC) that the caller owns. It stores only nonzero values, sorted and without
// duplicates within each row (CSR) or column (CSC).
struct SparseMatrix {
    enum class Type : std::int8_t { float64, float32, int64 };

    std::size_t n_rows = 0, n_columns = 0;
    bool by_rows = true;  // CSR: the major axis is the rows; CSC: the columns
    Type type = Type::float64;
    bool wide = false;  // indices and starts are int64 instead of int32
    const void* values = nullptr;
    const void* indices = nullptr;
    const void* starts = nullptr;  // start of each row (CSR) or column (CSC), then the end

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

enum class ColumnKind : std::int8_t { numeric, levels, ordered };

// The type of the stored numbers of a column.
enum class Stored : std::int8_t { float64, float32, int64, int32, int16, int8, uint32, uint16, uint8 };

template <class T>
constexpr Stored stored_as() {
    if constexpr (std::is_same_v<T, double>) return Stored::float64;
    if constexpr (std::is_same_v<T, float>) return Stored::float32;
    if constexpr (std::is_signed_v<T>)
        return sizeof(T) == 8   ? Stored::int64
               : sizeof(T) == 4 ? Stored::int32
               : sizeof(T) == 2 ? Stored::int16
                                : Stored::int8;
    return sizeof(T) == 4 ? Stored::uint32 : sizeof(T) == 2 ? Stored::uint16 : Stored::uint8;
}

class Column {
public:
    template <class T>
    static Column numeric(const T* values, std::ptrdiff_t stride) {
        return numeric(values, stride, stored_as<T>());
    }
    static Column numeric(const void* values, std::ptrdiff_t stride, Stored stored) {
        return {ColumnKind::numeric, values, stride, stored, 0};
    }
    static Column levels(const std::int32_t* codes, std::ptrdiff_t stride, std::int32_t n_levels, bool ordered) {
        return {ordered ? ColumnKind::ordered : ColumnKind::levels, codes, stride, Stored::int32, n_levels};
    }

    static Column sparse(const SparseMatrix& matrix, std::size_t column) {
        Column out{ColumnKind::numeric, &matrix, 0, Stored::float64, 0};
        out.is_sparse_ = true;
        out.stride_ = static_cast<std::ptrdiff_t>(column);
        return out;
    }

    ColumnKind kind() const { return kind_; }
    bool is_sparse() const { return is_sparse_; }
    std::int32_t n_levels() const { return n_levels_; }
    const char* data() const { return values_; }
    std::ptrdiff_t stride() const { return stride_; }  // in bytes

    // The value as a number, which is compared with cuts. NaN is missing.
    double number(std::size_t row) const {
        if (is_sparse_)
            return reinterpret_cast<const SparseMatrix*>(values_)->at(row, static_cast<std::size_t>(stride_));
        if (kind_ == ColumnKind::numeric) return stored_number(row);
        const std::int32_t c = code(row);
        return c < 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(c);
    }
    std::int32_t code(std::size_t row) const { return *at<std::int32_t>(row); }

    // Calls f with a reader (row -> number) specialised for the column's type, for loops over many rows.
    template <class F>
    decltype(auto) with_reader(F f) const {
        if (is<float>()) return f([this](std::size_t row) { return static_cast<double>(*at<float>(row)); });
        if (is<double>()) return f([this](std::size_t row) { return *at<double>(row); });
        return f([this](std::size_t row) { return number(row); });
    }

    // Prefetches the value of a row that will be read soon.
    void prefetch([[maybe_unused]] std::size_t row) const {
#if defined(__GNUC__)
        if (is_sparse_) return;
        __builtin_prefetch(values_ + static_cast<std::ptrdiff_t>(row) * stride_);
#endif
    }

    // Whether the column stores numbers of type T, for loops that are compiled for a type.
    template <class T>
    bool is() const {
        return kind_ == ColumnKind::numeric && stored_ == stored_as<T>() && !is_sparse_;
    }
    // Calls f with a null pointer of the integer type. Returns false if the column does not store integers.
    template <class F>
    bool with_integers(F f) const {
        const auto call = [&]<class T>(const T* none) { return is<T>() && (f(none), true); };
        return call(static_cast<const std::int64_t*>(nullptr)) || call(static_cast<const std::int32_t*>(nullptr)) ||
               call(static_cast<const std::int16_t*>(nullptr)) || call(static_cast<const std::int8_t*>(nullptr)) ||
               call(static_cast<const std::uint32_t*>(nullptr)) || call(static_cast<const std::uint16_t*>(nullptr)) ||
               call(static_cast<const std::uint8_t*>(nullptr));
    }
    template <class T>
    T fast(std::size_t row) const {
        return *at<T>(row);
    }

private:
    Column(ColumnKind kind, const void* values, std::ptrdiff_t stride, Stored stored, std::int32_t n_levels)
        : kind_(kind),
          stored_(stored),
          n_levels_(n_levels),
          stride_(stride),
          values_(static_cast<const char*>(values)) {}

    template <class T>
    const T* at(std::size_t row) const {
        return reinterpret_cast<const T*>(values_ + static_cast<std::ptrdiff_t>(row) * stride_);
    }

    double stored_number(std::size_t row) const {
        switch (stored_) {
            case Stored::float64:
                return *at<double>(row);
            case Stored::float32:
                return static_cast<double>(*at<float>(row));
            case Stored::int64:
                return static_cast<double>(*at<std::int64_t>(row));
            case Stored::int32:
                return static_cast<double>(*at<std::int32_t>(row));
            case Stored::int16:
                return static_cast<double>(*at<std::int16_t>(row));
            case Stored::int8:
                return static_cast<double>(*at<std::int8_t>(row));
            case Stored::uint32:
                return static_cast<double>(*at<std::uint32_t>(row));
            case Stored::uint16:
                return static_cast<double>(*at<std::uint16_t>(row));
            case Stored::uint8:
                break;
        }
        return static_cast<double>(*at<std::uint8_t>(row));
    }

    ColumnKind kind_;
    Stored stored_;
    bool is_sparse_ = false;
    std::int32_t n_levels_;
    std::ptrdiff_t stride_;  // in bytes; sparse: the column index
    const char* values_;     // sparse: the matrix
};

// Data that an engine has computed from all rows of the columns and needs again when more trees are grown on parts of
// the same table (folds). Copies of a table share it.
struct Derived {
    std::mutex busy;
    std::shared_ptr<const void> value;
};

struct Table {
    std::size_t n_rows = 0;
    std::vector<Column> columns;
    std::shared_ptr<const SparseMatrix> sparse;  // the matrix that contains all columns; null: the table is dense
    std::shared_ptr<Derived> derived = std::make_shared<Derived>();
};

}  // namespace ceiba::data
