/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that are Python functions, for _custom.py: each is called with lists of arrays. */
#include "transform/transform.h"

typedef struct python_rules {
    PyObject *vjp, *jvp, *vmap, *run; /* NULL for none */
} python_rules;

/* On any thread; after the interpreter's end what it held is gone. */
static void release_rules(void *context)
{
    python_rules *rules = context;
    if (Py_IsInitialized()) {
        PyGILState_STATE state = PyGILState_Ensure();
        py_pending pending = py_pending_take();
        Py_XDECREF(rules->vjp);
        Py_XDECREF(rules->jvp);
        Py_XDECREF(rules->vmap);
        Py_XDECREF(rules->run);
        py_pending_restore(pending);
        PyGILState_Release(state);
    }
    PyMem_RawFree(rules);
}

static PyObject *list_of(int count, jg_array *const *arrays)
{
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; ++i) {
        PyObject *item = py_array_wrap(jg_array_retain(arrays[i]));
        if (item)
            PyList_SET_ITEM(list, i, item);
        else
            Py_CLEAR(list);
    }
    return list;
}

static void refuse_list(PyObject *list, int count, const char *items)
{
    if (PyList_CheckExact(list))
        PyErr_Format(PyExc_TypeError, "a rule gave a list of %zd, allowed are %d %s",
                     PyList_GET_SIZE(list), count, items);
    else
        PyErr_Format(PyExc_TypeError, "a rule gave %s, allowed is a list of %d %s",
                     Py_TYPE(list)->tp_name, count, items);
}

/* list: of arrays and None, which a function of the package has made and checked
 * | gives: arrays, +1 each, NULL for None */
static int take_list(PyObject *list, int count, jg_array **arrays)
{
    if (!PyList_CheckExact(list) || PyList_GET_SIZE(list) != count) {
        refuse_list(list, count, "arrays");
        return -1;
    }
    for (int i = 0; i < count; ++i) {
        PyObject *item = PyList_GET_ITEM(list, i);
        if (item != Py_None && !py_array_check(item)) {
            PyErr_Format(PyExc_TypeError, "a rule gave %s, allowed is an array",
                         Py_TYPE(item)->tp_name);
            return -1;
        }
        arrays[i] = item == Py_None ? NULL : py_array_retain(item);
    }
    return 0;
}

/* The exception stays pending; py_raise finds it. */
static jg_status status_of(int result)
{
    return result == 0 ? JG_OK : JG_ERR_INTERNAL;
}

/* Calls a rule with lists. steals: lists, of which one may be NULL after a failure */
static PyObject *call_rule(PyObject *rule, int count, PyObject **lists)
{
    PyObject *result = NULL;
    bool whole = true;
    for (int i = 0; i < count; ++i)
        whole = whole && lists[i];
    if (whole)
        result = PyObject_Vectorcall(rule, lists, (size_t)count, NULL);
    for (int i = 0; i < count; ++i)
        Py_XDECREF(lists[i]);
    return result;
}

static jg_status vjp_rule(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                          jg_array *const *outputs, jg_array *const *cotangents, jg_array **shares)
{
    const python_rules *rules = context;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *lists[] = {list_of(ninputs, inputs), list_of(noutputs, cotangents),
                         list_of(noutputs, outputs)};
    PyObject *made = call_rule(rules->vjp, 3, lists);
    int result = made ? take_list(made, ninputs, shares) : -1;
    Py_XDECREF(made);
    PyGILState_Release(state);
    return status_of(result);
}

static jg_status jvp_rule(void *context, int ninputs, jg_array *const *inputs,
                          jg_array *const *tangents, int noutputs, jg_array **out)
{
    const python_rules *rules = context;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *lists[] = {list_of(ninputs, inputs), list_of(ninputs, tangents)};
    PyObject *made = call_rule(rules->jvp, 2, lists);
    int result = made ? take_list(made, noutputs, out) : -1;
    Py_XDECREF(made);
    PyGILState_Release(state);
    return status_of(result);
}

static PyObject *list_axes(int count, const int64_t *axes)
{
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; ++i) {
        PyObject *item =
            axes[i] == JG_NOT_MAPPED ? Py_NewRef(Py_None) : PyLong_FromLongLong(axes[i]);
        if (item)
            PyList_SET_ITEM(list, i, item);
        else
            Py_CLEAR(list);
    }
    return list;
}

static int take_axes(PyObject *list, int count, int64_t *axes)
{
    if (!PyList_CheckExact(list) || PyList_GET_SIZE(list) != count) {
        refuse_list(list, count, "axes");
        return -1;
    }
    for (int i = 0; i < count; ++i) {
        PyObject *item = PyList_GET_ITEM(list, i);
        axes[i] = item == Py_None ? JG_NOT_MAPPED : PyLong_AsLongLong(item);
        if (PyErr_Occurred())
            return -1;
    }
    return 0;
}

/* Takes the rule's results: a list of arrays and a list of axes. */
static jg_status vmap_rule(void *context, int ninputs, jg_array *const *inputs, const int64_t *axes,
                           int noutputs, jg_array **outputs, int64_t *out_axes)
{
    const python_rules *rules = context;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *lists[] = {list_of(ninputs, inputs), list_axes(ninputs, axes)}, *arrays, *places;
    PyObject *made = call_rule(rules->vmap, 2, lists);
    int result = made && PyArg_ParseTuple(made, "OO", &arrays, &places) ? 0 : -1;
    if (result == 0)
        result = take_axes(places, noutputs, out_axes);
    if (result == 0)
        result = take_list(arrays, noutputs, outputs);
    Py_XDECREF(made);
    PyGILState_Release(state);
    return status_of(result);
}

static jg_status run_rule(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                          jg_array **outputs)
{
    const python_rules *rules = context;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *lists[] = {list_of(ninputs, inputs)};
    PyObject *made = call_rule(rules->run, 1, lists);
    int result = made ? take_list(made, noutputs, outputs) : -1;
    Py_XDECREF(made);
    PyGILState_Release(state);
    return status_of(result);
}

static PyObject *rule_or_null(PyObject *rule)
{
    return rule == Py_None ? NULL : Py_NewRef(rule);
}

static python_rules *new_rules(PyObject *vjp, PyObject *jvp, PyObject *vmap, PyObject *run)
{
    python_rules *rules = PyMem_RawMalloc(sizeof *rules);
    if (!rules) {
        PyErr_NoMemory();
        return NULL;
    }
    *rules =
        (python_rules){rule_or_null(vjp), rule_or_null(jvp), rule_or_null(vmap), rule_or_null(run)};
    return rules;
}

/* The function of the library that makes outputs for inputs and values, which are lists of
 * arrays. */
typedef jg_status results_function(void *context, py_flat *inputs, py_flat *values,
                                   jg_array **outputs);

static PyObject *make_results(PyObject *input_list, PyObject *value_list, results_function *make,
                              void *context)
{
    py_flat inputs = {0}, values = {0}, made = {0};
    PyObject *result = NULL;
    if (py_flat_from(input_list, &inputs) == 0 && py_flat_from(value_list, &values) == 0 &&
        py_flat_init(&made, values.count) == 0 &&
        py_check(make(context, &inputs, &values, made.arrays)) == 0)
        result = py_flat_list(&made);
    py_flat_clear(&inputs);
    py_flat_clear(&values);
    py_flat_clear(&made);
    return result;
}

/* Rules that are the library's once it was given them. */
typedef struct given_rules {
    jg_custom_rules rules;
    bool taken;
} given_rules;

static jg_status custom_results(void *context, py_flat *inputs, py_flat *values, jg_array **outputs)
{
    given_rules *given = context;
    jg_status status = jg_custom_results(&given->rules, (int)inputs->count, inputs->arrays,
                                         (int)values->count, values->arrays, outputs);
    given->taken = status == JG_OK;
    return status;
}

static PyObject *custom(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *inputs, *values, *vjp, *jvp, *vmap, *run = Py_None;
    if (!PyArg_ParseTuple(args, "O!O!OOO|O:_custom", &PyList_Type, &inputs, &PyList_Type, &values,
                          &vjp, &jvp, &vmap, &run))
        return NULL;
    python_rules *context = new_rules(vjp, jvp, vmap, run);
    if (!context)
        return NULL;
    given_rules given = {.rules = {.context = context,
                                   .release = release_rules,
                                   .vjp = context->vjp ? vjp_rule : NULL,
                                   .jvp = context->jvp ? jvp_rule : NULL,
                                   .vmap = context->vmap ? vmap_rule : NULL,
                                   .run = context->run ? run_rule : NULL}};
    PyObject *made = make_results(inputs, values, custom_results, &given);
    if (!given.taken)
        release_rules(context);
    return made;
}

static jg_status checkpoint_results(void *context, py_flat *inputs, py_flat *values,
                                    jg_array **outputs)
{
    const jg_checkpoint_policy *policy = context;
    return jg_checkpoint_results(*policy, (int)inputs->count, inputs->arrays, (int)values->count,
                                 values->arrays, outputs);
}

static PyObject *checkpoint(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *inputs, *values;
    int products;
    if (!PyArg_ParseTuple(args, "O!O!p:_checkpoint", &PyList_Type, &inputs, &PyList_Type, &values,
                          &products))
        return NULL;
    jg_checkpoint_policy policy = products ? JG_CHECKPOINT_PRODUCTS : JG_CHECKPOINT_NOTHING;
    return make_results(inputs, values, checkpoint_results, &policy);
}

static PyObject *keep_value(PyObject *Py_UNUSED(module), PyObject *object)
{
    if (py_array_check(object))
        return py_array_wrap(py_array_retain(object));
    PyErr_Format(PyExc_TypeError, "x: got %s, allowed is an array", Py_TYPE(object)->tp_name);
    return NULL;
}

static PyObject *is_traced(PyObject *Py_UNUSED(module), PyObject *object)
{
    if (!py_array_check(object))
        Py_RETURN_FALSE;
    jg_array *x = py_array_retain(object);
    bool traced = jg_array_is_traced(x);
    jg_array_release(x);
    return PyBool_FromLong(traced);
}

static PyObject *tracing_caller(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    const char *caller = jg_tracing_caller();
    return caller ? PyUnicode_FromString(caller) : Py_NewRef(Py_None);
}

static PyObject *without_values(PyObject *Py_UNUSED(module), PyObject *object)
{
    if (!py_array_check(object)) {
        PyErr_Format(PyExc_TypeError, "x: got %s, allowed is an array", Py_TYPE(object)->tp_name);
        return NULL;
    }
    jg_array *x = py_array_retain(object), *made = NULL;
    int status = py_check(jg_array_without_values(x, &made));
    jg_array_release(x);
    return status < 0 ? NULL : py_array_wrap(made);
}

PyMethodDef py_custom_functions[] = {
    {"_tracing_caller", tracing_caller, METH_NOARGS, "What runs a function without values."},
    {"_without_values", without_values, METH_O, "An array like it that has no values."},
    {"_custom", custom, METH_VARARGS,
     "Results for inputs and values that follow vjp, jvp, vmap, run."},
    {"_checkpoint", checkpoint, METH_VARARGS,
     "Results for inputs and values that are computed again; whether products are kept."},
    {"_keep_value", keep_value, METH_O,
     "An array that has x's value, which assignments to x do not change."},
    {"_is_traced", is_traced, METH_O, "Whether an array depends on what is being traced."},
    {0}};
