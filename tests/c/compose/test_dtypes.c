/* SPDX-License-Identifier: Apache-2.0 */
/* Dtypes that ops cannot use: numbers that are none, and packed integers as indices. */
#include "../arrays.h"
#include <joggle/ops.h>

static const jg_dtype none[] = {(jg_dtype)-1, JG_DTYPE_COUNT, (jg_dtype)99, (jg_dtype)INT32_MAX};

TEST(a_number_that_is_no_dtype_is_refused)
{
    const int64_t axis = 0;
    jg_array *x = ones(2), *out = NULL;
    jg_number number;
    for (size_t i = 0; i < JG_COUNT_OF(none); ++i) {
        const char *says = "allowed are those of jg_dtype";
        assert_fails_saying(JG_ERR_TYPE, says, jg_bitcast(x, none[i], &out));
        assert_fails_saying(JG_ERR_TYPE, says, jg_linspace(0, 1, 3, true, &none[i], &out));
        assert_fails_saying(JG_ERR_TYPE, says, jg_cumsum(x, &axis, false, true, &none[i], &out));
        assert_fails_saying(JG_ERR_TYPE, says,
                            jg_random_normal(NULL, SHAPE(2), none[i], NULL, NULL, &out));
        assert_fails_saying(JG_ERR_TYPE, says, jg_number_load(none[i], &axis, 0, &number));
    }
    jg_array_release(x);
}

TEST(packed_integers_are_no_indices)
{
    static const jg_dtype packed[] = {JG_DTYPE_INT4, JG_DTYPE_UINT4, JG_DTYPE_INT2, JG_DTYPE_UINT1};
    const uint8_t bytes[] = {0x10, 0x32, 0, 0};
    const int64_t axis = 0;
    jg_array *x = ones(4), *indices, *out = NULL;
    for (size_t i = 0; i < JG_COUNT_OF(packed); ++i) {
        assert_ok(jg_array_from_data(bytes, packed[i], SHAPE(4), &indices));
        const jg_index item = {.kind = JG_INDEX_ARRAY, .array = indices};
        assert_fails(JG_ERR_TYPE, jg_take(x, indices, &axis, &out));
        assert_fails(JG_ERR_TYPE, jg_take_along_axis(x, indices, &axis, &out));
        assert_fails(JG_ERR_TYPE, jg_slice(x, 1, &item, &out));
        assert_fails(JG_ERR_TYPE, jg_slice_update(x, 1, &item, x, &out));
        assert_fails(JG_ERR_TYPE, jg_searchsorted(x, x, "left", indices, &out));
        jg_array_release(indices);
    }
    jg_array_release(x);
}
