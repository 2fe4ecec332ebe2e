#include "grow/small_tree.hpp"

#include "base/allow_list.hpp"
#include "grow/builder.hpp"
#include "grow/wide_entries.hpp"

namespace ceiba::grow {

using split::EntryLayout;
using split::PackedColumns;

// The best cut so far. The Gini gain of a cut grows with numerator / denominator = left squares / left + right squares
// / right. For 4,096 rows the numerator has at most 34 bits and the denominator, left x right, 22. Cuts are compared
// first by a score in floating point: this fraction or, for two classes in the node, (n left ones - left ones of the
// node)^2 / (left x right), which costs less.
struct SmallGrower::BestCut {
    std::size_t at = 0;       // index among the packed columns
    std::int32_t column = 0;  // index in the table
    std::uint32_t begin = 0;  // entries [begin, end) are one side of the cut: the left side, unless ...
    std::uint32_t end = 0;
    std::uint32_t code = 0;       // ... the cut separates this rare value of a bundle
    std::uint32_t n_present = 0;  // missing values follow the present ones
    bool missing_left = false;    // they are also on the left side
    std::int64_t numerator = -1, denominator = 1;
    double threshold = -1.0;  // minimum floating-point score for an exact comparison

    // Takes the cut if it is better by any amount. Ties go to the lowest column, then to the lowest cut.
    bool offer(std::int64_t top, std::int64_t bottom, double score, std::int32_t of_column) {
        if (numerator >= 0) {
            const std::int64_t old_product = numerator * bottom, new_product = top * denominator;
            if (new_product < old_product || (new_product == old_product && of_column >= column)) return false;
        }
        numerator = top;
        denominator = bottom;
        column = of_column;
        // The score has four roundings of relative size 2^-53.
        threshold = score * (1.0 - 0x1p-49);
        return true;
    }
    void place(std::size_t among_packed, std::uint32_t from, std::uint32_t to, std::uint32_t present) {
        at = among_packed;
        begin = from;
        end = to;
        code = 0;
        n_present = present;
        missing_left = false;
    }
    bool found() const { return numerator >= 0; }
};

// The entries of a column in a node. A column with missing values is scanned twice: first they are on the right of all
// cuts, the last of which separates them from the present ones; then they are on the left.
struct SmallGrower::ColumnScan {
    std::size_t at;      // index among the packed columns
    std::int32_t index;  // in the table
    const std::uint32_t* entries;
    std::int32_t size, n_present;
    std::int32_t before;       // rows that are left of all cuts
    std::int32_t first, last;  // the cuts after the entries [first, last) leave enough rows on both sides

    ColumnScan(std::size_t among_packed, std::int32_t in_table, const std::uint32_t* sorted, std::uint32_t n,
               std::uint32_t present, std::size_t min_rows)
        : at(among_packed),
          index(in_table),
          entries(sorted),
          size(static_cast<std::int32_t>(n)),
          n_present(static_cast<std::int32_t>(present)) {
        place_missing(0, static_cast<std::int32_t>(min_rows));
    }
    void place_missing_left(std::size_t min_rows) {
        place_missing(size - n_present, static_cast<std::int32_t>(min_rows));
    }
    // Calls visit(entry) for the entries that are left of all cuts.
    template <class Visit>
    void each_before(Visit visit) const {
        for (std::int32_t i = size - before; i < size; ++i) visit(entries[i]);
    }

private:
    void place_missing(std::int32_t on_the_left, std::int32_t min_rows) {
        before = on_the_left;
        first = std::max(min_rows - before - 1, 0);
        last = std::min(size - before - min_rows, n_present);
    }
};

namespace {

// More values (rows x columns) than this do not fit into the cache.
constexpr std::size_t most_values = std::size_t{1} << 17;
// Nodes with fewer rows are finished before a loop with 16 lanes has started.
constexpr std::int32_t least_wide_rows = 16;
// Entries that are scanned between two polls: less than a millisecond.
constexpr std::size_t work_per_poll = 100000;
// The limit for a complete table in one thread: 128 MB of entries.
constexpr std::size_t most_values_alone = std::size_t{1} << 25;

// The counts of both sides of the chosen cut, for the criterion's high-precision gain.
class CutCounts {
public:
    CutCounts(const std::uint32_t* of_left, const std::uint32_t* of_all, int n_classes)
        : left_(of_left), total_(of_all), k_(n_classes) {}

    int n_classes() const { return k_; }
    double left_precise(int c) const { return left_[c]; }
    double right_precise(int c) const { return total_[c] - left_[c]; }
    double total_precise(int c) const { return total_[c]; }
    // There are at most 4,096 rows.
    bool squares_are_exact() const { return true; }
    double left_squares() const {
        return squares([this](int c) { return left_[c]; });
    }
    double right_squares() const {
        return squares([this](int c) { return total_[c] - left_[c]; });
    }
    double total_squares() const {
        return squares([this](int c) { return total_[c]; });
    }
    double left_weight() const { return std::accumulate(left_, left_ + k_, 0u); }
    double right_weight() const { return std::accumulate(total_, total_ + k_, 0u) - left_weight(); }

private:
    template <class Count>
    double squares(Count count) const {
        std::uint32_t sum = 0;
        for (int c = 0; c < k_; ++c) sum += count(c) * count(c);
        return sum;
    }

    const std::uint32_t *left_, *total_;
    int k_;
};

// Inlined as a whole: the processor then computes the three divisions of double-doubles at the same time.
[[gnu::flatten]] double gini_gain(const CutCounts& counts) { return criteria::Gini{}.gain(counts).value(); }

}  // namespace

SmallGrower::SmallGrower(std::size_t n_classes, const GrowOptions& options)
    : stop_(options, options.search),
      n_classes_(n_classes),
      wide_(base::has_wide_registers()),
      learns_(options.search.missing == split::Missing::learn),
      columns_(n_classes) {
    const double least = std::ceil(options.search.min_weight);
    min_rows_ = std::max<std::size_t>({1, options.search.min_rows, static_cast<std::size_t>(least)});
}

bool SmallGrower::read(const data::Table& table, const std::uint32_t* rows, std::size_t n_rows,
                       const std::uint16_t* label) {
    return prepare(columns_.sort(table, rows, n_rows, label, learns_));
}

bool SmallGrower::read(const split::NodeRows& node) { return prepare(columns_.sort(node, learns_)); }

bool SmallGrower::prepare(bool readable) {
    if (!readable) return false;
    const std::size_t known = reciprocal_.size(), needed = std::max(known, columns_.n_rows() + 1);
    reciprocal_.resize(needed);
    for (std::size_t n = known; n < needed; ++n) reciprocal_[n] = 1.0 / static_cast<double>(n);
    goes_left_.resize(columns_.n_rows() + 64);
    spare_.resize(columns_.n_rows() + past_entries);
    return true;
}

tree::TreeArrays SmallGrower::grow(int depth, double whole_weight, base::Interrupt* interrupt) {
    stop_.begin(whole_weight);
    out_ = {};
    reserve(out_, std::min<std::size_t>(2 * columns_.n_rows(), 32), n_classes_);
    counts_.assign(3 * n_classes_, 0);  // the counts of open nodes follow, one group per stack position
    for (std::size_t i = 0; i < columns_.n_rows(); ++i) ++open_counts(0)[columns_.label_of_row(i)];
    stack_.clear();
    stack_.push_back({0, static_cast<std::uint32_t>(columns_.n_rows()), -1, depth});
    stack_.back().splittable = splittable(stack_.back(), open_counts(0));
    std::size_t work = 0;  // entries since the host was polled
    while (!stack_.empty()) {
        work += stack_.back().size() * columns_.size();
        if (interrupt && work > work_per_poll) {
            interrupt->poll();
            work = 0;
        }
        visit();
    }
    tree::link_branches(out_);
    return std::move(out_);
}

bool SmallGrower::splittable(const Open& open, const std::uint32_t* counts) const {
    return stop_.large_enough(open.size(), static_cast<double>(open.size()), open.depth) &&
           std::count_if(counts, counts + n_classes_, [](std::uint32_t c) { return c > 0; }) > 1;
}

// Pops a node: appends it to the tree, splits it if possible, and pushes its branches, the second first, so that nodes
// are appended in pre-order.
void SmallGrower::visit() {
    const Open open = stack_.back();
    stack_.pop_back();
    std::copy_n(open_counts(stack_.size()), n_classes_, node_counts());
    const std::int32_t id = append(open);
    if (!open.splittable) return;
    node_rows_ = static_cast<std::int32_t>(open.size());
    node_squares_ = 0;
    node_classes_.clear();
    for (std::size_t k = 0; k < n_classes_; ++k) {
        node_squares_ += static_cast<std::int32_t>(node_counts()[k] * node_counts()[k]);
        if (node_counts()[k] > 0) node_classes_.push_back(static_cast<std::uint32_t>(k));
    }
    const EntryLayout in = columns_.layout();
    BestCut best;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const std::uint32_t* entries = columns_.entries(c) + open.begin;
        if (in.rank(entries[0]) == in.rank(entries[open.size() - 1])) continue;
        if (columns_.bundle(c)) {
            scan_bundle(entries, open.size(), c, best);
            continue;
        }
        const std::uint32_t n_present = columns_.n_present(c, entries, open.size());
        ColumnScan scan(c, columns_.column(c, 0), entries, open.size(), n_present, min_rows_);
        const auto scan_cuts = [&] { node_classes_.size() == 2 ? scan_two(scan, best) : scan_many(scan, best); };
        scan_cuts();
        if (n_present == open.size()) continue;
        scan.place_missing_left(min_rows_);
        scan_cuts();
    }
    if (best.found()) split(open, best, id);
}

std::int32_t SmallGrower::append(const Open& open) {
    const std::int32_t id = static_cast<std::int32_t>(out_.parent.size());
    const std::uint32_t* counts = node_counts();
    real_counts_.assign(counts, counts + n_classes_);
    const double n = open.size();
    static const std::vector<split::LevelBranch> no_levels;
    out_.parent.push_back(open.parent);
    out_.n_rows.push_back(open.size());
    out_.weight.push_back(n);
    out_.impurity.push_back(criteria::Gini::impurity(real_counts_, n));
    out_.value.insert(out_.value.end(), real_counts_.begin(), real_counts_.end());
    out_.sent_default.push_back(0);
    out_.splits.push(split::Kind::none, -1, 0.0, 0, no_levels);
    out_.gain.push_back(0.0);
    out_.default_branch.push_back(-1);
    out_.surrogate_start.push_back(0);
    out_.competitor_start.push_back(0);
    return id;
}

void SmallGrower::offer(const ColumnScan& column, std::int32_t i, std::int64_t top, std::int64_t bottom, double score,
                        BestCut& best) {
    if (!best.offer(top, bottom, score, column.index)) return;
    best.place(column.at, 0, static_cast<std::uint32_t>(i + 1), static_cast<std::uint32_t>(column.n_present));
    best.missing_left = column.before > 0;
}

// Scans a column if the node has two classes, whatever their number in the table. `shift` is n left_ones - n_left ones.
void SmallGrower::scan_two(const ColumnScan& column, BestCut& best) const {
    const std::uint32_t* const entries = column.entries;
    const std::int32_t n = column.size, before = column.before, last = column.last,
                       ones = static_cast<std::int32_t>(counts_[n_classes_ + node_classes_[1]]);
    const std::uint32_t second_class = node_classes_[1];
    const EntryLayout in = columns_.layout();
    std::int32_t left_ones = 0, i = 0;
    column.each_before([&](std::uint32_t entry) { left_ones += in.label(entry) == second_class; });
    const auto weigh = [&](std::int32_t at, std::int32_t ones_left) {
        if (in.rank(entries[at]) == in.rank(entries[at + 1])) return;
        const std::int64_t left = before + at + 1, right = n - left, right_ones = ones - ones_left,
                           squares = ones_left * ones_left + (left - ones_left) * (left - ones_left),
                           right_squares = right_ones * right_ones + (right - right_ones) * (right - right_ones);
        const double shift = static_cast<double>(n * ones_left - left * ones);
        offer(column, at, squares * right + right_squares * left, left * right,
              shift * shift / static_cast<double>(left * right), best);
    };
    if (wide_ && n >= least_wide_rows) {
        const TwoClassScan scan{entries, in.label_mask(), second_class, n, ones, before, column.first, last};
        Promising sixteen;
        sixteen.before = left_ones;
        while (next_promising(scan, best.threshold, sixteen))
            for (std::uint32_t cuts = sixteen.cuts; cuts != 0; cuts &= cuts - 1) {
                const int lane = std::countr_zero(cuts);
                weigh(sixteen.begin + lane, sixteen.left_ones(lane));
            }
        return;
    }
    const double* const reciprocal = reciprocal_.data();
    double threshold = best.threshold;
    for (; i < column.first; ++i) left_ones += in.label(entries[i]) == second_class;
    for (; i < last; ++i) {
        left_ones += in.label(entries[i]) == second_class;
        const std::int32_t left = before + i + 1, right = n - left;
        const double shift = static_cast<double>(n * left_ones - left * ones);
        if (shift * shift * (reciprocal[left] * reciprocal[right]) < threshold) continue;
        weigh(i, left_ones);
        threshold = best.threshold;
    }
}

// Scans a column with any number of classes.
void SmallGrower::scan_many(const ColumnScan& column, BestCut& best) {
    const EntryLayout in = columns_.layout();
    std::fill_n(left_counts(), n_classes_, 0u);
    column.each_before([&](std::uint32_t entry) { ++left_counts()[in.label(entry)]; });
    if (!wide_ || column.size < least_wide_rows || node_classes_.size() > ManyClassScan::most_classes)
        return scan_some(column, 0, column.last, best);
    const ManyClassScan scan{column.entries,
                             in.rank_shift(),
                             in.label_mask(),
                             node_classes_.data(),
                             node_counts(),
                             node_classes_.size(),
                             column.size,
                             column.before,
                             column.first,
                             column.last};
    for (std::int32_t begin = 0; next_promising(scan, best.threshold, begin, left_counts()); begin += 16)
        scan_some(column, begin, std::min(begin + 16, column.last), best);
}

// Scans the cuts after the entries [from, to); left_counts() are those before `from`, and then those before `to`. The
// sums of squares are updated in O(1): right = total - 2 cross + left.
void SmallGrower::scan_some(const ColumnScan& column, std::int32_t from, std::int32_t to, BestCut& best) {
    const std::uint32_t* const entries = column.entries;
    const std::int32_t n = column.size, before = column.before, all_squares = node_squares_;
    const std::uint32_t* const total = node_counts();
    const double* const reciprocal = reciprocal_.data();
    std::uint32_t* const left_count = left_counts();
    const EntryLayout in = columns_.layout();
    std::int32_t squares = 0, cross = 0;
    for (const std::uint32_t k : node_classes_) {
        squares += static_cast<std::int32_t>(left_count[k] * left_count[k]);
        cross += static_cast<std::int32_t>(left_count[k] * total[k]);
    }
    double threshold = best.threshold;
    for (std::int32_t i = from; i < to; ++i) {
        const std::uint32_t k = in.label(entries[i]);
        squares += 2 * static_cast<std::int32_t>(left_count[k]++) + 1;
        cross += static_cast<std::int32_t>(total[k]);
        const std::int32_t left = before + i + 1, right = n - left;
        const std::int64_t top = std::int64_t{squares} * right + std::int64_t{all_squares - 2 * cross + squares} * left;
        // The score is tested first because this branch is rarely taken. Whether two values are equal is often
        // mispredicted.
        const double score = static_cast<double>(top) * (reciprocal[left] * reciprocal[right]);
        if (score < threshold) continue;
        if (i < column.first || in.rank(entries[i]) == in.rank(entries[i + 1])) continue;
        offer(column, i, top, std::int64_t{left} * right, score, best);
        threshold = best.threshold;
    }
}

// Scans a bundle. The rows with one code are one side of the only cut of their column.
void SmallGrower::scan_bundle(const std::uint32_t* entries, std::size_t size, std::size_t at, BestCut& best) {
    const std::uint32_t* const total = node_counts();
    std::uint32_t* const count = left_counts();
    const EntryLayout in = columns_.layout();
    std::size_t end = 0;
    while (end < size && in.rank(entries[end]) == 0) ++end;
    for (std::size_t begin = end; begin < size; begin = end) {
        const std::uint32_t code = in.rank(entries[begin]);
        std::fill_n(count, n_classes_, 0u);
        for (; end < size && in.rank(entries[end]) == code; ++end)
            ++count[in.label(entries[end])];
        const std::int64_t n = static_cast<std::int64_t>(size), rare = static_cast<std::int64_t>(end - begin),
                           others = n - rare;
        if (std::min(rare, others) < static_cast<std::int64_t>(min_rows_)) continue;
        std::int64_t squares = 0, other_squares = 0;
        for (const std::uint32_t k : node_classes_) {
            const std::int64_t inside = count[k], rest = std::int64_t{total[k]} - inside;
            squares += inside * inside;
            other_squares += rest * rest;
        }
        const std::int64_t top = squares * others + other_squares * rare;
        double score = static_cast<double>(top);
        if (node_classes_.size() == 2) {
            const std::uint32_t second_class = node_classes_[1];
            const double shift = static_cast<double>(n * count[second_class] - rare * total[second_class]);
            score = shift * shift;
        }
        score /= static_cast<double>(rare * others);
        if (!best.offer(top, rare * others, score, columns_.column(at, code))) continue;
        best.place(at, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                   static_cast<std::uint32_t>(size));
        best.code = code;
    }
}

void SmallGrower::split(const Open& open, const BestCut& best, std::int32_t id) {
    const std::uint32_t* const sorted = columns_.entries(best.at) + open.begin;
    const bool first_is_left = best.code == 0 || columns_.rare_on_left(best.at, best.code);
    const std::uint32_t n = open.size(), n_missing = n - best.n_present,
                        n_side = best.end - best.begin + (best.missing_left ? n_missing : 0),
                        n_left = first_is_left ? n_side : n - n_side;
    std::uint32_t* left = left_counts();
    const EntryLayout in = columns_.layout();
    std::fill_n(left, n_classes_, 0u);
    for (std::uint32_t i = best.begin; i < best.end; ++i) ++left[in.label(sorted[i])];
    for (std::uint32_t i = best.n_present; best.missing_left && i < n; ++i) ++left[in.label(sorted[i])];
    if (!first_is_left)
        for (std::size_t k = 0; k < n_classes_; ++k) left[k] = node_counts()[k] - left[k];
    const double gain = gini_gain(CutCounts(left, node_counts(), static_cast<int>(n_classes_)));
    if (!stop_.gains_enough(gain)) return;

    const std::size_t at = static_cast<std::size_t>(id);
    const bool presence = n_missing > 0 && !best.missing_left && n_left == best.n_present;
    out_.splits.kind[at] = static_cast<std::int8_t>(presence ? split::Kind::presence : split::Kind::cut);
    out_.splits.column[at] = best.column;
    if (!presence) {
        out_.splits.cut[at] = best.code ? columns_.cut(best.at, best.code)
                                        : columns_.cut(best.at, sorted[best.end - 1], sorted[best.end]);
        out_.sent_default[at] = n_missing;
    }
    out_.gain[at] = gain / static_cast<double>(n);
    const bool first_is_heavier = learns_ ? 2 * n_left > n : 2 * n_left >= n;
    const bool to_first = n_missing > 0 ? best.missing_left : first_is_heavier;
    out_.default_branch[at] = to_first ? 0 : 1;

    const std::size_t place = stack_.size();
    if (counts_.size() < (place + 4) * n_classes_) counts_.resize(2 * (place + 4) * n_classes_);
    const std::uint32_t* const total = node_counts();
    left = left_counts();
    for (std::size_t k = 0; k < n_classes_; ++k) {
        open_counts(place)[k] = total[k] - left[k];
        open_counts(place + 1)[k] = left[k];
    }
    Open first{open.begin, open.begin + n_left, id, open.depth + 1};
    Open second{open.begin + n_left, open.end, id, open.depth + 1};
    first.splittable = splittable(first, open_counts(place + 1));
    second.splittable = splittable(second, open_counts(place));
    if (first.splittable || second.splittable) partition(open, best, first.splittable, second.splittable);
    stack_.push_back(second);
    stack_.push_back(first);
}

// Partitions the entries of all columns except the cut column, if it is in order already (bundles are not, nor are
// missing values on the left). A side that will not be searched is dropped. No branch instruction depends on the data.
void SmallGrower::partition(const Open& open, const BestCut& best, bool keep_first, bool keep_second) {
    const std::uint32_t n = open.size();
    const std::uint32_t* const sorted = columns_.entries(best.at) + open.begin;
    const EntryLayout in = columns_.layout();
    const std::uint8_t inside = best.code == 0 || columns_.rare_on_left(best.at, best.code);
    for (std::uint32_t i = 0; i < n; ++i)
        goes_left_[in.row(sorted[i])] = (i - best.begin < best.end - best.begin) == inside;
    std::uint32_t n_left = inside ? best.end - best.begin : n - (best.end - best.begin);
    if (best.missing_left) {
        for (std::uint32_t i = best.n_present; i < n; ++i) goes_left_[in.row(sorted[i])] = 1;
        n_left += n - best.n_present;
    }
    const std::uint8_t* const goes_left = goes_left_.data();
    std::uint32_t* const spare = spare_.data();
    const bool wide = wide_ && n >= static_cast<std::uint32_t>(least_wide_rows);
    LeftRows left_rows;
    if (wide) left_rows.set(goes_left, columns_.n_rows());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (c == best.at && best.code == 0 && !best.missing_left) continue;
        std::uint32_t* const entries = columns_.entries(c) + open.begin;
        if (wide) {
            partition_entries(entries, {n, n_left, keep_first, keep_second}, left_rows, in.class_bits, spare);
            continue;
        }
        if (!keep_second) {
            for (std::uint32_t i = 0, left = 0; left < n_left; ++i) {
                entries[left] = entries[i];
                left += goes_left[in.row(entries[i])];
            }
            continue;
        }
        if (!keep_first) {
            for (std::uint32_t i = n, right = n; right > n_left;) {
                const std::uint32_t entry = entries[--i];
                entries[right - 1] = entry;
                right -= 1u - goes_left[in.row(entry)];
            }
            continue;
        }
        std::uint32_t left = 0, right = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t entry = entries[i], is_left = goes_left[in.row(entry)];
            entries[left] = entry;
            spare[right] = entry;
            left += is_left;
            right += 1u - is_left;
        }
        std::copy_n(spare, right, entries + n_left);
    }
}

bool SmallGrower::supports(const data::Table& table, const data::Target& target, const GrowOptions& options) {
    using split::Missing;
    const bool plain = target.n_classes.size() == 1 && !table.sparse &&
                       target.n_classes[0] <= static_cast<int>(EntryLayout::most_classes) && !target.weight &&
                       std::none_of(table.columns.begin(), table.columns.end(),
                                    [](const data::Column& c) { return c.kind() == data::ColumnKind::levels; });
    if (!plain || options.search.missing == Missing::surrogate || options.search.missing == Missing::fractional)
        return false;
    // Normalises values that are equivalent to the default.
    GrowOptions adjusted = options;
    if (adjusted.max_leaf_nodes <= 0) adjusted.max_leaf_nodes = -1;
    if (adjusted.min_gain_ratio <= 0.0) adjusted.min_gain_ratio = 0.0;
    if (adjusted.min_risk < 0.0) adjusted.min_risk = -1.0;
    if (adjusted.min_risk_ratio < 0.0) adjusted.min_risk_ratio = -1.0;
    if (const int m = adjusted.search.max_features; m <= 0 || m >= static_cast<int>(table.columns.size()))
        adjusted.search.max_features = -1;
    using S = split::SearchOptions;
    using G = GrowOptions;
    const bool search =
        base::differs_only_in(adjusted.search, &S::min_rows, &S::min_weight, &S::small_node, &S::zoom_rows,
                              // read by the columns, which may refuse missing values:
                              &S::missing,
                              // no effect without levels:
                              &S::multiway, &S::empty_branches,
                              // no effect on gini:
                              &S::cuts_at_values, &S::min_branch);
    return search &&
           base::differs_only_in(adjusted, &G::search, &G::max_depth, &G::min_samples_split, &G::min_weight_split,
                                 &G::min_gain, &G::bins, &G::seed, &G::whole_weight, &G::n_threads,
                                 // no effect without surrogates, weights and risk rules:
                                 &G::surrogates, &G::use_surrogate, &G::risk);
}

std::size_t SmallGrower::most_rows(std::size_t n_columns) const {
    return std::min(columns_.layout().most_rows(), most_values / std::max<std::size_t>(1, n_columns));
}

namespace {

bool fits(std::size_t n_rows, std::size_t n_columns, std::size_t n_classes, int n_threads) {
    return n_rows <= EntryLayout(n_classes).most_rows() &&
           n_rows * n_columns <= (n_threads > 1 ? most_values : most_values_alone);
}

}  // namespace

std::optional<tree::TreeArrays> grow_small_tree(const data::Table& table, const data::Target& target,
                                                const GrowOptions& options, base::Interrupt& interrupt) {
    const std::size_t n = target.rows.empty() ? target.n_rows : target.rows.size();
    if (n == 0 || n >= 2 * options.search.small_node || options.bins.approximate ||
        !SmallGrower::supports(table, target, options))
        return std::nullopt;
    const auto n_classes = static_cast<std::size_t>(target.n_classes[0]);
    if (!fits(n, table.columns.size(), n_classes, options.n_threads)) return std::nullopt;
    std::vector<std::uint32_t> rows(target.rows.begin(), target.rows.end());
    if (rows.empty()) {
        rows.resize(n);
        std::iota(rows.begin(), rows.end(), 0u);
    }
    std::vector<std::uint16_t> label(n);
    for (std::size_t i = 0; i < n; ++i) label[i] = static_cast<std::uint16_t>(target.labels[rows[i]]);
    SmallGrower grower(n_classes, options);
    if (!grower.read(table, rows.data(), n, label.data())) return std::nullopt;
    return grower.grow(0, static_cast<double>(n), &interrupt);
}

}  // namespace ceiba::grow
