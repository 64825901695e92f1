/* SPDX-License-Identifier: Apache-2.0 */
/* Values of kernels: scalar instructions are calls of the prelude's functions, halves go through
 * float32. Indices are computed a second time in 64 bits, as the compiler for the CPU does it
 * (jit/kernel/emit_value.c): where that differs from what the type says, the index is out of
 * bounds, and comparisons that protect it take this number, too. */
#include "source/kernel/kernel.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_signed(jg_dtype type)
{
    return dtype_rows[type].kind == JG_KIND_INT;
}

static bool is_access(uint16_t op)
{
    return op == KERNEL_LOAD || op == KERNEL_STORE || op == KERNEL_ATOMIC ||
           kernel_bounds_local(op);
}

/* How many operands, the first, lead to an element. */
static uint32_t count_indices(const kernel_inst *inst)
{
    if (!is_access(inst->op))
        return 0;
    bool reads = inst->op == KERNEL_LOAD || inst->op == KERNEL_GET;
    return inst->noperands - (reads ? 0 : kernel_nstored(inst));
}

void source_port_values_look(port_draft *k)
{
    for (uint32_t p = k->kernel->ninsts; p-- > 0;) {
        const kernel_inst *inst = kernel_inst_at(k->kernel, p);
        const uint32_t *operands = kernel_operands(k->kernel, inst);
        uint32_t count = count_indices(inst);
        if (inst->nvalues > 0 && k->indexes[inst->first] && kernel_is_linear(inst))
            count = inst->noperands;
        for (uint32_t i = 0; i < inst->noperands; ++i) {
            k->used[operands[i]] = 1;
            k->indexes[operands[i]] |= i < count;
        }
    }
}

/* Whether there is a w<id>. */
static bool is_wide(const port_draft *k, uint32_t value)
{
    const kernel_inst *inst = source_port_definition(k, value);
    return k->indexes[value] && inst != NULL && dtype_rows[inst->to].bits < 64 &&
           kernel_is_linear(inst);
}

port_name source_port_value_index(const port_draft *k, uint32_t value)
{
    port_name name;
    snprintf(name.text, sizeof name.text, is_wide(k, value) ? "w%" PRIu32 : "(int64_t)v%" PRIu32,
             value);
    return name;
}

port_name source_port_value_extent(const port_draft *k, uint32_t array, int axis)
{
    port_name name;
    int64_t extent = kernel_array_at(k->kernel, array)->extents[axis];
    if (extent != KERNEL_GIVEN)
        snprintf(name.text, sizeof name.text, "(int64_t)%" PRId64, extent);
    else
        snprintf(name.text, sizeof name.text, "(int64_t)block.w[%d]",
                 k->text->words.extents + k->first_axes[array] + axis);
    return name;
}

port_name source_port_value_bits(jg_dtype type, const char *name)
{
    port_name out;
    int bits = dtype_rows[type].bits;
    if (dtype_is_single_or_double(type))
        snprintf(out.text, sizeof out.text, "bits_of_f%d(%s)", bits, name);
    else
        snprintf(out.text, sizeof out.text, "(uint%d_t)%s", int_max(bits, 8), name);
    return out;
}

void source_port_value_of_bits(jg_dtype type, const char *bits, char *out, size_t nbytes)
{
    if (type == JG_DTYPE_FLOAT32)
        snprintf(out, nbytes, "f32_of_bits((uint32_t)(%s))", bits);
    else if (type == JG_DTYPE_FLOAT64)
        snprintf(out, nbytes, "f64_of_bits((uint64_t)(%s))", bits);
    else if (type == JG_DTYPE_BOOL)
        snprintf(out, nbytes, "(uint8_t)(((%s) & 255) != 0)", bits);
    else
        snprintf(out, nbytes, "(%s)(%s)", source_value_type(type), bits);
}

/* The function's name: ADD_FLOAT32, FLOAT32_AS_INT8. */
static void name_function(uint16_t op, jg_dtype type, jg_dtype to, char *out, size_t nbytes)
{
    const char *name = dtype_rows[type].name;
    if (op == PROGRAM_CAST)
        snprintf(out, nbytes, "%s_AS_%s", name, dtype_rows[to].name);
    else
        snprintf(out, nbytes, "%s_%s", kernel_row(op)->name, name);
    for (char *at = out; *at != '\0'; ++at)
        *at = (char)toupper((unsigned char)*at);
}

static int find_function(const device_facts *facts, uint16_t op, jg_dtype type, jg_dtype to)
{
    char name[64];
    name_function(op, type, to, name, sizeof name);
    int entry = prelude_find(name);
    return entry >= 0 && prelude_is_wide(entry) && !facts->f64 ? -1 : entry;
}

/* Whether the instruction of halves is one of float32 between casts. */
static bool goes_through_float(const device_facts *facts, uint16_t op, jg_dtype type)
{
    return dtype_is_half(type) && op != PROGRAM_CAST && find_function(facts, op, type, type) < 0;
}

static bool has_function(const device_facts *facts, uint16_t op, jg_dtype type, jg_dtype to)
{
    if (op == KERNEL_BITCAST || (op == PROGRAM_CAST && type == to))
        return true;
    if (goes_through_float(facts, op, type))
        return find_function(facts, op, JG_DTYPE_FLOAT32, JG_DTYPE_FLOAT32) >= 0;
    return find_function(facts, op, type, to) >= 0;
}

__attribute__((format(printf, 3, 4))) static bool
refuse(const kernel_inst *inst, device_refusal *refusal, const char *format, ...)
{
    va_list arguments;
    int length = 0;
    if (inst->line != 0)
        length =
            snprintf(refusal->message, sizeof refusal->message, "line %" PRIu32 ": ", inst->line);
    va_start(arguments, format);
    vsnprintf(refusal->message + length, sizeof refusal->message - (size_t)length, format,
              arguments);
    va_end(arguments);
    return false;
}

static bool takes_inst(const device_facts *facts, const kernel_inst *inst, device_refusal *refusal)
{
    jg_dtype type = (jg_dtype)inst->type, to = (jg_dtype)inst->to;
    const char *name = kernel_row(inst->op)->name;
    if (!source_value_has_type(facts, type) || !source_value_has_type(facts, to))
        return refuse(inst, refusal, "%s: the device has no float64", name);
    if (inst->op == KERNEL_STACK || inst->op == KERNEL_PUSH || inst->op == KERNEL_POP)
        return refuse(inst, refusal, "%s: devices have no stacks, which derivatives of loops need",
                      name);
    bool draws = inst->op == KERNEL_RANDOM && dtype_is_floating(to);
    bool calls = !kernel_op_is_statement(inst->op) || draws;
    return !calls || has_function(facts, inst->op, draws ? to : type, to) ||
           refuse(inst, refusal, "%s of %s cannot be printed%s", name, dtype_rows[type].name,
                  facts->f64 ? "" : " without float64");
}

bool source_port_values_are_taken(const device_facts *facts, const kernel_program *kernel,
                                  device_refusal *refusal)
{
    for (uint32_t a = 0; a < kernel->narrays; ++a)
        if (!source_value_has_type(facts, (jg_dtype)kernel_array_at(kernel, a)->dtype)) {
            snprintf(refusal->message, sizeof refusal->message,
                     "array %s: the device has no float64",
                     kernel_text(kernel, kernel_array_at(kernel, a)->name));
            return false;
        }
    for (uint32_t p = 0; p < kernel->ninsts; ++p) {
        refusal->position = (int)p;
        if (!takes_inst(facts, kernel_inst_at(kernel, p), refusal))
            return false;
    }
    return true;
}

/* f(x, y, z) of the prelude. */
static void print_call(port_draft *k, uint16_t op, jg_dtype type, jg_dtype to, uint32_t count,
                       const char *const *operands, base_text *out)
{
    char function[64];
    name_function(op, type, to, function, sizeof function);
    prelude_reach(k->d->reached, find_function(k->d->facts, op, type, to));
    text_add(out, "%s(", function);
    for (uint32_t i = 0; i < count; ++i)
        text_add(out, "%s%s", i > 0 ? ", " : "", operands[i]);
    text_add(out, ")");
}

static void print_cast(port_draft *k, jg_dtype from, jg_dtype to, const char *operand,
                       base_text *out)
{
    if (from == to)
        text_add(out, "%s", operand);
    else
        print_call(k, PROGRAM_CAST, from, to, 1, &operand, out);
}

/* A text that misses another one has failed with it. */
static void miss(base_text *text, size_t failed_nbytes)
{
    text->failed_nbytes = size_max(text->failed_nbytes, failed_nbytes);
}

/* The same on halves: operands widened, the result rounded unless it is a truth value. */
static void print_half(port_draft *k, uint16_t op, jg_dtype type, uint32_t count,
                       const char *const *operands, base_text *out)
{
    char wide[3][160];
    const char *names[3] = {wide[0], wide[1], wide[2]};
    bool rounds = kernel_row(op)->result != RESULT_BOOL;
    base_text inner = {0};
    for (uint32_t i = 0; i < count; ++i) {
        base_text one = {0};
        print_cast(k, type, JG_DTYPE_FLOAT32, operands[i], &one);
        snprintf(wide[i], sizeof wide[i], "%.*s", (int)one.bytes.nbytes,
                 (const char *)one.bytes.data);
        miss(out, one.bytes.nbytes < sizeof wide[i] ? one.failed_nbytes : one.bytes.nbytes);
        text_clear(&one);
    }
    print_call(k, op, JG_DTYPE_FLOAT32, JG_DTYPE_FLOAT32, count, names, &inner);
    text_add(&inner, "%s", "");
    const char *result = inner.bytes.data;
    if (result != NULL)
        print_cast(k, rounds ? JG_DTYPE_FLOAT32 : type, type, result, out);
    miss(out, inner.failed_nbytes);
    text_clear(&inner);
}

static void print_applied(port_draft *k, uint16_t op, jg_dtype type, jg_dtype to, uint32_t count,
                          const char *const *operands, base_text *out)
{
    if (op == PROGRAM_CAST)
        print_cast(k, type, to, operands[0], out);
    else if (goes_through_float(k->d->facts, op, type))
        print_half(k, op, type, count, operands, out);
    else
        print_call(k, op, type, to, count, operands, out);
}

void source_port_value_combine(port_draft *k, uint16_t op, jg_dtype type, const char *x,
                               const char *y, char *out, size_t nbytes)
{
    const char *operands[2] = {x, y};
    base_text text = {0};
    print_applied(k, op, type, type, 2, operands, &text);
    snprintf(out, nbytes, "%.*s", (int)text.bytes.nbytes, (const char *)text.bytes.data);
    miss(k->d->out, text.failed_nbytes);
    text_clear(&text);
}

/* Declares the value; the expression follows. */
static void declare(port_draft *k, uint32_t value)
{
    text_add(k->d->out, "%*sconst %s v%" PRIu32 " = ", 4 * k->d->depth, "",
             source_value_type(source_port_type(k, value)), value);
}

static void print_const(port_draft *k, uint32_t value, uint64_t bits)
{
    jg_dtype type = source_port_type(k, value);
    char number[32], expression[96];
    if (dtype_rows[type].bits < 64)
        bits &= ~(~UINT64_C(0) << dtype_rows[type].bits);
    snprintf(number, sizeof number,
             dtype_rows[type].bits > 32 ? "0x%" PRIx64 "ul" : "0x%" PRIx64 "u", bits);
    source_port_value_of_bits(type, number, expression, sizeof expression);
    declare(k, value);
    text_add(k->d->out, "%s;\n", expression);
}

static void print_scalar(port_draft *k, uint32_t value)
{
    char word[48], expression[128];
    snprintf(word, sizeof word, "block.w[%d]", k->text->words.scalars + (int)value);
    source_port_value_of_bits(source_port_type(k, value), word, expression, sizeof expression);
    declare(k, value);
    text_add(k->d->out, "%s;\n", expression);
}

static void print_extent(port_draft *k, const kernel_inst *inst)
{
    declare(k, inst->first);
    text_add(k->d->out, "%s;\n",
             source_port_value_extent(k, inst->target, (int)inst->immediate).text);
}

/* An integer lies in the frame as its exact number. */
static void take_from_frame(port_draft *k, uint32_t value)
{
    jg_dtype type = source_port_type(k, value);
    uint32_t at = k->frame + kernel_value_at(k->kernel, value)->frame_offset;
    const char *name = source_value_type(type);
    if (is_wide(k, value)) {
        source_write_line(k->d, "const int64_t w%" PRIu32 " = AT(int64_t, frame + %" PRIu32 ");",
                          value, at);
        source_write_line(k->d, "const %s v%" PRIu32 " = (%s)w%" PRIu32 ";", name, value, name,
                          value);
        return;
    }
    source_write_line(k->d, "const %s v%" PRIu32 " = AT(%s, frame + %" PRIu32 ");", name, value,
                      name, at);
}

void source_port_value_take(port_draft *k, uint32_t value)
{
    const kernel_inst *inst = source_port_definition(k, value);
    if (k->made[value] == k->number)
        return;
    k->made[value] = k->number;
    if (inst == NULL)
        print_scalar(k, value);
    else if (inst->op == KERNEL_CONST)
        print_const(k, value, (uint64_t)inst->immediate);
    else if (inst->op == KERNEL_EXTENT)
        print_extent(k, inst);
    else
        take_from_frame(k, value);
}

/* Products and sums of 64 bits wrap. */
static void print_wide(port_draft *k, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(k->kernel, inst);
    const char *sign = inst->op == PROGRAM_ADD ? "+" : inst->op == PROGRAM_SUBTRACT ? "-" : "*";
    port_name x = source_port_value_index(k, operands[0]);
    if (inst->op == PROGRAM_CAST) {
        source_write_line(k->d, "const int64_t w%" PRIu32 " = %s;", inst->first, x.text);
        return;
    }
    port_name y = source_port_value_index(k, operands[1]);
    source_write_line(k->d,
                      "const int64_t w%" PRIu32 " = (int64_t)((uint64_t)(%s) %s (uint64_t)(%s));",
                      inst->first, x.text, sign, y.text);
}

void source_port_value_keep(port_draft *k, const kernel_inst *inst)
{
    uint32_t offset = kernel_value_at(k->kernel, inst->first)->frame_offset, value = inst->first;
    const char *type = source_value_type(source_port_type(k, value));
    bool wide = is_wide(k, value);
    if (wide)
        print_wide(k, inst);
    if (offset == 0)
        return;
    source_write_line(k->d, "AT(%s, frame + %" PRIu32 ") = %s%" PRIu32 ";", wide ? "int64_t" : type,
                      k->frame + offset, wide ? "w" : "v", value);
}

/* One of the operands has an exact number of its own. */
static bool compares_exactly(const port_draft *k, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(k->kernel, inst);
    return kernel_is_comparison(inst->op) && is_signed((jg_dtype)inst->type) &&
           (is_wide(k, operands[0]) || is_wide(k, operands[1]));
}

static void print_comparison(port_draft *k, const kernel_inst *inst)
{
    static const char *const signs[] = {[PROGRAM_LESS] = "<",
                                        [PROGRAM_LESS_EQUAL] = "<=",
                                        [PROGRAM_EQUAL] = "==",
                                        [PROGRAM_NOT_EQUAL] = "!="};
    const uint32_t *operands = kernel_operands(k->kernel, inst);
    declare(k, inst->first);
    text_add(k->d->out, "(uint8_t)(%s %s %s);\n", source_port_value_index(k, operands[0]).text,
             signs[inst->op], source_port_value_index(k, operands[1]).text);
}

static void print_bitcast(port_draft *k, const kernel_inst *inst)
{
    char name[24], expression[128];
    snprintf(name, sizeof name, "v%" PRIu32, kernel_operands(k->kernel, inst)[0]);
    port_name bits = source_port_value_bits((jg_dtype)inst->type, name);
    source_port_value_of_bits((jg_dtype)inst->to, bits.text, expression, sizeof expression);
    declare(k, inst->first);
    text_add(k->d->out, "%s;\n", expression);
}

static void print_apply(port_draft *k, const kernel_inst *inst)
{
    const uint32_t *ids = kernel_operands(k->kernel, inst);
    char names[3][24];
    const char *operands[3] = {names[0], names[1], names[2]};
    for (uint32_t i = 0; i < inst->noperands; ++i)
        snprintf(names[i], sizeof names[i], "v%" PRIu32, ids[i]);
    declare(k, inst->first);
    print_applied(k, inst->op, (jg_dtype)inst->type, (jg_dtype)inst->to, inst->noperands, operands,
                  k->d->out);
    text_add(k->d->out, ";\n");
}

void source_port_value_print(port_draft *k, const kernel_inst *inst)
{
    if (inst->op == KERNEL_CONST)
        print_const(k, inst->first, (uint64_t)inst->immediate);
    else if (inst->op == KERNEL_EXTENT)
        print_extent(k, inst);
    else if (inst->op == KERNEL_BITCAST)
        print_bitcast(k, inst);
    else if (compares_exactly(k, inst))
        print_comparison(k, inst);
    else
        print_apply(k, inst);
    source_port_value_keep(k, inst);
}

/* The numbers of the compiler for the CPU: the counter is the loop's index, the key the seed with
 * the number of the loop and how many numbers the index has drawn. */
void source_port_value_print_random(port_draft *k, const kernel_inst *inst)
{
    static const char counter[] = "counter", key[] = "key", word[] = "word";
    const char *const operands[2] = {counter, key};
    const char *const bits = word;
    jg_dtype type = (jg_dtype)inst->to;
    uint64_t loop = k->part->is_body ? (uint64_t)k->part->first + 1 : 0;
    source_write_line(k->d, "%s v%" PRIu32 ";", source_value_type(type), inst->first);
    source_write_open(k->d, "%s", "");
    source_write_line(k->d,
                      "const uint64_t key = block.w[%d] ^ ((draws << 24) + %" PRIu64 "ul) * "
                      "0x9e3779b97f4a7c15ul;",
                      k->text->words.seed, loop);
    source_write_line(k->d, "draws += 1;");
    text_add(k->d->out, "%*sconst uint64_t word = ", 4 * k->d->depth, "");
    print_call(k, PROGRAM_THREEFRY, JG_DTYPE_UINT64, JG_DTYPE_UINT64, 2, operands, k->d->out);
    text_add(k->d->out, ";\n%*sv%" PRIu32 " = ", 4 * k->d->depth, "", inst->first);
    if (dtype_is_floating(type))
        print_call(k, KERNEL_RANDOM, type, type, 1, &bits, k->d->out);
    else if (type == JG_DTYPE_BOOL)
        text_add(k->d->out, "(uint8_t)(word & 1)");
    else
        text_add(k->d->out, "(%s)word", source_value_type(type));
    text_add(k->d->out, ";\n");
    source_write_close(k->d);
    source_port_value_keep(k, inst);
}
