/* SPDX-License-Identifier: Apache-2.0 */
/* Flat programs as kernels: what every back end that takes kernels may do with a fused group.
 *
 * The kernel's parallel loop goes over the outer loops of the space; loops that are reduced are
 * loops inside the body, passed over once for each level of reductions and once more if elements
 * are stored. Its arrays are the program's buffers but for INDEX ones, in their order, with every
 * stride of the space in the declaration; an array of complex numbers has an axis more, of two
 * parts. Its scalars are the program's, two of a complex one, and then the offset of each INDEX
 * buffer.
 *
 * Elements have the tiles' bits. So have reductions of integers and bools, and extremes but for
 * which of two zeros and which NaN it is. Sums and products of floats are made in float64 from the
 * first element to the last, sums of float64 with the rounding errors added up beside them: the
 * error is at most that of pairwise summation, but the last bits may be others than the tiles'.
 * Random words are the program's own THREEFRY. */
#ifndef JG_KERNEL_FLAT_H
#define JG_KERNEL_FLAT_H

#include "kernel/kernel.h"

/* Whether the program over the space can be a kernel: after a true answer making it can fail only
 * for lack of memory. gives: false and *fault, whose position is the program's | waits: never */
bool kernel_takes_program(const jg_program *program, const program_space *space,
                          kernel_fault *fault);

/* The kernel of a verified program that is taken; it is verified and not cut. gives: *out, for
 * kernel_clear | raises: NOMEM, UNSUPPORTED as the fault says */
jg_status kernel_of_program(const jg_program *program, const program_space *space,
                            kernel_program *out);

#endif
