/* SPDX-License-Identifier: Apache-2.0 */
/* Files of functions, as joggle._export uses them: saved from records, loaded into capsules and
 * called. Trees and messages are for Python. */
#include "file/io.h"
#include "transform/transform.h"

#define FUNCTION_NAME "joggle function"

static jg_exported *function_of(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, FUNCTION_NAME);
}

static void destroy_function(PyObject *capsule)
{
    jg_function_release(PyCapsule_GetPointer(capsule, FUNCTION_NAME));
}

/* The variants' texts are borrowed from the list, which joggle._export made. */
typedef struct save_request {
    int nvariants;
    jg_function_variant *variants;
    const char **keywords; /* of all variants */
} save_request;

static void clear_request(save_request *request)
{
    PyMem_Free(request->variants);
    PyMem_Free(request->keywords);
}

static Py_ssize_t count_keywords(PyObject *list)
{
    Py_ssize_t count = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i)
        count += PyTuple_GET_SIZE(PyTuple_GET_ITEM(PyList_GET_ITEM(list, i), 1));
    return count;
}

/* item: (record, tuple of str). to: where its keywords go. gives: the address behind them, NULL on
 * failure */
static const char **fill_variant(PyObject *item, const char **to, jg_function_variant *out)
{
    PyObject *keywords = PyTuple_GET_ITEM(item, 1);
    jg_record *record = py_record_of(PyTuple_GET_ITEM(item, 0));
    if (!record)
        return NULL;
    *out = (jg_function_variant){record, (int)PyTuple_GET_SIZE(keywords), to};
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); ++i)
        if (!(*to++ = PyUnicode_AsUTF8(PyTuple_GET_ITEM(keywords, i))))
            return NULL;
    return to;
}

/* list: of (record, tuple of str). out: zeroed, for clear_request also on failure */
static int fill_request(PyObject *list, save_request *out)
{
    out->nvariants = (int)PyList_GET_SIZE(list);
    out->variants = PyMem_Calloc((size_t)out->nvariants + 1, sizeof *out->variants);
    out->keywords = PyMem_Calloc((size_t)count_keywords(list) + 1, sizeof *out->keywords);
    if (!out->variants || !out->keywords) {
        PyErr_NoMemory();
        return -1;
    }
    const char **to = out->keywords;
    for (int i = 0; i < out->nvariants; ++i)
        if (!(to = fill_variant(PyList_GET_ITEM(list, i), to, &out->variants[i])))
            return -1;
    return 0;
}

/* (write, name, variants, metadata or None) */
static PyObject *function_save(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *write, *list, *result = NULL;
    const char *name, *metadata;
    save_request request = {0};
    if (!PyArg_ParseTuple(args, "OsO!z:_function_save", &write, &name, &PyList_Type, &list,
                          &metadata))
        return NULL;
    if (fill_request(list, &request) == 0) {
        py_sink sink = {write, PyEval_SaveThread()};
        jg_status status = jg_function_save(name, request.nvariants, request.variants, metadata,
                                            py_sink_write, &sink);
        PyEval_RestoreThread(sink.thread);
        result = py_sink_finish(status);
    }
    clear_request(&request);
    return result;
}

static PyObject *function_load(PyObject *Py_UNUSED(module), PyObject *source)
{
    jg_source *bytes = py_source_of(source);
    jg_exported *function;
    jg_status status;
    if (!bytes)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = jg_function_load(bytes, &function);
    Py_END_ALLOW_THREADS
    if (py_check(status) < 0)
        return NULL;
    PyObject *capsule = PyCapsule_New(function, FUNCTION_NAME, destroy_function);
    if (!capsule)
        jg_function_release(function);
    return capsule;
}

/* (name, number of variants, metadata or None) */
static PyObject *function_facts(PyObject *Py_UNUSED(module), PyObject *capsule)
{
    const jg_exported *function = function_of(capsule);
    if (!function)
        return NULL;
    return Py_BuildValue("(siz)", jg_function_name(function), jg_function_nvariants(function),
                         jg_function_metadata(function));
}

static PyObject *tuple_of(jg_array_list *list)
{
    PyObject *made = PyTuple_New(list->count);
    for (int i = 0; made && i < list->count; ++i) {
        PyObject *item = py_array_wrap(jg_array_retain(list->arrays[i]));
        if (item)
            PyTuple_SET_ITEM(made, i, item);
        else
            Py_CLEAR(made);
    }
    jg_array_list_clear(list);
    return made;
}

/* names: str for each of the arrays that are given by name, which are the last. */
static PyObject *call(const jg_exported *function, const py_operand_list *given, PyObject *names)
{
    Py_ssize_t nnamed = PyTuple_GET_SIZE(names), ninputs = given->count - nnamed;
    jg_tensor *named = PyMem_Calloc((size_t)nnamed + 1, sizeof *named);
    jg_array_list made;
    bool fine = true;
    if (!named)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < nnamed && fine; ++i) {
        const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i));
        named[i] = (jg_tensor){(char *)(uintptr_t)name, given->arrays[ninputs + i]};
        fine = name != NULL;
    }
    fine = fine && py_check(jg_function_call(function, (int)ninputs, given->arrays, (int)nnamed,
                                             named, &made)) == 0;
    PyMem_Free(named);
    return fine ? tuple_of(&made) : NULL;
}

/* (function, arrays, names of the last ones) to a tuple of arrays */
static PyObject *function_call(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *capsule, *list, *names, *result = NULL;
    py_operand_list given = {0};
    if (!PyArg_ParseTuple(args, "OOO!:_function_call", &capsule, &list, &PyTuple_Type, &names))
        return NULL;
    const jg_exported *function = function_of(capsule);
    if (function && py_operand_list_from("arrays", list, &given) == 0)
        result = call(function, &given, names);
    py_operand_list_clear(&given);
    return result;
}

PyMethodDef py_function_functions[] = {
    {"_function_save", function_save, METH_VARARGS, NULL},
    {"_function_load", function_load, METH_O, NULL},
    {"_function_facts", function_facts, METH_O, NULL},
    {"_function_call", function_call, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
