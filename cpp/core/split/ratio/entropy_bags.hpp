// Class weights of bags of rows, and their entropy, for the gain ratio (gain_ratio.cpp).
#pragma once

#include "base/standard.hpp"

namespace ceiba::split {

// The tolerance of C4.5 for weights, gains and ratios, which are of the order of 1.
constexpr double c45_small = 1e-6;

inline double entropy_mass(double x) { return x < c45_small ? 0.0 : x * std::log2(x); }

// The same for unit weights: integers, small ones from a table. Most nodes are small, and a logarithm costs as much as
// ten lookups.
class WholeMass {
public:
    WholeMass() {
        for (std::size_t i = 0; i < table_.size(); ++i) table_[i] = entropy_mass(static_cast<double>(i));
    }
    double operator()(double x) const { return x < static_cast<double>(table_.size()) ? table_[x] : entropy_mass(x); }

private:
    std::array<double, 2048> table_;
};

struct AnyMass {
    double operator()(double x) const { return entropy_mass(x); }
};

struct Bag {
    std::vector<double> classes;
    double weight = 0.0;

    void clear(std::size_t n_classes) {
        classes.assign(n_classes, 0.0);
        weight = 0.0;
    }
    void add(std::size_t k, double w) {
        classes[k] += w;
        weight += w;
    }
    template <class Mass>
    double mass(const Mass& mass_of) const {
        double sum = mass_of(weight);
        for (double c : classes) sum -= mass_of(c);
        return sum;
    }
};

// One bag per level of a column. Only levels with rows are visited: deep in a tree, a node has few rows while a column
// may have thousands of levels.
class Bags {
public:
    // Counts rows by level and class. If `weight` is null, each row counts 1; otherwise `others` lists the rows with
    // another weight. Rows without a level have a negative code.
    void fill(const std::int32_t* codes, const std::uint16_t* label, const double* weight,
              const std::vector<std::uint32_t>& others, std::size_t n_rows, std::size_t n_levels,
              std::size_t n_classes) {
        empty(n_levels, n_classes);
        if (n_rows >= 4 * n_levels * n_classes && (!weight || others.size() * 4 < n_rows)) {
            count(codes, label, n_rows, n_levels);
            for (const std::uint32_t i : others)
                if (codes[i] >= 0) add(static_cast<std::size_t>(codes[i]), label[i], weight[i] - 1.0);
            return;
        }
        for (std::size_t i = 0; i < n_rows; ++i) {
            const double w = weight ? weight[i] : 1.0;
            if (codes[i] < 0 || w == 0.0) continue;  // the weight of a fractional row may underflow
            const std::size_t level = static_cast<std::size_t>(codes[i]);
            if (weight_[level] == 0.0) present_.push_back(static_cast<std::uint32_t>(level));
            add(level, label[i], w);
        }
        std::sort(present_.begin(), present_.end());
    }

    // Levels with rows, ascending.
    const std::vector<std::uint32_t>& present() const { return present_; }
    double weight(std::size_t level) const { return weight_[level]; }

    void sum_into(Bag& all) const {
        for (const std::uint32_t l : present_) {
            for (std::size_t k = 0; k < n_classes_; ++k) all.classes[k] += cells_[l * n_classes_ + k];
            all.weight += weight_[l];
        }
    }
    template <class Mass>
    double mass(std::size_t level, const Mass& mass_of) const {
        const double* const cell = cells_.data() + level * n_classes_;
        double sum = mass_of(weight_[level]);
        for (std::size_t k = 0; k < n_classes_; ++k) {
            if (cell[k] == weight_[level]) return 0.0;
            sum -= mass_of(cell[k]);
        }
        return sum;
    }
    // The entropy mass of all other levels together. `all` is the bag of all levels.
    template <class Mass>
    double rest_mass(std::size_t level, const Bag& all, const Mass& mass_of) const {
        double sum = mass_of(all.weight - weight_[level]);
        for (std::size_t k = 0; k < n_classes_; ++k) sum -= mass_of(all.classes[k] - cells_[level * n_classes_ + k]);
        return sum;
    }

private:
    // Clears the last column but keeps the memory.
    void empty(std::size_t n_levels, std::size_t n_classes) {
        for (const std::uint32_t l : present_) {
            weight_[l] = 0.0;
            std::fill_n(cells_.begin() + static_cast<std::ptrdiff_t>(l * n_classes_), n_classes_, 0.0);
        }
        present_.clear();
        n_classes_ = n_classes;
        if (weight_.size() < n_levels) weight_.resize(n_levels, 0.0);
        if (cells_.size() < n_levels * n_classes) cells_.resize(n_levels * n_classes, 0.0);
    }
    void add(std::size_t level, std::size_t k, double w) {
        cells_[level * n_classes_ + k] += w;
        weight_[level] += w;
    }
    // Counts in four tables, because a counter that was just written is slow to read again, and levels repeat.
    void count(const std::int32_t* codes, const std::uint16_t* label, std::size_t n_rows, std::size_t n_levels) {
        const std::size_t k = n_classes_, size = (n_levels + 1) * k;  // position 0: rows without a level
        table_.assign(4 * size, 0);
        const auto place = [k](std::int32_t code, std::size_t c) { return static_cast<std::size_t>(code + 1) * k + c; };
        std::size_t i = 0;
        for (; i + 4 <= n_rows; i += 4)
            for (std::size_t j = 0; j < 4; ++j) ++table_[j * size + place(codes[i + j], label[i + j])];
        for (; i < n_rows; ++i) ++table_[place(codes[i], label[i])];
        for (std::size_t l = 0; l < n_levels; ++l) {
            for (std::size_t c = 0; c < k; ++c) {
                const std::size_t at = (l + 1) * k + c;
                add(l, c, table_[at] + table_[size + at] + table_[2 * size + at] + table_[3 * size + at]);
            }
            if (weight_[l] > 0.0) present_.push_back(static_cast<std::uint32_t>(l));
        }
    }

    std::vector<double> cells_, weight_;
    std::vector<std::uint32_t> present_, table_;
    std::size_t n_classes_ = 0;
};

}  // namespace ceiba::split
