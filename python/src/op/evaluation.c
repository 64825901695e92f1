/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation and queries about the graph, as functions of the module; traces, options and the
 * number of threads. */
#include "op/op.h"

/* Arrays with a reference each, as the handles may be given others while the lock is away. Most
 * lists are short and need no heap. */
enum { FEW_ARRAYS = 8 };
typedef struct array_list {
    jg_array **items; /* few, or a block */
    int count, capacity;
    jg_array *few[FEW_ARRAYS];
} array_list;

/* Twice the room. gives: 0, or -1 with MemoryError */
static int list_grow(array_list *list)
{
    jg_array **items = PyMem_New(jg_array *, 2 * (size_t)list->capacity);
    if (!items) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(items, list->items, (size_t)list->count * sizeof *items);
    if (list->items != list->few)
        PyMem_Free(list->items);
    list->items = items;
    list->capacity *= 2;
    return 0;
}

/* steals: array */
static int list_push(array_list *list, jg_array *array)
{
    if (list->count == list->capacity && list_grow(list) < 0) {
        jg_array_release(array);
        return -1;
    }
    list->items[list->count++] = array;
    return 0;
}

static int collect(PyObject *object, array_list *list);

/* The values of a dict count, not its keys. A tree that contains itself ends at Python's limit of
 * recursion. */
static int collect_items(PyObject *object, array_list *list)
{
    PyObject *items = PyDict_Check(object) ? PyDict_Values(object) : py_frozen(object);
    if (!items || Py_EnterRecursiveCall(" in the arguments of eval")) {
        Py_XDECREF(items);
        return -1;
    }
    int status = 0;
    for (Py_ssize_t i = 0; status == 0 && i < PySequence_Fast_GET_SIZE(items); ++i)
        status = collect(PySequence_Fast_GET_ITEM(items, i), list);
    Py_LeaveRecursiveCall();
    Py_DECREF(items);
    return status;
}

/* Arrays in lists, tuples and dicts; other leaves of such trees are left alone. */
static int collect(PyObject *object, array_list *list)
{
    if (py_array_check(object))
        return list_push(list, py_array_retain(object));
    if (PyList_Check(object) || PyTuple_Check(object) || PyDict_Check(object))
        return collect_items(object, list);
    return 0;
}

static void list_clear(array_list *list)
{
    for (int i = 0; i < list->count; ++i)
        jg_array_release(list->items[i]);
    if (list->items != list->few)
        PyMem_Free(list->items);
}

/* The list is to be cleared, also on failure. */
static int collect_arguments(PyObject *const *args, Py_ssize_t nargs, array_list *list)
{
    list->items = list->few;
    list->count = 0;
    list->capacity = FEW_ARRAYS;
    for (Py_ssize_t i = 0; i < nargs; ++i)
        if (collect(args[i], list) < 0)
            return -1;
    return 0;
}

/* All in one call, so that what the arrays share is computed once. */
static PyObject *evaluate_all(PyObject *const *args, Py_ssize_t nargs,
                              jg_status (*evaluate)(int, jg_array *const *))
{
    array_list list;
    PyObject *result = NULL;
    if (collect_arguments(args, nargs, &list) == 0) {
        jg_status status = evaluate(list.count, list.items);
        result = status == JG_OK ? Py_NewRef(Py_None) : py_raise(status);
    }
    list_clear(&list);
    return result;
}

/* The keywords are those of joggle._progress.evaluate. */
static PyObject *eval(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                      PyObject *kwnames)
{
    if (!kwnames || PyTuple_GET_SIZE(kwnames) == 0)
        return evaluate_all(args, nargs, py_eval);
    PyObject *module = PyImport_ImportModule("joggle._progress");
    PyObject *function = module ? PyObject_GetAttrString(module, "evaluate") : NULL;
    PyObject *result =
        function ? PyObject_Vectorcall(function, args, (size_t)nargs, kwnames) : NULL;
    Py_XDECREF(module);
    Py_XDECREF(function);
    return result;
}

static PyObject *progress_begin(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    jg_progress_begin();
    Py_RETURN_NONE;
}

static PyObject *progress_end(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    jg_progress_end();
    Py_RETURN_NONE;
}

static PyObject *progress_read(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    jg_progress now;
    jg_progress_read(&now);
    return Py_BuildValue("(LL)", (long long)now.planned, (long long)now.done);
}

/* Waits where other threads evaluate. */
static jg_status enqueue(int count, jg_array *const *arrays)
{
    jg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = jg_eval_async(count, arrays);
    Py_END_ALLOW_THREADS
    return status;
}

static PyObject *async_eval(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    return evaluate_all(args, nargs, enqueue);
}

/* Like collect_arguments, but an argument that holds no array is refused: for example, a function
 * that should have been called. */
static int collect_described(const char *name, PyObject *const *args, Py_ssize_t nargs,
                             array_list *list)
{
    list->items = list->few;
    list->count = 0;
    list->capacity = FEW_ARRAYS;
    for (Py_ssize_t i = 0; i < nargs; ++i) {
        int before = list->count;
        if (collect(args[i], list) < 0)
            return -1;
        if (list->count > before)
            continue;
        PyErr_Format(PyExc_TypeError,
                     "[%s] argument %zd: got %s, which holds no array; allowed are arrays, and "
                     "lists, tuples and dicts of them",
                     name, i + 1, Py_TYPE(args[i])->tp_name);
        return -1;
    }
    return 0;
}

/* A text of the class of joggle._notebook that says how notebooks show it. */
static PyObject *notebook_text(const char *class, const char *text)
{
    PyObject *module = PyImport_ImportModule("joggle._notebook");
    PyObject *result = module ? PyObject_CallMethod(module, class, "(s)", text) : NULL;
    Py_XDECREF(module);
    return result;
}

static PyObject *describe_all(const char *name, const char *class, PyObject *const *args,
                              Py_ssize_t nargs,
                              jg_status (*describe)(int, jg_array *const *, char **))
{
    array_list list;
    PyObject *result = NULL;
    char *text;
    if (collect_described(name, args, nargs, &list) == 0 &&
        py_check(describe(list.count, list.items, &text)) == 0) {
        result = notebook_text(class, text);
        jg_text_release(text);
    }
    list_clear(&list);
    return result;
}

static PyObject *export_dot(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    return describe_all("export_dot", "Drawing", args, nargs, jg_export_dot);
}

static PyObject *explain(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    return describe_all("explain", "Plan", args, nargs, jg_explain);
}

/* path: count pairs of positions, one after the other. */
static PyObject *path_object(const int *path, int count)
{
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; ++i) {
        PyObject *pair = Py_BuildValue("(ii)", path[2 * i], path[2 * i + 1]);
        if (pair)
            PyList_SET_ITEM(list, i, pair);
        else
            Py_CLEAR(list);
    }
    return list;
}

/* (subscripts, operands): the order of contractions alone. Every step makes one operand of two, so
 * there is one step less than operands. */
static PyObject *einsum_path(PyObject *Py_UNUSED(module), PyObject *args)
{
    const char *subscripts;
    PyObject *objects, *result = NULL;
    py_operand_list operands = {0};
    if (!PyArg_ParseTuple(args, "sO:einsum_path", &subscripts, &objects))
        return NULL;
    int *path = NULL;
    if (py_operand_list_from("operands", objects, &operands) == 0) {
        path = PyMem_Calloc(2 * (size_t)operands.count + 1, sizeof *path);
        if (!path)
            PyErr_NoMemory();
        else if (py_check(jg_einsum_path(subscripts, operands.count, operands.arrays, path)) == 0)
            result = path_object(path, operands.count - 1);
    }
    PyMem_Free(path);
    py_operand_list_clear(&operands);
    return result;
}

/* Views and several handles of one array count once, as they have one block. */
static PyObject *get_array_buffer_size(PyObject *Py_UNUSED(module), PyObject *const *args,
                                       Py_ssize_t nargs)
{
    array_list list;
    PyObject *result = NULL;
    if (collect_arguments(args, nargs, &list) == 0)
        result = PyLong_FromSize_t(jg_buffers_nbytes(list.count, list.items));
    list_clear(&list);
    return result;
}

static PyObject *trace_start(PyObject *Py_UNUSED(module), PyObject *argument)
{
    PyObject *path;
    if (!PyUnicode_FSConverter(argument, &path))
        return NULL;
    jg_status status = jg_trace_start(PyBytes_AS_STRING(path));
    Py_DECREF(path);
    return status == JG_OK ? Py_NewRef(Py_None) : py_raise(status);
}

/* Writes the file, which may take long. */
static PyObject *trace_stop(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    jg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = jg_trace_stop();
    Py_END_ALLOW_THREADS
    return status == JG_OK ? Py_NewRef(Py_None) : py_raise(status);
}

static PyObject *set_option(PyObject *Py_UNUSED(module), PyObject *args)
{
    const char *name, *value;
    if (!PyArg_ParseTuple(args, "ss:set_option", &name, &value) ||
        py_check(jg_option_set(name, value)) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *get_option(PyObject *Py_UNUSED(module), PyObject *argument)
{
    const char *name = PyUnicode_AsUTF8(argument), *value;
    if (!name || py_check(jg_option_get(name, &value)) < 0)
        return NULL;
    return PyUnicode_FromString(value);
}

static PyObject *set_num_threads(PyObject *Py_UNUSED(module), PyObject *argument)
{
    int64_t count;
    if (py_int64_from(argument, &count) < 0)
        return NULL;
    if (count != (int)count)
        return PyErr_Format(PyExc_ValueError, "count: got %lld, allowed are ints of 32 bits",
                            (long long)count);
    return py_check(jg_set_num_threads((int)count)) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *get_num_threads(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyLong_FromLong(jg_num_threads());
}

#define FASTCALL(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL

PyMethodDef py_evaluate_functions[] = {
    {"_progress_begin", progress_begin, METH_NOARGS, NULL},
    {"_progress_end", progress_end, METH_NOARGS, NULL},
    {"_progress_read", progress_read, METH_NOARGS, NULL},
    {"eval", PY_FASTCALL(eval),
     "eval($module, /, *arrays, progress=False)\n--\n\nComputes the arrays, which may lie in "
     "lists, tuples and dicts, and waits.\n\n"
     "progress: whether to show on stderr how far it is, if it takes long: tqdm's bar where tqdm "
     "is\ninstalled.\n\n"
     ">>> jg.eval(jg.ones((2,)) + 1)"},
    {"async_eval", FASTCALL(async_eval),
     "async_eval($module, /, *arrays)\n--\n\nStarts to compute the arrays and does not wait."
     "\n\n"
     ">>> jg.async_eval(jg.ones((2,)) + 1)"},
    {"explain", FASTCALL(explain),
     "explain($module, /, *arrays)\n--\n\nThe plan that would evaluate the arrays as text: for "
     "each "
     "launch the ops fused in it\nand the bytes it reads and writes, then the sums and the "
     "temporaries."
     "\n\n"
     ">>> \"launches: 1\" in jg.explain(jg.ones((2,)) + 1)\n"
     "True"},
    {"export_dot", FASTCALL(export_dot),
     "export_dot($module, /, *arrays)\n--\n\nThe graph of the arrays as Graphviz text, with a box "
     "around what is computed together."
     "\n\n"
     ">>> jg.export_dot(jg.ones((2,)) + 1).startswith(\"digraph\")\n"
     "True"},
    {"_einsum_path", einsum_path, METH_VARARGS, "The pairs that einsum contracts."},
    {"get_array_buffer_size", FASTCALL(get_array_buffer_size),
     "get_array_buffer_size($module, /, *args)\n--\n\nThe bytes of the memory that the arrays in "
     "trees of them lie in, each block once.\nWhat is not evaluated has none."
     "\n\n"
     ">>> jg.get_array_buffer_size(jg.ones((2,))) >= 8\n"
     "False"},
    {"_trace_start", trace_start, METH_O, "_trace_start(path, /)\n--\n\nBegins a trace."},
    {"_trace_stop", trace_stop, METH_NOARGS, "_trace_stop()\n--\n\nEnds and writes the trace."},
    {"set_num_threads", set_num_threads, METH_O,
     "set_num_threads(count, /)\n--\n\nHow many threads share large work, in all of the process."
     "\n\n"
     ">>> jg.set_num_threads(jg.get_num_threads())"},
    {"get_num_threads", get_num_threads, METH_NOARGS,
     "get_num_threads()\n--\n\nHow many threads share large work."
     "\n\n"
     ">>> jg.get_num_threads() > 0\n"
     "True"},
    {"set_option", set_option, METH_VARARGS,
     "set_option(name, value, /)\n--\n\nSets what the environment variable JOGGLE_NAME sets."
     "\n\n"
     ">>> jg.set_option(\"log\", \"\")"},
    {"get_option", get_option, METH_O,
     "get_option(name, /)\n--\n\nThe option's text."
     "\n\n"
     ">>> jg.get_option(\"fuse\")\n"
     "'1'"},
    {NULL, NULL, 0, NULL},
};
