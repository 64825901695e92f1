/* SPDX-License-Identifier: Apache-2.0 */
/* Determinants from LU factors: the product of the diagonal, its sign (for complex matrices its
 * direction), and the logarithm of its magnitude, which is summed factor by factor, so that it is
 * right where the product overflows. */
#include "library/lapack.h"
#include <math.h>
#include <string.h>

/* The operands' numbers. A result that is not used has no address. */
enum { SIGN = 1, LOG_MAGNITUDE = 2, PRODUCT = 3 };

static lapack_number multiply(lapack_number x, lapack_number y)
{
    return (lapack_number){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

static void write_number(void *to, jg_dtype dtype, lapack_number value)
{
    const double wide[2] = {value.re, value.im};
    const float single[2] = {(float)value.re, (float)value.im};
    bool is_wide = dtype_real_part(dtype) == JG_DTYPE_FLOAT64;
    memcpy(to, is_wide ? (const void *)wide : (const void *)single, dtype_itemsize(dtype));
}

/* The product may overflow or underflow where sign and log_magnitude do not. Each of the three may
 * be unused. */
typedef struct determinant {
    lapack_number sign, product;
    double log_magnitude;
} determinant;

/* The product needs no logarithm, which costs more than factoring a small matrix. */
static void take_factor(determinant *d, lapack_number factor, bool is_complex, bool splits)
{
    d->product = multiply(d->product, factor);
    if (!splits)
        return;
    double magnitude = is_complex ? hypot(factor.re, factor.im) : fabs(factor.re);
    lapack_number direction = {0, 0};
    if (magnitude != 0)
        direction = (lapack_number){factor.re / magnitude, factor.im / magnitude};
    d->sign = multiply(d->sign, direction);
    d->log_magnitude += log(magnitude);
}

/* factors: column by column. An exchange of rows turns the sign; pivots count from 1. */
static determinant from_factors(const char *factors, int n, int leading, const int *pivots,
                                const lapack_matrices *a, bool splits)
{
    determinant d = {{1, 0}, {1, 0}, 0};
    for (int i = 0; i < n; ++i) {
        const char *element = factors + (size_t)i * (size_t)(leading + 1) * a->itemsize;
        lapack_number factor = library_number_at(element, a->dtype);
        if (pivots[i] != i + 1)
            factor = (lapack_number){-factor.re, -factor.im};
        take_factor(&d, factor, dtype_is_complex(a->dtype), splits);
    }
    return d;
}

static void write_results(const routine_call *call, int64_t index, const determinant *d)
{
    const lapack_number values[] = {d->sign, {d->log_magnitude, 0}, d->product};
    for (int i = SIGN; i <= PRODUCT; ++i) {
        lapack_matrices result = library_scalars_of(call, i);
        if (result.address != NULL)
            write_number(library_matrix_at(&result, index), result.dtype, values[i - SIGN]);
    }
}

static double operations_of(const routine_call *call)
{
    double n = (double)matrices_of(call, 0).rows;
    return n * n * n * 2 / 3 + 60 * n + 1;
}

LIBRARY_BATCH(determinant, operations_of, true)

static jg_status run_large(const routine_call *call, int64_t first, int64_t last)
{
    lapack_matrices a = matrices_of(call, 0);
    bool splits = routine_wants(call, SIGN - 1) || routine_wants(call, LOG_MAGNITUDE - 1);
    const lapack_calls *lapack;
    int n, leading, info;
    JG_TRY(lapack_find(a.dtype, &lapack));
    JG_TRY(lapack_extent(a.rows, &n));
    /* The transpose has the same determinant, so rows are loaded as columns. info is ignored: a
     * singular matrix has a zero on the diagonal, so its determinant is 0. */
    leading = library_matrix_leading(n, a.itemsize);
    workspace memory = {0};
    int *pivots = workspace_take(&memory, n, sizeof *pivots);
    void *factors = workspace_take(&memory, a.rows * leading, a.itemsize);
    jg_status status = workspace_status(&memory);
    for (int64_t i = first; i < last && status == JG_OK; ++i) {
        library_matrix_load(&a, i, false, factors, leading);
        lapack->getrf(&n, &n, factors, &leading, pivots, &info);
        determinant d = from_factors(factors, n, leading, pivots, &a, splits);
        write_results(call, i, &d);
    }
    workspace_clear(&memory);
    return status;
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    lapack_matrices a = matrices_of(call, 0);
    library_batch_range(a.count, operations_of(call), &first, &last);
    return library_small_takes(a.dtype, a.rows, 0) ? library_small_determinant(call, first, last)
                                                   : run_large(call, first, last);
}

const jg_routine library_routine_determinant = {
    .name = "determinant", .units = determinant_units, .run = run, .work = determinant_work};
