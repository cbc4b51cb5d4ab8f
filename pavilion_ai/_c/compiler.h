/* What the C level takes from compilers beyond the language, in one place: gcc from 9 on
 * and clang have all of it, for every processor of 64 bits (vectors become SSE2 or NEON). A compiler
 * without it gets plain C that computes the same bits, and so do all with -DPAVILION_PLAIN_C. */
#ifndef PAVILION_COMPILER_H
#define PAVILION_COMPILER_H

#include <math.h>
#include <stdint.h>

#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 2
#error "doubles are computed with more digits than they have: on x86 add CFLAGS='-msse2 -mfpmath=sse'"
#endif
#if defined(__FAST_MATH__) || defined(_M_FP_FAST)
#error "fast mathematics computes other results: leave out -ffast-math, -Ofast or /fp:fast"
#endif

#if defined(__GNUC__) && (defined(__clang__) || __GNUC__ >= 9) && \
    defined(__SIZEOF_INT128__) && !defined(PAVILION_PLAIN_C)
#define HAS_VECTORS 1             /* vectors of the compiler's, on any machine */
#define VECTOR_OF_BYTES(size) __attribute__((vector_size(size)))
#define CONVERT_LANES(vector, type) __builtin_convertvector(vector, type)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define FETCH(address) __builtin_prefetch(address)
#define SQUARE_ROOT(x) __builtin_sqrt(x)     /* an instruction, also where errno may be set */
#else
#define HAS_VECTORS 0
#define ALWAYS_INLINE inline
#define FETCH(address) ((void)(address))
#define SQUARE_ROOT(x) sqrt(x)    /* correctly rounded, as the instruction is (IEEE 754) */
#endif

/* Functions for processors that not all have, and whether this one has it. */
#if defined(__x86_64__) && HAS_VECTORS
#define HAS_X86_SETS 1
#include <immintrin.h>
#define FOR_SET(set) __attribute__((target(set)))
#define INLINE_FOR_SET(set) inline __attribute__((always_inline, target(set)))
#define LOOK_AT_PROCESSOR() __builtin_cpu_init()
#define PROCESSOR_HAS(set) __builtin_cpu_supports(set)
#define COUNT_BITS(x) __builtin_popcount(x)  /* an instruction in functions for AVX-512 */
#else
#define HAS_X86_SETS 0
#endif

/* Index of the lowest set bit of x, which is not 0. */
static inline int lowest_bit(uint64_t x) {
#if HAS_VECTORS
    return __builtin_ctzll(x);
#else
    int found = 0;
    for (int half = 32; half; half >>= 1)
        if (!(x & (((uint64_t)1 << half) - 1))) x >>= half, found += half;
    return found;
#endif
}

/* High 64 bits of a * b; *low gets the low ones. */
static inline uint64_t multiply_high(uint64_t a, uint64_t b, uint64_t *low) {
#if HAS_VECTORS
    unsigned __int128 product = (unsigned __int128)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;
    *low = a * b;
    return a1 * b1 + (middle >> 32) + (other >> 32);
#endif
}

/* What several threads read and write as a whole. order: RELAXED, ACQUIRE, RELEASE or SEQ_CST. */
#if HAS_VECTORS
#define CAN_SHARE 1
#define MAY_ALIAS __attribute__((may_alias))
#define SHARED_READ(at, order) __atomic_load_n(at, __ATOMIC_##order)
#define SHARED_WRITE(at, value, order) __atomic_store_n(at, value, __ATOMIC_##order)
#define SHARED_ADD(at, summand, order) __atomic_fetch_add(at, summand, __ATOMIC_##order)
#define SHARED_SWAP(at, value, order) __atomic_exchange_n(at, value, __ATOMIC_##order)
#define SHARED_CHANGE(at, before, after) \
    __atomic_compare_exchange_n(at, before, after, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#else
#define CAN_SHARE 0               /* there is one thread at a time */
#define SHARED_READ(at, order) (*(at))
#define SHARED_WRITE(at, value, order) ((void)(*(at) = (value)))
#endif

#endif
