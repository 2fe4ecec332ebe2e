// The data that the host sends to kernels: arguments, and the tables of a round. Included by both.
//
// The rows of a tree are stored on the device as records, with one byte per column (its bin or level; the last cell:
// missing), then the class; and as ids, their row numbers in the table. Tables with many columns have several planes of
// records. A node is a range of rows on one of two sides; dividing it moves its rows, stably, to the other side.
#pragma once

#include "base/row_arithmetic.hpp"

namespace ceiba::shards::device {

using u8 = unsigned char;
using u32 = unsigned int;
using u64 = base::Bits64;
using i64 = long long;

constexpr u32 chunk_rows = 32768;  // maximum rows of a chunk, one block each: two counts fit into one word
constexpr u32 max_words = 6;       // maximum words of a record
constexpr u32 max_bins = 256;      // maximum cells of a column, including missing values
constexpr u32 no_place = 0xFFFFFFFFu;
constexpr u32 level_type = 9, coarse_type = 10;  // types of a column, after those of data::Stored
constexpr u32 kept_words = 4;
constexpr u32 shared_nodes = 1536;  // maximum nodes of a tree in shared memory

struct Chunk {
    u32 node, from, to, side;  // node: its index among those of the request
};
struct Column {
    const char* values;
    i64 stride;  // in bytes
    u32 type, n_bins;
};
struct Rows {
    u32* records[2];
    u32* ids[2];
    u64 plane;  // words of a plane
};
struct Shape {  // CellShape
    int n_classes, weighted, unit, n_digits, weight_unit, weight_digits, width, unused;
    double centre, per_square;
    const u8* labels;
    const double *numbers, *weights;
};
struct BinRows {
    const Column* columns = nullptr;         // of the plane
    const void* edges = nullptr;             // keys, 256 per column, as a search tree: branches of k at 2 k, 2 k + 1
    void *least = nullptr, *most = nullptr;  // keys, likewise
    u64* n_missing = nullptr;
    u32* records = nullptr;     // null: only ranges are computed
    const u32* rows = nullptr;  // of the tree; null: all
    u32* ids = nullptr;         // null: another plane writes them
    const u8* labels = nullptr;
    u64 n = 0;
    u32 n_columns = 0, unused = 0;
};
struct Sample {
    const Column* columns;
    double* out;  // column by column
    u64 n_rows, n;
};
struct ByteRoute {
    u32 right[8];       // one bit per byte value
    u32 column, exact;  // exact: the byte value whose rows are compared with the cut
    double cut;
};
struct Divide {
    Rows rows;
    const Column* columns;
    const Chunk* chunks;
    const ByteRoute* routes;
    u32 *flags, *n_right;
    const u32 *left_at, *right_at;  // no_place: the branch is dropped
    u32 per_plane, unused;
};
struct Count {
    Rows rows;
    Shape shape;
    const Chunk* chunks;
    const u32* first_cell;  // per column
    u64 n_words;            // per node
    u64* out;
    u32 n_columns, per_plane, at_once, in_shared;  // at_once: columns per block
};
struct Carry {
    Shape shape;
    u64* cells;
    u64 n, pitch;
};
struct Query {
    u64 low, high;
    u32 shift, bin;
};
struct Place {  // the queries about a column in a node
    u32 column, first, n, unused;
};
struct Look {
    Rows rows;
    Shape shape;
    const Column* columns;
    const Chunk* chunks = nullptr;
    const u32* first_place = nullptr;  // per node
    const Place* places = nullptr;
    const Query* queries = nullptr;
    u64* out = nullptr;
    u32 *n_found = nullptr, *found_row = nullptr;  // fetch: rows per query
    u32* n_kept = nullptr;                         // per chunk; above the capacity: not all rows were kept
    const Place* again = nullptr;                  // per place with kept rows: its current queries; n 0: none
    u32 most_rows, n_parts, per_plane, unused = 0;
};
struct Fetched {
    Shape shape;
    u64* keys;
    u32 *row, *run, *n_found, *n_runs = nullptr;
    const u64* offset = nullptr;
    u64* out = nullptr;
    u32 most_rows, unused = 0;
};
struct Gather {
    Rows rows;
    Shape shape;
    const Column* columns;
    const Chunk* chunks;
    const u64* offset;  // per node
    const u32 *n_rows, *begin;
    u64* out;
    u32 n_columns, per_plane;
};
struct Describe {
    Rows rows;
    Shape shape;
    const Chunk* chunks;
    const double* value;
    u64 *digits, *ranges;
    u32 n_digits, n_nodes;
};
struct Target {
    Column column;
    u64 n;
    i64 low = 0;         // labels: the smallest number
    u64* out = nullptr;  // numbers: keys of smallest and largest, lowest and highest bit, number of non-finite values
    const u8* code_of = nullptr;  // labels: code of each number
    u8* labels = nullptr;
    u32 n_numbers = 0, unused = 0;
};
// A node of a tree for routing, with the kinds of split::Kind. Column -1: a leaf.
constexpr int levels_kind = 2, presence_kind = 3;
struct RouteNode {
    double cut;
    int column, kind, missing, first;  // first: first branch; levels: start of a table of missing, each level, unknown
};
struct RouteRows {
    const Column* columns;
    const RouteNode* nodes;
    const int* branches;
    int* out;
    u64 n;
    u32 n_nodes, unused;
};

}  // namespace ceiba::shards::device
