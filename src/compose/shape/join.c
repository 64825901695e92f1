/* SPDX-License-Identifier: Apache-2.0 */
/* Several arrays joined into one: concat along an axis that is there, stack along a new one. */
#include "compose/compose.h"
#include <inttypes.h>
#include <string.h>

/* Runs of fewer elements cost more to step over than to copy; below this the inputs are brought
 * into dense memory first. */
enum { SHORT = 64 }; /* elements */

/* Arrays made on the way, released together. */
typedef struct array_set {
    int count;
    jg_array **arrays;
} array_set;

static jg_status new_set(int count, array_set *out)
{
    size_t nbytes = ((size_t)count + 1) * sizeof *out->arrays;
    *out = (array_set){0, base_alloc(nbytes)};
    return out->arrays != NULL ? JG_OK : base_nomem(nbytes, "a list of arrays");
}

static void clear_set(array_set *set)
{
    for (int i = 0; i < set->count; ++i)
        jg_array_release(set->arrays[i]);
    base_free(set->arrays);
}

static jg_status check_count(jg_op op, int count)
{
    if (count > 0)
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "[%s] arrays: got none, allowed is one or more", op_name(op));
}

jg_status compose_common_dtype(int count, jg_array *const *arrays, jg_dtype *out)
{
    uint64_t dtypes = 0;
    for (int i = 0; i < count; ++i)
        dtypes |= JG_DTYPE_BIT(arrays[i]->dtype);
    return jg_dtype_promote_set(dtypes, out);
}

/* Packed dtypes have no addresses to copy to. */
static jg_status common_dtype(jg_op op, int count, jg_array *const *arrays, jg_dtype *out)
{
    jg_dtype dtype;
    JG_TRY(compose_common_dtype(count, arrays, &dtype));
    if (dtype_itemsize(dtype) == 0)
        return base_fail(JG_ERR_TYPE,
                         "[%s] arrays: %s elements are packed, allowed are whole bytes",
                         op_name(op), dtype_rows[dtype].name);
    *out = dtype;
    return JG_OK;
}

/* The shape of all arrays together. */
static jg_status joined_shape(jg_op op, int count, jg_array *const *arrays, int axis,
                              int64_t *shape)
{
    const jg_array *first = arrays[0];
    char have[200], want[200];
    memcpy(shape, first->dims, (size_t)first->ndim * sizeof *shape);
    for (int i = 1; i < count; ++i) {
        const jg_array *x = arrays[i];
        bool fits = x->ndim == first->ndim;
        for (int k = 0; k < first->ndim && fits; ++k)
            fits = k == axis || x->dims[k] == shape[k];
        if (!fits)
            return base_fail(JG_ERR_VALUE,
                             "[%s] arrays[%d]: has shape %s, allowed is that of arrays[0], %s, but "
                             "for axis %d",
                             op_name(op), i, text_extents(have, sizeof have, x->ndim, x->dims),
                             text_extents(want, sizeof want, first->ndim, first->dims), axis);
        if (__builtin_add_overflow(shape[axis], x->dims[axis], &shape[axis]))
            return base_fail(JG_ERR_VALUE,
                             "[%s] arrays: their extents along axis %d add up to 2^63 or more, "
                             "allowed is a sum below that",
                             op_name(op), axis);
    }
    return JG_OK;
}

/* Whether rows of x are read across memory: then a copy in blocks is quicker. */
static bool is_transposed(const jg_array *x)
{
    int last = x->ndim - 1;
    bool dense = x->dims[last] <= 1 || (node_strides(x)[last] >= -1 && node_strides(x)[last] <= 1);
    for (int i = 0; i < last && !dense; ++i)
        if (x->dims[i] > 1 && node_strides(x)[i] == 1)
            return true;
    return false;
}

static jg_status prepare(jg_array *x, jg_dtype dtype, bool narrow, jg_array **out)
{
    jg_array *cast;
    JG_TRY(graph_cast(x, dtype, &cast));
    if (!dtype_rows[dtype].computable || (!narrow && !is_transposed(cast))) {
        *out = cast;
        return JG_OK;
    }
    jg_status status = graph_contiguous(cast, out);
    jg_array_release(cast);
    return status;
}

/* narrow: the stretches of an input in the result are short, so inputs should be dense. */
static jg_status prepare_all(int count, jg_array *const *arrays, jg_dtype dtype, bool narrow,
                             array_set *set)
{
    for (int i = 0; i < count; ++i) {
        JG_TRY(prepare(arrays[i], dtype, narrow, &set->arrays[i]));
        set->count += 1;
    }
    return JG_OK;
}

static jg_status join(jg_op op, int count, jg_array *const *arrays, int64_t axis, jg_array **out)
{
    const int ndim = arrays[0]->ndim;
    int64_t shape[JG_MAX_NDIM];
    jg_dtype dtype = (jg_dtype)arrays[0]->dtype;
    array_set set;
    int at;
    JG_TRY(shape_axis("axis", axis, ndim, &at));
    JG_TRY(joined_shape(op, count, arrays, at, shape));
    JG_TRY(common_dtype(op, count, arrays, &dtype));
    if (count == 1)
        return graph_same(arrays[0], out);
    JG_TRY(new_set(count, &set));
    const primitive_attributes attributes = {.concat = {.axis = at}};
    int64_t together = 1;
    for (int i = at; i < ndim && together < SHORT; ++i)
        together *= shape[i];
    jg_status status = prepare_all(count, arrays, dtype, together < SHORT, &set);
    if (status == JG_OK)
        status =
            graph_routine(JG_OP_concat, dtype, ndim, shape, count, set.arrays, &attributes, out);
    clear_set(&set);
    return status;
}

/* Applies a view to all arrays and joins what it gives. */
typedef jg_status change(jg_array *x, int64_t argument, jg_array **out);

/* The node keeps the views as its inputs; the set only holds them until then. */
static jg_status join_changed(jg_op op, int count, jg_array *const *arrays, change *view,
                              int64_t argument, int64_t axis, jg_array **out)
{
    array_set set;
    JG_TRY(new_set(count, &set));
    jg_status status = JG_OK;
    for (int i = 0; status == JG_OK && i < count; ++i) {
        status = view(arrays[i], argument, &set.arrays[i]);
        set.count += status == JG_OK;
    }
    if (status == JG_OK)
        status = join(op, count, set.arrays, axis, out);
    clear_set(&set);
    return status;
}

static jg_status flat(jg_array *x, int64_t unused, jg_array **out)
{
    (void)unused;
    return jg_ravel(x, out);
}

jg_status compose_concat(int count, jg_array *const *arrays, const int64_t *axis, jg_array **out)
{
    JG_TRY(check_count(JG_OP_concat, count));
    if (axis == NULL)
        return join_changed(JG_OP_concat, count, arrays, flat, 0, 0, out);
    return join(JG_OP_concat, count, arrays, *axis, out);
}

jg_status compose_stack(int count, jg_array *const *arrays, int64_t axis, jg_array **out)
{
    int at;
    char have[200], want[200];
    JG_TRY(check_count(JG_OP_stack, count));
    const jg_array *first = arrays[0];
    JG_TRY(shape_axis("axis", axis, first->ndim + 1, &at));
    for (int i = 1; i < count; ++i)
        if (arrays[i]->ndim != first->ndim ||
            memcmp(arrays[i]->dims, first->dims, (size_t)first->ndim * sizeof *first->dims) != 0)
            return base_fail(JG_ERR_VALUE,
                             "[stack] arrays[%d]: has shape %s, allowed is that of arrays[0], %s",
                             i, text_extents(have, sizeof have, arrays[i]->ndim, arrays[i]->dims),
                             text_extents(want, sizeof want, first->ndim, first->dims));
    return join_changed(JG_OP_stack, count, arrays, compose_new_axis, at, at, out);
}

static jg_status with_rank(jg_array *x, int64_t ndim, jg_array **out)
{
    int64_t shape[2] = {1, x->size};
    if (x->ndim < ndim)
        return jg_reshape(x, (int)ndim, shape + 2 - ndim, out);
    *out = jg_array_retain(x);
    return JG_OK;
}

jg_status compose_vstack(int count, jg_array *const *arrays, jg_array **out)
{
    JG_TRY(check_count(JG_OP_vstack, count));
    return join_changed(JG_OP_vstack, count, arrays, with_rank, 2, 0, out);
}

jg_status compose_hstack(int count, jg_array *const *arrays, jg_array **out)
{
    JG_TRY(check_count(JG_OP_hstack, count));
    return join_changed(JG_OP_hstack, count, arrays, with_rank, 1, arrays[0]->ndim > 1, out);
}
