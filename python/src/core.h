/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the extension joggle._core share. It binds the public headers and nothing else.
 *
 * A py_array is a handle: a Python object that holds one reference to a jg_array. x[i] = v and x +=
 * y give the handle another array; the array itself never changes. The extension keeps its types in
 * static variables, so a process can load it once.
 *
 * Results follow the C API of Python: a new reference or NULL, 0 or -1, with an exception set. */
#ifndef JG_PY_CORE_H
#define JG_PY_CORE_H

#define PY_SSIZE_T_CLEAN
#include <joggle/joggle.h>
#include <Python.h>

/* Whether the interpreter is going down. Then no thread may ask for its lock any more: it would
 * hang, or be ended where it stands. */
#if PY_VERSION_HEX >= 0x030d0000
#define PY_FINALIZING() Py_IsFinalizing()
#else
#define PY_FINALIZING() _Py_IsFinalizing()
#endif

/* Before 3.13 Python has no critical sections, but always the interpreter lock, which does their
 * work. */
#ifndef Py_BEGIN_CRITICAL_SECTION
#define Py_BEGIN_CRITICAL_SECTION(object) {
#define Py_END_CRITICAL_SECTION() }
#endif

/* status.c */

extern PyObject *py_copy_error; /* joggle.CopyError, a BufferError and a ValueError */

/* The exception that belongs to a status, with the library's message, in which a public function of
 * the package that is written in Python is named. Returns NULL. */
void *py_raise(jg_status status);

/* The same as an exception type of the caller's choice. */
void *py_raise_as(PyObject *type);

/* interrupt.c: that of JG_ERR_INTERRUPTED is what a signal's handler raised. */
void *py_raise_interrupt(void);
void py_interrupt_ready(void);

/* A failure of a buffer's export, which stays raised, is raised again by what the object is asked
 * next before code of Python runs: repeat gives -1 then, else 0. */
void py_interrupt_remember(const PyObject *self);
int py_interrupt_repeat(const PyObject *self);

/* Adds the exceptions to the module. 0 or -1 */
int py_status_ready(PyObject *module);

/* 0, or -1 with the failure as an exception, so that a call of the library reads as one of
 * Python's. Nothing may come between the call and this: the message is that of the thread's last
 * failure. */
static inline int py_check(jg_status status)
{
    return status == JG_OK ? 0 : (py_raise(status), -1);
}

/* The pending exception, taken away while code runs that must not see it, and put back. Both may be
 * called with none pending. */
typedef struct py_pending {
    PyObject *type, *value, *traceback;
} py_pending;
static inline py_pending py_pending_take(void)
{
    py_pending pending = {NULL, NULL, NULL};
    if (PyErr_Occurred())
        PyErr_Fetch(&pending.type, &pending.value, &pending.traceback);
    return pending;
}
static inline void py_pending_restore(py_pending pending)
{
    if (pending.type)
        PyErr_Restore(pending.type, pending.value, pending.traceback);
}

static inline void py_pending_drop(py_pending *pending)
{
    Py_CLEAR(pending->type);
    Py_CLEAR(pending->value);
    Py_CLEAR(pending->traceback);
}

/* An exception of other code may only mean that an object lacks something. All other exceptions,
 * interrupts above all, are kept. Both forget the pending exception, if there is one, and give 0;
 * or leave it and give -1. py_forget_missing: an AttributeError. py_forget_failure: any Exception
 * but a MemoryError. */
static inline int py_forget_missing(void)
{
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_AttributeError))
        return -1;
    PyErr_Clear();
    return 0;
}
static inline int py_forget_failure(void)
{
    if (PyErr_Occurred() &&
        (!PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_MemoryError)))
        return -1;
    PyErr_Clear();
    return 0;
}

/* array.c */

/* The handle. It takes no part in garbage collection: an array knows no Python objects but the
 * owners of imported memory, and those are the library's to let go. */
typedef struct py_array {
    PyObject_HEAD jg_array *array;
    PyObject *weakrefs;
    struct py_lent *lent; /* NULL: none */
} py_array;

extern PyTypeObject *py_array_type;

/* A handle for the array. takes: array, also when it fails; NULL passes a failure on. */
PyObject *py_array_wrap(jg_array *array);

/* Gives the handle another array if it has the expected one still. takes: array | gives: whether it
 * had */
bool py_array_exchange(PyObject *self, const jg_array *expected, jg_array *array);

/* The array's memory stays as it is, and where it is, as long as the handle lives, whatever arrays
 * it is given: for addresses that are told to those who hold the handle alone.
 * keeps: array | gives: 0, or -1 with MemoryError */
int py_array_lend(PyObject *self, jg_array *array);

/* absent.c: attributes that raise AttributeError with what to write instead. 0 or -1 */
int py_add_absent_attributes(PyTypeObject *type);

/* Makes the type of arrays and adds it to the module. 0 or -1 */
int py_array_ready(PyObject *module);

static inline bool py_array_check(PyObject *x)
{
    return Py_IS_TYPE(x, py_array_type);
}

/* The handle's array with a reference of its own: for calls during which another thread may run. */
static inline jg_array *py_array_retain(PyObject *x)
{
    jg_array *array;
    Py_BEGIN_CRITICAL_SECTION(x);
    array = jg_array_retain(((py_array *)x)->array);
    Py_END_CRITICAL_SECTION();
    return array;
}

/* Whether it is a handle of an array that depends on an argument of a function being traced: what
 * is read from it is a constant to the function's derivatives. */
static inline bool py_array_is_traced(PyObject *x)
{
    bool is_traced = false;
    if (!py_array_check(x))
        return false;
    Py_BEGIN_CRITICAL_SECTION(x);
    is_traced = jg_array_is_traced(((py_array *)x)->array);
    Py_END_CRITICAL_SECTION();
    return is_traced;
}

/* The handle's array for calls that keep the interpreter lock and run no Python code; where there
 * is no such lock it takes a reference. Each hold is followed by a drop. Whatever may run Python
 * code retains instead: x[i] = v in there would free the array under its feet. */
#ifdef Py_GIL_DISABLED
static inline jg_array *py_array_hold(PyObject *x)
{
    return py_array_retain(x);
}
static inline void py_array_drop(jg_array *array)
{
    jg_array_release(array);
}
#else
static inline jg_array *py_array_hold(PyObject *x)
{
    return ((py_array *)x)->array;
}
static inline void py_array_drop(jg_array *Py_UNUSED(array))
{
}
#endif

/* evaluate.c */

/* jg_eval and jg_array_view without the interpreter lock while they wait. x, arrays: references of
 * the caller's, as handles may be given others meanwhile. gives: 0 or -1, a status | waits: yes */
int py_evaluate(jg_array *x);
jg_status py_eval(int count, jg_array *const *arrays);
jg_status py_eval_into(int count, jg_array *const *arrays, jg_array *const *places);
int py_view(jg_array *x, jg_view *out);

/* A reference to the array if the host can read its memory, else to a copy that it can. gives: a
 * reference or NULL with an exception */
jg_array *py_on_host(jg_array *x);
extern PyMethodDef py_evaluate_functions[];
extern PyMethodDef py_memory_functions[]; /* memory.c */

/* stream.c */

/* What PY_FASTCALL makes a PyMethodDef of. */
typedef PyObject *py_fastcall(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

/* Calls the function without its keyword argument `stream`, which is the thread's default stream
 * meanwhile. */
PyObject *py_call_on_stream(py_fastcall *function, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames);
bool py_names_stream(PyObject *kwnames); /* whether the keyword is among the names */

/* What a function that makes arrays begins with, to take `stream` beside its own parameters. */
#define PY_ON_STREAM(function, args, nargs, kwnames)                                               \
    if (kwnames && py_names_stream(kwnames))                                                       \
    return py_call_on_stream(function, args, nargs, kwnames)

/* The number by which other libraries know the stream that this thread computes on, of a device
 * that shares streams. 0 or -1 */
int py_stream_number(jg_device_id device, int64_t *out);

extern PyMethodDef py_stream_functions[]; /* of the module, as all lists of this kind */

/* Makes the types of streams and their contexts, which the module has. 0 or -1 */
int py_stream_ready(PyObject *module);

/* random.c */

extern PyMethodDef py_random_functions[];
extern PyMethodDef py_kernel_derive_functions[]; /* kernel_derive.c */

/* dtype.c */

PyObject *py_dtype_object(jg_dtype dtype); /* new reference */

/* A dtype from one of ours, a name, a Python type, or an object that has a name (NumPy's, torch's).
 * Runs Python code for the last kind.
 * gives: 0 or -1 | raises: TypeError */
int py_dtype_from(PyObject *object, jg_dtype *out);
int py_dtype_ready(PyObject *module);
extern PyMethodDef py_inspection_functions[]; /* inspection.c */

/* protocols.c */

/* Whether the class has an __array_ufunc__ of its own, or None for it. Python then tries its
 * operators instead of ours. */
bool py_overrides_ufuncs(PyTypeObject *type);

bool py_is_numpy(PyObject *object); /* whether it is an array of NumPy's itself */
extern PyMethodDef py_protocol_functions[];
extern PyMethodDef py_protocol_methods[];

/* number.c and element.c */

/* 1 for a Python number, with *out set; 0 for anything else, a NumPy scalar included; -1 for an int
 * beyond 64 bits (OverflowError). An int above INT64_MAX becomes a UINT. */
int py_number_from(PyObject *object, jg_number *out);
/* Of an integer that the dtype cannot hold its low bits, with a RuntimeWarning. 0 or -1 */
int py_number_wrap(jg_number *number, jg_dtype dtype);
/* The number as bool, int, float or complex. raises: TypeError for JG_KIND_OPAQUE */
PyObject *py_number_object(jg_number number);

jg_dtype py_number_dtype(jg_dtype_kind kind);   /* of a number that meets no array */
jg_dtype py_number_own_dtype(jg_number number); /* the same; int32 where py_is_narrow() */

/* A 0-d array of the number. like: the array it meets, or NULL for the number's own dtype.
 * raises: OverflowError for an int that the dtype does not hold, MemoryError */
jg_array *py_number_array(jg_number number, const jg_array *like);

/* All elements packed in row-major order, in memory for PyMem_Free; not NULL for an empty array.
 * raises: MemoryError, as jg_eval | waits: until x is in memory */
void *py_array_elements(jg_array *x);

/* What x holds now, in memory of its own, also of dtypes that are stored and exchanged only.
 * gives: a reference or NULL | waits: until it is there */
jg_array *py_snapshot(jg_array *x);

/* arguments.c */

#define PY_MAX_PARAMETERS 12

/* The parameters of a function, required ones first, those that take only a name last. The first
 * npositional_only have no name that callers could use. names ends with NULL. */
typedef struct py_signature {
    int nrequired, npositional, npositional_only;
    const char *names[PY_MAX_PARAMETERS + 1];
} py_signature;

/* Sorts the arguments of a fast call by parameter into out, which has room for all of them; NULL
 * stands for those left out. The objects stay the caller's.
 * raises: TypeError */
int py_arguments(const char *function, const py_signature *signature, PyObject *const *args,
                 Py_ssize_t nargs, PyObject *kwnames, PyObject **out);

/* An int or a sequence of ints. gives: how many there are, -1 on failure. raises: TypeError,
 * ValueError for more than JG_MAX_NDIM and for extents below `lowest` */
int py_extents(const char *argument, PyObject *object, int64_t lowest, int64_t *out);

/* None (*count is -1), an int or a sequence of ints, at most JG_MAX_NDIM. py_axes: the same for the
 * parameter `axis`. gives: 0 or -1 */
int py_ints_or_none(const char *argument, PyObject *object, int *count, int64_t *out);

/* An int, two, or up to JG_MAX_NDIM pairs, one after the other in out, which has room for 2 *
 * JG_MAX_NDIM. gives: how many ints, -1 on failure */
int py_pairs(const char *argument, PyObject *object, int64_t *out);

/* An int, several, two lists of as many, of what stands before and after, or "same" or "valid".
 * gives: how many each, -1 on failure */
int py_sides(const char *argument, PyObject *object, int64_t *low, int64_t *high);

/* An int (count -1) or a sequence of any number of ints. out: zeroed, to be cleared also on
 * failure */
typedef struct py_cuts {
    int count;
    int64_t *values;
} py_cuts;
int py_cuts_from(const char *argument, PyObject *object, py_cuts *out);
void py_cuts_clear(py_cuts *cuts);

/* What __index__ gives. raises: TypeError, OverflowError beyond 64 bits */
int py_int64_from(PyObject *object, int64_t *out);

/* The object of a parameter; what is left out (NULL) leaves *out as it is. gives: 0 or -1 */
int py_int64_argument(const char *argument, PyObject *object, int64_t *out);
/* The same, but a value beyond 64 bits becomes the nearest one that fits. */
int py_offset_argument(const char *argument, PyObject *object, int64_t *out);
/* An array of floats whose derivative would be lost in a number. gives: 0 or -1 with ValueError */
int py_refuse_differentiated(const char *argument, PyObject *object);
int py_double_argument(const char *argument, PyObject *object, double *out);
int py_flag(PyObject *object, bool *out);
int py_text(const char *argument, PyObject *object, const char **out); /* valid as long as object */

/* The same for parameters that may be None: *out is NULL then, else it points to *value. An int
 * that is left out leaves *out as it is. */
int py_int64_or_none(const char *argument, PyObject *object, int64_t *value, const int64_t **out);
int py_double_or_none(const char *argument, PyObject *object, double *value, const double **out);
int py_dtype_or_none(PyObject *object, jg_dtype *value, const jg_dtype **out);

/* A count of axes (*naxes; the default is in it before, and -1 stands for one below 0), or two
 * lists of axes of one length. gives: 0 or -1 | raises: TypeError, ValueError */
int py_axis_pairs(PyObject *object, int *naxes, int64_t axes[2][JG_MAX_NDIM], bool *is_count);

/* copy=None, False or True, or what counts as one of the last two. NULL counts as None. */
int py_copy_from(PyObject *object, jg_copy_policy *out);

/* device=None, "cpu", "cpu:0", (1, 0); *out is the default device for None. raises: ValueError for
 * a device without a back end, TypeError */
int py_device_from(PyObject *object, jg_device_id *out);
/* Extents, strides or axes as a tuple of ints. */
PyObject *py_shape_object(int ndim, const int64_t *shape);

/* device.c */

PyObject *py_device_object(jg_device_id device); /* a Device; new reference */

/* The array on the device that the argument names; where it names none, as it is. takes: array,
 * NULL after a failure. New reference */
PyObject *py_on_device(PyObject *array, PyObject *device);
PyObject *py_move(PyObject *array, jg_device_id device); /* the same for a device */
int py_device_ready(PyObject *module);

/* ops.c */

/* Ops as the operators and attributes are given them. */
typedef jg_status py_unary_op(jg_array *, jg_array **);
typedef jg_status py_binary_op(jg_array *, jg_array *, jg_array **);

extern PyMethodDef py_op_functions[];
extern PyMethodDef py_op_methods[];

/* operand.c */

/* An operand, with a reference: a handle's array, or one that was made for the op. Making the next
 * operand may run Python code, which may give the handle another array. Zero-initialised it is
 * none, and may be cleared. */
typedef struct py_operand {
    jg_array *array;
} py_operand;

/* What an operand may be made from: an operator leaves lists and strangers to the other side. */
typedef enum py_operand_mode { PY_OPERATOR, PY_FUNCTION } py_operand_mode;

/* 1 with *out set, 0 if the object is not an operand (only PY_OPERATOR), -1. like: the array that a
 * Python number takes its dtype from, or NULL. Runs Python code for what is neither an array nor a
 * number. */
int py_operand_from(PyObject *object, const jg_array *like, py_operand_mode mode, py_operand *out);
int py_operand_real(PyObject *object, py_operand *out); /* numbers become float64 */
void py_operand_clear(py_operand *operand);

/* The same for a parameter that may be None: *out, zeroed before, stays as it is. 0 or -1 */
int py_operand_or_none(PyObject *object, py_operand *out);

/* Two operands, one of which need not be an array. 1, 0 or -1 as above. */
int py_operands_from(PyObject *a, PyObject *b, py_operand_mode mode, py_operand *x1,
                     py_operand *x2);

/* Checks that a required operand is not None. raises: TypeError */
bool py_operand_given(const char *argument, PyObject *object);

/* Several operands, of which Python numbers take the dtype of the first that is not one. Where the
 * object is NULL or None the operand stays as it is. out: zeroed, to be cleared also on failure */
int py_operands_weak(int count, PyObject *const *objects, py_operand *const *out);

/* In MLX uint64 and a signed integer promote to float32: both operands are cast to it. 0 or -1 */
int py_operands_without_uint64(py_operand *x1, py_operand *x2);

/* The operands of a sequence, and their arrays in a row, as the library takes them. The arrays
 * belong to the operands. */
typedef struct py_operand_list {
    int count;
    py_operand *operands;
    jg_array **arrays;
} py_operand_list;

/* out: zeroed, to be cleared also on failure */
int py_operand_list_from(const char *argument, PyObject *object, py_operand_list *out);
int py_operand_list_each(PyObject *const *objects, Py_ssize_t count, py_operand_list *out);
void py_operand_list_clear(py_operand_list *list);

/* What an op gave that gives several arrays, as one object, or the exception of its failure. takes:
 * the list's arrays, also when it fails */
PyObject *py_tuple_of(jg_status status, jg_array_list *out);

/* A tuple with names. What is known of its type; `type` is NULL until one is made. */
typedef struct py_named {
    const char *name;
    int count;
    PyStructSequence_Field fields[8]; /* one more, at the end, is empty */
    PyTypeObject *type;
} py_named;

/* py_tuple_of with names, as a list, and without the tuple around a single array. */
PyObject *py_named_of(jg_status status, jg_array_list *out, py_named *named);
PyObject *py_list_of(jg_status status, jg_array_list *out);
PyObject *py_one_or_tuple_of(jg_status status, jg_array_list *out);

/* index_key.c */

/* The most that an index can hold: each axis, as many new axes, an ellipsis. */
#define PY_MAX_ITEMS (2 * JG_MAX_NDIM + 1)

/* The items of an index, and the arrays among them. */
typedef struct py_key {
    int count, narrays;
    jg_device_id device; /* where what is no array of ours is put */
    jg_index items[PY_MAX_ITEMS];
    jg_array *arrays[PY_MAX_ITEMS]; /* one reference each */
} py_key;

/* An index of `self`. gives: 0, for py_key_clear, or -1 | raises: TypeError, IndexError */
int py_key_from(PyObject *self, PyObject *object, py_key *out);
void py_key_clear(py_key *key);

/* at.c */

/* The getter of an array's attribute `at`. */
PyObject *py_array_at(PyObject *self, void *closure);

/* Makes the types of what it gives. 0 or -1 */
int py_at_ready(void);

/* operators.c, attributes.c, index.c, repr.c, buffer.c: what array.c makes the type of */

/* What the operator gives for a and b, one of which is ours: a reference, also NotImplemented. */
PyObject *py_binary(PyObject *a, PyObject *b, py_binary_op *op);
extern PyType_Slot py_operator_slots[];
extern PyGetSetDef py_array_attributes[];
extern PyMethodDef py_array_methods[];
Py_ssize_t py_array_length(PyObject *self);
PyObject *py_array_row(PyObject *self, Py_ssize_t at);
PyObject *py_array_subscript(PyObject *self, PyObject *key);
int py_array_assign(PyObject *self, PyObject *key, PyObject *value);
/* What x[key] combined with the value makes of x: a new array, the handle keeps its own. waits: for
 * masks in the key */
jg_array *py_array_combined(PyObject *self, PyObject *key, jg_scatter_mode mode, PyObject *value);
PyObject *py_array_repr(PyObject *self);
PyObject *py_array_str(PyObject *self);
extern PyMethodDef py_print_functions[];                     /* print_options.c */
PyObject *py_array_reduce(PyObject *self, PyObject *unused); /* pickle.c */
extern PyMethodDef py_pickle_functions[];
int py_array_getbuffer(PyObject *self, Py_buffer *buffer, int flags);
void py_array_releasebuffer(PyObject *self, Py_buffer *buffer);
PyObject *py_array_interface(PyObject *self, void *closure);
PyObject *py_array_numpy(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                         PyObject *kwnames);
PyObject *py_array_tolist(PyObject *self, PyObject *unused);
int py_array_contains(PyObject *self, PyObject *value); /* numpy_methods.c */
extern PyMethodDef py_numpy_methods[];
extern PyMethodDef py_rounding_methods[]; /* rounding.c */

/* The dtype of a kind and width as NumPy's protocols have them; bits of both parts for complex.
 * false if there is none. */
bool py_dtype_of_kind(jg_dtype_kind kind, int bits, jg_dtype *out);

/* The letter of a kind in NumPy's type strings, 'f' of "<f4"; '\0' of opaque elements. */
char py_kind_letter(jg_dtype_kind kind);

/* The character of the struct module for a dtype, NULL if NumPy's protocols cannot say it. */
const char *py_format_of(jg_dtype dtype);

/* convert.c and its steps */

/* How an object shall become an array. Zero-initialised: shared where possible, in its own
 * dtype. */
typedef struct py_request {
    jg_copy_policy copy;
    bool has_dtype;
    jg_dtype dtype;
} py_request;

/* Any object as an array; docs/precedence.md lists what it may be, in order. */
jg_array *py_asarray(PyObject *object, const py_request *request);

/* What another library or the system gave, on the default device, to which it is copied where that
 * is not the host. takes: x; NULL passes a failure on | gives: a reference or NULL */
jg_array *py_on_default(jg_array *x);
jg_array *py_beside(jg_array *x, jg_device_id device);   /* the same for a device */
jg_array *py_uncommitted(PyObject *object, jg_array *x); /* x, made of NumPy's or another object */

/* py_asarray for an object for which no device was named; copy=False shares memory where it is. */
jg_array *py_asarray_anywhere(PyObject *object, const py_request *request);

/* One step of the order: 1 with *out set, 0 if the object does not speak the protocol, -1. A step
 * that fails with BufferError (but not CopyError) leaves the object to the steps after it. */
typedef int py_conversion(PyObject *object, const py_request *request, jg_array **out);
py_conversion py_convert_sequence;  /* sequence.c */
py_conversion py_convert_buffer;    /* buffer_import.c */
py_conversion py_convert_interface; /* interface.c */

extern PyMethodDef py_convert_functions[];

/* Makes the names of the protocols. 0 or -1 */
int py_convert_ready(void);

extern PyMethodDef py_creation_functions[];

/* x in the request's dtype, if it has one. takes: x, also when it fails; NULL passes a failure
 * on */
jg_array *py_cast(jg_array *x, const py_request *request);

/* jg_array_take_view for memory that a Python object keeps: the object is let go, with the
 * interpreter lock held, when the memory is no longer used. buffer: to be released too, or NULL; it
 * is moved. */
jg_array *py_take_view(const jg_view *view, jg_copy_policy copy, PyObject *owner,
                       Py_buffer *buffer);

/* A Python object as the owner of memory. buffer: to be released with it, or NULL; it is moved,
 * also when this fails. py_owner_release may be called on any thread, with or without the
 * interpreter lock; an exception that is pending there stays.
 * keeps: object, until then | raises: MemoryError */
typedef struct py_owner py_owner;
py_owner *py_owner_new(PyObject *object, Py_buffer *buffer);
void py_owner_release(void *owner);

#include "exchange.h"

/* field.c and the files beside it */

extern PyTypeObject *py_field_type; /* the base of the classes of fields */

static inline bool py_field_check(PyObject *x)
{
    return PyObject_TypeCheck(x, py_field_type);
}

/* The field's values: its memory where that can be and the policy allows. New reference or NULL */
jg_array *py_field_array(PyObject *self, jg_copy_policy copy);

/* Make the types of fields, and of nodes of their trees, and add them to the module. 0 or -1 */
int py_field_ready(PyObject *module);
int py_field_nest_ready(PyObject *module);

/* kernel.c */

/* The view of memory that was got with PyBUF_RECORDS_RO. *fits is false where a stride is no whole
 * number of elements. 0 or -1 */
int py_buffer_view(const Py_buffer *buffer, jg_view *out, bool *fits); /* buffer_import.c */

extern PyMethodDef py_kernel_functions[];

/* Makes the type of kernels and adds it to the module; what kernels print goes to Python's output.
 * 0 or -1 */
int py_kernel_ready(PyObject *module);

/* kernel_dispatch.c */

extern PyMethodDef py_dispatch_functions[];

/* Makes the type of what calls kernels and adds it to the module. 0 or -1 */
int py_dispatch_ready(PyObject *module);

/* bridge.c */

/* The functions of joggle/python.h for other extensions. New reference or NULL */
PyObject *py_bridge_capsule(void);

/* A function or method that takes its arguments in a C array, as a PyMethodDef wants it. */
#define PY_FASTCALL(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS

#endif
