/* SPDX-License-Identifier: Apache-2.0 */
/* The properties of a convolution: its numbers, the loop that suits it, and the place of packed
 * weights. */
#include "base/divisor.h"
#include "routine/convolution/convolve.h"

/* A panel's weights stay in the first-level cache, with nine taps of eight channels. */
enum { BLEND_COLUMNS = 64 };

/* The extent of a result along an axis of space; its own axes may be fewer than three. */
static int64_t result_extent(const convolution *c, int axis)
{
    const routine_operand *y = &c->call->operands[CONVOLVE_RESULT];
    int missing = PRIMITIVE_SPACE_AXES - (y->ndim - 2);
    return axis < missing ? 1 : y->shape[(c->channels_first ? 2 : 1) + axis - missing];
}

static void describe_axis(const convolution *c, int axis, convolve_axis *out)
{
    const convolve_attributes *attributes = &c->call->attributes->convolve;
    *out = (convolve_axis){.in = c->x.shape[WINDOW_SPACE + axis],
                           .out = result_extent(c, axis),
                           .taps = c->w.shape[WINDOW_SPACE + axis],
                           .stride = attributes->stride[axis],
                           .dilation = attributes->dilation[axis],
                           .before = attributes->before[axis],
                           .spread = attributes->spread[axis]};
    /* Results `period` apart read elements `step` apart, as period * stride is the least multiple
     * of spread that there is. */
    out->period = out->spread / base_common_divisor(out->stride, out->spread);
    out->step = out->period * out->stride / out->spread;
    out->results = ceil_div(out->out, out->period);
}

/* Whether a vector of results needs only the channels of one vector of x. */
static bool blends(const convolution *c)
{
    bool fits = c->in_channels <= CONVOLVE_MAX_BLENDED && c->in_channels <= c->loops->lanes;
    bool halves = (c->in_channels & (c->in_channels - 1)) == 0;
    return c->in_channels == c->out_channels && c->parts == 1 && fits && halves;
}

/* Vectors of channels are of use where there are many. Of few result channels, vectors of pixels
 * make better use, where those that lie side by side are read side by side. */
static convolve_way choose_way(const convolution *c)
{
    const convolve_axis *last = &c->axes[PRIMITIVE_SPACE_AXES - 1];
    const int64_t *strides = c->x.strides;
    int lanes = c->loops->lanes;
    if (convolve_is_outer(c))
        return CONVOLVE_OUTER;
    if (c->loops->multiply[0][0] == NULL)
        return CONVOLVE_SLIDE;
    if (c->loops->slide == NULL)
        return CONVOLVE_MULTIPLY;
    bool slides = last->step == 1 && last->results >= lanes;
    bool apart = strides[WINDOW_CHANNELS] != 1 || c->groups * c->in_channels < lanes;
    if (blends(c) && !(slides && apart && c->out_channels < 4) && c->groups > 1)
        return CONVOLVE_BLEND;
    return slides && c->out_channels <= lanes / 4 && c->parts == 1 ? CONVOLVE_SLIDE
                                                                   : CONVOLVE_MULTIPLY;
}

/* Whether most results of a line meet all of its taps inside x. */
static bool is_mostly_inside(const convolve_axis *axis)
{
    int64_t after = (axis->taps - 1) * axis->dilation - axis->before;
    int64_t first = ceil_div(axis->before, axis->step);
    int64_t end = (axis->in - 1 - after) / axis->step + 1;
    return 2 * (end - first) >= axis->results;
}

/* Results at the ends of lines are worked out one by one, which takes longer than a copy of x where
 * there are many of them, and of groups of eight. */
static bool clips(const convolution *c)
{
    return c->way == CONVOLVE_BLEND && c->widen == NULL && c->x.strides[WINDOW_CHANNELS] == 1 &&
           c->in_channels < CONVOLVE_MAX_BLENDED &&
           is_mostly_inside(&c->axes[PRIMITIVE_SPACE_AXES - 1]);
}

/* A panel has two vectors of columns; the last one of a group has one if that is enough. A blended
 * panel has at least BLEND_COLUMNS columns if there are so many. All columns are one panel if x is
 * read in place and clipped. */
static int64_t count_panels(const convolution *c)
{
    int64_t wide = 2 * c->loops->lanes, columns = c->groups * c->out_channels;
    switch (c->way) {
    case CONVOLVE_BLEND: return c->clips || columns < BLEND_COLUMNS ? 1 : columns / BLEND_COLUMNS;
    case CONVOLVE_SLIDE: return ceil_div(c->groups * c->out_channels, CONVOLVE_TOGETHER);
    default: return c->groups * (ceil_div(c->out_channels, wide));
    }
}

/* The dtype of the sums. */
static jg_dtype wide_of(jg_dtype dtype)
{
    bool twice = dtype_rows[dtype_real_part(dtype)].bits == 64;
    if (dtype_is_integer(dtype))
        return twice ? JG_DTYPE_INT64 : JG_DTYPE_INT32;
    return twice ? JG_DTYPE_FLOAT64 : JG_DTYPE_FLOAT32;
}

static void copy_operand(const routine_operand *from, int64_t *dims, routine_operand *out)
{
    *out = *from;
    out->shape = dims;
    out->strides = dims + WINDOW_NDIM;
    for (int i = 0; i < WINDOW_NDIM; ++i) {
        dims[i] = from->shape[i];
        dims[WINDOW_NDIM + i] = from->strides[i];
    }
}

/* Whether the channels can be read two by two. Two bfloat16 channels are read as one element of 32
 * bits: they must lie side by side, and every other stride must be even. */
static bool comes_in_pairs(const routine_operand *x)
{
    bool even = x->strides[WINDOW_CHANNELS] == 1;
    for (int i = 0; i < WINDOW_CHANNELS; ++i)
        even = even && (x->strides[i] % 2 == 0 || x->shape[i] == 1);
    return even;
}

static void halve_channels(int64_t *dims)
{
    dims[WINDOW_CHANNELS] /= 2;
    for (int i = 0; i < WINDOW_CHANNELS; ++i)
        dims[WINDOW_NDIM + i] /= 2;
}

/* Takes bfloat16 in pairs where the machine multiplies them so, else as float32. */
static void choose_elements(convolution *c)
{
    const convolve_table *table = routine_loops_chosen()->convolves;
    c->itemsize = dtype_itemsize(c->dtype);
    c->loops = table->loops[c->wide];
    c->widen = table->widen[c->dtype];
    c->narrow = table->narrow[c->dtype];
    if (c->dtype != JG_DTYPE_BFLOAT16 || table->pairs == NULL || c->w.shape[WINDOW_CHANNELS] < 2 ||
        c->w.shape[WINDOW_CHANNELS] % 2 != 0 || !comes_in_pairs(&c->x) || !comes_in_pairs(&c->w) ||
        !table->has_pairs())
        return;
    /* From here on all counts and strides of channels are of pairs. */
    c->loops = table->pairs;
    c->itemsize *= 2;
    c->widen = NULL;
    halve_channels(c->dims[0]);
    halve_channels(c->dims[1]);
}

/* The order matters: choose_elements may make pairs of the channels, the next steps count the
 * pairs, and the way is chosen by the axes. */
void convolve_describe(const routine_call *call, convolution *out)
{
    const routine_operand *x = &call->operands[CONVOLVE_X], *w = &call->operands[CONVOLVE_W];
    const convolve_attributes *attributes = &call->attributes->convolve;
    int parts = dtype_is_complex(x->dtype) ? 2 : 1;
    *out = (convolution){.call = call,
                         .batch = x->shape[WINDOW_BATCH],
                         .groups = attributes->groups,
                         .taps = w->shape[WINDOW_SPACE] * w->shape[WINDOW_SPACE + 1] *
                                 w->shape[WINDOW_SPACE + 2],
                         .out_channels = w->shape[0] / attributes->groups * parts,
                         .dtype = x->dtype,
                         .wide = wide_of(x->dtype),
                         .parts = parts,
                         .flip = attributes->flip,
                         .channels_first = attributes->channels_first};
    copy_operand(x, out->dims[0], &out->x);
    copy_operand(w, out->dims[1], &out->w);
    choose_elements(out);
    out->in_channels = out->w.shape[WINDOW_CHANNELS] * parts;
    out->terms = out->taps * out->in_channels;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        describe_axis(out, i, &out->axes[i]);
    out->way = choose_way(out);
    out->clips = clips(out);
    out->panels = count_panels(out);
}

/* The size for the way that needs most: the way is chosen only when the numbers are known. */
int64_t convolve_packed_size(const convolution *c)
{
    if (convolve_is_outer(c))
        return convolve_outer_sums(c);
    return c->groups * c->terms * round_up(c->out_channels, c->loops->lanes);
}

/* Panels are of nearly as many columns each, in whole groups. */
static int64_t blend_panel_start(const convolution *c, int64_t index)
{
    int64_t columns = c->groups * c->out_channels;
    int64_t start = columns * index / c->panels;
    return index == c->panels ? columns : start / CONVOLVE_MAX_BLENDED * CONVOLVE_MAX_BLENDED;
}

/* Weights are packed panel after panel: offset is in elements of the scratch. Of a group's columns
 * the last panel may be half as wide, if no more than that are left. */
convolve_panel convolve_panel_at(const convolution *c, int64_t index)
{
    int64_t lanes = c->loops->lanes, width = 2 * lanes;
    if (c->way == CONVOLVE_BLEND) {
        int64_t first = blend_panel_start(c, index);
        int64_t columns = blend_panel_start(c, index + 1) - first;
        return (convolve_panel){
            .first = first, .columns = columns, .width = columns, .offset = first * c->terms};
    }
    if (c->way == CONVOLVE_SLIDE) {
        int64_t first = index * CONVOLVE_TOGETHER, rest = c->groups * c->out_channels - first;
        return (convolve_panel){.first = first,
                                .columns = int64_min(rest, CONVOLVE_TOGETHER),
                                .width = 1,
                                .offset = first * c->terms};
    }
    int64_t each = c->panels / c->groups, group = index / each, first = index % each * width;
    int64_t rest = c->out_channels - first, begin = group * round_up(c->out_channels, lanes);
    return (convolve_panel){.group = group,
                            .first = first,
                            .columns = int64_min(rest, width),
                            .width = rest <= lanes ? lanes : width,
                            .offset = (begin + first) * c->terms};
}
