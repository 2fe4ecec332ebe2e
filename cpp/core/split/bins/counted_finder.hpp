// The exact search at the cost of a histogram (docs/engine.md): the order of steps in a node, independent of statistic
// and criterion. bounded_finder.hpp searches one column.
//   1. count     histogram of the node, from its parent's where possible
//   2. survey    the best certain gain, `floor`; then the cuts that may reach it
//   3. zoom      ranges with many such cuts: counted again in finer ranges (zoom.hpp), which raise the floor
//   4. examine   exact scan of the rest; the most promising column first, because it raises the floor
// A small node, or a node in which the bounds leave more to examine than sorting costs, uses the presorted search.
#pragma once

#include "split/bins/column_counts.hpp"
#include "split/scan/column_finder.hpp"
#include "split/store/bin_sort.hpp"

namespace ceiba::split {

// The rows of bins, or of parts of bins, that may contain the best cut: fetched from the table and sorted by value.
class FetchedBins {
public:
    std::vector<std::uint32_t> start;  // per place: start of its items and entries
    std::vector<Item> items;
    std::vector<Entry> entries;  // ranks start at 0 in each place

    // Reads the rows of all places marked `inside` from the table and sorts them by value.
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

    std::vector<std::uint32_t> cursor_;   // per place: position of its next row
    std::vector<std::vector<Hit>> hits_;  // per block of rows
    std::vector<SortRoom> rooms_;         // per thread
};

// The workspace of one thread for the search of columns, independent of the statistic.
struct ColumnSpace {
    ColumnSpace(std::size_t n_fields, std::size_t width) : counts(n_fields, width) {}

    ColumnCounts counts;  // of the most recently loaded column
    ColumnPlaces places;
    FetchedBins fetched;
    std::vector<ZoomPlan> plans;
    Histogram words;  // counts of a zoom
};

class CountedFinder : public SplitFinder {
public:
    // `exact` searches small nodes and columns of levels.
    CountedFinder(std::unique_ptr<ColumnFinder> exact, const SearchOptions& options)
        : options_(options), exact_(std::move(exact)) {}

    std::vector<Candidate> find(NodeRows& node, const NodeContext& context, base::ThreadPool* pool,
                                int thread) override;
    void hand_down(NodeRows& parent, const std::vector<BranchRows>& branches, base::ThreadPool* pool) override;

protected:
    // A candidate whose cut may be known only as a position between two bins.
    struct ColumnCandidate {
        Candidate candidate;
        bool between_bins = false;
        std::uint8_t bin = 0;
        double fetched = 0.0;  // number of rows that had to be fetched
    };

    double cost(std::size_t c) const { return cost_of(c, options_); }
    // The approximate number of rows per part after a zoom.
    double rows_per_part() const { return std::max(1.0, static_cast<double>(options_.zoom_rows) / 64.0); }
    // Whether counting this number of rows of a column again is cheaper than fetching them.
    bool worth_zooming(const NodeRows& node, double rows) const {
        return rows >= static_cast<double>(options_.zoom_rows) && 8.0 * rows >= static_cast<double>(node.size());
    }
    // Computes the largest value in one place of a column and the smallest value in the next.
    static void find_ends(const NodeRows& node, std::size_t c, const ColumnPlaces& places, std::size_t place,
                          std::size_t next, base::ThreadPool* pool, double& lower, double& upper);

    const SearchOptions options_;

private:
    bool counts_levels(const NodeRows& node) const {
        return node.target().classification() && node.target().weight.empty() && options_.class_scale.empty();
    }
    virtual std::shared_ptr<Histogram> count_node(const NodeRows& node, base::ThreadPool* pool) const = 0;
    // The gains that the boundaries between the bins of a column imply.
    virtual GainRange bound_gain(const NodeRows& node, std::size_t c, const Limits& limits, int thread) = 0;
    // Marks the cuts that may reach the floor, which is a merit.
    virtual Marks survey(const NodeRows& node, std::size_t c, const Limits& limits, double floor, int thread) = 0;
    // The exact search among the cuts that the survey has left. With a pool, its threads share the rows of the column.
    virtual ColumnCandidate examine(const NodeRows& node, std::size_t c, const Limits& limits, double floor,
                                    Marks& marks, base::ThreadPool* pool, int thread) = 0;
    // Whether this bin of a column contains rows of the node.
    virtual bool holds_rows(const NodeRows& node, std::size_t c, std::size_t bin) const = 0;

    std::vector<Candidate> search(NodeRows& node, const NodeContext& context, base::ThreadPool* pool, int thread);
    std::vector<Candidate> conclude(const NodeRows& node, std::vector<ColumnCandidate> columns, base::ThreadPool* pool,
                                    int thread);
    double cut_after_bin(const NodeRows& node, std::size_t c, std::uint8_t bin, base::ThreadPool* pool) const;
    double merit_floor(const Candidate& c) const { return c.found() ? floor_of(c, options_) : no_floor; }

    std::unique_ptr<ColumnFinder> exact_;
};

}  // namespace ceiba::split
