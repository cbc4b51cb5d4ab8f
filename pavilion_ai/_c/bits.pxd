# Declarations of bits.h.

from libc.stdint cimport int16_t, uint8_t, uint64_t

cdef extern from "bits.h" nogil:
    const uint64_t BYTES_01
    const uint64_t BYTES_80
    const uint8_t[64][8] BITS_AS_BYTES     # [x][i]: bit i of x
    const int16_t[64][8] BITS_AS_COUNTS
    uint64_t two_of_three(uint64_t x, uint64_t y, uint64_t z) noexcept
    uint64_t byte_counts(uint64_t x) noexcept
    uint64_t byte_counts2(uint64_t x, uint64_t y) noexcept
    int popcount64(uint64_t x) noexcept
    int lowest_bit(uint64_t x) noexcept
    uint64_t multiply_high(uint64_t a, uint64_t b, uint64_t* low) noexcept
    int select_in_byte(unsigned int x, unsigned int rank) noexcept
    int select_bit(uint64_t x, unsigned int rank) noexcept
    int random_bit(uint64_t x, uint64_t random) noexcept
    void bits_init() noexcept
