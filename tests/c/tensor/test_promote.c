/* SPDX-License-Identifier: Apache-2.0 */
/* jg_dtype_promote against the Array API standard's tables and against what holds for every
 * pair. */
#include "../tests.h"

#include "tensor/tensor.h"
#include <string.h>

static jg_dtype promoted(jg_dtype a, jg_dtype b)
{
    jg_dtype result = JG_DTYPE_COUNT;
    assert_int_equal(jg_dtype_promote(a, b, &result), JG_OK);
    return result;
}

#define ROW(a, b, both)                                                                            \
    {                                                                                              \
        JG_DTYPE_##a, JG_DTYPE_##b, JG_DTYPE_##both                                                \
    }

TEST(the_tables_of_the_standard_hold)
{
    const jg_dtype pairs[][3] = {
        ROW(INT8, INT8, INT8),
        ROW(INT8, INT16, INT16),
        ROW(INT8, INT32, INT32),
        ROW(INT8, INT64, INT64),
        ROW(INT16, INT32, INT32),
        ROW(INT16, INT64, INT64),
        ROW(INT32, INT64, INT64),
        ROW(UINT8, UINT16, UINT16),
        ROW(UINT8, UINT32, UINT32),
        ROW(UINT8, UINT64, UINT64),
        ROW(UINT16, UINT32, UINT32),
        ROW(UINT16, UINT64, UINT64),
        ROW(UINT32, UINT64, UINT64),
        ROW(INT8, UINT8, INT16),
        ROW(INT8, UINT16, INT32),
        ROW(INT8, UINT32, INT64),
        ROW(INT16, UINT8, INT16),
        ROW(INT16, UINT16, INT32),
        ROW(INT16, UINT32, INT64),
        ROW(INT32, UINT8, INT32),
        ROW(INT32, UINT16, INT32),
        ROW(INT32, UINT32, INT64),
        ROW(INT64, UINT8, INT64),
        ROW(INT64, UINT16, INT64),
        ROW(INT64, UINT32, INT64),
        ROW(FLOAT32, FLOAT64, FLOAT64),
        ROW(FLOAT32, COMPLEX64, COMPLEX64),
        ROW(FLOAT32, COMPLEX128, COMPLEX128),
        ROW(FLOAT64, COMPLEX64, COMPLEX128),
        ROW(FLOAT64, COMPLEX128, COMPLEX128),
        ROW(COMPLEX64, COMPLEX128, COMPLEX128),
    };
    for (size_t i = 0; i < JG_COUNT_OF(pairs); i++) {
        assert_int_equal(promoted(pairs[i][0], pairs[i][1]), pairs[i][2]);
        assert_int_equal(promoted(pairs[i][1], pairs[i][0]), pairs[i][2]);
    }
}

TEST(where_the_standard_is_silent_the_kind_decides)
{
    assert_int_equal(promoted(JG_DTYPE_UINT64, JG_DTYPE_INT8), JG_DTYPE_FLOAT64);
    assert_int_equal(promoted(JG_DTYPE_INT64, JG_DTYPE_UINT64), JG_DTYPE_FLOAT64);
    assert_int_equal(promoted(JG_DTYPE_INT64, JG_DTYPE_FLOAT16), JG_DTYPE_FLOAT16);
    assert_int_equal(promoted(JG_DTYPE_BFLOAT16, JG_DTYPE_UINT64), JG_DTYPE_BFLOAT16);
    assert_int_equal(promoted(JG_DTYPE_INT64, JG_DTYPE_COMPLEX64), JG_DTYPE_COMPLEX64);
    assert_int_equal(promoted(JG_DTYPE_FLOAT16, JG_DTYPE_BFLOAT16), JG_DTYPE_FLOAT32);
    assert_int_equal(promoted(JG_DTYPE_BFLOAT16, JG_DTYPE_FLOAT32), JG_DTYPE_FLOAT32);
    assert_int_equal(promoted(JG_DTYPE_BFLOAT16, JG_DTYPE_COMPLEX64), JG_DTYPE_COMPLEX64);
}

/* For every pair of computable dtypes. */
static void for_pairs(void (*check)(jg_dtype a, jg_dtype b))
{
    for (int a = 0; a < JG_DTYPE_COUNT; a++) {
        for (int b = 0; b < JG_DTYPE_COUNT; b++) {
            if (jg_dtype_is_computable((jg_dtype)a) && jg_dtype_is_computable((jg_dtype)b))
                check((jg_dtype)a, (jg_dtype)b);
        }
    }
}

static void check_order(jg_dtype a, jg_dtype b)
{
    assert_int_equal(promoted(a, b), promoted(b, a));
}

static void check_stable(jg_dtype a, jg_dtype b)
{
    jg_dtype both = promoted(a, b);
    assert_true(jg_dtype_is_computable(both));
    assert_int_equal(promoted(both, a), both);
    assert_int_equal(promoted(both, b), both);
}

static void check_bool(jg_dtype a, jg_dtype b)
{
    if (b == JG_DTYPE_BOOL)
        assert_int_equal(promoted(a, b), a);
}

TEST(the_order_does_not_matter)
{
    for_pairs(check_order);
}

TEST(the_result_takes_in_both)
{
    for_pairs(check_stable);
}

/* Whatever any two of a set meet in, the set's dtype takes in. */
static void check_set(uint64_t dtypes)
{
    jg_dtype common;
    assert_int_equal(jg_dtype_promote_set(dtypes, &common), JG_OK);
    for (int a = 0; a < JG_DTYPE_COUNT; ++a)
        for (int b = 0; b <= a; ++b)
            if ((dtypes >> a & 1) && (dtypes >> b & 1))
                assert_int_equal(promoted(common, promoted((jg_dtype)a, (jg_dtype)b)), common);
}

TEST(a_set_meets_where_all_its_pairs_do)
{
    jg_dtype common;
    for (uint64_t dtypes = 1; dtypes < JG_DTYPE_BIT(JG_DTYPE_COMPLEX128 + 1); ++dtypes)
        check_set(dtypes);
    uint64_t dtypes = JG_DTYPE_BIT(JG_DTYPE_UINT64) | JG_DTYPE_BIT(JG_DTYPE_INT64) |
                      JG_DTYPE_BIT(JG_DTYPE_FLOAT16);
    assert_int_equal(jg_dtype_promote_set(dtypes, &common), JG_OK);
    assert_int_equal(common, JG_DTYPE_FLOAT64);
    assert_int_equal(jg_dtype_promote_set(0, &common), JG_ERR_VALUE);
    assert_int_equal(jg_dtype_promote_set(JG_DTYPE_BIT(JG_DTYPE_COUNT), &common), JG_ERR_VALUE);
    dtypes = JG_DTYPE_BIT(JG_DTYPE_FLOAT8_E4M3FN);
    assert_int_equal(jg_dtype_promote_set(dtypes, &common), JG_OK);
    assert_int_equal(common, JG_DTYPE_FLOAT8_E4M3FN);
    dtypes |= JG_DTYPE_BIT(JG_DTYPE_BOOL);
    assert_int_equal(jg_dtype_promote_set(dtypes, &common), JG_ERR_TYPE);
}

TEST(bool_gives_way_to_everything)
{
    for_pairs(check_bool);
}

TEST(dtypes_that_ops_do_not_compute_on_are_refused)
{
    jg_dtype result = JG_DTYPE_COUNT;
    assert_int_equal(jg_dtype_promote(JG_DTYPE_FLOAT32, JG_DTYPE_FLOAT8_E5M2, &result),
                     JG_ERR_TYPE);
    assert_non_null(strstr(jg_error_message(), "do not compute on float8_e5m2"));
    assert_int_equal(jg_dtype_promote(JG_DTYPE_INT4, JG_DTYPE_INT4, &result), JG_ERR_TYPE);
    assert_int_equal(jg_dtype_promote(JG_DTYPE_COUNT, JG_DTYPE_INT8, &result), JG_ERR_TYPE);
    assert_int_equal(result, JG_DTYPE_COUNT);
}
