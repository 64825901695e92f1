/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which a graph is computed, where another one than the walk's needs less memory.
 *
 * A walk computes a value right before its user, which can keep other values in memory for long:
 * the derivatives of a weight that many layers share are added up after all layers, and each layer
 * holds its operands until then. Here the nodes are taken in the order of the walk, with two
 * exceptions.
 *   1. A tree is a node with all that is computed for that node alone. It is computed as soon as
 *      everything that it reads has been, if its root is stored or is part of a sum of several
 *      addends. So a sum is made in place, addend by addend.
 *   2. The last users of a value are computed, with what they still lack, as soon as the value or
 *      one of its users has been, if less is in memory afterwards.
 * The new order is taken if less memory is in use at its peak.
 *
 * A plan is cached, so this is done once for graphs of one structure; the walk stays as it is. */
#include "plan/steps.h"

enum {
    MAX_NODES = 32, /* of a set that is ordered at once */
    MAX_USERS = 4,  /* of a value, that are still to be ordered: its last users */
    WORTH = 32      /* the new order must save 1/WORTH of the peak */
};

/* An upper bound on a value's bytes: sums do not overflow, and no memory is as large. */
#define MAX_NBYTES (INT64_C(1) << 42)

typedef struct order_node {
    int64_t nbytes;
    int uses;       /* by nodes that are still to be ordered */
    int missing;    /* inputs that are neither ordered nor at hand */
    int user;       /* the only user of a value that is used once; otherwise -1 */
    int first, end; /* of its users in order_state.users */
    bool computed;  /* neither a leaf nor a generator, which take no memory of the plan's */
    bool stored;
    bool whole;   /* one of several results of a call, which stay side by side */
    bool adds;    /* it adds to its first or second input, in the memory of that */
    bool sums;    /* it adds, and so does its user or an input made for it */
    bool ordered; /* or needs no position */
    bool at_hand; /* all that its tree reads is ordered */
} order_node;

typedef struct order_state {
    const graph_walk *walk;
    order_node *nodes;
    int *users, *ordered; /* ordered: slots in the new order */
    int count, nordered;
    base_vec tries; /* order_try */
} order_state;

/* Nodes that may be ordered one after the other, ascending. */
typedef struct order_set {
    int count;
    int slots[MAX_NODES];
} order_set;

/* A tree, or the last users of a value, that may be ordered. */
typedef struct order_try {
    int slot;
    bool last_users;
} order_try;

static const jg_array *node_at(const order_state *state, int slot)
{
    return walk_nodes(state->walk)[slot];
}

static bool is_computed(const jg_array *x)
{
    return !node_has_storage(x) && x->ninputs > 0;
}

/* The input's slot; -1 of one that is there. */
static int input_of(const order_state *state, const jg_array *x, int input)
{
    if (node_has_storage(x->inputs[input]))
        return -1;
    int slot = (int)walk_slot(x->inputs[input]);
    return state->nodes[slot].computed ? slot : -1;
}

static bool is_adding(const jg_array *x)
{
    return x->primitive == PRIMITIVE_add || x->primitive == PRIMITIVE_scatter;
}

/* Whether the slot is computed for the user alone and of its size. */
static bool is_part_of(const order_state *state, int slot, int user)
{
    return slot >= 0 && state->nodes[slot].user == user &&
           state->nodes[slot].nbytes == state->nodes[user].nbytes;
}

static void survey(order_state *state, int slot)
{
    const jg_array *x = node_at(state, slot);
    order_node *node = &state->nodes[slot];
    size_t nbytes;
    *node = (order_node){.user = -1, .stored = x->stored, .computed = is_computed(x)};
    if (!node->computed)
        return;
    /* A node whose size in bytes is too large keeps 0 here and fails where it is lowered. */
    if (dtype_nbytes((jg_dtype)x->dtype, x->size, &nbytes) == JG_OK)
        node->nbytes = int64_min((int64_t)nbytes, MAX_NBYTES);
    node->whole = x->nresults > 0;
    node->adds = is_adding(x);
    for (int i = 0; i < x->ninputs; ++i) {
        int input = input_of(state, x, i);
        if (input < 0)
            continue;
        node->missing += 1;
        state->nodes[input].uses += 1;
        state->nodes[input].user = slot;
    }
}

/* Which nodes are in trees, and which of those are sums, is known when all uses are. */
static void find_trees(order_state *state)
{
    int edges = 0;
    for (int slot = 0; slot < state->count; ++slot) {
        order_node *node = &state->nodes[slot];
        if (node->uses != 1 || node->stored || node->whole)
            node->user = -1;
        node->first = node->end = edges;
        edges += node->uses;
    }
    for (int slot = 0; slot < state->count; ++slot) {
        order_node *node = &state->nodes[slot];
        const jg_array *x = node_at(state, slot);
        for (int i = 0; i < x->ninputs && node->computed; ++i) {
            int input = input_of(state, x, i);
            if (input < 0)
                continue;
            state->users[state->nodes[input].end++] = slot;
            if (!node->adds || !state->nodes[input].adds || !is_part_of(state, input, slot))
                continue;
            node->sums = state->nodes[input].sums = true;
        }
    }
}

static jg_status add_try(order_state *state, int slot, bool last_users)
{
    const order_try next = {slot, last_users};
    return vec_append(&state->tries, &next, sizeof next);
}

static jg_status be_at_hand(order_state *state, int slot)
{
    for (; slot >= 0; slot = state->nodes[slot].user) {
        state->nodes[slot].at_hand = true;
        JG_TRY(add_try(state, slot, false));
        int user = state->nodes[slot].user;
        if (user >= 0 && --state->nodes[user].missing > 0)
            break;
    }
    return JG_OK;
}

static void put(order_state *state, int slot)
{
    if (!state->nodes[slot].ordered)
        state->ordered[state->nordered++] = slot;
    state->nodes[slot].ordered = true;
}

static jg_status append(order_state *state, int slot)
{
    const jg_array *x = node_at(state, slot);
    order_node *node = &state->nodes[slot];
    if (!node->computed) {
        put(state, slot);
        return JG_OK;
    }
    for (int i = 0; i < x->ninputs; ++i)
        if (input_of(state, x, i) < 0)
            put(state, (int)walk_slot(x->inputs[i]));
    put(state, slot);
    for (int i = 0; i < x->ninputs; ++i) {
        int input = input_of(state, x, i);
        if (input < 0)
            continue;
        int uses = --state->nodes[input].uses;
        if (uses > 0 && uses <= MAX_USERS && !state->nodes[input].stored)
            JG_TRY(add_try(state, input, true));
    }
    if (node->uses > 0 && node->uses <= MAX_USERS && !node->stored)
        JG_TRY(add_try(state, slot, true));
    for (int i = node->first; i < node->end && node->user < 0; ++i)
        if (--state->nodes[state->users[i]].missing == 0)
            JG_TRY(be_at_hand(state, state->users[i]));
    return JG_OK;
}

static bool set_has(const order_set *set, int slot)
{
    for (int i = 0; i < set->count; ++i)
        if (set->slots[i] == slot)
            return true;
    return false;
}

/* gives: false where it is full */
static bool set_add(order_set *set, int slot)
{
    if (set->count == MAX_NODES)
        return false;
    int at = set->count++;
    for (; at > 0 && set->slots[at - 1] > slot; --at)
        set->slots[at] = set->slots[at - 1];
    set->slots[at] = slot;
    return true;
}

/* Adds the slot and what it is made of as far as that is not ordered yet. gives: false where the
 * set would be too large */
static bool add_below(const order_state *state, int slot, order_set *set)
{
    int open[MAX_NODES], nopen = 1;
    open[0] = slot;
    while (nopen > 0) {
        slot = open[--nopen];
        if (set_has(set, slot))
            continue;
        const jg_array *x = node_at(state, slot);
        if (state->nodes[slot].whole || !set_add(set, slot))
            return false;
        for (int i = 0; i < x->ninputs; ++i) {
            int input = input_of(state, x, i);
            if (input < 0 || state->nodes[input].ordered)
                continue;
            if (nopen == MAX_NODES)
                return false;
            open[nopen++] = input;
        }
    }
    return true;
}

/* Counts the edges from the set as ordered, or as still to be ordered. gives: bytes that are free
 * while they count as ordered */
static int64_t count_edges(order_state *state, const order_set *set, int turn, bool *reads)
{
    int64_t freed = 0;
    for (int t = 0; t < set->count; ++t) {
        const jg_array *x = node_at(state, set->slots[t]);
        for (int i = 0; i < x->ninputs; ++i) {
            int input = input_of(state, x, i);
            if (input < 0)
                continue;
            order_node *node = &state->nodes[input];
            node->uses += turn;
            *reads |= node->ordered;
            if (node->ordered && node->uses == 0 && !node->stored)
                freed += node->nbytes;
        }
    }
    return freed;
}

/* Whether each input of the slot is ordered, or in the set, or can be computed from such values in
 * at most `steps` steps. */
static bool is_ready(const order_state *state, const order_set *set, int slot, int steps)
{
    const jg_array *x = node_at(state, slot);
    for (int i = 0; i < x->ninputs; ++i) {
        int input = input_of(state, x, i);
        if (input < 0 || state->nodes[input].ordered || set_has(set, input))
            continue;
        if (steps == 0 || !is_ready(state, set, input, steps - 1))
            return false;
    }
    return true;
}

/* Whether all that uses the slot could be ordered right after the set. */
static bool goes_on_after(const order_state *state, const order_set *set, int slot)
{
    const order_node *node = &state->nodes[slot];
    if (node->end - node->first > MAX_USERS)
        return false;
    for (int i = node->first; i < node->end; ++i)
        if (!is_ready(state, set, state->users[i], 1))
            return false;
    return true;
}

/* The effect of ordering the set next. */
typedef struct order_gain {
    int64_t nbytes; /* so many bytes less are in memory after the set */
    bool reads;     /* some of what is ordered */
    bool goes_on;   /* with all that uses what it leaves in memory */
} order_gain;

static order_gain gain_of(order_state *state, const order_set *set)
{
    order_gain gain = {.goes_on = true};
    gain.nbytes = count_edges(state, set, -1, &gain.reads);
    for (int t = 0; t < set->count; ++t) {
        const order_node *node = &state->nodes[set->slots[t]];
        if (node->stored || node->uses == 0)
            continue;
        gain.nbytes -= node->nbytes;
        gain.goes_on = gain.goes_on && goes_on_after(state, set, set->slots[t]);
    }
    count_edges(state, set, 1, &gain.reads);
    return gain;
}

static jg_status order_nodes(order_state *state, const order_set *set)
{
    for (int i = 0; i < set->count; ++i)
        JG_TRY(append(state, set->slots[i]));
    return JG_OK;
}

/* Orders the tree below the slot, which is at hand, if its root is stored or part of a sum. */
static jg_status try_tree(order_state *state, int slot)
{
    const order_node *root = &state->nodes[slot];
    order_set set = {0};
    if (root->ordered || (!root->stored && !root->sums) || !add_below(state, slot, &set) ||
        !gain_of(state, &set).reads)
        return JG_OK;
    return order_nodes(state, &set);
}

/* Orders the last users of the slot if less is in memory afterwards, or as much that is used up at
 * once. */
static jg_status try_last_users(order_state *state, int slot)
{
    const order_node *node = &state->nodes[slot];
    order_set set = {0};
    if (node->uses == 0)
        return JG_OK;
    for (int i = node->first; i < node->end; ++i)
        if (!state->nodes[state->users[i]].ordered && !add_below(state, state->users[i], &set))
            return JG_OK;
    const order_gain gain = gain_of(state, &set);
    if (gain.nbytes > 0 || (gain.nbytes == 0 && gain.goes_on))
        return order_nodes(state, &set);
    return JG_OK;
}

static jg_status try_all(order_state *state)
{
    while (state->tries.nbytes > 0) {
        state->tries.nbytes -= sizeof(order_try);
        const order_try next = *(order_try *)(void *)(state->tries.data + state->tries.nbytes);
        JG_TRY(next.last_users ? try_last_users(state, next.slot) : try_tree(state, next.slot));
    }
    return JG_OK;
}

/* Whether the node after this one is another result of the same call. */
static bool goes_on(const order_state *state, int slot)
{
    return state->nodes[slot].whole && slot + 1 < state->count && state->nodes[slot + 1].whole;
}

static jg_status order_all(order_state *state)
{
    for (int slot = 0; slot < state->count; ++slot) {
        const order_node *node = &state->nodes[slot];
        if (node->computed && node->missing == 0 && !node->at_hand)
            JG_TRY(be_at_hand(state, slot));
    }
    state->tries.nbytes = 0; /* they read leaves alone */
    /* Keys tell which of the first numbers are equal: these keep their order. */
    for (int slot = 0; slot < state->count; ++slot)
        if (node_at(state, slot)->primitive == PRIMITIVE_full)
            put(state, slot);
    for (int slot = 0; slot < state->count; ++slot) {
        if (!state->nodes[slot].ordered)
            JG_TRY(append(state, slot));
        if (!goes_on(state, slot))
            JG_TRY(try_all(state));
    }
    return JG_OK;
}

/* The most bytes of values in memory at once, besides those that are stored in the end. An
 * elementwise op may overwrite an input that it reads last. */
static int64_t peak_of(order_state *state, const int *order)
{
    int64_t live = 0, peak = 0;
    for (int i = 0; i < state->count; ++i)
        state->nodes[i].uses = state->nodes[i].end - state->nodes[i].first;
    for (int i = 0; i < state->count; ++i) {
        int slot = order != NULL ? order[i] : i;
        const jg_array *x = node_at(state, slot);
        if (!state->nodes[slot].computed)
            continue;
        int64_t made = state->nodes[slot].stored ? 0 : state->nodes[slot].nbytes, freed = 0;
        for (int j = 0; j < x->ninputs; ++j) {
            int input = input_of(state, x, j);
            if (input >= 0 && --state->nodes[input].uses == 0 && !state->nodes[input].stored)
                freed += state->nodes[input].nbytes;
        }
        int64_t over = node_is_routine(x) && !state->nodes[slot].adds ? 0 : freed;
        int64_t during = live + made - (int64_min(over, made));
        peak = int64_max(during, peak);
        live += made - freed;
    }
    return peak;
}

static jg_status state_init(order_state *state, const graph_walk *walk)
{
    size_t count = (size_t)walk_count(walk), nedges = 0;
    for (size_t i = 0; i < count; ++i)
        nedges += (size_t)walk_nodes(walk)[i]->ninputs;
    size_t nbytes = count * sizeof(order_node) + (count + nedges + 1) * sizeof(int);
    *state = (order_state){.walk = walk, .count = (int)count, .nodes = base_alloc(nbytes)};
    if (state->nodes == NULL)
        return base_nomem(nbytes, "a plan");
    state->ordered = (int *)(void *)(state->nodes + count);
    state->users = state->ordered + count;
    for (int i = 0; i < state->count; ++i)
        survey(state, i);
    find_trees(state);
    return JG_OK;
}

/* gives: *better, whether state->ordered is an order that needs less memory */
static jg_status find_order(order_state *state, bool *better)
{
    *better = false;
    JG_TRY(order_all(state));
    bool moved = false;
    for (int i = 0; i < state->count && !moved; ++i)
        moved = state->ordered[i] != i;
    if (moved)
        *better = peak_of(state, state->ordered) < peak_of(state, NULL) / WORTH * (WORTH - 1);
    return JG_OK;
}

/* The walk's nodes again, numbered by the new order. */
static jg_status take_order(const order_state *state, const graph_walk *walk, graph_walk *out)
{
    jg_array **nodes = walk_nodes(walk);
    JG_TRY(vec_reserve(&out->nodes, (size_t)state->count * sizeof *nodes));
    for (int i = 0; i < state->count; ++i)
        JG_TRY(vec_append(&out->nodes, &nodes[state->ordered[i]], sizeof *nodes));
    walk_renumber(out);
    return JG_OK;
}

jg_status order_begin(const graph_walk *walk, graph_walk *out)
{
    order_state state = {.walk = walk};
    bool better = false;
    *out = *walk;
    out->nodes = (base_vec){0};
    jg_status status = state_init(&state, walk);
    if (status == JG_OK)
        status = find_order(&state, &better);
    if (status == JG_OK && better)
        status = take_order(&state, walk, out);
    if (status != JG_OK || !better) {
        vec_clear(&out->nodes);
        out->nodes = walk->nodes;
    }
    base_free(state.nodes);
    vec_clear(&state.tries);
    return status;
}

bool order_is_new(const graph_walk *walk, const graph_walk *ordered)
{
    return ordered->nodes.data != walk->nodes.data;
}

void order_end(const graph_walk *walk, graph_walk *ordered)
{
    if (!order_is_new(walk, ordered))
        return;
    walk_renumber(walk);
    vec_clear(&ordered->nodes);
}
