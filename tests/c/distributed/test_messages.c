/* SPDX-License-Identifier: Apache-2.0 */
/* Messages over the MPI library of tests/mpi: values, pieces, order, and every call and allocation
 * that can fail or that others do not answer. */
#include "messages.h"
#include <stdlib.h>

static int every_kind(void *polls)
{
    int64_t rank, size;
    fake_controls *told = join();
    CHILD_CHECK(told != NULL);
    told->polls = *(int *)polls;
    CHILD_CHECK(jg_distributed_rank(0, &rank, &size) == JG_OK);
    CHILD_CHECK(rank == FAKE_RANK && size == FAKE_SIZE);
    CHILD_CHECK(holds(of(jg_distributed_all_sum), COUNT, FAKE_SIZE, FAKE_SIZE));
    CHILD_CHECK(holds(of(jg_distributed_all_max), COUNT, 1, 1));
    CHILD_CHECK(holds(of(jg_distributed_all_min), COUNT, 1, 1));
    /* the second third of the sums */
    CHILD_CHECK(holds(of(jg_distributed_sum_scatter), 2, 3 * FAKE_SIZE, FAKE_SIZE));
    CHILD_CHECK(holds(received(4, 2), 4, 2, 1));
    CHILD_CHECK(holds(sent(0), COUNT, 1, 1));
    jg_array *all = of(jg_distributed_all_gather);
    jg_view view;
    CHILD_CHECK(all != NULL && jg_eval(1, &all) == JG_OK && jg_array_view(all, &view) == JG_OK);
    for (int i = 0; i < FAKE_SIZE * COUNT; ++i)
        CHILD_CHECK(((const float *)view.data)[i] == (float)(1 + i % COUNT));
    jg_array_release(all);
    return 0;
}

TEST(messages_have_their_values_at_once_and_later)
{
    int polls[] = {0, 1, 50};
    for (size_t i = 0; i < JG_COUNT_OF(polls); ++i)
        run_forked(every_kind, &polls[i]);
}

TEST(messages_in_pieces_have_their_values)
{
    int polls = 1;
    const char *const pieces[] = {"1", "2", "4", "5"};
    for (size_t i = 0; i < JG_COUNT_OF(pieces); ++i) {
        assert_ok(jg_option_set("distributed_piece", pieces[i]));
        run_forked(every_kind, &polls);
    }
    assert_ok(jg_option_set("distributed_piece", "1073741824"));
}

/* Sums of two and four processes, which are made of messages between two; in place as well. */
static int sums(void *size)
{
    fake_controls *told = controls();
    jg_array *x = NULL, *y = NULL;
    enum { MANY = 200000 };
    CHILD_CHECK(told != NULL);
    told->size = *(int *)size;
    told->polls = 1;
    float factor = (float)told->size;
    CHILD_CHECK(join() != NULL);
    for (int i = 0; i < 3; ++i)
        CHILD_CHECK(holds(of(jg_distributed_all_sum), COUNT, factor, factor));
    CHILD_CHECK(jg_arange(JG_DTYPE_FLOAT32, integer_number(0), integer_number(MANY),
                          integer_number(1), &x) == JG_OK);
    CHILD_CHECK(jg_distributed_all_sum(x, 0, &y) == JG_OK && holds(y, MANY, 0, factor));
    CHILD_CHECK(holds(x, MANY, 0, 1));
    return 0;
}

TEST(sums_of_two_and_four_processes_are_exchanged)
{
    int sizes[] = {2, 4};
    const char *const pieces[] = {"1073741824", "999", "30000"};
    for (size_t i = 0; i < JG_COUNT_OF(sizes) * JG_COUNT_OF(pieces); ++i) {
        assert_ok(jg_option_set("distributed_piece", pieces[i % JG_COUNT_OF(pieces)]));
        run_forked(sums, &sizes[i / JG_COUNT_OF(pieces)]);
    }
    assert_ok(jg_option_set("distributed_piece", "1073741824"));
}

/* Whichever of two results is asked for first, and with one that was dropped between them. */
static int any_order(void *context)
{
    (void)context;
    fake_controls *told = join();
    CHILD_CHECK(told != NULL);
    jg_array *first = of(jg_distributed_all_sum), *dropped = of(jg_distributed_all_max);
    jg_array *second = received(3, 0);
    jg_array_release(dropped);
    CHILD_CHECK(holds(second, 3, 0, 1));
    CHILD_CHECK(holds(first, COUNT, FAKE_SIZE, FAKE_SIZE));
    CHILD_CHECK(told->messages == 2 || told->messages == 3);
    return 0;
}

TEST(results_are_asked_for_in_any_order)
{
    run_forked(any_order, NULL);
}

static int a_failing_call(void *function)
{
    fake_controls *told = controls();
    int64_t group;
    CHILD_CHECK(told != NULL);
    told->fail = function;
    told->nth = 1;
    CHILD_CHECK(jg_distributed_init(true, "mpi", &group) == JG_ERR_LIBRARY);
    CHILD_CHECK(strstr(jg_error_message(), "fake error 17") != NULL);
    /* Its rank is asked for when the communicator is made, which then is freed. */
    CHILD_CHECK(told->freed == (strcmp(function, "MPI_Comm_rank") == 0));
    told->fail = NULL;
    CHILD_CHECK(jg_distributed_init(true, "mpi", &group) == JG_OK);
    CHILD_CHECK(holds(of(jg_distributed_all_sum), COUNT, FAKE_SIZE, FAKE_SIZE));
    return 0;
}

TEST(a_call_that_fails_while_the_group_is_made_can_be_tried_again)
{
    const char *const functions[] = {"MPI_Initialized", "MPI_Comm_dup", "MPI_Comm_size",
                                     "MPI_Comm_rank", "MPI_Comm_set_errhandler"};
    for (size_t i = 0; i < JG_COUNT_OF(functions); ++i)
        run_forked(a_failing_call, (void *)(uintptr_t)functions[i]);
}

typedef struct failure {
    const char *function;
    collective *op; /* NULL: to receive */
    int nth, size;
} failure;

/* The first message fails and all others after it; what needs none goes on. */
static int a_failing_message(void *context)
{
    const failure *own = context;
    fake_controls *told = controls();
    CHILD_CHECK(told != NULL);
    told->size = own->size;
    told->polls = 2;
    CHILD_CHECK(join() != NULL);
    told->fail = own->function;
    told->nth = own->nth;
    jg_array *x = own->op != NULL ? of(own->op) : received(5, 0);
    CHILD_CHECK(x != NULL && jg_eval(1, &x) == JG_ERR_LIBRARY);
    CHILD_CHECK(strstr(jg_error_message(), "fake error 17") != NULL);
    jg_array_release(x);
    told->fail = NULL;
    jg_array *next = of(jg_distributed_all_sum);
    CHILD_CHECK(next == NULL || jg_eval(1, &next) == JG_ERR_LIBRARY);
    CHILD_CHECK(strstr(jg_error_message(), "have ended") != NULL);
    jg_array_release(next);
    jg_array *own_work = numbers();
    CHILD_CHECK(holds(own_work, COUNT, 1, 1));
    return 0;
}

TEST(a_call_that_fails_ends_the_messages_of_the_process)
{
    const failure failures[] = {
        {"MPI_Iallreduce", jg_distributed_all_sum, 1, 3},
        {"MPI_Iallgather", jg_distributed_all_gather, 1, 3},
        {"MPI_Ireduce_scatter_block", jg_distributed_sum_scatter, 1, 3},
        {"MPI_Irecv", NULL, 1, 3},
        {"MPI_Get_count", NULL, 1, 3},
        {"MPI_Test", jg_distributed_all_sum, 1, 3},
        {"MPI_Test", jg_distributed_all_gather, 3, 3},
        {"MPI_Irecv", jg_distributed_all_sum, 1, 2},
        {"MPI_Irecv", jg_distributed_all_sum, 2, 4},
        {"MPI_Isend", jg_distributed_all_sum, 1, 2},
        {"MPI_Reduce_local", jg_distributed_all_sum, 1, 2},
        {"MPI_Test", jg_distributed_all_sum, 1, 2},
    };
    for (size_t i = 0; i < JG_COUNT_OF(failures); ++i)
        run_forked(a_failing_message, (void *)(uintptr_t)&failures[i]);
}

static int a_low_level(void *context)
{
    fake_controls *told = controls();
    int64_t group;
    (void)context;
    CHILD_CHECK(told != NULL);
    told->level = 1;
    CHILD_CHECK(jg_distributed_init(true, "mpi", &group) == JG_ERR_LIBRARY);
    CHILD_CHECK(strstr(jg_error_message(), "thread level 1") != NULL);
    return 0;
}

TEST(a_library_for_one_thread_is_refused)
{
    run_forked(a_low_level, NULL);
}

static int silence(void *context)
{
    fake_controls *told = join();
    (void)context;
    CHILD_CHECK(told != NULL);
    told->polls = INT32_MAX;
    jg_array *x = of(jg_distributed_all_sum);
    CHILD_CHECK(x != NULL && jg_eval(1, &x) == JG_ERR_LIBRARY);
    CHILD_CHECK(strstr(jg_error_message(), "all_sum in process 1 of 3: the others have "
                                           "not answered within 1 seconds") != NULL);
    jg_array_release(x);
    return 0;
}

TEST(others_that_do_not_answer_are_waited_for_as_long_as_said)
{
    assert_ok(jg_option_set("distributed_timeout", "1"));
    run_forked(silence, NULL);
    assert_ok(jg_option_set("distributed_timeout", "300"));
}

/* What another process never does: the wait ends, and so do all messages. */
static int a_process_that_never_comes(void *context)
{
    const char *function = context;
    int64_t group;
    fake_controls *told = controls();
    CHILD_CHECK(told != NULL);
    told->stuck = function;
    if (strcmp(function, "MPI_Comm_split") == 0) {
        CHILD_CHECK(join() != NULL);
        CHILD_CHECK(jg_distributed_split(0, 0, -1, &group) == JG_ERR_LIBRARY);
        CHILD_CHECK(strstr(jg_error_message(), "split in process 1 of 3") != NULL);
    } else {
        CHILD_CHECK(jg_distributed_init(true, "mpi", &group) == JG_ERR_LIBRARY);
        CHILD_CHECK(strstr(jg_error_message(), "init: the other processes") != NULL);
    }
    CHILD_CHECK(strstr(jg_error_message(),
                       "within 1 seconds, allowed by JOGGLE_DISTRIBUTED_TIMEOUT") != NULL);
    told->stuck = NULL; /* too late */
    CHILD_CHECK(jg_distributed_split(0, 0, -1, &group) != JG_OK);
    CHILD_CHECK(jg_distributed_adopt(0x44000000, &group) == JG_ERR_LIBRARY);
    CHILD_CHECK(strstr(jg_error_message(), "have ended") != NULL);
    return 0;
}

TEST(groups_wait_for_others_as_long_as_said)
{
    const char *const functions[] = {"MPI_Init_thread", "MPI_Comm_dup", "MPI_Comm_split"};
    assert_ok(jg_option_set("distributed_timeout", "1"));
    for (size_t i = 0; i < JG_COUNT_OF(functions); ++i)
        run_forked(a_process_that_never_comes, (void *)(uintptr_t)functions[i]);
    assert_ok(jg_option_set("distributed_timeout", "300"));
}

static int unheard(void *context)
{
    (void)context;
    fake_controls *told = join();
    CHILD_CHECK(told != NULL);
    told->polls = INT32_MAX;
    jg_array *y = NULL, *x = sent(2);
    CHILD_CHECK(x != NULL && jg_eval(1, &x) == JG_OK);
    for (int i = 0; i < 40 && (y == NULL || jg_eval(1, &y) == JG_OK); ++i) {
        usleep(100000);
        jg_array_release(y);
        CHILD_CHECK((y = sent(0)) != NULL);
    }
    CHILD_CHECK(jg_eval(1, &y) == JG_ERR_LIBRARY);
    CHILD_CHECK(strstr(jg_error_message(), "send in process 1 of 3, to process 2: it has not "
                                           "received it within 1 seconds") != NULL);
    jg_array_release(x);
    jg_array_release(y);
    return 0;
}

TEST(what_nobody_receives_ends_the_messages_after_that_time)
{
    assert_ok(jg_option_set("distributed_timeout", "1"));
    run_forked(unheard, NULL);
    assert_ok(jg_option_set("distributed_timeout", "300"));
}

/* At exit. Nothing is left to fail, so a line on stderr tells of it. */
static int stuck_end(void *context)
{
    (void)context;
    fake_controls *told = join();
    CHILD_CHECK(told != NULL && freopen("/dev/null", "w", stderr) != NULL);
    told->stuck = "MPI_Finalize";
    exit(0);
}

static int unheard_end(void *context)
{
    (void)context;
    fake_controls *told = join();
    CHILD_CHECK(told != NULL && freopen("/dev/null", "w", stderr) != NULL);
    told->polls = INT32_MAX;
    CHILD_CHECK(holds(sent(0), COUNT, 1, 1));
    exit(0);
}

TEST(the_end_does_not_wait_for_ever)
{
    assert_ok(jg_option_set("distributed_timeout", "1"));
    run_forked(stuck_end, NULL);
    run_forked(unheard_end, NULL);
    assert_ok(jg_option_set("distributed_timeout", "300"));
}

static bool always(void *context)
{
    return context == NULL;
}

/* An interrupt of what makes a group ends all messages: the call cannot be taken back. */
static int interrupted(void *context)
{
    int64_t group;
    (void)context;
    fake_controls *told = join();
    CHILD_CHECK(told != NULL);
    told->stuck = "MPI_Comm_split";
    jg_set_interrupt_check(always, always, NULL);
    CHILD_CHECK(jg_distributed_split(0, 0, -1, &group) == JG_ERR_INTERRUPTED);
    CHILD_CHECK(jg_distributed_split(0, 0, -1, &group) == JG_ERR_LIBRARY);
    CHILD_CHECK(strstr(jg_error_message(), "split in process 1 of 3: it was interrupted") != NULL);
    return 0;
}

TEST(an_interrupt_ends_the_wait_for_a_group)
{
    run_forked(interrupted, NULL);
}

/* A sum of two processes, of which the other one adds up fewer elements. */
static int too_few_addends(void *context)
{
    (void)context;
    fake_controls *told = controls();
    CHILD_CHECK(told != NULL);
    told->size = 2;
    CHILD_CHECK(join() != NULL);
    told->missing = 2;
    jg_array *x = of(jg_distributed_all_sum);
    CHILD_CHECK(x != NULL && jg_eval(1, &x) == JG_ERR_LIBRARY);
    CHILD_CHECK(strstr(jg_error_message(), "process 0 has sent 4 elements, allowed are 6") != NULL);
    jg_array_release(x);
    return 0;
}

TEST(a_sum_with_fewer_addends_is_refused)
{
    run_forked(too_few_addends, NULL);
}

static int too_few(void *context)
{
    (void)context;
    fake_controls *told = join();
    CHILD_CHECK(told != NULL);
    told->missing = 2;
    jg_array *x = received(5, 0);
    CHILD_CHECK(x != NULL && jg_eval(1, &x) == JG_ERR_LIBRARY);
    CHILD_CHECK(strstr(jg_error_message(), "recv in process 1 of 3, from process 0: it has sent 3 "
                                           "bytes, allowed are 5") != NULL);
    jg_array_release(x);
    return 0;
}

TEST(a_message_that_is_too_short_is_refused)
{
    run_forked(too_few, NULL);
}

/* Every allocation of a message and of what is sent fails once: NOMEM, and then it succeeds. */
static int without_memory(void *context)
{
    (void)context;
    fake_controls *told = join();
    CHILD_CHECK(told != NULL && holds(sent(0), COUNT, 1, 1));
    for (int64_t nth = 1, reached = 1; reached; ++nth) {
        jg_array *x = of(jg_distributed_all_gather), *y = sent(2), *both[] = {x, y};
        CHILD_CHECK(x != NULL && y != NULL);
        base_fail_nth(nth);
        jg_status status = jg_eval(2, both);
        void *probe = base_alloc(1);
        base_fail_nth(0);
        reached = probe == NULL || status != JG_OK;
        base_free(probe);
        CHILD_CHECK(status == JG_OK || status == JG_ERR_NOMEM);
        jg_array_release(x);
        jg_array_release(y);
        CHILD_CHECK(nth < 200 && holds(of(jg_distributed_all_sum), COUNT, 3, 3));
    }
    return 0;
}

TEST(a_message_that_finds_no_memory_fails_alone)
{
    assert_ok(jg_option_set("distributed_piece", "2"));
    run_forked(without_memory, NULL);
    assert_ok(jg_option_set("distributed_piece", "1073741824"));
}

static int many_groups(void *context)
{
    enum { MANY = 600 }; /* more than have streams of their own */
    int64_t group = 0, rank, size;
    (void)context;
    fake_controls *told = join();
    CHILD_CHECK(told != NULL);
    for (int64_t i = 1; i < MANY; ++i) {
        jg_array *x = numbers(), *y = NULL;
        CHILD_CHECK(jg_distributed_split(0, 0, -1, &group) == JG_OK && group == i);
        CHILD_CHECK(jg_distributed_all_sum(x, group, &y) == JG_OK);
        CHILD_CHECK(holds(y, COUNT, FAKE_SIZE, FAKE_SIZE));
        jg_array_release(x);
    }
    CHILD_CHECK(jg_distributed_adopt(0x44000000, &group) == JG_OK && group == MANY);
    CHILD_CHECK(jg_distributed_rank(MANY, &rank, &size) == JG_OK);
    CHILD_CHECK(jg_distributed_rank(MANY + 1, &rank, &size) == JG_ERR_VALUE);
    CHILD_CHECK(jg_distributed_rank(-1, &rank, &size) == JG_ERR_VALUE);
    CHILD_CHECK(jg_distributed_split(0, -1, 0, &group) == JG_ERR_VALUE);
    told->fail = "MPI_Comm_split";
    told->nth = 1;
    CHILD_CHECK(jg_distributed_split(0, 0, -1, &group) == JG_ERR_LIBRARY);
    CHILD_CHECK(jg_distributed_split(0, 0, -1, &group) == JG_OK && group == MANY + 1);
    return 0;
}

TEST(there_are_as_many_groups_as_are_made)
{
    run_forked(many_groups, NULL);
}

static int forked(void *context)
{
    (void)context;
    jg_array *x = of(jg_distributed_all_sum);
    CHILD_CHECK(x == NULL || jg_eval(1, &x) == JG_ERR_LIBRARY);
    CHILD_CHECK(strstr(jg_error_message(), "forked") != NULL);
    jg_array_release(x);
    return 0;
}

static int forks(void *context)
{
    (void)context;
    CHILD_CHECK(join() != NULL);
    CHILD_CHECK(holds(of(jg_distributed_all_sum), COUNT, FAKE_SIZE, FAKE_SIZE));
    pid_t child = fork();
    if (child == 0)
        _exit(forked(NULL));
    int status = 0;
    CHILD_CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHILD_CHECK(WEXITSTATUS(status) == 0);
    CHILD_CHECK(holds(of(jg_distributed_all_sum), COUNT, FAKE_SIZE, FAKE_SIZE));
    return 0;
}

TEST(a_child_has_no_messages_and_its_parent_goes_on)
{
    run_forked(forks, NULL);
}

/* The library is left when the process ends, after what was sent has arrived: it aborts if not. */
static int end(void *context)
{
    (void)context;
    fake_controls *told = join();
    CHILD_CHECK(told != NULL);
    told->polls = 2000;
    CHILD_CHECK(holds(sent(0), COUNT, 1, 1));
    exit(0);
}

TEST(the_end_waits_for_what_was_sent)
{
    run_forked(end, NULL);
}

/* What would be waited for is not, if the process has failed: neither others nor the library. */
static int failed_end(void *context)
{
    pid_t child = fork();
    if (child == 0) {
        fake_controls *told = join();
        if (told == NULL)
            _exit(1);
        told->polls = INT32_MAX;
        told->stuck = "MPI_Finalize";
        exit(holds(sent(0), COUNT, 1, 1) ? *(int *)context : 1);
    }
    int status = 0;
    CHILD_CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHILD_CHECK(WEXITSTATUS(status) == *(int *)context);
    return 0;
}

TEST(a_process_that_ends_with_another_status_than_0_does_not_wait)
{
    int status = 3;
    run_forked(failed_end, &status);
}
