#include "split/missing/fractional.hpp"

namespace ceiba::split {

FractionalDivision::FractionalDivision(const NodeRows& node, const Routing& routing)
    : node_(node), branch_(routing.branch), share_(static_cast<std::size_t>(routing.n_branches), 0.0) {
    const data::TargetRows& target = node.target();
    double placed = 0.0;
    std::size_t n_fractional = 0;
    for (std::size_t i = 0; i < branch_.size(); ++i) {
        if (branch_[i] == unplaced) {
            ++n_fractional;
            continue;
        }
        share_[branch_[i]] += target.weight_of(node.begin + i);
        placed += target.weight_of(node.begin + i);
    }
    for (double& s : share_) s /= placed;
    place_.resize(branch_.size());
    fractional_.resize(n_fractional * share_.size());
    std::vector<std::uint32_t> size(share_.size(), 0);
    std::uint32_t n_seen = 0;
    for (std::size_t i = 0; i < branch_.size(); ++i) {
        if (branch_[i] != unplaced) {
            place_[i] = size[branch_[i]]++;
            continue;
        }
        place_[i] = n_seen++;
        for (std::size_t b = 0; b < share_.size(); ++b)
            if (share_[b] > 0.0) fractional_[place_[i] * share_.size() + b] = size[b]++;
    }
    begin_.assign(share_.size() + 1, 0);
    std::partial_sum(size.begin(), size.end(), begin_.begin() + 1);
}

std::vector<NodeRows> FractionalDivision::branches() const {
    const data::TargetRows& from = node_.target();
    const auto store = std::make_shared<RowStore>();
    store->table = node_.store->table;
    store->resize_columns(node_.store->n_columns());
    data::TargetRows& to = store->target[0];
    to.n_classes = from.n_classes;
    to.row.resize(size());
    to.weight.resize(size());
    to.labels.assign(from.labels.size(), base::Buffer<std::uint16_t>(size()));
    to.numbers.assign(from.numbers.size(), base::Buffer<double>(size()));
    for (std::size_t i = 0; i < node_.size(); ++i)
        each(i, [&](std::size_t b, std::uint32_t place, double part) {
            const std::size_t at = begin_[b] + place, source = node_.begin + i;
            to.row[at] = from.row[source];
            to.weight[at] = from.weight_of(source) * part;
            for (std::size_t o = 0; o < from.labels.size(); ++o) to.labels[o][at] = from.labels[o][source];
            for (std::size_t o = 0; o < from.numbers.size(); ++o) to.numbers[o][at] = from.numbers[o][source];
        });
    store->make_second_side();
    std::vector<NodeRows> out(share_.size());
    for (std::size_t b = 0; b < out.size(); ++b) {
        out[b].store = store;
        out[b].begin = begin_[b];
        out[b].end = begin_[b + 1];
        out[b].live = node_.live;
    }
    return out;
}

void FractionalDivision::hand_down_columns(const std::vector<BranchRows>& branches) const {
    const RowStore& from = *node_.store;
    for (const BranchRows& branch : branches)
        if (branch.searched) branch.rows->present.assign(from.sorted.size(), 0);
    RowStore& store = *branches[0].rows->store;
    store.allocate_codes(level_columns(node_));
    store.codes[1].resize(store.codes[0].size());
    const auto divide = [&](std::size_t c) {
        from.has_levels(c) ? divide_codes(c, branches) : divide_sorted(c, branches);
    };
    const LiveColumns columns(node_);
    // The other columns were not moved with the rows, and are not read again.
    for (std::size_t i = 0; i < columns.size(); ++i) divide(columns[i]);
}

void FractionalDivision::divide_codes(std::size_t c, const std::vector<BranchRows>& branches) const {
    std::int32_t* const to = branches[0].rows->store->codes_of(c, 0);
    const std::int32_t* const codes = node_.codes(c);
    for (std::size_t i = 0; i < node_.size(); ++i)
        each(i, [&](std::size_t b, std::uint32_t place, double) { to[begin_[b] + place] = codes[i]; });
    for (std::size_t b = 0; b < branches.size(); ++b)
        if (branches[b].searched)
            branches[b].rows->present[c] = static_cast<std::uint32_t>(
                std::count_if(to + begin_[b], to + begin_[b + 1], [](auto k) { return k >= 0; }));
}

void FractionalDivision::divide_sorted(std::size_t c, const std::vector<BranchRows>& branches) const {
    std::vector<Entry>& to = branches[0].rows->store->sorted[c];
    to.resize(size());
    const Entry* const entries = node_.entries(c);
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    const auto move = [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            each(entries[i].row, [&](std::size_t b, std::uint32_t place, double) {
                to[next[b]++] = {entries[i].rank, place};
            });
    };
    const std::size_t n_present = node_.n_present(c);
    move(0, n_present);
    for (std::size_t b = 0; b < branches.size(); ++b)
        if (branches[b].searched) branches[b].rows->present[c] = next[b] - begin_[b];
    move(n_present, node_.size());
}

}  // namespace ceiba::split
