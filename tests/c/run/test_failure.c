/* SPDX-License-Identifier: Apache-2.0 */
/* An evaluation that fails changes nothing: what was held can be evaluated again, others not at
 * all. */
#include "../arrays.h"
#include "library/library.h"
#include "plan/steps.h"

/* Fails for want of memory at the nth allocation of an evaluation that then succeeds. */
TEST(running_out_of_memory_can_be_repeated)
{
    int failures = 0;
    for (int nth = 1; nth < 60; ++nth) {
        jg_array *a = ones(10 + nth), *b, *c,
                 *d; /* a new structure each time: it is planned anew */
        assert_ok(jg_add(a, a, &b));
        assert_ok(jg_sum(b, -1, NULL, false, NULL, &c));
        assert_ok(jg_multiply(c, a, &d));
        jg_clear_cache();
        base_fail_nth(nth);
        jg_status status = jg_eval(1, &d);
        base_fail_nth(0);
        if (status != JG_OK) {
            failures += 1;
            assert_int_equal(status, JG_ERR_NOMEM);
            assert_int_equal(jg_array_current_state(d), JG_ARRAY_UNSCHEDULED);
            assert_int_equal(jg_array_current_state(b), JG_ARRAY_UNSCHEDULED);
        }
        assert_ok(jg_eval(1, &d));
        assert_true(*(const float *)node_address(d) == 2 * (float)(10 + nth));
        assert_true(item_of(c) == 2 * (10 + nth));
        release_all(4, (jg_array *[]){a, b, c, d});
    }
    assert_true(failures > 5);
}

/* A result of more bytes than there are is a failure, not an overflow. */
TEST(results_beyond_memory_are_refused)
{
    const int64_t shapes[][2] = {
        {2, 1LL << 61}, {1LL << 61, 2}, {1LL << 31, 1LL << 31}, {1, 1LL << 62}};
    for (size_t i = 0; i < JG_COUNT_OF(shapes); ++i) {
        jg_array *a = ones(1), *wide, *turned, *sum = NULL, *again = NULL;
        assert_ok(jg_broadcast_to(a, 2, shapes[i], &wide));
        assert_ok(jg_matrix_transpose(wide, &turned));
        jg_status status = jg_add(wide, wide, &sum);
        if (status == JG_OK)
            status = jg_negative(sum, &again);
        if (status == JG_OK)
            status = jg_eval(1, &again);
        assert_true(status == JG_ERR_NOMEM || status == JG_ERR_VALUE);
        assert_elements(a, 1);
        release_all(5, (jg_array *[]){a, wide, turned, sum, again});
    }
}

/* Extents whose strides in bytes do not fit, but no element to step to. */
TEST(empty_arrays_may_be_as_wide_as_they_like)
{
    jg_array *a, *sum, *total, *product, *batch;
    assert_ok(jg_empty(JG_DTYPE_FLOAT32, SHAPE(3, 0, 1LL << 61), &a));
    assert_ok(jg_add(a, a, &sum));
    assert_ok(jg_sum(sum, 1, (int64_t[]){2}, false, NULL, &total));
    assert_ok(jg_empty(JG_DTYPE_FLOAT32, SHAPE(0, 1LL << 31, 1LL << 31), &batch));
    assert_ok(jg_matmul(batch, batch, &product));
    assert_ok(jg_eval(3, (jg_array *[]){sum, total, product}));
    assert_int_equal(jg_array_size(sum) + jg_array_size(total) + jg_array_size(product), 0);
    release_all(5, (jg_array *[]){a, sum, total, product, batch});
}

TEST(copies_beyond_memory_are_refused)
{
    jg_array *a = ones(1), *wide;
    float element;
    assert_ok(jg_broadcast_to(a, SHAPE(1LL << 62), &wide));
    assert_int_not_equal(jg_array_copy_to(wide, &element, 0), JG_OK);
    assert_int_not_equal(jg_array_copy_to(wide, &element, sizeof element), JG_OK);
    release_all(2, (jg_array *[]){a, wide});
}

/* The event of an asynchronous evaluation carries the failure to whoever waits for the result. */
TEST(a_failure_on_the_way_is_told_at_the_wait)
{
    jg_array *a = ones(8), *b, *c;
    jg_event *event;
    assert_ok(jg_negative(a, &b));
    assert_ok(jg_negative(b, &c));
    assert_ok(event_new(&event));
    event_fail(event, base_fail(JG_ERR_LIBRARY, "the library broke"));
    event_set(event);
    jg_buffer *buffer;
    assert_ok(buffer_new(device_cpu(), 32, &buffer));
    node_take_storage(b, buffer, event); /* as an evaluation does whose work fails later */
    assert_int_equal(jg_array_current_state(b), JG_ARRAY_FAILED);
    assert_fails_saying(JG_ERR_LIBRARY, "the library broke", jg_eval(1, &b));
    assert_fails_saying(JG_ERR_LIBRARY, "the library broke", jg_eval(1, &c));
    assert_int_equal(jg_array_current_state(c), JG_ARRAY_FAILED);
    assert_elements(a, 1, 1, 1, 1, 1, 1, 1, 1);
    release_all(3, (jg_array *[]){a, b, c});
}

static bool is_broken;

/* In place of the product's own. */
static jg_status run_or_break(const routine_call *call, int step, int64_t first, int64_t last)
{
    if (is_broken)
        return base_fail(JG_ERR_LIBRARY, "the library broke");
    return library_routine_matmul.run(call, step, first, last);
}

static int set_up(void **state)
{
    static const jg_routine *table[PRIMITIVE_COUNT];
    static jg_routine product;
    (void)state;
    product = library_routine_matmul;
    product.run = run_or_break;
    memcpy(table, library_routines, sizeof table);
    table[PRIMITIVE_matmul] = &product;
    plan_lower_set_routines(table);
    return 0;
}

static jg_array *on_stream(jg_stream *stream, jg_status (*op)(jg_array *, jg_array *, jg_array **),
                           jg_array *x)
{
    jg_stream *before;
    jg_array *out;
    assert_ok(jg_stream_default(jg_device_default(), &before));
    jg_stream_set_default(stream);
    assert_ok(op(x, x, &out));
    jg_stream_set_default(before);
    jg_stream_release(before);
    return out;
}

/* What reads the failure on another stream fails with it; what does not is none the worse. */
TEST(a_failure_crosses_streams_and_stays_where_it_belongs)
{
    jg_stream *streams[2];
    jg_array *flat = ones(256 * 256), *a;
    assert_ok(jg_reshape(flat, SHAPE(256, 256), &a));
    for (int i = 0; i < 2; ++i)
        assert_ok(jg_stream_new(jg_device_default(), &streams[i]));
    jg_array *product = on_stream(streams[0], jg_matmul, a),
             *user = on_stream(streams[1], jg_add, product),
             *other = on_stream(streams[1], jg_add, a),
             *again = on_stream(streams[0], jg_matmul, a);
    is_broken = true;
    assert_ok(jg_eval_async(2, (jg_array *[]){user, product}));
    assert_ok(jg_eval_async(1, &other));
    jg_synchronize();
    is_broken = false;
    assert_int_equal(jg_array_current_state(product), JG_ARRAY_FAILED);
    assert_int_equal(jg_array_current_state(user), JG_ARRAY_FAILED);
    assert_int_equal(jg_array_current_state(other), JG_ARRAY_AVAILABLE);
    for (int i = 0; i < 2; ++i) {
        assert_fails_saying(JG_ERR_LIBRARY, "[matmul] the library broke", jg_eval(1, &product));
        assert_fails_saying(JG_ERR_LIBRARY, "[matmul] the library broke", jg_eval(1, &user));
    }
    jg_number number;
    jg_array *corner;
    assert_ok(jg_slice(again, ITEMS(AT(7), AT(9)), &corner));
    assert_ok(jg_array_item(corner, &number)); /* the same op on the same stream */
    assert_true(number.re == 256);
    for (int i = 0; i < 2; ++i)
        jg_stream_release(streams[i]);
    release_all(7, (jg_array *[]){flat, a, product, user, other, again, corner});
}

BEFORE_ALL(set_up)
