/* SPDX-License-Identifier: Apache-2.0 */
/* median and quantile: elements of certain ranks along axes, and what lies between two of them. The
 * axes that are reduced become the last one, along which only as much is sorted as is asked for.
 * NaN among the elements makes the result NaN. */
#include "compose/compose.h"
#include <math.h>
#include <string.h>

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

/* The elements of the rank in each row, of rows in which it is in its place. */
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
 * for partial orders, in which NaNs need not stand at the end. */
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
    jg_status status = jg_full(r->result, r->nkept, r->kept, nan, &made);
    return scope_take(&r->scope, status, made);
}

static jg_array *ordered_between(rows *r, int64_t first, int64_t last)
{
    jg_array *made = NULL;
    if (r->x == NULL)
        return NULL;
    jg_status status = compose_partition(r->x, first, last, &made);
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

jg_status jg_median(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    rows r = rows_of(JG_OP_median, x, naxes, axes, keepdims);
    jg_array *middle = NULL;
    if (r.scope.status == JG_OK)
        middle = r.count == 0 ? all_nan(&r) : with_nan(&r, middle_of(&r), false);
    middle = scope_cast(&r.scope, middle, r.result);
    return scope_finish(&r.scope, scope_shaped(&r.scope, jg_reshape, middle, r.ndim, r.shape), out);
}

typedef struct cut {
    int64_t below, above;
    double part; /* of the way from one to the other */
} cut;

/* Where a quantile lies among ranks from 0 on, by alpha and beta of Hyndman and Fan. R. J. Hyndman
 * and Y. Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50 (1996),
 * 361-365; the parameters are those of scipy.stats.mstats.mquantiles. */
static double rank_between(double q, int64_t count, double alpha, double beta)
{
    return (double)count * q + (alpha + q * (1 - alpha - beta)) - 1;
}

static double round_half_even(double x)
{
    double below = floor(x), part = x - below;
    bool up = part > 0.5 || (part == 0.5 && fmod(below, 2) != 0);
    return below + up;
}

typedef double cut_rule(double q, int64_t count);

#define BETWEEN(name, alpha, beta)                                                                 \
    static double name(double q, int64_t count)                                                    \
    {                                                                                              \
        return rank_between(q, count, alpha, beta);                                                \
    }
/* Their definitions 4, 5, 6, 8 and 9. */
BETWEEN(interpolated_inverted_cdf, 0, 1)
BETWEEN(hazen, 0.5, 0.5)
BETWEEN(weibull, 0, 0)
BETWEEN(median_unbiased, 1.0 / 3, 1.0 / 3)
BETWEEN(normal_unbiased, 3.0 / 8, 3.0 / 8)

/* Definition 7, rounded once: q = 0.7 of 11 elements is exactly one of them. */
static double linear(double q, int64_t count)
{
    return (double)(count - 1) * q;
}

static double lower(double q, int64_t count)
{
    return floor(linear(q, count));
}

static double higher(double q, int64_t count)
{
    return ceil(linear(q, count));
}

static double nearest(double q, int64_t count)
{
    return round_half_even(linear(q, count));
}

static double midpoint(double q, int64_t count)
{
    return (lower(q, count) + higher(q, count)) / 2;
}

/* Definitions 1 to 3, which are steps: one element, or the mean of two where q falls on the
 * border. */
static double inverted_cdf(double q, int64_t count)
{
    return ceil((double)count * q) - 1;
}

static double averaged_inverted_cdf(double q, int64_t count)
{
    double at = (double)count * q - 1;
    return at == floor(at) ? at + 0.5 : ceil(at);
}

/* Of two that are as close, the one that is even when ranks count from 1. */
static double closest_observation(double q, int64_t count)
{
    double at = (double)count * q - 1.5, below = floor(at);
    bool stays = at == below && fmod(below, 2) != 0;
    return stays ? below : below + 1;
}

static const struct {
    const char *name;
    cut_rule *rule;
} methods[] = {
    {"linear", linear},
    {"lower", lower},
    {"higher", higher},
    {"nearest", nearest},
    {"midpoint", midpoint},
    {"inverted_cdf", inverted_cdf},
    {"averaged_inverted_cdf", averaged_inverted_cdf},
    {"closest_observation", closest_observation},
    {"interpolated_inverted_cdf", interpolated_inverted_cdf},
    {"hazen", hazen},
    {"weibull", weibull},
    {"median_unbiased", median_unbiased},
    {"normal_unbiased", normal_unbiased},
};

static jg_status find_method(const char *name, cut_rule **out)
{
    for (size_t i = 0; i < JG_COUNT_OF(methods); ++i)
        if (strcmp(methods[i].name, name) == 0) {
            *out = methods[i].rule;
            return JG_OK;
        }
    return jg_fail(JG_ERR_VALUE,
                   "[quantile] method: got '%s', allowed are 'linear', 'lower', 'higher', "
                   "'nearest', 'midpoint' and the others of NumPy",
                   name);
}

/* Ranks outside the row, which the definitions give near q = 0 and 1, are those of its ends. */
static cut cut_at(cut_rule *rule, double q, int64_t count)
{
    double at = rule(q, count), last = (double)(count - 1);
    at = at < 0 ? 0 : at > last ? last : at;
    int64_t below = (int64_t)floor(at);
    return (cut){below, below + (below + 1 < count), at - floor(at)};
}

/* The numbers asked for, in memory: the ranks decide what is partitioned, so that q is read at the
 * call. gives: *out, for base_free | raises: TYPE, VALUE, NOMEM | waits: for q */
static jg_status read_numbers(jg_array *q, double **out)
{
    size_t nbytes = (size_t)q->size * sizeof(double);
    jg_array *wide;
    JG_TRY(graph_cast(q, JG_DTYPE_FLOAT64, &wide));
    double *numbers = base_alloc(nbytes + 1);
    jg_status status =
        numbers == NULL ? base_nomem(nbytes, "quantiles") : jg_array_copy_to(wide, numbers, nbytes);
    jg_array_release(wide);
    for (int64_t i = 0; i < q->size && status == JG_OK; ++i)
        if (!(numbers[i] >= 0 && numbers[i] <= 1))
            status = jg_fail(JG_ERR_VALUE, "[quantile] q: got %g, allowed 0 to 1", numbers[i]);
    if (status == JG_OK)
        *out = numbers;
    else
        base_free(numbers);
    return status;
}

/* The cuts as arrays: ranks below, ranks above, parts. */
typedef struct cut_arrays {
    jg_array *below, *above, *part;
} cut_arrays;

static jg_array *array_of(rows *r, const void *data, jg_dtype dtype, int64_t count)
{
    jg_array *made = NULL;
    if (r->scope.status != JG_OK)
        return NULL;
    jg_status status = jg_array_from_data(data, dtype, 1, &count, &made);
    return scope_take(&r->scope, status, made);
}

static void make_cuts(rows *r, cut_rule *rule, const double *numbers, int64_t count,
                      cut_arrays *out)
{
    size_t nbytes = (size_t)count * sizeof(int64_t);
    int64_t *ranks = base_alloc(3 * nbytes + 1);
    if (ranks == NULL) {
        r->scope.status = base_nomem(3 * nbytes, "quantiles");
        return;
    }
    int64_t *above = ranks + count;
    double *parts = (double *)(void *)(above + count);
    for (int64_t i = 0; i < count; ++i) {
        cut at = cut_at(rule, numbers[i], r->count);
        ranks[i] = at.below;
        above[i] = at.above;
        parts[i] = at.part;
    }
    /* ranks is one block of three lists: int64 and double are of one size. */
    out->below = array_of(r, ranks, JG_DTYPE_INT64, count);
    out->above = array_of(r, above, JG_DTYPE_INT64, count);
    out->part = scope_cast(&r->scope, array_of(r, parts, JG_DTYPE_FLOAT64, count), r->wide);
    base_free(ranks);
}

static jg_array *taken(rows *r, jg_array *ordered, jg_array *ranks)
{
    const int64_t last = -1;
    jg_array *made = NULL;
    if (ordered == NULL || ranks == NULL)
        return NULL;
    jg_status status = jg_take(ordered, ranks, &last, &made);
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

/* As few elements in order as the quantiles need. For several quantiles the whole row is sorted:
 * one sort is less than partitions for each. */
static jg_array *ordered_for(rows *r, cut_rule *rule, const double *numbers, int64_t count)
{
    int64_t first = 0, last = r->count;
    if (count == 1) {
        cut at = cut_at(rule, numbers[0], r->count);
        first = at.below;
        last = at.above + 1;
    }
    return ordered_between(r, first, last);
}

/* With the quantiles' axes first, then those of the result. */
static jg_array *arranged(rows *r, jg_array *values, const jg_array *q)
{
    int64_t shape[2 * JG_MAX_NDIM];
    const int64_t last = -1, first = 0;
    jg_array *moved = NULL;
    int ndim = 0;
    if (values == NULL)
        return NULL;
    if (q->ndim + r->ndim > JG_MAX_NDIM) {
        r->scope.status = jg_fail(JG_ERR_VALUE, "[quantile] q: makes %d axes, allowed are %d",
                                  q->ndim + r->ndim, JG_MAX_NDIM);
        return NULL;
    }
    for (int i = 0; i < q->ndim; ++i)
        shape[ndim++] = q->dims[i];
    for (int i = 0; i < r->ndim; ++i)
        shape[ndim++] = r->shape[i];
    jg_status status = jg_moveaxis(values, 1, &last, 1, &first, &moved);
    return scope_shaped(&r->scope, jg_reshape, scope_take(&r->scope, status, moved), ndim, shape);
}

static jg_array *quantiles_of(rows *r, const jg_array *q, cut_rule *rule, const double *numbers)
{
    cut_arrays cuts = {NULL, NULL, NULL};
    if (r->scope.status != JG_OK)
        return NULL;
    make_cuts(r, rule, numbers, q->size, &cuts);
    jg_array *ordered = ordered_for(r, rule, numbers, q->size);
    jg_array *values = with_nan(r, between(r, ordered, &cuts), true);
    return arranged(r, scope_cast(&r->scope, values, r->result), q);
}

static jg_status check_elements(const rows *r)
{
    if (r->scope.status != JG_OK || r->count > 0)
        return r->scope.status;
    return jg_fail(JG_ERR_VALUE,
                   "[quantile] x: has no elements along axis, allowed is one or more");
}

/* q is read before x is touched: what is wrong with it is told at the call. */
jg_status jg_quantile(jg_array *x, jg_array *q, int naxes, const int64_t *axes, bool keepdims,
                      const char *method, jg_array **out)
{
    double *numbers = NULL;
    cut_rule *rule = linear;
    JG_TRY(find_method(method, &rule));
    JG_TRY(read_numbers(q, &numbers));
    rows r = rows_of(JG_OP_quantile, x, naxes, axes, keepdims);
    r.scope.status = check_elements(&r);
    jg_status status = scope_finish(&r.scope, quantiles_of(&r, q, rule, numbers), out);
    base_free(numbers);
    return status;
}
