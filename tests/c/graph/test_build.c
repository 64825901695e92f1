/* SPDX-License-Identifier: Apache-2.0 */
/* Building: dtype and shape are known at once, bad input fails at the call, nothing is computed. */
#include "../arrays.h"
#include "graph/graph.h"

static jg_array *empty(jg_dtype dtype, int ndim, const int64_t *shape)
{
    jg_array *x;
    assert_ok(jg_empty(dtype, ndim, shape, &x));
    return x;
}

TEST(a_result_has_its_dtype_and_shape_before_it_is_computed)
{
    jg_array *a = empty(JG_DTYPE_INT8, SHAPE(2, 1)), *b = empty(JG_DTYPE_INT16, SHAPE(3)), *sum;
    assert_ok(jg_add(a, b, &sum));
    assert_int_equal(jg_array_dtype(sum), JG_DTYPE_INT16);
    assert_array_shape(sum, SHAPE(2, 3));
    assert_int_equal(jg_array_size(sum), 6);
    assert_int_equal(jg_array_nbytes(sum), 12);
    assert_int_equal(jg_array_current_state(sum), JG_ARRAY_UNSCHEDULED);
    assert_int_equal(jg_array_device(sum).type, JG_DEVICE_CPU);
    release_all(3, (jg_array *[]){a, b, sum});
}

TEST(shapes_that_do_not_broadcast_are_refused_with_both_shown)
{
    jg_array *a = empty(JG_DTYPE_INT8, SHAPE(2, 1)), *b = empty(JG_DTYPE_INT8, SHAPE(3, 4)),
             *out = NULL;
    assert_fails_saying(JG_ERR_VALUE, "(2, 1) and (3, 4)", jg_add(a, b, &out));
    assert_fails(JG_ERR_VALUE, jg_where(a, b, b, &out));
    assert_null(out);
    release_all(2, (jg_array *[]){a, b});
}

TEST(three_operands_broadcast_together)
{
    jg_array *a = empty(JG_DTYPE_BOOL, SHAPE(4, 1, 1)), *b = empty(JG_DTYPE_INT8, SHAPE(3, 1));
    jg_array *c = empty(JG_DTYPE_FLOAT32, SHAPE(2)), *out;
    assert_ok(jg_where(a, b, c, &out));
    assert_array_shape(out, SHAPE(4, 3, 2));
    assert_int_equal(jg_array_dtype(out), JG_DTYPE_FLOAT32);
    release_all(4, (jg_array *[]){a, b, c, out});
}

TEST(dtypes_that_an_op_does_not_take_are_refused)
{
    jg_array *a = empty(JG_DTYPE_FLOAT8_E5M2, SHAPE(2)), *b = empty(JG_DTYPE_COMPLEX64, SHAPE(2)),
             *out = NULL;
    assert_fails_saying(JG_ERR_TYPE, "[add] x1: float8_e5m2", jg_add(a, b, &out));
    assert_fails_saying(JG_ERR_TYPE, "[floor] x: got complex64", jg_floor(b, &out));
    assert_fails(JG_ERR_TYPE, jg_astype(b, JG_DTYPE_INT4, &out));
    assert_fails(JG_ERR_TYPE, jg_astype(b, (jg_dtype)999, &out));
    assert_null(out);
    release_all(2, (jg_array *[]){a, b});
}

TEST(a_cast_to_the_same_dtype_is_the_array_itself)
{
    jg_array *a = empty(JG_DTYPE_FLOAT8_E5M2, SHAPE(2)), *out;
    assert_ok(jg_astype(a, JG_DTYPE_FLOAT8_E5M2, &out));
    assert_ptr_equal(out, a);
    release_all(2, (jg_array *[]){a, out});
}

TEST(reductions_check_their_axes)
{
    jg_array *a = empty(JG_DTYPE_INT8, SHAPE(2, 0, 3)), *out = NULL;
    assert_fails(JG_ERR_AXIS, jg_sum(a, 1, (int64_t[]){3}, false, NULL, &out));
    assert_fails(JG_ERR_VALUE, jg_sum(a, 2, (int64_t[]){0, -3}, false, NULL, &out));
    assert_fails_saying(JG_ERR_VALUE, "[max] x: axis 1 is empty", jg_max(a, -1, NULL, false, &out));
    assert_null(out);
    assert_ok(jg_max(a, 1, (int64_t[]){0}, true, &out));
    assert_array_shape(out, SHAPE(1, 0, 3));
    replace(&out, NULL);
    assert_ok(jg_sum(a, 1, (int64_t[]){-2}, false, NULL, &out));
    assert_array_shape(out, SHAPE(2, 3));
    assert_int_equal(jg_array_dtype(out), JG_DTYPE_INT64);
    release_all(2, (jg_array *[]){a, out});
}

TEST(building_takes_no_memory_for_values)
{
    jg_array *a = empty(JG_DTYPE_FLOAT32, SHAPE(1000)), *x = jg_array_retain(a), *next;
    size_t active = jg_active_memory();
    for (int i = 0; i < 100; ++i) {
        assert_ok(jg_add(x, a, &next));
        replace(&x, next);
    }
    assert_int_equal(jg_active_memory(), active);
    release_all(2, (jg_array *[]){a, x});
    assert_int_equal(jg_active_memory(), active - cache_class_nbytes(cache_class_of(4000)));
}

TEST(the_largest_number_of_axes_can_be_built)
{
    int64_t shape[JG_MAX_NDIM];
    for (int i = 0; i < JG_MAX_NDIM; ++i)
        shape[i] = 1;
    shape[7] = 5;
    jg_array *a = empty(JG_DTYPE_INT8, JG_MAX_NDIM, shape), *sum, *all;
    assert_ok(jg_add(a, a, &sum));
    assert_array_shape(sum, JG_MAX_NDIM, shape);
    assert_ok(jg_sum(sum, -1, NULL, false, NULL, &all));
    assert_int_equal(jg_array_ndim(all), 0);
    release_all(3, (jg_array *[]){a, sum, all});
}
