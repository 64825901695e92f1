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

static void elements_are_those_of_the_tiles(void **state)
{
    (void)state;
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

static void reductions_are_those_of_the_tiles(void **state)
{
    (void)state;
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

static void rows_are_those_of_the_tiles(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_those_of_the_tiles),
        cmocka_unit_test(reductions_are_those_of_the_tiles),
        cmocka_unit_test(rows_are_those_of_the_tiles),
    };
    return cmocka_run_group_tests(tests, opencl_open, NULL);
}
