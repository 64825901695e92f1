/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of functions of plain arrays, for _transforms.py. The whole call is in C, as functions
 * of few ops are called often. _transforms.py itself does other calls, and the messages about wrong
 * results. */
#include "transform/transform.h"

enum { FEW_ARGUMENTS = 8 };

/* A call that is differentiated. All but what it is given is NULL at first. */
typedef struct gradient_call {
    PyObject *function, *args, *kwargs, *numbers; /* given: args and numbers are tuples */
    PyObject *trees;                              /* a list: copies of those arguments */
    PyObject *marked;                             /* the same with markers */
    PyObject *result;
    Py_ssize_t nleaves;
    jg_tracing *tracing;
} gradient_call;

static int take_trees(gradient_call *call)
{
    Py_ssize_t count = PyTuple_GET_SIZE(call->numbers);
    call->trees = PyList_New(count);
    for (Py_ssize_t i = 0; call->trees && i < count; ++i) {
        Py_ssize_t number = PyLong_AsSsize_t(PyTuple_GET_ITEM(call->numbers, i));
        if (number < 0 || number >= PyTuple_GET_SIZE(call->args)) {
            PyErr_Format(PyExc_IndexError, "argnums: got %zd, allowed are 0 to %zd", number,
                         PyTuple_GET_SIZE(call->args) - 1);
            return -1;
        }
        PyObject *tree = py_tree_copy(PyTuple_GET_ITEM(call->args, number));
        if (!tree)
            return -1;
        PyList_SET_ITEM(call->trees, i, tree);
    }
    return call->trees ? 0 : -1;
}

/* leaves: a list of arrays */
static int begin(gradient_call *call, PyObject *leaves)
{
    py_flat arguments, markers = {0};
    PyObject *made = NULL;
    call->nleaves = PyList_GET_SIZE(leaves);
    if (py_flat_from(leaves, &arguments) == 0 && py_flat_init(&markers, arguments.count) == 0 &&
        py_check(jg_tracing_begin((int)arguments.count, arguments.arrays, markers.arrays,
                                  &call->tracing)) == 0)
        made = py_flat_list(&markers);
    py_flat_clear(&arguments);
    py_flat_clear(&markers);
    if (made)
        call->marked = py_fill_trees(call->trees, made);
    Py_XDECREF(made);
    return call->marked ? 0 : -1;
}

/* The arguments, with markers for those by which the function is differentiated. */
static void put_markers(const gradient_call *call, PyObject **out)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(call->args); ++i)
        out[i] = PyTuple_GET_ITEM(call->args, i);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(call->numbers); ++i)
        out[PyLong_AsSsize_t(PyTuple_GET_ITEM(call->numbers, i))] =
            PyList_GET_ITEM(call->marked, i);
}

static PyObject *call_function(const gradient_call *call)
{
    PyObject *few[FEW_ARGUMENTS + 1], **args = few;
    Py_ssize_t nargs = PyTuple_GET_SIZE(call->args);
    if (nargs > FEW_ARGUMENTS && !(args = PyMem_New(PyObject *, (size_t)nargs + 1)))
        return PyErr_NoMemory();
    put_markers(call, args + 1);
    PyObject *kwargs = PyDict_GET_SIZE(call->kwargs) > 0 ? call->kwargs : NULL;
    PyObject *result = PyObject_VectorcallDict(
        call->function, args + 1, (size_t)nargs | PY_VECTORCALL_ARGUMENTS_OFFSET, kwargs);
    if (args != few)
        PyMem_Free(args);
    return result;
}

/* New reference */
static PyObject *gradients_of(gradient_call *call, PyObject *loss)
{
    py_flat made;
    PyObject *leaves = NULL, *trees = NULL;
    if (py_flat_init(&made, call->nleaves) < 0)
        return NULL;
    jg_array *x = py_array_retain(loss);
    if (py_check(jg_tracing_gradients(call->tracing, x, made.arrays)) == 0) {
        call->tracing = NULL;
        leaves = py_flat_list(&made);
    }
    jg_array_release(x);
    if (leaves)
        trees = py_fill_trees(call->trees, leaves);
    Py_XDECREF(leaves);
    py_flat_clear(&made);
    return trees;
}

/* The loss in a result that may be a tuple with it, or has to be a pair. Borrowed; NULL for none */
static PyObject *find_loss(PyObject *result, PyObject *may_be_tuple, PyObject *is_pair)
{
    bool is_tuple = PyTuple_Check(result);
    if (is_pair == Py_True)
        return is_tuple && PyTuple_GET_SIZE(result) == 2 ? PyTuple_GET_ITEM(result, 0) : NULL;
    if (may_be_tuple == Py_True && is_tuple && PyTuple_GET_SIZE(result) > 0)
        return PyTuple_GET_ITEM(result, 0);
    return result;
}

/* (result, gradients): a list of trees, None where the result has no loss. New reference */
static PyObject *finish(gradient_call *call, PyObject *loss)
{
    PyObject *gradients;
    gradients = loss && py_is_loss(loss) ? gradients_of(call, loss) : Py_NewRef(Py_None);
    PyObject *both = gradients ? PyTuple_Pack(2, call->result, gradients) : NULL;
    Py_XDECREF(gradients);
    return both;
}

/* (fun, args, kwargs, numbers, whether the result may be a tuple that begins with the loss, whether
 * it has to be a pair). None where an argument of these numbers is more than arrays of real floats.
 */
static PyObject *differentiate(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs != 6 || !PyTuple_Check(args[1]) || !PyDict_Check(args[2]) ||
        !PyTuple_Check(args[3])) {
        PyErr_Format(PyExc_TypeError,
                     "_differentiate: got %zd arguments, allowed are a function, a tuple and a "
                     "dict of its arguments, a tuple of their numbers, and two flags",
                     nargs);
        return NULL;
    }
    gradient_call call = {args[0], args[1], args[2], args[3], NULL, NULL, NULL, 0, NULL};
    PyObject *leaves = take_trees(&call) == 0 ? py_float_leaves(call.trees) : NULL, *both = NULL;
    if (leaves == Py_None)
        both = Py_NewRef(Py_None);
    else if (leaves && begin(&call, leaves) == 0 && (call.result = call_function(&call)))
        both = finish(&call, find_loss(call.result, args[4], args[5]));
    py_pending fault = py_pending_take();
    if (call.tracing)
        jg_tracing_abort(call.tracing);
    Py_XDECREF(leaves);
    Py_XDECREF(call.trees);
    Py_XDECREF(call.marked);
    Py_XDECREF(call.result);
    py_pending_restore(fault);
    return both;
}

PyMethodDef py_gradient_functions[] = {
    {"_differentiate", (PyCFunction)(void (*)(void))differentiate, METH_FASTCALL,
     "A function's result and its gradients, of a call with plain arrays."},
    {0}};
