/* SPDX-License-Identifier: Apache-2.0 */
/* Brings x and the weights of a convolution into the order in which loops read them, from
 * whatever layout and dtype they have: a slab of x with its channels side by side (or, for sliding,
 * its pixels) and zeros around it; the weights in panels of a few columns, term after term. */
#include "routine/convolution/convolve.h"
#include <string.h>

/* JOINED_PIXELS: of lines that are interleaved as one, about. */
enum { LAST = WINDOW_CHANNELS - 1, JOINED_PIXELS = 512 };

/* Copies count elements of x or w, step elements apart, to dense sums. aside: count elements */
static void take(const convolution *c, const char *from, int64_t count, int64_t step, void *to,
                 void *aside)
{
    size_t itemsize = c->itemsize;
    if (c->widen == NULL) {
        routine_copy_run(to, from, count, step * (int64_t)itemsize, itemsize);
        return;
    }
    if (step != 1 && count > 1) {
        routine_copy_run(aside, from, count, step * (int64_t)itemsize, itemsize);
        from = aside;
    }
    c->widen(from, count, to);
}

/* Interleaves rows of length elements, row_step apart: element i of row r goes to to[offsets[i] +
 * r]. aside: CONVOLVE_TOGETHER rows */
typedef struct interleaving {
    const char *from;
    int64_t rows, row_step, length;
    const int64_t *offsets;
} interleaving;

/* aside: memory for CONVOLVE_TOGETHER rows, used where elements are widened first. */
static void interleave(const convolution *c, const interleaving *run, void *to, void *aside)
{
    size_t itemsize = c->itemsize, wide = dtype_itemsize(c->wide);
    const void *rows[CONVOLVE_TOGETHER];
    for (int64_t first = 0; first < run->rows; first += CONVOLVE_TOGETHER) {
        int64_t rest = run->rows - first, count = int64_min(rest, CONVOLVE_TOGETHER);
        for (int64_t r = 0; r < count; ++r) {
            char *line = (char *)aside + (size_t)(r * run->length) * wide;
            rows[r] = run->from + (first + r) * run->row_step * (int64_t)itemsize;
            if (c->widen != NULL) {
                take(c, rows[r], run->length, 1, line, NULL);
                rows[r] = line;
            }
        }
        c->loops->interleave(rows, (int)count, run->length, run->offsets,
                             (char *)to + (size_t)first * wide);
    }
}

/* A line of a slab: pixels that follow one another along the last axis, in all channels; or some
 * lines along the axis before it, of which x has one series of pixels. */
typedef struct slab_line {
    const char *from; /* the first pixel inside x, in channel 0 */
    char *to;         /* where that goes */
    int64_t pixels, channels;
    int64_t lines, to_line;           /* how many; from one to the next, in the slab */
    int64_t pixel_step, channel_step; /* of x, in its elements */
    int64_t to_pixel, to_channel;     /* of the slab, in elements of x, which may be complex */
    int64_t *offsets;
    void *aside;
} slab_line;

static int64_t widest(const convolve_slab *slab)
{
    int64_t pixels = slab->count[LAST] * slab->count[LAST - 1];
    pixels = int64_min(pixels, int64_max(slab->count[LAST], JOINED_PIXELS));
    return int64_max(slab->channels, pixels);
}

size_t convolve_aside(const convolve_slab *slab)
{
    return (size_t)widest(slab) * (sizeof(int64_t) + CONVOLVE_TOGETHER * sizeof(double));
}

/* Interleaving takes real elements whose rows lie side by side, and more than one of them. */
static bool can_interleave(const convolution *c, int64_t side_by_side, int64_t count)
{
    return c->parts == 1 && side_by_side == 1 && count > 1;
}

static void fill_offsets(int64_t *offsets, int64_t count, int64_t step)
{
    for (int64_t i = 0; i < count; ++i)
        offsets[i] = i * step;
}

/* Fills in the offsets of the pixels of all lines. */
static void fill_pixels(const slab_line *line)
{
    int64_t width = line->pixels / line->lines;
    for (int64_t i = 0; i < line->lines; ++i)
        for (int64_t k = 0; k < width; ++k)
            line->offsets[i * width + k] = i * line->to_line + k * line->to_pixel;
}

/* Whether the lines of x that a slab has are whole and follow each other, its channels do not, and
 * they need no conversion. */
static bool joins_lines(const convolution *c, const convolve_slab *slab)
{
    const routine_operand *x = &c->x;
    int64_t width = x->shape[LAST], first = slab->first[LAST];
    bool whole = first <= 0 && first + slab->count[LAST] >= width;
    bool dense = x->strides[LAST] == 1 && x->strides[LAST - 1] == width;
    return c->way != CONVOLVE_SLIDE && c->widen == NULL && c->parts == 1 && slab->channels > 1 &&
           whole && dense;
}

/* Copies pieces of memory that lie side by side afterwards. Whole cache lines, as sixteen channels
 * are, need no call for each. */
static void copy_pieces(char *to, const char *from, int64_t count, int64_t step, size_t nbytes)
{
    enum { LINE = 64 };
    for (int64_t i = 0; i < count; ++i, from += step, to += nbytes) {
        if (nbytes % LINE == 0)
            for (size_t at = 0; at < nbytes; at += LINE)
                memcpy(to + at, from + at, LINE);
        else
            memcpy(to, from, nbytes);
    }
}

/* Channels side by side, pixel after pixel. */
static void pack_pixels(const convolution *c, const slab_line *line)
{
    size_t itemsize = c->itemsize, wide = dtype_itemsize(c->wide);
    wide *= (size_t)c->parts;
    if (line->channels == 1) {
        take(c, line->from, line->pixels, line->pixel_step, line->to, line->aside);
    } else if (line->channel_step == 1 && line->pixel_step == line->channels) {
        take(c, line->from, line->pixels * line->channels, 1, line->to, line->aside);
    } else if (can_interleave(c, line->pixel_step, line->pixels)) {
        fill_pixels(line);
        interleave(c,
                   &(interleaving){line->from, line->channels, line->channel_step, line->pixels,
                                   line->offsets},
                   line->to, line->aside);
    } else if (c->widen == NULL && line->channel_step == 1) {
        copy_pieces(line->to, line->from, line->pixels, line->pixel_step * (int64_t)itemsize,
                    (size_t)line->channels * itemsize);
    } else {
        for (int64_t i = 0; i < line->pixels; ++i)
            take(c, line->from + i * line->pixel_step * (int64_t)itemsize, line->channels,
                 line->channel_step, line->to + (size_t)(i * line->to_pixel) * wide, line->aside);
    }
}

/* Pixels side by side, channel after channel. */
static void pack_planes(const convolution *c, const slab_line *line)
{
    size_t itemsize = c->itemsize, wide = dtype_itemsize(c->wide);
    if (line->pixel_step != 1 && can_interleave(c, line->channel_step, line->channels)) {
        fill_offsets(line->offsets, line->channels, line->to_channel);
        interleave(c,
                   &(interleaving){line->from, line->pixels, line->pixel_step, line->channels,
                                   line->offsets},
                   line->to, line->aside);
        return;
    }
    for (int64_t i = 0; i < line->channels; ++i)
        take(c, line->from + i * line->channel_step * (int64_t)itemsize, line->pixels,
             line->pixel_step, line->to + (size_t)(i * line->to_channel) * wide, line->aside);
}

static void clear_pixels(const convolution *c, const slab_line *line, char *to, int64_t count)
{
    size_t wide = dtype_itemsize(c->wide) * (size_t)c->parts;
    if (c->way != CONVOLVE_SLIDE) /* else the slab is zeros already: its lines are short runs */
        memset(to, 0, (size_t)(count * line->channels) * wide);
}

/* Each line: zeros before x, the pixels inside, zeros after it. outside: the line lies wholly
 * beyond x along another axis. */
static void pack_line(const convolution *c, slab_line *line, int64_t first, int64_t count,
                      bool outside)
{
    const routine_operand *x = &c->x;
    size_t wide = dtype_itemsize(c->wide) * (size_t)c->parts;
    int64_t extent = x->shape[WINDOW_CHANNELS - 1], step = line->to_pixel * (int64_t)wide;
    int64_t begin = first < 0 ? -first : 0, end = extent - first;
    begin = begin < count && !outside ? begin : count;
    end = int64_clamp(end, begin, count);
    for (int64_t i = 0; i < line->lines; ++i) {
        char *to = line->to + i * line->to_line * (int64_t)wide;
        if (begin > 0)
            clear_pixels(c, line, to, begin);
        if (end < count)
            clear_pixels(c, line, to + end * step, count - end);
    }
    if (end == begin)
        return;
    line->from += (first + begin) * line->pixel_step * (int64_t)c->itemsize;
    line->to += begin * step;
    line->pixels = (end - begin) * line->lines;
    (c->way == CONVOLVE_SLIDE ? pack_planes : pack_pixels)(c, line);
}

/* Whether loops can read x in place: if no zeros are needed around it, its dtype is that of sums,
 * and elements that are loaded as vectors are adjacent. */
bool convolve_reads_x(const convolution *c)
{
    const routine_operand *x = &c->x;
    bool dense = c->way == CONVOLVE_SLIDE
                     ? x->strides[WINDOW_CHANNELS - 1] == 1
                     : x->strides[WINDOW_CHANNELS] == 1 || x->shape[WINDOW_CHANNELS] == 1;
    if (c->clips)
        return true;
    if (!dense || c->widen != NULL)
        return false;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i) {
        const convolve_axis *axis = &c->axes[i];
        /* The last element that any result reads: inside x, or in the zeros before its end. */
        int64_t last = (axis->out - 1) * axis->stride + (axis->taps - 1) * axis->dilation;
        if (axis->before > 0 || last - axis->before > (axis->in - 1) * axis->spread)
            return false;
    }
    return true;
}

/* x's strides are in complex elements; a slab's are in their parts. */
static void read_in_place(const convolution *c, convolve_slab *slab)
{
    const routine_operand *x = &c->x;
    int64_t offset = slab->channel / c->parts * x->strides[WINDOW_CHANNELS];
    for (int i = 0; i < WINDOW_NDIM; ++i)
        slab->strides[i] = x->strides[i] * c->parts;
    slab->strides[WINDOW_CHANNELS] =
        x->shape[WINDOW_CHANNELS] == 1 || c->parts == 2 ? 1 : x->strides[WINDOW_CHANNELS];
    for (int i = 0; i < WINDOW_CHANNELS; ++i)
        offset += slab->first[i] * x->strides[i];
    slab->address = c->call->addresses[CONVOLVE_X];
    slab->address += offset * (int64_t)c->itemsize;
}

/* Row-major, the channels last, or first for sliding. */
static void lay_out(const convolution *c, convolve_slab *slab)
{
    int64_t stride = c->way == CONVOLVE_SLIDE ? 1 : slab->channels;
    for (int i = WINDOW_CHANNELS - 1; i >= 0; --i) {
        slab->strides[i] = stride;
        stride *= slab->count[i];
    }
    slab->strides[WINDOW_CHANNELS] = c->way == CONVOLVE_SLIDE ? stride : 1;
}

/* How many lines from this one on, which is inside x, are taken together. */
static int64_t count_joined(const convolution *c, const convolve_slab *slab, int64_t line)
{
    int64_t row = line % slab->count[LAST - 1], rest = slab->count[LAST - 1] - row;
    int64_t inside = c->x.shape[LAST - 1] - slab->first[LAST - 1] - row;
    int64_t most = JOINED_PIXELS / slab->count[LAST];
    return int64_clamp(int64_min(rest, inside), 1, int64_max(most, 1));
}

/* Where a line begins, in elements from the beginning of x and of the slab. */
typedef struct line_place {
    int64_t from, to;
    bool outside; /* it lies wholly beyond x along another axis */
} line_place;

/* Lines are numbered row-major, by the axes before the last of space. */
static line_place place_line(const convolution *c, const convolve_slab *slab, int64_t number)
{
    const routine_operand *x = &c->x;
    line_place place = {.from = slab->channel / c->parts * x->strides[WINDOW_CHANNELS]};
    for (int i = LAST - 1; i >= 0; --i) {
        int64_t local = number % slab->count[i], index = slab->first[i] + local;
        place.outside = place.outside || index < 0 || index >= x->shape[i];
        place.from += index * x->strides[i];
        place.to += local * slab->strides[i];
        number /= slab->count[i];
    }
    return place;
}

/* What all lines of the slab have in common. aside: the offsets, then the rows that are widened */
static slab_line common_line(const convolution *c, const convolve_slab *slab, char *memory,
                             int64_t *aside)
{
    return (slab_line){.from = c->call->addresses[CONVOLVE_X],
                       .to = memory,
                       .channels = slab->channels / c->parts,
                       .to_line = slab->strides[LAST - 1],
                       .pixel_step = c->x.strides[LAST],
                       .channel_step = c->x.strides[WINDOW_CHANNELS],
                       .to_pixel = slab->strides[LAST] / c->parts,
                       .to_channel = slab->strides[WINDOW_CHANNELS],
                       .offsets = aside,
                       .aside = aside + widest(slab)};
}

static void copy_lines(const convolution *c, const convolve_slab *slab, const slab_line *common)
{
    int64_t lines =
        slab->count[WINDOW_BATCH] * slab->count[WINDOW_SPACE] * slab->count[WINDOW_SPACE + 1];
    bool joins = joins_lines(c, slab);
    for (int64_t at = 0, taken; at < lines; at += taken) {
        line_place place = place_line(c, slab, at);
        slab_line line = *common;
        taken = joins && !place.outside ? count_joined(c, slab, at) : 1;
        line.from += place.from * (int64_t)c->itemsize;
        line.to += place.to * (int64_t)dtype_itemsize(c->wide);
        line.lines = taken;
        pack_line(c, &line, slab->first[LAST], slab->count[LAST], place.outside);
    }
}

void convolve_pack_slab(const convolution *c, convolve_slab *slab, void *memory, void *aside)
{
    if (convolve_reads_x(c)) {
        read_in_place(c, slab);
        return;
    }
    lay_out(c, slab);
    slab->address = memory;
    if (c->way == CONVOLVE_SLIDE)
        memset(memory, 0,
               (size_t)(slab->strides[WINDOW_CHANNELS] * slab->channels) * dtype_itemsize(c->wide));
    slab_line common = common_line(c, slab, memory, aside);
    copy_lines(c, slab, &common);
}
