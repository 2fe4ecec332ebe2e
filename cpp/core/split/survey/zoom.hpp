// The zoom: ranges of a column in which a cut may win are counted again in finer parts, so that fewer rows are fetched.
// The place of a row in a column is its bin or, after a zoom, its part. Ranges that are not zoomed keep their counts,
// and are joined with neighbours if no cut between them can win. Cost: one pass over the rows of the node per zoom.
#pragma once

#include "split/bins/histogram.hpp"
#include "split/survey/marks.hpp"

namespace ceiba::split {

// The plan for a range. `first` is the place of its first part, or of the range with which it is joined.
struct ZoomPlan {
    std::uint64_t low = ~std::uint64_t{0}, high = 0;  // range of the sampled keys
    std::uint32_t first = 0;
    std::uint32_t n_parts = 0;  // 0: the range is not zoomed
    bool open = false;          // a cut inside may win
    bool one_by_one = false;    // each part is one integer
    int bits = 0, shift = 0;
    int unit = 0;  // keys of different values differ by at least 2^unit

    std::uint32_t part_of(std::uint64_t key) const {
        if (key < low) return 0;
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(((key - low) >> shift) + 1, n_parts - 1));
    }
    bool one_value(std::uint32_t part) const {
        return one_by_one || (shift <= unit && part > 0 && part < n_parts - 1);
    }
};

class ColumnPlaces {
public:
    // A place is a bin. Missing values have the place missing_bin.
    void by_bins(const NodeRows& node, std::size_t c) {
        const Binning& binning = *node.store->binning;
        byte_ = node.bins() + binning.column[c].slot;
        stride_ = binning.stride;
        bundled_ = binning.column[c].bundled();
        if (bundled_) bin_ = binning.column[c].bin_of_byte();
        fine_ = false;
        missing_ = missing_bin;
        const std::optional<SmallIntegers>& integers = binning.column[c].integers;
        integer_ = integers ? node.bins() + integers->offset : nullptr;
    }

    // Whether places are no longer bins.
    bool fine() const { return fine_; }
    // Whether places are known by the small integers of the column.
    bool by_integer() const { return integer_ != nullptr; }
    std::size_t missing() const { return missing_; }
    // Calls f with a function that maps a row to its place.
    template <class F>
    void with(F f) const {
        if (fine_ && !integer_) return f([place = place_.data()](std::size_t i) { return std::size_t{place[i]}; });
        const std::uint8_t* const byte = fine_ ? integer_ : byte_;
        const std::size_t stride = stride_;
        if (fine_)
            return f([place = place_.data(), byte, stride](std::size_t i) {
                return std::size_t{place[SmallIntegers::read(byte + i * stride)]};
            });
        if (bundled_) return f([this, byte, stride](std::size_t i) { return std::size_t{bin_[byte[i * stride]]}; });
        f([byte, stride](std::size_t i) { return std::size_t{byte[i * stride]}; });
    }

    // Moves all rows to their new places, and counts the rows of the parts in `words`.
    template <class Cells>
    void zoom(const NodeRows& node, std::size_t c, const Cells& cells, std::vector<ZoomPlan>& plans,
              std::size_t n_places, Histogram& words, base::ThreadPool* pool) {
        const std::size_t width = cells.width();
        words.assign(n_places * width, 0);
        std::vector<Histogram> parts(pool ? static_cast<std::size_t>(pool->size()) : 0);
        place_rows(node, c, plans, n_places, pool, [&](std::size_t from, std::size_t to, int thread) {
            Histogram& part = pool ? parts[thread] : words;
            if (part.empty()) part.resize(words.size(), 0);
            for (std::size_t i = from; i < to; ++i)
                if (counted_[place_[i]]) Cells::put(part.data() + place_[i] * width, cells.row(i));
        });
        if (pool) add_parts(pool, parts, words);
    }

    // The same for a column of small integers, whose open ranges have one part per integer.
    template <class Cells>
    void zoom_integers(const NodeRows& node, std::size_t c, const Cells& cells, const std::vector<ZoomPlan>& plans,
                       std::size_t n_places, Histogram& words, base::ThreadPool* pool) {
        const std::size_t width = cells.width();
        words.assign(n_places * width, 0);
        std::vector<Histogram> parts(pool ? static_cast<std::size_t>(pool->size()) : 0);
        std::array<std::uint8_t, 256> is_open{};
        for (std::size_t b = 0; b < missing_bin; ++b) is_open[b] = plans[b].n_parts > 0;
        place_integers(node.store->binning->column[c], plans, n_places);
        base::for_blocks(pool, node.size(), [&](std::size_t, std::size_t from, std::size_t to, int thread) {
            Histogram& part = pool ? parts[thread] : words;
            if (part.empty()) part.resize(words.size(), 0);
            std::array<std::uint32_t, base::block_rows> positions;
            std::size_t n_hits = 0;
            for (std::size_t i = from; i < to; ++i) {  // no branch instruction depends on the data
                positions[n_hits] = static_cast<std::uint32_t>(i);
                n_hits += is_open[byte_[i * stride_]];
            }
            for (std::size_t k = 0; k < n_hits; ++k) {
                const std::uint32_t i = positions[k];
                const std::size_t place = place_[SmallIntegers::read(integer_ + i * stride_)];
                Cells::put(part.data() + place * width, cells.row(i));
            }
        });
        if (pool) add_parts(pool, parts, words);
    }

    // The largest value in a place of a column of small integers, and the smallest one in the next place with rows.
    std::pair<double, double> integers_around(const NodeRows& node, std::size_t c, std::size_t place, std::size_t next,
                                              base::ThreadPool* pool) const;

private:
    // Computes the place of each integer.
    void place_integers(const ColumnBins& bins, const std::vector<ZoomPlan>& plans, std::size_t n_places);
    // Calls `placed` for every block of rows after its new places were computed.
    void place_rows(const NodeRows& node, std::size_t c, std::vector<ZoomPlan>& plans, std::size_t n_places,
                    base::ThreadPool* pool, const std::function<void(std::size_t, std::size_t, int)>& placed);

    const std::uint8_t* byte_ = nullptr;
    std::size_t stride_ = 0, missing_ = missing_bin;
    bool bundled_ = false, fine_ = false;
    std::array<std::uint8_t, 256> bin_{};
    base::Buffer<std::uint16_t> place_;      // per row of the node or, if integer_ is set, per small integer
    const std::uint8_t* integer_ = nullptr;  // the small integer of the first row; null: there are none
    std::vector<std::uint8_t> counted_;  // per place: whether it is a part
};

struct ZoomLayout {
    std::size_t n_places = 0;
    double rows = 0.0;  // of the zoomed ranges
    bool fits = true;
};

// Plans each range. A part has about `per_part` rows; ranges with less than four times as many rows are not zoomed.
// `width`: number of words per cell.
template <class BinnedColumn>
ZoomLayout lay_out(const BinnedColumn& column, const Marks& marks, std::size_t missing, std::size_t width,
                   double per_part, std::vector<ZoomPlan>& plans) {
    constexpr std::size_t most_places = 65535, most_words = std::size_t{1} << 18;
    const std::size_t room = std::min(std::max(most_words / width, 2 * column.size()), most_places);
    for (int most_bits = zoom_bits;; --most_bits) {
        ZoomLayout out;
        plans.assign(missing + 1, {});
        std::size_t last = 0;
        bool joins = false;  // with the next range, unless that is open
        for (std::size_t i = 0; i < column.size(); ++i) {
            if (column.rows(i) == 0.0) continue;
            ZoomPlan& plan = plans[i];
            plan.open = marks.of(i) & Marks::inside;
            if (!plan.open && joins) {
                plan.first = static_cast<std::uint32_t>(last);
            } else {
                last = out.n_places++;
                plan.first = static_cast<std::uint32_t>(last);
            }
            joins = !plan.open && !(marks.of(i) & Marks::after);
            if (!plan.open || column.rows(i) < 4.0 * per_part) continue;
            plan.bits = std::min(most_bits, 1 + std::ilogb(column.rows(i) / per_part));
            plan.n_parts = (1u << plan.bits) + 2;
            out.n_places += plan.n_parts - 1;
            out.rows += column.rows(i);
        }
        out.fits = out.n_places <= most_places;
        if (out.n_places <= room || most_bits == 0) return out;
    }
}

// Plans each range of a column of small integers: an open one has one part per integer.
template <class BinnedColumn>
ZoomLayout lay_out_integers(const BinnedColumn& column, const ColumnBins& bins, const Marks& marks, std::size_t width,
                            std::vector<ZoomPlan>& plans) {
    constexpr std::size_t most_words = std::size_t{1} << 18;
    ZoomLayout out;
    plans.assign(missing_bin + std::size_t{1}, {});
    bool joins = false;  // with the next range, unless that is open
    for (std::size_t b = 0; b < column.size(); ++b) {
        if (column.rows(b) == 0.0) continue;
        ZoomPlan& plan = plans[b];
        plan.open = marks.of(b) & Marks::inside;
        if (!plan.open && joins) {
            plan.first = static_cast<std::uint32_t>(out.n_places - 1);
        } else {
            plan.first = static_cast<std::uint32_t>(out.n_places);
            const auto [first, last] = bins.integers_of(b);
            plan.n_parts = plan.open ? last - first + 1u : 0;
            plan.one_by_one = plan.open;
            out.n_places += std::max<std::size_t>(1, plan.n_parts);
        }
        joins = !plan.open && !(marks.of(b) & Marks::after);
    }
    out.fits = out.n_places * width <= most_words;
    return out;
}

}  // namespace ceiba::split
