/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics of kernels. Devices compare and exchange words of 4 bytes, some of 8; an element is
 * combined in such a loop, a small one within its word. In serial parts, on a body's own locals and
 * where updates meet no other array no atomicity is needed. If a body does nothing with an element
 * that its iterations share but combine values into it, each item combines its own and does one
 * atomic at its end. */
#include "source/kernel/kernel.h"
#include <inttypes.h>
#include <stdio.h>

static bool is_atomic(uint16_t op)
{
    return op == KERNEL_ATOMIC || op == KERNEL_ATOMIC_LOCAL;
}

static jg_dtype dtype_of(const kernel_program *kernel, const kernel_inst *inst)
{
    return (jg_dtype)(inst->op == KERNEL_ATOMIC ? kernel_array_at(kernel, inst->target)->dtype
                                                : kernel_local_at(kernel, inst->target)->dtype);
}

bool source_port_atomics_are_taken(const device_facts *facts, const kernel_program *kernel,
                                   device_refusal *refusal)
{
    for (uint32_t p = 0; p < kernel->ninsts; ++p) {
        const kernel_inst *inst = kernel_inst_at(kernel, p);
        if (!is_atomic(inst->op) || facts->atomics_64 || dtype_itemsize(dtype_of(kernel, inst)) < 8)
            continue;
        refusal->position = (int)p;
        snprintf(refusal->message, sizeof refusal->message,
                 "line %" PRIu32 ": the device has no atomics of 64 bits", inst->line);
        return false;
    }
    return true;
}

/* Whether no other iteration can come in between. */
static bool is_alone(const port_draft *k, const kernel_inst *inst)
{
    if (!k->part->is_body)
        return true;
    if (inst->op == KERNEL_ATOMIC_LOCAL)
        return !source_port_memory_is_framed(k, inst);
    return kernel_is_update(inst) && (k->flags & KERNEL_PRINT_NO_ALIAS);
}

/* Prints an expression of the new value that replaces `x`, from `x` and the operand. */
static void add_next(port_draft *k, const kernel_inst *inst, const char *x, char *out,
                     size_t nbytes)
{
    const uint32_t *operands = kernel_operands(k->kernel, inst);
    char y[24];
    snprintf(y, sizeof y, "v%" PRIu32, operands[inst->noperands - 1]);
    if (inst->atomic == KERNEL_ATOMIC_EXCHANGE)
        snprintf(out, nbytes, "%s", y);
    else if (inst->atomic == KERNEL_ATOMIC_COMPARE_EXCHANGE)
        snprintf(out, nbytes, "(%s == v%" PRIu32 " ? %s : %s)", x, operands[inst->noperands - 2], y,
                 x);
    else
        source_port_value_combine(k, kernel_atomic_rows[inst->atomic].combining,
                                  dtype_of(k->kernel, inst), x, y, out, nbytes);
}

static void print_alone(port_draft *k, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    const char *type = source_value_type(dtype_of(k->kernel, inst));
    char target[160], next[400], x[24];
    if (inst->op == KERNEL_ATOMIC) {
        source_port_memory_address(k, position);
        snprintf(target, sizeof target, "AT(%s, a%" PRIu32 ")", type, position);
    } else {
        source_port_memory_local(k, position, target, sizeof target);
    }
    snprintf(x, sizeof x, "v%" PRIu32, inst->first);
    add_next(k, inst, x, next, sizeof next);
    source_write_line(k->d, "const %s %s = %s;", type, x, target);
    source_write_line(k->d, "%s = %s;", target, next);
}

/* Declares how the element lies in the word that is exchanged: was is what it was. */
static void print_word(port_draft *k, uint32_t position, int bits)
{
    if (bits >= 32) {
        source_write_line(k->d, "MEMORY uint8_t *const word = a%" PRIu32 ";", position);
        source_write_line(k->d, "uint%d_t was = AT(uint%d_t, word);", bits, bits);
        return;
    }
    source_write_line(k->d,
                      "MEMORY uint8_t *const word = (MEMORY uint8_t *)((uint64_t)a%" PRIu32
                      " & ~(uint64_t)3);",
                      position);
    source_write_line(k->d, "const int shift = 8 * (int)((uint64_t)a%" PRIu32 " & 3);", position);
    source_write_line(k->d, "uint32_t was = AT(uint32_t, word);");
}

/* The loop, in braces, in which `found` is declared before; from the address a<position>. next: the
 * expression that the value `x` becomes. found is set to what was there */
static void print_exchange(port_draft *k, uint32_t position, jg_dtype dtype, const char *next)
{
    int bits = 8 * (int)dtype_itemsize(dtype);
    const char *type = source_value_type(dtype);
    char x[128];
    source_port_value_of_bits(dtype, bits < 32 ? "was >> shift" : "was", x, sizeof x);
    port_name made = source_port_value_bits(dtype, "next");
    print_word(k, position, bits);
    source_write_open(k->d, "for (;;)");
    source_write_line(k->d, "const %s x = %s;", type, x);
    source_write_line(k->d, "const %s next = %s;", type, next);
    if (bits < 32)
        source_write_line(k->d,
                          "const uint32_t want = (was & ~(%uu << shift)) | ((uint32_t)%s << "
                          "shift);",
                          (1u << bits) - 1, made.text);
    else
        source_write_line(k->d, "const uint%d_t want = %s;", bits, made.text);
    source_write_line(k->d, "const uint%d_t seen = CAS%d(word, was, want);", int_max(bits, 32),
                      int_max(bits, 32));
    source_write_open(k->d, "if (seen == was)");
    source_write_line(k->d, "found = x;");
    source_write_line(k->d, "break;");
    source_write_close(k->d);
    source_write_line(k->d, "was = seen;");
    source_write_close(k->d);
}

/* Sums of 32-bit integers are what every device adds at once. */
static bool is_added(const port_draft *k, const kernel_inst *inst)
{
    jg_dtype dtype = dtype_of(k->kernel, inst);
    return inst->atomic == KERNEL_ATOMIC_ADD &&
           (dtype == JG_DTYPE_INT32 || dtype == JG_DTYPE_UINT32);
}

static void print_addition(port_draft *k, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    const char *type = source_value_type(dtype_of(k->kernel, inst));
    source_port_memory_address(k, position);
    source_write_line(
        k->d, "const %s v%" PRIu32 " = (%s)ADD32(a%" PRIu32 ", (uint32_t)v%" PRIu32 ");", type,
        inst->first, type, position, kernel_operands(k->kernel, inst)[inst->noperands - 1]);
}

static void print_among_items(port_draft *k, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    jg_dtype dtype = dtype_of(k->kernel, inst);
    const char *type = source_value_type(dtype);
    char next[400];
    add_next(k, inst, "x", next, sizeof next);
    source_port_memory_address(k, position);
    source_write_line(k->d, "%s v%" PRIu32 ";", type, inst->first);
    source_write_open(k->d, "%s", "");
    source_write_line(k->d, "%s found;", type);
    print_exchange(k, position, dtype, next);
    source_write_line(k->d, "v%" PRIu32 " = found;", inst->first);
    source_write_close(k->d);
}

static bool is_constant(const port_draft *k, uint32_t value)
{
    const kernel_inst *inst = source_port_definition(k, value);
    return inst != NULL && (inst->op == KERNEL_CONST || inst->op == KERNEL_EXTENT);
}

static bool is_defined_here(const port_draft *k, uint32_t value)
{
    uint32_t position = kernel_value_at(k->kernel, value)->definition;
    return position != KERNEL_NONE && source_port_is_here(k, position);
}

static bool touches(const kernel_inst *inst, const kernel_inst *other)
{
    bool local = kernel_bounds_local(inst->op), other_local = kernel_bounds_local(other->op);
    bool accesses = other_local || other->op == KERNEL_LOAD || other->op == KERNEL_STORE ||
                    other->op == KERNEL_ATOMIC;
    return accesses && local == other_local && inst->target == other->target;
}

/* Whether the item combines values of its own. */
static bool is_gathered(const port_draft *k, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    bool combines = inst->atomic == KERNEL_ATOMIC_ADD || inst->atomic == KERNEL_ATOMIC_MINIMUM ||
                    inst->atomic == KERNEL_ATOMIC_MAXIMUM;
    if (!k->part->is_body || !is_atomic(inst->op) || !combines || k->used[inst->first] ||
        is_alone(k, inst) || dtype_of(k->kernel, inst) == JG_DTYPE_BOOL ||
        (inst->op == KERNEL_ATOMIC && !(k->flags & KERNEL_PRINT_NO_ALIAS)))
        return false;
    for (uint32_t i = 0; i + 1 < inst->noperands; ++i)
        if (is_defined_here(k, kernel_operands(k->kernel, inst)[i]) &&
            !is_constant(k, kernel_operands(k->kernel, inst)[i]))
            return false;
    for (uint32_t p = k->part->first; p < k->part->last; ++p) {
        const kernel_inst *other = kernel_inst_at(k->kernel, p);
        if (touches(inst, other) &&
            (!is_atomic(other->op) || other->atomic != inst->atomic || k->used[other->first]))
            return false;
    }
    return true;
}

/* g<position> and whether it has anything: t<position>. */
void source_port_atomic_open(port_draft *k)
{
    for (uint32_t p = k->part->first; p < k->part->last; ++p) {
        const kernel_inst *inst = kernel_inst_at(k->kernel, p);
        if (is_gathered(k, p))
            source_write_line(k->d, "%s g%" PRIu32 " = 0; int t%" PRIu32 " = 0;",
                              source_value_type(dtype_of(k->kernel, inst)), p, p);
    }
}

/* Constants that the body has made are made again behind it. */
static void declare_indices(port_draft *k, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(k->kernel, inst);
    for (uint32_t i = 0; i + 1 < inst->noperands; ++i) {
        bool repeated = false;
        for (uint32_t j = 0; j < i; ++j)
            repeated |= operands[j] == operands[i];
        if (!repeated && is_defined_here(k, operands[i]))
            source_port_value_print(k, source_port_definition(k, operands[i]));
    }
}

void source_port_atomic_close(port_draft *k)
{
    for (uint32_t p = k->part->first; p < k->part->last; ++p) {
        const kernel_inst *inst = kernel_inst_at(k->kernel, p);
        char next[400], y[24];
        if (!is_gathered(k, p))
            continue;
        jg_dtype dtype = dtype_of(k->kernel, inst);
        snprintf(y, sizeof y, "g%" PRIu32, p);
        source_port_value_combine(k, kernel_atomic_rows[inst->atomic].combining, dtype, "x", y,
                                  next, sizeof next);
        source_write_open(k->d, "if (t%" PRIu32 ")", p);
        source_write_line(k->d, "%s found;", source_value_type(dtype));
        declare_indices(k, inst);
        source_port_memory_address(k, p);
        print_exchange(k, p, dtype, next);
        source_write_line(k->d, "(void)found;");
        source_write_close(k->d);
    }
}

/* A sum begins with 0; the least and the greatest with the first value. */
static void print_gathering(port_draft *k, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    char own[24], next[400];
    snprintf(own, sizeof own, "g%" PRIu32, position);
    add_next(k, inst, own, next, sizeof next);
    jg_dtype dtype = dtype_of(k->kernel, inst);
    bool is_float = dtype_is_single_or_double(dtype);
    if (inst->atomic == KERNEL_ATOMIC_ADD && is_float) /* in any order, so in vectors */
        source_write_line(k->d, "{ REASSOCIATED %s = %s + v%" PRIu32 "; }", own, own,
                          kernel_operands(k->kernel, inst)[inst->noperands - 1]);
    else if (inst->atomic == KERNEL_ATOMIC_ADD)
        source_write_line(k->d, "%s = %s;", own, next);
    else
        source_write_line(k->d, "%s = t%" PRIu32 " ? %s : v%" PRIu32 ";", own, position, next,
                          kernel_operands(k->kernel, inst)[inst->noperands - 1]);
    source_write_line(k->d, "t%" PRIu32 " = 1;", position);
}

void source_port_atomic_print(port_draft *k, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(k->kernel, position);
    if (is_gathered(k, position)) {
        print_gathering(k, position);
        return;
    }
    if (is_alone(k, inst))
        print_alone(k, position);
    else if (is_added(k, inst))
        print_addition(k, position);
    else
        print_among_items(k, position);
    source_port_value_keep(k, inst);
}
