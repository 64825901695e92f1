/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of an attention's call, the division of its rows and keys, and the addresses of
 * both. */
#include "routine/attention/attention_call.h"

enum { Q, K, V, REST };
enum { INNER_AXES = 3 };

enum {
    MOST_ROWS = 256, /* of a unit, each of which packs k and v anew */
    LEAST_ROWS = 32,
    ROW_FLOATS = 64 << 10, /* that a unit keeps of its rows, about */
    FEW_ROWS = 24          /* fewer do not pay for packing */
};

static const routine_operand *last_of(const routine_call *call)
{
    return &call->operands[call->noperands - 1];
}

/* Units are alike in size but the last, and hold whole blocks of the product, which is slower for
 * what is left of one. */
static void cut(attention *a)
{
    int64_t most = ROW_FLOATS / (a->depth + a->width);
    most = most < LEAST_ROWS ? LEAST_ROWS : most > MOST_ROWS ? MOST_ROWS : most;
    most = most / a->taken_rows * a->taken_rows;
    a->rows = a->length * a->group;
    a->blocks = (a->rows + most - 1) / most;
    a->block_rows = round_up((a->rows + a->blocks - 1) / a->blocks, a->taken_rows);
    a->block_rows = int64_min(a->block_rows, a->rows);
    a->blocks = (a->rows + a->block_rows - 1) / a->block_rows;
}

/* Whether elements of a row lie side by side. */
static bool is_dense(const routine_operand *x)
{
    return x->strides[x->ndim - 1] == 1 || x->shape[x->ndim - 1] == 1;
}

/* Parts are cut whatever the threads are, as sums depend on it. */
static void choose_readers(attention *a)
{
    a->parts = 1;
    if (a->rows >= FEW_ROWS || !is_dense(a->k) || !is_dense(a->v))
        return;
    a->of_keys = a->softmax->readers[a->k->dtype];
    a->of_values = a->softmax->readers[a->v->dtype];
    a->parts = (a->span + ATTENTION_PART - 1) / ATTENTION_PART;
}

/* Operand number i of the operands that a plan added, or NULL. */
static const routine_operand *added_at(const routine_call *call, int i)
{
    const attention_attributes *attributes = &call->attributes->attention;
    const int first = REST + attributes->masked + attributes->sunk;
    if (first + 1 >= call->noperands) /* the last operand is the result */
        return NULL;
    const routine_operand *x = &call->operands[first + i];
    return x->shape != NULL ? x : NULL;
}

attention attention_describe(const routine_call *call)
{
    const attention_attributes *attributes = &call->attributes->attention;
    const routine_operand *q = &call->operands[Q], *k = &call->operands[K], *v = &call->operands[V];
    const routine_loops *loops = routine_loops_chosen();
    const int axis = q->ndim - INNER_AXES;
    attention a = {.call = call,
                   .q = q,
                   .k = k,
                   .v = v,
                   .mask = attributes->masked ? &call->operands[REST] : NULL,
                   .sinks = attributes->sunk ? &call->operands[REST + attributes->masked] : NULL,
                   .out = last_of(call),
                   .factor = added_at(call, 0),
                   .divisor = added_at(call, 1),
                   .total = added_at(call, 2),
                   .heads = k->shape[axis],
                   .group = q->shape[axis] / k->shape[axis],
                   .length = q->shape[axis + 1],
                   .span = k->shape[axis + 1],
                   .depth = q->shape[axis + 2],
                   .width = v->shape[axis + 2],
                   .products = loops->convolves->loops[JG_DTYPE_FLOAT32],
                   .softmax = loops->attention};
    a.panel = 2 * (int64_t)a.products->lanes;
    a.padded = round_up(a.width, a.panel);
    a.taken_rows = ATTENTION_ROWS / a.products->most_rows * a.products->most_rows;
    cut(&a);
    choose_readers(&a);
    return a;
}

attention_unit attention_unit_at(const attention *a, int64_t number)
{
    int64_t part = number % a->parts, block = number / a->parts % a->blocks;
    int64_t head = number / a->parts / a->blocks;
    int64_t first = block * a->block_rows, left = a->rows - first;
    return (attention_unit){head / a->heads, head % a->heads, first,
                            left < a->block_rows ? left : a->block_rows, part};
}

int64_t attention_offset(const routine_operand *x, int64_t batch, int64_t head, int64_t row)
{
    int axis = x->ndim - INNER_AXES;
    int64_t offset = head * x->strides[axis] + row * x->strides[axis + 1];
    for (int i = axis - 1; i >= 0; --i) {
        offset += batch % x->shape[i] * x->strides[i];
        batch /= x->shape[i];
    }
    return offset;
}

int64_t attention_row_offset(const attention *a, const attention_unit *unit,
                             const routine_operand *x, int64_t r)
{
    int64_t row = unit->first + r, head = unit->head * a->group + row % a->group;
    return attention_offset(x, unit->batch, head, row / a->group);
}

const char *attention_address(const attention *a, const routine_operand *x, int64_t offset)
{
    const char *start = a->call->addresses[x - a->call->operands];
    return start + offset * (int64_t)dtype_itemsize(x->dtype);
}
