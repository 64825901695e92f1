/* SPDX-License-Identifier: Apache-2.0 */
/* Divides the evaluation of a graph into runs.
 *
 * A graph whose nodes all belong to one stream is one run. Where it crosses streams, what is read
 * on another stream must be stored: such nodes are ports, as are the arrays asked for. A port's
 * level is the most crossings on a way down from it. Ports are scheduled level by level, those of
 * one stream and level as one run; so when a run is scheduled, all it reads from other streams has
 * storage, and an event to wait for.
 *
 * A message between processes is a port and a run of its own. Those of a group run in the order in
 * which they were built, whatever the walk's order is: none is on a lower level than one that was
 * built before it. */
#include "run/calls.h"
#include "run/frame.h"
#include "run/targets.h"
#include "run/trace.h"
#include <stdlib.h>

typedef struct port {
    int level;
    uint32_t slot;  /* of the first walk, for an order that is the same each time */
    jg_array *node; /* borrowed: held by its users or the caller */
} port;

/* The data about each slot while ports are searched. */
typedef struct crossing {
    int level;
    bool is_port;
} crossing;

JG_COLD static jg_status walk_traced(graph_walk *walk, walk_mode mode, int count,
                                     jg_array *const *arrays)
{
    int64_t start = trace_clock();
    JG_TRY(graph_walk_from(walk, mode, count, arrays));
    trace_add_count("plan", "walk", start, "nodes", walk_count(walk));
    run_trace_build(walk_count(walk));
    return JG_OK;
}

static jg_status walk_arrays(graph_walk *walk, walk_mode mode, int count, jg_array *const *arrays)
{
    return trace_is_on() ? walk_traced(walk, mode, count, arrays)
                         : graph_walk_from(walk, mode, count, arrays);
}

JG_COLD static jg_status find_plan_traced(graph_walk *walk, base_vec *key, bool fusing,
                                          jg_plan **out)
{
    int64_t start = trace_clock();
    JG_TRY(plan_find(walk, fusing, key, out));
    trace_add_count("plan", "find plan", start, "launches", (*out)->nlaunches);
    return JG_OK;
}

static jg_status find_plan(graph_walk *walk, base_vec *key, bool fusing, jg_plan **out)
{
    return trace_is_on() ? find_plan_traced(walk, key, fusing, out)
                         : plan_find(walk, fusing, key, out);
}

static jg_status start_walked(graph_walk *walk, base_vec *key, bool fusing, run_evaluation **later)
{
    jg_plan *plan;
    JG_TRY(find_plan(walk, key, fusing, &plan));
    jg_status status = run_plan(walk, plan, later);
    plan_leave(plan);
    return status;
}

static bool is_pending_message(const jg_array *x)
{
    return node_is_message(x) && !node_has_storage(x);
}

/* Looks at the edges of a slot whose inputs, which come before it in the walk, have their
 * levels. */
static void cross_inputs(const graph_walk *walk, int slot, crossing *slots)
{
    const jg_array *x = walk_nodes(walk)[slot];
    slots[slot].is_port |= is_pending_message(x);
    for (int i = 0; i < x->ninputs && !node_has_storage(x); ++i) {
        if (node_has_storage(x->inputs[i]))
            continue;
        const jg_array *read = node_root(x->inputs[i]);
        bool crosses = read->stream != x->stream;
        int level = slots[read->slot].level + crosses;
        slots[read->slot].is_port |= crosses;
        if (level > slots[slot].level)
            slots[slot].level = level;
    }
}

static int compare_ports(const void *a, const void *b)
{
    const port *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->node->stream != y->node->stream)
        return x->node->stream < y->node->stream ? -1 : 1;
    bool ordered = node_is_message(x->node) && node_is_message(y->node);
    uint64_t first = ordered ? node_message_rank(x->node) : x->slot;
    uint64_t second = ordered ? node_message_rank(y->node) : y->slot;
    return first < second ? -1 : first > second;
}

static int compare_messages(const void *a, const void *b)
{
    uint64_t first = node_message_rank(*(jg_array *const *)a);
    uint64_t second = node_message_rank(*(jg_array *const *)b);
    return first < second ? -1 : first > second;
}

/* out: jg_array *, borrowed, in the order in which they were built */
static jg_status collect_messages(const graph_walk *walk, base_vec *out)
{
    for (int i = 0; i < walk_count(walk); ++i) {
        jg_array *x = walk_nodes(walk)[i];
        if (is_pending_message(x))
            JG_TRY(vec_append(out, &x, sizeof x));
    }
    if (out->nbytes > 0)
        qsort(out->data, out->nbytes / sizeof(jg_array *), sizeof(jg_array *), compare_messages);
    return JG_OK;
}

/* gives: whether some message got a higher level, which what depends on it is still to get */
static bool raise_messages(const base_vec *messages, crossing *slots)
{
    jg_array *const *all = (jg_array *const *)(const void *)messages->data;
    bool raised = false;
    for (size_t i = 0, count = messages->nbytes / sizeof *all; i < count; ++i)
        for (size_t j = i; j-- > 0;) {
            if (all[j]->stream != all[i]->stream)
                continue;
            raised |= slots[all[i]->slot].level < slots[all[j]->slot].level;
            if (slots[all[i]->slot].level < slots[all[j]->slot].level)
                slots[all[i]->slot].level = slots[all[j]->slot].level;
            break; /* that one is on no lower level than those before it */
        }
    return raised;
}

/* The loop ends: levels rise with each pass, and a node that is built later is never an input. */
static jg_status find_levels(const graph_walk *walk, crossing *slots)
{
    base_vec messages = {0};
    jg_status status = collect_messages(walk, &messages);
    bool raised = status == JG_OK;
    while (raised) {
        for (int i = 0; i < walk_count(walk); ++i)
            cross_inputs(walk, i, slots);
        raised = raise_messages(&messages, slots);
    }
    vec_clear(&messages);
    return status;
}

static jg_status collect_ports(const graph_walk *walk, const crossing *slots, base_vec *ports)
{
    for (int i = 0; i < walk_count(walk); ++i) {
        port found = {slots[i].level, (uint32_t)i, walk_nodes(walk)[i]};
        if (slots[i].is_port)
            JG_TRY(vec_append(ports, &found, sizeof found));
    }
    if (ports->nbytes > 0)
        qsort(ports->data, ports->nbytes / sizeof(port), sizeof(port), compare_ports);
    return JG_OK;
}

/* gives: ports, in the order in which they are to be scheduled, also after a failure for
 * vec_clear */
static jg_status find_ports(const graph_walk *walk, int count, jg_array *const *arrays,
                            base_vec *ports)
{
    int nslots = walk_count(walk);
    crossing *slots = base_alloc_zeroed((size_t)nslots * sizeof *slots);
    if (slots == NULL)
        return base_nomem((size_t)nslots * sizeof *slots, "an evaluation");
    jg_status status = find_levels(walk, slots);
    for (int i = 0; i < count; ++i)
        if (!node_has_storage(arrays[i]))
            slots[node_root(arrays[i])->slot].is_port = true;
    if (status == JG_OK)
        status = collect_ports(walk, slots, ports);
    base_free(slots);
    return status;
}

static void enqueue(run_evaluation *run)
{
    if (run != NULL && !run_submit(run))
        run_finish(run, NULL); /* slow, but the later runs may need its results */
}

/* How many of the ports at first, of the count there are, one run serves; they are put in batch. A
 * message is alone. */
static int take_batch(const port *first, int count, jg_array **batch)
{
    int taken = 0;
    for (; taken < count && first[taken].level == first->level &&
           first[taken].node->stream == first->node->stream &&
           !(taken > 0 && node_is_message(first[taken].node));
         ++taken)
        batch[taken] = first[taken].node;
    return taken;
}

/* One run after the other, each walked again: what is stored by one is a leaf of the next. Those
 * before the last are queued as soon as the next is begun, so that it finds them queued when it
 * waits for them. */
static jg_status start_ports(graph_walk *walk, base_vec *key, bool fusing, const base_vec *ports,
                             run_evaluation **last)
{
    const port *all = (const port *)(void *)ports->data;
    int count = (int)(ports->nbytes / sizeof *all);
    jg_status status = JG_OK;
    jg_array **batch = base_alloc((size_t)count * sizeof(jg_array *));
    if (batch == NULL)
        return base_nomem((size_t)count * sizeof(jg_array *), "an evaluation");
    for (int i = 0; i < count && status == JG_OK;) {
        enqueue(*last);
        *last = NULL;
        int taken = take_batch(&all[i], count - i, batch);
        status = graph_walk_from(walk, WALK_ASKED, taken, batch);
        if (status == JG_OK)
            status = start_walked(walk, key, fusing, last);
        i += taken;
    }
    base_free(batch);
    return status;
}

static jg_status start_crossing(graph_walk *walk, base_vec *key, bool fusing, int count,
                                jg_array *const *arrays, run_evaluation **last)
{
    base_vec ports = {0};
    run_targets_end(); /* a later run may read what an earlier one would write over */
    jg_status status = find_ports(walk, count, arrays, &ports);
    if (status == JG_OK)
        status = start_ports(walk, key, fusing, &ports, last);
    vec_clear(&ports);
    return status;
}

static jg_status schedule(graph_walk *walk, base_vec *key, bool fusing, walk_mode mode, int count,
                          jg_array *const *arrays, run_evaluation **last)
{
    JG_TRY(walk_arrays(walk, mode, count, arrays));
    return JG_LIKELY(!walk->crosses) ? start_walked(walk, key, fusing, last)
                                     : start_crossing(walk, key, fusing, count, arrays, last);
}

/* Whether a routine reads what a range is the root of: it has to be in memory then. */
static bool is_read_by_routine(const graph_walk *walk, const jg_array *range)
{
    for (int i = 0; i < walk_count(walk); ++i) {
        const jg_array *x = walk_nodes(walk)[i];
        for (int j = 0; j < x->ninputs && !node_has_storage(x); ++j)
            if (primitive_rows[x->primitive].kind >= PRIMITIVE_ROUTINE &&
                node_root(x->inputs[j]) == range)
                return true;
    }
    return false;
}

void run_discount_call(const graph_walk *walk, const deferred_call *call)
{
    const deferred_function *function = call->function;
    graph_walk_discount(walk, call->nargs, call->arrays);
    for (int i = 0; i < function->nconstants; ++i) {
        jg_array *root = node_root(function->constants[i]);
        if (root->primitive == PRIMITIVE_arange && root->mark == walk->epoch && root->stored)
            walk_set_stored(root, node_has_storage(root) || is_read_by_routine(walk, root));
    }
}

/* The walk of the call's nodes gives the plan that later calls find by the function. */
static jg_status start_built(graph_walk *walk, base_vec *key, bool fusing, deferred_call *call,
                             uint64_t live, jg_array *const *results, run_evaluation **last)
{
    jg_plan *plan;
    run_discount_call(walk, call);
    JG_TRY(find_plan(walk, key, fusing, &plan));
    if (!walk->moves && walk->stream == call->stream)
        run_calls_keep(call, live, fusing, walk, results, plan);
    jg_status status = run_plan(walk, plan, last);
    plan_leave(plan);
    return status;
}

/* The first evaluation of a function's call. The call is held until it has run, so that arguments
 * can be told apart. */
static jg_status schedule_built(graph_walk *walk, base_vec *key, bool fusing, int count,
                                jg_array *const *arrays, deferred_call *call, uint64_t live,
                                run_evaluation **last)
{
    size_t nbytes = (size_t)call->nresults * sizeof(jg_array *);
    jg_array **results = base_alloc(nbytes);
    if (results == NULL)
        return base_nomem(nbytes, "an evaluation");
    for (int i = 0; i < call->nresults; ++i)
        results[i] = live == DEFERRED_ALL || (live >> i & 1) ? deferred_results(call)[i] : NULL;
    jg_status status = walk_arrays(walk, WALK_ASKED, count, arrays);
    if (status == JG_OK)
        status = walk->crosses ? start_crossing(walk, key, fusing, count, arrays, last)
                               : start_built(walk, key, fusing, call, live, results, last);
    base_free(results);
    return status;
}

JG_COLD static void trace_bound(int64_t start, const jg_plan *plan)
{
    trace_add_count("plan", "find plan", start, "launches", plan->nlaunches);
    run_trace_build(plan->nslots);
}

static jg_status schedule_call(graph_walk *walk, base_vec *key, bool fusing, int count,
                               jg_array *const *arrays, deferred_call *call, uint64_t live,
                               run_evaluation **last)
{
    int64_t start = trace_start();
    jg_plan *plan;
    const call_plan *entry = run_calls_find(call, live, fusing);
    if (JG_UNLIKELY(entry == NULL)) {
        deferred_call_retain(call);
        jg_status status = schedule_built(walk, key, fusing, count, arrays, call, live, last);
        deferred_call_release(call);
        return status;
    }
    JG_TRY(run_calls_bind(entry, call, walk, &plan));
    if (JG_UNLIKELY(atomic_load_explicit(&call->function->expanded, memory_order_relaxed) != 0))
        atomic_store_explicit(&call->function->expanded, 0, memory_order_relaxed);
    if (start != 0)
        trace_bound(start, plan);
    jg_status status = run_plan(walk, plan, last);
    plan_release(plan); /* the function may have been freed by the run */
    return status;
}

jg_status run_schedule_arrays(graph_walk *walk, base_vec *key, bool fusing, walk_mode mode,
                              int count, jg_array *const *arrays, run_evaluation **last)
{
    uint64_t live;
    *last = NULL;
    deferred_call *call = mode == WALK_ASKED ? deferred_lone(count, arrays, &live) : NULL;
    jg_status status = call != NULL
                           ? schedule_call(walk, key, fusing, count, arrays, call, live, last)
                           : schedule(walk, key, fusing, mode, count, arrays, last);
    if (JG_UNLIKELY(status != JG_OK) && graph_group_any() &&
        !(status == JG_ERR_NOMEM && reserve_lacks()))
        status = run_skip_messages(walk, count, arrays, status);
    graph_walk_end(walk);
    return status;
}
