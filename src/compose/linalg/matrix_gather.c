/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products of parts: of matrices that index arrays choose and of segments of the inner axis,
 * which routines read in place; and of blocks that masks keep, which are composed of ops that fuse
 * into one pass over an operand, and one product. */
#include "compose/linalg/matrix_indices.h"

static jg_status check_matrix(jg_op op, const char *name, const jg_array *x)
{
    if (x->ndim >= 2)
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "[%s] %s: got %d axes, allowed are 2 or more", op_name(op), name,
                     x->ndim);
}

static jg_status check_gathered(const jg_array *a, const jg_array *b,
                                const compose_matrix_indices *indices)
{
    JG_TRY(check_matrix(JG_OP_gather_mm, "a", a));
    JG_TRY(check_matrix(JG_OP_gather_mm, "b", b));
    JG_TRY(compose_matrix_indices_check("gather_mm", "lhs_indices", indices->lhs));
    JG_TRY(compose_matrix_indices_check("gather_mm", "rhs_indices", indices->rhs));
    if (a->dims[a->ndim - 1] != b->dims[b->ndim - 2])
        return base_fail(JG_ERR_VALUE,
                         "[gather_mm] b: has %lld rows, allowed are as many as a has columns, %lld",
                         (long long)b->dims[b->ndim - 2], (long long)a->dims[a->ndim - 1]);
    return JG_OK;
}

/* In the dtype of both, which the routine multiplies in. */
static jg_array *gathered_node(compose_scope *scope, jg_array *a, jg_array *b,
                               compose_matrix_indices *indices)
{
    int64_t shape[JG_MAX_NDIM];
    jg_array *made = NULL;
    if (a == NULL || b == NULL)
        return NULL;
    scope_matrix_indices(scope, "gather_mm", a, b, indices);
    if (scope->status != JG_OK)
        return NULL;
    jg_array *const inputs[] = {a, b, indices->lhs, indices->rhs};
    for (int i = 0; i < indices->ndim; ++i)
        shape[i] = indices->batch[i];
    shape[indices->ndim] = a->dims[a->ndim - 2];
    shape[indices->ndim + 1] = b->dims[b->ndim - 1];
    jg_status status = graph_routine(JG_OP_gather_mm, (jg_dtype)a->dtype, indices->ndim + 2, shape,
                                     4, inputs, NULL, &made);
    return scope_take(scope, status, made);
}

/* The matrices of x that the indices choose, counted through the axes before the last two. Without
 * indices, all matrices in order. */
static jg_array *choose_matrices(compose_scope *scope, jg_array *x, jg_array *indices)
{
    const int64_t first = 0, rows = x->dims[x->ndim - 2], columns = x->dims[x->ndim - 1];
    int64_t shape[] = {1, rows, columns};
    for (int i = 0; i < x->ndim - 2; ++i) /* -1 cannot be resolved for empty matrices */
        shape[0] *= x->dims[i];
    jg_array *made = NULL;
    jg_array *stack = scope_shaped(scope, jg_reshape, x, 3, shape);
    if (stack == NULL)
        return NULL;
    jg_status status = jg_take(stack, indices, &first, &made);
    return scope_take(scope, status, made);
}

/* x in the dtype of the products. Half precision is widened for that: of a stack that has more
 * matrices than are chosen, only those. */
static jg_array *widen_stack(compose_scope *scope, jg_array *x, jg_dtype dtype, jg_array **indices)
{
    int64_t count = 1;
    for (int i = 0; i < x->ndim - 2; ++i)
        count *= x->dims[i];
    if (x->dtype == dtype || *indices == NULL || (*indices)->size >= count)
        return scope_cast(scope, x, dtype);
    jg_array *chosen = choose_matrices(scope, x, *indices);
    *indices = NULL;
    return chosen != NULL ? scope_cast(scope, chosen, dtype) : NULL;
}

/* Sums of half precision are float32's and rounded once. */
jg_status compose_gather_mm(jg_array *a, jg_array *b, jg_array *lhs_indices, jg_array *rhs_indices,
                            bool sorted_indices, jg_array **out)
{
    const jg_dtype dtypes[] = {(jg_dtype)a->dtype, (jg_dtype)b->dtype};
    compose_matrix_indices indices = {.lhs = lhs_indices, .rhs = rhs_indices};
    compose_scope scope = {0};
    op_types types;
    (void)sorted_indices; /* seen when it is computed */
    JG_TRY(op_resolve_types(JG_OP_gather_mm, 2, dtypes, &types));
    JG_TRY(check_gathered(a, b, &indices));
    jg_dtype wide = compose_product_dtype(a, b, types.result);
    jg_array *left = widen_stack(&scope, a, wide, &indices.lhs);
    jg_array *right = widen_stack(&scope, b, wide, &indices.rhs);
    jg_array *product = gathered_node(&scope, left, right, &indices);
    return scope_finish(&scope, scope_cast(&scope, product, types.result), out);
}

/* An axis of the mask with each element as often as its block has indices. The last block may be
 * cut off by the extent. */
static jg_array *spread_blocks(compose_scope *scope, jg_array *mask, int axis, int64_t extent,
                               int64_t block)
{
    const jg_number zero = {.kind = JG_KIND_INT}, one = {.kind = JG_KIND_INT, .i64 = 1},
                    stop = {.kind = JG_KIND_INT, .i64 = extent};
    const int64_t at = axis;
    jg_array *made = NULL;
    if (mask == NULL)
        return NULL;
    jg_status status = jg_arange(JG_DTYPE_INT64, zero, stop, one, &made);
    jg_array *indices = scope_take(scope, status, made);
    if (indices == NULL)
        return NULL;
    indices = scope_binary(scope, jg_floor_divide, indices, scope_whole(scope, indices, block));
    if (indices == NULL)
        return NULL;
    status = jg_take(mask, indices, &at, &made);
    return scope_take(scope, status, made);
}

static int64_t blocks_of(int64_t extent, int64_t block)
{
    return ceil_div(extent, block);
}

/* x where the mask of its blocks holds, else 0; times it where that is a number. The blocks of a
 * matrix are as many along an axis as begin in it. */
static jg_array *mask_blocks(compose_scope *scope, jg_array *x, const char *name, jg_array *mask,
                             int64_t block)
{
    int64_t shape[JG_MAX_NDIM];
    if (x == NULL || mask == NULL)
        return x;
    int64_t rows = x->dims[x->ndim - 2], columns = x->dims[x->ndim - 1];
    scope->status = check_matrix(JG_OP_block_masked_mm, name, mask);
    if (scope->status != JG_OK)
        return NULL;
    for (int i = 0; i < mask->ndim - 2; ++i)
        shape[i] = mask->dims[i];
    shape[mask->ndim - 2] = blocks_of(rows, block);
    shape[mask->ndim - 1] = blocks_of(columns, block);
    jg_array *whole = scope_shaped(scope, jg_broadcast_to, mask, mask->ndim, shape);
    whole = spread_blocks(scope, whole, mask->ndim - 2, rows, block);
    whole = spread_blocks(scope, whole, mask->ndim - 1, columns, block);
    if (whole == NULL)
        return NULL;
    if (mask->dtype == JG_DTYPE_BOOL)
        return scope_where(scope, whole, x, scope_whole(scope, x, 0));
    return scope_binary(scope, jg_multiply, x, scope_cast(scope, whole, (jg_dtype)x->dtype));
}

/* The whole product is computed: masks leave out no work. */
jg_status compose_block_masked_mm(jg_array *a, jg_array *b, int64_t block_size, jg_array *mask_out,
                                  jg_array *mask_lhs, jg_array *mask_rhs, jg_array **out)
{
    compose_scope scope = {0};
    JG_TRY(check_matrix(JG_OP_block_masked_mm, "a", a));
    JG_TRY(check_matrix(JG_OP_block_masked_mm, "b", b));
    if (block_size < 1)
        return base_fail(JG_ERR_VALUE,
                         "[block_masked_mm] block_size: got %lld, allowed is 1 or more",
                         (long long)block_size);
    jg_array *left = mask_blocks(&scope, a, "mask_lhs", mask_lhs, block_size);
    jg_array *right = mask_blocks(&scope, b, "mask_rhs", mask_rhs, block_size);
    jg_array *product = scope_binary(&scope, jg_matmul, left, right);
    product = mask_blocks(&scope, product, "mask_out", mask_out, block_size);
    return scope_finish(&scope, product, out);
}

static jg_status check_segments(const jg_array *a, const jg_array *b, const jg_array *segments)
{
    if (a->ndim != 2 || b->ndim != 2)
        return base_fail(JG_ERR_VALUE, "[segmented_mm] %s: got %d axes, allowed are 2",
                         a->ndim != 2 ? "a" : "b", a->ndim != 2 ? a->ndim : b->ndim);
    if (a->dims[1] != b->dims[0])
        return base_fail(
            JG_ERR_VALUE,
            "[segmented_mm] b: has %lld rows, allowed are as many as a has columns, %lld",
            (long long)b->dims[0], (long long)a->dims[1]);
    if (!dtype_is_index((jg_dtype)segments->dtype))
        return base_fail(JG_ERR_TYPE, "[segmented_mm] segments: got %s, allowed are integers",
                         dtype_rows[segments->dtype].name);
    if (segments->ndim < 1 || segments->ndim > JG_MAX_NDIM - 2 ||
        segments->dims[segments->ndim - 1] != 2)
        return base_fail(JG_ERR_VALUE,
                         "[segmented_mm] segments: got %d axes, allowed is (..., 2), pairs of ends",
                         segments->ndim);
    return JG_OK;
}

static jg_array *segmented_node(compose_scope *scope, jg_array *a, jg_array *b, jg_array *segments)
{
    int64_t shape[JG_MAX_NDIM];
    jg_array *made = NULL;
    if (a == NULL || b == NULL || segments == NULL)
        return NULL;
    jg_array *const inputs[] = {a, b, segments};
    int ndim = segments->ndim + 1;
    for (int i = 0; i < ndim - 2; ++i)
        shape[i] = segments->dims[i];
    shape[ndim - 2] = a->dims[0];
    shape[ndim - 1] = b->dims[1];
    jg_status status =
        graph_routine(JG_OP_segmented_mm, (jg_dtype)a->dtype, ndim, shape, 3, inputs, NULL, &made);
    return scope_take(scope, status, made);
}

/* Sums of half precision are float32's and rounded once. */
jg_status compose_segmented_mm(jg_array *a, jg_array *b, jg_array *segments, jg_array **out)
{
    const jg_dtype dtypes[] = {(jg_dtype)a->dtype, (jg_dtype)b->dtype};
    compose_scope scope = {0};
    op_types types;
    JG_TRY(op_resolve_types(JG_OP_segmented_mm, 2, dtypes, &types));
    JG_TRY(check_segments(a, b, segments));
    jg_dtype wide = compose_product_dtype(a, b, types.result);
    jg_array *product =
        segmented_node(&scope, scope_cast(&scope, a, wide), scope_cast(&scope, b, wide),
                       scope_cast(&scope, segments, JG_DTYPE_INT64));
    return scope_finish(&scope, scope_cast(&scope, product, types.result), out);
}
