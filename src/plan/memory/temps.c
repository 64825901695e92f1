/* SPDX-License-Identifier: Apache-2.0 */
/* Temporaries that are never used at the same time become one. They were chosen from the first
 * launch to the last, each for a value of about its size: a small one may have been made although a
 * large one lies idle just then, or is made later. */
#include "plan/memory/temps.h"

/* Sets of temporaries are bits of a word, so plans of more are left as they are. */
enum { MAX_TEMPS = 64 };

typedef struct merging {
    uint64_t meets[MAX_TEMPS];   /* by temporary: the others that are used while it is */
    uint64_t members[MAX_TEMPS]; /* those that have become it, and itself */
} merging;

/* For each launch, the temporaries in use. busy: zeroed */
static void mark_busy(size_t nuses, const temp_use *uses, uint64_t *busy)
{
    for (size_t i = 0; i < nuses; ++i)
        for (int launch = uses[i].first; launch <= uses[i].last; ++launch)
            busy[launch] |= UINT64_C(1) << uses[i].temp;
}

static void find_meetings(int ntemps, int nlaunches, const uint64_t *busy, merging *all)
{
    for (int i = 0; i < ntemps; ++i)
        all->members[i] = UINT64_C(1) << i;
    for (int launch = 0; launch < nlaunches; ++launch)
        for (uint64_t set = busy[launch]; set != 0; set &= set - 1)
            all->meets[__builtin_ctzll(set)] |= busy[launch];
}

/* The smallest temporary that is as large and that the other may become; -1 if there is none. */
static int find_host(int temp, int ntemps, const size_t *sizes, const int *into, const merging *all)
{
    int found = -1;
    for (int i = 0; i < ntemps; ++i) {
        bool fits = i != temp && into[i] == i && sizes[i] >= sizes[temp] &&
                    (all->meets[temp] & all->members[i]) == 0;
        if (fits && (found < 0 || sizes[i] < sizes[found]))
            found = i;
    }
    return found;
}

jg_status plan_merge_temps(int ntemps, const size_t *sizes, int nlaunches, size_t nuses,
                           const temp_use *uses, int *into)
{
    for (int i = 0; i < ntemps; ++i)
        into[i] = i;
    if (ntemps < 2 || ntemps > MAX_TEMPS)
        return JG_OK;
    merging all = {{0}, {0}};
    size_t nbytes = (size_t)nlaunches * sizeof(uint64_t);
    uint64_t *busy = base_alloc_zeroed(nbytes);
    if (busy == NULL)
        return base_nomem(nbytes, "a plan");
    mark_busy(nuses, uses, busy);
    find_meetings(ntemps, nlaunches, busy, &all);
    base_free(busy);
    for (int i = 0; i < ntemps; ++i) {
        int host = find_host(i, ntemps, sizes, into, &all);
        if (host < 0)
            continue;
        for (uint64_t set = all.members[i]; set != 0; set &= set - 1)
            into[__builtin_ctzll(set)] = host;
        all.members[host] |= all.members[i];
        all.meets[host] |= all.meets[i];
    }
    return JG_OK;
}
