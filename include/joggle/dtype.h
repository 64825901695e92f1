/* SPDX-License-Identifier: Apache-2.0 */
/* Element types: every dtype that DLPack 1.3 can name, and what can be asked about one. */
#ifndef JOGGLE_DTYPE_H
#define JOGGLE_DTYPE_H

#include <joggle/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rows between the marks are written by tools/optable.py from src/tensor/dtype.def. */
typedef enum jg_dtype {
    /* dtype.def: begin */
    JG_DTYPE_BOOL = 0,
    JG_DTYPE_INT8,
    JG_DTYPE_INT16,
    JG_DTYPE_INT32,
    JG_DTYPE_INT64,
    JG_DTYPE_UINT8,
    JG_DTYPE_UINT16,
    JG_DTYPE_UINT32,
    JG_DTYPE_UINT64,
    JG_DTYPE_FLOAT16,
    JG_DTYPE_BFLOAT16,
    JG_DTYPE_FLOAT32,
    JG_DTYPE_FLOAT64,
    JG_DTYPE_COMPLEX64,
    JG_DTYPE_COMPLEX128,
    JG_DTYPE_COMPLEX32,
    JG_DTYPE_FLOAT128,
    JG_DTYPE_FLOAT8_E3M4,
    JG_DTYPE_FLOAT8_E4M3,
    JG_DTYPE_FLOAT8_E4M3B11FNUZ,
    JG_DTYPE_FLOAT8_E4M3FN,
    JG_DTYPE_FLOAT8_E4M3FNUZ,
    JG_DTYPE_FLOAT8_E5M2,
    JG_DTYPE_FLOAT8_E5M2FNUZ,
    JG_DTYPE_FLOAT8_E8M0FNU,
    JG_DTYPE_FLOAT6_E2M3FN,
    JG_DTYPE_FLOAT6_E3M2FN,
    JG_DTYPE_FLOAT4_E2M1FN,
    JG_DTYPE_INT4,
    JG_DTYPE_INT2,
    JG_DTYPE_INT1,
    JG_DTYPE_UINT4,
    JG_DTYPE_UINT2,
    JG_DTYPE_UINT1,
    JG_DTYPE_OPAQUE,
    JG_DTYPE_FLOAT4_E2M1FN_X2,
    /* dtype.def: end */
    JG_DTYPE_COUNT
} jg_dtype;

typedef enum jg_dtype_kind {
    JG_KIND_BOOL,
    JG_KIND_INT,
    JG_KIND_UINT,
    JG_KIND_FLOAT,
    JG_KIND_COMPLEX,
    JG_KIND_OPAQUE,
    JG_KIND_COUNT
} jg_dtype_kind;

/* The dtype's name as NumPy or ml_dtypes spells it, such as "float32"; "invalid" outside the enum.
 * gives: a static string | raises: never */
JG_API const char *jg_dtype_name(jg_dtype dtype);

/* Bits of one element, both parts of a complex number counted; 0 outside the enum. raises: never */
JG_API int jg_dtype_bits(jg_dtype dtype);

/* The kind that promotion goes by; JG_KIND_COUNT outside the enum. raises: never */
JG_API jg_dtype_kind jg_dtype_kind_of(jg_dtype dtype);

/* Whether ops compute on the dtype; the others are stored, viewed and exchanged only. raises:
 * never */
JG_API bool jg_dtype_is_computable(jg_dtype dtype);

/* The dtype of that name. gives: *out | raises: VALUE if there is none */
JG_API JG_CHECKED jg_status jg_dtype_from_name(const char *name, jg_dtype *out);

/* The dtype that a binary op on a and b computes in: the Array API standard's table, and float
 * beats int, complex beats float, where the standard leaves the pair open; uint64 with a signed
 * integer
 * gives float64, as in NumPy. gives: *out | raises: TYPE if either is not computable */
JG_API JG_CHECKED jg_status jg_dtype_promote(jg_dtype a, jg_dtype b, jg_dtype *out);

/* A dtype as a member of a set of them. */
#define JG_DTYPE_BIT(dtype) ((uint64_t)1 << (dtype))

/* The common dtype of a set. Integer dtypes are promoted with each other first, then the others
 * join, so uint64, int64 and float16 give float64, the widest dtype that two of them give. The
 * result for a set of one dtype is that dtype, computable or not.
 * gives: *out | raises: TYPE if one of several is not computable, VALUE for an empty set */
JG_API JG_CHECKED jg_status jg_dtype_promote_set(uint64_t dtypes, jg_dtype *out);

/* The dtype that a host number of a kind takes on beside an array of `like`: a bool is bool, an
 * integer takes `like`, a float makes the default float of integers, a complex number has parts
 * as wide as `like`. raises: never */
JG_API jg_dtype jg_dtype_beside(jg_dtype_kind kind, jg_dtype like);

/* The limits of a float dtype: the largest finite number is largest, and 1 + epsilon is the next
 * number after 1. */
typedef struct jg_float_limits {
    jg_dtype dtype; /* a complex dtype's parts have this one */
    double largest, epsilon, smallest_normal, smallest_subnormal;
} jg_float_limits;

/* The limits of a float dtype, or of the parts of a complex one. gives: *out | raises: TYPE for
 * others, float128 and float8_e8m0fnu among them, whose limits are not of this kind */
JG_API JG_CHECKED jg_status jg_dtype_float_limits(jg_dtype dtype, jg_float_limits *out);

/* A number of the host language: weakly typed, it takes its dtype from the array it meets. */
typedef struct jg_number {
    jg_dtype_kind kind; /* BOOL and INT use i64, UINT u64, FLOAT re, COMPLEX re and im */
    int64_t i64;
    uint64_t u64;
    double re, im;
} jg_number;

/* The element at `index` of packed elements, as a number. Every dtype has one but opaque
 * handles; the FP8, FP6 and FP4 kinds are exact, float128 is rounded to double. Sub-byte
 * elements lie first in the low bits; a packed pair counts as two elements.
 * keeps: nothing | gives: *out | raises: TYPE for opaque handles | waits: never */
JG_API JG_CHECKED jg_status jg_number_load(jg_dtype dtype, const void *data, int64_t index,
                                           jg_number *out);

#ifdef __cplusplus
}
#endif
#endif
