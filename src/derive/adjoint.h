/* SPDX-License-Identifier: Apache-2.0 */
/* The common parts of the two sweeps of an adjoint (forward.c, reverse.c).
 *
 * A region is the serial code or the body of a parallel loop. It becomes: the locals and stacks for
 * kept values, the forward sweep, the reverse sweep. A value that is computed in the region's own
 * block is kept as the forward sweep's value; a value that is computed under ifs is kept in a
 * local; a value that is computed in loops is kept on a stack. */
#ifndef JG_DERIVE_ADJOINT_H
#define JG_DERIVE_ADJOINT_H

#include "derive/passes.h"

typedef struct derive_sweeps {
    derive_flow flow;
    derive_rewrite forward; /* values and locals of the forward sweep */
    derive_rewrite reverse; /* values that are needed, in the reverse sweep; no locals */
    kernel_program *to;
    uint32_t *gradients; /* for each array that of its gradient in to */
    uint32_t
        *adjoints; /* for each value its adjoint so far: a value, or a local if it crosses blocks */
    uint32_t *local_adjoints; /* for each local one of to */
    uint32_t *kept;           /* for each value the local or stack that keeps it */
    uint32_t *counters;    /* for each loop the local that counts its turns in the forward sweep */
    uint32_t *kept_counts; /* likewise the local or stack that keeps the count */
    uint32_t *counts;      /* likewise the count in the reverse sweep */
    uint32_t *carriers;    /* for each LOAD the local that sums its gradient over a loop */
    uint32_t
        *passes; /* for each LOAD the pass that adds its gradient without atomics, or KERNEL_NONE */
    bool *is_private;       /* for each array: this loop's iterations have their own elements */
    bool *is_left;          /* for each array: a store leaves its gradient as it is */
    uint32_t pass, npasses; /* of the parallel loop that is swept: 0 of 1 unless it is split */
    uint32_t region;        /* the parallel loop that is swept; KERNEL_NONE: the serial code */
} derive_sweeps;

/* Whether what is done once for all passes is done in this one. */
static inline bool sweeps_is_last_pass(const derive_sweeps *s)
{
    return s->pass + 1 >= s->npasses;
}

/* Borrowed from the flow's kernel. */
static inline const kernel_inst *sweeps_inst(const derive_sweeps *s, uint32_t position)
{
    return kernel_inst_at(s->flow.kernel, position);
}

/* Whether the position is in the region's own block and not in one inside. */
static inline bool sweeps_is_outermost(const derive_sweeps *s, uint32_t position)
{
    return s->flow.blocks[position] == s->flow.regions[position];
}

/* The following functions append to s->to. Each raises NOMEM and, if a kernel gets too long,
 * UNSUPPORTED, as kernel/build.c does. */

/* forward.c */

/* Declares the locals and stacks for what the region keeps. raises: NOMEM, UNSUPPORTED */
jg_status sweeps_declare_kept(derive_sweeps *s, uint32_t first, uint32_t end);

/* Appends the forward sweep of positions first to end - 1. raises: NOMEM, UNSUPPORTED */
jg_status sweeps_forward(derive_sweeps *s, uint32_t first, uint32_t end);

/* Appends the reading of a value that was kept. A stack gives the last one first, so this must run
 * once for each time that the value was kept, in reverse.
 * gives: *out, the value | raises: NOMEM, UNSUPPORTED */
jg_status sweeps_restore(derive_sweeps *s, uint32_t kept, uint32_t *out);

/* split.c */

/* Assigns the accesses of the parallel loop to passes. gives: how many there are */
uint32_t sweeps_split(derive_sweeps *s, uint32_t parallel);

/* reverse.c */

/* Appends the reverse sweep of a block, its positions first to end - 1.
 * raises: NOMEM, UNSUPPORTED */
jg_status sweeps_reverse(derive_sweeps *s, uint32_t first, uint32_t end);

/* Adds the adjoint of what the LOAD reads to the gradient of its array, in the pass that does so.
 * raises: NOMEM, UNSUPPORTED */
jg_status sweeps_give_to_array(derive_sweeps *s, uint32_t load, uint32_t adjoint);

/* Appends both sweeps of the region that s->region names. raises: NOMEM, UNSUPPORTED */
jg_status sweeps_region(derive_sweeps *s, uint32_t first, uint32_t end);

/* reverse_loop.c */

/* Appends the reverse of a FOR, LOOP or PARALLEL. raises: NOMEM, UNSUPPORTED */
jg_status sweeps_reverse_loop(derive_sweeps *s, uint32_t position);

#endif
