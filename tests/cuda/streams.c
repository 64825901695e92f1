/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of the fake driver: a thread each, which runs tasks in order, each a while after it was
 * pushed. */
#include "driver.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static fake_queue *all;

void fake_release_pulse(pulse *of)
{
    if (of != NULL && --of->refs == 0)
        free(of);
}

static void free_task(fake_task *task)
{
    fake_release_pulse(task->pulse);
    free(task->arguments);
    free(task);
}

/* With the lock, which is let go while the task is late. gives: the next task to run */
static fake_task *wait_for_task(fake_queue *of)
{
    while (of->first == NULL || of->held)
        pthread_cond_wait(&fake_changed, &fake_lock);
    int late = of->first->kind == TASK_END ? 0 : fake_late + of->first->late;
    pthread_mutex_unlock(&fake_lock);
    if (late > 0)
        usleep((unsigned)late);
    pthread_mutex_lock(&fake_lock);
    while (of->held)
        pthread_cond_wait(&fake_changed, &fake_lock);
    return of->first;
}

static void run_task(fake_queue *of, fake_task *task)
{
    int *error = &fake_devices[of->device].error;
    switch (task->kind) {
    case TASK_RUN:
        if (*error == 0)
            task->run(task, error);
        break;
    case TASK_SET: task->pulse->set = true; break;
    case TASK_WAIT:
        while (!task->pulse->set)
            pthread_cond_wait(&fake_changed, &fake_lock);
        break;
    case TASK_END: break;
    }
}

static void *work(void *argument)
{
    fake_queue *of = argument;
    bool goes_on = true;
    pthread_mutex_lock(&fake_lock);
    while (goes_on) {
        fake_task *task = wait_for_task(of);
        goes_on = task->kind != TASK_END;
        run_task(of, task);
        of->first = task->next;
        if (of->first == NULL)
            of->last = &of->first;
        of->pending -= 1;
        free_task(task);
        pthread_cond_broadcast(&fake_changed);
    }
    pthread_mutex_unlock(&fake_lock);
    return NULL;
}

fake_queue *fake_stream_new(int device, bool foreign)
{
    fake_queue *out = calloc(1, sizeof *out);
    out->device = device;
    out->foreign = foreign;
    out->last = &out->first;
    out->next = all;
    all = out;
    pthread_create(&out->thread, NULL, work, out);
    return out;
}

void fake_stream_end(fake_queue *of)
{
    fake_queue **at = &all;
    while (*at != of)
        at = &(*at)->next;
    *at = of->next;
    fake_push(of, (fake_task){.kind = TASK_END});
    pthread_mutex_unlock(&fake_lock);
    pthread_join(of->thread, NULL);
    pthread_mutex_lock(&fake_lock);
    free(of);
}

/* 1 and 2 name the default streams; 0 is the legacy one, too. A handle of no stream is NULL here:
 * the real driver might end the process. */
fake_queue *fake_stream(int device, void *handle)
{
    uintptr_t number = (uintptr_t)handle;
    if (number <= 2) {
        fake_queue **one =
            number == 2 ? &fake_devices[device].threads : &fake_devices[device].legacy;
        if (*one == NULL)
            *one = fake_stream_new(device, true);
        return *one;
    }
    fake_queue *of = all;
    while (of != NULL && of != handle)
        of = of->next;
    return of;
}

void fake_stream_settle(fake_queue *of)
{
    while (of->pending > 0)
        pthread_cond_wait(&fake_changed, &fake_lock);
}

/* A stream may be made or ended meanwhile, so the list is walked anew after each wait. */
void fake_settle_all(int device)
{
    fake_queue *of = all;
    while (of != NULL) {
        if (of->device == device && of->pending > 0) {
            pthread_cond_wait(&fake_changed, &fake_lock);
            of = all;
        } else {
            of = of->next;
        }
    }
}

void fake_push(fake_queue *to, fake_task what)
{
    fake_task *copy = malloc(sizeof *copy);
    *copy = what;
    copy->next = NULL;
    *to->last = copy;
    to->last = &copy->next;
    to->pending += 1;
    pthread_cond_broadcast(&fake_changed);
}

static void write_bytes(fake_task *task, int *error)
{
    (void)error;
    char *to = task->to;
    for (size_t i = 0; i < task->nbytes; ++i)
        to[i] = *(const char *)task->from;
}

void *fake_cuda_foreign_stream(int device)
{
    pthread_mutex_lock(&fake_lock);
    fake_queue *out = fake_stream_new(device, true);
    pthread_mutex_unlock(&fake_lock);
    return out;
}

void fake_cuda_end_stream(void *handle)
{
    pthread_mutex_lock(&fake_lock);
    fake_stream_end(handle);
    pthread_mutex_unlock(&fake_lock);
}

void fake_cuda_write_late(int device, void *handle, void *to, size_t nbytes, int byte,
                          int microseconds)
{
    static char bytes[256];
    pthread_mutex_lock(&fake_lock);
    bytes[byte & 255] = (char)byte;
    fake_push(fake_stream(device, handle), (fake_task){.kind = TASK_RUN,
                                                       .run = write_bytes,
                                                       .to = to,
                                                       .from = &bytes[byte & 255],
                                                       .nbytes = nbytes,
                                                       .late = microseconds});
    pthread_mutex_unlock(&fake_lock);
}

static void call(fake_task *task, int *error)
{
    (void)error;
    void (*run)(const void *);
    memcpy(&run, &task->function, sizeof run);
    run(task->arguments);
}

int fake_cuda_call(void *handle, void (*run)(const void *), const void *bytes, size_t nbytes)
{
    pthread_mutex_lock(&fake_lock);
    int device = fake_current();
    int error = device < 0 ? INVALID_CONTEXT : fake_devices[device].error;
    fake_queue *to = error == 0 ? fake_stream(device, handle) : NULL;
    if (error == 0 && (to == NULL || to->device != device))
        error = INVALID_HANDLE;
    if (error == 0) {
        fake_task task = {.kind = TASK_RUN, .run = call, .arguments = malloc(nbytes)};
        memcpy(&task.function, &run, sizeof run);
        memcpy((void *)task.arguments, bytes, nbytes);
        fake_counts.launches += 1;
        fake_counts.submissions += 1;
        fake_push(to, task);
    }
    pthread_mutex_unlock(&fake_lock);
    return error;
}

int fake_cuda_asked(const char *function)
{
    pthread_mutex_lock(&fake_lock);
    int error = fake_failure(function);
    pthread_mutex_unlock(&fake_lock);
    return error;
}

void fake_cuda_hold(int device, void *handle, int hold)
{
    pthread_mutex_lock(&fake_lock);
    fake_stream(device, handle)->held = hold != 0;
    pthread_cond_broadcast(&fake_changed);
    pthread_mutex_unlock(&fake_lock);
}
