/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that code calls: those of vector.c for single lanes, by name; and those of fold.c,
 * which find an extremum again. */
#include "jit/llvm/llvm.h"
#include "tensor/extremum.h"
#include <math.h>

/* y: NULL for a function of one operand. Results replace x. */
#define EACH_OF(name, T, value)                                                                    \
    static void name##_each(T *x, const T *y, uint64_t mask)                                       \
    {                                                                                              \
        (void)y;                                                                                   \
        for (; mask != 0; mask &= mask - 1) {                                                      \
            int i = __builtin_ctzll(mask);                                                         \
            x[i] = value;                                                                          \
        }                                                                                          \
    }
#define EACH_1(name, T) EACH_OF(name, T, name(x[i]))
#define EACH_2(name, T) EACH_OF(name, T, name(x[i], y[i]))
#define JG_LIBM(name, T, count) EACH_##count(name, T)
#include "math/libm.def"
#undef JG_LIBM

const jit_symbol jit_vector_symbols[] = {
#define JG_LIBM(name, T, count) {"libm_" #name "_each", (void *)name##_each},
#include "math/libm.def"
#undef JG_LIBM
    {NULL, NULL},
};

#define ROWS_EXTREMUM(name, relation, first)                                                       \
    EXTREMUM_FUNCTION(name##_of_tile, float, int32_t, relation)                                    \
    float jit_rows_##name(const float *xs, int64_t n, int64_t tile)                                \
    {                                                                                              \
        float best = first;                                                                        \
        for (int64_t start = 0; start < n; start += tile) {                                        \
            bool has_nan;                                                                          \
            float own = name##_of_tile(xs + start, int64_min(tile, n - start), &has_nan);          \
            if (has_nan)                                                                           \
                return NAN;                                                                        \
            best = EXTREMUM_OF(relation, own, best);                                               \
        }                                                                                          \
        return best;                                                                               \
    }
ROWS_EXTREMUM(maximum, >, -INFINITY)
ROWS_EXTREMUM(minimum, <, INFINITY)
