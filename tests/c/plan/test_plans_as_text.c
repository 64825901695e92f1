/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of small graphs as explain tells them: what melts into a launch, what goes through memory,
 * what follows block by block. Whoever changes how plans are made writes tests/golden/plan anew and
 * sees in the difference what has become of them:
 *
 *     JOGGLE_WRITE_GOLDEN=1 meson test -C build/py plan/plans_as_text */
#include "../arrays.h"
#include "../golden.h"

/* Its rows are just long enough to be passed over more than once in a launch. */
static jg_array *matrix(void)
{
    return counting(JG_DTYPE_FLOAT32, SHAPE(4, 64));
}

/* Takes the array. */
static void compare(const char *name, jg_array *x)
{
    char *text, file[64];
    assert_ok(jg_explain(1, &x, &text));
    snprintf(file, sizeof file, "plan/%s.txt", name);
    golden_compare(file, text);
    jg_text_release(text);
    jg_array_release(x);
}

TEST(a_chain_of_elementwise_ops_is_one_launch)
{
    jg_array *x = matrix(), *y, *z;
    assert_ok(jg_exp(x, &y));
    assert_ok(jg_multiply(y, x, &z));
    release_all(2, (jg_array *[]){x, y});
    compare("chain", z);
}

TEST(rows_are_passed_over_in_one_launch)
{
    const int64_t axis = 1;
    jg_array *x = matrix(), *y;
    assert_ok(jg_softmax(x, 1, &axis, &y));
    jg_array_release(x);
    compare("rows", y);
}

TEST(what_a_routine_reads_goes_through_memory)
{
    const int64_t axis = 1;
    jg_array *x = matrix(), *negative, *sorted, *y;
    assert_ok(jg_negative(x, &negative));
    assert_ok(jg_sort(negative, &axis, false, true, &sorted));
    assert_ok(jg_subtract(sorted, negative, &y));
    release_all(3, (jg_array *[]){x, negative, sorted});
    compare("routine", y);
}

TEST(a_product_is_followed_by_what_reads_it)
{
    jg_array *x = matrix(), *turned, *product, *y;
    assert_ok(jg_matrix_transpose(x, &turned));
    assert_ok(jg_matmul(x, turned, &product));
    assert_ok(jg_tanh(product, &y));
    release_all(3, (jg_array *[]){x, turned, product});
    compare("product", y);
}

TEST(a_sum_over_columns_is_read_by_each_element)
{
    const int64_t axis = 0;
    jg_array *x = matrix(), *sum, *y;
    assert_ok(jg_sum(x, 1, &axis, false, NULL, &sum));
    assert_ok(jg_divide(x, sum, &y));
    release_all(2, (jg_array *[]){x, sum});
    compare("columns", y);
}
