/* SPDX-License-Identifier: Apache-2.0 */
/* The distinct elements of an array, in ascending order. Their number depends on the data, so the
 * sorted elements, and where runs of equal ones start, are computed at the call; the results are
 * lazy nodes. NaN equals nothing, so each is distinct. */
#include "compose/index/choice.h"
#include <stdarg.h>

/* The data about the distinct elements. All pointers are NULL after a failure. */
typedef struct distinct {
    compose_scope scope;
    jg_array *x, *order, *sorted; /* order: indices in x's row-major order; NULL if not wanted */
    jg_array *starts;             /* whether an element is the first of its run */
    jg_array *indices;            /* where runs start */
} distinct;

/* Elements of a vector from start on, without the last `less`. */
static jg_array *slice_of(compose_scope *scope, jg_array *x, int64_t start, int64_t less)
{
    jg_array *made = NULL;
    if (x == NULL)
        return NULL;
    const jg_index item = {.kind = JG_INDEX_SLICE,
                           .start = start,
                           .stop = x->size - less,
                           .has_start = true,
                           .has_stop = true};
    jg_status status = jg_slice(x, 1, &item, &made);
    return scope_take(scope, status, made);
}

static jg_array *joined(compose_scope *scope, jg_array *x, jg_array *y)
{
    const int64_t first = 0;
    jg_array *const both[] = {x, y};
    jg_array *made = NULL;
    if (x == NULL || y == NULL)
        return NULL;
    jg_status status = jg_concat(2, both, &first, &made);
    return scope_take(scope, status, made);
}

/* A vector of one number. */
static jg_array *single(compose_scope *scope, jg_dtype dtype, int64_t value)
{
    const int64_t one = 1;
    const jg_number number = {.kind = JG_KIND_INT, .i64 = value};
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_full(dtype, 1, &one, number, &made);
    return scope_take(scope, status, made);
}

static jg_array *taken(compose_scope *scope, jg_array *x, jg_array *indices)
{
    const int64_t first = 0;
    jg_array *made = NULL;
    if (x == NULL || indices == NULL)
        return NULL;
    jg_status status = jg_take(x, indices, &first, &made);
    return scope_take(scope, status, made);
}

static jg_array *sorted_by(compose_scope *scope, jg_array *x, bool indices)
{
    const int64_t first = 0;
    jg_array *made = NULL;
    if (x == NULL)
        return NULL;
    jg_status status = (indices ? jg_argsort : jg_sort)(x, &first, false, true, &made);
    return scope_take(scope, status, made);
}

static void find_starts(distinct *d)
{
    compose_scope *scope = &d->scope;
    jg_array *flat = scope_unary(scope, compose_truth, scope_unary(scope, jg_ravel, d->x));
    jg_array *indices = NULL;
    d->order = d->order != NULL ? sorted_by(scope, flat, true) : NULL;
    d->sorted = d->order != NULL ? taken(scope, flat, d->order) : sorted_by(scope, flat, false);
    jg_array *changes = scope_binary(scope, jg_not_equal, slice_of(scope, d->sorted, 1, 0),
                                     slice_of(scope, d->sorted, 0, 1));
    /* An element starts a run if it differs from the one before it; the first always does, but for
     * an empty x, which has none. */
    d->starts = joined(scope, single(scope, JG_DTYPE_BOOL, 1), changes);
    if (d->starts != NULL && d->sorted->size == 0)
        d->starts = slice_of(scope, d->starts, 1, 0);
    if (d->starts == NULL)
        return;
    jg_status status = compose_true_indices(d->starts, true, &indices);
    d->indices = scope_take(scope, status, indices);
}

static distinct find_distinct(jg_op op, jg_array *x, bool ordered)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    distinct d = {.x = x};
    op_types types;
    d.scope.status = op_resolve_types(op, 1, &dtype, &types);
    d.order = ordered ? x : NULL; /* for now, that it is wanted */
    find_starts(&d);
    return d;
}

/* A run ends where the next one starts, the last one at the end. */
static jg_array *counts_of(distinct *d)
{
    compose_scope *scope = &d->scope;
    if (d->indices == NULL)
        return NULL;
    jg_array *ends = joined(scope, d->indices, single(scope, JG_DTYPE_INT64, d->sorted->size));
    return scope_binary(scope, jg_subtract, slice_of(scope, ends, 1, 0), d->indices);
}

/* For each element of x the number of its run. The number of a run is how many runs have started,
 * less 1; it is written to where the sorted element came from. d->order serves as the array written
 * to only for its shape and dtype: all of it is overwritten. */
static jg_array *inverse_of(distinct *d)
{
    const int64_t first = 0;
    jg_array *runs = NULL, *made = NULL;
    compose_scope *scope = &d->scope;
    if (d->indices == NULL)
        return NULL;
    jg_status status = jg_cumsum(d->starts, &first, false, true, NULL, &runs);
    runs = scope_take(scope, status, runs);
    jg_array *numbers =
        runs == NULL ? NULL : scope_binary(scope, jg_subtract, runs, scope_whole(scope, runs, 1));
    if (numbers == NULL)
        return NULL;
    status = jg_put_along_axis(d->order, d->order, numbers, &first, &made);
    made = scope_take(scope, status, made);
    return scope_shaped(scope, jg_reshape, made, d->x->ndim, node_shape(d->x));
}

/* Ends the scope. The arrays after count may be NULL only if the scope has failed. gives: *out, a
 * list of them, +1 each | raises: the scope's failure, NOMEM */
static jg_status finish(distinct *d, jg_array_list *out, int count, ...)
{
    va_list given;
    size_t nbytes = (size_t)count * sizeof(jg_array *);
    jg_array **arrays = base_alloc(nbytes), *ended = NULL;
    if (arrays == NULL && d->scope.status == JG_OK)
        d->scope.status = base_nomem(nbytes, "a list of arrays");
    va_start(given, count);
    for (int i = 0; i < count && d->scope.status == JG_OK; ++i)
        arrays[i] = jg_array_retain(va_arg(given, jg_array *));
    va_end(given);
    /* A scope ends with one result: x is passed as that and released at once. */
    jg_status status = scope_finish(&d->scope, d->x, &ended);
    jg_array_release(ended);
    if (status == JG_OK)
        *out = (jg_array_list){count, arrays};
    else
        base_free(arrays);
    return status;
}

jg_status compose_unique_values(jg_array *x, jg_array **out)
{
    distinct d = find_distinct(JG_OP_unique_values, x, false);
    return scope_finish(&d.scope, taken(&d.scope, d.sorted, d.indices), out);
}

jg_status compose_unique_counts(jg_array *x, jg_array_list *out)
{
    distinct d = find_distinct(JG_OP_unique_counts, x, false);
    jg_array *values = taken(&d.scope, d.sorted, d.indices), *counts = counts_of(&d);
    return finish(&d, out, 2, values, counts);
}

jg_status compose_unique_inverse(jg_array *x, jg_array_list *out)
{
    distinct d = find_distinct(JG_OP_unique_inverse, x, true);
    jg_array *values = taken(&d.scope, d.sorted, d.indices), *inverse = inverse_of(&d);
    return finish(&d, out, 2, values, inverse);
}

jg_status compose_unique_all(jg_array *x, jg_array_list *out)
{
    distinct d = find_distinct(JG_OP_unique_all, x, true);
    jg_array *values = taken(&d.scope, d.sorted, d.indices);
    jg_array *indices = taken(&d.scope, d.order, d.indices);
    jg_array *inverse = inverse_of(&d), *counts = counts_of(&d);
    return finish(&d, out, 4, values, indices, inverse, counts);
}
