/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes that arrays of PyTorch and JAX have and ours do not. Reading one raises
 * AttributeError, whose message says what to write instead. The rows are descriptors: a hook of
 * attribute access would make every lookup of a method slower. */
#include "array/array.h"

static const struct {
    const char *name, *advice;
} rows[] = {
#define PY_ABSENT(name, advice) {#name, advice},
#include "array/absent.def"
#undef PY_ABSENT
};

static PyObject *raise_absent(PyObject *Py_UNUSED(self), void *closure)
{
    const size_t row = (size_t)(uintptr_t)closure;
    return PyErr_Format(PyExc_AttributeError,
                        "'joggle.array' object has no attribute '%s'; write %s", rows[row].name,
                        rows[row].advice);
}

static PyGetSetDef attributes[Py_ARRAY_LENGTH(rows)];

/* dir(x) tells of attributes that are there. */
static PyObject *array_dir(PyObject *self, PyObject *Py_UNUSED(unused))
{
    PyObject *base = (PyObject *)&PyBaseObject_Type;
    PyObject *names = PyObject_CallMethod(base, "__dir__", "O", self);
    PyObject *found = names ? PySet_New(names) : NULL;
    Py_XDECREF(names);
    for (size_t i = 0; found && i < Py_ARRAY_LENGTH(rows); ++i) {
        PyObject *name = PyUnicode_FromString(rows[i].name);
        if (!name || PySet_Discard(found, name) < 0)
            Py_CLEAR(found);
        Py_XDECREF(name);
    }
    PyObject *list = found ? PySequence_List(found) : NULL;
    Py_XDECREF(found);
    return list;
}

static PyMethodDef dir_method = {"__dir__", array_dir, METH_NOARGS, "The names of attributes."};

/* steals: descriptor; NULL passes a failure on */
static int add_descriptor(PyTypeObject *type, const char *name, PyObject *descriptor)
{
    int status = descriptor ? PyDict_SetItemString(type->tp_dict, name, descriptor) : -1;
    Py_XDECREF(descriptor);
    return status;
}

int py_add_absent_attributes(PyTypeObject *type)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(rows); ++i) {
        attributes[i] = (PyGetSetDef){
            .name = rows[i].name, .get = raise_absent, .closure = (void *)(uintptr_t)i};
        if (add_descriptor(type, rows[i].name, PyDescr_NewGetSet(type, &attributes[i])) < 0)
            return -1;
    }
    return add_descriptor(type, "__dir__", PyDescr_NewMethod(type, &dir_method));
}
