/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of program.h as checks. Each failure names the instruction that breaks a rule, with
 * the program's line; a failure means that the builder of the program is wrong, not the user of
 * joggle. */
#include "program/program.h"

typedef struct verification {
    const jg_program *program;
    int position; /* of the instruction under test */
    bool reduces; /* a REDUCE_ instruction has been met */
    const char *fault;
    uint8_t ranks[PROGRAM_MAX_INSTS]; /* program_rank */
} verification;

static bool broken(verification *v, const char *fault)
{
    v->fault = fault;
    return false;
}

static const program_inst *operand(const verification *v, int i)
{
    return &v->program->insts[v->program->insts[v->position].src[i]];
}

static bool check_buffer(verification *v, program_role role)
{
    const program_inst *inst = &v->program->insts[v->position];
    if (inst->buffer >= v->program->nbuffers)
        return broken(v, "no such buffer");
    if (v->program->buffers[inst->buffer].role != role)
        return broken(v, "the buffer has another role");
    if (v->program->buffers[inst->buffer].dtype != inst->to)
        return broken(v, "the buffer has another dtype");
    return true;
}

/* Positions ascend, so an operand before its user also makes the program free of cycles. */
static bool check_operands(verification *v)
{
    const program_inst *inst = &v->program->insts[v->position];
    int arity = program_inst_rows[inst->op].arity;
    for (int i = 0; i < arity; ++i) {
        if (inst->src[i] >= v->position)
            return broken(v, "an operand does not stand before its user");
        if (operand(v, i)->op == PROGRAM_STORE)
            return broken(v, "an operand is a store, which has no value");
        uint8_t type = inst->op == PROGRAM_SELECT && i == 0 ? JG_DTYPE_BOOL : inst->type;
        if (operand(v, i)->to != type)
            return broken(v, "an operand has another type");
    }
    return true;
}

static bool check_result(verification *v)
{
    const program_inst *inst = &v->program->insts[v->position];
    program_op op = (program_op)inst->op;
    if (program_inst_rows[op].result == RESULT_TO ||
        inst->to == program_result_type(op, (jg_dtype)inst->type))
        return true;
    return broken(v, program_inst_rows[op].result == RESULT_BOOL ? "the result is not bool"
                                                                 : "the result has another type");
}

static bool check_store(verification *v)
{
    const program_inst *inst = &v->program->insts[v->position];
    if (!check_buffer(v, PROGRAM_ROLE_WRITE))
        return false;
    if (v->program->buffers[inst->buffer].per_row && v->ranks[inst->src[0]] == RANK_ELEMENT)
        return broken(v, "a store per row of what every element has its own of");
    return true;
}

static bool check_special(verification *v)
{
    const program_inst *inst = &v->program->insts[v->position];
    switch (inst->op) {
    case PROGRAM_LOAD: return check_buffer(v, PROGRAM_ROLE_READ);
    case PROGRAM_LOAD_AT:
        return check_buffer(v, PROGRAM_ROLE_LOOK_UP) &&
               (inst->type == JG_DTYPE_INT64 || broken(v, "the distance is not an int64"));
    case PROGRAM_INDEX:
        return check_buffer(v, PROGRAM_ROLE_INDEX) &&
               (inst->to == JG_DTYPE_INT64 || broken(v, "the value is not an int64"));
    case PROGRAM_SCALAR:
        return (inst->buffer < v->program->nscalars || broken(v, "no such scalar")) &&
               (v->program->scalars[inst->buffer] == inst->to ||
                broken(v, "the scalar has another dtype"));
    case PROGRAM_STORE: return check_store(v);
    default: return true;
    }
}

/* Dtypes that are only stored are loaded, moved, cast and stored. */
static bool is_type_of(const program_inst *inst, jg_dtype type)
{
    if (type >= JG_DTYPE_COUNT)
        return false;
    switch (inst->op) {
    case PROGRAM_LOAD:
    case PROGRAM_LOAD_AT:
    case PROGRAM_CAST:
    case PROGRAM_COPY:
    case PROGRAM_STORE: return dtype_is_castable(type);
    default: return dtype_rows[type].computable;
    }
}

static bool check_inst(verification *v)
{
    const program_inst *inst = &v->program->insts[v->position];
    if (inst->op >= PROGRAM_OP_COUNT)
        return broken(v, "no such instruction");
    if (!is_type_of(inst, (jg_dtype)inst->type) || !is_type_of(inst, (jg_dtype)inst->to))
        return broken(v, "a type that is not computed with");
    if (!check_operands(v) || !check_result(v))
        return false;
    return check_special(v);
}

program_rank program_rank_of(const jg_program *program, int position, const uint8_t *ranks)
{
    const program_inst *inst = &program->insts[position];
    if (program_is_reduction((program_op)inst->op))
        return RANK_ROW;
    if (inst->op == PROGRAM_LOAD || inst->op == PROGRAM_LOAD_AT || inst->op == PROGRAM_INDEX)
        return program->buffers[inst->buffer].per_row ? RANK_ROW : RANK_ELEMENT;
    uint8_t rank = RANK_UNIFORM;
    for (int i = 0; i < program_inst_rows[inst->op].arity; ++i)
        rank = ranks[inst->src[i]] > rank ? ranks[inst->src[i]] : rank;
    return (program_rank)rank;
}

bool program_reduces_once(const jg_program *program)
{
    uint8_t ranks[PROGRAM_MAX_INSTS];
    int nreductions = 0;
    for (int p = 0; p < program->ninsts; ++p) {
        const program_inst *inst = &program->insts[p];
        ranks[p] = (uint8_t)program_rank_of(program, p, ranks);
        bool reduces = program_is_reduction((program_op)inst->op);
        bool wide = ranks[p] == RANK_ELEMENT || reduces ||
                    (inst->op == PROGRAM_STORE && !program->buffers[inst->buffer].per_row);
        for (int i = 0; i < program_inst_rows[inst->op].arity; ++i)
            if (wide && ranks[inst->src[i]] == RANK_ROW)
                return false;
        nreductions += reduces;
    }
    return nreductions == 1;
}

/* raises: INTERNAL, or NOMEM for the text */
static jg_status report(const verification *v)
{
    base_text text = {0};
    program_print(v->program, &text);
    jg_status status = text_status(&text);
    if (status == JG_OK)
        status = base_fail(JG_ERR_INTERNAL, "program: instruction %d: %s, in\n%.*s", v->position,
                           v->fault, (int)text.bytes.nbytes, text.bytes.data);
    text_clear(&text);
    return status;
}

/* Rows are what a reduction leaves; without one a buffer per row would be read at the wrong
 * loops. */
static bool check_rows(verification *v)
{
    for (int b = 0; b < v->program->nbuffers && !v->reduces; ++b)
        if (v->program->buffers[b].per_row)
            return broken(v, "a buffer per row where nothing is reduced");
    return true;
}

jg_status program_verify(const jg_program *program)
{
    verification v;
    v.program = program;
    v.reduces = false;
    for (v.position = 0; v.position < program->ninsts; ++v.position) {
        if (!check_inst(&v))
            return report(&v);
        v.ranks[v.position] = (uint8_t)program_rank_of(program, v.position, v.ranks);
        v.reduces |= program_is_reduction((program_op)program->insts[v.position].op);
    }
    if (program->reduces != v.reduces) {
        v.fault = "the program's mark of a reduction is wrong";
        return report(&v);
    }
    return check_rows(&v) ? JG_OK : report(&v);
}
