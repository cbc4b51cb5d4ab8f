# Declarations of together.h.

from libc.stdint cimport uint32_t, uint64_t

cdef extern from "together.h" nogil:
    const bint CAN_SHARE
    void LET_OTHERS_RUN() noexcept
    void raise_flag(volatile int* flag) noexcept
    bint flag_is_up(const volatile int* flag) noexcept
    uint64_t word_read(const void* word) noexcept
    void word_write(void* word, uint64_t value) noexcept
    uint64_t word_add(void* word, uint64_t summand) noexcept
    uint64_t part_read(const void* word) noexcept
    void part_write(void* word, uint64_t value) noexcept
    uint64_t link_read(const void* link) noexcept
    void link_write(void* link, uint64_t value) noexcept
    uint32_t count_read(const uint32_t* count) noexcept
    void count_write(uint32_t* count, uint32_t value) noexcept
    void count_add(uint32_t* count, uint32_t summand) noexcept
    double sum_read(const double* sum) noexcept
    void sum_add(double* sum, double summand) noexcept
    void lock_take(int* lock) noexcept
    void lock_give(int* lock) noexcept
