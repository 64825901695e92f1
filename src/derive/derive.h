/* SPDX-License-Identifier: Apache-2.0 */
/* derive: derivatives of users' kernels, as kernels: the adjoint and the tangent. */
#ifndef JG_DERIVE_H
#define JG_DERIVE_H

#include "kernel/kernel.h"

/* The kernel that adds to the gradients of what the kernel reads, from those of what it writes, and
 * sets these to 0 where it overwrites. It has the kernel's arrays, after them, in order, a gradient
 * NAME_grad for each array that gradients says (NULL: each floating one), and the kernel's scalars.
 * It reads the arrays as they are after the kernel has run.
 * gives: *out, for kernel_clear | raises: UNSUPPORTED for what has no derivative, naming the line;
 * TYPE if an array that is not floating is to have one; NOMEM */
jg_status derive_adjoint(const kernel_program *kernel, const jg_derived *gradients,
                         kernel_program *out);

/* Both, with derive_adjoint's kernel in *adjoint, from one analysis. gives, raises: as the two */
jg_status derive_adjoint_and_check(const kernel_program *kernel, const jg_derived *gradients,
                                   kernel_program *adjoint, bool *marked, kernel_program *check);

/* The kernel that computes the same and, beside each value, its tangent: NAME_dual for each array
 * that gradients says, after the kernel's arrays. gives, raises: as derive_adjoint */
jg_status derive_tangent(const kernel_program *kernel, const jg_derived *gradients,
                         kernel_program *out);

/* The kernel that raises VALUE where accesses that only the data can tell apart are in the way of
 * the adjoint, to be run before it: with the kernel's arrays, then for each that marked says an
 * array NAME_marks of the same shape, of integers that are 0, and the kernel's scalars. It writes
 * the marks alone. marked has an element for each array.
 * gives: *out, for kernel_clear, all zeros if nothing is in doubt; marked | raises: as
 * derive_adjoint */
jg_status derive_check(const kernel_program *kernel, const jg_derived *gradients, bool *marked,
                       kernel_program *out);

/* rule.c: the language of derivative.def and of other tables in it */

typedef enum derive_step_kind {
    DERIVE_OPERAND, /* x, y or z */
    DERIVE_VALUE,   /* v */
    DERIVE_CARRIED, /* g */
    DERIVE_NUMBER,
    DERIVE_INSTRUCTION
} derive_step_kind;

/* A step of a stack machine: it pushes a value, an instruction after it has popped its operands. */
typedef struct derive_step {
    uint8_t kind;  /* derive_step_kind */
    uint8_t arity; /* of an instruction */
    uint16_t op;   /* of an instruction; of an operand its number from 0 on */
    double number;
} derive_step;

typedef struct derive_rule {
    int count;
    derive_step steps[24]; /* the longest rule has 16 */
} derive_rule;

/* Reads a rule, which is an expression in prefix form: the name of an instruction and as many
 * operands as it has, those that are more than a word in parentheses.
 * raises: INTERNAL for what is no such expression, names nothing or is too long */
jg_status derive_read_rule(const char *text, derive_rule *out);

#endif
