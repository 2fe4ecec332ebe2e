// Kernels that pass over a whole table: bins, targets, predictions.
#pragma once

#include "shards/device/kernels/values.hpp"

extern "C" __global__ void take_sample(Sample p) {
    const u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    if (i < p.n) p.out[blockIdx.y * p.n + i] = read_number(p.columns[blockIdx.y], i * p.n_rows / p.n);
}

// Writes values as records, and the smallest and the largest key of each bin.
template <class Key, bool floats>
__device__ inline void bin_plane(const BinRows& p) {
    SHARED_ARRAY(Key, edge);
    Key* const low = edge + p.n_columns * max_bins;
    Key* const high = low + p.n_columns * max_bins;
    u32* const tile = (u32*)(high + p.n_columns * max_bins);
    __shared__ Column column[4 * max_words];
    __shared__ u32 n_missing[4 * max_words];
    for (u32 i = threadIdx.x; i < p.n_columns * max_bins; i += blockDim.x) {
        edge[i] = ((const Key*)p.edges)[i];
        low[i] = ~(Key)0;
        high[i] = 0;
    }
    for (u32 i = threadIdx.x; i < p.n_columns; i += blockDim.x) column[i] = p.columns[i], n_missing[i] = 0;
    __syncthreads();
    for (u64 r0 = blockIdx.x * (u64)blockDim.x; r0 < p.n; r0 += (u64)gridDim.x * blockDim.x) {
        const u64 r = r0 + threadIdx.x;
        const u64 row = r < p.n && p.rows ? p.rows[r] : r;
        u32 w[max_words] = {};
#pragma unroll
        for (u32 f = 0; f < 4 * RECORD_WORDS; ++f) {
            if (f >= p.n_columns || r >= p.n) break;
            u32 b = 0;
            if (!floats && column[f].type == level_type) {
                const int code = read_code(column[f], row);
                b = code < 0 ? column[f].n_bins : (u32)code;
                if (code < 0) atomicAdd(&n_missing[f], 1u);
            } else {
                const double x = floats ? (double)*(const float*)(column[f].values + (i64)row * column[f].stride)
                                        : read_number(column[f], row);
                if (x == x) {
                    const Key key = short_key(x, Key());
                    const Key* const e = edge + f * max_bins;
                    b = 1;
#pragma unroll
                    for (u32 step = 1; step < max_bins; step *= 2) b = 2 * b + (e[b] < key);
                    b -= max_bins;
                    if (key < low[f * max_bins + b]) atomicMin(&low[f * max_bins + b], key);
                    if (key > high[f * max_bins + b]) atomicMax(&high[f * max_bins + b], key);
                } else {
                    b = column[f].n_bins;
                    atomicAdd(&n_missing[f], 1u);
                }
            }
            w[f >> 2] |= b << ((f & 3) * 8);
        }
        if (!p.records) continue;
        const u32 label = p.labels && r < p.n ? p.labels[row] : 0;
#pragma unroll
        for (u32 k = 0; k < RECORD_WORDS; ++k) {
            if (p.n_columns >> 2 == k) w[k] |= label << ((p.n_columns & 3) * 8);
            tile[threadIdx.x * RECORD_WORDS + k] = w[k];
        }
        if (p.ids && r < p.n) p.ids[r] = (u32)row;
        __syncthreads();
        const u64 last = (p.n - r0 < blockDim.x ? p.n - r0 : blockDim.x) * RECORD_WORDS;
        for (u32 i = threadIdx.x; i < last; i += blockDim.x) p.records[r0 * RECORD_WORDS + i] = tile[i];
        __syncthreads();
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < p.n_columns * max_bins; i += blockDim.x) {
        if (low[i] > high[i]) continue;
        if (low[i] < ((Key*)p.least)[i]) atomicMin((Key*)p.least + i, low[i]);
        if (high[i] > ((Key*)p.most)[i]) atomicMax((Key*)p.most + i, high[i]);
    }
    for (u32 i = threadIdx.x; i < p.n_columns; i += blockDim.x)
        if (n_missing[i]) atomicAdd(&p.n_missing[i], (u64)n_missing[i]);
}
extern "C" __global__ void bin_floats(BinRows p) { bin_plane<u32, true>(p); }
extern "C" __global__ void bin_short(BinRows p) { bin_plane<u32, false>(p); }
extern "C" __global__ void bin_wide(BinRows p) { bin_plane<u64, false>(p); }

extern "C" __global__ void scan_numbers(Target p) {
    u64 least = ~(u64)0, most = 0, bad = 0;
    int lowest = 1 << 12, highest = -(1 << 12);
    for (u64 r = blockIdx.x * (u64)blockDim.x + threadIdx.x; r < p.n; r += (u64)gridDim.x * blockDim.x) {
        const double y = read_number(p.column, r);
        if (!(y - y == 0.0)) {
            ++bad;
            continue;
        }
        const u64 key = key_of(y);
        least = key < least ? key : least;
        most = key > most ? key : most;
        if (y == 0.0) continue;
        const ceiba::base::Digits d(y);
        int low = d.exponent, high = d.exponent;
        for (u64 m = d.digits; !(m & 1); m >>= 1) ++low;
        for (u64 m = d.digits; m; m >>= 1) ++high;
        lowest = low < lowest ? low : lowest;
        highest = high > highest ? high : highest;
    }
    if (bad) atomicAdd(p.out + 4, bad);
    if (least > most) return;
    if (least < p.out[0]) atomicMin(p.out, least);
    if (most > p.out[1]) atomicMax(p.out + 1, most);
    if (highest < lowest) return;
    atomicMin(p.out + 2, (u64)(lowest + (1 << 12)));
    atomicMax(p.out + 3, (u64)(highest + (1 << 12)));
}

// The counts of integers from `low` (few: each lane has its own counts), and the labels of rows by a table.
extern "C" __global__ void count_labels(Target p) {
    SHARED_ARRAY(u32, counts);
    const u32 lane = threadIdx.x & 31;
    for (u32 i = threadIdx.x; i < p.n_numbers * 32; i += blockDim.x) counts[i] = 0;
    __syncthreads();
    for (u64 r = blockIdx.x * (u64)blockDim.x + threadIdx.x; r < p.n; r += (u64)gridDim.x * blockDim.x)
        atomicAdd(&counts[(u32)((i64)read_number(p.column, r) - p.low) * 32 + lane], 1u);
    __syncthreads();
    for (u32 i = threadIdx.x; i < p.n_numbers; i += blockDim.x) {
        u64 sum = 0;
        for (u32 j = 0; j < 32; ++j) sum += counts[i * 32 + (i + j) % 32];
        if (sum) atomicAdd(p.out + i, sum);
    }
}
extern "C" __global__ void write_labels(Target p) {
    for (u64 r = blockIdx.x * (u64)blockDim.x + threadIdx.x; r < p.n; r += (u64)gridDim.x * blockDim.x)
        p.labels[r] = p.code_of[(i64)read_number(p.column, r) - p.low];
}

extern "C" __global__ void route_rows(RouteRows p) {
    SHARED_ARRAY(RouteNode, nodes);
    const bool in_shared = p.n_nodes <= shared_nodes;
    for (u32 i = threadIdx.x; in_shared && i < p.n_nodes; i += blockDim.x) nodes[i] = p.nodes[i];
    __syncthreads();
    const RouteNode* const all = in_shared ? nodes : p.nodes;
    for (u64 r = blockIdx.x * (u64)blockDim.x + threadIdx.x; r < p.n; r += (u64)gridDim.x * blockDim.x) {
        int at = 0;
        while (all[at].column >= 0) {
            const RouteNode& node = all[at];
            int branch;
            if (node.kind == levels_kind) {
                const int code = read_code(p.columns[node.column], r), n = (int)p.columns[node.column].n_bins;
                branch = code < 0 ? 0 : code < n ? code + 1 : n + 1;
            } else {
                const double x = read_number(p.columns[node.column], r);
                branch = node.kind == presence_kind ? !(x == x) : x == x ? !(x <= node.cut) : node.missing;
            }
            at = p.branches[node.first + branch];
        }
        p.out[r] = at;
    }
}
