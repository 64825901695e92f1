/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of a Walsh-Hadamard transform, of float32 and of float64. Sums and differences of
 * elements less than eight apart are taken within a vector; further stages are loops over vectors.
 * The matrices of order 12, 20 and 28 are those of MLX. */
#include "routine/loops.h"
#include <string.h>

/* The positions of -1 in each row j of a Hadamard matrix of that order, as bits. */
static const uint32_t minus_12[] = {0x002, 0xaab, 0x3c8, 0x96e, 0xf20, 0x5ba,
                                    0xc8c, 0x6e6, 0x23c, 0xb96, 0x8f0, 0xe5a};
static const uint32_t minus_20[] = {0x933de, 0x2e3bd, 0x5477b, 0xa0ef7, 0x499ef, 0x637c1, 0xc6ba2,
                                    0x8d764, 0x1aee8, 0x359f0, 0x0fa53, 0x174a7, 0x26d4e, 0x45e9c,
                                    0x83d39, 0xf7a6d, 0xef4fa, 0xdedd5, 0xbdf8b, 0x7bf36};
static const uint32_t minus_28[] = {
    0xcd69e7e, 0x9ad7c7d, 0x37ab8fb, 0x6d571f7, 0xd8ae3ef, 0xb3587df, 0x66b4f3f,
    0xb467f43, 0x6acbe87, 0xd593d8e, 0xab27b9c, 0x564f7b8, 0xac9aff0, 0x5b31fe1,
    0x87fb325, 0x0ff66ca, 0x1decd95, 0x39ddb2a, 0x71bf654, 0xe17eca9, 0xc2fd9d2,
    0xfcf1299, 0xfbe2532, 0xf7c4ae4, 0xef8d549, 0xdf1ea13, 0xbe3d4a6, 0x7e7a94c};

static const uint32_t *minus_of(int64_t factor)
{
    return factor == 12 ? minus_12 : factor == 20 ? minus_20 : minus_28;
}

#define REAL float
#define EIGHT floats8
#define NAME(name) name##_f32
typedef float floats8 __attribute__((vector_size(8 * sizeof(float))));
#include "routine/spectral/hadamard_loops.inc.h"
#undef REAL
#undef EIGHT
#undef NAME

#define REAL double
#define EIGHT doubles8
#define NAME(name) name##_f64
typedef double doubles8 __attribute__((vector_size(8 * sizeof(double))));
#include "routine/spectral/hadamard_loops.inc.h"

void ROUTINE_NAMED(hadamard_row)(jg_dtype dtype, void *x, int64_t factor, int64_t count,
                                 double scale)
{
    if (dtype == JG_DTYPE_FLOAT64)
        transform_row_f64(x, factor, count, scale);
    else
        transform_row_f32(x, factor, count, scale);
}
