/* SPDX-License-Identifier: Apache-2.0 */
/* Finding functions in the table that tools/prelude.py makes. Entries come after those they use. */
#include "source/prelude.h"
#include <string.h>

typedef struct prelude_entry {
    const char *name;
    uint32_t start, nbytes; /* in the text */
    uint16_t first, count;  /* in the list of uses */
    bool is_wide;
} prelude_entry;

#include "prelude_table.h"

_Static_assert(JG_COUNT_OF(prelude_entries) <= PRELUDE_MAX, "the set has too few bits");

int prelude_find(const char *name)
{
    int low = 0, high = (int)JG_COUNT_OF(prelude_by_name);
    while (low < high) {
        int middle = (low + high) / 2, entry = prelude_by_name[middle];
        int order = strcmp(name, prelude_entries[entry].name);
        if (order == 0)
            return entry;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

bool prelude_is_wide(int entry)
{
    return prelude_entries[entry].is_wide;
}

static bool is_in(const prelude_set *set, int entry)
{
    return (set->bits[entry / 64] >> (entry % 64) & 1) != 0;
}

static void put(prelude_set *set, int entry)
{
    set->bits[entry / 64] |= (uint64_t)1 << (entry % 64);
}

/* Walks down: a marked function marks the functions it uses, which come earlier. */
void prelude_reach(prelude_set *set, int entry)
{
    if (is_in(set, entry))
        return;
    put(set, entry);
    for (int at = entry; at >= 0; --at)
        for (int i = 0; is_in(set, at) && i < prelude_entries[at].count; ++i)
            put(set, prelude_uses[prelude_entries[at].first + i]);
}

void prelude_print(const prelude_set *set, base_text *out)
{
    for (int entry = 0; entry < (int)JG_COUNT_OF(prelude_entries); ++entry)
        if (is_in(set, entry))
            text_add(out, "%.*s", (int)prelude_entries[entry].nbytes,
                     prelude_text + prelude_entries[entry].start);
}
