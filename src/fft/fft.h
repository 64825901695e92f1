/* SPDX-License-Identifier: Apache-2.0 */
/* fft: discrete Fourier transforms of lines in memory. It knows neither arrays nor graphs, and its
 * callers know neither plans nor vectors, so a library could replace it behind this header.
 *
 * A line is n numbers a step apart. Transforms of real numbers have n real ones on one side and the
 * first n / 2 + 1 complex ones of a Hermitian sequence on the other. Complex numbers are pairs of
 * reals. Plans (factors and tables of roots of unity) are made on first use and kept. */
#ifndef JG_FFT_H
#define JG_FFT_H

#include "base/base.h"

/* float32 in the 64 bytes of an AVX-512 register: the widest group. */
enum { FFT_MAX_LANES = 16 };

typedef enum fft_kind {
    FFT_COMPLEX,   /* complex to complex */
    FFT_FROM_REAL, /* real to half a Hermitian sequence, forward */
    FFT_TO_REAL    /* half a Hermitian sequence to real, backward */
} fft_kind;

typedef struct fft_transform {
    fft_kind kind;
    bool single;   /* float32, else float64 */
    bool backward; /* of FFT_COMPLEX: with roots of the other sign */
    int64_t n;     /* numbers of the whole sequence, at least 1 */
    double scale;  /* what every result is multiplied by */
} fft_transform;

/* Lines that are transformed in one call. Steps are in elements, of any sign; a line may be written
 * where it was read, if the layouts are the same. */
typedef struct fft_lines {
    int count;
    const void *from[FFT_MAX_LANES];
    void *to[FFT_MAX_LANES];
    int64_t from_step, to_step;
} fft_lines;

/* The number of lines to give to a call, if there are as many. The lines of a group run side by
 * side in the lanes of vectors, or share some; 1 where a line by itself is faster. */
int64_t fft_group(const fft_transform *transform, const fft_lines *example, int64_t lines);

/* Bytes of memory, aligned to 64 bytes, that the caller must give for transforming one line; 0 for
 * short lines. One session at a time may use it. */
size_t fft_scratch(const fft_transform *transform);

/* The calls of one thread for the same transform: a session looks up its plan and memory once. */
typedef struct fft_session {
    fft_transform transform;
    void *scratch;
    int together;              /* dense lines that share vectors without going across */
    struct fft_plan *plans[2]; /* of one line or those together, of a group */
    void *work[2];
} fft_session;

/* scratch: NULL where fft_scratch says 0. keeps: scratch until fft_end */
fft_session fft_begin(const fft_transform *transform, void *scratch);

/* Transforms the lines: either one, or as many as fft_group said, the last call of them fewer. A
 * plan is made on the first call, without a lock. Long lines are shared with the pool.
 * raises: NOMEM */
jg_status fft_run(fft_session *session, const fft_lines *lines);

/* Reads adjacent lines, and the memory that their results are written to, once in memory order, so
 * that the processor prefetches them; groups read a piece of each line in turn. Useful before
 * fft_run if the arrays are larger than the second-level cache. */
void fft_touch(const fft_transform *transform, const fft_lines *lines);

/* Releases what the session holds. Must be called after a run that failed, too; scratch stays the
 * caller's. */
void fft_end(fft_session *session);

/* About how many scalar operations one line costs. */
double fft_cost(const fft_transform *transform);

/* Frees the plans that are not in use. For tests of leaks. */
void fft_drop_plans(void);

#endif
