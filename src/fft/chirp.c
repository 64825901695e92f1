/* SPDX-License-Identifier: Apache-2.0 */
/* Bluestein's transform for lengths with large prime factors: j * k is (j^2 + k^2 - (k - j)^2) / 2,
 * so a transform is a convolution with a chirp, exp(-pi i j^2 / n), which transforms of any
 * sufficient length do. The chirp's own transform is made in double precision. L. I. Bluestein, "A
 * linear filtering approach to the computation of discrete Fourier transform", 1970. */
#include "fft/plans.h"
#include <string.h>

/* The shortest length that is fast with vectors: lanes^2 times a power of two times 1, 3, 5 or 9,
 * so that it can be a crossed line. It holds the linear convolution of n numbers with a chirp of 2
 * n - 1, so that wrapping around changes no result. */
int64_t chirp_length(const fft_loops *loops, int64_t n)
{
    static const int64_t heads[] = {1, 3, 5, 9};
    int64_t unit = loops->lanes * loops->lanes, best = 0;
    for (size_t i = 0; i < JG_COUNT_OF(heads); ++i) {
        int64_t length = unit * heads[i];
        while (length < 2 * n - 1)
            length *= 2;
        if (best == 0 || length < best)
            best = length;
    }
    return best;
}

static size_t pairs_nbytes(const fft_loops *loops, int64_t count)
{
    return (size_t)count * 2 * loops->real_nbytes;
}

size_t chirp_work(const fft_loops *loops, const line_shape *shape)
{
    line_shape inner = fft_line_choose(loops, shape->inner);
    return size_whole_lines(pairs_nbytes(loops, shape->inner)) + fft_line_work(loops, &inner);
}

/* j^2 mod 2 n, without overflow. The chirp has the period 2 n, and an angle that is small in whole
 * numbers keeps its precision. */
static int64_t square_of(int64_t j, int64_t n)
{
    return (int64_t)((unsigned __int128)j * (unsigned __int128)j % (unsigned __int128)(2 * n));
}

static jg_status alloc_tables(line_plan *plan)
{
    size_t chirp = pairs_nbytes(plan->loops, plan->shape.n);
    size_t spectrum = pairs_nbytes(plan->loops, plan->shape.inner);
    plan->table = base_alloc_aligned(64, size_whole_lines(chirp));
    plan->spectrum = base_alloc_aligned(64, size_whole_lines(spectrum));
    plan->inner = base_alloc_zeroed(sizeof *plan->inner);
    if (plan->table == NULL || plan->spectrum == NULL || plan->inner == NULL)
        return base_nomem(chirp + spectrum, "a transform's factors");
    plan->nbytes += chirp + spectrum;
    return JG_OK;
}

/* The chirp into the plan, and its conjugate, wrapped around and divided by the length, to
 * `doubles`. */
static void fill_chirp(line_plan *plan, double *doubles)
{
    int64_t n = plan->shape.n, length = plan->shape.inner;
    /* Zeros between the chirp and its mirror image, which ends at `length`. */
    memset(doubles, 0, (size_t)length * 2 * sizeof *doubles);
    for (int64_t j = 0; j < n; ++j) {
        double re, im, *other = doubles + 2 * (j == 0 ? 0 : length - j);
        fft_root_of(square_of(j, n), 2 * n, &re, &im);
        fft_put_real(plan->loops, plan->table, 2 * j, re);
        fft_put_real(plan->loops, plan->table, 2 * j + 1, im);
        doubles[2 * j] = other[0] = re / (double)length;
        doubles[2 * j + 1] = other[1] = -im / (double)length;
    }
}

/* doubles: in place. Its plan is used once and not kept. */
static jg_status transform_chirp(line_plan *plan, double *doubles)
{
    const fft_loops *wide = fft_loops_chosen(false);
    line_plan exact = {.loops = wide};
    line_job job = {.from = doubles, .to = doubles, .sign = 1, .re = 1, .im = 1};
    jg_status status;
    JG_TRY_DONE(fft_line_init(&exact, wide, plan->shape.inner));
    size_t nbytes = fft_line_work(wide, &exact.shape);
    job.work = base_alloc_aligned(64, size_whole_lines(nbytes));
    status = job.work == NULL ? base_nomem(nbytes, "a transform") : fft_line_run(&exact, &job);
    for (int64_t i = 0; i < 2 * plan->shape.inner; ++i)
        fft_put_real(plan->loops, plan->spectrum, i, doubles[i]);
done:
    base_free(job.work);
    fft_line_clear(&exact);
    return status;
}

jg_status chirp_init(line_plan *plan)
{
    size_t nbytes = (size_t)plan->shape.inner * 2 * sizeof(double);
    JG_TRY(alloc_tables(plan));
    JG_TRY(fft_line_init(plan->inner, plan->loops, plan->shape.inner));
    plan->nbytes += plan->inner->nbytes;
    double *doubles = base_alloc_aligned(64, size_whole_lines(nbytes));
    if (doubles == NULL)
        return base_nomem(nbytes, "a transform's factors");
    fill_chirp(plan, doubles);
    jg_status status = transform_chirp(plan, doubles);
    base_free(doubles);
    return status;
}

/* The line's numbers times the chirp, padded with zeros to the convolution's length. */
static void multiply_in(const line_plan *plan, const line_job *job, void *numbers)
{
    const fft_loops *loops = plan->loops;
    int64_t n = plan->shape.n;
    loops->multiply(&(fft_product){.from = job->from,
                                   .by = plan->table,
                                   .to = numbers,
                                   .n = n,
                                   .sign = job->sign,
                                   .re = 1,
                                   .im = 1});
    memset(fft_real_at(loops, numbers, 2 * n), 0, pairs_nbytes(loops, plan->shape.inner - n));
}

/* Times the spectrum of the chirp, as conjugates: the backward transform is the conjugate of the
 * forward transform of the conjugates. */
static void multiply_spectra(const line_plan *plan, void *numbers)
{
    plan->loops->multiply(&(fft_product){.from = numbers,
                                         .by = plan->spectrum,
                                         .to = numbers,
                                         .n = plan->shape.inner,
                                         .sign = 1,
                                         .re = 1,
                                         .im = -1});
}

static void multiply_out(const line_plan *plan, const line_job *job, const void *numbers)
{
    plan->loops->multiply(&(fft_product){.from = numbers,
                                         .by = plan->table,
                                         .to = job->to,
                                         .n = plan->shape.n,
                                         .sign = -1,
                                         .re = job->re,
                                         .im = job->im});
}

jg_status chirp_run(const line_plan *plan, const line_job *job)
{
    void *numbers = job->work;
    void *work = (char *)numbers + size_whole_lines(pairs_nbytes(plan->loops, plan->shape.inner));
    const line_job inner = {
        .from = numbers, .to = numbers, .sign = 1, .re = 1, .im = 1, .work = work};
    multiply_in(plan, job, numbers);
    JG_TRY(fft_line_run(plan->inner, &inner));
    multiply_spectra(plan, numbers);
    JG_TRY(fft_line_run(plan->inner, &inner));
    multiply_out(plan, job, numbers);
    return JG_OK;
}
