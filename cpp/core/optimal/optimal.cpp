
#include <unordered_set>

#include "optimal/start/warm_start.hpp"

namespace ceiba::optimal {

namespace {

// The rows that take part, their features and the target.
struct Problem {
    std::vector<std::uint32_t> rows;  // of the table
    Features features;
    RowData data;
    LossRule rule;
    LossKind loss;
};

std::vector<std::uint32_t> rows_of(const data::Target& target) {
    std::vector<std::uint32_t> rows(target.rows.begin(), target.rows.end());
    if (target.rows.empty()) {
        rows.resize(target.n_rows);
        std::iota(rows.begin(), rows.end(), 0u);
    }
    if (target.weight) std::erase_if(rows, [&](std::uint32_t row) { return !(target.weight[row] > 0.0); });
    return rows;
}

// Subtracts the mean of the target, so that sums of squares lose no digits to a large offset.
void center(Problem& problem) {
    std::vector<double>& y = problem.data.number;
    double sum = 0.0, weight = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i)
        sum += problem.data.weight_of(i) * y[i], weight += problem.data.weight_of(i);
    for (double& v : y) v -= sum / weight;
    problem.rule.low = *std::min_element(y.begin(), y.end());
    problem.rule.high = *std::max_element(y.begin(), y.end());
    problem.rule.numbers = y;
    auto& distinct = problem.rule.numbers;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (double v : y)
        problem.rule.number_rank.push_back(
            static_cast<std::uint32_t>(std::lower_bound(distinct.begin(), distinct.end(), v) - distinct.begin()));
}

Problem read(const data::Table& table, const data::Target& target, const Request& request) {
    Problem problem;
    problem.loss = loss_kind(request.loss);
    problem.rows = rows_of(target);
    if (problem.rows.empty()) throw std::invalid_argument("no row has a positive weight");
    problem.features = make_features(table, target, problem.rows, request.learn_missing);
    RowData& data = problem.data;
    for (std::size_t i = 0; i < problem.rows.size(); ++i) {
        const std::uint32_t row = problem.rows[i];
        if (target.classification())
            data.label.push_back(static_cast<std::uint16_t>(target.labels[row]));
        else
            data.number.push_back(target.numbers[row]);
        if (target.weight) data.weight.push_back(target.weight[row]);
        data.row.push_back(static_cast<std::uint32_t>(i));
    }
    problem.rule.cost = request.cost;
    if (target.classification())
        problem.rule.n_classes = static_cast<std::size_t>(target.n_classes[0]);
    else
        center(problem);
    return problem;
}

// Rows that agree in all features stay together in every tree. Their least loss is stored with the first of them.
void find_twins(Problem& problem) {
    const std::size_t n = problem.rows.size();
    std::vector<std::uint64_t> hash(n, 0);
    for (const Feature& f : problem.features.all)
        for (std::size_t i = 0; i < n; ++i) hash[i] = (hash[i] ^ f.rank[i]) * 0x9E3779B97F4A7C15ull + (hash[i] >> 29);
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    base::SortSpace space;
    base::sort_rows(hash, order, space);
    const auto same = [&](std::uint32_t a, std::uint32_t b) {
        return hash[a] == hash[b] && std::all_of(problem.features.all.begin(), problem.features.all.end(),
                                                 [&](const Feature& f) { return f.rank[a] == f.rank[b]; });
    };
    std::vector<double> floor(n, 0.0);
    double total = 0.0;
    for (std::size_t i = 0; i < n;) {
        std::size_t end = i + 1;
        while (end < n && same(order[i], order[end])) ++end;
        if (end > i + 1)
            total += floor[order[i]] = problem.loss.of(problem.rule, problem.data, {order.data() + i, end - i});
        i = end;
    }
    if (total > 0.0) problem.data.floor = std::move(floor);
}

// Collects trees that cost little more than the best: for each root split the best tree below it.
class TreeCollector : public Observer {
public:
    explicit TreeCollector(double limit)
        : limit_(limit) {}  // exceeds every value to be listed by more than the tolerance
    void improved(double, const PlanPtr&) override {}
    void bounded(double) override {}
    double keep_below(double) const override { return limit_; }
    bool every_cut() const override { return true; }
    void evaluated(double value, const PlanPtr& plan) override { trees.emplace_back(value, plan); }
    std::vector<std::pair<double, PlanPtr>> trees;

private:
    double limit_;
};

// Bytes for the ranks and for the orders of the nodes on one path, with both branches of each node, and two more for
// refinement. The last two levels divide no rows: in place of their four orders, they have the columns of CutBits.
std::uint64_t needed(const Problem& problem, const Request& request) {
    const auto levels = static_cast<std::uint64_t>(std::max(1, request.horizon ? 3 : request.max_depth));
    const std::uint64_t per_row = 4 * std::uint64_t{problem.features.all.size()} + 32;
    return problem.rows.size() * per_row * (2 * levels + 2);
}

class Run {
public:
    Run(const data::Table& table, Problem& problem, const Request& request, base::Interrupt& interrupt,
        const Progress& progress)
        : table_(table),
          problem_(problem),
          request_(request),
          clock_(request.time_limit, interrupt),
          pool_(request.n_threads),
          root_(root_node(problem.features, problem.data)),
          search_(problem.loss.solver(problem.features, problem.rule, rules(problem, request), pool_, clock_,
                                      static_cast<std::size_t>(request.memory - needed(problem, request)))),
          best_(request.horizon ? 0.0 : request.gap, whole(problem, request), clock_, progress) {}

    Outcome run() {
        Outcome out;
        best_.improved(search_->leaf_value(root_), nullptr);
        out.status = stopped([&] {
            if (request_.horizon > 0)
                WarmStart(*search_, root_, best_).run_lookahead(request_.horizon);
            else
                prove();
        });
        const bool ended = out.status == Status::proven;
        if ((request_.horizon > 0 || request_.last_stage < proof_stage) && ended) out.status = Status::heuristic;
        if (out.status == Status::proven) {
            best_.lower = request_.gap > 0.0 ? best_.keep_below(best_.value) : best_.value;
            if (request_.gap > 0.0 && best_.lower < best_.value) out.status = Status::within_gap;
        }
        out.lower = std::min(best_.lower, best_.value);
        out.best = shape(best_.plan, best_.value);
        if (request_.within >= 0.0) collect(out);
        out.exact_levels = problem_.features.exact;
        out.evaluations = clock_.evaluations();
        out.seconds = clock_.seconds();
        return out;
    }

private:
    static bool whole(const Problem& problem, const Request& request) {
        return problem.loss.whole && request.penalty == 0.0;
    }

    static Rules rules(const Problem& problem, const Request& request) {
        std::vector<std::uint32_t> all(problem.data.size());
        std::iota(all.begin(), all.end(), 0u);
        const double most = problem.loss.of(problem.rule, problem.data, all);
        Rules rules{request.max_depth, request.max_leaves, std::max<std::size_t>(1, request.min_rows), request.penalty,
                    0.0};
        // The tolerance is never 0, so trees of equal value differ from worse ones even if the loss is 0.
        rules.tolerance = whole(problem, request) ? 0.5 : std::max(1e-300, 1e-10 * (most + request.penalty));
        return rules;
    }

    template <class Work>
    Status stopped(const Work& work) {
        try {
            work();
            return Status::proven;
        } catch (const OutOfTime&) {
            return Status::out_of_time;
        } catch (const base::Interrupted&) {
            return Status::interrupted;
        }
    }

    void prove() {
        if (request_.max_depth > 2 || request_.last_stage < proof_stage)
            WarmStart(*search_, root_, best_).run(request_.last_stage);
        if (request_.last_stage < proof_stage) return;
        const Solution solution = search_->solve(root_, request_.max_depth, request_.max_leaves, best_.value, &best_);
        if (solution.found()) best_.improved(solution.value, solution.plan);
    }

    void collect(Outcome& out) {
        // The search returns values below the limit minus the tolerance. Values equal to the limit must be included.
        const double most = best_.value * (1.0 + request_.within), tolerance = search_->rules().tolerance;
        TreeCollector collector((whole(problem_, request_) ? std::floor(most + 1e-9) : most) + 2.0 * tolerance);
        const Status status =
            stopped([&] { search_->solve(root_, request_.max_depth, request_.max_leaves, infinite, &collector); });
        out.all_alternatives = status == Status::proven;
        std::vector<double> values;
        for (const auto& tree : collector.trees) values.push_back(tree.first);
        base::sort_by(values, collector.trees);
        std::unordered_set<std::uint64_t> seen{partition(best_.plan)};
        for (const auto& [value, plan] : collector.trees) {
            if (!seen.insert(partition(plan)).second) continue;
            if (out.alternatives.size() == request_.n_alternatives) {
                out.all_alternatives = false;
                break;
            }
            out.alternatives.push_back(shape(plan, value));
        }
    }

    // A hash of the partition of the rows by a tree. It does not depend on the splits that produce the partition.
    std::uint64_t partition(const PlanPtr& plan) const {
        std::uint64_t hash = 0;
        std::vector<const Plan*> plans;
        std::vector<int> sides;
        for (std::uint32_t i = 0; i < problem_.rows.size(); ++i) {
            std::pair<const Plan*, int> leaf{nullptr, 0};
            for (const Plan* at = plan.get(); at;) {
                const int s = at->sends_right(problem_.features.all[at->feature].rank[i]);
                leaf = {at, s};
                at = (s ? at->right : at->left).get();
            }
            std::size_t id = 0;
            while (id < plans.size() && (plans[id] != leaf.first || sides[id] != leaf.second)) ++id;
            if (id == plans.size()) plans.push_back(leaf.first), sides.push_back(leaf.second);
            hash = (hash ^ id) * 0x9E3779B97F4A7C15ull + (hash >> 31);
        }
        return hash;
    }

    TreeShape shape(const PlanPtr& plan, double value) const {
        TreeShape out = shape_of(table_, problem_.features, problem_.data, problem_.rows, plan);
        out.value = value;
        return out;
    }

    const data::Table& table_;
    Problem& problem_;
    const Request& request_;
    Clock clock_;
    base::ThreadPool pool_;
    Node root_;
    std::unique_ptr<Search> search_;
    Incumbent best_;
};

}  // namespace

Outcome search(const data::Table& table, const data::Target& target, const Request& request, base::Interrupt& interrupt,
               const Progress& progress) {
    Problem problem = read(table, target, request);
    if (const std::uint64_t bytes = needed(problem, request); bytes > request.memory) {
        Outcome out;
        out.status = Status::out_of_memory;
        out.needed = bytes;
        return out;
    }
    find_twins(problem);
    return Run(table, problem, request, interrupt, progress).run();
}

}  // namespace ceiba::optimal
