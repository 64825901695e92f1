/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of kernels: elements of arrays, locals, the checks before them, and the records for the
 * host: failures and printed values. */
#include "source/kernel/kernel.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The first failure is kept. A ring holds the printed records: a word with the instruction's
 * position, and the values. */
static const char failing[] =
    "FUNCTION int fails_first(MEMORY uint8_t *frame, uint32_t position)\n"
    "{\n"
    "    if (CAS32(frame, 0u, 1u) != 0u) return 0;\n"
    "    AT(uint32_t, frame + 4) = position;\n"
    "    return 1;\n"
    "}\n"
    "FUNCTION void fail_index(MEMORY uint8_t *frame, uint32_t position, int64_t axis, "
    "int64_t index, int64_t extent)\n"
    "{\n"
    "    if (fails_first(frame, position)) {\n"
    "        AT(int64_t, frame + 64) = axis;\n"
    "        AT(int64_t, frame + 72) = index;\n"
    "        AT(int64_t, frame + 80) = extent;\n"
    "    }\n"
    "}\n";
static const char printing[] =
    "FUNCTION uint32_t take_words(MEMORY uint8_t *frame, uint32_t count)\n"
    "{\n"
    "    uint32_t used = AT(uint32_t, frame + 16);\n"
    "    for (;;) {\n"
    "        if (used + count > %du) {\n"
    "            AT(uint32_t, frame + 20) = 1u;\n"
    "            return 0xffffffffu;\n"
    "        }\n"
    "        const uint32_t found = CAS32(frame + 16, used, used + count);\n"
    "        if (found == used) return used;\n"
    "        used = found;\n"
    "    }\n"
    "}\n";

void source_port_memory_print_functions(port_draft *k)
{
    if (k->text->fails)
        text_add(k->d->out, "%s", failing);
    if (k->text->prints)
        text_add(k->d->out, printing, KERNEL_RING_WORDS);
}

/* Bytes along an axis, if they are known now. */
static bool find_stride(const kernel_array *array, int axis, int64_t *out)
{
    int64_t stride = (int64_t)dtype_itemsize((jg_dtype)array->dtype);
    if (!array->dense) {
        *out = array->strides[axis];
        return array->strides[axis] != KERNEL_GIVEN;
    }
    for (int d = array->ndim - 1; d > axis; --d)
        if (array->extents[d] == KERNEL_GIVEN ||
            __builtin_mul_overflow(stride, array->extents[d], &stride))
            return false;
    *out = stride;
    return true;
}

static void add_array_address(port_draft *k, const kernel_inst *inst)
{
    const kernel_array *array = kernel_array_at(k->kernel, inst->target);
    const kernel_words *words = &k->text->words;
    text_add(k->d->out, "m%" PRIu32 " + (int64_t)block.w[%d]", inst->target,
             words->offsets + (int)inst->target);
    for (int d = 0; d < array->ndim; ++d) {
        int64_t stride;
        port_name index = source_port_value_index(k, kernel_operands(k->kernel, inst)[d]);
        if (find_stride(array, d, &stride))
            text_add(k->d->out, " + %s * %" PRId64, index.text, stride);
        else
            text_add(k->d->out, " + %s * (int64_t)block.w[%d]", index.text,
                     words->strides + k->first_axes[inst->target] + d);
    }
}

static void add_frame_address(port_draft *k, const kernel_inst *inst)
{
    const kernel_local *local = kernel_local_at(k->kernel, inst->target);
    text_add(k->d->out, "frame + %" PRIu32, k->frame + local->frame_offset);
    if (local->length > 0)
        text_add(k->d->out, " + %s * %d",
                 source_port_value_index(k, kernel_operands(k->kernel, inst)[0]).text,
                 (int)dtype_itemsize((jg_dtype)local->dtype));
}

void source_port_memory_address(port_draft *k, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    text_add(k->d->out, "%*sMEMORY uint8_t *const a%" PRIu32 " = ", 4 * k->d->depth, "", position);
    if (kernel_bounds_local(inst->op))
        add_frame_address(k, inst);
    else
        add_array_address(k, inst);
    text_add(k->d->out, ";\n");
}

void source_port_memory_local(port_draft *k, uint32_t position, char *out, size_t nbytes)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    const kernel_local *local = kernel_local_at(k->kernel, inst->target);
    if (local->frame_offset != 0) {
        source_port_memory_address(k, position);
        snprintf(out, nbytes, "AT(%s, a%" PRIu32 ")", source_value_type((jg_dtype)local->dtype),
                 position);
    } else if (local->length > 0) {
        snprintf(out, nbytes, "l%" PRIu32 "[%s]", inst->target,
                 source_port_value_index(k, kernel_operands(k->kernel, inst)[0]).text);
    } else {
        snprintf(out, nbytes, "l%" PRIu32, inst->target);
    }
}

/* Whether the part has the value at the loop's start: it makes it again, takes it or has it. */
static bool has_value(const port_draft *k, uint32_t value, uint32_t loop)
{
    const kernel_inst *inst = source_port_definition(k, value);
    uint32_t position = kernel_value_at(k->kernel, value)->definition;
    if (inst == NULL || inst->op == KERNEL_CONST || inst->op == KERNEL_EXTENT)
        return inst == NULL || position < k->part->first;
    return source_port_is_here(k, position) ? position < loop
                                            : kernel_value_at(k->kernel, value)->frame_offset != 0;
}

static bool has_form(const port_draft *k, const bounds_form *form, uint32_t loop)
{
    for (uint32_t t = 0; t < form->count; ++t)
        if (form->terms[t].value != KERNEL_NONE && (!has_value(k, form->terms[t].value, loop) ||
                                                    k->made[form->terms[t].value] != k->number))
            return false;
    return true;
}

/* Whether a check of a loop's can be printed there: else it is made at the access. */
static bool precedes_loop(const port_draft *k, const bounds_check *check)
{
    if (check->kind != BOUNDS_BEFORE_LOOP || !has_form(k, &check->least, check->loop) ||
        !has_form(k, &check->greatest, check->loop))
        return false;
    for (uint32_t r = 0; r < check->nranges; ++r)
        if (!has_form(k, &check->ranges[r].low, check->loop) ||
            !has_form(k, &check->ranges[r].high, check->loop))
            return false;
    return true;
}

static void add_form(port_draft *k, const bounds_form *form)
{
    text_add(k->d->out, "((int64_t)%" PRId64, form->constant);
    for (uint32_t t = 0; t < form->count; ++t) {
        const bounds_term *term = &form->terms[t];
        text_add(k->d->out, " + (int64_t)%" PRId64 " * ", term->factor);
        if (term->value != KERNEL_NONE)
            text_add(k->d->out, "(%s)", source_port_value_index(k, term->value).text);
        else if (term->type == JG_DTYPE_INT64)
            text_add(k->d->out, "(%s)",
                     source_port_value_extent(k, term->array, (int)term->axis).text);
        else
            text_add(k->d->out, "(int64_t)(int32_t)(%s)",
                     source_port_value_extent(k, term->array, (int)term->axis).text);
    }
    text_add(k->d->out, ")");
}

static port_name limit_of(const port_draft *k, const bounds_check *check)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, check->access);
    port_name name;
    if (!kernel_bounds_local(inst->op))
        return source_port_value_extent(k, inst->target, (int)check->axis);
    snprintf(name.text, sizeof name.text, "(int64_t)%" PRIu32,
             kernel_local_at(k->kernel, inst->target)->length);
    return name;
}

static void check_access(port_draft *k, const bounds_check *check)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, check->access);
    port_name index = source_port_value_index(k, kernel_operands(k->kernel, inst)[check->axis]);
    port_name limit = limit_of(k, check);
    source_write_open(k->d, "if ((uint64_t)(%s) >= (uint64_t)(%s))", index.text, limit.text);
    source_write_line(k->d, "fail_index(frame, %" PRIu32 "u, %" PRIu32 ", %s, %s);", check->access,
                      check->axis, index.text, limit.text);
    source_write_line(k->d, "return;");
    source_write_close(k->d);
}

/* Both ends are reached if all ranges have turns. */
static void check_loop(port_draft *k, const bounds_check *check)
{
    port_name limit = limit_of(k, check);
    source_write_open(k->d, "%s", "");
    text_add(k->d->out, "%*sconst int64_t least = ", 4 * k->d->depth, "");
    add_form(k, &check->least);
    text_add(k->d->out, ", greatest = ");
    add_form(k, &check->greatest);
    text_add(k->d->out, ";\n%*sconst int none = 0", 4 * k->d->depth, "");
    for (uint32_t r = 0; r < check->nranges; ++r) {
        text_add(k->d->out, " || ");
        add_form(k, &check->ranges[r].low);
        text_add(k->d->out, " >= ");
        add_form(k, &check->ranges[r].high);
    }
    text_add(k->d->out, ";\n");
    source_write_open(k->d,
                      "if (!none && ((uint64_t)least >= (uint64_t)(%s) || (uint64_t)greatest >= "
                      "(uint64_t)(%s)))",
                      limit.text, limit.text);
    source_write_line(k->d,
                      "fail_index(frame, %" PRIu32 "u, %" PRIu32
                      ", (uint64_t)least < (uint64_t)(%s) ? greatest : least, %s);",
                      check->access, check->axis, limit.text, limit.text);
    source_write_line(k->d, "return;");
    source_write_close(k->d);
    source_write_close(k->d);
}

void source_port_memory_check(port_draft *k, uint32_t position)
{
    const bounds_check *all = (const bounds_check *)(const void *)k->bounds.checks.data;
    size_t count = k->bounds.checks.nbytes / sizeof *all;
    for (size_t i = 0; i < count; ++i) {
        bool is_early = precedes_loop(k, &all[i]);
        if (is_early && all[i].loop == position)
            check_loop(k, &all[i]);
        else if (!is_early && all[i].access == position)
            check_access(k, &all[i]);
    }
}

static void print_load(port_draft *k, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    const char *type = source_value_type((jg_dtype)inst->to);
    bool is_bool = inst->to == JG_DTYPE_BOOL; /* others' memory may hold any byte for true */
    source_port_memory_address(k, position);
    source_write_line(k->d, "const %s v%" PRIu32 " = %sAT(const %s, a%" PRIu32 ")%s;", type,
                      inst->first, is_bool ? "(uint8_t)(" : "", type, position,
                      is_bool ? " != 0)" : "");
    source_port_value_keep(k, inst);
}

static void print_store(port_draft *k, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    source_port_memory_address(k, position);
    source_write_line(k->d, "AT(%s, a%" PRIu32 ") = v%" PRIu32 ";",
                      source_value_type((jg_dtype)kernel_array_at(k->kernel, inst->target)->dtype),
                      position, kernel_operands(k->kernel, inst)[inst->noperands - 1]);
}

static void print_local(port_draft *k, const kernel_inst *inst)
{
    const kernel_local *local = kernel_local_at(k->kernel, inst->target);
    const char *type = source_value_type((jg_dtype)local->dtype);
    if (local->frame_offset == 0 && local->length > 0)
        source_write_line(k->d, "%s l%" PRIu32 "[%" PRIu32 "] = {0};", type, inst->target,
                          local->length);
    else if (local->frame_offset == 0)
        source_write_line(k->d, "%s l%" PRIu32 " = 0;", type, inst->target);
    else
        source_write_line(
            k->d,
            "for (int64_t i = 0; i < %" PRIu32 "; ++i) AT(%s, frame + %" PRIu32 " + i * %d) = 0;",
            local->length > 0 ? local->length : 1, type, k->frame + local->frame_offset,
            (int)dtype_itemsize((jg_dtype)local->dtype));
}

static void print_get(port_draft *k, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    char local[160];
    source_port_memory_local(k, position, local, sizeof local);
    source_write_line(k->d, "const %s v%" PRIu32 " = %s;", source_value_type((jg_dtype)inst->to),
                      inst->first, local);
    source_port_value_keep(k, inst);
}

static void print_set(port_draft *k, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    char local[160];
    source_port_memory_local(k, position, local, sizeof local);
    source_write_line(k->d, "%s = v%" PRIu32 ";", local,
                      kernel_operands(k->kernel, inst)[inst->noperands - 1]);
}

void source_port_memory_print(port_draft *k, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    switch (inst->op) {
    case KERNEL_LOAD: print_load(k, position); break;
    case KERNEL_STORE: print_store(k, position); break;
    case KERNEL_GET: print_get(k, position); break;
    case KERNEL_SET: print_set(k, position); break;
    default: print_local(k, inst); break;
    }
}

/* The bits of values from operand `first` on, at words of 8 bytes from an address on. */
static void print_values(port_draft *k, const kernel_inst *inst, uint32_t first,
                         const char *address)
{
    const uint32_t *operands = kernel_operands(k->kernel, inst);
    for (uint32_t i = first; i < inst->noperands; ++i) {
        char name[24];
        snprintf(name, sizeof name, "v%" PRIu32, operands[i]);
        port_name bits = source_port_value_bits(source_port_type(k, operands[i]), name);
        source_write_line(k->d, "AT(uint64_t, %s + %" PRIu32 ") = (uint64_t)(%s);", address,
                          8 * (i - first), bits.text);
    }
}

static void print_assert(port_draft *k, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    source_write_open(k->d, "if (v%" PRIu32 " == 0)", kernel_operands(k->kernel, inst)[0]);
    source_write_open(k->d, "if (fails_first(frame, %" PRIu32 "u))", position);
    print_values(k, inst, 1, "frame + 64");
    source_write_close(k->d);
    source_write_line(k->d, "return;");
    source_write_close(k->d);
}

static void print_print(port_draft *k, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    source_write_open(k->d, "%s", "");
    source_write_line(k->d, "const uint32_t at = take_words(frame, %" PRIu32 "u);",
                      1 + inst->noperands);
    source_write_open(k->d, "if (at != 0xffffffffu)");
    source_write_line(k->d, "MEMORY uint8_t *const words = frame + %" PRIu32 " + 8 * (int64_t)at;",
                      k->text->ring);
    source_write_line(k->d, "AT(uint64_t, words) = %" PRIu32 "ul;", position);
    print_values(k, inst, 0, "words + 8");
    source_write_close(k->d);
    source_write_close(k->d);
}

void source_port_memory_print_message(port_draft *k, uint32_t position)
{
    if (kernel_inst_at(k->kernel, position)->op == KERNEL_ASSERT)
        print_assert(k, position);
    else
        print_print(k, position);
}
