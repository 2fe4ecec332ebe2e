// Nodes whose rows were gathered from all shards. Their subtrees are grown as in memory.
#pragma once

#include "grow/builder.hpp"
#include "grow/grow.hpp"
#include "shards/cells.hpp"
#include "shards/protocol.hpp"

namespace ceiba::shards {

struct ColumnType {
    data::ColumnKind kind = data::ColumnKind::numeric;
    std::int32_t n_levels = 0;
};

// The rows of one node, in the order of the whole table.
class GatheredNode {
public:
    GatheredNode(const std::vector<ColumnType>& types, const CellShape& shape)
        : types_(&types),
          n_classes_(shape.n_classes),
          weighted_(shape.weighted),
          numbers_(types.size()),
          codes_(types.size()) {}

    void clear();
    // Reads the next piece of the node, as a shard writes it.
    void read(Reader& in);
    std::size_t words_of_row() const { return types_->size() + 1 + weighted_; }
    std::size_t n_rows() const { return n_classes_ > 0 ? labels_.size() : targets_.size(); }
    // Views of this node, which must outlive them.
    data::Table table() const;
    data::Target target() const;

private:
    const std::vector<ColumnType>* types_;
    std::size_t n_classes_;
    bool weighted_;
    std::vector<std::vector<double>> numbers_;
    std::vector<std::vector<std::int32_t>> codes_;
    std::vector<std::int32_t> labels_;
    std::vector<double> targets_;  // numbers, if there are no classes
    std::vector<double> weights_;
};

}  // namespace ceiba::shards
