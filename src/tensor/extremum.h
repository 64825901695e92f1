/* SPDX-License-Identifier: Apache-2.0 */
/* The largest or smallest of many floats, for the loops of several rooms: lanes that compilers keep
 * in vector registers. NaN is searched for separately, as vector maxima ignore it. */
#ifndef JG_TENSOR_EXTREMUM_H
#define JG_TENSOR_EXTREMUM_H

#include <stdbool.h>
#include <stdint.h>

/* LANES: elements of the long loop's accumulators. LONG: from this many elements on it is used.
 * AHEAD: distance in bytes of prefetches. */
enum { EXTREMUM_LANES = 64, EXTREMUM_LONG = 192, EXTREMUM_AHEAD = 8192 };

/* Keeps the compiler from unrolling short loops before it vectorises them. */
#if defined __clang__
#define EXTREMUM_LOOP
#else
#define EXTREMUM_LOOP _Pragma("GCC unroll 1")
#endif

/* A comparison and a choice, which compilers make one instruction of maximum: it gives y where
 * either is NaN. */
#define EXTREMUM_OF(relation, x, y) ((x)relation(y) ? (x) : (y))

#define EXTREMUM_FOLD(relation, best, half)                                                        \
    for (int k = 0; k < (half); ++k)                                                               \
        (best)[k] = EXTREMUM_OF(relation, (best)[k + (half)], (best)[k]);

/* Defines T name_LANES(xs, n, &has_nan), for n >= LANES. Blocks may overlap, and the last one
 * does. */
#define EXTREMUM_BLOCKS(name, T, BITS, relation, LANES)                                            \
    static inline T name##_##LANES(const T *xs, int64_t n, bool *has_nan)                          \
    {                                                                                              \
        T best[LANES];                                                                             \
        BITS odd[(LANES) / 2] = {0}, any = 0;                                                      \
        EXTREMUM_LOOP for (int k = 0; k < (LANES); ++k) best[k] = xs[k];                           \
        for (int64_t i = 0; i < n; i += (LANES)) {                                                 \
            const T *x = xs + (i + (LANES) <= n ? i : n - (LANES));                                \
            for (int k = 0; k < (LANES); k += 64 / (int)sizeof(T))                                 \
                __builtin_prefetch((const char *)(x + k) + EXTREMUM_AHEAD);                        \
            EXTREMUM_LOOP for (int k = 0; k < (LANES) / 2; ++k)                                    \
            {                                                                                      \
                T left = x[k], right = x[k + (LANES) / 2];                                         \
                best[k] = EXTREMUM_OF(relation, left, best[k]);                                    \
                best[k + (LANES) / 2] = EXTREMUM_OF(relation, right, best[k + (LANES) / 2]);       \
                odd[k] |= __builtin_isunordered(left, right);                                      \
            }                                                                                      \
        }                                                                                          \
        if ((LANES) == EXTREMUM_LANES) {                                                           \
            EXTREMUM_FOLD(relation, best, (LANES) / 2)                                             \
            EXTREMUM_FOLD(relation, best, (LANES) / 4)                                             \
        }                                                                                          \
        EXTREMUM_FOLD(relation, best, 8)                                                           \
        EXTREMUM_FOLD(relation, best, 4)                                                           \
        EXTREMUM_FOLD(relation, best, 2)                                                           \
        EXTREMUM_LOOP for (int k = 0; k < (LANES) / 2; ++k) any |= odd[k];                         \
        *has_nan = any;                                                                            \
        return EXTREMUM_OF(relation, best[1], best[0]);                                            \
    }

/* Defines T name(xs, n, &has_nan), for n >= 1; the result is undefined if there is a NaN. BITS is
 * an integer as wide as T. */
#define EXTREMUM_FUNCTION(name, T, BITS, relation)                                                 \
    EXTREMUM_BLOCKS(name, T, BITS, relation, 64)                                                   \
    EXTREMUM_BLOCKS(name, T, BITS, relation, 16)                                                   \
    static inline T name(const T *xs, int64_t n, bool *has_nan)                                    \
    {                                                                                              \
        T best = xs[0];                                                                            \
        BITS odd = 0;                                                                              \
        if (n >= EXTREMUM_LONG)                                                                    \
            return name##_64(xs, n, has_nan);                                                      \
        if (n >= 16)                                                                               \
            return name##_16(xs, n, has_nan);                                                      \
        for (int64_t i = 0; i < n; ++i) {                                                          \
            best = EXTREMUM_OF(relation, xs[i], best);                                             \
            odd |= xs[i] != xs[i];                                                                 \
        }                                                                                          \
        *has_nan = odd;                                                                            \
        return best;                                                                               \
    }

#endif
