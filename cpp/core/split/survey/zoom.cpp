#include "split/survey/zoom.hpp"

#include "base/shared_buffer.hpp"

namespace ceiba::split {

namespace {

// The rows of a node are scattered in the table, so memory is prefetched this number of rows ahead.
constexpr std::size_t prefetch_distance = 24;

// Finds the range of values of each zoomed range from a sample of the rows.
template <class Number, class PlaceOf>
void sample_ranges(const NodeRows& node, const data::Column& column, Number number, PlaceOf place_of,
                   std::vector<ZoomPlan>& plans, base::ThreadPool* pool) {
    struct KeyRange {
        std::uint64_t low = ~std::uint64_t{0}, high = 0;
    };
    const std::uint32_t* const row = node.target().row.data() + node.begin;
    const std::size_t n = node.size(), most = std::clamp<std::size_t>(n / 64, 4096, 65536);
    const std::size_t step = std::max<std::size_t>(1, n / most), n_sample = (n + step - 1) / step;
    constexpr std::size_t samples_at_once = 256;
    base::ThreadPool* const sharing = 4 * plans.size() <= n_sample ? pool : nullptr;  // otherwise merging costs more
    std::vector<std::vector<KeyRange>> ranges(sharing ? static_cast<std::size_t>(sharing->size()) : 1);
    const auto widen = [&](std::size_t, std::size_t from, std::size_t to, int thread) {
        std::vector<KeyRange>& range = ranges[thread];
        range.resize(plans.size());
        for (std::size_t i = from * step; i < std::min(n, to * step); i += step) {
            column.prefetch(row[std::min(i + prefetch_distance * step, n - 1)]);
            const std::size_t place = place_of(i);
            if (plans[place].n_parts == 0) continue;
            const std::uint64_t key = key_of(number(row[i]));
            range[place] = {std::min(range[place].low, key), std::max(range[place].high, key)};
        }
    };
    base::for_blocks(sharing, n_sample, widen, samples_at_once);
    for (const std::vector<KeyRange>& range : ranges)
        for (std::size_t p = 0; p < range.size(); ++p) {
            plans[p].low = std::min(plans[p].low, range[p].low);
            plans[p].high = std::max(plans[p].high, range[p].high);
        }
    for (ZoomPlan& plan : plans) {
        plan.unit = column.is<float>() ? 29 : 0;
        if (plan.low <= plan.high) plan.shift = zoom_shift(plan.low, plan.high, plan.bits);
    }
}

}  // namespace

void ColumnPlaces::place_integers(const ColumnBins& bins, const std::vector<ZoomPlan>& plans, std::size_t n_places) {
    place_.resize(std::size_t{1} << SmallIntegers::bits);
    std::size_t place = 0;  // places ascend: bins without rows have that of the previous bin
    for (std::size_t b = 0; b < bins.n_bins(); ++b) {
        const auto [first, last] = bins.integers_of(b);
        place = std::max<std::size_t>(place, plans[b].first);
        for (std::size_t x = first; x <= last; ++x) {
            if (plans[b].n_parts > 0) place = plans[b].first + (x - first);
            place_[x] = static_cast<std::uint16_t>(place);
        }
    }
    place_[SmallIntegers::missing] = static_cast<std::uint16_t>(n_places);
    fine_ = true;
    missing_ = n_places;
}

std::pair<double, double> ColumnPlaces::integers_around(const NodeRows& node, std::size_t c, std::size_t place,
                                                        std::size_t next, base::ThreadPool* pool) const {
    const ColumnBins& bins = node.store->binning->column[c];
    const SmallIntegers& all = *bins.integers;
    const auto value = [&](std::size_t x) { return all.low + static_cast<double>(x); };
    std::size_t end = 0;  // the largest integer in `place`
    if (fine_) {
        const std::uint16_t* const from = place_.data() + all.first;
        const auto to = std::upper_bound(from, place_.data() + all.last + 1, place);
        end = static_cast<std::size_t>(to - place_.data()) - 1;
        const std::uint16_t* const begin_next = std::lower_bound(to, place_.data() + all.last + 1, next);
        const bool one = end == all.first || place_[end - 1] != place;
        const std::size_t at = static_cast<std::size_t>(begin_next - place_.data());
        if (one && (at == all.last || place_[at + 1] != next)) return {value(end), value(at)};
    } else {
        end = all.up_to(bins.edge[place]);
    }
    struct Ends {
        std::uint16_t lower = 0, upper = SmallIntegers::missing;
    };
    const Ends ends = base::merge_blocks(
        pool, node.size(), Ends{},
        [&](Ends& part, std::size_t from, std::size_t to) {
            std::uint16_t lower = part.lower, upper = part.upper;
            for (std::size_t i = from; i < to; ++i) {
                const std::uint16_t x = SmallIntegers::read(integer_ + i * stride_);
                const bool below = x <= end;
                lower = std::max(lower, below ? x : std::uint16_t{0});
                upper = std::min(upper, below ? SmallIntegers::missing : x);
            }
            part = {lower, upper};
        },
        [](Ends& whole, const Ends& more) {
            whole = {std::max(whole.lower, more.lower), std::min(whole.upper, more.upper)};
        });
    return {value(ends.lower), value(ends.upper)};
}

void ColumnPlaces::place_rows(const NodeRows& node, std::size_t c, std::vector<ZoomPlan>& plans, std::size_t n_places,
                              base::ThreadPool* pool,
                              const std::function<void(std::size_t, std::size_t, int)>& placed) {
    const data::Column& column = node.store->table->columns[c];
    const std::uint32_t* const row = node.target().row.data() + node.begin;
    const std::size_t n = node.size();
    plans[missing_].first = static_cast<std::uint32_t>(n_places);
    counted_.assign(n_places + 1, 0);
    for (const ZoomPlan& plan : plans) std::fill_n(counted_.begin() + plan.first, plan.n_parts, std::uint8_t{1});
    base::resize(place_, n, pool);
    const auto each = [&](auto number, auto place_of) {
        sample_ranges(node, column, number, place_of, plans, pool);
        base::for_blocks(pool, n, [&](std::size_t, std::size_t from, std::size_t to, int thread) {
            for (std::size_t i = from; i < to; ++i) {
                column.prefetch(row[std::min(i + prefetch_distance, n - 1)]);
                const ZoomPlan& plan = plans[place_of(i)];
                const std::uint32_t part = plan.n_parts > 0 ? plan.part_of(key_of(number(row[i]))) : 0;
                place_[i] = static_cast<std::uint16_t>(plan.first + part);
            }
            placed(from, to, thread);
        });
    };
    column.with_reader([&](auto number) { with([&](auto place_of) { each(number, place_of); }); });
    fine_ = true;
    integer_ = nullptr;
    missing_ = n_places;
}

}  // namespace ceiba::split
