/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the fake driver know of each other. One lock guards all of its state; a
 * stream's thread holds it while it runs a kernel or a copy, so that two never run at once. */
#ifndef JG_TESTS_FAKE_DRIVER_H
#define JG_TESTS_FAKE_DRIVER_H

#include "fake.h"
#include <pthread.h>
#include <stdbool.h>

enum { NDEVICES = 2, MAX_BLOCKS = 8192 };

/* The driver's errors. */
enum {
    INVALID_VALUE = 1,
    NO_MEMORY = 2,
    INVALID_CONTEXT = 201,
    INVALID_IMAGE = 200,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700
};

/* What an event was recorded as: set when the stream gets there. */
typedef struct pulse {
    int refs;
    bool set;
} pulse;

typedef struct event {
    pulse *last; /* NULL before it is recorded */
} event;

typedef enum task_kind { TASK_RUN, TASK_SET, TASK_WAIT, TASK_END } task_kind;

typedef struct fake_task {
    struct fake_task *next;
    task_kind kind;
    pulse *pulse;
    void (*run)(struct fake_task *task, int *error);
    void *to;
    const void *from;
    size_t nbytes;
    void *function;
    fake_dim3 groups, items;
    void **arguments; /* in memory of the task's own */
    int late;         /* microseconds to pass before it, beside the usual ones */
} fake_task;

typedef struct fake_queue {
    struct fake_queue *next;
    int device;
    bool held, foreign;
    fake_task *first, **last;
    int pending; /* tasks that have not run */
    pthread_t thread;
} fake_queue;

typedef struct fake_device {
    int error;                    /* what every call answers from a failure on */
    size_t nbytes, limit;         /* of memory */
    fake_queue *legacy, *threads; /* made when first named */
} fake_device;

typedef struct block {
    char *memory;
    size_t nbytes;
    int device;
} block;

extern pthread_mutex_t fake_lock;
extern pthread_cond_t fake_changed;
extern fake_device fake_devices[NDEVICES];
extern fake_cuda_counts fake_counts;
extern int fake_late, fake_order;

/* Takes the lock. gives: what the call answers before it does anything; *device, the current one,
 * or -1. The other lets it go. */
int fake_begin(const char *function, int *device);
int fake_end(int error);

/* All of the following are called with the lock. */

/* Whether the call named so is told to fail: its error, else 0. */
int fake_failure(const char *function);

/* The device whose context is current on this thread; -1 where none is. */
int fake_current(void);

/* The block that an address lies in, or NULL. */
block *fake_block(uint64_t address);

/* streams.c */
fake_queue *fake_stream_new(int device, bool foreign);
void fake_stream_end(fake_queue *of); /* after its tasks; the lock is let go meanwhile */
fake_queue *fake_stream(int device, void *handle);
void fake_stream_settle(fake_queue *of);
void fake_settle_all(int device);
void fake_push(fake_queue *to, fake_task task);
void fake_release_pulse(pulse *of);

/* kernels.c */
void fake_run_kernel(fake_task *task, int *error);

/* Whether a kernel can be started so; the bytes of its arguments with their addresses, and a copy
 * of them in memory of so many bytes, aligned to 16. */
bool fake_is_start(unsigned groups, unsigned items);
size_t fake_arguments_nbytes(const void *function);
void **fake_copy_arguments(const void *function, void *const *arguments, void *to);

void fake_count_launch(const void *function);

#endif
