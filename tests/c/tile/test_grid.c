/* SPDX-License-Identifier: Apache-2.0 */
/* Maps that are run over blocks of two loops: transposed reads, and short rows that something is
 * broadcast along or across. The blocks' edges are what may go wrong. */
#include "../support.h"
#include "launch.h"

static launch l;

/* out = x, or x + y where y is a number for each row, for each column, or has its own index. */
static void build(jg_dtype dtype, int nreads)
{
    program_init(&l.program);
    int x = load_of(&l, dtype);
    for (int i = 1; i < nreads; ++i)
        x = apply_to(&l, PROGRAM_ADD, x, load_of(&l, dtype), 0);
    store_of(&l, x);
}

static void check(int ndim, const int64_t *extents, const int64_t *strides)
{
    launch_space(&l, ndim, 0, extents, strides);
    launch_check(&l, 3, true, 0);
    free(l.space);
}

static const jg_dtype of_each_size[] = {JG_DTYPE_UINT8, JG_DTYPE_INT16, JG_DTYPE_FLOAT32,
                                        JG_DTYPE_FLOAT64, JG_DTYPE_COMPLEX128};
static const int64_t edges[] = {8, 15, 16, 17, 33, 64, 100, 257};

TEST(a_transpose_has_every_element_in_its_place)
{
    for (int d = 0; d < 5; ++d) {
        for (int i = 0; i < 8; ++i) {
            for (int j = 0; j < 8; ++j) {
                int64_t rows = edges[i] * 3, columns = edges[j];
                build(of_each_size[d], 1);
                check(2, (int64_t[]){rows, columns}, (int64_t[]){1, rows, columns, 1});
            }
        }
    }
}

TEST(axes_in_any_order_are_copied)
{
    enum { A = 5, B = 37, C = 70 };
    const int64_t extents[] = {A, B, C};
    const int64_t orders[][6] = {{1, A, A * B, B * C, C, 1},
                                 {1, A * C, A, B * C, C, 1},
                                 {C * B, 1, B, B * C, C, 1},
                                 {B, 1, A * B, B * C, C, 1}};
    for (int d = 0; d < 5; ++d) {
        for (int i = 0; i < 4; ++i) {
            build(of_each_size[d], 1);
            check(3, extents, orders[i]);
        }
    }
}

TEST(what_is_dense_and_what_is_transposed_meet)
{
    for (int d = 0; d < 5; ++d) {
        const int64_t rows = 70, columns = 131;
        build(of_each_size[d], 3); /* transposed, dense, and backwards with gaps */
        check(2, (int64_t[]){rows, columns},
              (int64_t[]){1, rows, columns, 1, 2 * columns, -2, columns, 1});
    }
}

TEST(short_rows_meet_a_number_for_each_row_or_column)
{
    for (int d = 0; d < 5; ++d) {
        for (int64_t columns = 2; columns < 40; columns += columns < 10 ? 1 : 7) {
            build(of_each_size[d], 3);
            check(2, (int64_t[]){1003, columns}, (int64_t[]){columns, 1, 1, 0, 0, 1, columns, 1});
            build(of_each_size[d], 2);
            check(3, (int64_t[]){3, 301, columns},
                  (int64_t[]){301, 1, 0, columns, 0, 1, 301 * columns, columns, 1});
        }
    }
}

TEST(an_index_is_counted_through_a_grid)
{
    program_init(&l.program);
    int x = load_of(&l, JG_DTYPE_INT64);
    store_of(&l, apply_to(&l, PROGRAM_ADD, x, index_of(&l), 0));
    check(2, (int64_t[]){90, 50}, (int64_t[]){1, 90, 1000, -3, 50, 1});
}

/* Beyond 16 MiB results go past the caches, in an order of tiles of their own. */
TEST(a_large_transpose_is_right_as_well)
{
    const int64_t rows = 2100, columns = 2050;
    build(JG_DTYPE_FLOAT32, 1);
    launch_space(&l, 2, 0, (int64_t[]){rows, columns}, (int64_t[]){1, rows, columns, 1});
    launch_alloc(&l, 1, false);
    launch_tile(&l, true);
    const float *from = l.addresses[0], *to = l.addresses[1];
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c)
            if (memcmp(&to[r * columns + c], &from[c * rows + r], sizeof *to) != 0)
                fail_msg("row %ld, column %ld", (long)r, (long)c);
    launch_free(&l);
}
