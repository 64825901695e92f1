/* SPDX-License-Identifier: Apache-2.0 */
/* Cotangents of the weights of depthwise convolutions, tap by tap: each is a sum of products of
 * elements that lie alike, with the channels side by side. The general way, a convolution with the
 * cotangent as weights, takes thirty times as long, as it packs weights as large as x for each
 * channel. */
#include "transform/rules/window_taps.h"

/* MAX_PADDING: how much larger than x its padded copy may be. */
enum { MAX_TAPS = 64, MAX_PADDING = 4 };

/* What all taps share. The padded input has all taps of all results. */
typedef struct tap_frame {
    const convolve_attributes *attributes;
    const jg_array *w;
    jg_array *padded, *g; /* floats of half precision are widened, so that sums are rounded once */
    int64_t low[PRIMITIVE_SPACE_AXES]; /* elements of padding before the input's first one */
} tap_frame;

static int64_t taps_of(const jg_array *w, int axis)
{
    return w->dims[WINDOW_SPACE + axis];
}

static int64_t count_taps(const jg_array *w)
{
    int64_t count = 1;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        count *= taps_of(w, i);
    return count;
}

static int64_t reach_of(const convolve_attributes *attributes, const jg_array *w, const jg_array *g,
                        int axis)
{
    return window_taps_reach(g->dims[WINDOW_SPACE + axis], attributes->stride[axis],
                             taps_of(w, axis), attributes->dilation[axis]);
}

/* Of a dilation as large as x nearly all that is padded would be zeros. */
static bool has_little_padding(const convolve_attributes *attributes, const jg_array *x,
                               const jg_array *w, const jg_array *g)
{
    double size = 1;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i) {
        int64_t extent = x->dims[WINDOW_SPACE + i];
        int64_t padded = int64_max(attributes->before[i], 0) + extent;
        size *= (double)int64_max(reach_of(attributes, w, g, i), padded) / (double)extent;
    }
    return size <= MAX_PADDING;
}

bool window_taps_fit(const convolve_attributes *attributes, const jg_array *x, const jg_array *w,
                     const jg_array *g)
{
    int64_t channels = x->dims[WINDOW_CHANNELS];
    bool depthwise = attributes->groups == channels && w->dims[0] == channels && channels > 1;
    bool spread = false;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        spread |= attributes->spread[i] != 1;
    return depthwise && !spread && x->size > 0 && w->size > 0 && g->size > 0 &&
           count_taps(w) <= MAX_TAPS && has_little_padding(attributes, x, w, g);
}

static jg_array *widen(compose_scope *scope, jg_array *x)
{
    return dtype_is_half((jg_dtype)x->dtype) ? scope_cast(scope, x, JG_DTYPE_FLOAT32) : x;
}

/* The input with zeros on both sides of the axes of space, as far as taps reach. */
static jg_array *pad(compose_scope *scope, tap_frame *frame, jg_array *x)
{
    int64_t widths[2 * WINDOW_NDIM] = {0};
    jg_array *made = NULL;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i) {
        int at = WINDOW_SPACE + i;
        int64_t before = frame->attributes->before[i];
        int64_t reach = reach_of(frame->attributes, frame->w, frame->g, i);
        frame->low[i] = int64_max(before, 0);
        widths[2 * at] = frame->low[i];
        widths[2 * at + 1] = int64_max(reach - before - x->dims[at], 0);
    }
    jg_status status = jg_pad(x, 2 * WINDOW_NDIM, widths, "constant", NULL, &made);
    return scope_take(scope, status, made);
}

/* The elements of the padded input that meet the tap, one for each result. Taps are numbered
 * row-major. */
static jg_array *read_tap(compose_scope *scope, const tap_frame *frame, int64_t tap)
{
    const convolve_attributes *attributes = frame->attributes;
    jg_layout layout;
    jg_array *made = NULL;
    jg_status status = JG_OK;
    node_layout(frame->padded, &layout);
    for (int i = PRIMITIVE_SPACE_AXES; i-- > 0 && status == JG_OK;) {
        int axis = WINDOW_SPACE + i;
        int64_t taps = taps_of(frame->w, i), k = tap % taps;
        k = attributes->flip ? taps - 1 - k : k;
        int64_t start = k * attributes->dilation[i] - attributes->before[i] + frame->low[i];
        status = layout_slice(&layout, axis, start, frame->g->dims[axis], attributes->stride[i],
                              true, &layout);
        tap /= taps;
    }
    if (status == JG_OK)
        status = node_view(frame->padded, &layout, &made);
    return scope_take(scope, status, made);
}

/* The share of one tap, (1, 1, 1, 1, channels). In a scope of its own, as one scope cannot hold
 * what all taps make. gives: *out, +1 */
static jg_status share_of_tap(const tap_frame *frame, int64_t tap, jg_array **out)
{
    static const int64_t others[] = {WINDOW_BATCH, WINDOW_SPACE, WINDOW_SPACE + 1,
                                     WINDOW_SPACE + 2};
    compose_scope scope = {0};
    jg_array *met = read_tap(&scope, frame, tap);
    jg_array *products = scope_binary(&scope, jg_multiply, met, frame->g);
    return scope_finish(&scope, scope_reduce(&scope, compose_sum, products, 4, others, true), out);
}

/* The shares of all taps, (taps, 1, 1, 1, channels). */
static jg_array *all_shares(compose_scope *scope, const tap_frame *frame)
{
    static const int64_t first = 0;
    jg_array *shares[MAX_TAPS] = {NULL}, *joined = NULL;
    int64_t count = count_taps(frame->w), made = 0;
    jg_status status = JG_OK;
    for (; made < count && status == JG_OK; made += status == JG_OK)
        status = share_of_tap(frame, made, &shares[made]);
    if (status == JG_OK)
        status = jg_concat((int)count, shares, &first, &joined);
    for (int64_t i = 0; i < made; ++i)
        jg_array_release(shares[i]);
    return scope_take(scope, status, joined);
}

jg_array *window_taps_share(compose_scope *scope, const convolve_attributes *attributes,
                            jg_array *x, const jg_array *w, jg_array *g)
{
    static const int64_t channels_first[] = {1, 0};
    tap_frame frame = {.attributes = attributes, .w = w};
    if (scope->status != JG_OK)
        return NULL;
    frame.g = widen(scope, g);
    jg_array *wide = widen(scope, x);
    if (scope->status != JG_OK)
        return NULL;
    frame.padded = pad(scope, &frame, wide);
    if (frame.padded == NULL)
        return NULL;
    jg_array *shares = all_shares(scope, &frame);
    const int64_t apart[] = {count_taps(w), w->dims[0]};
    shares = scope_shaped(scope, jg_reshape, shares, 2, apart);
    shares = scope_shaped(scope, jg_permute_dims, shares, 2, channels_first);
    shares = scope_shaped(scope, jg_reshape, shares, WINDOW_NDIM, w->dims);
    return shares == NULL || shares->dtype == w->dtype
               ? shares
               : scope_cast(scope, shares, (jg_dtype)w->dtype);
}
