/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the read of a local by the value that the local is known to hold.
 *
 * The pass goes through the kernel in order and notes for each single variable the value that it
 * holds, if it is known. After a block that sets it the value is unknown; a loop that sets it makes
 * it unknown in its own body, too. A local that a loop reads and does not set is read once before
 * the loop. So the remaining reads are those of locals that loops carry, of locals that branches
 * set differently, and of elements of arrays. Needs a kernel that derive_structure made. An update
 * that adds to an element of an array is written as an addition, whether threads may conflict there
 * or not: the result is for deriving, not for running. */
#include "derive/passes.h"
#include <string.h>

typedef struct promotion {
    derive_rewrite rewrite;
    uint32_t *known;  /* for each local of the source the value of the new kernel, or KERNEL_NONE */
    uint32_t *uses;   /* of each value of the source */
    bool *written;    /* for each array */
    base_vec loads;   /* positions in the new kernel of the loads that are in scope */
    uint32_t *set_in; /* for each local the last loop that was found to set it */
    uint32_t parallel; /* the parallel loop around, or KERNEL_NONE */
} promotion;

static jg_status promote_block(promotion *p, uint32_t at, uint32_t end);

static const kernel_inst *source_at(const promotion *p, uint32_t position)
{
    return kernel_inst_at(p->rewrite.from, position);
}

static bool is_single(const promotion *p, uint32_t local)
{
    const kernel_local *source = kernel_local_at(p->rewrite.from, local);
    return source->length == 0 && !source->stack;
}

/* A local that other iterations may set never has a known value. */
static bool is_shared(const promotion *p, uint32_t local)
{
    return p->parallel != KERNEL_NONE &&
           kernel_local_at(p->rewrite.from, local)->declaration < p->parallel;
}

static bool sets_local(uint16_t op)
{
    return op == KERNEL_SET || op == KERNEL_ATOMIC_LOCAL;
}

/* Forgets what is set at positions first to end - 1. */
static void forget_set_in(promotion *p, uint32_t first, uint32_t end)
{
    for (uint32_t at = first; at < end; ++at)
        if (sets_local(source_at(p, at)->op))
            p->known[source_at(p, at)->target] = KERNEL_NONE;
}

/* A block of its own: what is learnt in it is not known after it. */
static jg_status promote_inside(promotion *p, uint32_t first, uint32_t end)
{
    size_t nbytes = p->rewrite.from->nlocals * sizeof *p->known;
    uint32_t *before = derive_new_indices(p->rewrite.from->nlocals);
    if (before == NULL)
        return JG_ERR_NOMEM;
    memcpy(before, p->known, nbytes);
    size_t in_reach = p->loads.nbytes;
    jg_status status = promote_block(p, first, end);
    p->loads.nbytes = in_reach;
    memcpy(p->known, before, nbytes);
    base_free(before);
    return status;
}

static jg_status promote_if(promotion *p, uint32_t position)
{
    uint32_t middle = source_at(p, position)->match;
    uint32_t end = derive_last_of(p->rewrite.from, position);
    JG_TRY(rewrite_copy(&p->rewrite, position));
    JG_TRY(promote_inside(p, position + 1, middle));
    if (middle != end) {
        JG_TRY(rewrite_plain(p->rewrite.to, KERNEL_ELSE));
        JG_TRY(promote_inside(p, middle + 1, end));
    }
    forget_set_in(p, position, end);
    return rewrite_plain(p->rewrite.to, KERNEL_END);
}

/* In a loop, the values of locals that the loop sets are unknown. */
static void forget_set_in_loop(promotion *p, uint32_t position, uint32_t end)
{
    forget_set_in(p, position, end);
    for (uint32_t at = position; at < end; ++at)
        if (sets_local(source_at(p, at)->op))
            p->set_in[source_at(p, at)->target] = position;
}

/* Reads the locals before the loop that it reads and does not set. */
static jg_status read_ahead(promotion *p, uint32_t position, uint32_t end)
{
    for (uint32_t at = position + 1; at < end; ++at) {
        uint32_t local = source_at(p, at)->target;
        if (source_at(p, at)->op != KERNEL_GET || p->known[local] != KERNEL_NONE ||
            !is_single(p, local) || is_shared(p, local) || p->set_in[local] == position ||
            kernel_local_at(p->rewrite.from, local)->declaration > position)
            continue;
        JG_TRY(rewrite_get(p->rewrite.to, p->rewrite.locals[local], 0, NULL, &p->known[local]));
    }
    return JG_OK;
}

/* Forgets before it reads ahead: what the loop sets must be read again in each iteration. */
static jg_status promote_loop(promotion *p, uint32_t position)
{
    uint32_t end = source_at(p, position)->match, outer = p->parallel;
    forget_set_in_loop(p, position, end);
    JG_TRY(read_ahead(p, position, end));
    if (source_at(p, position)->op == KERNEL_PARALLEL)
        p->parallel = position;
    JG_TRY(rewrite_copy(&p->rewrite, position));
    JG_TRY(promote_inside(p, position + 1, end));
    p->parallel = outer;
    return rewrite_plain(p->rewrite.to, KERNEL_END);
}

/* Reading a local makes its value known, as setting it does. */
static jg_status promote_get(promotion *p, uint32_t at)
{
    const kernel_inst *inst = source_at(p, at);
    uint32_t *known = &p->known[inst->target], *value = &p->rewrite.values[inst->first];
    bool followed = is_single(p, inst->target) && !is_shared(p, inst->target);
    if (is_single(p, inst->target) && *known != KERNEL_NONE) {
        *value = *known;
        return JG_OK;
    }
    JG_TRY(rewrite_copy(&p->rewrite, at));
    *known = followed ? *value : KERNEL_NONE;
    return JG_OK;
}

/* The setting itself stays: blocks that do not know the value read the local. */
static jg_status promote_set(promotion *p, uint32_t at)
{
    const kernel_inst *inst = source_at(p, at);
    bool followed =
        inst->op == KERNEL_SET && is_single(p, inst->target) && !is_shared(p, inst->target);
    uint32_t value = kernel_operands(p->rewrite.from, inst)[inst->noperands - 1];
    p->known[inst->target] = followed ? p->rewrite.values[value] : KERNEL_NONE;
    return rewrite_copy(&p->rewrite, at);
}

/* An element that was loaded before, of an array that the kernel does not write, is the same value.
 * The copy that was made to compare stays unused: the sweeps leave out what nothing needs. */
static jg_status promote_load(promotion *p, uint32_t at)
{
    const kernel_inst *inst = source_at(p, at);
    JG_TRY(rewrite_copy(&p->rewrite, at));
    if (p->written[inst->target])
        return JG_OK;
    uint32_t made = p->rewrite.to->ninsts - 1;
    const uint32_t *loads = (const uint32_t *)(const void *)p->loads.data;
    for (size_t i = 0; i < p->loads.nbytes / sizeof *loads; ++i) {
        const kernel_inst *before = kernel_inst_at(p->rewrite.to, loads[i]);
        if (before->target == inst->target &&
            derive_is_same_element(p->rewrite.to, before, kernel_inst_at(p->rewrite.to, made))) {
            p->rewrite.values[inst->first] = before->first;
            return JG_OK;
        }
    }
    return vec_append(&p->loads, &made, sizeof made);
}

/* A sum of an element and a value that is stored back becomes an addition. */
static jg_status promote_store(promotion *p, uint32_t at)
{
    const kernel_inst *inst = source_at(p, at);
    const uint32_t *operands = kernel_operands(p->rewrite.from, inst);
    uint32_t indices[KERNEL_MAX_NDIM], value;
    derive_update update;
    if (!derive_find_update(p->rewrite.from, p->uses, at, &update))
        return rewrite_copy(&p->rewrite, at);
    for (uint32_t i = 0; i + 1 < inst->noperands; ++i)
        indices[i] = p->rewrite.values[operands[i]];
    value = p->rewrite.values[update.value];
    p->rewrite.to->line = inst->line;
    if (update.subtracts)
        JG_TRY(kernel_apply(p->rewrite.to, PROGRAM_NEGATE, 1, &value, &value));
    return rewrite_atomic_add(p->rewrite.to, KERNEL_ATOMIC, inst->target, inst->noperands - 1,
                              indices, value);
}

static jg_status promote_statement(promotion *p, uint32_t at)
{
    const kernel_inst *inst = source_at(p, at);
    if (kernel_is_loop(inst->op))
        return promote_loop(p, at);
    if (inst->op == KERNEL_IF)
        return promote_if(p, at);
    if (inst->op == KERNEL_GET)
        return promote_get(p, at);
    if (sets_local(inst->op))
        return promote_set(p, at);
    if (inst->op == KERNEL_STORE)
        return promote_store(p, at);
    if (inst->op == KERNEL_LOAD)
        return promote_load(p, at);
    if (inst->op == KERNEL_LOCAL)
        p->known[inst->target] = KERNEL_NONE;
    return rewrite_copy(&p->rewrite, at);
}

static jg_status promote_block(promotion *p, uint32_t at, uint32_t end)
{
    while (at < end) {
        JG_TRY(promote_statement(p, at));
        at = derive_next_after(p->rewrite.from, at);
    }
    return JG_OK;
}

static bool *find_written(const kernel_program *kernel)
{
    bool *written = base_alloc_zeroed((size_t)kernel->narrays + 1);
    for (uint32_t at = 0; written != NULL && at < kernel->ninsts; ++at) {
        const kernel_inst *inst = kernel_inst_at(kernel, at);
        if (inst->op == KERNEL_STORE || inst->op == KERNEL_ATOMIC)
            written[inst->target] = true;
    }
    return written;
}

jg_status derive_promote(const kernel_program *from, kernel_program *out)
{
    promotion p = {.parallel = KERNEL_NONE};
    kernel_program made;
    jg_status status;
    JG_TRY(rewrite_begin(from, true, &made, &p.rewrite));
    p.known = derive_new_indices(from->nlocals);
    p.set_in = derive_new_indices(from->nlocals);
    p.uses = derive_count_uses(from);
    p.written = find_written(from);
    status = p.known == NULL || p.set_in == NULL || p.uses == NULL || p.written == NULL
                 ? base_nomem(from->nlocals, "the derivative of a kernel")
                 : promote_block(&p, 0, from->ninsts);
    rewrite_end(&p.rewrite);
    base_free(p.known);
    base_free(p.set_in);
    base_free(p.uses);
    base_free(p.written);
    vec_clear(&p.loads);
    if (status == JG_OK)
        *out = made;
    else
        kernel_clear(&made);
    return status;
}
