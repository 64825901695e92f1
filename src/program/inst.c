/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of inst.def. */
#include "program/program.h"

#define JG_INST(NAME, name, arity, result, takes, meaning)                                         \
    [PROGRAM_##NAME] = {#name, arity, RESULT_##result, TAKES_##takes},
const program_inst_row program_inst_rows[PROGRAM_OP_COUNT] = {
#include "inst.def"
};
#undef JG_INST
