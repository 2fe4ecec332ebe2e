// A shard: some rows of a table, in bytes and in full, and how they are spread over the open nodes. It answers rounds
// (rounds.hpp) and knows no criterion, no option and no other shard.
//
// Rows are never moved: `order` lists them node after node, ascending in each. All arrays belong to somebody else, and
// may be mapped from files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "data/table.hpp"
#include "shards/layout.hpp"
#include "shards/message.hpp"
#include "shards/rounds.hpp"

namespace ceiba::shards {

struct ShardRows {
    data::Table table;
    const std::uint8_t* bytes = nullptr;   // row after row, one per numeric column
    const std::int32_t* labels = nullptr;  // classes ...
    const double* numbers = nullptr;       // ... or numbers
    const double* weights = nullptr;       // null: every row counts 1
    std::uint32_t* order = nullptr;        // the rows of the tree, ascending; to be rearranged
    std::size_t n_order = 0;
};

class Shard {
public:
    // Between two carries (digits.hpp) a row adds up to two digits to a word.
    static constexpr std::size_t most_rows = std::size_t{1} << 30;

    // `number`: its place among the shards, which is that of its rows in the table.
    Shard(ShardRows rows, std::shared_ptr<const Layout> layout, std::uint64_t number);

    Words answer(std::span<const std::uint64_t> round);

private:
    struct Range {
        std::size_t begin, end;
    };
    using Asks = std::span<const StretchAsk>;

    void catch_up(Reader& in);
    void follow(Reader level, std::size_t n_nodes);
    void branches_of(const Route& route, const Range& node, std::vector<std::uint16_t>& branch) const;
    void carry(std::uint64_t* cells, std::size_t n) const;
    Words count(Reader& in) const;
    Words zoom(const std::vector<StretchAsk>& asks) const;
    Words fetch(const std::vector<StretchAsk>& asks) const;
    Words neighbours(Reader& in) const;
    Words gather(Reader& in) const;
    Words describe(Reader& in) const;
    double weight(std::size_t row) const { return rows_.weights ? rows_.weights[row] : 1.0; }
    template <class F>
    void with_terms(F f) const;
    const Range& node(std::size_t i) const;
    template <class Put>
    void each_inside(Asks asks, Put put) const;
    template <class F>
    void each_place(const std::vector<StretchAsk>& asks, F f) const;

    ShardRows rows_;
    std::shared_ptr<const Layout> layout_;
    std::uint64_t number_;
    std::size_t level_ = 0;                   // of the way that this shard has followed
    std::vector<Range> nodes_;                // the open nodes, as places in `order`
    std::vector<std::uint64_t> branch_rows_;  // of all branches of the last level, open or not
    std::mutex busy_;
};

}  // namespace ceiba::shards
