#include "split/missing/surrogates.hpp"

#include "base/sort.hpp"

namespace ceiba::split {

namespace {

// The weight of the placed rows, in total and per branch.
struct Placed {
    std::array<base::Sum, 2> weight;
    double of(int branch) const { return weight[branch].value(); }
    double all() const { return of(0) + of(1); }
    double larger() const { return std::max(of(0), of(1)); }
    void add(int branch, double w) { weight[branch].add(w); }
    void add(const Placed& more) {
        for (std::size_t b : {0, 1}) weight[b].add(base::DoubleDouble(more.weight[b].hi, more.weight[b].lo));
    }
};

// The sum of unit weights.
struct CountedSum {
    std::int64_t sum = 0;
    void add(std::int64_t term) { sum += term; }
    double value() const { return static_cast<double>(sum); }
};

class SurrogateSearch {
public:
    SurrogateSearch(const NodeRows& node, const Routing& primary, int right, const SurrogateOptions& options,
                    const Conventions& conventions, base::ThreadPool* pool)
        : node_(node),
          primary_(primary),
          right_(right),
          options_(options),
          conventions_(conventions),
          sign_(node.size(), 0) {
        const auto place = [&](Placed& part, std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i) {
                if (!is_included(i)) continue;
                part.add(side(i), weight(i));
                sign_[i] = side(i) == right ? 1 : -1;
            }
        };
        placed_ = base::merge_blocks(pool, node.size(), Placed{}, place,
                                     [](Placed& whole, const Placed& part) { whole.add(part); });
    }

    Surrogate find(std::size_t column) const {
        Surrogate out;
        Placed both;  // rows placed by the primary split that have a value here
        const double agree =
            node_.store->has_levels(column) ? best_levels(column, both, out) : best_cut(column, both, out);
        if (out.kind == Kind::none) return out;
        const Placed& base = options_.style == 0 ? placed_ : both;
        out.column = static_cast<std::int32_t>(column);
        out.agreement = agree / base.all();
        const double majority = base.larger() / base.all();
        out.adjusted = (out.agreement - majority) / (1.0 - majority);
        if (!(out.adjusted > 1e-10)) out.kind = Kind::none;
        return out;
    }

private:
    double weight(std::size_t i) const { return node_.target().case_weight_of(node_.begin + i); }
    double rows(std::size_t i) const { return options_.weights_count_rows ? weight(i) : 1.0; }
    bool is_included(std::size_t i) const { return primary_.branch[i] < 2 && weight(i) > 0.0; }
    int side(std::size_t i) const { return primary_.branch[i]; }

    // All rows with a value, in ascending order. Rows of zero weight are included, because rpart uses the midpoints
    // between all values.
    std::vector<Entry> all_values(std::size_t column) const {
        const Entry* const entries = node_.entries(column);
        std::vector<std::pair<double, std::uint32_t>> values;
        for (std::size_t i = 0; i < node_.size(); ++i) {
            const double x = node_.number(column, entries[i].row);
            if (!std::isnan(x)) values.emplace_back(x, entries[i].row);
        }
        std::sort(values.begin(), values.end());
        std::vector<Entry> out;
        std::uint32_t rank = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i > 0 && values[i].first != values[i - 1].first) ++rank;
            out.push_back({rank, values[i].second});
        }
        return out;
    }

    double best_cut(std::size_t column, Placed& both, Surrogate& out) const {
        std::vector<Entry> sorted;
        const bool all = node_.store->zero_weights;
        if (all) sorted = all_values(column);
        const Entry* const entries = all ? sorted.data() : node_.entries(column);
        const std::size_t n = all ? sorted.size() : node_.n_present(column);
        const data::TargetRows& target = node_.target();
        if (target.weight.empty() && target.case_weight.empty()) {
            const auto sign = [this](std::uint32_t row) { return std::int64_t{sign_[row]}; };
            const auto counted = [this](std::uint32_t row) { return std::int64_t{sign_[row] != 0}; };
            return best_of(column, entries, n, CountedSum{}, sign, counted, both, out);
        }
        const auto weighed = [this](std::uint32_t row) { return sign_[row] == 0 ? 0.0 : sign_[row] * weight(row); };
        const auto counted = [this](std::uint32_t row) { return sign_[row] == 0 ? 0.0 : rows(row); };
        return best_of(column, entries, n, base::Sum{}, weighed, counted, both, out);
    }

    // Rows sent right count +, rows sent left -, so that one running sum s yields the agreement of a cut: if L and R
    // are the weights placed on the two sides, L + s if the low side goes right, R - s if it goes left. No branch
    // depends on the sign of a row, because the missing values of the primary column are unpredictable.
    template <class Running, class Signed, class Counted>
    double best_of(std::size_t column, const Entry* entries, std::size_t n, Running s, Signed signed_weight,
                   Counted counted, Placed& both, Surrogate& out) const {
        using Count = decltype(counted(0));
        std::size_t at = n;
        Count n_below = 0;
        const Count n_both = static_cast<Count>(count_both(column, entries, n, both));
        const double left = both.of(1 - right_), right = both.of(right_);
        // As in rpart, a surrogate must beat the majority rule. Only > replaces the best: ties go to the lowest cut.
        double best = both.larger();
        for (std::size_t i = 0; i + 1 < n && n_both - n_below >= 2; ++i) {
            s.add(signed_weight(entries[i].row));
            n_below += counted(entries[i].row);
            if (entries[i].rank == entries[i + 1].rank || n_below < 2 || n_both - n_below < 2) continue;
            const double shift = s.value();
            if (left + shift > best)
                best = left + shift, at = i, out.low_branch = right_;
            else if (right - shift > best)
                best = right - shift, at = i, out.low_branch = 1 - right_;
        }
        if (at == n) return best;
        const bool below_middle =
            conventions_.cuts_below_midpoint && node_.store->table->columns[column].kind() != data::ColumnKind::ordered;
        out.kind = Kind::cut;
        out.cut =
            cut_between(node_.number(column, entries[at].row), node_.number(column, entries[at + 1].row), below_middle);
        return best;
    }

    // Adds the weights of the placed rows with a value here to `both` and returns the number of these rows. With unit
    // weights only the rows without a value are visited.
    double count_both(std::size_t column, const Entry* entries, std::size_t n, Placed& both) const {
        if (!node_.target().weight.empty() || node_.entries(column) != entries) {
            double n_both = 0.0;
            for (std::size_t i = 0; i < n; ++i)
                if (sign_[entries[i].row] != 0) {
                    both.add(side(entries[i].row), weight(entries[i].row));
                    n_both += rows(entries[i].row);
                }
            return n_both;
        }
        std::array<double, 2> count{placed_.of(0), placed_.of(1)};
        for (std::size_t i = n; i < node_.size(); ++i)
            if (sign_[entries[i].row] != 0) --count[side(entries[i].row)];
        both.add(0, count[0]);
        both.add(1, count[1]);
        return count[0] + count[1];
    }

    // Each level goes to the side with most of its weight; ties go to the side that is larger overall.
    double best_levels(std::size_t column, Placed& both, Surrogate& out) const {
        const std::int32_t* codes = node_.codes(column);
        std::int32_t largest = -1;
        for (std::size_t i = 0; i < node_.size(); ++i) largest = std::max(largest, codes[i]);
        std::vector<Placed> level(static_cast<std::size_t>(largest + 1));
        std::vector<std::array<double, 2>> n_rows(level.size(), {0.0, 0.0});
        for (std::size_t i = 0; i < node_.size(); ++i) {
            if (codes[i] < 0 || !is_included(i)) continue;
            level[codes[i]].add(side(i), weight(i));
            n_rows[codes[i]][side(i)] += rows(i);
            both.add(side(i), weight(i));
        }
        const int fallback = both.of(0) == both.of(1) ? right_ : (both.of(0) > both.of(1) ? 0 : 1);
        std::array<double, 2> sent{0.0, 0.0};
        double n_agree = 0.0, n_astray = 0.0;
        base::Sum agree;
        for (std::size_t k = 0; k < level.size(); ++k) {
            if (n_rows[k][0] + n_rows[k][1] == 0.0) continue;
            const double a = level[k].of(0), b = level[k].of(1);
            const int branch = a == b ? fallback : (a > b ? 0 : 1);
            out.levels.push_back({static_cast<std::int32_t>(k), branch});
            sent[branch] += n_rows[k][0] + n_rows[k][1];
            n_agree += n_rows[k][branch];
            n_astray += n_rows[k][1 - branch];
            agree.add(level[k].of(branch));
        }
        // rpart 4.1 intends to require two rows per side, but requires two rows that agree and two that disagree, so it
        // rejects a perfect surrogate.
        const bool enough =
            conventions_.surrogate_levels_err ? n_agree >= 2 && n_astray >= 2 : sent[0] >= 2 && sent[1] >= 2;
        if (enough) out.kind = Kind::levels;
        return agree.value();
    }

    const NodeRows& node_;
    const Routing& primary_;
    int right_;
    const SurrogateOptions& options_;
    const Conventions& conventions_;
    std::vector<std::int8_t> sign_;  // per row: 1 sent right by the primary split, -1 left, 0 not included
    Placed placed_;
};

int send(const NodeRows& node, const Surrogate& s, std::size_t row) {
    const std::size_t c = static_cast<std::size_t>(s.column);
    if (s.kind == Kind::cut) {
        const double x = node.number(c, static_cast<std::uint32_t>(row));
        return std::isnan(x) ? -1 : (x <= s.cut ? s.low_branch : 1 - s.low_branch);
    }
    const std::int32_t code = node.codes(c)[row];
    const auto at = std::lower_bound(s.levels.begin(), s.levels.end(), code,
                                     [](const LevelBranch& l, std::int32_t k) { return l.code < k; });
    return at != s.levels.end() && at->code == code ? at->branch : -1;
}

}  // namespace

std::vector<Surrogate> find_surrogates(const NodeRows& node, const Routing& primary, std::int32_t primary_column,
                                       int right_son, const SurrogateOptions& options, const SearchOptions& search,
                                       base::ThreadPool* pool) {
    const SurrogateSearch columns(node, primary, right_son, options, search.conventions, pool);
    std::vector<Surrogate> surrogates(node.store->sorted.size());
    base::run(pool, surrogates.size(), 0, [&](std::size_t c, int) {
        const bool limited = !search.monotone.empty() && search.monotone[c] != 0;
        if (static_cast<std::int32_t>(c) != primary_column && !limited) surrogates[c] = columns.find(c);
    });
    std::erase_if(surrogates, [](const Surrogate& s) { return s.kind == Kind::none; });
    std::vector<double> falling;
    for (const Surrogate& s : surrogates) falling.push_back(-s.agreement);
    base::sort_by(falling, surrogates);
    if (surrogates.size() > static_cast<std::size_t>(options.max_surrogates))
        surrogates.resize(static_cast<std::size_t>(options.max_surrogates));
    return surrogates;
}

int right_son(const NodeRows& node, const Routing& primary, const std::vector<double>& class_scale,
              base::ThreadPool* pool) {
    const data::TargetRows& target = node.target();
    struct Response {
        Placed weight, sum;
    };
    const auto add_up = [&](Response& part, std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            const std::size_t b = primary.branch[i];
            if (b > 1) continue;
            double w = target.weight_of(node.begin + i), y;
            if (target.classification()) {
                const std::uint16_t label = target.labels[0][node.begin + i];
                if (!class_scale.empty()) w *= class_scale[label];
                y = label;
            } else {
                y = target.numbers[0][node.begin + i];
            }
            part.weight.weight[b].add(w);
            part.sum.weight[b].add(base::two_product(w, y));
        }
    };
    const Response all = base::merge_blocks(
        pool, node.size(), Response{}, add_up,
        [](Response& whole, const Response& part) { whole.weight.add(part.weight), whole.sum.add(part.sum); });
    const auto& weight = all.weight.weight;
    const auto& sum = all.sum.weight;
    const base::DoubleDouble low = sum[0].precise() * weight[1].precise(),
                             high = sum[1].precise() * weight[0].precise();
    return (high - low).value() > 0.0 ? 1 : 0;
}

void route_by_surrogates(const NodeRows& node, const SurrogateOptions& options, std::vector<Surrogate>& surrogates,
                         Routing& routing, base::ThreadPool* pool) {
    using Sent = std::vector<std::int64_t>;  // number of rows sent by each surrogate
    const auto route = [&](Sent& sent, std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            if (routing.branch[i] != unplaced) continue;
            for (std::size_t k = 0; k < surrogates.size(); ++k) {
                const int branch = send(node, surrogates[k], i);
                if (branch < 0) continue;
                routing.branch[i] = static_cast<std::uint16_t>(branch);
                sent[k] += options.weights_count_rows ? std::llround(node.target().case_weight_of(node.begin + i)) : 1;
                break;
            }
        }
    };
    const Sent all = base::merge_blocks(pool, node.size(), Sent(surrogates.size(), 0), route,
                                        [](Sent& whole, const Sent& part) {
                                            for (std::size_t k = 0; k < part.size(); ++k) whole[k] += part[k];
                                        });
    for (std::size_t k = 0; k < surrogates.size(); ++k) surrogates[k].sent += all[k];
}

GivenSplitSurrogates surrogates_of_given_split(const data::Table& table, const data::Target& target,
                                               std::span<const std::uint16_t> branch, std::int32_t primary_column,
                                               const SearchOptions& search, const SurrogateOptions& options, bool use) {
    base::ThreadPool pool(1);
    base::Interrupt never([] { return false; });
    const NodeRows node = presort(table, target, search.conventions.keep_zero_weights, pool, never);
    const auto& row = node.target().row;
    Routing routing;
    routing.branch.resize(node.size());
    for (std::size_t i = 0; i < node.size(); ++i) routing.branch[i] = branch[row[i]];
    const int right = right_son(node, routing, search.class_scale, nullptr);
    GivenSplitSurrogates out{find_surrogates(node, routing, primary_column, right, options, search, nullptr),
                             {branch.begin(), branch.end()}};
    if (!use) return out;
    route_by_surrogates(node, options, out.surrogates, routing, nullptr);
    for (std::size_t i = 0; i < node.size(); ++i) out.branch[row[i]] = routing.branch[i];
    return out;
}

}  // namespace ceiba::split
