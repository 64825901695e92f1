/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of everything to one result whose elements another tier's code makes.
 *
 * The program is split: what is made and stored for each element becomes a program of its own, with
 * what is reduced as one more result; the maker prepares that. Unit by unit it runs, its results
 * for the reduction go to scratch memory, and the tiles' loop takes them in from there. Elements
 * have the same bits in every tier, and they are added in the same order, so the result has the
 * tiles' bits. */
#include "tile/prepare/prepare.h"
#include <string.h>

enum { CHUNK_UNIT = 64 << 10 }; /* elements; chunks (run/reduce_inner.c) are a multiple of a unit */

static bool is_stored_element(const jg_program *program, const program_inst *inst)
{
    return inst->op == PROGRAM_STORE && !program->buffers[inst->buffer].per_row;
}

static int find_reduction(const jg_program *program)
{
    int p = 0;
    while (!program_is_reduction((program_op)program->insts[p].op))
        p += 1;
    return p;
}

/* The instructions that elements are made with: those that stores of elements and the reduction
 * need. */
static void mark_needed(const jg_program *program, int reduction, bool *needed)
{
    memset(needed, 0, PROGRAM_MAX_INSTS * sizeof *needed);
    needed[program->insts[reduction].src[0]] = true;
    for (int p = program->ninsts - 1; p >= 0; --p) {
        const program_inst *inst = &program->insts[p];
        needed[p] |= is_stored_element(program, inst);
        for (int i = 0; i < program_inst_rows[inst->op].arity && needed[p]; ++i)
            needed[inst->src[i]] = true;
    }
}

/* What was stored once a row has no store left, and counts as read. */
static void forget_rows(jg_program *elements)
{
    for (int b = 0; b < elements->nbuffers; ++b)
        if (elements->buffers[b].per_row)
            elements->buffers[b] =
                (program_buffer){.role = PROGRAM_ROLE_READ, .dtype = elements->buffers[b].dtype};
}

/* Buffers and scalars keep their numbers; those that only the reduction's result uses are left
 * unused. The last buffer holds the elements to reduce. raises: UNSUPPORTED when full */
static jg_status split_elements(const jg_program *program, jg_program *elements)
{
    bool needed[PROGRAM_MAX_INSTS];
    uint16_t moved[PROGRAM_MAX_INSTS];
    int reduction = find_reduction(program), buffer;
    const program_inst *reduces = &program->insts[reduction];
    mark_needed(program, reduction, needed);
    *elements = *program;
    elements->reduces = false;
    forget_rows(elements);
    program_keep(elements, needed, moved);
    JG_TRY(program_add_buffer(elements, PROGRAM_ROLE_WRITE, (jg_dtype)reduces->type, &buffer));
    elements->buffers[buffer].cached = true;
    return elements->ninsts < PROGRAM_MAX_INSTS
               ? program_store(elements, moved[reduces->src[0]], buffer)
               : base_fail(JG_ERR_UNSUPPORTED,
                           "program: got one more instruction than the %d that are allowed",
                           PROGRAM_MAX_INSTS);
}

/* The same loops, of which none is reduced; what is reduced lies dense in their order. */
static program_space *split_space(const program_space *space, int64_t itemsize)
{
    int ndim = space->ndim, last = space->nbuffers;
    program_space *made = base_alloc_zeroed(program_space_nbytes(last + 1, ndim));
    if (made == NULL)
        return NULL;
    memcpy(made, space, program_space_nbytes(last, ndim));
    made->nreduced = 0;
    made->nbuffers = last + 1;
    for (int d = ndim - 1; d >= 0; --d) {
        made->strides[last * ndim + d] = itemsize;
        itemsize *= space->extents[d];
    }
    return made;
}

/* Whether the code reduces one row to one result, and makes something for its elements. */
static bool is_splittable(const tile_code *code)
{
    return code->form == TILE_INNER && code->nest.first == 0 && !code->only_reduces &&
           code->nest.row == code->nest.size && code->nest.size > 0;
}

static jg_status make_elements(tile_code *code, const jg_program *elements,
                               const program_space *space, const program_executor *maker)
{
    if (!maker->accepts(elements))
        return base_fail(
            JG_ERR_UNSUPPORTED,
            "program: %s does not make its elements, allowed are those that it accepts",
            maker->name);
    JG_TRY(maker->prepare(elements, space, &code->elements));
    code->maker = maker;
    code->unit = maker->unit_elements(code->elements);
    if (code->unit == 0 || CHUNK_UNIT % code->unit != 0)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "program: got units of %lld elements, allowed are those that divide %d",
                         (long long)code->unit, CHUNK_UNIT);
    code->scratch_nbytes += size_whole_lines((size_t)code->unit << code->result_size_log);
    return code->scratch_nbytes <= SCRATCH_LIMIT
               ? JG_OK
               : base_fail(JG_ERR_UNSUPPORTED,
                           "program: needs %zu bytes of scratch memory, allowed are %zu",
                           code->scratch_nbytes, SCRATCH_LIMIT);
}

/* The maker is a tier as any other, so it sees only what holds. */
static jg_status verify_split(const jg_program *elements, const program_space *split)
{
    program_reach unused;
    JG_TRY(program_verify(elements));
    return program_space_verify(split, elements, &unused);
}

static jg_status add_elements(tile_code *code, const jg_program *program,
                              const program_space *space, const program_executor *maker)
{
    if (!is_splittable(code))
        return base_fail(JG_ERR_UNSUPPORTED,
                         "program: a row has %lld of %lld elements, allowed is one row that is "
                         "reduced to one result, and makes elements",
                         (long long)code->nest.row, (long long)code->nest.size);
    jg_program *elements = base_alloc(sizeof *elements);
    program_space *split = NULL;
    jg_status status = JG_OK;
    if (elements == NULL)
        return base_nomem(sizeof *elements, "a program");
    JG_TRY_DONE(split_elements(program, elements));
    split = split_space(space, (int64_t)1 << code->result_size_log);
    JG_TRY_DONE(split == NULL ? base_nomem(sizeof *split, "a program") : JG_OK);
    JG_TRY_DONE(verify_split(elements, split));
    status = make_elements(code, elements, split, maker);
done:
    base_free(split);
    base_free(elements);
    return status;
}

jg_status tile_prepare_with(const program_executor *executor, const jg_program *program,
                            const program_space *space, const program_executor *maker,
                            executor_code **out)
{
    executor_code *code;
    JG_TRY(tile_prepare(executor, program, space, &code));
    jg_status status = add_elements((tile_code *)(void *)code, program, space, maker);
    if (status == JG_OK)
        *out = code;
    else
        executor->release(code);
    return status;
}
