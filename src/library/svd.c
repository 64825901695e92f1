/* SPDX-License-Identifier: Apache-2.0 */
/* Singular values and vectors, by divide and conquer, of many small real matrices by Jacobi's
 * rotations. LAPACK takes the rows of A as the columns of A^T, whose left singular vectors, column
 * by column, are the rows of A's right ones: all is written directly to the results. */
#include "library/jacobi.h"
#include <string.h>

enum { U = 1, S = 2, VH = 3 };

/* mode: "N" values alone, "S" the first k vectors, "A" all of them. Spares take results that LAPACK
 * computes but the call does not use. */
typedef struct svd_job {
    const lapack_calls *lapack;
    lapack_matrices a, u, s, vh;
    int m, n, k, u_columns, vh_rows, leading; /* the last of the rows */
    const char *mode;
    int lwork;
    void *rows, *spare_u, *spare_s, *spare_vh, *work, *real_work;
    int *whole_work;
} svd_job;

static double operations_of(const routine_call *call)
{
    lapack_matrices a = matrices_of(call, 0);
    double rows = (double)a.rows, columns = (double)a.columns;
    double less = rows < columns ? rows : columns;
    double operations = 20 * rows * columns * less + 500 * (rows + columns) + 1;
    return jacobi_takes(&a) ? library_group_operations(operations, JACOBI_LANES) : operations;
}

LIBRARY_BATCH(svd, operations_of, true)

/* To LAPACK the matrix has n rows and m columns. */
static void decompose(const svd_job *job, void *rows, void *u, void *s, void *vh, void *work,
                      const int *lwork, int *info)
{
    int n = job->n, m = job->m, u_leading = job->u_columns;
    if (dtype_is_complex(job->a.dtype))
        job->lapack->gesdd_complex(job->mode, &n, &m, rows, &job->leading, s, vh, &n, u, &u_leading,
                                   work, lwork, job->real_work, job->whole_work, info, 1);
    else
        job->lapack->gesdd_real(job->mode, &n, &m, rows, &job->leading, s, vh, &n, u, &u_leading,
                                work, lwork, job->whole_work, info, 1);
}

/* The least size of work that gesdd's documentation requires. */
static double min_lwork(const svd_job *job)
{
    double k = job->k, larger = job->m > job->n ? job->m : job->n;
    bool all = *job->mode == 'A';
    if (dtype_is_complex(job->a.dtype))
        return *job->mode == 'N' ? 2 * k + larger : k * k + (all ? 2 * k + larger : 3 * k);
    return *job->mode == 'N' ? 3 * k + (larger > 7 * k ? larger : 7 * k)
                             : 4 * k * k + (all ? 6 * k + larger : 7 * k);
}

static jg_status ask_lwork(svd_job *job)
{
    double told[2] = {0};
    int info, ask = -1;
    decompose(job, NULL, NULL, NULL, NULL, told, &ask, &info);
    return lapack_lwork(job->a.dtype, told, min_lwork(job), &job->lwork);
}

/* The least size of real work that LAPACK's documentation requires, for all modes. */
static int64_t min_lrwork(const svd_job *job)
{
    int64_t k = job->k, larger = int_max(job->m, job->n);
    int64_t least = 5 * k * k + 7 * k, other = 2 * larger * k + 2 * k * k + k;
    return int64_max(least, other);
}

/* "N", "S", "A": gesdd's modes, no vectors, as many as values, all. */
static jg_status prepare(const routine_call *call, svd_job *job)
{
    bool vectors = routine_wants(call, U - 1) || routine_wants(call, VH - 1);
    *job = (svd_job){.a = matrices_of(call, 0),
                     .u = matrices_of(call, U),
                     .s = library_vectors_of(call, S),
                     .vh = matrices_of(call, VH)};
    job->mode = !vectors ? "N" : call->attributes->svd.complete ? "A" : "S";
    JG_TRY(lapack_find(job->a.dtype, &job->lapack));
    JG_TRY(lapack_extent(job->a.rows, &job->m));
    JG_TRY(lapack_extent(job->a.columns, &job->n));
    job->k = int_min(job->m, job->n);
    job->leading = library_matrix_leading(job->n, job->a.itemsize);
    job->u_columns = call->attributes->svd.complete ? job->m : job->k;
    job->vh_rows = call->attributes->svd.complete ? job->n : job->k;
    return JG_OK;
}

/* Memory, also for the results that LAPACK computes but the call does not use. */
static jg_status take_memory(svd_job *job, workspace *memory)
{
    size_t itemsize = job->a.itemsize;
    bool vectors = *job->mode != 'N';
    JG_TRY(ask_lwork(job));
    job->rows = workspace_take(memory, (int64_t)job->m * job->leading, itemsize);
    job->work = workspace_take(memory, job->lwork, itemsize);
    job->whole_work = workspace_take(memory, 8 * (int64_t)job->k, sizeof(int));
    if (dtype_is_complex(job->a.dtype))
        job->real_work = workspace_take(memory, min_lrwork(job), itemsize / 2);
    if (job->s.address == NULL)
        job->spare_s = workspace_take(memory, job->k, itemsize);
    if (vectors && job->u.address == NULL)
        job->spare_u = workspace_take(memory, (int64_t)job->m * job->u_columns, itemsize);
    if (vectors && job->vh.address == NULL)
        job->spare_vh = workspace_take(memory, (int64_t)job->n * job->vh_rows, itemsize);
    return workspace_status(memory);
}

static void *where(const lapack_matrices *result, int64_t index, void *spare)
{
    return result->address != NULL ? library_matrix_at(result, index) : spare;
}

/* LAPACK reports a NaN as a wrong argument. */
static jg_status run_one(const svd_job *job, int64_t index)
{
    int info;
    library_matrix_load(&job->a, index, false, job->rows, job->leading);
    decompose(job, job->rows, where(&job->u, index, job->spare_u),
              where(&job->s, index, job->spare_s), where(&job->vh, index, job->spare_vh), job->work,
              &job->lwork, &info);
    if (info == 0)
        return JG_OK;
    return library_batch_fail("a", index, job->a.count,
                              info < 0 ? "holds NaN" : "has no singular values: no convergence");
}

/* The vectors of a matrix without elements are those of the identity. */
static void store_identity(const lapack_matrices *x, int64_t index)
{
    if (x->address == NULL)
        return;
    char *to = library_matrix_at(x, index);
    memset(to, 0, (size_t)(x->rows * x->columns) * x->itemsize);
    for (int64_t i = 0; i < x->rows && i < x->columns; ++i)
        memcpy(to + (size_t)(i * (x->columns + 1)) * x->itemsize, lapack_one(x->dtype),
               x->itemsize);
}

typedef struct svd_run {
    const routine_call *call;
    svd_job job;
    workspace memory;
    bool is_ready; /* job and memory; they are not needed if lanes take all matrices */
} svd_run;

static jg_status run_by_lapack(void *context, int64_t index)
{
    svd_run *run = context;
    if (!run->is_ready) {
        JG_TRY(prepare(run->call, &run->job));
        JG_TRY(take_memory(&run->job, &run->memory));
        run->is_ready = true;
    }
    return run_one(&run->job, index);
}

/* Describes the call for rotations, which need at least as many rows as columns. False if they
 * cannot do it: they give no vectors beyond those of the values. */
static bool describe_lanes(const routine_call *call, jacobi_call *lanes)
{
    lapack_matrices a = matrices_of(call, 0), u = matrices_of(call, U), vh = matrices_of(call, VH);
    int64_t less = int64_min(a.rows, a.columns);
    if (!jacobi_takes(&a) || (u.address != NULL && u.columns > less) ||
        (vh.address != NULL && vh.rows > less))
        return false;
    lapack_matrices v = matrices_turned(&vh);
    bool is_wide = a.rows < a.columns;
    *lanes = (jacobi_call){.a = is_wide ? matrices_turned(&a) : a,
                           .values = library_vectors_of(call, S),
                           .left = is_wide ? v : u,
                           .right = is_wide ? u : v};
    return true;
}

static jg_status run_each(svd_run *run, int64_t first, int64_t last)
{
    for (int64_t i = first; i < last; ++i)
        JG_TRY(run_by_lapack(run, i));
    return JG_OK;
}

static void store_identities(const routine_call *call, int64_t first, int64_t last)
{
    lapack_matrices u = matrices_of(call, U), vh = matrices_of(call, VH);
    for (int64_t i = first; i < last; ++i) {
        store_identity(&u, i);
        store_identity(&vh, i);
    }
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    lapack_matrices a = matrices_of(call, 0);
    svd_run all = {.call = call};
    jacobi_call lanes;
    jg_status status = JG_OK;
    library_batch_range(a.count, operations_of(call), &first, &last);
    if (a.rows == 0 || a.columns == 0)
        store_identities(call, first, last);
    else if (describe_lanes(call, &lanes))
        status = jacobi_singular(&lanes, first, last, run_by_lapack, &all);
    else
        status = run_each(&all, first, last);
    workspace_clear(&all.memory);
    return status;
}

const jg_routine library_routine_svd = {
    .name = "svd", .units = svd_units, .run = run, .work = svd_work};
