#include "explain/shapley.hpp"

#include "explain/block_walk.hpp"
#include "explain/pair_walk.hpp"

namespace ceiba::explain {

namespace {

constexpr std::size_t block_rows = 512;
constexpr std::size_t unit_codes = 512, leaf_codes = 4096;   // 64 units of 512 codes suffice for a tree of depth 8
constexpr std::size_t table_numbers = std::size_t{1} << 23;  // 64 MB for all tables

constexpr auto everywhere = [](std::size_t) { return true; };

// Adds the tabulated contributions for the rows of a block on which the walk was started.
class UnitReader {
public:
    UnitReader(const GameTree& tree, const Cover& cover, const std::vector<Unit>& units, std::size_t width)
        : cover_(cover), units_(units), width_(width), unit_at_(tree.size(), -1) {
        for (std::size_t u = 0; u < units.size(); ++u) unit_at_[units[u].root] = static_cast<std::int32_t>(u);
    }

    void add(BlockWalk& walk, double* out, std::size_t row_size) const {
        if (units_.empty()) return;
        walk.run([this](std::size_t g) { return unit_at_[g] >= 0; },
                 [this](std::size_t g) { return cover_.leads_to[g] != 0; },
                 [&](std::size_t g, std::vector<std::uint32_t>& code) {
                     const Unit& unit = units_[unit_at_[g]];
                     for (const Unit::Split& split : unit.splits) {
                         const std::vector<std::int32_t>& outcome = walk.outcomes(split.node);
                         for (std::size_t i = 0; i < code.size(); ++i)
                             code[i] += split.stride * static_cast<std::uint32_t>(outcome[i]);
                     }
                     if (width_ == 1)
                         add_one(unit, code, out, row_size);
                     else
                         add_many(unit, code, out, row_size);
                 });
    }

private:
    static void add_one(const Unit& unit, const std::vector<std::uint32_t>& code, double* out, std::size_t row_size) {
        const std::size_t n = unit.target.size();
        const std::uint32_t* const target = unit.target.data();
        for (std::size_t i = 0; i < code.size(); ++i, out += row_size) {
            const double* const from = unit.table.data() + code[i] * n;
            for (std::size_t s = 0; s < n; ++s) out[target[s]] += from[s];
        }
    }
    void add_many(const Unit& unit, const std::vector<std::uint32_t>& code, double* out, std::size_t row_size) const {
        const std::size_t n = unit.target.size();
        for (std::size_t i = 0; i < code.size(); ++i, out += row_size) {
            const double* from = unit.table.data() + code[i] * n * width_;
            for (std::size_t s = 0; s < n; ++s, from += width_)
                for (std::size_t w = 0; w < width_; ++w) out[unit.target[s] * width_ + w] += from[w];
        }
    }

    const Cover& cover_;
    const std::vector<Unit>& units_;
    std::size_t width_;
    std::vector<std::int32_t> unit_at_;
};

std::vector<std::size_t> path_lengths(const GameTree& tree) {
    std::vector<std::size_t> lengths;
    for (std::size_t g = 0; g < tree.size(); ++g)
        if (tree.is_leaf(g)) lengths.push_back(tree.n_above[g]);
    std::sort(lengths.begin(), lengths.end());
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    return lengths;
}

// The slots of each mask, from the training shares.
void product_table(const ProductGame& game, const PathColumns& path, bool interactions, std::vector<double>& slots) {
    const std::size_t m = path.column.size(), each = n_slots(m, interactions);
    slots.resize(each << m);
    std::vector<double> hot(m), room;
    for (std::size_t mask = 0; mask < std::size_t{1} << m; ++mask) {
        for (std::size_t k = 0; k < m; ++k) hot[k] = mask >> k & 1 ? 1.0 : 0.0;
        game.solve(hot.data(), path.cold.data(), m, interactions, slots.data() + mask * each, room);
    }
}

// The slots of each mask against background rows, whose masks have the weights `weight`. A background row contributes
// if it agrees wherever the row does not.
void background_table(const std::vector<double>& weight, std::size_t m, bool interactions, std::vector<double>& slots) {
    const std::size_t each = n_slots(m, interactions), n_masks = std::size_t{1} << m, all = n_masks - 1;
    slots.assign(each * n_masks, 0.0);
    std::vector<double> single(interactions ? m : 0);
    for (std::size_t mask = 0; mask < n_masks; ++mask) {
        const double w = weight[mask];
        if (w == 0.0) continue;
        for (std::size_t common = mask;; common = (common - 1) & mask) {  // all subsets of the mask
            const std::size_t own_columns = all & ~mask, other_columns = mask & ~common;
            const std::size_t p = static_cast<std::size_t>(std::popcount(own_columns)),
                              q = static_cast<std::size_t>(std::popcount(other_columns));
            double* const out = slots.data() + (own_columns | common) * each;
            const double own_value = w * SetGame::own_value(p, q), other_value = w * SetGame::other_value(p, q);
            double* const phi = interactions ? single.data() : out;
            for (std::size_t k = 0; k < m; ++k) {
                if (interactions) phi[k] = 0.0;
                phi[k] += own_columns >> k & 1 ? own_value : other_columns >> k & 1 ? other_value : 0.0;
            }
            if (interactions) {
                std::vector<double> pairs(each, 0.0);
                for (std::size_t i = 0; i < m; ++i)
                    for (std::size_t j = i + 1; j < m; ++j) {
                        if ((common >> i & 1) || (common >> j & 1)) continue;
                        pairs[pair_slot(i, j, m)] = w * SetGame::pair(own_columns >> i & 1, own_columns >> j & 1, p, q);
                    }
                ProductGame::put_diagonal(phi, m, pairs.data());
                for (std::size_t s = 0; s < each; ++s) out[s] += pairs[s];
            }
            if (common == 0) break;
        }
    }
}

}  // namespace

// Tables pay off only if there are more rows than codes. The sizes are halved until all tables fit into the memory
// limit.
Cover Shapley::chosen_cover(std::size_t n_rows) const {
    std::size_t most = std::min(unit_codes, n_rows / 4), most_leaf = std::min(leaf_codes, n_rows / 4);
    while (true) {
        Cover chosen = cover(tree_, most, most_leaf);
        std::uint64_t numbers = 0;  // 64 bits on every platform: codes x slots x outputs
        for (const std::int32_t u : chosen.units) {
            const std::size_t g = static_cast<std::size_t>(u), m = tree_.n_above[g];
            const std::uint64_t codes = tree_.is_leaf(g) ? std::uint64_t{1} << m : most;
            numbers += codes * n_slots(m + (tree_.end[g] - g) / 2, interactions_) * values_.width;
        }
        if (numbers <= table_numbers || most_leaf < 2) return chosen;
        most_leaf /= 2;
        most = std::min(most, most_leaf);
    }
}

std::vector<Unit> Shapley::make_units(const Cover& cover, const LeafTable& leaf_table, base::ThreadPool& pool) const {
    std::vector<Unit> units(cover.units.size());
    pool.run(units.size(), [&](std::size_t u, int) {
        units[u] =
            unit_table(tree_, static_cast<std::size_t>(cover.units[u]), n_columns_, interactions_, values_, leaf_table);
    });
    return units;
}

template <class Add>
void Shapley::each_block(const data::Table& table, double* out, base::ThreadPool& pool, base::Interrupt& interrupt,
                         Add add) const {
    const auto add_block = [&](std::size_t, std::size_t begin, std::size_t end, int thread) {
        interrupt.poll(thread);
        add(begin, end);
        if (interactions_)
            for (std::size_t row = begin; row < end; ++row) mirror(out + row * row_size());
    };
    base::for_blocks(&pool, table.n_rows, add_block, block_rows);
}

void Shapley::mirror(double* row) const {
    for (std::size_t i = 0; i < n_columns_; ++i)
        for (std::size_t j = i + 1; j < n_columns_; ++j)
            std::copy_n(row + (i * n_columns_ + j) * values_.width, values_.width,
                        row + (j * n_columns_ + i) * values_.width);
}

void Shapley::path_dependent(const data::Table& table, double* out, base::ThreadPool& pool,
                             base::Interrupt& interrupt) const {
    const Cover cover = chosen_cover(table.n_rows);
    const ProductGame game(path_lengths(tree_));
    const std::vector<Unit> units = make_units(
        cover,
        [&](std::size_t, const PathColumns& path, std::vector<double>& slots) {
            product_table(game, path, interactions_, slots);
        },
        pool);
    const UnitReader reader(tree_, cover, units, values_.width);
    const Game shared{tree_, arrays_, values_, n_columns_, interactions_};
    const std::size_t size = row_size();
    each_block(table, out, pool, interrupt, [&](std::size_t begin, std::size_t end) {
        BlockWalk walk(tree_, arrays_, PlacementRule::whole_row);
        RowWalk by_row(shared, game);
        walk.start(table, begin, end);
        reader.add(walk, out + begin * size, size);
        for (std::size_t row = begin; row < end; ++row) {
            double* const to = out + row * size;
            if (walk.undecided()[row - begin]) {  // the row takes several branches
                std::fill_n(to, size, 0.0);
                by_row.add(table, row, everywhere, to);
            } else if (cover.uncovered[0]) {
                by_row.add(
                    table, row, [&](std::size_t g) { return cover.uncovered[g] != 0; }, to);
            }
        }
    });
}

void Shapley::interventional(const data::Table& table, const data::Table& background, const double* weight, double* out,
                             base::ThreadPool& pool, base::Interrupt& interrupt) const {
    const Cover cover = chosen_cover(table.n_rows);
    const auto covered_leaf = [&](std::size_t g) { return tree_.is_leaf(g) && !cover.uncovered[g]; };
    const auto to_covered = [&](std::size_t g) { return !(tree_.is_leaf(g) && cover.uncovered[g]); };
    const auto to_uncovered = [&](std::size_t g) { return cover.uncovered[g] != 0; };

    // The masks of the background rows at each leaf. A background row with a mixture that may take another path is
    // instead paired with each row.
    std::vector<std::vector<double>> masks(tree_.size());
    std::vector<std::size_t> plain, mixed;
    for (std::size_t begin = 0; begin < background.n_rows; begin += block_rows) {
        BlockWalk walk(tree_, arrays_, PlacementRule::own_column);
        walk.start(background, begin, std::min(background.n_rows, begin + block_rows));
        walk.find_undecided();
        const std::vector<std::uint8_t> undecided = walk.undecided();
        for (std::size_t i = 0; i < undecided.size(); ++i) (undecided[i] ? mixed : plain).push_back(begin + i);
        if (!cover.units.empty())
            walk.run(covered_leaf, to_covered, [&](std::size_t g, const std::vector<std::uint32_t>& mask) {
                masks[g].resize(std::size_t{1} << tree_.n_above[g], 0.0);
                for (std::size_t i = 0; i < mask.size(); ++i)
                    if (!undecided[i]) masks[g][mask[i]] += weight[begin + i];
            });
    }
    const std::vector<Unit> units = make_units(
        cover,
        [&](std::size_t leaf, const PathColumns& path, std::vector<double>& slots) {
            background_table(masks[leaf], path.column.size(), interactions_, slots);
        },
        pool);
    const UnitReader reader(tree_, cover, units, values_.width);
    const Game shared{tree_, arrays_, values_, n_columns_, interactions_};
    const std::size_t size = row_size();
    each_block(table, out, pool, interrupt, [&](std::size_t begin, std::size_t end) {
        BlockWalk walk(tree_, arrays_, PlacementRule::own_column);
        PairWalk pair(shared);
        walk.start(table, begin, end);
        walk.find_undecided();
        reader.add(walk, out + begin * size, size);
        for (std::size_t row = begin; row < end; ++row) {
            double* const to = out + row * size;
            const bool alone = walk.undecided()[row - begin] != 0;
            if (alone) std::fill_n(to, size, 0.0);
            for (const std::size_t b : plain) {
                if (alone)
                    pair.add({&table, row}, {&background, b}, weight[b], everywhere, to);
                else if (cover.uncovered[0])
                    pair.add({&table, row}, {&background, b}, weight[b], to_uncovered, to);
            }
            for (const std::size_t b : mixed) pair.add({&table, row}, {&background, b}, weight[b], everywhere, to);
        }
    });
}

std::vector<double> Shapley::expected() const {
    std::vector<double> reach(tree_.size(), 1.0), out(values_.width, 0.0);
    for (std::size_t g = 0; g < tree_.size(); ++g) {
        if (g > 0) reach[g] = reach[tree_.parent[g]] * tree_.cold[g];
        if (!tree_.is_leaf(g)) continue;
        const double* const value = values_.at(tree_.source[g]);
        for (std::size_t w = 0; w < values_.width; ++w) out[w] += reach[g] * value[w];
    }
    return out;
}

}  // namespace ceiba::explain
