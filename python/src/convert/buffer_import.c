/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays over objects that speak the buffer protocol: bytes, memoryview, array.array, NumPy's
 * arrays and scalars. The format is read as PEP 3118 writes it: an optional byte order and one
 * element. Structs, repetitions and pointers are no element and are refused. */
#include "convert/convert.h"

typedef struct format_row {
    char letter;
    uint8_t kind;
    uint8_t native,
        standard; /* bytes, with '@' or nothing in front, and with any other byte order */
} format_row;

static const format_row rows[] = {
    {'?', JG_KIND_BOOL, 1, 1},
    {'b', JG_KIND_INT, 1, 1},
    {'B', JG_KIND_UINT, 1, 1},
    {'h', JG_KIND_INT, 2, 2},
    {'H', JG_KIND_UINT, 2, 2},
    {'i', JG_KIND_INT, sizeof(int), 4},
    {'I', JG_KIND_UINT, sizeof(int), 4},
    {'l', JG_KIND_INT, sizeof(long), 4},
    {'L', JG_KIND_UINT, sizeof(long), 4},
    {'q', JG_KIND_INT, 8, 8},
    {'Q', JG_KIND_UINT, 8, 8},
    {'n', JG_KIND_INT, sizeof(size_t), 0},
    {'N', JG_KIND_UINT, sizeof(size_t), 0},
    {'e', JG_KIND_FLOAT, 2, 2},
    {'f', JG_KIND_FLOAT, 4, 4},
    {'d', JG_KIND_FLOAT, 8, 8},
};

/* format: not NULL. BufferError leaves the object to the steps behind this one. */
static int refuse(const char *format, const char *why)
{
    PyErr_Format(PyExc_BufferError, "buffer of format '%s': %s", format, why);
    return -1;
}

static const format_row *find_row(char letter)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(rows); ++i)
        if (rows[i].letter == letter)
            return &rows[i];
    return NULL;
}

/* Kind and size are looked up apart: 'l' has eight bytes by itself and four behind '<'. */
static int read_format(const char *format, jg_dtype *out)
{
    const char *at = format;
    char order = strchr("@=<>!", *at) && *at ? *at++ : '@';
    bool is_complex = *at == 'Z';
    const format_row *row = find_row(at[is_complex]);
    if (!row || at[is_complex + 1] != '\0' || (is_complex && row->kind != JG_KIND_FLOAT))
        return refuse(format, "no dtype has elements of this kind");
    int bytes = order == '@' ? row->native : row->standard;
    /* '!' is the network's order, which is big-endian. */
    bool foreign = PY_LITTLE_ENDIAN ? order == '>' || order == '!' : order == '<';
    if (foreign && bytes > 1)
        return refuse(format, "the byte order is not this machine's; convert it first, in NumPy by "
                              "x.astype(x.dtype.newbyteorder('='))");
    jg_dtype_kind kind = is_complex ? JG_KIND_COMPLEX : (jg_dtype_kind)row->kind;
    if (!py_dtype_of_kind(kind, 8 * bytes * (is_complex ? 2 : 1), out))
        return refuse(format, "no dtype has elements of this kind");
    return 0;
}

/* The extents, and the strides in bytes. ctypes and NumPy's scalars leave strides out although they
 * were asked for: their elements lie side by side. */
static void find_layout(const Py_buffer *buffer, int64_t *shape, int64_t *strides)
{
    int64_t step = buffer->itemsize;
    for (int i = buffer->ndim - 1; i >= 0; --i) {
        shape[i] = buffer->shape ? buffer->shape[i] : buffer->len / buffer->itemsize;
        strides[i] = buffer->strides ? buffer->strides[i] : step;
        step *= shape[i];
    }
}

/* An exporter that leaves the format out means bytes. Where a stride is no whole number of elements
 * it is rounded, as pack() needs the shape and dtype alone. */
int py_buffer_view(const Py_buffer *buffer, jg_view *out, bool *fits)
{
    int64_t shape[JG_MAX_NDIM], strides[JG_MAX_NDIM];
    jg_dtype dtype;
    *fits = true;
    const char *format = buffer->format ? buffer->format : "B";
    if (read_format(format, &dtype) < 0)
        return -1;
    if (buffer->ndim > JG_MAX_NDIM)
        return refuse(format, "it has too many axes");
    if (buffer->itemsize * 8 != jg_dtype_bits(dtype))
        return refuse(format, "the size of its items is another");
    find_layout(buffer, shape, strides);
    for (int i = 0; i < buffer->ndim; ++i) {
        /* Strides of axes with at most one element do not matter. */
        *fits = *fits && (strides[i] % buffer->itemsize == 0 || shape[i] <= 1);
        strides[i] /= buffer->itemsize;
    }
    unsigned flags = buffer->readonly ? JG_VIEW_READ_ONLY : 0;
    jg_device_id cpu = {JG_DEVICE_CPU, 0};
    return py_check(
        jg_view_init(out, buffer->buf, cpu, dtype, 1, buffer->ndim, shape, strides, flags));
}

/* Elements at irregular offsets, such as one member of NumPy's records, packed into an array of
 * their own. The buffer stays the caller's to release. gives: a reference or NULL */
static jg_array *pack(Py_buffer *buffer, const jg_view *view, jg_copy_policy copy)
{
    if (copy == JG_COPY_NEVER) {
        PyErr_SetString(py_copy_error,
                        "the buffer's strides are no whole numbers of elements, and copy is False");
        return NULL;
    }
    jg_array *out = NULL;
    void *data = PyMem_Malloc((size_t)buffer->len + 1);
    if (!data)
        PyErr_NoMemory();
    else if (PyBuffer_ToContiguous(data, buffer, buffer->len, 'C') == 0 &&
             py_check(jg_array_from_data(data, view->dtype, view->ndim, view->shape, &out)) < 0)
        out = NULL;
    PyMem_Free(data);
    return out;
}

/* The exporter's refusal, whatever its type, as the BufferError that it should be: NumPy raises
 * ValueError for dtypes without a format, and another step may still take the object. What is no
 * refusal (no memory, an interrupt) stays as it is. gives: -1 */
static int exporter_refused(PyObject *object)
{
    if (PyErr_ExceptionMatches(PyExc_MemoryError) || !PyErr_ExceptionMatches(PyExc_Exception))
        return -1;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_Format(PyExc_BufferError, "%s gives no buffer: %S", Py_TYPE(object)->tp_name,
                 value ? value : type);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return -1;
}

/* Whether a class is derived from that of NumPy's scalars. NumPy need not be loaded. */
static bool is_numpy_scalar(const PyTypeObject *type)
{
    for (Py_ssize_t i = 0; type->tp_mro && i < PyTuple_GET_SIZE(type->tp_mro); ++i)
        if (strcmp(((PyTypeObject *)PyTuple_GET_ITEM(type->tp_mro, i))->tp_name, "numpy.generic") ==
            0)
            return true;
    return false;
}

/* Whether these are the bytes of a scalar of NumPy's that is no number: a date or a string. Its
 * interface tells what it is. */
static bool is_raw(PyObject *object, const Py_buffer *buffer)
{
    bool is_bytes = !buffer->format || strcmp(buffer->format, "B") == 0;
    return is_bytes && buffer->ndim == 1 && is_numpy_scalar(Py_TYPE(object));
}

int py_convert_buffer(PyObject *object, const py_request *request, jg_array **out)
{
    if (!PyObject_CheckBuffer(object))
        return 0;
    Py_buffer buffer;
    /* With strides and format, without asking for a right to write: whether it may be written is
     * told back. */
    if (PyObject_GetBuffer(object, &buffer, PyBUF_RECORDS_RO) < 0)
        return exporter_refused(object);
    if (is_raw(object, &buffer)) {
        PyBuffer_Release(&buffer);
        return 0;
    }
    jg_view view;
    bool fits;
    if (py_buffer_view(&buffer, &view, &fits) < 0) {
        PyBuffer_Release(&buffer);
        return -1;
    }
    if (fits) {
        *out = py_take_view(&view, request->copy, object, &buffer);
    } else {
        *out = pack(&buffer, &view, request->copy);
        PyBuffer_Release(&buffer);
    }
    return *out ? 1 : -1;
}
