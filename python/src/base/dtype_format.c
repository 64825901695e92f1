/* SPDX-License-Identifier: Apache-2.0 */
/* The names of dtypes in NumPy's protocols and in the struct module. */
#include <limits.h>

#include "base/core.h"

/* NumPy's int64 is C's long where that has 64 bits, and code that tells arrays apart by NumPy's
 * numbers of types knows no other: SciPy's ndimage for one. */
#if LONG_MAX == INT64_MAX
#define INT64_FORMAT "l"
#define UINT64_FORMAT "L"
#else
#define INT64_FORMAT "q"
#define UINT64_FORMAT "Q"
#endif

/* Struct module characters; dtypes left out have none. "Zf" and "Zd" are PEP 3118's for complex,
 * which NumPy reads and the struct module does not. */
static const char *const formats[JG_DTYPE_COUNT] = {
    [JG_DTYPE_BOOL] = "?",       [JG_DTYPE_INT8] = "b",           [JG_DTYPE_INT16] = "h",
    [JG_DTYPE_INT32] = "i",      [JG_DTYPE_INT64] = INT64_FORMAT, [JG_DTYPE_UINT8] = "B",
    [JG_DTYPE_UINT16] = "H",     [JG_DTYPE_UINT32] = "I",         [JG_DTYPE_UINT64] = UINT64_FORMAT,
    [JG_DTYPE_FLOAT16] = "e",    [JG_DTYPE_FLOAT32] = "f",        [JG_DTYPE_FLOAT64] = "d",
    [JG_DTYPE_COMPLEX64] = "Zf", [JG_DTYPE_COMPLEX128] = "Zd",
};

char py_kind_letter(jg_dtype_kind kind)
{
    static const char letters[JG_KIND_COUNT] = {
        [JG_KIND_BOOL] = 'b',  [JG_KIND_INT] = 'i',     [JG_KIND_UINT] = 'u',
        [JG_KIND_FLOAT] = 'f', [JG_KIND_COMPLEX] = 'c',
    };
    return letters[kind];
}

const char *py_format_of(jg_dtype dtype)
{
    return formats[dtype];
}

bool py_dtype_of_kind(jg_dtype_kind kind, int bits, jg_dtype *out)
{
    for (int dtype = 0; dtype < JG_DTYPE_COUNT; ++dtype)
        if (formats[dtype] && jg_dtype_kind_of((jg_dtype)dtype) == kind &&
            jg_dtype_bits((jg_dtype)dtype) == bits) {
            *out = (jg_dtype)dtype;
            return true;
        }
    return false;
}
