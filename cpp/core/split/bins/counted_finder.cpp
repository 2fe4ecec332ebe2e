#include "split/bins/counted_finder.hpp"

#include "base/allow_list.hpp"
#include "base/phases.hpp"
#include "criteria/class_division.hpp"
#include "criteria/moment_division.hpp"
#include "split/bins/cells.hpp"
#include "split/statistics/statistics.hpp"

namespace ceiba::split {

std::vector<Candidate> CountedFinder::find(NodeRows& node, const NodeContext& context, base::ThreadPool* pool,
                                           int thread) {
    if (node.binned() && node.size() < options_.small_node) node = sort_node(node, pool);
    if (!node.binned()) return exact_->find(node, context, pool, thread);
    if (!node.histogram) {
        const base::PhaseTimer timer(base::Phase::count);
        node.histogram = count_node(node, pool);
    }
    return search(node, context, pool, thread);
}

void CountedFinder::hand_down(NodeRows& parent, const std::vector<BranchRows>& branches, base::ThreadPool* pool) {
    if (!parent.histogram) return;
    std::shared_ptr<Histogram> counts = std::move(parent.histogram);
    if (branches.size() != 2 || branches[0].rows->size() + branches[1].rows->size() != parent.size()) return;
    const bool first_is_less = branches[0].rows->size() < branches[1].rows->size();
    const BranchRows &few = branches[first_is_less ? 0 : 1], &many = branches[first_is_less ? 1 : 0];
    const auto large = [&](const BranchRows& b) {
        return b.searched && !b.grown_at_once && b.rows->size() >= options_.small_node;
    };
    if (!large(many)) return;  // the other one is not large either
    // Counting the smaller branch and subtracting yields both, so a level counts at most half of its rows. Cells are
    // integers, so the difference is exact.
    std::shared_ptr<Histogram> less = count_node(*few.rows, pool);
    for (std::size_t w = 0; w < counts->size(); ++w) (*counts)[w] -= (*less)[w];
    many.rows->histogram = std::move(counts);
    if (large(few)) few.rows->histogram = std::move(less);
}

std::vector<Candidate> CountedFinder::search(NodeRows& node, const NodeContext& context, base::ThreadPool* pool,
                                             int thread) {
    const std::size_t n_columns = node.store->n_columns();
    std::vector<std::size_t> numeric;
    for (const auto c : node.store->binning->numeric)
        if (context.allows(c)) numeric.push_back(c);
    const std::size_t n_numeric = numeric.size();
    std::vector<ColumnCandidate> columns(n_columns);
    const auto for_each = [&](std::size_t n, const auto& task) { base::run(pool, n, thread, task); };
    exact_->begin_node(pool ? -1 : thread);
    std::vector<std::size_t> levels;
    for (std::size_t c = 0; c < n_columns; ++c)
        if (node.store->has_levels(c) && context.allows(c)) levels.push_back(c);
    const auto search_levels = [&](double floor) {
        if (pool && !levels.empty() && counts_levels(node)) node.level_counts = count_levels(node, levels, *pool);
        for_each(levels.size(), [&](std::size_t i, int t) {
            const std::size_t c = levels[i];
            if (floor > no_floor && exact_->bound_levels(node, c, t) < floor) return;
            const double least = floor == no_floor ? no_floor : floor * cost(c);
            columns[c].candidate = exact_->search_column(node, c, context, least, t);
        });
    };
    if (options_.max_competitors > 0) {
        search_levels(no_floor);
        // For competitors, each column is compared with its own best boundary, not with those of other columns.
        for_each(n_numeric, [&](std::size_t i, int t) {
            const std::size_t c = numeric[i];
            const Limits limits = limits_of(c, options_, context);
            const double floor = lowered(bound_gain(node, c, limits, t).low);
            Marks marks = survey(node, c, limits, floor, t);
            columns[c] = examine(node, c, limits, floor, marks, nullptr, t);
        });
        return conclude(node, std::move(columns), pool, thread);
    }
    double floor = no_floor;
    std::optional<base::PhaseTimer> timer(base::Phase::survey);
    std::vector<GainRange> gain_range(n_numeric);
    for_each(n_numeric, [&](std::size_t i, int t) {
        const std::size_t c = numeric[i];
        gain_range[i] = bound_gain(node, c, limits_of(c, options_, context), t);
    });
    std::size_t likeliest = 0;
    for (std::size_t i = 1; i < n_numeric; ++i)
        if (gain_range[i].low > gain_range[likeliest].low) likeliest = i;
    if (n_numeric > 0) floor = std::max(floor, lowered(gain_range[likeliest].low));
    timer.emplace(base::Phase::levels);
    search_levels(floor);
    for (std::size_t c : levels) floor = std::max(floor, merit_floor(columns[c].candidate));
    timer.emplace(base::Phase::survey);
    std::vector<Marks> surveys(n_numeric);
    const auto survey_column = [&](std::size_t i, int t) {
        const std::size_t c = numeric[i];
        surveys[i] = survey(node, c, limits_of(c, options_, context), floor, t);
    };
    const auto examine_column = [&](std::size_t i, base::ThreadPool* sharing, int t) {
        const std::size_t c = numeric[i];
        columns[c] = examine(node, c, limits_of(c, options_, context), floor, surveys[i], sharing, t);
    };
    bool zoom_is_useless = false;  // zooming does not avoid fetching here
    if (n_numeric > 0) {
        survey_column(likeliest, thread);
        const double inside = surveys[likeliest].rows_inside;
        timer.emplace(base::Phase::likeliest);
        examine_column(likeliest, pool, thread);
        surveys[likeliest] = {};
        const ColumnCandidate& first = columns[numeric[likeliest]];
        floor = std::max(floor, merit_floor(first.candidate));
        zoom_is_useless = !worth_zooming(node, inside) || first.fetched > 0.5 * inside;
    }
    timer.emplace(base::Phase::survey);
    for_each(n_numeric, [&](std::size_t i, int t) {
        if (i != likeliest && !(gain_range[i].high < floor)) survey_column(i, t);
    });
    double to_fetch = 0.0;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < n_numeric; ++i) {
        to_fetch += surveys[i].rows_inside;
        if (surveys[i].any) open.push_back(i);
    }
    const bool hopeless = to_fetch > 0.3 * static_cast<double>(node.size() * n_numeric);
    if (hopeless && zoom_is_useless) {
        node = sort_node(node, pool);
        return exact_->find(node, context, pool, thread);
    }
    timer.emplace(base::Phase::examine);
    // Many columns: one per thread, with the same floor. Few columns: one after another by descending certain gain,
    // each raising the floor for the next; the threads share their rows.
    if (pool && 2 * open.size() > static_cast<std::size_t>(pool->size())) {
        for_each(open.size(), [&](std::size_t i, int t) { examine_column(open[i], nullptr, t); });
        return conclude(node, std::move(columns), pool, thread);
    }
    std::vector<double> falling;
    for (std::size_t i : open) falling.push_back(-gain_range[i].low);
    base::sort_by(falling, open);
    for (std::size_t i : open) {
        examine_column(i, pool, thread);
        floor = std::max(floor, merit_floor(columns[numeric[i]].candidate));
    }
    return conclude(node, std::move(columns), pool, thread);
}

// Computes the cuts between bins and breaks ties as in all other searches.
std::vector<Candidate> CountedFinder::conclude(const NodeRows& node, std::vector<ColumnCandidate> columns,
                                               base::ThreadPool* pool, int thread) {
    const base::PhaseTimer timer(base::Phase::conclude);
    double floor = no_floor;
    if (options_.max_competitors == 0)
        for (const ColumnCandidate& f : columns) floor = std::max(floor, merit_floor(f.candidate));
    std::vector<Candidate> candidates;
    for (ColumnCandidate& f : columns) {
        if (!f.candidate.found()) continue;
        const double merit = f.candidate.gain.value() / cost(static_cast<std::size_t>(f.candidate.column));
        if (merit < floor) continue;
        if (f.between_bins)
            f.candidate.cut = cut_after_bin(node, static_cast<std::size_t>(f.candidate.column), f.bin, pool);
        candidates.push_back(std::move(f.candidate));
    }
    return exact_->ranked(node, std::move(candidates), thread);
}

double CountedFinder::cut_after_bin(const NodeRows& node, std::size_t c, std::uint8_t bin,
                                    base::ThreadPool* pool) const {
    const Binning& binning = *node.store->binning;
    const ColumnBins& bins = binning.column[c];
    if (bins.bundled()) return cut_between(bins.value[0], bins.value[1], cuts_below(node, c, options_));
    std::size_t next = bin + std::size_t{1};
    while (!holds_rows(node, c, next)) ++next;
    if (bins.lossless()) return cut_between(bins.value[bin], bins.value[next], cuts_below(node, c, options_));
    if (binning.approximate) return bins.edge[(bin + next - 1) / 2];
    double lower = 0.0, upper = 0.0;
    ColumnPlaces places;
    places.by_bins(node, c);
    find_ends(node, c, places, bin, next, pool, lower, upper);
    return cut_between(lower, upper, cuts_below(node, c, options_));
}

void CountedFinder::find_ends(const NodeRows& node, std::size_t c, const ColumnPlaces& places, std::size_t place,
                              std::size_t next, base::ThreadPool* pool, double& lower, double& upper) {
    if (places.by_integer()) {
        std::tie(lower, upper) = places.integers_around(node, c, place, next, pool);
        return;
    }
    using Ends = std::pair<double, double>;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::uint32_t* const row = node.target().row.data() + node.begin;
    node.store->table->columns[c].with_reader([&](auto number) {
        places.with([&](auto place_of) {
            std::tie(lower, upper) = base::merge_blocks(
                pool, node.size(), Ends(-infinity, infinity),
                [&](Ends& ends, std::size_t from, std::size_t to) {
                    for (std::size_t i = from; i < to; ++i) {
                        const std::size_t at = place_of(i);
                        if (at == place) ends.first = std::max(ends.first, number(row[i]));
                        if (at == next) ends.second = std::min(ends.second, number(row[i]));
                    }
                },
                [](Ends& all, const Ends& more) {
                    all = {std::max(all.first, more.first), std::min(all.second, more.second)};
                });
        });
    });
}

// The support of the search over bins, and the choice of a statistic for a target.
std::vector<std::string> counted_criteria() {
    std::vector<std::string> names;
    const auto add = [&]<class C>() {
        if (Bounded<C>) names.emplace_back(C::name);
    };
    [&]<class... C>(criteria::List<C...>) { (add.template operator()<C>(), ...); }(criteria::AllCriteria{});
    return names;
}

bool bins_support(const data::Table& table, const data::Target& target, const SearchOptions& options) {
    const bool bounded =
        criteria::for_criterion<bool, criteria::AllCriteria>(options.criterion, []<class C>() { return Bounded<C>; });
    if (!bounded || target.n_outputs != 1 || options.missing == Missing::fractional) return false;
    SearchOptions adjusted = options;
    if (adjusted.max_features >= static_cast<int>(table.columns.size())) adjusted.max_features = -1;
    using O = SearchOptions;
    return base::differs_only_in(adjusted, &O::criterion, &O::missing, &O::multiway, &O::empty_branches,
                                 &O::conventions, &O::min_rows, &O::min_weight, &O::small_node, &O::zoom_rows,
                                 &O::monotone, &O::class_scale, &O::column_cost, &O::max_interaction,
                                 &O::interactions,
                                 // no effect on these criteria:
                                 &O::cuts_at_values, &O::min_branch, &O::quantile);
}

std::unique_ptr<SplitFinder> make_bounded_finder(const data::TargetRows& target, const SearchOptions& options,
                                                 int n_threads) {
    const bool weighted = !target.weight.empty() || !options.class_scale.empty() || criteria::too_many_to_count(target);
    const auto search = [&](auto plain, auto with_weights) {
        return weighted ? with_weights(target, options, n_threads) : plain(target, options, n_threads);
    };
    using namespace criteria;
    if (!target.classification())
        return search(count_numbers<MomentDivision<false>, MomentCells>,
                      count_numbers<MomentDivision<true>, WeightedMomentCells>);
    return search(
        target.n_classes[0] == 2 ? count_classes<BinaryDivision, BinaryCells> : count_classes<UnitDivision, CountCells>,
        count_classes<WeightedDivision, WeightCells>);
}

namespace {

constexpr std::uint32_t not_fetched = ~std::uint32_t{0};
constexpr std::size_t fetch_distance = 16;

}  // namespace

void FetchedBins::fetch(const NodeRows& node, std::size_t c, const ColumnPlaces& places, const Marks& marks,
                        const ColumnCounts& counts, base::ThreadPool* pool) {
    const std::size_t n_places = counts.size();
    start.resize(n_places + 1);
    cursor_.assign(places.missing() + 1, not_fetched);
    std::uint32_t n = 0;
    for (std::size_t p = 0; p < n_places; ++p) {
        start[p] = n;
        if (!(marks.of(p) & Marks::inside)) continue;
        cursor_[p] = n;
        n += static_cast<std::uint32_t>(counts.rows(p));
    }
    start[n_places] = n;
    items.resize(n);
    entries.resize(n);
    find_hits(node, c, places, pool);
    for (std::size_t b = 0; b < base::n_blocks(node.size()); ++b)
        for (const Hit& hit : hits_[b]) items[cursor_[hit.place]++] = hit.item;
    std::vector<std::size_t> group{0};  // of places that are sorted together
    for (std::size_t p = 0; p < n_places; ++p)
        if (start[p + 1] - start[group.back()] >= base::block_rows || p + 1 == n_places) group.push_back(p + 1);
    rooms_.resize(pool ? static_cast<std::size_t>(pool->size()) : 1);
    base::run(pool, group.size() - 1, 0, [&](std::size_t g, int thread) {
        for (std::size_t p = group[g]; p < group[g + 1]; ++p)
            if (start[p] < start[p + 1]) sort_place(start[p], start[p + 1], rooms_[thread]);
    });
}

// Finds the rows in fetched places. The rows of a node are scattered in the table, so they are prefetched.
void FetchedBins::find_hits(const NodeRows& node, std::size_t c, const ColumnPlaces& places, base::ThreadPool* pool) {
    hits_.resize(std::max(hits_.size(), base::n_blocks(node.size())));
    const std::uint32_t* const row = node.target().row.data() + node.begin;
    const data::Column& column = node.store->table->columns[c];
    column.with_reader([&](auto number) {
        places.with([&](auto place_of) {
            base::for_blocks(pool, node.size(), [&](std::size_t block, std::size_t from, std::size_t to, int) {
                std::array<std::uint32_t, base::block_rows> positions;
                std::size_t n_hits = 0;
                for (std::size_t i = from; i < to; ++i) {  // no branch instruction depends on the data
                    positions[n_hits] = static_cast<std::uint32_t>(i);
                    n_hits += cursor_[place_of(i)] != not_fetched;
                }
                std::vector<Hit>& hits = hits_[block];
                hits.resize(n_hits);
                for (std::size_t k = 0; k < n_hits; ++k) {
                    column.prefetch(row[positions[std::min(k + fetch_distance, n_hits - 1)]]);
                    const std::uint32_t i = positions[k];
                    hits[k] = {{number(row[i]) + 0.0, i}, static_cast<std::uint32_t>(place_of(i))};
                }
            });
        });
    });
}

void FetchedBins::sort_place(std::size_t from, std::size_t to, SortRoom& room) {
    Item* const placed = items.data() + from;
    const std::size_t n = to - from;
    if (n < 512) {
        sort_items(placed, n);
    } else {
        room.key.resize(n);
        room.order.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            room.key[i] = base::sort_key(placed[i].value);
            room.order[i] = static_cast<std::uint32_t>(i);
        }
        base::sort_rows(room.key, room.order, room.space);
        room.sorted.assign(placed, placed + n);
        for (std::size_t i = 0; i < n; ++i) placed[i] = room.sorted[room.order[i]];
    }
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (i > 0 && placed[i].value != placed[i - 1].value) ++rank;
        entries[from + i] = {rank, placed[i].row};
    }
}

}  // namespace ceiba::split
