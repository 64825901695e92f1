/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that give several arrays, all of them views: parts of an array, rows of it, and arrays
 * brought to a common shape. */
#include "compose/compose.h"
#include <inttypes.h>
#include <string.h>

/* Memory for count arrays, none there yet. gives: *out, for jg_array_list_clear | raises: NOMEM */
static jg_status new_list(int count, jg_array_list *out)
{
    /* One more than needed: an allocation of 0 bytes may give NULL, which would read as a
     * failure. */
    size_t nbytes = ((size_t)count + 1) * sizeof *out->arrays;
    jg_array_list list = {0, base_alloc(nbytes)};
    if (list.arrays == NULL)
        return base_nomem(nbytes, "a list of arrays");
    *out = list;
    return JG_OK;
}

/* Finishes a list: hands it on, or clears it after a failure. */
static jg_status finish_list(jg_status status, jg_array_list *list, jg_array_list *out)
{
    if (status == JG_OK)
        *out = *list;
    else
        jg_array_list_clear(list);
    return status;
}

/* Appends elements first to last - 1 along an axis; keep is false for one without its axis. */
static jg_status add_part(jg_array_list *list, jg_array *x, int axis, int64_t first, int64_t last,
                          bool keep)
{
    jg_layout from, to;
    node_layout(x, &from);
    JG_TRY(layout_slice(&from, axis, first, last - first, 1, keep, &to));
    JG_TRY(compose_view(x, &to, &list->arrays[list->count]));
    list->count += 1;
    return JG_OK;
}

/* A cut as NumPy's slices read it: from the end if negative, and never outside of the axis. */
static int64_t clip(int64_t at, int64_t extent)
{
    at = at < 0 ? at + extent : at;
    return int64_clamp(at, 0, extent);
}

/* The remainder is given to the first parts, one element each. In array_split, count may exceed the
 * extent; then the last parts are empty. */
static jg_status split_evenly(jg_array *x, int axis, int64_t count, jg_array_list *list)
{
    int64_t each = x->dims[axis] / count, longer = x->dims[axis] % count, first = 0;
    jg_status status = JG_OK;
    for (int64_t i = 0; status == JG_OK && i < count; ++i) {
        int64_t last = first + each + (i < longer);
        status = add_part(list, x, axis, first, last, true);
        first = last;
    }
    return status;
}

/* A cut that is less than the one before it gives an empty part, as in NumPy. */
static jg_status split_at(jg_array *x, int axis, int ncuts, const int64_t *cuts,
                          jg_array_list *list)
{
    int64_t extent = x->dims[axis], first = 0;
    for (int i = 0; i <= ncuts; ++i) {
        int64_t last = i < ncuts ? clip(cuts[i], extent) : extent;
        JG_TRY(add_part(list, x, axis, first, int64_max(last, first), true));
        first = last;
    }
    return JG_OK;
}

/* nindices -1: into indices[0] parts. */
static jg_status split(const char *name, jg_array *x, int nindices, const int64_t *indices, int at,
                       jg_array_list *out)
{
    jg_array_list list;
    int64_t count = nindices < 0 ? indices[0] : (int64_t)nindices + 1;
    if (count < 1 || count > INT32_MAX)
        return base_fail(JG_ERR_VALUE,
                         "[%s] indices_or_sections: got %" PRId64 ", allowed is 1 to 2^31 - 1",
                         name, count);
    JG_TRY(new_list((int)count, &list));
    jg_status status = nindices < 0 ? split_evenly(x, at, count, &list)
                                    : split_at(x, at, nindices, indices, &list);
    return finish_list(status, &list, out);
}

/* Unlike array_split, all parts must have the same extent. */
jg_status compose_split(jg_array *x, int nindices, const int64_t *indices, int64_t axis,
                        jg_array_list *out)
{
    int at;
    JG_TRY(shape_axis("axis", axis, x->ndim, &at));
    if (nindices < 0 && indices[0] > 0 && x->dims[at] % indices[0] != 0)
        return base_fail(JG_ERR_VALUE,
                         "[split] indices_or_sections: got %" PRId64
                         ", allowed is what divides the extent %" PRId64,
                         indices[0], x->dims[at]);
    return split("split", x, nindices, indices, at, out);
}

jg_status compose_array_split(jg_array *x, int nindices, const int64_t *indices, int64_t axis,
                              jg_array_list *out)
{
    int at;
    JG_TRY(shape_axis("axis", axis, x->ndim, &at));
    return split("array_split", x, nindices, indices, at, out);
}

/* Lists have an int for their length. */
jg_status compose_unstack(jg_array *x, int64_t axis, jg_array_list *out)
{
    int at;
    jg_array_list list;
    jg_status status = JG_OK;
    JG_TRY(shape_axis("axis", axis, x->ndim, &at));
    if (x->dims[at] > INT32_MAX)
        return base_fail(JG_ERR_VALUE,
                         "[unstack] x: axis %d has extent %" PRId64 ", allowed is up to %d", at,
                         x->dims[at], INT32_MAX);
    JG_TRY(new_list((int)x->dims[at], &list));
    for (int64_t i = 0; status == JG_OK && i < x->dims[at]; ++i)
        status = add_part(&list, x, at, i, i + 1, false);
    return finish_list(status, &list, out);
}

/* x with axes of extent 1, `before` in front and `after` behind. */
static jg_status widen(jg_array *x, int before, int after, jg_array **out)
{
    int64_t shape[JG_MAX_NDIM];
    int ndim = before + x->ndim + after;
    for (int i = 0; i < ndim; ++i)
        shape[i] = i < before || i >= before + x->ndim ? 1 : x->dims[i - before];
    return jg_reshape(x, ndim, shape, out);
}

/* NumPy's positions for the new axes: a vector lies along the last axis of a matrix and the middle
 * one of three, a matrix along the first two. */
static jg_status raise_rank(jg_array *x, int ndim, jg_array **out)
{
    int missing = x->ndim < ndim ? ndim - x->ndim : 0;
    int after = ndim == 3 && missing > 0 && x->ndim > 0;
    if (missing > 0)
        return widen(x, missing - after, after, out);
    *out = jg_array_retain(x);
    return JG_OK;
}

static jg_status at_least(int ndim, int count, jg_array *const *arrays, jg_array_list *out)
{
    jg_array_list list;
    jg_status status = JG_OK;
    JG_TRY(new_list(count, &list));
    for (int i = 0; status == JG_OK && i < count; ++i) {
        status = raise_rank(arrays[i], ndim, &list.arrays[i]);
        list.count += status == JG_OK;
    }
    return finish_list(status, &list, out);
}

jg_status compose_atleast_1d(int count, jg_array *const *arrays, jg_array_list *out)
{
    return at_least(1, count, arrays, out);
}

jg_status compose_atleast_2d(int count, jg_array *const *arrays, jg_array_list *out)
{
    return at_least(2, count, arrays, out);
}

jg_status compose_atleast_3d(int count, jg_array *const *arrays, jg_array_list *out)
{
    return at_least(3, count, arrays, out);
}

static jg_status broadcast_all(int count, jg_array *const *arrays, int ndim, const int64_t *shape,
                               jg_array_list *list)
{
    for (int i = 0; i < count; ++i) {
        JG_TRY(jg_broadcast_to(arrays[i], ndim, shape, &list->arrays[i]));
        list->count += 1;
    }
    return JG_OK;
}

/* The shapes first, so that a failure leaves nothing to release. */
jg_status compose_broadcast_arrays(int count, jg_array *const *arrays, jg_array_list *out)
{
    int64_t shape[JG_MAX_NDIM], next[JG_MAX_NDIM];
    int ndim = 0;
    jg_array_list list;
    for (int i = 0; i < count; ++i) {
        JG_TRY(shape_broadcast(ndim, shape, arrays[i]->ndim, arrays[i]->dims, &ndim, next));
        memcpy(shape, next, (size_t)ndim * sizeof *shape);
    }
    JG_TRY(new_list(count, &list));
    return finish_list(broadcast_all(count, arrays, ndim, shape, &list), &list, out);
}

/* Axis i of the grid, but for the first two, which 'xy' exchanges. */
static int grid_axis(int i, bool exchanged)
{
    return exchanged && i < 2 ? 1 - i : i;
}

static jg_status grid_array(jg_array *x, int axis, int ndim, const int64_t *shape, bool sparse,
                            jg_array **out)
{
    int64_t alone[JG_MAX_NDIM];
    jg_array *along;
    for (int i = 0; i < ndim; ++i)
        alone[i] = i == axis ? x->size : 1;
    if (sparse)
        return jg_reshape(x, ndim, alone, out);
    JG_TRY(jg_reshape(x, ndim, alone, &along));
    jg_status status = jg_broadcast_to(along, ndim, shape, out);
    jg_array_release(along);
    return status;
}

static jg_status check_grid(int count, jg_array *const *arrays, const char *indexing)
{
    if (count > JG_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "[meshgrid] arrays: got %d, allowed are at most %d", count,
                         JG_MAX_NDIM);
    for (int i = 0; i < count; ++i)
        if (arrays[i]->ndim > 1)
            return base_fail(JG_ERR_VALUE, "[meshgrid] arrays[%d]: has %d axes, allowed is one", i,
                             arrays[i]->ndim);
    if (strcmp(indexing, "xy") != 0 && strcmp(indexing, "ij") != 0)
        return base_fail(JG_ERR_VALUE,
                         "[meshgrid] indexing: got \"%s\", allowed are \"xy\" and \"ij\"",
                         indexing);
    return JG_OK;
}

jg_status compose_meshgrid(int count, jg_array *const *arrays, bool sparse, const char *indexing,
                           jg_array_list *out)
{
    int64_t shape[JG_MAX_NDIM];
    jg_array_list list;
    jg_status status = JG_OK;
    JG_TRY(check_grid(count, arrays, indexing));
    bool exchanged = indexing[0] == 'x' && count > 1;
    for (int i = 0; i < count; ++i)
        shape[grid_axis(i, exchanged)] = arrays[i]->size;
    JG_TRY(new_list(count, &list));
    for (int i = 0; status == JG_OK && i < count; ++i) {
        status =
            grid_array(arrays[i], grid_axis(i, exchanged), count, shape, sparse, &list.arrays[i]);
        list.count += status == JG_OK;
    }
    return finish_list(status, &list, out);
}
