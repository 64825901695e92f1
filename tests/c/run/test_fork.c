/* SPDX-License-Identifier: Apache-2.0 */
/* After fork() the child works or is told what it lacks; it never hangs. A child that does is
 * killed by its alarm and fails the test. */
#include "../arrays.h"
#include <errno.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 1 << 18, SECONDS = 60 };

/* The child's result: which check failed, 0 if none. */
static int run_child(int (*child)(void *context), void *context)
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(SECONDS);
        _exit(child(context));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status))
        fail_msg("the child was killed by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return __LINE__ % 255 + 1;                                                             \
    } while (0)

static jg_array *doubled(jg_array *x)
{
    jg_array *out;
    assert_ok(jg_add(x, x, &out));
    return out;
}

static bool all_are(jg_array *x, float expected)
{
    jg_view view;
    if (jg_array_view(x, &view) != JG_OK)
        return false;
    for (int64_t i = 0; i < jg_array_size(x); ++i)
        if (((const float *)view.data)[i] != expected)
            return false;
    return true;
}

static int evaluate_everything(void *context)
{
    jg_array *a = context, *large = doubled(a), *later = doubled(large), *few = ones(3),
             *small = doubled(few);
    jg_stream *before, *stream;
    CHECK(all_are(small, 2));
    CHECK(jg_eval_async(1, &later) == JG_OK);
    jg_synchronize();
    CHECK(all_are(later, 4) && all_are(large, 2));
    CHECK(jg_stream_default(jg_device_default(), &before) == JG_OK);
    CHECK(jg_stream_new(jg_device_default(), &stream) == JG_OK);
    jg_stream_set_default(stream);
    jg_array *other = doubled(later);
    jg_stream_set_default(before);
    CHECK(jg_eval_async(1, &other) == JG_OK);
    CHECK(all_are(other, 8));
    release_all(5, (jg_array *[]){large, later, few, small, other});
    jg_stream_release(stream);
    jg_stream_release(before);
    CHECK(jg_option_set("log", "") == JG_OK);
    jg_clear_cache();
    return 0;
}

TEST(a_child_evaluates_as_its_parent_did)
{
    jg_array *a = ones(LARGE);
    assert_int_equal(evaluate_everything(a), 0);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(run_child(evaluate_everything, a), 0);
    jg_array_release(a);
}

typedef struct held {
    jg_event *gate;
    jg_array *queued, *evaluated;
    atomic_bool entered;
} held;

static void *evaluate_held(void *context)
{
    held *own = context;
    atomic_store(&own->entered, true);
    return jg_eval(1, &own->evaluated) == JG_OK ? NULL : context;
}

static int find_what_is_lost(void *context)
{
    held *own = context;
    CHECK(jg_array_current_state(own->queued) == JG_ARRAY_SCHEDULED);
    CHECK(all_are(own->queued, 2)); /* what was queued runs here as well */
    CHECK(jg_array_current_state(own->evaluated) == JG_ARRAY_FAILED);
    CHECK(jg_eval(1, &own->evaluated) == JG_ERR_LOST);
    CHECK(strstr(jg_error_message(), "forked") != NULL);
    jg_array *user = doubled(own->evaluated);
    CHECK(jg_eval(1, &user) == JG_ERR_LOST);
    jg_array_release(user);
    jg_array_release(own->evaluated);
    jg_synchronize();
    return evaluate_everything(ones(LARGE));
}

/* A thread evaluates what reads the work of a stream that is held up: it waits within its own. */
TEST(what_another_thread_was_computing_is_lost)
{
    held own = {.entered = false};
    jg_stream *stream;
    pthread_t thread;
    jg_array *a = ones(LARGE);
    void *failed;
    assert_ok(jg_stream_default(jg_device_default(), &stream));
    assert_ok(jg_event_new(&own.gate));
    own.queued = doubled(a);
    jg_stream *side;
    assert_ok(jg_stream_new(jg_device_default(), &side));
    assert_ok(jg_stream_wait_event(side, own.gate));
    jg_stream_set_default(side);
    replace(&own.queued, doubled(a));
    jg_stream_set_default(stream);
    own.evaluated = doubled(own.queued);
    assert_ok(jg_eval_async(1, &own.queued));
    assert_int_equal(pthread_create(&thread, NULL, evaluate_held, &own), 0);
    while (jg_array_current_state(own.evaluated) == JG_ARRAY_UNSCHEDULED ||
           !atomic_load(&own.entered))
        usleep(1000);
    assert_int_equal(run_child(find_what_is_lost, &own), 0);
    jg_event_set(own.gate);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    assert_true(all_are(own.evaluated, 4)); /* the parent's is not disturbed */
    release_all(3, (jg_array *[]){a, own.queued, own.evaluated});
    jg_event_release(own.gate);
    jg_stream_release(stream);
    jg_stream_release(side);
}

/* AddressSanitizer's own allocator takes a lock that it does not hold over a fork (GCC 12), so
 * under it no other thread may be allocating meanwhile. */
#ifndef __SANITIZE_ADDRESS__
typedef struct load {
    atomic_bool *stop;
    bool sound;
} load;

static void *keep_busy(void *context)
{
    load *own = context;
    own->sound = true;
    for (int i = 0; !atomic_load(own->stop); ++i) {
        jg_array *a = ones(i % 2 ? LARGE : 16), *x = doubled(a);
        own->sound &= jg_eval_async(1, &x) == JG_OK;
        if (i % 16 == 0) {
            own->sound &= jg_option_set("log", "") == JG_OK;
            jg_clear_cache();
        }
        own->sound &= all_are(x, 2);
        release_all(2, (jg_array *[]){a, x});
    }
    return NULL;
}

TEST(forks_under_load_leave_parent_and_child_working)
{
    atomic_bool stop = false;
    load loads[3] = {{&stop, false}, {&stop, false}, {&stop, false}};
    pthread_t threads[3];
    jg_array *a = ones(LARGE);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, keep_busy, &loads[i]), 0);
    for (int i = 0; i < 30; ++i)
        assert_int_equal(run_child(evaluate_everything, a), 0);
    atomic_store(&stop, true);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 3; ++i)
        assert_true(loads[i].sound);
    jg_array_release(a);
}
#endif

static pthread_mutex_t early = PTHREAD_MUTEX_INITIALIZER, late = PTHREAD_MUTEX_INITIALIZER;

static void *fork_and_wait(void *done)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
    atomic_store((atomic_bool *)done, true);
    return NULL;
}

static void *hold_late(void *unused)
{
    fork_hold(&late);
    return unused;
}

/* Two forks at once and a lock that is added between them: neither unlocks what it has not locked,
 * which this thread has. */
TEST(a_lock_that_is_added_during_a_fork_is_not_unlocked_by_it)
{
    static atomic_bool done[2];
    pthread_t forks[2], adding;
    fork_hold(&early);
    pthread_mutex_lock(&early);
    pthread_mutex_lock(&late);
    pthread_create(&forks[0], NULL, fork_and_wait, &done[0]);
    usleep(100000); /* it waits for `early` */
    pthread_create(&adding, NULL, hold_late, NULL);
    usleep(100000);
    pthread_create(&forks[1], NULL, fork_and_wait, &done[1]);
    usleep(100000);
    pthread_mutex_unlock(&early);
    pthread_join(forks[0], NULL);
    for (int i = 0; i < 20 && !atomic_load(&done[1]); ++i)
        usleep(10000);
    bool still_mine = pthread_mutex_trylock(&late) == EBUSY;
    pthread_mutex_unlock(&late);
    pthread_join(adding, NULL);
    pthread_join(forks[1], NULL);
    assert_true(still_mine);
}

static int take_two_threads(void **state)
{
    (void)state;
    return jg_option_set("num_threads", "2") == JG_OK ? 0 : -1;
}
BEFORE_ALL(take_two_threads)
