/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of the pseudo-inverse P of A where the rank does not change (Golub and Pereyra 1973,
 * theorem 4.3), which those of singular vectors do not give where singular values are equal or
 * zero:
 *
 *     dP = P P^H dA^H (I - A P) + (I - P A) dA^H P^H P - P dA P */
#include "compose/linalg/pseudo_inverse.h"

static jg_array *product(compose_scope *scope, jg_array *x1, jg_array *x2)
{
    return scope_binary(scope, jg_matmul, x1, x2);
}

static jg_array *difference(compose_scope *scope, jg_array *x1, jg_array *x2)
{
    return scope_binary(scope, jg_subtract, x1, x2);
}

/* With the change's adjoint as C: P P^H C (I - A P) + (I - P A) C P^H P. */
static jg_array *outside_of(compose_scope *scope, jg_array *a, jg_array *p, jg_array *c)
{
    jg_array *ph = scope_adjoint(scope, p);
    jg_array *columns = product(scope, product(scope, p, ph), c);
    jg_array *rows = product(scope, c, product(scope, ph, p));
    columns = difference(scope, columns, product(scope, product(scope, columns, a), p));
    rows = difference(scope, rows, product(scope, p, product(scope, a, rows)));
    return scope_binary(scope, jg_add, columns, rows);
}

static jg_status push(void *context, int ninputs, jg_array *const *inputs,
                      jg_array *const *tangents, int noutputs, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *a = inputs[0], *change = tangents[0], *p = NULL;
    (void)context, (void)noutputs;
    jg_status status = jg_linalg_pinv(a, ninputs > 1 ? inputs[1] : NULL, &p);
    p = scope_take(&scope, status, p);
    jg_array *outside = outside_of(&scope, a, p, scope_adjoint(&scope, change));
    jg_array *inside = product(&scope, product(&scope, p, change), p);
    return scope_finish(&scope, difference(&scope, outside, inside), out);
}

/* The same map turned around: P and A change places, as P is to A what A is to P. */
static jg_status pull(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                      jg_array *const *outputs, jg_array *const *cotangents, jg_array **shares)
{
    compose_scope scope = {0};
    jg_array *a = inputs[0], *p = outputs[0], *c = scope_adjoint(&scope, cotangents[0]);
    jg_array *ph = scope_adjoint(&scope, p);
    (void)context, (void)ninputs, (void)noutputs;
    jg_array *rows = product(&scope, c, product(&scope, p, ph));
    jg_array *columns = product(&scope, product(&scope, ph, p), c);
    rows = difference(&scope, rows, product(&scope, a, product(&scope, p, rows)));
    columns = difference(&scope, columns, product(&scope, product(&scope, columns, p), a));
    jg_array *inside = product(&scope, product(&scope, ph, cotangents[0]), ph);
    jg_array *outside = scope_binary(&scope, jg_add, rows, columns);
    return scope_finish(&scope, difference(&scope, outside, inside), &shares[0]);
}

/* a for each limit: the rules know matrices of one shape. */
static jg_array *for_each_limit(compose_scope *scope, jg_array *a, const jg_array *value)
{
    int64_t shape[JG_MAX_NDIM];
    if (scope->status != JG_OK)
        return NULL;
    for (int i = 0; i < value->ndim - 2; ++i)
        shape[i] = value->dims[i];
    for (int i = 1; i <= 2; ++i)
        shape[value->ndim - i] = a->dims[a->ndim - i];
    return scope_shaped(scope, jg_broadcast_to, a, value->ndim, shape);
}

/* rtol is an input, so that it is what a call of a recorded function gives; it has no
 * derivative. */
jg_array *compose_pseudo_inverse_ruled(compose_scope *scope, jg_array *a, jg_array *rtol,
                                       jg_array *value)
{
    const jg_custom_rules rules = {.vjp = pull, .jvp = push};
    jg_array *made = NULL, *inputs[] = {for_each_limit(scope, a, value), rtol};
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = compose_with_rules(&rules, rtol != NULL ? 2 : 1, inputs, 1, &value, &made);
    return scope_take(scope, status, made);
}
