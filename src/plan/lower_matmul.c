/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products: a launch of their own, one library call for each pair of matrices. The
 * operands have two axes or more and equal dtypes (compose sees to it); their last two axes have
 * any strides that the library takes, the axes before are walked here, with stride 0 where they
 * are broadcast. */
#include "plan/draft.h"

enum {
    FEW = 4,          /* rows or columns that a product reads its other operand for */
    CALL_STEPS = 1024 /* of a call of the library, in simple operations of a program */
};

/* Where x lies: a leaf's address includes its offset, a view of something computed starts inside
 * it. */
static plan_operand operand_of(const jg_array *x)
{
    int64_t itemsize = (int64_t)dtype_itemsize((jg_dtype)x->dtype);
    return (plan_operand){.slot = (int)walk_slot(x),
                          .offset_bytes = node_has_storage(x) ? 0 : x->offset * itemsize};
}

/* Bytes along the product's batch axes, aligned at the end; 0 where x has none, or one of extent
 * 1. */
static void batch_strides(const jg_array *x, int ndim, int64_t *strides)
{
    int64_t itemsize = (int64_t)dtype_itemsize((jg_dtype)x->dtype);
    int added = ndim - (x->ndim - 2);
    for (int i = 0; i < ndim; ++i)
        strides[i] =
            i < added || x->dims[i - added] == 1 ? 0 : node_strides(x)[i - added] * itemsize;
}

static void describe(const jg_array *x, plan_matmul *out)
{
    const jg_array *a = x->inputs[0], *b = x->inputs[1];
    const int64_t *astrides = node_strides(a) + a->ndim - 2,
                  *bstrides = node_strides(b) + b->ndim - 2;
    matmul_call *call = &out->call;
    *out = (plan_matmul){.ndim = x->ndim - 2};
    *call = (matmul_call){.dtype = (jg_dtype)x->dtype,
                          .m = a->dims[a->ndim - 2],
                          .n = b->dims[b->ndim - 1],
                          .k = a->dims[a->ndim - 1],
                          .a_row = astrides[0],
                          .a_column = astrides[1],
                          .b_row = bstrides[0],
                          .b_column = bstrides[1]};
    call->c_row = call->n;
    for (int i = 0; i < out->ndim; ++i)
        out->shape[i] = x->dims[i];
    if (x->size == 0) /* nothing to step over, and the strides may be anything */
        return;
    batch_strides(a, out->ndim, out->a_strides);
    batch_strides(b, out->ndim, out->b_strides);
    out->c_stride = call->m * call->n * (int64_t)dtype_itemsize((jg_dtype)x->dtype);
}

/* Half a step for a term; a whole one where rows or columns are so few that memory is the limit.
 * And those of the calls, which is what a batch of small products takes. */
static int64_t count_work(const jg_array *x, const matmul_call *call)
{
    int64_t fewest = call->m < call->n ? call->m : call->n, work;
    int64_t terms = fewest < FEW ? call->k : call->k / 2 + 1;
    int64_t calls = x->size > 0 ? x->size / (call->m * call->n) : 0;
    if (__builtin_mul_overflow(x->size, terms, &work) ||
        __builtin_mul_overflow(calls, CALL_STEPS, &calls) ||
        __builtin_add_overflow(work, calls, &work))
        return INT64_MAX;
    return work;
}

jg_status lower_matmul(plan_draft *draft, const plan_group *group, plan_launch *out)
{
    const jg_array *x = walk_nodes(draft->walk)[group->root];
    out->matmul = base_alloc(sizeof *out->matmul);
    out->operands = base_alloc(3 * sizeof *out->operands);
    if (out->matmul == NULL || out->operands == NULL)
        return base_nomem(sizeof *out->matmul, "a plan");
    describe(x, out->matmul);
    log_matmul(out->matmul);
    out->noperands = 3;
    out->operands[0] = operand_of(x->inputs[0]);
    out->operands[1] = operand_of(x->inputs[1]);
    out->operands[2] = (plan_operand){.slot = group->root};
    out->label = (jg_op)x->label;
    out->work = count_work(x, &out->matmul->call);
    return JG_OK;
}
