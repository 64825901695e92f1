/* SPDX-License-Identifier: Apache-2.0 */
/* Scaled dot product attention, a block of queries after the other: the scores of one block are in
 * memory at a time, never all of them. A plan runs its launches in the order of the graph and gives
 * what is used up to the next block, so the graph of one block repeated is all it takes.
 *
 * Shapes: q (B, N, L, D), k (B, M, T, D), v (B, M, T, E) with N a multiple of M: each head of k and
 * v serves N / M heads of q, which stand beside one another. */
#include "compose/compose.h"
#include <math.h>

enum {
    SCORES_NBYTES = 4 << 20, /* of a block: what the caches of a core hold */
    LEAST_ROWS = 16          /* fewer would leave the matrix products without work to share */
};

/* What all blocks have in common. Heads are split in two axes, (B, M, N / M, L, D), where that
 * lets one head of k meet several of q. */
typedef struct attention {
    jg_array *q, *k, *v, *mask; /* mask may be NULL; k is (..., D, T) already */
    bool causal;
    int64_t length, span; /* L and T */
} attention;

static jg_status fail_shape(const char *name, const jg_array *x, const char *allowed)
{
    char text[200];
    return jg_fail(JG_ERR_VALUE, "[scaled_dot_product_attention] %s: got shape %s, allowed is %s",
                   name, text_extents(text, sizeof text, x->ndim, x->dims), allowed);
}

static jg_status check_shapes(const jg_array *q, const jg_array *k, const jg_array *v)
{
    if (q->ndim != 4)
        return fail_shape("q", q, "(batch, heads, length, depth)");
    if (k->ndim != 4 || k->dims[0] != q->dims[0] || k->dims[3] != q->dims[3])
        return fail_shape("k", k, "(batch, heads, span, depth) with the batch and depth of q");
    if (k->dims[1] == 0 || q->dims[1] % k->dims[1] != 0)
        return fail_shape("k", k, "a number of heads that divides that of q");
    if (v->ndim != 4 || v->dims[0] != k->dims[0] || v->dims[1] != k->dims[1] ||
        v->dims[2] != k->dims[2])
        return fail_shape("v", v, "(batch, heads, span, any) with the first three of k");
    return JG_OK;
}

static jg_array *slice_axis(compose_scope *scope, jg_array *x, int axis, int64_t start,
                            int64_t count)
{
    jg_array *made = NULL;
    jg_layout from, to;
    if (scope->status != JG_OK || (start == 0 && count == x->dims[axis]))
        return x;
    node_layout(x, &from);
    scope->status = layout_slice(&from, axis, start, count, 1, true, &to);
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = compose_view(x, &to, &made);
    return scope_take(scope, status, made);
}

/* Splits the axis of heads in (groups, heads of one group). */
static jg_array *split_heads(compose_scope *scope, jg_array *x, int64_t groups)
{
    if (scope->status != JG_OK)
        return NULL;
    const int64_t shape[] = {x->dims[0], groups, x->dims[1] / groups, x->dims[2], x->dims[3]};
    return scope_shaped(scope, jg_reshape, x, 5, shape);
}

/* The mask over (B, N, L, T), in the axes that q has been split to. */
static jg_array *split_mask(compose_scope *scope, const jg_array *q, const attention *all,
                            jg_array *mask, int64_t groups)
{
    if (mask == NULL)
        return NULL;
    const int64_t shape[] = {q->dims[0], q->dims[1], all->length, all->span};
    jg_array *whole = scope_shaped(scope, jg_broadcast_to, mask, 4, shape);
    return split_heads(scope, whole, groups);
}

/* Query i of the last L positions of the span sees those up to its own. */
static jg_array *causal_mask(compose_scope *scope, const attention *all, int64_t first,
                             int64_t rows, int64_t seen)
{
    jg_array *made = NULL;
    const jg_number one = {.kind = JG_KIND_INT, .i64 = 1}, zero = {.kind = JG_KIND_INT};
    const jg_number start = {.kind = JG_KIND_INT, .i64 = all->span - all->length + first};
    const jg_number stop = {.kind = JG_KIND_INT, .i64 = start.i64 + rows};
    const jg_number end = {.kind = JG_KIND_INT, .i64 = seen};
    const int64_t column[] = {-1, 1};
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_arange(JG_DTYPE_INT32, start, stop, one, &made);
    jg_array *own = scope_shaped(scope, jg_reshape, scope_take(scope, status, made), 2, column);
    if (scope->status != JG_OK)
        return NULL;
    status = jg_arange(JG_DTYPE_INT32, zero, end, one, &made);
    return scope_binary(scope, jg_greater_equal, own, scope_take(scope, status, made));
}

/* Scores that the mask leaves out become -inf; a mask of numbers is added. */
static jg_array *apply_mask(compose_scope *scope, jg_array *scores, jg_array *mask)
{
    if (scores == NULL || mask == NULL)
        return scores;
    if (mask->dtype != JG_DTYPE_BOOL)
        return scope_binary(scope, jg_add, scores,
                            scope_cast(scope, mask, (jg_dtype)scores->dtype));
    return scope_where(scope, mask, scores, scope_number(scope, scores, -(double)INFINITY));
}

/* The result for queries first to first + rows - 1. A causal block looks no further than its last
 * query does. */
static jg_status attend(const attention *all, int64_t first, int64_t rows, jg_array **out)
{
    const int64_t last = -1;
    compose_scope scope = {0};
    int64_t past = all->span - all->length, seen = all->span;
    if (all->causal && past >= 0)
        seen = past + first + rows;
    int inner = all->q->ndim - 2;
    jg_array *q = slice_axis(&scope, all->q, inner, first, rows);
    jg_array *k = slice_axis(&scope, all->k, inner + 1, 0, seen);
    jg_array *v = slice_axis(&scope, all->v, inner, 0, seen);
    jg_array *scores = scope_binary(&scope, jg_matmul, q, k);
    if (all->mask != NULL) {
        jg_array *mask = slice_axis(&scope, all->mask, inner, first, rows);
        scores = apply_mask(&scope, scores, slice_axis(&scope, mask, inner + 1, 0, seen));
    }
    if (all->causal)
        scores = apply_mask(&scope, scores, causal_mask(&scope, all, first, rows, seen));
    jg_array *shares = scope_shaped(&scope, jg_softmax, scores, 1, &last);
    return scope_finish(&scope, scope_binary(&scope, jg_matmul, shares, v), out);
}

/* As many queries as keep a block's scores within bounds. */
static int64_t rows_of_block(const attention *all)
{
    int64_t heads = 1;
    for (int i = 0; i < all->q->ndim - 2; ++i)
        heads *= all->q->dims[i];
    int64_t row = heads * all->span * (int64_t)sizeof(float);
    int64_t rows = row > 0 ? SCORES_NBYTES / row / LEAST_ROWS * LEAST_ROWS : all->length;
    return rows < LEAST_ROWS ? LEAST_ROWS : rows;
}

static jg_status attend_all(const attention *all, jg_array **out)
{
    int64_t rows = rows_of_block(all), axis = all->q->ndim - 2;
    int64_t count = all->length > 0 ? (all->length + rows - 1) / rows : 1;
    jg_array **blocks = base_alloc_zeroed((size_t)count * sizeof *blocks);
    jg_status status = JG_OK;
    if (blocks == NULL)
        return base_nomem((size_t)count * sizeof *blocks, "an attention");
    for (int64_t i = 0; i < count && status == JG_OK; ++i) {
        int64_t first = i * rows, rest = all->length - first;
        status = attend(all, first, rest < rows ? rest : rows, &blocks[i]);
    }
    if (status == JG_OK)
        status = jg_concat((int)count, blocks, &axis, out);
    for (int64_t i = 0; i < count; ++i)
        jg_array_release(blocks[i]);
    base_free(blocks);
    return status;
}

static jg_status check_types(const jg_array *q, const jg_array *k, const jg_array *v,
                             op_types *types)
{
    const jg_dtype dtypes[] = {(jg_dtype)q->dtype, (jg_dtype)k->dtype, (jg_dtype)v->dtype};
    return op_resolve_types(JG_OP_scaled_dot_product_attention, 3, dtypes, types);
}

jg_status jg_scaled_dot_product_attention(jg_array *q, jg_array *k, jg_array *v, double scale,
                                          jg_array *mask, bool causal, jg_array **out)
{
    compose_scope scope = {0};
    op_types types;
    JG_TRY(check_shapes(q, k, v));
    JG_TRY(check_types(q, k, v, &types));
    jg_dtype wide = compose_wide(types.result);
    int64_t groups = k->dims[1];
    const int64_t merged[] = {q->dims[0], q->dims[1], q->dims[2], v->dims[3]};
    attention all = {.causal = causal, .length = q->dims[2], .span = k->dims[2]};
    jg_array *queries = scope_cast(&scope, q, wide);
    if (queries != NULL)
        queries = scope_binary(&scope, jg_multiply, queries, scope_number(&scope, queries, scale));
    all.q = split_heads(&scope, queries, groups);
    all.k = split_heads(&scope, scope_cast(&scope, k, wide), groups);
    all.k = scope_unary(&scope, jg_matrix_transpose, all.k);
    all.v = split_heads(&scope, scope_cast(&scope, v, wide), groups);
    all.mask = split_mask(&scope, q, &all, mask, groups);
    jg_array *made = NULL;
    if (scope.status == JG_OK) {
        jg_status status = attend_all(&all, &made);
        made = scope_take(&scope, status, made);
    }
    jg_array *joined = scope_shaped(&scope, jg_reshape, made, 4, merged);
    return scope_finish(&scope, scope_cast(&scope, joined, types.result), out);
}
