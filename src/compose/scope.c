/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes: the intermediate arrays of an op that is composed of other ops, and its first failure.
 * The functions pass NULL through, so a composition reads as the formula does and is checked once,
 * at its end. */
#include "compose/compose.h"

/* Whether the scope is full is checked before the op is applied, so that nothing is made that could
 * not be released. */
static bool may_go_on(compose_scope *scope)
{
    if (scope->status == JG_OK && scope->count == COMPOSE_MAX_MADE)
        scope->status =
            base_fail(JG_ERR_INTERNAL, "a composition of more than %d ops", COMPOSE_MAX_MADE);
    return scope->status == JG_OK;
}

jg_array *scope_take(compose_scope *scope, jg_status status, jg_array *made)
{
    if (scope->status == JG_OK)
        scope->status = status;
    if (status != JG_OK)
        return NULL;
    if (!may_go_on(scope)) { /* it may have failed before this was made */
        jg_array_release(made);
        return NULL;
    }
    scope->made[scope->count++] = made;
    return made;
}

jg_array *scope_unary(compose_scope *scope, compose_unary *op, jg_array *x)
{
    jg_array *made = NULL;
    if (!may_go_on(scope))
        return NULL;
    jg_status status = op(x, &made);
    return scope_take(scope, status, made);
}

jg_array *scope_adjoint(compose_scope *scope, jg_array *x)
{
    jg_array *turned = scope_unary(scope, jg_matrix_transpose, x);
    if (turned == NULL || !dtype_is_complex((jg_dtype)turned->dtype))
        return turned;
    return scope_unary(scope, jg_conj, turned);
}

jg_array *scope_binary(compose_scope *scope, compose_binary *op, jg_array *x1, jg_array *x2)
{
    jg_array *made = NULL;
    if (!may_go_on(scope))
        return NULL;
    jg_status status = op(x1, x2, &made);
    return scope_take(scope, status, made);
}

jg_array *scope_where(compose_scope *scope, jg_array *condition, jg_array *x1, jg_array *x2)
{
    jg_array *made = NULL;
    if (!may_go_on(scope))
        return NULL;
    jg_status status = jg_where(condition, x1, x2, &made);
    return scope_take(scope, status, made);
}

jg_array *scope_cast(compose_scope *scope, jg_array *x, jg_dtype dtype)
{
    jg_array *made = NULL;
    if (!may_go_on(scope))
        return NULL;
    jg_status status = graph_cast(x, dtype, &made);
    return scope_take(scope, status, made);
}

/* Only the dtype of like is read; as any operand it may be NULL in a scope that has failed. */
static jg_array *full(compose_scope *scope, const jg_array *like, jg_number number)
{
    jg_array *made = NULL;
    if (!may_go_on(scope))
        return NULL;
    jg_status status = jg_full((jg_dtype)like->dtype, 0, NULL, number, &made);
    return scope_take(scope, status, made);
}

jg_array *scope_number(compose_scope *scope, const jg_array *like, double value)
{
    return full(scope, like, (jg_number){.kind = JG_KIND_FLOAT, .re = value});
}

jg_array *scope_numbers_below(compose_scope *scope, int64_t count)
{
    const jg_number zero = {.kind = JG_KIND_INT}, one = {.kind = JG_KIND_INT, .i64 = 1},
                    stop = {.kind = JG_KIND_INT, .i64 = count};
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_arange(JG_DTYPE_INT64, zero, stop, one, &made);
    return scope_cast(scope, scope_take(scope, status, made), JG_DTYPE_FLOAT64);
}

jg_array *scope_times(compose_scope *scope, jg_array *x, double factor)
{
    return scope_binary(scope, jg_multiply, x, scope_number(scope, x, factor));
}

jg_array *scope_whole(compose_scope *scope, const jg_array *like, int64_t value)
{
    return full(scope, like, (jg_number){.kind = JG_KIND_INT, .i64 = value});
}

jg_array *scope_reduce(compose_scope *scope, compose_reduction *op, jg_array *x, int naxes,
                       const int64_t *axes, bool keepdims)
{
    jg_array *made = NULL;
    if (!may_go_on(scope))
        return NULL;
    jg_status status = op(x, naxes, axes, keepdims, &made);
    return scope_take(scope, status, made);
}

jg_array *scope_shaped(compose_scope *scope, compose_shaped *op, jg_array *x, int count,
                       const int64_t *extents)
{
    jg_array *made = NULL;
    if (!may_go_on(scope))
        return NULL;
    jg_status status = op(x, count, extents, &made);
    return scope_take(scope, status, made);
}

/* The result is retained before the rest is released: it is one of the arrays made, or an operand
 * of the caller. */
jg_status scope_finish(compose_scope *scope, jg_array *result, jg_array **out)
{
    if (scope->status == JG_OK)
        *out = jg_array_retain(result);
    return scope_close(scope);
}

jg_status scope_close(compose_scope *scope)
{
    for (int i = 0; i < scope->count; ++i)
        jg_array_release(scope->made[i]);
    return scope->status;
}
