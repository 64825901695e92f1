/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of a device whose memory the host cannot reach, in and out: the handle and the offset go
 * through as they are, and what is wrong with them is said before anything is taken. */
#include "../opaque_device.h"
#include "producer.h"

static void *new_block(size_t nbytes, const float *data, size_t count)
{
    void *block;
    const device_copy copy = {
        DEVICE_FROM_HOST, {NULL, 16}, {(void *)data, 0}, count * sizeof *data};
    assert_ok(device_alloc(&opaque_devices[0], nbytes, &block));
    device_copy to = copy;
    to.to.handle = block;
    assert_ok(device_copy_all(&opaque_devices[0], NULL, 1, &to));
    return block;
}

/* A (2, 3) float32 tensor that begins 16 bytes behind the handle. */
static void on_device(producer *own, void *block)
{
    producer_init(own);
    DLTensor *tensor = &own->managed.dl_tensor;
    tensor->data = block;
    tensor->byte_offset = 16;
    tensor->device = (DLDevice){(DLDeviceType)kDLExtDev, 0};
}

static const float numbers[] = {1, 2, 3, 4, 5, 6};

TEST(a_tensor_comes_in_and_goes_out_with_handle_and_offset)
{
    producer own;
    jg_array *x, *y;
    DLManagedTensorVersioned *out;
    void *block = new_block(64, numbers, 6);
    on_device(&own, block);
    assert_ok(jg_array_take_managed(&own.managed, JG_COPY_NEVER, &x, NULL));
    assert_elements(x, 1, 2, 3, 4, 5, 6);
    assert_ok(jg_multiply(x, x, &y));
    assert_elements(y, 1, 4, 9, 16, 25, 36);
    assert_ok(jg_array_to_managed(x, JG_COPY_NEVER, &out));
    assert_ptr_equal(out->dl_tensor.data, block);
    assert_int_equal(out->dl_tensor.byte_offset, 16);
    assert_int_equal(out->dl_tensor.device.device_type, kDLExtDev);
    jg_array *all[] = {x, y};
    release_all(2, all);
    assert_int_equal(atomic_load(&own.deleted), 0);
    out->deleter(out);
    assert_int_equal(atomic_load(&own.deleted), 1);
    device_free(&opaque_devices[0], block, 64);
}

TEST(a_copy_is_made_on_the_device)
{
    producer own;
    jg_array *x;
    jg_view view;
    void *block = new_block(64, numbers, 6);
    on_device(&own, block);
    assert_ok(jg_array_take_managed(&own.managed, JG_COPY_ALWAYS, &x, NULL));
    assert_int_equal(atomic_load(&own.deleted), 1);
    device_free(&opaque_devices[0], block, 64);
    assert_ok(jg_array_view(x, &view));
    assert_int_equal(view.device.type, JG_DEVICE_EXT);
    assert_elements(x, 1, 2, 3, 4, 5, 6);
    jg_array_release(x);
}

TEST(what_the_handle_does_not_hold_is_refused)
{
    jg_array *x;
    producer own;
    void *block = new_block(64, numbers, 6);
    on_device(&own, block);
    own.managed.dl_tensor.byte_offset = 44; /* 24 bytes from here end at 68 */
    assert_fails_saying(JG_ERR_BUFFER, "needs 68 bytes",
                        jg_array_take_managed(&own.managed, JG_COPY_IF_NEEDED, &x, NULL));
    own.managed.dl_tensor.byte_offset = 18;
    assert_fails_saying(JG_ERR_BUFFER, "byte_offset: got 18",
                        jg_array_take_managed(&own.managed, JG_COPY_IF_NEEDED, &x, NULL));
    own.managed.dl_tensor.byte_offset = 8;
    own.strides[0] = -3; /* three elements before the first, which is two behind the handle */
    assert_fails_saying(JG_ERR_BUFFER, "reach 12 bytes below it",
                        jg_array_take_managed(&own.managed, JG_COPY_IF_NEEDED, &x, NULL));
    on_device(&own, (char *)block + 1);
    assert_fails_saying(JG_ERR_BUFFER, "no handle of opaque:0",
                        jg_array_take_managed(&own.managed, JG_COPY_IF_NEEDED, &x, NULL));
    on_device(&own, block);
    own.managed.dl_tensor.device.device_id = 9;
    assert_fails_saying(JG_ERR_DEVICE, "ext:9",
                        jg_array_take_managed(&own.managed, JG_COPY_IF_NEEDED, &x, NULL));
    assert_int_equal(atomic_load(&own.deleted), 0);
    device_free(&opaque_devices[0], block, 64);
}

TEST(negative_strides_stay_inside_the_handle)
{
    jg_array *x, *y;
    producer own;
    void *block = new_block(64, numbers, 6);
    on_device(&own, block);
    own.managed.dl_tensor.byte_offset = 16 + 12;
    own.strides[0] = -3;
    assert_ok(jg_array_take_managed(&own.managed, JG_COPY_NEVER, &x, NULL));
    assert_elements(x, 4, 5, 6, 1, 2, 3);
    assert_ok(jg_add(x, x, &y));
    assert_elements(y, 8, 10, 12, 2, 4, 6);
    jg_array *all[] = {x, y};
    release_all(2, all);
    device_free(&opaque_devices[0], block, 64);
}

TEST(the_exchange_table_allocates_there)
{
    DLManagedTensorVersioned *out;
    producer own;
    on_device(&own, NULL);
    assert_int_equal(jg_exchange_allocate(&own.managed.dl_tensor, &out, NULL, NULL), 0);
    assert_int_equal(out->dl_tensor.device.device_type, kDLExtDev);
    assert_int_equal(opaque_states[0].nlive > 0, 1);
    out->deleter(out);
}

TEST(memory_is_all_given_back)
{
    jg_clear_cache();
    assert_int_equal(opaque_states[0].nlive, 0);
}

static int add_device(void **state)
{
    (void)state;
    opaque_register();
    return 0;
}
BEFORE_ALL(add_device)
