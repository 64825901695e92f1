/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings and records as capsules, for _compile.py. */
#include "transform/transform.h"

jg_record *py_record_of(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, "joggle record");
}

static void destroy_record(PyObject *capsule)
{
    jg_record_release(PyCapsule_GetPointer(capsule, "joggle record"));
}

/* A recording that was not ended has a destructor that aborts it. */
static void destroy_recording(PyObject *capsule)
{
    jg_recording *recording = PyCapsule_GetPointer(capsule, "joggle recording");
    if (PyCapsule_GetContext(capsule) == NULL)
        jg_recording_abort(recording);
}

static PyObject *wrap_all(int count, jg_array **arrays)
{
    PyObject *list = PyList_New(count);
    for (int i = 0; i < count; ++i) {
        PyObject *item = list ? py_array_wrap(jg_array_retain(arrays[i])) : NULL;
        if (list && item)
            PyList_SET_ITEM(list, i, item);
        else
            Py_CLEAR(list);
        jg_array_release(arrays[i]);
    }
    return list;
}

static PyObject *list_arrays(const py_call_arguments *all)
{
    PyObject *list = PyList_New(all->count);
    for (int i = 0; list && i < all->count; ++i) {
        PyObject *item = py_array_wrap(jg_array_retain(all->arrays[i]));
        if (item)
            PyList_SET_ITEM(list, i, item);
        else
            Py_CLEAR(list);
    }
    return list;
}

PyObject *py_trace_call(PyObject *tracer, PyObject *compiled, const py_call_arguments *all,
                        PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Py_ssize_t nnamed = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    PyObject *positional = PyTuple_New(nargs), *named = PyDict_New(), *result = NULL;
    PyObject *arrays = list_arrays(all);
    for (Py_ssize_t i = 0; positional && i < nargs; ++i)
        PyTuple_SET_ITEM(positional, i, Py_NewRef(args[i]));
    for (Py_ssize_t i = 0; named && i < nnamed; ++i)
        if (PyDict_SetItem(named, PyTuple_GET_ITEM(kwnames, i), args[nargs + i]) < 0)
            Py_CLEAR(named);
    if (positional && named && arrays)
        result = PyObject_CallFunctionObjArgs(tracer, compiled, positional, named, arrays, NULL);
    Py_XDECREF(positional);
    Py_XDECREF(named);
    Py_XDECREF(arrays);
    return result;
}

static PyObject *recording_begin(PyObject *Py_UNUSED(module), PyObject *args)
{
    const char *name;
    PyObject *list, *capsule = NULL, *made = NULL, *result = NULL;
    py_operand_list given = {0};
    jg_recording *recording;
    if (!PyArg_ParseTuple(args, "sO", &name, &list))
        return NULL;
    jg_array **placeholders = NULL;
    if (py_operand_list_from("arrays", list, &given) == 0 &&
        !(placeholders = PyMem_Calloc((size_t)given.count + 1, sizeof *placeholders)))
        PyErr_NoMemory();
    if (placeholders && py_check(jg_recording_begin(name, given.count, given.arrays, placeholders,
                                                    &recording)) == 0) {
        made = wrap_all(given.count, placeholders);
        capsule = PyCapsule_New(recording, "joggle recording", destroy_recording);
        if (!capsule)
            jg_recording_abort(recording);
        if (made && capsule)
            result = PyTuple_Pack(2, capsule, made);
    }
    Py_XDECREF(made);
    Py_XDECREF(capsule);
    PyMem_Free(placeholders);
    py_operand_list_clear(&given);
    return result;
}

static jg_recording *take_recording(PyObject *capsule)
{
    jg_recording *recording = PyCapsule_GetPointer(capsule, "joggle recording");
    if (recording && PyCapsule_GetContext(capsule) != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the recording has ended");
        return NULL;
    }
    if (recording)
        PyCapsule_SetContext(capsule, recording);
    return recording;
}

/* Ends a recording after a failure, whose exception stays. The capsule does not wait for that until
 * it dies, as a traceback may hold it for long. */
static void abort_recording(jg_recording *recording)
{
    py_pending fault = py_pending_take();
    jg_recording_abort(recording);
    py_pending_restore(fault);
}

static PyObject *recording_end(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *capsule, *list, *result = NULL;
    py_operand_list outputs = {0};
    jg_record *record;
    if (!PyArg_ParseTuple(args, "OO", &capsule, &list))
        return NULL;
    jg_recording *recording = take_recording(capsule);
    if (!recording)
        return NULL;
    if (py_operand_list_from("outputs", list, &outputs) == 0 &&
        py_check(jg_recording_end(recording, outputs.count, outputs.arrays, &record)) == 0) {
        result = PyCapsule_New(record, "joggle record", destroy_record);
        if (!result)
            jg_record_release(record);
    } else {
        abort_recording(recording);
    }
    py_operand_list_clear(&outputs);
    return result;
}

static PyObject *recording_abort(PyObject *Py_UNUSED(module), PyObject *capsule)
{
    jg_recording *recording = take_recording(capsule);
    if (!recording)
        return NULL;
    jg_recording_abort(recording);
    Py_RETURN_NONE;
}

static PyObject *record_nconstants(PyObject *Py_UNUSED(module), PyObject *capsule)
{
    const jg_record *record = PyCapsule_GetPointer(capsule, "joggle record");
    return record ? PyLong_FromLong(jg_record_nconstants(record)) : NULL;
}

/* what a record holds, for _export.py */

static PyObject *wrap_borrowed(const jg_array *x)
{
    return py_array_wrap(jg_array_retain((jg_array *)(uintptr_t)x));
}

/* The number of a value, or a constant with the data that tell whether it equals another one. New
 * reference */
static PyObject *value_or_constant(int32_t number, const jg_array *constant)
{
    if (number >= 0)
        return PyLong_FromLong(number);
    return Py_BuildValue("NN", PyLong_FromVoidPtr((void *)(uintptr_t)constant),
                         wrap_borrowed(constant));
}

static PyObject *list_integers(const jg_record_attribute *attribute)
{
    PyObject *list = PyList_New(attribute->count);
    for (int i = 0; list && i < attribute->count; ++i) {
        PyObject *item = PyLong_FromLongLong(attribute->integers[i]);
        if (item)
            PyList_SET_ITEM(list, i, item);
        else
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *attribute_value(const jg_record_attribute *attribute)
{
    switch (attribute->kind) {
    case JG_RECORD_INTEGER: return PyLong_FromLongLong(attribute->integers[0]);
    case JG_RECORD_FLAG: return PyBool_FromLong(attribute->integers[0] != 0);
    case JG_RECORD_LIST: return list_integers(attribute);
    case JG_RECORD_REAL: return PyFloat_FromDouble(attribute->real);
    case JG_RECORD_TEXT: break;
    }
    return PyUnicode_FromString(attribute->text);
}

static PyObject *attributes_of(const jg_record *record, int node, int count)
{
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < count; ++i) {
        jg_record_attribute attribute;
        PyObject *value = NULL;
        if (py_check(jg_record_attribute_at(record, node, i, &attribute)) == 0)
            value = attribute_value(&attribute);
        if (!value || PyDict_SetItemString(dict, attribute.name, value) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *inputs_of(const jg_record_node *node)
{
    PyObject *list = PyList_New(node->ninputs);
    for (int i = 0; list && i < node->ninputs; ++i) {
        PyObject *item = value_or_constant(node->numbers[i], node->inputs[i]);
        if (item)
            PyList_SET_ITEM(list, i, item);
        else
            Py_CLEAR(list);
    }
    return list;
}

/* (primitive, inputs, attributes, an array of the value's dtype and shape, which result) */
static PyObject *record_node(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *capsule;
    int number;
    jg_record_node node;
    if (!PyArg_ParseTuple(args, "Oi", &capsule, &number))
        return NULL;
    jg_record *record = py_record_of(capsule);
    if (!record || py_check(jg_record_node_at(record, number, &node)) < 0)
        return NULL;
    return Py_BuildValue("sNNNi", node.primitive, inputs_of(&node),
                         attributes_of(record, number, node.nattributes), wrap_borrowed(node.like),
                         node.result);
}

static PyObject *record_argument(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *capsule;
    int number;
    const jg_array *like;
    if (!PyArg_ParseTuple(args, "Oi", &capsule, &number))
        return NULL;
    jg_record *record = py_record_of(capsule);
    if (!record || py_check(jg_record_argument_at(record, number, &like)) < 0)
        return NULL;
    return wrap_borrowed(like);
}

static PyObject *record_output(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *capsule;
    int output;
    int32_t number;
    const jg_array *constant;
    if (!PyArg_ParseTuple(args, "Oi", &capsule, &output))
        return NULL;
    jg_record *record = py_record_of(capsule);
    if (!record || py_check(jg_record_output_at(record, output, &number, &constant)) < 0)
        return NULL;
    return value_or_constant(number, constant);
}

static PyObject *record_counts(PyObject *Py_UNUSED(module), PyObject *capsule)
{
    const jg_record *record = py_record_of(capsule);
    if (!record)
        return NULL;
    jg_record_counts counts = jg_record_count(record);
    return Py_BuildValue("iiii", counts.arguments, counts.keys, counts.nodes, counts.outputs);
}

static PyObject *record_is_of_one_call(PyObject *Py_UNUSED(module), PyObject *capsule)
{
    const jg_record *record = py_record_of(capsule);
    return record ? PyBool_FromLong(jg_record_is_of_one_call(record)) : NULL;
}

PyMethodDef py_recording_functions[] = {
    {"_recording_begin", recording_begin, METH_VARARGS, "A recording and its placeholders."},
    {"_recording_end", recording_end, METH_VARARGS, "The record of the outputs."},
    {"_recording_abort", recording_abort, METH_O, "Ends a recording without a record."},
    {"_record_nconstants", record_nconstants, METH_O, "How many arrays a record has captured."},
    {"_record_counts", record_counts, METH_O, "Arguments, keys, nodes and outputs."},
    {"_record_is_of_one_call", record_is_of_one_call, METH_O, "Whether a constant is traced."},
    {"_record_node", record_node, METH_VARARGS,
     "Primitive, inputs, attributes and the like of it."},
    {"_record_argument", record_argument, METH_VARARGS, "The like of an argument or a key."},
    {"_record_output", record_output, METH_VARARGS, "A number, or a constant."},
    {0}};
