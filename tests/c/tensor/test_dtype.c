/* SPDX-License-Identifier: Apache-2.0 */
/* What can be asked about a dtype, and elements as scalars. */
#include "../tests.h"

#include "tensor/tensor.h"
#include <float.h>
#include <math.h>
#include <string.h>

TEST(every_name_leads_back_to_its_dtype)
{
    for (int i = 0; i < JG_DTYPE_COUNT; i++) {
        jg_dtype found;
        assert_int_equal(jg_dtype_from_name(jg_dtype_name((jg_dtype)i), &found), JG_OK);
        assert_int_equal(found, i);
    }
}

TEST(an_unknown_name_is_refused_and_quoted)
{
    jg_dtype found = JG_DTYPE_COUNT;
    assert_int_equal(jg_dtype_from_name("float33", &found), JG_ERR_VALUE);
    assert_non_null(strstr(jg_error_message(), "'float33'"));
    assert_int_equal(jg_dtype_from_name(NULL, &found), JG_ERR_VALUE);
    assert_int_equal(found, JG_DTYPE_COUNT);
}

TEST(outside_the_enum_there_is_nothing_to_say)
{
    const jg_dtype outside[] = {JG_DTYPE_COUNT, (jg_dtype)-1, (jg_dtype)1000};
    for (size_t i = 0; i < JG_COUNT_OF(outside); i++) {
        assert_string_equal(jg_dtype_name(outside[i]), "invalid");
        assert_int_equal(jg_dtype_bits(outside[i]), 0);
        assert_int_equal(jg_dtype_kind_of(outside[i]), JG_KIND_COUNT);
        assert_false(jg_dtype_is_computable(outside[i]));
    }
}

TEST(bits_count_a_whole_element)
{
    assert_int_equal(jg_dtype_bits(JG_DTYPE_COMPLEX64), 64);
    assert_int_equal(jg_dtype_bits(JG_DTYPE_FLOAT6_E3M2FN), 6);
    assert_int_equal(jg_dtype_bits(JG_DTYPE_FLOAT4_E2M1FN_X2), 8);
}

TEST(limits_are_those_of_c)
{
    jg_float_limits limits;
    assert_int_equal(jg_dtype_float_limits(JG_DTYPE_FLOAT32, &limits), JG_OK);
    assert_true(limits.largest == FLT_MAX && limits.epsilon == FLT_EPSILON);
    assert_true(limits.smallest_normal == FLT_MIN && limits.smallest_subnormal == 0x1p-149);
    assert_int_equal(jg_dtype_float_limits(JG_DTYPE_COMPLEX128, &limits), JG_OK);
    assert_int_equal(limits.dtype, JG_DTYPE_FLOAT64);
    assert_true(limits.largest == DBL_MAX && limits.epsilon == DBL_EPSILON);
    assert_true(limits.smallest_normal == DBL_MIN && limits.smallest_subnormal == 0x1p-1074);
    assert_int_equal(jg_dtype_float_limits(JG_DTYPE_FLOAT8_E4M3FN, &limits), JG_OK);
    assert_true(limits.largest == 448 && limits.epsilon == 0.125);
    const jg_dtype refused[] = {JG_DTYPE_INT32, JG_DTYPE_BOOL, JG_DTYPE_FLOAT128, JG_DTYPE_COUNT};
    for (size_t i = 0; i < JG_COUNT_OF(refused); i++)
        assert_int_equal(jg_dtype_float_limits(refused[i], &limits), JG_ERR_TYPE);
}

TEST(numbers_take_their_dtype_beside_another)
{
    assert_int_equal(jg_dtype_beside(JG_KIND_BOOL, JG_DTYPE_INT8), JG_DTYPE_BOOL);
    assert_int_equal(jg_dtype_beside(JG_KIND_INT, JG_DTYPE_INT8), JG_DTYPE_INT8);
    assert_int_equal(jg_dtype_beside(JG_KIND_INT, JG_DTYPE_BOOL), JG_DTYPE_INT64);
    assert_int_equal(jg_dtype_beside(JG_KIND_FLOAT, JG_DTYPE_UINT64), JG_DTYPE_FLOAT32);
    assert_int_equal(jg_dtype_beside(JG_KIND_FLOAT, JG_DTYPE_BFLOAT16), JG_DTYPE_BFLOAT16);
    assert_int_equal(jg_dtype_beside(JG_KIND_COMPLEX, JG_DTYPE_FLOAT64), JG_DTYPE_COMPLEX128);
    assert_int_equal(jg_dtype_beside(JG_KIND_COMPLEX, JG_DTYPE_INT8), JG_DTYPE_COMPLEX64);
}

TEST(sub_byte_dtypes_have_no_itemsize)
{
    assert_int_equal(dtype_itemsize(JG_DTYPE_FLOAT64), 8);
    assert_int_equal(dtype_itemsize(JG_DTYPE_COMPLEX128), 16);
    assert_int_equal(dtype_itemsize(JG_DTYPE_INT4), 0);
    assert_int_equal(dtype_itemsize(JG_DTYPE_FLOAT6_E2M3FN), 0);
    assert_int_equal(dtype_itemsize(JG_DTYPE_FLOAT4_E2M1FN_X2), 1);
}

TEST(packed_elements_fill_bytes_without_gaps)
{
    const struct {
        jg_dtype dtype;
        int64_t count;
        size_t nbytes;
    } cases[] = {
        {JG_DTYPE_FLOAT32, 3, 12},
        {JG_DTYPE_INT4, 0, 0},
        {JG_DTYPE_INT4, 3, 2},
        {JG_DTYPE_UINT1, 9, 2},
        {JG_DTYPE_FLOAT6_E2M3FN, 4, 3},
        {JG_DTYPE_FLOAT6_E2M3FN, 5, 4},
        {JG_DTYPE_UINT1, INT64_MAX, (size_t)1 << 60},
        {JG_DTYPE_INT8, INT64_MAX, PTRDIFF_MAX},
    };
    for (size_t i = 0; i < JG_COUNT_OF(cases); i++) {
        size_t nbytes;
        assert_int_equal(dtype_nbytes(cases[i].dtype, cases[i].count, &nbytes), JG_OK);
        assert_int_equal(nbytes, cases[i].nbytes);
    }
}

TEST(more_bytes_than_memory_has_are_refused)
{
    size_t nbytes;
    assert_int_equal(dtype_nbytes(JG_DTYPE_INT16, INT64_MAX / 2 + 1, &nbytes), JG_ERR_VALUE);
    assert_int_equal(dtype_nbytes(JG_DTYPE_COMPLEX128, INT64_MAX, &nbytes), JG_ERR_VALUE);
    assert_int_equal(dtype_nbytes(JG_DTYPE_INT8, -1, &nbytes), JG_ERR_VALUE);
}

TEST(a_packed_pair_is_found_before_its_value)
{
    jg_dtype found;
    assert_int_equal(dtype_from_dlpack(17, 4, 2, &found), JG_OK);
    assert_int_equal(found, JG_DTYPE_FLOAT4_E2M1FN_X2);
    assert_int_equal(dtype_from_dlpack(17, 4, 3, &found), JG_OK);
    assert_int_equal(found, JG_DTYPE_FLOAT4_E2M1FN);
    assert_int_equal(dtype_from_dlpack(2, 32, 4, &found), JG_OK);
    assert_int_equal(found, JG_DTYPE_FLOAT32);
}

TEST(triples_without_a_row_are_refused)
{
    jg_dtype found;
    assert_int_equal(dtype_from_dlpack(2, 32, 0, &found), JG_ERR_BUFFER);
    assert_int_equal(dtype_from_dlpack(2, 24, 1, &found), JG_ERR_BUFFER);
    assert_int_equal(dtype_from_dlpack(255, 8, 1, &found), JG_ERR_BUFFER);
}

TEST(dtypes_tell_their_real_part_and_default_float)
{
    assert_int_equal(dtype_real_part(JG_DTYPE_COMPLEX32), JG_DTYPE_FLOAT16);
    assert_int_equal(dtype_real_part(JG_DTYPE_COMPLEX64), JG_DTYPE_FLOAT32);
    assert_int_equal(dtype_real_part(JG_DTYPE_COMPLEX128), JG_DTYPE_FLOAT64);
    assert_int_equal(dtype_real_part(JG_DTYPE_BFLOAT16), JG_DTYPE_BFLOAT16);
    assert_int_equal(dtype_with_float(JG_DTYPE_BOOL), JG_DTYPE_FLOAT32);
    assert_int_equal(dtype_with_float(JG_DTYPE_UINT64), JG_DTYPE_FLOAT32);
    assert_int_equal(dtype_with_float(JG_DTYPE_FLOAT16), JG_DTYPE_FLOAT16);
    assert_int_equal(dtype_with_float(JG_DTYPE_COMPLEX64), JG_DTYPE_COMPLEX64);
}

/* Stores value as dtype, loads it back, and says whether it is the same in every member. */
static bool survives(jg_scalar value, jg_dtype_kind kind, jg_dtype dtype)
{
    unsigned char element[16];
    jg_scalar back;
    scalar_store(value, kind, dtype, element);
    return scalar_load(element, dtype, &back) == kind && memcmp(&back, &value, sizeof back) == 0;
}

TEST(a_scalar_survives_its_own_dtype)
{
    for (int i = 0; i < JG_DTYPE_COUNT; i++) {
        jg_dtype dtype = (jg_dtype)i;
        jg_dtype_kind kind = jg_dtype_kind_of(dtype);
        jg_scalar value = {.bits = {0, 0}};
        if (!jg_dtype_is_computable(dtype))
            continue;
        if (kind == JG_KIND_FLOAT || kind == JG_KIND_COMPLEX)
            value.f64 = -1.5;
        else
            value.i64 = 1;
        if (kind == JG_KIND_COMPLEX)
            value.complex_parts[1] = 0.25;
        if (kind == JG_KIND_INT)
            value.i64 = -100;
        assert_true(survives(value, kind, dtype));
    }
}

TEST(a_double_is_rounded_once_to_half)
{
    uint16_t half;
    /* Just above the tie between 1 and 1 + 2^-10; through a float it would become the tie
     * itself. */
    jg_scalar value = {.f64 = 1 + ldexp(1, -11) + ldexp(1, -40)};
    scalar_store(value, JG_KIND_FLOAT, JG_DTYPE_FLOAT16, &half);
    assert_int_equal(half, 0x3c01);
    value.f64 = 1 + ldexp(1, -8) + ldexp(1, -40);
    scalar_store(value, JG_KIND_FLOAT, JG_DTYPE_BFLOAT16, &half);
    assert_int_equal(half, 0x3f81);
    value.f64 = -1e300;
    scalar_store(value, JG_KIND_FLOAT, JG_DTYPE_FLOAT16, &half);
    assert_int_equal(half, 0xfc00);
    value.f64 = 1e-300;
    scalar_store(value, JG_KIND_FLOAT, JG_DTYPE_BFLOAT16, &half);
    assert_int_equal(half, 0);
}

TEST(a_double_beyond_an_integer_saturates)
{
    int8_t narrow;
    uint64_t wide;
    scalar_store((jg_scalar){.f64 = 1e9}, JG_KIND_FLOAT, JG_DTYPE_INT8, &narrow);
    assert_int_equal(narrow, INT8_MAX);
    scalar_store((jg_scalar){.f64 = -INFINITY}, JG_KIND_FLOAT, JG_DTYPE_INT8, &narrow);
    assert_int_equal(narrow, INT8_MIN);
    scalar_store((jg_scalar){.f64 = -3.9}, JG_KIND_FLOAT, JG_DTYPE_INT8, &narrow);
    assert_int_equal(narrow, -3);
    scalar_store((jg_scalar){.f64 = NAN}, JG_KIND_FLOAT, JG_DTYPE_UINT64, &wide);
    assert_true(wide == 0);
    scalar_store((jg_scalar){.f64 = 1e30}, JG_KIND_FLOAT, JG_DTYPE_UINT64, &wide);
    assert_true(wide == UINT64_MAX);
}

TEST(kinds_convert_into_each_other)
{
    float parts[2];
    bool truth;
    double large;
    scalar_store((jg_scalar){.i64 = -7}, JG_KIND_INT, JG_DTYPE_COMPLEX64, parts);
    assert_true(parts[0] == -7 && parts[1] == 0);
    scalar_store((jg_scalar){.complex_parts = {0, 2}}, JG_KIND_COMPLEX, JG_DTYPE_BOOL, &truth);
    assert_true(truth);
    scalar_store((jg_scalar){.f64 = -0.0}, JG_KIND_FLOAT, JG_DTYPE_BOOL, &truth);
    assert_false(truth);
    scalar_store((jg_scalar){.u64 = UINT64_MAX}, JG_KIND_UINT, JG_DTYPE_FLOAT64, &large);
    assert_true(large == 18446744073709551616.0);
}
