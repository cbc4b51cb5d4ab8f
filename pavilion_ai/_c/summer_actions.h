/* Tables of the numbered actions of Azul: Summer Pavilion (docs/environments.md).
 *
 * The 210 multisets of at most four tiles are numbered by size, and within a size in the order of
 * their sorted colours in wild order: -, P, G, ..., R, 2P, PG, ..., 2R, 3P, ... */
#ifndef PAVILION_SUMMER_ACTIONS_H
#define PAVILION_SUMMER_ACTIONS_H

#include <stdint.h>
#include "summer_tables.h"

#define SUMMER_MULTISETS 210
#define NIBBLES_HIGH 0x888888u           /* the top bit of each of six nibbles */

static uint64_t SUMMER_MULTISET[SUMMER_MULTISETS];          /* lanes */
static uint32_t SUMMER_MULTISET_NIBBLES[SUMMER_MULTISETS];  /* nibble c for colour c */
static uint8_t SUMMER_MULTISET_RANK[15625];                 /* [sum of count * 5^colour] */
static const uint16_t SUMMER_MULTISET_FIRST[6] = {0, 1, 7, 28, 84, 210};  /* by size */
/* The pairs of a printed number and own tiles paid, 1/1 2/1 2/2 3/1 ...: the number. */
static const uint8_t SUMMER_PAIR_NUMBER[21] = {1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5,
                                               5, 5, 5, 5, 6, 6, 6, 6, 6, 6};
static const uint8_t SUMMER_PAIR_FIRST[7] = {0, 0, 1, 3, 6, 10, 15};      /* by number */

static void summer_actions_init(void) {
    static const uint16_t power[6] = {1, 5, 25, 125, 625, 3125};
    int rank = 0;
    for (int size = 0; size <= 4; size++) {
        int sorted[4] = {0, 0, 0, 0};            /* indices in wild order, ascending */
        for (;;) {
            uint64_t lanes = 0;
            uint32_t nibbles = 0;
            int key = 0, i = size - 1;
            for (int k = 0; k < size; k++) {
                int colour = SUMMER_WILD_ORDER[sorted[k]];
                lanes += 1ULL << (10 * colour);
                nibbles += 1u << (4 * colour);
                key += power[colour];
            }
            SUMMER_MULTISET[rank] = lanes;
            SUMMER_MULTISET_NIBBLES[rank] = nibbles;
            SUMMER_MULTISET_RANK[key] = (uint8_t)rank++;
            while (i >= 0 && sorted[i] == 5) i--;
            if (i < 0) break;
            sorted[i]++;
            for (int k = i + 1; k < size; k++) sorted[k] = sorted[i];
        }
    }
}

#endif
