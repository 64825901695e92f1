/* SPDX-License-Identifier: Apache-2.0 */
/* Running the launches of a plan, one after the other, on the calling thread. */
#include "fuse/plan.h"
#include <stdio.h>

static const jg_library *library;

void launch_set_library(const jg_library *calls)
{
    library = calls;
}

bool fuse_product_takes(jg_dtype dtype, int64_t m, int64_t n, int64_t k)
{
    return library->takes(dtype, m, n, k);
}

/* ---- programs ---- */

typedef struct program_job {
    const plan_launch *launch;
    void *const *operands;
    const jg_scalar *scalars;
    void *shared; /* by all units, see executor.h */
} program_job;

JG_COLD static void run_units_traced(const program_job *job, int64_t first, int64_t last)
{
    const plan_launch *launch = job->launch;
    int64_t start = trace_clock();
    launch->executor->run(launch->code, job->operands, job->scalars, job->shared, first, last);
    fuse_trace_chunk(start, launch->facts, first, last);
}

static void run_units(void *context, int64_t first, int64_t last)
{
    const program_job *job = context;
    const plan_launch *launch = job->launch;
    if (trace_is_on())
        run_units_traced(job, first, last);
    else
        launch->executor->run(launch->code, job->operands, job->scalars, job->shared, first, last);
}

int64_t launch_grain(int64_t units)
{
    int64_t grain = units / (8 * pool_size());
    return grain > 0 ? grain : 1;
}

static void run_program(const plan_launch *launch, void *const *addresses, const jg_scalar *scalars)
{
    void *operands[PROGRAM_MAX_BUFFERS];
    _Alignas(64) char shared[EXECUTOR_SHARED_NBYTES];
    for (int i = 0; i < launch->noperands; ++i)
        operands[i] = operand_address(&launch->operands[i], addresses);
    program_job job = {launch, operands, scalars, shared};
    if (launch->work < PARALLEL_WORK)
        run_units(&job, 0, launch->units);
    else
        pool_run(launch->units, launch_grain(launch->units), run_units, &job);
    launch->executor->finish(launch->code, operands, scalars, shared);
}

/* ---- matrix products ---- */

/* The product of one pair is cut into blocks of rows, so that threads share it. A unit is one
 * block. */
typedef struct matmul_job {
    const plan_matmul *matmul;
    const launch_facts *facts;
    matmul_call call; /* with the addresses of the first pair */
    int64_t blocks, block_rows;
    atomic_int failed; /* the status of the first failure */
    jg_error error;    /* of that; written by the one who set `failed` */
} matmul_job;

static void seek_batch(const plan_matmul *matmul, int64_t batch, matmul_call *call)
{
    call->c = (char *)call->c + batch * matmul->c_stride;
    for (int i = matmul->ndim - 1; i >= 0; --i) {
        int64_t index = batch % matmul->shape[i];
        batch /= matmul->shape[i];
        call->a = (const char *)call->a + index * matmul->a_strides[i];
        call->b = (const char *)call->b + index * matmul->b_strides[i];
    }
}

static void seek_rows(matmul_call *call, int64_t first, int64_t count)
{
    int64_t itemsize = (int64_t)dtype_itemsize(call->dtype), rest = call->m - first;
    call->a = (const char *)call->a + first * call->a_row * itemsize;
    call->c = (char *)call->c + first * call->c_row * itemsize;
    call->m = rest < count ? rest : count;
}

static void run_blocks(void *context, int64_t first, int64_t last)
{
    matmul_job *job = context;
    int64_t start = trace_start();
    for (int64_t unit = first; unit < last; ++unit) {
        matmul_call call = job->call;
        seek_batch(job->matmul, unit / job->blocks, &call);
        seek_rows(&call, unit % job->blocks * job->block_rows, job->block_rows);
        jg_status status = library->matmul(&call);
        int none = JG_OK;
        if (JG_UNLIKELY(status != JG_OK) &&
            atomic_compare_exchange_strong(&job->failed, &none, status))
            error_capture(&job->error, status);
    }
    if (start != 0)
        fuse_trace_chunk(start, job->facts, first, last);
}

/* One block for each thread: every block packs the other operand anew. */
static void cut_rows(matmul_job *job, bool parallel)
{
    int64_t threads = parallel ? pool_size() : 1, m = job->call.m;
    job->block_rows = (m + threads - 1) / threads;
    job->block_rows = job->block_rows < 16 ? 16 : (job->block_rows + 15) / 16 * 16;
    job->blocks = m > 0 ? (m + job->block_rows - 1) / job->block_rows : 1;
}

static jg_status run_matmul(const plan_launch *launch, void *const *addresses)
{
    const plan_matmul *matmul = launch->matmul;
    matmul_job job = {.matmul = matmul, .facts = launch->facts, .call = matmul->call};
    bool parallel = launch->work >= PARALLEL_WORK;
    int64_t batches = 1;
    for (int i = 0; i < matmul->ndim; ++i)
        batches *= matmul->shape[i];
    job.call.a = operand_address(&launch->operands[0], addresses);
    job.call.b = operand_address(&launch->operands[1], addresses);
    job.call.c = operand_address(&launch->operands[2], addresses);
    cut_rows(&job, parallel && batches < pool_size());
    int64_t units = batches * job.blocks;
    if (parallel)
        pool_run(units, 1, run_blocks, &job);
    else
        run_blocks(&job, 0, units);
    return job.failed == JG_OK ? JG_OK : error_raise(&job.error);
}

/* The failure with the op's name before it. */
static jg_status name_failure(jg_op op, jg_status status)
{
    jg_error error;
    error_capture(&error, status);
    return jg_fail(status, "[%s] %s", op_name(op), error.message);
}

static jg_status run_launch(const plan_launch *launch, void *const *addresses,
                            const jg_scalar *scalars)
{
    jg_status status = JG_OK;
    if (launch->matmul != NULL)
        status = run_matmul(launch, addresses);
    else if (launch->routine != NULL)
        status = run_routine(launch, addresses);
    else
        run_program(launch, addresses, scalars);
    return status == JG_OK ? JG_OK : name_failure(launch->op, status);
}

JG_COLD static jg_status run_launch_traced(const plan_launch *launch, void *const *addresses,
                                           const jg_scalar *scalars)
{
    int64_t start = trace_clock();
    jg_status status = run_launch(launch, addresses, scalars);
    fuse_trace_launch(start, launch->facts);
    return status;
}

jg_status run_launches(const plan_run *run)
{
    const jg_scalar *scalars = run->scalars;
    for (int i = 0; i < run->plan->nlaunches; ++i) {
        const plan_launch *launch = &run->plan->launches[i];
        JG_TRY(trace_is_on() ? run_launch_traced(launch, run->addresses, scalars)
                             : run_launch(launch, run->addresses, scalars));
        scalars += launch->nscalars;
    }
    return JG_OK;
}
