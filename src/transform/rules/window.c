/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution and pooling. The operands have the axes batch, three of space, channels; the result
 * those of the space that there is, with channels first or last. */
#include "transform/rules/window_blocks.h"
#include "transform/rules/window_taps.h"
#include <string.h>

static jg_array *permute(compose_scope *scope, jg_array *x, int ndim, const int64_t *axes)
{
    return scope_shaped(scope, jg_permute_dims, x, ndim, axes);
}

/* x, of the result's axes, with those of the operands. */
static jg_array *to_operand_axes(compose_scope *scope, jg_array *x, bool channels_first)
{
    int64_t axes[WINDOW_NDIM], shape[WINDOW_NDIM] = {1, 1, 1, 1, 1};
    int rank = x->ndim - 2;
    for (int i = 0; i < x->ndim; ++i)
        axes[i] = channels_first && i > 0 ? (i < x->ndim - 1 ? i + 1 : 1) : i;
    jg_array *last = permute(scope, x, x->ndim, axes);
    if (last == NULL)
        return NULL;
    shape[WINDOW_BATCH] = last->dims[0];
    shape[WINDOW_CHANNELS] = last->dims[rank + 1];
    for (int i = 0; i < rank; ++i)
        shape[WINDOW_CHANNELS - rank + i] = last->dims[1 + i];
    return scope_shaped(scope, jg_reshape, last, WINDOW_NDIM, shape);
}

/* And back. */
static jg_array *to_result_axes(compose_scope *scope, jg_array *x, const jg_array *like,
                                bool channels_first)
{
    int64_t axes[WINDOW_NDIM], shape[WINDOW_NDIM];
    int rank = like->ndim - 2;
    if (x == NULL)
        return NULL;
    shape[0] = x->dims[WINDOW_BATCH];
    shape[rank + 1] = x->dims[WINDOW_CHANNELS];
    for (int i = 0; i < rank; ++i)
        shape[1 + i] = x->dims[WINDOW_CHANNELS - rank + i];
    jg_array *last = scope_shaped(scope, jg_reshape, x, like->ndim, shape);
    for (int i = 0; i < like->ndim; ++i)
        axes[i] = channels_first && i > 0 ? (i == 1 ? rank + 1 : i - 1) : i;
    return permute(scope, last, like->ndim, axes);
}

enum { X, W };

static jg_array *convolve(compose_scope *scope, jg_array *x, jg_array *w,
                          const convolve_attributes *attributes, const int64_t *shape)
{
    const primitive_attributes own_attributes = {.convolve = *attributes};
    jg_array *made = NULL, *const inputs[] = {x, w};
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = graph_routine(JG_OP_conv_general, (jg_dtype)x->dtype, WINDOW_NDIM, shape, 2,
                                     inputs, &own_attributes, &made);
    return scope_take(scope, status, made);
}

/* An axis (groups * each) as two, and they and the others in the order given; then the axes number
 * `first` and the one behind it as one. */
static jg_array *regroup(compose_scope *scope, jg_array *x, int axis, int64_t groups,
                         const int64_t *order, int first)
{
    int64_t shape[WINDOW_NDIM + 1];
    if (x == NULL)
        return NULL;
    for (int i = 0, to = 0; i < WINDOW_NDIM; ++i) {
        if (i == axis)
            shape[to++] = groups;
        shape[to++] = i == axis ? x->dims[i] / groups : x->dims[i];
    }
    jg_array *apart = scope_shaped(scope, jg_reshape, x, WINDOW_NDIM + 1, shape);
    jg_array *ordered = permute(scope, apart, WINDOW_NDIM + 1, order);
    if (ordered == NULL)
        return NULL;
    for (int i = 0, to = 0; i <= WINDOW_NDIM; ++i) {
        if (i == first + 1)
            shape[to - 1] *= ordered->dims[i];
        else
            shape[to++] = ordered->dims[i];
    }
    return scope_shaped(scope, jg_reshape, ordered, WINDOW_NDIM, shape);
}

/* A result at o has the tap k at position o * stride + k * dilation - before of the spread input.
 * So the element s of the input is at s * spread + before - k * dilation of the spread cotangent: a
 * convolution with the taps in reverse, in which stride and spread are exchanged. */
static jg_array *input_share(compose_scope *scope, const jg_array *node, jg_array *g)
{
    static const int64_t order[] = {0, 5, 2, 3, 4, 1}; /* groups, inner, space, results */
    const convolve_attributes *attributes = &node_attributes_of(node)->convolve;
    const jg_array *x = node->inputs[X];
    convolve_attributes back = {.groups = attributes->groups, .flip = !attributes->flip};
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i) {
        int64_t reach = (node->inputs[W]->dims[WINDOW_SPACE + i] - 1) * attributes->dilation[i];
        back.stride[i] = attributes->spread[i];
        back.spread[i] = attributes->stride[i];
        back.dilation[i] = attributes->dilation[i];
        back.before[i] = reach - attributes->before[i];
    }
    jg_array *w = regroup(scope, node->inputs[W], 0, attributes->groups, order, 0);
    return convolve(scope, g, w, &back, node_shape(x));
}

/* For the tap k the results act as the taps: stride and dilation are exchanged, and the sum is over
 * the batch. */
static jg_array *weight_share(compose_scope *scope, const jg_array *node, jg_array *g)
{
    static const int64_t inner_first[] = {5, 1, 2, 3, 4, 0}; /* inner, space, groups, batch */
    static const int64_t swapped[] = {4, 1, 2, 3, 0};
    const convolve_attributes *attributes = &node_attributes_of(node)->convolve;
    const jg_array *w = node->inputs[W];
    convolve_attributes back = {.groups = attributes->groups};
    int64_t shape[WINDOW_NDIM];
    if (g != NULL && window_taps_fit(attributes, node->inputs[X], w, g))
        return window_taps_share(scope, attributes, node->inputs[X], w, g);
    memcpy(back.stride, attributes->dilation, sizeof back.stride);
    memcpy(back.dilation, attributes->stride, sizeof back.dilation);
    memcpy(back.spread, attributes->spread, sizeof back.spread);
    memcpy(back.before, attributes->before, sizeof back.before);
    jg_array *x =
        regroup(scope, node->inputs[X], WINDOW_CHANNELS, attributes->groups, inner_first, 4);
    jg_array *taps = permute(scope, g, WINDOW_NDIM, swapped);
    for (int i = 0; i < WINDOW_NDIM; ++i)
        shape[i] = w->dims[i];
    shape[WINDOW_BATCH] = w->dims[WINDOW_CHANNELS];
    shape[WINDOW_CHANNELS] = w->dims[WINDOW_BATCH];
    jg_array *made = convolve(scope, x, taps, &back, shape);
    made = permute(scope, made, WINDOW_NDIM, swapped);
    if (!attributes->flip || scope->status != JG_OK)
        return made;
    const int64_t axes[] = {WINDOW_SPACE, WINDOW_SPACE + 1, WINDOW_SPACE + 2};
    jg_array *turned = NULL;
    jg_status status = jg_flip(made, 3, axes, &turned);
    return scope_take(scope, status, turned);
}

static jg_array *conjugate(compose_scope *scope, jg_array *x)
{
    if (x == NULL || !dtype_is_complex((jg_dtype)x->dtype))
        return x;
    return scope_unary(scope, jg_conj, x);
}

/* The shares are bilinear too, so of complex numbers they are conj(share of conj g). */
jg_status cotangent_convolve(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    bool first = node_attributes_of(node)->convolve.channels_first;
    jg_array *g = to_operand_axes(&scope, conjugate(&scope, cotangent), first);
    for (int i = X; i <= W; ++i) {
        if (!reverse_wants(pass, i) || scope.status != JG_OK)
            continue;
        jg_array *share = i == X ? input_share(&scope, node, g) : weight_share(&scope, node, g);
        share = conjugate(&scope, share);
        if (scope.status == JG_OK)
            scope.status = reverse_give(pass, i, share);
    }
    return scope_close(&scope);
}

/* pooling: tap by tap */

/* The input with padding on all sides, so that all taps of all windows lie in it. */
typedef struct pool_frame {
    const pool_attributes *attributes;
    int64_t low[WINDOW_NDIM], shape[WINDOW_NDIM]; /* of the padded input */
    int64_t out[WINDOW_NDIM];                     /* extents of the results, on operand axes */
} pool_frame;

static pool_frame frame_of(const jg_array *node, const jg_array *result)
{
    const jg_array *x = node->inputs[0];
    pool_frame frame = {.attributes = &node_attributes_of(node)->pool};
    for (int i = 0; i < WINDOW_NDIM; ++i) {
        frame.shape[i] = x->dims[i];
        frame.out[i] = result->dims[i];
    }
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i) {
        int64_t reach =
            window_taps_reach(frame.out[WINDOW_SPACE + i], frame.attributes->stride[i],
                              frame.attributes->window[i], frame.attributes->dilation[i]);
        int64_t extent = x->dims[WINDOW_SPACE + i] + frame.attributes->before[i];
        frame.low[WINDOW_SPACE + i] = frame.attributes->before[i];
        frame.shape[WINDOW_SPACE + i] = int64_max(reach, extent);
    }
    return frame;
}

static int count_taps(const pool_frame *frame)
{
    int64_t count = 1;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        count *= frame->attributes->window[i];
    return (int)count;
}

/* The layout of that tap for all results, in a row-major padded input. */
static void tap_layout(const pool_frame *frame, int tap, jg_layout *out)
{
    int64_t strides[WINDOW_NDIM];
    layout_row_major(WINDOW_NDIM, frame->shape, strides);
    *out = (jg_layout){.ndim = WINDOW_NDIM, .size = 1};
    for (int i = WINDOW_NDIM; i-- > 0;) {
        out->shape[i] = frame->out[i];
        out->strides[i] = strides[i];
        out->size *= out->shape[i];
        if (i < WINDOW_SPACE || i >= WINDOW_CHANNELS)
            continue;
        int64_t window = frame->attributes->window[i - WINDOW_SPACE], k = tap % window;
        tap = (int)(tap / window);
        out->offset += k * frame->attributes->dilation[i - WINDOW_SPACE] * strides[i];
        out->strides[i] *= frame->attributes->stride[i - WINDOW_SPACE];
    }
}

static jg_array *read_tap(compose_scope *scope, const pool_frame *frame, jg_array *padded, int tap)
{
    jg_layout layout;
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    tap_layout(frame, tap, &layout);
    layout.offset += padded->offset;
    jg_status status = node_view(padded, &layout, &made);
    return scope_take(scope, status, made);
}

static jg_array *pad(compose_scope *scope, const pool_frame *frame, jg_array *x, double fill)
{
    jg_array *value = scope_number(scope, x, fill), *made = NULL, *dense = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status =
        compose_extend(JG_OP_pad, x, value, EXTEND_CONSTANT, frame->low, frame->shape, &made);
    if ((made = scope_take(scope, status, made)) == NULL)
        return NULL;
    status = graph_contiguous(made, &dense);
    return scope_take(scope, status, dense);
}

/* Runs at each tap. Each has a scope of its own, as there may be many; sums over taps are handed
 * on. state: +1 each, may be NULL at first */
typedef struct tap_sums {
    jg_array *sum;   /* what is added up */
    jg_array *taken; /* of max: where an earlier tap was the largest */
} tap_sums;

static jg_status keep(compose_scope *scope, jg_array *sum, jg_array *taken, tap_sums *sums)
{
    jg_array *had_sum = sums->sum, *had_taken = sums->taken;
    if (scope->status == JG_OK) {
        sums->sum = sum ? jg_array_retain(sum) : NULL;
        sums->taken = taken ? jg_array_retain(taken) : NULL;
        jg_array_release(had_sum);
        jg_array_release(had_taken);
    }
    return scope_close(scope);
}

/* 1 where the tap is the first of the window's taps that equal the largest, otherwise 0. */
static jg_array *is_picked(compose_scope *scope, const pool_frame *frame, jg_array *padded,
                           jg_array *result, int tap, jg_array **taken)
{
    jg_array *is = scope_binary(scope, jg_equal, read_tap(scope, frame, padded, tap), result);
    jg_array *had = *taken;
    *taken = had == NULL ? is : scope_binary(scope, jg_logical_or, had, is);
    if (had != NULL)
        is = scope_binary(scope, jg_logical_and, is, scope_unary(scope, jg_logical_not, had));
    return scope->status == JG_OK ? scope_cast(scope, is, (jg_dtype)result->dtype) : NULL;
}

/* The reciprocal of each mean's divisor, from the mean of ones, which is the count of elements in
 * the window over that divisor. */
static jg_array *inverse_divisors(compose_scope *scope, const jg_array *node,
                                  const pool_frame *frame)
{
    const jg_array *x = node->inputs[0];
    int64_t shape[WINDOW_NDIM];
    memcpy(shape, node_shape(x), sizeof shape);
    shape[WINDOW_BATCH] = shape[WINDOW_CHANNELS] = 1;
    pool_frame small = *frame;
    small.shape[WINDOW_BATCH] = small.shape[WINDOW_CHANNELS] = small.out[WINDOW_BATCH] =
        small.out[WINDOW_CHANNELS] = 1;
    jg_array *ones =
        scope_shaped(scope, jg_broadcast_to, scope_number(scope, x, 1), WINDOW_NDIM, shape);
    jg_array *padded = pad(scope, &small, ones, 0), *means = NULL;
    if (scope->status != JG_OK)
        return NULL;
    pool_attributes attributes = *frame->attributes;
    attributes.channels_first = false;
    const primitive_attributes own_attributes = {.pool = attributes};
    jg_status status = graph_routine((jg_op)node->label, (jg_dtype)x->dtype, WINDOW_NDIM, small.out,
                                     1, &ones, &own_attributes, &means);
    means = scope_take(scope, status, means);
    tap_sums sums = {0};
    for (int tap = 0; tap < count_taps(frame) && scope->status == JG_OK; ++tap) {
        compose_scope inner = {0};
        jg_array *read = read_tap(&inner, &small, padded, tap);
        jg_array *sum = sums.sum ? scope_binary(&inner, jg_add, sums.sum, read) : read;
        scope->status = keep(&inner, sum, NULL, &sums);
    }
    jg_array *count = scope_take(scope, scope->status, sums.sum);
    jg_array *none = scope_binary(scope, jg_equal, count, scope_number(scope, x, 0));
    jg_array *safe = scope_where(scope, none, scope_number(scope, x, 1), count);
    return scope_binary(scope, jg_divide, means, safe);
}

static double lowest(void)
{
    return -__builtin_inf();
}

jg_status tangent_pool(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    const pool_attributes *attributes = &node_attributes_of(node)->pool;
    compose_scope scope = {0};
    tap_sums sums = {0};
    if (attributes->mean)
        return tangent_linear(node, tangents, out);
    jg_array *result = to_operand_axes(&scope, node, attributes->channels_first);
    if (scope.status != JG_OK)
        return scope_close(&scope);
    pool_frame frame = frame_of(node, result);
    jg_array *x = pad(&scope, &frame, node->inputs[0], lowest());
    jg_array *t = pad(&scope, &frame, tangents[0], 0);
    for (int tap = 0; tap < count_taps(&frame) && scope.status == JG_OK; ++tap) {
        compose_scope inner = {0};
        jg_array *taken = sums.taken;
        jg_array *is = is_picked(&inner, &frame, x, result, tap, &taken);
        jg_array *share = scope_binary(&inner, jg_multiply, is, read_tap(&inner, &frame, t, tap));
        jg_array *sum = sums.sum ? scope_binary(&inner, jg_add, sums.sum, share) : share;
        scope.status = keep(&inner, sum, taken, &sums);
    }
    jg_array *made = to_result_axes(&scope, sums.sum, node, attributes->channels_first);
    jg_status status = scope_finish(&scope, made, out);
    jg_array_release(sums.sum);
    jg_array_release(sums.taken);
    return status;
}

/* sums->sum: a padded input that shares are added to. */
static jg_status add_tap(const pool_frame *frame, jg_array *x, jg_array *result, jg_array *g,
                         int tap, tap_sums *sums)
{
    compose_scope scope = {0};
    jg_layout layout;
    jg_array *taken = sums->taken, *share = g, *added = NULL;
    if (!frame->attributes->mean) {
        jg_array *is = is_picked(&scope, frame, x, result, tap, &taken);
        share = scope_binary(&scope, jg_multiply, is, g);
    }
    if (scope.status == JG_OK) {
        tap_layout(frame, tap, &layout);
        jg_status status =
            compose_scatter_layout(sums->sum, &layout, share, JG_SCATTER_ADD, &added);
        added = scope_take(&scope, status, added);
    }
    return keep(&scope, added, taken, sums);
}

/* The part of the padded sums that the input itself is in. */
static jg_array *crop(compose_scope *scope, const pool_frame *frame, jg_array *x,
                      const jg_array *like)
{
    jg_layout layout;
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    node_layout(x, &layout);
    for (int i = WINDOW_SPACE; i < WINDOW_CHANNELS && scope->status == JG_OK; ++i) {
        jg_layout from = layout;
        scope->status = layout_slice(&from, i, frame->low[i], like->dims[i], 1, true, &layout);
    }
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = node_view(x, &layout, &made);
    return scope_take(scope, status, made);
}

static jg_array *padded_zeros(compose_scope *scope, const pool_frame *frame, jg_dtype dtype)
{
    const jg_number zero = {.kind = JG_KIND_INT};
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_full(dtype, WINDOW_NDIM, frame->shape, zero, &made);
    return scope_take(scope, status, made);
}

/* The general case: adds tap by tap into sums over windows. */
static jg_array *pool_share(compose_scope *scope, const jg_array *node, jg_array *result,
                            jg_array *g)
{
    tap_sums sums = {0};
    jg_array *x = NULL;
    if (scope->status != JG_OK)
        return NULL;
    pool_frame frame = frame_of(node, result);
    if (frame.attributes->mean)
        g = scope_binary(scope, jg_multiply, g, inverse_divisors(scope, node, &frame));
    else
        x = pad(scope, &frame, node->inputs[0], lowest());
    jg_array *zeros = padded_zeros(scope, &frame, (jg_dtype)node->dtype);
    if (scope->status == JG_OK)
        sums.sum = jg_array_retain(zeros);
    for (int tap = 0; tap < count_taps(&frame) && scope->status == JG_OK; ++tap)
        scope->status = add_tap(&frame, x, result, g, tap, &sums);
    jg_array *share = crop(scope, &frame, sums.sum, node->inputs[0]);
    jg_array_release(sums.sum);
    jg_array_release(sums.taken);
    return share;
}

jg_status cotangent_pool(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    const pool_attributes *attributes = &node_attributes_of(node)->pool;
    compose_scope scope = {0};
    jg_array *x = node->inputs[0], *share = NULL;
    jg_array *g = to_operand_axes(&scope, cotangent, attributes->channels_first);
    jg_array *result = to_operand_axes(&scope, node, attributes->channels_first);
    if (scope.status != JG_OK)
        return scope_close(&scope);
    if (window_blocks_fit(attributes, node_shape(x), node_shape(result)))
        share = window_blocks_share(&scope, attributes, x, result, g);
    else
        share = pool_share(&scope, node, result, g);
    if (scope.status == JG_OK)
        scope.status = reverse_give(pass, 0, share);
    return scope_close(&scope);
}
