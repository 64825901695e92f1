/* SPDX-License-Identifier: Apache-2.0 */
/* The options of repr.c and float_format.c: those of the process, as set_printoptions of
 * joggle._printing sets them, and those of blocks.
 *
 * Blocks are in a context variable, so that tasks and threads have their own: a tuple of a list
 * [context, options] for each block that was entered and not left, the innermost last. In place of
 * the context None stands where there was no memory to take a block away that was left. */
#include "array/array.h"
#include "array/float_text.h"
#include <stdatomic.h>

static struct {
    atomic_int precision, threshold, edge, line_width;
} process = {.precision = 8, .threshold = 1000, .edge = 3, .line_width = 75};

static PyObject *variable; /* a ContextVar */

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

/* four: a tuple of them. 0, or -1 if one is out of bounds */
static int read_options(PyObject *four, py_print_options *out)
{
    if (!PyArg_ParseTuple(four, "iiii:set_printoptions", &out->precision, &out->threshold,
                          &out->edge, &out->line_width) ||
        check("precision", out->precision, 0, 32) < 0 ||
        check("threshold", out->threshold, 0, INT_MAX) < 0 ||
        check("edgeitems", out->edge, 1, INT_MAX / 4) < 0 ||
        check("linewidth", out->line_width, 1, INT_MAX) < 0)
        return -1;
    return 0;
}

/* The blocks of the current context. New reference to a tuple, *out NULL if there has been none. 0
 * or -1 */
static int get_blocks(PyObject **out)
{
    return PyContextVar_Get(variable, NULL, out);
}

/* steals: blocks, which may be NULL after a failure. 0 or -1 */
static int set_blocks(PyObject *blocks)
{
    PyObject *token = blocks ? PyContextVar_Set(variable, blocks) : NULL;
    Py_XDECREF(blocks);
    Py_XDECREF(token);
    return token ? 0 : -1;
}

/* The innermost block of that context, or of any for NULL: its index, or -1 if there is none. */
static Py_ssize_t find_block(PyObject *blocks, PyObject *context)
{
    Py_ssize_t i = blocks ? PyTuple_GET_SIZE(blocks) - 1 : -1;
    for (; i >= 0; --i) {
        PyObject *owner = PyList_GET_ITEM(PyTuple_GET_ITEM(blocks, i), 0);
        if (context ? owner == context : owner != Py_None)
            break;
    }
    return i;
}

/* The first `count` of the blocks, and one more. New reference or NULL */
static PyObject *with_block(PyObject *blocks, Py_ssize_t count, PyObject *context, PyObject *four)
{
    PyObject *out = PyTuple_New(count + 1), *added = Py_BuildValue("[OO]", context, four);
    for (Py_ssize_t i = 0; out && i < count; ++i)
        PyTuple_SET_ITEM(out, i, Py_NewRef(PyTuple_GET_ITEM(blocks, i)));
    if (out && added)
        PyTuple_SET_ITEM(out, count, Py_NewRef(added));
    else
        Py_CLEAR(out);
    Py_XDECREF(added);
    return out;
}

/* The blocks but one. New reference or NULL */
static PyObject *without_block(PyObject *blocks, Py_ssize_t index)
{
    Py_ssize_t count = PyTuple_GET_SIZE(blocks);
    PyObject *out = PyTuple_New(count - 1);
    for (Py_ssize_t i = 0; out && i < count; ++i)
        if (i != index)
            PyTuple_SET_ITEM(out, i - (i > index), Py_NewRef(PyTuple_GET_ITEM(blocks, i)));
    return out;
}

int py_print_options_now(py_print_options *out)
{
    PyObject *blocks;
    int status = 0;
    if (get_blocks(&blocks) < 0)
        return -1;
    Py_ssize_t i = find_block(blocks, NULL);
    if (i >= 0)
        status = read_options(PyList_GET_ITEM(PyTuple_GET_ITEM(blocks, i), 1), out);
    else
        *out = (py_print_options){process.precision, process.threshold, process.edge,
                                  process.line_width};
    Py_XDECREF(blocks);
    return status;
}

static PyObject *get_print_options(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    py_print_options now;
    if (py_print_options_now(&now) < 0)
        return NULL;
    return Py_BuildValue("(iiii)", now.precision, now.threshold, now.edge, now.line_width);
}

/* In a block its options, as NumPy does it. 0 or -1 */
static int set_options(PyObject *four, const py_print_options *options)
{
    PyObject *blocks;
    int status = 0;
    if (get_blocks(&blocks) < 0)
        return -1;
    Py_ssize_t i = find_block(blocks, NULL);
    if (i >= 0) {
        PyObject *owner = PyList_GET_ITEM(PyTuple_GET_ITEM(blocks, i), 0);
        status = set_blocks(with_block(blocks, i, owner, four));
    } else {
        process.precision = options->precision;
        process.threshold = options->threshold;
        process.edge = options->edge;
        process.line_width = options->line_width;
    }
    Py_XDECREF(blocks);
    return status;
}

/* Sets none if one of them is out of bounds. */
static PyObject *set_print_options(PyObject *Py_UNUSED(module), PyObject *four)
{
    py_print_options options;
    if (read_options(four, &options) < 0 || set_options(four, &options) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* Entered and left by C, so that no signal leaves options of the block behind. */
typedef struct print_context {
    PyObject_HEAD PyObject *merge; /* a function of the options before that gives those inside */
    PyObject *give;                /* a function of the options that makes what `as` names */
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
    return (PyObject *)self;
}

static void context_dealloc(PyObject *object)
{
    print_context *self = (print_context *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_DECREF(self->merge);
    Py_DECREF(self->give);
    type->tp_free(object);
    Py_DECREF(type);
}

/* Has a block count as left, for which no memory is needed. */
static void mark_left(PyObject *blocks, Py_ssize_t index)
{
    PyList_SetItem(PyTuple_GET_ITEM(blocks, index), 0, Py_NewRef(Py_None));
}

/* Ends the last block of this context, also where memory is lacking: being called needs none. */
static PyObject *context_exit(PyObject *self, PyObject *const *Py_UNUSED(args),
                              Py_ssize_t Py_UNUSED(count))
{
    PyObject *blocks;
    int status = -1;
    if (get_blocks(&blocks) < 0)
        return NULL;
    Py_ssize_t i = find_block(blocks, self);
    if (i < 0)
        PyErr_SetString(PyExc_RuntimeError, "printoptions: left more often than entered, or not in "
                                            "the task or thread that entered it");
    else if ((status = set_blocks(without_block(blocks, i))) < 0)
        mark_left(blocks, i);
    Py_XDECREF(blocks);
    return status < 0 ? NULL : Py_NewRef(Py_None);
}

/* A variable may be set although setting it failed, for want of a token. 0 or -1 */
static int enter_block(PyObject *context, PyObject *four)
{
    PyObject *blocks;
    if (get_blocks(&blocks) < 0)
        return -1;
    Py_ssize_t count = blocks ? PyTuple_GET_SIZE(blocks) : 0;
    PyObject *inside = with_block(blocks, count, context, four);
    int status = set_blocks(Py_XNewRef(inside));
    if (inside && status < 0)
        mark_left(inside, count);
    Py_XDECREF(inside);
    Py_XDECREF(blocks);
    return status;
}

/* All of Python runs before the options are others. */
static PyObject *context_enter(PyObject *object, PyObject *Py_UNUSED(unused))
{
    print_context *self = (print_context *)object;
    py_print_options options;
    PyObject *before = get_print_options(NULL, NULL);
    PyObject *inside = before ? PyObject_CallObject(self->merge, before) : NULL;
    PyObject *given = inside ? PyObject_CallObject(self->give, inside) : NULL;
    if (given && (read_options(inside, &options) < 0 || enter_block(object, inside) < 0))
        Py_CLEAR(given);
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
    {"__exit__", (PyCFunction)(void (*)(void))context_exit, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot context_slots[] = {
    {Py_tp_doc, "Options for printing in a with block."},
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
    variable = PyContextVar_New("joggle.printoptions", NULL);
    if (!variable)
        return -1;
    PyObject *type = PyType_FromModuleAndSpec(module, &context_spec, NULL);
    int status = type ? PyModule_AddObjectRef(module, "_PrintContext", type) : -1;
    Py_XDECREF(type);
    return status;
}
