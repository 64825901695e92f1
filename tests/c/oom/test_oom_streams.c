/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events, devices and buffers that change hands while every allocation fails once. */
#include "../opaque_device.h"
#include "attempts.h"

/* x + x on the stream. */
static jg_status add_on(jg_stream *stream, jg_array *x, jg_array **out)
{
    jg_stream_set_default(stream);
    return jg_add(x, x, out);
}

SCENARIO(cross_streams)
{
    jg_stream *streams[2] = {NULL, NULL};
    jg_array *a = NULL, *b = NULL, *c = NULL, *d = NULL;
    jg_status status;
    for (int i = 0; i < 2; ++i)
        JG_TRY_DONE(jg_stream_new(jg_device_default(), &streams[i]));
    JG_TRY_DONE(array_of(size, &a));
    JG_TRY_DONE(add_on(streams[0], a, &b));
    JG_TRY_DONE(add_on(streams[1], b, &c));
    JG_TRY_DONE(add_on(streams[0], c, &d));
    JG_TRY_DONE(jg_eval(2, (jg_array *[]){d, b}));
done:
    jg_synchronize();
    release_all(4, (jg_array *[]){a, b, c, d});
    for (int i = 0; i < 2; ++i)
        jg_stream_release(streams[i]);
    return status;
}

SCENARIO(order_streams)
{
    jg_stream *stream = NULL;
    jg_event *gate = NULL, *reached = NULL;
    jg_status status;
    (void)size;
    JG_TRY_DONE(jg_stream_new(jg_device_default(), &stream));
    JG_TRY_DONE(jg_event_new(&gate));
    JG_TRY_DONE(jg_stream_wait_event(stream, gate));
    JG_TRY_DONE(jg_stream_record(stream, &reached));
done:
    if (gate != NULL)
        jg_event_set(gate);
    if (stream != NULL)
        jg_stream_synchronize(stream);
    jg_event_release(gate);
    jg_event_release(reached);
    jg_stream_release(stream);
    return status;
}

SCENARIO(pass_a_buffer_on)
{
    jg_array *x = NULL, *next;
    jg_status status;
    JG_TRY_DONE(array_of(size * 1000, &x));
    for (int i = 0; i < 3; ++i) {
        JG_TRY_DONE(jg_add(x, x, &next));
        replace(&x, next);
        JG_TRY_DONE(jg_eval(1, &x));
    }
done:
    jg_array_release(x);
    return status;
}

/* To the device, an op and a routine there, and back; a leaf that is no run of elements. */
SCENARIO(use_a_device)
{
    jg_array *a = NULL, *moved = NULL, *turned = NULL, *b = NULL, *c = NULL, *back = NULL;
    const int64_t axis = 0;
    jg_status status;
    JG_TRY_DONE(array_of(size, &a));
    JG_TRY_DONE(jg_to_device(a, OPAQUE, &moved));
    JG_TRY_DONE(jg_eval(1, &moved));
    JG_TRY_DONE(jg_flip(moved, 1, &axis, &turned));
    JG_TRY_DONE(jg_add(turned, moved, &b));
    JG_TRY_DONE(jg_sort(b, &axis, false, true, &c));
    JG_TRY_DONE(jg_to_device(c, jg_device_default(), &back));
    JG_TRY_DONE(jg_eval(2, (jg_array *[]){back, b}));
done:
    jg_synchronize();
    release_all(6, (jg_array *[]){a, moved, turned, b, c, back});
    return status;
}

SCENARIO(set_limits)
{
    size_t previous;
    JG_TRY(jg_set_cache_limit(((size_t)1 << 20) + (size_t)size, &previous)); /* kept as a text */
    return jg_set_cache_limit(previous, NULL);
}

static int take_one_thread(void **state)
{
    (void)state;
    opaque_register();
    return jg_option_set("num_threads", "1") == JG_OK ? 0 : -1;
}
BEFORE_ALL(take_one_thread)
