/* SPDX-License-Identifier: Apache-2.0 */
/* Elements to test with: for each dtype its special values, then whatever a generator gives. */
#ifndef TILE_SAMPLES_H
#define TILE_SAMPLES_H

#include "reference.h"

static inline uint64_t random_bits(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* A number in [-range, range), rounded to quarters now and then so that ties and zeros occur. */
static inline double random_real(uint64_t *seed, double range)
{
    double x = ((double)(random_bits(seed) >> 11) / 0x1p53 - 0.5) * 2 * range;
    return random_bits(seed) % 4 == 0 ? floor(x * 4) / 4 : x;
}

static inline double special_real(uint64_t choice)
{
    static const double specials[] = {0.0,          -0.0,          1.0,          -1.0,      0.5,
                                      1e-40,        -1e-40,        5e-324,       1e300,     -1e300,
                                      3e38,         127.6,         255.5,        65519.0,   65520.0,
                                      2147483648.0, -2147483648.0, 4294967296.0, 9.3e18,    1.9e19,
                                      -1e19,        88.8,          -103.9,       709.8,     -745.0,
                                      6e-8,         3.4028236e38,  INFINITY,     -INFINITY, NAN};
    return specials[choice % JG_COUNT_OF(specials)];
}

static inline double sample_real(uint64_t *seed)
{
    switch (random_bits(seed) % 4) {
    case 0: return special_real(random_bits(seed));
    case 1: return ldexp(random_real(seed, 2), (int)(random_bits(seed) % 60) - 30);
    default: return random_real(seed, 20);
    }
}

/* One element; bools are any byte, as foreign memory may hold them. */
static inline void sample(void *to, jg_dtype dtype, uint64_t *seed)
{
    value x = {0, sample_real(seed), 0};
    uint64_t bits = random_bits(seed);
    if (dtype == JG_DTYPE_BOOL) {
        *(uint8_t *)to = (uint8_t)(bits % 3 == 0 ? bits >> 8 : bits % 2);
        return;
    }
    if (is_whole(dtype)) {
        uint64_t shift = random_bits(seed) % 64;
        x.i = (int64_t)bits >> shift;
        if (random_bits(seed) % 4 == 0)
            x.i = (int64_t)(random_bits(seed) % 7) - 3;
    }
    if (kind_of(dtype) == JG_KIND_COMPLEX) {
        x.re = random_real(seed, 20);
        x.im = random_real(seed, 20);
    }
    store_value(to, x, dtype);
}

static inline void fill_samples(void *to, jg_dtype dtype, int64_t n, uint64_t seed)
{
    seed = seed * 0x9e3779b97f4a7c15u + 88172645463325252u;
    for (int64_t i = 0; i < n; ++i)
        sample((char *)to + (size_t)i * dtype_itemsize(dtype), dtype, &seed);
}

/* Distance in units of the last place of the dtype's float; 0 for equal, NaN for NaN, either
 * zero. */
static inline double ulps_between(double got, double wanted, bool single)
{
    int exponent;
    if (isnan(wanted) || isnan(got))
        return isnan(wanted) && isnan(got) ? 0 : (double)INFINITY;
    if (got == wanted)
        return 0;
    if (single && got == (double)(float)wanted)
        return 0.5;
    if (isinf(got) || isinf(wanted))
        return (double)INFINITY;
    (void)frexp(wanted, &exponent);
    int lowest = single ? -125 : -1021, digits = single ? 24 : 53;
    return fabs(got - wanted) / ldexp(1, (exponent > lowest ? exponent : lowest) - digits);
}

/* Whether two elements agree to so many ULP (0: the same value). */
static inline bool elements_agree(const void *got, const void *wanted, jg_dtype dtype, double ulps)
{
    value x = load_value(got, dtype), y = load_value(wanted, dtype);
    bool single = dtype == JG_DTYPE_FLOAT32 || dtype == JG_DTYPE_COMPLEX64;
    if (dtype == JG_DTYPE_BOOL && *(const uint8_t *)got > 1)
        return false;
    if (is_whole(dtype))
        return x.i == y.i;
    return ulps_between(x.re, y.re, single) <= ulps && ulps_between(x.im, y.im, single) <= ulps;
}

#endif
