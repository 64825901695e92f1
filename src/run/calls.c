/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of recorded functions. A call that is evaluated by itself finds its plan by the function
 * and by which results are wanted, without a walk, a key and a hash: a plan says everything about
 * slots, and only those of leaves, of results and of numbers need nodes when it runs. Which leaf is
 * which argument is kept with the plan.
 *
 * The evaluation lock guards all of it. */
#include "run/calls.h"
#include "run/run.h"
#include <string.h>

enum { MAX_PLANS = 8 }; /* of a function: for its first sets of results that are wanted */

/* A random key that the call uses: a number with a new value at each call. */
typedef struct call_key {
    int slot, argument;
} call_key;

/* A leaf that is a view of an argument: a transposed matrix, say. */
typedef struct call_view {
    int slot, argument;
    int64_t offset; /* from the argument's first element */
} call_view;

struct call_plan {
    call_plan *next;
    uint64_t live; /* a bit for each result that is stored */
    bool fusing;
    int nkeys, nviews;
    jg_plan *plan; /* +1 */
    call_view *views;
    int *arguments;    /* by leaf of the plan: which argument it is; -1: a constant, or a view */
    int *results;      /* by stored slot: which result */
    call_key *keys;    /* that the plan reads */
    jg_array *nodes[]; /* by slot: constants, numbers, and models of views, +1 each; otherwise NULL.
                          The rest of the block is for the lists */
};

call_plan *run_calls_find(const deferred_call *call, uint64_t live, bool fusing)
{
    call_plan *entry = call->function->plans;
    while (entry != NULL && (entry->live != live || entry->fusing != fusing))
        entry = entry->next;
    return entry;
}

/* Views hold their roots, so these are not written over. The walk holds the views to its end. */
static jg_status make_views(const call_plan *entry, deferred_call *call, graph_walk *walk)
{
    for (int i = 0; i < entry->nviews; ++i) {
        const call_view *form = &entry->views[i];
        jg_array *x = call->arrays[form->argument], *view;
        jg_layout layout;
        node_layout(entry->nodes[form->slot], &layout);
        layout.offset = x->offset + form->offset;
        JG_TRY(node_view(x, &layout, &view));
        jg_status status = vec_append(&walk->held, &view, sizeof view);
        if (status != JG_OK) {
            jg_array_release(view);
            return status;
        }
        walk_nodes(walk)[form->slot] = view;
    }
    return JG_OK;
}

/* An argument is written over where nothing but the call holds it. An argument that was given twice
 * is held twice by the call. */
static void bind_leaves(const call_plan *entry, deferred_call *call, jg_array **nodes)
{
    const jg_plan *plan = entry->plan;
    for (int i = 0; i < plan->nleaves; ++i) {
        int argument = entry->arguments[i], slot = plan->leaves[i];
        if (argument >= 0)
            nodes[slot] = call->arrays[argument];
        bool shared = atomic_load_explicit(&nodes[slot]->refs, memory_order_acquire) > 1;
        walk_set_stored(nodes[slot], argument < 0 || shared);
    }
}

jg_status run_calls_bind(const call_plan *entry, deferred_call *call, graph_walk *walk,
                         jg_plan **plan)
{
    size_t nbytes = (size_t)entry->plan->nslots * sizeof(jg_array *);
    void *nodes;
    walk->nodes.nbytes = 0;
    JG_TRY(vec_grow(&walk->nodes, nbytes, &nodes));
    memcpy(nodes, entry->nodes, nbytes);
    JG_TRY(make_views(entry, call, walk));
    bind_leaves(entry, call, nodes);
    for (int i = 0; i < entry->nkeys; ++i)
        walk_nodes(walk)[entry->keys[i].slot] = call->arrays[entry->keys[i].argument];
    for (int i = 0; i < entry->plan->nstored; ++i) {
        jg_array *result = deferred_results(call)[entry->results[i]];
        walk_set_stored(result, true);
        walk_nodes(walk)[entry->plan->stored[i]] = result;
    }
    walk->stream = call->stream;
    walk->device = 0;
    walk->moves = walk->crosses = walk->windows = walk->customs = false;
    *plan = plan_retain(entry->plan);
    return JG_OK;
}

/* For each slot of the walk, the number of the array with that slot: -1: none, -2: several. */
static void number_slots(const graph_walk *walk, int count, jg_array *const *arrays, int *numbers)
{
    for (int i = 0; i < walk_count(walk); ++i)
        numbers[i] = -1;
    for (int i = 0; i < count; ++i) {
        const jg_array *x = arrays[i];
        if (x != NULL && walk_has(walk, x))
            numbers[x->slot] = numbers[x->slot] == -1 ? i : -2;
    }
}

/* The argument that has the view's memory; -1 where it is none, or one of several. */
static int find_viewed(const deferred_call *call, const jg_array *view)
{
    int found = -1;
    for (int i = 0; i < call->nargs; ++i) {
        if (node_root(call->arrays[i]) != node_root(view))
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

/* gives: false for a view that later calls could not make from their arguments, or without
 * memory */
static bool set_view(call_plan *entry, const deferred_call *call, const jg_array *leaf, int slot)
{
    int argument = leaf->primitive == PRIMITIVE_view ? find_viewed(call, leaf) : -1;
    if (argument < 0 || call->arrays[argument]->dtype != leaf->dtype)
        return false;
    jg_layout layout;
    node_layout(leaf, &layout);
    int64_t offset = layout.offset - call->arrays[argument]->offset;
    if (node_placeholder(0, (jg_dtype)leaf->dtype, &layout, &entry->nodes[slot]) != JG_OK)
        return false;
    entry->views[entry->nviews++] = (call_view){slot, argument, offset};
    return true;
}

/* The plan serves other calls if each leaf is one argument, a view of one, or one constant, and
 * each slot that is stored a result: not where an array was given twice, or was a constant as well,
 * or where a range that the function uses goes to memory. numbers: memory for one of each slot */
static bool set_leaves(call_plan *entry, const deferred_call *call, const graph_walk *walk,
                       int *numbers)
{
    const deferred_function *function = call->function;
    number_slots(walk, call->nargs, call->arrays, numbers);
    for (int i = 0; i < entry->plan->nleaves; ++i)
        entry->arguments[i] = numbers[entry->plan->leaves[i]];
    number_slots(walk, function->nconstants, function->constants, numbers);
    for (int i = 0; i < entry->plan->nleaves; ++i) {
        int slot = entry->plan->leaves[i], argument = entry->arguments[i];
        bool constant = numbers[slot] != -1;
        if (argument == -2 || (constant && argument >= 0))
            return false;
        if (constant)
            entry->nodes[slot] = jg_array_retain(walk_nodes(walk)[slot]);
        else if (argument < 0 && !set_view(entry, call, walk_nodes(walk)[slot], slot))
            return false;
    }
    return true;
}

static bool set_results(call_plan *entry, const deferred_call *call, const graph_walk *walk,
                        jg_array *const *results, int *numbers)
{
    number_slots(walk, call->nresults, results, numbers);
    for (int i = 0; i < entry->plan->nstored; ++i) {
        entry->results[i] = numbers[entry->plan->stored[i]];
        if (entry->results[i] < 0)
            return false;
    }
    return true;
}

/* Whether the plan may have merged the key with a number that equals it now, and will not later. */
static bool is_merged(const graph_walk *walk, const jg_array *key)
{
    for (int i = 0; i < walk_count(walk); ++i)
        if (walk_nodes(walk)[i] != key && plan_same_number(walk_nodes(walk)[i], key))
            return true;
    return false;
}

static bool set_keys(call_plan *entry, const deferred_call *call, const graph_walk *walk,
                     int *numbers)
{
    number_slots(walk, call->nargs, call->arrays, numbers);
    for (int i = 0; i < call->nargs; ++i) {
        const jg_array *x = call->arrays[i];
        if (!node_is_number(x) || !walk_has(walk, x) || numbers[x->slot] != i)
            continue;
        if (is_merged(walk, x))
            return false;
        entry->keys[entry->nkeys++] = (call_key){(int)x->slot, i};
    }
    return true;
}

static bool is_slot_of_key(const call_plan *entry, int slot)
{
    for (int i = 0; i < entry->nkeys; ++i)
        if (entry->keys[i].slot == slot)
            return true;
    return false;
}

static void set_numbers(call_plan *entry, const graph_walk *walk)
{
    for (int i = 0; i < entry->plan->nlaunches; ++i) {
        const plan_launch *launch = &entry->plan->launches[i];
        for (int j = 0; j < launch->nscalars; ++j) {
            int slot = launch->scalars[j].slot;
            if (entry->nodes[slot] == NULL && !is_slot_of_key(entry, slot))
                entry->nodes[slot] = jg_array_retain(walk_nodes(walk)[slot]);
        }
    }
}

static int count_keys(const deferred_call *call)
{
    int count = 0;
    for (int i = 0; i < call->nargs; ++i)
        count += node_is_number(call->arrays[i]);
    return count;
}

static call_plan *new_plan(const deferred_call *call, jg_plan *plan)
{
    size_t nbytes = (size_t)plan->nslots * sizeof(jg_array *);
    size_t nnumbers = (size_t)plan->nleaves + (size_t)plan->nstored;
    size_t nlists = (size_t)plan->nleaves * sizeof(call_view) + nnumbers * sizeof(int) +
                    (size_t)count_keys(call) * sizeof(call_key);
    call_plan *entry = base_alloc_zeroed(sizeof *entry + nbytes + nlists);
    if (entry == NULL)
        return NULL;
    entry->plan = plan_retain(plan);
    entry->views = (call_view *)(void *)(entry->nodes + plan->nslots);
    entry->arguments = (int *)(void *)(entry->views + plan->nleaves);
    entry->results = entry->arguments + plan->nleaves;
    entry->keys = (call_key *)(void *)(entry->results + plan->nstored);
    return entry;
}

static int count_plans(const call_plan *first)
{
    int count = 0;
    for (; first != NULL; first = first->next)
        ++count;
    return count;
}

void run_calls_keep(deferred_call *call, uint64_t live, bool fusing, const graph_walk *walk,
                    jg_array *const *results, jg_plan *plan)
{
    deferred_function *function = call->function;
    if (count_plans(function->plans) == MAX_PLANS)
        return;
    int *numbers = base_alloc((size_t)walk_count(walk) * sizeof *numbers);
    call_plan *entry = new_plan(call, plan);
    bool serves = entry != NULL && numbers != NULL && set_leaves(entry, call, walk, numbers) &&
                  set_results(entry, call, walk, results, numbers) &&
                  set_keys(entry, call, walk, numbers);
    base_free(numbers);
    if (!serves) { /* a plan that is not kept is found by its key */
        run_plans_release(entry);
        return;
    }
    entry->live = live;
    entry->fusing = fusing;
    set_numbers(entry, walk);
    entry->next = function->plans;
    function->plans = entry;
    atomic_store_explicit(&function->expanded, 0, memory_order_relaxed);
}

void run_plans_release(call_plan *plans)
{
    while (plans != NULL) {
        call_plan *entry = plans;
        plans = entry->next;
        node_release_all(entry->plan->nslots, entry->nodes);
        plan_release(entry->plan);
        base_free(entry);
    }
}
