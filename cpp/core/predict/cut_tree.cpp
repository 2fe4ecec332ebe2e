#include "predict/cut_tree.hpp"

#include "base/processor/wide_registers.hpp"

namespace ceiba::predict {

namespace {

constexpr std::size_t block_bytes = 24576;  // fits the L1 cache together with some nodes
constexpr std::size_t few_rows = 32;        // fewer rows are not worth a block
constexpr std::ptrdiff_t narrow_row = 256;  // bytes; of longer rows, columns that are not used need not be read
constexpr std::size_t most_columns = 256;   // columns in a block of the wide walk, which must fit the L2 cache
// The offsets of values in a block of the wide walk have 31 bits.
constexpr std::ptrdiff_t farthest_row = (std::ptrdiff_t{1} << 30) / static_cast<std::ptrdiff_t>(wide_rows);

}  // namespace

// Missing: values may be missing. Rounded: values and cuts are rounded, so rows with equal ones must be routed again.
template <bool Missing, bool Rounded, int Shift>
struct CutTree::SmallStep {
    const SmallNode* nodes;
    int column_bits;

    std::uint32_t operator()(std::uint32_t at, const char* row, std::uint32_t& unsure) const {
        const SmallNode node = nodes[at];
        const std::size_t column = node.packed & ((1u << column_bits) - 1u);
        const float x = reinterpret_cast<const float*>(row)[column << Shift];
        std::uint32_t second = x > node.cut;
        if constexpr (Missing) second |= static_cast<std::uint32_t>(!(x <= node.cut)) & (node.packed >> 31);
        if constexpr (Rounded) unsure |= x == node.cut;
        return ((node.packed & ~missing_second) >> column_bits) + second;
    }
};

template <class T, bool Missing>
struct CutTree::ExactStep {
    const Node* nodes;

    std::uint32_t operator()(std::uint32_t at, const char* row, std::uint32_t&) const {
        const Node& node = nodes[at];
        const double x = static_cast<double>(reinterpret_cast<const T*>(row)[node.column]);
        std::uint32_t second = x > node.cut;
        if constexpr (Missing) second |= static_cast<std::uint32_t>(!(x <= node.cut)) & (node.first_child >> 31);
        return (node.first_child & ~missing_second) + second;
    }
};

void CutTree::resize(std::size_t n_nodes) {
    nodes_.resize(n_nodes);
    id_.resize(n_nodes);
}

// A leaf also reads a value: that of its parent's column, which is in the cache.
void CutTree::set_leaf(std::size_t place, std::int32_t id, std::int32_t column) {
    nodes_[place] = {std::numeric_limits<double>::infinity(), static_cast<std::uint32_t>(column),
                     static_cast<std::uint32_t>(place)};
    id_[place] = id;
}

void CutTree::set_cut(std::size_t place, std::int32_t id, std::int32_t column, double cut, std::uint32_t first_child,
                      bool to_second) {
    nodes_[place] = {cut, static_cast<std::uint32_t>(column), first_child | (to_second ? missing_second : 0u)};
    id_[place] = id;
    columns_.push_back(static_cast<std::uint32_t>(column));
}

void CutTree::finish(std::uint32_t least_depth) {
    least_depth_ = least_depth;
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    if (columns_.empty()) return;
    dense_ = 2 * columns_.size() > columns_.back() - columns_.front();
    column_bits_ = std::bit_width(columns_.back());
    if (column_bits_ + std::bit_width(nodes_.size()) > 31) return;
    small_.reserve(nodes_.size());
    rounded_.reserve(nodes_.size());
    for (const Node& node : nodes_) {
        const std::uint32_t child = node.first_child & ~missing_second;
        const std::uint32_t packed = (node.first_child & missing_second) | (child << column_bits_) | node.column;
        small_.push_back({not_above(node.cut), packed});
        rounded_.push_back({nearest(node.cut), packed});
    }
    const std::uint32_t lost = static_cast<std::uint32_t>(nodes_.size());
    rounded_.push_back({std::numeric_limits<float>::infinity(), (lost << column_bits_) | columns_.front()});
    id_.push_back(-1);
    if (columns_.back() - columns_.front() < RowRegisters::most_slots && lost < SubtreeWalk::most_nodes)
        subtrees_ = std::make_unique<Subtrees>();
}

const SubtreeWalk& CutTree::subtrees(bool rounded) const {
    std::call_once(subtrees_->built[rounded], [&] {
        subtrees_->walk[rounded] = SubtreeWalk(small_tree(rounded), columns_.front());
    });
    return subtrees_->walk[rounded];
}

SmallTree CutTree::small_tree(bool rounded) const {
    return {rounded ? rounded_.data() : small_.data(), column_bits_, least_depth_, id_.data(),
            static_cast<std::uint32_t>(nodes_.size())};
}

bool CutTree::supports(const data::Table& table) const {
    return std::all_of(columns_.begin(), columns_.end(),
                       [&](std::uint32_t c) { return table.columns[c].kind() == data::ColumnKind::numeric; }) &&
           !table.sparse;
}

// The memory of rows with a single type, if the values of each row are contiguous.
template <class T>
CutTree::Matrix CutTree::in_place(const data::Table& table) const {
    const auto start = [&](std::uint32_t c) {
        return reinterpret_cast<std::uintptr_t>(table.columns[c].data()) - c * sizeof(T);
    };
    const std::uintptr_t first = start(columns_[0]);
    const std::ptrdiff_t step = table.columns[columns_[0]].stride();
    for (const std::uint32_t c : columns_)
        if (!table.columns[c].is<T>() || start(c) != first || table.columns[c].stride() != step) return {};
    return {reinterpret_cast<const char*>(first), step};
}

template <class T>
void CutTree::exactly(Matrix rows, std::size_t n, std::int32_t* out) const {
    const auto nothing = [](std::size_t) {};
    route_lanes(n, rows.data, rows.row_step, least_depth_, id_.data(), out, ExactStep<T, true>{nodes_.data()}, nothing,
                nothing);
}

// Routes in float64: for rows that cannot be decided in float32, and for few rows.
void CutTree::exactly(const Task& task) const {
    const std::size_t n = task.end - task.begin;
    const auto from = [&](Matrix rows) {
        return Matrix{rows.data + static_cast<std::ptrdiff_t>(task.begin) * rows.row_step, rows.row_step};
    };
    if (const Matrix rows = in_place<double>(task.table); rows.data) return exactly<double>(from(rows), n, task.out);
    if (const Matrix rows = in_place<float>(task.table); rows.data) return exactly<float>(from(rows), n, task.out);
    const std::size_t width = columns_.back() + std::size_t{1};
    const std::size_t n_rows = std::min(n, std::clamp<std::size_t>(block_bytes / (width * sizeof(double)), lanes, 256));
    std::vector<double> block(n_rows * width);
    for (std::size_t begin = task.begin; begin < task.end; begin += n_rows) {
        const std::size_t m = std::min(n_rows, task.end - begin);
        for (const std::uint32_t c : columns_) {
            const data::Column& column = task.table.columns[c];
            for (std::size_t i = 0; i < m; ++i) block[i * width + c] = column.number(begin + i);
        }
        exactly<double>(
            {reinterpret_cast<const char*>(block.data()), static_cast<std::ptrdiff_t>(width * sizeof(double))}, m,
            task.out + (begin - task.begin));
    }
}

template <class T>
std::int32_t CutTree::end_of(const char* row, std::ptrdiff_t column_step) const {
    std::uint32_t at = 0;
    if (columns_.empty()) return id_[0];
    while (true) {
        const Node& node = nodes_[at];
        const double x = *reinterpret_cast<const T*>(row + static_cast<std::ptrdiff_t>(node.column) * column_step);
        const bool second = x > node.cut || (x != x && (node.first_child & missing_second));
        const std::uint32_t next = (node.first_child & ~missing_second) + second;
        if (next == at) return id_[at];
        at = next;
    }
}
template std::int32_t CutTree::end_of<double>(const char*, std::ptrdiff_t) const;
template std::int32_t CutTree::end_of<float>(const char*, std::ptrdiff_t) const;

// Reads contiguous rows in place.
template <class T>
void CutTree::by_rows(const Task& task, Matrix matrix) const {
    const std::size_t first = columns_.front(), width = columns_.back() - first + std::size_t{1};
    const std::size_t n_rows = std::clamp<std::size_t>(block_bytes / (width * sizeof(T)), lanes, 256) & ~(lanes - 1);
    const auto row_at = [&](std::size_t i) { return matrix.data + static_cast<std::ptrdiff_t>(i) * matrix.row_step; };
    // If the tree uses few columns of wide rows, most cache lines are never read.
    Prefetch prefetch;
    if (dense_) prefetch.add(row_at(0) + first * sizeof(T), matrix.row_step);
    const bool one_piece = matrix.row_step == static_cast<std::ptrdiff_t>(width * sizeof(T));
    for (std::size_t begin = task.begin; begin < task.end; begin += n_rows) {
        const std::size_t n = std::min(n_rows, task.end - begin);
        bool missing = !dense_;  // true if it is not checked
        for (std::size_t i = 0; i < n && !missing; i += one_piece ? n : 1)
            missing = any_missing(reinterpret_cast<const T*>(row_at(begin + i)) + first, one_piece ? n * width : width);
        const auto route = [&](auto step) {
            route_lanes(n, row_at(begin), matrix.row_step, least_depth_, id_.data(), task.out + (begin - task.begin),
                        step, next_block(prefetch, begin + n, n, task.table.n_rows), [](std::size_t) {});
        };
        if constexpr (std::is_same_v<T, float>)
            missing ? route(SmallStep<true, false, 0>{small_.data(), column_bits_})
                    : route(SmallStep<false, false, 0>{small_.data(), column_bits_});
        else
            missing ? route(ExactStep<T, true>{nodes_.data()}) : route(ExactStep<T, false>{nodes_.data()});
    }
}

// Adds the columns that the tree uses. Returns true if some are not float32.
bool CutTree::add_streams(const data::Table& table, Prefetch& prefetch) const {
    bool others = false;
    for (const std::uint32_t c : columns_) {
        prefetch.add(table.columns[c].data(), table.columns[c].stride());
        others |= !table.columns[c].is<float>();
    }
    return others;
}

// Copies the columns that the tree uses as float32. Returns true if some value is missing.
bool CutTree::copy_columns(const data::Table& table, std::size_t begin, std::size_t n, int shift, float* block) const {
    bool missing = false;
    for (const std::uint32_t c : columns_)
        missing |= narrow_column(table.columns[c], begin, n, block + (static_cast<std::size_t>(c) << shift));
    return missing;
}

// Copies separate columns as float32, one block of rows at a time.
template <int Shift>
void CutTree::by_columns(const Task& task) const {
    const std::size_t span = columns_.back() + std::size_t{1}, n_rows = std::size_t{1} << Shift;
    const auto block = std::make_unique_for_overwrite<float[]>(span << Shift);
    Prefetch prefetch;
    const bool rounded = add_streams(task.table, prefetch);
    for (std::size_t begin = task.begin; begin < task.end; begin += n_rows) {
        const std::size_t n = std::min(n_rows, task.end - begin), after = begin + n;
        const bool missing = copy_columns(task.table, begin, n, Shift, block.get());
        std::int32_t* const out = task.out + (begin - task.begin);
        std::size_t n_unsure = 0;
        const auto route = [&](auto step) {
            route_lanes(n, reinterpret_cast<const char*>(block.get()),
                        std::integral_constant<std::ptrdiff_t, sizeof(float)>{}, least_depth_, id_.data(), out, step,
                        next_block(prefetch, after, n, task.table.n_rows), [&](std::size_t row) {
                            ++n_unsure;
                            exactly({task.table, begin + row, begin + std::min(row + lanes, n), out + row});
                        });
        };
        if (rounded)
            missing ? route(SmallStep<true, true, Shift>{rounded_.data(), column_bits_})
                    : route(SmallStep<false, true, Shift>{rounded_.data(), column_bits_});
        else
            missing ? route(SmallStep<true, false, Shift>{small_.data(), column_bits_})
                    : route(SmallStep<false, false, Shift>{small_.data(), column_bits_});
        if (n_unsure * lanes * 2 > n) return exactly({task.table, after, task.end, out + n});
    }
}

// Reads contiguous rows in place; float64 is copied as float32.
template <class T>
bool CutTree::widely_by_rows(const Task& task, Matrix matrix) const {
    constexpr bool copied = std::is_same_v<T, double>;
    const std::size_t first = columns_.front(), width = columns_.back() - first + std::size_t{1};
    const std::size_t n_rows = std::clamp<std::size_t>(block_bytes / (width * sizeof(float)), 2 * lanes, wide_rows);
    const std::ptrdiff_t step = copied ? static_cast<std::ptrdiff_t>(width) : matrix.row_step / 4;
    if (copied ? !dense_ : matrix.row_step % 4 != 0 || std::abs(step) > farthest_row) return false;
    const auto row_at = [&](std::size_t i) {
        return reinterpret_cast<const T*>(matrix.data + static_cast<std::ptrdiff_t>(i) * matrix.row_step);
    };
    const bool one_piece = matrix.row_step == static_cast<std::ptrdiff_t>(width * sizeof(T));
    std::vector<float> block(copied ? first + n_rows * width : 0);
    Prefetch prefetch;
    if (dense_) prefetch.add(reinterpret_cast<const char*>(row_at(0) + first), matrix.row_step);
    for (std::size_t begin = task.begin, n; begin < task.end; begin += n) {
        n = std::min(n_rows, task.end - begin);
        bool missing = !dense_;  // true if it is not checked
        for (std::size_t i = 0; i < n && dense_; i += one_piece ? n : 1) {
            const T* const from = row_at(begin + i) + first;
            const std::size_t size = one_piece ? n * width : width;
            if constexpr (copied)
                missing |= narrow_values(from, size, block.data() + first + i * width);
            else
                missing |= any_missing(from, size);
        }
        const float* data;
        if constexpr (copied)
            data = block.data();
        else
            data = row_at(begin);
        if (!walk_block(task, begin, {data, static_cast<std::int32_t>(step), 0, n, missing, copied}, prefetch)) break;
    }
    return true;
}

bool CutTree::widely_by_columns(const Task& task) const {
    constexpr int shift = 8;
    static_assert(1u << shift == wide_rows);
    const std::size_t span = columns_.back() + std::size_t{1};
    if (span > most_columns) return false;
    const auto block = std::make_unique_for_overwrite<float[]>(span << shift);
    Prefetch prefetch;
    const bool rounded = add_streams(task.table, prefetch);
    for (std::size_t begin = task.begin, n; begin < task.end; begin += n) {
        n = std::min(wide_rows, task.end - begin);
        const bool missing = copy_columns(task.table, begin, n, shift, block.get());
        if (!walk_block(task, begin, {block.get(), 1, shift, n, missing, rounded}, prefetch)) break;
    }
    return true;
}

// Returns false if more than half of the rows cannot be decided in float32; all later rows are then routed in float64.
bool CutTree::walk_block(const Task& task, std::size_t begin, const SmallRows& rows, const Prefetch& prefetch) const {
    const SmallTree tree = small_tree(rows.rounded);
    const std::size_t after = begin + rows.n;
    std::int32_t* const out = task.out + (begin - task.begin);
    walk_wide(tree, rows, LinePrefetch(prefetch, after, std::min(rows.n, task.table.n_rows - after)), out);
    if (!rows.rounded) return true;
    std::size_t n_lost = 0;
    for (std::size_t i = 0; i < rows.n; ++i) {
        if (out[i] >= 0) continue;
        ++n_lost;
        exactly({task.table, begin + i, begin + i + 1, out + i});
    }
    if (2 * n_lost <= rows.n) return true;
    exactly({task.table, after, task.end, out + rows.n});
    return false;
}

// Routes sixteen rows per register. Returns false if the processor or the rows do not support it.
bool CutTree::widely(const Task& task) const {
    if (!base::has_fast_gathers()) return false;
    if (const Matrix rows = in_place<float>(task.table); rows.data) return widely_by_rows<float>(task, rows);
    if (const Matrix rows = in_place<double>(task.table); rows.data) return widely_by_rows<double>(task, rows);
    return widely_by_columns(task);
}

// Routes blocks of rows, whose values set_rows(begin, block) copies.
template <bool Rounded, class SetRows>
void CutTree::by_subtrees(const Task& task, const Prefetch& prefetch, SetRows set_rows) const {
    const SubtreeWalk& routes = subtrees(Rounded);
    RowRegisters block(columns_.back() - columns_.front() + std::size_t{1});
    for (std::size_t begin = task.begin; begin < task.end; begin += block.n) {
        block.n = std::min(block.capacity(), task.end - begin);
        const std::size_t n = block.n, after = begin + n;
        std::int32_t* const out = task.out + (begin - task.begin);
        set_rows(begin, block);
        const LinePrefetch next(prefetch, after, std::min(n, task.table.n_rows - after));
        if (!routes.walk<Rounded>(block, next, out)) continue;
        std::size_t n_undecided = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (out[i] != SubtreeWalk::undecided) continue;
            ++n_undecided;
            exactly({task.table, begin + i, begin + i + 1, out + i});
        }
        if (8 * n_undecided > n) return exactly({task.table, after, task.end, out + n});
    }
}

// Compares the cuts of several levels at once. Returns false if the tree, the rows or the processor do not support it.
bool CutTree::by_subtrees(const Task& task) const {
    if (!subtrees_ || !base::has_wide_registers() || task.end - task.begin < Subtrees::least_rows) return false;
    const std::uint32_t first = columns_.front();
    const std::size_t n_slots = columns_.back() - first + std::size_t{1};
    Prefetch prefetch;
    const auto by_rows_of = [&]<class T>(Matrix rows, T) {
        if (!dense_ && std::abs(rows.row_step) > narrow_row) return false;
        const char* const data = rows.data + first * sizeof(T);
        prefetch.add(data, rows.row_step);
        by_subtrees<std::is_same_v<T, double>>(task, prefetch, [&](std::size_t begin, RowRegisters& block) {
            block.set_rows<T>(data + static_cast<std::ptrdiff_t>(begin) * rows.row_step, rows.row_step, n_slots);
        });
        return true;
    };
    if (const Matrix rows = in_place<float>(task.table); rows.data) return by_rows_of(rows, float{});
    if (const Matrix rows = in_place<double>(task.table); rows.data) return by_rows_of(rows, double{});
    const bool rounded = add_streams(task.table, prefetch);
    alignas(64) float copy[4 * RowRegisters::most_rows] = {};
    const auto set_columns = [&](std::size_t begin, RowRegisters& block) {
        block.missing = false;
        for (auto c = columns_.begin(); c != columns_.end();) {
            const std::size_t slot = (*c - first) / 4 * 4;
            for (; c != columns_.end() && *c - first < slot + 4; ++c)
                block.missing |= narrow_column(task.table.columns[*c], begin, block.n,
                                               copy + (*c - first - slot) * RowRegisters::most_rows);
            block.set_four_slots(slot, copy);
        }
    };
    rounded ? by_subtrees<true>(task, prefetch, set_columns) : by_subtrees<false>(task, prefetch, set_columns);
    return true;
}

void CutTree::apply(const data::Table& table, std::size_t begin, std::size_t end, std::int32_t* out) const {
    if (columns_.empty()) {  // a tree with a single leaf
        std::fill(out, out + (end - begin), id_[0]);
        return;
    }
    const Task task{table, begin, end, out};
    if (small_.empty() || end - begin < few_rows) return exactly(task);
    if (widely(task) || by_subtrees(task)) return;
    if (const Matrix rows = in_place<float>(table); rows.data) return by_rows<float>(task, rows);
    if (const Matrix rows = in_place<double>(table); rows.data) return by_rows<double>(task, rows);
    columns_.size() * 256 * sizeof(float) <= block_bytes ? by_columns<8>(task) : by_columns<5>(task);
}

}  // namespace ceiba::predict
