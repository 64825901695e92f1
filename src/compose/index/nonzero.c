/* SPDX-License-Identifier: Apache-2.0 */
/* The indices of an array's elements that are not zero. The number of indices depends on the data,
 * so the bools are computed and counted at the call; the indices themselves are a lazy node, or
 * several on a device. */
#include "compose/index/choice.h"

/* x as row-major bools in memory: they are read twice, to count and to find the indices.
 * gives: *out, +1 | waits: for x */
static jg_status make_bools(jg_array *x, jg_array **out)
{
    jg_array *bools, *dense;
    JG_TRY(graph_cast(x, JG_DTYPE_BOOL, &bools));
    jg_status status = graph_contiguous(bools, &dense);
    jg_array_release(bools);
    JG_TRY(status);
    status = run_require(dense);
    if (status == JG_OK)
        *out = dense;
    else
        jg_array_release(dense);
    return status;
}

/* waits: for the sum */
static jg_status count_true(jg_array *bools, int64_t *out)
{
    jg_array *sum;
    jg_number number;
    JG_TRY(jg_sum(bools, -1, NULL, false, NULL, &sum));
    jg_status status = jg_array_item(sum, &number);
    jg_array_release(sum);
    if (status == JG_OK)
        *out = number.i64;
    return status;
}

/* Devices search the running sums of the bools for 1, 2 and so on: these are the positions of the
 * true elements. */
static jg_array *find_true(compose_scope *scope, jg_array *bools, int64_t count)
{
    const jg_number one = {.kind = JG_KIND_INT, .i64 = 1},
                    stop = {.kind = JG_KIND_INT, .i64 = count + 1};
    const int64_t first = 0;
    jg_array *sums = NULL, *ranks = NULL, *indices = NULL;
    jg_array *flat = scope_unary(scope, jg_ravel, bools);
    if (flat == NULL)
        return NULL;
    jg_status status = jg_cumsum(flat, &first, false, true, NULL, &sums);
    sums = scope_take(scope, status, sums);
    if (sums == NULL)
        return NULL;
    status = jg_arange(JG_DTYPE_INT64, one, stop, one, &ranks);
    ranks = scope_take(scope, status, ranks);
    if (ranks == NULL)
        return NULL;
    status = jg_searchsorted(sums, ranks, "left", NULL, &indices);
    return scope_take(scope, status, indices);
}

/* A column of a number for each axis. */
static jg_array *column_of(compose_scope *scope, int ndim, const int64_t *numbers)
{
    const int64_t shape[] = {ndim, 1};
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = graph_from_data(numbers, JG_DTYPE_INT64, 2, shape, &made);
    return scope_take(scope, status, made);
}

/* The rows of indices for a device other than the host. */
static jg_status find_rows(jg_array *bools, int64_t count, bool flat, jg_array **out)
{
    const int64_t shape[] = {1, count};
    int64_t sizes[JG_MAX_NDIM]; /* elements from one index of an axis to the next */
    compose_scope scope = {0};
    jg_array *indices = find_true(&scope, bools, count);
    jg_array *row = scope_shaped(&scope, jg_reshape, indices, 2, shape);
    if (flat)
        return scope_finish(&scope, row, out);
    for (int64_t i = bools->ndim - 1, size = 1; i >= 0; size *= bools->dims[i--])
        sizes[i] = size;
    jg_array *along =
        scope_binary(&scope, jg_floor_divide, row, column_of(&scope, bools->ndim, sizes));
    return scope_finish(&scope,
                        scope_binary(&scope, jg_remainder, along,
                                     column_of(&scope, bools->ndim, node_shape(bools))),
                        out);
}

/* The indices as one array: a row for each axis, or a single one. */
static jg_status make_indices(jg_array *x, bool flat, jg_array **out)
{
    const primitive_attributes attributes = {.nonzero = {.flat = flat}};
    int64_t shape[2] = {flat ? 1 : x->ndim, 0};
    jg_array *bools;
    JG_TRY(make_bools(x, &bools));
    jg_status status = count_true(bools, &shape[1]);
    if (status == JG_OK && !node_is_on_host(bools))
        status = shape[0] > 0 ? find_rows(bools, shape[1], flat, out)
                              : graph_full_beside(bools, JG_DTYPE_INT64, 2, shape,
                                                  (jg_number){.kind = JG_KIND_INT}, out);
    else if (status == JG_OK)
        status =
            graph_routine(JG_OP_nonzero, JG_DTYPE_INT64, 2, shape, 1, &bools, &attributes, out);
    jg_array_release(bools);
    return status;
}

/* Each row is a view of indices, which stays in memory as long as one of them. */
static jg_status take_rows(jg_array *indices, jg_array **rows)
{
    for (int i = 0; i < (int)indices->dims[0]; ++i) {
        const jg_index row = {.kind = JG_INDEX_AT, .start = i};
        jg_status status = jg_slice(indices, 1, &row, &rows[i]);
        if (status == JG_OK)
            continue;
        while (i-- > 0)
            jg_array_release(rows[i]);
        return status;
    }
    return JG_OK;
}

jg_status compose_true_indices(jg_array *mask, bool flat, jg_array **arrays)
{
    jg_array *indices;
    JG_TRY(make_indices(mask, flat, &indices));
    jg_status status = take_rows(indices, arrays);
    jg_array_release(indices);
    return status;
}

static jg_status check_axes(const char *op, const jg_array *x)
{
    if (x->ndim > 0)
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "[%s] x: has no axes, allowed is at least one", op);
}

jg_status compose_nonzero(jg_array *x, jg_array_list *out)
{
    size_t nbytes = ((size_t)x->ndim + 1) * sizeof(jg_array *);
    JG_TRY(check_axes("nonzero", x));
    jg_array **arrays = base_alloc(nbytes);
    if (arrays == NULL)
        return base_nomem(nbytes, "a list of arrays");
    jg_status status = compose_true_indices(x, false, arrays);
    if (status == JG_OK)
        *out = (jg_array_list){x->ndim, arrays};
    else
        base_free(arrays);
    return status;
}

jg_status compose_argwhere(jg_array *x, jg_array **out)
{
    jg_array *indices;
    JG_TRY(make_indices(x, false, &indices));
    jg_status status = jg_matrix_transpose(indices, out);
    jg_array_release(indices);
    return status;
}

jg_status compose_flatnonzero(jg_array *x, jg_array **out)
{
    return compose_true_indices(x, true, out);
}

/* A condition that is shorter than the axis chooses nothing after its end. */
jg_status compose_compress(jg_array *condition, jg_array *x, const int64_t *axis, jg_array **out)
{
    jg_array *indices;
    JG_TRY(compose_true_indices(condition, true, &indices));
    jg_status status = jg_take(x, indices, axis, out);
    jg_array_release(indices);
    return status;
}

jg_status compose_extract(jg_array *condition, jg_array *x, jg_array **out)
{
    return jg_compress(condition, x, NULL, out);
}
