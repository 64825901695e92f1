/* SPDX-License-Identifier: Apache-2.0 */
/* The ops as functions of the module and methods of the array, from the rows of op_methods.h.
 *
 * A row's FORM names the function below that reads its arguments: call_FORM. The thin functions
 * that the rows expand to give it the op. */
#include "core.h"

/* ---- operands ---- */

/* Objects that operators take for arrays: they speak a protocol that describes memory. */
static bool is_tensor(PyObject *object)
{
    static PyObject *names[3];
    static const char *const texts[3] = {"__dlpack__", "__array_interface__", "__jax_array__"};
    for (int i = 0; i < 3; ++i) {
        if (!names[i])
            names[i] = PyUnicode_InternFromString(texts[i]);
        if (names[i] && _PyType_Lookup(Py_TYPE(object), names[i]))
            return true;
    }
    return false;
}

int py_operand_from(PyObject *object, const jg_array *like, py_operand_mode mode, py_operand *out)
{
    if (py_array_check(object)) {
        *out = (py_operand){py_array_hold(object), false};
        return 1;
    }
    jg_number number;
    int is_number = py_number_from(object, &number);
    if (is_number < 0)
        return -1;
    if (!is_number && mode == PY_OPERATOR && !is_tensor(object))
        return 0;
    py_request request = {.copy = JG_COPY_IF_NEEDED};
    jg_array *array = is_number ? py_number_array(number, like) : py_asarray(object, &request);
    *out = (py_operand){array, true};
    return array ? 1 : -1;
}

void py_operand_clear(py_operand *operand)
{
    if (operand->owned)
        jg_array_release(operand->array);
    else
        py_array_drop(operand->array);
}

int py_operands_from(PyObject *a, PyObject *b, py_operand_mode mode, py_operand *x1, py_operand *x2)
{
    jg_number unused;
    bool a_is_weak = !py_array_check(a) && py_number_from(a, &unused) == 1;
    PyErr_Clear();
    PyObject *first = a_is_weak ? b : a, *second = a_is_weak ? a : b;
    py_operand *to_first = a_is_weak ? x2 : x1, *to_second = a_is_weak ? x1 : x2;
    int found = py_operand_from(first, NULL, mode, to_first);
    if (found <= 0)
        return found;
    found = py_operand_from(second, to_first->array, mode, to_second);
    if (found <= 0)
        py_operand_clear(to_first);
    return found;
}

/* ---- one function per FORM ---- */

/* out is passed by address, as it is set while the other argument is worked out. */
static PyObject *result_of(jg_status status, jg_array *const *out)
{
    return status == JG_OK ? py_array_wrap(*out) : py_raise(status);
}

static PyObject *call_UNARY(const char *name, py_unary_op *op, PyObject *const *args,
                            Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 1, {"x"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    py_operand x;
    jg_array *out;
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_operand_from(slots[0], NULL, PY_FUNCTION, &x) < 0)
        return NULL;
    PyObject *result = result_of(op(x.array, &out), &out);
    py_operand_clear(&x);
    return result;
}

static PyObject *call_BINARY(const char *name, py_binary_op *op, PyObject *const *args,
                             Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 2, 2, {"x1", "x2"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    py_operand x1, x2;
    jg_array *out;
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_operands_from(slots[0], slots[1], PY_FUNCTION, &x1, &x2) < 0)
        return NULL;
    PyObject *result = result_of(op(x1.array, x2.array, &out), &out);
    py_operand_clear(&x1);
    py_operand_clear(&x2);
    return result;
}

typedef jg_status ternary_op(jg_array *, jg_array *, jg_array *, jg_array **);

static PyObject *call_TERNARY(const char *name, ternary_op *op, PyObject *const *args,
                              Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {3, 3, 3, {"condition", "x1", "x2"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    py_operand condition, x1, x2;
    jg_array *out;
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_operand_from(slots[0], NULL, PY_FUNCTION, &condition) < 0)
        return NULL;
    if (py_operands_from(slots[1], slots[2], PY_FUNCTION, &x1, &x2) > 0) {
        result = result_of(op(condition.array, x1.array, x2.array, &out), &out);
        py_operand_clear(&x1);
        py_operand_clear(&x2);
    }
    py_operand_clear(&condition);
    return result;
}

typedef jg_status cast_op(jg_array *, jg_dtype, jg_array **);

/* With copy=False an array that has the dtype already is given back as it is. */
static PyObject *call_CAST(const char *name, cast_op *op, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *kwnames)
{
    static const py_signature signature = {2, 2, 1, {"x", "dtype", "copy"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    py_operand x;
    jg_array *out;
    jg_dtype dtype;
    jg_copy_policy copy;
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_dtype_from(slots[1], &dtype) < 0 || py_copy_from(slots[2], &copy) < 0 ||
        py_operand_from(slots[0], NULL, PY_FUNCTION, &x) < 0)
        return NULL;
    PyObject *result;
    if (copy == JG_COPY_NEVER && jg_array_dtype(x.array) == dtype)
        result = x.owned ? py_array_wrap(jg_array_retain(x.array)) : Py_NewRef(slots[0]);
    else
        result = result_of(op(x.array, dtype, &out), &out);
    py_operand_clear(&x);
    return result;
}

typedef jg_status reduction_op(jg_array *, int, const int64_t *, bool, jg_array **);

static PyObject *call_REDUCTION(const char *name, reduction_op *op, PyObject *const *args,
                                Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 3, 1, {"x", "axis", "keepdims"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    py_operand x;
    jg_array *out;
    int naxes;
    int64_t axes[JG_MAX_NDIM];
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_axes(slots[1], &naxes, axes) < 0)
        return NULL;
    int keepdims = slots[2] ? PyObject_IsTrue(slots[2]) : 0;
    if (keepdims < 0 || py_operand_from(slots[0], NULL, PY_FUNCTION, &x) < 0)
        return NULL;
    PyObject *result = result_of(op(x.array, naxes, axes, keepdims, &out), &out);
    py_operand_clear(&x);
    return result;
}

typedef jg_status extents_op(jg_array *, int, const int64_t *, jg_array **);

static PyObject *call_SHAPED(const char *name, extents_op *op, PyObject *const *args,
                             Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {2, 2, 1, {"x", "shape"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    py_operand x;
    jg_array *out;
    int64_t shape[JG_MAX_NDIM];
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    int ndim = py_extents("shape", slots[1], -1, shape);
    if (ndim < 0 || py_operand_from(slots[0], NULL, PY_FUNCTION, &x) < 0)
        return NULL;
    PyObject *result = result_of(op(x.array, ndim, shape, &out), &out);
    py_operand_clear(&x);
    return result;
}

/* The axes that None stands for: all of extent 1 for squeeze, all in reverse for a permutation. */
static int default_axes(extents_op *op, const jg_array *x, int64_t *axes)
{
    int count = 0, ndim = jg_array_ndim(x);
    for (int i = 0; i < ndim; ++i) {
        if (op != jg_squeeze)
            axes[count++] = ndim - 1 - i;
        else if (jg_array_shape(x)[i] == 1)
            axes[count++] = i;
    }
    return count;
}

static PyObject *call_PERMUTED(const char *name, extents_op *op, PyObject *const *args,
                               Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"x", "axes", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    py_operand x;
    jg_array *out;
    int naxes;
    int64_t axes[JG_MAX_NDIM];
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_axes(slots[1] ? slots[1] : slots[2], &naxes, axes) < 0 ||
        py_operand_from(slots[0], NULL, PY_FUNCTION, &x) < 0)
        return NULL;
    if (naxes < 0)
        naxes = default_axes(op, x.array, axes);
    PyObject *result = result_of(op(x.array, naxes, axes, &out), &out);
    py_operand_clear(&x);
    return result;
}

typedef jg_status axis_op(jg_array *, int64_t, jg_array **);

static PyObject *call_AXIS(const char *name, axis_op *op, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"x", "axis"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    py_operand x;
    jg_array *out;
    int64_t axis = 0;
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        (slots[1] && py_int64_from(slots[1], &axis) < 0) ||
        py_operand_from(slots[0], NULL, PY_FUNCTION, &x) < 0)
        return NULL;
    PyObject *result = result_of(op(x.array, axis, &out), &out);
    py_operand_clear(&x);
    return result;
}

/* ---- from rows to functions ---- */

#define PY_OP(name, form, signature, doc)                                                          \
    static PyObject *function_##name(PyObject *Py_UNUSED(module), PyObject *const *args,           \
                                     Py_ssize_t nargs, PyObject *kwnames)                          \
    {                                                                                              \
        return call_##form(#name, jg_##name, args, nargs, kwnames);                                \
    }
#include "op_methods.h"
#undef PY_OP

PyMethodDef py_op_functions[] = {
#define PY_OP(name, form, signature, doc)                                                          \
    {#name, PY_FASTCALL(function_##name), #name signature doc},
#include "op_methods.h"
#undef PY_OP
    {NULL, NULL, 0, NULL},
};

/* x.op(...) is op(x, ...). Extents may also be given one by one: x.reshape(2, 3). */
static PyObject *
call_method(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
            PyObject *(*function)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *),
            bool takes_extents)
{
    PyObject *all[2 * PY_MAX_PARAMETERS] = {self}, *extents = NULL;
    Py_ssize_t count = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    if (takes_extents && nargs != 1 && !kwnames) {
        extents = PyTuple_New(nargs);
        for (Py_ssize_t i = 0; extents && i < nargs; ++i)
            PyTuple_SET_ITEM(extents, i, Py_NewRef(args[i]));
        if (!extents)
            return NULL;
        args = &extents;
        nargs = count = 1;
    }
    if (count >= (Py_ssize_t)Py_ARRAY_LENGTH(all)) {
        PyErr_Format(PyExc_TypeError, "got %zd arguments, far too many", count);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; ++i)
        all[i + 1] = args[i];
    PyObject *result = function(NULL, all, nargs + 1, kwnames);
    Py_XDECREF(extents);
    return result;
}

/* Which forms make methods: those that take one array. */
#define METHOD_BINARY(...)
#define METHOD_TERNARY(...)
#define METHOD_UNARY(...) __VA_ARGS__
#define METHOD_CAST(...) __VA_ARGS__
#define METHOD_REDUCTION(...) __VA_ARGS__
#define METHOD_SHAPED(...) __VA_ARGS__
#define METHOD_PERMUTED(...) __VA_ARGS__
#define METHOD_AXIS(...) __VA_ARGS__
enum {
    EXTENTS_UNARY = false,
    EXTENTS_CAST = false,
    EXTENTS_REDUCTION = false,
    EXTENTS_SHAPED = true,
    EXTENTS_PERMUTED = false,
    EXTENTS_AXIS = false,
};

#define PY_OP(name, form, signature, doc)                                                          \
    METHOD_##form(static PyObject *method_##name(PyObject *self, PyObject *const *args,            \
                                                 Py_ssize_t nargs, PyObject *kwnames) {            \
        return call_method(self, args, nargs, kwnames, function_##name, EXTENTS_##form);           \
    })
#include "op_methods.h"
#undef PY_OP

PyMethodDef py_op_methods[] = {
#define PY_OP(name, form, signature, doc) METHOD_##form({#name, PY_FASTCALL(method_##name), doc}, )
#include "op_methods.h"
#undef PY_OP
    {NULL, NULL, 0, NULL},
};
