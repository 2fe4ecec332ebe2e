// Kernels that count rows: cells of every column of a node, and losses.
#pragma once

#include "shards/device/kernels/divide.hpp"

// Calls add(position in the cell, number) for all terms that a row adds to the cell.
template <class Add>
__device__ inline void each_term(const Shape& shape, u32 row, Add add) {
    if (shape.n_classes > 0) {
        const u32 label = shape.labels[row];
        if (!shape.weighted) return add(label, (u64)1);
        add(0, (u64)1);
        const u32 first = 1 + label * shape.weight_digits;
        NumberDigits(shape.weights[row], shape.weight_unit).each([&](u32 at, u64 word) { add(first + at, word); });
        return;
    }
    const double y = shape.numbers[row];
    const auto add_digit = [&](u32 at, u64 word) { add(2 + at, word); };
    add(0, (u64)1);
    if (!shape.weighted) {
        add(1, ceiba::base::square_term(y, shape.centre, shape.per_square));
        NumberDigits(y, shape.unit).each(add_digit);
        return;
    }
    const double w = shape.weights[row], product = w * y;
    const u32 first = 2 + shape.n_digits;
    add(1, ceiba::base::square_term(y, w, shape.centre, shape.per_square));
    NumberDigits(product, shape.unit).each(add_digit);
    NumberDigits(fma(w, y, -product), shape.unit).each(add_digit);
    NumberDigits(w, shape.weight_unit).each([&](u32 at, u64 word) { add(first + at, word); });
}
__device__ inline void add_terms(u64* cell, const Shape& shape, u32 row) {
    each_term(shape, row, [cell](u32 at, u64 x) { atomicAdd(cell + at, x); });
}
__device__ inline void carry_cell(u64* cell, const Shape& shape) {
    if (shape.n_classes > 0) {
        for (int k = 0; shape.weighted && k < shape.n_classes; ++k)
            ceiba::base::carry(cell + 1 + k * shape.weight_digits, shape.weight_digits);
        return;
    }
    ceiba::base::carry(cell + 2, shape.n_digits);
    ceiba::base::carry(cell + 2 + shape.n_digits, shape.weight_digits);
}
extern "C" __global__ void carry_cells(Carry p) {
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < p.n; i += (u64)gridDim.x * blockDim.x)
        carry_cell(p.cells + i * p.pitch, p.shape);
}
extern "C" __global__ void carry_digits(Describe p) {
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < p.n_nodes; i += gridDim.x * blockDim.x)
        ceiba::base::carry(p.digits + (u64)i * p.n_digits, (int)p.n_digits);
}
// Adds to a 64-bit sum in shared memory with 32-bit atomics, which are faster there than 64-bit ones.
__device__ inline void add_in_halves(u32* low, u32* high, u64 x) {
    const u32 term = (u32)x, old = atomicAdd(low, term), more = (u32)(x >> 32) + (old + term < old);
    if (more) atomicAdd(high, more);
}

// Two classes: the counts of both in one word.
extern "C" __global__ void count_two(Count p) {
    SHARED_ARRAY(u32, cells);
    const u32 first = blockIdx.y * p.per_plane;
    const u32 n_columns = p.n_columns - first < p.per_plane ? p.n_columns - first : p.per_plane;
    for (u32 i = threadIdx.x; i < n_columns * max_bins; i += blockDim.x) cells[i] = 0;
    __syncthreads();
    const Chunk chunk = p.chunks[blockIdx.x];
    for (u64 r = (u64)chunk.from + threadIdx.x; r < chunk.to; r += blockDim.x) {
        const u32* const record = record_of(p.rows, chunk.side, blockIdx.y, r);
        u32 w[max_words];
#pragma unroll
        for (u32 k = 0; k < RECORD_WORDS; ++k) w[k] = record[k];
        const u32 step = byte_of(record, n_columns) ? 65536u : 1u;
#pragma unroll
        for (u32 f = 0; f < 4 * RECORD_WORDS; ++f) {
            if (f >= n_columns) break;
            atomicAdd(&cells[f * max_bins + byte_of(w, f)], step);
        }
    }
    __syncthreads();
    u64* const out = p.out + chunk.node * p.n_words;
    for (u32 i = threadIdx.x; i < n_columns * max_bins; i += blockDim.x) {
        const u32 both = cells[i];
        u64* const cell = out + ((u64)p.first_cell[first + i / max_bins] + i % max_bins) * 2;
        if (both & 65535u) atomicAdd(cell, (u64)(both & 65535u));
        if (both >> 16) atomicAdd(cell + 1, (u64)(both >> 16));
    }
}

// Any cells: in two planes of 32 bits (unweighted classes: one), or directly in global memory.
extern "C" __global__ void count_cells(Count p) {
    SHARED_ARRAY(u32, low);
    const u32 blocks = (p.per_plane + p.at_once - 1) / p.at_once, plane = blockIdx.y / blocks;
    const u32 start = blockIdx.y % blocks * p.at_once, first = plane * p.per_plane + start;
    if (first >= p.n_columns) return;
    u32 n_columns = p.per_plane - start < p.at_once ? p.per_plane - start : p.at_once;
    if (p.n_columns - first < n_columns) n_columns = p.n_columns - first;
    const u32 width = (u32)p.shape.width, n_cells = n_columns * max_bins, n_words = n_cells * width;
    const bool counts = p.shape.n_classes > 0 && !p.shape.weighted;
    u32* const high = low + n_words;
    if (p.in_shared)
        for (u32 i = threadIdx.x; i < n_words * (counts ? 1 : 2); i += blockDim.x) low[i] = 0;
    __syncthreads();
    const Chunk chunk = p.chunks[blockIdx.x];
    u64* const out = p.out + chunk.node * p.n_words;
    const bool numbers = p.in_shared && p.shape.n_classes == 0 && !p.shape.weighted;
    for (u64 r = (u64)chunk.from + threadIdx.x; r < chunk.to; r += blockDim.x) {
        const u8* const record = (const u8*)record_of(p.rows, chunk.side, plane, r) + start;
        const u32 row = ids_of(p.rows, chunk.side)[r];
        if (numbers) {  // the most common case, with its terms in registers
            const double y = p.shape.numbers[row];
            const u64 square = ceiba::base::square_term(y, p.shape.centre, p.shape.per_square);
            const NumberDigits digits(y, p.shape.unit);
            for (u32 f = 0; f < n_columns; ++f) {
                const u32 cell = f * max_bins + record[f];
                atomicAdd(low + cell, 1u);
                add_in_halves(low + n_cells + cell, high + n_cells + cell, square);
                digits.each([&](u32 at, u64 word) {
                    const u32 to = (2 + at) * n_cells + cell;
                    add_in_halves(low + to, high + to, word);
                });
            }
            continue;
        }
        each_term(p.shape, row, [&](u32 at, u64 x) {
#pragma unroll 1
            for (u32 f = 0; f < n_columns; ++f) {
                if (!p.in_shared) {
                    atomicAdd(out + ((u64)p.first_cell[first + f] + record[f]) * width + at, x);
                    continue;
                }
                const u32 cell = at * n_cells + f * max_bins + record[f];  // words are apart: fewer bank conflicts
                if (counts)
                    atomicAdd(low + cell, 1u);
                else
                    add_in_halves(low + cell, high + cell, x);
            }
        });
    }
    __syncthreads();
    if (!p.in_shared) return;
    for (u32 i = threadIdx.x; i < n_words; i += blockDim.x) {
        u64 sum = low[i];
        if (!counts) sum |= (u64)high[i] << 32;
        const u32 cell = i % n_cells;
        const u64 to = (u64)p.first_cell[first + cell / max_bins] + cell % max_bins;
        if (sum) atomicAdd(out + to * width + i / n_cells, sum);
    }
}

// Numbers: losses about a value in digits, and the largest and the smallest number as keys.
extern "C" __global__ void describe_rows(Describe p) {
    SHARED_ARRAY(u32, low);  // digit by digit, with one copy per lane
    u32* const high = low + p.n_digits * 32;
    __shared__ u64 most, least;
    for (u32 i = threadIdx.x; i < p.n_digits * 64; i += blockDim.x) low[i] = 0;
    if (threadIdx.x == 0) most = 0, least = ~(u64)0;
    __syncthreads();
    const Chunk chunk = p.chunks[blockIdx.x];
    const double value = p.value[chunk.node];
    const u32 lane = threadIdx.x & 31;
    u64 largest = 0, smallest = ~(u64)0;
    for (u64 r = (u64)chunk.from + threadIdx.x; r < chunk.to; r += blockDim.x) {
        const u32 row = ids_of(p.rows, chunk.side)[r];
        const double y = p.shape.numbers[row], w = p.shape.weighted ? p.shape.weights[row] : 1.0, gap = y - value;
        NumberDigits(w * gap * gap, -1074).each([&](u32 at, u64 word) {
            add_in_halves(low + at * 32 + lane, high + at * 32 + lane, word);
        });
        const u64 key = key_of(y);
        largest = key > largest ? key : largest;
        smallest = key < smallest ? key : smallest;
    }
    if (largest > most) atomicMax(&most, largest);
    if (smallest < least) atomicMin(&least, smallest);
    __syncthreads();
    for (u32 i = threadIdx.x; i < p.n_digits; i += blockDim.x) {
        u64 sum = 0;
        for (u32 j = 0; j < 32; ++j) sum += low[i * 32 + (i + j) % 32] | (u64)high[i * 32 + (i + j) % 32] << 32;
        if (sum) atomicAdd(&p.digits[(u64)chunk.node * p.n_digits + i], sum);
    }
    if (threadIdx.x == 0) {
        atomicMax(&p.ranges[2 * chunk.node], most);
        atomicMin(&p.ranges[2 * chunk.node + 1], least);
    }
}
