/* SPDX-License-Identifier: Apache-2.0 */
/* Queues in order, and marks.
 *
 * A mark is the commands since the mark before, and the event of the last of them, as a queue in
 * order runs them all before that one; where there are none it is that of a marker. A marker behind
 * each command would cost PoCL another round of its threads. A failed event has a negative status.
 * Recording a mark flushes the queue, so a wait for a mark never waits for commands that were not
 * submitted. */
#include "device/opencl/opencl.h"
#include <sched.h>

enum { LOOKS = 100 }; /* at an event, before a thread sleeps */

typedef struct opencl_mark {
    void *event; /* the last command's or, where is_marker, the mark's own */
    bool is_marker;
    bool is_narrow; /* the device's processors are not all taken */
    size_t ncommands;
    opencl_command commands[];
} opencl_mark;

/* 0 when the command has run, below 0 when it has failed. */
static int status_of(void *event)
{
    int status = 1;
    int error = opencl.event_info(event, OPENCL_EVENT_STATUS, sizeof status, &status, NULL);
    return error != 0 ? error : status;
}

static void release_all(size_t count, const opencl_command *commands)
{
    for (size_t i = 0; i < count; ++i)
        opencl.event_release(commands[i].event);
}

static opencl_command *commands_of(const opencl_queue *queue, size_t *count)
{
    *count = queue->commands.nbytes / sizeof(opencl_command);
    return (opencl_command *)(void *)queue->commands.data;
}

/* Forgets commands that have run, and failures but the first. */
static void forget_past(opencl_queue *queue)
{
    size_t count, kept = 0;
    opencl_command *commands = commands_of(queue, &count);
    bool failed = false;
    for (size_t i = 0; i < count; ++i) {
        int status = status_of(commands[i].event);
        if (status == 0 || (status < 0 && failed))
            opencl.event_release(commands[i].event);
        else
            commands[kept++] = commands[i];
        failed = failed || status < 0;
    }
    queue->commands.nbytes = kept * sizeof *commands;
}

jg_status opencl_queue_begin(opencl_queue *queue, int count)
{
    size_t nbytes = (size_t)count * sizeof(opencl_command);
    pthread_mutex_lock(&queue->lock);
    if (nbytes > queue->commands.capacity - queue->commands.nbytes)
        forget_past(queue);
    jg_status status = vec_reserve(&queue->commands, nbytes);
    if (status != JG_OK)
        pthread_mutex_unlock(&queue->lock);
    return status;
}

void opencl_queue_keep(opencl_queue *queue, void *event, const char *label)
{
    const opencl_command command = {event, label};
    memcpy(queue->commands.data + queue->commands.nbytes, &command, sizeof command);
    queue->commands.nbytes += sizeof command;
}

void opencl_queue_end(opencl_queue *queue)
{
    pthread_mutex_unlock(&queue->lock);
}

jg_status opencl_queue_new(jg_device *device, void **out)
{
    opencl_device *own;
    int error = 0;
    JG_TRY(opencl_open(device, &own));
    opencl_queue *queue = base_alloc_zeroed(sizeof *queue);
    if (queue == NULL)
        return base_nomem(sizeof *queue, "a queue");
    queue->queue = opencl.queue_new(own->context, own->id, 0, &error);
    if (queue->queue == NULL) {
        base_free(queue);
        return opencl_fail(device, "clCreateCommandQueue", error);
    }
    pthread_mutex_init(&queue->lock, NULL);
    *out = queue;
    return JG_OK;
}

void opencl_queue_free(jg_device *device, void *opaque)
{
    opencl_queue *queue = opaque;
    size_t count;
    const opencl_command *commands = commands_of(queue, &count);
    (void)device;
    if (!opencl_is_lost()) {
        opencl.finish(queue->queue);
        release_all(count, commands);
        opencl.queue_release(queue->queue);
    }
    vec_clear(&queue->commands);
    pthread_mutex_destroy(&queue->lock);
    base_free(queue);
}

/* A failure of the mark is one of this queue, too. */
jg_status opencl_queue_wait(jg_device *device, void *opaque, void *mark)
{
    opencl_queue *queue = opaque;
    void *event = NULL;
    JG_TRY(opencl_check(device));
    JG_TRY(opencl_queue_begin(queue, 1));
    int error = opencl.barrier(queue->queue, 1, &((opencl_mark *)mark)->event, &event);
    if (error == 0)
        opencl_queue_keep(queue, event, NULL);
    opencl_queue_end(queue);
    return opencl_call(device, "clEnqueueBarrierWithWaitList", error);
}

/* gives: mark->event, of what the queue was given last */
static jg_status find_event(jg_device *device, opencl_queue *queue, opencl_mark *mark)
{
    const opencl_command *commands = commands_of(queue, &mark->ncommands);
    mark->is_marker = mark->ncommands == 0;
    if (mark->is_marker)
        return opencl_call(device, "clEnqueueMarkerWithWaitList",
                           opencl.marker(queue->queue, 0, NULL, &mark->event));
    mark->event = commands[mark->ncommands - 1].event;
    return JG_OK;
}

/* The lock is held. gives: mark->event; the commands are the mark's then */
static jg_status record(jg_device *device, opencl_queue *queue, opencl_mark *mark)
{
    JG_TRY(find_event(device, queue, mark));
    int error = opencl.flush(queue->queue);
    if (error != 0) {
        if (mark->is_marker)
            opencl.event_release(mark->event);
        return opencl_fail(device, "clFlush", error);
    }
    if (mark->ncommands > 0)
        memcpy(mark->commands, queue->commands.data, queue->commands.nbytes);
    queue->commands.nbytes = 0;
    mark->is_narrow =
        device->facts->shape == DEVICE_LANES && queue->widest < device->facts->compute_units;
    queue->widest = 0;
    return JG_OK;
}

jg_status opencl_mark_record(jg_device *device, void *opaque, void **out)
{
    opencl_queue *queue = opaque;
    JG_TRY(opencl_check(device));
    JG_TRY(opencl_queue_begin(queue, 0));
    size_t nbytes = sizeof(opencl_mark) + queue->commands.nbytes;
    opencl_mark *mark = base_alloc(nbytes);
    jg_status status =
        mark != NULL ? record(device, queue, mark) : base_nomem(nbytes, "a mark of a queue");
    if (status != JG_OK)
        (void)opencl.finish(queue->queue);
    opencl_queue_end(queue);
    if (status == JG_OK)
        *out = mark;
    else
        base_free(mark);
    return status;
}

/* After a fork no event is waited for, and mark_wait tells why. */
bool opencl_mark_is_set(jg_device *device, void *opaque)
{
    (void)device;
    return opencl_is_lost() || status_of(((opencl_mark *)opaque)->event) <= 0;
}

/* The label is in brackets before it, as in failures of what the host runs. */
static jg_status fail_command(const jg_device *device, const char *label, int error)
{
    bool memory = error == OPENCL_NO_MEMORY || error == OPENCL_NO_HOST_MEMORY;
    return base_fail(
        memory ? JG_ERR_NOMEM : JG_ERR_DEVICE, "%s%s%s%sopencl:%d: a command ended with %s (%d)",
        label != NULL ? "[" : "", label != NULL ? label : "", label != NULL ? "] " : "",
        memory ? "out of memory: " : "", (int)device->id.id, opencl_error_name(error), error);
}

/* For a device that is the host's own processor: a thread that sleeps may take longer to wake than
 * a small kernel to run, and while that runs there is a processor left. */
static void look_for_a_while(void *event)
{
    for (int turn = 0; turn < LOOKS && status_of(event) > 0; ++turn)
        (void)sched_yield();
}

jg_status opencl_mark_wait(jg_device *device, void *opaque)
{
    const opencl_mark *mark = opaque;
    JG_TRY(opencl_check(device));
    if (mark->is_narrow)
        look_for_a_while(mark->event);
    int error = opencl.events_wait(1, &mark->event);
    for (size_t i = 0; i < mark->ncommands; ++i) {
        int status = status_of(mark->commands[i].event);
        if (status < 0)
            return fail_command(device, mark->commands[i].label, status);
    }
    return opencl_call(device, "clWaitForEvents", error);
}

void opencl_mark_free(jg_device *device, void *opaque)
{
    opencl_mark *mark = opaque;
    (void)device;
    if (!opencl_is_lost()) {
        release_all(mark->ncommands, mark->commands);
        if (mark->is_marker)
            opencl.event_release(mark->event);
    }
    base_free(mark);
}
