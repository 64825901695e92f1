/* SPDX-License-Identifier: Apache-2.0 */
/* Results that are put into memory of others: there without a copy where nothing needs the old
 * values any more, else copied; and what reads the memory in the same evaluation reads the old
 * values. */
#include "../arrays.h"
#include "memory/memory.h"
#include "run/run.h"

enum { COUNT = 6, LARGE = 1 << 20, NBYTES = LARGE * sizeof(float) };

static float *made(int64_t size)
{
    float *data = base_alloc((size_t)size * sizeof *data);
    for (int64_t i = 0; i < size; ++i)
        data[i] = (float)(i % COUNT + 1);
    return data;
}

static jg_array *over(float *data, int ndim, const int64_t *shape, const int64_t *strides,
                      unsigned flags)
{
    jg_view view;
    jg_array *x;
    jg_device_id host = {JG_DEVICE_CPU, 0};
    assert_ok(jg_view_init(&view, data, host, JG_DTYPE_FLOAT32, 1, ndim, shape, strides, flags));
    assert_ok(jg_array_take_view(&view, JG_COPY_NEVER, NULL, NULL, &x));
    return x;
}

static jg_array *vector_over(float *data, int64_t size)
{
    return over(data, 1, &size, NULL, 0);
}

static jg_array *doubled(jg_array *x)
{
    jg_array *y;
    assert_ok(jg_add(x, x, &y));
    return y;
}

static void assert_floats(const float *data, int64_t count, const float *expected)
{
    for (int64_t i = 0; i < count; ++i)
        if (data[i] != expected[i])
            fail_msg("element %lld: got %g, expected %g", (long long)i, (double)data[i],
                     (double)expected[i]);
}

#define assert_six(data, ...) assert_floats((data), COUNT, (const float[]){__VA_ARGS__})

TEST(a_result_is_computed_in_its_target)
{
    static const int64_t sizes[] = {COUNT, LARGE}; /* at once, and outside the lock */
    for (int i = 0; i < 2; ++i) {
        float *data = made(sizes[i]);
        jg_array *x = vector_over(data, sizes[i]), *y = doubled(x);
        jg_synchronize();
        jg_reset_peak_memory();
        size_t active = jg_active_memory();
        assert_ok(jg_eval_into(1, &y, &x, NULL, NULL));
        assert_true(jg_peak_memory() <= active);
        assert_ptr_equal(address_of(y), data);
        assert_six(data, 2, 4, 6, 8, 10, 12);
        release_all(2, (jg_array *[]){x, y});
        base_free(data);
    }
}

TEST(a_target_that_is_not_read_is_written)
{
    float *data = made(COUNT);
    jg_array *x = vector_over(data, COUNT), *from = counting(JG_DTYPE_FLOAT32, SHAPE(COUNT));
    jg_array *y = doubled(from), *z = doubled(y);
    assert_ok(jg_eval_into(2, (jg_array *[]){y, z}, (jg_array *[]){NULL, x}, NULL, NULL));
    assert_ptr_equal(address_of(z), data);
    assert_six(data, 4, 8, 12, 16, 20, 24);
    assert_elements(y, 2, 4, 6, 8, 10, 12);
    release_all(4, (jg_array *[]){x, from, y, z});
    base_free(data);
}

/* Each becomes the other, and both are added up: all of that is of the old values. */
TEST(old_values_are_read)
{
    float *a = made(COUNT), *b = made(COUNT);
    b[0] = 7;
    jg_array *x = vector_over(a, COUNT), *y = vector_over(b, COUNT), *sum, *total, *back;
    int64_t axis = 0;
    assert_ok(jg_add(x, y, &sum));
    assert_ok(jg_sum(sum, 1, &axis, false, NULL, &total));
    jg_array *backwards[2];
    assert_ok(jg_flip(x, 1, &axis, &backwards[0]));
    assert_ok(jg_add(y, total, &back));
    backwards[1] = back;
    jg_array *arrays[] = {back, backwards[0], total}, *targets[] = {x, y, NULL};
    assert_ok(jg_eval_into(3, arrays, targets, NULL, NULL));
    assert_true(item_of(total) == 48);
    assert_six(a, 55, 50, 51, 52, 53, 54);
    assert_six(b, 6, 5, 4, 3, 2, 1);
    release_all(6, (jg_array *[]){x, y, sum, total, backwards[0], back});
    base_free(a);
    base_free(b);
}

/* The leaf lies one element further on: a loop over the target would read what it has written. */
TEST(memory_that_overlaps_is_copied_to)
{
    float *data = made(COUNT + 1);
    jg_array *x = vector_over(data + 1, COUNT), *before = vector_over(data, COUNT), *sum;
    assert_ok(jg_add(x, before, &sum));
    assert_ok(jg_eval_into(1, &sum, &x, NULL, NULL));
    assert_floats(data, COUNT + 1, (const float[]){1, 3, 5, 7, 9, 11, 7});
    release_all(3, (jg_array *[]){x, before, sum});
    base_free(data);
}

TEST(a_target_with_other_strides_is_copied_to)
{
    float *data = made(COUNT);
    jg_array *x = over(data, 2, (int64_t[]){2, 3}, (int64_t[]){1, 2}, 0), *y = doubled(x), *z;
    assert_ok(jg_eval_into(1, &y, &x, NULL, NULL));
    assert_six(data, 2, 4, 6, 8, 10, 12);
    jg_array *one = over(data + 1, 2, (int64_t[]){1, 2}, (int64_t[]){9, 2}, 0);
    z = doubled(one);
    assert_ok(jg_eval_into(1, &z, &one, NULL, NULL));
    assert_six(data, 2, 8, 6, 16, 10, 12);
    release_all(5, (jg_array *[]){x, y, z, one, NULL});
    base_free(data);
}

/* One that is a target's own memory, and one that is computed already. */
TEST(what_is_there_is_copied)
{
    float *a = made(COUNT), *b = made(COUNT);
    b[5] = 0;
    jg_array *x = vector_over(a, COUNT), *y = vector_over(b, COUNT);
    jg_array *arrays[] = {y, x}, *targets[] = {x, y};
    assert_ok(jg_eval_into(2, arrays, targets, NULL, NULL));
    assert_six(a, 1, 2, 3, 4, 5, 0);
    assert_six(b, 1, 2, 3, 4, 5, 6);
    jg_array *twice = doubled(x);
    assert_ok(jg_eval(1, &twice));
    assert_ok(jg_eval_into(1, &twice, &y, NULL, NULL));
    assert_six(b, 2, 4, 6, 8, 10, 0);
    release_all(3, (jg_array *[]){x, y, twice});
    base_free(a);
    base_free(b);
}

/* What is a constant of a function is given to each call. */
TEST(a_number_keeps_memory_of_its_own)
{
    float *data = made(COUNT);
    jg_array *x = vector_over(data, COUNT), *twos;
    assert_ok(jg_full(JG_DTYPE_FLOAT32, SHAPE(COUNT), float_number(2), &twos));
    for (int round = 0; round < 2; ++round) {
        assert_ok(jg_eval_into(1, &twos, &x, NULL, NULL));
        assert_six(data, 2, 2, 2, 2, 2, 2);
        data[1] = 7;
        assert_elements(twos, 2, 2, 2, 2, 2, 2);
    }
    release_all(2, (jg_array *[]){x, twos});
    base_free(data);
}

TEST(two_targets_may_get_one_value)
{
    float *a = made(COUNT), *b = made(COUNT);
    jg_array *x = vector_over(a, COUNT), *y = vector_over(b, COUNT), *sum = doubled(x);
    assert_ok(jg_eval_into(2, (jg_array *[]){sum, sum}, (jg_array *[]){y, x}, NULL, NULL));
    assert_six(a, 2, 4, 6, 8, 10, 12);
    assert_six(b, 2, 4, 6, 8, 10, 12);
    release_all(3, (jg_array *[]){x, y, sum});
    base_free(a);
    base_free(b);
}

TEST(targets_may_be_empty_or_single_numbers)
{
    float number = 3, nothing = 5;
    jg_array *x = over(&number, 0, NULL, NULL, 0), *y = doubled(x);
    assert_ok(jg_eval_into(1, &y, &x, NULL, NULL));
    assert_true(number == 6);
    jg_array *none = vector_over(&nothing, 0), *still = doubled(none);
    assert_ok(jg_eval_into(1, &still, &none, NULL, NULL));
    assert_ok(jg_eval_into(0, NULL, NULL, NULL, NULL));
    assert_true(nothing == 5);
    release_all(4, (jg_array *[]){x, y, none, still});
}

/* A run that writes a target is none of its readers, and those that come later are found. */
TEST(a_written_target_has_readers_afterwards)
{
    static const int64_t sizes[] = {COUNT, LARGE}; /* at once, and outside the lock */
    readers_track_foreign();
    for (int i = 0; i < 2; ++i) {
        float *data = made(sizes[i]), *source = made(sizes[i]);
        jg_array *x = vector_over(data, sizes[i]), *from = vector_over(source, sizes[i]);
        jg_array *y = doubled(from), *later;
        assert_ok(jg_eval_into(1, &y, &x, NULL, NULL));
        jg_array_release(y);
        jg_synchronize();
        assert_ok(jg_negative(x, &later)); /* reads it once */
        assert_true(readers_overlap(data, data + 1));
        assert_ok(run_before_write(data, data + sizes[i]));
        data[0] = 100;
        assert_false(readers_overlap(data, data + 1));
        assert_true(((float *)address_of(later))[0] == -2);
        release_all(3, (jg_array *[]){x, from, later});
        base_free(data);
        base_free(source);
    }
}

TEST(other_targets_are_refused)
{
    float *data = made(COUNT);
    jg_array *x = vector_over(data, COUNT), *y = doubled(x), *shorter = vector_over(data, 5);
    jg_array *fixed = over(data, 1, (int64_t[]){COUNT}, NULL, JG_VIEW_READ_ONLY);
    jg_array *view;
    assert_ok(jg_slice(x, ITEMS(FROM_TO(0, COUNT)), &view));
    jg_array *own = counting(JG_DTYPE_FLOAT32, SHAPE(COUNT));
    assert_fails_saying(JG_ERR_VALUE, "targets: number 0 is float32 (5,), allowed is float32 (",
                        jg_eval_into(1, &y, &shorter, NULL, NULL));
    assert_fails_saying(JG_ERR_BUFFER, "targets: number 0 is read-only",
                        jg_eval_into(1, &y, &fixed, NULL, NULL));
    assert_fails_saying(JG_ERR_BUFFER, "targets: number 0 is a view",
                        jg_eval_into(1, &y, &view, NULL, NULL));
    assert_fails_saying(JG_ERR_BUFFER, "targets: number 0", jg_eval_into(1, &y, &own, NULL, NULL));
    assert_fails(JG_ERR_VALUE, jg_eval_into(1, NULL, &x, NULL, NULL));
    assert_six(data, 1, 2, 3, 4, 5, 6);
    release_all(6, (jg_array *[]){x, y, shorter, fixed, view, own});
    base_free(data);
}
