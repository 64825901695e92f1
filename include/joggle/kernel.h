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

/* One reference more; one less, the last of which frees the kernel. raises: never | waits: never */
JG_API jg_kernel *jg_kernel_retain(jg_kernel *kernel);
JG_API void jg_kernel_release(jg_kernel *kernel); /* NULL is fine */

/* Its name, and how it declares its arrays, scalars and results; and whether it writes an array.
 * gives: borrowed, valid while the kernel is held | raises: never | waits: never */
JG_API const char *jg_kernel_name(const jg_kernel *kernel);
JG_API int jg_kernel_narrays(const jg_kernel *kernel);
JG_API jg_dtype jg_kernel_array_dtype(const jg_kernel *kernel, int array);
JG_API int jg_kernel_array_ndim(const jg_kernel *kernel, int array);
JG_API bool jg_kernel_array_is_written(const jg_kernel *kernel, int array);
JG_API jg_dtype jg_kernel_scalar_dtype(const jg_kernel *kernel, int scalar);
JG_API int jg_kernel_nscalars(const jg_kernel *kernel);
JG_API int jg_kernel_nresults(const jg_kernel *kernel);

/* Arrays and scalars together, in the order in which they are declared. gives: whether that one is
 * an array; *index: which, among arrays or among scalars */
JG_API bool jg_kernel_parameter_is_array(const jg_kernel *kernel, int parameter, int *index);

/* The name under which it is declared. gives: borrowed, valid while the kernel is held */
JG_API const char *jg_kernel_parameter_name(const jg_kernel *kernel, int parameter);

/* Runs the kernel on memory as it lies. arrays: a view for each array of the kernel, scalars a
 * number for each scalar (integers for integer dtypes), in their order; results, for as many, may
 * be NULL where the kernel has none. The code is compiled for what the arrays' layouts have in
 * common with earlier ones, once. What is pending in the graph and reads memory that the kernel
 * writes is evaluated before; so a lazy array never sees the write.
 * keeps: nothing | gives: *results | raises: TYPE for another dtype; VALUE for another ndim, extent
 * or stride, naming the array; BUFFER for read-only memory that the kernel writes and for
 * misaligned memory; DEVICE; ASSERT, INDEX, VALUE for an assertion that does not hold, naming
 * kernel and line; UNSUPPORTED in a build without a compiler; NOMEM | waits: until it has run; but
 * on a device a kernel over fields alone that gives no results and prints nothing goes on, and the
 * next call that waits raises what it fails with: jg_synchronize, reads of fields and exports */
JG_API JG_CHECKED jg_status jg_kernel_run(jg_kernel *kernel, const jg_view *const *arrays,
                                          const jg_number *scalars, jg_number *results);

/* How a launch has an array's memory, where it lies on a device. owner: an array over that memory,
 * which keeps it; NULL: only the caller does, until the call returns. stream: that of the
 * library which the owner's memory came from; JG_STREAM_UNORDERED where no code writes or frees the
 * memory while the owner is held. Memory of joggle's own that never went out needs none. */
typedef struct jg_kernel_loan {
    jg_array *owner;
    int64_t stream;
} jg_kernel_loan;

/* As jg_kernel_run, with a loan for each array (NULL: none for any). A launch that gives no results
 * and prints nothing goes on when the call returns, where all its memory is on a device and either
 * that of fields or of owners, whose streams are known. Whatever these streams are given from then
 * on comes after it; jg_stream_follow, before the call, sees to what comes before. What earlier
 * launches have failed with may be raised here, and then nothing has run.
 * keeps: the owners' memory, until the launch has run | gives: *results | raises: as jg_kernel_run
 * waits: as jg_kernel_run, but not for launches that go on */
JG_API JG_CHECKED jg_status jg_kernel_start(jg_kernel *kernel, const jg_view *const *arrays,
                                            const jg_kernel_loan *loans, const jg_number *scalars,
                                            jg_number *results);

/* From here on runs draw the random numbers that they drew after an earlier call with the same
 * seed. For the process; unseeded it starts from the system's entropy. raises: never | waits:
 * never */
JG_API void jg_kernel_set_seed(uint64_t seed);

/* The function that gets what kernels print, each text as a whole, from any thread and from several
 * at once; NULL: stdout. To be called while no kernel runs. keeps: context | raises:
 * never */
typedef void jg_kernel_printer(void *context, const char *text);
JG_API void jg_kernel_set_printer(jg_kernel_printer *print, void *context);

/* Whether an array has a derivative beside it. */
typedef enum jg_derived {
    JG_DERIVED_NO,
    JG_DERIVED_YES,
    JG_DERIVED_READ,  /* a gradient that is not used afterwards: it is only read if no element of
                         the array is stored twice, which jg_kernel_array_is_written tells */
    JG_DERIVED_SHARED /* a gradient whose memory is another one's, too: additions to it are
                         atomic. The kernel may only read the array */
} jg_derived;

/* The kernel that carries derivatives backwards: from the gradients of what the kernel writes,
 * which it takes away where the kernel overwrites, to those of what it reads, to which it adds. It
 * has the kernel's arrays and scalars, no results, and behind the arrays, in their order, a
 * gradient of the same shape for each array that gradients says (NULL: for each floating one). It
 * reads the arrays as they are after the kernel has run; jg_kernel_adjoint_check tells whether
 * that is right. gives: *out, +1 | raises: UNSUPPORTED,
 * naming the line of what has no derivative; TYPE if an array is not floating that gradients says;
 * NOMEM | waits: never */
JG_API JG_CHECKED jg_status jg_kernel_adjoint(const jg_kernel *kernel, const jg_derived *gradients,
                                              jg_kernel **out);

/* The kernel that looks whether an adjoint will be right where indices from memory or conditions
 * decide it, to be run before the adjoint: it raises VALUE, naming the lines, where the kernel has
 * overwritten what the adjoint reads, or where iterations of a parallel loop use one element that
 * one of them writes. It has the kernel's arrays and scalars, a bool as its result, which is true
 * and for which launches wait, and behind the arrays, in their order, for each that marked then
 * says an array of zeros of the same shape, of the dtype that jg_kernel_array_dtype tells; it
 * writes those alone. marked has an element for each array.
 * gives: *out, +1, NULL if there is nothing to look at; marked | raises: as jg_kernel_adjoint |
 * waits: never */
JG_API JG_CHECKED jg_status jg_kernel_adjoint_check(const jg_kernel *kernel,
                                                    const jg_derived *gradients, bool *marked,
                                                    jg_kernel **out);

/* Both in less time than one after the other. gives: *adjoint and *check, +1; marked | raises: as
 * jg_kernel_adjoint | waits: never */
JG_API JG_CHECKED jg_status jg_kernel_adjoint_and_check(const jg_kernel *kernel,
                                                        const jg_derived *gradients,
                                                        jg_kernel **adjoint, bool *marked,
                                                        jg_kernel **check);

/* The kernel that does what the kernel does and carries derivatives forwards: the tangents of the
 * arrays that `tangents` selects follow the arrays. gives: *out, +1 | raises: as above | waits:
 * never */
JG_API JG_CHECKED jg_status jg_kernel_tangent(const jg_kernel *kernel, const jg_derived *tangents,
                                              jg_kernel **out);

/* A builder appends one statement a call. It remembers the first fault, ignores what comes after
 * it, and jg_builder_finish raises it; so the calls in between give values and need no checks. They
 * copy names and texts.
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

/* The following statements belong to that line of the source, for messages. raises: never */
JG_API void jg_builder_set_line(jg_kernel_builder *builder, int line);

/* Declarations, before anything else. An array of any extents and strides, one of fixed extents and
 * strides in bytes (JG_EXTENT_GIVEN where not; strides NULL: row-major without gaps), a scalar
 * argument, a result. keeps: nothing | raises: never; jg_builder_finish does */
JG_API jg_place jg_builder_array(jg_kernel_builder *builder, const char *name, jg_dtype dtype,
                                 int ndim);
JG_API jg_place jg_builder_array_of(jg_kernel_builder *builder, const char *name, jg_dtype dtype,
                                    int ndim, const int64_t *extents, const int64_t *strides);
JG_API jg_value jg_builder_scalar(jg_kernel_builder *builder, const char *name, jg_dtype dtype);
JG_API void jg_builder_result(jg_kernel_builder *builder, jg_dtype dtype);

/* A local variable of the block, zero where it is declared; with a length, an array of as many.
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

/* The value into a place of integers that holds what is expected. gives: what was there before */
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

/* text has a {} for each value. What is printed ends a line only where it says so.
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
