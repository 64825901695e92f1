/* SPDX-License-Identifier: Apache-2.0 */
/* A device for tests whose memory nobody can reach by address.
 *
 * Its blocks are host memory, but a handle is a number that is no address, and the bytes of a block
 * begin at an offset that only the device knows. Its queues run on threads of their own, each thing
 * a while after it was given, so that who does not wait for a mark reads what is not there yet. New
 * memory holds 0xA5 throughout. */
#ifndef JG_TESTS_OPAQUE_DEVICE_H
#define JG_TESTS_OPAQUE_DEVICE_H

#include "device/device.h"
#include "support.h"
#include <stdlib.h>
#include <unistd.h>

enum { OPAQUE_BLOCKS = 4096, OPAQUE_HIDDEN = 48, OPAQUE_LATE_US = 300 };

typedef struct opaque_block {
    char *memory; /* NULL of a free number */
    size_t nbytes;
} opaque_block;

/* Of one device; the lock guards all of it. */
typedef struct opaque_state {
    pthread_mutex_t lock;
    opaque_block blocks[OPAQUE_BLOCKS];
    size_t live_nbytes, limit;     /* alloc fails beyond the limit */
    int nlive, ncopies, fail_copy; /* fail_copy: the copies that still succeed, -1 for all */
} opaque_state;

typedef struct opaque_mark {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int refs; /* of the holder, of the queue, of queues that wait */
    bool set;
    jg_status status; /* the first failure since the mark before */
} opaque_mark;

typedef enum opaque_kind { OPAQUE_COPY, OPAQUE_SET, OPAQUE_WAIT, OPAQUE_END } opaque_kind;

typedef struct opaque_task {
    struct opaque_task *next;
    opaque_kind kind;
    opaque_mark *mark;
    device_copy copy;
} opaque_task;

typedef struct opaque_queue {
    jg_device *device;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    opaque_task *first, **last;
    jg_status status; /* the thread's alone */
} opaque_queue;

static opaque_state opaque_states[2] = {
    {.lock = PTHREAD_MUTEX_INITIALIZER, .limit = SIZE_MAX, .fail_copy = -1},
    {.lock = PTHREAD_MUTEX_INITIALIZER, .limit = SIZE_MAX, .fail_copy = -1},
};

static inline opaque_state *opaque_state_of(const jg_device *device)
{
    return &opaque_states[device->id.id];
}

/* Numbers that no process has memory at. */
static inline void *opaque_handle(int number)
{
    return (void *)(uintptr_t)(0xf000000000000000u + (uintptr_t)number * 256);
}

/* The block of a handle, which must be live; NULL if it is not. The lock is held. */
static inline opaque_block *opaque_find(opaque_state *state, const void *handle)
{
    uintptr_t number = ((uintptr_t)handle - 0xf000000000000000u) / 256;
    bool live = number < OPAQUE_BLOCKS && opaque_handle((int)number) == handle &&
                state->blocks[number].memory != NULL;
    return live ? &state->blocks[number] : NULL;
}

static jg_status opaque_alloc(jg_device *device, size_t nbytes, void **out)
{
    opaque_state *state = opaque_state_of(device);
    int number = 0;
    jg_status status = JG_OK;
    pthread_mutex_lock(&state->lock);
    while (number < OPAQUE_BLOCKS && state->blocks[number].memory != NULL)
        number += 1;
    if (number == OPAQUE_BLOCKS || state->live_nbytes + nbytes > state->limit) {
        status = base_nomem(nbytes, "an opaque block");
    } else {
        state->blocks[number] = (opaque_block){malloc(nbytes + OPAQUE_HIDDEN), nbytes};
        memset(state->blocks[number].memory, 0xA5, nbytes + OPAQUE_HIDDEN);
        state->live_nbytes += nbytes;
        state->nlive += 1;
        *out = opaque_handle(number);
    }
    pthread_mutex_unlock(&state->lock);
    return status;
}

static void opaque_free(jg_device *device, void *handle, size_t nbytes)
{
    opaque_state *state = opaque_state_of(device);
    pthread_mutex_lock(&state->lock);
    opaque_block *block = opaque_find(state, handle);
    if (block == NULL || block->nbytes != nbytes)
        abort(); /* freed twice, or no handle at all */
    free(block->memory);
    block->memory = NULL;
    state->live_nbytes -= nbytes;
    state->nlive -= 1;
    pthread_mutex_unlock(&state->lock);
}

/* Where a place of the device really is; a failure where it reaches outside. The lock is held. */
static inline jg_status opaque_resolve(opaque_state *state, device_place place, size_t nbytes,
                                       char **out)
{
    opaque_block *block = opaque_find(state, place.handle);
    if (block == NULL || place.offset > block->nbytes || nbytes > block->nbytes - place.offset)
        return base_fail(JG_ERR_DEVICE, "opaque: %p + %llu is no place with %zu bytes",
                         place.handle, (unsigned long long)place.offset, nbytes);
    *out = block->memory + OPAQUE_HIDDEN + place.offset;
    return JG_OK;
}

static inline jg_status opaque_run_copy(jg_device *device, const device_copy *copy)
{
    opaque_state *state = opaque_state_of(device);
    char *to = copy->to.handle, *from = copy->from.handle;
    jg_status status = JG_OK;
    pthread_mutex_lock(&state->lock);
    if (state->fail_copy == 0)
        status = base_fail(JG_ERR_DEVICE, "opaque: a copy was told to fail");
    state->fail_copy -= state->fail_copy > 0;
    state->ncopies += 1;
    if (status == JG_OK && copy->direction != DEVICE_TO_HOST)
        status = opaque_resolve(state, copy->to, copy->nbytes, &to);
    if (status == JG_OK && copy->direction != DEVICE_FROM_HOST)
        status = opaque_resolve(state, copy->from, copy->nbytes, &from);
    if (status == JG_OK)
        memcpy(to, from, copy->nbytes);
    pthread_mutex_unlock(&state->lock);
    return status;
}

static void opaque_mark_free(jg_device *device, void *opaque)
{
    opaque_mark *mark = opaque;
    (void)device;
    pthread_mutex_lock(&mark->lock);
    int left = --mark->refs;
    pthread_mutex_unlock(&mark->lock);
    if (left == 0)
        free(mark);
}

static inline void opaque_set(opaque_mark *mark, jg_status status)
{
    pthread_mutex_lock(&mark->lock);
    mark->set = true;
    mark->status = status;
    pthread_cond_broadcast(&mark->changed);
    pthread_mutex_unlock(&mark->lock);
}

static inline jg_status opaque_await(opaque_mark *mark)
{
    pthread_mutex_lock(&mark->lock);
    while (!mark->set)
        pthread_cond_wait(&mark->changed, &mark->lock);
    jg_status status = mark->status;
    pthread_mutex_unlock(&mark->lock);
    return status;
}

static inline opaque_task *opaque_pop(opaque_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->first == NULL)
        pthread_cond_wait(&queue->changed, &queue->lock);
    opaque_task *task = queue->first;
    queue->first = task->next;
    if (queue->first == NULL)
        queue->last = &queue->first;
    pthread_mutex_unlock(&queue->lock);
    return task;
}

static inline void *opaque_work(void *argument)
{
    opaque_queue *queue = argument;
    for (bool goes_on = true; goes_on;) {
        opaque_task *task = opaque_pop(queue);
        jg_status status = JG_OK;
        usleep(OPAQUE_LATE_US);
        switch (task->kind) {
        case OPAQUE_COPY: status = opaque_run_copy(queue->device, &task->copy); break;
        case OPAQUE_WAIT: status = opaque_await(task->mark); break;
        case OPAQUE_SET:
            opaque_set(task->mark, queue->status);
            queue->status = JG_OK;
            break;
        case OPAQUE_END: goes_on = false; break;
        }
        if (queue->status == JG_OK)
            queue->status = status;
        if (task->mark != NULL)
            opaque_mark_free(queue->device, task->mark);
        free(task);
    }
    return NULL;
}

static inline void opaque_push(opaque_queue *queue, opaque_task task)
{
    opaque_task *copy = malloc(sizeof *copy);
    *copy = task;
    pthread_mutex_lock(&queue->lock);
    *queue->last = copy;
    queue->last = &copy->next;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

static jg_status opaque_queue_new(jg_device *device, void **out)
{
    opaque_queue *queue = calloc(1, sizeof *queue);
    queue->device = device;
    queue->last = &queue->first;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    pthread_create(&queue->thread, NULL, opaque_work, queue);
    *out = queue;
    return JG_OK;
}

static void opaque_queue_free(jg_device *device, void *opaque)
{
    opaque_queue *queue = opaque;
    (void)device;
    opaque_push(queue, (opaque_task){.kind = OPAQUE_END});
    pthread_join(queue->thread, NULL);
    free(queue);
}

static jg_status opaque_queue_wait(jg_device *device, void *queue, void *opaque)
{
    opaque_mark *mark = opaque;
    (void)device;
    pthread_mutex_lock(&mark->lock);
    mark->refs += 1;
    pthread_mutex_unlock(&mark->lock);
    opaque_push(queue, (opaque_task){.kind = OPAQUE_WAIT, .mark = mark});
    return JG_OK;
}

static jg_status opaque_mark_record(jg_device *device, void *queue, void **out)
{
    opaque_mark *mark = calloc(1, sizeof *mark);
    (void)device;
    pthread_mutex_init(&mark->lock, NULL);
    pthread_cond_init(&mark->changed, NULL);
    mark->refs = 2;
    opaque_push(queue, (opaque_task){.kind = OPAQUE_SET, .mark = mark});
    *out = mark;
    return JG_OK;
}

static bool opaque_mark_is_set(jg_device *device, void *opaque)
{
    opaque_mark *mark = opaque;
    (void)device;
    pthread_mutex_lock(&mark->lock);
    bool set = mark->set;
    pthread_mutex_unlock(&mark->lock);
    return set;
}

static jg_status opaque_mark_wait(jg_device *device, void *mark)
{
    jg_status status = opaque_await(mark);
    return status == JG_OK ? JG_OK
                           : base_fail(status, "opaque:%d: a copy has failed", (int)device->id.id);
}

static jg_status opaque_copy(jg_device *device, void *queue, const device_copy *copy)
{
    (void)device;
    opaque_push(queue, (opaque_task){.kind = OPAQUE_COPY, .copy = *copy});
    return JG_OK;
}

static jg_status opaque_adopt(jg_device *device, void *handle, uint64_t nbytes)
{
    opaque_state *state = opaque_state_of(device);
    pthread_mutex_lock(&state->lock);
    opaque_block *block = opaque_find(state, handle);
    size_t found = block != NULL ? block->nbytes : 0;
    pthread_mutex_unlock(&state->lock);
    if (block == NULL)
        return base_fail(JG_ERR_BUFFER, "data: %p is no handle of opaque:%d", handle,
                         (int)device->id.id);
    if (nbytes > found)
        return base_fail(JG_ERR_BUFFER, "data: the tensor needs %llu bytes, the handle has %zu",
                         (unsigned long long)nbytes, found);
    return JG_OK;
}

static const jg_device_ops opaque_ops = {
    .version = DEVICE_OPS_VERSION,
    .name = "opaque",
    .alloc = opaque_alloc,
    .free = opaque_free,
    .queue_new = opaque_queue_new,
    .queue_free = opaque_queue_free,
    .queue_wait = opaque_queue_wait,
    .mark_record = opaque_mark_record,
    .mark_is_set = opaque_mark_is_set,
    .mark_wait = opaque_mark_wait,
    .mark_free = opaque_mark_free,
    .copy = opaque_copy,
    .adopt = opaque_adopt,
};

static jg_device opaque_devices[2] = {
    {.ops = &opaque_ops, .id = {JG_DEVICE_EXT, 0}},
    {.ops = &opaque_ops, .id = {JG_DEVICE_EXT, 1}},
};

#define OPAQUE ((jg_device_id){JG_DEVICE_EXT, 0})
#define OTHER_OPAQUE ((jg_device_id){JG_DEVICE_EXT, 1})

/* Both devices, registered once a process. */
static inline void opaque_register(void)
{
    for (int i = 0; i < 2; ++i)
        assert_ok(device_register(&opaque_devices[i]));
}

#endif
