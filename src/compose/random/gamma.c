/* SPDX-License-Identifier: Apache-2.0 */
/* The gamma distribution by Marsaglia and Tsang's method ("A Simple Method for Generating Gamma
 * Variables", 2000), and the beta distribution, which is a ratio of two of its draws. A graph of
 * fixed shape cannot reject and draw again, so there are eight proposals for each draw: that all
 * are rejected, and the mode drawn, happens to one in 10^10 draws or fewer. */
#include "compose/random/random.h"

enum { PROPOSALS = 8 };

/* Scopes hold few arrays, so each part of the formula has one of its own. What is drawn: */
typedef struct gamma_draw {
    jg_op op;
    jg_array *key;   /* never NULL */
    jg_array *a;     /* in the dtype */
    jg_array *third; /* a - 1/3, of a + 1 where a is below 1 */
    jg_dtype dtype;
    bool logarithms;              /* draws logarithms, which stay finite for small a */
    random_shape shape, proposed; /* proposed: with an axis of proposals in front */
} gamma_draw;

/* A key that is the caller's, or made from the next one of the process's. */
static jg_array *own_key(compose_scope *scope, jg_op op, jg_array *key)
{
    jg_array *made = NULL;
    if (key != NULL)
        return random_key(scope, op, key);
    jg_array *drawn = random_whole(scope, NULL, INT64_MIN, INT64_MAX, 0, NULL, JG_DTYPE_INT64);
    if (drawn == NULL)
        return NULL;
    jg_status status = jg_bitcast(drawn, JG_DTYPE_UINT64, &made);
    return scope_take(scope, status, made);
}

/* (1 + normal / sqrt(9 third))^3 */
static jg_status proposed_cubes(const gamma_draw *draw, jg_array *normals, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *deviation = scope_unary(&scope, jg_sqrt, scope_times(&scope, draw->third, 9));
    jg_array *step = scope_binary(&scope, jg_divide, normals, deviation);
    if (step == NULL)
        return scope_finish(&scope, NULL, out);
    jg_array *root = scope_binary(&scope, jg_add, scope_number(&scope, step, 1), step);
    jg_array *cube = scope_binary(&scope, jg_pow, root, scope_number(&scope, step, 3));
    return scope_finish(&scope, cube, out);
}

/* The proposal is accepted if the logarithm of a uniform draw is below this limit. */
static jg_status acceptance_limit(const gamma_draw *draw, jg_array *normals, jg_array *cubes,
                                  jg_array *positive, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *one = scope_number(&scope, cubes, 1);
    jg_array *logs = scope_unary(&scope, jg_log, scope_where(&scope, positive, cubes, one));
    jg_array *square = scope_binary(&scope, jg_multiply, normals, normals);
    jg_array *half = scope_binary(&scope, jg_divide, square, scope_number(&scope, cubes, 2));
    jg_array *excess =
        scope_binary(&scope, jg_add, scope_binary(&scope, jg_subtract, one, cubes), logs);
    jg_array *term = scope_binary(&scope, jg_multiply, draw->third, excess);
    return scope_finish(&scope, scope_binary(&scope, jg_add, half, term), out);
}

/* The first of the proposals that is accepted; 1, the mode, where none is. */
static jg_status first_accepted(jg_array *cubes, jg_array *accepted, jg_array **out)
{
    const int64_t front = 0;
    compose_scope scope = {0};
    jg_array *made = NULL;
    jg_status status = jg_argmax(accepted, &front, true, &made);
    jg_array *first = scope_take(&scope, status, made);
    if (first == NULL)
        return scope_finish(&scope, NULL, out);
    status = jg_take_along_axis(cubes, first, &front, &made);
    jg_array *row = scope_take(&scope, status, made);
    jg_array *chosen = scope_shaped(&scope, jg_squeeze, row, 1, &front);
    jg_array *any = scope_reduce(&scope, jg_any, accepted, 1, &front, false);
    jg_array *one = scope_number(&scope, cubes, 1);
    return scope_finish(&scope, scope_where(&scope, any, chosen, one), out);
}

/* Draws for a of at least 1, as `third` has it. */
static jg_status draw_large(const gamma_draw *draw, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *made = NULL;
    jg_array *part = random_part(&scope, draw->key, 0);
    jg_array *other = random_part(&scope, draw->key, 1);
    if (scope.status != JG_OK)
        return scope_finish(&scope, NULL, out);
    jg_status status = jg_random_normal(part, draw->proposed.ndim, draw->proposed.extents,
                                        draw->dtype, NULL, NULL, &made);
    jg_array *normals = scope_take(&scope, status, made);
    if (normals == NULL)
        return scope_finish(&scope, NULL, out);
    status = proposed_cubes(draw, normals, &made);
    jg_array *cubes = scope_take(&scope, status, made);
    if (cubes == NULL)
        return scope_finish(&scope, NULL, out);
    jg_array *positive = scope_binary(&scope, jg_greater, cubes, scope_number(&scope, cubes, 0));
    if (positive == NULL)
        return scope_finish(&scope, NULL, out);
    status = acceptance_limit(draw, normals, cubes, positive, &made);
    jg_array *limit = scope_take(&scope, status, made);
    jg_array *times = random_waiting(&scope, draw->op, other, draw->dtype, &draw->proposed);
    jg_array *below = scope_binary(&scope, jg_less, scope_unary(&scope, jg_negative, times), limit);
    jg_array *accepted = scope_binary(&scope, jg_logical_and, positive, below);
    if (accepted == NULL)
        return scope_finish(&scope, NULL, out);
    status = first_accepted(cubes, accepted, &made);
    jg_array *chosen = scope_take(&scope, status, made);
    return scope_finish(&scope, scope_binary(&scope, jg_multiply, draw->third, chosen), out);
}

/* large exp(exponent) where a is small, else large; or the logarithms of both. */
static jg_array *lessened(compose_scope *scope, const gamma_draw *draw, jg_array *small,
                          jg_array *large, jg_array *exponent)
{
    jg_array *lesser;
    if (draw->logarithms) {
        large = scope_unary(scope, jg_log, large);
        lesser = scope_binary(scope, jg_add, large, exponent);
    } else {
        lesser = scope_binary(scope, jg_multiply, large, scope_unary(scope, jg_exp, exponent));
    }
    return scope_where(scope, small, lesser, large);
}

/* Draws of mean a. Where a is below 1, those for a + 1 times u^(1/a). */
static jg_status draw_gamma(gamma_draw *draw, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *made = NULL, *a = draw->a;
    jg_array *one = scope_number(&scope, a, 1);
    jg_array *small = scope_binary(&scope, jg_less, a, one);
    jg_array *raised = scope_where(&scope, small, scope_binary(&scope, jg_add, a, one), a);
    draw->third = scope_binary(&scope, jg_subtract, raised, scope_number(&scope, a, 1.0 / 3));
    if (draw->third == NULL)
        return scope_finish(&scope, NULL, out);
    jg_status status = draw_large(draw, &made);
    jg_array *large = scope_take(&scope, status, made);
    jg_array *part = random_part(&scope, draw->key, 2);
    jg_array *times = random_waiting(&scope, draw->op, part, draw->dtype, &draw->shape);
    jg_array *exponent =
        scope_binary(&scope, jg_divide, scope_unary(&scope, jg_negative, times), a);
    return scope_finish(&scope, lessened(&scope, draw, small, large, exponent), out);
}

/* Which proposal is accepted depends on a, so that the derivative of the formula is not that of the
 * draw. */
static jg_array *without_derivative(compose_scope *scope, jg_op op, jg_array *a)
{
    jg_array *out = NULL;
    if (scope->status != JG_OK || !node_is_traced(a))
        return a;
    jg_status status = graph_unary(op, a, &out);
    return scope_take(scope, status, out);
}

/* Draws of mean a in the shape, to which a broadcasts, or their logarithms. */
static jg_array *gamma_of(compose_scope *scope, gamma_draw draw, jg_array *key, jg_array *a)
{
    const random_shape *shape = &draw.shape;
    jg_array *made = NULL;
    if (scope->status == JG_OK && shape->ndim >= JG_MAX_NDIM)
        scope->status = base_fail(JG_ERR_VALUE, "shape: got %d axes, allowed are %d", shape->ndim,
                                  JG_MAX_NDIM - 1);
    draw.a = without_derivative(scope, draw.op, scope_cast(scope, a, draw.dtype));
    draw.key = own_key(scope, draw.op, key);
    if (scope->status != JG_OK)
        return NULL;
    draw.proposed.ndim = shape->ndim + 1;
    draw.proposed.extents[0] = PROPOSALS;
    for (int i = 0; i < shape->ndim; ++i)
        draw.proposed.extents[i + 1] = shape->extents[i];
    jg_status status = draw_gamma(&draw, &made);
    return scope_take(scope, status, made);
}

jg_status compose_random_gamma(jg_array *key, jg_array *a, jg_array *scale, int nshape,
                               const int64_t *shape, jg_dtype dtype, jg_array **out)
{
    const jg_op op = JG_OP_random_gamma;
    const random_parameter parameters[] = {{"a", a}, {"scale", scale}};
    compose_scope scope = {0};
    random_shape to;
    JG_TRY(random_check_floating(op, dtype));
    JG_TRY(random_shape_of(2, parameters, nshape, shape, &to));
    jg_array *drawn = gamma_of(&scope, (gamma_draw){.op = op, .dtype = dtype, .shape = to}, key, a);
    jg_array *factor = scope_cast(&scope, scale, dtype);
    return scope_finish(&scope, scope_binary(&scope, jg_multiply, drawn, factor), out);
}

/* g1 / (g1 + g2), of two gamma draws' logarithms: for small a both draws may be too small for a
 * float. Halves are drawn in float32. One part of a key each, or two of the process's keys. */
jg_status compose_random_beta(jg_array *key, jg_array *a, jg_array *b, int nshape,
                              const int64_t *shape, jg_dtype dtype, jg_array **out)
{
    const jg_op op = JG_OP_random_beta;
    const random_parameter parameters[] = {{"a", a}, {"b", b}};
    compose_scope scope = {0};
    jg_array *parts[2] = {NULL, NULL}, *drawn[2];
    random_shape to;
    JG_TRY(random_check_floating(op, dtype));
    JG_TRY(random_shape_of(2, parameters, nshape, shape, &to));
    for (int i = 0; key != NULL && i < 2; ++i)
        parts[i] = random_part(&scope, random_key(&scope, op, key), (uint64_t)i);
    const gamma_draw draw = {.op = op,
                             .dtype = dtype == JG_DTYPE_FLOAT64 ? dtype : JG_DTYPE_FLOAT32,
                             .logarithms = true,
                             .shape = to};
    for (int i = 0; i < 2; ++i)
        drawn[i] = gamma_of(&scope, draw, parts[i], parameters[i].array);
    jg_array *difference = scope_binary(&scope, jg_subtract, drawn[0], drawn[1]);
    jg_array *ratio = scope_unary(&scope, jg_sigmoid, difference);
    return scope_finish(&scope, scope_cast(&scope, ratio, dtype), out);
}
