/* SPDX-License-Identifier: Apache-2.0 */
/* Which lines are transformed together. Several lines are transformed across the lanes; a single
 * line, a long one, and one whose length suits it are transformed along the line. */
#include "fft/plans.h"
#include <math.h>

/* LARGE_NBYTES: from this much memory on the caller gives it, so that plan can count it.
 * MAX_ACROSS_NBYTES: of both areas of a group, to stay in the second-level cache. LONG_ROW:
 * numbers; of dense lines up to this length a group goes across if the line by itself has no
 * crossed way. FEW_LINES: fewer lines leave most lanes idle, which pays for short lines only. */
enum {
    LARGE_NBYTES = 1 << 20,
    MAX_ACROSS_NBYTES = 2 << 20,
    LONG_ROW = 2048,
    FEW_LINES = 4,
    CACHE_LINE = 64
};

static bool is_dense(const fft_lines *lines)
{
    return lines->from_step == 1 && lines->to_step == 1;
}

/* Complex lines side by side that are crossed together; 1: none are. */
static int together(const fft_transform *transform)
{
    line_shape shape = fft_line_choose(fft_loops_chosen(transform->single), transform->n);
    return transform->kind == FFT_COMPLEX && shape.way == LINE_CROSSED ? shape.lines : 1;
}

static bool goes_across(const fft_transform *transform, const fft_lines *example, int64_t lines)
{
    const fft_loops *loops = fft_loops_chosen(transform->single);
    int64_t n = fft_plan_complex_n(transform->kind, transform->n);
    if (lines < 2 || !fft_lanes_can(n) || 2 * fft_lanes_area(loops, n) > MAX_ACROSS_NBYTES)
        return false;
    if (lines < FEW_LINES && n > LONG_ROW / 8)
        return false;
    /* Lines with gaps go across: they would be copied first, and lines of an inner axis lie side by
     * side. */
    if (!is_dense(example) || n > LONG_ROW)
        return !is_dense(example);
    line_shape shape = fft_line_choose(loops, n);
    return shape.way != LINE_CROSSED || (shape.lines > 1 && transform->kind != FFT_COMPLEX);
}

int64_t fft_group(const fft_transform *transform, const fft_lines *example, int64_t lines)
{
    if (goes_across(transform, example, lines))
        return fft_loops_chosen(transform->single)->lanes;
    return lines > 1 && is_dense(example) ? together(transform) : 1;
}

size_t fft_scratch(const fft_transform *transform)
{
    size_t nbytes = fft_along_work(transform);
    return nbytes > LARGE_NBYTES ? nbytes : 0;
}

fft_session fft_begin(const fft_transform *transform, void *scratch)
{
    return (fft_session){
        .transform = *transform, .scratch = scratch, .together = together(transform)};
}

/* The plan, and what it works in unless the caller gave that. across: also the index of the plan
 * and of its memory in the session. */
static jg_status prepare(fft_session *session, bool across)
{
    JG_TRY(fft_plan_find(&session->transform, across, &session->plans[across]));
    size_t nbytes = session->plans[across]->work_nbytes;
    if (!across && session->scratch != NULL)
        return JG_OK;
    session->work[across] = fft_work_take(nbytes);
    return session->work[across] != NULL ? JG_OK : base_nomem(nbytes, "a transform");
}

jg_status fft_run(fft_session *session, const fft_lines *lines)
{
    bool across = lines->count > (is_dense(lines) ? session->together : 1);
    if (session->plans[across] == NULL)
        JG_TRY(prepare(session, across));
    void *own = session->work[across], *work = own != NULL ? own : session->scratch;
    if (!across)
        return fft_along_run(session->plans[0], &session->transform, lines, work);
    fft_across_run(session->plans[1], &session->transform, lines, work);
    return JG_OK;
}

static void touch(const void *line, int64_t nbytes)
{
    for (int64_t at = 0; at < nbytes; at += CACHE_LINE)
        (void)*((const volatile char *)line + at);
}

/* Prefetches without waiting for the memory. */
static void ask_for(const void *line, int64_t nbytes)
{
    for (int64_t at = 0; at < nbytes; at += CACHE_LINE)
        __builtin_prefetch((const char *)line + at, 1);
}

void fft_touch(const fft_transform *transform, const fft_lines *lines)
{
    int64_t real = transform->single ? sizeof(float) : sizeof(double);
    int64_t n = transform->n, half = n / 2 + 1;
    bool from_real = transform->kind == FFT_FROM_REAL, to_real = transform->kind == FFT_TO_REAL;
    int64_t read = from_real ? n * real : (to_real ? half : n) * 2 * real;
    int64_t written = to_real ? n * real : (from_real ? half : n) * 2 * real;
    for (int i = 0; i < lines->count && lines->from_step == 1; ++i)
        touch(lines->from[i], read);
    for (int i = 0; i < lines->count && lines->to_step == 1; ++i)
        if (lines->count < fft_loops_chosen(transform->single)->lanes)
            ask_for(lines->to[i], written);
        else
            touch(lines->to[i], written);
}

void fft_end(fft_session *session)
{
    for (int i = 0; i < 2; ++i) {
        fft_work_give(session->work[i]);
        fft_plan_release(session->plans[i]);
    }
}

double fft_cost(const fft_transform *transform)
{
    /* n log2 n, plus reading and writing; Bluestein's algorithm costs two transforms of more than
     * twice the length, and three products. */
    double n = (double)fft_plan_complex_n(transform->kind, transform->n);
    return n * (4 + log2(n)) * (fft_lanes_can((int64_t)n) ? 1 : 6);
}
