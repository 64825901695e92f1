/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of views: their addresses, their values, and walks over all of them. */
#include "dlpack/dlpack.h"

/* How many positions lie between the first one and that at the index. */
static int64_t position_at(const jg_view *view, const int64_t *index)
{
    int64_t position = 0;
    for (int i = 0; i < view->ndim; ++i)
        position += index[i] * view->strides[i];
    return position;
}

/* Whether several elements may share a byte. */
static bool is_packed(const jg_view *view)
{
    return jg_dtype_bits(view->dtype) % 8 != 0 && !(view->flags & JG_VIEW_SUBBYTE_PADDED);
}

void *jg_view_at(const jg_view *view, const int64_t *index)
{
    if (!jg_device_is_host_accessible(view->device.type) || is_packed(view))
        return NULL;
    int64_t itemsize = view->lanes * ((jg_dtype_bits(view->dtype) + 7) / 8);
    return (char *)view->data + view->byte_offset + position_at(view, index) * itemsize;
}

jg_status jg_view_load(const jg_view *view, const int64_t *index, int lane, jg_number *out)
{
    if (!jg_device_is_host_accessible(view->device.type))
        return base_fail(JG_ERR_DEVICE, "view: lies on %s:%d, allowed is memory of the host",
                         jg_device_type_name(view->device.type), view->device.id);
    if (lane < 0 || lane >= view->lanes)
        return base_fail(JG_ERR_VALUE, "lane: got %d, allowed are 0 to %d", lane, view->lanes - 1);
    const char *data = (const char *)view->data + view->byte_offset;
    int64_t element = position_at(view, index) * view->lanes + lane;
    if (view->flags & JG_VIEW_SUBBYTE_PADDED)
        return jg_number_load(view->dtype, data + element, 0, out);
    return jg_number_load(view->dtype, data, element, out);
}

bool jg_view_next(const jg_view *view, int64_t *index)
{
    for (int i = view->ndim - 1; i >= 0; --i) {
        if (++index[i] < view->shape[i])
            return true;
        index[i] = 0;
    }
    return false;
}
