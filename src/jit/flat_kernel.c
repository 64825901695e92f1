/* SPDX-License-Identifier: Apache-2.0 */
/* Flat programs as kernels: one parallel loop over the space, every stride in the code. It is for
 * what the rows of flat_rows.c are not: elements that lie apart, and rows of a few. */
#include "jit/flat.h"
#include <string.h>

typedef struct translation {
    const jg_program *program;
    const program_space *space;
    kernel_program *kernel;
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
            JG_TRY(kernel_add_array(t->kernel, "a", (jg_dtype)buffer->dtype, t->space->ndim,
                                    t->space->extents, strides, &t->places[b]));
    }
    for (int s = 0; s < program->nscalars; ++s)
        JG_TRY(kernel_add_scalar(t->kernel, "s", (jg_dtype)program->scalars[s], &t->scalars[s]));
    for (int b = 0; b < program->nbuffers; ++b)
        if (program->buffers[b].role == PROGRAM_ROLE_INDEX)
            JG_TRY(kernel_add_scalar(t->kernel, "i", JG_DTYPE_INT64, &t->places[b]));
    return JG_OK;
}

static jg_status constant(translation *t, int64_t number, uint32_t *out)
{
    return kernel_const(t->kernel, JG_DTYPE_INT64, (jg_scalar){.i64 = number}, JG_KIND_INT, out);
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
    JG_TRY(kernel_append(t->kernel, &loop, (uint32_t)(2 * ndim), bounds, &first));
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
        JG_TRY(kernel_apply(t->kernel, PROGRAM_MULTIPLY, 2, pair, &pair[1]));
        pair[0] = sum;
        JG_TRY(kernel_apply(t->kernel, PROGRAM_ADD, 2, pair, &sum));
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
    return kernel_append(t->kernel, &store, (uint32_t)ndim + 1, operands, &nothing);
}

static jg_status add_inst(translation *t, int position)
{
    const program_inst *inst = &t->program->insts[position];
    uint32_t operands[3], *value = &t->values[position];
    kernel_inst made = {.op = inst->op, .type = inst->type, .to = inst->to};
    switch (inst->op) {
    case PROGRAM_LOAD:
        return kernel_load(t->kernel, t->places[inst->buffer], (uint32_t)t->space->ndim, t->indices,
                           value);
    case PROGRAM_SCALAR: *value = t->scalars[inst->buffer]; return JG_OK;
    case PROGRAM_INDEX: return add_index(t, inst->buffer, value);
    case PROGRAM_STORE: return JG_OK; /* behind all loads */
    default: break;
    }
    int arity = program_inst_rows[inst->op].arity;
    for (int i = 0; i < arity; ++i)
        operands[i] = t->values[inst->src[i]];
    return kernel_append(t->kernel, &made, (uint32_t)arity, operands, value);
}

/* A result may lie where an operand does that is only loaded further on, so results are stored
 * last. */
static jg_status add_stores(translation *t)
{
    for (int p = 0; p < t->program->ninsts; ++p)
        if (t->program->insts[p].op == PROGRAM_STORE)
            JG_TRY(add_store(t, &t->program->insts[p]));
    return JG_OK;
}

static jg_status translate(translation *t)
{
    uint32_t nothing;
    kernel_inst end = {.op = KERNEL_END};
    JG_TRY(declare(t));
    JG_TRY(open_loop(t));
    for (int p = 0; p < t->program->ninsts; ++p)
        JG_TRY(add_inst(t, p));
    JG_TRY(add_stores(t));
    return kernel_append(t->kernel, &end, 0, NULL, &nothing);
}

jg_status flat_make_kernel(const jg_program *program, const program_space *space,
                           kernel_program *out)
{
    JG_TRY(kernel_init(out, "flat", false));
    translation *t = base_alloc_zeroed(sizeof *t);
    if (t == NULL)
        return base_nomem(sizeof *t, "a program");
    t->program = program;
    t->space = space;
    t->kernel = out;
    jg_status status = translate(t);
    base_free(t);
    return status;
}
