/* SPDX-License-Identifier: Apache-2.0 */
/* Export: an array's memory as a tensor of others. */
#include "producer.h"

TEST(the_tensor_says_what_the_array_is)
{
    jg_array *x = counting(JG_DTYPE_INT16, SHAPE(2, 3)), *turned;
    DLManagedTensorVersioned *out;
    assert_ok(jg_matrix_transpose(x, &turned));
    assert_ok(jg_array_to_managed(turned, JG_COPY_NEVER, &out));
    const DLTensor *tensor = &out->dl_tensor;
    assert_int_equal(out->version.major, 1);
    assert_int_equal(tensor->device.device_type, kDLCPU);
    assert_int_equal(tensor->dtype.code, kDLInt);
    assert_int_equal(tensor->dtype.bits, 16);
    assert_int_equal(tensor->ndim, 2);
    assert_int_equal(tensor->shape[0], 3);
    assert_int_equal(tensor->strides[0], 1);
    assert_int_equal(tensor->strides[1], 3);
    assert_int_equal(tensor->byte_offset, 0);
    assert_ptr_equal(tensor->data, address_of(x));
    out->deleter(out);
    release_all(2, (jg_array *[]){x, turned});
}

TEST(what_is_not_computed_is_computed_first)
{
    jg_array *x = ones(1 << 18), *sum;
    DLManagedTensor *out;
    assert_ok(jg_add(x, x, &sum));
    assert_ok(jg_eval_async(1, &sum));
    assert_ok(jg_array_to_managed_legacy(sum, JG_COPY_NEVER, &out));
    const float *data = out->dl_tensor.data;
    for (int i = 0; i < 1 << 18; ++i)
        assert_true(data[i] == 2);
    out->deleter(out);
    release_all(2, (jg_array *[]){x, sum});
}

TEST(the_memory_outlives_the_array)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(100)), *other;
    DLManagedTensorVersioned *out;
    assert_ok(jg_array_to_managed(x, JG_COPY_NEVER, &out));
    jg_array_release(x);
    for (int i = 0; i < 100; ++i) { /* would take the block over if it were free */
        assert_ok(jg_full(JG_DTYPE_FLOAT32, SHAPE(100), integer_number(0), &other));
        assert_ok(jg_eval(1, &other));
        jg_array_release(other);
    }
    for (int i = 0; i < 100; ++i)
        assert_true(((const float *)out->dl_tensor.data)[i] == (float)(i + 1));
    out->deleter(out);
}

TEST(what_others_write_is_seen)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(3));
    DLManagedTensorVersioned *out;
    assert_ok(jg_array_to_managed(x, JG_COPY_NEVER, &out));
    ((float *)out->dl_tensor.data)[1] = 9;
    assert_elements(x, 1, 9, 3);
    out->deleter(out);
    jg_array_release(x);
}

TEST(empty_arrays_have_no_address_and_defined_strides)
{
    jg_array *x;
    DLManagedTensorVersioned *out;
    assert_ok(jg_empty(JG_DTYPE_FLOAT32, SHAPE(3, 0, 2), &x));
    assert_ok(jg_array_to_managed(x, JG_COPY_NEVER, &out));
    assert_null(out->dl_tensor.data);
    assert_int_equal(out->dl_tensor.strides[0], 2);
    assert_int_equal(out->dl_tensor.strides[2], 1);
    out->deleter(out);
    jg_array_release(x);
}

TEST(axes_of_one_have_the_stride_of_a_dense_array)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(4, 5)), *column;
    DLManagedTensorVersioned *out;
    assert_ok(jg_slice(x, ITEMS(ALL, FROM_TO(2, 3)), &column));
    assert_ok(jg_array_to_managed(column, JG_COPY_NEVER, &out));
    assert_int_equal(out->dl_tensor.strides[0], 5);
    assert_int_equal(out->dl_tensor.strides[1], 1);
    out->deleter(out);
    release_all(2, (jg_array *[]){x, column});
}

TEST(scalars_are_exported_with_pointers_all_the_same)
{
    jg_array *x;
    DLManagedTensorVersioned *out;
    assert_ok(jg_full(JG_DTYPE_FLOAT64, SCALAR, float_number(2.5), &x));
    assert_ok(jg_array_to_managed(x, JG_COPY_NEVER, &out));
    assert_int_equal(out->dl_tensor.ndim, 0);
    assert_non_null(out->dl_tensor.shape);
    assert_true(*(const double *)out->dl_tensor.data == 2.5);
    out->deleter(out);
    jg_array_release(x);
}

TEST(a_borrowed_tensor_points_into_the_array)
{
    producer own;
    DLTensor tensor;
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(2, 2)), *backwards, *wide, *read_only;
    assert_ok(jg_array_borrow_dltensor(x, &tensor));
    assert_ptr_equal(tensor.data, address_of(x));
    assert_ptr_equal(tensor.shape, jg_array_shape(x));
    assert_ok(jg_slice(x, ITEMS(EVERY(-1)), &backwards));
    assert_fails_saying(JG_ERR_BUFFER, "negative", jg_array_borrow_dltensor(backwards, &tensor));
    assert_ok(jg_broadcast_to(x, SHAPE(3, 2, 2), &wide));
    assert_fails_saying(JG_ERR_BUFFER, "read-only", jg_array_borrow_dltensor(wide, &tensor));
    producer_init(&own);
    own.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &read_only));
    assert_fails_saying(JG_ERR_BUFFER, "read-only", jg_array_borrow_dltensor(read_only, &tensor));
    release_all(4, (jg_array *[]){x, backwards, wide, read_only});
}
