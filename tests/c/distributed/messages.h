/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of messages over the MPI library of tests/mpi share. A failure ends all messages of a
 * process, so each test has its own. */
#ifndef TESTS_DISTRIBUTED_MESSAGES_H
#define TESTS_DISTRIBUTED_MESSAGES_H

#include "../../mpi/fake_mpi.h"
#include "../arrays.h"
#include "../forked.h"
#include <dlfcn.h>
#include <joggle/distributed.h>
#include <joggle/ops.h>

enum { COUNT = 6 };

static inline fake_controls *controls(void)
{
    fake_mpi_controls_function *function;
    void *library = dlopen(option_text(OPTION_MPI), RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL)
        return NULL;
    *(void **)&function = dlsym(library, "fake_mpi_controls");
    return function();
}

/* Opens the library and makes group 0. gives: what tests tell it, NULL after a failure */
static inline fake_controls *join(void)
{
    int64_t group;
    fake_controls *told = controls();
    return told != NULL && jg_distributed_init(true, "mpi", &group) == JG_OK ? told : NULL;
}

/* Evaluates x and compares its elements with first, first + step, ...; takes x. */
static inline bool holds(jg_array *x, int64_t count, float first, float step)
{
    jg_view view;
    bool same = x != NULL && jg_eval(1, &x) == JG_OK && jg_array_view(x, &view) == JG_OK;
    for (int64_t i = 0; same && i < count; ++i)
        same = ((const float *)view.data)[i] == first + step * (float)i;
    jg_array_release(x);
    return same;
}

static inline jg_array *numbers(void)
{
    const float values[COUNT] = {1, 2, 3, 4, 5, 6};
    jg_array *x = NULL;
    const int64_t shape[] = {COUNT};
    return jg_array_from_data(values, JG_DTYPE_FLOAT32, 1, shape, &x) == JG_OK ? x : NULL;
}

typedef jg_status collective(jg_array *a, int64_t group, jg_array **out);

static inline jg_array *of(collective *op)
{
    jg_array *x = numbers(), *made = NULL;
    jg_status status = op(x, 0, &made);
    jg_array_release(x);
    return status == JG_OK ? made : NULL;
}

static inline jg_array *received(int64_t count, int64_t from)
{
    jg_array *bytes = NULL, *x = NULL;
    if (jg_distributed_recv(1, &count, JG_DTYPE_UINT8, from, 0, &bytes) == JG_OK &&
        jg_astype(bytes, JG_DTYPE_FLOAT32, &x) != JG_OK)
        x = NULL;
    jg_array_release(bytes);
    return x;
}

static inline jg_array *sent(int64_t to)
{
    jg_array *x = numbers(), *made = NULL;
    jg_status status = jg_distributed_send(x, to, 0, &made);
    jg_array_release(x);
    return status == JG_OK ? made : NULL;
}

#endif
