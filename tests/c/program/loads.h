/* SPDX-License-Identifier: Apache-2.0 */
/* Programs for tests, written by hand. */
#ifndef JG_TESTS_PROGRAM_LOADS_H
#define JG_TESTS_PROGRAM_LOADS_H

#include "../support.h"
#include "program/program.h"

/* Loads from one more buffer that the program reads. gives: the instruction's position */
static inline int add_load(jg_program *program, jg_dtype dtype)
{
    int buffer, position;
    assert_ok(program_add_buffer(program, PROGRAM_ROLE_READ, dtype, &buffer));
    assert_ok(program_load(program, buffer, &position));
    return position;
}

#endif
