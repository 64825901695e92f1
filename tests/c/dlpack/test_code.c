/* SPDX-License-Identifier: Apache-2.0 */
/* DLPack's numbers: every dtype there and back, every device type by name. */
#include "../tests.h"

#include "dlpack/dlpack.h"
#include <string.h>

TEST(every_dtype_comes_back_from_its_dlpack_triple)
{
    for (int i = 0; i < JG_DTYPE_COUNT; i++) {
        jg_dtype back;
        int lanes;
        DLDataType type = jg_dtype_dldatatype((jg_dtype)i, 1);
        assert_int_equal(jg_dtype_from_dldatatype(type, &back, &lanes), JG_OK);
        if (i == JG_DTYPE_FLOAT4_E2M1FN_X2) /* a packed pair is its value with two lanes */
            assert_int_equal(back, JG_DTYPE_FLOAT4_E2M1FN);
        else
            assert_int_equal(back, i);
        assert_int_equal(lanes, dtype_rows[i].lanes);
    }
}

TEST(no_two_dtypes_share_a_triple)
{
    for (int i = 0; i < JG_DTYPE_COUNT; i++) {
        for (int j = 0; j < i; j++) {
            DLDataType a = jg_dtype_dldatatype((jg_dtype)i, 1),
                       b = jg_dtype_dldatatype((jg_dtype)j, 1);
            assert_memory_not_equal(&a, &b, sizeof a);
        }
    }
}

TEST(lanes_multiply_the_bits)
{
    assert_int_equal(jg_dtype_dldatatype(JG_DTYPE_FLOAT32, 4).lanes, 4);
    assert_int_equal(jg_dtype_dldatatype(JG_DTYPE_FLOAT4_E2M1FN_X2, 4).lanes, 8);
    assert_int_equal(jg_dtype_dldatatype(JG_DTYPE_FLOAT32, 65535).lanes, 65535);
}

TEST(what_cannot_be_said_has_no_lanes)
{
    assert_int_equal(jg_dtype_dldatatype(JG_DTYPE_FLOAT32, 65536).lanes, 0);
    assert_int_equal(jg_dtype_dldatatype(JG_DTYPE_FLOAT4_E2M1FN_X2, 32768).lanes, 0);
    assert_int_equal(jg_dtype_dldatatype(JG_DTYPE_FLOAT32, 0).lanes, 0);
    assert_int_equal(jg_dtype_dldatatype(JG_DTYPE_COUNT, 1).lanes, 0);
}

TEST(lanes_zero_and_unknown_codes_are_refused)
{
    jg_dtype dtype = JG_DTYPE_COUNT;
    int lanes = -1;
    assert_int_equal(jg_dtype_from_dldatatype((DLDataType){2, 32, 0}, &dtype, &lanes),
                     JG_ERR_BUFFER);
    assert_int_equal(jg_dtype_from_dldatatype((DLDataType){200, 8, 1}, &dtype, &lanes),
                     JG_ERR_BUFFER);
    assert_int_equal(dtype, JG_DTYPE_COUNT);
    assert_int_equal(lanes, -1);
}

TEST(device_types_have_names_and_unknown_ones_say_so)
{
    assert_string_equal(jg_device_type_name(JG_DEVICE_CPU), "cpu");
    assert_string_equal(jg_device_type_name(JG_DEVICE_METAL), "metal");
    assert_string_equal(jg_device_type_name(JG_DEVICE_TRAINIUM), "trainium");
    assert_string_equal(jg_device_type_name(0), "unknown");
    assert_string_equal(jg_device_type_name(5), "unknown");
    assert_string_equal(jg_device_type_name(19), "unknown");
    assert_string_equal(jg_device_type_name(-1), "unknown");
    assert_string_equal(jg_device_type_name(INT32_MAX), "unknown");
}

TEST(the_host_reads_cpu_pinned_and_managed_memory)
{
    for (int32_t type = -2; type < 40; type++) {
        bool host = type == JG_DEVICE_CPU || type == JG_DEVICE_CUDA_HOST ||
                    type == JG_DEVICE_ROCM_HOST || type == JG_DEVICE_CUDA_MANAGED;
        assert_int_equal(jg_device_is_host_accessible(type), host);
    }
}

TEST(device_numbers_are_dlpacks)
{
    assert_int_equal(JG_DEVICE_CPU, kDLCPU);
    assert_int_equal(JG_DEVICE_CUDA, kDLCUDA);
    assert_int_equal(JG_DEVICE_CUDA_HOST, kDLCUDAHost);
    assert_int_equal(JG_DEVICE_OPENCL, kDLOpenCL);
    assert_int_equal(JG_DEVICE_VULKAN, kDLVulkan);
    assert_int_equal(JG_DEVICE_METAL, kDLMetal);
    assert_int_equal(JG_DEVICE_VPI, kDLVPI);
    assert_int_equal(JG_DEVICE_ROCM, kDLROCM);
    assert_int_equal(JG_DEVICE_ROCM_HOST, kDLROCMHost);
    assert_int_equal(JG_DEVICE_EXT, kDLExtDev);
    assert_int_equal(JG_DEVICE_CUDA_MANAGED, kDLCUDAManaged);
    assert_int_equal(JG_DEVICE_ONEAPI, kDLOneAPI);
    assert_int_equal(JG_DEVICE_WEBGPU, kDLWebGPU);
    assert_int_equal(JG_DEVICE_HEXAGON, kDLHexagon);
    assert_int_equal(JG_DEVICE_MAIA, kDLMAIA);
    assert_int_equal(JG_DEVICE_TRAINIUM, kDLTrn);
}
