/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of complex numbers. Of an array in memory they are views, every other element of it
 * seen as reals; of one that is yet to be computed they are ops, which fuse with what computes
 * it. */
#include "compose/compose.h"

/* The layout of part 0 or 1 in units of reals. *fits is false where that leaves int64. */
static void part_layout(const jg_array *x, int part, jg_layout *to, bool *fits)
{
    node_layout(x, to);
    *fits = !__builtin_mul_overflow(to->offset, 2, &to->offset) &&
            !__builtin_add_overflow(to->offset, part, &to->offset);
    for (int i = 0; i < to->ndim && *fits; ++i)
        *fits = !__builtin_mul_overflow(to->strides[i], 2, &to->strides[i]);
}

/* A view shares memory, so that nothing is computed; but a view of an array that is not computed
 * yet would force both parts into memory, and one of another dtype has no derivative. */
static jg_status part_of(jg_op op, jg_array *x, int part, jg_dtype dtype, jg_array **out)
{
    jg_layout layout;
    bool fits = false;
    if (node_has_storage(x) && !node_is_traced(x))
        part_layout(x, part, &layout, &fits);
    return fits ? node_view_as(x, dtype, &layout, out) : graph_unary(op, x, out);
}

static jg_status component_type(jg_op op, const jg_array *x, jg_dtype *out)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    JG_TRY(op_resolve_types(op, 1, &dtype, &types));
    *out = types.result;
    return JG_OK;
}

jg_status compose_real(jg_array *x, jg_array **out)
{
    jg_dtype dtype;
    JG_TRY(component_type(JG_OP_real, x, &dtype));
    if (dtype != x->dtype)
        return part_of(JG_OP_real, x, 0, dtype, out);
    *out = jg_array_retain(x);
    return JG_OK;
}

jg_status compose_imag(jg_array *x, jg_array **out)
{
    jg_dtype dtype;
    JG_TRY(component_type(JG_OP_imag, x, &dtype));
    if (dtype != x->dtype)
        return part_of(JG_OP_imag, x, 1, dtype, out);
    const jg_number zero = {.kind = JG_KIND_INT};
    return graph_full_beside(x, dtype, x->ndim, node_shape(x), zero, out);
}

jg_status compose_conj(jg_array *x, jg_array **out)
{
    jg_dtype dtype;
    JG_TRY(component_type(JG_OP_conj, x, &dtype));
    if (dtype_is_complex(dtype))
        return graph_unary(JG_OP_conj, x, out);
    return graph_same(x, out);
}

/* For real numbers below zero it is pi: their imaginary part is +0. */
jg_status compose_angle(jg_array *x, jg_array **out)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    compose_scope scope = {0};
    JG_TRY(op_resolve_types(JG_OP_angle, 1, &dtype, &types));
    jg_array *cast = scope_cast(&scope, x, types.operand[0]);
    if (cast != NULL && !dtype_is_complex((jg_dtype)cast->dtype))
        cast = scope_unary(&scope, jg_stop_gradient, cast); /* it has steps alone */
    jg_array *up = scope_unary(&scope, jg_imag, cast), *right = scope_unary(&scope, jg_real, cast);
    return scope_finish(&scope, scope_binary(&scope, jg_atan2, up, right), out);
}
