/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays on a device whose memory the host cannot reach: made there, computed by the host's
 * tiers on copies, read back and freed. Nothing may take a handle for an address. */
#include "../arrays.h"
#include "../opaque_device.h"
#include "graph/graph.h"

#define CPU ((jg_device_id){JG_DEVICE_CPU, 0})

static bool is_on(const jg_array *x, jg_device_id device)
{
    jg_device_id id = jg_array_device(x);
    return id.type == device.type && id.id == device.id;
}

static jg_array *on(jg_device_id device, jg_array *x)
{
    jg_array *moved;
    assert_ok(jg_to_device(x, device, &moved));
    jg_array_release(x);
    return moved;
}

/* 1, 2, 3, ... in the device's memory. */
static jg_array *counting_on(jg_device_id device, int ndim, const int64_t *shape)
{
    jg_array *x = on(device, counting(JG_DTYPE_FLOAT32, ndim, shape));
    assert_ok(jg_eval(1, &x));
    assert_true(is_on(x, device));
    return x;
}

/* What the tests made is freed at their ends: blocks that are left are in the cache. */
static void assert_nothing_is_left(void)
{
    assert_ok(jg_synchronize());
    jg_clear_cache();
    assert_int_equal(opaque_states[0].nlive, 0);
    assert_int_equal(opaque_states[1].nlive, 0);
}

TEST(an_array_goes_there_and_back)
{
    jg_array *x = counting_on(OPAQUE, SHAPE(2, 3));
    assert_elements(x, 1, 2, 3, 4, 5, 6);
    x = on(CPU, x);
    assert_true(is_on(x, CPU));
    assert_elements(x, 1, 2, 3, 4, 5, 6);
    jg_array_release(x);
    assert_nothing_is_left();
}

TEST(ops_run_where_their_inputs_are)
{
    jg_array *x = counting_on(OPAQUE, SHAPE(2, 3)), *y, *z;
    assert_ok(jg_multiply(x, x, &y));
    assert_true(is_on(y, OPAQUE));
    assert_ok(jg_sum(y, 1, (int64_t[]){1}, false, NULL, &z));
    assert_true(is_on(z, OPAQUE));
    assert_elements(z, 14, 77);
    assert_elements(y, 1, 4, 9, 16, 25, 36);
    jg_array *all[] = {x, y, z};
    release_all(3, all);
    assert_nothing_is_left();
}

TEST(numbers_and_ranges_go_where_the_others_are)
{
    jg_array *x = counting_on(OPAQUE, SHAPE(4)), *number, *range, *twice, *y, *z;
    assert_ok(jg_array_from_number(float_number(10), x, &number));
    assert_ok(jg_arange(JG_DTYPE_FLOAT32, integer_number(0), integer_number(4), integer_number(1),
                        &range));
    assert_ok(jg_add(range, range, &twice)); /* a graph of ranges is as free as they are */
    assert_ok(jg_eval(1, &range));           /* also where it has been computed on the CPU */
    assert_true(is_on(twice, CPU));
    assert_ok(jg_multiply(number, x, &y));
    assert_ok(jg_add(y, twice, &z));
    replace(&y, z);
    assert_ok(jg_add(range, y, &z));
    replace(&y, z);
    assert_true(is_on(y, OPAQUE));
    assert_elements(y, 10, 23, 36, 49);
    jg_array *all[] = {x, number, range, twice, y};
    release_all(5, all);
    assert_nothing_is_left();
}

TEST(arrays_on_two_devices_do_not_meet)
{
    jg_array *x = counting_on(OPAQUE, SHAPE(4)), *y = counting_on(OTHER_OPAQUE, SHAPE(4));
    jg_array *host = ones(4), *both[] = {host, x}, *out;
    assert_fails_saying(JG_ERR_VALUE, "[add] arguments: got arrays on ext:0 and on ext:1",
                        jg_add(x, y, &out));
    assert_fails_saying(JG_ERR_VALUE, "[concat] arguments: got arrays on cpu:0 and on ext:0",
                        jg_concat(2, both, (int64_t[]){0}, &out));
    jg_array *all[] = {x, y, host};
    release_all(3, all);
    assert_nothing_is_left();
}

TEST(a_number_in_memory_follows_an_array)
{
    jg_array *x = counting_on(OPAQUE, SHAPE(2)), *y;
    jg_array *number = from_floats(SCALAR, (float[]){100});
    assert_ok(jg_add(number, x, &y));
    assert_true(is_on(y, OPAQUE));
    assert_elements(y, 101, 102);
    jg_array *all[] = {x, y, number};
    release_all(3, all);
    assert_nothing_is_left();
}

TEST(views_keep_the_handle_and_an_offset)
{
    jg_array *x = counting_on(OPAQUE, SHAPE(3, 4)), *row, *back, *column;
    jg_view view;
    assert_ok(jg_slice(x, 2, (jg_index[]){FROM_TO(1, 3), FROM_TO(1, 3)}, &row));
    assert_ok(jg_array_view(row, &view));
    assert_int_equal(view.device.type, JG_DEVICE_EXT);
    assert_int_equal(view.byte_offset, 5 * sizeof(float));
    jg_view whole;
    assert_ok(jg_array_view(x, &whole));
    assert_ptr_equal(view.data, whole.data);
    assert_elements(row, 6, 7, 10, 11);
    assert_ok(jg_flip(x, 2, (int64_t[]){0, 1}, &back));
    assert_elements(back, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
    assert_ok(jg_add(back, x, &column));
    assert_elements(column, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13);
    jg_array *all[] = {x, row, back, column};
    release_all(4, all);
    assert_nothing_is_left();
}

TEST(routines_and_products_run_on_copies)
{
    jg_array *x = counting_on(OPAQUE, SHAPE(3, 3)), *flipped, *product, *sorted;
    assert_ok(jg_matmul(x, x, &product));
    assert_elements(product, 30, 36, 42, 66, 81, 96, 102, 126, 150);
    assert_ok(jg_flip(x, 1, (int64_t[]){1}, &flipped));
    assert_ok(jg_sort(flipped, (int64_t[]){1}, false, true, &sorted));
    assert_true(is_on(sorted, OPAQUE));
    assert_elements(sorted, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    jg_array *all[] = {x, flipped, product, sorted};
    release_all(4, all);
    assert_nothing_is_left();
}

TEST(a_graph_may_cross_devices_and_come_back)
{
    jg_array *x = ones(4), *there, *y, *back, *z, *sum;
    assert_ok(jg_add(x, x, &y)); /* on the CPU, not computed */
    assert_ok(jg_to_device(y, OPAQUE, &there));
    assert_ok(jg_multiply(there, there, &z));
    assert_ok(jg_to_device(z, CPU, &back));
    assert_ok(jg_add(back, y, &sum));
    assert_true(is_on(sum, CPU));
    assert_int_equal(jg_array_current_state(z), JG_ARRAY_UNSCHEDULED);
    assert_elements(sum, 6, 6, 6, 6);
    jg_array *all[] = {x, there, y, back, z, sum};
    release_all(6, all);
    assert_nothing_is_left();
}

TEST(the_default_device_is_where_arrays_are_made)
{
    jg_array *x, *empty, *full;
    assert_ok(jg_device_set_default(OPAQUE));
    assert_ok(jg_array_from_data((float[]){1, 2, 3}, JG_DTYPE_FLOAT32, SHAPE(3), &x));
    assert_ok(jg_empty(JG_DTYPE_INT8, SHAPE(5), &empty));
    assert_ok(jg_full(JG_DTYPE_FLOAT32, SHAPE(2), float_number(7), &full));
    assert_ok(jg_device_set_default(CPU));
    assert_true(is_on(x, OPAQUE) && is_on(empty, OPAQUE) && is_on(full, OPAQUE));
    assert_elements(x, 1, 2, 3);
    assert_elements(full, 7, 7);
    jg_array *all[] = {x, empty, full};
    release_all(3, all);
    assert_nothing_is_left();
}

TEST(elements_are_read_one_by_one_in_every_dtype)
{
    for (int dtype = 0; dtype < JG_DTYPE_COUNT; ++dtype) {
        jg_array *x, *back;
        jg_number first, second;
        unsigned char bytes[32] = {1};
        if (dtype == JG_DTYPE_OPAQUE)
            continue;
        assert_ok(jg_array_from_data(bytes, (jg_dtype)dtype, SCALAR, &x));
        assert_ok(jg_array_item(x, &first));
        x = on(OPAQUE, x);
        assert_ok(jg_array_item(x, &second));
        assert_memory_equal(&first.re, &second.re, sizeof first.re);
        assert_int_equal(first.i64, second.i64);
        back = on(CPU, x);
        unsigned char got[32];
        assert_ok(jg_array_copy_to(back, got, jg_array_nbytes(back)));
        assert_memory_equal(got, bytes, jg_array_nbytes(back));
        jg_array_release(back);
    }
    assert_nothing_is_left();
}

TEST(streams_are_those_of_the_device)
{
    jg_stream *first, *host, *own;
    assert_ok(jg_stream_default(OPAQUE, &first));
    assert_ok(jg_stream_default(CPU, &host));
    assert_int_not_equal(jg_stream_index(first), jg_stream_index(host));
    assert_int_equal(jg_stream_device(first).type, JG_DEVICE_EXT);
    assert_ok(jg_stream_new(OPAQUE, &own));
    jg_stream_set_default(own);
    jg_stream *now;
    assert_ok(jg_stream_default(OPAQUE, &now));
    assert_ptr_equal(now, own);
    jg_stream_release(now);
    assert_ok(jg_stream_default(CPU, &now)); /* that of the CPU has stayed */
    assert_ptr_equal(now, host);
    jg_array *x = counting_on(OPAQUE, SHAPE(3)), *y;
    jg_stream_set_default(first);
    assert_ok(jg_add(x, x, &y)); /* from one stream of the device to the other */
    assert_elements(y, 2, 4, 6);
    jg_array *all[] = {x, y};
    release_all(2, all);
    jg_stream *streams[] = {first, host, own, now};
    for (int i = 0; i < 4; ++i)
        jg_stream_release(streams[i]);
    assert_nothing_is_left();
}

TEST(work_is_queued_without_waiting)
{
    jg_array *x = counting_on(OPAQUE, SHAPE(4)), *steps[20];
    for (int i = 0; i < 20; ++i) {
        assert_ok(jg_add(i ? steps[i - 1] : x, x, &steps[i]));
        assert_ok(jg_eval_async(1, &steps[i]));
    }
    assert_elements(steps[19], 21, 42, 63, 84);
    assert_elements(steps[9], 11, 22, 33, 44);
    jg_array_release(x);
    release_all(20, steps);
    assert_nothing_is_left();
}

/* Each step is dropped as soon as the next one is queued. */
static jg_array *count_up(jg_array *x, int steps)
{
    jg_array *one, *next;
    assert_ok(jg_array_from_number(float_number(1), x, &one));
    for (int i = 0; i < steps; ++i) {
        assert_ok(jg_add(x, one, &next));
        assert_ok(jg_eval_async(1, &next));
        replace(&x, next);
    }
    jg_array_release(one);
    return x;
}

TEST(memory_lives_until_its_device_has_read_it)
{
    float got[1000];
    jg_array *x = count_up(counting_on(OPAQUE, SHAPE(1000)), 30);
    assert_ok(jg_array_copy_to(x, got, sizeof got));
    for (int i = 0; i < 1000; ++i)
        assert_true(got[i] == (float)(i + 31));
    jg_array_release(x);
    assert_nothing_is_left();
}

/* Room for a result beside what it is made of, not for thirty. */
TEST(who_lacks_memory_waits_for_what_is_queued)
{
    float got[1000];
    jg_array *x = counting_on(OPAQUE, SHAPE(1000));
    jg_clear_cache();
    opaque_states[0].limit = opaque_states[0].live_nbytes + 2 * 4096 + 256;
    x = count_up(x, 30);
    opaque_states[0].limit = SIZE_MAX;
    assert_ok(jg_array_copy_to(x, got, sizeof got));
    assert_true(got[0] == 31 && got[999] == 1030);
    jg_array_release(x);
    assert_nothing_is_left();
}

TEST(what_comes_after_a_failed_run_fails_and_others_go_on)
{
    jg_array *x = counting_on(OPAQUE, SHAPE(4)), *y, *z, *sound;
    assert_ok(jg_add(x, x, &sound));
    assert_ok(jg_add(x, x, &y));
    assert_ok(jg_multiply(y, y, &z));
    opaque_states[0].fail_copy = 1; /* x comes to the host, y does not go to the device */
    assert_ok(jg_eval_async(1, &y));
    assert_ok(jg_eval_async(1, &z));
    assert_fails_saying(JG_ERR_DEVICE, "opaque:0: a copy has failed", jg_eval(1, &y));
    assert_fails_saying(JG_ERR_DEVICE, "[", jg_eval(1, &z));
    opaque_states[0].fail_copy = -1;
    assert_elements(sound, 2, 4, 6, 8);
    jg_array *all[] = {x, y, z, sound};
    release_all(4, all);
    assert_nothing_is_left();
}

TEST(a_failed_copy_fails_the_evaluation_and_nothing_else)
{
    jg_array *x = counting_on(OPAQUE, SHAPE(4)), *y;
    assert_ok(jg_multiply(x, x, &y));
    opaque_states[0].fail_copy = 0;
    assert_fails_saying(JG_ERR_DEVICE, "opaque:0", jg_eval(1, &y));
    opaque_states[0].fail_copy = -1;
    jg_array_release(y);
    assert_elements(x, 1, 2, 3, 4);
    jg_array_release(x);
    assert_nothing_is_left();
}

TEST(memory_that_is_kept_for_the_device_is_given_back_when_it_has_no_more)
{
    jg_array *x = counting_on(OPAQUE, SHAPE(1000)), *y, *host = ones(1000);
    size_t kept = jg_cache_memory();
    jg_array_release(x);
    assert_true(jg_cache_memory() > kept);
    opaque_states[0].limit = opaque_states[0].live_nbytes + 1100; /* not enough beside those */
    y = counting_on(OPAQUE, SHAPE(1200));                         /* of another size class */
    opaque_states[0].limit = 100;
    jg_array *none;
    assert_ok(jg_to_device(host, OPAQUE, &none));
    assert_fails(JG_ERR_NOMEM, jg_eval(1, &none));
    opaque_states[0].limit = SIZE_MAX;
    assert_ok(jg_eval(1, &none)); /* nothing had changed */
    jg_array *all[] = {y, host, none};
    release_all(3, all);
    assert_nothing_is_left();
}

TEST(explanations_say_that_the_host_runs_it)
{
    jg_array *x = counting_on(OPAQUE, SHAPE(4)), *y;
    char *text;
    assert_ok(jg_multiply(x, x, &y));
    assert_ok(jg_explain(1, &y, &text));
    assert_non_null(strstr(text, "on the host for opaque:0"));
    jg_text_release(text);
    jg_array *all[] = {x, y};
    release_all(2, all);
    assert_nothing_is_left();
}

typedef struct worker {
    jg_device_id device;
    float sum;
    bool sound;
} worker;

static void *compute(void *context)
{
    worker *own = context;
    own->sound = true;
    for (int i = 0; i < 20 && own->sound; ++i) {
        jg_array *x = NULL, *moved = NULL, *y = NULL, *z = NULL;
        own->sound =
            jg_array_from_data((float[]){1, 2, 3}, JG_DTYPE_FLOAT32, SHAPE(3), &x) == JG_OK;
        own->sound = own->sound && jg_to_device(x, own->device, &moved) == JG_OK;
        own->sound = own->sound && jg_multiply(moved, moved, &y) == JG_OK;
        own->sound = own->sound && jg_sum(y, -1, NULL, false, NULL, &z) == JG_OK;
        own->sound = own->sound && jg_array_copy_to(z, &own->sum, sizeof own->sum) == JG_OK;
        own->sound = own->sound && own->sum == 14;
        jg_array *all[] = {x, moved, y, z};
        release_all(4, all);
    }
    return NULL;
}

TEST(threads_share_the_devices)
{
    worker workers[6] = {{.device = OPAQUE}, {.device = OTHER_OPAQUE}, {.device = CPU},
                         {.device = OPAQUE}, {.device = OTHER_OPAQUE}, {.device = OPAQUE}};
    run_threads(6, compute, workers, sizeof *workers);
    for (int i = 0; i < 6; ++i)
        assert_true(workers[i].sound);
    assert_nothing_is_left();
}

static bool no(void *context)
{
    (void)context;
    return false;
}

/* Asked first when the run stops, after 20 milliseconds, so that a thread can look for signals. */
static bool give_a_copy_that_fails(void *context)
{
    static char byte;
    jg_array *x = context;
    void *queue;
    if (x == NULL)
        return true;
    jg_set_interrupt_check(give_a_copy_that_fails, no, NULL);
    assert_ok(stream_queue(stream_at(x->stream), &queue));
    const device_copy copy = {DEVICE_FROM_HOST, {opaque_handle(OPAQUE_BLOCKS), 0}, {&byte, 0}, 1};
    return opaque_copy(NULL, queue, &copy) == JG_OK;
}

TEST(a_failed_copy_of_a_run_that_stops_is_told)
{
    enum { STEPS = 600 }; /* longer than that on every machine */
    jg_array *x = counting_on(OPAQUE, SHAPE(1 << 20)), *next;
    for (int i = 0; i < STEPS; ++i) {
        assert_ok(jg_sin(x, &next));
        replace(&x, next);
    }
    jg_set_interrupt_check(give_a_copy_that_fails, no, x);
    assert_fails_saying(JG_ERR_DEVICE, "a copy has failed", jg_eval(1, &x));
    jg_set_interrupt_check(NULL, NULL, NULL);
    jg_array_release(x);
    assert_nothing_is_left();
}

static int add_device(void **state)
{
    (void)state;
    opaque_register();
    return 0;
}
BEFORE_ALL(add_device)
