/* SPDX-License-Identifier: Apache-2.0 */
/* The greatest common divisor, for code that cuts work into equal parts. */
#ifndef JG_BASE_DIVISOR_H
#define JG_BASE_DIVISOR_H

#include <stdint.h>

/* Euclid's, never negative; of 0 and y that is |y|. */
static inline int64_t base_common_divisor(int64_t x, int64_t y)
{
    while (y != 0) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x < 0 ? -x : x;
}

#endif
