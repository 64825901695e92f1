/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's last failure: a status with a message.
 *
 * The message's memory comes from the heap with the thread's first failure, as a loaded library
 * gets little thread-local space; past the hooks, so that counting blocks or making them fail does
 * not affect messages. Without memory only the status is kept. */
#include "base/base.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_NBYTES = sizeof(((jg_error *)0)->message) };

/* of_evaluation: whether the message names what failed in an evaluation. */
typedef struct thread_message {
    char text[MESSAGE_NBYTES];
    bool of_evaluation;
} thread_message;

static JG_FAST_THREAD_LOCAL thread_message *last_message; /* NULL until the first failure */
static JG_FAST_THREAD_LOCAL bool is_untold;               /* there was no memory for the last one */
static JG_FAST_THREAD_LOCAL unsigned failures;

static pthread_key_t key;
static bool has_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The thread ends, but other destructors may still fail. */
static void forget(void *memory)
{
    last_message = NULL;
    free(memory);
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, forget) == 0;
}

/* The memory of the message of a failure that is counted here; NULL if there is no memory. */
static char *message_memory(void)
{
    failures += 1;
    if (last_message == NULL) {
        pthread_once(&once, make_key);
        thread_message *memory = has_key ? calloc(1, sizeof *memory) : NULL;
        if (memory != NULL && pthread_setspecific(key, memory) == 0)
            last_message = memory;
        else
            free(memory);
    }
    is_untold = last_message == NULL;
    if (is_untold)
        return NULL;
    last_message->of_evaluation = false;
    return last_message->text;
}

static const char *const status_names[] = {
#define JG_STATUS(NAME, value, text) [value] = #NAME,
#include "base/status.def"
#undef JG_STATUS
};

const char *jg_status_name(jg_status status)
{
    unsigned code = (unsigned)status;
    return code < JG_COUNT_OF(status_names) ? status_names[code] : "unknown";
}

const char *jg_error_message(void)
{
    if (is_untold)
        return "out of memory: not even for a message";
    return last_message != NULL ? last_message->text : "";
}

jg_status base_fail(jg_status status, const char *format, ...)
{
    va_list arguments;
    char *message = message_memory();
    if (message == NULL)
        return status;
    va_start(arguments, format);
    vsnprintf(message, MESSAGE_NBYTES, format, arguments);
    va_end(arguments);
    return status;
}

jg_status jg_error_set(jg_status status, const char *text)
{
    jg_error error = {.status = status};
    snprintf(error.message, sizeof error.message, "%s", text != NULL ? text : "");
    return error_raise(&error); /* the text may be the thread's own message */
}

unsigned error_count(void)
{
    return failures;
}

jg_status error_of_callback(unsigned before, jg_status status, const char *function,
                            const char *argument)
{
    if (status == JG_OK || failures != before)
        return status;
    return base_fail(status, "[%s] %s: returned %d (%s) and no message; jg_error_set makes one",
                     function, argument, (int)status, jg_status_name(status));
}

void error_capture(jg_error *out, jg_status status)
{
    out->status = status;
    snprintf(out->message, sizeof out->message, "%s", jg_error_message());
}

jg_status error_raise(const jg_error *error)
{
    char *message = message_memory();
    if (message != NULL)
        memcpy(message, error->message, MESSAGE_NBYTES);
    return error->status;
}

jg_status error_of_evaluation(jg_status status)
{
    if (!is_untold && last_message != NULL)
        last_message->of_evaluation = true;
    return status;
}

bool error_is_of_evaluation(void)
{
    return !is_untold && last_message != NULL && last_message->of_evaluation;
}

/* The part after a name in brackets, or the whole message. */
static const char *without_name(const char *message)
{
    size_t length = strspn(message + 1, "abcdefghijklmnopqrstuvwxyz_0123456789");
    bool named = message[0] == '[' && strncmp(message + 1 + length, "] ", 2) == 0;
    return named ? message + length + 3 : message;
}

void jg_error_rename(const char *name)
{
    char text[MESSAGE_NBYTES];
    if (is_untold || last_message == NULL || last_message->of_evaluation)
        return;
    size_t length = (size_t)snprintf(text, sizeof text, "[%s] ", name);
    if (length >= sizeof text)
        return;
    const char *rest = without_name(last_message->text);
    size_t kept = strnlen(rest, sizeof text - 1 - length);
    memcpy(text + length, rest, kept);
    text[length + kept] = '\0';
    memcpy(last_message->text, text, length + kept + 1);
}
