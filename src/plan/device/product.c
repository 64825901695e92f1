/* SPDX-License-Identifier: Apache-2.0 */
/* Products as works of devices: of stacks of matrices, by a library of the device's where there is
 * one, and of matrices that index arrays choose. */
#include "plan/device/code.h"
#include <stdio.h>

enum { A, B, LEFT_INDICES, RIGHT_INDICES, SEGMENTS = LEFT_INDICES }; /* the result is the last */

static const routine_operand *result_of(const routine_call *call)
{
    return &call->operands[call->noperands - 1];
}

/* Bytes along an axis of the result's batches; 0 where the operand has one matrix. trailing: axes
 * of the operand that are none of batches */
static int64_t step_of(const routine_operand *x, int nbatches, int axis, int trailing)
{
    int own = axis - (nbatches - (x->ndim - trailing));
    return own >= 0 ? plan_broadcast_step(x, own) : 0;
}

/* The number of a buffer's axes after those of batches: the axes of a matrix, or one for the two
 * numbers of a segment. */
static int trailing_of(const device_product *p, int buffer, int nbuffers)
{
    if (buffer <= B || buffer == nbuffers - 1)
        return 2;
    return p->kind == DEVICE_SEGMENTED ? 1 : 0;
}

/* Whether an axis goes on where the loop ends, for all buffers. */
static bool continues(const device_product *p, int nbuffers, int loop, const int64_t *steps,
                      int64_t extent)
{
    for (int b = 0; b < nbuffers; ++b)
        if (p->steps[b][loop] != steps[b] * extent)
            return false;
    return true;
}

/* Loops of batches, of which those that lie like one are one. gives: how many, of which the first
 * DEVICE_PRODUCT_LOOPS are there */
static int fill_loops(const routine_call *call, device_product *p)
{
    const routine_operand *c = result_of(call);
    int nbatches = c->ndim - 2, count = 0, nbuffers = call->noperands;
    for (int axis = 0; axis < nbatches; ++axis) {
        int64_t steps[DEVICE_PRODUCT_MAX_BUFFERS], extent = c->shape[axis];
        for (int b = 0; b < nbuffers; ++b)
            steps[b] = step_of(&call->operands[b], nbatches, axis, trailing_of(p, b, nbuffers));
        if (extent == 1)
            continue;
        bool joins = count > 0 && count <= DEVICE_PRODUCT_LOOPS &&
                     continues(p, nbuffers, count - 1, steps, extent);
        count += !joins;
        if (count > DEVICE_PRODUCT_LOOPS)
            continue;
        p->extents[count - 1] = joins ? p->extents[count - 1] * extent : extent;
        for (int b = 0; b < nbuffers; ++b)
            p->steps[b][count - 1] = steps[b];
    }
    return count;
}

static void fill_matrix(const routine_operand *x, int64_t *strides)
{
    strides[1] = plan_operand_step(x, x->ndim - 2);
    strides[2] = plan_operand_step(x, x->ndim - 1);
}

static void fill_sizes(const routine_call *call, device_product *p)
{
    const routine_operand *a = &call->operands[A], *c = result_of(call);
    p->dtype = (uint8_t)a->dtype;
    p->widens = c->dtype != a->dtype;
    p->batch = 1;
    p->rows = c->shape[c->ndim - 2];
    p->columns = c->shape[c->ndim - 1];
    p->inner = a->shape[a->ndim - 1];
    for (int axis = 0; axis < c->ndim - 2; ++axis)
        p->batch *= c->shape[axis];
    fill_matrix(a, p->left);
    fill_matrix(&call->operands[B], p->right);
    fill_matrix(c, p->out);
}

static bool refuse_loops(int count, device_refusal *refusal)
{
    if (count <= DEVICE_PRODUCT_LOOPS)
        return false;
    snprintf(refusal->message, sizeof refusal->message,
             "there is no device source of stacks of matrices along %d axes, only along up to %d",
             count, DEVICE_PRODUCT_LOOPS);
    return true;
}

/* One loop, or none, is a stride of each operand. gives: false with the refusal */
static bool describe(const routine_call *call, device_product *p, device_refusal *refusal)
{
    *p = (device_product){0};
    fill_sizes(call, p);
    int count = fill_loops(call, p);
    if (refuse_loops(count, refusal))
        return false;
    p->ndim = (uint8_t)(count > 1 ? count : 0);
    p->left[0] = p->ndim == 0 ? p->steps[DEVICE_PRODUCT_LEFT][0] : 0;
    p->right[0] = p->ndim == 0 ? p->steps[DEVICE_PRODUCT_RIGHT][0] : 0;
    p->out[0] = p->ndim == 0 ? p->steps[DEVICE_PRODUCT_OUT][0] : 0;
    return true;
}

/* Prints a copy of the product. */
static jg_status print_product(const device_product *product, plan_code *code)
{
    device_product *own = base_copy(product, sizeof *product);
    const device_work work = {.kind = DEVICE_WORK_PRODUCT, .product = own};
    return plan_code_print(code, work, own);
}

jg_status plan_product(const routine_call *call, plan_code *code)
{
    device_product product;
    plan_library library = {.product = NULL};
    if (!describe(call, &product, &code->refusal))
        return JG_OK;
    if (product.ndim == 0)
        JG_TRY(
            device_product_new(code->device, &product, &library.scratch_nbytes, &library.product));
    if (library.product == NULL)
        return print_product(&product, code);
    code->kind = PLAN_CODE_LIBRARY;
    code->library = library;
    code->taken = true;
    return JG_OK;
}

jg_status plan_segmented_product(const routine_call *call, plan_code *code)
{
    device_product product = {.kind = DEVICE_SEGMENTED};
    const routine_operand *segments = &call->operands[SEGMENTS];
    fill_sizes(call, &product);
    int count = fill_loops(call, &product);
    if (refuse_loops(count, &code->refusal))
        return JG_OK;
    product.pair = plan_operand_step(segments, segments->ndim - 1);
    product.ndim = (uint8_t)(count > 0 ? count : 1);
    if (count == 0)
        product.extents[0] = 1;
    return print_product(&product, code);
}

/* How many matrices an operand has. gives: false where they have no one stride */
static bool find_stack(const routine_operand *x, int64_t *stride, int64_t *count)
{
    *stride = 0;
    *count = 1;
    for (int axis = x->ndim - 3; axis >= 0; --axis) {
        int64_t step = plan_operand_step(x, axis), extent = x->shape[axis];
        if (extent == 1)
            continue;
        if (*count == 1)
            *stride = step;
        else if (step != *stride * *count)
            return false;
        *count *= extent;
    }
    return true;
}

static bool describe_gathered(const routine_call *call, device_product *p, device_refusal *refusal)
{
    *p = (device_product){.kind = DEVICE_GATHERED};
    fill_sizes(call, p);
    int count = fill_loops(call, p);
    if (refuse_loops(count, refusal))
        return false;
    if (!find_stack(&call->operands[A], &p->left[0], &p->counts[0]) ||
        !find_stack(&call->operands[B], &p->right[0], &p->counts[1])) {
        snprintf(refusal->message, sizeof refusal->message,
                 "matrices are gathered from stacks that are evenly spaced");
        return false;
    }
    p->ndim = (uint8_t)(count > 0 ? count : 1);
    if (count == 0)
        p->extents[0] = 1;
    return true;
}

static jg_status add_product(const device_product *product, plan_code *code)
{
    plan_part *part = &code->parts.all[code->parts.count];
    part->operand = PLAN_ALL_OPERANDS;
    JG_TRY(plan_code_new(code->device->index, &part->code));
    if (part->code == NULL)
        return JG_OK;
    jg_status status = print_product(product, part->code);
    plan_code_count(code);
    return status;
}

/* Programs find the ranges of the index arrays; then comes the product, where it has elements. */
static jg_status add_parts(const routine_call *call, const device_product *product,
                           jg_program *program, program_space *space, plan_code *code)
{
    plan_look_up *look_up = code->parts.look_up;
    look_up->count = 2;
    for (int side = 0; side < 2 && code->taken; ++side) {
        look_up->indices[side] = (plan_index){.extent = product->counts[side]};
        JG_TRY(plan_add_range(call, LEFT_INDICES + side, program, space, code));
    }
    return code->taken && result_of(call)->size > 0 ? add_product(product, code) : JG_OK;
}

jg_status plan_gather_product(const routine_call *call, plan_code *code)
{
    device_product product;
    const routine_operand *left = &call->operands[LEFT_INDICES];
    code->taken = code->empty = left->size == 0 || call->operands[RIGHT_INDICES].size == 0;
    if (code->empty || !describe_gathered(call, &product, &code->refusal))
        return JG_OK;
    JG_TRY(plan_code_divide(code, PLAN_CODE_GATHER, 3));
    program_space *space;
    jg_program *program = plan_alloc_program(3, JG_MAX_NDIM, &space);
    if (program == NULL)
        return base_nomem(sizeof *program, "a plan");
    jg_status status = add_parts(call, &product, program, space, code);
    base_free(program);
    return status;
}
