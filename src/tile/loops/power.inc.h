/* SPDX-License-Identifier: Apache-2.0 */
/* Powers with one exponent for the whole tile. It is most often 2, for which vector_power.h
 * computes products. */

#define POWER_RUN 128
#define SCALAR_POWER(NAME, T, WRAP)                                                                \
    UNARY(SQUARE, NAME, T, T, (WRAP)x *(WRAP)x)                                                    \
    static void POWER_Y_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n)  \
    {                                                                                              \
        const T *xs = a;                                                                           \
        T *to = dst, ys[POWER_RUN];                                                                \
        if (n > 0 && *(const T *)b == 2) {                                                         \
            SQUARE_##NAME(dst, a, b, c, n);                                                        \
            return;                                                                                \
        }                                                                                          \
        for (int64_t i = 0; i < POWER_RUN && i < n; ++i)                                           \
            ys[i] = *(const T *)b;                                                                 \
        for (; n > 0; n -= POWER_RUN, to += POWER_RUN, xs += POWER_RUN)                            \
            POWER_##NAME(to, xs, ys, c, int64_min(n, POWER_RUN));                                  \
    }
SCALAR_POWER(FLOAT32, float, float)
SCALAR_POWER(FLOAT64, double, double)
SCALAR_POWER(INT32, int32_t, uint32_t)
SCALAR_POWER(INT64, int64_t, uint64_t)
