/* SPDX-License-Identifier: Apache-2.0 */
/* Which indices of a kernel must be checked when it runs, and where that is cheapest.
 *
 * An index that is a sum of multiples of loops' indices and of values that do not change in them
 * has its least and its greatest value at the ends of the loops, or as enclosing branches limit it.
 * So it is proven; or checked once before the outermost loop whose every iteration reaches the
 * access; or, if not every iteration does, assumed under a condition that is tested once before the
 * loop: if that is false, another version of the loop runs, which checks at the access. All others
 * are checked at the access. */
#ifndef JG_KERNEL_BOUNDS_H
#define JG_KERNEL_BOUNDS_H

#include "kernel/kernel.h"

/* factor times a value, or times an extent. */
typedef struct bounds_term {
    int64_t factor;
    uint32_t value;       /* or KERNEL_NONE: */
    uint32_t array, axis; /* of the extent */
    uint8_t type;         /* jg_dtype: an extent in a narrow one is cut to it */
} bounds_term;

enum { BOUNDS_MAX_TERMS = 6, BOUNDS_MAX_RANGES = 12, BOUNDS_MAX_CONDITIONS = 6 };

typedef struct bounds_form {
    int64_t constant;
    uint32_t count;
    bounds_term terms[BOUNDS_MAX_TERMS];
} bounds_form;

typedef struct bounds_range {
    bounds_form low, high;
} bounds_range;

/* Forms none of which is negative. */
typedef struct bounds_case {
    uint32_t count;
    bounds_form forms[BOUNDS_MAX_CONDITIONS];
} bounds_case;

typedef enum bounds_kind {
    BOUNDS_AT_ACCESS,
    BOUNDS_BEFORE_LOOP, /* if all ranges have iterations: least and greatest are over all */
    BOUNDS_ASSUMED,     /* in the loop, if one of the cases of either end holds before it */
    BOUNDS_LEFT_OUT     /* not found here; for callers that leave a check out */
} bounds_kind;

/* One index of one access. */
typedef struct bounds_check {
    uint32_t access, axis;
    bounds_kind kind;
    uint32_t loop; /* KERNEL_NONE for AT_ACCESS */
    bounds_form least, greatest;
    uint32_t nranges;
    bounds_range ranges[BOUNDS_MAX_RANGES];
    bool known;                             /* from loops' indices and from what is known before */
    uint32_t first_case, nleast, ngreatest; /* 0 for an end that is proven */
} bounds_check;

typedef struct bounds_plan {
    base_vec checks, cases; /* bounds_check, bounds_case */
} bounds_plan;

/* Whether the instruction accesses a local. */
static inline bool kernel_bounds_local(uint16_t op)
{
    return op == KERNEL_GET || op == KERNEL_SET || op == KERNEL_ATOMIC_LOCAL;
}

/* The checks of all indices of arrays, and of locals that are arrays, that are not proven. The
 * kernel is verified. narrow: all extents are below 2^31. gives: *out, for kernel_bounds_clear,
 * also where it fails | raises: NOMEM */
jg_status kernel_find_bounds(const kernel_program *kernel, bool narrow, bounds_plan *out);
void kernel_bounds_clear(bounds_plan *plan);

#endif
