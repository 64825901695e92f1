/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of a few elements in registers, in place, results in their natural order. Loops have
 * constant bounds and are unrolled; what they index becomes registers. */

#define HALF_ROOT ((REAL)0.70710678118654752440)

INLINE void transform_2(cpx *x)
{
    cpx a = x[0];
    x[0] = plus(a, x[1]);
    x[1] = minus(a, x[1]);
}

/* Elements step apart. */
INLINE void transform_4_apart(cpx *x, const int step)
{
    cpx a = plus(x[0], x[2 * step]), b = minus(x[0], x[2 * step]);
    cpx c = plus(x[step], x[3 * step]), d = times_minus_i(minus(x[step], x[3 * step]));
    x[0] = plus(a, c);
    x[step] = plus(b, d);
    x[2 * step] = minus(a, c);
    x[3 * step] = minus(b, d);
}

INLINE void transform_4(cpx *x)
{
    transform_4_apart(x, 1);
}

/* Two of four, even and odd elements: a + c * (cos - i sin) and a - that. The middle angles' sine
 * and cosine are equal in size, so their products take two multiplications. */
INLINE void transform_8(cpx *x)
{
    transform_4_apart(x, 2);
    transform_4_apart(x + 1, 2);
    cpx e0 = x[0], e1 = x[2], e2 = x[4], e3 = x[6];
    cpx o0 = x[1], o1 = x[3], o2 = times_minus_i(x[5]), o3 = x[7];
    o1 = (cpx){(o1.re + o1.im) * HALF_ROOT, (o1.im - o1.re) * HALF_ROOT};
    o3 = (cpx){(o3.im - o3.re) * HALF_ROOT, (o3.re + o3.im) * -HALF_ROOT};
    x[0] = plus(e0, o0);
    x[1] = plus(e1, o1);
    x[2] = plus(e2, o2);
    x[3] = plus(e3, o3);
    x[4] = minus(e0, o0);
    x[5] = minus(e1, o1);
    x[6] = minus(e2, o2);
    x[7] = minus(e3, o3);
}

/* Four of four; the factors between them are powers of exp(-2 pi i / 16). */
INLINE void transform_16(cpx *x)
{
    static const REAL roots[10][2] = {
        {1, 0},
        {(REAL)0.92387953251128675613, (REAL)-0.38268343236508977173},
        {HALF_ROOT, -HALF_ROOT},
        {(REAL)0.38268343236508977173, (REAL)-0.92387953251128675613},
        {0, -1},
        {0, 0}, /* no product of two numbers below 4 */
        {-HALF_ROOT, -HALF_ROOT},
        {0, 0},
        {0, 0},
        {(REAL)-0.92387953251128675613, (REAL)0.38268343236508977173}};
    cpx t[16];
    UNROLLED
    for (int b = 0; b < 4; ++b)
        transform_4_apart(x + b, 4);
    UNROLLED
    for (int c = 0; c < 4; ++c) {
        UNROLLED
        for (int b = 0; b < 4; ++b)
            t[b] = b * c == 0 ? x[b + 4 * c] : times(x[b + 4 * c], load_pair(roots[b * c]));
        transform_4(t);
        UNROLLED
        for (int d = 0; d < 4; ++d)
            x[4 * c + d] = t[d];
    }
    /* x[4 * c + d] is result c + 4 * d */
    UNROLLED
    for (int i = 0; i < 16; ++i)
        t[i / 4 + i % 4 * 4] = x[i];
    UNROLLED
    for (int i = 0; i < 16; ++i)
        x[i] = t[i];
}

/* An odd prime by its definition, with elements k and radix - k taken together: roots has the pairs
 * (cos, -sin) of 2 pi k / radix. */
INLINE void transform_odd(cpx *x, const int radix, const REAL *roots)
{
    cpx sums[FFT_LARGEST_PRIME / 2 + 1], differences[FFT_LARGEST_PRIME / 2 + 1], first = x[0];
    const int half = radix / 2;
    UNROLLED
    for (int j = 1; j <= half; ++j) {
        sums[j] = plus(x[j], x[radix - j]);
        differences[j] = minus(x[j], x[radix - j]);
        x[0] = plus(x[0], sums[j]);
    }
    UNROLLED
    for (int k = 1; k <= half; ++k) {
        cpx a = first, b = {{0}, {0}};
        UNROLLED
        for (int j = 1; j <= half; ++j) {
            const REAL *root = roots + 2 * (j * k % radix);
            a.re += sums[j].re * root[0];
            a.im += sums[j].im * root[0];
            b.re += differences[j].re * root[1];
            b.im += differences[j].im * root[1];
        }
        /* a + i b and a - i b */
        x[k] = (cpx){a.re - b.im, a.im + b.re};
        x[radix - k] = (cpx){a.re + b.im, a.im - b.re};
    }
}
