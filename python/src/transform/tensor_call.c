/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of compiled functions on tensors of another library: imported, computed and given back in
 * one go, in place, for joggle/_torch. */
#include "transform/transform.h"

enum { FEW_TENSORS = 16 };

/* The arguments and results of a call; what is not set is NULL. The last results are updates: they
 * go into the memory of arguments. */
typedef struct tensor_call {
    const DLPackExchangeAPI *api; /* of the type of the results */
    Py_ssize_t count;
    PyObject **handles, *few[FEW_TENSORS];
    PyObject *updates; /* borrowed: a tuple of the numbers of those arguments, or NULL */
    int nresults;
    jg_array **results, *few_results[FEW_TENSORS]; /* +1 each */
    int nplaces;
    jg_array **places; /* of the results that are updates, +1 each; else NULL */
} tensor_call;

/* type: of tensors, with a table that makes them. 0 or -1 */
static int take_type(tensor_call *call, PyObject *type)
{
    const py_producer *producer = PyType_Check(type) ? py_producer_of((PyTypeObject *)type) : NULL;
    if (PyErr_Occurred())
        return -1;
    if (!producer || !producer->api || !producer->api->managed_tensor_to_py_object_no_sync) {
        PyErr_Format(PyExc_TypeError,
                     "type: got %R, allowed are types with DLPack's exchange table", type);
        return -1;
    }
    call->api = producer->api;
    return 0;
}

/* tensors: a tuple. 0 or -1 */
static int take_tensors(tensor_call *call, PyObject *tensors)
{
    Py_ssize_t count = PyTuple_GET_SIZE(tensors);
    call->handles = call->few;
    if (count > FEW_TENSORS)
        call->handles = PyMem_Calloc((size_t)count, sizeof *call->handles);
    if (!call->handles) {
        PyErr_NoMemory();
        return -1;
    }
    for (; call->count < count; ++call->count) {
        jg_array *x = py_import_detached(PyTuple_GET_ITEM(tensors, call->count));
        call->handles[call->count] = x ? py_array_wrap(x) : NULL;
        if (!call->handles[call->count])
            return -1;
    }
    return 0;
}

/* tuple: of arrays. 0 or -1 */
static int take_results(tensor_call *call, PyObject *tuple)
{
    int count = (int)PyTuple_GET_SIZE(tuple);
    call->results = call->few_results;
    if (count > FEW_TENSORS)
        call->results = PyMem_Calloc((size_t)count, sizeof *call->results);
    if (!call->results) {
        PyErr_NoMemory();
        return -1;
    }
    for (; call->nresults < count; ++call->nresults)
        call->results[call->nresults] = py_array_retain(PyTuple_GET_ITEM(tuple, call->nresults));
    return 0;
}

/* The number of results that are no updates; -1 for more updates than results. */
static int count_given(const tensor_call *call)
{
    Py_ssize_t given = call->nresults - PyTuple_GET_SIZE(call->updates);
    if (given >= 0)
        return (int)given;
    PyErr_Format(PyExc_ValueError, "updates: got %zd, allowed are at most the %d results",
                 PyTuple_GET_SIZE(call->updates), call->nresults);
    return -1;
}

/* Whether the place is the tensor's own memory: misaligned ones and negative views were copied when
 * they came in. */
static int is_in_place(const tensor_call *call, jg_array *place, PyObject *tensor)
{
    jg_view view;
    DLTensor own;
    if (!call->api->dltensor_from_py_object_no_sync)
        return 0;
    if (py_check(jg_array_view(place, &view)) < 0 ||
        call->api->dltensor_from_py_object_no_sync(tensor, &own) != 0)
        return -1;
    return jg_view_size(&view) == 0 ||
           (char *)view.data + view.byte_offset == (char *)own.data + own.byte_offset;
}

/* given: results before the updates. gives: 1; 0 where an update cannot be written, or -1 */
static int take_places(tensor_call *call, PyObject *tensors, int given)
{
    call->places = PyMem_Calloc((size_t)call->nresults, sizeof *call->places);
    if (!call->places) {
        PyErr_NoMemory();
        return -1;
    }
    int status = 1;
    for (int i = given; i < call->nresults && status > 0; ++i) {
        Py_ssize_t number = PyLong_AsSsize_t(PyTuple_GET_ITEM(call->updates, i - given));
        if (PyErr_Occurred())
            return -1;
        if (number < 0 || number >= call->count) {
            PyErr_Format(PyExc_IndexError, "updates: got %zd, allowed is 0 to %zd", number,
                         call->count - 1);
            return -1;
        }
        call->places[i] = py_array_retain(call->handles[number]);
        call->nplaces = i + 1;
        status = is_in_place(call, call->places[i], PyTuple_GET_ITEM(tensors, number));
    }
    return status;
}

/* Computes the results together, updates in their places unless one cannot be written: then all
 * stay among the results. 0 or -1 */
static int compute(tensor_call *call, PyObject *tensors)
{
    if (!call->updates || PyTuple_GET_SIZE(call->updates) == 0)
        return py_check(py_eval(call->nresults, call->results));
    int given = count_given(call), status = given < 0 ? -1 : take_places(call, tensors, given);
    if (status < 0)
        return -1;
    if (status == 0)
        return py_check(py_eval(call->nresults, call->results));
    if (py_check(py_eval_into(call->nresults, call->results, call->places)) < 0)
        return -1;
    while (call->nresults > given)
        jg_array_release(call->results[--call->nresults]);
    return 0;
}

/* New reference, or NULL */
static PyObject *tensor_of(const tensor_call *call, jg_array *x)
{
    DLManagedTensorVersioned *managed;
    void *tensor = NULL;
    if (py_check(jg_array_to_managed(x, JG_COPY_IF_NEEDED, &managed)) < 0)
        return NULL;
    if (call->api->managed_tensor_to_py_object_no_sync(managed, &tensor) == 0 && tensor)
        return tensor;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_BufferError,
                        "the exchange table made no tensor of a result, which is needed");
    py_pending pending = py_pending_take();
    managed->deleter(managed);
    py_pending_restore(pending);
    return NULL;
}

static PyObject *list_tensors(const tensor_call *call)
{
    PyObject *list = PyList_New(call->nresults);
    for (int i = 0; list && i < call->nresults; ++i) {
        PyObject *tensor = tensor_of(call, call->results[i]);
        if (tensor)
            PyList_SET_ITEM(list, i, tensor);
        else
            Py_CLEAR(list);
    }
    return list;
}

static void call_clear(tensor_call *call)
{
    for (Py_ssize_t i = 0; i < call->count; ++i)
        Py_DECREF(call->handles[i]);
    for (int i = 0; i < call->nresults; ++i)
        jg_array_release(call->results[i]);
    for (int i = 0; i < call->nplaces; ++i)
        jg_array_release(call->places[i]);
    PyMem_Free(call->places);
    if (call->handles != call->few)
        PyMem_Free(call->handles);
    if (call->results != call->few_results)
        PyMem_Free(call->results);
}

static PyObject *call_on_tensors(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *compiled, *list, *type, *tuple = NULL, *result = NULL;
    tensor_call call = {0};
    if (!PyArg_ParseTuple(args, "OOO|O!", &compiled, &list, &type, &PyTuple_Type, &call.updates))
        return NULL;
    if (!PyList_Check(list) && !PyTuple_Check(list)) {
        PyErr_Format(PyExc_TypeError, "tensors: got %.200s, allowed are lists and tuples",
                     Py_TYPE(list)->tp_name);
        return NULL;
    }
    /* Imports and the function run Python code, which may change a list. */
    PyObject *tensors = PySequence_Tuple(list);
    if (!tensors)
        return NULL;
    if (take_type(&call, type) == 0 && take_tensors(&call, tensors) == 0)
        tuple = PyObject_Vectorcall(compiled, call.handles, (size_t)call.count, NULL);
    if (tuple && take_results(&call, tuple) == 0 && compute(&call, tensors) == 0)
        result = list_tensors(&call);
    Py_XDECREF(tuple);
    call_clear(&call);
    Py_DECREF(tensors);
    return result;
}

PyMethodDef py_tensor_call_functions[] = {
    {"_call_on_tensors", call_on_tensors, METH_VARARGS,
     "_call_on_tensors(compiled, tensors, type, updates=()): what a compiled function that gives a "
     "tuple of\narrays gives for a list or tuple of tensors, as a list of tensors of a type. The "
     "last "
     "results are written into\nthe tensors whose numbers `updates` has, and left out unless one "
     "of these has no memory to write."},
    {0}};
