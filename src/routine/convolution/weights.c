/* SPDX-License-Identifier: Apache-2.0 */
/* The weights of a convolution, in panels of a few columns (result channels), term after term. What
 * a column is made of is mostly one run of memory, in whatever order its axes lie; runs of eight
 * columns are interleaved as vectors. */
#include "routine/convolution/convolve.h"

enum { INNER = WINDOW_NDIM - 1 /* axes of a column */ };

/* How the columns of w lie: their items (a complex number is one item) in the order in which they
 * are read. */
typedef struct weights {
    const convolution *c;
    const char *address;
    int64_t items; /* of a column */
    bool dense;    /* a column is one run of memory, in this order */
    int order[INNER];
    int64_t *offsets; /* of each item in memory, and the number of its term */
    int64_t *terms;
    char *lines; /* CONVOLVE_TOGETHER columns */
    char *raw;   /* one, as it is in memory */
} weights;

/* The axes of a column, those with the largest strides first. */
static void sort_axes(const routine_operand *w, int *order)
{
    for (int i = 0; i < INNER; ++i) {
        int at = i;
        for (; at > 0 && w->strides[order[at - 1]] < w->strides[i + 1]; --at)
            order[at] = order[at - 1];
        order[at] = i + 1;
    }
}

/* The number of the term that a weight belongs to: taps in the order of x, flipped if that is
 * asked for, then channels; for sliding, channels come first. */
static int64_t term_of(const convolution *c, const int64_t *index)
{
    const routine_operand *w = &c->w;
    int64_t tap = 0;
    for (int i = WINDOW_SPACE; i < WINDOW_CHANNELS; ++i)
        tap = tap * w->shape[i] + (c->flip ? w->shape[i] - 1 - index[i] : index[i]);
    return c->way == CONVOLVE_SLIDE ? index[WINDOW_CHANNELS] * c->taps + tap
                                    : tap * w->shape[WINDOW_CHANNELS] + index[WINDOW_CHANNELS];
}

/* The order, offsets and terms are the same for every column and are computed once for all
 * panels. */
static void list_items(weights *all)
{
    const routine_operand *w = &all->c->w;
    int64_t index[WINDOW_NDIM] = {0}, offset = 0;
    all->dense = true;
    for (int64_t i = 0; i < all->items; ++i) {
        all->offsets[i] = offset;
        all->terms[i] = term_of(all->c, index);
        all->dense = all->dense && offset == i;
        for (int k = INNER - 1; k >= 0; --k) {
            int axis = all->order[k];
            offset += w->strides[axis];
            if (++index[axis] < w->shape[axis])
                break;
            offset -= index[axis] * w->strides[axis];
            index[axis] = 0;
        }
    }
}

/* Copies a column's items, in order. */
static void gather_items(const weights *all, const char *from, char *to)
{
    const routine_operand *w = &all->c->w;
    int inner = all->order[INNER - 1];
    int64_t itemsize = (int64_t)all->c->itemsize, run = w->shape[inner];
    for (int64_t i = 0; i < all->items; i += run)
        routine_copy_run(to + i * itemsize, from + all->offsets[i] * itemsize, run,
                         w->strides[inner] * itemsize, (size_t)itemsize);
}

/* The items of a column, side by side and as wide as sums are: where they lie, or in the line. */
static const void *gather_column(const weights *all, int64_t column, char *line)
{
    const convolution *c = all->c;
    const char *from = all->address;
    from += column * c->w.strides[0] * (int64_t)c->itemsize;
    if (!all->dense) {
        gather_items(all, from, c->widen != NULL ? all->raw : line);
        from = c->widen != NULL ? all->raw : line;
    }
    if (c->widen == NULL)
        return from;
    c->widen(from, all->items, line);
    return line;
}

/* A complex product as real ones: (re, im) of x times w is re * (w.re, w.im) + im * (-w.im,
 * w.re). */
#define SPREAD_COMPLEX(NAME, T)                                                                    \
    static void spread_##NAME(const weights *all, const T *from, int64_t width, T *to)             \
    {                                                                                              \
        for (int64_t i = 0; i < all->items; ++i) {                                                 \
            T *at = to + all->terms[i] * 2 * width, re = from[2 * i], im = from[2 * i + 1];        \
            at[0] = re;                                                                            \
            at[1] = im;                                                                            \
            at[width] = -im;                                                                       \
            at[width + 1] = re;                                                                    \
        }                                                                                          \
    }
SPREAD_COMPLEX(f32, float)
SPREAD_COMPLEX(f64, double)

/* A complex column becomes two of reals, which is why columns are counted in twos. */
static void pack_complex(const weights *all, const convolve_panel *panel, char *to)
{
    const convolution *c = all->c;
    int64_t column = (panel->group * c->out_channels + panel->first) / 2;
    for (int64_t i = 0; i < panel->columns; i += 2) {
        const void *from = gather_column(all, column + i / 2, all->lines);
        if (c->wide == JG_DTYPE_FLOAT64)
            spread_f64(all, from, panel->width, (double *)(void *)to + i);
        else
            spread_f32(all, from, panel->width, (float *)(void *)to + i);
    }
}

/* all->lines can hold CONVOLVE_TOGETHER columns; what is left of a panel's width is zero
 * already. */
static void pack_real(const weights *all, const convolve_panel *panel, const int64_t *offsets,
                      char *to)
{
    const convolution *c = all->c;
    int64_t wide = (int64_t)dtype_itemsize(c->wide), line = all->items * wide;
    int64_t column = panel->group * c->out_channels + panel->first;
    const void *rows[CONVOLVE_TOGETHER];
    for (int64_t i = 0; i < panel->columns; i += CONVOLVE_TOGETHER) {
        int64_t rest = panel->columns - i, count = int64_min(rest, CONVOLVE_TOGETHER);
        for (int64_t r = 0; r < count; ++r)
            rows[r] = gather_column(all, column + i + r, all->lines + r * line);
        c->loops->interleave(rows, (int)count, all->items, offsets, to + i * wide);
    }
}

/* Column r of a group has its channels in an order of its own: term t has channel t ^ r. */
#define BLEND_COLUMNS_OF(EACH, T)                                                                  \
    for (int64_t i = 0; i < all->items; ++i) {                                                     \
        for (int64_t r = 0; r < (EACH); ++r)                                                       \
            ((T *)to)[(all->terms[i] ^ r) * width + r] = ((const T *)rows[r])[i];                  \
    }
#define BLEND_GROUP(NAME, T)                                                                       \
    static void blend_group_##NAME(const weights *all, const void *const *rows, int64_t width,     \
                                   void *to)                                                       \
    {                                                                                              \
        switch (all->c->in_channels) {                                                             \
        case 2: BLEND_COLUMNS_OF(2, T) break;                                                      \
        case 4: BLEND_COLUMNS_OF(4, T) break;                                                      \
        default: BLEND_COLUMNS_OF(CONVOLVE_MAX_BLENDED, T)                                         \
        }                                                                                          \
    }
BLEND_GROUP(f32, float)
BLEND_GROUP(f64, double)

static void pack_blended(const weights *all, const convolve_panel *panel, char *to)
{
    const convolution *c = all->c;
    int64_t wide = (int64_t)dtype_itemsize(c->wide), line = all->items * wide;
    const void *rows[CONVOLVE_MAX_BLENDED];
    for (int64_t column = 0; column < panel->columns; column += c->in_channels) {
        for (int64_t r = 0; r < c->in_channels; ++r)
            rows[r] = gather_column(all, panel->first + column + r, all->lines + r * line);
        (c->wide == JG_DTYPE_FLOAT64 ? blend_group_f64 : blend_group_f32)(all, rows, panel->width,
                                                                          to + column * wide);
    }
}

/* Columns that fill a panel up are zeros. */
static void pack_panel(const weights *all, const convolve_panel *panel, int64_t *offsets)
{
    const convolution *c = all->c;
    int64_t wide = (int64_t)dtype_itemsize(c->wide);
    char *to = (char *)c->call->scratch + panel->offset * wide;
    if (panel->columns < panel->width)
        for (int64_t i = 0; i < c->terms * panel->width * wide; ++i)
            to[i] = 0;
    if (c->parts == 2) {
        pack_complex(all, panel, to);
        return;
    }
    if (c->way == CONVOLVE_BLEND && c->in_channels > 1) {
        pack_blended(all, panel, to);
        return;
    }
    for (int64_t i = 0; i < all->items; ++i)
        offsets[i] = all->terms[i] * panel->width;
    if (c->way != CONVOLVE_SLIDE) {
        pack_real(all, panel, offsets, to);
        return;
    }
    for (int64_t i = 0; i < panel->columns; ++i)
        pack_real(all, &(convolve_panel){.first = panel->first + i, .columns = 1}, offsets,
                  to + i * c->terms * wide);
}

jg_status convolve_pack_weights(const convolution *c, int64_t first, int64_t last)
{
    int64_t items = c->terms / c->parts;
    /* One block: the items' offsets in w, their terms, offsets in the panel, then the lines of
     * eight columns and a raw one. double is the widest element; a complex128 is two of them. */
    size_t lists = (size_t)items * sizeof(int64_t), line = (size_t)items * 2 * sizeof(double);
    size_t nbytes = 3 * lists + (CONVOLVE_TOGETHER + 1) * line + 1;
    char *block = base_alloc(nbytes);
    if (block == NULL)
        return base_nomem(nbytes, "the weights of a convolution");
    weights all = {.c = c,
                   .address = c->call->addresses[CONVOLVE_W],
                   .items = items,
                   .offsets = (int64_t *)(void *)block,
                   .terms = (int64_t *)(void *)(block + lists),
                   .lines = block + 3 * lists,
                   .raw = block + 3 * lists + CONVOLVE_TOGETHER * line};
    sort_axes(&c->w, all.order);
    list_items(&all);
    for (int64_t i = first; i < last; ++i) {
        convolve_panel panel = convolve_panel_at(c, i);
        pack_panel(&all, &panel, (int64_t *)(void *)(block + 2 * lists));
    }
    base_free(block);
    return JG_OK;
}
