/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises a load, an addition and a store that are `x[i] += v`, where no other thread can come
 * between.
 *
 * As an addition it does not change the gradient of the element, which three instructions would
 * read, zero and write again. */
#include "derive/passes.h"

uint32_t *derive_count_uses(const kernel_program *kernel)
{
    uint32_t *uses = derive_new_indices(kernel->nvalues);
    if (uses == NULL)
        return NULL;
    for (uint32_t v = 0; v < kernel->nvalues; ++v)
        uses[v] = 0;
    for (uint32_t at = 0; at < kernel->ninsts; ++at) {
        const kernel_inst *inst = kernel_inst_at(kernel, at);
        for (uint32_t i = 0; i < inst->noperands; ++i)
            uses[kernel_operands(kernel, inst)[i]] += 1;
    }
    return uses;
}

/* The position of the value's definition if it is that instruction and has one use; KERNEL_NONE. */
static uint32_t sole_definition(const kernel_program *kernel, const uint32_t *uses, uint32_t value,
                                uint16_t op)
{
    uint32_t at = kernel_value_at(kernel, value)->definition;
    bool is = at != KERNEL_NONE && kernel_inst_at(kernel, at)->op == op && uses[value] == 1;
    return is ? at : KERNEL_NONE;
}

/* Whether nothing between the two may change the element, nor end the block. */
static bool is_undisturbed(const kernel_program *kernel, uint32_t load, uint32_t store)
{
    uint32_t array = kernel_inst_at(kernel, store)->target;
    for (uint32_t at = load + 1; at < store; ++at) {
        const kernel_inst *inst = kernel_inst_at(kernel, at);
        bool writes = inst->op == KERNEL_STORE || inst->op == KERNEL_ATOMIC;
        if ((writes && inst->target == array) || kernel_opens(inst->op) || inst->op == KERNEL_END)
            return false;
    }
    return true;
}

static bool is_load_of(const kernel_program *kernel, const uint32_t *uses, uint32_t value,
                       uint32_t store)
{
    const kernel_inst *to = kernel_inst_at(kernel, store);
    uint32_t load = sole_definition(kernel, uses, value, KERNEL_LOAD);
    if (load == KERNEL_NONE || kernel_inst_at(kernel, load)->target != to->target)
        return false;
    return derive_is_same_element(kernel, kernel_inst_at(kernel, load), to) &&
           is_undisturbed(kernel, load, store);
}

/* `x + v`, `v + x` and `x - v`, but not `v - x`. Of integers nothing is derived. */
bool derive_find_update(const kernel_program *kernel, const uint32_t *uses, uint32_t store,
                        derive_update *out)
{
    const kernel_inst *to = kernel_inst_at(kernel, store);
    uint32_t stored = kernel_operands(kernel, to)[to->noperands - 1];
    uint32_t sum = sole_definition(kernel, uses, stored, PROGRAM_ADD);
    bool subtracts = sum == KERNEL_NONE;
    if (subtracts)
        sum = sole_definition(kernel, uses, stored, PROGRAM_SUBTRACT);
    if (sum == KERNEL_NONE || !dtype_is_floating((jg_dtype)to->type))
        return false;
    const uint32_t *parts = kernel_operands(kernel, kernel_inst_at(kernel, sum));
    bool first = is_load_of(kernel, uses, parts[0], store);
    if (!first && (subtracts || !is_load_of(kernel, uses, parts[1], store)))
        return false;
    *out = (derive_update){parts[first ? 1 : 0], subtracts};
    return true;
}
