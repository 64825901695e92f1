/* SPDX-License-Identifier: Apache-2.0 */
/* Brings an index space into the shape that runs best, before a tier sees it.
 *
 * Loops stay in their class: the kept ones are outside, the reduced ones inside. The order within a
 * class changes no element's value, but it changes the order in which a reduction adds. */
#include "program/program.h"
#include <string.h>

int64_t program_space_size(const program_space *space, int first, int last)
{
    int64_t size = 1;
    for (int d = first; d < last; ++d)
        size *= space->extents[d];
    return size;
}

static int64_t stride_at(const program_space *space, int buffer, int loop)
{
    return space->strides[buffer * space->ndim + loop];
}

static int64_t magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

static void swap_loops(program_space *space, int i, int j)
{
    int64_t extent = space->extents[i];
    space->extents[i] = space->extents[j];
    space->extents[j] = extent;
    for (int b = 0; b < space->nbuffers; ++b) {
        int64_t *strides = space->strides + b * space->ndim, stride = strides[i];
        strides[i] = strides[j];
        strides[j] = stride;
    }
}

/* Negative if outer moves further than inner by the first buffer of that role that tells them
 * apart. A buffer with stride 0 in either decides nothing. */
static int compare_loops(const program_space *space, const jg_program *program, program_role role,
                         int outer, int inner)
{
    for (int b = 0; b < space->nbuffers; ++b) {
        int64_t far = magnitude(stride_at(space, b, outer)),
                near = magnitude(stride_at(space, b, inner));
        if (program->buffers[b].role != role || far == 0 || near == 0 || far == near)
            continue;
        return far > near ? -1 : 1;
    }
    return 0;
}

static bool is_misplaced(const program_space *space, const jg_program *program, int outer,
                         int inner)
{
    int order = compare_loops(space, program, PROGRAM_ROLE_WRITE, outer, inner);
    if (order == 0)
        order = compare_loops(space, program, PROGRAM_ROLE_READ, outer, inner);
    return order > 0;
}

/* Insertion sort: few loops, mostly in order, and equal ones keep their order. */
static void sort_loops(program_space *space, const jg_program *program, int first, int last)
{
    for (int i = first + 1; i < last; ++i)
        for (int j = i; j > first && is_misplaced(space, program, j - 1, j); --j)
            swap_loops(space, j - 1, j);
}

/* Takes a loop out; the strides close up, buffer by buffer. */
static void remove_loop(program_space *space, int loop)
{
    int ndim = space->ndim;
    int64_t *to = space->strides;
    for (int b = 0; b < space->nbuffers; ++b)
        for (int d = 0; d < ndim; ++d)
            if (d != loop)
                *to++ = space->strides[b * ndim + d];
    memmove(space->extents + loop, space->extents + loop + 1,
            (size_t)(ndim - loop - 1) * sizeof *space->extents);
    if (loop >= ndim - space->nreduced)
        space->nreduced -= 1;
    space->ndim -= 1;
}

static void drop_single_loops(program_space *space)
{
    for (int d = space->ndim - 1; d >= 0 && space->ndim > 1; --d)
        if (space->extents[d] == 1)
            remove_loop(space, d);
}

/* Whether each buffer continues in the outer loop where the inner loop ends. */
static bool walk_as_one(const program_space *space, int outer)
{
    int64_t step;
    for (int b = 0; b < space->nbuffers; ++b) {
        if (__builtin_mul_overflow(stride_at(space, b, outer + 1), space->extents[outer + 1],
                                   &step) ||
            stride_at(space, b, outer) != step)
            return false;
    }
    return true;
}

/* The inner loop takes over both; its strides are already right. */
static void merge_loops(program_space *space)
{
    for (int d = space->ndim - 2; d >= 0; --d) {
        /* The innermost kept loop and the outermost reduced one are of different classes. */
        if (d == space->ndim - space->nreduced - 1 || !walk_as_one(space, d))
            continue;
        space->extents[d + 1] *= space->extents[d];
        remove_loop(space, d);
    }
}

/* Loops of extent 1 are removed first, as their strides have no meaning. Merging comes last, when
 * neighbours are adjacent. */
jg_status program_space_simplify(program_space *space, const jg_program *program)
{
    program_reach before;
    JG_TRY(program_space_verify(space, program, &before));
    drop_single_loops(space);
    sort_loops(space, program, 0, space->ndim - space->nreduced);
    sort_loops(space, program, space->ndim - space->nreduced, space->ndim);
    merge_loops(space);
    return program_space_verify_again(space, program, &before);
}
