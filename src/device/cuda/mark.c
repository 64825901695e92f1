/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of queues and of other libraries' streams, which are events of the driver.
 *
 * The driver tells of a failure late and not of what: so a mark takes over the labels of what its
 * queue was given, for the message.
 *
 * The legacy default stream has no event: a queue that is to wait for it does so before it is given
 * something. So taking a tensor costs no call of the driver, and what the stream was given between
 * the import and the evaluation is waited for as well, as memory that is shared is live. */
#include "device/cuda/cuda.h"

typedef struct cuda_mark {
    void *event;
    cuda_labels labels;
} cuda_mark;

static void take_labels(cuda_queue *queue, cuda_labels *out)
{
    pthread_mutex_lock(&queue->lock);
    *out = queue->labels;
    queue->labels.count = 0;
    pthread_mutex_unlock(&queue->lock);
}

static jg_status new_mark(void *event, void **out)
{
    cuda_mark *mark = base_alloc_zeroed(sizeof *mark);
    if (mark == NULL)
        return base_nomem(sizeof *mark, "a mark of a queue");
    mark->event = event;
    *out = mark;
    return JG_OK;
}

/* The context is current. */
static jg_status record(cuda_device *own, void *stream, void **out)
{
    void *event;
    JG_TRY(cuda_event_record(own, stream, &event));
    jg_status status = new_mark(event, out);
    if (status != JG_OK)
        cuda_event_drop(own, event);
    return status;
}

/* The mark that cuda_stream_mark gives for the legacy default stream of any device. */
static cuda_mark legacy_mark;

jg_status cuda_stream_mark(jg_device *device, void *stream, void **out)
{
    cuda_device *own;
    if (stream == cuda_legacy_stream(cuda_of(device)) && !cuda_is_lost(cuda_of(device))) {
        *out = &legacy_mark;
        return JG_OK;
    }
    JG_TRY(cuda_enter(device, &own));
    jg_status status = record(own, stream, out);
    cuda_leave();
    return status;
}

jg_status cuda_mark_record(jg_device *device, void *opaque, void **out)
{
    cuda_device *own;
    JG_TRY(cuda_enter(device, &own));
    void *stream = ((cuda_queue *)opaque)->stream;
    jg_status status = cuda_queue_catch_up(own, opaque);
    if (status == JG_OK)
        status = record(own, stream, out);
    if (status != JG_OK)
        (void)CUDA_CALL_OF(own, stream_wait, stream);
    cuda_leave();
    JG_TRY(status);
    take_labels(opaque, &((cuda_mark *)*out)->labels);
    return JG_OK;
}

/* A mark that has failed counts as set: mark_wait tells the failure. After a fork no mark is waited
 * for. */
bool cuda_mark_is_set(jg_device *device, void *opaque)
{
    cuda_device *own = cuda_of(device);
    if (cuda_is_lost(own) || cuda_enter(device, NULL) != JG_OK)
        return true;
    int error = CUDA_CALL_OF(own, event_query, ((cuda_mark *)opaque)->event);
    cuda_leave();
    return error != CUDA_NOT_READY;
}

/* "[exp] " of one label, "[one of exp, sum] " of more. */
static void write_labels(const cuda_labels *labels, base_text *out)
{
    int count = int_min(labels->count, CUDA_MAX_LABELS);
    for (int i = 0; i < count; ++i)
        text_add(out, "%s%s",
                 i > 0               ? ", "
                 : labels->count > 1 ? "[one of "
                                     : "[",
                 labels->first[i] != NULL ? labels->first[i] : "a wait");
    if (count > 0)
        text_add(out, "%s] ", labels->count > count ? " and others" : "");
}

static jg_status fail_mark(const cuda_device *device, const cuda_mark *mark, int error)
{
    base_text text = {0};
    char *labels = NULL;
    write_labels(&mark->labels, &text);
    if (text_finish(&text, &labels) != JG_OK)
        labels = NULL;
    text_clear(&text);
    jg_status status =
        base_fail(error == CUDA_NO_MEMORY ? JG_ERR_NOMEM : JG_ERR_DEVICE,
                  "%s%s:%d: a command ended with %s (%d); the device is lost to this process",
                  labels != NULL ? labels : "", device->base.ops->name, (int)device->base.id.id,
                  cuda_error_name(device->driver, error), error);
    base_free(labels);
    return status;
}

jg_status cuda_mark_wait(jg_device *device, void *opaque)
{
    const cuda_mark *mark = opaque;
    cuda_device *own;
    JG_TRY(cuda_enter(device, &own));
    int error = CUDA_CALL_OF(own, event_wait, mark->event);
    cuda_leave();
    return error == 0 ? JG_OK : fail_mark(own, mark, error);
}

void cuda_mark_free(jg_device *device, void *opaque)
{
    cuda_mark *mark = opaque;
    cuda_device *own;
    if (mark == &legacy_mark)
        return;
    if (!cuda_is_lost(cuda_of(device)) && cuda_enter(device, &own) == JG_OK) {
        cuda_event_drop(own, mark->event);
        cuda_leave();
    }
    base_free(mark);
}

jg_status cuda_queue_wait(jg_device *device, void *opaque, void *mark)
{
    cuda_queue *queue = opaque;
    cuda_device *own;
    if (mark == &legacy_mark) {
        atomic_fetch_add_explicit(&queue->asked, 1, memory_order_release);
        return JG_OK;
    }
    JG_TRY(cuda_enter(device, &own));
    jg_status status =
        CUDA_DO(own, stream_wait_event, queue->stream, ((cuda_mark *)mark)->event, 0);
    cuda_leave();
    return status;
}
