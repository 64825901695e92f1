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

/* The kernel that computes the same and, beside each value, its tangent: NAME_dual for each array
 * that gradients says, after the kernel's arrays. gives, raises: as derive_adjoint */
jg_status derive_tangent(const kernel_program *kernel, const jg_derived *gradients,
                         kernel_program *out);

#endif
