/* SPDX-License-Identifier: Apache-2.0 */
/* Index arrays and masks among the items of an index. */
#include "../arrays.h"

#define INTEGERS(...)                                                                              \
    from_integers(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})

static jg_array *from_integers(size_t count, const int64_t *data)
{
    jg_array *x;
    const int64_t extent = (int64_t)count;
    assert_ok(jg_array_from_data(data, JG_DTYPE_INT64, 1, &extent, &x));
    return x;
}

TEST(rows_are_chosen_by_number)
{
    jg_array *x = counting(JG_DTYPE_INT32, SHAPE(3, 2)), *rows = INTEGERS(2, 0, -1), *y;
    assert_ok(jg_slice(x, ITEMS(ARRAY(rows)), &y));
    assert_array_shape(y, SHAPE(3, 2));
    assert_elements(y, 5, 6, 1, 2, 5, 6);
    release_all(3, (jg_array *[]){x, rows, y});
}

TEST(axes_of_arrays_go_to_the_front_if_something_stands_between_them)
{
    jg_array *x = counting(JG_DTYPE_INT32, SHAPE(2, 3, 2)), *index = INTEGERS(1), *y;
    assert_ok(jg_slice(x, ITEMS(ALL, ARRAY(index), AT(0)), &y));
    assert_array_shape(y, SHAPE(2, 1));
    assert_elements(y, 3, 9);
    replace(&y, NULL);
    assert_ok(jg_slice(x, ITEMS(ARRAY(index), ALL, AT(0)), &y));
    assert_array_shape(y, SHAPE(1, 3));
    assert_elements(y, 7, 9, 11);
    release_all(3, (jg_array *[]){x, index, y});
}

TEST(masks_stand_for_as_many_axes_as_they_have)
{
    jg_array *x = counting(JG_DTYPE_INT32, SHAPE(2, 2, 2)), *limit, *mask, *part, *y;
    assert_ok(jg_full(JG_DTYPE_INT32, SCALAR, integer_number(4), &limit));
    assert_ok(jg_greater(x, limit, &mask));
    assert_ok(jg_slice(x, ITEMS(ARRAY(mask)), &y));
    assert_elements(y, 5, 6, 7, 8);
    replace(&y, NULL);
    assert_ok(jg_slice(mask, ITEMS(AT(1)), &part));
    assert_ok(jg_slice(x, ITEMS(AT(0), ARRAY(part)), &y));
    assert_elements(y, 1, 2, 3, 4);
    release_all(5, (jg_array *[]){x, limit, mask, part, y});
}

TEST(a_number_outside_its_axis_fails_when_it_is_run_and_names_the_axis)
{
    jg_array *x = counting(JG_DTYPE_INT32, SHAPE(2, 3)), *index = INTEGERS(0, 3), *y;
    assert_ok(jg_slice(x, ITEMS(ALL, ARRAY(index)), &y));
    assert_fails_saying(JG_ERR_INDEX, "[gather] index: 3 is out of range for axis 1 with extent 3",
                        jg_eval(1, &y));
    release_all(3, (jg_array *[]){x, index, y});
}

TEST(packed_elements_and_indices_that_are_no_integers_are_refused)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(2)), *index = INTEGERS(0), *packed, *y = NULL;
    assert_ok(jg_empty(JG_DTYPE_INT4, SHAPE(2), &packed));
    assert_fails(JG_ERR_TYPE, jg_slice(x, ITEMS(ARRAY(x)), &y));
    assert_fails(JG_ERR_TYPE, jg_slice(packed, ITEMS(ARRAY(index)), &y));
    assert_null(y);
    release_all(3, (jg_array *[]){x, index, packed});
}
