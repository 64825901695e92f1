/* SPDX-License-Identifier: Apache-2.0 */
/* Views of memory that a caller in this process describes, and DLTensors over views.
 *
 * The caller is trusted with the address, not with the arithmetic: bounds.c does that, as for
 * tensors from outside, but with JG_ERR_VALUE. */
#include "dlpack/dlpack.h"

static jg_status check_flags(unsigned flags)
{
    const unsigned allowed = JG_VIEW_READ_ONLY | JG_VIEW_COPIED | JG_VIEW_SUBBYTE_PADDED;
    if (flags & ~allowed)
        return base_fail(JG_ERR_VALUE, "flags: got %#x, allowed are the bits of %#x", flags,
                         allowed);
    return JG_OK;
}

jg_status jg_view_init(jg_view *out, void *data, jg_device_id device, jg_dtype dtype, int lanes,
                       int ndim, const int64_t *shape, const int64_t *strides, unsigned flags)
{
    jg_view view;
    JG_TRY(check_flags(flags));
    JG_TRY(dlpack_device_normalise(device, JG_ERR_VALUE, &view.device));
    JG_TRY(dlpack_view_set_type(&view, JG_ERR_VALUE, dtype, lanes, flags));
    view.data = data;
    view.byte_offset = 0;
    JG_TRY(dlpack_view_set_layout(&view, JG_ERR_VALUE, ndim, shape, strides));
    dlpack_view_copy(out, &view);
    return JG_OK;
}

int64_t jg_view_size(const jg_view *view)
{
    int64_t size = 1;
    for (int i = 0; i < view->ndim; i++) {
        if (view->shape[i] == 0)
            return 0;
        size *= view->shape[i];
    }
    return size;
}

bool jg_view_is_contiguous(const jg_view *view)
{
    int64_t expected = 1;
    for (int i = view->ndim - 1; i >= 0; i--) {
        if (view->shape[i] > 1 && view->strides[i] != expected)
            return jg_view_size(view) == 0;
        expected *= view->shape[i];
    }
    return true;
}

#ifndef JOGGLE_NO_DLPACK

DLTensor jg_view_dltensor(const jg_view *view)
{
    jg_device_id device = view->device;
    bool empty = jg_view_size(view) == 0;
    bool folds = empty || dlpack_device_has_addresses(device.type);
    /* DLPack has no const; its readers must not write through these two. */
    DLTensor tensor = {.data = view->data,
                       .device = {(DLDeviceType)device.type, device.id},
                       .ndim = view->ndim,
                       .dtype = jg_dtype_dldatatype(view->dtype, view->lanes),
                       .shape = (int64_t *)(uintptr_t)view->shape,
                       .strides = (int64_t *)(uintptr_t)view->strides,
                       .byte_offset = folds ? 0 : view->byte_offset};
    if (folds)
        tensor.data = empty ? NULL : dlpack_view_address(view);
    return tensor;
}

#endif
