/* SPDX-License-Identifier: Apache-2.0 */
/* One element of the dtypes that are stored and not computed with, from and to float64, through
 * which all their casts go. Reading is exact but for float128; writing rounds once, to nearest
 * even, and what is beyond the format's range becomes its infinity, or NaN where it has none. */

/* SPECIAL_VALUE: a decoded value whose code, without the sign, is rest. BEYOND: the code of a
 * magnitude beyond the range. */
#define SPECIAL_VALUE_IEEE(E, M, value, rest, x)                                                   \
    ((rest) < ((1u << (E)) - 1) << (M)    ? (value)                                                \
     : (rest) == ((1u << (E)) - 1) << (M) ? INFINITY                                               \
                                          : NAN)
#define SPECIAL_VALUE_FN(E, M, value, rest, x) ((rest) == 0x7f ? NAN : (value))
#define SPECIAL_VALUE_FNUZ(E, M, value, rest, x) ((x) == 0x80 ? NAN : (value))

#define LARGEST_IEEE(E, M) (((((uint64_t)1 << (E)) - 1) << (M)) - 1)
#define LARGEST_FN(E, M) 0x7e
#define LARGEST_FNUZ(E, M) 0x7f
#define BEYOND_IEEE(E, M, is_nan)                                                                  \
    ((is_nan) ? LARGEST_IEEE(E, M) + 1 + ((uint64_t)1 << ((M)-1)) : LARGEST_IEEE(E, M) + 1)
#define BEYOND_FN(E, M, is_nan) 0x7f
#define BEYOND_FNUZ(E, M, is_nan) 0x80

/* FNUZ has neither a negative zero nor a negative NaN. */
#define SIGNED_CODE_IEEE(code, sign) ((code) | (sign))
#define SIGNED_CODE_FN(code, sign) ((code) | (sign))
#define SIGNED_CODE_FNUZ(code, sign) ((code) == 0 || (code) == 0x80 ? (code) : (code) | (sign))

/* Decoding moves the exponent's bias by a multiplication, which also makes subnormals right.
 * Encoding rounds normal results in the bits; a subnormal one by adding the number whose last bit
 * it ends at. */
#define JG_SMALL_FLOAT(NAME, E, M, bias, specials)                                                 \
    static inline double f64_of_##NAME(uint8_t x)                                                  \
    {                                                                                              \
        uint32_t rest = x & 0x7fu;                                                                 \
        float size = f32_of_bits(rest << (23 - (M))) * f32_of_bits((254u - (bias)) << 23);         \
        float value = SPECIAL_VALUE_##specials(E, M, size, rest, x);                               \
        return (double)(x & 0x80 ? -value : value);                                                \
    }                                                                                              \
    static inline uint8_t NAME##_of_f64(double x)                                                  \
    {                                                                                              \
        const uint64_t last = 52 - (M), step = (uint64_t)(1076 - (bias) - (M)) << 52;              \
        double size = fabs(x);                                                                     \
        uint64_t bits = bits_of_f64(size), sign = bits_of_f64(x) >> 63 << 7;                       \
        uint64_t up = bits + ((uint64_t)1 << (last - 1)) - 1 + (bits >> last & 1);                 \
        uint64_t normal = (up >> last) - ((uint64_t)(1023 - (bias)) << (M));                       \
        uint64_t subnormal = bits_of_f64(size + f64_of_bits(step)) - step;                         \
        int is_normal = bits >= (uint64_t)(1024 - (bias)) << 52;                                   \
        uint64_t code = is_normal ? normal : subnormal;                                            \
        code = code > LARGEST_##specials(E, M) ? BEYOND_##specials(E, M, x != x) : code;           \
        return (uint8_t)(SIGNED_CODE_##specials(code, sign));                                      \
    }
#define JG_PACKED_FLOAT(...)
#define JG_WIDE_FLOAT(...)
#include "tensor/small_float.def"
#undef JG_SMALL_FLOAT

/* An exponent alone: neither sign nor zero. Ties go up. */
static inline double f64_of_FLOAT8_E8M0FNU(uint8_t x)
{
    return x == 0xff ? (double)NAN : f64_of_bits((uint64_t)(x + 896) << 52);
}

static inline uint8_t FLOAT8_E8M0FNU_of_f64(double x)
{
    uint64_t exponent = (bits_of_f64(x) + ((uint64_t)1 << 51)) >> 52;
    uint64_t low = exponent < 896 ? 896 : exponent, code = low - 896;
    return (uint8_t)(x > 0 && code < 0xff ? code : 0xff);
}

typedef struct word128 {
    uint64_t low, high;
} word128;

/* The leading 63 bits of the significand, the last one set if anything was cut off, round as all
 * 113 do. The one rounding is the conversion to double; for a subnormal result it is made here, of
 * the bits below 2^-1074, and what follows is exact. */
static inline double f64_of_FLOAT128(word128 x)
{
    int exponent = (int)(x.high >> 48 & 0x7fff) - 16383;
    uint64_t high = (x.high & 0xffffffffffffu) | 0x1000000000000u;
    uint64_t leading = high << 14 | x.low >> 50 | ((x.low & 0x3ffffffffffffu) != 0);
    int below = -1022 - exponent, dropped = below > 0 ? 10 + (below < 53 ? below : 53) : 0;
    uint64_t unit = (uint64_t)1 << dropped, rest = leading & (unit - 1), kept = leading >> dropped;
    kept += rest > unit / 2 || (dropped > 0 && rest == unit / 2 && (kept & 1) != 0);
    double size = ldexp((double)(int64_t)kept, exponent - 62 + dropped);
    size = exponent < -1075 ? 0 : exponent > 1023 ? (double)INFINITY : size;
    if (exponent == 16384 && ((x.high & 0xffffffffffffu) | x.low) != 0)
        size = (double)NAN;
    return x.high >> 63 ? -size : size;
}

static inline word128 FLOAT128_of_f64(double x)
{
    int is_small = fabs(x) < 0x1p-1022;
    uint64_t bits = bits_of_f64(is_small ? x * 0x1p600 : x);
    uint64_t exponent = (bits >> 52 & 0x7ff) + 15360 - (is_small ? 600 : 0);
    exponent = fabs(x) < (double)INFINITY ? exponent : 0x7fff;
    exponent = x == 0 ? 0 : exponent;
    return (word128){bits << 60,
                     bits >> 63 << 63 | exponent << 48 | (bits & 0xfffffffffffffu) >> 4};
}
