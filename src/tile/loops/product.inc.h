/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of floats, in float64, so that partial products may leave float32's range. An
 * element's lane depends on its index alone, as in sum.inc.h, so every instruction set gives the
 * same products. A multiplication waits for the one before it, so there are more lanes than one
 * vector has. */
enum { PRODUCT_LANES = 32, PRODUCT_EACH = PART_NBYTES / 8 };
enum { PRODUCT_PARTS = PRODUCT_LANES / PRODUCT_EACH };

typedef float product_f32 __attribute__((vector_size(PART_NBYTES / 2)));
typedef float product_f32_unaligned
    __attribute__((vector_size(PART_NBYTES / 2), aligned(4), may_alias));
typedef int32_t product_bits_f32 __attribute__((vector_size(PART_NBYTES)));
typedef int64_t product_bits_f64 __attribute__((vector_size(PART_NBYTES)));

#define FACTORS_f32(a, i)                                                                          \
    __builtin_convertvector(                                                                       \
        (product_f32) * (const product_f32_unaligned *)(const void *)((a) + (i)), part_f64)
#define FACTORS_f64(a, i) PART_F64(a, i)
#define ONE_f32 0x3f800000
#define ONE_f64 0x3ff0000000000000

/* The first n elements of a part, and ones after them: where load_some gives zeros, the mask adds
 * the bits of 1. */
#define SOME_FACTORS(NAME, T, BITS)                                                                \
    static inline void some_factors_##NAME(const T *a, int64_t n, T *out)                          \
    {                                                                                              \
        enum { EACH_PART = PART_NBYTES / (int)sizeof(T) };                                         \
        product_bits_##NAME at, bits;                                                              \
        part_##NAME some = load_some_##NAME(a, n);                                                 \
        UNROLL_PARTS for (int j = 0; j < EACH_PART; ++j) at[j] = (BITS)j;                          \
        memcpy(&bits, &some, sizeof bits);                                                         \
        bits |= (at >= (BITS)n) & ONE_##NAME;                                                      \
        memcpy(out, &bits, sizeof bits);                                                           \
    }
SOME_FACTORS(f32, float, int32_t)
SOME_FACTORS(f64, double, int64_t)

/* The product of n elements in 16 lanes. */
#define PRODUCT_OF_LANES(NAME, T)                                                                  \
    static inline void factor_lanes_##NAME(const T *a, int64_t n, four_f64 *out)                   \
    {                                                                                              \
        enum { HALF = PRODUCT_PARTS / 2, EACH_PART = PART_NBYTES / (int)sizeof(T) };               \
        part_f64 products[PRODUCT_PARTS];                                                          \
        UNROLL_PARTS for (int j = 0; j < PRODUCT_PARTS; ++j) products[j] = (part_f64){0} + 1;      \
        for (; n >= PRODUCT_LANES; a += PRODUCT_LANES, n -= PRODUCT_LANES) {                       \
            AHEAD(a, 0);                                                                           \
            UNROLL_PARTS for (int j = 0; j < PRODUCT_PARTS; ++j) products[j] *=                    \
                FACTORS_##NAME(a, j * PRODUCT_EACH);                                               \
        }                                                                                          \
        UNROLL_PARTS for (int i = 0; i < PRODUCT_LANES; i += EACH_PART)                            \
        {                                                                                          \
            T some[EACH_PART];                                                                     \
            if (i >= n)                                                                            \
                break;                                                                             \
            some_factors_##NAME(a + i, n - i, some);                                               \
            UNROLL_PARTS for (int j = 0; j < EACH_PART; j += PRODUCT_EACH)                         \
                products[(i + j) / PRODUCT_EACH] *= FACTORS_##NAME(some, j);                       \
        }                                                                                          \
        UNROLL_PARTS for (int j = 0; j < HALF; ++j)                                                \
        {                                                                                          \
            products[j] *= products[HALF + j];                                                     \
            memcpy((char *)out + j * PART_NBYTES, &products[j], sizeof products[j]);               \
        }                                                                                          \
    }
PRODUCT_OF_LANES(f32, float)
PRODUCT_OF_LANES(f64, double)

/* The lanes' products in the order of add_lanes. */
static inline double multiply_lanes(const four_f64 *lanes)
{
    four_f64 four = (lanes[0] * lanes[2]) * (lanes[1] * lanes[3]);
    return (four[0] * four[2]) * (four[1] * four[3]);
}

/* The same of four rows, side by side. */
static inline void multiply_lanes_of_rows(const four_f64 *rows, four_f64 *out)
{
    four_f64 first = PICK(rows[0], rows[1], 0, 1, 4, 5) * PICK(rows[0], rows[1], 2, 3, 6, 7);
    four_f64 second = PICK(rows[2], rows[3], 0, 1, 4, 5) * PICK(rows[2], rows[3], 2, 3, 6, 7);
    *out = PICK(first, second, 0, 2, 4, 6) * PICK(first, second, 1, 3, 5, 7);
}

/* each: like fold, for four rows at a time. */
#define FOLD_PRODUCT(DTYPE, NAME, T)                                                               \
    static void fold_multiply_##DTYPE(void *acc, const void *a, int64_t n)                         \
    {                                                                                              \
        four_f64 lanes[4];                                                                         \
        factor_lanes_##NAME(a, n, lanes);                                                          \
        *(double *)acc *= multiply_lanes(lanes);                                                   \
    }                                                                                              \
    static void each_multiply_##DTYPE(void *dst, const void *a, int64_t stride, int64_t nrows,     \
                                      int64_t n)                                                   \
    {                                                                                              \
        T *to = dst;                                                                               \
        for (; nrows >= 4; nrows -= 4, to += 4, a = (const char *)a + 4 * stride) {                \
            four_f64 rows[4], products;                                                            \
            for (int r = 0; r < 4; ++r) {                                                          \
                four_f64 lanes[4];                                                                 \
                factor_lanes_##NAME(ROW(T, a, r), n, lanes);                                       \
                rows[r] = (lanes[0] * lanes[2]) * (lanes[1] * lanes[3]);                           \
            }                                                                                      \
            multiply_lanes_of_rows(rows, &products);                                               \
            for (int r = 0; r < 4; ++r)                                                            \
                to[r] = (T)products[r];                                                            \
        }                                                                                          \
        for (; nrows > 0; --nrows, ++to, a = (const char *)a + stride) {                           \
            double product = 1;                                                                    \
            fold_multiply_##DTYPE(&product, a, n);                                                 \
            *to = (T)product;                                                                      \
        }                                                                                          \
    }
FOLD_PRODUCT(FLOAT32, f32, float)
FOLD_PRODUCT(FLOAT64, f64, double)
