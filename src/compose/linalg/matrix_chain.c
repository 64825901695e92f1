/* SPDX-License-Identifier: Apache-2.0 */
/* Products of several matrices: of different ones in the order that takes the fewest
 * multiplications, of one with itself by squaring. */
#include "compose/compose.h"
#include <string.h>

/* The cheapest way to multiply matrices low to high: the first of two parts ends at cut. */
typedef struct chain_run {
    double cost; /* multiplications, which may be more than an integer holds */
    int cut;
} chain_run;

typedef struct matrix_chain {
    int count;
    jg_array *const *arrays;
    jg_dtype dtype;  /* their common dtype */
    chain_run *best; /* count rows of count */
} matrix_chain;

static chain_run *run_between(const matrix_chain *chain, int low, int high)
{
    return &chain->best[(size_t)low * (size_t)chain->count + (size_t)high];
}

static double extent_before(const matrix_chain *chain, int at)
{
    return at < chain->count ? (double)chain->arrays[at]->dims[0]
                             : (double)chain->arrays[at - 1]->dims[1];
}

static void find_cut(const matrix_chain *chain, int low, int high)
{
    chain_run *run = run_between(chain, low, high);
    double outer = extent_before(chain, low) * extent_before(chain, high + 1);
    for (int cut = low; cut < high; ++cut) {
        double cost = run_between(chain, low, cut)->cost + run_between(chain, cut + 1, high)->cost +
                      outer * extent_before(chain, cut + 1);
        if (cut == low || cost < run->cost)
            *run = (chain_run){cost, cut};
    }
}

static void find_order(const matrix_chain *chain)
{
    for (int at = 0; at < chain->count; ++at)
        *run_between(chain, at, at) = (chain_run){0, at};
    for (int length = 1; length < chain->count; ++length)
        for (int low = 0; low + length < chain->count; ++low)
            find_cut(chain, low, low + length);
}

/* gives: *out, +1 */
static jg_status multiply_run(const matrix_chain *chain, int low, int high, jg_array **out)
{
    jg_array *left = NULL, *right = NULL;
    jg_status status;
    if (low == high)
        return graph_cast(chain->arrays[low], chain->dtype, out);
    int cut = run_between(chain, low, high)->cut;
    JG_TRY_DONE(multiply_run(chain, low, cut, &left));
    JG_TRY_DONE(multiply_run(chain, cut + 1, high, &right));
    JG_TRY_DONE(jg_matmul(left, right, out));
done:
    jg_array_release(left);
    jg_array_release(right);
    return status;
}

static jg_status multiply_chain(int count, jg_array *const *arrays, jg_array **out)
{
    size_t nbytes = (size_t)count * (size_t)count * sizeof(chain_run);
    matrix_chain chain = {.count = count, .arrays = arrays};
    JG_TRY(compose_common_dtype(count, arrays, &chain.dtype));
    chain.best = base_alloc(nbytes);
    if (chain.best == NULL)
        return base_nomem(nbytes, "the order of a chain of products");
    find_order(&chain);
    jg_status status = multiply_run(&chain, 0, count - 1, out);
    base_free(chain.best);
    return status;
}

static jg_status check_chain(int count, jg_array *const *arrays)
{
    if (count < 2)
        return base_fail(JG_ERR_VALUE, "[linalg_multi_dot] arrays: got %d, allowed are two or more",
                         count);
    for (int i = 0; i < count; ++i) {
        bool at_end = i == 0 || i == count - 1;
        if (arrays[i]->ndim != 2 && !(at_end && arrays[i]->ndim == 1))
            return base_fail(JG_ERR_VALUE,
                             "[linalg_multi_dot] arrays[%d]: has %d axes, allowed are two%s", i,
                             arrays[i]->ndim, at_end ? ", or one" : "");
    }
    return JG_OK;
}

/* Vectors at the ends take part as a row and a column. */
static jg_status with_matrix_ends(int count, jg_array **arrays, jg_array **out)
{
    const int64_t first = 0, last = -1;
    compose_scope scope = {0};
    bool row = arrays[0]->ndim == 1, column = arrays[count - 1]->ndim == 1;
    jg_array *made = NULL;
    if (row)
        arrays[0] = scope_shaped(&scope, jg_expand_dims, arrays[0], 1, &first);
    if (column)
        arrays[count - 1] = scope_shaped(&scope, jg_expand_dims, arrays[count - 1], 1, &last);
    if (scope.status == JG_OK) {
        jg_status status = multiply_chain(count, arrays, &made);
        made = scope_take(&scope, status, made);
    }
    if (column)
        made = scope_shaped(&scope, jg_squeeze, made, 1, &last);
    if (row)
        made = scope_shaped(&scope, jg_squeeze, made, 1, &first);
    return scope_finish(&scope, made, out);
}

jg_status compose_linalg_multi_dot(int count, jg_array *const *arrays, jg_array **out)
{
    JG_TRY(check_chain(count, arrays));
    size_t nbytes = (size_t)count * sizeof *arrays;
    jg_array **ends = base_copy(arrays, nbytes);
    if (ends == NULL)
        return base_nomem(nbytes, "a list of arrays");
    jg_status status = with_matrix_ends(count, ends, out);
    base_free(ends);
    return status;
}

static jg_status identities_like(jg_array *a, jg_array **out)
{
    const jg_dtype dtype = (jg_dtype)a->dtype;
    jg_array *made, *one;
    JG_TRY(jg_eye(a->dims[a->ndim - 1], NULL, 0, &dtype, &made));
    jg_status status = graph_to_device(made, node_device(a), &one);
    jg_array_release(made);
    JG_TRY(status);
    status = jg_broadcast_to(one, a->ndim, a->dims, out);
    jg_array_release(one);
    return status;
}

/* *x becomes *x @ by, or by itself where there is none yet. takes: *x */
static jg_status multiply_into(jg_array **x, jg_array *by)
{
    jg_array *product;
    if (*x == NULL) {
        *x = jg_array_retain(by);
        return JG_OK;
    }
    JG_TRY(jg_matmul(*x, by, &product));
    jg_array_release(*x);
    *x = product;
    return JG_OK;
}

/* a to the power n > 0. gives: *out, +1 */
static jg_status power_by_squaring(jg_array *a, uint64_t n, jg_array **out)
{
    jg_array *base = jg_array_retain(a), *power = NULL;
    jg_status status = JG_OK;
    for (; n > 0 && status == JG_OK; n >>= 1) {
        if (n & 1)
            status = multiply_into(&power, base);
        if (n > 1 && status == JG_OK)
            status = multiply_into(&base, base);
    }
    jg_array_release(base);
    if (status != JG_OK)
        jg_array_release(power);
    else
        *out = power;
    return status;
}

jg_status compose_linalg_matrix_power(jg_array *a, int64_t n, jg_array **out)
{
    const jg_op op = JG_OP_linalg_matrix_power;
    const jg_dtype dtype = (jg_dtype)a->dtype;
    op_types types;
    jg_array *inverse;
    JG_TRY(op_resolve_types(op, 1, &dtype, &types));
    JG_TRY(compose_check_matrices(op, "a", a, true));
    if (n == 0)
        return identities_like(a, out);
    if (n > 0)
        return power_by_squaring(a, (uint64_t)n, out);
    JG_TRY(jg_linalg_inv(a, false, &inverse));
    jg_status status = power_by_squaring(inverse, -(uint64_t)n, out);
    jg_array_release(inverse);
    return status;
}
