/* SPDX-License-Identifier: Apache-2.0 */
/* Routines with several results: those that somebody holds are computed by one run, whichever of
 * them is asked for; a routine of the test stands in for one of the table. */
#include "../arrays.h"
#include "plan/steps.h"
#include "routine/routine.h"

enum { FEW = 8, MANY = 1 << 20 };

static int runs;
static bool breaks, wanted[3];

/* x -> 2x, -x, how many elements x has. */
static jg_status double_and_negate(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step, (void)first, (void)last;
    const float *x = call->addresses[0];
    runs += 1;
    if (breaks)
        return base_fail(JG_ERR_LINALG, "x: broke");
    for (int i = 0; i < 3; ++i)
        wanted[i] = routine_wants(call, i) && call->addresses[1 + i] != NULL;
    for (int64_t i = 0; i < call->operands[0].size; ++i) {
        if (wanted[0])
            ((float *)call->addresses[1])[i] = 2 * x[i];
        if (wanted[1])
            ((float *)call->addresses[2])[i] = -x[i];
    }
    if (wanted[2])
        *(int64_t *)call->addresses[3] = call->operands[0].size;
    return JG_OK;
}

static int64_t one_unit(const routine_call *call, int step)
{
    (void)call, (void)step;
    return 1;
}

static const jg_routine test_routine = {
    .name = "test", .units = one_unit, .run = double_and_negate};

static int set_up(void **state)
{
    static const jg_routine *table[PRIMITIVE_COUNT];
    (void)state;
    memcpy(table, routine_table, sizeof table);
    table[PRIMITIVE_nonzero] = &test_routine;
    plan_lower_set_routines(table);
    return 0;
}

static void call_test(jg_array *x, jg_array **out)
{
    const primitive_attributes attributes = {.nonzero = {0}};
    const graph_result results[] = {
        {JG_DTYPE_FLOAT32, 1, x->dims}, {JG_DTYPE_FLOAT32, 1, x->dims}, {JG_DTYPE_INT64, 0, NULL}};
    runs = 0;
    assert_ok(graph_routine_results(JG_OP_nonzero, 3, results, 1, &x, &attributes, out));
}

TEST(all_results_are_one_run)
{
    for (int64_t size = FEW; size <= MANY; size *= MANY / FEW) {
        jg_array *x = ones(size), *results[3];
        call_test(x, results);
        assert_ok(jg_eval(3, results));
        assert_int_equal(runs, 1);
        assert_true(((float *)node_address(results[0]))[size - 1] == 2);
        assert_true(((float *)node_address(results[1]))[size - 1] == -1);
        assert_true(item_of(results[2]) == (double)size);
        release_all(3, results);
        jg_array_release(x);
    }
}

TEST(evaluating_one_computes_those_that_are_held)
{
    for (int asked = 0; asked < 3; ++asked) {
        jg_array *x = ones(FEW), *results[3];
        call_test(x, results);
        jg_array_release(x); /* the results hold it */
        assert_ok(jg_eval(1, &results[asked]));
        for (int i = 0; i < 3; ++i)
            assert_int_equal(jg_array_current_state(results[i]), JG_ARRAY_AVAILABLE);
        assert_elements(results[0], 2, 2, 2, 2, 2, 2, 2, 2);
        assert_elements(results[2], FEW);
        assert_int_equal(runs, 1);
        release_all(3, results);
    }
}

TEST(a_result_that_was_dropped_is_not_computed)
{
    for (int dropped = 0; dropped < 3; ++dropped) {
        jg_array *x = ones(FEW), *results[3];
        call_test(x, results);
        jg_array_release(results[dropped]);
        results[dropped] = NULL;
        assert_ok(jg_eval(1, &results[(dropped + 1) % 3]));
        for (int i = 0; i < 3; ++i)
            assert_int_equal(wanted[i], i != dropped);
        release_all(3, results);
        jg_array_release(x);
    }
}

/* Held by nobody but a node that waits for it. */
TEST(a_result_that_others_will_read_is_computed_too)
{
    jg_array *x = ones(FEW), *results[3], *sum;
    call_test(x, results);
    assert_ok(jg_add(results[1], results[1], &sum));
    release_all(2, &results[1]);
    assert_ok(jg_eval(1, &results[0]));
    assert_true(wanted[1] && !wanted[2]);
    assert_elements(sum, -2, -2, -2, -2, -2, -2, -2, -2);
    assert_int_equal(runs, 1);
    release_all(3, (jg_array *[]){x, results[0], sum});
}

TEST(a_use_of_one_computes_the_others)
{
    jg_array *x = ones(FEW), *results[3], *sum;
    call_test(x, results);
    assert_ok(jg_add(results[0], results[1], &sum));
    jg_array_release(results[0]);
    assert_ok(jg_eval(1, &sum));
    assert_elements(sum, 1, 1, 1, 1, 1, 1, 1, 1);
    assert_int_equal(jg_array_current_state(results[1]), JG_ARRAY_AVAILABLE);
    assert_int_equal(jg_array_current_state(results[2]), JG_ARRAY_AVAILABLE);
    assert_int_equal(runs, 1);
    release_all(4, (jg_array *[]){x, results[1], results[2], sum});
}

TEST(calls_of_the_same_input_are_each_their_own)
{
    jg_array *x = ones(FEW), *first[3], *second[3];
    call_test(x, first);
    call_test(x, second);
    assert_ok(jg_eval(1, &first[0]));
    assert_int_equal(jg_array_current_state(second[0]), JG_ARRAY_UNSCHEDULED);
    assert_ok(jg_eval(1, &second[2]));
    assert_int_equal(runs, 2);
    assert_elements(second[1], -1, -1, -1, -1, -1, -1, -1, -1);
    release_all(3, first);
    release_all(3, second);
    jg_array_release(x);
}

TEST(a_failure_names_the_op_and_leaves_all_results_as_they_were)
{
    jg_array *x = ones(FEW), *results[3];
    call_test(x, results);
    breaks = true;
    assert_fails_saying(JG_ERR_LINALG, "[nonzero] x: broke", jg_eval(1, &results[1]));
    breaks = false;
    for (int i = 0; i < 3; ++i)
        assert_int_equal(jg_array_current_state(results[i]), JG_ARRAY_UNSCHEDULED);
    assert_elements(results[0], 2, 2, 2, 2, 2, 2, 2, 2);
    release_all(3, results);
    jg_array_release(x);
}

TEST(a_failure_elsewhere_is_told_to_whoever_waits_for_any)
{
    jg_array *x = ones(MANY), *results[3];
    call_test(x, results);
    breaks = true;
    assert_ok(jg_eval_async(1, &results[0]));
    jg_synchronize();
    breaks = false;
    for (int i = 0; i < 3; ++i)
        assert_fails_saying(JG_ERR_LINALG, "[nonzero] x: broke", jg_eval(1, &results[i]));
    release_all(3, results);
    jg_array_release(x);
}

/* Nothing leaks: the sanitizers tell. */
TEST(running_out_of_memory_can_be_repeated)
{
    const primitive_attributes attributes = {.nonzero = {0}};
    jg_array *x = ones(FEW), *results[3];
    const graph_result like[] = {
        {JG_DTYPE_FLOAT32, 1, x->dims}, {JG_DTYPE_FLOAT32, 1, x->dims}, {JG_DTYPE_INT64, 0, NULL}};
    for (int nth = 1; nth < 30; ++nth) {
        base_fail_nth(nth);
        jg_status status =
            graph_routine_results(JG_OP_nonzero, 3, like, 1, &x, &attributes, results);
        base_fail_nth(0);
        if (status != JG_OK)
            continue;
        jg_clear_cache();
        base_fail_nth(nth);
        status = jg_eval(1, results);
        base_fail_nth(0);
        assert_true(status == JG_OK || status == JG_ERR_NOMEM);
        release_all(3, results);
    }
    jg_array_release(x);
}

BEFORE_ALL(set_up)
