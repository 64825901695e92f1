/* SPDX-License-Identifier: Apache-2.0 */
/* op: the op table, and the rules that give an op's dtypes and shapes. No node, no value. FORM in
 * op.def fixes an op's prototype; form.def has the parameters of each.
 *
 * The numbers of ops are the rows' positions, so they change when a row is added: nothing outside
 * the process may keep one. */
#ifndef JG_OP_H
#define JG_OP_H

#include "op/primitive.h"
#include "tensor/tensor.h"

typedef enum jg_op {
#define JG_OP(name, form, by, types, node, doc) JG_OP_##name,
#include "op/op.def"
#undef JG_OP
    /* Nodes that no function of the same name makes. */
    JG_OP_leaf,   /* memory, no input */
    JG_OP_view,   /* a window onto its input, by layout alone */
    JG_OP_marker, /* an argument of a function that is traced */
    JG_OP_custom, /* a result of a function that has rules of its own */
    JG_OP_full,   /* one number everywhere */
    JG_OP_arange, /* start + index * step */
    JG_OP_COUNT
} jg_op;

/* The forms, in the order of form.def's rows. OP_FORM_NONE is for nodes that no function of their
 * name makes. */
typedef enum op_form {
#define JG_FORM(name, ...) OP_FORM_##name,
#include "op/form.def"
#undef JG_FORM
    OP_FORM_NONE
} op_form;

/* The result of a type rule: the dtype that each operand is cast to first, and the result's dtype.
 * Rules are for ops of one to three operands; ops with more operands compute their dtypes
 * themselves. */
typedef struct op_types {
    jg_dtype operand[3];
    jg_dtype result;
} op_types;

/* Applies the op's rule to ninputs dtypes, one to three. op: one with a row in op.def. Operands
 * beyond ninputs stay as they are.
 * gives: *out | raises: TYPE, naming op and argument | waits: never */
jg_status op_resolve_types(jg_op op, int ninputs, const jg_dtype *inputs, op_types *out);

/* The op's public name; for nodes without an op, a description. gives: a static string */
const char *op_name(jg_op op);
op_form op_form_of(jg_op op);

/* The primitive of a node with the op's label; PRIMITIVE_none for ops that label no node. */
extern const uint8_t op_primitives[JG_OP_COUNT];

static inline jg_primitive op_primitive(jg_op op)
{
    return (jg_primitive)op_primitives[op];
}

/* The extents that remain of `shape` when the axes of the bit set are reduced; with keepdims there
 * is a 1 in their place. out: memory for ndim extents.
 * gives: *out_ndim, out | raises: never | waits: never */
void op_reduced_shape(int ndim, const int64_t *shape, uint64_t axes, bool keepdims, int *out_ndim,
                      int64_t *out);

/* The shape of a matrix product of two shapes, 1-D operands as in NumPy: such an operand counts as
 * a row on the left and as a column on the right, and that axis is not in the result. shape: room
 * for JG_MAX_NDIM extents. gives: *ndim, shape
 * raises: VALUE, printing both shapes */
jg_status op_matmul_shape(int andim, const int64_t *a, int bndim, const int64_t *b, int *ndim,
                          int64_t *shape);

#endif
