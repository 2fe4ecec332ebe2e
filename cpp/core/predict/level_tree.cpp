#include "predict/level_tree.hpp"

#include "predict/row_block.hpp"

namespace ceiba::predict {

namespace {

using tree::Kind;

constexpr std::size_t most_words = std::size_t{1} << 23;  // 64 MB of bits
constexpr std::size_t block_values = 2048;                // 32 KB: the first cache
Kind kind_of(const tree::Questions& questions, std::size_t node) {
    return static_cast<Kind>(questions.splits.kind[node]);
}

}  // namespace

LevelTree::LevelTree(const tree::Questions& questions) {
    if (!ask_for_columns(questions) || !lay_out(questions)) *this = {};
}

// Which columns are asked for, and are they numbers or levels? A column is of levels if any node parts its levels;
// false if the tree is not of the plain sort.
bool LevelTree::ask_for_columns(const tree::Questions& questions) {
    const tree::SplitTable& splits = questions.splits;
    if (!questions.surrogates.kind.empty() || questions.n_nodes() >= missing_second) return false;
    for (std::size_t i = 0; i < questions.n_nodes(); ++i) {
        if (questions.is_leaf(i)) continue;
        if (questions.branch_start[i + 1] - questions.branch_start[i] != 2) return false;
        const Kind kind = kind_of(questions, i);
        if (kind != Kind::presence && (questions.default_branch[i] < 0 || questions.majority_branch[i] < 0))
            return false;
        const std::uint32_t column = static_cast<std::uint32_t>(splits.column[i]);
        auto at = std::find_if(asked_.begin(), asked_.end(), [&](const Asked& a) { return a.column == column; });
        if (at == asked_.end()) at = asked_.insert(at, {column, false, 0});
        if (kind != Kind::levels) continue;
        at->levels = true;
        if (splits.level_start[i] < splits.level_start[i + 1])
            at->n_levels = std::max(at->n_levels, splits.level_code[splits.level_start[i + 1] - 1] + 1);
    }
    return std::any_of(asked_.begin(), asked_.end(), [](const Asked& a) { return a.levels; });
}

bool LevelTree::lay_out(const tree::Questions& questions) {
    const tree::SplitTable& splits = questions.splits;
    const std::size_t n = questions.n_nodes();
    const auto words = [](const Asked& a) { return static_cast<std::size_t>(a.n_levels) / 64 + 2; };
    std::size_t longest = 1;
    for (const Asked& a : asked_)
        if (a.levels) longest = std::max(longest, words(a));
    bits_.assign(longest, 0);
    nodes_.resize(n);
    id_.resize(n);
    struct Open {
        std::size_t node;
        std::uint32_t place;
    };
    std::vector<Open> open{{0, 0}};
    std::uint32_t n_places = 1;
    while (!open.empty()) {
        const Open now = open.back();
        open.pop_back();
        const std::size_t i = now.node;
        Node& node = nodes_[now.place];
        id_[now.place] = static_cast<std::int32_t>(i);
        node = {std::numeric_limits<double>::infinity(), now.place, 0, 0};
        if (questions.is_leaf(i)) continue;
        const auto at = std::find_if(asked_.begin(), asked_.end(), [&](const Asked& a) {
            return a.column == static_cast<std::uint32_t>(splits.column[i]);
        });
        node.slot = static_cast<std::uint32_t>((at - asked_.begin()) * static_cast<std::ptrdiff_t>(sizeof(Value)));
        node.first_child = n_places;
        int first = 0;  // the branch at first_child
        if (at->levels) {
            if (kind_of(questions, i) == Kind::cut || bits_.size() + words(*at) > most_words) return false;
            node.bits = static_cast<std::uint32_t>(bits_.size());
            bits_.resize(bits_.size() + words(*at), 0);
            set_bits(questions, i, *at, node.bits);
        } else if (kind_of(questions, i) == Kind::presence) {
            node.first_child |= missing_second;
        } else {
            node.cut = splits.cut[i];
            first = splits.low_branch[i];
            if (questions.default_branch[i] != first) node.first_child |= missing_second;
        }
        for (const int b : {1, 0})
            open.push_back({static_cast<std::size_t>(questions.branch_node[questions.branch_start[i] + b]),
                            n_places + (b == first ? 0u : 1u)});
        n_places += 2;
    }
    return true;
}

// Bit 0: missing; bit 1 + level; the last: levels that no node knows. The set is that of the levels of branch 1.
void LevelTree::set_bits(const tree::Questions& questions, std::size_t node, const Asked& asked,
                         std::size_t first_word) {
    const tree::SplitTable& splits = questions.splits;
    std::uint64_t* const own = bits_.data() + first_word;
    const auto set = [own](std::size_t place, bool second) {
        own[place / 64] = (own[place / 64] & ~(std::uint64_t{1} << place % 64)) | (std::uint64_t{second} << place % 64);
    };
    if (kind_of(questions, node) == Kind::presence) {
        set(0, true);
        return;
    }
    const bool missing = questions.default_branch[node] == 1;
    const bool unknown = questions.unseen_is_missing ? missing : questions.majority_branch[node] == 1;
    set(0, missing);
    for (std::size_t place = 1; place <= static_cast<std::size_t>(asked.n_levels) + 1; ++place) set(place, unknown);
    for (std::int64_t l = splits.level_start[node]; l < splits.level_start[node + 1]; ++l)
        set(static_cast<std::size_t>(splits.level_code[l]) + 1, splits.level_branch[l] == 1);
}

bool LevelTree::supports(const data::Table& table) const {
    return std::all_of(asked_.begin(), asked_.end(), [&](const Asked& a) {
        return (table.columns[a.column].kind() == data::ColumnKind::levels) == a.levels;
    });
}

void LevelTree::apply(const data::Table& table, std::size_t begin, std::size_t end, std::int32_t* out,
                      std::vector<std::size_t>& unresolved) const {
    const std::size_t width = asked_.size(),
                      rows = std::min(end - begin, std::max<std::size_t>(lanes, block_values / width));
    std::vector<Value> values(rows * width);
    const Node* const nodes = nodes_.data();
    const std::uint64_t* const bits = bits_.data();
    const auto step = [nodes, bits](std::uint32_t at, const char* row, std::uint32_t&) {
        const Node& node = nodes[at];
        Value v;
        std::memcpy(&v, row + node.slot, sizeof v);
        const std::uint32_t cut = v.number > node.cut, lacks = (v.number != v.number) & (node.first_child >> 31);
        const std::uint32_t in_set = static_cast<std::uint32_t>(bits[node.bits + v.place / 64] >> v.place % 64 & 1);
        return (node.first_child & ~missing_second) + (cut | lacks | in_set);
    };
    const auto nothing = [](std::size_t) {};
    for (std::size_t from = begin; from < end; from += rows) {
        const std::size_t n = std::min(rows, end - from);
        for (std::size_t c = 0; c < width; ++c) {
            const data::Column& column = table.columns[asked_[c].column];
            Value* to = values.data() + c;
            if (asked_[c].levels) {
                const std::int32_t most = asked_[c].n_levels;
                for (std::size_t i = 0; i < n; ++i, to += width)
                    *to = {0.0, static_cast<std::uint64_t>(std::clamp(column.code(from + i), -1, most) + 1)};
            } else if (column.kind() == data::ColumnKind::ordered) {
                for (std::size_t i = 0; i < n; ++i, to += width) {
                    *to = {column.number(from + i), 0};
                    if (column.code(from + i) >= column.n_levels()) unresolved.push_back(from + i);
                }
            } else {
                column.with_reader([&](auto number) {
                    for (std::size_t i = 0; i < n; ++i, to += width) *to = {number(from + i), 0};
                });
            }
        }
        route_lanes(n, reinterpret_cast<const char*>(values.data()), static_cast<std::ptrdiff_t>(width * sizeof(Value)),
                    0u, id_.data(), out + (from - begin), step, nothing, nothing);
    }
}

}  // namespace ceiba::predict
