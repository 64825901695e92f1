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

/* About the cost of a polynomial with its range reduction. Those of float64 are longer, and half as
 * many are in a vector; inverse functions with a logarithm and error functions take two. */
static int64_t function_steps(const program_inst *inst)
{
    enum { FUNCTION_STEPS = 8, OF_WIDE = 3, OF_TWO = 2 };
    bool is_wide = dtype_itemsize((jg_dtype)inst->type) >= sizeof(double);
    bool takes_two = inst->op >= PROGRAM_ASINH && inst->op <= PROGRAM_ERFINV;
    return FUNCTION_STEPS * (is_wide ? OF_WIDE : 1) * (takes_two ? OF_TWO : 1);
}

int64_t program_steps(const jg_program *program)
{
    int64_t steps = 0;
    for (int p = 0; p < program->ninsts; ++p) {
        const program_inst *inst = &program->insts[p];
        steps += is_function((program_op)inst->op) ? function_steps(inst) : 1;
    }
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
    static const bool is_simple[PROGRAM_OP_COUNT] = {
#define JG_INST(NAME, name, arity, result, takes, meaning)
#define JG_SIMPLE(NAME) [PROGRAM_##NAME] = true,
#include "program/inst.def"
#undef JG_INST
    };
    return is_simple[op];
}

bool program_is_exact(program_op op)
{
    static const bool is_exact[PROGRAM_OP_COUNT] = {
#define JG_INST(NAME, name, arity, result, takes, meaning)
#define JG_EXACT(NAME) [PROGRAM_##NAME] = true,
#include "program/inst.def"
#undef JG_INST
    };
    return is_exact[op];
}

bool program_only_moves(program_op op)
{
    static const bool only_moves[PROGRAM_OP_COUNT] = {
#define JG_INST(NAME, name, arity, result, takes, meaning)
#define JG_MOVES(NAME) [PROGRAM_##NAME] = true,
#include "program/inst.def"
#undef JG_INST
    };
    return only_moves[op];
}
