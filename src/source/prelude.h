/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that kernels call, as text: what instructions compute, cut out of the room math
 * when the library is built (tools/prelude.py). */
#ifndef JG_SOURCE_PRELUDE_H
#define JG_SOURCE_PRELUDE_H

#include "base/base.h"

#define PRELUDE_MAX 1536

/* The entries that some kernels call, themselves or through others. */
typedef struct prelude_set {
    uint64_t bits[PRELUDE_MAX / 64];
} prelude_set;

/* The entry of that name; -1 if there is none. waits: never */
int prelude_find(const char *name);

/* Whether the entry, or one that it calls, computes in float64. */
bool prelude_is_wide(int entry);

/* Adds the entry and all that it calls. */
void prelude_reach(prelude_set *set, int entry);

/* Appends the text of the set's entries, each after those that it calls. raises: never;
 * text_status */
void prelude_print(const prelude_set *set, base_text *out);

#endif
