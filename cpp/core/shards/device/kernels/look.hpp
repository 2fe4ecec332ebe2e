// Kernels that read rows within ranges of keys, to zoom, fetch or compare them; and kernels that gather rows.
#pragma once

#include "shards/device/kernels/count.hpp"

enum Mode { zooms, fetches, adjoins };

// Processes a row inside query q. `first`: whether q is the first query of its place.
template <int mode>
__device__ inline void put(const Look& p, u32 q, bool first, u64 key, u32 row) {
    if (mode == zooms) {
        const u64 part = (key - p.queries[q].low) >> p.queries[q].shift;
        add_terms(p.out + ((u64)q * p.n_parts + part) * p.shape.width, p.shape, row);
    } else if (mode == fetches) {
        const u32 at = atomicAdd(&p.n_found[q], 1u);
        if (at < p.most_rows) {
            p.out[(u64)q * p.most_rows + at] = key;
            p.found_row[(u64)q * p.most_rows + at] = row;
        }
    } else if (first) {
        if (key > p.out[q]) atomicMax(&p.out[q], key);
    } else if (key < p.out[q])
        atomicMin(&p.out[q], key);
}

// Rows that the first zoom of a level finds are kept for its later rounds, as key, row and place. The kept rows of a
// chunk are stored in its range on the other side, to which its rows move when the node is divided.
__device__ inline u32* kept_of(const Look& p, const Chunk& chunk) {
    return (u32*)record_of(p.rows, 1 - chunk.side, 0, chunk.from);
}
__device__ inline u32 kept_room(const Chunk& chunk) { return (chunk.to - chunk.from) * RECORD_WORDS / kept_words; }

template <int mode, bool keeps>
__device__ inline void look(const Look& p) {
    SHARED_ARRAY(u32, table);
    __shared__ u32 n_kept;
    const Chunk chunk = p.chunks[blockIdx.x];
    const u32 p0 = p.first_place[chunk.node], n_places = p.first_place[chunk.node + 1] - p0;
    for (u32 i = threadIdx.x; i < n_places * max_bins; i += blockDim.x) table[i] = 0;
    if (threadIdx.x == 0) n_kept = 0;
    __syncthreads();
    // Per place and bin: the first query of the place << 16 | number of queries. The queries of a bin are adjacent.
    for (u32 k = 0; k < n_places; ++k) {
        const Place place = p.places[p0 + k];
        const Query* const queries = p.queries + place.first;
        for (u32 q = threadIdx.x; q < place.n; q += blockDim.x) {
            const u32 bin = queries[q].bin;
            if (q > 0 && queries[q - 1].bin == bin) continue;
            u32 n = 1;
            while (q + n < place.n && queries[q + n].bin == bin) ++n;
            table[k * max_bins + bin] = q << 16 | n;
        }
    }
    __syncthreads();
    for (u64 r = (u64)chunk.from + threadIdx.x; r < chunk.to; r += blockDim.x)
        for (u32 k = 0; k < n_places; ++k) {
            const Place place = p.places[p0 + k];
            const u32* const record = record_of(p.rows, chunk.side, place.column / p.per_plane, r);
            const u32 b = ((const u8*)record)[place.column % p.per_plane];
            const u32 entry = table[k * max_bins + b];
            if (entry == 0) continue;
            const u32 row = ids_of(p.rows, chunk.side)[r];
            const u64 key = key_of(read_number(p.columns[place.column], row));
            u32 q = place.first + (entry >> 16);
            const u32 end = q + (entry & 65535u);
            while (q < end && p.queries[q].high < key) ++q;
            if (q == end || key < p.queries[q].low) continue;
            put<mode>(p, q, q == place.first, key, row);
            if (keeps) {
                const u32 at = atomicAdd(&n_kept, 1u);
                if (at >= kept_room(chunk)) continue;
                u32* const slot = kept_of(p, chunk) + at * kept_words;
                slot[0] = (u32)key, slot[1] = (u32)(key >> 32), slot[2] = row, slot[3] = p0 + k;
            }
        }
    if (!keeps) return;
    __syncthreads();
    if (threadIdx.x == 0) p.n_kept[blockIdx.x] = n_kept;
}
// The same for kept rows.
template <int mode>
__device__ inline void look_again(const Look& p) {
    const Chunk chunk = p.chunks[blockIdx.x];
    const u32 n = p.n_kept[blockIdx.x];
    if (n > kept_room(chunk)) return;  // no query is about these rows
    for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
        const u32* const slot = kept_of(p, chunk) + i * kept_words;
        const Place now = p.again[slot[3]];
        if (now.n == 0) continue;
        const u64 key = slot[0] | (u64)slot[1] << 32;
        u32 low = now.first, high = now.first + now.n;
        while (low < high) {
            const u32 middle = (low + high) / 2;
            if (p.queries[middle].high < key)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == now.first + now.n || key < p.queries[low].low) continue;
        put<mode>(p, low, low == now.first, key, slot[2]);
    }
}
extern "C" __global__ void zoom_and_keep(Look p) { look<zooms, true>(p); }
extern "C" __global__ void zoom(Look p) { look<zooms, false>(p); }
extern "C" __global__ void fetch(Look p) { look<fetches, false>(p); }
extern "C" __global__ void adjoin(Look p) { look<adjoins, false>(p); }
extern "C" __global__ void zoom_again(Look p) { look_again<zooms>(p); }
extern "C" __global__ void fetch_again(Look p) { look_again<fetches>(p); }
extern "C" __global__ void adjoin_again(Look p) { look_again<adjoins>(p); }

// Sorts the values fetched by one query (a block each; most_rows a power of two) and numbers its runs of equal keys.
extern "C" __global__ void sort_fetched(Fetched p) {
    SHARED_ARRAY(u64, key);
    u32* const row = (u32*)(key + p.most_rows);
    __shared__ u32 sums[1025];
    const u32 n = p.n_found[blockIdx.x] < p.most_rows ? p.n_found[blockIdx.x] : p.most_rows;
    const u64 base = (u64)blockIdx.x * p.most_rows;
    u32 size = 1;
    while (size < n) size *= 2;
    for (u32 i = threadIdx.x; i < size; i += blockDim.x) {
        key[i] = i < n ? p.keys[base + i] : ~(u64)0;
        row[i] = i < n ? p.row[base + i] : 0;
    }
    for (u32 width = 2; width <= size; width *= 2)
        for (u32 step = width / 2; step; step /= 2) {
            __syncthreads();
            for (u32 t = threadIdx.x; t < size / 2; t += blockDim.x) {
                const u32 i = 2 * t - (t & (step - 1)), j = i + step;
                const u64 a = key[i], b = key[j];
                if (a == b || (a > b) != ((i & width) == 0)) continue;
                const u32 old_row = row[i];
                key[i] = b, key[j] = a, row[i] = row[j], row[j] = old_row;
            }
        }
    __syncthreads();
    const u32 each = (n + blockDim.x - 1) / blockDim.x, from = threadIdx.x * each < n ? threadIdx.x * each : n,
              to = from + each < n ? from + each : n;
    u32 heads = 0;
    for (u32 i = from; i < to; ++i) heads += i == 0 || key[i] != key[i - 1];
    sums[threadIdx.x + 1] = heads;
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[0] = 0;
        for (u32 t = 1; t <= blockDim.x; ++t) sums[t] += sums[t - 1];
        p.n_runs[blockIdx.x] = sums[blockDim.x];
    }
    __syncthreads();
    u32 at = sums[threadIdx.x];
    for (u32 i = from; i < to; ++i) {
        at += i == 0 || key[i] != key[i - 1];
        p.run[base + i] = at - 1;
        p.keys[base + i] = key[i];
        p.row[base + i] = row[i];
    }
}
// Writes the runs as words of an answer, which must be 0 before.
extern "C" __global__ void write_runs(Fetched p) {
    const u64 base = (u64)blockIdx.x * p.most_rows;
    u64* const out = p.out + p.offset[blockIdx.x];
    const u32 n = p.n_found[blockIdx.x], pitch = (u32)p.shape.width + 1;
    if (threadIdx.x == 0) out[0] = p.n_runs[blockIdx.x];
    for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
        u64* const run = out + 1 + (u64)p.run[base + i] * pitch;
        if (i == 0 || p.run[base + i] != p.run[base + i - 1]) run[0] = p.keys[base + i];
        add_terms(run + 1, p.shape, p.row[base + i]);
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < p.n_runs[blockIdx.x]; i += blockDim.x) carry_cell(out + 2 + (u64)i * pitch, p.shape);
}

// All values of the rows of some nodes: each row of blocks writes a column, the target or the weights.
extern "C" __global__ void gather_rows(Gather p) {
    const Chunk chunk = p.chunks[blockIdx.x];
    const u32 c = blockIdx.y;
    u64* const out = p.out + p.offset[chunk.node] + (u64)c * p.n_rows[chunk.node];
    const u64 nan = (u64)0x7FF8 << 48;
    const auto word = [nan](double x) { return x == x ? bits_of(x) : nan; };
    for (u32 i = chunk.from + threadIdx.x; i < chunk.to; i += blockDim.x) {
        const u32 row = ids_of(p.rows, chunk.side)[i];
        u64 x;
        if (c < p.n_columns && p.columns[c].type == coarse_type) {  // the number of its bin replaces a value
            const u32 b = byte_of(record_of(p.rows, chunk.side, c / p.per_plane, i), c % p.per_plane);
            x = b == p.columns[c].n_bins ? nan : bits_of((double)b);
        } else if (c < p.n_columns)
            x = p.columns[c].type == level_type ? (u64)(u32)read_code(p.columns[c], row)
                                                : word(read_number(p.columns[c], row));
        else if (c > p.n_columns)
            x = bits_of(p.shape.weights[row]);
        else
            x = p.shape.n_classes > 0 ? (u64)p.shape.labels[row] : bits_of(p.shape.numbers[row]);
        out[i - p.begin[chunk.node]] = x;
    }
}
