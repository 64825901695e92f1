/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays for tests: made from short lists, read back and compared. */
#ifndef JG_TESTS_ARRAYS_H
#define JG_TESTS_ARRAYS_H

#include "support.h"
#include <joggle/joggle.h>

#define SHAPE(...)                                                                                 \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[])                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define SCALAR 0, NULL

#define integer_number(value) ((jg_number){.kind = JG_KIND_INT, .i64 = (value)})
#define float_number(value) ((jg_number){.kind = JG_KIND_FLOAT, .re = (value)})

static inline jg_array *from_floats(int ndim, const int64_t *shape, const float *data)
{
    jg_array *x;
    assert_ok(jg_array_from_data(data, JG_DTYPE_FLOAT32, ndim, shape, &x));
    return x;
}

/* 1, 2, 3, ... in memory, cast to the dtype. */
static inline jg_array *counting(jg_dtype dtype, int ndim, const int64_t *shape)
{
    jg_array *flat, *x;
    int64_t size = 1;
    for (int i = 0; i < ndim; ++i)
        size *= shape[i];
    assert_ok(
        jg_arange(dtype, integer_number(1), integer_number(size + 1), integer_number(1), &flat));
    assert_ok(jg_eval(1, &flat));
    assert_ok(jg_reshape(flat, ndim, shape, &x));
    jg_array_release(flat);
    return x;
}

/* A vector of ones that is in memory without anything having been evaluated. */
static inline jg_array *ones(int64_t size)
{
    jg_array *x;
    jg_view view;
    assert_ok(jg_empty(JG_DTYPE_FLOAT32, 1, &size, &x));
    assert_ok(jg_array_view(x, &view));
    for (int64_t i = 0; i < size; ++i)
        ((float *)view.data)[i] = 1;
    return x;
}

/* A float32 array without axes. */
static inline jg_array *number_array(double value)
{
    jg_array *x;
    assert_ok(jg_full(JG_DTYPE_FLOAT32, 0, NULL, float_number(value), &x));
    return x;
}

static inline void release_all(int count, jg_array **arrays)
{
    for (int i = 0; i < count; ++i)
        jg_array_release(arrays[i]);
}

/* Puts next in the place of *x, whose reference is dropped. */
static inline void replace(jg_array **x, jg_array *next)
{
    jg_array_release(*x);
    *x = next;
}

static inline void assert_array_shape(const jg_array *x, int ndim, const int64_t *shape)
{
    assert_int_equal(jg_array_ndim(x), ndim);
    for (int i = 0; i < ndim; ++i)
        assert_int_equal(jg_array_shape(x)[i], shape[i]);
}

/* The first element in memory of an array that has some. */
static inline void *address_of(jg_array *x)
{
    jg_view view;
    assert_ok(jg_array_view(x, &view));
    return view.data;
}

/* All elements as float64, whatever the dtype. gives: a block for base_free */
static inline double *read_all(jg_array *x)
{
    jg_array *wide;
    assert_ok(jg_astype(x, JG_DTYPE_FLOAT64, &wide));
    size_t nbytes = jg_array_nbytes(wide);
    double *values = base_alloc(nbytes);
    assert_ok(jg_array_copy_to(wide, values, nbytes));
    jg_array_release(wide);
    return values;
}

static inline void assert_values_close(jg_array *x, int64_t count, const double *expected,
                                       double tolerance)
{
    assert_int_equal(jg_array_size(x), count);
    double *values = read_all(x);
    for (int64_t i = 0; i < count; ++i) {
        double error = values[i] - expected[i],
               scale = expected[i] < 0 ? -expected[i] : expected[i];
        if (!(error <= tolerance * (1 + scale) && -error <= tolerance * (1 + scale)))
            fail_msg("element %lld: got %.17g, expected %.17g", (long long)i, values[i],
                     expected[i]);
    }
    base_free(values);
}

static inline void assert_values(jg_array *x, int64_t count, const double *expected)
{
    assert_values_close(x, count, expected, 0);
}

#define assert_elements(x, ...)                                                                    \
    assert_values((x), (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)),                \
                  (const double[]){__VA_ARGS__})

static inline void assert_all(jg_array *x, double expected)
{
    double *values = read_all(x);
    for (int64_t i = 0; i < jg_array_size(x); ++i)
        if (values[i] != expected)
            fail_msg("element %lld: got %.17g, expected %.17g", (long long)i, values[i], expected);
    base_free(values);
}

static inline double item_of(jg_array *x)
{
    double *value;
    assert_int_equal(jg_array_size(x), 1);
    value = read_all(x);
    double item = *value;
    base_free(value);
    return item;
}

#define AT(i) ((jg_index){.kind = JG_INDEX_AT, .start = (i)})
#define ALL ((jg_index){.kind = JG_INDEX_SLICE})
#define FROM_TO(first, last)                                                                       \
    ((jg_index){.kind = JG_INDEX_SLICE,                                                            \
                .start = (first),                                                                  \
                .stop = (last),                                                                    \
                .has_start = true,                                                                 \
                .has_stop = true})
#define EVERY(by) ((jg_index){.kind = JG_INDEX_SLICE, .step = (by), .has_step = true})
#define NEW_AXIS ((jg_index){.kind = JG_INDEX_NEW_AXIS})
#define ARRAY(x) ((jg_index){.kind = JG_INDEX_ARRAY, .array = (x)})
#define ELLIPSIS ((jg_index){.kind = JG_INDEX_ELLIPSIS})
#define ITEMS(...)                                                                                 \
    (int)(sizeof((jg_index[]){__VA_ARGS__}) / sizeof(jg_index)), (const jg_index[])                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

#endif
