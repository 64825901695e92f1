/* SPDX-License-Identifier: Apache-2.0 */
/* The type joggle._core._dense, a node of a tree of axes, and the reset of all fields. */
#include "field/field.h"

typedef struct py_dense {
    PyObject_HEAD jg_dense *node;
} py_dense;

static PyTypeObject *dense_type;

/* None is the root of a tree. gives: 0 with *out borrowed from the object, or NULL; -1 */
static int parent_from(PyObject *object, jg_dense **out)
{
    *out = NULL;
    if (object == Py_None)
        return 0;
    if (!PyObject_TypeCheck(object, dense_type)) {
        PyErr_Format(PyExc_TypeError, "parent: got %s, allowed are None and nodes",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    *out = ((py_dense *)object)->node;
    return 0;
}

/* _dense(parent, axes, extents): as many axes as extents. */
static PyObject *dense_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"parent", "axes", "extents", NULL};
    PyObject *parent_object, *axes_object, *extents_object;
    int64_t numbers[JG_MAX_NDIM], extents[JG_MAX_NDIM];
    int axes[JG_MAX_NDIM];
    jg_dense *parent;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOO:_dense", names, &parent_object,
                                     &axes_object, &extents_object) ||
        parent_from(parent_object, &parent) < 0)
        return NULL;
    int naxes = py_extents("axes", axes_object, 0, numbers);
    int nextents = naxes < 0 ? -1 : py_extents("extents", extents_object, 0, extents);
    if (nextents < 0)
        return NULL;
    if (naxes != nextents)
        return PyErr_Format(PyExc_ValueError,
                            "extents: got %d for %d axes, allowed is one for each", nextents,
                            naxes);
    for (int i = 0; i < naxes; ++i)
        /* A number that no int holds is out of range anyway: the library says what is allowed. */
        axes[i] = numbers[i] > INT_MAX ? INT_MAX : (int)numbers[i];
    py_dense *self = (py_dense *)type->tp_alloc(type, 0);
    /* tp_alloc has zeroed it, and NULL may be released. */
    if (self && py_check(jg_dense_new(parent, naxes, axes, extents, &self->node)) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static void dense_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    jg_dense *node = ((py_dense *)object)->node;
    type->tp_free(object);
    Py_DECREF(type);
    jg_dense_release(node);
}

/* _place(field, offset) */
static PyObject *dense_place(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t origin[JG_MAX_NDIM];
    if (nargs != 2 || !py_field_check(args[0])) {
        PyErr_Format(PyExc_TypeError, "place: got %R, allowed are a field and its offset",
                     nargs > 0 ? args[0] : Py_None);
        return NULL;
    }
    bool given = args[1] != Py_None;
    int count = given ? py_extents("offset", args[1], INT64_MIN, origin) : 0;
    if (count < 0)
        return NULL;
    /* The library reads as many as the field has axes; missing ones are 0. */
    for (int i = count; i < JG_MAX_NDIM; ++i)
        origin[i] = 0;
    jg_dense *node = ((py_dense *)self)->node;
    if (py_check(jg_dense_place(node, py_field_of(args[0]), given ? origin : NULL)) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* _mark(counted, marks) */
static PyObject *dense_mark(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    bool counted;
    if (nargs != 2 || !py_field_check(args[1])) {
        PyErr_Format(PyExc_TypeError,
                     "_mark: got %zd arguments, the last %s, allowed are a bool and a field", nargs,
                     nargs > 0 ? Py_TYPE(args[nargs - 1])->tp_name : "none");
        return NULL;
    }
    if (py_flag(args[0], &counted) < 0 ||
        py_check(jg_dense_mark(((py_dense *)self)->node,
                               counted ? JG_CELLS_COUNTED : JG_CELLS_MARKED,
                               py_field_of(args[1]))) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *dense_reserve(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return py_check(jg_dense_reserve(((py_dense *)self)->node)) < 0 ? NULL : Py_NewRef(Py_None);
}

/* The call waits for pending readers of the memory, so the lock is released. */
static PyObject *dense_clear(PyObject *self, PyObject *Py_UNUSED(unused))
{
    jg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = jg_dense_clear(((py_dense *)self)->node);
    Py_END_ALLOW_THREADS
    return py_check(status) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef dense_methods[] = {
    {"_place", (PyCFunction)(void (*)(void))dense_place, METH_FASTCALL,
     "Gives a field a place in the node's cells."},
    {"_mark", (PyCFunction)(void (*)(void))dense_mark, METH_FASTCALL,
     "Has a field say which of the node's cells exist."},
    {"_reserve", dense_reserve, METH_NOARGS, "Has the tree take pages when they are written."},
    {"_clear", dense_clear, METH_NOARGS, "Zeros in all of the tree, whose pages are given back."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot dense_slots[] = {
    {Py_tp_doc, "A dense node of a tree of axes."},
    {Py_tp_new, dense_new},
    {Py_tp_dealloc, dense_dealloc},
    {Py_tp_methods, dense_methods},
    {0, NULL},
};

static PyType_Spec dense_spec = {
    .name = "joggle._core._dense",
    .basicsize = sizeof(py_dense),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = dense_slots,
};

static PyObject *fields_reset(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    Py_BEGIN_ALLOW_THREADS
    jg_fields_reset();
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyObject *fields_device(PyObject *Py_UNUSED(module), PyObject *name)
{
    jg_device_id device;
    jg_status status;
    if (py_device_from(name, &device) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = jg_fields_set_device(device);
    Py_END_ALLOW_THREADS
    if (py_check(status) < 0)
        return NULL;
    py_fields_are_away = !jg_device_is_host_accessible(device.type);
    Py_RETURN_NONE;
}

static PyObject *device_is_gpu(PyObject *Py_UNUSED(module), PyObject *name)
{
    jg_device_id device;
    return py_device_from(name, &device) < 0 ? NULL : PyBool_FromLong(jg_device_is_gpu(device));
}

static PyMethodDef functions[] = {
    {"_fields_device", fields_device, METH_O, "Where fields are that are made from here on."},
    {"_device_is_gpu", device_is_gpu, METH_O, "Whether a device is a GPU."},
    {"_fields_reset", fields_reset, METH_NOARGS, "Loses all fields."},
    {NULL, NULL, 0, NULL},
};

int py_field_nest_ready(PyObject *module)
{
    dense_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &dense_spec, NULL);
    if (!dense_type || PyModule_AddFunctions(module, functions) < 0)
        return -1;
    return PyModule_AddObjectRef(module, "_dense", (PyObject *)dense_type);
}
