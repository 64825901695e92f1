/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs over random spaces, in both shapes of work, against the tiles: whole numbers, so
 * that every sum is exact. */
#include "device_launch.h"

static launch l;

/* Random programs may take what a device does not: several turns that write one element. */
static bool is_taken(const device_facts *facts)
{
    device_refusal refusal;
    device_work work = {.program = &l.program, .space = l.space};
    return source_printer.takes(facts, &work, &refusal);
}

/* PoCL 3.1 makes wrong code of a group's kernel whose accumulator it can tell beforehand, as
 * that of a comparison of a value with itself; under Oclgrind the same text is right. */
static bool is_known_beforehand(const jg_program *program)
{
    for (int p = 0; p < program->ninsts; ++p) {
        const program_inst *inst = &program->insts[p];
        if (program_inst_rows[inst->op].arity == 2 && inst->to == JG_DTYPE_BOOL &&
            inst->src[0] == inst->src[1])
            return true;
    }
    return false;
}

static bool check(uint64_t from)
{
    bool taken = false;
    int last = l.program.reduces && is_known_beforehand(&l.program) ? DEVICE_LANES : DEVICE_GROUP;
    for (int shape = DEVICE_LANES; shape <= last; ++shape) {
        device_facts facts = facts_of((device_shape)shape);
        facts.group_limit = 1 << (3 + below(4));
        lead = below(2) == 0 ? 0 : 1;
        if (!is_taken(&facts))
            continue;
        launch_compare_device(&l, &facts, from, true, 0);
        taken = true;
    }
    free(l.space);
    return taken;
}

TEST(elements_are_those_of_the_tiles)
{
    int taken = 0;
    for (int i = 0; i < 60; ++i) {
        int64_t extents[4];
        seed = (uint64_t)i * 7919 + 1;
        int ndim = 1 + (int)below(3);
        grow_sources(&l);
        grow(&l, l.program.ninsts + 2 + (int)below(8));
        store_of(&l, l.program.ninsts - 1);
        if (below(3) == 0)
            store_of(&l, (int)below(l.program.ninsts - 1));
        random_extents(ndim, extents);
        random_space(&l, ndim, 0, extents);
        taken += check((uint64_t)i);
    }
    assert_true(taken > 50);
}

TEST(reductions_are_those_of_the_tiles)
{
    int taken = 0;
    for (int i = 0; i < 60; ++i) {
        int64_t extents[4];
        seed = (uint64_t)i * 104729 + 1;
        int ndim = 1 + (int)below(3), nreduced = 1 + (int)below(ndim);
        grow_sources(&l);
        grow(&l, l.program.ninsts + 1 + (int)below(4));
        if (!add_reduction(&l) || !tile_executor.accepts(&l.program))
            continue;
        grow_after_reduction(&l);
        random_extents(ndim, extents);
        random_space(&l, ndim, nreduced, extents);
        taken += check((uint64_t)i);
    }
    assert_true(taken > 30);
}

TEST(rows_are_those_of_the_tiles)
{
    int taken = 0;
    for (int i = 0; i < 60; ++i) {
        int64_t extents[4];
        seed = (uint64_t)i * 1299709 + 1;
        int ndim = 1 + (int)below(3), nreduced = 1 + (int)below(ndim);
        grow_rows(&l);
        random_extents(ndim, extents);
        random_row_space(&l, ndim, nreduced, extents);
        taken += check((uint64_t)i);
    }
    assert_true(taken > 50);
}

/* The sum of each row, twice it, and each element behind its negation. */
static void build_shared(jg_dtype dtype)
{
    program_init(&l.program);
    int x = load_of(&l, dtype), negated = apply_to(&l, PROGRAM_NEGATE, x, 0, 0);
    int sum = apply_to(&l, PROGRAM_REDUCE_ADD, negated, 0, 0);
    store_of(&l, sum);
    store_of(&l, apply_to(&l, PROGRAM_ADD, sum, sum, 0));
    store_of(&l, negated);
}

/* Rows of length elements; across: reduced over the axis that is not side by side. */
static void space_of_rows(int64_t rows, int64_t length, bool across)
{
    int64_t extents[] = {rows, length}, strides[PROGRAM_MAX_BUFFERS * 2] = {0};
    for (int b = 0; b < l.program.nbuffers; ++b) {
        bool per_row = l.program.buffers[b].per_row;
        strides[2 * b] = per_row || across ? 1 : length;
        strides[2 * b + 1] = per_row ? 0 : across ? rows : 1;
    }
    launch_space(&l, 2, 1, extents, strides);
}

/* One kernel, of which several items share a row. */
static void assert_joins(const device_facts *facts)
{
    device_unit *unit;
    device_launch *started;
    device_work work = {.program = &l.program, .space = l.space};
    must(source_printer.print(facts, 1, &work, &unit));
    must(source_printer.arrange(unit, 0, &work, true, &started));
    assert_true(started->nsteps == 1 && started->scratch_nbytes > 0);
    assert_true(started->steps[0].groups > l.space->extents[0] / 64 + 1);
    base_free(started);
    source_printer.release(unit);
}

static void check_shared(jg_dtype dtype, int64_t rows, int64_t length, bool across)
{
    device_facts facts = facts_of(DEVICE_LANES);
    facts.compute_units = 8;
    build_shared(dtype);
    space_of_rows(rows, length, across);
    assert_joins(&facts);
    for (lead = 0; lead < 4; ++lead)
        launch_compare_device(&l, &facts, (uint64_t)lead, true, 0);
    free(l.space);
}

TEST(the_item_that_ends_last_makes_rows_that_are_shared)
{
    static const jg_dtype dtypes[] = {JG_DTYPE_FLOAT32, JG_DTYPE_FLOAT64, JG_DTYPE_INT32,
                                      JG_DTYPE_COMPLEX64};
    for (size_t i = 0; i < JG_COUNT_OF(dtypes); ++i) {
        check_shared(dtypes[i], 1, 600001, false);
        check_shared(dtypes[i], 3, 300000, false);
        check_shared(dtypes[i], 70, 9001, true);
    }
}

BEFORE_ALL(opencl_open)
