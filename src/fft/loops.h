/* SPDX-License-Identifier: Apache-2.0 */
/* Private to fft: the loops, one table of them for each instruction set and precision. loops/f32.c
 * and loops/f64.c are compiled once for each set, with FFT_ISA its name; isa.c chooses.
 *
 * Numbers lie in one of two ways:
 *   plain   pairs of reals, as the caller has them
 *   split   for each element of a line the real parts of `lanes` lines, then their imaginary parts
 * Passes work on split numbers, so one instruction does the same for all lanes. Twiddle factors are
 * of the forward transform; a backward one conjugates what is read and what is written. The loops
 * take no lock and no memory, and know no lengths but those they are given. */
#ifndef JG_FFT_LOOPS_H
#define JG_FFT_LOOPS_H

#include "fft/fft.h"

/* Radices that can be first and last in a plan, and those between. */
#define FFT_EDGE_RADICES(ROW) ROW(2) ROW(3) ROW(4) ROW(5) ROW(8)
#define FFT_INNER_RADICES(ROW) ROW(7) ROW(11) ROW(13)

/* RADIX: of those with a function of their own. PRIME: a bound on the others, above which
 * Bluestein's way is taken; a prime p costs p^2 operations. */
enum { FFT_LARGEST_RADIX = 13, FFT_LARGEST_PRIME = 64 };

typedef enum fft_radix {
#define ROW(radix) FFT_RADIX_##radix,
    FFT_EDGE_RADICES(ROW) FFT_INNER_RADICES(ROW)
#undef ROW
        FFT_RADIX_PRIME, /* any odd one up to FFT_LARGEST_PRIME, with its roots */
    FFT_RADIX_COUNT
} fft_radix;

typedef enum fft_source { FFT_FROM_SPLIT, FFT_FROM_PLAIN, FFT_SOURCES } fft_source;
typedef enum fft_target {
    FFT_TO_TURNED, /* split, multiplied by twiddle factors */
    FFT_TO_SPLIT,
    FFT_TO_PLAIN,
    FFT_TARGETS
} fft_target;

/* One pass of Stockham's transform: `radix` elements, m * s apart, are transformed and written s
 * apart, for each p < m and q < s. */
typedef struct fft_pass {
    const void *from;
    void *to;
    int64_t from_row, to_row; /* plain: reals from an element to the next; lanes lie side by side */
    int64_t m, s;
    const void *twiddles; /* m times radix - 1 pairs */
    double sign;          /* from plain: what imaginary parts are multiplied by */
    double re, im;        /* to plain: what the parts are multiplied by */
    const void *roots;    /* FFT_RADIX_PRIME: `radix` pairs */
    int radix;
} fft_pass;

typedef void fft_pass_run(const fft_pass *pass);

/* The last step of a line in which each lane holds every lanes-th element: transforms across the
 * lanes. count: the number of a line's split elements, a multiple of lanes; or lanes is a multiple
 * of count, and lanes / count lines are crossed at once. */
typedef struct fft_cross {
    const void *from, *twiddles; /* both split, of all lines */
    void *to[FFT_MAX_LANES];     /* plain, count * lanes numbers side by side */
    int lines;                   /* that are written */
    int64_t count;
    double re, im;
} fft_cross;

/* Between the steps of a long line: multiplies split elements by the twiddles of their row and of
 * their column, and writes them with lanes and elements exchanged. */
typedef struct fft_turn {
    const void *from;
    void *to;               /* split; the first of the blocks of lanes elements */
    int64_t count;          /* of elements read */
    int64_t lanes;          /* of lanes that are written */
    int64_t block;          /* split elements from one block to the next */
    const void *split_by;   /* count split factors */
    const void *scalars_by; /* count pairs */
} fft_turn;

/* Lines of plain numbers, whose parts lie `part` reals apart: 0 where all elements of a line are
 * one real, as in a broadcast view. FFT_NO_PART: there are only real parts. */
#define FFT_NO_PART INT64_MIN
typedef struct fft_side {
    void *lines[FFT_MAX_LANES]; /* all of them; those past count repeat the first */
    int count;
    int64_t n, step; /* elements, and reals from one to the next */
    int64_t part;
    double re, im; /* what the parts are multiplied by */
} fft_side;

/* Converts between a Hermitian sequence of 2 * n numbers and a complex one of n, in both
 * directions, in place or not: for each k up to n / 2
 *   s = (a[k] + conj(a[n - k])) / 2, t = factors[k] * (a[k] - conj(a[n - k]))
 *   b[k] = s + t, b[n - k] = conj(s - t). */
typedef struct fft_pairs {
    const void *from;
    void *to;
    const void *factors; /* pairs: exp(-2 pi i k / (2 n)) / 2i */
    int64_t n;
    double sign;    /* of a line: what imaginary parts of a are multiplied by */
    bool real_ends; /* of a line: the imaginary parts of a[0] and a[n] are taken as 0 */
} fft_pairs;

/* to[i] = from[i] * by[i], with the parts of from and to multiplied as in a pass. Plain. */
typedef struct fft_product {
    const void *from, *by;
    void *to;
    int64_t n;
    double sign, re, im;
} fft_product;

typedef struct fft_loops {
    int lanes;
    size_t real_nbytes;
    fft_pass_run *pass[FFT_RADIX_COUNT][FFT_SOURCES][FFT_TARGETS]; /* NULL: not for that radix */
    void (*cross)(const fft_cross *cross); /* a line; or several short ones */
    void (*cross_short)(const fft_cross *cross);
    void (*turn)(const fft_turn *turn);
    void (*gather)(const fft_side *side, void *split);
    void (*scatter)(const fft_side *side, const void *split);
    void (*pair_lanes)(const fft_pairs *pairs);   /* split */
    void (*mirror_lanes)(void *split, int64_t n); /* split: x[n - k] = conj(x[k]), x[0] real */
    void (*pair_line)(const fft_pairs *pairs);    /* plain */
    void (*multiply)(const fft_product *product);
    /* Real numbers as complex ones; a Hermitian sequence from its conjugated half; real parts. */
    void (*widen)(const void *from, int64_t from_step, void *to, int64_t n);
    void (*mirror)(const void *from, void *to, int64_t n);
    void (*narrow)(const void *from, void *to, int64_t to_step, int64_t n, double scale);
} fft_loops;

/* The table in use. gives: borrowed, valid forever */
const fft_loops *fft_loops_chosen(bool single);

#endif
