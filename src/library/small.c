/* SPDX-License-Identifier: Apache-2.0 */
/* Inverses, solutions and determinants of real matrices of up to SMALL_ROWS rows, by elimination
 * with partial pivoting, without LAPACK, whose calls cost many times the work. Several matrices are
 * processed at once, each in an element of its own of every vector, so that pivots are chosen
 * without branches, which would be mispredicted half the time; the number of rows is a constant to
 * the compiler (small.inc.h). Those of up to ROWS_MAX rows, and their QR factors, are done one by
 * one, a row being a few vectors (rows.inc.h). The loops are compiled for each instruction set. */
#include "library/lapack.h"
#include <math.h>
#include <string.h>

enum { N = SMALL_ROWS };

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A batch as the loops walk it: strides in elements, matrices in bytes. */
typedef struct batch_walk {
    const lapack_matrices *matrices;
    char *start;
    int64_t step; /* between matrices, where they are evenly spaced */
    bool even;
    int64_t row, column;
} batch_walk;

typedef struct small_call { /* what the loops are given */
    batch_walk a, b, x, r;
    int n; /* rows of a */
    int64_t columns, first, last;
    bool quiet;
    void *sign, *logarithm, *product; /* results of a determinant, dense; NULL for one not used */
} small_call;

/* Matrices first to last - 1; each gives the number of one that is singular, -1 if none is. */
typedef struct small_loops {
    int64_t (*inverse)(const small_call *c);
    int64_t (*solution)(const small_call *c);
    int64_t (*determinant)(const small_call *c);
    int64_t (*cholesky)(const small_call *c); /* of up to SMALL_ROWS rows */
    int64_t (*qr)(const small_call *c); /* of up to ROWS_MAX, whatever library_small_takes says */
} small_loops;

/* Whether one step leads from each matrix to the next: batch axes that are contiguous among
 * themselves. */
static bool is_even(const lapack_matrices *x)
{
    for (int d = 0; d + 1 < x->ndim; ++d)
        if (x->strides[d] != x->strides[d + 1] * x->shape[d + 1])
            return false;
    return true;
}

/* step serves where the batch is evenly spaced (even); other batches are counted through for each
 * matrix. */
static batch_walk walk_of(const lapack_matrices *x)
{
    int64_t stride = x->ndim > 0 ? x->strides[x->ndim - 1] : 0;
    return (batch_walk){.matrices = x,
                        .start = x->address,
                        .step = stride * (int64_t)x->itemsize,
                        .even = is_even(x),
                        .row = x->row_stride,
                        .column = x->column_stride};
}

ALWAYS_INLINE void *walk_at(const batch_walk *walk, int64_t index)
{
    if (walk->even)
        return walk->start + index * walk->step;
    /* The distance by which walk_from_column has moved the start. */
    int64_t skipped = walk->start - walk->matrices->address;
    return (char *)library_matrix_at(walk->matrices, index) + skipped;
}

ALWAYS_INLINE batch_walk walk_from_column(const batch_walk *walk, int64_t column)
{
    batch_walk out = *walk;
    out.start += column * walk->column * (int64_t)walk->matrices->itemsize;
    return out;
}

/* In double, also of float32 matrices. */
typedef struct determinant_parts {
    double sign, product, logarithm;
} determinant_parts;

/* Sign and logarithm are made factor by factor: the product may leave the dtype's range. A NaN
 * factor makes a NaN sign. */
static void take_factor(const small_call *c, determinant_parts *d, double factor)
{
    d->product *= factor;
    d->sign *= factor > 0 ? 1 : factor < 0 ? -1 : factor;
    if (c->logarithm != NULL)
        d->logarithm += log(fabs(factor));
}

/* The vectors that the instruction set has: GCC makes code for single elements of most of what
 * longer ones are used for. */
#define VECTOR_NBYTES 16
#define REAL float
#define WHOLE int32_t
#define TARGET
#define NAME(x) x##_f32
#include "library/small.inc.h"

#include "library/rows.inc.h"
#undef REAL
#undef WHOLE
#undef NAME

#define REAL double
#define WHOLE int64_t
#define NAME(x) x##_f64
#include "library/small.inc.h"

#include "library/rows.inc.h"
#undef NAME
#undef TARGET
#undef VECTOR_NBYTES

#ifdef __x86_64__
#define VECTOR_NBYTES 64
#define TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
#define NAME(x) x##_f64_avx512
#include "library/small.inc.h"

#include "library/rows.inc.h"
#undef REAL
#undef WHOLE
#undef NAME

#define REAL float
#define WHOLE int32_t
#define NAME(x) x##_f32_avx512
#include "library/small.inc.h"

#include "library/rows.inc.h"
#undef NAME
#undef TARGET
#undef VECTOR_NBYTES

#define VECTOR_NBYTES 32
#define TARGET __attribute__((target("avx2")))
#define NAME(x) x##_f32_avx2
#include "library/small.inc.h"

#include "library/rows.inc.h"
#undef REAL
#undef WHOLE
#undef NAME

#define REAL double
#define WHOLE int64_t
#define NAME(x) x##_f64_avx2
#include "library/small.inc.h"

#include "library/rows.inc.h"
#undef NAME
#undef TARGET
#undef VECTOR_NBYTES
#endif

#define LOOPS(isa)                                                                                 \
    {                                                                                              \
        {&loops_f32##isa, &row_loops_f32##isa},                                                    \
        {                                                                                          \
            &loops_f64##isa, &row_loops_f64##isa                                                   \
        }                                                                                          \
    }

/* by_rows: the loops of rows.inc.h, for more than SMALL_ROWS rows, and for QR. */
static const small_loops *loops_for(jg_dtype dtype, bool by_rows)
{
    bool is_wide = dtype == JG_DTYPE_FLOAT64;
#ifdef __x86_64__
    static const small_loops *const tables[][2][2] = {
        [ISA_BASELINE] = LOOPS(), [ISA_AVX2] = LOOPS(_avx2), [ISA_AVX512] = LOOPS(_avx512)};
    return tables[isa_chosen()][is_wide][by_rows];
#else
    static const small_loops *const table[2][2] = LOOPS();
    return table[is_wide][by_rows];
#endif
}

static jg_status tell(int64_t failed, const lapack_matrices *a)
{
    return failed < 0 ? JG_OK : library_batch_fail("a", failed, a->count, "is singular");
}

jg_status library_small_inverse(const routine_call *call, int64_t first, int64_t last)
{
    lapack_matrices a = matrices_of(call, 0), x = matrices_of(call, 1);
    small_call c = {.a = walk_of(&a),
                    .x = walk_of(&x),
                    .n = (int)a.rows,
                    .first = first,
                    .last = last,
                    .quiet = call->attributes->inverse.quiet};
    return tell(loops_for(a.dtype, a.rows > SMALL_ROWS)->inverse(&c), &a);
}

jg_status library_small_solve(const routine_call *call, int64_t first, int64_t last)
{
    lapack_matrices a = matrices_of(call, 0), b = matrices_of(call, 1), x = matrices_of(call, 2);
    small_call c = {.a = walk_of(&a),
                    .b = walk_of(&b),
                    .x = walk_of(&x),
                    .n = (int)a.rows,
                    .columns = b.columns,
                    .first = first,
                    .last = last};
    return tell(loops_for(a.dtype, a.rows > SMALL_ROWS)->solution(&c), &a);
}

jg_status library_small_determinant(const routine_call *call, int64_t first, int64_t last)
{
    lapack_matrices a = matrices_of(call, 0);
    small_call c = {.a = walk_of(&a),
                    .n = (int)a.rows,
                    .first = first,
                    .last = last,
                    .sign = call->addresses[1],
                    .logarithm = call->addresses[2],
                    .product = call->addresses[3]};
    (void)loops_for(a.dtype, a.rows > SMALL_ROWS)->determinant(&c);
    return JG_OK;
}

void library_small_qr(const routine_call *call, int64_t first, int64_t last)
{
    lapack_matrices a = matrices_of(call, 0), q = matrices_of(call, 1), r = matrices_of(call, 2);
    small_call c = {.a = walk_of(&a),
                    .x = walk_of(&q),
                    .r = walk_of(&r),
                    .n = (int)a.rows,
                    .columns = a.columns,
                    .first = first,
                    .last = last};
    (void)loops_for(a.dtype, true)->qr(&c);
}

/* The walk over the transpose. */
static batch_walk exchanged(batch_walk walk, bool exchanges)
{
    int64_t row = walk.row;
    if (exchanges) {
        walk.row = walk.column;
        walk.column = row;
    }
    return walk;
}

jg_status library_small_cholesky(const routine_call *call, int64_t first, int64_t last)
{
    lapack_matrices a = matrices_of(call, 0), x = matrices_of(call, 1);
    bool upper = call->attributes->cholesky.upper;
    small_call c = {.a = exchanged(walk_of(&a), upper),
                    .x = exchanged(walk_of(&x), upper),
                    .n = (int)a.rows,
                    .first = first,
                    .last = last};
    int64_t failed = loops_for(a.dtype, false)->cholesky(&c);
    return failed < 0 ? JG_OK
                      : library_batch_fail("a", failed, a.count, "is not positive definite");
}
