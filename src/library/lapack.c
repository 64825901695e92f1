/* SPDX-License-Identifier: Apache-2.0 */
/* LAPACK's subroutines, which are in the OpenBLAS that blas.c opens; they are looked up once for
 * each dtype. */
#include "library/lapack.h"
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

/* float32, float64, complex64, complex128: in the order of `letters`. */
enum { DTYPES = 4 };

static lapack_calls calls[DTYPES];
/* All subroutines of the dtype were found. Written once, in bind_all, as `calls` is. */
static bool complete[DTYPES];

/* A subroutine of the dtype's letter; ISO C has no pointer to any function, so the address goes by
 * way of memory, as in blas.c. */
static bool bind(char letter, bool is_complex, const char *real, const char *complex, void *out)
{
    char name[32];
    snprintf(name, sizeof name, "%c%s_", letter, is_complex ? complex : real);
    return blas_find(name, out);
}

/* complete is per dtype: an OpenBLAS may be built for some only. */
static void bind_all(void)
{
    static const char letters[DTYPES] = {'s', 'd', 'c', 'z'};
    for (int i = 0; i < DTYPES; ++i) {
        complete[i] = true;
#define JG_LAPACK(name, real, complex, parameters)                                                 \
    complete[i] &= bind(letters[i], i >= 2, #real, #complex, &calls[i].name);
#include "library/lapack.def"
#undef JG_LAPACK
    }
}

/* The row of the dtype's letter. */
static int row_of(jg_dtype dtype)
{
    return 2 * dtype_is_complex(dtype) + (dtype_real_part(dtype) == JG_DTYPE_FLOAT64);
}

/* *out lives as long as the process. raises: LIBRARY */
jg_status lapack_find(jg_dtype dtype, const lapack_calls **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    JG_TRY(blas_require());
    pthread_once(&once, bind_all);
    if (!complete[row_of(dtype)])
        return base_fail(JG_ERR_LIBRARY, "%s has no LAPACK: allowed is an OpenBLAS with it",
                         blas_path());
    *out = &calls[row_of(dtype)];
    return JG_OK;
}

/* LAPACK counts in int: extents beyond are refused here, before they are cut off. */
jg_status lapack_extent(int64_t extent, int *out)
{
    if (extent > INT_MAX)
        return base_fail(JG_ERR_VALUE, "a: an axis has %lld elements, allowed are 2^31 - 1",
                         (long long)extent);
    *out = (int)extent;
    return JG_OK;
}

jg_status lapack_lwork(jg_dtype dtype, const void *told, double least, int *out)
{
    double size =
        library_number_at(told, dtype).re * (1 + 1e-6); /* float32 may have rounded it down */
    if (least > INT_MAX)
        return base_fail(JG_ERR_VALUE,
                         "a: is too large: its factors take %.0f elements of work, allowed are "
                         "2^31 - 1, which LAPACK can count",
                         least);
    size = size > least ? size : least;
    *out = size > INT_MAX ? INT_MAX : size < 1 ? 1 : (int)size;
    return JG_OK;
}

const void *lapack_one(jg_dtype dtype)
{
    static const float single[2] = {1};
    static const double wide[2] = {1};
    return dtype_real_part(dtype) == JG_DTYPE_FLOAT64 ? (const void *)wide : (const void *)single;
}
