/* SPDX-License-Identifier: Apache-2.0 */
/* The base of joggle.nn's modules: a dict whose items are attributes as well. What a class or the
 * object's own __dict__ has comes first, as where a class has a __getattr__ for items; but looking
 * for it makes no AttributeError, which took longer than all else. An item that is None is none. */
#include "module.h"

/* The method that Python calls last for an attribute, and that a class with its own __getattr__
 * calls in its base. */
static PyObject *find_item(PyObject *self, PyObject *name)
{
    PyObject *found;
    int status = py_dict_find(self, name, &found);
    if (status > 0 && found != Py_None)
        return found;
    Py_XDECREF(found);
    if (status >= 0)
        PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute %R",
                     Py_TYPE(self)->tp_name, name);
    return NULL;
}

static PyObject *find_attribute(PyObject *self, PyObject *name)
{
    PyObject *found = _PyObject_GenericGetAttrWithDict(self, name, NULL, 1);
    return found || PyErr_Occurred() ? found : find_item(self, name);
}

static PyMethodDef item_attributes_methods[] = {
    {"__getattr__", find_item, METH_O, PyDoc_STR("The item of that name.")}, {NULL}};

static PyTypeObject item_attributes_type = {
    PyVarObject_HEAD_INIT(NULL, 0) /* no comma: the macro ends in one */
        .tp_name = "joggle._core.ItemAttributes",
    .tp_doc = PyDoc_STR("A dict whose items are attributes, too."),
    .tp_base = &PyDict_Type,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_getattro = find_attribute,
    .tp_methods = item_attributes_methods,
};

int py_item_attributes_ready(PyObject *module)
{
    return PyModule_AddType(module, &item_attributes_type);
}
