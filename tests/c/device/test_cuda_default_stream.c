/* SPDX-License-Identifier: Apache-2.0 */
/* What comes in from the legacy default stream, where most programs of other libraries work: no
 * call of the driver is made when it comes in, and all that joggle's queues are given from then on
 * comes after it. */
#include "fake_driver.h"

#include "../arrays.h"
#include "memory/memory.h"
#include "stream/stream.h"

enum { COUNT = 64, NBYTES = COUNT * 4 };

/* Bytes 0x40 throughout, as float32. */
#define WRITTEN 3.0039215087890625

static void *const legacy = (void *)1;
static jg_device *here;

static int open_fake(void **state)
{
    (void)state;
    fake_open();
    return device_require(CUDA_0, &here) == JG_OK ? 0 : -1;
}

typedef struct their_tensor {
    void *block;
    jg_array *array;
} their_tensor;

/* Taken before their stream has written it. */
static their_tensor take_late(void)
{
    their_tensor out;
    jg_view view;
    assert_ok(device_alloc(here, NBYTES, &out.block));
    assert_ok(jg_view_init(&view, out.block, CUDA_0, JG_DTYPE_FLOAT32, 1, SHAPE(COUNT), NULL, 0));
    fake.write_late(0, legacy, out.block, NBYTES, 0x40, 20000);
    assert_ok(jg_stream_follow(CUDA_0, JG_STREAM_DEFAULT));
    assert_ok(jg_array_take_view(&view, JG_COPY_NEVER, NULL, NULL, &out.array));
    return out;
}

static void give_back(their_tensor *tensor)
{
    jg_array_release(tensor->array);
    device_free(here, tensor->block, NBYTES);
}

/* x + x on the current stream. */
static void check_twice(jg_array *x)
{
    jg_array *y;
    assert_ok(jg_add(x, x, &y));
    assert_all(y, 2 * WRITTEN);
    jg_array_release(y);
}

TEST(a_tensor_is_read_after_it_was_written)
{
    their_tensor tensor = take_late();
    check_twice(tensor.array);
    give_back(&tensor);
    tensor = take_late();
    assert_all(tensor.array, WRITTEN); /* by a copy alone */
    give_back(&tensor);
}

TEST(taking_a_tensor_calls_no_stream)
{
    assert_ok(jg_stream_follow(CUDA_0, JG_STREAM_DEFAULT)); /* makes the queues */
    fake_cuda_counts before = fake_counts();
    for (int i = 0; i < 5; ++i)
        assert_ok(jg_stream_follow(CUDA_0, JG_STREAM_DEFAULT));
    fake_cuda_counts after = fake_counts();
    assert_int_equal(after.stream_waits, before.stream_waits);
    assert_int_equal(after.events, before.events);
    their_tensor tensor = take_late();
    check_twice(tensor.array);
    assert_true(fake_counts().stream_waits > before.stream_waits);
    give_back(&tensor);
}

/* Memory that is shared is live until it is read. */
TEST(what_is_written_before_the_evaluation_is_seen)
{
    their_tensor tensor = take_late();
    jg_array *y;
    assert_ok(jg_add(tensor.array, tensor.array, &y));
    fake.write_late(0, legacy, tensor.block, NBYTES, 0x41, 20000);
    float wanted;
    memset(&wanted, 0x41, sizeof wanted);
    assert_all(y, 2.0 * (double)wanted);
    jg_array_release(y);
    give_back(&tensor);
}

TEST(all_streams_follow_and_so_do_later_ones)
{
    jg_stream *before, *home, *later;
    int64_t number;
    assert_ok(jg_stream_default(CUDA_0, &home));
    assert_ok(jg_stream_new(CUDA_0, &before));
    assert_ok(jg_stream_number(before, &number)); /* has a queue */
    their_tensor tensor = take_late();
    assert_ok(jg_stream_new(CUDA_0, &later));
    jg_stream *const streams[] = {later, before, home};
    for (int i = 0; i < 3; ++i) {
        jg_stream_set_default(streams[i]);
        check_twice(tensor.array);
    }
    jg_stream_set_default(home);
    give_back(&tensor);
    jg_stream_release(before);
    jg_stream_release(later);
    jg_stream_release(home);
}

/* Nothing of joggle's ran in between. */
TEST(a_tensor_goes_on_to_a_third_library_in_order)
{
    DLManagedTensorVersioned *out;
    float got[COUNT] = {0};
    void *theirs = fake.foreign_stream(0);
    their_tensor tensor = take_late();
    assert_ok(
        jg_array_to_managed_for(tensor.array, JG_COPY_NEVER, (int64_t)(intptr_t)theirs, &out));
    assert_ok(cuda_enter(here, NULL));
    assert_int_equal(CUDA_CALL_OF(cuda_of(here), fetch, got,
                                  (uint64_t)(uintptr_t)out->dl_tensor.data, NBYTES, theirs),
                     0);
    assert_int_equal(CUDA_CALL_OF(cuda_of(here), stream_wait, theirs), 0);
    cuda_leave();
    for (int i = 0; i < COUNT; ++i)
        assert_true((double)got[i] == WRITTEN);
    out->deleter(out);
    give_back(&tensor);
    fake.end_stream(theirs);
}

/* The order is asked for again by what the queue is given next. */
TEST(a_failure_to_order_is_told_and_tried_again)
{
    static const char *const functions[] = {"event_record", "stream_wait_event"};
    for (int i = 0; i < 2; ++i) {
        their_tensor tensor = take_late();
        jg_array *y;
        assert_ok(jg_add(tensor.array, tensor.array, &y));
        fake.fail_next(functions[i], 0, 1);
        assert_fails(JG_ERR_DEVICE, jg_eval(1, &y));
        check_twice(tensor.array);
        jg_array_release(y);
        give_back(&tensor);
    }
}

BEFORE_ALL(open_fake)
