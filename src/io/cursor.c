/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a file from its first byte to its last: every step is checked against what is left, so a
 * count from the file can be used as it stands. */
#include "io/io.h"
#include <endian.h>
#include <inttypes.h>
#include <string.h>

jg_status cursor_take(io_cursor *cursor, const char *what, uint64_t nbytes, const uint8_t **out)
{
    /* Compared with what is left, so that no count from the file is ever added to. */
    size_t left = cursor->nbytes - cursor->at;
    if (nbytes > left)
        return base_fail(JG_ERR_VALUE,
                         "[load] %s: %s at byte %zu takes %" PRIu64 " bytes, but %zu are left",
                         cursor->format, what, cursor->at, nbytes, left);
    *out = cursor->bytes + cursor->at;
    cursor->at += (size_t)nbytes;
    return JG_OK;
}

jg_status cursor_u32(io_cursor *cursor, const char *what, uint32_t *out)
{
    const uint8_t *bytes = NULL;
    uint32_t number;
    JG_TRY(cursor_take(cursor, what, sizeof number, &bytes));
    memcpy(&number, bytes, sizeof number);
    *out = le32toh(number);
    return JG_OK;
}

jg_status cursor_u64(io_cursor *cursor, const char *what, uint64_t *out)
{
    const uint8_t *bytes = NULL;
    uint64_t number;
    JG_TRY(cursor_take(cursor, what, sizeof number, &bytes));
    memcpy(&number, bytes, sizeof number);
    *out = le64toh(number);
    return JG_OK;
}
