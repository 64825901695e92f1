/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays from nothing: what is allowed, and what dtype a host number takes. */
#include "../arrays.h"
#include "graph/graph.h"
#include <math.h>

TEST(memory_is_there_at_once_and_constants_are_not)
{
    jg_array *memory, *full, *range;
    assert_ok(jg_empty(JG_DTYPE_FLOAT32, SHAPE(2, 3), &memory));
    assert_ok(jg_full(JG_DTYPE_INT8, SHAPE(1LL << 40), integer_number(1), &full));
    assert_ok(
        jg_arange(JG_DTYPE_INT8, integer_number(0), integer_number(10), integer_number(3), &range));
    assert_int_equal(jg_array_current_state(memory), JG_ARRAY_AVAILABLE);
    assert_int_equal(jg_array_current_state(full), JG_ARRAY_UNSCHEDULED);
    assert_array_shape(range, SHAPE(4));
    release_all(3, (jg_array *[]){memory, full, range});
}

TEST(impossible_shapes_and_dtypes_are_refused)
{
    jg_array *out = NULL;
    assert_fails_saying(JG_ERR_VALUE, "axis 1 has extent -2",
                        jg_empty(JG_DTYPE_INT8, SHAPE(3, -2), &out));
    assert_fails(JG_ERR_VALUE, jg_empty(JG_DTYPE_INT8, 65, NULL, &out));
    assert_fails(JG_ERR_VALUE, jg_empty(JG_DTYPE_FLOAT64, SHAPE(1LL << 61), &out));
    assert_fails(JG_ERR_NOMEM, jg_empty(JG_DTYPE_INT8, SHAPE(INT64_MAX), &out));
    assert_fails(JG_ERR_TYPE, jg_empty(JG_DTYPE_COUNT, SHAPE(3), &out));
    assert_fails(JG_ERR_TYPE, jg_full(JG_DTYPE_INT4, SHAPE(3), integer_number(0), &out));
    assert_fails(JG_ERR_VALUE,
                 jg_full(JG_DTYPE_FLOAT64, SHAPE(1LL << 61), integer_number(0), &out));
    assert_null(out);
}

typedef struct range_case {
    jg_dtype dtype;
    int64_t limit; /* the first that does not fit, up or down */
} range_case;

TEST(integers_outside_the_dtype_are_refused)
{
    const range_case cases[] = {
        {JG_DTYPE_INT8, 128},        {JG_DTYPE_INT8, -129},        {JG_DTYPE_UINT8, 256},
        {JG_DTYPE_UINT8, -1},        {JG_DTYPE_INT16, 32768},      {JG_DTYPE_UINT16, 65536},
        {JG_DTYPE_INT32, 1LL << 31}, {JG_DTYPE_UINT32, 1LL << 32}, {JG_DTYPE_UINT64, -1}};
    jg_array *out = NULL;
    for (size_t i = 0; i < JG_COUNT_OF(cases); ++i) {
        int64_t limit = cases[i].limit, inside = limit < 0 ? limit + 1 : limit - 1;
        assert_fails_saying(JG_ERR_VALUE, "does not fit",
                            jg_full(cases[i].dtype, SCALAR, integer_number(limit), &out));
        assert_null(out);
        assert_ok(jg_full(cases[i].dtype, SCALAR, integer_number(inside), &out));
        replace(&out, NULL);
    }
    jg_number large = {.kind = JG_KIND_UINT, .u64 = UINT64_MAX};
    assert_fails(JG_ERR_VALUE, jg_full(JG_DTYPE_INT64, SCALAR, large, &out));
    assert_ok(jg_full(JG_DTYPE_UINT64, SCALAR, large, &out));
    replace(&out, NULL);
    assert_fails(JG_ERR_TYPE,
                 jg_full(JG_DTYPE_FLOAT32, SCALAR, (jg_number){.kind = JG_KIND_COMPLEX}, &out));
}

TEST(a_range_of_bools_has_two_elements_at_most)
{
    const jg_number zero = integer_number(0), one = integer_number(1);
    jg_array *out = NULL;
    assert_fails_saying(JG_ERR_TYPE, "dtype: got bool for 5 elements, allowed are two",
                        jg_arange(JG_DTYPE_BOOL, zero, integer_number(5), one, &out));
    assert_null(out);
    assert_ok(jg_arange(JG_DTYPE_BOOL, zero, integer_number(2), one, &out));
    assert_elements(out, 0, 1);
    jg_array_release(out);
}

TEST(a_range_of_integers_wraps_after_its_first_element)
{
    jg_array *out = NULL;
    assert_ok(jg_arange(JG_DTYPE_INT8, integer_number(126), integer_number(131), integer_number(1),
                        &out));
    assert_elements(out, 126, 127, -128, -127, -126);
    jg_array_release(out);
}

TEST(ranges_are_of_real_numbers)
{
    const jg_number one = integer_number(1), wide = {.kind = JG_KIND_UINT, .u64 = 1ULL << 63};
    const jg_number complex = {.kind = JG_KIND_COMPLEX, .re = 5}, none = {.kind = JG_KIND_OPAQUE};
    jg_array *out = NULL;
    assert_fails_saying(JG_ERR_TYPE,
                        "stop: ", jg_arange(JG_DTYPE_FLOAT32, one, complex, one, &out));
    assert_fails_saying(JG_ERR_TYPE, "start: ", jg_arange(JG_DTYPE_INT8, complex, one, one, &out));
    assert_fails_saying(JG_ERR_TYPE, "step: ", jg_arange(JG_DTYPE_INT8, one, one, none, &out));
    assert_fails_saying(JG_ERR_VALUE, "step: ", jg_arange(JG_DTYPE_INT64, one, wide, wide, &out));
    assert_null(out);
    assert_ok(jg_arange(JG_DTYPE_UINT64, one, wide, wide, &out));
    assert_elements(out, 1);
    replace(&out, NULL);
}

typedef struct count_case {
    int64_t start, stop, step, count;
} count_case;

TEST(ranges_count_as_pythons_do)
{
    const count_case cases[] = {{0, 5, 1, 5},
                                {0, 5, 2, 3},
                                {5, 0, -1, 5},
                                {5, 0, -2, 3},
                                {0, 0, 1, 0},
                                {0, 5, -1, 0},
                                {5, 0, 1, 0},
                                {-3, 3, 3, 2},
                                {0, 1, 99, 1},
                                {0, -1, -99, 1},
                                {INT64_MIN, INT64_MIN + 2, 1, 2}};
    for (size_t i = 0; i < JG_COUNT_OF(cases); ++i) {
        const count_case *c = &cases[i];
        jg_array *x;
        assert_ok(jg_arange(JG_DTYPE_INT64, integer_number(c->start), integer_number(c->stop),
                            integer_number(c->step), &x));
        assert_int_equal(jg_array_size(x), c->count);
        replace(&x, NULL);
        if (c->start == INT64_MIN)
            continue;
        assert_ok(jg_arange(JG_DTYPE_FLOAT64, float_number((double)c->start / 8),
                            float_number((double)c->stop / 8), float_number((double)c->step / 8),
                            &x));
        assert_int_equal(jg_array_size(x), c->count);
        jg_array_release(x);
    }
}

TEST(ranges_without_a_count_are_refused)
{
    jg_array *out = NULL;
    const count_case cases[] = {
        {0, 1, 0, 0}, {INT64_MIN, INT64_MAX, 1, 0}, {0, INT64_MIN, -1, 0}, {0, INT64_MAX, 1, 0}};
    for (size_t i = 0; i < JG_COUNT_OF(cases); ++i)
        assert_fails(JG_ERR_VALUE,
                     jg_arange(JG_DTYPE_INT64, integer_number(cases[i].start),
                               integer_number(cases[i].stop), integer_number(cases[i].step), &out));
    const double floats[][3] = {
        {0, INFINITY, 1}, {0, 1, 0}, {0, 1, NAN}, {0, 1e300, 1e-10}, {NAN, 1, 1}};
    for (size_t i = 0; i < JG_COUNT_OF(floats); ++i)
        assert_fails(JG_ERR_VALUE,
                     jg_arange(JG_DTYPE_FLOAT32, float_number(floats[i][0]),
                               float_number(floats[i][1]), float_number(floats[i][2]), &out));
    assert_fails(JG_ERR_TYPE, jg_arange(JG_DTYPE_FLOAT8_E5M2, integer_number(0), integer_number(1),
                                        integer_number(1), &out));
    assert_null(out);
}

typedef struct weak_case {
    jg_dtype_kind kind;
    jg_dtype like, result;
} weak_case;

TEST(a_number_takes_its_dtype_from_what_it_meets)
{
    const weak_case cases[] = {{JG_KIND_BOOL, JG_DTYPE_FLOAT64, JG_DTYPE_BOOL},
                               {JG_KIND_INT, JG_DTYPE_UINT8, JG_DTYPE_UINT8},
                               {JG_KIND_INT, JG_DTYPE_BOOL, JG_DTYPE_INT64},
                               {JG_KIND_INT, JG_DTYPE_FLOAT16, JG_DTYPE_FLOAT16},
                               {JG_KIND_FLOAT, JG_DTYPE_INT64, JG_DTYPE_FLOAT32},
                               {JG_KIND_FLOAT, JG_DTYPE_BFLOAT16, JG_DTYPE_BFLOAT16},
                               {JG_KIND_FLOAT, JG_DTYPE_COMPLEX64, JG_DTYPE_COMPLEX64},
                               {JG_KIND_COMPLEX, JG_DTYPE_FLOAT64, JG_DTYPE_COMPLEX128},
                               {JG_KIND_COMPLEX, JG_DTYPE_INT8, JG_DTYPE_COMPLEX64}};
    for (size_t i = 0; i < JG_COUNT_OF(cases); ++i) {
        jg_array *like, *x;
        assert_ok(jg_empty(cases[i].like, SCALAR, &like));
        assert_ok(jg_array_from_number((jg_number){.kind = cases[i].kind}, like, &x));
        assert_int_equal(jg_array_dtype(x), cases[i].result);
        assert_int_equal(jg_array_ndim(x), 0);
        release_all(2, (jg_array *[]){like, x});
    }
}

TEST(a_number_beyond_what_it_meets_is_refused)
{
    jg_array *like, *out = NULL;
    assert_ok(jg_empty(JG_DTYPE_INT8, SHAPE(3), &like));
    assert_fails_saying(JG_ERR_VALUE, "300 does not fit int8",
                        jg_array_from_number(integer_number(300), like, &out));
    assert_null(out);
    jg_array_release(like);
}

TEST(data_is_copied)
{
    int16_t data[] = {1, -2, 3, 4}, back[4];
    jg_array *x;
    assert_ok(jg_array_from_data(data, JG_DTYPE_INT16, SHAPE(2, 2), &x));
    data[0] = 9;
    assert_ok(jg_array_copy_to(x, back, sizeof back));
    assert_int_equal(back[0], 1);
    assert_int_equal(back[1], -2);
    assert_fails(JG_ERR_VALUE, jg_array_copy_to(x, back, sizeof back - 1));
    replace(&x, NULL);
    assert_ok(jg_array_from_data(NULL, JG_DTYPE_INT16, SHAPE(0, 2), &x));
    assert_ok(jg_array_copy_to(x, NULL, 0));
    jg_array_release(x);
}
