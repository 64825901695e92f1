/* SPDX-License-Identifier: Apache-2.0 */
/* Ops over whole arrays that give one result, or two. */
#include "compose/compose.h"

/* Shapes that broadcast may be close; equal are equal ones only, which is jg_array_equal's. */
jg_status compose_allclose(jg_array *x1, jg_array *x2, double rtol, double atol, bool equal_nan,
                           jg_array **out)
{
    jg_array *close;
    JG_TRY(jg_isclose(x1, x2, rtol, atol, equal_nan, &close));
    jg_status status = jg_all(close, -1, NULL, false, out);
    jg_array_release(close);
    return status;
}

/* Other shapes are not an error: the arrays are unequal. */
jg_status compose_array_equal(jg_array *x1, jg_array *x2, bool equal_nan, jg_array **out)
{
    compose_scope scope = {0};
    if (!node_same_shape(x1, x2))
        return graph_full_beside(x1, JG_DTYPE_BOOL, 0, NULL, (jg_number){.kind = JG_KIND_BOOL},
                                 out);
    jg_array *equal = scope_binary(&scope, jg_equal, x1, x2);
    if (equal_nan) {
        jg_array *nan1 = scope_unary(&scope, jg_isnan, x1),
                 *nan2 = scope_unary(&scope, jg_isnan, x2);
        jg_array *both = scope_binary(&scope, jg_logical_and, nan1, nan2);
        equal = scope_binary(&scope, jg_logical_or, equal, both);
    }
    return scope_finish(&scope, scope_reduce(&scope, jg_all, equal, -1, NULL, false), out);
}

/* Two reductions of one operand, which fusion may compute in one pass. */
jg_status compose_minmax(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                         jg_array_list *out)
{
    jg_array_list list = {0, base_alloc(2 * sizeof *list.arrays)};
    if (list.arrays == NULL)
        return base_nomem(2 * sizeof *list.arrays, "a list of arrays");
    jg_status status = jg_min(x, naxes, axes, keepdims, &list.arrays[0]);
    list.count = status == JG_OK;
    if (status == JG_OK)
        status = jg_max(x, naxes, axes, keepdims, &list.arrays[1]);
    list.count += status == JG_OK;
    if (status == JG_OK)
        *out = list;
    else
        jg_array_list_clear(&list);
    return status;
}
