/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's last failure: a status with a message in fixed storage, so that failing needs no
 * heap. */
#include "base/base.h"
#include <stdio.h>
#include <string.h>

static _Thread_local char last_message[sizeof(((jg_error *)0)->message)];

static const char *const status_names[] = {
#define JG_STATUS(NAME, value, text) [value] = #NAME,
#include "status.def"
#undef JG_STATUS
};

const char *jg_status_name(jg_status status)
{
    unsigned code = (unsigned)status;
    return code < JG_COUNT_OF(status_names) ? status_names[code] : "unknown";
}

const char *jg_error_message(void)
{
    return last_message;
}

jg_status jg_fail(jg_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_message, sizeof last_message, format, arguments);
    va_end(arguments);
    return status;
}

void error_capture(jg_error *out, jg_status status)
{
    out->status = status;
    memcpy(out->message, last_message, sizeof out->message);
}

jg_status error_raise(const jg_error *error)
{
    memcpy(last_message, error->message, sizeof last_message);
    return error->status;
}
