#include "split/store/sparse_slots.hpp"

#include "split/store/sparse_entries.hpp"

namespace ceiba::split {

namespace {

// The distinct numbers of all columns, numbered by first occurrence. The first number of each column is stored in a
// separate array, because most words that occur in a text occur once.
class Numbering {
public:
    explicit Numbering(std::size_t n_columns) : first_(n_columns), more_(n_columns) {}

    std::uint32_t number(std::size_t column, double x) {
        return first_[column].x == x ? first_[column].number : number_of_another(column, x);
    }
    bool too_many() const { return too_many_; }
    std::size_t n_slots() const { return n_slots_; }

    // Creates the slots. Returns the slot of each number.
    std::vector<std::uint32_t> lay_out(SparseSlots& out) {
        std::vector<std::uint32_t> slot_of(n_slots_);
        for (std::size_t c = 0; c < more_.size(); ++c) {
            out.start.push_back(static_cast<std::uint32_t>(out.value.size()));
            std::vector<Slot>& slots = more_[c];
            if (first_[c].x != 0.0) slots.push_back(first_[c]);
            std::sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) { return a.x < b.x; });
            std::uint32_t rank = SparseEntries::zero;
            for (const Slot& k : slots) rank -= k.x < 0.0;
            for (const Slot& k : slots) {
                rank += rank == SparseEntries::zero;  // the rank of zeros
                slot_of[k.number] = static_cast<std::uint32_t>(out.value.size());
                out.value.push_back(k.x);
                out.rank.push_back(rank++);
            }
        }
        out.start.push_back(static_cast<std::uint32_t>(out.value.size()));
        return slot_of;
    }

private:
    struct Slot {
        double x = 0.0;  // 0 is never stored: there is no number yet
        std::uint32_t number = 0;
    };

    std::uint32_t number_of_another(std::size_t column, double x) {
        std::vector<Slot>& more = more_[column];
        for (const Slot& k : more)
            if (k.x == x) return k.number;
        too_many_ = too_many_ || more.size() + 2 > SparseSlots::most_values;
        if (first_[column].x == 0.0)
            first_[column] = {x, n_slots_};
        else
            more.push_back({x, n_slots_});
        return n_slots_++;
    }

    std::vector<Slot> first_;
    std::vector<std::vector<Slot>> more_;
    std::uint32_t n_slots_ = 0;
    bool too_many_ = false;
};

// Writes the numbers of all rows, row by row. Returns false if a column has too many distinct numbers.
bool number_rows(const data::SparseMatrix& m, const data::TargetRows& target, Numbering& numbering, SparseSlots& out) {
    const auto& row = target.row;
    out.row_start.assign(m.n_rows + 1, 0);
    if (m.by_rows) {  // in their original order
        std::size_t n = 0, done = 0;
        for (const std::uint32_t r : row) n += m.start(r + 1) - m.start(r);
        out.slot.reserve(n);
        for (const std::uint32_t r : row) {
            for (; done <= r; ++done) out.row_start[done] = out.slot.size();
            for (std::size_t k = m.start(r), end = m.start(r + 1); k < end; ++k)
                if (const double x = m.value(k); x != 0.0) out.slot.push_back(numbering.number(m.index(k), x));
            if (numbering.too_many()) return false;
        }
        for (; done <= m.n_rows; ++done) out.row_start[done] = out.slot.size();
        return true;
    }
    for_each_entry(m, target, [&](std::size_t, std::uint32_t i, double) { ++out.row_start[row[i] + 1]; });
    std::partial_sum(out.row_start.begin(), out.row_start.end(), out.row_start.begin());
    out.slot.resize(out.row_start.back());
    std::vector<std::size_t> next = out.row_start;
    for_each_entry(m, target, [&](std::size_t c, std::uint32_t i, double x) {
        if (!numbering.too_many()) out.slot[next[row[i]]++] = numbering.number(c, x);
    });
    return !numbering.too_many();
}

// Creates the slots and counts them. Null if the columns have too many distinct numbers.
std::shared_ptr<const SparseSlots> make_slots(const data::SparseMatrix& m, const data::TargetRows& target,
                                              std::shared_ptr<Histogram>& counts) {
    auto out = std::make_shared<SparseSlots>();
    Numbering numbering(m.n_columns);
    if (!number_rows(m, target, numbering, *out) || numbering.n_slots() > out->slot.size() / 2) return nullptr;
    const std::vector<std::uint32_t> slot_of = numbering.lay_out(*out);
    counts = std::make_shared<Histogram>(out->size(), 0);
    for (std::size_t i = 0; i < target.size(); ++i) {
        const std::uint32_t row = target.row[i];
        const std::uint64_t row_count = (std::uint64_t{1} << 32) | target.labels[0][i];
        for (std::size_t k = out->row_start[row], end = out->row_start[row + 1]; k < end; ++k) {
            const std::uint32_t slot = slot_of[out->slot[k]];
            out->slot[k] = slot;
            (*counts)[slot] += row_count;
        }
    }
    return out;
}

// Calls f(row of the node, slot) for all entries of a node.
template <class F>
void for_each_slot(const NodeRows& node, F f) {
    const SparseSlots& slots = *node.store->slots;
    const std::uint32_t* const row = node.target().row.data() + node.begin;
    for (std::size_t i = 0; i < node.size(); ++i)
        for (std::size_t k = slots.row_start[row[i]], end = slots.row_start[row[i] + 1]; k < end; ++k)
            f(i, slots.slot[k]);
}

std::size_t count_entries(const NodeRows& node) {
    const SparseSlots& slots = *node.store->slots;
    const data::TargetRows& target = node.target();
    std::size_t sum = 0;
    for (std::size_t i = node.begin; i < node.end; ++i)
        sum += slots.row_start[target.row[i] + 1] - slots.row_start[target.row[i]];
    return sum;
}

std::shared_ptr<Histogram> count_slots(const NodeRows& node) {
    auto out = std::make_shared<Histogram>(node.store->slots->size(), 0);
    std::uint64_t* const count = out->data();
    const std::uint16_t* const label = node.target().labels[0].data() + node.begin;
    for_each_slot(node, [&](std::size_t i, std::uint32_t slot) { count[slot] += (std::uint64_t{1} << 32) | label[i]; });
    return out;
}

// Sorts the entries of a node by column and number.
void sort_slots(NodeRows& node) {
    constexpr std::uint32_t dead = 0xFFFFFFFF;
    const SparseSlots& slots = *node.store->slots;
    std::vector<std::uint32_t> place(slots.size(), 0);  // at first counts
    for_each_slot(node, [&](std::size_t, std::uint32_t slot) { ++place[slot]; });
    auto sparse = std::make_shared<SparseEntries>();
    std::vector<std::uint32_t> live;
    std::uint32_t next = 0;
    for (std::size_t c = 0; c + 1 < slots.start.size(); ++c) {
        std::uint32_t n = 0, most = 0;
        for (std::uint32_t s = slots.start[c]; s < slots.start[c + 1]; ++s)
            n += place[s], most = std::max(most, place[s]);
        const bool varies = n > 0 && most < node.size();
        if (varies) live.push_back(static_cast<std::uint32_t>(c)), sparse->start.push_back(next);
        for (std::uint32_t s = slots.start[c]; s < slots.start[c + 1]; ++s) {
            const std::uint32_t in_slot = place[s];
            place[s] = varies ? next : dead;
            next += varies ? in_slot : 0;
        }
    }
    sparse->start.push_back(next);
    sparse->entries.resize(next);
    for_each_slot(node, [&](std::size_t i, std::uint32_t slot) {
        if (place[slot] != dead) sparse->entries[place[slot]++] = {slots.rank[slot], static_cast<std::uint32_t>(i)};
    });
    node.live = std::make_shared<const std::vector<std::uint32_t>>(std::move(live));
    node.sparse = std::move(sparse);
}

}  // namespace

SparseSlots::Side SparseSlots::without_zeros(std::size_t column, double cut) const {
    const auto first = value.begin() + start[column], end = value.begin() + start[column + 1];
    const std::uint32_t above = static_cast<std::uint32_t>(std::upper_bound(first, end, cut) - value.begin());
    const bool zeros_left = 0.0 <= cut;
    return {zeros_left ? above : start[column], zeros_left ? start[column + 1] : above, zeros_left};
}

// A branchless binary search down to a range that is compared at once, so that the processor can overlap several rows
// and numbers.
bool SparseSlots::has_any(std::size_t row, const Side& side) const {
    constexpr std::size_t short_enough = 64;
    const std::uint32_t* at = slot.data() + row_start[row];
    std::size_t n = row_start[row + 1] - row_start[row];
    for (; n > short_enough; n -= n / 2) at += (n / 2) * static_cast<std::size_t>(at[n / 2 - 1] < side.from);
    const std::uint32_t width = side.to - side.from;
    std::uint32_t any = 0;
    for (std::size_t k = 0; k < n; ++k) any |= static_cast<std::uint32_t>(at[k] - side.from < width);
    return any != 0;
}

SideCounts counts_without_zeros(const NodeRows& node, std::size_t column, double cut) {
    const SparseSlots::Side side = node.store->slots->without_zeros(column, cut);
    std::uint64_t sum = 0;
    for (std::uint32_t s = side.from; s < side.to; ++s) sum += (*node.histogram)[s];
    return {sum, side.zeros_left};
}

bool slots_support(const data::Table& table, const data::Target& target, const SearchOptions& options) {
    const bool all_columns =
        options.max_features <= 0 || static_cast<std::size_t>(options.max_features) >= table.columns.size();
    return table.sparse && target.n_classes.size() == 1 && target.n_classes[0] == 2 && !target.weight &&
           options.class_scale.empty() && !options.random_cuts && all_columns &&
           options.missing != Missing::surrogate && options.missing != Missing::fractional;
}

NodeRows slotted_root(const data::Table& table, const data::Target& target, base::Interrupt& interrupt) {
    NodeRows root = new_store(table, copy_target(target, false, nullptr));
    root.present.clear();
    root.store->make_second_side();
    root.store->slots = make_slots(*table.sparse, root.target(), root.histogram);
    interrupt.poll();
    return root.store->slots ? root : NodeRows{};
}

void hand_down_slots(NodeRows& node, const std::vector<BranchRows>& branches) {
    const std::size_t entries[2] = {count_entries(*branches[0].rows), count_entries(*branches[1].rows)};
    const std::size_t less = entries[1] < entries[0] ? 1 : 0, more = 1 - less;
    const auto counted = [&](std::size_t b) { return branches[b].searched && entries[b] >= node.store->slots->size(); };
    std::shared_ptr<Histogram> counts;
    if (counted(0) || counted(1)) counts = count_slots(*branches[less].rows);
    if (counted(more)) {
        std::shared_ptr<Histogram> rest = std::move(node.histogram);
        for (std::size_t s = 0; s < counts->size(); ++s) (*rest)[s] -= (*counts)[s];
        branches[more].rows->histogram = std::move(rest);
    }
    if (counted(less)) branches[less].rows->histogram = std::move(counts);
    for (std::size_t b = 0; b < 2; ++b)
        if (branches[b].searched && !counted(b)) sort_slots(*branches[b].rows);
}

}  // namespace ceiba::split
