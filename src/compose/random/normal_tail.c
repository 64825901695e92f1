/* SPDX-License-Identifier: Apache-2.0 */
/* The normal distribution between two bounds that lie far out on one side. There the quantile by
 * erfinv has few values, as its argument is near 1, so the equation is solved in logarithms.
 *
 * Q(x) is the chance of a draw above x. With a the nearer bound and d >= 0 the distance from it,
 * log(Q(a) / Q(a + d)) is made without subtracting numbers that are nearly equal. */
#include "compose/random/random.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* The continued fraction of Mills' ratio after 17 terms, as a ratio of polynomials of 1 / x^2,
 * highest power first. Its relative error is 1e-11 at 4, and below 1e-13 from 5 on. */
static const double mills_over[] = {151335135, 297693900, 162058050, 37469520, 4341480,
                                    269724,    9030,      152,       1};
static const double mills_under[] = {34459425, 310134825, 413513100, 192972780, 41351310,
                                     4594590,  278460,    9180,      153,       1};

static jg_array *polynomial(compose_scope *scope, jg_array *x, int count, const double *factors)
{
    jg_array *value = scope_times(scope, x, factors[0]);
    for (int i = 1; i < count; ++i) {
        value = scope_binary(scope, jg_add, value, scope_number(scope, x, factors[i]));
        if (i < count - 1)
            value = scope_binary(scope, jg_multiply, value, x);
    }
    return value;
}

static jg_status mills_part(jg_array *x, int count, const double *factors, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *inverse = scope_unary(&scope, jg_reciprocal, scope_binary(&scope, jg_multiply, x, x));
    jg_array *value = inverse != NULL ? polynomial(&scope, inverse, count, factors) : NULL;
    return scope_finish(&scope, value, out);
}

static jg_status mills_numerator(jg_array *x, jg_array **out)
{
    return mills_part(x, COUNT(mills_over), mills_over, out);
}

static jg_status mills_denominator(jg_array *x, jg_array **out)
{
    return mills_part(x, COUNT(mills_under), mills_under, out);
}

/* Mills' ratio, Q(x) over the density at x: the tail's logarithm has the slope -1 / mills(x). */
static jg_status mills(jg_array *x, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *ratio = scope_binary(&scope, jg_divide, scope_unary(&scope, mills_numerator, x),
                                   scope_unary(&scope, mills_denominator, x));
    return scope_finish(&scope, scope_binary(&scope, jg_divide, ratio, x), out);
}

/* log(Q(a) / Q(a + d)) = d (a + d / 2) - log(mills(a + d) / mills(a)); infinity for d infinite. */
static jg_status log_tail_ratio(jg_array *a, jg_array *d, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *x = scope_binary(&scope, jg_add, a, d);
    jg_array *middle = scope_binary(&scope, jg_add, a, scope_times(&scope, d, 0.5));
    jg_array *density = scope_binary(&scope, jg_multiply, d, middle);
    jg_array *ratio = scope_binary(&scope, jg_divide, scope_unary(&scope, mills, x),
                                   scope_unary(&scope, mills, a));
    jg_array *value =
        scope_binary(&scope, jg_subtract, density, scope_unary(&scope, jg_log, ratio));
    return scope_finish(&scope, value, out);
}

/* log(Q(a) / Q(x)) of the x between a and b that belongs to a draw of (0, 1). */
static jg_status drawn_log_ratio(jg_array *unit, jg_array *a, jg_array *b, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *whole =
        scope_binary(&scope, log_tail_ratio, a, scope_binary(&scope, jg_subtract, b, a));
    /* expm1 gives minus the chance of a draw between the bounds, where Q(a) is 1. */
    jg_array *chance = scope_unary(&scope, jg_expm1, scope_unary(&scope, jg_negative, whole));
    jg_array *left = scope_unary(&scope, jg_log1p, scope_binary(&scope, jg_multiply, unit, chance));
    return scope_finish(&scope, scope_unary(&scope, jg_negative, left), out);
}

/* The distance at which the density falls as far as exp(-level): 2 l / (a + sqrt(a^2 + 2 l)). */
static jg_array *density_distance(compose_scope *scope, jg_array *a, jg_array *level)
{
    jg_array *twice = scope_times(scope, level, 2);
    jg_array *square = scope_binary(scope, jg_add, scope_binary(scope, jg_multiply, a, a), twice);
    jg_array *sum = scope_binary(scope, jg_add, a, scope_unary(scope, jg_sqrt, square));
    return scope_binary(scope, jg_divide, twice, sum);
}

/* A first distance, from Mills' ratio taken as 1 / x. It is right within 1 % from 4 on. */
static jg_status first_distance(jg_array *a, jg_array *level, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *square = scope_binary(&scope, jg_multiply, a, a);
    jg_array *growth = scope_binary(&scope, jg_divide, scope_times(&scope, level, 2), square);
    jg_array *shift = scope_times(&scope, scope_unary(&scope, jg_log1p, growth), 0.5);
    jg_array *lower = scope_binary(&scope, jg_subtract, level, shift);
    return scope_finish(&scope, density_distance(&scope, a, lower), out);
}

/* A step of Newton for log_tail_ratio(a, d) = level. */
static jg_status closer_distance(jg_array *a, jg_array *level, jg_array *d, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *over =
        scope_binary(&scope, jg_subtract, scope_binary(&scope, log_tail_ratio, a, d), level);
    jg_array *inverse_slope = scope_unary(&scope, mills, scope_binary(&scope, jg_add, a, d));
    jg_array *step = scope_binary(&scope, jg_multiply, over, inverse_slope);
    return scope_finish(&scope, scope_binary(&scope, jg_subtract, d, step), out);
}

/* Two steps from the first distance leave an error of 5e-13, relative to x. */
static jg_array *tail_distance(compose_scope *scope, jg_array *a, jg_array *level)
{
    jg_array *made = NULL;
    jg_array *d = scope_binary(scope, first_distance, a, level);
    for (int i = 0; i < 2 && d != NULL; ++i) {
        jg_status status = closer_distance(a, level, d, &made);
        d = scope_take(scope, status, made);
    }
    return d;
}

/* Bounds from here on count as infinite; their squares are finite. */
static const double FARTHEST = 1e150;

jg_array *normal_tail_quantile(compose_scope *scope, jg_array *unit, jg_array *low, jg_array *high)
{
    jg_array *made = NULL;
    jg_array *below = scope_unary(scope, jg_abs, low), *above = scope_unary(scope, jg_abs, high);
    jg_array *a = scope_binary(scope, jg_minimum, below, above);
    jg_array *b = scope_binary(scope, jg_maximum, below, above);
    if (a == NULL || b == NULL)
        return NULL;
    a = scope_binary(scope, jg_minimum, a, scope_number(scope, a, FARTHEST));
    /* Between negative bounds a draw counts from the farther one, as between positive ones it
     * counts from the nearer. */
    jg_array *negative = scope_binary(scope, jg_less, low, scope_number(scope, low, 0));
    jg_array *rest = scope_binary(scope, jg_subtract, scope_number(scope, a, 1), unit);
    jg_array *inward = scope_where(scope, negative, rest, unit);
    if (inward == NULL)
        return NULL;
    jg_status status = drawn_log_ratio(inward, a, b, &made);
    jg_array *level = scope_take(scope, status, made);
    jg_array *distance = level != NULL ? tail_distance(scope, a, level) : NULL;
    jg_array *x = scope_binary(scope, jg_add, a, distance);
    return scope_binary(scope, jg_copysign, x, low);
}
