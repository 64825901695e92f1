/* SPDX-License-Identifier: Apache-2.0 */
/* Code of an OpenCL device: a program, built from its text, and a kernel for each that the text's
 * entries name. A kernel holds its arguments until it is enqueued, so one lock a program is held
 * from the first argument to that. */
#include "device/opencl/opencl.h"
#include <stdio.h>

enum { READ_WRITE = 1, COPY_HOST = 32, LOG_NBYTES = 360 };

typedef struct opencl_code {
    void *program;
    pthread_mutex_t lock; /* taken after a queue's */
    int nentries;
    void *kernels[][DEVICE_MAX_KERNELS]; /* of each entry; NULL where it has none */
} opencl_code;

/* The data that the steps of a launch share. */
typedef struct opencl_run {
    jg_device *device;
    opencl_queue *queue;
    const device_start *start;
    const device_entry *entry;
    void *const *kernels;
} opencl_run;

static void release_code(opencl_code *code)
{
    for (int i = 0; i < code->nentries; ++i)
        for (int k = 0; k < DEVICE_MAX_KERNELS; ++k)
            if (code->kernels[i][k] != NULL)
                opencl.kernel_release(code->kernels[i][k]);
    opencl.program_release(code->program);
}

static jg_status fail_with_log(const opencl_device *device, int error, const char *log)
{
    const char *words = text_first_error(log);
    return base_fail(JG_ERR_DEVICE, "opencl:%d: clBuildProgram: %s (%d): %.*s%s",
                     (int)device->base.id.id, opencl_error_name(error), error, LOG_NBYTES, words,
                     strlen(words) > LOG_NBYTES ? " ..." : "");
}

static jg_status fail_build(const opencl_device *device, void *program, int error)
{
    size_t nbytes = 0;
    opencl.build_info(program, device->id, OPENCL_BUILD_LOG, 0, NULL, &nbytes);
    char *log = base_alloc_zeroed(nbytes + 1);
    if (log == NULL || error != OPENCL_BUILD_FAILED) {
        base_free(log);
        return opencl_fail(&device->base, "clBuildProgram", error);
    }
    opencl.build_info(program, device->id, OPENCL_BUILD_LOG, nbytes, log, NULL);
    jg_status status = fail_with_log(device, error, log);
    base_free(log);
    return status;
}

/* gives: *out, for program_release */
static jg_status build(opencl_device *device, const device_unit *unit, void **out)
{
    int error = 0;
    const char *text = unit->text;
    void *program = opencl.program_new(device->context, 1, &text, &unit->nbytes, &error);
    if (program == NULL)
        return opencl_fail(&device->base, "clCreateProgramWithSource", error);
    error = opencl.program_build(program, 1, &device->id, unit->flags, NULL, NULL);
    if (error != 0) {
        jg_status status = fail_build(device, program, error);
        opencl.program_release(program);
        return status;
    }
    *out = program;
    return JG_OK;
}

static jg_status make_kernels(const jg_device *device, const device_unit *unit, opencl_code *code)
{
    for (int i = 0; i < unit->nentries; ++i) {
        for (int k = 0; k < unit->entries[i].nkernels; ++k) {
            int error = 0;
            code->kernels[i][k] =
                opencl.kernel_new(code->program, unit->entries[i].kernels[k].name, &error);
            if (code->kernels[i][k] == NULL)
                return opencl_fail(device, "clCreateKernel", error);
        }
    }
    return JG_OK;
}

jg_status opencl_code_load(jg_device *device, const device_unit *unit, void **out)
{
    opencl_device *own;
    JG_TRY(opencl_open(device, &own));
    size_t nbytes =
        sizeof(opencl_code) + (size_t)unit->nentries * sizeof(void *[DEVICE_MAX_KERNELS]);
    opencl_code *code = base_alloc_zeroed(nbytes);
    if (code == NULL)
        return base_nomem(nbytes, "code of a device");
    jg_status status = build(own, unit, &code->program);
    code->nentries = unit->nentries;
    if (status == JG_OK && (status = make_kernels(device, unit, code)) != JG_OK)
        release_code(code);
    if (status != JG_OK) {
        base_free(code);
        return status;
    }
    pthread_mutex_init(&code->lock, NULL);
    *out = code;
    return JG_OK;
}

void opencl_code_free(jg_device *device, void *code)
{
    (void)device;
    if (!opencl_is_lost())
        release_code(code);
    pthread_mutex_destroy(&((opencl_code *)code)->lock);
    base_free(code);
}

/* The step's words in memory of their own. gives: *out, for buffer_release */
static jg_status copy_words(const opencl_run *run, const device_step *step, void **out)
{
    int error = 0;
    size_t nbytes = (size_t)run->entry->nwords * sizeof(uint64_t);
    const opencl_device *own = (const opencl_device *)(const void *)run->device;
    *out = opencl.buffer_new(own->context, READ_WRITE | COPY_HOST, nbytes, step->words, &error);
    return *out != NULL ? JG_OK : opencl_fail(run->device, "clCreateBuffer", error);
}

static jg_status set_argument(const opencl_run *run, const device_step *step, unsigned position,
                              void *const *words)
{
    const device_argument *argument = &run->entry->kernels[step->kernel].arguments[position];
    const void *value = step->words;
    size_t nbytes = sizeof(void *);
    switch ((device_argument_kind)argument->kind) {
    case DEVICE_ARGUMENT_BUFFER: value = &run->start->handles[argument->buffer]; break;
    case DEVICE_ARGUMENT_SCRATCH: value = &run->start->scratch; break;
    case DEVICE_ARGUMENT_MEMORY: value = words; break;
    case DEVICE_ARGUMENT_BLOCK: nbytes = (size_t)run->entry->nwords * sizeof(uint64_t); break;
    }
    return opencl_call(run->device, "clSetKernelArg",
                       opencl.argument(run->kernels[step->kernel], position, nbytes, value));
}

static jg_status enqueue(const opencl_run *run, const device_step *step, void *const *words)
{
    const device_kernel *kernel = &run->entry->kernels[step->kernel];
    size_t items = (size_t)step->items, all = (size_t)step->groups * items;
    void *event = NULL;
    for (int i = 0; i < kernel->narguments; ++i)
        JG_TRY(set_argument(run, step, (unsigned)i, words));
    JG_TRY(opencl_call(run->device, "clEnqueueNDRangeKernel",
                       opencl.start(run->queue->queue, run->kernels[step->kernel], 1, NULL, &all,
                                    &items, 0, NULL, &event)));
    opencl_queue_keep(run->queue, event, run->start->label);
    return JG_OK;
}

/* An enqueued kernel keeps the memory that it uses, so the reference to the words' memory is
 * released at once. */
static jg_status give_step(const opencl_run *run, const device_step *step)
{
    void *words = NULL;
    if (device_takes_memory(&run->entry->kernels[step->kernel]))
        JG_TRY(copy_words(run, step, &words));
    jg_status status = enqueue(run, step, &words);
    if (words != NULL)
        opencl.buffer_release(words);
    return status;
}

jg_status opencl_launch(jg_device *device, void *queue, void *opaque, const device_start *start)
{
    opencl_code *code = opaque;
    const device_launch *launch = start->launch;
    const opencl_run run = {.device = device,
                            .queue = queue,
                            .start = start,
                            .entry = start->takes,
                            .kernels = code->kernels[start->entry]};
    jg_status status = JG_OK;
    JG_TRY(opencl_check(device));
    JG_TRY(opencl_queue_begin(queue, launch->nsteps));
    pthread_mutex_lock(&code->lock);
    for (int i = 0; i < launch->nsteps && status == JG_OK; ++i) {
        run.queue->widest = int64_max(launch->steps[i].groups, run.queue->widest);
        status = give_step(&run, &launch->steps[i]);
    }
    pthread_mutex_unlock(&code->lock);
    opencl_queue_end(queue);
    return status;
}
