/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products against the definition: every dtype, shape and way to lie in memory, by the
 * loops and, where the development environment holds an OpenBLAS, by that. */
#include "../openblas.h"
#include "../support.h"
#include "library/library.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const jg_dtype dtypes[] = {JG_DTYPE_INT8,    JG_DTYPE_INT16,     JG_DTYPE_INT32,
                                  JG_DTYPE_INT64,   JG_DTYPE_UINT8,     JG_DTYPE_UINT16,
                                  JG_DTYPE_UINT32,  JG_DTYPE_UINT64,    JG_DTYPE_FLOAT32,
                                  JG_DTYPE_FLOAT64, JG_DTYPE_COMPLEX64, JG_DTYPE_COMPLEX128};

/* m, n, k: ones, odd, beyond one block, zeros. */
static const int64_t shapes[][3] = {{1, 1, 1},   {2, 3, 4},     {1, 7, 5},    {7, 1, 5},
                                    {7, 5, 1},   {1, 1, 9},     {1, 9, 1},    {33, 70, 65},
                                    {64, 8, 64}, {3, 130, 131}, {100, 1, 90}, {1, 90, 100},
                                    {0, 3, 4},   {3, 0, 4},     {3, 4, 0}};

/* How an operand lies: plain, transposed, with gaps, turned round, every other column, one row
 * only. */
typedef enum way {
    PLAIN,
    TRANSPOSED,
    GAPS,
    TRANSPOSED_GAPS,
    BACKWARDS,
    COLUMN_STEP,
    BROADCAST,
    WAYS
} way;

typedef struct operand {
    char *block, *first; /* memory, and where the element (0, 0) lies in it */
    int64_t row, column;
} operand;

static double part(int64_t row, int64_t column, int salt)
{
    return (double)((row * 7 + column * 13 + salt * 5) % 11 - 5);
}

/* Small whole numbers: their sums of products are exact in every dtype, or wrap. */
static void put(char *to, jg_dtype dtype, int64_t row, int64_t column, int salt)
{
    double re = part(row, column, salt), im = part(column, row, salt + 3);
    jg_scalar x = {.i64 = (int64_t)re};
    jg_dtype_kind kind = JG_KIND_INT;
    if (dtype_is_complex(dtype)) {
        kind = JG_KIND_COMPLEX;
        x.complex_parts[0] = re;
        x.complex_parts[1] = im;
    } else if (dtype_is_floating(dtype)) {
        kind = JG_KIND_FLOAT;
        x.f64 = re;
    }
    scalar_store(x, kind, dtype, to);
}

static void set_strides(operand *x, way how, int64_t rows, int64_t columns)
{
    static const int64_t gap = 3;
    bool transposed = how == TRANSPOSED || how == TRANSPOSED_GAPS;
    int64_t pitch =
        (transposed ? rows : columns) + (how == GAPS || how == TRANSPOSED_GAPS ? gap : 0);
    x->row = transposed ? 1 : pitch;
    x->column = transposed ? pitch : 1;
    if (how == BACKWARDS)
        x->row = -x->row;
    if (how == COLUMN_STEP) {
        x->row = 2 * columns;
        x->column = 2;
    }
    if (how == BROADCAST)
        x->row = 0;
}

static operand make_operand(jg_dtype dtype, way how, int64_t rows, int64_t columns, int salt)
{
    operand x;
    size_t itemsize = dtype_itemsize(dtype), nelements = (size_t)((rows + 4) * (columns + 4) * 2);
    set_strides(&x, how, rows, columns);
    x.block = calloc(nelements, itemsize);
    x.first = x.block + (x.row < 0 ? (size_t)(-x.row * (rows - 1)) * itemsize : 0);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
            put(x.first + (i * x.row + j * x.column) * (int64_t)itemsize, dtype,
                how == BROADCAST ? 0 : i, j, salt);
    return x;
}

static void read_parts(const matmul_call *call, const void *base, int64_t index, double *re,
                       double *im)
{
    jg_scalar x;
    jg_dtype_kind kind = scalar_load(
        (const char *)base + index * (int64_t)dtype_itemsize(call->dtype), call->dtype, &x);
    *re = kind == JG_KIND_FLOAT     ? x.f64
          : kind == JG_KIND_COMPLEX ? x.complex_parts[0]
                                    : (double)x.i64;
    *im = kind == JG_KIND_COMPLEX ? x.complex_parts[1] : 0;
}

static double rounded(double value, jg_dtype dtype)
{
    char bytes[8];
    jg_scalar x = {.f64 = value};
    scalar_store(x, JG_KIND_FLOAT, dtype, bytes);
    (void)scalar_load(bytes, dtype, &x);
    return x.f64;
}

static void check_element(const matmul_call *call, int64_t i, int64_t j)
{
    double re = 0, im = 0, got_re, got_im, a_re, a_im, b_re, b_im;
    for (int64_t k = 0; k < call->k; ++k) {
        read_parts(call, call->a, i * call->a_row + k * call->a_column, &a_re, &a_im);
        read_parts(call, call->b, k * call->b_row + j * call->b_column, &b_re, &b_im);
        if (!dtype_is_complex(call->dtype) && !dtype_is_floating(call->dtype)) {
            /* The bits of an unsigned operand are those of the signed one that was put there. */
            int bits = dtype_rows[call->dtype].bits;
            a_re = remainder(a_re, ldexp(1, bits));
            b_re = remainder(b_re, ldexp(1, bits));
        }
        re += a_re * b_re - a_im * b_im;
        im += a_re * b_im + a_im * b_re;
    }
    read_parts(call, call->c, i * call->c_row + j, &got_re, &got_im);
    if (!dtype_is_complex(call->dtype) && !dtype_is_floating(call->dtype)) {
        double range = ldexp(1, dtype_rows[call->dtype].bits);
        got_re -= floor(got_re / range) * range;
        re -= floor(re / range) * range;
    }
    if (call->dtype == JG_DTYPE_FLOAT16 || call->dtype == JG_DTYPE_BFLOAT16)
        re = rounded(re, call->dtype); /* the sum was exact before */
    if (got_re != re || got_im != im)
        fail_msg("%s %ldx%ldx%ld, element %ld, %ld: got %g %g, wanted %g %g",
                 jg_dtype_name(call->dtype), (long)call->m, (long)call->n, (long)call->k, (long)i,
                 (long)j, got_re, got_im, re, im);
}

typedef jg_status multiply(const matmul_call *call);

/* C starts as NaNs or ones, has a gap after each row, and the gap must stay. */
static void check_product(multiply *run, jg_dtype dtype, const int64_t *shape, way a_way, way b_way)
{
    int64_t m = shape[0], n = shape[1], k = shape[2], c_row = n + 2;
    size_t itemsize = dtype_itemsize(dtype), nbytes = (size_t)(m * c_row + 1) * itemsize;
    operand a = make_operand(dtype, a_way, m, k, 1), b = make_operand(dtype, b_way, k, n, 2);
    char *c = malloc(nbytes);
    memset(c, 0xff, nbytes);
    matmul_call call = {dtype, m,     n,        k,     a.first,  b.first,
                        c,     a.row, a.column, b.row, b.column, c_row};
    assert_ok(run(&call));
    for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j)
            check_element(&call, i, j);
        for (size_t byte = 0; byte < 2 * itemsize; ++byte)
            assert_int_equal((unsigned char)c[(size_t)(i * c_row + n) * itemsize + byte], 0xff);
    }
    free(c);
    free(a.block);
    free(b.block);
}

static void check_ways(multiply *run, jg_dtype dtype, const int64_t *shape)
{
    for (int ways = 0; ways < WAYS * WAYS; ++ways)
        if (ways % WAYS == ways / WAYS || ways % WAYS == PLAIN || ways / WAYS == PLAIN)
            check_product(run, dtype, shape, (way)(ways / WAYS), (way)(ways % WAYS));
}

static void check_all(multiply *run, bool floats_only)
{
    for (size_t d = floats_only ? 8 : 0; d < JG_COUNT_OF(dtypes); ++d)
        for (size_t s = 0; s < JG_COUNT_OF(shapes); ++s)
            check_ways(run, dtypes[d], shapes[s]);
}

static jg_status by_loops(const matmul_call *call)
{
    return call->m == 0 || call->n == 0 ? JG_OK : library_loops_matmul(call);
}

TEST(loops_agree_with_the_definition)
{
    check_all(by_loops, false);
}

TEST(the_library_agrees_with_the_definition)
{
    check_all(library_matmul, true);
    check_product(library_matmul, JG_DTYPE_INT32, shapes[7], PLAIN, TRANSPOSED);
}

/* Few rows or columns, of float32 where the matrix is large, are multiplied as they lie; k beside a
 * vector's lanes, and more columns than a strip has. */
TEST(few_vectors_agree_with_the_definition)
{
    static const int64_t large[][3] = {{1, 700, 131}, {3, 350, 200}, {900, 2, 90}};
    static const int64_t few[][3] = {{1, 1, 1},   {1, 5, 16},   {3, 9, 17}, {8, 70, 15},
                                     {70, 7, 40}, {1, 1030, 6}, {9, 1, 33}, {2, 1, 70}};
    for (size_t s = 0; s < JG_COUNT_OF(few); ++s) {
        assert_true(library_takes(JG_DTYPE_FLOAT16, few[s][0], few[s][1], few[s][2]));
        check_ways(library_matmul, JG_DTYPE_FLOAT16, few[s]);
        check_ways(library_matmul, JG_DTYPE_BFLOAT16, few[s]);
    }
    for (size_t s = 0; s < JG_COUNT_OF(large); ++s)
        check_ways(library_matmul, JG_DTYPE_FLOAT32, large[s]);
    assert_false(library_takes(JG_DTYPE_FLOAT16, 1, 1, 0));
    assert_false(library_takes(JG_DTYPE_FLOAT16, 9, 9, 1));
}

/* What devices leave to the host is not cast before. */
TEST(halves_of_any_size_agree_with_the_definition)
{
    static const int64_t sizes[][3] = {{9, 9, 0}, {9, 9, 1}, {16, 10, 40}, {67, 33, 130}};
    for (size_t s = 0; s < JG_COUNT_OF(sizes); ++s) {
        check_ways(library_matmul, JG_DTYPE_FLOAT16, sizes[s]);
        check_ways(library_matmul, JG_DTYPE_BFLOAT16, sizes[s]);
    }
}

TEST(openblas_takes_transposes_and_leaves_other_strides_alone)
{
    float a[4] = {1, 2, 3, 4}, c[4];
    bool done;
    matmul_call call = {JG_DTYPE_FLOAT32, 2, 2, 2, a, a, c, 1, 2, 2, 1, 2};
    if (blas_path() == NULL)
        skip();
    assert_ok(blas_matmul(&call, &done));
    assert_true(done);
    assert_true(c[0] == 10 && c[1] == 14 && c[2] == 14 && c[3] == 20);
    call.a_row = call.a_column = 0;
    assert_ok(blas_matmul(&call, &done));
    assert_false(done);
    call.dtype = JG_DTYPE_INT32;
    assert_ok(blas_matmul(&call, &done));
    assert_false(done);
}

TEST(the_environment_is_left_as_it_was)
{
    (void)blas_path();
    assert_null(getenv("OPENBLAS_CORETYPE"));
    assert_null(getenv("OPENBLAS_NUM_THREADS"));
}

TEST(dtypes_without_products_are_refused_by_name)
{
    bool x[9] = {0}, c[81];
    matmul_call call = {JG_DTYPE_BOOL, 9, 9, 1, x, x, c, 1, 1, 1, 1, 9};
    assert_fails_saying(JG_ERR_UNSUPPORTED, "bool", library_matmul(&call));
}

static int open_blas(void **state)
{
    (void)state;
    unsetenv("OPENBLAS_CORETYPE");
    unsetenv("OPENBLAS_NUM_THREADS");
    return name_openblas() ? 0 : -1;
}

BEFORE_ALL(open_blas)
