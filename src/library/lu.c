/* SPDX-License-Identifier: Apache-2.0 */
/* Computations from LU factors: the factors themselves, inverses and solutions.
 *
 * Except for the factors, the rows of A are taken as columns of A^T = P L U, which needs no
 * transposition: the inverse's transpose is the transpose's inverse, and A X = B is X^T = B^T U^-1
 * L^-1 P^T. Real matrices of few rows are left to small.c. */
#include "library/lapack.h"
#include <inttypes.h>
#include <string.h>

/* A rough count of a factorisation's operations. The inverse is divided among threads by the same
 * count. */
static double operations_of(const routine_call *call)
{
    lapack_matrices a = matrices_of(call, 0);
    double rows = (double)a.rows, columns = (double)a.columns;
    double less = rows < columns ? rows : columns;
    return rows * columns * less * 2 / 3 + 30 * (rows + columns);
}

LIBRARY_BATCH(factor, operations_of, false)

/* Pivots from 0, and the permutation that they make: A = L[permutation, :] U. */
static void write_pivots(const int *pivots, int count, int rows, int *order, uint32_t *out,
                         uint32_t *permutation)
{
    for (int i = 0; i < count && out != NULL; ++i)
        out[i] = (uint32_t)(pivots[i] - 1);
    if (permutation == NULL)
        return;
    for (int i = 0; i < rows; ++i)
        order[i] = i;
    for (int i = 0; i < count; ++i) {
        /* LAPACK's pivots are exchanges, in their order. */
        int other = order[pivots[i] - 1];
        order[pivots[i] - 1] = order[i];
        order[i] = other;
    }
    for (int i = 0; i < rows; ++i)
        permutation[order[i]] = (uint32_t)i;
}

/* A zero pivot, which getrf reports in info, is no failure here: the factors are right
 * nevertheless. */
static jg_status run_factor(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    lapack_matrices a = matrices_of(call, 0), factors = matrices_of(call, 1);
    lapack_matrices pivots = library_vectors_of(call, 2), permutation = library_vectors_of(call, 3);
    const lapack_calls *lapack;
    int m, n, info;
    JG_TRY(lapack_find(a.dtype, &lapack));
    JG_TRY(lapack_extent(a.rows, &m));
    JG_TRY(lapack_extent(a.columns, &n));
    workspace memory = {0};
    int *swaps = workspace_take(&memory, int_min(m, n), sizeof *swaps);
    int *order = workspace_take(&memory, m, sizeof *order);
    void *columns = workspace_take(&memory, (int64_t)m * n, a.itemsize);
    jg_status status = workspace_status(&memory);
    library_batch_range(a.count, operations_of(call), &first, &last);
    for (int64_t i = first; i < last && status == JG_OK; ++i) {
        library_matrix_load(&a, i, true, columns, m);
        lapack->getrf(&m, &n, columns, &m, swaps, &info);
        if (factors.address != NULL)
            library_matrix_store(&factors, i, true, columns, m);
        write_pivots(swaps, int_min(m, n), m, order, library_matrix_at(&pivots, i),
                     library_matrix_at(&permutation, i));
    }
    workspace_clear(&memory);
    return status;
}

/* In elements. */
static jg_status ask_lwork(const lapack_calls *lapack, int n, jg_dtype dtype, int *out)
{
    double told[2] = {0};
    int info = 0, ask = -1, pivot = 0;
    lapack->getri(&n, NULL, &n, &pivot, told, &ask, &info);
    return lapack_lwork(dtype, told, n, out);
}

/* If the caller asks for no failure, the inverse of a singular matrix is infinite. */
static void fill_infinite(void *to, int64_t count, const lapack_matrices *x)
{
    const float single[2] = {__builtin_inff()};
    const double wide[2] = {__builtin_inf()};
    bool is_wide = dtype_real_part(x->dtype) == JG_DTYPE_FLOAT64;
    for (int64_t i = 0; i < count; ++i)
        memcpy((char *)to + (size_t)i * x->itemsize,
               is_wide ? (const void *)wide : (const void *)single, x->itemsize);
}

/* The data of one thread; lwork: elements of work. n has 32 bits because LAPACK's integers have. */
typedef struct inverse_job {
    const lapack_calls *lapack;
    int n, lwork;
    int *pivots;
    void *work;
} inverse_job;

/* In place. false for a singular matrix, of which getrf has found an exact zero. */
static bool invert(const inverse_job *job, void *a)
{
    int info;
    job->lapack->getrf(&job->n, &job->n, a, &job->n, job->pivots, &info);
    if (info == 0)
        job->lapack->getri(&job->n, a, &job->n, job->pivots, job->work, &job->lwork, &info);
    return info == 0;
}

static jg_status run_inverse_large(const routine_call *call, int64_t first, int64_t last)
{
    lapack_matrices a = matrices_of(call, 0), result = matrices_of(call, 1);
    inverse_job job;
    JG_TRY(lapack_find(a.dtype, &job.lapack));
    JG_TRY(lapack_extent(a.rows, &job.n));
    JG_TRY(ask_lwork(job.lapack, job.n, a.dtype, &job.lwork));
    workspace memory = {0};
    job.pivots = workspace_take(&memory, job.n, sizeof(int));
    job.work = workspace_take(&memory, job.lwork, a.itemsize);
    jg_status status = workspace_status(&memory);
    for (int64_t i = first; i < last && status == JG_OK; ++i) {
        void *to = library_matrix_at(&result, i);
        library_matrix_load(&a, i, false, to, job.n);
        if (invert(&job, to))
            continue;
        /* Condition numbers need infinities for singular matrices; the inverse itself fails. */
        if (call->attributes->inverse.quiet)
            fill_infinite(to, a.rows * a.rows, &a);
        else
            status = library_batch_fail("a", i, a.count, "is singular");
    }
    workspace_clear(&memory);
    return status;
}

static jg_status run_inverse(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    lapack_matrices a = matrices_of(call, 0);
    library_batch_range(a.count, operations_of(call), &first, &last);
    return library_small_takes(a.dtype, a.rows, a.rows) ? library_small_inverse(call, first, last)
                                                        : run_inverse_large(call, first, last);
}

/* In pieces that fit the stack: rows may be of any length. */
static void exchange(char *one, char *other, size_t nbytes)
{
    char kept[256];
    for (size_t at = 0; at < nbytes; at += sizeof kept) {
        size_t count = nbytes - at < sizeof kept ? nbytes - at : sizeof kept;
        memcpy(kept, one + at, count);
        memcpy(one + at, other + at, count);
        memcpy(other + at, kept, count);
    }
}

/* Rows of X are exchanged as the columns of A^T were, the last first. */
static void exchange_rows(char *x, int n, size_t row_nbytes, const int *pivots)
{
    for (int i = n - 1; i >= 0; --i) {
        char *one = x + (size_t)i * row_nbytes, *other = x + (size_t)(pivots[i] - 1) * row_nbytes;
        if (one != other)
            exchange(one, other, row_nbytes);
    }
}

/* leading: from one column of the factors to the next; columns: of the right-hand sides. */
typedef struct solve_job {
    const lapack_calls *lapack;
    jg_dtype dtype;
    size_t itemsize;
    int n, leading, columns;
    int *pivots;
    void *factors;
} solve_job;

/* x: the right-hand sides, row by row, which become the solution. One column is a vector for getrs;
 * of several the rows are the columns of X^T. */
static void solve_factored(const solve_job *job, void *x)
{
    const int *n = &job->n, *leading = &job->leading, *columns = &job->columns;
    const void *one = lapack_one(job->dtype);
    int info;
    if (job->columns == 1) {
        job->lapack->getrs("T", n, columns, job->factors, leading, job->pivots, x, n, &info, 1);
        return;
    }
    job->lapack->trsm("R", "U", "N", "N", columns, n, one, job->factors, leading, x, columns, 1, 1,
                      1, 1);
    job->lapack->trsm("R", "L", "N", "U", columns, n, one, job->factors, leading, x, columns, 1, 1,
                      1, 1);
    exchange_rows(x, job->n, (size_t)job->columns * job->itemsize, job->pivots);
}

/* A matrix that several right-hand sides are broadcast over is factored once. */
static jg_status solve_batch(const solve_job *job, const routine_call *call, int64_t first,
                             int64_t last)
{
    lapack_matrices a = matrices_of(call, 0), b = matrices_of(call, 1), x = matrices_of(call, 2);
    /* Compared by address, as matrices of a broadcast batch have the same one. */
    const void *factored = NULL;
    for (int64_t i = first; i < last; ++i) {
        int info = 0;
        if (library_matrix_at(&a, i) != factored) {
            library_matrix_load(&a, i, false, job->factors, job->leading);
            job->lapack->getrf(&job->n, &job->n, job->factors, &job->leading, job->pivots, &info);
            factored = library_matrix_at(&a, i);
        }
        if (info != 0)
            return library_batch_fail("a", i, a.count, "is singular");
        library_matrix_load(&b, i, false, library_matrix_at(&x, i), job->columns);
        if (job->columns > 0)
            solve_factored(job, library_matrix_at(&x, i));
    }
    return JG_OK;
}

static jg_status run_solve_large(const routine_call *call, int64_t first, int64_t last)
{
    lapack_matrices a = matrices_of(call, 0), b = matrices_of(call, 1);
    solve_job job = {.dtype = a.dtype, .itemsize = a.itemsize};
    JG_TRY(lapack_find(a.dtype, &job.lapack));
    JG_TRY(lapack_extent(a.rows, &job.n));
    JG_TRY(lapack_extent(b.columns, &job.columns));
    job.leading = library_matrix_leading(job.n, a.itemsize);
    workspace memory = {0};
    job.pivots = workspace_take(&memory, job.n, sizeof(int));
    job.factors = workspace_take(&memory, a.rows * job.leading, a.itemsize);
    jg_status status = workspace_status(&memory);
    if (status == JG_OK)
        status = solve_batch(&job, call, first, last);
    workspace_clear(&memory);
    return status;
}

static double solve_operations(const routine_call *call)
{
    lapack_matrices b = matrices_of(call, 1);
    return operations_of(call) + 2 * (double)b.rows * (double)b.rows * (double)b.columns;
}

LIBRARY_BATCH(solve, solve_operations, false)

/* Small systems are solved many at a time, in lanes; larger ones by LAPACK, one by one. */
static jg_status run_solve(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    lapack_matrices a = matrices_of(call, 0);
    library_batch_range(a.count, solve_operations(call), &first, &last);
    return library_small_takes(a.dtype, a.rows, matrices_of(call, 1).columns)
               ? library_small_solve(call, first, last)
               : run_solve_large(call, first, last);
}

const jg_routine library_routine_lu = {
    .name = "lu", .units = factor_units, .run = run_factor, .work = factor_work};
const jg_routine library_routine_inverse = {
    .name = "inverse", .units = factor_units, .run = run_inverse, .work = factor_work};
const jg_routine library_routine_solve = {
    .name = "solve", .units = solve_units, .run = run_solve, .work = solve_work};
