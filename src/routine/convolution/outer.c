/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions with more taps than results: the gradient by the weights of a convolution is one.
 * Its results are those weights, its taps the pixels of the cotangent, and its channels the images
 * that are summed over.
 *
 * A row of sums belongs to one result of all axes but the last, which are the columns. Each sum has
 * a term for each tap and channel. Neither operand is transposed: the loops step from tap to tap
 * where x and the taps lie, or in copies of a block of them with zeros around x. A block is some
 * lines of taps of one channel, so that it stays in the second-level cache while all rows are
 * added to. */
#include "routine/convolution/convolve.h"
#include <string.h>

enum {
    LAST = PRIMITIVE_SPACE_AXES - 1,
    BLOCK_NBYTES = 192 << 10, /* of x or of the taps: both fit a second-level cache of 512 KiB */
    MIN_TERMS = 2048,         /* of a part: they pay for adding its sums to those of the others */
    MAX_PARTS = 16,
    MAX_PART_SUMS = 1 << 19, /* of all parts together */
    ROWS_TOGETHER = 32,      /* that a unit of the second step adds up */
    ALIGNMENT = 64
};

bool convolve_is_outer(const convolution *c)
{
    int64_t results = 1;
    bool whole = true;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i) {
        results *= c->axes[i].out;
        whole = whole && c->axes[i].spread == 1;
    }
    return whole && c->groups == 1 && !c->flip && !c->channels_first && c->parts == 1 &&
           c->narrow == NULL && c->loops->multiply[0][0] != NULL && c->taps > results &&
           c->in_channels > 0 && c->batch > 0 && results > 0;
}

/* The extent of x read by that many taps over all results. */
static int64_t reach(const convolution *c, int axis, int64_t taps)
{
    const convolve_axis *a = &c->axes[axis];
    return (a->out - 1) * a->stride + (taps - 1) * a->dilation + 1;
}

static int64_t block_size(const convolution *c, const int64_t *lines)
{
    return reach(c, 0, lines[0]) * reach(c, 1, lines[1]) * reach(c, LAST, c->axes[LAST].taps) *
           c->batch;
}

/* Whether all that is met lies inside x, with the rows of the last axis of space side by side. */
static bool reads_x(const convolution *c)
{
    const convolve_axis *last = &c->axes[LAST];
    bool fits = c->x.strides[WINDOW_BATCH] == 1 || c->batch == 1;
    fits = fits && (c->x.strides[WINDOW_SPACE + LAST] == c->batch || last->in == 1);
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i) {
        const convolve_axis *a = &c->axes[i];
        fits = fits && a->before <= 0 && reach(c, i, a->taps) - a->before <= a->in;
    }
    return fits;
}

/* Whether columns lie side by side, and taps at equal distances through all axes. */
static bool reads_taps(const convolution *c)
{
    const int64_t *strides = c->w.strides;
    int64_t step = strides[WINDOW_SPACE + LAST];
    bool fits = strides[0] == 1;
    for (int i = LAST; i-- > 0;) {
        step *= c->axes[i + 1].taps;
        fits = fits && (strides[WINDOW_SPACE + i] == step || c->axes[i].taps == 1);
    }
    return fits;
}

static int64_t sums_width(const convolution *c)
{
    return round_up(c->w.shape[0], c->loops->lanes);
}

/* The number of parts must not depend on the threads, as the order of additions does. */
static int64_t count_parts(const convolution *c, const convolve_outer_cut *cut)
{
    int64_t parts = c->terms / MIN_TERMS, limit = MAX_PART_SUMS / (cut->rows * sums_width(c));
    parts = int64_min(int64_min(int64_min(parts, limit), cut->blocks), MAX_PARTS);
    return int64_max(parts, 1);
}

static void count_blocks(const convolution *c, convolve_outer_cut *cut)
{
    cut->blocks = c->in_channels;
    for (int i = 0; i < LAST; ++i) {
        cut->counts[i] = ceil_div(c->axes[i].taps, cut->lines[i]);
        cut->blocks *= cut->counts[i];
    }
}

void convolve_outer_cut_work(const convolution *c, convolve_outer_cut *out)
{
    int64_t wide = (int64_t)dtype_itemsize(c->wide), width = 2 * c->loops->lanes;
    out->rows = c->batch;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        out->rows *= c->axes[i].out;
    for (int i = 0; i < LAST; ++i)
        out->lines[i] = c->axes[i].taps;
    for (int i = 0; i < LAST;) {
        int64_t taps = out->lines[0] * out->lines[1] * c->axes[LAST].taps;
        bool fits =
            block_size(c, out->lines) <= BLOCK_NBYTES / wide && taps * width <= BLOCK_NBYTES / wide;
        if (fits)
            break;
        if (out->lines[i] > 1)
            out->lines[i] = (out->lines[i] + 1) / 2;
        else
            i += 1;
    }
    count_blocks(c, out);
    out->parts = count_parts(c, out);
    out->panels = ceil_div(c->w.shape[0], width);
}

int64_t convolve_outer_sums(const convolution *c)
{
    convolve_outer_cut cut;
    if (!convolve_is_outer(c))
        return 0;
    convolve_outer_cut_work(c, &cut);
    return cut.parts * cut.rows * sums_width(c);
}

int64_t convolve_outer_units(const convolution *c, int step)
{
    convolve_outer_cut cut;
    convolve_outer_cut_work(c, &cut);
    if (step == 0)
        return cut.parts * cut.panels;
    return cut.parts > 1 ? ceil_div(cut.rows, ROWS_TOGETHER) : 0;
}

/* A panel: columns first to first + columns - 1, in memory `width` of them. */
typedef struct outer_panel {
    int64_t first, columns, width;
} outer_panel;

/* The state of a thread. x and taps are the block's first elements; strides are in elements. */
typedef struct outer_work {
    const convolution *c;
    const convolve_outer_cut *cut;
    outer_panel panel;
    char *x_memory, *tap_memory;
    convolve_run *runs;
    const char *x, *taps;
    int64_t channel, first[LAST], count[LAST]; /* of the block: lines of taps */
    int64_t x_strides[PRIMITIVE_SPACE_AXES];   /* from an element of space to the next */
    int64_t tap_step, tap_line, tap_plane;
} outer_work;

static outer_panel panel_at(const convolution *c, int64_t index)
{
    int64_t lanes = c->loops->lanes, first = index * 2 * lanes, rest = c->w.shape[0] - first;
    return (outer_panel){first, int64_min(rest, 2 * lanes), rest <= lanes ? lanes : 2 * lanes};
}

static void seek_block(outer_work *work, int64_t index)
{
    const convolve_outer_cut *cut = work->cut;
    for (int i = LAST; i-- > 0;) {
        int64_t rest;
        work->first[i] = index % cut->counts[i] * cut->lines[i];
        rest = work->c->axes[i].taps - work->first[i];
        work->count[i] = int64_min(rest, cut->lines[i]);
        index /= cut->counts[i];
    }
    work->channel = index;
}

/* Copies the elements of a line of x that lie in [begin, begin + count) of its axis; those outside
 * are zeros already. */
static void pack_line(const outer_work *work, const char *line, int64_t begin, int64_t count,
                      char *to)
{
    const convolution *c = work->c;
    int64_t low = int64_max(begin, 0), high = int64_min(begin + count, c->axes[LAST].in);
    int64_t stride = c->x.strides[WINDOW_SPACE + LAST], batch = c->batch,
            size = (int64_t)c->itemsize;
    if (low >= high)
        return;
    to += (low - begin) * batch * size;
    line += low * stride * size;
    if (stride == batch && (c->x.strides[WINDOW_BATCH] == 1 || batch == 1)) {
        memcpy(to, line, (size_t)((high - low) * batch * size));
        return;
    }
    for (int64_t i = low; i < high; ++i, line += stride * size, to += batch * size)
        routine_copy_run(to, line, batch, c->x.strides[WINDOW_BATCH] * size, c->itemsize);
}

static void pack_x(outer_work *work)
{
    const convolution *c = work->c;
    int64_t size = (int64_t)c->itemsize, spans[PRIMITIVE_SPACE_AXES], begins[PRIMITIVE_SPACE_AXES];
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i) {
        const convolve_axis *a = &c->axes[i];
        spans[i] = reach(c, i, i < LAST ? work->count[i] : a->taps);
        begins[i] = (i < LAST ? work->first[i] * a->dilation : 0) - a->before;
    }
    work->x_strides[2] = c->batch;
    work->x_strides[1] = spans[2] * c->batch;
    work->x_strides[0] = spans[1] * work->x_strides[1];
    memset(work->x_memory, 0, (size_t)(spans[0] * work->x_strides[0] * size));
    const char *from = (const char *)c->call->addresses[CONVOLVE_X] +
                       work->channel * c->x.strides[WINDOW_CHANNELS] * size;
    for (int64_t i = 0; i < spans[0]; ++i)
        for (int64_t j = 0; j < spans[1]; ++j) {
            int64_t at[] = {begins[0] + i, begins[1] + j};
            if (at[0] < 0 || at[0] >= c->axes[0].in || at[1] < 0 || at[1] >= c->axes[1].in)
                continue;
            pack_line(work,
                      from + (at[0] * c->x.strides[WINDOW_SPACE] +
                              at[1] * c->x.strides[WINDOW_SPACE + 1]) *
                                 size,
                      begins[2], spans[2],
                      work->x_memory + (i * work->x_strides[0] + j * work->x_strides[1]) * size);
        }
    work->x = work->x_memory;
}

static void find_x(outer_work *work)
{
    const convolution *c = work->c;
    int64_t offset = work->channel * c->x.strides[WINDOW_CHANNELS];
    if (!reads_x(c)) {
        pack_x(work);
        return;
    }
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i) {
        const convolve_axis *a = &c->axes[i];
        work->x_strides[i] = i < LAST ? c->x.strides[WINDOW_SPACE + i] : c->batch;
        offset += ((i < LAST ? work->first[i] * a->dilation : 0) - a->before) * work->x_strides[i];
    }
    work->x = (const char *)c->call->addresses[CONVOLVE_X] + offset * (int64_t)c->itemsize;
}

/* The columns of a panel side by side; those beyond its last one stay as they are, and so do the
 * sums that are made of them. */
static void pack_taps(outer_work *work, const char *from)
{
    const convolution *c = work->c;
    int64_t size = (int64_t)c->itemsize, count = c->axes[LAST].taps, width = work->panel.width;
    const int64_t *strides = c->w.strides;
    char *to = work->tap_memory;
    for (int64_t i = 0; i < work->count[0]; ++i)
        for (int64_t j = 0; j < work->count[1]; ++j)
            for (int64_t k = 0; k < count; ++k, to += width * size)
                routine_copy_run(to,
                                 from + (i * strides[WINDOW_SPACE] + j * strides[WINDOW_SPACE + 1] +
                                         k * strides[WINDOW_SPACE + 2]) *
                                            size,
                                 work->panel.columns, strides[0] * size, c->itemsize);
    work->taps = work->tap_memory;
    work->tap_step = width;
    work->tap_line = count;
    work->tap_plane = work->count[1] * count;
}

static void find_taps(outer_work *work)
{
    const convolution *c = work->c;
    const int64_t *strides = c->w.strides;
    int64_t offset = work->panel.first * strides[0] + work->channel * strides[WINDOW_CHANNELS];
    for (int i = 0; i < LAST; ++i)
        offset += work->first[i] * strides[WINDOW_SPACE + i];
    const char *from = (const char *)c->call->addresses[CONVOLVE_W] + offset * (int64_t)c->itemsize;
    if (!reads_taps(c) || work->panel.columns < work->panel.width) {
        pack_taps(work, from);
        return;
    }
    work->taps = from;
    work->tap_step = strides[WINDOW_SPACE + LAST];
    work->tap_line = c->axes[LAST].taps;
    work->tap_plane = c->axes[1].taps * c->axes[LAST].taps;
}

/* A run is a line of taps, or all lines of a plane where those of x follow each other, too.
 * gives: *length, the terms of each | gives: how many */
static int64_t list_runs(const outer_work *work, int64_t *length)
{
    const convolution *c = work->c;
    const convolve_axis *line = &c->axes[1], *last = &c->axes[LAST];
    int64_t x_line = work->x_strides[1] * line->dilation;
    bool follow = x_line == last->taps * last->dilation * work->x_strides[LAST];
    int64_t lines = follow ? 1 : work->count[1], count = 0;
    for (int64_t i = 0; i < work->count[0]; ++i)
        for (int64_t j = 0; j < lines; ++j)
            work->runs[count++] =
                (convolve_run){.x = i * work->x_strides[0] * c->axes[0].dilation + j * x_line,
                               .term = i * work->tap_plane + j * work->tap_line};
    *length = follow ? work->count[1] * last->taps : last->taps;
    return count;
}

/* Rows whose elements of x lie x_row apart, from tile->x on. */
static void add_rows(const convolution *c, const convolve_tile *all, int64_t rows)
{
    int64_t most = c->loops->most_rows, each = ceil_div(rows, ceil_div(rows, most));
    int64_t size = (int64_t)c->itemsize;
    convolve_tile tile = *all;
    for (; rows > 0; rows -= each) {
        tile.rows = int64_min(rows, each);
        c->loops->multiply[tile.rows - 1][tile.columns > c->loops->lanes](&tile);
        tile.x = (const char *)tile.x + each * tile.x_row * size;
        tile.y = (char *)tile.y + each * tile.y_row * size;
    }
}

/* The results of the last axis and the batch, of which as many as can be are one series of rows. */
static void add_line(const convolution *c, const convolve_tile *all)
{
    const convolve_axis *last = &c->axes[LAST];
    int64_t size = (int64_t)c->itemsize;
    convolve_tile tile = *all;
    tile.x_row = c->batch == 1 ? last->stride : 1;
    if (c->batch == 1 || last->stride == 1) {
        add_rows(c, &tile, last->out * c->batch);
        return;
    }
    for (int64_t i = 0; i < last->out; ++i) {
        add_rows(c, &tile, c->batch);
        tile.x = (const char *)tile.x + last->stride * c->batch * size;
        tile.y = (char *)tile.y + c->batch * tile.y_row * size;
    }
}

/* Adds the block's terms to all rows of the panel, or begins the sums with them. */
static void add_block(outer_work *work, char *sums, bool adds)
{
    const convolution *c = work->c;
    int64_t size = (int64_t)c->itemsize, width = work->panel.width;
    int64_t line = c->axes[LAST].out * c->batch;
    find_x(work);
    find_taps(work);
    convolve_tile tile = {.w = work->taps,
                          .y = sums,
                          .runs = work->runs,
                          .columns = width,
                          .y_row = width,
                          .x_step = c->axes[LAST].dilation * work->x_strides[LAST],
                          .w_step = work->tap_step,
                          .adds = adds};
    tile.nruns = list_runs(work, &tile.length);
    for (int64_t i = 0; i < c->axes[0].out; ++i)
        for (int64_t j = 0; j < c->axes[1].out; ++j) {
            tile.x = work->x + (i * c->axes[0].stride * work->x_strides[0] +
                                j * c->axes[1].stride * work->x_strides[1]) *
                                   size;
            add_line(c, &tile);
            tile.y = (char *)tile.y + line * width * size;
        }
}

static void add(jg_dtype dtype, void *to, const void *from, int64_t count)
{
    if (dtype == JG_DTYPE_FLOAT64)
        for (int64_t i = 0; i < count; ++i)
            ((double *)to)[i] += ((const double *)from)[i];
    else
        for (int64_t i = 0; i < count; ++i)
            ((float *)to)[i] += ((const float *)from)[i];
}

/* The sums of a panel in a part. */
static char *sums_of(const convolution *c, const convolve_outer_cut *cut, int64_t part,
                     const outer_panel *panel)
{
    int64_t first = part * cut->rows * sums_width(c) + panel->first * cut->rows;
    return (char *)c->call->scratch + first * (int64_t)c->itemsize;
}

/* Adds the parts of some rows up, in order, and writes the panel's columns of the result. Rows are
 * counted along space and then the batch, the result's along the batch and then space. */
static void store(const convolution *c, const convolve_outer_cut *cut, const outer_panel *panel,
                  int64_t first, int64_t last)
{
    int64_t size = (int64_t)c->itemsize, pixels = cut->rows / c->batch, columns = c->w.shape[0];
    char *y = c->call->addresses[CONVOLVE_RESULT];
    for (int64_t row = first; row < last; ++row) {
        int64_t at = row % c->batch * pixels + row / c->batch;
        char *to = y + (at * columns + panel->first) * size;
        for (int64_t part = 0; part < cut->parts; ++part) {
            const char *from = sums_of(c, cut, part, panel) + row * panel->width * size;
            if (part == 0)
                memcpy(to, from, (size_t)(panel->columns * size));
            else
                add(c->wide, to, from, panel->columns);
        }
    }
}

/* gives: *out, the block that all of it lies in, for base_free | raises: NOMEM */
static jg_status take_memory(outer_work *work, void **out)
{
    const convolution *c = work->c;
    const int64_t *lines = work->cut->lines;
    int64_t size = (int64_t)c->itemsize, count = lines[0] * lines[1];
    int64_t taps = count * c->axes[LAST].taps * 2 * c->loops->lanes;
    size_t x = size_whole_lines((size_t)(reads_x(c) ? 0 : block_size(c, lines) * size)),
           w = size_whole_lines((size_t)(taps * size));
    size_t nbytes = x + w + size_whole_lines((size_t)count * sizeof(convolve_run));
    char *block = base_alloc_aligned(ALIGNMENT, nbytes);
    if (block == NULL)
        return base_nomem(nbytes, "a convolution");
    work->x_memory = block;
    work->tap_memory = block + x;
    work->runs = (convolve_run *)(void *)(block + x + w);
    memset(work->tap_memory, 0, w);
    *out = block;
    return JG_OK;
}

/* A unit is a panel of a part. */
static void add_part(outer_work *work, int64_t unit)
{
    const convolution *c = work->c;
    const convolve_outer_cut *cut = work->cut;
    int64_t part = unit / cut->panels, first = cut->blocks * part / cut->parts;
    work->panel = panel_at(c, unit % cut->panels);
    for (int64_t i = first; i < cut->blocks * (part + 1) / cut->parts; ++i) {
        seek_block(work, i);
        add_block(work, sums_of(c, cut, part, &work->panel), i > first);
    }
    if (cut->parts == 1)
        store(c, cut, &work->panel, 0, cut->rows);
}

static void store_rows(const convolution *c, const convolve_outer_cut *cut, int64_t unit)
{
    int64_t first = unit * ROWS_TOGETHER;
    for (int64_t i = 0; i < cut->panels; ++i) {
        outer_panel panel = panel_at(c, i);
        store(c, cut, &panel, first, int64_min(first + ROWS_TOGETHER, cut->rows));
    }
}

jg_status convolve_outer_run(const convolution *c, int step, int64_t first, int64_t last)
{
    convolve_outer_cut cut;
    void *block = NULL;
    convolve_outer_cut_work(c, &cut);
    outer_work work = {.c = c, .cut = &cut};
    if (step == 0)
        JG_TRY(take_memory(&work, &block));
    for (int64_t unit = first; unit < last; ++unit) {
        if (step == 0)
            add_part(&work, unit);
        else
            store_rows(c, &cut, unit);
    }
    base_free(block);
    return JG_OK;
}
