/* SPDX-License-Identifier: Apache-2.0 */
/* Runs kernels given as text: compiles them and plays the launcher, on the pool. */
#ifndef JG_TESTS_JIT_LAUNCH_H
#define JG_TESTS_JIT_LAUNCH_H

#include "../support.h"

#include "jit/jit.h"
#include "kernel/cut.h"
#include "tensor/tensor.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAUNCH_MAX = 16 };

/* One launch; arrays are row-major unless strides are given for them. */
typedef struct launch {
    kernel_host host; /* first member */
    void *addresses[LAUNCH_MAX];
    int64_t extents[LAUNCH_MAX * 4], strides[LAUNCH_MAX * 4];
    uint64_t scalars[LAUNCH_MAX], results[LAUNCH_MAX], seed;
    int narrays, naxes, nscalars;
    atomic_int prints;
    atomic_uint failed_at; /* the position of the assertion */
    uint64_t values[4];    /* of the last message */
    int64_t grain;         /* 0: the test's own */
    bool alone;            /* on the calling thread, by the loops' second bodies */
} launch;

static inline void launch_parallel(kernel_host *host, int64_t count, const kernel_loop *loop,
                                   void *frame)
{
    launch *l = (launch *)host;
    int64_t grain = loop->grain;
    if (grain == 0)
        grain = l->grain > 0 ? l->grain : 100;
    if (l->alone)
        loop->alone(frame, 0, count);
    else
        pool_run(count, grain, loop->body, frame);
}

static inline void launch_fail(kernel_host *host, uint32_t position, const uint64_t *values)
{
    launch *l = (launch *)host;
    atomic_store(&l->failed_at, position);
    memcpy(l->values, values, sizeof l->values[0]);
    atomic_store(&host->failed, 1);
}

static inline void launch_print(kernel_host *host, uint32_t position, const uint64_t *values)
{
    launch *l = (launch *)host;
    (void)position;
    atomic_fetch_add(&l->prints, 1);
    l->values[0] = values[0];
}

static inline bool launch_grow(kernel_host *host, kernel_stack *stack, size_t itemsize)
{
    int64_t capacity = stack->capacity > 0 ? 2 * stack->capacity : 4;
    (void)host;
    stack->data = realloc(stack->data, (size_t)capacity * itemsize);
    stack->capacity = capacity;
    return stack->data != NULL;
}

static inline bool launch_ends(kernel_host *host)
{
    return atomic_load(&host->failed) != 0;
}

static inline void launch_drop(kernel_host *host, kernel_stack *stack)
{
    (void)host;
    free(stack->data);
}

static inline void launch_init(launch *l)
{
    memset(l, 0, sizeof *l);
    l->host.parallel = launch_parallel;
    l->host.fail = launch_fail;
    l->host.print = launch_print;
    l->host.grow = launch_grow;
    l->host.drop = launch_drop;
    l->host.ends = launch_ends;
}

/* An array of that many axes, row-major, whose extents follow. */
static inline void launch_array(launch *l, void *address, int64_t itemsize, int ndim, ...)
{
    va_list extents;
    va_start(extents, ndim);
    l->addresses[l->narrays++] = address;
    for (int d = 0; d < ndim; ++d)
        l->extents[l->naxes + d] = va_arg(extents, int64_t);
    va_end(extents);
    for (int d = ndim - 1; d >= 0; --d) {
        l->strides[l->naxes + d] = itemsize;
        itemsize *= l->extents[l->naxes + d];
    }
    l->naxes += ndim;
}

static inline void launch_scalar(launch *l, const void *value, size_t nbytes)
{
    memcpy(&l->scalars[l->nscalars++], value, nbytes);
}
#define launch_f32(l, x) launch_scalar((l), &(float){x}, sizeof(float))
#define launch_f64(l, x) launch_scalar((l), &(double){x}, sizeof(double))
#define launch_i32(l, x) launch_scalar((l), &(int32_t){x}, sizeof(int32_t))
#define launch_i64(l, x) launch_scalar((l), &(int64_t){x}, sizeof(int64_t))

static inline kernel_code *compile_text(const char *text, unsigned flags)
{
    kernel_program kernel;
    kernel_code *code;
    assert_ok(kernel_parse(text, &kernel));
    assert_ok(kernel_cut(&kernel));
    assert_ok(jit_compiler.compile(&kernel, flags, &code));
    kernel_clear(&kernel);
    return code;
}

static inline void launch_code(launch *l, const kernel_code *code)
{
    kernel_arguments arguments = {l->addresses, l->extents, l->strides,
                                  l->scalars,   l->results, l->seed};
    jit_compiler.entry(code)(&arguments, &l->host);
}

/* Compiles, runs, releases. */
static inline void launch_text(launch *l, const char *text)
{
    kernel_code *code = compile_text(text, COMPILE_NO_ALIAS);
    launch_code(l, code);
    jit_compiler.release(code);
}

/* The result as what it is. */
static inline float result_f32(const launch *l, int i)
{
    float value;
    memcpy(&value, &l->results[i], sizeof value);
    return value;
}

static inline double result_f64(const launch *l, int i)
{
    double value;
    memcpy(&value, &l->results[i], sizeof value);
    return value;
}

#endif
