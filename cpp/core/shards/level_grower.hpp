// Grows a tree over shards, level by level: it sends rounds and consumes merged answers. It reads no rows, except those
// of small nodes, which are gathered and grown as in memory. The stopping rules are those of grow/stop_rules.hpp.
//
//     while (!grower.done()) grower.consume(merged answers of all shards to grower.round());
//
// Of two branches the shards count the smaller one; the counts of the other follow by subtraction.
#pragma once

#include "shards/best_first.hpp"
#include "shards/gathered.hpp"
#include "shards/survey/survey.hpp"

namespace ceiba::shards {

struct LevelSizes {
    std::size_t gather_rows = 50000;                   // nodes with fewer rows are gathered
    std::size_t gather_values = std::size_t{1} << 24;  // rows x columns gathered per round, unless one node has more
    RangeSizes ranges;
};

class LevelGrower {
public:
    LevelGrower(const grow::GrowOptions& options, std::shared_ptr<const Layout> layout, std::vector<ColumnType> types,
                std::uint64_t n_rows, const LevelSizes& sizes);

    bool done() const { return phase_ == Phase::done; }
    const Words& round() const { return round_; }
    void consume(std::span<const std::uint64_t> answer, base::Interrupt& interrupt);
    tree::TreeArrays tree();  // call it once, when done

    // For progress reports.
    int level() const { return static_cast<int>(n_levels_); }
    RequestKind request_kind() const { return kind_; }
    std::uint64_t rows_open() const;

private:
    enum class Phase { describe, gather, count, refine, neighbours, done };
    struct Open {
        std::int32_t node = 0, parent = -1;
        int depth = 0;
        split::NodeContext context;
        std::uint64_t n_rows = 0;
        Words total;
        bool searched = false, gathered = false, counted = false;
        bool waits = false;          // best-first: the split was found, but is carried out later or never
        std::size_t partner = none;  // of two branches, the other one, if both are open
        std::size_t sibling = none;  // if set, the counts are those of the parent minus those of the sibling
        std::shared_ptr<Words> parent_counts, counts;
        std::unique_ptr<Survey> survey;
        SurveyedSplit best;
        Route route;
    };
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    template <class Task>
    void for_each(const std::vector<std::size_t>& nodes, Task task);
    template <class First, class Second>
    void for_each_column(const std::vector<std::size_t>& nodes, First first, Second second);
    void begin_column(Open& open, std::size_t column) const;
    static void mark_column(Open& open, std::size_t column) { open.survey->mark(column); }
    template <class Wanted>
    bool query_nodes(Phase phase, RequestKind kind, Wanted wanted);
    void begin_level();
    void query_describe();
    void consume_describe(Reader& in);
    void hand_down_limits();
    void choose_counted();
    void survey_nodes();
    void query_gather();
    void query_count();
    void refine();
    void choose();
    void query_neighbours();
    void end_level();
    bool best_first() const { return options_.max_leaf_nodes > 0; }
    std::vector<char> chosen_best_first() const;
    static Open waiting(Open open);
    void consume_gather(Reader& in, base::Interrupt& interrupt);
    void consume_count(Reader& in);
    void consume_refine(Reader& in);
    void consume_neighbours(Reader& in);
    void divide(Open& open, std::vector<Open>& next);
    void open_branches(Open& open, std::vector<Open> branches, std::vector<Open>& next);
    void describe(Open& open);
    void describe(Open& open, criteria::NodeSummary summary);
    Words new_round(RequestKind kind);

    grow::GrowOptions options_;
    std::shared_ptr<const Layout> layout_;
    std::vector<ColumnType> types_;
    LevelSizes sizes_;
    grow::StopRules stop_;
    base::ThreadPool pool_;
    bool limits_;
    std::deque<grow::Builder> builders_;
    std::vector<Open> open_;
    std::vector<std::size_t> queried_;        // the nodes of the last round
    std::vector<std::size_t> n_queries_;      // of each of them, if ranges are queried
    std::vector<std::size_t> surveyed_;       // nodes whose survey may have further queries
    std::vector<std::uint64_t> branch_rows_;  // row counts that the shards must find in the last level
    Words path_, round_;
    std::size_t n_levels_ = 0;
    Phase phase_ = Phase::gather;
    RequestKind kind_ = RequestKind::count;
};

}  // namespace ceiba::shards
