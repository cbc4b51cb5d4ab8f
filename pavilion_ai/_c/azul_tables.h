/* Constant tables of base Azul; sections of the rules specification are cited. */
#ifndef PAVILION_AZUL_TABLES_H
#define PAVILION_AZUL_TABLES_H

#include <stdint.h>

#define EVERY_ROW 0x108421U                     /* bit 5 * row */
#define EVERY_COLOUR 0x1041041U                 /* bit 6 * colour, five colours */
#define EVERY_SOURCE 0x0041041041041041ULL      /* bit 6 * source, ten sources */

static const uint8_t AZUL_ORDER[5] = {0, 1, 2, 3, 4};  /* B Y R K W, as the lanes */

/* B2: points lost, by the number of occupied floor spaces. */
static const uint8_t FLOOR_PENALTY[8] = {0, 1, 2, 4, 6, 8, 11, 14};

/* Number of bits set. */
static const uint8_t ONES[32] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                 1, 2, 2, 3, 2, 3, 3, 4, 2, 3, 3, 4, 3, 4, 4, 5};

/* [sum of the squares of the counts of a display's four tiles]: 0 four alike, 1 three, 2 two pairs,
 * 3 one pair, 4 all different. */
static const uint8_t DISPLAY_SHAPE[17] = {0, 0, 0, 0, 4, 0, 3, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0};

/* Number of bits up to the highest one set. */
static const uint8_t LENGTH[32] = {0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4,
                                   5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};

/* [row as 5 bits][place]: length of the unbroken run through an occupied place, 0 if it is empty
 * (B6). */
static const uint8_t RUN[32][5] = {
    {0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {2, 2, 0, 0, 0},
    {0, 0, 1, 0, 0}, {1, 0, 1, 0, 0}, {0, 2, 2, 0, 0}, {3, 3, 3, 0, 0},
    {0, 0, 0, 1, 0}, {1, 0, 0, 1, 0}, {0, 1, 0, 1, 0}, {2, 2, 0, 1, 0},
    {0, 0, 2, 2, 0}, {1, 0, 2, 2, 0}, {0, 3, 3, 3, 0}, {4, 4, 4, 4, 0},
    {0, 0, 0, 0, 1}, {1, 0, 0, 0, 1}, {0, 1, 0, 0, 1}, {2, 2, 0, 0, 1},
    {0, 0, 1, 0, 1}, {1, 0, 1, 0, 1}, {0, 2, 2, 0, 1}, {3, 3, 3, 0, 1},
    {0, 0, 0, 2, 2}, {1, 0, 0, 2, 2}, {0, 1, 0, 2, 2}, {2, 2, 0, 2, 2},
    {0, 0, 3, 3, 3}, {1, 0, 3, 3, 3}, {0, 4, 4, 4, 4}, {5, 5, 5, 5, 5}};

/* [row as 5 bits][place]: run of two and more that a tile laid on an empty place would make. */
static const uint8_t JOINED[32][8] = {
    {0, 0, 0, 0, 0}, {0, 2, 0, 0, 0}, {2, 0, 2, 0, 0}, {0, 0, 3, 0, 0},
    {0, 2, 0, 2, 0}, {0, 3, 0, 2, 0}, {3, 0, 0, 3, 0}, {0, 0, 0, 4, 0},
    {0, 0, 2, 0, 2}, {0, 2, 2, 0, 2}, {2, 0, 3, 0, 2}, {0, 0, 4, 0, 2},
    {0, 3, 0, 0, 3}, {0, 4, 0, 0, 3}, {4, 0, 0, 0, 4}, {0, 0, 0, 0, 5},
    {0, 0, 0, 2, 0}, {0, 2, 0, 2, 0}, {2, 0, 2, 2, 0}, {0, 0, 3, 2, 0},
    {0, 2, 0, 3, 0}, {0, 3, 0, 3, 0}, {3, 0, 0, 4, 0}, {0, 0, 0, 5, 0},
    {0, 0, 3, 0, 0}, {0, 2, 3, 0, 0}, {2, 0, 4, 0, 0}, {0, 0, 5, 0, 0},
    {0, 4, 0, 0, 0}, {0, 5, 0, 0, 0}, {5, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};

#endif
