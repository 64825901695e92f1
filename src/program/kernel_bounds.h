/* SPDX-License-Identifier: Apache-2.0 */
/* Which indices of a kernel have to be looked at when it runs, and where that is done at least
 * cost.
 *
 * An index that is a sum of multiples of loops' indices and of what does not change in them takes
 * its least and its greatest value at the ends of the loops. So it is proven, or looked at once
 * before the outermost loop whose every turn comes to the access; and else at the access. */
#ifndef JG_KERNEL_BOUNDS_H
#define JG_KERNEL_BOUNDS_H

#include "program/kernel.h"

/* factor times a value, or times an extent. */
typedef struct bounds_term {
    int64_t factor;
    uint32_t value;       /* or KERNEL_NONE: */
    uint32_t array, axis; /* of the extent */
    uint8_t type;         /* jg_dtype: an extent in a narrow one is cut to it */
} bounds_term;

enum { BOUNDS_MAX_TERMS = 6, BOUNDS_MAX_RANGES = 12 };

typedef struct bounds_form {
    int64_t constant;
    uint32_t count;
    bounds_term terms[BOUNDS_MAX_TERMS];
} bounds_form;

typedef struct bounds_range {
    bounds_form low, high;
} bounds_range;

/* One index of one access. loop: before which it is looked at, if all ranges have turns: then least
 * and greatest are of all of these; KERNEL_NONE: at the access. */
typedef struct bounds_check {
    uint32_t access, axis, loop;
    bounds_form least, greatest;
    uint32_t nranges;
    bounds_range ranges[BOUNDS_MAX_RANGES];
} bounds_check;

/* Whether the instruction is one of a local's. */
static inline bool kernel_bounds_local(uint16_t op)
{
    return op == KERNEL_GET || op == KERNEL_SET || op == KERNEL_ATOMIC_LOCAL;
}

/* Appends a bounds_check for each index of arrays, and of locals that are arrays, that is not
 * proven. The kernel is verified. gives: *out, for vec_clear, also where it fails | raises:
 * NOMEM */
jg_status kernel_find_bounds(const kernel_program *kernel, base_vec *out);

#endif
