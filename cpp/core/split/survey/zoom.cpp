#include "split/survey/zoom.hpp"

namespace ceiba::split {

namespace {

// Rows of a node lie far apart in the table: the memory is asked for so many rows before it is needed.
constexpr std::size_t prefetch_distance = 24;

// Finds the range of values of each range that is zoomed, from a sample of the rows.
template <class Number, class PlaceOf>
void sample_ranges(const NodeRows& node, const data::Column& column, Number number, PlaceOf place_of,
                   std::vector<ZoomPlan>& plans) {
    const std::uint32_t* const row = node.target().row.data() + node.begin;
    const std::size_t n = node.size(), n_sample = std::clamp<std::size_t>(n / 64, 4096, 65536);
    const std::size_t step = std::max<std::size_t>(1, n / n_sample);
    for (std::size_t i = 0; i < n; i += step) {
        column.prefetch(row[std::min(i + prefetch_distance * step, n - 1)]);
        ZoomPlan& plan = plans[place_of(i)];
        if (plan.n_parts == 0) continue;
        const std::uint64_t key = key_of(number(row[i]));
        plan.low = std::min(plan.low, key);
        plan.high = std::max(plan.high, key);
    }
    for (ZoomPlan& plan : plans) {
        plan.unit = column.is<float>() ? 29 : 0;
        if (plan.low <= plan.high) plan.shift = zoom_shift(plan.low, plan.high, plan.bits);
    }
}

}  // namespace

void ColumnPlaces::place_rows(const NodeRows& node, std::size_t c, std::vector<ZoomPlan>& plans, std::size_t n_places,
                              base::ThreadPool* pool,
                              const std::function<void(std::size_t, std::size_t, int)>& placed) {
    const data::Column& column = node.store->table->columns[c];
    const std::uint32_t* const row = node.target().row.data() + node.begin;
    const std::size_t n = node.size();
    plans[missing_].first = static_cast<std::uint32_t>(n_places);
    counted_.assign(n_places + 1, 0);
    for (const ZoomPlan& plan : plans) std::fill_n(counted_.begin() + plan.first, plan.n_parts, std::uint8_t{1});
    place_.resize(n);
    const auto each = [&](auto number, auto place_of) {
        sample_ranges(node, column, number, place_of, plans);
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
    missing_ = n_places;
}

}  // namespace ceiba::split
