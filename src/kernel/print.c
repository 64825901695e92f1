/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel as text. kernel_parse reads it back into the same kernel, bit by bit: floats are written
 * as C's hexadecimal ones unless they are small whole numbers, values without a name by their ids.
 * Broken kernels are printed, too, so no index is trusted. Nothing here depends on the locale. */
#include "kernel/kernel.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A positive finite number: its leading bit, the rest in hexadecimal digits, and the exponent. */
static void print_hex_float(double value, base_text *out)
{
    char digits[16];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & (UINT64_MAX >> 12);
    int exponent = (int)(bits >> 52), length = 13;
    snprintf(digits, sizeof digits, "%013" PRIx64, fraction);
    while (length > 0 && digits[length - 1] == '0')
        length -= 1;
    text_add(out, "0x%d%s%.*sp%+d", exponent != 0, length ? "." : "", length, digits,
             exponent ? exponent - 1023 : -1022);
}

/* NaNs lose sign and payload; "nan" is read back as the quiet one. */
static void print_float(double value, base_text *out)
{
    if (isnan(value)) {
        text_add(out, "nan");
        return;
    }
    if (signbit(value))
        text_add(out, "-");
    value = fabs(value);
    if (isinf(value))
        text_add(out, "inf");
    else if (value < 1e6 && value == floor(value))
        text_add(out, "%d.0", (int)value);
    else
        print_hex_float(value, out);
}

void kernel_print_bits(jg_dtype type, uint64_t bits, base_text *out)
{
    jg_scalar value;
    if (!kernel_has_type(type)) {
        text_add(out, "?");
        return;
    }
    switch (scalar_load(&bits, type, &value)) {
    case JG_KIND_BOOL: text_add(out, value.i64 ? "true" : "false"); break;
    case JG_KIND_INT: text_add(out, "%" PRId64, value.i64); break;
    case JG_KIND_UINT: text_add(out, "%" PRIu64, value.u64); break;
    default: print_float(value.f64, out);
    }
}

static const char *text_at(const kernel_program *kernel, uint32_t text)
{
    return text < kernel->texts.nbytes ? kernel_text(kernel, text) : "?";
}

static void print_value(const kernel_program *kernel, uint32_t value, base_text *out)
{
    if (value < kernel->nvalues && kernel_value_at(kernel, value)->name != 0)
        text_add(out, "%%%s", text_at(kernel, kernel_value_at(kernel, value)->name));
    else
        text_add(out, "%%%" PRIu32, value);
}

static void print_typed_value(const kernel_program *kernel, uint32_t value, unsigned type,
                              base_text *out)
{
    print_value(kernel, value, out);
    text_add(out, ":%s", jg_dtype_name((jg_dtype)type));
}

static const char *array_name(const kernel_program *kernel, uint32_t array)
{
    if (array >= kernel->narrays)
        return "?";
    return text_at(kernel, kernel_array_at(kernel, array)->name);
}

static const char *local_name(const kernel_program *kernel, uint32_t local)
{
    if (local >= kernel->nlocals)
        return "?";
    return text_at(kernel, kernel_local_at(kernel, local)->name);
}

/* The escapes that lexer_quoted reads; all other bytes are unchanged. */
static void print_quoted(const char *text, base_text *out)
{
    text_add(out, "\"");
    for (; *text != '\0'; ++text) {
        if (*text == '\n')
            text_add(out, "\\n");
        else
            text_add(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    text_add(out, "\"");
}

static void print_extents(int count, const int64_t *values, base_text *out)
{
    text_add(out, " [");
    for (int i = 0; i < count; ++i) {
        text_add(out, i ? ", " : "");
        if (values[i] == KERNEL_GIVEN)
            text_add(out, "*");
        else
            text_add(out, "%" PRId64, values[i]);
    }
    text_add(out, "]");
}

static void print_array(const kernel_program *kernel, const kernel_array *array, base_text *out)
{
    int ndim = int_min(array->ndim, KERNEL_MAX_NDIM);
    text_add(out, "array %s %s", text_at(kernel, array->name),
             jg_dtype_name((jg_dtype)array->dtype));
    print_extents(ndim, array->extents, out);
    if (!array->dense)
        print_extents(ndim, array->strides, out);
    bool moved = false;
    for (int d = 0; d < ndim; ++d)
        moved |= array->lowest[d] != 0;
    if (moved) {
        text_add(out, " from");
        print_extents(ndim, array->lowest, out);
    }
    text_add(out, "\n");
}

static void print_scalar(const kernel_program *kernel, const kernel_value *scalar, base_text *out)
{
    text_add(out, "scalar %s %s\n", text_at(kernel, scalar->name),
             jg_dtype_name((jg_dtype)scalar->type));
}

/* One that is 0 is not written. */
static void print_number(const char *word, uint32_t number, base_text *out)
{
    if (number != 0)
        text_add(out, "%s %" PRIu32, word, number);
}

static void print_declarations(const kernel_program *kernel, base_text *out)
{
    text_add(out, "kernel %s%s%s%s", text_at(kernel, kernel->name),
             kernel->fast_math ? " fast_math" : "",
             kernel->checked_all ? " checked all"
             : kernel->checked   ? " checked"
                                 : "",
             kernel->alone ? " alone" : "");
    print_number(" frame", kernel->frame_nbytes, out);
    text_add(out, "\n");
    for (uint32_t i = 0; i < kernel->narrays + kernel->nscalars; ++i) {
        const kernel_parameter *parameter = kernel_parameter_at(kernel, i);
        if (parameter->is_array)
            print_array(kernel, kernel_array_at(kernel, parameter->index), out);
        else
            print_scalar(kernel, kernel_value_at(kernel, parameter->index), out);
    }
    for (uint32_t r = 0; r < kernel->nresults; ++r)
        text_add(out, "result %s\n", jg_dtype_name((jg_dtype)kernel->results[r]));
}

typedef struct operand_list {
    const uint32_t *values;
    uint32_t count;
} operand_list;

/* None where they are outside the pool. */
static operand_list operands_of(const kernel_program *kernel, const kernel_inst *inst)
{
    uint32_t total = (uint32_t)(kernel->operands.nbytes / sizeof(uint32_t));
    if (inst->operands > total || inst->noperands > total - inst->operands)
        return (operand_list){NULL, 0};
    return (operand_list){kernel_operands(kernel, inst), inst->noperands};
}

static void print_values(const kernel_program *kernel, operand_list list, uint32_t from,
                         base_text *out)
{
    for (uint32_t i = from; i < list.count; ++i) {
        text_add(out, " ");
        print_value(kernel, list.values[i], out);
    }
}

/* "x [%i, %k]": the first count operands are indices. */
static void print_target(const kernel_program *kernel, const char *name, operand_list list,
                         uint32_t count, bool brackets, base_text *out)
{
    text_add(out, brackets ? " %s [" : " %s", name);
    for (uint32_t i = 0; i < count; ++i) {
        text_add(out, i ? ", " : "");
        print_value(kernel, list.values[i], out);
    }
    text_add(out, brackets ? "]" : "");
}

/* Bounds come in pairs; half a pair of a broken kernel is left out. A step of 1 and a block of 0
 * are the parser's defaults. */
static void print_ranges(const kernel_program *kernel, const kernel_inst *inst, operand_list list,
                         base_text *out)
{
    for (uint32_t i = 0; 2 * i + 1 < list.count; ++i) {
        text_add(out, i ? ", " : " ");
        print_typed_value(kernel, inst->first + i, inst->type, out);
        text_add(out, " = ");
        print_value(kernel, list.values[2 * i], out);
        text_add(out, " to ");
        print_value(kernel, list.values[2 * i + 1], out);
    }
    if (inst->op == KERNEL_FOR && inst->immediate != 1)
        text_add(out, " step %" PRId64, inst->immediate);
    if (inst->op == KERNEL_PARALLEL && inst->immediate != 0)
        text_add(out, " block %" PRId64, inst->immediate);
}

/* "x [%i] = %v" and the like. A local without indices has no brackets, an array of no axes has: the
 * parser tells them apart by their names and asks for the array's. */
static void print_memory(const kernel_program *kernel, const kernel_inst *inst, operand_list list,
                         base_text *out)
{
    bool array = inst->op == KERNEL_LOAD || inst->op == KERNEL_STORE || inst->op == KERNEL_ATOMIC;
    bool stores = inst->op != KERNEL_LOAD && inst->op != KERNEL_GET && inst->op != KERNEL_POP;
    uint32_t stored = stores ? kernel_nstored(inst) : 0;
    uint32_t count = list.count - (uint_min(stored, list.count));
    const char *name = array ? array_name(kernel, inst->target) : local_name(kernel, inst->target);
    print_target(kernel, name, list, count, array || count > 0, out);
    if (inst->op == KERNEL_STORE || inst->op == KERNEL_SET)
        text_add(out, " =");
    if (stores)
        print_values(kernel, list, count, out);
}

static void print_local(const kernel_program *kernel, const kernel_inst *inst, base_text *out)
{
    text_add(out, " %s %s", local_name(kernel, inst->target), jg_dtype_name((jg_dtype)inst->type));
    if (inst->target < kernel->nlocals && kernel_local_at(kernel, inst->target)->length)
        text_add(out, " %" PRIu32, kernel_local_at(kernel, inst->target)->length);
}

/* Prints the offset in the frame of the local or value that the instruction makes, in a kernel that
 * is cut. */
static void print_frame_offset(const kernel_program *kernel, const kernel_inst *inst,
                               base_text *out)
{
    bool declares = inst->op == KERNEL_LOCAL || inst->op == KERNEL_STACK;
    if (declares && inst->target < kernel->nlocals)
        print_number(" at", kernel_local_at(kernel, inst->target)->frame_offset, out);
    if (inst->nvalues == 1 && inst->first < kernel->nvalues)
        print_number(" at", kernel_value_at(kernel, inst->first)->frame_offset, out);
}

static void print_message(const kernel_program *kernel, const kernel_inst *inst, operand_list list,
                          base_text *out)
{
    uint32_t conditions = inst->op == KERNEL_ASSERT && list.count > 0;
    print_values(kernel, (operand_list){list.values, conditions}, 0, out);
    if (conditions && inst->status != JG_ERR_ASSERT)
        text_add(out, inst->status == JG_ERR_INDEX ? " index" : " value");
    text_add(out, " ");
    print_quoted(text_at(kernel, inst->target), out);
    print_values(kernel, list, conditions, out);
}

static void print_arguments(const kernel_program *kernel, const kernel_inst *inst, base_text *out)
{
    operand_list list = operands_of(kernel, inst);
    switch (inst->op) {
    case KERNEL_CONST:
        text_add(out, " ");
        kernel_print_bits((jg_dtype)inst->to, (uint64_t)inst->immediate, out);
        break;
    case KERNEL_EXTENT:
        text_add(out, " %s %" PRId64, array_name(kernel, inst->target), inst->immediate);
        break;
    case KERNEL_ATOMIC:
    case KERNEL_ATOMIC_LOCAL:
        text_add(out, " %s",
                 inst->atomic < KERNEL_ATOMIC_COUNT ? kernel_atomic_rows[inst->atomic].name : "?");
        print_memory(kernel, inst, list, out);
        break;
    case KERNEL_LOAD:
    case KERNEL_STORE:
    case KERNEL_GET:
    case KERNEL_PUSH:
    case KERNEL_POP:
    case KERNEL_SET: print_memory(kernel, inst, list, out); break;
    case KERNEL_STACK:
    case KERNEL_LOCAL: print_local(kernel, inst, out); break;
    case KERNEL_ASSERT:
    case KERNEL_PRINT: print_message(kernel, inst, list, out); break;
    case KERNEL_PARALLEL:
    case KERNEL_FOR: print_ranges(kernel, inst, list, out); break;
    default: print_values(kernel, list, 0, out);
    }
}

/* Indices of loops are printed with their ranges, all other values before an equals sign. */
void kernel_print_inst(const kernel_program *kernel, uint32_t position, base_text *out)
{
    const kernel_inst *inst = kernel_inst_at(kernel, position);
    bool ranges = inst->op == KERNEL_PARALLEL || inst->op == KERNEL_FOR;
    if (inst->op >= KERNEL_OP_COUNT) {
        text_add(out, "? %d", inst->op);
        return;
    }
    if (inst->nvalues == 1 && !ranges) {
        print_typed_value(kernel, inst->first, inst->to, out);
        text_add(out, " = ");
    }
    if (inst->op == KERNEL_END || inst->op == KERNEL_ELSE)
        text_add(out, inst->op == KERNEL_END ? "}" : "} else");
    else
        text_add(out, "%s", kernel_is_update(inst) ? "update" : kernel_row(inst->op)->name);
    print_arguments(kernel, inst, out);
    if (!ranges)
        print_frame_offset(kernel, inst, out);
    if (kernel_opens(inst->op))
        text_add(out, " {");
    if (inst->line != 0)
        text_add(out, " @%" PRIu32, inst->line);
}

/* A block that closes too often does not move out of the margin. */
void kernel_print(const kernel_program *kernel, base_text *out)
{
    int depth = 1;
    print_declarations(kernel, out);
    text_add(out, "{\n");
    for (uint32_t i = 0; i < kernel->ninsts; ++i) {
        uint16_t op = kernel_inst_at(kernel, i)->op;
        bool closes = op == KERNEL_END || op == KERNEL_ELSE;
        depth -= closes && depth > 1;
        text_add(out, "%*s", 2 * depth, "");
        kernel_print_inst(kernel, i, out);
        text_add(out, "\n");
        depth += kernel_opens(op);
    }
    text_add(out, "}\n");
}
