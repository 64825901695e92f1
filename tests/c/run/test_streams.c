/* SPDX-License-Identifier: Apache-2.0 */
/* Several streams: they run side by side, and events order what crosses from one to another. A gate
 * holds a stream up; were the streams one queue, what is evaluated meanwhile would never end. */
#include "../arrays.h"

enum { LARGE = 1 << 18 };

typedef struct gated {
    jg_stream *streams[3];
    jg_event *gate; /* streams[0] waits for it */
} gated;

static void set_up(gated *own)
{
    for (int i = 0; i < 3; ++i)
        assert_ok(jg_stream_new(jg_device_default(), &own->streams[i]));
    assert_ok(jg_event_new(&own->gate));
    assert_ok(jg_stream_wait_event(own->streams[0], own->gate));
}

static void tear_down(gated *own)
{
    jg_synchronize();
    for (int i = 0; i < 3; ++i)
        jg_stream_release(own->streams[i]);
    jg_event_release(own->gate);
}

/* 2 x, built for the stream; x's reference goes with it. */
static jg_array *doubled_on(jg_stream *stream, jg_array *x)
{
    jg_array *out;
    jg_stream *before;
    assert_ok(jg_stream_default(jg_device_default(), &before));
    jg_stream_set_default(stream);
    assert_ok(jg_add(x, x, &out));
    jg_stream_set_default(before);
    jg_stream_release(before);
    jg_array_release(x);
    return out;
}

TEST(a_stream_goes_on_while_another_is_held_up)
{
    gated own;
    set_up(&own);
    jg_array *held = doubled_on(own.streams[0], ones(LARGE)),
             *small = doubled_on(own.streams[0], ones(4)),
             *free_one = doubled_on(own.streams[1], ones(LARGE));
    assert_ok(jg_eval_async(1, &held));
    assert_ok(jg_eval_async(1, &small));
    assert_ok(jg_eval_async(1, &free_one));
    jg_stream_synchronize(own.streams[1]);
    assert_int_equal(jg_array_current_state(free_one), JG_ARRAY_AVAILABLE);
    assert_int_equal(jg_array_current_state(held), JG_ARRAY_SCHEDULED);
    assert_int_equal(jg_array_current_state(small),
                     JG_ARRAY_SCHEDULED); /* its stream is not idle */
    jg_event_set(own.gate);
    assert_all(held, 2);
    assert_all(small, 2);
    release_all(3, (jg_array *[]){held, small, free_one});
    tear_down(&own);
}

TEST(what_crosses_streams_waits_for_its_inputs_alone)
{
    gated own;
    set_up(&own);
    jg_array *held = doubled_on(own.streams[0], ones(LARGE)), *sum, *total;
    jg_array *crossing = doubled_on(own.streams[1], jg_array_retain(held)),
             *beside = doubled_on(own.streams[2], ones(LARGE));
    assert_ok(jg_eval_async(1, &crossing));
    assert_int_equal(jg_array_current_state(crossing), JG_ARRAY_SCHEDULED);
    assert_int_equal(jg_array_current_state(held),
                     JG_ARRAY_SCHEDULED); /* it is read on another stream */
    assert_all(beside, 2);
    assert_ok(jg_add(crossing, beside, &sum));
    assert_ok(jg_add(sum, held, &total));
    jg_event_set(own.gate);
    assert_all(total, 4 + 2 + 2);
    release_all(5, (jg_array *[]){held, crossing, beside, sum, total});
    tear_down(&own);
}

/* Each stream waits for what the other does after it: only side by side does this end. */
TEST(two_streams_can_wait_for_each_other_in_turns)
{
    gated own;
    set_up(&own);
    jg_event *first, *second;
    jg_stream *a = own.streams[1], *b = own.streams[2];
    assert_ok(jg_stream_wait_event(a, own.gate));
    assert_ok(jg_stream_record(a, &first));
    assert_ok(jg_stream_wait_event(b, first));
    assert_ok(jg_stream_record(b, &second));
    assert_ok(jg_stream_wait_event(a, second));
    jg_array *x = doubled_on(a, ones(LARGE));
    assert_ok(jg_eval_async(1, &x));
    assert_false(jg_event_is_set(second));
    jg_event_set(own.gate);
    assert_ok(jg_event_wait(second));
    assert_true(jg_event_is_set(first));
    assert_all(x, 2);
    jg_array_release(x);
    jg_event_release(first);
    jg_event_release(second);
    tear_down(&own);
}

/* A stream per node, so that every edge crosses. */
TEST(a_chain_may_change_streams_at_every_step)
{
    gated own;
    set_up(&own);
    jg_event_set(own.gate);
    jg_array *x = ones(LARGE / 4), *small = ones(3), *half;
    for (int i = 0; i < 12; ++i)
        x = doubled_on(own.streams[i % 3], x);
    jg_array *scale = jg_array_retain(small);
    assert_ok(jg_array_from_number(float_number(0.5), small, &half));
    for (int i = 0; i < 3000; ++i) {
        jg_array *next;
        scale = doubled_on(own.streams[i % 3], scale);
        assert_ok(jg_multiply(scale, half, &next));
        replace(&scale, next);
    }
    assert_ok(jg_eval(2, (jg_array *[]){x, scale}));
    assert_all(x, 4096);
    assert_elements(scale, 1, 1, 1);
    release_all(4, (jg_array *[]){x, scale, small, half});
    tear_down(&own);
}

TEST(views_and_shared_nodes_cross_streams)
{
    gated own;
    set_up(&own);
    jg_event_set(own.gate);
    jg_array *base = doubled_on(own.streams[0], ones(64)), *corner, *sums[3];
    assert_ok(jg_slice(base, ITEMS(FROM_TO(60, 64)), &corner));
    for (int i = 0; i < 3; ++i)
        sums[i] = doubled_on(own.streams[i], jg_array_retain(corner));
    assert_ok(jg_eval(3, sums));
    for (int i = 0; i < 3; ++i)
        assert_elements(sums[i], 4, 4, 4, 4);
    release_all(5, (jg_array *[]){base, corner, sums[0], sums[1], sums[2]});
    tear_down(&own);
}

static void *current_index(void *context)
{
    jg_stream *stream;
    *(int *)context =
        jg_stream_default(jg_device_default(), &stream) == JG_OK ? jg_stream_index(stream) : -1;
    return NULL;
}

TEST(the_default_stream_is_the_threads_own)
{
    gated own;
    jg_stream *zero;
    int other = -1;
    set_up(&own);
    assert_ok(jg_stream_default(jg_device_default(), &zero));
    jg_stream_set_default(own.streams[1]);
    run_threads(1, current_index, &other, sizeof other);
    assert_int_equal(other, 0);
    current_index(&other);
    assert_int_equal(other, jg_stream_index(own.streams[1]));
    jg_stream_set_default(zero);
    jg_stream_release(zero);
    jg_event_set(own.gate);
    tear_down(&own);
}

TEST(a_stream_that_is_released_is_given_out_again)
{
    jg_stream *stream;
    for (int i = 0; i < 5000; ++i) {
        assert_ok(jg_stream_new(jg_device_default(), &stream));
        jg_stream_release(stream);
    }
    assert_ok(jg_stream_new(jg_device_default(), &stream));
    jg_array *x = doubled_on(stream, ones(2));
    jg_stream_release(stream); /* the node still knows where it belongs */
    assert_elements(x, 2, 2);
    jg_array_release(x);
    assert_fails(JG_ERR_DEVICE, jg_stream_new((jg_device_id){JG_DEVICE_VPI, 0}, &stream));
}
