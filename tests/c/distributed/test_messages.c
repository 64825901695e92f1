/* SPDX-License-Identifier: Apache-2.0 */
/* Messages over the MPI library of tests/mpi: values, pieces, order, threads, and every call and
 * allocation that can fail. A failure ends all messages of a process, so each test has its own. */
#include "../../mpi/fake_mpi.h"
#include "../arrays.h"
#include "../forked.h"
#include <dlfcn.h>
#include <joggle/distributed.h>
#include <joggle/ops.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { COUNT = 6 };

static fake_controls *controls(void)
{
    fake_mpi_controls_function *function;
    void *library = dlopen(option_text(OPTION_MPI), RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL)
        return NULL;
    *(void **)&function = dlsym(library, "fake_mpi_controls");
    return function();
}

/* Opens the library and makes group 0. gives: what tests tell it, NULL after a failure */
static fake_controls *join(void)
{
    int64_t group;
    fake_controls *told = controls();
    return told != NULL && jg_distributed_init(true, "mpi", &group) == JG_OK ? told : NULL;
}

/* Evaluates x and compares its elements with first, first + step, ...; takes x. */
static bool holds(jg_array *x, int64_t count, float first, float step)
{
    jg_view view;
    bool same = x != NULL && jg_eval(1, &x) == JG_OK && jg_array_view(x, &view) == JG_OK;
    for (int64_t i = 0; same && i < count; ++i)
        same = ((const float *)view.data)[i] == first + step * (float)i;
    jg_array_release(x);
    return same;
}

static jg_array *numbers(void)
{
    const float values[COUNT] = {1, 2, 3, 4, 5, 6};
    jg_array *x = NULL;
    const int64_t shape[] = {COUNT};
    return jg_array_from_data(values, JG_DTYPE_FLOAT32, 1, shape, &x) == JG_OK ? x : NULL;
}

typedef jg_status collective(jg_array *a, int64_t group, jg_array **out);

static jg_array *of(collective *op)
{
    jg_array *x = numbers(), *made = NULL;
    jg_status status = op(x, 0, &made);
    jg_array_release(x);
    return status == JG_OK ? made : NULL;
}

static jg_array *received(int64_t count, int64_t from)
{
    jg_array *bytes = NULL, *x = NULL;
    if (jg_distributed_recv(1, &count, JG_DTYPE_UINT8, from, 0, &bytes) == JG_OK &&
        jg_astype(bytes, JG_DTYPE_FLOAT32, &x) != JG_OK)
        x = NULL;
    jg_array_release(bytes);
    return x;
}

static jg_array *sent(int64_t to)
{
    jg_array *x = numbers(), *made = NULL;
    jg_status status = jg_distributed_send(x, to, 0, &made);
    jg_array_release(x);
    return status == JG_OK ? made : NULL;
}

/* values */

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

static void messages_have_their_values_at_once_and_later(void **state)
{
    int polls[] = {0, 1, 50};
    (void)state;
    for (size_t i = 0; i < JG_COUNT_OF(polls); ++i)
        run_forked(every_kind, &polls[i]);
}

static void and_in_pieces(void **state)
{
    int polls = 1;
    (void)state;
    const char *const pieces[] = {"1", "2", "4", "5"};
    for (size_t i = 0; i < JG_COUNT_OF(pieces); ++i) {
        assert_ok(jg_option_set("distributed_piece", pieces[i]));
        run_forked(every_kind, &polls);
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

static void results_are_asked_for_in_any_order(void **state)
{
    (void)state;
    run_forked(any_order, NULL);
}

typedef struct talker {
    int64_t group;
    atomic_int *wrong;
} talker;

/* Messages of a group of its own, between elementwise work. */
static void *talk(void *context)
{
    const talker *own = context;
    for (int i = 0; i < 20; ++i) {
        jg_array *x = numbers(), *twice = NULL, *made = NULL;
        jg_status status = jg_add(x, x, &twice);
        if (status == JG_OK)
            status = jg_distributed_all_sum(twice, own->group, &made);
        if (status != JG_OK || !holds(made, COUNT, 2 * FAKE_SIZE, 2 * FAKE_SIZE))
            atomic_fetch_add(own->wrong, 1);
        jg_array_release(twice);
        jg_array_release(x);
    }
    return NULL;
}

static int threads(void *context)
{
    enum { TALKERS = 4 };
    atomic_int wrong = 0;
    talker talkers[TALKERS];
    (void)context;
    fake_controls *told = join();
    CHILD_CHECK(told != NULL);
    told->polls = 3;
    for (int i = 0; i < TALKERS; ++i) {
        talkers[i].wrong = &wrong;
        CHILD_CHECK(jg_distributed_split(0, 1, i, &talkers[i].group) == JG_OK);
        CHILD_CHECK(talkers[i].group == i + 1);
    }
    run_threads(TALKERS, talk, talkers, sizeof *talkers);
    CHILD_CHECK(wrong == 0 && told->messages == 20 * TALKERS);
    return 0;
}

static void threads_with_groups_of_their_own_call_one_at_a_time(void **state)
{
    (void)state;
    run_forked(threads, NULL);
}

/* failures */

static int a_failing_call(void *function)
{
    fake_controls *told = controls();
    int64_t group;
    CHILD_CHECK(told != NULL);
    told->fail = function;
    told->nth = 1;
    CHILD_CHECK(jg_distributed_init(true, "mpi", &group) == JG_ERR_LIBRARY);
    CHILD_CHECK(strstr(jg_error_message(), "fake error 17") != NULL);
    told->fail = NULL;
    CHILD_CHECK(jg_distributed_init(true, "mpi", &group) == JG_OK);
    CHILD_CHECK(holds(of(jg_distributed_all_sum), COUNT, FAKE_SIZE, FAKE_SIZE));
    return 0;
}

static void a_call_that_fails_while_the_group_is_made_can_be_tried_again(void **state)
{
    const char *const functions[] = {"MPI_Initialized", "MPI_Comm_dup", "MPI_Comm_size",
                                     "MPI_Comm_rank", "MPI_Comm_set_errhandler"};
    (void)state;
    for (size_t i = 0; i < JG_COUNT_OF(functions); ++i)
        run_forked(a_failing_call, (void *)(uintptr_t)functions[i]);
}

typedef struct failure {
    const char *function;
    collective *op; /* NULL: to receive */
    int nth;
} failure;

/* The first message fails and all others after it; what needs none goes on. */
static int a_failing_message(void *context)
{
    const failure *own = context;
    fake_controls *told = join();
    CHILD_CHECK(told != NULL);
    told->polls = 2;
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

static void a_call_that_fails_ends_the_messages_of_the_process(void **state)
{
    const failure failures[] = {
        {"MPI_Iallreduce", jg_distributed_all_sum, 1},
        {"MPI_Iallgather", jg_distributed_all_gather, 1},
        {"MPI_Ireduce_scatter_block", jg_distributed_sum_scatter, 1},
        {"MPI_Irecv", NULL, 1},
        {"MPI_Test", jg_distributed_all_sum, 1},
        {"MPI_Test", jg_distributed_all_gather, 3},
    };
    (void)state;
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

static void a_library_for_one_thread_is_refused(void **state)
{
    (void)state;
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
    CHILD_CHECK(strstr(jg_error_message(), "have not answered within 1 seconds") != NULL);
    jg_array_release(x);
    return 0;
}

static void others_that_do_not_answer_are_waited_for_as_long_as_said(void **state)
{
    (void)state;
    assert_ok(jg_option_set("distributed_timeout", "1"));
    run_forked(silence, NULL);
    assert_ok(jg_option_set("distributed_timeout", "300"));
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

static void a_message_that_finds_no_memory_fails_alone(void **state)
{
    (void)state;
    assert_ok(jg_option_set("distributed_piece", "2"));
    run_forked(without_memory, NULL);
    assert_ok(jg_option_set("distributed_piece", "1073741824"));
}

/* groups */

static int many_groups(void *context)
{
    enum { MOST = 256 };
    int64_t group = 0, rank, size;
    (void)context;
    CHILD_CHECK(join() != NULL);
    for (int64_t i = 1; i < MOST; ++i)
        CHILD_CHECK(jg_distributed_split(0, 0, -1, &group) == JG_OK && group == i);
    CHILD_CHECK(jg_distributed_split(0, 0, -1, &group) == JG_ERR_UNSUPPORTED);
    CHILD_CHECK(jg_distributed_adopt(0x44000000, &group) == JG_ERR_UNSUPPORTED);
    CHILD_CHECK(jg_distributed_rank(MOST, &rank, &size) == JG_ERR_VALUE);
    CHILD_CHECK(jg_distributed_rank(-1, &rank, &size) == JG_ERR_VALUE);
    CHILD_CHECK(jg_distributed_split(0, -1, 0, &group) == JG_ERR_VALUE);
    return 0;
}

static void there_are_so_many_groups_and_no_more(void **state)
{
    (void)state;
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

static void a_child_has_no_messages_and_its_parent_goes_on(void **state)
{
    (void)state;
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

static void the_end_waits_for_what_was_sent(void **state)
{
    (void)state;
    run_forked(end, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_have_their_values_at_once_and_later),
        cmocka_unit_test(and_in_pieces),
        cmocka_unit_test(results_are_asked_for_in_any_order),
        cmocka_unit_test(threads_with_groups_of_their_own_call_one_at_a_time),
        cmocka_unit_test(a_call_that_fails_while_the_group_is_made_can_be_tried_again),
        cmocka_unit_test(a_call_that_fails_ends_the_messages_of_the_process),
        cmocka_unit_test(a_library_for_one_thread_is_refused),
        cmocka_unit_test(others_that_do_not_answer_are_waited_for_as_long_as_said),
        cmocka_unit_test(a_message_that_finds_no_memory_fails_alone),
        cmocka_unit_test(there_are_so_many_groups_and_no_more),
        cmocka_unit_test(a_child_has_no_messages_and_its_parent_goes_on),
        cmocka_unit_test(the_end_waits_for_what_was_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
