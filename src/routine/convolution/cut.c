/* SPDX-License-Identifier: Apache-2.0 */
/* How a convolution is cut. A box is a part of a phase's results whose slab stays in the
 * second-level cache, or all of them where x is read as it lies; where there are fewer boxes than
 * threads, these share the panels of the weights. */
#include "routine/convolution/convolve.h"

/* SLAB_NBYTES leaves some of the cache beside the slab for a panel of weights and the results. */
enum {
    SLAB_NBYTES = 320 << 10,
    MIN_PIXELS = 128,           /* of a box: they pay for reading all of the weights */
    FOLLOWED_NBYTES = 256 << 10 /* of results that are still in a cache when they are read */
};

int64_t convolve_extent(const convolution *c, int axis)
{
    return axis == WINDOW_BATCH ? c->batch : c->axes[axis - WINDOW_SPACE].results;
}

/* The largest number of elements of x that `results` results read along an axis. */
int64_t convolve_span(const convolution *c, int axis, int64_t results)
{
    if (axis == WINDOW_BATCH)
        return results;
    const convolve_axis *a = &c->axes[axis - WINDOW_SPACE];
    return (results - 1) * a->step + (a->taps - 1) * a->dilation / a->spread + 2;
}

/* Sliding and blending read only the channels of their own groups, so a unit has one panel.
 * Multiplying does so where x is copied: the copy of few channels is small, and its pixels lie near
 * each other, not as far apart as all channels take, which may be a power of two. */
bool convolve_splits_channels(const convolution *c)
{
    bool copies = c->way != CONVOLVE_MULTIPLY || !convolve_reads_x(c);
    return copies && c->groups > 1 && !c->clips;
}

/* Groups whose channels are copied together. Where channels lie side by side, those of one group
 * may be less than memory is read in. */
int64_t convolve_groups_together(const convolution *c)
{
    enum { CHANNELS = 64 };
    if (!convolve_splits_channels(c))
        return c->groups;
    int64_t together =
        c->x.strides[WINDOW_CHANNELS] == 1 ? CHANNELS / int64_max(c->in_channels, 1) : 1;
    return int64_clamp(together, 1, c->groups);
}

/* Channels of a slab, at most. */
int64_t convolve_slab_channels(const convolution *c)
{
    if (c->way == CONVOLVE_MULTIPLY)
        return convolve_groups_together(c) * c->in_channels;
    int64_t panel = c->groups * c->out_channels / c->panels + CONVOLVE_MAX_BLENDED;
    int64_t columns = c->way == CONVOLVE_SLIDE ? CONVOLVE_TOGETHER : panel;
    int64_t most = (columns - 1) / c->out_channels + 2;
    return (convolve_splits_channels(c) ? int64_min(most, c->groups) : c->groups) * c->in_channels;
}

/* sizes: extents of a box of results, of which this is what it reads, in elements. */
int64_t convolve_slab_size(const convolution *c, const int64_t *sizes)
{
    int64_t size = convolve_slab_channels(c);
    for (int i = 0; i < WINDOW_CHANNELS; ++i)
        size *= convolve_span(c, i, sizes[i]);
    return size;
}

/* Halves the first axis that can be halved. Parts of the last axis are multiples of a loop's
 * rows. */
static bool halve(const convolution *c, int64_t *sizes)
{
    for (int i = 0; i < WINDOW_CHANNELS; ++i) {
        int64_t least = i == WINDOW_CHANNELS - 1 ? 4 * c->loops->most_rows : 1;
        if (sizes[i] <= least)
            continue;
        sizes[i] = (sizes[i] + 1) / 2;
        if (i == WINDOW_CHANNELS - 1)
            sizes[i] = round_up(sizes[i], least);
        return true;
    }
    return false;
}

static void count_boxes(const convolution *c, convolve_cut *cut)
{
    cut->boxes = 1;
    for (int i = 0; i < WINDOW_CHANNELS; ++i) {
        cut->counts[i] = ceil_div(convolve_extent(c, i), cut->sizes[i]);
        cut->boxes *= cut->counts[i];
    }
}

static int64_t box_pixels(const convolve_cut *cut)
{
    int64_t count = 1;
    for (int i = 0; i < WINDOW_CHANNELS; ++i)
        count *= cut->sizes[i];
    return count;
}

/* The bytes of one pixel of the results. */
static int64_t row_nbytes(const convolution *c)
{
    const routine_operand *y = &c->call->operands[CONVOLVE_RESULT];
    return y->shape[y->ndim - 1] * (int64_t)dtype_itemsize(y->dtype);
}

void convolve_cut_work(const convolution *c, int threads, convolve_cut *out)
{
    int64_t wide = (int64_t)dtype_itemsize(c->wide);
    out->phases = 1;
    for (int i = 0; i < WINDOW_CHANNELS; ++i)
        out->sizes[i] = convolve_extent(c, i);
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        out->phases *= c->axes[i].period;
    while (!c->clips && convolve_slab_size(c, out->sizes) > SLAB_NBYTES / wide &&
           halve(c, out->sizes))
        ;
    int64_t limit = c->call->beside == NULL ? FOLLOWED_NBYTES : FOLLOWED_NBYTES / 2;
    while (c->call->followed && box_pixels(out) * row_nbytes(c) > limit &&
           box_pixels(out) > 2 * MIN_PIXELS && halve(c, out->sizes))
        ;
    count_boxes(c, out);
    out->parts = c->way != CONVOLVE_MULTIPLY && convolve_splits_channels(c) ? c->panels : 1;
    while (threads > 1 && out->boxes * out->phases * out->parts < 4 * threads &&
           box_pixels(out) > 2 * MIN_PIXELS && halve(c, out->sizes))
        count_boxes(c, out);
    /* There is at least one unit for each thread, if there are enough panels. If boxes do not copy
     * the same channels, there are as many units as if there were more boxes. */
    int64_t boxes = out->boxes * out->phases, least = ceil_div(threads, boxes);
    out->parts = int64_max(out->parts, int64_min(least, c->panels));
    if (threads > 1 && c->way == CONVOLVE_MULTIPLY && convolve_splits_channels(c)) {
        int64_t apart = c->groups / convolve_groups_together(c);
        least = ceil_div(4 * threads, boxes);
        out->parts = int64_max(out->parts, int64_min(least, apart));
    }
}
