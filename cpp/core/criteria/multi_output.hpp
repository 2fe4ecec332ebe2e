// Several outputs: one division and one criterion per output. The gain is the mean over the outputs, as in
// scikit-learn. The search itself does not change.
#pragma once

#include "base/double_double.hpp"
#include "data/target.hpp"

namespace ceiba::criteria {

template <class D>
class MultiDivision {
public:
    using Left = std::vector<typename D::Left>;

    explicit MultiDivision(std::vector<D> parts) : parts_(std::move(parts)) {}

    void bind(const data::TargetRows& rows, int /*output*/, std::size_t begin) {
        for (std::size_t o = 0; o < parts_.size(); ++o) parts_[o].bind(rows, static_cast<int>(o), begin);
    }
    void reset() {
        for (D& part : parts_) part.reset();
        n_rows_ = 0;
        terms_.of_row.clear();
    }
    void include(std::size_t i) {
        for (D& part : parts_) part.include(i);
        n_rows_ = std::max(n_rows_, i + 1);
    }
    void clear_left() {
        for (D& part : parts_) part.clear_left();
    }
    void add(std::size_t i) {
        for (D& part : parts_) part.add(i);
    }
    template <class Rows>
    void keep_right(std::size_t n, Rows row_at) requires requires(D& part) {
        part.keep_right(n, row_at);
    }
    {
        for (D& part : parts_) part.keep_right(n, row_at);
    }
    Left left_part() const {
        Left parts;
        for (const D& part : parts_) parts.push_back(part.left_part());
        return parts;
    }
    void put_back(const Left& left) {
        for (std::size_t o = 0; o < parts_.size(); ++o) parts_[o].put_back(left[o]);
    }
    double left_weight() const { return parts_.front().left_weight(); }
    double right_weight() const { return parts_.front().right_weight(); }
    double total_weight() const { return parts_.front().total_weight(); }
    // The Python layer rejects monotone constraints with several outputs.
    double left_value() const { return parts_.front().left_value(); }
    double right_value() const { return parts_.front().right_value(); }

    const std::vector<D>& parts() const { return parts_; }
    // The terms w (y - centre) of each row, stored output after output, where `centre` is roughly the mean of the rows
    // that take part. A scan reads all outputs of a row at once.
    struct Terms {
        std::vector<double> of_row, centre, spread;  // spread: sum of |w (y - centre)|
    };
    const Terms& terms() {
        if (!terms_.of_row.empty()) return terms_;
        terms_.spread.assign(parts_.size(), 0.0);
        terms_.centre.clear();
        for (const D& part : parts_) terms_.centre.push_back(part.total_sum() / part.total_weight());
        terms_.of_row.resize(n_rows_ * parts_.size());
        double* term = terms_.of_row.data();
        for (std::size_t i = 0; i < n_rows_; ++i)
            for (std::size_t o = 0; o < parts_.size(); ++o, ++term) {
                *term = parts_[o].term(i, terms_.centre[o]);
                terms_.spread[o] += std::fabs(*term);
            }
        return terms_;
    }

private:
    std::vector<D> parts_;
    std::size_t n_rows_ = 0;  // up to the last included row
    Terms terms_;
};

template <class C>
class MultiCriterion {
public:
    static constexpr bool bounds_are_exact = requires { requires C::bounds_are_exact; };

    MultiCriterion(std::size_t n_outputs, const C& criterion) : parts_(n_outputs, criterion) {}

    template <class D>
    void begin(const MultiDivision<D>& d) {
        for (std::size_t o = 0; o < parts_.size(); ++o) parts_[o].begin(d.parts()[o]);
    }
    template <class D>
    bool below(const MultiDivision<D>& d, double t) const {
        return upper(d) < t;
    }
    // Not inlined: each function loops over outputs and classes and has several callers.
    template <class D>
    [[gnu::noinline]] double upper(const MultiDivision<D>& d) const {
        double sum = 0.0;
        for (std::size_t o = 0; o < parts_.size(); ++o) sum += parts_[o].upper(d.parts()[o]);
        return sum / static_cast<double>(parts_.size()) * (1.0 + 0x1p-50);
    }
    template <class D>
    [[gnu::noinline]] double lower(const MultiDivision<D>& d) const {
        double sum = 0.0;
        for (std::size_t o = 0; o < parts_.size(); ++o) sum += parts_[o].lower(d.parts()[o]);
        return sum / static_cast<double>(parts_.size()) * (1.0 - 0x1p-50);
    }
    template <class D>
    [[gnu::noinline]] base::DoubleDouble gain(const MultiDivision<D>& d) const {
        base::DoubleDouble sum;
        for (std::size_t o = 0; o < parts_.size(); ++o) sum = sum + parts_[o].gain(d.parts()[o]);
        return sum / base::DoubleDouble(static_cast<double>(parts_.size()));
    }
    double tolerance() const {
        double largest = 0.0;
        for (const C& part : parts_) largest = part.tolerance() > largest ? part.tolerance() : largest;
        return largest;
    }

private:
    std::vector<C> parts_;
};

}  // namespace ceiba::criteria
