/* SPDX-License-Identifier: Apache-2.0 */
/* Long lines, in two steps over memory. The line is a matrix of `columns` columns, in row-major
 * order: its columns are transformed, multiplied by roots of the line and transposed, and the
 * columns of that are transformed; they are the rows of the result, transposed. Each step takes as
 * many columns at once as there are lanes; the groups of columns are shared with the pool.
 *
 * A root exp(-2 pi i k b / n), of row k and column b = first + i, is the product of one of the
 * column `first`, worked out for each group in double precision, and of a table of k * i. */
#include "fft/plans.h"
#include <stdatomic.h>

enum { SHARED_FROM = 1 << 15 }; /* numbers of a line */

static int64_t rows_of(const line_shape *shape)
{
    return shape->n / shape->columns;
}

static int64_t groups_of(const fft_loops *loops, int64_t count)
{
    return ceil_div(count, loops->lanes);
}

static jg_status init_factors(line_plan *plan)
{
    const fft_loops *loops = plan->loops;
    int64_t lanes = loops->lanes, rows = rows_of(&plan->shape);
    size_t nbytes = (size_t)(rows * fft_split_reals(loops)) * loops->real_nbytes;
    plan->table = base_alloc_aligned(64, nbytes);
    if (plan->table == NULL)
        return base_nomem(nbytes, "a transform's factors");
    plan->nbytes += nbytes;
    for (int64_t k = 0; k < rows; ++k)
        for (int64_t i = 0; i < lanes; ++i) {
            double re, im;
            fft_root_of(i * k, plan->shape.n, &re, &im);
            fft_put_real(loops, plan->table, 2 * k * lanes + i, re);
            fft_put_real(loops, plan->table, 2 * k * lanes + lanes + i, im);
        }
    return JG_OK;
}

static jg_status init_roots(int64_t count, int64_t step, int64_t n, double **out, size_t *total)
{
    size_t nbytes = (size_t)count * 2 * sizeof(double);
    *out = base_alloc(nbytes);
    if (*out == NULL)
        return base_nomem(nbytes, "a transform's factors");
    for (int64_t i = 0; i < count; ++i)
        fft_root_of(i * step, n, &(*out)[2 * i], &(*out)[2 * i + 1]);
    *total += nbytes;
    return JG_OK;
}

jg_status fft_long_init(line_plan *plan)
{
    /* Two tables of about sqrt(n) roots: root q * fine + r is the product of coarse q and fine
     * r. */
    int64_t n = plan->shape.n, fine = 1;
    while (fine * fine < n)
        fine *= 2;
    plan->fine_count = fine;
    JG_TRY(init_factors(plan));
    JG_TRY(init_roots(fine, 1, n, &plan->fine, &plan->nbytes));
    JG_TRY(init_roots(ceil_div(n, fine), fine, n, &plan->coarse, &plan->nbytes));
    JG_TRY(fft_lanes_init(&plan->lanes, plan->loops, rows_of(&plan->shape)));
    return fft_lanes_init(&plan->rows, plan->loops, plan->shape.columns);
}

/* The matrix between the steps: blocks of lanes rows, each split elements in the order of
 * columns. */
size_t fft_long_work(const fft_loops *loops, const line_shape *shape)
{
    int64_t blocks = groups_of(loops, rows_of(shape));
    return (size_t)(blocks * shape->columns * fft_split_reals(loops)) * loops->real_nbytes;
}

/* The state that the pool's threads share. failed: one thread had no memory. */
typedef struct long_job {
    const line_plan *plan;
    const line_job *line;
    bool by_rows;
    atomic_bool failed;
} long_job;

/* The roots of a column, one for each row. `at` is column * k mod n, by addition: no product that
 * could overflow. */
static void fill_scalars(const line_plan *plan, int64_t column, void *scalars)
{
    int64_t n = plan->shape.n, rows = rows_of(&plan->shape);
    for (int64_t k = 0, at = 0; k < rows; ++k, at += column, at -= at >= n ? n : 0) {
        const double *a = plan->coarse + 2 * (at / plan->fine_count);
        const double *b = plan->fine + 2 * (at % plan->fine_count);
        fft_put_real(plan->loops, scalars, 2 * k, a[0] * b[0] - a[1] * b[1]);
        fft_put_real(plan->loops, scalars, 2 * k + 1, a[0] * b[1] + a[1] * b[0]);
    }
}

/* Transforms `lanes` columns from `first` on, or the rest if there are fewer. */
static const void *transform_columns(const line_plan *plan, const line_job *job, int64_t first,
                                     int64_t count, void *work)
{
    const fft_loops *loops = plan->loops;
    int64_t columns = plan->shape.columns;
    lanes_end from = {.at = fft_real_at(loops, job->from, 2 * first),
                      .plain = true,
                      .row = 2 * columns,
                      .re = 1,
                      .im = job->sign};
    if (count == loops->lanes && fft_lanes_read_plain(&plan->lanes))
        return fft_lanes_run(&plan->lanes, &from, NULL, work);
    fft_side side = {.count = (int)count, .n = plan->lanes.n, .step = 2 * columns, .part = 1};
    for (int i = 0; i < loops->lanes; ++i)
        side.lines[i] = fft_real_at(loops, job->from, 2 * (first + (i < count ? i : 0)));
    side.re = 1;
    side.im = job->sign;
    loops->gather(&side, work);
    from = (lanes_end){.at = work};
    return fft_lanes_run(&plan->lanes, &from, NULL, work);
}

/* Work holds two areas for the passes, then the column's roots. The last group may be narrower:
 * what its idle lanes hold is not written. */
static void run_columns(const line_plan *plan, const line_job *job, int64_t group, void *work)
{
    const fft_loops *loops = plan->loops;
    int64_t first = group * loops->lanes, count = plan->shape.columns - first;
    void *scalars = (char *)work + 2 * fft_lanes_area(loops, plan->lanes.n);
    count = int64_min(count, loops->lanes);
    fill_scalars(plan, first, scalars);
    const void *split = transform_columns(plan, job, first, count, work);
    loops->turn(&(fft_turn){.from = split,
                            .to = fft_real_at(loops, job->work, first * fft_split_reals(loops)),
                            .count = plan->lanes.n,
                            .lanes = count,
                            .block = plan->shape.columns,
                            .split_by = plan->table,
                            .scalars_by = scalars});
}

/* The step by rows reads the blocks that run_columns wrote, and writes the line: row k of the
 * matrix is every rows-th number of the result. */
static void run_rows(const line_plan *plan, const line_job *job, int64_t group, void *work)
{
    const fft_loops *loops = plan->loops;
    int64_t rows = plan->lanes.n, first = group * loops->lanes, count = rows - first;
    int64_t block = plan->shape.columns * fft_split_reals(loops);
    const lanes_end from = {.at = fft_real_at(loops, job->work, group * block)};
    const lanes_end to = {.at = fft_real_at(loops, job->to, 2 * first),
                          .plain = true,
                          .row = 2 * rows,
                          .re = job->re,
                          .im = job->im};
    if (count >= loops->lanes && fft_lanes_write_plain(&plan->rows)) {
        fft_lanes_run(&plan->rows, &from, &to, work);
        return;
    }
    const void *split = fft_lanes_run(&plan->rows, &from, NULL, work);
    fft_side side = {.n = plan->rows.n, .step = 2 * rows, .part = 1, .re = job->re, .im = job->im};
    side.count = (int)(int64_min(count, loops->lanes));
    for (int i = 0; i < loops->lanes; ++i)
        side.lines[i] = fft_real_at(loops, job->to, 2 * (first + (i < side.count ? i : 0)));
    loops->scatter(&side, split);
}

static void run_groups(void *context, int64_t first, int64_t last)
{
    long_job *job = context;
    const line_plan *plan = job->plan;
    int64_t rows = rows_of(&plan->shape);
    int64_t longest = int64_max(rows, plan->shape.columns);
    /* For each range of groups, not for each thread: ranges are few, and work.c keeps the
     * memory. */
    void *work = fft_work_take(2 * fft_lanes_area(plan->loops, longest) +
                               (size_t)rows * 2 * plan->loops->real_nbytes);
    if (work == NULL)
        atomic_store(&job->failed, true);
    for (int64_t group = first; group < last && work != NULL; ++group)
        (job->by_rows ? run_rows : run_columns)(plan, job->line, group, work);
    fft_work_give(work);
}

static void share(long_job *job, int64_t groups)
{
    /* Ranges small enough for threads that come late, large enough to pay for their memory. */
    int64_t grain = groups / 16;
    if (job->plan->shape.n >= SHARED_FROM && pool_size() > 1)
        pool_run(groups, grain > 0 ? grain : 1, run_groups, job);
    else
        run_groups(job, 0, groups);
}

jg_status fft_long_run(const line_plan *plan, const line_job *line)
{
    /* Two runs of the pool, as all columns must be done before the second step reads a row. */
    long_job job = {.plan = plan, .line = line};
    share(&job, groups_of(plan->loops, plan->shape.columns));
    job.by_rows = true;
    if (!job.failed)
        share(&job, groups_of(plan->loops, rows_of(&plan->shape)));
    return job.failed ? base_nomem(fft_lanes_area(plan->loops, plan->lanes.n), "a transform")
                      : JG_OK;
}
