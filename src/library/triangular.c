/* SPDX-License-Identifier: Apache-2.0 */
/* Solutions with triangular matrices, computed in the result's memory: A X = B is X^T A^T = B^T,
 * and the rows of A and B are taken as the columns of A^T and B^T. */
#include "library/lapack.h"

/* n^2 for each column, half as much as with a full matrix. */
static double operations_of(const routine_call *call)
{
    lapack_matrices b = matrices_of(call, 1);
    return (double)b.rows * (double)b.rows * (double)b.columns + 20 * (double)b.rows;
}

LIBRARY_BATCH(solve, operations_of, false)

/* Exactly: a zero on the diagonal, as LAPACK's trtrs tests. */
static bool is_singular(const char *a, int64_t n, const lapack_matrices *x)
{
    for (int64_t i = 0; i < n; ++i) {
        lapack_number element =
            library_number_at(a + (size_t)(i * (n + 1)) * x->itemsize, x->dtype);
        if (element.re == 0 && element.im == 0)
            return true;
    }
    return false;
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    lapack_matrices a = matrices_of(call, 0), b = matrices_of(call, 1), x = matrices_of(call, 2);
    const triangular_solve_attributes *attributes = &call->attributes->triangular_solve;
    const char *uplo = attributes->upper ? "L" : "U",
               *diagonal = attributes->unit_diagonal ? "U" : "N";
    const lapack_calls *lapack;
    int n, columns;
    JG_TRY(lapack_find(a.dtype, &lapack));
    JG_TRY(lapack_extent(a.rows, &n));
    JG_TRY(lapack_extent(b.columns, &columns));
    workspace memory = {0};
    /* A copy, as `a` may have any strides; LAPACK reads one triangle of it. */
    void *triangle = workspace_take(&memory, a.rows * a.rows, a.itemsize);
    jg_status status = workspace_status(&memory);
    library_batch_range(a.count, operations_of(call), &first, &last);
    for (int64_t i = first; i < last && status == JG_OK; ++i) {
        library_matrix_load(&a, i, false, triangle, n);
        library_matrix_load(&b, i, false, library_matrix_at(&x, i), columns);
        if (!attributes->unit_diagonal && is_singular(triangle, n, &a))
            status = library_batch_fail("a", i, a.count, "is singular");
        else if (columns > 0)
            lapack->trsm("R", uplo, "N", diagonal, &columns, &n, lapack_one(a.dtype), triangle, &n,
                         library_matrix_at(&x, i), &columns, 1, 1, 1, 1);
    }
    workspace_clear(&memory);
    return status;
}

const jg_routine library_routine_triangular_solve = {
    .name = "triangular_solve", .units = solve_units, .run = run, .work = solve_work};
