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

/* How many of the tape's messages were built before an entry's node. gives: *count, of all */
static uint64_t rank_message(const transform_tape *tape, jg_array *node, uint64_t *count)
{
    uint64_t before = 0;
    *count = 0;
    for (int i = 0; i < tape_count(tape); ++i) {
        jg_array *other = tape_entries(tape)[i].node;
        if (!node_is_message(other))
            continue;
        *count += 1;
        before += node_message_rank(other) < node_message_rank(node);
    }
    return before;
}

/* The order of messages is that in which the function sent them, not that of the tape. first: of
 * the tape's messages; 0 before the first one */
static void order_message(const transform_tape *tape, jg_array *node, jg_array *made,
                          uint64_t *first)
{
    uint64_t count, rank = rank_message(tape, node, &count);
    if (*first == 0)
        *first = graph_group_order(count);
    *node_message_order(made) = *first + rank;
}

static jg_status replay_entry(const transform_tape *tape, int at, jg_array **values,
                              uint64_t *first)
{
    jg_array *node = tape_entries(tape)[at].node, **out = &values[tape->nmarkers + at];
    if (JG_UNLIKELY(node_custom_call(node) != NULL))
        return custom_replay(tape, at, values);
    JG_TRY(build_entry(tape, &tape_entries(tape)[at], values, out));
    if (JG_UNLIKELY(node_is_message(node)))
        order_message(tape, node, *out, first);
    return JG_OK;
}

jg_status tape_replay(const transform_tape *tape, jg_array **values, replay_hook *hook,
                      void *context)
{
    const tape_entry *entries = tape_entries(tape);
    bool several = false;
    uint64_t first = 0;
    for (int i = 0; i < tape_count(tape); ++i) {
        JG_TRY(replay_entry(tape, i, values, &first));
        if (hook != NULL)
            JG_TRY(hook(context, i, &values[tape->nmarkers + i]));
        several |= entries[i].node->nresults != 0;
    }
    for (int i = 0; i < tape_count(tape) && several; ++i)
        if (entries[i].node->nresults != 0)
            JG_TRY(join_siblings(tape, values, i));
    return JG_OK;
}
