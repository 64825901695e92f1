/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of callers' arrays: arguments and results, and the tangents and cotangents for
 * them. */
#include "transform/tracing.h"

/* dtype and shape of a cotangent or tangent. what: for messages */
jg_status transform_check_vector(const char *what, int number, const jg_array *x,
                                 const jg_array *of)
{
    char have[200], want[200];
    if (!node_same_shape(x, of))
        return base_fail(JG_ERR_VALUE,
                         "%s: number %d has shape %s, allowed is %s, that of what it belongs to",
                         what, number, text_extents(have, sizeof have, x->ndim, node_shape(x)),
                         text_extents(want, sizeof want, of->ndim, node_shape(of)));
    if (x->dtype != of->dtype)
        return base_fail(
            JG_ERR_TYPE, "%s: number %d is of %s, allowed is %s, that of what it belongs to", what,
            number, jg_dtype_name((jg_dtype)x->dtype), jg_dtype_name((jg_dtype)of->dtype));
    return JG_OK;
}
