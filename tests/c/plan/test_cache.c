/* SPDX-License-Identifier: Apache-2.0 */
/* The second evaluation of a structure finds the plan of the first, and only of that. */
#include "../arrays.h"

/* softmax-like, with numbers that differ from call to call */
static jg_array *build(jg_array *x, double scale)
{
    jg_array *factor, *scaled, *most, *out;
    assert_ok(jg_array_from_number(float_number(scale), x, &factor));
    assert_ok(jg_multiply(x, factor, &scaled));
    assert_ok(jg_max(scaled, -1, NULL, false, &most));
    assert_ok(jg_subtract(most, scaled, &out));
    release_all(3, (jg_array *[]){factor, scaled, most});
    return out;
}

/* Whether evaluating needs the heap at all, where memory for the values is in the cache. */
static bool allocates(jg_array *x)
{
    jg_array *kept[4];
    for (int i = 0; i < 4; ++i)
        kept[i] = ones(1);
    release_all(4, kept);
    base_fail_nth(1);
    assert_ok(jg_eval(1, &x));
    void *block = base_alloc(1); /* fails if nothing has failed before */
    base_fail_nth(0);
    base_free(block);
    return block != NULL;
}

TEST(a_known_structure_needs_no_heap)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(3)), *y;
    for (int i = 0; i < 3; ++i) { /* plans, then fills the cache of memory */
        y = build(x, 1);
        assert_ok(jg_eval(1, &y));
        jg_array_release(y);
    }
    y = build(x, 1);
    assert_false(allocates(y));
    assert_elements(y, 2, 1, 0);
    release_all(2, (jg_array *[]){x, y});
}

TEST(other_numbers_use_the_same_plan_and_give_other_values)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(3)), *y, *z;
    y = build(x, 10);
    assert_false(allocates(y));
    assert_elements(y, 20, 10, 0);
    assert_ok(jg_negative(x, &z));
    assert_ok(jg_eval(1, &z));
    replace(&y, build(z, 1));
    assert_false(allocates(y));
    assert_elements(y, 0, 1, 2);
    release_all(3, (jg_array *[]){x, y, z});
}

TEST(memory_elsewhere_uses_the_same_plan)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(9)), *part, *y;
    assert_ok(jg_slice(x, ITEMS(FROM_TO(4, 7)), &part));
    y = build(part, 1);
    assert_false(allocates(y));
    assert_elements(y, 2, 1, 0);
    release_all(3, (jg_array *[]){x, part, y});
}

/* What a plan depends on must not be confused. Each pair differs in one such thing. */
TEST(other_structures_get_other_plans)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(6)), *strided, *column, *wide, *y;
    assert_ok(jg_slice(x, ITEMS(EVERY(2)), &strided));
    y = build(strided, 1);
    assert_elements(y, 4, 2, 0);
    jg_array_release(y);
    assert_ok(jg_slice(x, ITEMS(EVERY(-2)), &column));
    y = build(column, 1);
    assert_elements(y, 0, 2, 4);
    jg_array_release(y);
    wide = counting(JG_DTYPE_FLOAT64, SHAPE(3));
    y = build(wide, 1);
    assert_int_equal(jg_array_dtype(y), JG_DTYPE_FLOAT64);
    assert_elements(y, 2, 1, 0);
    release_all(5, (jg_array *[]){x, strided, column, wide, y});
}

TEST(what_is_held_is_part_of_the_structure)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(3)), *inner, *outer;
    for (int held = 0; held < 4; ++held) {
        assert_ok(jg_negative(x, &inner));
        assert_ok(jg_add(inner, x, &outer));
        if (held % 2 == 0)
            replace(&inner, NULL);
        assert_elements(outer, 0, 0, 0);
        if (inner != NULL)
            assert_elements(inner, -1, -2, -3);
        release_all(2, (jg_array *[]){inner, outer});
    }
    jg_array_release(x);
}

TEST(axes_and_windows_are_part_of_the_structure)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(2, 2)), *negated, *view, *sum;
    for (int64_t axis = 0; axis < 2; ++axis) {
        for (int row = 0; row < 2; ++row) {
            assert_ok(jg_negative(x, &negated));
            assert_ok(jg_slice(negated, ITEMS(AT(row)), &view));
            assert_ok(jg_sum(negated, 1, &axis, false, NULL, &sum));
            replace(&negated, NULL);
            assert_ok(jg_eval(2, (jg_array *[]){view, sum}));
            assert_elements(view, -1 - 2 * row, -2 - 2 * row);
            assert_elements(sum, axis ? -3 : -4, axis ? -7 : -6);
            release_all(2, (jg_array *[]){view, sum});
        }
    }
    jg_array_release(x);
}

TEST(more_structures_than_the_cache_holds_are_fine)
{
    for (int round = 0; round < 2; ++round) {
        for (int64_t size = 1; size < 2500; ++size) {
            jg_array *x, *y;
            assert_ok(jg_full(JG_DTYPE_INT64, SHAPE(size), integer_number(2), &x));
            assert_ok(jg_sum(x, -1, NULL, false, NULL, &y));
            assert_true(item_of(y) == (double)(2 * size));
            release_all(2, (jg_array *[]){x, y});
        }
    }
}
