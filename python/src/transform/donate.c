/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments whose arrays a call gives away: their handles have no values after it.
 *
 * A call runs Python code between the reading of its arguments and its end, and other threads run
 * meanwhile. So the trees are copied once, at the beginning. The call reads the copies, and the
 * arrays in the copies lose their values, not those that the caller's trees hold by then. A handle
 * that was given another array meanwhile keeps it. */
#include "transform/transform.h"

/* Memory for twice as many. gives: 0 or -1 */
static int grow(py_donation *given)
{
    bool are_few = given->items == given->few;
    size_t had = (size_t)given->count * sizeof *given->items;
    py_donated_array *grown = PyMem_Realloc(are_few ? NULL : given->items, 2 * had);
    if (!grown) {
        PyErr_NoMemory();
        return -1;
    }
    if (are_few)
        memcpy(grown, given->few, had);
    given->items = grown;
    given->capacity = 2 * given->count;
    return 0;
}

/* gives: 0 or -1 */
static int note(py_donation *given, PyObject *handle)
{
    if (given->count == given->capacity && grow(given) < 0)
        return -1;
    given->items[given->count++] = (py_donated_array){Py_NewRef(handle), py_array_retain(handle)};
    return 0;
}

/* tree: a copy, so nothing changes it. gives: 0 or -1 */
static int note_tree(py_donation *given, PyObject *tree)
{
    int status = 0;
    if (py_array_check(tree))
        return note(given, tree);
    if (!PyList_Check(tree) && !PyTuple_Check(tree) && !PyDict_Check(tree))
        return 0;
    if (Py_EnterRecursiveCall(" in the arguments of a compiled function"))
        return -1;
    if (PyDict_Check(tree)) {
        PyObject *key, *value;
        Py_ssize_t at = 0;
        while (status == 0 && PyDict_Next(tree, &at, &key, &value))
            status = note_tree(given, value);
    } else {
        for (Py_ssize_t i = 0; status == 0 && i < PySequence_Fast_GET_SIZE(tree); ++i)
            status = note_tree(given, PySequence_Fast_GET_ITEM(tree, i));
    }
    Py_LeaveRecursiveCall();
    return status;
}

/* Puts a copy in place of an argument, unless it was put before. gives: 0 or -1 */
static int copy_argument(py_donation *given, PyObject *const *args, Py_ssize_t count, Py_ssize_t at)
{
    if (py_array_check(args[at])) /* its own copy */
        return note(given, args[at]);
    if (!given->args) {
        given->args = PyTuple_New(count);
        for (Py_ssize_t i = 0; given->args && i < count; ++i)
            PyTuple_SET_ITEM(given->args, i, Py_NewRef(args[i]));
    }
    if (!given->args || PyTuple_GET_ITEM(given->args, at) != args[at])
        return given->args ? 0 : -1;
    PyObject *copied = py_tree_copy(args[at]);
    if (!copied)
        return -1;
    PyTuple_SET_ITEM(given->args, at, copied);
    Py_DECREF(args[at]);
    return note_tree(given, copied);
}

int py_donation_begin(py_donation *given, PyObject *numbers, PyObject *const **args,
                      Py_ssize_t count)
{
    given->args = NULL;
    given->items = given->few;
    given->count = 0;
    given->capacity = Py_ARRAY_LENGTH(given->few);
    int status = 0;
    for (Py_ssize_t i = 0; status == 0 && i < PyTuple_GET_SIZE(numbers); ++i)
        status = copy_argument(given, *args, count, PyLong_AsSsize_t(PyTuple_GET_ITEM(numbers, i)));
    if (status == 0 && given->args)
        *args = &PyTuple_GET_ITEM(given->args, 0);
    return status;
}

int py_donation_finish(const py_donation *given)
{
    for (Py_ssize_t i = 0; i < given->count; ++i) {
        py_donated_array item = given->items[i];
        jg_array *gone;
        if (py_check(jg_array_without_values(item.array, &gone)) < 0)
            return -1;
        if (py_array_exchange(item.handle, item.array, gone))
            py_array_form_changes += 1; /* an array that calls may not take */
    }
    return 0;
}

void py_donation_clear(py_donation *given)
{
    for (Py_ssize_t i = 0; i < given->count; ++i) {
        jg_array_release(given->items[i].array);
        Py_DECREF(given->items[i].handle);
    }
    if (given->items != given->few)
        PyMem_Free(given->items);
    Py_CLEAR(given->args);
}
