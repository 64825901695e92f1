/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions as the user sees them: axes, dtypes, the mean, and what an empty one gives. */
#include "../arrays.h"
#include <math.h>

TEST(sums_go_over_any_axes)
{
    jg_array *x = counting(JG_DTYPE_INT16, SHAPE(2, 3)), *out;
    assert_ok(jg_sum(x, -1, NULL, false, NULL, &out));
    assert_int_equal(jg_array_dtype(out), JG_DTYPE_INT64);
    assert_elements(out, 21);
    replace(&out, NULL);
    assert_ok(jg_sum(x, 1, (int64_t[]){0}, false, NULL, &out));
    assert_elements(out, 5, 7, 9);
    replace(&out, NULL);
    assert_ok(jg_sum(x, 1, (int64_t[]){-1}, true, NULL, &out));
    assert_array_shape(out, SHAPE(2, 1));
    assert_elements(out, 6, 15);
    replace(&out, NULL);
    assert_ok(jg_sum(x, 0, NULL, false, NULL, &out)); /* over no axis: the values themselves */
    assert_elements(out, 1, 2, 3, 4, 5, 6);
    release_all(2, (jg_array *[]){x, out});
}

TEST(a_scalar_reduces_to_itself)
{
    jg_array *x, *sum, *most, *mean;
    assert_ok(jg_full(JG_DTYPE_FLOAT32, SCALAR, float_number(2.5), &x));
    assert_ok(jg_sum(x, -1, NULL, false, NULL, &sum));
    assert_ok(jg_max(x, -1, NULL, true, &most));
    assert_ok(jg_mean(x, -1, NULL, false, &mean));
    assert_true(item_of(sum) == 2.5 && item_of(most) == 2.5 && item_of(mean) == 2.5);
    release_all(4, (jg_array *[]){x, sum, most, mean});
}

TEST(over_nothing_sums_are_zero_and_means_are_nan)
{
    jg_array *x, *sum, *mean;
    assert_ok(jg_empty(JG_DTYPE_FLOAT32, SHAPE(2, 0), &x));
    assert_ok(jg_sum(x, 1, (int64_t[]){1}, false, NULL, &sum));
    assert_elements(sum, 0, 0);
    assert_ok(jg_mean(x, -1, NULL, false, &mean));
    assert_true(isnan(item_of(mean)));
    release_all(3, (jg_array *[]){x, sum, mean});
}

TEST(nan_wins_every_extremum)
{
    for (int at = 0; at < 100; at += 9) {
        float data[100];
        jg_array *x, *most, *least;
        for (int i = 0; i < 100; ++i)
            data[i] = i == at ? NAN : (float)i;
        x = from_floats(SHAPE(100), data);
        assert_ok(jg_max(x, -1, NULL, false, &most));
        assert_ok(jg_min(x, -1, NULL, false, &least));
        assert_true(isnan(item_of(most)) && isnan(item_of(least)));
        release_all(3, (jg_array *[]){x, most, least});
    }
}

TEST(half_precision_is_summed_in_single)
{
    jg_array *x, *sum, *mean;
    assert_ok(jg_full(JG_DTYPE_FLOAT16, SHAPE(5000), float_number(1), &x));
    assert_ok(jg_sum(x, -1, NULL, false, NULL, &sum)); /* one by one it would stop at 2048 */
    assert_ok(jg_mean(x, -1, NULL, false, &mean));
    assert_int_equal(jg_array_dtype(mean), JG_DTYPE_FLOAT16);
    assert_true(item_of(sum) == 5000 && item_of(mean) == 1);
    replace(&x, NULL);
    assert_ok(jg_full(JG_DTYPE_FLOAT16, SHAPE(50000), float_number(8), &x));
    replace(&mean, NULL);
    assert_ok(jg_mean(x, -1, NULL, false, &mean)); /* the sum is no float16 */
    assert_true(item_of(mean) == 8);
    release_all(3, (jg_array *[]){x, sum, mean});
}

TEST(long_sums_keep_their_digits)
{
    enum { SIZE = 1 << 22 };
    jg_array *x, *sum, *columns, *rows;
    assert_ok(jg_full(JG_DTYPE_FLOAT32, SHAPE(2048, SIZE / 2048), float_number(0.1), &x));
    assert_ok(jg_eval(1, &x));
    assert_ok(jg_sum(x, -1, NULL, false, NULL, &sum));
    assert_true(fabs(item_of(sum) / ((double)0.1f * SIZE) - 1) < 1e-6);
    assert_ok(jg_sum(x, 1, (int64_t[]){0}, false, NULL, &columns));
    assert_ok(jg_sum(columns, -1, NULL, false, NULL, &rows));
    assert_true(fabs(item_of(rows) / ((double)0.1f * SIZE) - 1) < 1e-5);
    release_all(4, (jg_array *[]){x, sum, columns, rows});
}

TEST(comparisons_go_either_way_and_squares_multiply)
{
    jg_array *x = counting(JG_DTYPE_INT8, SHAPE(3)), *two, *out;
    assert_ok(jg_full(JG_DTYPE_INT8, SCALAR, integer_number(2), &two));
    assert_ok(jg_greater(x, two, &out));
    assert_elements(out, 0, 0, 1);
    replace(&out, NULL);
    assert_ok(jg_greater_equal(x, two, &out));
    assert_elements(out, 0, 1, 1);
    replace(&out, NULL);
    assert_ok(jg_square(x, &out));
    assert_elements(out, 1, 4, 9);
    release_all(3, (jg_array *[]){x, two, out});
}
