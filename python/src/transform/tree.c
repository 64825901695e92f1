/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of lists, tuples and dicts, for _transforms.py: the work on trees that every call of a
 * gradient does. A caller's tree is read once, into a copy; only such copies, which no other code
 * changes, are read more than once. */
#include "transform/transform.h"

static bool is_container(PyObject *object)
{
    return PyList_Check(object) || PyTuple_Check(object) || PyDict_Check(object);
}

/* steals: items, a list | A NamedTuple is made of its fields. New reference */
static PyObject *as_kind(PyTypeObject *kind, PyObject *items)
{
    if (!items || kind == &PyList_Type)
        return items;
    PyObject *made;
    PyObject *maker =
        kind == &PyTuple_Type ? NULL : PyObject_GetAttrString((PyObject *)kind, "_make");
    if (kind == &PyTuple_Type) {
        made = PyList_AsTuple(items);
    } else {
        made = py_forget_missing() < 0
                   ? NULL
                   : PyObject_CallOneArg(maker ? maker : (PyObject *)kind, items);
    }
    Py_XDECREF(maker);
    Py_DECREF(items);
    return made;
}

/* steals: items, a new list or NULL, whose containers are replaced by copies of theirs. New
 * reference */
static PyObject *copy_in_list(PyObject *items)
{
    for (Py_ssize_t i = 0; items && i < PyList_GET_SIZE(items); ++i) {
        PyObject *item = PyList_GET_ITEM(items, i);
        if (!is_container(item))
            continue;
        PyObject *copied = py_tree_copy(item);
        if (!copied || PyList_SetItem(items, i, copied) < 0)
            Py_CLEAR(items);
    }
    return items;
}

/* The same of a new dict's values. */
static PyObject *copy_in_dict(PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (dict && PyDict_Next(dict, &at, &key, &value)) {
        if (!is_container(value))
            continue;
        PyObject *copied = py_tree_copy(value);
        if (!copied || PyDict_SetItem(dict, key, copied) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(copied);
    }
    return dict;
}

/* One that holds no containers is its own copy, as nothing changes it. */
static PyObject *copy_tuple(PyObject *tuple)
{
    Py_ssize_t count = PyTuple_GET_SIZE(tuple);
    bool holds_containers = false;
    for (Py_ssize_t i = 0; i < count; ++i)
        holds_containers |= is_container(PyTuple_GET_ITEM(tuple, i));
    if (!holds_containers)
        return Py_NewRef(tuple);
    PyObject *items = PyList_New(count);
    for (Py_ssize_t i = 0; items && i < count; ++i)
        PyList_SET_ITEM(items, i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
    return as_kind(Py_TYPE(tuple), copy_in_list(items));
}

PyObject *py_tree_copy(PyObject *tree)
{
    if (!is_container(tree))
        return Py_NewRef(tree);
    if (Py_EnterRecursiveCall(" in a tree"))
        return NULL;
    PyObject *made;
    if (PyDict_Check(tree))
        made = copy_in_dict(PyDict_Copy(tree));
    else if (PyTuple_Check(tree))
        made = copy_tuple(tree);
    else
        made = as_kind(Py_TYPE(tree), copy_in_list(PyList_GetSlice(tree, 0, PY_SSIZE_T_MAX)));
    Py_LeaveRecursiveCall();
    return made;
}

static PyObject *tree_copy(PyObject *Py_UNUSED(module), PyObject *tree)
{
    return py_tree_copy(tree);
}

/* Adds the tree's leaves to the list. gives: 1, 0 where one is no array of real floats, -1 */
static int add_leaves(PyObject *tree, PyObject *leaves);

static int add_items(PyObject *sequence, PyObject *leaves)
{
    int status = 1;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence) && status > 0; ++i)
        status = add_leaves(PySequence_Fast_GET_ITEM(sequence, i), leaves);
    return status;
}

static int add_values(PyObject *dict, PyObject *leaves)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int status = 1;
    while (status > 0 && PyDict_Next(dict, &at, &key, &value))
        status = add_leaves(value, leaves);
    return status;
}

static bool is_of_floats(PyObject *object)
{
    if (!py_array_check(object))
        return false;
    jg_array *x = py_array_retain(object);
    jg_dtype dtype = jg_array_dtype(x);
    jg_array_release(x);
    return dtype == JG_DTYPE_FLOAT32 || dtype == JG_DTYPE_FLOAT64 || dtype == JG_DTYPE_FLOAT16 ||
           dtype == JG_DTYPE_BFLOAT16;
}

static int add_leaves(PyObject *tree, PyObject *leaves)
{
    if (is_of_floats(tree))
        return PyList_Append(leaves, tree) < 0 ? -1 : 1;
    if (!is_container(tree))
        return 0;
    if (Py_EnterRecursiveCall(" in a tree"))
        return -1;
    int status = PyDict_Check(tree) ? add_values(tree, leaves) : add_items(tree, leaves);
    Py_LeaveRecursiveCall();
    return status;
}

PyObject *py_float_leaves(PyObject *trees)
{
    PyObject *leaves = PyList_New(0);
    int status = leaves ? add_leaves(trees, leaves) : -1;
    if (status > 0)
        return leaves;
    Py_XDECREF(leaves);
    return status < 0 ? NULL : Py_NewRef(Py_None);
}

/* The objects that replace leaves, in their order. */
typedef struct leaf_row {
    PyObject *list;
    Py_ssize_t next;
} leaf_row;

static PyObject *fill(PyObject *tree, leaf_row *row);

static PyObject *next_leaf(leaf_row *row)
{
    if (row->next < PyList_GET_SIZE(row->list))
        return Py_NewRef(PyList_GET_ITEM(row->list, row->next++));
    PyErr_Format(PyExc_ValueError,
                 "leaves: got %zd, allowed are as many as the tree has, which are more",
                 PyList_GET_SIZE(row->list));
    return NULL;
}

static PyObject *fill_list(PyObject *sequence, leaf_row *row)
{
    Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    PyObject *made = PyList_New(count);
    for (Py_ssize_t i = 0; made && i < count; ++i) {
        PyObject *item = fill(PySequence_Fast_GET_ITEM(sequence, i), row);
        if (item)
            PyList_SET_ITEM(made, i, item);
        else
            Py_CLEAR(made);
    }
    return made;
}

static PyObject *fill_dict(PyObject *dict, leaf_row *row)
{
    PyObject *key, *value, *made = PyDict_New();
    Py_ssize_t at = 0;
    while (made && PyDict_Next(dict, &at, &key, &value)) {
        PyObject *item = fill(value, row);
        if (!item || PyDict_SetItem(made, key, item) < 0)
            Py_CLEAR(made);
        Py_XDECREF(item);
    }
    return made;
}

static PyObject *fill(PyObject *tree, leaf_row *row)
{
    if (!is_container(tree))
        return next_leaf(row);
    if (Py_EnterRecursiveCall(" in a tree"))
        return NULL;
    PyObject *made =
        PyDict_Check(tree) ? fill_dict(tree, row) : as_kind(Py_TYPE(tree), fill_list(tree, row));
    Py_LeaveRecursiveCall();
    return made;
}

PyObject *py_fill_trees(PyObject *trees, PyObject *leaves)
{
    leaf_row row = {leaves, 0};
    return fill_list(trees, &row);
}

static PyObject *fill_trees(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *trees, *leaves;
    if (!PyArg_ParseTuple(args, "O!O!:_fill_trees", &PyList_Type, &trees, &PyList_Type, &leaves))
        return NULL;
    return py_fill_trees(trees, leaves);
}

/* A list or a tuple, whose items PySequence_GetItem gives; an array is none. */
static bool is_list(PyObject *tree)
{
    return PyList_Check(tree) || PyTuple_Check(tree);
}

/* The entry of parameters at a key of the gradients. New reference */
static PyObject *item_at(PyObject *parameters, PyObject *key)
{
    PyObject *item = PyDict_Check(parameters) ? PyObject_GetItem(parameters, key) : NULL;
    if (!item && PyErr_ExceptionMatches(PyExc_KeyError))
        PyErr_Clear();
    if (!item && !PyErr_Occurred())
        PyErr_Format(
            PyExc_ValueError,
            "[apply_gradients] parameters: has no %R, which gradients has, allowed are trees "
            "with all keys of gradients",
            key);
    return item;
}

/* The same for a number of a list. */
static PyObject *item_at_index(PyObject *parameters, Py_ssize_t i)
{
    if (is_list(parameters) && i < PySequence_Size(parameters))
        return PySequence_GetItem(parameters, i);
    PyErr_Format(PyExc_ValueError,
                 "[apply_gradients] parameters: has no %zd, which gradients has, allowed are trees "
                 "with all keys of gradients",
                 i);
    return NULL;
}

static PyObject *pick(PyObject *tree, PyObject *other);

static PyObject *pick_dict(PyObject *tree, PyObject *other)
{
    PyObject *key, *value, *made = PyDict_New();
    Py_ssize_t at = 0;
    while (made && PyDict_Next(tree, &at, &key, &value)) {
        Py_INCREF(key); /* the Python code of the other tree may change this one */
        Py_INCREF(value);
        PyObject *there = item_at(other, key), *item = there ? pick(value, there) : NULL;
        if (!item || PyDict_SetItem(made, key, item) < 0)
            Py_CLEAR(made);
        Py_XDECREF(there);
        Py_XDECREF(item);
        Py_DECREF(key);
        Py_DECREF(value);
    }
    return made;
}

static PyObject *pick_list(PyObject *tree, PyObject *other)
{
    PyObject *made = PyList_New(0);
    for (Py_ssize_t i = 0; made && i < PySequence_Fast_GET_SIZE(tree); ++i) {
        PyObject *inner = Py_NewRef(PySequence_Fast_GET_ITEM(tree, i));
        PyObject *there = item_at_index(other, i), *item = there ? pick(inner, there) : NULL;
        if (!item || PyList_Append(made, item) < 0)
            Py_CLEAR(made);
        Py_XDECREF(there);
        Py_XDECREF(item);
        Py_DECREF(inner);
    }
    return made;
}

/* The other tree's leaves at the places of the tree's. New reference */
static PyObject *pick(PyObject *tree, PyObject *other)
{
    bool is_dict = PyDict_Check(tree);
    if (!is_dict && !is_list(tree))
        return Py_NewRef(other);
    if (Py_EnterRecursiveCall(" in a tree"))
        return NULL;
    PyObject *frozen = py_frozen(tree), *made = NULL;
    if (frozen)
        made = is_dict ? pick_dict(frozen, other) : pick_list(frozen, other);
    Py_XDECREF(frozen);
    Py_LeaveRecursiveCall();
    return made;
}

static PyObject *tree_pick(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *tree, *other;
    if (!PyArg_ParseTuple(args, "OO:_tree_pick", &tree, &other))
        return NULL;
    return pick(tree, other);
}

/* A signal's handler may raise between two steps of Python code, so temporary changes in the users'
 * trees are undone here, in one call. A list or dict gets back a copy of its contents: */
static int put_contents_back(PyObject *container, PyObject *contents)
{
    if (PyList_Check(container))
        return PyList_SetSlice(container, 0, PY_SSIZE_T_MAX, contents);
    PyDict_Clear(container);
    return PyDict_Update(container, contents);
}

static bool is_pair(PyObject *object)
{
    return PyTuple_Check(object) && PyTuple_GET_SIZE(object) == 2;
}

static PyObject *contents_put_back(PyObject *Py_UNUSED(module), PyObject *pairs)
{
    if (!PyList_Check(pairs))
        return PyErr_Format(PyExc_TypeError, "pairs: got %s, allowed is a list",
                            Py_TYPE(pairs)->tp_name);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(pairs); ++i) {
        PyObject *pair = PyList_GET_ITEM(pairs, i);
        PyObject *container = is_pair(pair) ? PyTuple_GET_ITEM(pair, 0) : NULL;
        if (!container || !(PyList_Check(container) || PyDict_Check(container)))
            return PyErr_Format(
                PyExc_TypeError,
                "pairs: got %R, allowed are pairs of a list or dict and its contents", pair);
        if (put_contents_back(container, PyTuple_GET_ITEM(pair, 1)) < 0)
            return NULL;
    }
    Py_RETURN_NONE;
}

/* Puts the objects of `before` back in place of the leaves that are still those of `placed`.
 * Changes that were made meanwhile are kept. gives: 0, or -1 with an exception */
static int put_leaves_back(PyObject *placed, PyObject *before, PyObject *now);

static int put_values_back(PyObject *placed, PyObject *before, PyObject *now)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int status = 0;
    while (status == 0 && PyDict_Next(placed, &at, &key, &value)) {
        PyObject *was = NULL, *there = NULL;
        if (py_dict_find(before, key, &was) < 0 || py_dict_find(now, key, &there) < 0)
            status = -1;
        else if (was && there && is_container(value))
            status = put_leaves_back(value, was, there);
        else if (was && there == value)
            status = PyDict_SetItem(now, key, was);
        Py_XDECREF(was);
        Py_XDECREF(there);
    }
    return status;
}

static int put_items_back(PyObject *placed, PyObject *before, PyObject *now)
{
    int status = 0;
    for (Py_ssize_t i = 0; status == 0 && i < PySequence_Fast_GET_SIZE(placed); ++i) {
        PyObject *value = PySequence_Fast_GET_ITEM(placed, i);
        PyObject *was = py_list_find(before, i), *there = py_list_find(now, i);
        if (was && there && is_container(value))
            status = put_leaves_back(value, was, there);
        else if (was && there == value)
            status = PyList_SetItem(now, i, Py_NewRef(was));
        Py_XDECREF(was);
        Py_XDECREF(there);
    }
    return status;
}

static int put_leaves_back(PyObject *placed, PyObject *before, PyObject *now)
{
    bool are_dicts = PyDict_Check(placed) && PyDict_Check(before) && PyDict_Check(now);
    if (!are_dicts && !(is_list(placed) && PyList_Check(before) && PyList_Check(now)))
        return 0; /* something else has taken the tree's place */
    if (Py_EnterRecursiveCall(" in a tree"))
        return -1;
    int status =
        are_dicts ? put_values_back(placed, before, now) : put_items_back(placed, before, now);
    Py_LeaveRecursiveCall();
    return status;
}

static PyObject *leaves_put_back(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *placed, *before, *now;
    if (!PyArg_ParseTuple(args, "OOO:_tree_put_back", &placed, &before, &now) ||
        put_leaves_back(placed, before, now) < 0)
        return NULL;
    Py_RETURN_NONE;
}

bool py_is_loss(PyObject *object)
{
    bool is = is_of_floats(object);
    if (is) {
        jg_array *x = py_array_retain(object);
        is = jg_array_ndim(x) == 0;
        jg_array_release(x);
    }
    return is;
}

static PyObject *is_loss(PyObject *Py_UNUSED(module), PyObject *object)
{
    return PyBool_FromLong(py_is_loss(object));
}

PyMethodDef py_tree_functions[] = {
    {"_is_loss", is_loss, METH_O, "Whether it is a 0-d array of real floats."},
    {"_tree_copy", tree_copy, METH_O, "A copy of a tree with the same leaves."},
    {"_contents_put_back", contents_put_back, METH_O, "Puts back what lists and dicts held."},
    {"_tree_put_back", leaves_put_back, METH_VARARGS, "Puts leaves back that others replaced."},
    {"_tree_pick", tree_pick, METH_VARARGS, "A tree's leaves at the places of another's."},
    {"_fill_trees", fill_trees, METH_VARARGS, "Trees like those of a list, of other leaves."},
    {0}};
