/* SPDX-License-Identifier: Apache-2.0 */
/* The pass that cuts parallel bodies out of a kernel, so that every back end sees device bodies.
 *
 * A kernel that is cut is a row of parts: device bodies, which are its parallel loops, each from
 * the PARALLEL to the END, and the serial parts before, between and behind them. A back end may
 * make a function of each part, or join serial parts. Instructions keep their positions and values
 * their numbers, so messages, random numbers and analyses of the whole kernel stay what they were.
 *
 * What one part needs of another lies in the frame, a block of frame_nbytes bytes that belongs to
 * one launch:
 *   - The first KERNEL_FRAME_HEAD bytes are the back end's: pointers to the launch's arguments and
 *     its host, how many random numbers the serial parts have drawn.
 *   - A value that another part uses has 8 bytes. The part that defines it writes it there, in the
 *     low bytes; the parts that use it, also as the bound of a range, read it from there. All such
 *     values are defined in the outermost block, before the parts that use them, so a value is
 *     written once and does not change while a body reads it.
 *   - A local that another part uses has cache lines of its own, where all parts read and write it.
 *     A stack has them for its kernel_stack; no body shares a stack.
 *   - Scalar arguments, CONST and EXTENT have none: each part takes them from the launch, or makes
 *     them again.
 * A body's own values and locals, those of loops inside it among them, have none. Its indices
 * come from the back end, which counts through the ranges; a chunk of them is one call of the body.
 * Atomics on arrays and on locals in the frame are among all indices. A part that an ASSERT ends
 * ends the launch: no part after it runs. A RETURN is at the end of the last part.
 *
 * The text form has "frame N" in its first line and "at N" behind a value or local
 * whose frame_offset is N. */
#ifndef JG_KERNEL_CUT_H
#define JG_KERNEL_CUT_H

#include "kernel/kernel.h"

enum { KERNEL_FRAME_HEAD = 64, KERNEL_FRAME_LINE = 64 };

/* Gives a verified kernel its frame and frame offsets, replacing those that it has. The values that
 * device bodies use come first in the frame.
 * A debug build verifies the result. raises: NOMEM | waits: never */
jg_status kernel_cut(kernel_program *kernel);

typedef struct kernel_part {
    uint32_t first, last; /* its instructions are first to last - 1 */
    bool is_body;
    uint32_t taken, ntaken; /* among kernel_parts.taken: values of other parts that it uses */
} kernel_part;

typedef struct kernel_parts {
    uint32_t count;
    uint32_t body_nbytes;  /* upper bound on the bytes of the frame that bodies on a device use */
    base_vec parts, taken; /* kernel_part; uint32_t */
} kernel_parts;

/* Borrowed from the parts. */
static inline const kernel_part *kernel_part_at(const kernel_parts *parts, uint32_t part)
{
    return (const kernel_part *)(const void *)parts->parts.data + part;
}

/* The parts of a kernel that is cut, in the order in which they run.
 * gives: *out, for kernel_parts_clear | raises: NOMEM | waits: never */
jg_status kernel_find_parts(const kernel_program *kernel, kernel_parts *out);
void kernel_parts_clear(kernel_parts *parts); /* one of zeros is fine */

#endif
