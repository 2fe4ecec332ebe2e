#include "criteria/node_summary.hpp"

#include "criteria/registry.hpp"

namespace ceiba::criteria {

namespace {

// The weighted quantile. Like scikit-learn's median, it is the mean of two values if the cumulative weight of the first
// is exactly the level's share.
double weighted_quantile(std::vector<std::pair<double, double>>& value_weight, const QuantileLevel& level) {
    std::sort(value_weight.begin(), value_weight.end());
    double total = 0.0;
    for (const auto& vw : value_weight) total += vw.second;
    const double share = static_cast<double>(level.above) * total, costs = static_cast<double>(level.whole());
    double below = 0.0;
    for (std::size_t i = 0; i < value_weight.size(); ++i) {
        below += value_weight[i].second;
        if (costs * below > share) return value_weight[i].first;
        if (costs * below == share) {
            std::size_t next = i + 1;
            while (next < value_weight.size() && value_weight[next].second == 0.0) ++next;
            if (next == value_weight.size()) return value_weight[i].first;
            return 0.5 * (value_weight[i].first + value_weight[next].first);
        }
    }
    return value_weight.back().first;
}

// The same for numbers that all have weight 1.
double quantile(std::vector<double>& values, const QuantileLevel& level) {
    const auto n = static_cast<std::int64_t>(values.size());
    const std::int64_t share = level.above * n, j = (share + level.whole() - 1) / level.whole();
    const auto at = values.begin() + (j - 1);
    std::nth_element(values.begin(), at, values.end());
    return level.whole() * j > share ? *at : 0.5 * (*at + *std::min_element(at + 1, values.end()));
}

// Counts into four tables in turn: labels often repeat, and reading a counter that was just written is slow.
void count_labels(const std::uint16_t* label, std::size_t n, std::vector<double>& counts) {
    const std::size_t k = counts.size();
    if (n < 4 * k) {
        for (std::size_t i = 0; i < n; ++i) counts[label[i]] += 1.0;
        return;
    }
    std::vector<std::uint32_t> table(4 * k, 0);
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t j = 0; j < 4; ++j) ++table[j * k + label[i + j]];
    for (; i < n; ++i) ++table[label[i]];
    for (std::size_t j = 0; j < 4; ++j)
        for (std::size_t c = 0; c < k; ++c) counts[c] += table[j * k + c];
}

// The weight of each class among the rows [begin, end), or their number if each row counts 1.
std::vector<double> weigh_classes(const data::TargetRows& rows, std::size_t output, std::size_t begin, std::size_t end,
                                  bool whole, base::ThreadPool* pool) {
    const std::uint16_t* const label = rows.labels[output].data() + begin;
    const std::size_t n = end - begin, k = static_cast<std::size_t>(rows.n_classes[output]);
    const std::size_t size = std::max(base::block_rows, 16 * k);  // counting a block must cost more than merging it
    if (whole)
        return base::merge_blocks(
            pool, n, std::vector<double>(k, 0.0),
            [&](std::vector<double>& counts, std::size_t from, std::size_t to) {
                count_labels(label + from, to - from, counts);
            },
            [](std::vector<double>& all, const std::vector<double>& more) {
                std::transform(all.begin(), all.end(), more.begin(), all.begin(), std::plus<>());
            },
            size);
    const auto sums = base::merge_blocks(
        pool, n, std::vector<base::WeightSum>(k),
        [&](std::vector<base::WeightSum>& part, std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i) part[label[i]].add(rows.weight[begin + i]);
        },
        [](std::vector<base::WeightSum>& all, const std::vector<base::WeightSum>& more) {
            for (std::size_t c = 0; c < all.size(); ++c) all[c].add(more[c]);
        },
        size);
    std::vector<double> weights;
    for (const base::WeightSum& sum : sums) weights.push_back(sum.value());
    return weights;
}

// Adds the class weights of one output to the summary of a node.
void add_classes(std::vector<double> counts, Name criterion, const std::vector<double>& class_scale, int n_outputs,
                 NodeSummary& out) {
    out.pure = out.pure && std::count_if(counts.begin(), counts.end(), [](double c) { return c > 0.0; }) <= 1;
    if (!class_scale.empty()) {
        for (std::size_t k = 0; k < counts.size(); ++k) counts[k] *= class_scale[k];
        out.search_weight = std::accumulate(counts.begin(), counts.end(), 0.0);
    }
    const double n = std::accumulate(counts.begin(), counts.end(), 0.0);
    if (!(n > 0.0)) return;
    const auto impurity = [&]<class C>() { return C::impurity(counts, n); };
    out.impurity += for_criterion<double, ClassCriteria>(criterion, impurity) / n_outputs;
}

// The sum of n terms, in four parts in turn: a compensated addition takes long but need not wait for the others.
template <class Term>
base::Sum sum_of(std::size_t n, Term term) {
    constexpr std::size_t n_parts = 4;
    std::array<base::Sum, n_parts> part{};
    std::size_t i = 0;
    for (; i + n_parts <= n; i += n_parts)
        for (std::size_t p = 0; p < n_parts; ++p) part[p].add(term(i + p));
    for (; i < n; ++i) part[0].add(term(i));
    for (std::size_t p = 1; p < n_parts; ++p) part[0].add(base::DoubleDouble(part[p].hi, part[p].lo));
    return part[0];
}

struct NumberSummary {
    double value = 0.0, impurity = 0.0;
    bool pure = true;
};

template <class C>
NumberSummary summarize_numbers(const data::TargetRows& rows, const base::Buffer<double>& y, std::size_t begin,
                                std::size_t end, double weight, const QuantileLevel& level,
                                base::ThreadPool* pool) {
    struct Part {
        base::Sum sum;
        double first = 0.0;
        bool any = false, pure = true;  // whether any row has a weight; whether all such rows are equal
    };
    const auto [sum, first, any, pure] = base::merge_blocks(
        pool, end - begin, Part{},
        [&](Part& part, std::size_t from, std::size_t to) {
            if (rows.weight.empty()) {
                const double* const values = y.data() + begin + from;
                const std::size_t n = to - from;
                part.sum = sum_of(n, [values](std::size_t i) { return base::DoubleDouble(values[i]); });
                part.first = values[0];
                part.any = true;
                part.pure = std::all_of(values, values + n, [&](double value) { return value == part.first; });
                return;
            }
            for (std::size_t i = begin + from; i < begin + to; ++i) {
                const double w = rows.weight[i];
                part.sum.add(base::two_product(w, y[i]));
                if (!(w > 0.0)) continue;
                if (part.any && y[i] != part.first) part.pure = false;
                if (!part.any) part.first = y[i];
                part.any = true;
            }
        },
        [](Part& all, const Part& more) {
            all.sum.add(base::DoubleDouble(more.sum.hi, more.sum.lo));
            all.pure = all.pure && more.pure && (!all.any || !more.any || all.first == more.first);
            if (!all.any) all.first = more.first;
            all.any = all.any || more.any;
        });
    NumberSummary out;
    out.pure = pure;
    if (!any) return out;  // an empty branch has no mean or quantile; the grower gives it the value of its parent
    if (pure) {            // the mean of equal numbers is this number, without the rounding error of their sum
        out.value = first;
        return out;
    }
    out.value = sum.value() / weight;
    base::Sum loss;
    if constexpr (C::at_quantile) {
        if (rows.weight.empty()) {
            std::vector<double> values(y.begin() + static_cast<std::ptrdiff_t>(begin),
                                       y.begin() + static_cast<std::ptrdiff_t>(end));
            out.value = quantile(values, level);
            for (double v : values) loss.add(level.loss(1.0, v, out.value));
        } else {
            std::vector<std::pair<double, double>> value_weight;
            value_weight.reserve(end - begin);
            for (std::size_t i = begin; i < end; ++i) value_weight.emplace_back(y[i], rows.weight_of(i));
            out.value = weighted_quantile(value_weight, level);
            for (const auto& vw : value_weight) loss.add(level.loss(vw.second, vw.first, out.value));
        }
        weight *= level.scale;
    } else {
        loss = base::merge_blocks(
            pool, end - begin, base::Sum{},
            [&](base::Sum& part, std::size_t from, std::size_t to) {
                const double *const values = y.data() + begin, answer = out.value;
                const double* const weight = rows.weight.empty() ? nullptr : rows.weight.data() + begin;
                const auto add = [&](auto weight_of) {
                    part = sum_of(to - from, [&](std::size_t i) {
                        return base::DoubleDouble(C::loss(weight_of(from + i), values[from + i], answer));
                    });
                };
                if (weight)
                    add([weight](std::size_t i) { return weight[i]; });
                else
                    add([](std::size_t) { return 1.0; });
            },
            [](base::Sum& all, const base::Sum& more) { all.add(base::DoubleDouble(more.hi, more.lo)); });
    }
    out.impurity = loss.value() / weight;
    return out;
}

}  // namespace

Name criterion_from(const std::string& word) {
    Name name{-1};
    const auto look = [&]<class... C>(List<C...>) {
        static_cast<void>(((word == C::name && (name = name_of<C>(), true)) || ...));
    };
    look(AllCriteria{});
    if (name == Name{-1}) throw std::invalid_argument("no criterion is called '" + word + "'");
    return name;
}

NodeSummary summarize(const data::TargetRows& rows, std::size_t begin, std::size_t end, Name criterion,
                      const std::vector<double>& class_scale, const QuantileLevel& level, base::ThreadPool* pool) {
    NodeSummary out;
    base::WeightSum weight;
    if (rows.weight.empty())
        weight.ones = end - begin;
    else
        weight = base::merge_blocks(
            pool, end - begin, weight,
            [&](base::WeightSum& part, std::size_t from, std::size_t to) {
                for (std::size_t i = begin + from; i < begin + to; ++i) part.add(rows.weight[i]);
            },
            [](base::WeightSum& all, const base::WeightSum& more) { all.add(more); });
    const bool whole = weight.ones == end - begin;
    out.weight = out.search_weight = weight.value();
    const int n_outputs = rows.n_outputs();
    out.pure = true;
    if (!rows.classification()) {
        for (int o = 0; o < n_outputs; ++o) {
            const NumberSummary s = for_criterion<NumberSummary, NumberCriteria>(criterion, [&]<class C>() {
                return summarize_numbers<C>(rows, rows.numbers[o], begin, end, out.weight, level, pool);
            });
            out.value.push_back(s.value);
            out.impurity += s.impurity / n_outputs;
            out.pure = out.pure && s.pure;
        }
        return out;
    }
    const int width = *std::max_element(rows.n_classes.begin(), rows.n_classes.end());
    out.value.assign(static_cast<std::size_t>(n_outputs) * width, 0.0);
    for (int o = 0; o < n_outputs; ++o) {
        std::vector<double> counts = weigh_classes(rows, static_cast<std::size_t>(o), begin, end, whole, pool);
        std::copy(counts.begin(), counts.end(), out.value.begin() + static_cast<std::ptrdiff_t>(o) * width);
        add_classes(std::move(counts), criterion, class_scale, n_outputs, out);
    }
    return out;
}

NodeSummary summarize_classes(std::vector<double> class_weight, double weight, Name criterion,
                              const std::vector<double>& class_scale) {
    NodeSummary out;
    out.pure = true;
    out.value = class_weight;
    out.weight = out.search_weight = weight;
    add_classes(std::move(class_weight), criterion, class_scale, 1, out);
    return out;
}

}  // namespace ceiba::criteria
