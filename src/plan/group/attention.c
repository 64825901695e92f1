/* SPDX-License-Identifier: Apache-2.0 */
/* Attention that is spelled in other ops: softmax(q @ k.T * factor / divisor + mask) @ v. The
 * routine that takes keys block after block computes it, so that the scores are never in memory.
 *
 * All that is between q, k, v and the result must be read by nothing else and asked for by no
 * caller. The softmax is the one that subtracts the largest score of the row; without that, scores
 * may overflow where those of the routine do not. */
#include "plan/device/code.h"
#include "plan/steps.h"
#include <string.h>

/* The last four: NULL if there is none. TOTAL: what the shares of a row add up to. */
enum { Q, K, V, MASK, FACTOR, DIVISOR, TOTAL, OPERANDS };

enum {
    MATRIX_AXES = 2,
    HEAD_AXES = 3, /* of an operand at least; a plain matrix is one head */
    MEMBERS = 11   /* beside the result: a product, four steps of scores, six of the softmax */
};

/* From here on the routine takes less time than the launches do: below, to pack keys and values
 * costs more than it saves. */
enum { LEAST_ROWS = 48, LEAST_KEYS = 128, MOST_WIDTH = 128, LEAST_TERMS = 1 << 24 };

/* Members descend: the last one is the product of q and k. */
struct plan_attention {
    const jg_array *operands[OPERANDS];
    int users[OPERANDS], inputs[OPERANDS]; /* the slot that reads each, and as which input */
    const jg_array *result;
    int count, members[MEMBERS];
};

/* Takes x as a member if this plan computes it by the primitive and it is read exactly `reads`
 * times. */
static bool take(const plan_draft *draft, plan_attention *found, const jg_array *x,
                 jg_primitive primitive, int reads)
{
    if (x->primitive != primitive || x->dtype != JG_DTYPE_FLOAT32 || node_has_storage(x) ||
        x->stored || draft->nodes[x->slot].nreads != reads || found->count == MEMBERS)
        return false;
    found->members[found->count++] = (int)x->slot;
    return true;
}

static void set_operand(plan_attention *found, int which, const jg_array *user, int input)
{
    found->operands[which] = user->inputs[input];
    found->users[which] = (int)user->slot;
    found->inputs[which] = input;
}

/* Whether x is one number for each row of scores, as they lie: of the shape of the scores but for
 * the last axis, whose extent is 1 or which is broadcast. */
static bool has_rows_of(const jg_array *x, const jg_array *scores)
{
    const int last = scores->ndim - 1;
    const jg_array *root = walk_target(x);
    int64_t step = 1;
    if (x->ndim != scores->ndim || root->size * scores->dims[last] != scores->size ||
        (x != root && x->offset != 0) || (x->dims[last] != 1 && node_strides(x)[last] != 0))
        return false;
    for (int d = last - 1; d >= 0; --d) {
        if (x->dims[d] != scores->dims[d] || (x->dims[d] != 1 && node_strides(x)[d] != step))
            return false;
        step *= x->dims[d];
    }
    return true;
}

/* Takes the reduction of x along its last axis that `input` is. */
static bool take_row_value(const plan_draft *draft, plan_attention *found, const jg_array *input,
                           jg_primitive primitive, const jg_array *x)
{
    const jg_array *value = walk_target(input);
    return has_rows_of(input, x) && take(draft, found, value, primitive, 1) &&
           value->inputs[0] == x && value->attributes.reduce.axes == 1ull << (x->ndim - 1);
}

/* Whether x is a float32 that is broadcast to the scores. */
static bool is_one_number(const jg_array *x)
{
    return x->dtype == JG_DTYPE_FLOAT32 && x->size == 1;
}

/* Whether x is a float32 that may be added to the scores. A mask as large as they are that this
 * plan computes is better made where it is added. */
static bool may_be_mask(const jg_array *x, const jg_array *scores)
{
    return x->dtype == JG_DTYPE_FLOAT32 &&
           (node_has_storage(x) || walk_target(x)->size < scores->size);
}

/* Takes x where it is an array times or divided by a number. gives: the array, or NULL */
static const jg_array *take_scaling(const plan_draft *draft, plan_attention *found,
                                    const jg_array *x, int reads)
{
    const bool divides = x->primitive == PRIMITIVE_divide;
    if (node_has_storage(x) || (!divides && x->primitive != PRIMITIVE_multiply))
        return NULL;
    const int which = divides ? DIVISOR : FACTOR;
    const int number = divides || is_one_number(x->inputs[1]);
    if (found->operands[which] != NULL || !is_one_number(x->inputs[number]) ||
        !node_same_shape(x, x->inputs[!number]) ||
        !take(draft, found, x, (jg_primitive)x->primitive, reads))
        return NULL;
    set_operand(found, which, x, number);
    return x->inputs[!number];
}

static bool is_dense_in_rows(const jg_array *x)
{
    return node_strides(x)[x->ndim - 1] == 1 || x->dims[x->ndim - 1] == 1;
}

/* The product of q and k; q may be scaled before it. */
static bool take_product(const plan_draft *draft, plan_attention *found, const jg_array *x,
                         int reads)
{
    if (!take(draft, found, x, PRIMITIVE_matmul, reads))
        return false;
    set_operand(found, Q, x, 0);
    set_operand(found, K, x, 1);
    plan_attention with = *found;
    const jg_array *scaled = x->inputs[0], *q = take_scaling(draft, &with, scaled, 1);
    if (q == NULL || !is_dense_in_rows(q))
        return true;
    set_operand(&with, Q, scaled, q == scaled->inputs[1]);
    *found = with;
    return true;
}

/* Takes the scores, which may be multiplied and divided by a number each. */
static bool take_scaled(const plan_draft *draft, plan_attention *found, const jg_array *x,
                        int reads)
{
    plan_attention before = *found;
    for (const jg_array *next; (next = take_scaling(draft, found, x, reads)) != NULL; reads = 1)
        x = next;
    if (take_product(draft, found, x, reads))
        return true;
    *found = before;
    return false;
}

/* The scores: those above, perhaps with a mask added from either side. */
static bool take_scores(const plan_draft *draft, plan_attention *found, const jg_array *x,
                        int reads)
{
    if (x->primitive != PRIMITIVE_add || node_has_storage(x))
        return take_scaled(draft, found, x, reads);
    for (int mask = 1; mask >= 0; --mask) {
        plan_attention with = *found;
        if (!may_be_mask(x->inputs[mask], x) || !node_same_shape(x, x->inputs[!mask]) ||
            !take(draft, &with, x, PRIMITIVE_add, reads))
            continue;
        set_operand(&with, MASK, x, mask);
        if (!take_scaled(draft, &with, x->inputs[!mask], 1))
            continue;
        *found = with;
        return true;
    }
    return false;
}

/* The sum of powers that an input of `shares` is; or a number divided by that. */
static bool take_sum(const plan_draft *draft, plan_attention *found, const jg_array *shares,
                     const jg_array *powers)
{
    const jg_array *input = shares->inputs[1], *inverse = walk_target(input);
    if (shares->primitive == PRIMITIVE_divide)
        return take_row_value(draft, found, input, PRIMITIVE_reduce_add, powers);
    if (!has_rows_of(input, powers) || !take(draft, found, inverse, PRIMITIVE_divide, 1) ||
        !is_one_number(inverse->inputs[0]) || inverse->inputs[1]->size != inverse->size)
        return false;
    set_operand(found, TOTAL, inverse, 0);
    return take_row_value(draft, found, inverse->inputs[1], PRIMITIVE_reduce_add, powers);
}

/* exp(x - max(x)) divided by its sum, or times a number divided by that. */
static bool take_softmax(const plan_draft *draft, plan_attention *found, const jg_array *shares)
{
    jg_primitive last =
        shares->primitive == PRIMITIVE_multiply ? PRIMITIVE_multiply : PRIMITIVE_divide;
    if (!take(draft, found, shares, last, 1))
        return false;
    const jg_array *powers = shares->inputs[0];
    if (!node_same_shape(powers, shares) || !take_sum(draft, found, shares, powers) ||
        !take(draft, found, powers, PRIMITIVE_exp, 2))
        return false;
    const jg_array *shifted = powers->inputs[0];
    if (!take(draft, found, shifted, PRIMITIVE_subtract, 1))
        return false;
    const jg_array *scores = shifted->inputs[0];
    return node_same_shape(scores, shifted) &&
           take_row_value(draft, found, shifted->inputs[1], PRIMITIVE_reduce_maximum, scores) &&
           take_scores(draft, found, scores, 2);
}

/* Whether both products have the same heads and the routine is the faster way. */
static bool fits(const plan_attention *found)
{
    const jg_array *v = found->operands[V], *k = found->operands[K], *out = found->result;
    const jg_array *shares = out->inputs[0];
    const int ndim = out->ndim;
    const int64_t rows = out->dims[ndim - 2], keys = shares->dims[ndim - 1];
    const int64_t depth = k->dims[k->ndim - MATRIX_AXES], width = out->dims[ndim - 1];
    for (int d = 0; d < ndim - MATRIX_AXES; ++d)
        if (out->dims[d] != shares->dims[d])
            return false;
    const int64_t *turned = node_strides(k) + k->ndim - MATRIX_AXES;
    if (turned[0] != 1 && depth != 1) /* keys are no rows side by side */
        return false;
    return is_dense_in_rows(v) && ndim < JG_MAX_NDIM && rows >= LEAST_ROWS && keys >= LEAST_KEYS &&
           depth <= MOST_WIDTH && width > 0 && width <= MOST_WIDTH &&
           shares->size >= LEAST_TERMS / (depth + width);
}

jg_status plan_attention_find(plan_draft *draft, const jg_array *x, plan_attention **out)
{
    plan_attention found = {.result = x};
    *out = NULL;
    if (x->primitive != PRIMITIVE_matmul || x->dtype != JG_DTYPE_FLOAT32 ||
        x->inputs[0]->ndim != x->ndim || !device_is_host(device_at(draft->walk->device)))
        return JG_OK;
    set_operand(&found, V, x, 1);
    if (!take_softmax(draft, &found, x->inputs[0]) || !fits(&found))
        return JG_OK;
    *out = plan_arena_alloc(&draft->arena, sizeof found);
    if (*out == NULL)
        return base_nomem(sizeof found, "a plan");
    **out = found;
    return JG_OK;
}

int plan_attention_member(const plan_attention *found, int number)
{
    return number < found->count ? found->members[number] : -1;
}

bool plan_attention_input(const plan_attention *found, int number, int *user, int *input)
{
    if (number == OPERANDS)
        return false;
    *user = found->operands[number] != NULL ? found->users[number] : -1;
    *input = found->inputs[number];
    return true;
}

/* Describes x as an operand that is broadcast to the heads of the result and to the rows and
 * columns of `matrix`. There is at least one axis of heads. turned: the last two axes of x are
 * exchanged. gives: the next address */
static int64_t *describe(const plan_attention *found, const jg_array *x, bool turned,
                         const int64_t matrix[MATRIX_AXES], routine_operand *operand, int64_t *dims)
{
    const int ndim = int_max(found->result->ndim, HEAD_AXES), first = ndim - MATRIX_AXES;
    int64_t *strides = dims + ndim, size = 1;
    for (int d = 0; d < ndim; ++d) {
        int head = d - ndim + found->result->ndim, at = d - ndim + x->ndim;
        if (turned && d >= first)
            at = x->ndim - 1 - (d - first);
        dims[d] = d >= first ? matrix[d - first] : head < 0 ? 1 : found->result->dims[head];
        strides[d] = at >= 0 && x->dims[at] == dims[d] ? node_strides(x)[at] : 0;
        size *= dims[d];
    }
    *operand = (routine_operand){
        .dtype = JG_DTYPE_FLOAT32, .ndim = ndim, .size = size, .shape = dims, .strides = strides};
    return strides + ndim;
}

/* Describes the operands that are present. A factor has no axes; an absent factor has no shape
 * either. */
static void fill_operands(const plan_attention *found, plan_launch *out, int64_t *dims)
{
    const jg_array *x = found->result, *const *from = found->operands;
    const int64_t keys = x->inputs[0]->dims[x->ndim - 1], depth = from[Q]->dims[from[Q]->ndim - 1];
    const int64_t rows = x->dims[x->ndim - 2], width = x->dims[x->ndim - 1];
    const int64_t matrices[][MATRIX_AXES] = {
        [Q] = {rows, depth}, [K] = {keys, depth}, [V] = {keys, width}, [MASK] = {rows, keys}};
    routine_operand *to = out->routine->operands;
    for (int i = Q; i < OPERANDS; ++i) {
        const jg_array *input = from[i];
        if (i == MASK && input == NULL)
            continue;
        out->operands[to - out->routine->operands] = plan_operand_of(input);
        if (i <= MASK)
            dims = describe(found, input, i == K, matrices[i], to, dims);
        else if (input != NULL)
            *to = (routine_operand){.dtype = JG_DTYPE_FLOAT32, .size = 1, .shape = dims};
        ++to;
    }
    out->operands[to - out->routine->operands] = (plan_operand){.slot = (int)x->slot};
    describe(found, x, false, (const int64_t[]){rows, width}, to, dims);
}

jg_status plan_attention_lower(plan_draft *draft, const plan_attention *found, plan_launch *out)
{
    const bool masked = found->operands[MASK] != NULL;
    const int count = OPERANDS + masked; /* and the result */
    const int ndim = int_max(found->result->ndim, HEAD_AXES);
    size_t nbytes = sizeof(plan_routine) + (size_t)count * sizeof(routine_operand) +
                    (size_t)(2 * ndim * count) * sizeof(int64_t);
    out->routine = base_alloc_zeroed(nbytes);
    out->operands = base_alloc_zeroed((size_t)count * sizeof *out->operands);
    if (out->routine == NULL || out->operands == NULL)
        return base_nomem(nbytes, "a plan");
    out->noperands = count;
    fill_operands(found, out, (int64_t *)(void *)(out->routine->operands + count));
    out->routine->attributes.attention = (attention_attributes){.scale = 1, .masked = masked};
    return plan_finish_routine(draft, PRIMITIVE_attention, 1, (jg_op)found->result->label, out);
}
