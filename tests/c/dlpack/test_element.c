/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of views: addresses, values and walks, whatever the strides and the width of
 * elements. */
#include "../support.h"
#include <joggle/joggle.h>

static const jg_device_id cpu = {JG_DEVICE_CPU, 0};

TEST(a_walk_meets_every_position_once_in_row_major_order)
{
    float data[6] = {0, 1, 2, 3, 4, 5};
    /* The transpose of 2 x 3. */
    jg_view view;
    assert_ok(jg_view_init(&view, data, cpu, JG_DTYPE_FLOAT32, 1, 2, (int64_t[]){3, 2},
                           (int64_t[]){1, 3}, 0));
    const float expected[6] = {0, 3, 1, 4, 2, 5};
    int64_t index[2] = {0};
    int count = 0;
    do {
        const float *element = jg_view_at(&view, index);
        assert_true(count < 6);
        assert_float_equal(*element, expected[count++], 0);
    } while (jg_view_next(&view, index));
    assert_int_equal(count, 6);
    assert_int_equal(index[0], 0);
    assert_int_equal(index[1], 0);
}

TEST(a_scalar_has_one_position)
{
    double data = 2.5;
    jg_view view;
    jg_number number;
    assert_ok(jg_view_init(&view, &data, cpu, JG_DTYPE_FLOAT64, 1, 0, NULL, NULL, 0));
    assert_ptr_equal(jg_view_at(&view, NULL), &data);
    assert_ok(jg_view_load(&view, NULL, 0, &number));
    assert_int_equal(number.kind, JG_KIND_FLOAT);
    assert_float_equal(number.re, 2.5, 0);
    assert_false(jg_view_next(&view, NULL));
}

TEST(negative_strides_byte_offsets_and_lanes_are_followed)
{
    int16_t data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    jg_view view;
    jg_number number;
    /* Positions of two lanes, from the last to the first. */
    assert_ok(jg_view_init(&view, data + 6, cpu, JG_DTYPE_INT16, 2, 1, (int64_t[]){3},
                           (int64_t[]){-1}, 0));
    view.byte_offset = 0;
    assert_ptr_equal(jg_view_at(&view, (int64_t[]){2}), data + 2);
    assert_ok(jg_view_load(&view, (int64_t[]){2}, 1, &number));
    assert_int_equal(number.i64, 3);
    view.data = data;
    view.byte_offset = 6 * sizeof *data;
    assert_ptr_equal(jg_view_at(&view, (int64_t[]){1}), data + 4);
    assert_ok(jg_view_load(&view, (int64_t[]){1}, 0, &number));
    assert_int_equal(number.i64, 4);
}

TEST(elements_that_share_bytes_have_values_but_no_addresses)
{
    uint8_t packed[2] = {0x21, 0x4f}, padded[3] = {1, 2, 0x0f};
    jg_view view;
    jg_number number;
    assert_ok(jg_view_init(&view, packed, cpu, JG_DTYPE_INT4, 1, 1, (int64_t[]){4}, NULL, 0));
    assert_null(jg_view_at(&view, (int64_t[]){1}));
    const int64_t expected[4] = {1, 2, -1, 4};
    for (int64_t i = 0; i < 4; ++i) {
        assert_ok(jg_view_load(&view, &i, 0, &number));
        assert_int_equal(number.i64, expected[i]);
    }
    assert_ok(jg_view_init(&view, padded, cpu, JG_DTYPE_INT4, 1, 1, (int64_t[]){3}, NULL,
                           JG_VIEW_SUBBYTE_PADDED));
    assert_ptr_equal(jg_view_at(&view, (int64_t[]){2}), padded + 2);
    for (int64_t i = 0; i < 3; ++i) {
        assert_ok(jg_view_load(&view, &i, 0, &number));
        assert_int_equal(number.i64, expected[i]);
    }
}

TEST(other_devices_and_lanes_are_refused)
{
    float data[2] = {1, 2};
    jg_view view;
    jg_number number;
    assert_ok(jg_view_init(&view, data, cpu, JG_DTYPE_FLOAT32, 1, 1, (int64_t[]){2}, NULL, 0));
    assert_fails_saying(JG_ERR_VALUE, "lane: got 1, allowed are 0 to 0",
                        jg_view_load(&view, (int64_t[]){0}, 1, &number));
    view.device = (jg_device_id){JG_DEVICE_CUDA, 1};
    assert_null(jg_view_at(&view, (int64_t[]){0}));
    assert_fails_saying(JG_ERR_DEVICE, "view: lies on cuda:1",
                        jg_view_load(&view, (int64_t[]){0}, 0, &number));
}
