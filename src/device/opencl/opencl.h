/* SPDX-License-Identifier: Apache-2.0 */
/* opencl: what the files of this back end know of each other.
 *
 * The driver is opened by the family's probe and stays open. A process that is forked afterwards
 * must not call it, as its threads are not there and its locks may be held: opencl_open and
 * opencl_check refuse then, and each slot calls one of them before the driver. */
#ifndef JG_OPENCL_H
#define JG_OPENCL_H

#include "device/device.h"

/* Numbers of OpenCL's headers. */
enum {
    OPENCL_DEVICE_TYPE = 0x1000,
    OPENCL_COMPUTE_UNITS = 0x1002,
    OPENCL_GROUP_LIMIT = 0x1004,
    OPENCL_ITEM_LIMITS = 0x1005,
    OPENCL_BLOCK_LIMIT = 0x1010,
    OPENCL_PARAMETER_NBYTES = 0x1017,
    OPENCL_SINGLE = 0x101B,
    OPENCL_MEMORY_NBYTES = 0x101F,
    OPENCL_LOCAL_NBYTES = 0x1023,
    OPENCL_LITTLE_ENDIAN = 0x1026,
    OPENCL_AVAILABLE = 0x1027,
    OPENCL_COMPILER = 0x1028,
    OPENCL_NAME = 0x102B,
    OPENCL_VERSION = 0x102F,
    OPENCL_EXTENSIONS = 0x1030,
    OPENCL_DOUBLE = 0x1032,
    OPENCL_UNIFIED = 0x1035,
    OPENCL_WARP = 0x4003,        /* with cl_nv_device_attribute_query */
    OPENCL_FREE_MEMORY = 0x4039, /* in KiB, and this: with cl_amd_device_attribute_query */
    OPENCL_WAVEFRONT = 0x4043,
    OPENCL_BUFFER_TYPE = 0x1100,
    OPENCL_BUFFER_NBYTES = 0x1102,
    OPENCL_BUFFER_CONTEXT = 0x1106,
    OPENCL_IS_BUFFER = 0x10F0,
    OPENCL_BUILD_LOG = 0x1183,
    OPENCL_EVENT_STATUS = 0x11D3
};

/* Errors that more is known of. */
enum { OPENCL_NO_MEMORY = -4, OPENCL_NO_HOST_MEMORY = -6, OPENCL_BUILD_FAILED = -11 };

/* The driver's functions. */
typedef struct opencl_driver {
#define OPENCL_CALL(name, function, result, parameters) result(*name) parameters;
#include "device/opencl/api.def"
#undef OPENCL_CALL
} opencl_driver;

typedef struct opencl_device {
    jg_device base; /* the first member, so that a jg_device is this */
    device_facts facts;
    void *id;                /* the driver's */
    _Atomic(void *) context; /* made when first needed, as a context takes memory of the GPU */
    pthread_mutex_t opening; /* held while it is made */
    uint64_t nbytes;         /* of memory */
    uint64_t block_limit;    /* the largest block */
    bool tells_free;         /* whether it knows how much memory is free */
    char title[128];
} opencl_device;

/* A command of a queue: its event, and its name in messages of failures. */
typedef struct opencl_command {
    void *event;
    const char *label; /* NULL where the caller has none */
} opencl_command;

/* A queue in order, and the commands since its last mark. */
typedef struct opencl_queue {
    pthread_mutex_t lock; /* held while commands are given */
    void *queue;
    base_vec commands; /* opencl_command, in order */
    int64_t widest;    /* the most groups of a launch since the last mark */
} opencl_queue;

/* driver.c */

/* The functions, once the driver is open. */
extern opencl_driver opencl;

/* Opens the driver, once a process. raises: DEVICE where there is none | waits: for the loader */
jg_status opencl_load(void);

/* Whether the driver may be called: not after a fork. raises: DEVICE | waits: never */
jg_status opencl_check(const jg_device *device);
bool opencl_is_lost(void); /* the same as a question: true after a fork */

/* The name of an error, as "CL_OUT_OF_RESOURCES". gives: a static text; "error" for a number that
 * is not known */
const char *opencl_error_name(int error);

/* The failure of a call of the driver, whose function is named. raises: NOMEM for errors that tell
 * of memory, else DEVICE; always */
jg_status opencl_fail(const jg_device *device, const char *call, int error) JG_COLD;

/* The same where the error is one. raises: as opencl_fail */
static inline jg_status opencl_call(const jg_device *device, const char *call, int error)
{
    return JG_LIKELY(error == 0) ? JG_OK : opencl_fail(device, call, error);
}

/* The device with its context. gives: *out, borrowed, forever | raises: DEVICE, NOMEM | waits: for
 * the driver, the first time */
jg_status opencl_open(jg_device *device, opencl_device **out);

/* The slots of jg_device_ops (device/device.h), whose comments tell what each does, gives and waits
 * for. */

/* memory.c: memory and handles. gives: *out | raises: NOMEM, DEVICE; BUFFER for a handle that is
 * not the device's */
jg_status opencl_alloc(jg_device *device, size_t nbytes, void **out);
void opencl_free(jg_device *device, void *handle, size_t nbytes);
jg_status opencl_adopt(jg_device *device, void *handle, uint64_t nbytes);
jg_status opencl_memory(jg_device *device, device_memory *out);

/* queue.c */

/* Locks a queue and allocates memory for `count` commands. The caller then enqueues commands, keeps
 * their events, and ends. raises: NOMEM; then it is not locked | waits: for a thread that gives
 * commands */
jg_status opencl_queue_begin(opencl_queue *queue, int count);
void opencl_queue_keep(opencl_queue *queue, void *event, const char *label); /* takes: event */
void opencl_queue_end(opencl_queue *queue);

/* Slots of queues and marks. gives: *out, for the slot that frees it | raises: NOMEM, DEVICE */
jg_status opencl_queue_new(jg_device *device, void **out);
void opencl_queue_free(jg_device *device, void *queue);
jg_status opencl_queue_wait(jg_device *device, void *queue, void *mark);
jg_status opencl_mark_record(jg_device *device, void *queue, void **out);
bool opencl_mark_is_set(jg_device *device, void *mark);
jg_status opencl_mark_wait(jg_device *device, void *mark);
void opencl_mark_free(jg_device *device, void *mark);

/* copy.c: a slot. raises: NOMEM, DEVICE */
jg_status opencl_copy(jg_device *device, void *queue, const device_copy *copy);

/* code.c: slots of code. gives: *out, for opencl_code_free | raises: NOMEM; DEVICE, with what the
 * compiler says */
jg_status opencl_code_load(jg_device *device, const device_unit *unit, void **out);
void opencl_code_free(jg_device *device, void *code);
jg_status opencl_launch(jg_device *device, void *queue, void *code, const device_start *start);

#endif
