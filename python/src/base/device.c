/* SPDX-License-Identifier: Apache-2.0 */
/* Devices as Python has them: strings with MLX's attributes, so that "cpu" may be given wherever a
 * device is, and a device wherever its name. A DeviceType is "cpu" or "gpu", or whatever a Device's
 * name begins with; a Device is the name of a kind, with its number behind a colon unless it is 0
 * and the kind the CPU. A name of no kind is refused when a Device is made. Whether the device is
 * there is checked by py_device_from, where a device is used, as that opens a driver. */
#include "base/core.h"

static PyTypeObject *device_type, *kind_type;
static PyObject *kinds, *cpu_device; /* by name; made once */

/* A string of one of the two types. str's own tp_new, as the types' are for callers and check their
 * arguments. */
static PyObject *new_text(PyTypeObject *type, const char *text, Py_ssize_t length)
{
    PyObject *args = Py_BuildValue("(s#)", text, length);
    PyObject *self = args ? PyUnicode_Type.tp_new(type, args, NULL) : NULL;
    Py_XDECREF(args);
    return self;
}

/* The one DeviceType of that name, made the first time it is asked for, so that `is` holds as for
 * the members of an enum. New reference */
static PyObject *kind_of(const char *name, Py_ssize_t length)
{
    PyObject *key = PyUnicode_FromStringAndSize(name, length);
    PyObject *kind = NULL;
    if (key && py_dict_find(kinds, key, &kind) == 0) {
        PyObject *made = new_text(kind_type, name, length);
        /* Another thread's, where that was first. None is ever taken out, so it may be borrowed. */
        kind = made ? Py_XNewRef(PyDict_SetDefault(kinds, key, made)) : NULL;
        Py_XDECREF(made);
    }
    Py_XDECREF(key);
    return kind;
}

static PyObject *kind_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"value", NULL};
    const char *name;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s:DeviceType", names, &name))
        return NULL;
    if (strcmp(name, "cpu") != 0 && strcmp(name, "gpu") != 0) {
        PyErr_Format(PyExc_ValueError, "DeviceType: got '%s', allowed are 'cpu' and 'gpu'", name);
        return NULL;
    }
    return kind_of(name, (Py_ssize_t)strlen(name));
}

/* The characters as a str, which prints without our repr. */
static PyObject *plain_text(PyObject *self, void *Py_UNUSED(closure))
{
    return PyUnicode_FromObject(self);
}

static PyObject *kind_repr(PyObject *self)
{
    PyObject *name = plain_text(self, NULL);
    PyObject *text = name ? PyUnicode_FromFormat("DeviceType.%U", name) : NULL;
    Py_XDECREF(name);
    return text;
}

static PyGetSetDef kind_getset[] = {
    {"name", plain_text, NULL, "\"cpu\" or \"gpu\".", NULL},
    {"value", plain_text, NULL, "The same.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot kind_slots[] = {
    {Py_tp_doc, "DeviceType(value)\n--\n\nA kind of device: cpu or gpu."},
    {Py_tp_new, kind_new},
    {Py_tp_repr, kind_repr},
    {Py_tp_getset, kind_getset},
    {0, NULL},
};

static PyType_Spec kind_spec = {
    .name = "joggle.DeviceType",
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = kind_slots,
};

/* kind may have its number in it already, as in Device("cuda:1"), unless an index is given too. */
static PyObject *new_device(const char *kind, int index)
{
    char text[64];
    bool plain = index == 0 && (strcmp(kind, "cpu") == 0 || strchr(kind, ':'));
    int length = plain ? snprintf(text, sizeof text, "%s", kind)
                       : snprintf(text, sizeof text, "%s:%d", kind, index);
    if (length >= (int)sizeof text) {
        PyErr_Format(PyExc_ValueError, "Device: type: got '%.60s...', %d bytes, allowed are 63",
                     kind, length);
        return NULL;
    }
    return new_text(device_type, text, length);
}

/* "gpu" is left alone: which kind that is, the drivers tell. */
static int check_name(const char *name)
{
    jg_device_id id;
    bool is_gpu = strncmp(name, "gpu", 3) == 0 && (name[3] == '\0' || name[3] == ':');
    return is_gpu ? 0 : py_check(jg_device_parse(name, &id));
}

static PyObject *device_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"type", "index", NULL};
    const char *kind;
    int index = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|i:Device", names, &kind, &index) ||
        check_name(kind) < 0)
        return NULL;
    return new_device(kind, index);
}

static PyObject *device_kind(PyObject *self, void *Py_UNUSED(closure))
{
    const char *text = PyUnicode_AsUTF8(self);
    return text ? kind_of(text, (Py_ssize_t)strcspn(text, ":")) : NULL;
}

static PyObject *device_index(PyObject *self, void *Py_UNUSED(closure))
{
    const char *text = PyUnicode_AsUTF8(self), *colon = text ? strchr(text, ':') : NULL;
    return text ? PyLong_FromLong(colon ? atol(colon + 1) : 0) : NULL;
}

static PyObject *device_repr(PyObject *self)
{
    PyObject *kind = device_kind(self, NULL), *index = kind ? device_index(self, NULL) : NULL;
    PyObject *name = index ? plain_text(kind, NULL) : NULL;
    PyObject *text = name ? PyUnicode_FromFormat("Device(%U, %S)", name, index) : NULL;
    Py_XDECREF(kind);
    Py_XDECREF(index);
    Py_XDECREF(name);
    return text;
}

static PyGetSetDef device_getset[] = {
    {"type", device_kind, NULL, "The DeviceType.", NULL},
    {"index", device_index, NULL, "Which of its kind.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot device_slots[] = {
    {Py_tp_doc, "Device(type, index=0)\n--\n\nWhere arrays are; a string such as \"cpu\"."},
    {Py_tp_new, device_new},
    {Py_tp_repr, device_repr},
    {Py_tp_getset, device_getset},
    {0, NULL},
};

static PyType_Spec device_spec = {
    .name = "joggle.Device",
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = device_slots,
};

/* The CPU's is made once: every array is asked for its device. */
PyObject *py_device_object(jg_device_id device)
{
    if (device.type == JG_DEVICE_CPU)
        return Py_NewRef(cpu_device);
    char text[64];
    int length =
        snprintf(text, sizeof text, "%s:%d", jg_device_type_name(device.type), (int)device.id);
    return new_text(device_type, text, length);
}

/* The constant of a kind, in the module and in DeviceType. */
static int add_kind(PyObject *module, const char *name)
{
    PyObject *kind = kind_of(name, (Py_ssize_t)strlen(name));
    int status = kind ? PyObject_SetAttrString((PyObject *)kind_type, name, kind) : -1;
    if (status == 0)
        status = PyModule_AddObjectRef(module, name, kind);
    Py_XDECREF(kind);
    return status;
}

PyObject *py_move(PyObject *array, jg_device_id device)
{
    if (!array)
        return NULL;
    jg_array *x = py_array_hold(array), *out;
    jg_device_id own = jg_array_device(x);
    bool host = jg_device_is_host_accessible(own.type);
    if (host ? jg_device_is_host_accessible(device.type)
             : own.type == device.type && own.id == device.id) {
        py_array_drop(x);
        return array;
    }
    jg_status status = jg_to_device(x, device, &out);
    py_array_drop(x);
    Py_DECREF(array);
    return status == JG_OK ? py_array_wrap(out) : py_raise(status);
}

/* A new array stays where it was asked for, whatever it meets. One that others hold is not asked
 * for anew: they could be reading it. */
static PyObject *committed(PyObject *array)
{
    if (array && Py_REFCNT(array) == 1) {
        jg_array *x = py_array_hold(array);
        jg_array_set_committed(x, true);
        py_array_drop(x);
    }
    return array;
}

PyObject *py_on_device(PyObject *array, PyObject *device)
{
    jg_device_id id;
    if (!array || !device || device == Py_None)
        return array;
    if (py_device_from(device, &id) == 0)
        return committed(py_move(array, id));
    Py_DECREF(array);
    return NULL;
}

int py_device_ready(PyObject *module)
{
    PyObject *base = (PyObject *)&PyUnicode_Type;
    kinds = PyDict_New();
    kind_type = (PyTypeObject *)PyType_FromSpecWithBases(&kind_spec, base);
    device_type = (PyTypeObject *)PyType_FromSpecWithBases(&device_spec, base);
    if (!kinds || !kind_type || !device_type || add_kind(module, "cpu") < 0 ||
        add_kind(module, "gpu") < 0)
        return -1;
    cpu_device = new_device("cpu", 0);
    return !cpu_device || PyModule_AddObjectRef(module, "DeviceType", (PyObject *)kind_type) < 0
               ? -1
               : PyModule_AddObjectRef(module, "Device", (PyObject *)device_type);
}
