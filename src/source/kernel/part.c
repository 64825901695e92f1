/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the parts of a kernel as kernels of the text: a part's arguments, the loop over a body's
 * indices, and the statements inside. The items of a body share its indices: an item of LANES takes
 * a contiguous run of them, an item of GROUP takes every n-th one, where n is the number of
 * items. */
#include "source/kernel/kernel.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool acts(const kernel_program *kernel, const kernel_inst *inst)
{
    switch (inst->op) {
    case KERNEL_CONST:
    case KERNEL_EXTENT: return false;
    case KERNEL_RETURN: return inst->noperands > 0;
    case KERNEL_LOCAL: return kernel_local_at(kernel, inst->target)->frame_offset != 0;
    default: break;
    }
    return kernel_op_is_statement(inst->op) ||
           kernel_value_at(kernel, inst->first)->frame_offset != 0;
}

bool source_port_part_acts(const kernel_program *kernel, const kernel_part *part)
{
    for (uint32_t p = part->first; p < part->last; ++p)
        if (acts(kernel, kernel_inst_at(kernel, p)))
            return true;
    return false;
}

static bool accesses_array(uint16_t op)
{
    return op == KERNEL_LOAD || op == KERNEL_STORE || op == KERNEL_ATOMIC;
}

uint32_t source_port_part_arrays(const kernel_program *kernel, const kernel_part *part,
                                 uint8_t *taken)
{
    uint32_t count = 0;
    memset(taken, 0, kernel->narrays);
    for (uint32_t p = part->first; p < part->last; ++p) {
        const kernel_inst *inst = kernel_inst_at(kernel, p);
        if (!accesses_array(inst->op) || taken[inst->target])
            continue;
        taken[inst->target] = 1;
        count += 1;
    }
    return count;
}

static bool draws(const port_draft *k)
{
    for (uint32_t p = k->part->first; p < k->part->last; ++p)
        if (kernel_inst_at(k->kernel, p)->op == KERNEL_RANDOM)
            return true;
    return false;
}

static void take_values(port_draft *k)
{
    for (uint32_t p = k->part->first; p < k->part->last; ++p) {
        const kernel_inst *inst = kernel_inst_at(k->kernel, p);
        for (uint32_t i = 0; i < inst->noperands; ++i) {
            uint32_t value = kernel_operands(k->kernel, inst)[i];
            uint32_t position = kernel_value_at(k->kernel, value)->definition;
            if (position == KERNEL_NONE || !source_port_is_here(k, position))
                source_port_value_take(k, value);
        }
    }
}

/* The type in which the bounds of a range are counted. */
static const char *counter_type(jg_dtype type)
{
    return type == JG_DTYPE_UINT64 ? "uint64_t" : "int64_t";
}

/* The index is v<id> of its own type. */
static void define_index(port_draft *k, uint32_t value, const char *expression)
{
    const char *type = source_value_type(source_port_type(k, value));
    source_write_line(k->d, "const %s v%" PRIu32 " = (%s)(%s);", type, value, type, expression);
}

/* Steps of 64-bit indices are counted, as an index might pass the last number. */
static void open_counted(port_draft *k, const kernel_inst *inst, uint32_t position)
{
    const uint32_t *operands = kernel_operands(k->kernel, inst);
    const char *type = counter_type((jg_dtype)inst->type);
    bool up = inst->immediate > 0;
    uint64_t step = up ? (uint64_t)inst->immediate : 0 - (uint64_t)inst->immediate;
    uint32_t from = operands[up ? 0 : 1], to = operands[up ? 1 : 0];
    char expression[96];
    source_write_line(k->d,
                      "const uint64_t n%" PRIu32 " = (%s)v%" PRIu32 " < (%s)v%" PRIu32
                      " ? ((uint64_t)v%" PRIu32 " - (uint64_t)v%" PRIu32 " - 1) / %" PRIu64
                      "ul + 1 : 0;",
                      position, type, from, type, to, to, from, step);
    source_write_open(
        k->d, "for (uint64_t i%" PRIu32 " = 0; i%" PRIu32 " < n%" PRIu32 "; ++i%" PRIu32 ")",
        position, position, position, position);
    snprintf(expression, sizeof expression,
             "(uint64_t)v%" PRIu32 " %c i%" PRIu32 " * %" PRIu64 "ul", operands[0], up ? '+' : '-',
             position, step);
    define_index(k, inst->first, expression);
}

static void open_for(port_draft *k, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    const uint32_t *operands = kernel_operands(k->kernel, inst);
    const char *type = counter_type((jg_dtype)inst->type);
    bool up = inst->immediate > 0;
    char name[32];
    if (dtype_rows[inst->type].bits == 64 && inst->immediate != 1 && inst->immediate != -1) {
        open_counted(k, inst, position);
        return;
    }
    source_write_open(k->d,
                      "for (%s i%" PRIu32 " = (%s)v%" PRIu32 "; i%" PRIu32 " %c (%s)v%" PRIu32
                      "; i%" PRIu32 " += (%s)%" PRId64 ")",
                      type, position, type, operands[0], position, up ? '<' : '>', type,
                      operands[1], position, type, inst->immediate);
    snprintf(name, sizeof name, "i%" PRIu32, position);
    define_index(k, inst->first, name);
}

static void print_return(port_draft *k, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(k->kernel, inst);
    for (uint32_t i = 0; i < inst->noperands; ++i)
        source_write_line(k->d, "AT(%s, frame + %" PRIu32 ") = v%" PRIu32 ";",
                          source_value_type(source_port_type(k, operands[i])),
                          k->text->results + 8 * i, operands[i]);
}

static void print_else(port_draft *k)
{
    k->d->depth -= 1;
    source_write_open(k->d, "} else");
}

static void print_statement(port_draft *k, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    source_port_memory_check(k, position);
    switch (inst->op) {
    case KERNEL_LOAD:
    case KERNEL_STORE:
    case KERNEL_LOCAL:
    case KERNEL_GET:
    case KERNEL_SET: source_port_memory_print(k, position); break;
    case KERNEL_ATOMIC:
    case KERNEL_ATOMIC_LOCAL: source_port_atomic_print(k, position); break;
    case KERNEL_ASSERT:
    case KERNEL_PRINT: source_port_memory_print_message(k, position); break;
    case KERNEL_RANDOM: source_port_value_print_random(k, inst); break;
    case KERNEL_FENCE: source_write_line(k->d, "%s", k->d->dialect->fence); break;
    case KERNEL_FOR: open_for(k, position); break;
    case KERNEL_LOOP: source_write_open(k->d, "for (;;)"); break;
    case KERNEL_IF:
        source_write_open(k->d, "if (v%" PRIu32 " != 0)", kernel_operands(k->kernel, inst)[0]);
        break;
    case KERNEL_ELSE: print_else(k); break;
    case KERNEL_END: source_write_close(k->d); break;
    case KERNEL_BREAK: source_write_line(k->d, "break;"); break;
    case KERNEL_CONTINUE: source_write_line(k->d, "continue;"); break;
    case KERNEL_RETURN: print_return(k, inst); break;
    default: source_port_value_print(k, inst); break;
    }
}

static void print_statements(port_draft *k, uint32_t first, uint32_t last)
{
    for (uint32_t p = first; p < last; ++p)
        print_statement(k, p);
}

static void print_serial(port_draft *k)
{
    bool random = draws(k);
    if (random) {
        source_write_line(k->d, "uint64_t draws = AT(uint64_t, frame + %d);", KERNEL_MEMORY_DRAWS);
        source_write_line(k->d, "const uint64_t counter = 0;");
    }
    print_statements(k, k->part->first, k->part->last);
    if (random)
        source_write_line(k->d, "AT(uint64_t, frame + %d) = draws;", KERNEL_MEMORY_DRAWS);
}

/* low<r> and length<r> of each range, and the count of all indices. */
static void print_ranges(port_draft *k, const kernel_inst *loop)
{
    const uint32_t *operands = kernel_operands(k->kernel, loop);
    const char *type = counter_type((jg_dtype)loop->type);
    for (int r = 0; r < loop->nvalues; ++r) {
        uint32_t low = operands[2 * r], high = operands[2 * r + 1];
        source_write_line(k->d, "const int64_t low%d = (int64_t)v%" PRIu32 ";", r, low);
        source_write_line(k->d,
                          "const int64_t length%d = (%s)v%" PRIu32 " < (%s)v%" PRIu32
                          " ? (int64_t)((uint64_t)v%" PRIu32 " - (uint64_t)v%" PRIu32 ") : 0;",
                          r, type, low, type, high, high, low);
    }
    text_add(k->d->out, "%*sconst int64_t count = length0", 4 * k->d->depth, "");
    for (int r = 1; r < loop->nvalues; ++r)
        text_add(k->d->out, " * length%d", r);
    text_add(k->d->out, ";\n");
}

/* Indices of ranges first to last from the number `line`, which is taken apart. */
static void print_digits(port_draft *k, const kernel_inst *loop, int last)
{
    char expression[64];
    for (int r = last; r >= 0; --r) {
        if (r > 0) {
            source_write_line(k->d, "const int64_t digit%d = rest %% length%d;", r, r);
            source_write_line(k->d, "rest /= length%d;", r);
        } else {
            source_write_line(k->d, "const int64_t digit0 = rest;");
        }
        snprintf(expression, sizeof expression, "low%d + digit%d", r, r);
        define_index(k, loop->first + (uint32_t)r, expression);
    }
}

/* One iteration; its number is n. */
static void print_iteration(port_draft *k)
{
    if (draws(k)) {
        source_write_line(k->d, "uint64_t draws = 0;");
        source_write_line(k->d, "const uint64_t counter = (uint64_t)n;");
    }
    print_statements(k, k->part->first + 1, k->part->last - 1);
}

static void print_group_loop(port_draft *k, const kernel_inst *loop)
{
    source_write_open(k->d, "for (int64_t n = GROUP_ID * GROUP_ITEMS + ITEM_ID; n < count; "
                            "n += items)");
    source_write_line(k->d, "int64_t rest = n;");
    print_digits(k, loop, loop->nvalues - 1);
    print_iteration(k);
    source_write_close(k->d);
}

/* The innermost range is a loop of its own, so that the compiler sees its strides. */
static void print_lanes_loop(port_draft *k, const kernel_inst *loop)
{
    int inner = loop->nvalues - 1;
    char expression[64];
    source_write_line(k->d, "const int64_t run = (count + items - 1) / items;");
    source_write_line(k->d, "const int64_t end = LESSER(GROUP_ID * run + run, count);");
    source_write_open(k->d, "for (int64_t line = GROUP_ID * run; line < end;)");
    source_write_line(k->d, "int64_t rest = line / length%d;", inner);
    source_write_line(k->d, "const int64_t start = line - rest * length%d;", inner);
    source_write_line(k->d, "const int64_t stop = LESSER(length%d, start + (end - line));", inner);
    if (inner > 0)
        print_digits(k, loop, inner - 1);
    source_write_open(k->d, "for (int64_t j = start; j < stop; ++j)");
    source_write_line(k->d, "const int64_t n = line + (j - start);");
    snprintf(expression, sizeof expression, "low%d + j", inner);
    define_index(k, loop->first + (uint32_t)inner, expression);
    print_iteration(k);
    source_write_line(k->d, "(void)n;");
    source_write_close(k->d);
    source_write_line(k->d, "line += stop - start;");
    source_write_close(k->d);
}

static void print_body(port_draft *k)
{
    const kernel_inst *loop = kernel_inst_at(k->kernel, k->part->first);
    source_write_line(k->d, "const int64_t items = (int64_t)block.w[%d];", k->text->words.items);
    print_ranges(k, loop);
    source_port_memory_check(k, k->part->first);
    source_port_atomic_open(k);
    if (k->d->facts->shape == DEVICE_LANES)
        print_lanes_loop(k, loop);
    else
        print_group_loop(k, loop);
    source_port_atomic_close(k);
}

void source_port_part_print(port_draft *k, const kernel_parts *parts, uint32_t number)
{
    char name[24];
    bool varies = k->d->facts->shape == DEVICE_GROUP;
    k->part = kernel_part_at(parts, number);
    k->number = number + 1;
    (void)source_port_part_arrays(k->kernel, k->part, k->taken);
    snprintf(name, sizeof name, "p%" PRIu32, number);
    source_write_kernel(k->d, name, (int)k->kernel->narrays + 1, false,
                        k->part->is_body && varies ? k->text->group : 1);
    source_write_line(k->d, "MEMORY uint8_t *const frame = m%" PRIu32 ";", k->kernel->narrays);
    if (k->text->fails)
        source_write_line(k->d, "if (AT(uint32_t, frame) != 0u) return;");
    take_values(k);
    if (k->part->is_body)
        print_body(k);
    else
        print_serial(k);
    source_write_close(k->d);
}
