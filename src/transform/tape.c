/* SPDX-License-Identifier: Apache-2.0 */
/* The tape: a walk with a stack of its own from results to markers, through nodes that are traced.
 * Nodes that the walk meets hold its number in `mark`; `stored` tells then whether they depend on a
 * marker, and `slot` which slot they have. */
#include "transform/transform.h"

typedef struct tape_frame {
    jg_array *node;
    int input;
} tape_frame;

typedef struct tape_walk {
    transform_tape *tape;
    tape_kind kind;
    uint64_t epoch;
    base_vec stack;
} tape_walk;

/* On a tape `stored` tells whether the node depends on a marker. */
static void mark(const tape_walk *walk, jg_array *node, bool depends, uint32_t slot)
{
    walk_visit(node, walk->epoch, slot, depends);
}

static void mark_markers(const tape_walk *walk, int count, jg_array *const *markers)
{
    for (int i = 0; i < count; ++i)
        if (markers[i]->mark != walk->epoch)
            mark(walk, markers[i], true, (uint32_t)i);
}

/* The edges that the tape follows from a node: some of what tape_arrays gives. */
typedef struct tape_edges {
    jg_array *const *arrays;
    int first, end;
} tape_edges;

static tape_edges edges_of(const tape_walk *walk, const jg_array *node)
{
    const graph_custom_call *call = node_custom_call(node);
    if (JG_LIKELY(call == NULL))
        return (tape_edges){node->inputs, 0, node->ninputs};
    int value = call->ninputs + node->attributes.custom.number;
    switch (custom_way_of(call, walk->kind)) {
    case CUSTOM_RULE: return (tape_edges){call->arrays, 0, call->ninputs};
    case CUSTOM_VALUE: return (tape_edges){call->arrays, value, value + 1};
    case CUSTOM_ALL: break;
    }
    return (tape_edges){call->arrays, 0, call->ninputs + call->noutputs};
}

static jg_status meet(tape_walk *walk, jg_array *node)
{
    mark(walk, node, false, 0);
    if (!node_is_traced(node) || node->ninputs == 0)
        return JG_OK;
    const tape_frame frame = {node, edges_of(walk, node).first};
    return vec_append(&walk->stack, &frame, sizeof frame);
}

static int32_t slot_of(const tape_walk *walk, const jg_array *node)
{
    return node->mark == walk->epoch && node->stored ? (int32_t)node->slot : -1;
}

/* Whether a change of the node's inputs can change it in the way that the tape is for. A view with
 * another dtype reinterprets bits, so no derivative passes it. */
static bool passes(const tape_walk *walk, const jg_array *node)
{
    if (walk->kind != TAPE_REVERSE && walk->kind != TAPE_FORWARD)
        return true;
    if (node->primitive == PRIMITIVE_view && node->dtype != node->inputs[0]->dtype)
        return false;
    return transform_has_derivative((jg_dtype)node->dtype) &&
           (transform_row_of(node)->way != DERIVATIVE_NONE);
}

/* The entry that is to be appended is a result of the call: it follows the last one before. */
static jg_status append_links(tape_walk *walk, graph_custom_call *call)
{
    transform_tape *tape = walk->tape;
    int32_t number = tape_count(tape);
    custom_links links = {-1, number};
    if (call->mark == walk->epoch) {
        custom_links *last = custom_links_of(tape, &tape_entries(tape)[call->slot]);
        last->next = number;
        links.first = last->first;
    }
    walk_visit_call(call, walk->epoch, (uint32_t)number);
    return vec_append(&tape->slots, &links, sizeof links);
}

static jg_status append_slots(tape_walk *walk, const jg_array *node, tape_edges edges)
{
    graph_custom_call *call = node_custom_call(node);
    int count = tape_ninputs(node);
    for (int i = 0; i < count; ++i) {
        bool goes = i >= edges.first && i < edges.end;
        int32_t slot = goes ? slot_of(walk, edges.arrays[i]) : -1;
        JG_TRY(vec_append(&walk->tape->slots, &slot, sizeof slot));
    }
    return call == NULL ? JG_OK : append_links(walk, call);
}

static jg_status finish(tape_walk *walk, jg_array *node)
{
    transform_tape *tape = walk->tape;
    const tape_edges edges = edges_of(walk, node);
    bool depends = false;
    for (int i = edges.first; i < edges.end && !depends; ++i)
        depends = slot_of(walk, edges.arrays[i]) >= 0;
    if (!depends || !passes(walk, node))
        return JG_OK;
    const tape_entry entry = {node, tape->slots.nbytes / sizeof(int32_t)};
    JG_TRY(append_slots(walk, node, edges));
    uint32_t slot = (uint32_t)(tape->nmarkers + tape_count(tape));
    JG_TRY(vec_append(&tape->entries, &entry, sizeof entry));
    jg_array_retain(node);
    mark(walk, node, true, slot);
    return JG_OK;
}

static jg_status visit(tape_walk *walk)
{
    while (walk->stack.nbytes > 0) {
        tape_frame *frame = (tape_frame *)(void *)(walk->stack.data + walk->stack.nbytes) - 1;
        jg_array *node = frame->node;
        const tape_edges edges = edges_of(walk, node);
        if (frame->input < edges.end) {
            jg_array *input = edges.arrays[frame->input++];
            if (input->mark != walk->epoch)
                JG_TRY(meet(walk, input));
        } else {
            walk->stack.nbytes -= sizeof *frame;
            JG_TRY(finish(walk, node));
        }
    }
    return JG_OK;
}

static jg_status walk_from(tape_walk *walk, int noutputs, jg_array *const *outputs)
{
    for (int i = 0; i < noutputs; ++i) {
        if (outputs[i]->mark != walk->epoch)
            JG_TRY(meet(walk, outputs[i]));
        JG_TRY(visit(walk));
    }
    return JG_OK;
}

jg_status tape_build(tape_kind kind, int nmarkers, jg_array *const *markers, int noutputs,
                     jg_array *const *outputs, transform_tape *out, int32_t *out_slots)
{
    *out = (transform_tape){.nmarkers = nmarkers};
    tape_walk walk = {.tape = out, .kind = kind};
    run_lock();
    walk.epoch = walk_next_epoch();
    mark_markers(&walk, nmarkers, markers);
    jg_status status = walk_from(&walk, noutputs, outputs);
    for (int i = 0; i < noutputs && status == JG_OK; ++i)
        out_slots[i] = slot_of(&walk, outputs[i]);
    run_unlock();
    vec_clear(&walk.stack);
    return status;
}

void tape_clear(transform_tape *tape)
{
    tape_entry *entries = tape_entries(tape);
    for (int i = tape_count(tape); i-- > 0;)
        jg_array_release(entries[i].node);
    vec_clear(&tape->entries);
    vec_clear(&tape->slots);
}
