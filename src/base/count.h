/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on sizes and counts that every room needs: the smaller and the larger of two, a number
 * kept between limits, quotients and multiples that are rounded up. Each argument is evaluated
 * once. None checks for overflow. */
#ifndef JG_BASE_COUNT_H
#define JG_BASE_COUNT_H

#include <stddef.h>
#include <stdint.h>

enum { COUNT_LINE_NBYTES = 64 };

/* A type's functions. NAME_clamp gives low where high is below it. */
#define COUNT_FUNCTIONS(TYPE, NAME)                                                                \
    static inline TYPE NAME##_min(TYPE x, TYPE y)                                                  \
    {                                                                                              \
        return x < y ? x : y;                                                                      \
    }                                                                                              \
    static inline TYPE NAME##_max(TYPE x, TYPE y)                                                  \
    {                                                                                              \
        return x > y ? x : y;                                                                      \
    }                                                                                              \
    static inline TYPE NAME##_clamp(TYPE x, TYPE low, TYPE high)                                   \
    {                                                                                              \
        return x < low || high < low ? low : x < high ? x : high;                                  \
    }

COUNT_FUNCTIONS(int, int)
COUNT_FUNCTIONS(unsigned, uint)
COUNT_FUNCTIONS(int64_t, int64)
COUNT_FUNCTIONS(size_t, size)

/* x / size, rounded up: the pieces of that size that x takes. size: at least 1. */
static inline int64_t ceil_div(int64_t x, int64_t size)
{
    return x / size + (x % size > 0);
}

/* The least multiple of step that is not below x. step: at least 1. */
static inline int64_t round_up(int64_t x, int64_t step)
{
    return ceil_div(x, step) * step;
}

/* The same for sizes in bytes. */
static inline size_t size_ceil_div(size_t nbytes, size_t size)
{
    return (nbytes + size - 1) / size;
}

static inline size_t size_round_up(size_t nbytes, size_t step)
{
    return size_ceil_div(nbytes, step) * step;
}

/* The bytes of the cache lines that a block takes: where blocks lie one behind the other, each
 * begins with a line of its own, which vectors may write up to the end. */
static inline size_t size_whole_lines(size_t nbytes)
{
    return size_round_up(nbytes, COUNT_LINE_NBYTES);
}

#endif
