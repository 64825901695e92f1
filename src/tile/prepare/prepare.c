/* SPDX-License-Identifier: Apache-2.0 */
/* Making code of a program and its space: one block of memory that holds everything run needs. */
#include "tile/prepare/prepare.h"
#include <string.h>

/* Sources and stores are copies, which know itemsizes only. */
static bool has_loop(const tile_loops *loops, const program_inst *inst)
{
    switch (inst->op) {
    case PROGRAM_LOAD:
    case PROGRAM_SCALAR:
    case PROGRAM_INDEX:
    case PROGRAM_STORE: return true;
    case PROGRAM_CAST: return loops->cast[inst->type][inst->to] != NULL;
    default: break;
    }
    if (program_is_reduction((program_op)inst->op))
        return loops->reductions[inst->op - PROGRAM_REDUCE_ADD][inst->type].fold != NULL;
    return loops->apply[inst->op][inst->type] != NULL;
}

/* A program without buffers has no result. */
/* The number of the first instruction without a loop, or that of all. */
static int count_with_loops(const jg_program *program)
{
    const tile_loops *loops = tile_loops_chosen();
    int p = 0;
    while (p < program->ninsts && has_loop(loops, &program->insts[p]))
        ++p;
    return p;
}

bool tile_accepts(const jg_program *program)
{
    return count_with_loops(program) == program->ninsts && program->nbuffers > 0;
}

static int find_reduction(const jg_program *program, const program_space *space)
{
    for (int p = 0; space->nreduced > 0 && p < program->ninsts; ++p)
        if (program_is_reduction((program_op)program->insts[p].op))
            return p;
    return -1;
}

/* The struct, followed by the memory that it points to: the steps (two for an instruction: itself
 * and its FILL, or a bool's copy and its store), the loops, the two lists of buffers, and the data
 * of passes. The parts are in order of decreasing alignment. */
static jg_status alloc_code(tile_draft *draft)
{
    const tile_code *made = draft->code;
    size_t ninsts = (size_t)draft->ninsts, ndim = (size_t)draft->space->ndim;
    size_t nbuffers = (size_t)draft->program->nbuffers, npasses = (size_t)made->npasses + 1;
    size_t nbytes = sizeof *made + 2 * ninsts * sizeof(tile_step) + npasses * sizeof(tile_pass) +
                    ninsts * (sizeof(tile_fold) + sizeof(tile_kept)) +
                    (ndim + 2 * ndim * nbuffers) * sizeof(int64_t) +
                    2 * nbuffers * sizeof(tile_direct);
    tile_code *code = base_alloc_zeroed(nbytes);
    if (code == NULL)
        return base_nomem(nbytes, "a program");
    *code = *made;
    draft->code = code;
    draft->next = code->run.steps = (tile_step *)(void *)(code + 1);
    code->passes = (tile_pass *)(void *)(draft->next + 2 * ninsts);
    code->folds = (tile_fold *)(void *)(code->passes + npasses);
    code->kept = (tile_kept *)(void *)(code->folds + ninsts);
    code->extents = (int64_t *)(void *)(code->kept + ninsts);
    code->strides = code->extents + ndim;
    code->walks = code->strides + ndim * nbuffers;
    code->direct = (tile_direct *)(void *)(code->walks + ndim * nbuffers);
    code->result_direct = code->direct + nbuffers;
    return JG_OK;
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

/* Buffers are addressed by tile steps, or, of the results of a reduction, by the last ones. */
static void list_direct(tile_draft *draft)
{
    tile_code *code = draft->code;
    for (int b = 0; b < draft->program->nbuffers; ++b) {
        const program_buffer *buffer = &draft->program->buffers[b];
        if (!draft->addressed[b])
            continue;
        tile_direct direct = {(uint16_t)b, (uint16_t)dtype_itemsize((jg_dtype)buffer->dtype)};
        if (tile_stores_results(draft, b))
            code->result_direct[code->nresult_direct++] = direct;
        else
            code->direct[code->ndirect++] = direct;
    }
}

static void set_counts(const tile_steps *fills, int64_t count)
{
    for (int i = 0; i < fills->count; ++i)
        fills->steps[i].count = (uint16_t)count;
}

/* Values that run steps fill are read by tiles of the nest and of results. */
static void set_fill_counts(tile_code *code)
{
    int64_t longest = int64_max(code->nest.tile, code->results.tile);
    set_counts(&code->run, longest);
    set_counts(&code->row, code->nest.tile);
    for (int i = 0; i < code->npasses; ++i)
        set_counts(&code->passes[i].before, code->nest.tile);
}

/* Several passes rewrite the program, with values that are cheap computed in each; all other forms
 * run it as it is. */
static jg_status take_insts(tile_draft *draft)
{
    program_inst *insts = NULL;
    if (draft->code->form == TILE_ROWS)
        return tile_passes_write(draft);
    JG_TRY(tile_draft_alloc(draft, draft->program->ninsts, &insts));
    draft->ninsts = draft->program->ninsts;
    memcpy(insts, draft->program->insts, (size_t)draft->ninsts * sizeof *insts);
    return JG_OK;
}

/* Slots are assigned before the nest is divided, as a tile's length depends on the number of
 * slots. */
static jg_status make_code(tile_draft *draft, executor_code **out)
{
    JG_TRY(take_insts(draft));
    JG_TRY(alloc_code(draft));
    copy_space(draft->code, draft->space);
    tile_assign_values(draft);
    tile_nest_divide(draft);
    set_fill_counts(draft->code);
    list_direct(draft);
    *out = (executor_code *)(void *)draft->code;
    return JG_OK;
}

/* The order is fixed: loops before levels, levels before registers, registers before the length of
 * tiles, which are as long as scratch memory lets them be. */
jg_status tile_prepare(const program_executor *executor, const jg_program *program,
                       const program_space *space, executor_code **out)
{
    if (!tile_accepts(program))
        return base_fail(JG_ERR_UNSUPPORTED,
                         "program: has %d buffers and %d instructions, of which tile has loops for "
                         "the first %d, allowed are one buffer or more, and loops for all",
                         program->nbuffers, program->ninsts, count_with_loops(program));
    tile_code made = {.executor = executor, .loops = tile_loops_chosen()};
    tile_draft draft = {.code = &made, .program = program, .space = space};
    draft.reduction = find_reduction(program, space);
    tile_nest_choose(&draft);
    jg_status status = make_code(&draft, out);
    base_free(draft.memory);
    return status;
}
