/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings and records as capsules, for _compile.py. */
#include "compile.h"

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

static PyObject *recording_begin(PyObject *Py_UNUSED(module), PyObject *args)
{
    const char *name;
    PyObject *list, *capsule = NULL, *made = NULL, *result = NULL;
    py_operand_list given = {0};
    jg_recording *recording;
    if (!PyArg_ParseTuple(args, "sO", &name, &list))
        return NULL;
    jg_array **placeholders = NULL;
    if (py_operand_list_from("arrays", list, &given) == 0)
        placeholders = PyMem_Calloc((size_t)given.count + 1, sizeof *placeholders);
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
    if (py_operand_list_from("outputs", list, &outputs) < 0) {
        jg_recording_abort(recording);
    } else if (py_check(jg_recording_end(recording, outputs.count, outputs.arrays, &record)) == 0) {
        result = PyCapsule_New(record, "joggle record", destroy_record);
        if (!result)
            jg_record_release(record);
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

PyMethodDef py_recording_functions[] = {
    {"_recording_begin", recording_begin, METH_VARARGS, "A recording and its placeholders."},
    {"_recording_end", recording_end, METH_VARARGS, "The record of the outputs."},
    {"_recording_abort", recording_abort, METH_O, "Ends a recording without a record."},
    {"_record_nconstants", record_nconstants, METH_O, "How many arrays a record has captured."},
    {0}};
