/* SPDX-License-Identifier: Apache-2.0 */
/* Building, checking and printing programs. */
#include "program/program.h"
#include "steps.h"
#include <stdio.h>
#include <stdlib.h>

static jg_program program;

static int scalar(jg_dtype dtype)
{
    int index, value;
    assert_ok(program_add_scalar(&program, dtype, &index));
    assert_ok(program_scalar(&program, index, &value));
    return value;
}

static int begin(void **state)
{
    (void)state;
    program_init(&program);
    return 0;
}

/* The mean of exp(x) where x is positive, and its position: something of everything. */
static void build_example(void)
{
    int index, position, half;
    int x = add_load(&program, JG_DTYPE_FLOAT16);
    assert_ok(program_cast(&program, x, JG_DTYPE_FLOAT32, &x));
    int zero = scalar(JG_DTYPE_FLOAT32), share = scalar(JG_DTYPE_FLOAT32);
    assert_ok(program_add_buffer(&program, PROGRAM_ROLE_INDEX, JG_DTYPE_INT64, &index));
    assert_ok(program_index(&program, index, &position));
    assert_ok(program_cast(&program, position, JG_DTYPE_FLOAT32, &position));
    int mask = apply(&program, PROGRAM_LESS, zero, x, 0);
    int chosen =
        apply(&program, PROGRAM_SELECT, mask, apply(&program, PROGRAM_EXP, x, 0, 0), position);
    int sum = apply(&program, PROGRAM_REDUCE_ADD, chosen, 0, 0);
    int mean = apply(&program, PROGRAM_MULTIPLY, sum, share, 0);
    assert_ok(program_cast(&program, mean, JG_DTYPE_FLOAT16, &half));
    store(&program, half);
    store(&program, sum);
}

static void golden(const char *name, char *text, size_t nbytes)
{
    char path[512];
    const char *root = getenv("JOGGLE_TEST_ROOT");
    (void)snprintf(path, sizeof path, "%s/tests/golden/%s", root != NULL ? root : ".", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t count = fread(text, 1, nbytes - 1, file);
    text[count] = '\0';
    (void)fclose(file);
}

TEST(a_program_prints_as_in_the_golden_file)
{
    char wanted[2048], *got;
    base_text text = {0};
    build_example();
    assert_ok(program_verify(&program));
    program_print(&program, &text);
    assert_ok(text_finish(&text, &got));
    golden("program.txt", wanted, sizeof wanted);
    assert_string_equal(got, wanted);
    base_free(got);
    text_clear(&text);
}

TEST(types_follow_from_operands)
{
    int x = add_load(&program, JG_DTYPE_INT16), y = add_load(&program, JG_DTYPE_FLOAT64), same;
    int less = apply(&program, PROGRAM_LESS, x, x, 0);
    assert_int_equal(program_type_of(&program, less), JG_DTYPE_BOOL);
    assert_int_equal(program_type_of(&program, apply(&program, PROGRAM_SELECT, less, y, y)),
                     JG_DTYPE_FLOAT64);
    assert_ok(program_cast(&program, y, JG_DTYPE_FLOAT64, &same));
    assert_int_equal(same, y);
    assert_ok(program_verify(&program));
}

TEST(a_full_program_refuses_more)
{
    int x = add_load(&program, JG_DTYPE_FLOAT32), out;
    while (program.ninsts < PROGRAM_MAX_INSTS)
        apply(&program, PROGRAM_EXP, x, 0, 0);
    assert_fails_saying(JG_ERR_UNSUPPORTED, "512",
                        program_apply(&program, PROGRAM_EXP, 1, &x, &out));
    while (program.nbuffers < PROGRAM_MAX_BUFFERS)
        assert_ok(program_add_buffer(&program, PROGRAM_ROLE_READ, JG_DTYPE_INT8, &out));
    assert_fails(JG_ERR_UNSUPPORTED,
                 program_add_buffer(&program, PROGRAM_ROLE_READ, JG_DTYPE_INT8, &out));
    while (program.nscalars < PROGRAM_MAX_SCALARS)
        assert_ok(program_add_scalar(&program, JG_DTYPE_INT8, &out));
    assert_fails(JG_ERR_UNSUPPORTED, program_add_scalar(&program, JG_DTYPE_INT8, &out));
    assert_int_equal(program.ninsts, PROGRAM_MAX_INSTS);
}

static void refused(const char *fault)
{
    assert_fails_saying(JG_ERR_INTERNAL, fault, program_verify(&program));
}

TEST(an_operand_after_its_user_is_found)
{
    int x = add_load(&program, JG_DTYPE_FLOAT32);
    apply(&program, PROGRAM_EXP, x, 0, 0);
    program.insts[1].src[0] = 1;
    refused("stand before");
}

TEST(operands_of_two_types_are_found)
{
    int x = add_load(&program, JG_DTYPE_FLOAT32), y = add_load(&program, JG_DTYPE_FLOAT64);
    apply(&program, PROGRAM_ADD, x, y, 0);
    refused("another type");
}

TEST(a_store_into_another_dtype_is_found)
{
    int buffer, x = add_load(&program, JG_DTYPE_FLOAT32);
    assert_ok(program_add_buffer(&program, PROGRAM_ROLE_WRITE, JG_DTYPE_FLOAT64, &buffer));
    assert_ok(program_store(&program, x, buffer));
    refused("another type");
}

TEST(a_store_into_a_read_buffer_is_found)
{
    int x = add_load(&program, JG_DTYPE_FLOAT32);
    assert_ok(program_store(&program, x, 0));
    refused("another role");
}

TEST(a_dtype_that_is_only_stored_is_found)
{
    int x = add_load(&program, JG_DTYPE_FLOAT8_E5M2);
    store(&program, x);
    assert_ok(program_verify(&program));
    apply(&program, PROGRAM_NEGATE, x, 0, 0);
    refused("not computed with");
}

TEST(an_unknown_instruction_is_found_and_printed)
{
    add_load(&program, JG_DTYPE_FLOAT32);
    program.insts[0].op = PROGRAM_OP_COUNT;
    refused("no such instruction");
}

TEST(a_row_pattern_is_a_program)
{
    int buffer, x = add_load(&program, JG_DTYPE_FLOAT32),
                most = apply(&program, PROGRAM_REDUCE_MAXIMUM, x, 0, 0);
    int power = apply(&program, PROGRAM_EXP, apply(&program, PROGRAM_SUBTRACT, x, most, 0), 0, 0);
    int share =
        apply(&program, PROGRAM_DIVIDE, power, apply(&program, PROGRAM_REDUCE_ADD, power, 0, 0), 0);
    assert_ok(program_add_buffer(&program, PROGRAM_ROLE_WRITE, JG_DTYPE_FLOAT32, &buffer));
    assert_ok(program_store(&program, share, buffer));
    assert_ok(program_verify(&program));
}

TEST(ranks_follow_from_operands)
{
    uint8_t ranks[PROGRAM_MAX_INSTS];
    int x = add_load(&program, JG_DTYPE_FLOAT32), row = add_load(&program, JG_DTYPE_FLOAT32),
        one = scalar(JG_DTYPE_FLOAT32);
    program.buffers[1].per_row = true;
    int sum = apply(&program, PROGRAM_REDUCE_ADD, x, 0, 0),
        shifted = apply(&program, PROGRAM_ADD, sum, row, 0);
    int spread = apply(&program, PROGRAM_ADD, shifted, x, 0),
        two = apply(&program, PROGRAM_ADD, one, one, 0);
    for (int p = 0; p < program.ninsts; ++p)
        ranks[p] = (uint8_t)program_rank_of(&program, p, ranks);
    assert_int_equal(ranks[x], RANK_ELEMENT);
    assert_int_equal(ranks[row], RANK_ROW);
    assert_int_equal(ranks[sum], RANK_ROW);
    assert_int_equal(ranks[shifted], RANK_ROW);
    assert_int_equal(ranks[spread], RANK_ELEMENT);
    assert_int_equal(ranks[two], RANK_UNIFORM);
}

TEST(scalars_may_be_used_after_a_reduction)
{
    int x = add_load(&program, JG_DTYPE_FLOAT32), y = scalar(JG_DTYPE_INT32);
    assert_ok(program_cast(&program, y, JG_DTYPE_FLOAT32, &y));
    store(&program,
          apply(&program, PROGRAM_MULTIPLY, apply(&program, PROGRAM_REDUCE_ADD, x, 0, 0), y, 0));
    assert_ok(program_verify(&program));
}

TEST(a_store_per_row_of_every_element_is_found)
{
    int x = add_load(&program, JG_DTYPE_FLOAT32);
    apply(&program, PROGRAM_REDUCE_ADD, x, 0, 0);
    store(&program, x);
    refused("store per row");
}

TEST(rows_without_a_reduction_are_found)
{
    int x = add_load(&program, JG_DTYPE_FLOAT32);
    store(&program, x);
    program.buffers[0].per_row = true;
    refused("nothing is reduced");
}

TEST(what_is_computed_twice_is_merged)
{
    program_init(&program);
    int x = add_load(&program, JG_DTYPE_FLOAT32), one = scalar(JG_DTYPE_FLOAT32);
    int exp[2] = {apply(&program, PROGRAM_EXP, x, 0, 0), apply(&program, PROGRAM_EXP, x, 0, 0)};
    int sum[2] = {apply(&program, PROGRAM_ADD, exp[0], one, 0),
                  apply(&program, PROGRAM_ADD, exp[1], one, 0)};
    store(&program, apply(&program, PROGRAM_MULTIPLY, sum[0], sum[1], 0));
    store(&program, sum[1]);
    assert_int_equal(program_merge(&program), 2);
    assert_ok(program_verify(&program));
    assert_int_equal(program.ninsts, 7);
    assert_int_equal(program.insts[4].op, PROGRAM_MULTIPLY);
    assert_int_equal(program.insts[4].src[0], program.insts[4].src[1]);
    assert_int_equal(program.insts[6].src[0], program.insts[4].src[0]);
    assert_int_equal(program_merge(&program), 0);
}

TEST(what_differs_in_anything_is_not_merged)
{
    program_init(&program);
    int x = add_load(&program, JG_DTYPE_FLOAT32), y = add_load(&program, JG_DTYPE_FLOAT32), cast[2];
    assert_ok(program_cast(&program, x, JG_DTYPE_FLOAT64, &cast[0]));
    assert_ok(program_cast(&program, x, JG_DTYPE_INT64, &cast[1]));
    store(&program, apply(&program, PROGRAM_SUBTRACT, x, y, 0));
    store(&program, apply(&program, PROGRAM_SUBTRACT, y, x, 0));
    store(&program, apply(&program, PROGRAM_EXP, x, 0, 0));
    store(&program, apply(&program, PROGRAM_EXP, y, 0, 0));
    store(&program, cast[0]);
    store(&program, cast[1]);
    store(&program, cast[1]); /* a store is never an equal of another */
    int ninsts = program.ninsts;
    assert_int_equal(program_merge(&program), 0);
    assert_int_equal(program.ninsts, ninsts);
}

TEST(a_full_program_of_equals_becomes_one_instruction)
{
    program_init(&program);
    int x = add_load(&program, JG_DTYPE_FLOAT32);
    for (int i = 3; i < PROGRAM_MAX_INSTS; ++i)
        (void)apply(&program, PROGRAM_EXP, x, 0, 0);
    store(&program, x + PROGRAM_MAX_INSTS - 3);
    assert_int_equal(program_merge(&program), PROGRAM_MAX_INSTS - 4);
    assert_int_equal(program.ninsts, 3);
}

static int64_t steps_of(program_op op, jg_dtype dtype)
{
    program_init(&program);
    store(&program, apply(&program, op, add_load(&program, dtype), 0, 0));
    return program_steps(&program) - 2; /* without the load and the store */
}

/* So that threads share what takes long, and nothing else. */
TEST(functions_count_more_steps_in_float64_and_where_they_take_two_polynomials)
{
    assert_int_equal(steps_of(PROGRAM_NEGATE, JG_DTYPE_FLOAT64), 1);
    int64_t exp = steps_of(PROGRAM_EXP, JG_DTYPE_FLOAT32);
    assert_true(exp > 1);
    assert_true(steps_of(PROGRAM_EXP, JG_DTYPE_FLOAT64) > 2 * exp);
    assert_true(steps_of(PROGRAM_ASINH, JG_DTYPE_FLOAT32) > exp);
    assert_true(steps_of(PROGRAM_ERFINV, JG_DTYPE_FLOAT64) >
                steps_of(PROGRAM_SIGMOID, JG_DTYPE_FLOAT64));
}

BEFORE_EACH(begin)
