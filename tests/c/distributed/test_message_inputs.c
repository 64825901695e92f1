/* SPDX-License-Identifier: Apache-2.0 */
/* Messages whose input fails, over the MPI library of tests/mpi: they are counted, so that no later
 * one is taken for them by the other processes. */
#include "messages.h"

enum { MANY = 200000 }; /* indices that are not looked up at once */

/* Elements of which the last index has none. count: of the indices */
static jg_array *lost(int64_t count)
{
    jg_array *x = numbers(), *at = NULL, *made = NULL;
    jg_status status = jg_full(JG_DTYPE_INT32, 1, &count, integer_number(COUNT), &at);
    if (status == JG_OK)
        status = jg_take(x, at, NULL, &made);
    jg_array_release(x);
    jg_array_release(at);
    return status == JG_OK ? made : NULL;
}

/* Whether the evaluation of a message about these fails, as often as it is asked for; takes x. */
static bool fails(collective *op, jg_array *x)
{
    jg_array *y = NULL;
    bool is = x != NULL && op(x, 0, &y) == JG_OK;
    for (int i = 0; is && i < 3; ++i)
        is = jg_eval(1, &y) == JG_ERR_INDEX;
    jg_array_release(x);
    jg_array_release(y);
    return is;
}

static fake_controls *join_of(int size)
{
    fake_controls *told = controls();
    if (told != NULL)
        told->size = size;
    return told != NULL && join() != NULL ? told : NULL;
}

typedef struct skipped {
    collective *op;
    int size, count;
} skipped;

/* Where it fails in all processes, they go on. */
static int everywhere(void *context)
{
    const skipped *own = context;
    fake_controls *told = join_of(own->size);
    float factor = (float)own->size;
    CHILD_CHECK(told != NULL && holds(of(jg_distributed_all_sum), COUNT, factor, factor));
    int before = told->messages;
    CHILD_CHECK(fails(own->op, lost(own->count)) && told->messages == before);
    CHILD_CHECK(holds(of(jg_distributed_all_sum), COUNT, factor, factor));
    CHILD_CHECK(told->messages > before + 2 * (own->size - 1));
    CHILD_CHECK(fails(own->op, lost(own->count)) && fails(own->op, lost(own->count)));
    CHILD_CHECK(holds(of(jg_distributed_all_max), COUNT, 1, 1));
    before = told->messages;
    CHILD_CHECK(holds(of(jg_distributed_all_max), COUNT, 1, 1) && told->messages == before + 1);
    return 0;
}

static int ahead(void *context)
{
    const skipped *own = context;
    fake_controls *told = join_of(own->size);
    CHILD_CHECK(told != NULL && fails(own->op, lost(own->count)));
    told->ahead = 2;
    jg_array *x = of(jg_distributed_all_sum);
    CHILD_CHECK(x != NULL && jg_eval(1, &x) == JG_ERR_LIBRARY);
    CHILD_CHECK(strstr(jg_error_message(), "it is message 1 of the group here and 3 in process 0, "
                                           "as the inputs of different ones have failed") != NULL);
    jg_array_release(x);
    return 0;
}

/* The others wait for the message that has failed here alone. */
static int alone(void *context)
{
    const skipped *own = context;
    fake_controls *told = join_of(own->size);
    CHILD_CHECK(told != NULL && fails(own->op, lost(own->count)));
    told->polls = INT32_MAX;
    jg_array *x = of(jg_distributed_all_sum);
    CHILD_CHECK(x != NULL && jg_eval(1, &x) == JG_ERR_LIBRARY);
    CHILD_CHECK(strstr(jg_error_message(), "the input of an earlier message has failed here, and "
                                           "not in all of them") != NULL);
    jg_array_release(x);
    return 0;
}

static void of_all(int (*body)(void *))
{
    const skipped all[] = {{jg_distributed_all_sum, 2, 3},    {jg_distributed_all_sum, 3, 3},
                           {jg_distributed_all_sum, 4, MANY}, {jg_distributed_all_gather, 2, 3},
                           {jg_distributed_all_max, 3, MANY}, {jg_distributed_sum_scatter, 3, 6}};
    for (size_t i = 0; i < JG_COUNT_OF(all); ++i)
        run_forked(body, (void *)(uintptr_t)&all[i]);
}

TEST(processes_go_on_after_a_message_whose_input_has_failed_in_all)
{
    of_all(everywhere);
}

TEST(processes_whose_inputs_of_different_messages_failed_are_told_so)
{
    of_all(ahead);
}

TEST(a_process_whose_input_alone_has_failed_is_told_so)
{
    assert_ok(jg_option_set("distributed_timeout", "1"));
    of_all(alone);
    assert_ok(jg_option_set("distributed_timeout", "300"));
}

/* What is compared anyway needs no agreement. */
static int compared(void *context)
{
    (void)context;
    fake_controls *told = join_of(3);
    CHILD_CHECK(told != NULL && fails(jg_distributed_all_sum, lost(3)));
    CHILD_CHECK(holds(of(jg_distributed_all_sum), COUNT, 3, 3));
    CHILD_CHECK(told->messages == 2);
    return 0;
}

TEST(a_comparison_counts_messages_as_well)
{
    assert_ok(jg_option_set("distributed_check", "1"));
    run_forked(compared, NULL);
    assert_ok(jg_option_set("distributed_check", "0"));
}

/* What an evaluation has left out, and that can be computed, is asked for again, in its order. */
static int again(void *context)
{
    (void)context;
    fake_controls *told = join();
    CHILD_CHECK(told != NULL);
    told->ahead = 1; /* no agreement would succeed */
    jg_array *x = of(jg_distributed_all_sum), *y = of(jg_distributed_all_max), *bad = lost(3);
    jg_array *all[] = {x, y, bad};
    CHILD_CHECK(x != NULL && y != NULL && bad != NULL && jg_eval(3, all) == JG_ERR_INDEX);
    CHILD_CHECK(told->messages == 0 && holds(x, COUNT, FAKE_SIZE, FAKE_SIZE));
    CHILD_CHECK(holds(y, COUNT, 1, 1) && holds(of(jg_distributed_all_max), COUNT, 1, 1));
    CHILD_CHECK(told->messages == 3);
    jg_array_release(bad);
    return 0;
}

TEST(messages_that_a_failure_has_left_out_can_be_asked_for_again)
{
    run_forked(again, NULL);
}

/* Not if another one was begun meanwhile. */
static int late(void *context)
{
    (void)context;
    fake_controls *told = join();
    CHILD_CHECK(told != NULL);
    jg_array *x = of(jg_distributed_all_sum), *bad = lost(3), *both[] = {x, bad};
    CHILD_CHECK(x != NULL && bad != NULL && jg_eval(2, both) == JG_ERR_INDEX);
    told->ahead = 1;
    jg_array_release(bad);
    bad = of(jg_distributed_all_max);
    CHILD_CHECK(bad != NULL && jg_eval(1, &bad) == JG_ERR_LIBRARY);
    CHILD_CHECK(strstr(jg_error_message(), "it is message 1 of the group here and 2") != NULL);
    jg_array_release(bad);
    jg_array_release(x);
    return 0;
}

TEST(a_message_that_is_begun_instead_of_one_that_was_left_out_is_told_apart)
{
    run_forked(late, NULL);
}

static jg_status to_others(jg_array *a, int64_t group, jg_array **out)
{
    return jg_distributed_send(a, 2, group, out);
}

/* The messages that were skipped are counted by the tags of what is sent and received. */
static int tags(void *context)
{
    (void)context;
    fake_controls *told = join();
    CHILD_CHECK(told != NULL && holds(sent(2), COUNT, 1, 1));
    int first = told->tag;
    CHILD_CHECK(holds(sent(2), COUNT, 1, 1) && told->tag == first);
    CHILD_CHECK(fails(to_others, lost(3)) && fails(to_others, lost(MANY)));
    CHILD_CHECK(holds(sent(2), COUNT, 1, 1) && told->tag == first + 2);
    CHILD_CHECK(holds(received(4, 2), 4, 2, 1) && told->tag == first + 2);
    CHILD_CHECK(fails(jg_distributed_all_sum, lost(3)));
    CHILD_CHECK(holds(sent(0), COUNT, 1, 1) && told->tag == first + 2);
    CHILD_CHECK(holds(of(jg_distributed_all_sum), COUNT, FAKE_SIZE, FAKE_SIZE));
    return 0;
}

TEST(what_is_sent_is_not_taken_for_an_earlier_message_that_failed)
{
    run_forked(tags, NULL);
}
