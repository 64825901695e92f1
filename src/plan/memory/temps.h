/* SPDX-License-Identifier: Apache-2.0 */
/* Private to plan: temporaries. */
#ifndef JG_PLAN_TEMPS_H
#define JG_PLAN_TEMPS_H

#include "base/base.h"

/* A value lies in a temporary from one launch to another. */
typedef struct temp_use {
    int temp, first, last;
} temp_use;

/* Finds temporaries that can be one. sizes: in bytes. uses: all there are, of launches below
 * nlaunches.
 * gives: into, for each temporary the one that it becomes, which becomes itself and is as large |
 * raises: NOMEM */
jg_status plan_merge_temps(int ntemps, const size_t *sizes, int nlaunches, size_t nuses,
                           const temp_use *uses, int *into);

#endif
