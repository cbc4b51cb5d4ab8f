# Declarations of system.h.

cdef extern from "system.h" nogil:
    void* pages_take(size_t bytes_) noexcept
    void pages_give(void* block, size_t bytes_) noexcept
    double monotonic_seconds() noexcept
