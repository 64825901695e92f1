/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of rows of floats: each row is a result. Lanes of a row are added to each other one after
 * the other, which takes longer than a short row's sum, so that is done for four rows at a time, in
 * the same order as for one. */

#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* The sums that add_lanes gives of each of four rows, side by side, with additions in the same
 * order. */
static inline void add_lanes_of_rows(const four_f64 *rows, four_f64 *out)
{
    four_f64 first = PICK(rows[0], rows[1], 0, 1, 4, 5) + PICK(rows[0], rows[1], 2, 3, 6, 7);
    four_f64 second = PICK(rows[2], rows[3], 0, 1, 4, 5) + PICK(rows[2], rows[3], 2, 3, 6, 7);
    *out = PICK(first, second, 0, 2, 4, 6) + PICK(first, second, 1, 3, 5, 7);
}

/* The sums of float rows, four at a time. LANES(r, out): 16 lanes of row r; NEXT(k) goes on by k
 * rows; FOLD(sum) adds one row to a double. */
#define EACH_SUM_FLOAT32(LANES, NEXT, FOLD)                                                        \
    float *to = dst;                                                                               \
    for (; nrows >= 4; nrows -= 4, to += 4) {                                                      \
        four_f64 rows[4], sums;                                                                    \
        for (int r = 0; r < 4; ++r) {                                                              \
            four_f64 lanes[4];                                                                     \
            LANES(r, lanes);                                                                       \
            rows[r] = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);                               \
        }                                                                                          \
        add_lanes_of_rows(rows, &sums);                                                            \
        for (int r = 0; r < 4; ++r)                                                                \
            to[r] = (float)(0.0 + sums[r]);                                                        \
        NEXT(4);                                                                                   \
    }                                                                                              \
    for (; nrows > 0; --nrows, ++to) {                                                             \
        double sum = 0;                                                                            \
        FOLD(&sum);                                                                                \
        *to = (float)sum;                                                                          \
        NEXT(1);                                                                                   \
    }

/* Lane `first` + k of four rows of eight lanes, for k below 4. */
static inline void lanes_of_rows(const lanes_f64 *rows, int first, four_f64 *out)
{
    four_f64 own[4], lower[2], upper[2];
    UNROLL_PARTS for (int r = 0; r < 4; ++r)
        memcpy(&own[r], (const char *)&rows[r] + (size_t)first * sizeof(double), sizeof own[r]);
    UNROLL_PARTS for (int half = 0; half < 2; ++half)
    {
        lower[half] = PICK(own[2 * half], own[2 * half + 1], 0, 4, 2, 6);
        upper[half] = PICK(own[2 * half], own[2 * half + 1], 1, 5, 3, 7);
    }
    out[0] = PICK(lower[0], lower[1], 0, 1, 4, 5);
    out[1] = PICK(upper[0], upper[1], 0, 1, 4, 5);
    out[2] = PICK(lower[0], lower[1], 2, 3, 6, 7);
    out[3] = PICK(upper[0], upper[1], 2, 3, 6, 7);
}

/* Like add_lanes_f64 and finish_add_FLOAT64, for four rows at a time. */
static inline void add_four_rows_f64(const lanes_f64 *sums, const lanes_f64 *errors, double *out)
{
    four_f64 sum = {0}, error = {0}, own[4], others[4];
    UNROLL_PARTS for (int first = 0; first < 8; first += 4)
    {
        lanes_of_rows(sums, first, own);
        lanes_of_rows(errors, first, others);
        UNROLL_PARTS for (int k = 0; k < 4; ++k)
        {
            TWO_SUM(four_f64, sum, error, own[k]);
            error += others[k];
        }
    }
    for (int r = 0; r < 4; ++r) {
        double both[2] = {sum[r], error[r]};
        finish_add_FLOAT64(out + r, both, 1);
    }
}

/* Like EACH_SUM_FLOAT32. LANES(r, sums, errors): eight lanes of row r, and their errors. */
#define EACH_SUM_FLOAT64(LANES, NEXT, FOLD)                                                        \
    double *to = dst;                                                                              \
    for (; nrows >= 4; nrows -= 4, to += 4) {                                                      \
        lanes_f64 sums[4], errors[4];                                                              \
        for (int r = 0; r < 4; ++r)                                                                \
            LANES(r, &sums[r], &errors[r]);                                                        \
        add_four_rows_f64(sums, errors, to);                                                       \
        NEXT(4);                                                                                   \
    }                                                                                              \
    for (; nrows > 0; --nrows, ++to) {                                                             \
        double both[2] = {0, 0};                                                                   \
        FOLD(both);                                                                                \
        finish_add_FLOAT64(to, both, 1);                                                           \
        NEXT(1);                                                                                   \
    }

#define NEXT(k) a = (const char *)a + (k)*stride
static void each_add_FLOAT32(void *dst, const void *a, int64_t stride, int64_t nrows, int64_t n)
{
#define LANES(r, out) sum_lanes_f32(ROW(float, a, r), n, out)
#define FOLD(acc) fold_add_FLOAT32(acc, a, n)
    EACH_SUM_FLOAT32(LANES, NEXT, FOLD)
#undef LANES
#undef FOLD
}

static void each_add_FLOAT64(void *dst, const void *a, int64_t stride, int64_t nrows, int64_t n)
{
#define LANES(r, sums, errors) sum_lanes_f64(ROW(double, a, r), n, sums, errors)
#define FOLD(acc) fold_add_FLOAT64(acc, a, n)
    EACH_SUM_FLOAT64(LANES, NEXT, FOLD)
#undef LANES
#undef FOLD
}
#undef NEXT

#define OTHER(T, r) ((const T *)(const void *)((const char *)b + (r)*b_stride))
#define NEXT(k) a = (const char *)a + (k)*stride, b = (const char *)b + (k)*b_stride
static void each_product_FLOAT32(void *dst, const void *a, int64_t stride, const void *b,
                                 int64_t b_stride, int64_t nrows, int64_t n)
{
#define LANES(r, out) sum_product_lanes_f32(ROW(float, a, r), OTHER(float, r), n, out)
#define FOLD(acc) fold_product_FLOAT32(acc, a, b, n)
    EACH_SUM_FLOAT32(LANES, NEXT, FOLD)
#undef LANES
#undef FOLD
}

static void each_product_FLOAT64(void *dst, const void *a, int64_t stride, const void *b,
                                 int64_t b_stride, int64_t nrows, int64_t n)
{
#define LANES(r, sums, errors)                                                                     \
    sum_product_lanes_f64(ROW(double, a, r), OTHER(double, r), n, sums, errors)
#define FOLD(acc) fold_product_FLOAT64(acc, a, b, n)
    EACH_SUM_FLOAT64(LANES, NEXT, FOLD)
#undef LANES
#undef FOLD
}
#undef NEXT
#undef OTHER
