/* SPDX-License-Identifier: Apache-2.0 */
/* From ops to nodes: elementwise ops, reductions and routines (apply.c), inputs on one device
 * (join.c), and arrays of numbers (create.c). A part of graph.h, which includes it: others include
 * that. */
#ifndef JG_GRAPH_APPLY_H
#define JG_GRAPH_APPLY_H

/* An elementwise op: resolves dtypes, broadcasts shapes.
 * keeps: inputs | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
jg_status graph_unary(jg_op op, jg_array *x, jg_array **out);
jg_status graph_binary(jg_op op, jg_array *x1, jg_array *x2, jg_array **out);
jg_status graph_ternary(jg_op op, jg_array *condition, jg_array *x1, jg_array *x2, jg_array **out);
/* Any elementwise op, of one to three inputs. dtype: of the result where the op leaves it to the
 * caller, else NULL. */
jg_status graph_elementwise(jg_op op, int count, jg_array *const *inputs, const jg_dtype *dtype,
                            jg_array **out);
/* *out is x itself if it has the dtype. */
jg_status graph_cast(jg_array *x, jg_dtype dtype, jg_array **out);
/* x in memory of its own, for ops that change nothing of it: memory that was imported may be
 * written by its owner, and a result must not see that. Of a dtype that is stored only, x itself.
 * keeps: x | gives: *out, +1 | raises: NOMEM */
jg_status graph_same(jg_array *x, jg_array **out);
/* Reduces over the axes, which count from the end where they are negative; naxes < 0: over all.
 * keeps: x | gives: *out, +1 | raises: TYPE, VALUE for an axis, or an extremum over nothing;
 * NOMEM */
jg_status graph_reduce(jg_op op, jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                       jg_array **out);
/* The same with x cast first to the dtype that the result has; NULL: as graph_reduce. */
jg_status graph_accumulate(jg_op op, jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                           const jg_dtype *dtype, jg_array **out);

/* Makes the node of a routine over the inputs: a root of the dtype and shape, with the label's
 * primitive. attributes: the parameters of the primitive, which are copied; NULL if it has none.
 * keeps: inputs | gives: *out, +1 | raises: VALUE for a size beyond int64, NOMEM */
jg_status graph_routine(jg_op label, jg_dtype dtype, int ndim, const int64_t *shape, int ninputs,
                        jg_array *const *inputs, const primitive_attributes *attributes,
                        jg_array **out);

/* The same for a routine with several results: each is a root of its own. Those that are held when
 * one of them is evaluated are computed with it, by one run of the routine.
 * keeps: inputs | gives: out, count of them, +1 each | raises: as above */
jg_status graph_routine_results(jg_op label, int count, const graph_result *results, int ninputs,
                                jg_array *const *inputs, const primitive_attributes *attributes,
                                jg_array **out);

/* x itself if it is row-major, else a copy that is. gives: *out, +1 | raises: NOMEM */
jg_status graph_contiguous(jg_array *x, jg_array **out);

/* Whether an op may have the inputs, of which there is one at least, as they are.
 * gives: *device, for node_new_on, if it may */
static inline bool graph_is_on_one_device(int count, jg_array *const *inputs, unsigned *device)
{
    unsigned common = inputs[0]->device, differences = 0;
    for (int i = 1; i < count; ++i) {
        differences |= inputs[i]->device ^ inputs[0]->device;
        common &= inputs[i]->device;
    }
    *device = common;
    return (differences & NODE_DEVICE) == 0;
}

/* Writes the number of the host as "3", "0.5" or "1-2j" into a fixed buffer. For messages.
 * gives: buffer */
const char *graph_number_text(char *buffer, size_t nbytes, const jg_number *number);

/* Refuses an op of arrays on two devices. raises: VALUE, naming both */
jg_status graph_fail_devices(jg_op label, const jg_array *x, const jg_array *y);

/* The inputs of an op on one device: that of those which have been asked for somewhere and are more
 * than a number; the others are moved. label: for messages
 * gives: joined, count of them, +1 each | raises: VALUE where such are on two devices, TYPE for one
 * to be moved that is stored only, NOMEM */
jg_status graph_join(jg_op label, int count, jg_array *const *inputs, jg_array **joined);

/* x on the device, x itself if it is there. keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
jg_status graph_to_device(jg_array *x, int device, jg_array **out);

/* jg_full on the device that `like` is on: a result that is known without reading it.
 * gives: *out, +1 | raises: as jg_full */
jg_status graph_full_beside(const jg_array *like, jg_dtype dtype, int ndim, const int64_t *shape,
                            jg_number value, jg_array **out);

/* jg_array_from_data of what an op adds to its inputs: it goes to the device that they are on.
 * keeps: nothing | gives: *out, +1 | raises: as jg_array_from_data */
jg_status graph_from_data(const void *data, jg_dtype dtype, int ndim, const int64_t *shape,
                          jg_array **out);

/* jg_empty on a device. gives: *out, +1 | raises: as jg_empty */
jg_status graph_empty(jg_device *device, jg_dtype dtype, int ndim, const int64_t *shape,
                      jg_array **out);

/* The number in the bytes of a computable dtype, zeros behind them. Floats are rounded to floats
 * and truncated to integers. gives: *out | raises: VALUE for one that it cannot hold, TYPE for
 * complex into a real dtype */
jg_status graph_number_store(const jg_number *value, jg_dtype dtype, jg_scalar *out);

#endif
