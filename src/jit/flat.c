/* SPDX-License-Identifier: Apache-2.0 */
/* The executor of flat programs. If elements are adjacent in rows, code is made for rows and works
 * for any shape; otherwise the program becomes a kernel. A launch runs some of its units, so the
 * kernel's host passes the loop's body only the indices of these.
 *
 * Results that do not fit the caches are written past them, as the tiles do. */
#include "jit/flat.h"
#include "jit/jit.h"
#include "kernel/cut.h"
#include "kernel/flat.h"
#include <string.h>

enum { UNIT_NBYTES = 32 << 10, LITTLE_WORK = 8, MIN_ROW = 24, MAX_APART = 64 << 10 };
enum { UNIT_PASSED = 8 << 10 }; /* elements that are passed over several times */

typedef struct flat_code {
    jit_flat_rows *rows; /* or, where it is NULL: */
    kernel_code *code;
    kernel_entry *entry;
    int64_t count, unit; /* of elements, or of rows that are reduced */
    int64_t row;         /* elements of each of those; else 1 */
    int nbuffers, nscalars;
    bool is_index[PROGRAM_MAX_BUFFERS];
} flat_code;

/* Sums and extrema of float32 are compiled where rows are passed over again. */
static bool takes_reduction(const jg_program *program, const program_inst *inst)
{
    return inst->type == JG_DTYPE_FLOAT32 && inst->op != PROGRAM_REDUCE_MULTIPLY &&
           !program_reduces_once(program);
}

/* Whether compiling the program helps on this CPU. These are fewer than those that can be kernels
 * (kernel/flat.h): other reductions and complex numbers the tiles run no slower. */
static bool accepts(const jg_program *program)
{
    for (int b = 0; b < program->nbuffers; ++b)
        if (program->buffers[b].role != PROGRAM_ROLE_INDEX &&
            !kernel_has_type((jg_dtype)program->buffers[b].dtype))
            return false;
    for (int p = 0; p < program->ninsts; ++p) {
        const program_inst *inst = &program->insts[p];
        if ((program_is_reduction((program_op)inst->op) && !takes_reduction(program, inst)) ||
            !kernel_has_type((jg_dtype)inst->type) || !kernel_has_type((jg_dtype)inst->to))
            return false;
    }
    return program->nscalars + program->nbuffers <= PROGRAM_MAX_SCALARS;
}

static size_t widest_output(const jg_program *program)
{
    size_t widest = 1;
    for (int b = 0; b < program->nbuffers; ++b) {
        size_t itemsize = dtype_itemsize((jg_dtype)program->buffers[b].dtype);
        if (program->buffers[b].role == PROGRAM_ROLE_WRITE && itemsize > widest)
            widest = itemsize;
    }
    return widest;
}

/* A result that does not vary in a loop may overwrite an operand that the next iteration would
 * read; the tiles compute such a result once. */
static bool writes_again(const jg_program *program, const program_space *space)
{
    for (int b = 0; b < program->nbuffers; ++b)
        for (int d = 0; d < space->ndim; ++d)
            if (program->buffers[b].role == PROGRAM_ROLE_WRITE && space->extents[d] > 1 &&
                !(program->buffers[b].per_row && d >= space->ndim - space->nreduced) &&
                space->strides[b * space->ndim + d] == 0)
                return true;
    return false;
}

static jg_status measure(const jg_program *program, const program_space *space, flat_code *flat)
{
    int64_t itemsize = (int64_t)widest_output(program);
    if (space->ndim < 1 || space->ndim > KERNEL_MAX_RANGES || space->nreduced > 1)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "a space of %d loops, %d of them reduced, is not compiled, allowed are 1 "
                         "to %d, one of them reduced",
                         space->ndim, space->nreduced, KERNEL_MAX_RANGES);
    if (program->reduces && !jit_rows_suit_reduced(program, space))
        return base_fail(JG_ERR_UNSUPPORTED,
                         "a reduced loop of %lld is not compiled as it lies, allowed are rows that "
                         "fill a vector",
                         (long long)space->extents[space->ndim - 1]);
    if (writes_again(program, space))
        return base_fail(
            JG_ERR_UNSUPPORTED,
            "results with a stride of 0 are not compiled, allowed are those that move");
    flat->count = 1;
    for (int d = 0; d < space->ndim; ++d)
        flat->count *= space->extents[d];
    flat->unit = UNIT_NBYTES / itemsize;
    flat->row = 1;
    if (program->reduces) {
        flat->row = space->extents[space->ndim - 1];
        flat->count /= flat->row;
        flat->unit = int64_max(UNIT_PASSED / flat->row, 1);
    }
    flat->nbuffers = program->nbuffers;
    flat->nscalars = program->nscalars;
    for (int b = 0; b < program->nbuffers; ++b)
        flat->is_index[b] = program->buffers[b].role == PROGRAM_ROLE_INDEX;
    return JG_OK;
}

static bool is_random(const jg_program *program)
{
    for (int p = 0; p < program->ninsts; ++p)
        if (program->insts[p].op == PROGRAM_THREEFRY ||
            program->insts[p].op == PROGRAM_THREEFRY_HALF)
            return true;
    return false;
}

/* Whether a loop over strided elements is worth it. The tiles run short rows, and columns that are
 * read as rows, by blocks of two loops; they write past the caches, which a kernel that computes
 * little does not; and they draw random words in vectors of halves, which LLVM's loops do not. */
static bool suits_kernel(const jg_program *program, const program_space *space, int64_t count)
{
    int inner = space->ndim - 1;
    int64_t limit = EXECUTOR_STREAM_NBYTES / (int64_t)widest_output(program);
    if (is_random(program) || (count >= limit && program->ninsts <= LITTLE_WORK) ||
        (inner > 0 && space->extents[inner] < MIN_ROW))
        return false;
    for (int b = 0; b < program->nbuffers; ++b) {
        int64_t step = space->strides[b * space->ndim + inner];
        if (inner > 0 && count > MAX_APART && program->buffers[b].role == PROGRAM_ROLE_READ &&
            (step > JIT_LINE_NBYTES || step < -JIT_LINE_NBYTES))
            return false;
    }
    return true;
}

static jg_status prepare_kernel(const jg_program *program, const program_space *space,
                                flat_code *flat)
{
    kernel_program kernel;
    if (!suits_kernel(program, space, flat->count))
        return base_fail(
            JG_ERR_UNSUPPORTED,
            "a space of %lld elements is not compiled, allowed are those that tiles run slower",
            (long long)flat->count);
    JG_TRY(kernel_of_program(program, space, &kernel));
    jg_status status = kernel_cut(&kernel);
    if (status == JG_OK)
        status = jit_compiler.compile(&kernel, COMPILE_EXACT, &flat->code);
    if (status == JG_OK)
        flat->entry = jit_compiler.entry(flat->code);
    kernel_clear(&kernel);
    return status;
}

static jg_status prepare(const jg_program *program, const program_space *space, executor_code **out)
{
    jg_status status = JG_OK;
    flat_code *flat = base_alloc_zeroed(sizeof *flat);
    if (flat == NULL)
        return base_nomem(sizeof *flat, "a program");
    JG_TRY_DONE(measure(program, space, flat));
    int64_t limit = EXECUTOR_STREAM_NBYTES / (int64_t)widest_output(program);
    bool streams = flat->count * flat->row >= limit;
    JG_TRY_DONE(program->reduces || jit_rows_suit(program, space)
                    ? jit_rows_prepare(program, space, flat->unit, streams, &flat->rows)
                    : prepare_kernel(program, space, flat));
    *out = (executor_code *)flat;
    flat = NULL;
done:
    base_free(flat);
    return status;
}

static int64_t units(const executor_code *code)
{
    const flat_code *flat = (const flat_code *)code;
    return ceil_div(flat->count, flat->unit);
}

static int64_t unit_elements(const executor_code *code)
{
    const flat_code *flat = (const flat_code *)code;
    return flat->unit * flat->row;
}

/* The host of one call: the indices that it is to run. */
typedef struct flat_host {
    kernel_host host; /* first member */
    int64_t first, last;
} flat_host;

static void run_part(kernel_host *host, int64_t count, const kernel_loop *loop, void *frame)
{
    const flat_host *part = (const flat_host *)host;
    loop->body(frame, part->first, int64_min(part->last, count));
}

static void run_kernel(const flat_code *flat, void *const *addresses, const jg_scalar *scalars,
                       int64_t first, int64_t last)
{
    flat_host part = {
        .host.parallel = run_part, .first = first * flat->unit, .last = last * flat->unit};
    void *arrays[PROGRAM_MAX_BUFFERS];
    uint64_t values[PROGRAM_MAX_SCALARS + PROGRAM_MAX_BUFFERS];
    int narrays = 0, nvalues = flat->nscalars;
    for (int s = 0; s < flat->nscalars; ++s)
        values[s] = scalars[s].bits[0];
    for (int b = 0; b < flat->nbuffers; ++b) {
        if (flat->is_index[b])
            values[nvalues++] = (uint64_t)(uintptr_t)addresses[b];
        else
            arrays[narrays++] = addresses[b];
    }
    kernel_arguments arguments = {.addresses = arrays, .scalars = values};
    if (part.first < part.last)
        flat->entry(&arguments, &part.host);
}

static void run(const executor_code *code, void *const *addresses, const jg_scalar *scalars,
                void *shared, int64_t first, int64_t last)
{
    const flat_code *flat = (const flat_code *)code;
    int64_t end = last * flat->unit;
    (void)shared;
    if (flat->rows == NULL)
        run_kernel(flat, addresses, scalars, first, last);
    else if (flat->row > 1)
        jit_rows_run_reduced(flat->rows, addresses, scalars, first * flat->unit,
                             int64_min(end, flat->count));
    else
        jit_rows_run(flat->rows, addresses, scalars, first * flat->unit,
                     int64_min(end, flat->count));
}

static void finish(const executor_code *code, void *const *addresses, const jg_scalar *scalars,
                   void *shared)
{
    (void)code;
    (void)addresses;
    (void)scalars;
    (void)shared;
}

static void release(executor_code *code)
{
    flat_code *flat = (flat_code *)code;
    if (flat->rows != NULL)
        jit_rows_release(flat->rows);
    else
        jit_compiler.release(flat->code);
    base_free(flat);
}

const program_executor jit_executor = {
    .name = "jit",
    .accepts = accepts,
    .prepare = prepare,
    .units = units,
    .unit_elements = unit_elements,
    .run = run,
    .finish = finish,
    .release = release,
    .rest = jit_rest,
};
