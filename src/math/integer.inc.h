/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar functions of integers where C leaves a case open or does something else. One set per
 * dtype. */

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
 * -1, and 0 for any other, 0 included. */
#define RAISE(NAME, T)                                                                             \
    static inline T raise_##NAME(T x, uint64_t exponent)                                           \
    {                                                                                              \
        WRAP_##NAME result = 1, factor = (WRAP_##NAME)x;                                           \
        for (; exponent != 0; exponent >>= 1, factor *= factor)                                    \
            if (exponent & 1)                                                                      \
                result *= factor;                                                                  \
        return (T)result;                                                                          \
    }

#define SIGNED_POWER(NAME, T)                                                                      \
    RAISE(NAME, T)                                                                                 \
    static inline T power_##NAME(T x, T y)                                                         \
    {                                                                                              \
        if (y >= 0)                                                                                \
            return raise_##NAME(x, (uint64_t)y);                                                   \
        return (T)(x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0);                                   \
    }

#define UNSIGNED_POWER(NAME, T)                                                                    \
    RAISE(NAME, T)                                                                                 \
    static inline T power_##NAME(T x, T y)                                                         \
    {                                                                                              \
        return raise_##NAME(x, y);                                                                 \
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
SIGNED_DTYPES(SIGNED_POWER)
UNSIGNED_DTYPES(UNSIGNED_POWER)
INTEGER_DTYPES(SHIFTS)
