// C4.5's choice of a split (Quinlan 1993, chapters 2 and 7; numeric cuts as in release 8, Quinlan 1996).
//
// This is a separate finder, not a criterion of the common scan, because columns are compared with each other: only
// columns with at least the average gain compete, and among them the ratio of gain to split information decides.
//   gain   = share of the rows with a value x decrease of their entropy; a cut pays log2(number of cuts) / weight
//   split information = entropy of the branch sizes, with one more branch for rows without a value
#include "split/finder.hpp"

#include "base/sort.hpp"
#include "split/ratio/entropy_bags.hpp"

namespace ceiba::split {

namespace {

constexpr double small = c45_small;
// The gain of a column may be below the average by this much.
constexpr double average_slack = 1e-3;

// The best split of a column, and its scores.
struct ColumnScore {
    std::uint32_t column = 0;
    bool cut = false;  // otherwise levels
    bool usable = false;
    bool constant = false;       // at most one value
    std::uint32_t position = 0;  // cut: number of sorted entries on the left
    std::uint32_t level = 0;     // one level against the others: that level
    double decrease = 0.0;       // of entropy, in bits
    double gain = 0.0;           // decrease less the cost of a cut
    double ratio = 0.0;          // gain over split information
};

class GainRatioFinder final : public SplitFinder {
public:
    GainRatioFinder(const NodeRows& root, SearchOptions options, int n_threads)
        : options_(std::move(options)),
          spaces_(static_cast<std::size_t>(n_threads)),
          n_classes_(static_cast<std::size_t>(root.target().n_classes[0])),
          n_rows_(root.size()) {
        for (const data::Column& column : root.store->table->columns)
            many_levels_.push_back(column.kind() == data::ColumnKind::levels &&
                                   static_cast<double>(column.n_levels()) + small >=
                                       0.3 * static_cast<double>(n_rows_));
        all_many_ = std::find(many_levels_.begin(), many_levels_.end(), 0) == many_levels_.end();
        if (!options_.cuts_at_values) return;
        values_.resize(root.store->sorted.size());
        close_.resize(values_.size());
        for (std::size_t c = 0; c < values_.size(); ++c) {
            if (root.store->has_levels(c)) continue;
            for (std::size_t i = 0; i < root.n_present(c); ++i)
                if (i == 0 || root.entries(c)[i].rank != root.entries(c)[i - 1].rank)
                    values_[c].push_back(root.number(c, root.entries(c)[i].row));
            close_[c] = std::adjacent_find(values_[c].begin(), values_[c].end(),
                                           [](double a, double b) { return !far(a, b); }) != values_[c].end();
        }
    }

    std::vector<Candidate> find(NodeRows& node, const NodeContext& context, base::ThreadPool* pool,
                                int thread) override {
        const LabelledRows rows(node, n_classes_);
        if (rows.whole.weight - *std::max_element(rows.whole.classes.begin(), rows.whole.classes.end()) < small)
            return {};
        const LiveColumns columns(node, context.allowed());
        std::vector<ColumnScore> scores(columns.size());
        const auto search = [&](std::size_t i, int t) {
            const std::size_t c = columns[i];
            Space& space = spaces_[t];
            scores[i] =
                rows.weight ? search_column(rows, c, AnyMass{}, space) : search_column(rows, c, whole_mass_, space);
            scores[i].column = static_cast<std::uint32_t>(c);
        };
        base::run(pool, scores.size(), thread, search);
        drop_constants(node, scores);
        return ranked(rows, std::move(scores));
    }

private:
    // The rows of a node and their classes.
    struct LabelledRows {
        LabelledRows(const NodeRows& n, std::size_t n_classes) : node(n), label(n.target().labels[0].data() + n.begin) {
            const base::Buffer<double>& all = n.target().weight;
            if (!all.empty())
                for (std::uint32_t i = 0; i < n.size(); ++i)
                    if (all[n.begin + i] != 1.0) others.push_back(i);
            if (!others.empty()) weight = all.data() + n.begin;
            if (weight && n_classes == 2) {
                parts.reserve(n.size());
                for (std::size_t i = 0; i < n.size(); ++i) parts.push_back({weight[i], label[i] ? weight[i] : 0.0});
            }
            whole.clear(n_classes);
            if (n_classes == 2 && others.size() * 4 < n.size()) {
                const std::size_t ones = std::accumulate(label, label + n.size(), std::size_t{0});
                whole.classes = {static_cast<double>(n.size() - ones), static_cast<double>(ones)};
                whole.weight = static_cast<double>(n.size());
                for (const std::uint32_t i : others) whole.add(label[i], weight[i] - 1.0);
            } else {
                for (std::size_t i = 0; i < n.size(); ++i) whole.add(label[i], weight ? weight[i] : 1.0);
            }
        }
        const NodeRows& node;
        const std::uint16_t* label;
        const double* weight = nullptr;     // null: each row counts 1
        std::vector<std::uint32_t> others;  // rows with another weight
        std::vector<std::array<double, 2>>
            parts;  // two classes with weights: the weight of each row, and its weight if in class 1
        Bag whole;
    };

    // The workspace of a thread: most nodes are tiny, and allocating memory would take longer than counting.
    struct Space {
        Bags bags;
        Bag part;
        std::vector<double> side, expected, per_expected;
    };

    template <class Mass>
    ColumnScore search_column(const LabelledRows& rows, std::size_t c, const Mass& mass, Space& space) const {
        return rows.node.store->has_levels(c) ? levels(rows, c, mass, space) : best_cut(rows, c, mass, space);
    }

    // A column with one value in a node has one value in all nodes below it. (Surrogates need all columns.)
    void drop_constants(NodeRows& node, const std::vector<ColumnScore>& scores) const {
        if (options_.missing == Missing::surrogate) return;
        std::vector<std::uint32_t> left;
        for (const ColumnScore& score : scores)
            if (!score.constant) left.push_back(score.column);
        if (left.size() < scores.size())
            node.live = std::make_shared<const std::vector<std::uint32_t>>(std::move(left));
    }

    static double per_row(double decrease, double weight) { return decrease < small ? 0.0 : decrease / weight; }

    // `information`: of the branches. Rows without a value are one more branch.
    template <class Mass>
    static double ratio(double gain, double information, double weight, double present, const Mass& mass) {
        information = mass(weight) - information - mass(weight - present);
        return information < small ? 0.0 : gain / (information / weight);
    }

    template <class Mass>
    ColumnScore best_cut(const LabelledRows& rows, std::size_t c, const Mass& mass, Space& space) const {
        ColumnScore score;
        const NodeRows& node = rows.node;
        const Entry* const entries = node.entries(c);
        const std::size_t n = node.n_present(c);
        score.cut = true;
        score.constant = n == 0 || entries[0].rank == entries[n - 1].rank;
        if (score.constant) return score;
        Bag& part = space.part;
        if (n < node.size()) {
            part.clear(n_classes_);
            for (std::size_t i = 0; i < n; ++i)
                part.add(rows.label[entries[i].row], rows.weight ? rows.weight[entries[i].row] : 1.0);
        }
        const Bag& present = n < node.size() ? part : rows.whole;
        const double tenth = 0.1 * present.weight / static_cast<double>(n_classes_);
        const double least = tenth < options_.min_branch + small ? options_.min_branch : std::min(tenth, 25.0);
        if (static_cast<double>(n) + small < 2.0 * least) return score;
        CutSearch search(present, rows.whole.weight, least);
        if (n_classes_ != 2 || (options_.cuts_at_values && close_[c]))
            search_any(rows, c, n, search, mass, space);
        else if (rows.weight)
            search_two(rows, c, n, search, mass);
        else
            search_two_whole(rows, c, n, search, mass);
        if (search.position == 0) return score;
        score.position = search.position;
        score.decrease = search.gain;
        score.gain = search.gain - std::log2(static_cast<double>(search.n_cuts)) / rows.whole.weight;
        if (score.gain < small) return score;
        score.usable = true;
        score.ratio = ratio(score.gain, mass(search.left_weight) + mass(present.weight - search.left_weight),
                            rows.whole.weight, present.weight, mass);
        return score;
    }

    // The state of the search for the best cut of a column.
    struct CutSearch {
        CutSearch(const Bag& of_present, double of_all, double of_side)
            : present(of_present),
              weight(of_all),
              least(of_side),
              bits(of_present.weight / (of_all * std::numbers::ln2)) {}

        const Bag& present;
        double weight, least, before = -1.0;
        // In nats the gain is at most chi-square over the weight: Kullback-Leibler is at most chi-square divergence.
        double bits;
        double gain = 0.0, left_weight = 0.0;
        std::uint32_t position = 0, n_cuts = 0;

        bool enough(double side) const { return side + small > least; }

        // Two classes. Returns the best gain so far. Not inlined, so that the surrounding loops keep their registers.
        template <class Mass>
        [[gnu::noinline]] double weigh(std::size_t i, double left, double zeros, double ones, const Mass& mass) {
            const double classes[2] = {zeros, ones};
            if (!hopeless(left, zeros, ones)) weigh(i, left, classes, mass);
            return gain;
        }

        // Chi-square is twice the divergence if shares differ little. A tighter bound for a share q and the expected
        // share p: by Taylor's formula the divergence is at most (q - p)^2 / 2 times the maximum of 1 / (x (1 - x))
        // between them, which is its value at p or q. On adult it avoids half of 120,000 evaluations.
        bool hopeless(double left, double zeros, double ones) const {
            const double right = present.weight - left, other_ones = present.classes[1] - ones,
                         other_zeros = present.classes[0] - zeros;
            const double expected = present.weight * present.weight / (present.classes[0] * present.classes[1]);
            const auto factor = [expected](double side, double a, double b) {
                return a * b > 0.0 ? std::min(expected, 0.5 * std::max(expected, side * side / (a * b))) : expected;
            };
            const double excess = ones - left * (present.classes[1] / present.weight);
            const double bound =
                excess * excess * (factor(left, zeros, ones) * right + factor(right, other_zeros, other_ones) * left);
            return bound < (gain + 0.5 * small) * left * right * weight * std::numbers::ln2;
        }

        template <class Mass>
        void weigh(std::size_t i, double left, const double* classes, const Mass& mass) {
            if (before < 0.0) before = present.mass(mass);
            double after = mass(left) + mass(present.weight - left);
            for (std::size_t k = 0; k < present.classes.size(); ++k)
                after -= mass(classes[k]) + mass(present.classes[k] - classes[k]);
            const double new_gain = per_row(before - after, weight);
            if (!(new_gain > gain + small)) return;
            gain = new_gain;
            position = static_cast<std::uint32_t>(i + 1);
            left_weight = left;
        }
    };

    // Two classes, the most common case: sums in registers, and the only branch that depends on the rows is the rare
    // one for a cut that may be better than the best so far.
    template <class Mass>
    static void search_two(const LabelledRows& rows, std::size_t c, std::size_t n, CutSearch& search,
                           const Mass& mass) {
        const Entry* const entries = rows.node.entries(c);
        const std::array<double, 2>* const parts = rows.parts.data();
        const double all = search.present.weight, least = search.least - small;
        const double share = search.present.classes[1] / all;
        if (!(share > 0.0) || !(share < 1.0)) return;  // one class
        const double per_excess = search.bits * (1.0 / (1.0 - share) + 1.0 / share);
        double ones = 0.0, left = 0.0, bar = 0.5 * small;
        std::uint32_t n_cuts = 0;
        for (std::size_t i = 0; i + 1 < n; ++i) {
            const std::array<double, 2>& part = parts[entries[i].row];
            left += part[0];
            ones += part[1];
            const double right = all - left;
            const bool cut = (entries[i].rank != entries[i + 1].rank) & (std::min(left, right) > least);
            n_cuts += cut;
            const double excess = ones - left * share;
            if (cut & !(excess * excess * per_excess < bar * left * right)) {
                bar = search.weigh(i, left, left - ones, ones, mass) + 0.5 * small;
            }
        }
        search.n_cuts = n_cuts;
    }

    // With unit weights, the first and the last cut are also known in advance.
    template <class Mass>
    static void search_two_whole(const LabelledRows& rows, std::size_t c, std::size_t n, CutSearch& search,
                                 const Mass& mass) {
        const Entry* const entries = rows.node.entries(c);
        const std::uint16_t* const label = rows.label;
        const double share = search.present.classes[1] / search.present.weight;
        if (!(share > 0.0) || !(share < 1.0)) return;  // one class
        const double per_excess = search.bits * (1.0 / (1.0 - share) + 1.0 / share);
        std::size_t first = 0, last = n - 1;
        while (first < last && !search.enough(static_cast<double>(first + 1))) ++first;
        while (last > first && !search.enough(static_cast<double>(n - last))) --last;
        double ones = 0.0, bar = 0.5 * small;
        for (std::size_t i = 0; i < first; ++i) ones += label[entries[i].row];
        std::uint32_t n_cuts = 0;
        for (std::size_t i = first; i < last; ++i) {
            ones += label[entries[i].row];
            const double left = static_cast<double>(i + 1), right = static_cast<double>(n - i - 1);
            const bool cut = entries[i].rank != entries[i + 1].rank;
            n_cuts += cut;
            const double excess = ones - left * share;
            if (cut & !(excess * excess * per_excess < bar * left * right))
                bar = search.weigh(i, left, left - ones, ones, mass) + 0.5 * small;
        }
        search.n_cuts = n_cuts;
    }

    template <class Mass>
    void search_any(const LabelledRows& rows, std::size_t c, std::size_t n, CutSearch& search, const Mass& mass,
                    Space& space) const {
        const Entry* const entries = rows.node.entries(c);
        const bool close = options_.cuts_at_values && close_[c];
        std::vector<double>&side = space.side, &expected = space.expected, &per_expected = space.per_expected;
        side.assign(n_classes_, 0.0);
        expected.assign(n_classes_, 0.0);
        per_expected.assign(n_classes_, 0.0);
        for (std::size_t k = 0; k < n_classes_; ++k) {
            expected[k] = search.present.classes[k] / search.present.weight;
            if (expected[k] > 0.0) per_expected[k] = 1.0 / expected[k];
        }
        double left = 0.0;
        for (std::size_t i = 0; i + 1 < n; ++i) {
            const std::uint32_t row = entries[i].row;
            const double w = rows.weight ? rows.weight[row] : 1.0;
            side[rows.label[row]] += w;
            left += w;
            if (entries[i].rank == entries[i + 1].rank || !search.enough(left)) continue;
            const double right = search.present.weight - left;
            if (!search.enough(right)) break;
            if (close && !far(rows.node.number(c, row), rows.node.number(c, entries[i + 1].row))) continue;
            ++search.n_cuts;
            double chi_square = 0.0;
            for (std::size_t k = 0; k < n_classes_; ++k) {
                const double excess = side[k] - left * expected[k];
                chi_square += excess * excess * per_expected[k];
            }
            if (search.bits * chi_square < (search.gain + 0.5 * small) * left * right) continue;  // never better
            search.weigh(i, left, side.data(), mass);
        }
    }

    // C4.5 does not separate numbers that differ by at most 1e-5.
    static bool far(double a, double b) { return a + 1e-5 < b; }

    // The midpoint; or, as in Weka, the largest number of the whole column less than the midpoint + 1e-6.
    double cut_at(const NodeRows& node, std::size_t c, std::size_t position) const {
        const Entry* entries = node.entries(c);
        const double cut =
            cut_between(node.number(c, entries[position - 1].row), node.number(c, entries[position].row), false);
        if (!options_.cuts_at_values) return cut;
        const std::vector<double>& values = values_[c];
        return *std::prev(
            std::partition_point(values.begin(), values.end(), [cut](double x) { return x - cut < 1e-6; }));
    }

    template <class Mass>
    ColumnScore levels(const LabelledRows& rows, std::size_t c, const Mass& mass, Space& space) const {
        Bags& bags = space.bags;
        Bag& part = space.part;
        const NodeRows& node = rows.node;
        bags.fill(node.codes(c), rows.label, rows.weight, rows.others, node.size(),
                  static_cast<std::size_t>(node.store->table->columns[c].n_levels()), n_classes_);
        const bool all = node.n_present(c) == node.size();
        if (!all) {
            part.clear(n_classes_);
            bags.sum_into(part);
        }
        const Bag& present = all ? rows.whole : part;
        ColumnScore score;
        score.constant = bags.present().size() < 2;
        if (score.constant) return score;
        if (options_.multiway)
            one_branch_per_level(bags, present, rows.whole.weight, mass, score);
        else
            one_level(bags, present, rows.whole.weight, mass, score);
        return score;
    }

    bool enough(double weight) const { return weight + small > options_.min_branch && weight > 0.0; }

    // Two branches must be large enough; the others may have any size.
    template <class Mass>
    void one_branch_per_level(const Bags& bags, const Bag& present, double weight, const Mass& mass,
                              ColumnScore& score) const {
        if (std::count_if(bags.present().begin(), bags.present().end(),
                          [&](std::uint32_t l) { return enough(bags.weight(l)); }) < 2)
            return;
        score.usable = true;
        double left_over = 0.0, information = 0.0, placed = 0.0;
        for (const std::uint32_t l : bags.present()) {
            left_over += bags.mass(l, mass);
            information += mass(bags.weight(l));
            placed += bags.weight(l);
        }
        score.decrease = score.gain = per_row(present.mass(mass) - left_over, weight);
        score.ratio = ratio(score.gain, information, weight, placed, mass);
    }

    // The best single level against all others (C4.5's binary splits), by ratio.
    template <class Mass>
    void one_level(const Bags& bags, const Bag& present, double weight, const Mass& mass, ColumnScore& best) const {
        const double before = present.mass(mass);
        for (const std::uint32_t l : bags.present()) {
            const double level_weight = bags.weight(l), others = present.weight - level_weight;
            if (!enough(level_weight) || !enough(others)) continue;
            best.usable = true;
            const double gain = per_row(before - (bags.mass(l, mass) + bags.rest_mass(l, present, mass)), weight);
            const double of_level = ratio(gain, mass(level_weight) + mass(others), weight, level_weight + others, mass);
            if (!(of_level > best.ratio + small)) continue;
            best.level = l;
            best.decrease = best.gain = gain;
            best.ratio = of_level;
        }
    }

    // The split with this score: its cut, or the branch of each level.
    Candidate split_of(const LabelledRows& rows, const ColumnScore& score) const {
        Candidate split;
        split.column = static_cast<std::int32_t>(score.column);
        split.gain = score.decrease * rows.whole.weight;
        split.kind = score.cut ? Kind::cut : Kind::levels;
        split.position = score.position;
        if (score.cut)
            split.cut = cut_at(rows.node, score.column, score.position);
        else
            place_levels(rows.node, score, split);
        return split;
    }

    void place_levels(const NodeRows& node, const ColumnScore& score, Candidate& split) const {
        const std::size_t c = score.column,
                          n_levels = static_cast<std::size_t>(node.store->table->columns[c].n_levels());
        // One level against the others: levels that do not occur in the node are also others, and rows that reach the
        // node later (subtree raising, prediction) go with them.
        std::vector<std::uint8_t> present(n_levels, options_.empty_branches || !options_.multiway);
        for (std::uint32_t i = 0; i < node.size(); ++i)
            if (node.codes(c)[i] >= 0) present[node.codes(c)[i]] = 1;
        std::vector<LevelBranch>& placed = split.levels;
        placed.reserve(static_cast<std::size_t>(std::count(present.begin(), present.end(), 1)));
        for (std::size_t l = 0; l < n_levels; ++l) {
            if (!present[l]) continue;
            const std::size_t branch = options_.multiway ? placed.size() : l != score.level;
            placed.push_back({static_cast<std::int32_t>(l), static_cast<std::int32_t>(branch)});
        }
        if (options_.multiway)
            split.n_branches = static_cast<int>(placed.size());
        else if (placed.front().branch == 1)  // branch 0 always contains the first level
            for (LevelBranch& level : placed) level.branch = 1 - level.branch;
    }

    // Columns with about the average gain or more, by descending ratio. A later column must be better to come first.
    std::vector<Candidate> ranked(const LabelledRows& rows, std::vector<ColumnScore> scores) const {
        std::erase_if(scores, [](const ColumnScore& o) { return !o.usable; });
        double sum = 0.0, n = 0.0;
        for (const ColumnScore& score : scores) {
            if (!all_many_ && many_levels_[score.column]) continue;
            sum += score.gain;
            n += 1.0;
        }
        if (n == 0.0) return {};
        std::erase_if(scores,
                      [&](const ColumnScore& o) { return o.gain < sum / n - average_slack || merit(o) < small; });
        if (scores.empty()) return {};
        std::size_t best = 0;
        for (std::size_t i = 1; i < scores.size(); ++i)
            if (merit(scores[i]) > merit(scores[best]) + small) best = i;
        std::rotate(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(best),
                    scores.begin() + static_cast<std::ptrdiff_t>(best) + 1);
        std::vector<double> falling{-std::numeric_limits<double>::infinity()};
        for (std::size_t i = 1; i < scores.size(); ++i) falling.push_back(-merit(scores[i]));
        base::sort_by(falling, scores);
        scores.resize(std::min(scores.size(), static_cast<std::size_t>(options_.max_competitors) + 1));
        std::vector<Candidate> splits;
        for (const ColumnScore& score : scores) splits.push_back(split_of(rows, score));
        return splits;
    }

    double merit(const ColumnScore& score) const {
        return options_.column_cost.empty() ? score.ratio : score.ratio / options_.column_cost[score.column];
    }

    SearchOptions options_;
    std::vector<Space> spaces_;
    WholeMass whole_mass_;
    std::size_t n_classes_, n_rows_;
    std::vector<std::uint8_t> many_levels_;  // nearly one level per row: these columns do not count in the average
    bool all_many_ = false;
    std::vector<std::vector<double>> values_;  // numeric columns: the values of the whole table, ascending
    std::vector<std::uint8_t> close_;          // whether any two of them are too close to be separated
};

}  // namespace

std::unique_ptr<SplitFinder> make_gain_ratio_finder(const NodeRows& root, const SearchOptions& options, int n_threads) {
    return std::make_unique<GainRatioFinder>(root, options, n_threads);
}

}  // namespace ceiba::split
