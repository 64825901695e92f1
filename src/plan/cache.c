/* SPDX-License-Identifier: Apache-2.0 */
/* Plans by structure: a hash table of chains, emptied when it is full. The evaluation lock
 * guards it: a thread that holds the lock may use a plan of the table; a run that goes on without
 * the lock has a reference of its own. */
#include "plan/steps.h"
#include <string.h>

/* Keys are long for graphs of thousands of nodes, whose plans are large and seldom used twice: they
 * are kept when their structure comes again, and up to MAX_LONG_NBYTES of keys. */
enum {
    BUCKETS = 1024,
    MAX_PLANS = 2048,
    LONG_KEY_NBYTES = 64 << 10,
    MAX_LONG_NBYTES = 16 << 20,
    REMEMBERED = 64
};

static jg_plan *buckets[BUCKETS];
static int nplans;
static size_t long_nbytes;             /* of the long keys in the table */
static uint64_t long_seen[REMEMBERED]; /* hashes of long keys that came once */

static jg_plan *find(uint64_t hash, const base_vec *key)
{
    for (jg_plan *plan = buckets[hash % BUCKETS]; plan != NULL; plan = plan->next)
        if (plan->hash == hash && plan->key_nbytes == key->nbytes &&
            memcmp(plan->key, key->data, key->nbytes) == 0)
            return plan;
    return NULL;
}

/* All plans go at once: a program that makes that many structures seldom uses the older ones again,
 * and a list of uses would cost time at each hit. */
static void empty(void)
{
    for (int i = 0; i < BUCKETS; ++i) {
        while (buckets[i] != NULL) {
            jg_plan *plan = buckets[i];
            buckets[i] = plan->next;
            plan_release(plan);
        }
    }
    nplans = 0;
    long_nbytes = 0;
}

/* Remembers a long key. gives: whether its plan is worth being kept */
static bool is_wanted(uint64_t hash, const base_vec *key)
{
    uint64_t *seen = &long_seen[hash % REMEMBERED];
    if (key->nbytes <= LONG_KEY_NBYTES)
        return true;
    if (*seen != hash) {
        *seen = hash;
        return false;
    }
    if (key->nbytes > MAX_LONG_NBYTES)
        return false;
    if (long_nbytes + key->nbytes > MAX_LONG_NBYTES)
        empty();
    long_nbytes += key->nbytes;
    return true;
}

/* takes: plan, where it is put into the table; it has its key then */
static void keep(jg_plan *plan, uint64_t hash, const base_vec *key)
{
    if (!is_wanted(hash, key) || (plan->key = base_alloc(key->nbytes)) == NULL)
        return;
    if (nplans == MAX_PLANS)
        empty();
    memcpy(plan->key, key->data, key->nbytes);
    plan->key_nbytes = key->nbytes;
    plan->hash = hash;
    plan->next = buckets[hash % BUCKETS];
    buckets[hash % BUCKETS] = plan;
    nplans += 1;
}

void plan_leave(jg_plan *plan)
{
    if (JG_UNLIKELY(plan->key == NULL))
        plan_release(plan);
}

jg_status plan_find(const graph_walk *walk, bool fusing, base_vec *key, jg_plan **out)
{
    JG_TRY(plan_write_key(walk, fusing, key));
    uint64_t hash = hash_bytes(key->data, key->nbytes);
    jg_plan *plan = find(hash, key);
    if (JG_UNLIKELY(plan == NULL)) {
        int64_t start = trace_start();
        leave_before_waiting(); /* a plan of many ops takes long */
        JG_TRY(plan_make(walk, fusing, &plan));
        if (start != 0)
            trace_add_count("plan", "make plan", start, "launches", plan->nlaunches);
        keep(plan, hash, key);
    }
    *out = plan;
    return JG_OK;
}
