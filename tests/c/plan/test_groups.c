/* SPDX-License-Identifier: Apache-2.0 */
/* What melts into one group and what does not, as jg_export_dot shows it. */
#include "../arrays.h"

static int occurrences(const char *text, const char *word)
{
    int count = 0;
    for (text = strstr(text, word); text != NULL; text = strstr(text + 1, word))
        count += 1;
    return count;
}

/* How many times the graph of the arrays shows the word. */
static int shown(int count, jg_array *const *arrays, const char *word)
{
    char *text;
    assert_ok(jg_export_dot(count, arrays, &text));
    int times = occurrences(text, word);
    jg_text_release(text);
    return times;
}

static int groups_of(jg_array *x)
{
    return shown(1, &x, "subgraph");
}

static jg_array *chain_on(jg_array *x, int length)
{
    jg_array *next, *at = jg_array_retain(x);
    for (int i = 0; i < length; ++i) {
        assert_ok(jg_negative(at, &next));
        replace(&at, next);
    }
    return at;
}

TEST(a_chain_is_one_group)
{
    jg_array *a = ones(8), *x = chain_on(a, 10);
    assert_int_equal(groups_of(x), 1);
    assert_int_equal(shown(1, &x, "negative"), 10);
    assert_int_equal(shown(1, &x, "memory"), 1);
    release_all(2, (jg_array *[]){a, x});
}

TEST(without_fusing_every_op_is_alone)
{
    jg_array *a = ones(8), *x = chain_on(a, 10);
    assert_ok(jg_option_set("fuse", "0"));
    assert_int_equal(groups_of(x), 10);
    assert_ok(jg_option_set("fuse", "1"));
    assert_int_equal(groups_of(x), 1);
    release_all(2, (jg_array *[]){a, x});
}

TEST(constants_ranges_and_views_join)
{
    jg_array *range, *two, *product, *square, *turned, *sum;
    assert_ok(jg_arange(JG_DTYPE_FLOAT32, integer_number(0), integer_number(16), integer_number(1),
                        &range));
    assert_ok(jg_full(JG_DTYPE_FLOAT32, SCALAR, integer_number(2), &two));
    assert_ok(jg_multiply(range, two, &product));
    assert_ok(jg_reshape(product, SHAPE(2, 8), &square));
    assert_ok(jg_negative(square, &turned));
    assert_ok(jg_add(turned, two, &sum));
    release_all(5, (jg_array *[]){range, two, product, square, turned});
    assert_int_equal(groups_of(sum), 1);
    jg_array_release(sum);
}

TEST(a_reshape_across_rows_cuts)
{
    jg_array *a = counting(JG_DTYPE_FLOAT32, SHAPE(4, 8)), *x = chain_on(a, 2), *flat, *y;
    assert_ok(jg_reshape(x, SHAPE(32), &flat));
    y = chain_on(flat, 2);
    release_all(2, (jg_array *[]){x, flat});
    assert_int_equal(groups_of(y), 2);
    release_all(2, (jg_array *[]){a, y});
}

TEST(a_reduction_pulls_in_what_feeds_it)
{
    jg_array *a = counting(JG_DTYPE_FLOAT32, SHAPE(4, 8)), *x = chain_on(a, 3), *sum, *after;
    assert_ok(jg_sum(x, 1, (int64_t[]){1}, false, NULL, &sum));
    replace(&x, NULL);
    assert_int_equal(groups_of(sum), 1);
    after = chain_on(sum, 2);
    replace(&sum, NULL);
    assert_true(groups_of(after) <= 2);
    release_all(2, (jg_array *[]){a, after});
}

TEST(a_value_that_two_groups_need_has_its_own)
{
    jg_array *a = counting(JG_DTYPE_FLOAT32, SHAPE(4, 8)), *x = chain_on(a, 3), *first, *second,
             *both;
    assert_ok(jg_sum(x, 1, (int64_t[]){0}, false, NULL, &first));
    assert_ok(jg_sum(x, 1, (int64_t[]){1}, false, NULL, &second));
    both = x;
    assert_int_equal(shown(2, (jg_array *[]){first, second}, "subgraph"), 3);
    assert_int_equal(shown(2, (jg_array *[]){first, second}, "negative"), 3); /* once each */
    release_all(4, (jg_array *[]){a, both, first, second});
}

TEST(what_somebody_holds_is_marked_as_stored)
{
    jg_array *a = ones(8), *x = chain_on(a, 3), *y = chain_on(x, 3);
    assert_int_equal(shown(1, &y, "style=bold"), 2);
    assert_int_equal(groups_of(y), 1);
    replace(&x, NULL);
    assert_int_equal(shown(1, &y, "style=bold"), 1);
    release_all(2, (jg_array *[]){a, y});
}

TEST(products_stand_alone)
{
    jg_array *a = counting(JG_DTYPE_FLOAT32, SHAPE(4, 4)), *x = chain_on(a, 2), *product, *after;
    assert_ok(jg_matmul(x, a, &product));
    after = chain_on(product, 2);
    release_all(2, (jg_array *[]){x, product});
    assert_int_equal(groups_of(after), 3);
    release_all(2, (jg_array *[]){a, after});
}

TEST(looking_computes_nothing)
{
    jg_array *a = ones(8), *x = chain_on(a, 3);
    assert_int_equal(groups_of(x), 1);
    assert_int_equal(jg_array_current_state(x), JG_ARRAY_UNSCHEDULED);
    assert_ok(jg_eval(1, &x));
    assert_int_equal(groups_of(x), 0);
    assert_int_equal(shown(1, &x, "memory"), 1);
    assert_int_equal(shown(0, NULL, "digraph"), 1);
    release_all(2, (jg_array *[]){a, x});
}
