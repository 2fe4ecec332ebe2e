// What all shards of a table agree on before the first round: the bins of every column and what is counted in them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shards/cells.hpp"
#include "split/survey/keys.hpp"

namespace ceiba::shards {

using split::key_of;
using split::number_of;
using split::zoom_parts;
using split::zoom_shift;

struct ColumnLayout {
    std::size_t n_levels = 0;   // columns of levels: counted level by level; 0: numbers, counted in bins
    std::vector<double> edge;   // numbers: the bin of x is the number of edges below x
    std::vector<double> least;  // numbers, per bin: the smallest value of the whole table, +inf where there is none
    std::vector<double> most;   // and the largest
    bool coarse = false;        // numbers that are cut at edges only (max_bins): each counts as the number of its bin
    std::size_t slot = 0;       // numbers: place of this column among the bytes of a row
    std::size_t first_cell = 0;

    bool levels() const { return n_levels > 0; }
    std::size_t n_bins() const { return levels() ? n_levels : edge.size() + 1; }
    std::size_t n_cells() const { return n_bins() + 1; }  // the last one: missing values
    std::size_t bin_of(double x) const {
        return static_cast<std::size_t>(std::lower_bound(edge.begin(), edge.end(), x) - edge.begin());
    }
    // Coarse: the last bin below a cut between two numbers of bins; where bins between are empty, the middle one.
    std::size_t last_bin_below(double cut) const { return static_cast<std::size_t>(std::ceil(cut)) - 1; }
    // A cut as it stands in the tree.
    double real_cut(double cut) const { return coarse ? edge[last_bin_below(cut)] : cut; }
};

struct Layout {
    CellShape shape;
    std::vector<ColumnLayout> column;
    std::size_t n_slots = 0;
    std::size_t n_cells = 0;  // of all columns

    void add(ColumnLayout c) {
        if (!c.levels()) c.slot = n_slots++;
        c.first_cell = n_cells;
        n_cells += c.n_cells();
        column.push_back(std::move(c));
    }
    std::size_t n_words() const { return n_cells * shape.width(); }
};

}  // namespace ceiba::shards
