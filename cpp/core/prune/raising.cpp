#include "prune/raising.hpp"

#include "tree/route_rows.hpp"

namespace ceiba::prune {

double Pessimism::added(double total, double errors) const {
    if (total <= 0.0) return 0.0;
    if (errors < 1.0) {
        const double none = total * (1.0 - std::pow(confidence, 1.0 / total));
        return errors == 0.0 ? none : none + errors * (added(total, 1.0) - none);
    }
    if (errors + 0.5 >= total) return std::max(total - errors, 0.0);
    const double rate = (errors + 0.5) / total;
    const double root = std::sqrt(rate / total - rate * rate / total + z * z / (4.0 * total * total));
    const double limit = (rate + z * z / (2.0 * total) + z * root) / (1.0 + z * z / total);
    return limit * total - errors;
}

namespace {

// The error increase that a simpler tree may cause, and the tolerance for rounding errors.
constexpr double margin = 0.1, noise = 1e-6;
// As in C4.5 release 8, training errors that differ by less than this are treated as equal.
constexpr double tie = 1e-3;

bool up_to(double a, double b) { return a <= b + noise; }

// Drops the branches of subtrees that make no fewer training errors than a leaf. Nodes keep their numbers.
void collapse_useless(tree::RoutingArrays& tree, std::span<const double> counts, std::size_t n_classes) {
    const std::size_t n = tree.n_nodes();
    std::vector<double> errors(n), below(n, 0.0);
    std::vector<std::int32_t> parent(n, -1);
    for (std::size_t i = 0; i < n; ++i) {
        const auto first = counts.begin() + static_cast<std::ptrdiff_t>(i * n_classes),
                   last = first + static_cast<std::ptrdiff_t>(n_classes);
        errors[i] = std::accumulate(first, last, 0.0) - *std::max_element(first, last);
        if (tree.is_leaf(i)) below[i] = errors[i];
        for (std::int32_t b = tree.branch_start[i]; b < tree.branch_start[i + 1]; ++b)
            parent[tree.branch_node[b]] = static_cast<std::int32_t>(i);
    }
    for (std::size_t i = n; i-- > 1;) below[parent[i]] += below[i];
    std::vector<std::uint8_t> dropped(n, 0);
    const bool has_shares = !tree.branch_share.empty();
    std::int32_t end = 0;
    for (std::size_t i = 0, begin = 0; i < n; ++i) {
        const std::size_t last = static_cast<std::size_t>(tree.branch_start[i + 1]);
        const bool leaf = dropped[i] || below[i] >= errors[i] - tie;
        tree.branch_start[i] = end;
        for (; begin < last; ++begin) {
            const std::int32_t branch = tree.branch_node[begin];
            dropped[branch] = leaf;
            if (leaf) continue;
            if (has_shares) tree.branch_share[end] = tree.branch_share[begin];
            tree.branch_node[end++] = branch;
        }
    }
    tree.branch_start[n] = end;
}

bool any_missing(const data::Table& table) {
    return std::any_of(table.columns.begin(), table.columns.end(), [&](const data::Column& column) {
        return column.with_reader([&](auto number) {
            for (std::size_t row = 0; row < table.n_rows; ++row)
                if (std::isnan(number(row))) return true;
            return false;
        });
    });
}

// Rows with their weights or with fractions of them.
struct Part {
    std::vector<std::uint32_t> row;
    std::vector<double> weight;

    void add(std::uint32_t r, double w) {
        row.push_back(r);
        weight.push_back(w);
    }
    void add(const Part& other, std::size_t begin, std::size_t end) {
        const auto from = static_cast<std::ptrdiff_t>(begin), to = static_cast<std::ptrdiff_t>(end);
        row.insert(row.end(), other.row.begin() + from, other.row.begin() + to);
        weight.insert(weight.end(), other.weight.begin() + from, other.weight.begin() + to);
    }
    void resize(std::size_t n) {
        row.resize(n);
        weight.resize(n);
    }
    void reserve(std::size_t n) {
        row.reserve(n);
        weight.reserve(n);
    }
    std::size_t size() const { return row.size(); }
};

// The rows of each node. Rows that grew the tree form one range per subtree; rows that arrived by raising are in
// separate lists.
class Population {
public:
    // Sorts rows by the node in which they end. `end`: end of each node's subtree.
    void settle(const Part& rows, const std::vector<std::int32_t>& node_of, const std::vector<std::size_t>& end) {
        std::vector<std::size_t> start(end.size() + 1, 0);
        for (const std::int32_t node : node_of) ++start[static_cast<std::size_t>(node) + 1];
        std::partial_sum(start.begin(), start.end(), start.begin());
        first_.assign(start.begin(), start.end() - 1);
        last_.resize(end.size());
        for (std::size_t i = 0; i < end.size(); ++i) last_[i] = start[end[i]];
        own_.resize(rows.size());
        for (std::size_t e = 0; e < rows.size(); ++e) {
            const std::size_t at = start[node_of[e]]++;
            own_.row[at] = rows.row[e];
            own_.weight[at] = rows.weight[e];
        }
        at_.assign(end.size(), none);
    }
    void gather(std::size_t node, Part& out) const {
        out.add(own_, first_[node], last_[node]);
        if (at_[node] != none) out.add(arrived_[at_[node]], 0, arrived_[at_[node]].size());
    }
    void add(std::size_t node, std::uint32_t row, double weight) {
        if (at_[node] == none) {
            at_[node] = static_cast<std::uint32_t>(arrived_.size());
            arrived_.emplace_back();
        }
        arrived_[at_[node]].add(row, weight);
    }
    void clear(std::size_t node) {
        last_[node] = first_[node];
        if (at_[node] != none) arrived_[at_[node]].resize(0);
    }

private:
    Part own_;
    std::vector<std::size_t> first_, last_;
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    std::vector<Part> arrived_;      // by the nodes that received rows ...
    std::vector<std::uint32_t> at_;  // ... and the position of each node in that list
};

class SubtreeRaiser {
public:
    SubtreeRaiser(const tree::RoutingArrays& tree, std::span<const double> counts, const TrainingRows& rows,
                  const ErrorPruning& options, base::Interrupt& interrupt)
        : tree_(tree),
          rows_(rows),
          options_(options),
          raising_(options.pessimism && options.raising),
          interrupt_(interrupt),
          counts_(counts.begin(), counts.end()) {
        const std::size_t n = tree.n_nodes();
        branches_.resize(n);
        for (std::size_t i = 0; i < n; ++i)
            branches_[i].assign(tree.branch_node.begin() + tree.branch_start[i],
                                tree.branch_node.begin() + tree.branch_start[i + 1]);
        content_.resize(n);
        std::iota(content_.begin(), content_.end(), 0);
        charge_.resize(n);
        if (!raising_) return;
        has_fractional_ = !tree.branch_share.empty() && any_missing(*rows.table);
        reached_.assign(n, no_index);
        place_.assign(rows.table->n_rows, no_index);
        find_fractional_rows();
        place_rows();
    }

    ErrorPruned run() {
        if (options_.pessimism) prune();
        return result();
    }

private:
    static constexpr std::size_t no_index = std::numeric_limits<std::size_t>::max();

    void prune() {
        std::vector<std::pair<std::int32_t, bool>> waiting{{0, false}};
        while (!waiting.empty()) {
            const auto [node, branches_done] = waiting.back();
            waiting.pop_back();
            const std::size_t i = static_cast<std::size_t>(node);
            if (branches_[i].empty()) {
                charge_[i] = as_leaf(&counts_[i * rows_.n_classes]);
            } else if (!branches_done) {
                waiting.emplace_back(node, true);
                for (const std::int32_t b : branches_[i]) waiting.emplace_back(b, false);
            } else if (settle(i)) {
                waiting.emplace_back(node, false);  // after raising, prune the new subtree
            }
        }
    }

    // Rows that would arrive at a node if a branch were raised, as a range of `moving_`.
    struct Arrival {
        std::size_t node, begin, end;
    };

    double as_leaf(const double* counts) const {
        double total = 0.0, most = 0.0;
        for (std::size_t k = 0; k < rows_.n_classes; ++k) {
            total += counts[k];
            most = std::max(most, counts[k]);
        }
        const double errors = total - most;
        return errors + options_.pessimism->added(total, errors);
    }

    double sum_of(const std::vector<double>& counts, std::size_t node) const {
        const auto first = counts.begin() + static_cast<std::ptrdiff_t>(node * rows_.n_classes);
        return std::accumulate(first, first + static_cast<std::ptrdiff_t>(rows_.n_classes), 0.0);
    }
    double weight_of(std::size_t node) const { return sum_of(counts_, node); }

    // The last of the heaviest branches in the order of C4.5, in which the branch with a single level comes first.
    // Weights that are sums of fractions are equal up to rounding errors.
    std::size_t heaviest(std::size_t node) const {
        const std::vector<std::int32_t>& below = branches_[node];
        const bool turned = below.size() == 2 && n_levels(node, 1) == 1 && n_levels(node, 0) > 1;
        std::size_t largest = 0;
        double most = -1.0;
        for (std::size_t k = 0; k < below.size(); ++k) {
            const std::size_t branch = static_cast<std::size_t>(turned ? below[1 - k] : below[k]);
            if (const double weight = weight_of(branch); most - weight < noise) most = weight, largest = branch;
        }
        return largest;
    }

    std::ptrdiff_t n_levels(std::size_t node, std::int32_t branch) const {
        const std::size_t split = static_cast<std::size_t>(content_[node]);
        const auto first = tree_.splits.level_branch.begin();
        return std::count(first + tree_.splits.level_start[split], first + tree_.splits.level_start[split + 1], branch);
    }

    // Prunes a node after its branches. Returns true if one of its branches replaced it. Raising is evaluated without
    // changing the tree: rows are routed through the branch, and only raise() adds them to its counts.
    bool settle(std::size_t node) {
        interrupt_.poll();
        double subtree = 0.0;
        for (const std::int32_t b : branches_[node]) subtree += charge_[b];
        const std::size_t largest = heaviest(node);
        const double leaf = as_leaf(&counts_[node * rows_.n_classes]);
        double raised = std::numeric_limits<double>::infinity();
        if (raising_) {
            send_down(node, largest);
            raised = charge_with_arrivals(largest, std::max(leaf - margin, subtree + margin) + 2.0 * noise);
        }
        bool taken = false;
        if (up_to(leaf, subtree + margin) && up_to(leaf, raised + margin)) {
            branches_[node].clear();
            charge_[node] = leaf;
        } else if (up_to(raised, subtree + margin)) {
            raise(node, largest);
            taken = true;
        } else {
            charge_[node] = subtree;
        }
        for (const Arrival& arrival : arrivals_) reached_[arrival.node] = no_index;
        return taken;
    }

    // Marks rows that may take several branches, because their weights there depend on other rows.
    void find_fractional_rows() {
        is_fractional_.assign(rows_.table->n_rows, 0);
        if (!has_fractional_) return;
        std::vector<std::uint8_t> used(rows_.table->columns.size(), 0);
        bool gaps = false;  // a split that does not cover all levels of its column
        for (std::size_t i = 0; i < tree_.n_nodes(); ++i) {
            if (tree_.is_leaf(i)) continue;
            const std::size_t c = static_cast<std::size_t>(tree_.splits.column[i]);
            used[c] = 1;
            gaps = gaps ||
                   (tree_.splits.kind[i] == static_cast<std::int8_t>(tree::Kind::levels) &&
                    tree_.splits.level_start[i + 1] - tree_.splits.level_start[i] < rows_.table->columns[c].n_levels());
        }
        if (gaps && tree_.unseen_is_missing) return is_fractional_.assign(rows_.table->n_rows, 1);
        for (std::size_t c = 0; c < used.size(); ++c)
            if (used[c])
                rows_.table->columns[c].with_reader([&](auto number) {
                    for (std::size_t row = 0; row < rows_.table->n_rows; ++row)
                        is_fractional_[row] |= std::isnan(number(row));
                });
    }

    void place_rows() {
        const std::size_t n = tree_.n_nodes(), n_rows = rows_.table->n_rows;
        std::vector<std::int32_t> end_of(n_rows);
        const tree::FractionalRows fractional = tree::route_rows(tree_, *rows_.table, 0, n_rows, end_of.data());
        Part ended[2];
        std::vector<std::int32_t> node_of[2];
        const auto end_in = [&](std::size_t row, std::int32_t node, double share) {
            ended[is_fractional_[row]].add(static_cast<std::uint32_t>(row), rows_.weight[row] * share);
            node_of[is_fractional_[row]].push_back(node);
        };
        ended[0].reserve(n_rows);
        node_of[0].reserve(n_rows);
        for (std::size_t row = 0; row < n_rows; ++row)
            if (end_of[row] >= 0) end_in(row, end_of[row], 1.0);
        for (const auto& [row, node] : fractional)
            tree::route_fractional(
                tree_, *rows_.table, row, node, [](std::int32_t) {},
                [&, r = row](std::int32_t at, double share) { end_in(r, at, share); });
        std::vector<std::size_t> end(n);
        for (std::size_t i = n; i-- > 0;) end[i] = tree_.is_leaf(i) ? i + 1 : end[branches_[i].back()];
        steady_.settle(ended[0], node_of[0], end);
        fractional_.settle(ended[1], node_of[1], end);
        steady_counts_ = counts_;
        if (has_fractional_) count_steady(ended[0], node_of[0]);
    }

    // Sums the class weights of rows that always take one branch.
    void count_steady(const Part& rows, const std::vector<std::int32_t>& node_of) {
        const std::size_t k = rows_.n_classes;
        std::fill(steady_counts_.begin(), steady_counts_.end(), 0.0);
        for (std::size_t e = 0; e < rows.size(); ++e)
            steady_counts_[static_cast<std::size_t>(node_of[e]) * k +
                           static_cast<std::size_t>(rows_.label[rows.row[e]])] += rows.weight[e];
        for (std::size_t i = tree_.n_nodes(); i-- > 0;)
            for (const std::int32_t b : branches_[i])
                for (std::size_t c = 0; c < k; ++c)
                    steady_counts_[i * k + c] += steady_counts_[static_cast<std::size_t>(b) * k + c];
    }

    // Routes the rows of a node's other branches, and all fractional rows, through one of its branches. The result is
    // in `arrivals_`.
    void send_down(std::size_t node, std::size_t branch) {
        moving_.resize(0);
        arrivals_.clear();
        arrival_counts_.clear();
        for (const std::int32_t b : branches_[node])
            if (static_cast<std::size_t>(b) != branch) steady_.gather(static_cast<std::size_t>(b), moving_);
        const std::size_t n_steady = moving_.size();
        fractional_.gather(node, moving_);
        join_parts(n_steady);
        waiting_.assign(1, {branch, 0, moving_.size()});
        while (!waiting_.empty()) {
            const Arrival here = waiting_.back();
            waiting_.pop_back();
            if (here.begin == here.end) continue;
            reached_[here.node] = arrivals_.size();
            arrivals_.push_back(here);
            arrival_counts_.resize(arrival_counts_.size() + rows_.n_classes, 0.0);
            count(here, arrival_counts_.data() + arrival_counts_.size() - rows_.n_classes);
            if (!branches_[here.node].empty()) divide(here);
        }
    }

    // Merges the fractions of a row that took several branches into one row with the sum of their weights.
    void join_parts(std::size_t begin) {
        std::size_t end = begin;
        for (std::size_t i = begin; i < moving_.size(); ++i) {
            const std::uint32_t row = moving_.row[i];
            if (place_[row] != no_index) {
                moving_.weight[place_[row]] += moving_.weight[i];
                continue;
            }
            place_[row] = end;
            moving_.row[end] = row;
            moving_.weight[end++] = moving_.weight[i];
        }
        moving_.resize(end);
        for (std::size_t i = begin; i < end; ++i) place_[moving_.row[i]] = no_index;
    }

    void count(const Arrival& here, double* counts) const {
        for (std::size_t i = here.begin; i < here.end; ++i) counts[rows_.label[moving_.row[i]]] += moving_.weight[i];
    }

    // Divides rows by the split of a node.
    void divide(const Arrival& here) {
        const std::size_t split = static_cast<std::size_t>(content_[here.node]);
        const std::vector<std::int32_t>& below = branches_[here.node];
        branch_.resize(here.end - here.begin);
        next_.assign(below.size(), 0);
        std::size_t n_everywhere = 0;
        tree::branches_of_rows(tree_, split, *rows_.table, moving_.row.data() + here.begin, branch_.size(),
                               branch_.data());
        for (const std::int32_t b : branch_) {
            n_everywhere += b == tree::row_is_fractional;
            if (b >= 0) ++next_[b];
        }
        const std::vector<double> part = n_everywhere == 0 ? std::vector<double>{} : parts(here, split);
        std::size_t end = moving_.size();
        for (std::size_t b = 0; b < below.size(); ++b) {
            const std::size_t size = next_[b] + (n_everywhere > 0 && part[b] > 0.0 ? n_everywhere : 0);
            next_[b] = end;
            end += size;
            waiting_.push_back({static_cast<std::size_t>(below[b]), next_[b], end});
        }
        moving_.resize(end);
        std::uint32_t* const row = moving_.row.data();
        double* const weight = moving_.weight.data();
        const auto branch = [of = branch_.data(), first = here.begin](std::size_t i) { return of[i - first]; };
        std::size_t* const next = next_.data();
        const auto put = [&](std::size_t to, std::size_t i, double w) {
            row[to] = row[i];
            weight[to] = w;
        };
        if (below.size() == 2 && n_everywhere == 0 && end - next[0] == here.end - here.begin) {  // no row stays here
            std::size_t left = next[0], right = next[1];
            for (std::size_t i = here.begin; i < here.end; ++i) {
                const std::int32_t b = branch(i);
                put(b ? right : left, i, weight[i]);
                left += b == 0;
                right += b == 1;
            }
            return;
        }
        for (std::size_t i = here.begin; i < here.end; ++i) {
            const std::int32_t b = branch(i);
            if (b >= 0) put(next[b]++, i, weight[i]);
            if (b == tree::row_is_fractional)
                for (std::size_t k = 0; k < below.size(); ++k)
                    if (part[k] > 0.0) put(next[k]++, i, weight[i] * part[k]);
        }
    }

    // The share of each branch for rows that take all branches. `branch_` must be filled in.
    std::vector<double> parts(const Arrival& here, std::size_t split) const {
        const std::vector<std::int32_t>& below = branches_[here.node];
        std::vector<double> placed(below.size());
        if (!has_fractional_) {
            std::copy_n(tree_.branch_share.begin() + tree_.branch_start[split], placed.size(), placed.begin());
            return placed;
        }
        for (std::size_t b = 0; b < placed.size(); ++b)
            placed[b] = sum_of(steady_counts_, static_cast<std::size_t>(below[b]));
        for (std::size_t i = here.begin; i < here.end; ++i)
            if (const std::int32_t b = branch_[i - here.begin]; b >= 0) placed[b] += moving_.weight[i];
        const double total = std::accumulate(placed.begin(), placed.end(), 0.0);
        for (double& p : placed) p = total > 0.0 ? p / total : 1.0 / static_cast<double>(placed.size());
        return placed;
    }

    // The pessimistic errors of a branch including the rows that arrived. Stops as soon as they exceed `enough`.
    double charge_with_arrivals(std::size_t branch, double enough) const {
        double sum = 0.0;
        std::vector<double> counts(rows_.n_classes);
        std::vector<std::size_t> waiting{branch};
        while (!waiting.empty() && sum <= enough) {
            const std::size_t node = waiting.back();
            waiting.pop_back();
            for (const std::int32_t b : branches_[node]) waiting.push_back(static_cast<std::size_t>(b));
            if (!branches_[node].empty()) continue;
            for (std::size_t k = 0; k < counts.size(); ++k) counts[k] = with_arrivals(node, k);
            sum += as_leaf(counts.data());
        }
        return sum;
    }

    double with_arrivals(std::size_t node, std::size_t k) const {
        const std::size_t at = reached_[node];
        const double before = steady_counts_[node * rows_.n_classes + k];
        return at == no_index ? before : before + arrival_counts_[at * rows_.n_classes + k];
    }

    // Replaces a node by one of its branches. The counts of the node stay the same, because its rows do.
    void raise(std::size_t node, std::size_t branch) {
        std::vector<std::size_t> waiting{branch};
        while (!waiting.empty()) {
            const std::size_t at = waiting.back();
            waiting.pop_back();
            for (const std::int32_t b : branches_[at]) waiting.push_back(static_cast<std::size_t>(b));
            for (std::size_t k = 0; k < rows_.n_classes; ++k) counts_[at * rows_.n_classes + k] = with_arrivals(at, k);
            fractional_.clear(at);
            if (reached_[at] != no_index) admit(arrivals_[reached_[at]]);
        }
        branches_[node] = branches_[branch];
        content_[node] = content_[branch];
        raised_ = true;
    }

    void admit(const Arrival& arrival) {
        for (std::size_t i = arrival.begin; i < arrival.end; ++i) {
            const std::uint32_t row = moving_.row[i];
            (is_fractional_[row] ? fractional_ : steady_).add(arrival.node, row, moving_.weight[i]);
            if (!is_fractional_[row])
                steady_counts_[arrival.node * rows_.n_classes + static_cast<std::size_t>(rows_.label[row])] +=
                    moving_.weight[i];
        }
    }

    ErrorPruned result() const {
        ErrorPruned out;
        out.raised = raised_;
        std::vector<std::pair<std::int32_t, std::int32_t>> waiting{{0, -1}};
        while (!waiting.empty()) {
            const auto [node, parent] = waiting.back();
            waiting.pop_back();
            const std::size_t i = static_cast<std::size_t>(node);
            const std::int32_t at = static_cast<std::int32_t>(out.content.size());
            if (branches_[i].empty()) out.leaves.push_back(node);
            out.content.push_back(content_[i]);
            out.parent.push_back(parent);
            out.leaf.push_back(branches_[i].empty());
            out.weight.push_back(weight_of(i));
            for (std::size_t b = branches_[i].size(); b-- > 0;) waiting.emplace_back(branches_[i][b], at);
        }
        return out;
    }

    const tree::RoutingArrays& tree_;
    const TrainingRows& rows_;
    const ErrorPruning& options_;
    bool raising_, has_fractional_ = false;  // rows may be raised; rows may take several branches
    base::Interrupt& interrupt_;
    std::vector<double> counts_, charge_;  // class weights; pessimistic errors after pruning
    std::vector<std::vector<std::int32_t>> branches_;
    std::vector<std::int32_t> content_;
    bool raised_ = false;

    std::vector<std::uint8_t> is_fractional_;  // per row
    Population steady_, fractional_;           // rows that always take one branch; fractional rows
    std::vector<double> steady_counts_;

    Part moving_;
    std::vector<std::size_t> place_;  // per row: its position in `moving_`
    std::vector<Arrival> arrivals_, waiting_;
    std::vector<double> arrival_counts_;
    std::vector<std::size_t> reached_;  // per node: its position in `arrivals_`
    std::vector<std::int32_t> branch_;  // branch of each row being divided, and ...
    std::vector<std::size_t> next_;     // ... position of the next row of each branch
};

}  // namespace

ErrorPruned prune_by_errors(tree::RoutingArrays tree, std::span<const double> counts, const TrainingRows& rows,
                            const ErrorPruning& options, base::Interrupt& interrupt) {
    collapse_useless(tree, counts, rows.n_classes);
    return SubtreeRaiser(tree, counts, rows, options, interrupt).run();
}

}  // namespace ceiba::prune
