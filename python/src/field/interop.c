/* SPDX-License-Identifier: Apache-2.0 */
/* Fields as arrays, tensors and storage: everything that moves whole fields. */
#include "field/field.h"

/* _array(copy): the values as a joggle array. */
static PyObject *method_array(PyObject *self, PyObject *copy_object)
{
    jg_copy_policy copy;
    return py_copy_from(copy_object, &copy) < 0 ? NULL : py_array_wrap(py_field_array(self, copy));
}

/* steals: field and x, which are released without the lock too */
static jg_status assign(jg_field *field, jg_array *x)
{
    jg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = jg_field_assign(field, x);
    jg_array_release(x);
    jg_field_release(field);
    Py_END_ALLOW_THREADS
    return status;
}

/* _assign(x): all values from whatever can become an array. */
static PyObject *method_assign(PyObject *self, PyObject *object)
{
    py_request request = {.copy = JG_COPY_IF_NEEDED};
    jg_array *x = py_asarray(object, &request);
    if (!x)
        return NULL;
    jg_status status = assign(jg_field_retain(py_field_of(self)), x);
    return py_check(status) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *method_copy_from(PyObject *self, PyObject *from)
{
    if (!py_field_check(from)) {
        PyErr_Format(PyExc_TypeError, "copy_from: got %s, allowed are fields",
                     Py_TYPE(from)->tp_name);
        return NULL;
    }
    jg_field *to = jg_field_retain(py_field_of(self)), *source = jg_field_retain(py_field_of(from));
    jg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = jg_field_copy_from(to, source);
    jg_field_release(to);
    jg_field_release(source);
    Py_END_ALLOW_THREADS
    return py_check(status) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *strides_object(const jg_view *view)
{
    int64_t strides[JG_MAX_NDIM];
    for (int i = 0; i < view->ndim; ++i)
        strides[i] = view->strides[i] * (jg_dtype_bits(view->dtype) / 8);
    return py_shape_object(view->ndim, strides);
}

/* For each index, how many axes in memory it is spread over. */
static PyObject *levels_object(const jg_field_plane *plane)
{
    int64_t levels[JG_MAX_NDIM];
    for (int i = 0; i < plane->ndim; ++i)
        levels[i] = plane->levels[i];
    return py_shape_object(plane->ndim, levels);
}

/* _plane(): (array, extents, byte strides, dtype, levels) of a field that is no struct. */
static PyObject *method_plane(PyObject *self, PyObject *Py_UNUSED(unused))
{
    jg_field_plane plane;
    jg_array *array;
    if (py_check(jg_field_storage(py_field_of(self), &plane)) < 0 ||
        py_check(jg_field_storage_array(py_field_of(self), &array)) < 0)
        return NULL;
    return Py_BuildValue(
        "(NNNNN)", py_array_wrap(array), py_shape_object(plane.view.ndim, plane.view.shape),
        strides_object(&plane.view), py_dtype_object(plane.view.dtype), levels_object(&plane));
}

/* _address(): of the first element of a field that is no struct, as an int. */
static PyObject *method_address(PyObject *self, PyObject *Py_UNUSED(unused))
{
    jg_field_plane plane;
    if (py_check(jg_field_storage(py_field_of(self), &plane)) < 0)
        return NULL;
    if (!jg_device_is_host_accessible(plane.view.device.type))
        return PyErr_Format(PyExc_ValueError,
                            "get_addr: the field lies on %s, allowed are fields of the CPU",
                            jg_device_type_name(plane.view.device.type));
    return PyLong_FromVoidPtr(plane.view.data);
}

/* _member(number, cls) */
static PyObject *method_member(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t member;
    jg_field *out;
    if (nargs != 2) {
        PyErr_Format(PyExc_TypeError,
                     "_member: got %zd arguments, allowed are a number and a class", nargs);
        return NULL;
    }
    if (py_int64_from(args[0], &member) < 0 ||
        py_check(jg_field_member(py_field_of(self), (int)member, &out)) < 0)
        return NULL;
    return py_field_wrap(args[1], out);
}

/* _component(indices, cls) */
static PyObject *method_component(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t indices[JG_MAX_NDIM];
    jg_field *out;
    if (nargs != 2) {
        PyErr_Format(PyExc_TypeError,
                     "_component: got %zd arguments, allowed are indices and a class", nargs);
        return NULL;
    }
    int count = py_field_indices(args[0], indices);
    if (count < 0 || py_check(jg_field_component(py_field_of(self), count, indices, &out)) < 0)
        return NULL;
    return py_field_wrap(args[1], out);
}

/* A field is exported as the memory that it is: under copy=True the export copies, not the step to
 * the array. */
static PyObject *method_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                               PyObject *kwnames)
{
    jg_array *x = py_field_array(self, JG_COPY_NEVER);
    PyObject *capsule = x ? py_dlpack_export(x, args, nargs, kwnames) : NULL;
    jg_array_release(x);
    return capsule;
}

/* The device of the memory; for a field without memory, the device that its memory will be on. */
static PyObject *method_dlpack_device(PyObject *self, PyObject *Py_UNUSED(unused))
{
    jg_field_plane plane;
    jg_device_id device = jg_fields_get_device();
    if (jg_field_storage(py_field_of(self), &plane) == JG_OK)
        device = plane.view.device;
    return Py_BuildValue("(ii)", (int)device.type, (int)device.id);
}

/* to_dlpack(versioned=False) */
static PyObject *method_to_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                  PyObject *kwnames)
{
    static const py_signature signature = {0, 1, 0, {"versioned"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    bool versioned = false;
    DLManagedTensorVersioned *managed;
    DLManagedTensor *legacy;
    if (py_arguments("to_dlpack", &signature, args, nargs, kwnames, slots) < 0 ||
        py_flag(slots[0], &versioned) < 0)
        return NULL;
    if (!versioned)
        return py_check(jg_field_to_managed_legacy(py_field_of(self), JG_COPY_NEVER, &legacy)) < 0
                   ? NULL
                   : py_capsule_legacy(legacy);
    return py_check(jg_field_to_managed(py_field_of(self), JG_COPY_NEVER, &managed)) < 0
               ? NULL
               : py_capsule_versioned(managed);
}

PyMethodDef py_field_interop_methods[] = {
    {"_array", method_array, METH_O, "The values as a joggle array."},
    {"_assign", method_assign, METH_O, "All values from an array."},
    {"_copy_from", method_copy_from, METH_O, "All values of another field."},
    {"_plane", method_plane, METH_NOARGS, "(array, extents, byte strides, dtype, levels)"},
    {"_address", method_address, METH_NOARGS, "Where the first element lies."},
    {"_member", (PyCFunction)(void (*)(void))method_member, METH_FASTCALL,
     "The field of a member."},
    {"_component", (PyCFunction)(void (*)(void))method_component, METH_FASTCALL,
     "The field of a component."},
    {"__dlpack__", PY_FASTCALL(method_dlpack),
     "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "The field's memory as a DLPack capsule."},
    {"__dlpack_device__", method_dlpack_device, METH_NOARGS, "(device type, device id)"},
    {"to_dlpack", PY_FASTCALL(method_to_dlpack),
     "to_dlpack($self, /, versioned=False)\n--\n\n"
     "The field's memory as a DLPack capsule; versioned=True: of DLPack 1, which NumPy asks for."},
    {NULL, NULL, 0, NULL},
};
