/* SPDX-License-Identifier: Apache-2.0 */
/* One line by itself, or some complex ones that are transformed together. The transform of complex
 * numbers takes adjacent ones, so a line with gaps is copied before it, or after. */
#include "fft/plans.h"
#include <string.h>

/* Memory of one call: a line of numbers, another, and what the transform works in. */
typedef struct areas {
    void *numbers, *others, *work;
} areas;

/* n + 1 numbers, as run_from_real repeats the first. In whole cache lines, so that each area is
 * aligned as the first. */
static size_t line_nbytes(const fft_loops *loops, int64_t n)
{
    return size_whole_lines((size_t)(n + 1) * 2 * loops->real_nbytes);
}

size_t fft_along_work(const fft_transform *transform)
{
    const fft_loops *loops = fft_loops_chosen(transform->single);
    line_shape shape = fft_line_choose(loops, fft_plan_complex_n(transform->kind, transform->n));
    return 2 * line_nbytes(loops, transform->n) + fft_line_work(loops, &shape);
}

static areas areas_in(const fft_loops *loops, int64_t n, void *work)
{
    size_t nbytes = line_nbytes(loops, n);
    return (areas){work, (char *)work + nbytes, (char *)work + 2 * nbytes};
}

/* With a constant size each memcpy becomes one load and one store. */
#define COPY(nbytes)                                                                               \
    for (int64_t i = 0; i < n; ++i)                                                                \
    memcpy((char *)to + i * to_step * (nbytes), (const char *)from + i * from_step * (nbytes),     \
           (nbytes))

/* Copies n elements of 4, 8 or 16 bytes between steps in elements. */
static void copy(void *to, int64_t to_step, const void *from, int64_t from_step, int64_t n,
                 size_t nbytes)
{
    if (nbytes == 4)
        COPY(4);
    else if (nbytes == 8)
        COPY(8);
    else
        COPY(16);
}

/* The numbers of a line, adjacent: in place, or copied to `area`. */
static const void *lay_out(const void *from, int64_t step, int64_t n, size_t nbytes, void *area)
{
    if (step == 1)
        return from;
    copy(area, 1, from, step, n, nbytes);
    return area;
}

static jg_status run_complex(const fft_plan *plan, const fft_transform *transform,
                             const fft_lines *lines, const areas *a)
{
    size_t nbytes = 2 * plan->line.loops->real_nbytes;
    double sign = transform->backward ? -1 : 1;
    line_job job = {.from = lay_out(lines->from[0], lines->from_step, plan->n, nbytes, a->numbers),
                    .to = lines->to_step == 1 ? lines->to[0] : a->numbers,
                    .sign = sign,
                    .re = transform->scale,
                    .im = transform->scale * sign,
                    .work = a->work,
                    .group = lines->count > 1 ? lines : NULL};
    JG_TRY(fft_line_run(&plan->line, &job));
    if (job.to != lines->to[0])
        copy(lines->to[0], lines->to_step, job.to, 1, plan->n, nbytes);
    return JG_OK;
}

/* n real numbers are n / 2 complex ones, or n if n is odd. Scaling commutes with pairing, so it is
 * done by the complex transform. */
static jg_status run_from_real(const fft_plan *plan, const fft_transform *transform,
                               const fft_lines *lines, const areas *a)
{
    const fft_loops *loops = plan->line.loops;
    int64_t n = plan->n, half = n / 2;
    size_t nbytes = loops->real_nbytes;
    bool paired = plan->factors != NULL;
    bool direct = paired && lines->to_step == 1;
    line_job job = {.to = direct ? lines->to[0] : a->others,
                    .sign = 1,
                    .re = transform->scale,
                    .im = transform->scale,
                    .work = a->work};
    if (paired) {
        job.from = lay_out(lines->from[0], lines->from_step, n, nbytes, a->numbers);
    } else {
        loops->widen(lines->from[0], lines->from_step, a->numbers, n);
        job.from = a->numbers;
    }
    JG_TRY(fft_line_run(&plan->line, &job));
    if (paired) {
        /* Number half is number 0 again; where the result is written directly it is the last one
         * anyway. */
        memcpy((char *)job.to + (size_t)half * 2 * nbytes, job.to, 2 * nbytes);
        loops->pair_line(&(fft_pairs){
            .from = job.to, .to = job.to, .factors = plan->factors, .n = half, .sign = 1});
    }
    if (!direct)
        copy(lines->to[0], lines->to_step, job.to, 1, half + 1, 2 * nbytes);
    return JG_OK;
}

/* The conjugate is transformed forward, which gives the conjugate of the backward transform.
 * Without pairs the result's imaginary parts are zeros but for rounding, and narrow drops them and
 * applies the scale. */
static jg_status run_to_real(const fft_plan *plan, const fft_transform *transform,
                             const fft_lines *lines, const areas *a)
{
    const fft_loops *loops = plan->line.loops;
    int64_t n = plan->n, half = n / 2;
    size_t nbytes = loops->real_nbytes;
    bool paired = plan->factors != NULL, direct = paired && lines->to_step == 1;
    const void *from = lay_out(lines->from[0], lines->from_step, half + 1, 2 * nbytes, a->others);
    line_job job = {.from = a->numbers,
                    .to = direct ? lines->to[0] : a->numbers,
                    .sign = 1,
                    .re = paired ? 2 * transform->scale : 1,
                    .im = paired ? -2 * transform->scale : 1,
                    .work = a->work};
    if (paired) {
        loops->pair_line(&(fft_pairs){.from = from,
                                      .to = a->numbers,
                                      .factors = plan->factors,
                                      .n = half,
                                      .sign = -1,
                                      .real_ends = true});
    } else {
        loops->mirror(from, a->numbers, n);
    }
    JG_TRY(fft_line_run(&plan->line, &job));
    if (!paired)
        loops->narrow(a->numbers, lines->to[0], lines->to_step, n, transform->scale);
    else if (!direct)
        copy(lines->to[0], lines->to_step, a->numbers, 1, n, nbytes);
    return JG_OK;
}

jg_status fft_along_run(const fft_plan *plan, const fft_transform *transform,
                        const fft_lines *lines, void *work)
{
    const areas a = areas_in(plan->line.loops, plan->n, work);
    switch (plan->kind) {
    case FFT_FROM_REAL: return run_from_real(plan, transform, lines, &a);
    case FFT_TO_REAL: return run_to_real(plan, transform, lines, &a);
    default: return run_complex(plan, transform, lines, &a);
    }
}
