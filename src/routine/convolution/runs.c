/* SPDX-License-Identifier: Apache-2.0 */
/* Which elements of x a convolution's results meet: the taps of each axis that fall on elements,
 * and the runs of terms that are made of them, which the loops read. */
#include "routine/convolution/convolve.h"
#include <string.h>

/* A result of the phase meets element (phase * stride + k * dilation - before) / spread and on,
 * where that is whole: other taps fall on the zeros between elements. */
void convolve_list_taps(const convolve_axis *axis, int64_t phase, convolve_taps *out)
{
    out->count = 0;
    for (int64_t k = 0; k < axis->taps; ++k) {
        int64_t at = phase * axis->stride + k * axis->dilation - axis->before;
        if (at % axis->spread != 0)
            continue;
        out->taps[out->count] = k;
        out->starts[out->count++] = at / axis->spread;
    }
}

/* The offset of a tap's element from the first tap's. */
static int64_t tap_offset(const convolve_work *work, int axis, int64_t at)
{
    const convolve_taps *list = &work->lists[axis];
    return (list->starts[at] - work->all[axis].starts[0]) * work->slab.strides[WINDOW_SPACE + axis];
}

/* Whether all taps of the last axis are one run: they are read one after the other, in the order of
 * the weights. */
static bool last_axis_runs(const convolve_work *work, int64_t run)
{
    const convolve_taps *list = &work->lists[PRIMITIVE_SPACE_AXES - 1];
    const convolve_axis *axis = &work->c->axes[PRIMITIVE_SPACE_AXES - 1];
    int64_t stride = work->slab.strides[WINDOW_CHANNELS - 1];
    return list->count == axis->taps && (list->count == 1 || axis->dilation == axis->spread) &&
           (list->count == 1 || stride == run);
}

/* The runs of channel `channel` on of the taps that are met. A run is `length` terms that follow
 * one another both in x and in the weights: a tap's channels, or the whole last axis. For sliding,
 * which has channels apart, each channel has runs of its own. */
static void add_runs(convolve_work *work, int64_t channel, bool whole)
{
    const convolution *c = work->c;
    const convolve_taps *lists = work->lists;
    int inner = work->down ? 1 : 2, outer = 3 - inner;
    int64_t each = c->way == CONVOLVE_SLIDE ? 1 : c->in_channels;
    int64_t first = c->way == CONVOLVE_SLIDE ? channel * c->taps : 0, at[PRIMITIVE_SPACE_AXES];
    for (at[0] = 0; at[0] < lists[0].count; ++at[0])
        for (at[outer] = 0; at[outer] < lists[outer].count; ++at[outer])
            for (at[inner] = 0; at[inner] < (whole ? 1 : lists[inner].count); ++at[inner]) {
                convolve_run *run = &work->runs[work->nruns++];
                int64_t tap = 0;
                run->x = channel * work->slab.strides[WINDOW_CHANNELS];
                for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i) {
                    tap = tap * c->axes[i].taps + lists[i].taps[at[i]];
                    run->x += tap_offset(work, i, at[i]);
                }
                run->term = first + tap * each;
            }
}

static bool is_same(const convolve_taps *x, const convolve_taps *other)
{
    return x->count == other->count && x->taps == other->taps;
}

static bool are_listed(const convolve_work *work, bool down)
{
    bool same = work->down == down;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        same = same && is_same(&work->lists[i], &work->listed[i]);
    return same;
}

void convolve_list_runs(convolve_work *work, bool down)
{
    const convolution *c = work->c;
    bool slides = c->way == CONVOLVE_SLIDE;
    int64_t run = slides ? 1 : c->in_channels;
    bool whole = c->way != CONVOLVE_BLEND && last_axis_runs(work, run);
    if (are_listed(work, down))
        return;
    memcpy(work->listed, work->lists, sizeof work->lists);
    work->down = down;
    work->nruns = 0;
    work->length = whole ? run * c->axes[PRIMITIVE_SPACE_AXES - 1].taps : run;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        if (work->lists[i].count == 0)
            return;
    for (int64_t channel = 0; channel < (slides ? c->in_channels : 1); ++channel)
        add_runs(work, channel, whole);
}

void convolve_clip_taps(convolve_work *work, int axis, int64_t result)
{
    const convolve_axis *a = &work->c->axes[axis];
    convolve_taps list = work->all[axis];
    int64_t at = result * a->step;
    for (; list.count > 0 && at + list.starts[0] < 0; --list.count, ++list.taps, ++list.starts)
        ;
    while (list.count > 0 && at + list.starts[list.count - 1] >= a->in)
        list.count -= 1;
    work->lists[axis] = list;
}

int64_t convolve_count_inside(const convolve_work *work, int axis, int64_t result)
{
    const convolve_axis *a = &work->c->axes[axis];
    const convolve_taps *all = &work->all[axis];
    if (all->count == 0 || result * a->step + all->starts[0] < 0)
        return 0;
    /* May be less than nothing, for results beyond the last one that fits. */
    int64_t rest = a->in - 1 - all->starts[all->count - 1];
    return rest < 0 ? 0 : rest / a->step + 1 - result;
}
