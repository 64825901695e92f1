/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays over objects that have __array_interface__ (version 3), and over NumPy arrays whose dtype
 * is one of ml_dtypes: NumPy reports their kind as void, but their dtype has a name. */
#include "convert/convert.h"

/* BufferError leaves the object to the steps behind this one. */
static int refuse(PyObject *typestr, const char *why)
{
    PyErr_Format(PyExc_BufferError, "__array_interface__ of type %R: %s", typestr, why);
    return -1;
}

/* Elements that no protocol could describe as one of our dtypes: objects, strings, dates, records.
 * No step behind this one can take the object. gives: -1 */
static int refuse_elements(PyObject *object, PyObject *typestr)
{
    PyObject *dtype = PyObject_GetAttrString(object, "dtype");
    if (!dtype && py_forget_failure() < 0)
        return -1;
    PyErr_Format(PyExc_TypeError,
                 "x: got an array of %R, allowed are bool, integers, floats and complex numbers",
                 dtype ? dtype : typestr);
    Py_XDECREF(dtype);
    return -1;
}

enum { TYPESTR, SHAPE, STRIDES, DATA, OFFSET, MASK, ENTRIES };

/* Borrowed; NULL for one that the dict does not have, or with an exception. */
static PyObject *entry_of(PyObject *interface, int entry)
{
    static const char *const texts[ENTRIES] = {"typestr", "shape",  "strides",
                                               "data",    "offset", "mask"};
    static PyObject *kept[ENTRIES];
    PyObject *name = py_kept_name(&kept[entry], texts[entry]);
    return name ? PyDict_GetItemWithError(interface, name) : NULL;
}

/* Finds a dtype that NumPy lacks by its name. All of these have at most two bytes; NumPy's long
 * double is called float128 but is not that format. bytes: of an element, as the interface has it.
 * *padded: whether the dtype is narrower than a byte, with one element in each. */
static int read_named_dtype(PyObject *object, PyObject *typestr, int bytes, jg_dtype *out,
                            bool *padded)
{
    PyObject *dtype = PyObject_GetAttrString(object, "dtype");
    PyObject *name = dtype ? PyObject_GetAttrString(dtype, "name") : NULL;
    const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    bool found = text && bytes <= 2 && jg_dtype_from_name(text, out) == JG_OK;
    Py_XDECREF(name);
    Py_XDECREF(dtype);
    if (py_forget_failure() < 0)
        return -1;
    *padded = found && jg_dtype_bits(*out) < 8;
    if (found && (jg_dtype_bits(*out) == 8 * bytes || (*padded && bytes == 1)))
        return 0;
    return refuse_elements(object, typestr);
}

/* Byte order, kind, bytes: "<f4". Kinds that are none of ours, 'V' above all, may have a dtype with
 * a name. */
static int read_typestr(PyObject *object, PyObject *typestr, jg_dtype *out, bool *padded)
{
    const char *text = PyUnicode_Check(typestr) ? PyUnicode_AsUTF8(typestr) : NULL;
    *padded = false;
    if (py_forget_failure() < 0)
        return -1;
    if (text && strcmp(text, "|O") == 0)
        return refuse_elements(object, typestr);
    if (!text || strlen(text) < 3)
        return refuse(typestr, "the type is malformed");
    long size = strtol(text + 2, NULL, 10);
    int bytes = size > 0 && size <= 16 ? (int)size : 0; /* the most that a dtype has */
    if (bytes > 1 && text[0] == (PY_LITTLE_ENDIAN ? '>' : '<'))
        return refuse(typestr, "the byte order is not this machine's");
    for (int kind = JG_KIND_BOOL; kind <= JG_KIND_COMPLEX; ++kind)
        if (text[1] == py_kind_letter((jg_dtype_kind)kind) &&
            py_dtype_of_kind((jg_dtype_kind)kind, 8 * bytes, out))
            return 0;
    return read_named_dtype(object, typestr, bytes, out, padded);
}

/* The protocol also lets data be left out or be a buffer. Of buffers only bytes are taken, as
 * Pillow's images give them: they never move, and are never written. Most other objects of that
 * form speak the buffer protocol, which was tried before. data: may be NULL
 * *nbytes: of the memory; -1 where it is not known */
static int read_data(PyObject *data, void **address, Py_ssize_t *nbytes, unsigned *flags)
{
    if (data && PyBytes_Check(data)) {
        *address = PyBytes_AS_STRING(data);
        *nbytes = PyBytes_GET_SIZE(data);
        *flags |= JG_VIEW_READ_ONLY;
        return 0;
    }
    if (!data || !PyTuple_Check(data) || PyTuple_GET_SIZE(data) != 2) {
        PyErr_Format(
            PyExc_BufferError,
            "__array_interface__: data: got %R, allowed are (address, read_only) and bytes",
            data ? data : Py_None);
        return -1;
    }
    *nbytes = -1;
    *address = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0));
    int read_only = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1));
    if (read_only > 0)
        *flags |= JG_VIEW_READ_ONLY;
    return read_only < 0 || PyErr_Occurred() ? -1 : 0;
}

/* Bytes must be as many as row-major elements take, from the first one on. nbytes: -1 for any
 * address */
static int check_bytes(PyObject *offset, Py_ssize_t nbytes, bool has_strides, int ndim,
                       const int64_t *extents, int bytes)
{
    if (nbytes < 0)
        return 0;
    int is_moved = offset ? PyObject_IsTrue(offset) : 0;
    int64_t needed = bytes;
    bool overflows = false;
    for (int i = 0; i < ndim; ++i)
        overflows = overflows || __builtin_mul_overflow(needed, extents[i], &needed);
    if (is_moved == 0 && !has_strides && !overflows && needed == nbytes)
        return 0;
    if (is_moved >= 0)
        PyErr_Format(PyExc_BufferError,
                     "__array_interface__: data: got %zd bytes, allowed are as many as shape and "
                     "typestr tell, without strides and offset",
                     nbytes);
    return -1;
}

/* Strides in bytes as strides in elements. bytes: of an element, not 0. */
static int read_strides(PyObject *object, int ndim, int bytes, int64_t *out)
{
    if (py_extents("strides", object, INT64_MIN, out) != ndim) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_BufferError,
                         "__array_interface__: strides: got %R, allowed is one for each of %d axes",
                         object, ndim);
        return -1;
    }
    for (int i = 0; i < ndim; ++i) {
        if (out[i] % bytes != 0) {
            PyErr_Format(PyExc_BufferError,
                         "__array_interface__: strides[%d] is %lld bytes, no whole number of "
                         "elements; allowed are multiples of %d",
                         i, (long long)out[i], bytes);
            return -1;
        }
        out[i] /= bytes;
    }
    return 0;
}

/* A TypeError, so that no step behind this one takes the object without its mask. */
static int check_mask(PyObject *mask)
{
    if (!mask || mask == Py_None)
        return 0;
    PyErr_Format(PyExc_TypeError,
                 "__array_interface__: mask: got %s, allowed is None: the mask would be lost",
                 Py_TYPE(mask)->tp_name);
    return -1;
}

/* The view that the dict describes; without strides it is row-major. The address is believed, what
 * is computed from it is checked. */
static int describe(PyObject *object, PyObject *interface, jg_view *out)
{
    PyObject *entries[ENTRIES];
    for (int i = 0; i < ENTRIES; ++i)
        if (!(entries[i] = entry_of(interface, i)) && PyErr_Occurred())
            return -1;
    PyObject *typestr = entries[TYPESTR], *shape = entries[SHAPE], *strides = entries[STRIDES];
    if (!typestr || !shape) {
        PyErr_Format(PyExc_BufferError, "__array_interface__: got %R, needed are typestr and shape",
                     interface);
        return -1;
    }
    int64_t extents[JG_MAX_NDIM], steps[JG_MAX_NDIM];
    jg_dtype dtype;
    bool padded, has_strides = strides && strides != Py_None;
    unsigned flags = 0;
    void *address;
    Py_ssize_t nbytes;
    int ndim = py_extents("shape", shape, 0, extents);
    if (ndim < 0 || check_mask(entries[MASK]) < 0 ||
        read_typestr(object, typestr, &dtype, &padded) < 0 ||
        read_data(entries[DATA], &address, &nbytes, &flags) < 0)
        return -1;
    int bytes = padded ? 1 : jg_dtype_bits(dtype) / 8;
    if (check_bytes(entries[OFFSET], nbytes, has_strides, ndim, extents, bytes) < 0)
        return -1;
    if (has_strides && read_strides(strides, ndim, bytes, steps) < 0)
        return -1;
    if (padded)
        flags |= JG_VIEW_SUBBYTE_PADDED;
    jg_device_id cpu = {JG_DEVICE_CPU, 0};
    return py_check(jg_view_init(out, address, cpu, dtype, 1, ndim, extents,
                                 has_strides ? steps : NULL, flags));
}

int py_convert_interface(PyObject *object, const py_request *request, jg_array **out)
{
    PyObject *given =
        PyType_Check(object) ? NULL : PyObject_GetAttrString(object, "__array_interface__");
    /* A copy, as Python code that reads an entry, or another thread, may change the dict. */
    PyObject *interface = given && PyDict_Check(given) ? PyDict_Copy(given) : NULL;
    if (!interface) {
        /* An object without the attribute does not speak the protocol; any other failure is
         * raised. */
        Py_XDECREF(given);
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_AttributeError))
            return -1;
        PyErr_Clear();
        return 0;
    }
    jg_view view;
    int status = describe(object, interface, &view);
    /* NumPy's scalars describe memory of an array that nothing but the description keeps. Bytes are
     * in the copy. */
    PyObject *owner = status < 0 ? NULL : PyTuple_Pack(3, object, given, interface);
    Py_DECREF(interface);
    Py_DECREF(given);
    *out = owner ? py_take_view(&view, request->copy, owner, NULL) : NULL;
    Py_XDECREF(owner);
    return *out ? 1 : -1;
}
