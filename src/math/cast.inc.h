/* SPDX-License-Identifier: Apache-2.0 */
/* CAST between every two dtypes, from one rule for each pair of kinds.
 *
 * Integers wrap. A float becomes the nearest whole number toward zero that the integer type has:
 * values beyond its range saturate, NaN gives 0 (as LLVM's fptosi.sat, for the other tier).
 * Anything but zero is true. Complex to real drops the imaginary part. */

/* The value is moved into the range before it is converted, as C leaves open what happens outside;
 * both limits are powers of two, so that comparing with them is exact. */
#define SATURATE(FROM, F, TO, T, lowest, limit, most)                                              \
    static inline T FROM##_to_##TO(F x)                                                            \
    {                                                                                              \
        F inside = x >= (F)(lowest) && x < (F)(limit) ? x : (F)0;                                  \
        T whole = (T)inside;                                                                       \
        whole = x < (F)(lowest) ? (T)(lowest) : whole;                                             \
        return x >= (F)(limit) ? (T)(most) : whole;                                                \
    }
#define SATURATE_ALL(FROM, F)                                                                      \
    SATURATE(FROM, F, INT8, int8_t, INT8_MIN, 0x1p7, INT8_MAX)                                     \
    SATURATE(FROM, F, INT16, int16_t, INT16_MIN, 0x1p15, INT16_MAX)                                \
    SATURATE(FROM, F, INT32, int32_t, INT32_MIN, 0x1p31, INT32_MAX)                                \
    SATURATE(FROM, F, INT64, int64_t, INT64_MIN, 0x1p63, INT64_MAX)                                \
    SATURATE(FROM, F, UINT8, uint8_t, 0, 0x1p8, UINT8_MAX)                                         \
    SATURATE(FROM, F, UINT16, uint16_t, 0, 0x1p16, UINT16_MAX)                                     \
    SATURATE(FROM, F, UINT32, uint32_t, 0, 0x1p32, UINT32_MAX)                                     \
    SATURATE(FROM, F, UINT64, uint64_t, 0, 0x1p64, UINT64_MAX)
FLOAT_DTYPES(SATURATE_ALL)

#ifndef CAST_LOOP
#define CAST_LOOP(FROM, F, TO, T, expression)                                                      \
    static void FROM##_AS_##TO(void *dst, const void *a, const void *b, const void *c, int64_t n)  \
    {                                                                                              \
        T *to = dst;                                                                               \
        const F *xs = a;                                                                           \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        EACH(i, n)                                                                                 \
        {                                                                                          \
            F x = xs[i];                                                                           \
            to[i] = expression;                                                                    \
        }                                                                                          \
    }

/* Half precision goes through float32, a run at a time that stays in registers or the first
 * cache. */
#define HALF_RUN 256
#define CAST_FROM_HALF(FROM, TO, T, expression)                                                    \
    static void FROM##_AS_##TO(void *dst, const void *a, const void *b, const void *c, int64_t n)  \
    {                                                                                              \
        T *to = dst;                                                                               \
        const uint16_t *xs = a;                                                                    \
        float run[HALF_RUN];                                                                       \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        for (; n > 0; n -= HALF_RUN, xs += HALF_RUN, to += HALF_RUN) {                             \
            int64_t count = int64_min(n, HALF_RUN);                                                \
            f32s_of_##FROM(run, xs, count);                                                        \
            EACH(i, count)                                                                         \
            {                                                                                      \
                float x = run[i];                                                                  \
                to[i] = expression;                                                                \
            }                                                                                      \
        }                                                                                          \
    }
/* The expression is a float32 that rounds once more without harm: exact, or odd
 * (math/half.inc.h). */
#define CAST_TO_HALF(FROM, F, TO, expression)                                                      \
    static void FROM##_AS_##TO(void *dst, const void *a, const void *b, const void *c, int64_t n)  \
    {                                                                                              \
        uint16_t *to = dst;                                                                        \
        const F *xs = a;                                                                           \
        float run[HALF_RUN];                                                                       \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        for (; n > 0; n -= HALF_RUN, xs += HALF_RUN, to += HALF_RUN) {                             \
            int64_t count = int64_min(n, HALF_RUN);                                                \
            EACH(i, count)                                                                         \
            {                                                                                      \
                F x = xs[i];                                                                       \
                run[i] = expression;                                                               \
            }                                                                                      \
            TO##_of_f32s(to, run, count);                                                          \
        }                                                                                          \
    }

#endif

#define BOOL_AS_INTEGER(TO, T) CAST_LOOP(BOOL, uint8_t, TO, T, (T)(x != 0))
#define BOOL_AS_COMPLEX(TO, T, PART) CAST_LOOP(BOOL, uint8_t, TO, T, ((T){(PART)(x != 0), 0}))

#define INTEGER_AS(FROM, F, TO, T) CAST_LOOP(FROM, F, TO, T, (T)x)
#define FLOAT_AS_INTEGER(FROM, F, TO, T) CAST_LOOP(FROM, F, TO, T, FROM##_to_##TO(x))
#define COMPLEX_AS_INTEGER(FROM, F, PART, TO, T) CAST_LOOP(FROM, F, TO, T, PART##_to_##TO(x.re))
#define HALF_AS_INTEGER(FROM, TO, T) CAST_FROM_HALF(FROM, TO, T, FLOAT32_to_##TO(x))

/* The casts from every integer dtype. wide: the conversion on the way to an odd float32, by
 * signedness. */
#define INTEGER_CASTS(FROM, F, wide)                                                               \
    CAST_LOOP(FROM, F, BOOL, uint8_t, x != 0)                                                      \
    INTEGER_AS(FROM, F, INT8, int8_t)                                                              \
    INTEGER_AS(FROM, F, INT16, int16_t)                                                            \
    INTEGER_AS(FROM, F, INT32, int32_t)                                                            \
    INTEGER_AS(FROM, F, INT64, int64_t)                                                            \
    INTEGER_AS(FROM, F, UINT8, uint8_t)                                                            \
    INTEGER_AS(FROM, F, UINT16, uint16_t)                                                          \
    INTEGER_AS(FROM, F, UINT32, uint32_t)                                                          \
    INTEGER_AS(FROM, F, UINT64, uint64_t)                                                          \
    CAST_TO_HALF(FROM, F, FLOAT16, wide(x))                                                        \
    CAST_TO_HALF(FROM, F, BFLOAT16, wide(x))                                                       \
    CAST_LOOP(FROM, F, FLOAT32, float, (float)x)                                                   \
    CAST_LOOP(FROM, F, FLOAT64, double, (double)x)                                                 \
    CAST_LOOP(FROM, F, COMPLEX64, complex64, ((complex64){(float)x, 0}))                           \
    CAST_LOOP(FROM, F, COMPLEX128, complex128, ((complex128){(double)x, 0}))
#define NARROW_INTEGER_CASTS(FROM, F) INTEGER_CASTS(FROM, F, (float))
NARROW_INTEGER_CASTS(INT8, int8_t)
NARROW_INTEGER_CASTS(INT16, int16_t)
NARROW_INTEGER_CASTS(UINT8, uint8_t)
NARROW_INTEGER_CASTS(UINT16, uint16_t)
INTEGER_CASTS(INT32, int32_t, odd_f32_of_i64)
INTEGER_CASTS(INT64, int64_t, odd_f32_of_i64)
INTEGER_CASTS(UINT32, uint32_t, odd_f32_of_u64)
INTEGER_CASTS(UINT64, uint64_t, odd_f32_of_u64)

INTEGER_DTYPES(BOOL_AS_INTEGER)
FLOAT_DTYPES(BOOL_AS_INTEGER)
CAST_TO_HALF(BOOL, uint8_t, FLOAT16, (float)(x != 0))
CAST_TO_HALF(BOOL, uint8_t, BFLOAT16, (float)(x != 0))
BOOL_AS_COMPLEX(COMPLEX64, complex64, float)
BOOL_AS_COMPLEX(COMPLEX128, complex128, double)

#define FLOAT_CASTS(FROM, F)                                                                       \
    CAST_LOOP(FROM, F, BOOL, uint8_t, x != 0)                                                      \
    FLOAT_AS_INTEGER(FROM, F, INT8, int8_t)                                                        \
    FLOAT_AS_INTEGER(FROM, F, INT16, int16_t)                                                      \
    FLOAT_AS_INTEGER(FROM, F, INT32, int32_t)                                                      \
    FLOAT_AS_INTEGER(FROM, F, INT64, int64_t)                                                      \
    FLOAT_AS_INTEGER(FROM, F, UINT8, uint8_t)                                                      \
    FLOAT_AS_INTEGER(FROM, F, UINT16, uint16_t)                                                    \
    FLOAT_AS_INTEGER(FROM, F, UINT32, uint32_t)                                                    \
    FLOAT_AS_INTEGER(FROM, F, UINT64, uint64_t)                                                    \
    CAST_LOOP(FROM, F, COMPLEX64, complex64, ((complex64){(float)x, 0}))                           \
    CAST_LOOP(FROM, F, COMPLEX128, complex128, ((complex128){(double)x, 0}))
FLOAT_CASTS(FLOAT32, float)
FLOAT_CASTS(FLOAT64, double)
CAST_LOOP(FLOAT32, float, FLOAT64, double, (double)x)
CAST_LOOP(FLOAT64, double, FLOAT32, float, (float)x)
CAST_TO_HALF(FLOAT64, double, FLOAT16, odd_f32_of_f64(x))
CAST_TO_HALF(FLOAT64, double, BFLOAT16, odd_f32_of_f64(x))

#ifndef ONE_ELEMENT
#define COMPLEX_CASTS(FROM, F, PART, odd)                                                          \
    CAST_LOOP(FROM, F, BOOL, uint8_t, (x.re != 0) | (x.im != 0))                                   \
    COMPLEX_AS_INTEGER(FROM, F, PART, INT8, int8_t)                                                \
    COMPLEX_AS_INTEGER(FROM, F, PART, INT16, int16_t)                                              \
    COMPLEX_AS_INTEGER(FROM, F, PART, INT32, int32_t)                                              \
    COMPLEX_AS_INTEGER(FROM, F, PART, INT64, int64_t)                                              \
    COMPLEX_AS_INTEGER(FROM, F, PART, UINT8, uint8_t)                                              \
    COMPLEX_AS_INTEGER(FROM, F, PART, UINT16, uint16_t)                                            \
    COMPLEX_AS_INTEGER(FROM, F, PART, UINT32, uint32_t)                                            \
    COMPLEX_AS_INTEGER(FROM, F, PART, UINT64, uint64_t)                                            \
    CAST_TO_HALF(FROM, F, FLOAT16, odd(x.re))                                                      \
    CAST_TO_HALF(FROM, F, BFLOAT16, odd(x.re))                                                     \
    CAST_LOOP(FROM, F, FLOAT32, float, (float)x.re)                                                \
    CAST_LOOP(FROM, F, FLOAT64, double, (double)x.re)
COMPLEX_CASTS(COMPLEX64, complex64, FLOAT32, (float))
COMPLEX_CASTS(COMPLEX128, complex128, FLOAT64, odd_f32_of_f64)

#ifndef COMPLEX_TO_COMPLEX
static void COMPLEX64_AS_COMPLEX128(void *dst, const void *a, const void *b, const void *c,
                                    int64_t n)
{
    FLOAT32_AS_FLOAT64(dst, a, b, c, 2 * n);
}

static void COMPLEX128_AS_COMPLEX64(void *dst, const void *a, const void *b, const void *c,
                                    int64_t n)
{
    FLOAT64_AS_FLOAT32(dst, a, b, c, 2 * n);
}
#else
COMPLEX_TO_COMPLEX(COMPLEX64, complex64, COMPLEX128, complex128)
COMPLEX_TO_COMPLEX(COMPLEX128, complex128, COMPLEX64, complex64)
#endif
#endif

#define HALF_CASTS(FROM)                                                                           \
    CAST_FROM_HALF(FROM, BOOL, uint8_t, x != 0)                                                    \
    HALF_AS_INTEGER(FROM, INT8, int8_t)                                                            \
    HALF_AS_INTEGER(FROM, INT16, int16_t)                                                          \
    HALF_AS_INTEGER(FROM, INT32, int32_t)                                                          \
    HALF_AS_INTEGER(FROM, INT64, int64_t)                                                          \
    HALF_AS_INTEGER(FROM, UINT8, uint8_t)                                                          \
    HALF_AS_INTEGER(FROM, UINT16, uint16_t)                                                        \
    HALF_AS_INTEGER(FROM, UINT32, uint32_t)                                                        \
    HALF_AS_INTEGER(FROM, UINT64, uint64_t)                                                        \
    CAST_FROM_HALF(FROM, FLOAT64, double, (double)x)                                               \
    CAST_FROM_HALF(FROM, COMPLEX64, complex64, ((complex64){x, 0}))                                \
    CAST_FROM_HALF(FROM, COMPLEX128, complex128, ((complex128){(double)x, 0}))
HALF_CASTS(FLOAT16)
HALF_CASTS(BFLOAT16)

#ifndef HALF_DIRECT
#define HALF_DIRECT(NAME)                                                                          \
    static void NAME##_AS_FLOAT32(void *dst, const void *a, const void *b, const void *c,          \
                                  int64_t n)                                                       \
    {                                                                                              \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        f32s_of_##NAME(dst, a, n);                                                                 \
    }                                                                                              \
    static void FLOAT32_AS_##NAME(void *dst, const void *a, const void *b, const void *c,          \
                                  int64_t n)                                                       \
    {                                                                                              \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        NAME##_of_f32s(dst, a, n);                                                                 \
    }
#endif
HALF_DIRECT(FLOAT16)
HALF_DIRECT(BFLOAT16)

#ifndef HALF_TO_HALF
#define HALF_TO_HALF(FROM, TO)                                                                     \
    static void FROM##_AS_##TO(void *dst, const void *a, const void *b, const void *c, int64_t n)  \
    {                                                                                              \
        uint16_t *to = dst;                                                                        \
        const uint16_t *xs = a;                                                                    \
        float run[HALF_RUN];                                                                       \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        for (; n > 0; n -= HALF_RUN, xs += HALF_RUN, to += HALF_RUN) {                             \
            int64_t count = int64_min(n, HALF_RUN);                                                \
            f32s_of_##FROM(run, xs, count);                                                        \
            TO##_of_f32s(to, run, count);                                                          \
        }                                                                                          \
    }
#endif
HALF_TO_HALF(FLOAT16, BFLOAT16)
HALF_TO_HALF(BFLOAT16, FLOAT16)

#define CAST_ENTRY(FROM, TO) [JG_DTYPE_##TO] = FROM##_AS_##TO
#define CAST_COLUMNS(FROM)                                                                         \
    CAST_ENTRY(FROM, BOOL), CAST_ENTRY(FROM, INT8), CAST_ENTRY(FROM, INT16),                       \
        CAST_ENTRY(FROM, INT32), CAST_ENTRY(FROM, INT64), CAST_ENTRY(FROM, UINT8),                 \
        CAST_ENTRY(FROM, UINT16), CAST_ENTRY(FROM, UINT32), CAST_ENTRY(FROM, UINT64),              \
        CAST_ENTRY(FROM, FLOAT16), CAST_ENTRY(FROM, BFLOAT16), CAST_ENTRY(FROM, FLOAT32),          \
        CAST_ENTRY(FROM, FLOAT64), CAST_ENTRY(FROM, COMPLEX64), CAST_ENTRY(FROM, COMPLEX128)
#define CAST_ROW(FROM) [JG_DTYPE_##FROM] = {CAST_COLUMNS(FROM)}
#define BOOL_AS_BOOL COPY_BOOL
#define FLOAT16_AS_FLOAT16 COPY_HALF
#define BFLOAT16_AS_BFLOAT16 COPY_HALF
#define FLOAT32_AS_FLOAT32 COPY_FLOAT32
#define FLOAT64_AS_FLOAT64 COPY_FLOAT64
#define COMPLEX64_AS_COMPLEX64 COPY_COMPLEX64
#define COMPLEX128_AS_COMPLEX128 COPY_COMPLEX128
#define CAST_TABLE                                                                                 \
    {                                                                                              \
        CAST_ROW(BOOL), CAST_ROW(INT8), CAST_ROW(INT16), CAST_ROW(INT32), CAST_ROW(INT64),         \
            CAST_ROW(UINT8), CAST_ROW(UINT16), CAST_ROW(UINT32), CAST_ROW(UINT64),                 \
            CAST_ROW(FLOAT16), CAST_ROW(BFLOAT16), CAST_ROW(FLOAT32), CAST_ROW(COMPLEX64),         \
            STORED_ROWS, [JG_DTYPE_FLOAT64] = {CAST_COLUMNS(FLOAT64), FLOAT64_AS_STORED},          \
                         [JG_DTYPE_COMPLEX128] = {CAST_COLUMNS(COMPLEX128),                        \
                                                  CAST_ENTRY(COMPLEX128, COMPLEX32)},              \
    }
