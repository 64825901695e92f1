/* SPDX-License-Identifier: Apache-2.0 */
/* Values of fields in and out: by index, filled, copied, from arrays, and out of range. */
#include "fields.h"

TEST(a_new_field_is_full_of_zeros)
{
    for (int layout = JG_FIELD_AOS; layout <= JG_FIELD_SOA; ++layout) {
        jg_field *s = particles(100, (jg_field_layout)layout), *p = member_of(s, 1);
        jg_array *x = array_of(p, JG_COPY_NEVER);
        double *values = read_all(x);
        for (int i = 0; i < 300; ++i)
            assert_true(values[i] == 0);
        base_free(values);
        jg_array_release(x);
        jg_field_release(p);
        jg_field_release(s);
    }
}

TEST(elements_are_written_and_read_by_index)
{
    for (int layout = JG_FIELD_AOS; layout <= JG_FIELD_SOA; ++layout) {
        jg_field *s = particles(4, (jg_field_layout)layout), *a = member_of(s, 0),
                 *p = member_of(s, 1), *d = member_of(s, 2);
        put(a, INDEX(3), -7);
        put(p, INDEX(3, 1), 0.25);
        put(d, INDEX(3), 1e300);
        assert_true(get(a, INDEX(3)) == -7);
        assert_true(get(p, INDEX(3, 1)) == 0.25);
        assert_true(get(d, INDEX(3)) == 1e300);
        assert_true(get(p, INDEX(3, 0)) == 0 && get(p, INDEX(2, 1)) == 0);
        jg_field_release(a);
        jg_field_release(p);
        jg_field_release(d);
        jg_field_release(s);
    }
}

TEST(every_dtype_holds_its_numbers)
{
    for (int dtype = JG_DTYPE_BOOL; dtype <= JG_DTYPE_FLOAT64; ++dtype) {
        jg_field *x = field_of(scalar_element((jg_dtype)dtype), 0, NULL, JG_FIELD_AOS);
        put(x, 0, NULL, 1);
        assert_true(get(x, 0, NULL) == 1);
        jg_field_release(x);
    }
}

TEST(numbers_that_do_not_fit_are_refused)
{
    jg_field *x = field_of(scalar_element(JG_DTYPE_INT8), SHAPE(2), JG_FIELD_AOS);
    assert_fails_saying(JG_ERR_VALUE, "300 does not fit int8",
                        jg_field_store(x, INDEX(0), integer_number(300)));
    assert_fails_saying(JG_ERR_VALUE, "300 does not fit int8",
                        jg_field_fill(x, integer_number(300)));
    assert_true(get(x, INDEX(0)) == 0);
    jg_field_release(x);
}

TEST(an_index_outside_names_the_field_and_the_axis)
{
    jg_number number;
    jg_field *x = field_of(vector_element(JG_DTYPE_FLOAT32, 3), SHAPE(4, 5), JG_FIELD_AOS);
    assert_fails_saying(JG_ERR_INDEX, "[field x] index: got 5 along axis 1, allowed 0 to 4",
                        jg_field_load(x, INDEX(0, 5, 0), &number));
    assert_fails_saying(JG_ERR_INDEX, "got -1 along axis 0",
                        jg_field_load(x, INDEX(-1, 0, 0), &number));
    assert_fails_saying(JG_ERR_INDEX, "got 3 along axis 0 of the element",
                        jg_field_store(x, INDEX(0, 0, 3), integer_number(1)));
    assert_fails_saying(JG_ERR_INDEX, "got 2 numbers, allowed are 3 for shape (4, 5)",
                        jg_field_load(x, INDEX(0, 0), &number));
    jg_field_release(x);
}

TEST(an_origin_shifts_all_indices)
{
    jg_field *x;
    jg_number number;
    jg_field_spec spec = {.element = scalar_element(JG_DTYPE_INT32),
                          .ndim = 2,
                          .shape = (const int64_t[]){2, 2},
                          .origin = (const int64_t[]){-1, 10}};
    assert_ok(jg_field_new(&spec, &x));
    put(x, INDEX(-1, 11), 6);
    jg_array *values = array_of(x, JG_COPY_NEVER);
    assert_elements(values, 0, 6, 0, 0);
    assert_fails_saying(JG_ERR_INDEX, "allowed 10 to 11", jg_field_load(x, INDEX(0, 0), &number));
    jg_array_release(values);
    jg_field_release(x);
    jg_element_release(spec.element);
}

/* Members are filled in their order: d could, a cannot. */
TEST(what_one_member_cannot_hold_changes_none)
{
    static const char *const names[] = {"d", "a"};
    jg_element *members[] = {scalar_element(JG_DTYPE_FLOAT64), scalar_element(JG_DTYPE_INT8)};
    jg_field *s = field_of(struct_element(2, names, members), SHAPE(2), JG_FIELD_AOS);
    jg_field *d = member_of(s, 0);
    assert_fails_saying(JG_ERR_VALUE, "300 does not fit int8",
                        jg_field_fill(s, integer_number(300)));
    assert_true(get(d, INDEX(0)) == 0 && get(d, INDEX(1)) == 0);
    jg_field_release(d);
    jg_field_release(s);
}

/* {d: float64, a: a vector of so many int8}, with a number in d. */
static jg_field *pair_of(int64_t extent, double number)
{
    static const char *const names[] = {"d", "a"};
    jg_element *members[] = {scalar_element(JG_DTYPE_FLOAT64),
                             vector_element(JG_DTYPE_INT8, extent)};
    jg_field *s = field_of(struct_element(2, names, members), SHAPE(2), JG_FIELD_SOA);
    jg_field *d = member_of(s, 0);
    assert_ok(jg_field_fill(d, float_number(number)));
    jg_field_release(d);
    return s;
}

TEST(a_copy_that_does_not_fit_in_one_member_changes_none)
{
    jg_field *to = pair_of(2, 1), *from = pair_of(3, 2), *d = member_of(to, 0);
    assert_fails_saying(JG_ERR_VALUE, "got (2, 3), allowed is (2, 2)",
                        jg_field_copy_from(to, from));
    assert_true(get(d, INDEX(0)) == 1);
    jg_field_release(d);
    jg_field_release(from);
    jg_field_release(to);
}

TEST(filling_a_struct_fills_its_members_and_nothing_between)
{
    jg_field *s = particles(3, JG_FIELD_AOS), *a = member_of(s, 0), *p = member_of(s, 1);
    assert_ok(jg_field_fill(p, float_number(2.5)));
    assert_true(get(a, INDEX(1)) == 0);
    assert_ok(jg_field_fill(s, integer_number(3)));
    jg_array *values = array_of(p, JG_COPY_NEVER);
    assert_elements(values, 3, 3, 3, 3, 3, 3, 3, 3, 3);
    assert_true(get(a, INDEX(2)) == 3);
    jg_array_release(values);
    jg_field_release(a);
    jg_field_release(p);
    jg_field_release(s);
}

TEST(values_come_from_arrays_of_any_layout_and_dtype)
{
    jg_field *x = field_of(vector_element(JG_DTYPE_FLOAT32, 3), SHAPE(2), JG_FIELD_SOA);
    jg_array *wide = counting(JG_DTYPE_INT64, SHAPE(3, 2)), *turned, *values;
    int64_t axes[] = {1, 0};
    assert_ok(jg_permute_dims(wide, 2, axes, &turned));
    assert_ok(jg_field_assign(x, turned));
    values = array_of(x, JG_COPY_NEVER);
    assert_elements(values, 1, 3, 5, 2, 4, 6);
    release_all(3, (jg_array *[]){wide, turned, values});
    jg_field_release(x);
}

TEST(a_wrong_shape_names_both)
{
    jg_field *x = field_of(vector_element(JG_DTYPE_FLOAT32, 3), SHAPE(4), JG_FIELD_AOS);
    jg_array *values = counting(JG_DTYPE_FLOAT32, SHAPE(3, 4));
    assert_fails_saying(JG_ERR_VALUE, "got (3, 4), allowed is (4, 3)", jg_field_assign(x, values));
    jg_array_release(values);
    jg_field_release(x);
}

TEST(a_field_takes_values_made_of_itself)
{
    jg_field *x = field_of(scalar_element(JG_DTYPE_FLOAT32), SHAPE(4), JG_FIELD_AOS);
    jg_array *own = array_of(x, JG_COPY_NEVER), *flipped, *sum,
             *first = counting(JG_DTYPE_FLOAT32, SHAPE(4));
    assert_ok(jg_field_assign(x, first));
    assert_ok(jg_slice(own, ITEMS(EVERY(-1)), &flipped));
    assert_ok(jg_field_assign(x, flipped));
    assert_elements(own, 4, 3, 2, 1);
    assert_ok(jg_add(own, flipped, &sum));
    assert_ok(jg_field_assign(x, sum));
    assert_elements(own, 5, 5, 5, 5);
    release_all(4, (jg_array *[]){own, flipped, sum, first});
    jg_field_release(x);
}

TEST(fields_copy_each_other_across_layouts)
{
    jg_field *s = particles(3, JG_FIELD_AOS), *t = particles(3, JG_FIELD_SOA), *p = member_of(s, 1),
             *q = member_of(t, 1), *other = particles(4, JG_FIELD_AOS);
    put(p, INDEX(2, 1), 8);
    assert_ok(jg_field_copy_from(t, s));
    assert_true(get(q, INDEX(2, 1)) == 8);
    assert_fails_saying(JG_ERR_VALUE, "got (4,), allowed is (3,)", jg_field_copy_from(t, other));
    assert_fails(JG_ERR_VALUE, jg_field_copy_from(t, p));
    assert_ok(jg_field_copy_from(s, s));
    jg_field_release(p);
    jg_field_release(q);
    jg_field_release(other);
    jg_field_release(s);
    jg_field_release(t);
}

TEST(elements_that_cannot_be_are_refused)
{
    jg_element *element, *member = scalar_element(JG_DTYPE_INT8);
    const char *names[] = {"a", "a"};
    jg_element *const members[] = {member, member};
    assert_fails_saying(JG_ERR_TYPE, "complex64",
                        jg_element_new(JG_DTYPE_COMPLEX64, 0, NULL, &element));
    assert_fails(JG_ERR_VALUE, jg_element_new(JG_DTYPE_INT8, 1, (const int64_t[]){0}, &element));
    assert_fails_saying(JG_ERR_VALUE, "a is there twice",
                        jg_element_new_struct(2, names, members, &element));
    assert_fails(JG_ERR_VALUE, jg_element_new_struct(0, names, members, &element));
    jg_element_release(member);
}
