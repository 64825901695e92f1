/* SPDX-License-Identifier: Apache-2.0 */
/* Fields for tests: made in one line, and read and written by index. */
#ifndef JG_TESTS_FIELDS_H
#define JG_TESTS_FIELDS_H

#include "../arrays.h"
#include "field/field.h"

#define INDEX(...)                                                                                 \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[])                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static inline jg_element *scalar_element(jg_dtype dtype)
{
    jg_element *element;
    assert_ok(jg_element_new(dtype, 0, NULL, &element));
    return element;
}

static inline jg_element *vector_element(jg_dtype dtype, int64_t extent)
{
    jg_element *element;
    assert_ok(jg_element_new(dtype, 1, &extent, &element));
    return element;
}

/* takes: members */
static inline jg_element *struct_element(int count, const char *const *names, jg_element **members)
{
    jg_element *element;
    assert_ok(jg_element_new_struct(count, names, members, &element));
    for (int i = 0; i < count; ++i)
        jg_element_release(members[i]);
    return element;
}

/* takes: element */
static inline jg_field *field_of(jg_element *element, int ndim, const int64_t *shape,
                                 jg_field_layout layout)
{
    jg_field *field;
    jg_field_spec spec = {
        .name = "x", .element = element, .ndim = ndim, .shape = shape, .layout = layout};
    assert_ok(jg_field_new(&spec, &field));
    jg_element_release(element);
    return field;
}

static inline jg_field *unplaced(jg_dtype dtype)
{
    return field_of(scalar_element(dtype), -1, NULL, JG_FIELD_AOS);
}

/* {a: int8, p: a vector of 3 float32, d: float64} */
static inline jg_field *particles(int64_t count, jg_field_layout layout)
{
    static const char *const names[] = {"a", "p", "d"};
    jg_element *members[] = {scalar_element(JG_DTYPE_INT8), vector_element(JG_DTYPE_FLOAT32, 3),
                             scalar_element(JG_DTYPE_FLOAT64)};
    return field_of(struct_element(3, names, members), 1, &count, layout);
}

static inline jg_field *member_of(const jg_field *field, int member)
{
    jg_field *out;
    assert_ok(jg_field_member(field, member, &out));
    return out;
}

static inline void put(jg_field *field, int nindices, const int64_t *indices, double value)
{
    assert_ok(jg_field_store(field, nindices, indices, float_number(value)));
}

static inline double get(jg_field *field, int nindices, const int64_t *indices)
{
    jg_number number;
    assert_ok(jg_field_load(field, nindices, indices, &number));
    return number.kind == JG_KIND_FLOAT ? number.re : (double)number.i64;
}

static inline jg_array *array_of(jg_field *field, jg_copy_policy copy)
{
    jg_array *x;
    assert_ok(jg_field_to_array(field, copy, &x));
    return x;
}

#endif
