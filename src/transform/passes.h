/* SPDX-License-Identifier: Apache-2.0 */
/* Passes along a tape: tangents forward (forward.c), cotangents in reverse (reverse.c), and how
 * rules give shares of a cotangent to the inputs of a node (shares.c). */
#ifndef JG_TRANSFORM_PASSES_H
#define JG_TRANSFORM_PASSES_H

#include "transform/tape.h"

/* Tangents of the slots asked for. tangents: one for each marker, of its shape and dtype; NULL for
 * zero. gives: out, nslots of them, +1 each, NULL for zero | raises: what building raises;
 * UNSUPPORTED for a primitive without derivative */
jg_status forward_run(const transform_tape *tape, jg_array *const *tangents, int nslots,
                      const int32_t *slots, jg_array **out);

/* Cotangents of the markers. slots and cotangents: of the results, slot -1 is passed over, NULL is
 * zero. gives: out, nmarkers of them, +1 each, NULL for zero | raises: as forward_run */
jg_status reverse_run(const transform_tape *tape, int nresults, const int32_t *slots,
                      jg_array *const *cotangents, jg_array **out);

/* The pass at one node, for its rule. */
typedef struct reverse_pass {
    const transform_tape *tape;
    const tape_entry *entry;
    jg_array **values; /* by slot, NULL for zero */
} reverse_pass;

/* Whether input i depends on a marker: its cotangent is asked for. */
bool reverse_wants(const reverse_pass *pass, int input);

/* Adds x to the cotangent of input i, if that is asked for: summed over axes along which the input
 * was broadcast, and cast to its dtype. keeps: x | raises: what building raises */
jg_status reverse_give(reverse_pass *pass, int input, jg_array *x);

/* Adds x to a cotangent, which may be NULL. keeps: x | raises: what adding raises */
jg_status reverse_add(jg_array **value, jg_array *x);

#endif
