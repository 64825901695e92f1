/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a program after its loads. */
#ifndef JG_TESTS_PROGRAM_STEPS_H
#define JG_TESTS_PROGRAM_STEPS_H

#include "loads.h"

/* Operands beyond the op's arity are not looked at. */
static inline int apply(jg_program *program, program_op op, int x, int y, int z)
{
    int value, operands[] = {x, y, z};
    assert_ok(program_apply(program, op, program_inst_rows[op].arity, operands, &value));
    return value;
}

/* To a buffer of its own, with an element a row where the program reduces. */
static inline void store(jg_program *program, int value)
{
    int buffer;
    assert_ok(
        program_add_buffer(program, PROGRAM_ROLE_WRITE, program_type_of(program, value), &buffer));
    program->buffers[buffer].per_row = program->reduces;
    assert_ok(program_store(program, value, buffer));
}

#endif
