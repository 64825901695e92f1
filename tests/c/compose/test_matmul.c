/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products against three loops: every rank, layout and dtype. */
#include "../arrays.h"
#include "op/op.h"

/* -2 to 2 in a fixed pattern, exact in every dtype. */
static jg_array *small_numbers(jg_dtype dtype, int ndim, const int64_t *shape, double *values)
{
    static double data[4096];
    int64_t size = 1;
    jg_array *wide, *x;
    for (int i = 0; i < ndim; ++i)
        size *= shape[i];
    assert_true(size <= (int64_t)JG_COUNT_OF(data));
    for (int64_t i = 0; i < size; ++i)
        values[i] = data[i] =
            (double)((i * 7 + ndim) % 5 - (dtype_rows[dtype].kind == JG_KIND_UINT ? 0 : 2));
    assert_ok(jg_array_from_data(data, JG_DTYPE_FLOAT64, ndim, shape, &wide));
    assert_ok(jg_astype(wide, dtype, &x));
    jg_array_release(wide);
    return x;
}

/* The offset of a batch's matrix in x, whose axes before the last two are broadcast. */
static int64_t batch_offset(int64_t batch, int ndim, const int64_t *shape, int xndim,
                            const int64_t *x)
{
    int64_t offset = 0, step = x[xndim - 1] * x[xndim - 2];
    for (int i = ndim - 3, j = xndim - 3; j >= 0; --i, --j) {
        offset += (x[j] == 1 ? 0 : batch % shape[i]) * step;
        batch /= shape[i];
        step *= x[j];
    }
    return offset;
}

static void multiply_slowly(int ndim, const int64_t *shape, int64_t k, const double *a, int andim,
                            const int64_t *ashape, const double *b, int bndim,
                            const int64_t *bshape, double *out)
{
    int64_t m = shape[ndim - 2], n = shape[ndim - 1], batches = 1;
    for (int i = 0; i < ndim - 2; ++i)
        batches *= shape[i];
    for (int64_t batch = 0; batch < batches; ++batch) {
        const double *left = a + batch_offset(batch, ndim, shape, andim, ashape);
        const double *right = b + batch_offset(batch, ndim, shape, bndim, bshape);
        for (int64_t i = 0; i < m * n; ++i) {
            double sum = 0;
            for (int64_t j = 0; j < k; ++j)
                sum += left[i / n * k + j] * right[j * n + i % n];
            out[batch * m * n + i] = sum;
        }
    }
}

typedef struct product_case {
    int andim, bndim;
    int64_t a[4], b[4];
} product_case;

static const product_case cases[] = {
    {2, 2, {3, 4}, {4, 5}},          {2, 2, {1, 1}, {1, 1}},
    {2, 2, {17, 33}, {33, 9}},       {3, 3, {2, 3, 4}, {2, 4, 5}},
    {3, 2, {2, 3, 4}, {4, 5}},       {2, 3, {3, 4}, {2, 4, 5}},
    {4, 3, {3, 1, 2, 4}, {2, 4, 3}}, {4, 4, {1, 2, 3, 2}, {3, 1, 2, 3}},
    {2, 2, {3, 0}, {0, 2}},          {2, 2, {0, 3}, {3, 2}},
    {2, 2, {2, 3}, {3, 0}},          {3, 3, {0, 2, 3}, {1, 3, 2}},
};

static void check_product(const product_case *c, jg_dtype dtype)
{
    static double left[4096], right[4096], expected[4096];
    int64_t shape[8], k = c->a[c->andim - 1];
    int ndim;
    jg_array *a = small_numbers(dtype, c->andim, c->a, left),
             *b = small_numbers(dtype, c->bndim, c->b, right);
    jg_array *product;
    assert_ok(op_matmul_shape(c->andim, c->a, c->bndim, c->b, &ndim, shape));
    multiply_slowly(ndim, shape, k, left, c->andim, c->a, right, c->bndim, c->b, expected);
    assert_ok(jg_matmul(a, b, &product));
    assert_array_shape(product, ndim, shape);
    assert_int_equal(jg_array_dtype(product), dtype);
    assert_values(product, jg_array_size(product), expected);
    release_all(3, (jg_array *[]){a, b, product});
}

TEST(every_shape_gives_what_loops_give_in_every_dtype)
{
    const jg_dtype dtypes[] = {JG_DTYPE_FLOAT32,  JG_DTYPE_FLOAT64, JG_DTYPE_FLOAT16,
                               JG_DTYPE_BFLOAT16, JG_DTYPE_INT8,    JG_DTYPE_INT16,
                               JG_DTYPE_INT32,    JG_DTYPE_INT64,   JG_DTYPE_UINT8,
                               JG_DTYPE_UINT16,   JG_DTYPE_UINT32,  JG_DTYPE_UINT64};
    for (size_t i = 0; i < JG_COUNT_OF(cases); ++i)
        for (size_t j = 0; j < JG_COUNT_OF(dtypes); ++j)
            check_product(&cases[i], dtypes[j]);
}

TEST(vectors_lose_their_axis)
{
    jg_array *v = counting(JG_DTYPE_FLOAT32, SHAPE(3)),
             *m = counting(JG_DTYPE_FLOAT32, SHAPE(3, 3)), *out;
    assert_ok(jg_matmul(v, v, &out));
    assert_int_equal(jg_array_ndim(out), 0);
    assert_elements(out, 14);
    replace(&out, NULL);
    assert_ok(jg_matmul(v, m, &out));
    assert_elements(out, 30, 36, 42);
    replace(&out, NULL);
    assert_ok(jg_matmul(m, v, &out));
    assert_elements(out, 14, 32, 50);
    release_all(3, (jg_array *[]){v, m, out});
}

TEST(operands_of_any_layout_give_the_same)
{
    jg_array *a = counting(JG_DTYPE_FLOAT64, SHAPE(4, 4)), *views[7], *row, *out, *dense;
    assert_ok(jg_matrix_transpose(a, &views[0]));
    assert_ok(jg_slice(a, ITEMS(EVERY(-1)), &views[1]));
    assert_ok(jg_slice(a, ITEMS(ALL, EVERY(-1)), &views[2]));
    assert_ok(jg_slice(a, ITEMS(ALL, EVERY(2)), &views[3]));
    assert_ok(jg_slice(a, ITEMS(EVERY(2)), &views[4]));
    assert_ok(jg_slice(a, ITEMS(FROM_TO(1, 2)), &row));
    assert_ok(jg_broadcast_to(row, SHAPE(4, 4), &views[5]));
    assert_ok(jg_add(a, a, &views[6])); /* not computed yet */
    for (int i = 0; i < 7; ++i) {
        for (int j = 0; j < 7; ++j) {
            jg_array *x = views[i], *y = views[j], *xdense, *ydense;
            if (jg_array_shape(x)[1] != jg_array_shape(y)[0])
                continue;
            assert_ok(jg_matmul(x, y, &out));
            assert_ok(jg_copy(x, &xdense));
            assert_ok(jg_copy(y, &ydense));
            assert_ok(jg_matmul(xdense, ydense, &dense));
            double *expected = read_all(dense);
            assert_values(out, jg_array_size(dense), expected);
            base_free(expected);
            release_all(4, (jg_array *[]){out, xdense, ydense, dense});
        }
    }
    release_all(7, views);
    release_all(2, (jg_array *[]){a, row});
}

TEST(a_product_sits_in_the_middle_of_a_graph)
{
    jg_array *a = counting(JG_DTYPE_FLOAT32, SHAPE(2, 2)), *sum, *turned, *product, *out;
    assert_ok(jg_add(a, a, &sum));
    assert_ok(jg_matrix_transpose(sum, &turned));
    assert_ok(jg_matmul(sum, turned, &product));
    assert_ok(jg_subtract(product, a, &out));
    release_all(3, (jg_array *[]){sum, turned, product});
    assert_elements(out, 19, 42, 41, 96);
    release_all(2, (jg_array *[]){a, out});
}

TEST(integers_wrap_and_dtypes_promote)
{
    jg_array *a, *b, *out;
    assert_ok(jg_full(JG_DTYPE_INT8, SHAPE(1, 2), integer_number(100), &a));
    assert_ok(jg_full(JG_DTYPE_INT8, SHAPE(2, 1), integer_number(2), &b));
    assert_ok(jg_matmul(a, b, &out));
    assert_elements(out, -112);
    replace(&out, NULL);
    replace(&b, NULL);
    assert_ok(jg_full(JG_DTYPE_FLOAT32, SHAPE(2, 1), float_number(0.5), &b));
    assert_ok(jg_matmul(a, b, &out));
    assert_int_equal(jg_array_dtype(out), JG_DTYPE_FLOAT32);
    assert_elements(out, 100);
    release_all(3, (jg_array *[]){a, b, out});
}
