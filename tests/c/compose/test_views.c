/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes and orders of axes as the user asks for them; only a reshape may copy. */
#include "../arrays.h"

TEST(views_share_the_memory)
{
    jg_array *x = counting(JG_DTYPE_INT32, SHAPE(2, 3)), *views[5];
    assert_ok(jg_reshape(x, SHAPE(3, -1), &views[0]));
    assert_ok(jg_matrix_transpose(x, &views[1]));
    assert_ok(jg_broadcast_to(x, SHAPE(4, 2, 3), &views[2]));
    assert_ok(jg_expand_dims(x, 1, (const int64_t[]){-1}, &views[3]));
    assert_ok(jg_squeeze(views[3], -1, NULL, &views[4]));
    for (int i = 0; i < 5; ++i)
        assert_ptr_equal(address_of(views[i]), address_of(x));
    assert_elements(views[1], 1, 4, 2, 5, 3, 6);
    assert_array_shape(views[4], SHAPE(2, 3));
    release_all(5, views);
    jg_array_release(x);
}

TEST(a_reshape_across_rows_copies)
{
    jg_array *x = counting(JG_DTYPE_INT32, SHAPE(2, 3)), *turned, *flat, *whole;
    assert_ok(jg_matrix_transpose(x, &turned));
    assert_ok(jg_reshape(turned, SHAPE(6), &flat));
    assert_ptr_not_equal(address_of(flat), address_of(x));
    assert_elements(flat, 1, 4, 2, 5, 3, 6);
    assert_ok(jg_broadcast_to(x, SHAPE(2, 2, 3), &whole));
    replace(&flat, NULL);
    assert_ok(jg_reshape(whole, SHAPE(-1), &flat));
    assert_elements(flat, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6);
    release_all(4, (jg_array *[]){x, turned, flat, whole});
}

TEST(a_copy_is_dense_memory_of_its_own)
{
    jg_array *x = counting(JG_DTYPE_FLOAT16, SHAPE(2, 2)), *turned, *copy;
    jg_view view;
    assert_ok(jg_matrix_transpose(x, &turned));
    assert_ok(jg_copy(turned, &copy));
    assert_ok(jg_array_view(copy, &view));
    assert_true(jg_view_is_contiguous(&view));
    assert_ptr_not_equal(view.data, address_of(x));
    assert_elements(copy, 1, 3, 2, 4);
    release_all(3, (jg_array *[]){x, turned, copy});
}

TEST(bad_shapes_and_axes_are_refused)
{
    jg_array *x = counting(JG_DTYPE_INT8, SHAPE(2, 3)), *v = counting(JG_DTYPE_INT8, SHAPE(3)),
             *out = NULL;
    assert_fails(JG_ERR_VALUE, jg_reshape(x, SHAPE(4, 2), &out));
    assert_fails(JG_ERR_VALUE, jg_reshape(x, SHAPE(-1, -1), &out));
    assert_fails(JG_ERR_VALUE, jg_broadcast_to(x, SHAPE(2, 4), &out));
    assert_fails(JG_ERR_VALUE, jg_permute_dims(x, 2, (int64_t[]){0, 0}, &out));
    assert_fails(JG_ERR_VALUE, jg_permute_dims(x, 1, (int64_t[]){0}, &out));
    assert_fails(JG_ERR_VALUE, jg_squeeze(x, 1, (int64_t[]){0}, &out));
    assert_fails(JG_ERR_AXIS, jg_squeeze(x, 1, (int64_t[]){2}, &out));
    assert_fails(JG_ERR_AXIS, jg_expand_dims(x, 1, (const int64_t[]){3}, &out));
    assert_fails(JG_ERR_VALUE, jg_matrix_transpose(v, &out));
    assert_null(out);
    release_all(2, (jg_array *[]){x, v});
}

TEST(views_of_what_is_not_computed_wait_for_it)
{
    jg_array *x = counting(JG_DTYPE_INT32, SHAPE(2, 3)), *sum, *turned, *part;
    assert_ok(jg_add(x, x, &sum));
    assert_ok(jg_matrix_transpose(sum, &turned));
    assert_ok(jg_slice(turned, ITEMS(EVERY(-1), AT(1)), &part));
    assert_int_equal(jg_array_current_state(part), JG_ARRAY_UNSCHEDULED);
    assert_elements(part, 12, 10, 8);
    assert_int_equal(jg_array_current_state(turned), JG_ARRAY_AVAILABLE);
    release_all(4, (jg_array *[]){x, sum, turned, part});
}
