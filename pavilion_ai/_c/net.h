/* The network's inference (an NNUE), in integers: sparse inputs -> accumulator -> clipped ReLU ->
 * clipped ReLU -> outputs.
 *
 * Numbers. Activations 0..4 are int16 0..4096. First layer: int16 sums that wrap around. Second and
 * third: int16 weights, int32 sums that wrap around. All kernels add the same numbers modulo a
 * power of two, so the order does not matter and every kernel gives the same bits.
 *
 * Layout. Weights of the dense layers stand in blocks of 16 outputs: for each pair of inputs the 16
 * pairs of weights, 64 bytes, so that each lane of a register is an output and a block is read from
 * front to end. The values (win, lead, gain) have block 0 of the third layer to themselves; the
 * policy begins at block 1. */
#ifndef PAVILION_NET_H
#define PAVILION_NET_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "compiler.h"

#define NET_BLOCK 16
#define NET_ONE_CLIP 4096         /* upper end of the clipped ReLU: 4.0 */
#define NET_MAX_HIDDEN1 256
#define NET_MAX_HIDDEN2 128
#define NET_MAX_INPUTS 65536      /* input numbers are uint16 */
#define NET_MAX_POLICY 65536
#define NET_VALUES_PER_SEAT 3     /* win, lead, gain */
#define NET_TABLE_LIMIT 16000     /* an entry of the policy table, 1/256 nat */
#define NET_CHUNK 16              /* blocks at a time in a buffer on the stack */
#define NET_MAX_PAIRS (NET_MAX_HIDDEN1 / 2)
#define NET_LIVE_MULTIPLE 8       /* lists of live pairs are padded to multiples of this */
#define NET_LIVE_ROOM 16          /* that a kernel may write behind a list */

#define NET_GENERIC 0
#define NET_AVX2 1
#define NET_AVX512 2
#define NET_VNNI 3

typedef struct Net Net;

typedef struct {
    /* The first layer: inputs, and `count` accumulators made before. parts NULL: make such an
     * accumulator, without bias and clipping. */
    void (*first)(const Net *net, const uint16_t *inputs, int n, const int16_t *const *parts,
                  int count, int16_t *a1);
    void (*dense)(const int16_t *w, const int32_t *bias, const int16_t *x, int pairs, int blocks,
                  int32_t *out);
    void (*squash)(const int32_t *sums, int count, int16_t *out);    /* clipped ReLU */
    void (*entries)(const int32_t *sums, int count, int16_t *out);   /* of the policy table */
} NetKernel;

struct Net {
    int inputs, hidden1, hidden2, players, policy;
    int values;                   /* value outputs: 3 * players; the policy follows */
    const NetKernel *kernel;
    int16_t *w1, *b1, *w2, *w3;   /* each begins at a multiple of 64 bytes */
    int32_t *b2, *b3;
    void *memory;                 /* pointer for free(); NULL: no network */
};

static inline int32_t net_signed(uint32_t x) {
    int32_t y;
    memcpy(&y, &x, sizeof y);
    return y;
}

static ALWAYS_INLINE void net_squash_loop(
        const int32_t *sums, int count, int16_t *out) {
    for (int i = 0; i < count; i++) {
        int32_t x = net_signed((uint32_t)sums[i] + (1u << 11)) >> 12;
        x = x < 0 ? 0 : x;
        out[i] = (int16_t)(x > NET_ONE_CLIP ? NET_ONE_CLIP : x);
    }
}

static ALWAYS_INLINE void net_entries_loop(
        const int32_t *sums, int count, int16_t *out) {
    for (int i = 0; i < count; i++) {
        int32_t x = net_signed((uint32_t)sums[i] + (1u << 13)) >> 14;
        x = x < -NET_TABLE_LIMIT ? -NET_TABLE_LIMIT : x;
        out[i] = (int16_t)(x > NET_TABLE_LIMIT ? NET_TABLE_LIMIT : x);
    }
}

/* Pairs of activations that are not both 0; after a clipped ReLU about half of them. */
typedef struct {
    int count;                    /* a multiple of NET_LIVE_MULTIPLE: padded with zeros */
    int32_t pair[NET_MAX_PAIRS + NET_LIVE_ROOM];
    int32_t at[NET_MAX_PAIRS + NET_LIVE_ROOM];    /* number of the pair */
} NetLive;

static ALWAYS_INLINE void net_fill_up(NetLive *live) {
    for (int i = 0; i < NET_LIVE_MULTIPLE; i++)
        live->pair[live->count + i] = live->at[live->count + i] = 0;
    live->count = (live->count + NET_LIVE_MULTIPLE - 1) & ~(NET_LIVE_MULTIPLE - 1);
}

static ALWAYS_INLINE void net_list_live(
        const int16_t *x, int pairs, NetLive *live) {
    live->count = 0;
    for (int p = 0; p < pairs; p++) {
        memcpy(&live->pair[live->count], x + 2 * p, sizeof *live->pair);
        live->at[live->count] = p;
        live->count += live->pair[live->count] != 0;
    }
    net_fill_up(live);
}

/* ------------------------------------------------------------------------ the kernel in plain C */

#if HAS_VECTORS
/* Eight sums that wrap around. */
typedef uint16_t NetLanes VECTOR_OF_BYTES(16);
#define NET_LANES 8
#else
typedef uint16_t NetLanes;
#define NET_LANES 1
#endif

static void net_generic_first(const Net *net, const uint16_t *inputs, int n,
                              const int16_t *const *parts, int count, int16_t *a1) {
    for (int from = 0; from < net->hidden1; from += 32) {
        NetLanes sum[32 / NET_LANES], row[32 / NET_LANES];
        int16_t signed_sum[32];
        if (parts == NULL)
            memset(sum, 0, sizeof sum);
        else
            memcpy(sum, net->b1 + from, sizeof sum);
        for (int i = 0; i < count; i++) {
            memcpy(row, parts[i] + from, sizeof row);
            for (int v = 0; v < 32 / NET_LANES; v++) sum[v] += row[v];
        }
        for (int i = 0; i < n; i++) {
            memcpy(row, net->w1 + (size_t)inputs[i] * (size_t)net->hidden1 + from, sizeof row);
            for (int v = 0; v < 32 / NET_LANES; v++) sum[v] += row[v];
        }
        if (parts == NULL) {
            memcpy(a1 + from, sum, sizeof sum);
            continue;
        }
        memcpy(signed_sum, sum, sizeof sum);
        for (int j = 0; j < 32; j++) {
            int x = signed_sum[j] < 0 ? 0 : signed_sum[j];
            a1[from + j] = (int16_t)(x > NET_ONE_CLIP ? NET_ONE_CLIP : x);
        }
    }
}

/* The sums are kept as unsigned numbers: they may wrap around. */
static void net_generic_dense(const int16_t *w, const int32_t *bias, const int16_t *x, int pairs,
                              int blocks, int32_t *out) {
    for (; blocks > 0; blocks--, bias += NET_BLOCK, out += NET_BLOCK) {
        uint32_t sum[NET_BLOCK];
        memcpy(sum, bias, sizeof sum);
        for (int p = 0; p < pairs; p++, w += 2 * NET_BLOCK) {
            const int a = x[2 * p], b = x[2 * p + 1];
            if ((a | b) == 0) continue;
            for (int j = 0; j < NET_BLOCK; j++)
                sum[j] += (uint32_t)(a * w[2 * j] + b * w[2 * j + 1]);
        }
        memcpy(out, sum, sizeof sum);
    }
}

static void net_generic_squash(const int32_t *sums, int count, int16_t *out) {
    net_squash_loop(sums, count, out);
}

static void net_generic_entries(const int32_t *sums, int count, int16_t *out) {
    net_entries_loop(sums, count, out);
}

static const NetKernel net_generic_kernel = {
    net_generic_first, net_generic_dense, net_generic_squash, net_generic_entries,
};

/* ----------------------------------------------------------------------- kernels with registers */

#if HAS_X86_SETS

#define KERNEL(name) net_avx2_##name
#define KERNEL_TARGET "avx2"
#define VECTOR __m256i
#define VECTOR_BYTES 32
#define LOAD(at) _mm256_loadu_si256((const __m256i *)(const void *)(at))
#define STORE(at, x) _mm256_storeu_si256((__m256i *)(void *)(at), x)
#define ADD16 _mm256_add_epi16
#define ADD32 _mm256_add_epi32
#define MIN16 _mm256_min_epi16
#define MAX16 _mm256_max_epi16
#define SET16 _mm256_set1_epi16
#define SET32 _mm256_set1_epi32
#define DOT(sum, a, b) _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))
#define LIST_LIVE net_list_live
#include "net_kernel.h"
#undef VECTOR
#undef VECTOR_BYTES
#undef LOAD
#undef STORE
#undef ADD16
#undef ADD32
#undef MIN16
#undef MAX16
#undef SET16
#undef SET32
#undef LIST_LIVE

FOR_SET("avx512f") static inline void net_list_live_avx512(
        const int16_t *x, int pairs, NetLive *live) {
    const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    live->count = 0;
    for (int p = 0; p < pairs; p += 16) {
        const int left = pairs - p;
        const __mmask16 there = (__mmask16)(left < 16 ? (1 << left) - 1 : 0xFFFF);
        const __m512i pair = _mm512_maskz_loadu_epi32(there, x + 2 * p);
        const __mmask16 some = _mm512_test_epi32_mask(pair, pair);
        _mm512_storeu_si512(&live->pair[live->count], _mm512_maskz_compress_epi32(some, pair));
        _mm512_storeu_si512(&live->at[live->count], _mm512_maskz_compress_epi32(
            some, _mm512_add_epi32(first, _mm512_set1_epi32(p))));
        live->count += COUNT_BITS(some);
    }
    net_fill_up(live);
}

#define KERNEL(name) net_avx512_##name
#define KERNEL_TARGET "avx512f,avx512bw"
#define VECTOR __m512i
#define VECTOR_BYTES 64
#define LOAD(at) _mm512_loadu_si512((const void *)(at))
#define STORE(at, x) _mm512_storeu_si512((void *)(at), x)
#define ADD16 _mm512_add_epi16
#define ADD32 _mm512_add_epi32
#define MIN16 _mm512_min_epi16
#define MAX16 _mm512_max_epi16
#define SET16 _mm512_set1_epi16
#define SET32 _mm512_set1_epi32
#define DOT(sum, a, b) _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))
#define LIST_LIVE net_list_live_avx512
#include "net_kernel.h"

#define KERNEL(name) net_vnni_##name
#define KERNEL_TARGET "avx512f,avx512bw,avx512vnni"
#define DOT _mm512_dpwssd_epi32
#include "net_kernel.h"
#undef VECTOR
#undef VECTOR_BYTES
#undef LOAD
#undef STORE
#undef ADD16
#undef ADD32
#undef MIN16
#undef MAX16
#undef SET16
#undef SET32
#undef LIST_LIVE
#endif

/* A kernel by its number; NULL if this machine does not have it. */
static inline const NetKernel *net_kernel(int which) {
    if (which == NET_GENERIC) return &net_generic_kernel;
#if HAS_X86_SETS
    LOOK_AT_PROCESSOR();
    int wide = PROCESSOR_HAS("avx512f") && PROCESSOR_HAS("avx512bw");
    if (which == NET_AVX2 && PROCESSOR_HAS("avx2")) return &net_avx2_kernel;
    if (which == NET_AVX512 && wide) return &net_avx512_kernel;
    if (which == NET_VNNI && wide && PROCESSOR_HAS("avx512vnni")) return &net_vnni_kernel;
#endif
    return NULL;
}

/* ----------------------------------------------------------------------------- making a network */

/* Whether the kernels can hold these sizes. */
static inline int net_shape_ok(int inputs, int hidden1, int hidden2, int players, int policy) {
    return inputs >= 1 && inputs <= NET_MAX_INPUTS && policy >= 0 && policy <= NET_MAX_POLICY
        && (hidden1 == 32 || hidden1 == 64 || hidden1 == 128 || hidden1 == 192 || hidden1 == 256)
        && hidden2 >= NET_BLOCK && hidden2 <= NET_MAX_HIDDEN2 && hidden2 % NET_BLOCK == 0
        && players >= 1 && players * NET_VALUES_PER_SEAT <= NET_BLOCK;
}

/* Bytes of the payload of a file for an allowed shape. */
static inline size_t net_payload_bytes(int inputs, int hidden1, int hidden2, int players,
                                       int policy) {
    size_t n = (size_t)inputs, h1 = (size_t)hidden1, h2 = (size_t)hidden2;
    size_t outputs = (size_t)(NET_VALUES_PER_SEAT * players + policy);
    return 2 * (n * h1 + h1 + h1 * h2 + h2 * outputs) + 4 * (h2 + outputs);
}

static inline int16_t net_read16(const uint8_t *at) {
    uint16_t bits = (uint16_t)(at[0] | at[1] << 8);
    int16_t x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline int32_t net_read32(const uint8_t *at) {
    return net_signed((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16
                      | (uint32_t)at[3] << 24);
}

/* Column of an output in the padded third layer. */
static inline int net_column(int values, int output) {
    return output < values ? output : NET_BLOCK + output - values;
}

/* Repack [from][to] into blocks; returns the next position in the file. */
static inline const uint8_t *net_pack(const uint8_t *file, int from, int to, int values,
                                      int16_t *blocks) {
    for (int i = 0; i < from; i++)
        for (int j = 0; j < to; j++, file += 2) {
            int column = net_column(values, j);
            size_t block = (size_t)(column / NET_BLOCK) * (size_t)from * NET_BLOCK;
            blocks[block + (size_t)(i / 2) * 2 * NET_BLOCK
                   + (size_t)(2 * (column % NET_BLOCK) + i % 2)] = net_read16(file);
        }
    return file;
}

static inline size_t net_rounded(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

/* Fill in *net (allocated here, net_free() gives it back) from a payload of exactly
 * net_payload_bytes(); the shape must be allowed. 0, or -1 without memory. */
static inline int net_init(Net *net, int inputs, int hidden1, int hidden2, int players, int policy,
                           const uint8_t *payload, const NetKernel *kernel) {
    int values = NET_VALUES_PER_SEAT * players;
    int columns = NET_BLOCK + (policy + NET_BLOCK - 1) / NET_BLOCK * NET_BLOCK;
    size_t h1 = (size_t)hidden1, h2 = (size_t)hidden2, wide = (size_t)columns;
    size_t at_b1 = net_rounded(2 * (size_t)inputs * h1), at_w2 = at_b1 + net_rounded(2 * h1);
    size_t at_b2 = at_w2 + net_rounded(2 * h1 * h2), at_w3 = at_b2 + net_rounded(4 * h2);
    size_t at_b3 = at_w3 + net_rounded(2 * h2 * wide), size = at_b3 + net_rounded(4 * wide);
    void *memory = calloc(1, size + 64);
    if (memory == NULL) return -1;
    uint8_t *base = (uint8_t *)memory + (64 - (uintptr_t)memory % 64) % 64;
    *net = (Net){
        .inputs = inputs, .hidden1 = hidden1, .hidden2 = hidden2, .players = players,
        .policy = policy, .values = values, .kernel = kernel, .memory = memory,
        .w1 = (int16_t *)(void *)base, .b1 = (int16_t *)(void *)(base + at_b1),
        .w2 = (int16_t *)(void *)(base + at_w2), .b2 = (int32_t *)(void *)(base + at_b2),
        .w3 = (int16_t *)(void *)(base + at_w3), .b3 = (int32_t *)(void *)(base + at_b3),
    };
    const uint8_t *file = payload;
    for (size_t i = 0; i < (size_t)inputs * h1; i++, file += 2) net->w1[i] = net_read16(file);
    for (size_t i = 0; i < h1; i++, file += 2) net->b1[i] = net_read16(file);
    file = net_pack(file, hidden1, hidden2, hidden2, net->w2);
    for (size_t i = 0; i < h2; i++, file += 4) net->b2[i] = net_read32(file);
    file = net_pack(file, hidden2, values + policy, values, net->w3);
    for (int i = 0; i < values + policy; i++, file += 4)
        net->b3[net_column(values, i)] = net_read32(file);
    return 0;
}

static inline void net_free(Net *net) {
    free(net->memory);
    memset(net, 0, sizeof *net);
}

/* -------------------------------------------------------------------------------------- running */

/* The accumulator of some inputs, hidden1 numbers, for net_hidden_from(). */
static inline void net_part(const Net *net, const uint16_t *inputs, int n, int16_t *part) {
    net->kernel->first(net, inputs, n, NULL, 0, part);
}

/* Both hidden layers, from accumulators made before and from further inputs: `inputs`: n numbers
 * below net->inputs, repeats count; a2: hidden2 numbers. */
static inline void net_hidden_from(const Net *net, const int16_t *const *parts, int count,
                                   const uint16_t *inputs, int n, int16_t *a2) {
    int16_t a1[NET_MAX_HIDDEN1];
    int32_t sums[NET_MAX_HIDDEN2];
    net->kernel->first(net, inputs, n, parts, count, a1);
    net->kernel->dense(net->w2, net->b2, a1, net->hidden1 / 2, net->hidden2 / NET_BLOCK, sums);
    net->kernel->squash(sums, net->hidden2, a2);
}

/* Both hidden layers from inputs alone. */
static inline void net_hidden(const Net *net, const uint16_t *inputs, int n, int16_t *a2) {
    const int16_t *none = NULL;
    net_hidden_from(net, &none, 0, inputs, n, a2);
}

/* Sums of blocks of the third layer. */
static inline void net_blocks(const Net *net, const int16_t *a2, int block, int blocks,
                              int32_t *sums) {
    net->kernel->dense(net->w3 + (size_t)block * (size_t)net->hidden2 * NET_BLOCK,
                       net->b3 + block * NET_BLOCK, a2, net->hidden2 / 2, blocks, sums);
}

/* Outputs first..first + count - 1 of the policy, as sums (table NULL) or as entries of the table
 * (out NULL). Whole blocks are computed; the least work is a range that begins and ends at
 * multiples of 16. */
static inline void net_policy_range(const Net *net, const int16_t *a2, int first, int count,
                                    int32_t *out, int16_t *table) {
    int32_t sums[NET_CHUNK * NET_BLOCK];
    int skip = first % NET_BLOCK, block = first / NET_BLOCK;
    while (count > 0) {
        int blocks = (skip + count + NET_BLOCK - 1) / NET_BLOCK;
        if (blocks > NET_CHUNK) blocks = NET_CHUNK;
        int ready = blocks * NET_BLOCK - skip;
        if (ready > count) ready = count;
        net_blocks(net, a2, 1 + block, blocks, sums);
        if (table != NULL) {
            net->kernel->entries(sums + skip, ready, table);
            table += ready;
        } else {
            memcpy(out, sums + skip, sizeof *out * (size_t)ready);
            out += ready;
        }
        block += blocks;
        count -= ready;
        skip = 0;
    }
}

/* The 3 * players value outputs (win, lead, gain by relative seat), in units of 2^-22. */
static inline void net_values(const Net *net, const int16_t *a2, int32_t *out) {
    int32_t sums[NET_BLOCK];
    net_blocks(net, a2, 0, 1, sums);
    memcpy(out, sums, sizeof *out * (size_t)net->values);
}

/* Outputs first..first + count - 1, numbered as in the file: values, then policy. Any range within
 * 0..values + policy; exactly `count` numbers are written. */
static inline void net_outputs(const Net *net, const int16_t *a2, int first, int count,
                               int32_t *out) {
    if (first < net->values && count > 0) {
        int32_t sums[NET_BLOCK];
        int n = net->values - first < count ? net->values - first : count;
        net_blocks(net, a2, 0, 1, sums);
        memcpy(out, sums + first, sizeof *out * (size_t)n);
        out += n;
        first += n;
        count -= n;
    }
    net_policy_range(net, a2, first - net->values, count, out, NULL);
}

/* Entries first..first + count - 1 of the policy table: FEATURES of the policy, not outputs. The
 * entry of feature `first` goes to table[0]; exactly `count` entries are written. */
static inline void net_policy_table(const Net *net, const int16_t *a2, int first, int count,
                                    int16_t *table) {
    net_policy_range(net, a2, first, count, NULL, table);
}

#endif
