/* SPDX-License-Identifier: Apache-2.0 */
/* One line of complex numbers side by side: which algorithm it takes, and those of short and of
 * medium lines. A crossed line of n = lanes * m numbers has number lanes * j + i in lane i of
 * element j: all lanes are transformed at once, and then elements of the same index across the
 * lanes. */
#include "fft/plans.h"
#include <math.h>

/* MAX_CROSSED_NBYTES: of the line, so that its areas stay in the second-level cache.
 * MIN_CROSSED: split elements of one that is crossed with others.
 * MAX_IN_A_LANE: numbers; shorter ones are not worth the two steps of a long line. */
enum { MAX_CROSSED_NBYTES = 256 << 10, MIN_CROSSED = 4, MAX_IN_A_LANE = 48 };

/* The cost for the lanes of `count` columns of `of` numbers each. */
static double cost_of_columns(int lanes, int64_t count, int64_t of)
{
    int64_t groups = ceil_div(count, lanes);
    return (double)groups * (double)of * (2 + log2((double)of));
}

/* The number of columns of the matrix that is cheapest to transform; 1 for a prime. */
static int64_t choose_columns(const fft_loops *loops, int64_t n)
{
    double best = INFINITY;
    int64_t columns = 1;
    /* Columns and rows cost the same, so i <= sqrt(n) is enough; of equals the squarer matrix is
     * taken. */
    for (int64_t i = 2; i * i <= n; ++i) {
        if (n % i != 0)
            continue;
        double cost =
            cost_of_columns(loops->lanes, i, n / i) + cost_of_columns(loops->lanes, n / i, i);
        if (cost <= best) {
            best = cost;
            columns = i;
        }
    }
    return columns;
}

/* How many lines can be crossed together; 0: none, as those shorter still gain nothing. The lanes
 * of all must hold whole groups of lanes elements, or the step across would have a remainder. */
static int crossed_lines(const fft_loops *loops, int64_t n)
{
    int64_t lanes = loops->lanes, each = n / lanes;
    if (n % lanes != 0 || n * 2 * (int64_t)loops->real_nbytes > MAX_CROSSED_NBYTES)
        return 0;
    if (each % lanes == 0)
        return 1;
    return each >= MIN_CROSSED && lanes % each == 0 ? (int)(lanes / each) : 0;
}

line_shape fft_line_choose(const fft_loops *loops, int64_t n)
{
    line_shape shape = {.way = LINE_IN_A_LANE, .lines = crossed_lines(loops, n), .n = n};
    if (!fft_lanes_can(n)) {
        shape.way = LINE_CHIRP;
        shape.inner = chirp_length(loops, n);
    } else if (shape.lines > 0) {
        shape.way = LINE_CROSSED;
    } else if (n > MAX_IN_A_LANE) {
        shape.columns = choose_columns(loops, n);
        shape.way = shape.columns > 1 ? LINE_LONG : LINE_IN_A_LANE;
    }
    return shape;
}

size_t fft_line_work(const fft_loops *loops, const line_shape *shape)
{
    switch (shape->way) {
    case LINE_LONG: return fft_long_work(loops, shape);
    case LINE_CHIRP: return chirp_work(loops, shape);
    case LINE_CROSSED: return 2 * fft_lanes_area(loops, shape->lines * shape->n / loops->lanes);
    default: return 2 * fft_lanes_area(loops, shape->n);
    }
}

/* Factors between the lanes' transforms and those across: element k of lane i has i * k / n. Cooley
 * and Tukey's, for n = lanes * m; of lines that go together, one behind the other. */
static jg_status init_crossed(line_plan *plan)
{
    const fft_loops *loops = plan->loops;
    int64_t lanes = loops->lanes, m = plan->shape.n / lanes;
    int64_t all = plan->shape.lines * m;
    plan->nbytes = (size_t)(all * lanes) * 2 * loops->real_nbytes;
    plan->table = base_alloc_aligned(64, plan->nbytes);
    if (plan->table == NULL)
        return base_nomem(plan->nbytes, "a transform's factors");
    for (int64_t k = 0; k < all; ++k)
        for (int64_t i = 0; i < lanes; ++i) {
            double re, im;
            fft_root_of(i * (k % m), plan->shape.n, &re, &im);
            fft_put_real(loops, plan->table, 2 * k * lanes + i, re);
            fft_put_real(loops, plan->table, 2 * k * lanes + lanes + i, im);
        }
    return fft_lanes_init(&plan->lanes, loops, m);
}

/* The line is read as vectors, so number lanes * j + i is in lane i. m is a multiple of lanes, a
 * power of two: its first pass can read plain numbers. */
static void run_crossed(const line_plan *plan, const line_job *job)
{
    const fft_loops *loops = plan->loops;
    const lanes_end from = {.at = (void *)job->from,
                            .plain = true,
                            .row = fft_split_reals(loops),
                            .re = 1,
                            .im = job->sign};
    const void *split = fft_lanes_run(&plan->lanes, &from, NULL, job->work);
    loops->cross(&(fft_cross){.from = split,
                              .twiddles = plan->table,
                              .to = {job->to},
                              .count = plan->lanes.n,
                              .re = job->re,
                              .im = job->im});
}

/* All lines are read before one is written. The lanes of each take one pass, which writes to the
 * first area of its memory, so that lines follow each other. Missing lines repeat the first. */
static void run_together(const line_plan *plan, const line_job *job)
{
    const fft_loops *loops = plan->loops;
    const fft_lines *group = job->group;
    int64_t each = plan->lanes.n * fft_split_reals(loops);
    fft_cross cross = {.from = job->work,
                       .twiddles = plan->table,
                       .to = {job->to},
                       .lines = group != NULL ? group->count : 1,
                       .count = plan->lanes.n,
                       .re = job->re,
                       .im = job->im};
    lanes_end from = {.plain = true, .row = fft_split_reals(loops), .re = 1, .im = job->sign};
    for (int i = 0; i < plan->shape.lines; ++i) {
        int line = i < cross.lines ? i : 0;
        from.at = (void *)(group != NULL ? group->from[line] : job->from);
        if (group != NULL)
            cross.to[line] = group->to[line];
        fft_lanes_run(&plan->lanes, &from, NULL, fft_real_at(loops, job->work, i * each));
    }
    loops->cross_short(&cross);
}

/* All lanes do the same work, and only the first is read. */
static void run_in_a_lane(const line_plan *plan, const line_job *job)
{
    const fft_loops *loops = plan->loops;
    fft_side side = {.count = 1, .n = plan->shape.n, .step = 2, .part = 1};
    for (int i = 0; i < loops->lanes; ++i)
        side.lines[i] = (void *)job->from;
    side.re = 1;
    side.im = job->sign;
    loops->gather(&side, job->work);
    const lanes_end from = {.at = job->work};
    const void *split = fft_lanes_run(&plan->lanes, &from, NULL, job->work);
    side.lines[0] = job->to;
    side.re = job->re;
    side.im = job->im;
    loops->scatter(&side, split);
}

jg_status fft_line_init(line_plan *plan, const fft_loops *loops, int64_t n)
{
    *plan = (line_plan){.loops = loops, .shape = fft_line_choose(loops, n)};
    switch (plan->shape.way) {
    case LINE_CROSSED: return init_crossed(plan);
    case LINE_LONG: return fft_long_init(plan);
    case LINE_CHIRP: return chirp_init(plan);
    default: return fft_lanes_init(&plan->lanes, loops, n);
    }
}

/* It also clears a plan that fft_line_init has given up: parts that were not made are NULL. */
void fft_line_clear(line_plan *plan)
{
    if (plan->inner != NULL)
        fft_line_clear(plan->inner);
    base_free(plan->inner);
    fft_lanes_clear(&plan->lanes);
    fft_lanes_clear(&plan->rows);
    base_free(plan->table);
    base_free(plan->spectrum);
    base_free(plan->coarse);
    base_free(plan->fine);
    *plan = (line_plan){.loops = plan->loops};
}

jg_status fft_line_run(const line_plan *plan, const line_job *job)
{
    switch (plan->shape.way) {
    case LINE_LONG: return fft_long_run(plan, job);
    case LINE_CHIRP: return chirp_run(plan, job);
    case LINE_CROSSED:
        (plan->shape.lines > 1 ? run_together : run_crossed)(plan, job);
        return JG_OK;
    default: run_in_a_lane(plan, job); return JG_OK;
    }
}
