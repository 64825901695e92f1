/* SPDX-License-Identifier: Apache-2.0 */
/* Tracings and pullbacks as Python objects, for _transforms.py: a function is Python code between
 * the two halves, so its exceptions pass as they are. Arguments and results are flat lists of
 * arrays. */
#include "transform/transform.h"

/* Handles; NULL once the library has taken them. */
typedef struct tracing_object {
    PyObject_HEAD jg_tracing *tracing;
} tracing_object;

typedef struct pullback_object {
    PyObject_HEAD jg_pullback *pullback;
} pullback_object;

static PyTypeObject *tracing_type, *pullback_type;

void py_flat_clear(py_flat *row)
{
    for (Py_ssize_t i = 0; i < row->count; ++i)
        jg_array_release(row->arrays[i]);
    PyMem_Free(row->arrays);
}

int py_flat_init(py_flat *row, Py_ssize_t count)
{
    row->count = count;
    row->arrays = PyMem_Calloc((size_t)count + 1, sizeof *row->arrays);
    if (row->arrays)
        return 0;
    row->count = 0;
    PyErr_NoMemory();
    return -1;
}

int py_flat_from(PyObject *list, py_flat *row)
{
    if (!PyList_CheckExact(list)) {
        PyErr_Format(PyExc_TypeError, "arrays: got %s, allowed is a list", Py_TYPE(list)->tp_name);
        row->count = 0;
        row->arrays = NULL;
        return -1;
    }
    if (py_flat_init(row, PyList_GET_SIZE(list)) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < row->count; ++i) {
        PyObject *item = PyList_GET_ITEM(list, i);
        if (py_array_check(item)) {
            row->arrays[i] = py_array_retain(item);
        } else if (item != Py_None) {
            PyErr_Format(PyExc_TypeError, "arrays: item %zd is %s, allowed is an array", i,
                         Py_TYPE(item)->tp_name);
            return -1;
        }
    }
    return 0;
}

PyObject *py_flat_list(py_flat *row)
{
    PyObject *list = PyList_New(row->count);
    for (Py_ssize_t i = 0; list && i < row->count; ++i) {
        jg_array *array = row->arrays[i];
        PyObject *item = array ? py_array_wrap(array) : Py_NewRef(Py_None);
        row->arrays[i] = NULL;
        if (item)
            PyList_SET_ITEM(list, i, item);
        else
            Py_CLEAR(list);
    }
    return list;
}

/* steals: tracing */
static PyObject *wrap_tracing(jg_tracing *tracing)
{
    tracing_object *self = PyObject_New(tracing_object, tracing_type);
    if (self)
        self->tracing = tracing;
    else
        jg_tracing_abort(tracing);
    return (PyObject *)self;
}

static PyObject *tracing_begin(PyObject *Py_UNUSED(module), PyObject *list)
{
    py_flat arguments, markers = {0};
    jg_tracing *tracing;
    PyObject *result = NULL;
    if (py_flat_from(list, &arguments) == 0 && py_flat_init(&markers, arguments.count) == 0 &&
        py_check(jg_tracing_begin((int)arguments.count, arguments.arrays, markers.arrays,
                                  &tracing)) == 0) {
        PyObject *handle = wrap_tracing(tracing), *made = handle ? py_flat_list(&markers) : NULL;
        if (made)
            result = PyTuple_Pack(2, handle, made);
        Py_XDECREF(handle);
        Py_XDECREF(made);
    }
    py_flat_clear(&arguments);
    py_flat_clear(&markers);
    return result;
}

/* A list of trees that _tree_copy gave to (tracing, trees of markers, leaves); None where a leaf is
 * no array of real floats. */
static PyObject *tracing_trees(PyObject *module, PyObject *trees)
{
    PyObject *leaves = py_float_leaves(trees);
    if (!leaves || leaves == Py_None)
        return leaves;
    PyObject *begun = tracing_begin(module, leaves), *result = NULL;
    PyObject *marked = begun ? py_fill_trees(trees, PyTuple_GET_ITEM(begun, 1)) : NULL;
    if (marked)
        result = PyTuple_Pack(3, PyTuple_GET_ITEM(begun, 0), marked, leaves);
    Py_XDECREF(marked);
    Py_XDECREF(begun);
    Py_DECREF(leaves);
    return result;
}

/* An axis for each array, None where it is not mapped. list: one that the package has made.
 * gives: memory for PyMem_Free, NULL with an exception */
static int64_t *axes_from(PyObject *list, Py_ssize_t count)
{
    if (!PyList_CheckExact(list) || PyList_GET_SIZE(list) != count) {
        PyErr_Format(PyExc_TypeError, "axes: got %R, allowed is a list of one for each of %zd",
                     list, count);
        return NULL;
    }
    int64_t *axes = PyMem_Calloc((size_t)count + 1, sizeof *axes);
    if (!axes)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; axes && i < count; ++i) {
        PyObject *item = PyList_GET_ITEM(list, i);
        axes[i] = item == Py_None ? JG_NOT_MAPPED : PyLong_AsLongLong(item);
        if (PyErr_Occurred()) {
            PyMem_Free(axes);
            return NULL;
        }
    }
    return axes;
}

static PyObject *batch_begin(PyObject *Py_UNUSED(module), PyObject *args)
{
    const char *name;
    PyObject *list, *axis_list, *result = NULL;
    int randomness;
    py_flat arguments = {0}, markers = {0};
    int64_t *axes = NULL;
    jg_tracing *tracing;
    if (!PyArg_ParseTuple(args, "zOOi:_batch_begin", &name, &list, &axis_list, &randomness))
        return NULL;
    if (py_flat_from(list, &arguments) == 0 && py_flat_init(&markers, arguments.count) == 0)
        axes = axes_from(axis_list, arguments.count);
    if (axes && py_check(jg_tracing_begin_batched(name, (int)arguments.count, arguments.arrays,
                                                  axes, (jg_randomness)randomness, markers.arrays,
                                                  &tracing)) == 0) {
        PyObject *handle = wrap_tracing(tracing), *made = handle ? py_flat_list(&markers) : NULL;
        if (made)
            result = PyTuple_Pack(2, handle, made);
        Py_XDECREF(handle);
        Py_XDECREF(made);
    }
    PyMem_Free(axes);
    py_flat_clear(&arguments);
    py_flat_clear(&markers);
    return result;
}

/* Borrowed. */
static jg_tracing *tracing_of(PyObject *self)
{
    jg_tracing *tracing = ((tracing_object *)self)->tracing;
    if (!tracing)
        PyErr_SetString(PyExc_RuntimeError, "the tracing has ended");
    return tracing;
}

static void abort_tracing(PyObject *self)
{
    jg_tracing *tracing = ((tracing_object *)self)->tracing;
    ((tracing_object *)self)->tracing = NULL;
    py_pending fault = py_pending_take();
    jg_tracing_abort(tracing);
    py_pending_restore(fault);
}

/* Whether what takes the tracing was successful. After a failure the tracing is ended here too: its
 * object may live on in a traceback. */
static bool took_tracing(PyObject *self, jg_status status)
{
    bool good = py_check(status) == 0;
    if (good)
        ((tracing_object *)self)->tracing = NULL;
    else
        abort_tracing(self);
    return good;
}

static PyObject *tracing_abort(PyObject *self, PyObject *Py_UNUSED(unused))
{
    abort_tracing(self);
    Py_RETURN_NONE;
}

/* steals: pullback */
static PyObject *wrap_pullback(jg_pullback *pullback)
{
    pullback_object *self = PyObject_New(pullback_object, pullback_type);
    if (self)
        self->pullback = pullback;
    else
        jg_pullback_release(pullback);
    return (PyObject *)self;
}

static PyObject *tracing_pullback(PyObject *self, PyObject *list)
{
    py_flat outputs;
    jg_pullback *pullback;
    PyObject *result = NULL;
    jg_tracing *tracing = py_flat_from(list, &outputs) == 0 ? tracing_of(self) : NULL;
    if (tracing && took_tracing(self, jg_tracing_pullback(tracing, (int)outputs.count,
                                                          outputs.arrays, &pullback)))
        result = wrap_pullback(pullback);
    py_flat_clear(&outputs);
    return result;
}

/* (loss, trees that _tree_copy gave, number of their leaves): the gradients as a list of such
 * trees */
static PyObject *tracing_gradients(PyObject *self, PyObject *args)
{
    PyObject *loss, *trees, *leaves = NULL, *result = NULL;
    py_flat made = {0};
    int ninputs;
    if (!PyArg_ParseTuple(args, "O!O!i:gradients", py_array_type, &loss, &PyList_Type, &trees,
                          &ninputs))
        return NULL;
    jg_tracing *tracing = py_flat_init(&made, ninputs) == 0 ? tracing_of(self) : NULL;
    if (tracing) {
        jg_array *x = py_array_retain(loss);
        if (took_tracing(self, jg_tracing_gradients(tracing, x, made.arrays)))
            leaves = py_flat_list(&made);
        jg_array_release(x);
    }
    if (leaves)
        result = py_fill_trees(trees, leaves);
    Py_XDECREF(leaves);
    py_flat_clear(&made);
    return result;
}

/* ends: whether the call ends the tracing, which otherwise stays open, after a failure too. */
static bool push(PyObject *self, const py_flat *outputs, const py_flat *tangents, bool ends,
                 py_flat *made)
{
    jg_tracing *tracing = ((tracing_object *)self)->tracing;
    int count = (int)outputs->count;
    jg_status status = (ends ? jg_tracing_push : jg_tracing_tangents)(
        tracing, count, outputs->arrays, tangents->arrays, made->arrays);
    return ends ? took_tracing(self, status) : py_check(status) == 0;
}

static PyObject *push_with(PyObject *self, PyObject *args, bool ends)
{
    PyObject *output_list, *tangent_list, *result = NULL;
    py_flat outputs = {0}, tangents = {0}, made = {0};
    if (!PyArg_ParseTuple(args, "OO:push", &output_list, &tangent_list))
        return NULL;
    if (!tracing_of(self))
        return NULL;
    if (py_flat_from(output_list, &outputs) == 0 && py_flat_from(tangent_list, &tangents) == 0 &&
        py_flat_init(&made, outputs.count) == 0 && push(self, &outputs, &tangents, ends, &made))
        result = py_flat_list(&made);
    py_flat_clear(&outputs);
    py_flat_clear(&tangents);
    py_flat_clear(&made);
    return result;
}

static PyObject *tracing_push(PyObject *self, PyObject *args)
{
    return push_with(self, args, true);
}

static PyObject *tracing_tangents(PyObject *self, PyObject *args)
{
    return push_with(self, args, false);
}

static PyObject *tracing_batch(PyObject *self, PyObject *args)
{
    PyObject *list, *axis_list, *result = NULL;
    py_flat outputs = {0}, made = {0};
    int64_t *axes = NULL;
    jg_tracing *tracing = NULL;
    if (!PyArg_ParseTuple(args, "OO:batch", &list, &axis_list))
        return NULL;
    if (py_flat_from(list, &outputs) == 0 && py_flat_init(&made, outputs.count) == 0)
        axes = axes_from(axis_list, outputs.count);
    if (axes)
        tracing = tracing_of(self);
    if (tracing && took_tracing(self, jg_tracing_batch(tracing, (int)outputs.count, outputs.arrays,
                                                       axes, made.arrays)))
        result = py_flat_list(&made);
    PyMem_Free(axes);
    py_flat_clear(&outputs);
    py_flat_clear(&made);
    return result;
}

static void tracing_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    jg_tracing_abort(((tracing_object *)self)->tracing);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* apply(cotangents, number of arguments): takes a list with a cotangent or None for each output,
 * gives the list of the arguments' cotangents. */
static PyObject *pullback_apply(PyObject *self, PyObject *args)
{
    PyObject *list, *result = NULL;
    py_flat cotangents = {0}, made = {0};
    int ninputs;
    if (!PyArg_ParseTuple(args, "Oi:apply", &list, &ninputs))
        return NULL;
    if (py_flat_from(list, &cotangents) == 0 && py_flat_init(&made, ninputs) == 0 &&
        py_check(jg_pullback_apply(((pullback_object *)self)->pullback, cotangents.arrays,
                                   made.arrays)) == 0)
        result = py_flat_list(&made);
    py_flat_clear(&cotangents);
    py_flat_clear(&made);
    return result;
}

static void pullback_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    jg_pullback_release(((pullback_object *)self)->pullback);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *tracing_strong_zero(PyObject *self, PyObject *Py_UNUSED(unused))
{
    if (((tracing_object *)self)->tracing)
        jg_tracing_set_strong_zero(((tracing_object *)self)->tracing, true);
    Py_RETURN_NONE;
}

static PyMethodDef tracing_methods[] = {
    {"strong_zero", tracing_strong_zero, METH_NOARGS, "Zero times infinity is zero."},
    {"abort", tracing_abort, METH_NOARGS, "Ends the tracing without results."},
    {"pullback", tracing_pullback, METH_O, "The pullback of the list of outputs."},
    {"gradients", tracing_gradients, METH_VARARGS, "Of a loss, as trees of so many leaves."},
    {"push", tracing_push, METH_VARARGS, "The tangents of outputs from those of the arguments."},
    {"tangents", tracing_tangents, METH_VARARGS, "The same, and the tracing goes on."},
    {"batch", tracing_batch, METH_VARARGS, "The outputs of the whole batch, by their axes."},
    {0}};

static PyType_Slot tracing_slots[] = {
    {Py_tp_dealloc, tracing_dealloc}, {Py_tp_methods, tracing_methods}, {0, NULL}};

static PyType_Spec tracing_spec = {
    .name = "joggle._core._Tracing",
    .basicsize = sizeof(tracing_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = tracing_slots,
};

static PyMethodDef pullback_methods[] = {
    {"apply", pullback_apply, METH_VARARGS, "Cotangents of so many arguments from the outputs'."},
    {0}};

static PyType_Slot pullback_slots[] = {
    {Py_tp_dealloc, pullback_dealloc}, {Py_tp_methods, pullback_methods}, {0, NULL}};

static PyType_Spec pullback_spec = {
    .name = "joggle._core._Pullback",
    .basicsize = sizeof(pullback_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = pullback_slots,
};

PyMethodDef py_transform_functions[] = {
    {"_tracing_begin", tracing_begin, METH_O, "Traces the arrays of a list: tracing, markers."},
    {"_tracing_trees", tracing_trees, METH_O, "The same of the leaves of trees, with them."},
    {"_batch_begin", batch_begin, METH_VARARGS,
     "Traces elements along axes: of a name, arrays, axes, the number of a randomness."},
    {0}};

int py_transform_ready(PyObject *Py_UNUSED(module))
{
    tracing_type = (PyTypeObject *)PyType_FromSpec(&tracing_spec);
    pullback_type = (PyTypeObject *)PyType_FromSpec(&pullback_spec);
    return tracing_type && pullback_type ? 0 : -1;
}
