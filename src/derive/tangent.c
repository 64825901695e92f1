/* SPDX-License-Identifier: Apache-2.0 */
/* The tangent of a kernel: the kernel itself, and beside each statement one that computes its
 * tangent.
 *
 * A value that depends on no array with a tangent has none; storing it stores the tangent 0. Locals
 * have tangents if anything that is set to them may have one. */
#include "derive/passes.h"

typedef struct tangents {
    derive_flow flow;
    derive_rewrite rewrite;
    kernel_program *to;
    uint32_t *duals;  /* for each array that of its tangent in to */
    uint32_t *values; /* for each value its tangent in to, or KERNEL_NONE */
    uint32_t *locals; /* likewise for each local */
} tangents;

static uint32_t map_value(const tangents *t, uint32_t value)
{
    return t->rewrite.values[value];
}

static bool varies(const tangents *t, uint32_t value)
{
    return (t->flow.values[value] & FLOW_VARIED) != 0;
}

static bool local_varies(const tangents *t, uint32_t local)
{
    return (t->flow.locals[local] & FLOW_VARIED) != 0;
}

/* The indices of an access, in the new kernel. */
static uint32_t map_indices(const tangents *t, const kernel_inst *inst, uint32_t count,
                            uint32_t *out)
{
    for (uint32_t i = 0; i < count; ++i)
        out[i] = map_value(t, kernel_operands(t->flow.kernel, inst)[i]);
    return count;
}

/* The tangent of the value that is stored, which may be 0. */
static jg_status stored_tangent(tangents *t, const kernel_inst *inst, uint32_t *out)
{
    *out = t->values[kernel_operands(t->flow.kernel, inst)[inst->noperands - 1]];
    return *out != KERNEL_NONE ? JG_OK : rewrite_number(t->to, (jg_dtype)inst->type, 0, out);
}

/* Adds the operand's share, by the same rule as the adjoint's: rules are linear in what is
 * carried. */
static jg_status add_share(tangents *t, const kernel_inst *inst, uint32_t operand, uint32_t *sum)
{
    const uint32_t *operands = kernel_operands(t->flow.kernel, inst);
    uint32_t tangent = t->values[operands[operand]], values[4] = {0}, share;
    const char *rule = derivative_rule(inst->op, operand);
    if (rule == NULL || tangent == KERNEL_NONE)
        return JG_OK;
    for (uint32_t i = 0; i < inst->noperands; ++i)
        values[i] = map_value(t, operands[i]);
    values[3] = map_value(t, inst->first);
    JG_TRY(derivative_emit(t->to, rule, (jg_dtype)inst->to, values, tangent, &share));
    if (*sum != KERNEL_NONE)
        return kernel_apply(t->to, PROGRAM_ADD, 2, (uint32_t[]){*sum, share}, sum);
    *sum = share;
    return JG_OK;
}

static jg_status move_scalar(tangents *t, const kernel_inst *inst)
{
    uint32_t *sum = &t->values[inst->first];
    *sum = KERNEL_NONE;
    if (!varies(t, inst->first))
        return JG_OK;
    if (inst->op == PROGRAM_CAST) {
        uint32_t tangent = t->values[kernel_operands(t->flow.kernel, inst)[0]];
        /* A value that varies and has no derivative, such as the old value of an atomic, has no
         * tangent. */
        return tangent == KERNEL_NONE ? JG_OK
                                      : kernel_cast(t->to, tangent, (jg_dtype)inst->to, sum);
    }
    for (uint32_t i = 0; i < inst->noperands; ++i)
        JG_TRY(add_share(t, inst, i, sum));
    return JG_OK;
}

static jg_status move_load(tangents *t, const kernel_inst *inst)
{
    uint32_t indices[KERNEL_MAX_NDIM], count = map_indices(t, inst, inst->noperands, indices);
    if (!flow_has_gradient(&t->flow, inst))
        return JG_OK;
    return kernel_load(t->to, t->duals[inst->target], count, indices, &t->values[inst->first]);
}

/* A store overwrites the tangent too, so it stores 0 if the value has no tangent. An addition adds
 * to the tangent. */
static jg_status move_store(tangents *t, const kernel_inst *inst)
{
    uint32_t indices[KERNEL_MAX_NDIM],
        count = map_indices(t, inst, inst->noperands - kernel_nstored(inst), indices);
    uint32_t tangent, dual = t->duals[inst->target];
    if (!flow_has_gradient(&t->flow, inst))
        return JG_OK;
    JG_TRY(stored_tangent(t, inst, &tangent));
    if (inst->op == KERNEL_ATOMIC)
        return rewrite_atomic_add(t->to, KERNEL_ATOMIC, dual, count, indices, tangent);
    return rewrite_store(t->to, dual, count, indices, tangent);
}

static jg_status move_get(tangents *t, const kernel_inst *inst)
{
    uint32_t indices[KERNEL_MAX_NDIM], count = map_indices(t, inst, inst->noperands, indices);
    if (!varies(t, inst->first))
        return JG_OK;
    return rewrite_get(t->to, t->locals[inst->target], count, indices, &t->values[inst->first]);
}

static jg_status move_set(tangents *t, const kernel_inst *inst)
{
    uint32_t indices[KERNEL_MAX_NDIM],
        count = map_indices(t, inst, inst->noperands - kernel_nstored(inst), indices);
    uint32_t tangent, local = t->locals[inst->target];
    if (!local_varies(t, inst->target))
        return JG_OK;
    JG_TRY(stored_tangent(t, inst, &tangent));
    if (inst->op == KERNEL_ATOMIC_LOCAL)
        return rewrite_atomic_add(t->to, KERNEL_ATOMIC_LOCAL, local, count, indices, tangent);
    return rewrite_set(t->to, local, count, indices, tangent);
}

/* Beside its local, where it begins as zero each time that the local does. */
static jg_status declare_tangent(tangents *t, const kernel_inst *inst)
{
    const kernel_local *local = kernel_local_at(t->flow.kernel, inst->target);
    if (!local_varies(t, inst->target))
        return JG_OK;
    return rewrite_add_local(t->to, "tangent", (jg_dtype)local->dtype, local->length,
                             &t->locals[inst->target]);
}

static jg_status move_tangents(tangents *t, const kernel_inst *inst)
{
    switch (inst->op) {
    case KERNEL_LOAD: return move_load(t, inst);
    case KERNEL_STORE:
    case KERNEL_ATOMIC: return move_store(t, inst);
    case KERNEL_LOCAL: return declare_tangent(t, inst);
    case KERNEL_GET: return move_get(t, inst);
    case KERNEL_SET:
    case KERNEL_ATOMIC_LOCAL: return move_set(t, inst);
    default: return kernel_op_is_statement(inst->op) ? JG_OK : move_scalar(t, inst);
    }
}

/* The kernel's instruction first: rules read the value that it makes, and blocks must be open. */
static jg_status move_all(tangents *t)
{
    const kernel_program *kernel = t->flow.kernel;
    t->duals = derive_new_indices(kernel->narrays);
    t->values = derive_new_indices(kernel->nvalues);
    t->locals = derive_new_indices(kernel->nlocals);
    if (t->duals == NULL || t->values == NULL || t->locals == NULL)
        return JG_ERR_NOMEM;
    JG_TRY(derive_add_arrays(t->to, t->flow.gradients, "_dual", t->duals));
    for (uint32_t at = 0; at < kernel->ninsts; ++at) {
        JG_TRY(rewrite_copy(&t->rewrite, at));
        JG_TRY(move_tangents(t, kernel_inst_at(kernel, at)));
    }
    return kernel_verify(t->to);
}

static jg_status tangent_of(const derive_flow *flow, kernel_program *out)
{
    kernel_program made;
    tangents t = {.flow = *flow, .to = &made};
    JG_TRY(rewrite_begin(flow->kernel, true, &made, &t.rewrite));
    jg_status status = move_all(&t);
    rewrite_end(&t.rewrite);
    base_free(t.duals);
    base_free(t.values);
    base_free(t.locals);
    if (status == JG_OK)
        *out = made;
    else
        kernel_clear(&made);
    return status;
}

jg_status derive_tangent(const kernel_program *kernel, const jg_derived *gradients,
                         kernel_program *out)
{
    jg_derived which[KERNEL_MAX_ARRAYS];
    kernel_program plain;
    derive_flow flow;
    JG_TRY(derive_arrays(kernel, gradients, which));
    JG_TRY(derive_structure(kernel, &plain));
    jg_status status = flow_init(&plain, which, &flow);
    if (status == JG_OK) {
        status = tangent_of(&flow, out);
        flow_clear(&flow);
    }
    kernel_clear(&plain);
    return status;
}
