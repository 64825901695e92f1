/* SPDX-License-Identifier: Apache-2.0 */
/* A program as text, for people, golden tests and the messages of the verifier. It prints broken
 * programs too, and so trusts no index. */
#include "program/program.h"

static void print_operands(const program_inst *inst, int arity, base_text *out)
{
    for (int i = 0; i < arity; ++i)
        text_add(out, "%s%%%d", i ? ", " : " ", inst->src[i]);
}

static void print_inst(const program_inst *inst, int position, base_text *out)
{
    if (inst->op >= PROGRAM_OP_COUNT) {
        text_add(out, "%%%d = ? %d\n", position, inst->op);
        return;
    }
    const program_inst_row *row = &program_inst_rows[inst->op];
    if (inst->op == PROGRAM_STORE)
        text_add(out, "store b%d,", inst->buffer);
    else
        text_add(out, "%%%d:%s = %s", position, jg_dtype_name((jg_dtype)inst->to), row->name);
    if (row->arity == 0)
        text_add(out, " %s%d", inst->op == PROGRAM_SCALAR ? "s" : "b", inst->buffer);
    print_operands(inst, row->arity, out);
    text_add(out, "\n");
}

void program_print(const jg_program *program, base_text *out)
{
    static const char *const roles[] = {"read", "write", "index"};
    for (int i = 0; i < program->nbuffers; ++i) {
        const program_buffer *buffer = &program->buffers[i];
        text_add(out, "b%d: %s %s%s\n", i,
                 buffer->role < JG_COUNT_OF(roles) ? roles[buffer->role] : "?",
                 jg_dtype_name((jg_dtype)buffer->dtype), buffer->per_row ? ", per row" : "");
    }
    for (int i = 0; i < program->nscalars; ++i)
        text_add(out, "s%d: %s\n", i, jg_dtype_name((jg_dtype)program->scalars[i]));
    for (int i = 0; i < program->ninsts; ++i)
        print_inst(&program->insts[i], i, out);
}
