/* SPDX-License-Identifier: Apache-2.0 */
/* Private to kernel_bounds*.c: sums, what branches say of them, and what follows. */
#ifndef JG_KERNEL_BOUNDS_SCAN_H
#define JG_KERNEL_BOUNDS_SCAN_H

#include "kernel/bounds.h"

enum { BOUNDS_MAX_DEPTH = 24, BOUNDS_MAX_CASES = 4 };

typedef struct bounds_block {
    uint32_t opener;
    bool otherwise; /* an IF's second part */
} bounds_block;

typedef struct bounds_scan {
    const kernel_program *kernel;
    bool narrow;    /* all extents are below 2^31 */
    uint8_t *jumps; /* of each instruction: a loop that is left or cut short */
    bounds_block blocks[KERNEL_MAX_DEPTH + 1];
    int depth;
    uint32_t outermost; /* the outermost loop around that counts; KERNEL_NONE */
    bounds_plan *out;
} bounds_scan;

/* Why a sum is not negative: it is proven, or it is where all forms of one of the cases are, which
 * are known before the outermost loop. */
typedef struct bounds_side {
    bool proven;
    uint32_t count;
    bounds_case cases[BOUNDS_MAX_CASES];
} bounds_side;

/* bounds_form.c */

/* The instruction that defines the value; NULL for a scalar argument. */
const kernel_inst *bounds_definition(const bounds_scan *s, uint32_t value);
bool bounds_is_signed(jg_dtype type);

bounds_form bounds_constant(int64_t constant);
bounds_form bounds_extent(const bounds_scan *s, uint32_t array, uint32_t axis, jg_dtype type);

/* The value as a sum; by itself where it is none. */
bounds_form bounds_form_of(const bounds_scan *s, uint32_t value);

/* The factor of the value in the form; 0 if it is not there. */
int64_t bounds_factor(const bounds_form *form, uint32_t value);

/* *into += factor * form. gives: false where there is no room */
bool bounds_add(bounds_form *into, const bounds_form *form, int64_t factor);

/* Range k of the loop. gives: false for loops over numbers without sign; *steps: whether it leaves
 * numbers out */
bool bounds_range_of(const bounds_scan *s, const kernel_inst *loop, uint32_t k, bounds_range *out,
                     bool *steps);

/* Puts the end of the range in the index's place that makes the form least, or greatest. */
bool bounds_put_end(const bounds_scan *s, bounds_form *form, uint32_t index,
                    const bounds_range *range, bool greatest);

/* Takes the indices of all loops around out of the form: the least that it comes to.
 * gives: false where that cannot be told */
bool bounds_leave_loops(const bounds_scan *s, bounds_form *form);

/* Whether a form without loops' indices is not negative, whatever its numbers are. */
bool bounds_is_rest_positive(const bounds_scan *s, const bounds_form *form);
bool bounds_is_never_negative(const bounds_scan *s, const bounds_form *form);

/* Whether what the value has in its type is surely what its sum is: indices are exact, other uses
 * of the same numbers wrap. */
bool bounds_is_exact(const bounds_scan *s, const bounds_form *form);

/* Whether 64 bits have room for the sum: it wraps no more than once, and then is no index. */
bool bounds_is_small(const bounds_scan *s, const bounds_form *form);
bool bounds_is_known_before(const bounds_scan *s, const bounds_form *form, uint32_t position);

/* bounds_side.c */

/* Adds to the side what there is to say for the form not being negative, where it is computed. */
void bounds_explain(const bounds_scan *s, const bounds_form *form, bounds_side *side);

/* The same for the value, and for rest - value. */
void bounds_explain_least(const bounds_scan *s, uint32_t value, int depth, bounds_side *side);
void bounds_explain_greatest(const bounds_scan *s, uint32_t value, const bounds_form *rest,
                             int depth, bounds_side *side);

#endif
