/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting: evaluation without the interpreter lock.
 *
 * Functions that wait for work release the interpreter lock, as that work may need it: deleters of
 * imported memory, and kernels that print. */
#include "base/core.h"

static void let_go(void *context)
{
    *(PyThreadState **)context = PyEval_SaveThread();
}

/* Small work ends sooner than a release and a new acquisition of the lock. */
jg_status py_eval(int count, jg_array *const *arrays)
{
    PyThreadState *thread = NULL;
    jg_status status = jg_eval_leaving(count, arrays, let_go, &thread);
    if (thread != NULL)
        PyEval_RestoreThread(thread);
    return status;
}

jg_status py_eval_into(int count, jg_array *const *arrays, jg_array *const *targets)
{
    PyThreadState *thread = NULL;
    jg_status status = jg_eval_into(count, arrays, targets, let_go, &thread);
    if (thread != NULL)
        PyEval_RestoreThread(thread);
    return status;
}

int py_evaluate(jg_array *x)
{
    if (jg_array_current_state(x) == JG_ARRAY_AVAILABLE) /* most arrays are */
        return 0;
    return py_check(py_eval(1, &x));
}

/* On a device kernels may have to run first, and those that print need the lock. */
int py_item(jg_array *x, jg_number *out)
{
    jg_status status;
    if (py_evaluate(x) < 0)
        return -1;
    if (jg_device_is_host_accessible(jg_array_device(x).type))
        return py_check(jg_array_item(x, out));
    Py_BEGIN_ALLOW_THREADS
    status = jg_array_item(x, out);
    Py_END_ALLOW_THREADS
    return py_check(status);
}

int py_view(jg_array *x, jg_view *out)
{
    if (py_evaluate(x) < 0 || py_check(jg_array_view(x, out)) < 0)
        return -1;
    if (jg_device_is_host_accessible(out->device.type))
        return 0;
    PyErr_Format(PyExc_BufferError,
                 "x: lies on %s:%d, allowed is memory of the host; x.to_device(\"cpu\") moves it",
                 jg_device_type_name(out->device.type), (int)out->device.id);
    return -1;
}

jg_array *py_on_host(jg_array *x)
{
    jg_array *out;
    if (jg_device_is_host_accessible(jg_array_device(x).type))
        return jg_array_retain(x);
    jg_device_id host = {JG_DEVICE_CPU, 0};
    return py_check(jg_to_device(x, host, &out)) < 0 ? NULL : out;
}
