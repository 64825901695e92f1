/* SPDX-License-Identifier: Apache-2.0 */
/* jg_view_from_dltensor and the version rule, fed with what hostile and sloppy producers hand
 * out. */
#include "../tests.h"

#include "dlpack/dlpack.h"
#include <string.h>

static float floats[64];
static int64_t shape[2], strides[2];

/* A correct (2, 3) float32 tensor on the CPU, for each test to spoil. */
static DLTensor good(void)
{
    memcpy(shape, (int64_t[]){2, 3}, sizeof shape);
    memcpy(strides, (int64_t[]){3, 1}, sizeof strides);
    return (DLTensor){.data = floats,
                      .device = {kDLCPU, 0},
                      .ndim = 2,
                      .dtype = {kDLFloat, 32, 1},
                      .shape = shape,
                      .strides = strides};
}

/* The tensor is refused with words in the message, and the result stays as it was. */
static void assert_refused(const DLTensor *tensor, const char *words)
{
    jg_view view, before;
    memset(&view, 0x5a, sizeof view);
    memcpy(&before, &view, sizeof view);
    assert_int_equal(jg_view_from_dltensor(tensor, 0, &view), JG_ERR_BUFFER);
    assert_memory_equal(&view, &before, sizeof view);
    if (strstr(jg_error_message(), words) == NULL)
        fail_msg("'%s' is not in '%s'", words, jg_error_message());
}

static jg_view accepted(const DLTensor *tensor, unsigned flags)
{
    jg_view view = {0};
    if (jg_view_from_dltensor(tensor, flags, &view) != JG_OK)
        fail_msg("refused: %s", jg_error_message());
    return view;
}

TEST(a_correct_tensor_comes_through_unchanged)
{
    DLTensor tensor = good();
    jg_view view = accepted(&tensor, 0);
    assert_ptr_equal(view.data, floats);
    assert_int_equal(view.dtype, JG_DTYPE_FLOAT32);
    assert_int_equal(view.lanes, 1);
    assert_int_equal(view.ndim, 2);
    assert_memory_equal(view.shape, shape, sizeof shape);
    assert_memory_equal(view.strides, strides, sizeof strides);
}

TEST(a_bad_rank_or_shape_is_refused)
{
    DLTensor tensor = good();
    tensor.ndim = -1;
    assert_refused(&tensor, "ndim: got -1, allowed 0 to 64");
    tensor.ndim = 65;
    assert_refused(&tensor, "ndim: got 65");
    tensor.ndim = INT32_MIN;
    assert_refused(&tensor, "ndim: got -2147483648");
    tensor = good();
    tensor.shape = NULL;
    assert_refused(&tensor, "shape: got NULL with ndim 2");
    tensor = good();
    shape[1] = -1;
    assert_refused(&tensor, "shape[1]: got -1");
    shape[1] = INT64_MIN;
    assert_refused(&tensor, "shape[1]: got -9223372036854775808");
}

TEST(a_negative_extent_beside_an_empty_axis_is_still_refused)
{
    DLTensor tensor = good();
    shape[0] = -5;
    shape[1] = 0;
    assert_refused(&tensor, "shape[0]: got -5");
}

TEST(sizes_beyond_memory_are_refused)
{
    DLTensor tensor = good();
    shape[0] = shape[1] = INT64_C(1) << 32;
    assert_refused(&tensor, "shape[0]: got 4294967296, which makes more");
    tensor.strides = NULL;
    shape[0] = INT64_C(1) << 31;
    shape[1] = INT64_C(1) << 30;
    assert_refused(&tensor, "take more than 9223372036854775807 bytes");
}

TEST(a_broadcast_whose_dense_copy_memory_cannot_hold_is_refused)
{
    DLTensor tensor = good();
    shape[0] = INT64_C(1) << 62;
    shape[1] = 1;
    strides[0] = strides[1] = 0;
    assert_refused(&tensor, "take more than");
}

TEST(strides_that_reach_out_of_memory_are_refused)
{
    DLTensor tensor = good();
    strides[0] = INT64_C(1) << 61;
    assert_refused(&tensor, "strides[0]: got 2305843009213693952");
    strides[0] = INT64_MIN;
    assert_refused(&tensor, "strides[0]");
    strides[0] = 1;
    strides[1] = INT64_MAX;
    assert_refused(&tensor, "strides[1]: got 9223372036854775807");
}

TEST(two_axes_that_reach_too_far_together_are_refused)
{
    DLTensor tensor = good();
    shape[1] = 2;
    strides[0] = (INT64_C(1) << 60) - 1;
    strides[1] = INT64_C(1) << 60;
    assert_refused(&tensor, "strides[1]");
    strides[0] = -(INT64_C(1) << 60);
    assert_refused(&tensor, "strides[1]");
}

TEST(data_that_is_missing_or_wraps_around_is_refused)
{
    DLTensor tensor = good();
    tensor.data = NULL;
    assert_refused(&tensor, "data: got NULL");
    tensor.byte_offset = 4096;
    assert_refused(&tensor, "data: got NULL");
    tensor = good();
    tensor.data = (void *)(UINTPTR_MAX - 15);
    assert_refused(&tensor, "data: got 0xfffffffffffffff0");
    tensor = good();
    tensor.data = (void *)(uintptr_t)16;
    strides[0] = -100;
    assert_refused(&tensor, "data: got 0x10");
}

TEST(an_offset_beyond_memory_is_refused)
{
    DLTensor tensor = good();
    tensor.byte_offset = UINT64_MAX;
    assert_refused(&tensor, "byte_offset: got 18446744073709551615");
    tensor.byte_offset = INT64_MAX;
    tensor.data = (void *)(UINTPTR_MAX - 4096);
    assert_refused(&tensor, "byte_offset: got 9223372036854775807");
}

TEST(a_handle_is_not_reached_below_its_start)
{
    DLTensor tensor = good();
    tensor.device.device_type = kDLMetal;
    strides[0] = -3;
    assert_refused(&tensor, "byte_offset: got 0, but the strides reach 12 bytes below");
    tensor.byte_offset = 12;
    assert_int_equal(accepted(&tensor, 0).byte_offset, 12);
    strides[0] = 3;
    tensor.byte_offset = INT64_MAX - 8;
    assert_refused(&tensor, "byte_offset");
}

TEST(unknown_dtypes_are_refused)
{
    const DLDataType unknown[] = {{99, 32, 1},         {kDLFloat, 31, 1},  {kDLFloat, 0, 1},
                                  {kDLBool, 1, 1},     {kDLBfloat, 32, 1}, {kDLFloat6_e2m3fn, 8, 1},
                                  {kDLComplex, 16, 1}, {18, 8, 1},         {kDLInt, 128, 1}};
    DLTensor tensor = good();
    for (size_t i = 0; i < JG_COUNT_OF(unknown); i++) {
        tensor.dtype = unknown[i];
        assert_refused(&tensor, "dtype: got code");
    }
    tensor.dtype = (DLDataType){kDLFloat, 32, 0};
    assert_refused(&tensor, "dtype.lanes: got 0");
}

TEST(unknown_devices_are_refused)
{
    const int unknown[] = {0, 5, 6, 19, 1000, -1, INT32_MIN};
    DLTensor tensor = good();
    for (size_t i = 0; i < JG_COUNT_OF(unknown); i++) {
        tensor.device.device_type = (DLDeviceType)unknown[i];
        assert_refused(&tensor, "device.device_type: got");
    }
    tensor.device = (DLDevice){kDLCUDA, -1};
    assert_refused(&tensor, "device.device_id: got -1 on cuda");
}

TEST(memory_of_the_host_has_device_id_zero)
{
    DLTensor tensor = good();
    tensor.device = (DLDevice){kDLCPU, 3};
    assert_int_equal(accepted(&tensor, 0).device.id, 0);
    tensor.device = (DLDevice){kDLCUDAHost, -1};
    assert_int_equal(accepted(&tensor, 0).device.id, 0);
    tensor.device = (DLDevice){kDLROCM, 3};
    assert_int_equal(accepted(&tensor, 0).device.id, 3);
}

TEST(null_strides_mean_row_major)
{
    DLTensor tensor = good();
    tensor.strides = NULL;
    jg_view view = accepted(&tensor, 0);
    assert_memory_equal(view.strides, ((int64_t[]){3, 1}), 2 * sizeof(int64_t));
}

TEST(any_strides_within_memory_are_kept)
{
    const int64_t kept[][2] = {{0, 0}, {1, 1}, {1, 2}, {7, 2}, {-3, -1}, {-3, 1}, {100, 1000}};
    DLTensor tensor = good();
    for (size_t i = 0; i < JG_COUNT_OF(kept); i++) {
        memcpy(strides, kept[i], sizeof strides);
        assert_memory_equal(accepted(&tensor, 0).strides, kept[i], sizeof strides);
    }
}

TEST(the_stride_of_an_axis_of_one_becomes_row_major)
{
    const int64_t ignored[] = {999, 0, 1, -7, INT64_MIN, INT64_MAX};
    DLTensor tensor = good();
    shape[0] = 1;
    for (size_t i = 0; i < JG_COUNT_OF(ignored); i++) {
        strides[0] = ignored[i];
        assert_int_equal(accepted(&tensor, 0).strides[0], 3);
    }
}

TEST(an_empty_tensor_is_contiguous_whatever_it_says)
{
    DLTensor tensor = good();
    shape[0] = 0;
    strides[0] = INT64_MIN;
    strides[1] = -5;
    tensor.byte_offset = UINT64_MAX;
    jg_view view = accepted(&tensor, 0);
    assert_null(view.data);
    assert_int_equal(view.byte_offset, 0);
    assert_memory_equal(view.strides, ((int64_t[]){3, 1}), 2 * sizeof(int64_t));
    tensor.data = NULL;
    tensor.strides = NULL;
    view = accepted(&tensor, 0);
    assert_int_equal(jg_view_size(&view), 0);
}

TEST(a_scalar_needs_neither_shape_nor_strides)
{
    DLTensor tensor = good();
    tensor.ndim = 0;
    tensor.shape = tensor.strides = NULL;
    jg_view view = accepted(&tensor, 0);
    assert_int_equal(view.ndim, 0);
    assert_ptr_equal(view.data, floats);
}

TEST(the_offset_is_added_to_an_address)
{
    DLTensor tensor = good();
    tensor.byte_offset = 12;
    jg_view view = accepted(&tensor, 0);
    assert_ptr_equal(view.data, floats + 3);
    assert_int_equal(view.byte_offset, 0);
}

TEST(lanes_are_kept)
{
    DLTensor tensor = good();
    tensor.dtype = (DLDataType){kDLFloat, 32, 4};
    jg_view view = accepted(&tensor, 0);
    assert_int_equal(view.dtype, JG_DTYPE_FLOAT32);
    assert_int_equal(view.lanes, 4);
    tensor.dtype = (DLDataType){kDLFloat4_e2m1fn, 4, 2};
    view = accepted(&tensor, 0);
    assert_int_equal(view.dtype, JG_DTYPE_FLOAT4_E2M1FN);
    assert_int_equal(view.lanes, 2);
}

TEST(flags_nobody_knows_are_dropped)
{
    DLTensor tensor = good();
    assert_int_equal(accepted(&tensor, ~0u).flags, JG_VIEW_READ_ONLY | JG_VIEW_COPIED);
    tensor.dtype = (DLDataType){kDLFloat4_e2m1fn, 4, 1};
    assert_int_equal(accepted(&tensor, ~0u).flags, 7);
}

TEST(a_view_comes_back_from_its_own_dltensor)
{
    DLTensor tensor = good();
    strides[0] = -7;
    tensor.byte_offset = 64;
    jg_view first = accepted(&tensor, JG_VIEW_READ_ONLY);
    DLTensor again = jg_view_dltensor(&first);
    jg_view second = accepted(&again, first.flags);
    assert_ptr_equal(first.data, second.data);
    assert_memory_equal(first.strides, second.strides, 2 * sizeof(int64_t));
    assert_int_equal(first.flags, second.flags);
}

TEST(only_major_version_one_is_read)
{
    jg_view view;
    DLManagedTensorVersioned managed = {.version = {1, 3}, .flags = 1 | UINT64_C(1) << 40};
    managed.dl_tensor = good();
    assert_int_equal(jg_view_from_managed(&managed, &view), JG_OK);
    assert_int_equal(view.flags, JG_VIEW_READ_ONLY);
    managed.version.minor = 99;
    assert_int_equal(jg_managed_check(&managed), JG_OK);
    managed.version.major = 2;
    assert_int_equal(jg_view_from_managed(&managed, &view), JG_ERR_BUFFER);
    assert_string_equal(jg_error_message(), "version: got 2.99, allowed 1.x");
    managed.version.major = 0;
    assert_int_equal(jg_managed_check(&managed), JG_ERR_BUFFER);
}
