/* SPDX-License-Identifier: Apache-2.0 */
/* Appending to a program. The types of an instruction follow from its operands here; verify.c
 * checks whether they go together, so that building costs little. Every byte of an instruction is
 * set: programs are compared and hashed as memory. */
#include "program/program.h"

void program_init(jg_program *program)
{
    program->ninsts = program->nbuffers = program->nscalars = 0;
    program->reduces = false;
}

/* Works in place: writing never passes reading. */
void program_keep(jg_program *program, const bool *kept, uint16_t *moved)
{
    int count = 0;
    for (int i = 0; i < program->ninsts; ++i) {
        program_inst inst = program->insts[i];
        if (!kept[i])
            continue;
        for (int j = 0; j < program_inst_rows[inst.op].arity; ++j)
            inst.src[j] = moved[inst.src[j]];
        moved[i] = (uint16_t)count;
        program->insts[count++] = inst;
    }
    program->ninsts = count;
}

static jg_status append(jg_program *program, program_inst inst, int *out)
{
    if (program->ninsts == PROGRAM_MAX_INSTS)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "program: got one more instruction than the %d that are allowed",
                         PROGRAM_MAX_INSTS);
    *out = program->ninsts++;
    program->insts[*out] = inst;
    return JG_OK;
}

jg_status program_add_buffer(jg_program *program, program_role role, jg_dtype dtype, int *out)
{
    if (program->nbuffers == PROGRAM_MAX_BUFFERS)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "program: got one more buffer than the %d that are allowed",
                         PROGRAM_MAX_BUFFERS);
    *out = program->nbuffers++;
    program->buffers[*out] = (program_buffer){.role = (uint8_t)role, .dtype = (uint8_t)dtype};
    return JG_OK;
}

jg_status program_add_scalar(jg_program *program, jg_dtype dtype, int *out)
{
    if (program->nscalars == PROGRAM_MAX_SCALARS)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "program: got one more scalar than the %d that are allowed",
                         PROGRAM_MAX_SCALARS);
    *out = program->nscalars++;
    program->scalars[*out] = (uint8_t)dtype;
    return JG_OK;
}

/* LOAD, INDEX and SCALAR: a value of the type of what they name, which is there already. */
static jg_status append_source(jg_program *program, program_op op, int index, uint8_t type,
                               int *out)
{
    program_inst inst = {.op = (uint8_t)op, .type = type, .to = type, .buffer = (uint8_t)index};
    return append(program, inst, out);
}

jg_status program_load(jg_program *program, int buffer, int *out)
{
    return append_source(program, PROGRAM_LOAD, buffer, program->buffers[buffer].dtype, out);
}

jg_status program_load_at(jg_program *program, int buffer, int nbytes, int *out)
{
    program_inst inst = {.op = PROGRAM_LOAD_AT,
                         .type = (uint8_t)program_type_of(program, nbytes),
                         .to = program->buffers[buffer].dtype,
                         .buffer = (uint8_t)buffer,
                         .src = {(uint16_t)nbytes}};
    return append(program, inst, out);
}

jg_status program_index(jg_program *program, int buffer, int *out)
{
    return append_source(program, PROGRAM_INDEX, buffer, JG_DTYPE_INT64, out);
}

jg_status program_scalar(jg_program *program, int scalar, int *out)
{
    return append_source(program, PROGRAM_SCALAR, scalar, program->scalars[scalar], out);
}

jg_dtype program_type_of(const jg_program *program, int value)
{
    return (jg_dtype)program->insts[value].to;
}

jg_status program_apply(jg_program *program, program_op op, int nsrc, const int *src, int *out)
{
    program_inst inst = {.op = (uint8_t)op};
    for (int i = 0; i < nsrc; ++i)
        inst.src[i] = (uint16_t)src[i];
    inst.type = (uint8_t)program_type_of(program, src[op == PROGRAM_SELECT ? 1 : 0]);
    inst.to = (uint8_t)program_result_type(op, (jg_dtype)inst.type);
    JG_TRY(append(program, inst, out));
    program->reduces |= program_is_reduction(op);
    return JG_OK;
}

jg_status program_cast(jg_program *program, int src, jg_dtype to, int *out)
{
    jg_dtype type = program_type_of(program, src);
    if (type == to) {
        *out = src;
        return JG_OK;
    }
    program_inst inst = {PROGRAM_CAST, (uint8_t)type, (uint8_t)to, 0, {(uint16_t)src}};
    return append(program, inst, out);
}

jg_status program_store(jg_program *program, int src, int buffer)
{
    int position;
    uint8_t type = (uint8_t)program_type_of(program, src);
    program_inst inst = {
        PROGRAM_STORE, type, program->buffers[buffer].dtype, (uint8_t)buffer, {(uint16_t)src}};
    return append(program, inst, &position);
}
