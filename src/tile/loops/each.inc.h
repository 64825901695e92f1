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

/* Like fold_add, for four rows at a time. */
static void each_add_FLOAT32(void *dst, const void *a, int64_t stride, int64_t nrows, int64_t n)
{
    float *to = dst;
    for (; nrows >= 4; nrows -= 4, to += 4, a = (const char *)a + 4 * stride) {
        four_f64 rows[4], sums;
        for (int r = 0; r < 4; ++r) {
            four_f64 lanes[4];
            sum_lanes_f32(ROW(float, a, r), n, lanes);
            rows[r] = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
        }
        add_lanes_of_rows(rows, &sums);
        for (int r = 0; r < 4; ++r)
            to[r] = (float)(0.0 + sums[r]);
    }
    for (; nrows > 0; --nrows, ++to, a = (const char *)a + stride) {
        double sum = 0;
        fold_add_FLOAT32(&sum, a, n);
        *to = (float)sum;
    }
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

/* Like fold_add and finish_add, for four rows at a time. */
static inline void sum_four_rows_f64(const double *a, int64_t stride, int64_t n, double *out)
{
    lanes_f64 sums[4], errors[4];
    four_f64 sum = {0}, error = {0}, own[4], others[4];
    for (int r = 0; r < 4; ++r)
        sum_lanes_f64(ROW(double, a, r), n, &sums[r], &errors[r]);
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

static void each_add_FLOAT64(void *dst, const void *a, int64_t stride, int64_t nrows, int64_t n)
{
    double *to = dst;
    for (; nrows >= 4; nrows -= 4, to += 4, a = (const char *)a + 4 * stride)
        sum_four_rows_f64(a, stride, n, to);
    for (; nrows > 0; --nrows, ++to, a = (const char *)a + stride) {
        double both[2] = {0, 0};
        fold_add_FLOAT64(both, a, n);
        finish_add_FLOAT64(to, both, 1);
    }
}
