/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL for the tests of printed kernels: a driver opened at run time against prototypes of our
 * own, one device, one queue in order. Every failure fails the test. */
#ifndef SOURCE_OPENCL_H
#define SOURCE_OPENCL_H

#include "../support.h"

#include "source/source.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct opencl_driver {
    int (*platforms)(unsigned, void **, unsigned *);
    int (*devices)(void *, uint64_t, unsigned, void **, unsigned *);
    int (*device_info)(void *, unsigned, size_t, void *, size_t *);
    void *(*context)(const intptr_t *, unsigned, void *const *, void *, void *, int *);
    void *(*queue)(void *, void *, uint64_t, int *);
    void *(*program)(void *, unsigned, const char **, const size_t *, int *);
    int (*build)(void *, unsigned, void *const *, const char *, void *, void *);
    int (*build_info)(void *, void *, unsigned, size_t, void *, size_t *);
    void *(*kernel)(void *, const char *, int *);
    int (*argument)(void *, unsigned, size_t, const void *);
    int (*start)(void *, void *, unsigned, const size_t *, const size_t *, const size_t *, unsigned,
                 void *const *, void **);
    void *(*buffer)(void *, uint64_t, size_t, void *, int *);
    int (*read)(void *, void *, unsigned, size_t, size_t, void *, unsigned, void *const *, void **);
    int (*write)(void *, void *, unsigned, size_t, size_t, const void *, unsigned, void *const *,
                 void **);
    int (*finish)(void *);
    int (*release_buffer)(void *);
    int (*release_kernel)(void *);
    int (*release_program)(void *);
} opencl_driver;

static struct {
    opencl_driver driver;
    void *device, *context, *queue;
    device_facts facts;
} opencl;

enum {
    CL_BUILD_LOG = 0x1183,
    CL_MAX_GROUP = 0x1004,
    CL_UNITS = 0x1002,
    CL_LOCAL_SIZE = 0x1023,
    CL_PARAMETERS = 0x1017,
    CL_SINGLE = 0x101B,
    CL_DOUBLE = 0x1032
};

static inline void *opencl_symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (found == NULL)
        fail_msg("libOpenCL.so.1 has no %s", name);
    return found;
}

static inline void opencl_load(void)
{
    static const char *const names[] = {
        "clGetPlatformIDs",    "clGetDeviceIDs",         "clGetDeviceInfo",
        "clCreateContext",     "clCreateCommandQueue",   "clCreateProgramWithSource",
        "clBuildProgram",      "clGetProgramBuildInfo",  "clCreateKernel",
        "clSetKernelArg",      "clEnqueueNDRangeKernel", "clCreateBuffer",
        "clEnqueueReadBuffer", "clEnqueueWriteBuffer",   "clFinish",
        "clReleaseMemObject",  "clReleaseKernel",        "clReleaseProgram"};
    /* Oclgrind loads itself before everything else. */
    void *library = RTLD_DEFAULT;
    if (dlsym(library, names[0]) == NULL)
        library = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (library == NULL && dlsym(RTLD_DEFAULT, names[0]) == NULL)
        fail_msg("these tests need an OpenCL driver (Debian: pocl-opencl-icd): %s", dlerror());
    for (size_t i = 0; i < JG_COUNT_OF(names); ++i) {
        void *symbol = opencl_symbol(library, names[i]);
        memcpy((char *)&opencl.driver + i * sizeof symbol, &symbol, sizeof symbol);
    }
}

static inline void opencl_must(int status, const char *what)
{
    if (status != 0)
        fail_msg("OpenCL: %s gave %d", what, status);
}

static inline uint64_t opencl_info(unsigned what, size_t nbytes)
{
    uint64_t found = 0;
    opencl_must(opencl.driver.device_info(opencl.device, what, nbytes, &found, NULL),
                "clGetDeviceInfo");
    return found;
}

/* The first device of the first platform, and its facts. A group's set-up function. */
static inline int opencl_open(void **state)
{
    void *platform;
    int status = 0;
    (void)state;
    opencl_load();
    opencl_must(opencl.driver.platforms(1, &platform, NULL), "clGetPlatformIDs");
    opencl_must(opencl.driver.devices(platform, 0xffffffff, 1, &opencl.device, NULL),
                "clGetDeviceIDs");
    opencl.context = opencl.driver.context(NULL, 1, &opencl.device, NULL, NULL, &status);
    opencl_must(status, "clCreateContext");
    opencl.queue = opencl.driver.queue(opencl.context, opencl.device, 0, &status);
    opencl_must(status, "clCreateCommandQueue");
    opencl.facts = (device_facts){
        .dialect = DEVICE_OPENCL_C,
        .shape = DEVICE_LANES,
        .f64 = opencl_info(CL_DOUBLE, 8) != 0,
        .unified_memory = true,
        .exact_division = (opencl_info(CL_SINGLE, 8) & 1 << 7) != 0,
        .lane_width = 32,
        .group_limit = (int)opencl_info(CL_MAX_GROUP, 8),
        .compute_units = (int)opencl_info(CL_UNITS, 4),
        .max_buffers = 64,
        .local_nbytes = (int64_t)opencl_info(CL_LOCAL_SIZE, 8),
        .argument_nbytes = (int64_t)opencl_info(CL_PARAMETERS, 8),
    };
    return 0;
}

/* gives: the built program, for opencl.driver.release_program */
static inline void *opencl_build(const device_unit *unit)
{
    int status;
    const char *text = unit->text;
    void *program = opencl.driver.program(opencl.context, 1, &text, &unit->nbytes, &status);
    opencl_must(status, "clCreateProgramWithSource");
    status = opencl.driver.build(program, 1, &opencl.device, unit->flags, NULL, NULL);
    if (status != 0) {
        static char log[20000];
        opencl.driver.build_info(program, opencl.device, CL_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n%s\n", unit->text, log);
        opencl_must(status, "clBuildProgram");
    }
    return program;
}

static inline void *opencl_buffer(size_t nbytes)
{
    int status;
    void *buffer = opencl.driver.buffer(opencl.context, 1, nbytes > 0 ? nbytes : 1, NULL, &status);
    opencl_must(status, "clCreateBuffer");
    return buffer;
}

static inline void opencl_write(void *buffer, size_t offset, const void *from, size_t nbytes)
{
    if (nbytes > 0)
        opencl_must(
            opencl.driver.write(opencl.queue, buffer, 1, offset, nbytes, from, 0, NULL, NULL),
            "clEnqueueWriteBuffer");
}

static inline void opencl_read(void *buffer, size_t offset, void *to, size_t nbytes)
{
    if (nbytes > 0)
        opencl_must(opencl.driver.read(opencl.queue, buffer, 1, offset, nbytes, to, 0, NULL, NULL),
                    "clEnqueueReadBuffer");
}

static inline void opencl_set_argument(void *kernel, int position, size_t nbytes, const void *from)
{
    opencl_must(opencl.driver.argument(kernel, (unsigned)position, nbytes, from), "clSetKernelArg");
}

/* One step, its words bound; the queue goes on. blocks: a buffer for words that go through memory.
 */
static inline void opencl_step(const device_entry *entry, const device_step *step, void *kernel,
                               void *const *buffers, void *scratch, void *blocks)
{
    const device_kernel *takes = &entry->kernels[step->kernel];
    size_t nbytes = (size_t)entry->nwords * sizeof(uint64_t);
    size_t items = (size_t)step->items, all = (size_t)step->groups * items;
    for (int i = 0; i < takes->narguments; ++i) {
        const device_argument *argument = &takes->arguments[i];
        switch (argument->kind) {
        case DEVICE_ARGUMENT_BUFFER:
            opencl_set_argument(kernel, i, sizeof(void *), &buffers[argument->buffer]);
            break;
        case DEVICE_ARGUMENT_SCRATCH:
            opencl_set_argument(kernel, i, sizeof(void *), &scratch);
            break;
        case DEVICE_ARGUMENT_MEMORY:
            opencl_write(blocks, 0, step->words, nbytes);
            opencl_set_argument(kernel, i, sizeof(void *), &blocks);
            break;
        default: opencl_set_argument(kernel, i, nbytes, step->words); break;
        }
    }
    opencl_must(opencl.driver.start(opencl.queue, kernel, 1, NULL, &all, &items, 0, NULL, NULL),
                "clEnqueueNDRangeKernel");
}

/* Kernels of an entry of a built program, made once. */
typedef struct opencl_code {
    void *kernels[DEVICE_MAX_KERNELS];
    const device_entry *entry;
    void *blocks;
} opencl_code;

static inline opencl_code opencl_code_of(void *program, const device_entry *entry)
{
    int status;
    opencl_code code = {.entry = entry};
    for (int k = 0; k < entry->nkernels; ++k) {
        code.kernels[k] = opencl.driver.kernel(program, entry->kernels[k].name, &status);
        opencl_must(status, "clCreateKernel");
    }
    code.blocks = opencl_buffer((size_t)code.entry->nwords * sizeof(uint64_t));
    return code;
}

static inline void opencl_start(const opencl_code *code, const device_launch *started,
                                void *const *buffers, void *scratch)
{
    for (int i = 0; i < started->nsteps; ++i)
        opencl_step(code->entry, &started->steps[i], code->kernels[started->steps[i].kernel],
                    buffers, scratch, code->blocks);
}

static inline void opencl_discard(opencl_code *code)
{
    opencl.driver.finish(opencl.queue);
    for (int k = 0; k < code->entry->nkernels; ++k)
        opencl.driver.release_kernel(code->kernels[k]);
    opencl.driver.release_buffer(code->blocks);
}

#endif
