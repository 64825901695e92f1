/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions without a matrix of patches: loops read the elements of x that a result needs
 * where they lie, or in a slab, a copy of a part of x with its channels side by side and zeros
 * around it.
 *
 * Results whose inputs are spread (transposed convolutions) fall into phases, of which each meets
 * some of the taps and none of the zeros between elements: a phase is a convolution of x as it is.
 * A unit is a box of a phase's results (cut.c), for some panels of the weights. */
#include "routine/convolution/convolve.h"
#include <string.h>

enum {
    SLIDE_ROWS = 1024, /* pixels of a block of sums that is moved afterwards */
    BLEND_ROWS = 32,   /* of a block of sums that is moved afterwards */
    ALIGNMENT = 64
};

/* Sets the box's first index and extents; false if this phase has no results in it. */
static bool seek_box(convolve_work *work, int64_t index)
{
    const convolution *c = work->c;
    const convolve_cut *cut = work->cut;
    int64_t box = index % cut->boxes, phase = index / cut->boxes;
    for (int i = WINDOW_CHANNELS - 1; i >= 0; --i) {
        int64_t results = convolve_extent(c, i);
        if (i >= WINDOW_SPACE) {
            const convolve_axis *axis = &c->axes[i - WINDOW_SPACE];
            work->phase[i - WINDOW_SPACE] = phase % axis->period;
            phase /= axis->period;
            /* Later phases may have a result less than the first. */
            int64_t rest = axis->out - work->phase[i - WINDOW_SPACE];
            results = rest > 0 ? ceil_div(rest, axis->period) : 0;
        }
        work->first[i] = box % cut->counts[i] * cut->sizes[i];
        int64_t rest = results - work->first[i];
        work->count[i] = int64_min(rest, cut->sizes[i]);
        box /= cut->counts[i];
        if (work->count[i] <= 0)
            return false;
    }
    return true;
}

/* The channels that the panel is made of, or all. */
static void lay_out_channels(const convolution *c, int64_t panel, convolve_slab *slab)
{
    convolve_panel at = convolve_panel_at(c, panel);
    int64_t first = at.first / c->out_channels;
    int64_t last = (at.first + at.columns - 1) / c->out_channels;
    bool splits = convolve_splits_channels(c);
    if (c->way == CONVOLVE_MULTIPLY) {
        int64_t together = convolve_groups_together(c);
        first = at.group / together * together;
        last = int64_min(first + together, c->groups) - 1;
    }
    slab->channel = splits ? first * c->in_channels : 0;
    slab->channels = (splits ? last - first + 1 : c->groups) * c->in_channels;
}

/* The part of x that the box reads. It is empty if there are no taps. */
static void lay_out_slab(convolve_work *work)
{
    convolve_slab *slab = &work->slab;
    slab->first[WINDOW_BATCH] = work->first[WINDOW_BATCH];
    slab->count[WINDOW_BATCH] = work->count[WINDOW_BATCH];
    for (int i = WINDOW_SPACE; i < WINDOW_CHANNELS; ++i) {
        const convolve_axis *axis = &work->c->axes[i - WINDOW_SPACE];
        const convolve_taps *list = &work->all[i - WINDOW_SPACE];
        int64_t reach = list->count > 0 ? list->starts[list->count - 1] - list->starts[0] : 0;
        slab->first[i] = work->first[i] * axis->step + (list->count > 0 ? list->starts[0] : 0);
        slab->count[i] = (work->count[i] - 1) * axis->step + reach + 1;
    }
}

/* In elements of the result; row-major, channels where the caller wants them. */
static void result_strides(convolve_work *work)
{
    const convolution *c = work->c;
    int64_t channels = c->w.shape[0];
    int64_t stride = c->channels_first ? 1 : channels;
    for (int i = WINDOW_CHANNELS - 1; i >= WINDOW_SPACE; --i) {
        work->y_strides[i] = stride;
        stride *= c->axes[i - WINDOW_SPACE].out;
    }
    work->y_strides[WINDOW_CHANNELS] = c->channels_first ? stride : 1;
    work->y_strides[WINDOW_BATCH] = c->channels_first ? stride * channels : stride;
}

/* A panel of a box, along one of the axes of results, in elements of x's slab and of the result. */
typedef struct panel_line {
    convolve_panel panel;
    convolve_tile tile; /* of all rows */
    char *to;           /* the address of the first result */
    int64_t to_row, to_column;
    int64_t to_line; /* where all lines along the axis before the last go together */
} panel_line;

/* Whether a loop may write its sums straight into the result: its rows must lie side by side there,
 * in the dtype of sums. */
static bool stores_directly(const convolution *c, const panel_line *line)
{
    bool side_by_side = c->way == CONVOLVE_SLIDE ? line->to_row == 1 : line->to_column == 1;
    return side_by_side && c->narrow == NULL;
}

static convolve_loop *loop_of(const convolution *c, int64_t rows, int64_t width)
{
    return c->way == CONVOLVE_BLEND ? c->loops->blend
                                    : c->loops->multiply[rows - 1][width > c->loops->lanes];
}

/* Rows that are worked out at once. Those of multiply are divided evenly. */
static int64_t rows_at_once(const convolution *c, int64_t rows, bool direct)
{
    int64_t most = c->loops->most_rows;
    if (c->way == CONVOLVE_MULTIPLY)
        return ceil_div(rows, ceil_div(rows, most));
    return direct ? rows : BLEND_ROWS;
}

/* Computes the first rows of a line, `each` of them at a time. direct: sums are results as they are
 * and lie as the result does; else they go by way of work->sums, to be narrowed or spread by
 * convolve_store. */
static void run_rows(const convolve_work *work, const panel_line *line, int64_t rows, int64_t each,
                     bool direct)
{
    const convolution *c = work->c;
    int64_t wide = (int64_t)dtype_itemsize(c->wide), itemsize = (int64_t)dtype_itemsize(c->dtype);
    convolve_tile tile = line->tile;
    char *to = line->to;
    const char *beside = direct ? c->call->beside : NULL,
               *results = c->call->addresses[CONVOLVE_RESULT];
    tile.y_row = direct ? line->to_row * c->parts : tile.columns;
    for (int64_t rest = rows; rest > 0; rest -= tile.rows) {
        tile.rows = int64_min(rest, each);
        tile.y = direct ? to : work->sums;
        tile.ahead = beside != NULL ? beside + (to - results) : NULL;
        loop_of(c, tile.rows, line->panel.width)(&tile);
        if (!direct)
            convolve_store(c, &(convolve_block){.sums = work->sums,
                                                .rows = tile.rows,
                                                .columns = tile.columns,
                                                .to = to,
                                                .to_row = line->to_row,
                                                .to_column = line->to_column});
        tile.x = (const char *)tile.x + tile.rows * tile.x_row * wide;
        to += tile.rows * line->to_row * itemsize;
    }
}

/* A part of the lines of a panel that is slid over: line->tile says which. */
static void slide_lines(const convolve_work *work, const panel_line *line, bool direct)
{
    const convolution *c = work->c;
    int64_t wide = (int64_t)dtype_itemsize(c->wide), itemsize = (int64_t)dtype_itemsize(c->dtype);
    convolve_tile tile = line->tile;
    int64_t results = tile.rows * tile.lines;
    tile.y_line = direct ? line->to_line : tile.rows;
    for (int64_t i = 0; i < line->panel.columns; ++i) {
        int64_t group = (line->panel.first + i) / c->out_channels;
        tile.x = (const char *)line->tile.x + (group * c->in_channels - work->slab.channel) *
                                                  work->slab.strides[WINDOW_CHANNELS] * wide;
        tile.w = (const char *)line->tile.w + i * c->terms * wide;
        tile.y =
            direct ? line->to + i * line->to_column * itemsize : work->sums + i * results * wide;
        c->loops->slide(&tile);
    }
    if (!direct)
        convolve_store(c, &(convolve_block){.sums = work->sums,
                                            .rows = line->panel.columns,
                                            .columns = results,
                                            .to = line->to,
                                            .to_row = line->to_column,
                                            .to_column = line->to_row});
}

/* All lines of a panel, as many at once as sums fit; one by one where they do not
 * follow each other in the result. */
static void slide_panel(const convolve_work *work, const panel_line *all)
{
    const convolution *c = work->c;
    int64_t wide = (int64_t)dtype_itemsize(c->wide), itemsize = (int64_t)dtype_itemsize(c->dtype);
    bool direct = stores_directly(c, all);
    int64_t rows = direct ? all->tile.rows : int64_min(all->tile.rows, SLIDE_ROWS);
    bool behind = all->to_line == rows * all->to_row;
    int64_t lines = direct ? all->tile.lines : behind ? SLIDE_ROWS / rows : 1;
    for (int64_t i = 0; i < all->tile.lines; i += lines)
        for (int64_t at = 0; at < all->tile.rows; at += rows) {
            panel_line part = *all;
            int64_t left = all->tile.lines - i, rest = all->tile.rows - at;
            part.tile.x = (const char *)part.tile.x + (i * part.tile.x_line + at) * wide;
            part.to += (i * part.to_line + at * part.to_row) * itemsize;
            part.tile.lines = int64_min(left, lines);
            part.tile.rows = int64_min(rest, rows);
            slide_lines(work, &part, direct);
        }
}

static void run_line(const convolve_work *work, const panel_line *line)
{
    bool direct = stores_directly(work->c, line);
    int64_t rows = line->tile.rows;
    run_rows(work, line, rows, rows_at_once(work->c, rows, direct), direct);
}

/* Some results that meet the same taps, as work->lists has them: along the line, or down, from line
 * to line. */
static void run_alike(convolve_work *work, const panel_line *all, int64_t rows, bool down)
{
    panel_line line = *all;
    bool direct = stores_directly(work->c, all);
    convolve_list_runs(work, down);
    line.tile.nruns = work->nruns;
    line.tile.x_row = down ? all->tile.x_line : all->tile.x_row;
    line.to_row = down ? all->to_line : all->to_row;
    run_rows(work, &line, rows, direct ? rows : BLEND_ROWS, direct);
}

/* The results of all lines from one index within the line on. With down, those at one index are
 * computed together across the lines that read the same taps of the axis before the last. first:
 * the index of the first line */
static void run_position(convolve_work *work, const panel_line *line, int64_t rows, int64_t first,
                         bool down)
{
    const convolution *c = work->c;
    int64_t wide = (int64_t)dtype_itemsize(c->wide), itemsize = (int64_t)dtype_itemsize(c->dtype);
    const int axis = PRIMITIVE_SPACE_AXES - 2;
    for (int64_t at = 0, lines; at < line->tile.lines; at += lines) {
        int64_t inside = down ? convolve_count_inside(work, axis, first + at) : 0;
        int64_t rest = line->tile.lines - at;
        panel_line part = *line;
        lines = int64_clamp(inside, 1, rest);
        part.tile.x = (const char *)line->tile.x + at * line->tile.x_line * wide;
        part.to += at * line->to_line * itemsize;
        convolve_clip_taps(work, axis, first + at);
        run_alike(work, &part, down ? lines : rows, down);
    }
}

/* Computes results at the ends of lines index by index, the others together. Those at the ends are
 * computed across lines if the order of their additions does not depend on the number of lines:
 * with one channel to a group. index: of the first result, on the axes of space */
static void run_clipped(convolve_work *work, const panel_line *all, const int64_t *index)
{
    const convolution *c = work->c;
    int64_t wide = (int64_t)dtype_itemsize(c->wide), itemsize = (int64_t)dtype_itemsize(c->dtype);
    const int last = PRIMITIVE_SPACE_AXES - 1;
    for (int i = 0; i < last - 1; ++i)
        convolve_clip_taps(work, i, index[i]);
    for (int64_t at = 0, rows; at < all->tile.rows; at += rows) {
        int64_t inside = convolve_count_inside(work, last, index[last] + at),
                rest = all->tile.rows - at;
        panel_line line = *all;
        rows = int64_clamp(inside, 1, rest);
        line.tile.x = (const char *)all->tile.x + at * all->tile.x_row * wide;
        line.to += at * all->to_row * itemsize;
        convolve_clip_taps(work, last, index[last] + at);
        run_position(work, &line, rows, index[last - 1], inside < 1 && c->in_channels == 1);
    }
}

/* The axis that rows are counted along: the last, or the one that fills blocks much better. */
static int choose_rows(const convolve_work *work)
{
    const convolution *c = work->c;
    int best = WINDOW_CHANNELS - 1;
    if (c->way != CONVOLVE_MULTIPLY)
        return best;
    int64_t most = c->loops->most_rows, full = work->count[best];
    for (int i = WINDOW_CHANNELS - 2; i >= 0; --i)
        if (full < most / 2 && work->count[i] > 2 * full) {
            best = i;
            full = work->count[i];
        }
    return best;
}

/* The lines of a box: all its results but for the axis of rows (and, when sliding or clipping, that
 * of lines), which the line itself counts. */
typedef struct box_lines {
    int row_axis, line_axis; /* line_axis -1: none */
    int64_t count;
    int64_t steps[WINDOW_CHANNELS],
        y_steps[WINDOW_CHANNELS]; /* in elements of the slab, and of the result */
    int64_t origin;               /* of the box's first result, in elements */
} box_lines;

static void measure_lines(const convolve_work *work, int row_axis, box_lines *out)
{
    const convolution *c = work->c;
    *out = (box_lines){.row_axis = row_axis,
                       .line_axis = c->way == CONVOLVE_SLIDE || c->clips ? WINDOW_CHANNELS - 2 : -1,
                       .count = 1};
    for (int i = 0; i < WINDOW_CHANNELS; ++i) {
        const convolve_axis *axis = i == WINDOW_BATCH ? NULL : &c->axes[i - WINDOW_SPACE];
        out->steps[i] = (axis ? axis->step : 1) * work->slab.strides[i];
        out->y_steps[i] = (axis ? axis->period : 1) * work->y_strides[i];
        out->origin += work->first[i] * out->y_steps[i] +
                       (axis ? work->phase[i - WINDOW_SPACE] : 0) * work->y_strides[i];
        out->count *= i == row_axis || i == out->line_axis ? 1 : work->count[i];
    }
}

/* The properties that all lines of the panel share. */
static panel_line describe_line(const convolve_work *work, const box_lines *lines, int64_t number)
{
    const convolution *c = work->c;
    convolve_panel panel = convolve_panel_at(c, number);
    int64_t wide = (int64_t)dtype_itemsize(c->wide);
    panel_line line = {.panel = panel,
                       .to_row = lines->y_steps[lines->row_axis],
                       .to_column = work->y_strides[WINDOW_CHANNELS]};
    line.tile = (convolve_tile){.w = (char *)c->call->scratch + panel.offset * wide,
                                .runs = work->runs,
                                .nruns = work->nruns,
                                .length = work->length,
                                .rows = work->count[lines->row_axis],
                                .columns = panel.columns,
                                .x_row = lines->steps[lines->row_axis],
                                .x_step = 1,
                                .w_step = panel.width};
    if (lines->line_axis >= 0) {
        line.tile.lines = work->count[lines->line_axis];
        line.tile.x_line = lines->steps[lines->line_axis];
        line.to_line = lines->y_steps[lines->line_axis];
    }
    return line;
}

/* Points the line to line number `at` of the box. index: set to the index of the line's first
 * result */
static void seek_line(const convolve_work *work, const box_lines *lines, int64_t at,
                      panel_line *line, int64_t index[WINDOW_CHANNELS])
{
    const convolution *c = work->c;
    int64_t column = (line->panel.group * c->out_channels + line->panel.first) / c->parts;
    int64_t to = lines->origin + column * line->to_column;
    int64_t channel = c->way == CONVOLVE_MULTIPLY ? work->slab.channel : 0;
    channel = line->panel.group * c->in_channels - channel;
    int64_t from = channel * work->slab.strides[WINDOW_CHANNELS];
    for (int i = WINDOW_CHANNELS - 1; i >= 0; --i) {
        index[i] = work->first[i];
        if (i == lines->row_axis || i == lines->line_axis)
            continue;
        int64_t in_box = at % work->count[i];
        at /= work->count[i];
        from += in_box * lines->steps[i];
        to += in_box * lines->y_steps[i];
        index[i] += in_box;
    }
    line->tile.x = work->slab.address + from * (int64_t)dtype_itemsize(c->wide);
    line->to = (char *)c->call->addresses[CONVOLVE_RESULT] + to * (int64_t)dtype_itemsize(c->dtype);
}

/* Leaves out taps that all results of a line meet in the zeros around x. Products with those are
 * zeros, so a sum has the same bits without them. */
static void skip_zeros(convolve_work *work, const int64_t *index, int row_axis, panel_line *line)
{
    for (int i = WINDOW_SPACE; i < WINDOW_CHANNELS; ++i)
        if (i != row_axis)
            convolve_clip_taps(work, i - WINDOW_SPACE, index[i]);
    convolve_list_runs(work, false);
    line->tile.nruns = work->nruns;
    line->tile.length = work->length;
}

static void run_panel(convolve_work *work, int64_t number, int row_axis)
{
    box_lines lines;
    measure_lines(work, row_axis, &lines);
    panel_line line = describe_line(work, &lines, number);
    bool in_slab = work->c->way == CONVOLVE_MULTIPLY && work->slab.address == work->slab_memory;
    for (int64_t at = 0; at < lines.count; ++at) {
        int64_t index[WINDOW_CHANNELS];
        seek_line(work, &lines, at, &line, index);
        if (in_slab)
            skip_zeros(work, index, row_axis, &line);
        if (work->c->way == CONVOLVE_SLIDE)
            slide_panel(work, &line);
        else if (work->c->clips)
            run_clipped(work, &line, index + WINDOW_SPACE);
        else
            run_line(work, &line);
    }
}

/* Finds or copies the elements of x that the panel reads, and the terms that are made of them. */
static void read_slab(convolve_work *work, int64_t panel)
{
    lay_out_channels(work->c, panel, &work->slab);
    convolve_pack_slab(work->c, &work->slab, work->slab_memory, work->aside);
    memcpy(work->lists, work->all, sizeof work->lists);
    memset(work->listed, 0, sizeof work->listed);
    convolve_list_runs(work, false);
}

/* Units are counted box by box, then phase by phase, then by parts of the panels, so that
 * neighbours read the same weights. */
static void run_unit(convolve_work *work, int64_t unit)
{
    const convolution *c = work->c;
    int64_t boxes = work->cut->boxes * work->cut->phases, part = unit / boxes;
    if (!seek_box(work, unit % boxes))
        return;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        convolve_list_taps(&c->axes[i], work->phase[i], &work->all[i]);
    lay_out_slab(work);
    int row_axis = choose_rows(work);
    int64_t first = c->panels * part / work->cut->parts, slab = -1;
    int64_t together = convolve_groups_together(c);
    for (int64_t i = first; i < c->panels * (part + 1) / work->cut->parts; ++i) {
        int64_t reads = convolve_panel_at(c, i).group / together;
        if (reads != slab)
            read_slab(work, i);
        slab = reads;
        run_panel(work, i, row_axis);
    }
}

/* Elements of the block for sums that are not written directly. */
static size_t block_nbytes(const convolution *c)
{
    size_t wide = dtype_itemsize(c->wide);
    switch (c->way) {
    case CONVOLVE_BLEND: return (size_t)(BLEND_ROWS * c->groups * c->out_channels) * wide;
    case CONVOLVE_SLIDE: return CONVOLVE_TOGETHER * SLIDE_ROWS * wide;
    default: return (size_t)(c->loops->most_rows * 2 * c->loops->lanes) * wide;
    }
}

/* Bytes of the parts of a thread's block: whole cache lines each, but for the taps. */
typedef struct work_sizes {
    size_t slab, sums, aside, runs, taps;
} work_sizes;

static work_sizes measure_work(const convolve_work *work)
{
    const convolution *c = work->c;
    convolve_slab widest = {.channels = convolve_slab_channels(c)};
    int64_t runs = c->taps * (c->way == CONVOLVE_SLIDE ? c->in_channels : 1), taps = 0;
    for (int i = 0; i < WINDOW_CHANNELS; ++i)
        widest.count[i] = convolve_span(c, i, work->cut->sizes[i]);
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        taps += c->axes[i].taps;
    size_t slab = convolve_reads_x(c) ? 0 : (size_t)convolve_slab_size(c, work->cut->sizes);
    return (work_sizes){.slab = size_whole_lines(slab * dtype_itemsize(c->wide)),
                        .sums = size_whole_lines(block_nbytes(c)),
                        .aside = size_whole_lines(convolve_aside(&widest)),
                        .runs = size_whole_lines((size_t)runs * sizeof(convolve_run)),
                        .taps = 2 * (size_t)taps * sizeof(int64_t)};
}

static void carve_block(convolve_work *work, const work_sizes *sizes, char *block)
{
    work->slab_memory = block;
    work->sums = work->slab_memory + sizes->slab;
    work->aside = work->sums + sizes->sums;
    work->runs = (convolve_run *)(void *)((char *)work->aside + sizes->aside);
    int64_t *list = (int64_t *)(void *)((char *)work->runs + sizes->runs);
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i) {
        work->all[i] = (convolve_taps){.taps = list, .starts = list + work->c->axes[i].taps};
        list += 2 * work->c->axes[i].taps;
    }
}

/* One allocation for all that the units of a thread need. gives: *out, the block, for base_free |
 * raises: NOMEM */
static jg_status take_memory(convolve_work *work, char **out)
{
    work_sizes sizes = measure_work(work);
    size_t nbytes = sizes.slab + sizes.sums + sizes.aside + sizes.runs + sizes.taps;
    char *block = base_alloc_aligned(ALIGNMENT, size_whole_lines(nbytes + 1));
    if (block == NULL)
        return base_nomem(nbytes, "a convolution");
    carve_block(work, &sizes, block);
    *out = block;
    return JG_OK;
}

static int steps(const routine_call *call)
{
    (void)call;
    return 2; /* the weights are packed, then used; or sums are made in parts, then added up */
}

/* The cut depends on call->threads, which is the same in `run`. */
static int64_t units(const routine_call *call, int step)
{
    convolution c;
    convolve_cut cut;
    if (call->operands[CONVOLVE_RESULT].size == 0)
        return 0;
    convolve_describe(call, &c);
    if (c.way == CONVOLVE_OUTER)
        return convolve_outer_units(&c, step);
    if (step == 0)
        return c.panels;
    convolve_cut_work(&c, call->threads, &cut);
    return cut.boxes * cut.phases * cut.parts;
}

/* Step 0 packs the weights into the scratch, which step 1 reads from all threads. The cut is
 * computed again in each call, as nothing is kept between units() and run(); it is the same in
 * both. */
static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    convolution c;
    convolve_cut cut;
    char *block = NULL;
    convolve_describe(call, &c);
    if (c.way == CONVOLVE_OUTER)
        return convolve_outer_run(&c, step, first, last);
    if (step == 0)
        return convolve_pack_weights(&c, first, last);
    convolve_cut_work(&c, call->threads, &cut);
    convolve_work work = {.c = &c, .cut = &cut};
    result_strides(&work);
    JG_TRY(take_memory(&work, &block));
    for (int64_t unit = first; unit < last; ++unit)
        run_unit(&work, unit);
    base_free(block);
    return JG_OK;
}

/* A vector of products costs about one operation. */
static int64_t work(const routine_call *call)
{
    convolution c;
    int64_t count;
    convolve_describe(call, &c);
    if (__builtin_mul_overflow(call->operands[CONVOLVE_RESULT].size, c.terms / 16 + 1, &count))
        return INT64_MAX;
    return count;
}

/* The packed weights or the sums of parts, in the elements of sums. */
static size_t scratch(const routine_call *call)
{
    convolution c;
    convolve_describe(call, &c);
    return (size_t)convolve_packed_size(&c) * dtype_itemsize(c.wide);
}

/* A box of results is one run of elements where all axes inside the one that is cut are whole, and
 * those outside it have extent 1. */
static bool covers(const routine_call *call, int64_t unit, int64_t *first, int64_t *last)
{
    const routine_operand *y = &call->operands[CONVOLVE_RESULT];
    convolution c;
    convolve_cut cut;
    convolve_describe(call, &c);
    if (c.way == CONVOLVE_OUTER || (call->beside != NULL && c.terms < ROUTINE_LEAST_BESIDE))
        return false;
    convolve_cut_work(&c, call->threads, &cut);
    if (c.channels_first || cut.phases > 1 || cut.parts > 1)
        return false;
    int64_t step = y->shape[y->ndim - 1], start = 0, count = step;
    bool whole = true;
    for (int i = WINDOW_CHANNELS - 1; i >= 0; --i) {
        int64_t extent = convolve_extent(&c, i), at = unit % cut.counts[i] * cut.sizes[i];
        if (!whole && cut.sizes[i] > 1)
            return false;
        whole = whole && cut.sizes[i] >= extent;
        start += at * step;
        count *= int64_min(extent - at, cut.sizes[i]);
        step *= extent;
        unit /= cut.counts[i];
    }
    *first = start;
    *last = start + count;
    return true;
}

static double flops(const routine_call *call)
{
    const routine_operand *w = &call->operands[CONVOLVE_W];
    int64_t terms = w->size == 0 ? 0 : w->size / w->shape[WINDOW_BATCH];
    return 2.0 * (double)call->operands[CONVOLVE_RESULT].size * (double)terms;
}

const jg_routine routine_convolve = {.name = "convolve",
                                     .steps = steps,
                                     .units = units,
                                     .run = run,
                                     .work = work,
                                     .flops = flops,
                                     .scratch = scratch,
                                     .covers = covers};
