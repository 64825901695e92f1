/* SPDX-License-Identifier: Apache-2.0 */
/* Products with quantised matrices: brings the operands into the form that the routine demands, x
 * as float32, and either equal axes before the last two or the numbers of matrices instead. */
#include "compose/linalg/matrix_indices.h"
#include "compose/quantized/quantize.h"

/* One product; biases, and for a gathered one lhs and rhs, may be NULL. All arrays are borrowed:
 * from the caller, or from the scope once they have been changed. */
typedef struct quantized_product {
    jg_op op;
    quantization scheme;
    bool transpose, gathered;
    jg_array *x, *w, *scales, *biases, *lhs, *rhs;
} quantized_product;

/* transpose: w is (outer, inner), each row quantised; else (inner, outer). Either way the codes of
 * a group lie along w's last axis. */
static int64_t inner_extent(const quantized_product *p)
{
    return p->transpose ? quantization_columns(&p->scheme, p->w) : p->w->dims[p->w->ndim - 2];
}

static int64_t outer_extent(const quantized_product *p)
{
    return p->transpose ? p->w->dims[p->w->ndim - 2] : quantization_columns(&p->scheme, p->w);
}

static jg_status check_x(const quantized_product *p)
{
    const jg_array *x = p->x;
    char text[200];
    if (!dtype_is_single_or_half((jg_dtype)x->dtype))
        return base_fail(JG_ERR_TYPE, "[%s] x: got %s, allowed are float16, bfloat16 and float32",
                         p->scheme.op, dtype_rows[x->dtype].name);
    if (x->ndim < (p->gathered ? 2 : 1) || x->dims[x->ndim - 1] != inner_extent(p))
        return base_fail(JG_ERR_VALUE,
                         "[%s] x: got shape %s, allowed are rows of %lld, as w has it",
                         p->scheme.op, text_extents(text, sizeof text, x->ndim, x->dims),
                         (long long)inner_extent(p));
    return JG_OK;
}

/* x with elements of a row side by side. graph_contiguous may leave an axis of extent 1 with any
 * stride, and the routine reads the stride: a copy has 1. */
static jg_array *dense_rows(compose_scope *scope, jg_array *x)
{
    jg_array *made = NULL;
    if (x == NULL || node_strides(x)[x->ndim - 1] == 1)
        return x;
    jg_status status = graph_contiguous(x, &made);
    made = scope_take(scope, status, made);
    if (made == NULL || node_strides(made)[made->ndim - 1] == 1)
        return made;
    status = graph_unary(JG_OP_copy, x, &made);
    return scope_take(scope, status, made);
}

/* The last two axes as they are, those before as `batch` says. */
static jg_array *spread_matrices(compose_scope *scope, jg_array *x, int ndim, const int64_t *batch)
{
    int64_t shape[JG_MAX_NDIM];
    if (x == NULL)
        return NULL;
    for (int i = 0; i < ndim; ++i)
        shape[i] = batch[i];
    for (int i = 0; i < 2; ++i)
        shape[ndim + i] = x->dims[x->ndim - 2 + i];
    return scope_shaped(scope, jg_broadcast_to, x, ndim + 2, shape);
}

/* The node: inputs in the routine's order, the result's axes before the last two in `batch`. */
static jg_array *product_node(compose_scope *scope, const quantized_product *p, int ndim,
                              const int64_t *batch)
{
    enum { MAX_INPUTS = 6 };
    const primitive_attributes attributes = {.quantized_matmul = {.bits = p->scheme.bits,
                                                                  .group = p->scheme.group,
                                                                  .mode = p->scheme.mode,
                                                                  .transposed = p->transpose,
                                                                  .gathered = p->gathered}};
    jg_array *const all[MAX_INPUTS] = {p->x, p->w, p->scales, p->biases, p->lhs, p->rhs};
    jg_array *inputs[MAX_INPUTS], *made = NULL;
    int64_t shape[JG_MAX_NDIM];
    int count = 0;
    for (int i = 0; i < MAX_INPUTS; ++i)
        if (all[i] != NULL)
            inputs[count++] = all[i];
    for (int i = 0; i < ndim; ++i)
        shape[i] = batch[i];
    shape[ndim] = p->x->dims[p->x->ndim - 2];
    shape[ndim + 1] = outer_extent(p);
    if (scope->status != JG_OK)
        return NULL;
    jg_status status =
        graph_routine(p->op, JG_DTYPE_FLOAT32, ndim + 2, shape, count, inputs, &attributes, &made);
    return scope_take(scope, status, made);
}

/* Matrices that are paired by broadcasting. Broadcast axes have stride 0, so that nothing is
 * copied. */
static jg_array *broadcast_product(compose_scope *scope, quantized_product *p)
{
    int64_t batch[JG_MAX_NDIM];
    int ndim = 0;
    scope->status =
        shape_broadcast(p->x->ndim - 2, p->x->dims, p->w->ndim - 2, p->w->dims, &ndim, batch);
    if (scope->status != JG_OK)
        return NULL;
    p->x = spread_matrices(scope, p->x, ndim, batch);
    p->w = spread_matrices(scope, p->w, ndim, batch);
    p->scales = spread_matrices(scope, p->scales, ndim, batch);
    if (p->biases != NULL)
        p->biases = spread_matrices(scope, p->biases, ndim, batch);
    return scope->status == JG_OK ? product_node(scope, p, ndim, batch) : NULL;
}

/* With one matrix w, the rows of all matrices of x become those of a single one, so that the
 * routine expands w once for all of them. */
static jg_array *single_product(compose_scope *scope, quantized_product *p)
{
    jg_array *x = p->x;
    int64_t shape[JG_MAX_NDIM], inner = x->dims[x->ndim - 1], rows = 1;
    for (int i = 0; i < x->ndim - 1; ++i)
        rows *= shape[i] = x->dims[i];
    shape[x->ndim - 1] = outer_extent(p);
    p->x = scope_shaped(scope, jg_reshape, x, 2, (const int64_t[]){rows, inner});
    p->x = dense_rows(scope, p->x);
    if (p->x == NULL)
        return NULL;
    return scope_shaped(scope, jg_reshape, product_node(scope, p, 0, NULL), x->ndim, shape);
}

/* Matrices that index arrays choose. */
static jg_array *gathered_product(compose_scope *scope, quantized_product *p)
{
    compose_matrix_indices indices = {.lhs = p->lhs, .rhs = p->rhs};
    scope_matrix_indices(scope, p->scheme.op, p->x, p->w, &indices);
    p->lhs = indices.lhs;
    p->rhs = indices.rhs;
    return scope->status == JG_OK ? product_node(scope, p, indices.ndim, indices.batch) : NULL;
}

static jg_array *as_matrix(compose_scope *scope, jg_array *x)
{
    const int64_t row[] = {1, x->ndim == 1 ? x->dims[0] : 0};
    return x->ndim == 1 ? scope_shaped(scope, jg_reshape, x, 2, row) : x;
}

/* On a device: with w expanded in its memory. */
static jg_array *expanded_product(compose_scope *scope, const quantized_product *p)
{
    jg_array *w =
        quantization_numbers(scope, &p->scheme, p->w, p->scales, p->biases, NULL, JG_DTYPE_FLOAT32);
    jg_array *x = scope_cast(scope, p->x, JG_DTYPE_FLOAT32), *made = NULL;
    if (p->transpose)
        w = scope_unary(scope, jg_matrix_transpose, w);
    if (!p->gathered || scope->status != JG_OK)
        return scope_binary(scope, jg_matmul, x, w);
    jg_status status = jg_gather_mm(x, w, p->lhs, p->rhs, false, &made);
    return scope_take(scope, status, made);
}

/* The result in float32, without the row that a vector was made. */
static jg_array *multiply(compose_scope *scope, quantized_product *p)
{
    const int64_t axis = -2;
    bool is_vector = p->x->ndim == 1;
    if (!node_is_on_host(p->w))
        return expanded_product(scope, p);
    p->x = scope_cast(scope, as_matrix(scope, p->x), JG_DTYPE_FLOAT32);
    p->w = dense_rows(scope, p->w);
    p->scales = dense_rows(scope, p->scales);
    if (p->biases != NULL)
        p->biases = dense_rows(scope, p->biases);
    if (scope->status != JG_OK)
        return NULL;
    if (p->w->ndim > 2 || p->gathered)
        p->x = dense_rows(scope, p->x);
    if (p->x == NULL)
        return NULL;
    jg_array *product = p->gathered      ? gathered_product(scope, p)
                        : p->w->ndim > 2 ? broadcast_product(scope, p)
                                         : single_product(scope, p);
    return is_vector ? scope_shaped(scope, jg_squeeze, product, 1, &axis) : product;
}

/* Scales of float modes are codes, which say nothing of a dtype. */
static jg_status find_dtype(const quantized_product *p, jg_dtype *out)
{
    *out = (jg_dtype)p->x->dtype;
    if (p->scheme.mode == QUANTIZED_AFFINE)
        return jg_dtype_promote(*out, (jg_dtype)p->scales->dtype, out);
    return JG_OK;
}

/* Checks and multiplies, and scales by nvfp4's global scale if there is one. */
static jg_status run(quantized_product *p, jg_array *global_scale, jg_array **out)
{
    compose_scope scope = {0};
    jg_dtype dtype;
    JG_TRY(quantization_check(&p->scheme, p->w, p->scales, p->biases, global_scale));
    JG_TRY(check_x(p));
    JG_TRY(compose_matrix_indices_check(p->scheme.op, "lhs_indices", p->lhs));
    JG_TRY(compose_matrix_indices_check(p->scheme.op, "rhs_indices", p->rhs));
    JG_TRY(find_dtype(p, &dtype));
    jg_array *product = multiply(&scope, p);
    if (global_scale != NULL)
        product =
            scope_binary(&scope, jg_multiply, product, quantization_unit(&scope, global_scale));
    return scope_finish(&scope, scope_cast(&scope, product, dtype), out);
}

jg_status compose_quantized_matmul(jg_array *x, jg_array *w, jg_array *scales, jg_array *biases,
                                   bool transpose, const int64_t *group_size, const int64_t *bits,
                                   const char *mode, jg_array **out)
{
    quantized_product p = {.op = JG_OP_quantized_matmul,
                           .transpose = transpose,
                           .x = x,
                           .w = w,
                           .scales = scales,
                           .biases = biases};
    JG_TRY(quantization_read(p.op, mode, group_size, bits, &p.scheme));
    return run(&p, NULL, out);
}

jg_status compose_gather_qmm(jg_array *x, jg_array *w, jg_array *scales, jg_array *biases,
                             jg_array *lhs_indices, jg_array *rhs_indices, bool transpose,
                             const int64_t *group_size, const int64_t *bits, const char *mode,
                             jg_array *global_scale, bool sorted_indices, jg_array **out)
{
    quantized_product p = {.op = JG_OP_gather_qmm,
                           .transpose = transpose,
                           .gathered = true,
                           .x = x,
                           .w = w,
                           .scales = scales,
                           .biases = biases,
                           .lhs = lhs_indices,
                           .rhs = rhs_indices};
    (void)sorted_indices; /* a promise that is not used */
    JG_TRY(quantization_read(p.op, mode, group_size, bits, &p.scheme));
    return run(&p, global_scale, out);
}

/* x @ w.T where w is not quantised, either: rounded as x is. */
static jg_status dense_product(quantized_product *p, jg_array *global_scale, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *made = NULL;
    JG_TRY(quantization_check_matrix(&p->scheme, "w", p->w));
    jg_array *w = quantization_round(&scope, &p->scheme, p->w, global_scale);
    jg_array *right = scope_unary(&scope, jg_matrix_transpose, w);
    if (!p->gathered || right == NULL)
        return scope_finish(&scope, scope_binary(&scope, jg_matmul, p->x, right), out);
    jg_status status = jg_gather_mm(p->x, right, p->lhs, p->rhs, false, &made);
    return scope_finish(&scope, scope_take(&scope, status, made), out);
}

/* MLX has these products for the float modes only. */
static jg_status check_both(const quantized_product *p, const jg_array *global_scale_x,
                            const jg_array *global_scale_w)
{
    if (p->scheme.mode == QUANTIZED_AFFINE)
        return base_fail(
            JG_ERR_VALUE,
            "[%s] mode: got \"affine\", allowed are \"mxfp4\", \"mxfp8\" and \"nvfp4\"",
            p->scheme.op);
    JG_TRY(quantization_check_matrix(&p->scheme, "x", p->x));
    JG_TRY(quantization_check_global(&p->scheme, global_scale_x));
    return quantization_check_global(&p->scheme, global_scale_w);
}

/* x is quantised and dequantised at once, as only the rounding shows in the result. */
static jg_status run_both(quantized_product *p, jg_array *global_scale_x, jg_array *global_scale_w,
                          jg_array **out)
{
    compose_scope scope = {0};
    jg_dtype dtype = (jg_dtype)p->x->dtype;
    jg_array *made = NULL;
    JG_TRY(check_both(p, global_scale_x, global_scale_w));
    p->x = quantization_round(&scope, &p->scheme, p->x, global_scale_x);
    if (p->x == NULL)
        return scope_finish(&scope, NULL, out);
    jg_status status =
        p->scales != NULL ? run(p, global_scale_w, &made) : dense_product(p, global_scale_w, &made);
    return scope_finish(&scope, scope_cast(&scope, scope_take(&scope, status, made), dtype), out);
}

jg_status compose_qqmm(jg_array *x, jg_array *w, jg_array *scales, const int64_t *group_size,
                       const int64_t *bits, const char *mode, jg_array *global_scale_x,
                       jg_array *global_scale_w, jg_array **out)
{
    quantized_product p = {
        .op = JG_OP_quantized_matmul, .transpose = true, .x = x, .w = w, .scales = scales};
    JG_TRY(quantization_read(JG_OP_qqmm, mode, group_size, bits, &p.scheme));
    return run_both(&p, global_scale_x, global_scale_w, out);
}

jg_status compose_gather_qqmm(jg_array *x, jg_array *w, jg_array *scales, jg_array *lhs_indices,
                              jg_array *rhs_indices, const int64_t *group_size, const int64_t *bits,
                              const char *mode, jg_array *global_scale_x, jg_array *global_scale_w,
                              bool sorted_indices, jg_array **out)
{
    quantized_product p = {.op = JG_OP_gather_qmm,
                           .transpose = true,
                           .gathered = true,
                           .x = x,
                           .w = w,
                           .scales = scales,
                           .lhs = lhs_indices,
                           .rhs = rhs_indices};
    (void)sorted_indices;
    JG_TRY(quantization_read(JG_OP_gather_qqmm, mode, group_size, bits, &p.scheme));
    return run_both(&p, global_scale_x, global_scale_w, out);
}
