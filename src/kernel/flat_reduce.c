/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of a flat program in a kernel's body: locals that the reduced loops carry, one for
 * each part of the number, and behind them the rounding errors of sums of float64. */
#include "kernel/flat_build.h"
#include <math.h>
#include <stdio.h>

static bool is_extremum(const program_inst *inst)
{
    return inst->op == PROGRAM_REDUCE_MAXIMUM || inst->op == PROGRAM_REDUCE_MINIMUM;
}

/* Sums and products of floats are made in float64. */
static jg_dtype carried_type(const program_inst *inst)
{
    jg_dtype part = flat_part((jg_dtype)inst->type);
    return dtype_is_floating(part) && !is_extremum(inst) ? JG_DTYPE_FLOAT64 : part;
}

static uint32_t count_parts(const program_inst *inst)
{
    return flat_has_parts((jg_dtype)inst->type) ? 2 : 1;
}

static bool has_errors(const program_inst *inst)
{
    return inst->op == PROGRAM_REDUCE_ADD && flat_part((jg_dtype)inst->type) == JG_DTYPE_FLOAT64;
}

static uint32_t get(flat_making *m, jg_dtype type, uint32_t local)
{
    kernel_inst inst = {
        .op = KERNEL_GET, .type = (uint8_t)type, .to = (uint8_t)type, .target = local};
    return flat_append(m, &inst, 0, NULL);
}

static void set(flat_making *m, jg_dtype type, uint32_t local, uint32_t value)
{
    kernel_inst inst = {
        .op = KERNEL_SET, .type = (uint8_t)type, .to = (uint8_t)type, .target = local};
    flat_append(m, &inst, 1, &value);
}

/* The neutral element of a minimum or maximum. */
static uint32_t extreme(flat_making *m, jg_dtype type, bool lowest)
{
    const dtype_row *row = &dtype_rows[type];
    uint64_t ones = row->bits == 64 ? UINT64_MAX : ((uint64_t)1 << row->bits) - 1;
    if (dtype_is_floating(type))
        return flat_real(m, type, lowest ? -INFINITY : INFINITY);
    if (row->kind == JG_KIND_UINT)
        return flat_whole(m, type, lowest ? 0 : (int64_t)ones);
    int64_t most = (int64_t)(ones >> 1);
    return flat_whole(m, type, lowest ? -most - 1 : most);
}

/* Sets the initial value of the part; a local is zero already. */
static bool begins_otherwise(flat_making *m, const program_inst *inst, uint32_t part,
                             uint32_t *value)
{
    jg_dtype type = carried_type(inst);
    bool is_bool = type == JG_DTYPE_BOOL;
    if (is_bool && inst->op != PROGRAM_REDUCE_MULTIPLY && inst->op != PROGRAM_REDUCE_MINIMUM)
        return false;
    if (inst->op == PROGRAM_REDUCE_ADD || (inst->op == PROGRAM_REDUCE_MULTIPLY && part != 0))
        return false;
    if (!is_bool && is_extremum(inst))
        *value = extreme(m, type, inst->op == PROGRAM_REDUCE_MAXIMUM);
    else
        *value = dtype_is_floating(type) ? flat_real(m, type, 1) : flat_whole(m, type, 1);
    return true;
}

void flat_begin_reduction(flat_making *m, int position)
{
    const program_inst *inst = &m->program->insts[position];
    jg_dtype type = carried_type(inst);
    uint32_t parts = count_parts(inst), count = parts * (has_errors(inst) ? 2 : 1);
    for (uint32_t i = 0; i < count; ++i) {
        char name[32];
        uint32_t local = 0, value;
        if (m->status != JG_OK)
            return;
        snprintf(name, sizeof name, "r%d_%u", position, i);
        m->status = kernel_add_local(m->kernel, name, type, 0, &local);
        if (i == 0)
            m->sums[position] = local;
        if (i < parts && begins_otherwise(m, inst, i, &value))
            set(m, type, local, value);
    }
}

/* x joins the sum, and the rounding error of that the errors (Knuth's two-sum, any order of
 * sizes). */
static void add_exactly(flat_making *m, uint32_t sum, uint32_t errors, uint32_t x)
{
    uint32_t old = get(m, JG_DTYPE_FLOAT64, sum), next = flat_two(m, PROGRAM_ADD, old, x);
    uint32_t share = flat_two(m, PROGRAM_SUBTRACT, next, old);
    uint32_t lost = flat_two(m, PROGRAM_SUBTRACT, old, flat_two(m, PROGRAM_SUBTRACT, next, share));
    lost = flat_two(m, PROGRAM_ADD, lost, flat_two(m, PROGRAM_SUBTRACT, x, share));
    set(m, JG_DTYPE_FLOAT64, sum, next);
    set(m, JG_DTYPE_FLOAT64, errors,
        flat_two(m, PROGRAM_ADD, get(m, JG_DTYPE_FLOAT64, errors), lost));
}

static void multiply_parts(flat_making *m, uint32_t sum, flat_number x)
{
    uint32_t re = get(m, JG_DTYPE_FLOAT64, sum), im = get(m, JG_DTYPE_FLOAT64, sum + 1);
    uint32_t own = flat_two(m, PROGRAM_SUBTRACT, flat_two(m, PROGRAM_MULTIPLY, re, x.re),
                            flat_two(m, PROGRAM_MULTIPLY, im, x.im));
    uint32_t other = flat_two(m, PROGRAM_ADD, flat_two(m, PROGRAM_MULTIPLY, re, x.im),
                              flat_two(m, PROGRAM_MULTIPLY, im, x.re));
    set(m, JG_DTYPE_FLOAT64, sum, own);
    set(m, JG_DTYPE_FLOAT64, sum + 1, other);
}

void flat_step_reduction(flat_making *m, int position)
{
    const program_inst *inst = &m->program->insts[position];
    jg_dtype type = carried_type(inst);
    uint32_t sum = m->sums[position], parts = count_parts(inst);
    flat_number x = m->values[inst->src[0]];
    uint32_t numbers[2] = {flat_cast(m, x.re, type), 0};
    if (parts == 2)
        numbers[1] = flat_cast(m, x.im, type);
    if (parts == 2 && inst->op == PROGRAM_REDUCE_MULTIPLY) {
        multiply_parts(m, sum, (flat_number){numbers[0], numbers[1]});
        return;
    }
    for (uint32_t i = 0; i < parts; ++i) {
        if (has_errors(inst))
            add_exactly(m, sum + i, sum + parts + i, numbers[i]);
        else
            set(m, type, sum + i,
                flat_two(m, (uint16_t)program_combining((program_op)inst->op),
                         get(m, type, sum + i), numbers[i]));
    }
}

/* The errors of an infinite sum are no numbers: it stays. */
static uint32_t total(flat_making *m, uint32_t sum, uint32_t errors)
{
    uint32_t plain = get(m, JG_DTYPE_FLOAT64, sum), rest = get(m, JG_DTYPE_FLOAT64, errors);
    return flat_select(m, flat_one(m, KERNEL_IS_NAN, rest), plain,
                       flat_two(m, PROGRAM_ADD, plain, rest));
}

void flat_finish_reduction(flat_making *m, int position)
{
    const program_inst *inst = &m->program->insts[position];
    jg_dtype type = carried_type(inst), part = flat_part((jg_dtype)inst->type);
    uint32_t sum = m->sums[position], parts = count_parts(inst), numbers[2] = {0, KERNEL_NONE};
    for (uint32_t i = 0; i < parts; ++i) {
        numbers[i] = has_errors(inst) ? total(m, sum + i, sum + parts + i) : get(m, type, sum + i);
        numbers[i] = flat_cast(m, numbers[i], part);
    }
    m->values[position] = (flat_number){numbers[0], numbers[1]};
}
