/* SPDX-License-Identifier: Apache-2.0 */
/* Fields as arrays and tensors: the same memory, writes ordered with lazy reads, and memory that
 * outlives its field. */
#include "fields.h"

static jg_field *counted(int64_t size)
{
    jg_field *x = field_of(scalar_element(JG_DTYPE_FLOAT32), 1, &size, JG_FIELD_AOS);
    jg_array *values = counting(JG_DTYPE_FLOAT32, 1, &size);
    assert_ok(jg_field_assign(x, values));
    jg_array_release(values);
    return x;
}

TEST(an_array_over_a_field_sees_what_is_written)
{
    jg_field *x = counted(3);
    jg_array *a = array_of(x, JG_COPY_NEVER), *snapshot = array_of(x, JG_COPY_ALWAYS);
    put(x, INDEX(1), 20);
    assert_elements(a, 1, 20, 3);
    assert_elements(snapshot, 1, 2, 3);
    release_all(2, (jg_array *[]){a, snapshot});
    jg_field_release(x);
}

/* Every way to write, after a lazy read that must not see it. */
static void write_by(jg_field *x, int way)
{
    jg_array *values = counting(JG_DTYPE_FLOAT64, SHAPE(3));
    jg_field *other = counted(3);
    switch (way) {
    case 0: put(x, INDEX(0), 50); break;
    case 1: assert_ok(jg_field_fill(x, integer_number(7))); break;
    case 2: assert_ok(jg_field_assign(x, values)); break;
    default: assert_ok(jg_field_copy_from(x, other)); break;
    }
    jg_array_release(values);
    jg_field_release(other);
}

TEST(a_lazy_read_comes_before_any_later_write)
{
    for (int way = 0; way < 4; ++way) {
        jg_field *x = counted(3);
        assert_ok(jg_field_fill(x, integer_number(9)));
        jg_array *a = array_of(x, JG_COPY_NEVER), *sum;
        assert_ok(jg_add(a, a, &sum));
        write_by(x, way);
        assert_elements(sum, 18, 18, 18);
        release_all(2, (jg_array *[]){a, sum});
        jg_field_release(x);
    }
}

TEST(a_lazy_read_of_a_component_comes_before_a_write_of_the_vector)
{
    jg_field *s = particles(2, JG_FIELD_AOS), *p = member_of(s, 1), *y;
    assert_ok(jg_field_fill(p, integer_number(4)));
    assert_ok(jg_field_component(p, INDEX(1), &y));
    jg_array *a = array_of(y, JG_COPY_NEVER), *sum;
    assert_ok(jg_add(a, a, &sum));
    assert_ok(jg_field_fill(s, integer_number(1)));
    assert_elements(sum, 8, 8);
    assert_elements(a, 1, 1);
    release_all(2, (jg_array *[]){a, sum});
    jg_field_release(y);
    jg_field_release(p);
    jg_field_release(s);
}

TEST(a_tensor_of_a_field_is_writable_and_at_its_address)
{
    jg_field *s = particles(4, JG_FIELD_AOS), *p = member_of(s, 1);
    DLManagedTensorVersioned *first, *second;
    DLManagedTensor *legacy;
    assert_ok(jg_field_to_managed(p, JG_COPY_NEVER, &first));
    assert_ok(jg_field_to_managed(p, JG_COPY_NEVER, &second));
    assert_ok(jg_field_to_managed_legacy(p, JG_COPY_NEVER, &legacy));
    assert_int_equal(first->flags, 0);
    assert_ptr_equal(first->dl_tensor.data, second->dl_tensor.data);
    assert_ptr_equal(first->dl_tensor.data, legacy->dl_tensor.data);
    assert_int_equal(first->dl_tensor.strides[0], 6);
    ((float *)first->dl_tensor.data)[6 * 2 + 1] = 4.5f;
    assert_true(get(p, INDEX(2, 1)) == 4.5);
    first->deleter(first);
    second->deleter(second);
    legacy->deleter(legacy);
    jg_field_release(p);
    jg_field_release(s);
}

TEST(memory_that_is_viewed_outlives_a_reset)
{
    jg_field *x = counted(1000);
    jg_array *a = array_of(x, JG_COPY_NEVER);
    DLManagedTensorVersioned *tensor;
    jg_number number;
    assert_ok(jg_field_to_managed(x, JG_COPY_NEVER, &tensor));
    jg_fields_reset();
    assert_true(jg_field_is_lost(x));
    assert_fails_saying(JG_ERR_LOST, "[field x] was lost", jg_field_load(x, INDEX(0), &number));
    assert_fails(JG_ERR_LOST, jg_field_fill(x, integer_number(1)));
    jg_field_release(x);
    jg_field *y = field_of(scalar_element(JG_DTYPE_FLOAT32), SHAPE(1000), JG_FIELD_AOS);
    assert_true(((float *)tensor->dl_tensor.data)[999] == 1000);
    assert_true(get(y, INDEX(999)) == 0);
    tensor->deleter(tensor);
    jg_array_release(a);
    jg_field_release(y);
}

TEST(numbers_that_are_no_policy_and_no_layout_are_refused)
{
    jg_field *x = counted(4), *y = NULL;
    jg_array *a = NULL;
    DLManagedTensorVersioned *tensor = NULL;
    jg_element *element = scalar_element(JG_DTYPE_FLOAT32);
    const int64_t extent = 4;
    const jg_field_spec spec = {
        .element = element, .ndim = 1, .shape = &extent, .layout = (jg_field_layout)2};
    assert_fails_saying(JG_ERR_VALUE, "copy: got number 9",
                        jg_field_to_array(x, (jg_copy_policy)9, &a));
    assert_fails(JG_ERR_VALUE, jg_field_to_managed(x, (jg_copy_policy)9, &tensor));
    assert_fails_saying(JG_ERR_VALUE, "layout: got number 2", jg_field_new(&spec, &y));
    assert_null(a);
    assert_null(y);
    jg_element_release(element);
    jg_field_release(x);
}

TEST(a_reset_frees_what_nobody_views)
{
    jg_synchronize();
    size_t active = jg_active_memory();
    jg_field *x = counted(1 << 20), *s = particles(1000, JG_FIELD_SOA), *p = member_of(s, 1);
    assert_true(jg_active_memory() > active);
    jg_fields_reset();
    assert_int_equal(jg_active_memory(), active);
    assert_true(jg_field_is_lost(s) && jg_field_is_lost(p));
    jg_field *member = NULL;
    assert_fails_saying(JG_ERR_LOST, "[field x] was lost", jg_field_member(s, 1, &member));
    assert_fails(JG_ERR_LOST, jg_field_member(s, 7, &member));
    assert_null(member);
    jg_field_release(x);
    jg_field_release(p);
    jg_field_release(s);
}

TEST(unplaced_fields_are_lost_with_their_tree)
{
    jg_field *x = unplaced(JG_DTYPE_INT8), *y = unplaced(JG_DTYPE_INT8);
    jg_dense *node;
    const int axis = 0;
    const int64_t extent = 4;
    assert_ok(jg_dense_new(NULL, 1, &axis, &extent, &node));
    assert_ok(jg_dense_place(node, x, NULL));
    jg_fields_reset();
    assert_fails(JG_ERR_LOST, jg_field_fill(x, integer_number(1)));
    assert_fails(JG_ERR_VALUE, jg_dense_place(node, y, NULL));
    jg_dense_release(node);
    jg_field_release(x);
    jg_field_release(y);
}

TEST(no_memory_is_an_error_and_nothing_leaks)
{
    int64_t blocks = 0;
    for (int64_t n = 1;; ++n) {
        static const char *const names[] = {"a", "b"};
        jg_element *members[] = {scalar_element(JG_DTYPE_INT8), vector_element(JG_DTYPE_INT8, 3)};
        jg_element *element = struct_element(2, names, members);
        jg_field_spec spec = {.name = "x",
                              .element = element,
                              .ndim = 1,
                              .shape = (const int64_t[]){4},
                              .layout = n % 2 ? JG_FIELD_AOS : JG_FIELD_SOA};
        jg_field *field = NULL;
        jg_clear_cache();
        blocks = base_live_blocks();
        base_fail_nth((n + 1) / 2);
        jg_status status = jg_field_new(&spec, &field);
        base_fail_nth(0);
        if (status == JG_OK) {
            jg_field_release(field);
            jg_element_release(element);
            if (n > 60)
                break;
            continue;
        }
        assert_int_equal(status, JG_ERR_NOMEM);
        jg_clear_cache();
        assert_true(base_live_blocks() <= blocks + 2); /* nodes kept by the thread */
        jg_element_release(element);
    }
}
