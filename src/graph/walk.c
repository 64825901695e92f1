/* SPDX-License-Identifier: Apache-2.0 */
/* Walking a graph with a stack of its own: depth first, inputs before the nodes that use them.
 *
 * A view of something not yet computed, a window, is walked as its root; a view of memory that is
 * there is a leaf like any other memory. Siblings come one after the other, wherever one of them
 * was met. */
#include "graph/graph.h"
#include <stdlib.h>

/* A node on the stack and how many of its inputs have been followed. */
typedef struct walk_frame {
    jg_array *node;
    int input;
    int first; /* of two inputs: the number of the one that is followed first */
} walk_frame;

static void mark(const graph_walk *walk, jg_array *node)
{
    node->mark = walk->epoch;
    node->uses = 0;
    node->stored = false;
}

static jg_status push(graph_walk *walk, jg_array *node)
{
    void *frame;
    mark(walk, node);
    JG_TRY(vec_grow(&walk->stack, sizeof(walk_frame), &frame));
    bool backwards = node->ninputs == 2 && node->inputs[0]->height < node->inputs[1]->height;
    *(walk_frame *)frame = (walk_frame){node, 0, backwards};
    return JG_OK;
}

/* Visits the siblings that nothing has led to yet; the walk's own reference to each is a use. */
JG_COLD static jg_status push_siblings(graph_walk *walk, jg_array *node)
{
    size_t at = walk->held.nbytes;
    jg_status status = siblings_collect(node, walk->epoch, &walk->held);
    for (; at < walk->held.nbytes && status == JG_OK; at += sizeof node) {
        jg_array *sibling = *(jg_array **)(void *)(walk->held.data + at);
        status = push(walk, sibling);
        sibling->uses = 1;
    }
    return status;
}

/* Gives the node its slot. */
static jg_status finish(graph_walk *walk, jg_array *node)
{
    node->slot = (uint32_t)walk_count(walk);
    walk->customs |= node->primitive == PRIMITIVE_custom;
    JG_TRY(vec_append(&walk->nodes, &node, sizeof node));
    if (JG_LIKELY(node->nresults == 0) || node_has_storage(node))
        return JG_OK;
    return push_siblings(walk, node);
}

/* Visits a node for the first time. Memory, and a number, has nothing below it; memory that is
 * traced may have kept its inputs. */
static jg_status meet(graph_walk *walk, jg_array *node)
{
    if (JG_UNLIKELY(node_deferred_call(node) != NULL))
        JG_TRY(deferred_expand(node));
    if (node->ninputs > 0 && node->primitive != PRIMITIVE_view && !node_has_storage(node))
        return push(walk, node);
    if (JG_UNLIKELY(node_is_placeholder(node)))
        return traced_fail_placeholder(node);
    mark(walk, node);
    return finish(walk, node);
}

/* An edge to x: counts it, and visits x if that is still to do. A window with a reference from
 * outside will be looked through later, so its root must be stored; a window is counted once, when
 * it is first met. */
static jg_status follow(graph_walk *walk, jg_array *x)
{
    jg_array *target = walk_target(x);
    if (target->mark != walk->epoch)
        JG_TRY(meet(walk, target));
    if (JG_LIKELY(target == x)) {
        target->uses += 1;
        return JG_OK;
    }
    walk->windows = true;
    if (x->mark != walk->epoch) {
        x->mark = walk->epoch;
        x->uses = 0;
        target->uses += 1; /* the window's own reference to its root */
    }
    return JG_OK;
}

/* The input that is followed next: inputs of larger height come first. The inputs of a node with
 * many are followed in their own order. */
static jg_array *next_input(walk_frame *frame)
{
    int i = frame->input++;
    const jg_array *node = frame->node;
    jg_array *const *inputs = node->inputs;
    if (node->ninputs == 2)
        return inputs[i ^ frame->first];
    if (node->ninputs != 3)
        return inputs[i];
    int order[] = {0, 1, 2};
    for (int j = 1; j < 3; ++j)
        for (int k = j; k > 0 && inputs[order[k]]->height > inputs[order[k - 1]]->height; --k) {
            int other = order[k];
            order[k] = order[k - 1];
            order[k - 1] = other;
        }
    return inputs[order[i]];
}

static walk_frame *top_of(const graph_walk *walk)
{
    return (walk_frame *)(void *)(walk->stack.data + walk->stack.nbytes) - 1;
}

static jg_status visit(graph_walk *walk)
{
    while (walk->stack.nbytes > 0) {
        walk_frame *frame = top_of(walk);
        jg_array *node = frame->node;
        if (frame->input < node->ninputs) {
            JG_TRY(follow(walk, next_input(frame)));
        } else {
            walk->stack.nbytes -= sizeof *frame;
            JG_TRY(finish(walk, node));
        }
    }
    return JG_OK;
}

/* Never 0, the mark of new nodes. */
uint64_t walk_next_epoch(void)
{
    static uint64_t epoch; /* guarded by the evaluation lock */
    return ++epoch;
}

/* Windows are not in `nodes`, so whether one is held outside is seen at the edges that go through
 * it: first all of a window's edges are counted, then compared with its references. follow has set
 * the count to zero. */
static void count_windows(graph_walk *walk)
{
    int count = walk_count(walk);
    jg_array **nodes = walk_nodes(walk);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < count; ++i) {
            if (node_has_storage(nodes[i]))
                continue;
            for (int j = 0; j < nodes[i]->ninputs; ++j) {
                jg_array *x = nodes[i]->inputs[j];
                if (!node_is_window(x))
                    continue;
                if (pass == 0)
                    x->uses += 1;
                else if ((int)x->uses < atomic_load_explicit(&x->refs, memory_order_acquire))
                    node_root(x)->stored |= !node_is_number(node_root(x));
            }
        }
    }
}

/* References that a call holds to nodes of the walk are counted as uses: they do not force the
 * nodes to be stored, because the call is dropped when its results get storage. */
static void count_call(const graph_walk *walk, graph_custom_call *call)
{
    if (call->mark == walk->epoch)
        return;
    walk_visit_call(call, walk->epoch, 0);
    for (int i = 0; i < call->ninputs + call->noutputs; ++i)
        if (call->arrays[i]->mark == walk->epoch && (i < call->nfree || i >= call->ninputs))
            call->arrays[i]->uses += 1;
}

/* Without a trace in progress the calls can no longer be asked for. */
static void settle_calls(const graph_walk *walk)
{
    int count = walk_count(walk);
    jg_array **nodes = walk_nodes(walk);
    bool traced = traced_is_any();
    for (int i = 0; i < count; ++i) {
        graph_custom_call *call = node_has_storage(nodes[i]) ? NULL : node_custom_call(nodes[i]);
        if (call != NULL && traced)
            count_call(walk, call);
        else if (call != NULL)
            node_forget_call(nodes[i]);
    }
}

/* Decides what the nodes of the walk become, once all edges are known.
 *
 * A node with more references than edges is held from outside the walk, so its value is stored.
 * Other threads may add and drop references meanwhile, but only to nodes that are held from
 * outside. To store a value that is not needed costs memory only.
 *
 * The last node has to be computed unless all targets have storage, so its stream is the walk's
 * stream. gives: whether some node is traced */
static bool settle(graph_walk *walk)
{
    int count = walk_count(walk);
    jg_array **nodes = walk_nodes(walk);
    unsigned devices = 0;
    int messages = 0;
    bool traced = false;
    walk->stream = count > 0 ? nodes[count - 1]->stream : 0;
    walk->device = count > 0 ? node_device(nodes[count - 1]) : 0;
    walk->crosses = false;
    for (int i = 0; i < count; ++i) {
        jg_array *node = nodes[i];
        if ((int)node->uses < atomic_load_explicit(&node->refs, memory_order_acquire))
            node->stored |= !node_is_number(node);
        if (JG_UNLIKELY(node->stream != walk->stream))
            walk->crosses |= !node_has_storage(node);
        messages += node_is_message(node) && !node_has_storage(node);
        devices |= node->device;
        traced |= node_is_traced(node);
    }
    walk->crosses |= messages > 1;
    walk->moves = (devices & NODE_DEVICE) != 0;
    return traced;
}

/* The inputs of a node that keeps its inputs must not be overwritten: inputs in memory are treated
 * as if they were held from outside, and inputs that are not stored may be computed again. keeps:
 * by slot, whether a node that keeps its inputs needs the slot's value */
static void keep_among(const graph_walk *walk, char *keeps, int count, jg_array *const *arrays)
{
    for (int i = 0; i < count; ++i) {
        jg_array *target = walk_target(arrays[i]);
        if (target->mark != walk->epoch)
            continue;
        keeps[target->slot] = true;
        target->stored |= node_has_storage(target);
    }
}

/* Traced nodes keep their inputs when they get storage. A node comes after its inputs in the
 * walk. */
static jg_status keep_inputs(graph_walk *walk)
{
    int count = walk_count(walk);
    jg_array **nodes = walk_nodes(walk);
    char *keeps = base_alloc_zeroed((size_t)count);
    if (keeps == NULL)
        return base_nomem((size_t)count, "an evaluation");
    for (int i = count - 1; i >= 0; --i) {
        jg_array *node = nodes[i];
        bool again = keeps[i] && !node->stored;
        if (node_has_storage(node) || !(again || node_is_traced(node)))
            continue;
        const graph_custom_call *call = node_custom_call(node);
        keep_among(walk, keeps, node->ninputs, node->inputs);
        if (call != NULL)
            keep_among(walk, keeps, call->ninputs + call->noutputs, call->arrays);
    }
    base_free(keeps);
    return JG_OK;
}

/* The caller's references count as uses. A node without another use would be computed in vain, so
 * it is stored. */
static void sweep(int count, jg_array *const *arrays)
{
    for (int i = 0; i < count; ++i) {
        jg_array *target = walk_target(arrays[i]);
        target->stored = target->uses == 0;
    }
    for (int i = 0; i < count; ++i)
        walk_target(arrays[i])->uses += 1;
}

static int compare_heights(const void *a, const void *b)
{
    uint32_t left = (*(jg_array *const *)a)->height, right = (*(jg_array *const *)b)->height;
    return (left > right) - (left < right);
}

static jg_status visit_target(graph_walk *walk, jg_array *x)
{
    jg_array *target = walk_target(x);
    if (target->mark != walk->epoch)
        JG_TRY(meet(walk, target));
    return visit(walk);
}

/* Several are visited in the order of their heights. */
static jg_status visit_targets(graph_walk *walk, int count, jg_array *const *arrays)
{
    base_vec sorted = {0};
    if (count == 1)
        return visit_target(walk, arrays[0]);
    JG_TRY(vec_append(&sorted, arrays, (size_t)count * sizeof *arrays));
    jg_array **items = (jg_array **)(void *)sorted.data;
    jg_status status = JG_OK;
    qsort(items, (size_t)count, sizeof *items, compare_heights);
    for (int i = 0; i < count && status == JG_OK; ++i)
        status = visit_target(walk, items[i]);
    vec_clear(&sorted);
    return status;
}

jg_status graph_walk_from(graph_walk *walk, walk_mode mode, int count, jg_array *const *arrays)
{
    graph_walk_end(walk);
    walk->nodes.nbytes = walk->stack.nbytes = 0;
    walk->epoch = walk_next_epoch();
    walk->windows = walk->customs = false;
    if (count > 0)
        JG_TRY(visit_targets(walk, count, arrays));
    for (int i = 0; i < count && mode == WALK_ASKED; ++i)
        walk_target(arrays[i])->stored = true;
    if (mode == WALK_SWEPT)
        sweep(count, arrays);
    if (walk->customs)
        settle_calls(walk);
    if (walk->windows)
        count_windows(walk);
    bool traced = settle(walk);
    return JG_UNLIKELY(traced) && traced_is_any() ? keep_inputs(walk) : JG_OK;
}

void graph_walk_discount(const graph_walk *walk, int count, jg_array *const *leaves)
{
    for (int i = 0; i < count; ++i)
        if (leaves[i]->mark == walk->epoch)
            leaves[i]->uses += 1;
    for (int i = 0; i < count; ++i)
        if (leaves[i]->mark == walk->epoch)
            leaves[i]->stored =
                (int)leaves[i]->uses < atomic_load_explicit(&leaves[i]->refs, memory_order_acquire);
}

void walk_renumber(const graph_walk *walk)
{
    for (int i = 0; i < walk_count(walk); ++i)
        walk_nodes(walk)[i]->slot = (uint32_t)i;
}

void graph_walk_end(graph_walk *walk)
{
    jg_array **held = (jg_array **)(void *)walk->held.data;
    size_t count = walk->held.nbytes / sizeof(jg_array *);
    walk->held.nbytes = 0;
    for (size_t i = 0; i < count; ++i)
        jg_array_release(held[i]);
}

void graph_walk_clear(graph_walk *walk)
{
    graph_walk_end(walk);
    vec_clear(&walk->held);
    vec_clear(&walk->nodes);
    vec_clear(&walk->stack);
}
