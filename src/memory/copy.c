/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between two layouts of one shape on the host: rows that are dense on both sides by memcpy,
 * others element by element. Imports, exports and reads use it; copies within graphs are made by
 * programs.
 *
 * Axes are brought into the order in which the target lies. Where the source lies along another
 * axis than the target, elements are copied in strips a few lines wide, down the axis along which
 * the source lies: so the lines that a strip reads are in the cache until all of them is read. */
#include "memory/memory.h"
#include <string.h>

enum { LINE_NBYTES = 64, STRIP_LINES = 16 };

typedef struct copy_axis {
    int64_t extent, from, to; /* steps in bytes */
} copy_axis;

typedef struct copy_plan {
    size_t itemsize;
    int naxes; /* at least 2: rows, and what is across them, inside all others */
    copy_axis axes[JG_MAX_NDIM + 2];
} copy_plan;

/* Steps are bounded by what memory holds, so none is INT64_MIN. */
static int64_t magnitude(int64_t step)
{
    return step < 0 ? -step : step;
}

static void swap_axes(copy_axis *a, copy_axis *b)
{
    copy_axis kept = *a;
    *a = *b;
    *b = kept;
}

/* Puts the axis where the target's steps go on falling; of equal steps the later axis stays
 * inside. */
static void add_axis(copy_plan *plan, copy_axis axis)
{
    int at = plan->naxes++;
    plan->axes[at] = axis;
    for (; at > 0 && magnitude(plan->axes[at - 1].to) < magnitude(plan->axes[at].to); --at)
        swap_axes(&plan->axes[at - 1], &plan->axes[at]);
}

/* Whether a step of the outer axis continues after the last step of the inner one, on both
 * sides. */
static bool goes_on(const copy_axis *outer, const copy_axis *inner)
{
    return outer->from == inner->from * inner->extent && outer->to == inner->to * inner->extent;
}

/* Axes that both sides walk as one become one. */
static void merge_axes(copy_plan *plan)
{
    int last = 0;
    for (int i = 1; i < plan->naxes; ++i) {
        copy_axis *outer = &plan->axes[last], *inner = &plan->axes[i];
        if (goes_on(outer, inner))
            *outer = (copy_axis){outer->extent * inner->extent, inner->from, inner->to};
        else
            plan->axes[++last] = *inner;
    }
    plan->naxes = last + 1;
}

/* The axis along which the source lies goes next to the rows, if it is none of both. Axes along
 * which the source repeats itself have a step of 0 and do not count. */
static void place_across(copy_plan *plan)
{
    copy_axis *across = &plan->axes[plan->naxes - 2];
    for (int i = 0; i < plan->naxes - 2; ++i)
        if (plan->axes[i].from != 0 && magnitude(plan->axes[i].from) < magnitude(across->from))
            swap_axes(&plan->axes[i], across);
}

static void plan_copy(int ndim, const int64_t *shape, size_t itemsize, const int64_t *from,
                      const int64_t *to, copy_plan *plan)
{
    const int64_t size = (int64_t)itemsize;
    /* An outermost axis of extent 1, for arrays of fewer than two axes. */
    const copy_axis none = {1, 0, INT64_MAX};
    plan->itemsize = itemsize;
    plan->naxes = 0;
    for (int i = 0; i < ndim; ++i)
        if (shape[i] != 1)
            add_axis(plan, (copy_axis){shape[i], from[i] * size, to[i] * size});
    if (plan->naxes > 1)
        merge_axes(plan);
    while (plan->naxes < 2)
        add_axis(plan, none);
    place_across(plan);
}

/* The address need not be aligned. */
#define COPY_ITEMS(nbytes)                                                                         \
    for (int64_t i = 0; i < count; ++i)                                                            \
        memcpy(to + i * row->to, from + i * row->from, nbytes);                                    \
    break;

static void copy_row(const copy_axis *row, int64_t count, size_t itemsize, const char *from,
                     char *to)
{
    if (row->from == (int64_t)itemsize && row->to == (int64_t)itemsize) {
        memcpy(to, from, (size_t)count * itemsize);
        return;
    }
    switch (itemsize) {
    case 1: COPY_ITEMS(1)
    case 2: COPY_ITEMS(2)
    case 4: COPY_ITEMS(4)
    case 8: COPY_ITEMS(8)
    default: COPY_ITEMS(itemsize)
    }
}

/* How many elements of a row are copied before the next row: all of them, unless each is in a line
 * of its own at the source while the rows lie side by side there. */
static int64_t strip_width(const copy_plan *plan)
{
    const copy_axis *row = &plan->axes[plan->naxes - 1], *across = row - 1;
    bool is_transposed = across->from != 0 && magnitude(across->from) < LINE_NBYTES &&
                         magnitude(row->from) >= LINE_NBYTES;
    return is_transposed ? STRIP_LINES : row->extent;
}

static void copy_plane(const copy_plan *plan, const char *from, char *to)
{
    const copy_axis *row = &plan->axes[plan->naxes - 1], *across = row - 1;
    int64_t width = strip_width(plan);
    for (int64_t first = 0; first < row->extent; first += width) {
        int64_t count = int64_min(row->extent - first, width);
        const char *source = from + first * row->from;
        char *target = to + first * row->to;
        for (int64_t i = 0; i < across->extent; ++i)
            copy_row(row, count, plan->itemsize, source + i * across->from,
                     target + i * across->to);
    }
}

/* Steps to the next plane. gives: false after the last */
static bool next_plane(const copy_plan *plan, int64_t *index, const char **from, char **to)
{
    for (int i = plan->naxes - 3; i >= 0; --i) {
        const copy_axis *axis = &plan->axes[i];
        *from += axis->from;
        *to += axis->to;
        if (++index[i] < axis->extent)
            return true;
        *from -= axis->from * axis->extent;
        *to -= axis->to * axis->extent;
        index[i] = 0;
    }
    return false;
}

void copy_strided(int ndim, const int64_t *shape, size_t itemsize, const void *from,
                  const int64_t *from_strides, void *to, const int64_t *to_strides)
{
    int64_t index[JG_MAX_NDIM] = {0};
    const char *source = from;
    char *target = to;
    copy_plan plan;
    for (int i = 0; i < ndim; ++i)
        if (shape[i] == 0)
            return;
    plan_copy(ndim, shape, itemsize, from_strides, to_strides, &plan);
    do
        copy_plane(&plan, source, target);
    while (next_plane(&plan, index, &source, &target));
}
