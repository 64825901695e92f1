/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is written in place while arrays hold it: what was to read it before the write sees
 * what was there before the write, whether it was pending or under way. */
#include "../arrays.h"
#include "run/run.h"

enum { LARGE = 1 << 20 };

static jg_array *place(int64_t size)
{
    jg_array *x = ones(size);
    node_make_place(x);
    return x;
}

static float *memory_of(jg_array *x)
{
    return address_of(x);
}

/* What every writer does. */
static void write_all(jg_array *x, float value)
{
    float *data = memory_of(x);
    int64_t size = jg_array_size(x);
    assert_ok(run_before_write(data, data + size));
    for (int64_t i = 0; i < size; ++i)
        data[i] = value;
}

static jg_array *plus(jg_array *x, jg_array *y)
{
    jg_array *sum;
    assert_ok(jg_add(x, y, &sum));
    return sum;
}

TEST(a_pending_read_sees_what_was_there_before_the_write)
{
    jg_array *a = place(3), *before = plus(a, a), *after;
    write_all(a, 5);
    after = plus(a, a);
    assert_elements(before, 2, 2, 2);
    assert_elements(after, 10, 10, 10);
    release_all(3, (jg_array *[]){a, before, after});
}

TEST(an_alias_of_the_place_sees_the_write)
{
    jg_array *a = place(4), *half;
    assert_ok(jg_slice(a, ITEMS(EVERY(2)), &half));
    write_all(a, 5);
    assert_elements(half, 5, 5);
    release_all(2, (jg_array *[]){a, half});
}

TEST(a_read_through_a_view_is_pending_too)
{
    jg_array *a = place(4), *half, *sum;
    assert_ok(jg_slice(a, ITEMS(EVERY(2)), &half));
    sum = plus(half, half);
    write_all(a, 5);
    assert_elements(sum, 2, 2);
    release_all(3, (jg_array *[]){a, half, sum});
}

TEST(reductions_products_and_routines_are_pending_too)
{
    jg_array *a = place(4), *sum, *matrix, *product, *sums, *cast;
    int64_t axis = 0;
    assert_ok(jg_sum(a, 1, &axis, false, NULL, &sum));
    assert_ok(jg_reshape(a, SHAPE(2, 2), &matrix));
    assert_ok(jg_matmul(matrix, matrix, &product));
    assert_ok(jg_cumulative_sum(a, NULL, NULL, false, &sums));
    assert_ok(jg_astype(a, JG_DTYPE_INT64, &cast));
    write_all(a, 7);
    assert_elements(sum, 4);
    assert_elements(product, 2, 2, 2, 2);
    assert_elements(sums, 1, 2, 3, 4);
    assert_elements(cast, 1, 1, 1, 1);
    release_all(6, (jg_array *[]){a, sum, matrix, product, sums, cast});
}

TEST(what_hangs_on_a_pending_read_stays_one_pass)
{
    jg_array *a = place(LARGE), *x = jg_array_retain(a), *total;
    jg_synchronize();
    for (int i = 0; i < 10; ++i)
        replace(&x, plus(x, a));
    assert_ok(jg_sum(x, -1, NULL, false, NULL, &total));
    jg_array_release(x);
    jg_clear_cache();
    jg_reset_peak_memory();
    size_t active = jg_active_memory();
    write_all(a, 3);
    assert_true(jg_peak_memory() - active < LARGE * sizeof(float));
    assert_int_equal(jg_array_current_state(total), JG_ARRAY_AVAILABLE);
    assert_true(item_of(total) == 11.0 * LARGE);
    release_all(2, (jg_array *[]){a, total});
}

TEST(nodes_that_others_hold_are_stored)
{
    jg_array *a = place(2), *inner = plus(a, a), *outer = plus(inner, a), *view;
    assert_ok(jg_slice(inner, ITEMS(FROM_TO(0, 1)), &view));
    jg_array_release(inner);
    write_all(a, 9);
    assert_elements(outer, 3, 3);
    assert_elements(view, 2);
    release_all(3, (jg_array *[]){a, outer, view});
}

TEST(a_run_under_way_is_waited_for)
{
    for (int round = 0; round < 20; ++round) {
        jg_array *a = place(LARGE), *x = jg_array_retain(a);
        for (int i = 0; i < 5; ++i)
            replace(&x, plus(x, a));
        assert_ok(jg_eval_async(1, &x));
        write_all(a, 100);
        double *values = read_all(x);
        for (int64_t i = 0; i < LARGE; ++i)
            assert_true(values[i] == 6);
        base_free(values);
        release_all(2, (jg_array *[]){a, x});
    }
}

TEST(reads_of_other_memory_stay_pending)
{
    jg_array *a = place(2), *b = place(2), *of_a = plus(a, a), *of_b = plus(b, b);
    jg_array *plain = ones(2), *of_plain = plus(plain, plain);
    write_all(a, 4);
    assert_int_equal(jg_array_current_state(of_plain), JG_ARRAY_UNSCHEDULED);
    assert_elements(of_a, 2, 2);
    write_all(b, 4);
    assert_elements(of_b, 2, 2);
    release_all(6, (jg_array *[]){a, b, of_a, of_b, plain, of_plain});
}

TEST(what_was_dropped_unread_holds_nobody_up)
{
    jg_array *a = place(2), *x = plus(a, a);
    float *data = memory_of(a);
    assert_true(readers_overlap(data, data + 2));
    jg_array_release(x);
    assert_false(readers_overlap(data, data + 2));
    x = plus(a, a);
    assert_ok(jg_eval(1, &x));
    assert_false(readers_overlap(data, data + 2));
    release_all(2, (jg_array *[]){a, x});
}

TEST(a_place_is_never_reused_for_a_result)
{
    jg_array *a = place(1000), *x;
    float *data = memory_of(a);
    jg_array *alias;
    assert_ok(jg_slice(a, ITEMS(ALL), &alias));
    x = plus(a, a);
    jg_array_release(a); /* the run is the last to read it but for the alias */
    assert_ok(jg_eval(1, &x));
    assert_ptr_not_equal(memory_of(x), data);
    release_all(2, (jg_array *[]){alias, x});
}

static jg_array *import(float *data, int64_t size, int64_t stride)
{
    jg_view view;
    jg_array *x;
    assert_ok(jg_view_init(&view, data, (jg_device_id){JG_DEVICE_CPU, 0}, JG_DTYPE_FLOAT32, 1, 1,
                           &size, &stride, 0));
    assert_ok(jg_array_take_view(&view, JG_COPY_NEVER, NULL, NULL, &x));
    return x;
}

TEST(imports_of_the_same_memory_are_found_by_address)
{
    float data[4] = {1, 2, 3, 4};
    readers_track_foreign();
    jg_array *backwards = import(data + 3, 2, -2), *x = plus(backwards, backwards);
    assert_false(readers_overlap(data, data + 1)); /* which is 4 and 2 */
    assert_true(readers_overlap(data + 1, data + 2));
    assert_ok(run_before_write(data, data + 4));
    memset(data, 0, sizeof data);
    assert_elements(x, 8, 4);
    release_all(2, (jg_array *[]){backwards, x});
}

typedef struct builder {
    jg_array *place;
    int wrong;
} builder;

/* Nobody writes another value, so what is read is known although the threads do not agree on
 * when. */
static void *build_and_drop(void *context)
{
    builder *self = context;
    for (int i = 0; i < 400; ++i) {
        jg_array *x, *y;
        jg_number value = {0};
        self->wrong += jg_add(self->place, self->place, &x) != JG_OK;
        self->wrong += jg_sum(x, -1, NULL, false, NULL, &y) != JG_OK;
        jg_array_release(x);
        if (i % 3 != 0)
            self->wrong += jg_array_item(y, &value) != JG_OK || value.re != 128;
        jg_array_release(y);
    }
    return NULL;
}

static void *write_the_same(void *context)
{
    builder *self = context;
    float *data = self->place->buffer->handle;
    for (int i = 0; i < 200; ++i)
        self->wrong += run_before_write(data, data + 64) != JG_OK;
    return NULL;
}

static void *build_or_write(void *context)
{
    return ((builder *)context)->wrong ? (((builder *)context)->wrong = 0, write_the_same(context))
                                       : build_and_drop(context);
}

TEST(threads_build_drop_and_write_at_once)
{
    jg_array *a = place(64);
    builder builders[6];
    for (int i = 0; i < 6; ++i)
        builders[i] = (builder){a, i >= 4};
    run_threads(6, build_or_write, builders, sizeof *builders);
    for (int i = 0; i < 6; ++i)
        assert_int_equal(builders[i].wrong, 0);
    jg_array_release(a);
}

/* Such as another thread builds between the evaluation and the wait; it may hold them until the
 * writer is done. */
TEST(a_write_does_not_wait_for_nodes)
{
    jg_array *a = place(8), *x = plus(a, a);
    float *data = memory_of(a);
    while (!readers_wait(data, data + 8))
        continue;
    assert_int_equal(jg_array_current_state(x), JG_ARRAY_UNSCHEDULED);
    release_all(2, (jg_array *[]){a, x});
}
