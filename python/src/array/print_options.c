/* SPDX-License-Identifier: Apache-2.0 */
/* The options of repr.c and float_format.c, as joggle._printing sets them, and the context in which
 * they are others. */
#include "array/array.h"
#include "array/float_text.h"

py_print_options py_print = {.precision = 8, .threshold = 1000, .edge = 3, .line_width = 75};

static PyObject *told_options(void)
{
    return Py_BuildValue("(iiii)", py_print.precision, py_print.threshold, py_print.edge,
                         py_print.line_width);
}

static PyObject *get_print_options(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return told_options();
}

/* The bounds keep what repr.c computes from them within an int, and precision within
 * PY_FLOAT_TEXT_SIZE. */
static int check(const char *name, int value, int lowest, int highest)
{
    if (value >= lowest && value <= highest)
        return 0;
    PyErr_Format(PyExc_ValueError, "[set_printoptions] %s: got %d, allowed is %d to %d", name,
                 value, lowest, highest);
    return -1;
}

/* Sets the options from a tuple of the four; sets none if one of them is out of bounds. 0 or -1 */
static int set_options(PyObject *four)
{
    int precision, threshold, edge, line_width;
    if (!PyArg_ParseTuple(four, "iiii:set_printoptions", &precision, &threshold, &edge,
                          &line_width) ||
        check("precision", precision, 0, 32) < 0 || check("threshold", threshold, 0, INT_MAX) < 0 ||
        check("edgeitems", edge, 1, INT_MAX / 4) < 0 ||
        check("linewidth", line_width, 1, INT_MAX) < 0)
        return -1;
    py_print.precision = precision;
    py_print.threshold = threshold;
    py_print.edge = edge;
    py_print.line_width = line_width;
    return 0;
}

static PyObject *set_print_options(PyObject *Py_UNUSED(module), PyObject *args)
{
    return set_options(args) < 0 ? NULL : Py_NewRef(Py_None);
}

/* Entered and left by C, so that no signal leaves options of the block behind. */
typedef struct print_context {
    PyObject_HEAD PyObject *merge; /* a function of the options before that gives those inside */
    PyObject *give;                /* a function of the options that makes what `as` names */
    PyObject *outer;               /* list of the options at each entry that has not been left */
} print_context;

static PyObject *context_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *merge, *give;
    if (!PyArg_ParseTuple(args, "OO:printoptions", &merge, &give))
        return NULL;
    print_context *self = (print_context *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->merge = Py_NewRef(merge);
    self->give = Py_NewRef(give);
    self->outer = PyList_New(0);
    if (!self->outer)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static void context_dealloc(PyObject *object)
{
    print_context *self = (print_context *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_DECREF(self->merge);
    Py_DECREF(self->give);
    Py_XDECREF(self->outer);
    type->tp_free(object);
    Py_DECREF(type);
}

/* Restores the settings from before the last entry. 0 or -1 */
static int leave(print_context *self)
{
    PyObject *before = NULL;
    int status = 0;
    Py_BEGIN_CRITICAL_SECTION(self->outer);
    Py_ssize_t depth = PyList_GET_SIZE(self->outer);
    if (depth > 0) {
        before = Py_NewRef(PyList_GET_ITEM(self->outer, depth - 1));
        status = PyList_SetSlice(self->outer, depth - 1, depth, NULL);
    }
    Py_END_CRITICAL_SECTION();
    if (!before)
        PyErr_SetString(PyExc_RuntimeError, "printoptions: left more often than entered");
    else if (set_options(before) < 0) /* also where the list lacks memory to become shorter */
        status = -1;
    Py_XDECREF(before);
    return before ? status : -1;
}

static PyObject *context_exit(PyObject *object, PyObject *Py_UNUSED(args))
{
    return leave((print_context *)object) < 0 ? NULL : Py_NewRef(Py_None);
}

/* All of Python runs before the options are others. */
static PyObject *context_enter(PyObject *object, PyObject *Py_UNUSED(unused))
{
    print_context *self = (print_context *)object;
    PyObject *before = told_options();
    PyObject *inside = before ? PyObject_CallObject(self->merge, before) : NULL;
    PyObject *given = inside ? PyObject_CallObject(self->give, inside) : NULL;
    if (given && set_options(inside) < 0) {
        Py_CLEAR(given);
    } else if (given && PyList_Append(self->outer, before) < 0) {
        (void)set_options(before); /* a block that cannot be entered is not left either */
        Py_CLEAR(given);
    }
    Py_XDECREF(before);
    Py_XDECREF(inside);
    return given;
}
PyMethodDef py_print_functions[] = {
    {"_get_print_options", get_print_options, METH_NOARGS,
     "_get_print_options()\n--\n\nprecision, threshold, edgeitems and linewidth."},
    {"_set_print_options", set_print_options, METH_VARARGS, "Sets the four."},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef context_methods[] = {
    {"__enter__", context_enter, METH_NOARGS, NULL},
    {"__exit__", context_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot context_slots[] = {
    {Py_tp_doc, "Sets options for printing in a with block, and those before at its end."},
    {Py_tp_new, context_new},
    {Py_tp_dealloc, context_dealloc},
    {Py_tp_methods, context_methods},
    {0, NULL},
};

static PyType_Spec context_spec = {
    .name = "joggle._core._PrintContext",
    .basicsize = sizeof(print_context),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = context_slots,
};

int py_print_ready(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &context_spec, NULL);
    int status = type ? PyModule_AddObjectRef(module, "_PrintContext", type) : -1;
    Py_XDECREF(type);
    return status;
}
