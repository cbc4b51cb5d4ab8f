# Sums of weights over binary features, and random picks by them: shared by the linear policies and
# evaluations of all games. Integers only, hence the same on every machine.

from libc.stdint cimport int16_t, uint16_t, uint64_t
from pavilion_ai._c.rng cimport Xoshiro, rng_next

cdef extern from "gumbel.h" nogil:
    const int16_t[256] GUMBEL       # quantiles of Gumbel noise, 1/256 nat

cdef enum:
    NO_LOGIT = -1000000     # below any sum of weights

ctypedef struct FeatureList:
    int count
    uint16_t[256] item

ctypedef struct Tally:
    # Receives features one by one: sums their weights, and lists them if a list is requested.
    const int16_t* weights
    FeatureList* items      # NULL: only the sum
    int sum


cdef inline Tally tally(const int16_t* weights, FeatureList* items) noexcept nogil:
    cdef Tally out
    out.weights = weights
    out.items = items
    out.sum = 0
    if items != NULL:
        items.count = 0
    return out


cdef inline void add(Tally* out, int feature) noexcept nogil:
    out.sum += out.weights[feature]
    if out.items != NULL:
        out.items.item[out.items.count] = <uint16_t> feature
        out.items.count += 1


cdef inline int at_most(int value, int limit) noexcept nogil:
    return value if value < limit else limit


cdef inline int next_noise(Xoshiro* rng, uint64_t* bits) noexcept nogil:
    """Gumbel noise from the next 8 of `bits`; adding it to logits makes their argmax a softmax.
    None without rng.

    A one above the 56 random bits marks their end: when it alone is left, they are used up.
    """
    cdef int noise
    if rng == NULL:
        return 0
    if bits[0] <= 1:
        bits[0] = (rng_next(rng) >> 8) | (<uint64_t> 1 << 56)
    noise = GUMBEL[bits[0] & 0xFF]
    bits[0] >>= 8
    return noise
