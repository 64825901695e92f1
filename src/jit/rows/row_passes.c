/* SPDX-License-Identifier: Apache-2.0 */
/* The passes over a row for code that processes whole rows: they decide which values are computed
 * in which pass.
 *
 * The passes are those of the tiles (src/tile/prepare/passes.c): the result of a reduction is known
 * before the next pass. A value is computed again in each pass that needs it if that takes a few
 * simple instructions, which cost less in registers than a store and a load; otherwise it is kept
 * in the frame. Operands of maxima and minima are kept as well, unless they are in memory anyway:
 * they may be read again (fold.c).
 *
 * A program whose results would differ in bits from the tiles' is refused: one with a row longer
 * than a tile if it is not clear whether the tiles sum it tile by tile. */
#include "jit/rows/rows.h"

enum {
    CHEAP = 4,             /* simple instructions */
    DEAR = 100,            /* the cost of any other */
    MAX_INSTS = 48,        /* with more the tiles might be shorter */
    KEPT_NBYTES = 64 << 10 /* of the frame */
};

static jg_status refuse(const char *what)
{
    return base_fail(JG_ERR_UNSUPPORTED, "rows: %s", what);
}

static bool reduces(const program_inst *inst)
{
    return program_is_reduction((program_op)inst->op);
}

static bool is_extremum(const program_inst *inst)
{
    return inst->op == PROGRAM_REDUCE_MAXIMUM || inst->op == PROGRAM_REDUCE_MINIMUM;
}

static void learn_source(const jg_program *program, const jit_rows *rows, const program_inst *inst,
                         row_value *value)
{
    if (inst->op == PROGRAM_SCALAR)
        return;
    bool still = rows->still[inst->buffer] || program->buffers[inst->buffer].per_row;
    value->rank = still ? RANK_ROW : RANK_ELEMENT;
    value->cost = inst->op == PROGRAM_INDEX;
}

static jg_status learn_result(row_passes *passes, const program_inst *inst, row_value *value)
{
    int cost = inst->op == PROGRAM_COPY ? 0 : program_is_simple((program_op)inst->op) ? 1 : DEAR;
    for (int i = 0; i < program_inst_rows[inst->op].arity; ++i) {
        const row_value *operand = &passes->values[inst->src[i]];
        value->rank = (uint8_t)(int_max(operand->rank, value->rank));
        value->stage = (uint8_t)(int_max(operand->stage, value->stage));
        cost += operand->rank == RANK_ELEMENT ? operand->cost : 0;
    }
    value->cost = (uint8_t)(int_min(cost, DEAR));
    if (!reduces(inst))
        return JG_OK;
    if (value->rank != RANK_ELEMENT || inst->type != JG_DTYPE_FLOAT32 ||
        inst->op == PROGRAM_REDUCE_MULTIPLY)
        return refuse("a reduction that is not compiled");
    value->rank = RANK_ROW;
    value->stage += 1;
    return JG_OK;
}

static bool stores_elements(const jg_program *program, const program_inst *inst)
{
    return inst->op == PROGRAM_STORE && !program->buffers[inst->buffer].per_row;
}

static jg_status learn_values(const jg_program *program, const jit_rows *rows, row_passes *passes)
{
    for (int p = 0; p < program->ninsts; ++p) {
        const program_inst *inst = &program->insts[p];
        row_value *value = &passes->values[p];
        if (program_inst_rows[inst->op].arity == 0)
            learn_source(program, rows, inst, value);
        else
            JG_TRY(learn_result(passes, inst, value));
        int needed = value->stage + stores_elements(program, inst);
        passes->npasses = int_max(needed, passes->npasses);
        if (passes->npasses > ROW_MAX_PASSES)
            return refuse("too many passes");
    }
    return JG_OK;
}

int jit_row_passes_source(const jg_program *program, const row_passes *passes, int position)
{
    const program_inst *inst = &program->insts[position];
    for (; inst->op == PROGRAM_COPY && inst->type != JG_DTYPE_BOOL;
         inst = &program->insts[position])
        position = inst->src[0];
    bool loads = inst->op == PROGRAM_LOAD && passes->values[position].rank == RANK_ELEMENT;
    return loads ? inst->buffer : -1;
}

static bool needs_memory(const jg_program *program, const row_passes *passes, int position)
{
    for (int p = position + 1; p < program->ninsts; ++p)
        if (is_extremum(&program->insts[p]) && program->insts[p].src[0] == position)
            return jit_row_passes_source(program, passes, position) < 0;
    return false;
}

/* Users come first, so all passes that need the value are known. */
static void choose_kept(const jg_program *program, const jit_rows *rows, row_passes *passes,
                        int position)
{
    row_value *value = &passes->values[position];
    const program_inst *inst = &program->insts[position];
    bool several = (value->uses & (value->uses - 1)) != 0;
    if (value->rank != RANK_ELEMENT || inst->op == PROGRAM_LOAD || inst->op == PROGRAM_STORE ||
        !((several && value->cost > CHEAP) || needs_memory(program, passes, position)))
        return;
    value->keeps = true;
    value->kept = passes->kept_nbytes;
    size_t nbytes = (size_t)rows->reduced * dtype_itemsize((jg_dtype)inst->to);
    passes->kept_nbytes += (int64_t)size_whole_lines(nbytes);
}

static void choose_passes(const jg_program *program, const jit_rows *rows, row_passes *passes)
{
    for (int p = program->ninsts - 1; p >= 0; --p) {
        const program_inst *inst = &program->insts[p];
        row_value *value = &passes->values[p];
        if (inst->op == PROGRAM_STORE)
            value->uses = 1u << (passes->npasses - 1);
        if (value->uses == 0)
            continue;
        choose_kept(program, rows, passes, p);
        uint32_t when = value->keeps ? value->uses & (~value->uses + 1) : value->uses;
        if (reduces(inst))
            when = 1u << (value->stage - 1);
        for (int i = 0; i < program_inst_rows[inst->op].arity; ++i)
            passes->values[inst->src[i]].uses |= when;
    }
}

static int count_users(const jg_program *program, int position)
{
    int count = 0;
    for (int p = position + 1; p < program->ninsts; ++p)
        for (int i = 0; i < program_inst_rows[program->insts[p].op].arity; ++i)
            count += program->insts[p].src[i] == position;
    return count;
}

/* Whether the tiles take the operand of a reduction from memory: as it is or, of a sum, as a
 * product of two such. */
static jg_status is_read(const jg_program *program, const row_passes *passes,
                         const program_inst *inst, bool *out)
{
    int operand = inst->src[0];
    const program_inst *made = &program->insts[operand];
    *out = jit_row_passes_source(program, passes, operand) >= 0;
    if (*out || inst->op != PROGRAM_REDUCE_ADD || made->op != PROGRAM_MULTIPLY ||
        jit_row_passes_source(program, passes, made->src[0]) < 0 ||
        jit_row_passes_source(program, passes, made->src[1]) < 0)
        return JG_OK;
    if (count_users(program, operand) > 1)
        return refuse("a long row of products that are used again");
    *out = true;
    return JG_OK;
}

/* The tiles take in a row at once where nothing is computed in a pass. In a row of one tile both
 * are the same. */
static jg_status find_whole(const jg_program *program, const jit_rows *rows, row_passes *passes)
{
    passes->whole = ~0u;
    if (rows->reduced <= ROW_TILE)
        return JG_OK;
    for (int p = 0; p < program->ninsts; ++p) {
        const program_inst *inst = &program->insts[p];
        bool read = !stores_elements(program, inst);
        int pass = passes->npasses - 1;
        if (reduces(inst)) {
            JG_TRY(is_read(program, passes, inst, &read));
            pass = passes->values[p].stage - 1;
        }
        if (!read)
            passes->whole &= ~(1u << pass);
    }
    return JG_OK;
}

jg_status jit_row_passes_find(const jg_program *program, const jit_rows *rows, row_passes *out)
{
    *out = (row_passes){0};
    if (program->ninsts > MAX_INSTS)
        return refuse("too many instructions");
    JG_TRY(learn_values(program, rows, out));
    choose_passes(program, rows, out);
    if (out->kept_nbytes > KEPT_NBYTES)
        return refuse("too long");
    return find_whole(program, rows, out);
}
