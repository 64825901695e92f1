/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products of floats: each product is rounded, and they are added as sum.inc.h adds
 * elements, without storing them in between. */

static inline void sum_product_block_f32(const float *a, const float *b, int64_t n, lanes_f32 *out)
{
#define TERM(i) (PART_F32(a, i) * PART_F32(b, i))
#define AHEAD_OF(i) ((void)(i))
    SUM_BLOCK(f32, n, TERM, AHEAD_OF, out)
#undef TERM
#undef AHEAD_OF
}

static inline void sum_product_rest_f32(const float *a, const float *b, int64_t n, lanes_f32 *out)
{
#define SOME(i) (load_some_f32(a + (i), n - (i)) * load_some_f32(b + (i), n - (i)))
    SUM_REST(f32, n, SOME, out)
#undef SOME
}

/* Like sum_lanes_f32: blocks are summed in float32 lanes, and the lanes in double. */
static inline void sum_product_lanes_f32(const float *a, const float *b, int64_t n, four_f64 *out)
{
    four_f64 sums[4];
    lanes_f32 block;
    int64_t count;
    clear_wide(sums);
    for (; n >= 64; a += count, b += count, n -= count) {
        count = n < BLOCK_F32 ? n & ~(int64_t)63 : BLOCK_F32;
        sum_product_block_f32(a, b, count, &block);
        add_wide(&block, sums);
    }
    if (n > 0) {
        sum_product_rest_f32(a, b, n, &block);
        add_wide(&block, sums);
    }
    UNROLL_PARTS for (int i = 0; i < 4; ++i) out[i] = sums[i];
}

static void fold_product_FLOAT32(void *acc, const void *a, const void *b, int64_t n)
{
    four_f64 sums[4];
    sum_product_lanes_f32(a, b, n, sums);
    *(double *)acc += add_lanes(sums);
}

static inline void sum_product_block_f64(const double *a, const double *b, int64_t n,
                                         lanes_f64 *out)
{
#define TERM(i) (PART_F64(a, i) * PART_F64(b, i))
#define AHEAD_OF(i) ((void)(i))
    SUM_BLOCK(f64, n, TERM, AHEAD_OF, out)
#undef TERM
#undef AHEAD_OF
}

static inline void sum_product_rest_f64(const double *a, const double *b, int64_t n, lanes_f64 *out)
{
#define SOME(i) (load_some_f64(a + (i), n - (i)) * load_some_f64(b + (i), n - (i)))
    SUM_REST(f64, n, SOME, out)
#undef SOME
}

static inline void sum_product_lanes_f64(const double *a, const double *b, int64_t n,
                                         lanes_f64 *sums, lanes_f64 *errors)
{
#define BLOCK(count, out) sum_product_block_f64(a, b, count, out)
#define REST(count, out) sum_product_rest_f64(a, b, count, out)
#define NEXT(count) a += (count), b += (count), n -= (count)
    SUM_LANES_F64(n, BLOCK, REST, NEXT, sums, errors)
#undef BLOCK
#undef REST
#undef NEXT
}

static void fold_product_FLOAT64(void *acc, const void *a, const void *b, int64_t n)
{
    lanes_f64 sums, errors;
    sum_product_lanes_f64(a, b, n, &sums, &errors);
    add_lanes_f64(acc, &sums, &errors);
}
