/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA driver and its compiler NVRTC on the host, for tests: shared libraries of the real names,
 * which tests put on the loader's path.
 *
 * A device's memory is host memory that begins with 0xA5 throughout. Streams have a thread each and
 * begin what they are given a while later, so that who does not wait for an event reads what is not
 * there yet. Kernels are the printed text, compiled as C++ with shim.h before it; the threads of a
 * block are fibers. Of the driver there is what src/device/cuda/api.def and graph.def name, and the
 * functions below, by which tests look into it. */
#ifndef JG_TESTS_FAKE_CUDA_H
#define JG_TESTS_FAKE_CUDA_H

#include <stddef.h>
#include <stdint.h>

#define FAKE_API __attribute__((visibility("default")))

/* Lets a function, by the name that api.def gives it, succeed so many times and then fail with the
 * error, once. "kernel" is a kernel that fails when it runs, after which its device answers every
 * call with the error, as a real one does. NULL: none fails, and devices are well again. */
FAKE_API void fake_cuda_fail(const char *function, int after, int error);

/* Counts of what there is, and of what was done since the process began. */
typedef struct fake_cuda_counts {
    int blocks, streams, events, modules; /* that are there now */
    int contexts;                         /* threads that have a current one */
    int host_waits;                       /* calls that waited for a stream */
    int launches, copies, stream_waits;   /* calls */
    int own_waits;                        /* of host_waits: those of the thread that counts */
    int submissions;                      /* calls that gave a stream kernels */
    int graphs;                           /* that are there now, with what was made of them */
    int graph_makes, graph_changes;       /* graphs made ready, kernels of them that were changed */
    int graph_ends_early;                 /* graphs that were freed while they ran */
} fake_cuda_counts;

FAKE_API void fake_cuda_count(fake_cuda_counts *out);

/* How many launches, by themselves or in graphs, there were of kernels whose name ends so, after
 * the number of their work: "mma" is k0_mma. Of up to 256 names. */
FAKE_API int fake_cuda_launched(const char *name);

/* The bytes of memory that a device gives at most. */
FAKE_API void fake_cuda_limit(int device, size_t nbytes);

/* Keeps a stream from going on until it is called with hold 0. stream: a handle, 1 or 2. */
FAKE_API void fake_cuda_hold(int device, void *stream, int hold);

/* A stream of another library's on the device, which has no order with the legacy stream; and its
 * end. */
FAKE_API void *fake_cuda_foreign_stream(int device);
FAKE_API void fake_cuda_end_stream(void *stream);

/* Has a stream write a byte throughout a block after a number of microseconds, as another library's
 * kernel would. */
FAKE_API void fake_cuda_write_late(int device, void *stream, void *block, size_t nbytes, int byte,
                                   int microseconds);

/* How many microseconds pass before a stream begins a task; 200 unless FAKE_CUDA_LATE says so. */
FAKE_API void fake_cuda_delay(int microseconds);

/* In which order the threads of a block run between two barriers: 0 upwards, 1 downwards. */
FAKE_API void fake_cuda_order(int order);

/* Has a stream of the current device call a function of the host's with a copy of the bytes, as it
 * would run a kernel. gives: the driver's error */
FAKE_API int fake_cuda_call(void *stream, void (*run)(const void *), const void *bytes,
                            size_t nbytes);

/* Whether a function of another library's is told to fail: its error, else 0. */
FAKE_API int fake_cuda_asked(const char *function);

/* What a module's library has for each kernel: see shim.h. */
typedef struct fake_dim3 {
    unsigned x, y, z;
} fake_dim3;

/* What the driver takes a kernel of a graph from. */
typedef struct fake_node_params {
    void *function;
    fake_dim3 groups, items;
    unsigned shared;
    void **arguments, **extra;
    void *kernel, *context;
} fake_node_params;

typedef struct fake_module {
    fake_dim3 *thread, *block, *group, *grid;
    void (**barrier)(void);
    int *exchanges; /* set by a thread that waits for its warp alone; may be NULL */
} fake_module;

#endif
