/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces that break a rule are refused with the reason: by themselves, and after a pass that lost
 * something on the way. */
#include "../support.h"
#include "program/program.h"

enum { MOST = 16, RESULT = 0, READ, COUNTER };

typedef union space_memory {
    program_space space;
    int64_t room[JG_MAX_NDIM + 3 + MOST];
} space_memory;

static space_memory memory;
static program_space *const space = &memory.space;
static jg_program program; /* a float32 result, a float32 read and an index */
static program_reach reach;

/* A sum over the last of three dense loops: (2, 3, 4) to (2, 3). */
static void begin(void)
{
    static const int64_t extents[] = {2, 3, 4}, strides[] = {12, 4, 0, 48, 16, 4, 12, 4, 1};
    int buffer;
    program_init(&program);
    program.reduces = true;
    assert_ok(program_add_buffer(&program, PROGRAM_ROLE_WRITE, JG_DTYPE_FLOAT32, &buffer));
    assert_ok(program_add_buffer(&program, PROGRAM_ROLE_READ, JG_DTYPE_FLOAT32, &buffer));
    assert_ok(program_add_buffer(&program, PROGRAM_ROLE_INDEX, JG_DTYPE_INT64, &buffer));
    program.buffers[RESULT].per_row = true;
    space->ndim = space->nbuffers = 3;
    space->nreduced = 1;
    memcpy(space->extents, extents, sizeof extents);
    memcpy(space->strides, strides, sizeof strides);
    assert_ok(program_space_verify(space, &program, &reach));
}

static int64_t *stride(int buffer, int loop)
{
    return &space->strides[buffer * space->ndim + loop];
}

static void refused(const char *fault)
{
    program_reach unused;
    assert_fails_saying(JG_ERR_INTERNAL, fault, program_space_verify(space, &program, &unused));
    assert_fails_saying(JG_ERR_INTERNAL, fault, program_space_simplify(space, &program));
}

static void refused_after(const char *fault)
{
    assert_fails_saying(JG_ERR_INTERNAL, fault,
                        program_space_verify_again(space, &program, &reach));
}

TEST(a_whole_space_passes_and_tells_what_it_covers)
{
    begin();
    assert_int_equal(reach.steps[LOOPS_KEPT], 6);
    assert_int_equal(reach.steps[LOOPS_REDUCED], 4);
    assert_int_equal(reach.behind[LOOPS_KEPT][READ], 48 + 2 * 16);
    assert_int_equal(reach.behind[LOOPS_REDUCED][READ], 3 * 4);
    *stride(READ, 1) = -16;
    assert_ok(program_space_verify(space, &program, &reach));
    assert_int_equal(reach.before[LOOPS_KEPT][READ], -32);
    assert_int_equal(reach.behind[LOOPS_KEPT][READ], 48);
}

TEST(loops_are_one_to_the_most_axes)
{
    begin();
    space->ndim = 0;
    refused("got 0 loops, allowed are 1 to 64");
    space->ndim = JG_MAX_NDIM + 1;
    refused("got 65 loops, allowed are 1 to 64");
}

TEST(reduced_loops_are_loops_of_a_program_that_reduces)
{
    begin();
    space->nreduced = 4;
    refused("got 4 reduced loops, allowed are 0 to 3");
    space->nreduced = -1;
    refused("got -1 reduced loops");
    begin();
    program.reduces = false;
    refused("got 1 reduced loops, allowed are 0 to 0");
}

TEST(every_buffer_of_the_program_has_strides)
{
    begin();
    space->nbuffers = 2;
    refused("got strides of 2 buffers, allowed are the program's 3");
}

TEST(extents_are_not_negative)
{
    begin();
    space->extents[1] = -3;
    refused("loop 1: got an extent of -3, allowed are 0 and above");
}

TEST(all_steps_together_fit)
{
    begin();
    space->extents[0] = space->extents[2] = INT64_C(1) << 31;
    refused("loop 2: got an extent of 2147483648, allowed are below 2^63 steps");
    space->extents[1] = 0; /* as a shape with a 0 in it, which is refused too */
    space->extents[0] = space->extents[2] = INT64_C(1) << 32;
    refused("loop 2: got an extent of 4294967296");
}

TEST(distances_fit_their_fields)
{
    begin();
    *stride(READ, 0) = INT64_MAX / 4 * 4;
    refused("buffer 1, loop 1: got a stride of 16 for 3 steps, allowed are distances below 2^63");
    *stride(READ, 1) = INT64_MIN;
    refused("buffer 1, loop 1: got a stride of -9223372036854775808 for 3 steps");
}

TEST(strides_are_whole_elements)
{
    begin();
    *stride(READ, 2) = 6;
    refused("buffer 1, loop 2: got a stride of 6 bytes, allowed are multiples of 4");
}

TEST(a_buffer_per_row_stands_still_while_its_row_is_reduced)
{
    begin();
    *stride(RESULT, 2) = 4;
    refused("buffer 0, reduced loop 2: got a stride of 4, allowed is 0 for a buffer per row");
}

TEST(strides_of_loops_that_do_not_go_on_are_free)
{
    begin();
    space->extents[2] = 1;
    *stride(RESULT, 2) = 7;
    assert_ok(program_space_verify(space, &program, &reach));
    space->extents[0] = 0;
    *stride(READ, 1) = INT64_MAX;
    assert_ok(program_space_verify(space, &program, &reach));
    assert_ok(program_space_simplify(space, &program));
    assert_int_equal(reach.steps[LOOPS_KEPT], 0);
}

TEST(a_pass_that_loses_a_loop_is_found)
{
    begin();
    space->extents[0] = 1;
    refused_after("kept loops: got 3 steps, allowed are the 6 of before the pass");
}

TEST(a_pass_that_keeps_a_reduced_loop_is_found)
{
    begin();
    space->nreduced = 0;
    refused_after("kept loops: got 24 steps, allowed are the 6");
}

TEST(a_pass_that_sorts_extents_without_strides_is_found)
{
    begin();
    space->extents[0] = 3;
    space->extents[1] = 2;
    refused_after("buffer 0, kept loops: got distances 0 to 28, "
                  "allowed are those of before the pass, 0 to 20");
}

TEST(a_pass_that_turns_a_buffer_around_is_found)
{
    begin();
    *stride(READ, 2) = -4;
    refused_after("buffer 1, reduced loops: got distances -12 to 0, "
                  "allowed are those of before the pass, 0 to 12");
}
