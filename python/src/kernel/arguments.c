/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a launch as views and numbers.
 *
 * On the CPU a launch is over when the call returns, and the caller holds its arguments meanwhile.
 * So memory is borrowed where a protocol allows it, without a capsule and without a reference: from
 * torch and its like through the exchange table, from NumPy through the buffer protocol. What
 * speaks neither is imported as by from_dlpack, and never copied; so is memory of devices, where a
 * launch goes on and holds what was imported. */
#include "kernel/kernel.h"

/* A struct has no one plane and is refused; its members come in one by one. */
static int borrow_field(PyObject *object, py_borrowed *out)
{
    jg_field_plane plane;
    if (py_check(jg_field_storage(py_field_of(object), &plane)) < 0)
        return -1;
    out->view = plane.view;
    return 0;
}

/* A view of memory on any device. */
static int view_of(jg_array *x, jg_view *out)
{
    return py_evaluate(x) < 0 ? -1 : py_check(jg_array_view(x, out));
}

static int borrow_array(PyObject *object, bool written, py_borrowed *out)
{
    if (written) {
        PyErr_SetString(PyExc_BufferError,
                        "arrays of joggle are values, which no kernel writes: pass a field, an "
                        "ndarray, or memory of NumPy's or torch's");
        return -1;
    }
    out->loan.owner = py_array_retain(object);
    return view_of(out->loan.owner, &out->view);
}

/* torch's message for tensors without memory on the CPU names neither device nor layout, so it is
 * replaced; the traceback of torch's own code is dropped. gives: -1 */
static int refuse_unlent(const py_producer *producer, PyObject *tensor)
{
    if (py_forget_failure() < 0)
        return -1;
    PyObject *device = PyObject_GetAttrString(tensor, "device");
    PyObject *layout =
        device && producer->is_torch ? PyObject_GetAttrString(tensor, "layout") : NULL;
    if (layout)
        PyErr_Format(PyExc_BufferError,
                     "got a torch tensor of layout %S on device %S, allowed are tensors of layout "
                     "torch.strided on the CPU",
                     layout, device);
    else
        PyErr_Format(PyExc_BufferError,
                     "got a tensor of %s that is not lent, allowed are tensors on the CPU",
                     Py_TYPE(tensor)->tp_name);
    Py_XDECREF(device);
    Py_XDECREF(layout);
    return -1;
}

/* The table lends a DLTensor that belongs to the object; its extents are copied at once. producer:
 * one whose table has the function. */
static int borrow_by_api(const py_producer *producer, PyObject *object, py_borrowed *out)
{
    DLTensor tensor;
    if (producer->api->dltensor_from_py_object_no_sync(object, &tensor) != 0)
        return refuse_unlent(producer, object);
    return py_check(
        jg_view_from_dltensor(&tensor, producer->is_immutable ? JG_VIEW_READ_ONLY : 0, &out->view));
}

static int refuse_copy(const char *what)
{
    PyErr_Format(
        PyExc_BufferError,
        "%s: its values are not in memory as they are, and kernels work in place; pass a copy",
        what);
    return -1;
}

/* A buffer that was got is in out, to be released, also if its format is refused. */
static int borrow_buffer(PyObject *object, py_borrowed *out)
{
    bool fits;
    if (PyObject_GetBuffer(object, &out->buffer, PyBUF_RECORDS_RO) < 0) {
        out->buffer.obj = NULL;
        return -1;
    }
    if (py_buffer_view(&out->buffer, &out->view, &fits) < 0)
        return -1;
    return fits ? 0 : refuse_copy("strides that are no whole numbers of elements");
}

/* The producer's stream that has to wait for the launch. A producer with an exchange table is
 * asked; immutable memory is not written. An object that has only the dunders is told our stream
 * and does not tell its own. */
static int find_stream(const py_producer *producer, jg_device_id device, int64_t *out)
{
    if (jg_device_is_host_accessible(device.type) || !jg_device_has_streams(device))
        return 0;
    if (producer->is_immutable)
        *out = JG_STREAM_UNORDERED;
    else if (producer->api)
        return py_producer_stream(producer, device, out);
    return 0;
}

/* The memory is borrowed through an array, which has a reference to the memory. */
static int borrow_imported(const py_producer *producer, PyObject *object, py_borrowed *out)
{
    py_request request = {.copy = JG_COPY_NEVER};
    jg_array *owner = out->loan.owner = py_asarray(object, &request);
    if (!owner || view_of(owner, &out->view) < 0)
        return -1;
    if (!jg_array_is_writable(owner))
        out->view.flags |= JG_VIEW_READ_ONLY;
    return find_stream(producer, out->view.device, &out->loan.stream);
}

static int borrow_torch(const py_producer *producer, PyObject *object, py_borrowed *out)
{
    PyObject *resolved;
    int trapped = py_torch_check_memory(producer, object, &resolved);
    if (trapped > 0) {
        Py_DECREF(resolved);
        return refuse_copy("a torch tensor that is negated by a bit");
    }
    if (trapped < 0 || py_torch_give_grad(producer, object) < 0)
        return -1;
    if (borrow_by_api(producer, object, out) < 0)
        return -1;
    /* On other devices the kernel has to run after the work of torch's stream: the import takes
     * care of that. */
    bool on_host = jg_device_is_host_accessible(out->view.device.type);
    return on_host ? 0 : borrow_imported(producer, object, out);
}

/* Arrays whose dtype has no format in the buffer protocol are exported in another way, which raises
 * the failure if no way works. */
static int borrow_numpy(const py_producer *producer, PyObject *object, py_borrowed *out)
{
    if (borrow_buffer(object, out) == 0)
        return 0;
    py_borrowed_clear(out);
    return py_forget_failure() < 0 ? -1 : borrow_imported(producer, object, out);
}

int py_borrow(PyObject *object, bool written, py_borrowed *out)
{
    out->loan = (jg_kernel_loan){NULL, JG_STREAM_UNKNOWN};
    out->buffer.obj = NULL;
    out->tensor = NULL;
    if (py_array_check(object))
        return borrow_array(object, written, out);
    if (py_field_check(object))
        return borrow_field(object, out);
    const py_producer *producer = py_producer_of(Py_TYPE(object));
    if (!producer)
        return -1;
    if (producer->is_torch)
        out->tensor = object;
    if (producer->is_numpy || (producer->is_immutable && PyObject_CheckBuffer(object)))
        return borrow_numpy(producer, object, out);
    if (producer->is_torch && producer->api && producer->api->dltensor_from_py_object_no_sync)
        return borrow_torch(producer, object, out);
    /* These objects would become new arrays, so the values that the kernel writes would be lost. */
    if (PyList_Check(object) || PyTuple_Check(object) || PyLong_Check(object) ||
        PyFloat_CheckExact(object) || object == Py_None) {
        PyErr_Format(PyExc_TypeError, "got %s, allowed are fields and tensors",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    return borrow_imported(producer, object, out);
}

void py_borrowed_clear(py_borrowed *borrowed)
{
    jg_array_release(borrowed->loan.owner);
    if (borrowed->buffer.obj)
        PyBuffer_Release(&borrowed->buffer);
    borrowed->loan.owner = NULL;
    borrowed->buffer.obj = NULL;
}

int py_borrowed_tell_write(const py_borrowed *borrowed)
{
    return borrowed->tensor ? py_torch_count_write(borrowed->tensor) : 0;
}

int py_scalar_from(PyObject *object, jg_number *out)
{
    int known = py_number_from(object, out);
    if (known != 0)
        return known < 0 ? -1 : 0;
    static PyObject *kept;
    PyObject *name = py_kept_name(&kept, "item");
    PyObject *item = name ? PyObject_CallMethodNoArgs(object, name) : NULL;
    if (!item) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError))
            PyErr_Format(PyExc_TypeError, "got %s, allowed are numbers", Py_TYPE(object)->tp_name);
        return -1;
    }
    known = item == object ? 0 : py_number_from(item, out);
    if (known == 0)
        PyErr_Format(PyExc_TypeError, "got %s, allowed are numbers", Py_TYPE(object)->tp_name);
    Py_DECREF(item);
    return known > 0 ? 0 : -1;
}

enum { EXTENT_BITS = 12 };
int py_array_key(PyObject *object, const jg_view *view, uint64_t *out)
{
    const jg_field *field = py_field_check(object) ? py_field_of(object) : NULL;
    int ndim = field ? jg_field_ndim(field) : view->ndim;
    bool refused = field && jg_field_is_marked(field);
    uint64_t key = (uint64_t)view->dtype | (uint64_t)view->ndim << 8 | (uint64_t)ndim << 16 |
                   (uint64_t)refused << 23;
    for (int axis = ndim; axis < view->ndim && axis < ndim + 2; ++axis) {
        if (view->shape[axis] >> EXTENT_BITS != 0) {
            PyErr_Format(PyExc_OverflowError,
                         "an axis of elements: got %lld, allowed is below 2^%d",
                         (long long)view->shape[axis], EXTENT_BITS);
            return -1;
        }
        key |= (uint64_t)view->shape[axis] << (24 + EXTENT_BITS * (axis - ndim));
    }
    *out = key;
    return 0;
}
