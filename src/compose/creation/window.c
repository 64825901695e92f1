/* SPDX-License-Identifier: Apache-2.0 */
/* Windows: tapers of M points over the points n of a range. Computed in float64 and rounded to
 * float32 once, so that the ends and the symmetry are those of the formulas. A window of one point
 * is 1; one of no points is empty. */
#include "compose/compose.h"
#include <math.h>

/* n * step for each n below count, in float64. */
static jg_array *points(compose_scope *scope, int64_t count, double step)
{
    return scope_times(scope, scope_numbers_below(scope, count), step);
}

/* Windows of fewer than two points, which the formulas would divide by zero for. */
static jg_status small_window(const char *name, int64_t count, jg_array **out)
{
    const jg_number one = {.kind = JG_KIND_INT, .i64 = 1};
    if (count < 0)
        return base_fail(JG_ERR_VALUE, "[%s] M: got %lld, allowed is 0 or more", name,
                         (long long)count);
    return jg_full(JG_DTYPE_FLOAT32, 1, &count, one, out);
}

/* weight * cos(harmonic * angle) added to sum. */
static jg_array *add_cosine(compose_scope *scope, jg_array *sum, jg_array *angle, double harmonic,
                            double weight)
{
    if (scope->status != JG_OK)
        return NULL;
    jg_array *multiple =
        scope_binary(scope, jg_multiply, angle, scope_number(scope, angle, harmonic));
    jg_array *cosine = scope_unary(scope, jg_cos, multiple);
    jg_array *term = scope_binary(scope, jg_multiply, cosine, scope_number(scope, angle, weight));
    return scope_binary(scope, jg_add, term, sum);
}

/* constant - first cos(2 pi n / (M - 1)) + second cos(4 pi n / (M - 1)): M - 1 steps, so that both
 * ends are at whole turns. The symmetric windows, as in NumPy. */
static jg_status cosine_window(const char *name, int64_t count, double constant, double first,
                               double second, jg_array **out)
{
    compose_scope scope = {0};
    if (count < 2)
        return small_window(name, count, out);
    jg_array *angle = points(&scope, count, 2 * M_PI / (double)(count - 1));
    jg_array *sum = angle != NULL ? scope_number(&scope, angle, constant) : NULL;
    sum = add_cosine(&scope, sum, angle, 1, -first);
    if (second != 0)
        sum = add_cosine(&scope, sum, angle, 2, second);
    return scope_finish(&scope, scope_cast(&scope, sum, JG_DTYPE_FLOAT32), out);
}

jg_status compose_hanning(int64_t M, jg_array **out)
{
    return cosine_window("hanning", M, 0.5, 0.5, 0, out);
}

jg_status compose_hamming(int64_t M, jg_array **out)
{
    return cosine_window("hamming", M, 0.54, 0.46, 0, out);
}

jg_status compose_blackman(int64_t M, jg_array **out)
{
    return cosine_window("blackman", M, 0.42, 0.5, 0.08, out);
}

/* 1 - |2 n / (M - 1) - 1| */
jg_status compose_bartlett(int64_t M, jg_array **out)
{
    compose_scope scope = {0};
    if (M < 2)
        return small_window("bartlett", M, out);
    jg_array *point = points(&scope, M, 2 / (double)(M - 1));
    if (point == NULL)
        return scope_finish(&scope, NULL, out);
    jg_array *one = scope_number(&scope, point, 1);
    jg_array *distance = scope_unary(&scope, jg_abs, scope_binary(&scope, jg_subtract, point, one));
    jg_array *window = scope_binary(&scope, jg_subtract, one, distance);
    return scope_finish(&scope, scope_cast(&scope, window, JG_DTYPE_FLOAT32), out);
}
