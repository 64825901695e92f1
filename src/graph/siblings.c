/* SPDX-License-Identifier: Apache-2.0 */
/* The results of one call of a routine are linked until they have storage, so that a walk that
 * meets one finds the others that are still alive, and all are computed at once.
 *
 * Siblings do not hold each other: a result that is dropped is removed from the table and is not
 * computed. A family is a table of its members, freed with the last of them; it is read and changed
 * under the lock, under which no other lock is taken. */
#include "graph/graph.h"
#include <pthread.h>

struct node_family {
    int count;                            /* of members, and one while they are made */
    bool ready;                           /* all are there */
    jg_array *members[GRAPH_MAX_RESULTS]; /* by number of the result; NULL for one that left */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

jg_status siblings_begin(int count, jg_array *const *results, node_family **out)
{
    node_family *family = base_alloc_zeroed(sizeof *family);
    if (family == NULL)
        return base_nomem(sizeof *family, "a node of the graph");
    family->count = 1; /* the maker's, which siblings_end drops */
    for (int i = 0; i < count; ++i) {
        if (results[i] == NULL)
            continue;
        family->count += 1;
        family->members[i] = results[i];
        /* The mask keeps three bits: it changes no value, but tells the compiler that the value
         * fits. */
        results[i]->result = (unsigned)i & GRAPH_MAX_RESULTS;
        results[i]->nresults = (unsigned)count & GRAPH_MAX_RESULTS;
        results[i]->family = family;
    }
    *out = family;
    return JG_OK;
}

/* The lock is held. */
static void drop_one(node_family *family)
{
    family->count -= 1;
    if (family->count == 0)
        base_free(family);
}

void siblings_end(node_family *family)
{
    pthread_mutex_lock(&lock);
    family->ready = true;
    drop_one(family);
    pthread_mutex_unlock(&lock);
}

jg_status siblings_join(int count, jg_array *const *nodes)
{
    if (graph_verifies)
        JG_TRY(node_verify_siblings(count, nodes));
    node_family *family = base_alloc_zeroed(sizeof *family);
    if (family == NULL)
        return base_nomem(sizeof *family, "a node of the graph");
    family->count = count;
    family->ready = true;
    for (int i = 0; i < count; ++i)
        family->members[nodes[i]->result] = nodes[i];
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count; ++i)
        nodes[i]->family = family;
    pthread_mutex_unlock(&lock);
    return JG_OK;
}

jg_array *siblings_find(jg_array *node, unsigned result)
{
    jg_array *found = NULL;
    pthread_mutex_lock(&lock);
    const node_family *family = node->family;
    if (family != NULL && family->ready && family->members[result] != NULL &&
        node_try_retain(family->members[result]))
        found = family->members[result];
    pthread_mutex_unlock(&lock);
    return found;
}

/* The lock is held. A member that got storage leaves after its state tells so, and takes the lock
 * for that: so a member without storage still leaves the family later. */
static void add_member(node_family *family, jg_array *node)
{
    family->members[node->result] = node;
    family->count += 1;
    node->family = family;
}

jg_status siblings_add(jg_array *node, jg_array *made)
{
    node_family *spare = base_alloc_zeroed(sizeof *spare);
    if (spare == NULL)
        return base_nomem(sizeof *spare, "a node of the graph");
    spare->ready = true;
    pthread_mutex_lock(&lock);
    if (node->family == NULL && node_state(node) == JG_ARRAY_UNSCHEDULED) {
        add_member(spare, node);
        spare = NULL;
    }
    node_family *family = node->family;
    if (family != NULL && family->ready && family->members[made->result] == NULL)
        add_member(family, made);
    pthread_mutex_unlock(&lock);
    base_free(spare);
    return JG_OK;
}

void siblings_leave(jg_array *node)
{
    pthread_mutex_lock(&lock);
    node_family *family = node->family;
    if (family != NULL) {
        node->family = NULL;
        family->members[node->result] = NULL;
        drop_one(family);
    }
    pthread_mutex_unlock(&lock);
}

jg_status siblings_collect(jg_array *node, uint64_t but, base_vec *out)
{
    jg_status status = JG_OK;
    pthread_mutex_lock(&lock);
    const node_family *family = node->family;
    int count = family != NULL && family->ready ? GRAPH_MAX_RESULTS : 0;
    for (int i = 0; i < count && status == JG_OK; ++i) {
        jg_array *member = family->members[i];
        if (member != NULL && member->mark != but)
            status = node_collect(member, out);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

FORK_HOLDS(siblings, lock)
