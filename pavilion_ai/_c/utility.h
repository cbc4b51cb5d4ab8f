/* Utility of a simulation's result for each seat. Plain floating-point arithmetic without library
 * functions or contraction, so that every machine computes the same bits. */
#ifndef PAVILION_UTILITY_H
#define PAVILION_UTILITY_H

#include <stdint.h>
#include <string.h>
#include "compiler.h"

/* e^x is 2^k times a polynomial in r = x - k log 2, |r| <= 0.3466; of a number or of a vector. */
#define EXP_LOG2_E 1.4426950408889634
#define EXP_LOG_2 0.6931471805599453
#define EXP_POLYNOMIAL(r) (1.0 + r * (1.0 + r * (1.0 / 2 + r * (1.0 / 6 + r * (1.0 / 24 \
    + r * (1.0 / 120 + r * (1.0 / 720 + r * (1.0 / 5040 + r * (1.0 / 40320)))))))))
#define EXP_LIMIT 40.0            /* x is kept between this and its negative */

/* e^x, relative error below 1e-9. */
static inline double exp_portable(double x) {
    if (x > EXP_LIMIT) x = EXP_LIMIT;
    if (x < -EXP_LIMIT) x = -EXP_LIMIT;
    double scaled = x * EXP_LOG2_E;
    int32_t k = (int32_t)(scaled + (scaled < 0 ? -0.5 : 0.5));
    double r = (scaled - k) * EXP_LOG_2;
    uint64_t bits = (uint64_t)(1023 + k) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return EXP_POLYNOMIAL(r) * power;
}

/* Win shares by seat: softmax of standing / scale, or the exact shares of the winners if scale is 0
 * (equal standings then share the victory, A10, B9). */
static inline void win_shares(const double *standing, int players, double scale, double *shares) {
    double best = standing[0], sum = 0;
    for (int s = 1; s < players; s++)
        if (standing[s] > best) best = standing[s];
    for (int s = 0; s < players; s++) {
        shares[s] = scale > 0 ? exp_portable((standing[s] - best) / scale)
                              : (standing[s] == best ? 1.0 : 0.0);
        sum += shares[s];
    }
    for (int s = 0; s < players; s++) shares[s] /= sum;
}

/* 1 / (1 + e^-x). */
static inline double logistic(double x) { return 1.0 / (1.0 + exp_portable(-x)); }

/* Squashed lead of a seat over the best other seat, in [0, 1]: 0.5 + 0.5 tanh(lead / width). */
static inline double squashed_lead(const double *scores, int players, int seat, double width) {
    double other = -1e9;
    for (int s = 0; s < players; s++)
        if (s != seat && scores[s] > other) other = scores[s];
    return logistic(2.0 * (scores[seat] - other) / width);
}

/* Utility of a seat, of its win share and its squashed lead. */
static inline double seat_utility(double win, double lead, double win_weight) {
    return win_weight * win + (1.0 - win_weight) * lead;
}

/* value / visits + bonus / (1 + visits): both quotients by one division of two numbers. */
static inline double mean_and_bonus(double value, double visits, double bonus) {
#if HAS_VECTORS
    typedef double Two VECTOR_OF_BYTES(16);
    const Two both = (Two){value, bonus} / (Two){visits, 1.0 + visits};
    return both[0] + both[1];
#else
    return value / visits + bonus / (1.0 + visits);
#endif
}

/* Logarithm to base 2 of x >= 1, exact at powers of two, straight in between. */
static inline double doublings(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t one = (uint64_t)1023 << 52;
    return (double)(bits - one) * (1.0 / ((uint64_t)1 << 52));
}

/* Square root by the hardware instruction, correctly rounded everywhere. */
static inline double square_root(double x) { return SQUARE_ROOT(x); }

#endif
