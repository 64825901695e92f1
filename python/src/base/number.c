/* SPDX-License-Identifier: Apache-2.0 */
/* Python numbers to jg_number and back. They are weakly typed: the array they meet gives the
 * dtype. */
#include "base/narrow.h"

/* 1 or -1. Ints from 2^63 to 2^64 - 1 are UINT, which uint64 holds and no other dtype. */
static int from_int(PyObject *object, jg_number *out)
{
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) {
        if (value == -1 && PyErr_Occurred())
            return -1;
        *out = (jg_number){.kind = JG_KIND_INT, .i64 = value};
        return 1;
    }
    unsigned long long wide = overflow > 0 ? PyLong_AsUnsignedLongLong(object) : 0;
    if (overflow < 0 || PyErr_Occurred()) {
        PyErr_Clear();
        PyErr_Format(PyExc_OverflowError,
                     "an int of 64 bits: got %R, allowed are -2**63 to 2**64 - 1", object);
        return -1;
    }
    *out = (jg_number){.kind = JG_KIND_UINT, .u64 = wide};
    return 1;
}

/* NumPy's float64 and complex128 derive from Python's types but have a dtype of their own, so they
 * are not weak. Their classes tell it by the protocol, without an import of NumPy. */
static bool has_own_dtype(PyObject *object)
{
    return !py_is_narrow() && _PyType_Lookup(Py_TYPE(object), py_name_interface);
}

int py_number_from(PyObject *object, jg_number *out)
{
    if (PyFloat_CheckExact(object)) {
        *out = (jg_number){.kind = JG_KIND_FLOAT, .re = PyFloat_AS_DOUBLE(object)};
        return 1;
    }
    if (PyLong_CheckExact(object))
        return from_int(object, out);
    if (PyBool_Check(object)) {
        *out = (jg_number){.kind = JG_KIND_BOOL, .i64 = object == Py_True};
        return 1;
    }
    if (PyLong_Check(object))
        return has_own_dtype(object) ? 0 : from_int(object, out);
    if (PyFloat_Check(object)) {
        *out = (jg_number){.kind = JG_KIND_FLOAT, .re = PyFloat_AS_DOUBLE(object)};
        return !has_own_dtype(object);
    }
    if (PyComplex_Check(object)) {
        Py_complex value = PyComplex_AsCComplex(object);
        *out = (jg_number){.kind = JG_KIND_COMPLEX, .re = value.real, .im = value.imag};
        return !has_own_dtype(object);
    }
    return 0;
}

int py_number_for(PyObject *object, const jg_dtype *dtype, jg_number *out)
{
    int found = py_number_from(object, out);
    if (found >= 0 || !dtype || jg_dtype_kind_of(*dtype) < JG_KIND_FLOAT || !PyLong_Check(object) ||
        !PyErr_ExceptionMatches(PyExc_OverflowError))
        return found;
    PyErr_Clear();
    *out = (jg_number){.kind = JG_KIND_FLOAT, .re = PyLong_AsDouble(object)};
    return PyErr_Occurred() ? -1 : 1;
}

static uint64_t bits_of(const jg_number *integer)
{
    return integer->kind == JG_KIND_UINT ? integer->u64 : (uint64_t)integer->i64;
}

static bool is_negative(const jg_number *integer)
{
    return integer->kind == JG_KIND_INT && integer->i64 < 0;
}

/* The low bits of an integer, as a dtype reads them. */
static jg_number low_bits(const jg_number *integer, int bits, bool is_signed)
{
    uint64_t value = bits_of(integer);
    int shift = 64 - bits;
    if (is_signed)
        return (jg_number){.kind = JG_KIND_INT, .i64 = (int64_t)(value << shift) >> shift};
    return (jg_number){.kind = JG_KIND_UINT, .u64 = value << shift >> shift};
}

int py_number_wrap(jg_number *number, jg_dtype dtype)
{
    jg_dtype_kind kind = jg_dtype_kind_of(dtype);
    if ((number->kind != JG_KIND_INT && number->kind != JG_KIND_UINT) ||
        (kind != JG_KIND_INT && kind != JG_KIND_UINT))
        return 0;
    jg_number wrapped = low_bits(number, jg_dtype_bits(dtype), kind == JG_KIND_INT);
    if (bits_of(number) == bits_of(&wrapped) && is_negative(number) == is_negative(&wrapped))
        return 0;
    PyObject *given = py_number_object(*number), *kept = py_number_object(wrapped);
    *number = wrapped;
    int status = given && kept ? PyErr_WarnFormat(PyExc_RuntimeWarning, 1,
                                                  "%S does not fit %s, so %S is used", given,
                                                  jg_dtype_name(dtype), kept)
                               : -1;
    Py_XDECREF(given);
    Py_XDECREF(kept);
    return status;
}

PyObject *py_number_object(jg_number number)
{
    switch (number.kind) {
    case JG_KIND_BOOL: return PyBool_FromLong(number.i64 != 0);
    case JG_KIND_INT: return PyLong_FromLongLong(number.i64);
    case JG_KIND_UINT: return PyLong_FromUnsignedLongLong(number.u64);
    case JG_KIND_FLOAT: return PyFloat_FromDouble(number.re);
    case JG_KIND_COMPLEX: return PyComplex_FromDoubles(number.re, number.im);
    default:
        PyErr_SetString(PyExc_TypeError, "elements: got opaque ones, allowed are numbers");
        return NULL;
    }
}

/* The dtype of a number without an array beside it: the dtype that a list of this number alone, or
 * of such lists, has (sequence.c). */
jg_dtype py_number_dtype(jg_dtype_kind kind)
{
    switch (kind) {
    case JG_KIND_BOOL: return JG_DTYPE_BOOL;
    case JG_KIND_INT: return JG_DTYPE_INT64;
    case JG_KIND_UINT: return JG_DTYPE_UINT64;
    case JG_KIND_COMPLEX: return JG_DTYPE_COMPLEX64;
    default: return JG_DTYPE_FLOAT32;
    }
}

jg_dtype py_number_own_dtype(jg_number number)
{
    bool is_short = number.kind == JG_KIND_INT && number.i64 == (int32_t)number.i64;
    return is_short && py_is_narrow() ? JG_DTYPE_INT32 : py_number_dtype(number.kind);
}

/* Raises a failure. The library's VALUE is a number out of range here, for which Python has an
 * exception. gives: NULL */
static void *raise_unfit(jg_number number, jg_status status)
{
    bool is_int = number.kind == JG_KIND_INT || number.kind == JG_KIND_UINT;
    return status == JG_ERR_VALUE && is_int ? py_raise_as(PyExc_OverflowError) : py_raise(status);
}

/* Beside bools an int has the dtype that it has alone. */
jg_array *py_number_array(jg_number number, const jg_array *like)
{
    jg_array *out;
    bool is_alone = !like || (number.kind == JG_KIND_INT && jg_array_dtype(like) == JG_DTYPE_BOOL);
    jg_status status = is_alone ? jg_full(py_number_own_dtype(number), 0, NULL, number, &out)
                                : jg_array_from_number(number, like, &out);
    return status == JG_OK ? out : raise_unfit(number, status);
}

jg_array *py_number_as(jg_number number, jg_dtype dtype)
{
    jg_array *out;
    jg_status status = jg_full(dtype, 0, NULL, number, &out);
    return status == JG_OK ? out : raise_unfit(number, status);
}
