/* SPDX-License-Identifier: Apache-2.0 */
/* Passes of Stockham's transform: one function for each radix, source and target. It sorts while it
 * transforms: each pass reads one area and writes the other, in an order that leaves the last one's
 * results in their natural order, with no reversal of bits. C. Van Loan, "Computational Frameworks
 * for the Fast Fourier Transform", SIAM 1992, section 1.7. */

/* Pairs (cos, -sin) of 2 pi k / radix. */
static const REAL roots_3[] = {
    1, 0, (REAL)-0.5, (REAL)-0.866025403784438646764, (REAL)-0.5, (REAL)0.866025403784438646764,
};
static const REAL roots_5[] = {
    1,
    0,
    (REAL)0.309016994374947424102,
    (REAL)-0.951056516295153572116,
    (REAL)-0.809016994374947424102,
    (REAL)-0.587785252292473129169,
    (REAL)-0.809016994374947424102,
    (REAL)0.587785252292473129169,
    (REAL)0.309016994374947424102,
    (REAL)0.951056516295153572116,
};
static const REAL roots_7[] = {
    1,
    0,
    (REAL)0.623489801858733530525,
    (REAL)-0.781831482468029808708,
    (REAL)-0.222520933956314404289,
    (REAL)-0.974927912181823607018,
    (REAL)-0.900968867902419126236,
    (REAL)-0.433883739117558120476,
    (REAL)-0.900968867902419126236,
    (REAL)0.433883739117558120476,
    (REAL)-0.222520933956314404289,
    (REAL)0.974927912181823607018,
    (REAL)0.623489801858733530525,
    (REAL)0.781831482468029808708,
};
static const REAL roots_11[] = {
    1,
    0,
    (REAL)0.841253532831181168862,
    (REAL)-0.540640817455597582108,
    (REAL)0.415415013001886425529,
    (REAL)-0.909631995354518371412,
    (REAL)-0.142314838273285140444,
    (REAL)-0.989821441880932732376,
    (REAL)-0.654860733945285064057,
    (REAL)-0.755749574354258283774,
    (REAL)-0.95949297361449738989,
    (REAL)-0.281732556841429697711,
    (REAL)-0.95949297361449738989,
    (REAL)0.281732556841429697711,
    (REAL)-0.654860733945285064057,
    (REAL)0.755749574354258283774,
    (REAL)-0.142314838273285140444,
    (REAL)0.989821441880932732376,
    (REAL)0.415415013001886425529,
    (REAL)0.909631995354518371412,
    (REAL)0.841253532831181168862,
    (REAL)0.540640817455597582108,
};
static const REAL roots_13[] = {
    1,
    0,
    (REAL)0.8854560256532098959,
    (REAL)-0.464723172043768545656,
    (REAL)0.568064746731155802512,
    (REAL)-0.82298386589365639458,
    (REAL)0.120536680255323053349,
    (REAL)-0.992708874098053992801,
    (REAL)-0.35460488704253562597,
    (REAL)-0.93501624268541482344,
    (REAL)-0.748510748171101098635,
    (REAL)-0.663122658240795202377,
    (REAL)-0.970941817426052027157,
    (REAL)-0.239315664287557767149,
    (REAL)-0.970941817426052027157,
    (REAL)0.239315664287557767149,
    (REAL)-0.748510748171101098635,
    (REAL)0.663122658240795202377,
    (REAL)-0.35460488704253562597,
    (REAL)0.93501624268541482344,
    (REAL)0.120536680255323053349,
    (REAL)0.992708874098053992801,
    (REAL)0.568064746731155802512,
    (REAL)0.82298386589365639458,
    (REAL)0.8854560256532098959,
    (REAL)0.464723172043768545656,
};

INLINE void transform_3(cpx *x)
{
    transform_odd(x, 3, roots_3);
}
INLINE void transform_5(cpx *x)
{
    transform_odd(x, 5, roots_5);
}
INLINE void transform_7(cpx *x)
{
    transform_odd(x, 7, roots_7);
}
INLINE void transform_11(cpx *x)
{
    transform_odd(x, 11, roots_11);
}
INLINE void transform_13(cpx *x)
{
    transform_odd(x, 13, roots_13);
}

typedef void transform(cpx *x);

/* The addresses and factors of one pass, as REALs. */
typedef struct geometry {
    int64_t from_row, to_row, from_step, to_step;
    vector sign, re, im;
} geometry;

INLINE geometry geometry_of(const fft_pass *pass, const fft_source from, const fft_target to)
{
    geometry g = {.from_row = from == FFT_FROM_PLAIN ? pass->from_row : 2 * LANES,
                  .to_row = to == FFT_TO_PLAIN ? pass->to_row : 2 * LANES,
                  .sign = splat((REAL)pass->sign),
                  .re = splat((REAL)pass->re),
                  .im = splat((REAL)pass->im)};
    g.from_step = pass->m * pass->s * g.from_row;
    g.to_step = pass->s * g.to_row;
    return g;
}

INLINE cpx read_element(const geometry *g, const REAL *at, const fft_source from)
{
    if (from == FFT_FROM_SPLIT)
        return load_split(at);
    cpx z = load_plain(at);
    return (cpx){z.re, z.im * g->sign};
}

INLINE void write_element(const geometry *g, REAL *at, cpx z, const fft_target to)
{
    if (to == FFT_TO_PLAIN)
        store_plain(at, scaled(z, g->re, g->im));
    else
        store_split(at, z);
}

/* radix, from and to are constants at every call, so that the loops over the radix are unrolled and
 * branches disappear. p counts the numbers that later passes transform, q those that earlier passes
 * have transformed: twiddles depend on p alone. */
INLINE void run_pass(const fft_pass *pass, const int radix, transform *transform_radix,
                     const fft_source from, const fft_target to)
{
    const geometry g = geometry_of(pass, from, to);
    const REAL *in = pass->from, *twiddles = pass->twiddles;
    REAL *out = pass->to;
    for (int64_t p = 0; p < pass->m; ++p, twiddles += 2 * (radix - 1)) {
        for (int64_t q = 0; q < pass->s; ++q, in += g.from_row, out += g.to_row) {
            cpx x[FFT_LARGEST_RADIX];
            UNROLLED
            for (int k = 0; k < radix; ++k)
                x[k] = read_element(&g, in + k * g.from_step, from);
            transform_radix(x);
            UNROLLED
            for (int k = 0; k < radix; ++k) {
                if (to == FFT_TO_TURNED && k > 0)
                    x[k] = times(x[k], load_pair(twiddles + 2 * (k - 1)));
                write_element(&g, out + k * g.to_step, x[k], to);
            }
        }
        /* The other radix - 1 blocks of this p have been written. */
        out += (radix - 1) * g.to_step;
    }
}

#define PASS(radix, FROM, TO)                                                                      \
    static void pass_##radix##_##FROM##_##TO(const fft_pass *pass)                                 \
    {                                                                                              \
        run_pass(pass, radix, transform_##radix, FFT_FROM_##FROM, FFT_TO_##TO);                    \
    }
#define INNER_PASSES(radix) PASS(radix, SPLIT, TURNED) PASS(radix, SPLIT, SPLIT)
#define EDGE_PASSES(radix)                                                                         \
    INNER_PASSES(radix)                                                                            \
    PASS(radix, SPLIT, PLAIN)                                                                      \
    PASS(radix, PLAIN, TURNED)                                                                     \
    PASS(radix, PLAIN, SPLIT)                                                                      \
    PASS(radix, PLAIN, PLAIN)

FFT_EDGE_RADICES(EDGE_PASSES)
FFT_INNER_RADICES(INNER_PASSES)

/* Sums and differences of elements k and radix - k, and the sum of all of them. */
static cpx fold(const REAL *in, int64_t step, int radix, cpx *sums, cpx *differences)
{
    cpx total = load_split(in);
    for (int j = 1; j <= radix / 2; ++j) {
        cpx a = load_split(in + j * step), b = load_split(in + (radix - j) * step);
        sums[j] = plus(a, b);
        differences[j] = minus(a, b);
        total = plus(total, sums[j]);
    }
    return total;
}

/* Results k and radix - k of what was folded. */
static void combine(cpx first, const cpx *sums, const cpx *differences, int radix, int k,
                    const REAL *roots, cpx *out)
{
    cpx a = first, b = {{0}, {0}};
    for (int j = 1, at = k; j <= radix / 2; ++j, at = (at + k) % radix) {
        vector cosine = splat(roots[2 * at]), sine = splat(roots[2 * at + 1]);
        a.re += sums[j].re * cosine;
        a.im += sums[j].im * cosine;
        b.re += differences[j].re * sine;
        b.im += differences[j].im * sine;
    }
    out[0] = (cpx){a.re - b.im, a.im + b.re};
    out[1] = (cpx){a.re + b.im, a.im - b.re};
}

/* Like transform_odd, for a radix that is only known at run time. `first` is loaded again for each
 * k, because there are too few registers; in and out never overlap. */
static void transform_prime(const fft_pass *pass, const REAL *in, REAL *out, const REAL *twiddles)
{
    cpx sums[FFT_LARGEST_PRIME / 2 + 1], differences[FFT_LARGEST_PRIME / 2 + 1], pair[2];
    const int64_t from_step = pass->m * pass->s * 2 * LANES, to_step = pass->s * 2 * LANES;
    int radix = pass->radix;
    store_split(out, fold(in, from_step, radix, sums, differences));
    for (int k = 1; k <= radix / 2; ++k) {
        int other = radix - k;
        combine(load_split(in), sums, differences, radix, k, pass->roots, pair);
        if (twiddles != NULL) {
            pair[0] = times(pair[0], load_pair(twiddles + 2 * (k - 1)));
            pair[1] = times(pair[1], load_pair(twiddles + 2 * (other - 1)));
        }
        store_split(out + k * to_step, pair[0]);
        store_split(out + other * to_step, pair[1]);
    }
}

/* turned: with twiddle factors, as not after the last pass. */
static void pass_prime(const fft_pass *pass, bool turned)
{
    const REAL *in = pass->from, *twiddles = pass->twiddles;
    REAL *out = pass->to;
    for (int64_t p = 0; p < pass->m; ++p) {
        const REAL *by = turned ? twiddles + p * 2 * (pass->radix - 1) : NULL;
        for (int64_t q = 0; q < pass->s; ++q, in += 2 * LANES, out += 2 * LANES)
            transform_prime(pass, in, out, by);
        out += (pass->radix - 1) * pass->s * 2 * LANES;
    }
}

static void pass_prime_TURNED(const fft_pass *pass)
{
    pass_prime(pass, true);
}

static void pass_prime_SPLIT(const fft_pass *pass)
{
    pass_prime(pass, false);
}
