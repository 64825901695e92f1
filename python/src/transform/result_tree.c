/* SPDX-License-Identifier: Apache-2.0 */
/* The tree that a compiled function gives: recorded with slots, objects that stand for arrays, and
 * filled with the arrays of each call. */
#include "transform/transform.h"

typedef struct slot_object {
    PyObject_HEAD Py_ssize_t index;
} slot_object;

static PyTypeObject *slot_type;

static PyObject *handle_at(const py_result_row *row, Py_ssize_t index)
{
    if (!row->handles[index])
        row->handles[index] = py_array_wrap(jg_array_retain(row->arrays[index]));
    return Py_XNewRef(row->handles[index]);
}

static PyObject *fill_items(PyObject *tree, const py_result_row *row)
{
    Py_ssize_t count = PySequence_Fast_GET_SIZE(tree);
    bool is_list = PyList_Check(tree);
    PyObject *made = is_list ? PyList_New(count) : PyTuple_New(count);
    for (Py_ssize_t i = 0; made && i < count; ++i) {
        PyObject *item = py_results_fill(PySequence_Fast_GET_ITEM(tree, i), row);
        if (!item)
            Py_CLEAR(made);
        else if (is_list)
            PyList_SET_ITEM(made, i, item);
        else
            PyTuple_SET_ITEM(made, i, item);
    }
    if (!made || PyList_CheckExact(tree) || PyTuple_CheckExact(tree))
        return made;
    /* A NamedTuple is made of its fields, other sequences of what they are to hold. */
    PyObject *type = (PyObject *)Py_TYPE(tree);
    bool named = !is_list && PyObject_HasAttrString(type, "_make");
    PyObject *whole =
        named ? PyObject_CallMethod(type, "_make", "(O)", made) : PyObject_CallOneArg(type, made);
    Py_DECREF(made);
    return whole;
}

/* Whether the slot marks an entry that the function removed from its container. */
static bool is_removed(PyObject *tree)
{
    return Py_IS_TYPE(tree, slot_type) && ((slot_object *)tree)->index < 0;
}

static PyObject *fill_dict(PyObject *tree, const py_result_row *row)
{
    PyObject *made = PyDict_New(), *key, *value;
    Py_ssize_t at = 0;
    while (made && PyDict_Next(tree, &at, &key, &value)) {
        if (is_removed(value))
            continue;
        PyObject *item = py_results_fill(value, row);
        if (!item || PyDict_SetItem(made, key, item) < 0)
            Py_CLEAR(made);
        Py_XDECREF(item);
    }
    return made;
}

/* A copy of the tree with arrays instead of slots. */
PyObject *py_results_fill(PyObject *tree, const py_result_row *row)
{
    if (Py_IS_TYPE(tree, slot_type))
        return handle_at(row, ((slot_object *)tree)->index);
    if (PyDict_Check(tree))
        return fill_dict(tree, row);
    if (PyList_Check(tree) || PyTuple_Check(tree))
        return fill_items(tree, row);
    return Py_NewRef(tree);
}

static bool is_container(PyObject *object)
{
    return PyDict_Check(object) || PyList_Check(object) || PyTuple_Check(object);
}

/* Whether only the container and the caller hold the handle, so that it may be given another
 * array. */
static bool is_alone(PyObject *handle)
{
#ifdef Py_GIL_DISABLED
    (void)handle;
    return false;
#else
    const py_array *self = (const py_array *)handle;
    return Py_REFCNT(handle) == 2 && !self->weakrefs && !self->lent;
#endif
}

/* Keeps the handle if it has the array already, or can be given it. A new handle would cost more
 * than everything else that is done for the entry. */
static bool keep_handle(PyObject *handle, Py_ssize_t index, const py_result_row *row)
{
    jg_array *array = row->arrays[index], *had = ((py_array *)handle)->array;
    if (row->handles[index])
        return row->handles[index] == handle;
    if (array != had && !is_alone(handle))
        return false;
    row->handles[index] = Py_NewRef(handle);
    if (array != had)
        py_array_exchange(handle, had, jg_array_retain(array));
    return true;
}

/* Whether the tuple has the tree's arrays already: they cannot be changed in it. */
static bool has_arrays(PyObject *tuple, PyObject *tree, const py_result_row *row)
{
    bool same = PyTuple_GET_SIZE(tuple) == PyTuple_GET_SIZE(tree);
    for (Py_ssize_t i = 0; same && i < PyTuple_GET_SIZE(tuple); ++i) {
        PyObject *had = PyTuple_GET_ITEM(tuple, i), *item = PyTuple_GET_ITEM(tree, i);
        if (Py_IS_TYPE(item, slot_type))
            same = py_array_check(had) &&
                   ((py_array *)had)->array == row->arrays[((slot_object *)item)->index];
        else if (PyTuple_Check(item))
            same = PyTuple_Check(had) && has_arrays(had, item, row);
        else
            same = is_container(item) ? PyDict_Check(had) == PyDict_Check(item) &&
                                            PyList_Check(had) == PyList_Check(item)
                                      : had == item;
    }
    return same;
}

/* Changes the container's entry at a key in place, for all that hold it, if it is a container of
 * the tree's kind. A tuple whose arrays change is replaced by another. 1 if it was, 0 or -1. */
static int update_inner(PyObject *had, PyObject *tree, const py_result_row *row)
{
    bool same = had && is_container(tree) && PyDict_Check(had) == PyDict_Check(tree) &&
                PyList_Check(had) == PyList_Check(tree) &&
                PyTuple_Check(had) == PyTuple_Check(tree);
    if (same && PyTuple_Check(had))
        same = has_arrays(had, tree, row);
    if (!same)
        return 0;
    return py_results_update(had, tree, row) < 0 ? -1 : 1;
}

/* Like update_inner, for an entry of a dict or a list, which may be an array. had: held, or NULL */
static int update_entry(PyObject *had, PyObject *tree, const py_result_row *row)
{
    if (had && Py_IS_TYPE(tree, slot_type))
        return py_array_check(had) && keep_handle(had, ((slot_object *)tree)->index, row);
    return update_inner(had, tree, row);
}

/* The container's value at a key, which mostly is the next that it has: the tree has the order in
 * which the function found the keys. gives: 0 or -1; *had, a new reference, or NULL */
static int find_value(PyObject *container, PyObject *key, Py_ssize_t *at, PyObject **had)
{
#ifndef Py_GIL_DISABLED
    PyObject *next;
    if (PyDict_Next(container, at, &next, had) && next == key) {
        Py_INCREF(*had);
        return 0;
    }
#else
    (void)at; /* another thread may take the value out before it is held */
#endif
    return py_dict_find(container, key, had) < 0 ? -1 : 0;
}

/* value: of the tree, at the key. had: what the container has there, or NULL. gives: 0 or -1 */
static int update_value(PyObject *container, PyObject *key, PyObject *value, PyObject *had,
                        const py_result_row *row)
{
    if (is_removed(value))
        return had ? PyDict_DelItem(container, key) : 0;
    int done = update_entry(had, value, row);
    if (done != 0)
        return done < 0 ? -1 : 0;
    PyObject *item = py_results_fill(value, row);
    int status = item ? PyDict_SetItem(container, key, item) : -1;
    Py_XDECREF(item);
    return status;
}

static int update_dict(PyObject *container, PyObject *tree, const py_result_row *row)
{
    PyObject *key, *value, *had;
    Py_ssize_t at = 0, beside = 0;
    int status = 0;
    while (status == 0 && PyDict_Next(tree, &at, &key, &value)) {
        status = find_value(container, key, &beside, &had);
        if (status == 0)
            status = update_value(container, key, value, had, row);
        Py_XDECREF(had);
    }
    return status;
}

/* The same of a list's item. */
static int update_item(PyObject *container, Py_ssize_t i, PyObject *value, PyObject *had,
                       const py_result_row *row)
{
    int done = update_entry(had, value, row);
    if (done != 0)
        return done < 0 ? -1 : 0;
    PyObject *item = py_results_fill(value, row);
    if (!item)
        return -1;
    int status =
        had ? PyList_SetItem(container, i, Py_NewRef(item)) : PyList_Append(container, item);
    Py_DECREF(item);
    return status;
}

static int update_list(PyObject *container, PyObject *tree, const py_result_row *row)
{
    Py_ssize_t count = PyList_GET_SIZE(tree), length = PyList_GET_SIZE(container);
    if (length > count && PyList_SetSlice(container, count, length, NULL) < 0)
        return -1;
    int status = 0;
    for (Py_ssize_t i = 0; i < count && status == 0; ++i) {
        PyObject *had = py_list_find(container, i);
        status = update_item(container, i, PyList_GET_ITEM(tree, i), had, row);
        Py_XDECREF(had);
    }
    return status;
}

/* Writes results into the containers of `outputs`, which stay the same objects. If `outputs` is a
 * tuple, its arrays cannot change, only what its containers hold. */
int py_results_update(PyObject *container, PyObject *tree, const py_result_row *row)
{
    if (PyDict_Check(container))
        return update_dict(container, tree, row);
    if (PyList_Check(container))
        return update_list(container, tree, row);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(container); ++i)
        if (update_inner(PyTuple_GET_ITEM(container, i), PyTuple_GET_ITEM(tree, i), row) < 0)
            return -1;
    return 0;
}

void py_results_clear(py_result_row *row)
{
    for (int i = 0; i < row->count; ++i) {
        Py_XDECREF(row->handles[i]);
        jg_array_release(row->arrays[i]);
    }
}

static PyObject *slot_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t index;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "n", &index))
        return NULL;
    slot_object *self = (slot_object *)type->tp_alloc(type, 0);
    if (self)
        self->index = index;
    return (PyObject *)self;
}

static PyType_Slot slot_slots[] = {{Py_tp_new, slot_new}, {0, NULL}};

static PyType_Spec slot_spec = {
    .name = "joggle._core._Slot",
    .basicsize = sizeof(slot_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slot_slots,
};

int py_slot_ready(PyObject *module)
{
    slot_type = (PyTypeObject *)PyType_FromSpec(&slot_spec);
    return slot_type ? PyModule_AddObjectRef(module, "_Slot", (PyObject *)slot_type) : -1;
}
