/* SPDX-License-Identifier: Apache-2.0 */
/* Private to fft: plans, which are immutable once made, and the memory that transforms work in. */
#ifndef JG_FFT_PLANS_H
#define JG_FFT_PLANS_H

#include "fft/loops.h"

/* roots.c */

/* exp(-2 pi i k / n), right to a rounding of each part. */
void fft_root_of(int64_t k, int64_t n, double *re, double *im);

/* Stores a number in a table of the loops' reals. */
static inline void fft_put_real(const fft_loops *loops, void *table, int64_t at, double value)
{
    if (loops->real_nbytes == sizeof(float))
        ((float *)table)[at] = (float)value;
    else
        ((double *)table)[at] = value;
}

/* Stores exp(-2 pi i k / n) as pair number at. */
void fft_put_root(const fft_loops *loops, void *table, int64_t at, int64_t k, int64_t n);

/* The address of real number `at`, borrowed from the table. */
static inline void *fft_real_at(const fft_loops *loops, const void *table, int64_t at)
{
    return (char *)table + at * (int64_t)loops->real_nbytes;
}

/* Reals of a split element. */
static inline int64_t fft_split_reals(const fft_loops *loops)
{
    return 2 * loops->lanes;
}

/* work.c */

/* Memory to work in, aligned to 64 bytes; some of it is kept for the next one.
 * gives: a block for fft_work_give; NULL if there is no memory */
void *fft_work_take(size_t nbytes);
void fft_work_give(void *work); /* what fft_work_take gave; NULL is fine */
void fft_work_drop(void);       /* frees what is kept */

/* lanes.c: the same transform in all lanes */

/* 3^40 is beyond int64, and 3 is the smallest radix that there can be many of. */
enum { LANES_MAX_STEPS = 40 };

/* One pass, with m, s and the tables as in fft_pass. */
typedef struct lanes_step {
    fft_radix id;
    int radix;
    int64_t m, s;
    const void *twiddles, *roots;
} lanes_step;

typedef struct lanes_plan {
    const fft_loops *loops;
    int64_t n;
    int nsteps;
    lanes_step steps[LANES_MAX_STEPS];
    void *table;
    size_t nbytes; /* of the table */
} lanes_plan;

/* The place where elements are read or written. */
typedef struct lanes_end {
    void *at;
    bool plain;    /* lines side by side; else split */
    int64_t row;   /* plain: reals from an element to the next */
    double re, im; /* plain: what the parts are multiplied by; re is 1 where they are read */
} lanes_end;

/* Whether all prime factors are small. */
bool fft_lanes_can(int64_t n);

/* The plan of lines of n numbers. gives: *plan, for fft_lanes_clear | raises: NOMEM */
jg_status fft_lanes_init(lanes_plan *plan, const fft_loops *loops, int64_t n);
void fft_lanes_clear(lanes_plan *plan);

/* Whether the first pass can read, and the last one write, plain numbers. Not for n = 1. */
bool fft_lanes_read_plain(const lanes_plan *plan);
bool fft_lanes_write_plain(const lanes_plan *plan);

/* Bytes of one of the two areas that fft_lanes_run changes between: split elements for the line and
 * one more. */
size_t fft_lanes_area(const fft_loops *loops, int64_t n);

/* Transforms forward. work: two areas; split elements may be read from either, or from elsewhere.
 * gives: where the result lies, one of the areas if `to` is NULL */
void *fft_lanes_run(const lanes_plan *plan, const lanes_end *from, const lanes_end *to, void *work);

/* line.c, long_line.c, chirp.c: one line of complex numbers side by side */

typedef enum line_way {
    LINE_IN_A_LANE, /* one of them, the others idle: short lines */
    LINE_CROSSED,   /* every lanes-th element in a lane, then across; perhaps several lines */
    LINE_LONG,      /* columns and rows of a matrix */
    LINE_CHIRP      /* as a convolution: lengths with large prime factors */
} line_way;

typedef struct line_shape {
    line_way way;
    int lines; /* LINE_CROSSED: that go together */
    int64_t n;
    int64_t columns; /* LINE_LONG: of the matrix */
    int64_t inner;   /* LINE_CHIRP: the convolution's length */
} line_shape;

typedef struct line_plan {
    const fft_loops *loops;
    line_shape shape;
    lanes_plan lanes, rows; /* of columns (or the only ones), of rows */
    struct line_plan *inner;
    void *table, *spectrum; /* factors: crossed: split; long: split; chirp: pairs, both */
    double *coarse, *fine;  /* long: roots of the line, all of them as products of two */
    int64_t fine_count;
    size_t nbytes; /* of all tables */
} line_plan;

/* Chooses the algorithm for a length. It depends on the length alone, so shapes are computed again
 * wherever they are needed. */
line_shape fft_line_choose(const fft_loops *loops, int64_t n);

/* Bytes that fft_line_run works in. */
size_t fft_line_work(const fft_loops *loops, const line_shape *shape);

/* The plan of lines of that length. gives: *plan, for fft_line_clear | raises: NOMEM */
jg_status fft_line_init(line_plan *plan, const fft_loops *loops, int64_t n);
void fft_line_clear(line_plan *plan);

/* One transform, forward: reads imaginary parts times sign, writes the parts times re and im. In
 * place or not. */
typedef struct line_job {
    const void *from;
    void *to;
    const fft_lines *group; /* lines that go together, in place of from and to; or NULL */
    double sign, re, im;
    void *work;
} line_job;

/* Transforms one line, or the group. raises: NOMEM */
jg_status fft_line_run(const line_plan *plan, const line_job *job);

/* The functions that line.c calls for LINE_LONG and LINE_CHIRP, with the contracts of
 * fft_line_init, fft_line_work and fft_line_run. chirp_length: the length of the convolution.
 * gives: *plan | raises: NOMEM */
jg_status fft_long_init(line_plan *plan);
size_t fft_long_work(const fft_loops *loops, const line_shape *shape);
jg_status fft_long_run(const line_plan *plan, const line_job *job);
int64_t chirp_length(const fft_loops *loops, int64_t n);
jg_status chirp_init(line_plan *plan);
size_t chirp_work(const fft_loops *loops, const line_shape *shape);
jg_status chirp_run(const line_plan *plan, const line_job *job);

/* plan.c: plans by their key */

typedef struct fft_plan {
    atomic_int refs;
    fft_kind kind;
    bool single, across;
    int64_t n, complex_n;       /* of the sequence, and of the complex transform that makes it */
    lanes_plan lanes;           /* across */
    line_plan line;             /* else */
    void *factors;              /* real sequences of even length: as in fft_pairs */
    size_t nbytes, work_nbytes; /* of tables; of what a call works in */
    uint64_t used;              /* when, for the cache */
} fft_plan;

/* The complex transform behind one: of half the length for real numbers of an even count. */
static inline int64_t fft_plan_complex_n(fft_kind kind, int64_t n)
{
    return kind != FFT_COMPLEX && n % 2 == 0 ? n / 2 : n;
}

/* The plan from the cache, or a new one, which is kept. gives: *out, +1 | raises: NOMEM */
jg_status fft_plan_find(const fft_transform *transform, bool across, fft_plan **out);
void fft_plan_release(fft_plan *plan); /* NULL is fine */

/* across.c, along.c: a group of lines, or one line */

/* work: two areas of fft_lanes_area(complex_n). */
void fft_across_run(const fft_plan *plan, const fft_transform *transform, const fft_lines *lines,
                    void *work);

/* Bytes that fft_along_run works in. */
size_t fft_along_work(const fft_transform *transform);

/* Transforms one line, or several lines that lie in memory one after the other. raises: NOMEM */
jg_status fft_along_run(const fft_plan *plan, const fft_transform *transform,
                        const fft_lines *lines, void *work);

#endif
