/* SPDX-License-Identifier: Apache-2.0 */
/* The fake driver's devices, contexts, memory, copies, events and streams. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t fake_changed = PTHREAD_COND_INITIALIZER;
fake_device fake_devices[NDEVICES] = {{.limit = SIZE_MAX}, {.limit = SIZE_MAX}};
fake_cuda_counts fake_counts;
int fake_late = 200, fake_order;

/* Behind each block, so that what reaches outside is in none. */
enum { GAP_NBYTES = 1024 };

static block blocks[MAX_BLOCKS];
static bool started;

/* The calls that are told to fail: one at a time. */
static struct {
    char function[32];
    int after, error;
} fault;

/* The context that is current: a device's number plus one. LeakSanitizer fails on a thread's
 * variables that the loader places later than at its start. */
static __thread int current __attribute__((tls_model("initial-exec")));
static __thread int own_waits __attribute__((tls_model("initial-exec")));

int fake_failure(const char *function)
{
    if (strcmp(fault.function, function) != 0 || fault.after-- > 0)
        return 0;
    fault.function[0] = '\0';
    return fault.error;
}

int fake_current(void)
{
    return current - 1;
}

block *fake_block(uint64_t address)
{
    for (int i = 0; i < MAX_BLOCKS; ++i)
        if (blocks[i].memory != NULL && address >= (uint64_t)(uintptr_t)blocks[i].memory &&
            address < (uint64_t)(uintptr_t)blocks[i].memory + blocks[i].nbytes)
            return &blocks[i];
    return NULL;
}

int fake_begin(const char *function, int *device)
{
    pthread_mutex_lock(&fake_lock);
    *device = fake_current();
    if (!started || *device < 0)
        return INVALID_CONTEXT;
    int error = fake_devices[*device].error;
    return error != 0 ? error : fake_failure(function);
}

int fake_end(int error)
{
    pthread_mutex_unlock(&fake_lock);
    return error;
}

#define CUDA_CALL(name, function, hip_function, parameters) FAKE_API int function parameters;
#include "device/cuda/api.def"
#undef CUDA_CALL

int cuInit(unsigned flags)
{
    (void)flags;
    pthread_mutex_lock(&fake_lock);
    const char *late = getenv("FAKE_CUDA_LATE");
    if (late != NULL && !started)
        fake_late = atoi(late);
    int error = fake_failure("init");
    started = error == 0;
    return fake_end(error);
}

/* What the real compiler asks the driver for, and does without. */
FAKE_API int cuGetExportTable(const void **out, const void *id);

int cuGetExportTable(const void **out, const void *id)
{
    (void)id;
    *out = NULL;
    return NOT_FOUND;
}

int cuGetErrorName(int error, const char **out)
{
    *out = error == NO_MEMORY         ? "CUDA_ERROR_OUT_OF_MEMORY"
           : error == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
           : error == INVALID_HANDLE  ? "CUDA_ERROR_INVALID_HANDLE"
           : error == INVALID_CONTEXT ? "CUDA_ERROR_INVALID_CONTEXT"
           : error == INVALID_IMAGE   ? "CUDA_ERROR_INVALID_IMAGE"
                                      : "CUDA_ERROR_UNKNOWN";
    return 0;
}

int cuDeviceGetCount(int *count)
{
    *count = NDEVICES;
    return 0;
}

int cuDeviceGet(int *out, int number)
{
    *out = number;
    return number >= 0 && number < NDEVICES ? 0 : INVALID_VALUE;
}

int cuDeviceGetName(char *out, int nbytes, int ordinal)
{
    snprintf(out, (size_t)nbytes, "Fake GPU %d", ordinal);
    return 0;
}

/* The first is one that the compiler knows, the second is newer than it. FAKE_CUDA_CAPABILITY is
 * another for the first: 75. */
static int capability(int ordinal)
{
    const char *asked = getenv("FAKE_CUDA_CAPABILITY");
    return ordinal != 0 ? 120 : asked != NULL ? atoi(asked) : 90;
}

int cuDeviceGetAttribute(int *out, int what, int ordinal)
{
    switch (what) {
    case 1: *out = 1024; break;
    case 8: *out = 48 << 10; break;
    case 10: *out = 32; break;
    case 16: *out = 4; break;
    case 18: *out = 0; break;
    case 75: *out = capability(ordinal) / 10; break;
    case 76: *out = capability(ordinal) % 10; break;
    case 115: *out = ordinal == 0; break;
    default: return INVALID_VALUE;
    }
    return 0;
}

int cuDevicePrimaryCtxRetain(void **out, int ordinal)
{
    pthread_mutex_lock(&fake_lock);
    *out = (void *)(uintptr_t)(ordinal + 1);
    return fake_end(fake_failure("context_retain"));
}

int cuCtxGetCurrent(void **out)
{
    pthread_mutex_lock(&fake_lock);
    *out = (void *)(uintptr_t)current;
    return fake_end(0);
}

int cuCtxSetCurrent(void *context)
{
    pthread_mutex_lock(&fake_lock);
    int error = fake_failure("context_set");
    if (error == 0) {
        fake_counts.contexts += (context != NULL) - (current != 0);
        current = (int)(uintptr_t)context;
    }
    return fake_end(error);
}

int cuCtxSynchronize(void)
{
    int device, error = fake_begin("context_wait", &device);
    if (error == 0) {
        fake_settle_all(device);
        error = fake_devices[device].error;
    }
    return fake_end(error);
}

int cuStreamCreate(void **out, unsigned flags)
{
    int device, error = fake_begin("stream_new", &device);
    (void)flags;
    if (error == 0) {
        *out = fake_stream_new(device, false);
        fake_counts.streams += 1;
    }
    return fake_end(error);
}

int cuStreamDestroy_v2(void *handle)
{
    pthread_mutex_lock(&fake_lock);
    fake_counts.streams -= 1;
    fake_stream_end(handle);
    return fake_end(0);
}

int cuStreamSynchronize(void *handle)
{
    int device, error = fake_begin("stream_wait", &device);
    if (error == 0) {
        fake_counts.host_waits += 1;
        own_waits += 1;
        fake_stream_settle(fake_stream(device, handle));
        error = fake_devices[device].error;
    }
    return fake_end(error);
}

int cuEventCreate(void **out, unsigned flags)
{
    int device, error = fake_begin("event_new", &device);
    (void)flags;
    if (error == 0) {
        *out = calloc(1, sizeof(event));
        fake_counts.events += 1;
    }
    return fake_end(error);
}

int cuEventDestroy_v2(void *handle)
{
    pthread_mutex_lock(&fake_lock);
    fake_release_pulse(((event *)handle)->last);
    free(handle);
    fake_counts.events -= 1;
    return fake_end(0);
}

/* One reference is the event's, one the task's. */
int cuEventRecord(void *handle, void *stream_handle)
{
    int device, error = fake_begin("event_record", &device);
    fake_queue *to = error == 0 ? fake_stream(device, stream_handle) : NULL;
    if (error == 0 && (to == NULL || to->device != device))
        error = INVALID_HANDLE;
    if (error == 0) {
        event *of = handle;
        fake_release_pulse(of->last);
        of->last = calloc(1, sizeof *of->last);
        of->last->refs = 2;
        fake_push(to, (fake_task){.kind = TASK_SET, .pulse = of->last});
    }
    return fake_end(error);
}

int cuEventQuery(void *handle)
{
    int device, error = fake_begin("event_query", &device);
    const event *of = handle;
    if (error == 0 && of->last != NULL && !of->last->set)
        error = NOT_READY;
    return fake_end(error);
}

int cuEventSynchronize(void *handle)
{
    int device, error = fake_begin("event_wait", &device);
    pulse *last = ((event *)handle)->last;
    if (error == 0 && last != NULL) {
        fake_counts.host_waits += 1;
        own_waits += 1;
        last->refs += 1;
        while (!last->set)
            pthread_cond_wait(&fake_changed, &fake_lock);
        fake_release_pulse(last);
        error = fake_devices[device].error;
    }
    return fake_end(error);
}

int cuStreamWaitEvent(void *stream_handle, void *handle, unsigned flags)
{
    int device, error = fake_begin("stream_wait_event", &device);
    pulse *last = ((event *)handle)->last;
    (void)flags;
    fake_queue *to = error == 0 ? fake_stream(device, stream_handle) : NULL;
    if (error == 0 && to == NULL)
        error = INVALID_HANDLE;
    if (error == 0 && last != NULL) {
        fake_counts.stream_waits += 1;
        last->refs += 1;
        fake_push(to, (fake_task){.kind = TASK_WAIT, .pulse = last});
    }
    return fake_end(error);
}

/* The device is current. */
static int allocate(int device, uint64_t *out, size_t nbytes)
{
    if (nbytes > fake_devices[device].limit - fake_devices[device].nbytes)
        return NO_MEMORY;
    int free_one = 0;
    while (free_one < MAX_BLOCKS && blocks[free_one].memory != NULL)
        free_one += 1;
    if (free_one == MAX_BLOCKS)
        return NO_MEMORY;
    char *memory = aligned_alloc(256, ((nbytes + 255) & ~(size_t)255) + GAP_NBYTES);
    if (memory == NULL)
        return NO_MEMORY;
    memset(memory, 0xA5, nbytes);
    blocks[free_one] = (block){memory, nbytes, device};
    fake_devices[device].nbytes += nbytes;
    fake_counts.blocks += 1;
    *out = (uint64_t)(uintptr_t)memory;
    return 0;
}

static int release(uint64_t address)
{
    block *of = fake_block(address);
    if (of == NULL || (uint64_t)(uintptr_t)of->memory != address)
        return INVALID_VALUE;
    fake_devices[of->device].nbytes -= of->nbytes;
    fake_counts.blocks -= 1;
    free(of->memory);
    of->memory = NULL;
    return 0;
}

int cuMemAlloc_v2(uint64_t *out, size_t nbytes)
{
    int device, error = fake_begin("alloc", &device);
    return fake_end(error != 0 ? error : allocate(device, out, nbytes));
}

/* Waits for the device, as the real one does. */
int cuMemFree_v2(uint64_t address)
{
    int device, error = fake_begin("free", &device);
    if (device >= 0) {
        fake_settle_all(device);
        (void)release(address);
    }
    return fake_end(error);
}

int cuMemAllocAsync(uint64_t *out, size_t nbytes, void *stream_handle)
{
    int device, error = fake_begin("alloc_ordered", &device);
    (void)stream_handle;
    return fake_end(error != 0 ? error : allocate(device, out, nbytes));
}

static void run_release(fake_task *task, int *error)
{
    (void)error;
    (void)release((uint64_t)(uintptr_t)task->to);
}

int cuMemFreeAsync(uint64_t address, void *stream_handle)
{
    int device, error = fake_begin("free_ordered", &device);
    if (error == 0)
        fake_push(
            fake_stream(device, stream_handle),
            (fake_task){.kind = TASK_RUN, .run = run_release, .to = (void *)(uintptr_t)address});
    return fake_end(error);
}

int cuMemGetInfo_v2(size_t *left, size_t *total)
{
    int device, error = fake_begin("memory_info", &device);
    *total = (size_t)1 << 30;
    *left = error == 0 ? *total - fake_devices[device].nbytes : 0;
    return fake_end(error);
}

/* As the real one, it answers 0 for an address that it does not know, and succeeds. */
int cuPointerGetAttributes(unsigned count, int *questions, void **answers, uint64_t address)
{
    pthread_mutex_lock(&fake_lock);
    const block *of = fake_block(address);
    for (unsigned i = 0; i < count; ++i)
        *(int *)answers[i] = of == NULL ? 0 : questions[i] == 2 ? 2 : of->device;
    return fake_end(0);
}

/* Both ends, where they are the device's, must lie in a block. */
static int check(uint64_t address, size_t nbytes)
{
    const block *of = fake_block(address);
    bool inside =
        of != NULL && nbytes <= of->nbytes - (size_t)(address - (uint64_t)(uintptr_t)of->memory);
    return inside ? 0 : INVALID_VALUE;
}

static void run_copy(fake_task *task, int *error)
{
    (void)error;
    memcpy(task->to, task->from, task->nbytes);
}

/* staged: memory that the task frees, or NULL */
static int push_copy(int device, void *stream_handle, void *to, const void *from, size_t nbytes,
                     void *staged)
{
    fake_queue *on = fake_stream(device, stream_handle);
    if (on == NULL || on->device != device)
        return INVALID_HANDLE;
    fake_counts.copies += 1;
    fake_push(on, (fake_task){.kind = TASK_RUN,
                              .run = run_copy,
                              .to = to,
                              .from = from,
                              .nbytes = nbytes,
                              .arguments = staged});
    return 0;
}

/* Memory that is not pinned is staged before the call returns. */
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t nbytes, void *stream_handle)
{
    int device, error = fake_begin("send", &device);
    void *staged = NULL;
    if (error == 0)
        error = check(to, nbytes);
    if (error == 0)
        staged = memcpy(malloc(nbytes), from, nbytes);
    if (error == 0)
        error = push_copy(device, stream_handle, (void *)(uintptr_t)to, staged, nbytes, staged);
    if (error != 0)
        free(staged);
    return fake_end(error);
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t nbytes, void *stream_handle)
{
    int device, error = fake_begin("fetch", &device);
    if (error == 0)
        error = check(from, nbytes);
    if (error == 0)
        error = push_copy(device, stream_handle, to, (const void *)(uintptr_t)from, nbytes, NULL);
    return fake_end(error);
}

int cuMemcpyAsync(uint64_t to, uint64_t from, size_t nbytes, void *stream_handle)
{
    int device, error = fake_begin("copy", &device);
    if (error == 0)
        error = check(to, nbytes);
    if (error == 0)
        error = check(from, nbytes);
    if (error == 0)
        error = push_copy(device, stream_handle, (void *)(uintptr_t)to,
                          (const void *)(uintptr_t)from, nbytes, NULL);
    return fake_end(error);
}

void fake_cuda_fail(const char *function, int after, int error)
{
    pthread_mutex_lock(&fake_lock);
    snprintf(fault.function, sizeof fault.function, "%s", function != NULL ? function : "");
    fault.after = after;
    fault.error = error;
    for (int i = 0; i < NDEVICES && function == NULL; ++i)
        fake_devices[i].error = 0;
    pthread_mutex_unlock(&fake_lock);
}

void fake_cuda_count(fake_cuda_counts *out)
{
    pthread_mutex_lock(&fake_lock);
    *out = fake_counts;
    out->own_waits = own_waits;
    pthread_mutex_unlock(&fake_lock);
}

void fake_cuda_limit(int device, size_t nbytes)
{
    pthread_mutex_lock(&fake_lock);
    fake_devices[device].limit = nbytes;
    pthread_mutex_unlock(&fake_lock);
}

void fake_cuda_delay(int microseconds)
{
    pthread_mutex_lock(&fake_lock);
    fake_late = microseconds;
    pthread_mutex_unlock(&fake_lock);
}
