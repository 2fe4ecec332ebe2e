#include "shards/gathered.hpp"

namespace ceiba::shards {

void GatheredNode::clear() {
    for (std::vector<double>& column : numbers_) column.clear();
    for (std::vector<std::int32_t>& column : codes_) column.clear();
    labels_.clear(), targets_.clear(), weights_.clear();
}

void GatheredNode::read(Reader& in) {
    const std::size_t n = in.size();
    const auto append = [n, &in](auto& out, auto value) {
        const std::size_t first = out.size();
        const auto words = in.read(n);
        out.resize(first + n);
        for (std::size_t i = 0; i < n; ++i) out[first + i] = value(words[i]);
    };
    const auto append_codes = [&append](std::vector<std::int32_t>& out) {
        append(out, [](std::uint64_t word) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(word)); });
    };
    const auto append_numbers = [&append](std::vector<double>& out) {
        append(out, [](std::uint64_t word) { return std::bit_cast<double>(word); });
    };
    for (std::size_t c = 0; c < types_->size(); ++c) {
        if ((*types_)[c].kind != data::ColumnKind::numeric) {
            append_codes(codes_[c]);
            continue;
        }
        append_numbers(numbers_[c]);
    }
    if (n_classes_ > 0)
        append_codes(labels_);
    else
        append_numbers(targets_);
    if (weighted_) append_numbers(weights_);
}

data::Table GatheredNode::table() const {
    data::Table table;
    table.n_rows = n_rows();
    for (std::size_t c = 0; c < types_->size(); ++c) {
        const ColumnType& type = (*types_)[c];
        table.columns.push_back(type.kind == data::ColumnKind::numeric
                                    ? data::Column::numeric(numbers_[c].data(), sizeof(double))
                                    : data::Column::levels(codes_[c].data(), sizeof(std::int32_t), type.n_levels,
                                                           type.kind == data::ColumnKind::ordered));
    }
    return table;
}

data::Target GatheredNode::target() const {
    data::Target target;
    target.n_rows = n_rows();
    if (n_classes_ > 0) target.n_classes = {static_cast<int>(n_classes_)};
    target.labels = labels_.data();
    target.numbers = targets_.data();
    if (weighted_) target.weight = weights_.data();
    return target;
}

}  // namespace ceiba::shards
