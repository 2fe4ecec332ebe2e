// Detection of AVX-512, and a switch for tests and benchmarks. The results are the same with and without it. The core
// is compiled for any x86-64; only functions marked CEIBA_WIDE use AVX-512, and their callers check for it first.
#pragma once

#include <atomic>

#if defined(__GNUC__) && defined(__x86_64__)
#define CEIBA_HAS_WIDE
#define CEIBA_WIDE __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vpopcntdq,popcnt")))
#define CEIBA_WIDE_INLINE CEIBA_WIDE __attribute__((always_inline)) inline
#include <cpuid.h>
#include <immintrin.h>
#endif

// These macros enclose such functions: GCC 12 reports a value in its own header as uninitialized (GCC bug 105593).
#if defined(CEIBA_HAS_WIDE) && !defined(__clang__)
#define CEIBA_WIDE_BEGIN                                                                 \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wuninitialized\"") \
        _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"")
#define CEIBA_WIDE_END _Pragma("GCC diagnostic pop")
#else
#define CEIBA_WIDE_BEGIN
#define CEIBA_WIDE_END
#endif

namespace ceiba::base {

inline std::atomic<bool> wide_registers_allowed{true};

inline bool has_wide_registers() {
#if defined(CEIBA_HAS_WIDE)
    static const bool has = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                            __builtin_cpu_supports("avx512vpopcntdq");
    return has && wide_registers_allowed.load(std::memory_order_relaxed);
#else
    return false;
#endif
}

// Whether gather instructions are fast. AMD loads the 16 values one by one, and Intel processors before Sapphire Rapids
// are slowed by the mitigation of "gather data sampling". Processors with AVX512-FP16 have neither problem, so this
// feature is the criterion. It is read from cpuid, because older compilers do not know its name.
inline bool has_fast_gathers() {
#if defined(CEIBA_HAS_WIDE)
    static const bool has_fp16 = [] {
        unsigned a = 0, b = 0, c = 0, d = 0;
        return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d >> 23 & 1u) != 0;
    }();
    return has_fp16 && has_wide_registers();
#else
    return false;
#endif
}

}  // namespace ceiba::base
