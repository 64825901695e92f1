/* SPDX-License-Identifier: Apache-2.0 */
/* Shape rules that are more than broadcasting: reductions and matrix products. */
#include "op/op.h"
#include <inttypes.h>

void op_reduced_shape(int ndim, const int64_t *shape, uint64_t axes, bool keepdims, int *out_ndim,
                      int64_t *out)
{
    int n = 0;
    for (int i = 0; i < ndim; ++i) {
        bool reduced = axes >> i & 1;
        if (!reduced)
            out[n++] = shape[i];
        else if (keepdims)
            out[n++] = 1;
    }
    *out_ndim = n;
}

static jg_status fail_matmul(int andim, const int64_t *a, int bndim, const int64_t *b,
                             const char *why)
{
    char atext[200], btext[200];
    return base_fail(JG_ERR_VALUE, "[matmul] shapes %s and %s: %s",
                     text_extents(atext, sizeof atext, andim, a),
                     text_extents(btext, sizeof btext, bndim, b), why);
}

jg_status op_matmul_shape(int andim, const int64_t *a, int bndim, const int64_t *b, int *ndim,
                          int64_t *shape)
{
    if (andim == 0 || bndim == 0)
        return fail_matmul(andim, a, bndim, b,
                           "allowed are operands with an axis or more, use multiply");
    /* The axis that is summed over: the last axis of a, the second to last of b. */
    int64_t inner = bndim == 1 ? b[0] : b[bndim - 2];
    if (a[andim - 1] != inner)
        return fail_matmul(
            andim, a, bndim, b,
            "allowed is the same extent for the last axis of x1 and the second to last of x2");
    /* The axes before the matrices broadcast; a vector has none. */
    int abatch = andim > 2 ? andim - 2 : 0, bbatch = bndim > 2 ? bndim - 2 : 0, n;
    if (shape_broadcast(abatch, a, bbatch, b, &n, shape) != JG_OK)
        return fail_matmul(andim, a, bndim, b,
                           "the axes before the last two do not broadcast, allowed are extents "
                           "that are equal or 1");
    if (andim > 1)
        shape[n++] = a[andim - 2];
    if (bndim > 1)
        shape[n++] = b[bndim - 1];
    *ndim = n;
    return JG_OK;
}
