/* SPDX-License-Identifier: Apache-2.0 */
/* Order: sort, partition and topk, and the indices of each. The routine works along the last axis,
 * so that another one is moved there and back; without an axis, all elements are one line. */
#include "compose/compose.h"
#include <inttypes.h>

/* The wanted order: the elements of ranks first to last - 1 have to be in their sorted positions;
 * the first `kept` elements of the result are kept. */
typedef struct ordering {
    jg_op op;
    bool descending, indices;
    int64_t first, last, kept;
} ordering;

static jg_status order_lines(const ordering *options, jg_array *x, jg_array **out);

/* The elements taken by their indices: a derivative has to know which of those without a sorted
 * position came where, and a partition of the elements does not tell. */
static jg_status order_by_indices(const ordering *options, jg_array *x, jg_array **out)
{
    ordering indices = *options;
    const int64_t last = -1;
    jg_array *order;
    indices.indices = true;
    indices.op = JG_OP_argpartition;
    JG_TRY(order_lines(&indices, x, &order));
    jg_status status = jg_take_along_axis(x, order, &last, out);
    jg_array_release(order);
    return status;
}

static jg_status order_lines(const ordering *options, jg_array *x, jg_array **out)
{
    bool partial = options->first > 0 || options->last < options->kept;
    if (JG_UNLIKELY(partial && !options->indices && node_is_traced(x)))
        return order_by_indices(options, x, out);
    const sort_attributes attributes = {.descending = options->descending,
                                        .indices = options->indices,
                                        .first = options->first,
                                        .last = options->last};
    return compose_order(options->op, x, &attributes, options->kept, out);
}

jg_status compose_order(jg_op op, jg_array *x, const sort_attributes *attributes, int64_t kept,
                        jg_array **out)
{
    const primitive_attributes own_attributes = {.sort = *attributes};
    int64_t shape[JG_MAX_NDIM];
    for (int i = 0; i < x->ndim; ++i)
        shape[i] = i == x->ndim - 1 ? kept : x->dims[i];
    jg_dtype dtype = attributes->indices ? JG_DTYPE_INT64 : (jg_dtype)x->dtype;
    return graph_routine(op, dtype, x->ndim, shape, 1, &x, &own_attributes, out);
}

static jg_status move_axis(jg_array *x, int64_t from, int64_t to, jg_array **out)
{
    return jg_moveaxis(x, 1, &from, 1, &to, out);
}

/* The axis is moved last, the array made dense, ordered, and the axis moved back. The first two
 * cost nothing if the axis is the last of a dense array. */
static jg_status order_along(const ordering *options, jg_array *x, int axis, jg_array **out)
{
    jg_array *turned = NULL, *dense = NULL, *made = NULL;
    jg_status status;
    JG_TRY_DONE(move_axis(x, axis, -1, &turned));
    JG_TRY_DONE(compose_dense_rows(turned, &dense));
    JG_TRY_DONE(order_lines(options, dense, &made));
    JG_TRY_DONE(move_axis(made, -1, axis, out));
done:
    jg_array_release(turned);
    jg_array_release(dense);
    jg_array_release(made);
    return status;
}

static jg_status check_dtype(jg_op op, const jg_array *x)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    return op_resolve_types(op, 1, &dtype, &types);
}

/* Finds the array and the axis to sort along: x, or all elements of x as a vector. */
static jg_status take_lines(jg_op op, jg_array *x, const int64_t *axis, int *at, jg_array **out)
{
    JG_TRY(check_dtype(op, x));
    *at = 0;
    if (axis == NULL)
        return jg_ravel(x, out);
    if (x->ndim == 0)
        return base_fail(JG_ERR_AXIS, "[%s] axis: got %lld for a 0-d array, allowed is None",
                         op_name(op), (long long)*axis);
    JG_TRY(shape_axis("axis", *axis, x->ndim, at));
    *out = jg_array_retain(x);
    return JG_OK;
}

static jg_status sort_all(jg_op op, jg_array *x, const int64_t *axis, bool descending,
                          jg_array **out)
{
    jg_array *lines;
    int at;
    JG_TRY(take_lines(op, x, axis, &at, &lines));
    int64_t count = lines->dims[at];
    const ordering options = {.op = op,
                              .descending = descending,
                              .indices = op == JG_OP_argsort,
                              .last = count,
                              .kept = count};
    jg_status status = order_along(&options, lines, at, out);
    jg_array_release(lines);
    return status;
}

jg_status compose_sort(jg_array *x, const int64_t *axis, bool descending, bool stable,
                       jg_array **out)
{
    (void)stable; /* always */
    return sort_all(JG_OP_sort, x, axis, descending, out);
}

jg_status compose_argsort(jg_array *x, const int64_t *axis, bool descending, bool stable,
                          jg_array **out)
{
    (void)stable;
    return sort_all(JG_OP_argsort, x, axis, descending, out);
}

/* An empty axis allows no rank. */
static jg_status find_rank(jg_op op, int64_t kth, int64_t count, int64_t *out)
{
    if (kth < -count || kth >= count)
        return base_fail(JG_ERR_INDEX,
                         "[%s] kth: got %" PRId64 ", allowed -%" PRId64 " to %" PRId64, op_name(op),
                         kth, count, count - 1);
    *out = kth < 0 ? kth + count : kth;
    return JG_OK;
}

/* Only the one rank is in its sorted position. */
static jg_status part(jg_op op, jg_array *x, int64_t kth, const int64_t *axis, jg_array **out)
{
    ordering options = {.op = op, .indices = op == JG_OP_argpartition};
    jg_array *lines;
    int at;
    JG_TRY(take_lines(op, x, axis, &at, &lines));
    options.kept = lines->dims[at];
    jg_status status = find_rank(op, kth, options.kept, &options.first);
    options.last = options.first + 1;
    if (status == JG_OK)
        status = order_along(&options, lines, at, out);
    jg_array_release(lines);
    return status;
}

/* x must be of a dtype that can be ordered; nothing is checked. */
jg_status compose_ranks(jg_array *x, int64_t first, int64_t last, jg_array **out)
{
    int axis = x->ndim - 1;
    const ordering options = {
        .op = JG_OP_partition, .first = first, .last = last, .kept = x->dims[axis]};
    return order_along(&options, x, axis, out);
}

jg_status compose_partition(jg_array *x, int64_t kth, const int64_t *axis, jg_array **out)
{
    return part(JG_OP_partition, x, kth, axis, out);
}

jg_status compose_argpartition(jg_array *x, int64_t kth, const int64_t *axis, jg_array **out)
{
    return part(JG_OP_argpartition, x, kth, axis, out);
}

/* The k largest, in descending order: a partial sort of ranks 0 to k - 1, of which the rest is
 * dropped. */
static jg_status take_top(jg_op op, jg_array *x, int64_t k, const int64_t *axis, jg_array **out)
{
    const ordering options = {
        .op = op, .descending = true, .indices = op == JG_OP_argtopk, .last = k, .kept = k};
    jg_array *lines;
    int at;
    JG_TRY(take_lines(op, x, axis, &at, &lines));
    jg_status status = JG_OK;
    if (k < 0 || k > lines->dims[at])
        status = base_fail(JG_ERR_VALUE, "[%s] k: got %" PRId64 ", allowed 0 to %" PRId64,
                           op_name(op), k, lines->dims[at]);
    if (status == JG_OK)
        status = order_along(&options, lines, at, out);
    jg_array_release(lines);
    return status;
}

jg_status compose_topk(jg_array *x, int64_t k, const int64_t *axis, jg_array **out)
{
    return take_top(JG_OP_topk, x, k, axis, out);
}

jg_status compose_argtopk(jg_array *x, int64_t k, const int64_t *axis, jg_array **out)
{
    return take_top(JG_OP_argtopk, x, k, axis, out);
}
