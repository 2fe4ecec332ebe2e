// A block of rows taken down the game tree together: which columns of its path agree with each row, as bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "data/table.hpp"
#include "explain/game_tree.hpp"
#include "tree/route_rows.hpp"

namespace ceiba::explain {

// Whether a row that the node's own split cannot place goes by surrogates and default, or is left undecided where other
// columns or several branches come in (a row put together from two others may go another way than either).
enum class Deciding { whole_row, own_column };

class BlockWalk {
public:
    BlockWalk(const GameTree& tree, const tree::Questions& questions, Deciding deciding)
        : tree_(tree), questions_(questions), deciding_(deciding) {}

    void start(const data::Table& table, std::size_t begin, std::size_t end) {
        table_ = &table;
        rows_.resize(end - begin);
        std::iota(rows_.begin(), rows_.end(), static_cast<std::uint32_t>(begin));
        undecided_.assign(rows_.size(), 0);
        branch_.resize(rows_.size());
    }
    std::size_t n_rows() const { return rows_.size(); }
    // Rows for which some question had no single answer; their masks are worth nothing.
    const std::vector<std::uint8_t>& undecided() const { return undecided_; }

    // The child that each row takes.
    const std::vector<std::int32_t>& outcomes(std::size_t g) {
        const std::size_t node = static_cast<std::size_t>(tree_.asked[g]);
        const bool own = deciding_ == Deciding::own_column && !questions_.surrogate_start.empty();
        if (own)
            for (std::size_t i = 0; i < rows_.size(); ++i) {
                const int branch = questions_.by_split(node, *table_, rows_[i]);
                branch_[i] = branch < 0 ? tree::row_is_parted : branch;
            }
        else
            tree::branches_of_rows(questions_, node, *table_, rows_.data(), rows_.size(), branch_.data());
        const std::int32_t last = static_cast<std::int32_t>(tree_.n_children(g)) - 1;
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if (branch_[i] < 0) {
                if (branch_[i] == tree::row_is_parted) undecided_[i] = 1;
                branch_[i] = branch_[i] == tree::row_stays ? last : 0;
            }
        return branch_;
    }

    // Calls visit(node, masks) at each node that `stop` names, and goes where `enter` allows.
    template <class Stop, class Enter, class Visit>
    void run(Stop stop, Enter enter, Visit visit) {
        open_.clear();
        open_.emplace_back(0, std::vector<std::uint32_t>(rows_.size(), 0));
        while (!open_.empty()) {
            auto [g, mask] = std::move(open_.back());
            open_.pop_back();
            if (stop(g))
                visit(g, mask);
            else
                part(g, mask, enter);
        }
    }

private:
    template <class Enter>
    void part(std::size_t g, const std::vector<std::uint32_t>& mask, Enter enter) {
        const std::vector<std::int32_t>& outcome = outcomes(g);
        const std::uint32_t one = std::uint32_t{1} << tree_.bit[g];
        const std::uint32_t base = tree_.is_new(g) ? 0 : one;  // a column asked again has agreed so far, or has not
        children_.assign(tree_.child.begin() + static_cast<std::ptrdiff_t>(tree_.child_start[g]),
                         tree_.child.begin() + static_cast<std::ptrdiff_t>(tree_.child_start[g + 1]));
        // The largest is worked off last, so that few blocks of masks wait at a time.
        std::stable_sort(children_.begin(), children_.end(),
                         [this](std::int32_t a, std::int32_t b) { return n_below(a) > n_below(b); });
        for (const std::int32_t c : children_) {
            const std::size_t child = static_cast<std::size_t>(c);
            if (!enter(child)) continue;
            const std::int32_t place = tree_.place[child];
            std::vector<std::uint32_t> below(mask.size());
            for (std::size_t i = 0; i < mask.size(); ++i) {
                const std::uint32_t agrees = outcome[i] == place ? one : 0;
                below[i] = base ? mask[i] & (agrees | ~one) : mask[i] | agrees;
            }
            open_.emplace_back(child, std::move(below));
        }
    }
    std::size_t n_below(std::int32_t g) const {
        return tree_.end[static_cast<std::size_t>(g)] - static_cast<std::size_t>(g);
    }

    const GameTree& tree_;
    const tree::Questions& questions_;
    Deciding deciding_;
    const data::Table* table_ = nullptr;
    std::vector<std::uint32_t> rows_;
    std::vector<std::uint8_t> undecided_;
    std::vector<std::int32_t> branch_, children_;
    std::vector<std::pair<std::size_t, std::vector<std::uint32_t>>> open_;
};

}  // namespace ceiba::explain
