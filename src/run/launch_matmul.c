/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products: library calls for blocks of rows, and the epilogue, which is the next launch if
 * that reads the product in order: its units run as soon as their elements are there, while these
 * are in the cache.
 *
 * Chunks of blocks begin and end where units of the epilogue do, so that threads share no unit. */
#include "base/divisor.h"
#include "run/frame.h"
#include <stdio.h>

enum {
    SHALLOW = 64,             /* terms of a sum; below, packing the other operand anew is cheap */
    BLOCK_NBYTES = 256 << 10, /* of a block of such a product, for its epilogue to find */
    ROW_STEP = 16,            /* rows that library calls like to have */
    COLUMN_STEP = 64,         /* columns, of products that have too few rows to share */
    LONG_ROWS = 1024          /* of a block at least that is cut only for a run to stop before it */
};

/* Terms of a block's sums at most, unless it has fewer rows: some tenths of a second. */
#define LONGEST_BLOCK ((int64_t)8 << 30)

static const jg_library *library;

void launch_set_library(const jg_library *calls)
{
    library = calls;
}

/* Moves the call from the first pair to that of the number, counted row-major through the batch
 * axes. */
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

/* Narrows the call to `count` rows of A and C, or to those that are left; seek_columns likewise. */
static void seek_rows(matmul_call *call, int64_t first, int64_t count)
{
    int64_t itemsize = (int64_t)dtype_itemsize(call->dtype), rest = call->m - first;
    call->a = (const char *)call->a + first * call->a_row * itemsize;
    call->c = (char *)call->c + first * call->c_row * itemsize;
    call->m = rest < count ? rest : count;
}

static void seek_columns(matmul_call *call, int64_t first, int64_t count)
{
    int64_t itemsize = (int64_t)dtype_itemsize(call->dtype), rest = call->n - first;
    call->b = (const char *)call->b + first * call->b_column * itemsize;
    call->c = (char *)call->c + first * itemsize;
    call->n = rest < count ? rest : count;
}

static bool is_cut_in_columns(const matmul_job *job)
{
    return job->block_columns < job->call.n;
}

static void run_block(matmul_job *job, int64_t unit)
{
    matmul_call call = job->call;
    seek_batch(job->matmul, unit / job->blocks, &call);
    if (is_cut_in_columns(job))
        seek_columns(&call, unit % job->blocks * job->block_columns, job->block_columns);
    else
        seek_rows(&call, unit % job->blocks * job->block_rows, job->block_rows);
    jg_status status = library->matmul(&call);
    int none = JG_OK;
    if (JG_UNLIKELY(status != JG_OK) && atomic_compare_exchange_strong(&job->failed, &none, status))
        error_capture(&job->error, status);
}

/* Elements of the product before the unit: blocks of one pair, or whole pairs. Past the end for the
 * last block, which may be shorter; run_epilogue knows that it is the last. */
static int64_t elements_before(const matmul_job *job, int64_t unit)
{
    int64_t rows = job->blocks > 1 ? job->block_rows : job->call.m;
    return unit * rows * job->call.n;
}

/* Runs the units of the epilogue whose elements have come to be there since `done`.
 * gives: the first that is still to run */
static int64_t run_epilogue(const matmul_job *job, int64_t done, int64_t unit, bool is_last)
{
    int64_t ready = elements_before(job, unit + 1) / job->epilogue_unit;
    int64_t units = job->epilogue->launch->units;
    ready = is_last || ready > units ? units : ready;
    if (ready > done && job->failed == JG_OK)
        program_run_units(job->epilogue, done, ready);
    return ready;
}

static int64_t count_units(const matmul_job *job)
{
    int64_t batches = 1;
    for (int i = 0; i < job->matmul->ndim; ++i)
        batches *= job->matmul->shape[i];
    return batches * job->blocks;
}

/* A chunk of pool_run, which begins at a multiple of the grain: there a unit of the epilogue begins
 * too, so the division leaves no rest. */
static void run_blocks(void *context, int64_t first, int64_t last)
{
    matmul_job *job = &((launch_frame *)context)->matmul;
    int64_t start = trace_start(), done = 0, units = count_units(job);
    if (job->epilogue != NULL)
        done = elements_before(job, first) / job->epilogue_unit;
    for (int64_t unit = first; unit < last; ++unit) {
        run_block(job, unit);
        if (job->epilogue != NULL)
            done = run_epilogue(job, done, unit, unit == units - 1);
    }
    if (start != 0)
        run_trace_chunk(start, job->facts, first, last);
}

static int64_t round_up(int64_t count, int64_t step)
{
    return (count + step - 1) / step * step;
}

static void cut_rows(matmul_job *job, int64_t threads)
{
    int64_t m = job->call.m, row = job->call.n * (int64_t)dtype_itemsize(job->call.dtype);
    job->block_rows = (m + threads - 1) / threads;
    int64_t most = LONGEST_BLOCK / (job->call.n * job->call.k + 1);
    if (most < LONG_ROWS)
        most = LONG_ROWS;
    if (job->block_rows > most) { /* each thread has as many blocks */
        int64_t rounds = (job->block_rows + most - 1) / most;
        job->block_rows = (job->block_rows + rounds - 1) / rounds;
    }
    if (job->epilogue != NULL && job->call.k <= SHALLOW && job->matmul->ndim == 0 &&
        job->block_rows * row > BLOCK_NBYTES)
        job->block_rows = BLOCK_NBYTES / row;
    job->block_rows = job->block_rows < ROW_STEP ? ROW_STEP : round_up(job->block_rows, ROW_STEP);
    job->block_columns = job->call.n;
    job->blocks = m > 0 ? (m + job->block_rows - 1) / job->block_rows : 1;
}

static void cut_columns(matmul_job *job, int64_t threads)
{
    int64_t n = job->call.n;
    job->block_rows = job->call.m;
    job->block_columns = round_up((n + threads - 1) / threads, COLUMN_STEP);
    job->blocks = (n + job->block_columns - 1) / job->block_columns;
}

/* One block for each thread, as every block packs the other operand anew; more rows' blocks where
 * that costs little and something waits for them. */
static void cut_product(matmul_job *job, int64_t threads)
{
    cut_rows(job, threads);
    if (job->blocks < threads && job->call.m < job->call.n && job->call.m > 0)
        cut_columns(job, threads);
}

/* How many blocks end where a unit of the epilogue does; 0 if that would leave threads idle, or if
 * blocks are no equal parts of the product. */
static int64_t find_grain(const matmul_job *job, int64_t units, int64_t threads)
{
    int64_t elements = elements_before(job, 1);
    if (units == 0 || elements == 0 || is_cut_in_columns(job) ||
        (job->blocks > 1 && units > job->blocks))
        return 0;
    int64_t grain = job->epilogue_unit / base_common_divisor(job->epilogue_unit, elements);
    return threads == 1 || grain * threads <= units ? grain : 0;
}

/* An epilogue whose units fit no chunks runs afterwards as a launch of its own. */
static void begin(launch_frame *frame, const plan_launch *launch, const jg_scalar *scalars)
{
    const plan_matmul *matmul = launch->matmul;
    void *const *addresses = frame->run->addresses;
    matmul_job *job = &frame->matmul;
    *job = (matmul_job){.matmul = matmul, .facts = launch->facts, .call = matmul->call};
    int64_t threads = launch->work >= PARALLEL_WORK ? pool_size() : 1;
    job->blocks = job->grain = 1;
    job->call.a = operand_address(&launch->operands[0], addresses);
    job->call.b = operand_address(&launch->operands[1], addresses);
    job->call.c = operand_address(&launch->operands[2], addresses);
    if (launch->epilogue_unit > 0) {
        program_bind(launch + 1, addresses, scalars + launch->nscalars, &frame->program);
        job->epilogue = &frame->program;
        job->epilogue_unit = launch->epilogue_unit;
    }
    cut_product(job, count_units(job) < threads ? threads : 1);
    frame->units = count_units(job);
    frame->next = 0;
    if (job->epilogue != NULL && (job->grain = find_grain(job, frame->units, threads)) == 0) {
        job->epilogue = NULL;
        job->grain = 1;
    }
}

/* Products so small that a claim costs as much are claimed many at a time, whole grains of them. */
static jg_status run_units(launch_frame *frame, const plan_launch *launch)
{
    if (launch->work < PARALLEL_WORK)
        run_blocks(frame, 0, frame->units);
    else
        JG_TRY(launch_share(frame, frame->matmul.grain, launch->work, run_blocks));
    return frame->matmul.failed == JG_OK ? JG_OK : error_raise(&frame->matmul.error);
}

jg_status run_matmul(launch_frame *frame, const plan_launch *launch, const jg_scalar *scalars)
{
    if (!frame->begun)
        begin(frame, launch, scalars);
    frame->begun = true;
    JG_TRY(run_units(frame, launch));
    frame->run->followed = frame->matmul.epilogue != NULL;
    if (frame->run->followed)
        program_finish(&frame->program);
    return JG_OK;
}
