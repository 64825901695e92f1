/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels: programs of loops, branches and atomics over the elements of tensors, compiled when they
 * are first run.
 *
 * A kernel is written with a builder or read from its text form (docs/kernel-text.md), and run on
 * views of any memory, in place, whatever the strides. All functions may be called from any thread;
 * one kernel may run on many threads at once, one builder belongs to one thread at a time. */
#ifndef JOGGLE_KERNEL_H
#define JOGGLE_KERNEL_H

#include <joggle/array.h>
#include <joggle/view.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jg_kernel jg_kernel;

/* Reads the text form. keeps: nothing | gives: *out, +1 | raises: VALUE or TYPE with line and
 * column of the text, NOMEM | waits: never */
JG_API JG_CHECKED jg_status jg_kernel_from_text(const char *text, jg_kernel **out);

/* The text form. gives: *out, for jg_text_release | raises: NOMEM | waits: never */
JG_API JG_CHECKED jg_status jg_kernel_text(const jg_kernel *kernel, char **out);

/* One reference more; one less, the last of which frees the kernel.
 * gives: kernel itself | raises: never | waits: never */
JG_API jg_kernel *jg_kernel_retain(jg_kernel *kernel);
JG_API void jg_kernel_release(jg_kernel *kernel); /* NULL is fine */

/* The kernel's name; the arrays, scalars and results that it declares; whether it writes an array.
 * gives: borrowed, valid while the kernel is held | raises: never | waits: never */
JG_API const char *jg_kernel_name(const jg_kernel *kernel);
JG_API int jg_kernel_narrays(const jg_kernel *kernel);
JG_API jg_dtype jg_kernel_array_dtype(const jg_kernel *kernel, int array);
JG_API int jg_kernel_array_ndim(const jg_kernel *kernel, int array);
JG_API bool jg_kernel_array_is_written(const jg_kernel *kernel, int array);
JG_API jg_dtype jg_kernel_scalar_dtype(const jg_kernel *kernel, int scalar);
JG_API int jg_kernel_nscalars(const jg_kernel *kernel);
JG_API int jg_kernel_nresults(const jg_kernel *kernel);

/* Arrays and scalars together, in the order in which they are declared. gives: whether the
 * parameter is an array; *index: which, among arrays or among scalars */
JG_API bool jg_kernel_parameter_is_array(const jg_kernel *kernel, int parameter, int *index);

/* The name under which the parameter is declared. gives: borrowed, valid while the kernel is
 * held */
JG_API const char *jg_kernel_parameter_name(const jg_kernel *kernel, int parameter);

/* Runs the kernel on the memory of views, without copies. arrays: a view for each array of the
 * kernel, scalars a number for each scalar (integers for integer dtypes), in their order; results,
 * for as many, may be NULL where the kernel has none. Code is compiled once for layouts that have
 * the same properties. Pending nodes of the graph that read memory which the kernel writes are
 * evaluated first, so a lazy array never sees the write.
 * keeps: nothing | gives: *results | raises: TYPE for another dtype; VALUE for another ndim, extent
 * or stride, naming the array; BUFFER for read-only memory that the kernel writes and for
 * misaligned memory; DEVICE; ASSERT, INDEX, VALUE for an assertion that does not hold, naming
 * kernel and line; UNSUPPORTED in a build without a compiler; NOMEM | waits: until it has run; but
 * a kernel on a device whose memory is that of fields alone, that gives no results and prints
 * nothing, may still run; the next call that waits raises its failure: jg_synchronize, reads of
 * fields and exports */
JG_API JG_CHECKED jg_status jg_kernel_run(jg_kernel *kernel, const jg_view *const *arrays,
                                          const jg_number *scalars, jg_number *results);

/* How long a launch may use the memory of an array on a device, and with which stream it has to be
 * ordered. owner: an array that keeps the memory; NULL if only the caller keeps it, until the call
 * returns. stream: the stream of the library that the memory came from; JG_STREAM_UNORDERED if no
 * code writes or frees the memory while the owner is held. joggle's own memory that was never
 * exported needs no stream. */
typedef struct jg_kernel_loan {
    jg_array *owner;
    int64_t stream;
} jg_kernel_loan;

/* Like jg_kernel_run, with a loan for each array (loans is NULL if no array has one). The call may
 * return while the launch still runs, if the launch gives no results, prints nothing, and all its
 * memory is on a device and belongs to fields or to owners whose streams are known. Work that is
 * queued on these streams afterwards runs after the launch. To make the launch wait for earlier
 * work on them, call jg_stream_follow first. The call may raise the failure of an earlier launch;
 * then the kernel has not run.
 * keeps: the owners' memory, until the launch has run | gives: *results | raises: as jg_kernel_run
 * waits: as jg_kernel_run, but not for launches that go on */
JG_API JG_CHECKED jg_status jg_kernel_start(jg_kernel *kernel, const jg_view *const *arrays,
                                            const jg_kernel_loan *loans, const jg_number *scalars,
                                            jg_number *results);

/* Sets the seed of the random numbers of kernels, for the whole process: the same seed gives the
 * same numbers again. Without a call the seed is taken from the system's entropy. raises: never |
 * waits: never */
JG_API void jg_kernel_set_seed(uint64_t seed);

/* The function that receives the texts which kernels print. It is called with one whole text, from
 * any thread and from several at once; NULL: stdout. Set it while no kernel runs. keeps: context |
 * raises:
 * never */
typedef void jg_kernel_printer(void *context, const char *text);
JG_API void jg_kernel_set_printer(jg_kernel_printer *print, void *context);

/* Whether a kernel of derivatives has a derivative beside an array of the original kernel. */
typedef enum jg_derived {
    JG_DERIVED_NO,
    JG_DERIVED_YES,
    JG_DERIVED_READ,  /* a gradient that is not used afterwards. It is only read, not written, if no
                         element of the array is stored twice: jg_kernel_array_is_written tells */
    JG_DERIVED_SHARED /* a gradient that shares memory with another gradient: additions to it are
                         atomic. The kernel may only read the array */
} jg_derived;

/* The adjoint: the kernel of derivatives in reverse mode. It reads the gradients of the elements
 * that the kernel writes, sets them to zero where the kernel overwrites an element, and adds to the
 * gradients of the elements that the kernel reads. It has the kernel's arrays and scalars and no
 * results. A gradient for each array that `gradients` selects follows the arrays, in their order
 * and with the same shape (NULL: for each floating array). The adjoint reads the arrays as they are
 * after the kernel has run; jg_kernel_adjoint_check makes the check of whether that is correct.
 * gives: *out, +1 | raises: UNSUPPORTED, naming the line that has no derivative; TYPE if
 * `gradients` selects an array that is not floating; VALUE for a number that is no jg_derived;
 * NOMEM | waits: never */
JG_API JG_CHECKED jg_status jg_kernel_adjoint(const jg_kernel *kernel, const jg_derived *gradients,
                                              jg_kernel **out);

/* The kernel that checks, before the adjoint runs, whether the adjoint will be correct. It is
 * needed if that depends on conditions or on indices that are read from memory. It raises VALUE,
 * naming the lines, if the kernel has overwritten an element that the adjoint reads, or if one
 * iteration of a parallel loop writes an element that another iteration uses. It has the kernel's
 * arrays and scalars, and one result, a bool that is always true, so that a launch waits. The call
 * sets marked[i] for each array i that needs an array of marks. These follow the arrays, in their
 * order: zeros of the same shape, of the dtype that jg_kernel_array_dtype tells. The check writes
 * only the arrays of marks.
 * gives: *out, +1, NULL if there is nothing to check; marked | raises: as jg_kernel_adjoint |
 * waits: never */
JG_API JG_CHECKED jg_status jg_kernel_adjoint_check(const jg_kernel *kernel,
                                                    const jg_derived *gradients, bool *marked,
                                                    jg_kernel **out);

/* The adjoint and its check, in less time than the two calls above take. gives: *adjoint and
 * *check, +1; marked | raises: as jg_kernel_adjoint | waits: never */
JG_API JG_CHECKED jg_status jg_kernel_adjoint_and_check(const jg_kernel *kernel,
                                                        const jg_derived *gradients,
                                                        jg_kernel **adjoint, bool *marked,
                                                        jg_kernel **check);

/* The kernel of derivatives in forward mode. It computes what the kernel computes, and the tangents
 * too. The tangents of the arrays that `tangents` selects follow the arrays. gives: *out, +1 |
 * raises: as above | waits: never */
JG_API JG_CHECKED jg_status jg_kernel_tangent(const jg_kernel *kernel, const jg_derived *tangents,
                                              jg_kernel **out);

/* A builder appends one statement a call. It remembers the first fault and ignores all later
 * statements; jg_builder_finish raises the fault. So the calls in between need no checks. Names and
 * texts are copied.
 * Values and places belong to their builder. */
typedef struct jg_kernel_builder jg_kernel_builder;
typedef struct jg_value {
    uint32_t id;
} jg_value;
typedef struct jg_place { /* an array or a local of the kernel */
    uint32_t id;
} jg_place;

/* Ranges of a parallel loop, and bytes of all locals together, which lie on a thread's stack. */
#define JG_KERNEL_MAX_RANGES 8
#define JG_KERNEL_MAX_LOCAL_NBYTES (256 << 10)

#define JG_KERNEL_FAST_MATH (1u << 0) /* floating arithmetic may be reassociated */
#define JG_EXTENT_GIVEN INT64_MIN     /* an extent or a stride that the run gives */

/* flags: JG_KERNEL_ bits. gives: *out, for jg_builder_finish or jg_builder_release | raises:
 * NOMEM */
JG_API JG_CHECKED jg_status jg_builder_new(const char *name, unsigned flags,
                                           jg_kernel_builder **out);
JG_API void jg_builder_release(jg_kernel_builder *builder); /* NULL is fine */

/* Checks the kernel. takes: builder | gives: *out, +1 | raises: the first fault; VALUE or TYPE,
 * naming the instruction; NOMEM. A builder without a fault may be asked again */
JG_API JG_CHECKED jg_status jg_builder_finish(jg_kernel_builder *builder, jg_kernel **out);

/* Sets the line of the source that messages name for the following statements. raises: never */
JG_API void jg_builder_set_line(jg_kernel_builder *builder, int line);

/* Declarations, which come before all statements: an array of any extents and strides; an array of
 * fixed extents and strides in bytes (JG_EXTENT_GIVEN for one that is not fixed; strides NULL:
 * row-major without gaps); a scalar argument; a result. keeps: nothing | raises: never;
 * jg_builder_finish does */
JG_API jg_place jg_builder_array(jg_kernel_builder *builder, const char *name, jg_dtype dtype,
                                 int ndim);
JG_API jg_place jg_builder_array_of(jg_kernel_builder *builder, const char *name, jg_dtype dtype,
                                    int ndim, const int64_t *extents, const int64_t *strides);
JG_API jg_value jg_builder_scalar(jg_kernel_builder *builder, const char *name, jg_dtype dtype);
JG_API void jg_builder_result(jg_kernel_builder *builder, jg_dtype dtype);

/* A local variable of the block, which starts as zero; with a length, an array of that many
 * elements.
 * keeps: nothing | raises: never; jg_builder_finish does */
JG_API jg_place jg_builder_local(jg_kernel_builder *builder, const char *name, jg_dtype dtype,
                                 int length);

/* A constant of the dtype. raises: never; jg_builder_finish does */
JG_API jg_value jg_builder_int(jg_kernel_builder *builder, jg_dtype dtype, int64_t value);
JG_API jg_value jg_builder_float(jg_kernel_builder *builder, jg_dtype dtype, double value);

/* An instruction by its name in the text form, such as "sqrt" and "add", on operands of one
 * dtype. keeps: nothing | raises: never; jg_builder_finish does */
JG_API jg_value jg_builder_unary(jg_kernel_builder *builder, const char *op, jg_value x);
JG_API jg_value jg_builder_binary(jg_kernel_builder *builder, const char *op, jg_value x,
                                  jg_value y);
JG_API jg_value jg_builder_ternary(jg_kernel_builder *builder, const char *op, jg_value x,
                                   jg_value y, jg_value z);
JG_API jg_value jg_builder_cast(jg_kernel_builder *builder, jg_value x, jg_dtype dtype);
JG_API jg_value jg_builder_bitcast(jg_kernel_builder *builder, jg_value x, jg_dtype dtype);

/* Elements of arrays and locals; a single variable has no indices. Indices are of any integer
 * dtype. keeps: nothing | raises: never; jg_builder_finish does */
JG_API jg_value jg_builder_extent(jg_kernel_builder *builder, jg_place array, int axis);
JG_API jg_value jg_builder_load(jg_kernel_builder *builder, jg_place place, int nindices,
                                const jg_value *indices);
JG_API void jg_builder_store(jg_kernel_builder *builder, jg_place place, int nindices,
                             const jg_value *indices, jg_value value);

/* One of add, multiply, minimum, maximum, and, or, xor, exchange. gives: what was there before */
JG_API jg_value jg_builder_atomic(jg_kernel_builder *builder, const char *op, jg_place place,
                                  int nindices, const jg_value *indices, jg_value value);

/* Stores the value in a place of integers if the place holds the expected one. gives: what was
 * there before */
JG_API jg_value jg_builder_compare_exchange(jg_kernel_builder *builder, jg_place place,
                                            int nindices, const jg_value *indices,
                                            jg_value expected, jg_value value);
JG_API jg_value jg_builder_random(jg_kernel_builder *builder, jg_dtype dtype);

/* Blocks. A parallel loop, in the outermost block only, runs over the indices of its ranges in any
 * order; the last varies fastest. block: indices to a chunk, 0 for joggle's choice.
 * gives: indices, one for each range; the index of a `for` | raises: never; jg_builder_finish
 * does */
JG_API void jg_builder_parallel(jg_kernel_builder *builder, int nranges, const jg_value *low,
                                const jg_value *high, int64_t block, jg_value *indices);
JG_API jg_value jg_builder_for(jg_kernel_builder *builder, jg_value low, jg_value high,
                               int64_t step);
JG_API void jg_builder_loop(jg_kernel_builder *builder);
JG_API void jg_builder_if(jg_kernel_builder *builder, jg_value condition);
JG_API void jg_builder_else(jg_kernel_builder *builder);
JG_API void jg_builder_end(jg_kernel_builder *builder);
JG_API void jg_builder_break(jg_kernel_builder *builder);
JG_API void jg_builder_continue(jg_kernel_builder *builder);

/* text has a {} for each value. A printed text ends a line only where it contains a newline.
 * keeps: nothing | raises: never; jg_builder_finish does */
JG_API void jg_builder_assert(jg_kernel_builder *builder, jg_value condition, const char *text,
                              int nvalues, const jg_value *values);
JG_API void jg_builder_print(jg_kernel_builder *builder, const char *text, int nvalues,
                             const jg_value *values);
JG_API void jg_builder_return(jg_kernel_builder *builder, int nvalues, const jg_value *values);

#ifdef __cplusplus
}
#endif
#endif
