#include "split/levels/level_orders.hpp"

#include "base/sort.hpp"

namespace ceiba::split {

namespace {

// Few cells of many rows are counted in four tables in turn, so that a count need not wait for the previous one.
constexpr std::size_t most_tables = 4, few_cells = 2048;

std::size_t tables_for(std::size_t n_cells, std::size_t n_rows) {
    return n_cells <= few_cells && n_rows >= 4 * n_cells ? most_tables : 1;
}

}  // namespace

void group_by_level(const NodeRows& node, std::size_t column, LevelRows& out) {
    const std::int32_t* codes = node.codes(column);
    const data::TargetRows& target = node.target();
    const std::size_t n = node.size();
    const auto is_included = [&](std::size_t i) {
        return !node.store->zero_weights || target.weight_of(node.begin + i) > 0.0;
    };
    out.code.clear();
    out.missing.clear();
    std::int32_t largest = -1;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, codes[i]);
    std::vector<std::uint32_t> count(static_cast<std::size_t>(largest + 1), 0);
    for (std::size_t i = 0; i < n; ++i) {
        if (!is_included(i)) continue;
        if (codes[i] < 0)
            out.missing.push_back(static_cast<std::uint32_t>(i));
        else
            ++count[codes[i]];
    }
    out.start.assign(1, 0);
    for (std::size_t k = 0; k < count.size(); ++k) {
        if (count[k] == 0) continue;
        out.code.push_back(static_cast<std::int32_t>(k));
        const std::uint32_t begin = out.start.back();
        out.start.push_back(begin + count[k]);
        count[k] = begin;
    }
    out.rows.resize(out.start.back());
    for (std::size_t i = 0; i < n; ++i)
        if (codes[i] >= 0 && is_included(i)) out.rows[count[codes[i]]++] = static_cast<std::uint32_t>(i);
}

namespace {

// The class counts of the levels of a column, missing values first.
struct CellLayout {
    CellLayout(const NodeRows& node, std::size_t column)
        : n_classes(static_cast<std::size_t>(node.target().n_classes[0])),
          n_levels(static_cast<std::size_t>(node.store->table->columns[column].n_levels())),
          n_cells((n_levels + 1) * n_classes),
          n_tables(tables_for(n_cells, node.size())),
          to_next(n_tables > 1 ? n_cells : 0) {}

    std::size_t n_classes, n_levels, n_cells, n_tables, to_next;

    std::size_t size() const { return n_tables * n_cells; }
    void count(const NodeRows& node, std::size_t column, std::size_t from, std::size_t to,
               std::uint32_t* counts) const {
        const std::int32_t* const codes = node.codes(column);
        const std::uint16_t* const label = node.target().labels[0].data() + node.begin;
        const auto add = [&](std::size_t table, std::size_t i) {
            ++counts[table * to_next + static_cast<std::size_t>(codes[i] + 1) * n_classes + label[i]];
        };
        std::size_t i = from;
        for (; i + most_tables <= to; i += most_tables)
            for (std::size_t t = 0; t < most_tables; ++t) add(t, i + t);
        for (; i < to; ++i) add(0, i);
    }
};

}  // namespace

std::shared_ptr<const LevelCounts> count_levels(const NodeRows& node, const std::vector<std::size_t>& columns,
                                                base::ThreadPool& pool) {
    auto out = std::make_shared<LevelCounts>();
    out->start.assign(node.store->n_columns(), LevelCounts::not_counted);
    std::size_t n_words = 0;
    std::vector<std::size_t> counted;
    for (const std::size_t c : columns) {
        const CellLayout layout(node, c);
        if (4 * layout.size() > node.size()) continue;  // merging the counts of all threads would cost more
        out->start[c] = n_words;
        n_words += layout.size();
        counted.push_back(c);
    }
    std::vector<std::vector<std::uint32_t>> parts(static_cast<std::size_t>(pool.size()));
    base::for_blocks(&pool, counted.empty() ? 0 : node.size(),
                     [&](std::size_t, std::size_t from, std::size_t to, int thread) {
                         std::vector<std::uint32_t>& part = parts[thread];
                         part.resize(n_words, 0);
                         for (const std::size_t c : counted)
                             CellLayout(node, c).count(node, c, from, to, part.data() + out->start[c]);
                     });
    constexpr std::size_t words_at_once = 1024;
    out->words.resize(n_words);
    base::for_blocks(
        &pool, n_words,
        [&](std::size_t, std::size_t from, std::size_t to, int) {
            for (const std::vector<std::uint32_t>& part : parts)
                for (std::size_t w = from; w < to && !part.empty(); ++w) out->words[w] += part[w];
        },
        words_at_once);
    return out;
}

void count_level_cells(const NodeRows& node, std::size_t column, LevelCells<WholeCount>& out,
                       std::vector<std::uint32_t>& counts) {
    const CellLayout layout(node, column);
    const std::size_t n = node.size(), k = layout.n_classes, n_levels = layout.n_levels;
    const std::int32_t* const codes = node.codes(column);
    counts.resize(std::max(counts.size(), layout.size()));
    if (const std::uint32_t* const source = node.level_counts ? node.level_counts->of(column) : nullptr)
        std::copy_n(source, layout.size(), counts.begin());
    else
        layout.count(node, column, 0, n, counts.data());
    const auto take = [&](std::int32_t code, std::vector<WholeCount>& cells) {
        std::size_t rows = 0;
        for (std::size_t at = static_cast<std::size_t>(code + 1) * k, end = at + k; at < end; ++at) {
            std::uint32_t sum = 0;
            for (std::size_t t = 0; t < layout.n_tables; ++t) sum += std::exchange(counts[t * layout.to_next + at], 0u);
            cells.push_back({static_cast<double>(sum)});
            rows += static_cast<std::size_t>(cells.back().n);
        }
        return rows;
    };
    out.n_classes = k;
    out.missing.clear();
    out.n_missing = take(-1, out.missing);
    out.code.clear();
    if (8 * n < n_levels) {
        std::copy_if(codes, codes + n, std::back_inserter(out.code), [](std::int32_t code) { return code >= 0; });
        std::sort(out.code.begin(), out.code.end());
        out.code.erase(std::unique(out.code.begin(), out.code.end()), out.code.end());
    } else {
        out.code.resize(n_levels);
        std::iota(out.code.begin(), out.code.end(), 0);
    }
    out.rows.clear();
    out.cells.clear();
    std::size_t n_present = 0;
    for (const std::int32_t code : out.code) {
        if (const std::size_t rows = take(code, out.cells); rows > 0) {
            out.rows.push_back(rows);
            out.code[n_present++] = code;
        } else {
            out.cells.resize(out.cells.size() - k);
        }
    }
    out.code.resize(n_present);
}

LevelCells<WholeCount>& LevelScratch::cells_of(const NodeRows& node, std::size_t column) {
    cells.resize(node.store->n_columns());
    counted.resize(cells.size(), 0);
    if (!std::exchange(counted[column], std::uint8_t{1})) count_level_cells(node, column, cells[column], counts);
    return cells[column];
}

std::vector<LevelOrder> level_orders(const NodeRows& node, const LevelRows& levels,
                                     const std::vector<double>& class_scale, bool falling) {
    const data::TargetRows& target = node.target();
    std::vector<LevelOrder> orders;
    std::vector<double> mean(levels.n_levels());
    for (int o = 0; o < target.n_outputs(); ++o) {
        const int n_classes = target.classification() ? target.n_classes[o] : 0;
        const int n_orders = n_classes > 2 ? n_classes : 1;
        for (int k = 0; k < n_orders; ++k) {
            for (std::size_t l = 0; l < levels.n_levels(); ++l) {
                base::Sum weight, sum;
                for (std::uint32_t r = levels.start[l]; r < levels.start[l + 1]; ++r) {
                    const std::size_t i = node.begin + levels.rows[r];
                    double w = target.weight_of(i);
                    if (n_classes) {
                        const std::uint16_t label = target.labels[o][i];
                        // With two classes the scale does not change the order. Without it, equal shares are equal to
                        // the last bit.
                        if (!class_scale.empty() && n_classes > 2) w *= class_scale[label];
                        if (label == k) sum.add(w);
                    } else {
                        sum.add(base::two_product(w, target.numbers[o][i]));
                    }
                    weight.add(w);
                }
                mean[l] = sum.value() / weight.value();
            }
            if (falling)
                for (double& m : mean) m = -m;
            orders.push_back(base::ascending(mean));
        }
    }
    return orders;
}

namespace {

// Returns the largest s^2 / (m (n - m)) of the cuts of ordered levels with enough rows on both sides. Levels with equal
// means are treated as a single level that may be divided.
double best_rough_cut(const std::vector<LevelSum>& levels, LevelSum left, double n, double least, double tie) {
    double best = 0.0;
    const auto offer = [&](const LevelSum& part) {
        if (part.n > 0.0 && part.n < n) best = std::max(best, part.sum * part.sum / (part.n * (n - part.n)));
    };
    for (std::size_t l = 0; l < levels.size();) {
        const LevelSum before = left;
        const std::size_t first = l;
        do left.n += levels[l].n, left.sum += levels[l].sum;
        while (++l < levels.size() &&
               levels[l].sum / levels[l].n - levels[l - 1].sum / levels[l - 1].n <= tie);
        const bool divided = l - first > 1;
        if (left.n < least || n - (divided ? before : left).n < least) continue;
        offer(left);
        if (divided) offer(before);
    }
    return best;
}

// Adds up the target per level, relative to that of the first row, whose largest distance (at least 1) it returns.
// `sums` is all zeros before and after the call.
double add_up_levels(const NodeRows& node, std::size_t column, std::vector<LevelSum>& sums,
                     std::vector<LevelSum>& levels, LevelSum& missing) {
    const std::size_t n = node.size(),
                      n_cells = static_cast<std::size_t>(node.store->table->columns[column].n_levels()) + 1,
                      n_tables = tables_for(n_cells, n), to_next = n_tables > 1 ? n_cells : 0;
    sums.resize(std::max(sums.size(), n_tables * n_cells));
    const std::int32_t* const codes = node.codes(column);
    const double* const y = node.target().numbers[0].data() + node.begin;
    const double centre = y[0];
    std::array<double, most_tables> largest;
    largest.fill(1.0);
    LevelSum* const sum = sums.data();
    const auto add = [&](std::size_t table, std::size_t i) {
        const double value = y[i] - centre;
        LevelSum& level = sum[table * to_next + static_cast<std::size_t>(codes[i] + 1)];
        level.n += 1.0;
        level.sum += value;
        largest[table] = std::max(largest[table], std::fabs(value));
    };
    std::size_t i = 0;
    for (; i + most_tables <= n; i += most_tables)
        for (std::size_t t = 0; t < most_tables; ++t) add(t, i + t);
    for (; i < n; ++i) add(0, i);
    const auto take = [&](std::size_t cell) {
        LevelSum all;
        for (std::size_t t = 0; t < n_tables; ++t) {
            const LevelSum part = std::exchange(sum[t * to_next + cell], {});
            all.n += part.n, all.sum += part.sum;
        }
        return all;
    };
    const auto take_level = [&](std::size_t cell) {
        if (const LevelSum level = take(cell); level.n > 0.0) levels.push_back(level);
    };
    missing = take(0);
    if (n < n_cells)
        for (i = 0; i < n; ++i) take_level(static_cast<std::size_t>(codes[i] + 1));
    else
        for (std::size_t cell = 1; cell < n_cells; ++cell) take_level(cell);
    return *std::max_element(largest.begin(), largest.end());
}

}  // namespace

double bound_level_sets(const NodeRows& node, std::size_t column, const SearchOptions& options,
                        LevelScratch& scratch) {
    constexpr double unknown = std::numeric_limits<double>::infinity();
    const data::TargetRows& target = node.target();
    const bool gini = options.criterion == criteria::name_of<criteria::Gini>() && target.classification() &&
                      target.n_classes[0] == 2;
    const bool squares = options.criterion == criteria::name_of<criteria::SquaredError>();
    if (!(gini || squares) || target.n_outputs() != 1 || !target.weight.empty() || !options.class_scale.empty() ||
        options.multiway || options.missing == Missing::fractional)
        return unknown;
    std::vector<LevelSum> levels;
    LevelSum missing;
    double centre = 0.0, largest = 1.0;
    if (gini) {
        const LevelCells<WholeCount>& cells = scratch.cells_of(node, column);
        for (std::size_t l = 0; l < cells.code.size(); ++l)
            levels.push_back({static_cast<double>(cells.rows[l]), cells.cells[2 * l + 1].n});
        missing = {static_cast<double>(cells.n_missing), cells.missing[1].n};
    } else {
        largest = add_up_levels(node, column, scratch.sums, levels, missing);
        centre = target.numbers[0][node.begin];
    }
    if (options.missing != Missing::learn) missing = {};
    LevelSum all = missing;
    for (const LevelSum& level : levels) all.n += level.n, all.sum += level.sum;
    const double mean = all.sum / all.n;
    const auto centred = [mean](LevelSum& part) { part.sum -= part.n * mean; };
    std::for_each(levels.begin(), levels.end(), centred);
    centred(missing);
    std::sort(levels.begin(), levels.end(),
              [](const LevelSum& a, const LevelSum& b) { return a.sum / a.n < b.sum / b.n; });
    const double n = all.n, least = static_cast<double>(std::max<std::size_t>(1, options.min_rows));
    if (n < 2.0 * least) return 0.0;
    const double tie = 0x1p-49 * ((n + 1.0) * largest + std::fabs(centre));
    double best = best_rough_cut(levels, {}, n, least, tie);
    if (missing.n > 0.0) best = std::max(best, best_rough_cut(levels, missing, n, least, tie));
    const double error = n * n * 0x1p-49 * largest * std::sqrt(n / (least * (n - least)));
    const double root = std::sqrt(best * n) + error;
    return (gini ? 2.0 : 1.0) * root * root * (1.0 + 0x1p-40);
}

void entries_in_order(const LevelRows& levels, const LevelOrder& order, std::vector<Entry>& out) {
    out.clear();
    out.reserve(levels.n_rows() + levels.missing.size());
    for (std::size_t p = 0; p < order.size(); ++p)
        for (std::uint32_t r = levels.start[order[p]]; r < levels.start[order[p] + 1]; ++r)
            out.push_back({static_cast<std::uint32_t>(p), levels.rows[r]});
    for (const std::uint32_t row : levels.missing) out.push_back({static_cast<std::uint32_t>(order.size()), row});
}

namespace {

using Part = EventPart;

// Sums are rounded once, so they do not depend on the order of rows.
Part part_of(const NodeRows& node, std::span<const std::uint32_t> rows) {
    const data::TargetRows& target = node.target();
    base::LongSum weight, events;
    for (const std::uint32_t row : rows) {
        const double w = target.weight_of(node.begin + row);
        weight.add(w);
        events.add(base::two_product(w, target.numbers[0][node.begin + row]));
    }
    return {weight.value(), events.value(), rows.size()};
}

// The level that forms the best set together with those on the left; -1 if no set is allowed.
std::ptrdiff_t best_addition(const Part& left, const Part& all, const std::vector<Part>& level, const Limits& limits) {
    std::ptrdiff_t best = -1;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t l = 0; l < level.size(); ++l) {
        const Part with = left + level[l], without = all - with;
        if (!(level[l].events > 0.0) || !with.allowed(limits) || !without.allowed(limits)) continue;
        const double value = with.value() + without.value();
        if (value > most) best = static_cast<std::ptrdiff_t>(l), most = value;
    }
    return best;
}

}  // namespace

std::vector<LevelOrder> orders_past_event_free(const NodeRows& node, const LevelRows& levels, std::size_t n_missing,
                                               const Limits& limits, const LevelOrder& by_rate) {
    std::vector<Part> level(levels.n_levels());
    for (std::size_t l = 0; l < level.size(); ++l) {
        const std::size_t begin = levels.start[l], end = levels.start[l + 1];
        level[l] = part_of(node, std::span(levels.rows).subspan(begin, end - begin));
    }
    return orders_past_event_free(level, part_of(node, {levels.missing.data(), n_missing}), limits, by_rate);
}

std::vector<LevelOrder> orders_past_event_free(const std::vector<EventPart>& level, const EventPart& missing,
                                               const Limits& limits, const LevelOrder& by_rate) {
    Part all, event_free;
    for (const Part& part : level) {
        all = all + part;
        if (!(part.events > 0.0)) event_free = event_free + part;
    }
    std::vector<LevelOrder> orders;
    if (event_free.n_rows == 0 && (missing.n_rows == 0 || missing.events > 0.0)) return orders;
    const auto first = std::find_if(by_rate.begin(), by_rate.end(), [&](auto l) { return level[l].events > 0.0; });
    for (const bool missing_left : {false, true}) {
        if (missing_left && missing.n_rows == 0) continue;
        const std::ptrdiff_t best =
            best_addition(missing_left ? event_free + missing : event_free, all + missing, level, limits);
        if (best < 0 || first == by_rate.end() || *first == static_cast<std::uint32_t>(best)) continue;
        auto& order = orders.emplace_back(by_rate);
        const auto from = order.begin() + (first - by_rate.begin());
        const auto at = std::find(from, order.end(), static_cast<std::uint32_t>(best));
        std::rotate(from, at, at + 1);
    }
    return orders;
}

}  // namespace ceiba::split
