/* SPDX-License-Identifier: Apache-2.0 */
/* Fields in memory that the host cannot reach, and kernels over them, which the host runs on copies
 * as the device runs nothing itself. Nothing may take a handle for an address. */
#include "compiler.h"
#include "fields.h"

#include "../opaque_device.h"
#include <joggle/joggle.h>

#define CPU ((jg_device_id){JG_DEVICE_CPU, 0})

/* y[i] += x[i] * a, of any strides; gives how many. */
#define TEXT                                                                                       \
    "kernel add\narray x float32 [*] [*]\narray y float32 [*] [*]\nscalar a float32\n"             \
    "result int64\n{\n%z:int64 = const 0\n%n:int64 = extent x 0\nparallel %i:int64 = %z to %n {\n" \
    "%v:float32 = load x [%i]\n%w:float32 = multiply %v %a\n%u:float32 = load y [%i]\n"            \
    "%s:float32 = add %u %w\nstore y [%i] = %s\n}\nreturn %n\n}\n"

static void add(const kernel_arguments *arguments, kernel_host *host)
{
    float a;
    memcpy(&a, &arguments->scalars[0], sizeof a);
    (void)host;
    for (int64_t i = 0; i < arguments->extents[0]; ++i) {
        const float *x = (const float *)(const void *)((char *)arguments->addresses[0] +
                                                       i * arguments->strides[0]);
        float *y = (float *)(void *)((char *)arguments->addresses[1] + i * arguments->strides[1]);
        *y += *x * a;
    }
    arguments->results[0] = (uint64_t)arguments->extents[0];
}

static const hand_written code[] = {{"add", add}, {NULL, NULL}};

static int begin(void **state)
{
    (void)state;
    opaque_register();
    known_code = code;
    field_set_compiler(&compiler_by_hand);
    return 0;
}

static int on_device(void **state)
{
    (void)state;
    assert_ok(jg_fields_set_device(OPAQUE));
    return 0;
}

static int on_host(void **state)
{
    (void)state;
    assert_ok(jg_fields_set_device(CPU));
    assert_ok(jg_synchronize());
    jg_clear_cache();
    assert_int_equal(opaque_states[0].nlive, 0);
    assert_int_equal(opaque_states[1].nlive, 0);
    return 0;
}

TEST(elements_come_and_go_one_by_one)
{
    const int64_t shape[] = {3, 5};
    jg_field *x = field_of(vector_element(JG_DTYPE_INT16, 2), 2, shape, JG_FIELD_AOS);
    jg_device_id device = jg_fields_get_device();
    assert_int_equal(device.type, JG_DEVICE_EXT);
    assert_true(get(x, INDEX(2, 4, 1)) == 0);
    put(x, INDEX(2, 4, 1), -7);
    put(x, INDEX(2, 4, 0), 300);
    assert_true(get(x, INDEX(2, 4, 1)) == -7);
    assert_true(get(x, INDEX(2, 4, 0)) == 300);
    assert_true(get(x, INDEX(2, 3, 1)) == 0);
    jg_field_release(x);
}

TEST(members_are_filled_and_set_by_themselves)
{
    for (int layout = JG_FIELD_AOS; layout <= JG_FIELD_SOA; ++layout) {
        jg_field *all = particles(4, (jg_field_layout)layout), *p = member_of(all, 1),
                 *d = member_of(all, 2);
        assert_ok(jg_field_fill(all, float_number(3)));
        assert_ok(jg_field_fill(p, float_number(5)));
        put(d, INDEX(2), 9);
        jg_array *values = array_of(d, JG_COPY_ALWAYS), *shared = array_of(p, JG_COPY_NEVER);
        assert_elements(values, 3, 3, 9, 3);
        assert_int_equal(jg_array_device(shared).type, JG_DEVICE_EXT);
        assert_ok(jg_field_fill(all, float_number(1)));
        assert_ok(jg_field_assign(d, values));
        assert_elements(shared, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
        jg_array_release(values);
        values = array_of(d, JG_COPY_ALWAYS);
        assert_elements(values, 3, 3, 9, 3);
        jg_array_release(values);
        jg_array_release(shared);
        jg_field_release(d);
        jg_field_release(p);
        jg_field_release(all);
    }
}

TEST(blocked_fields_are_copied)
{
    jg_dense *outer, *inner;
    jg_field *x = unplaced(JG_DTYPE_INT32);
    assert_ok(jg_dense_new(NULL, 2, (int[]){0, 1}, (int64_t[]){2, 1}, &outer));
    assert_ok(jg_dense_new(outer, 2, (int[]){0, 1}, (int64_t[]){1, 2}, &inner));
    assert_ok(jg_dense_place(inner, x, NULL));
    jg_array *counted = counting(JG_DTYPE_INT32, 2, (int64_t[]){2, 2});
    assert_ok(jg_field_assign(x, counted));
    assert_true(get(x, INDEX(1, 0)) == 3);
    jg_array *values = array_of(x, JG_COPY_IF_NEEDED);
    assert_elements(values, 1, 2, 3, 4);
    jg_array_release(values);
    jg_array_release(counted);
    jg_field_release(x);
    jg_dense_release(inner);
    jg_dense_release(outer);
}

TEST(cells_that_need_not_exist_are_refused)
{
    jg_dense *node;
    assert_ok(jg_dense_new(NULL, 1, (int[]){0}, (int64_t[]){4}, &node));
    assert_fails_saying(JG_ERR_UNSUPPORTED, "allowed there are dense nodes",
                        jg_dense_reserve(node));
    jg_dense_release(node);
}

static jg_view plane_of(jg_field *field)
{
    jg_field_plane plane;
    assert_ok(jg_field_storage(field, &plane));
    return plane.view;
}

static jg_status run(jg_view x, jg_view y, double a, int64_t *count)
{
    const jg_view *arrays[] = {&x, &y};
    jg_number scalar = float_number(a), result = {.kind = JG_KIND_INT};
    jg_kernel *kernel;
    JG_TRY(jg_kernel_from_text(TEXT, &kernel));
    jg_status status = jg_kernel_run(kernel, arrays, &scalar, &result);
    *count = result.i64;
    jg_kernel_release(kernel);
    return status;
}

/* Fields of one tree lie in one block, whose copy they share. */
TEST(a_kernel_of_the_hosts_runs_on_copies)
{
    const int64_t shape[] = {5};
    jg_dense *node;
    jg_field *x = unplaced(JG_DTYPE_FLOAT32), *y = unplaced(JG_DTYPE_FLOAT32),
             *z = field_of(scalar_element(JG_DTYPE_FLOAT32), 1, shape, JG_FIELD_AOS);
    int64_t count = 0;
    assert_ok(jg_dense_new(NULL, 1, (int[]){0}, shape, &node));
    assert_ok(jg_dense_place(node, x, NULL));
    assert_ok(jg_dense_place(node, y, NULL));
    assert_ok(jg_field_fill(x, float_number(2)));
    put(y, INDEX(4), 10);
    assert_ok(run(plane_of(x), plane_of(y), 3, &count));
    assert_int_equal(count, 5);
    assert_ok(run(plane_of(y), plane_of(z), 1, &count));
    assert_ok(run(plane_of(y), plane_of(y), 1, &count));
    jg_array *of_x = array_of(x, JG_COPY_ALWAYS), *of_y = array_of(y, JG_COPY_ALWAYS),
             *of_z = array_of(z, JG_COPY_ALWAYS);
    assert_elements(of_x, 2, 2, 2, 2, 2);
    assert_elements(of_y, 12, 12, 12, 12, 32);
    assert_elements(of_z, 6, 6, 6, 6, 16);
    jg_array_release(of_x);
    jg_array_release(of_y);
    jg_array_release(of_z);
    jg_field_release(x);
    jg_field_release(y);
    jg_field_release(z);
    jg_dense_release(node);
}

TEST(arrays_of_the_host_take_part)
{
    float data[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const int64_t shape[] = {5}, strides[] = {2};
    jg_field *x = field_of(scalar_element(JG_DTYPE_FLOAT32), 1, shape, JG_FIELD_AOS);
    jg_view host = view_of(data, JG_DTYPE_FLOAT32, 1, shape, strides, 0);
    int64_t count = 0;
    assert_ok(run(host, plane_of(x), 1, &count));
    assert_ok(run(plane_of(x), host, -1, &count));
    assert_true(get(x, INDEX(4)) == 9);
    for (int i = 0; i < 10; ++i)
        assert_true(data[i] == (i % 2 == 0 ? 0 : i + 1));
    jg_field_release(x);
}

TEST(arrays_of_two_devices_are_refused)
{
    const int64_t shape[] = {5};
    int64_t count = 0;
    jg_field *x = field_of(scalar_element(JG_DTYPE_FLOAT32), 1, shape, JG_FIELD_AOS);
    assert_ok(jg_fields_set_device(OTHER_OPAQUE));
    jg_field *y = field_of(scalar_element(JG_DTYPE_FLOAT32), 1, shape, JG_FIELD_AOS);
    assert_fails_saying(JG_ERR_DEVICE, "array x on opaque:0",
                        run(plane_of(x), plane_of(y), 1, &count));
    jg_field_release(x);
    jg_field_release(y);
}

TEST(the_host_asks_before_it_steps_in)
{
    const int64_t shape[] = {5};
    int64_t count = 0;
    jg_field *x = field_of(scalar_element(JG_DTYPE_FLOAT32), 1, shape, JG_FIELD_AOS);
    assert_ok(jg_option_set("device_fallback", "error"));
    assert_fails_saying(JG_ERR_UNSUPPORTED, "[add] opaque:0 does not run it",
                        run(plane_of(x), plane_of(x), 1, &count));
    assert_ok(jg_option_set("device_fallback", "host"));
    jg_field_release(x);
}

/* Makes, writes, runs and reads. */
static jg_status use(void)
{
    const int64_t shape[] = {3}, index[] = {1};
    int64_t count = 0;
    jg_element *element;
    jg_field *x;
    jg_field_plane plane;
    JG_TRY(jg_element_new(JG_DTYPE_FLOAT32, 0, NULL, &element));
    jg_field_spec spec = {.element = element, .ndim = 1, .shape = shape};
    jg_status status = jg_field_new(&spec, &x);
    jg_element_release(element);
    JG_TRY(status);
    status = jg_field_fill(x, float_number(1));
    if (status == JG_OK)
        status = jg_field_store(x, 1, index, float_number(4));
    if (status == JG_OK)
        status = jg_field_storage(x, &plane);
    if (status == JG_OK)
        status = run(plane.view, plane.view, 2, &count);
    jg_number number;
    if (status == JG_OK)
        status = jg_field_load(x, 1, index, &number);
    if (status == JG_OK)
        assert_true(number.re == 12);
    jg_field_release(x);
    return status;
}

TEST(each_allocation_may_fail)
{
    jg_status status = JG_ERR_NOMEM;
    assert_ok(use());
    for (int nth = 1; status != JG_OK; ++nth) {
        base_fail_nth(nth);
        status = use();
        base_fail_nth(0);
        assert_true(status == JG_OK || status == JG_ERR_NOMEM);
        assert_true(nth < 1000);
    }
}

TEST(each_copy_may_fail)
{
    jg_status status = JG_ERR_DEVICE;
    for (int n = 0; status != JG_OK; ++n) {
        opaque_states[0].fail_copy = n;
        status = use();
        opaque_states[0].fail_copy = -1;
        assert_true(n < 100);
    }
}

BEFORE_ALL(begin)
BEFORE_EACH(on_device)
AFTER_EACH(on_host)
