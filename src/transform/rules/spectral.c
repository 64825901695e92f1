/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier and Hadamard transforms: each is a matrix, and its cotangent the adjoint matrix's
 * product.
 *
 * The adjoint of a transform between complex numbers is the one of the other direction, with the
 * same divisor. From n reals to half of a sequence: the half is filled up with zeros, transformed
 * backwards, and its real part taken. From half of a sequence to reals: the reals are transformed,
 * and an element that represents two conjugate numbers counts twice. */
#include "transform/rules/rules.h"

static jg_array *transform(compose_scope *scope, const jg_array *node, jg_array *x,
                           transform_kind kind, jg_dtype dtype, const int64_t *shape)
{
    primitive_attributes attributes = {.fft = node_attributes_of(node)->fft};
    jg_array *made = NULL;
    attributes.fft.kind = kind;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status =
        graph_routine((jg_op)node->label, dtype, x->ndim, shape, 1, &x, &attributes, &made);
    return scope_take(scope, status, made);
}

/* g with zeros after its half, up to as many numbers as x has reals. */
static jg_array *fill_up(compose_scope *scope, const jg_array *node, jg_array *g)
{
    static const int64_t before[JG_MAX_NDIM];
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = compose_extend(JG_OP_pad, g, NULL, EXTEND_CONSTANT, before,
                                      node_shape(node->inputs[0]), &made);
    return scope_take(scope, status, made);
}

/* 1 for the first number and, of an even count of reals, the last; 2 for the others. */
static jg_array *weights(compose_scope *scope, const jg_array *node, const jg_array *like)
{
    const jg_array *half = node->inputs[0];
    int axis = (int)node_attributes_of(node)->fft.axis;
    int64_t count = half->dims[axis], n = node->dims[axis], shape[JG_MAX_NDIM];
    const jg_number zero = {.kind = JG_KIND_INT}, one = {.kind = JG_KIND_INT, .i64 = 1};
    const jg_number stop = {.kind = JG_KIND_INT, .i64 = count};
    jg_array *range = NULL;
    for (int i = 0; i < half->ndim; ++i)
        shape[i] = i == axis ? count : 1;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_arange(JG_DTYPE_INT64, zero, stop, one, &range);
    range = scope_take(scope, status, range);
    range = scope_shaped(scope, jg_reshape, range, half->ndim, shape);
    jg_array *last = scope_whole(scope, range, n % 2 == 0 ? n / 2 : -1);
    jg_array *single = scope_binary(
        scope, jg_logical_or, scope_binary(scope, jg_equal, range, scope_whole(scope, range, 0)),
        scope_binary(scope, jg_equal, range, last));
    return scope_where(scope, single, scope_number(scope, like, 1), scope_number(scope, like, 2));
}

static jg_array *adjoint(compose_scope *scope, const jg_array *node, jg_array *g)
{
    const jg_array *x = node->inputs[0];
    jg_dtype dtype = (jg_dtype)x->dtype;
    switch (node_attributes_of(node)->fft.kind) {
    case TRANSFORM_FORWARD:
        return transform(scope, node, g, TRANSFORM_BACKWARD, dtype, node_shape(x));
    case TRANSFORM_BACKWARD:
        return transform(scope, node, g, TRANSFORM_FORWARD, dtype, node_shape(x));
    case TRANSFORM_FROM_REAL: {
        jg_array *whole = fill_up(scope, node, g);
        return scope_unary(scope, jg_real,
                           transform(scope, node, whole, TRANSFORM_BACKWARD, (jg_dtype)node->dtype,
                                     node_shape(x)));
    }
    default: {
        jg_array *half = transform(scope, node, g, TRANSFORM_FROM_REAL, dtype, node_shape(x));
        return half ? scope_binary(scope, jg_multiply, half, weights(scope, node, half)) : NULL;
    }
    }
}

jg_status cotangent_fft(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    jg_array *share = adjoint(&scope, node, cotangent);
    if (scope.status == JG_OK)
        scope.status = reverse_give(pass, 0, share);
    return scope_close(&scope);
}

/* The matrix is symmetric where the length is a power of two. Of the other lengths it is made of
 * the transforms of unit vectors. */
static jg_array *turned_hadamard(compose_scope *scope, const jg_array *node, jg_array *g)
{
    const primitive_attributes *attributes = node_attributes_of(node);
    int64_t n = node->dims[node->ndim - 1], shape[] = {n, n};
    jg_array *unit = NULL, *rows = NULL, *dense = NULL;
    if (attributes->hadamard.factor == 1) {
        jg_status status = graph_contiguous(g, &dense);
        dense = scope_take(scope, status, dense);
        if (dense == NULL)
            return NULL;
        status = graph_routine((jg_op)node->label, (jg_dtype)node->dtype, node->ndim,
                               node_shape(node), 1, &dense, attributes, &rows);
        return scope_take(scope, status, rows);
    }
    const jg_dtype dtype = (jg_dtype)node->dtype;
    jg_status status = jg_eye(n, NULL, 0, &dtype, &unit);
    if ((unit = scope_take(scope, status, unit)) == NULL)
        return NULL;
    status = graph_contiguous(unit, &dense);
    if ((dense = scope_take(scope, status, dense)) == NULL)
        return NULL;
    status = graph_routine((jg_op)node->label, (jg_dtype)node->dtype, 2, shape, 1, &dense,
                           attributes, &rows);
    rows = scope_take(scope, status, rows);
    return scope_binary(scope, jg_matmul, g, scope_unary(scope, jg_matrix_transpose, rows));
}

jg_status cotangent_hadamard(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    jg_array *share = turned_hadamard(&scope, node, cotangent);
    if (scope.status == JG_OK)
        scope.status = reverse_give(pass, 0, share);
    return scope_close(&scope);
}
