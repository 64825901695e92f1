/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one complex number.
 *
 * Single precision is computed in double and rounded once for each part, so it needs no care against
 * overflow and its error is that of the rounding. */
#ifndef JG_TILE_COMPLEX_MATH_H
#define JG_TILE_COMPLEX_MATH_H

#include "tile/vector_math.h"

typedef struct complex64 {
    float re, im;
} complex64;

typedef struct complex128 {
    double re, im;
} complex128;

/* |re + im i|, branch-free: infinite where a part is, whatever the other. */
static inline float modulus_f32(float re, float im)
{
    double x = (double)re, y = (double)im;
    float size = (float)sqrt(x * x + y * y);
    return (fabsf(re) == INFINITY) | (fabsf(im) == INFINITY) ? INFINITY : size;
}

/* The same, 1.3 ULP. Numbers whose squares leave the range are scaled by a power of two first. */
static inline double modulus_f64(double re, double im)
{
    double x = fabs(re), y = fabs(im), larger = x > y ? x : y;
    double down = larger > 0x1p510 ? 0x1p-600 : 1, scale = larger < 0x1p-450 ? 0x1p600 : down;
    double back = larger > 0x1p510 ? 0x1p600 : 1, inverse = larger < 0x1p-450 ? 0x1p-600 : back;
    x *= scale;
    y *= scale;
    double size = sqrt(x * x + y * y) * inverse;
    return (x == (double)INFINITY) | (y == (double)INFINITY) ? (double)INFINITY : size;
}

#endif
