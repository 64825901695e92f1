/* SPDX-License-Identifier: Apache-2.0 */
/* What runs often asks for better code, and asks again where the thread that makes it did not
 * start. */
#include "../support.h"
#include "plan/steps.h"
#include <dlfcn.h>
#include <errno.h>
#include <joggle/option.h>
#include <unistd.h>

static atomic_bool refuses; /* no thread can be had */
static atomic_int refused, prepared, rested;

/* Takes the C library's place in this program. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (atomic_load(&refuses)) {
        atomic_fetch_add(&refused, 1);
        return EAGAIN;
    }
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attributes, start, argument);
}

static bool accepts(const jg_program *program)
{
    (void)program;
    return true;
}

static jg_status prepare(const jg_program *program, const program_space *space, executor_code **out)
{
    static int code;
    (void)program;
    (void)space;
    atomic_fetch_add(&prepared, 1);
    *out = (executor_code *)(void *)&code;
    return JG_OK;
}

static void release(executor_code *code)
{
    (void)code;
}

static void rest(void)
{
    atomic_fetch_add(&rested, 1);
}

static const program_executor executor = {
    .name = "test", .accepts = accepts, .prepare = prepare, .release = release, .rest = rest};

static plan_launch_heat *begin_over(int64_t extent)
{
    static jg_program program;
    static union {
        program_space space;
        char room[sizeof(program_space) + sizeof(int64_t)];
    } memory;
    plan_launch_heat *heat;
    program_init(&program);
    memory.space.ndim = memory.space.nbuffers = 1;
    memory.space.extents[0] = extent;
    assert_ok(heat_begin(&executor, &program, &memory.space, &heat));
    assert_non_null(heat);
    return heat;
}

static plan_launch_heat *begin(void)
{
    return begin_over(1);
}

static bool gets_code(const plan_launch_heat *heat)
{
    const program_executor *by = NULL;
    for (int wait = 0; wait < 2000 && heat_code(heat, &by) == NULL; ++wait)
        usleep(1000);
    return by == &executor;
}

TEST(a_launch_asks_again_where_the_thread_did_not_start)
{
    const program_executor *by;
    plan_launch_heat *heat = begin();
    atomic_store(&refuses, true);
    for (int runs = 1; runs <= 3; ++runs) {
        heat_count(heat, INT64_C(1) << 40);
        assert_int_equal(atomic_load(&refused), runs);
    }
    assert_null(heat_code(heat, &by));
    atomic_store(&refuses, false);
    heat_count(heat, 1);
    assert_null(heat_code(heat, &by));
    heat_count(heat, INT64_C(1) << 40);
    assert_true(gets_code(heat));
    heat_count(heat, INT64_C(1) << 40);
    assert_int_equal(atomic_load(&prepared), 1);
    heat_release(heat);
}

TEST(the_tier_rests_behind_the_last_request)
{
    atomic_store(&rested, 0);
    plan_launch_heat *heat = begin_over(4);
    heat_count(heat, INT64_C(1) << 40);
    assert_true(gets_code(heat));
    for (int wait = 0; wait < 2000 && atomic_load(&rested) == 0; ++wait)
        usleep(1000);
    assert_int_equal(atomic_load(&rested), 1);
    heat_release(heat);
}

/* Many short runs are as good as one that is long. */
TEST(work_of_many_runs_adds_up)
{
    plan_launch_heat *heat = begin();
    for (int runs = 0; runs < 1 << 13; ++runs)
        heat_count(heat, 1);
    assert_true(gets_code(heat));
    heat_release(heat);
}

/* Five launches of a fifth of the work each are compiled, once; what is left has that code. */
TEST(equal_launches_are_hot_together)
{
    plan_launch_heat *heats[6];
    const program_executor *by;
    atomic_store(&prepared, 0);
    for (int i = 0; i < 6; ++i)
        heats[i] = begin_over(i == 5 ? 3 : 2);
    assert_ptr_equal(heats[0], heats[4]);
    assert_ptr_not_equal(heats[0], heats[5]);
    for (int i = 0; i < 5; ++i)
        heat_count(heats[i], (32 << 20) / 5);
    assert_true(gets_code(heats[1]));
    for (int i = 1; i < 6; ++i)
        heat_release(heats[i]);
    assert_ptr_equal(begin_over(2), heats[0]);
    assert_non_null(heat_code(heats[0], &by));
    heat_release(heats[0]);
    heat_release(heats[0]);
    plan_launch_heat *fresh = begin_over(2);
    assert_null(heat_code(fresh, &by));
    heat_release(fresh);
    assert_int_equal(atomic_load(&prepared), 1);
}

static int take_tier(void **state)
{
    (void)state;
    plan_set_hot_tier(&executor);
    return jg_option_set("jit", "auto") == JG_OK ? 0 : -1;
}
BEFORE_ALL(take_tier)
