/* SPDX-License-Identifier: Apache-2.0 */
/* Two instructions in one loop: (a first b) second c, each rounded as by itself. Arithmetic on
 * tiles is bound by loads and stores, so a pair costs about as much as one instruction. */

/* t is the first's result, rounded; inner and outer are the two expressions. */
#define PAIR(first, second, scalars, NAME, T, inner, outer, y_now, z_now)                          \
    static void PAIR_##first##_##second##_##scalars##_##NAME(                                      \
        void *dst, const void *a, const void *b, const void *c, int64_t n)                         \
    {                                                                                              \
        T *to = dst;                                                                               \
        const T *xs = a, *ys = b, *zs = c;                                                         \
        const T y0 = n > 0 ? ys[0] : (T)0, z0 = n > 0 ? zs[0] : (T)0;                              \
        (void)y0;                                                                                  \
        (void)z0;                                                                                  \
        EACH(i, n)                                                                                 \
        {                                                                                          \
            T x = xs[i], y = y_now, z = z_now, t = (T)(inner);                                     \
            to[i] = (T)(outer);                                                                    \
        }                                                                                          \
    }

#define PAIR_VARIANTS(first, second, NAME, T, inner, outer)                                        \
    PAIR(first, second, NONE, NAME, T, inner, outer, ys[i], zs[i])                                 \
    PAIR(first, second, Y, NAME, T, inner, outer, y0, zs[i])                                       \
    PAIR(first, second, Z, NAME, T, inner, outer, ys[i], z0)                                       \
    PAIR(first, second, YZ, NAME, T, inner, outer, y0, z0)

#define PAIRS_AFTER(first, NAME, T, WRAP, inner)                                                   \
    PAIR_VARIANTS(first, ADD, NAME, T, inner, (WRAP)t + (WRAP)z)                                   \
    PAIR_VARIANTS(first, SUBTRACT, NAME, T, inner, (WRAP)t - (WRAP)z)                              \
    PAIR_VARIANTS(first, MULTIPLY, NAME, T, inner, (WRAP)t *(WRAP)z)                               \
    PAIR_VARIANTS(first, SUBTRACT_FROM, NAME, T, inner, (WRAP)z - (WRAP)t)

#define PAIRS(NAME, T, WRAP)                                                                       \
    PAIRS_AFTER(ADD, NAME, T, WRAP, (WRAP)x + (WRAP)y)                                             \
    PAIRS_AFTER(SUBTRACT, NAME, T, WRAP, (WRAP)x - (WRAP)y)                                        \
    PAIRS_AFTER(MULTIPLY, NAME, T, WRAP, (WRAP)x *(WRAP)y)

PAIRS(FLOAT32, float, float)
PAIRS(FLOAT64, double, double)
PAIRS(INT32, int32_t, uint32_t)
PAIRS(INT64, int64_t, uint64_t)

/* e to the difference of x and one number, as softmax computes it. */
#define EXP_DIFFERENCE(NAME, T, s)                                                                 \
    static void EXP_DIFFERENCE_##NAME(void *dst, const void *a, const void *b, const void *c,      \
                                      int64_t n)                                                   \
    {                                                                                              \
        T *to = dst;                                                                               \
        const T *xs = a, y = n > 0 ? *(const T *)b : 0;                                            \
        (void)c;                                                                                   \
        EACH(i, n)                                                                                 \
        to[i] = vector_exp_##s(xs[i] - y);                                                         \
    }
EXP_DIFFERENCE(FLOAT32, float, f32)
EXP_DIFFERENCE(FLOAT64, double, f64)
#define EXP_DIFFERENCE_TABLE                                                                       \
    {                                                                                              \
        [JG_DTYPE_FLOAT32] = EXP_DIFFERENCE_FLOAT32, [JG_DTYPE_FLOAT64] = EXP_DIFFERENCE_FLOAT64   \
    }

#define PAIR_DTYPES(first, second, scalars)                                                        \
    {                                                                                              \
        [JG_DTYPE_FLOAT32] = PAIR_##first##_##second##_##scalars##_FLOAT32,                        \
        [JG_DTYPE_FLOAT64] = PAIR_##first##_##second##_##scalars##_FLOAT64,                        \
        [JG_DTYPE_INT32] = PAIR_##first##_##second##_##scalars##_INT32,                            \
        [JG_DTYPE_INT64] = PAIR_##first##_##second##_##scalars##_INT64,                            \
    }
#define PAIR_ENTRY(first, second)                                                                  \
    {                                                                                              \
        [TILE_PAIR_VECTORS] = PAIR_DTYPES(first, second, NONE),                                    \
        [TILE_PAIR_SCALAR_B] = PAIR_DTYPES(first, second, Y),                                      \
        [TILE_PAIR_SCALAR_C] = PAIR_DTYPES(first, second, Z),                                      \
        [TILE_PAIR_SCALARS] = PAIR_DTYPES(first, second, YZ),                                      \
    }
#define PAIR_ROW(first)                                                                            \
    {                                                                                              \
        [TILE_PAIR_ADD] = PAIR_ENTRY(first, ADD),                                                  \
        [TILE_PAIR_SUBTRACT] = PAIR_ENTRY(first, SUBTRACT),                                        \
        [TILE_PAIR_MULTIPLY] = PAIR_ENTRY(first, MULTIPLY),                                        \
        [TILE_PAIR_SUBTRACT_FROM] = PAIR_ENTRY(first, SUBTRACT_FROM),                              \
    }
#define PAIR_TABLE                                                                                 \
    {                                                                                              \
        [TILE_PAIR_ADD] = PAIR_ROW(ADD), [TILE_PAIR_SUBTRACT] = PAIR_ROW(SUBTRACT),                \
        [TILE_PAIR_MULTIPLY] = PAIR_ROW(MULTIPLY),                                                 \
    }
