# Random numbers: xoshiro256** seeded by splitmix64 (Blackman and Vigna, public domain algorithms).
#
# One documented way to derive streams: rng_seed(seed, stream) runs splitmix64 from a
# mixed seed + stream * ODD, so equal pairs give equal streams and different pairs unrelated ones.

from libc.stdint cimport uint64_t
from pavilion_ai._c.bits cimport multiply_high

cdef extern from *:
    """
    #define SPLITMIX_STEP 0x9E3779B97F4A7C15ULL
    #define STREAM_STEP 0xD1342543DE82EF95ULL
    static inline uint64_t splitmix_mix(uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }
    """
    const uint64_t SPLITMIX_STEP
    const uint64_t STREAM_STEP
    uint64_t splitmix_mix(uint64_t z) noexcept nogil

ctypedef struct Xoshiro:
    uint64_t[4] word


cdef inline void rng_seed(Xoshiro* rng, uint64_t seed, uint64_t stream) noexcept nogil:
    """Start the stream numbered `stream` of the family `seed`."""
    cdef int i
    cdef uint64_t z = splitmix_mix(seed + SPLITMIX_STEP) + stream * STREAM_STEP
    for i in range(4):
        z += SPLITMIX_STEP
        rng.word[i] = splitmix_mix(z)


cdef inline bint rng_is_sound(const Xoshiro* rng) noexcept nogil:
    """Whether any 256 bits are a generator's: from zeros only zeros would follow."""
    return (rng.word[0] | rng.word[1] | rng.word[2] | rng.word[3]) != 0


cdef inline uint64_t rng_next(Xoshiro* rng) noexcept nogil:
    """64 uniform bits."""
    cdef uint64_t* s = rng.word
    cdef uint64_t five = s[1] * 5
    cdef uint64_t result = ((five << 7) | (five >> 57)) * 9
    cdef uint64_t t = s[1] << 17
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = (s[3] << 45) | (s[3] >> 19)
    return result


cdef inline uint64_t rng_below(Xoshiro* rng, uint64_t n) noexcept nogil:
    """A number in 0..n-1; the bias of the multiplication is below n / 2^64."""
    cdef uint64_t low
    return multiply_high(rng_next(rng), n, &low)
