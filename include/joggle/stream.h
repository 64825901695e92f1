/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and events: on which device and in which order work is done.
 *
 * A stream is a queue of a device, with a thread of its own. Work on one stream runs in order;
 * different streams run in parallel. Each op belongs to the stream that was the calling thread's
 * default when it was built; where a graph crosses from one stream to another, events order the
 * work. Evaluation that waits, and small work, runs on the caller's thread while the stream is
 * idle. */
#ifndef JOGGLE_STREAM_H
#define JOGGLE_STREAM_H

#include <joggle/device.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jg_stream jg_stream;
typedef struct jg_event jg_event;

/* A new stream on the device. Its thread starts with the first work that is queued.
 * gives: *out, +1 | raises: DEVICE, NOMEM, UNSUPPORTED for more than 1024 | waits: never */
JG_API JG_CHECKED jg_status jg_stream_new(jg_device_id device, jg_stream **out);

/* One reference more. gives: stream itself | raises: never | waits: never */
JG_API jg_stream *jg_stream_retain(jg_stream *stream);

/* One reference less. Work that was built for the stream still runs; once idle, a later
 * jg_stream_new may give the stream out again. NULL is fine. raises: never | waits: never */
JG_API void jg_stream_release(jg_stream *stream);

/* The device that the stream computes on, and its number among all streams. raises: never */
JG_API jg_device_id jg_stream_device(const jg_stream *stream);
JG_API int jg_stream_index(const jg_stream *stream); /* 0 is the one that threads start with */

/* The stream of ops that this thread builds for the device; threads start with stream 0 for the
 * CPU, and with one stream that they share for each other device. gives: *out, +1 | raises:
 * DEVICE, NOMEM | waits: never */
JG_API JG_CHECKED jg_status jg_stream_default(jg_device_id device, jg_stream **out);

/* Sets the stream of the ops that this thread builds for the stream's device from now on.
 * keeps: nothing, so the caller holds the stream meanwhile | raises: never | waits: never */
JG_API void jg_stream_set_default(jg_stream *stream);

/* Streams of a device's driver. Libraries name them to each other by numbers, as the Array API's
 * __dlpack__ does. For CUDA 1 is the legacy default stream, 2 is the thread's default stream, and
 * any other number is a CUstream. */

#define JG_STREAM_DEFAULT INT64_MIN       /* no number: the driver's default stream */
#define JG_STREAM_UNORDERED (-1)          /* the other side has seen to the order, or needs none */
#define JG_STREAM_UNKNOWN (INT64_MIN + 1) /* of jg_kernel_loan: there may be one to order */

/* Whether the device has such streams. raises: never | waits: as jg_device_is_available */
JG_API bool jg_device_has_streams(jg_device_id device);

/* The number of the driver's stream that this stream runs on. Another library can order its own
 * work with it.
 * gives: *out | raises: UNSUPPORTED on a device without such streams, DEVICE, NOMEM | waits:
 * never */
JG_API JG_CHECKED jg_status jg_stream_number(jg_stream *stream, int64_t *out);

/* A stream that runs on the stream of another library. If that stream is adopted twice, both calls
 * give one jg_stream.
 * keeps: the other library's stream, so that stream must exist as long as work on this one | gives:
 * *out, +1
 * raises: UNSUPPORTED, DEVICE, NOMEM; VALUE, BUFFER for a number that is none | waits: never */
JG_API JG_CHECKED jg_status jg_stream_adopt(jg_device_id device, int64_t number, jg_stream **out);

/* Work that joggle starts on the device from now on runs after the work that is queued on that
 * stream now. Call this before joggle reads memory that another library computes on the stream. The
 * host does not wait. Does nothing for JG_STREAM_UNORDERED, on any device.
 * raises: UNSUPPORTED, DEVICE, NOMEM, BUFFER for a number that is none | waits: never */
JG_API JG_CHECKED jg_status jg_stream_follow(jg_device_id device, int64_t number);

/* Waits, like jg_synchronize, until all work that was queued on the stream before the call has run.
 * raises: INTERRUPTED | waits: yes */
JG_API jg_status jg_stream_synchronize(jg_stream *stream);

/* An event in the stream: it happens when all work that was queued before has run.
 * gives: *out, +1 | raises: NOMEM | waits: never */
JG_API JG_CHECKED jg_status jg_stream_record(jg_stream *stream, jg_event **out);

/* Work that is queued on the stream from now on runs after the event.
 * keeps: event | raises: NOMEM | waits: never */
JG_API JG_CHECKED jg_status jg_stream_wait_event(jg_stream *stream, jg_event *event);

/* An event that happens when jg_event_set is called, for work that joggle does not know of.
 * gives: *out, +1 | raises: NOMEM | waits: never */
JG_API JG_CHECKED jg_status jg_event_new(jg_event **out);
JG_API void jg_event_set(jg_event *event); /* once. raises: never | waits: never */

/* One reference more; one less. gives: event itself | raises: never | waits: never */
JG_API jg_event *jg_event_retain(jg_event *event);
JG_API void jg_event_release(jg_event *event); /* NULL is fine */
/* Whether the event has happened, or failed. raises: never | waits: never */
JG_API bool jg_event_is_set(const jg_event *event);

/* Waits on the calling thread. raises: the failure that the event carries, if any, and
 * INTERRUPTED | waits: yes */
JG_API JG_CHECKED jg_status jg_event_wait(jg_event *event);

#ifdef __cplusplus
}
#endif
#endif
