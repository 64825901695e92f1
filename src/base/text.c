/* SPDX-License-Identifier: Apache-2.0 */
/* A string under construction, for printers and messages. */
#include "base/base.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void text_add(base_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    /* One byte more for the terminator that vsnprintf writes. */
    void *to = NULL;
    if (length < 0 || vec_grow(&text->bytes, (size_t)length + 1, &to) != JG_OK) {
        text->failed = true;
    } else {
        vsnprintf(to, (size_t)length + 1, format, again);
        text->bytes.nbytes -= 1; /* the next addition overwrites the terminator */
    }
    va_end(again);
}

void text_add_extents(base_text *text, int count, const int64_t *values)
{
    text_add(text, "(");
    for (int i = 0; i < count; ++i)
        text_add(text, i ? ", %" PRId64 : "%" PRId64, values[i]);
    text_add(text, count == 1 ? ",)" : ")");
}

jg_status text_status(const base_text *text)
{
    return text->failed ? jg_fail(JG_ERR_NOMEM, "out of memory for a text") : JG_OK;
}

jg_status text_finish(base_text *text, char **out)
{
    text_add(text, "%s", "");
    jg_status status = text_status(text);
    if (status == JG_OK) {
        *out = text->bytes.data;
        *text = (base_text){0};
    }
    return status;
}

void text_clear(base_text *text)
{
    vec_clear(&text->bytes);
    text->failed = false;
}

/* Eight bytes are kept for the end: ", ...)" and its NUL. */
const char *text_extents(char *buffer, size_t nbytes, int count, const int64_t *values)
{
    size_t used = (size_t)snprintf(buffer, nbytes, "(");
    for (int i = 0; i < count; ++i) {
        char item[24];
        int length = snprintf(item, sizeof item, i ? ", %" PRId64 : "%" PRId64, values[i]);
        if (used + (size_t)length + 8 > nbytes) {
            snprintf(buffer + used, nbytes - used, ", ...)");
            return buffer;
        }
        memcpy(buffer + used, item, (size_t)length + 1);
        used += (size_t)length;
    }
    snprintf(buffer + used, nbytes - used, count == 1 ? ",)" : ")");
    return buffer;
}
