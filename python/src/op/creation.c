/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays out of nothing: empty, zeros, ones, full, arange and their kin. zeros and full are nodes,
 * which take no memory before they are evaluated; empty is allocated at once. */
#include "base/naming.h"
#include "op/op.h"

/* dtype=None means `fallback`; device is only checked, and py_on_device's later. gives: 0 or -1 */
static int read_kind(PyObject *dtype, PyObject *device, jg_dtype fallback, jg_dtype *out)
{
    jg_device_id unused;
    *out = fallback;
    if (py_device_from(device, &unused) < 0)
        return -1;
    return dtype && dtype != Py_None ? py_dtype_from(dtype, out) : 0;
}

/* The same of arrays like one, whose dtype is the fallback. */
static int read_kind_like(PyObject *dtype, PyObject *device, const jg_array *x, jg_dtype *out)
{
    jg_dtype own = jg_array_dtype(x);
    if (read_kind(dtype, device, own, out) < 0)
        return -1;
    py_dtype_widen(dtype, own, out);
    return 0;
}

/* out is passed by address, as it is set while the other argument is worked out. */
static PyObject *result_of(jg_status status, jg_array *const *out)
{
    return status == JG_OK ? py_array_wrap(*out) : py_raise(status);
}

/* value: NULL for memory as it is. The library has one status for a bad shape and a number that
 * does not fit; Python has two exceptions, so a 0-d array tells which of them it was. */
static PyObject *filled(jg_dtype dtype, int ndim, const int64_t *shape, const jg_number *value)
{
    jg_array *out;
    if (!value)
        return result_of(jg_empty(dtype, ndim, shape, &out), &out);
    jg_status status = jg_full(dtype, ndim, shape, *value, &out);
    bool is_int = value->kind == JG_KIND_INT || value->kind == JG_KIND_UINT;
    if (status == JG_ERR_VALUE && is_int) {
        if (jg_full(dtype, 0, NULL, *value, &out) != JG_OK)
            return py_raise_as(PyExc_OverflowError);
        jg_array_release(out); /* the number fits, so it was the shape; its message is the last */
    }
    return result_of(status, &out);
}

static const jg_number zero = {.kind = JG_KIND_INT, .i64 = 0},
                       one = {.kind = JG_KIND_INT, .i64 = 1};

/* empty, zeros and ones: float32 unless a dtype is given, as in MLX. */
static PyObject *make(const char *name, const jg_number *value, PyObject *const *args,
                      Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 0, {"shape", "dtype", "device"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    int64_t shape[JG_MAX_NDIM];
    jg_dtype dtype;
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        read_kind(slots[1], slots[2], JG_DTYPE_FLOAT32, &dtype) < 0)
        return NULL;
    int ndim = py_extents("shape", slots[0], 0, shape);
    return ndim < 0 ? NULL : py_on_device(filled(dtype, ndim, shape, value), slots[2]);
}

/* The array on the named device, otherwise on x's device. steals: array */
static PyObject *on_device_like(PyObject *array, PyObject *device, const py_operand *x)
{
    if (device && device != Py_None)
        return py_on_device(array, device);
    return py_move(array, jg_array_device(x->array));
}

/* The shape that is given, otherwise x's. gives: the number of axes or -1 */
static int shape_like(PyObject *given, const jg_array *x, int64_t *shape)
{
    if (given && given != Py_None)
        return py_extents("shape", given, 0, shape);
    for (int i = 0; i < jg_array_ndim(x); ++i)
        shape[i] = jg_array_shape(x)[i];
    return jg_array_ndim(x);
}

/* The same with the shape, dtype and device of an array, which is not evaluated for it. */
static PyObject *make_like(const char *name, const jg_number *value, PyObject *const *args,
                           Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {1, 2, 1, {"x", "dtype", "device", "shape"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    int64_t shape[JG_MAX_NDIM];
    py_operand x;
    jg_dtype dtype;
    if (py_arguments(name, &signature, args, nargs, kwnames, slots) < 0 ||
        py_operand_from(slots[0], NULL, PY_FUNCTION, &x) < 0)
        return NULL;
    int ndim = read_kind_like(slots[1], slots[2], x.array, &dtype) == 0
                   ? shape_like(slots[3], x.array, shape)
                   : -1;
    if (ndim >= 0)
        result = on_device_like(filled(dtype, ndim, shape, value), slots[2], &x);
    py_operand_clear(&x);
    return result;
}

#define MAKE(name, value)                                                                          \
    static PyObject *name(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,    \
                          PyObject *kwnames)                                                       \
    {                                                                                              \
        PY_ON_STREAM(name, args, nargs, kwnames);                                                  \
        return make(#name, value, args, nargs, kwnames);                                           \
    }                                                                                              \
    static PyObject *name##_like(PyObject *Py_UNUSED(module), PyObject *const *args,               \
                                 Py_ssize_t nargs, PyObject *kwnames)                              \
    {                                                                                              \
        PY_ON_STREAM(name##_like, args, nargs, kwnames);                                           \
        return make_like(#name "_like", value, args, nargs, kwnames);                              \
    }
MAKE(empty, NULL)
MAKE(zeros, &zero)
MAKE(ones, &one)

/* The value that fills: a number, or a traced array of one element, +1, which is no constant. */
typedef struct fill {
    jg_number number;
    jg_array *traced;
    jg_dtype dtype; /* the one that full() has if none is given */
} fill;

static bool has_one_element(const jg_array *x)
{
    bool one_each = true;
    for (int i = 0; i < jg_array_ndim(x); ++i)
        one_each = one_each && jg_array_shape(x)[i] == 1;
    return one_each;
}

/* Python's number, or the element of anything that is an array of one, for which it is evaluated
 * unless it is traced. dtype: that of the result, or any of integers where none is given */
static int read_fill(PyObject *object, jg_dtype dtype, fill *out)
{
    *out = (fill){.dtype = JG_DTYPE_BOOL};
    int found = py_number_for(object, &dtype, &out->number);
    if (found > 0)
        out->dtype = py_number_own_dtype(out->number);
    if (found != 0)
        return found < 0 ? -1 : 0;
    py_request request = {.copy = JG_COPY_IF_NEEDED};
    jg_array *x = py_asarray(object, &request);
    if (!x)
        return -1;
    out->dtype = jg_array_dtype(x);
    if (jg_array_is_traced(x) && has_one_element(x)) {
        out->traced = x;
        return 0;
    }
    int status = py_item(x, &out->number);
    jg_array_release(x);
    return status;
}

static jg_status spread(jg_array *x, jg_dtype dtype, int ndim, const int64_t *shape, jg_array **out)
{
    jg_array *single = NULL, *cast = NULL;
    jg_status status = jg_reshape(x, 0, NULL, &single);
    if (status == JG_OK)
        status = jg_astype(single, dtype, &cast);
    if (status == JG_OK)
        status = jg_broadcast_to(cast, ndim, shape, out);
    jg_array_release(single);
    jg_array_release(cast);
    return status;
}

/* steals: value->traced */
static PyObject *filled_by(const fill *value, jg_dtype dtype, int ndim, const int64_t *shape)
{
    jg_array *out = NULL;
    if (!value->traced)
        return filled(dtype, ndim, shape, &value->number);
    jg_status status = spread(value->traced, dtype, ndim, shape, &out);
    jg_array_release(value->traced);
    return result_of(status, &out);
}

static PyObject *full(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                      PyObject *kwnames)
{
    PY_ON_STREAM(full, args, nargs, kwnames);
    static const py_signature signature = {2, 3, 0, {"shape", "fill_value", "dtype", "device"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    int64_t shape[JG_MAX_NDIM];
    jg_dtype dtype;
    fill value;
    if (py_arguments("full", &signature, args, nargs, kwnames, slots) < 0 ||
        read_kind(slots[2], slots[3], JG_DTYPE_INT64, &dtype) < 0 ||
        read_fill(slots[1], dtype, &value) < 0)
        return NULL;
    if (!slots[2] || slots[2] == Py_None)
        dtype = value.dtype;
    int ndim = py_extents("shape", slots[0], 0, shape);
    if (ndim >= 0)
        return py_on_device(filled_by(&value, dtype, ndim, shape), slots[3]);
    jg_array_release(value.traced);
    return NULL;
}

static PyObject *full_like(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                           PyObject *kwnames)
{
    PY_ON_STREAM(full_like, args, nargs, kwnames);
    static const py_signature signature = {
        2, 3, 1, {"x", "fill_value", "dtype", "device", "shape"}};
    PyObject *slots[PY_MAX_PARAMETERS], *result = NULL;
    int64_t shape[JG_MAX_NDIM];
    py_operand x;
    jg_dtype dtype;
    fill value;
    if (py_arguments("full_like", &signature, args, nargs, kwnames, slots) < 0 ||
        py_operand_from(slots[0], NULL, PY_FUNCTION, &x) < 0)
        return NULL;
    int ndim = read_kind_like(slots[2], slots[3], x.array, &dtype) == 0
                   ? shape_like(slots[4], x.array, shape)
                   : -1;
    if (ndim >= 0 && read_fill(slots[1], dtype, &value) == 0)
        result = on_device_like(filled_by(&value, dtype, ndim, shape), slots[3], &x);
    py_operand_clear(&x);
    return result;
}

/* The number of an object that has one, such as a 0-d array: the number of __index__, or of
 * __float__ if it is no integer. gives: 0 or -1 */
static int read_scalar(const char *argument, PyObject *object, jg_number *out)
{
    PyObject *value = PyIndex_Check(object) ? PyNumber_Index(object) : NULL;
    if (value) {
        int found = py_number_from(value, out);
        Py_DECREF(value);
        return found < 0 ? -1 : 0;
    }
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError))
        return -1;
    PyErr_Clear();
    *out = (jg_number){.kind = JG_KIND_FLOAT};
    return py_double_argument(argument, object, &out->re);
}

/* A bound or a step of arange. Bools count as ints here, as in Python's range. Ints beyond int64
 * are refused, as the result could not hold them. */
static int read_real(const char *argument, PyObject *object, jg_number *out)
{
    int found = py_number_from(object, out);
    if (found == 0)
        return read_scalar(argument, object, out);
    if (found < 0)
        return -1;
    if (out->kind == JG_KIND_BOOL)
        out->kind = JG_KIND_INT;
    if (out->kind == JG_KIND_INT || out->kind == JG_KIND_UINT || out->kind == JG_KIND_FLOAT)
        return 0;
    PyErr_Format(PyExc_TypeError, "arange: %s: got %R, allowed are ints of 64 bits and floats",
                 argument, object);
    return -1;
}

/* If one of the numbers is a float, all are. */
static void unify(jg_number *numbers, int count)
{
    bool has_float = false;
    for (int i = 0; i < count; ++i)
        has_float = has_float || numbers[i].kind == JG_KIND_FLOAT;
    for (int i = 0; has_float && i < count; ++i)
        if (numbers[i].kind == JG_KIND_INT)
            numbers[i] = (jg_number){.kind = JG_KIND_FLOAT, .re = (double)numbers[i].i64};
        else if (numbers[i].kind == JG_KIND_UINT)
            numbers[i] = (jg_number){.kind = JG_KIND_FLOAT, .re = (double)numbers[i].u64};
}

/* arange(stop) and arange(start, stop): the first argument is the stop where there is no second. */
static PyObject *arange(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                        PyObject *kwnames)
{
    PY_ON_STREAM(arange, args, nargs, kwnames);
    static const py_signature signature = {1, 4, 0, {"start", "stop", "step", "dtype", "device"}};
    static const char *const names[] = {"start", "stop", "step"};
    PyObject *slots[PY_MAX_PARAMETERS];
    if (py_arguments("arange", &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    jg_number numbers[3] = {{.kind = JG_KIND_INT}, {.kind = JG_KIND_INT}, one};
    bool has_stop = slots[1] && slots[1] != Py_None;
    for (int i = 0; i < 3; ++i)
        if (slots[i] && slots[i] != Py_None &&
            read_real(names[i], slots[i], &numbers[i == 0 && !has_stop ? 1 : i]) < 0)
            return NULL;
    unify(numbers, 3);
    jg_dtype fallback = JG_DTYPE_INT64, dtype;
    if (numbers[0].kind == JG_KIND_FLOAT)
        fallback = JG_DTYPE_FLOAT32;
    else if (py_number_own_dtype(numbers[0]) == JG_DTYPE_INT32 &&
             py_number_own_dtype(numbers[1]) == JG_DTYPE_INT32)
        fallback = JG_DTYPE_INT32;
    jg_array *out;
    if (read_kind(slots[3], slots[4], fallback, &dtype) < 0)
        return NULL;
    jg_status status = jg_arange(dtype, numbers[0], numbers[1], numbers[2], &out);
    return py_on_device(result_of(status, &out), slots[4]);
}

#define SHAPE_DOC "(shape, dtype=None, *, device=None, stream=None)\n--\n\n"
#define LIKE_DOC "(x, /, dtype=None, *, device=None, shape=None, stream=None)\n--\n\n"

PY_NAMED(empty)
PY_NAMED(zeros)
PY_NAMED(ones)
PY_NAMED(full)
PY_NAMED(empty_like)
PY_NAMED(zeros_like)
PY_NAMED(ones_like)
PY_NAMED(full_like)
PY_NAMED(arange)

PyMethodDef py_creation_functions[] = {
    {"empty", PY_FASTCALL(named_empty),
     "empty" SHAPE_DOC "An array of whatever lies in the memory."
     "\n\n"
     ">>> jg.empty((2, 3)).shape\n"
     "(2, 3)"},
    {"zeros", PY_FASTCALL(named_zeros),
     "zeros" SHAPE_DOC "An array of zeros, float32 by default."
     "\n\n"
     ">>> jg.zeros((2,), dtype=jg.int8)\n"
     "array([0, 0], dtype=int8)"},
    {"ones", PY_FASTCALL(named_ones),
     "ones" SHAPE_DOC "An array of ones, float32 by default."
     "\n\n"
     ">>> jg.ones((2,))\n"
     "array([1., 1.], dtype=float32)"},
    {"full", PY_FASTCALL(named_full),
     "full(shape, fill_value, dtype=None, *, device=None, stream=None)\n--\n\nAn array of one "
     "number."
     "\n\n"
     ">>> jg.full((2,), 7)\n"
     "array([7, 7], dtype=int64)"},
    {"empty_like", PY_FASTCALL(named_empty_like),
     "empty_like" LIKE_DOC "empty with x's shape and dtype."
     "\n\n"
     ">>> jg.empty_like(jg.ones((2, 3))).shape\n"
     "(2, 3)"},
    {"zeros_like", PY_FASTCALL(named_zeros_like),
     "zeros_like" LIKE_DOC "zeros with x's shape and dtype."
     "\n\n"
     ">>> jg.zeros_like(jg.ones((2,)))\n"
     "array([0., 0.], dtype=float32)"},
    {"ones_like", PY_FASTCALL(named_ones_like),
     "ones_like" LIKE_DOC "ones with x's shape and dtype."
     "\n\n"
     ">>> jg.ones_like(jg.arange(3))\n"
     "array([1, 1, 1], dtype=int64)"},
    {"full_like", PY_FASTCALL(named_full_like),
     "full_like(x, /, fill_value, dtype=None, *, device=None, shape=None, stream=None)\n--\n\n"
     "full with x's shape and dtype."
     "\n\n"
     ">>> jg.full_like(jg.arange(3), 7)\n"
     "array([7, 7, 7], dtype=int64)"},
    {"arange", PY_FASTCALL(named_arange),
     "arange(start, stop=None, step=1, dtype=None, *, device=None, stream=None)\n--\n\n"
     "start, start + step, ... below stop: int64, or float32 if one of them is a float. arange(n)\n"
     "starts at 0."
     "\n\n"
     ">>> jg.arange(2, 10, 3)\n"
     "array([2, 5, 8], dtype=int64)"},
    {NULL, NULL, 0, NULL},
};
