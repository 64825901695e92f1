/* SPDX-License-Identifier: Apache-2.0 */
/* What vector.c's functions call for lanes one by one, by name. */
#include "jit/llvm.h"
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
