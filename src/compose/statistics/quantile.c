/* SPDX-License-Identifier: Apache-2.0 */
/* median and quantile: elements of certain ranks along axes, and interpolation between two of them.
 * The axes that are reduced become the last one, along which only as much is sorted as is asked
 * for. NaN among the elements makes the result NaN. */
#include "compose/statistics/quantile.h"
#include <math.h>

/* Rows of what is reduced: x with one last axis for all reduced ones. x is NULL after a failure;
 * count is the elements of a row. */
typedef struct rows {
    compose_scope scope;
    jg_array *x;
    jg_dtype wide, result; /* what is computed in, and given */
    int nkept, ndim;
    int64_t kept[JG_MAX_NDIM], shape[JG_MAX_NDIM]; /* extents left, and those of the result */
    int64_t count;
} rows;

static jg_status check(jg_op op, const jg_array *x, rows *r)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    JG_TRY(op_resolve_types(op, 1, &dtype, &types));
    r->result = types.result;
    r->wide = dtype_is_floating(dtype) ? compose_wide(dtype) : JG_DTYPE_FLOAT64;
    return JG_OK;
}

/* The axes that stay come first, in their order; those reduced are merged to the last. */
static rows rows_of(jg_op op, jg_array *x, int naxes, const int64_t *axes, bool keepdims)
{
    rows r = {.count = 1};
    uint64_t set = 0;
    int64_t order[JG_MAX_NDIM], shape[JG_MAX_NDIM];
    r.scope.status = check(op, x, &r);
    if (r.scope.status == JG_OK)
        r.scope.status = shape_axes("axis", naxes, axes, x->ndim, &set);
    if (r.scope.status != JG_OK)
        return r;
    op_reduced_shape(x->ndim, x->dims, set, keepdims, &r.ndim, r.shape);
    int at = 0;
    for (int i = 0; i < x->ndim; ++i)
        if (!(set >> i & 1)) {
            r.kept[r.nkept] = shape[r.nkept] = x->dims[i];
            r.nkept += 1;
            order[at++] = i;
        }
    for (int i = 0; i < x->ndim; ++i)
        if (set >> i & 1) {
            r.count *= x->dims[i];
            order[at++] = i;
        }
    shape[r.nkept] = r.count;
    jg_array *turned = scope_shaped(&r.scope, jg_permute_dims, x, at, order);
    r.x = scope_shaped(&r.scope, jg_reshape, turned, r.nkept + 1, shape);
    return r;
}

/* The elements of the rank in each row; the rows are partitioned by that rank. */
static jg_array *of_rank(rows *r, jg_array *ordered, int64_t rank)
{
    const jg_index items[] = {{.kind = JG_INDEX_ELLIPSIS}, {.kind = JG_INDEX_AT, .start = rank}};
    jg_array *made = NULL;
    if (ordered == NULL)
        return NULL;
    jg_status status = jg_slice(ordered, 2, items, &made);
    return scope_cast(&r->scope, scope_take(&r->scope, status, made), r->wide);
}

/* value, but NaN for rows with one; value has as many axes as rows are left, or one more. The
 * largest element of a row with a NaN is NaN, by the rule of jg_max: one more pass, but it works
 * for partial orders, in which NaNs need not be at the end. */
static jg_array *with_nan(rows *r, jg_array *value, bool more)
{
    const int64_t last = -1;
    compose_scope *scope = &r->scope;
    if (value == NULL || !dtype_is_floating((jg_dtype)r->x->dtype))
        return value;
    jg_array *top = scope_reduce(scope, jg_max, r->x, 1, &last, more);
    jg_array *wide = scope_cast(scope, top, r->wide);
    return scope_where(scope, scope_unary(scope, jg_isnan, top), wide, value);
}

static jg_array *all_nan(rows *r)
{
    jg_array *made = NULL;
    const jg_number nan = {.kind = JG_KIND_FLOAT, .re = NAN};
    jg_status status = graph_full_beside(r->x, r->result, r->nkept, r->kept, nan, &made);
    return scope_take(&r->scope, status, made);
}

static jg_array *ordered_between(rows *r, int64_t first, int64_t last)
{
    jg_array *made = NULL;
    if (r->x == NULL)
        return NULL;
    jg_status status = compose_ranks(r->x, first, last, &made);
    return scope_take(&r->scope, status, made);
}

/* The mean of the two middle elements as (a + b) / 2, as NumPy has it, so that it may overflow
 * where they are near the largest number. */
static jg_array *middle_of(rows *r)
{
    int64_t low = (r->count - 1) / 2, high = r->count / 2;
    jg_array *ordered = ordered_between(r, low, high + 1);
    jg_array *below = of_rank(r, ordered, low);
    if (low == high || below == NULL)
        return below;
    jg_array *sum = scope_binary(&r->scope, jg_add, below, of_rank(r, ordered, high));
    return scope_binary(&r->scope, jg_multiply, sum, scope_number(&r->scope, below, 0.5));
}

jg_status compose_median(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    rows r = rows_of(JG_OP_median, x, naxes, axes, keepdims);
    jg_array *middle = NULL;
    if (r.scope.status == JG_OK)
        middle = r.count == 0 ? all_nan(&r) : with_nan(&r, middle_of(&r), false);
    middle = scope_cast(&r.scope, middle, r.result);
    return scope_finish(&r.scope, scope_shaped(&r.scope, jg_reshape, middle, r.ndim, r.shape), out);
}

/* A call: its op, its method and its fractions. NaN is left out of the rows, or makes their results
 * NaN. */
typedef struct request {
    jg_op op;
    bool leaves_nan_out;
    double whole; /* the q that means all elements: 1 or 100 */
    quantile_rule *rule;
    double *numbers; /* owned; fractions of 1 */
    int64_t count;
} request;

/* The numbers are read at the call: they decide what is partitioned, and which ranks there are.
 * gives: options->numbers, for base_free | raises: TYPE, VALUE, NOMEM | waits: for q */
static jg_status read_numbers(jg_array *q, request *options)
{
    size_t nbytes = (size_t)q->size * sizeof(double);
    jg_array *wide;
    JG_TRY(graph_cast(q, JG_DTYPE_FLOAT64, &wide));
    double *numbers = base_alloc(nbytes + 1);
    jg_status status =
        numbers == NULL ? base_nomem(nbytes, "quantiles") : jg_array_copy_to(wide, numbers, nbytes);
    jg_array_release(wide);
    for (int64_t i = 0; i < q->size && status == JG_OK; ++i) {
        if (!(numbers[i] >= 0 && numbers[i] <= options->whole))
            status = base_fail(JG_ERR_VALUE, "[%s] q: got %g, allowed 0 to %g",
                               op_name(options->op), numbers[i], options->whole);
        numbers[i] /= options->whole;
    }
    if (status == JG_OK && node_is_traced(q) && dtype_is_floating((jg_dtype)q->dtype))
        status =
            base_fail(JG_ERR_VALUE,
                      "[%s] q: got an array that depends on an argument of a function that is "
                      "being differentiated, allowed are numbers: its derivative would be lost",
                      op_name(options->op));
    if (status != JG_OK) {
        base_free(numbers);
        return status;
    }
    options->numbers = numbers;
    options->count = q->size;
    return JG_OK;
}

/* The cuts as arrays: ranks below, ranks above, parts; for all rows, or for each its own. */
typedef struct cut_arrays {
    jg_array *below, *above, *part;
} cut_arrays;

static jg_array *array_of(rows *r, const void *data, jg_dtype dtype, int ndim, const int64_t *shape)
{
    jg_array *made = NULL;
    if (r->scope.status != JG_OK)
        return NULL;
    jg_status status = graph_from_data(data, dtype, ndim, shape, &made);
    return scope_take(&r->scope, status, made);
}

/* Cuts for as many rows as there are counts of elements, in the shape given. */
static void make_cuts(rows *r, const request *options, int64_t nrows, const int64_t *counts,
                      int ndim, const int64_t *shape, cut_arrays *out)
{
    int64_t total = nrows * options->count;
    size_t nbytes = (size_t)total * sizeof(int64_t);
    int64_t *ranks = base_alloc(3 * nbytes + 1);
    if (ranks == NULL) {
        r->scope.status = base_nomem(3 * nbytes, "quantiles");
        return;
    }
    int64_t *above = ranks + total;
    double *parts = (double *)(void *)(above + total);
    for (int64_t i = 0; i < total; ++i) {
        quantile_cut at = quantile_cut_at(options->rule, options->numbers[i % options->count],
                                          counts[i / options->count]);
        ranks[i] = at.below;
        above[i] = at.above;
        parts[i] = at.part;
    }
    /* ranks is one block of three lists: int64 and double are of one size. */
    out->below = array_of(r, ranks, JG_DTYPE_INT64, ndim, shape);
    out->above = array_of(r, above, JG_DTYPE_INT64, ndim, shape);
    out->part = scope_cast(&r->scope, array_of(r, parts, JG_DTYPE_FLOAT64, ndim, shape), r->wide);
    base_free(ranks);
}

static jg_array *taken(rows *r, jg_array *ordered, jg_array *ranks)
{
    const int64_t last = -1;
    jg_array *made = NULL;
    if (ordered == NULL || ranks == NULL)
        return NULL;
    bool each = ranks->ndim == ordered->ndim && ordered->ndim > 1;
    jg_status status = each ? jg_take_along_axis(ordered, ranks, &last, &made)
                            : jg_take(ordered, ranks, &last, &made);
    return scope_cast(&r->scope, scope_take(&r->scope, status, made), r->wide);
}

/* Whether the lower element is the result: the part is 0, both are equal, or every number between
 * them is as low as it. By the sum inf - inf, or 0 times inf, would make NaN of it. */
static jg_array *is_low(rows *r, jg_array *low, jg_array *high, jg_array *part)
{
    compose_scope *scope = &r->scope;
    if (low == NULL || high == NULL || part == NULL)
        return NULL;
    jg_array *none = scope_binary(scope, jg_equal, part, scope_number(scope, part, 0));
    jg_array *same = scope_binary(scope, jg_equal, low, high);
    jg_array *top = scope_number(scope, low, INFINITY),
             *bottom = scope_number(scope, low, -INFINITY);
    jg_array *deep = scope_binary(scope, jg_logical_and, scope_binary(scope, jg_equal, low, bottom),
                                  scope_binary(scope, jg_less, high, top));
    return scope_binary(scope, jg_logical_or, scope_binary(scope, jg_logical_or, none, same), deep);
}

/* The two elements and what lies between. */
static jg_array *between(rows *r, jg_array *ordered, const cut_arrays *cuts)
{
    compose_scope *scope = &r->scope;
    jg_array *low = taken(r, ordered, cuts->below), *high = taken(r, ordered, cuts->above);
    jg_array *way = scope_binary(scope, jg_subtract, high, low);
    jg_array *there = scope_binary(scope, jg_multiply, way, cuts->part);
    jg_array *sum = scope_binary(scope, jg_add, low, there);
    return scope_where(scope, is_low(r, low, high, cuts->part), low, sum);
}

/* Sorts only as much as the quantiles need. For several quantiles the whole row is sorted: one sort
 * is less than partitions for each. */
static jg_array *ordered_for(rows *r, const request *options)
{
    int64_t first = 0, last = r->count;
    if (options->count == 1) {
        quantile_cut at = quantile_cut_at(options->rule, options->numbers[0], r->count);
        first = at.below;
        last = at.above + 1;
    }
    return ordered_between(r, first, last);
}

/* With the quantiles' axes first, then those of the result. */
static jg_array *arranged(rows *r, const request *options, jg_array *values, const jg_array *q)
{
    int64_t shape[2 * JG_MAX_NDIM];
    const int64_t last = -1, first = 0;
    jg_array *moved = NULL;
    int ndim = 0;
    if (values == NULL)
        return NULL;
    if (q->ndim + r->ndim > JG_MAX_NDIM) {
        r->scope.status = base_fail(JG_ERR_VALUE, "[%s] q: makes %d axes, allowed are %d",
                                    op_name(options->op), q->ndim + r->ndim, JG_MAX_NDIM);
        return NULL;
    }
    for (int i = 0; i < q->ndim; ++i)
        shape[ndim++] = q->dims[i];
    for (int i = 0; i < r->ndim; ++i)
        shape[ndim++] = r->shape[i];
    jg_status status = jg_moveaxis(values, 1, &last, 1, &first, &moved);
    return scope_shaped(&r->scope, jg_reshape, scope_take(&r->scope, status, moved), ndim, shape);
}

static jg_array *quantiles_of(rows *r, const request *options)
{
    cut_arrays cuts = {NULL, NULL, NULL};
    make_cuts(r, options, 1, &r->count, 1, &options->count, &cuts);
    return with_nan(r, between(r, ordered_for(r, options), &cuts), true);
}

/* How many elements of each row are not NaN, as int64. */
static jg_array *count_numbers(rows *r)
{
    const int64_t last = -1;
    compose_scope *scope = &r->scope;
    jg_array *is = scope_unary(scope, jg_logical_not, scope_unary(scope, jg_isnan, r->x));
    return scope_reduce(scope, compose_sum, is, 1, &last, false);
}

static jg_array *take_rows(rows *r, jg_array *table, jg_array *indices)
{
    const int64_t first = 0;
    jg_array *made = NULL;
    if (table == NULL || indices == NULL)
        return NULL;
    jg_status status = jg_take(table, indices, &first, &made);
    return scope_take(&r->scope, status, made);
}

/* Each row's cuts without reading values, because traced arguments have none: from tables of those
 * for every count that a row may have. */
static void look_up_cuts(rows *r, const request *options, cut_arrays *out)
{
    const int64_t shape[] = {r->count + 1, options->count};
    int64_t *counts = base_alloc((size_t)shape[0] * sizeof *counts);
    jg_array *count = count_numbers(r);
    if (r->scope.status == JG_OK && counts == NULL)
        r->scope.status = base_nomem((size_t)shape[0] * sizeof *counts, "counts of elements");
    if (r->scope.status == JG_OK) {
        for (int64_t i = 0; i < shape[0]; ++i)
            counts[i] = i;
        make_cuts(r, options, shape[0], counts, 2, shape, out);
        out->below = take_rows(r, out->below, count);
        out->above = take_rows(r, out->above, count);
        out->part = take_rows(r, out->part, count);
    }
    base_free(counts);
}

/* The same in memory. gives: *counts, for base_free, and *nrows | raises: NOMEM | waits: for x */
static jg_status count_elements(rows *r, int64_t **counts, int64_t *nrows)
{
    jg_array *count = count_numbers(r);
    if (count == NULL)
        return r->scope.status;
    size_t nbytes = (size_t)count->size * sizeof(int64_t);
    int64_t *made = base_alloc(nbytes + 1);
    if (made == NULL)
        return base_nomem(nbytes, "counts of elements");
    jg_status status = jg_array_copy_to(count, made, nbytes);
    if (status != JG_OK) {
        base_free(made);
        return status;
    }
    *counts = made;
    *nrows = count->size;
    return JG_OK;
}

/* Sorted, NaN comes last, so the ranks of each row count its numbers only. In a row of NaN every
 * rank is 0. */
static jg_array *quantiles_without_nan(rows *r, const request *options)
{
    cut_arrays cuts = {NULL, NULL, NULL};
    int64_t shape[JG_MAX_NDIM + 1], *counts = NULL, nrows = 0;
    if (r->scope.status == JG_OK && node_is_traced(r->x)) {
        look_up_cuts(r, options, &cuts);
        return between(r, ordered_between(r, 0, r->count), &cuts);
    }
    for (int i = 0; i < r->nkept; ++i)
        shape[i] = r->kept[i];
    shape[r->nkept] = options->count;
    r->scope.status = count_elements(r, &counts, &nrows);
    if (r->scope.status != JG_OK)
        return NULL;
    make_cuts(r, options, nrows, counts, r->nkept + 1, shape, &cuts);
    base_free(counts);
    return between(r, ordered_between(r, 0, r->count), &cuts);
}

static jg_status check_elements(const rows *r, jg_op op)
{
    if (r->scope.status != JG_OK || r->count > 0)
        return r->scope.status;
    return base_fail(JG_ERR_VALUE, "[%s] x: has no elements along axis, allowed is one or more",
                     op_name(op));
}

/* q is read before x is used, so that its errors are raised at the call. */
static jg_status answer(request *options, jg_array *x, jg_array *q, int naxes, const int64_t *axes,
                        bool keepdims, const char *method, jg_array **out)
{
    JG_TRY(quantile_rule_of(options->op, method, &options->rule));
    JG_TRY(read_numbers(q, options));
    rows r = rows_of(options->op, x, naxes, axes, keepdims);
    r.scope.status = check_elements(&r, options->op);
    jg_array *values = NULL;
    if (r.scope.status == JG_OK)
        values = options->leaves_nan_out && dtype_is_floating((jg_dtype)x->dtype)
                     ? quantiles_without_nan(&r, options)
                     : quantiles_of(&r, options);
    values = arranged(&r, options, scope_cast(&r.scope, values, r.result), q);
    base_free(options->numbers);
    return scope_finish(&r.scope, values, out);
}

#define QUANTILES(name, all, without)                                                              \
    jg_status compose_##name(jg_array *x, jg_array *q, int naxes, const int64_t *axes,             \
                             bool keepdims, const char *method, jg_array **out)                    \
    {                                                                                              \
        request options = {.op = JG_OP_##name, .leaves_nan_out = without, .whole = all};           \
        return answer(&options, x, q, naxes, axes, keepdims, method, out);                         \
    }
QUANTILES(quantile, 1, false)
QUANTILES(percentile, 100, false)
QUANTILES(nanquantile, 1, true)
QUANTILES(nanpercentile, 100, true)

/* The linear method at 1/2 gives the mean of the middle two, or the middle one. */
jg_status compose_nanmedian(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                            jg_array **out)
{
    const jg_number half = {.kind = JG_KIND_FLOAT, .re = 0.5};
    jg_array *q;
    if (!dtype_is_floating((jg_dtype)x->dtype) || x->size == 0)
        return jg_median(x, naxes, axes, keepdims, out);
    JG_TRY(jg_full(JG_DTYPE_FLOAT64, 0, NULL, half, &q));
    request options = {.op = JG_OP_nanmedian, .leaves_nan_out = true, .whole = 1};
    jg_status status = answer(&options, x, q, naxes, axes, keepdims, "linear", out);
    jg_array_release(q);
    return status;
}
