/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes and the message that belongs to the last failure.
 *
 * Every function that can fail returns a jg_status and gives its results through trailing
 * out-parameters, which it sets only when it returns JG_OK. The message is kept per thread,
 * names the argument, what it was and what is allowed, and stays until the next failure on the
 * same thread. */
#ifndef JOGGLE_STATUS_H
#define JOGGLE_STATUS_H

#include <joggle/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rows between the marks are written by tools/optable.py from src/base/status.def. */
typedef enum jg_status {
    /* status.def: begin */
    JG_OK = 0,               /* success */
    JG_ERR_VALUE = 1,        /* an argument has a value that is not allowed */
    JG_ERR_TYPE = 2,         /* an argument has a dtype or a type that is not allowed */
    JG_ERR_INDEX = 3,        /* an index lies outside its axis */
    JG_ERR_NOMEM = 4,        /* memory could not be allocated */
    JG_ERR_BUFFER = 5,       /* a tensor cannot be exchanged: its dtype, layout, device or struct */
    JG_ERR_COPY = 6,         /* a copy would be needed and was refused */
    JG_ERR_DEVICE = 7,       /* no back end for the device in this process */
    JG_ERR_UNSUPPORTED = 8,  /* the combination asked for has no implementation */
    JG_ERR_LIBRARY = 9,      /* a host library is missing or failed */
    JG_ERR_INTERNAL = 10,    /* an invariant of joggle's own is broken */
    JG_ERR_IO = 11,          /* a file could not be opened, read or written */
    JG_ERR_LOST = 12,        /* a fork left the work behind, or a reset lost the field */
    JG_ERR_ASSERT = 13,      /* an assertion of a kernel does not hold */
    JG_ERR_LINALG = 14,      /* a matrix is singular, or has no such factors */
    JG_ERR_AXIS = 15,        /* an axis lies outside those of the array */
    JG_ERR_INTERRUPTED = 16, /* the call was interrupted before it had ended */
    /* status.def: end */
    JG_STATUS_COUNT
} jg_status;

/* The name of a status without its prefix, such as "ERR_VALUE"; "unknown" for other numbers.
 * keeps: nothing | gives: a static string | raises: never | waits: never */
JG_API const char *jg_status_name(jg_status status);

/* The message of the last failure on this thread, "" if there was none.
 * keeps: nothing | gives: a string valid until the thread's next failure | raises: never */
JG_API const char *jg_error_message(void);

/* Makes text the message of the thread's last failure, and gives status back. For a function that
 * the library calls, a sink or a jg_function: `return jg_error_set(JG_ERR_IO, "disk full")`. One
 * that fails without a failure of joggle's and without this gets a message that names it and the
 * status. text: copied, its first bytes where it is long; NULL for none
 * keeps: nothing | raises: status, always | waits: never */
JG_API jg_status jg_error_set(jg_status status, const char *text);

/* Puts the name of the function that was called, in brackets, before the message of the last
 * failure on this thread, instead of the name in brackets that is there. For functions that
 * are made of others, of which one has failed: `jg_nanmax` says [nanmax], not [max]. The failure of
 * an evaluation keeps the op that failed, which may be one of other arrays.
 * keeps: nothing | gives: nothing | raises: never | waits: never */
JG_API void jg_error_rename(const char *name);

#ifdef __cplusplus
}
#endif
#endif
