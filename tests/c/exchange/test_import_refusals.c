/* SPDX-License-Identifier: Apache-2.0 */
/* What is refused stays its producer's: the deleter is not called, and another can still take
 * it. */
#include "producer.h"

typedef void spoil(producer *own);

static void null_data(producer *own)
{
    own->managed.dl_tensor.data = NULL;
}
static void null_shape(producer *own)
{
    own->managed.dl_tensor.shape = NULL;
}
static void negative_extent(producer *own)
{
    own->shape[0] = -1;
}
static void negative_ndim(producer *own)
{
    own->managed.dl_tensor.ndim = -1;
}
static void too_many_axes(producer *own)
{
    own->managed.dl_tensor.ndim = JG_MAX_NDIM + 1;
}
static void huge_product(producer *own)
{
    own->shape[0] = own->shape[1] = 1LL << 32;
}
static void huge_bytes(producer *own)
{
    own->shape[0] = 1LL << 61;
}
static void huge_stride(producer *own)
{
    own->strides[0] = INT64_MAX;
}
static void huge_offset(producer *own)
{
    own->managed.dl_tensor.byte_offset = UINT64_MAX;
}
static void no_lanes(producer *own)
{
    own->managed.dl_tensor.dtype.lanes = 0;
}
static void unknown_code(producer *own)
{
    own->managed.dl_tensor.dtype.code = 99;
}
static void unknown_bits(producer *own)
{
    own->managed.dl_tensor.dtype.bits = 33;
}
static void unknown_device(producer *own)
{
    own->managed.dl_tensor.device.device_type = (DLDeviceType)99;
}
static void no_back_end(producer *own)
{
    own->managed.dl_tensor.device.device_type = kDLVulkan;
}
static void opaque(producer *own)
{
    own->managed.dl_tensor.dtype = (DLDataType){kDLOpaqueHandle, 64, 1};
}
static void packed_lanes(producer *own)
{
    own->managed.dl_tensor.dtype = (DLDataType){kDLInt, 4, 3};
}
static void packed_strides(producer *own)
{
    own->managed.dl_tensor.dtype = (DLDataType){kDLInt, 4, 1};
    own->strides[0] = 4;
}
static void empty_but_too_wide_with_lanes(producer *own)
{
    own->shape[0] = 0;
    own->shape[1] = 1LL << 62;
    own->managed.dl_tensor.dtype.lanes = 4;
}

typedef struct refusal {
    spoil *spoil;
    jg_status status;
    const char *named; /* in the message */
} refusal;

static const refusal refusals[] = {
    {null_data, JG_ERR_BUFFER, "data"},
    {null_shape, JG_ERR_BUFFER, "shape"},
    {negative_extent, JG_ERR_BUFFER, "shape[0]"},
    {negative_ndim, JG_ERR_BUFFER, "ndim"},
    {too_many_axes, JG_ERR_BUFFER, "ndim"},
    {huge_product, JG_ERR_BUFFER, "shape"},
    {huge_bytes, JG_ERR_BUFFER, "shape"},
    {huge_stride, JG_ERR_BUFFER, "strides["},
    {huge_offset, JG_ERR_BUFFER, "byte_offset"},
    {no_lanes, JG_ERR_BUFFER, "lanes"},
    {unknown_code, JG_ERR_BUFFER, "99"},
    {unknown_bits, JG_ERR_BUFFER, "33"},
    {unknown_device, JG_ERR_BUFFER, "99"},
    {no_back_end, JG_ERR_DEVICE, "vulkan"},
    {opaque, JG_ERR_BUFFER, "opaque"},
    {packed_lanes, JG_ERR_BUFFER, "lanes"},
    {packed_strides, JG_ERR_BUFFER, "strides"},
    {empty_but_too_wide_with_lanes, JG_ERR_BUFFER, "shape"},
};

static void check_refusal(const refusal *c, way by, jg_copy_policy copy)
{
    producer own;
    jg_array *x = NULL;
    producer_init(&own);
    c->spoil(&own);
    jg_status status = take(&own, by, copy, &x);
    if (status != c->status || strstr(jg_error_message(), c->named) == NULL)
        fail_msg("the case of %s gave %s: %s", c->named, jg_status_name(status),
                 jg_error_message());
    assert_null(x);
    assert_int_equal(own.deleted, 0);
}

TEST(nothing_is_taken_from_what_is_refused)
{
    for (size_t i = 0; i < JG_COUNT_OF(refusals); ++i)
        for (way by = 0; by < WAY_COUNT; ++by)
            for (jg_copy_policy copy = JG_COPY_IF_NEEDED; copy <= JG_COPY_ALWAYS; ++copy)
                check_refusal(&refusals[i], by, copy);
}

TEST(a_refused_tensor_can_be_taken_by_another)
{
    producer own;
    jg_array *x;
    producer_init(&own);
    own.managed.dl_tensor.dtype.lanes = 0;
    assert_fails(JG_ERR_BUFFER, take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
    own.managed.dl_tensor.dtype.lanes = 1;
    assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
    jg_array_release(x);
    assert_int_equal(own.deleted, 1);
}

/* Only the part up to the deleter is known of another major version: that is called, once. */
TEST(another_major_version_is_deleted_unread)
{
    const uint32_t majors[] = {0, 2, UINT32_MAX};
    for (size_t i = 0; i < JG_COUNT_OF(majors); ++i) {
        producer own;
        jg_array *x = NULL;
        bool taken = false;
        producer_init(&own);
        own.managed.version.major = majors[i];
        memset(&own.managed.dl_tensor, 0xff, sizeof own.managed.dl_tensor);
        assert_fails_saying(JG_ERR_BUFFER, "version",
                            jg_array_take_managed(&own.managed, JG_COPY_IF_NEEDED, &x, &taken));
        assert_true(taken);
        assert_null(x);
        assert_int_equal(own.deleted, 1);
        own.managed.deleter = NULL;
        assert_fails(JG_ERR_BUFFER, take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
    }
}

TEST(newer_minor_versions_and_unknown_flags_are_fine)
{
    producer own;
    jg_array *x;
    DLManagedTensorVersioned *again;
    bool taken = false;
    producer_init(&own);
    own.managed.version.minor = 99;
    own.managed.flags = ~(uint64_t)7;
    assert_ok(jg_array_take_managed(&own.managed, JG_COPY_NEVER, &x, &taken));
    assert_true(taken);
    assert_ok(jg_array_to_managed(x, JG_COPY_NEVER, &again));
    assert_int_equal(again->flags, 0); /* what nobody knows is not passed on */
    again->deleter(again);
    jg_array_release(x);
}

TEST(padded_sub_byte_elements_are_refused)
{
    producer own;
    jg_array *x = NULL;
    bool taken = true;
    producer_init(&own);
    own.managed.dl_tensor.dtype = (DLDataType){kDLUInt, 4, 1};
    own.managed.flags = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
    assert_fails_saying(JG_ERR_BUFFER, "padded",
                        jg_array_take_managed(&own.managed, JG_COPY_IF_NEEDED, &x, &taken));
    assert_false(taken);
    assert_int_equal(own.deleted, 0);
}
