/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of this module with the dtypes that MLX has, for joggle.mlx: Python's ints are int32,
 * NumPy's floats are as weak as Python's, and integers of 64 bits in the results are narrowed.
 *
 * Each is an object around the function. What is called meanwhile asks py_is_narrow. */
#include "base/narrow.h"
#include "op/op.h"
#include <structmember.h>

/* The treatment of integers of 64 bits in the results. */
enum {
    KEPT,    /* nothing */
    INDICES, /* uint32 */
    COUNTS,  /* int32 */
    SUMS,    /* 32 bits, unless the first argument has 64 */
    OWN,     /* the dtype of the first argument, int32 for bool */
    PRODUCTS /* the dtype of the first argument */
};
static const char *const results_names[] = {"kept", "indices", "counts", "sums", "own", "products"};

typedef struct narrowed {
    PyObject_HEAD vectorcallfunc call;
    PyObject *function, *otherwise; /* otherwise: NULL or what is called where function refuses */
    int results;
} narrowed;

static PyTypeObject *narrowed_type, *narrowed_method_type; /* one binds, as methods do */
/* The dtype that the result gets. from: that of the first argument | gives: whether it is another
 */
static bool narrower(int results, jg_dtype from, jg_dtype *dtype)
{
    jg_dtype_kind kind = jg_dtype_kind_of(*dtype), own = jg_dtype_kind_of(from);
    bool is_wide = *dtype == JG_DTYPE_INT64 || *dtype == JG_DTYPE_UINT64;
    bool was_wide = from == JG_DTYPE_INT64 || from == JG_DTYPE_UINT64;
    jg_dtype before = *dtype;
    if (!is_wide || results == KEPT)
        return false;
    if (results == INDICES)
        *dtype = JG_DTYPE_UINT32;
    else if (results == COUNTS)
        *dtype = JG_DTYPE_INT32;
    else if (!was_wide)
        *dtype = (results == OWN && own != JG_KIND_BOOL) || results == PRODUCTS ? from
                 : kind == JG_KIND_UINT                                         ? JG_DTYPE_UINT32
                                                                                : JG_DTYPE_INT32;
    return *dtype != before;
}

/* steals: result, an array, a sequence of arrays or any other object; NULL passes a failure on */
static PyObject *narrow(PyObject *result, int results, jg_dtype from)
{
    if (!result || results == KEPT)
        return result;
    if (PyTuple_Check(result) || PyList_Check(result)) {
        PyObject *items = PySequence_List(result);
        for (Py_ssize_t i = 0; items && i < PyList_GET_SIZE(items); ++i) {
            PyObject *item = narrow(Py_NewRef(PyList_GET_ITEM(items, i)), results, from);
            if (!item || PyList_SetItem(items, i, item) < 0)
                Py_CLEAR(items);
        }
        if (items && PyTuple_Check(result))
            Py_SETREF(items, PyList_AsTuple(items));
        Py_DECREF(result);
        return items;
    }
    if (!py_array_check(result))
        return result;
    jg_array *x = py_array_retain(result), *out;
    jg_dtype dtype = jg_array_dtype(x);
    if (narrower(results, from, &dtype)) {
        jg_status status = jg_astype(x, dtype, &out);
        Py_SETREF(result, status == JG_OK ? py_array_wrap(out) : py_raise(status));
    }
    jg_array_release(x);
    return result;
}

/* Calls `otherwise` after the function's refusal; NotImplemented leaves the refusal. */
static PyObject *do_otherwise(narrowed *self, PyObject *const *args, Py_ssize_t nargs,
                              PyObject *kwnames)
{
    py_pending refusal = py_pending_take();
    PyObject *result = PyObject_Vectorcall(self->otherwise, args, (size_t)nargs, kwnames);
    if (result == Py_NotImplemented) {
        Py_DECREF(result);
        py_pending_restore(refusal);
        return NULL;
    }
    py_pending_drop(&refusal);
    return result;
}

/* The dtype of the first array argument: it has the dtype now that counts. Of numbers and lists the
 * result tells enough. */
static jg_dtype dtype_of_first(PyObject *const *args, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; ++i)
        if (py_array_check(args[i])) {
            jg_array *x = py_array_retain(args[i]);
            jg_dtype dtype = jg_array_dtype(x);
            jg_array_release(x);
            return dtype;
        }
    return JG_DTYPE_INT32;
}

/* Whether a dtype is asked for, which the result then has. */
static bool names_dtype(PyObject *kwnames)
{
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), "dtype") == 0)
            return true;
    return false;
}

static PyObject *call_narrowed(PyObject *object, PyObject *const *args, size_t nargsf,
                               PyObject *kwnames)
{
    narrowed *self = (narrowed *)object;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    Py_ssize_t count = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    jg_dtype from = self->results >= SUMS ? dtype_of_first(args, count) : JG_DTYPE_INT32;
    bool outer = py_narrow_enter();
    PyObject *result = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    py_narrow_leave(outer);
    if (!result && self->otherwise &&
        (PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError)))
        result = do_otherwise(self, args, nargs, kwnames);
    if (!result)
        return py_both_errors();
    bool is_final = self->results == KEPT || names_dtype(kwnames);
    return is_final ? result : narrow(result, self->results, from);
}

static void narrowed_dealloc(PyObject *object)
{
    narrowed *self = (narrowed *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(self->function);
    Py_XDECREF(self->otherwise);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *narrowed_repr(PyObject *self)
{
    PyObject *name = PyObject_GetAttrString(((narrowed *)self)->function, "__name__");
    PyObject *text = name ? PyUnicode_FromFormat("<function %U of joggle.mlx.core>", name) : NULL;
    Py_XDECREF(name);
    return text;
}

static PyObject *attribute_of_function(PyObject *self, void *name)
{
    return PyObject_GetAttrString(((narrowed *)self)->function, name);
}

static PyObject *own_module(PyObject *Py_UNUSED(self), void *Py_UNUSED(unused))
{
    return PyUnicode_FromString("joggle.mlx.core");
}

/* Copied and pickled as functions are, by name. */
static PyObject *narrowed_reduce(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return PyObject_GetAttrString(((narrowed *)self)->function, "__name__");
}

static PyGetSetDef narrowed_attributes[] = {
    {"__name__", attribute_of_function, NULL, NULL, "__name__"},
    {"__qualname__", attribute_of_function, NULL, NULL, "__name__"},
    {"__doc__", attribute_of_function, NULL, NULL, "__doc__"},
    {"__text_signature__", attribute_of_function, NULL, NULL, "__text_signature__"},
    {"__module__", own_module, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef narrowed_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(narrowed, call), READONLY, NULL},
    {"__wrapped__", T_OBJECT_EX, offsetof(narrowed, function), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef narrowed_methods[] = {
    {"__reduce__", narrowed_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot narrowed_slots[] = {
    {Py_tp_dealloc, narrowed_dealloc},
    {Py_tp_repr, narrowed_repr},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_getset, narrowed_attributes},
    {Py_tp_members, narrowed_members},
    {Py_tp_methods, narrowed_methods},
    {0, NULL},
};

static PyType_Spec narrowed_spec = {
    .name = "joggle._core._narrowed_function",
    .basicsize = sizeof(narrowed),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE |
             Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = narrowed_slots,
};

/* Functions of joggle.mlx stay as they are where a class has them, as those of MLX do. */
static PyObject *bind_method(PyObject *self, PyObject *instance, PyObject *Py_UNUSED(type))
{
    return instance ? PyMethod_New(self, instance) : Py_NewRef(self);
}

static PyType_Slot narrowed_method_slots[] = {
    {Py_tp_dealloc, narrowed_dealloc},
    {Py_tp_repr, narrowed_repr},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_getset, narrowed_attributes},
    {Py_tp_members, narrowed_members},
    {Py_tp_descr_get, bind_method},
    {0, NULL},
};

static PyType_Spec narrowed_method_spec = {
    .name = "joggle._core._narrowed_method",
    .basicsize = sizeof(narrowed),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE |
             Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = narrowed_method_slots,
};

static int results_from(PyObject *object, int *out)
{
    const char *name;
    if (py_text("results", object, &name) < 0)
        return -1;
    for (*out = 0; *out < (int)Py_ARRAY_LENGTH(results_names); ++*out)
        if (strcmp(name, results_names[*out]) == 0)
            return 0;
    PyErr_Format(PyExc_ValueError, "results: got %R, allowed are the names in results_names",
                 object);
    return -1;
}

/* args: those of _narrowed */
static PyObject *make(PyTypeObject *type, PyObject *args)
{
    PyObject *function, *results, *otherwise;
    int kind;
    if (!PyArg_ParseTuple(args, "OOO", &function, &results, &otherwise) ||
        results_from(results, &kind) < 0)
        return NULL;
    narrowed *self = (narrowed *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->call = call_narrowed;
    self->function = Py_NewRef(function);
    self->otherwise = otherwise == Py_None ? NULL : Py_NewRef(otherwise);
    self->results = kind;
    return (PyObject *)self;
}

/* _narrowed(function, results, otherwise) */
static PyObject *make_narrowed(PyObject *Py_UNUSED(module), PyObject *args)
{
    return make(narrowed_type, args);
}

/* gives: the method of arrays with MLX's dtypes */
static PyObject *narrow_method(PyObject *name, PyObject *dtypes)
{
    PyObject *method = PyDict_GetItemWithError(py_array_type->tp_dict, name);
    if (!method)
        return PyErr_Occurred()
                   ? NULL
                   : PyErr_Format(PyExc_ValueError,
                                  "methods: got %R, allowed are methods of arrays", name);
    if (!PyTuple_Check(dtypes) || PyTuple_GET_SIZE(dtypes) != 2)
        return PyErr_Format(PyExc_ValueError, "methods: %R: got %R, allowed are pairs", name,
                            dtypes);
    PyObject *args =
        PyTuple_Pack(3, method, PyTuple_GET_ITEM(dtypes, 0), PyTuple_GET_ITEM(dtypes, 1));
    PyObject *made = args ? make(narrowed_method_type, args) : NULL;
    Py_XDECREF(args);
    return made;
}

/* gives: a dict of them, by name */
static PyObject *narrow_methods(PyObject *methods)
{
    PyObject *made = PyDict_New(), *name, *dtypes;
    for (Py_ssize_t at = 0; made && PyDict_Next(methods, &at, &name, &dtypes);) {
        PyObject *method = narrow_method(name, dtypes);
        if (!method || PyDict_SetItem(made, name, method) < 0)
            Py_CLEAR(made);
        Py_XDECREF(method);
    }
    return made;
}

/* _follow_mlx({name: (results, otherwise)}, functions), for methods of arrays. The type gets none
 * of them, or all: its dict has the names already, so an update needs no memory. */
static PyObject *follow_mlx(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *methods, *functions;
    if (!PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &methods, &PyDict_Type, &functions))
        return NULL;
    if (py_process_is_mlx())
        Py_RETURN_NONE;
    PyObject *made = narrow_methods(methods);
    int status = made ? PyDict_Update(py_array_type->tp_dict, made) : -1;
    Py_XDECREF(made);
    if (status < 0)
        return NULL;
    PyType_Modified(py_array_type);
    py_process_becomes_mlx(functions);
    Py_RETURN_NONE;
}

int py_narrowed_ready(PyObject *module)
{
    narrowed_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &narrowed_spec, NULL);
    narrowed_method_type =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &narrowed_method_spec, NULL);
    return narrowed_type && narrowed_method_type ? 0 : -1;
}

PyMethodDef py_narrowed_functions[] = {
    {"_narrowed", make_narrowed, METH_VARARGS,
     "_narrowed(function, results, otherwise, /)\n--\n\n"
     "The function with MLX's dtypes; otherwise, a function or None, is called with the same\n"
     "arguments where it raises TypeError or ValueError, and gives NotImplemented to let it."},
    {"_follow_mlx", follow_mlx, METH_VARARGS,
     "_follow_mlx(methods, functions, /)\n--\n\n"
     "From now on operators and methods of arrays have MLX's meaning. methods: a dict of names,\n"
     "with pairs of what _narrowed takes as results and otherwise; functions: a dict of what\n"
     "operators call where joggle's refuse."},
    {NULL, NULL, 0, NULL},
};
