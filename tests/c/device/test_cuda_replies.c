/* SPDX-License-Identifier: Apache-2.0 */
/* Launches whose caller waits for a result and leaves before it has it, interrupted or told of an
 * earlier launch's failure: they go on, and the next wait raises what they fail with, once. */
#include "fake_driver.h"

#include "../arrays.h"
#include "field/field.h"
#include "stream/stream.h"

enum { COUNT = 16 };

/* Both add 1 to all elements and fail where one is not below the limit then; the second gives how
 * many it has seen. */
#define HEAD "array x float32 [*] [*]\nscalar most float32\n"
#define LOOP                                                                                       \
    "{\n%z:int64 = const 0\n%n:int64 = extent x 0\n%one:float32 = const 1\n"                       \
    "parallel %i:int64 = %z to %n {\n%v:float32 = load x [%i]\n%s:float32 = add %v %one\n"         \
    "store x [%i] = %s\n%ok:bool = less %s %most\nassert %ok \"{} is too much\" %s\n}\n"
#define QUIET "kernel quiet\n" HEAD LOOP "}\n"
#define COUNTED "kernel counted\n" HEAD "result int64\n" LOOP "return %n\n}\n"

static jg_kernel *quiet, *counted;
static jg_stream *home;
static void *ours; /* its driver's stream */
static jg_element *element;
static jg_field *field;
static jg_field_plane plane;

static int open_fake(void **state)
{
    int64_t number;
    const int64_t shape[] = {COUNT};
    (void)state;
    fake_open();
    assert_ok(jg_stream_default(CUDA_0, &home));
    assert_ok(jg_stream_number(home, &number));
    ours = (void *)(intptr_t)number;
    assert_ok(jg_kernel_from_text(QUIET, &quiet));
    assert_ok(jg_kernel_from_text(COUNTED, &counted));
    assert_ok(jg_fields_set_device(CUDA_0));
    assert_ok(jg_element_new(JG_DTYPE_FLOAT32, 0, NULL, &element));
    assert_ok(
        jg_field_new(&(jg_field_spec){.element = element, .ndim = 1, .shape = shape}, &field));
    assert_ok(jg_field_storage(field, &plane));
    return 0;
}

static int close_fake(void **state)
{
    (void)state;
    jg_field_release(field);
    jg_element_release(element);
    jg_kernel_release(quiet);
    jg_kernel_release(counted);
    jg_stream_release(home);
    assert_ok(jg_fields_set_device((jg_device_id){JG_DEVICE_CPU, 0}));
    return 0;
}

static void fill(double value)
{
    assert_ok(jg_field_fill(field, float_number(value)));
    assert_ok(jg_synchronize());
}

static jg_status launch(jg_kernel *kernel, double most, jg_number *result)
{
    const jg_number scalar = float_number(most);
    return jg_kernel_run(kernel, (const jg_view *[]){&plane.view}, &scalar, result);
}

static void assert_field(double expected)
{
    jg_number got;
    for (int64_t i = 0; i < COUNT; ++i) {
        assert_ok(jg_field_load(field, 1, &i, &got));
        assert_true(got.re == expected);
    }
}

static bool yes(void *context)
{
    (void)context;
    return true;
}

/* The device is held, so that the call waits until the question is asked. */
static void leave(double most)
{
    jg_number result = {.i64 = -7};
    fake.hold(0, ours, 1);
    jg_set_interrupt_check(yes, yes, NULL);
    jg_status status = launch(counted, most, &result);
    jg_set_interrupt_check(NULL, NULL, NULL);
    fake.hold(0, ours, 0);
    assert_int_equal(status, JG_ERR_INTERRUPTED);
    assert_int_equal(result.i64, -7);
}

TEST(a_caller_that_stays_is_told)
{
    jg_number result;
    fill(1);
    assert_ok(launch(counted, 3, &result));
    assert_int_equal(result.i64, COUNT);
    assert_field(2);
    assert_fails_saying(JG_ERR_ASSERT, "[counted]", launch(counted, 3, &result));
    assert_ok(jg_synchronize());
}

/* Both have ended by then. */
TEST(what_follows_an_earlier_failure_is_raised_by_the_next_wait)
{
    jg_number result;
    fill(1);
    assert_ok(launch(quiet, 2, NULL));
    assert_fails_saying(JG_ERR_ASSERT, "[quiet]", launch(counted, 2, &result));
    assert_fails_saying(JG_ERR_ASSERT, "[counted]", jg_synchronize());
    assert_ok(jg_synchronize());
}

TEST(a_failure_after_an_interrupt_is_raised_by_the_next_wait)
{
    fill(1);
    leave(2);
    assert_fails_saying(JG_ERR_ASSERT, "[counted]", jg_synchronize());
    assert_ok(jg_synchronize());
}

TEST(what_succeeds_after_an_interrupt_is_not_heard_of)
{
    jg_number result;
    fill(1);
    leave(3);
    assert_ok(jg_synchronize());
    assert_field(2);
    assert_ok(launch(counted, 4, &result));
    assert_int_equal(result.i64, COUNT);
}

BEFORE_ALL(open_fake)
AFTER_ALL(close_fake)
