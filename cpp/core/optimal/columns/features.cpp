#include "optimal/columns/features.hpp"

#include "base/sort.hpp"

namespace ceiba::optimal {

namespace {

void add_numbers(const data::Column& column, std::int32_t c, const std::vector<std::uint32_t>& rows, bool learn,
                 Features& out) {
    const std::size_t n = rows.size();
    std::vector<double> x(n), present;
    std::vector<std::uint32_t> order;
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = column.number(rows[i]);
        if (std::isnan(x[i])) continue;
        order.push_back(static_cast<std::uint32_t>(i));
        present.push_back(x[i]);
    }
    if (order.empty()) return;
    base::sort_by(present, order);
    Feature f;
    f.column = c;
    f.rank.assign(n, unranked);
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || x[order[i]] != x[order[i - 1]]) f.values.push_back(x[order[i]]);
        f.rank[order[i]] = static_cast<std::uint32_t>(f.values.size() - 1);
    }
    f.n_ranks = static_cast<std::uint32_t>(f.values.size());
    if (order.size() == n || !learn) {
        if (f.n_ranks > 1) out.all.push_back(f);
        if (order.size() == n) return;
        out.has_unranked = true;
    }
    f.bounds_only = !learn;
    Feature low = f;
    low.missing_low = true;
    for (std::uint32_t& r : low.rank) r = r == unranked ? 0 : r + 1;
    low.values.insert(low.values.begin(), std::numeric_limits<double>::quiet_NaN());
    ++low.n_ranks;
    f.missing_high = true;
    for (std::uint32_t& r : f.rank) r = r == unranked ? f.n_ranks : r;
    f.values.push_back(std::numeric_limits<double>::quiet_NaN());
    ++f.n_ranks;
    out.all.push_back(std::move(f));
    if (low.n_ranks > 2) out.all.push_back(std::move(low));
}

struct LevelUse {
    std::vector<std::int32_t> code;    // levels that occur in the data
    std::vector<std::uint32_t> index;  // index of each row's level among them; the last index is missing
    bool any_missing = false;
};

LevelUse levels_in_use(const data::Column& column, const std::vector<std::uint32_t>& rows) {
    LevelUse use;
    std::vector<std::uint32_t> index_of(static_cast<std::size_t>(column.n_levels()) + 1, unranked);
    for (std::uint32_t row : rows) {
        const std::int32_t code = column.code(row);
        if (code < 0)
            use.any_missing = true;
        else
            index_of[std::min(code, column.n_levels())] = 0;
    }
    for (std::size_t code = 0; code < index_of.size(); ++code)
        if (index_of[code] == 0) {
            index_of[code] = static_cast<std::uint32_t>(use.code.size());
            use.code.push_back(static_cast<std::int32_t>(code));
        }
    for (std::uint32_t row : rows) {
        const std::int32_t code = column.code(row);
        use.index.push_back(code < 0 ? static_cast<std::uint32_t>(use.code.size())
                                     : index_of[std::min(code, column.n_levels())]);
    }
    return use;
}

// A feature in which the levels have these ranks. `missing` is the rank of rows without a level.
Feature by_level(std::int32_t c, const data::Column& column, const LevelUse& use,
                 const std::vector<std::uint32_t>& rank, std::uint32_t missing, std::uint32_t n_ranks) {
    Feature f;
    f.kind = Feature::Kind::levels;
    f.column = c;
    f.n_ranks = n_ranks;
    f.missing_rank = missing;
    f.level_rank.assign(static_cast<std::size_t>(column.n_levels()) + 1, unranked);
    for (std::size_t l = 0; l < use.code.size(); ++l) f.level_rank[use.code[l]] = rank[l];
    f.rank.reserve(use.index.size());
    for (std::uint32_t l : use.index) f.rank.push_back(l == use.code.size() ? missing : rank[l]);
    return f;
}

void add_all_sets(std::int32_t c, const data::Column& column, const LevelUse& use, bool learn, bool bounds_only,
                  Features& out) {
    const std::size_t n_levels = use.code.size(), n_parts = n_levels + (learn && use.any_missing);
    for (std::uint32_t set = 1; set < (1u << (n_parts - 1)); ++set) {  // the first level is never in the set
        std::vector<std::uint32_t> rank(n_levels);
        for (std::size_t l = 0; l < n_levels; ++l) rank[l] = l == 0 ? 0 : set >> (l - 1) & 1;
        const std::uint32_t missing = n_parts > n_levels ? set >> (n_levels - 1) & 1 : unranked;
        out.all.push_back(by_level(c, column, use, rank, missing, 2));
        out.all.back().bounds_only = bounds_only;
    }
}

// One number per level for each of the orders to be tried.
std::vector<std::vector<double>> level_scores(const LevelUse& use, const data::Target& target,
                                              const std::vector<std::uint32_t>& rows) {
    const std::size_t n_levels = use.code.size();
    const std::size_t n_classes = target.classification() ? static_cast<std::size_t>(target.n_classes[0]) : 0;
    const std::size_t n_orders = n_classes > 2 ? n_classes : 1;
    std::vector<std::vector<double>> score(n_orders, std::vector<double>(n_levels + 1, 0.0));
    std::vector<double> weight(n_levels + 1, 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double w = target.weight ? target.weight[rows[i]] : 1.0;
        weight[use.index[i]] += w;
        for (std::size_t o = 0; o < n_orders; ++o) {
            const double y = !n_classes ? target.numbers[rows[i]]
                                        : target.labels[rows[i]] == static_cast<int>(n_classes > 2 ? o : 1);
            score[o][use.index[i]] += w * y;
        }
    }
    for (auto& of_order : score)
        for (std::size_t l = 0; l <= n_levels; ++l) of_order[l] = weight[l] > 0 ? of_order[l] / weight[l] : 0.0;
    return score;
}

void add_orders(std::int32_t c, const data::Column& column, const LevelUse& use, const data::Target& target,
                const std::vector<std::uint32_t>& rows, bool learn, bool bounds_only, Features& out) {
    const std::uint32_t n_levels = static_cast<std::uint32_t>(use.code.size());
    for (const auto& score : level_scores(use, target, rows)) {
        const std::vector<std::uint32_t> order = base::ascending({score.begin(), score.begin() + n_levels});
        std::vector<std::uint32_t> rank(n_levels);
        for (std::uint32_t i = 0; i < n_levels; ++i) rank[order[i]] = i;
        if (!use.any_missing || !learn) {
            out.all.push_back(by_level(c, column, use, rank, unranked, n_levels));
            continue;
        }
        out.all.push_back(by_level(c, column, use, rank, n_levels, n_levels + 1));
        out.all.back().missing_high = true;
        out.all.back().bounds_only = bounds_only;
        for (std::uint32_t& r : rank) ++r;
        out.all.push_back(by_level(c, column, use, rank, 0, n_levels + 1));
        out.all.back().missing_low = true;
        out.all.back().bounds_only = bounds_only;
    }
}

}  // namespace

Features make_features(const data::Table& table, const data::Target& target, const std::vector<std::uint32_t>& rows,
                       bool learn_missing) {
    Features out;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const data::Column& column = table.columns[c];
        const std::int32_t id = static_cast<std::int32_t>(c);
        if (column.kind() != data::ColumnKind::levels) {
            add_numbers(column, id, rows, learn_missing, out);
            continue;
        }
        const LevelUse use = levels_in_use(column, rows);
        const bool unplaced = use.any_missing && !learn_missing;
        if (use.code.empty() || use.code.size() + use.any_missing < 2) continue;
        out.has_unranked = out.has_unranked || unplaced;
        const bool exact = use.code.size() + (learn_missing && use.any_missing) <= max_exact_levels;
        out.exact = out.exact && exact;
        for (const bool bounds_only : {false, true}) {
            if (bounds_only && !unplaced) continue;
            if (exact)
                add_all_sets(id, column, use, learn_missing || bounds_only, bounds_only, out);
            else
                add_orders(id, column, use, target, rows, learn_missing || bounds_only, bounds_only, out);
        }
    }
    return out;
}

}  // namespace ceiba::optimal
