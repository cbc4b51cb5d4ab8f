/* Multisets of tiles: six lanes of 10 bits in a 64-bit word, lane c for colour c. No count can
 * exceed 132, so lanes never meet, and adding words adds multisets. There are no rules here. */
#ifndef PAVILION_TILES_H
#define PAVILION_TILES_H

#include <stdint.h>

#define LANES_1 0x0004010040100401ULL    /* one in each lane */
#define LANES_HIGH (LANES_1 << 9)        /* the top bit of each lane */
#define LANES_ALL 0x0FFFFFFFFFFFFFFFULL  /* the 60 bits of the six lanes */

/* [h]: byte i is 1 for i = 0..min(h,4); filled once by tiles_init(). */
static uint64_t SUBSET_STEP[32];

static void tiles_init(void) {
    for (int h = 0; h < 32; h++) {
        SUBSET_STEP[h] = 0;
        for (int i = 0; i <= h && i <= 4; i++) SUBSET_STEP[h] |= 1ULL << (8 * i);
    }
}

#endif
