/* SPDX-License-Identifier: Apache-2.0 */
/* The options of repr.c and float_format.c, as joggle._printing sets them. */
#include "float_text.h"

py_print_options py_print = {.precision = 8, .threshold = 1000, .edge = 3, .line_width = 75};

static PyObject *get_print_options(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return Py_BuildValue("(iiii)", py_print.precision, py_print.threshold, py_print.edge,
                         py_print.line_width);
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

static PyObject *set_print_options(PyObject *Py_UNUSED(module), PyObject *args)
{
    int precision, threshold, edge, line_width;
    if (!PyArg_ParseTuple(args, "iiii:set_printoptions", &precision, &threshold, &edge,
                          &line_width) ||
        check("precision", precision, 0, 32) < 0 || check("threshold", threshold, 0, INT_MAX) < 0 ||
        check("edgeitems", edge, 1, INT_MAX / 4) < 0 ||
        check("linewidth", line_width, 1, INT_MAX) < 0)
        return NULL;
    py_print.precision = precision;
    py_print.threshold = threshold;
    py_print.edge = edge;
    py_print.line_width = line_width;
    Py_RETURN_NONE;
}

PyMethodDef py_print_functions[] = {
    {"_get_print_options", get_print_options, METH_NOARGS,
     "_get_print_options()\n--\n\nprecision, threshold, edgeitems and linewidth."},
    {"_set_print_options", set_print_options, METH_VARARGS, "Sets the four."},
    {NULL, NULL, 0, NULL},
};
