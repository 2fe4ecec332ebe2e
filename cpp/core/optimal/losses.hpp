// The losses of a tree as small types: the least loss of a set of rows with one prediction.
//
//   Errors    rows outside the most frequent class
//   Costs     min over predictions j of sum_i w_i C[class(i), j]      (weights, priors and a cost matrix)
//   Gini      W (1 - sum_k p_k^2);   Entropy  - sum_k W_k log2 p_k
//   Squared   sum w (y - mean)^2;    Absolute  sum w |y - median|
//
// Each loss is the least sum over rows of a nonnegative loss, over some set of predictions. Two facts follow for the
// best tree of a given depth (also with a penalty per leaf): removing rows never increases the loss, and removing one
// row decreases it by at most its cap, the largest loss that any prediction can have on it. All bounds of the search
// rest on these two facts.
#pragma once

#include "optimal/columns/ranked.hpp"

namespace ceiba::optimal {

struct LossRule {
    std::size_t n_classes = 0;
    std::vector<double> cost;                // K x K, one row per true class (Costs)
    double low = 0.0, high = 0.0;            // range of the target (regression)
    std::vector<double> numbers;             // distinct targets, ascending (Absolute)
    std::vector<std::uint32_t> number_rank;  // of each row of the problem (Absolute)
};

class Errors {
public:
    static constexpr bool whole = true;  // losses are integers
    explicit Errors(const LossRule& rule) : count_(rule.n_classes) {}
    static double cap(const LossRule&, const RowData&, std::size_t) { return 1.0; }

    void clear() { std::fill(count_.begin(), count_.end(), 0u), n_ = most_ = 0; }
    void add(const RowData& data, std::size_t i) {
        most_ = std::max(most_, ++count_[data.label[i]]);
        ++n_;
    }
    double loss() const { return static_cast<double>(n_ - most_); }
    // The least loss with this many leaves: further classes are misclassified.
    double leaves_bound(std::size_t leaves) {
        if (leaves >= count_.size()) return 0.0;
        sorted_ = count_;
        std::sort(sorted_.begin(), sorted_.end());
        std::uint32_t lost = 0;
        for (std::size_t k = 0; k + leaves < sorted_.size(); ++k) lost += sorted_[k];
        return lost;
    }

private:
    std::vector<std::uint32_t> count_, sorted_;
    std::uint32_t n_ = 0, most_ = 0;
};

class Costs {
public:
    static constexpr bool whole = false;
    explicit Costs(const LossRule& rule) : rule_(rule), by_answer_(rule.n_classes) {}
    static double cap(const LossRule& rule, const RowData& data, std::size_t i) {
        const double* const cost = rule.cost.data() + data.label[i] * rule.n_classes;
        return data.weight_of(i) * *std::max_element(cost, cost + rule.n_classes);
    }

    void clear() { std::fill(by_answer_.begin(), by_answer_.end(), 0.0); }
    void add(const RowData& data, std::size_t i) {
        const double w = data.weight_of(i);
        const double* const cost = rule_.cost.data() + data.label[i] * by_answer_.size();
        for (std::size_t j = 0; j < by_answer_.size(); ++j) by_answer_[j] += w * cost[j];
    }
    double loss() const { return *std::min_element(by_answer_.begin(), by_answer_.end()); }
    double leaves_bound(std::size_t) const { return 0.0; }

private:
    const LossRule& rule_;
    std::vector<double> by_answer_;
};

class ClassWeights {
public:
    static constexpr bool whole = false;
    explicit ClassWeights(const LossRule& rule) : weight_(rule.n_classes) {}

    void clear() { std::fill(weight_.begin(), weight_.end(), 0.0), total_ = 0.0; }
    void add(const RowData& data, std::size_t i) {
        weight_[data.label[i]] += data.weight_of(i);
        total_ += data.weight_of(i);
    }
    double leaves_bound(std::size_t) const { return 0.0; }

protected:
    std::vector<double> weight_;
    double total_ = 0.0;
};

class Gini : public ClassWeights {
public:
    using ClassWeights::ClassWeights;
    static double cap(const LossRule&, const RowData& data, std::size_t i) { return 2.0 * data.weight_of(i); }
    double loss() const {
        double squares = 0.0;
        for (double w : weight_) squares += w * w;
        return total_ > 0.0 ? std::max(0.0, total_ - squares / total_) : 0.0;
    }
};

class Entropy : public ClassWeights {
public:
    using ClassWeights::ClassWeights;
    static double cap(const LossRule&, const RowData&, std::size_t) { return std::numeric_limits<double>::infinity(); }
    double loss() const {
        double bits = total_ > 0.0 ? total_ * std::log2(total_) : 0.0;
        for (double w : weight_)
            if (w > 0.0) bits -= w * std::log2(w);
        return std::max(0.0, bits);
    }
};

class Squared {
public:
    static constexpr bool whole = false;
    explicit Squared(const LossRule&) {}
    static double cap(const LossRule& rule, const RowData& data, std::size_t i) {
        const double far = std::max(data.number[i] - rule.low, rule.high - data.number[i]);
        return data.weight_of(i) * far * far;
    }

    void clear() { weight_ = sum_ = squares_ = 0.0; }
    void add(const RowData& data, std::size_t i) {
        const double w = data.weight_of(i), y = data.number[i];
        weight_ += w, sum_ += w * y, squares_ += w * y * y;
    }
    double loss() const { return weight_ > 0.0 ? std::max(0.0, squares_ - sum_ * sum_ / weight_) : 0.0; }
    double leaves_bound(std::size_t) const { return 0.0; }

private:
    double weight_ = 0.0, sum_ = 0.0, squares_ = 0.0;
};

// Weights and sums by target value in two Fenwick trees. The median is found by descending one of them.
class Absolute {
public:
    static constexpr bool whole = false;
    explicit Absolute(const LossRule& rule) : rule_(rule), weight_(rule.numbers.size() + 1), sum_(weight_.size()) {
        while (2 * top_ < weight_.size()) top_ *= 2;
    }
    static double cap(const LossRule& rule, const RowData& data, std::size_t i) {
        return data.weight_of(i) * std::max(data.number[i] - rule.low, rule.high - data.number[i]);
    }

    void clear() {
        std::fill(weight_.begin(), weight_.end(), 0.0);
        std::fill(sum_.begin(), sum_.end(), 0.0);
        total_ = total_sum_ = 0.0;
    }
    void add(const RowData& data, std::size_t i) {
        const double w = data.weight_of(i), y = data.number[i];
        for (std::size_t at = rule_.number_rank[data.row[i]] + 1; at < weight_.size(); at += at & -at)
            weight_[at] += w, sum_[at] += w * y;
        total_ += w, total_sum_ += w * y;
    }
    double loss() const {
        std::size_t at = 0;  // the ranks below have less than half of the weight
        double below = 0.0, below_sum = 0.0;
        for (std::size_t step = top_; step > 0; step /= 2)
            if (at + step < weight_.size() && 2.0 * (below + weight_[at + step]) < total_) {
                at += step;
                below += weight_[at], below_sum += sum_[at];
            }
        if (at >= rule_.numbers.size()) return 0.0;
        const double median = rule_.numbers[at];
        return std::max(0.0, (total_sum_ - below_sum) - median * (total_ - below) + median * below - below_sum);
    }
    double leaves_bound(std::size_t) const { return 0.0; }

private:
    const LossRule& rule_;
    std::vector<double> weight_, sum_;
    std::size_t top_ = 1;
    double total_ = 0.0, total_sum_ = 0.0;
};

}  // namespace ceiba::optimal
