/* SPDX-License-Identifier: Apache-2.0 */
/* Files: what io.c and function.c share, and their functions for the module. */
#ifndef JOGGLE_PY_IO_H
#define JOGGLE_PY_IO_H

#include "transform/transform.h"

extern PyMethodDef py_io_functions[];
extern PyMethodDef py_function_functions[];

/* Borrowed from the capsule that _core._source made; NULL with ValueError for any other object. */
jg_source *py_source_of(PyObject *capsule);

/* The write() of a file object, and the interpreter's state while the library has the thread:
 * py_sink_write is a sink of the library's with it as its context. py_sink_finish makes the outcome
 * of what wrote None or an exception, that of write() if there is one. */
typedef struct py_sink {
    PyObject *write;
    PyThreadState *thread;
} py_sink;
jg_status py_sink_write(void *sink, const void *bytes, size_t nbytes);
PyObject *py_sink_finish(jg_status status);

#endif
