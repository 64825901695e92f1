/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of whole_loops.c for integers WORD; functions end in NAME. Narrow ones are widened by C
 * and cut on assignment. */

typedef WORD NAME(vec) __attribute__((vector_size(NBYTES)));
enum { NAME(COUNT) = NBYTES / sizeof(WORD) };
#define COUNT NAME(COUNT)

/* The loops whose operands are dense are apart, so that the compiler makes vectors of them. */
INLINE WORD NAME(dot)(const WORD *x, int64_t x_step, const WORD *y, int64_t count)
{
    WORD sum = 0;
    for (int64_t i = 0; i < count; ++i)
        sum = (WORD)(sum + (uint64_t)x[i * x_step] * y[i]);
    return sum;
}

static WORD NAME(dense_dot)(const WORD *x, const WORD *y, int64_t count)
{
    return NAME(dot)(x, 1, y, count);
}

/* Some terms of every row. */
static void NAME(add_rows)(const matmul_call *c, const WORD *a, const WORD *x, int64_t terms,
                           bool is_first)
{
    WORD *to = c->c;
    for (int64_t i = 0; i < c->m; ++i, a += c->a_row, to += c->c_row) {
        WORD sum =
            c->a_column == 1 ? NAME(dense_dot)(a, x, terms) : NAME(dot)(a, c->a_column, x, terms);
        *to = is_first ? sum : (WORD)(*to + sum);
    }
}

static void NAME(add_column)(const WORD *from, WORD x, int64_t count, WORD *sums)
{
    for (int64_t i = 0; i < count; ++i)
        sums[i] = (WORD)(sums[i] + (uint64_t)from[i] * x);
}

/* Columns are dense: sums of some rows at a time. */
static void NAME(add_columns)(const matmul_call *c)
{
    WORD sums[PIECE];
    for (int64_t first = 0; first < c->m; first += PIECE) {
        int64_t count = int64_min(c->m - first, PIECE);
        const WORD *from = (const WORD *)c->a + first, *x = c->b;
        memset(sums, 0, sizeof sums);
        for (int64_t k = 0; k < c->k; ++k, from += c->a_column, x += c->b_row)
            NAME(add_column)(from, *x, count, sums);
        for (int64_t i = 0; i < count; ++i)
            ((WORD *)c->c)[(first + i) * c->c_row] = sums[i];
    }
}

static void NAME(vector)(const matmul_call *c)
{
    WORD copy[PIECE];
    if (c->a_row == 1 && c->a_column != 1 && c->m > 1) {
        NAME(add_columns)(c);
        return;
    }
    for (int64_t k = 0; k < c->k; k += PIECE) {
        int64_t terms = int64_min(c->k - k, PIECE);
        const WORD *x = (const WORD *)c->b + k * c->b_row;
        for (int64_t i = 0; i < terms && c->b_row != 1; ++i)
            copy[i] = x[i * c->b_row];
        NAME(add_rows)
        (c, (const WORD *)c->a + k * c->a_column, c->b_row == 1 ? x : copy, terms, k == 0);
    }
}

/* Some terms of `columns` columns of b as rows of whole vectors, padded with zeros. */
INLINE void NAME(pack)(const matmul_call *c, const WORD *b, int64_t terms, int64_t columns,
                       const int vectors, WORD *block)
{
    for (int64_t k = 0; k < terms; ++k, b += c->b_row, block += vectors * COUNT) {
        if (columns == vectors * COUNT && c->b_column == 1) {
            memcpy(block, b, (size_t)vectors * NBYTES);
            continue;
        }
        for (int64_t j = 0; j < columns; ++j)
            block[j] = b[j * c->b_column];
        for (int64_t j = columns; j < vectors * COUNT; ++j)
            block[j] = 0;
    }
}

/* `rows` rows of the result: adds the terms of the block, or makes them the sums where it is the
 * first. Then what follows a row may be written over within `left` elements: the next row, which is
 * written later. rows and vectors are constants to the compiler. */
INLINE void NAME(add_tile)(const matmul_call *c, const WORD *a, const WORD *block, int64_t terms,
                           int64_t columns, bool is_first, int64_t left, const int rows,
                           const int vectors, WORD *to)
{
    NAME(vec) sums[ROWS][VECTORS], row[VECTORS];
    WORD some[VECTORS * COUNT];
    const int64_t step = columns == c->c_row ? columns : 0;
    memset(sums, 0, sizeof sums);
    for (int64_t k = 0; k < terms; ++k, a += c->a_column, block += vectors * COUNT) {
        for (int v = 0; v < vectors; ++v)
            memcpy(&row[v], block + v * COUNT, NBYTES);
#pragma GCC unroll 4
        for (int i = 0; i < rows; ++i)
            for (int v = 0; v < vectors; ++v)
                sums[i][v] += row[v] * (a[i * c->a_row] + (NAME(vec)){0});
    }
    for (int i = 0; i < rows; ++i, to += c->c_row, left -= step) {
        if (is_first && left >= vectors * COUNT) {
            memcpy(to, sums[i], (size_t)vectors * NBYTES);
            continue;
        }
        memcpy(some, sums[i], (size_t)vectors * NBYTES);
        for (int64_t j = 0; j < columns; ++j)
            to[j] = is_first ? some[j] : (WORD)(to[j] + some[j]);
    }
}

/* All rows of some columns of the result, some terms at a time. */
INLINE void NAME(add_tiles)(const matmul_call *c, int64_t column, int64_t columns,
                            const int vectors)
{
    WORD block[TERMS * VECTORS * COUNT];
    for (int64_t k = 0; k < c->k; k += TERMS) {
        int64_t terms = int64_min(c->k - k, TERMS), i = 0;
        const WORD *a = (const WORD *)c->a + k * c->a_column;
        const WORD *b = (const WORD *)c->b + k * c->b_row + column * c->b_column;
        WORD *to = (WORD *)c->c + column;
        NAME(pack)(c, b, terms, columns, vectors, block);
        int64_t left = columns == c->c_row ? c->m * columns : columns;
        const int64_t step = columns == c->c_row ? columns : 0;
        for (; i + ROWS <= c->m; i += ROWS, a += ROWS * c->a_row, to += ROWS * c->c_row)
            NAME(add_tile)(c, a, block, terms, columns, k == 0, left - i * step, ROWS, vectors, to);
        for (; i < c->m; ++i, a += c->a_row, to += c->c_row)
            NAME(add_tile)(c, a, block, terms, columns, k == 0, left - i * step, 1, vectors, to);
    }
}

static void NAME(matrix)(const matmul_call *c)
{
    for (int64_t column = 0; column < c->n; column += VECTORS * COUNT) {
        int64_t columns = int64_min(c->n - column, VECTORS * COUNT);
        if (columns <= COUNT)
            NAME(add_tiles)(c, column, columns, 1);
        else
            NAME(add_tiles)(c, column, columns, 2);
    }
}
#undef COUNT
