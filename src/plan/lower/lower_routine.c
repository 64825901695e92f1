/* SPDX-License-Identifier: Apache-2.0 */
/* Lowers routines, each of which is a launch of its own. Inputs are described as they lie, views of
 * what this plan computes included, so a routine reads any layout and nothing is copied for it. */
#include "plan/device/code.h"
#include "plan/steps.h"
#include <string.h>

enum { ELEMENT_STEPS = 6 }; /* an element of a routine in simple operations of a program */

static const jg_routine *const *routines;

void plan_lower_set_routines(const jg_routine *const *table)
{
    routines = table;
}

/* Copies the extents and strides to `dims`, behind the operands, and gives the next address. */
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

/* The nodes that a launch is made from: the first result in the walk, and all results. */
typedef struct call_nodes {
    const jg_array *x;
    bool halves; /* inputs are casts, and what they read is the operand */
    int nresults;
    const jg_array *results[GRAPH_MAX_RESULTS]; /* NULL for one that is not used */
    int slots[GRAPH_MAX_RESULTS];
} call_nodes;

static call_nodes collect_nodes(const plan_draft *draft, const plan_group *group)
{
    const jg_array *x = walk_nodes(draft->walk)[group->root];
    call_nodes nodes = {.x = x, .halves = group->halves, .nresults = x->nresults ? x->nresults : 1};
    for (int slot = group->first; slot >= 0; slot = draft->nodes[slot].next) {
        if (draft->nodes[slot].leader != group->root) /* a cast */
            continue;
        const jg_array *result = walk_nodes(draft->walk)[slot];
        nodes.results[result->result] = result;
        nodes.slots[result->result] = slot;
    }
    return nodes;
}

static const jg_array *input_of(const call_nodes *nodes, int number)
{
    const jg_array *input = nodes->x->inputs[number];
    return nodes->halves ? input->inputs[0] : input;
}

/* One block: the routine's operands, and behind them their extents and strides. */
static size_t nbytes_of(const call_nodes *nodes)
{
    const jg_array *x = nodes->x;
    size_t ndims = 0;
    for (int i = 0; i < x->ninputs; ++i)
        ndims += 2 * (size_t)input_of(nodes, i)->ndim;
    for (int i = 0; i < nodes->nresults; ++i)
        ndims += nodes->results[i] != NULL ? 2 * (size_t)nodes->results[i]->ndim : 0;
    return sizeof(plan_routine) + (size_t)(x->ninputs + nodes->nresults) * sizeof(routine_operand) +
           ndims * sizeof(int64_t);
}

static jg_status alloc_launch(const call_nodes *nodes, plan_launch *out)
{
    size_t nbytes = nbytes_of(nodes), count = (size_t)nodes->x->ninputs + (size_t)nodes->nresults;
    out->routine = base_alloc_zeroed(nbytes);
    out->operands = base_alloc(count * sizeof *out->operands);
    if (out->routine == NULL || out->operands == NULL)
        return base_nomem(nbytes, "a plan");
    out->noperands = (int)count;
    return JG_OK;
}

/* A result that is not used has no shape and no memory. */
static void fill_results(const call_nodes *nodes, plan_launch *out, int64_t *dims)
{
    int first = nodes->x->ninputs;
    for (int i = 0; i < nodes->nresults; ++i) {
        bool wanted = nodes->results[i] != NULL;
        out->operands[first + i] = (plan_operand){.slot = wanted ? nodes->slots[i] : -1};
        if (wanted)
            dims = describe(nodes->results[i], &out->routine->operands[first + i], dims);
    }
}

plan_operand plan_operand_of(const jg_array *input)
{
    if (input == NULL)
        return (plan_operand){.slot = -1};
    int64_t itemsize = (int64_t)dtype_itemsize((jg_dtype)input->dtype);
    return (plan_operand){.slot = (int)walk_slot(input),
                          .offset_bytes = node_has_storage(input) ? 0 : input->offset * itemsize};
}

static void fill_call(const call_nodes *nodes, plan_launch *out)
{
    const jg_array *x = nodes->x;
    routine_operand *operands = out->routine->operands;
    int64_t *dims = (int64_t *)(void *)(operands + out->noperands);
    for (int i = 0; i < x->ninputs; ++i) {
        dims = describe(input_of(nodes, i), &operands[i], dims);
        out->operands[i] = plan_operand_of(input_of(nodes, i));
    }
    fill_results(nodes, out, dims);
    size_t nbytes = primitive_rows[x->primitive].nbytes;
    if (nbytes > 0)
        memcpy(&out->routine->attributes, node_attributes_of(x), nbytes);
}

/* Whether the result may be written where the first input lies: the same layout, and no other
 * operand reads the same memory. */
static bool is_in_place(const jg_array *x, const plan_launch *launch)
{
    const jg_array *first = x->inputs[0];
    if (!launch->routine->routine->in_place || x->nresults > 0 || !first->contiguous ||
        first->dtype != x->dtype || first->size != x->size || launch->operands[0].offset_bytes != 0)
        return false;
    for (int i = 1; i < launch->noperands; ++i)
        if (launch->operands[i].slot == launch->operands[0].slot)
            return false;
    return true;
}

/* The size of all operands, which counts as the work of a routine that does not tell its own. */
static int64_t count_elements(const routine_call *call)
{
    int64_t count = 0;
    for (int i = 0; i < call->noperands; ++i)
        if (__builtin_add_overflow(count, call->operands[i].size, &count))
            return INT64_MAX;
    return count;
}

jg_status plan_finish_routine(const plan_draft *draft, jg_primitive primitive, int nresults,
                              jg_op label, plan_launch *out)
{
    plan_routine *made = out->routine;
    made->primitive = primitive;
    made->routine = routines[primitive];
    made->call = (routine_call){.noperands = out->noperands,
                                .nresults = nresults,
                                .operands = made->operands,
                                .attributes = &made->attributes,
                                .threads = 1};
    const jg_routine *routine = made->routine;
    made->scratch_nbytes = routine->scratch ? routine->scratch(&made->call) : 0;
    int64_t elements = routine->work ? routine->work(&made->call) : count_elements(&made->call);
    if (__builtin_mul_overflow(elements, ELEMENT_STEPS, &out->work))
        out->work = INT64_MAX;
    out->label = label;
    plan_log_routine(made);
    return plan_code_of_routine(draft->walk->device, primitive, &made->call, &out->code);
}

const jg_routine *plan_routine_of(jg_primitive primitive)
{
    return routines[primitive];
}

jg_status plan_lower_routine(plan_draft *draft, const plan_group *group, plan_launch *out)
{
    const call_nodes nodes = collect_nodes(draft, group);
    const jg_array *x = nodes.x;
    JG_TRY(alloc_launch(&nodes, out));
    fill_call(&nodes, out);
    JG_TRY(plan_finish_routine(draft, (jg_primitive)x->primitive, nodes.nresults, (jg_op)x->label,
                               out));
    if (is_in_place(x, out))
        out->operands[x->ninputs].in_place = 1;
    return JG_OK;
}
