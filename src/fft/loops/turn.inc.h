/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that exchange lanes and elements: the last step of one line, the middle step of a
 * long line, and reading and writing lines. */

/* The transform across the lanes of one vector: after a transposition it is one between vectors. */
#if LANES == 16
#define transform_lanes transform_16
#elif LANES == 8
#define transform_lanes transform_8
#elif LANES == 4
#define transform_lanes transform_4
#else
#define transform_lanes transform_2
#endif

/* LANES elements at a time: twiddles, then the lanes become elements, which are transformed; result
 * i of element k is number i * count + k of the line. */
static void cross(const fft_cross *job)
{
    const REAL *from = job->from, *twiddles = job->twiddles;
    REAL *to = job->to[0];
    const vector re = splat((REAL)job->re), im = splat((REAL)job->im);
    for (int64_t k = 0; k < job->count; k += LANES, to += 2 * LANES) {
        cpx x[LANES];
        UNROLLED
        for (int i = 0; i < LANES; ++i, from += 2 * LANES, twiddles += 2 * LANES)
            x[i] = times(load_split(from), load_split(twiddles));
        transpose_split(x);
        transform_lanes(x);
        UNROLLED
        for (int i = 0; i < LANES; ++i)
            store_plain(to + i * 2 * job->count, scaled(x[i], re, im));
    }
}

#if LANES >= 8
/* The same of LANES / count lines, of which result i of all is `count` numbers of each, one line
 * behind the other. count is a constant at each call. */
INLINE void cross_lines(const fft_cross *job, const int count)
{
    const REAL *from = job->from, *twiddles = job->twiddles;
    const vector re = splat((REAL)job->re), im = splat((REAL)job->im);
    cpx x[LANES];
    UNROLLED
    for (int i = 0; i < LANES; ++i)
        x[i] = times(load_split(from + i * 2 * LANES), load_split(twiddles + i * 2 * LANES));
    transpose_split(x);
    transform_lanes(x);
    UNROLLED
    for (int i = 0; i < LANES; ++i) {
        REAL all[2 * LANES];
        store_plain(all, scaled(x[i], re, im));
        for (int line = 0; line < job->lines; ++line)
            memcpy((REAL *)job->to[line] + i * 2 * count, all + line * 2 * count,
                   (size_t)(2 * count) * sizeof(REAL));
    }
}
#endif

/* Crosses two lines or more, each of which fills at least four lanes: not called for narrow
 * vectors. */
static void cross_short(const fft_cross *job)
{
#if LANES > 8
    if (job->count == 8) {
        cross_lines(job, 8);
        return;
    }
#endif
#if LANES >= 8
    cross_lines(job, 4);
#else
    (void)job;
#endif
}

/* Elements past count are zero; lanes past job->lanes are not written. */
static void turn(const fft_turn *job)
{
    const REAL *from = job->from, *split_by = job->split_by, *scalars_by = job->scalars_by;
    REAL *to = job->to;
    for (int64_t k = 0; k < job->count; k += LANES, to += job->block * 2 * LANES) {
        cpx x[LANES];
        for (int i = 0; i < LANES; ++i) {
            int64_t at = (k + i) * 2;
            x[i] = (cpx){{0}, {0}};
            if (k + i < job->count)
                x[i] = times(load_split(from + at * LANES),
                             times(load_split(split_by + at * LANES), load_pair(scalars_by + at)));
        }
        transpose_split(x);
        for (int i = 0; i < LANES && i < job->lanes; ++i)
            store_split(to + i * 2 * LANES, x[i]);
    }
}

/* How lines lie: side by side as pairs or as reals, or each a run of pairs. */
typedef enum arrangement { PAIRS_ABREAST, REALS_ABREAST, PAIRS_IN_A_ROW, ANYHOW } arrangement;

/* Compares the addresses of all lines, as a group may cross the end of an axis of the array. */
static arrangement arrangement_of(const fft_side *side)
{
    ptrdiff_t apart = (const REAL *)side->lines[LANES - 1] - (const REAL *)side->lines[0];
    bool even_steps = side->count == LANES;
    for (int i = 1; i < side->count && even_steps; ++i)
        even_steps =
            (const REAL *)side->lines[i] - (const REAL *)side->lines[0] == apart / (LANES - 1) * i;
    if (even_steps && apart == 2 * (LANES - 1) && side->part == 1)
        return PAIRS_ABREAST;
    if (even_steps && apart == LANES - 1)
        return REALS_ABREAST;
    return side->step == 2 && side->part == 1 ? PAIRS_IN_A_ROW : ANYHOW;
}

/* The imaginary parts of real numbers without partners become zeros. */
static void gather_abreast(const fft_side *side, bool pairs, REAL *split)
{
    const REAL *from = side->lines[0];
    const vector re = splat((REAL)side->re), im = splat((REAL)side->im);
    for (int64_t j = 0; j < side->n; ++j, from += side->step, split += 2 * LANES) {
        cpx z = {load(from), {0}};
        if (pairs)
            z = load_plain(from);
        else if (side->part != FFT_NO_PART)
            z.im = load(from + side->part);
        store_split(split, scaled(z, re, im));
    }
}

/* Elements first to n - 1, one after the other. */
static void gather_anyhow(const fft_side *side, int64_t first, REAL *split)
{
    const REAL re = (REAL)side->re, im = (REAL)side->im;
    for (int64_t j = first; j < side->n; ++j)
        for (int i = 0; i < LANES; ++i) {
            const REAL *from = (const REAL *)side->lines[i] + j * side->step;
            split[j * 2 * LANES + i] = from[0] * re;
            split[j * 2 * LANES + LANES + i] =
                side->part != FFT_NO_PART ? from[side->part] * im : 0;
        }
}

/* Runs of LANES elements by a transposition, the rest one by one. Lanes past the count read the
 * first line again. */
static void gather_rows(const fft_side *side, REAL *split)
{
    const vector re = splat((REAL)side->re), im = splat((REAL)side->im);
    int64_t j = 0;
    for (; j + LANES <= side->n; j += LANES) {
        cpx x[LANES];
        UNROLLED
        for (int i = 0; i < LANES; ++i)
            x[i] = scaled(load_plain((const REAL *)side->lines[i] + 2 * j), re, im);
        transpose_split(x);
        UNROLLED
        for (int i = 0; i < LANES; ++i)
            store_split(split + (j + i) * 2 * LANES, x[i]);
    }
    gather_anyhow(side, j, split);
}

static void gather(const fft_side *side, void *split)
{
    switch (arrangement_of(side)) {
    case PAIRS_ABREAST: gather_abreast(side, true, split); break;
    case REALS_ABREAST: gather_abreast(side, false, split); break;
    case PAIRS_IN_A_ROW: gather_rows(side, split); break;
    default: gather_anyhow(side, 0, split); break;
    }
}

static void scatter_abreast(const fft_side *side, bool pairs, const REAL *split)
{
    REAL *to = side->lines[0];
    const vector re = splat((REAL)side->re), im = splat((REAL)side->im);
    for (int64_t j = 0; j < side->n; ++j, to += side->step, split += 2 * LANES) {
        cpx z = scaled(load_split(split), re, im);
        if (pairs) {
            store_plain(to, z);
            continue;
        }
        store(to, z.re);
        if (side->part != FFT_NO_PART)
            store(to + side->part, z.im);
    }
}

static void scatter_anyhow(const fft_side *side, int64_t first, const REAL *split)
{
    const REAL re = (REAL)side->re, im = (REAL)side->im;
    for (int64_t j = first; j < side->n; ++j)
        for (int i = 0; i < side->count; ++i) {
            REAL *to = (REAL *)side->lines[i] + j * side->step;
            to[0] = split[j * 2 * LANES + i] * re;
            if (side->part != FFT_NO_PART)
                to[side->part] = split[j * 2 * LANES + LANES + i] * im;
        }
}

static void scatter_rows(const fft_side *side, const REAL *split)
{
    const vector re = splat((REAL)side->re), im = splat((REAL)side->im);
    int64_t j = 0;
    for (; j + LANES <= side->n; j += LANES) {
        cpx x[LANES];
        UNROLLED
        for (int i = 0; i < LANES; ++i)
            x[i] = load_split(split + (j + i) * 2 * LANES);
        transpose_split(x);
        for (int i = 0; i < side->count; ++i)
            store_plain((REAL *)side->lines[i] + 2 * j, scaled(x[i], re, im));
    }
    scatter_anyhow(side, j, split);
}

static void scatter(const fft_side *side, const void *split)
{
    switch (arrangement_of(side)) {
    case PAIRS_ABREAST: scatter_abreast(side, true, split); break;
    case REALS_ABREAST: scatter_abreast(side, false, split); break;
    case PAIRS_IN_A_ROW: scatter_rows(side, split); break;
    default: scatter_anyhow(side, 0, split); break;
    }
}
