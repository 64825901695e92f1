/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms as many lines at once as there are lanes. Adjacent complex lines are read and written
 * by the passes themselves. Other lines are gathered into split elements first and scattered
 * afterwards. */
#include "fft/plans.h"
#include <string.h>

/* One call: everything is borrowed, for the time of the call. work: two areas of fft_lanes_area. */
typedef struct group {
    const fft_plan *plan;
    const fft_loops *loops;
    const fft_transform *transform;
    const fft_lines *lines;
    void *work;
} group;

/* Whether there are as many lines as lanes, and elements j of all lines are adjacent pairs: then a
 * pass can read or write them in place. */
static bool is_abreast(const group *g, const void *const *lines)
{
    if (g->lines->count != g->loops->lanes)
        return false;
    for (int i = 1; i < g->lines->count; ++i)
        if (lines[i] != fft_real_at(g->loops, lines[0], 2 * i))
            return false;
    return true;
}

/* The factor of the imaginary parts when numbers are read: backward transforms conjugate them. */
static double sign_of(const fft_transform *transform)
{
    return transform->backward || transform->kind == FFT_TO_REAL ? -1 : 1;
}

/* The side that is read. step and part are in reals. */
static fft_side from_side(const group *g, int64_t n, int64_t step, int64_t part)
{
    fft_side side = {.count = g->lines->count,
                     .n = n,
                     .step = step,
                     .part = part,
                     .re = 1,
                     .im = sign_of(g->transform)};
    for (int i = 0; i < g->loops->lanes; ++i)
        side.lines[i] = (void *)g->lines->from[i < side.count ? i : 0];
    return side;
}

/* The side that is written. Lanes past the count of lines read the first line again and are not
 * written. */
static fft_side to_side(const group *g, int64_t n, int64_t step, int64_t part, double scale)
{
    fft_side side = {.count = g->lines->count,
                     .n = n,
                     .step = step,
                     .part = part,
                     .re = scale,
                     .im = scale * sign_of(g->transform)};
    for (int i = 0; i < g->loops->lanes; ++i)
        side.lines[i] = g->lines->to[i < side.count ? i : 0];
    return side;
}

static void *run_split(const group *g)
{
    const lanes_end from = {.at = g->work};
    return fft_lanes_run(&g->plan->lanes, &from, NULL, g->work);
}

/* A Hermitian sequence has real ends. Their imaginary parts are ignored, as in NumPy and
 * PyTorch. */
static void clear_imaginary(const group *g, void *split, int64_t element)
{
    size_t nbytes = (size_t)g->loops->lanes * g->loops->real_nbytes;
    memset((char *)split + (size_t)(2 * element + 1) * nbytes, 0, nbytes);
}

/* In place; the loops read and write elements k and n - k together. */
static void pair_up(const group *g, void *split)
{
    g->loops->pair_lanes(&(fft_pairs){
        .from = split, .to = split, .factors = g->plan->factors, .n = g->plan->complex_n});
}

static void run_complex(const group *g)
{
    const lanes_plan *plan = &g->plan->lanes;
    const fft_lines *lines = g->lines;
    double sign = sign_of(g->transform), scale = g->transform->scale;
    lanes_end from = {.at = g->work};
    lanes_end to = {.at = lines->to[0], .plain = true, .row = 2 * lines->to_step};
    to.re = scale;
    to.im = scale * sign;
    /* All of the group is read before a result is written, so it may be in place: the first pass
     * writes to an area of work, and only the last one writes the result. */
    if (fft_lanes_read_plain(plan) && is_abreast(g, lines->from)) {
        from =
            (lanes_end){.at = (void *)lines->from[0], .plain = true, .row = 2 * lines->from_step};
        from.im = sign;
    } else {
        fft_side side = from_side(g, plan->n, 2 * lines->from_step, 1);
        g->loops->gather(&side, g->work);
    }
    if (fft_lanes_write_plain(plan) && is_abreast(g, (const void *const *)lines->to)) {
        fft_lanes_run(plan, &from, &to, g->work);
        return;
    }
    const void *split = fft_lanes_run(plan, &from, NULL, g->work);
    fft_side side = to_side(g, plan->n, 2 * lines->to_step, 1, scale);
    g->loops->scatter(&side, split);
}

/* n real numbers as n / 2 complex ones, even elements as real parts and odd ones as imaginary
 * parts; an odd n has no such pairs and is transformed as n complex numbers. */
static void run_from_real(const group *g)
{
    int64_t n = g->plan->n, step = g->lines->from_step, half = g->plan->complex_n;
    bool paired = g->plan->factors != NULL;
    fft_side from = from_side(g, half, paired ? 2 * step : step, paired ? step : FFT_NO_PART);
    g->loops->gather(&from, g->work);
    char *split = run_split(g);
    if (paired) {
        size_t nbytes = (size_t)fft_split_reals(g->loops) * g->loops->real_nbytes;
        /* Pairs are k and half - k: the sequence goes around, so element half is element 0. */
        memcpy(split + (size_t)half * nbytes, split, nbytes);
        pair_up(g, split);
    }
    fft_side to = to_side(g, n / 2 + 1, 2 * g->lines->to_step, 1, g->transform->scale);
    g->loops->scatter(&to, split);
}

/* Backward: what is read is conjugated (sign_of), transformed forward, and real. Halves of pairs
 * came in as s, not 2 s: hence the factor 2 of the scale. */
static void run_to_real(const group *g)
{
    int64_t n = g->plan->n, step = g->lines->to_step, half = g->plan->complex_n;
    double scale = g->transform->scale;
    bool paired = g->plan->factors != NULL;
    fft_side from = from_side(g, n / 2 + 1, 2 * g->lines->from_step, 1);
    g->loops->gather(&from, g->work);
    if (paired) {
        clear_imaginary(g, g->work, 0);
        clear_imaginary(g, g->work, half);
        pair_up(g, g->work);
    } else {
        g->loops->mirror_lanes(g->work, n);
    }
    const void *split = run_split(g);
    fft_side to = paired ? to_side(g, half, 2 * step, step, 2 * scale)
                         : to_side(g, n, step, FFT_NO_PART, scale);
    g->loops->scatter(&to, split);
}

/* See plans.h. It cannot fail: a group's memory belongs to the session. */
void fft_across_run(const fft_plan *plan, const fft_transform *transform, const fft_lines *lines,
                    void *work)
{
    const group g = {.plan = plan,
                     .loops = fft_loops_chosen(plan->single),
                     .transform = transform,
                     .lines = lines,
                     .work = work};
    if (plan->kind == FFT_COMPLEX)
        run_complex(&g);
    else if (plan->kind == FFT_FROM_REAL)
        run_from_real(&g);
    else
        run_to_real(&g);
}
