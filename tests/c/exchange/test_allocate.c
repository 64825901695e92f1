/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator of DLPack's exchange table: 0 and a tensor, or -1 and one call of set_error. */
#include "producer.h"
#include <stdio.h>

typedef struct complaint {
    int calls;
    char kind[32], message[256];
} complaint;

static void complain(void *context, const char *kind, const char *message)
{
    complaint *own = context;
    own->calls += 1;
    snprintf(own->kind, sizeof own->kind, "%s", kind);
    snprintf(own->message, sizeof own->message, "%s", message);
}

TEST(a_prototype_gets_memory_of_its_kind)
{
    producer own;
    DLManagedTensorVersioned *out = NULL;
    complaint heard = {0};
    producer_init(&own);
    DLTensor prototype = own.managed.dl_tensor;
    prototype.data = NULL;
    prototype.strides = NULL;
    assert_int_equal(jg_exchange_allocate(&prototype, &out, &heard, complain), 0);
    assert_int_equal(heard.calls, 0);
    assert_int_equal(out->version.major, 1);
    assert_int_equal(out->flags, 0);
    assert_int_equal(out->dl_tensor.ndim, 2);
    assert_int_equal(out->dl_tensor.shape[1], 3);
    assert_int_equal(out->dl_tensor.strides[0], 3);
    memset(out->dl_tensor.data, 1, 6 * sizeof(float));
    out->deleter(out);
}

typedef struct bad_case {
    int64_t extent;
    int32_t ndim;
    DLDataType dtype;
    DLDevice device;
    const char *kind, *named;
} bad_case;

static const bad_case bad_cases[] = {
    {-1, 1, {kDLFloat, 32, 1}, {kDLCPU, 0}, "ValueError", "extent -1"},
    {3, -1, {kDLFloat, 32, 1}, {kDLCPU, 0}, "ValueError", "ndim"},
    {3, 65, {kDLFloat, 32, 1}, {kDLCPU, 0}, "ValueError", "ndim"},
    {INT64_MAX, 1, {kDLInt, 8, 1}, {kDLCPU, 0}, "MemoryError", "memory"},
    {3, 1, {kDLFloat, 31, 1}, {kDLCPU, 0}, "BufferError", "31"},
    {3, 1, {kDLFloat, 32, 4}, {kDLCPU, 0}, "BufferError", "dtype.lanes: got 4"},
    {3, 1, {kDLFloat, 32, 0}, {kDLCPU, 0}, "BufferError", "dtype.lanes: got 0"},
    {3, 1, {99, 32, 1}, {kDLCPU, 0}, "BufferError", "99"},
    {3, 1, {kDLFloat, 32, 1}, {kDLVulkan, 0}, "BufferError", "vulkan"},
};

TEST(failures_are_told_once_with_their_kind)
{
    for (size_t i = 0; i < JG_COUNT_OF(bad_cases); ++i) {
        const bad_case *c = &bad_cases[i];
        int64_t shape[65] = {c->extent};
        DLTensor prototype = {
            .device = c->device, .ndim = c->ndim, .dtype = c->dtype, .shape = shape};
        DLManagedTensorVersioned *out = NULL;
        complaint heard = {0};
        assert_int_equal(jg_exchange_allocate(&prototype, &out, &heard, complain), -1);
        assert_int_equal(heard.calls, 1);
        assert_string_equal(heard.kind, c->kind);
        if (strstr(heard.message, c->named) == NULL)
            fail_msg("\"%s\" does not hold \"%s\"", heard.message, c->named);
        assert_null(out);
        assert_int_equal(jg_exchange_allocate(&prototype, &out, NULL, NULL), -1);
    }
}

TEST(a_prototype_without_a_shape_is_refused_or_a_scalar)
{
    DLTensor prototype = {.device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1}};
    DLManagedTensorVersioned *out = NULL;
    complaint heard = {0};
    assert_int_equal(jg_exchange_allocate(&prototype, &out, &heard, complain), -1);
    assert_string_equal(heard.kind, "BufferError");
    prototype.ndim = 0;
    assert_int_equal(jg_exchange_allocate(&prototype, &out, &heard, complain), 0);
    out->deleter(out);
}
