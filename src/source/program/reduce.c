/* SPDX-License-Identifier: Apache-2.0 */
/* Accumulators of reductions. Sums and products of float32 are made in float64; sums of float64,
 * and of float32 where the device has no float64, with their rounding errors beside them. So the
 * error is at most that of pairwise summation, in any order. Pairwise summation of 512 elements
 * makes nine roundings. So with 512 elements or more, eight may be added in float32, which makes
 * seven roundings, before their sum is added in float64. */
#include "source/draft.h"
#include <stdio.h>
#include <string.h>

static jg_dtype wider(const device_facts *facts, jg_dtype type)
{
    if (facts->f64 && type == JG_DTYPE_FLOAT32)
        return JG_DTYPE_FLOAT64;
    return facts->f64 && type == JG_DTYPE_COMPLEX64 ? JG_DTYPE_COMPLEX128 : type;
}

/* Narrow integers are accumulated in 32 bits, which give the same low bits and the same extremum.
 * LLVM 15 miscompiles products and extrema over vectors of bytes. */
static bool is_narrow(jg_dtype type)
{
    return type == JG_DTYPE_BOOL || (dtype_is_integer(type) && dtype_rows[type].bits < 32);
}

reduction_kind source_reduction_of(const device_facts *facts, const program_inst *inst)
{
    jg_dtype type = (jg_dtype)inst->type, part = dtype_real_part(type);
    bool is_float = dtype_is_floating(part);
    bool is_extremum = inst->op == PROGRAM_REDUCE_MAXIMUM || inst->op == PROGRAM_REDUCE_MINIMUM;
    program_inst step = {
        .op = (uint8_t)program_combining((program_op)inst->op), .type = inst->type, .to = inst->to};
    reduction_kind kind = {.nfields = 1, .dtype = type};
    if (!source_value_has_type(facts, type) || source_value_entry(facts, &step) < 0)
        return (reduction_kind){0};
    if (is_narrow(type))
        kind.dtype =
            is_extremum && dtype_rows[type].kind == JG_KIND_INT ? JG_DTYPE_INT32 : JG_DTYPE_UINT32;
    if (is_float && !is_extremum)
        kind.dtype = wider(facts, type);
    if (inst->op == PROGRAM_REDUCE_ADD && is_float && kind.dtype == type) {
        kind.is_exact = true;
        kind.dtype = part;
        kind.nfields = dtype_is_complex(type) ? 4 : 2;
    }
    return kind;
}

int source_reduction_slots(const device_facts *facts, const jg_program *program, int position)
{
    int slots = 0;
    for (int p = 0; p < position; ++p)
        if (program_is_reduction((program_op)program->insts[p].op))
            slots += source_reduction_of(facts, &program->insts[p]).nfields;
    return slots;
}

reduction_fields source_reduction_private(int position, const char *lane)
{
    reduction_fields fields;
    for (int i = 0; i < 4; ++i)
        snprintf(fields.names[i], sizeof fields.names[i], "a%d_%d%s", position, i, lane);
    return fields;
}

/* The neutral element of a minimum or maximum. */
static void extreme(jg_dtype type, bool lowest, char *out, size_t nbytes)
{
    const dtype_row *row = &dtype_rows[type];
    if (type == JG_DTYPE_BOOL)
        snprintf(out, nbytes, lowest ? "0" : "1");
    else if (dtype_is_floating(type))
        snprintf(out, nbytes, lowest ? "-INFINITY" : "INFINITY");
    else if (row->kind == JG_KIND_UINT)
        snprintf(out, nbytes, lowest ? "0" : "(%s)~(uint64_t)0", source_value_type(type));
    else
        snprintf(out, nbytes,
                 lowest ? "(%s)(-(int64_t)(~(uint64_t)0 >> %d) - 1)" : "(%s)(~(uint64_t)0 >> %d)",
                 source_value_type(type), 65 - row->bits);
}

static void neutral(const program_inst *inst, jg_dtype type, char *out, size_t nbytes)
{
    bool is_product = inst->op == PROGRAM_REDUCE_MULTIPLY;
    if (inst->op == PROGRAM_REDUCE_MAXIMUM || inst->op == PROGRAM_REDUCE_MINIMUM)
        extreme(type, inst->op == PROGRAM_REDUCE_MAXIMUM, out, nbytes);
    else if (dtype_is_complex(type))
        snprintf(out, nbytes, "MADE(%s){%d, 0}", source_value_type(type), is_product);
    else
        snprintf(out, nbytes, "%d", is_product);
}

void source_reduction_declare(source_draft *d, int position, int nlanes)
{
    const program_inst *inst = &d->program->insts[position];
    reduction_kind kind = source_reduction_of(d->facts, inst);
    const char *type = source_value_type(kind.dtype);
    char value[64];
    neutral(inst, kind.dtype, value, sizeof value);
    for (int i = 0; i < kind.nfields; ++i) {
        if (nlanes == 0) {
            source_write_line(d, "%s a%d_%d = %s;", type, position, i, value);
            continue;
        }
        source_write_line(d, "%s a%d_%d[%d];", type, position, i, nlanes);
        source_write_line(d, "LANES for (int l = 0; l < %d; ++l) a%d_%d[l] = %s;", nlanes, position,
                          i, value);
    }
}

/* x is a value of the field's dtype. */
static void print_step(source_draft *d, const program_inst *inst, reduction_kind kind,
                       const char *field, const char *x)
{
    program_inst step = {.op = (uint8_t)program_combining((program_op)inst->op),
                         .type = (uint8_t)kind.dtype,
                         .to = (uint8_t)kind.dtype};
    char function[64];
    source_value_function(&step, function, sizeof function);
    source_value_needs(d, function);
    source_write_line(d, "%s = %s(%s, %s);", field, function, field, x);
}

static void exact_name(const source_draft *d, reduction_kind kind, const char *what, char *out,
                       size_t nbytes)
{
    (void)d;
    snprintf(out, nbytes, "EXACT_%s_%s", what,
             kind.dtype == JG_DTYPE_FLOAT64 ? "FLOAT64" : "FLOAT32");
}

static void print_exact_step(source_draft *d, reduction_kind kind, const char *sum,
                             const char *rest, const char *x)
{
    char function[64];
    exact_name(d, kind, "ADD", function, sizeof function);
    source_value_needs(d, function);
    source_write_line(d, "%s(&%s, &%s, %s);", function, sum, rest, x);
}

/* From one dtype to another, or the value itself. */
static void converted(source_draft *d, const char *x, jg_dtype from, jg_dtype to, char *out,
                      size_t nbytes)
{
    program_inst cast = {.op = PROGRAM_CAST, .type = (uint8_t)from, .to = (uint8_t)to};
    char function[64];
    source_value_function(&cast, function, sizeof function);
    if (from != to)
        source_value_needs(d, function);
    snprintf(out, nbytes, from == to ? "%s%s" : "%s(%s)", from == to ? "" : function, x);
}

void source_reduction_step(source_draft *d, int position, const char *lane)
{
    const program_inst *inst = &d->program->insts[position];
    reduction_kind kind = source_reduction_of(d->facts, inst);
    reduction_fields to = source_reduction_private(position, lane);
    char value[32], x[128];
    source_value_name(d, inst->src[0], value, sizeof value);
    if (!kind.is_exact) {
        converted(d, value, (jg_dtype)inst->type, kind.dtype, x, sizeof x);
        print_step(d, inst, kind, to.names[0], x);
        return;
    }
    for (int i = 0; i < kind.nfields; i += 2) {
        snprintf(x, sizeof x, "%s%s", value, kind.nfields == 2 ? "" : i == 0 ? ".re" : ".im");
        print_exact_step(d, kind, to.names[i], to.names[i + 1], x);
    }
}

void source_reduction_merge(source_draft *d, int position, const char *lane,
                            const reduction_fields *from)
{
    const program_inst *inst = &d->program->insts[position];
    reduction_kind kind = source_reduction_of(d->facts, inst);
    reduction_fields to = source_reduction_private(position, lane);
    if (!kind.is_exact) {
        print_step(d, inst, kind, to.names[0], from->names[0]);
        return;
    }
    for (int i = 0; i < kind.nfields; i += 2) {
        print_exact_step(d, kind, to.names[i], to.names[i + 1], from->names[i]);
        source_write_line(d, "%s += %s;", to.names[i + 1], from->names[i + 1]);
    }
}

void source_reduction_finish(source_draft *d, int position, const char *lane)
{
    const program_inst *inst = &d->program->insts[position];
    reduction_kind kind = source_reduction_of(d->facts, inst);
    reduction_fields from = source_reduction_private(position, lane);
    const char *type = source_value_type((jg_dtype)inst->to);
    char name[32], x[400], total[64];
    source_value_name(d, position, name, sizeof name);
    if (!kind.is_exact) {
        converted(d, from.names[0], kind.dtype, (jg_dtype)inst->type, x, sizeof x);
    } else {
        exact_name(d, kind, "TOTAL", total, sizeof total);
        source_value_needs(d, total);
        if (kind.nfields == 2)
            snprintf(x, sizeof x, "%s(%s, %s)", total, from.names[0], from.names[1]);
        else
            snprintf(x, sizeof x, "MADE(%s){%s(a%d_0%s, a%d_1%s), %s(a%d_2%s, a%d_3%s)}", type,
                     total, position, lane, position, lane, total, position, lane, position, lane);
    }
    if (d->lane[0] != '\0')
        source_write_line(d, "%s = %s;", name, x);
    else
        source_write_line(d, "const %s %s = %s;", type, name, x);
}

bool source_reduction_has_parts(const device_facts *facts, const program_inst *inst)
{
    return inst->op == PROGRAM_REDUCE_ADD && inst->type == JG_DTYPE_FLOAT32 &&
           source_reduction_of(facts, inst).dtype == JG_DTYPE_FLOAT64;
}

void source_reduction_part_declare(source_draft *d, int position)
{
    source_write_line(d, "float p%d = 0;", position);
}

void source_reduction_part_step(source_draft *d, int position)
{
    char value[32];
    source_value_name(d, d->program->insts[position].src[0], value, sizeof value);
    source_value_needs(d, "ADD_FLOAT32");
    source_write_line(d, "p%d = ADD_FLOAT32(p%d, %s);", position, position, value);
}

void source_reduction_part_join(source_draft *d, int position, const char *lane)
{
    const program_inst *inst = &d->program->insts[position];
    reduction_kind kind = source_reduction_of(d->facts, inst);
    reduction_fields to = source_reduction_private(position, lane);
    char part[32], x[128];
    snprintf(part, sizeof part, "p%d", position);
    converted(d, part, (jg_dtype)inst->type, kind.dtype, x, sizeof x);
    print_step(d, inst, kind, to.names[0], x);
}

static reduction_fields tree_fields(reduction_kind kind, const char *index)
{
    reduction_fields fields;
    for (int i = 0; i < 4; ++i)
        snprintf(fields.names[i], sizeof fields.names[i], "t_%s_%d[%s]",
                 source_value_type(kind.dtype), i, index);
    return fields;
}

/* One array for each type and field, which reductions use one after the other. */
void source_reduction_declare_tree(source_draft *d, int group)
{
    char declared[8][32];
    int count = 0;
    for (int p = 0; p < d->program->ninsts; ++p) {
        const program_inst *inst = &d->program->insts[p];
        reduction_kind kind = {0};
        if (program_is_reduction((program_op)inst->op))
            kind = source_reduction_of(d->facts, inst);
        for (int i = 0; i < kind.nfields; ++i) {
            char name[32];
            int at = 0;
            snprintf(name, sizeof name, "t_%s_%d", source_value_type(kind.dtype), i);
            while (at < count && strcmp(declared[at % 8], name) != 0)
                ++at;
            if (at < count)
                continue;
            memcpy(declared[count++ % 8], name, sizeof name);
            source_write_line(d, "LOCAL %s %s[%d];", source_value_type(kind.dtype), name, group);
        }
    }
}

void source_reduction_tree(source_draft *d, int position, int group)
{
    reduction_kind kind = source_reduction_of(d->facts, &d->program->insts[position]);
    reduction_fields own = source_reduction_private(position, ""),
                     mine = tree_fields(kind, "ITEM_ID");
    reduction_fields other = tree_fields(kind, "ITEM_ID + s"), first = tree_fields(kind, "0");
    for (int i = 0; i < kind.nfields; ++i)
        source_write_line(d, "%s = %s;", mine.names[i], own.names[i]);
    source_write_line(d, "BARRIER;");
    source_write_open(d, "for (int s = %d; s > 0; s /= 2)", group / 2);
    source_write_open(d, "if (ITEM_ID < s)");
    source_reduction_merge(d, position, "", &other);
    for (int i = 0; i < kind.nfields; ++i)
        source_write_line(d, "%s = %s;", mine.names[i], own.names[i]);
    source_write_close(d);
    source_write_line(d, "BARRIER;");
    source_write_close(d);
    for (int i = 0; i < kind.nfields; ++i)
        source_write_line(d, "%s = %s;", own.names[i], first.names[i]);
    source_write_line(d, "BARRIER;");
}
