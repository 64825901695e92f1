/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a tape built again from other values of its markers. */
#include "transform/transform.h"

static jg_status build_entry(const transform_tape *tape, const tape_entry *entry, jg_array **values,
                             jg_array **out)
{
    const int32_t *slots = tape_inputs(tape, entry);
    jg_array *node = entry->node, *few[GRAPH_FEW_INPUTS], **inputs = few;
    size_t nbytes = (size_t)node->ninputs * sizeof *inputs;
    if (node->ninputs > GRAPH_FEW_INPUTS && (inputs = base_alloc(nbytes)) == NULL)
        return base_nomem(nbytes, "a call of a recorded function");
    for (int i = 0; i < node->ninputs; ++i)
        inputs[i] = slots[i] < 0 ? node->inputs[i] : values[slots[i]];
    jg_status status = transform_replay(node, inputs, out);
    if (inputs != few)
        base_free(inputs);
    return status;
}

/* The results of a call of a routine that are on the tape are those of one call again. They have
 * the same inputs, so the first of them to be met looks for the others. */
static jg_status join_siblings(const transform_tape *tape, jg_array **values, int first)
{
    const tape_entry *entries = tape_entries(tape);
    const jg_array *node = entries[first].node;
    jg_array *members[GRAPH_MAX_RESULTS];
    int count = 0;
    if (node->family == NULL)
        return JG_OK;
    for (int i = 0; i < tape_count(tape); ++i) {
        const jg_array *other = entries[i].node;
        if (other->nresults == 0 || other->family != node->family)
            continue;
        if (i < first)
            return JG_OK;
        members[count++] = values[tape->nmarkers + i];
    }
    return count > 1 ? siblings_join(count, members) : JG_OK;
}

jg_status tape_replay(const transform_tape *tape, jg_array **values, replay_hook *hook,
                      void *context)
{
    const tape_entry *entries = tape_entries(tape);
    bool several = false;
    for (int i = 0; i < tape_count(tape); ++i) {
        if (JG_UNLIKELY(node_custom_call(entries[i].node) != NULL))
            JG_TRY(custom_replay(tape, i, values));
        else
            JG_TRY(build_entry(tape, &entries[i], values, &values[tape->nmarkers + i]));
        if (hook != NULL)
            JG_TRY(hook(context, i, &values[tape->nmarkers + i]));
        several |= entries[i].node->nresults != 0;
    }
    for (int i = 0; i < tape_count(tape) && several; ++i)
        if (entries[i].node->nresults != 0)
            JG_TRY(join_siblings(tape, values, i));
    return JG_OK;
}
