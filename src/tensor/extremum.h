/* SPDX-License-Identifier: Apache-2.0 */
/* The largest or smallest of many floats, for the kernels of several rooms: loops over lanes that
 * compilers keep in vector registers. NaN is looked for beside, as vector maxima pass over it. */
#ifndef JG_TENSOR_EXTREMUM_H
#define JG_TENSOR_EXTREMUM_H

#include <stdbool.h>
#include <stdint.h>

enum { EXTREMUM_LANES = 64, EXTREMUM_HALF = EXTREMUM_LANES / 2, EXTREMUM_AHEAD = 8192 };

#define EXTREMUM_OF(relation, x, y) ((x)relation(y) ? (x) : (y))

#define EXTREMUM_FOLD(relation, best, half)                                                        \
    for (int k = 0; k < (half); ++k)                                                               \
        (best)[k] = EXTREMUM_OF(relation, (best)[k + (half)], (best)[k]);

/* Defines T name(xs, n, &has_nan), for n >= 1; the result is of no use where there is a NaN. BITS is
 * an integer as wide as T. Blocks may overlap, and the last one does. */
#define EXTREMUM_FUNCTION(name, T, BITS, relation)                                                 \
    static inline T name(const T *xs, int64_t n, bool *has_nan)                                    \
    {                                                                                              \
        T best[EXTREMUM_LANES], few = xs[0];                                                       \
        BITS odd[EXTREMUM_HALF] = {0};                                                             \
        BITS any = 0;                                                                              \
        if (n < EXTREMUM_LANES) {                                                                  \
            for (int64_t i = 0; i < n; ++i) {                                                      \
                few = EXTREMUM_OF(relation, xs[i], few);                                           \
                any |= xs[i] != xs[i];                                                             \
            }                                                                                      \
            *has_nan = any;                                                                        \
            return few;                                                                            \
        }                                                                                          \
        for (int k = 0; k < EXTREMUM_LANES; ++k)                                                   \
            best[k] = xs[k];                                                                       \
        for (int64_t i = 0; i < n; i += EXTREMUM_LANES) {                                          \
            const T *x = xs + (i + EXTREMUM_LANES <= n ? i : n - EXTREMUM_LANES);                  \
            for (int k = 0; k < EXTREMUM_LANES; k += 64 / (int)sizeof(T))                          \
                __builtin_prefetch((const char *)(x + k) + EXTREMUM_AHEAD);                        \
            for (int k = 0; k < EXTREMUM_HALF; ++k) {                                              \
                T left = x[k], right = x[k + EXTREMUM_HALF];                                       \
                best[k] = EXTREMUM_OF(relation, left, best[k]);                                    \
                best[k + EXTREMUM_HALF] = EXTREMUM_OF(relation, right, best[k + EXTREMUM_HALF]);   \
                odd[k] |= __builtin_isunordered(left, right);                                      \
            }                                                                                      \
        }                                                                                          \
        EXTREMUM_FOLD(relation, best, 32)                                                          \
        EXTREMUM_FOLD(relation, best, 16)                                                          \
        EXTREMUM_FOLD(relation, best, 8)                                                           \
        EXTREMUM_FOLD(relation, best, 4)                                                           \
        EXTREMUM_FOLD(relation, best, 2)                                                           \
        for (int k = 0; k < EXTREMUM_HALF; ++k)                                                    \
            any |= odd[k];                                                                         \
        *has_nan = any;                                                                            \
        return EXTREMUM_OF(relation, best[1], best[0]);                                            \
    }

#endif
