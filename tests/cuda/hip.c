/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between HIP and the fake driver in more than names, which hip_names.c has. */
#include "fake.h"

#include <stdio.h>
#include <string.h>

FAKE_API int cuDeviceGetAttribute(int *out, int what, int ordinal);
FAKE_API int cuGetErrorName(int error, const char **out);
FAKE_API int hipDeviceGetAttribute(int *out, int what, int ordinal);
FAKE_API int hipDrvGetErrorName(int error, const char **out);
FAKE_API int hipGetDevicePropertiesR0600(void *out, int ordinal);

/* Attributes by the numbers of HIP's header; groups run in steps of 64. */
int hipDeviceGetAttribute(int *out, int what, int ordinal)
{
    static const int numbers[][2] = {{56, 1}, {74, 8}, {63, 16}, {16, 18}, {88, 115}};
    *out = what == 87 ? 64 : what == 23 ? 9 : 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (numbers[i][0] == what)
            return cuDeviceGetAttribute(out, numbers[i][1], ordinal);
    return 0;
}

int hipDrvGetErrorName(int error, const char **out)
{
    *out = error == 2     ? "hipErrorOutOfMemory"
           : error == 700 ? "hipErrorIllegalAddress"
                          : "hipErrorUnknown";
    return 0;
}

int hipGetDevicePropertiesR0600(void *out, int ordinal)
{
    enum { NBYTES = 1472, CODE_NAME = 1160, LENGTH = 256 };
    memset(out, 0x5a, NBYTES);
    snprintf((char *)out + CODE_NAME, LENGTH, "%s",
             ordinal == 0 ? "gfx90a:sramecc+:xnack-" : "gfx1100");
    return 0;
}

/* What a kernel of a graph is taken from has other places for the same. */
typedef struct hip_params {
    fake_dim3 items;
    void **extra, *function;
    fake_dim3 groups;
    void **arguments;
    unsigned shared;
} hip_params;

FAKE_API int cuGraphAddKernelNode_v2(void **out, void *graph, void *const *before, size_t nbefore,
                                     const void *params);
FAKE_API int cuGraphExecKernelNodeSetParams_v2(void *made, void *node, const void *params);
FAKE_API int hipGraphAddKernelNode(void **out, void *graph, void *const *before, size_t nbefore,
                                   const void *params);
FAKE_API int hipGraphExecKernelNodeSetParams(void *made, void *node, const void *params);

static fake_node_params params_of(const void *params)
{
    const hip_params *theirs = params;
    return (fake_node_params){.function = theirs->function,
                              .groups = theirs->groups,
                              .items = theirs->items,
                              .arguments = theirs->arguments};
}

int hipGraphAddKernelNode(void **out, void *graph, void *const *before, size_t nbefore,
                          const void *params)
{
    const fake_node_params own = params_of(params);
    return cuGraphAddKernelNode_v2(out, graph, before, nbefore, &own);
}

int hipGraphExecKernelNodeSetParams(void *made, void *node, const void *params)
{
    const fake_node_params own = params_of(params);
    return cuGraphExecKernelNodeSetParams_v2(made, node, &own);
}
