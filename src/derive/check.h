/* SPDX-License-Identifier: Apache-2.0 */
/* The check that runs before an adjoint: what has to be looked at (doubts.c), and the kernel that
 * does (check.c, screen.c). */
#ifndef JG_DERIVE_CHECK_H
#define JG_DERIVE_CHECK_H

#include "derive/passes.h"

enum {
    DOUBT_NEEDED = 1u << 0,     /* a LOAD: a derivative needs the element, which may change later */
    DOUBT_OVERWRITES = 1u << 1, /* a write that may be the one that changes it */
    DOUBT_MEETS = 1u << 2,      /* other iterations of the parallel loop may use the same element */
};

typedef struct derive_doubts {
    const derive_flow *flow;
    uint8_t *roles; /* for each instruction */
    bool *taken;    /* for each instruction: has a part in the check */
    bool *steers;   /* for each instruction: its value decides what is accessed */
    bool any;
} derive_doubts;

/* Finds what is in doubt, of a flow whose needs have been found. keeps: flow
 * gives: *out, for doubts_clear | raises: UNSUPPORTED where no check can tell, NOMEM */
jg_status doubts_find(const derive_flow *flow, derive_doubts *out);
void doubts_clear(derive_doubts *doubts);

/* check.c */

/* The check of such a flow, of which doubts_find gave the doubts; all zeros where there are none.
 * gives: *out, for kernel_clear; marked, which was false | raises: NOMEM, UNSUPPORTED */
jg_status check_make(const derive_doubts *doubts, bool *marked, kernel_program *out);

/* screen.c */

/* The state of screen_append: the rewrite into the check, and for each array its marks in the
 * check, which are bytes that start as 0; KERNEL_NONE for an array without marks. */
typedef struct derive_screen {
    const derive_doubts *doubts;
    derive_rewrite *rewrite;
    const uint32_t *marks;
    uint32_t stores, elements; /* its locals: how many there were */
} derive_screen;

/* Appends the parallel check whether all stores in doubt are to different elements. It sets a mark
 * to 1 for each stored element. Only stores may be in doubt.
 * gives: *out, a value: false if it is certain | raises: NOMEM, UNSUPPORTED */
jg_status screen_append(derive_screen *screen, uint32_t *out);

/* Whether the write is of a value with a derivative, to an array with a gradient. */
bool doubts_is_active(const derive_doubts *doubts, uint32_t write);

#endif
