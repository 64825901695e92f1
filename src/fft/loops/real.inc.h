/* SPDX-License-Identifier: Apache-2.0 */
/* Between a Hermitian sequence and the complex transform of half its length, and products of
 * complex lines. */

/* The two results for the numbers a and b at k and n - k. */
INLINE void pair_up(cpx a, cpx b, cpx factor, cpx *low, cpx *high)
{
    const vector half = splat((REAL)0.5);
    cpx s = {(a.re + b.re) * half, (a.im - b.im) * half};
    cpx t = times((cpx){a.re - b.re, a.im + b.im}, factor);
    *low = plus(s, t);
    *high = (cpx){s.re - t.re, t.im - s.im};
}

/* If k is n - k, both are the same element, and both results are equal. */
static void pair_lanes(const fft_pairs *pairs)
{
    const REAL *from = pairs->from, *factors = pairs->factors;
    REAL *to = pairs->to;
    for (int64_t k = 0; k <= pairs->n / 2; ++k) {
        int64_t low = k * 2 * LANES, high = (pairs->n - k) * 2 * LANES;
        cpx x, y;
        pair_up(load_split(from + low), load_split(from + high), load_pair(factors + 2 * k), &x,
                &y);
        store_split(to + high, y);
        store_split(to + low, x);
    }
}

/* The mirror for an odd n. The first number's imaginary part is ignored. */
static void mirror_lanes(void *split, int64_t n)
{
    REAL *x = split;
    store(x + LANES, (vector){0});
    for (int64_t k = 1; 2 * k < n; ++k) {
        cpx z = load_split(x + k * 2 * LANES);
        store_split(x + (n - k) * 2 * LANES, (cpx){z.re, -z.im});
    }
}

/* One pair of numbers, with the same order of operations as in vectors, so that a number's bits do
 * not depend on its index. */
static void pair_one(const fft_pairs *pairs, int64_t k)
{
    const REAL *a = (const REAL *)pairs->from + 2 * k, *factors = pairs->factors;
    const REAL *b = (const REAL *)pairs->from + 2 * (pairs->n - k), sign = (REAL)pairs->sign;
    REAL *low = (REAL *)pairs->to + 2 * k, *high = (REAL *)pairs->to + 2 * (pairs->n - k);
    const REAL c = factors[2 * k], d = factors[2 * k + 1], half = (REAL)0.5;
    const bool real = k == 0 && pairs->real_ends;
    const REAL a_im = real ? 0 : a[1] * sign, b_im = real ? 0 : b[1] * sign;
    const REAL s_re = (a[0] + b[0]) * half, s_im = (a_im - b_im) * half;
    const REAL u = a[0] - b[0], v = a_im + b_im;
    const REAL t_re = u * c - v * d, t_im = u * d + v * c;
    high[0] = s_re - t_re;
    high[1] = t_im - s_im;
    low[0] = s_re + t_re;
    low[1] = s_im + t_im;
}

static void pair_line(const fft_pairs *pairs)
{
    const REAL *from = pairs->from, *factors = pairs->factors;
    REAL *to = pairs->to;
    const vector sign = splat((REAL)pairs->sign);
    int64_t k = 1;
    pair_one(pairs, 0);
    /* Combines LANES numbers from the front with LANES from the back, as long as the two do not
     * overlap: in place, each would read numbers that the other has written. */
    for (; k + LANES - 1 < pairs->n - k - (LANES - 1); k += LANES) {
        int64_t high = 2 * (pairs->n - k - (LANES - 1));
        cpx a = load_plain(from + 2 * k), b = load_plain(from + high), x, y;
        a.im *= sign;
        b = (cpx){backward(b.re), backward(b.im) * sign};
        pair_up(a, b, load_plain(factors + 2 * k), &x, &y);
        store_plain(to + 2 * k, x);
        store_plain(to + high, (cpx){backward(y.re), backward(y.im)});
    }
    for (; k <= pairs->n / 2; ++k)
        pair_one(pairs, k);
}

static void widen(const void *from, int64_t from_step, void *to, int64_t n)
{
    const REAL *x = from;
    REAL *y = to;
    for (int64_t i = 0; i < n; ++i) {
        y[2 * i] = x[i * from_step];
        y[2 * i + 1] = 0;
    }
}

static void mirror(const void *from, void *to, int64_t n)
{
    const REAL *x = from;
    REAL *y = to;
    y[0] = x[0];
    y[1] = 0;
    for (int64_t k = 1; 2 * k < n; ++k) {
        y[2 * k] = y[2 * (n - k)] = x[2 * k];
        y[2 * k + 1] = -x[2 * k + 1];
        y[2 * (n - k) + 1] = x[2 * k + 1];
    }
}

static void narrow(const void *from, void *to, int64_t to_step, int64_t n, double scale)
{
    const REAL *x = from;
    REAL *y = to;
    for (int64_t i = 0; i < n; ++i)
        y[i * to_step] = x[2 * i] * (REAL)scale;
}

static void multiply(const fft_product *product)
{
    const REAL *from = product->from, *by = product->by;
    REAL *to = product->to;
    const REAL sign = (REAL)product->sign, re = (REAL)product->re, im = (REAL)product->im;
    int64_t i = 0;
    for (; i + LANES <= product->n; i += LANES) {
        cpx z = load_plain(from + 2 * i);
        z = times((cpx){z.re, z.im * splat(sign)}, load_plain(by + 2 * i));
        store_plain(to + 2 * i, scaled(z, splat(re), splat(im)));
    }
    for (; i < product->n; ++i) {
        const REAL a = from[2 * i], b = from[2 * i + 1] * sign, c = by[2 * i], d = by[2 * i + 1];
        to[2 * i] = (a * c - b * d) * re;
        to[2 * i + 1] = (a * d + b * c) * im;
    }
}
