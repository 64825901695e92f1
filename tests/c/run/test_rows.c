/* SPDX-License-Identifier: Apache-2.0 */
/* Where a reduction and what uses it are one launch, and where the rule cuts, as jg_explain shows
 * it. */
#include "../arrays.h"

static const int64_t last = -1, first = 0;

/* How many launches the arrays take. */
static int launches_of(int count, jg_array *const *arrays)
{
    char *text;
    int launches = 0;
    assert_ok(jg_explain(count, arrays, &text));
    for (const char *at = strstr(text, "launch "); at != NULL; at = strstr(at + 1, "launch "))
        launches += 1;
    jg_text_release(text);
    return launches;
}

static jg_array *take_binary(jg_status (*op)(jg_array *, jg_array *, jg_array **), jg_array *x,
                             jg_array *y)
{
    jg_array *out;
    assert_ok(op(x, y, &out));
    jg_array_release(x);
    jg_array_release(y);
    return out;
}

static jg_array *reduced(jg_status (*op)(jg_array *, int, const int64_t *, bool, jg_array **),
                         jg_array *x, int64_t axis, bool keepdims)
{
    jg_array *out;
    assert_ok(op(x, 1, &axis, keepdims, &out));
    return out;
}

static jg_status sum(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    return jg_sum(x, naxes, axes, keepdims, NULL, out);
}

/* x less its largest value along the axis. */
static jg_array *below_peak(jg_array *x, int64_t axis)
{
    return take_binary(jg_subtract, jg_array_retain(x), reduced(jg_max, x, axis, true));
}

static jg_array *softmax(jg_array *x, int64_t axis)
{
    jg_array *shifted = below_peak(x, axis), *powers, *total;
    assert_ok(jg_exp(shifted, &powers));
    jg_array_release(shifted);
    total = reduced(sum, powers, axis, true);
    return take_binary(jg_divide, powers, total);
}

static void expect_softmax(int64_t axis, int rows, int columns, int launches)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(rows, columns)), *y = softmax(x, axis);
    assert_int_equal(launches_of(1, &y), launches);
    release_all(2, (jg_array *[]){x, y});
}

TEST(a_softmax_is_one_launch)
{
    expect_softmax(last, 64, 1024, 1);
    expect_softmax(last, 3, 64 << 10, 1);
    expect_softmax(last, 1, 33, 1);
}

TEST(a_row_that_leaves_the_cache_is_passed_over_by_launches_of_their_own)
{
    expect_softmax(last, 2, 1 << 20, 4);
}

TEST(short_rows_are_reduced_many_at_a_time)
{
    expect_softmax(last, 1000, 10, 4);
}

TEST(rows_whose_elements_lie_apart_are_not_passed_over)
{
    expect_softmax(first, 64, 128, 4);
}

TEST(a_variance_is_one_launch)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(8, 100));
    jg_array *centred =
        take_binary(jg_subtract, jg_array_retain(x), reduced(jg_mean, x, last, true));
    jg_array *squares, *variance, *deviation;
    assert_ok(jg_square(centred, &squares));
    variance = reduced(jg_mean, squares, last, false);
    assert_ok(jg_sqrt(variance, &deviation));
    release_all(3, (jg_array *[]){centred, squares, variance});
    assert_int_equal(launches_of(1, &deviation), 1);
    release_all(2, (jg_array *[]){x, deviation});
}

/* What follows a reduction may read memory of its own, whatever the length of the rows. */
TEST(results_take_in_what_uses_them)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(2, 300000)), *shift = ones(2);
    jg_array *mean = reduced(jg_mean, x, last, false), *root;
    mean = take_binary(jg_add, mean, jg_array_retain(shift));
    assert_ok(jg_sqrt(mean, &root));
    jg_array_release(mean);
    assert_int_equal(launches_of(1, &root), 1);
    assert_values_close(root, 2, (double[]){387.3002711, 670.8215114}, 1e-6);
    release_all(3, (jg_array *[]){x, shift, root});
}

TEST(reductions_over_several_axes_are_rows_too)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(4, 8, 8)), *mean, *y;
    assert_ok(jg_mean(x, 2, (int64_t[]){1, 2}, true, &mean));
    y = take_binary(jg_subtract, jg_array_retain(x), mean);
    assert_int_equal(launches_of(1, &y), 1);
    release_all(2, (jg_array *[]){x, y});
}

/* The mean of the columns is not the mean of the rows that it is taken from. */
TEST(a_result_used_along_another_axis_is_a_launch_of_its_own)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(64, 64)), *total = reduced(sum, x, last, false);
    jg_array *y = take_binary(jg_subtract, jg_array_retain(x), total);
    assert_int_equal(launches_of(1, &y), 2);
    release_all(2, (jg_array *[]){x, y});
}

TEST(results_of_the_same_rows_are_one_launch)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(8, 100)), *all[4];
    all[0] = reduced(jg_max, x, last, false);
    all[1] = reduced(jg_mean, x, last, true);
    all[2] = reduced(jg_min, x, last, true);
    all[3] = reduced(sum, x, last, false);
    assert_int_equal(launches_of(4, all), 1);
    assert_ok(jg_eval(4, all));
    assert_elements(all[2], 1, 101, 201, 301, 401, 501, 601, 701);
    jg_array_release(x);
    release_all(4, all);
}

TEST(elementwise_results_that_share_an_input_are_one_launch)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(8, 100)), *y = ones(800), *both[3];
    assert_ok(jg_exp(x, &both[0]));
    assert_ok(jg_tanh(x, &both[1]));
    assert_ok(jg_exp(y, &both[2]));
    assert_int_equal(launches_of(2, both), 1);
    assert_int_equal(launches_of(3, both), 2); /* nothing in common, another space */
    release_all(2, (jg_array *[]){x, y});
    release_all(3, both);
}

/* b is read by a launch that a value beside b needs: b cannot wait for it. */
TEST(a_result_that_another_group_needs_first_does_not_stand_beside_it)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(4, 40)), *b, *total, *y;
    assert_ok(jg_exp(x, &b));
    total = reduced(sum, b, 0, true);
    assert_ok(jg_add(x, total, &y));
    assert_int_equal(launches_of(2, (jg_array *[]){y, b}), 3);
    assert_ok(jg_eval(2, (jg_array *[]){y, b}));
    release_all(4, (jg_array *[]){x, b, total, y});
}

TEST(what_is_held_of_a_row_is_stored_by_the_same_launch)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(4, 64)), *peak = reduced(jg_max, x, last, true);
    jg_array *shifted, *powers, *total;
    assert_ok(jg_subtract(x, peak, &shifted));
    assert_ok(jg_exp(shifted, &powers));
    total = reduced(sum, powers, last, true);
    assert_int_equal(launches_of(1, &total), 1);
    assert_ok(jg_eval(1, &total));
    assert_elements(peak, 64, 128, 192, 256);
    assert_int_equal(jg_array_current_state(shifted), JG_ARRAY_AVAILABLE);
    release_all(5, (jg_array *[]){x, peak, shifted, powers, total});
}
