/* SPDX-License-Identifier: Apache-2.0 */
/* compose: the public ops that are spelled in other ops or are views. Each is declared in
 * <joggle/ops.h> or <joggle/array.h>; the functions here are for this room and those above it. */
#ifndef JG_COMPOSE_H
#define JG_COMPOSE_H

#include "compose/routines.h"
#include "compose_ops.h"
#include "graph/graph.h"
#include "op/op.h"
#include "run/run.h"
#include <joggle/ops.h>
#include <joggle/transform.h>

/* The layout that NumPy's basic indexing gives. raises: INDEX, VALUE */
jg_status compose_index(const jg_layout *from, int nitems, const jg_index *items, jg_layout *to);

/* A view of x; refused for packed sub-byte elements unless it is dense from the first on.
 * gives: *out, +1 | raises: TYPE, NOMEM */
jg_status compose_view(jg_array *x, const jg_layout *layout, jg_array **out);

/* x with one new axis of extent 1. gives: *out, +1 | raises: AXIS, VALUE, NOMEM */
jg_status compose_new_axis(jg_array *x, int64_t axis, jg_array **out);

/* Refuses dtypes whose elements are no whole bytes, for what moves elements. raises: TYPE */
jg_status compose_check_bytes(const jg_array *x);

/* x, where each bool is 0 or 1: foreign memory may hold other bytes for true, which elementwise
 * work takes as true, but counting or ordering bytes would not. Moving elements moves such bytes,
 * so any node of bools may have them. gives: *out, +1 | raises: NOMEM */
jg_status compose_truth(jg_array *x, jg_array **out);

/* x, or a copy if its rows are strided: copying in blocks is much faster than reading line by line.
 * Bools go through compose_truth. gives: *out, +1 | raises: NOMEM */
jg_status compose_dense_rows(jg_array *x, jg_array **out);

/* x partitioned along the last axis: the elements of ranks first to last - 1 of each line are in
 * their sorted positions, lesser ones before them. gives: *out, +1 | raises: NOMEM */
jg_status compose_ranks(jg_array *x, int64_t first, int64_t last, jg_array **out);

/* x with the updates combined into the elements that the layout has in a row-major array of x's
 * shape. The layout's elements must differ from each other.
 * keeps: x, updates, of the layout's shape and x's dtype | gives: *out, +1 | raises: NOMEM */
jg_status compose_scatter_layout(jg_array *x, const jg_layout *target, jg_array *updates,
                                 jg_scatter_mode mode, jg_array **out);

/* The same where index arrays choose as well. The layout has the axes of shape, with stride 0 or
 * extent 1 where the space stands still in x, and then one for each index array: those, views of
 * ndim axes with extent 1 along those that they do not vary with, are what op/scatter.h takes.
 * axes: of x that are indexed, for messages. gives: *out, +1 | raises: NOMEM */
jg_status compose_scatter_at(jg_array *x, const jg_layout *target, int ndim, const int64_t *shape,
                             int narrays, jg_array *const *arrays, uint64_t axes, jg_array *updates,
                             jg_scatter_mode mode, jg_array **out);

/* The common dtype of several arrays; if all have the same, that one, computable or not. raises:
 * TYPE */
jg_status compose_common_dtype(int count, jg_array *const *arrays, jg_dtype *out);

/* The dtype that sums over x's dtype are made in: float32 for half precision, else its own. */
static inline jg_dtype compose_wide(jg_dtype dtype)
{
    return dtype_is_half(dtype) ? JG_DTYPE_FLOAT32 : dtype;
}

/* matmul.c: the dtype in which matrices are multiplied whose product is to have the dtype `result`:
 * half precision stays on devices that multiply it with sums in float32. */
jg_dtype compose_product_dtype(const jg_array *x1, const jg_array *x2, jg_dtype result);

/* statistics/statistics.c */

/* jg_sum in the dtype of its rule, in the form that scope_reduce takes.
 * gives: *out, +1 | raises: TYPE, INDEX, VALUE, NOMEM */
jg_status compose_sum(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out);

/* linalg/factors.c */

/* Refuses arrays of fewer than two axes, and matrices that are not square where they must be.
 * raises: VALUE */
jg_status compose_check_matrices(jg_op op, const char *name, const jg_array *x, bool square);

/* Refuses a right-hand side b, a vector or matrices, without as many rows as a has. raises:
 * VALUE */
jg_status compose_check_rows(jg_op op, const jg_array *a, const jg_array *b);

/* spectral/hadamard.c */

/* 1, 12, 20 or 28, of which the extent of a row of a Walsh-Hadamard transform is a power of two
 * times; 0 for none. */
int64_t compose_hadamard_factor(int64_t extent);

/* quantized/quantization.c */

/* Whether the mode of quantised matrices allows codes of that many bits and groups of that size. */
bool compose_is_quantization(quantized_mode mode, int64_t bits, int64_t group);

/* random/random.c */

/* The key of a draw that was given none: that of the call, or of those around it, or the process's
 * next. call: NULL for none. gives: *out, +1, a key | raises: NOMEM; VALUE where the call's
 * function must not draw without a key */
jg_status compose_next_key(traced_call *call, jg_array **out);

/* Part number `number` of a key. gives: *out, +1 | raises: NOMEM */
jg_status compose_numbered_key(jg_array *key, uint64_t number, jg_array **out);

/* nn/attention.c */

/* Builds a node of attention from other ops, on the given inputs. keeps: inputs | gives: *out, +1
 * raises: NOMEM */
jg_status compose_spell_attention(const jg_array *node, jg_array *const *inputs, jg_array **out);

/* ruled.c */

/* Sets what a room above this one does with functions that are to be computed again for their
 * derivatives: jg_checkpoint. Called once, by the runtime, before anything is composed.
 * gives: outputs, +1 each | raises: what the function raises, NOMEM */
typedef jg_status compose_checkpoints(jg_function *function, void *context,
                                      jg_checkpoint_policy policy, int ninputs,
                                      jg_array *const *inputs, int noutputs, jg_array **outputs);
void compose_set_checkpoints(compose_checkpoints *checkpoints);

/* The function's outputs, as jg_checkpoint without a policy gives them. context: used by this call
 * alone | keeps: inputs | gives: outputs, +1 each | raises: what the function raises, NOMEM */
jg_status compose_checkpoint(jg_function *function, void *context, int ninputs,
                             jg_array *const *inputs, int noutputs, jg_array **outputs);

/* Sets what a room above this one makes of values that have rules for derivatives:
 * jg_custom_results. Called once, by the runtime, before anything is composed.
 * takes: rules->context | keeps: inputs, values | gives: outputs, +1 each | raises: VALUE, NOMEM */
typedef jg_status compose_rules(const jg_custom_rules *rules, int ninputs, jg_array *const *inputs,
                                int noutputs, jg_array *const *values, jg_array **outputs);
void compose_set_rules(compose_rules *rules);

/* Like jg_custom_results. takes: rules->context | keeps: inputs, values | gives: outputs, +1 each
 * raises: VALUE, NOMEM */
jg_status compose_with_rules(const jg_custom_rules *rules, int ninputs, jg_array *const *inputs,
                             int noutputs, jg_array *const *values, jg_array **outputs);

/* scope.c: spelling an op in others
 *
 *     compose_scope scope = {0};
 *     jg_array *squared = scope_binary(&scope, jg_multiply, x, x);
 *     jg_array *cubed = scope_binary(&scope, jg_multiply, squared, x);
 *     return scope_finish(&scope, cubed, out);
 *
 * The scope owns what it makes until scope_finish, which must be called in every case; after a
 * failure the functions do nothing and give NULL. */

/* More than any composition here makes. With a fixed array scopes need no heap, and appending
 * cannot fail. */
enum { COMPOSE_MAX_MADE = 64 };

/* All zero is an empty scope. status is the first failure; made are the arrays to release at the
 * end, +1 each. */
typedef struct compose_scope {
    jg_status status;
    int count;
    jg_array *made[COMPOSE_MAX_MADE];
} compose_scope;

/* Ops as scopes call them: each gives a new array for its operands, which it only borrows.
 * gives: *out, +1 | raises: what the op raises */
typedef jg_status compose_unary(jg_array *x, jg_array **out);
typedef jg_status compose_binary(jg_array *x1, jg_array *x2, jg_array **out);
typedef jg_status compose_reduction(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                    jg_array **out);
typedef jg_status compose_shaped(jg_array *x, int count, const int64_t *extents, jg_array **out);

/* Each applies its op and gives the result, which is NULL after a failure, its own or an earlier
 * one, so operands may be NULL, but only in a scope that has failed. An array that a function
 * of a scope gives is borrowed until scope_finish: the scope holds it, or it is an operand. */
jg_array *scope_unary(compose_scope *scope, compose_unary *op, jg_array *x);
jg_array *scope_binary(compose_scope *scope, compose_binary *op, jg_array *x1, jg_array *x2);
jg_array *scope_where(compose_scope *scope, jg_array *condition, jg_array *x1, jg_array *x2);
jg_array *scope_cast(compose_scope *scope, jg_array *x, jg_dtype dtype);
jg_array *scope_reduce(compose_scope *scope, compose_reduction *op, jg_array *x, int naxes,
                       const int64_t *axes, bool keepdims);
/* The conjugate transpose of matrices. */
jg_array *scope_adjoint(compose_scope *scope, jg_array *x);
/* For functions of count and extents: reshape, broadcast_to, permute_dims, squeeze. */
jg_array *scope_shaped(compose_scope *scope, compose_shaped *op, jg_array *x, int count,
                       const int64_t *extents);

/* A 0-d array of the number in like's dtype; like may be NULL after a failure only. */
jg_array *scope_number(compose_scope *scope, const jg_array *like, double value);

/* 0, 1, ... up to count - 1 in float64. */
jg_array *scope_numbers_below(compose_scope *scope, int64_t count);

/* x * factor in x's dtype. */
jg_array *scope_times(compose_scope *scope, jg_array *x, double factor);

/* The same of a whole number. */
jg_array *scope_whole(compose_scope *scope, const jg_array *like, int64_t value);

/* Makes the scope the owner of what a call gave, for calls that have no function here.
 * takes: made, if status is JG_OK | gives: it, or NULL where the call or the scope has failed */
jg_array *scope_take(compose_scope *scope, jg_status status, jg_array *made);

/* x in the dtype that op, of one operand, is computed in: half precision in float32. *result is the
 * dtype of the result by the op's rule, defined also after a failure. nn/norm.c; scope is new. */
jg_array *scope_widen(compose_scope *scope, jg_op op, jg_array *x, jg_dtype *result);

/* |x|^2, of a complex number without the root. statistics.c */
jg_array *scope_squared_size(compose_scope *scope, jg_array *x);

/* Ends the scope: releases all that it made but the result.
 * gives: *out, +1, the result | raises: the first failure */
jg_status scope_finish(compose_scope *scope, jg_array *result, jg_array **out);

/* The same of a scope whose results were handed on. raises: the first failure */
jg_status scope_close(compose_scope *scope);

/* power.c: the value of a real number that is a constant of the graph, else NaN. For leaving work
 * out only: a computed array may have the same value, but it is not known yet. */
double compose_known_number(const jg_array *x);

#endif
