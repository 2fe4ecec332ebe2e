// The survey of a node (survey.hpp) for a statistic S of the target, a criterion C and its bounds B.
#pragma once

#include "base/expansion.hpp"
#include "criteria/class_criteria.hpp"
#include "shards/survey/level_counts.hpp"
#include "shards/survey/strip.hpp"
#include "shards/survey/survey.hpp"
#include "split/candidate.hpp"
#include "split/scan/cut_scan.hpp"
#include "split/scan/merit.hpp"
#include "split/survey/marks.hpp"

namespace ceiba::shards {

template <class S, class C, class B>
class NodeSurvey final : public Survey {
    using D = typename S::Division;
    static constexpr double no_floor = split::no_floor;

public:
    NodeSurvey(const Layout& layout, const split::SearchOptions& options, const split::NodeContext& context,
               const C& criterion, const B& bounds, const Words& counts, std::size_t fetch_rows)
        : layout_(layout),
          options_(options),
          context_(context),
          statistic_(layout.shape, options),
          criterion_(criterion),
          bounds_(bounds),
          fetch_rows_(static_cast<double>(fetch_rows)) {
        const std::size_t width = layout.shape.width();
        strips_.resize(layout.column.size());
        for (std::size_t c = 0; c < layout.column.size(); ++c) {
            const ColumnLayout& column = layout.column[c];
            const std::span<const std::uint64_t> cells(counts.data() + column.first_cell * width,
                                                       column.n_cells() * width);
            if (column.levels())
                search_levels(c, cells, width);
            else if (Strip<S> strip(statistic_, column, cells, width, options.missing == split::Missing::learn);
                     strip.can_be_cut())
                strips_[c].emplace(std::move(strip));
        }
    }

    void ask(std::size_t node, double most_words, std::vector<StretchAsk>& zoom,
             std::vector<StretchAsk>& fetch) override {
        raise_floor();
        asked_.resize(strips_.size());
        std::vector<Hopeful> hopeful;
        for (std::size_t c = 0; c < strips_.size(); ++c)
            if (strips_[c]) may_win(c, hopeful);
        const bool zooms = choose(hopeful, fetch_rows_, most_words, layout_.shape.width(), asked_);
        for (std::size_t c = 0; c < strips_.size(); ++c)
            for (std::size_t i : asked_[c])
                (zooms ? zoom : fetch).push_back({node, c, (*strips_[c])[i].low, (*strips_[c])[i].high});
    }
    void take_zoom(Reader& in) override {
        for (std::size_t c = 0; c < strips_.size(); ++c)
            if (!asked_[c].empty()) strips_[c]->take_parts(asked_[c], in);
    }
    void take_fetch(Reader& in) override {
        for (std::size_t c = 0; c < strips_.size(); ++c)
            if (!asked_[c].empty()) strips_[c]->take_runs(asked_[c], in);
    }

    SurveyedSplit decide() override {
        raise_floor();
        for (std::size_t c = 0; c < strips_.size(); ++c)
            if (strips_[c]) examine(c);
        // Ties go to the lowest column: a later one must be better, however little.
        const Found* best = nullptr;
        for (const Found* one : by_column(found_))
            if (!best || better(*one, *best)) best = one;
        return best ? best->split : SurveyedSplit{};
    }

private:
    double cost(std::size_t c) const { return split::cost_of(c, options_); }
    split::Limits limits_of(std::size_t c) const {
        split::Limits limits{options_.min_rows, options_.min_weight, 0, context_.low, context_.high};
        if (!options_.monotone.empty()) limits.monotone = options_.monotone[c];
        return limits;
    }
    void lift(double floor) { floor_ = std::max(floor_, floor); }

    void search_levels(std::size_t c, std::span<const std::uint64_t> cells, std::size_t width) {
        LevelSurvey<S, C> levels(statistic_, criterion_, options_, cells, width);
        Found found;
        found.split.split = levels.search(limits_of(c), found.split.branches);
        if (!found.split.split.found()) return;
        found.split.split.column = static_cast<std::int32_t>(c);
        found.split.n_missing = levels.n_missing();
        found.split.missing = found.split.split.learned_missing ? Words(width, 0) : levels.missing();
        found.total.assign(width, 0);
        for (const Words& branch : found.split.branches)
            for (std::size_t w = 0; w < width; ++w) found.total[w] += branch[w];
        lift(split::floor_of(found.split.split, options_));
        found_.push_back(std::move(found));
    }

    // Makes the bounds those of a column.
    void turn_to(const Strip<S>& strip) {
        const double weight = statistic_.sums(strip.total_fields()).weight;
        doubt_ = statistic_.doubt(weight, strip.size());
        bounds_.begin(strip.total_fields(), statistic_.n_fields(), strip.n_rows(), doubt_.weight, doubt_.sum);
    }

    double highest_gain(const double* left) const {
        return criteria::with_chosen(bounds_, [left](const auto& own) { return own.gain(left).high; });
    }

    // The best gain that is certain, from the boundaries of all stretches.
    void raise_floor() {
        double best = no_floor;
        for (std::size_t c = 0; c < strips_.size(); ++c) {
            if (!strips_[c]) continue;
            Strip<S>& strip = *strips_[c];
            turn_to(strip);
            const split::Limits limits = limits_of(c);
            const split::Doubt all{doubt_.weight * static_cast<double>(statistic_.n_fields()), doubt_.sum,
                                   doubt_.centre};
            const auto allowed = [&](double, double) {
                return split::surely_allowed(statistic_.sums(strip.left()), statistic_.sums(strip.total_fields()), all,
                                             limits);
            };
            const double gain = criteria::with_chosen(
                bounds_, [&](const auto& own) { return split::surest_gain(strip, own, limits, allowed); });
            best = std::max(best, gain / cost(c));
        }
        if (best != no_floor) lift(split::lowered(best));
    }

    // Adds the stretches of a column inside which a cut may reach the floor, and joins the others where nothing can.
    void may_win(std::size_t c, std::vector<Hopeful>& out) {
        Strip<S>& strip = *strips_[c];
        turn_to(strip);
        std::vector<double> bound(strip.size(), no_floor);
        const split::Marks marks = criteria::with_chosen(bounds_, [&](const auto& own) {
            return split::mark(strip, own, limits_of(c), floor_ == no_floor ? no_floor : floor_ * cost(c),
                               [&](std::size_t i, double most) { bound[i] = std::max(bound[i], most / cost(c)); });
        });
        if (!marks.any) {
            strips_[c].reset();
            return;
        }
        std::erase_if(bound, [](double b) { return b == no_floor; });
        const std::vector<std::size_t> places = strip.settle(marks);
        for (std::size_t k = 0; k < places.size(); ++k) out.push_back({bound[k], c, places[k], strip[places[k]].rows});
    }

    // The exact search among the boundaries of a column that may reach the floor.
    void examine(std::size_t c) {
        Strip<S>& strip = *strips_[c];
        turn_to(strip);
        const split::Limits limits = limits_of(c);
        const double floor = floor_ == no_floor ? no_floor : floor_ * cost(c);
        const double least = static_cast<double>(limits.min_rows);
        D division = statistic_.division();
        statistic_.set_total(division, strip.total().data());
        criterion_.begin(division);
        split::BestCut<D, C> best;
        std::size_t at = 0;
        const auto scan_side = [&](bool missing_left) {
            Words exact = missing_left ? strip.missing() : Words(strip.missing().size(), 0);
            strip.walk(
                missing_left, [](std::size_t, double, double, double) {},
                [&](std::size_t i, double before, double after) {
                    for (std::size_t w = 0; w < exact.size(); ++w) exact[w] += strip.cell(i)[w];
                    if (before < least || after < least || highest_gain(strip.left()) < floor) return;
                    division.put_back(statistic_.part(exact.data()));
                    if (criterion_.below(division, std::max(floor, best.threshold()))) return;
                    if (!best.offer(division, criterion_, limits)) return;
                    best.missing_left = missing_left;
                    at = i;
                });
        };
        scan_side(false);
        bool presence = false;
        if (strip.n_aside() > 0.0) {
            if (strip.n_aside() >= least && strip.n_present() >= least) {
                division.put_back(statistic_.part(strip.present().data()));
                presence = best.offer(division, criterion_, limits);
                if (presence) best.missing_left = false;
            }
            scan_side(true);
            presence = presence && !best.missing_left;
        }
        if (!best.found) return;
        Found found;
        split::Candidate& split = found.split.split;
        split.kind = presence ? split::Kind::presence : split::Kind::cut;
        split.column = static_cast<std::int32_t>(c);
        split.gain = best.gain(division, criterion_);
        split.tolerance = criterion_.tolerance();
        split.learned_missing = strip.n_aside() > 0.0;
        split.missing_branch = best.missing_left ? 0 : 1;
        if (!presence) place_cut(strip, at, found.split);
        found.total = strip.total();
        found.split.branches.assign(2, presence ? strip.present() : strip.part_up_to(at, best.missing_left));
        for (std::size_t w = 0; w < found.total.size(); ++w)
            found.split.branches[1][w] = found.total[w] - found.split.branches[0][w];
        found.split.n_missing = strip.n_missing();
        found.split.missing = split.learned_missing ? Words(found.total.size(), 0) : strip.missing();
        found_.push_back(std::move(found));
    }

    void place_cut(const Strip<S>& strip, std::size_t at, SurveyedSplit& out) const {
        const Stretch &lower = strip[at], &upper = strip[at + 1];
        if (lower.last_low == lower.high && upper.low == upper.first_high) {
            out.split.cut = split::cut_between(number_of(lower.high), number_of(upper.low), false);
            return;
        }
        const auto c = static_cast<std::size_t>(out.split.column);
        out.between = true;
        out.below = {0, c, lower.last_low, lower.high};
        out.above = {0, c, upper.low, upper.first_high};
    }

    // As ColumnFinder::ranked: by gain over cost; what is tied as far as rounded gains tell, without rounding.
    bool better(const Found& a, const Found& b) {
        const split::Candidate &x = a.split.split, &y = b.split.split;
        const double cx = cost(static_cast<std::size_t>(x.column)), cy = cost(static_cast<std::size_t>(y.column));
        const double gap = (x.gain / base::DoubleDouble(cx) - y.gain / base::DoubleDouble(cy)).value();
        const double doubt = std::max(x.tolerance / cx, y.tolerance / cy);
        if (gap > doubt) return true;
        if (!(gap > -doubt)) return false;
        D division = statistic_.division();
        if constexpr (requires { criterion_.exact(division); }) {
            if (x.n_branches != 2 || y.n_branches != 2) return false;
            const auto exact = [&](const Found& one, double price) {
                statistic_.set_total(division, one.total.data());
                division.put_back(statistic_.part(one.split.branches[0].data()));
                base::Fraction gain = criterion_.exact(division);
                gain.denominator = gain.denominator * base::Expansion(price);
                return gain;
            };
            return base::compare(exact(a, cx), exact(b, cy)) > 0;
        }
        return false;
    }

    const Layout& layout_;
    const split::SearchOptions& options_;
    split::NodeContext context_;
    S statistic_;
    C criterion_;
    B bounds_;
    double fetch_rows_;
    split::Doubt doubt_;
    double floor_ = no_floor;                      // a merit
    std::vector<std::optional<Strip<S>>> strips_;  // of the numeric columns that may still win
    std::vector<std::vector<std::size_t>> asked_;  // per column: the stretches that were asked for last
    std::vector<Found> found_;
};

}  // namespace ceiba::shards
