/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobi's rotations of the two dtypes that have lanes. */
#include "library/jacobi.h"
#include <math.h>
#include <string.h>

enum { MAX_SWEEPS = 30 }; /* nearly all need seven; LAPACK takes the others */

#define N JACOBI_ROWS
#if defined __AVX512F__
#define VECTOR_NBYTES 64
#elif defined __AVX__
#define VECTOR_NBYTES 32
#else
#define VECTOR_NBYTES 16
#endif
#define INLINE static inline __attribute__((always_inline))

#define REAL float
#define WHOLE int32_t
#define EXPONENT 0x7f800000
#define ONE_EXPONENT 0x00800000
#define EPSILON 0x1p-23f
#define MIN_SQUARE 0x1p-60f
#define SQUARE_ROOT sqrtf
#define NAME(name) name##_f32
#include "library/jacobi.inc.h"
#undef REAL
#undef WHOLE
#undef EXPONENT
#undef ONE_EXPONENT
#undef EPSILON
#undef MIN_SQUARE
#undef SQUARE_ROOT
#undef NAME

#define REAL double
#define WHOLE int64_t
#define EXPONENT 0x7ff0000000000000
#define ONE_EXPONENT 0x0010000000000000
#define EPSILON 0x1p-52
#define MIN_SQUARE 0x1p-500
#define SQUARE_ROOT sqrt
#define NAME(name) name##_f64
#include "library/jacobi.inc.h"

extern const jacobi_loops LIBRARY_NAMED(jacobi_loops)[2];

const jacobi_loops LIBRARY_NAMED(jacobi_loops)[2] = {{LANES_f32, hermitian_f32, singular_f32},
                                                     {LANES_f64, hermitian_f64, singular_f64}};
