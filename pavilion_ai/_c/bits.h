/* Small integer helpers that C offers and Cython does not.
 *
 * There are no rules here. Every function is pure integer arithmetic, so results are the same
 * bits on every machine; the population count is written out because the baseline x86-64
 * instruction set has none and the compiler's fallback is a function call. */
#ifndef PAVILION_BITS_H
#define PAVILION_BITS_H

#include <stdint.h>
#include "compiler.h"

#define BYTES_01 0x0101010101010101ULL
#define BYTES_0F 0x0F0F0F0F0F0F0F0FULL
#define BYTES_33 0x3333333333333333ULL
#define BYTES_55 0x5555555555555555ULL
#define BYTES_80 0x8080808080808080ULL

/* The bits that at least two of three words have: the carry of their sum, bit by bit. */
static inline uint64_t two_of_three(uint64_t x, uint64_t y, uint64_t z) {
    return (x & y) | (z & (x ^ y));
}

/* Set bits of each byte of x, byte by byte. */
static inline uint64_t byte_counts(uint64_t x) {
    x -= (x >> 1) & BYTES_55;
    x = (x & BYTES_33) + ((x >> 2) & BYTES_33);
    return (x + (x >> 4)) & BYTES_0F;
}

/* Set bits of each byte of x plus those of y, byte by byte (at most 12 in a byte, so that the
 * nibbles of both may be added before they are folded: at most 6 bits of a byte may be set). */
static inline uint64_t byte_counts2(uint64_t x, uint64_t y) {
    x -= (x >> 1) & BYTES_55;
    x = (x & BYTES_33) + ((x >> 2) & BYTES_33);
    y -= (y >> 1) & BYTES_55;
    y = (y & BYTES_33) + ((y >> 2) & BYTES_33);
    x += y;
    return (x + (x >> 4)) & BYTES_0F;
}

static inline int popcount64(uint64_t x) { return (int)((byte_counts(x) * BYTES_01) >> 56); }

/* [byte][rank]: index of the set bit that has `rank` set bits below it; filled by bits_init(). A
 * table, because the length of a loop over the bits is unpredictable. */
static uint8_t SELECT_IN_BYTE[256][8];

/* [x][i]: bit i of x. Copying a row takes fewer steps than going through the bits. */
static uint8_t BITS_AS_BYTES[64][8];
static int16_t BITS_AS_COUNTS[64][8];

static inline void bits_init(void) {
    for (int byte = 0; byte < 256; byte++)
        for (int bit = 0, rank = 0; bit < 8; bit++)
            if (byte >> bit & 1) SELECT_IN_BYTE[byte][rank++] = (uint8_t)bit;
    for (int x = 0; x < 64; x++)
        for (int i = 0; i < 8; i++) {
            BITS_AS_BYTES[x][i] = (uint8_t)(x >> i & 1);
            BITS_AS_COUNTS[x][i] = (int16_t)(x >> i & 1);
        }
}

/* Index of the set bit of x, below 256, that has exactly `rank` set bits below it. */
static inline int select_in_byte(unsigned x, unsigned rank) { return SELECT_IN_BYTE[x][rank]; }

/* Index of the set bit of x that has exactly `rank` set bits below it; `sums` are the running sums
 * of its byte_counts. x must have more than `rank` set bits. */
static inline int select_with_sums(uint64_t x, uint64_t sums, unsigned rank) {
    uint64_t above = ((rank * BYTES_01) | BYTES_80) - sums;          /* bit 7: sums <= rank */
    int shift = lowest_bit(~above & BYTES_80) - 7;                   /* 8 * byte */
    rank -= (unsigned)((sums << 8) >> shift) & 0xFF;
    return shift + SELECT_IN_BYTE[x >> shift & 0xFF][rank & 7];
}

static inline int select_bit(uint64_t x, unsigned rank) {
    return select_with_sums(x, byte_counts(x) * BYTES_01, rank);
}

/* Index of a set bit of x (not 0), uniformly, from 64 random bits. */
static inline int random_bit(uint64_t x, uint64_t random) {
    uint64_t low, sums = byte_counts(x) * BYTES_01;
    return select_with_sums(x, sums, (unsigned)multiply_high(random, sums >> 56, &low));
}

#endif
