/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a space as checks, before and after a pass changes it.
 *
 * A pass may drop, merge and sort loops. None of that changes how many steps a class of loops has,
 * nor the first and the last place that a buffer is met at: these are compared, so a pass that
 * loses a loop, mixes kept loops with reduced ones or takes a stride along with the wrong loop is
 * found. A failure means that joggle is wrong, not its user. */
#include "program/program.h"
#include <inttypes.h>
#include <string.h>

static const char *const class_names[LOOPS_CLASSES] = {"kept", "reduced"};

/* The loops of a class are those from first to last - 1. */
static int first_of(const program_space *space, int loops)
{
    return loops == LOOPS_KEPT ? 0 : space->ndim - space->nreduced;
}

static int last_of(const program_space *space, int loops)
{
    return loops == LOOPS_KEPT ? space->ndim - space->nreduced : space->ndim;
}

static int64_t stride_at(const program_space *space, int buffer, int loop)
{
    return space->strides[buffer * space->ndim + loop];
}

static jg_status check_counts(const program_space *space, const jg_program *program)
{
    if (space->ndim < 1 || space->ndim > JG_MAX_NDIM)
        return base_fail(JG_ERR_INTERNAL, "space: got %d loops, allowed are 1 to %d", space->ndim,
                         JG_MAX_NDIM);
    int most = program->reduces ? space->ndim : 0;
    if (space->nreduced < 0 || space->nreduced > most)
        return base_fail(JG_ERR_INTERNAL, "space: got %d reduced loops, allowed are 0 to %d",
                         space->nreduced, most);
    if (space->nbuffers != program->nbuffers)
        return base_fail(JG_ERR_INTERNAL,
                         "space: got strides of %d buffers, allowed are the program's %d",
                         space->nbuffers, program->nbuffers);
    return JG_OK;
}

/* The numbers of steps fit also if extents of 0 are left out, as they do for shapes. */
static jg_status count_steps(const program_space *space, program_reach *out)
{
    int64_t all = 1;
    for (int loops = 0; loops < LOOPS_CLASSES; ++loops) {
        out->steps[loops] = 1;
        for (int d = first_of(space, loops); d < last_of(space, loops); ++d) {
            int64_t extent = space->extents[d];
            if (extent < 0)
                return base_fail(JG_ERR_INTERNAL,
                                 "space: loop %d: got an extent of %" PRId64
                                 ", allowed are 0 and above",
                                 d, extent);
            if (__builtin_mul_overflow(all, extent > 0 ? extent : 1, &all))
                return base_fail(JG_ERR_INTERNAL,
                                 "space: loop %d: got an extent of %" PRId64
                                 ", allowed are below 2^63 steps of all loops together",
                                 d, extent);
            out->steps[loops] *= extent;
        }
    }
    return JG_OK;
}

/* Strides in steps have no unit. */
static int64_t unit_of(const program_buffer *buffer)
{
    return buffer->role == PROGRAM_ROLE_INDEX ? 1
                                              : (int64_t)dtype_itemsize((jg_dtype)buffer->dtype);
}

static jg_status check_stride(const program_space *space, const program_buffer *buffer, int b,
                              int loops, int d)
{
    int64_t stride = stride_at(space, b, d);
    if (stride % unit_of(buffer) != 0)
        return base_fail(JG_ERR_INTERNAL,
                         "space: buffer %d, loop %d: got a stride of %" PRId64
                         " bytes, allowed are multiples of %" PRId64,
                         b, d, stride, unit_of(buffer));
    if (loops == LOOPS_REDUCED && buffer->per_row && stride != 0)
        return base_fail(JG_ERR_INTERNAL,
                         "space: buffer %d, reduced loop %d: got a stride of %" PRId64
                         ", allowed is 0 for a buffer per row",
                         b, d, stride);
    return JG_OK;
}

/* How far the loops of the class lead in a buffer. Loops of one step lead nowhere, whatever their
 * strides are, and none does where some loop has no step. */
static jg_status measure(const program_space *space, const jg_program *program, int b, int loops,
                         program_reach *out)
{
    int64_t *before = &out->before[loops][b], *behind = &out->behind[loops][b], way;
    *before = *behind = 0;
    for (int d = first_of(space, loops); d < last_of(space, loops) && out->steps[loops] > 0; ++d) {
        if (space->extents[d] == 1)
            continue;
        JG_TRY(check_stride(space, &program->buffers[b], b, loops, d));
        int64_t stride = stride_at(space, b, d), *end = stride < 0 ? before : behind;
        if (__builtin_mul_overflow(stride, space->extents[d] - 1, &way) ||
            __builtin_add_overflow(*end, way, end))
            return base_fail(JG_ERR_INTERNAL,
                             "space: buffer %d, loop %d: got a stride of %" PRId64 " for %" PRId64
                             " steps, allowed are distances below 2^63",
                             b, d, stride, space->extents[d]);
    }
    return JG_OK;
}

jg_status program_space_verify(const program_space *space, const jg_program *program,
                               program_reach *out)
{
    JG_TRY(check_counts(space, program));
    JG_TRY(count_steps(space, out));
    if (out->steps[LOOPS_KEPT] == 0) /* nothing runs, and strides may be anything */
        out->steps[LOOPS_REDUCED] = 0;
    for (int b = 0; b < space->nbuffers; ++b)
        for (int loops = 0; loops < LOOPS_CLASSES; ++loops)
            JG_TRY(measure(space, program, b, loops, out));
    return JG_OK;
}

static jg_status check_same(const program_reach *before, const program_reach *now, int nbuffers,
                            int loops)
{
    if (now->steps[loops] != before->steps[loops])
        return base_fail(JG_ERR_INTERNAL,
                         "space: %s loops: got %" PRId64 " steps, allowed are the %" PRId64
                         " of before the pass",
                         class_names[loops], now->steps[loops], before->steps[loops]);
    for (int b = 0; b < nbuffers; ++b)
        if (now->before[loops][b] != before->before[loops][b] ||
            now->behind[loops][b] != before->behind[loops][b])
            return base_fail(JG_ERR_INTERNAL,
                             "space: buffer %d, %s loops: got distances %" PRId64 " to %" PRId64
                             ", allowed are those of before the pass, %" PRId64 " to %" PRId64,
                             b, class_names[loops], now->before[loops][b], now->behind[loops][b],
                             before->before[loops][b], before->behind[loops][b]);
    return JG_OK;
}

jg_status program_space_verify_again(const program_space *space, const jg_program *program,
                                     const program_reach *before)
{
    program_reach now;
    JG_TRY(program_space_verify(space, program, &now));
    for (int loops = 0; loops < LOOPS_CLASSES; ++loops)
        JG_TRY(check_same(before, &now, space->nbuffers, loops));
    return JG_OK;
}
