/* SPDX-License-Identifier: Apache-2.0 */
/* x.at[key].add(value) and the like: x after x[key] += value, where an element that is indexed
 * repeatedly takes each of its values. x itself does not change. */
#include "array/array.h"
#include "base/narrow.h"
#include <stddef.h>

/* x.at, and with a key x.at[key]. They hold the handle, not its array, so they see what x is when a
 * method is called, as x[key] would. */
typedef struct py_at {
    PyObject_HEAD PyObject *array, *key;
} py_at;

/* One struct, two types: only the type with a key has methods, and only the other can be
 * indexed. */
static PyTypeObject *at_type, *place_type;

/* key: NULL for x.at. */
static PyObject *new_at(PyTypeObject *type, PyObject *array, PyObject *key)
{
    py_at *self = PyObject_New(py_at, type);
    if (!self)
        return NULL;
    self->array = Py_NewRef(array);
    self->key = Py_XNewRef(key);
    return (PyObject *)self;
}

static void at_dealloc(PyObject *object)
{
    py_at *self = (py_at *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_DECREF(self->array);
    Py_XDECREF(self->key);
    PyObject_Free(self);
    Py_DECREF(type);
}

PyObject *py_array_at(PyObject *self, void *Py_UNUSED(closure))
{
    return new_at(at_type, self, NULL);
}

/* The key is kept as it is, and read when a method is called. */
static PyObject *at_subscript(PyObject *self, PyObject *key)
{
    return new_at(place_type, ((py_at *)self)->array, key);
}

/* The value in x's dtype, as MLX takes it. gives: a new array; NULL where the value has it already,
 * or cannot get it, with the failure that was pending or a new one */
static PyObject *cast_to(PyObject *x, PyObject *value)
{
    jg_array *to = py_array_retain(x), *cast = NULL;
    py_operand operand;
    py_pending refusal = py_pending_take();
    if (py_operand_from(value, to, PY_FUNCTION, &operand) > 0) {
        if (jg_array_dtype(operand.array) != jg_array_dtype(to))
            (void)py_check(jg_astype(operand.array, jg_array_dtype(to), &cast));
        py_operand_clear(&operand);
    }
    jg_array_release(to);
    if (cast || PyErr_Occurred())
        py_pending_drop(&refusal);
    else
        py_pending_restore(refusal);
    return cast ? py_array_wrap(cast) : NULL;
}

/* A new handle; x keeps its array. */
static PyObject *combine(PyObject *object, jg_scatter_mode mode, PyObject *value)
{
    py_at *self = (py_at *)object;
    jg_array *out = py_array_combined(self->array, self->key, mode, value);
    if (!out && py_process_is_mlx() && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyObject *cast = cast_to(self->array, value);
        if (cast)
            out = py_array_combined(self->array, self->key, mode, cast);
        Py_XDECREF(cast);
    }
    return out ? py_array_wrap(out) : py_mlx_refusal();
}

#define PLACE(name, MODE)                                                                          \
    static PyObject *place_##name(PyObject *self, PyObject *value)                                 \
    {                                                                                              \
        return combine(self, JG_SCATTER_##MODE, value);                                            \
    }
PLACE(set, SET)
PLACE(add, ADD)
PLACE(subtract, SUBTRACT)
PLACE(multiply, MULTIPLY)
PLACE(divide, DIVIDE)
PLACE(power, POWER)
PLACE(maximum, MAXIMUM)
PLACE(minimum, MINIMUM)

static PyObject *place_get(PyObject *object, PyObject *Py_UNUSED(unused))
{
    py_at *self = (py_at *)object;
    return py_array_subscript(self->array, self->key);
}

/* Unlike the others it reads first, so where an index is repeated the function sees the old value
 * each time and not its own result. */
static PyObject *place_apply(PyObject *object, PyObject *function)
{
    PyObject *old = place_get(object, NULL), *result = NULL;
    PyObject *value = old ? PyObject_CallOneArg(function, old) : NULL;
    if (value)
        result = combine(object, JG_SCATTER_SET, value);
    Py_XDECREF(old);
    Py_XDECREF(value);
    return result;
}

#define METHOD(name, function, doc)                                                                \
    {                                                                                              \
        name, function, METH_O, name "($self, value, /)\n--\n\n" doc                               \
    }

static PyMethodDef place_methods[] = {
    METHOD("set", place_set, "The array with the value at the index."),
    METHOD("add", place_add, "The array with the value added at the index."),
    METHOD("subtract", place_subtract, "The array with the value subtracted at the index."),
    METHOD("multiply", place_multiply, "The array multiplied by the value at the index."),
    METHOD("mul", place_multiply, "The same as multiply."),
    METHOD("divide", place_divide, "The array divided by the value at the index."),
    METHOD("power", place_power, "The array raised to the value at the index."),
    METHOD("maximum", place_maximum, "The array with the larger of both at the index."),
    METHOD("max", place_maximum, "The same as maximum."),
    METHOD("minimum", place_minimum, "The array with the smaller of both at the index."),
    METHOD("min", place_minimum, "The same as minimum."),
    {"apply", place_apply, METH_O,
     "apply($self, function, /)\n--\n\nThe array with function(x[index]) at the index."},
    {"get", place_get, METH_NOARGS, "get($self, /)\n--\n\nx[index]."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot at_slots[] = {
    {Py_tp_doc, "The object x.at, to be indexed as x.at[index]."},
    {Py_tp_dealloc, at_dealloc},
    {Py_mp_subscript, at_subscript},
    {0, NULL},
};

static PyType_Slot place_slots[] = {
    {Py_tp_doc, "Places of an array: each method gives a new array and leaves the old one alone."},
    {Py_tp_dealloc, at_dealloc},
    {Py_tp_methods, place_methods},
    {0, NULL},
};

static PyTypeObject *make_type(const char *name, PyType_Slot *slots)
{
    PyType_Spec spec = {.name = name,
                        .basicsize = sizeof(py_at),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        .slots = slots};
    return (PyTypeObject *)PyType_FromSpec(&spec);
}

int py_at_ready(void)
{
    at_type = make_type("joggle._core.at", at_slots);
    place_type = make_type("joggle._core.place", place_slots);
    return at_type && place_type ? 0 : -1;
}
