/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers that are opened while other threads ask for their devices, evaluate and fork. */
#include "../arrays.h"
#include "../opaque_device.h"

#include "../forked.h"
#include <sys/syscall.h>

#define LATE ((jg_device_id){JG_DEVICE_TRAINIUM, 0})
#define FORKING ((jg_device_id){JG_DEVICE_ONEAPI, 0})

enum { FORKS = 10 };

static jg_device trainium = {.ops = &opaque_ops, .id = {JG_DEVICE_TRAINIUM, 0}};
static atomic_int late_probes, forking_probes;
static atomic_bool has_forked;

/* Until a child that must not wait for it has ended. */
static jg_status probe_late(void)
{
    late_probes += 1;
    while (!has_forked)
        usleep(1000);
    return device_register(&trainium);
}

/* The child ends without ThreadSanitizer, which would miss the parent's threads there. */
static int fork_once(void)
{
    int status = 1;
    pid_t pid = fork();
    if (pid == 0)
        syscall(SYS_exit_group, 0);
    waitpid(pid, &status, 0);
    return status;
}

/* As drivers do that load a module of the kernel. */
static jg_status probe_forking(void)
{
    int status = 0;
    forking_probes += 1;
    for (int i = 0; i < FORKS; ++i)
        status |= fork_once();
    return base_fail(JG_ERR_DEVICE, "its helpers ended with %d", status);
}

static const device_family late = {JG_DEVICE_TRAINIUM, probe_late},
                           forking = {JG_DEVICE_ONEAPI, probe_forking};

static void *ask_for_late(void *found)
{
    *(bool *)found = jg_device_is_available(LATE);
    return NULL;
}

static int go_without(void *context)
{
    (void)context;
    CHILD_CHECK(!jg_device_is_available(LATE));
    CHILD_CHECK(jg_device_require(LATE) == JG_ERR_DEVICE);
    CHILD_CHECK(strstr(jg_error_message(), "while another thread opened the driver") != NULL);
    return 0;
}

TEST(threads_wait_for_a_driver_that_is_opened_and_forks_do_not)
{
    pthread_t threads[4];
    bool found[4] = {false};
    for (int i = 0; i < 4; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_for_late, &found[i]), 0);
    while (late_probes == 0)
        usleep(1000);
    run_forked(go_without, NULL);
    has_forked = true;
    for (int i = 0; i < 4; ++i) {
        pthread_join(threads[i], NULL);
        assert_true(found[i]);
    }
    assert_int_equal(late_probes, 1);
}

/* Takes the locks that a fork takes, the evaluation lock first. */
static void *evaluate(void *failed)
{
    float numbers[] = {1, 2, 3};
    for (int i = 0; i < 200; ++i) {
        jg_array *x, *y;
        if (jg_array_from_data(numbers, JG_DTYPE_FLOAT32, 1, &(int64_t){3}, &x) != JG_OK)
            return failed;
        if (jg_add(x, x, &y) != JG_OK || jg_eval(1, &y) != JG_OK)
            return failed;
        jg_array_release(x);
        jg_array_release(y);
    }
    return NULL;
}

static void *fork_many(void *failed)
{
    int status = 0;
    for (int i = 0; i < FORKS; ++i)
        status |= fork_once();
    return status == 0 ? NULL : failed;
}

TEST(a_driver_may_fork_while_others_do)
{
    pthread_t threads[2];
    int failure;
    void *(*const bodies[])(void *) = {evaluate, fork_many};
    alarm(60);
    for (int i = 0; i < 2; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, bodies[i], &failure), 0);
    assert_fails_saying(JG_ERR_DEVICE, "its helpers ended with 0", jg_device_require(FORKING));
    for (int i = 0; i < 2; ++i) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    alarm(0);
    assert_int_equal(forking_probes, 1);
    assert_int_equal(device_forks(), 0);
}

static int add_families(void **state)
{
    (void)state;
    device_add_family(&late);
    device_add_family(&forking);
    return 0;
}
BEFORE_ALL(add_families)
