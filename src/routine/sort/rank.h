/* SPDX-License-Identifier: Apache-2.0 */
/* Private to routine: elements as whole numbers of the same order, their ranks. A float's is its
 * magnitude with its sign, so that both zeros are 0; all NaN have the largest. No branches, so that
 * compilers make vector code of it. */
#ifndef JG_ROUTINE_RANK_H
#define JG_ROUTINE_RANK_H

#include <stdint.h>

typedef int16_t bits16 __attribute__((may_alias));
typedef int32_t bits32 __attribute__((may_alias));
typedef int64_t bits64 __attribute__((may_alias));

#define RANK_SIGN(bits) ((bits) >> (8 * (int)sizeof(bits) - 1))
#define RANK_SIGNED(bits, high) ((((bits) & (high)) ^ RANK_SIGN(bits)) - RANK_SIGN(bits))
#define RANK_IS_NAN(T, bits, high, infinity) (-(T)(((bits) & (high)) > (infinity)))

/* The rank of a float with these bits, whose greatest magnitude is high; RANK_TURNED is the rank of
 * -x. */
#define RANK_OF(T, bits, high, infinity)                                                           \
    ((RANK_SIGNED(bits, high) & ~RANK_IS_NAN(T, bits, high, infinity)) |                           \
     ((high)&RANK_IS_NAN(T, bits, high, infinity)))
#define RANK_TURNED(T, bits, high, infinity)                                                       \
    ((-RANK_SIGNED(bits, high) & ~RANK_IS_NAN(T, bits, high, infinity)) |                          \
     ((high)&RANK_IS_NAN(T, bits, high, infinity)))

/* RULE is one of these. */
#define RANK_HALF(RULE, x) RULE(int32_t, x, INT16_MAX, 0x7c00)
#define RANK_BFLOAT(RULE, x) RULE(int32_t, x, INT16_MAX, 0x7f80)
#define RANK_FLOAT(RULE, x) RULE(int32_t, x, INT32_MAX, 0x7f800000)
#define RANK_DOUBLE(RULE, x) RULE(int64_t, x, INT64_MAX, INT64_C(0x7ff0000000000000))

#endif
