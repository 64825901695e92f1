/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of inst.def. */
#include "program/program.h"

#define JG_INST(NAME, name, arity, result, takes, meaning)                                         \
    [PROGRAM_##NAME] = {#name, arity, RESULT_##result, TAKES_##takes},
const program_inst_row program_inst_rows[PROGRAM_OP_COUNT] = {
#include "inst.def"
};
#undef JG_INST

program_op program_combining(program_op reduction)
{
    switch (reduction) {
    case PROGRAM_REDUCE_ADD: return PROGRAM_ADD;
    case PROGRAM_REDUCE_MULTIPLY: return PROGRAM_MULTIPLY;
    case PROGRAM_REDUCE_MAXIMUM: return PROGRAM_MAXIMUM;
    default: return PROGRAM_MINIMUM;
    }
}

/* Functions are contiguous in the table, those of two operands after POWER. */
static bool is_function(program_op op)
{
    return (op >= PROGRAM_EXP && op <= PROGRAM_SIGMOID) || op == PROGRAM_POWER ||
           (op >= PROGRAM_ATAN2 && op <= PROGRAM_LOG_ADD_EXP);
}

int64_t program_steps(const jg_program *program)
{
    enum { FUNCTION_STEPS = 8 }; /* about the cost of a polynomial with its range reduction */
    int64_t steps = 0;
    for (int p = 0; p < program->ninsts; ++p)
        steps += is_function((program_op)program->insts[p].op) ? FUNCTION_STEPS : 1;
    return steps;
}

bool program_stores_rows(const jg_program *program)
{
    for (int p = 0; p < program->ninsts; ++p)
        if (program->insts[p].op == PROGRAM_STORE &&
            program->buffers[program->insts[p].buffer].per_row)
            return true;
    return false;
}

bool program_is_simple(program_op op)
{
    switch (op) {
    case PROGRAM_CAST:
    case PROGRAM_NEGATE:
    case PROGRAM_ABS:
    case PROGRAM_NOT:
    case PROGRAM_ADD:
    case PROGRAM_SUBTRACT:
    case PROGRAM_MULTIPLY:
    case PROGRAM_MAXIMUM:
    case PROGRAM_MINIMUM:
    case PROGRAM_AND:
    case PROGRAM_OR:
    case PROGRAM_XOR:
    case PROGRAM_LESS:
    case PROGRAM_LESS_EQUAL:
    case PROGRAM_EQUAL:
    case PROGRAM_NOT_EQUAL:
    case PROGRAM_SELECT: return true;
    default: return false;
    }
}
