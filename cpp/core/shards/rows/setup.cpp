#include "shards/rows/setup.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "split/bins/edge_search.hpp"

namespace ceiba::shards {

namespace {

constexpr std::size_t block = 4096;  // rows whose bytes stay in the cache while column after column is binned

template <class T>
void bin_block(const split::EdgeSearch<T>& search, const data::Column& column, std::size_t from, std::size_t to,
               std::size_t stride, std::uint8_t* byte, BinRanges& ranges) {
    constexpr std::size_t lanes = split::EdgeSearch<T>::lanes;
    const std::uint8_t missing = static_cast<std::uint8_t>(ranges.least.size());
    T x[lanes];
    std::uint32_t bin[lanes];
    for (std::size_t i = from; i < to; i += lanes) {
        const std::size_t n = std::min(lanes, to - i);
        for (std::size_t j = 0; j < lanes; ++j) {
            const std::size_t row = i + (j < n ? j : 0);
            x[j] = column.is<T>() ? column.fast<T>(row) : static_cast<T>(column.number(row));
        }
        search.find(x, bin);
        for (std::size_t j = 0; j < n; ++j, byte += stride) {
            const bool there = x[j] == x[j];
            *byte = there ? static_cast<std::uint8_t>(bin[j]) : missing;
            if (!there) continue;
            const double value = static_cast<double>(x[j]) + 0.0;
            double &least = ranges.least[bin[j]], &most = ranges.most[bin[j]];
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
    }
}

}  // namespace

std::vector<BinRanges> bin_rows(const data::Table& table, const std::vector<std::vector<double>>& edges,
                                std::uint8_t* bytes, base::Interrupt& interrupt) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<BinRanges> out(table.columns.size());
    std::vector<std::size_t> binned;
    std::vector<split::EdgeSearch<float>> single;
    std::vector<split::EdgeSearch<double>> twice;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c].kind() == data::ColumnKind::levels) continue;
        binned.push_back(c);
        out[c] = {std::vector<double>(edges[c].size() + 1, infinity),
                  std::vector<double>(edges[c].size() + 1, -infinity)};
        const bool is_single = table.columns[c].is<float>();
        single.emplace_back(is_single ? edges[c] : std::vector<double>{});
        twice.emplace_back(is_single ? std::vector<double>{} : edges[c]);
    }
    const std::size_t stride = binned.size();
    for (std::size_t from = 0; from < table.n_rows; from += block) {
        interrupt.poll();
        const std::size_t to = std::min(table.n_rows, from + block);
        for (std::size_t s = 0; s < stride; ++s) {
            const data::Column& column = table.columns[binned[s]];
            std::uint8_t* const first = bytes + from * stride + s;
            if (column.is<float>())
                bin_block(single[s], column, from, to, stride, first, out[binned[s]]);
            else
                bin_block(twice[s], column, from, to, stride, first, out[binned[s]]);
        }
    }
    return out;
}

}  // namespace ceiba::shards
