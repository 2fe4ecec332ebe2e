#include "shards/merge.hpp"

#include <algorithm>

#include "shards/rounds.hpp"

namespace ceiba::shards {

namespace {

using Span = std::span<const std::uint64_t>;

void merge_sums(Reader a, Reader b, Words& out) {
    const std::size_t n = a.size();
    const bool alike = b.size() == n;
    const Span own = a.rest(), other = b.rest();
    if (!alike || own.size() != other.size() || own.size() < n)
        throw Contradiction("two shards counted different things");
    out.push_back(n);
    for (std::size_t i = 0; i < n; ++i) out.push_back(own[i] + other[i]);
    for (std::size_t i = n; i < own.size(); ++i)
        out.push_back((i - n) % 2 ? std::min(own[i], other[i]) : std::max(own[i], other[i]));
}

// Per request: how many runs; each run a key and a cell. Equal keys become one run.
void merge_runs(Reader a, Reader b, Words& out) {
    const std::size_t width = a.size(), n = a.size();
    if (b.size() != width || b.size() != n) throw Contradiction("two shards fetched different things");
    out.insert(out.end(), {width, n});
    for (std::size_t r = 0; r < n; ++r) {
        const std::size_t na = a.size(), nb = b.size(), place = out.size();
        const Span left = a.take(na * (width + 1)), right = b.take(nb * (width + 1));
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

// Pieces have the number of their shard first and are kept in that order.
void merge_pieces(Reader a, Reader b, Words& out) {
    struct Piece {
        std::uint64_t shard;
        Span words;
    };
    std::vector<Piece> pieces;
    for (Reader* one : {&a, &b})
        while (!one->done()) {
            const std::uint64_t shard = one->word();
            pieces.push_back({shard, one->take(one->size())});
        }
    std::sort(pieces.begin(), pieces.end(), [](const Piece& x, const Piece& y) { return x.shard < y.shard; });
    for (const Piece& piece : pieces) {
        out.insert(out.end(), {piece.shard, piece.words.size()});
        put_all(out, piece.words);
    }
}

// Answers to the rounds of several trees, one by one.
void merge_several(Reader a, Reader b, Words& out) {
    const std::size_t n = a.size();
    if (b.size() != n) throw Contradiction("two shards answered for different trees");
    out.push_back(n);
    for (std::size_t t = 0; t < n; ++t) {
        const Span own = a.take(a.size()), other = b.take(b.size());
        const Words both = merge(own, other);
        out.push_back(both.size());
        put_all(out, both);
    }
}

}  // namespace

Words merge(Span a, Span b) {
    if (a.empty() || b.empty() || a[0] != b[0]) throw Contradiction("two shards answered different questions");
    Words out{a[0]};
    out.reserve(std::max(a.size(), b.size()));
    const Span own = a.subspan(1), other = b.subspan(1);
    switch (static_cast<Form>(a[0])) {
        case Form::sums:
            merge_sums(Reader(own), Reader(other), out);
            break;
        case Form::runs:
            merge_runs(Reader(own), Reader(other), out);
            break;
        case Form::pieces:
            merge_pieces(Reader(own), Reader(other), out);
            break;
        case Form::several:
            merge_several(Reader(own), Reader(other), out);
            break;
        default:
            throw Contradiction("an answer has no known form");
    }
    return out;
}

}  // namespace ceiba::shards
