/* SPDX-License-Identifier: Apache-2.0 */
/* jg_view_init and what is made from a view: its size, its contiguity, a DLTensor. */
#include "../tests.h"

#include "dlpack/dlpack.h"
#include <string.h>

static const jg_device_id cpu = {JG_DEVICE_CPU, 0};
static float floats[64];

/* A float32 view of the static array. */
static jg_status init(jg_view *view, int ndim, const int64_t *shape, const int64_t *strides)
{
    return jg_view_init(view, floats, cpu, JG_DTYPE_FLOAT32, 1, ndim, shape, strides, 0);
}

static void assert_refused(jg_status status, const char *words)
{
    assert_int_equal(status, JG_ERR_VALUE);
    if (strstr(jg_error_message(), words) == NULL)
        fail_msg("'%s' is not in '%s'", words, jg_error_message());
}

TEST(without_strides_a_view_is_row_major)
{
    jg_view view;
    assert_int_equal(init(&view, 3, (int64_t[]){2, 3, 4}, NULL), JG_OK);
    assert_memory_equal(view.strides, ((int64_t[]){12, 4, 1}), 3 * sizeof(int64_t));
    assert_int_equal(jg_view_size(&view), 24);
    assert_true(jg_view_is_contiguous(&view));
}

TEST(a_scalar_has_one_element_and_is_contiguous)
{
    jg_view view;
    assert_int_equal(init(&view, 0, NULL, NULL), JG_OK);
    assert_int_equal(jg_view_size(&view), 1);
    assert_true(jg_view_is_contiguous(&view));
}

TEST(a_transpose_keeps_its_strides_and_is_not_contiguous)
{
    jg_view view;
    assert_int_equal(init(&view, 2, (int64_t[]){3, 2}, (int64_t[]){1, 3}), JG_OK);
    assert_int_equal(view.strides[0], 1);
    assert_int_equal(view.strides[1], 3);
    assert_false(jg_view_is_contiguous(&view));
}

TEST(the_stride_of_an_axis_of_one_does_not_count)
{
    jg_view view;
    assert_int_equal(init(&view, 3, (int64_t[]){4, 1, 5}, (int64_t[]){5, INT64_MIN, 1}), JG_OK);
    assert_int_equal(view.strides[1], 5);
    assert_true(jg_view_is_contiguous(&view));
    view.strides[1] = 77;
    assert_true(jg_view_is_contiguous(&view));
}

TEST(an_empty_view_has_no_data_and_is_contiguous)
{
    jg_view view;
    assert_int_equal(init(&view, 3, (int64_t[]){2, 0, 3}, (int64_t[]){-7, INT64_MAX, 0}), JG_OK);
    assert_null(view.data);
    assert_int_equal(jg_view_size(&view), 0);
    assert_memory_equal(view.strides, ((int64_t[]){3, 3, 1}), 3 * sizeof(int64_t));
    assert_true(jg_view_is_contiguous(&view));
}

TEST(negative_strides_reach_below_the_first_element)
{
    jg_view view;
    size_t below, above;
    assert_int_equal(jg_view_init(&view, floats + 10, cpu, JG_DTYPE_FLOAT32, 1, 2,
                                  (int64_t[]){3, 2}, (int64_t[]){-4, 1}, 0),
                     JG_OK);
    dlpack_view_reach(&view, &below, &above);
    assert_int_equal(below, 8 * sizeof(float));
    assert_int_equal(above, 2 * sizeof(float));
}

TEST(packed_elements_reach_whole_bytes)
{
    jg_view view;
    size_t below, above;
    assert_int_equal(
        jg_view_init(&view, floats, cpu, JG_DTYPE_FLOAT4_E2M1FN, 1, 1, (int64_t[]){5}, NULL, 0),
        JG_OK);
    dlpack_view_reach(&view, &below, &above);
    assert_int_equal(above, 3);
    view.flags = JG_VIEW_SUBBYTE_PADDED;
    dlpack_view_reach(&view, &below, &above);
    assert_int_equal(above, 5);
}

TEST(a_packed_pair_becomes_two_lanes)
{
    jg_view view;
    assert_int_equal(
        jg_view_init(&view, floats, cpu, JG_DTYPE_FLOAT4_E2M1FN_X2, 2, 0, NULL, NULL, 0), JG_OK);
    assert_int_equal(view.dtype, JG_DTYPE_FLOAT4_E2M1FN);
    assert_int_equal(view.lanes, 4);
}

TEST(alignment_is_that_of_the_value)
{
    jg_view view;
    char *bytes = (char *)floats;
    assert_int_equal(jg_view_init(&view, bytes + 4, cpu, JG_DTYPE_COMPLEX64, 1, 0, NULL, NULL, 0),
                     JG_OK);
    assert_true(dlpack_view_is_aligned(&view));
    assert_int_equal(jg_view_init(&view, bytes + 2, cpu, JG_DTYPE_FLOAT32, 4, 0, NULL, NULL, 0),
                     JG_OK);
    assert_false(dlpack_view_is_aligned(&view));
    assert_int_equal(jg_view_init(&view, bytes + 1, cpu, JG_DTYPE_INT4, 1, 0, NULL, NULL, 0),
                     JG_OK);
    assert_true(dlpack_view_is_aligned(&view));
}

TEST(what_memory_cannot_hold_is_refused_by_name)
{
    jg_view view;
    int64_t two[] = {2}, huge[] = {INT64_MAX}, half[] = {INT64_MAX / 4 + 1};
    int64_t square[] = {INT64_C(1) << 32, INT64_C(1) << 32};
    assert_refused(init(&view, -1, NULL, NULL), "ndim: got -1");
    assert_refused(init(&view, 65, huge, NULL), "ndim: got 65");
    assert_refused(init(&view, 1, NULL, NULL), "shape: got NULL");
    assert_refused(init(&view, 1, (int64_t[]){-1}, NULL), "shape[0]: got -1");
    assert_refused(init(&view, 2, square, NULL), "shape[0]: got 4294967296");
    assert_refused(init(&view, 1, half, NULL), "shape: ");
    assert_refused(init(&view, 1, two, huge), "strides[0]: got 9223372036854775807");
    assert_refused(init(&view, 1, two, (int64_t[]){INT64_MIN}), "strides[0]");
    assert_refused(init(&view, 2, (int64_t[]){2, 2}, (int64_t[]){1, INT64_C(1) << 61}),
                   "strides[1]");
}

TEST(arguments_that_make_no_view_are_refused_by_name)
{
    jg_view view;
    jg_device_id nowhere = {6, 0}, negative = {JG_DEVICE_CUDA, -1};
    jg_dtype type = JG_DTYPE_FLOAT32;
    assert_refused(jg_view_init(&view, NULL, cpu, type, 1, 0, NULL, NULL, 0), "data: got NULL");
    assert_refused(jg_view_init(&view, floats, cpu, type, 0, 0, NULL, NULL, 0), "lanes: got 0");
    assert_refused(jg_view_init(&view, floats, cpu, type, 65536, 0, NULL, NULL, 0),
                   "lanes: got 65536");
    assert_refused(jg_view_init(&view, floats, cpu, JG_DTYPE_COUNT, 1, 0, NULL, NULL, 0),
                   "dtype: got");
    assert_refused(jg_view_init(&view, floats, nowhere, type, 1, 0, NULL, NULL, 0),
                   "device_type: got 6");
    assert_refused(jg_view_init(&view, floats, negative, type, 1, 0, NULL, NULL, 0),
                   "device_id: got -1");
    assert_refused(jg_view_init(&view, floats, cpu, type, 1, 0, NULL, NULL, 8), "flags: got 0x8");
}

TEST(a_refused_view_leaves_the_result_alone)
{
    jg_view view, before;
    memset(&view, 0x5a, sizeof view);
    memcpy(&before, &view, sizeof view);
    assert_int_equal(init(&view, 2, (int64_t[]){2, -2}, NULL), JG_ERR_VALUE);
    assert_memory_equal(&view, &before, sizeof view);
}

TEST(a_dltensor_points_into_its_view)
{
    jg_view view;
    assert_int_equal(init(&view, 2, (int64_t[]){2, 3}, NULL), JG_OK);
    DLTensor tensor = jg_view_dltensor(&view);
    assert_ptr_equal(tensor.data, floats);
    assert_ptr_equal(tensor.shape, view.shape);
    assert_ptr_equal(tensor.strides, view.strides);
    assert_int_equal(tensor.ndim, 2);
    assert_int_equal(tensor.dtype.code, kDLFloat);
    assert_int_equal(tensor.dtype.bits, 32);
    assert_int_equal(tensor.dtype.lanes, 1);
    assert_int_equal(tensor.device.device_type, kDLCPU);
}

TEST(a_scalar_dltensor_has_shape_and_strides_too)
{
    jg_view view;
    assert_int_equal(init(&view, 0, NULL, NULL), JG_OK);
    DLTensor tensor = jg_view_dltensor(&view);
    assert_non_null(tensor.shape);
    assert_non_null(tensor.strides);
}

TEST(the_offset_is_added_to_addresses_and_left_with_handles)
{
    const int32_t addresses[] = {JG_DEVICE_CPU,  JG_DEVICE_CUDA,         JG_DEVICE_CUDA_HOST,
                                 JG_DEVICE_ROCM, JG_DEVICE_CUDA_MANAGED, JG_DEVICE_ROCM_HOST};
    const int32_t handles[] = {JG_DEVICE_OPENCL, JG_DEVICE_VULKAN, JG_DEVICE_METAL,
                               JG_DEVICE_WEBGPU};
    jg_view view;
    assert_int_equal(init(&view, 0, NULL, NULL), JG_OK);
    view.byte_offset = 12;
    for (size_t i = 0; i < JG_COUNT_OF(addresses); i++) {
        view.device.type = addresses[i];
        assert_ptr_equal(jg_view_dltensor(&view).data, floats + 3);
        assert_int_equal(jg_view_dltensor(&view).byte_offset, 0);
    }
    for (size_t i = 0; i < JG_COUNT_OF(handles); i++) {
        view.device.type = handles[i];
        assert_ptr_equal(jg_view_dltensor(&view).data, floats);
        assert_int_equal(jg_view_dltensor(&view).byte_offset, 12);
    }
}

TEST(an_empty_dltensor_has_no_data_even_if_the_view_has)
{
    jg_view view;
    assert_int_equal(init(&view, 1, (int64_t[]){2}, NULL), JG_OK);
    view.shape[0] = 0;
    view.byte_offset = 4;
    DLTensor tensor = jg_view_dltensor(&view);
    assert_null(tensor.data);
    assert_int_equal(tensor.byte_offset, 0);
}

TEST(a_typed_pointer_gives_dtype_and_constness)
{
    jg_view view;
    const double constants[2] = {1, 2};
    uint16_t words[2] = {1, 2};
    assert_int_equal(JG_VIEW_OF(&view, constants, cpu, 1, (int64_t[]){2}, NULL), JG_OK);
    assert_int_equal(view.dtype, JG_DTYPE_FLOAT64);
    assert_int_equal(view.flags, JG_VIEW_READ_ONLY);
    assert_int_equal(JG_VIEW_OF(&view, words, cpu, 1, (int64_t[]){2}, NULL), JG_OK);
    assert_int_equal(view.dtype, JG_DTYPE_UINT16);
    assert_int_equal(view.flags, 0);
}

TEST(every_c_type_has_its_dtype)
{
    void *none = NULL;
    assert_int_equal(JG_DTYPE_OF((_Bool *)none), JG_DTYPE_BOOL);
    assert_int_equal(JG_DTYPE_OF((signed char *)none), JG_DTYPE_INT8);
    assert_int_equal(JG_DTYPE_OF((const int16_t *)none), JG_DTYPE_INT16);
    assert_int_equal(JG_DTYPE_OF((int32_t *)none), JG_DTYPE_INT32);
    assert_int_equal(JG_DTYPE_OF((int64_t *)none), JG_DTYPE_INT64);
    assert_int_equal(JG_DTYPE_OF((long long *)none), JG_DTYPE_INT64);
    assert_int_equal(JG_DTYPE_OF((uint8_t *)none), JG_DTYPE_UINT8);
    assert_int_equal(JG_DTYPE_OF((uint32_t *)none), JG_DTYPE_UINT32);
    assert_int_equal(JG_DTYPE_OF((const uint64_t *)none), JG_DTYPE_UINT64);
    assert_int_equal(JG_DTYPE_OF((size_t *)none),
                     sizeof(size_t) == 8 ? JG_DTYPE_UINT64 : JG_DTYPE_UINT32);
    assert_int_equal(JG_DTYPE_OF((float *)none), JG_DTYPE_FLOAT32);
    assert_int_equal(JG_DTYPE_OF((float _Complex *)none), JG_DTYPE_COMPLEX64);
    assert_int_equal(JG_DTYPE_OF((double _Complex *)none), JG_DTYPE_COMPLEX128);
#ifdef __FLT16_MANT_DIG__
    assert_int_equal(JG_DTYPE_OF((_Float16 *)none), JG_DTYPE_FLOAT16);
#endif
#ifdef __SIZEOF_FLOAT128__
    assert_int_equal(JG_DTYPE_OF((const __float128 *)none), JG_DTYPE_FLOAT128);
#endif
}

TEST(two_arrays_of_one_length_give_the_rank)
{
    jg_view view;
    const int64_t shape[] = {2, 3};
    int64_t strides[] = {1, 2};
    assert_int_equal(JG_VIEW_OF_ARRAYS(&view, floats, cpu, shape, strides), JG_OK);
    assert_int_equal(view.ndim, 2);
    assert_int_equal(view.strides[1], 2);
}
