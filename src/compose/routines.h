/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of routines. The op's function makes them from prepared operands, and the reader of a
 * function's file from the operands that the file names. The demands on operands, and the dtype and
 * shape of the result, are stated only where such a node is made.
 *
 * op: the node's label, one of the routine's ops; the name in messages. attributes: those of the
 * routine; an axis in them is one of x. */
#ifndef JG_COMPOSE_ROUTINES_H
#define JG_COMPOSE_ROUTINES_H

#include "graph/graph.h"
#include "op/op.h"

/* The dtypes that running results of x's dtype read and give. Floats use the dtype of their sums;
 * integers and bools are read as they are and widened in registers. gives: *read, *result | raises:
 * TYPE */
jg_status compose_cumulative_types(jg_op op, jg_dtype dtype, jg_dtype *read, jg_dtype *result);

/* Running results of x, which has the dtype that is read, in dtype. longer: one result more than
 * elements, the first or last being that of nothing.
 * keeps: x | gives: *out, +1 | raises: VALUE, NOMEM */
jg_status compose_cumulative(jg_op op, jg_array *x, const cumulative_attributes *attributes,
                             bool longer, jg_dtype dtype, jg_array **out);

/* The index of the first extremum along the axis.
 * keeps: x | gives: *out, +1 | raises: TYPE, VALUE for an empty axis, NOMEM */
jg_status compose_extremum_index(jg_op op, jg_array *x, const extremum_index_attributes *attributes,
                                 bool keepdims, jg_array **out);

/* Elements in order along the last axis of x, which compose_dense_rows has given; the first `kept`
 * of them. keeps: x | gives: *out, +1 | raises: NOMEM */
jg_status compose_order(jg_op op, jg_array *x, const sort_attributes *attributes, int64_t kept,
                        jg_array **out);

/* The transform of length n along attributes->axis, which is cut or filled up with zeros to as many
 * as are read. keeps: a | gives: *out, +1 | raises: TYPE, VALUE for a length, NOMEM */
jg_status compose_transform(jg_op op, jg_array *a, const fft_attributes *attributes, int64_t n,
                            jg_array **out);

/* x, read from index -before on each axis for as many elements as shape says; past its ends it is
 * extended by an extend_mode. value: the fill of EXTEND_CONSTANT, NULL for zero.
 * gives: *out, +1 | raises: TYPE for packed elements, VALUE for a value of several, NOMEM */
jg_status compose_extend(jg_op op, jg_array *x, jg_array *value, extend_mode mode,
                         const int64_t *before, const int64_t *shape, jg_array **out);

/* Repeats each index of the axis `times` times. keeps: x | gives: *out, +1 | raises: TYPE for
 * packed elements, VALUE for times, NOMEM */
jg_status compose_repeat_evenly(jg_array *x, int axis, int64_t times, jg_array **out);

/* Index i of the axis from starts[i] to starts[i + 1] of the result, whose last extent `total` is.
 * starts: int64, one more than there are indices, from 0 on and in order
 * keeps: x, starts | gives: *out, +1 | raises: TYPE for packed elements, NOMEM */
jg_status compose_repeat_starts(jg_array *x, int axis, jg_array *starts, int64_t total,
                                jg_array **out);

/* Packs the low `bits` bits of bytes into words along the last axis, or unpacks them. Lines must be
 * whole words and whole groups of codes. keeps: x | gives: *out, +1 | raises: NOMEM */
jg_status compose_pack(jg_op op, jg_array *x, int64_t bits, bool back, jg_array **out);

/* Refuses x where combining it with updates would change its dtype. raises: TYPE */
jg_status compose_check_combined(jg_scatter_mode mode, const jg_array *x);

/* A routine of square matrices whose result has their shape and dtype: factors and inverses.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
jg_status compose_square_matrix(jg_op op, jg_array *a, const primitive_attributes *attributes,
                                jg_array **out);

/* The solutions of the systems a for the right-hand sides b, a vector or matrices. attributes: NULL
 * where the routine has none | keeps: a, b | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
jg_status compose_solve(jg_op op, jg_array *a, jg_array *b, const primitive_attributes *attributes,
                        jg_array **out);

/* All results of a routine that has several, in its order.
 * keeps: a | gives: *count, up to GRAPH_MAX_RESULTS; made, +1 each | raises: TYPE, VALUE, NOMEM */
jg_status compose_factors(jg_op op, jg_array *a, const primitive_attributes *attributes, int *count,
                          jg_array **made);

#endif
