// The rounds of growing: what is asked of all shards at once, and how their answers look.
//
// A round holds the whole path so far (`path`: level after level, the split of every open node) and one question about
// the open nodes that it leads to. So a shard that was lost and read again from its source catches up by itself, and a
// round may be asked twice.
//   count        cells of every column of some nodes; before them the rows of all branches of the last level
//   zoom         cells of the parts of some ranges of keys; before these the bits of the number of parts
//   fetch        the values of some ranges, as sorted runs: key, cell
//   neighbours   of pairs of ranges, the largest key of the first and the smallest of the second
//   gather       all rows of some nodes
//   describe     numbers: the losses of some nodes about their means, and the range of their targets
//
// Several trees over the same rows (those of folds) are grown in the same rounds, so a message is always about a list
// of trees: how many; for each its number, how many words, and its round. The answers to it come in the same order.
#pragma once

#include "split/candidate.hpp"

namespace ceiba::shards {

// Messages between a survey and the shards: flat 64-bit words, nothing that points anywhere.
using Words = std::vector<std::uint64_t>;

// Shards that contradict each other or themselves: their source changed, or a message was damaged in transit.
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

enum class Ask : std::uint64_t { count, zoom, fetch, neighbours, gather, describe };

// The form of an answer: how two are merged depends on it.
//   sums     how many words are to be added; these; then pairs, of which the larger first and smaller second one count
//   runs     width of a cell; number of requests; for each the number of its runs, and the runs
//   pieces   for each shard its number, how many words, and these
//   several  how many answers; for each how many words, and these: what a shard answers, a tree after the other
enum class Form : std::uint64_t { sums, runs, pieces, several };

// The split of an open node, as rows need it.
struct Route {
    split::Kind kind = split::Kind::none;  // none: the node is a leaf, or grown elsewhere; its rows are dropped ...
    bool stays = false;                    // ... unless it waits to be split later
    std::size_t column = 0;
    double cut = 0.0;
    std::size_t missing_branch = 0;
    std::vector<split::LevelBranch> levels;
    std::vector<char> open;  // per branch: its rows stay

    void write(Words& out) const;
    static Route read(Reader& in);
};

// Keys [low, high] of a column in a node, all inside one bin.
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

// Answers of form `several`, from those to the rounds of each tree, and back.
Words join_answers(const std::vector<Words>& answers);
std::vector<std::span<const std::uint64_t>> split_answers(std::span<const std::uint64_t> answers);

// Whether an answer of form `several` holds gathered rows.
bool holds_rows(std::span<const std::uint64_t> answers);

// One level of the path, for all nodes that were open there.
void write_level(const std::vector<Route>& routes, Words& path);

// Two answers to the same round as one. Associative and commutative: any tree of merges gives the same bytes.
Words merge(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

}  // namespace ceiba::shards
