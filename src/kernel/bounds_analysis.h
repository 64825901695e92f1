/* SPDX-License-Identifier: Apache-2.0 */
/* Private to bounds*.c: sums, the facts that branches give about them, and the conclusions. */
#ifndef JG_KERNEL_BOUNDS_ANALYSIS_H
#define JG_KERNEL_BOUNDS_ANALYSIS_H

#include "kernel/bounds.h"

enum { BOUNDS_MAX_DEPTH = 24, BOUNDS_MAX_CASES = 4 };

typedef struct bounds_block {
    uint32_t opener;
    bool otherwise; /* an IF's second part */
} bounds_block;

typedef struct bounds_analysis {
    const kernel_program *kernel;
    bool narrow;    /* all extents are below 2^31 */
    uint8_t *jumps; /* of each instruction: a loop that is left or cut short */
    bounds_block blocks[KERNEL_MAX_DEPTH + 1];
    int depth;
    uint32_t outermost; /* the outermost enclosing loop that counts; KERNEL_NONE */
    bounds_plan *out;
} bounds_analysis;

/* Why a sum is not negative: it is proven, or it holds if all forms of one of the cases are not
 * negative; those are known before the outermost loop. */
typedef struct bounds_side {
    bool proven;
    uint32_t count;
    bounds_case cases[BOUNDS_MAX_CASES];
} bounds_side;

/* bounds_form.c */

/* The instruction that defines the value, borrowed from the kernel; NULL for a scalar argument. */
const kernel_inst *bounds_definition(const bounds_analysis *s, uint32_t value);

/* Whether it is a signed integer type. */
bool bounds_is_signed(jg_dtype type);

/* The forms of a constant, and of an array's extent in a type. */
bounds_form bounds_constant(int64_t constant);
bounds_form bounds_extent(const bounds_analysis *s, uint32_t array, uint32_t axis, jg_dtype type);

/* The value as a sum; a form of the value alone if it is none. */
bounds_form bounds_form_of(const bounds_analysis *s, uint32_t value);

/* The factor of the value in the form; 0 if it is not there. */
int64_t bounds_factor(const bounds_form *form, uint32_t value);

/* *into += factor * form. gives: false where it is full */
bool bounds_add(bounds_form *into, const bounds_form *form, int64_t factor);

/* Range k of the loop. gives: false for loops over unsigned numbers; *steps: whether it leaves
 * numbers out */
bool bounds_range_of(const bounds_analysis *s, const kernel_inst *loop, uint32_t k,
                     bounds_range *out, bool *steps);

/* Replaces the index by the end of its range that makes the form least, or greatest. */
bool bounds_put_end(const bounds_analysis *s, bounds_form *form, uint32_t index,
                    const bounds_range *range, bool greatest);

/* Replaces the indices of all enclosing loops so that the form is least. gives: false if that is
 * unknown */
bool bounds_leave_loops(const bounds_analysis *s, bounds_form *form);

/* Whether a form without loops' indices is not negative, whatever its numbers are. */
bool bounds_is_rest_positive(const bounds_analysis *s, const bounds_form *form);
bool bounds_is_never_negative(const bounds_analysis *s, const bounds_form *form);

/* Whether the value in its type certainly equals its sum: indices are exact, other uses of the same
 * numbers wrap. */
bool bounds_is_exact(const bounds_analysis *s, const bounds_form *form);

/* Whether the sum fits 64 bits: it wraps at most once, and then is no index. */
bool bounds_is_small(const bounds_analysis *s, const bounds_form *form);
bool bounds_is_known_before(const bounds_analysis *s, const bounds_form *form, uint32_t position);

/* bounds_side.c */

/* Adds to the side why the form is not negative where it is computed. */
void bounds_explain(const bounds_analysis *s, const bounds_form *form, bounds_side *side);

/* The same for the value, and for rest - value. */
void bounds_explain_least(const bounds_analysis *s, uint32_t value, int depth, bounds_side *side);
void bounds_explain_greatest(const bounds_analysis *s, uint32_t value, const bounds_form *rest,
                             int depth, bounds_side *side);

#endif
