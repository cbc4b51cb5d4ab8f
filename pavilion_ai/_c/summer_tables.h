/* Constant tables of Azul: Summer Pavilion (sections are those of the rules specification).
 *
 * Numbering inside the core. A colour is numbered by the site of its star on the coloured side,
 * clockwise from W: purple 0, orange 1, red 2, blue 3, yellow 4, green 5 (A2). So colour c
 * belongs on outer site c, and no table is needed between a hand and a board. The wild order
 * (P G O Y B R) is used only at the Python boundary.
 *
 * A board is 6 bytes, byte p-1 for position p, bit s of it for site s (6 is the centre star):
 * on the coloured side byte n-1 is thus the set of stars whose space numbered n is filled. */
#ifndef PAVILION_SUMMER_TABLES_H
#define PAVILION_SUMMER_TABLES_H

#include <stdint.h>

#define ROW_1 0x0000010101010101ULL      /* bit 0 of the six position bytes */
#define ROW_OUTER 0x00003F3F3F3F3F3FULL  /* the 36 spaces of the outer stars */
#define SUMMER_SPACES 0x7F7F7F7F7F7FULL  /* the bits of a board that are spaces */

/* A2: colour of each number in wild order (the wild colour of round r has index r-1), and its
 * inverse. */
static const uint8_t SUMMER_WILD_ORDER[6] = {0, 5, 1, 4, 3, 2};
static const uint8_t SUMMER_WILD_INDEX[6] = {0, 2, 5, 4, 3, 1};

/* A2, A10: points for a full star of one colour, by colour; a star of six colours. */
static const uint8_t STAR_POINTS[6] = {20, 17, 14, 15, 16, 18};
#define MIXED_STAR_POINTS 12
/* A10: points when every space with the number 1, 2, 3, 4 is covered. */
static const uint8_t NUMBER_POINTS[4] = {4, 8, 12, 16};

/* A3.2: printed number by position; the grey centre star has 3 everywhere. */
static const uint8_t COST[2][2][6] = {
    {{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}},  /* coloured: outer, centre */
    {{3, 2, 1, 4, 5, 6}, {3, 3, 3, 3, 3, 3}},  /* grey */
};

/* Tables that follow from formulas; filled once by summer_tables_init(). */
static uint64_t PAYABLE[6][32];         /* [colour][h]: bit `colour` of bytes 0..min(h,6)-1 */
static uint8_t CHAIN[64][6];            /* A7.4: [ring pattern with the new space][position-1] */
static uint64_t FEATURE_MASK[48][2];    /* A3.3: [space bit]: what the space borders, 0 for none */
static uint8_t FEATURE_TILES[48][2];
static uint8_t FEATURE_INDEX[48][2];    /* index in FEATURES */
static uint64_t FEATURES[18];           /* pillars 0-5, statues 6-11, windows 12-17 */
static uint8_t COLOURED_STARS[128];     /* A10: [set of full stars]: points */
static uint8_t DRAFT_SOURCE[64];        /* [6 * source + colour] */
static uint8_t DRAFT_COLOUR[64];

static inline int space_bit(int site, int position) { return 8 * (position - 1) + site; }

static inline uint64_t space_mask(int site, int position) {
    return 1ULL << space_bit(site, position);
}

static void summer_tables_init(void) {
    for (int bit = 0; bit < 64; bit++) {
        DRAFT_SOURCE[bit] = (uint8_t)(bit / 6);
        DRAFT_COLOUR[bit] = (uint8_t)(bit % 6);
    }
    for (int h = 0; h < 32; h++)
        for (int c = 0; c < 6; c++) {
            PAYABLE[c][h] = 0;
            for (int j = 0; j < h && j < 6; j++) PAYABLE[c][h] |= 1ULL << (8 * j + c);
        }
    for (int pattern = 0; pattern < 64; pattern++)
        for (int p = 0; p < 6; p++) {
            int length = 1;
            int forward = 1, backward = 1;
            while (forward < 6 && (pattern >> ((p + forward) % 6) & 1)) forward++;
            while (backward < 6 && (pattern >> ((p + 6 - backward) % 6) & 1)) backward++;
            length += forward - 1 + backward - 1;
            CHAIN[pattern][p] = (uint8_t)(length > 6 ? 6 : length);
        }
    for (int k = 0; k < 6; k++) {
        int next = (k + 1) % 6, a = (k + 4) % 6 + 1, b = (k + 5) % 6 + 1;
        FEATURES[k] = space_mask(k, 2) | space_mask(k, 3) | space_mask(6, a) | space_mask(6, b);
        FEATURES[6 + k] = space_mask(k, 1) | space_mask(k, 2) | space_mask(next, 3)
                        | space_mask(next, 4);
        FEATURES[12 + k] = space_mask(k, 5) | space_mask(k, 6);
    }
    for (int bit = 0; bit < 48; bit++) {
        int found = 0;
        FEATURE_MASK[bit][0] = FEATURE_MASK[bit][1] = 0;
        FEATURE_TILES[bit][0] = FEATURE_TILES[bit][1] = 0;
        for (int f = 0; f < 18; f++)
            if (FEATURES[f] >> bit & 1) {
                FEATURE_MASK[bit][found] = FEATURES[f];
                FEATURE_TILES[bit][found] = (uint8_t)(f / 6 + 1);
                FEATURE_INDEX[bit][found] = (uint8_t)f;
                found++;
            }
    }
    for (int set = 0; set < 128; set++) {
        int points = set >> 6 & 1 ? MIXED_STAR_POINTS : 0;
        for (int s = 0; s < 6; s++)
            if (set >> s & 1) points += STAR_POINTS[s];
        COLOURED_STARS[set] = (uint8_t)points;
    }
}

#endif
