/* SPDX-License-Identifier: Apache-2.0 */
/* The type joggle.array: a handle that holds one reference to a jg_array.
 *
 * The type is final, so that a check for it is one comparison. Dead handles are kept on a short
 * list, as building an expression makes and drops one per op. */
#include "compile.h"
#include <stddef.h>
#include <structmember.h>

PyTypeObject *py_array_type;

#ifndef Py_GIL_DISABLED
enum { FREE_LIST_SIZE = 64 };
static py_array *free_list[FREE_LIST_SIZE];
static int free_count;
#endif

/* A handle with a count of one whose fields are not set. The type is a heap type, so each handle
 * has a reference to it: PyObject_Init takes it, array_dealloc drops it. */
static py_array *new_handle(void)
{
#ifndef Py_GIL_DISABLED
    if (free_count > 0) {
        PyObject *self = (PyObject *)free_list[--free_count];
        return (py_array *)PyObject_Init(self, py_array_type);
    }
#endif
    return PyObject_New(py_array, py_array_type);
}

/* The memory alone: what the handle held has been taken out before. */
static void free_handle(py_array *self)
{
#ifndef Py_GIL_DISABLED
    if (free_count < FREE_LIST_SIZE) {
        free_list[free_count++] = self;
        return;
    }
#endif
    PyObject_Free(self);
}

PyObject *py_array_wrap(jg_array *array)
{
    if (!array)
        return NULL;
    py_array *self = new_handle();
    if (!self) {
        jg_array_release(array);
        return NULL;
    }
    self->array = array;
    self->weakrefs = NULL;
    self->lent = NULL;
    return (PyObject *)self;
}

/* The last reference may call a producer's deleter, which may be Python code: no exception may be
 * pending then. */
static void release(jg_array *array)
{
    py_pending pending = py_pending_take();
    jg_array_release(array);
    py_pending_restore(pending);
}

uint64_t py_array_form_changes;

#ifdef PY_DICTS_HAVE_VERSIONS
static bool have_same_form(const jg_array *x, const jg_array *y)
{
    int ndim = jg_array_ndim(x);
    size_t nbytes = (size_t)ndim * sizeof(int64_t);
    jg_device_id first = jg_array_device(x), second = jg_array_device(y);
    return jg_array_dtype(x) == jg_array_dtype(y) && ndim == jg_array_ndim(y) &&
           first.type == second.type && first.id == second.id &&
           memcmp(jg_array_shape(x), jg_array_shape(y), nbytes) == 0 &&
           memcmp(jg_array_strides(x), jg_array_strides(y), nbytes) == 0;
}

static void count_form(const jg_array *old, const jg_array *array)
{
    py_array_form_changes += !have_same_form(old, array);
}
#else
static void count_form(const jg_array *Py_UNUSED(old), const jg_array *Py_UNUSED(array))
{
}
#endif

bool py_array_exchange(PyObject *self, const jg_array *expected, jg_array *array)
{
    /* The new array is set before the old one is released, as the deleter may be Python code that
     * reads the handle. */
    jg_array *old;
    Py_BEGIN_CRITICAL_SECTION(self);
    old = ((py_array *)self)->array;
    if (old == expected) {
        ((py_array *)self)->array = array;
        count_form(old, array);
    }
    Py_END_CRITICAL_SECTION();
    release(old == expected ? old : array);
    return old == expected;
}

/* A second reference, so that the memory is not reused. */
typedef struct py_lent {
    jg_array *array;
    struct py_lent *next;
} py_lent;

int py_array_lend(PyObject *object, jg_array *array)
{
    py_array *self = (py_array *)object;
    bool is_known;
    Py_BEGIN_CRITICAL_SECTION(object);
    is_known = self->lent && self->lent->array == array;
    Py_END_CRITICAL_SECTION();
    if (is_known)
        return 0;
    py_lent *lent = PyMem_Malloc(sizeof *lent);
    if (!lent) {
        PyErr_NoMemory();
        return -1;
    }
    Py_BEGIN_CRITICAL_SECTION(object);
    *lent = (py_lent){jg_array_retain(array), self->lent};
    self->lent = lent;
    Py_END_CRITICAL_SECTION();
    return 0;
}

/* NULL is fine. */
static void release_lent(py_lent *lent)
{
    while (lent) {
        py_lent *next = lent->next;
        release(lent->array);
        PyMem_Free(lent);
        lent = next;
    }
}

static void array_dealloc(PyObject *object)
{
    py_array *self = (py_array *)object;
    if (self->weakrefs)
        PyObject_ClearWeakRefs(object);
    /* The handle is on the free list before its array is released, as that may run Python code,
     * which may make the next handle of this one. */
    jg_array *array = self->array;
    py_lent *lent = self->lent;
    PyTypeObject *type = Py_TYPE(object);
    free_handle(self);
    Py_DECREF(type);
    release(array);
    release_lent(lent);
}

/* By identity, as Python's own objects do: == gives an array and is of no use to a dict. The low
 * bits of an address are always zero, so they go to the top. */
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
        PyErr_SetString(PyExc_TypeError, "a 0-d array has no rows to iterate over");
        return NULL;
    }
    /* Row by row through sq_item, which raises IndexError behind the last one. */
    return PySeqIter_New(self);
}

/* array(x, dtype=None, copy=None): a handle of its own, so that x[i] = v on it leaves others
 * alone. */
static PyObject *make_array(PyObject *Py_UNUSED(unused), PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames)
{
    PY_ON_STREAM(make_array, args, nargs, kwnames);
    static const py_signature signature = {1, 2, 1, {"x", "dtype", "copy"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    if (py_arguments("array", &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    py_request request = {.has_dtype = slots[1] && slots[1] != Py_None};
    if (py_copy_from(slots[2], &request.copy) < 0 ||
        (request.has_dtype && py_dtype_from(slots[1], &request.dtype) < 0))
        return NULL;
    return py_array_wrap(py_asarray_anywhere(slots[0], &request));
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
    "array(x, /, dtype=None, *, copy=None)\n--\n\n"
    "An array of x: another array, Python numbers in nested sequences, a DLPack capsule, or\n"
    "anything that speaks DLPack, the buffer protocol, __array_interface__ or __array__, in\n"
    "this order. copy=False shares x's memory or raises CopyError, copy=None shares it where\n"
    "possible, copy=True takes a snapshot. Shared memory is live: what its owner writes is\n"
    "seen until the array is evaluated.");

static PyMemberDef array_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(py_array, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* The slots of operators.c are put behind these when the type is made. */
static const PyType_Slot array_slots[] = {
    {Py_tp_doc, (void *)array_doc},
    {Py_tp_new, array_new},
    {Py_tp_dealloc, array_dealloc},
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
