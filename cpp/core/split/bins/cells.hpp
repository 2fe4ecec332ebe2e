// The cells of a histogram: one per column and bin, made of 64-bit words that are only added and subtracted.
//
// All cells contain integers, so a sum does not depend on the order of the rows or the number of threads, and the
// counts of a child are those of its parent minus its sibling's, without a rounding error that would grow with depth.
//   BinaryCells    two classes, unit weights      (rows << 32) | rows of class 1
//   CountCells     K classes, unit weights        two counts per word
//   WeightCells    K classes, weighted            rows; weight of each class in quanta
//   MomentCells    numbers, unit weights          sum in quanta; (rows << b) | sum of squares in quanta, rounded up
//   WeightedMomentCells                           rows; weight, sum, sum of squares in quanta
// A quantum is the largest term times a power of two, so small that the sum of all rows stays below 2^63. Rounding a
// term to quanta has an error of less than one quantum. `fields` converts cells to doubles: counts or weights per
// class, or {weight, sum, sum of squares} of the target minus `centre`.
#pragma once

#include "data/target.hpp"

namespace ceiba::split {

// Converts terms of a known maximum to integers whose sums over n rows stay below 2^62. At most 46 bits are used, so
// that the rounding error of the multiplication is a small fraction of a quantum.
struct Quantum {
    double per_unit = 1.0, unit = 1.0;

    static Quantum for_terms(double largest, std::size_t n_rows) {
        Quantum q;
        if (!(largest > 0.0)) return q;
        const int bits = std::min(46, 62 - static_cast<int>(std::bit_width(n_rows)));
        const int exponent = bits - 1 - std::ilogb(largest);
        q.per_unit = std::ldexp(1.0, exponent);
        q.unit = std::ldexp(1.0, -exponent);
        return q;
    }
    bool usable() const { return std::isnormal(per_unit) && std::isnormal(unit); }
    std::int64_t whole(double x) const { return static_cast<std::int64_t>(x * per_unit); }
    double real(std::uint64_t sum) const { return static_cast<double>(static_cast<std::int64_t>(sum)) * unit; }
};

// The common part of cells that count the rows of each class.
class ExactCells {
public:
    static constexpr bool exact = true;  // fields are exact counts
    static constexpr bool usable() { return true; }
    static constexpr double weight_quantum() { return 0.0; }
    static constexpr double sum_quantum() { return 0.0; }
    static constexpr double centre() { return 0.0; }
    void bind(const data::TargetRows& rows, std::size_t begin) { label_ = rows.labels[0].data() + begin; }

protected:
    const std::uint16_t* label_ = nullptr;
};

class BinaryCells : public ExactCells {
public:
    explicit BinaryCells(const data::TargetRows&, const std::vector<double>&, bool) {}

    static constexpr std::size_t width() { return 1; }
    static constexpr std::size_t n_fields() { return 2; }

    struct Row {
        std::uint64_t add;
    };
    Row row(std::size_t i) const { return {(std::uint64_t{1} << 32) | label_[i]}; }
    static void put(std::uint64_t* cell, const Row& row) { *cell += row.add; }

    static double rows(const std::uint64_t* cell) { return static_cast<double>(*cell >> 32); }
    static void fields(const std::uint64_t* cell, double* out) {
        const std::uint64_t ones = *cell & 0xFFFFFFFFu;
        out[0] = static_cast<double>((*cell >> 32) - ones);
        out[1] = static_cast<double>(ones);
    }

    static double weight_of(const double* fields) { return fields[0] + fields[1]; }
};

class CountCells : public ExactCells {
public:
    CountCells(const data::TargetRows& rows, const std::vector<double>&, bool)
        : n_classes_(static_cast<std::size_t>(rows.n_classes[0])) {}

    std::size_t width() const { return (n_classes_ + 1) / 2; }
    std::size_t n_fields() const { return n_classes_; }

    struct Row {
        std::size_t word;
        std::uint64_t add;
    };
    Row row(std::size_t i) const { return {label_[i] / 2u, std::uint64_t{1} << (label_[i] % 2u * 32)}; }
    static void put(std::uint64_t* cell, const Row& row) { cell[row.word] += row.add; }

    double rows(const std::uint64_t* cell) const {
        std::uint64_t n = 0;
        for (std::size_t w = 0; w < width(); ++w) n += (cell[w] & 0xFFFFFFFFu) + (cell[w] >> 32);
        return static_cast<double>(n);
    }
    void fields(const std::uint64_t* cell, double* out) const {
        for (std::size_t k = 0; k < n_classes_; ++k)
            out[k] = static_cast<double>(cell[k / 2] >> (k % 2 * 32) & 0xFFFFFFFFu);
    }

    double weight_of(const double* fields) const { return std::accumulate(fields, fields + n_classes_, 0.0); }

private:
    std::size_t n_classes_;
};

class WeightCells {
public:
    static constexpr bool exact = false;
    WeightCells(const data::TargetRows& rows, const std::vector<double>& class_scale, bool)
        : n_classes_(static_cast<std::size_t>(rows.n_classes[0])), scale_(class_scale) {
        if (scale_.empty()) scale_.assign(n_classes_, 1.0);
        double largest = 0.0;
        for (std::size_t i = 0; i < rows.size(); ++i)
            largest = std::max(largest, rows.weight_of(i) * scale_[rows.labels[0][i]]);
        quantum_ = Quantum::for_terms(largest, rows.size());
    }

    bool usable() const { return quantum_.usable(); }
    std::size_t width() const { return n_classes_ + 1; }
    std::size_t n_fields() const { return n_classes_; }
    void bind(const data::TargetRows& rows, std::size_t begin) {
        label_ = rows.labels[0].data() + begin;
        weight_ = rows.weight.empty() ? nullptr : rows.weight.data() + begin;
    }

    struct Row {
        std::size_t word;
        std::uint64_t add;
    };
    Row row(std::size_t i) const {
        const double w = (weight_ ? weight_[i] : 1.0) * scale_[label_[i]];
        return {label_[i] + std::size_t{1}, static_cast<std::uint64_t>(quantum_.whole(w))};
    }
    static void put(std::uint64_t* cell, const Row& row) {
        ++cell[0];
        cell[row.word] += row.add;
    }

    static double rows(const std::uint64_t* cell) { return static_cast<double>(cell[0]); }
    void fields(const std::uint64_t* cell, double* out) const {
        for (std::size_t k = 0; k < n_classes_; ++k) out[k] = quantum_.real(cell[k + 1]);
    }
    // Adds row i to the fields, as doubles.
    void add_row(std::size_t i, double* fields) const {
        fields[label_[i]] += (weight_ ? weight_[i] : 1.0) * scale_[label_[i]];
    }
    double weight_of(const double* fields) const { return std::accumulate(fields, fields + n_classes_, 0.0); }
    double weight_quantum() const { return quantum_.unit; }
    double sum_quantum() const { return 0.0; }
    static constexpr double centre() { return 0.0; }

private:
    std::size_t n_classes_;
    std::vector<double> scale_;
    Quantum quantum_;
    const std::uint16_t* label_ = nullptr;
    const double* weight_ = nullptr;
};

// The minimum and maximum of some numbers, in a form that compilers vectorize.
inline std::pair<double, double> range_of(const base::Buffer<double>& y) {
    std::array<double, 8> low, high;
    low.fill(y[0]), high.fill(y[0]);
    std::size_t i = 0;
    for (; i + 8 <= y.size(); i += 8)
        for (std::size_t j = 0; j < 8; ++j) {
            low[j] = y[i + j] < low[j] ? y[i + j] : low[j];
            high[j] = y[i + j] > high[j] ? y[i + j] : high[j];
        }
    for (; i < y.size(); ++i) low[0] = std::min(low[0], y[i]), high[0] = std::max(high[0], y[i]);
    return {*std::min_element(low.begin(), low.end()), *std::max_element(high.begin(), high.end())};
}

// Numbers are counted relative to a centre near the middle of their range (rates: 0), so that a quantum is proportional
// to their spread, not to their size.
class MomentCells {
public:
    static constexpr bool exact = false;
    MomentCells(const data::TargetRows& rows, const std::vector<double>&, bool rates) {
        const base::Buffer<double>& y = rows.numbers[0];
        const auto [low, high] = range_of(y);
        centre_ = rates ? 0.0 : 0.5 * low + 0.5 * high;
        const double largest = std::max(high - centre_, centre_ - low);
        quantum_ = Quantum::for_terms(largest, y.size());
        // Squares share a word with the row count: they use the remaining bits and are rounded up.
        row_bits_ = static_cast<int>(std::bit_width(y.size()));
        const double most = std::ldexp(1.0, 64 - 2 * row_bits_) - 2.0;
        per_square_ = most / (largest * largest) * (1.0 - 0x1p-40);
        square_ = 1.0 / per_square_;
    }

    bool usable() const {
        return quantum_.usable() && row_bits_ <= 31 && std::isnormal(per_square_) && std::isnormal(square_);
    }
    static constexpr std::size_t width() { return 2; }
    static constexpr std::size_t n_fields() { return 3; }
    void bind(const data::TargetRows& rows, std::size_t begin) { number_ = rows.numbers[0].data() + begin; }

    struct Row {
        std::uint64_t sum, rows_and_squares;
    };
    Row row(std::size_t i) const {
        const double y = number_[i] - centre_;
        return {static_cast<std::uint64_t>(quantum_.whole(y)),
                (std::uint64_t{1} << (64 - row_bits_)) + static_cast<std::uint64_t>(y * y * per_square_) + 1};
    }
    static void put(std::uint64_t* cell, const Row& row) {
        cell[0] += row.sum;
        cell[1] += row.rows_and_squares;
    }

    double rows(const std::uint64_t* cell) const { return static_cast<double>(cell[1] >> (64 - row_bits_)); }
    void fields(const std::uint64_t* cell, double* out) const {
        out[0] = rows(cell);
        out[1] = quantum_.real(cell[0]);
        out[2] = static_cast<double>(cell[1] & ((std::uint64_t{1} << (64 - row_bits_)) - 1)) * square_;
    }
    void add_row(std::size_t i, double* fields) const {
        fields[0] += 1.0;
        fields[1] += number_[i] - centre_;
    }
    static double weight_of(const double* fields) { return fields[0]; }
    double weight_quantum() const { return 0.0; }
    double sum_quantum() const { return quantum_.unit; }
    double centre() const { return centre_; }

private:
    double centre_ = 0.0, per_square_ = 1.0, square_ = 1.0;
    int row_bits_ = 1;
    Quantum quantum_;
    const double* number_ = nullptr;
};

class WeightedMomentCells {
public:
    static constexpr bool exact = false;
    WeightedMomentCells(const data::TargetRows& rows, const std::vector<double>&, bool rates) {
        const base::Buffer<double>& y = rows.numbers[0];
        const auto [low, high] = range_of(y);
        centre_ = rates ? 0.0 : 0.5 * low + 0.5 * high;
        double weight = 0.0, sum = 0.0, square = 0.0;
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double w = rows.weight_of(i), gap = y[i] - centre_;
            weight = std::max(weight, w);
            sum = std::max(sum, w * std::fabs(gap));
            square = std::max(square, w * gap * gap);
        }
        weight_quantum_ = Quantum::for_terms(weight, y.size());
        sum_quantum_ = Quantum::for_terms(sum, y.size());
        square_quantum_ = Quantum::for_terms(square, y.size());
    }

    bool usable() const { return weight_quantum_.usable() && sum_quantum_.usable() && square_quantum_.usable(); }
    static constexpr std::size_t width() { return 4; }
    static constexpr std::size_t n_fields() { return 3; }
    void bind(const data::TargetRows& rows, std::size_t begin) {
        number_ = rows.numbers[0].data() + begin;
        weight_ = rows.weight.data() + begin;
    }

    struct Row {
        std::uint64_t weight, sum, square;
    };
    Row row(std::size_t i) const {
        const double w = weight_[i], y = number_[i] - centre_;
        return {static_cast<std::uint64_t>(weight_quantum_.whole(w)),
                static_cast<std::uint64_t>(sum_quantum_.whole(w * y)),
                static_cast<std::uint64_t>(square_quantum_.whole(w * y * y) + 2)};
    }
    static void put(std::uint64_t* cell, const Row& row) {
        ++cell[0];
        cell[1] += row.weight;
        cell[2] += row.sum;
        cell[3] += row.square;
    }

    static double rows(const std::uint64_t* cell) { return static_cast<double>(cell[0]); }
    void fields(const std::uint64_t* cell, double* out) const {
        out[0] = weight_quantum_.real(cell[1]);
        out[1] = sum_quantum_.real(cell[2]);
        out[2] = square_quantum_.real(cell[3]);
    }
    void add_row(std::size_t i, double* fields) const {
        fields[0] += weight_[i];
        fields[1] += weight_[i] * (number_[i] - centre_);
    }
    static double weight_of(const double* fields) { return fields[0]; }
    double weight_quantum() const { return weight_quantum_.unit; }
    double sum_quantum() const { return sum_quantum_.unit; }
    double centre() const { return centre_; }

private:
    double centre_ = 0.0;
    Quantum weight_quantum_, sum_quantum_, square_quantum_;
    const double* number_ = nullptr;
    const double* weight_ = nullptr;
};

}  // namespace ceiba::split
