/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of inst.def. */
#include "program/program.h"

#define JG_INST(NAME, name, arity, result, takes, meaning)                                         \
    [PROGRAM_##NAME] = {#name, arity, RESULT_##result, TAKES_##takes},
const program_inst_row program_inst_rows[PROGRAM_OP_COUNT] = {
#include "program/inst.def"
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

/* Polynomials of float64 are longer, and half as many are in a vector. */
static int64_t steps_of(const program_inst *inst)
{
    enum { POLYNOMIAL_STEPS = 8, OF_WIDE = 3 };
    static const int npolynomials[PROGRAM_OP_COUNT] = {
#define JG_INST(NAME, name, arity, result, takes, meaning)
#define JG_POLYNOMIALS(NAME, count) [PROGRAM_##NAME] = count,
#include "program/inst.def"
#undef JG_INST
    };
    bool is_wide = dtype_itemsize((jg_dtype)inst->type) >= sizeof(double);
    int count = npolynomials[inst->op];
    return count > 0 ? POLYNOMIAL_STEPS * (is_wide ? OF_WIDE : 1) * count : 1;
}

int64_t program_steps(const jg_program *program)
{
    int64_t steps = 0;
    for (int p = 0; p < program->ninsts; ++p)
        steps += steps_of(&program->insts[p]);
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
