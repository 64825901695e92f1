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

/* How many matrices an operand of the node has. */
static int64_t count_matrices(const jg_array *x)
{
    int64_t count = 1;
    for (int i = 0; i < x->ndim - 2; ++i)
        count *= x->dims[i];
    return count;
}

/* The first number of each of the batch in the stack of all their matrices, with axes of extent 1
 * for those of the index array. */
static jg_array *first_numbers(compose_scope *scope, const batch_call *call, int64_t count,
                               const jg_array *indices)
{
    const jg_number zero = {.kind = JG_KIND_INT}, step = {.kind = JG_KIND_INT, .i64 = count},
                    stop = {.kind = JG_KIND_INT, .i64 = call->extent * count};
    int64_t shape[JG_MAX_NDIM] = {call->extent};
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_arange(JG_DTYPE_INT64, zero, stop, step, &made);
    made = scope_take(scope, status, made);
    for (int i = 0; i < indices->ndim; ++i)
        shape[i + 1] = 1;
    return scope_shaped(scope, jg_reshape, made, indices->ndim + 1, shape);
}

/* The numbers of an index array, of matrices of a stack of `count`, in the stack of the whole
 * batch; what is out of range stays so. */
static jg_array *shift_numbers(compose_scope *scope, const batch_call *call, int64_t count,
                               jg_array *numbers, const jg_array *indices)
{
    if (numbers == NULL)
        return NULL;
    jg_array *zero = scope_whole(scope, numbers, 0), *all = scope_whole(scope, numbers, count);
    jg_array *far = scope_whole(scope, numbers, INT64_MAX);
    jg_array *from_end = scope_binary(scope, jg_less, numbers, zero);
    jg_array *counted =
        scope_where(scope, from_end, scope_binary(scope, jg_add, numbers, all), numbers);
    jg_array *within =
        scope_binary(scope, jg_logical_and, scope_binary(scope, jg_less_equal, zero, counted),
                     scope_binary(scope, jg_less, counted, all));
    jg_array *shifted =
        scope_binary(scope, jg_add, counted, first_numbers(scope, call, count, indices));
    return scope_where(scope, within, shifted, far);
}

/* Index array number i of the node, whose matrices are inputs first to last - 1, for the batch. */
static jg_array *batch_numbers(compose_scope *scope, const batch_call *call, int i, int first,
                               int last)
{
    const jg_array *node = call->node;
    bool mapped = false;
    jg_array *numbers = NULL;
    for (int k = first; k < last; ++k)
        mapped |= call->mapped[k];
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = batch_input(call, i, &numbers);
    numbers = scope_take(scope, status, numbers);
    if (!mapped)
        return numbers;
    return shift_numbers(scope, call, count_matrices(node->inputs[first]), numbers,
                         node->inputs[i]);
}

/* Inputs first to last - 1: as they are if none is mapped, else with the batch's axis. */
static void batch_matrices(compose_scope *scope, const batch_call *call, int first, int last,
                           jg_array **inputs)
{
    bool mapped = false;
    for (int i = first; i < last; ++i)
        mapped |= call->mapped[i];
    for (int i = first; i < last; ++i) {
        jg_array *made = NULL;
        inputs[i] = call->inputs[i];
        if (!mapped || scope->status != JG_OK)
            continue;
        jg_status status = batch_input(call, i, &made);
        inputs[i] = scope_take(scope, status, made);
    }
}

/* The node's inputs are the left matrices, those that make up the right ones, and two index
 * arrays. */
static jg_status multiply_gathered(const batch_call *call, jg_array **out)
{
    enum { MAX_INPUTS = 6 };
    compose_scope scope = {0};
    jg_array *inputs[MAX_INPUTS] = {NULL}, *made = NULL;
    int count = call->node->ninputs, left = count - 2, right = count - 1;
    batch_matrices(&scope, call, 0, 1, inputs);
    batch_matrices(&scope, call, 1, left, inputs);
    inputs[left] = batch_numbers(&scope, call, left, 0, 1);
    inputs[right] = batch_numbers(&scope, call, right, 1, left);
    if (scope.status == JG_OK) {
        jg_status status = batch_make(call, inputs, NULL, &made);
        made = scope_take(&scope, status, made);
    }
    return scope_finish(&scope, made, out);
}

jg_status batch_gather_matmul(const batch_call *call, jg_array **out)
{
    return multiply_gathered(call, out);
}

/* The rows of one call where the quantised matrix is one; else all operands have equal axes before
 * the last two. */
jg_status batch_quantized_matmul(const batch_call *call, jg_array **out)
{
    const jg_array *node = call->node;
    if (node_attributes_of(node)->quantized_matmul.gathered)
        return multiply_gathered(call, out);
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
        enum { MAX_INPUTS = 4 };
        const int64_t shape[] = {dense->dims[0], node->dims[1]};
        jg_array *inputs[MAX_INPUTS] = {dense};
        for (int i = 1; i < node->ninputs; ++i)
            inputs[i] = call->inputs[i];
        jg_status status = batch_make_shaped(call, 2, shape, inputs, NULL, &made);
        made = scope_take(&scope, status, made);
    }
    return scope_finish(&scope, from_rows(&scope, made, x), out);
}
