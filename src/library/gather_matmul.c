/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices that index arrays choose, each read in place, as a stack of weights may be
 * too large to copy for every product. Consecutive products with the same right matrix, whose left
 * matrices' rows are evenly spaced in memory, are a single product; so tokens that are sorted by
 * their expert cost as much as one product for each expert. A unit is some products, and where
 * these are few, some columns of them. */
#include "library/lapack.h"
#include <inttypes.h>
#include <string.h>

enum { JOINED_ROWS = 64 /* of products that a unit may join */ };

typedef struct gathered {
    lapack_matrices a, b, left, right, to;
} gathered;

static gathered gathered_of(const routine_call *call)
{
    return (gathered){matrices_of(call, 0), matrices_of(call, 1), library_scalars_of(call, 2),
                      library_scalars_of(call, 3), matrices_of(call, 4)};
}

typedef struct gathered_cut {
    int64_t grain, strips, width, units; /* products of a unit; columns */
} gathered_cut;

/* A product of few rows takes as long as reading the right matrix does. */
static double operations_of(const gathered *g)
{
    return (double)g->b.rows * (double)g->b.columns * (1 + (double)g->a.rows / 8) + 1;
}

static gathered_cut cut_of(const gathered *g, int threads)
{
    gathered_cut cut = {.grain = library_batch_grain(operations_of(g)), .strips = 1};
    int64_t rows = g->a.rows, columns = g->to.columns;
    if (rows == 0 || columns == 0 || g->to.count == 0)
        return cut;
    if (rows < JOINED_ROWS && cut.grain < JOINED_ROWS / rows)
        cut.grain = JOINED_ROWS / rows;
    int64_t blocks = ceil_div(g->to.count, cut.grain);
    cut.width = library_batch_columns(blocks, columns, threads);
    cut.strips = ceil_div(columns, cut.width);
    cut.units = blocks * cut.strips;
    return cut;
}

static int64_t units(const routine_call *call, int step)
{
    (void)step;
    const gathered g = gathered_of(call);
    return cut_of(&g, call->threads).units;
}

static int64_t work(const routine_call *call)
{
    const gathered g = gathered_of(call);
    return library_batch_work(g.to.count, operations_of(&g));
}

static jg_status find_matrix(const lapack_matrices *x, const lapack_matrices *indices,
                             const char *name, int64_t item, char **out)
{
    int64_t number;
    memcpy(&number, library_matrix_at(indices, item), sizeof number);
    if (number < -x->count || number >= x->count)
        return base_fail(JG_ERR_INDEX, "%s: got %" PRId64 ", allowed %" PRId64 " to %" PRId64, name,
                         number, -x->count, x->count - 1);
    *out = library_matrix_at(x, number < 0 ? number + x->count : number);
    return JG_OK;
}

static jg_status find_both(const gathered *g, int64_t item, char **left, char **right)
{
    JG_TRY(find_matrix(&g->a, &g->left, "lhs_indices", item, left));
    return find_matrix(&g->b, &g->right, "rhs_indices", item, right);
}

/* How many products from `item` on are one, and in *step the elements from a left matrix to the
 * next of them. */
static jg_status count_joined(const gathered *g, int64_t item, int64_t last, int64_t *step,
                              int64_t *out)
{
    char *left, *right, *next_left, *next_right;
    int64_t itemsize = (int64_t)g->a.itemsize, count = 1;
    *step = g->a.rows * g->a.row_stride;
    JG_TRY(find_both(g, item, &left, &right));
    for (; item + count < last; ++count) {
        JG_TRY(find_both(g, item + count, &next_left, &next_right));
        int64_t distance = (next_left - left) / itemsize;
        if (count == 1 && g->a.rows == 1 && distance > 0)
            *step = distance;
        if (next_right != right || distance != count * *step)
            break;
    }
    *out = count;
    return JG_OK;
}

/* Products first to last - 1, columns `column` on. */
static jg_status multiply(const gathered *g, int64_t first, int64_t last, int64_t column,
                          int64_t columns)
{
    for (int64_t count; first < last; first += count) {
        char *left, *right;
        int64_t step;
        JG_TRY(find_both(g, first, &left, &right));
        JG_TRY(count_joined(g, first, last, &step, &count));
        char *to =
            g->to.address + (first * g->a.rows * g->to.columns + column) * (int64_t)g->to.itemsize;
        const matmul_call call = {
            .dtype = g->a.dtype,
            .m = count * g->a.rows,
            .n = columns,
            .k = g->b.rows,
            .a = left,
            .b = right + column * g->b.column_stride * (int64_t)g->b.itemsize,
            .c = to,
            .a_row = g->a.rows == 1 ? step : g->a.row_stride,
            .a_column = g->a.column_stride,
            .b_row = g->b.row_stride,
            .b_column = g->b.column_stride,
            .c_row = g->to.columns,
        };
        JG_TRY(library_matmul(&call));
    }
    return JG_OK;
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    const gathered g = gathered_of(call);
    const gathered_cut cut = cut_of(&g, call->threads);
    for (; first < last; ++first) {
        int64_t item = first / cut.strips * cut.grain, column = first % cut.strips * cut.width;
        int64_t rest = g.to.count - item, columns = g.to.columns - column;
        JG_TRY(multiply(&g, item, item + (int64_min(rest, cut.grain)), column,
                        int64_min(columns, cut.width)));
    }
    return JG_OK;
}

const jg_routine library_routine_gather_matmul = {.name = "gather_matmul",
                                                  .units = units,
                                                  .run = run,
                                                  .work = work,
                                                  .flops = program_product_flops};
