// The cuts of a node as columns of bits, for the search by intervals and classification errors.
//
// Each cut of a feature with few cuts is a column with one bit per row. A root cut of the last two levels selects rows,
// and counting the bits of every column among them yields the best stumps by all of these features on both sides of the
// root cut, 64 rows at a time. Features with many cuts are scanned in their order instead (kernels.hpp). The losses are
// the same either way, so the columns change neither the order of the search nor its tree.
#pragma once

#include "optimal/exact/pair_counts.hpp"
#include "optimal/exact/stumps.hpp"

namespace ceiba::optimal {

class CutBits {
public:
    // Whether the cuts of a feature are columns.
    bool has(std::size_t f) const { return first_[f] != none; }
    // The number of features that have cuts but no columns.
    std::size_t n_others() const { return n_others_; }

    // Writes the columns of a node. The sides of rows without a rank depend on the cut, so a feature with such rows has
    // no columns.
    void fill(const Features& features, const Node& node, std::size_t n_classes) {
        place_rows(node, n_classes);
        // With many classes, most bits of the words may be unused. Columns need at most 16 bytes per row and feature.
        const std::size_t most = std::min<std::size_t>(most_cuts, 2 * node.n_rows() / (all_.size() + n_classes));
        first_.assign(node.n_features(), none);
        n_others_ = n_columns_ = 0;
        for (std::size_t f = 0; f < node.n_features(); ++f) {
            if (node.n_cuts[f] == 0) continue;
            if (node.n_cuts[f] > most || node.n_present[f] < node.n_rows() || features.all[f].bounds_only)
                ++n_others_;
            else
                first_[f] = n_columns_, n_columns_ += node.n_cuts[f];
        }
        stride_ = (n_columns_ + lanes - 1) / lanes * lanes;
        words_.assign(all_.size() * stride_, 0);
        ones_.assign(n_classes * stride_, 0);
        size_.assign(stride_, 0);
        for (std::size_t f = 0; f < node.n_features(); ++f)
            if (has(f)) write(node, f);
    }

    // Selects the rows on the right of a cut of a feature that has columns.
    void select(std::size_t f, std::size_t cut) {
        const std::size_t c = first_[f] + cut;
        for (std::size_t w = 0; w < all_.size(); ++w) mask_[w] = words_[w * stride_ + c];
        for (std::size_t k = 0; k < n_classes(); ++k) selected_[k] = ones_[k * stride_ + c];
    }
    // Selects the rows on the right of any cut.
    void select(const Node& node, const SideOf& side) {
        std::fill(mask_.begin(), mask_.end(), 0);
        std::fill(selected_.begin(), selected_.end(), 0);
        for (std::size_t i = 0; i < node.n_rows(); ++i) {
            mask_[place_[i] / 64] |= std::uint64_t{side[i]} << place_[i] % 64;
            selected_[node.data.label[i]] += side[i];
        }
    }

    // The leaf and the best stump by the columns on both sides of the selected cut.
    Sides stumps(std::size_t min_rows) {
        Sides out;
        std::int32_t most[2] = {}, n[2] = {};
        for (std::size_t k = 0; k < n_classes(); ++k) {
            const std::int32_t count[2] = {count_[k] - selected_[k], selected_[k]};
            for (int s = 0; s < 2; ++s) most[s] = std::max(most[s], count[s]), n[s] += count[s];
        }
        const auto least = static_cast<std::int32_t>(std::min<std::size_t>(min_rows, place_.size() + 1));
#if defined(CEIBA_HAS_WIDE)
        if (base::has_wide_registers())
            count_wide(least, n);
        else if (has_popcnt())
            count_popcnt(least, n);
        else
#endif
            count_any(least, n);
        for (int s = 0; s < 2; ++s) {
            out.n_rows[s] = static_cast<std::size_t>(n[s]);
            out.leaf[s] = n[s] - most[s];
            if (n_columns_ == 0) continue;
            out.relaxed[s] = n[s] - *std::max_element(right_[s].begin(), right_[s].end());
            const std::int32_t best = *std::max_element(allowed_[s].begin(), allowed_[s].end());
            if (best >= 0) out.stump[s] = n[s] - best;
        }
        return out;
    }

    // Improves `best` by stumps of feature f on one side of the cut of the last stumps(). Ties go to the first cut.
    void choose(const Node& node, std::size_t f, int which, Stump& best) const {
        const auto n = static_cast<std::int32_t>(node.n_rows());
        const std::int32_t n_right = std::accumulate(selected_.begin(), selected_.end(), 0);
        const std::int32_t n_side = which ? n_right : n - n_right;
        for (std::size_t c = first_[f]; c < first_[f] + node.n_cuts[f]; ++c) {
            const double loss = n_side - allowed_[which][c];
            if (allowed_[which][c] < 0 || !(loss < best.loss)) continue;
            best.loss = loss;
            best.feature = static_cast<std::int32_t>(f);
            best.position = static_cast<std::uint32_t>(n - size_[c] - 1);
            best.missing_left = false;
        }
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1), lanes = column_lanes;
    // Per root cut, a column costs n / 64 words and a scan of a feature's order costs n entries. Higher limits speed up
    // some tables by up to a third with AVX-512, but slow down others by a fifth without it (wine quality, depth 3).
    static constexpr std::uint32_t most_cuts = 64;

    std::size_t n_classes() const { return count_.size(); }

    // Assigns a bit to each row. All rows of a word have the same class.
    void place_rows(const Node& node, std::size_t n_classes) {
        count_.assign(n_classes, 0);
        for (std::uint16_t k : node.data.label) ++count_[k];
        word_begin_.assign(1, 0);
        for (std::int32_t n : count_)
            word_begin_.push_back(word_begin_.back() + static_cast<std::uint32_t>(n + 63) / 64);
        std::vector<std::uint32_t> to;
        for (std::size_t k = 0; k < n_classes; ++k) to.push_back(64 * word_begin_[k]);
        place_.resize(node.n_rows());
        all_.assign(word_begin_.back(), 0);
        for (std::size_t i = 0; i < node.n_rows(); ++i) {
            place_[i] = to[node.data.label[i]]++;
            all_[place_[i] / 64] |= std::uint64_t{1} << place_[i] % 64;
        }
        mask_.resize(all_.size());
        selected_.resize(n_classes);
    }

    // Writes the columns of a feature. A bit is 1 if the row is on the right of the cut.
    void write(const Node& node, std::size_t f) {
        const std::uint32_t* const e = node.entries(f);
        mask_ = all_;
        selected_ = count_;
        std::size_t c = first_[f];
        for (std::uint32_t i = 0; i <= node.last_cut[f]; ++i) {
            const std::uint32_t row = e[i] & row_mask;
            mask_[place_[row] / 64] ^= std::uint64_t{1} << place_[row] % 64;
            --selected_[node.data.label[row]];
            if (!(e[i] & last_of_value)) continue;
            for (std::size_t w = 0; w < mask_.size(); ++w) words_[w * stride_ + c] = mask_[w];
            for (std::size_t k = 0; k < n_classes(); ++k) ones_[k * stride_ + c] = selected_[k];
            size_[c++] = static_cast<std::int32_t>(node.n_rows() - i - 1);
        }
    }

#if defined(CEIBA_HAS_WIDE)
    CEIBA_WIDE void count_wide(std::int32_t min_rows, const std::int32_t (&n)[2]) { count_all(min_rows, n); }
    __attribute__((target("popcnt"))) void count_popcnt(std::int32_t min_rows, const std::int32_t (&n)[2]) {
        count_all(min_rows, n);
    }
#endif
    void count_any(std::int32_t min_rows, const std::int32_t (&n)[2]) { count_all(min_rows, n); }

    // Counts the rows that the stump of each column classifies correctly on both sides of the selected cut (right_). If
    // a leaf of the stump is too small, allowed_ is -1, otherwise the same.
    CEIBA_ALWAYS_INLINE void count_all(std::int32_t min_rows, const std::int32_t (&n)[2]) {
        for (int s = 0; s < 2; ++s) right_[s].resize(stride_), allowed_[s].resize(stride_);
        for (std::size_t c = 0; c < stride_; c += lanes) {
            // By side of the root cut and bit of the column.
            std::int32_t most[2][2][lanes] = {}, size[2][2][lanes] = {};
            for (std::size_t k = 0; k < n_classes(); ++k) {
                std::int32_t both[lanes] = {};
                for (std::uint32_t w = word_begin_[k]; w < word_begin_[k + 1]; ++w)
                    for (std::size_t j = 0; j < lanes; ++j)
                        both[j] += static_cast<std::int32_t>(std::popcount(mask_[w] & words_[w * stride_ + c + j]));
                const std::int32_t in = selected_[k], out = count_[k] - in;
                for (std::size_t j = 0; j < lanes; ++j) {
                    const std::int32_t other = ones_[k * stride_ + c + j] - both[j];
                    most[1][1][j] = std::max(most[1][1][j], both[j]);
                    most[1][0][j] = std::max(most[1][0][j], in - both[j]);
                    most[0][1][j] = std::max(most[0][1][j], other);
                    most[0][0][j] = std::max(most[0][0][j], out - other);
                    size[1][1][j] += both[j];
                    size[0][1][j] += other;
                }
            }
            for (int s = 0; s < 2; ++s)
                for (std::size_t j = 0; j < lanes; ++j) {
                    const std::int32_t right = most[s][0][j] + most[s][1][j];
                    const std::int32_t smaller = std::min(size[s][1][j], n[s] - size[s][1][j]);
                    right_[s][c + j] = right;
                    allowed_[s][c + j] = smaller < min_rows ? -1 : right;
                }
        }
    }

    std::vector<std::size_t> first_;  // per feature: its first column, or none
    std::size_t n_others_ = 0, n_columns_ = 0, stride_ = 0;  // stride_: number of columns including padding with zeros
    std::vector<std::uint32_t> place_;                       // per row: its bit
    std::vector<std::uint32_t> word_begin_;                  // start of each class, and the end
    std::vector<std::uint64_t> all_, mask_;                  // all rows; the selected rows
    std::vector<std::uint64_t> words_;                       // word after word, each with its columns
    std::vector<std::int32_t> ones_, size_;                  // rows with a 1: by class and column; by column
    std::vector<std::int32_t> count_, selected_;             // rows of each class: all; selected
    std::array<std::vector<std::int32_t>, 2> right_, allowed_;
};

}  // namespace ceiba::optimal
