/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions and elementwise ops that other ops spell. */
#include "compose/compose.h"

jg_status jg_square(jg_array *x, jg_array **out)
{
    return jg_multiply(x, x, out);
}

jg_status jg_greater(jg_array *x1, jg_array *x2, jg_array **out)
{
    return jg_less(x2, x1, out);
}

jg_status jg_greater_equal(jg_array *x1, jg_array *x2, jg_array **out)
{
    return jg_less_equal(x2, x1, out);
}
