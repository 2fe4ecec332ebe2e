// The exact search at the cost of a histogram (docs/engine.md): the order of steps in a node, independent of statistic
// and criterion; bounded_finder.hpp searches one column.
//   1. count     histogram of the node, from its parent's where possible
//   2. survey    the best gain that is certain, `floor`; then what may reach it
//   3. zoom      where much may: counted again in finer ranges (zoom.hpp), which raise the floor
//   4. examine   exact scan of what is left; the most promising column first, because it raises the floor
// A small node, or one in which the bounds leave more to examine than sorting costs, goes to the presorted search.
#pragma once

#include "split/bins/column_counts.hpp"
#include "split/scan/column_finder.hpp"
#include "split/store/bin_sort.hpp"

namespace ceiba::split {

// Bins of a column, or parts of them, that must be looked into: their rows, fetched from the table and sorted by
// value.
class FetchedBins {
public:
    std::vector<std::uint32_t> start;  // per place: where its items and entries begin
    std::vector<Item> items;
    std::vector<Entry> entries;  // ranks count from 0 in each place

    // Reads the rows of the places with a mark inside from the table and sorts them by value.
    void fetch(const NodeRows& node, std::size_t c, const ColumnPlaces& places, const Marks& marks,
               const ColumnCounts& counts, base::ThreadPool* pool);

private:
    struct Hit {  // a row to be sorted
        Item item;
        std::uint32_t place;
    };
    struct SortRoom {
        std::vector<std::uint64_t> key;
        std::vector<std::uint32_t> order;
        std::vector<Item> sorted;
        base::SortSpace space;
    };
    void find_hits(const NodeRows& node, std::size_t c, const ColumnPlaces& places, base::ThreadPool* pool);
    void sort_place(std::size_t from, std::size_t to, SortRoom& room);

    std::vector<std::uint32_t> cursor_;   // per place: where its next row goes
    std::vector<std::vector<Hit>> hits_;  // per block of rows
    std::vector<SortRoom> rooms_;         // per thread
};

// What one thread works with while it searches columns, whatever the statistic.
struct ColumnSpace {
    ColumnSpace(std::size_t n_fields, std::size_t width) : counts(n_fields, width) {}

    ColumnCounts counts;  // of the column that was loaded last
    ColumnPlaces places;
    FetchedBins fetched;
    std::vector<ZoomPlan> plans;
    Histogram words;  // counted by a zoom
};

class CountedFinder : public SplitFinder {
public:
    // `exact`: for small nodes and for columns of levels.
    CountedFinder(std::unique_ptr<ColumnFinder> exact, const SearchOptions& options)
        : options_(options), exact_(std::move(exact)) {}

    std::vector<Candidate> find(NodeRows& node, const NodeContext& context, base::ThreadPool* pool,
                                int thread) override;
    void hand_down(NodeRows& parent, const std::vector<BranchRows>& branches, base::ThreadPool* pool) override;

protected:
    // A candidate whose cut is known only as a place between two bins.
    struct ColumnCandidate {
        Candidate candidate;
        bool between_bins = false;
        std::uint8_t bin = 0;
        double fetched = 0.0;  // rows that had to be fetched
    };

    double cost(std::size_t c) const { return cost_of(c, options_); }
    // Rows that a part shall hold after a zoom, about.
    double rows_per_part() const { return std::max(1.0, static_cast<double>(options_.zoom_rows) / 64.0); }
    // Is counting so many rows of a column once more cheaper than fetching them?
    bool worth_zooming(const NodeRows& node, double rows) const {
        return rows >= static_cast<double>(options_.zoom_rows) && 8.0 * rows >= static_cast<double>(node.size());
    }
    // The largest value in one place of a column and the smallest in the next.
    static void find_ends(const NodeRows& node, std::size_t c, const ColumnPlaces& places, std::size_t place,
                          std::size_t next, base::ThreadPool* pool, double& lower, double& upper);

    const SearchOptions options_;

private:
    virtual std::shared_ptr<Histogram> count_node(const NodeRows& node, base::ThreadPool* pool) const = 0;
    // What the boundaries between the bins of a column say.
    virtual GainRange bound_gain(const NodeRows& node, std::size_t c, const Limits& limits, int thread) = 0;
    // Marks what may reach the floor, which is a merit.
    virtual Marks survey(const NodeRows& node, std::size_t c, const Limits& limits, double floor, int thread) = 0;
    // The exact search among what the survey has left of a column; with a pool its rows are shared by all threads.
    virtual ColumnCandidate examine(const NodeRows& node, std::size_t c, const Limits& limits, double floor,
                                    Marks& marks, base::ThreadPool* pool, int thread) = 0;
    // Has this bin of a column any rows in the node?
    virtual bool holds_rows(const NodeRows& node, std::size_t c, std::size_t bin) const = 0;

    std::vector<Candidate> search(NodeRows& node, const NodeContext& context, base::ThreadPool* pool, int thread);
    std::vector<Candidate> conclude(const NodeRows& node, std::vector<ColumnCandidate> found, base::ThreadPool* pool,
                                    int thread);
    double cut_after_bin(const NodeRows& node, std::size_t c, std::uint8_t bin, base::ThreadPool* pool) const;
    double merit_floor(const Candidate& c) const { return c.found() ? floor_of(c, options_) : no_floor; }

    std::unique_ptr<ColumnFinder> exact_;
};

}  // namespace ceiba::split
