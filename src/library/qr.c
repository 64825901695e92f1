/* SPDX-License-Identifier: Apache-2.0 */
/* QR factors. Q is made of the reflections only if it is used. */
#include "library/lapack.h"
#include <string.h>

enum { Q = 1, R = 2 };

/* k: reflections. q_columns: all of m in complete mode, else k. */
typedef struct qr_job {
    const routine_call *call;
    const lapack_calls *lapack;
    lapack_matrices a, q, r;
    int m, n, k, q_columns, leading;
    int lwork;
    void *columns, *reflections, *work;
} qr_job;

static double operations_of(const routine_call *call)
{
    lapack_matrices a = matrices_of(call, 0);
    double rows = (double)a.rows, columns = (double)a.columns;
    double less = rows < columns ? rows : columns;
    return 4 * rows * columns * less + 60 * (rows + columns) + 1;
}

LIBRARY_BATCH(qr, operations_of, true)

/* Asks for the size of the work memory of both subroutines, which share it. q_columns is 0 if
 * LAPACK would refuse the call. */
static jg_status ask_lwork(qr_job *job)
{
    double told[2] = {0}, more[2] = {0}, tau[2];
    int info, ask = -1, first, second;
    job->lapack->geqrf(&job->m, &job->n, NULL, &job->leading, tau, told, &ask, &info);
    if (job->q_columns > 0)
        job->lapack->orgqr(&job->m, &job->q_columns, &job->k, NULL, &job->leading, tau, more, &ask,
                           &info);
    JG_TRY(lapack_lwork(job->a.dtype, told, job->n, &first));
    JG_TRY(lapack_lwork(job->a.dtype, more, job->q_columns, &second));
    job->lwork = int_max(first, second);
    return JG_OK;
}

/* The upper triangle, row by row, with zeros below it. */
static void store_r(const qr_job *job, int64_t index)
{
    size_t itemsize = job->a.itemsize;
    char *to = library_matrix_at(&job->r, index);
    library_matrix_store(&job->r, index, true, job->columns, job->leading);
    for (int64_t i = 1; i < job->r.rows; ++i) {
        int64_t count = int64_min(i, job->n);
        memset(to + (size_t)(i * job->n) * itemsize, 0, (size_t)count * itemsize);
    }
}

/* R is stored before Q overwrites it: both are in `columns`. */
static void factor(const qr_job *job, int64_t index)
{
    int info;
    library_matrix_load(&job->a, index, true, job->columns, job->leading);
    job->lapack->geqrf(&job->m, &job->n, job->columns, &job->leading, job->reflections, job->work,
                       &job->lwork, &info);
    if (job->r.address != NULL)
        store_r(job, index);
    if (job->q.address == NULL || job->q_columns == 0)
        return;
    job->lapack->orgqr(&job->m, &job->q_columns, &job->k, job->columns, &job->leading,
                       job->reflections, job->work, &job->lwork, &info);
    library_matrix_store(&job->q, index, true, job->columns, job->leading);
}

/* mode complete makes all m columns of Q; reduced makes k, the largest rank that A can have. */
static jg_status prepare(const routine_call *call, qr_job *job)
{
    *job = (qr_job){.call = call,
                    .a = matrices_of(call, 0),
                    .q = matrices_of(call, Q),
                    .r = matrices_of(call, R)};
    JG_TRY(lapack_find(job->a.dtype, &job->lapack));
    JG_TRY(lapack_extent(job->a.rows, &job->m));
    JG_TRY(lapack_extent(job->a.columns, &job->n));
    job->k = int_min(job->m, job->n);
    job->leading = library_matrix_leading(job->m, job->a.itemsize);
    job->q_columns = call->attributes->qr.complete ? job->m : job->k;
    return JG_OK;
}

/* Q may have more columns than A. */
static jg_status run_large(const routine_call *call, int64_t first, int64_t last)
{
    workspace memory = {0};
    qr_job job;
    JG_TRY(prepare(call, &job));
    JG_TRY(ask_lwork(&job));
    int64_t columns = int_max(job.n, job.q_columns);
    job.columns = workspace_take(&memory, (int64_t)job.leading * columns, job.a.itemsize);
    job.reflections = workspace_take(&memory, job.k, job.a.itemsize);
    job.work = workspace_take(&memory, job.lwork, job.a.itemsize);
    jg_status status = workspace_status(&memory);
    for (int64_t i = first; i < last && status == JG_OK; ++i)
        factor(&job, i);
    workspace_clear(&memory);
    return status;
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    lapack_matrices a = matrices_of(call, 0);
    int64_t larger = int64_max(a.rows, a.columns);
    library_batch_range(a.count, operations_of(call), &first, &last);
    if (dtype_is_complex(a.dtype) || larger > ROWS_MAX)
        return run_large(call, first, last);
    library_small_qr(call, first, last);
    return JG_OK;
}

const jg_routine library_routine_qr = {
    .name = "qr", .units = qr_units, .run = run, .work = qr_work};
