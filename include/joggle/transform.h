/* SPDX-License-Identifier: Apache-2.0 */
/* Transformations: derivatives of functions of arrays, of any order, and functions of batches.
 *
 * A function is whatever code makes arrays from arrays by the functions of ops.h. It is traced: it
 * is run on markers, arrays of the arguments' values that are other nodes than the arguments, so
 * that what depends on them is known. The functions here that take a jg_function do that at once;
 * a binding whose functions may fail in ways of their own (exceptions) uses the halves.
 *
 * Cotangents and tangents have the dtype and shape of the array that they belong to. NULL stands
 * for zero. The cotangent of the argument of a function f of complex numbers is that of the result
 * times conj(f'), as in PyTorch and MLX. Integers and bools have no derivatives. */
#ifndef JOGGLE_TRANSFORM_H
#define JOGGLE_TRANSFORM_H

#include <joggle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function of arrays with what it needs besides. keeps: inputs | gives: outputs, noutputs of
 * them, +1 each, all NULL after a failure | raises: any status, which is passed on; jg_error_set
 * tells why */
typedef jg_status jg_function(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                              jg_array **outputs);

/* The halves */

/* A function that is being traced on this thread: it runs on the markers, and its results are not
 * there yet. What other threads do is not traced. */
typedef struct jg_tracing jg_tracing;

/* Computes the cotangents of a function's arguments from the cotangents of its results. Any thread
 * may use it, but only one at a time. */
typedef struct jg_pullback jg_pullback;

/* Begins tracing. markers: one for each argument, what the function is to be run on. A marker of an
 * array that is in memory shares that memory.
 * keeps: arguments | gives: markers, +1 each; *out, for one of the functions below
 * raises: VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_tracing_begin(int count, jg_array *const *arguments,
                                             jg_array **markers, jg_tracing **out);

/* Ends tracing without results. NULL is fine. takes: tracing */
JG_API void jg_tracing_abort(jg_tracing *tracing);

/* Whether a tangent or cotangent of 0 stays 0 where the derivative that it is multiplied by is
 * infinite or no number: that of sqrt(x) at 0, say. It holds for elementwise ops. It is off at
 * first, so the product is NaN. The derivatives that this tracing and its pullback give follow it;
 * derivatives of those derivatives do not. raises: never */
JG_API void jg_tracing_set_strong_zero(jg_tracing *tracing, bool on);

/* The function by which the outputs came from the markers, backward. After a failure the tracing
 * goes on: it may be asked again, and is for the caller to end. So with all that ends one.
 * takes: tracing | keeps: outputs | gives: *out
 * raises: VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_tracing_pullback(jg_tracing *tracing, int noutputs,
                                                jg_array *const *outputs, jg_pullback **out);

/* The cotangents of the arguments. May be called again.
 * keeps: cotangents, one for each output | gives: out, one for each argument, +1 each; NULL for one
 * that no output depends on | raises: VALUE for a shape, TYPE for a dtype that an output has not,
 * UNSUPPORTED for an op without derivative, NOMEM */
JG_API JG_CHECKED jg_status jg_pullback_apply(jg_pullback *pullback, jg_array *const *cotangents,
                                              jg_array **out);

/* The same as jg_tracing_set_strong_zero, for what is given from now on. raises: never */
JG_API void jg_pullback_set_strong_zero(jg_pullback *pullback, bool on);
JG_API void jg_pullback_release(jg_pullback *pullback); /* NULL is fine */

/* The tangents of the outputs from those of the arguments.
 * takes: tracing | keeps: outputs, tangents | gives: out, noutputs of them, +1 each, NULL for zero
 * raises: as jg_pullback_apply */
JG_API JG_CHECKED jg_status jg_tracing_push(jg_tracing *tracing, int noutputs,
                                            jg_array *const *outputs, jg_array *const *tangents,
                                            jg_array **out);

/* The same as often as wanted: the tracing goes on until jg_tracing_abort.
 * keeps: outputs, tangents | gives: as jg_tracing_push | raises: as jg_pullback_apply */
JG_API JG_CHECKED jg_status jg_tracing_tangents(jg_tracing *tracing, int noutputs,
                                                jg_array *const *outputs, jg_array *const *tangents,
                                                jg_array **out);

/* An argument that is the same for the whole batch, or a result that must be. */
#define JG_NOT_MAPPED INT64_MIN

/* What a draw of random numbers without a key does in a function that is batched. */
typedef enum jg_randomness {
    JG_RANDOMNESS_ERROR,    /* refused */
    JG_RANDOMNESS_SAME,     /* one draw for the whole batch */
    JG_RANDOMNESS_DIFFERENT /* a draw for each */
} jg_randomness;

/* Begins to batch a function: it is run once, on markers that have the arguments' shapes without
 * the axes that are mapped and no values. The function must not ask for values of what depends on a
 * mapped argument. The tracing must end on the thread that began it.
 * name: of the function, for messages; NULL for none. in_axes: one for each argument, the axis that
 * is mapped, from the end where it is negative, or JG_NOT_MAPPED; one at least is mapped.
 * keeps: arguments | gives: markers, +1 each, the argument itself where it is not mapped; *out, for
 * jg_tracing_batch or jg_tracing_abort
 * raises: VALUE, also where the axes' extents differ; AXIS, NOMEM */
JG_API JG_CHECKED jg_status jg_tracing_begin_batched(const char *name, int count,
                                                     jg_array *const *arguments,
                                                     const int64_t *in_axes,
                                                     jg_randomness randomness, jg_array **markers,
                                                     jg_tracing **out);

/* The outputs for the whole batch, with its axis where out_axes says, counted in the result. One
 * that depends on no mapped argument is repeated; where its axis is JG_NOT_MAPPED it is given as it
 * is.
 * takes: tracing | keeps: outputs | gives: out, noutputs of them, +1 each
 * raises: VALUE for an output that differs within the batch where its axis is JG_NOT_MAPPED; AXIS,
 * NOMEM, and what building raises */
JG_API JG_CHECKED jg_status jg_tracing_batch(jg_tracing *tracing, int noutputs,
                                             jg_array *const *outputs, const int64_t *out_axes,
                                             jg_array **out);

/* The gradients of a 0-d loss of real numbers: the cotangents of the arguments for a cotangent of
 * 1; zeros for an argument that the loss does not depend on.
 * takes: tracing | keeps: loss | gives: out, one for each argument, +1 each
 * raises: VALUE for a loss that is not 0-d, TYPE for one that is not of real floats, and as
 * jg_pullback_apply */
JG_API JG_CHECKED jg_status jg_tracing_gradients(jg_tracing *tracing, jg_array *loss,
                                                 jg_array **out);

/* Rules of a function's own */

/* How a function is differentiated and batched. A rule keeps no reference to what it is given; what
 * it gives are new references. Where a rule is NULL the function's own ops are transformed.
 *
 * release: of the context, on any thread, with no lock held; NULL for nothing to do. It is called
 * once the context was taken and nothing needs it any more, which may be at once.
 *
 * run: the function itself, for one that makes its results by other means than ops, as a kernel
 * does. Where its inputs have no values it gives arrays without values, and run is asked for the
 * results where a call of what was recorded has inputs. It needs all other rules, is in no file. */
typedef struct jg_custom_rules {
    void *context;
    void (*release)(void *context);

    /* The inputs' shares, one for each, NULL for zero, from cotangents of all outputs, none of them
     * NULL. gives: shares, +1 each | raises: what the rule does */
    jg_status (*vjp)(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                     jg_array *const *outputs, jg_array *const *cotangents, jg_array **shares);

    /* The outputs' tangents, one for each, NULL for zero, from tangents of all inputs, none of them
     * NULL. gives: out, +1 each | raises: what the rule does */
    jg_status (*jvp)(void *context, int ninputs, jg_array *const *inputs, jg_array *const *tangents,
                     int noutputs, jg_array **out);

    /* The outputs for inputs of which axes[i] is mapped, JG_NOT_MAPPED for none; out_axes likewise.
     * gives: outputs, +1 each | raises: what the rule does */
    jg_status (*vmap)(void *context, int ninputs, jg_array *const *inputs, const int64_t *axes,
                      int noutputs, jg_array **outputs, int64_t *out_axes);

    jg_function *run;
} jg_custom_rules;

/* Makes results that are differentiated by the rules. values are what the function computed from
 * the inputs. Arrays that the function used besides the inputs are constants for vjp and jvp.
 * takes: rules->context | keeps: inputs, values | gives: outputs, noutputs of them, +1 each
 * raises: VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_custom_results(const jg_custom_rules *rules, int ninputs,
                                              jg_array *const *inputs, int noutputs,
                                              jg_array *const *values, jg_array **outputs);

/* Whether x depends on an argument of a function that is being traced. raises: never */
JG_API bool jg_array_is_traced(const jg_array *x);

/* The innermost transformation that runs a function on arrays without values on this thread, such
 * as "vmap" or "compile"; NULL if there is none. gives: a static string */
JG_API const char *jg_tracing_caller(void);

/* Which intermediate results are kept of a function that is computed again. */
typedef enum jg_checkpoint_policy {
    JG_CHECKPOINT_NOTHING,
    JG_CHECKPOINT_PRODUCTS /* products of matrices and convolutions */
} jg_checkpoint_policy;

/* Makes results whose derivatives are found by computing the function again, so that the arrays
 * between inputs and values need not be kept until then. values are what the function computed from
 * the inputs. Arrays that the function used besides the inputs are differentiated as well.
 * keeps: inputs, values | gives: outputs, noutputs of them, +1 each | raises: VALUE, NOMEM, and
 * what building raises */
JG_API JG_CHECKED jg_status jg_checkpoint_results(jg_checkpoint_policy policy, int ninputs,
                                                  jg_array *const *inputs, int noutputs,
                                                  jg_array *const *values, jg_array **outputs);

/* Whole functions */

/* The function's results at the inputs, and what takes cotangents back.
 * keeps: inputs | gives: outputs, noutputs of them, +1 each, all NULL after a failure; *out
 * raises: what the function raises, and as jg_tracing_pullback */
JG_API JG_CHECKED jg_status jg_vjp(jg_function *function, void *context, int ninputs,
                                   jg_array *const *inputs, int noutputs, jg_array **outputs,
                                   jg_pullback **out);

/* The function's results at the inputs, and their tangents.
 * keeps: inputs, tangents | gives: outputs, out_tangents, noutputs each, +1 each; a tangent that is
 * zero is NULL | raises: what the function raises, and as jg_tracing_push */
JG_API JG_CHECKED jg_status jg_jvp(jg_function *function, void *context, int ninputs,
                                   jg_array *const *inputs, jg_array *const *tangents, int noutputs,
                                   jg_array **outputs, jg_array **out_tangents);

/* The function at each index of the axes that are mapped, with the results stacked; it is run once.
 * Draws without a key are refused.
 * keeps: inputs | gives: outputs, noutputs of them, +1 each | raises: what the function raises, and
 * as jg_tracing_begin_batched and jg_tracing_batch */
JG_API JG_CHECKED jg_status jg_vmap(jg_function *function, void *context, int ninputs,
                                    jg_array *const *inputs, const int64_t *in_axes, int noutputs,
                                    jg_array **outputs, const int64_t *out_axes);

/* The function's results at the inputs, which follow the rules.
 * takes: rules->context | keeps: inputs | gives: outputs, noutputs of them, +1 each
 * raises: what the function raises, and as jg_custom_results */
JG_API JG_CHECKED jg_status jg_custom(jg_function *function, void *context,
                                      const jg_custom_rules *rules, int ninputs,
                                      jg_array *const *inputs, int noutputs, jg_array **outputs);

/* The function's results at the inputs, which are computed again for their derivatives.
 * keeps: inputs | gives: outputs, noutputs of them, +1 each
 * raises: what the function raises, and as jg_checkpoint_results */
JG_API JG_CHECKED jg_status jg_checkpoint(jg_function *function, void *context,
                                          jg_checkpoint_policy policy, int ninputs,
                                          jg_array *const *inputs, int noutputs,
                                          jg_array **outputs);

/* Recorded functions */

/* A function that is recorded once and called as often as wanted: a call builds the recorded nodes
 * on its inputs, without running the function. */
typedef struct jg_recording jg_recording;
typedef struct jg_record jg_record;

/* Begins a recording on this thread, which has to end it; what the thread draws without a key is
 * drawn anew by each call. While it is under way, writes to fields and launches of kernels on this
 * thread fail, as a call would not repeat them.
 * name: of the function, for messages; copied
 * keeps: arguments, of which dtype, shape, strides and device are taken
 * gives: placeholders, one for each argument, +1 each: arrays without values for the function to be
 * run on; *out, for one of the two below | raises: VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_recording_begin(const char *name, int count,
                                               jg_array *const *arguments, jg_array **placeholders,
                                               jg_recording **out);

/* Ends a recording without results. NULL is fine. takes: recording */
JG_API void jg_recording_abort(jg_recording *recording);

/* Other arrays that the outputs depend on are evaluated and kept as constants. After a failure the
 * recording continues.
 * takes: recording | keeps: outputs | gives: *out, for jg_record_release
 * raises: VALUE, NOMEM, and what evaluating raises | waits: until the constants are in memory */
JG_API JG_CHECKED jg_status jg_recording_end(jg_recording *recording, int noutputs,
                                             jg_array *const *outputs, jg_record **out);

/* Whether the function's results depend on the argument of that number; false where there is
 * none. raises: never */
JG_API bool jg_record_reads(const jg_record *record, int argument);

/* Calls the recorded function, whose calls are counted and whose plans are kept. Any number of
 * threads may call one record at once.
 * keeps: inputs, of the arguments' dtypes, shapes, strides and devices; NULL is fine for those that
 * the function does not read | gives: outputs, +1 each
 * raises: VALUE for inputs that differ in that, NOMEM */
JG_API JG_CHECKED jg_status jg_record_call(jg_record *record, int ninputs, jg_array *const *inputs,
                                           jg_array **outputs);

/* A function that is recorded at its first call for each kind of inputs: dtypes, shapes, strides,
 * devices and how many there are. Other calls build the record on their inputs. Any number of
 * threads may call one at once; each that finds no record runs the function. */
typedef struct jg_compiled jg_compiled;

/* The records that a compiled function keeps, in Python as well; the one that was not used for
 * longest goes first. */
#define JG_MAX_RECORDS 256

/* Makes a compiled function; the function is first run when that is called. What it uses besides
 * its inputs is constant. JG_MAX_RECORDS records are kept.
 * name: of the function, for messages; copied; NULL for none. release: of the context, with the
 * last reference, on any thread, with no lock held; NULL for nothing to do.
 * takes: context | gives: *out, for jg_compiled_release
 * raises: VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_compile(const char *name, jg_function *function, void *context,
                                       void (*release)(void *context), jg_compiled **out);

/* The function's results at the inputs. It is a jg_function whose context is the jg_compiled, so
 * that jg_vjp, jg_jvp, jg_vmap and jg_compile take it as they take others.
 * keeps: inputs | gives: outputs, noutputs of them, +1 each, all NULL after a failure
 * raises: what the function raises; VALUE where it asks for values of its inputs; and as
 * jg_recording_end and jg_record_call | waits: as jg_recording_end, and as the function does */
JG_API JG_CHECKED jg_status jg_compiled_call(void *compiled, int ninputs, jg_array *const *inputs,
                                             int noutputs, jg_array **outputs);

/* How many records it keeps. raises: never */
JG_API int jg_compiled_nrecords(jg_compiled *compiled);

/* One reference more; one less, the last of which frees the function. No call may be under way
 * then. gives: compiled itself | raises: never */
JG_API jg_compiled *jg_compiled_retain(jg_compiled *compiled);
JG_API void jg_compiled_release(jg_compiled *compiled); /* NULL is fine */

/* How many arrays were kept as constants. raises: never */
JG_API int jg_record_nconstants(const jg_record *record);

/* Whether a constant is an argument of another function that is traced: then the record is of this
 * call alone. raises: never */
JG_API bool jg_record_is_of_one_call(const jg_record *record);

/* An array of x's dtype, shape and strides that has no values: what a handle holds whose array was
 * given away. Evaluating it fails. gives: *out, +1 | raises: NOMEM */
JG_API JG_CHECKED jg_status jg_array_without_values(const jg_array *x, jg_array **out);

/* The kinds of parameters that a node of a recorded function has besides its inputs. */
typedef enum jg_record_attribute_kind {
    JG_RECORD_INTEGER, /* one of integers */
    JG_RECORD_FLAG,    /* integers[0] is 0 or 1 */
    JG_RECORD_LIST,    /* count integers */
    JG_RECORD_REAL,    /* real */
    JG_RECORD_TEXT     /* text, a static string */
} jg_record_attribute_kind;

typedef struct jg_record_attribute {
    const char *name; /* static */
    jg_record_attribute_kind kind;
    int count;
    int64_t integers[JG_MAX_NDIM];
    double real;
    const char *text;
} jg_record_attribute;

/* A node of a recorded function. Values have numbers: the arguments come first, then the keys that
 * a call draws, then the nodes, each after its inputs. */
typedef struct jg_record_node {
    const char *primitive; /* static */
    int number;            /* of its value */
    int ninputs;
    const int32_t *numbers;  /* of its inputs; -1: a constant */
    jg_array *const *inputs; /* the constants among them have their values here */
    const jg_array *like;    /* of the value's dtype and shape; it has no values */
    int nattributes;
    int result; /* which one this is, of a primitive that has several */
} jg_record_node;

/* How much of each a record has. raises: never */
typedef struct jg_record_counts {
    int arguments, keys, nodes, outputs;
} jg_record_counts;
JG_API jg_record_counts jg_record_count(const jg_record *record);

/* The parts of a record. All pointers that are given stay valid as long as the record.
 * raises: VALUE for a number that the record does not have */
JG_API JG_CHECKED jg_status jg_record_node_at(const jg_record *record, int node,
                                              jg_record_node *out);
JG_API JG_CHECKED jg_status jg_record_attribute_at(const jg_record *record, int node, int attribute,
                                                   jg_record_attribute *out);

/* An array without values of the argument's dtype and shape, or of the key's behind the arguments.
 * raises: VALUE for a number that the record does not have */
JG_API JG_CHECKED jg_status jg_record_argument_at(const jg_record *record, int argument,
                                                  const jg_array **out);

/* The number of an output's value, or -1 and the constant that it is.
 * raises: VALUE for an output that the record does not have */
JG_API JG_CHECKED jg_status jg_record_output_at(const jg_record *record, int output,
                                                int32_t *number, const jg_array **constant);

/* One reference more; one less, the last of which frees the record.
 * gives: record itself | raises: never | waits: never */
JG_API jg_record *jg_record_retain(jg_record *record);
JG_API void jg_record_release(jg_record *record); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
