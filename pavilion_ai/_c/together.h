/* What threads share: flags; and those that search one tree, words that they read and change as a
 * whole, sums to which all add, and a lock. A compiler without that has no teams (CAN_SHARE is 0, as
 * Python reads): then one thread searches. There are no rules here. */
#ifndef PAVILION_TOGETHER_H
#define PAVILION_TOGETHER_H

#include <stdint.h>
#include <string.h>
#include "compiler.h"

#if defined(_WIN32)
__declspec(dllimport) int __stdcall SwitchToThread(void);
#define LET_OTHERS_RUN() SwitchToThread()
#else
#include <sched.h>
#define LET_OTHERS_RUN() sched_yield()
#endif

/* A flag that one thread raises and others look at while they work. */
static inline void raise_flag(volatile int *flag) { SHARED_WRITE(flag, 1, RELAXED); }

static inline int flag_is_up(const volatile int *flag) { return SHARED_READ(flag, RELAXED); }

#if CAN_SHARE
typedef uint64_t MAY_ALIAS shared_word;

static inline uint64_t word_read(const void *word) {
    return SHARED_READ((const shared_word *)word, SEQ_CST);
}

static inline void word_write(void *word, uint64_t value) {
    SHARED_WRITE((shared_word *)word, value, SEQ_CST);
}

/* Add to a word; its value before. */
static inline uint64_t word_add(void *word, uint64_t summand) {
    return SHARED_ADD((shared_word *)word, summand, SEQ_CST);
}

/* A word that may be the work of two threads; the thread that reads it can tell. */
static inline uint64_t part_read(const void *word) {
    return SHARED_READ((const shared_word *)word, RELAXED);
}

static inline void part_write(void *word, uint64_t value) {
    SHARED_WRITE((shared_word *)word, value, RELAXED);
}

/* Two parts of a node that belong together. A reader sees what was written before. */
static inline uint64_t link_read(const void *link) {
    return SHARED_READ((const shared_word *)link, ACQUIRE);
}

static inline void link_write(void *link, uint64_t value) {
    SHARED_WRITE((shared_word *)link, value, RELEASE);
}

static inline uint32_t count_read(const uint32_t *count) {
    return SHARED_READ(count, RELAXED);
}

static inline void count_write(uint32_t *count, uint32_t value) {
    SHARED_WRITE(count, value, RELAXED);
}

static inline void count_add(uint32_t *count, uint32_t summand) {
    SHARED_ADD(count, summand, RELAXED);
}

static inline double sum_read(const double *sum) {
    uint64_t bits = SHARED_READ((const shared_word *)sum, RELAXED);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void sum_add(double *sum, double summand) {
    uint64_t before = SHARED_READ((const shared_word *)sum, RELAXED), after;
    double value;
    do {
        memcpy(&value, &before, sizeof value);
        value += summand;
        memcpy(&after, &value, sizeof value);
    } while (!SHARED_CHANGE((shared_word *)sum, &before, after));
}

static inline void lock_take(int *lock) {
    for (int looks = 0; SHARED_SWAP(lock, 1, ACQUIRE);)
        while (SHARED_READ(lock, RELAXED))
            if (++looks > 100) LET_OTHERS_RUN();
}

static inline void lock_give(int *lock) { SHARED_WRITE(lock, 0, RELEASE); }
#else
static inline uint64_t word_read(const void *word) {
    uint64_t value;
    memcpy(&value, word, sizeof value);
    return value;
}

static inline void word_write(void *word, uint64_t value) { memcpy(word, &value, sizeof value); }

static inline uint64_t word_add(void *word, uint64_t summand) {
    uint64_t before = word_read(word);
    word_write(word, before + summand);
    return before;
}

static inline uint64_t part_read(const void *word) { return word_read(word); }
static inline void part_write(void *word, uint64_t value) { word_write(word, value); }
static inline uint64_t link_read(const void *link) { return word_read(link); }
static inline void link_write(void *link, uint64_t value) { word_write(link, value); }
static inline uint32_t count_read(const uint32_t *count) { return *count; }
static inline void count_write(uint32_t *count, uint32_t value) { *count = value; }
static inline void count_add(uint32_t *count, uint32_t summand) { *count += summand; }
static inline double sum_read(const double *sum) { return *sum; }
static inline void sum_add(double *sum, double summand) { *sum += summand; }
static inline void lock_take(int *lock) { *lock = 1; }
static inline void lock_give(int *lock) { *lock = 0; }
#endif

#endif
