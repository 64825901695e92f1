/* SPDX-License-Identifier: Apache-2.0 */
/* What a reduction's elements are made by sees only programs and spaces that keep the rules. */
#include "../support.h"
#include "launch.h"

static launch l;
static int prepared; /* programs that the maker was given */

static bool accept(const jg_program *program)
{
    (void)program;
    return true;
}

static jg_status refuse(const jg_program *program, const program_space *space, executor_code **out)
{
    program_reach unused;
    (void)out;
    prepared += 1;
    assert_ok(program_verify(program));
    assert_ok(program_space_verify(space, program, &unused));
    return base_fail(JG_ERR_UNSUPPORTED, "test: the maker makes nothing");
}

static const program_executor maker = {.name = "test", .accepts = accept, .prepare = refuse};

/* The sum of x + s, whose elements are stored as well. */
static void build(void)
{
    static const int64_t strides[] = {1, 1, 0}, n = 1000;
    program_init(&l.program);
    int x = load_of(&l, JG_DTYPE_FLOAT32), s = scalar_of(&l, JG_DTYPE_FLOAT32);
    int y = apply_to(&l, PROGRAM_ADD, x, s, 0);
    store_of(&l, y);
    store_of(&l, apply_to(&l, PROGRAM_REDUCE_ADD, y, 0, 0));
    l.program.buffers[2].per_row = true;
    l.program.reduces = true;
    launch_space(&l, 1, 1, &n, strides);
    prepared = 0;
}

static void finds(jg_status status, const char *message, int programs)
{
    executor_code *code;
    assert_fails_saying(status, message,
                        tile_executor.prepare_with(&l.program, l.space, &maker, &code));
    assert_int_equal(prepared, programs);
    free(l.space);
}

TEST(the_maker_is_given_what_keeps_the_rules)
{
    build();
    finds(JG_ERR_UNSUPPORTED, "the maker makes nothing", 1);
}

TEST(the_maker_is_not_given_a_program_that_breaks_a_rule)
{
    build();
    l.program.scalars[0] = JG_DTYPE_INT32;
    finds(JG_ERR_INTERNAL, "the scalar has another dtype", 0);
}

TEST(the_maker_is_not_given_a_space_that_breaks_a_rule)
{
    build();
    l.space->strides[0] += 1;
    finds(JG_ERR_INTERNAL, "got a stride of 5 bytes, allowed are multiples of 4", 0);
}
