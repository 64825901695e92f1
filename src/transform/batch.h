/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: batching, by the second column of RULES in op/primitive.def.
 *
 * A function is traced on placeholders, each laid out as its argument without the axis that is
 * mapped. The nodes of the tape are then built again from values that have the batch as their first
 * axis; an input that depends on no placeholder is the same for the whole batch and stays as it
 * is. */
#ifndef JG_TRANSFORM_BATCH_H
#define JG_TRANSFORM_BATCH_H

#include "transform/transform.h"

typedef enum batch_way {
    BATCH_LOOP,    /* the node of each element of the batch, and all stacked */
    BATCH_NONE,    /* it has no inputs */
    BATCH_ALIGN,   /* elementwise: inputs of fewer axes get some behind the batch's */
    BATCH_AXES,    /* a reduction, over axes that are one further */
    BATCH_AXIS,    /* the first attribute is an axis, which is one further */
    BATCH_LEADING, /* first axes are a batch already */
    BATCH_BY       /* a function */
} batch_way;

/* A node and the values that replace its inputs. */
typedef struct batch_call {
    jg_array *node;
    int64_t extent;     /* of the batch */
    jg_array **inputs;  /* borrowed; as the node's, with the batch's axis first where mapped */
    const bool *mapped; /* by input; one is at least */
} batch_call;

/* The node for the whole batch. gives: *out, +1, of node's dtype and shape with the batch's axis
 * first | raises: what building raises */
typedef jg_status batch_rule(const batch_call *call, jg_array **out);

typedef struct batch_row {
    uint8_t way; /* batch_way */
    batch_rule *rule;
} batch_row;

extern const batch_row batch_rows[PRIMITIVE_COUNT];

/* Borrowed, valid forever. */
static inline const batch_row *batch_row_of(const jg_array *node)
{
    return &batch_rows[node->primitive];
}

/* Values by slot of the tape: those of the markers are given, with the batch's axis first.
 * gives: out, nslots of them, +1 each; NULL for slot -1 | raises: what building raises */
jg_status batch_run(const transform_tape *tape, int64_t extent, jg_array *const *arguments,
                    int nslots, const int32_t *slots, jg_array **out);

/* For rules */

batch_rule batch_loop;
batch_rule batch_leading; /* the same node, of inputs that are each broadcast to the batch */

/* The same with other attributes. attributes: NULL for those of the node. gives: *out, +1
 * raises: what building raises */
jg_status batch_leading_as(const batch_call *call, const primitive_attributes *attributes,
                           jg_array **out);

/* Calls `make` with a call's inputs, each broadcast to the batch. keeps: inputs
 * raises: what building raises */
typedef jg_status batch_maker(const batch_call *call, const void *context, jg_array *const *inputs);
jg_status batch_with_inputs(const batch_call *call, batch_maker *make, const void *context);

/* Input i with the batch's axis, along which it is repeated if it is not mapped; row-major if the
 * node's is and it is mapped. gives: *out, +1 | raises: NOMEM */
jg_status batch_input(const batch_call *call, int i, jg_array **out);

/* Input i with `ndim` axes behind the first, which has extent 1 if the input is not mapped.
 * gives: *out, +1 | raises: NOMEM */
jg_status batch_pad(const batch_call *call, int i, int ndim, jg_array **out);

/* The node of the batch from the inputs. attributes: NULL for those of the node.
 * keeps: inputs | gives: *out, +1 | raises: NOMEM */
jg_status batch_make(const batch_call *call, jg_array *const *inputs,
                     const primitive_attributes *attributes, jg_array **out);

/* The node with another shape than that. gives: *out, +1 | raises: NOMEM */
jg_status batch_make_shaped(const batch_call *call, int ndim, const int64_t *shape,
                            jg_array *const *inputs, const primitive_attributes *attributes,
                            jg_array **out);

/* The extent and then the node's shape: 1 + node->ndim numbers. raises: VALUE for too many axes */
jg_status batch_shape(const batch_call *call, int64_t *shape);

/* A copy of the node's attributes, of as many bytes as its primitive has. */
void batch_attributes(const jg_array *node, primitive_attributes *out);

/* x with the axis `from` at `to`; a view. gives: *out, +1 | raises: NOMEM */
jg_status batch_move_axis(jg_array *x, int from, int to, jg_array **out);

/* The functions that the column names. */
#define ALIGN
#define AXES
#define AXIS
#define LEADING
#define LOOP
#define BY(name) batch_rule batch_##name;
#define NONE
#define RULES(derivative, batch) batch
#define JG_PRIMITIVE(name, kind, rules) rules
#include "op/primitive.def"
#undef JG_PRIMITIVE
#undef RULES
#undef NONE
#undef BY
#undef LOOP
#undef LEADING
#undef AXIS
#undef AXES
#undef ALIGN

#endif
