#include "split/gain_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "split/presort_finder.hpp"

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
    void add(const Bag& other, double sign = 1.0) {
        for (std::size_t k = 0; k < classes.size(); ++k) classes[k] += sign * other.classes[k];
        weight += sign * other.weight;
    }
    double entropy_mass() const {
        double sum = mass(weight);
        for (double c : classes) sum -= mass(c);
        return sum;
    }
};

struct Offer {
    Candidate split;
    double gain = 0.0;   // bits, after what a cut pays
    double ratio = 0.0;  // gain over split information
    bool usable = false;
    bool many_levels = false;  // nearly every row its own level: stays out of the average
};

class GainRatioFinder final : public SplitFinder {
public:
    GainRatioFinder(const NodeRows& root, SearchOptions options)
        : options_(std::move(options)),
          n_classes_(static_cast<std::size_t>(root.store->target.n_classes[0])),
          n_rows_(root.size()) {
        if (!options_.cuts_at_values) return;
        values_.resize(root.store->sorted.size());
        for (std::size_t c = 0; c < values_.size(); ++c) {
            if (!root.store->codes[c].empty()) continue;
            for (std::size_t i = 0; i < root.n_present(c); ++i)
                if (i == 0 || root.entries(c)[i].rank != root.entries(c)[i - 1].rank)
                    values_[c].push_back(root.number(c, root.entries(c)[i].row));
        }
    }

    std::vector<Candidate> find(NodeRows& node, const NodeContext&, base::ThreadPool* pool, int) override {
        const Bag whole = count_all(node);
        if (whole.weight - *std::max_element(whole.classes.begin(), whole.classes.end()) < small) return {};
        std::vector<Offer> offers(node.store->sorted.size());
        const auto search = [&](std::size_t c, int) {
            offers[c] = node.store->codes[c].empty() ? best_cut(node, c, whole.weight) : levels(node, c, whole.weight);
            offers[c].split.column = static_cast<std::int32_t>(c);
        };
        if (pool)
            pool->run(offers.size(), search);
        else
            for (std::size_t c = 0; c < offers.size(); ++c) search(c, 0);
        return ranked(std::move(offers));
    }

private:
    double row_weight(const NodeRows& node, std::uint32_t row) const {
        return node.store->target.weight_of(node.begin + row);
    }
    std::size_t row_class(const NodeRows& node, std::uint32_t row) const {
        return node.store->target.labels[0][node.begin + row];
    }

    Bag count_all(const NodeRows& node) const {
        Bag bag(n_classes_);
        for (std::uint32_t i = 0; i < node.size(); ++i) bag.add(row_class(node, i), row_weight(node, i));
        return bag;
    }

    // Rows x bits that the branches save, over the weight of the node.
    static double gain_of(const Bag& known, double left_over, double weight) {
        const double decrease = known.entropy_mass() - left_over;
        return decrease < small ? 0.0 : decrease / weight;
    }

    static void set_ratio(Offer& offer, const std::vector<double>& sizes, double weight) {
        double information = mass(weight), known = 0.0;
        for (double size : sizes) {
            information -= mass(size);
            known += size;
        }
        information -= mass(weight - known);
        offer.ratio = information < small ? 0.0 : offer.gain / (information / weight);
    }

    Offer best_cut(const NodeRows& node, std::size_t c, double weight) const {
        Offer offer;
        const Entry* entries = node.entries(c);
        const std::size_t n = node.n_present(c);
        Bag known(n_classes_), left(n_classes_);
        for (std::size_t i = 0; i < n; ++i)
            known.add(row_class(node, entries[i].row), row_weight(node, entries[i].row));
        const double tenth = 0.1 * known.weight / static_cast<double>(n_classes_);
        const double least = tenth < options_.min_branch + small ? options_.min_branch : std::min(tenth, 25.0);
        if (static_cast<double>(n) + small < 2.0 * least) return offer;
        Bag right = known;
        double best_left = 0.0, n_cuts = 0.0;
        for (std::size_t i = 0; i + 1 < n; ++i) {
            const std::size_t k = row_class(node, entries[i].row);
            const double w = row_weight(node, entries[i].row);
            left.add(k, w);
            right.add(k, -w);
            if (entries[i].rank == entries[i + 1].rank || left.weight + small <= least ||
                right.weight + small <= least || !apart(node, c, entries[i].row, entries[i + 1].row))
                continue;
            n_cuts += 1.0;
            const double gain = gain_of(known, left.entropy_mass() + right.entropy_mass(), weight);
            if (gain > offer.gain + small) {
                offer.gain = gain;
                offer.split.position = static_cast<std::uint32_t>(i + 1);
                best_left = left.weight;
            }
        }
        if (offer.split.position == 0) return offer;
        offer.split.gain = offer.gain * weight;
        offer.gain -= std::log2(n_cuts) / weight;
        if (offer.gain < small) return offer;
        offer.usable = true;
        offer.split.kind = Kind::cut;
        offer.split.cut = cut_at(node, c, offer.split.position);
        set_ratio(offer, {best_left, known.weight - best_left}, weight);
        return offer;
    }

    // C4.5 does not part numbers that are closer than 1e-5.
    bool apart(const NodeRows& node, std::size_t c, std::uint32_t row, std::uint32_t next) const {
        return !options_.cuts_at_values || node.number(c, row) + 1e-5 < node.number(c, next);
    }

    // The midpoint, or the largest number of the whole column that is not above it.
    double cut_at(const NodeRows& node, std::size_t c, std::size_t position) const {
        const Entry* entries = node.entries(c);
        const double cut =
            cut_between(node.number(c, entries[position - 1].row), node.number(c, entries[position].row), false);
        if (!options_.cuts_at_values) return cut;
        return *std::prev(std::upper_bound(values_[c].begin(), values_[c].end(), cut));
    }

    Offer levels(const NodeRows& node, std::size_t c, double weight) const {
        const std::size_t n_levels = static_cast<std::size_t>(node.store->table->columns[c].n_levels());
        std::vector<Bag> bags(n_levels, Bag(n_classes_));
        Bag known(n_classes_);
        const std::int32_t* codes = node.codes(c);
        for (std::uint32_t i = 0; i < node.size(); ++i) {
            if (codes[i] < 0) continue;
            const std::size_t k = row_class(node, i);
            bags[static_cast<std::size_t>(codes[i])].add(k, row_weight(node, i));
            known.add(k, row_weight(node, i));
        }
        Offer offer = options_.multiway ? one_branch_per_level(bags, known, weight) : one_level(bags, known, weight);
        offer.many_levels = static_cast<double>(n_levels) + small >= 0.3 * static_cast<double>(n_rows_);
        return offer;
    }

    bool enough(const Bag& bag) const { return bag.weight + small > options_.min_branch && bag.weight > 0.0; }

    // Two branches must be large enough; the others may be as small as they are.
    Offer one_branch_per_level(const std::vector<Bag>& bags, const Bag& known, double weight) const {
        Offer offer;
        if (std::count_if(bags.begin(), bags.end(), [this](const Bag& b) { return enough(b); }) < 2) return offer;
        offer.usable = true;
        double left_over = 0.0;
        std::vector<double> sizes;
        for (std::size_t l = 0; l < bags.size(); ++l) {
            left_over += bags[l].entropy_mass();
            sizes.push_back(bags[l].weight);
            if (bags[l].weight > 0.0 || options_.empty_branches)
                offer.split.levels.push_back(
                    {static_cast<std::int32_t>(l), static_cast<std::int32_t>(offer.split.levels.size())});
        }
        offer.gain = gain_of(known, left_over, weight);
        offer.split.gain = offer.gain * weight;
        offer.split.kind = Kind::levels;
        offer.split.n_branches = static_cast<int>(offer.split.levels.size());
        set_ratio(offer, sizes, weight);
        return offer;
    }

    // The best single level against all others (C4.5's binary splits): the level with the largest ratio.
    Offer one_level(const std::vector<Bag>& bags, const Bag& known, double weight) const {
        Offer best;
        std::size_t chosen = 0;
        for (std::size_t l = 0; l < bags.size(); ++l) {
            Bag rest = known;
            rest.add(bags[l], -1.0);
            if (!enough(bags[l]) || !enough(rest)) continue;
            Offer offer;
            offer.usable = best.usable = true;
            offer.gain = gain_of(known, bags[l].entropy_mass() + rest.entropy_mass(), weight);
            set_ratio(offer, {bags[l].weight, rest.weight}, weight);
            if (!(offer.ratio > best.ratio + small)) continue;
            chosen = l;
            best = std::move(offer);
        }
        if (!best.usable) return best;
        best.split.gain = best.gain * weight;
        best.split.kind = Kind::levels;
        std::vector<LevelBranch>& placed = best.split.levels;
        for (std::size_t l = 0; l < bags.size(); ++l)
            if (bags[l].weight > 0.0 || options_.empty_branches)
                placed.push_back({static_cast<std::int32_t>(l), l == chosen ? 0 : 1});
        if (placed.front().branch == 1)  // branch 0 holds the first level, always
            for (LevelBranch& level : placed) level.branch = 1 - level.branch;
        return best;
    }

    // Columns with about the average gain or more, by falling ratio; a later column must be better.
    std::vector<Candidate> ranked(std::vector<Offer> offers) const {
        const bool all_many = std::all_of(offers.begin(), offers.end(), [](const Offer& o) { return o.many_levels; });
        std::erase_if(offers, [](const Offer& o) { return !o.usable; });
        double sum = 0.0, n = 0.0;
        for (const Offer& offer : offers) {
            if (offer.many_levels && !all_many) continue;
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
        for (Offer& offer : offers) found.push_back(std::move(offer.split));
        return found;
    }

    double merit(const Offer& offer) const {
        const std::size_t c = static_cast<std::size_t>(offer.split.column);
        return options_.column_cost.empty() ? offer.ratio : offer.ratio / options_.column_cost[c];
    }

    SearchOptions options_;
    std::size_t n_classes_, n_rows_;
    std::vector<std::vector<double>> values_;  // per column of numbers: the values of the whole table, ascending
};

}  // namespace

std::unique_ptr<SplitFinder> make_gain_ratio_finder(const NodeRows& root, const SearchOptions& options) {
    return std::make_unique<GainRatioFinder>(root, options);
}

}  // namespace ceiba::split
