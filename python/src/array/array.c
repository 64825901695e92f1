/* SPDX-License-Identifier: Apache-2.0 */
/* The type joggle.array, made of the operators, attributes and methods of the other files. None of
 * them uses this file: the functions of the type that they need are in handle.c. */
#include "array/array.h"
#include <stddef.h>
#include <structmember.h>

/* The hash is that of the identity, as for Python's plain objects: == gives an array, which a dict
 * cannot use. The low bits of an address are always zero, so they are moved to the top. */
static Py_hash_t array_hash(PyObject *self)
{
    size_t address = (size_t)self;
    Py_hash_t hash = (Py_hash_t)((address >> 4) | (address << (8 * sizeof(size_t) - 4)));
    return hash == -1 ? -2 : hash;
}

static PyObject *array_iter(PyObject *self)
{
    jg_array *x = py_array_hold(self);
    int ndim = jg_array_ndim(x);
    py_array_drop(x);
    if (ndim == 0) {
        PyErr_SetString(PyExc_TypeError,
                        "a 0-d array has no rows to iterate over, allowed are arrays with axes");
        return NULL;
    }
    /* Row by row through sq_item, which raises IndexError behind the last one. */
    return PySeqIter_New(self);
}

/* gives: 0 or -1 */
static int read_ndmin(PyObject *object, int64_t *out)
{
    if (py_int64_argument("ndmin", object, out) < 0)
        return -1;
    if (*out <= JG_MAX_NDIM)
        return 0;
    PyErr_Format(PyExc_ValueError, "ndmin: got %R, allowed is up to %d", object, JG_MAX_NDIM);
    return -1;
}

/* The array with axes of extent 1 in front where it has fewer than least. steals: x */
static jg_array *with_axes(jg_array *x, int64_t least)
{
    int64_t shape[JG_MAX_NDIM];
    int ndim = jg_array_ndim(x), added = (int)least - ndim;
    if (added <= 0)
        return x;
    for (int i = 0; i < (int)least; ++i)
        shape[i] = i < added ? 1 : jg_array_shape(x)[i - added];
    jg_array *out;
    jg_status status = jg_reshape(x, (int)least, shape, &out);
    jg_array_release(x);
    return py_check(status) < 0 ? NULL : out;
}

/* array(x, dtype=None, copy=None, ndmin=0): a handle of its own, so that x[i] = v on it leaves
 * others alone. */
static PyObject *make_array(PyObject *Py_UNUSED(unused), PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames)
{
    PY_ON_STREAM(make_array, args, nargs, kwnames);
    static const py_signature signature = {1, 2, 1, {"x", "dtype", "copy", "ndmin"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    int64_t least = 0;
    if (py_arguments("array", &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    py_request request = {.has_dtype = slots[1] && slots[1] != Py_None};
    if (py_copy_from(slots[2], &request.copy) < 0 ||
        (request.has_dtype && py_dtype_from(slots[1], &request.dtype) < 0) ||
        (slots[3] && read_ndmin(slots[3], &least) < 0))
        return NULL;
    jg_array *x = py_asarray_anywhere(slots[0], &request);
    return py_array_wrap(x && least > 0 ? with_axes(x, least) : x);
}

/* array(...) without a tuple and a dict for its arguments: tp_new would need both. */
static PyObject *array_vectorcall(PyObject *Py_UNUSED(type), PyObject *const *args, size_t nargsf,
                                  PyObject *kwnames)
{
    return make_array(NULL, args, PyVectorcall_NARGS(nargsf), kwnames);
}

/* array.__new__(array, ...) is array(...). */
static PyObject *array_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    /* The type is final and its vectorcall does the work, so this cannot come back here. */
    PyObject *const *items = &PyTuple_GET_ITEM(args, 0);
    return PyObject_VectorcallDict((PyObject *)type, items, (size_t)PyTuple_GET_SIZE(args), kwargs);
}

PyDoc_STRVAR(
    array_doc,
    "array(x, /, dtype=None, *, copy=None, ndmin=0)\n--\n\n"
    "An array of x: another array, Python numbers in nested sequences, a DLPack capsule, or\n"
    "anything that speaks DLPack, the buffer protocol, __array_interface__ or __array__, in\n"
    "this order. copy=False shares x's memory or raises CopyError, copy=None shares it where\n"
    "possible, copy=True takes a snapshot. Shared memory is live: what its owner writes is\n"
    "seen until the array is evaluated. Below ndmin axes, axes of extent 1 are put in front.");

static PyMemberDef array_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(py_array, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* The slots of operators.c are put behind these when the type is made. */
static const PyType_Slot array_slots[] = {
    {Py_tp_doc, (void *)array_doc},
    {Py_tp_new, array_new},
    {Py_tp_dealloc, py_array_dealloc},
    {Py_tp_hash, array_hash},
    {Py_tp_iter, array_iter},
    {Py_tp_repr, py_array_repr},
    {Py_tp_str, py_array_str},
    {Py_tp_members, array_members},
    {Py_tp_getset, py_array_attributes},
    {Py_mp_length, py_array_length},
    {Py_mp_subscript, py_array_subscript},
    {Py_mp_ass_subscript, py_array_assign},
    {Py_sq_length, py_array_length},
    {Py_sq_item, py_array_row},
    {Py_sq_contains, py_array_contains},
    {Py_bf_getbuffer, py_array_getbuffer},
    {Py_bf_releasebuffer, py_array_releasebuffer},
};

/* Class attributes that are no methods: by the priority, other libraries leave mixed operators to
 * us; DLPack finds its table. */
static int add_constants(PyTypeObject *type)
{
    PyObject *api = py_exchange_api_capsule(), *priority = PyFloat_FromDouble(1000.0);
    int status = -1;
    if (api && priority)
        status = PyDict_SetItemString(type->tp_dict, "__dlpack_c_exchange_api__", api) < 0 ||
                         PyDict_SetItemString(type->tp_dict, "__array_priority__", priority) < 0
                     ? -1
                     : 0;
    Py_XDECREF(api);
    Py_XDECREF(priority);
    PyType_Modified(type);
    return status;
}

/* Without the empty row at the end. */
static size_t count_methods(const PyMethodDef *methods)
{
    size_t count = 0;
    while (methods[count].ml_name)
        ++count;
    return count;
}

/* The methods of attributes.c and numpy_methods.c, then those of the op table, in one array that
 * lives as long as the type. */
static PyMethodDef *all_methods(void)
{
    const PyMethodDef *const tables[] = {py_array_methods, py_numpy_methods, py_rounding_methods,
                                         py_protocol_methods, py_op_methods};
    size_t count = 0;
    for (size_t i = 0; i < Py_ARRAY_LENGTH(tables); ++i)
        count += count_methods(tables[i]);
    PyMethodDef *methods = PyMem_Calloc(count + 1, sizeof *methods), *next = methods;
    if (!methods) {
        PyErr_NoMemory();
        return NULL;
    }
    for (size_t i = 0; i < Py_ARRAY_LENGTH(tables); ++i) {
        memcpy(next, tables[i], count_methods(tables[i]) * sizeof *next);
        next += count_methods(tables[i]);
    }
    return methods;
}

/* A spec has one list of slots, while each file has its own: they are put in a row here. The 96 are
 * more than Python has kinds of slots. */
int py_array_ready(PyObject *module)
{
    PyType_Slot slots[96] = {{0, NULL}};
    size_t count = Py_ARRAY_LENGTH(array_slots);
    memcpy(slots, array_slots, sizeof array_slots);
    PyMethodDef *methods = all_methods();
    if (!methods)
        return -1;
    slots[count++] = (PyType_Slot){Py_tp_methods, methods};
    for (const PyType_Slot *slot = py_operator_slots; slot->slot; ++slot)
        slots[count++] = *slot;
    PyType_Spec spec = {
        .name = "joggle.array",
        .basicsize = sizeof(py_array),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
        .slots = slots,
    };
    py_array_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!py_array_type || py_add_absent_attributes(py_array_type) < 0 ||
        add_constants(py_array_type) < 0)
        return -1;
    /* No slot sets it in a spec before Python 3.14. */
    py_array_type->tp_vectorcall = array_vectorcall;
    return PyModule_AddObjectRef(module, "array", (PyObject *)py_array_type);
}
