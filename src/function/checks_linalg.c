/* SPDX-License-Identifier: Apache-2.0 */
/* Products and linear algebra, over the last two axes: made as their ops make them. Operands of
 * products that no op takes as they are get checked here. */
#include "function/function.h"

jg_status function_check_gather_matmul(function_node *node, function_made *out)
{
    FUNCTION_NEEDS_INPUTS(node, 4);
    jg_array *const *x = node->inputs;
    return jg_gather_mm(x[0], x[1], x[2], x[3], false, out->arrays);
}

/* Numbers of matrices: of int64, one for each of the result's. */
static bool are_numbers(const jg_array *x, int ndim, const int64_t *shape)
{
    return x->dtype == JG_DTYPE_INT64 && x->ndim == ndim &&
           function_same_shape(ndim, x->dims, shape);
}

/* The batch of the first result, and behind it a matrix of that shape. */
static jg_status check_product(const function_node *node, int64_t rows, int64_t columns)
{
    const function_result *said = &node->results[0];
    FUNCTION_NEEDS_RESULT(node,
                          said->ndim >= 2 && said->shape[said->ndim - 2] == rows &&
                              said->shape[said->ndim - 1] == columns,
                          "matrices of %" PRId64 " x %" PRId64 " elements", rows, columns);
    return JG_OK;
}

/* Input i has the node's rank and first axes, and these axes last. */
static jg_status check_attended(const function_node *node, int i, int64_t heads, int64_t rows,
                                int64_t columns)
{
    const function_result *said = &node->results[0];
    const jg_array *x = node->inputs[i];
    FUNCTION_NEEDS_INPUT(node,
                         x->ndim == said->ndim &&
                             function_same_shape(said->ndim - 3, x->dims, said->shape) &&
                             function_extent(x, 3) == heads && function_extent(x, 2) == rows &&
                             function_extent(x, 1) == columns,
                         i,
                         "the batch of the result, which has %d axes, of %" PRId64
                         " heads, %" PRId64 " rows and %" PRId64 " columns",
                         said->ndim, heads, rows, columns);
    return JG_OK;
}

/* Queries, keys and values. */
static jg_status check_attending(function_node *node)
{
    for (int i = 0; i < 3; ++i)
        FUNCTION_NEEDS_INPUT(node, node->inputs[i]->ndim >= 4, i, "4 axes or more");
    FUNCTION_NEEDS_RESULT(node, node->results[0].ndim >= 4, "4 axes or more");
    for (int i = 0; i < 3; ++i)
        FUNCTION_NEEDS_INPUT(node,
                             dtype_is_single_or_half((jg_dtype)node->inputs[i]->dtype) &&
                                 node->inputs[i]->size > 0,
                             i, "elements of float32, float16 or bfloat16");
    return JG_OK;
}

static jg_status check_mask(function_node *node, int64_t heads, int64_t length, int64_t span)
{
    const jg_array *mask = node->inputs[3];
    FUNCTION_NEEDS_INPUT(node, mask->dtype == JG_DTYPE_BOOL || mask->dtype == JG_DTYPE_FLOAT32, 3,
                         "a mask of bool or float32");
    return check_attended(node, 3, heads, length, span);
}

static jg_status check_sinks(function_node *node, int i, int64_t heads)
{
    FUNCTION_NEEDS_INPUT(node, node->inputs[i]->dtype == JG_DTYPE_FLOAT32, i, "sinks of float32");
    return check_attended(node, i, heads, 1, 1);
}

jg_status function_check_attention(function_node *node, function_made *out)
{
    const attention_attributes *attributes = &node->attributes.attention;
    const function_result *said = &node->results[0];
    FUNCTION_NEEDS_INPUTS(node, 3 + attributes->masked + attributes->sunk);
    JG_TRY(check_attending(node));
    const jg_array *q = node->inputs[0], *k = node->inputs[1], *v = node->inputs[2];
    int64_t heads = function_extent(q, 3), length = function_extent(q, 2);
    int64_t groups = function_extent(k, 3), span = function_extent(k, 2);
    JG_TRY(check_attended(node, 0, heads, length, function_extent(k, 1)));
    JG_TRY(check_attended(node, 1, groups, span, function_extent(k, 1)));
    JG_TRY(check_attended(node, 2, groups, span, function_extent(v, 1)));
    FUNCTION_NEEDS_INPUT(node, heads % groups == 0, 0, "a multiple of %" PRId64 " heads", groups);
    JG_TRY(check_product(node, length, function_extent(v, 1)));
    FUNCTION_NEEDS_RESULT(node, said->shape[said->ndim - 3] == heads, "%" PRId64 " heads", heads);
    if (attributes->masked)
        JG_TRY(check_mask(node, heads, length, span));
    if (attributes->sunk)
        JG_TRY(check_sinks(node, 3 + attributes->masked, heads));
    const jg_dtype dtypes[] = {(jg_dtype)q->dtype, (jg_dtype)k->dtype, (jg_dtype)v->dtype};
    op_types types;
    JG_TRY(op_resolve_types(JG_OP_scaled_dot_product_attention, 3, dtypes, &types));
    return function_make(node, types.result, out);
}

/* Elements of a row lie side by side, and each row of w has a row of scales. */
static jg_status make_rows(function_node *node, int i)
{
    const jg_array *x = node->inputs[i];
    FUNCTION_NEEDS_INPUT(node, x->ndim >= 2, i, "a matrix");
    return node_strides(x)[x->ndim - 1] == 1 ? JG_OK : function_make_dense(node, i);
}

static bool same_batch(const jg_array *x, const jg_array *y)
{
    return x->ndim == y->ndim && function_same_shape(x->ndim - 2, x->dims, y->dims);
}

/* Scales, or biases: a number for each group of w's rows. */
static jg_status check_scales(const function_node *node, int i, int64_t codes)
{
    const jg_array *x = node->inputs[i];
    const quantized_matmul_attributes *attributes = &node->attributes.quantized_matmul;
    const jg_array *w = node->inputs[1], *scales = node->inputs[2];
    FUNCTION_NEEDS_INPUT(
        node,
        attributes->mode == QUANTIZED_AFFINE ? dtype_is_single_or_half((jg_dtype)x->dtype)
                                             : x->dtype == JG_DTYPE_UINT8,
        i, "numbers of %s",
        attributes->mode == QUANTIZED_AFFINE ? "float32, float16 or bfloat16" : "uint8");
    FUNCTION_NEEDS_INPUT(
        node,
        x->dtype == scales->dtype && same_batch(x, w) &&
            function_extent(x, 2) == function_extent(w, 2) &&
            function_extent(x, 1) == codes / attributes->group,
        i, "%s of the batch of input 1, with %" PRId64 " rows of %" PRId64 " groups",
        dtype_rows[scales->dtype].name, function_extent(w, 2), codes / attributes->group);
    return JG_OK;
}

static jg_status check_batches(const function_node *node, int first)
{
    const function_result *said = &node->results[0];
    int ndim = said->ndim - 2;
    if (first < node->ninputs) {
        for (int i = first; i < node->ninputs; ++i)
            FUNCTION_NEEDS_INPUT(
                node, are_numbers(node->inputs[i], ndim, said->shape), i,
                "int64 numbers, one for each matrix of the result, which has %d axes", said->ndim);
        return JG_OK;
    }
    for (int i = 0; i < 2; ++i)
        FUNCTION_NEEDS_INPUT(node,
                             node->inputs[i]->ndim == said->ndim &&
                                 function_same_shape(ndim, node->inputs[i]->dims, said->shape),
                             i, "the batch of the result, which has %d axes", said->ndim);
    return JG_OK;
}

jg_status function_check_quantized_matmul(function_node *node, function_made *out)
{
    const quantized_matmul_attributes *attributes = &node->attributes.quantized_matmul;
    int scales = attributes->mode == QUANTIZED_AFFINE ? 2 : 1, first = 2 + scales;
    FUNCTION_NEEDS_INPUTS(node, first + (attributes->gathered ? 2 : 0));
    FUNCTION_NEEDS(
        node, compose_is_quantization(attributes->mode, attributes->bits, attributes->group),
        "bits, group: got %" PRId64 " and %" PRId64 ", allowed are those of a mode of quantisation",
        attributes->bits, attributes->group);
    for (int i = 0; i < first; ++i)
        JG_TRY(make_rows(node, i));
    const jg_array *x = node->inputs[0], *w = node->inputs[1];
    int64_t words = function_extent(w, 1), rows = function_extent(w, 2);
    FUNCTION_NEEDS_INPUT(node, x->dtype == JG_DTYPE_FLOAT32, 0, "an array of float32");
    FUNCTION_NEEDS_INPUT(node, w->dtype == JG_DTYPE_UINT32, 1, "an array of uint32");
    FUNCTION_NEEDS_INPUT(
        node, words <= INT64_MAX / 64 && words * 32 % (attributes->bits * attributes->group) == 0,
        1, "rows of whole groups of %" PRId64 " codes of %" PRId64 " bits", attributes->group,
        attributes->bits);
    int64_t codes = words * 32 / attributes->bits;
    for (int i = 2; i < first; ++i)
        JG_TRY(check_scales(node, i, codes));
    FUNCTION_NEEDS_INPUT(node, function_extent(x, 1) == (attributes->transposed ? codes : rows), 0,
                         "rows of %" PRId64 " elements", attributes->transposed ? codes : rows);
    JG_TRY(check_product(node, function_extent(x, 2), attributes->transposed ? rows : codes));
    JG_TRY(check_batches(node, first));
    return function_make(node, JG_DTYPE_FLOAT32, out);
}

#define MADE_BY(routine, make)                                                                     \
    jg_status function_check_##routine(function_node *node, function_made *out)                    \
    {                                                                                              \
        return make(node, out);                                                                    \
    }

static jg_status make_square(function_node *node, function_made *out)
{
    FUNCTION_NEEDS_INPUTS(node, 1);
    return compose_square_matrix(node->op, node->inputs[0], &node->attributes, out->arrays);
}
MADE_BY(cholesky, make_square)
MADE_BY(cholesky_inverse, make_square)
MADE_BY(triangular_inverse, make_square)
MADE_BY(inverse, make_square)

static jg_status make_solution(function_node *node, function_made *out)
{
    FUNCTION_NEEDS_INPUTS(node, 2);
    return compose_solve(node->op, node->inputs[0], node->inputs[1], &node->attributes,
                         out->arrays);
}
MADE_BY(triangular_solve, make_solution)
MADE_BY(solve, make_solution)

static jg_status make_factors(function_node *node, function_made *out)
{
    FUNCTION_NEEDS_INPUTS(node, 1);
    return compose_factors(node->op, node->inputs[0], &node->attributes, &out->count, out->arrays);
}
MADE_BY(lu, make_factors)
MADE_BY(determinant, make_factors)
MADE_BY(qr, make_factors)
MADE_BY(svd, make_factors)
MADE_BY(eigen_hermitian, make_factors)
MADE_BY(eigen, make_factors)
