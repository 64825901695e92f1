/* SPDX-License-Identifier: Apache-2.0 */
/* searchsorted, and what follows from it: isin, digitize. */
#include "compose/compose.h"
#include <inttypes.h>
#include <string.h>

static jg_status read_side(const char *side, bool *right)
{
    *right = strcmp(side, "right") == 0;
    if (*right || strcmp(side, "left") == 0)
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "[searchsorted] side: got '%s', allowed are 'left' and 'right'",
                     side);
}

static jg_status check_sorted(const char *op, const char *name, const jg_array *sorted)
{
    if (sorted->ndim == 1)
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "[%s] %s: has %d axes, allowed is one", op, name, sorted->ndim);
}

static jg_status check_sorter(const jg_array *sorted, const jg_array *sorter)
{
    if (!dtype_is_index((jg_dtype)sorter->dtype))
        return base_fail(JG_ERR_TYPE, "[searchsorted] sorter: got %s, allowed are integers",
                         dtype_rows[sorter->dtype].name);
    if (sorter->ndim != 1 || sorter->size != sorted->size)
        return base_fail(JG_ERR_VALUE,
                         "[searchsorted] sorter: has %" PRId64
                         " elements on %d axes, allowed is one "
                         "for each of %" PRId64,
                         sorter->size, sorter->ndim, sorted->size);
    return JG_OK;
}

static jg_status cast_truth(jg_array *x, jg_dtype dtype, jg_array **out)
{
    jg_array *cast;
    JG_TRY(graph_cast(x, dtype, &cast));
    jg_status status = compose_truth(cast, out);
    jg_array_release(cast);
    return status;
}

/* Both in their common dtype. op: whose rule for dtypes holds. gives: *out, +1, int64 in the shape
 * of wanted */
static jg_status search(jg_op op, jg_array *sorted, jg_array *wanted, bool right, jg_array **out)
{
    const primitive_attributes attributes = {.search = {.right = right}};
    const jg_dtype dtypes[] = {(jg_dtype)sorted->dtype, (jg_dtype)wanted->dtype};
    jg_array *inputs[2] = {NULL};
    op_types types;
    JG_TRY(op_resolve_types(op, 2, dtypes, &types));
    jg_status status = cast_truth(sorted, types.operand[0], &inputs[0]);
    if (status == JG_OK)
        status = cast_truth(wanted, types.operand[1], &inputs[1]);
    if (status == JG_OK)
        status = graph_routine(JG_OP_searchsorted, JG_DTYPE_INT64, wanted->ndim, node_shape(wanted),
                               2, inputs, &attributes, out);
    jg_array_release(inputs[0]);
    jg_array_release(inputs[1]);
    return status;
}

/* The sorter is applied, not searched through: one gather costs less than a gather for each step of
 * each search. */
jg_status compose_searchsorted(jg_array *x1, jg_array *x2, const char *side, jg_array *sorter,
                               jg_array **out)
{
    const int64_t first = 0;
    jg_array *sorted;
    bool right;
    JG_TRY(read_side(side, &right));
    JG_TRY(check_sorted("searchsorted", "x1", x1));
    if (sorter == NULL)
        return search(JG_OP_searchsorted, x1, x2, right, out);
    JG_TRY(check_sorter(x1, sorter));
    JG_TRY(jg_take(x1, sorter, &first, &sorted));
    jg_status status = search(JG_OP_searchsorted, sorted, x2, right, out);
    jg_array_release(sorted);
    return status;
}

static jg_array *sorted_elements(compose_scope *scope, jg_array *x)
{
    jg_array *made = NULL;
    jg_status status = jg_sort(x, NULL, false, true, &made);
    return scope_take(scope, status, made);
}

/* The element of the sorted vector at the index where x1 belongs, or its last one if that is past
 * the end. */
static jg_array *nearest(compose_scope *scope, jg_array *sorted, jg_array *x1)
{
    const int64_t first = 0;
    jg_array *indices = NULL, *found = NULL;
    jg_status status = search(JG_OP_isin, sorted, x1, false, &indices);
    indices = scope_take(scope, status, indices);
    if (indices == NULL)
        return NULL;
    /* sorted is not empty: jg_isin handles that case itself. */
    jg_array *last = scope_whole(scope, indices, sorted->size - 1);
    indices = scope_binary(scope, jg_minimum, indices, last);
    if (indices == NULL)
        return NULL;
    status = jg_take(sorted, indices, &first, &found);
    return scope_take(scope, status, found);
}

static jg_status is_among_integers(jg_array *x1, jg_array *x2, jg_dtype dtype, bool invert,
                                   jg_array **out)
{
    const primitive_attributes attributes = {.member = {.invert = invert}};
    compose_scope scope = {0};
    jg_array *found = NULL,
             *inputs[] = {scope_cast(&scope, x1, dtype), scope_cast(&scope, x2, dtype)};
    if (inputs[0] != NULL && inputs[1] != NULL) {
        jg_status status = graph_routine(JG_OP_isin, JG_DTYPE_BOOL, x1->ndim, node_shape(x1), 2,
                                         inputs, &attributes, &found);
        found = scope_take(&scope, status, found);
    }
    return scope_finish(&scope, found, out);
}

static jg_status is_among_none(jg_array *x1, bool invert, jg_array **out)
{
    const jg_number answer = {.kind = JG_KIND_BOOL, .i64 = invert};
    return graph_full_beside(x1, JG_DTYPE_BOOL, x1->ndim, node_shape(x1), answer, out);
}

/* On a device: an element is found if its position before equal elements differs from its position
 * after them. NaN equals no element, although its rank may. */
static jg_status is_found(jg_array *x1, jg_array *x2, jg_dtype dtype, bool invert, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *x = scope_cast(&scope, x1, dtype), *others = scope_cast(&scope, x2, dtype);
    jg_array *sides[2] = {NULL}, *sorted = others ? sorted_elements(&scope, others) : NULL;
    for (int right = 0; right < 2 && scope.status == JG_OK; ++right) {
        jg_status status = search(JG_OP_isin, sorted, x, right, &sides[right]);
        sides[right] = scope_take(&scope, status, sides[right]);
    }
    jg_array *found = scope_binary(&scope, jg_less, sides[0], sides[1]);
    if (!dtype_is_integer(dtype))
        found = scope_binary(&scope, jg_logical_and, found, scope_binary(&scope, jg_equal, x, x));
    return scope_finish(&scope, invert ? scope_unary(&scope, jg_logical_not, found) : found, out);
}

jg_status compose_isin(jg_array *x1, jg_array *x2, bool invert, jg_array **out)
{
    const jg_dtype dtypes[] = {(jg_dtype)x1->dtype, (jg_dtype)x2->dtype};
    compose_scope scope = {0};
    op_types types;
    JG_TRY(op_resolve_types(JG_OP_isin, 2, dtypes, &types));
    if (x2->size == 0)
        return is_among_none(x1, invert, out);
    if (!node_is_on_host(x1) || !node_is_on_host(x2))
        return is_found(x1, x2, types.operand[0], invert, out);
    if (dtype_is_integer(types.operand[0]))
        return is_among_integers(x1, x2, types.operand[0], invert, out);
    jg_array *others = scope_cast(&scope, x2, types.operand[0]);
    jg_array *sorted = others ? sorted_elements(&scope, others) : NULL;
    jg_array *found = sorted ? nearest(&scope, sorted, x1) : NULL;
    /* NaN is in no set, as it equals nothing: it is sorted to the end, where the search finds it,
     * and the comparison is false. */
    return scope_finish(&scope, scope_binary(&scope, invert ? jg_not_equal : jg_equal, found, x1),
                        out);
}
