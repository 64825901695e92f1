/* SPDX-License-Identifier: Apache-2.0 */
/* The conversion of a status of the library into a Python exception. */
#include "base/core.h"
#include "base/naming.h"

PyObject *py_copy_error;
static PyObject *linalg_error;

/* Which exception each status is. Our own are made at start-up, so the rows point at variables. A
 * device without a back end is a BufferError, as DLPack's consumers expect of data that they cannot
 * have. */
static PyObject **const exceptions[JG_STATUS_COUNT] = {
    [JG_ERR_VALUE] = &PyExc_ValueError,
    [JG_ERR_TYPE] = &PyExc_TypeError,
    [JG_ERR_INDEX] = &PyExc_IndexError,
    [JG_ERR_NOMEM] = &PyExc_MemoryError,
    [JG_ERR_BUFFER] = &PyExc_BufferError,
    [JG_ERR_COPY] = &py_copy_error,
    [JG_ERR_DEVICE] = &PyExc_BufferError,
    [JG_ERR_UNSUPPORTED] = &PyExc_NotImplementedError,
    [JG_ERR_LIBRARY] = &PyExc_RuntimeError,
    [JG_ERR_INTERNAL] = &PyExc_RuntimeError,
    [JG_ERR_IO] = &PyExc_OSError,
    [JG_ERR_LOST] = &PyExc_RuntimeError,
    [JG_ERR_ASSERT] = &PyExc_AssertionError,
    [JG_ERR_LINALG] = &linalg_error,
};

/* The message is that of the thread's last failure. Text that it quotes from a file may be no
 * UTF-8. */
static PyObject *last_message(void)
{
    const char *text = jg_error_message();
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "backslashreplace");
}

/* Whether a function of the package called the extension, and not one of the user's. */
static bool is_called_by_package(void)
{
    static PyObject *kept;
    PyObject *globals = PyEval_GetGlobals(), *key = py_kept_name(&kept, "__name__"), *name = NULL;
    if (!globals || !key || py_dict_find(globals, key, &name) <= 0)
        return false;
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : "";
    bool is = text && (strcmp(text, "joggle") == 0 || strncmp(text, "joggle.", 7) == 0);
    Py_DECREF(name);
    return is;
}

/* The name of the public function of the package, written in Python, that called the extension;
 * NULL if there is none. -1 for an interrupt, which is then what is raised */
static int find_caller(PyObject **name)
{
    *name = NULL;
    if (!is_called_by_package())
        return 0;
    PyObject *module = PyImport_ImportModule("joggle._callers");
    *name = module ? PyObject_CallMethod(module, "public_name", NULL) : NULL;
    if (*name && !PyUnicode_Check(*name))
        Py_CLEAR(*name);
    Py_XDECREF(module);
    return py_forget_failure(); /* the library's failure is raised */
}

/* The caller's name replaces the name of the op that failed in it. */
static int name_caller(void)
{
    PyObject *name;
    if (find_caller(&name) < 0)
        return -1;
    const char *text = name ? PyUnicode_AsUTF8(name) : NULL;
    if (text)
        jg_error_rename(text);
    Py_XDECREF(name);
    return py_forget_failure();
}

/* An exception that the extension itself raises has no traceback yet, and is of one of these
 * types. */
static bool is_of_extension(PyObject *type, PyObject *traceback)
{
    return !traceback && (type == PyExc_TypeError || type == PyExc_ValueError ||
                          type == PyExc_OverflowError || type == PyExc_IndexError);
}

/* The message of an exception that names no function; NULL if it is another. Borrowed. */
static PyObject *message_without_name(const char *name, PyObject *value)
{
    PyObject *args = ((PyBaseExceptionObject *)value)->args;
    PyObject *message = PyTuple_GET_SIZE(args) == 1 ? PyTuple_GET_ITEM(args, 0) : NULL;
    const char *text = message && PyUnicode_Check(message) ? PyUnicode_AsUTF8(message) : NULL;
    bool named = !text || text[0] == '[' || strstr(text, "() ") || strstr(text, name) == text;
    return named ? NULL : message;
}

PyObject *py_name_failure(const char *name)
{
    PyObject *type, *value, *traceback, *caller = NULL;
    PyErr_Fetch(&type, &value, &traceback);
    if (is_of_extension(type, traceback)) {
        PyErr_NormalizeException(&type, &value, &traceback);
        PyObject *message = message_without_name(name, value);
        int found = message ? find_caller(&caller) : 0;
        if (found < 0) { /* interrupted */
            Py_DECREF(type);
            Py_DECREF(value);
            return NULL;
        }
        PyObject *args =
            !message ? NULL
            : caller ? Py_BuildValue("(N)", PyUnicode_FromFormat("[%U] %U", caller, message))
                     : Py_BuildValue("(N)", PyUnicode_FromFormat("[%s] %U", name, message));
        if (args)
            PyObject_SetAttrString(value, "args", args);
        PyErr_Clear();
        Py_XDECREF(args);
        Py_XDECREF(caller);
    }
    PyErr_Restore(type, value, traceback);
    return NULL;
}

/* The class depends on whether NumPy is imported, which joggle/_errors.py sees. */
static void *raise_axis_error(void)
{
    PyObject *message = last_message();
    PyObject *module = message ? PyImport_ImportModule("joggle._errors") : NULL;
    PyObject *error = module ? PyObject_CallMethod(module, "axis_error", "O", message) : NULL;
    if (error)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    Py_XDECREF(module);
    Py_XDECREF(message);
    return NULL;
}

jg_status py_called(const char *name, jg_status status)
{
    if (status != JG_OK)
        jg_error_rename(name);
    return status;
}

void *py_raise(jg_status status)
{
    if (PyErr_Occurred())
        return NULL; /* a rule in Python has failed: status tells of its exception */
    if (status == JG_ERR_INTERRUPTED)
        return py_raise_interrupt();
    if (name_caller() < 0)
        return NULL;
    if (status == JG_ERR_AXIS)
        return raise_axis_error();
    bool known = status > JG_OK && status < JG_STATUS_COUNT && exceptions[status];
    return py_raise_as(known ? *exceptions[status] : PyExc_RuntimeError);
}

/* The message is that of the thread's last failure: no function of the library may be called
 * between the failure and this call. */
void *py_raise_as(PyObject *type)
{
    PyObject *message = last_message();
    if (message)
        PyErr_SetObject(type, message);
    Py_XDECREF(message);
    return NULL;
}

int py_status_ready(PyObject *module)
{
    PyObject *bases = PyTuple_Pack(2, PyExc_BufferError, PyExc_ValueError);
    if (!bases)
        return -1;
    py_copy_error = PyErr_NewExceptionWithDoc(
        "joggle.CopyError", "Data would have to be copied, and copy=False forbids it.", bases,
        NULL);
    Py_DECREF(bases);
    if (!py_copy_error)
        return -1;
    if (PyModule_AddObjectRef(module, "CopyError", py_copy_error) < 0)
        return -1;
    linalg_error = PyErr_NewExceptionWithDoc(
        "joggle.linalg.LinAlgError",
        "A matrix is singular or not positive definite, or an iteration does not converge.",
        PyExc_ValueError, NULL);
    return linalg_error ? PyModule_AddObjectRef(module, "_LinAlgError", linalg_error) : -1;
}
