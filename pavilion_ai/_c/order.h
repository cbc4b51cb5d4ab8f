/* Moves in the order of their logits, and priors from logits: most of the cost of adding children
 * to a node, so both process several at a time. The results are the same with any instruction set:
 * whole numbers, and the arithmetic of exp_portable(). */
#ifndef PAVILION_ORDER_H
#define PAVILION_ORDER_H

#include <stdint.h>
#include <string.h>
#include "utility.h"

#define ORDER_MOST 1024           /* moves of a list; logits stay below 2^31 / ORDER_MOST */
#define ORDER_LANES 4
#define ORDER_LOOP static ALWAYS_INLINE

#if HAS_VECTORS
typedef double OrderDoubles VECTOR_OF_BYTES(8 * ORDER_LANES);
typedef int64_t OrderLongs VECTOR_OF_BYTES(8 * ORDER_LANES);
typedef int32_t OrderInts VECTOR_OF_BYTES(4 * ORDER_LANES);
typedef float OrderFloats VECTOR_OF_BYTES(4 * ORDER_LANES);
#endif

/* Highest first; equal ones keep their order. A move's place is the number of those before it: no
 * branch depends on the logits, and the compiler counts several at a time. */
ORDER_LOOP void order_sort_loop(uint32_t *actions, int *logits, int count) {
    int32_t keys[ORDER_MOST], old_logits[ORDER_MOST];
    uint32_t old_actions[ORDER_MOST];
    for (int i = 0; i < count; i++) {
        keys[i] = logits[i] * ORDER_MOST + (ORDER_MOST - 1 - i);  /* no two alike */
        old_logits[i] = logits[i];
        old_actions[i] = actions[i];
    }
    for (int i = 0; i < count; i++) {
        const int32_t key = keys[i];
        int place = 0;
        for (int j = 0; j < count; j++) place += keys[j] > key;
        logits[place] = old_logits[i];
        actions[place] = old_actions[i];
    }
}

/* powers[i] = e^(factor * (logits[i] - logits[0])) of sorted logits. Both arrays have room for a
 * multiple of ORDER_LANES and are written up to there. */
ORDER_LOOP void order_powers_loop(int *logits, int count, double factor, float *powers) {
    for (int i = count; i % ORDER_LANES; i++) logits[i] = logits[0];
#if HAS_VECTORS
    for (int i = 0; i < count; i += ORDER_LANES) {
        OrderInts k;
        memcpy(&k, logits + i, sizeof k);
        k -= logits[0];
        OrderDoubles x = CONVERT_LANES(k, OrderDoubles) * factor;
        const OrderLongs low = x < -EXP_LIMIT;
        const OrderDoubles least = {-EXP_LIMIT, -EXP_LIMIT, -EXP_LIMIT, -EXP_LIMIT};
        x = (OrderDoubles)(((OrderLongs)x & ~low) | ((OrderLongs)least & low));
        const OrderDoubles scaled = x * EXP_LOG2_E;
        k = CONVERT_LANES(scaled - 0.5, OrderInts);  /* rounds: x <= 0 */
        const OrderDoubles r = (scaled - CONVERT_LANES(k, OrderDoubles)) * EXP_LOG_2;
        const OrderLongs bits = (CONVERT_LANES(k, OrderLongs) + 1023) << 52;
        const OrderFloats power = CONVERT_LANES(
            EXP_POLYNOMIAL(r) * (OrderDoubles)bits, OrderFloats);
        memcpy(powers + i, &power, sizeof power);
    }
#else
    const int first = logits[0];
    for (int i = 0; i < (count + ORDER_LANES - 1) / ORDER_LANES * ORDER_LANES; i++) {
        const double low = -EXP_LIMIT, found = (logits[i] - first) * factor;
        const double x = found < low ? low : found;
        const double scaled = x * EXP_LOG2_E;
        const int32_t k = (int32_t)(scaled - 0.5);
        const double r = (scaled - k) * EXP_LOG_2;
        const uint64_t bits = (uint64_t)(k + 1023) << 52;
        double power;
        memcpy(&power, &bits, sizeof power);
        powers[i] = (float)(EXP_POLYNOMIAL(r) * power);
    }
#endif
}

#if HAS_X86_SETS
#define ORDER_HAS_AVX2 PROCESSOR_HAS("avx2")
#define ORDER_AVX2 FOR_SET("avx2") static void
ORDER_AVX2 order_sort_avx2(uint32_t *actions, int *logits, int count) {
    order_sort_loop(actions, logits, count);
}

ORDER_AVX2 order_powers_avx2(int *logits, int count, double factor, float *powers) {
    order_powers_loop(logits, count, factor, powers);
}
#else
#define ORDER_HAS_AVX2 0
#define order_sort_avx2 order_sort_loop
#define order_powers_avx2 order_powers_loop
#endif

static inline void sort_by_logit(uint32_t *actions, int *logits, int count) {
    if (ORDER_HAS_AVX2)
        order_sort_avx2(actions, logits, count);
    else
        order_sort_loop(actions, logits, count);
}

static inline void powers_of_logits(int *logits, int count, double factor, float *powers) {
    if (ORDER_HAS_AVX2)
        order_powers_avx2(logits, count, factor, powers);
    else
        order_powers_loop(logits, count, factor, powers);
}

#endif
