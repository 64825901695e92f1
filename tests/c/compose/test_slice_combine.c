/* SPDX-License-Identifier: Apache-2.0 */
/* Combining what an index chooses with values: elements that are chosen repeatedly take each of
 * them. */
#include "../arrays.h"
#include <joggle/ops.h>

static jg_array *from_integers(int64_t count, const int64_t *data)
{
    jg_array *x;
    assert_ok(jg_array_from_data(data, JG_DTYPE_INT64, 1, &count, &x));
    return x;
}

TEST(each_mode_takes_in_every_value_in_order)
{
    static const struct {
        jg_scatter_mode mode;
        double expected;
    } cases[] = {
        {JG_SCATTER_SET, 3},       {JG_SCATTER_ADD, 11},    {JG_SCATTER_SUBTRACT, 1},
        {JG_SCATTER_MULTIPLY, 36}, {JG_SCATTER_DIVIDE, 1},  {JG_SCATTER_POWER, 46656},
        {JG_SCATTER_MAXIMUM, 6},   {JG_SCATTER_MINIMUM, 2},
    };
    const float old[] = {0, 6}, new[] = {2, 3};
    jg_array *x = from_floats(SHAPE(2), old), *value = from_floats(SHAPE(2), new);
    jg_array *index = from_integers(2, (int64_t[]){1, -1}), *y;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_ok(jg_slice_combine(x, ITEMS(ARRAY(index)), cases[i].mode, value, &y));
        assert_elements(y, 0, cases[i].expected);
        jg_array_release(y);
    }
    release_all(3, (jg_array *[]){x, value, index});
}

TEST(slices_and_masks_are_combined_too)
{
    jg_array *x = counting(JG_DTYPE_INT32, SHAPE(2, 2)), *value, *mask, *limit, *y;
    assert_ok(jg_full(JG_DTYPE_INT32, SCALAR, integer_number(10), &value));
    assert_ok(jg_full(JG_DTYPE_INT32, SCALAR, integer_number(2), &limit));
    assert_ok(jg_greater(x, limit, &mask));
    assert_ok(jg_slice_combine(x, ITEMS(ALL, AT(1)), JG_SCATTER_ADD, value, &y));
    assert_elements(y, 1, 12, 3, 14);
    replace(&y, NULL);
    assert_ok(jg_slice_combine(x, ITEMS(ARRAY(mask)), JG_SCATTER_MULTIPLY, value, &y));
    assert_elements(y, 1, 2, 30, 40);
    release_all(5, (jg_array *[]){x, value, mask, limit, y});
}

TEST(an_index_without_numbers_changes_nothing)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(2)), *y;
    jg_array *index = from_integers(0, (int64_t[]){0}),
             *value = from_floats(SHAPE(0), (float[]){0});
    for (int mode = JG_SCATTER_SET; mode <= JG_SCATTER_MINIMUM; ++mode) {
        assert_ok(jg_slice_combine(x, ITEMS(ARRAY(index)), (jg_scatter_mode)mode, value, &y));
        assert_elements(y, 1, 2);
        jg_array_release(y);
    }
    release_all(3, (jg_array *[]){x, value, index});
}

TEST(a_mask_with_one_value_is_not_computed)
{
    jg_array *x = counting(JG_DTYPE_INT32, SHAPE(3)), *value, *mask, *y;
    assert_ok(jg_full(JG_DTYPE_INT32, SCALAR, integer_number(2), &value));
    assert_ok(jg_greater(x, value, &mask));
    assert_ok(jg_slice_update(x, ITEMS(ARRAY(mask)), value, &y));
    assert_int_equal(jg_array_current_state(mask), JG_ARRAY_UNSCHEDULED);
    assert_elements(y, 1, 2, 2);
    release_all(4, (jg_array *[]){x, value, mask, y});
}

TEST(what_has_no_meaning_is_refused)
{
    jg_array *x = counting(JG_DTYPE_INT32, SHAPE(2)), *half, *y = NULL;
    assert_ok(jg_full(JG_DTYPE_FLOAT32, SCALAR, float_number(0.5), &half));
    assert_fails_saying(JG_ERR_TYPE, "[scatter_add] updates: float32 does not fit",
                        jg_slice_combine(x, ITEMS(ALL), JG_SCATTER_ADD, half, &y));
    assert_fails_saying(JG_ERR_TYPE, "[scatter_divide] x: got int32",
                        jg_slice_combine(x, ITEMS(ALL), JG_SCATTER_DIVIDE, x, &y));
    assert_fails(JG_ERR_VALUE,
                 jg_slice_combine(x, ITEMS(ALL), (jg_scatter_mode)JG_SCATTER_COUNT, x, &y));
    assert_null(y);
    release_all(2, (jg_array *[]){x, half});
}
