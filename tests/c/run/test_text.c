/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays as text: every kind of number, every rank, in every state. */
#include "../arrays.h"
#include <math.h>

#define assert_text(x, expected)                                                                   \
    do {                                                                                           \
        char *found;                                                                               \
        assert_ok(jg_array_text((x), &found));                                                     \
        assert_string_equal(found, expected);                                                      \
        jg_text_release(found);                                                                    \
    } while (0)

TEST(columns_stand_below_each_other)
{
    jg_array *x = from_floats(SHAPE(2, 3), (float[]){1, -0.1f, 1e20f, 12.5f, NAN, -INFINITY});
    assert_text(x, "[[  1.0,  -0.1, 1e+20],\n [ 12.5,   nan,  -inf]]");
    jg_array *transposed;
    assert_ok(jg_permute_dims(x, 2, (int64_t[]){1, 0}, &transposed));
    assert_text(transposed, "[[  1.0,  12.5],\n [ -0.1,   nan],\n [1e+20,  -inf]]");
    jg_array_release(x);
    jg_array_release(transposed);
}

TEST(every_rank_has_its_brackets)
{
    jg_array *scalar, *empty, *cube = counting(JG_DTYPE_INT8, SHAPE(2, 2, 2));
    assert_ok(jg_full(JG_DTYPE_FLOAT64, SCALAR, float_number(0.1), &scalar));
    assert_ok(jg_empty(JG_DTYPE_FLOAT32, SHAPE(2, 0), &empty));
    assert_text(scalar, "0.1");
    assert_text(empty, "[[],\n []]");
    assert_text(cube, "[[[1, 2],\n  [3, 4]],\n\n [[5, 6],\n  [7, 8]]]");
    release_all(3, (jg_array *[]){scalar, empty, cube});
}

TEST(large_arrays_show_their_edges)
{
    jg_array *row = counting(JG_DTYPE_INT32, SHAPE(1001));
    jg_array *whole = counting(JG_DTYPE_INT32, SHAPE(2, 4)), *tall;
    assert_text(row, "[   1,    2,    3, ...,  999, 1000, 1001]");
    assert_text(whole, "[[1, 2, 3, 4],\n [5, 6, 7, 8]]");
    tall = counting(JG_DTYPE_INT32, SHAPE(501, 2));
    assert_text(tall, "[[   1,    2],\n [   3,    4],\n [   5,    6],\n ...,\n"
                      " [ 997,  998],\n [ 999, 1000],\n [1001, 1002]]");
    release_all(3, (jg_array *[]){row, whole, tall});
}

/* Digits that each dtype needs, from the same numbers. */
TEST(numbers_have_the_digits_of_their_dtype)
{
    static const struct {
        jg_dtype dtype;
        const char *text;
    } rows[] = {
        {JG_DTYPE_BOOL, "[True, True]"},
        {JG_DTYPE_UINT8, "[1, 0]"},
        {JG_DTYPE_FLOAT16, "[     1.1, 5.96e-08]"},
        {JG_DTYPE_BFLOAT16, "[  1.1, 5e-08]"},
        {JG_DTYPE_FLOAT32, "[  1.1, 5e-08]"},
        {JG_DTYPE_FLOAT64, "[  1.1, 5e-08]"},
        {JG_DTYPE_COMPLEX64, "[  1.1+0.0j, 5e-08+0.0j]"},
        {JG_DTYPE_FLOAT8_E4M3FN, "[1.1, 0.0]"},
    };
    jg_array *x, *y;
    assert_ok(jg_array_from_data((double[]){1.1, 5e-08}, JG_DTYPE_FLOAT64, SHAPE(2), &x));
    for (size_t i = 0; i < JG_COUNT_OF(rows); ++i) {
        assert_ok(jg_astype(x, rows[i].dtype, &y));
        assert_text(y, rows[i].text);
        jg_array_release(y);
    }
    jg_array_release(x);
}

TEST(pending_work_is_done_first_and_its_failure_told)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(3)), *y, *large;
    char *text = NULL;
    assert_ok(jg_multiply(x, x, &y));
    assert_int_equal(jg_array_current_state(y), JG_ARRAY_UNSCHEDULED);
    assert_text(y, "[1.0, 4.0, 9.0]");
    assert_int_equal(jg_array_current_state(y), JG_ARRAY_AVAILABLE);
    jg_array_release(y);
    size_t limit;
    assert_ok(jg_full(JG_DTYPE_FLOAT64, SHAPE(1 << 20), float_number(1), &y));
    assert_ok(jg_exp(y, &large));
    assert_ok(jg_set_memory_limit(1 << 20, &limit));
    assert_fails(JG_ERR_NOMEM, jg_array_text(large, &text));
    assert_ok(jg_set_memory_limit(limit, NULL));
    assert_null(text);
    release_all(3, (jg_array *[]){x, y, large});
}

TEST(no_elements_on_a_long_axis_are_short)
{
    jg_array *x;
    char *text;
    assert_ok(jg_empty(JG_DTYPE_FLOAT32, SHAPE(200000000, 0), &x));
    assert_ok(jg_array_text(x, &text));
    assert_string_equal(text, "[[],\n [],\n [],\n ...,\n [],\n [],\n []]");
    jg_text_release(text);
    jg_array_release(x);
}
