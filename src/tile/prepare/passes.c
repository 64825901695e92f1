/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting a program that reduces and then looks at the elements again into passes over a row.
 *
 * A pass runs tile by tile over a row and feeds reductions; what these give is known before the
 * next pass. An instruction for each element is computed in the passes that need it: again and
 * again if it is cheap, at most CHEAP simple operations on what lies in memory anyway, so that
 * doing it twice costs no more than storing and loading it. Anything more expensive, such as exp,
 * is computed in the first of those passes, and kept in scratch memory for the others as long as
 * what is kept of a row stays in the second-level cache.
 *
 * The passes are written as a program of their own, in which each instruction is in one pass: what
 * is computed in two passes is in it twice. Stores for each element are in the last pass: the
 * output may be the memory of a buffer that earlier passes read. */
#include "tile/prepare/prepare.h"

enum {
    MAX_PASSES = 16,
    CHEAP = 2,               /* simple operations */
    CHEAP_NBYTES = 16 << 10, /* kept of a row, if it is cheap */
    DEAR = 100,              /* the cost of any other operation */
    GATHERED = CHEAP + 1,    /* the cost of a load that is not in place */
    KEPT_NBYTES = 512 << 10  /* kept of a row */
};

typedef struct pass_value {
    uint8_t rank;    /* program_rank in this space */
    uint8_t stage;   /* the number of passes that must have been before it is known */
    uint8_t cost;    /* of computing it once more */
    bool in_place;   /* a load that takes no instruction */
    uint32_t passes; /* for rank element: the passes that compute it; otherwise whether it is
                        needed */
    uint16_t copy;   /* its latest position in the new program */
} pass_value;

/* kept_nbytes: of a row's values that later passes read again. */
typedef struct pass_draft {
    tile_draft *draft;
    const jg_program *program;
    int npasses;
    size_t kept_nbytes;
    pass_value values[PROGRAM_MAX_INSTS];
} pass_draft;

static const program_inst *inst_of(const pass_draft *passes, int position)
{
    return &passes->program->insts[position];
}

static int arity_of(const program_inst *inst)
{
    return program_inst_rows[inst->op].arity;
}

static bool reduces(const program_inst *inst)
{
    return program_is_reduction((program_op)inst->op);
}

/* Stored once for the row. */
static bool is_row_store(const pass_draft *passes, const program_inst *inst)
{
    return inst->op == PROGRAM_STORE && passes->program->buffers[inst->buffer].per_row;
}

/* A buffer that is dense under a tile costs nothing to read again. Any other buffer is gathered,
 * which costs more than keeping its values. */
static void learn_source(pass_draft *passes, const program_inst *inst, pass_value *value)
{
    const tile_draft *draft = passes->draft;
    value->rank = RANK_UNIFORM;
    if (inst->op == PROGRAM_SCALAR)
        return;
    if (tile_nest_moves_in_tile(draft, inst->buffer))
        value->rank = RANK_ELEMENT;
    else if (tile_nest_moves(draft, inst->buffer))
        value->rank = RANK_ROW;
    value->in_place = inst->op == PROGRAM_LOAD && value->rank == RANK_ELEMENT &&
                      tile_nest_is_dense(draft, &draft->code->nest, inst->buffer);
    value->cost = value->rank < RANK_ELEMENT || value->in_place ? 0 : GATHERED;
}

/* The cost adds up over operands that are elements: repeating the instruction repeats them. A
 * reduction's result is known one pass later than its operand. */
static void learn_result(pass_draft *passes, const program_inst *inst, pass_value *value)
{
    int cost = inst->op == PROGRAM_COPY ? 0 : program_is_simple((program_op)inst->op) ? 1 : DEAR;
    for (int i = 0; i < arity_of(inst); ++i) {
        const pass_value *operand = &passes->values[inst->src[i]];
        value->rank = operand->rank > value->rank ? operand->rank : value->rank;
        value->stage = operand->stage > value->stage ? operand->stage : value->stage;
        cost += operand->rank == RANK_ELEMENT ? operand->cost : 0;
    }
    value->cost = (uint8_t)(int_min(cost, DEAR));
    if (reduces(inst)) {
        value->rank = RANK_ROW;
        value->stage += 1;
    }
}

/* gives: false for a program with more passes than the executor has. Instructions come after their
 * operands, so one walk is enough. */
static bool learn_values(pass_draft *passes)
{
    int last = 1;
    for (int p = 0; p < passes->program->ninsts; ++p) {
        const program_inst *inst = inst_of(passes, p);
        pass_value *value = &passes->values[p];
        *value = (pass_value){0};
        if (arity_of(inst) == 0)
            learn_source(passes, inst, value);
        else
            learn_result(passes, inst, value);
        int npasses = value->stage;
        if (inst->op == PROGRAM_STORE && !is_row_store(passes, inst))
            npasses += 1;
        last = int_max(npasses, last);
        if (last > MAX_PASSES)
            return false;
    }
    passes->npasses = last;
    return true;
}

static uint32_t lowest_bit(uint32_t bits)
{
    return bits & (~bits + 1);
}

/* Called from the last user to the first, so that the passes of all users are known. What is kept
 * is computed in the first of its passes alone. */
static void keep_or_repeat(pass_draft *passes, const program_inst *inst, pass_value *value)
{
    size_t nbytes = (size_t)passes->draft->code->nest.size * dtype_itemsize((jg_dtype)inst->to);
    size_t limit = value->cost <= CHEAP ? CHEAP_NBYTES : KEPT_NBYTES;
    if (value->rank < RANK_ELEMENT || value->cost == 0 ||
        lowest_bit(value->passes) == value->passes || passes->kept_nbytes + nbytes > limit)
        return;
    passes->kept_nbytes += nbytes;
    value->passes = lowest_bit(value->passes);
}

/* Marks the passes in which the operands of a needed instruction are needed. */
static void need_operands(pass_draft *passes, const program_inst *inst, const pass_value *value)
{
    uint32_t when = value->passes;
    if (reduces(inst))
        when = 1u << (value->stage - 1);
    for (int i = 0; i < arity_of(inst); ++i)
        passes->values[inst->src[i]].passes |= when;
}

/* Backwards, so that an instruction's passes are known before those of its operands. */
static void choose_passes(pass_draft *passes)
{
    for (int p = passes->program->ninsts - 1; p >= 0; --p) {
        const program_inst *inst = inst_of(passes, p);
        pass_value *value = &passes->values[p];
        if (inst->op == PROGRAM_STORE)
            value->passes = 1u << (passes->npasses - 1);
        if (value->passes == 0)
            continue;
        if (inst->op != PROGRAM_STORE && !reduces(inst))
            keep_or_repeat(passes, inst, value);
        need_operands(passes, inst, value);
    }
}

/* Whether the instruction is computed at the level, where RUN is 0, and pass k is between the row
 * levels k and k + 1. */
static bool is_at(const pass_draft *passes, int position, int level)
{
    const program_inst *inst = inst_of(passes, position);
    const pass_value *value = &passes->values[position];
    int last = LEVEL_ROW + 2 * passes->npasses;
    if (value->passes == 0)
        return false;
    if (is_row_store(passes, inst))
        return level == last;
    if (reduces(inst))
        return level == LEVEL_TILE + 2 * (value->stage - 1);
    if (inst->op != PROGRAM_STORE && value->rank == RANK_UNIFORM)
        return level == LEVEL_RUN;
    if (inst->op != PROGRAM_STORE && value->rank == RANK_ROW)
        return level == LEVEL_ROW + 2 * value->stage;
    uint32_t when = value->in_place ? lowest_bit(value->passes) : value->passes;
    return level >= LEVEL_TILE && level % 2 == 0 && (when >> (level - LEVEL_TILE) / 2 & 1);
}

static int count_insts(const pass_draft *passes)
{
    int count = 0;
    for (int level = 0; level <= LEVEL_ROW + 2 * passes->npasses; ++level)
        for (int p = 0; p < passes->program->ninsts; ++p)
            count += is_at(passes, p, level);
    return count;
}

/* Copies the instructions of one level, in their order, with operands by their new numbers: those
 * of earlier levels have been copied before. */
static void write_level(pass_draft *passes, int level, program_inst *insts)
{
    tile_draft *draft = passes->draft;
    for (int p = 0; p < passes->program->ninsts; ++p) {
        if (!is_at(passes, p, level))
            continue;
        program_inst *inst = &insts[draft->ninsts];
        *inst = *inst_of(passes, p);
        for (int i = 0; i < arity_of(inst); ++i)
            inst->src[i] = passes->values[inst->src[i]].copy;
        draft->values[draft->ninsts].level = (uint8_t)(reduces(inst) ? level + 1 : level);
        passes->values[p].copy = (uint16_t)draft->ninsts++;
    }
}

jg_status tile_passes_write(tile_draft *draft)
{
    pass_draft *passes = base_alloc(sizeof *passes);
    jg_status status = JG_OK;
    if (passes == NULL)
        return base_nomem(sizeof *passes, "a program");
    *passes = (pass_draft){.draft = draft, .program = draft->program};
    program_inst *insts;
    if (!learn_values(passes)) {
        status = base_fail(JG_ERR_UNSUPPORTED,
                           "program: got one more pass over a row than the %d that are allowed",
                           MAX_PASSES);
        goto done;
    }
    choose_passes(passes);
    /* The number of instructions is known here: one for every pass that computes it. */
    JG_TRY_DONE(tile_draft_alloc(draft, count_insts(passes), &insts));
    draft->code->npasses = passes->npasses;
    for (int level = 0; level <= LEVEL_ROW + 2 * passes->npasses; ++level)
        write_level(passes, level, insts);
done:
    base_free(passes);
    return status;
}
