// Histograms: one cell (cells.hpp) for each byte of a row and each of its 256 values, all in one array, followed by one
// cell that counts all rows. A byte encodes a numeric column, or several (bundles.hpp).
#pragma once

#include "split/store/row_store.hpp"

namespace ceiba::split {

constexpr std::size_t cells_per_column = 256;

// Words from one byte to the next. The stride is one cache line larger than the cells; otherwise the same bin of all
// columns would map to the same few sets of the L1 cache.
template <class Cells>
std::size_t column_words(const Cells& cells) {
    return cells_per_column * cells.width() + 8;
}

// Adds the rows [from, to) of a node. The bytes of a row are adjacent, so each row is read once for all columns. The
// cells of about a hundred columns fit the L2 cache; more columns are counted in several passes.
template <class Cells>
void count_rows(const NodeRows& node, const Cells& cells, std::size_t from, std::size_t to, std::uint64_t* words) {
    const Binning& binning = *node.store->binning;
    const std::size_t n_columns = binning.n_slots, width = cells.width(), stride = binning.stride,
                      to_next = column_words(cells);
    const std::size_t at_once = std::max<std::size_t>(1, (std::size_t{1} << 17) / to_next);
    const std::uint8_t* const bytes = node.bins();
    for (std::size_t first = 0; first < n_columns; first += at_once) {
        const std::size_t last = std::min(n_columns, first + at_once);
        for (std::size_t i = from; i < to; ++i) {
            const auto row = cells.row(i);
            const std::uint8_t* const byte = bytes + i * stride;
            std::uint64_t* column = words + first * to_next;
            for (std::size_t c = first; c < last; ++c, column += to_next) Cells::put(column + byte[c] * width, row);
        }
    }
}

// Adds the counts of all threads. Threads that counted nothing have no words.
inline void add_parts(base::ThreadPool* pool, const std::vector<Histogram>& parts, Histogram& whole) {
    constexpr std::size_t words_at_once = 1024;
    base::for_blocks(
        pool, whole.size(),
        [&](std::size_t, std::size_t from, std::size_t to, int) {
            for (const Histogram& part : parts)
                for (std::size_t w = from; w < to && !part.empty(); ++w) whole[w] += part[w];
        },
        words_at_once);
}

template <class Cells>
std::shared_ptr<Histogram> count(const NodeRows& node, Cells cells, base::ThreadPool* pool) {
    const std::size_t n = node.size(), all_rows = node.store->binning->n_slots * column_words(cells),
                      n_words = all_rows + cells.width();
    cells.bind(node.target(), node.begin);
    auto whole = std::make_shared<Histogram>(n_words, 0);
    if (pool && n > base::block_rows) {
        std::vector<Histogram> parts(static_cast<std::size_t>(pool->size()));
        base::for_blocks(pool, n, [&](std::size_t, std::size_t from, std::size_t to, int thread) {
            Histogram& part = parts[thread];
            if (part.empty()) part.resize(n_words, 0);
            count_rows(node, cells, from, to, part.data());
        });
        add_parts(pool, parts, *whole);
    } else {
        count_rows(node, cells, 0, n, whole->data());
    }
    // The cell of all rows is the sum of the cells of the first byte.
    for (std::size_t b = 0; all_rows > 0 && b < cells_per_column; ++b)
        for (std::size_t w = 0; w < cells.width(); ++w) (*whole)[all_rows + w] += (*whole)[b * cells.width() + w];
    return whole;
}

}  // namespace ceiba::split
