/* SPDX-License-Identifier: Apache-2.0 */
/* Out and in again: nothing is lost on the way, whoever goes first. */
#include "producer.h"

static jg_array *round_trip(jg_array *x)
{
    DLManagedTensorVersioned *out;
    jg_array *back;
    assert_ok(jg_array_to_managed(x, JG_COPY_NEVER, &out));
    assert_ok(jg_array_take_managed(out, JG_COPY_NEVER, &back, NULL));
    return back;
}

TEST(every_dtype_comes_back_in_place)
{
    for (int i = 0; i < JG_DTYPE_COUNT; ++i) {
        jg_array *x, *back;
        if (i == JG_DTYPE_OPAQUE)
            continue;
        assert_ok(jg_empty((jg_dtype)i, SHAPE(3, 4), &x));
        back = round_trip(x);
        assert_int_equal(jg_array_dtype(back), i);
        assert_array_shape(back, SHAPE(3, 4));
        assert_int_equal(jg_array_nbytes(back), jg_array_nbytes(x));
        assert_ptr_equal(address_of(back), address_of(x));
        release_all(2, (jg_array *[]){x, back});
    }
}

TEST(read_only_survives_a_re_export)
{
    producer own;
    jg_array *x, *view, *back;
    DLManagedTensorVersioned *out;
    producer_init(&own);
    own.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
    assert_false(jg_array_is_writable(x));
    assert_ok(jg_matrix_transpose(x, &view));
    assert_false(jg_array_is_writable(view));
    back = round_trip(view);
    assert_false(jg_array_is_writable(back));
    assert_ok(jg_array_to_managed(back, JG_COPY_NEVER, &out));
    assert_int_equal(out->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
    out->deleter(out);
    release_all(3, (jg_array *[]){x, view, back});
    assert_int_equal(own.deleted, 1);
}

TEST(what_is_computed_from_read_only_memory_is_writable)
{
    producer own;
    jg_array *x, *sum;
    producer_init(&own);
    own.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
    assert_ok(jg_add(x, x, &sum));
    assert_true(jg_array_is_writable(sum));
    assert_ok(jg_eval(1, &sum));
    assert_true(jg_array_is_writable(sum));
    release_all(2, (jg_array *[]){x, sum});
}

TEST(the_last_holder_gives_the_memory_back)
{
    producer own;
    jg_array *x, *view, *sum, *back;
    producer_init(&own);
    assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
    assert_ok(jg_slice(x, ITEMS(AT(1)), &view));
    assert_ok(jg_add(view, view, &sum));
    back = round_trip(view);
    jg_array_release(x);
    jg_array_release(view);
    assert_int_equal(own.deleted, 0);
    assert_elements(back, 4, 5, 6);
    jg_array_release(back);
    assert_int_equal(own.deleted, 0); /* the sum will read it */
    assert_ok(jg_eval(1, &sum));
    assert_int_equal(own.deleted, 1);
    assert_elements(sum, 8, 10, 12);
    jg_array_release(sum);
}

TEST(a_hundred_thousand_round_trips_unwind_in_little_stack)
{
    producer own;
    jg_array *x;
    producer_init(&own);
    assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
    for (int i = 0; i < 100000; ++i)
        replace(&x, round_trip(x));
    assert_ptr_equal(address_of(x), own.data);
    jg_array_release(x);
    assert_int_equal(own.deleted, 1);
}
