/* SPDX-License-Identifier: Apache-2.0 */
/* The order of joggle's work with that of another library on streams of one driver: what comes in
 * is read after it was written, what goes out is ready for the stream that was named, memory is
 * reused only once nobody reads it; and the host waits for none of it. */
#include "fake_driver.h"

#include "../arrays.h"
#include "memory/memory.h"
#include "stream/stream.h"
#include <stdio.h>

enum { COUNT = 64, NBYTES = COUNT * 4 };

/* Bytes 0x40 throughout, as float32. */
#define WRITTEN 3.0039215087890625

static jg_device *here;
static void *theirs; /* another library's stream */

static int open_fake(void **state)
{
    (void)state;
    fake_open();
    assert_ok(device_require(CUDA_0, &here));
    theirs = fake.foreign_stream(0);
    return 0;
}

static int close_fake(void **state)
{
    (void)state;
    fake.end_stream(theirs);
    return 0;
}

static int64_t number_of(const void *stream)
{
    return (int64_t)(intptr_t)stream;
}

/* A block of theirs, and a view of it from a byte on. */
static jg_view their_view(void **block, size_t from)
{
    jg_view view;
    assert_ok(device_alloc(here, NBYTES + from, block));
    assert_ok(jg_view_init(&view, (char *)*block + from, CUDA_0, JG_DTYPE_FLOAT32, 1, SHAPE(COUNT),
                           NULL, 0));
    return view;
}

static jg_array *take(const jg_view *view)
{
    jg_array *x;
    assert_ok(jg_array_take_view(view, JG_COPY_NEVER, NULL, NULL, &x));
    return x;
}

/* x + x, evaluated on the device. */
static jg_array *twice(jg_array *x)
{
    jg_array *y;
    assert_ok(jg_add(x, x, &y));
    return y;
}

/* What their stream reads of the tensor, behind what it was given so far. */
static void read_on_theirs(void *stream, const DLTensor *tensor, void *to)
{
    assert_ok(cuda_enter(here, NULL));
    assert_int_equal(
        CUDA_CALL_OF(cuda_of(here), fetch, to, (uint64_t)(uintptr_t)tensor->data, NBYTES, stream),
        0);
    cuda_leave();
}

static void finish(void *stream)
{
    assert_ok(cuda_enter(here, NULL));
    assert_int_equal(CUDA_CALL_OF(cuda_of(here), stream_wait, stream), 0);
    cuda_leave();
}

TEST(what_comes_in_is_read_after_it_was_written)
{
    void *block;
    jg_view view = their_view(&block, 0);
    fake.write_late(0, theirs, block, NBYTES, 0x40, 20000);
    int waits = fake_counts().own_waits;
    assert_ok(jg_stream_follow(CUDA_0, number_of(theirs)));
    jg_array *x = take(&view), *y = twice(x);
    assert_ok(jg_eval_async(1, &y));
    assert_int_equal(fake_counts().own_waits, waits);
    assert_all(y, 2 * WRITTEN);
    jg_array_release(x);
    jg_array_release(y);
    device_free(here, block, NBYTES);
}

TEST(all_streams_follow_and_so_do_later_ones)
{
    void *block;
    jg_view view = their_view(&block, 0);
    jg_stream *before, *home, *later;
    assert_ok(jg_stream_default(CUDA_0, &home));
    assert_ok(jg_stream_new(CUDA_0, &before));
    int64_t number;
    assert_ok(jg_stream_number(before, &number));
    fake.write_late(0, theirs, block, NBYTES, 0x40, 20000);
    assert_ok(jg_stream_follow(CUDA_0, number_of(theirs)));
    assert_ok(jg_stream_new(CUDA_0, &later));
    jg_stream *const streams[] = {before, later};
    jg_array *x = take(&view);
    for (int i = 0; i < 2; ++i) {
        jg_stream_set_default(streams[i]);
        jg_array *y = twice(x);
        assert_all(y, 2 * WRITTEN);
        jg_array_release(y);
    }
    jg_stream_set_default(home);
    jg_array_release(x);
    jg_stream_release(before);
    jg_stream_release(later);
    jg_stream_release(home);
    device_free(here, block, NBYTES);
}

/* Addresses that are multiples of no vector. */
TEST(a_tensor_may_begin_anywhere_in_its_block)
{
    for (size_t from = 4; from < 20; from += 4) {
        void *block;
        jg_view view = their_view(&block, from);
        fake.write_late(0, theirs, (char *)block + from, NBYTES, 0x40, 0);
        assert_ok(jg_stream_follow(CUDA_0, number_of(theirs)));
        jg_array *x = take(&view), *y = twice(x);
        DLManagedTensorVersioned *out;
        assert_all(y, 2 * WRITTEN);
        assert_ok(jg_array_to_managed_for(x, JG_COPY_NEVER, number_of(theirs), &out));
        assert_ptr_equal(out->dl_tensor.data, (char *)block + from);
        assert_int_equal(out->dl_tensor.byte_offset, 0);
        out->deleter(out);
        jg_array_release(x);
        jg_array_release(y);
        device_free(here, block, NBYTES + from);
    }
}

/* Fours on the here, not evaluated. */
static jg_array *fours(void)
{
    jg_array *x, *y;
    assert_ok(jg_full(JG_DTYPE_FLOAT32, SHAPE(COUNT), float_number(2), &x));
    assert_ok(jg_to_device(x, CUDA_0, &y));
    jg_array_release(x);
    jg_array *z = twice(y);
    jg_array_release(y);
    return z;
}

TEST(pinned_and_managed_memory_is_read_when_the_device_has_written_it)
{
    const int32_t types[] = {JG_DEVICE_CUDA_HOST, JG_DEVICE_CUDA_MANAGED};
    for (int i = 0; i < 2; ++i) {
        jg_view view;
        float *block = calloc(COUNT, sizeof *block);
        assert_ok(jg_view_init(&view, block, (jg_device_id){types[i], 0}, JG_DTYPE_FLOAT32, 1,
                               SHAPE(COUNT), NULL, 0));
        fake.write_late(0, theirs, block, NBYTES, 0x40, 20000);
        jg_array *x = take(&view);
        assert_all(x, WRITTEN);
        jg_array_release(x);
        free(block);
    }
}

/* Neither evaluated here nor complete: their second stream comes after the first all the same. */
TEST(what_came_in_goes_out_in_order)
{
    void *block, *second = fake.foreign_stream(0);
    float got[COUNT] = {0};
    jg_view view = their_view(&block, 0);
    DLManagedTensorVersioned *out;
    for (int i = 0; i < 2; ++i) {
        fake.write_late(0, theirs, block, NBYTES, 0x40 + i, 20000);
        assert_ok(jg_stream_follow(CUDA_0, number_of(theirs)));
        jg_array *x = take(&view);
        if (i == 0) {
            assert_ok(jg_array_to_managed_for(x, JG_COPY_NEVER, number_of(second), &out));
            read_on_theirs(second, &out->dl_tensor, got);
            finish(second);
        } else { /* ready for the host */
            assert_ok(jg_array_to_managed(x, JG_COPY_NEVER, &out));
            memcpy(got, out->dl_tensor.data, NBYTES);
        }
        for (int j = 0; j < NBYTES; ++j)
            assert_int_equal(((char *)got)[j], 0x40 + i);
        out->deleter(out);
        jg_array_release(x);
    }
    fake.end_stream(second);
    device_free(here, block, NBYTES);
}

/* Our own stream is held meanwhile, so a call that waited for it would not return. */
TEST(what_goes_out_is_ready_for_the_stream_that_was_named)
{
    void *const streams[] = {theirs, (void *)1, (void *)2};
    const int64_t numbers[] = {number_of(theirs), JG_STREAM_DEFAULT, 2};
    jg_stream *home;
    int64_t own;
    assert_ok(jg_stream_default(CUDA_0, &home));
    assert_ok(jg_stream_number(home, &own));
    for (int i = 0; i < 3; ++i) {
        DLManagedTensorVersioned *out;
        float got[COUNT] = {0};
        jg_array *x = fours();
        fake.hold(0, (void *)(intptr_t)own, 1);
        assert_ok(jg_array_to_managed_for(x, JG_COPY_IF_NEEDED, numbers[i], &out));
        read_on_theirs(streams[i], &out->dl_tensor, got);
        assert_true(got[0] == 0);
        fake.hold(0, (void *)(intptr_t)own, 0);
        finish(streams[i]);
        for (int j = 0; j < COUNT; ++j)
            assert_true(got[j] == 4);
        out->deleter(out);
        jg_array_release(x);
    }
    jg_stream_release(home);
}

TEST(without_a_stream_the_memory_is_ready_for_the_host)
{
    DLManagedTensorVersioned *out;
    jg_array *x = fours();
    assert_ok(jg_array_to_managed(x, JG_COPY_IF_NEEDED, &out));
    assert_true(jg_array_current_state(x) == JG_ARRAY_AVAILABLE);
    assert_true(((float *)out->dl_tensor.data)[COUNT - 1] == 4);
    out->deleter(out);
    jg_array_release(x);
}

TEST(a_legacy_tensor_is_ordered_as_well)
{
    DLManagedTensor *out;
    float got[COUNT] = {0};
    jg_array *x = fours();
    assert_ok(jg_array_to_managed_legacy_for(x, JG_COPY_IF_NEEDED, number_of(theirs), &out));
    read_on_theirs(theirs, &out->dl_tensor, got);
    finish(theirs);
    assert_true(got[0] == 4 && got[COUNT - 1] == 4);
    out->deleter(out);
    jg_array_release(x);
}

TEST(unordered_waits_for_nothing)
{
    DLManagedTensorVersioned *out;
    jg_array *x = fours();
    int waits = fake_counts().stream_waits;
    assert_ok(jg_array_to_managed_for(x, JG_COPY_IF_NEEDED, JG_STREAM_UNORDERED, &out));
    assert_int_equal(fake_counts().stream_waits, waits);
    assert_all(x, 4);
    out->deleter(out);
    jg_array_release(x);
}

TEST(numbers_that_name_no_stream_are_refused)
{
    const int64_t wrong[] = {0, -2, -77};
    DLManagedTensorVersioned *out;
    jg_stream *stream;
    jg_array *x = fours();
    for (size_t i = 0; i < JG_COUNT_OF(wrong); ++i) {
        char text[32];
        snprintf(text, sizeof text, "stream: got %d for cuda:0", (int)wrong[i]);
        assert_fails_saying(JG_ERR_BUFFER, text,
                            jg_array_to_managed_for(x, JG_COPY_IF_NEEDED, wrong[i], &out));
        assert_fails_saying(JG_ERR_BUFFER, text, jg_stream_follow(CUDA_0, wrong[i]));
        assert_fails_saying(JG_ERR_BUFFER, text, jg_stream_adopt(CUDA_0, wrong[i], &stream));
    }
    assert_fails(JG_ERR_VALUE, jg_stream_adopt(CUDA_0, JG_STREAM_UNORDERED, &stream));
    assert_ok(jg_stream_follow(CUDA_0, JG_STREAM_UNORDERED));
    assert_all(x, 4);
    assert_fails(JG_ERR_BUFFER, jg_array_to_managed_for(x, JG_COPY_IF_NEEDED, 0, &out));
    jg_array_release(x);
}

TEST(devices_without_such_streams_say_so)
{
    const jg_device_id cpu = {JG_DEVICE_CPU, 0}, opencl = {JG_DEVICE_OPENCL, 0};
    jg_stream *stream;
    int64_t number;
    assert_true(jg_device_has_streams(CUDA_0));
    assert_false(jg_device_has_streams(cpu) || jg_device_has_streams(opencl));
    assert_fails_saying(JG_ERR_UNSUPPORTED, "cpu:0", jg_stream_follow(cpu, 1));
    assert_fails_saying(JG_ERR_UNSUPPORTED, "opencl:0", jg_stream_adopt(opencl, 1, &stream));
    assert_ok(jg_stream_default(opencl, &stream));
    assert_fails_saying(JG_ERR_UNSUPPORTED, "opencl:0", jg_stream_number(stream, &number));
    jg_stream_release(stream);
}

TEST(an_adopted_stream_is_the_other_librarys_own)
{
    jg_stream *stream, *again, *home;
    int64_t number;
    float got[COUNT];
    assert_ok(jg_stream_default(CUDA_0, &home));
    assert_ok(jg_stream_adopt(CUDA_0, number_of(theirs), &stream));
    assert_ok(jg_stream_adopt(CUDA_0, number_of(theirs), &again));
    assert_ptr_equal(stream, again);
    assert_ok(jg_stream_number(stream, &number));
    assert_int_equal(number, number_of(theirs));
    jg_stream_set_default(stream);
    jg_array *x = fours();
    DLManagedTensorVersioned *out;
    int waits = fake_counts().stream_waits;
    assert_ok(jg_array_to_managed_for(x, JG_COPY_IF_NEEDED, number, &out));
    read_on_theirs(theirs, &out->dl_tensor, got); /* in order, without a wait */
    finish(theirs);
    assert_int_equal(fake_counts().stream_waits, waits);
    assert_true(got[0] == 4 && got[COUNT - 1] == 4);
    jg_stream_set_default(home);
    out->deleter(out);
    jg_array_release(x);
    jg_stream_release(stream);
    jg_stream_release(again);
    jg_stream_release(home);
}

/* Their kernel still reads when their tensor is dropped, and the array with it. */
TEST(memory_that_went_out_is_reused_when_nobody_reads_it)
{
    DLManagedTensorVersioned *out;
    float got[COUNT] = {0};
    jg_array *x = fours();
    assert_ok(jg_array_to_managed_for(x, JG_COPY_IF_NEEDED, number_of(theirs), &out));
    fake.hold(0, theirs, 1);
    void *block = out->dl_tensor.data;
    read_on_theirs(theirs, &out->dl_tensor, got);
    assert_all(x, 4);
    jg_array_release(x);
    out->deleter(out);
    for (int i = 0; i < 8; ++i) {
        jg_array *other = twice(x = fours());
        DLManagedTensorVersioned *next;
        assert_ok(jg_array_to_managed(other, JG_COPY_IF_NEEDED, &next));
        assert_ptr_not_equal(next->dl_tensor.data, block);
        jg_array_release(x);
        jg_array_release(other);
        next->deleter(next);
    }
    fake.hold(0, theirs, 0);
    finish(theirs);
    assert_ok(memory_drain(NULL));
    assert_true(got[0] == 4 && got[COUNT - 1] == 4);
}

TEST(a_failed_array_is_told_at_the_export)
{
    DLManagedTensorVersioned *out;
    jg_array *x = fours();
    fake.fail_next("launch", 0, 999);
    assert_fails_saying(JG_ERR_DEVICE, "cuLaunchKernel",
                        jg_array_to_managed_for(x, JG_COPY_IF_NEEDED, number_of(theirs), &out));
    fake.fail_next(NULL, 0, 0);
    jg_array_release(x);
}

BEFORE_ALL(open_fake)
AFTER_ALL(close_fake)
