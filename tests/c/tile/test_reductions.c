/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions: how exact sums are, what NaN, infinities and nothing at all give. That every
 * layout gives the right elements is for test_random.c. */
#include "../support.h"
#include "launch.h"
#include "tables.h"
#include "tile/code.h"

static launch l;

/* A (rows x columns) row-major array reduced over its rows' elements, or over the rows (axis 0). */
static void matrix(int axis, int64_t rows, int64_t columns)
{
    const int64_t along[] = {columns, 1, 1, 0}, across[] = {1, columns, 1, 0};
    const int64_t rows_first[] = {rows, columns}, columns_first[] = {columns, rows};
    if (axis == 1)
        launch_space(&l, 2, 1, rows_first, along);
    else
        launch_space(&l, 2, 1, columns_first, across);
    launch_alloc(&l, 1, false);
}

static void sum_program(program_op op, jg_dtype dtype, bool scaled)
{
    program_init(&l.program);
    int x = load_of(&l, dtype);
    if (scaled)
        x = apply_to(&l, PROGRAM_ADD, x, x, 0);
    x = apply_to(&l, op, x, 0, 0);
    store_of(&l, x);
}

/* The relative error of pairwise summation, as NumPy does it: runs of 16, then pairs. */
static double pairwise_bound(int64_t n, bool single)
{
    return (16 + log2((double)n)) * (single ? 0x1p-24 : 0x1p-53);
}

static void check_accuracy(int axis, int64_t rows, int64_t columns, bool single, bool scaled)
{
    uint64_t seed = 5;
    int64_t nresults = axis == 1 ? rows : columns, n = axis == 1 ? columns : rows;
    sum_program(PROGRAM_REDUCE_ADD, single ? JG_DTYPE_FLOAT32 : JG_DTYPE_FLOAT64, scaled);
    matrix(axis, rows, columns);
    float *f = (float *)(void *)l.memory[0];
    double *d = (double *)(void *)l.memory[0];
    for (int64_t i = 0; i < rows * columns; ++i) {
        double x = random_real(&seed, 1) + 0.9;
        if (single)
            f[i] = (float)x;
        else
            d[i] = x;
    }
    launch_tile(&l, true);
    for (int64_t r = 0; r < nresults; ++r) {
        long double sum = 0, size = 0;
        for (int64_t i = 0; i < n; ++i) {
            int64_t at = axis == 1 ? r * columns + i : i * columns + r;
            long double x = (scaled ? 2 : 1) * (single ? (long double)f[at] : (long double)d[at]);
            sum += x;
            size += fabsl(x);
        }
        double got =
            single ? (double)((float *)(void *)l.memory[1])[r] : ((double *)(void *)l.memory[1])[r];
        double error = (double)(fabsl((long double)got - sum) / size);
        if (!(error <= pairwise_bound(n, single)))
            fail_msg("axis %d of %ldx%ld, result %ld: got %.17g, wanted %.17Lg", axis, (long)rows,
                     (long)columns, (long)r, got, sum);
    }
    launch_free(&l);
}

TEST(sums_are_as_exact_as_pairwise_summation)
{
    for (int variant = 0; variant < 4; ++variant) {
        bool single = variant & 1, scaled = variant & 2;
        check_accuracy(1, 2, 300001, single, scaled);
        check_accuracy(0, 300001, 2, single, scaled);
        check_accuracy(0, 20011, 40, single, scaled);
        check_accuracy(0, 4001, 1100, single, scaled);
        check_accuracy(1, 5000, 7, single, scaled);
        check_accuracy(0, 63, 1100, single, scaled);
    }
}

static float reduce_floats(program_op op, const float *elements, int64_t n)
{
    sum_program(op, JG_DTYPE_FLOAT32, false);
    matrix(1, 1, n);
    memcpy(l.memory[0], elements, (size_t)n * sizeof *elements);
    launch_tile(&l, false);
    float result = *(float *)(void *)l.memory[1];
    launch_free(&l);
    return result;
}

TEST(a_nan_anywhere_reaches_the_result)
{
    enum { N = 1100 };
    float x[N];
    for (int at = 0; at < N; at += 13) {
        for (int i = 0; i < N; ++i)
            x[i] = i == at ? NAN : (float)i;
        assert_true(isnan(reduce_floats(PROGRAM_REDUCE_ADD, x, N)));
        assert_true(isnan(reduce_floats(PROGRAM_REDUCE_MAXIMUM, x, N)));
        assert_true(isnan(reduce_floats(PROGRAM_REDUCE_MINIMUM, x, N)));
    }
}

TEST(infinities_are_summed_like_numbers)
{
    const float up[] = {1, INFINITY, 2}, both[] = {INFINITY, 1, -INFINITY};
    assert_true(reduce_floats(PROGRAM_REDUCE_ADD, up, 3) == INFINITY);
    assert_true(isnan(reduce_floats(PROGRAM_REDUCE_ADD, both, 3)));
    assert_true(reduce_floats(PROGRAM_REDUCE_MINIMUM, both, 3) == -INFINITY);
}

/* The compensation must not make NaN of an infinite sum. */
TEST(infinite_doubles_stay_infinite)
{
    for (int axis = 0; axis < 2; ++axis) {
        sum_program(PROGRAM_REDUCE_ADD, JG_DTYPE_FLOAT64, false);
        matrix(axis, 40, 40);
        for (int i = 0; i < 1600; ++i)
            ((double *)(void *)l.memory[0])[i] = i % 41 == 0 ? (double)INFINITY : 1;
        launch_tile(&l, true);
        for (int i = 0; i < 39; ++i)
            assert_true(((double *)(void *)l.memory[1])[i] == (double)INFINITY);
        launch_free(&l);
    }
}

TEST(the_sum_of_nothing_is_zero)
{
    const float none[] = {7};
    assert_true(reduce_floats(PROGRAM_REDUCE_ADD, none, 0) == 0);
    sum_program(PROGRAM_REDUCE_ADD, JG_DTYPE_INT64, false);
    matrix(0, 0, 50);
    launch_tile(&l, true);
    for (int i = 0; i < 50; ++i)
        assert_int_equal(((int64_t *)(void *)l.memory[1])[i], 0);
    launch_free(&l);
}

TEST(no_results_are_no_units)
{
    executor_code *code;
    sum_program(PROGRAM_REDUCE_ADD, JG_DTYPE_FLOAT32, false);
    matrix(1, 0, 50);
    assert_ok(tile_executor.prepare(&l.program, l.space, &code));
    assert_int_equal(tile_executor.units(code), 0);
    tile_executor.run(code, l.addresses, l.scalars, l.shared, 0, 0);
    tile_executor.release(code);
    launch_free(&l);
}

static void sum_everything(const tile_reduction *sum, const float *rows, int64_t nrows, int64_t n,
                           float *by_rows, float *by_folds)
{
    static double acc[1024];
    sum->begin(acc, n);
    sum->rows(acc, rows, n * (int64_t)sizeof *rows, nrows, n);
    sum->finish(by_rows, acc, n);
    for (int64_t i = 0; i < n; ++i) {
        sum->begin(acc, 1);
        sum->fold(acc, rows, i * nrows);
        sum->finish(&by_folds[i], acc, 1);
    }
}

TEST(instruction_sets_add_alike)
{
    enum { N = 1000, ROWS = 37 };
    static float rows[ROWS * N], by_rows[3][N], by_folds[3][N];
    uint64_t seed = 3;
    for (int i = 0; i < N * ROWS; ++i)
        rows[i] = (float)random_real(&seed, 10);
    for (int t = 0; t < ntables; ++t) {
        sum_everything(&tables[t]->reductions[0][JG_DTYPE_FLOAT32], rows, ROWS, N, by_rows[t],
                       by_folds[t]);
        assert_memory_equal(by_rows[t], by_rows[0], sizeof by_rows[0]);
        assert_memory_equal(by_folds[t], by_folds[0], sizeof by_folds[0]);
    }
}

/* Numbers of both signs, of which a third are zeros; rows 1 and 4 end with a NaN each. */
static void fill_rows(float *rows, int64_t nrows, int64_t n, bool only_zeros)
{
    uint64_t seed = 8;
    for (int64_t i = 0; i < nrows * n; ++i) {
        float x = (float)random_real(&seed, 10);
        rows[i] = only_zeros || i % 3 == 0 ? copysignf(0, x) : x;
    }
    for (int64_t r = 1; r < nrows; r += 3)
        rows[(r + 1) * n - 1] = r == 1 ? NAN : -NAN;
}

/* Two long rows may be read in turns. */
TEST(extrema_of_rows_have_the_bits_of_one_row_after_the_other)
{
    enum { ROWS = 5, LONGEST = 5000, MAXIMUM = 2, MINIMUM = 3 };
    static const int64_t lengths[] = {4095, 4096, 4097, 4159, 4160, 4351, LONGEST};
    static float rows[ROWS * LONGEST];
    float each[ROWS], one[ROWS], first[ROWS];
    for (size_t c = 0; c < 2 * JG_COUNT_OF(lengths); ++c) {
        int64_t n = lengths[c / 2];
        fill_rows(rows, ROWS, n, c % 2 == 1);
        for (int op = MAXIMUM; op <= MINIMUM; ++op)
            for (int t = 0; t < ntables; ++t) {
                const tile_reduction *extremum = &tables[t]->reductions[op][JG_DTYPE_FLOAT32];
                extremum->each(each, rows, n * (int64_t)sizeof *rows, ROWS, n);
                for (int64_t r = 0; r < ROWS; ++r) {
                    extremum->begin(&one[r], 1);
                    extremum->fold(&one[r], rows + r * n, n);
                }
                if (t == 0)
                    memcpy(first, one, sizeof first);
                assert_memory_equal(each, one, sizeof each);
                assert_memory_equal(each, first, sizeof each);
            }
    }
}

/* 1024 floats in 64 lanes, these by fours in 16 lanes of float64, and these by halves. Fewer than
 * 64 at the end are a block with zeros behind them. */
static double sum_by_blocks(const float *x, int64_t n)
{
    double wide[16] = {0};
    for (int64_t at = 0; at < n;) {
        int64_t rest = n - at, count = rest < 64 ? rest : rest < 1024 ? rest & ~63 : 1024;
        float lanes[64] = {0};
        for (int64_t i = 0; i < count; ++i)
            lanes[i % 64] += x[at + i];
        for (int i = 0; i < 16; ++i)
            wide[i] += (double)((lanes[i] + lanes[16 + i]) + (lanes[32 + i] + lanes[48 + i]));
        at += count;
    }
    for (int i = 0; i < 4; ++i)
        wide[i] = (wide[i] + wide[8 + i]) + (wide[4 + i] + wide[12 + i]);
    return (wide[0] + wide[2]) + (wide[1] + wide[3]);
}

/* However an instruction set walks through the elements: the halves of a long sum may be read side
 * by side. */
TEST(long_sums_are_added_block_by_block_in_order)
{
    enum { LONGEST_SUM = 65536 + 4096 + 1024 + 100 };
    static const int64_t counts[] = {2047, 2048, 2049, 3072, 4096 + 64, 65536, LONGEST_SUM};
    static float x[LONGEST_SUM];
    uint64_t seed = 5;
    for (int i = 0; i < LONGEST_SUM; ++i)
        x[i] = (float)random_real(&seed, 10);
    for (int t = 0; t < ntables; ++t)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
            double acc = 0;
            tables[t]->reductions[0][JG_DTYPE_FLOAT32].fold(&acc, x, counts[i]);
            assert_true(acc == sum_by_blocks(x, counts[i]));
        }
}

/* One unit after the other, forwards or backwards, as threads that share them might. */
static void run_units(bool backwards)
{
    executor_code *code;
    assert_ok(tile_executor.prepare(&l.program, l.space, &code));
    int64_t units = tile_executor.units(code);
    assert_true(units > 1); /* that is, other threads can help */
    assert_true(tile_executor.shared_nbytes(code) <= sizeof l.shared);
    for (int64_t i = 0; i < units; ++i) {
        int64_t unit = backwards ? units - 1 - i : i;
        tile_executor.run(code, l.addresses, l.scalars, l.shared, unit, unit + 1);
    }
    tile_executor.finish(code, l.addresses, l.scalars, l.shared);
    tile_executor.release(code);
}

static void check_parts(program_op op, jg_dtype dtype, int axis, int64_t rows, int64_t columns,
                        bool scaled)
{
    enum { MOST = 4100 * 8 };
    static char forwards[MOST];
    sum_program(op, dtype, scaled);
    matrix(axis, rows, columns);
    assert_true(l.nbytes[1] <= MOST);
    run_units(false);
    memcpy(forwards, l.memory[1], l.nbytes[1]);
    memset(l.memory[1], 0x55, l.nbytes[1]);
    run_units(true);
    assert_memory_equal(forwards, l.memory[1], l.nbytes[1]);
    launch_tile(&l, false);
    assert_memory_equal(forwards, l.memory[1], l.nbytes[1]);
    launch_free(&l);
}

TEST(a_long_reduction_is_shared_and_the_same_in_any_order)
{
    const program_op ops[] = {PROGRAM_REDUCE_ADD, PROGRAM_REDUCE_MULTIPLY, PROGRAM_REDUCE_MAXIMUM};
    const jg_dtype dtypes[] = {JG_DTYPE_FLOAT32, JG_DTYPE_FLOAT64, JG_DTYPE_INT64};
    for (int variant = 0; variant < 18; ++variant) {
        program_op op = ops[variant % 3];
        jg_dtype dtype = dtypes[variant / 3 % 3];
        check_parts(op, dtype, 1, 1, 300007, variant >= 9);
        check_parts(op, dtype, 1, 3, 140001, variant >= 9);
        check_parts(op, dtype, 0, 5003, 100, variant >= 9);
        check_parts(op, dtype, 0, 77, 4100, variant >= 9);
    }
}

/* The form of a sum of the products of what has these strides, for 64 results of 96 elements. */
static tile_form form_of_products(const int64_t *strides)
{
    const int64_t extents[] = {64, 96};
    executor_code *code;
    program_init(&l.program);
    int x = load_of(&l, JG_DTYPE_FLOAT32), scale = load_of(&l, JG_DTYPE_FLOAT32);
    int product = apply_to(&l, PROGRAM_MULTIPLY, x, scale, 0);
    store_of(&l, apply_to(&l, PROGRAM_REDUCE_ADD, product, 0, 0));
    launch_space(&l, 2, 1, extents, strides);
    assert_ok(tile_executor.prepare(&l.program, l.space, &code));
    tile_form form = ((const tile_code *)code)->form;
    tile_executor.release(code);
    free(l.space);
    return form;
}

/* A factor for each row, as the gradients of norms have it, does not turn the loops over rows. */
TEST(loops_go_along_what_is_read_once)
{
    const int64_t rows_summed[] = {1, 64, 0, 1, 1, 0}, columns_summed[] = {96, 1, 1, 0, 1, 0};
    assert_int_equal(form_of_products(rows_summed), TILE_OUTER);
    assert_int_equal(form_of_products(columns_summed), TILE_INNER);
}

/* A matrix times another one, or times a number for each of its rows, summed over the rows, two
 * loops of them: the numbers of rows within a group and of groups both vary. */
static void sum_of_products(const int64_t *extents, bool scaled, float *sums)
{
    int64_t rows = extents[2] * extents[1], columns = extents[0], row = scaled ? 1 : columns;
    const int64_t strides[] = {
        1, extents[2] * columns, columns, !scaled, extents[2] * row, row, 1, 0, 0};
    uint64_t seed = 11;
    program_init(&l.program);
    int x = load_of(&l, JG_DTYPE_FLOAT32), y = load_of(&l, JG_DTYPE_FLOAT32);
    int product = apply_to(&l, PROGRAM_MULTIPLY, y, x, 0);
    store_of(&l, apply_to(&l, PROGRAM_REDUCE_ADD, product, 0, 0));
    launch_space(&l, 3, 2, extents, strides);
    launch_alloc(&l, 1, false);
    float *xs = (float *)(void *)l.memory[0], *ys = (float *)(void *)l.memory[1];
    for (int64_t i = 0; i < rows * columns; ++i)
        xs[i] = (float)random_real(&seed, 10);
    for (int64_t i = 0; i < (scaled ? rows : rows * columns); ++i)
        ys[i] = (float)random_real(&seed, 10);
    launch_tile(&l, false);
    memcpy(sums, l.memory[2], (size_t)columns * sizeof *sums);
    for (int64_t i = 0; i < rows * columns; ++i)
        xs[i] *= ys[scaled ? i / columns : i];
}

/* Rows are added in groups, in float32, and the groups in float64. */
static float sum_in_groups(const float *column, int64_t rows, int64_t step)
{
    double sum = 0;
    for (int64_t first = 0; first < rows; first += TILE_ROW_GROUP) {
        float group = column[first * step];
        for (int64_t r = first + 1; r < first + TILE_ROW_GROUP && r < rows; ++r)
            group += column[r * step];
        sum += (double)group;
    }
    return (float)sum;
}

TEST(sums_of_products_have_the_bits_of_those_of_stored_products)
{
    enum { MOST = 5000 };
    static float sums[MOST];
    const int64_t spaces[][3] = {{16, 1, 1},   {17, 3, 7},    {300, 1, 8},   {64, 5, 9},
                                 {256, 2, 24}, {1025, 3, 16}, {MOST, 1, 19}, {40, 12, 8}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; ++i) {
        for (int scaled = 0; scaled < 2; ++scaled) {
            const int64_t *extents = spaces[i], columns = extents[0];
            sum_of_products(extents, scaled, sums);
            const float *products = (const float *)(const void *)l.memory[0];
            for (int64_t c = 0; c < columns; ++c)
                if (sums[c] != sum_in_groups(products + c, extents[1] * extents[2], columns))
                    fail_msg("space %zu, scaled %d, column %ld", i, scaled, (long)c);
            launch_free(&l);
        }
    }
}

/* Blocks of a (blocks x rows x columns) array, each reduced over its rows: many short rows of
 * accumulators, of which each takes whole lines. launch_tile looks behind their memory. */
TEST(parts_of_short_rows_stay_in_their_memory)
{
    static const jg_dtype dtypes[] = {JG_DTYPE_BOOL, JG_DTYPE_UINT8, JG_DTYPE_INT8, JG_DTYPE_INT16,
                                      JG_DTYPE_FLOAT32};
    static const int64_t shapes[][3] = {{300, 64, 16},  {300, 64, 17},  {200, 96, 31},
                                        {500, 640, 16}, {150, 2000, 5}, {60, 8000, 17},
                                        {2, 64000, 65}};
    for (size_t d = 0; d < JG_COUNT_OF(dtypes); ++d)
        for (size_t i = 0; i < JG_COUNT_OF(shapes); ++i) {
            int64_t blocks = shapes[i][0], rows = shapes[i][1], columns = shapes[i][2];
            const int64_t extents[] = {blocks, columns, rows};
            const int64_t strides[] = {rows * columns, 1, columns, columns, 1, 0};
            sum_program(PROGRAM_REDUCE_MAXIMUM, dtypes[d], false);
            launch_space(&l, 3, 1, extents, strides);
            launch_alloc(&l, 3, false);
            reference_run(&l.program, l.space, l.copy_addresses, l.scalars);
            launch_tile(&l, false);
            launch_compare(&l, 0);
            launch_free(&l);
        }
}

TEST(instruction_sets_add_products_alike)
{
    enum { N = 333, NBYTES = N * sizeof(float) };
    static float x[TILE_ROW_GROUP][N], y[TILE_ROW_GROUP][N];
    static double sums[2][3][N];
    uint64_t seed = 7;
    for (int r = 0; r < TILE_ROW_GROUP; ++r) {
        for (int i = 0; i < N; ++i) {
            x[r][i] = (float)random_real(&seed, 10);
            y[r][i] = (float)random_real(&seed, 10);
        }
    }
    for (int t = 0; t < ntables; ++t) {
        for (int scaled = 0; scaled < 2; ++scaled) {
            tables[t]->product_rows[scaled][JG_DTYPE_FLOAT32](sums[scaled][t], x, NBYTES, y, NBYTES,
                                                              N);
            assert_memory_equal(sums[scaled][t], sums[scaled][0], sizeof sums[scaled][0]);
        }
    }
    for (int i = 0; i < N; ++i) {
        float of_pairs = 0, scaled = 0;
        for (int r = 0; r < TILE_ROW_GROUP; ++r) {
            of_pairs += x[r][i] * y[r][i];
            scaled += x[r][i] * y[r][0];
        }
        assert_true(sums[0][0][i] == (double)of_pairs && sums[1][0][i] == (double)scaled);
    }
}

BEFORE_ALL(find_tables)
