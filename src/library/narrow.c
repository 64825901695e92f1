/* SPDX-License-Identifier: Apache-2.0 */
/* Products of which two extents are small: which are taken, and by which loop. */
#include "library/narrow.h"

/* By dtype, float32 and float64, and kind. */
extern narrow_loop *const library_narrow_baseline[2][NARROW_KINDS];
#ifdef __x86_64__
extern narrow_loop *const library_narrow_avx2[2][NARROW_KINDS];
extern narrow_loop *const library_narrow_avx512[2][NARROW_KINDS];
#endif

static narrow_loop *loop_for(jg_dtype dtype, narrow_kind kind)
{
    bool is_wide = dtype == JG_DTYPE_FLOAT64;
#ifdef __x86_64__
    static narrow_loop *const(*const tables[])[NARROW_KINDS] = {
        [ISA_BASELINE] = library_narrow_baseline,
        [ISA_AVX2] = library_narrow_avx2,
        [ISA_AVX512] = library_narrow_avx512};
    return tables[isa_chosen()][is_wide][kind];
#else
    return library_narrow_baseline[is_wide][kind];
#endif
}

/* Rows times columns, all dense. A matrix times a vector is left to others, which read the vector
 * once for several rows. */
static bool is_dots(const matmul_call *c)
{
    bool is_dense = c->a_column == 1 && c->b_row == 1, has_vector = (c->m == 1) != (c->n == 1);
    return is_dense && !has_vector && c->m <= NARROW_DOTS / c->n;
}

static narrow_kind kind_of(const matmul_call *c)
{
    const int64_t half = NARROW_MOST / 2;
    if (c->k <= NARROW_MOST)
        return c->n <= NARROW_MOST ? NARROW_ROWS : NARROW_NONE;
    if (is_dots(c))
        return NARROW_DENSE;
    if (c->m > NARROW_MOST || c->n > NARROW_MOST)
        return NARROW_NONE;
    if (c->m > half && c->n > half && c->k <= NARROW_TERMS)
        return NARROW_NONE; /* BLAS is as fast */
    bool is_plain = c->b_column == 1 && c->n > 1, is_turned = c->a_row == 1 && c->m > 1;
    if (is_plain && (c->n >= c->m || !is_turned))
        return NARROW_SUMS;
    return is_turned ? NARROW_TURNED : NARROW_NONE;
}

/* The products of the transposes. */
static void turn(narrow_call *to)
{
    int64_t a_step = to->a_step;
    to->c_column = to->one.c_row;
    to->one = library_turned(&to->one);
    to->one.c_row = 1;
    to->a_step = to->b_step;
    to->b_step = a_step;
}

bool library_narrow_matmul(const matmul_call *first, int64_t count, int64_t a_step, int64_t b_step)
{
    if (first->dtype != JG_DTYPE_FLOAT32 && first->dtype != JG_DTYPE_FLOAT64)
        return false;
    narrow_kind kind = kind_of(first);
    if (kind == NARROW_NONE || blas_is_missed())
        return false;
    narrow_call call = {.one = *first,
                        .count = count,
                        .a_step = a_step,
                        .b_step = b_step,
                        .c_step = first->m * first->n,
                        .c_column = 1};
    if (kind == NARROW_TURNED)
        turn(&call);
    loop_for(first->dtype, kind)(&call);
    return true;
}

int64_t library_narrow_parts(const matmul_call *call)
{
    if ((call->dtype != JG_DTYPE_FLOAT32 && call->dtype != JG_DTYPE_FLOAT64) || call->m != 1 ||
        call->n != 1 || call->k < NARROW_LONG_DOT || !is_dots(call) || blas_is_missed())
        return 0;
    return ceil_div(call->k, NARROW_DOT_TERMS);
}

void library_narrow_sum_parts(const matmul_call *call, int64_t first, int64_t last, double *sums)
{
    int64_t start = first * NARROW_DOT_TERMS, end = last * NARROW_DOT_TERMS;
    int64_t offset = start * (int64_t)dtype_itemsize(call->dtype);
    narrow_call part = {.one = *call};
    part.one.a = (const char *)call->a + offset;
    part.one.b = (const char *)call->b + offset;
    part.one.c = sums + first;
    part.one.k = int64_min(end, call->k) - start;
    loop_for(call->dtype, NARROW_SUMMED)(&part);
}

void library_narrow_join_parts(const matmul_call *call, const double *sums)
{
    int64_t parts = ceil_div(call->k, NARROW_DOT_TERMS);
    double total = 0;
    for (int64_t i = 0; i < parts; ++i)
        total += sums[i];
    if (call->dtype == JG_DTYPE_FLOAT32)
        *(float *)call->c = (float)total;
    else
        *(double *)call->c = total;
}
