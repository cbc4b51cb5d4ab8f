/* What comes straight from the system: large blocks of memory, and the time.
 *
 * A search tree is tens or hundreds of MiB that live for one search. malloc() keeps what a thread
 * frees for that thread, so an engine whose searches run in many threads would hold several trees
 * that nobody uses; pages that were mapped go back at once. Where there is no mmap(), calloc()
 * serves. There are no rules here. */
#ifndef PAVILION_SYSTEM_H
#define PAVILION_SYSTEM_H

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif
#endif

#define LARGE_BLOCK ((size_t)16 << 20)

/* `bytes` bytes of zeros, aligned for any type; NULL without memory. A page is really allocated
 * only when it is first touched. */
static inline void *pages_take(size_t bytes) {
#ifdef MAP_ANONYMOUS
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return NULL;
#ifdef MADV_HUGEPAGE
    if (bytes >= LARGE_BLOCK) madvise(block, bytes, MADV_HUGEPAGE);
#endif
    return block;
#else
    return calloc(1, bytes);
#endif
}

/* Give back a block of pages_take() with the same `bytes`; NULL is allowed. */
static inline void pages_give(void *block, size_t bytes) {
#ifdef MAP_ANONYMOUS
    if (block != NULL)
        munmap(block, bytes);
#else
    (void)bytes;
    free(block);
#endif
}

/* Seconds on the clock of Python's time.monotonic(), whose readings are given as deadlines. Python
 * tells it from 3.13 on. Before, it was the system's ticks on Windows, and on macOS the time without
 * that asleep; other clocks of theirs may be far from it. CLOCK_STEP is by how much two readings may
 * differ though hardly any time has passed. */
#define CLOCK_STEP 0.0
#if PY_VERSION_HEX >= 0x030D0000
static inline double monotonic_seconds(void) {
    PyTime_t now;
    PyTime_MonotonicRaw(&now);
    return 1e-9 * (double)now;
}
#elif defined(_WIN32)
__declspec(dllimport) unsigned long long __stdcall GetTickCount64(void);  /* without windows.h */

static inline double monotonic_seconds(void) { return 1e-3 * (double)GetTickCount64(); }
#undef CLOCK_STEP
#define CLOCK_STEP 0.016
#elif defined(__APPLE__)
static inline double monotonic_seconds(void) {
    return 1e-9 * (double)clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
}
#else
static inline double monotonic_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
#endif

#endif
