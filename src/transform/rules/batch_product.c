/* SPDX-License-Identifier: Apache-2.0 */
/* Batched products and solutions. Where one operand is the same for the whole batch, and is one
 * matrix, the rows or columns of the other one are those of a single call. */
#include "transform/batch.h"

/* Products with at least as many rows are as quick one by one as in one call. */
enum { MANY_ROWS = 32 };

/* Whether axes first to last can be seen as one. */
static bool axes_merge(const jg_array *x, int first, int last)
{
    const int64_t *shape = node_shape(x), *strides = node_strides(x);
    int64_t next = 0;
    bool some = false;
    for (int i = last; i >= first; --i) {
        if (shape[i] == 1)
            continue;
        if (some && strides[i] != next)
            return false;
        next = strides[i] * shape[i];
        some = true;
    }
    return true;
}

/* The rows of all matrices of x, of which each has `columns` elements, as one matrix. */
static jg_array *as_rows(compose_scope *scope, jg_array *x)
{
    int64_t shape[] = {1, 0};
    if (x == NULL)
        return NULL;
    for (int i = 0; i < x->ndim - 1; ++i)
        shape[0] *= x->dims[i];
    shape[1] = x->dims[x->ndim - 1];
    return scope_shaped(scope, jg_reshape, x, 2, shape);
}

/* The product's rows, as matrices like those of x, which have other columns. */
static jg_array *from_rows(compose_scope *scope, jg_array *product, const jg_array *x)
{
    int64_t shape[JG_MAX_NDIM];
    if (product == NULL)
        return NULL;
    for (int i = 0; i < x->ndim - 1; ++i)
        shape[i] = x->dims[i];
    shape[x->ndim - 1] = product->dims[1];
    return scope_shaped(scope, jg_reshape, product, x->ndim, shape);
}

/* a is mapped, b one matrix. */
static jg_array *fold_left(compose_scope *scope, jg_array *a, jg_array *b)
{
    return from_rows(scope, scope_binary(scope, jg_matmul, as_rows(scope, a), b), a);
}

/* a is one matrix, b mapped: the transpose of the product of the transposes. */
static jg_array *fold_right(compose_scope *scope, jg_array *a, jg_array *b)
{
    jg_array *turned = scope_unary(scope, jg_matrix_transpose, b);
    jg_array *left = scope_unary(scope, jg_matrix_transpose, a);
    jg_array *product = scope_binary(scope, jg_matmul, as_rows(scope, turned), left);
    if (product == NULL)
        return NULL;
    return scope_unary(scope, jg_matrix_transpose, from_rows(scope, product, turned));
}

/* Whether the matrices of x, whose lines along the last axis but one are to be rows of a single
 * one, should be. */
static bool is_folded(const jg_array *x, bool transposed)
{
    int last = x->ndim - 1;
    if (!transposed)
        return x->dims[last - 1] < MANY_ROWS || axes_merge(x, 0, last - 1);
    return x->dims[last] < MANY_ROWS;
}

static jg_array *padded(compose_scope *scope, const batch_call *call, int i)
{
    jg_array *made = NULL;
    int ndim = call->node->ndim;
    if (!call->mapped[i])
        return call->inputs[i];
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = batch_pad(call, i, ndim, &made);
    return scope_take(scope, status, made);
}

jg_status batch_matmul(const batch_call *call, jg_array **out)
{
    compose_scope scope = {0};
    const jg_array *node = call->node;
    jg_array *a = call->inputs[0], *b = call->inputs[1], *made;
    if (!call->mapped[1] && b->ndim == 2 && is_folded(a, false))
        made = fold_left(&scope, a, b);
    else if (!call->mapped[0] && a->ndim == 2 && is_folded(b, true))
        made = fold_right(&scope, a, b);
    else
        made = scope_binary(&scope, jg_matmul, padded(&scope, call, 0), padded(&scope, call, 1));
    return scope_finish(&scope, scope_cast(&scope, made, (jg_dtype)node->dtype), out);
}

/* With one matrix for all of the batch, its factors serve all right-hand sides. */
jg_status batch_solve(const batch_call *call, jg_array **out)
{
    jg_array *a = call->inputs[0], *b = call->inputs[1], *made = NULL;
    if (call->mapped[0] || a->ndim != 2)
        return batch_leading(call, out);
    compose_scope scope = {0};
    const int64_t order[] = {1, 0, 2}, n = b->dims[1], k = b->dims[2];
    const int64_t sides[] = {n, call->extent * k}, parts[] = {n, call->extent, k};
    jg_array *turned = scope_shaped(&scope, jg_permute_dims, b, 3, order);
    turned = scope_shaped(&scope, jg_reshape, turned, 2, sides);
    if (turned != NULL) {
        jg_array *const inputs[] = {a, turned};
        jg_status status = batch_make_shaped(call, 2, sides, inputs, NULL, &made);
        made = scope_take(&scope, status, made);
    }
    made = scope_shaped(&scope, jg_reshape, made, 3, parts);
    return scope_finish(&scope, scope_shaped(&scope, jg_permute_dims, made, 3, order), out);
}

/* Whether all inputs from number `first` on are the same for the whole batch. */
static bool are_shared(const batch_call *call, int first)
{
    for (int i = first; i < call->node->ninputs; ++i)
        if (call->mapped[i])
            return false;
    return true;
}

/* The rows of one call where the quantised matrix is one; else all operands have equal axes before
 * the last two. */
jg_status batch_quantized_matmul(const batch_call *call, jg_array **out)
{
    const jg_array *node = call->node;
    if (node_attributes_of(node)->quantized_matmul.gathered)
        return batch_loop(call, out);
    if (!are_shared(call, 1) || node->ndim != 2)
        return batch_leading(call, out);
    compose_scope scope = {0};
    jg_array *x = call->inputs[0], *made = NULL, *rows = as_rows(&scope, x);
    jg_array *dense = NULL;
    if (rows != NULL) {
        jg_status status = transform_fit(node->inputs[0], rows, &dense);
        dense = scope_take(&scope, status, dense);
    }
    if (dense != NULL) {
        enum { MOST = 4 };
        const int64_t shape[] = {dense->dims[0], node->dims[1]};
        jg_array *inputs[MOST] = {dense};
        for (int i = 1; i < node->ninputs; ++i)
            inputs[i] = call->inputs[i];
        jg_status status = batch_make_shaped(call, 2, shape, inputs, NULL, &made);
        made = scope_take(&scope, status, made);
    }
    return scope_finish(&scope, from_rows(&scope, made, x), out);
}
