/* SPDX-License-Identifier: Apache-2.0 */
/* Making code of a program and its space: one block of memory that holds everything run needs. */
#include "tile/prepare.h"
#include <string.h>

static bool has_kernel(const tile_kernels *kernels, const program_inst *inst)
{
    if (inst->type >= TILE_DTYPES || inst->to >= TILE_DTYPES)
        return false;
    switch (inst->op) {
    case PROGRAM_LOAD:
    case PROGRAM_SCALAR:
    case PROGRAM_INDEX:
    case PROGRAM_STORE: return true;
    case PROGRAM_CAST: return kernels->cast[inst->type][inst->to] != NULL;
    default: break;
    }
    if (program_is_reduction((program_op)inst->op))
        return kernels->reductions[inst->op - PROGRAM_REDUCE_ADD][inst->type].fold != NULL;
    return kernels->apply[inst->op][inst->type] != NULL;
}

bool tile_accepts(const jg_program *program)
{
    const tile_kernels *kernels = tile_kernels_chosen();
    for (int p = 0; p < program->ninsts; ++p)
        if (!has_kernel(kernels, &program->insts[p]))
            return false;
    return program->nbuffers > 0;
}

static int find_reduction(const jg_program *program, const program_space *space)
{
    for (int p = 0; space->nreduced > 0 && p < program->ninsts; ++p)
        if (program_is_reduction((program_op)program->insts[p].op))
            return p;
    return -1;
}

/* The struct and behind it the steps (two an instruction: itself and its FILL, or a bool's copy
 * and its store), the loops, and the two lists of buffers. */
static tile_code *alloc_code(const jg_program *program, const program_space *space)
{
    size_t nsteps = 2 * (size_t)program->ninsts, ndim = (size_t)space->ndim;
    size_t nbuffers = (size_t)program->nbuffers;
    size_t nbytes = sizeof(tile_code) + nsteps * sizeof(tile_step) +
                    (ndim + 2 * ndim * nbuffers) * sizeof(int64_t) +
                    2 * nbuffers * sizeof(tile_direct);
    tile_code *code = base_alloc(nbytes);
    if (code == NULL) {
        (void)base_nomem(nbytes, "a program");
        return NULL;
    }
    memset(code, 0, sizeof *code);
    code->run.steps = (tile_step *)(void *)(code + 1);
    code->extents = (int64_t *)(void *)(code->run.steps + nsteps);
    code->strides = code->extents + ndim;
    code->walks = code->strides + ndim * nbuffers;
    code->direct = (tile_direct *)(void *)(code->walks + ndim * nbuffers);
    code->result_direct = code->direct + nbuffers;
    return code;
}

static void copy_space(tile_code *code, const program_space *space)
{
    code->ndim = space->ndim;
    code->nreduced = space->nreduced;
    code->nbuffers = space->nbuffers;
    memcpy(code->extents, space->extents, (size_t)space->ndim * sizeof *code->extents);
    for (int b = 0; b < space->nbuffers; ++b) {
        for (int d = 0; d < space->ndim; ++d) {
            int64_t stride = space->strides[b * space->ndim + d];
            code->strides[d * space->nbuffers + b] = code->walks[b * space->ndim + d] = stride;
        }
    }
}

/* Outputs are addressed by the steps that store: tile steps, or after a reduction the last ones. */
static void list_direct(tile_draft *draft)
{
    tile_code *code = draft->code;
    for (int b = 0; b < draft->program->nbuffers; ++b) {
        const program_buffer *buffer = &draft->program->buffers[b];
        if (!draft->addressed[b])
            continue;
        tile_direct direct = {(uint16_t)b, (uint16_t)dtype_itemsize((jg_dtype)buffer->dtype)};
        if (buffer->role == PROGRAM_ROLE_WRITE && draft->reduction >= 0)
            code->result_direct[code->nresult_direct++] = direct;
        else
            code->direct[code->ndirect++] = direct;
    }
}

/* What the run fills serves tiles of the nest and of results alike. */
static void set_fill_counts(tile_code *code)
{
    int64_t longest = code->nest.tile > code->results.tile ? code->nest.tile : code->results.tile;
    for (int i = 0; i < code->run.count; ++i)
        code->run.steps[i].count = (uint16_t)longest;
    for (int i = 0; i < code->row.count; ++i)
        code->row.steps[i].count = (uint16_t)code->nest.tile;
}

jg_status tile_prepare(const jg_program *program, const program_space *space, executor_code **out)
{
    if (!tile_accepts(program))
        return jg_fail(JG_ERR_UNSUPPORTED,
                       "program: tile has no kernel for one of its instructions");
    tile_code *code = alloc_code(program, space);
    tile_draft *draft = base_alloc_zeroed(sizeof *draft);
    if (code == NULL || draft == NULL) {
        base_free(code);
        base_free(draft);
        return base_nomem(sizeof *draft, "a program");
    }
    code->executor = &tile_executor;
    code->kernels = tile_kernels_chosen();
    copy_space(code, space);
    draft->code = code;
    draft->program = program;
    draft->space = space;
    draft->reduction = find_reduction(program, space);
    draft->next = code->run.steps;
    nest_choose(draft);
    assign_values(draft);
    nest_divide(draft);
    set_fill_counts(code);
    list_direct(draft);
    base_free(draft);
    *out = (executor_code *)(void *)code;
    return JG_OK;
}
