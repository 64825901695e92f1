/* SPDX-License-Identifier: Apache-2.0 */
/* Which results may be written over which operands. */
#include "../support.h"
#include "program/program.h"

typedef union space_memory {
    program_space space;
    int64_t room[JG_MAX_NDIM + 3 + 16];
} space_memory;

static space_memory memory;
static jg_program program;
static int read_a, read_b, write_a, write_b, a, b, sum;

/* Two operands, their sum, and room for two results of float32. */
static void begin(void)
{
    program_init(&program);
    assert_ok(program_add_buffer(&program, PROGRAM_ROLE_READ, JG_DTYPE_FLOAT32, &read_a));
    assert_ok(program_add_buffer(&program, PROGRAM_ROLE_READ, JG_DTYPE_FLOAT32, &read_b));
    assert_ok(program_add_buffer(&program, PROGRAM_ROLE_WRITE, JG_DTYPE_FLOAT32, &write_a));
    assert_ok(program_add_buffer(&program, PROGRAM_ROLE_WRITE, JG_DTYPE_FLOAT32, &write_b));
    assert_ok(program_load(&program, read_a, &a));
    assert_ok(program_load(&program, read_b, &b));
    assert_ok(program_apply(&program, PROGRAM_ADD, 2, (const int[]){a, b}, &sum));
}

static const program_space *space(int64_t rows, int64_t columns, const int64_t *strides)
{
    memory.space.ndim = 2;
    memory.space.nreduced = 0;
    memory.space.nbuffers = program.nbuffers;
    memory.space.extents[0] = rows;
    memory.space.extents[1] = columns;
    memcpy(memory.space.strides, strides, 2 * (size_t)program.nbuffers * sizeof *strides);
    return &memory.space;
}

static const int64_t dense[] = {16, 4, 16, 4, 16, 4, 16, 4};

TEST(a_result_may_lie_over_an_operand_of_its_layout)
{
    begin();
    assert_ok(program_store(&program, sum, write_a));
    const program_space *loops = space(3, 4, dense);
    assert_true(program_may_overwrite(&program, loops, write_a, read_a));
    assert_true(program_may_overwrite(&program, loops, write_a, read_b));
    assert_false(program_may_overwrite(&program, loops, read_a, write_a));
}

TEST(an_operand_that_is_another_result_is_left_alone)
{
    int copy;
    begin();
    assert_ok(program_apply(&program, PROGRAM_COPY, 1, &a, &copy));
    assert_ok(program_store(&program, sum, write_a));
    assert_ok(program_store(&program, copy, write_b));
    const program_space *loops = space(3, 4, dense);
    assert_false(program_may_overwrite(&program, loops, write_a, read_a));
    assert_true(program_may_overwrite(&program, loops, write_a, read_b));
    assert_true(program_may_overwrite(&program, loops, write_b, read_a));
}

TEST(operands_do_not_exchange_their_memory)
{
    begin();
    assert_ok(program_store(&program, a, write_b));
    assert_ok(program_store(&program, b, write_a));
    const program_space *loops = space(3, 4, dense);
    assert_false(program_may_overwrite(&program, loops, write_a, read_a));
    assert_false(program_may_overwrite(&program, loops, write_b, read_b));
}

TEST(what_is_computed_again_along_an_axis_lies_over_nothing)
{
    static const int64_t row[] = {0, 4, 16, 4, 0, 4, 16, 4};
    begin();
    assert_ok(program_store(&program, sum, write_a));
    assert_false(program_may_overwrite(&program, space(3, 4, row), write_a, read_a));
    assert_true(program_may_overwrite(&program, space(1, 4, row), write_a, read_a));
}

TEST(layouts_and_sizes_have_to_agree)
{
    static const int64_t transposed[] = {4, 12, 16, 4, 16, 4, 16, 4};
    int wide, cast;
    begin();
    assert_ok(program_store(&program, sum, write_a));
    assert_false(program_may_overwrite(&program, space(3, 4, transposed), write_a, read_a));
    assert_ok(program_add_buffer(&program, PROGRAM_ROLE_WRITE, JG_DTYPE_FLOAT64, &wide));
    assert_ok(program_cast(&program, sum, JG_DTYPE_FLOAT64, &cast));
    assert_ok(program_store(&program, cast, wide));
    assert_false(program_may_overwrite(
        &program, space(3, 4, (const int64_t[]){16, 4, 16, 4, 16, 4, 16, 4, 16, 4}), wide, read_a));
}

/* One row of both loops, with the sum of what `reduced` names stored as its result. */
static const program_space *total_of(int reduced)
{
    static const int64_t strides[] = {16, 4, 16, 4, 16, 4, 16, 4, 0, 0};
    int result, total;
    assert_ok(program_add_buffer(&program, PROGRAM_ROLE_WRITE, JG_DTYPE_FLOAT32, &result));
    program.buffers[result].per_row = true;
    assert_ok(program_apply(&program, PROGRAM_REDUCE_ADD, 1, &reduced, &total));
    assert_ok(program_store(&program, total, result));
    space(3, 4, strides);
    memory.space.nreduced = 2;
    return &memory.space;
}

TEST(a_total_is_not_of_what_was_written_before_it)
{
    begin();
    assert_ok(program_store(&program, sum, write_a));
    const program_space *loops = total_of(a);
    assert_true(program_reduces_once(&program));
    assert_false(program_may_overwrite(&program, loops, write_a, read_a));
    assert_true(program_may_overwrite(&program, loops, write_a, read_b));
    begin();
    assert_ok(program_store(&program, sum, write_a));
    assert_true(program_may_overwrite(&program, total_of(sum), write_a, read_a));
    memory.space.nreduced = 1; /* rows: other tiers may pass over each several times */
    assert_false(program_may_overwrite(&program, &memory.space, write_a, read_a));
}

TEST(a_row_that_is_passed_over_twice_is_not_written_over)
{
    int difference;
    begin();
    const program_space *loops = total_of(sum);
    int total = program.insts[program.ninsts - 1].src[0];
    assert_ok(program_apply(&program, PROGRAM_SUBTRACT, 2, (const int[]){a, total}, &difference));
    assert_ok(program_store(&program, difference, write_a));
    assert_false(program_reduces_once(&program));
    assert_false(program_may_overwrite(&program, loops, write_a, read_a));
    assert_false(program_may_overwrite(&program, loops, write_a, read_b));
}
