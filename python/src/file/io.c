/* SPDX-License-Identifier: Apache-2.0 */
/* Files for joggle._files: the bytes under arrays, in capsules; the data that is read, as dicts;
 * and writers that call Python's write(). Names of files and the contents of a zip are handled in
 * Python.
 *
 * Reading keeps the interpreter lock: it looks at headers, and the pages with the elements are read
 * when an array is used. Writing evaluates, so the lock is released, and taken again for each call
 * of write(). */
#include "file/io.h"

#define SOURCE_NAME "joggle.source"

/* Releases the capsule's reference. The pointer is not NULL, as the name is ours. */
static void release_source(PyObject *capsule)
{
    jg_source_release(PyCapsule_GetPointer(capsule, SOURCE_NAME));
}

/* Arrays over it have references of their own, so the capsule may go before them. */
jg_source *py_source_of(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, SOURCE_NAME);
}

/* The descriptor stays Python's to close. */
static int map_descriptor(PyObject *object, const char *path, jg_source **out)
{
    int64_t descriptor;
    if (py_int64_from(object, &descriptor) < 0)
        return -1;
    if (descriptor < 0 || descriptor > INT_MAX) {
        PyErr_Format(PyExc_ValueError, "descriptor: got %lld, allowed is 0 to %d",
                     (long long)descriptor, INT_MAX);
        return -1;
    }
    return py_check(jg_source_map((int)descriptor, path, out));
}

/* Bytes that are in memory already, such as a member of a zip. The buffer is released when no array
 * needs it any more. */
static int take_buffer(PyObject *object, jg_source **out)
{
    Py_buffer buffer;
    if (PyObject_GetBuffer(object, &buffer, PyBUF_SIMPLE) < 0)
        return -1;
    const void *data = buffer.buf;
    size_t nbytes = (size_t)buffer.len;
    bool read_only = buffer.readonly;
    py_owner *owner = py_owner_new(object, &buffer);
    if (!owner)
        return -1;
    jg_status status = jg_source_take(data, nbytes, read_only, py_owner_release, owner, out);
    if (status != JG_OK)
        py_owner_release(owner);
    return py_check(status);
}

/* An int is a descriptor, which the file's path may follow; anything else a buffer. */
static PyObject *make_source(PyObject *Py_UNUSED(module), PyObject *args)
{
    jg_source *source;
    PyObject *object, *path = NULL;
    if (!PyArg_ParseTuple(args, "O|O&:_source", &object, PyUnicode_FSConverter, &path))
        return NULL;
    int status = PyLong_Check(object)
                     ? map_descriptor(object, path ? PyBytes_AS_STRING(path) : NULL, &source)
                     : take_buffer(object, &source);
    Py_XDECREF(path);
    if (status < 0)
        return NULL;
    PyObject *capsule = PyCapsule_New(source, SOURCE_NAME, release_source);
    if (!capsule)
        jg_source_release(source);
    return capsule;
}

/* (source, first byte) to (array, byte behind it), as several may stand in one file. */
static PyObject *load_npy(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *capsule;
    Py_ssize_t offset;
    jg_array *x;
    size_t end;
    if (!PyArg_ParseTuple(args, "On:_load_npy", &capsule, &offset))
        return NULL;
    jg_source *source = py_source_of(capsule);
    if (!source || py_check(jg_load_npy(source, (size_t)offset, &x, &end)) < 0)
        return NULL;
    return Py_BuildValue("(Nn)", py_array_wrap(x), (Py_ssize_t)end);
}

static PyObject *list_of_texts(const jg_metadatum *metadatum)
{
    PyObject *list = PyList_New(metadatum->ntexts);
    for (int i = 0; list && i < metadatum->ntexts; ++i) {
        PyObject *text = PyUnicode_FromString(metadatum->texts[i]);
        if (text)
            PyList_SET_ITEM(list, i, text);
        else
            Py_CLEAR(list);
    }
    return list;
}

/* An array, a list of str, or a str; a text that is no UTF-8 is a UnicodeDecodeError. */
static PyObject *metadatum_object(const jg_metadatum *metadatum)
{
    if (metadatum->array)
        return py_array_wrap(jg_array_retain(metadatum->array));
    return metadatum->is_list ? list_of_texts(metadatum)
                              : PyUnicode_FromString(metadatum->texts[0]);
}

/* Puts a value under a key. steals: value; NULL passes a failure on */
static int put(PyObject *dict, const char *key, PyObject *value)
{
    PyObject *name = value ? PyUnicode_FromString(key) : NULL;
    int status = name ? PyDict_SetItem(dict, name, value) : -1;
    Py_XDECREF(name);
    Py_XDECREF(value);
    return status;
}

/* (arrays by name, metadata by key). The arrays get references; texts are copied. */
static PyObject *tensors_object(const jg_tensors *tensors)
{
    PyObject *arrays = PyDict_New(), *metadata = PyDict_New();
    int status = arrays && metadata ? 0 : -1;
    for (int i = 0; status == 0 && i < tensors->count; ++i)
        status = put(arrays, tensors->items[i].name,
                     py_array_wrap(jg_array_retain(tensors->items[i].array)));
    for (int i = 0; status == 0 && i < tensors->nmetadata; ++i)
        status = put(metadata, tensors->metadata[i].key, metadatum_object(&tensors->metadata[i]));
    if (status == 0)
        return Py_BuildValue("(NN)", arrays, metadata);
    Py_XDECREF(arrays);
    Py_XDECREF(metadata);
    return NULL;
}

static PyObject *load_tensors(PyObject *capsule, jg_status (*load)(jg_source *, jg_tensors *))
{
    jg_tensors tensors;
    jg_source *source = py_source_of(capsule);
    if (!source || py_check(load(source, &tensors)) < 0)
        return NULL;
    PyObject *result = tensors_object(&tensors);
    jg_tensors_clear(&tensors);
    return result;
}

static PyObject *load_safetensors(PyObject *Py_UNUSED(module), PyObject *capsule)
{
    return load_tensors(capsule, jg_load_safetensors);
}

static PyObject *load_gguf(PyObject *Py_UNUSED(module), PyObject *capsule)
{
    return load_tensors(capsule, jg_load_gguf);
}

/* How many bytes write() says that it took: all of them if it says nothing. Raw files may take less
 * than they are given, but none at all would never end. steals: result. -1 on failure */
static Py_ssize_t written(PyObject *result, Py_ssize_t nbytes)
{
    if (!result)
        return -1;
    Py_ssize_t count = result == Py_None ? nbytes : PyLong_AsSsize_t(result);
    Py_DECREF(result);
    if (count == -1 && PyErr_Occurred())
        return -1;
    if (count <= 0 || count > nbytes) {
        PyErr_Format(PyExc_OSError,
                     "write() took %zd bytes, allowed is 1 to %zd, as many as it was given", count,
                     nbytes);
        return -1;
    }
    return count;
}

/* The view is released at once, as the memory may not be read later. gives: how many bytes write()
 * took, -1 on failure */
static Py_ssize_t write_some(PyObject *write, const char *bytes, Py_ssize_t nbytes)
{
    PyObject *view = PyMemoryView_FromMemory((char *)(uintptr_t)bytes, nbytes, PyBUF_READ);
    if (!view)
        return -1;
    Py_ssize_t count = written(PyObject_CallOneArg(write, view), nbytes);
    PyObject *released = count < 0 ? NULL : PyObject_CallMethod(view, "release", NULL);
    Py_DECREF(view);
    Py_XDECREF(released);
    return released ? count : -1;
}

/* Called on the thread that let the lock go. An exception stays pending in that thread's state
 * until py_sink_finish. */
jg_status py_sink_write(void *context, const void *bytes, size_t nbytes)
{
    py_sink *sink = context;
    const char *at = bytes;
    Py_ssize_t count = 0;
    PyEval_RestoreThread(sink->thread);
    for (Py_ssize_t left = (Py_ssize_t)nbytes; left > 0 && count >= 0; left -= count, at += count)
        count = write_some(sink->write, at, left);
    sink->thread = PyEval_SaveThread();
    return count < 0 ? JG_ERR_IO : JG_OK;
}

/* An exception of write() stands; else the library's failure becomes one. */
PyObject *py_sink_finish(jg_status status)
{
    if (status == JG_OK)
        Py_RETURN_NONE;
    return PyErr_Occurred() ? NULL : py_raise(status);
}

/* The sink holds the thread's state, so PyEval_SaveThread stands here and not the usual macros. */
static PyObject *save_npy(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *write, *object;
    if (!PyArg_ParseTuple(args, "OO!:_save_npy", &write, py_array_type, &object))
        return NULL;
    jg_array *x = py_array_retain(object);
    py_sink sink = {write, PyEval_SaveThread()};
    jg_status status = jg_save_npy(x, py_sink_write, &sink);
    PyEval_RestoreThread(sink.thread);
    jg_array_release(x);
    return py_sink_finish(status);
}

/* The library's texts end with a NUL, so they have none inside. *out is borrowed from the
 * object. */
static int text_of(PyObject *object, char **out)
{
    Py_ssize_t length;
    const char *text = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &length) : NULL;
    if (!text && !PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "a name or a text: got %s, allowed is str",
                     Py_TYPE(object)->tp_name);
    if (text && strlen(text) != (size_t)length) {
        PyErr_Format(PyExc_ValueError,
                     "a name or a text: %R has a NUL in it, allowed is any other character",
                     object);
        text = NULL;
    }
    *out = (char *)(uintptr_t)text;
    return text ? 0 : -1;
}

/* out->texts is to be freed by free_tensors, also on failure. */
static int texts_of(PyObject *const *objects, Py_ssize_t count, jg_metadatum *out)
{
    out->texts = PyMem_Calloc((size_t)count + 1, sizeof *out->texts);
    if (!out->texts) {
        PyErr_NoMemory();
        return -1;
    }
    out->ntexts = (int)count;
    for (Py_ssize_t i = 0; i < count; ++i)
        if (text_of(objects[i], &out->texts[i]) < 0)
            return -1;
    return 0;
}

/* An array, a list of str, or a str, which is a list of one to the library. out: zeroed, to be
 * freed also on failure */
static int metadatum_of(PyObject *value, jg_metadatum *out)
{
    if (py_array_check(value)) {
        out->array = py_array_retain(value);
        return 0;
    }
    out->is_list = PyList_Check(value);
    if (out->is_list)
        return texts_of(((PyListObject *)value)->ob_item, PyList_GET_SIZE(value), out);
    return texts_of(&value, 1, out);
}

/* out: with memory for as many items as the dicts have. The items that are filled in are counted,
 * for free_tensors. */
static int fill_tensors(PyObject *arrays, PyObject *metadata, jg_tensors *out)
{
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(arrays, &at, &key, &value); ++out->count) {
        if (!py_array_check(value)) {
            PyErr_Format(PyExc_TypeError, "arrays[%R]: got %s, allowed is array", key,
                         Py_TYPE(value)->tp_name);
            return -1;
        }
        if (text_of(key, &out->items[out->count].name) < 0)
            return -1;
        out->items[out->count].array = py_array_retain(value);
    }
    for (Py_ssize_t at = 0; PyDict_Next(metadata, &at, &key, &value);) {
        jg_metadatum *metadatum = &out->metadata[out->nmetadata++];
        if (text_of(key, &metadatum->key) < 0 || metadatum_of(value, metadatum) < 0)
            return -1;
    }
    return 0;
}

/* jg_tensors_clear is not used, because the names are Python's. */
static void free_tensors(jg_tensors *tensors)
{
    for (int i = 0; i < tensors->count; ++i)
        jg_array_release(tensors->items[i].array);
    for (int i = 0; i < tensors->nmetadata; ++i) {
        jg_array_release(tensors->metadata[i].array);
        PyMem_Free(tensors->metadata[i].texts);
    }
    PyMem_Free(tensors->items);
    PyMem_Free(tensors->metadata);
}

typedef jg_status saver(const jg_tensors *, jg_sink *, void *);

/* (write, arrays, metadata). The dicts are joggle._files' own, so no thread takes names away while
 * write() runs. */
static PyObject *save_tensors(PyObject *args, saver *save)
{
    PyObject *write, *arrays, *metadata, *result = NULL;
    if (!PyArg_ParseTuple(args, "OO!O!:_save", &write, &PyDict_Type, &arrays, &PyDict_Type,
                          &metadata))
        return NULL;
    jg_tensors tensors = {
        .items = PyMem_Calloc((size_t)PyDict_GET_SIZE(arrays) + 1, sizeof *tensors.items),
        .metadata = PyMem_Calloc((size_t)PyDict_GET_SIZE(metadata) + 1, sizeof *tensors.metadata),
    };
    if (!tensors.items || !tensors.metadata) {
        PyErr_NoMemory();
    } else if (fill_tensors(arrays, metadata, &tensors) == 0) {
        py_sink sink = {write, PyEval_SaveThread()};
        jg_status status = save(&tensors, py_sink_write, &sink);
        PyEval_RestoreThread(sink.thread);
        result = py_sink_finish(status);
    }
    free_tensors(&tensors);
    return result;
}

static PyObject *save_safetensors(PyObject *Py_UNUSED(module), PyObject *args)
{
    return save_tensors(args, jg_save_safetensors);
}

static PyObject *save_gguf(PyObject *Py_UNUSED(module), PyObject *args)
{
    return save_tensors(args, jg_save_gguf);
}

PyMethodDef py_io_functions[] = {
    {"_source", make_source, METH_VARARGS,
     "The bytes of a descriptor's file, mapped, or of a buffer."},
    {"_load_npy", load_npy, METH_VARARGS, "The array at a byte of a source, and where it ends."},
    {"_load_safetensors", load_safetensors, METH_O, "The arrays and the metadata of a source."},
    {"_load_gguf", load_gguf, METH_O, "The arrays and the metadata of a source."},
    {"_save_npy", save_npy, METH_VARARGS, "Calls write with the bytes of a file."},
    {"_save_safetensors", save_safetensors, METH_VARARGS, "Calls write with the bytes of a file."},
    {"_save_gguf", save_gguf, METH_VARARGS, "Calls write with the bytes of a file."},
    {NULL, NULL, 0, NULL},
};
