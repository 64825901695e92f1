/* SPDX-License-Identifier: Apache-2.0 */
/* DLPack's numbers: which device types and dtype codes there are and what they mean to joggle.
 *
 * The facts about dtypes are dtype.def's; those about devices are the table below, one row per
 * type of DLPack 1.3. A number that has no row is refused wherever it comes from outside. */
#include "dlpack/dlpack.h"
#include <joggle/device.h>

/* host: the host reads it by address, and its id is 0. addresses: offsets can be added to data.
 * Types whose pointers only their makers understand count as handles, so that an offset is
 * passed on. */
typedef struct device_row {
    const char *name;
    bool host, addresses;
} device_row;

static const device_row device_rows[] = {
    [JG_DEVICE_CPU] = {"cpu", true, true},
    [JG_DEVICE_CUDA] = {"cuda", false, true},
    [JG_DEVICE_CUDA_HOST] = {"cuda_host", true, true},
    [JG_DEVICE_OPENCL] = {"opencl", false, false},
    [JG_DEVICE_VULKAN] = {"vulkan", false, false},
    [JG_DEVICE_METAL] = {"metal", false, false},
    [JG_DEVICE_VPI] = {"vpi", false, false},
    [JG_DEVICE_ROCM] = {"rocm", false, true},
    [JG_DEVICE_ROCM_HOST] = {"rocm_host", true, true},
    [JG_DEVICE_EXT] = {"ext", false, false},
    [JG_DEVICE_CUDA_MANAGED] = {"cuda_managed", true, true},
    [JG_DEVICE_ONEAPI] = {"oneapi", false, true},
    [JG_DEVICE_WEBGPU] = {"webgpu", false, false},
    [JG_DEVICE_HEXAGON] = {"hexagon", false, false},
    [JG_DEVICE_MAIA] = {"maia", false, false},
    [JG_DEVICE_TRAINIUM] = {"trainium", false, false},
};

/* The type's row; an all-zero one, without a name, for a number that DLPack does not have. */
static const device_row *row_of(int32_t type)
{
    bool in_table = type >= 0 && (size_t)type < JG_COUNT_OF(device_rows);
    return &device_rows[in_table ? type : 0];
}

bool dlpack_device_is_known(int32_t type)
{
    return row_of(type)->name != NULL;
}

bool dlpack_device_has_addresses(int32_t type)
{
    return row_of(type)->addresses;
}

const char *jg_device_type_name(int32_t type)
{
    return dlpack_device_is_known(type) ? row_of(type)->name : "unknown";
}

bool jg_device_is_host_accessible(int32_t type)
{
    return row_of(type)->host;
}

jg_status dlpack_device_normalise(jg_device_id device, jg_status status, jg_device_id *out)
{
    if (!dlpack_device_is_known(device.type))
        return base_fail(status,
                         "device.device_type: got %d, allowed are the types of DLPack 1.3, "
                         "1 to 4 and 7 to 18",
                         (int)device.type);
    if (jg_device_is_host_accessible(device.type))
        device.id = 0;
    if (device.id < 0)
        return base_fail(status, "device.device_id: got %d on %s, allowed 0 and up", (int)device.id,
                         jg_device_type_name(device.type));
    *out = device;
    return JG_OK;
}

#ifndef JOGGLE_NO_DLPACK

DLDataType jg_dtype_dldatatype(jg_dtype dtype, int lanes)
{
    DLDataType none = {0, 0, 0};
    if ((unsigned)dtype >= JG_DTYPE_COUNT || lanes < 1)
        return none;
    const dtype_row *row = &dtype_rows[dtype];
    if (lanes > UINT16_MAX / row->lanes)
        return none;
    return (DLDataType){row->dlpack_code, row->bits, (uint16_t)(row->lanes * lanes)};
}

jg_status jg_dtype_from_dldatatype(DLDataType type, jg_dtype *dtype, int *lanes)
{
    if (type.lanes == 0)
        return base_fail(JG_ERR_BUFFER, "dtype.lanes: got 0, allowed 1 to %d", UINT16_MAX);
    /* One lane, as (float4_e2m1fn, lanes 2) is to be found as that and not as the packed pair. */
    JG_TRY(dtype_from_dlpack(type.code, type.bits, 1, dtype));
    *lanes = type.lanes;
    return JG_OK;
}

#endif
