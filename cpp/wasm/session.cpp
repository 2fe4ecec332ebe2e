#include "session.hpp"

#include "criteria/node_summary.hpp"
#include "prune/folds.hpp"
#include "prune/held_out.hpp"
#include "prune/weakest_link.hpp"
#include "split/store/row_store.hpp"
#include "tree/cut_digits.hpp"

namespace ceiba::wasm {

namespace {

constexpr double noise = 1e-12;             // relative rounding error of a risk
constexpr double exact = 9007199254740992;  // 2^53

bool is_leaf(const tree::TreeArrays& t, std::size_t i) { return t.branch_start[i] == t.branch_start[i + 1]; }

// R(t) of every node: misclassified rows, or the loss of the criterion, divided by the number of rows.
std::vector<double> node_risks(const tree::TreeArrays& t, bool classification) {
    const std::size_t n = t.n_nodes(), width = t.value.size() / n;
    std::vector<double> risk(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto* const value = t.value.data() + i * width;
        const double total = classification ? std::accumulate(value, value + width, 0.0) : 0.0;
        const double loss = classification ? total - *std::max_element(value, value + width)
                                           : t.impurity[i] * t.weight[i];
        risk[i] = loss / t.weight[0];
    }
    return risk;
}

// Counts have exact sums, so alphas that are equal in theory are equal here.
std::vector<double> collapse_alphas(const tree::TreeArrays& t, std::span<const double> risk, bool classification) {
    for (std::size_t i = 0; i < t.n_nodes(); ++i)
        if (!is_leaf(t, i) && t.default_branch[i] < 0 && t.sent_default[i] > 0)
            throw std::invalid_argument("rows stay in an inner node, which this pruning does not support");
    const double whole = t.weight[0];
    std::vector<double> sums;
    bool whole_numbers = true;
    for (const double r : risk) {
        sums.push_back(classification ? std::rint(r * whole) : r * whole);
        whole_numbers = whole_numbers && sums.back() == std::rint(sums.back());
    }
    const bool is_exact = whole_numbers && sums[0] < exact;
    std::vector<double> alpha = prune::collapse_alphas(t.parent, sums, {whole, is_exact ? 0.0 : noise, {}});
    for (double& a : alpha) a = std::max(a, 0.0);
    return alpha;
}

// A node adds its risk from the step at which it becomes a leaf to the step at which its parent does. These differences
// are summed up.
Sequence pruning_sequence(const tree::TreeArrays& t, std::span<const double> risk, std::span<const double> alpha,
                          bool classification) {
    Sequence out;
    out.alpha.push_back(0.0);
    for (std::size_t i = 0; i < t.n_nodes(); ++i)
        if (!is_leaf(t, i)) out.alpha.push_back(alpha[i]);
    std::sort(out.alpha.begin(), out.alpha.end());
    out.alpha.erase(std::unique(out.alpha.begin(), out.alpha.end()), out.alpha.end());
    const std::size_t n = out.alpha.size();
    const auto born = [&](std::size_t i) -> std::size_t {
        const double at = is_leaf(t, i) ? 0.0 : alpha[i];
        return static_cast<std::size_t>(std::lower_bound(out.alpha.begin(), out.alpha.end(), at) - out.alpha.begin());
    };
    std::vector<std::int32_t> leaves(n + 1);
    std::vector<double> begin(n + 1), end(n + 1);
    for (std::size_t i = 0; i < t.n_nodes(); ++i) {
        const std::size_t from = born(i), to = t.parent[i] < 0 ? n : born(static_cast<std::size_t>(t.parent[i]));
        ++leaves[from], --leaves[to];
        if (from >= to) continue;
        const double amount = classification ? std::rint(risk[i] * t.weight[0]) : risk[i] * t.weight[0];
        begin[from] += amount, end[to] += amount;
    }
    double sum = 0.0;
    std::int32_t count = 0;
    for (std::size_t k = 0; k < n; ++k) {
        out.n_leaves.push_back(count += leaves[k]);
        out.risk.push_back((sum += begin[k] - end[k]) / t.weight[0]);
    }
    return out;
}

// alpha' = sqrt(alpha[k] alpha[k + 1]), at which step k is evaluated; the last one is infinity.
std::vector<double> alphas_between(std::span<const double> alpha) {
    std::vector<double> grid;
    for (std::size_t k = 0; k + 1 < alpha.size(); ++k) {
        const double product = alpha[k] * alpha[k + 1];
        const bool safe = product > 1e-290 && product < 1e290;
        grid.push_back(safe ? std::sqrt(product) : std::sqrt(alpha[k]) * std::sqrt(alpha[k + 1]));
    }
    grid.push_back(std::numeric_limits<double>::infinity());
    return grid;
}

// The last step (the smallest tree) whose risk is at most this limit.
std::int32_t last_within(std::span<const double> risk, double limit) {
    std::size_t last = 0;
    for (std::size_t k = 0; k < risk.size(); ++k)
        if (risk[k] <= limit + noise * std::abs(limit)) last = k;
    return static_cast<std::int32_t>(last);
}

template <class T>
View view_of(const std::vector<T>& v) {
    return {v.data(), v.size(), std::is_same_v<T, double> ? 'd' : sizeof(T) == 1 ? 'b' : sizeof(T) == 4 ? 'i' : 'q'};
}

// Calls visit(name, array) for each array of a tree and its splits.
template <class Visit>
void for_each_array(const tree::TreeArrays& t, Visit visit) {
    const auto splits = [&](const std::string& prefix, const tree::SplitTable& s) {
        visit(prefix + "kind", s.kind), visit(prefix + "column", s.column), visit(prefix + "cut", s.cut);
        visit(prefix + "low_branch", s.low_branch), visit(prefix + "digits", s.digits);
        visit(prefix + "level_start", s.level_start), visit(prefix + "level_code", s.level_code);
        visit(prefix + "level_branch", s.level_branch);
    };
    visit("parent", t.parent), visit("branch_start", t.branch_start), visit("branch_node", t.branch_node);
    splits("", t.splits);
    visit("default_branch", t.default_branch), visit("n_rows", t.n_rows), visit("sent_default", t.sent_default);
    visit("weight", t.weight), visit("impurity", t.impurity), visit("gain", t.gain), visit("value", t.value);
    splits("competitor_", t.competitors);
    visit("competitor_gain", t.competitor_gain);
}

}  // namespace

void Session::add_numbers(const double* values) {
    table_.columns.push_back(data::Column::numeric(values, sizeof(double)));
}

void Session::add_levels(const std::int32_t* codes, std::int32_t n_levels) {
    table_.columns.push_back(data::Column::levels(codes, sizeof(std::int32_t), n_levels, false));
}

void Session::set_classes(const std::int32_t* labels, std::int32_t n_classes) {
    target_.labels = labels, target_.numbers = nullptr, target_.n_classes = {n_classes};
}

void Session::set_numbers(const double* numbers) {
    target_.numbers = numbers, target_.labels = nullptr, target_.n_classes.clear();
}

void Session::set_option(const std::string& name, double value) {
    bool exists = false;
    grow::for_each_option([&](const char* option, auto field) {
        using Value = std::decay_t<decltype(field(options_))>;
        if constexpr (std::is_arithmetic_v<Value>)
            if (name == option) field(options_) = static_cast<Value>(value), exists = true;
    });
    if (!exists) throw std::invalid_argument("no option is called '" + name + "'");
}

tree::TreeArrays Session::grow_on(std::span<const std::uint32_t> rows, const grow::GrowOptions& options) {
    data::Target target = target_;
    target.rows = rows;
    base::Interrupt never;
    tree::TreeArrays grown = grow::grow(table_, target, options, never);
    for (tree::SplitTable* splits : {&grown.splits, &grown.competitors})
        splits->digits = tree::cut_digits(table_, rows, splits->column, splits->cut);
    return grown;
}

int Session::grow() {
    ends_.clear();
    tree_ = grow_on({}, options_);
    risk_ = node_risks(tree_, target_.classification());
    node_alpha_ = collapse_alphas(tree_, risk_, target_.classification());
    sequence_ = pruning_sequence(tree_, risk_, node_alpha_, target_.classification());
    n_folds_ = n_validated_ = 0;
    return static_cast<int>(tree_.n_nodes());
}

int Session::prune(double alpha) {
    const std::size_t width = tree_.value.size() / tree_.n_nodes();
    tree::TreeArrays& t = pruned_;
    t = {};
    pruned_risk_.clear();
    std::vector<std::int32_t> place(tree_.n_nodes(), -1);
    for (std::size_t i = 0; i < tree_.n_nodes(); ++i) {
        const std::int32_t above = tree_.parent[i];
        if (above >= 0 && (place[above] < 0 || node_alpha_[above] <= alpha)) continue;
        place[i] = static_cast<std::int32_t>(t.parent.size());
        const bool leaf = is_leaf(tree_, i) || node_alpha_[i] <= alpha;
        const tree::SplitTable& s = tree_.splits;
        std::vector<tree::LevelBranch> levels;
        for (std::int64_t l = s.level_start[i]; l < s.level_start[i + 1]; ++l)
            levels.push_back({s.level_code[l], s.level_branch[l]});
        if (leaf)
            t.splits.push(tree::Kind::none, -1, 0.0, 0, {});
        else
            t.splits.push(static_cast<tree::Kind>(s.kind[i]), s.column[i], s.cut[i], s.low_branch[i], levels);
        t.splits.digits.push_back(leaf ? 0 : s.digits[i]);
        t.parent.push_back(above < 0 ? -1 : place[above]);
        t.default_branch.push_back(leaf ? -1 : tree_.default_branch[i]);
        t.n_rows.push_back(tree_.n_rows[i]), t.sent_default.push_back(leaf ? 0 : tree_.sent_default[i]);
        t.weight.push_back(tree_.weight[i]), t.impurity.push_back(tree_.impurity[i]);
        t.gain.push_back(leaf ? 0.0 : tree_.gain[i]);
        t.value.insert(t.value.end(), tree_.value.begin() + static_cast<std::ptrdiff_t>(i * width),
                       tree_.value.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
        pruned_risk_.push_back(risk_[i]);
    }
    for (std::size_t i = 0; i < tree_.n_nodes(); ++i)
        if (place[i] >= 0) {
            if (t.splits.kind[place[i]] != static_cast<std::int8_t>(tree::Kind::none))
                for (std::int32_t b = tree_.branch_start[i]; b < tree_.branch_start[i + 1]; ++b)
                    t.branch_node.push_back(place[tree_.branch_node[b]]);
            t.branch_start.push_back(static_cast<std::int32_t>(t.branch_node.size()));
        }
    return static_cast<int>(t.n_nodes());
}

int Session::deal_folds(std::uint32_t n_folds, std::uint64_t seed) {
    if (target_.n_rows < 2) throw std::invalid_argument("Folds need at least 2 rows.");
    n_folds_ = static_cast<std::uint32_t>(std::min<std::size_t>(n_folds, target_.n_rows));
    std::vector<std::uint32_t> strata;
    if (target_.classification()) strata.assign(target_.labels, target_.labels + target_.n_rows);
    fold_ = prune::deal_folds(target_.n_rows, strata, n_folds_, seed, 0);
    n_validated_ = 0;
    first_.assign(sequence_.alpha.size(), 0.0), second_ = first_;
    return static_cast<int>(n_folds_);
}

void Session::validate(std::uint32_t fold) {
    std::vector<std::uint32_t> train, test;
    for (std::uint32_t row = 0; row < target_.n_rows; ++row) (fold_[row] == fold ? test : train).push_back(row);
    const tree::TreeArrays t = grow_on(train, options_);
    const bool classification = target_.classification();
    const std::vector<double> grid = alphas_between(sequence_.alpha);
    std::vector<std::int32_t> step, all(target_.n_rows), end;
    for (const double alpha : collapse_alphas(t, node_risks(t, classification), classification))
        step.push_back(static_cast<std::int32_t>(std::lower_bound(grid.begin(), grid.end(), alpha) - grid.begin()));
    predict::Router(tree::routing_arrays(t)).apply(table_, all.data(), 1);
    for (const std::uint32_t row : test) end.push_back(all[row]);
    const std::vector<double> weight(test.size(), 1.0);
    const prune::Path path{t.parent, step, grid.size()};
    prune::Losses losses;
    if (classification) {
        const auto size = static_cast<std::size_t>(target_.n_classes[0]);
        std::vector<double> cost(size * size, 1.0);
        for (std::size_t k = 0; k < size; ++k) cost[k * size + k] = 0.0;
        std::vector<std::int32_t> label;
        for (const std::uint32_t row : test) label.push_back(target_.labels[row]);
        losses = prune::class_losses(path, {end, weight}, label, t.best_classes(), cost, size);
    } else {
        std::vector<double> number;
        for (const std::uint32_t row : test) number.push_back(target_.numbers[row]);
        using criteria::name_of;
        const criteria::Name criterion = options_.search.criterion;
        const prune::Loss loss = criterion == name_of<criteria::AbsoluteError>() ? prune::Loss::absolute
                                 : criterion == name_of<criteria::Poisson>()     ? prune::Loss::poisson
                                                                                 : prune::Loss::squared;
        const double level = 0.5;  // level of a quantile, which the page does not offer
        losses = prune::number_losses(path, {end, weight}, number, {}, t.value, loss, level);
    }
    for (std::size_t k = 0; k < grid.size(); ++k) first_[k] += losses.first[k], second_[k] += losses.second[k];
    if (++n_validated_ < n_folds_) return;
    const auto n = static_cast<double>(target_.n_rows);
    sequence_.cv_risk.clear(), sequence_.cv_se.clear();
    for (std::size_t k = 0; k < grid.size(); ++k) {
        sequence_.cv_risk.push_back(first_[k] / n);
        sequence_.cv_se.push_back(std::sqrt(std::max(second_[k] - first_[k] * first_[k] / n, 0.0) / (n * n)));
    }
    const double least = *std::min_element(sequence_.cv_risk.begin(), sequence_.cv_risk.end());
    const std::int32_t minimum = last_within(sequence_.cv_risk, least);
    sequence_.chosen = {minimum, last_within(sequence_.cv_risk, least + sequence_.cv_se[minimum])};
}

const std::vector<std::int32_t>& Session::ends() {
    if (ends_.empty() && table_.n_rows > 0) {
        ends_.resize(table_.n_rows);
        predict::Router(tree::routing_arrays(tree_)).apply(table_, ends_.data(), 1);
    }
    return ends_;
}

std::vector<std::uint32_t> Session::rows_of(std::int32_t node) {
    std::int32_t last = node;  // last node of the subtree
    const auto n = static_cast<std::int32_t>(tree_.n_nodes());
    while (last + 1 < n && tree_.parent[last + 1] >= node) ++last;
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < table_.n_rows; ++row)
        if (ends()[row] >= node && ends()[row] <= last) rows.push_back(row);
    return rows;
}

int Session::compare(std::int32_t node, int max_competitors) {
    grow::GrowOptions options = options_;
    options.max_depth = 1;
    options.search.max_competitors = max_competitors;
    const std::vector<std::uint32_t> rows = rows_of(node);
    stump_ = grow_on(rows, options);
    return static_cast<int>(stump_.n_nodes());
}

void Session::draw_curve(std::int32_t node, std::int32_t column) {
    curve_ = {};
    const data::Column& values = table_.columns.at(static_cast<std::size_t>(column));
    std::vector<std::uint32_t> rows = rows_of(node);
    const auto n_rows = static_cast<double>(rows.size());
    std::erase_if(rows, [&](std::uint32_t row) { return std::isnan(values.number(row)); });
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return values.number(a) < values.number(b); });
    data::Target target = target_;
    target.rows = rows;
    const data::TargetRows sorted = split::copy_target(target, false, nullptr);
    const auto impurity = [&](std::size_t begin, std::size_t end) {
        return criteria::summarize(sorted, begin, end, options_.search.criterion, {}, {}, nullptr).impurity;
    };
    const std::size_t n = rows.size();
    const double before = n > 0 ? impurity(0, n) : 0.0, present = static_cast<double>(n);
    for (std::size_t k = 1; k < n; ++k) {
        const double low = values.number(rows[k - 1]), high = values.number(rows[k]), middle = low + (high - low) / 2;
        if (!(low < high)) continue;
        const auto left = static_cast<double>(k);
        const double after = (left * impurity(0, k) + (present - left) * impurity(k, n)) / present;
        curve_.cut.push_back(middle < high ? middle : low);
        curve_.gain.push_back(present / n_rows * (before - after));
    }
}

View Session::view(const std::string& name) {
    View out{nullptr, 0, 0};
    const auto match = [&](const std::string& prefix) {
        return [&, prefix](const std::string& array, const auto& values) {
            if (prefix + array == name) out = view_of(values);
        };
    };
    for_each_array(tree_, match(""));
    for_each_array(stump_, match("stump_"));
    for_each_array(pruned_, match("pruned_"));
    const auto offer = match("");
    offer("risk", risk_), offer("node_alpha", node_alpha_), offer("ends", ends_), offer("pruned_risk", pruned_risk_);
    offer("step_alpha", sequence_.alpha), offer("step_risk", sequence_.risk), offer("step_leaves", sequence_.n_leaves);
    offer("cv_risk", sequence_.cv_risk), offer("cv_se", sequence_.cv_se), offer("chosen_steps", sequence_.chosen);
    offer("curve_cut", curve_.cut), offer("curve_gain", curve_.gain);
    if (out.type == 0) throw std::invalid_argument("no array is called '" + name + "'");
    return out;
}

}  // namespace ceiba::wasm
