// The rounds of growing: requests to all shards at once, and the form of their answers.
//
// A round contains the whole path so far (`path`: level by level, the split of every open node) and one request about
// the resulting open nodes. A shard that was lost and read again from its source therefore catches up by itself, and a
// round may be sent twice.
//   count        cells of every column of some nodes, after the row counts of all branches of the last level
//   zoom         cells of the parts of some ranges of keys; the request contains log2 of the number of parts
//   fetch        the values of some ranges, as sorted runs: key, cell
//   neighbours   of pairs of ranges: the largest key of the first and the smallest of the second
//   gather       all rows of some nodes
//   describe     numbers: the losses of some nodes about their means, and the range of their targets
//
// Several trees over the same rows (those of folds) are grown in the same rounds, so each message is a list of trees:
// its length; for each tree its number, the number of words, and its round. The answers have the same order.
#pragma once

#include "split/candidate.hpp"

namespace ceiba::shards {

// Messages between a survey and the shards: flat arrays of 64-bit words, without pointers.
using Words = std::vector<std::uint64_t>;

// Shards that contradict each other or themselves: their source has changed, or a message was damaged in transit.
struct Contradiction : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline void put_real(Words& out, double x) { out.push_back(std::bit_cast<std::uint64_t>(x)); }
inline void put_all(Words& out, std::span<const std::uint64_t> words) {
    out.insert(out.end(), words.begin(), words.end());
}

inline void add_words(Words& sum, std::span<const std::uint64_t> more) {
    for (std::size_t w = 0; w < sum.size(); ++w) sum[w] += more[w];
}

// Reads a message from front to back.
class Reader {
public:
    explicit Reader(std::span<const std::uint64_t> words) : words_(words) {}

    std::uint64_t word() { return read(1)[0]; }
    std::size_t size() { return static_cast<std::size_t>(word()); }
    double real() { return std::bit_cast<double>(word()); }
    std::span<const std::uint64_t> read(std::size_t n) {
        if (n > words_.size() - at_) throw Contradiction("a message between shards is too short");
        at_ += n;
        return words_.subspan(at_ - n, n);
    }
    std::span<const std::uint64_t> rest() { return read(words_.size() - at_); }
    bool done() const { return at_ == words_.size(); }

private:
    std::span<const std::uint64_t> words_;
    std::size_t at_ = 0;
};

enum class RequestKind : std::uint64_t { count, zoom, fetch, neighbours, gather, describe };

// The form of an answer determines how two answers are merged.
//   sums     number of words to add; these words; then pairs, merged by maximum (first) and minimum (second)
//   runs     width of a cell; number of requests; for each the number of its runs, and the runs
//   pieces   for each shard its number, the number of words, and these words
//   several  number of answers; for each the number of words, and these: the answer of a shard, tree by tree
enum class Form : std::uint64_t { sums, runs, pieces, several };

// The split of an open node, in the form in which rows are routed.
struct Route {
    split::Kind kind = split::Kind::none;  // none: the node is a leaf, or grown elsewhere; its rows are dropped ...
    bool stays = false;                    // ... unless it waits to be split later
    std::size_t column = 0;
    double cut = 0.0;
    std::size_t missing_branch = 0;
    std::vector<split::LevelBranch> levels;
    std::vector<char> open;  // per branch: whether its rows stay

    void write(Words& out) const;
    static Route read(Reader& in);
};

// The keys [low, high] of a column in a node, all inside one bin.
struct RangeQuery {
    std::size_t node = 0, column = 0;
    std::uint64_t low = 0, high = 0;

    void write(Words& out) const;
    static RangeQuery read(Reader& in);
    bool same_place(const RangeQuery& other) const { return node == other.node && column == other.column; }
};

// The round of one of several trees.
struct TreeRound {
    std::uint64_t tree = 0;
    std::span<const std::uint64_t> round;
};

Words join_rounds(const std::vector<TreeRound>& rounds);
std::vector<TreeRound> split_rounds(std::span<const std::uint64_t> rounds);

// Joins the answers to the rounds of each tree into one answer of form `several`, and splits it again.
Words join_answers(const std::vector<Words>& answers);
std::vector<std::span<const std::uint64_t>> split_answers(std::span<const std::uint64_t> answers);

// Whether an answer of form `several` contains gathered rows.
bool holds_rows(std::span<const std::uint64_t> answers);

// Appends one level of the path: the routes of all nodes that were open there.
void write_level(const std::vector<Route>& routes, Words& path);

// Merges two answers to the same round. Associative and commutative: any tree of merges yields the same bytes.
Words merge(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

}  // namespace ceiba::shards
