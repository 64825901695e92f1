/* SPDX-License-Identifier: Apache-2.0 */
/* Python objects as owners of imported memory. The library releases memory on any thread; the
 * object is released with the interpreter lock, or leaked when there is no interpreter any more. */
#include "base/core.h"

/* In Python's heap, so it is freed with the interpreter lock held, or not at all. */
struct py_owner {
    PyObject *object;
    Py_buffer buffer;
    bool has_buffer;
};

py_owner *py_owner_new(PyObject *object, Py_buffer *buffer)
{
    py_owner *owner = PyMem_Calloc(1, sizeof *owner);
    if (!owner) {
        if (buffer)
            PyBuffer_Release(buffer);
        PyErr_NoMemory();
        return NULL;
    }
    owner->object = Py_NewRef(object);
    owner->has_buffer = buffer != NULL;
    if (buffer)
        owner->buffer = *buffer;
    return owner;
}

void py_owner_release(void *context)
{
    py_owner *owner = context;
    /* The object is leaked: a thread that asks for the lock now would hang. */
    if (!Py_IsInitialized() || PY_FINALIZING())
        return;
    PyGILState_STATE state = PyGILState_Ensure();
    py_pending pending = py_pending_take();
    if (owner->has_buffer)
        PyBuffer_Release(&owner->buffer);
    Py_DECREF(owner->object);
    PyMem_Free(owner);
    py_pending_restore(pending);
    PyGILState_Release(state);
}

jg_array *py_take_view(const jg_view *view, jg_copy_policy copy, PyObject *object,
                       Py_buffer *buffer)
{
    py_owner *owner = py_owner_new(object, buffer);
    if (!owner)
        return NULL;
    jg_array *out;
    jg_status status = jg_array_take_view(view, copy, py_owner_release, owner, &out);
    if (status == JG_OK)
        return out;
    py_raise(status);
    py_owner_release(owner);
    return NULL;
}
