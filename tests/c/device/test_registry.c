/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of the process, and which device memory of the host comes in on. */
#include "../opaque_device.h"
#include "device/cuda/cuda.h"
#include <joggle/joggle.h>

TEST(host_memory_of_every_kind_is_the_cpus)
{
    const int32_t kinds[] = {JG_DEVICE_CPU, JG_DEVICE_CUDA_HOST, JG_DEVICE_ROCM_HOST,
                             JG_DEVICE_CUDA_MANAGED};
    for (size_t i = 0; i < JG_COUNT_OF(kinds); ++i) {
        assert_true(jg_device_is_available((jg_device_id){kinds[i], 0}));
        assert_ptr_equal(device_find((jg_device_id){kinds[i], 3}), device_cpu());
    }
}

TEST(a_second_cpu_is_refused_where_a_device_is_named)
{
    const jg_device_id second = {JG_DEVICE_CPU, 3};
    size_t size;
    uint64_t total;
    jg_stream *stream;
    jg_array *x, *y;
    assert_ok(jg_empty(JG_DTYPE_FLOAT32, 0, NULL, &x));
    assert_int_equal(jg_device_count(JG_DEVICE_CPU), 1);
    assert_false(jg_device_is_available(second));
    assert_null(jg_device_title(second));
    assert_true(
        jg_device_is_available((jg_device_id){JG_DEVICE_CUDA_HOST, 1})); /* a GPU's number */
    assert_fails_saying(JG_ERR_DEVICE, "got cpu:3 (DLPack type 1), allowed is cpu",
                        jg_device_require(second));
    assert_fails(JG_ERR_DEVICE, jg_device_set_default(second));
    assert_fails(JG_ERR_DEVICE, jg_device_memory(second, &total, &total));
    assert_fails(JG_ERR_DEVICE, jg_device_memory_use(second, &size, &size, &size));
    assert_fails(JG_ERR_DEVICE, jg_stream_new(second, &stream));
    assert_fails(JG_ERR_DEVICE, jg_stream_default(second, &stream));
    assert_fails(JG_ERR_DEVICE, jg_fields_set_device(second));
    assert_fails(JG_ERR_DEVICE, jg_to_device(x, second, &y));
    jg_array_release(x);
}

TEST(following_no_stream_is_nothing_on_any_device)
{
    assert_ok(jg_stream_follow((jg_device_id){JG_DEVICE_CPU, 0}, JG_STREAM_UNORDERED));
    assert_fails(JG_ERR_UNSUPPORTED, jg_stream_follow((jg_device_id){JG_DEVICE_CPU, 0}, 1));
}

TEST(a_device_without_a_back_end_is_refused_by_name)
{
    jg_device *device;
    assert_false(jg_device_is_available((jg_device_id){JG_DEVICE_VULKAN, 0}));
    assert_fails_saying(JG_ERR_DEVICE, "vulkan:2",
                        device_require((jg_device_id){JG_DEVICE_VULKAN, 2}, &device));
    assert_fails_saying(JG_ERR_DEVICE, "type 99", device_require((jg_device_id){99, 0}, &device));
}

TEST(a_registered_device_is_found_by_its_number)
{
    static jg_device_ops old_ops, partial_ops, halved_ops, unfreed_ops;
    static jg_device device = {.ops = &opaque_ops, .id = {JG_DEVICE_EXT, 1}},
                     old = {.ops = &old_ops, .id = {JG_DEVICE_EXT, 8}},
                     partial = {.ops = &partial_ops, .id = {JG_DEVICE_EXT, 8}},
                     halved = {.ops = &halved_ops, .id = {JG_DEVICE_EXT, 8}},
                     unfreed = {.ops = &unfreed_ops, .id = {JG_DEVICE_EXT, 8}};
    static const device_facts facts;
    void *block;
    old_ops = partial_ops = halved_ops = unfreed_ops = opaque_ops;
    old_ops.version = DEVICE_OPS_VERSION - 1;
    partial_ops.mark_wait = NULL;
    halved.facts = &facts;
    unfreed_ops.product_new = cuda_product_new;
    assert_ok(device_register(&device));
    assert_ptr_equal(device_find(OTHER_OPAQUE), &device);
    assert_null(device_find((jg_device_id){JG_DEVICE_EXT, 8}));
    assert_fails_saying(JG_ERR_VALUE, "got one that is registered", device_register(&device));
    assert_fails_saying(JG_ERR_VALUE, "version", device_register(&old));
    assert_fails_saying(JG_ERR_VALUE, "the slot mark_wait is NULL, allowed are functions",
                        device_register(&partial));
    assert_fails_saying(JG_ERR_VALUE, "all or none", device_register(&halved));
    assert_fails_saying(JG_ERR_VALUE, "slots for products", device_register(&unfreed));
    assert_ptr_equal(device_at(device.index), &device);
    assert_int_equal(device_cpu()->index, 0);
    opaque_states[1].limit = 100;
    assert_fails(JG_ERR_NOMEM, device_alloc(&device, 101, &block));
}

TEST(cpu_memory_is_aligned_and_large_blocks_to_huge_pages)
{
    void *small, *large;
    assert_ok(device_alloc(device_cpu(), 1, &small));
    assert_ok(device_alloc(device_cpu(), 4 << 20, &large));
    assert_int_equal((uintptr_t)small % BASE_BLOCK_ALIGNMENT, 0);
    assert_int_equal((uintptr_t)large % (2 << 20), 0);
    device_free(device_cpu(), small, 1);
    device_free(device_cpu(), large, 4 << 20);
}

TEST(devices_have_names)
{
    assert_string_equal(jg_device_type_name(JG_DEVICE_CPU), "cpu");
    assert_string_equal(jg_device_type_name(JG_DEVICE_CUDA_MANAGED), "cuda_managed");
    assert_string_equal(jg_device_type_name(5), "unknown");
    assert_string_equal(jg_device_type_name(-1), "unknown");
}

TEST(a_device_is_found_by_its_name)
{
    const struct {
        const char *text;
        jg_device_id id;
    } right[] = {{"cpu", {JG_DEVICE_CPU, 0}},
                 {"cpu:0", {JG_DEVICE_CPU, 0}},
                 {"opencl:12", {JG_DEVICE_OPENCL, 12}},
                 {"rocm:2147483647", {JG_DEVICE_ROCM, INT32_MAX}},
                 {"cuda_managed", {JG_DEVICE_CUDA_MANAGED, 0}},
                 {"gpu:3", {JG_DEVICE_CUDA, 3}}};
    const char *const wrong[] = {
        "",       "cp",     "cpux", "unknown", "unknown:0", "cpu:",    "cpu:-1",          "cpu: 1",
        "cpu:+1", "cpu:1x", "CPU",  ":0",      "gpus",      "cpu:0:0", "cuda:2147483648", "cpu:1"};
    jg_device_id id = {-5, -6};
    assert_fails_saying(JG_ERR_VALUE, "NULL", jg_device_parse(NULL, &id));
    for (size_t i = 0; i < JG_COUNT_OF(wrong); ++i) {
        assert_fails_saying(JG_ERR_VALUE, wrong[i], jg_device_parse(wrong[i], &id));
        assert_true(id.type == -5 && id.id == -6);
    }
    for (size_t i = 0; i < JG_COUNT_OF(right); ++i) {
        assert_ok(jg_device_parse(right[i].text, &id));
        assert_true(id.type == right[i].id.type && id.id == right[i].id.id);
    }
}
