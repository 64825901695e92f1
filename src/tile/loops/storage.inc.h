/* SPDX-License-Identifier: Apache-2.0 */
/* Casts of the dtypes that are stored and not computed with, from and to float64 and complex128,
 * and their copies, by the functions of math/stored.inc.h. */

#define STORED_CASTS(NAME, T)                                                                      \
    CAST_LOOP(NAME, T, FLOAT64, double, f64_of_##NAME(x))                                          \
    CAST_LOOP(FLOAT64, double, NAME, T, NAME##_of_f64(x))                                          \
    COPY(NAME, T)
#define JG_SMALL_FLOAT(NAME, E, M, bias, specials) STORED_CASTS(NAME, uint8_t)
#include "tensor/small_float.def"
#undef JG_SMALL_FLOAT
STORED_CASTS(FLOAT8_E8M0FNU, uint8_t)
STORED_CASTS(FLOAT128, word128)

/* complex32 is pairs of float16. */
COPY(COMPLEX32, uint32_t)

static void COMPLEX32_AS_COMPLEX128(void *dst, const void *a, const void *b, const void *c,
                                    int64_t n)
{
    FLOAT16_AS_FLOAT64(dst, a, b, c, 2 * n);
}

static void COMPLEX128_AS_COMPLEX32(void *dst, const void *a, const void *b, const void *c,
                                    int64_t n)
{
    FLOAT64_AS_FLOAT16(dst, a, b, c, 2 * n);
}

/* Dtypes that are converted through float64. */
#define STORED_FLOATS(X)                                                                           \
    X(FLOAT128), X(FLOAT8_E3M4), X(FLOAT8_E4M3), X(FLOAT8_E4M3B11FNUZ), X(FLOAT8_E4M3FN),          \
        X(FLOAT8_E4M3FNUZ), X(FLOAT8_E5M2), X(FLOAT8_E5M2FNUZ), X(FLOAT8_E8M0FNU)

#define COPY_OF(NAME) ENTRY(COPY, NAME)
#define FLOAT64_AS(NAME) CAST_ENTRY(FLOAT64, NAME)
#define STORED_ROW(FROM, TO)                                                                       \
    [JG_DTYPE_##FROM] = {CAST_ENTRY(FROM, TO), [JG_DTYPE_##FROM] = COPY_##FROM}
#define STORED_FLOAT_ROW(FROM) STORED_ROW(FROM, FLOAT64)

#define COPIES_OF_STORED ENTRY(COPY, COMPLEX32), STORED_FLOATS(COPY_OF)
#define FLOAT64_AS_STORED STORED_FLOATS(FLOAT64_AS)
#define STORED_ROWS STORED_ROW(COMPLEX32, COMPLEX128), STORED_FLOATS(STORED_FLOAT_ROW)
