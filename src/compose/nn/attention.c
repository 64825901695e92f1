/* SPDX-License-Identifier: Apache-2.0 */
/* Scaled dot product attention. One routine does all of it where it can. Elsewhere (on a device, in
 * float64, for a derivative) it is spelled in other ops, block after block: some batches, heads and
 * queries at a time, so that only their scores are in memory, and in the caches of a core. A plan
 * runs its launches in the order of the graph and reuses the memory of one block for the next, so
 * it is enough to repeat the graph of one block.
 *
 * Shapes: q (B, N, L, D), k (B, M, T, D), v (B, M, T, E) with N a multiple of M: each head of k and
 * v serves N / M consecutive heads of q. */
#include "compose/compose.h"

enum {
    SCORES_NBYTES = 2 << 20, /* of a block */
    MAX_ROWS = 256,          /* enough to make the packing of k and v small */
    MIN_ROWS = 16            /* fewer would leave the matrix products without work to share */
};

/* The axes that blocks are cut along, and where they are once heads are split. */
enum { BATCHES, GROUPS, QUERIES, BLOCK_AXES };
static const int64_t block_axes[BLOCK_AXES] = {0, 1, 3};

/* The common data of all blocks. Heads are split into two axes, (B, M, N / M, L, D), if one head of
 * k belongs to several heads of q. Arrays are borrowed from the scope of the op, in float32 or
 * wider, and q is scaled already; The exception is a device that multiplies halves: then q, k and v
 * are halves, and the scores, which are float32, are scaled. */
typedef struct attention {
    jg_array *q, *k, *v;    /* k is (..., D, T) already */
    jg_array *mask, *sinks; /* NULL, or over (B, M, N / M, L, T), and (B, M, N / M, 1, 1) */
    double scale;           /* of scores that halves give, else 1 */
    bool causal, cut;       /* cut: there are several blocks */
    int64_t extents[BLOCK_AXES], span; /* B, M and L; T */
} attention;

/* A part of the work. */
typedef struct attention_block {
    int64_t start[BLOCK_AXES], count[BLOCK_AXES];
} attention_block;

static jg_status fail_shape(const char *name, const jg_array *x, const char *allowed)
{
    char text[200];
    return base_fail(JG_ERR_VALUE, "[scaled_dot_product_attention] %s: got shape %s, allowed is %s",
                     name, text_extents(text, sizeof text, x->ndim, x->dims), allowed);
}

/* The mask is not checked here: broadcasting it fails with its shapes. */
static jg_status check_shapes(const jg_array *q, const jg_array *k, const jg_array *v,
                              const jg_array *sinks)
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
    if (sinks != NULL && (sinks->ndim != 1 || sinks->dims[0] != q->dims[1]))
        return fail_shape("sinks", sinks, "(heads,) with the heads of q");
    return JG_OK;
}

/* Part of x along an axis; x itself if that is all of it. NULL if the scope has failed before. */
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

/* The block's batches and heads of x. */
static jg_array *slice_heads(compose_scope *scope, jg_array *x, const attention_block *block)
{
    jg_array *batches = slice_axis(scope, x, 0, block->start[BATCHES], block->count[BATCHES]);
    return slice_axis(scope, batches, 1, block->start[GROUPS], block->count[GROUPS]);
}

/* Splits the axis of heads in (groups, heads of one group). */
static jg_array *split_heads(compose_scope *scope, jg_array *x, int64_t groups)
{
    if (scope->status != JG_OK)
        return NULL;
    const int64_t shape[] = {x->dims[0], groups, x->dims[1] / groups, x->dims[2], x->dims[3]};
    return scope_shaped(scope, jg_reshape, x, 5, shape);
}

/* Query i of the last L positions of the span sees those up to its own. first: the block's first
 * query; rows: how many; seen: how many keys the block looks at. */
static jg_array *causal_mask(compose_scope *scope, const attention *all, int64_t first,
                             int64_t rows, int64_t seen)
{
    jg_array *made = NULL;
    const jg_number one = {.kind = JG_KIND_INT, .i64 = 1}, zero = {.kind = JG_KIND_INT};
    const jg_number start = {.kind = JG_KIND_INT, .i64 = all->span - all->extents[QUERIES] + first};
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

/* Scores that the mask leaves out become the lowest finite number, as in MLX: where nothing is left
 * the shares are equal, and no NaN gets into what is padded. A mask of numbers is added. */
static jg_array *apply_mask(compose_scope *scope, jg_array *scores, jg_array *mask)
{
    if (scores == NULL || mask == NULL)
        return scores;
    if (mask->dtype != JG_DTYPE_BOOL)
        return scope_binary(scope, jg_add, scores,
                            scope_cast(scope, mask, (jg_dtype)scores->dtype));
    jg_float_limits limits;
    if ((scope->status = jg_dtype_float_limits((jg_dtype)scores->dtype, &limits)) != JG_OK)
        return NULL;
    return scope_where(scope, mask, scores, scope_number(scope, scores, -limits.largest));
}

/* The softmax of rows of scores. With sinks each row has one more score, its head's sink, which
 * gets a weight but has no value: it is left out of the result. */
static jg_array *shares_of(compose_scope *scope, jg_array *scores, jg_array *sinks)
{
    const int64_t last = -1;
    if (scores == NULL || sinks == NULL)
        return scope_shaped(scope, jg_softmax, scores, 1, &last);
    const int64_t *dims = scores->dims, span = dims[4];
    const int64_t column[] = {dims[0], dims[1], dims[2], dims[3], 1};
    jg_array *joined = NULL;
    jg_array *parts[] = {scores, scope_shaped(scope, jg_broadcast_to, sinks, 5, column)};
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_concat(2, parts, &last, &joined);
    joined = scope_take(scope, status, joined);
    return slice_axis(scope, scope_shaped(scope, jg_softmax, joined, 1, &last), 4, 0, span);
}

/* The inputs of a block's result. */
enum { QUERY, KEY, VALUE, REST }; /* then the mask and the sinks, where there are any */
enum { MAX_PARTS = REST + 2 };

typedef struct block_call {
    const attention *all;
    const attention_block *block;
    int64_t seen; /* how many keys the block looks at */
} block_call;

/* A causal block reads only the keys that its last query sees. */
static int64_t count_seen(const attention *all, const attention_block *block)
{
    int64_t past = all->span - all->extents[QUERIES];
    /* With more queries than keys (past < 0) the first ones see nothing, their scores are alike;
     * their blocks are not cut, as their keys would be negative in number. */
    return all->causal && past >= 0 ? past + block->start[QUERIES] + block->count[QUERIES]
                                    : all->span;
}

/* gives: the number of parts, borrowed from the scope and the attention */
static int slice_parts(compose_scope *scope, const block_call *call, jg_array **parts)
{
    const attention *all = call->all;
    const attention_block *block = call->block;
    const int64_t first = block->start[QUERIES], rows = block->count[QUERIES], seen = call->seen;
    int count = REST;
    parts[QUERY] = slice_axis(scope, slice_heads(scope, all->q, block), 3, first, rows);
    parts[KEY] = slice_axis(scope, slice_heads(scope, all->k, block), 4, 0, seen);
    parts[VALUE] = slice_axis(scope, slice_heads(scope, all->v, block), 3, 0, seen);
    if (all->mask != NULL) {
        jg_array *mask = slice_axis(scope, slice_heads(scope, all->mask, block), 3, first, rows);
        parts[count++] = slice_axis(scope, mask, 4, 0, seen);
    }
    if (all->sinks != NULL)
        parts[count++] = slice_heads(scope, all->sinks, block);
    return count;
}

/* The product of queries and keys, in float32 at least: plan makes that of halves of the halves
 * themselves. */
static jg_array *scores_of(compose_scope *scope, const attention *all, jg_array *q, jg_array *k)
{
    jg_dtype wide = compose_wide((jg_dtype)q->dtype);
    jg_array *scores =
        scope_binary(scope, jg_matmul, scope_cast(scope, q, wide), scope_cast(scope, k, wide));
    if (all->scale == 1 || scores == NULL)
        return scores;
    return scope_binary(scope, jg_multiply, scores, scope_number(scope, scores, all->scale));
}

/* A jg_function of the parts. Blocks cut queries, never the span of keys, so the softmax of a
 * block's rows is final. */
static jg_status attend_parts(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                              jg_array **outputs)
{
    const block_call *call = context;
    const attention *all = call->all;
    compose_scope scope = {0};
    jg_array *scores = scores_of(&scope, all, inputs[QUERY], inputs[KEY]);
    (void)noutputs;
    if (all->mask != NULL)
        scores = apply_mask(&scope, scores, inputs[REST]);
    if (all->causal)
        scores = apply_mask(&scope, scores,
                            causal_mask(&scope, all, call->block->start[QUERIES],
                                        call->block->count[QUERIES], call->seen));
    jg_array *shares = shares_of(&scope, scores, all->sinks != NULL ? inputs[ninputs - 1] : NULL);
    shares = scope_cast(&scope, shares, (jg_dtype)inputs[VALUE]->dtype);
    return scope_finish(&scope, scope_binary(&scope, jg_matmul, shares, inputs[VALUE]), outputs);
}

/* The result of a block. */
static jg_status attend(const attention *all, const attention_block *block, jg_array **out)
{
    compose_scope scope = {0};
    block_call call = {all, block, count_seen(all, block)};
    jg_array *parts[MAX_PARTS], *made = NULL;
    int count = slice_parts(&scope, &call, parts);
    if (scope.status == JG_OK) {
        bool again = all->cut && node_any_is_traced(count, parts);
        jg_status status = again ? compose_checkpoint(attend_parts, &call, count, parts, 1, &made)
                                 : attend_parts(&call, count, parts, 1, &made);
        made = scope_take(&scope, status, made);
    }
    return scope_finish(&scope, made, out);
}

/* How much of each axis a block takes: queries first, then heads, then batches, as far as the
 * scores stay within bounds. Whole groups of MIN_ROWS queries; a batch is joined by another only
 * if all of its heads are in the block, so that blocks are boxes. extents: as in attention; group:
 * N / M. gives: whether there are several blocks */
static bool choose_sizes(const int64_t extents[BLOCK_AXES], int64_t group, int64_t span,
                         int64_t sizes[BLOCK_AXES])
{
    int64_t most = SCORES_NBYTES / (int64_t)sizeof(float);
    int64_t row = int64_clamp(group * span, 1, INT32_MAX);
    int64_t rows = int64_clamp(most / row / MIN_ROWS * MIN_ROWS, MIN_ROWS, MAX_ROWS);
    int64_t length = int64_clamp(extents[QUERIES], 1, INT64_MAX);
    sizes[QUERIES] = int64_clamp(rows, 1, length);
    sizes[GROUPS] =
        int64_clamp(most / (row * sizes[QUERIES]), 1, int64_clamp(extents[GROUPS], 1, INT64_MAX));
    bool all_heads = sizes[GROUPS] == extents[GROUPS];
    sizes[BATCHES] = all_heads ? most / (row * sizes[QUERIES] * extents[GROUPS]) : 1;
    sizes[BATCHES] = int64_clamp(sizes[BATCHES], 1, int64_clamp(extents[BATCHES], 1, INT64_MAX));
    return sizes[QUERIES] < extents[QUERIES] || sizes[GROUPS] < extents[GROUPS] ||
           sizes[BATCHES] < extents[BATCHES];
}

static jg_status join(int64_t count, jg_array **parts, int64_t axis, jg_array **out)
{
    if (count > 1)
        return jg_concat((int)count, parts, &axis, out);
    *out = jg_array_retain(parts[0]);
    return JG_OK;
}

/* The results of all blocks that the block is cut into, from the axis `level` on. */
static jg_status attend_from(const attention *all, const int64_t sizes[BLOCK_AXES],
                             attention_block block, int level, jg_array **out)
{
    if (level == BLOCK_AXES)
        return attend(all, &block, out);
    int64_t length = all->extents[level], size = sizes[level];
    int64_t count = length > 0 ? ceil_div(length, size) : 1;
    jg_array **parts = base_alloc_zeroed((size_t)count * sizeof *parts);
    jg_status status = JG_OK;
    if (parts == NULL)
        return base_nomem((size_t)count * sizeof *parts, "an attention");
    for (int64_t i = 0; i < count && status == JG_OK; ++i) {
        block.start[level] = i * size;
        block.count[level] = int64_clamp(length - i * size, 0, size);
        status = attend_from(all, sizes, block, level + 1, &parts[i]);
    }
    if (status == JG_OK)
        status = join(count, parts, block_axes[level], out);
    for (int64_t i = 0; i < count; ++i)
        jg_array_release(parts[i]);
    base_free(parts);
    return status;
}

static jg_status attend_all(attention *all, jg_array **out)
{
    int64_t sizes[BLOCK_AXES];
    all->cut = choose_sizes(all->extents, all->q->dims[2], all->span, sizes);
    return attend_from(all, sizes, (attention_block){0}, BATCHES, out);
}

/* q, k, v and, if there are any, a mask over (B, N, L, T) and sinks over (B, N, 1, 1): bool or
 * numbers, and numbers. */
typedef struct attention_inputs {
    jg_array *q, *k, *v, *mask, *sinks;
} attention_inputs;

/* Whether products are best of halves as they are. */
static bool stays_half(const attention_inputs *inputs, jg_dtype dtype)
{
    const jg_array *const all[] = {inputs->q, inputs->k, inputs->v};
    for (int i = 0; i < REST; ++i)
        if (all[i]->dtype != dtype)
            return false;
    return compose_product_dtype(inputs->q, inputs->k, dtype) != compose_wide(dtype);
}

/* q is scaled instead of the scores, of which there are more, but for halves. The result's heads
 * are merged again, which as all blocks are joined dense takes no copy. */
static jg_status spell(const attention_inputs *inputs, const attention_attributes *attributes,
                       jg_dtype dtype, jg_array **out)
{
    compose_scope scope = {0};
    const jg_array *q = inputs->q, *v = inputs->v;
    jg_dtype wide = compose_wide(dtype);
    bool half = stays_half(inputs, dtype);
    jg_dtype operands = half ? dtype : wide;
    int64_t groups = inputs->k->dims[1];
    const int64_t merged[] = {q->dims[0], q->dims[1], q->dims[2], v->dims[3]};
    attention all = {.causal = attributes->causal,
                     .extents = {q->dims[0], groups, q->dims[2]},
                     .span = inputs->k->dims[2],
                     .scale = half ? attributes->scale : 1};
    jg_array *queries = scope_cast(&scope, inputs->q, operands), *made = NULL;
    if (queries != NULL && !half)
        queries = scope_binary(&scope, jg_multiply, queries,
                               scope_number(&scope, queries, attributes->scale));
    all.q = split_heads(&scope, queries, groups);
    all.k = split_heads(&scope, scope_cast(&scope, inputs->k, operands), groups);
    all.k = scope_unary(&scope, jg_matrix_transpose, all.k);
    all.v = split_heads(&scope, scope_cast(&scope, inputs->v, operands), groups);
    if (inputs->mask != NULL)
        all.mask = split_heads(&scope, inputs->mask, groups);
    if (inputs->sinks != NULL)
        all.sinks = split_heads(&scope, scope_cast(&scope, inputs->sinks, wide), groups);
    if (scope.status == JG_OK) {
        jg_status status = attend_all(&all, &made);
        made = scope_take(&scope, status, made);
    }
    jg_array *joined = scope_shaped(&scope, jg_reshape, made, 4, merged);
    return scope_finish(&scope, scope_cast(&scope, joined, dtype), out);
}

/* The axes before the last three as one. */
static jg_array *merge_batches(compose_scope *scope, jg_array *x)
{
    int64_t shape[4] = {1};
    for (int i = 0; i < x->ndim - 3; ++i)
        shape[0] *= x->dims[i];
    for (int i = 1; i < 4; ++i)
        shape[i] = x->dims[x->ndim - 4 + i];
    return scope_shaped(scope, jg_reshape, x, 4, shape);
}

jg_status compose_spell_attention(const jg_array *node, jg_array *const *inputs, jg_array **out)
{
    compose_scope scope = {0};
    const attention_attributes *attributes = &node_attributes_of(node)->attention;
    attention_inputs merged = {.q = merge_batches(&scope, inputs[QUERY]),
                               .k = merge_batches(&scope, inputs[KEY]),
                               .v = merge_batches(&scope, inputs[VALUE])};
    if (attributes->masked)
        merged.mask = merge_batches(&scope, inputs[REST]);
    if (attributes->sunk)
        merged.sinks = merge_batches(&scope, inputs[REST + attributes->masked]);
    jg_array *made = NULL;
    if (scope.status == JG_OK) {
        jg_status status = spell(&merged, attributes, (jg_dtype)node->dtype, &made);
        made = scope_take(&scope, status, made);
    }
    return scope_finish(&scope, scope_shaped(&scope, jg_reshape, made, node->ndim, node->dims),
                        out);
}

/* Whether the routine accepts the inputs and is faster. The derivatives of an attention that is not
 * cut into blocks read the scores, which the routine does not keep. */
static bool fits_routine(const attention_inputs *inputs)
{
    const jg_array *q = inputs->q, *k = inputs->k;
    jg_array *const all[] = {inputs->q, inputs->k, inputs->v, inputs->mask, inputs->sinks};
    const int64_t extents[BLOCK_AXES] = {q->dims[0], k->dims[1], q->dims[2]};
    int64_t group = q->dims[1] / k->dims[1], sizes[BLOCK_AXES];
    for (int i = 0; i < REST; ++i)
        if (!dtype_is_single_or_half((jg_dtype)all[i]->dtype) || all[i]->size == 0)
            return false;
    bool is_cut = choose_sizes(extents, group, k->dims[2], sizes);
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (all[i] != NULL && (node_device(all[i]) != 0 || (!is_cut && node_is_traced(all[i]))))
            return false;
    return true;
}

static jg_status make_node(const attention_inputs *inputs, const attention_attributes *attributes,
                           jg_dtype dtype, jg_array **out)
{
    const jg_array *q = inputs->q;
    const int64_t shape[] = {q->dims[0], q->dims[1], q->dims[2], inputs->v->dims[3]};
    const primitive_attributes own_attributes = {.attention = *attributes};
    jg_array *operands[MAX_PARTS] = {inputs->q, inputs->k, inputs->v};
    int count = REST;
    if (attributes->masked)
        operands[count++] = inputs->mask;
    if (attributes->sunk)
        operands[count++] = inputs->sinks;
    return graph_routine(JG_OP_scaled_dot_product_attention, dtype, 4, shape, count, operands,
                         &own_attributes, out);
}

static jg_status check_types(const jg_array *q, const jg_array *k, const jg_array *v,
                             op_types *types)
{
    const jg_dtype dtypes[] = {(jg_dtype)q->dtype, (jg_dtype)k->dtype, (jg_dtype)v->dtype};
    return op_resolve_types(JG_OP_scaled_dot_product_attention, 3, dtypes, types);
}

/* Masks that are numbers are cast before they are broadcast. */
static jg_array *whole_mask(compose_scope *scope, const jg_array *q, const jg_array *k,
                            jg_array *mask, jg_dtype wide)
{
    const int64_t shape[] = {q->dims[0], q->dims[1], q->dims[2], k->dims[2]};
    if (mask == NULL)
        return NULL;
    jg_array *scores = mask->dtype == JG_DTYPE_BOOL ? mask : scope_cast(scope, mask, wide);
    return scope_shaped(scope, jg_broadcast_to, scores, 4, shape);
}

static jg_array *whole_sinks(compose_scope *scope, const jg_array *q, jg_array *sinks,
                             jg_dtype wide)
{
    const int64_t column[] = {q->dims[1], 1, 1};
    const int64_t shape[] = {q->dims[0], q->dims[1], 1, 1};
    if (sinks == NULL)
        return NULL;
    jg_array *numbers = scope_shaped(scope, jg_reshape, scope_cast(scope, sinks, wide), 3, column);
    return scope_shaped(scope, jg_broadcast_to, numbers, 4, shape);
}

jg_status compose_scaled_dot_product_attention(jg_array *q, jg_array *k, jg_array *v, double scale,
                                               jg_array *mask, bool causal, jg_array *sinks,
                                               jg_array **out)
{
    compose_scope scope = {0};
    op_types types;
    JG_TRY(check_shapes(q, k, v, sinks));
    JG_TRY(check_types(q, k, v, &types));
    jg_dtype wide = compose_wide(types.result);
    const attention_attributes attributes = {
        .scale = scale, .causal = causal, .masked = mask != NULL, .sunk = sinks != NULL};
    const attention_inputs inputs = {q, k, v, whole_mask(&scope, q, k, mask, wide),
                                     whole_sinks(&scope, q, sinks, wide)};
    jg_array *made = NULL;
    if (scope.status == JG_OK) {
        jg_status status = fits_routine(&inputs)
                               ? make_node(&inputs, &attributes, types.result, &made)
                               : spell(&inputs, &attributes, types.result, &made);
        made = scope_take(&scope, status, made);
    }
    return scope_finish(&scope, made, out);
}
