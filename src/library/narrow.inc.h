/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of narrow_loops.c for one dtype, of elements REAL as large as WORD, of which the
 * instruction set's vectors have COUNT; functions end in NAME. */

typedef REAL NAME(four) __attribute__((vector_size(4 * sizeof(REAL))));
typedef double NAME(total) __attribute__((vector_size(4 * sizeof(double))));
typedef REAL NAME(lanes) __attribute__((vector_size(COUNT * sizeof(REAL))));
typedef WORD NAME(bits) __attribute__((vector_size(COUNT * sizeof(REAL))));

/* b of one product as rows of whole vectors. is_whole: what follows each row, which is not used,
 * may be read as well. */
INLINE void NAME(load_rows)(const matmul_call *c, const REAL *b, bool is_whole, int64_t k,
                            const int parts, NAME(four) to[NARROW_MOST][PARTS])
{
    for (int64_t l = 0; l < k; ++l, b += c->b_row) {
        REAL some[NARROW_MOST] = {0};
        for (int64_t j = 0; j < c->n && !is_whole; ++j)
            some[j] = b[j * c->b_column];
        for (int part = 0; part < parts; ++part)
            memcpy(&to[l][part], (is_whole ? b : some) + 4 * part, sizeof to[l][part]);
    }
}

/* One row of the result. What follows it is written as well where more than n elements are left,
 * as the next row is written after this one. */
INLINE void NAME(store_row)(const NAME(four) * sums, int64_t n, int64_t left, const int parts,
                            REAL *to)
{
    REAL some[NARROW_MOST];
    if (left >= 4 * parts) {
        for (int part = 0; part < parts; ++part)
            memcpy(to + 4 * part, &sums[part], sizeof sums[part]);
        return;
    }
    for (int part = 0; part < parts; ++part)
        memcpy(some + 4 * part, &sums[part], sizeof sums[part]);
    for (int64_t j = 0; j < n; ++j)
        to[j] = some[j];
}

/* k and parts are constants to the compiler, where k is small, so that b is in registers. */
INLINE void NAME(rows_by)(const narrow_call *call, const int64_t k, const int parts)
{
    const matmul_call *c = &call->one;
    const int64_t width = 4 * parts, a_row = c->a_row, a_column = c->a_column, m = c->m, n = c->n;
    bool is_ahead = c->b_column == 1 && c->b_row >= 0 && call->b_step >= 0;
    NAME(four) b[NARROW_MOST][PARTS], sums[PARTS];
    /* Elements of the result from where each row's end may be written over. */
    int64_t left = c->c_row == n ? call->count * m * n : n;
    for (int64_t p = 0; p < call->count; ++p) {
        const REAL *a = (const REAL *)c->a + p * call->a_step;
        REAL *to = (REAL *)c->c + p * call->c_step;
        bool is_whole = is_ahead && (call->count - 1 - p) * call->b_step + n >= width;
        if (p == 0 || call->b_step != 0)
            NAME(load_rows)(c, (const REAL *)c->b + p * call->b_step, is_whole, k, parts, b);
        for (int64_t i = 0; i < m; ++i, a += a_row, to += c->c_row) {
            for (int part = 0; part < parts; ++part)
                sums[part] = (NAME(four)){0};
            for (int64_t l = 0; l < k; ++l)
                for (int part = 0; part < parts; ++part)
                    sums[part] += (a[l * a_column] - (NAME(four)){0}) * b[l][part];
            NAME(store_row)(sums, n, left, parts, to);
            left -= c->c_row == n ? n : 0;
        }
    }
}

/* The same for one column. */
INLINE void NAME(column_by)(const narrow_call *call, const int64_t k)
{
    const matmul_call *c = &call->one;
    const int64_t a_row = c->a_row, a_column = c->a_column, m = c->m;
    for (int64_t p = 0; p < call->count; ++p) {
        const REAL *a = (const REAL *)c->a + p * call->a_step;
        const REAL *b = (const REAL *)c->b + p * call->b_step;
        REAL *to = (REAL *)c->c + p * call->c_step, x[NARROW_MOST];
        for (int64_t l = 0; l < k; ++l)
            x[l] = b[l * c->b_row];
        for (int64_t i = 0; i < m; ++i, a += a_row, to += c->c_row) {
            REAL sum = 0;
            for (int64_t l = 0; l < k; ++l)
                sum += a[l * a_column] * x[l];
            *to = sum;
        }
    }
}

static void NAME(column)(const narrow_call *call)
{
    switch (call->one.k) {
    case 1: NAME(column_by)(call, 1); break;
    case 2: NAME(column_by)(call, 2); break;
    case 3: NAME(column_by)(call, 3); break;
    case 4: NAME(column_by)(call, 4); break;
    case 5: NAME(column_by)(call, 5); break;
    case 6: NAME(column_by)(call, 6); break;
    case 7: NAME(column_by)(call, 7); break;
    default: NAME(column_by)(call, NARROW_MOST); break;
    }
}

INLINE void NAME(rows_of)(const narrow_call *call, const int parts)
{
    switch (call->one.k) {
    case 1: NAME(rows_by)(call, 1, parts); break;
    case 2: NAME(rows_by)(call, 2, parts); break;
    case 3: NAME(rows_by)(call, 3, parts); break;
    case 4: NAME(rows_by)(call, 4, parts); break;
    default: NAME(rows_by)(call, call->one.k, parts); break;
    }
}

static void NAME(rows)(const narrow_call *call)
{
    if (call->one.n == 1)
        NAME(column)(call);
    else if (call->one.n <= 4)
        NAME(rows_of)(call, 1);
    else
        NAME(rows_of)(call, 2);
}

/* Adds some terms to the totals of `rows` rows from the first on. b's rows are whole vectors. All
 * counts but that of the terms are constants to the compiler. */
INLINE void NAME(add_rows)(const matmul_call *c, const REAL *a, const REAL *b, int64_t b_row,
                           int64_t terms, const int rows, const int parts,
                           NAME(total) totals[][PARTS])
{
    const int64_t a_row = c->a_row, a_column = c->a_column;
    NAME(four) sums[SETS][ROWS][PARTS], row[PARTS];
    memset(sums, 0, sizeof sums);
    for (int64_t k = 0; k < terms; k += SETS)
#pragma GCC unroll 2
        for (int set = 0; set < SETS; ++set) {
            if (k + set >= terms)
                break;
            for (int part = 0; part < parts; ++part)
                memcpy(&row[part], b + 4 * part, sizeof row[part]);
#pragma GCC unroll 4
            for (int i = 0; i < rows; ++i)
                for (int part = 0; part < parts; ++part)
                    sums[set][i][part] += (a[i * a_row] - (NAME(four)){0}) * row[part];
            a += a_column;
            b += b_row;
        }
    for (int i = 0; i < rows; ++i)
        for (int part = 0; part < parts; ++part)
            totals[i][part] += __builtin_convertvector(sums[0][i][part], NAME(total)) +
                               __builtin_convertvector(sums[1][i][part], NAME(total));
}

/* The same for all rows. */
INLINE void NAME(add_terms)(const matmul_call *c, const REAL *a, const REAL *b, int64_t b_row,
                            int64_t terms, const int parts, NAME(total) totals[][PARTS])
{
    int64_t i = 0;
    for (; i + ROWS <= c->m; i += ROWS)
        NAME(add_rows)(c, a + i * c->a_row, b, b_row, terms, ROWS, parts, totals + i);
    a += i * c->a_row;
    switch (c->m - i) {
    case 3: NAME(add_rows)(c, a, b, b_row, terms, 3, parts, totals + i); break;
    case 2: NAME(add_rows)(c, a, b, b_row, terms, 2, parts, totals + i); break;
    case 1: NAME(add_rows)(c, a, b, b_row, terms, 1, parts, totals + i); break;
    default: break;
    }
}

/* One product whose result is in registers. Terms whose row of b, as whole vectors, would end
 * outside it are copied before. */
INLINE void NAME(sums_by)(const matmul_call *c, const REAL *a, const REAL *b, const int parts,
                          NAME(total) totals[][PARTS])
{
    REAL copy[NARROW_MOST][NARROW_MOST];
    const int64_t width = 4 * parts;
    int64_t whole = c->k - (c->b_row > 0 ? ceil_div(width - c->n, c->b_row) : c->k), k = 0, terms;
    for (; k < whole; k += terms) {
        terms = int64_min(whole - k, NARROW_TERMS);
        NAME(add_terms)(c, a + k * c->a_column, b + k * c->b_row, c->b_row, terms, parts, totals);
    }
    for (k = int64_max(k, 0); k < c->k; k += terms) {
        terms = int64_min(c->k - k, NARROW_MOST);
        memset(copy, 0, sizeof copy);
        for (int64_t l = 0; l < terms; ++l)
            for (int64_t j = 0; j < c->n; ++j)
                copy[l][j] = b[(k + l) * c->b_row + j];
        NAME(add_terms)(c, a + k * c->a_column, copy[0], NARROW_MOST, terms, parts, totals);
    }
}

static void NAME(sums)(const narrow_call *call)
{
    const matmul_call *c = &call->one;
    for (int64_t p = 0; p < call->count; ++p) {
        const REAL *a = (const REAL *)c->a + p * call->a_step;
        const REAL *b = (const REAL *)c->b + p * call->b_step;
        REAL *to = (REAL *)c->c + p * call->c_step;
        NAME(total) totals[NARROW_MOST][PARTS] = {0};
        if (c->n <= 4)
            NAME(sums_by)(c, a, b, 1, totals);
        else
            NAME(sums_by)(c, a, b, 2, totals);
        for (int64_t i = 0; i < c->m; ++i)
            for (int64_t j = 0; j < c->n; ++j)
                to[i * c->c_row + j * call->c_column] = (REAL)totals[i][j / 4][j % 4];
    }
}

INLINE NAME(lanes) NAME(lanes_at)(const REAL *from)
{
    NAME(lanes) value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* The last `count` lanes, fewer than there are, and zeros. */
INLINE NAME(lanes) NAME(last_lanes)(const REAL *from, int64_t count)
{
    static const WORD masks[2 * COUNT] = {[COUNT... 2 * COUNT - 1] = (WORD)-1};
    NAME(bits) mask, value;
    memcpy(&mask, masks + count, sizeof mask);
    memcpy(&value, from, sizeof value);
    return (NAME(lanes))(value & mask);
}

INLINE REAL NAME(add_all)(NAME(lanes) value)
{
    REAL some[COUNT];
    memcpy(some, &value, sizeof some);
#pragma GCC unroll 4
    for (int width = COUNT / 2; width > 0; width /= 2)
#pragma GCC unroll 8
        for (int i = 0; i < width; ++i)
            some[i] += some[i + width];
    return some[0];
}

/* The sum of at most NARROW_DOT_TERMS terms. */
INLINE REAL NAME(dot)(const REAL *x, const REAL *y, int64_t k)
{
    NAME(lanes) sums[CHAINS];
    REAL rest = 0;
    int64_t i = 0;
    memset(sums, 0, sizeof sums);
    for (; i + CHAINS * COUNT <= k; i += CHAINS * COUNT)
#pragma GCC unroll 4
        for (int chain = 0; chain < CHAINS; ++chain)
            sums[chain] +=
                NAME(lanes_at)(x + i + chain * COUNT) * NAME(lanes_at)(y + i + chain * COUNT);
    for (; i + COUNT <= k; i += COUNT)
        sums[0] += NAME(lanes_at)(x + i) * NAME(lanes_at)(y + i);
    /* Zeros on both sides of a product: an infinity times zero would be NaN. */
    if (i < k && k >= COUNT)
        sums[1] += NAME(last_lanes)(x + k - COUNT, k - i) * NAME(last_lanes)(y + k - COUNT, k - i);
    else
        for (; i < k; ++i)
            rest += x[i] * y[i];
    return NAME(add_all)((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest;
}

/* One product of whose operands the rows and the columns are dense. */
INLINE void NAME(dots_of)(const matmul_call *c, const REAL *a, const REAL *b, REAL *to)
{
    double totals[NARROW_DOTS] = {0};
    for (int64_t k = 0; k < c->k; k += NARROW_DOT_TERMS) {
        int64_t terms = int64_min(c->k - k, NARROW_DOT_TERMS);
        for (int64_t i = 0; i < c->m; ++i)
            for (int64_t j = 0; j < c->n; ++j)
                totals[i * c->n + j] +=
                    (double)NAME(dot)(a + i * c->a_row + k, b + j * c->b_column + k, terms);
    }
    for (int64_t i = 0; i < c->m; ++i)
        for (int64_t j = 0; j < c->n; ++j)
            to[i * c->c_row + j] = (REAL)totals[i * c->n + j];
}

static void NAME(dots)(const narrow_call *call)
{
    const matmul_call *c = &call->one;
    for (int64_t p = 0; p < call->count; ++p)
        NAME(dots_of)
    (c, (const REAL *)c->a + p * call->a_step, (const REAL *)c->b + p * call->b_step,
     (REAL *)c->c + p * call->c_step);
}

static void NAME(summed)(const narrow_call *call)
{
    const REAL *a = call->one.a, *b = call->one.b;
    double *to = call->one.c;
    for (int64_t k = 0; k < call->one.k; k += NARROW_DOT_TERMS)
        *to++ = (double)NAME(dot)(a + k, b + k, int64_min(call->one.k - k, NARROW_DOT_TERMS));
}
