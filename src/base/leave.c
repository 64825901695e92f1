/* SPDX-License-Identifier: Apache-2.0 */
/* The function that the caller of an evaluation calls before the thread waits. */
#include "base/base.h"

static JG_FAST_THREAD_LOCAL base_leaver current;

base_leaver leaver_set(base_leaver leaver)
{
    base_leaver before = current;
    current = leaver;
    return before;
}

/* The leaver is forgotten first, because the lock can be released only once. */
void leave_before_waiting(void)
{
    base_leaver leaver = leaver_set((base_leaver){0});
    if (leaver.leave != NULL)
        leaver.leave(leaver.context);
}
