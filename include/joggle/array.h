/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays: immutable values, each a node of a lazy graph until it is evaluated.
 *
 * Building (the functions of ops.h) works out dtype and shape at once and computes nothing.
 * Evaluation fuses what has been built and runs it. All functions may be called from any thread;
 * one array may be used by many threads at once. Reference counts are atomic. */
#ifndef JOGGLE_ARRAY_H
#define JOGGLE_ARRAY_H

#include <joggle/device.h>
#include <joggle/dtype.h>
#include <joggle/view.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jg_array jg_array;

/* How far the computation of an array has come. */
typedef enum jg_array_state {
    JG_ARRAY_UNSCHEDULED, /* a node of the graph, nothing computed */
    JG_ARRAY_SCHEDULED,   /* being computed, or queued for it */
    JG_ARRAY_AVAILABLE,   /* in memory */
    JG_ARRAY_FAILED       /* its computation failed; the next wait tells how */
} jg_array_state;

/* Lengths of lists that are no lengths, where a function says that it takes them. */
enum {
    JG_NONE = -1,       /* no list: Python's None */
    JG_ALL_AXES = -1,   /* no list of axes, so all of them */
    JG_EQUAL_PARTS = -1 /* no list of cuts but one number of equal parts */
};

/* One more reference. keeps: x | gives: x itself | raises: never | waits: never */
JG_API jg_array *jg_array_retain(jg_array *x);

/* One reference less; the last one frees the array and, with it, its memory or its producer's
 * tensor. NULL is fine. raises: never | waits: never */
JG_API void jg_array_release(jg_array *x);

/* Several arrays that a function gives at once. */
typedef struct jg_array_list {
    int count;
    jg_array **arrays;
} jg_array_list;

/* Releases the arrays and the list's memory; an empty one is fine. raises: never | waits: never */
JG_API void jg_array_list_clear(jg_array_list *list);

/* The dtype of the elements. raises: never | waits: never */
JG_API jg_dtype jg_array_dtype(const jg_array *x);

/* The number of axes, 0 to JG_MAX_NDIM, and their extents.
 * gives: the shape, ndim numbers, borrowed as long as x | raises: never | waits: never */
JG_API int jg_array_ndim(const jg_array *x);
JG_API const int64_t *jg_array_shape(const jg_array *x);

/* The distances from one index of an axis to the next in memory, in elements, or in the memory that
 * x will have. gives: the strides, ndim numbers, borrowed as long as x | raises: never */
JG_API const int64_t *jg_array_strides(const jg_array *x);

/* The number of elements; their bytes without gaps between them; the device that x is computed on.
 * raises: never | waits: never */
JG_API int64_t jg_array_size(const jg_array *x);
JG_API size_t jg_array_nbytes(const jg_array *x);
JG_API jg_device_id jg_array_device(const jg_array *x);

/* How far x is; another thread may bring it further meanwhile. raises: never | waits: never */
JG_API jg_array_state jg_array_current_state(const jg_array *x);

/* Memory with whatever lies in it.
 * gives: *out, +1 | raises: VALUE for ndim or a negative extent, NOMEM | waits: never */
JG_API JG_CHECKED jg_status jg_empty(jg_dtype dtype, int ndim, const int64_t *shape,
                                     jg_array **out);

/* One value everywhere; takes no memory until it is evaluated or written to.
 * gives: *out, +1 | raises: VALUE, also for a number that the dtype cannot hold, NOMEM */
JG_API JG_CHECKED jg_status jg_full(jg_dtype dtype, int ndim, const int64_t *shape, jg_number value,
                                    jg_array **out);

/* start, start + step, ... below stop (above it for a negative step), in dtype. The numbers are
 * real; they count as FLOAT if one of them is. Integers after the first wrap where the dtype cannot
 * hold them, and a bool has two elements at most, both as in NumPy. gives: *out, +1 | raises: VALUE
 * for step 0, a count beyond int64, a start that the dtype cannot hold or a step that int64 cannot;
 * TYPE, also for complex numbers and for more than two bools; NOMEM */
JG_API JG_CHECKED jg_status jg_arange(jg_dtype dtype, jg_number start, jg_number stop,
                                      jg_number step, jg_array **out);

/* A copy of packed row-major elements. keeps: nothing | gives: *out, +1 | raises: VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_array_from_data(const void *data, jg_dtype dtype, int ndim,
                                               const int64_t *shape, jg_array **out);

/* Whether x was asked for on its device. If not, it goes to the device of the arrays beside it in
 * an op, as numbers and ranges do. x: just made, and known to no other thread. raises: never */
JG_API void jg_array_set_committed(jg_array *x, bool committed);

/* A 0-d array of a host number that meets `like` in an op: an int takes like's dtype, a float
 * beside integers takes the default float, and so on. An int that like's dtype cannot hold is
 * refused.
 * keeps: nothing | gives: *out, +1 | raises: VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_array_from_number(jg_number value, const jg_array *like,
                                                 jg_array **out);

/* One item of an index: an integer (drops the axis), a slice, a new axis, an ellipsis, or an array:
 * integers of any width for one axis, negative ones counting from the end, or a mask of bools for
 * as many axes as it has. */
typedef struct jg_index {
    enum { JG_INDEX_AT, JG_INDEX_SLICE, JG_INDEX_NEW_AXIS, JG_INDEX_ELLIPSIS, JG_INDEX_ARRAY } kind;
    int64_t start, stop, step;          /* AT uses start */
    bool has_start, has_stop, has_step; /* a bound left out, as in Python */
    jg_array *array;                    /* ARRAY's, borrowed */
} jg_index;

/* Indexes as NumPy does: without arrays among the items the result is a view, otherwise a copy of
 * the chosen elements. The numbers in index arrays are checked when the result is computed. keeps:
 * x, arrays | gives: *out, +1
 * raises: INDEX for an integer outside its axis (naming it), too many items or arrays that do not
 * broadcast, VALUE for step 0 and an unknown kind, TYPE | waits: for masks */
JG_API JG_CHECKED jg_status jg_slice(jg_array *x, int nitems, const jg_index *items,
                                     jg_array **out);

/* How an update is combined with the element that an index chooses. */
typedef enum jg_scatter_mode {
    JG_SCATTER_SET,
    JG_SCATTER_ADD,
    JG_SCATTER_SUBTRACT,
    JG_SCATTER_MULTIPLY,
    JG_SCATTER_DIVIDE,
    JG_SCATTER_POWER,
    JG_SCATTER_MAXIMUM,
    JG_SCATTER_MINIMUM,
    JG_SCATTER_COUNT
} jg_scatter_mode;

/* A value like x but with `value` (broadcast, cast to x's dtype) at the index. x itself is
 * unchanged. Of elements that are chosen several times, the last one holds. keeps: x, arrays, value
 * | gives: *out, +1 | raises: as jg_slice; VALUE for a shape that does not fit, NOMEM | waits: for
 * masks, but not where the value does not vary along them */
JG_API JG_CHECKED jg_status jg_slice_update(jg_array *x, int nitems, const jg_index *items,
                                            jg_array *value, jg_array **out);

/* The same with the elements there and the value combined. An element that is chosen several times
 * takes in each of its values, in row-major order of the index. raises: as jg_slice_update; TYPE
 * for a value of a higher kind than x's, and where the mode has no meaning for x's dtype | waits:
 * for masks */
JG_API JG_CHECKED jg_status jg_slice_combine(jg_array *x, int nitems, const jg_index *items,
                                             jg_scatter_mode mode, jg_array *value, jg_array **out);

/* Computes the arrays and waits. keeps: nothing | raises: VALUE, NOMEM, UNSUPPORTED, LIBRARY,
 * INTERRUPTED, and what running raised, with the op's name | waits: until all are in memory */
JG_API JG_CHECKED jg_status jg_eval(int count, jg_array *const *arrays);

/* jg_eval for a caller that holds a lock which other threads may need meanwhile, such as an
 * interpreter's lock. leave(context) is called at most once, on this thread, before the call waits
 * for another thread or computes for more than some ten microseconds; it lets go of the lock, and
 * must not call joggle. Where all is small it is not called, and the lock stays with the caller.
 * keeps: nothing | raises: as jg_eval | waits: until all are in memory */
JG_API JG_CHECKED jg_status jg_eval_leaving(int count, jg_array *const *arrays,
                                            void (*leave)(void *context), void *context);

/* jg_eval_leaving that puts values into memory of others: where targets[i] is not NULL, the memory
 * that it lies over has the values of arrays[i] afterwards. They are computed there where that is
 * possible, else copied; then arrays[i] lies over the target, and is to be dropped. What the
 * evaluation reads of a target are its old values. Targets that overlap get values of either.
 * targets: imported, writable, on the host, each of the dtype and shape of its array; held by the
 * caller, which alone has them if they are not to be copied to
 * keeps: nothing | raises: as jg_eval, after which some targets may be written; VALUE, BUFFER
 * | waits: until all are in memory */
JG_API JG_CHECKED jg_status jg_eval_into(int count, jg_array *const *arrays,
                                         jg_array *const *targets, void (*leave)(void *context),
                                         void *context);

/* jg_eval without waiting: returns once the work is enqueued. Work that is small is done at once.
 * raises: VALUE, NOMEM, UNSUPPORTED; for small work as jg_eval | waits: never for the work
 * itself */
JG_API JG_CHECKED jg_status jg_eval_async(int count, jg_array *const *arrays);

/* Waits for everything enqueued so far on every stream. Failures of this work are told by its
 * results, so the status may be ignored if no signal interrupts. raises: INTERRUPTED | waits:
 * yes */
JG_API jg_status jg_synchronize(void);

/* Evaluates, waits and describes the memory. The view borrows x: valid while x is held. It is
 * marked read-only where the memory must not be written through it.
 * gives: *out | raises: as jg_eval | waits: until x is in memory */
JG_API JG_CHECKED jg_status jg_array_view(jg_array *x, jg_view *out);

/* x on the device: x itself if it is there, otherwise a copy, which is a node of the graph. All
 * operands of an op must be on one device; numbers, ranges, uncommitted arrays, and arrays that are
 * made only of these follow the other operands. keeps: x | gives: *out, +1 | raises: DEVICE for a
 * device without a back end, NOMEM; for a dtype that is only stored, as jg_array_copy_to | waits:
 * for such a dtype, until x is in memory */
JG_API JG_CHECKED jg_status jg_to_device(jg_array *x, jg_device_id device, jg_array **out);

/* Evaluates and copies all elements, packed and row-major, to data, which has nbytes bytes.
 * raises: VALUE if nbytes is not jg_array_nbytes(x), else as jg_eval | waits: until done */
JG_API JG_CHECKED jg_status jg_array_copy_to(jg_array *x, void *data, size_t nbytes);

/* The one element of an array of size 1. gives: *out | raises: VALUE for another size, as jg_eval
 * waits: until x is in memory */
JG_API JG_CHECKED jg_status jg_array_item(jg_array *x, jg_number *out);

/* The order in which jg_einsum would contract the operands: for each of count - 1 steps the
 * positions of two among those that are left, the smaller first; their product comes behind the
 * others. path: memory for 2 * (count - 1). gives: *path | raises: as jg_einsum | waits: never */
JG_API JG_CHECKED jg_status jg_einsum_path(const char *subscripts, int count,
                                           jg_array *const *operands, int *path);

/* The bytes of the memory that the arrays lie in, each block once; those that are not evaluated
 * have none. raises: never | waits: never */
JG_API size_t jg_buffers_nbytes(int count, jg_array *const *arrays);

/* The graph of the arrays as Graphviz text, what is not yet computed in boxes by fused group.
 * gives: *out, for jg_text_release | raises: VALUE, NOMEM | waits: never */
JG_API JG_CHECKED jg_status jg_export_dot(int count, jg_array *const *arrays, char **out);

/* The plan that an evaluation of the arrays would run as text: a line for each launch, with the ops
 * that are fused in it, its index space, and the bytes that it reads and writes; then the sums and
 * the temporaries. gives: *out, for jg_text_release | raises: VALUE, NOMEM, UNSUPPORTED | waits:
 * never */
JG_API JG_CHECKED jg_status jg_explain(int count, jg_array *const *arrays, char **out);

/* The elements as text: "[[1.0, 2.0],\n [3.0, 4.0]]". Floats have the fewest digits that read back
 * as the same number in their dtype. Of more than 1,000 elements three at each end of an axis are
 * shown. gives: *out, for jg_text_release | raises: as jg_eval; TYPE for opaque handles | waits:
 * until x is in memory */
JG_API JG_CHECKED jg_status jg_array_text(jg_array *x, char **out);

/* Frees a text that a function above gave. NULL is fine. raises: never | waits: never */
JG_API void jg_text_release(char *text);

#ifdef __cplusplus
}
#endif
#endif
