/* SPDX-License-Identifier: Apache-2.0 */
/* The type joggle._core.Kernel: a kernel from its text, called with an argument for each array and
 * each scalar that the text declares, in its order. joggle.fields writes the texts.
 *
 * The numbers of arrays, scalars and results are copied into the object, as each call needs
 * them. */
#include "kernel/kernel.h"
#include <structmember.h>

typedef struct py_kernel {
    PyObject_HEAD jg_kernel *kernel;
    vectorcallfunc call;
    int narrays, nscalars, nresults;
} py_kernel;

static PyTypeObject *kernel_type;

/* The limits up to which a launch's arguments lie on the stack; a view alone takes a kilobyte. */
enum { FEW_ARRAYS = 8, FEW_NUMBERS = 16 };

/* The arguments of a launch; few of them need no heap. */
typedef struct launch {
    int narrays; /* borrowed so far */
    py_borrowed *arrays;
    const jg_view **views;
    jg_kernel_loan *loans;
    jg_number *scalars, *results;
} launch;

/* An exception about an argument says which one it is. gives: -1 */
static int name_parameter(const py_kernel *self, int parameter)
{
    PyObject *type, *value, *traceback;
    if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_BufferError))
        return -1;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_Format(type, "[%s] argument %s: %S", jg_kernel_name(self->kernel),
                 jg_kernel_parameter_name(self->kernel, parameter), value ? value : type);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return -1;
}

int py_kernel_scalar(const jg_kernel *kernel, int scalar, PyObject *object, jg_number *out)
{
    if (py_scalar_from(object, out) < 0)
        return -1;
    return py_number_wrap(out, jg_kernel_scalar_dtype(kernel, scalar));
}

/* An array is counted before it is borrowed: py_borrowed_clear is for those that failed, too. */
static int take_argument(const py_kernel *self, int parameter, PyObject *object, launch *l)
{
    int index;
    if (!jg_kernel_parameter_is_array(self->kernel, parameter, &index))
        return py_kernel_scalar(self->kernel, index, object, &l->scalars[index]);
    py_borrowed *borrowed = &l->arrays[index];
    l->views[index] = &borrowed->view;
    l->narrays += 1;
    if (py_borrow(object, jg_kernel_array_is_written(self->kernel, index), borrowed) < 0)
        return -1;
    l->loans[index] = borrowed->loan;
    return 0;
}

PyObject *py_kernel_result(const jg_kernel *kernel, const jg_number *results)
{
    int count = jg_kernel_nresults(kernel);
    if (count == 0)
        Py_RETURN_NONE;
    if (count == 1)
        return py_number_object(results[0]);
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; ++i) {
        PyObject *item = py_number_object(results[i]);
        if (!item)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

/* 0 or -1 with an exception */
static int tell_writes(const py_kernel *self, const launch *l)
{
    for (int i = 0; i < l->narrays; ++i)
        if (jg_kernel_array_is_written(self->kernel, i) &&
            py_borrowed_tell_write(&l->arrays[i]) < 0)
            return -1;
    return 0;
}

/* The kernel may run long, and its printing needs the interpreter, so the lock is released.
 * Borrowed memory stays until run_and_clear, and on a device until the launch has run. */
static PyObject *run(const py_kernel *self, PyObject *const *args, launch *l)
{
    jg_status status;
    int count = self->narrays + self->nscalars;
    for (int i = 0; i < count; ++i)
        if (take_argument(self, i, args[i], l) < 0)
            return name_parameter(self, i), NULL;
    if (tell_writes(self, l) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = jg_kernel_start(self->kernel, l->views, l->loans, l->scalars, l->results);
    Py_END_ALLOW_THREADS
    return status == JG_OK ? py_kernel_result(self->kernel, l->results) : py_raise(status);
}

/* Arrays are borrowed in their order, so the first narrays of them have to be released. */
static PyObject *run_and_clear(const py_kernel *self, PyObject *const *args, launch *l)
{
    PyObject *result = run(self, args, l);
    /* Releasing may drop a last reference and run code, and the run may have raised. */
    py_pending pending = py_pending_take();
    for (int i = 0; i < l->narrays; ++i)
        py_borrowed_clear(&l->arrays[i]);
    py_pending_restore(pending);
    return result;
}

/* One element more each, as there may be none and NULL means that there is no memory. */
static PyObject *run_many(const py_kernel *self, PyObject *const *args)
{
    launch l = {0};
    size_t narrays = (size_t)self->narrays + 1;
    l.arrays = PyMem_Calloc(narrays, sizeof *l.arrays);
    l.views = PyMem_Calloc(narrays, sizeof *l.views);
    l.loans = PyMem_Calloc(narrays, sizeof *l.loans);
    l.scalars = PyMem_Calloc((size_t)self->nscalars + 1, sizeof *l.scalars);
    l.results = PyMem_Calloc((size_t)self->nresults + 1, sizeof *l.results);
    PyObject *result = NULL;
    if (l.arrays && l.views && l.loans && l.scalars && l.results)
        result = run_and_clear(self, args, &l);
    else
        PyErr_NoMemory();
    PyMem_Free(l.arrays);
    PyMem_Free(l.views);
    PyMem_Free(l.loans);
    PyMem_Free(l.scalars);
    PyMem_Free(l.results);
    return result;
}

/* No initialization is needed here: each argument is written before it is read, and narrays tells
 * which arrays were set. */
static PyObject *run_few(const py_kernel *self, PyObject *const *args)
{
    py_borrowed arrays[FEW_ARRAYS];
    const jg_view *views[FEW_ARRAYS];
    jg_kernel_loan loans[FEW_ARRAYS];
    jg_number scalars[FEW_NUMBERS], results[FEW_NUMBERS];
    launch l = {0, arrays, views, loans, scalars, results};
    return run_and_clear(self, args, &l);
}

/* Arguments are given by position only: joggle.fields handles the names of parameters. */
static PyObject *kernel_call(PyObject *object, PyObject *const *args, size_t nargsf,
                             PyObject *kwnames)
{
    const py_kernel *self = (const py_kernel *)object;
    Py_ssize_t count = PyVectorcall_NARGS(nargsf), expected = self->narrays + self->nscalars;
    if (count != expected || (kwnames && PyTuple_GET_SIZE(kwnames) > 0))
        return PyErr_Format(PyExc_TypeError, "[%s] got %zd arguments, allowed are %zd by position",
                            jg_kernel_name(self->kernel), count, expected);
    bool few = self->narrays <= FEW_ARRAYS && self->nscalars <= FEW_NUMBERS &&
               self->nresults <= FEW_NUMBERS;
    return few ? run_few(self, args) : run_many(self, args);
}

jg_kernel *py_kernel_of(PyObject *object)
{
    return Py_IS_TYPE(object, kernel_type) ? ((py_kernel *)object)->kernel : NULL;
}

/* steals: kernel */
static PyObject *kernel_wrap(jg_kernel *kernel)
{
    py_kernel *self = PyObject_New(py_kernel, kernel_type);
    if (!self) {
        jg_kernel_release(kernel);
        return NULL;
    }
    self->kernel = kernel;
    self->call = kernel_call;
    self->narrays = jg_kernel_narrays(kernel);
    self->nscalars = jg_kernel_nscalars(kernel);
    self->nresults = jg_kernel_nresults(kernel);
    return (PyObject *)self;
}

/* The text is checked here; it is compiled when it runs for the first time. */
static PyObject *kernel_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"text", NULL};
    const char *text;
    jg_kernel *kernel;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s:Kernel", names, &text) ||
        py_check(jg_kernel_from_text(text, &kernel)) < 0)
        return NULL;
    return kernel_wrap(kernel);
}

static void kernel_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    jg_kernel_release(((py_kernel *)object)->kernel);
    type->tp_free(object);
    Py_DECREF(type);
}

/* The text is the printer's, which may differ from the text that was given. */
static PyObject *kernel_text(PyObject *self, void *Py_UNUSED(closure))
{
    char *text;
    if (py_check(jg_kernel_text(((py_kernel *)self)->kernel, &text)) < 0)
        return NULL;
    PyObject *object = PyUnicode_FromString(text);
    jg_text_release(text);
    return object;
}

static PyObject *kernel_name(PyObject *self, void *Py_UNUSED(closure))
{
    return PyUnicode_FromString(jg_kernel_name(((py_kernel *)self)->kernel));
}

static PyObject *kernel_writes(PyObject *object, void *Py_UNUSED(closure))
{
    const py_kernel *self = (const py_kernel *)object;
    int count = self->narrays + self->nscalars;
    PyObject *names = PyTuple_New(count);
    for (int i = 0; names && i < count; ++i) {
        int index;
        bool is_written = jg_kernel_parameter_is_array(self->kernel, i, &index) &&
                          jg_kernel_array_is_written(self->kernel, index);
        PyObject *name = is_written
                             ? PyUnicode_FromString(jg_kernel_parameter_name(self->kernel, i))
                             : Py_NewRef(Py_None);
        if (!name)
            Py_CLEAR(names);
        else
            PyTuple_SET_ITEM(names, i, name);
    }
    return names;
}

static PyObject *kernel_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<joggle kernel %s>", jg_kernel_name(((py_kernel *)self)->kernel));
}

static PyMemberDef kernel_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(py_kernel, call), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef kernel_attributes[] = {
    {"text", kernel_text, NULL, "The kernel as text.", NULL},
    {"name", kernel_name, NULL, "The kernel's name.", NULL},
    {"writes", kernel_writes, NULL,
     "For each parameter its name if it is an array that the kernel writes, else None.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot kernel_slots[] = {
    {Py_tp_doc, "Kernel(text)\n--\n\n"
                "A kernel from its text form. A call takes a field, a tensor or a number for each "
                "declaration, in their order; tensors are worked on in place."},
    {Py_tp_new, kernel_new},
    {Py_tp_dealloc, kernel_dealloc},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_members, kernel_members},
    {Py_tp_getset, kernel_attributes},
    {Py_tp_repr, kernel_repr},
    {0, NULL},
};

static PyType_Spec kernel_spec = {
    .name = "joggle._core.Kernel",
    .basicsize = sizeof(py_kernel),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = kernel_slots,
};

/* Writes a printed text to sys.stdout, which may be a notebook's. It is called on any thread, also
 * on the pool's. */
static void print_text(void *Py_UNUSED(context), const char *text)
{
    if (PY_FINALIZING()) {
        fputs(text, stdout);
        return;
    }
    PyGILState_STATE state = PyGILState_Ensure();
    PySys_FormatStdout("%s", text);
    PyGILState_Release(state);
}

/* Takes the low 64 bits of any int. */
static PyObject *kernel_seed(PyObject *Py_UNUSED(module), PyObject *object)
{
    PyObject *index = PyNumber_Index(object);
    if (!index)
        return NULL;
    uint64_t seed = PyLong_AsUnsignedLongLongMask(index);
    Py_DECREF(index);
    if (PyErr_Occurred())
        return NULL;
    jg_kernel_set_seed(seed);
    Py_RETURN_NONE;
}

PyMethodDef py_kernel_functions[] = {
    {"_kernel_seed", kernel_seed, METH_O,
     "_kernel_seed(seed, /)\n--\n\nStarts the random numbers of kernels anew."},
    {NULL, NULL, 0, NULL},
};

int py_kernel_ready(PyObject *module)
{
    kernel_type = (PyTypeObject *)PyType_FromSpec(&kernel_spec);
    if (!kernel_type)
        return -1;
    jg_kernel_set_printer(print_text, NULL);
    return PyModule_AddObjectRef(module, "Kernel", (PyObject *)kernel_type);
}
