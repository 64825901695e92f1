/* SPDX-License-Identifier: Apache-2.0 */
/* Batching: along the tape, each node built again from values with the batch as first axis. The
 * results of one call that the tape has are built together, so that they are computed at once. */
#include "transform/batch.h"
#include <string.h>

const batch_row batch_rows[PRIMITIVE_COUNT] = {
#define ALIGN .way = BATCH_ALIGN
#define AXES .way = BATCH_AXES
#define AXIS .way = BATCH_AXIS
#define LEADING .way = BATCH_LEADING
#define LOOP .way = BATCH_LOOP
#define BY(name) .way = BATCH_BY, .rule = batch_##name
#define NONE .way = BATCH_NONE
#define RULES(derivative, batch) batch
#define JG_PRIMITIVE(name, kind, ...) [PRIMITIVE_##name] = {__VA_ARGS__},
#include "op/primitive.def"
#undef JG_PRIMITIVE
};

typedef struct batch_pass {
    const transform_tape *tape;
    int64_t extent;
    jg_array **values; /* by slot, +1 each */
} batch_pass;

/* Nodes of one call that are built together, and the slots of their values. */
typedef struct call_results {
    int count;
    jg_array *nodes[GRAPH_MAX_RESULTS], **values[GRAPH_MAX_RESULTS];
} call_results;

/* The entry, and those after it that are results of the same call. */
static void collect_results(const batch_pass *pass, int first, call_results *out)
{
    const tape_entry *entries = tape_entries(pass->tape);
    const jg_array *node = entries[first].node;
    int count = tape_count(pass->tape);
    out->count = 0;
    for (int i = first; i < count && out->count < GRAPH_MAX_RESULTS; ++i) {
        jg_array *other = entries[i].node;
        if (i > first && (other->nresults == 0 || other->family != node->family))
            continue;
        out->nodes[out->count] = other;
        out->values[out->count++] = &pass->values[pass->tape->nmarkers + i];
        if (node->nresults == 0 || node->family == NULL || out->count == (int)node->nresults)
            break;
    }
}

static jg_status make_results(const batch_call *call, const call_results *results,
                              jg_array *const *inputs)
{
    int64_t shapes[GRAPH_MAX_RESULTS][JG_MAX_NDIM];
    graph_result forms[GRAPH_MAX_RESULTS];
    jg_array *made[GRAPH_MAX_RESULTS];
    for (int i = 0; i < results->count; ++i) {
        batch_call one = *call;
        one.node = results->nodes[i];
        JG_TRY(batch_shape(&one, shapes[i]));
        forms[i] = (graph_result){(jg_dtype)one.node->dtype, one.node->ndim + 1, shapes[i]};
    }
    JG_TRY(node_rebuild_results(results->count, results->nodes, forms, inputs,
                                node_attributes_of(call->node), made));
    for (int i = 0; i < results->count; ++i)
        *results->values[i] = made[i];
    return JG_OK;
}

static jg_status make_several(const batch_call *call, const void *context, jg_array *const *inputs)
{
    return make_results(call, context, inputs);
}

/* The axis is the first attribute wherever there is one. */
_Static_assert(offsetof(cumulative_attributes, axis) == 0 &&
                   offsetof(extremum_index_attributes, axis) == 0,
               "they lie in one place");

static jg_status shift_axis(const batch_call *call, jg_array **out)
{
    primitive_attributes attributes;
    batch_attributes(call->node, &attributes);
    attributes.cumulative.axis += 1;
    return batch_leading_as(call, &attributes, out);
}

static jg_status shift_axes(const batch_call *call, jg_array **out)
{
    primitive_attributes attributes;
    batch_attributes(call->node, &attributes);
    attributes.reduce_add.axes <<= 1;
    return batch_make(call, call->inputs, &attributes, out);
}

/* Inputs that are not mapped are broadcast unchanged. */
static jg_status align(const batch_call *call, jg_array **out)
{
    const jg_array *node = call->node;
    jg_array *inputs[GRAPH_FEW_INPUTS] = {NULL};
    jg_status status = JG_OK;
    int done = 0;
    for (; done < node->ninputs && status == JG_OK; done += status == JG_OK)
        if (call->mapped[done])
            status = batch_pad(call, done, node->ndim, &inputs[done]);
        else
            inputs[done] = jg_array_retain(call->inputs[done]);
    if (status == JG_OK)
        status = batch_make(call, inputs, NULL, out);
    node_release_all(done, inputs);
    return status;
}

static jg_status apply_rule(const batch_call *call, const call_results *results, jg_array **out)
{
    const batch_row *row = batch_row_of(call->node);
    switch ((batch_way)row->way) {
    case BATCH_ALIGN: return align(call, out);
    case BATCH_AXES: return shift_axes(call, out);
    case BATCH_AXIS: return shift_axis(call, out);
    case BATCH_LEADING: return batch_with_inputs(call, make_several, results);
    case BATCH_BY: return row->rule(call, out);
    case BATCH_NONE:
    case BATCH_LOOP: break;
    }
    return batch_loop(call, out);
}

/* Memory for the inputs of a call, and for whether they are mapped. */
static jg_status advance_from(const batch_pass *pass, int number, jg_array **inputs, bool *mapped)
{
    const tape_entry *entry = &tape_entries(pass->tape)[number];
    const int32_t *slots = tape_inputs(pass->tape, entry);
    const batch_call call = {entry->node, pass->extent, inputs, mapped};
    call_results results;
    for (int i = 0; i < entry->node->ninputs; ++i) {
        mapped[i] = slots[i] >= 0;
        inputs[i] = mapped[i] ? pass->values[slots[i]] : entry->node->inputs[i];
    }
    collect_results(pass, number, &results);
    return apply_rule(&call, &results, results.values[0]);
}

static jg_status advance(const batch_pass *pass, int number)
{
    size_t count = (size_t)tape_entries(pass->tape)[number].node->ninputs;
    jg_array *few[GRAPH_FEW_INPUTS];
    bool few_mapped[GRAPH_FEW_INPUTS];
    if (pass->values[pass->tape->nmarkers + number] != NULL)
        return JG_OK; /* with a result of the same call */
    if (node_custom_call(tape_entries(pass->tape)[number].node) != NULL)
        return custom_batch(pass->tape, number, pass->extent, pass->values);
    if (count <= GRAPH_FEW_INPUTS)
        return advance_from(pass, number, few, few_mapped);
    size_t nbytes = count * (sizeof(jg_array *) + sizeof(bool));
    jg_array **inputs = base_alloc(nbytes);
    if (inputs == NULL)
        return base_nomem(nbytes, "an op that is batched");
    jg_status status = advance_from(pass, number, inputs, (bool *)(inputs + count));
    base_free(inputs);
    return status;
}

jg_status batch_run(const transform_tape *tape, int64_t extent, jg_array *const *arguments,
                    int nslots, const int32_t *slots, jg_array **out)
{
    int nentries = tape_count(tape), count = tape->nmarkers + nentries;
    size_t nbytes = (size_t)count * sizeof *out;
    batch_pass pass = {tape, extent, base_alloc_zeroed(nbytes ? nbytes : 1)};
    jg_status status = JG_OK;
    if (pass.values == NULL)
        return base_nomem(nbytes, "the values of a batch");
    for (int i = 0; i < tape->nmarkers; ++i)
        pass.values[i] = jg_array_retain(arguments[i]);
    node_role before = node_enter_role(NODE_VALUE);
    for (int i = 0; i < nentries && status == JG_OK; ++i) {
        node_role role = (node_role)tape_entries(tape)[i].node->role;
        node_enter_role(role != NODE_VALUE ? role : before);
        status = advance(&pass, i);
    }
    node_enter_role(before);
    for (int i = 0; i < nslots && status == JG_OK; ++i)
        out[i] = slots[i] < 0 ? NULL : jg_array_retain(pass.values[slots[i]]);
    node_release_all(count, pass.values);
    base_free(pass.values);
    return status;
}
