/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of inst.def. */
#include "program/program.h"

#define JG_INST(NAME, name, arity, result, meaning)                                                \
    [PROGRAM_##NAME] = {#name, arity, RESULT_##result},
const program_inst_row program_inst_rows[PROGRAM_OP_COUNT] = {
#include "inst.def"
};
#undef JG_INST
