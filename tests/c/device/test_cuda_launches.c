/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of kernels on tensors of another library: they come after what its stream was given, the
 * stream comes after them, the host waits for neither, and the tensors are let go once, when the
 * launch has run. */
#include "fake_driver.h"

#include "../arrays.h"
#include "../forked.h"
#include "field/field.h"
#include "memory/memory.h"
#include "stream/stream.h"
#include <unistd.h>

enum { COUNT = 64, NBYTES = COUNT * 4 };

/* Bytes 0x40 throughout, as float32. */
#define WRITTEN 3.0039215087890625f

/* y[i] += x[i]; the second fails on the device where a y is not below the limit, the third gives a
 * result. The last sets zeros. */
#define HEAD "array x float32 [*] [*]\narray y float32 [*] [*]\n"
#define LOOP                                                                                       \
    "{\n%z:int64 = const 0\n%n:int64 = extent x 0\nparallel %i:int64 = %z to %n {\n"               \
    "%v:float32 = load x [%i]\n%u:float32 = load y [%i]\n%s:float32 = add %u %v\n"                 \
    "store y [%i] = %s\n"
#define ADD "kernel add\n" HEAD LOOP "}\n}\n"
#define LIMIT                                                                                      \
    "kernel limit\n" HEAD "scalar most float32\n" LOOP                                             \
    "%ok:bool = less %s %most\nassert %ok \"{} is too much\" %s\n}\n}\n"
#define COUNTED "kernel counted\n" HEAD "result int64\n" LOOP "}\nreturn %n\n}\n"
#define ZERO                                                                                       \
    "kernel zero\n" HEAD "{\n%z:int64 = const 0\n%n:int64 = extent x 0\n"                          \
    "parallel %i:int64 = %z to %n {\n%v:float32 = const 0\nstore y [%i] = %v\n}\n}\n"

static jg_device *here;
static void *theirs; /* another library's stream */
static jg_stream *home;
static void *ours; /* its driver's stream */
static jg_kernel *add, *limit, *counted, *zero;

static int64_t number_of(const void *stream)
{
    return (int64_t)(intptr_t)stream;
}

static int open_fake(void **state)
{
    int64_t number;
    (void)state;
    fake_open();
    assert_ok(device_require(CUDA_0, &here));
    theirs = fake.foreign_stream(0);
    assert_ok(jg_stream_default(CUDA_0, &home));
    assert_ok(jg_stream_number(home, &number));
    ours = (void *)(intptr_t)number;
    assert_ok(jg_kernel_from_text(ADD, &add));
    assert_ok(jg_kernel_from_text(LIMIT, &limit));
    assert_ok(jg_kernel_from_text(COUNTED, &counted));
    assert_ok(jg_kernel_from_text(ZERO, &zero));
    return 0;
}

static int close_fake(void **state)
{
    (void)state;
    fake.end_stream(theirs);
    jg_stream_release(home);
    jg_kernel_release(add);
    jg_kernel_release(limit);
    jg_kernel_release(counted);
    jg_kernel_release(zero);
    return 0;
}

/* Another library's memory, and how often it was let go: each import of it does so once. */
typedef struct their_memory {
    void *block;
    atomic_int released;
    float seen; /* its first element when it was last let go */
} their_memory;

static void note_release(void *context)
{
    their_memory *of = context;
    of->seen = *(const float *)of->block; /* the fake's memory is the host's */
    atomic_fetch_add(&of->released, 1);
}

static void allocate(their_memory *out)
{
    *out = (their_memory){0};
    assert_ok(device_alloc(here, NBYTES, &out->block));
}

/* What their stream is still writing is imported, and all that is started later comes after it. */
static jg_array *take_after(their_memory *of, int microseconds)
{
    jg_view view;
    jg_array *x;
    fake.write_late(0, theirs, of->block, NBYTES, 0x40, microseconds);
    assert_ok(jg_stream_follow(CUDA_0, number_of(theirs)));
    assert_ok(jg_view_init(&view, of->block, CUDA_0, JG_DTYPE_FLOAT32, 1, SHAPE(COUNT), NULL, 0));
    assert_ok(jg_array_take_view(&view, JG_COPY_NEVER, note_release, of, &x));
    return x;
}

static jg_array *take_late(their_memory *of)
{
    return take_after(of, 5000);
}

/* The reaper lets go, some time after the device has run. */
static void await_release(their_memory *of, int times)
{
    for (int turn = 0; turn < 20000 && atomic_load(&of->released) < times; ++turn)
        usleep(500);
    assert_int_equal(atomic_load(&of->released), times);
}

/* Nothing lets go any more. */
static void free_memory(their_memory *of, int times)
{
    await_release(of, times);
    assert_ok(jg_synchronize());
    assert_ok(memory_drain(NULL));
    assert_int_equal(atomic_load(&of->released), times);
    device_free(here, of->block, NBYTES);
}

static jg_status start(jg_kernel *kernel, jg_array *x, jg_array *y, int64_t stream)
{
    jg_view views[2];
    const jg_kernel_loan loans[] = {{x, stream}, {y, stream}};
    const jg_number most = float_number(100);
    jg_number result;
    JG_TRY(jg_array_view(x, &views[0]));
    JG_TRY(jg_array_view(y, &views[1]));
    JG_TRY(
        jg_kernel_start(kernel, (const jg_view *[]){&views[0], &views[1]}, loans, &most, &result));
    assert_true(kernel != counted || result.i64 == COUNT);
    return JG_OK;
}

/* What their stream reads, behind what it was given so far. */
static void read_on_theirs(const their_memory *of, float *to)
{
    assert_ok(cuda_enter(here, NULL));
    assert_int_equal(
        CUDA_CALL_OF(cuda_of(here), fetch, to, (uint64_t)(uintptr_t)of->block, NBYTES, theirs), 0);
    cuda_leave();
}

static void finish_theirs(void)
{
    assert_ok(cuda_enter(here, NULL));
    assert_int_equal(CUDA_CALL_OF(cuda_of(here), stream_wait, theirs), 0);
    cuda_leave();
}

static void assert_theirs(const their_memory *of, float expected)
{
    float got[COUNT];
    read_on_theirs(of, got);
    finish_theirs();
    for (int i = 0; i < COUNT; ++i)
        assert_true(got[i] == expected);
}

/* Our stream is held meanwhile, so a launch that waited for it would not return. */
TEST(a_launch_is_between_what_their_stream_had_and_what_it_gets)
{
    their_memory of_x, of_y;
    float got[COUNT] = {0};
    allocate(&of_x);
    allocate(&of_y);
    jg_array *x = take_late(&of_x), *y = take_late(&of_y);
    fake.hold(0, ours, 1);
    int waits = fake_counts().own_waits;
    assert_ok(start(add, x, y, number_of(theirs)));
    assert_ok(start(add, x, y, number_of(theirs)));
    assert_int_equal(fake_counts().own_waits, waits);
    read_on_theirs(&of_y, got);
    jg_array_release(x);
    jg_array_release(y);
    assert_true(got[0] == 0);
    assert_int_equal(of_x.released + of_y.released, 0);
    fake.hold(0, ours, 0);
    finish_theirs();
    for (int i = 0; i < COUNT; ++i)
        assert_true(got[i] == 3 * WRITTEN);
    await_release(&of_y, 1);
    assert_true(of_y.seen == 3 * WRITTEN);
    free_memory(&of_x, 1);
    free_memory(&of_y, 1);
}

/* Nobody calls joggle again, and their library can reuse the memory all the same. */
TEST(a_tensor_that_is_dropped_is_let_go_when_the_launch_has_run)
{
    their_memory of;
    allocate(&of);
    jg_array *x = take_late(&of);
    assert_ok(start(add, x, x, number_of(theirs)));
    jg_array_release(x);
    await_release(&of, 1);
    assert_true(of.seen == 2 * WRITTEN);
    free_memory(&of, 1);
}

TEST(a_tensor_that_is_passed_twice_is_let_go_twice)
{
    their_memory of;
    allocate(&of);
    jg_array *x = take_late(&of), *again = take_late(&of);
    assert_ok(start(add, x, again, number_of(theirs)));
    jg_array_release(x);
    jg_array_release(again);
    assert_theirs(&of, 2 * WRITTEN);
    free_memory(&of, 2);
}

TEST(what_joggle_computes_later_comes_after_the_launch)
{
    their_memory of;
    jg_array *sum;
    allocate(&of);
    jg_array *x = take_late(&of);
    jg_stream *other;
    assert_ok(jg_stream_new(CUDA_0, &other));
    assert_ok(start(add, x, x, number_of(theirs)));
    for (int i = 0; i < 2; ++i) {
        jg_stream_set_default(i == 0 ? home : other);
        assert_ok(jg_add(x, x, &sum));
        assert_all(sum, 4 * WRITTEN);
        jg_array_release(sum);
    }
    jg_stream_set_default(home);
    jg_stream_release(other);
    assert_all(x, 2 * WRITTEN);
    jg_array_release(x);
    free_memory(&of, 1);
}

TEST(where_a_stream_is_not_known_the_host_waits)
{
    their_memory of;
    allocate(&of);
    jg_array *x = take_late(&of);
    int waits = fake_counts().own_waits;
    assert_ok(start(add, x, x, JG_STREAM_UNKNOWN));
    assert_true(fake_counts().own_waits > waits);
    assert_true(*(const float *)of.block == 2 * WRITTEN);
    jg_array_release(x);
    assert_int_equal(of.released, 1); /* at once */
    free_memory(&of, 1);
}

/* As jg_kernel_run has it: nobody but the caller keeps the memory. */
TEST(without_loans_the_host_waits)
{
    their_memory of;
    jg_view view;
    allocate(&of);
    jg_array *x = take_late(&of);
    assert_ok(jg_array_view(x, &view));
    assert_ok(jg_kernel_run(add, (const jg_view *[]){&view, &view}, NULL, NULL));
    assert_true(*(const float *)of.block == 2 * WRITTEN);
    jg_array_release(x);
    free_memory(&of, 1);
}

TEST(nobody_waits_for_memory_that_nobody_writes)
{
    their_memory of, mine;
    allocate(&of);
    allocate(&mine);
    jg_array *x = take_late(&of), *y = take_late(&mine);
    jg_view views[2];
    const jg_kernel_loan loans[] = {{x, JG_STREAM_UNORDERED}, {y, number_of(theirs)}};
    assert_ok(jg_array_view(x, &views[0]));
    assert_ok(jg_array_view(y, &views[1]));
    int waits = fake_counts().own_waits;
    assert_ok(jg_kernel_start(add, (const jg_view *[]){&views[0], &views[1]}, loans, NULL, NULL));
    assert_int_equal(fake_counts().own_waits, waits);
    assert_theirs(&mine, 2 * WRITTEN);
    jg_array_release(x);
    jg_array_release(y);
    free_memory(&of, 1);
    free_memory(&mine, 1);
}

/* Fours on the device, which nobody else has. */
static jg_array *fours(void)
{
    jg_array *x, *y, *z;
    assert_ok(jg_full(JG_DTYPE_FLOAT32, SHAPE(COUNT), float_number(2), &x));
    assert_ok(jg_to_device(x, CUDA_0, &y));
    assert_ok(jg_add(y, y, &z));
    assert_ok(jg_eval(1, &z));
    jg_array_release(x);
    jg_array_release(y);
    return z;
}

/* Its block is not given out again while the launch may read it. */
TEST(an_array_of_joggles_may_be_dropped_after_the_call)
{
    their_memory of;
    allocate(&of);
    jg_array *y = take_late(&of), *x = fours();
    void *block = address_of(x);
    fake.hold(0, ours, 1);
    jg_view views[2];
    const jg_kernel_loan loans[] = {{x, JG_STREAM_UNKNOWN}, {y, number_of(theirs)}};
    assert_ok(jg_array_view(x, &views[0]));
    assert_ok(jg_array_view(y, &views[1]));
    assert_ok(jg_kernel_start(add, (const jg_view *[]){&views[0], &views[1]}, loans, NULL, NULL));
    jg_array_release(x);
    jg_array_release(y);
    jg_buffer *next[4];
    for (int i = 0; i < 4; ++i) {
        assert_ok(buffer_new(here, NBYTES, &next[i]));
        assert_ptr_not_equal(next[i]->handle, block);
    }
    for (int i = 0; i < 4; ++i)
        buffer_release(next[i]);
    fake.hold(0, ours, 0);
    assert_theirs(&of, WRITTEN + 4);
    free_memory(&of, 1);
}

/* Another library may write what went out, on a stream that nobody has named. */
TEST(an_array_that_went_out_is_waited_for)
{
    DLManagedTensorVersioned *out;
    their_memory of;
    allocate(&of);
    jg_array *y = take_late(&of), *x = fours();
    assert_ok(jg_array_to_managed_for(x, JG_COPY_NEVER, number_of(theirs), &out));
    jg_view views[2];
    const jg_kernel_loan loans[] = {{x, JG_STREAM_UNKNOWN}, {y, number_of(theirs)}};
    assert_ok(jg_array_view(x, &views[0]));
    assert_ok(jg_array_view(y, &views[1]));
    assert_ok(jg_kernel_start(add, (const jg_view *[]){&views[0], &views[1]}, loans, NULL, NULL));
    assert_true(*(const float *)of.block == WRITTEN + 4);
    out->deleter(out);
    jg_array_release(x);
    jg_array_release(y);
    free_memory(&of, 1);
}

TEST(fields_and_tensors_go_together)
{
    their_memory of;
    jg_field *field;
    jg_element *element;
    jg_field_plane plane;
    jg_view view;
    jg_number got;
    const int64_t shape[] = {COUNT}, index[] = {COUNT - 1};
    allocate(&of);
    assert_ok(jg_fields_set_device(CUDA_0));
    assert_ok(jg_element_new(JG_DTYPE_FLOAT32, 0, NULL, &element));
    assert_ok(
        jg_field_new(&(jg_field_spec){.element = element, .ndim = 1, .shape = shape}, &field));
    assert_ok(jg_field_fill(field, float_number(1)));
    assert_ok(jg_field_storage(field, &plane));
    jg_array *x = take_late(&of);
    const jg_kernel_loan loans[] = {{x, number_of(theirs)}, {NULL, JG_STREAM_UNKNOWN}};
    assert_ok(jg_array_view(x, &view));
    int waits = fake_counts().own_waits;
    assert_ok(jg_kernel_start(add, (const jg_view *[]){&view, &plane.view}, loans, NULL, NULL));
    assert_int_equal(fake_counts().own_waits, waits);
    jg_array_release(x);
    assert_ok(jg_field_load(field, 1, index, &got));
    assert_true((float)got.re == 1 + WRITTEN);
    free_memory(&of, 1);
    jg_field_release(field);
    jg_element_release(element);
    assert_ok(jg_fields_set_device((jg_device_id){JG_DEVICE_CPU, 0}));
}

/* The host reads the copy when the call has returned. */
TEST(memory_of_the_hosts_is_complete_when_the_call_returns)
{
    their_memory of;
    float mine[COUNT];
    jg_view views[2];
    allocate(&of);
    for (int i = 0; i < COUNT; ++i)
        mine[i] = (float)i;
    jg_array *x = take_late(&of);
    const jg_kernel_loan loans[] = {{x, number_of(theirs)}, {NULL, JG_STREAM_UNKNOWN}};
    assert_ok(jg_array_view(x, &views[0]));
    assert_ok(jg_view_init(&views[1], mine, (jg_device_id){JG_DEVICE_CPU, 0}, JG_DTYPE_FLOAT32, 1,
                           SHAPE(COUNT), NULL, 0));
    assert_ok(jg_kernel_start(add, (const jg_view *[]){&views[0], &views[1]}, loans, NULL, NULL));
    for (int i = 0; i < COUNT; ++i)
        assert_true(mine[i] == (float)i + WRITTEN);
    jg_array_release(x);
    free_memory(&of, 1);
}

TEST(a_result_is_waited_for_and_their_stream_is_ordered_too)
{
    their_memory of;
    allocate(&of);
    jg_array *x = take_late(&of);
    int orders = fake_counts().stream_waits;
    assert_ok(start(counted, x, x, number_of(theirs)));
    assert_true(fake_counts().stream_waits > orders);
    assert_true(*(const float *)of.block == 2 * WRITTEN);
    jg_array_release(x);
    free_memory(&of, 1);
}

/* The launch, the mark behind it, the event that their stream waits for, and the wait. */
TEST(a_call_that_fails_lets_go_once)
{
    const char *const calls[] = {"launch", "event_record", "event_new", "stream_wait_event"};
    for (size_t c = 0; c < JG_COUNT_OF(calls); ++c) {
        for (int after = 0; after < 4; ++after) {
            their_memory of;
            allocate(&of);
            jg_array *x = take_late(&of);
            fake.fail_next(calls[c], after, 999);
            jg_status status = start(add, x, x, number_of(theirs));
            fake.fail_next(NULL, 0, 0);
            jg_array_release(x);
            if (status == JG_OK) /* what cannot be ordered is waited for */
                assert_theirs(&of, 2 * WRITTEN);
            else
                assert_int_equal(status, JG_ERR_DEVICE);
            assert_true(c != 0 || after > 0 || status != JG_OK);
            free_memory(&of, 1);
        }
    }
}

TEST(a_kernel_that_fails_lets_go_once)
{
    their_memory of;
    allocate(&of);
    jg_array *x = take_late(&of);
    fake.fail_next("kernel", 0, 700);
    assert_ok(start(add, x, x, number_of(theirs)));
    jg_array_release(x);
    await_release(&of, 1);
    assert_fails_saying(JG_ERR_DEVICE, "[add] cuda:0: a command ended with", jg_synchronize());
    fake.fail_next(NULL, 0, 0);
    assert_ok(jg_synchronize());
    free_memory(&of, 1);
}

/* Who works with tensors alone may never wait by joggle's means. */
TEST(what_a_launch_failed_with_is_told_by_a_later_one_once)
{
    their_memory of;
    jg_status status = JG_OK;
    allocate(&of);
    jg_array *x = take_late(&of);
    for (int i = 0; i < 6; ++i)
        assert_ok(start(i < 5 ? add : limit, x, x, number_of(theirs)));
    for (int turn = 0; turn < 20000 && status == JG_OK; ++turn) {
        usleep(500);
        status = start(zero, x, x, number_of(theirs));
    }
    check_message("192.25", __FILE__, __LINE__);
    assert_int_equal(status, JG_ERR_ASSERT);
    assert_ok(start(zero, x, x, number_of(theirs)));
    assert_ok(jg_synchronize());
    jg_array_release(x);
    free_memory(&of, 1);
}

static int be_left_alone(void *context)
{
    their_memory *of = context;
    usleep(20000);
    CHILD_CHECK(jg_synchronize() == JG_OK);
    CHILD_CHECK(memory_drain(NULL) == JG_OK);
    CHILD_CHECK(atomic_load(&of->released) == 0);
    return 0;
}

TEST(a_child_of_a_fork_lets_go_of_nothing)
{
    their_memory of;
    allocate(&of);
    jg_array *x = take_late(&of);
    fake.hold(0, ours, 1);
    assert_ok(start(add, x, x, number_of(theirs)));
    jg_array_release(x);
    run_forked(be_left_alone, &of);
    assert_int_equal(of.released, 0);
    fake.hold(0, ours, 0);
    assert_theirs(&of, 2 * WRITTEN);
    free_memory(&of, 1);
}

TEST(many_launches_are_let_go)
{
    enum { LAUNCHES = 600 };
    their_memory of;
    allocate(&of);
    fake.delay(0);
    for (int i = 0; i < LAUNCHES; ++i) {
        jg_array *x = take_after(&of, 0);
        assert_ok(start(add, x, x, number_of(theirs)));
        jg_array_release(x);
    }
    assert_theirs(&of, 2 * WRITTEN);
    free_memory(&of, LAUNCHES);
    fake.delay(200);
}

BEFORE_ALL(open_fake)
AFTER_ALL(close_fake)
