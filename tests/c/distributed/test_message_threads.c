/* SPDX-License-Identifier: Apache-2.0 */
/* Messages and groups of several threads over the MPI library of tests/mpi, which has no lock: a
 * thread sanitizer, and the library itself, see two that call it at once. */
#include "messages.h"
#include <stdatomic.h>
#include <stdlib.h>

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

/* Groups that are made while others talk. */
static void *make(void *context)
{
    const talker *own = context;
    for (int i = 0; i < 10; ++i) {
        int64_t group;
        if (jg_distributed_split(0, 1, i, &group) != JG_OK)
            atomic_fetch_add(own->wrong, 1);
    }
    return NULL;
}

/* What a thread sends, which another one of the room looks after. */
static void *send(void *context)
{
    const talker *own = context;
    for (int i = 0; i < 20; ++i)
        if (!holds(sent(0), COUNT, 1, 1))
            atomic_fetch_add(own->wrong, 1);
    return NULL;
}

static void *ask(void *context)
{
    const talker *own = context;
    for (int i = 0; i < 200; ++i) {
        int64_t rank, size, group;
        if (jg_distributed_init(true, "any", &group) != JG_OK || group != 0 ||
            jg_distributed_rank(own->group, &rank, &size) != JG_OK || rank != FAKE_RANK)
            atomic_fetch_add(own->wrong, 1);
    }
    return NULL;
}

typedef struct worker {
    void *(*work)(void *);
    talker talker;
} worker;

static void *work(void *context)
{
    worker *own = context;
    return own->work(&own->talker);
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

TEST(threads_with_groups_of_their_own_call_one_at_a_time)
{
    run_forked(threads, NULL);
}

/* context: the level of threads that the library gives */
static int everything(void *context)
{
    atomic_int wrong = 0;
    int64_t group;
    fake_controls *told = controls();
    CHILD_CHECK(told != NULL);
    told->level = *(int *)context;
    CHILD_CHECK(join() != NULL);
    CHILD_CHECK(jg_distributed_split(0, 1, 0, &group) == JG_OK);
    told->polls = 3;
    worker workers[] = {{talk, {group, &wrong}},
                        {make, {0, &wrong}},
                        {make, {0, &wrong}},
                        {send, {0, &wrong}},
                        {ask, {group, &wrong}}};
    run_threads(JG_COUNT_OF(workers), work, workers, sizeof *workers);
    CHILD_CHECK(wrong == 0 && told->communicators == 2 + 2 * 10);
    exit(0); /* the library is left, which is called once nothing is on the way */
}

TEST(messages_groups_and_sends_go_on_beside_each_other)
{
    int levels[] = {2, 3};
    for (size_t i = 0; i < JG_COUNT_OF(levels); ++i)
        run_forked(everything, &levels[i]);
}

static void *first_call(void *context)
{
    const talker *own = context;
    int64_t group;
    if (jg_distributed_init(true, "any", &group) != JG_OK || group != 0)
        atomic_fetch_add(own->wrong, 1);
    return NULL;
}

static int several_first_calls(void *context)
{
    atomic_int wrong = 0;
    talker talkers[] = {{0, &wrong}, {0, &wrong}, {0, &wrong}};
    (void)context;
    fake_controls *told = controls();
    CHILD_CHECK(told != NULL);
    run_threads(JG_COUNT_OF(talkers), first_call, talkers, sizeof *talkers);
    CHILD_CHECK(wrong == 0 && told->communicators == 1);
    return 0;
}

TEST(several_threads_may_call_first)
{
    run_forked(several_first_calls, NULL);
}
