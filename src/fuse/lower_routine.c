/* SPDX-License-Identifier: Apache-2.0 */
/* Routines: a launch of their own. Inputs are described as they lie, views of what this plan
 * computes included, so a routine reads any layout and nothing is copied for it. */
#include "fuse/plan.h"
#include <string.h>

enum { ELEMENT_STEPS = 6 }; /* an element of a routine in simple operations of a program */

#define TYPES(rule)
#define INST(NAME) ROUTINE_NONE
#define RUN(NAME) ROUTINE_##NAME
#define DOC(text)
static const uint8_t ids[JG_OP_COUNT] = {
#define JG_OP(name, form, by, types, inst, doc) [JG_OP_##name] = inst,
#include "op/op.def"
#undef JG_OP
    [JG_OP_leaf] = ROUTINE_NONE,
    [JG_OP_view] = ROUTINE_NONE,
    [JG_OP_full] = ROUTINE_NONE,
    [JG_OP_arange] = ROUTINE_NONE,
};

_Static_assert(GRAPH_MAX_VALUES == ROUTINE_MAX_VALUES, "a node holds what a routine takes");

static const jg_routine *const *routines;

void lower_set_routines(const jg_routine *const *table)
{
    routines = table;
}

routine_id fuse_routine_of(const jg_array *x)
{
    return (routine_id)ids[x->op];
}

/* Copies the extents and strides to `dims`, behind the operands, and gives the place after them. */
static int64_t *describe(const jg_array *x, routine_operand *operand, int64_t *dims)
{
    for (int i = 0; i < 2 * x->ndim; ++i)
        dims[i] = x->dims[i];
    *operand = (routine_operand){.dtype = (jg_dtype)x->dtype,
                                 .ndim = x->ndim,
                                 .size = x->size,
                                 .shape = dims,
                                 .strides = dims + x->ndim};
    return dims + 2 * x->ndim;
}

static size_t nbytes_of(const jg_array *x)
{
    size_t ndims = 2 * (size_t)x->ndim;
    for (int i = 0; i < x->ninputs; ++i)
        ndims += 2 * (size_t)x->inputs[i]->ndim;
    return sizeof(plan_routine) + ((size_t)x->ninputs + 1) * sizeof(routine_operand) +
           ndims * sizeof(int64_t);
}

static jg_status alloc_launch(const jg_array *x, plan_launch *out)
{
    size_t nbytes = nbytes_of(x), count = (size_t)x->ninputs + 1;
    out->routine = base_alloc_zeroed(nbytes);
    out->operands = base_alloc(count * sizeof *out->operands);
    if (out->routine == NULL || out->operands == NULL)
        return base_nomem(nbytes, "a plan");
    out->noperands = (int)count;
    return JG_OK;
}

static void fill_call(const jg_array *x, int slot, plan_launch *out)
{
    routine_operand *operands = out->routine->operands;
    int64_t *dims = (int64_t *)(void *)(operands + out->noperands);
    for (int i = 0; i < x->ninputs; ++i) {
        const jg_array *input = x->inputs[i];
        int64_t itemsize = (int64_t)dtype_itemsize((jg_dtype)input->dtype);
        dims = describe(input, &operands[i], dims);
        out->operands[i] =
            (plan_operand){.slot = (int)walk_slot(input),
                           .offset_bytes = node_has_storage(input) ? 0 : input->offset * itemsize};
    }
    describe(x, &operands[x->ninputs], dims);
    out->operands[x->ninputs] = (plan_operand){.slot = slot};
    routine_call *call = &out->routine->call;
    *call = (routine_call){.noperands = out->noperands, .operands = operands, .threads = 1};
    memcpy(call->values, x->params.values, sizeof call->values);
}

/* Whether the result may be written where the first input lies: the same layout, and no other
 * operand reads the same memory. */
static bool is_in_place(const jg_array *x, const plan_launch *launch)
{
    const jg_array *first = x->inputs[0];
    if (!launch->routine->routine->in_place || !first->contiguous || first->dtype != x->dtype ||
        first->size != x->size || launch->operands[0].offset_bytes != 0)
        return false;
    for (int i = 1; i < launch->noperands; ++i)
        if (launch->operands[i].slot == launch->operands[0].slot)
            return false;
    return true;
}

static int64_t count_elements(const routine_call *call)
{
    int64_t count = 0;
    for (int i = 0; i < call->noperands; ++i)
        if (__builtin_add_overflow(count, call->operands[i].size, &count))
            return INT64_MAX;
    return count;
}

jg_status lower_routine(plan_draft *draft, const plan_group *group, plan_launch *out)
{
    const jg_array *x = walk_nodes(draft->walk)[group->root];
    const jg_routine *routine = routines[fuse_routine_of(x)];
    JG_TRY(alloc_launch(x, out));
    fill_call(x, group->root, out);
    const routine_call *call = &out->routine->call;
    out->routine->routine = routine;
    out->routine->scratch_nbytes = routine->scratch ? routine->scratch(call) : 0;
    int64_t elements = routine->work ? routine->work(call) : count_elements(call);
    if (__builtin_mul_overflow(elements, ELEMENT_STEPS, &out->work))
        out->work = INT64_MAX;
    out->op = (jg_op)x->op;
    if (is_in_place(x, out))
        out->operands[x->ninputs].in_place = 1;
    log_routine(out->routine);
    return JG_OK;
}
