/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the passes on values that are passed between nodes. */
#include "transform/transform.h"

static bool has_shape(const jg_array *x, int ndim, const int64_t *shape)
{
    bool same = x->ndim == ndim;
    for (int i = 0; same && i < ndim; ++i)
        same = x->dims[i] == shape[i];
    return same;
}

jg_status transform_unbroadcast(jg_array *x, int ndim, const int64_t *shape, jg_array **out)
{
    int64_t axes[JG_MAX_NDIM];
    int naxes = 0, leading = x->ndim - ndim;
    if (has_shape(x, ndim, shape)) {
        *out = jg_array_retain(x);
        return JG_OK;
    }
    for (int i = 0; i < x->ndim; ++i)
        if (i < leading || x->dims[i] != shape[i - leading])
            axes[naxes++] = i;
    jg_array *summed;
    JG_TRY(compose_sum(x, naxes, axes, true, &summed));
    jg_status status = jg_reshape(summed, ndim, shape, out);
    jg_array_release(summed);
    return status;
}

jg_status transform_cast(jg_array *x, jg_dtype dtype, jg_array **out)
{
    if (!dtype_is_complex((jg_dtype)x->dtype) || dtype_is_complex(dtype))
        return graph_cast(x, dtype, out);
    jg_array *part;
    JG_TRY(jg_real(x, &part));
    jg_status status = graph_cast(part, dtype, out);
    jg_array_release(part);
    return status;
}

jg_status transform_move(jg_array *x, const jg_array *like, jg_array **out)
{
    if (!(like->device & NODE_ANYWHERE))
        return graph_to_device(x, node_device(like), out);
    *out = jg_array_retain(x);
    return JG_OK;
}

jg_status transform_zeros(const jg_array *like, jg_array **out)
{
    const jg_number zero = {.kind = JG_KIND_INT};
    return graph_full_beside(like, (jg_dtype)like->dtype, like->ndim, node_shape(like), zero, out);
}

jg_status transform_fit(const jg_array *like, jg_array *x, jg_array **out)
{
    if (like->contiguous)
        return graph_contiguous(x, out);
    *out = jg_array_retain(x);
    return JG_OK;
}

jg_status jg_array_without_values(const jg_array *x, jg_array **out)
{
    jg_layout layout;
    node_layout(x, &layout);
    return node_placeholder(x->device & NODE_DEVICE, (jg_dtype)x->dtype, &layout, out);
}
