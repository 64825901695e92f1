/* SPDX-License-Identifier: Apache-2.0 */
/* Views: other shapes and orders over the same memory. Each is one function of layouts; only
 * reshape may need a copy, where strides cannot express it. */
#include "compose/compose.h"
#include <joggle/exchange.h>

/* A packed dtype (4 bits, say) has no address for an element within a byte, so views of it may only
 * reinterpret the shape. */
jg_status compose_view(jg_array *x, const jg_layout *layout, jg_array **out)
{
    bool packed = dtype_itemsize((jg_dtype)x->dtype) == 0;
    if (packed && (layout->offset != 0 || !layout_is_contiguous(layout)))
        return base_fail(JG_ERR_TYPE,
                         "x: %s elements are packed, allowed are dense views from the first",
                         dtype_rows[x->dtype].name);
    return node_view(x, layout, out);
}

jg_status compose_check_bytes(const jg_array *x)
{
    if (dtype_itemsize((jg_dtype)x->dtype) > 0)
        return JG_OK;
    return base_fail(JG_ERR_TYPE, "x: %s elements are packed, allowed are those of whole bytes",
                     dtype_rows[x->dtype].name);
}

/* The copy is dense, for which layout_reshape always fits: the recursion is one deep. */
jg_status compose_reshape(jg_array *x, int ndim, const int64_t *shape, jg_array **out)
{
    jg_layout from, to;
    bool fits;
    node_layout(x, &from);
    JG_TRY(layout_reshape(&from, ndim, shape, &to, &fits));
    if (fits)
        return compose_view(x, &to, out);
    jg_array *dense;
    JG_TRY(graph_contiguous(x, &dense));
    jg_status status = jg_reshape(dense, ndim, shape, out);
    jg_array_release(dense);
    return status;
}

/* The shape first, so that what is copied has the result's. */
jg_status jg_reshape_as(jg_array *x, int ndim, const int64_t *shape, jg_copy_policy copy,
                        jg_array **out)
{
    jg_layout from, to;
    bool fits;
    JG_TRY(graph_check_copy(copy));
    node_layout(x, &from);
    JG_TRY(layout_reshape(&from, ndim, shape, &to, &fits));
    if (copy == JG_COPY_NEVER && !fits)
        return base_fail(
            JG_ERR_COPY,
            "[reshape] copy: got False, allowed are True and None, as the shape takes a copy");
    if (copy != JG_COPY_ALWAYS)
        return jg_reshape(x, ndim, shape, out);
    compose_scope scope = {0};
    jg_array *shaped = scope_shaped(&scope, jg_reshape, x, ndim, shape);
    return scope_finish(&scope, scope_unary(&scope, jg_copy, shaped), out);
}

jg_status compose_broadcast_to(jg_array *x, int ndim, const int64_t *shape, jg_array **out)
{
    jg_layout from, to;
    node_layout(x, &from);
    JG_TRY(layout_broadcast(&from, ndim, shape, &to));
    return compose_view(x, &to, out);
}

/* -1 axes: all in reverse. */
jg_status compose_permute_dims(jg_array *x, int naxes, const int64_t *axes, jg_array **out)
{
    int64_t reversed[JG_MAX_NDIM];
    jg_layout from, to;
    if (naxes < 0) {
        for (int i = 0; i < x->ndim; ++i)
            reversed[i] = x->ndim - 1 - i;
        naxes = x->ndim;
        axes = reversed;
    }
    node_layout(x, &from);
    JG_TRY(layout_permute(&from, naxes, axes, &to));
    return compose_view(x, &to, out);
}

jg_status compose_matrix_transpose(jg_array *x, jg_array **out)
{
    int64_t axes[JG_MAX_NDIM];
    if (x->ndim < 2)
        return base_fail(JG_ERR_VALUE, "[matrix_transpose] x: has %d axes, allowed is 2 or more",
                         x->ndim);
    for (int i = 0; i < x->ndim; ++i)
        axes[i] = i;
    axes[x->ndim - 2] = x->ndim - 1;
    axes[x->ndim - 1] = x->ndim - 2;
    return jg_permute_dims(x, x->ndim, axes, out);
}

jg_status compose_squeeze(jg_array *x, int naxes, const int64_t *axes, jg_array **out)
{
    int64_t ones[JG_MAX_NDIM];
    jg_layout from, to;
    if (naxes < 0) { /* all axes of extent 1 */
        naxes = 0;
        for (int i = 0; i < x->ndim; ++i)
            if (x->dims[i] == 1)
                ones[naxes++] = i;
        axes = ones;
    }
    node_layout(x, &from);
    JG_TRY(layout_squeeze(&from, naxes, axes, &to));
    return compose_view(x, &to, out);
}

jg_status compose_new_axis(jg_array *x, int64_t axis, jg_array **out)
{
    return jg_expand_dims(x, 1, &axis, out);
}

jg_status compose_expand_dims(jg_array *x, int naxis, const int64_t *axis, jg_array **out)
{
    jg_layout layout, wider;
    uint64_t set;
    int ndim = x->ndim + naxis;
    if (ndim > JG_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "[expand_dims] axis: makes %d axes, allowed are at most %d",
                         ndim, JG_MAX_NDIM);
    JG_TRY(shape_axes("axis", naxis, axis, ndim, &set));
    node_layout(x, &layout);
    for (int i = 0; i < ndim; ++i) {
        if (!(set >> i & 1))
            continue;
        /* In ascending order, so that i is the axis's position in the result already. */
        JG_TRY(layout_expand(&layout, i, &wider));
        layout_copy(&layout, &wider);
    }
    return compose_view(x, &layout, out);
}

/* No product overflows: there is no shape whose extents, but for those that are 0, multiply to more
 * than 63 bits. */
jg_status compose_flatten(jg_array *x, int64_t start_axis, int64_t end_axis, jg_array **out)
{
    int64_t shape[JG_MAX_NDIM];
    int first, last, ndim = 0;
    const int axes = x->ndim > 0 ? x->ndim : 1;
    JG_TRY(shape_axis("start_axis", start_axis, axes, &first));
    JG_TRY(shape_axis("end_axis", end_axis, axes, &last));
    if (x->ndim == 0)
        return compose_new_axis(x, 0, out);
    if (first > last)
        return base_fail(JG_ERR_VALUE, "[flatten] end_axis: got %d, allowed is %d and above", last,
                         first);
    for (int i = 0; i < x->ndim; ++i)
        if (i <= first || i > last)
            shape[ndim++] = x->dims[i];
        else
            shape[ndim - 1] *= x->dims[i];
    return jg_reshape(x, ndim, shape, out);
}

jg_status compose_ravel(jg_array *x, jg_array **out)
{
    return jg_reshape(x, 1, &x->size, out);
}

/* layout_reshape_extents resolves a -1 among the new extents. */
jg_status compose_unflatten(jg_array *x, int64_t axis, int ndim, const int64_t *shape,
                            jg_array **out)
{
    int64_t extents[JG_MAX_NDIM];
    int at, count = x->ndim - 1 + ndim;
    JG_TRY(shape_axis("axis", axis, x->ndim, &at));
    if (count > JG_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "[unflatten] shape: makes %d axes, allowed are at most %d",
                         count, JG_MAX_NDIM);
    for (int i = 0; i < at; ++i)
        extents[i] = x->dims[i];
    JG_TRY(layout_reshape_extents(x->dims[at], ndim, shape, extents + at));
    for (int i = at + 1; i < x->ndim; ++i)
        extents[i + ndim - 1] = x->dims[i];
    return jg_reshape(x, count, extents, out);
}
