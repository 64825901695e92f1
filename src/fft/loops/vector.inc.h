/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of REALs and complex numbers of them: as wide as the instruction set has them. GCC's and
 * Clang's vector extensions: one source for all instruction sets. Widths that a set does not have
 * would be split by the compiler, at a loss. */

#if defined(__AVX512F__)
enum { VECTOR_NBYTES = 64 };
#define LANES (64 / REAL_NBYTES)
#elif defined(__AVX__)
enum { VECTOR_NBYTES = 32 };
#define LANES (32 / REAL_NBYTES)
#else
enum { VECTOR_NBYTES = 16 };
#define LANES (16 / REAL_NBYTES)
#endif

/* Arrays that only constants index become registers, so these loops must be unrolled whole. */
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 64")
#endif
#define INLINE static inline __attribute__((always_inline))

typedef REAL vector __attribute__((vector_size(VECTOR_NBYTES)));
/* For loads and stores at any address of a REAL. */
typedef REAL loose_vector
    __attribute__((vector_size(VECTOR_NBYTES), aligned(REAL_NBYTES), may_alias));

/* LANES complex numbers. */
typedef struct cpx {
    vector re, im;
} cpx;

/* Orders of lanes for __builtin_shufflevector, which wants literals: 0 to LANES - 1 are the first
 * operand's, the others the second's. */
#if LANES == 16
#define EVEN_LANES 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_LANES 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define LOW_LANES 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_LANES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define BACKWARD_LANES 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#elif LANES == 8
#define EVEN_LANES 0, 2, 4, 6, 8, 10, 12, 14
#define ODD_LANES 1, 3, 5, 7, 9, 11, 13, 15
#define LOW_LANES 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_LANES 4, 12, 5, 13, 6, 14, 7, 15
#define BACKWARD_LANES 7, 6, 5, 4, 3, 2, 1, 0
#elif LANES == 4
#define EVEN_LANES 0, 2, 4, 6
#define ODD_LANES 1, 3, 5, 7
#define LOW_LANES 0, 4, 1, 5
#define HIGH_LANES 2, 6, 3, 7
#define BACKWARD_LANES 3, 2, 1, 0
#else
#define EVEN_LANES 0, 2
#define ODD_LANES 1, 3
#define LOW_LANES 0, 2
#define HIGH_LANES 1, 3
#define BACKWARD_LANES 1, 0
#endif

INLINE vector even(vector a, vector b)
{
    return __builtin_shufflevector(a, b, EVEN_LANES);
}
INLINE vector odd(vector a, vector b)
{
    return __builtin_shufflevector(a, b, ODD_LANES);
}
INLINE vector zip_low(vector a, vector b)
{
    return __builtin_shufflevector(a, b, LOW_LANES);
}
INLINE vector zip_high(vector a, vector b)
{
    return __builtin_shufflevector(a, b, HIGH_LANES);
}
INLINE vector backward(vector a)
{
    return __builtin_shufflevector(a, a, BACKWARD_LANES);
}
INLINE vector load(const REAL *at)
{
    return *(const loose_vector *)(const void *)at;
}
INLINE void store(REAL *at, vector value)
{
    *(loose_vector *)(void *)at = value;
}
INLINE vector splat(REAL value)
{
    /* Minus zero and not plus: x - 0 is x for every x, the negative zero included. */
    return value - (vector){0};
}

INLINE cpx load_split(const REAL *at)
{
    return (cpx){load(at), load(at + LANES)};
}
INLINE void store_split(REAL *at, cpx z)
{
    store(at, z.re);
    store(at + LANES, z.im);
}
INLINE cpx load_plain(const REAL *at)
{
    vector a = load(at), b = load(at + LANES);
    return (cpx){even(a, b), odd(a, b)};
}
INLINE void store_plain(REAL *at, cpx z)
{
    store(at, zip_low(z.re, z.im));
    store(at + LANES, zip_high(z.re, z.im));
}
INLINE cpx load_pair(const REAL *at) /* one number in all lanes */
{
    return (cpx){splat(at[0]), splat(at[1])};
}
INLINE cpx plus(cpx a, cpx b)
{
    return (cpx){a.re + b.re, a.im + b.im};
}
INLINE cpx minus(cpx a, cpx b)
{
    return (cpx){a.re - b.re, a.im - b.im};
}
INLINE cpx times(cpx a, cpx b)
{
    return (cpx){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
INLINE cpx times_minus_i(cpx a)
{
    return (cpx){a.im, -a.re};
}
INLINE cpx scaled(cpx a, vector re, vector im)
{
    return (cpx){a.re * re, a.im * im};
}

/* Exchanges lanes and elements: log2(LANES) times, halves of the array are zipped together, which
 * moves one bit of the element's number into the lane's. */
INLINE void transpose(vector *x)
{
    UNROLLED
    for (int step = 1; step < LANES; step *= 2) {
        vector t[LANES];
        UNROLLED
        for (int i = 0; i < LANES / 2; ++i) {
            t[2 * i] = zip_low(x[i], x[i + LANES / 2]);
            t[2 * i + 1] = zip_high(x[i], x[i + LANES / 2]);
        }
        UNROLLED
        for (int i = 0; i < LANES; ++i)
            x[i] = t[i];
    }
}

INLINE void transpose_split(cpx *x)
{
    vector re[LANES], im[LANES];
    UNROLLED
    for (int i = 0; i < LANES; ++i) {
        re[i] = x[i].re;
        im[i] = x[i].im;
    }
    transpose(re);
    transpose(im);
    UNROLLED
    for (int i = 0; i < LANES; ++i)
        x[i] = (cpx){re[i], im[i]};
}
