/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of program.h as checks. Each failure names the instruction that breaks a rule,
 * with the program's line; a failure means that whoever built the program is wrong, not its
 * user. */
#include "program/program.h"

typedef struct verification {
    const jg_program *program;
    int position;  /* of the instruction under test */
    int reduction; /* position of the REDUCE_ instruction, or -1 */
    const char *fault;
    bool uniform[PROGRAM_MAX_INSTS]; /* the value is made of scalars alone */
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
    switch (program_inst_rows[inst->op].result) {
    case RESULT_SAME: return inst->to == inst->type || broken(v, "the result has another type");
    case RESULT_BOOL: return inst->to == JG_DTYPE_BOOL || broken(v, "the result is not bool");
    case RESULT_TO: break;
    }
    return true;
}

/* What stands after a reduction reads nothing but its value and scalars. */
static bool check_after_reduction(verification *v)
{
    const program_inst *inst = &v->program->insts[v->position];
    if (program_is_reduction((program_op)inst->op))
        return broken(v, "a second reduction");
    if (inst->op == PROGRAM_LOAD || inst->op == PROGRAM_INDEX)
        return broken(v, "a load after the reduction");
    for (int i = 0; i < program_inst_rows[inst->op].arity; ++i)
        if (inst->src[i] < v->reduction && !v->uniform[inst->src[i]])
            return broken(v, "an operand from before the reduction");
    return true;
}

static bool check_store(verification *v)
{
    const program_inst *inst = &v->program->insts[v->position];
    if (v->program->reduces && v->reduction < 0)
        return broken(v, "a store before the reduction");
    if (v->reduction >= 0 && inst->src[0] < v->reduction)
        return broken(v, "a store of what stands before the reduction");
    return check_buffer(v, PROGRAM_ROLE_WRITE);
}

static bool check_special(verification *v)
{
    const program_inst *inst = &v->program->insts[v->position];
    switch (inst->op) {
    case PROGRAM_LOAD: return check_buffer(v, PROGRAM_ROLE_READ);
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

static bool check_inst(verification *v)
{
    const program_inst *inst = &v->program->insts[v->position];
    if (inst->op >= PROGRAM_OP_COUNT)
        return broken(v, "no such instruction");
    if (inst->type >= JG_DTYPE_COUNT || inst->to >= JG_DTYPE_COUNT ||
        !dtype_rows[inst->type].computable || !dtype_rows[inst->to].computable)
        return broken(v, "a type that is not computed with");
    if (!check_operands(v) || !check_result(v))
        return false;
    if (v->reduction >= 0 && !check_after_reduction(v))
        return false;
    return check_special(v);
}

static bool is_uniform(const verification *v)
{
    const program_inst *inst = &v->program->insts[v->position];
    int arity = program_inst_rows[inst->op].arity;
    for (int i = 0; i < arity; ++i)
        if (!v->uniform[inst->src[i]])
            return false;
    return arity > 0 || inst->op == PROGRAM_SCALAR;
}

static jg_status report(const verification *v)
{
    base_text text = {0};
    program_print(v->program, &text);
    jg_status status = text_status(&text);
    if (status == JG_OK)
        status = jg_fail(JG_ERR_INTERNAL, "program: instruction %d: %s, in\n%.*s", v->position,
                         v->fault, (int)text.bytes.nbytes, text.bytes.data);
    text_clear(&text);
    return status;
}

jg_status program_verify(const jg_program *program)
{
    verification v;
    v.program = program;
    v.reduction = -1;
    for (v.position = 0; v.position < program->ninsts; ++v.position) {
        if (!check_inst(&v))
            return report(&v);
        v.uniform[v.position] = is_uniform(&v);
        if (program_is_reduction((program_op)program->insts[v.position].op))
            v.reduction = v.position;
    }
    if (program->reduces != (v.reduction >= 0)) {
        v.fault = "the program's mark of a reduction is wrong";
        return report(&v);
    }
    return JG_OK;
}
