/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of compiled code: the program as bytes. What the code does not depend on is left out: names,
 * texts and lines, so that a kernel that only moves in its file is found again. */
#include "jit/host.h"
#include <string.h>

/* Zeroed before it is filled, so that padding compares equal. Which values an instruction defines
 * follows from how many, as they are numbered in order. */
typedef struct inst_key {
    int64_t immediate;
    uint32_t target, match, noperands;
    uint16_t op;
    uint8_t type, to, atomic, nvalues, unused[2];
} inst_key;

static bool names_text(uint16_t op)
{
    return op == KERNEL_ASSERT || op == KERNEL_PRINT;
}

static jg_status write_inst(base_vec *key, const kernel_program *kernel, const kernel_inst *inst)
{
    inst_key row;
    memset(&row, 0, sizeof row);
    row.immediate = inst->immediate;
    row.target = names_text(inst->op) ? 0 : inst->target;
    row.match = inst->match;
    row.noperands = inst->noperands;
    row.op = inst->op;
    row.type = inst->type;
    row.to = inst->to;
    row.atomic = inst->atomic;
    row.nvalues = inst->nvalues;
    JG_TRY(vec_append(key, &row, sizeof row));
    return vec_append(key, kernel_operands(kernel, inst), inst->noperands * sizeof(uint32_t));
}

static jg_status write_array(base_vec *key, const kernel_array *array)
{
    uint8_t row[3] = {array->dtype, array->ndim, array->dense};
    size_t nbytes = array->ndim * sizeof(int64_t);
    JG_TRY(vec_append(key, row, sizeof row));
    JG_TRY(vec_append(key, array->extents, nbytes));
    return array->dense ? JG_OK : vec_append(key, array->strides, nbytes);
}

static jg_status write_local(base_vec *key, const kernel_local *local)
{
    uint32_t row[3] = {local->dtype, local->length, local->stack};
    return vec_append(key, row, sizeof row);
}

jg_status jit_key_write_kernel(base_vec *key, const kernel_program *kernel, unsigned flags)
{
    uint32_t counts[] = {flags,           kernel->fast_math, kernel->narrays,
                         kernel->nlocals, kernel->nscalars,  kernel->ninsts};
    JG_TRY(vec_append(key, counts, sizeof counts));
    for (uint32_t a = 0; a < kernel->narrays; ++a)
        JG_TRY(write_array(key, kernel_array_at(kernel, a)));
    for (uint32_t l = 0; l < kernel->nlocals; ++l)
        JG_TRY(write_local(key, kernel_local_at(kernel, l)));
    for (uint32_t v = 0; v < kernel->nscalars; ++v)
        JG_TRY(vec_append(key, &kernel_value_at(kernel, v)->type, 1));
    for (uint32_t p = 0; p < kernel->ninsts; ++p)
        JG_TRY(write_inst(key, kernel, kernel_inst_at(kernel, p)));
    return JG_OK;
}

/* No kernel has as many flags as the first word says. Unused entries of a program's tables are left
 * out. */
jg_status jit_key_write_rows(base_vec *key, const jg_program *program, const jit_rows *rows)
{
    uint32_t counts[] = {~0u, (uint32_t)program->ninsts, (uint32_t)program->nbuffers,
                         (uint32_t)program->nscalars, rows->streams};
    JG_TRY(vec_append(key, counts, sizeof counts));
    JG_TRY(vec_append(key, &rows->reduced, sizeof rows->reduced));
    JG_TRY(vec_append(key, program->insts, (size_t)program->ninsts * sizeof program->insts[0]));
    JG_TRY(vec_append(key, program->scalars, (size_t)program->nscalars));
    for (int b = 0; b < program->nbuffers; ++b) {
        const program_buffer *buffer = &program->buffers[b];
        uint8_t row[] = {buffer->role, buffer->dtype, rows->still[b], buffer->per_row};
        JG_TRY(vec_append(key, row, sizeof row));
    }
    return JG_OK;
}
