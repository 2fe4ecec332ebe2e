// Access to the values of a shard on a GPU. The text is compiled by NVRTC at first use and, for tests without a GPU, as
// C++ (cpp/emulator). Only integers are added, so the order of threads has no effect; floating-point numbers are
// compared, widened, and converted to the terms of row_arithmetic.hpp, without contraction.
#pragma once

#include "shards/device/params.hpp"

#ifdef __CUDACC__
extern __shared__ __align__(16) unsigned char raw_shared[];
#define SHARED_ARRAY(T, name) T* const name = (T*)raw_shared
#endif

using namespace ceiba::shards::device;
using ceiba::base::bits_of;
using ceiba::base::NumberDigits;

__device__ inline double read_number(const Column& column, u64 row) {
    const char* const at = column.values + (i64)row * column.stride;
    switch (column.type) {
        case 0: return *(const double*)at;
        case 1: return *(const float*)at;
        case 2: return (double)*(const i64*)at;
        case 3: return *(const int*)at;
        case 4: return *(const short*)at;
        case 5: return *(const signed char*)at;
        case 6: return *(const u32*)at;
        case 7: return *(const unsigned short*)at;
        default: return *(const u8*)at;
    }
}
__device__ inline int read_code(const Column& column, u64 row) {
    return *(const int*)(column.values + (i64)row * column.stride);
}
__device__ inline const u32* ids_of(const Rows& rows, u32 side) { return side ? rows.ids[1] : rows.ids[0]; }
__device__ inline const u32* record_of(const Rows& rows, u32 side, u32 plane, u64 r) {
    return (side ? rows.records[1] : rows.records[0]) + plane * rows.plane + r * RECORD_WORDS;
}
__device__ inline u64 key_of(double x) { return ceiba::base::sort_key(x + 0.0); }
__device__ inline u64 short_key(double x, u64) { return key_of(x); }
__device__ inline u32 short_key(double x, u32) {  // for values that are float32
    const float y = (float)x + 0.0f;
    const u32 bits = *(const u32*)&y;
    return bits ^ ((bits >> 31) ? ~0u : 1u << 31);
}
__device__ inline u32 byte_of(const u32* record, u32 at) { return record[at >> 2] >> ((at & 3) * 8) & 255u; }
