/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions that are functions of one uniform draw for each element and have parameters: the
 * exponential one, which is the time until an event, its functions, and the logistic and the Cauchy
 * distribution. Parameters are data: where they are outside of what the distribution allows, the
 * formula gives some number or NaN. */
#include "compose/random/random.h"
#include <math.h>

/* The draw is worked in the wide dtype, as half precision has too few numbers near 0. */
jg_array *random_waiting(compose_scope *scope, jg_op op, jg_array *key, jg_dtype dtype,
                         const random_shape *shape)
{
    jg_array *unit =
        random_unit(scope, op, key, compose_wide(dtype), false, shape->ndim, shape->extents);
    jg_array *left = scope_unary(scope, jg_log1p, scope_unary(scope, jg_negative, unit));
    return scope_cast(scope, scope_unary(scope, jg_negative, left), dtype);
}

/* The first values of a draw of an op with one parameter: the parameter in the dtype, and times of
 * mean 1. Both are NULL in a scope that has failed. */
typedef struct waiting {
    compose_scope scope;
    jg_array *parameter, *times;
} waiting;

static waiting wait_with(jg_op op, jg_array *key, random_parameter parameter, int nshape,
                         const int64_t *shape, jg_dtype dtype)
{
    waiting out = {0};
    random_shape to;
    out.scope.status = random_check_floating(op, dtype);
    if (out.scope.status == JG_OK)
        out.scope.status = random_shape_of(1, &parameter, nshape, shape, &to);
    if (out.scope.status != JG_OK)
        return out;
    out.parameter = scope_cast(&out.scope, parameter.array, dtype);
    out.times = random_waiting(&out.scope, op, key, dtype, &to);
    return out;
}

jg_status compose_random_exponential(jg_array *key, jg_array *scale, int nshape,
                                     const int64_t *shape, jg_dtype dtype, jg_array **out)
{
    waiting of = wait_with(JG_OP_random_exponential, key, (random_parameter){"scale", scale},
                           nshape, shape, dtype);
    return scope_finish(&of.scope, scope_binary(&of.scope, jg_multiply, of.times, of.parameter),
                        out);
}

/* The squared length of a normal pair is exponential, of mean 2. */
jg_status compose_random_rayleigh(jg_array *key, jg_array *scale, int nshape, const int64_t *shape,
                                  jg_dtype dtype, jg_array **out)
{
    waiting of = wait_with(JG_OP_random_rayleigh, key, (random_parameter){"scale", scale}, nshape,
                           shape, dtype);
    if (of.scope.status != JG_OK)
        return scope_finish(&of.scope, NULL, out);
    jg_array *length = scope_unary(&of.scope, jg_sqrt, scope_times(&of.scope, of.times, 2));
    return scope_finish(&of.scope, scope_binary(&of.scope, jg_multiply, length, of.parameter), out);
}

jg_status compose_random_weibull(jg_array *key, jg_array *a, int nshape, const int64_t *shape,
                                 jg_dtype dtype, jg_array **out)
{
    waiting of =
        wait_with(JG_OP_random_weibull, key, (random_parameter){"a", a}, nshape, shape, dtype);
    if (of.scope.status != JG_OK)
        return scope_finish(&of.scope, NULL, out);
    jg_array *one = scope_number(&of.scope, of.parameter, 1);
    jg_array *exponent = scope_binary(&of.scope, jg_divide, one, of.parameter);
    return scope_finish(&of.scope, scope_binary(&of.scope, jg_pow, of.times, exponent), out);
}

jg_status compose_random_pareto(jg_array *key, jg_array *a, int nshape, const int64_t *shape,
                                jg_dtype dtype, jg_array **out)
{
    waiting of =
        wait_with(JG_OP_random_pareto, key, (random_parameter){"a", a}, nshape, shape, dtype);
    jg_array *exponent = scope_binary(&of.scope, jg_divide, of.times, of.parameter);
    return scope_finish(&of.scope, scope_unary(&of.scope, jg_expm1, exponent), out);
}

/* Numbers spread evenly between 0 and 1, neither of which is reached, in the wide dtype: half of
 * the draws' step stands for 0. */
static jg_array *inner_unit(compose_scope *scope, jg_op op, jg_array *key, jg_dtype dtype,
                            const random_shape *shape)
{
    const double least = dtype == JG_DTYPE_FLOAT64 ? 0x1p-54 : 0x1p-25;
    jg_array *unit =
        random_unit(scope, op, key, compose_wide(dtype), false, shape->ndim, shape->extents);
    return unit == NULL ? NULL
                        : scope_binary(scope, jg_maximum, unit, scope_number(scope, unit, least));
}

/* The quantile function, log(u / (1 - u)). */
jg_status compose_random_logistic(jg_array *key, jg_array *loc, jg_array *scale, int nshape,
                                  const int64_t *shape, jg_dtype dtype, jg_array **out)
{
    const jg_op op = JG_OP_random_logistic;
    const random_parameter parameters[] = {{"loc", loc}, {"scale", scale}};
    compose_scope scope = {0};
    random_shape to;
    JG_TRY(random_check_floating(op, dtype));
    JG_TRY(random_shape_of(2, parameters, nshape, shape, &to));
    jg_array *unit = inner_unit(&scope, op, key, dtype, &to);
    jg_array *rest = scope_unary(&scope, jg_log1p, scope_unary(&scope, jg_negative, unit));
    jg_array *odds = scope_binary(&scope, jg_subtract, scope_unary(&scope, jg_log, unit), rest);
    jg_array *drawn = scope_cast(&scope, odds, dtype);
    return scope_finish(&scope, random_moved(&scope, drawn, loc, scale), out);
}

/* The quantile function, tan(pi (u - 1/2)). */
jg_status compose_random_standard_cauchy(jg_array *key, int ndim, const int64_t *shape,
                                         jg_dtype dtype, jg_array **out)
{
    const jg_op op = JG_OP_random_standard_cauchy;
    compose_scope scope = {0};
    random_shape to;
    JG_TRY(random_check_floating(op, dtype));
    JG_TRY(random_shape_of(0, NULL, ndim, shape, &to));
    jg_array *unit = inner_unit(&scope, op, key, dtype, &to);
    if (unit == NULL)
        return scope_finish(&scope, NULL, out);
    jg_array *centred = scope_binary(&scope, jg_subtract, unit, scope_number(&scope, unit, 0.5));
    jg_array *angle = scope_times(&scope, centred, M_PI);
    return scope_finish(&scope, scope_cast(&scope, scope_unary(&scope, jg_tan, angle), dtype), out);
}
