/* SPDX-License-Identifier: Apache-2.0 */
/* The type joggle._core.Dispatch: finds the code of a call that has been seen before, and runs it.
 *
 * joggle.fields makes a kernel of it by a subclass. What the code depends on is a word for each
 * part of the arguments (parts.c): of an array its dtype and axes, of an object that is
 * known at compile time the object itself, of a number nothing. A call whose words are known runs
 * here from end to end; any other goes to the subclass's _call(args, kwargs), which compiles and
 * calls _remember. This way may refuse a call for any reason, and drops failures before the launch:
 * the other one takes all calls, and has the messages. Not those of evaluating an argument, which
 * may tell of an earlier launch, once. */
#include "kernel/dispatch.h"
#include <stdatomic.h>
#include <structmember.h>

/* Small launches lie on the stack: FEW_ARRAYS arrays, of which each can have all axes that
 * there may be, and FEW_VIEWS pointers to them. Numbers are bounded; places of arrays have to fit
 * an int16_t. */
enum {
    FEW_ARRAYS = 4,
    FEW_VIEWS = 24,
    MAX_ARRAYS = 16384,
    MAX_NUMBERS = 32,
};

/* Kinds of parts. */
enum {
    NUMBER = 'n',
    ARRAY = 'a',
    OBJECT = 'w', /* part of the code, which does not keep it alive: the caller that remembers it
                     has the code forgotten when the object is gone. What it passes on, if not
                     itself, is remembered with the code */
};

/* Arrays as they were borrowed, in their order; they stay where they are. */
typedef struct loans {
    int count;
    py_borrowed *at; /* few, or a block for free_loans */
    py_borrowed few[FEW_ARRAYS];
} loans;

/* The parts of one call, and its arrays: those among the parts, and those that are captured. */
typedef struct frame {
    const py_expectation *expected;
    int serial; /* its */
#ifdef Py_GIL_DISABLED
    py_expectation own; /* what expected points to, with references */
#endif
    py_parts parts;
    uint64_t key[PY_MAX_PARTS];
    int8_t index[PY_MAX_PARTS]; /* of an array's part: where it is among the arguments */
    loans arguments, captured;
    bool failed; /* in evaluating an array: the call has failed */
} frame;

static PyObject *name_call;
static atomic_bool paused; /* every call goes to _call, as a tape records them */

/* Whole numbers are odd words, and addresses, with which the code is forgotten, even ones. */
static int key_of_object(PyObject *object, uint64_t *out)
{
    int overflow;
    *out = (uint64_t)(uintptr_t)object;
    if (!PyLong_CheckExact(object))
        return 0;
    int64_t number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0 || __builtin_add_overflow(number, number, &number)) {
        PyErr_Format(PyExc_OverflowError, "an int: got %R, allowed are -2**62 to 2**62 - 1",
                     object);
        return -1;
    }
    *out = (uint64_t)number | 1;
    return 0;
}

/* Memory for `most` loans. 0 or -1 | raises: MemoryError */
static int require_loans(loans *l, int most)
{
    l->at = most <= FEW_ARRAYS ? l->few : PyMem_New(py_borrowed, (size_t)most);
    return l->at ? 0 : (PyErr_NoMemory(), -1);
}

/* Whether an array of joggle's is in memory now; anything else need not be. */
static bool is_evaluated(frame *f, PyObject *object)
{
    if (!py_array_check(object))
        return true;
    jg_array *x = py_array_retain(object);
    f->failed = py_evaluate(x) < 0;
    jg_array_release(x);
    return !f->failed;
}

/* l: of f. gives: the loan, to be cleared with the others also on failure, or NULL with an
 * exception */
static const py_borrowed *borrow(frame *f, loans *l, PyObject *object)
{
    if (!is_evaluated(f, object))
        return NULL;
    py_borrowed *out = &l->at[l->count++];
    return py_borrow(object, false, out) < 0 ? NULL : out;
}

static void free_loans(loans *l)
{
    for (int i = 0; i < l->count; ++i)
        py_borrowed_clear(&l->at[i]);
    if (l->at != l->few)
        PyMem_Free(l->at);
}

/* Whether it is written is known with the code; is_refused asks later. */
static int take_array(frame *f, int part)
{
    PyObject *object = f->parts.at[part];
    f->index[part] = (int8_t)f->arguments.count;
    const py_borrowed *array = borrow(f, &f->arguments, object);
    if (!array)
        return -1;
    return py_array_key(object, &array->view, &f->key[part]);
}

/* gives: f, for frame_clear; its fields need not be set before */
static void frame_init(py_dispatch *self, frame *f)
{
    f->parts.count = f->arguments.count = f->captured.count = 0;
    f->failed = false;
    f->arguments.at = f->arguments.few;
    f->captured.at = f->captured.few;
    f->expected = &self->expected;
#ifdef Py_GIL_DISABLED
    Py_BEGIN_CRITICAL_SECTION(self);
    f->own = self->expected;
    Py_XINCREF(f->own.descriptions);
    Py_XINCREF(f->own.names);
    Py_XINCREF(f->own.defaults);
    Py_END_CRITICAL_SECTION();
    f->expected = &f->own;
#endif
    f->serial = f->expected->serial;
}

/* 0, or -1 with an exception if an argument is not what its parameter takes. */
static int take_key(PyObject *const *args, frame *f)
{
    const py_expectation *expected = f->expected;
    if (require_loans(&f->arguments, expected->narrays) < 0)
        return -1;
    for (int i = 0; i < expected->nparameters; ++i)
        if (py_parts_add(PyTuple_GET_ITEM(expected->descriptions, i), args[i], &f->parts) < 0)
            return -1;
    for (int i = 0; i < expected->kinds.count; ++i) {
        f->key[i] = 0;
        if (expected->kinds.at[i] == OBJECT && key_of_object(f->parts.at[i], &f->key[i]) < 0)
            return -1;
        if (expected->kinds.at[i] == ARRAY && take_array(f, i) < 0)
            return -1;
    }
    return 0;
}

/* The result, or an exception of the run, is there already and must stay. */
static void frame_clear(frame *f)
{
    py_pending pending = py_pending_take();
    free_loans(&f->arguments);
    free_loans(&f->captured);
    py_parts_clear(&f->parts);
#ifdef Py_GIL_DISABLED
    Py_XDECREF(f->own.descriptions);
    Py_XDECREF(f->own.names);
    Py_XDECREF(f->own.defaults);
#endif
    py_pending_restore(pending);
}

typedef struct launch {
    const jg_view **views; /* few, or a block for free_launch; likewise the loans */
    jg_kernel_loan *loans;
    const py_borrowed **written; /* tensors of torch that the kernel writes, likewise */
    int nwritten;
    const jg_view *few[FEW_VIEWS];
    const py_borrowed *few_written[FEW_VIEWS];
    jg_kernel_loan few_loans[FEW_VIEWS];
    jg_number scalars[MAX_NUMBERS], results[MAX_NUMBERS];
} launch;

/* Memory for a kernel's arrays. 0 or -1 | raises: MemoryError */
static int launch_init(const jg_kernel *kernel, launch *l)
{
    size_t narrays = (size_t)jg_kernel_narrays(kernel);
    if (narrays > FEW_VIEWS) {
        l->views = PyMem_New(const jg_view *, narrays);
        l->loans = PyMem_New(jg_kernel_loan, narrays);
        l->written = PyMem_New(const py_borrowed *, narrays);
    }
    return l->views && l->loans && l->written ? 0 : (PyErr_NoMemory(), -1);
}

static void free_launch(launch *l)
{
    if (l->views != l->few)
        PyMem_Free(l->views);
    if (l->loans != l->few_loans)
        PyMem_Free(l->loans);
    if (l->written != l->few_written)
        PyMem_Free(l->written);
}

static void set_array(const jg_kernel *kernel, const py_borrowed *array, int index, launch *l)
{
    l->views[index] = &array->view;
    l->loans[index] = array->loan;
    if (array->tensor && jg_kernel_array_is_written(kernel, index))
        l->written[l->nwritten++] = array;
}

/* Arrays of joggle are values: the slower way refuses a kernel that writes one. */
static bool is_refused(const jg_kernel *kernel, int array, PyObject *object)
{
    return py_array_check(object) && jg_kernel_array_is_written(kernel, array);
}

/* An array that is the same at each call of the code, whether the code holds it or the call gives
 * it. It is borrowed again, as its memory may have changed. */
static int take_captured(const jg_kernel *kernel, PyObject *object, frame *f, int index, launch *l)
{
    const py_borrowed *array = borrow(f, &f->captured, object);
    if (!array)
        return -1;
    set_array(kernel, array, index, l);
    return 0;
}

/* l: for free_launch, also on failure. 1: taken; 0: not for this way; -1 with an exception. */
static int take_arguments(const py_code *c, frame *f, launch *l)
{
    jg_kernel *kernel = py_kernel_of(c->kernel);
    if (launch_init(kernel, l) < 0 || require_loans(&f->captured, c->ncaptured) < 0)
        return -1;
    for (int i = 0; i < c->count; ++i) {
        int index, source = c->sources[i], status = 0;
        bool array = jg_kernel_parameter_is_array(kernel, i, &index);
        PyObject *given =
            source < 0 ? PyTuple_GET_ITEM(c->captured, -1 - source) : f->parts.at[source];
        if (!array)
            status = py_kernel_scalar(kernel, index, given, &l->scalars[index]);
        else if (source < 0 || f->expected->kinds.at[source] != ARRAY)
            status = take_captured(kernel, given, f, index, l);
        else if (is_refused(kernel, index, given))
            return 0;
        else
            set_array(kernel, &f->arguments.at[f->index[source]], index, l);
        if (status < 0)
            return -1;
    }
    return 1;
}

/* From here on a failure belongs to the call, and the slower way is not tried. */
static PyObject *run_code(const py_code *c, launch *l)
{
    jg_status status;
    jg_kernel *kernel = py_kernel_of(c->kernel);
    for (int i = 0; i < l->nwritten; ++i)
        if (py_borrowed_tell_write(l->written[i]) < 0)
            return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = jg_kernel_start(kernel, l->views, l->loans, l->scalars, l->results);
    Py_END_ALLOW_THREADS
    if (status != JG_OK)
        return py_raise(status);
    PyObject *result = py_kernel_result(kernel, l->results);
    if (!result || !c->finish)
        return result;
    PyObject *finished = PyObject_CallOneArg(c->finish, result);
    Py_DECREF(result);
    return finished;
}

/* self._call(args, kwargs) */
static PyObject *call_slowly(PyObject *self, PyObject *const *args, Py_ssize_t count,
                             PyObject *kwnames)
{
    PyObject *positional = PyTuple_New(count), *keywords = PyDict_New();
    PyObject *result = NULL;
    if (!positional || !keywords)
        goto done;
    for (Py_ssize_t i = 0; i < count; ++i)
        PyTuple_SET_ITEM(positional, i, Py_NewRef(args[i]));
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i)
        if (PyDict_SetItem(keywords, PyTuple_GET_ITEM(kwnames, i), args[count + i]) < 0)
            goto done;
    result = PyObject_CallMethodObjArgs(self, name_call, positional, keywords, NULL);
done:
    Py_XDECREF(positional);
    Py_XDECREF(keywords);
    return result;
}

/* Runs the call if its code is known; otherwise *known is false and nothing has happened. The
 * slower way reports wrong arguments, because it knows the parameters' names. */
static PyObject *call_known(py_dispatch *self, PyObject *const *args, frame *f, bool *known)
{
    launch l;
    PyObject *result = NULL;
    l.views = l.few; /* nothing but these is read before it is set */
    l.loans = l.few_loans;
    l.written = l.few_written;
    l.nwritten = 0;
    py_code *c = take_key(args, f) == 0
                     ? py_code_find(self, f->serial, f->key, f->expected->kinds.count)
                     : NULL;
    *known = c && take_arguments(c, f, &l) > 0;
    if (*known)
        result = run_code(c, &l);
    else
        *known = f->failed || py_forget_failure() < 0; /* an interrupt ends the call */
    free_launch(&l);
    py_code_release(c);
    return result;
}

/* Like call_known, for a call with keywords or without the arguments that have defaults. */
static PyObject *call_arranged(py_dispatch *self, PyObject *const *args, Py_ssize_t count,
                               PyObject *kwnames, frame *f, bool *known)
{
    PyObject *ordered[PY_MAX_PARTS], *result = NULL;
    PyObject *defaults = Py_NewRef(f->expected->defaults); /* Python code may exchange it */
    *known = py_parts_order(f->expected->names, defaults, args, count, kwnames, ordered);
    if (*known)
        result = call_known(self, ordered, f, known);
    else
        *known = py_forget_failure() < 0;
    Py_DECREF(defaults);
    return result;
}

static PyObject *dispatch_call(PyObject *object, PyObject *const *args, size_t nargsf,
                               PyObject *kwnames)
{
    py_dispatch *self = (py_dispatch *)object;
    Py_ssize_t count = PyVectorcall_NARGS(nargsf);
    if (self->ncodes > 0 && !paused) {
        frame f;
        frame_init(self, &f);
        bool known = false, ordered = !kwnames && count == f.expected->nparameters;
        PyObject *result = NULL;
        if (ordered)
            result = call_known(self, args, &f, &known);
        else if (f.expected->nparameters >= 0)
            result = call_arranged(self, args, count, kwnames, &f, &known);
        frame_clear(&f);
        if (known)
            return result;
    }
    return call_slowly(object, args, count, kwnames);
}

/* c->sources is freed with the code, also on failure. */
static int take_sources(PyObject *sources, py_code *c)
{
    c->count = (int)PyTuple_GET_SIZE(sources);
    c->sources = PyMem_Calloc((size_t)c->count + 1, sizeof *c->sources);
    for (int i = 0; c->sources && i < c->count; ++i) {
        long source = PyLong_AsLong(PyTuple_GET_ITEM(sources, i));
        if (source == -1 && PyErr_Occurred())
            return -1;
        c->sources[i] = (int16_t)source;
    }
    return c->sources ? 0 : (PyErr_NoMemory(), -1);
}

/* Whether a launch has no more arrays and numbers than are passed this way. */
static bool is_small(const jg_kernel *kernel, const py_code *c, Py_ssize_t ncaptured)
{
    return c->count == jg_kernel_narrays(kernel) + jg_kernel_nscalars(kernel) &&
           jg_kernel_narrays(kernel) <= MAX_ARRAYS && jg_kernel_nscalars(kernel) <= MAX_NUMBERS &&
           jg_kernel_nresults(kernel) <= MAX_NUMBERS && ncaptured <= MAX_ARRAYS;
}

/* How many of a code's arguments are the same at each of its calls. */
static int count_captured(const py_code *c, const py_kinds *kinds)
{
    int count = 0;
    for (int i = 0; i < c->count; ++i)
        count += c->sources[i] < 0 || kinds->at[c->sources[i]] == OBJECT;
    return count;
}

/* Fills a code's key and references. */
static void fill_code(py_code *c, const frame *f, PyObject *kernel, PyObject *captured,
                      PyObject *finish)
{
    memcpy(c->key, f->key, (size_t)f->expected->kinds.count * sizeof *c->key);
    c->uses = 1;
    c->ncaptured = count_captured(c, &f->expected->kinds);
    c->kernel = Py_NewRef(kernel);
    c->captured = Py_NewRef(captured);
    c->finish = finish == Py_None ? NULL : Py_NewRef(finish);
}

/* steals: c | Whether the code will be found here: 1 or 0, or -1 */
static int remember(py_dispatch *self, py_code *c, PyObject *arguments, PyObject *kernel,
                    PyObject *captured, PyObject *finish)
{
    frame f;
    int status = 0;
    py_code *known = NULL;
    frame_init(self, &f);
    if (PyTuple_GET_SIZE(arguments) == f.expected->nparameters) {
        if (take_key(&PyTuple_GET_ITEM(arguments, 0), &f) == 0)
            status = 1;
        else /* such calls go the slower way, which reports the fault */
            status = f.failed || py_forget_failure() < 0 ? -1 : 0;
    }
    if (status > 0 && !(known = py_code_find(self, f.serial, f.key, f.expected->kinds.count))) {
        fill_code(c, &f, kernel, captured, finish);
        status = is_small(py_kernel_of(kernel), c, PyTuple_GET_SIZE(captured));
    }
    if (status > 0 && !known)
        py_code_add(self, f.serial, c);
    else
        py_code_release(c);
    py_code_release(known); /* a call that a tape has seen was not looked up */
    frame_clear(&f);
    return status;
}

/* _remember(args, kernel, sources, captured, finish): whether the code will be found here. */
static PyObject *dispatch_remember(PyObject *object, PyObject *args)
{
    py_dispatch *self = (py_dispatch *)object;
    PyObject *arguments, *kernel, *sources, *captured, *finish;
    if (!PyArg_ParseTuple(args, "O!OO!O!O:_remember", &PyTuple_Type, &arguments, &kernel,
                          &PyTuple_Type, &sources, &PyTuple_Type, &captured, &finish))
        return NULL;
    if (!py_kernel_of(kernel))
        Py_RETURN_FALSE;
    py_code *c = PyMem_Calloc(1, sizeof *c);
    if (!c || take_sources(sources, c) < 0) {
        py_code_release(c);
        return c ? NULL : PyErr_NoMemory();
    }
    int status = remember(self, c, arguments, kernel, captured, finish);
    return status < 0 ? NULL : PyBool_FromLong(status);
}

static PyObject *dispatch_forget(PyObject *self, PyObject *Py_UNUSED(unused))
{
    py_codes_forget((py_dispatch *)self);
    Py_RETURN_NONE;
}

/* _forget_object(address): forgets the code of calls that the object was an argument of. */
static PyObject *dispatch_forget_object(PyObject *self, PyObject *address)
{
    const void *object = PyLong_AsVoidPtr(address);
    if (!object && PyErr_Occurred())
        return NULL;
    py_codes_forget_object((py_dispatch *)self, object);
    Py_RETURN_NONE;
}

/* _expect(descriptions, names, defaults): a description and a name for each parameter, and a dict
 * of defaults by name; whether there are not too many parts. Until then every call goes to _call,
 * and so it stays where there are. What was remembered had other parts and is forgotten. */
static PyObject *dispatch_expect(PyObject *object, PyObject *args)
{
    py_dispatch *self = (py_dispatch *)object;
    PyObject *descriptions, *names, *defaults;
    int status = 1;
    if (!PyArg_ParseTuple(args, "O!O!O!:_expect", &PyTuple_Type, &descriptions, &PyTuple_Type,
                          &names, &PyDict_Type, &defaults))
        return NULL;
    if (PyTuple_GET_SIZE(names) != PyTuple_GET_SIZE(descriptions)) {
        PyErr_Format(PyExc_ValueError, "names: got %zd, allowed are %zd, as many as descriptions",
                     PyTuple_GET_SIZE(names), PyTuple_GET_SIZE(descriptions));
        return NULL;
    }
    py_expectation expected = {.nparameters = -1};
    for (Py_ssize_t i = 0; status > 0 && i < PyTuple_GET_SIZE(descriptions); ++i)
        status = py_parts_describe(PyTuple_GET_ITEM(descriptions, i), &expected.kinds);
    for (int i = 0; i < expected.kinds.count; ++i)
        expected.narrays += expected.kinds.at[i] == ARRAY;
    if (status > 0 && PyTuple_GET_SIZE(names) <= PY_MAX_PARTS) {
        expected.nparameters = (int)PyTuple_GET_SIZE(names);
        expected.descriptions = Py_NewRef(descriptions);
        expected.names = Py_NewRef(names);
        expected.defaults = Py_NewRef(defaults);
    }
    bool fits = expected.nparameters >= 0;
    py_expectation_exchange(self, expected);
    py_codes_forget(
        self); /* calls that began before find no code, whose keys mean something else */
    return status < 0 ? NULL : PyBool_FromLong(fits);
}

static PyObject *dispatch_new(PyTypeObject *type, PyObject *Py_UNUSED(args),
                              PyObject *Py_UNUSED(kwargs))
{
    py_dispatch *self = (py_dispatch *)type->tp_alloc(type, 0);
    if (self) {
        self->call = dispatch_call;
        self->expected.nparameters = -1;
    }
    return (PyObject *)self;
}

/* Code refers to objects of the user's, which may refer to the kernel. Code that a run holds after
 * it was forgotten is not seen here: it is freed when the run ends. */
static int dispatch_traverse(PyObject *object, visitproc visit, void *arg)
{
    py_dispatch *self = (py_dispatch *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->expected.descriptions);
    Py_VISIT(self->expected.names);
    Py_VISIT(self->expected.defaults);
    for (int i = 0; i < self->ncodes; ++i) {
        Py_VISIT(self->codes[i]->kernel);
        Py_VISIT(self->codes[i]->captured);
        Py_VISIT(self->codes[i]->finish);
    }
    return 0;
}

static int dispatch_clear(PyObject *object)
{
    py_dispatch *self = (py_dispatch *)object;
    py_codes_forget(self);
    py_expectation_exchange(self, (py_expectation){.nparameters = -1});
    return 0;
}

static void dispatch_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    dispatch_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef dispatch_methods[] = {
    {"_expect", dispatch_expect, METH_VARARGS, "How each parameter is taken apart."},
    {"_remember", dispatch_remember, METH_VARARGS, "Code for calls with arguments like these."},
    {"_forget", dispatch_forget, METH_NOARGS, "Forgets all code."},
    {"_forget_object", dispatch_forget_object, METH_O, "Forgets code for the object there."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef dispatch_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(py_dispatch, call), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot dispatch_slots[] = {
    {Py_tp_doc, "What calls of a kernel go through: code that is known runs at once."},
    {Py_tp_new, dispatch_new},
    {Py_tp_dealloc, dispatch_dealloc},
    {Py_tp_traverse, dispatch_traverse},
    {Py_tp_clear, dispatch_clear},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_methods, dispatch_methods},
    {Py_tp_members, dispatch_members},
    {0, NULL},
};

static PyType_Spec dispatch_spec = {
    .name = "joggle._core.Dispatch",
    .basicsize = sizeof(py_dispatch),
    .flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = dispatch_slots,
};

static PyObject *pause_dispatch(PyObject *Py_UNUSED(module), PyObject *object)
{
    int truth = PyObject_IsTrue(object);
    if (truth < 0)
        return NULL;
    paused = truth;
    Py_RETURN_NONE;
}

PyMethodDef py_dispatch_functions[] = {
    {"_pause_dispatch", pause_dispatch, METH_O,
     "_pause_dispatch(paused, /)\n--\n\nWhether every call of a kernel goes to its _call."},
    {NULL, NULL, 0, NULL},
};

int py_dispatch_ready(PyObject *module)
{
    name_call = PyUnicode_InternFromString("_call");
    if (py_parts_ready() < 0)
        return -1;
    PyObject *type = name_call ? PyType_FromSpec(&dispatch_spec) : NULL;
    int status = type ? PyModule_AddObjectRef(module, "Dispatch", type) : -1;
    Py_XDECREF(type);
    return status;
}
