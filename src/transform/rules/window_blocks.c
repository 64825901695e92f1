/* SPDX-License-Identifier: Apache-2.0 */
/* Cotangents of pooling whose windows lie side by side, so that each element is in one window at
 * most: no sums over windows are needed, and each element is written once.
 *
 * The axes of space are taken apart into windows and taps: batch, then a pair for each of the
 * three, then channels. */
#include "transform/rules/window_blocks.h"
#include <string.h>

enum { BATCH, SPACE, CHANNELS = SPACE + 2 * PRIMITIVE_SPACE_AXES, BLOCKS_NDIM };

/* The chosen tap of a window is kept in a byte; the number of taps means that none was chosen. */
enum { MAX_TAPS = 255 };

typedef struct pool_blocks {
    const pool_attributes *attributes;
    int64_t shape[BLOCKS_NDIM];   /* of the input's part that windows cover */
    int64_t windows[BLOCKS_NDIM]; /* the same with one tap */
    int ntaps;
} pool_blocks;

/* The axis of blocks that has the windows, or with + 1 the taps, of an axis of space. */
static int blocks_axis(int space_axis)
{
    return SPACE + 2 * space_axis;
}

bool window_blocks_fit(const pool_attributes *attributes, const int64_t *shape, const int64_t *out)
{
    int64_t ntaps = 1;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i) {
        int64_t window = attributes->window[i];
        bool apart = attributes->stride[i] == window || out[1 + i] <= 1;
        bool solid = attributes->dilation[i] == 1 || window == 1;
        ntaps *= window;
        if (!apart || !solid || attributes->before[i] != 0 || out[1 + i] * window > shape[1 + i] ||
            ntaps > MAX_TAPS)
            return false;
    }
    return true;
}

static pool_blocks blocks_of(const pool_attributes *attributes, const jg_array *result)
{
    pool_blocks blocks = {.attributes = attributes, .ntaps = 1};
    blocks.shape[BATCH] = result->dims[0];
    blocks.shape[CHANNELS] = result->dims[1 + PRIMITIVE_SPACE_AXES];
    memcpy(blocks.windows, blocks.shape, sizeof blocks.windows);
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i) {
        int axis = blocks_axis(i);
        blocks.shape[axis] = blocks.windows[axis] = result->dims[1 + i];
        blocks.shape[axis + 1] = attributes->window[i];
        blocks.windows[axis + 1] = 1;
        blocks.ntaps *= (int)attributes->window[i];
    }
    return blocks;
}

static jg_array *view(compose_scope *scope, jg_array *x, const jg_layout *layout)
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = node_view(x, layout, &made);
    return scope_take(scope, status, made);
}

/* The input without the part after the last window, reshaped so that windows have axes. */
static jg_array *take_apart(compose_scope *scope, const pool_blocks *blocks, jg_array *x)
{
    jg_layout layout;
    node_layout(x, &layout);
    for (int i = 0; i < PRIMITIVE_SPACE_AXES && scope->status == JG_OK; ++i) {
        int axis = blocks_axis(i);
        int64_t count = blocks->shape[axis] * blocks->shape[axis + 1];
        scope->status = layout_slice(&layout, 1 + i, 0, count, 1, true, &layout);
    }
    jg_array *covered = view(scope, x, &layout);
    return scope_shaped(scope, jg_reshape, covered, BLOCKS_NDIM, blocks->shape);
}

/* The tap with that number of all windows; taps are numbered row-major. */
static jg_array *read_tap(compose_scope *scope, jg_array *apart, int tap)
{
    jg_layout layout;
    if (scope->status != JG_OK)
        return NULL;
    node_layout(apart, &layout);
    for (int i = PRIMITIVE_SPACE_AXES; i-- > 0 && scope->status == JG_OK;) {
        int axis = blocks_axis(i) + 1;
        int window = (int)layout.shape[axis];
        scope->status = layout_slice(&layout, axis, tap % window, 1, 1, true, &layout);
        tap /= window;
    }
    return view(scope, apart, &layout);
}

/* Sets chosen to the tap's number where the tap is the largest of its window. chosen: +1,
 * replaced */
static jg_status choose(jg_array *apart, jg_array *largest, int tap, jg_array **chosen)
{
    compose_scope scope = {0};
    jg_array *had = *chosen;
    jg_array *is = scope_binary(&scope, jg_equal, read_tap(&scope, apart, tap), largest);
    jg_array *number = scope_whole(&scope, had, tap);
    jg_array *made = scope.status == JG_OK ? scope_where(&scope, is, number, had) : NULL;
    JG_TRY(scope_finish(&scope, made, chosen));
    jg_array_release(had);
    return JG_OK;
}

/* The number of each window's first tap that is the largest; that of none where NaN is in it. Taps
 * are tested from last to first, so that the first largest one is kept. */
static jg_array *choose_first(compose_scope *scope, const pool_blocks *blocks, jg_array *x,
                              jg_array *largest)
{
    const jg_number none = {.kind = JG_KIND_INT, .i64 = blocks->ntaps};
    jg_array *chosen = NULL;
    if (scope->status == JG_OK)
        scope->status = jg_full(JG_DTYPE_UINT8, 0, NULL, none, &chosen);
    for (int tap = blocks->ntaps; tap-- > 0 && scope->status == JG_OK;)
        scope->status = choose(x, largest, tap, &chosen);
    if (scope->status == JG_OK)
        return scope_take(scope, JG_OK, chosen);
    jg_array_release(chosen);
    return NULL;
}

/* The taps' numbers, along their axes. */
static jg_array *number_taps(compose_scope *scope, const pool_blocks *blocks)
{
    const jg_number first = {.kind = JG_KIND_INT}, one = {.kind = JG_KIND_INT, .i64 = 1},
                    end = {.kind = JG_KIND_INT, .i64 = blocks->ntaps};
    int64_t shape[BLOCKS_NDIM] = {1, 1, 1, 1, 1, 1, 1, 1};
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        shape[blocks_axis(i) + 1] = blocks->attributes->window[i];
    jg_status status = jg_arange(JG_DTYPE_UINT8, first, end, one, &made);
    return scope_shaped(scope, jg_reshape, scope_take(scope, status, made), BLOCKS_NDIM, shape);
}

/* The cotangent at the chosen taps, and zero at the others. */
static jg_array *share_of_max(compose_scope *scope, const pool_blocks *blocks, jg_array *x,
                              jg_array *largest, jg_array *g)
{
    jg_array *apart = take_apart(scope, blocks, x);
    jg_array *chosen = choose_first(scope, blocks, apart, largest);
    jg_array *is = scope_binary(scope, jg_equal, chosen, number_taps(scope, blocks));
    return scope->status == JG_OK ? scope_where(scope, is, g, scope_number(scope, g, 0)) : NULL;
}

static jg_array *share_of_mean(compose_scope *scope, const pool_blocks *blocks, jg_array *g)
{
    int64_t divisor =
        blocks->attributes->divisor != 0 ? blocks->attributes->divisor : blocks->ntaps;
    if (scope->status != JG_OK)
        return NULL;
    jg_array *each = scope_binary(scope, jg_divide, g, scope_number(scope, g, (double)divisor));
    return scope_shaped(scope, jg_broadcast_to, each, BLOCKS_NDIM, blocks->shape);
}

/* The input's own axes, with zeros behind the last window. */
static jg_array *put_together(compose_scope *scope, const pool_blocks *blocks, jg_array *share,
                              const jg_array *x)
{
    static const int64_t before[PRIMITIVE_SPACE_AXES + 2];
    int64_t shape[PRIMITIVE_SPACE_AXES + 2];
    jg_array *made = NULL;
    memcpy(shape, node_shape(x), sizeof shape);
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i) {
        int axis = blocks_axis(i);
        shape[1 + i] = blocks->shape[axis] * blocks->shape[axis + 1];
    }
    share = scope_shaped(scope, jg_reshape, share, x->ndim, shape);
    if (scope->status != JG_OK || memcmp(shape, node_shape(x), sizeof shape) == 0)
        return share;
    jg_status status =
        compose_extend(JG_OP_pad, share, NULL, EXTEND_CONSTANT, before, node_shape(x), &made);
    return scope_take(scope, status, made);
}

jg_array *window_blocks_share(compose_scope *scope, const pool_attributes *attributes, jg_array *x,
                              jg_array *result, jg_array *g)
{
    if (scope->status != JG_OK)
        return NULL;
    pool_blocks blocks = blocks_of(attributes, result);
    g = scope_shaped(scope, jg_reshape, g, BLOCKS_NDIM, blocks.windows);
    if (attributes->mean)
        return put_together(scope, &blocks, share_of_mean(scope, &blocks, g), x);
    result = scope_shaped(scope, jg_reshape, result, BLOCKS_NDIM, blocks.windows);
    return put_together(scope, &blocks, share_of_max(scope, &blocks, x, result, g), x);
}
