/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer protocol and __array_interface__, outwards: our memory as Python and NumPy see it.
 *
 * Unlike DLPack they share any strides, negative ones too. A buffer holds a reference to the
 * jg_array beside the one to the handle that the protocol asks for, so that x[i] = v leaves the
 * memory alone.
 *
 * Consumers that do not ask for the format take the elements for bytes, or, as torch.asarray does,
 * for float32 in one row whatever they are. They are given elements of one byte to read, and are
 * refused all others: memoryview(x) gives them the bytes. */
#include "array/array.h"

/* The data behind a Py_buffer besides the memory; it is freed with the buffer. */
typedef struct shared {
    jg_array *array;
    Py_ssize_t extents[]; /* shape, then strides in bytes */
} shared;

static void *address_of(const jg_view *view)
{
    return (char *)view->data + view->byte_offset;
}

/* An address for arrays without memory: NULL would mean that there is no buffer. */
static char nowhere[1];

/* Flags of the protocol are sets of bits that contain each other: PyBUF_STRIDES is PyBUF_ND and one
 * more, so a test for any bit would be wrong. */
static bool has_flags(int flags, int wanted)
{
    return (flags & wanted) == wanted;
}

/* Fills the buffer from the view. A member whose flag the consumer left out is NULL; ndim, len and
 * itemsize are right in any case. held: becomes the buffer's. */
static void describe(Py_buffer *buffer, const jg_view *view, shared *held, int flags)
{
    Py_ssize_t itemsize = jg_dtype_bits(view->dtype) / 8, size = itemsize;
    for (int i = 0; i < view->ndim; ++i) {
        held->extents[i] = (Py_ssize_t)view->shape[i];
        held->extents[view->ndim + i] = (Py_ssize_t)view->strides[i] * itemsize;
        size *= (Py_ssize_t)view->shape[i];
    }
    *buffer = (Py_buffer){
        .buf = view->data ? address_of(view) : nowhere,
        .obj = buffer->obj,
        .len = size,
        .itemsize = itemsize,
        .readonly = !(flags & PyBUF_WRITABLE) && (view->flags & JG_VIEW_READ_ONLY) != 0,
        /* hashlib refuses several axes even where it has not asked for them. */
        .ndim = (flags & (PyBUF_ND | PyBUF_FORMAT)) ? view->ndim : 1,
        .format = (flags & PyBUF_FORMAT) ? (char *)(uintptr_t)py_format_of(view->dtype) : NULL,
        .shape = (flags & PyBUF_ND) ? held->extents : NULL,
        .strides = has_flags(flags, PyBUF_STRIDES) ? held->extents + view->ndim : NULL,
        .internal = held,
    };
}

/* Row-major when read from the last axis to the first. */
static bool is_column_major(const jg_view *view)
{
    jg_view reversed = *view;
    for (int i = 0; i < view->ndim; ++i) {
        reversed.shape[i] = view->shape[view->ndim - 1 - i];
        reversed.strides[i] = view->strides[view->ndim - 1 - i];
    }
    return jg_view_is_contiguous(&reversed);
}

/* Whether the layout is one that the flags allow; a consumer that asks for no strides needs C
 * order. */
static bool layout_fits(const jg_view *view, int flags)
{
    if (!has_flags(flags, PyBUF_STRIDES) || has_flags(flags, PyBUF_C_CONTIGUOUS))
        return jg_view_is_contiguous(view);
    if (has_flags(flags, PyBUF_F_CONTIGUOUS))
        return is_column_major(view);
    return !has_flags(flags, PyBUF_ANY_CONTIGUOUS) || jg_view_is_contiguous(view) ||
           is_column_major(view);
}

static int refuse(const char *why)
{
    PyErr_SetString(PyExc_BufferError, why);
    return -1;
}

/* Without a format the consumer does not know dtype and shape; elements of one byte are right in
 * any case. */
static int check_without_format(const jg_view *view, int flags)
{
    jg_dtype_kind kind = jg_dtype_kind_of(view->dtype);
    bool has_bytes = jg_dtype_bits(view->dtype) == 8 &&
                     (kind == JG_KIND_UINT || kind == JG_KIND_INT || kind == JG_KIND_BOOL);
    if (has_bytes && !(flags & PyBUF_WRITABLE))
        return layout_fits(view, flags)
                   ? 0
                   : refuse("the array is not contiguous: write x.tobytes() for its bytes");
    PyErr_Format(PyExc_BufferError,
                 "the buffer of %s was asked for %s, and its format was not, so dtype and shape "
                 "would be lost: write memoryview(x) or x.tobytes() for the bytes, "
                 "torch.from_dlpack(x) for a tensor",
                 jg_dtype_name(view->dtype), has_bytes ? "to be written" : "as bytes");
    return -1;
}

/* A request that the memory cannot meet is refused, because the protocol has no way to offer
 * another format. */
static int check_buffer(jg_array *x, const jg_view *view, int flags)
{
    Py_ssize_t nbytes = jg_dtype_bits(view->dtype) / 8;
    for (int i = 0; i < view->ndim && jg_array_size(x) > 0; ++i)
        if (__builtin_mul_overflow(nbytes, (Py_ssize_t)view->shape[i], &nbytes)) {
            PyErr_Format(PyExc_BufferError,
                         "the array has more bytes than the %zd that are allowed in a buffer",
                         PY_SSIZE_T_MAX);
            return -1;
        }
    if (!py_format_of(view->dtype)) {
        PyErr_Format(PyExc_BufferError, "the buffer protocol has no format for %s; use __dlpack__",
                     jg_dtype_name(view->dtype));
        return -1;
    }
    if (!(flags & PyBUF_FORMAT))
        return check_without_format(view, flags);
    if ((flags & PyBUF_WRITABLE) && !jg_array_is_writable(x))
        return refuse("the array's memory is read-only");
    return layout_fits(view, flags) ? 0 : refuse("the array is not contiguous as asked for");
}

/* The array's reference passes into `shared`, and from there to py_array_releasebuffer. */
int py_array_getbuffer(PyObject *self, Py_buffer *buffer, int flags)
{
    buffer->obj = NULL;
    /* torch.asarray, refused a buffer to write, asks for one to read while the refusal is pending.
     * It would make float32 of whatever it got, so it is refused again. */
    if (!(flags & PyBUF_FORMAT) && PyErr_Occurred())
        return -1;
    jg_array *x = py_array_retain(self);
    jg_view view;
    shared *held = NULL;
    if (py_view(x, &view) < 0) {
        /* Memory that the host cannot read is refused; NumPy asks for a copy then. */
        if (!PyErr_ExceptionMatches(PyExc_BufferError))
            py_interrupt_remember(self);
        goto failed;
    }
    if (check_buffer(x, &view, flags) < 0)
        goto failed;
    held = PyMem_Malloc(sizeof *held + 2 * (size_t)view.ndim * sizeof(Py_ssize_t));
    if (!held) {
        PyErr_NoMemory();
        goto failed;
    }
    held->array = x;
    /* The view's flag tells of imports; a broadcast is not writable either, as its elements
     * overlap. */
    if (!jg_array_is_writable(x))
        view.flags |= JG_VIEW_READ_ONLY;
    buffer->obj = Py_NewRef(self);
    describe(buffer, &view, held, flags);
    return 0;
failed:
    jg_array_release(x);
    return -1;
}

/* A buffer may be released while an exception is on its way, and the last reference to imported
 * memory may run Python code. */
void py_array_releasebuffer(PyObject *Py_UNUSED(self), Py_buffer *buffer)
{
    shared *held = buffer->internal;
    py_pending pending = py_pending_take();
    jg_array_release(held->array);
    py_pending_restore(pending);
    PyMem_Free(held);
}

/* A text such as "<f4": byte order, kind, bytes. Only for dtypes that have a format, so bits are
 * whole bytes. */
static PyObject *typestr_of(jg_dtype dtype)
{
    int bytes = jg_dtype_bits(dtype) / 8;
    char order = bytes == 1 ? '|' : PY_LITTLE_ENDIAN ? '<' : '>';
    return PyUnicode_FromFormat("%c%c%d", order, py_kind_letter(jg_dtype_kind_of(dtype)), bytes);
}

/* The dict of version 3; strides are in bytes. Py_BuildValue passes on the failure of any of the
 * N. */
static PyObject *interface_of(jg_array *x, const jg_view *view)
{
    int64_t strides[JG_MAX_NDIM];
    for (int i = 0; i < view->ndim; ++i)
        strides[i] = view->strides[i] * (jg_dtype_bits(view->dtype) / 8);
    return Py_BuildValue("{s:N,s:N,s:N,s:(NN),s:i}", "typestr", typestr_of(view->dtype), "shape",
                         py_shape_object(view->ndim, view->shape), "strides",
                         py_shape_object(view->ndim, strides), "data",
                         PyLong_FromVoidPtr(view->data ? address_of(view) : nowhere),
                         PyBool_FromLong(!jg_array_is_writable(x)), "version", 3);
}

/* AttributeError for a dtype that it cannot express, and for memory that the host cannot read: then
 * consumers try __array__. A consumer may
 * keep only the handle alive, so the memory is pinned as long as the handle lives. */
PyObject *py_array_interface(PyObject *self, void *Py_UNUSED(closure))
{
    jg_array *x = py_array_retain(self);
    PyObject *result = NULL;
    jg_view view;
    if (py_interrupt_repeat(self) < 0) {
        jg_array_release(x);
        return NULL;
    }
    if (!py_format_of(jg_array_dtype(x)))
        PyErr_Format(PyExc_AttributeError, "__array_interface__ has no type for %s",
                     jg_dtype_name(jg_array_dtype(x)));
    else if (!jg_device_is_host_accessible(jg_array_device(x).type))
        PyErr_Format(PyExc_AttributeError, "__array_interface__ is of memory of the host, not %s",
                     jg_device_type_name(jg_array_device(x).type));
    else if (py_view(x, &view) == 0 && py_array_lend(self, x) == 0)
        result = interface_of(x, &view);
    jg_array_release(x);
    return result;
}
