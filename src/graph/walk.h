/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which a graph is evaluated. A part of graph.h, which includes it at its end: others
 * include that. */
#ifndef JG_GRAPH_WALK_H
#define JG_GRAPH_WALK_H

/* The unevaluated part of a graph in an order where inputs come first. */
typedef struct graph_walk {
    base_vec nodes; /* jg_array *: roots to compute, and leaves: whatever has storage already */
    base_vec stack;
    base_vec held; /* jg_array *, +1 each: siblings that nothing led to */
    uint64_t epoch;
    unsigned stream; /* that its nodes belong to */
    int device;      /* of that */
    bool moves;      /* some node is not on the CPU */
    bool crosses;    /* they belong to several, or some have an order of their own: messages */
    bool windows;    /* some edges go through views of what is to be computed */
    bool customs;    /* some nodes are results of functions that have rules */
} graph_walk;

/* A walk owns some fields of the nodes that it meets: mark, its epoch; slot, their index in it;
 * uses and stored. They are valid until the next walk or tape, and the evaluation lock guards them.
 * What numbers nodes in another way does so by the functions here. */
static inline void walk_visit(jg_array *node, uint64_t epoch, uint32_t slot, bool stored)
{
    node->mark = epoch;
    node->slot = slot;
    node->stored = stored;
}

/* A call's mark and slot are owned in the same way. */
static inline void walk_visit_call(graph_custom_call *call, uint64_t epoch, uint32_t slot)
{
    call->mark = epoch;
    call->slot = slot;
}

/* Whether the node must be in memory afterwards, where more is known of it than the walk found. */
static inline void walk_set_stored(jg_array *node, bool stored)
{
    node->stored = stored;
}

/* The nodes by slot, borrowed from the walk, and their number. */
static inline jg_array **walk_nodes(const graph_walk *walk)
{
    return (jg_array **)(void *)walk->nodes.data;
}
static inline int walk_count(const graph_walk *walk)
{
    return (int)(walk->nodes.nbytes / sizeof(jg_array *));
}

/* Whether the walk has numbered the node. A mark alone does not tell it: the walk marks windows
 * that it looks through and gives them no slot. */
static inline bool walk_has(const graph_walk *walk, const jg_array *node)
{
    return node->mark == walk->epoch && node->slot < (uint32_t)walk_count(walk) &&
           walk_nodes(walk)[node->slot] == node;
}

/* How the arrays that a walk starts from are to be treated. */
typedef enum walk_mode {
    WALK_ASKED, /* they must be stored */
    WALK_SWEPT  /* each target counts one reference of the caller: stored if other references hold
                   it, or if no other node needs it */
} walk_mode;

/* A number that no walk has had: what a node that is met is marked with. The evaluation lock must
 * be held. */
uint64_t walk_next_epoch(void);

/* Numbers the graph below the arrays: each node's slot is its index in walk->nodes; `uses`
 * counts the edges found to it; `stored` tells that it must be in memory afterwards, because it
 * was asked for or something outside the walk holds it. Arrays are visited in the order of their
 * heights, and inputs of few in the opposite one: so what has waited for long is used first, and
 * what can be made late is made late, which keeps few values in memory. Needs no recursion. The
 * evaluation lock must be held.
 * raises: NOMEM */
jg_status graph_walk_from(graph_walk *walk, walk_mode mode, int count, jg_array *const *arrays);

/* Gives the walk's nodes the slots of their indices again, after another order had numbered
 * them. */
void walk_renumber(const graph_walk *walk);

/* Releases the nodes that the walk holds, once they have storage or are not needed any more. The
 * walk's memory is kept for the next walk. */
void graph_walk_end(graph_walk *walk);
void graph_walk_clear(graph_walk *walk); /* and frees its memory; for tests of leaks */

/* The node that a walk visits for an edge to x, and whose slot is used: x itself, or the root of a
 * window. It is borrowed from x. */
static inline jg_array *walk_target(const jg_array *x)
{
    return node_is_window(x) ? x->inputs[0] : (jg_array *)x;
}
static inline uint32_t walk_slot(const jg_array *x)
{
    return walk_target(x)->slot;
}

#endif
