/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar functions of integers where C leaves a case open or does something else. One set per
 * dtype. */

/* For code of both kinds, of which the compiler would say that an unsigned number is never below
 * 0. */
#define SIGNED_SIGN(NAME, T)                                                                       \
    static inline int is_negative_##NAME(T x)                                                      \
    {                                                                                              \
        return x < 0;                                                                              \
    }
#define UNSIGNED_SIGN(NAME, T)                                                                     \
    static inline int is_negative_##NAME(T x)                                                      \
    {                                                                                              \
        (void)x;                                                                                   \
        return 0;                                                                                  \
    }
SIGNED_DTYPES(SIGNED_SIGN)
UNSIGNED_DTYPES(UNSIGNED_SIGN)

/* Floor division and its remainder; by zero both are 0, and the most negative number by -1
 * wraps. */
#define SIGNED_DIVISION(NAME, T)                                                                   \
    static inline T floor_divide_##NAME(T x, T y)                                                  \
    {                                                                                              \
        if (y == 0)                                                                                \
            return 0;                                                                              \
        if (y == -1)                                                                               \
            return (T)((WRAP_##NAME)0 - (WRAP_##NAME)x);                                           \
        return (T)(x / y - (x % y != 0 && (x < 0) != (y < 0)));                                    \
    }                                                                                              \
    static inline T remainder_##NAME(T x, T y)                                                     \
    {                                                                                              \
        if (y == 0 || y == -1)                                                                     \
            return 0;                                                                              \
        T rest = (T)(x % y);                                                                       \
        return (T)(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);                          \
    }

#define UNSIGNED_DIVISION(NAME, T)                                                                 \
    static inline T floor_divide_##NAME(T x, T y)                                                  \
    {                                                                                              \
        if (y == 0)                                                                                \
            return 0;                                                                              \
        return (T)(x / y);                                                                         \
    }                                                                                              \
    static inline T remainder_##NAME(T x, T y)                                                     \
    {                                                                                              \
        if (y == 0)                                                                                \
            return 0;                                                                              \
        return (T)(x % y);                                                                         \
    }

/* Vectors of integers have no division, but those of floats have. x / y is x times the inverse of
 * y, which a loop computes once for a divisor that is the same for all. To round down, it is moved
 * to the middle of the step of 1 / |y| that it stands on, and by a half: the sum of
 * (x + sign(y) / 2) / y and -1 / 2 is never nearer than 1 / 2|y| to where rounding to the nearest
 * changes, and the three roundings of |x| and |y| below 2^16 in float32, 2^48 in float64, are
 * together less than that. A loop for one element at a time takes the CPU's own division, which is
 * sooner done. */
#ifndef DIVIDED
#define DIVIDED(function, NAME) near_##function##_##NAME

#define BY_INVERSE(NAME, T, F, bits, s, ROUNDER, number, whole)                                    \
    VECTOR_FUNCTION T near_floor_divide_##NAME(T x, T y)                                           \
    {                                                                                              \
        F inverse = (F)1 / number(y), middle = (F)0.5 * __builtin_fabs##s(inverse) - (F)0.5;       \
        T quotient = (T)whole(bits_of_##bits(number(x) * inverse + middle + ROUNDER));             \
        return y == 0 ? (T)0 : quotient;                                                           \
    }                                                                                              \
    VECTOR_FUNCTION T near_remainder_##NAME(T x, T y)                                              \
    {                                                                                              \
        T quotient = near_floor_divide_##NAME(x, y);                                               \
        T rest = (T)((WRAP_##NAME)x - (WRAP_##NAME)quotient * (WRAP_##NAME)y);                     \
        return y == 0 ? (T)0 : rest;                                                               \
    }

#define NARROW_BY_INVERSE(NAME, T) BY_INVERSE(NAME, T, float, f32, f, ROUNDER_F32, (float), )
#define WIDE_BY_INVERSE(NAME, T) BY_INVERSE(NAME, T, double, f64, , ROUNDER_F64, (double), )

/* Only AVX-512 converts numbers of 64 bits. These are below 2^51, so that the bits of a sum with
 * the rounder are those of the rounder and the number. */
VECTOR_FUNCTION double double_of_near(uint64_t x)
{
    return f64_of_bits(x + bits_of_f64(ROUNDER_F64)) - ROUNDER_F64;
}
#define NEAR_OF_BITS(sum) ((sum)-bits_of_f64(ROUNDER_F64))
#define DOUBLE_OF_NEAR(x) double_of_near((uint64_t)(x))
#define LONG_BY_INVERSE(NAME, T)                                                                   \
    BY_INVERSE(NAME, T, double, f64, , ROUNDER_F64, DOUBLE_OF_NEAR, NEAR_OF_BITS)

/* Of any number by one below 2^32, in two steps: the last 16 bits join the rest of the upper 48. */
#define LONG_IN_STEPS(NAME, T)                                                                     \
    VECTOR_FUNCTION T joined_rest_##NAME(T x, T y, T upper)                                        \
    {                                                                                              \
        uint64_t rest = (uint64_t)(x >> 16) - (uint64_t)upper * (uint64_t)y;                       \
        return y == 0 ? (T)0 : (T)(rest << 16 | ((uint64_t)x & 0xffff));                           \
    }                                                                                              \
    VECTOR_FUNCTION T long_floor_divide_##NAME(T x, T y)                                           \
    {                                                                                              \
        T upper = near_floor_divide_##NAME((T)(x >> 16), y);                                       \
        T lower = near_floor_divide_##NAME(joined_rest_##NAME(x, y, upper), y);                    \
        return (T)(((uint64_t)upper << 16) + (uint64_t)lower);                                     \
    }                                                                                              \
    VECTOR_FUNCTION T long_remainder_##NAME(T x, T y)                                              \
    {                                                                                              \
        T upper = near_floor_divide_##NAME((T)(x >> 16), y);                                       \
        return near_remainder_##NAME(joined_rest_##NAME(x, y, upper), y);                          \
    }

NARROW_DTYPES(NARROW_BY_INVERSE)
MIDDLE_DTYPES(WIDE_BY_INVERSE)
LONG_DTYPES(LONG_BY_INVERSE)
LONG_DTYPES(LONG_IN_STEPS)

/* Of numbers that are not below 2^bits some bit from there on is set; of negative ones, cleared. */
#define FAR_BITS(NAME, x, bits) (((uint64_t)(x) ^ (0 - (uint64_t)is_negative_##NAME(x))) >> (bits))
#endif

/* |x|, which only an unsigned number holds of the most negative x. */
static inline uint64_t magnitude(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

/* The algorithm halves and subtracts, which is faster than division. J. Stein, "Computational
 * Problems Associated with Racah Algebra", Journal of Computational Physics 1 (1967), 397-405. */
static inline uint64_t common_divisor(uint64_t x, uint64_t y)
{
    if (x == 0 || y == 0)
        return x | y;
    int twos = __builtin_ctzll(x | y);
    x >>= __builtin_ctzll(x);
    while (y != 0) {
        y >>= __builtin_ctzll(y);
        uint64_t less = x < y ? x : y;
        y = x < y ? y - x : x - y;
        x = less;
    }
    return x << twos;
}

/* Square and multiply, modulo the width. The negative powers of a signed number are those of 1 and
 * -1, which follow from the exponent's last bit, and 0 for any other, 0 included. Choices are made
 * by masks, of which no compiler makes a branch. */
#define POWERS(NAME, T)                                                                            \
    static inline WRAP_##NAME exponent_##NAME(T y)                                                 \
    {                                                                                              \
        WRAP_##NAME negative = 0 - (WRAP_##NAME)is_negative_##NAME(y);                             \
        return (WRAP_##NAME)y & (1 | ~negative);                                                   \
    }                                                                                              \
    static inline WRAP_##NAME factor_of_bit_##NAME(WRAP_##NAME factor, WRAP_##NAME exponent)       \
    {                                                                                              \
        return 1 ^ ((factor ^ 1) & (0 - (exponent & 1)));                                          \
    }                                                                                              \
    static inline WRAP_##NAME first_power_##NAME(T x, T y)                                         \
    {                                                                                              \
        WRAP_##NAME apart = 0 - (WRAP_##NAME)((((WRAP_##NAME)x + 1) & ~(WRAP_##NAME)2) != 0);      \
        WRAP_##NAME vanishes = apart & (0 - (WRAP_##NAME)is_negative_##NAME(y));                   \
        return factor_of_bit_##NAME((WRAP_##NAME)x, (WRAP_##NAME)y) & ~vanishes;                   \
    }                                                                                              \
    static inline T power_##NAME(T x, T y)                                                         \
    {                                                                                              \
        WRAP_##NAME result = first_power_##NAME(x, y), factor = (WRAP_##NAME)x;                    \
        WRAP_##NAME exponent = exponent_##NAME(y);                                                 \
        while ((exponent >>= 1) != 0) {                                                            \
            factor *= factor;                                                                      \
            if (exponent & 1)                                                                      \
                result *= factor;                                                                  \
        }                                                                                          \
        return (T)result;                                                                          \
    }

/* A count outside the width (a negative one included) shifts everything out. The count is masked
 * before the shift, so that the choice after it is one between two defined values. */
#define BITS(T) ((int)(sizeof(T) * 8))
#define SHIFTS(NAME, T)                                                                            \
    static inline T shift_left_##NAME(T x, T y)                                                    \
    {                                                                                              \
        T shifted = (T)((WRAP_##NAME)x << ((WRAP_##NAME)y & (BITS(T) - 1)));                       \
        return (WRAP_##NAME)y < (WRAP_##NAME)BITS(T) ? shifted : (T)0;                             \
    }                                                                                              \
    static inline T shift_right_##NAME(T x, T y)                                                   \
    {                                                                                              \
        WRAP_##NAME count = (WRAP_##NAME)y;                                                        \
        T shifted = (T)(x >> (count & (BITS(T) - 1)));                                             \
        T sign = (T)((T)(x >> (BITS(T) - 1)) & (T) - (T)((T)-1 < (T)1));                           \
        return count < (WRAP_##NAME)BITS(T) ? shifted : sign;                                      \
    }

SIGNED_DTYPES(SIGNED_DIVISION)
UNSIGNED_DTYPES(UNSIGNED_DIVISION)
INTEGER_DTYPES(POWERS)
INTEGER_DTYPES(SHIFTS)
