/* SPDX-License-Identifier: Apache-2.0 */
/* Reading values on the host: views, copies, single elements. */
#include "../arrays.h"

TEST(a_view_describes_the_memory_that_lies_there)
{
    jg_array *x = counting(JG_DTYPE_INT32, SHAPE(3, 4)), *part;
    jg_view view;
    assert_ok(jg_slice(x, ITEMS(EVERY(-2), FROM_TO(1, 3)), &part));
    assert_ok(jg_array_view(part, &view));
    assert_int_equal(view.dtype, JG_DTYPE_INT32);
    assert_int_equal(view.ndim, 2);
    assert_int_equal(view.shape[0], 2);
    assert_int_equal(view.strides[0], -8);
    assert_int_equal(*(const int32_t *)view.data, 10);
    assert_int_equal(view.flags, 0);
    release_all(2, (jg_array *[]){x, part});
}

TEST(a_view_of_read_only_memory_says_so)
{
    static const float data[] = {1, 2, 3};
    const int64_t shape[] = {3};
    jg_view view, back;
    jg_array *x, *sum;
    assert_ok(JG_VIEW_OF(&view, data, ((jg_device_id){JG_DEVICE_CPU, 0}), 1, shape, NULL));
    assert_ok(jg_array_take_view(&view, JG_COPY_NEVER, NULL, NULL, &x));
    assert_ok(jg_array_view(x, &back));
    assert_int_equal(back.flags, JG_VIEW_READ_ONLY);
    assert_ok(jg_add(x, x, &sum));
    assert_ok(jg_array_view(sum, &back));
    assert_int_equal(back.flags, 0);
    release_all(2, (jg_array *[]){x, sum});
}

TEST(views_and_copies_may_have_no_elements)
{
    jg_array *x;
    jg_view view;
    assert_ok(jg_full(JG_DTYPE_INT8, SHAPE(0, 3), integer_number(1), &x));
    assert_ok(jg_array_view(x, &view));
    assert_null(view.data);
    assert_ok(jg_array_copy_to(x, NULL, 0));
    jg_array_release(x);
}

TEST(copies_are_packed_and_row_major)
{
    jg_array *x = counting(JG_DTYPE_INT16, SHAPE(2, 3)), *turned, *wide;
    const int16_t expected[] = {1, 4, 2, 5, 3, 6};
    int16_t back[12];
    assert_ok(jg_matrix_transpose(x, &turned));
    assert_ok(jg_array_copy_to(turned, back, sizeof expected));
    assert_memory_equal(back, expected, sizeof expected);
    assert_ok(jg_broadcast_to(turned, SHAPE(2, 3, 2), &wide));
    assert_ok(jg_array_copy_to(wide, back, sizeof back));
    assert_memory_equal(back + 6, expected, sizeof expected);
    assert_fails_saying(JG_ERR_VALUE, "got 12, allowed is 24", jg_array_copy_to(wide, back, 12));
    release_all(3, (jg_array *[]){x, turned, wide});
}

TEST(an_item_is_read_in_the_kind_of_its_dtype)
{
    for (int i = 0; i < JG_DTYPE_COUNT; ++i) {
        jg_array *x;
        jg_number item;
        if (!jg_dtype_is_computable((jg_dtype)i))
            continue;
        assert_ok(jg_full((jg_dtype)i, SHAPE(1, 1), integer_number(1), &x));
        assert_ok(jg_array_item(x, &item));
        assert_int_equal(item.kind, jg_dtype_kind_of((jg_dtype)i));
        assert_true(item.i64 == 1 || item.u64 == 1 || item.re == 1);
        jg_array_release(x);
    }
}

TEST(the_largest_integers_are_read_whole)
{
    jg_array *x;
    jg_number item, large = {.kind = JG_KIND_UINT, .u64 = UINT64_MAX};
    assert_ok(jg_full(JG_DTYPE_UINT64, SCALAR, large, &x));
    assert_ok(jg_array_item(x, &item));
    assert_true(item.kind == JG_KIND_UINT && item.u64 == UINT64_MAX);
    replace(&x, NULL);
    assert_ok(jg_full(JG_DTYPE_INT64, SCALAR, integer_number(INT64_MIN), &x));
    assert_ok(jg_array_item(x, &item));
    assert_true(item.kind == JG_KIND_INT && item.i64 == INT64_MIN);
    jg_array_release(x);
}

TEST(items_of_other_sizes_and_handles_are_refused)
{
    jg_array *x = counting(JG_DTYPE_INT8, SHAPE(2)), *handle;
    jg_number item;
    assert_fails_saying(JG_ERR_VALUE, "has 2 elements", jg_array_item(x, &item));
    assert_ok(jg_empty(JG_DTYPE_OPAQUE, SHAPE(1), &handle));
    assert_fails(JG_ERR_TYPE, jg_array_item(handle, &item)); /* a handle is no number */
    release_all(2, (jg_array *[]){x, handle});
}
