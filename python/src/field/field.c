/* SPDX-License-Identifier: Apache-2.0 */
/* The type joggle._core._field, which the classes of joggle.fields derive from: making one, and its
 * elements by index. Elements that are no scalars are left to the classes: they have _at and _put.
 *
 * Fields are places: what a method reads or writes is memory that others see. The library waits for
 * readers and checks that a reset has not lost the field. */
#include "field/field.h"

static void field_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    jg_field *field = py_field_of(self);
    type->tp_free(self);
    Py_DECREF(type);
    jg_field_release(field);
}

static jg_element *element_from(PyObject *object);

/* A scalar, or where there are extents a vector or matrix of them. gives: a reference or NULL */
static jg_element *scalars_from(PyObject *dtype_object, PyObject *extents_object)
{
    int64_t extents[JG_MAX_NDIM];
    jg_dtype dtype;
    jg_element *out;
    int ndim = extents_object ? py_extents("extents", extents_object, 1, extents) : 0;
    if (ndim < 0 || py_dtype_from(dtype_object, &dtype) < 0 ||
        py_check(jg_element_new(dtype, ndim, extents, &out)) < 0)
        return NULL;
    return out;
}

/* Names are borrowed from the dict's keys. *count members are to be released, also on failure. */
static int members_from(PyObject *dict, const char **names, jg_element **members, int *count)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &key, &value)) {
        names[*count] = PyUnicode_AsUTF8(key);
        members[*count] = names[*count] ? element_from(value) : NULL;
        if (!members[*count])
            return -1;
        *count += 1;
    }
    return 0;
}

/* gives: a reference or NULL; the members are in the dict's order */
static jg_element *struct_from(PyObject *given)
{
    /* A copy, as looking at a dtype may run Python code, which may change the dict. */
    PyObject *dict = PyDict_Copy(given);
    if (!dict)
        return NULL;
    size_t capacity = (size_t)PyDict_GET_SIZE(dict) + 1;
    const char **names = PyMem_Calloc(capacity, sizeof *names);
    jg_element **members = PyMem_Calloc(capacity, sizeof *members), *out = NULL;
    int count = 0;
    if (!names || !members)
        PyErr_NoMemory();
    else if (members_from(dict, names, members, &count) == 0 &&
             py_check(jg_element_new_struct(count, names, members, &out)) < 0)
        out = NULL;
    for (int i = 0; i < count; ++i)
        jg_element_release(members[i]);
    PyMem_Free(names);
    PyMem_Free(members);
    Py_DECREF(dict);
    return out;
}

static jg_element *element_from(PyObject *object)
{
    if (PyTuple_Check(object) && PyTuple_GET_SIZE(object) == 2)
        return scalars_from(PyTuple_GET_ITEM(object, 0), PyTuple_GET_ITEM(object, 1));
    if (!PyDict_Check(object))
        return scalars_from(object, NULL);
    /* A dict may contain itself. */
    if (Py_EnterRecursiveCall(" in nested structs"))
        return NULL;
    jg_element *out = struct_from(object);
    Py_LeaveRecursiveCall();
    return out;
}

/* Numbers from least on, one for each axis. gives: 0, or -1 with an exception set */
static int numbers_for_axes(const char *name, PyObject *object, int64_t least, int ndim,
                            int64_t *out)
{
    int count = py_extents(name, object, least, out);
    if (count >= 0 && count != ndim)
        PyErr_Format(PyExc_ValueError, "%s: got %d numbers, allowed are %d, one for each axis",
                     name, count, ndim);
    return count == ndim ? 0 : -1;
}

/* The optional parts of a specification: objects that are None or NULL leave them out. axes,
 * lowest: memory of the caller's that the specification then points to. */
static int order_and_origin_from(PyObject *order, PyObject *origin, int ndim, int *axes,
                                 int64_t *lowest, jg_field_spec *spec)
{
    int64_t values[JG_MAX_NDIM];
    if (order && order != Py_None) {
        if (numbers_for_axes("order", order, 0, ndim, values) < 0)
            return -1;
        for (int i = 0; i < ndim; ++i)
            axes[i] = (int)values[i];
        spec->order = axes;
    }
    if (origin && origin != Py_None) {
        if (numbers_for_axes("offset", origin, INT64_MIN, ndim, lowest) < 0)
            return -1;
        spec->origin = lowest;
    }
    return 0;
}

/* The field that the arguments describe, in the order of field_new's. shape None: unplaced, which
 * the library knows by an ndim of -1. */
static jg_field *make(PyObject *const *slots, jg_element *element)
{
    int64_t shape[JG_MAX_NDIM], origin[JG_MAX_NDIM];
    int order[JG_MAX_NDIM];
    bool soa = false;
    jg_field *out = NULL;
    jg_field_spec spec = {.element = element, .ndim = -1, .shape = shape};
    if (slots[1] && slots[1] != Py_None &&
        (spec.ndim = py_extents("shape", slots[1], 0, shape)) < 0)
        return NULL;
    if (order_and_origin_from(slots[3], slots[4], spec.ndim, order, origin, &spec) < 0 ||
        py_flag(slots[5], &soa) < 0 ||
        (slots[2] && slots[2] != Py_None && py_text("name", slots[2], &spec.name) < 0))
        return NULL;
    spec.layout = soa ? JG_FIELD_SOA : JG_FIELD_AOS;
    return py_check(jg_field_new(&spec, &out)) < 0 ? NULL : out;
}

/* _field(element, shape=None, name=None, order=None, offset=None, soa=False) */
static PyObject *field_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"element", "shape", "name", "order", "offset", "soa", NULL};
    PyObject *slots[6] = {NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOOOO:field", names, &slots[0], &slots[1],
                                     &slots[2], &slots[3], &slots[4], &slots[5]))
        return NULL;
    jg_element *element = element_from(slots[0]);
    if (!element)
        return NULL;
    jg_field *field = make(slots, element);
    jg_element_release(element);
    return field ? py_field_wrap((PyObject *)type, field) : NULL;
}

/* Whether the element is neither a struct nor a vector: an index of the field alone names a
 * number. */
static bool has_scalars(const jg_field *field)
{
    const jg_element *element = jg_field_element(field);
    return jg_element_count(element) == 0 && jg_element_ndim(element) == 0;
}

/* On a device kernels may have to run first, and those that print need the interpreter's lock. */
static int load_number(jg_field *field, int count, const int64_t *indices, jg_number *out)
{
    jg_status status;
    if (!atomic_load_explicit(&py_fields_are_away, memory_order_relaxed))
        return py_check(jg_field_load(field, count, indices, out));
    jg_field_retain(field);
    Py_BEGIN_ALLOW_THREADS
    status = jg_field_load(field, count, indices, out);
    jg_field_release(field);
    Py_END_ALLOW_THREADS
    return py_check(status);
}

static int store_number(jg_field *field, int count, const int64_t *indices, jg_number number)
{
    jg_status status;
    if (!atomic_load_explicit(&py_fields_are_away, memory_order_relaxed))
        return py_check(jg_field_store(field, count, indices, number));
    jg_field_retain(field);
    Py_BEGIN_ALLOW_THREADS
    status = jg_field_store(field, count, indices, number);
    jg_field_release(field);
    Py_END_ALLOW_THREADS
    return py_check(status);
}

/* A scalar by its indices: those of the field, then those of the element. The library checks their
 * number and their ranges. */
static PyObject *load(jg_field *field, PyObject *key)
{
    int64_t indices[JG_MAX_NDIM];
    jg_number number;
    int count = py_field_indices(key, indices);
    if (count < 0 || load_number(field, count, indices, &number) < 0)
        return NULL;
    return py_number_object(number);
}

/* The number of __index__, otherwise of __float__: for NumPy's scalars, and elements of other
 * fields. New reference or NULL */
static PyObject *plain_number(PyObject *object)
{
    const PyNumberMethods *methods = Py_TYPE(object)->tp_as_number;
    PyObject *plain = PyIndex_Check(object) ? PyNumber_Index(object) : NULL;
    if (plain || (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)))
        return plain;
    PyErr_Clear();
    if (methods && methods->nb_float)
        return PyNumber_Float(object);
    return PyErr_Format(PyExc_TypeError, "value: got %s, allowed are numbers",
                        Py_TYPE(object)->tp_name);
}

/* 0 or -1: unlike in py_number_from, an object that is not a number is an error. */
static int number_from(PyObject *object, jg_number *out)
{
    int found = py_number_from(object, out);
    if (found != 0)
        return found < 0 ? -1 : 0;
    PyObject *plain = plain_number(object);
    found = plain ? py_number_from(plain, out) : -1;
    Py_XDECREF(plain);
    return found < 0 ? -1 : 0;
}

static int store(jg_field *field, PyObject *key, PyObject *value)
{
    int64_t indices[JG_MAX_NDIM];
    jg_number number;
    int count = py_field_indices(key, indices);
    if (count < 0 || number_from(value, &number) < 0 ||
        py_number_wrap(&number, jg_element_dtype(jg_field_element(field))) < 0)
        return -1;
    return store_number(field, count, indices, number);
}

/* f[i, j] of a field of numbers is the number; of vectors and structs it is a reference, which the
 * class makes. */
static PyObject *field_subscript(PyObject *self, PyObject *key)
{
    if (PySlice_Check(key))
        return PyObject_CallMethod(self, "_part", "(O)", key);
    if (has_scalars(py_field_of(self)))
        return load(py_field_of(self), key);
    return PyObject_CallMethod(self, "_at", "(O)", key);
}

static int field_assign(PyObject *self, PyObject *key, PyObject *value)
{
    if (!value) {
        PyErr_SetString(PyExc_TypeError,
                        "elements of a field cannot be deleted; assign to them instead");
        return -1;
    }
    if (has_scalars(py_field_of(self)))
        return store(py_field_of(self), key, value);
    PyObject *result = PyObject_CallMethod(self, "_put", "(OO)", key, value);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

/* _load(index), _store(index, value): one scalar, the element's indices behind the field's. The
 * classes' _at and _put are written with them. */
static PyObject *method_load(PyObject *self, PyObject *key)
{
    return load(py_field_of(self), key);
}

static PyObject *method_store(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs != 2) {
        PyErr_Format(PyExc_TypeError, "_store: got %zd arguments, allowed are an index and a value",
                     nargs);
        return NULL;
    }
    return store(py_field_of(self), args[0], args[1]) < 0 ? NULL : Py_NewRef(Py_None);
}

/* The next index of one element, row-major. gives: false after the last */
static bool next_index(const jg_element *element, int64_t *index)
{
    for (int axis = jg_element_ndim(element) - 1; axis >= 0; --axis) {
        if (++index[axis] < jg_element_extents(element)[axis])
            return true;
        index[axis] = 0;
    }
    return false;
}

/* Indices of the field, followed by zeros for the indices of its elements.
 * gives: how many of the field's, -1 on failure */
static int element_index(const jg_field *field, PyObject *key, int64_t *out)
{
    int ndim = jg_element_ndim(jg_field_element(field)), count = py_field_indices(key, out);
    if (count + ndim > JG_MAX_NDIM) {
        PyErr_Format(PyExc_IndexError, "index: got %d numbers, allowed are %d", count,
                     JG_MAX_NDIM - ndim);
        return -1;
    }
    for (int i = 0; i < ndim && count >= 0; ++i)
        out[count + i] = 0;
    return count;
}

/* _values(index): the scalars of one element in a list, row-major. */
static PyObject *method_values(PyObject *self, PyObject *key)
{
    jg_field *field = py_field_of(self);
    const jg_element *element = jg_field_element(field);
    int64_t indices[JG_MAX_NDIM];
    int count = element_index(field, key, indices), status = 0;
    PyObject *list = count < 0 ? NULL : PyList_New(0);
    /* An element has one scalar at least, so the first turn also sees a list that was not made. */
    do {
        jg_number number;
        PyObject *value = NULL;
        if (list && load_number(field, count + jg_element_ndim(element), indices, &number) == 0)
            value = py_number_object(number);
        status = value ? PyList_Append(list, value) : -1;
        Py_XDECREF(value);
    } while (status == 0 && next_index(element, indices + count));
    if (status < 0)
        Py_CLEAR(list);
    return list;
}

/* Filling may take long and waits for readers, so the lock is released. */
static PyObject *method_fill(PyObject *self, PyObject *value)
{
    jg_number number;
    jg_status status;
    jg_field *field = jg_field_retain(py_field_of(self));
    if (number_from(value, &number) < 0 ||
        py_number_wrap(&number, jg_element_dtype(jg_field_element(field))) < 0) {
        jg_field_release(field);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    status = jg_field_fill(field, number);
    jg_field_release(field);
    Py_END_ALLOW_THREADS
    return py_check(status) < 0 ? NULL : Py_NewRef(Py_None);
}

/* None before a field has been placed: until then it has no axes of its own. */
static PyObject *field_shape(PyObject *self, void *Py_UNUSED(closure))
{
    const jg_field *field = py_field_of(self);
    if (!jg_field_is_placed(field))
        return Py_NewRef(Py_None);
    return py_shape_object(jg_field_ndim(field), jg_field_shape(field));
}

static PyObject *field_offset(PyObject *self, void *Py_UNUSED(closure))
{
    const jg_field *field = py_field_of(self);
    if (!jg_field_is_placed(field))
        return Py_NewRef(Py_None);
    return py_shape_object(jg_field_ndim(field), jg_field_origin(field));
}

/* None for a struct, whose members have dtypes of their own. */
static PyObject *field_dtype(PyObject *self, void *Py_UNUSED(closure))
{
    const jg_element *element = jg_field_element(py_field_of(self));
    return jg_element_count(element) ? Py_NewRef(Py_None)
                                     : py_dtype_object(jg_element_dtype(element));
}

static PyObject *field_element_shape(PyObject *self, void *Py_UNUSED(closure))
{
    const jg_element *element = jg_field_element(py_field_of(self));
    return py_shape_object(jg_element_ndim(element), jg_element_extents(element));
}

static PyObject *field_name(PyObject *self, void *Py_UNUSED(closure))
{
    return PyUnicode_FromString(jg_field_name(py_field_of(self)));
}

static PyObject *field_lost(PyObject *self, void *Py_UNUSED(closure))
{
    return PyBool_FromLong(jg_field_is_lost(py_field_of(self)));
}

static PyGetSetDef field_attributes[] = {
    {"shape", field_shape, NULL, "The extents, without those of the elements.", NULL},
    {"offset", field_offset, NULL, "The lowest index of each axis.", NULL},
    {"dtype", field_dtype, NULL, "The dtype of the scalars; None for structs.", NULL},
    {"element_shape", field_element_shape, NULL, "The extents of one element.", NULL},
    {"name", field_name, NULL, "The name in messages.", NULL},
    {"_is_lost", field_lost, NULL, "Whether a reset has lost the field.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef field_methods[] = {
    {"_load", method_load, METH_O, "One scalar, by the field's indices and the element's."},
    {"_values", method_values, METH_O, "The scalars of one element, row-major."},
    {"_store", (PyCFunction)(void (*)(void))method_store, METH_FASTCALL, "The same way in."},
    {"_fill", method_fill, METH_O, "One number in every scalar."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot field_slots[] = {
    {Py_tp_doc, "Mutable storage with a shape. joggle.fields makes classes of it."},
    {Py_tp_new, field_new},
    {Py_tp_dealloc, field_dealloc},
    {Py_tp_getset, field_attributes},
    {Py_tp_methods, field_methods},
    {Py_mp_subscript, field_subscript},
    {Py_mp_ass_subscript, field_assign},
    {0, NULL},
};

static PyType_Spec field_spec = {
    .name = "joggle._core._field",
    .basicsize = sizeof(py_field),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = field_slots,
};

/* The methods of another file, and the table by which DLPack's consumers find the memory: a spec
 * takes one list of methods, and no attributes. */
static int add_methods(PyMethodDef *methods)
{
    for (; methods->ml_name; ++methods) {
        PyObject *method = PyDescr_NewMethod(py_field_type, methods);
        int status =
            method ? PyDict_SetItemString(py_field_type->tp_dict, methods->ml_name, method) : -1;
        Py_XDECREF(method);
        if (status < 0)
            return -1;
    }
    PyObject *api = py_exchange_api_capsule();
    int status =
        api ? PyDict_SetItemString(py_field_type->tp_dict, "__dlpack_c_exchange_api__", api) : -1;
    Py_XDECREF(api);
    PyType_Modified(py_field_type);
    return status;
}

int py_field_ready(PyObject *module)
{
    py_field_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &field_spec, NULL);
    if (!py_field_type || add_methods(py_field_interop_methods) < 0)
        return -1;
    return PyModule_AddObjectRef(module, "_field", (PyObject *)py_field_type);
}
