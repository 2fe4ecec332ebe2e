#include "shards/protocol.hpp"

namespace ceiba::shards {

void Route::write(Words& out) const {
    out.push_back(static_cast<std::uint64_t>(kind));
    if (kind == split::Kind::none) return out.push_back(stays);
    out.insert(out.end(), {column, std::bit_cast<std::uint64_t>(cut), missing_branch, levels.size(), open.size()});
    for (const split::LevelBranch& level : levels)
        out.push_back(static_cast<std::uint64_t>(level.code) << 32 | static_cast<std::uint32_t>(level.branch));
    for (char stays : open) out.push_back(static_cast<std::uint64_t>(stays));
}

Route Route::read(Reader& in) {
    Route route;
    route.kind = static_cast<split::Kind>(in.word());
    if (route.kind == split::Kind::none) {
        route.stays = in.word() != 0;
        return route;
    }
    route.column = in.size();
    route.cut = in.real();
    route.missing_branch = in.size();
    const std::size_t n_levels = in.size(), n_branches = in.size();
    for (std::uint64_t word : in.read(n_levels))
        route.levels.push_back({static_cast<std::int32_t>(word >> 32), static_cast<std::int32_t>(word & 0xFFFFFFFFu)});
    for (std::uint64_t word : in.read(n_branches)) route.open.push_back(word != 0);
    return route;
}

void RangeQuery::write(Words& out) const { out.insert(out.end(), {node, column, low, high}); }

RangeQuery RangeQuery::read(Reader& in) {
    const auto words = in.read(4);
    return {static_cast<std::size_t>(words[0]), static_cast<std::size_t>(words[1]), words[2], words[3]};
}

Words join_rounds(const std::vector<TreeRound>& rounds) {
    Words out{rounds.size()};
    for (const TreeRound& tree : rounds) {
        out.insert(out.end(), {tree.tree, tree.round.size()});
        put_all(out, tree.round);
    }
    return out;
}

std::vector<TreeRound> split_rounds(std::span<const std::uint64_t> rounds) {
    Reader in(rounds);
    std::vector<TreeRound> out;
    for (std::size_t n = in.size(); n-- > 0;) {
        const std::uint64_t tree = in.word();
        out.push_back({tree, in.read(in.size())});
    }
    return out;
}

Words join_answers(const std::vector<Words>& answers) {
    Words out{static_cast<std::uint64_t>(Form::several), answers.size()};
    for (const Words& answer : answers) {
        out.push_back(answer.size());
        put_all(out, answer);
    }
    return out;
}

std::vector<std::span<const std::uint64_t>> split_answers(std::span<const std::uint64_t> answers) {
    Reader in(answers);
    if (static_cast<Form>(in.word()) != Form::several) throw Contradiction("an answer is not that of a list of trees");
    std::vector<std::span<const std::uint64_t>> out;
    for (std::size_t n = in.size(); n-- > 0;) out.push_back(in.read(in.size()));
    return out;
}

bool holds_rows(std::span<const std::uint64_t> answers) {
    const auto parts = split_answers(answers);
    return std::any_of(parts.begin(), parts.end(), [](std::span<const std::uint64_t> part) {
        return !part.empty() && static_cast<Form>(part[0]) == Form::pieces;
    });
}

void write_level(const std::vector<Route>& routes, Words& path) {
    Words level;
    for (const Route& route : routes) route.write(level);
    path.push_back(level.size());
    path.push_back(routes.size());
    put_all(path, level);
}

namespace {

using Span = std::span<const std::uint64_t>;

void merge_sums(Reader a, Reader b, Words& out) {
    const std::size_t n = a.size();
    const bool alike = b.size() == n;
    const Span left = a.rest(), right = b.rest();
    if (!alike || left.size() != right.size() || left.size() < n)
        throw Contradiction("two shards counted different things");
    out.push_back(n);
    for (std::size_t i = 0; i < n; ++i) out.push_back(left[i] + right[i]);
    for (std::size_t i = n; i < left.size(); ++i)
        out.push_back((i - n) % 2 ? std::min(left[i], right[i]) : std::max(left[i], right[i]));
}

// Per request: the number of runs, and each run as a key and a cell. Runs with equal keys are merged.
void merge_runs(Reader a, Reader b, Words& out) {
    const std::size_t width = a.size(), n = a.size();
    if (b.size() != width || b.size() != n) throw Contradiction("two shards fetched different things");
    out.insert(out.end(), {width, n});
    for (std::size_t r = 0; r < n; ++r) {
        const std::size_t na = a.size(), nb = b.size(), place = out.size();
        const Span left = a.read(na * (width + 1)), right = b.read(nb * (width + 1));
        out.push_back(0);
        std::size_t i = 0, j = 0;
        while (i < left.size() || j < right.size()) {
            ++out[place];
            const bool from_left = j == right.size() || (i < left.size() && left[i] <= right[j]);
            const bool both = i < left.size() && j < right.size() && left[i] == right[j];
            put_all(out, from_left ? left.subspan(i, width + 1) : right.subspan(j, width + 1));
            if (both)
                for (std::size_t w = 1; w <= width; ++w) out[out.size() - width - 1 + w] += right[j + w];
            i += from_left ? width + 1 : 0;
            j += !from_left || both ? width + 1 : 0;
        }
    }
}

// Pieces start with the number of their shard and are sorted by it.
void merge_pieces(Reader a, Reader b, Words& out) {
    struct Piece {
        std::uint64_t shard;
        Span words;
    };
    std::vector<Piece> pieces;
    for (Reader* in : {&a, &b})
        while (!in->done()) {
            const std::uint64_t shard = in->word();
            pieces.push_back({shard, in->read(in->size())});
        }
    std::sort(pieces.begin(), pieces.end(), [](const Piece& x, const Piece& y) { return x.shard < y.shard; });
    for (const Piece& piece : pieces) {
        out.insert(out.end(), {piece.shard, piece.words.size()});
        put_all(out, piece.words);
    }
}

// Merges the answers to the rounds of several trees, tree by tree.
void merge_several(Reader a, Reader b, Words& out) {
    const std::size_t n = a.size();
    if (b.size() != n) throw Contradiction("two shards answered for different trees");
    out.push_back(n);
    for (std::size_t t = 0; t < n; ++t) {
        const Span left = a.read(a.size()), right = b.read(b.size());
        const Words both = merge(left, right);
        out.push_back(both.size());
        put_all(out, both);
    }
}

}  // namespace

Words merge(Span a, Span b) {
    if (a.empty() || b.empty() || a[0] != b[0]) throw Contradiction("two shards replied to different requests");
    Words out{a[0]};
    out.reserve(std::max(a.size(), b.size()));
    const Span left = a.subspan(1), right = b.subspan(1);
    switch (static_cast<Form>(a[0])) {
        case Form::sums:
            merge_sums(Reader(left), Reader(right), out);
            break;
        case Form::runs:
            merge_runs(Reader(left), Reader(right), out);
            break;
        case Form::pieces:
            merge_pieces(Reader(left), Reader(right), out);
            break;
        case Form::several:
            merge_several(Reader(left), Reader(right), out);
            break;
        default:
            throw Contradiction("an answer has no known form");
    }
    return out;
}

}  // namespace ceiba::shards
