/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions as sums of products without a matrix of patches: a row of the result is what all
 * channels have at one place, a term a tap and a channel of x, and the element of x that both meet
 * is found when a tile is brought in. Groups of channels are batches. */
#include "source/work.h"
#include "source/work/tile.h"
#include <stdio.h>

enum { X = DEVICE_CONVOLUTION_X, W = DEVICE_CONVOLUTION_W, OUT = DEVICE_CONVOLUTION_OUT };
enum { AXES = DEVICE_CONVOLUTION_AXES };

/* The words that the block has for each axis. */
enum {
    AXIS_OUT,
    AXIS_OUT_DIVISOR,
    AXIS_TAPS,
    AXIS_TAPS_DIVISOR,
    AXIS_STRIDE,
    AXIS_DILATION,
    AXIS_BEFORE,
    AXIS_SPREAD,
    AXIS_SPREAD_DIVISOR,
    AXIS_PLACES, /* of x, with zeros between */
    AXIS_X,
    AXIS_W,
    AXIS_RESULT,
    AXIS_WORDS
};

/* And of all. */
enum {
    CHANNELS = TILE_WORDS + AXES * AXIS_WORDS,
    CHANNELS_DIVISOR,
    X_BATCH,
    X_CHANNEL,
    X_GROUP,
    W_CHANNEL,
    W_RESULT,
    W_GROUP,
    OUT_BATCH,
    OUT_CHANNEL,
    OUT_GROUP,
    OFFSETS,
    WORDS = OFFSETS + DEVICE_CONVOLUTION_BUFFERS
};

static int word_of(int axis, int what)
{
    return TILE_WORDS + axis * AXIS_WORDS + what;
}

static void print_start(source_draft *d, const void *work)
{
    static const struct {
        const char *name;
        int group;
    } starts[] = {{"left", X_GROUP}, {"right", W_GROUP}, {"out", OUT_GROUP}};
    (void)work;
    for (int b = 0; b < DEVICE_CONVOLUTION_BUFFERS; ++b)
        source_write_line(d,
                          "MEMORY uint8_t *const %s = m%d + (int64_t)block.w[%d] + batch * "
                          "(int64_t)block.w[%d];",
                          starts[b].name, b, OFFSETS + b, starts[b].group);
    source_frame_word(d, "out_column", OUT_CHANNEL);
}

/* The number in digits <name>2 to <name>0, and what is left. */
static void print_digits(source_draft *d, const char *name, const char *number, int extent,
                         const char *rest)
{
    source_write_line(d, "int32_t %s = (int32_t)(%s);", rest, number);
    for (int axis = AXES - 1; axis >= 0; --axis) {
        source_write_line(d, "const int32_t %s_%s%d = DIVIDED(%s, block.w[%d]);", name, rest, axis,
                          rest, word_of(axis, extent + 1));
        source_write_line(d, "const int32_t %s%d = %s - %s_%s%d * (int32_t)block.w[%d];", name,
                          axis, rest, name, rest, axis, word_of(axis, extent));
        source_write_line(d, "%s = %s_%s%d;", rest, name, rest, axis);
    }
}

/* o<axis> of the result's places, and the item of the batch. */
static void print_row(source_draft *d, const void *work)
{
    (void)work;
    print_digits(d, "o", "i", AXIS_OUT, "item");
}

/* t<axis> of the taps, and the channel, which comes last. */
static void print_term(source_draft *d, const void *work)
{
    (void)work;
    source_write_line(d, "const int32_t tap = DIVIDED((int32_t)k, block.w[%d]);", CHANNELS_DIVISOR);
    source_write_line(d, "const int32_t channel = (int32_t)k - tap * (int32_t)block.w[%d];",
                      CHANNELS);
    print_digits(d, "t", "tap", AXIS_TAPS, "taps");
    source_write_line(d, "(void)taps;");
}

/* The position of the tap; a position that is no element of x is outside. */
static void print_left(source_draft *d, const void *work)
{
    (void)work;
    for (int axis = 0; axis < AXES; ++axis) {
        source_write_line(
            d,
            "const int64_t p%d = (int64_t)o%d * (int64_t)block.w[%d] + (int64_t)t%d * "
            "(int64_t)block.w[%d] - (int64_t)block.w[%d];",
            axis, axis, word_of(axis, AXIS_STRIDE), axis, word_of(axis, AXIS_DILATION),
            word_of(axis, AXIS_BEFORE));
        source_write_line(d, "inside = inside && p%d >= 0 && p%d < (int64_t)block.w[%d];", axis,
                          axis, word_of(axis, AXIS_PLACES));
        source_write_line(d, "const int32_t x%d = inside ? DIVIDED((int32_t)p%d, block.w[%d]) : 0;",
                          axis, axis, word_of(axis, AXIS_SPREAD_DIVISOR));
        source_write_line(d, "inside = inside && x%d * (int64_t)block.w[%d] == p%d;", axis,
                          word_of(axis, AXIS_SPREAD), axis);
    }
    text_add(d->out, "%*sMEMORY const uint8_t *const place = left + item * (int64_t)block.w[%d]",
             4 * d->depth, "", X_BATCH);
    for (int axis = 0; axis < AXES; ++axis)
        text_add(d->out, " + x%d * (int64_t)block.w[%d]", axis, word_of(axis, AXIS_X));
    text_add(d->out, " + channel * (int64_t)block.w[%d];\n", X_CHANNEL);
}

static void print_right(source_draft *d, const void *work)
{
    const device_convolution *c = work;
    text_add(d->out, "%*sMEMORY const uint8_t *const place = right + j * (int64_t)block.w[%d]",
             4 * d->depth, "", W_RESULT);
    for (int axis = 0; axis < AXES; ++axis) {
        if (c->flip)
            text_add(d->out, " + ((int64_t)block.w[%d] - 1 - t%d) * (int64_t)block.w[%d]",
                     word_of(axis, AXIS_TAPS), axis, word_of(axis, AXIS_W));
        else
            text_add(d->out, " + t%d * (int64_t)block.w[%d]", axis, word_of(axis, AXIS_W));
    }
    text_add(d->out, " + channel * (int64_t)block.w[%d];\n", W_CHANNEL);
}

static void print_out(source_draft *d, const void *work)
{
    print_row(d, work);
    text_add(d->out, "%*sMEMORY uint8_t *const to = out + item * (int64_t)block.w[%d]",
             4 * d->depth, "", OUT_BATCH);
    for (int axis = 0; axis < AXES; ++axis)
        text_add(d->out, " + o%d * (int64_t)block.w[%d]", axis, word_of(axis, AXIS_RESULT));
    text_add(d->out, ";\n");
}

static void print(source_draft *d, const device_work *work, source_form *form)
{
    const device_convolution *c = work->convolution;
    static const source_tile_places places = {print_row, print_term, print_left, print_right,
                                              print_out};
    const source_tile_text text = {.dtype = (jg_dtype)c->dtype,
                                   .nbuffers = DEVICE_CONVOLUTION_BUFFERS,
                                   .work = c,
                                   .start = print_start,
                                   .places = &places};
    form->nreduced = c->flip;
    form->per_item = c->dtype;
    source_frame_begin(d, form,
                       &(source_frame){.style = STYLE_WINDOW,
                                       .nbuffers = DEVICE_CONVOLUTION_BUFFERS,
                                       .offsets = OFFSETS,
                                       .nwords = WORDS});
    source_tile_print(d, &text);
}

static bool fits(const device_facts *facts, const source_form *form, const device_work *work)
{
    const device_convolution *c = work->convolution;
    (void)facts;
    return form->style == STYLE_WINDOW && form->nreduced == c->flip && form->per_item == c->dtype;
}

static void fill_axis(const device_convolution_axis *axis, uint64_t *to)
{
    to[AXIS_OUT] = (uint64_t)axis->out;
    to[AXIS_OUT_DIVISOR] = source_divisor_word(axis->out);
    to[AXIS_TAPS] = (uint64_t)axis->taps;
    to[AXIS_TAPS_DIVISOR] = source_divisor_word(axis->taps);
    to[AXIS_STRIDE] = (uint64_t)axis->stride;
    to[AXIS_DILATION] = (uint64_t)axis->dilation;
    to[AXIS_BEFORE] = (uint64_t)axis->before;
    to[AXIS_SPREAD] = (uint64_t)axis->spread;
    to[AXIS_SPREAD_DIVISOR] = source_divisor_word(axis->spread);
    to[AXIS_PLACES] = (uint64_t)(axis->in > 0 ? (axis->in - 1) * axis->spread + 1 : 0);
    to[AXIS_X] = (uint64_t)axis->x_step;
    to[AXIS_W] = (uint64_t)axis->w_step;
    to[AXIS_RESULT] = (uint64_t)axis->out_step;
}

static void fill(const device_convolution *c, uint64_t *to)
{
    for (int axis = 0; axis < AXES; ++axis)
        fill_axis(&c->axes[axis], to + word_of(axis, 0));
    to[CHANNELS] = (uint64_t)c->in_channels;
    to[CHANNELS_DIVISOR] = source_divisor_word(c->in_channels);
    to[X_BATCH] = (uint64_t)c->x_batch;
    to[X_CHANNEL] = (uint64_t)c->x_channel;
    to[X_GROUP] = (uint64_t)(c->x_channel * c->in_channels);
    to[W_CHANNEL] = (uint64_t)c->w_channel;
    to[W_RESULT] = (uint64_t)c->w_result;
    to[W_GROUP] = (uint64_t)(c->w_result * c->out_channels);
    to[OUT_BATCH] = (uint64_t)c->out_batch;
    to[OUT_CHANNEL] = (uint64_t)c->out_channel;
    to[OUT_GROUP] = (uint64_t)(c->out_channel * c->out_channels);
}

static jg_status arrange(const source_text *text, const device_work *work, device_launch **out)
{
    const device_facts *facts = text->facts;
    const device_convolution *c = work->convolution;
    int64_t sizes[TILE_SIZES] = {c->groups, c->batch, c->out_channels, c->in_channels};
    for (int axis = 0; axis < AXES; ++axis) {
        sizes[TILE_SIZE_ROWS] *= c->axes[axis].out;
        sizes[TILE_SIZE_INNER] *= c->axes[axis].taps;
    }
    device_launch *launch = NULL;
    JG_TRY(source_launch_begin(SOURCE_TILE_STEPS, WORDS, &launch));
    fill(c, launch->words);
    source_tile_add(facts, (jg_dtype)c->dtype, sizes, WORDS, launch);
    *out = launch;
    return JG_OK;
}

static bool takes(const device_facts *facts, const device_work *work, device_refusal *refusal)
{
    return source_tile_is_taken(facts, (jg_dtype)work->convolution->dtype, refusal);
}

static const char *way(const device_facts *facts, const device_work *work)
{
    return source_tile_way(facts, (jg_dtype)work->convolution->dtype);
}

const source_work source_work_convolution = {
    .takes = takes, .print = print, .fits = fits, .arrange = arrange, .way = way};
