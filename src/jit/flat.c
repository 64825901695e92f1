/* SPDX-License-Identifier: Apache-2.0 */
/* Flat programs as kernels: one parallel loop over the space, every stride in the code. A launch runs
 * some of its units, so the kernel's host hands the loop's body no more than the indices of these.
 *
 * What the tiles run no slower is refused: little work on results that are written past the cache, which
 * only they do. */
#include "jit/host.h"
#include "jit/jit.h"
#include <string.h>

enum { UNIT_NBYTES = 32 << 10, STREAM_NBYTES = 16 << 20, LITTLE_WORK = 8 };

typedef struct flat_code {
    kernel_code *code;
    kernel_entry *entry;
    int64_t count, unit;
    int nbuffers, nscalars;
    bool is_index[PROGRAM_MAX_BUFFERS];
} flat_code;

/* ---- from program to kernel ---- */

typedef struct translation {
    const jg_program *program;
    const program_space *space;
    kernel_program kernel;
    uint32_t places[PROGRAM_MAX_BUFFERS];  /* the array of each buffer, the scalar of an INDEX */
    uint32_t scalars[PROGRAM_MAX_SCALARS]; /* values */
    uint32_t indices[KERNEL_MAX_RANGES];
    uint32_t values[PROGRAM_MAX_INSTS];
} translation;

static jg_status declare(translation *t)
{
    const jg_program *program = t->program;
    for (int b = 0; b < program->nbuffers; ++b) {
        const program_buffer *buffer = &program->buffers[b];
        const int64_t *strides = t->space->strides + b * t->space->ndim;
        if (buffer->role != PROGRAM_ROLE_INDEX)
            JG_TRY(kernel_add_array(&t->kernel, "a", (jg_dtype)buffer->dtype, t->space->ndim,
                                    t->space->extents, strides, &t->places[b]));
    }
    for (int s = 0; s < program->nscalars; ++s)
        JG_TRY(kernel_add_scalar(&t->kernel, "s", (jg_dtype)program->scalars[s], &t->scalars[s]));
    for (int b = 0; b < program->nbuffers; ++b)
        if (program->buffers[b].role == PROGRAM_ROLE_INDEX)
            JG_TRY(kernel_add_scalar(&t->kernel, "i", JG_DTYPE_INT64, &t->places[b]));
    return JG_OK;
}

static jg_status constant(translation *t, int64_t number, uint32_t *out)
{
    return kernel_const(&t->kernel, JG_DTYPE_INT64, (jg_scalar){.i64 = number}, JG_KIND_INT, out);
}

static jg_status open_loop(translation *t)
{
    uint32_t bounds[2 * KERNEL_MAX_RANGES], first;
    kernel_inst loop = {.op = KERNEL_PARALLEL, .type = JG_DTYPE_INT64, .to = JG_DTYPE_INT64};
    int ndim = t->space->ndim;
    for (int d = 0; d < ndim; ++d) {
        JG_TRY(constant(t, 0, &bounds[2 * d]));
        JG_TRY(constant(t, t->space->extents[d], &bounds[2 * d + 1]));
    }
    JG_TRY(kernel_append(&t->kernel, &loop, (uint32_t)(2 * ndim), bounds, &first));
    for (int d = 0; d < ndim; ++d)
        t->indices[d] = first + (uint32_t)d;
    return JG_OK;
}

/* offset + sum of index times stride */
static jg_status add_index(translation *t, int buffer, uint32_t *out)
{
    const int64_t *strides = t->space->strides + buffer * t->space->ndim;
    uint32_t sum = t->places[buffer];
    for (int d = 0; d < t->space->ndim; ++d) {
        uint32_t pair[2] = {t->indices[d], 0};
        JG_TRY(constant(t, strides[d], &pair[1]));
        JG_TRY(kernel_apply(&t->kernel, PROGRAM_MULTIPLY, 2, pair, &pair[1]));
        pair[0] = sum;
        JG_TRY(kernel_apply(&t->kernel, PROGRAM_ADD, 2, pair, &sum));
    }
    *out = sum;
    return JG_OK;
}

static jg_status add_store(translation *t, const program_inst *inst)
{
    uint32_t operands[KERNEL_MAX_RANGES + 1], nothing;
    int ndim = t->space->ndim;
    kernel_inst store = {
        .op = KERNEL_STORE, .type = inst->to, .to = inst->to, .target = t->places[inst->buffer]};
    memcpy(operands, t->indices, (size_t)ndim * sizeof *operands);
    operands[ndim] = t->values[inst->src[0]];
    return kernel_append(&t->kernel, &store, (uint32_t)ndim + 1, operands, &nothing);
}

static jg_status add_inst(translation *t, int position)
{
    const program_inst *inst = &t->program->insts[position];
    uint32_t operands[3], *value = &t->values[position];
    kernel_inst made = {.op = inst->op, .type = inst->type, .to = inst->to};
    switch (inst->op) {
    case PROGRAM_LOAD:
        return kernel_load(&t->kernel, t->places[inst->buffer], (uint32_t)t->space->ndim,
                           t->indices, value);
    case PROGRAM_SCALAR: *value = t->scalars[inst->buffer]; return JG_OK;
    case PROGRAM_INDEX: return add_index(t, inst->buffer, value);
    case PROGRAM_STORE: return add_store(t, inst);
    default: break;
    }
    int arity = program_inst_rows[inst->op].arity;
    for (int i = 0; i < arity; ++i)
        operands[i] = t->values[inst->src[i]];
    return kernel_append(&t->kernel, &made, (uint32_t)arity, operands, value);
}

static jg_status translate(translation *t)
{
    uint32_t nothing;
    kernel_inst end = {.op = KERNEL_END};
    JG_TRY(kernel_init(&t->kernel, "flat", false));
    JG_TRY(declare(t));
    JG_TRY(open_loop(t));
    for (int p = 0; p < t->program->ninsts; ++p)
        JG_TRY(add_inst(t, p));
    return kernel_append(&t->kernel, &end, 0, NULL, &nothing);
}

/* ---- the executor ---- */

static bool accepts(const jg_program *program)
{
    for (int b = 0; b < program->nbuffers; ++b)
        if (program->buffers[b].role != PROGRAM_ROLE_INDEX &&
            !kernel_has_type((jg_dtype)program->buffers[b].dtype))
            return false;
    for (int p = 0; p < program->ninsts; ++p) {
        const program_inst *inst = &program->insts[p];
        if (program_is_reduction((program_op)inst->op) || !kernel_has_type((jg_dtype)inst->type) ||
            !kernel_has_type((jg_dtype)inst->to))
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

static jg_status measure(const jg_program *program, const program_space *space, flat_code *flat)
{
    int64_t itemsize = (int64_t)widest_output(program);
    if (space->ndim > KERNEL_MAX_RANGES || space->nreduced > 0)
        return jg_fail(JG_ERR_UNSUPPORTED, "a space of %d loops is not compiled", space->ndim);
    flat->count = 1;
    for (int d = 0; d < space->ndim; ++d)
        flat->count *= space->extents[d];
    flat->unit = UNIT_NBYTES / itemsize;
    if (flat->count >= STREAM_NBYTES / itemsize && program->ninsts <= LITTLE_WORK)
        return jg_fail(JG_ERR_UNSUPPORTED, "copying is left to the tiles");
    flat->nbuffers = program->nbuffers;
    flat->nscalars = program->nscalars;
    for (int b = 0; b < program->nbuffers; ++b)
        flat->is_index[b] = program->buffers[b].role == PROGRAM_ROLE_INDEX;
    return JG_OK;
}

static jg_status prepare(const jg_program *program, const program_space *space, executor_code **out)
{
    jg_status status = JG_OK;
    translation *t = base_alloc_zeroed(sizeof *t);
    flat_code *flat = base_alloc_zeroed(sizeof *flat);
    if (t == NULL || flat == NULL) {
        status = base_nomem(sizeof *t, "a program");
        goto done;
    }
    t->program = program;
    t->space = space;
    JG_TRY_DONE(measure(program, space, flat));
    JG_TRY_DONE(translate(t));
    JG_TRY_DONE(jit_compiler.compile(&t->kernel, COMPILE_EXACT, &flat->code));
    flat->entry = jit_compiler.entry(flat->code);
    *out = (executor_code *)flat;
    flat = NULL;
done:
    if (t != NULL)
        kernel_clear(&t->kernel);
    base_free(t);
    base_free(flat);
    return status;
}

static int64_t units(const executor_code *code)
{
    const flat_code *flat = (const flat_code *)code;
    return flat->count / flat->unit + (flat->count % flat->unit != 0);
}

static int64_t unit_elements(const executor_code *code)
{
    return ((const flat_code *)code)->unit;
}

/* The host of one call: the indices that it is to run. */
typedef struct flat_host {
    kernel_host host; /* first member */
    int64_t first, last;
} flat_host;

static void run_part(kernel_host *host, int64_t count, const kernel_loop *loop, void *frame)
{
    const flat_host *part = (const flat_host *)host;
    loop->body(frame, part->first, part->last < count ? part->last : count);
}

static void run(const executor_code *code, void *const *addresses, const jg_scalar *scalars,
                void *shared, int64_t first, int64_t last)
{
    const flat_code *flat = (const flat_code *)code;
    flat_host part = {
        .host.parallel = run_part, .first = first * flat->unit, .last = last * flat->unit};
    void *arrays[PROGRAM_MAX_BUFFERS];
    uint64_t values[PROGRAM_MAX_SCALARS + PROGRAM_MAX_BUFFERS];
    int narrays = 0, nvalues = flat->nscalars;
    (void)shared;
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
    jit_compiler.release(flat->code);
    base_free(flat);
}

const jg_executor jit_executor = {
    .name = "jit",
    .accepts = accepts,
    .prepare = prepare,
    .units = units,
    .unit_elements = unit_elements,
    .run = run,
    .finish = finish,
    .release = release,
};
