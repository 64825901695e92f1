/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: the type joggle.Stream, the defaults of thread and process, and the keyword `stream`
 * that every op takes beside its own parameters.
 *
 * The library's ops know no such parameter: a node is of the stream that is its thread's default
 * when it is built. So the keyword is taken off, and the default changed for the time of the
 * call. */
#include "base/core.h"

/* Handles of one stream are equal, and more than one may exist; the stream is the library's. */
typedef struct stream_object {
    PyObject_HEAD jg_stream *stream;
} stream_object;

static PyTypeObject *stream_type, *context_type;

/* Borrowed from the object, which always has one. */
static jg_stream *stream_of(PyObject *self)
{
    return ((stream_object *)self)->stream;
}

/* steals: stream */
static PyObject *wrap(jg_stream *stream)
{
    stream_object *self = PyObject_New(stream_object, stream_type);
    if (self)
        self->stream = stream;
    else
        jg_stream_release(stream);
    return (PyObject *)self;
}

/* The stream that a Stream is, or a device's default; None is the default device's.
 * gives: a reference */
static jg_stream *stream_from(PyObject *object)
{
    jg_device_id device;
    jg_stream *stream;
    if (object && Py_IS_TYPE(object, stream_type))
        return jg_stream_retain(stream_of(object));
    if (py_device_from(object, &device) < 0) {
        if (PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError, "stream: got %R, allowed are a Stream and a device",
                         object);
        return NULL;
    }
    return py_check(jg_stream_default(device, &stream)) < 0 ? NULL : stream;
}

/* The keyword's index among the names, -1 if it is not there. */
static Py_ssize_t find_stream(PyObject *kwnames)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kwnames); ++i)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), "stream") == 0)
            return i;
    return -1;
}

bool py_names_stream(PyObject *kwnames)
{
    return find_stream(kwnames) >= 0;
}

/* Makes the stream the thread's default. gives: the one it was before, with a reference */
static jg_stream *enter(jg_stream *stream)
{
    jg_stream *before;
    if (py_check(jg_stream_default(jg_stream_device(stream), &before)) < 0)
        return NULL;
    jg_stream_set_default(stream);
    return before;
}

/* takes: before */
static void leave(jg_stream *before)
{
    jg_stream_set_default(before);
    jg_stream_release(before);
}

/* The call without its keyword number `at`. Values of keywords lie behind the positional ones, in
 * the order of kwnames. */
static PyObject *call_without(py_fastcall *function, PyObject *const *args, Py_ssize_t nargs,
                              PyObject *kwnames, Py_ssize_t at)
{
    Py_ssize_t nnamed = PyTuple_GET_SIZE(kwnames), count = nargs + nnamed;
    PyObject *names = PyTuple_New(nnamed - 1), *result = NULL;
    PyObject **rest = PyMem_Calloc((size_t)count, sizeof *rest);
    if (names && rest) {
        memcpy(rest, args, (size_t)(nargs + at) * sizeof *rest);
        memcpy(rest + nargs + at, args + nargs + at + 1, (size_t)(nnamed - at - 1) * sizeof *rest);
        for (Py_ssize_t i = 0; i < nnamed - 1; ++i)
            PyTuple_SET_ITEM(names, i, Py_NewRef(PyTuple_GET_ITEM(kwnames, i < at ? i : i + 1)));
        result = function(NULL, rest, nargs, nnamed > 1 ? names : NULL);
    } else if (names) {
        PyErr_NoMemory();
    }
    Py_XDECREF(names);
    PyMem_Free(rest);
    return result;
}

/* The default belongs to the thread, so other threads are not affected. It is put back after the
 * call, whatever the call raises. */
PyObject *py_call_on_stream(py_fastcall *function, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames)
{
    Py_ssize_t at = find_stream(kwnames);
    jg_stream *stream = stream_from(args[nargs + at]), *before = stream ? enter(stream) : NULL;
    PyObject *result = before ? call_without(function, args, nargs, kwnames, at) : NULL;
    if (before)
        leave(before);
    jg_stream_release(stream);
    return result;
}

static void stream_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    jg_stream_release(stream_of(self));
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *stream_repr(PyObject *self)
{
    PyObject *device = py_device_object(jg_stream_device(stream_of(self)));
    PyObject *text =
        device ? PyUnicode_FromFormat("Stream(%U, %d)", device, jg_stream_index(stream_of(self)))
               : NULL;
    Py_XDECREF(device);
    return text;
}

/* Two handles of one stream are equal. There is no order among streams. */
static PyObject *stream_compare(PyObject *a, PyObject *b, int operator)
{
    if (!Py_IS_TYPE(b, stream_type) || (operator!= Py_EQ && operator!= Py_NE))
        Py_RETURN_NOTIMPLEMENTED;
    return PyBool_FromLong((stream_of(a) == stream_of(b)) == (operator== Py_EQ));
}

/* Numbers are unique: there is one table for all devices. */
static Py_hash_t stream_hash(PyObject *self)
{
    return jg_stream_index(stream_of(self));
}

static PyObject *stream_device(PyObject *self, void *Py_UNUSED(closure))
{
    return py_device_object(jg_stream_device(stream_of(self)));
}

static PyObject *stream_index(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromLong(jg_stream_index(stream_of(self)));
}

static PyGetSetDef stream_getset[] = {
    {"device", stream_device, NULL, "The device that computes what is queued.", NULL},
    {"index", stream_index, NULL, "The stream's number; threads start with stream 0.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot stream_slots[] = {
    {Py_tp_doc, "A queue of a device with a thread of its own; new_stream() makes one."},
    {Py_tp_dealloc, stream_dealloc},
    {Py_tp_repr, stream_repr},
    {Py_tp_richcompare, stream_compare},
    {Py_tp_hash, stream_hash},
    {Py_tp_getset, stream_getset},
    {0, NULL},
};

static PyType_Spec stream_spec = {
    .name = "joggle.Stream",
    .basicsize = sizeof(stream_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = stream_slots,
};

/* Which stream was the default at each entry that has not been left, for a context that is used
 * again inside itself. It belongs to the thread that enters it, as defaults are a thread's. */
typedef struct context_object {
    PyObject_HEAD jg_stream *stream;
    PyObject *outer; /* list of Stream */
} context_object;

static void context_dealloc(PyObject *object)
{
    context_object *self = (context_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    jg_stream_release(self->stream);
    Py_XDECREF(self->outer);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* Notes the stream that was the default. takes: before. 0 or -1 */
static int note_outer(context_object *self, jg_stream *before)
{
    PyObject *outer = wrap(before);
    int status = -1;
    Py_BEGIN_CRITICAL_SECTION(self);
    if (outer)
        status = PyList_Append(self->outer, outer);
    Py_END_CRITICAL_SECTION();
    Py_XDECREF(outer);
    return status;
}

/* A block that cannot be entered is not left either, so a failure sets the default back.
 * gives: the stream, for `with stream(s) as ...` */
static PyObject *context_enter(PyObject *object, PyObject *Py_UNUSED(unused))
{
    context_object *self = (context_object *)object;
    PyObject *result = wrap(jg_stream_retain(self->stream));
    jg_stream *before = result ? enter(self->stream) : NULL;
    if (before) {
        jg_stream_retain(before);
        if (note_outer(self, before) < 0) {
            jg_stream_set_default(before);
            Py_CLEAR(result);
        }
        jg_stream_release(before);
    } else {
        Py_CLEAR(result);
    }
    return result;
}

/* An exception in the block is not ours: None lets it go on. */
static PyObject *context_exit(PyObject *object, PyObject *Py_UNUSED(args))
{
    context_object *self = (context_object *)object;
    PyObject *outer = NULL;
    int status = 0;
    Py_BEGIN_CRITICAL_SECTION(object);
    Py_ssize_t depth = PyList_GET_SIZE(self->outer);
    if (depth > 0) {
        outer = Py_NewRef(PyList_GET_ITEM(self->outer, depth - 1));
        status = PyList_SetSlice(self->outer, depth - 1, depth, NULL);
    }
    Py_END_CRITICAL_SECTION();
    if (outer)
        jg_stream_set_default(stream_of(outer));
    else
        PyErr_SetString(PyExc_RuntimeError, "stream: left more often than entered");
    bool done = outer && status == 0;
    Py_XDECREF(outer);
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef context_methods[] = {
    {"__enter__", context_enter, METH_NOARGS, NULL},
    {"__exit__", context_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* For a device this is its default stream at this moment, not when the block is entered. */
static PyObject *new_context(PyObject *object)
{
    jg_stream *stream = stream_from(object);
    context_object *self = stream ? PyObject_New(context_object, context_type) : NULL;
    if (!self) {
        jg_stream_release(stream);
        return NULL;
    }
    self->stream = stream;
    self->outer = PyList_New(0);
    if (!self->outer)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static PyObject *context_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"s", NULL};
    PyObject *object;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "O:StreamContext", names, &object)
               ? new_context(object)
               : NULL;
}

static PyType_Slot context_slots[] = {
    {Py_tp_doc, "What stream(s) gives: a stream that is the thread's default inside a with block."},
    {Py_tp_new, context_new},
    {Py_tp_dealloc, context_dealloc},
    {Py_tp_methods, context_methods},
    {0, NULL},
};

static PyType_Spec context_spec = {
    .name = "joggle.StreamContext",
    .basicsize = sizeof(context_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = context_slots,
};

static const py_signature one_device = {0, 1, 0, {"device"}}, one_stream = {0, 1, 0, {"stream"}};
static const py_signature the_device = {1, 1, 0, {"device"}}, the_stream = {1, 1, 0, {"stream"}};
static const py_signature context_signature = {1, 1, 0, {"s"}};

static PyObject *new_stream(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames)
{
    PyObject *slots[PY_MAX_PARAMETERS];
    jg_device_id device;
    jg_stream *stream;
    if (py_arguments("new_stream", &one_device, args, nargs, kwnames, slots) < 0 ||
        py_device_from(slots[0], &device) < 0 || py_check(jg_stream_new(device, &stream)) < 0)
        return NULL;
    return wrap(stream);
}

int py_stream_number(jg_device_id device, int64_t *out)
{
    jg_stream *stream;
    if (py_check(jg_stream_default(device, &stream)) < 0)
        return -1;
    int status = py_check(jg_stream_number(stream, out));
    jg_stream_release(stream);
    return status;
}

/* A new reference; NULL without an exception where there is no such attribute. */
static PyObject *attribute_or_null(PyObject *object, const char *name)
{
    PyObject *found = PyObject_GetAttrString(object, name);
    if (!found)
        (void)py_forget_missing(); /* another exception stays */
    return found;
}

/* The stream's number from its owner: an int, the result of the protocol __cuda_stream__, or an
 * attribute of PyTorch's or CuPy's stream. */
static int number_from(PyObject *object, int64_t *out)
{
    static const char *const names[] = {"cuda_stream", "ptr", "handle"};
    PyObject *found = NULL;
    if (PyLong_Check(object))
        return py_int64_from(object, out);
    PyObject *protocol = attribute_or_null(object, "__cuda_stream__");
    if (!protocol && PyErr_Occurred())
        return -1;
    if (protocol) {
        PyObject *pair = PyObject_CallNoArgs(protocol);
        Py_DECREF(protocol);
        if (pair && PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2)
            found = Py_NewRef(PyTuple_GET_ITEM(pair, 1));
        else if (pair)
            PyErr_Format(PyExc_TypeError,
                         "stream: __cuda_stream__ gave %R, allowed is (version, handle)", pair);
        Py_XDECREF(pair);
        if (!found)
            return -1;
    }
    for (size_t i = 0; !found && i < Py_ARRAY_LENGTH(names); ++i) {
        found = attribute_or_null(object, names[i]);
        if (!found && PyErr_Occurred())
            return -1;
    }
    if (!found || !PyLong_Check(found)) {
        PyErr_Format(PyExc_TypeError,
                     "stream: got %R, allowed are the handle of a stream and streams of PyTorch, "
                     "CuPy and others with __cuda_stream__",
                     object);
        Py_XDECREF(found);
        return -1;
    }
    int status = py_int64_from(found, out);
    Py_DECREF(found);
    /* PyTorch's default stream is 0, which could mean two things elsewhere. */
    if (status == 0 && *out == 0)
        *out = JG_STREAM_DEFAULT;
    return status;
}

/* The stream's device, otherwise the first GPU: PyTorch also calls ROCm's streams CUDA's. */
static int device_of_stream(PyObject *object, PyObject *named, jg_device_id *out)
{
    if (named && named != Py_None)
        return py_device_from(named, out);
    if (py_check(jg_device_parse("gpu", out)) < 0)
        return -1;
    if (PyLong_Check(object) || !PyObject_HasAttrString(object, "device_index"))
        return 0;
    int64_t index;
    PyObject *found = PyObject_GetAttrString(object, "device_index");
    int status = found ? py_int64_from(found, &index) : -1;
    Py_XDECREF(found);
    if (status == 0)
        out->id = (int32_t)index;
    return status;
}

static PyObject *from_stream(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 1, {"stream", "device"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    jg_device_id device;
    jg_stream *stream;
    int64_t number;
    if (py_arguments("from_stream", &signature, args, nargs, kwnames, slots) < 0 ||
        number_from(slots[0], &number) < 0 || device_of_stream(slots[0], slots[1], &device) < 0 ||
        py_check(jg_stream_adopt(device, number, &stream)) < 0)
        return NULL;
    return wrap(stream);
}

/* The thread's default: one device has streams, so the device is only checked. */
static PyObject *default_stream(PyObject *Py_UNUSED(module), PyObject *const *args,
                                Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *slots[PY_MAX_PARAMETERS];
    jg_device_id device;
    jg_stream *stream;
    if (py_arguments("default_stream", &one_device, args, nargs, kwnames, slots) < 0 ||
        py_device_from(slots[0], &device) < 0 || py_check(jg_stream_default(device, &stream)) < 0)
        return NULL;
    return wrap(stream);
}

static PyObject *stream_context(PyObject *Py_UNUSED(module), PyObject *const *args,
                                Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *slots[PY_MAX_PARAMETERS];
    return py_arguments("stream", &context_signature, args, nargs, kwnames, slots) < 0
               ? NULL
               : new_context(slots[0]);
}

/* The thread keeps no reference: a stream without references still works, but new_stream() may give
 * it out again. */
static PyObject *set_default_stream(PyObject *Py_UNUSED(module), PyObject *const *args,
                                    Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *slots[PY_MAX_PARAMETERS];
    if (py_arguments("set_default_stream", &the_stream, args, nargs, kwnames, slots) < 0)
        return NULL;
    PyObject *argument = slots[0];
    if (!Py_IS_TYPE(argument, stream_type)) {
        PyErr_Format(PyExc_TypeError, "stream: got %R, allowed is a Stream", argument);
        return NULL;
    }
    jg_stream_set_default(stream_of(argument));
    Py_RETURN_NONE;
}

static PyObject *default_device(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    jg_device_id device;
    if (py_check(jg_device_get_default(&device)) < 0)
        return NULL;
    return py_device_object(device);
}

static PyObject *set_default_device(PyObject *Py_UNUSED(module), PyObject *const *args,
                                    Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *slots[PY_MAX_PARAMETERS];
    jg_device_id device;
    if (py_arguments("set_default_device", &the_device, args, nargs, kwnames, slots) < 0 ||
        py_device_from(slots[0], &device) < 0 || py_check(jg_device_set_default(device)) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* Failures of what was waited for stay with the arrays, and are raised where one is used. */
static PyObject *synchronize(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames)
{
    PyObject *slots[PY_MAX_PARAMETERS];
    if (py_arguments("synchronize", &one_stream, args, nargs, kwnames, slots) < 0)
        return NULL;
    bool all = !slots[0] || slots[0] == Py_None;
    jg_stream *stream = all ? NULL : stream_from(slots[0]);
    if (!all && !stream)
        return NULL;
    jg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = all ? jg_synchronize() : jg_stream_synchronize(stream);
    Py_END_ALLOW_THREADS
    jg_stream_release(stream);
    return status == JG_OK ? Py_NewRef(Py_None) : py_raise(status);
}

PyMethodDef py_stream_functions[] = {
    {"new_stream", PY_FASTCALL(new_stream),
     "new_stream(device=None)\n--\n\nA stream of its own: what is computed on it runs beside other "
     "streams."
     "\n\n"
     ">>> jg.new_stream() == jg.default_stream()\n"
     "False"},
    {"from_stream", PY_FASTCALL(from_stream),
     "from_stream(stream, /, *, device=None)\n--\n\nA stream that runs on another library's, such "
     "as "
     "torch.cuda.current_stream(): what is\ncomputed on it and what that library starts there run "
     "in "
     "one order, without waits. The other\nlibrary's stream must live as long as work on this one. "
     "stream: its handle, or an object that\nhas it. device: which it is of; that of the object, "
     "else "
     "the first GPU of CUDA or ROCm."
     "\n\n"
     ">>> with jg.stream(jg.from_stream(torch.cuda.current_stream())):  # doctest: +SKIP\n"
     "...     jg.eval(y)"},
    {"default_stream", PY_FASTCALL(default_stream),
     "default_stream(device=None)\n--\n\nThe stream of ops that this thread builds."
     "\n\n"
     ">>> jg.default_stream()\n"
     "Stream(cpu, 0)"},
    {"set_default_stream", PY_FASTCALL(set_default_stream),
     "set_default_stream(stream)\n--\n\nThe stream of ops that this thread builds from now on."
     "\n\n"
     ">>> jg.set_default_stream(jg.default_stream())"},
    {"stream", PY_FASTCALL(stream_context),
     "stream(s)\n--\n\nA context in which the stream, or the device's, is the thread's "
     "default."
     "\n\n"
     ">>> with jg.stream(jg.new_stream()):\n"
     "...     x = jg.ones((2,)) + 1\n"
     ">>> x\n"
     "array([2., 2.], dtype=float32)"},
    {"default_device", default_device, METH_NOARGS,
     "default_device()\n--\n\nThe device that is meant where none is named."
     "\n\n"
     ">>> jg.default_device()\n"
     "Device(cpu, 0)"},
    {"set_default_device", PY_FASTCALL(set_default_device),
     "set_default_device(device)\n--\n\nThe device that is meant where none is named, from now "
     "on."
     "\n\n"
     ">>> jg.set_default_device(\"cpu\")"},
    {"synchronize", PY_FASTCALL(synchronize),
     "synchronize(stream=None)\n--\n\nWaits for all that was started, on one stream or on all."
     "\n\n"
     ">>> jg.synchronize()"},
    {NULL, NULL, 0, NULL},
};

int py_stream_ready(PyObject *module)
{
    stream_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &stream_spec, NULL);
    context_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &context_spec, NULL);
    if (!stream_type || !context_type)
        return -1;
    return PyModule_AddObjectRef(module, "Stream", (PyObject *)stream_type) < 0
               ? -1
               : PyModule_AddObjectRef(module, "StreamContext", (PyObject *)context_type);
}
