/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of recorded functions whose nodes are not built yet. A part of graph.h, which includes it
 * at its end: others include that. */
#ifndef JG_GRAPH_DEFERRED_H
#define JG_GRAPH_DEFERRED_H

/* The data that all calls of one recorded function share. */
typedef struct deferred_function {
    /* Builds the nodes of a call. results: those that are wanted, the others NULL; later nodes read
     * these instead of the values that they are.
     * gives: built, for each result that is wanted a node of its label, dtype and shape, +1, with
     * no other reference; after a failure some are given, too | raises: what building raises */
    jg_status (*build)(const deferred_call *call, jg_array *const *results, jg_array **built);
    void (*retain)(struct deferred_function *function);
    void (*release)(struct deferred_function *function);
    jg_array *const *constants; /* memory that the nodes read besides the arguments */
    int nconstants;
    struct call_plan *plans; /* of run; guarded by the evaluation lock */
    atomic_int expanded;     /* calls since one was last evaluated by itself */
} deferred_function;

/* A call whose arguments are in memory: its results are nodes like those that building would have
 * given, but without inputs and attributes. An evaluation of exactly these results runs the plan
 * that the function has for them. Any other code that reaches one of the results builds the nodes
 * of the call first (deferred_expand), under the evaluation lock; the results are then nodes like
 * all others. So no other code has to know of calls. */
struct deferred_call {
    atomic_int refs; /* one for each pending result, and one while the call is built or planned */
    int nargs, nresults;
    uint16_t stream;             /* that its nodes belong to */
    uint8_t role;                /* node_role that they have, unless it is NODE_VALUE */
    deferred_function *function; /* +1 */
    jg_array *arrays[]; /* the arguments that the function reads, +1 each; then results, of which
                           each leaves when it dies */
};

/* A call without results so far. The arguments have storage, and nothing to do with places or
 * traced functions. which: of args, nargs of them
 * keeps: function, args | gives: *out, +1 | raises: NOMEM */
jg_status deferred_call_new(deferred_function *function, int nargs, const int32_t *which,
                            jg_array *const *args, int nresults, deferred_call **out);
void deferred_call_retain(deferred_call *call);
void deferred_call_release(deferred_call *call);

/* Result `number`, which is like a node: a root of its label, dtype, shape and role. All are made
 * before the call is seen by others. height: the largest of the arguments'.
 * gives: *out, +1 | raises: NOMEM */
jg_status deferred_call_result(deferred_call *call, int number, const jg_array *like,
                               uint32_t height, jg_array **out);

/* Takes a result out of its call: the node has its storage, or dies. */
void deferred_leave(jg_array *node);

/* Builds the call that x is a result of; does nothing for other nodes. The evaluation lock must be
 * held. raises: what building raises; then the call is as before */
jg_status deferred_expand(jg_array *x);

/* The caller holds a reference to each of the leaves, and drops it when the walk's nodes have their
 * storage. Counts these references among those that the evaluation itself drops. */
void graph_walk_discount(const graph_walk *walk, int count, jg_array *const *leaves);

/* The call whose pending results are exactly the arrays' targets that have no storage; NULL if
 * there is none. The evaluation lock must be held, and the caller holds the arrays.
 * gives: borrowed; *live, a bit for each result that is not dropped. A call of more than
 * DEFERRED_FEW_RESULTS results is given only if the targets are all of them, with DEFERRED_ALL */
deferred_call *deferred_lone(int count, jg_array *const *arrays, uint64_t *live);

enum { DEFERRED_FEW_RESULTS = 64 }; /* bits of live */
#define DEFERRED_ALL UINT64_MAX

/* The call of x, NULL if it has none; and the results of a call. Both are borrowed. */
static inline deferred_call *node_deferred_call(const jg_array *x)
{
    bool is = node_flags(x) & NODE_IS_DEFERRED;
    return is ? x->attributes.deferred.call : NULL;
}
static inline jg_array **deferred_results(deferred_call *call)
{
    return call->arrays + call->nargs;
}
void deferred_install_hooks(void); /* as reads_install_hooks */

/* For node.c: drops a reference. Nodes that die with the call are put on the list `dead`. */
void deferred_drop(deferred_call *call, list_link **dead);

#endif
