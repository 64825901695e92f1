/* SPDX-License-Identifier: Apache-2.0 */
/* Writing through an index gives a new value and leaves everybody else's alone. */
#include "../arrays.h"

TEST(the_result_has_the_value_and_the_original_not)
{
    jg_array *x = counting(JG_DTYPE_INT32, SHAPE(2, 3)), *value, *y;
    assert_ok(jg_full(JG_DTYPE_INT32, SCALAR, integer_number(9), &value));
    assert_ok(jg_slice_update(x, ITEMS(ALL, AT(1)), value, &y));
    assert_elements(x, 1, 2, 3, 4, 5, 6);
    assert_elements(y, 1, 9, 3, 4, 9, 6);
    release_all(3, (jg_array *[]){x, value, y});
}

TEST(a_view_made_earlier_keeps_the_old_values)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(4)), *value, *view, *y;
    DLManagedTensorVersioned *exported;
    assert_ok(jg_array_to_managed(x, JG_COPY_NEVER, &exported));
    assert_ok(jg_slice(x, ITEMS(EVERY(2)), &view));
    assert_ok(jg_full(JG_DTYPE_FLOAT32, SCALAR, integer_number(0), &value));
    assert_ok(jg_slice_update(x, ITEMS(ALL), value, &y));
    replace(&x, NULL);
    assert_elements(view, 1, 3);
    assert_true(((const float *)exported->dl_tensor.data)[3] == 4);
    assert_elements(y, 0, 0, 0, 0);
    exported->deleter(exported);
    release_all(3, (jg_array *[]){view, value, y});
}

TEST(what_was_built_on_the_original_sees_the_original)
{
    jg_array *x = counting(JG_DTYPE_INT64, SHAPE(3)), *lazy, *value, *y;
    assert_ok(jg_add(x, x, &lazy));
    assert_ok(jg_full(JG_DTYPE_INT64, SCALAR, integer_number(0), &value));
    assert_ok(jg_slice_update(x, ITEMS(AT(0)), value, &y));
    assert_elements(lazy, 2, 4, 6);
    release_all(4, (jg_array *[]){x, lazy, value, y});
}

TEST(values_are_cast_and_broadcast)
{
    const float data[] = {1.9f, -1.9f, 7};
    jg_array *x = counting(JG_DTYPE_INT8, SHAPE(2, 3)), *row = from_floats(SHAPE(3), data), *y;
    assert_ok(jg_slice_update(x, ITEMS(ELLIPSIS), row, &y));
    assert_int_equal(jg_array_dtype(y), JG_DTYPE_INT8);
    assert_elements(y, 1, -1, 7, 1, -1, 7);
    release_all(3, (jg_array *[]){x, row, y});
}

TEST(windows_may_run_backwards_and_be_empty)
{
    jg_array *x = counting(JG_DTYPE_INT16, SHAPE(5)), *value = counting(JG_DTYPE_INT16, SHAPE(3)),
             *y, *none;
    assert_ok(jg_slice_update(x, ITEMS(EVERY(-2)), value, &y));
    assert_elements(y, 3, 2, 2, 4, 1);
    assert_ok(jg_full(JG_DTYPE_INT16, SHAPE(1), integer_number(0), &none));
    replace(&y, NULL);
    assert_ok(jg_slice_update(x, ITEMS(FROM_TO(3, 3)), none, &y));
    assert_elements(y, 1, 2, 3, 4, 5);
    release_all(4, (jg_array *[]){x, value, y, none});
}

TEST(an_array_may_be_written_into_itself)
{
    jg_array *x = counting(JG_DTYPE_INT32, SHAPE(4)), *backwards, *y;
    assert_ok(jg_slice(x, ITEMS(EVERY(-1)), &backwards));
    assert_ok(jg_slice_update(x, ITEMS(ALL), backwards, &y));
    assert_elements(y, 4, 3, 2, 1);
    release_all(3, (jg_array *[]){x, backwards, y});
}

TEST(views_of_every_layout_can_be_written_over)
{
    jg_array *x = counting(JG_DTYPE_INT32, SHAPE(2, 3)), *turned, *wide, *value, *one, *y;
    assert_ok(jg_full(JG_DTYPE_INT32, SCALAR, integer_number(0), &value));
    assert_ok(jg_matrix_transpose(x, &turned));
    assert_ok(jg_slice_update(turned, ITEMS(AT(1)), value, &y));
    assert_array_shape(y, SHAPE(3, 2));
    assert_elements(y, 1, 4, 0, 0, 3, 6);
    assert_ok(jg_broadcast_to(value, SHAPE(3), &wide));
    replace(&y, NULL);
    assert_ok(jg_full(JG_DTYPE_INT32, SCALAR, integer_number(1), &one));
    assert_ok(jg_slice_update(wide, ITEMS(AT(1)), one, &y));
    assert_elements(y, 0, 1, 0);
    release_all(6, (jg_array *[]){x, turned, wide, value, y, one});
}

TEST(what_does_not_fit_is_refused)
{
    jg_array *x = counting(JG_DTYPE_INT32, SHAPE(2, 3)),
             *value = counting(JG_DTYPE_INT32, SHAPE(2)), *packed, *y = NULL;
    assert_ok(jg_empty(JG_DTYPE_INT4, SHAPE(2), &packed));
    assert_fails_saying(JG_ERR_VALUE, "(2,) cannot be broadcast to (3,)",
                        jg_slice_update(x, ITEMS(AT(0)), value, &y));
    assert_fails(JG_ERR_INDEX, jg_slice_update(x, ITEMS(AT(2)), value, &y));
    assert_fails(JG_ERR_TYPE, jg_slice_update(packed, ITEMS(AT(0)), value, &y));
    assert_fails(JG_ERR_TYPE, jg_slice_update(x, ITEMS(ALL), packed, &y));
    assert_null(y);
    release_all(3, (jg_array *[]){x, value, packed});
}
