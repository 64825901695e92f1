/* SPDX-License-Identifier: Apache-2.0 */
/* Half precision: conversions of runs to float32 and back (tensor/half.h), and from wider types
 * than float32. */
#include "tensor/half.h"

/* A double as a float whose last bit is set if anything was cut off (round to odd): rounding
 * that once more, to fewer bits, gives what rounding the double once would have given. */
static inline float odd_f32_of_f64(double x)
{
    float nearest = (float)x;
    double error = x - (double)nearest;
    uint32_t bits = bits_of_f32(nearest);
    uint32_t toward_odd = bits + (fabs((double)nearest) < fabs(x) ? 1u : ~0u);
    /* error is NaN for infinities, which are exact; a finite x that became infinite has an
     * infinite one. */
    return f32_of_bits((error < 0 || error > 0) && !(bits & 1) ? toward_odd : bits);
}

/* The same from integers: what does not fit into a double's 53 bits is first gathered in the
 * lowest. */
static inline float odd_f32_of_i64(int64_t x)
{
    int64_t gathered = (x & ~(int64_t)0x7ff) | ((x & 0x7ff) != 0 ? (int64_t)0x800 : 0);
    int fits = x < (int64_t)1 << 53 && x > -((int64_t)1 << 53);
    return odd_f32_of_f64((double)(fits ? x : gathered));
}

static inline float odd_f32_of_u64(uint64_t x)
{
    uint64_t gathered = (x & ~(uint64_t)0x7ff) | ((x & 0x7ff) != 0 ? (uint64_t)0x800 : 0);
    return odd_f32_of_f64((double)(x < (uint64_t)1 << 53 ? x : gathered));
}
