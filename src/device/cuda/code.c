/* SPDX-License-Identifier: Apache-2.0 */
/* Code of a device: a module, and a function of it for each kernel that the text's entries
 * name. Arguments are handed over by value with each launch, so any thread may launch at any
 * time. */
#include "device/cuda/cuda.h"

typedef struct cuda_code {
    void *module;
    void *functions[][DEVICE_MAX_KERNELS]; /* of each entry; NULL where it has none */
} cuda_code;

/* The data that the steps of a launch share. The context is current. */
typedef struct cuda_run {
    const cuda_device *own;
    void *stream;
    const device_start *start;
    void *const *functions;
} cuda_run;

static jg_status find_functions(const cuda_device *device, const device_unit *unit, cuda_code *code)
{
    for (int i = 0; i < unit->nentries; ++i)
        for (int k = 0; k < unit->entries[i].nkernels; ++k)
            JG_TRY(CUDA_DO(device, module_function, &code->functions[i][k], code->module,
                           unit->entries[i].kernels[k].name));
    return JG_OK;
}

/* The context is current. */
static jg_status load(const cuda_device *device, const device_unit *unit, const cuda_image *image,
                      cuda_code *code)
{
    JG_TRY(CUDA_DO(device, module_load, &code->module, image->bytes));
    jg_status status = find_functions(device, unit, code);
    if (status != JG_OK)
        (void)CUDA_CALL_OF(device, module_free, code->module);
    return status;
}

/* gives: code->module and its functions; *kept as cuda_compile */
static jg_status compile_and_load(jg_device *device, const device_unit *unit, bool *kept,
                                  cuda_code *code)
{
    cuda_device *own = cuda_of(device);
    cuda_image image;
    JG_TRY(cuda_compile(own, unit, kept, &image));
    jg_status status = cuda_enter(device, NULL);
    if (status == JG_OK) {
        status = load(own, unit, &image, code);
        cuda_leave();
    }
    base_free(image.bytes);
    return status;
}

/* Code that was kept on disk may fail to load, for example after a change of the driver. Then it is
 * compiled again. */
static jg_status find_code(jg_device *device, const device_unit *unit, cuda_code *code)
{
    bool kept = true;
    jg_status status = compile_and_load(device, unit, &kept, code);
    if (status != JG_ERR_DEVICE || !kept)
        return status;
    kept = false;
    return compile_and_load(device, unit, &kept, code);
}

jg_status cuda_code_load(jg_device *device, const device_unit *unit, void **out)
{
    size_t nbytes = sizeof(cuda_code) + (size_t)unit->nentries * sizeof(void *[DEVICE_MAX_KERNELS]);
    cuda_code *code = base_alloc_zeroed(nbytes);
    if (code == NULL)
        return base_nomem(nbytes, "code of a device");
    jg_status status = find_code(device, unit, code);
    if (status == JG_OK)
        *out = code;
    else
        base_free(code);
    return status;
}

void cuda_code_free(jg_device *device, void *opaque)
{
    cuda_code *code = opaque;
    cuda_device *own = cuda_of(device);
    if (!cuda_is_lost(own) && cuda_enter(device, NULL) == JG_OK) {
        (void)CUDA_CALL_OF(own, module_free, code->module);
        cuda_leave();
    }
    base_free(code);
}

/* Copies the step's words to separate memory, which is free again after the stream's work until
 * free_words. */
static jg_status copy_words(const cuda_run *run, const device_step *step, uint64_t *out)
{
    size_t nbytes = (size_t)run->start->takes->nwords * sizeof(uint64_t);
    JG_TRY(run->own->orders_alloc ? CUDA_DO(run->own, alloc_ordered, out, nbytes, run->stream)
                                  : CUDA_DO(run->own, alloc, out, nbytes));
    return CUDA_DO(run->own, send, *out, step->words, nbytes, run->stream);
}

/* A device without memory in a stream's order waits in `free` for what uses it. */
static void free_words(const cuda_run *run, uint64_t words)
{
    if (words != 0)
        (void)(run->own->orders_alloc ? CUDA_CALL_OF(run->own, free_ordered, words, run->stream)
                                      : CUDA_CALL_OF(run->own, free, words));
}

const void *cuda_argument(const device_start *start, const device_step *step,
                          const device_argument *argument)
{
    switch ((device_argument_kind)argument->kind) {
    case DEVICE_ARGUMENT_BUFFER: return &start->handles[argument->buffer];
    case DEVICE_ARGUMENT_SCRATCH: return &start->scratch;
    default: return step->words;
    }
}

size_t cuda_argument_nbytes(const device_entry *takes, const device_argument *argument)
{
    return argument->kind == DEVICE_ARGUMENT_BLOCK ? (size_t)takes->nwords * sizeof(uint64_t)
                                                   : sizeof(void *);
}

void *const *cuda_code_functions(const void *code, int entry)
{
    return ((const cuda_code *)code)->functions[entry];
}

jg_status cuda_check_size(const cuda_device *own, const device_step *step)
{
    const cuda_vendor *vendor = own->driver->vendor;
    if (step->groups <= vendor->max_groups && step->groups <= vendor->max_items / step->items)
        return JG_OK;
    return base_fail(
        JG_ERR_DEVICE,
        "%s:%d: a launch of %lld groups of %lld, allowed are %lld groups and %lld items",
        own->base.ops->name, (int)own->base.id.id, (long long)step->groups, (long long)step->items,
        (long long)vendor->max_groups, (long long)vendor->max_items);
}

/* The driver copies what the arguments point to before it returns. */
static jg_status start_kernel(const cuda_run *run, const device_step *step, const uint64_t *words)
{
    const device_kernel *kernel = &run->start->takes->kernels[step->kernel];
    void *arguments[DEVICE_MAX_ARGUMENTS];
    JG_TRY(cuda_check_size(run->own, step));
    for (int i = 0; i < kernel->narguments; ++i)
        arguments[i] = kernel->arguments[i].kind == DEVICE_ARGUMENT_MEMORY
                           ? (void *)words
                           : (void *)cuda_argument(run->start, step, &kernel->arguments[i]);
    return CUDA_DO(run->own, launch, run->functions[step->kernel], (unsigned)step->groups, 1, 1,
                   (unsigned)step->items, 1, 1, 0, run->stream, arguments, NULL);
}

static jg_status give_step(const cuda_run *run, const device_step *step)
{
    uint64_t words = 0;
    jg_status status = JG_OK;
    if (device_takes_memory(&run->start->takes->kernels[step->kernel]))
        status = copy_words(run, step, &words);
    if (status == JG_OK)
        status = start_kernel(run, step, &words);
    free_words(run, words);
    return status;
}

jg_status cuda_launch(jg_device *device, void *opaque, void *loaded, const device_start *start)
{
    cuda_queue *queue = opaque;
    cuda_device *own;
    JG_TRY(cuda_enter(device, &own));
    jg_status status = cuda_queue_catch_up(own, queue);
    const cuda_run run = {.own = own,
                          .stream = queue->stream,
                          .start = start,
                          .functions = cuda_code_functions(loaded, start->entry)};
    for (int i = 0; i < start->launch->nsteps && status == JG_OK; ++i)
        status = give_step(&run, &start->launch->steps[i]);
    cuda_leave();
    cuda_queue_note(queue, start->label);
    return status;
}
