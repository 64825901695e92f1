/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions of a flat program as those of a kernel, value by value. */
#include "kernel/flat_build.h"
#include <string.h>

/* The value is read once the call that gives the status has been made. */
static uint32_t made(flat_making *m, jg_status status, const uint32_t *value)
{
    m->status = status;
    return status == JG_OK ? *value : 0;
}

static uint32_t apply(flat_making *m, uint16_t op, uint32_t count, const uint32_t *operands)
{
    uint32_t value = 0;
    if (m->status != JG_OK)
        return 0;
    return made(m, kernel_apply(m->kernel, op, count, operands, &value), &value);
}

uint32_t flat_one(flat_making *m, uint16_t op, uint32_t x)
{
    return apply(m, op, 1, &x);
}

uint32_t flat_two(flat_making *m, uint16_t op, uint32_t x, uint32_t y)
{
    uint32_t operands[2] = {x, y};
    return apply(m, op, 2, operands);
}

uint32_t flat_select(flat_making *m, uint32_t condition, uint32_t x, uint32_t y)
{
    uint32_t operands[3] = {condition, x, y};
    return apply(m, PROGRAM_SELECT, 3, operands);
}

uint32_t flat_append(flat_making *m, const kernel_inst *inst, uint32_t noperands,
                     const uint32_t *operands)
{
    uint32_t value = 0;
    if (m->status != JG_OK)
        return 0;
    return made(m, kernel_append(m->kernel, inst, noperands, operands, &value), &value);
}

/* Between types that kernels compute with. */
uint32_t flat_cast(flat_making *m, uint32_t x, jg_dtype to)
{
    uint32_t value = 0;
    if (m->status != JG_OK)
        return 0;
    return made(m, kernel_cast(m->kernel, x, to, &value), &value);
}

uint32_t flat_bitcast(flat_making *m, uint32_t x, jg_dtype to)
{
    if (m->status != JG_OK)
        return 0;
    kernel_inst inst = {
        .op = KERNEL_BITCAST, .type = kernel_value_at(m->kernel, x)->type, .to = (uint8_t)to};
    return flat_append(m, &inst, 1, &x);
}

uint32_t flat_real(flat_making *m, jg_dtype type, double number)
{
    uint32_t value = 0;
    if (m->status != JG_OK)
        return 0;
    jg_status status =
        kernel_const(m->kernel, type, (jg_scalar){.f64 = number}, JG_KIND_FLOAT, &value);
    return made(m, status, &value);
}

uint32_t flat_whole(flat_making *m, jg_dtype type, int64_t number)
{
    uint32_t value = 0;
    if (m->status != JG_OK)
        return 0;
    jg_status status =
        kernel_const(m->kernel, type, (jg_scalar){.i64 = number}, JG_KIND_INT, &value);
    return made(m, status, &value);
}

bool flat_has_parts(jg_dtype dtype)
{
    return dtype_rows[dtype].kind == JG_KIND_COMPLEX;
}

jg_dtype flat_part(jg_dtype dtype)
{
    if (kernel_has_type(dtype))
        return dtype;
    if (dtype == JG_DTYPE_COMPLEX32)
        return JG_DTYPE_FLOAT16;
    if (dtype == JG_DTYPE_COMPLEX64)
        return JG_DTYPE_FLOAT32;
    if (dtype == JG_DTYPE_COMPLEX128)
        return JG_DTYPE_FLOAT64;
    return flat_is_stored(dtype) ? JG_DTYPE_UINT8 : JG_DTYPE_BOOL;
}

/* offset + sum of index times stride */
static uint32_t loop_index(flat_making *m, int buffer)
{
    const int64_t *strides = m->space->strides + buffer * m->space->ndim;
    uint32_t sum = m->arguments[buffer];
    for (int d = 0; d < m->space->ndim; ++d) {
        uint32_t stride = flat_whole(m, JG_DTYPE_INT64, strides[d]);
        sum = flat_two(m, PROGRAM_ADD, sum, flat_two(m, PROGRAM_MULTIPLY, m->indices[d], stride));
    }
    return sum;
}

/* part: 0 or 1 of a complex number's, else -1. gives: how many indices */
static uint32_t list_indices(flat_making *m, int part, uint32_t *out)
{
    uint32_t count = (uint32_t)m->space->ndim;
    memcpy(out, m->indices, count * sizeof *out);
    if (part >= 0)
        out[count++] = flat_whole(m, JG_DTYPE_INT64, part);
    return count;
}

static uint32_t load_part(flat_making *m, int buffer, int part)
{
    uint32_t indices[KERNEL_MAX_NDIM], value = 0;
    uint32_t count = list_indices(m, part, indices);
    if (m->status != JG_OK)
        return 0;
    return made(m, kernel_load(m->kernel, m->arguments[buffer], count, indices, &value), &value);
}

static flat_number load(flat_making *m, int buffer)
{
    if (!flat_has_parts((jg_dtype)m->program->buffers[buffer].dtype))
        return (flat_number){load_part(m, buffer, -1), KERNEL_NONE};
    uint32_t re = load_part(m, buffer, 0);
    return (flat_number){re, load_part(m, buffer, 1)};
}

static void store_part(flat_making *m, int buffer, int part, uint32_t value)
{
    uint32_t operands[KERNEL_MAX_NDIM + 1];
    uint8_t type = (uint8_t)flat_part((jg_dtype)m->program->buffers[buffer].dtype);
    uint32_t count = list_indices(m, part, operands);
    kernel_inst inst = {
        .op = KERNEL_STORE, .type = type, .to = type, .target = m->arguments[buffer]};
    operands[count] = value;
    flat_append(m, &inst, count + 1, operands);
}

void flat_store(flat_making *m, int position)
{
    const program_inst *inst = &m->program->insts[position];
    flat_number value = m->values[inst->src[0]];
    bool parts = value.im != KERNEL_NONE;
    store_part(m, inst->buffer, parts ? 0 : -1, value.re);
    if (parts)
        store_part(m, inst->buffer, 1, value.im);
}

/* A part of a number as a part of another dtype's. What is only stored passes through float64. */
static uint32_t cast_part(flat_making *m, jg_dtype from, jg_dtype to, uint32_t x)
{
    bool decodes = flat_is_stored(from), encodes = flat_is_stored(to);
    if (from == to)
        return x;
    if (decodes)
        x = flat_decode(m, from, x);
    if (!encodes)
        return flat_cast(m, x, flat_part(to));
    return flat_encode(m, to, flat_cast(m, x, JG_DTYPE_FLOAT64));
}

/* A complex number is true unless both parts are zero, and else becomes its real part. */
static flat_number cast(flat_making *m, jg_dtype from, jg_dtype to, flat_number x)
{
    if (x.im == KERNEL_NONE) {
        flat_number result = {cast_part(m, from, to, x.re), KERNEL_NONE};
        if (flat_has_parts(to))
            result.im = flat_real(m, flat_part(to), 0);
        return result;
    }
    if (flat_has_parts(to)) {
        uint32_t re = flat_cast(m, x.re, flat_part(to));
        return (flat_number){re, flat_cast(m, x.im, flat_part(to))};
    }
    if (to != JG_DTYPE_BOOL)
        return (flat_number){cast_part(m, flat_part(from), to, x.re), KERNEL_NONE};
    uint32_t re = flat_cast(m, x.re, JG_DTYPE_BOOL), im = flat_cast(m, x.im, JG_DTYPE_BOOL);
    return (flat_number){flat_two(m, PROGRAM_OR, re, im), KERNEL_NONE};
}

static uint32_t apply_real(flat_making *m, const program_inst *inst, const flat_number *operands)
{
    uint32_t ids[3];
    uint32_t arity = program_inst_rows[inst->op].arity;
    kernel_inst same = {.op = inst->op, .type = inst->type, .to = inst->to};
    for (uint32_t i = 0; i < arity; ++i)
        ids[i] = operands[i].re;
    return flat_append(m, &same, arity, ids);
}

bool flat_is_same(const program_inst *inst)
{
    bool rounds = inst->op == PROGRAM_FLOOR || inst->op == PROGRAM_CEIL ||
                  inst->op == PROGRAM_TRUNC || inst->op == PROGRAM_ROUND;
    return (rounds && dtype_is_integer((jg_dtype)inst->type)) ||
           (inst->op == PROGRAM_ABS && inst->type == JG_DTYPE_BOOL);
}

flat_number flat_value(flat_making *m, int position)
{
    const program_inst *inst = &m->program->insts[position];
    jg_dtype type = (jg_dtype)inst->type, to = (jg_dtype)inst->to;
    flat_number operands[3] = {{0, KERNEL_NONE}, {0, KERNEL_NONE}, {0, KERNEL_NONE}};
    switch (inst->op) {
    case PROGRAM_LOAD: return load(m, inst->buffer);
    case PROGRAM_SCALAR: return m->scalars[inst->buffer];
    case PROGRAM_INDEX: return (flat_number){loop_index(m, inst->buffer), KERNEL_NONE};
    default: break;
    }
    for (int i = 0; i < program_inst_rows[inst->op].arity; ++i)
        operands[i] = m->values[inst->src[i]];
    if (inst->op == PROGRAM_CAST && (!kernel_has_type(type) || !kernel_has_type(to)))
        return cast(m, type, to, operands[0]);
    if (flat_has_parts(type))
        return flat_complex(m, inst, operands);
    if (!kernel_has_type(type) || flat_is_same(inst)) /* what is only stored is copied */
        return operands[0];
    return (flat_number){apply_real(m, inst, operands), KERNEL_NONE};
}
