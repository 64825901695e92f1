/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of the primitive scatter and the numbers of its target: what makes, checks, runs,
 * prints, differentiates or batches one reads them from here.
 *
 * x has the shape of the result. The updates have the shape of the index space, and each index
 * array is broadcast to it. The target is an array of int64 rather than an attribute, so that one
 * plan serves every offset. It tells where in the row-major result the index space lies, in
 * elements: the offset of index zero, a step along each axis of the space, which is 0 where the
 * target is broadcast, and the stride and the extent of each axis of x that an index array
 * indexes. */
#ifndef JG_OP_SCATTER_H
#define JG_OP_SCATTER_H

#include <joggle/array.h>
#include <stdint.h>

/* The operands; index arrays from SCATTER_ARRAYS on. A call of the routine has the result last. */
enum { SCATTER_X, SCATTER_TARGET, SCATTER_UPDATES, SCATTER_ARRAYS };

/* The index of the first step among a target's numbers, and the largest count of numbers. */
enum { SCATTER_STEPS = 1, SCATTER_MAX_NUMBERS = 1 + 3 * JG_MAX_NDIM };

/* A target's numbers. steps: one for each axis of the index space; strides, extents: one for each
 * index array. */
typedef struct scatter_target {
    int64_t offset;
    const int64_t *steps, *strides, *extents;
} scatter_target;

/* ndim: of the index space. */
static inline int scatter_target_count(int ndim, int narrays)
{
    return SCATTER_STEPS + ndim + 2 * narrays;
}

/* keeps: numbers, as long as the result is used */
static inline scatter_target scatter_target_of(const int64_t *numbers, int ndim, int narrays)
{
    const int64_t *steps = numbers + SCATTER_STEPS, *strides = steps + ndim;
    return (scatter_target){numbers[0], steps, strides, strides + narrays};
}

#endif
