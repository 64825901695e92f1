/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky factors, and inverses from them and of triangles. LAPACK sees a row-major triangle as
 * the other triangle of the transpose, and A^T = conj(A) has the factor conj(L), whose transpose is
 * what is in memory. So all is computed in the result's memory. */
#include "library/lapack.h"
#include <string.h>

typedef void triangle_call(const lapack_calls *lapack, const char *uplo, const int *n, void *a,
                           int *info);

static void factor(const lapack_calls *lapack, const char *uplo, const int *n, void *a, int *info)
{
    lapack->potrf(uplo, n, a, n, info, 1);
}

static void invert_from_factor(const lapack_calls *lapack, const char *uplo, const int *n, void *a,
                               int *info)
{
    lapack->potri(uplo, n, a, n, info, 1);
}

static void invert_triangle(const lapack_calls *lapack, const char *uplo, const int *n, void *a,
                            int *info)
{
    lapack->trtri(uplo, "N", n, a, n, info, 1, 1);
}

/* Zeroes what LAPACK does not write: the rows' parts beyond the diagonal. */
static void clear_triangle(char *a, int64_t n, bool upper, size_t itemsize)
{
    for (int64_t i = 0; i < n; ++i) {
        int64_t first = upper ? i + 1 : 0, count = upper ? n - i - 1 : i;
        memset(a + (size_t)(i * n + first) * itemsize, 0, (size_t)count * itemsize);
    }
}

/* element: of a complex dtype, itemsize 8 or 16. */
static void negate_imaginary(char *element, size_t itemsize)
{
    if (itemsize == sizeof(float[2]))
        ((float *)(void *)element)[1] = -((float *)(void *)element)[1];
    else
        ((double *)(void *)element)[1] = -((double *)(void *)element)[1];
}

/* Makes the matrix Hermitian from the lower triangle, or the upper one. */
static void mirror(char *a, int64_t n, bool upper, const lapack_matrices *x)
{
    bool is_complex = dtype_is_complex(x->dtype);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < i; ++j) {
            char *low = a + (size_t)(i * n + j) * x->itemsize;
            char *high = a + (size_t)(j * n + i) * x->itemsize;
            memcpy(upper ? low : high, upper ? high : low, x->itemsize);
            if (is_complex)
                negate_imaginary(upper ? low : high, x->itemsize);
        }
}

/* n^3 / 3, plus the cost of a call. */
static double operations_of(const routine_call *call)
{
    double n = (double)matrices_of(call, 0).rows;
    return n * n * n / 3 + 30 * n;
}

LIBRARY_BATCH(triangle, operations_of, false)

/* upper: of the triangle that is read. mirrors: the result is the whole Hermitian matrix; else
 * one triangle, with zeros in the other. */
typedef struct triangle_job {
    const routine_call *call;
    triangle_call *apply;
    const char *failure;
    bool upper, mirrors;
} triangle_job;

/* The result is dense, so its rows are LAPACK's columns, n apart. */
static jg_status run_batch(const triangle_job *job, int64_t first, int64_t last)
{
    lapack_matrices a = matrices_of(job->call, 0), result = matrices_of(job->call, 1);
    const lapack_calls *lapack;
    int n, info;
    JG_TRY(lapack_find(a.dtype, &lapack));
    JG_TRY(lapack_extent(a.rows, &n));
    library_batch_range(a.count, operations_of(job->call), &first, &last);
    for (int64_t i = first; i < last; ++i) {
        char *to = library_matrix_at(&result, i);
        library_matrix_load(&a, i, false, to, n);
        if (!job->mirrors)
            clear_triangle(to, n, !job->upper, a.itemsize);
        job->apply(lapack, job->upper ? "L" : "U", &n, to, &info);
        if (info != 0)
            return library_batch_fail("a", i, a.count, job->failure);
        if (job->mirrors)
            mirror(to, n, job->upper, &a);
    }
    return JG_OK;
}

static jg_status run_cholesky(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    const triangle_job job = {call, factor, "is not positive definite",
                              call->attributes->cholesky.upper, false};
    lapack_matrices a = matrices_of(call, 0);
    if (a.rows <= SMALL_ROWS && !dtype_is_complex(a.dtype)) {
        library_batch_range(a.count, operations_of(call), &first, &last);
        return library_small_cholesky(call, first, last);
    }
    return run_batch(&job, first, last);
}

static jg_status run_cholesky_inverse(const routine_call *call, int step, int64_t first,
                                      int64_t last)
{
    (void)step;
    const triangle_job job = {call, invert_from_factor, "is singular",
                              call->attributes->cholesky_inverse.upper, true};
    return run_batch(&job, first, last);
}

static jg_status run_triangular_inverse(const routine_call *call, int step, int64_t first,
                                        int64_t last)
{
    (void)step;
    const triangle_job job = {call, invert_triangle, "is singular",
                              call->attributes->triangular_inverse.upper, false};
    return run_batch(&job, first, last);
}

const jg_routine library_routine_cholesky = {
    .name = "cholesky", .units = triangle_units, .run = run_cholesky, .work = triangle_work};
const jg_routine library_routine_cholesky_inverse = {.name = "cholesky_inverse",
                                                     .units = triangle_units,
                                                     .run = run_cholesky_inverse,
                                                     .work = triangle_work};
const jg_routine library_routine_triangular_inverse = {.name = "triangular_inverse",
                                                       .units = triangle_units,
                                                       .run = run_triangular_inverse,
                                                       .work = triangle_work};
