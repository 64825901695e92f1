/* SPDX-License-Identifier: Apache-2.0 */
/* Powers whose exponent is a number known while the graph is built: squares and cubes are products,
 * the power of minus one a quotient and that of a half a root, each of them rounded as such; those
 * of minus two and of minus a half are made of two of these. So they fuse like these and cost as
 * little on every tier. All other powers use the instruction. */
#include "compose/compose.h"
#include <math.h>

typedef enum {
    AS_POWER,
    AS_SQUARE,
    AS_CUBE,
    AS_INVERSE,
    AS_ROOT,
    AS_INVERSE_SQUARE,
    AS_INVERSE_ROOT
} power_kind;

double compose_known_number(const jg_array *x)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    jg_scalar wide;
    if (x->primitive != PRIMITIVE_full || x->ndim > 0 || dtype_is_complex(dtype))
        return (double)NAN;
    jg_dtype_kind kind = scalar_load(&x->attributes.full.value, dtype, &wide);
    return scalar_real(wide, kind);
}

/* In half precision, two steps would round twice. */
static power_kind kind_of(double exponent, jg_dtype dtype)
{
    bool is_whole = dtype_is_integer(dtype);
    bool is_wide = dtype_is_single_or_double(dtype);
    if (exponent == 2)
        return AS_SQUARE;
    if (exponent == 3 && (is_whole || is_wide))
        return AS_CUBE;
    if (exponent == -2 && is_wide)
        return AS_INVERSE_SQUARE;
    if (exponent == -0.5 && is_wide)
        return AS_INVERSE_ROOT;
    if (exponent == -1 && dtype_is_floating(dtype))
        return AS_INVERSE;
    return exponent == 0.5 && dtype_is_floating(dtype) ? AS_ROOT : AS_POWER;
}

/* Other than the root of -0 and of -infinity, their powers are positive. */
static jg_array *positive_root(compose_scope *scope, jg_array *x)
{
    jg_array *infinity = scope_number(scope, x, (double)INFINITY);
    jg_array *lowest = scope_number(scope, x, -(double)INFINITY);
    jg_array *unsigned_zero = scope_binary(scope, jg_add, x, scope_number(scope, x, 0));
    return scope_where(scope, scope_binary(scope, jg_equal, x, lowest), infinity,
                       scope_unary(scope, jg_sqrt, unsigned_zero));
}

static jg_array *inverse(compose_scope *scope, jg_array *x)
{
    return scope_binary(scope, jg_divide, scope_number(scope, x, 1), x);
}

static jg_array *square(compose_scope *scope, jg_array *x)
{
    return scope_binary(scope, jg_multiply, x, x);
}

static jg_array *apply_kind(compose_scope *scope, power_kind kind, jg_array *x)
{
    switch (kind) {
    case AS_SQUARE: return square(scope, x);
    case AS_CUBE: return scope_binary(scope, jg_multiply, square(scope, x), x);
    case AS_INVERSE: return inverse(scope, x);
    /* Squares the inverse, because x * x may overflow where the result is subnormal. */
    case AS_INVERSE_SQUARE: return square(scope, inverse(scope, x));
    case AS_INVERSE_ROOT: return inverse(scope, positive_root(scope, x));
    default: return positive_root(scope, x);
    }
}

jg_status compose_pow(jg_array *x1, jg_array *x2, jg_array **out)
{
    const jg_dtype dtypes[] = {(jg_dtype)x1->dtype, (jg_dtype)x2->dtype};
    compose_scope scope = {0};
    op_types types;
    double exponent = compose_known_number(x2);
    if (isnan(exponent))
        return graph_binary(JG_OP_pow, x1, x2, out);
    JG_TRY(op_resolve_types(JG_OP_pow, 2, dtypes, &types));
    power_kind kind = kind_of(exponent, types.result);
    if (kind == AS_POWER)
        return graph_binary(JG_OP_pow, x1, x2, out);
    jg_array *x = scope_cast(&scope, x1, types.result);
    return scope_finish(&scope, x == NULL ? NULL : apply_kind(&scope, kind, x), out);
}
