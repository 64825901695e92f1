/* SPDX-License-Identifier: Apache-2.0 */
/* Import: memory of others becomes an array where it lies, and is given back once. */
#include "producer.h"

TEST(memory_is_used_in_place_and_given_back_once)
{
    for (way by = 0; by < WAY_COUNT; ++by) {
        producer own;
        jg_array *x;
        producer_init(&own);
        assert_ok(take(&own, by, JG_COPY_NEVER, &x));
        assert_ptr_equal(address_of(x), own.data);
        assert_int_equal(jg_array_current_state(x), JG_ARRAY_AVAILABLE);
        assert_elements(x, 1, 2, 3, 4, 5, 6);
        assert_int_equal(own.deleted, 0);
        jg_array_release(x);
        assert_int_equal(own.deleted, 1);
    }
}

TEST(a_later_write_by_the_owner_is_seen_until_evaluation)
{
    producer own;
    jg_array *x, *sum, *snapshot;
    producer_init(&own);
    assert_ok(take(&own, WAY_VIEW, JG_COPY_ALWAYS, &snapshot));
    assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
    assert_ok(jg_add(x, x, &sum));
    own.data[0] = 50;
    assert_elements(sum, 100, 4, 6, 8, 10, 12);
    own.data[0] = 7;
    assert_elements(sum, 100, 4, 6, 8, 10, 12);
    assert_elements(x, 7, 2, 3, 4, 5, 6);
    assert_elements(snapshot, 1, 2, 3, 4, 5, 6);
    release_all(3, (jg_array *[]){x, sum, snapshot});
    assert_int_equal(own.deleted, 2);
}

TEST(a_tensor_without_a_deleter_is_fine)
{
    producer own;
    jg_array *x;
    producer_init(&own);
    own.managed.deleter = NULL;
    own.legacy.deleter = NULL;
    for (way by = WAY_MANAGED; by <= WAY_LEGACY; ++by) {
        assert_ok(take(&own, by, JG_COPY_IF_NEEDED, &x));
        jg_array_release(x);
        assert_ok(take(&own, by, JG_COPY_ALWAYS, &x));
        jg_array_release(x);
    }
    jg_view view = producer_view(&own);
    assert_ok(jg_array_take_view(&view, JG_COPY_NEVER, NULL, NULL, &x));
    jg_array_release(x);
    assert_int_equal(own.deleted, 0);
}

TEST(strides_of_every_kind_come_in_place)
{
    producer own;
    jg_array *x;
    producer_init(&own);
    own.managed.dl_tensor.strides = NULL; /* row-major */
    assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
    assert_elements(x, 1, 2, 3, 4, 5, 6);
    jg_array_release(x);
    producer_init(&own);
    own.strides[0] = -3;
    own.strides[1] = 0;
    own.managed.dl_tensor.byte_offset = 4 * sizeof(float);
    assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
    assert_elements(x, 5, 5, 5, 2, 2, 2);
    jg_array_release(x);
    producer_init(&own);
    own.strides[0] = own.strides[1] = 1; /* windows that overlap */
    assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
    assert_elements(x, 1, 2, 3, 2, 3, 4);
    jg_array_release(x);
}

TEST(tensors_of_no_axes_and_of_no_elements_come_in)
{
    producer own;
    jg_array *x;
    producer_init(&own);
    own.managed.dl_tensor.ndim = 0;
    own.managed.dl_tensor.shape = own.managed.dl_tensor.strides = NULL;
    assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
    assert_elements(x, 1);
    jg_array_release(x);
    producer_init(&own);
    own.shape[0] = 0;
    own.strides[0] = -7;
    own.managed.dl_tensor.data = NULL;
    assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
    assert_array_shape(x, SHAPE(0, 3));
    assert_null(address_of(x));
    jg_array_release(x);
    assert_int_equal(own.deleted, 1);
}

TEST(host_memory_of_every_kind_comes_in_on_the_cpu)
{
    const DLDeviceType kinds[] = {kDLCUDAHost, kDLROCMHost, kDLCUDAManaged};
    for (size_t i = 0; i < JG_COUNT_OF(kinds); ++i) {
        producer own;
        jg_array *x;
        producer_init(&own);
        own.managed.dl_tensor.device = (DLDevice){kinds[i], 0};
        assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
        assert_int_equal(jg_array_device(x).type, JG_DEVICE_CPU);
        assert_elements(x, 1, 2, 3, 4, 5, 6);
        jg_array_release(x);
    }
}

TEST(vector_elements_become_a_trailing_axis)
{
    producer own;
    jg_array *x;
    producer_init(&own);
    own.managed.dl_tensor.dtype.lanes = 2;
    own.strides[0] = 4; /* in elements of two lanes */
    assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
    assert_array_shape(x, SHAPE(2, 3, 2));
    assert_elements(x, 1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14);
    jg_array_release(x);
}

TEST(pairs_of_fp4_have_a_dtype_of_their_own)
{
    producer own;
    jg_array *x;
    DLManagedTensorVersioned *again;
    producer_init(&own);
    own.managed.dl_tensor.dtype = (DLDataType){kDLFloat4_e2m1fn, 4, 2};
    assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
    assert_int_equal(jg_array_dtype(x), JG_DTYPE_FLOAT4_E2M1FN_X2);
    assert_array_shape(x, SHAPE(2, 3));
    assert_int_equal(jg_array_nbytes(x), 6);
    assert_ok(jg_array_to_managed(x, JG_COPY_NEVER, &again));
    assert_memory_equal(&again->dl_tensor.dtype, &own.managed.dl_tensor.dtype, sizeof(DLDataType));
    assert_ptr_equal(again->dl_tensor.data, own.data);
    jg_array_release(x);
    assert_int_equal(own.deleted, 0);
    again->deleter(again);
    assert_int_equal(own.deleted, 1);
}

/* Extents and strides that no real tensor has, but that memory could hold. Nothing is read. */
TEST(layouts_at_the_edge_of_memory_come_in)
{
    const int64_t strides[] = {(INT64_MAX - 1) / 2, (INT64_MAX - 1) / 2 - 1, 1LL << 61};
    for (size_t i = 0; i < JG_COUNT_OF(strides); ++i) {
        producer own;
        jg_array *x = NULL, *row;
        producer_init(&own);
        own.managed.dl_tensor.dtype = (DLDataType){kDLInt, 8, 1};
        own.managed.dl_tensor.ndim = 3;
        own.shape[0] = 1;
        own.shape[1] = 3;
        own.shape[2] = 1;
        own.strides[0] = own.strides[1] = strides[i];
        assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
        assert_ok(jg_slice(x, ITEMS(ALL, FROM_TO(0, 1)), &row));
        assert_array_shape(row, SHAPE(1, 1, 1));
        assert_true(jg_array_is_writable(x));
        release_all(2, (jg_array *[]){x, row});
        assert_int_equal(own.deleted, 1);
    }
}
