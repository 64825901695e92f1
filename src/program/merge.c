/* SPDX-License-Identifier: Apache-2.0 */
/* Value numbering: what a program computes twice it computes once.
 *
 * Two instructions make the same value if their bytes are the same once their operands are named
 * by the first instruction that makes each: nothing that a program reads changes while it runs,
 * and every instruction but a store is a function of its operands alone. So merging changes no bit
 * of a result. */
#include "program/program.h"
#include <string.h>

enum { TABLE_SIZE = 2 * PROGRAM_MAX_INSTS }; /* at most half full, so a search ends */

/* Finds instructions by their bytes; a slot holds a position and 1, or 0 if it is free. */
typedef struct inst_table {
    uint16_t slots[TABLE_SIZE];
} inst_table;

/* The position of the first instruction with inst's bytes, which is next where there was none. */
static int find_or_add(inst_table *table, const jg_program *program, const program_inst *inst,
                       int next)
{
    size_t at = hash_bytes(inst, sizeof *inst) % TABLE_SIZE;
    for (; table->slots[at] != 0; at = (at + 1) % TABLE_SIZE) {
        int position = table->slots[at] - 1;
        if (memcmp(&program->insts[position], inst, sizeof *inst) == 0)
            return position;
    }
    table->slots[at] = (uint16_t)(next + 1);
    return next;
}

static bool only_names_a_source(const program_inst *inst)
{
    return inst->op == PROGRAM_LOAD || inst->op == PROGRAM_INDEX || inst->op == PROGRAM_SCALAR;
}

/* Works in place: writing never passes reading. Stores are kept as they are. */
int program_merge(jg_program *program)
{
    inst_table table = {0};
    uint16_t kept[PROGRAM_MAX_INSTS];
    int count = 0, nmerged = 0;
    for (int i = 0; i < program->ninsts; ++i) {
        program_inst inst = program->insts[i];
        for (int j = 0; j < program_inst_rows[inst.op].arity; ++j)
            inst.src[j] = kept[inst.src[j]];
        int position =
            inst.op == PROGRAM_STORE ? count : find_or_add(&table, program, &inst, count);
        kept[i] = (uint16_t)position;
        if (position == count)
            program->insts[count++] = inst;
        else
            nmerged += !only_names_a_source(&inst);
    }
    program->ninsts = count;
    return nmerged;
}
