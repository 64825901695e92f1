/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices. */
#include "transform/rules/rules.h"

static jg_array *adjoint(compose_scope *scope, jg_array *x)
{
    jg_array *turned = scope_unary(scope, jg_matrix_transpose, x);
    if (scope->status != JG_OK || !dtype_is_complex((jg_dtype)x->dtype))
        return turned;
    return scope_unary(scope, jg_conj, turned);
}

static bool is_turned(const jg_array *x)
{
    return x->primitive == PRIMITIVE_view && x->ndim == 2 && node_strides(x)[0] == 1 &&
           node_strides(x)[1] > 1;
}

/* left right, in memory as the operand is whose cotangent it is: what a layer multiplies by is the
 * transpose of its weights, and an optimizer reads both side by side. */
static jg_array *product_like(compose_scope *scope, const jg_array *operand, jg_array *left,
                              jg_array *right)
{
    if (scope->status != JG_OK)
        return NULL;
    if (!is_turned(operand) || left->ndim != 2 || right->ndim != 2)
        return scope_binary(scope, jg_matmul, left, right);
    left = scope_unary(scope, jg_matrix_transpose, left);
    right = scope_unary(scope, jg_matrix_transpose, right);
    jg_array *turned = scope->status == JG_OK ? scope_binary(scope, jg_matmul, right, left) : NULL;
    return scope->status == JG_OK ? scope_unary(scope, jg_matrix_transpose, turned) : NULL;
}

/* All rows of a stack of matrices as one matrix. */
static jg_array *all_rows(compose_scope *scope, jg_array *x)
{
    int64_t shape[] = {1, x->dims[x->ndim - 1]};
    for (int axis = 0; axis + 1 < x->ndim; ++axis)
        shape[0] *= x->dims[axis];
    return scope_shaped(scope, jg_reshape, x, 2, shape);
}

/* a^H g. If all matrices of a are multiplied by one b, it is one product over all their rows: a sum
 * of products would need memory for one product of each matrix. */
static jg_array *share_of_right(compose_scope *scope, jg_array *a, jg_array *b, jg_array *cotangent)
{
    if (b->ndim == 2 && a->ndim > 2) {
        a = all_rows(scope, a);
        cotangent = all_rows(scope, cotangent);
    }
    return scope->status == JG_OK ? product_like(scope, b, adjoint(scope, a), cotangent) : NULL;
}

/* c = a b: the cotangent of a is g b^H, that of b is a^H g. */
jg_status cotangent_matmul(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    jg_array *a = node->inputs[0], *b = node->inputs[1];
    if (reverse_wants(pass, 0)) {
        jg_array *share = product_like(&scope, a, cotangent, adjoint(&scope, b));
        if (scope.status == JG_OK)
            scope.status = reverse_give(pass, 0, share);
    }
    if (reverse_wants(pass, 1)) {
        jg_array *share = share_of_right(&scope, a, b, cotangent);
        if (scope.status == JG_OK)
            scope.status = reverse_give(pass, 1, share);
    }
    return scope_close(&scope);
}

/* Matrices as one row of them. */
static jg_array *in_a_row(compose_scope *scope, jg_array *x)
{
    int64_t shape[] = {-1, x->dims[x->ndim - 2], x->dims[x->ndim - 1]};
    return scope_shaped(scope, jg_reshape, x, 3, shape);
}

static jg_array *take(compose_scope *scope, jg_array *x, jg_array *indices)
{
    const int64_t first = 0;
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_take(x, indices, &first, &made);
    return scope_take(scope, status, made);
}

/* The matrices that the indices choose, multiplied one by one. */
static jg_array *chosen_product(compose_scope *scope, jg_array *a, jg_array *b, jg_array *lhs,
                                jg_array *rhs)
{
    jg_array *left = take(scope, in_a_row(scope, a), lhs);
    jg_array *right = take(scope, in_a_row(scope, b), rhs);
    return scope_binary(scope, jg_matmul, left, right);
}

jg_status transform_spell_gather_matmul(jg_array *node, jg_array *const *inputs, jg_array **out)
{
    compose_scope scope = {0};
    (void)node;
    return scope_finish(&scope, chosen_product(&scope, inputs[0], inputs[1], inputs[2], inputs[3]),
                        out);
}

/* One end of each segment, with an axis of extent 1 behind. */
static jg_array *end_of(compose_scope *scope, jg_array *segments, int64_t number)
{
    const int64_t last = -1;
    jg_array *index = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_full(JG_DTYPE_INT64, 1, &(int64_t){1},
                               (jg_number){.kind = JG_KIND_INT, .i64 = number}, &index);
    if ((index = scope_take(scope, status, index)) == NULL)
        return NULL;
    jg_array *made = NULL;
    status = jg_take(segments, index, &last, &made);
    return scope_take(scope, status, made);
}

/* a with zeros outside of each segment, times b. */
jg_status transform_spell_segmented_matmul(jg_array *node, jg_array *const *inputs, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *a = inputs[0], *range = NULL;
    const jg_number zero = {.kind = JG_KIND_INT}, one = {.kind = JG_KIND_INT, .i64 = 1};
    const jg_number stop = {.kind = JG_KIND_INT, .i64 = a->dims[1]};
    int64_t axis = -2;
    (void)node;
    jg_status status = jg_arange(JG_DTYPE_INT64, zero, stop, one, &range);
    range = scope_take(&scope, status, range);
    jg_array *behind = scope_binary(&scope, jg_greater_equal, range, end_of(&scope, inputs[2], 0));
    jg_array *before = scope_binary(&scope, jg_less, range, end_of(&scope, inputs[2], 1));
    jg_array *inside = scope_binary(&scope, jg_logical_and, behind, before), *rows = NULL;
    if (scope.status == JG_OK) {
        status = jg_expand_dims(inside, 1, &axis, &rows);
        rows = scope_take(&scope, status, rows);
    }
    jg_array *none = scope_number(&scope, a, 0);
    jg_array *cut = scope_where(&scope, rows, a, none);
    return scope_finish(&scope, scope_binary(&scope, jg_matmul, cut, inputs[1]), out);
}

jg_status transform_spell_attention(jg_array *node, jg_array *const *inputs, jg_array **out)
{
    return compose_spell_attention(node, inputs, out);
}

/* The matrix is expanded; its codes are integers and have no derivative. */
jg_status transform_spell_quantized_matmul(jg_array *node, jg_array *const *inputs, jg_array **out)
{
    const quantized_matmul_attributes *attributes = &node_attributes_of(node)->quantized_matmul;
    compose_scope scope = {0};
    int count = node->ninputs - (attributes->gathered ? 2 : 0);
    jg_array *biases = count > 3 ? inputs[3] : NULL, *w = NULL;
    const jg_dtype dtype = JG_DTYPE_FLOAT32;
    jg_status status =
        jg_dequantize(inputs[1], inputs[2], biases, &attributes->group, &attributes->bits,
                      op_quantized_mode_texts[attributes->mode], NULL, &dtype, &w);
    w = scope_take(&scope, status, w);
    if (attributes->transposed)
        w = scope_unary(&scope, jg_matrix_transpose, w);
    jg_array *x = scope_cast(&scope, inputs[0], dtype);
    jg_array *made = attributes->gathered && scope.status == JG_OK
                         ? chosen_product(&scope, x, w, inputs[count], inputs[count + 1])
                         : scope_binary(&scope, jg_matmul, x, w);
    return scope_finish(&scope, made, out);
}
