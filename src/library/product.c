/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix product: a library call for each pair of matrices, or for blocks of a pair where there
 * are fewer pairs than threads. compose ensures that the operands have two axes or more and equal
 * dtypes; their last two axes have any strides that the library takes, and the axes before may be
 * broadcast.
 *
 * A unit is one block: rows of the result, or columns where rows are few. */
#include "library/narrow.h"

enum { A, B, C };

enum {
    SHALLOW = 64, /* terms of a sum; below, packing the other operand again is cheap */
    BLOCK_NBYTES =
        256 << 10,    /* of a block of such a product, which the next launch reads from a cache */
    ROW_STEP = 16,    /* rows with which library calls are fast */
    COLUMN_STEP = 64, /* columns, of products that have too few rows to divide */
    LONG_ROWS = 1024, /* of a block at least that is cut only for a run to stop before it */
    FEW = 4,          /* rows or columns that a product reads its other operand for */
    UNIT_PARTS = 4,   /* of a product of two vectors whose terms are shared */
    CALL_WORK = 170   /* of a call of the library, in elements of a routine */
};

/* Terms of a block's sums at most, unless it has fewer rows: some tenths of a second. */
#define MAX_BLOCK ((int64_t)8 << 30)

/* How the product is cut: blocks of each pair. One of the extents of a block is all of the
 * product's. */
typedef struct product {
    const routine_call *call;
    int64_t m, n, k, pairs, blocks, block_rows, block_columns;
} product;

/* Rows of a block that keep it short enough for a run to stop before the next. */
static int64_t bound_rows(const product *p, int64_t rows)
{
    int64_t most = MAX_BLOCK / (p->n * p->k + 1);
    if (most < LONG_ROWS)
        most = LONG_ROWS;
    if (rows <= most)
        return rows;
    int64_t rounds = ceil_div(rows, most); /* each thread has as many blocks */
    return ceil_div(rows, rounds);
}

static void cut_rows(product *p, int64_t threads)
{
    const routine_operand *c = &p->call->operands[C];
    int64_t row = p->n * (int64_t)dtype_itemsize(c->dtype);
    p->block_rows = bound_rows(p, ceil_div(p->m, threads));
    if (p->call->followed && p->k <= SHALLOW && c->ndim == 2 && p->block_rows * row > BLOCK_NBYTES)
        p->block_rows = BLOCK_NBYTES / row;
    p->block_rows = round_up(int64_max(p->block_rows, 1), ROW_STEP);
    p->block_columns = p->n;
    p->blocks = ceil_div(p->m, p->block_rows);
}

static void cut_columns(product *p, int64_t threads)
{
    p->block_rows = p->m;
    p->block_columns = round_up(ceil_div(p->n, threads), COLUMN_STEP);
    p->blocks = ceil_div(p->n, p->block_columns);
}

/* Whether all matrices of a, whose rows are evenly spaced throughout, meet one b: then they are one
 * matrix of more rows, for which b is packed once. */
static bool is_one_matrix(const routine_call *call, const product *p)
{
    const routine_operand *a = &call->operands[A], *c = &call->operands[C];
    if (p->pairs == 1 || call->operands[B].ndim != 2 || a->ndim != c->ndim)
        return false;
    for (int axis = a->ndim - 3; axis >= 0; --axis)
        if (a->strides[axis] != a->shape[axis + 1] * a->strides[axis + 1])
            return false;
    return library_takes(c->dtype, p->m * p->pairs, p->n, p->k);
}

/* One block for each thread, as every block packs the other operand again; more rows' blocks where
 * that costs little and something waits for them. The result has elements. */
static product describe(const routine_call *call)
{
    const routine_operand *a = &call->operands[A], *c = &call->operands[C];
    product p = {.call = call,
                 .m = c->shape[c->ndim - 2],
                 .n = c->shape[c->ndim - 1],
                 .k = a->shape[a->ndim - 1]};
    p.pairs = c->ndim == 2 ? 1 : c->size / (p.m * p.n);
    if (is_one_matrix(call, &p)) {
        p.m *= p.pairs;
        p.pairs = 1;
    }
    int64_t threads = p.pairs < call->threads ? call->threads : 1;
    if (threads == 1 && !call->followed &&
        p.m <= LONG_ROWS) { /* without a division: many are small */
        p.blocks = 1;
        p.block_rows = p.m;
        p.block_columns = p.n;
        return p;
    }
    cut_rows(&p, threads);
    if (p.blocks < threads && p.m < p.n)
        cut_columns(&p, threads);
    return p;
}

static bool is_cut_in_columns(const product *p)
{
    return p->block_columns < p->n;
}

/* Elements from the operand's first matrix to that of the pair, which is counted row-major through
 * the result's axes before the last two. Missing axes, and those of extent 1, are broadcast. */
static int64_t matrix_offset(const routine_operand *x, const routine_operand *c, int64_t pair)
{
    int64_t offset = 0;
    for (int i = c->ndim - 3; i >= 0; --i) {
        int axis = i - (c->ndim - x->ndim);
        if (axis >= 0 && x->shape[axis] != 1)
            offset += pair % c->shape[i] * x->strides[axis];
        pair /= c->shape[i];
    }
    return offset;
}

static matmul_call call_of(const product *p, int64_t unit)
{
    const routine_operand *a = &p->call->operands[A], *b = &p->call->operands[B],
                          *c = &p->call->operands[C];
    const int64_t *as = a->strides + a->ndim - 2, *bs = b->strides + b->ndim - 2;
    int64_t itemsize = (int64_t)dtype_itemsize(c->dtype);
    int64_t pair = p->blocks == 1 ? unit : unit / p->blocks, block = unit - pair * p->blocks;
    int64_t row = is_cut_in_columns(p) ? 0 : block * p->block_rows;
    int64_t column = is_cut_in_columns(p) ? block * p->block_columns : 0;
    int64_t a_at = matrix_offset(a, c, pair) + row * as[0];
    int64_t b_at = matrix_offset(b, c, pair) + column * bs[1];
    int64_t c_at = pair * p->m * p->n + row * p->n + column;
    return (matmul_call){
        .dtype = c->dtype,
        .m = int64_min(p->m - row, p->block_rows),
        .n = int64_min(p->n - column, p->block_columns),
        .k = p->k,
        .a = (const char *)p->call->addresses[A] + a_at * itemsize,
        .b = (const char *)p->call->addresses[B] + b_at * itemsize,
        .c = (char *)p->call->addresses[C] + c_at * itemsize,
        .a_row = as[0],
        .a_column = as[1],
        .b_row = bs[0],
        .b_column = bs[1],
        .c_row = p->n,
    };
}

/* The product of two vectors, which has one block, if threads may share its terms: then the first
 * step sums parts of them, and the second adds these. gives: the number of parts, or 0 */
static int64_t parts_of(const routine_call *call, matmul_call *out)
{
    const routine_operand *a = &call->operands[A], *b = &call->operands[B];
    if (call->operands[C].size != 1 || a->ndim != 2 || b->ndim != 2)
        return 0;
    *out = (matmul_call){.dtype = a->dtype,
                         .m = 1,
                         .n = 1,
                         .k = a->shape[1],
                         .a_column = a->strides[1],
                         .b_row = b->strides[0]};
    if (call->addresses != NULL) {
        out->a = call->addresses[A];
        out->b = call->addresses[B];
        out->c = call->addresses[C];
    }
    return library_narrow_parts(out);
}

static int steps(const routine_call *call)
{
    matmul_call one;
    return parts_of(call, &one) > 0 ? 2 : 1;
}

/* By the shape alone, as other strides may come. */
static size_t scratch(const routine_call *call)
{
    const routine_operand *a = &call->operands[A];
    int64_t k = call->operands[C].size == 1 && a->ndim == 2 ? a->shape[1] : 0;
    return k < NARROW_LONG_DOT ? 0 : (size_t)ceil_div(k, NARROW_DOT_TERMS) * sizeof(double);
}

static int64_t units(const routine_call *call, int step)
{
    matmul_call one;
    if (call->operands[C].size == 0)
        return 0;
    int64_t parts = parts_of(call, &one);
    if (parts > 0)
        return step == 0 ? ceil_div(parts, UNIT_PARTS) : 1;
    const product p = describe(call);
    return p.pairs * p.blocks;
}

/* Elements between an operand's matrices along the last axis of the batch. */
static int64_t batch_step(const routine_operand *x)
{
    return x->ndim > 2 && x->shape[x->ndim - 3] != 1 ? x->strides[x->ndim - 3] : 0;
}

/* Pairs from the first on that are side by side along the last axis of the batch. */
static int64_t count_along(const routine_call *call, int64_t first, int64_t last)
{
    const routine_operand *c = &call->operands[C];
    int64_t extent = c->shape[c->ndim - 3];
    return int64_min(last - first, extent - first % extent);
}

/* Units of a product whose terms are shared. */
static jg_status run_parts(const routine_call *call, const matmul_call *one, int64_t parts,
                           int step, int64_t first, int64_t last)
{
    int64_t end = last * UNIT_PARTS;
    if (step == 0)
        library_narrow_sum_parts(one, first * UNIT_PARTS, int64_min(end, parts), call->scratch);
    else
        library_narrow_join_parts(one, call->scratch);
    return JG_OK;
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    matmul_call one;
    int64_t parts = parts_of(call, &one);
    if (parts > 0)
        return run_parts(call, &one, parts, step, first, last);
    const product p = describe(call);
    int64_t a_step = batch_step(&call->operands[A]), b_step = batch_step(&call->operands[B]);
    bool in_batches = p.blocks == 1 && p.pairs > 1 && p.k > 0;
    for (int64_t unit = first; unit < last;) {
        const matmul_call block = call_of(&p, unit);
        int64_t count = in_batches ? count_along(call, unit, last) : 1;
        in_batches = in_batches && library_narrow_matmul(&block, count, a_step, b_step);
        if (!in_batches) {
            JG_TRY(library_matmul(&block));
            count = 1;
        }
        unit += count;
    }
    return JG_OK;
}

static bool covers(const routine_call *call, int64_t unit, int64_t *first, int64_t *last)
{
    const product p = describe(call);
    if (is_cut_in_columns(&p) || (call->beside != NULL && p.k < ROUTINE_LEAST_BESIDE))
        return false;
    int64_t start = unit / p.blocks * p.m, row = unit % p.blocks * p.block_rows;
    int64_t end = p.m - row < p.block_rows ? p.m : row + p.block_rows;
    *first = (start + row) * p.n;
    *last = (start + end) * p.n;
    return true;
}

/* A twelfth of an element for a term. Where rows or columns are so few that memory is the limit, an
 * eighth for a byte. And that of the calls, which is what a batch of small products takes. */
static int64_t work(const routine_call *call)
{
    const routine_operand *a = &call->operands[A], *c = &call->operands[C];
    int64_t m = c->shape[c->ndim - 2], n = c->shape[c->ndim - 1], k = a->shape[a->ndim - 1];
    int64_t nbytes, terms, calls;
    if (c->size == 0)
        return 0;
    if (__builtin_mul_overflow(k, (int64_t)dtype_itemsize(c->dtype), &nbytes))
        return INT64_MAX;
    int64_t each = m < FEW || n < FEW ? nbytes / 4 * 3 : k / 2; /* sixths of an element */
    if (__builtin_mul_overflow(c->size, each + 1, &terms) ||
        __builtin_mul_overflow(c->size / (m * n), CALL_WORK, &calls) ||
        __builtin_add_overflow(terms / 6 + 1, calls, &calls))
        return INT64_MAX;
    return calls;
}

const jg_routine library_routine_matmul = {.name = "matmul",
                                           .steps = steps,
                                           .units = units,
                                           .run = run,
                                           .work = work,
                                           .flops = program_product_flops,
                                           .scratch = scratch,
                                           .covers = covers};
