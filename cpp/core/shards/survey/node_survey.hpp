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
               const C& criterion, const B& bounds, const Words& counts, const RangeSizes& sizes)
        : layout_(layout),
          options_(options),
          context_(context),
          statistic_(layout.shape, options),
          criterion_(criterion),
          bounds_(bounds),
          sizes_(sizes) {
        const std::size_t width = layout.shape.width();
        columns_.resize(layout.column.size());
        for (std::size_t c = 0; c < layout.column.size(); ++c) {
            const ColumnLayout& column = layout.column[c];
            const std::span<const std::uint64_t> cells(counts.data() + column.first_cell * width,
                                                       column.n_cells() * width);
            if (column.levels())
                search_levels(c, cells, width);
            else if (BinnedColumn<S> binned(statistic_, column, cells, width, options.missing == split::Missing::learn);
                     binned.can_be_cut())
                columns_[c].emplace(std::move(binned));
        }
    }

    void ask(std::size_t node, double most_words, std::vector<RangeQuery>& zoom,
             std::vector<RangeQuery>& fetch) override {
        raise_floor();
        asked_.resize(columns_.size());
        std::vector<RangeBound> open_ranges;
        for (std::size_t c = 0; c < columns_.size(); ++c)
            if (columns_[c]) collect_open_ranges(c, open_ranges);
        const bool zooms = choose(open_ranges, sizes_, most_words, layout_.shape.width(), asked_);
        for (std::size_t c = 0; c < columns_.size(); ++c)
            for (std::size_t i : asked_[c])
                (zooms ? zoom : fetch).push_back({node, c, (*columns_[c])[i].low, (*columns_[c])[i].high});
    }
    void consume_zoom(Reader& in) override {
        for (std::size_t c = 0; c < columns_.size(); ++c)
            if (!asked_[c].empty()) columns_[c]->consume_parts(asked_[c], sizes_.zoom_bits, in);
    }
    void consume_fetch(Reader& in) override {
        for (std::size_t c = 0; c < columns_.size(); ++c)
            if (!asked_[c].empty()) columns_[c]->consume_runs(asked_[c], in);
    }

    SurveyedSplit decide() override {
        raise_floor();
        for (std::size_t c = 0; c < columns_.size(); ++c)
            if (columns_[c]) examine(c);
        // Ties go to the lowest column: a later one must be better, however little.
        const SurveyCandidate* best = nullptr;
        for (const SurveyCandidate* candidate : by_column(found_))
            if (!best || better(*candidate, *best)) best = candidate;
        return best ? best->split : SurveyedSplit{};
    }

private:
    double cost(std::size_t c) const { return split::cost_of(c, options_); }
    split::Limits limits_of(std::size_t c) const { return split::limits_of(c, options_, context_); }
    void lift(double floor) { floor_ = std::max(floor_, floor); }

    void search_levels(std::size_t c, std::span<const std::uint64_t> cells, std::size_t width) {
        LevelSurvey<S, C> levels(statistic_, criterion_, options_, cells, width);
        SurveyCandidate found;
        found.split.split = levels.search(limits_of(c), found.split.branches);
        if (!found.split.split.found()) return;
        found.split.split.column = static_cast<std::int32_t>(c);
        found.split.n_without_value = levels.n_without_value();
        found.split.missing = found.split.split.learned_missing ? Words(width, 0) : levels.missing();
        found.total.assign(width, 0);
        for (const Words& branch : found.split.branches) add_words(found.total, branch);
        lift(split::floor_of(found.split.split, options_));
        found_.push_back(std::move(found));
    }

    // Makes the bounds those of a column.
    void bind_column(const BinnedColumn<S>& column) {
        const double weight = statistic_.sums(column.total_fields()).weight;
        errors_ = statistic_.doubt(weight, column.size());
        bounds_.begin(column.total_fields(), statistic_.n_fields(), column.n_rows(), errors_.weight, errors_.sum);
    }

    double highest_gain(const double* left) const {
        return criteria::with_chosen(bounds_, [left](const auto& bounds) { return bounds.gain(left).high; });
    }

    // The best gain that is certain, from the boundaries of all ranges.
    void raise_floor() {
        double best = no_floor;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            if (!columns_[c]) continue;
            BinnedColumn<S>& column = *columns_[c];
            bind_column(column);
            const split::Limits limits = limits_of(c);
            const split::SumErrors all{errors_.weight * static_cast<double>(statistic_.n_fields()), errors_.sum,
                                       errors_.centre};
            const auto allowed = [&](double, double) {
                return split::certainly_allowed(statistic_.sums(column.left()), statistic_.sums(column.total_fields()),
                                                all, limits);
            };
            const double gain = criteria::with_chosen(
                bounds_, [&](const auto& bounds) { return split::certain_gain(column, bounds, limits, allowed); });
            best = std::max(best, gain / cost(c));
        }
        if (best != no_floor) lift(split::lowered(best));
    }

    // Adds the ranges of a column inside which a cut may reach the floor, and joins the others where nothing can.
    void collect_open_ranges(std::size_t c, std::vector<RangeBound>& out) {
        BinnedColumn<S>& column = *columns_[c];
        bind_column(column);
        std::vector<double> bound(column.size(), no_floor);
        const split::Marks marks = criteria::with_chosen(bounds_, [&](const auto& bounds) {
            return split::mark(column, bounds, limits_of(c), floor_ == no_floor ? no_floor : floor_ * cost(c),
                               [&](std::size_t i, double most) { bound[i] = std::max(bound[i], most / cost(c)); });
        });
        if (!marks.any) {
            columns_[c].reset();
            return;
        }
        std::erase_if(bound, [](double b) { return b == no_floor; });
        const std::vector<std::size_t> places = column.settle(marks);
        for (std::size_t k = 0; k < places.size(); ++k) out.push_back({bound[k], c, places[k], column[places[k]].rows});
    }

    // The exact search among the boundaries of a column that may reach the floor.
    void examine(std::size_t c) {
        BinnedColumn<S>& column = *columns_[c];
        bind_column(column);
        const split::Limits limits = limits_of(c);
        const double floor = floor_ == no_floor ? no_floor : floor_ * cost(c);
        const double least = static_cast<double>(limits.min_rows);
        D division = statistic_.division();
        statistic_.set_total(division, column.total().data());
        criterion_.begin(division);
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
                    if (criterion_.below(division, std::max(floor, best.threshold()))) return;
                    if (!best.offer(division, criterion_, limits)) return;
                    best.missing_left = missing_left;
                    at = i;
                });
        };
        scan_side(false);
        bool presence = false;
        if (column.n_missing() > 0.0) {
            if (column.n_missing() >= least && column.n_present() >= least) {
                division.put_back(statistic_.part(column.present().data()));
                presence = best.offer(division, criterion_, limits);
                if (presence) best.missing_left = false;
            }
            scan_side(true);
            presence = presence && !best.missing_left;
        }
        if (!best.found) return;
        SurveyCandidate found;
        split::Candidate& split = found.split.split;
        split.kind = presence ? split::Kind::presence : split::Kind::cut;
        split.column = static_cast<std::int32_t>(c);
        split.gain = best.gain(division, criterion_);
        split.tolerance = criterion_.tolerance();
        split.learned_missing = column.n_missing() > 0.0;
        split.missing_branch = best.missing_left ? 0 : 1;
        if (!presence) place_cut(column, at, found.split);
        found.total = column.total();
        found.split.branches.assign(2, presence ? column.present() : column.part_up_to(at, best.missing_left));
        for (std::size_t w = 0; w < found.total.size(); ++w)
            found.split.branches[1][w] = found.total[w] - found.split.branches[0][w];
        found.split.n_without_value = column.n_without_value();
        found.split.missing = split.learned_missing ? Words(found.total.size(), 0) : column.missing();
        found_.push_back(std::move(found));
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

    // As ColumnFinder::ranked: by gain over cost; what is tied as far as rounded gains tell, without rounding.
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
    B bounds_;
    RangeSizes sizes_;
    split::SumErrors errors_;
    double floor_ = no_floor;                              // a merit
    std::vector<std::optional<BinnedColumn<S>>> columns_;  // of the numeric columns that may still win
    std::vector<std::vector<std::size_t>> asked_;          // per column: the ranges that were asked for last
    std::vector<SurveyCandidate> found_;
};

}  // namespace ceiba::shards
