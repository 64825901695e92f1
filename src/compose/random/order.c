/* SPDX-License-Identifier: Apache-2.0 */
/* Random orders, and draws from what there is: places are drawn, and the slices there taken. */
#include "compose/random/random.h"

static const int64_t only_axis = 0;

static jg_array *sorted_places(compose_scope *scope, jg_array *x)
{
    jg_array *made = NULL;
    if (x == NULL)
        return NULL;
    jg_status status = jg_argsort(x, &only_axis, false, true, &made);
    return scope_take(scope, status, made);
}

/* Numbers that are sorted for an order; that two of 64 bits are equal does not happen. */
static jg_array *order_numbers(compose_scope *scope, jg_array *key, int64_t extent)
{
    return random_whole(scope, key, INT64_MIN, INT64_MAX, 1, &extent, JG_DTYPE_INT64);
}

jg_array *random_order(compose_scope *scope, jg_array *key, int64_t extent)
{
    return sorted_places(scope, order_numbers(scope, key, extent));
}

static jg_status take_along(compose_scope *scope, jg_array *x, jg_array *places, int axis,
                            jg_array **out)
{
    const int64_t at = axis;
    jg_array *made = NULL;
    if (places == NULL)
        return scope_finish(scope, NULL, out);
    jg_status status = jg_take(x, places, &at, &made);
    return scope_finish(scope, scope_take(scope, status, made), out);
}

/* An axis of x, which must have some. raises: AXIS */
static jg_status slices_axis(const char *argument, const jg_array *x, int64_t axis, int *at)
{
    if (x->ndim == 0)
        return base_fail(JG_ERR_AXIS, "%s: has no axes, allowed is one or more", argument);
    return shape_axis("axis", axis, x->ndim, at);
}

jg_status compose_random_permutation(jg_array *key, jg_array *x, int64_t axis, jg_array **out)
{
    compose_scope scope = {0};
    int at;
    JG_TRY(slices_axis("x", x, axis, &at));
    jg_array *from = random_key(&scope, JG_OP_random_permutation, key);
    return take_along(&scope, x, random_order(&scope, from, x->dims[at]), at, out);
}

/* The first `count` of a vector. */
static jg_array *head_of(compose_scope *scope, jg_array *x, int64_t count)
{
    const jg_index item = {.kind = JG_INDEX_SLICE, .stop = count, .has_stop = true};
    jg_array *made = NULL;
    if (x == NULL)
        return NULL;
    jg_status status = jg_slice(x, 1, &item, &made);
    return scope_take(scope, status, made);
}

/* The last element of a vector, as a vector; of an empty one, none. */
static jg_array *last_of(compose_scope *scope, jg_array *x)
{
    const jg_index item = {.kind = JG_INDEX_SLICE, .start = -1, .has_start = true};
    jg_array *made = NULL;
    if (x == NULL)
        return NULL;
    jg_status status = jg_slice(x, 1, &item, &made);
    return scope_take(scope, status, made);
}

/* Places where the cumulative sum of p passes what is drawn below its end. */
static jg_array *weighted_places(compose_scope *scope, jg_array *key, jg_array *p, int64_t count)
{
    jg_array *made = NULL;
    if (p == NULL)
        return NULL;
    jg_status status = jg_cumsum(p, &only_axis, false, true, NULL, &made);
    jg_array *upto = scope_take(scope, status, made);
    jg_array *unit =
        random_unit(scope, JG_OP_random_choice, key, JG_DTYPE_FLOAT64, false, 1, &count);
    jg_array *drawn = scope_binary(scope, jg_multiply, unit, last_of(scope, upto));
    if (drawn == NULL)
        return NULL;
    status = jg_searchsorted(upto, drawn, "right", NULL, &made);
    jg_array *places = scope_take(scope, status, made);
    if (places == NULL)
        return NULL;
    int64_t last = int64_max(p->dims[0] - 1, 0);
    return scope_binary(scope, jg_minimum, places, scope_whole(scope, places, last));
}

/* Times until the first event, of rates p: the order in which they come (Efraimidis and Spirakis,
 * "Weighted random sampling with a reservoir", 2006). */
static jg_array *weighted_order(compose_scope *scope, jg_array *key, jg_array *p, int64_t extent)
{
    const random_shape shape = {1, {extent}};
    jg_array *times = random_waiting(scope, JG_OP_random_choice, key, JG_DTYPE_FLOAT64, &shape);
    return sorted_places(scope, scope_binary(scope, jg_divide, times, p));
}

/* The elements of a vector at the places. */
static jg_array *at_places(compose_scope *scope, jg_array *x, jg_array *places)
{
    jg_array *made = NULL;
    if (x == NULL || places == NULL)
        return NULL;
    jg_status status = jg_take(x, places, &only_axis, &made);
    return scope_take(scope, status, made);
}

/* The first `count` of random_order, at least one: only they are sorted. */
static jg_array *first_of_order(compose_scope *scope, jg_array *key, int64_t extent, int64_t count)
{
    jg_array *made = NULL, *numbers = order_numbers(scope, key, extent);
    if (numbers == NULL)
        return NULL;
    jg_status status = jg_argpartition(numbers, count - 1, &only_axis, &made);
    jg_array *places = head_of(scope, scope_take(scope, status, made), count);
    return at_places(scope, places, sorted_places(scope, at_places(scope, numbers, places)));
}

/* `count` different numbers below extent, all alike. To find the least ones takes longer than to
 * sort, unless they are few. */
static jg_array *different_places(compose_scope *scope, jg_array *key, int64_t extent,
                                  int64_t count)
{
    if (count > 0 && count <= extent / 8)
        return first_of_order(scope, key, extent, count);
    return head_of(scope, random_order(scope, key, extent), count);
}

/* `count` numbers below extent. p: float64, NULL for all alike. */
static jg_array *chosen_places(compose_scope *scope, jg_array *key, int64_t extent, int64_t count,
                               bool replace, jg_array *p)
{
    if (replace && p == NULL)
        return random_whole(scope, key, 0, int64_max(extent, 1), 1, &count, JG_DTYPE_INT64);
    if (replace)
        return weighted_places(scope, key, p, count);
    if (p == NULL)
        return different_places(scope, key, extent, count);
    return head_of(scope, weighted_order(scope, key, p, extent), count);
}

/* How many are drawn of `extent`. raises: VALUE, also for p that does not fit. gives: *count */
static jg_status check_choice(int64_t extent, int ndim, const int64_t *shape, bool replace,
                              const jg_array *p, int64_t *count)
{
    char text[200];
    JG_TRY(shape_size(ndim, shape, count));
    if (*count > (replace && extent > 0 ? *count : extent))
        return base_fail(JG_ERR_VALUE, "shape: draws %lld, allowed are %lld of %lld",
                         (long long)*count, (long long)(replace ? 0 : extent), (long long)extent);
    if (p != NULL && (p->ndim != 1 || p->dims[0] != extent))
        return base_fail(JG_ERR_VALUE, "p: has shape %s, allowed is (%lld,)",
                         text_extents(text, sizeof text, p->ndim, p->dims), (long long)extent);
    return JG_OK;
}

jg_status compose_random_choice(jg_array *key, jg_array *a, int ndim, const int64_t *shape,
                                bool replace, jg_array *p, int64_t axis, jg_array **out)
{
    compose_scope scope = {0};
    int64_t count = 0;
    int at;
    JG_TRY(slices_axis("a", a, axis, &at));
    JG_TRY(check_choice(a->dims[at], ndim, shape, replace, p, &count));
    jg_array *weights = p == NULL ? NULL : scope_cast(&scope, p, JG_DTYPE_FLOAT64);
    jg_array *from = random_key(&scope, JG_OP_random_choice, key);
    if (scope.status != JG_OK)
        return scope_finish(&scope, NULL, out);
    jg_array *places = chosen_places(&scope, from, a->dims[at], count, replace, weights);
    places = scope_shaped(&scope, jg_reshape, places, ndim, shape);
    return take_along(&scope, a, places, at, out);
}
