/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of little_loops.c for one dtype, of elements REAL, vectors VECTOR of COUNT of them;
 * functions end in NAME. It is given, for fewer than COUNT elements: NAME(mask_of), NAME(load_some)
 * and NAME(store_some). */

INLINE VECTOR NAME(load_all)(const REAL *from)
{
    VECTOR value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* As spread of float_lanes.h. */
INLINE VECTOR NAME(spread)(REAL value)
{
    return value - (VECTOR){0};
}

/* Some rows and vectors of columns of the result, of the last of which `last` are there. Rows and
 * vectors are constants to the compiler. */
INLINE void NAME(make_tile)(const matmul_call *call, const REAL *a, const REAL *b, REAL *c,
                            const int rows, const int vectors, const bool is_whole, int64_t last)
{
    const __m256i mask = NAME(mask_of)(last);
    VECTOR sums[ROWS_OF_1][VECTORS], row[VECTORS];
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v)
            sums[i][v] = (VECTOR){0};
    for (int64_t k = 0; k < call->k; ++k, a += call->a_column, b += call->b_row) {
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v)
            row[v] = is_whole || v < vectors - 1 ? NAME(load_all)(b + v * COUNT)
                                                 : NAME(load_some)(b + v * COUNT, mask);
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
            VECTOR x = NAME(spread)(a[i * call->a_row]);
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v)
                sums[i][v] += x * row[v];
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) {
            REAL *to = c + i * call->c_row + v * COUNT;
            if (is_whole || v < vectors - 1)
                memcpy(to, &sums[i][v], sizeof(VECTOR));
            else
                NAME(store_some)(to, sums[i][v], last);
        }
}

/* All rows of some columns. */
INLINE void NAME(make_columns)(const matmul_call *call, const REAL *b, REAL *c, const int vectors,
                               const bool is_whole, int64_t last)
{
    const int rows = vectors == 1 ? ROWS_OF_1 : vectors == 2 ? ROWS_OF_2 : ROWS_OF_3;
    const REAL *a = call->a;
    int64_t i = 0;
    for (; i + rows <= call->m; i += rows, a += rows * call->a_row, c += rows * call->c_row)
        NAME(make_tile)(call, a, b, c, rows, vectors, is_whole, last);
#define REST(n)                                                                                    \
    case n: NAME(make_tile)(call, a, b, c, int_min(n, rows), vectors, is_whole, last); break
    switch (call->m - i) {
        REST(7);
        REST(6);
        REST(5);
        REST(4);
        REST(3);
        REST(2);
        REST(1);
    default: break;
    }
#undef REST
}

/* All rows of up to three vectors of columns. */
INLINE void NAME(make_rest)(const matmul_call *call, const REAL *b, REAL *c, int64_t vectors,
                            const bool is_whole, int64_t last)
{
    if (vectors == 3)
        NAME(make_columns)(call, b, c, 3, is_whole, last);
    else if (vectors == 2)
        NAME(make_columns)(call, b, c, 2, is_whole, last);
    else
        NAME(make_columns)(call, b, c, 1, is_whole, last);
}

/* Computes two vectors of columns at a time, until at most three are left. */
static void NAME(multiply)(const matmul_call *call)
{
    const REAL *b = call->b;
    REAL *c = call->c;
    int64_t rest = call->n;
    for (; rest > 3 * COUNT; rest -= 2 * COUNT, b += 2 * COUNT, c += 2 * COUNT)
        NAME(make_columns)(call, b, c, 2, true, COUNT);
    int64_t vectors = (rest - 1) / COUNT + 1, last = (rest - 1) % COUNT + 1;
    if (last == COUNT)
        NAME(make_rest)(call, b, c, vectors, true, COUNT);
    else
        NAME(make_rest)(call, b, c, vectors, false, last);
}
