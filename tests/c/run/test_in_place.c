/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that an evaluation takes over: a leaf that nobody else holds becomes the result, a
 * temporary that dies becomes the next; and what somebody holds stays as it was. */
#include "../arrays.h"
#include "memory/memory.h"

enum { LARGE = 1 << 20, NBYTES = LARGE * sizeof(float) };

/* x * 0.5 + 1, which takes x's reference: of 2 it makes 2. */
static jg_array *step(jg_array *x)
{
    jg_array *half, *one, *product, *sum;
    assert_ok(jg_array_from_number(float_number(0.5), x, &half));
    assert_ok(jg_array_from_number(float_number(1), x, &one));
    assert_ok(jg_multiply(x, half, &product));
    assert_ok(jg_add(product, one, &sum));
    release_all(4, (jg_array *[]){x, half, one, product});
    return sum;
}

static jg_array *twos(int64_t size)
{
    jg_array *one = ones(size), *two;
    assert_ok(jg_add(one, one, &two));
    assert_ok(jg_eval(1, &two));
    jg_array_release(one);
    return two;
}

TEST(a_leaf_that_nobody_holds_becomes_the_result)
{
    static const int64_t sizes[] = {5, LARGE};
    for (int i = 0; i < 2; ++i) {
        jg_array *x = twos(sizes[i]);
        void *address = address_of(x);
        jg_synchronize();
        jg_reset_peak_memory();
        size_t active = jg_active_memory();
        for (int round = 0; round < 20; ++round) {
            x = step(x);
            assert_ok(jg_eval(1, &x));
        }
        assert_ptr_equal(address_of(x), address);
        assert_true(jg_peak_memory() <= active);
        assert_all(x, 2);
        jg_array_release(x);
    }
}

/* The buffer's last writer is still under way when the next takes it over. */
TEST(asynchronous_runs_pass_a_buffer_on)
{
    jg_stream *stream;
    jg_event *gate;
    jg_array *x = twos(LARGE);
    void *address = address_of(x);
    assert_ok(jg_stream_default(jg_device_default(), &stream));
    assert_ok(jg_event_new(&gate));
    assert_ok(jg_stream_wait_event(stream, gate));
    size_t active = jg_active_memory();
    for (int round = 0; round < 20; ++round) {
        x = step(x);
        assert_ok(jg_eval_async(1, &x));
    }
    assert_int_equal(jg_active_memory(), active);
    assert_int_equal(jg_array_current_state(x), JG_ARRAY_SCHEDULED);
    jg_event_set(gate);
    assert_ptr_equal(address_of(x), address);
    assert_all(x, 2);
    jg_array_release(x);
    jg_event_release(gate);
    jg_stream_release(stream);
}

TEST(what_somebody_holds_stays_as_it_was)
{
    static const int64_t sizes[] = {5, LARGE};
    for (int i = 0; i < 2; ++i) {
        jg_array *x = twos(sizes[i]), *view, *other, *stepped, *sum;
        assert_ok(jg_slice(x, ITEMS(FROM_TO(1, 3)), &view));
        stepped = step(x); /* the view holds x */
        assert_ok(jg_eval(1, &stepped));
        assert_elements(view, 2, 2);
        jg_array_release(view);
        x = step(stepped);
        assert_ok(jg_negative(x, &other)); /* x's user, and then that of its leaf */
        jg_array *kept = jg_array_retain(x);
        x = step(x);
        assert_ok(jg_add(x, other, &sum));
        assert_ok(jg_eval(2, (jg_array *[]){sum, kept}));
        assert_all(kept, 2);
        assert_all(sum, 0);
        release_all(4, (jg_array *[]){x, other, sum, kept});
    }
}

TEST(a_reader_under_way_keeps_its_leaf)
{
    jg_stream *stream;
    jg_event *gate;
    jg_array *x = twos(LARGE), *total;
    assert_ok(jg_stream_new(jg_device_default(), &stream));
    assert_ok(jg_event_new(&gate));
    assert_ok(jg_stream_wait_event(stream, gate));
    jg_stream *zero;
    assert_ok(jg_stream_default(jg_device_default(), &zero));
    jg_stream_set_default(stream);
    assert_ok(jg_max(x, -1, NULL, false, &total));
    jg_stream_set_default(zero);
    assert_ok(jg_eval_async(1, &total)); /* held up, and has yet to read x */
    for (int i = 0; i < 3; ++i) {
        jg_array *three = step(x);
        assert_ok(jg_add(three, three, &x));
        jg_array_release(three);
        assert_ok(jg_eval(1, &x));
    }
    jg_event_set(gate);
    assert_true(item_of(total) == 2);
    release_all(2, (jg_array *[]){x, total});
    jg_event_release(gate);
    jg_stream_release(stream);
    jg_stream_release(zero);
}

TEST(exported_memory_is_not_taken)
{
    jg_array *x = twos(6);
    DLManagedTensorVersioned *tensor;
    assert_ok(jg_array_to_managed(x, JG_COPY_NEVER, &tensor));
    x = step(x);
    x = step(x);
    assert_ok(jg_eval(1, &x));
    assert_ptr_not_equal(address_of(x), tensor->dl_tensor.data);
    assert_true(((float *)tensor->dl_tensor.data)[5] == 2);
    tensor->deleter(tensor);
    jg_array_release(x);
}

/* Read through another index map, or of another size: no element is written before it is read. */
TEST(what_is_read_elsewhere_is_not_overwritten)
{
    for (int64_t n = 3; n < 700; n += 331) {
        jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(n, n)), *copy, *turned, *sum, *back;
        assert_ok(jg_copy(x, &copy));
        assert_ok(jg_eval(1, &copy));
        jg_array_release(x);
        assert_ok(jg_matrix_transpose(copy, &turned));
        assert_ok(jg_add(copy, turned, &sum));
        assert_ok(jg_matrix_transpose(sum, &back));
        release_all(2, (jg_array *[]){copy, turned});
        double *values = read_all(sum), *mirrored = read_all(back);
        for (int64_t i = 0; i < n * n; ++i)
            assert_true(values[i] == mirrored[i]);
        assert_true(values[1] == (double)(2 + n + 1));
        base_free(values);
        base_free(mirrored);
        release_all(2, (jg_array *[]){sum, back});
    }
}

TEST(temporaries_are_taken_over)
{
    assert_ok(jg_option_set("fuse", "0"));
    jg_array *a = twos(LARGE), *x = jg_array_retain(a);
    jg_clear_cache();
    for (int i = 0; i < 30; ++i)
        x = step(x);
    jg_reset_peak_memory();
    size_t active = jg_active_memory();
    assert_ok(jg_eval(1, &x));
    /* The result, one temporary, and the numbers. */
    assert_true(jg_peak_memory() <= active + 2 * NBYTES + NBYTES / 4);
    assert_all(x, 2);
    assert_ok(jg_option_set("fuse", "1"));
    release_all(2, (jg_array *[]){a, x});
}
