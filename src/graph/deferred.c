/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of recorded functions whose nodes are not built yet, and the building of them.
 *
 * Results do not hold each other: one that dies leaves the call's table, under the lock. The lock
 * may be followed by no other. The only result of a call needs no lock: it is alive where it is
 * asked about. */
#include "graph/graph.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

jg_status deferred_call_new(deferred_function *function, int nargs, const int32_t *which,
                            jg_array *const *args, int nresults, deferred_call **out)
{
    size_t nbytes = sizeof(deferred_call) + (size_t)(nargs + nresults) * sizeof(jg_array *);
    deferred_call *call = base_alloc(nbytes);
    if (JG_UNLIKELY(call == NULL))
        return base_nomem(nbytes, "a call of a recorded function");
    atomic_init(&call->refs, 1);
    call->nargs = nargs;
    call->nresults = nresults;
    call->stream = stream_for(0);
    call->role = (uint8_t)node_current_role();
    call->function = function;
    function->retain(function);
    for (int i = 0; i < nargs; ++i)
        call->arrays[i] = jg_array_retain(args[which[i]]);
    for (int i = 0; i < nresults; ++i)
        call->arrays[nargs + i] = NULL;
    *out = call;
    return JG_OK;
}

jg_status deferred_call_result(deferred_call *call, int number, const jg_array *like,
                               uint32_t height, jg_array **out)
{
    jg_array *node;
    JG_TRY(node_new_on(like->device, (jg_op)like->label, (jg_dtype)like->dtype, like->ndim,
                       node_shape(like), like->size, &node));
    node->height = (like->height + height) & NODE_HEIGHTS;
    if (call->role == NODE_VALUE)
        node->role = like->role;
    node->attributes.deferred = (deferred_result){call, number};
    atomic_store_explicit(&node->flags, NODE_IS_DEFERRED, memory_order_relaxed);
    deferred_call_retain(call);
    deferred_results(call)[number] = node;
    *out = node;
    return JG_OK;
}

void deferred_drop(deferred_call *call, list_link **dead)
{
    if (atomic_fetch_sub_explicit(&call->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (int i = 0; i < call->nargs; ++i)
        node_drop(call->arrays[i], dead);
    call->function->release(call->function);
    base_free(call);
}

void deferred_call_retain(deferred_call *call)
{
    atomic_fetch_add_explicit(&call->refs, 1, memory_order_relaxed);
}

void deferred_call_release(deferred_call *call)
{
    list_link *dead = NULL;
    deferred_drop(call, &dead);
    node_free_all(dead);
}

void deferred_leave(jg_array *node)
{
    deferred_result as = node->attributes.deferred;
    if (as.call->nresults == 1)
        return;
    pthread_mutex_lock(&lock);
    deferred_results(as.call)[as.number] = NULL;
    pthread_mutex_unlock(&lock);
}

/* gives: out, for each result a reference to it, or NULL where it is dropped */
static void retain_results(deferred_call *call, jg_array **out)
{
    jg_array **results = deferred_results(call);
    if (call->nresults == 1) {
        out[0] = jg_array_retain(results[0]);
        return;
    }
    pthread_mutex_lock(&lock);
    for (int i = 0; i < call->nresults; ++i)
        out[i] = results[i] != NULL && node_try_retain(results[i]) ? results[i] : NULL;
    pthread_mutex_unlock(&lock);
}

/* Nodes are built as they were when the call was made: on its stream, with its role. */
static jg_status build(const deferred_call *call, jg_array *const *results, jg_array **built)
{
    node_role role = node_enter_role((node_role)call->role);
    uint16_t stream = stream_current[0];
    stream_current[0] = call->stream;
    jg_status status = call->function->build(call, results, built);
    stream_current[0] = stream;
    (void)node_enter_role(role);
    return status;
}

/* results, built: memory for those of the call, zeroed */
static jg_status expand(deferred_call *call, jg_array **results, jg_array **built)
{
    int count = call->nresults;
    retain_results(call, results);
    jg_status status = build(call, results, built);
    for (int i = 0; i < count && status == JG_OK && graph_verifies; ++i)
        if (results[i] != NULL)
            status = node_verify_becomes(results[i], built[i]);
    for (int i = 0; i < count && status == JG_OK; ++i)
        if (results[i] != NULL)
            node_become(results[i], built[i]);
    if (status == JG_OK)
        atomic_fetch_add_explicit(&call->function->expanded, 1, memory_order_relaxed);
    node_release_all(count, built);
    node_release_all(count, results);
    return status;
}

static jg_status expand_many(deferred_call *call)
{
    size_t nbytes = 2 * (size_t)call->nresults * sizeof(jg_array *);
    jg_array **results = base_alloc_zeroed(nbytes);
    if (results == NULL)
        return base_nomem(nbytes, "a call of a recorded function");
    jg_status status = expand(call, results, results + call->nresults);
    base_free(results);
    return status;
}

jg_status deferred_expand(jg_array *x)
{
    jg_array *results[2 * DEFERRED_FEW_RESULTS] = {NULL};
    deferred_call *call = node_deferred_call(x);
    if (call == NULL)
        return JG_OK;
    deferred_call_retain(call);
    jg_status status = call->nresults <= DEFERRED_FEW_RESULTS
                           ? expand(call, results, results + DEFERRED_FEW_RESULTS)
                           : expand_many(call);
    deferred_call_release(call);
    return status;
}

/* Whether the results that are not among those found are dropped. */
static bool are_dropped(deferred_call *call, uint64_t found)
{
    bool all = true;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < call->nresults; ++i)
        all = all && ((found >> i & 1) || deferred_results(call)[i] == NULL);
    pthread_mutex_unlock(&lock);
    return all;
}

deferred_call *deferred_lone(int count, jg_array *const *arrays, uint64_t *live)
{
    deferred_call *lone = NULL;
    uint64_t epoch = count > DEFERRED_FEW_RESULTS ? walk_next_epoch() : 0;
    int found = 0; /* of the many results of a call: those that differ */
    *live = 0;
    for (int i = 0; i < count; ++i) {
        jg_array *root = node_root(arrays[i]);
        if (node_has_storage(root))
            continue;
        deferred_call *call = node_deferred_call(root);
        if (call == NULL || (lone != NULL && call != lone))
            return NULL;
        lone = call;
        if (call->nresults <= DEFERRED_FEW_RESULTS) {
            *live |= UINT64_C(1) << root->attributes.deferred.number;
        } else if (epoch != 0 && root->mark != epoch) {
            root->mark = epoch;
            found += 1;
        }
    }
    if (lone == NULL || lone->nresults == 1)
        return lone;
    if (lone->nresults > DEFERRED_FEW_RESULTS) {
        *live = DEFERRED_ALL;
        return found == lone->nresults ? lone : NULL;
    }
    return are_dropped(lone, *live) ? lone : NULL;
}

FORK_HOLDS(deferred, lock)
