/* SPDX-License-Identifier: Apache-2.0 */
/* Products with quantised matrices. Where many rows of x meet a small one, that is expanded once
 * (blocks.c). Large ones never are as a whole: each thread expands some rows at a time and
 * multiplies them with all rows of x. For few rows of x, codes are used without being expanded.
 *
 * Operands: x (..., M, K) of float32, w of words, scales and, for the affine mode, biases with a
 * row for each of w's; last, where the product is gathered, the numbers of x's and of w's matrices,
 * one for each of the result's. Otherwise x and w have the result's axes before the last two.
 * Elements of a row lie side by side. Transposed, w is (..., N, K) quantised along K, else (..., K,
 * N) along N. */
#include "routine/quantized/product.h"
#include <string.h>

enum {
    MAX_DOTS = 3,        /* rows of x up to which codes are not expanded */
    DOT_ROWS = 64,       /* rows of w in a unit for few rows of x */
    PANEL_CODES = 2048,  /* of each of QUANTIZED_PANEL rows */
    BLOCK_COLUMNS = 128, /* columns of a unit where w is not transposed: whole groups */
    BLOCK_ROWS = QUANTIZED_PANEL * PANEL_CODES / BLOCK_COLUMNS,
    ALIGNMENT = 64
};

/* The table has codes of 1 to 6 bits, then of 8. */
static quantized_code code_of(int64_t mode, int64_t bits)
{
    switch ((quantized_mode)mode) {
    case QUANTIZED_AFFINE:
        return bits == 8 ? QUANTIZED_BITS_8 : (quantized_code)(QUANTIZED_BITS_1 + bits - 1);
    case QUANTIZED_MXFP8: return QUANTIZED_E4M3;
    default: return QUANTIZED_E2M1;
    }
}

static quantized_scale scale_of(int64_t mode, jg_dtype dtype)
{
    if (mode == QUANTIZED_AFFINE)
        return dtype == JG_DTYPE_FLOAT32   ? QUANTIZED_SCALE_FLOAT32
               : dtype == JG_DTYPE_FLOAT16 ? QUANTIZED_SCALE_FLOAT16
                                           : QUANTIZED_SCALE_BFLOAT16;
    return mode == QUANTIZED_NVFP4 ? QUANTIZED_SCALE_E4M3 : QUANTIZED_SCALE_E8M0;
}

static int64_t row_stride(const routine_operand *operand)
{
    return operand->strides[operand->ndim - 2];
}

/* Inputs come in the order x, w, scales, biases, lhs, rhs, of which biases are there for affine
 * matrices only and the last two for gathered ones. */
static product describe(const routine_call *call)
{
    const routine_operand *operands = call->operands, *to = &operands[call->noperands - 1];
    const routine_operand *x = &operands[0], *w = &operands[1];
    const quantized_matmul_attributes *attributes = &call->attributes->quantized_matmul;
    bool affine = attributes->mode == QUANTIZED_AFFINE;
    int64_t m = to->shape[to->ndim - 2], n = to->shape[to->ndim - 1];
    return (product){
        .call = call,
        .x = x,
        .w = w,
        .scales = &operands[2],
        .biases = affine ? &operands[3] : NULL,
        .lhs = attributes->gathered ? &operands[3 + affine] : NULL,
        .rhs = attributes->gathered ? &operands[4 + affine] : NULL,
        .loops = routine_loops_chosen()->quantized,
        .code = code_of(attributes->mode, attributes->bits),
        .scale = scale_of(attributes->mode, operands[2].dtype),
        .transposed = attributes->transposed,
        .bits = (int)attributes->bits,
        .group = (int)attributes->group,
        .m = m,
        .n = n,
        .k = x->shape[x->ndim - 1],
        .batch = m * n > 0 ? to->size / (m * n) : 0,
        .x_row = row_stride(x),
        .w_row = row_stride(w),
        .scales_row = row_stride(&operands[2]),
        .biases_row = affine ? row_stride(&operands[3]) : 0,
    };
}

/* Expanding a code pays if several rows of x are multiplied with it. */
static bool has_dot(const product *p)
{
    return p->transposed && p->m <= MAX_DOTS;
}

/* The offset of element or matrix `index` of an operand, counted over its first ndim axes. */
static int64_t offset_of(const routine_operand *operand, int ndim, int64_t index)
{
    int64_t offset = 0;
    for (int i = ndim - 1; i >= 0; --i) {
        offset += index % operand->shape[i] * operand->strides[i];
        index /= operand->shape[i];
    }
    return offset;
}

/* Without indices, the product's own number: the operands' batches have been broadcast.
 * raises: INDEX */
static jg_status find_matrix(const product *p, const routine_operand *indices, const char *name,
                             const routine_operand *matrix, int64_t item, int64_t *out)
{
    *out = item;
    if (indices == NULL)
        return JG_OK;
    const int64_t *numbers = p->call->addresses[indices - p->call->operands];
    int64_t number = numbers[offset_of(indices, indices->ndim, item)], count = 1;
    for (int i = 0; i < matrix->ndim - 2; ++i)
        count *= matrix->shape[i];
    if (number < -count || number >= count)
        return base_fail(JG_ERR_INDEX, "[gather_qmm] %s: got %lld, allowed %lld to %lld", name,
                         (long long)number, (long long)-count, (long long)count - 1);
    *out = number < 0 ? number + count : number;
    return JG_OK;
}

static const char *matrix_at(const product *p, const routine_operand *operand, int64_t number)
{
    const char *address = p->call->addresses[operand - p->call->operands];
    return address +
           offset_of(operand, operand->ndim - 2, number) * (int64_t)dtype_itemsize(operand->dtype);
}

/* raises: INDEX for a number that is out of range */
static jg_status find_matrices(const product *p, int64_t item, quantized_matrices *out)
{
    int64_t left, right;
    JG_TRY(find_matrix(p, p->lhs, "lhs_indices", p->x, item, &left));
    JG_TRY(find_matrix(p, p->rhs, "rhs_indices", p->w, item, &right));
    *out = (quantized_matrices){
        .x = (const float *)(const void *)matrix_at(p, p->x, left),
        .words = matrix_at(p, p->w, right),
        .scales = matrix_at(p, p->scales, right),
        .biases = p->biases != NULL ? matrix_at(p, p->biases, right) : NULL,
        .to = (float *)p->call->addresses[p->call->noperands - 1] + item * p->m * p->n,
    };
    return JG_OK;
}

/* A lane takes a word, or the eight codes that fill whole bytes. */
static int64_t lane_codes(const product *p)
{
    return 32 % p->bits == 0 ? 32 / p->bits : 8;
}

static int64_t block_codes(const product *p)
{
    return p->loops->lanes * lane_codes(p);
}

/* Floats that x is arranged in. */
static int64_t arranged_codes(const product *p)
{
    return round_up(p->k, block_codes(p));
}

/* Behind x: the sums over groups, the units of groups, and whether x is in digits. */
static int64_t arranged_floats(const product *p)
{
    return round_up(arranged_codes(p) + 2 * (p->k / p->group) + 1, ALIGNMENT);
}

/* Each of x's rows is arranged once, by the first step, and read by all units of the second. */
static float *arranged(const product *p, int64_t item, int64_t row)
{
    return (float *)p->call->scratch + (item * p->m + row) * arranged_floats(p);
}

static bool has_strips(const product *p)
{
    return p->code == QUANTIZED_BITS_4 && p->loops->strips->sums != NULL;
}

/* The place that tells whether a row of x is stored as digits. */
static float *form_of(const product *p, float *x)
{
    return x + arranged_codes(p) + 2 * (p->k / p->group);
}

/* To the order in which the loop meets the codes of a block of lanes: first the lowest code of
 * each, then the next ones. After x come the sums of its groups, which biases are multiplied by. */
static void arrange_floats(const product *p, const float *x, float *to)
{
    int64_t each = lane_codes(p), lanes = p->loops->lanes, codes = arranged_codes(p);
    for (int64_t i = p->k; i < codes; i += 1)
        to[i] = 0;
    for (int64_t block = 0; block < codes; block += each * lanes)
        for (int64_t lane = 0; lane < lanes; ++lane)
            for (int64_t j = 0; j < each; ++j) {
                int64_t from = block + lane * each + j;
                to[block + j * lanes + lane] = from < p->k ? x[from] : 0;
            }
    for (int64_t g = 0; g < p->k / p->group; ++g) {
        float sum = 0;
        for (int64_t i = 0; i < p->group; ++i)
            sum += x[g * p->group + i];
        to[codes + g] = sum;
    }
}

/* To digits, if that is a row of four bits' form and holds the row; else to floats. */
static void arrange(const product *p, const float *x, float *to)
{
    float *sums = to + arranged_codes(p), *units = sums + p->k / p->group;
    bool in_digits =
        has_strips(p) && p->loops->strips->write_x(x, p->k, p->group, (void *)to, units, sums);
    *form_of(p, to) = in_digits;
    if (!in_digits)
        arrange_floats(p, x, to);
}

/* A column of the result: those rows of x against one of w. */
static void dot_column(const product *p, const quantized_matrices *operands, int64_t item,
                       int64_t column, uint32_t rows, quantized_scales *buffer)
{
    float sums[MAX_DOTS] = {0};
    for (int64_t first = 0; first < p->k; first += QUANTIZED_CHUNK) {
        int64_t count = int64_min(p->k - first, QUANTIZED_CHUNK);
        quantized_dot dot = {.span = quantized_span_at(p, operands, column, first, count, buffer)};
        for (int64_t row = 0; row < p->m; ++row) {
            const float *x = arranged(p, item, row);
            if (!(rows >> row & 1))
                continue;
            dot.x = x + first;
            dot.sums = x + arranged_codes(p) + first / p->group;
            sums[row] += p->loops->dot[p->code](&dot);
        }
    }
    for (int64_t row = 0; row < p->m; ++row)
        if (rows >> row & 1)
            operands->to[row * p->n + column] = sums[row];
}

/* Some columns of a row of the result, from x in digits. */
static void strip_columns(const product *p, const quantized_matrices *operands, const float *x,
                          int64_t start, int64_t count, float *to)
{
    int64_t itemsize = (int64_t)dtype_itemsize(p->scales->dtype);
    const float *sums = x + arranged_codes(p), *units = sums + p->k / p->group;
    for (int64_t first = 0; first < p->k; first += QUANTIZED_CHUNK) {
        int64_t group = first / p->group;
        p->loops->strips->sums(&(quantized_strip){
            .codes = (const uint8_t *)operands->words + start * p->w_row * 4 + first / 2,
            .scales = operands->scales + (start * p->scales_row + group) * itemsize,
            .biases = operands->biases + (start * p->biases_row + group) * itemsize,
            .kind = p->scale,
            .codes_row = p->w_row * 4,
            .scales_row = p->scales_row * itemsize,
            .biases_row = p->biases_row * itemsize,
            .rows = count,
            .count = int64_min(p->k - first, QUANTIZED_CHUNK),
            .group = p->group,
            .x = (const int8_t *)(const void *)x + 3 * first,
            .units = units + group,
            .sums = sums + group,
            .to = to,
            .adds = first > 0,
        });
    }
}

/* Units next to each other are one strip. */
static void run_dots(const product *p, const quantized_matrices *operands, int64_t item,
                     int64_t unit, int64_t count)
{
    int64_t start = unit * DOT_ROWS, end = int64_min(start + count * DOT_ROWS, p->n);
    uint32_t rest = 0; /* rows of x that are floats */
    for (int64_t row = 0; row < p->m; ++row) {
        float *x = arranged(p, item, row);
        if (*form_of(p, x) != 0)
            strip_columns(p, operands, x, start, end - start, operands->to + row * p->n + start);
        else
            rest |= 1u << row;
    }
    if (rest == 0)
        return;
    quantized_scales buffer;
    quantized_clear_scales(p, &buffer);
    for (int64_t column = start; column < end; ++column)
        dot_column(p, operands, item, column, rest, &buffer);
}

/* Columns of the result that belong to the rows of a panel. */
static void run_panel(const product *p, const quantized_matrices *operands, int64_t unit)
{
    _Alignas(ALIGNMENT) float panel[QUANTIZED_PANEL * PANEL_CODES];
    int64_t start = unit * QUANTIZED_PANEL, rows = int64_min(p->n - start, QUANTIZED_PANEL);
    memset(panel + rows * PANEL_CODES, 0,
           (size_t)((QUANTIZED_PANEL - rows) * PANEL_CODES) * sizeof *panel);
    for (int64_t first = 0; first < p->k; first += PANEL_CODES) {
        int64_t count = int64_min(p->k - first, PANEL_CODES);
        for (int64_t row = 0; row < rows; ++row)
            quantized_expand(p, operands, start + row, first, count, panel + row * PANEL_CODES);
        p->loops->rows(&(quantized_tile){.x = operands->x + first,
                                         .w = panel,
                                         .to = operands->to + start,
                                         .x_row = p->x_row,
                                         .w_row = PANEL_CODES,
                                         .to_row = p->n,
                                         .m = p->m,
                                         .n = rows,
                                         .k = count,
                                         .adds = first > 0});
    }
}

/* Some columns of the result where w is not transposed. */
static void run_columns(const product *p, const quantized_matrices *operands, int64_t unit)
{
    _Alignas(ALIGNMENT) float block[BLOCK_ROWS * BLOCK_COLUMNS];
    int64_t start = unit * BLOCK_COLUMNS, columns = int64_min(p->n - start, BLOCK_COLUMNS);
    for (int64_t first = 0; first < p->k; first += BLOCK_ROWS) {
        int64_t rows = int64_min(p->k - first, BLOCK_ROWS);
        for (int64_t row = 0; row < rows; ++row)
            quantized_expand(p, operands, first + row, start, columns, block + row * BLOCK_COLUMNS);
        p->loops->columns(&(quantized_tile){.x = operands->x + first,
                                            .w = block,
                                            .to = operands->to + start,
                                            .x_row = p->x_row,
                                            .w_row = BLOCK_COLUMNS,
                                            .to_row = p->n,
                                            .m = p->m,
                                            .n = columns,
                                            .k = rows,
                                            .adds = first > 0});
    }
}

enum { ARRANGE, MULTIPLY, STEPS };

static int steps(const routine_call *call)
{
    (void)call;
    return STEPS;
}

/* Columns of the result that are made at once, but for the last of a product. */
static int64_t unit_columns(const product *p)
{
    if (has_dot(p))
        return DOT_ROWS;
    return p->transposed ? QUANTIZED_PANEL : BLOCK_COLUMNS;
}

/* Units of one product of the batch. */
static int64_t units_of_item(const product *p, int step)
{
    if (quantized_has_blocks(p))
        return step == ARRANGE ? quantized_blocks_spans(p)
                               : ceil_div(p->m, quantized_blocks_rows(p));
    if (step == ARRANGE)
        return has_dot(p) ? p->m : 0;
    return ceil_div(p->n, unit_columns(p));
}

static int64_t units(const routine_call *call, int step)
{
    product p = describe(call);
    return p.batch * units_of_item(&p, step);
}

static void prepare(const product *p, const quantized_matrices *operands, int64_t item,
                    int64_t unit)
{
    if (quantized_has_blocks(p))
        quantized_blocks_expand(p, operands, unit);
    else
        arrange(p, operands->x + unit * p->x_row, arranged(p, item, unit));
}

/* A sum of nothing is 0; the loops take at least one group. */
static void multiply(const product *p, const quantized_matrices *operands, int64_t unit)
{
    if (p->k == 0)
        for (int64_t row = 0; row < p->m * p->n; ++row)
            operands->to[row] = 0;
    else if (quantized_has_blocks(p))
        quantized_blocks_run(p, operands, unit);
    else if (p->transposed)
        run_panel(p, operands, unit);
    else
        run_columns(p, operands, unit);
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    product p = describe(call);
    quantized_matrices operands;
    int64_t each = units_of_item(&p, step);
    bool dots = step == MULTIPLY && has_dot(&p) && p.k > 0;
    for (int64_t unit = first, stop; unit < last; unit = stop) {
        int64_t item = unit / each, at = unit % each;
        stop = dots ? int64_min(unit - at + each, last) : unit + 1;
        JG_TRY(find_matrices(&p, item, &operands));
        if (dots)
            run_dots(&p, &operands, item, at, stop - unit);
        else if (step == MULTIPLY)
            multiply(&p, &operands, at);
        else
            prepare(&p, &operands, item, at);
    }
    return JG_OK;
}

/* Expanding a code costs about as much as a few of its products. */
static int64_t work(const routine_call *call)
{
    enum { CODES_TO_STEP = 24 };
    product p = describe(call);
    int64_t codes = p.n * p.k / CODES_TO_STEP + 1, products;
    if (__builtin_mul_overflow(codes, p.batch * (p.m + 4), &products))
        return INT64_MAX;
    return products;
}

static size_t scratch(const routine_call *call)
{
    product p = describe(call);
    if (quantized_has_blocks(&p))
        return quantized_blocks_scratch(&p);
    return has_dot(&p) ? (size_t)(p.batch * p.m * arranged_floats(&p)) * sizeof(float) : 0;
}

/* Columns lie side by side where there is one row; a sum of nothing writes all with each unit.
 * Without blocks of rows, units are columns of the result. */
static bool covers(const routine_call *call, int64_t unit, int64_t *first, int64_t *last)
{
    product p = describe(call);
    bool blocks = quantized_has_blocks(&p);
    if (p.k == 0 || (p.m != 1 && !blocks))
        return false;
    int64_t each = units_of_item(&p, MULTIPLY), start = unit % each;
    int64_t size = blocks ? quantized_blocks_rows(&p) * p.n : unit_columns(&p);
    *first = unit / each * p.m * p.n + start * size;
    *last = unit / each * p.m * p.n + int64_min((start + 1) * size, p.m * p.n);
    return true;
}

const jg_routine routine_quantized_matmul = {
    .name = "quantized_matmul",
    .steps = steps,
    .units = units,
    .run = run,
    .work = work,
    .flops = program_product_flops,
    .scratch = scratch,
    .covers = covers,
};
