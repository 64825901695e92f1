/* SPDX-License-Identifier: Apache-2.0 */
/* The dtypes by how they compute, for lists of loops (loops/all.inc.h) and of functions of one
 * element (scalar.c). */

/* X(NAME, storage type): the dtypes by how they compute. */
#define SIGNED_DTYPES(X) X(INT8, int8_t) X(INT16, int16_t) X(INT32, int32_t) X(INT64, int64_t)
#define UNSIGNED_DTYPES(X)                                                                         \
    X(UINT8, uint8_t) X(UINT16, uint16_t) X(UINT32, uint32_t) X(UINT64, uint64_t)
#define INTEGER_DTYPES(X) SIGNED_DTYPES(X) UNSIGNED_DTYPES(X)
/* The integers by how they are divided. */
#define NARROW_DTYPES(X) X(INT8, int8_t) X(INT16, int16_t) X(UINT8, uint8_t) X(UINT16, uint16_t)
#define MIDDLE_DTYPES(X) X(INT32, int32_t) X(UINT32, uint32_t)
#define LONG_DTYPES(X) X(INT64, int64_t) X(UINT64, uint64_t)
#define FLOAT_DTYPES(X) X(FLOAT32, float) X(FLOAT64, double)
#define COMPLEX_DTYPES(X) X(COMPLEX64, complex64) X(COMPLEX128, complex128)
#define HALF_DTYPES(X) X(FLOAT16, uint16_t) X(BFLOAT16, uint16_t)
#define ROW_DTYPES_BOOL(X) X(BOOL, uint8_t)

/* The unsigned type that a dtype's arithmetic wraps in: at least as wide as int, so that
 * promotion does not bring signed overflow back. */
#define WRAP_INT8 uint32_t
#define WRAP_INT16 uint32_t
#define WRAP_INT32 uint32_t
#define WRAP_INT64 uint64_t
#define WRAP_UINT8 uint32_t
#define WRAP_UINT16 uint32_t
#define WRAP_UINT32 uint32_t
#define WRAP_UINT64 uint64_t
