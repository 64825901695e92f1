/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of reductions and matrix products. */
#include "../support.h"
#include "op/op.h"

TEST(reduced_axes_go_or_become_one)
{
    const int64_t shape[] = {2, 3, 4}, kept[] = {3}, ones[] = {1, 3, 1};
    int64_t out[3];
    int ndim;
    op_reduced_shape(3, shape, 5, false, &ndim, out);
    assert_int_equal(ndim, 1);
    assert_memory_equal(out, kept, sizeof kept);
    op_reduced_shape(3, shape, 5, true, &ndim, out);
    assert_int_equal(ndim, 3);
    assert_memory_equal(out, ones, sizeof ones);
    op_reduced_shape(3, shape, 0, false, &ndim, out);
    assert_memory_equal(out, shape, sizeof shape);
    op_reduced_shape(3, shape, 7, false, &ndim, out);
    assert_int_equal(ndim, 0);
}

typedef struct product_case {
    int andim, bndim, ndim; /* ndim -1: refused */
    int64_t a[4], b[4], product[4];
} product_case;

static const product_case products[] = {
    {1, 1, 0, {3}, {3}, {0}},
    {1, 2, 1, {3}, {3, 4}, {4}},
    {2, 1, 1, {2, 3}, {3}, {2}},
    {2, 2, 2, {2, 3}, {3, 4}, {2, 4}},
    {3, 1, 2, {5, 2, 3}, {3}, {5, 2}},
    {1, 3, 2, {3}, {5, 3, 4}, {5, 4}},
    {3, 2, 3, {5, 2, 3}, {3, 4}, {5, 2, 4}},
    {4, 3, 4, {6, 1, 2, 3}, {5, 3, 4}, {6, 5, 2, 4}},
    {2, 2, 2, {0, 3}, {3, 4}, {0, 4}},
    {2, 2, 2, {2, 0}, {0, 4}, {2, 4}},
    {3, 3, 3, {0, 2, 3}, {1, 3, 4}, {0, 2, 4}},
    {0, 2, -1, {0}, {3, 4}, {0}},
    {2, 0, -1, {3, 4}, {0}, {0}},
    {1, 1, -1, {3}, {4}, {0}},
    {2, 2, -1, {2, 3}, {2, 3}, {0}},
    {1, 2, -1, {4}, {3, 4}, {0}},
    {3, 3, -1, {2, 2, 3}, {3, 3, 4}, {0}},
};

TEST(matrix_products_have_the_shapes_of_the_table)
{
    for (size_t i = 0; i < JG_COUNT_OF(products); ++i) {
        const product_case *c = &products[i];
        int64_t shape[8];
        int ndim;
        jg_status status = op_matmul_shape(c->andim, c->a, c->bndim, c->b, &ndim, shape);
        jg_status expected = c->ndim < 0 ? JG_ERR_VALUE : JG_OK;
        if (status != expected)
            fail_msg("case %zu: %s", i, jg_error_message());
        if (status != JG_OK)
            continue;
        assert_int_equal(ndim, c->ndim);
        assert_memory_equal(shape, c->product, (size_t)ndim * sizeof *shape);
    }
}

TEST(failures_show_both_shapes)
{
    const int64_t a[] = {2, 2, 3}, b[] = {4, 3, 5};
    int64_t shape[8];
    int ndim;
    assert_fails_saying(JG_ERR_VALUE, "[matmul] shapes (2, 2, 3) and (4, 3, 5): the axes before",
                        op_matmul_shape(3, a, 3, b, &ndim, shape));
    assert_fails_saying(JG_ERR_VALUE, "(2, 2, 3) and (): allowed are operands with an axis",
                        op_matmul_shape(3, a, 0, b, &ndim, shape));
}
