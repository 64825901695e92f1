/* SPDX-License-Identifier: Apache-2.0 */
/* The ops as functions of the module and methods of the array, from the rows of op_methods.h.
 *
 * A row's FORM names the function that reads its arguments: call_FORM, from op_forms.h or, where
 * Python's function has a parameter more than C's, below. The thin functions that the rows expand
 * to give it the op. */
#include "base/naming.h"
#include "op/op.h"

/* out is passed by address, as it is set while the other argument is worked out. */
static PyObject *result_of(jg_status status, jg_array *const *out)
{
    return status == JG_OK ? py_array_wrap(*out) : py_raise(status);
}

#include "op_forms.h"

typedef jg_status cast_op(jg_array *, jg_dtype, jg_array **);

/* An array that has the dtype already is copied, as the standard has it, but for copy=False, which
 * gives it back as it is, and None. */
static PyObject *with_own_dtype(const py_operand *x, PyObject *given, jg_copy_policy copy)
{
    jg_array *out;
    if (copy == JG_COPY_ALWAYS)
        return result_of(jg_copy(x->array, &out), &out);
    return py_array_check(given) ? Py_NewRef(given) : py_array_wrap(jg_array_retain(x->array));
}

static PyObject *call_CAST(const char *name, cast_op *op, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *kwnames)
{
    static const py_signature signature = {2, 2, 1, {"x", "dtype", "copy", "device"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    py_operand x;
    jg_array *out;
    jg_dtype dtype;
    jg_copy_policy copy;
    jg_device_id device;
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_device_from(slots[3], &device) < 0 || py_dtype_from(slots[1], &dtype) < 0 ||
        py_copy_from(slots[2], &copy) < 0 || py_operand_from(slots[0], NULL, PY_FUNCTION, &x) < 0)
        return NULL;
    if (slots[2] == NULL)
        copy = JG_COPY_ALWAYS;
    py_dtype_widen(slots[1], jg_array_dtype(x.array), &dtype);
    PyObject *result = jg_array_dtype(x.array) == dtype
                           ? with_own_dtype(&x, slots[0], copy)
                           : result_of(py_called(name, op(x.array, dtype, &out)), &out);
    py_operand_clear(&x);
    return py_on_device(result, slots[3]);
}

typedef jg_status reshape_op(jg_array *, int, const int64_t *, jg_array **);

/* Calls jg_reshape_as, the function that takes copy=, in place of the op. */
static PyObject *call_RESHAPED(const char *name, reshape_op *Py_UNUSED(op), PyObject *const *args,
                               Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 2, 1, {"x", "shape", "copy"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    int64_t shape[JG_MAX_NDIM];
    jg_copy_policy copy;
    jg_array *out;
    py_operand x;
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_copy_from(slots[2], &copy) < 0)
        return NULL;
    int ndim = py_extents("shape", slots[1], -1, shape);
    if (ndim < 0 || py_operand_from(slots[0], NULL, PY_FUNCTION, &x) < 0)
        return NULL;
    result = result_of(py_called(name, jg_reshape_as(x.array, ndim, shape, copy, &out)), &out);
    py_operand_clear(&x);
    return result;
}

typedef jg_status einsum_op(const char *, int, jg_array *const *, jg_array **);

/* einsum(subscripts, *operands): only the first argument is sorted, the others are all operands. */
static PyObject *call_EINSUM(const char *name, einsum_op *op, PyObject *const *args,
                             Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 1, {"subscripts"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    py_operand_list operands = {0};
    jg_array *out;
    if (py_arguments(name, &signature, args, nargs > 0, kwnames, slots) < 0)
        return NULL;
    const char *subscripts;
    PyObject *rest =
        py_text("subscripts", slots[0], &subscripts) == 0 ? PyTuple_New(nargs - 1) : NULL;
    for (Py_ssize_t i = 1; rest && i < nargs; ++i)
        PyTuple_SET_ITEM(rest, i - 1, Py_NewRef(args[i]));
    if (rest && py_operand_list_from("operands", rest, &operands) == 0)
        result =
            result_of(py_called(name, op(subscripts, operands.count, operands.arrays, &out)), &out);
    py_operand_list_clear(&operands);
    Py_XDECREF(rest);
    return result;
}

/* Whether a keyword of numpy_keyword.def is among the names. Their few names are compared first. */
static bool names_numpys(const char *function, PyObject *kwnames)
{
    static const struct {
        const char *function, *keyword;
    } rows[] = {
#define PY_NUMPY(function, keyword, type) {#function, #keyword},
#include "op/numpy_keyword.def"
#undef PY_NUMPY
    };
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kwnames); ++i) {
        const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(kwnames, i));
        bool known = name && strchr("oiwda", name[0]) &&
                     (strcmp(name, "out") == 0 || strcmp(name, "where") == 0 ||
                      strcmp(name, "initial") == 0 || strcmp(name, "dtype") == 0 ||
                      strcmp(name, "deg") == 0 || strcmp(name, "assume_unique") == 0);
        for (size_t row = 0; known && row < Py_ARRAY_LENGTH(rows); ++row)
            if (strcmp(rows[row].keyword, name) == 0 && strcmp(rows[row].function, function) == 0)
                return true;
        if (!name)
            PyErr_Clear(); /* sorting the arguments tells */
    }
    return false;
}

/* module.call(function, args, kwargs) */
static PyObject *call_python(const char *name, const char *function, PyObject *const *args,
                             Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *positional = PyTuple_New(nargs), *named = PyDict_New(), *result = NULL;
    for (Py_ssize_t i = 0; positional && i < nargs; ++i)
        PyTuple_SET_ITEM(positional, i, Py_NewRef(args[i]));
    int status = positional && named ? 0 : -1;
    Py_ssize_t nnamed = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t i = 0; status == 0 && i < nnamed; ++i)
        status = PyDict_SetItem(named, PyTuple_GET_ITEM(kwnames, i), args[nargs + i]);
    PyObject *module = status == 0 ? PyImport_ImportModule(name) : NULL;
    if (module)
        result = PyObject_CallMethod(module, "call", "sOO", function, positional, named);
    Py_XDECREF(module);
    Py_XDECREF(named);
    Py_XDECREF(positional);
    return result;
}

/* The function of that name in Python, for the op of that name in C. */
#define PY_FUNCTION(function, name, form)                                                          \
    static PyObject *function_##function(PyObject *Py_UNUSED(module), PyObject *const *args,       \
                                         Py_ssize_t nargs, PyObject *kwnames)                      \
    {                                                                                              \
        PY_ON_STREAM(function_##function, args, nargs, kwnames);                                   \
        if (kwnames && names_numpys(#name, kwnames))                                               \
            return call_python("joggle._numpy._keywords", #name, args, nargs, kwnames);            \
        PyObject *result = call_##form(#function, jg_##name, args, nargs, kwnames);                \
        return result ? result : py_name_failure(#function);                                       \
    }
#define PY_OP(name, form, method, signature, doc) PY_FUNCTION(name, name, form)
#define PY_ALIAS(alias, name, form, method, signature, doc) PY_FUNCTION(alias, name, form)
#include "op_methods.h"
#undef PY_OP
#undef PY_ALIAS

static PyObject *places_where(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                              PyObject *kwnames)
{
    PY_ON_STREAM(places_where, args, nargs, kwnames);
    (void)module;
    PyObject *result = call_TRUE_INDICES("where", jg_nonzero, args, nargs, kwnames);
    return result ? result : py_name_failure("where");
}

/* where(condition) alone tells the places, as in NumPy. */
static PyObject *where_or_nonzero(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                                  PyObject *kwnames)
{
    return nargs == 1 ? places_where(module, args, nargs, kwnames)
                      : function_where(module, args, nargs, kwnames);
}

/* Whether one of the bounds is an array: a number would lose its derivative and its dtype. */
static bool is_any_array(PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    bool found = false;
    Py_ssize_t count = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    for (Py_ssize_t i = 0; i < count; ++i)
        found = found || py_array_check(args[i]);
    return found;
}

/* With arrays as arguments, these ops are written in Python. */
#define SPACED(name)                                                                               \
    static PyObject *spaced_##name(PyObject *module, PyObject *const *args, Py_ssize_t nargs,      \
                                   PyObject *kwnames)                                              \
    {                                                                                              \
        PY_ON_STREAM(spaced_##name, args, nargs, kwnames);                                         \
        return is_any_array(args, nargs, kwnames)                                                  \
                   ? call_python("joggle._spaced", #name, args, nargs, kwnames)                    \
                   : function_##name(module, args, nargs, kwnames);                                \
    }
SPACED(linspace)
SPACED(logspace)

/* A later row of a name is the one that the module gets. */
PyMethodDef py_op_functions[] = {
#define PY_OP(name, form, method, signature, doc)                                                  \
    {#name, PY_FASTCALL(function_##name), #name signature doc},
#define PY_ALIAS(alias, name, form, method, signature, doc)                                        \
    {#alias, PY_FASTCALL(function_##alias), #alias signature doc},
#include "op_methods.h"
#undef PY_OP
#undef PY_ALIAS
    {"linspace", PY_FASTCALL(spaced_linspace),
     "linspace(start, stop, num=50, endpoint=True, dtype=None, *, device=None, stream=None)\n--\n\n"
     "num numbers evenly from start to stop, which is the last if it is to be one.\n\ndtypes: "
     "anything computable, unchanged.\nshape: (num,).\nraises: TypeError, ValueError.\n\n>>> "
     "jg.linspace(0, 1, 5)\narray([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)"},
    {"logspace", PY_FASTCALL(spaced_logspace),
     "logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, *, device=None, "
     "stream=None)\n--\n\n"
     "base raised to linspace(start, stop, num, endpoint).\n\ndtypes: anything computable, "
     "unchanged.\nshape: (num,).\nraises: TypeError, ValueError.\n\n>>> jg.logspace(0, 2, 3)\n"
     "array([  1.,  10., 100.], dtype=float32)"},
    {"where", PY_FASTCALL(where_or_nonzero), /* instead of the row's */
     "where(condition, x1, x2, /, *, stream=None)\n--\n\n"
     "x1 where the condition holds, else x2; of a condition alone, where it is not zero.\n\n"
     ">>> jg.where([True, False], [1, 2], 0)\n"
     "array([1, 0], dtype=int64)"},
    {NULL, NULL, 0, NULL},
};

/* x.op(...) is op(x, ...). Extents may also be given one by one: x.reshape(2, 3). */
static PyObject *
call_method(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
            PyObject *(*function)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *),
            bool takes_extents)
{
    PyObject *all[2 * PY_MAX_PARAMETERS] = {self}, *extents = NULL;
    Py_ssize_t count = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    if (takes_extents && nargs != 1 && !kwnames) {
        extents = PyTuple_New(nargs);
        for (Py_ssize_t i = 0; extents && i < nargs; ++i)
            PyTuple_SET_ITEM(extents, i, Py_NewRef(args[i]));
        if (!extents)
            return NULL;
        args = &extents;
        nargs = count = 1;
    }
    if (count >= (Py_ssize_t)Py_ARRAY_LENGTH(all)) {
        PyErr_Format(PyExc_TypeError, "got %zd arguments, allowed are fewer than %zd", count,
                     (Py_ssize_t)Py_ARRAY_LENGTH(all));
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; ++i)
        all[i + 1] = args[i];
    PyObject *result = function(NULL, all, nargs + 1, kwnames);
    Py_XDECREF(extents);
    return result;
}

/* METHOD of a row: NONE is a function only, PLAIN a method as well, EXTENTS one whose extents may
 * be given one by one. */
#define METHOD_NONE(...)
#define METHOD_PLAIN(...) __VA_ARGS__
#define METHOD_EXTENTS(...) __VA_ARGS__
enum { TAKES_EXTENTS_PLAIN = false, TAKES_EXTENTS_EXTENTS = true };

#define PY_METHOD(name, method)                                                                    \
    METHOD_##method(static PyObject *method_##name(PyObject *self, PyObject *const *args,          \
                                                   Py_ssize_t nargs, PyObject *kwnames) {          \
        return call_method(self, args, nargs, kwnames, function_##name, TAKES_EXTENTS_##method);   \
    })
#define PY_OP(name, form, method, signature, doc) PY_METHOD(name, method)
#define PY_ALIAS(alias, name, form, method, signature, doc) PY_METHOD(alias, method)
#include "op_methods.h"
#undef PY_OP
#undef PY_ALIAS

PyMethodDef py_op_methods[] = {
#define PY_OP(name, form, method, signature, doc)                                                  \
    METHOD_##method({#name, PY_FASTCALL(method_##name), doc}, )
#define PY_ALIAS(alias, name, form, method, signature, doc)                                        \
    METHOD_##method({#alias, PY_FASTCALL(method_##alias), doc}, )
#include "op_methods.h"
#undef PY_OP
#undef PY_ALIAS
    {NULL, NULL, 0, NULL},
};
