/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled functions: the object that joggle.compile gives, for calls whose record is there.
 *
 * A call sorts its arguments into arrays and a signature. A record with the same signature is
 * called with the arrays, and its results are put into a copy of the tree that the function gave.
 * Where there is none, the method of _compile.py traces the function. */
#include "transform/records.h"
#include <stdatomic.h>
#include <structmember.h>

static PyTypeObject *compiled_type;
static atomic_bool disabled;

static int put_call(const py_compiled *self, PyObject *const *args, Py_ssize_t nargs,
                    PyObject *kwnames, py_call_arguments *all)
{
    Py_ssize_t nnamed = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    if (py_arguments_put_number(all, 'P', nargs) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < nargs; ++i)
        if (py_arguments_put_argument(all, args[i]) < 0)
            return -1;
    for (Py_ssize_t i = 0; i < nnamed; ++i)
        if (py_arguments_put_constant(all, PyTuple_GET_ITEM(kwnames, i)) < 0 ||
            py_arguments_put_argument(all, args[nargs + i]) < 0)
            return -1;
    return self->inputs == Py_None ? 0 : py_arguments_put_argument(all, self->inputs);
}

static int check_donated(const py_compiled *self, Py_ssize_t nargs)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self->donated); ++i) {
        PyObject *number = PyTuple_GET_ITEM(self->donated, i);
        size_t wanted = PyLong_AsSize_t(number);
        PyErr_Clear(); /* a number that is too large for size_t is SIZE_MAX */
        if (wanted < (size_t)nargs)
            continue;
        PyObject *name = PyObject_GetAttrString(self->function, "__name__");
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError,
                     "[compile] %S: donate_argnums has %S, and the function was called with %zd "
                     "positional arguments, allowed are their numbers",
                     name ? name : (PyObject *)Py_TYPE(self->function), number, nargs);
        Py_XDECREF(name);
        return -1;
    }
    return 0;
}

static PyObject *finish_call(const py_compiled *self, const py_entry *found, py_result_row *row,
                             const py_donation *given)
{
    PyObject *result = py_results_fill(found->results, row);
    if (!result)
        return NULL;
    bool updates = found->state != Py_None;
    if ((updates && py_results_update(self->outputs, found->state, row) < 0) ||
        (given && py_donation_finish(given) < 0))
        Py_CLEAR(result);
    return result;
}

/* An entry may go while Python code runs in its call, so what that uses is held. held: the rest is
 * not set */
static void hold_entry(const py_entry *found, py_entry *held)
{
    held->record = jg_record_retain(found->record);
    held->results = Py_NewRef(found->results);
    held->state = Py_NewRef(found->state);
    held->noutputs = found->noutputs;
}

/* takes: what held has of hold_entry */
static PyObject *call_entry(const py_compiled *self, const py_entry *held,
                            const py_call_arguments *all, const py_donation *given)
{
    enum { FEW = 8 };
    jg_array *few_arrays[FEW] = {NULL};
    PyObject *few_handles[FEW] = {NULL}, *result = NULL;
    py_result_row row = {held->noutputs, few_arrays, few_handles};
    if (row.count > FEW) {
        row.arrays = PyMem_Calloc((size_t)row.count, sizeof *row.arrays);
        row.handles = PyMem_Calloc((size_t)row.count, sizeof *row.handles);
    }
    if (!row.arrays || !row.handles) {
        row.count = 0;
        PyErr_NoMemory();
    } else if (py_check(jg_record_call(held->record, all->count, all->arrays, row.arrays)) == 0) {
        result = finish_call(self, held, &row, given);
    }
    if (row.count > 0)
        py_results_clear(&row);
    if (row.arrays != few_arrays) {
        PyMem_Free(row.arrays);
        PyMem_Free(row.handles);
    }
    jg_record_release(held->record);
    Py_DECREF(held->results);
    Py_DECREF(held->state);
    return result;
}

/* constants: of the entry, which py_constants_kept gave. gives: 0 or -1 */
static int set_signature(py_entry *made, const py_call_arguments *all, size_t hash,
                         PyObject *constants)
{
    made->hash = hash;
    made->nwords = all->nwords;
    made->constants = Py_XNewRef(constants);
    made->signature = PyMem_New(int64_t, all->nwords);
    if (!made->signature) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(made->signature, all->words, all->nwords * sizeof *all->words);
    return 0;
}

enum { TRACED_ARGUMENTS = 4 };

/* Takes the result of the tracer apart: (record, number of outputs, tree of results, tree of state
 * or None), and after these, if it has a method `note`, how the arguments were. */
static int take_traced(PyObject *traced, py_entry *made)
{
    PyObject *capsule, *arguments;
    if (!PyArg_ParseTuple(traced, "OiOO|O", &capsule, &made->noutputs, &made->results, &made->state,
                          &arguments)) {
        made->results = made->state = NULL;
        return -1;
    }
    Py_INCREF(made->results);
    Py_INCREF(made->state);
    jg_record *record = py_record_of(capsule);
    if (!record)
        return -1;
    made->record = jg_record_retain(record);
    return 0;
}

/* The tracer tells why there was no record before this one. 0, or -1: a warning may be an error */
static int note_reason(const py_compiled *self, PyObject *traced)
{
    if (PyTuple_GET_SIZE(traced) <= TRACED_ARGUMENTS)
        return 0;
    PyObject *noted =
        PyObject_CallMethod(self->tracer, "note", "O", PyTuple_GET_ITEM(traced, TRACED_ARGUMENTS));
    Py_XDECREF(noted);
    return noted ? 0 : -1;
}

static PyObject *call_traced(py_compiled *self, const py_call_arguments *all, size_t hash,
                             PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                             const py_donation *given)
{
    PyObject *constants = NULL, *traced = NULL, *result = NULL;
    Py_ssize_t serial = py_entry_serial(self);
    PyObject *gone = py_entry_dropper(self, serial);
    /* Before the function changes them. */
    int status = gone ? py_constants_kept(all->constants, gone, &constants) : -1;
    Py_XDECREF(gone);
    if (status < 0)
        return NULL;
    traced = py_trace_call(self->tracer, (PyObject *)self, all, args, nargs, kwnames);
    py_entry *made = traced ? PyMem_Calloc(1, sizeof *made) : NULL;
    if (!made) {
        if (traced)
            PyErr_NoMemory();
        Py_XDECREF(traced);
        Py_XDECREF(constants);
        return NULL;
    }
    made->serial = serial;
    if (take_traced(traced, made) == 0 && set_signature(made, all, hash, constants) == 0) {
        py_entry held;
        hold_entry(made, &held);
        result = call_entry(self, &held, all, given);
    }
    Py_XDECREF(constants);
    bool is_kept = result && !jg_record_is_of_one_call(made->record);
    if (is_kept) {
        made->ntrees = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0) + 1;
        made->unchanged = py_unchanged_new(made->ntrees);
    }
    status = py_entry_keep(self, made, is_kept);
    if (status < 0 || (status > 0 && note_reason(self, traced) < 0))
        Py_CLEAR(result);
    Py_DECREF(traced);
    return result;
}

/* A call without an entry. The tracer reads the arguments' trees after their signature was read,
 * and meanwhile they may change: so they are copied, and the signature is the copies'. */
static PyObject *call_new(py_compiled *self, const py_call_arguments *all, size_t hash,
                          PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                          const py_donation *given)
{
    Py_ssize_t count = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    PyObject *copies = PyTuple_New(count), *result = NULL;
    bool whole = copies != NULL, has_trees = false;
    for (Py_ssize_t i = 0; whole && i < count; ++i) {
        PyObject *copied = py_tree_copy(args[i]);
        PyTuple_SET_ITEM(copies, i, copied);
        whole = copied != NULL;
        has_trees |= copied != args[i];
    }
    py_call_arguments again = {0};
    if (whole && !has_trees)
        result = call_traced(self, all, hash, args, nargs, kwnames, given);
    else if (whole && put_call(self, &PyTuple_GET_ITEM(copies, 0), nargs, kwnames, &again) == 0)
        result = call_traced(self, &again, py_arguments_hash(&again), &PyTuple_GET_ITEM(copies, 0),
                             nargs, kwnames, given);
    py_arguments_clear(&again);
    Py_XDECREF(copies);
    return result;
}

/* Looks for the entry of the call, after the one that was expected. gives: 1 with *held from
 * hold_entry, 0, or -1 */
static int hold_known(py_compiled *self, py_call_arguments *all, py_entry *expected,
                      bool is_expected, size_t *hash, py_entry *held)
{
    py_entry *found = expected;
    int status = is_expected;
    Py_BEGIN_CRITICAL_SECTION(self);
    if (!is_expected) {
        *hash = py_arguments_hash(all);
        status = py_entry_find(self, all, *hash, &found);
    }
    if (status > 0) {
        self->hits += 1;
        hold_entry(found, held);
    }
    Py_END_CRITICAL_SECTION();
    return status;
}

static PyObject *call_known(py_compiled *self, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames, const py_donation *given)
{
    py_call_arguments all = {0};
    PyObject *result = NULL;
    py_entry held, *found = self->entries; /* most calls are like the one before */
#ifndef Py_GIL_DISABLED
    if (found)
        py_arguments_expect(&all, found->signature, found->nwords, found->constants, found->record,
                            found->unchanged);
#endif
    size_t hash = 0;
    int status = put_call(self, args, nargs, kwnames, &all);
    if (status == 0)
        status = py_arguments_are_expected(&all);
    if (status >= 0)
        status = hold_known(self, &all, found, status > 0, &hash, &held);
    if (status > 0)
        result = call_entry(self, &held, &all, given);
    else if (status == 0)
        result = call_new(self, &all, hash, args, nargs, kwnames, given);
    py_arguments_clear(&all);
    return result;
}

static PyObject *call(py_compiled *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    if (PyTuple_GET_SIZE(self->donated) == 0)
        return call_known(self, args, nargs, kwnames, NULL);
    if (check_donated(self, nargs) < 0)
        return NULL;
    py_donation given;
    PyObject *result = NULL;
    Py_ssize_t nnamed = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    if (py_donation_begin(&given, self->donated, &args, nargs + nnamed) == 0)
        result = call_known(self, args, nargs, kwnames, &given);
    py_donation_clear(&given);
    return result;
}

/* While one thread traces the function, its state holds placeholders, which another thread must not
 * use as arrays. A call reads and changes the state as one step. */
static PyObject *call_with_state(py_compiled *self, PyObject *const *args, Py_ssize_t nargs,
                                 PyObject *kwnames)
{
    PyObject *taken = PyObject_CallMethod(self->lock, "acquire", NULL);
    if (!taken)
        return NULL;
    Py_DECREF(taken);
    PyObject *result = call(self, args, nargs, kwnames);
    py_pending fault = py_pending_take();
    PyObject *given = PyObject_CallMethod(self->lock, "release", NULL);
    if (!given) {
        Py_CLEAR(result);
        py_pending_drop(&fault);
        return NULL;
    }
    Py_DECREF(given);
    py_pending_restore(fault);
    return result;
}

static PyObject *compiled_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf,
                                     PyObject *kwnames)
{
    py_compiled *self = (py_compiled *)object;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    if (disabled)
        return PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    return self->lock ? call_with_state(self, args, nargs, kwnames)
                      : call(self, args, nargs, kwnames);
}

static int compiled_traverse(PyObject *object, visitproc visit, void *arg)
{
    py_compiled *self = (py_compiled *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->dict);
    Py_VISIT(self->function);
    Py_VISIT(self->inputs);
    Py_VISIT(self->outputs);
    Py_VISIT(self->tracer);
    Py_VISIT(self->lock);
    for (py_entry *at = self->entries; at; at = at->next) {
        Py_VISIT(at->constants);
        Py_VISIT(at->results);
        Py_VISIT(at->state);
    }
    return 0;
}

static int compiled_clear(PyObject *object)
{
    py_compiled *self = (py_compiled *)object;
    py_entries_forget(self);
    Py_CLEAR(self->dict);
    Py_CLEAR(self->function);
    Py_CLEAR(self->inputs);
    Py_CLEAR(self->outputs);
    Py_CLEAR(self->donated);
    Py_CLEAR(self->tracer);
    Py_CLEAR(self->lock);
    return 0;
}

static void compiled_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (((py_compiled *)object)->weakrefs)
        PyObject_ClearWeakRefs(object);
    compiled_clear(object);
    type->tp_free(object);
    Py_DECREF(type);
}

/* _Compiled(function, inputs, outputs, donated, tracer) */
static PyObject *compiled_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *function, *inputs, *outputs, *donated, *tracer;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "OOOO!O", &function, &inputs, &outputs, &PyTuple_Type, &donated,
                          &tracer))
        return NULL;
    py_compiled *self = (py_compiled *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->vectorcall = compiled_vectorcall;
    self->function = Py_NewRef(function);
    self->inputs = Py_NewRef(inputs);
    self->outputs = Py_NewRef(outputs);
    self->donated = Py_NewRef(donated);
    self->tracer = Py_NewRef(tracer);
    if (inputs != Py_None || outputs != Py_None)
        self->lock = PyObject_GetAttrString(tracer, "lock");
    if (PyErr_Occurred())
        Py_CLEAR(self);
    return (PyObject *)self;
}

/* In a class it acts as a method. */
static PyObject *compiled_get(PyObject *self, PyObject *object, PyObject *Py_UNUSED(type))
{
    return object == NULL || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

static PyObject *compiled_counts(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const py_compiled *self = (const py_compiled *)object;
    return Py_BuildValue("nnn", self->hits, self->misses, self->count);
}

static PyObject *compiled_forget(PyObject *object, PyObject *Py_UNUSED(unused))
{
    py_compiled *self = (py_compiled *)object;
    Py_BEGIN_CRITICAL_SECTION(object);
    self->hits = self->misses = 0;
    Py_END_CRITICAL_SECTION();
    py_entries_forget(self);
    Py_RETURN_NONE;
}

static PyMethodDef compiled_methods[] = {
    {"_counts", compiled_counts, METH_NOARGS, "Hits, misses, and records kept."},
    {"_forget", compiled_forget, METH_NOARGS, "Drops all records."},
    {0}};

static PyMemberDef compiled_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(py_compiled, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(py_compiled, weakrefs), READONLY, NULL},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(py_compiled, vectorcall), READONLY, NULL},
    {"_function", T_OBJECT, offsetof(py_compiled, function), READONLY, NULL},
    {"_inputs", T_OBJECT, offsetof(py_compiled, inputs), READONLY, NULL},
    {"_outputs", T_OBJECT, offsetof(py_compiled, outputs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef compiled_attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot compiled_slots[] = {
    {Py_tp_new, compiled_new},           {Py_tp_dealloc, compiled_dealloc},
    {Py_tp_traverse, compiled_traverse}, {Py_tp_clear, compiled_clear},
    {Py_tp_call, PyVectorcall_Call},     {Py_tp_descr_get, compiled_get},
    {Py_tp_methods, compiled_methods},   {Py_tp_members, compiled_members},
    {Py_tp_getset, compiled_attributes}, {0, NULL},
};

static PyType_Spec compiled_spec = {
    .name = "joggle._core._Compiled",
    .basicsize = sizeof(py_compiled),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = compiled_slots,
};

static PyObject *set_disabled(PyObject *Py_UNUSED(module), PyObject *flag)
{
    int is_true = PyObject_IsTrue(flag);
    if (is_true < 0)
        return NULL;
    disabled = is_true;
    Py_RETURN_NONE;
}

/* The strides for a signature. Unlike the attribute strides this evaluates nothing, and it also
 * works for traced arrays. */
static PyObject *signature_strides(PyObject *Py_UNUSED(module), PyObject *object)
{
    if (!py_array_check(object)) {
        PyErr_Format(PyExc_TypeError, "x: got %s, allowed is an array", Py_TYPE(object)->tp_name);
        return NULL;
    }
    jg_array *x = py_array_retain(object);
    PyObject *strides = py_shape_object(jg_array_ndim(x), jg_array_strides(x));
    jg_array_release(x);
    return strides;
}

PyMethodDef py_compile_functions[] = {
    {"_disable_compile", set_disabled, METH_O, "Whether compiled functions run as they are."},
    {"_signature_strides", signature_strides, METH_O, "Strides, without evaluating the array."},
    {0}};

int py_compile_ready(PyObject *module)
{
    compiled_type = (PyTypeObject *)PyType_FromSpec(&compiled_spec);
    if (!compiled_type || py_slot_ready(module) < 0 || py_constants_ready() < 0)
        return -1;
    return PyModule_AddObjectRef(module, "_Compiled", (PyObject *)compiled_type);
}
