/* SPDX-License-Identifier: Apache-2.0 */
/* Which comparisons are of exact numbers.
 *
 * Sums and products that go into an index do not wrap (emit_value.c). So that `if i * n + j < m`
 * protects `x[i * n + j]`, a comparison takes the exact number, too, of what an index of the kernel
 * is made of, or is written like. Values are written alike if they come from the same instruction
 * on operands that are written alike; all reads of a local or an element count as the same value,
 * as this only chooses which of two results the comparison uses. */
#include "jit/kernel/emit.h"
#include <string.h>

enum { MAX_OPERANDS = 4 }; /* of instructions that are recognised as alike; others are not */

typedef struct alike_analysis {
    const kernel_program *kernel;
    jit_analysis *analysis;
    uint32_t *alike; /* of each value: the first one that is written like it */
    uint32_t *table; /* by hash: such first values; KERNEL_NONE where free */
    uint32_t mask;   /* of positions in the table */
    uint8_t *marks;  /* of each first value: MARK_ */
} alike_analysis;

enum { MARK_INDEX = 1, MARK_COMPARED = 2 };

/* The key that identifies an instruction. It is zeroed first, because its padding is hashed. */
typedef struct alike_key {
    int64_t immediate;
    uint32_t op, target, types, noperands, operands[MAX_OPERANDS];
} alike_key;

static bool may_be_alike(const kernel_inst *inst)
{
    bool reads = inst->op == KERNEL_CONST || inst->op == KERNEL_EXTENT || inst->op == KERNEL_LOAD ||
                 inst->op == KERNEL_GET;
    return inst->nvalues == 1 && inst->noperands <= MAX_OPERANDS &&
           (reads || !kernel_op_is_statement(inst->op));
}

static alike_key key_of(const alike_analysis *s, const kernel_inst *inst)
{
    alike_key key;
    memset(&key, 0, sizeof key);
    key.immediate = inst->immediate;
    key.op = inst->op;
    key.target = inst->target;
    key.types = (uint32_t)inst->type << 8 | inst->to;
    key.noperands = inst->noperands;
    for (uint32_t i = 0; i < inst->noperands; ++i)
        key.operands[i] = s->alike[kernel_operands(s->kernel, inst)[i]];
    return key;
}

static const kernel_inst *definition_of(const alike_analysis *s, uint32_t value)
{
    uint32_t position = kernel_value_at(s->kernel, value)->definition;
    return position == KERNEL_NONE ? NULL : kernel_inst_at(s->kernel, position);
}

/* The first value that is written like the instruction's, which may be its own. */
static uint32_t find_first(alike_analysis *s, const kernel_inst *inst)
{
    alike_key key = key_of(s, inst);
    uint32_t at = (uint32_t)hash_bytes(&key, sizeof key) & s->mask;
    for (; s->table[at] != KERNEL_NONE; at = (at + 1) & s->mask) {
        alike_key other = key_of(s, definition_of(s, s->table[at]));
        if (memcmp(&key, &other, sizeof key) == 0)
            return s->table[at];
    }
    s->table[at] = inst->first;
    return inst->first;
}

static bool is_linear(const alike_analysis *s, uint32_t value)
{
    const kernel_inst *inst = definition_of(s, value);
    return inst != NULL && kernel_is_linear(inst);
}

static void find_alike(alike_analysis *s)
{
    for (uint32_t v = 0; v < s->kernel->nvalues; ++v) {
        const kernel_inst *inst = definition_of(s, v);
        s->alike[v] = inst != NULL && may_be_alike(inst) ? find_first(s, inst) : v;
        if (s->analysis->indexing[v] && is_linear(s, v))
            s->marks[s->alike[v]] |= MARK_INDEX;
    }
}

static void mark_compared(alike_analysis *s, const kernel_inst *inst)
{
    for (uint32_t i = 0; i < inst->noperands; ++i) {
        uint32_t value = kernel_operands(s->kernel, inst)[i], first = s->alike[value];
        if (is_linear(s, value) && (s->marks[first] & MARK_INDEX))
            s->marks[first] |= MARK_COMPARED;
    }
}

/* The order is from the last to the first, so parts are marked after the values that they are part
 * of. The first of several equal values comes last, and represents all. */
static void find_compared(alike_analysis *s)
{
    for (uint32_t p = s->kernel->ninsts; p-- > 0;) {
        const kernel_inst *inst = kernel_inst_at(s->kernel, p);
        bool part = kernel_is_linear(inst) && (s->marks[s->alike[inst->first]] & MARK_COMPARED);
        bool looks = s->analysis->looks[p] & LOOK_HERE;
        if (part || looks || kernel_is_comparison(inst->op))
            mark_compared(s, inst);
    }
    for (uint32_t v = 0; v < s->kernel->nvalues; ++v) {
        s->analysis->compared[v] = s->marks[s->alike[v]] & MARK_COMPARED;
        s->analysis->indexing[v] |= s->analysis->compared[v];
    }
}

jg_status analysis_comparisons(const kernel_program *kernel, jit_analysis *analysis)
{
    uint32_t count = 16;
    while (count < 2 * kernel->nvalues)
        count *= 2;
    size_t nbytes = (count + kernel->nvalues) * sizeof(uint32_t) + kernel->nvalues;
    uint32_t *block = base_alloc_zeroed(nbytes);
    if (block == NULL)
        return base_nomem(nbytes, "a kernel");
    alike_analysis s = {.kernel = kernel,
                        .analysis = analysis,
                        .alike = block + count,
                        .table = block,
                        .mask = count - 1,
                        .marks = (uint8_t *)(block + count + kernel->nvalues)};
    for (uint32_t i = 0; i < count; ++i)
        s.table[i] = KERNEL_NONE;
    find_alike(&s);
    find_compared(&s);
    base_free(block);
    return JG_OK;
}
