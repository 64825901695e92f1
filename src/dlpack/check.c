/* SPDX-License-Identifier: Apache-2.0 */
/* Checks DLPack structs from outside. Nothing in them is trusted but the memory they point at.
 *
 * Each field is read once, so that a producer's other thread cannot change it between the check and
 * the use. What a struct cannot show must be true for its producer: that shape and strides have
 * ndim entries, and that the memory between the lowest and the highest element may be used. */
#include "dlpack/dlpack.h"

#ifndef JOGGLE_NO_DLPACK

_Static_assert(JG_VIEW_READ_ONLY == DLPACK_FLAG_BITMASK_READ_ONLY &&
                   JG_VIEW_COPIED == DLPACK_FLAG_BITMASK_IS_COPIED &&
                   JG_VIEW_SUBBYTE_PADDED == DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED,
               "flags pass between DLPack and jg_view as they are");
_Static_assert(sizeof(DLDeviceType) == sizeof(int32_t), "the enum has the width the ABI gives it");

jg_status dlpack_view_check(const DLTensor *tensor, unsigned flags, jg_view *view)
{
    jg_dtype dtype;
    int lanes;
    jg_device_id device = {(int32_t)tensor->device.device_type, tensor->device.device_id};
    JG_TRY(dlpack_device_normalise(device, JG_ERR_BUFFER, &view->device));
    JG_TRY(jg_dtype_from_dldatatype(tensor->dtype, &dtype, &lanes));
    JG_TRY(dlpack_view_set_type(view, JG_ERR_BUFFER, dtype, lanes, flags));
    view->data = tensor->data;
    view->byte_offset = tensor->byte_offset;
    return dlpack_view_set_layout(view, JG_ERR_BUFFER, tensor->ndim, tensor->shape,
                                  tensor->strides);
}

jg_status jg_view_from_dltensor(const DLTensor *tensor, unsigned flags, jg_view *out)
{
    jg_view view;
    JG_TRY(dlpack_view_check(tensor, flags, &view));
    dlpack_view_copy(out, &view);
    return JG_OK;
}

jg_status jg_managed_check(const DLManagedTensorVersioned *managed)
{
    DLPackVersion version = managed->version;
    if (version.major != DLPACK_MAJOR_VERSION)
        return base_fail(JG_ERR_BUFFER, "version: got %u.%u, allowed %d.x", (unsigned)version.major,
                         (unsigned)version.minor, DLPACK_MAJOR_VERSION);
    return JG_OK;
}

jg_status jg_view_from_managed(const DLManagedTensorVersioned *managed, jg_view *out)
{
    JG_TRY(jg_managed_check(managed));
    return jg_view_from_dltensor(&managed->dl_tensor, (unsigned)managed->flags, out);
}

#endif
