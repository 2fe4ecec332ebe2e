// Kernels that move the rows of divided nodes.
#pragma once

#include "shards/device/kernels/values.hpp"

// Marks the rows of a chunk that go right, one bit each, and counts them.
extern "C" __global__ void mark_right(Divide p) {
    __shared__ u32 sum;
    __shared__ ByteRoute route;
    const Chunk chunk = p.chunks[blockIdx.x];
    if (threadIdx.x == 0) sum = 0, route = p.routes[chunk.node];
    __syncthreads();
    const u32 plane = route.column / p.per_plane, at = route.column % p.per_plane, n = chunk.to - chunk.from;
    const Column column = p.columns[route.column];
    const u32* const ids = ids_of(p.rows, chunk.side);
    u32 n_right = 0;
    for (u32 i0 = 0; i0 < n; i0 += blockDim.x) {
        const u32 i = i0 + threadIdx.x;
        bool right = false;
        if (i < n) {
            const u64 r = (u64)chunk.from + i;
            const u32 b = ((const u8*)record_of(p.rows, chunk.side, plane, r))[at];
            right = route.right[b >> 5] >> (b & 31) & 1;
            if (b == route.exact) right = !(read_number(column, ids[r]) <= route.cut);
        }
        const u32 bits = __ballot_sync(0xFFFFFFFFu, right);
        if ((threadIdx.x & 31) == 0 && i < n) {
            p.flags[blockIdx.x * (chunk_rows / 32) + i / 32] = bits;
            n_right += __popc(bits);
        }
    }
    if ((threadIdx.x & 31) == 0) atomicAdd(&sum, n_right);
    __syncthreads();
    if (threadIdx.x == 0) p.n_right[blockIdx.x] = sum;
}

// Moves the records of a chunk in one plane (and with the first plane, its ids) to the ranges of its branches. Tiles
// pass through shared memory, so that whole lines are written.
extern "C" __global__ void part_rows(Divide p) {
    constexpr u32 tile_rows = 512, n_words = chunk_rows / 32;
    __shared__ u32 bits[n_words], before[n_words], sums[33], tile_ids[tile_rows], tile[tile_rows * max_words];
    const Chunk chunk = p.chunks[blockIdx.x];
    const u32 n = chunk.to - chunk.from, plane = blockIdx.y;
    for (u32 i = threadIdx.x; i < n_words; i += blockDim.x)
        bits[i] = i < (n + 31) / 32 ? p.flags[blockIdx.x * n_words + i] : 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        u32 s = 0;
        for (u32 j = 0; j < 32; ++j) {
            before[threadIdx.x * 32 + j] = s;
            s += __popc(bits[threadIdx.x * 32 + j]);
        }
        sums[threadIdx.x + 1] = s;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[0] = 0;
        for (u32 j = 1; j < 33; ++j) sums[j] += sums[j - 1];
    }
    __syncthreads();
    const u32 left = p.left_at[blockIdx.x], right = p.right_at[blockIdx.x];
    const u32* const in = record_of(p.rows, chunk.side, plane, chunk.from);
    const u32* const ids = ids_of(p.rows, chunk.side) + chunk.from;
    u32* const out = (u32*)record_of(p.rows, 1 - chunk.side, plane, 0);
    u32* const to_ids = (u32*)ids_of(p.rows, 1 - chunk.side);
    for (u32 t0 = 0; t0 < n; t0 += tile_rows) {
        const u32 m = n - t0 < tile_rows ? n - t0 : tile_rows;
        const u32 r0 = sums[t0 >> 10] + before[t0 >> 5],
                  r1 = t0 + m == n ? sums[32] : sums[(t0 + m) >> 10] + before[(t0 + m) >> 5];
        const u32 n_right = r1 - r0, n_left = m - n_right, l0 = t0 - r0;
        for (u32 i = threadIdx.x; i < m * RECORD_WORDS; i += blockDim.x) {
            const u32 row = i / RECORD_WORDS, k = i % RECORD_WORDS, at = t0 + row, word = at >> 5, lane = at & 31;
            const u32 rank = sums[word >> 5] + before[word] + __popc(bits[word] & ((1u << lane) - 1)) - r0;
            const u32 place = (bits[word] >> lane) & 1 ? n_left + rank : row - rank;
            tile[place * RECORD_WORDS + k] = in[(u64)t0 * RECORD_WORDS + i];
            if (k == 0 && plane == 0) tile_ids[place] = ids[at];
        }
        __syncthreads();
        for (u32 side = 0; side < 2; ++side) {
            const u32 begin = side ? right : left, n_rows = side ? n_right : n_left, first = side ? n_left : 0;
            if (begin == no_place) continue;
            const u64 to = (u64)begin + (side ? r0 : l0);
            for (u32 i = threadIdx.x; i < n_rows * RECORD_WORDS; i += blockDim.x)
                out[to * RECORD_WORDS + i] = tile[first * RECORD_WORDS + i];
            if (plane == 0)
                for (u32 i = threadIdx.x; i < n_rows; i += blockDim.x) to_ids[to + i] = tile_ids[first + i];
        }
        __syncthreads();
    }
}
