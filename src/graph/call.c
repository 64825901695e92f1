/* SPDX-License-Identifier: Apache-2.0 */
/* The checks that a public op makes before all others, and the message of its failure, which names
 * the op that was called, whichever ops it is built from. Calls that succeed do not run this
 * code. */
#include "graph/graph.h"
#include <joggle/exchange.h>

jg_status graph_refuse_null(jg_op op, const char *argument)
{
    return base_fail(JG_ERR_VALUE, "[%s] %s: got NULL, allowed is what it points to", op_name(op),
                     argument);
}

jg_status graph_refuse_dtype(jg_op op, const char *argument, int dtype)
{
    return base_fail(JG_ERR_TYPE, "[%s] %s: got number %d, allowed are those of jg_dtype",
                     op_name(op), argument, dtype);
}

jg_status graph_check_list(jg_op op, const char *argument, int count, jg_array *const *arrays)
{
    if (count > 0 && arrays == NULL)
        return graph_refuse_null(op, argument);
    for (int i = 0; i < count; ++i)
        if (JG_UNLIKELY(arrays[i] == NULL))
            return base_fail(JG_ERR_VALUE, "[%s] %s: number %d is NULL, allowed are arrays",
                             op_name(op), argument, i);
    return JG_OK;
}

jg_status graph_check_arrays(const char *name, int count, jg_array *const *arrays)
{
    if (count < 0 || (count > 0 && arrays == NULL))
        return base_fail(JG_ERR_VALUE, "%s: got %d with arrays %p, allowed is 0 or more", name,
                         count, (const void *)arrays);
    for (int i = 0; i < count; ++i)
        if (arrays[i] == NULL)
            return base_fail(JG_ERR_VALUE, "%s: number %d is NULL, allowed are arrays", name, i);
    return JG_OK;
}

jg_status graph_check_copy(unsigned copy)
{
    if (copy <= JG_COPY_FOR_CALL)
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "copy: got number %d, allowed are those of jg_copy_policy",
                     (int)copy);
}

/* Whether the op's own rule refuses the operands: then the message is that of the rule. */
static bool is_refused_by_rule(jg_op op, int count, jg_array *const *operands)
{
    jg_dtype dtypes[GRAPH_FEW_INPUTS];
    op_types types;
    for (int i = 0; i < count; ++i)
        dtypes[i] = (jg_dtype)operands[i]->dtype;
    return op_resolve_types(op, count, dtypes, &types) != JG_OK;
}

/* An inner op's message would use its own argument names, so the op's own rule is asked first. */
jg_status graph_call_failed(jg_op op, jg_status status, int count, jg_array *const *operands)
{
    if (error_is_of_evaluation())
        return status;
    if (status != JG_ERR_TYPE || count == 0 || !is_refused_by_rule(op, count, operands))
        jg_error_rename(op_name(op));
    return status;
}
