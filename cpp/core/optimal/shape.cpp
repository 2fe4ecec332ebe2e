
#include "optimal/search.hpp"

#include "split/candidate.hpp"

namespace ceiba::optimal {

namespace {

using Rows = std::vector<std::uint32_t>;

struct SplitShape {
    split::Kind kind = split::Kind::cut;
    double cut = 0.0;
    std::vector<split::LevelBranch> levels;
    int default_branch = 0;
    Rows part[2];
    PlanPtr below[2];

    void swap_branches() {
        std::swap(part[0], part[1]);
        std::swap(below[0], below[1]);
        default_branch = 1 - default_branch;
        for (split::LevelBranch& level : levels) level.branch = 1 - level.branch;
    }
};

bool is_missing(const data::Column& column, std::uint32_t row) {
    return column.kind() == data::ColumnKind::numeric ? std::isnan(column.number(row)) : column.code(row) < 0;
}

std::vector<split::LevelBranch> levels_of(const data::Column& column, const Rows (&part)[2], const Rows& rows) {
    std::vector<int> branch(static_cast<std::size_t>(column.n_levels()) + 1, -1);
    for (int s = 0; s < 2; ++s)
        for (std::uint32_t i : part[s])
            if (const std::int32_t code = column.code(rows[i]); code >= 0) branch[code] = s;
    std::vector<split::LevelBranch> out;
    for (std::size_t code = 0; code < branch.size(); ++code)
        if (branch[code] >= 0) out.push_back({static_cast<std::int32_t>(code), branch[code]});
    return out;
}

SplitShape split_shape(const data::Table& table, const Features& features, const RowData& data, const Rows& rows,
                       const Plan& plan, const Rows& node) {
    const Feature& feature = features.all[plan.feature];
    const data::Column& column = table.columns[feature.column];
    SplitShape out;
    out.below[0] = plan.left, out.below[1] = plan.right;
    std::size_t present[2] = {}, missing[2] = {};
    double weight[2] = {};
    for (std::uint32_t i : node) {
        const int s = plan.sends_right(feature.rank[i]);
        out.part[s].push_back(i);
        if (is_missing(column, rows[i])) {
            ++missing[s];
        } else {
            ++present[s];
            weight[s] += data.weight_of(i);
        }
    }
    out.default_branch = missing[0] + missing[1] ? missing[1] > 0 : weight[0] < weight[1];
    if (present[0] == 0 || present[1] == 0) {  // branch 0 is for rows with a value
        out.kind = split::Kind::presence;
        if (present[0] == 0) out.swap_branches();
        out.default_branch = 1;
    } else if (feature.kind == Feature::Kind::levels) {
        out.kind = split::Kind::levels;
        out.levels = levels_of(column, out.part, rows);
        if (out.levels.front().branch == 1) out.swap_branches();  // branch 0 always contains the first level
    } else {
        out.cut = split::cut_between(feature.values[plan.lower], feature.values[plan.upper], false);
    }
    return out;
}

}  // namespace

TreeShape shape_of(const data::Table& table, const Features& features, const RowData& data,
                   const std::vector<std::uint32_t>& rows, const PlanPtr& plan) {
    struct Open {
        PlanPtr plan;
        std::int32_t parent;
        Rows rows;
    };
    TreeShape out;
    Rows all(rows.size());
    std::iota(all.begin(), all.end(), 0u);
    std::vector<Open> open;
    open.push_back({plan, -1, std::move(all)});
    while (!open.empty()) {
        Open at = std::move(open.back());
        open.pop_back();
        const std::int32_t id = static_cast<std::int32_t>(out.parent.size());
        out.parent.push_back(at.parent);
        if (!at.plan) {
            out.splits.push(split::Kind::none, -1, 0.0, 0, {});
            out.default_branch.push_back(-1);
            continue;
        }
        SplitShape split = split_shape(table, features, data, rows, *at.plan, at.rows);
        out.splits.push(split.kind, features.all[at.plan->feature].column, split.cut, 0, split.levels);
        out.default_branch.push_back(split.default_branch);
        for (int s = 1; s >= 0; --s) open.push_back({split.below[s], id, std::move(split.part[s])});
    }
    return out;
}

}  // namespace ceiba::optimal
