// The survey of a node (survey.hpp) for a statistic S of the target, a criterion C and its bounds B.
#pragma once

#include "shards/survey/binned_column.hpp"
#include "shards/survey/level_counts.hpp"
#include "shards/survey/survey.hpp"
#include "split/scan/merit.hpp"

namespace ceiba::shards {

template <class S, class C, class B>
class NodeSurvey final : public Survey {
    using D = typename S::Division;
    static constexpr double no_floor = split::no_floor;

public:
    NodeSurvey(const Layout& layout, const split::SearchOptions& options, const split::NodeContext& context,
               const C& criterion, const B& bounds, const RangeSizes& sizes)
        : layout_(layout),
          options_(options),
          context_(context),
          statistic_(layout.shape, options),
          criterion_(criterion),
          sizes_(sizes),
          columns_(layout.column.size(), ColumnState(bounds)) {}

    void begin(std::size_t c, std::span<const std::uint64_t> cells) override {
        if (!context_.allows(c)) return;
        const ColumnLayout& column = layout_.column[c];
        const std::size_t width = layout_.shape.width();
        if (column.levels()) return search_levels(c, cells, width);
        CellColumn<S> bins(statistic_, column, cells, width, options_.missing == split::Missing::learn);
        if (!bins.can_be_cut()) return;
        measure(c, columns_[c].bins.emplace(std::move(bins)));
    }
    void mark(std::size_t c) override {
        ColumnState& state = columns_[c];
        state.open.clear();
        if (state.bins) {  // the first call
            if (mark_cuts(c, *state.bins, [](std::size_t, double) {}).any) state.ranges.emplace(*state.bins);
            state.bins.reset();
        }
        if (state.ranges) collect_open_ranges(c, state.open);
    }
    void next_queries(std::size_t node, double most_words, std::vector<RangeQuery>& zoom,
                      std::vector<RangeQuery>& fetch) override {
        std::vector<RangeBound> open_ranges;
        for (const ColumnState& state : columns_)
            open_ranges.insert(open_ranges.end(), state.open.begin(), state.open.end());
        asked_.resize(columns_.size());
        const bool zooms = choose(open_ranges, sizes_, most_words, layout_.shape.width(), asked_);
        for (std::size_t c = 0; c < columns_.size(); ++c)
            for (std::size_t i : asked_[c]) {
                const KeyRange& range = (*columns_[c].ranges)[i];
                (zooms ? zoom : fetch).push_back({node, c, range.low, range.high});
            }
    }
    void consume_zoom(std::size_t c, std::span<const std::uint64_t> parts) override {
        if (asked_[c].empty()) return;
        const std::size_t words = sizes_.zoom_parts() * layout_.shape.width();
        std::size_t first = 0;
        for (std::size_t before = 0; before < c; ++before) first += asked_[before].size() * words;
        Reader in(parts.subspan(first, asked_[c].size() * words));
        columns_[c].ranges->consume_parts(asked_[c], sizes_.zoom_bits, in);
        measure(c, *columns_[c].ranges);
    }
    void consume_fetch(Reader& in) override {
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            if (asked_[c].empty()) continue;
            columns_[c].ranges->consume_runs(asked_[c], in);
            measure(c, *columns_[c].ranges);
        }
    }
    void examine(std::size_t c) override {
        if (columns_[c].ranges) find_best_cut(c);
    }

    SurveyedSplit decide() override {
        // Ties go to the lowest column: a later one must be strictly better.
        const SurveyCandidate* best = nullptr;
        for (const ColumnState& state : columns_)
            if (state.best && (!best || better(*state.best, *best))) best = &*state.best;
        return best ? best->split : SurveyedSplit{};
    }

private:
    // Columns share no mutable state, so that threads can survey the columns of one node.
    struct ColumnState {
        explicit ColumnState(const B& initial) : bounds(initial) {}

        std::optional<CellColumn<S>> bins;      // of a numeric column, until it is marked ...
        std::optional<BinnedColumn<S>> ranges;  // ... and afterwards, if it may still win
        B bounds;
        split::SumErrors errors;
        double floor = no_floor;       // a merit that the column certainly reaches
        std::vector<RangeBound> open;  // ranges inside which a cut may win
        std::optional<SurveyCandidate> best;
    };

    double cost(std::size_t c) const { return split::cost_of(c, options_); }
    split::Limits limits_of(std::size_t c) const { return split::limits_of(c, options_, context_); }
    // The best certain merit.
    double floor() const {
        double floor = no_floor;
        for (const ColumnState& state : columns_) floor = std::max(floor, state.floor);
        return floor;
    }
    double floor_of(std::size_t c) const {  // as a gain of this column
        const double merit = floor();
        return merit == no_floor ? no_floor : merit * cost(c);
    }

    void search_levels(std::size_t c, std::span<const std::uint64_t> cells, std::size_t width) {
        LevelSurvey<S, C> levels(statistic_, criterion_, options_, cells, width);
        SurveyCandidate candidate;
        candidate.split.split = levels.search(limits_of(c), candidate.split.branches);
        if (!candidate.split.split.found()) return;
        candidate.split.split.column = static_cast<std::int32_t>(c);
        candidate.split.n_without_value = levels.n_without_value();
        candidate.split.missing = candidate.split.split.learned_missing ? Words(width, 0) : levels.missing();
        candidate.total.assign(width, 0);
        for (const Words& branch : candidate.split.branches) add_words(candidate.total, branch);
        columns_[c].floor = split::floor_of(candidate.split.split, options_);
        columns_[c].best = std::move(candidate);
    }

    // Sets the bounds to those of the ranges of a column.
    template <class Column>
    void bind(ColumnState& state, const Column& column) const {
        const double weight = statistic_.sums(column.total_fields()).weight;
        state.errors = statistic_.doubt(weight, column.size());
        state.bounds.begin(column.total_fields(), statistic_.n_fields(), column.n_rows(), state.errors.weight,
                           state.errors.sum);
    }

    // Raises the floor of a column by the boundaries of its ranges.
    template <class Column>
    void measure(std::size_t c, Column& column) {
        ColumnState& state = columns_[c];
        bind(state, column);
        const split::Limits limits = limits_of(c);
        const split::SumErrors all{state.errors.weight * static_cast<double>(statistic_.n_fields()), state.errors.sum,
                                   state.errors.centre};
        const auto allowed = [&](double, double) {
            return split::certainly_allowed(statistic_.sums(column.left()), statistic_.sums(column.total_fields()), all,
                                            limits);
        };
        const double gain = criteria::with_chosen(
            state.bounds, [&](const auto& bounds) { return split::certain_gain(column, bounds, limits, allowed); });
        if (gain != no_floor) state.floor = std::max(state.floor, split::lowered(gain / cost(c)));
    }

    // Marks the cuts that may reach the floor. Calls open(i, merit) for ranges inside which one may.
    template <class Column, class Open>
    split::Marks mark_cuts(std::size_t c, Column& column, Open open) {
        bind(columns_[c], column);
        return criteria::with_chosen(columns_[c].bounds, [&](const auto& bounds) {
            return split::mark(column, bounds, limits_of(c), floor_of(c),
                               [&](std::size_t i, double most) { open(i, most / cost(c)); });
        });
    }

    // Adds the ranges of a column inside which a cut may reach the floor, and joins the others if no cut in them can.
    void collect_open_ranges(std::size_t c, std::vector<RangeBound>& out) {
        ColumnState& state = columns_[c];
        BinnedColumn<S>& column = *state.ranges;
        std::vector<double> bound(column.size(), no_floor);
        const split::Marks marks =
            mark_cuts(c, column, [&](std::size_t i, double most) { bound[i] = std::max(bound[i], most); });
        if (!marks.any) {
            state.ranges.reset();
            return;
        }
        std::erase_if(bound, [](double b) { return b == no_floor; });
        const std::vector<std::size_t> places = column.settle(marks);
        for (std::size_t k = 0; k < places.size(); ++k) out.push_back({bound[k], c, places[k], column[places[k]].rows});
    }

    // The exact search among the boundaries of a column that may reach the floor.
    void find_best_cut(std::size_t c) {
        ColumnState& state = columns_[c];
        BinnedColumn<S>& column = *state.ranges;
        bind(state, column);
        const split::Limits limits = limits_of(c);
        const double floor = floor_of(c);
        const auto highest_gain = [&](const double* left) {
            return criteria::with_chosen(state.bounds, [left](const auto& bounds) { return bounds.gain(left).high; });
        };
        C criterion = criterion_;
        const double least = static_cast<double>(limits.min_rows);
        D division = statistic_.division();
        statistic_.set_total(division, column.total().data());
        criterion.begin(division);
        split::BestCut<D, C> best;
        std::size_t at = 0;
        const auto scan_side = [&](bool missing_left) {
            Words exact = missing_left ? column.missing() : Words(column.missing().size(), 0);
            column.walk(
                missing_left, [](std::size_t, double, double, double) {},
                [&](std::size_t i, double before, double after) {
                    add_words(exact, column.cell(i));
                    if (before < least || after < least || highest_gain(column.left()) < floor) return;
                    division.put_back(statistic_.part(exact.data()));
                    if (criterion.below(division, std::max(floor, best.threshold()))) return;
                    if (!best.offer(division, criterion, limits)) return;
                    best.missing_left = missing_left;
                    at = i;
                });
        };
        scan_side(false);
        bool presence = false;
        if (column.n_missing() > 0.0) {
            if (column.n_missing() >= least && column.n_present() >= least) {
                division.put_back(statistic_.part(column.present().data()));
                presence = best.offer(division, criterion, limits);
                if (presence) best.missing_left = false;
            }
            scan_side(true);
            presence = presence && !best.missing_left;
        }
        if (!best.any) return;
        SurveyCandidate candidate;
        split::Candidate& split = candidate.split.split;
        split.kind = presence ? split::Kind::presence : split::Kind::cut;
        split.column = static_cast<std::int32_t>(c);
        split.gain = best.gain(division, criterion);
        split.tolerance = criterion.tolerance();
        split.learned_missing = column.n_missing() > 0.0;
        split.missing_branch = best.missing_left ? 0 : 1;
        if (!presence) place_cut(column, at, candidate.split);
        candidate.total = column.total();
        candidate.split.branches.assign(2, presence ? column.present() : column.part_up_to(at, best.missing_left));
        for (std::size_t w = 0; w < candidate.total.size(); ++w)
            candidate.split.branches[1][w] = candidate.total[w] - candidate.split.branches[0][w];
        candidate.split.n_without_value = column.n_without_value();
        candidate.split.missing = split.learned_missing ? Words(candidate.total.size(), 0) : column.missing();
        state.best = std::move(candidate);
    }

    void place_cut(const BinnedColumn<S>& column, std::size_t at, SurveyedSplit& out) const {
        const KeyRange &lower = column[at], &upper = column[at + 1];
        if (lower.last_low == lower.high && upper.low == upper.first_high) {
            out.split.cut = split::cut_between(number_of(lower.high), number_of(upper.low), false);
            return;
        }
        const auto c = static_cast<std::size_t>(out.split.column);
        out.between = true;
        out.below = {0, c, lower.last_low, lower.high};
        out.above = {0, c, upper.low, upper.first_high};
    }

    // As ColumnFinder::ranked: by gain over cost. Ties within rounding are compared without rounding.
    bool better(const SurveyCandidate& a, const SurveyCandidate& b) {
        const split::Candidate &x = a.split.split, &y = b.split.split;
        const double cx = cost(static_cast<std::size_t>(x.column)), cy = cost(static_cast<std::size_t>(y.column));
        const double gap = (x.gain / base::DoubleDouble(cx) - y.gain / base::DoubleDouble(cy)).value();
        const double doubt = std::max(x.tolerance / cx, y.tolerance / cy);
        if (gap > doubt) return true;
        if (!(gap > -doubt)) return false;
        D division = statistic_.division();
        if constexpr (requires { criterion_.exact(division); }) {
            if (x.n_branches != 2 || y.n_branches != 2) return false;
            const auto exact = [&](const SurveyCandidate& candidate, double price) {
                statistic_.set_total(division, candidate.total.data());
                division.put_back(statistic_.part(candidate.split.branches[0].data()));
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
    RangeSizes sizes_;
    std::vector<ColumnState> columns_;
    std::vector<std::vector<std::size_t>> asked_;  // per column: the ranges that were last queried
};

}  // namespace ceiba::shards
