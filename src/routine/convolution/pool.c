/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling: the largest or the mean of the elements under a window. A unit is a line of results,
 * along the last axis of space: of all channels where they come last, else of one channel.
 *
 * With channels last, the pixels under a window are folded channel by channel. In a line of one
 * channel the rows under a window are folded first, and then adjacent elements. Rows are read in
 * place; rows with other strides, and half precision, are copied to a separate row first. */
#include "routine/loops.h"
#include "routine/routine.h"

enum { X, RESULT };                  /* the operands */
enum { LAST = WINDOW_CHANNELS - 1 }; /* the last axis of space */
enum { TOGETHER = 4 };               /* rows that are folded at once */

/* in: of x; out: of the result; the others are attributes. */
typedef struct pool_axis {
    int64_t in, out, window, stride, dilation, before, after;
} pool_axis;

typedef struct pooling {
    const routine_call *call;
    const pooling_loops *loops;
    void (*widen)(const void *from, int64_t count, void *to); /* NULL for what is folded as it is */
    void (*narrow)(const void *from, int64_t count, void *to);
    void (*divide)(void *sums, double divisor, int64_t count);
    pool_axis axes[PRIMITIVE_SPACE_AXES];
    int64_t channels; /* of a line, in what is folded: a complex one is two */
    int parts;
    bool mean, planes;     /* planes: a line has one channel */
    size_t itemsize, wide; /* bytes of an element of x; of what is folded */
} pooling;

/* Halves are folded in float32; integers have no means, and their maxima are folded as they are. */
static jg_dtype wide_of(jg_dtype dtype)
{
    jg_dtype real = dtype_real_part(dtype);
    return routine_loops_chosen()->convolves->widen[real] && dtype_is_floating(real)
               ? JG_DTYPE_FLOAT32
               : real;
}

/* Axes that the user's array does not have are first and of extent 1. */
static void describe_axis(const pooling *p, int axis, pool_axis *out)
{
    const routine_operand *y = &p->call->operands[RESULT];
    const pool_attributes *attributes = &p->call->attributes->pool;
    int missing = PRIMITIVE_SPACE_AXES - (y->ndim - 2);
    int first = attributes->channels_first ? 2 : 1;
    *out = (pool_axis){.in = p->call->operands[X].shape[WINDOW_SPACE + axis],
                       .out = axis < missing ? 1 : y->shape[first + axis - missing],
                       .window = attributes->window[axis],
                       .stride = attributes->stride[axis],
                       .dilation = attributes->dilation[axis],
                       .before = attributes->before[axis],
                       .after = attributes->after[axis]};
}

static void describe(const routine_call *call, pooling *out)
{
    const routine_loops *loops = routine_loops_chosen();
    const routine_operand *x = &call->operands[X];
    jg_dtype wide = wide_of(x->dtype);
    bool casts = wide != dtype_real_part(x->dtype), mean = call->attributes->pool.mean;
    int parts = dtype_is_complex(x->dtype) ? 2 : 1;
    *out = (pooling){.call = call,
                     .loops = (mean ? loops->pools->sums : loops->pools->largest)[wide],
                     .widen = casts ? loops->convolves->widen[x->dtype] : NULL,
                     .narrow = casts ? loops->convolves->narrow[x->dtype] : NULL,
                     .divide = loops->pools->divide[wide],
                     .parts = parts,
                     .mean = mean,
                     .planes = call->attributes->pool.channels_first,
                     .itemsize = dtype_itemsize(x->dtype),
                     .wide = dtype_itemsize(wide)};
    out->channels = (out->planes ? 1 : x->shape[WINDOW_CHANNELS]) * parts;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        describe_axis(out, i, &out->axes[i]);
}

/* The taps of a window that lie inside x along an axis: how many, and where the first one is. */
typedef struct pool_window {
    int64_t first, taps;
    int64_t counted; /* of the elements that a mean counts, which may include the padding */
} pool_window;

/* Taps of a window that lie before an element that far from the first tap. */
static int64_t taps_before(const pool_axis *axis, int64_t distance)
{
    distance = int64_max(distance, 0);
    /* A division takes longer than a small window. */
    return axis->dilation == 1 ? distance : ceil_div(distance, axis->dilation);
}

static pool_window window_at(const pooling *p, const pool_axis *axis, int64_t result)
{
    int64_t start = result * axis->stride - axis->before, end = axis->in + axis->after;
    int64_t low = taps_before(axis, -start), high = taps_before(axis, axis->in - start);
    int64_t counted = taps_before(axis, end - start);
    high = int64_min(high, axis->window);
    int64_t taps = high > low ? high - low : 0;
    counted = int64_min(counted, axis->window);
    return (pool_window){start + low * axis->dilation, taps,
                         p->call->attributes->pool.without_padding ? taps : counted};
}

typedef struct pool_work {
    const pooling *p;
    const void **rows, **taps; /* lists of what is folded */
    int64_t nrows, pixel;      /* elements of what is folded from one pixel of a row to the next */
    char *brought, *aside, *sums; /* for rows that are not read in place; and a line of results */
    double counted;               /* elements under the window, along the axes before the last */
} pool_work;

/* The number that a sum is divided by. */
static double divisor_of(const pool_work *work, const pool_window *window)
{
    int64_t given = work->p->call->attributes->pool.divisor;
    return given != 0 ? (double)given : work->counted * (double)window->counted;
}

/* Folds the list into `to`. */
static void fold(const pooling *p, const void *const *list, int64_t count, int64_t n, void *to)
{
    int first = count < TOGETHER ? (int)count : TOGETHER;
    p->loops->begin(to, list, first, n);
    for (int64_t i = first; i < count; i += TOGETHER)
        p->loops->fold(to, list + i, count - i < TOGETHER ? (int)(count - i) : TOGETHER, n);
}

static bool reads_rows(const pooling *p)
{
    const int64_t *strides = p->call->operands[X].strides;
    if (p->widen != NULL)
        return false;
    return p->planes
               ? strides[LAST] == 1 || p->parts == 2
               : strides[WINDOW_CHANNELS] == 1 || p->call->operands[X].shape[WINDOW_CHANNELS] == 1;
}

/* Copies the row's pixels side by side, as wide as they are folded. */
static const void *bring_row(const pool_work *work, const char *from, int64_t index)
{
    const pooling *p = work->p;
    const routine_operand *x = &p->call->operands[X];
    int64_t pixels = p->axes[LAST - WINDOW_SPACE].in, items = p->channels / p->parts;
    int64_t step = (int64_t)p->itemsize, count = pixels * items;
    char *to = work->brought + (size_t)(index * pixels * p->channels) * p->wide;
    char *raw = p->widen ? work->aside : to;
    if (items == 1)
        routine_copy_run(raw, from, pixels, x->strides[LAST] * step, p->itemsize);
    else
        for (int64_t i = 0; i < pixels; ++i)
            routine_copy_run(raw + i * items * step, from + i * x->strides[LAST] * step, items,
                             x->strides[WINDOW_CHANNELS] * step, p->itemsize);
    if (p->widen)
        p->widen(raw, count, to);
    return to;
}

/* The rows of x that lie under the line; origin is that of its batch and channel. */
static void list_rows(pool_work *work, const char *origin, const pool_window *outer)
{
    const pooling *p = work->p;
    const routine_operand *x = &p->call->operands[X];
    bool in_place = reads_rows(p);
    work->nrows = 0;
    work->pixel = in_place ? x->strides[LAST] * p->parts : p->channels;
    for (int64_t i = 0; i < outer[0].taps; ++i)
        for (int64_t j = 0; j < outer[1].taps; ++j) {
            int64_t at = (outer[0].first + i * p->axes[0].dilation) * x->strides[WINDOW_SPACE] +
                         (outer[1].first + j * p->axes[1].dilation) * x->strides[WINDOW_SPACE + 1];
            const char *from = origin + at * (int64_t)p->itemsize;
            work->rows[work->nrows] = in_place ? from : bring_row(work, from, work->nrows);
            work->nrows += 1;
        }
}

/* Each result folds the pixels under its window, in all channels. */
static void fold_pixels(const pool_work *work, char *to)
{
    const pooling *p = work->p;
    const pool_axis *axis = &p->axes[LAST - WINDOW_SPACE];
    for (int64_t i = 0; i < axis->out; ++i, to += (size_t)p->channels * p->wide) {
        pool_window window = window_at(p, axis, i);
        int64_t count = 0;
        for (int64_t r = 0; r < work->nrows; ++r)
            for (int64_t k = 0; k < window.taps; ++k)
                work->taps[count++] =
                    (const char *)work->rows[r] +
                    (window.first + k * axis->dilation) * work->pixel * (int64_t)p->wide;
        fold(p, work->taps, count, p->channels, to);
        if (p->mean)
            p->divide(to, divisor_of(work, &window), p->channels);
    }
}

/* Results whose windows lie inside x: the first, and the one after the last. */
static void find_inside(const pool_axis *axis, int64_t *first, int64_t *last)
{
    int64_t reach = (axis->window - 1) * axis->dilation;
    int64_t end = axis->in - reach + axis->before;
    *first = ceil_div(int64_max(axis->before, 0), axis->stride);
    *last = int64_min(ceil_div(int64_max(end, 0), axis->stride), axis->out);
    if (*last <= *first)
        *first = *last = axis->out;
}

/* The results of one channel: windows inside x together, those at the ends one by one. */
static void slide_row(const pool_work *work, char *to)
{
    const pooling *p = work->p;
    const pool_axis *axis = &p->axes[LAST - WINDOW_SPACE];
    int64_t wide = (int64_t)p->wide, first, last;
    const char *row = work->rows[0];
    if (work->nrows != 1) {
        fold(p, work->rows, work->nrows, axis->in, work->aside);
        row = work->aside;
    }
    find_inside(axis, &first, &last);
    for (int64_t i = 0; i < axis->out; ++i) {
        pool_window window = window_at(p, axis, i);
        int64_t count = i == first ? last - first : 1;
        p->loops->slide(row + window.first * wide, window.taps, axis->dilation, axis->stride,
                        to + i * wide, count);
        if (p->mean)
            p->divide(to + i * wide, divisor_of(work, &window), count);
        i += count - 1;
    }
}

static void run_line(pool_work *work, int64_t line)
{
    const pooling *p = work->p;
    const routine_operand *x = &p->call->operands[X];
    int64_t count = p->axes[LAST - WINDOW_SPACE].out * p->channels, rest = line;
    pool_window outer[PRIMITIVE_SPACE_AXES - 1];
    work->counted = 1;
    for (int i = PRIMITIVE_SPACE_AXES - 2; i >= 0; --i) {
        outer[i] = window_at(p, &p->axes[i], rest % p->axes[i].out);
        work->counted *= (double)outer[i].counted;
        rest /= p->axes[i].out;
    }
    int64_t planes = p->planes ? x->shape[WINDOW_CHANNELS] : 1;
    int64_t origin =
        rest / planes * x->strides[WINDOW_BATCH] + rest % planes * x->strides[WINDOW_CHANNELS];
    list_rows(work, (const char *)p->call->addresses[X] + origin * (int64_t)p->itemsize, outer);
    char *to = (char *)p->call->addresses[RESULT] + (size_t)(line * count / p->parts) * p->itemsize;
    char *sums = p->narrow ? work->sums : to;
    (p->planes && p->parts == 1 ? slide_row : fold_pixels)(work, sums);
    if (p->narrow)
        p->narrow(sums, count, to);
}

/* The most taps of a window inside x, at least 1: a window may be far larger than x, half of it in
 * the padding, and memory for all of its taps beyond what size_t counts. */
static size_t most_taps(const pool_axis *axis)
{
    int64_t taps = int64_min(axis->window, axis->in);
    return taps > 1 ? (size_t)taps : 1;
}

/* Cuts one allocation into what the lines of a thread need. gives: *out, for base_free
 * | raises: NOMEM */
static jg_status take_memory(pool_work *work, char **out)
{
    const pooling *p = work->p;
    const pool_axis *axes = p->axes, *last = &p->axes[LAST - WINDOW_SPACE];
    size_t rows = most_taps(&axes[0]) * most_taps(&axes[1]);
    size_t row = (size_t)(last->in * p->channels) * sizeof(double) * 2;
    size_t lists = (rows + rows * most_taps(last)) * sizeof(void *);
    size_t brought = reads_rows(p) ? 0 : rows * row;
    size_t sums = (size_t)(last->out * p->channels) * sizeof(double) + sizeof(double);
    size_t nbytes = lists + brought + row + sums;
    char *block = base_alloc(nbytes);
    if (block == NULL)
        return base_nomem(nbytes, "a pooling");
    work->rows = (const void **)(void *)block;
    work->taps = work->rows + rows;
    work->brought = block + lists;
    work->aside = work->brought + brought;
    work->sums = work->aside + row;
    *out = block;
    return JG_OK;
}

/* Lines of results; the empty result has none, whatever its axes are. */
static int64_t units(const routine_call *call, int step)
{
    const routine_operand *y = &call->operands[RESULT];
    (void)step;
    int64_t last = y->shape[y->ndim - (call->attributes->pool.channels_first ? 1 : 2)];
    int64_t channels = call->attributes->pool.channels_first ? 1 : y->shape[y->ndim - 1];
    return y->size == 0 ? 0 : y->size / (last * channels);
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    pooling p;
    pool_work work = {.p = &p};
    char *block = NULL;
    (void)step;
    describe(call, &p);
    JG_TRY(take_memory(&work, &block));
    for (int64_t line = first; line < last; ++line)
        run_line(&work, line);
    base_free(block);
    return JG_OK;
}

/* An element that is read costs about a quarter of an operation. */
static int64_t work(const routine_call *call)
{
    return (call->operands[X].size + call->operands[RESULT].size) / 4;
}

const jg_routine routine_pool = {.name = "pool", .units = units, .run = run, .work = work};
