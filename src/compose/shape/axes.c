/* SPDX-License-Identifier: Apache-2.0 */
/* Views that exchange, reverse and join axes: each is one layout over the same memory. */
#include "compose/compose.h"

jg_status compose_swapaxes(jg_array *x, int64_t axis1, int64_t axis2, jg_array **out)
{
    int64_t axes[JG_MAX_NDIM];
    int first, second;
    JG_TRY(shape_axis("axis1", axis1, x->ndim, &first));
    JG_TRY(shape_axis("axis2", axis2, x->ndim, &second));
    for (int i = 0; i < x->ndim; ++i)
        axes[i] = i;
    axes[first] = second;
    axes[second] = first;
    return jg_permute_dims(x, x->ndim, axes, out);
}

/* Finds the source of each axis of the result: moved axes are at their destinations, and the others
 * fill the remaining positions in their old order. */
static void fill_order(int ndim, uint64_t moved, const int *sources, uint64_t taken,
                       const int *destinations, int count, int64_t *order)
{
    int next = 0;
    for (int i = 0; i < count; ++i)
        order[destinations[i]] = sources[i];
    for (int i = 0; i < ndim; ++i) {
        if (taken >> i & 1)
            continue;
        while (moved >> next & 1)
            next += 1;
        order[i] = next++;
    }
}

/* shape_axes has checked the axes, so that counting negative ones from the end is all that is
 * left. */
jg_status compose_moveaxis(jg_array *x, int nsource, const int64_t *source, int ndestination,
                           const int64_t *destination, jg_array **out)
{
    int sources[JG_MAX_NDIM], destinations[JG_MAX_NDIM];
    int64_t order[JG_MAX_NDIM];
    uint64_t moved, taken;
    if (nsource != ndestination)
        return base_fail(JG_ERR_VALUE,
                         "[moveaxis] destination: got %d axes, allowed is %d as source",
                         ndestination, nsource);
    JG_TRY(shape_axes("source", nsource, source, x->ndim, &moved));
    JG_TRY(shape_axes("destination", ndestination, destination, x->ndim, &taken));
    for (int i = 0; i < nsource; ++i) {
        sources[i] = (int)(source[i] < 0 ? source[i] + x->ndim : source[i]);
        destinations[i] = (int)(destination[i] < 0 ? destination[i] + x->ndim : destination[i]);
    }
    fill_order(x->ndim, moved, sources, taken, destinations, nsource, order);
    return jg_permute_dims(x, x->ndim, order, out);
}

/* -1 axes: all. Axes of extent 0 and 1 read the same from either end, and stay as they are. */
jg_status compose_flip(jg_array *x, int naxes, const int64_t *axes, jg_array **out)
{
    jg_layout layout;
    uint64_t set;
    JG_TRY(shape_axes("axis", naxes, axes, x->ndim, &set));
    node_layout(x, &layout);
    for (int i = 0; i < x->ndim; ++i)
        if ((set >> i & 1) && layout.shape[i] > 1)
            JG_TRY(
                layout_slice(&layout, i, layout.shape[i] - 1, layout.shape[i], -1, true, &layout));
    return compose_view(x, &layout, out);
}

static jg_array *flip_one(compose_scope *scope, jg_array *x, int64_t axis)
{
    return scope_shaped(scope, jg_flip, x, 1, &axis);
}

static jg_array *swap(compose_scope *scope, jg_array *x, const int64_t axes[2])
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_swapaxes(x, axes[0], axes[1], &made);
    return scope_take(scope, status, made);
}

jg_status compose_rot90(jg_array *x, int64_t k, int naxes, const int64_t *axes, jg_array **out)
{
    uint64_t set;
    compose_scope scope = {0};
    JG_TRY(shape_axes("axes", naxes, axes, x->ndim, &set));
    if (naxes != 2)
        return base_fail(JG_ERR_VALUE, "[rot90] axes: got %d, allowed are two", naxes);
    jg_array *result = x;
    /* Quarter turns from the first axis towards the second, as in NumPy. k & 3 is k modulo 4, for
     * negative k, too. */
    switch (k & 3) {
    case 1: result = swap(&scope, flip_one(&scope, x, axes[1]), axes); break;
    case 2: result = scope_shaped(&scope, jg_flip, x, 2, axes); break;
    case 3: result = flip_one(&scope, swap(&scope, x, axes), axes[1]); break;
    default: break;
    }
    return scope_finish(&scope, result, out);
}

/* The two axes become one, the last, that steps along both. */
static jg_status diagonal_layout(const jg_layout *from, int64_t offset, int axis1, int axis2,
                                 jg_layout *to)
{
    int64_t rows = from->shape[axis1], columns = from->shape[axis2];
    int64_t first_row = offset < 0 ? -offset : 0, first_column = int64_max(offset, 0);
    bool outside = first_row >= rows || first_column >= columns;
    int64_t down = outside ? 0 : rows - first_row, along = outside ? 0 : columns - first_column;
    int count = 0;
    /* A diagonal outside of the matrix is empty, and keeps an offset that is within the memory. */
    to->offset = from->offset;
    if (!outside)
        to->offset += first_row * from->strides[axis1] + first_column * from->strides[axis2];
    for (int i = 0; i < from->ndim; ++i) {
        if (i == axis1 || i == axis2)
            continue;
        to->shape[count] = from->shape[i];
        to->strides[count++] = from->strides[i];
    }
    to->shape[count] = int64_min(down, along);
    to->strides[count++] = from->strides[axis1] + from->strides[axis2];
    to->ndim = count;
    return shape_size(count, to->shape, &to->size);
}

jg_status compose_diagonal(jg_array *x, int64_t offset, int64_t axis1, int64_t axis2,
                           jg_array **out)
{
    const int64_t axes[2] = {axis1, axis2};
    uint64_t set;
    int first, second;
    jg_layout from, to;
    if (x->ndim < 2)
        return base_fail(JG_ERR_VALUE, "[diagonal] x: has %d axes, allowed is 2 or more", x->ndim);
    JG_TRY(shape_axis("axis1", axis1, x->ndim, &first));
    JG_TRY(shape_axis("axis2", axis2, x->ndim, &second));
    JG_TRY(shape_axes("axis1, axis2", 2, axes, x->ndim, &set));
    node_layout(x, &from);
    /* -INT64_MIN is no int64; both offsets lie outside of any matrix. */
    JG_TRY(diagonal_layout(&from, offset == INT64_MIN ? -INT64_MAX : offset, first, second, &to));
    return compose_view(x, &to, out);
}

/* If a dtype is given, the elements are cast to it before the sum, and so is the sum, as in NumPy;
 * the sum itself is computed in the dtype of its rule, which may be wider. */
jg_status compose_trace(jg_array *x, int64_t offset, int64_t axis1, int64_t axis2,
                        const jg_dtype *dtype, jg_array **out)
{
    const int64_t last = -1;
    compose_scope scope = {0};
    jg_array *diagonal = NULL;
    JG_TRY(jg_diagonal(x, offset, axis1, axis2, &diagonal));
    diagonal = scope_take(&scope, JG_OK, diagonal);
    if (dtype != NULL)
        diagonal = scope_cast(&scope, diagonal, *dtype);
    jg_array *sum = scope_reduce(&scope, compose_sum, diagonal, 1, &last, false);
    if (dtype != NULL)
        sum = scope_cast(&scope, sum, *dtype);
    return scope_finish(&scope, sum, out);
}
