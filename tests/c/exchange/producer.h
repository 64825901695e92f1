/* SPDX-License-Identifier: Apache-2.0 */
/* A producer of DLPack tensors that counts how often its deleters are called. */
#ifndef JG_TESTS_PRODUCER_H
#define JG_TESTS_PRODUCER_H

#include "../arrays.h"
#include <stdatomic.h>

typedef struct producer {
    DLManagedTensorVersioned managed;
    DLManagedTensor legacy;
    atomic_int deleted;
    int64_t shape[4], strides[4];
    _Alignas(64) float data[32]; /* 1, 2, 3, ... */
} producer;

static inline void delete_managed(DLManagedTensorVersioned *self)
{
    atomic_fetch_add(&((producer *)self->manager_ctx)->deleted, 1);
}

static inline void delete_legacy(DLManagedTensor *self)
{
    atomic_fetch_add(&((producer *)self->manager_ctx)->deleted, 1);
}

static inline void count_release(void *context)
{
    atomic_fetch_add(&((producer *)context)->deleted, 1);
}

/* Starts as a float32 matrix of shape (2, 3), row-major, on the CPU, in both kinds of struct. */
static inline void producer_init(producer *own)
{
    memset(own, 0, sizeof *own);
    for (int i = 0; i < 32; ++i)
        own->data[i] = (float)(i + 1);
    own->shape[0] = 2;
    own->shape[1] = own->strides[0] = 3;
    own->strides[1] = 1;
    DLTensor tensor = {.data = own->data,
                       .device = {kDLCPU, 0},
                       .ndim = 2,
                       .dtype = {kDLFloat, 32, 1},
                       .shape = own->shape,
                       .strides = own->strides};
    own->managed = (DLManagedTensorVersioned){
        .version = {1, 3}, .manager_ctx = own, .deleter = delete_managed, .dl_tensor = tensor};
    own->legacy =
        (DLManagedTensor){.dl_tensor = tensor, .manager_ctx = own, .deleter = delete_legacy};
}

/* The same tensor as a view. */
static inline jg_view producer_view(producer *own)
{
    jg_view view;
    assert_ok(jg_view_from_managed(&own->managed, &view));
    return view;
}

typedef enum way { WAY_VIEW, WAY_MANAGED, WAY_LEGACY, WAY_COUNT } way;

/* Imports the tensor of own->managed in one of the three ways. */
static inline jg_status take(producer *own, way by, jg_copy_policy copy, jg_array **out)
{
    if (by == WAY_MANAGED)
        return jg_array_take_managed(&own->managed, copy, out, NULL);
    if (by == WAY_LEGACY) {
        own->legacy.dl_tensor = own->managed.dl_tensor;
        return jg_array_take_managed_legacy(&own->legacy, copy, out);
    }
    jg_view view;
    jg_status status = jg_view_from_managed(&own->managed, &view);
    return status != JG_OK ? status : jg_array_take_view(&view, copy, count_release, own, out);
}

#endif
