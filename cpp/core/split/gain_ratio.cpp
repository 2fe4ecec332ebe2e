#include "split/gain_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "split/cut.hpp"

namespace ceiba::split {

namespace {

// What C4.5 takes for equal: weights, gains and ratios are of the order of 1.
constexpr double small = 1e-6;
// A gain may be so much below the average of the columns.
constexpr double average_slack = 1e-3;

double mass(double x) { return x < small ? 0.0 : x * std::log2(x); }

// Class weights of some rows.
struct Bag {
    std::vector<double> classes;
    double weight = 0.0;

    explicit Bag(std::size_t n_classes) : classes(n_classes, 0.0) {}

    void add(std::size_t k, double w) {
        classes[k] += w;
        weight += w;
    }
    double entropy_mass() const {
        double sum = mass(weight);
        for (double c : classes) sum -= mass(c);
        return sum;
    }
};

// The bags of all levels of a column, side by side.
struct Bags {
    std::vector<double> cells, weight;
    std::size_t n_classes = 0;

    void clear(std::size_t n_levels, std::size_t of_classes) {
        n_classes = of_classes;
        cells.assign(n_levels * n_classes, 0.0);
        weight.assign(n_levels, 0.0);
    }

    void add(std::size_t level, std::size_t k, double w) {
        cells[level * n_classes + k] += w;
        weight[level] += w;
    }
    double entropy_mass(std::size_t level) const {
        if (weight[level] <= 0.0) return 0.0;
        double sum = mass(weight[level]);
        for (std::size_t k = 0; k < n_classes; ++k) sum -= mass(cells[level * n_classes + k]);
        return sum;
    }
    double rest_entropy_mass(std::size_t level, const Bag& known) const {
        double sum = mass(known.weight - weight[level]);
        for (std::size_t k = 0; k < n_classes; ++k) sum -= mass(known.classes[k] - cells[level * n_classes + k]);
        return sum;
    }
    std::size_t size() const { return weight.size(); }
};

struct Offer {
    Candidate split;
    double gain = 0.0;      // bits, after what a cut pays
    double ratio = 0.0;     // gain over split information
    std::size_t level = 0;  // one level against the rest: that level
    bool usable = false;
    bool constant = false;  // one value at most
};

class GainRatioFinder final : public SplitFinder {
public:
    GainRatioFinder(const NodeRows& root, SearchOptions options)
        : options_(std::move(options)),
          n_classes_(static_cast<std::size_t>(root.store->target.n_classes[0])),
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
            if (!root.store->codes[c].empty()) continue;
            for (std::size_t i = 0; i < root.n_present(c); ++i)
                if (i == 0 || root.entries(c)[i].rank != root.entries(c)[i - 1].rank)
                    values_[c].push_back(root.number(c, root.entries(c)[i].row));
            close_[c] = std::adjacent_find(values_[c].begin(), values_[c].end(),
                                           [](double a, double b) { return !far(a, b); }) != values_[c].end();
        }
    }

    std::vector<Candidate> find(NodeRows& node, const NodeContext&, base::ThreadPool* pool, int) override {
        const Bag whole = count_all(node);
        if (whole.weight - *std::max_element(whole.classes.begin(), whole.classes.end()) < small) return {};
        const std::vector<std::uint32_t>* live = node.live.get();
        std::vector<Offer> offers(live ? live->size() : node.store->sorted.size());
        const auto search = [&](std::size_t i, int) {
            const std::size_t c = live ? (*live)[i] : i;
            offers[i] = node.store->codes[c].empty() ? best_cut(node, c, whole) : levels(node, c, whole);
            offers[i].split.column = static_cast<std::int32_t>(c);
        };
        if (pool)
            pool->run(offers.size(), search);
        else
            for (std::size_t i = 0; i < offers.size(); ++i) search(i, 0);
        forget_constants(node, offers);
        return ranked(node, std::move(offers));
    }

private:
    // Columns with one value in a node have one in all nodes below it. (Surrogates look at all columns.)
    void forget_constants(NodeRows& node, const std::vector<Offer>& offers) const {
        if (options_.missing == Missing::surrogate) return;
        std::vector<std::uint32_t> left;
        for (const Offer& offer : offers)
            if (!offer.constant) left.push_back(static_cast<std::uint32_t>(offer.split.column));
        if (left.size() < offers.size())
            node.live = std::make_shared<const std::vector<std::uint32_t>>(std::move(left));
    }

    // Class and weight of the rows of a node.
    struct Rows {
        explicit Rows(const NodeRows& node)
            : label(node.store->target.labels[0].data() + node.begin),
              weight(node.store->target.weight.empty() ? nullptr : node.store->target.weight.data() + node.begin) {}
        const std::uint16_t* label;
        const double* weight;
        double weight_of(std::uint32_t row) const { return weight ? weight[row] : 1.0; }
    };

    Bag count_all(const NodeRows& node) const {
        Bag bag(n_classes_);
        const Rows rows(node);
        for (std::uint32_t i = 0; i < node.size(); ++i) bag.add(rows.label[i], rows.weight_of(i));
        return bag;
    }

    static double per_row(double decrease, double weight) { return decrease < small ? 0.0 : decrease / weight; }

    static void set_ratio(Offer& offer, const double* sizes, std::size_t n, double weight) {
        double information = mass(weight), known = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            information -= mass(sizes[i]);
            known += sizes[i];
        }
        information -= mass(weight - known);
        offer.ratio = information < small ? 0.0 : offer.gain / (information / weight);
    }

    Offer best_cut(const NodeRows& node, std::size_t c, const Bag& whole) const {
        Offer offer;
        const Entry* entries = node.entries(c);
        const std::size_t n = node.n_present(c);
        offer.constant = n == 0 || entries[0].rank == entries[n - 1].rank;
        if (offer.constant) return offer;
        const Rows rows(node);
        Bag part(n < node.size() ? n_classes_ : 0);
        if (n < node.size())
            for (std::size_t i = 0; i < n; ++i) part.add(rows.label[entries[i].row], rows.weight_of(entries[i].row));
        const Bag& known = n < node.size() ? part : whole;
        const double tenth = 0.1 * known.weight / static_cast<double>(n_classes_);
        const double least = tenth < options_.min_branch + small ? options_.min_branch : std::min(tenth, 25.0);
        if (static_cast<double>(n) + small < 2.0 * least) return offer;
        const double before = known.entropy_mass(), weight = whole.weight;
        const bool close = options_.cuts_at_values && close_[c];
        thread_local std::vector<double> left, expected, per_expected;
        left.assign(n_classes_, 0.0);
        expected.assign(n_classes_, 0.0);
        per_expected.assign(n_classes_, 0.0);
        for (std::size_t k = 0; k < n_classes_; ++k) {
            expected[k] = known.classes[k] / known.weight;
            if (expected[k] > 0.0) per_expected[k] = 1.0 / expected[k];
        }
        // In nats the gain is at most chi-square over the weight: Kullback-Leibler is at most chi-square divergence.
        const double bits = known.weight / (weight * std::numbers::ln2);
        double left_weight = 0.0, best_left = 0.0, n_cuts = 0.0;
        const auto weigh = [&](std::size_t i, double right_weight) {
            double after = mass(left_weight) + mass(right_weight);
            for (std::size_t k = 0; k < n_classes_; ++k) after -= mass(left[k]) + mass(known.classes[k] - left[k]);
            const double gain = per_row(before - after, weight);
            if (gain > offer.gain + small) {
                offer.gain = gain;
                offer.split.position = static_cast<std::uint32_t>(i + 1);
                best_left = left_weight;
            }
        };
        if (n_classes_ == 2 && !close) {  // the commonest case, with its sums in registers
            const double share = expected[1], per_excess = bits * (per_expected[0] + per_expected[1]);
            double zeros = 0.0, ones = 0.0;
            for (std::size_t i = 0; i + 1 < n; ++i) {
                const std::uint32_t row = entries[i].row;
                const double w = rows.weight_of(row), of_one = rows.label[row] ? w : 0.0;
                zeros += w - of_one;
                ones += of_one;
                left_weight += w;
                if (entries[i].rank == entries[i + 1].rank || left_weight + small <= least) continue;
                const double right_weight = known.weight - left_weight;
                if (right_weight + small <= least) break;
                n_cuts += 1.0;
                const double excess = ones - left_weight * share;
                if (excess * excess * per_excess < (offer.gain + 0.5 * small) * left_weight * right_weight) continue;
                left[0] = zeros;
                left[1] = ones;
                weigh(i, right_weight);
            }
        } else {
            for (std::size_t i = 0; i + 1 < n; ++i) {
                const std::uint32_t row = entries[i].row;
                const double w = rows.weight_of(row);
                left[rows.label[row]] += w;
                left_weight += w;
                if (entries[i].rank == entries[i + 1].rank || left_weight + small <= least) continue;
                const double right_weight = known.weight - left_weight;
                if (right_weight + small <= least) break;
                if (close && !far(node.number(c, row), node.number(c, entries[i + 1].row))) continue;
                n_cuts += 1.0;
                double apart = 0.0;
                for (std::size_t k = 0; k < n_classes_; ++k) {
                    const double excess = left[k] - left_weight * expected[k];
                    apart += excess * excess * per_expected[k];
                }
                if (bits * apart < (offer.gain + 0.5 * small) * left_weight * right_weight) continue;  // never better
                weigh(i, right_weight);
            }
        }
        if (offer.split.position == 0) return offer;
        offer.split.gain = offer.gain * weight;
        offer.gain -= std::log2(n_cuts) / weight;
        if (offer.gain < small) return offer;
        offer.usable = true;
        offer.split.kind = Kind::cut;
        const double sizes[] = {best_left, known.weight - best_left};
        set_ratio(offer, sizes, 2, weight);
        return offer;
    }

    // C4.5 does not part numbers that are closer than 1e-5.
    static bool far(double a, double b) { return a + 1e-5 < b; }

    // The midpoint, or the largest number of the whole column that is not above it.
    double cut_at(const NodeRows& node, std::size_t c, std::size_t position) const {
        const Entry* entries = node.entries(c);
        const double cut =
            cut_between(node.number(c, entries[position - 1].row), node.number(c, entries[position].row), false);
        if (!options_.cuts_at_values) return cut;
        return *std::prev(std::upper_bound(values_[c].begin(), values_[c].end(), cut));
    }

    Offer levels(const NodeRows& node, std::size_t c, const Bag& whole) const {
        thread_local Bags bags;  // most nodes are tiny: asking for memory would take longer than counting
        bags.clear(static_cast<std::size_t>(node.store->table->columns[c].n_levels()), n_classes_);
        const double weight = whole.weight;
        const Rows rows(node);
        const std::int32_t* codes = node.codes(c);
        const bool all = node.n_present(c) == node.size();
        Bag part(all ? 0 : n_classes_);
        for (std::uint32_t i = 0; i < node.size(); ++i) {
            if (codes[i] < 0) continue;
            const std::size_t k = rows.label[i];
            const double w = rows.weight_of(i);
            bags.add(static_cast<std::size_t>(codes[i]), k, w);
            if (!all) part.add(k, w);
        }
        const Bag& known = all ? whole : part;
        Offer offer = options_.multiway ? one_branch_per_level(bags, known, weight) : one_level(bags, known, weight);
        offer.constant = std::count_if(bags.weight.begin(), bags.weight.end(), [](double w) { return w > 0.0; }) < 2;
        return offer;
    }

    bool enough(double weight) const { return weight + small > options_.min_branch && weight > 0.0; }

    // Two branches must be large enough; the others may be as small as they are.
    Offer one_branch_per_level(const Bags& bags, const Bag& known, double weight) const {
        Offer offer;
        if (std::count_if(bags.weight.begin(), bags.weight.end(), [this](double w) { return enough(w); }) < 2)
            return offer;
        offer.usable = true;
        double left_over = 0.0;
        for (std::size_t l = 0; l < bags.size(); ++l) left_over += bags.entropy_mass(l);
        offer.gain = per_row(known.entropy_mass() - left_over, weight);
        offer.split.gain = offer.gain * weight;
        offer.split.kind = Kind::levels;
        set_ratio(offer, bags.weight.data(), bags.size(), weight);
        return offer;
    }

    // The best single level against all others (C4.5's binary splits): the level with the largest ratio.
    Offer one_level(const Bags& bags, const Bag& known, double weight) const {
        Offer best;
        const double before = known.entropy_mass();
        for (std::size_t l = 0; l < bags.size(); ++l) {
            const double sizes[] = {bags.weight[l], known.weight - bags.weight[l]};
            if (!enough(sizes[0]) || !enough(sizes[1])) continue;
            Offer offer;
            offer.usable = best.usable = true;
            offer.gain = per_row(before - (bags.entropy_mass(l) + bags.rest_entropy_mass(l, known)), weight);
            set_ratio(offer, sizes, 2, weight);
            if (!(offer.ratio > best.ratio + small)) continue;
            offer.level = l;
            best = std::move(offer);
        }
        best.split.gain = best.gain * weight;
        best.split.kind = Kind::levels;
        return best;
    }

    // What only a split that is kept must know: its cut, or the branch of each level.
    void complete(const NodeRows& node, Offer& offer) const {
        const std::size_t c = static_cast<std::size_t>(offer.split.column);
        if (offer.split.kind == Kind::cut) {
            offer.split.cut = cut_at(node, c, offer.split.position);
            return;
        }
        const std::size_t n_levels = static_cast<std::size_t>(node.store->table->columns[c].n_levels());
        std::vector<std::uint8_t> there(n_levels, options_.empty_branches);
        for (std::uint32_t i = 0; i < node.size(); ++i)
            if (node.codes(c)[i] >= 0) there[static_cast<std::size_t>(node.codes(c)[i])] = 1;
        std::vector<LevelBranch>& placed = offer.split.levels;
        for (std::size_t l = 0; l < n_levels; ++l) {
            if (!there[l]) continue;
            const std::size_t branch = options_.multiway ? placed.size() : l != offer.level;
            placed.push_back({static_cast<std::int32_t>(l), static_cast<std::int32_t>(branch)});
        }
        if (options_.multiway)
            offer.split.n_branches = static_cast<int>(placed.size());
        else if (placed.front().branch == 1)  // branch 0 holds the first level, always
            for (LevelBranch& level : placed) level.branch = 1 - level.branch;
    }

    // Columns with about the average gain or more, by falling ratio; a later column must be better.
    std::vector<Candidate> ranked(const NodeRows& node, std::vector<Offer> offers) const {
        std::erase_if(offers, [](const Offer& o) { return !o.usable; });
        double sum = 0.0, n = 0.0;
        for (const Offer& offer : offers) {
            if (!all_many_ && many_levels_[static_cast<std::size_t>(offer.split.column)]) continue;
            sum += offer.gain;
            n += 1.0;
        }
        if (n == 0.0) return {};
        std::erase_if(offers, [&](const Offer& o) { return o.gain < sum / n - average_slack || merit(o) < small; });
        if (offers.empty()) return {};
        std::size_t best = 0;
        for (std::size_t i = 1; i < offers.size(); ++i)
            if (merit(offers[i]) > merit(offers[best]) + small) best = i;
        std::rotate(offers.begin(), offers.begin() + static_cast<std::ptrdiff_t>(best),
                    offers.begin() + static_cast<std::ptrdiff_t>(best) + 1);
        std::stable_sort(offers.begin() + 1, offers.end(),
                         [&](const Offer& a, const Offer& b) { return merit(b) < merit(a); });
        offers.resize(std::min(offers.size(), static_cast<std::size_t>(options_.max_competitors) + 1));
        std::vector<Candidate> found;
        for (Offer& offer : offers) {
            complete(node, offer);
            found.push_back(std::move(offer.split));
        }
        return found;
    }

    double merit(const Offer& offer) const {
        const std::size_t c = static_cast<std::size_t>(offer.split.column);
        return options_.column_cost.empty() ? offer.ratio : offer.ratio / options_.column_cost[c];
    }

    SearchOptions options_;
    std::size_t n_classes_, n_rows_;
    std::vector<std::uint8_t> many_levels_;  // nearly every row its own level: such a column stays out of the average
    bool all_many_ = false;
    std::vector<std::vector<double>> values_;  // per column of numbers: the values of the whole table, ascending ...
    std::vector<std::uint8_t> close_;          // ... and whether any two of them are too close to be parted
};

}  // namespace

std::unique_ptr<SplitFinder> make_gain_ratio_finder(const NodeRows& root, const SearchOptions& options) {
    return std::make_unique<GainRatioFinder>(root, options);
}

}  // namespace ceiba::split
